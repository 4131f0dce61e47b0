//! Cases made by hand: what people really typed, and the corners of Spark's grammar, each on every version it fits.

use std::collections::BTreeMap;
use std::ffi::OsString;

use crate::case::{Case, Command, ConfDir, SparkEnvLine, Spelling, Unit, Version};
use crate::model::{DRIVER_DEFAULT, DRIVER_EXTRA};
use crate::properties::{Entry, PropertiesFile};

const AGENT: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=5006";
const QUARTET: &str = "-Xdebug -Xnoagent -Djava.compiler=NONE -Xrunjdwp:transport=dt_socket,server=y,address=5006";

/// All of them, with their names.
pub fn cases() -> Vec<(String, Case)> {
    let mut all = Vec::new();
    for version in Version::ALL {
        let mut add = |name: &str, case: Case| all.push((name.to_owned(), case));
        let submit = |options: Vec<Unit>| {
            let mut case = empty(version, Command::Submit);
            case.units = options;
            case.units.push(words(&["app.jar", "input", "--conf", "z"]));
            case
        };

        add("no option at all", submit(vec![]));
        add("nothing typed", empty(version, Command::Submit));
        add("several options in one value (Q1)", submit(vec![extra("-Da=1 -Db=2")]));
        add("--conf, then --driver-java-options (O2)", submit(vec![extra("-Da=1"), java_options("-Db=2 -Dc=3")]));
        add("--driver-java-options, then --conf (O2)", submit(vec![java_options("-Db=2 -Dc=3"), extra("-Da=1")]));
        add("a key three times", submit(vec![extra("-Da=1"), extra("-Da=2"), extra("-Da=3")]));
        add("both keys", submit(vec![default("-Dd=0"), extra("-Da=1"), default("-Dd=2")]));
        add("the value of --name is --conf", submit(vec![words(&["--name", "--conf"]), extra("-Da=1")]));
        add("an empty value hides the file's", {
            let mut case = submit(vec![java_options(""), default("")]);
            case.defaults = Some(defaults(&[(DRIVER_EXTRA, "-Dfile=1"), (DRIVER_DEFAULT, "-Dfile=2")]));
            case
        });
        add("newlines and tabs between options", submit(vec![extra("\n-Da=1\n\t-Db=2\r\n")]));
        add("a backslash before a blank (Q9)", submit(vec![extra("-Dc=x\\ y -Daa=\"a b\" -Dbb='c d' -Dh=$HOME")]));
        add("an astral character, which the launcher garbles", submit(vec![extra("-Da=\u{1f600}")]));
        add("near misses (Q16)", {
            let miss = |key: &str| conf(key, "-Dmiss=1", Spelling::Separate);
            let keys =
                ["spark.driver.extraJavaOption", "spark.driver.extrajavaoptions", " spark.driver.extraJavaOptions"];
            submit(keys.into_iter().map(miss).collect())
        });
        add("the lost occurrence has an agent", submit(vec![extra(AGENT), extra("-Da=1")]));
        add(
            "agents in both keys (D1)",
            submit(vec![extra(&format!("-Da=1 {AGENT}")), default(&format!("{AGENT} -Db=1"))]),
        );
        add("the legacy quartet", submit(vec![extra(&format!("-Da=1 {QUARTET} -Db=2"))]));
        add("the legacy quartet in a file", {
            let mut case = submit(vec![]);
            case.defaults = Some(defaults(&[(DRIVER_EXTRA, QUARTET)]));
            case
        });
        add("an agent of the application's own", {
            let mut case = submit(vec![words(&["--class", "X"])]);
            case.units.push(words(&[AGENT]));
            case
        });
        add(
            "an agent for the executors",
            submit(vec![conf("spark.executor.extraJavaOptions", AGENT, Spelling::Short)]),
        );
        add("an unclosed quote (Q10)", bad(submit(vec![extra("-Da='x y")])));
        add("a backslash at the end (Q11)", bad(submit(vec![extra("-Da=x\\")])));
        add("quotes that the shell did not take away (Q2)", {
            bad(submit(vec![words(&["--driver-java-options", "\"-XX:+UseG1GC", "-Dc=f\""])]))
        });
        add("-c with an equals sign", bad(submit(vec![words(&["-c=k=v"])])));
        add("a maximum heap (O11)", bad(submit(vec![extra("-Xmx1g")])));
        add("--executor-java-options (Q15)", bad(submit(vec![words(&["--executor-java-options", "-Da=1"])])));

        add("a value from spark-defaults.conf (O3)", {
            let mut case = submit(vec![]);
            case.defaults = Some(defaults(&[(DRIVER_EXTRA, "-Dfile=1 -Dfile2=2"), (DRIVER_DEFAULT, "-Dadmin=1")]));
            case
        });
        add("EMR's value (O6)", {
            let mut case = submit(vec![]);
            let value =
                "-XX:OnOutOfMemoryError='kill -9 %p' -XX:+IgnoreUnrecognizedVMOptions --add-opens=a/b=ALL-UNNAMED";
            case.defaults = Some(defaults(&[(DRIVER_DEFAULT, value), (DRIVER_EXTRA, value)]));
            case
        });
        add("--properties-file hides spark-defaults.conf", {
            let mut case = submit(vec![file("job.conf")]);
            case.files.insert("job.conf".into(), defaults(&[(DRIVER_EXTRA, "-Djob=1")]));
            case.defaults = Some(defaults(&[(DRIVER_EXTRA, "-Dno=1"), (DRIVER_DEFAULT, "-Dno=2")]));
            case
        });
        for (name, value, text) in PROPERTIES {
            add(name, {
                let mut case = submit(vec![]);
                let key = if version.has_default_key() { DRIVER_DEFAULT } else { DRIVER_EXTRA };
                let entry = Entry::written(key, value, text.replace("KEY", key).as_bytes());
                case.defaults = Some(PropertiesFile { entries: vec![entry] });
                case
            });
        }
        add("bytes that are not UTF-8", {
            let mut case = submit(vec![]);
            let text = [DRIVER_EXTRA.as_bytes(), b"=-Da=caf\xe9 -Db=1\n"].concat();
            let entry = Entry::written(DRIVER_EXTRA, "-Da=caf\u{fffd} -Db=1", &text);
            case.defaults = Some(PropertiesFile { entries: vec![entry] });
            case
        });
        add("a byte order mark makes another key of it", {
            let mut case = submit(vec![]);
            let text = format!("\u{feff}{DRIVER_EXTRA}=-Dno=1\n");
            case.defaults = Some(PropertiesFile { entries: vec![Entry::other(text.as_bytes())] });
            case
        });
        add("SPARK_CONF_DIR set to nothing", {
            let mut case = submit(vec![]);
            case.conf_dir = ConfDir::InHomeByEmptyVariable;
            case.defaults = Some(defaults(&[(DRIVER_EXTRA, "-Dfile=1"), (DRIVER_DEFAULT, "-Dfile=2")]));
            case
        });
        add("SPARK_CONF_DIR set to nothing by spark-env.sh", {
            let mut case = submit(vec![]);
            case.spark_env = vec![SparkEnvLine::Plain("SPARK_CONF_DIR=")];
            case.defaults = Some(defaults(&[(DRIVER_EXTRA, "-Dfile=1"), (DRIVER_DEFAULT, "-Dfile=2")]));
            case
        });
        add("spark-env.sh has been loaded already", {
            let mut case = submit(vec![]);
            case.spark_env = vec![SparkEnvLine::OtherConfDir];
            case.env.insert("SPARK_ENV_LOADED", "1".into());
            case.defaults = Some(defaults(&[(DRIVER_EXTRA, "-Dyes=1")]));
            case.other_defaults = Some(defaults(&[(DRIVER_EXTRA, "-Dno=1")]));
            case
        });
        add("a class before what Spark refuses", {
            let mut case = empty(version, Command::Submit);
            case.units = vec![words(&["--class", "org.example.App", "--bogus", "app.jar"])];
            bad(case)
        });
        if version == Version::V4_3 {
            let layers = |units: Vec<Unit>| {
                let mut case = submit(units);
                case.files.insert("job.conf".into(), defaults(&[(DRIVER_DEFAULT, "-Djob=1")]));
                case.files.insert("a.conf".into(), defaults(&[(DRIVER_DEFAULT, "-Da=1"), (DRIVER_EXTRA, "-Da=2")]));
                case.files.insert("b.conf".into(), defaults(&[(DRIVER_DEFAULT, "-Db=1")]));
                case.defaults = Some(defaults(&[(DRIVER_DEFAULT, "-Ddefaults=1"), (DRIVER_EXTRA, "-Ddefaults=2")]));
                case
            };
            let more = |name: &str| Unit::ExtraPropertiesFile { name: name.into(), spelling: Spelling::Separate };
            add("extra files over the job's", layers(vec![more("a.conf"), file("job.conf"), more("b.conf")]));
            add("extra files alone leave the defaults", layers(vec![more("b.conf")]));
            add("--load-spark-defaults", layers(vec![Unit::LoadSparkDefaults, file("job.conf")]));
        }

        for (class, name) in [("org.apache.spark.repl.Main", "spark-shell"), (THRIFT, "the thrift server")] {
            let mut case = empty(version, Command::Submit);
            case.units =
                vec![Unit::MixedClass(class), words(&["-e", "select 1"]), java_options("-Dx=1"), words(&["w"])];
            case.env.insert("SPARK_DAEMON_JAVA_OPTS", format!("-Ddaemon=1 {AGENT}"));
            case.env.insert("SPARK_SUBMIT_OPTS", format!("{AGENT} -Dsubmit=1"));
            add(&format!("options after words of {name} (D4)"), case);
        }
        for command in [Command::Shell, Command::Sql, Command::Pyspark, Command::R, Command::Python] {
            let mut case = empty(version, command);
            case.units = vec![extra("-Da=\"x y\" -Db='$HOME' -Dc=\\\"")];
            case.defaults = Some(defaults(&[(DRIVER_DEFAULT, "-Ddef=\"q r\"")]));
            add(&format!("{} with quotes (Y1)", command.word()), case.clone());
            case.units.clear();
            add(&format!("{} without options", command.word()), case);
        }
        for word in ["pyspark-shell-main", "sparkr-shell-main", "run-example"] {
            let mut case = empty(version, Command::Submit);
            case.units = vec![Unit::FirstWord(word), extra("-Da=1"), extra("-Da=2")];
            if word == "run-example" {
                case.units.push(words(&["SparkPi", "--conf", "10"]));
            }
            add(&format!("{word} comes first"), case);
        }
        add("a special word that is not the first is an ordinary resource", {
            let mut case = empty(version, Command::Submit);
            case.units = vec![extra("-Da=1"), words(&["run-example", "SparkPi"])];
            case
        });
        for special in [&["--version"][..], &["--kill", "id"], &["--status=id"], &["--help"], &["--usage-error"]] {
            let special = Unit::Special(special.iter().map(OsString::from).collect());
            add("nothing to debug", submit(vec![extra(AGENT), special]));
        }
        add("spark-env.sh leads to another directory", {
            let mut case = submit(vec![]);
            let set = SparkEnvLine::SubmitOpts { value: "-Denv=\"a b\"".into(), add: true };
            case.spark_env = vec![SparkEnvLine::OtherConfDir, set, SparkEnvLine::JavaHome];
            case.defaults = Some(defaults(&[(DRIVER_EXTRA, "-Dno=1")]));
            case.other_defaults = Some(defaults(&[(DRIVER_EXTRA, "-Dyes=1"), (DRIVER_DEFAULT, "-Dyes=2")]));
            case
        });
        add("spark-env.sh brings an agent", {
            let mut case = submit(vec![]);
            case.spark_env = vec![SparkEnvLine::SubmitOpts { value: format!("{AGENT} -Denv=1"), add: false }];
            case
        });
        for master in ["yarn", "spark://h:7077", "k8s://https://h:6443"] {
            let mut case = submit(vec![
                Unit::Master { value: master.into(), spelling: Spelling::Separate },
                Unit::DeployMode { value: "cluster".into(), spelling: Spelling::Separate },
            ]);
            case.defaults = Some(defaults(&[(DRIVER_EXTRA, "-Dextra=\"a b\""), (DRIVER_DEFAULT, "-Ddefault=1")]));
            add(&format!("cluster mode on {master}"), case);
        }
    }
    all
}

