//! PySpark: the JVM is not the process that the user starts, and the breakpoint is in Java code that Python calls.

use std::path::Path;
use std::process::Command;

use crate::apps::{JavaProgram, STATUS, SUM, probe, python_app, token};
use crate::distribution::{SPARK_3, SPARK_4, python};
use crate::lab::{Lab, random_word};
use crate::session::{Breakpoint, Dial, Seen, stop_once};

#[test]
fn submit_spark_4() {
    submitted(SPARK_4, Dial::Attach);
}

#[test]
fn submit_spark_3() {
    submitted(SPARK_3, Dial::Listen);
}

/// `spark-submit app.py`: the JVM starts Python.
fn submitted(spark: &str, dial: Dial) {
    let lab = Lab::new(spark);
    let program = probe(&lab);
    let app = python_app(&lab);
    let word = random_word();
    let seen = stop(&lab, &program, dial, None, |endpoint| {
        let mut command = lab.sparkdbg();
        command.args(["submit", &format!("--driver={endpoint}"), "--", "--master", "local[1]"]);
        command.args(["--conf", "spark.ui.enabled=false", "--driver-memory", "512m", "--driver-class-path"]);
        command.arg(&program.jar).arg(&app).arg(&word);
        command
    });
    assert_job_done(&seen, &word);
    assert!(seen.command_line.contains("org.apache.spark.deploy.SparkSubmit"), "{}", seen.command_line);
}

#[test]
fn plain_python_spark_4() {
    plain_python(SPARK_4);
}

#[test]
fn plain_python_spark_3() {
    plain_python(SPARK_3);
}

/// `python app.py`: Python starts the JVM, with the arguments that the user has in the environment and ours.
fn plain_python(spark: &str) {
    let lab = Lab::new(spark);
    let program = probe(&lab);
    let app = python_app(&lab);
    let word = random_word();
    let seen = stop(&lab, &program, Dial::Attach, None, |endpoint| {
        let mut command = lab.sparkdbg();
        let jar = program.jar.display();
        command
            .args(["python", &format!("--driver={endpoint}"), "--"])
            .arg(&app)
            .arg(&word)
            .env("PATH", path_with_python())
            .env(
                "PYSPARK_SUBMIT_ARGS",
                format!(
                    "--master 'local[1]' --conf spark.ui.enabled=false --driver-memory 512m \
                     --driver-class-path '{jar}' pyspark-shell"
                ),
            );
        command
    });
    assert_job_done(&seen, &word);
    assert!(seen.command_line.contains("app.py"), "sparkdbg's process became no Python: {}", seen.command_line);
}

/// The `pyspark` shell, typed at through a pipe.
#[test]
fn pyspark_shell() {
    let lab = Lab::new(SPARK_4);
    let program = probe(&lab);
    let word = random_word();
    let typed = format!(
        "total = spark.range(1, 1001).selectExpr('sum(id)').first()[0]\n\
         print(spark._jvm.demo.Probe.mark('{word}'), total)\n\
         import os\n\
         os._exit({STATUS})\n"
    );
    let typed = lab.file("typed.py", &typed);
    let seen = stop(&lab, &program, Dial::Attach, Some(&typed), |endpoint| {
        let mut command = lab.sparkdbg();
        command
            .args(["pyspark", &format!("--driver={endpoint}"), "--", "--master", "local[1]"])
            .args(["--conf", "spark.ui.enabled=false", "--driver-memory", "512m", "--driver-class-path"])
            .arg(&program.jar)
            .env("PYSPARK_DRIVER_PYTHON", python())
            // Without a terminal Python takes its input for a program, and PySpark's start-up file would not be run.
            .env("PYSPARK_DRIVER_PYTHON_OPTS", "-i");
        command
    });
    assert_job_done(&seen, &word);
}

fn stop(
    lab: &Lab,
    program: &JavaProgram,
    dial: Dial,
    stdin: Option<&Path>,
    command: impl FnOnce(&str) -> Command,
) -> Seen {
    let breakpoint = Breakpoint { class: program.class, line: program.line, variables: &["word", "token"] };
    stop_once(lab, dial, breakpoint, stdin, command).unwrap_or_else(|error| panic!("{error}"))
}

fn assert_job_done(seen: &Seen, word: &str) {
    assert_eq!(seen.values, [format!("\"{word}\""), format!("\"{}\"", token(word))]);
    assert_eq!(seen.ended.code(), STATUS, "{:#?}", seen.ended);
    let result = format!("{} {SUM}\n", token(word));
    assert!(seen.ended.stdout.contains(&result), "{:#?}", seen.ended);
}

/// A `PATH` on which `python` and `python3` are those that fit the distribution.
fn path_with_python() -> std::ffi::OsString {
    let bin = python().parent().expect("a program in a directory").to_owned();
    let rest = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(bin).chain(std::env::split_paths(&rest))).expect("a PATH")
}
