//! One test case: what the user typed, the files and the environment around it, as a structure that can be put on disk,
//! printed and shrunk.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::properties::PropertiesFile;
use crate::stage::Stage;

/// The Spark releases that are compared; one per way of building the driver's command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// No `spark.driver.defaultJavaOptions`.
    V2_4,
    /// The default key, one properties file.
    V3_5,
    /// Several properties files, `--load-spark-defaults`.
    V4_3,
}

impl Version {
    pub const ALL: [Version; 3] = [Version::V2_4, Version::V3_5, Version::V4_3];

    /// The release on PyPI.
    pub fn name(self) -> &'static str {
        match self {
            Version::V2_4 => "2.4.8",
            Version::V3_5 => "3.5.6",
            Version::V4_3 => "4.3.0",
        }
    }

    /// Whether Spark reads `spark.driver.defaultJavaOptions`.
    pub fn has_default_key(self) -> bool {
        self != Version::V2_4
    }

    /// spark-class of 3.4+ deletes every carriage return from the final command.
    pub fn as_seen_by_the_jvm(self, text: &str) -> String {
        if self == Version::V2_4 { text.to_owned() } else { text.replace('\r', "") }
    }
}

/// The command of sparkdbg, and with it the script of the distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Command {
    Submit,
    Shell,
    Sql,
    ConnectShell,
    Pyspark,
    R,
    Example,
    /// Plain `python`: the units travel in `PYSPARK_SUBMIT_ARGS`.
    Python,
}

impl Command {
    /// The word after `sparkdbg`.
    pub fn word(self) -> &'static str {
        match self {
            Command::Submit => "submit",
            Command::Shell => "shell",
            Command::Sql => "sql",
            Command::ConnectShell => "connect-shell",
            Command::Pyspark => "pyspark",
            Command::R => "r",
            Command::Example => "example",
            Command::Python => "python",
        }
    }

    /// The script below `bin`; plain `python` has none.
    pub fn script(self) -> Option<&'static str> {
        match self {
            Command::Submit => Some("spark-submit"),
            Command::Shell => Some("spark-shell"),
            Command::Sql => Some("spark-sql"),
            Command::ConnectShell => Some("spark-connect-shell"),
            Command::Pyspark => Some("pyspark"),
            Command::R => Some("sparkR"),
            Command::Example => Some("run-example"),
            Command::Python => None,
        }
    }
}

/// How a value stands beside its option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// `--option value`
    Separate,
    /// `--option=value`
    Equals,
    /// `-c value`
    Short,
}