const THRIFT: &str = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2";

/// Name, the value Spark reads, and the text of the file.
const PROPERTIES: &[(&str, &str, &str)] = &[
    ("a Windows path takes four backslashes", "-Da=C:\\\\temp", "KEY -Da=C:\\\\\\\\temp\n"),
    ("a continuation line", "-Da=1 -Db=2", "KEY = -Da=1 \\\n      -Db=2\n"),
    ("a comment is not continued", "-Da=1", "# KEY=no \\\nKEY=-Da=1\n"),
    ("a comment inside a continued line is text", "-Da=1 # -Db=2", "KEY=-Da=1 \\\n# -Db=2"),
    ("unicode escapes", "-Da=\u{e9}\u{1f600}", "KEY=-Da=\\u00e9\\uD83D\\uDE00\n"),
    ("an escaped key", "-Da=1", "\\KEY:-Da=1\n"),
    ("the last duplicate wins", "-Da=2", "KEY=-Da=1\nKEY -Da=2\n"),
    ("Windows line ends", "-Da=1 -Db=2", "KEY=-Da=1 \\\r\n  -Db=2\r\n\r\n"),
    ("old Macintosh line ends", "-Da=1", "k=v\rKEY=-Da=1\rother=1\r"),
    ("a key alone", "", "KEY\n"),
    ("blanks at the end", "-Da=1", "KEY   -Da=1 \t \\u0020\n"),
    ("a backslash at the end of the file", "-Da=1", "KEY=-Da=1\\"),
    ("an even number of backslashes ends the line", "-Da=1\\\\", "KEY=-Da=1\\\\\\\\\nother=2\n"),
    ("an equals sign after a blank is a separator", "-Da=1", "KEY \t = -Da=1\n"),
    ("two equals signs", "=-Da=1", "KEY==-Da=1\n"),
    ("escaped line ends in a value", "-Da=1\n-Db=2", "KEY=-Da=1\\n-Db=2\n"),
];

