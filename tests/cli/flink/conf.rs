//! What the configuration files of the versions say, and what of it Flink would not read.

use super::{AGENT, JOBMANAGER, TASKMANAGER, flink, run};
use crate::scene::Scene;

const SCRIPT: &str = "flink/bin/start-cluster.sh";
const NO_WORDS: [&str; 0] = [];

/// The TaskManager's options, as one more agent in front shows them.
#[track_caller]
fn taskmanager_gets(scene: &Scene, options: &str) {
    let own = format!("{AGENT} {options}");
    run(scene, &[TASKMANAGER], &["start-cluster.sh"]).expect(Some(0), "").starts_with(
        SCRIPT,
        &NO_WORDS,
        &[("FLINK_ENV_JAVA_OPTS_TM", Some(own.trim_end()))],
    );
}

#[test]
fn nested_flat_and_mixed() {
    for (text, options) in [
        ("env:\n  java:\n    opts:\n      taskmanager: -Dnested=1\n", "-Dnested=1"),
        ("env.java.opts.taskmanager: '-Dflat=1'\n", "-Dflat=1"),
        ("env.java:\n  opts.taskmanager: \"-Dmixed=1\"\n", "-Dmixed=1"),
        // The later one counts.
        ("env:\n  java:\n    opts:\n      taskmanager: -Dnested=1\nenv.java.opts.taskmanager: -Dflat=1\n", "-Dflat=1"),
        ("env.java.opts.taskmanager: >-\n  -Da=1\n  -Db=2\n", "-Da=1 -Db=2"),
        ("# nothing\n", ""),
    ] {
        for version in ["1.20.1", "2.1.0"] {
            taskmanager_gets(&flink(version).file("flink/conf/config.yaml", text), options);
        }
    }
}

/// `key: value` on each line, the last of a key counts; the scripts take quotes off at the ends.
#[test]
fn the_old_file() {
    for (text, options) in [
        ("env.java.opts.taskmanager: -Da=1\nenv.java.opts.taskmanager: -Db=2 # c\n", "-Db=2"),
        ("env.java.opts.taskmanager: \"-Da=1 -Db=2\"\n", "-Da=1 -Db=2"),
        ("env.java.opts.taskmanager:-Da=1\n", ""),
        ("# env.java.opts.taskmanager: -Da=1\nenv.java.opts: -Dall=1\n", ""),
    ] {
        taskmanager_gets(&flink("1.18.1").file("flink/conf/flink-conf.yaml", text), options);
    }
    // 1.19 and 1.20 take it where it is there, and 2.0 takes it no more.
    let text = "env.java.opts.taskmanager: -Dold=1\n";
    taskmanager_gets(&flink("1.20.1").file("flink/conf/flink-conf.yaml", text), "-Dold=1");
    let scene = flink("2.1.0").file("flink/conf/flink-conf.yaml", text);
    run(&scene, &[TASKMANAGER], &["start-cluster.sh"])
        .expect(Some(0), "warning: `@root/flink/conf/flink-conf.yaml` is ignored: Flink 2.1.0 reads config.yaml only\n")
        .starts_with(SCRIPT, &NO_WORDS, &[("FLINK_ENV_JAVA_OPTS_TM", Some(AGENT))]);
}

/// Seen with the scripts of 1.20: there the first quote stays, and with it every option of the daemons is lost.
#[test]
fn quotes_that_stay() {
    let scene = flink("1.20.1").file(
        "flink/conf/flink-conf.yaml",
        "env.java.opts.taskmanager: \"-Da=1 -Db=2\"\nenv.java.opts.client: \"-Da=1\"\n",
    );
    run(&scene, &[TASKMANAGER], &["taskmanager.sh", "start"]).fails(
        125,
        "error: env.java.opts.taskmanager (@root/flink/conf/flink-conf.yaml line 1): the `\"` at position 1 is never \
         closed\nhelp: close it, or leave quotes out\n",
    );
    run(&scene, &["--client=attach:@port"], &["run", "x.jar"]).expect(Some(0), "");
}

/// F1: the old key where the new one is set.
#[test]
fn the_old_key_of_every_jvm() {
    let text = "env.java.opts.all: -Da=1\nenv.java.opts: -Dold=1\n";
    run(&flink("1.20.1").file("flink/conf/config.yaml", text), &[JOBMANAGER], &["jobmanager.sh", "start"]).expect(
        Some(0),
        "warning: env.java.opts (@root/flink/conf/config.yaml line 2) is ignored because env.java.opts.all \
         (@root/flink/conf/config.yaml line 1) is set\n",
    );
    // Where the new one is empty, or not known yet, it counts.
    for (version, file, text) in [
        ("1.20.1", "config.yaml", "env.java.opts.all: ''\nenv.java.opts: foo\n"),
        ("1.14.6", "flink-conf.yaml", "env.java.opts.all: -Da=1\nenv.java.opts: foo\n"),
    ] {
        let scene = flink(version).file(&format!("flink/conf/{file}"), text);
        run(&scene, &[JOBMANAGER], &["jobmanager.sh", "start"]).expect(
            Some(0),
            &format!(
                "warning: `foo` in env.java.opts (@root/flink/conf/{file} line 2) is no option: java will take it for the \
                 main class\n"
            ),
        );
    }
}

