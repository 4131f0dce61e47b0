//! Random cases. Every case depends on the seed and its number alone, so that one can be run again without the others.

mod mistakes;
mod surroundings;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, SeedableRng};

use crate::case::{Case, Command, ConfDir, Spelling, Unit, Version};
use crate::model::{DRIVER_DEFAULT, DRIVER_EXTRA};
use crate::option_string;
use crate::properties::PropertiesFile;

const THRIFT_SERVER: &str = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2";
const CONNECT_SERVER: &str = "org.apache.spark.sql.connect.service.SparkConnectServer";
const SPARK_SQL: &str = "org.apache.spark.sql.hive.thriftserver.SparkSQLCLIDriver";
const REPL: &str = "org.apache.spark.repl.Main";

/// Options whose value means nothing to the launcher, so that it can be anything.
const OTHER_OPTIONS: &[&str] = &[
    "--archives",
    "--driver-cores",
    "--exclude-packages",
    "--executor-cores",
    "--executor-memory",
    "--files",
    "--jars",
    "--keytab",
    "--name",
    "--num-executors",
    "--packages",
    "--principal",
    "--proxy-user",
    "--py-files",
    "--queue",
    "--repositories",
    "--total-executor-cores",
];

/// Keys beside the driver's options; some are near misses of them, which Spark ignores.
const OTHER_KEYS: &[&str] = &[
    "spark.app.name",
    "spark.executor.memory",
    "spark.executor.extraJavaOptions",
    "spark.executor.defaultJavaOptions",
    "spark.yarn.am.extraJavaOptions",
    "spark.sql.shuffle.partitions",
    "spark.hadoop.fs.s3a.secret.key",
    "spark.driver.extraJavaOption",
    "spark.driver.extrajavaoptions",
    " spark.driver.extraJavaOptions",
    "spark.driver.extraJavaOptions ",
    "spark.driver.defaultJavaOption",
    "spark.ui.enabled",
    "k",
    "",
];

/// Values and words that a careless wrapper breaks.
const ODD_TEXTS: &[&str] = &[
    "",
    "plain",
    "two words",
    " leading",
    "trailing ",
    "a\nb",
    "\n",
    "tab\tbed",
    "--conf",
    "-c",
    "--name",
    "--",
    "-",
    "--driver-java-options",
    "--version",
    "k=v",
    "=",
    "'",
    "\"",
    "\\",
    "\\\\",
    "$HOME",
    "`id`",
    "*",
    "%p",
    "a,b,c",
    "\u{e9}\u{6f22}",
    "a\u{2028}b",
    "\u{feff}",
    "org.apache.spark.launcher.Main",
    "spark.driver.extraJavaOptions=-Dapp=1",
    "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=6006",
];

/// What the command line of a case is about.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Application,
    Cluster,
    MixedClass,
    MixedScript,
    Pyspark,
    R,
    Example,
    Python,
    Special,
    Bad,
    MustRefuse,
}

const KINDS: &[(Kind, u32)] = &[
    (Kind::Application, 30),
    (Kind::Cluster, 8),
    (Kind::MixedClass, 14),
    (Kind::MixedScript, 12),
    (Kind::Pyspark, 8),
    (Kind::R, 5),
    (Kind::Example, 8),
    (Kind::Python, 5),
    (Kind::Special, 5),
    (Kind::Bad, 3),
    (Kind::MustRefuse, 2),
];

/// The case with that number.
pub fn case(seed: u64, number: u64) -> Case {
    let mut rng = StdRng::seed_from_u64(seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let version = Version::ALL[(number % 3) as usize];
    let kind = KINDS.choose_weighted(&mut rng, |(_, weight)| *weight).unwrap().0;
    let mut generator = Generator { rng: &mut rng, version, files: BTreeMap::new() };
    generator.case(kind)
}

struct Generator<'a> {
    rng: &'a mut StdRng,
    version: Version,
    files: BTreeMap<String, PropertiesFile>,
}

