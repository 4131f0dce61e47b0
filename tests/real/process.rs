//! What a wrapper must not change: standard input and signals reach the job, its end is the wrapper's end.

use std::process::Command;

use rustix::process::Signal;

use crate::apps::java_waiter;
use crate::distribution::SPARK_4;
use crate::job::JOB_LIMIT;
use crate::lab::Lab;
use crate::session::{Connected, Dial, connect};

/// As `timeout`, `kubectl delete` and an orchestrator would do it: one signal to the process they started.
#[test]
fn sigterm_ends_the_jvm() {
    let lab = Lab::new(SPARK_4);
    let program = java_waiter(&lab);
    let connected = connect(&lab, Dial::Attach, None, |endpoint| -> Command {
        let mut command = lab.sparkdbg();
        command
            .args(["submit", &format!("--driver={endpoint}"), "--", "--class", program.class, "--master", "local[1]"])
            .args(["--conf", "spark.ui.enabled=false", "--driver-memory", "512m"])
            .arg(&program.jar);
        command
    });
    let Connected { job, mut jdb, .. } = connected.unwrap_or_else(|error| panic!("{error}"));
    jdb.stop_at(program.class, program.line).expect("a breakpoint");
    jdb.cont().expect("jdb lets the JVM go on");
    jdb.breakpoint_hit(JOB_LIMIT).expect("the job reaches its breakpoint");
    // A JVM that stands still under a debugger keeps SIGTERM waiting, with and without sparkdbg.
    jdb.quit().expect("jdb detaches");
    job.signal(Signal::TERM);
    let ended = job.end(JOB_LIMIT).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(ended.code(), 143, "{ended:#?}");
    assert!(!ended.left_running, "the JVM outlived the process that was started: {ended:#?}");
    assert!(!ended.stdout.contains("waited"), "{ended:#?}");
}