/// Words that belong together, with as much meaning as the expectation needs.
#[derive(Clone, Debug)]
pub enum Unit {
    Conf {
        key: String,
        value: String,
        spelling: Spelling,
    },
    DriverJavaOptions {
        value: String,
        spelling: Spelling,
    },
    Master {
        value: String,
        spelling: Spelling,
    },
    DeployMode {
        value: String,
        spelling: Spelling,
    },
    PropertiesFile {
        name: String,
        spelling: Spelling,
    },
    ExtraPropertiesFile {
        name: String,
        spelling: Spelling,
    },
    LoadSparkDefaults,
    /// `--version`, `--kill ID` …: no driver is started.
    Special(Vec<OsString>),
    /// A word that Spark takes only in the first place, such as `run-example`.
    FirstWord(&'static str),
    /// `--class` with a class that allows application words among Spark's options.
    MixedClass(&'static str),
    /// Anything that does not decide what is expected.
    Words(Vec<OsString>),
}

impl Unit {
    pub fn words(&self) -> Vec<OsString> {
        fn spelled(option: &str, value: &str, spelling: Spelling) -> Vec<OsString> {
            match spelling {
                Spelling::Separate => vec![option.into(), value.into()],
                Spelling::Equals => vec![format!("{option}={value}").into()],
                Spelling::Short => vec!["-c".into(), value.into()],
            }
        }
        match self {
            Unit::Conf { key, value, spelling } => spelled("--conf", &format!("{key}={value}"), *spelling),
            Unit::DriverJavaOptions { value, spelling } => spelled("--driver-java-options", value, *spelling),
            Unit::Master { value, spelling } => spelled("--master", value, *spelling),
            Unit::DeployMode { value, spelling } => spelled("--deploy-mode", value, *spelling),
            Unit::PropertiesFile { name, spelling } => spelled("--properties-file", name, *spelling),
            Unit::ExtraPropertiesFile { name, spelling } => spelled("--extra-properties-file", name, *spelling),
            Unit::LoadSparkDefaults => vec!["--load-spark-defaults".into()],
            Unit::FirstWord(word) => vec![(*word).into()],
            Unit::MixedClass(class) => vec!["--class".into(), (*class).into()],
            Unit::Special(words) | Unit::Words(words) => words.clone(),
        }
    }
}

/// Where Spark's configuration directory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfDir {
    /// `SPARK_CONF_DIR` is not set.
    InHome,
    /// `SPARK_CONF_DIR` is set to nothing, which means the same to the scripts.
    InHomeByEmptyVariable,
    /// `SPARK_CONF_DIR` names a directory by its full path.
    Absolute,
    /// `SPARK_CONF_DIR` is relative to the working directory.
    Relative,
    /// `SPARK_CONF_DIR` names a directory that does not exist.
    Missing,
}

/// A line of `spark-env.sh`.
#[derive(Clone, Debug)]
pub enum SparkEnvLine {
    /// Sends Spark to the other configuration directory.
    OtherConfDir,
    /// Sets `SPARK_SUBMIT_OPTS`, or adds to it.
    SubmitOpts { value: String, add: bool },
    /// Sets `JAVA_HOME` (to the stand-in by another path).
    JavaHome,
    /// Anything else.
    Plain(&'static str),
}

/// Everything that the two runs have in common.
#[derive(Clone, Debug)]
pub struct Case {
    pub version: Version,
    pub command: Command,
    pub units: Vec<Unit>,
    /// Files in the working directory.
    pub files: BTreeMap<String, PropertiesFile>,
    pub conf_dir: ConfDir,
    pub defaults: Option<PropertiesFile>,
    /// `spark-defaults.conf` of the directory that `SparkEnvLine::OtherConfDir` leads to.
    pub other_defaults: Option<PropertiesFile>,
    pub java_opts: Vec<String>,
    pub spark_env: Vec<SparkEnvLine>,
    pub env: BTreeMap<&'static str, String>,
    pub port: u16,
    /// The input is wrong on purpose: Spark's own refusal or a clear error are both right.
    pub bad: bool,
    /// sparkdbg has to refuse, although Spark would start something.
    pub must_refuse: bool,
}

/// A case on disk: the two command lines and their common environment.
pub struct Staged {
    pub work: PathBuf,
    pub record: PathBuf,
    pub env: BTreeMap<String, OsString>,
    pub direct: Vec<OsString>,
    pub wrapped: Vec<OsString>,
}

impl Case {
    /// The agent that sparkdbg is asked for.
    pub fn agent(&self) -> String {
        // what spark-sql prints is data, so the JVM may not announce its port there
        let quiet = if self.command == Command::Sql { ",quiet=y" } else { "" };
        format!("-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:{}{quiet}", self.port)
    }

