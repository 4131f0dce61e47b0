//! `sparkdbg doctor --check` with the launcher of real Sparks: the agent is in the command that they print; and the Java
//! that real scripts of Flink's take.

use std::os::unix::fs::symlink;

use crate::distribution::{SPARK_2, SPARK_3, SPARK_4};
use crate::flink_distribution::{FLINK_1, FLINK_2, FLINK_OLD};
use crate::lab::{Lab, free_port};

#[test]
fn spark_4_prints_the_agent() {
    prints_the_agent(SPARK_4);
}

#[test]
fn spark_3_prints_the_agent() {
    prints_the_agent(SPARK_3);
}

fn prints_the_agent(version: &str) {
    let lab = Lab::new(version);
    let port = free_port();
    let driver = format!("--driver=attach:{port}");
    let agent = |suspend: &str, port: u16| {
        format!("`-agentlib:jdwp=transport=dt_socket,server=y,suspend={suspend},address=127.0.0.1:{port}`")
    };
    let once = |role: &str, suspend: &str, port: u16, place: &str| {
        format!("ok    check         {role}: Spark's launcher prints {} once, {place}", agent(suspend, port))
    };

    // What the user set stands beside it, quotes, blanks and all.
    let words = ["--driver-java-options", "-Da='1 2' -Db=3", "--class", "a.B", "--master", "local[1]", "app.jar"];
    let client = check(&lab, &[&driver, "--"], &words);
    assert_eq!(client, [once("driver", "y", port, "on the JVM's command line")]);

    let words = ["--master", "yarn", "--deploy-mode", "cluster", "--class", "a.B", "app.jar"];
    let cluster = check(&lab, &[&driver, "--executor", "--"], &words);
    let driver_line = once("driver", "y", port, "in the settings of the driver");
    assert_eq!(cluster, [driver_line, once("executor", "n", 0, "in the settings of the executors")]);

    for command in ["shell", "sql"] {
        let shell = check(&lab, &["--for", command, &driver], &[]);
        let quiet = if command == "sql" { ",quiet=y`" } else { "`" };
        let line = once("driver", "y", port, "on the JVM's command line").replace("` once", &format!("{quiet} once"));
        assert_eq!(shell, [line]);
    }
    let pyspark = check(&lab, &["--for", "pyspark", &driver], &[]);
    assert_eq!(pyspark, [once("driver", "y", port, "in the words for the driver's spark-submit")]);
    for command in ["master", "beeline"] {
        let daemon = check(&lab, &["--for", command, "--attach", &port.to_string()], &[]);
        assert_eq!(daemon, [once("daemon", "n", port, "on the JVM's command line")]);
    }
}

/// A heap size in the driver's options, as doctor says it and as each launcher does.
#[test]
fn what_the_launcher_refuses_is_told() {
    let driver = format!("--driver=attach:{}", free_port());
    for (version, value, is_refused) in
        [(SPARK_4, "-Xmx1g", true), (SPARK_4, "-Da=Xmx", false), (SPARK_3, "-Xmx1g", true), (SPARK_3, "-Da=Xmx", true)]
    {
        let lab = Lab::new(version);
        let words = ["--driver-java-options", value, "--class", "a.B", "app.jar"];
        let lines = told(&lab, &[&driver, "--"], &words);
        let fails: Vec<&String> = lines.iter().filter(|line| line.starts_with("fail ")).collect();
        if !is_refused {
            assert!(fails.is_empty(), "{version} {value}: {lines:#?}");
            continue;
        }
        let ours = "fail  options       spark.driver.extraJavaOptions (--driver-java-options, argument 2) holds `-Xmx`: \
                    Spark refuses a heap size in the driver's options; use --driver-memory, or spark.driver.memory";
        assert_eq!(fails.len(), 2, "{version} {value}: {lines:#?}");
        assert_eq!(fails[0], ours);
        let theirs = "fail  check         Spark's launcher refuses the command: ";
        assert!(fails[1].starts_with(theirs) && fails[1].contains("Xmx"), "{fails:#?}");
    }
    let lab = Lab::new(SPARK_4);
    let master = ["doctor", "--check", "--for", "master", "--attach", "0"];
    let output = lab.sparkdbg().env("SPARK_MASTER_OPTS", "-Da=Xmx").args(master).output().expect("it starts");
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let fails: Vec<&str> = lines.lines().filter(|line| line.starts_with("fail ")).collect();
    let ours =
        "fail  options       SPARK_MASTER_OPTS holds `Xmx`: Spark refuses a heap size there; use SPARK_DAEMON_MEMORY";
    assert_eq!(fails.first(), Some(&ours), "{lines}");
    assert!(fails.len() == 2 && fails[1].contains("Spark's launcher refuses the command: "), "{lines}");
    assert_eq!(output.status.code(), Some(1), "{lines}");
}