fn empty(version: Version, command: Command) -> Case {
    Case {
        version,
        command,
        units: Vec::new(),
        files: BTreeMap::new(),
        conf_dir: ConfDir::InHome,
        defaults: None,
        other_defaults: None,
        java_opts: Vec::new(),
        spark_env: Vec::new(),
        env: BTreeMap::new(),
        port: 5005,
        bad: false,
        must_refuse: false,
    }
}

fn bad(case: Case) -> Case {
    Case { bad: true, ..case }
}

fn words(words: &[&str]) -> Unit {
    Unit::Words(words.iter().map(OsString::from).collect())
}

fn conf(key: &str, value: &str, spelling: Spelling) -> Unit {
    Unit::Conf { key: key.into(), value: value.into(), spelling }
}

fn extra(value: &str) -> Unit {
    conf(DRIVER_EXTRA, value, Spelling::Separate)
}

fn default(value: &str) -> Unit {
    conf(DRIVER_DEFAULT, value, Spelling::Short)
}

fn java_options(value: &str) -> Unit {
    Unit::DriverJavaOptions { value: value.into(), spelling: Spelling::Separate }
}

fn file(name: &str) -> Unit {
    Unit::PropertiesFile { name: name.into(), spelling: Spelling::Separate }
}

fn defaults(entries: &[(&str, &str)]) -> PropertiesFile {
    PropertiesFile { entries: entries.iter().map(|(key, value)| Entry::plain(key, value)).collect() }
}
