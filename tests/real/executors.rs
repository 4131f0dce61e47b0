//! `sparkdbg submit --executor` where the executors are JVMs of this machine: standalone and `local-cluster`.

use std::path::Path;
use std::process::Command;

use crate::cluster::local::OwnHome;
use crate::cluster::standalone::Standalone;
use crate::distribution::{SPARK_3, SPARK_4};
use crate::in_executors::{Debugged, assert_seen, attach_to_all, listeners};
use crate::jdb::Jdb;
use crate::job::{JOB_LIMIT, Job};
use crate::lab::{Lab, free_port};
use crate::tasks::Tasks;

const STATUS: i32 = 37;

#[test]
fn standalone_two_at_once() {
    let lab = Lab::alone(SPARK_4);
    let cluster = Standalone::with_workers(&lab, 2);
    two_at_once(&lab, &cluster.url, lab.dir(), |command| command);
}

#[test]
fn standalone_listen() {
    let lab = Lab::alone(SPARK_4);
    let cluster = Standalone::with_workers(&lab, 2);
    one_dials(&lab, &cluster.url, |command| command);
}

#[test]
fn standalone_spark_3() {
    let lab = Lab::alone(SPARK_3);
    let cluster = Standalone::with_workers(&lab, 2);
    two_at_once(&lab, &cluster.url, lab.dir(), |command| command);
}

#[test]
fn local_cluster_two_at_once() {
    let lab = Lab::alone(SPARK_4);
    let home = OwnHome::new(&lab);
    two_at_once(&lab, "local-cluster[2,1,512]", &home.work, |command| home.apply(command));
}

#[test]
fn local_cluster_listen() {
    let lab = Lab::alone(SPARK_4);
    let home = OwnHome::new(&lab);
    one_dials(&lab, "local-cluster[2,1,512]", |command| home.apply(command));
}

#[test]
fn local_cluster_spark_3() {
    let lab = Lab::alone(SPARK_3);
    let home = OwnHome::new(&lab);
    two_at_once(&lab, "local-cluster[2,1,512]", &home.work, |command| home.apply(command));
}

/// Application code that sets `spark.executor.extraJavaOptions` replaces what the command line says, but not the agent.
#[test]
fn application_code_that_sets_executor_options() {
    let lab = Lab::alone(SPARK_4);
    let home = OwnHome::new(&lab);
    let tasks = Tasks::new(&lab);
    let mut command = lab.sparkdbg();
    command.args(["submit", "--executor", "--"]);
    let confs = ["spark.executor.extraJavaOptions=-Dfrom=commandline", "spark.demo.executorOptions=-Dfrom=code"];
    command.args(confs.iter().flat_map(|conf| ["--conf", conf]));
    submit(home.apply(&mut command), "local-cluster[2,1,512]", &tasks);
    let mut job = Job::start(&mut command, lab.dir(), None);
    let debugged = attach_to_all(&lab, &mut job, &tasks, &home.work, 2);
    let mut debugged = debugged.unwrap_or_else(|error| panic!("{error}: {}", job.said()));
    for executor in &mut debugged {
        let words = std::fs::read(format!("/proc/{}/cmdline", executor.place.pid)).expect("a running executor");
        let words = String::from_utf8_lossy(&words).into_owned();
        let with = |start: &str| -> Vec<&str> { words.split('\0').filter(|word| word.starts_with(start)).collect() };
        assert_eq!(with("-Dfrom="), ["-Dfrom=code"]);
        assert_eq!(
            with("-agentlib:"),
            ["-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0"],
            "{words}"
        );
        executor.let_go(&tasks).unwrap_or_else(|error| panic!("{error}: {}", job.said()));
    }
    tasks.end();
    let ended = job.end(JOB_LIMIT).unwrap_or_else(|error| panic!("{error}"));
    assert_seen(&tasks, &ended.stdout, &debugged, 2);
}

/// What the tests above would say if sparkdbg put in no agent: they must be able to fail.
#[test]
fn without_the_agent_no_executor_listens() {
    let lab = Lab::alone(SPARK_4);
    let home = OwnHome::new(&lab);
    let tasks = Tasks::new(&lab);
    tasks.end();
    let mut command = lab.script("spark-submit");
    submit(home.apply(&mut command), "local-cluster[2,1,512]", &tasks);
    let mut job = Job::start(&mut command, lab.dir(), None);
    let error = attach_to_all(&lab, &mut job, &tasks, &home.work, 2).err().expect("no executor to attach to");
    assert_eq!(
        error.lines().next(),
        Some("0 executors listened for a debugger instead of 2: the job ended"),
        "{error}"
    );
    // It is the agent that was missing, not the executors.
    let ended = job.end(JOB_LIMIT).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(Tasks::outcomes(&ended.stdout).len(), 2, "{ended:#?}");
}

/// Each of two executors on one host listens on a port of its own; a debugger stands in each at the same time, and each
/// reads what the task of its executor returns in the end.
fn two_at_once(lab: &Lab, master: &str, dir: &Path, apply: impl FnOnce(&mut Command) -> &mut Command) {
    let tasks = Tasks::new(lab);
    let mut command = lab.sparkdbg();
    command.args(["submit", "--executor", "--"]);
    submit(apply(&mut command), master, &tasks);
    let mut job = Job::start(&mut command, lab.dir(), None);
    let debugged = attach_to_all(lab, &mut job, &tasks, dir, 2);
    let mut debugged = debugged.unwrap_or_else(|error| panic!("{error}: {}", job.said()));
    for executor in &mut debugged {
        executor.let_go(&tasks).unwrap_or_else(|error| panic!("{error}: {}", job.said()));
    }
    tasks.end();
    let ended = job.end(JOB_LIMIT).unwrap_or_else(|error| panic!("{error}"));
    assert_seen(&tasks, &ended.stdout, &debugged, 2);
    assert_eq!(ended.code(), STATUS, "{ended:#?}");
}

/// One executor, since jdb takes one, dials it.
fn one_dials(lab: &Lab, master: &str, apply: impl FnOnce(&mut Command) -> &mut Command) {
    let tasks = Tasks::new(lab);
    let port = free_port();
    let mut jdb = Jdb::listen(&lab.java, port, lab.dir()).unwrap_or_else(|error| panic!("{error}"));
    let mut command = lab.sparkdbg();
    command.args(["submit", &format!("--executor=listen:{port}"), "--"]);
    submit(apply(&mut command), master, &tasks);
    let mut job = Job::start(&mut command, lab.dir(), None);
    let debugged = jdb.connected(|| job.alive()).and_then(|()| Debugged::stand(jdb, &tasks));
    let mut debugged = debugged.unwrap_or_else(|error| panic!("{error}: {}", job.said()));
    debugged.let_go(&tasks).unwrap_or_else(|error| panic!("{error}: {}", job.said()));
    assert_eq!(listeners(lab.dir()).len(), 0, "an executor listens, though it was to dial");
    tasks.end();
    let ended = job.end(JOB_LIMIT).unwrap_or_else(|error| panic!("{error}"));
    assert_seen(&tasks, &ended.stdout, &[debugged], 1);
    assert_eq!(ended.code(), STATUS, "{ended:#?}");
}

fn submit(command: &mut Command, master: &str, tasks: &Tasks) {
    command.args(["--master", master, "--conf", "spark.ui.enabled=false"]);
    command.args(["--driver-memory", "512m", "--conf", "spark.executor.memory=512m"]);
    tasks.add_to(command, 2, STATUS);
}
