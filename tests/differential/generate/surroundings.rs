//! What stands around a random command line: properties files, the environment, `spark-env.sh`, cluster mode and
//! agents that are there already.

use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;

use super::{CONNECT_SERVER, Generator, OTHER_KEYS, THRIFT_SERVER, is_resource};
use crate::agents;
use crate::case::{Case, Command, ConfDir, SparkEnvLine, Spelling, Unit, Version};
use crate::model::{DRIVER_DEFAULT, DRIVER_EXTRA};
use crate::option_string;
use crate::properties::{Entry, PropertiesFile};

impl Generator<'_> {
    pub(super) fn properties_file(&mut self) -> PropertiesFile {
        let mut entries = Vec::new();
        for _ in 0..self.rng.random_range(0..=5) {
            let key = match self.rng.random_range(0..100) {
                0..45 => DRIVER_EXTRA,
                45..75 => DRIVER_DEFAULT,
                _ => OTHER_KEYS[..OTHER_KEYS.len() - 1].choose(self.rng).unwrap(),
            };
            let value =
                if key.to_lowercase().contains("java") { option_string::random(self.rng) } else { self.odd_text() };
            entries.push(Entry::random(self.rng, key, &value));
            if self.chance(0.2) {
                entries.push(Entry::noise(self.rng));
            }
        }
        PropertiesFile { entries }
    }

    pub(super) fn add_file(&mut self, name: &str) -> String {
        let file = self.properties_file();
        self.files.insert(name.to_owned(), file);
        name.to_owned()
    }

    pub(super) fn environment(&mut self, case: &mut Case) {
        if self.chance(0.2) {
            case.env.insert("SPARK_SUBMIT_OPTS", option_string::random(self.rng));
        }
        if self.chance(0.15) {
            case.env.insert("SPARK_DAEMON_JAVA_OPTS", option_string::random(self.rng));
        }
        if self.chance(0.1) {
            case.env.insert("JAVA_TOOL_OPTIONS", "-Dtool=1".into());
        }
        if self.chance(0.05) {
            case.env.insert("SPARK_DRIVER_MEMORY", "3g".into());
        }
        if self.chance(0.1) {
            let line = |rng: &mut StdRng| option_string::random(rng).replace(['\n', '\r'], " ");
            case.java_opts = (0..self.rng.random_range(1..=2)).map(|_| line(self.rng)).collect();
        }
        if self.chance(0.15) {
            self.spark_env(case);
            if self.chance(0.1) {
                case.env.insert("SPARK_ENV_LOADED", "1".into());
            }
        }
    }

    pub(super) fn spark_env(&mut self, case: &mut Case) {
        let plain = [
            "# nothing",
            "export EXAMPLE_TOOL_OPTIONS='-Dtool=2'",
            "SPARK_WORKER_CORES=1",
            "echo 'spark-env speaks'",
            "HADOOP_CONF_DIR=/etc/hadoop/conf",
            "if [ -n \"$SPARK_HOME\" ]; then export FROM_HOME=1; fi",
        ];
        for _ in 0..self.rng.random_range(1..=3) {
            let line = match self.rng.random_range(0..10) {
                0..3 => SparkEnvLine::OtherConfDir,
                3..6 => SparkEnvLine::SubmitOpts { value: option_string::random(self.rng), add: self.chance(0.5) },
                6 => SparkEnvLine::JavaHome,
                _ => SparkEnvLine::Plain(plain.choose(self.rng).unwrap()),
            };
            case.spark_env.push(line);
        }
        if self.chance(0.6) {
            case.other_defaults = Some(self.properties_file());
        }
    }

    /// Cluster mode, from any of the places Spark takes it.
    pub(super) fn send_to_cluster(&mut self, case: &mut Case) {
        case.units.retain(|unit| !matches!(unit, Unit::Master { .. } | Unit::DeployMode { .. }));
        case.spark_env.clear();
        if case.conf_dir == ConfDir::Missing {
            case.conf_dir = ConfDir::InHome;
        }
        let masters = ["yarn", "spark://h:7077", "spark://a:7077,b:7077", "k8s://https://h:6443"];
        let master = (*masters.choose(self.rng).unwrap()).to_owned();
        let first = Unit::Master { value: master.clone(), spelling: self.spelling() };
        let second = Unit::DeployMode { value: "cluster".to_owned(), spelling: self.spelling() };
        let in_files = |case: &mut Case, key: &str, value: &str| {
            // whichever file counts, it says so
            for file in case.files.values_mut().chain([case.defaults.get_or_insert_default()]) {
                file.entries.push(Entry::plain(key, value));
            }
        };
        let conf = |key: &str, value: &str| Unit::Conf {
            key: key.to_owned(),
            value: value.to_owned(),
            spelling: Spelling::Separate,
        };
        let at = self.rng.random_range(0..=1);
        match self.rng.random_range(0..6) {
            0..3 => case.units.splice(at..at, [first, second]).count(),
            3 => case.units.splice(at..at, [first, conf("spark.submit.deployMode", "cluster")]).count(),
            4 => {
                in_files(case, "spark.submit.deployMode", "cluster");
                case.units.splice(at..at, [first]).count()
            }
            _ => {
                in_files(case, "spark.master", &master);
                in_files(case, "spark.submit.deployMode", "cluster");
                0
            }
        };
        if self.version == Version::V2_4 && self.chance(0.1) {
            // the old spelling, which needs no deploy mode
            case.units.retain(|unit| !matches!(unit, Unit::Master { .. } | Unit::DeployMode { .. }));
            case.units.insert(at, Unit::Master { value: "yarn-cluster".to_owned(), spelling: Spelling::Separate });
        }
        if self.chance(0.15) {
            let value = *["true", "false"].choose(self.rng).unwrap();
            case.units.insert(at, conf("spark.master.rest.enabled", value));
        }
        if self.chance(0.2) {
            let value = agents::add(self.rng, "-Dwith=agent");
            case.units.insert(1, Unit::DriverJavaOptions { value, spelling: Spelling::Separate });
        }
    }

    pub(super) fn add_existing_agent(&mut self, case: &mut Case) {
        let base = option_string::random(self.rng);
        let base = if option_string::split(&base).is_some_and(|words| words.is_empty()) { "" } else { &base };
        let value = agents::add(self.rng, base);
        // after what must be first, before what must be last
        let last_option = case.units.iter().rposition(|unit| {
            !matches!(unit, Unit::Words(words) if words.len() != 2 || !words[0].to_string_lossy().starts_with("--"))
        });
        let at = if case.command == Command::Submit || case.command == Command::Example {
            let after_resource = case.units.iter().position(is_resource).unwrap_or(case.units.len());
            last_option.map_or(0, |at| at + 1).min(after_resource)
        } else {
            case.units.len()
        };
        let key = if self.chance(0.5) { DRIVER_EXTRA } else { DRIVER_DEFAULT };
        let takes_daemon_options =
            case.units.iter().any(|unit| matches!(unit, Unit::MixedClass(THRIFT_SERVER | CONNECT_SERVER)));
        match self.rng.random_range(0..8) {
            0..2 => case.units.insert(at, Unit::Conf { key: key.to_owned(), value, spelling: Spelling::Separate }),
            2 => case.units.insert(at, Unit::DriverJavaOptions { value, spelling: Spelling::Separate }),
            3..5 => {
                let entry = Entry::random(self.rng, key, &value);
                let files: Vec<&mut PropertiesFile> =
                    case.files.values_mut().chain([case.defaults.get_or_insert_default()]).collect();
                let count = files.len();
                files.into_iter().nth(self.rng.random_range(0..count)).unwrap().entries.push(entry);
            }
            5 if takes_daemon_options => drop(case.env.insert("SPARK_DAEMON_JAVA_OPTS", value)),
            6 => {
                let name = ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"].choose(self.rng).unwrap();
                drop(case.env.insert(name, agents::add(self.rng, "-Dtool=1")));
            }
            7 if !case.spark_env.is_empty() => {
                case.spark_env.push(SparkEnvLine::SubmitOpts { value, add: self.chance(0.5) });
            }
            _ => drop(case.env.insert("SPARK_SUBMIT_OPTS", value)),
        }
    }
}
