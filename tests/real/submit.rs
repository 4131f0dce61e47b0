//! `sparkdbg submit` with a Java application.

use std::process::Command;

use crate::apps::{JavaProgram, STATUS, SUM, java_app, token};
use crate::distribution::{SPARK_3, SPARK_4};
use crate::lab::{Lab, random_word};
use crate::session::{Breakpoint, Dial, stop_once};

#[test]
fn spark_4_java_17_attach() {
    stops_where_told(&Lab::new(SPARK_4), Dial::Attach);
}

#[test]
fn spark_4_java_17_listen() {
    stops_where_told(&Lab::new(SPARK_4), Dial::Listen);
}

#[test]
fn spark_4_java_25_attach() {
    if let Some(lab) = Lab::if_java(SPARK_4, 25) {
        stops_where_told(&lab, Dial::Attach);
    }
}

#[test]
fn spark_4_java_25_listen() {
    if let Some(lab) = Lab::if_java(SPARK_4, 25) {
        stops_where_told(&lab, Dial::Listen);
    }
}

#[test]
fn spark_3_java_17_attach() {
    stops_where_told(&Lab::new(SPARK_3), Dial::Attach);
}

#[test]
fn spark_3_java_17_listen() {
    stops_where_told(&Lab::new(SPARK_3), Dial::Listen);
}

/// What the tests above would say if sparkdbg put in no agent: they must be able to fail.
#[test]
fn without_the_agent_nobody_listens() {
    let error = without_the_agent(Dial::Attach);
    assert!(error.starts_with("the job ended, and nothing had listened on port"), "{error}");
}

#[test]
fn without_the_agent_nobody_dials() {
    let error = without_the_agent(Dial::Listen);
    assert!(error.starts_with("the job ended, and no JVM had connected to jdb"), "{error}");
}

/// The whole promise: the job stops at the application's own line, jdb reads what only the job knows, and then the job
/// ends as it would have ended by itself, in the very process that was started.
fn stops_where_told(lab: &Lab, dial: Dial) {
    let program = java_app(lab);
    let word = random_word();
    let seen = stop_once(lab, dial, breakpoint(&program), None, |endpoint| {
        let mut command = lab.sparkdbg();
        command.args(["submit", &format!("--driver={endpoint}"), "--"]);
        job(command, &program, &word)
    });
    let seen = seen.unwrap_or_else(|error| panic!("{error}"));

    assert_eq!(seen.values, [format!("\"{}\"", token(&word)), SUM.to_string()]);
    let java = lab.java.join("bin/java").display().to_string();
    assert!(seen.command_line.starts_with(&java), "sparkdbg's process became no JVM: {}", seen.command_line);
    let (jvm_options, _) = seen.command_line.split_once("org.apache.spark.deploy.SparkSubmit").expect("Spark's class");
    assert_eq!(jvm_options.matches("-agentlib:jdwp").count(), 1, "{}", seen.command_line);
    let hint = seen.ended.stderr.lines().filter(|line| line.contains(&format!("127.0.0.1:{}", seen.port))).count();
    assert_eq!(hint, 1, "not one line told where the debugger meets the JVM: {:#?}", seen.ended);
    assert_eq!(seen.ended.code(), STATUS, "{:#?}", seen.ended);
    let result = format!("{} {SUM}\n", token(&word));
    assert!(seen.ended.stdout.ends_with(&result), "{:#?}", seen.ended);
}

/// The same procedure with plain `spark-submit`; returns what failed.
fn without_the_agent(dial: Dial) -> String {
    let lab = Lab::new(SPARK_4);
    let program = java_app(&lab);
    let word = random_word();
    let seen =
        stop_once(&lab, dial, breakpoint(&program), None, |_endpoint| job(lab.script("spark-submit"), &program, &word));
    let error = seen.expect_err("no agent, but a debugger stood on the breakpoint");
    // It is the agent that was missing, not the job.
    assert!(error.contains(&format!("{} {SUM}", token(&word))), "{error}");
    error
}

fn breakpoint(program: &JavaProgram) -> Breakpoint<'_> {
    Breakpoint { class: program.class, line: program.line, variables: &["token", "sum"] }
}

/// The words of `spark-submit` after its own name.
fn job(mut command: Command, program: &JavaProgram, word: &str) -> Command {
    command
        .args(["--class", program.class, "--master", "local[1]", "--conf", "spark.ui.enabled=false"])
        .args(["--driver-memory", "512m"])
        .arg(&program.jar)
        .arg(word);
    command
}