    /// Writes the files below `root` and says what to run.
    pub fn stage(&self, stage: &Stage, root: &Path) -> Staged {
        let (home, work, record) = (root.join("spark"), root.join("work"), root.join("record"));
        fs::create_dir_all(&work).unwrap();
        fs::create_dir_all(&record).unwrap();
        stage.overlay(self.version, &home);
        for (name, file) in &self.files {
            fs::write(work.join(name), file.text()).unwrap();
        }

        let conf_dir = match self.conf_dir {
            ConfDir::InHome | ConfDir::InHomeByEmptyVariable => home.join("conf"),
            ConfDir::Absolute if self.spark_env.is_empty() => root.join("site conf"),
            // the scripts cannot source a path with a blank
            ConfDir::Absolute => root.join("site-conf"),
            ConfDir::Relative => work.join("site-conf"),
            ConfDir::Missing => root.join("unused"),
        };
        let conf_dir_variable: Option<OsString> = match self.conf_dir {
            ConfDir::InHome => None,
            ConfDir::InHomeByEmptyVariable => Some(OsString::new()),
            ConfDir::Absolute => Some(conf_dir.clone().into()),
            ConfDir::Relative => Some("site-conf".into()),
            ConfDir::Missing => Some(root.join("missing").into()),
        };
        let other = root.join("other-conf");
        fs::create_dir_all(&conf_dir).unwrap();
        fs::create_dir_all(&other).unwrap();
        if let Some(defaults) = &self.defaults {
            fs::write(conf_dir.join("spark-defaults.conf"), defaults.text()).unwrap();
        }
        if let Some(defaults) = &self.other_defaults {
            fs::write(other.join("spark-defaults.conf"), defaults.text()).unwrap();
        }
        if !self.spark_env.is_empty() {
            let line = |line: &SparkEnvLine| match line {
                SparkEnvLine::OtherConfDir => format!("export SPARK_CONF_DIR={}\n", quoted(other.as_os_str())),
                SparkEnvLine::SubmitOpts { value, add: false } => {
                    format!("SPARK_SUBMIT_OPTS={}\n", quoted(value.as_ref()))
                }
                SparkEnvLine::SubmitOpts { value, add: true } => {
                    format!("SPARK_SUBMIT_OPTS=\"$SPARK_SUBMIT_OPTS \"{}\n", quoted(value.as_ref()))
                }
                SparkEnvLine::JavaHome => format!("JAVA_HOME={}\n", quoted(stage.other_java_home().as_os_str())),
                SparkEnvLine::Plain(text) => format!("{text}\n"),
            };
            fs::write(conf_dir.join("spark-env.sh"), self.spark_env.iter().map(line).collect::<String>()).unwrap();
        }
        if !self.java_opts.is_empty() {
            let active = if self.leaves_for_other_conf_dir() { &other } else { &conf_dir };
            fs::write(active.join("java-opts"), self.java_opts.join("\n")).unwrap();
        }

        let mut env = stage.environment(root, &home, &record);
        env.extend(self.env.iter().map(|(name, value)| ((*name).to_owned(), value.into())));
        env.extend(conf_dir_variable.map(|dir| ("SPARK_CONF_DIR".to_owned(), dir)));
        let mut words: Vec<OsString> = self.units.iter().flat_map(Unit::words).collect();
        let program = match self.command.script() {
            Some(script) => home.join("bin").join(script),
            None => {
                if !words.is_empty() {
                    let quote = |word: &OsString| quoted(word);
                    let submit_args: Vec<String> = words.iter().map(quote).chain(["pyspark-shell".into()]).collect();
                    env.insert("PYSPARK_SUBMIT_ARGS".into(), submit_args.join(" ").into());
                }
                words = vec!["app.py".into(), "--conf".into(), "argument".into()];
                stage.python()
            }
        };
        let direct = [program.into_os_string()].into_iter().chain(words.iter().cloned()).collect();
        let endpoint = format!("--driver=attach:{}", self.port);
        let front = [env!("CARGO_BIN_EXE_sparkdbg"), "--no-preflight", "-q", self.command.word(), &endpoint];
        let front = front.into_iter().chain(["--pause-limit", "off", "--"]).map(OsString::from);
        Staged { work, record, env, direct, wrapped: front.chain(words).collect() }
    }

    /// Whether `spark-env.sh` changes the configuration directory.
    pub fn leaves_for_other_conf_dir(&self) -> bool {
        self.conf_dir != ConfDir::Missing
            // a parent script has loaded it: it is not sourced again
            && !self.env.contains_key("SPARK_ENV_LOADED")
            && self.spark_env.iter().any(|line| matches!(line, SparkEnvLine::OtherConfDir))
    }
}

impl Staged {
    /// A command that can be pasted into bash, as long as the directory of the case is kept.
    pub fn pasteable(&self, command: &[OsString]) -> String {
        let env = self.env.iter().map(|(name, value)| format!("{name}={}", quoted(value)));
        let words = command.iter().map(|word| quoted(word));
        let work = quoted(self.work.as_os_str());
        format!("cd {work} && env -i {}", env.chain(words).collect::<Vec<_>>().join(" "))
    }
}

/// A word for bash; `$'…'` where it is not text.
pub fn quoted(word: &std::ffi::OsStr) -> String {
    use std::os::unix::ffi::OsStrExt;
    match word.to_str() {
        Some(text) => shell_words::quote(text).into_owned(),
        None => {
            let byte = |byte: &u8| match byte {
                b'\'' | b'\\' => format!("\\{}", *byte as char),
                b' '..=b'~' => (*byte as char).to_string(),
                _ => format!("\\x{byte:02x}"),
            };
            format!("$'{}'", word.as_bytes().iter().map(byte).collect::<String>())
        }
    }
}
