//! `sparkdbg submit --executor` on YARN, where the executors are JVMs of containers, and in cluster mode the driver too.

use std::fs;
use std::process::Command;

use crate::cluster::yarn::MiniYarn;
use crate::distribution::{SPARK_3, SPARK_4};
use crate::in_executors::{Debugged, assert_seen, attach_to_all, listeners, outputs};
use crate::jdb::Jdb;
use crate::job::{Ended, JOB_LIMIT, Job};
use crate::lab::{Lab, free_port};
use crate::tasks::Tasks;

#[test]
fn client_mode_attach() {
    attach(SPARK_4, "client", 37);
}

/// With a Hadoop of another line, and the agent in another key.
#[test]
fn client_mode_spark_3() {
    attach(SPARK_3, "client", 37);
}

#[test]
fn client_mode_listen() {
    listen("client", 37);
}

/// YARN takes any status of a driver on the cluster but 0 for a failure of its own.
#[test]
fn cluster_mode_attach() {
    attach(SPARK_4, "cluster", 0);
}

#[test]
fn cluster_mode_listen() {
    listen("cluster", 0);
}

/// Each of two executors listens on a port of its own, which the log of its container names.
fn attach(version: &str, mode: &str, status: i32) {
    let lab = Lab::alone(version);
    let yarn = MiniYarn::start(&lab, 1);
    let tasks = Tasks::new(&lab);
    let mut command = lab.sparkdbg();
    command.args(["submit", "--executor", "--"]);
    submit(&mut command, &lab, &yarn, mode);
    command.args(["--num-executors", "2"]);
    tasks.add_to(&mut command, 2, status);
    let mut job = Job::start(&mut command, lab.dir(), None);
    let debugged = attach_to_all(&lab, &mut job, &tasks, yarn.dir(), 2);
    let mut debugged = debugged.unwrap_or_else(|error| panic!("{error}: {}", job.said()));
    for executor in &mut debugged {
        executor.let_go(&tasks).unwrap_or_else(|error| panic!("{error}: {}", job.said()));
    }
    tasks.end();
    let ended = job.end(JOB_LIMIT).unwrap_or_else(|error| panic!("{error}"));
    assert_seen(&tasks, &driver_output(&yarn, mode, &ended), &debugged, 2);
    assert_eq!(ended.code(), status, "{ended:#?}");
}

/// The one executor dials jdb.
fn listen(mode: &str, status: i32) {
    let lab = Lab::alone(SPARK_4);
    let yarn = MiniYarn::start(&lab, 1);
    let tasks = Tasks::new(&lab);
    let port = free_port();
    let mut jdb = Jdb::listen(&lab.java, port, lab.dir()).unwrap_or_else(|error| panic!("{error}"));
    let mut command = lab.sparkdbg();
    // Nobody but us knows that YARN's containers run on this machine, where loopback is the debugger's.
    command.args(["--no-preflight", "submit", &format!("--executor=listen:{port}"), "--"]);
    submit(&mut command, &lab, &yarn, mode);
    tasks.add_to(&mut command, 2, status);
    let mut job = Job::start(&mut command, lab.dir(), None);
    let debugged = jdb.connected(|| job.alive()).and_then(|()| Debugged::stand(jdb, &tasks));
    let mut debugged = debugged.unwrap_or_else(|error| panic!("{error}: {}", job.said()));
    debugged.let_go(&tasks).unwrap_or_else(|error| panic!("{error}: {}", job.said()));
    assert_eq!(listeners(yarn.dir()).len(), 0, "an executor listens, though it was to dial");
    tasks.end();
    let ended = job.end(JOB_LIMIT).unwrap_or_else(|error| panic!("{error}"));
    assert_seen(&tasks, &driver_output(&yarn, mode, &ended), &[debugged], 1);
    assert_eq!(ended.code(), status, "{ended:#?}");
}

fn submit(command: &mut Command, lab: &Lab, yarn: &MiniYarn, mode: &str) {
    command.args(["--master", "yarn", "--deploy-mode", mode, "--conf", "spark.ui.enabled=false"]);
    command.args(["--driver-memory", "512m", "--executor-memory", "512m"]);
    yarn.apply(command, lab);
}

/// In cluster mode the driver's output is that of the only container that lists what tasks returned.
fn driver_output(yarn: &MiniYarn, mode: &str, ended: &Ended) -> String {
    if mode == "client" {
        return ended.stdout.clone();
    }
    let outputs = outputs(yarn.dir()).into_iter().filter_map(|file| fs::read_to_string(file).ok());
    let with_results: Vec<String> = outputs.filter(|output| !Tasks::outcomes(output).is_empty()).collect();
    assert_eq!(with_results.len(), 1, "one driver: {with_results:#?}, {ended:#?}");
    with_results.concat()
}