#[test]
fn what_spark_4_refuses_is_told() {
    refuses(SPARK_4, &COMMON, &[("--driver-cores 0 --class a.B plain.jar", "Driver cores must be a positive number")]);
}

#[test]
fn what_spark_3_refuses_is_told() {
    let only = [
        ("--driver-cores 0 --class a.B plain.jar", "Driver cores must be a positive number"),
        ("--master k8s:x --class a.B plain.jar", "Kubernetes master URL must start with k8s://"),
    ];
    refuses(SPARK_3, &COMMON, &only);
}

#[test]
fn what_spark_2_refuses_is_told() {
    refuses(SPARK_2, &COMMON, &[("hdfs://h/a.jar", "Please specify a class through --class")]);
}

/// What every Spark refuses, and in which words.
const COMMON: [(&str, &str); 27] = [
    ("--master local --deploy-mode cluster --class a.B plain.jar", "Cluster deploy mode is not compatible with master"),
    ("--deploy-mode cluster --class a.B plain.jar", "Cluster deploy mode is not compatible with master"),
    (
        "--master spark://127.0.0.1:1 --deploy-mode cluster app.py",
        "not supported for python applications on standalone",
    ),
    ("--master spark://127.0.0.1:1 --deploy-mode cluster app.R", "not supported for R applications on standalone"),
    (
        "--master spark://127.0.0.1:1 --deploy-mode cluster --class org.apache.spark.repl.Main",
        "not applicable to Spark shells",
    ),
    ("--master bla --class a.B plain.jar", "Master must either be yarn or start with spark"),
    ("--master yarn --class a.B plain.jar", "either HADOOP_CONF_DIR or YARN_CONF_DIR must be set"),
    ("--driver-memory 1x --class a.B plain.jar", "Invalid maximum heap size"),
    ("--driver-memory 1gb --class a.B plain.jar", "Invalid maximum heap size"),
    ("--driver-memory 100 --class a.B plain.jar", "Too small maximum heap"),
    ("--executor-memory 0 --class a.B plain.jar", "Executor memory must be a positive number"),
    ("--executor-cores 0 --class a.B plain.jar", "Executor cores must be a positive number"),
    ("--total-executor-cores -1 --class a.B plain.jar", "Total executor cores must be a positive number"),
    ("--num-executors x --class a.B plain.jar", "Number of executors must be a positive number"),
    ("--proxy-user a --principal b --class a.B plain.jar", "Only one of --proxy-user or --principal can be provided"),
    ("--bogus app.py", "Unrecognized option: --bogus"),
    ("--master local --name", "Missing argument for option"),
    ("--conf x app.py", "Invalid argument to --conf: x"),
    ("--class a.B", "Missing application resource"),
    ("no.jar", "main class"),
    ("no.py", "No such file or directory"),
    ("local:/no/such.py", "No such file or directory"),
    ("local:/no/such.jar", "main class"),
    ("plain.jar", "No main class set in JAR"),
    ("empty.jar", "main class"),
    ("text.jar", "main class"),
    (".", "main class"),
];