/// The scripts would go on with nothing of it.
#[test]
fn files_that_flink_cannot_read() {
    for (text, cause) in [
        ("a: 1\nb: 2\na: 3\n", "line 3: `a` stands there already, in line 1"),
        ("env:\n  x: 1\nenv:\n  y: 2\n", "line 3: `env` stands there already, in line 1"),
        ("a: 1\nrest:\n  port:\n", "line 3: `rest.port` has no value"),
        ("- a\n", "line 1: it is no mapping of keys to values"),
    ] {
        let scene = flink("1.20.1").file("flink/conf/config.yaml", text);
        run(&scene, &[JOBMANAGER], &["jobmanager.sh", "start"]).fails(
            125,
            &format!(
                "error: @root/flink/conf/config.yaml {cause}; Flink's scripts would go on without any setting of the \
                 file\nhelp: mend the file\n"
            ),
        );
    }
    let scene = flink("1.20.1").file("flink/conf/config.yaml", "a: [1\nb: 2\n");
    let run = run(&scene, &[JOBMANAGER], &["jobmanager.sh", "start"]);
    assert_eq!(run.status.code(), Some(125), "{run}");
    assert!(run.stderr.contains("it is no YAML: "), "{run}");
}

/// F6: the scripts tear them.
#[test]
fn options_with_blanks_and_open_quotes() {
    let refused = |text: &str, error: &str| {
        let scene = flink("1.20.1").file("flink/conf/config.yaml", format!("env.java.opts.jobmanager: {text}\n"));
        run(&scene, &[JOBMANAGER], &["jobmanager.sh", "start"])
            .fails(125, &format!("error: env.java.opts.jobmanager (@root/flink/conf/config.yaml line 1): {error}\n"));
    };
    refused(
        "-Dq=\"a b\" -Dx=1",
        "`-Dq=a b` has a blank, and Flink's scripts cannot pass an option with a blank\n\
         help: write the value without blanks, or name a file: @FILE",
    );
    refused(
        "-Dpassword=\"a b\" -Dx=1",
        "`-Dpassword=********` has a blank, and Flink's scripts cannot pass an option with a blank\n\
         help: write the value without blanks, or name a file: @FILE",
    );
    refused("-Dq=\"a -Dx=1", "the `\"` at position 5 is never closed\nhelp: close it, or leave quotes out");
    let scene = flink("1.20.1").env("JVM_ARGS", "-Dq='a b'");
    run(&scene, &[JOBMANAGER], &["jobmanager.sh", "start"]).fails(
        125,
        "error: JVM_ARGS in the environment: `-Dq=a b` has a blank, and Flink's scripts cannot pass an option with a blank\n\
         help: write the value without blanks, or name a file: @FILE\n",
    );
}

/// An empty variable is none; a relative one is the script's too.
#[test]
fn the_directory() {
    let scene = flink("1.20.1").file("other/config.yaml", "env.java.opts.taskmanager: -Dother=1\n");
    let scene = scene.file("other/workers", "localhost\n");
    taskmanager_gets(&scene.env("FLINK_CONF_DIR", ""), "");
    for dir in ["@root/other", "../other"] {
        let scene = flink("1.20.1")
            .file("other/config.yaml", "env.java.opts.taskmanager: -Dother=1\n")
            .file("other/workers", "localhost\n")
            .env("FLINK_CONF_DIR", dir);
        taskmanager_gets(&scene, "-Dother=1");
    }
    // No file at all.
    taskmanager_gets(&flink("1.20.1").without("flink/conf/config.yaml"), "");
}

/// What is true of both roles is said once.
#[test]
fn one_note_for_both_roles() {
    let scene = flink("1.20.1").file("flink/conf/config.yaml", "env.java.opts.all: foo\n");
    let both = [JOBMANAGER, "--taskmanager=attach:@other"];
    run(&scene, &both, &["start-cluster.sh"]).expect(
        Some(0),
        "warning: `foo` in env.java.opts.all (@root/flink/conf/config.yaml line 1) is no option: java will take it for the \
         main class\n",
    );
}
