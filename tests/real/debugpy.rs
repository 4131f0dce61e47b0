//! What `docs/doctor.md` says of Python, word by word: with debugpy a breakpoint is hit in Python code of the driver and
//! of the workers, beside the debug agent of the driver's JVM.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::apps::{STATUS, line_of};
use crate::distribution::{self, SPARK_3, SPARK_4, python};
use crate::job::{JOB_LIMIT, Job};
use crate::lab::{Lab, free_port, random_word};

const PAGE: &str = include_str!("../../docs/doctor.md");

const CLIENT: &str = include_str!("dap.py");

/// The port of the page.
const PORT: &str = "5678";

/// `app.py word`: turned round in a worker, and printed in the driver.
const APP: &str = r#"import sys
from pyspark.sql import SparkSession
from pyspark.sql.functions import lit, udf
from pyspark.sql.types import StringType


@udf(StringType())
def turned(word):
    token = word[::-1]
    return token  # in a worker


spark = SparkSession.builder.getOrCreate()
told = spark.range(1).select(turned(lit(sys.argv[1]))).first()[0]
print(told)  # in the driver
spark.stop()
sys.exit(37)
"#;

#[test]
fn a_udf_spark_4() {
    in_a_worker(SPARK_4);
}

#[test]
fn a_udf_spark_3() {
    in_a_worker(SPARK_3);
}

fn in_a_worker(spark: &str) {
    let lab = Lab::new(spark);
    let port = free_port();
    lab.file("debug_workers.py", &block("import functools").replace(PORT, &port.to_string()));
    let app = lab.file("app.py", APP);
    let options =
        ["--conf", "spark.python.daemon.module=debug_workers", "--py-files", "debug_workers.py"].map(str::to_owned);
    assert!(PAGE.contains(&options.join(" ")), "the page has another command");
    let word = random_word();
    stops(&lab, port, (&app, APP, "# in a worker", "token"), &word, submit(&lab, &options, &app, &word));
}

#[test]
fn the_driver_spark_4() {
    in_the_driver(SPARK_4);
}

#[test]
fn the_driver_spark_3() {
    in_the_driver(SPARK_3);
}

/// `spark-submit` starts Python.
fn in_the_driver(spark: &str) {
    let lab = Lab::new(spark);
    let port = free_port();
    let text = format!("{}{APP}", block("import debugpy\ndebugpy.listen").replace(PORT, &port.to_string()));
    let app = lab.file("app.py", &text);
    let word = random_word();
    stops(&lab, port, (&app, &text, "# in the driver", "told"), &word, submit(&lab, &[], &app, &word));
}

/// The program as it is, started by a debugger.
#[test]
fn plain_python() {
    let lab = Lab::new(SPARK_4);
    let app = lab.file("app.py", APP);
    let port = free_port();
    let word = random_word();
    let debugpy = format!("-m debugpy --listen {PORT} --wait-for-client app.py");
    assert!(PAGE.contains(&format!("sparkdbg python --driver=attach:5005,nosuspend -- {debugpy}\n")));
    let mut command = lab.sparkdbg();
    let bin = python().parent().expect("a program in a directory").to_owned();
    let path = env::join_paths([bin].into_iter().chain(env::split_paths(&env::var_os("PATH").unwrap_or_default())));
    command
        .args(["python", &format!("--driver=attach:{},nosuspend", free_port()), "--"])
        .args(debugpy.replace(PORT, &port.to_string()).split(' '))
        .arg(&word)
        .env("PATH", path.expect("a PATH"))
        .env(
            "PYSPARK_SUBMIT_ARGS",
            "--master 'local[1]' --conf spark.ui.enabled=false --driver-memory 512m pyspark-shell",
        );
    stops(&lab, port, (&app, APP, "# in the driver", "told"), &word, command);
}

/// The code of the page that begins so.
fn block(start: &str) -> String {
    let found = PAGE.split("```python\n").skip(1).find(|rest| rest.starts_with(start)).expect("such a block");
    found.split("```").next().unwrap_or_default().to_owned()
}

fn submit(lab: &Lab, options: &[String], app: &Path, word: &str) -> Command {
    let mut command = lab.sparkdbg();
    command
        .args(["submit", &format!("--driver=attach:{},nosuspend", free_port()), "--", "--master", "local[1]"])
        .args(["--conf", "spark.ui.enabled=false", "--driver-memory", "512m"])
        .args(options)
        .arg(app)
        .arg(word);
    command
}

/// Starts the job and stands on the marked line of its file, where the variable is the word turned round.
fn stops(lab: &Lab, port: u16, place: (&Path, &str, &str, &str), word: &str, mut command: Command) {
    let (file, text, mark, variable) = place;
    let packages: [PathBuf; 2] =
        [distribution::debugpy(), lab.home.parent().expect("SPARK_HOME is inside an installation").to_owned()];
    command.env("PYTHONPATH", env::join_paths(packages).expect("a path"));
    let job = Job::start(&mut command, lab.dir(), None);
    let line = line_of(text, mark);
    let mut client = Command::new(python());
    client.arg(lab.file("dap.py", CLIENT)).arg(port.to_string()).arg(file).args([&line.to_string(), variable]);
    let seen = client.output().expect("Python");
    let turned: String = word.chars().rev().collect();
    let told = String::from_utf8_lossy(&seen.stdout).into_owned();
    assert_eq!(
        told,
        format!("{line} '{turned}'\n"),
        "{}\nthe job: {}",
        String::from_utf8_lossy(&seen.stderr),
        job.said()
    );
    let ended = job.end(JOB_LIMIT).expect("it ends");
    assert_eq!(ended.code(), STATUS, "{ended:#?}");
    assert!(ended.stdout.lines().any(|line| line == turned), "{ended:#?}");
}
