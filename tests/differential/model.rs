//! What Spark takes from a case, by its documented precedence. It is kept apart from sparkdbg's own code on purpose,
//! and small: the JVM's arguments are compared with Spark's own, only the raw text of a value needs this.

use crate::case::{Case, Unit, Version};
use crate::properties::PropertiesFile;

pub const DRIVER_EXTRA: &str = "spark.driver.extraJavaOptions";
pub const DRIVER_DEFAULT: &str = "spark.driver.defaultJavaOptions";

/// A value in effect.
pub struct Effective {
    pub value: String,
    /// The properties file, if it is not from the command line.
    pub file_escapes: Option<bool>,
}

impl Case {
    /// The last value on the command line, else the first of the files that has the key.
    pub fn effective(&self, key: &str) -> Option<Effective> {
        let typed = self.units.iter().rev().find_map(|unit| match unit {
            Unit::Conf { key: found, value, .. } if found == key => Some(value),
            Unit::DriverJavaOptions { value, .. } if key == DRIVER_EXTRA => Some(value),
            _ => None,
        });
        if let Some(value) = typed {
            return Some(Effective { value: value.clone(), file_escapes: None });
        }
        self.properties_files().iter().find_map(|file| {
            let value = file.get(key)?;
            Some(Effective { value, file_escapes: Some(file.is_escaped(key)) })
        })
    }

    /// The files in effect, the strongest first.
    fn properties_files(&self) -> Vec<&PropertiesFile> {
        let mut main = None;
        let mut extra = Vec::new();
        let mut load_defaults = false;
        for unit in &self.units {
            match unit {
                Unit::PropertiesFile { name, .. } => main = Some(&self.files[name]),
                Unit::ExtraPropertiesFile { name, .. } => extra.insert(0, &self.files[name]),
                Unit::LoadSparkDefaults => load_defaults = true,
                _ => {}
            }
        }
        let defaults = match self.version {
            _ if self.leaves_for_other_conf_dir() => &self.other_defaults,
            _ if self.conf_dir == crate::case::ConfDir::Missing => &None,
            _ => &self.defaults,
        };
        extra.extend(main);
        if main.is_none() || load_defaults {
            extra.extend(defaults);
        }
        extra
    }

    /// Whether Spark starts no driver at all: `--version` and its like, or nothing typed.
    pub fn is_special(&self) -> bool {
        let nothing = self.command == crate::case::Command::Submit && self.units.is_empty();
        nothing || self.units.iter().any(|unit| matches!(unit, Unit::Special(_)))
    }

    /// The cluster manager that will start the driver elsewhere; `None` in client mode.
    pub fn cluster_master(&self) -> Option<String> {
        let last = |pick: fn(&Unit) -> Option<&String>, key: &str| {
            let typed = self.units.iter().rev().find_map(pick).cloned();
            typed.or_else(|| self.effective(key).map(|found| found.value)).filter(|value| !value.is_empty())
        };
        let master =
            last(|unit| if let Unit::Master { value, .. } = unit { Some(value) } else { None }, "spark.master")?;
        let mode = last(
            |unit| if let Unit::DeployMode { value, .. } = unit { Some(value) } else { None },
            "spark.submit.deployMode",
        );
        let client = match mode {
            Some(mode) => mode == "client",
            None => !(self.version == Version::V2_4 && master == "yarn-cluster"),
        };
        (!client).then_some(master)
    }

    /// The keys that may carry the agent: the default key where Spark reads it for this driver.
    pub fn agent_keys(&self) -> &'static [&'static str] {
        let standalone = self.cluster_master().is_some_and(|master| master.starts_with("spark://"));
        match (self.version.has_default_key(), standalone) {
            (false, _) => &[DRIVER_EXTRA],
            (true, false) => &[DRIVER_DEFAULT],
            // the REST gateway applies both keys, the legacy one (the default) the extra key alone
            (true, true) => match self.effective("spark.master.rest.enabled") {
                Some(rest) if rest.value == "true" => &[DRIVER_DEFAULT, DRIVER_EXTRA],
                _ => &[DRIVER_EXTRA],
            },
        }
    }
}
