//! What is typed behind `sparkdbg flink`, and what is shown of it.

use super::{AGENT, CLIENT, JOBMANAGER, flink, run};
use crate::scene::NO_PAUSE;

#[test]
fn the_first_word_is_a_script_or_an_action() {
    let scene = flink("1.20.1");
    let no_script =
        |word: &str| format!("error: `{word}` is no script of Flink's that starts a JVM, and no action of `flink`\n");
    run(&scene, &[], &[]).fails(
        2,
        "error: `sparkdbg flink` names no script of Flink's\n\
         help: for example: sparkdbg flink -- run app.jar; sparkdbg flink --taskmanager -- taskmanager.sh start\n",
    );
    for (word, help) in [
        ("jobmanger", "did you mean `jobmanager`?"),
        ("rum", "did you mean `run`?"),
        ("stop-cluster.sh", "run it without sparkdbg"),
        ("/opt/flink/bin/taskmanager.sh", "write `taskmanager.sh`, and the distribution as --flink-home DIR"),
        (
            "pyflink-shell.sh",
            "it takes flink, sql-client, jobmanager, standalone-job, taskmanager, start-cluster, historyserver, \
             sql-gateway, yarn-session, kubernetes-session",
        ),
    ] {
        run(&scene, &[], &[word, "start"]).fails(2, &format!("{}help: {help}\n", no_script(word)));
    }
}

#[test]
fn words_before_the_double_dash() {
    let scene = flink("1.20.1");
    scene.run(&["flink", "-t", "local", "run", "x.jar"]).fails(
        2,
        "error: `-t` is not an option of `sparkdbg flink`\n\
         help: Flink's own options go after `--`: sparkdbg flink [OPTIONS] -- -t …\n",
    );
    scene.run(&["flink", "--clinet", "run", "x.jar"]).fails(
        2,
        "error: `--clinet` is not an option of `sparkdbg flink`\n\
         help: did you mean `--client`? Flink's own options go after `--`\n",
    );
    scene.run(&["flink", "--taskmanager", "attach:5006", "--", "taskmanager.sh", "start"]).fails(
        2,
        "error: `attach:5006` looks like the value of an option, but a blank parts it from its option\n\
         help: write `--taskmanager=attach:5006`; if it really is the first word for the script, put `--` before it\n",
    );
    scene.run(&["flink", "5016", "run", "x.jar"]).fails(
        2,
        "error: `5016` looks like the value of an option, but a blank parts it from its option\n\
         help: write `--client=attach:5016`; if it really is the first word for the script, put `--` before it\n",
    );
    scene
        .run(&["flink", "--one-executor", "run", "x.jar"])
        .fails(2, "error: `--one-executor`: `flink` starts no executors\n");
}

const REDACTED: &str = "\"${SPARKDBG_REDACTED:?run again with --show-secrets}\"";

/// However a setting is typed.
#[test]
fn secrets() {
    let scene = flink("1.20.1");
    let words = ["run", "-Ds3.secret-key=hunter2", "-D", "s3.access-key=hunter2", "-Ds3.endpoint=h", "x.jar"];
    let dry = |more: &[&str]| {
        scene.run(&[&["-q", "flink", NO_PAUSE, CLIENT, "--dry-run"], more, &["--"], words.as_slice()].concat())
    };
    let line = format!("JVM_ARGS='{AGENT}' @root/flink/bin/flink run");
    dry(&[]).prints(&format!("{line} {REDACTED} -D {REDACTED} '-Ds3.endpoint=h' x.jar\n"));
    dry(&["--show-secrets"])
        .prints(&format!("{line} '-Ds3.secret-key=hunter2' -D 's3.access-key=hunter2' '-Ds3.endpoint=h' x.jar\n"));
    let old =
        scene.run(&["-q", "flink", NO_PAUSE, CLIENT, "--dry-run", "run", "-yD", "s3.secret-key=hunter2", "x.jar"]);
    old.prints(&format!("{line} -yD {REDACTED} x.jar\n"));
    let json = scene.run(&[&["-q", "flink", NO_PAUSE, CLIENT, "--dry-run=json", "--"], words.as_slice()].concat());
    let text = String::from_utf8(json.stdout.clone()).unwrap();
    assert!(!text.contains("hunter2") && text.contains("\"redacted\": true"), "{json}");
    // In the options that are merged, and with every reason.
    let scene = scene.file("flink/conf/config.yaml", "env.java.opts.jobmanager: -Dmy.password=hunter2 -Da=1\n");
    let words = ["-v", "flink", NO_PAUSE, JOBMANAGER, "--dry-run", "--", "run", "-t", "yarn-application", "x.jar"];
    let run = scene.run(&words);
    assert!(!run.stderr.contains("hunter2") && !String::from_utf8_lossy(&run.stdout).contains("hunter2"), "{run}");
    assert!(run.stderr.contains("  before: -Dmy.password=******** -Da=1\n"), "{run}");
}

/// What was chosen, and every changed value with its reason.
#[test]
fn provenance() {
    let scene = flink("1.20.1");
    scene.run(&["-v", "-q", "flink", NO_PAUSE, JOBMANAGER, "--", "jobmanager.sh", "start"]).expect(
        Some(0),
        &format!(
            "profile: none\njobmanager: attach:127.0.0.1:@port,nosuspend (--jobmanager)\npause-limit: off (--pause-limit)\n\
             existing: replace (default)\nprogram: @root/flink/bin/jobmanager.sh (Flink 1.20.1, FLINK_HOME)\n\
             configuration: @root/flink/conf/config.yaml\nJVM_ARGS\n  before: (not set)\n  after:  {AGENT}\n  from:   \
             environment → environment of the child\n  why:    the agent, in the variable that takes the place of nothing\n"
        ),
    );
}

/// The line can be pasted: settings stand each on a line of one word.
#[test]
fn a_dry_run_starts_the_same() {
    let scene =
        flink("1.20.1").stand_in("flink/bin/flink-daemon.sh").file("flink/conf/workers", "localhost\nlocalhost\n");
    let options = ["-q", "flink", "--jobmanager=attach:@port", "--taskmanager=attach:0"];
    let dry = scene.run(&[&["--dry-run"], options.as_slice(), &["--", "start-cluster.sh"]].concat());
    let line = String::from_utf8(dry.stdout.clone()).unwrap();
    let pasted = scene.run_program("bash", &["-c", &line]).child();
    assert_eq!(pasted, scene.run(&[options.as_slice(), &["--", "start-cluster.sh"]].concat()).child(), "{line}");
}
