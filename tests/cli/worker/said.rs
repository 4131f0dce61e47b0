//! What is said before the start: who waits where, and what only others can set.

use crate::worker::{AWAY, MASTER, run, scene};

fn said(options: &[&str], words: &[&str], expected: &str) {
    let scene = scene();
    run(&scene, options, words).expect(Some(0), expected);
}

#[test]
fn executors_that_listen() {
    said(
        &[],
        &[MASTER],
        "sparkdbg: each executor of every application on this worker listens for a debugger on a port of its own on \
         127.0.0.1 (IDE: \"Attach to remote JVM\"); `sparkdbg ps` names the ports; --app ID narrows it\n",
    );
    said(
        &["--suspend", "--app", "app-1"],
        &[MASTER],
        "sparkdbg: each executor of app-1 waits for the debugger on a port of its own on 127.0.0.1 (IDE: \"Attach to \
         remote JVM\"); `sparkdbg ps` names the ports; until a debugger comes it takes no tasks\n",
    );
    said(
        &["--one-executor"],
        &[MASTER],
        "sparkdbg: one executor at a time, of every application on this worker, listens for a debugger on a port of its \
         own on 127.0.0.1 (IDE: \"Attach to remote JVM\"); `sparkdbg ps` names the ports; the others run without an \
         agent, the next one that starts after it has gone is debugged; --app ID narrows it\n",
    );
    said(
        &["--attach", "@port", "--one-executor", "--app", "app-1"],
        &[MASTER],
        "sparkdbg: one executor at a time, of app-1, listens for a debugger on 127.0.0.1:@port (IDE: \"Attach to remote \
         JVM\"); `sparkdbg ps` names the ports; the others run without an agent, the next one that starts after it has \
         gone is debugged\n",
    );
}

#[test]
fn executors_that_dial() {
    said(
        &["--listen", AWAY],
        &[MASTER],
        "sparkdbg: one executor at a time, of every application on this worker, dials the debugger at 203.0.113.9:5005 \
         (IDE: \"Listen to remote JVM\", port 5005); the others run without an agent, the next one that starts after it \
         has gone is debugged; --app ID narrows it\n",
    );
    said(
        &["--listen", AWAY, "--all-executors", "--app", "app-1", "--suspend"],
        &[MASTER],
        "warning: every executor dials 203.0.113.9:5005: those that the debugger does not take die at their start and \
         are started again (--one-executor)\n\
         sparkdbg: each executor of app-1 dials the debugger at 203.0.113.9:5005 (IDE: \"Listen to remote JVM\", port \
         5005); until a debugger comes it takes no tasks\n",
    );
}

const EXECUTORS: &str = "note: an executor that is paused is given up after its application's spark.network.timeout \
                         (120s unless set); submit with --conf spark.network.timeout=";
const WORKER: &str = "note: a Worker that is paused for longer than the Master's spark.worker.timeout (60s unless set) \
                      is given up with its executors; start the Master with \
                      SPARK_MASTER_OPTS=-Dspark.worker.timeout=";

/// Neither this Worker nor its executors' applications can be given a longer patience from here.
#[test]
fn how_long_others_bear_a_pause() {
    let scene = scene();
    for (options, expected) in [
        (["-q"].as_slice(), format!("{EXECUTORS}7200s\n")),
        (&["-q", "--daemon=attach:@port"], format!("{WORKER}7200 (sparkdbg master does)\n")),
        (
            &["-q", "--daemon=attach:@port", "--executor", "--pause-limit=1h"],
            format!("{WORKER}3600 (sparkdbg master does)\n{EXECUTORS}3600s\n"),
        ),
        (&["-q", "--daemon=attach:@port", "--pause-limit=90s"], format!("{WORKER}90 (sparkdbg master does)\n")),
        // Within what they bear without a word.
        (&["-q", "--daemon=attach:@port", "--pause-limit=60s"], String::new()),
        (&["-q", "--pause-limit=120s"], String::new()),
        (&["-q", "--pause-limit=off"], String::new()),
    ] {
        let run = scene.run(&[&["worker"], options, &["--", MASTER]].concat());
        run.expect(Some(0), &expected);
    }
}

#[test]
fn the_choices() {
    let scene = scene();
    let run = run(&scene, &["-v", "-q", "--listen", AWAY], &[MASTER]);
    let home = crate::worker::shim(&scene);
    run.expect(
        Some(0),
        &format!(
            "profile: none\n\
             executor: listen:203.0.113.9:5005,nosuspend (--listen)\n\
             executors: one (default)\n\
             pause-limit: off (--pause-limit)\n\
             existing: replace (default)\n\
             program: @root/spark/bin/spark-class (Spark 4.3.0, SPARK_HOME)\n\
             JAVA_HOME\n  before: @root/java\n  after:  {home}\n  from:   environment → environment of the child\n  \
             why:    its bin/java gives executors the agent; everything else in it is that of the real one\n\
             helper file: {home}/bin/java\n"
        ),
    );
}

#[test]
fn ci_and_an_agent_that_suspends() {
    let scene = scene().env("CI", "1");
    run(&scene, &["-q", "--suspend"], &[MASTER]).expect(
        Some(0),
        "warning: CI is set and the executor waits for a debugger: the job stands still until one comes (--no-suspend)\n",
    );
}
