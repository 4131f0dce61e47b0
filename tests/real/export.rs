//! `sparkdbg export`: what it prints, given to a real `spark-submit`, starts a JVM that jdb attaches to.

use std::process::Command;

use crate::apps::{JavaProgram, STATUS, SUM, java_app, token};
use crate::distribution::SPARK_4;
use crate::lab::{Lab, random_word};
use crate::session::{Breakpoint, Dial, Seen, stop_once};

#[test]
fn properties_given_to_spark_submit() {
    let lab = Lab::new(SPARK_4);
    let seen = stops(&lab, |endpoint| {
        let properties = exported(&lab, &["--format=properties", &format!("--driver={endpoint}")]);
        let file = lab.file("debug.properties", &properties);
        let mut submit = lab.script("spark-submit");
        submit.arg("--properties-file").arg(file);
        submit
    });
    // Spark takes the value as it was meant: one agent, in its own word.
    let agent = format!(" -agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:{} ", seen.port);
    assert!(seen.command_line.contains(&agent), "{}", seen.command_line);
}

#[test]
fn args_given_to_spark_submit() {
    let lab = Lab::new(SPARK_4);
    stops(&lab, |endpoint| {
        let line = exported(&lab, &["--format=args", &format!("--driver={endpoint}")]);
        let mut submit = lab.script("spark-submit");
        submit.args(shell_words::split(&line).expect("words of a shell"));
        submit
    });
}

/// A value of EMR's with inner quotes behind the agent, and the word between them that tells what was there.
#[test]
fn a_merged_configuration_given_to_spark_submit() {
    let lab = Lab::new(SPARK_4);
    let current = r#"{"conf": {
        "spark.driver.extraJavaOptions": "-Dmode=x -XX:OnOutOfMemoryError='kill -9 %p'",
        "spark.network.timeout": "7200s"
    }}"#;
    let seen = stops(&lab, |endpoint| {
        let file = lab.file("current.json", current);
        let file = file.to_str().expect("a path in the test's directory");
        let json = exported(&lab, &["--format=livy", "--current", file, &format!("--driver={endpoint}")]);
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        let mut submit = lab.script("spark-submit");
        // As Livy does it.
        for (key, value) in json["conf"].as_object().expect("a map") {
            submit.arg("--conf").arg(format!("{key}={}", value.as_str().expect("a string")));
        }
        submit
    });
    let behind = " -Dundo.of.sparkdbg=spark.network.timeout -Dmode=x -XX:OnOutOfMemoryError=kill -9 %p ";
    assert!(seen.command_line.contains(behind), "{}", seen.command_line);
}

/// What `export` prints, as text.
fn exported(lab: &Lab, args: &[&str]) -> String {
    let output = lab.sparkdbg().args(["-q", "export"]).args(args).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// The job stops at the application's own line, jdb reads what only it knows, and it ends as it would have.
fn stops(lab: &Lab, submit: impl FnOnce(&str) -> Command) -> Seen {
    let program = java_app(lab);
    let word = random_word();
    let breakpoint = Breakpoint { class: program.class, line: program.line, variables: &["token", "sum"] };
    let seen = stop_once(lab, Dial::Attach, breakpoint, None, |endpoint| job(submit(endpoint), &program, &word));
    let seen = seen.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(seen.values, [format!("\"{}\"", token(&word)), SUM.to_string()]);
    assert_eq!(seen.ended.code(), STATUS, "{:#?}", seen.ended);
    seen
}

fn job(mut submit: Command, program: &JavaProgram, word: &str) -> Command {
    submit
        .args(["--class", program.class, "--master", "local[1]", "--conf", "spark.ui.enabled=false"])
        .args(["--driver-memory", "512m"])
        .arg(&program.jar)
        .arg(word);
    submit
}
