//! Random command lines that Spark or sparkdbg has to refuse.

use std::ffi::OsString;

use rand::Rng;

use super::{Generator, is_resource};
use crate::agents;
use crate::case::{Case, ConfDir, Spelling, Unit, Version};
use crate::model::{DRIVER_DEFAULT, DRIVER_EXTRA};
use crate::option_string;
use crate::properties::Entry;

impl Generator<'_> {
    /// Makes an input that Spark refuses.
    pub(super) fn spoil(&mut self, case: &mut Case) {
        let conf = |words: &[&str]| Unit::Words(words.iter().map(OsString::from).collect());
        let unit = match self.rng.random_range(0..9) {
            0 => conf(&["--conf"]),
            1 => conf(&["--conf", "without-equals"]),
            2 => conf(&["--executor-java-options", "-Dx=1"]),
            3 => conf(&["--conf=k=a\nb"]),
            4 => conf(&["--driver-java-options="]),
            5 => conf(&["--", "app.jar"]),
            6 => conf(&["--properties-file", "missing.conf"]),
            7 => Unit::Conf {
                key: if self.version.has_default_key() { DRIVER_DEFAULT } else { DRIVER_EXTRA }.to_owned(),
                value: option_string::broken(self.rng),
                spelling: Spelling::Separate,
            },
            _ => {
                let key = DRIVER_EXTRA.to_owned();
                Unit::Conf { key, value: option_string::broken(self.rng), spelling: Spelling::Separate }
            }
        };
        let resource = case.units.iter().position(is_resource).unwrap_or(case.units.len());
        match unit {
            // a missing value: nothing may follow
            Unit::Words(words) if words.len() == 1 && words[0] == "--conf" => {
                case.units.truncate(resource);
                case.units.push(Unit::Words(words));
            }
            unit => case.units.insert(resource, unit),
        }
        if self.chance(0.1) {
            case.defaults.get_or_insert_default().entries.push(Entry::other(b"key=\\uZZZZ\n"));
        }
    }

    /// Makes an input that sparkdbg may not start.
    pub(super) fn forbid(&mut self, case: &mut Case) {
        case.must_refuse = true;
        if self.version != Version::V2_4 && self.chance(0.5) {
            case.units.retain(|unit| !matches!(unit, Unit::Master { .. } | Unit::DeployMode { .. }));
            case.units.insert(0, Unit::Words(vec!["--remote".into(), "sc://h:15002".into()]));
        } else {
            // a file of the distribution is not rewritten
            if case.conf_dir == ConfDir::Missing {
                case.conf_dir = ConfDir::InHome;
            }
            case.java_opts.push(agents::add(self.rng, "-Da=1"));
        }
    }
}