/// The doctor says that it fails, and `spark-submit` itself says why.
fn refuses(version: &str, common: &[(&str, &str)], only: &[(&str, &str)]) {
    let lab = Lab::new(version);
    // Packed, as they mostly are.
    let manifest = lab.file("manifest", "A: b\n");
    let jar = lab.jdk("jar").args(["cfm", "plain.jar"]).arg(manifest).output().expect("a JDK has jar");
    assert!(jar.status.success(), "{jar:?}");
    for (name, text) in [("empty.jar", ""), ("text.jar", "no jar\n"), ("app.py", ""), ("app.R", "")] {
        lab.file(name, text);
    }
    for (words, cause) in common.iter().chain(only) {
        // A jar at whose beginning no manifest stands may have one for Spark 2.
        let is_certain = version != SPARK_2 || !["empty.jar", "text.jar"].contains(words);
        let words: Vec<&str> = words.split(' ').collect();
        let doctor =
            lab.sparkdbg().args(["doctor", "--driver=attach:0", "--"]).args(&words).output().expect("it starts");
        let lines = String::from_utf8_lossy(&doctor.stdout).into_owned();
        assert_eq!(doctor.status.code(), Some(i32::from(is_certain)), "{version} {words:?}: {lines}");
        if words == ["plain.jar"] {
            let named = format!("the manifest of `{}` names none;", lab.dir().join("plain.jar").display());
            assert!(lines.contains(&named), "{version}: {lines}");
        }
        let spark = lab.script("spark-submit").args(&words).output().expect("it starts");
        let said = String::from_utf8_lossy(&[spark.stdout, spark.stderr].concat()).into_owned();
        assert!(!spark.status.success() && said.contains(cause), "{version} {words:?}: {said}");
    }
    // And what names its main class is refused by neither.
    let entry = lab.jdk("jar").args(["cfe", "good.jar", "a.B", "app.py"]).output().expect("a JDK has jar");
    assert!(entry.status.success(), "{entry:?}");
    let doctor = lab.sparkdbg().args(["doctor", "--driver=attach:0", "--", "good.jar"]).output().expect("it starts");
    assert_eq!(doctor.status.code(), Some(0), "{}", String::from_utf8_lossy(&doctor.stdout));
    let spark = lab.script("spark-submit").arg("good.jar").output().expect("it starts");
    let said = String::from_utf8_lossy(&[spark.stdout, spark.stderr].concat()).into_owned();
    // By which it ends where the main class is not to be loaded: it was named.
    assert_eq!(spark.status.code(), Some(101), "{version}: {said}");
}

/// The lines of the check.
fn check(lab: &Lab, ours: &[&str], words: &[&str]) -> Vec<String> {
    let lines = told(lab, ours, words);
    let checks: Vec<String> =
        lines.iter().filter(|line| line.split_whitespace().nth(1) == Some("check")).cloned().collect();
    assert!(!checks.is_empty(), "{lines:#?}");
    checks
}

fn told(lab: &Lab, ours: &[&str], words: &[&str]) -> Vec<String> {
    let mut doctor = lab.sparkdbg();
    doctor.args(["doctor", "--check"]).args(ours).args(words).env("HADOOP_CONF_DIR", lab.dir());
    let output = doctor.output().expect("it starts");
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

/// `env.java.home` in every way to write it, as `config.sh` takes it and as doctor says.
#[test]
fn the_java_of_flinks_scripts() {
    for version in [FLINK_OLD[0], FLINK_OLD[1], FLINK_1, FLINK_2] {
        let lab = Lab::flink_scripts(version);
        let other = lab.subdir("other");
        lab.file("other/release", "JAVA_VERSION=\"17.0.1\"\n");
        symlink(lab.java.join("bin"), other.join("bin")).expect("a link");
        let (named, variable) = (other.display().to_string(), lab.java.display().to_string());
        let is_flat = FLINK_OLD.contains(&version);
        let name = if is_flat { "flink-conf.yaml" } else { "config.yaml" };
        let nested = format!("env:\n  java:\n    home: {named}\n");
        for (text, taken) in [
            (format!("env.java.home: {named}\n"), named.clone()),
            // In a flat file it is no key at all.
            (nested, variable),
            // A name that is no directory, quotes and all.
            (format!("env.java.home: \"{named}\"\n"), "PATH".to_owned()),
        ] {
            lab.file(&format!("conf/{name}"), &text);
            let conf = lab.dir().join("conf");
            let mut script = lab.program("bash");
            // It takes the place of the script that includes it.
            script.args(["-c", ". ./config.sh > /dev/null; echo \"$JAVA_RUN\"", "./script"]);
            let output = script.current_dir(lab.home.join("bin")).env("FLINK_CONF_DIR", &conf).output().expect("bash");
            let run = if taken == "PATH" { "java".to_owned() } else { format!("{taken}/bin/java") };
            assert_eq!(String::from_utf8_lossy(&output.stdout), format!("{run}\n"), "{version} {text}");

            let mut doctor = lab.sparkdbg();
            let words = ["doctor", "--for", "flink", "--client=attach:0", "--", "run", "app.jar"];
            let output = doctor.args(words).env("FLINK_CONF_DIR", &conf).output().expect("it starts");
            let lines = String::from_utf8_lossy(&output.stdout).into_owned();
            let java: Vec<&str> = lines.lines().filter(|line| line.split_whitespace().nth(1) == Some("java")).collect();
            let place = if taken == "PATH" { "(PATH)" } else { &taken };
            assert!(java[0].contains(place), "{version} {text}: {lines}");
            let is_passed_by = taken != named && !(is_flat && text.starts_with("env:"));
            assert_eq!(java.len(), 1 + usize::from(is_passed_by), "{version} {text}: {lines}");
        }
    }
}
