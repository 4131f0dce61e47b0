//! `sparkdbg env` and `sparkdbg shim`: programs that start Spark themselves, and nothing of ours in front of them.

use std::process::Command;

use crate::apps::{JavaProgram, STATUS, SUM, java_app, probe, python_app, token};
use crate::distribution::{SPARK_4, python};
use crate::lab::{Lab, random_word};
use crate::session::{Breakpoint, Dial, Seen, stop_once};

/// `eval "$(sparkdbg env --for pyspark)"`, then a Python that knows nothing of us.
#[test]
fn plain_python_with_the_variables() {
    let lab = Lab::new(SPARK_4);
    let program = probe(&lab);
    let app = python_app(&lab);
    let word = random_word();
    let seen = stops(&lab, &program, &["word", "token"], |endpoint| {
        let mut shell = shell(
            &lab,
            &format!(
                "eval \"$(\"$OURSELVES\" -q env --for pyspark --driver={endpoint})\"\nexec \"$PYSPARK_PYTHON\" \"$@\""
            ),
        );
        let jar = program.jar.display();
        let args = format!(
            "--master 'local[1]' --conf spark.ui.enabled=false --driver-memory 512m --driver-class-path '{jar}' pyspark-shell"
        );
        shell.arg(&app).arg(&word).env("PYSPARK_SUBMIT_ARGS", args);
        // `env` looks for the Python that will run.
        shell.env("PATH", path_with(python().parent().expect("a program in a directory")));
        shell
    });
    assert_eq!(seen.values, [format!("\"{word}\""), format!("\"{}\"", token(&word))]);
    assert_ended(&seen, &word);
}

#[test]
fn spark_submit_with_the_variables() {
    let lab = Lab::new(SPARK_4);
    let program = java_app(&lab);
    let word = random_word();
    let seen = stops(&lab, &program, &["token", "sum"], |endpoint| {
        let script = format!(
            "eval \"$(\"$OURSELVES\" -q env --for spark-submit --driver={endpoint})\"\nexec \"$SPARK_HOME/bin/spark-submit\" \"$@\""
        );
        job(shell(&lab, &script), &program, &word)
    });
    assert_eq!(seen.values, [format!("\"{}\"", token(&word)), SUM.to_string()]);
    assert_ended(&seen, &word);
}

/// A script that calls `spark-submit` by its name, unchanged, with a profile in the environment.
#[test]
fn the_link_in_front_of_spark_submit() {
    let lab = Lab::new(SPARK_4);
    let program = java_app(&lab);
    let word = random_word();
    let shims = lab.dir().join("shims");
    let made = lab.sparkdbg().args(["-q", "shim", "install"]).arg(&shims).output().expect("it runs");
    assert!(made.status.success(), "{made:?}");
    let path = std::env::join_paths([shims, lab.home.join("bin")]).expect("a PATH");
    let path = path_with(path.as_ref());
    // Without a profile it is as if it were not there.
    let version = shell(&lab, "spark-submit --version").env("PATH", &path).output().expect("it runs");
    let said = String::from_utf8_lossy(&version.stderr);
    assert!(version.status.success() && said.contains(SPARK_4) && !said.contains("sparkdbg"), "{version:?}");
    let seen = stops(&lab, &program, &["token", "sum"], |endpoint| {
        lab.file("sparkdbg.toml", &format!("[profile.ci]\ndriver = \"{endpoint}\"\n"));
        let mut script = shell(&lab, "spark-submit \"$@\"");
        script.env("PATH", &path).env("SPARKDBG_PROFILE", "ci");
        job(script, &program, &word)
    });
    assert_eq!(seen.values, [format!("\"{}\"", token(&word)), SUM.to_string()]);
    assert_ended(&seen, &word);
}

/// A script of bash with the variables of the lab, and with where we are.
fn shell(lab: &Lab, script: &str) -> Command {
    let mut shell = lab.program("bash");
    shell.args(["-c", script, "script"]).env("OURSELVES", env!("CARGO_BIN_EXE_sparkdbg"));
    shell
}

fn stops(
    lab: &Lab,
    program: &JavaProgram,
    variables: &'static [&'static str],
    command: impl FnOnce(&str) -> Command,
) -> Seen {
    let breakpoint = Breakpoint { class: program.class, line: program.line, variables };
    stop_once(lab, Dial::Attach, breakpoint, None, command).unwrap_or_else(|error| panic!("{error}"))
}

fn assert_ended(seen: &Seen, word: &str) {
    assert_eq!(seen.ended.code(), STATUS, "{:#?}", seen.ended);
    assert!(seen.ended.stdout.contains(&token(word)), "{:#?}", seen.ended);
}

fn job(mut submit: Command, program: &JavaProgram, word: &str) -> Command {
    submit
        .args(["--class", program.class, "--master", "local[1]", "--conf", "spark.ui.enabled=false"])
        .args(["--driver-memory", "512m"])
        .arg(&program.jar)
        .arg(word);
    submit
}

/// That directory, or those of a `PATH`, in front of the others.
fn path_with(first: &std::path::Path) -> std::ffi::OsString {
    let rest = std::env::var_os("PATH").unwrap_or_default();
    let dirs: Vec<_> = std::env::split_paths(first).chain(std::env::split_paths(&rest)).collect();
    std::env::join_paths(dirs).expect("a PATH")
}