impl Generator<'_> {
    fn case(&mut self, kind: Kind) -> Case {
        let (command, mut units, tail) = self.command_line(kind);
        self.add_options(kind, &mut units);
        if matches!(kind, Kind::MixedClass | Kind::MixedScript) {
            self.mix_words(&mut units);
        }
        units.extend(tail);

        let mut case = Case {
            version: self.version,
            command,
            units,
            files: std::mem::take(&mut self.files),
            conf_dir: *[ConfDir::InHome, ConfDir::InHome, ConfDir::Absolute].choose(self.rng).unwrap(),
            defaults: None,
            other_defaults: None,
            java_opts: Vec::new(),
            spark_env: Vec::new(),
            env: BTreeMap::new(),
            port: self.rng.random_range(1024..=65535),
            bad: kind == Kind::Bad,
            must_refuse: false,
        };
        if self.chance(0.1) {
            let rare = [ConfDir::Relative, ConfDir::Missing, ConfDir::InHomeByEmptyVariable];
            case.conf_dir = *rare.choose(self.rng).unwrap();
        }
        if self.chance(0.5) {
            case.defaults = Some(self.properties_file());
        }
        self.environment(&mut case);
        if kind == Kind::Cluster {
            self.send_to_cluster(&mut case);
        } else if kind != Kind::Special && self.chance(0.25) {
            for _ in 0..self.rng.random_range(1..=2) {
                self.add_existing_agent(&mut case);
            }
        }
        match kind {
            Kind::Bad => self.spoil(&mut case),
            Kind::MustRefuse => self.forbid(&mut case),
            _ => {}
        }
        case
    }

    /// The command with what has to come first and last.
    fn command_line(&mut self, kind: Kind) -> (Command, Vec<Unit>, Vec<Unit>) {
        let by_script = self.chance(0.5);
        match kind {
            Kind::Application | Kind::Cluster | Kind::Bad | Kind::MustRefuse => {
                let resource = match kind {
                    Kind::Cluster => "app.jar",
                    _ => ["app.jar", "app.py", "app.R", "spark-internal", "hdfs:///apps/a b.jar", "é.jar"]
                        .choose(self.rng)
                        .unwrap(),
                };
                let mut tail = vec![Unit::Words(vec![resource.into()])];
                tail.extend(self.application_words());
                let class = Unit::Words(vec!["--class".into(), "org.example.App".into()]);
                let front = if resource.ends_with(".jar") { vec![class] } else { Vec::new() };
                (Command::Submit, front, tail)
            }
            Kind::MixedClass => {
                let classes: &[&'static str] = if self.version == Version::V2_4 {
                    &[REPL, SPARK_SQL, THRIFT_SERVER]
                } else {
                    &[REPL, SPARK_SQL, THRIFT_SERVER, THRIFT_SERVER, CONNECT_SERVER]
                };
                (Command::Submit, vec![Unit::MixedClass(classes.choose(self.rng).unwrap())], Vec::new())
            }
            Kind::MixedScript => {
                let scripts: &[Command] = if self.version == Version::V2_4 {
                    &[Command::Shell, Command::Sql]
                } else {
                    &[Command::Shell, Command::Sql, Command::Sql, Command::ConnectShell]
                };
                (*scripts.choose(self.rng).unwrap(), Vec::new(), Vec::new())
            }
            Kind::Pyspark if by_script => (Command::Pyspark, Vec::new(), Vec::new()),
            Kind::Pyspark => (Command::Submit, vec![Unit::FirstWord("pyspark-shell-main")], Vec::new()),
            Kind::R => {
                let tail = if self.chance(0.3) { vec![Unit::Words(vec!["data.txt".into()])] } else { Vec::new() };
                if by_script {
                    (Command::R, Vec::new(), tail)
                } else {
                    (Command::Submit, vec![Unit::FirstWord("sparkr-shell-main")], tail)
                }
            }
            Kind::Example => {
                let class = ["SparkPi", "org.apache.spark.examples.SparkPi", "sql.JavaSparkSQLExample"];
                let mut tail = vec![Unit::Words(vec![class.choose(self.rng).unwrap().into()])];
                tail.extend(self.application_words());
                if by_script {
                    (Command::Example, Vec::new(), tail)
                } else {
                    (Command::Submit, vec![Unit::FirstWord("run-example")], tail)
                }
            }
            Kind::Python => (Command::Python, Vec::new(), Vec::new()),
            Kind::Special => self.special_command_line(),
        }
    }

    fn special_command_line(&mut self) -> (Command, Vec<Unit>, Vec<Unit>) {
        let specials: &[&[&str]] = &[
            &["--version"],
            &["--help"],
            &["-h"],
            &["--usage-error"],
            &["--kill", "driver-1"],
            &["--kill=driver-1"],
            &["--status", "app-1"],
            &["--status=--conf"],
            &["--version=true"],
        ];
        let command =
            *[Command::Submit, Command::Submit, Command::Shell, Command::Sql, Command::Pyspark, Command::Example]
                .choose(self.rng)
                .unwrap();
        let special = Unit::Special(specials.choose(self.rng).unwrap().iter().map(OsString::from).collect());
        let resource = Unit::Words(vec!["app.jar".into(), "--conf".into(), "y".into()]);
        let tail = if command == Command::Submit && self.chance(0.2) { vec![special, resource] } else { vec![special] };
        (command, Vec::new(), tail)
    }

    /// Spark's options, in any order.
    fn add_options(&mut self, kind: Kind, units: &mut Vec<Unit>) {
        if kind == Kind::Special && self.chance(0.3) {
            return;
        }
        let mut options = Vec::new();
        for _ in 0..[0, 1, 1, 2, 2, 3, 4, 6].choose(self.rng).copied().unwrap() {
            let unit = self.conf();
            options.push(unit);
        }
        for _ in 0..self.rng.random_range(0..=3) {
            let unit = self.other_option(kind);
            options.push(unit);
        }
        if self.chance(0.4) {
            let name = self.add_file("job.conf");
            options.push(Unit::PropertiesFile { name, spelling: self.spelling() });
            if self.chance(0.15) {
                // the last one wins, and only that one is read
                options.push(Unit::PropertiesFile { name: self.add_file("second.conf"), spelling: self.spelling() });
            }
        }
        if self.version == Version::V4_3 {
            if self.chance(0.4) {
                for name in ["extra-1.conf", "extra 2.conf", "extra-3.conf"].iter().take(self.rng.random_range(1..=3)) {
                    let name = self.add_file(name);
                    options.push(Unit::ExtraPropertiesFile { name, spelling: self.spelling() });
                }
            }
            if self.chance(0.25) {
                options.push(Unit::LoadSparkDefaults);
            }
        }
        if self.chance(0.4) {
            let master = ["local[*]", "local[2]", "yarn", "spark://h:7077", "k8s://https://h:6443"];
            let value = (*master.choose(self.rng).unwrap()).to_owned();
            options.push(Unit::Master { value, spelling: self.spelling() });
        }
        if self.chance(0.15) {
            options.push(Unit::DeployMode { value: "client".to_owned(), spelling: self.spelling() });
        }
        options.shuffle(self.rng);
        units.extend(options);
    }

    fn conf(&mut self) -> Unit {
        let key = match self.rng.random_range(0..100) {
            0..35 => DRIVER_EXTRA,
            35..60 => DRIVER_DEFAULT,
            _ => OTHER_KEYS.choose(self.rng).unwrap(),
        };
        let value = if key.to_lowercase().contains("java") { option_string::random(self.rng) } else { self.odd_text() };
        let typed = if key == DRIVER_EXTRA && self.chance(0.5) { value.clone() } else { format!("{key}={value}") };
        let spelling = match self.rng.random_range(0..3) {
            0 if fits_behind_equals(&typed) => Spelling::Equals,
            1 => Spelling::Short,
            _ => Spelling::Separate,
        };
        if typed.len() == value.len() {
            let spelling = if spelling == Spelling::Short { Spelling::Separate } else { spelling };
            return Unit::DriverJavaOptions { value, spelling };
        }
        Unit::Conf { key: key.to_owned(), value, spelling }
    }

    fn other_option(&mut self, kind: Kind) -> Unit {
        let switches = ["--verbose", "-v", "--supervise", "--verbose=true", "--supervise=x"];
        let plain = ["--driver-memory", "--driver-class-path", "--driver-library-path", "--driver-default-class-path"];
        let words: Vec<String> = match self.rng.random_range(0..10) {
            0..2 => vec![(*switches.choose(self.rng).unwrap()).into()],
            2..4 => {
                // they become words of the JVM or its environment; not the last of them before Spark 4
                let options = if self.version == Version::V4_3 { &plain[..] } else { &plain[..3] };
                let option = *options.choose(self.rng).unwrap();
                vec![option.into(), if option == "--driver-memory" { "2g".into() } else { "/opt/x y".into() }]
            }
            4 if matches!(kind, Kind::MixedClass) && self.chance(0.3) => {
                vec!["--class".into(), "org.example.Other".into()]
            }
            _ => {
                let option = OTHER_OPTIONS.choose(self.rng).unwrap();
                let value = self.odd_text();
                if fits_behind_equals(&value) && self.chance(0.3) {
                    vec![format!("{option}={value}")]
                } else {
                    vec![(*option).into(), value]
                }
            }
        };
        Unit::Words(words.into_iter().map(OsString::from).collect())
    }

    /// Words for the application between Spark's options, where the class allows it.
    fn mix_words(&mut self, units: &mut Vec<Unit>) {
        let words: &[&[&str]] = &[
            &["-e", "select 1"],
            &["-f", "query.sql"],
            &["--hiveconf", "a=b"],
            &["-I", "init.scala"],
            &["--foo=bar"],
            &["word"],
            &[""],
            &["-Dx=1"],
            &["--"],
            &["-S"],
            &["--database", "db"],
            &["-c=k"],
            &["\u{e9}\n"],
            &["-e"],
        ];
        let first = units.iter().filter(|unit| matches!(unit, Unit::MixedClass(_))).count();
        for _ in 0..self.rng.random_range(0..=3) {
            let at = self.rng.random_range(first..=units.len());
            let words = words.choose(self.rng).unwrap().iter().map(OsString::from).collect();
            units.insert(at, Unit::Words(words));
        }
    }

    /// Words that belong to the application, whatever they look like.
    fn application_words(&mut self) -> Vec<Unit> {
        (0..self.rng.random_range(0..=4))
            .map(|_| {
                let word = if self.chance(0.05) {
                    OsString::from_vec(b"not \xff\xfe text".to_vec())
                } else {
                    ODD_TEXTS.choose(self.rng).unwrap().into()
                };
                Unit::Words(vec![word])
            })
            .collect()
    }

    fn spelling(&mut self) -> Spelling {
        if self.chance(0.3) { Spelling::Equals } else { Spelling::Separate }
    }

    fn odd_text(&mut self) -> String {
        (*ODD_TEXTS.choose(self.rng).unwrap()).to_owned()
    }

    fn chance(&mut self, probability: f64) -> bool {
        self.rng.random_bool(probability)
    }
}

fn is_resource(unit: &Unit) -> bool {
    let Unit::Words(words) = unit else { return false };
    words.len() == 1 && !words[0].to_string_lossy().starts_with('-')
}

/// Spark takes `--option=value` only where the regular expression `(--[^=]+)=(.+)` matches: something, and no line end.
fn fits_behind_equals(value: &str) -> bool {
    !value.is_empty() && !value.contains(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'])
}
