//! The servers, in the foreground, as a supervisor would run them.

use std::process::Command;
use std::time::Duration;

use rustix::process::Signal;

use crate::distribution::SPARK_4;
use crate::jdb::{Jdb, listening, wait_for_listener};
use crate::job::{Ended, JOB_LIMIT, Job};
use crate::lab::{Lab, free_port};

/// A server is ready when its clients can connect.
const READY_LIMIT: Duration = Duration::from_secs(150);

#[test]
fn connect_server() {
    serves("connect-server", "org.apache.spark.sql.connect.service.SparkConnectServer", |command, port| {
        command.args(["--conf", "spark.connect.grpc.binding.address=127.0.0.1"]);
        command.args(["--conf", &format!("spark.connect.grpc.binding.port={port}")]);
    });
}

#[test]
fn thrift_server() {
    serves("thrift-server", "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2", |command, port| {
        command.env("HIVE_SERVER2_THRIFT_BIND_HOST", "127.0.0.1");
        command.env("HIVE_SERVER2_THRIFT_PORT", port.to_string());
    });
}

/// Starts the server without us and with us: both times it serves, and SIGTERM ends it in the same way. In between, jdb
/// attaches to the running server and finds its class there.
fn serves(command: &str, class: &str, listen_on: impl Fn(&mut Command, u16)) {
    let lab = Lab::new(SPARK_4);

    let mut spark_submit = lab.script("spark-submit");
    spark_submit.args(["--class", class]);
    let (plain, port) = serving(&lab, "plain", spark_submit, &listen_on);
    let plain = terminated(plain, port);

    let debug_port = free_port();
    let mut sparkdbg = lab.sparkdbg();
    sparkdbg.args([command, &format!("--driver=attach:{debug_port},nosuspend"), "--"]);
    let (mut job, port) = serving(&lab, "debugged", sparkdbg, &listen_on);
    let jdb = Jdb::attach(&lab.java, debug_port, lab.dir(), || job.alive());
    let mut jdb = jdb.unwrap_or_else(|error| panic!("{error}: {}", job.said()));
    let answer = jdb.ask(&format!("class {class}")).expect("an answer of jdb");
    assert!(answer.starts_with(&format!("Class: {class}\n")), "this is not the server's JVM: {answer}");
    jdb.quit().expect("jdb detaches");
    let ended = terminated(job, port);
    assert_eq!(ended.code(), plain.code(), "{ended:#?}");
}

/// Starts the server in a directory of its own, since both keep a database there, and waits until it serves.
fn serving(lab: &Lab, dir: &str, mut command: Command, listen_on: impl Fn(&mut Command, u16)) -> (Job, u16) {
    let port = free_port();
    let dir = lab.subdir(dir);
    command.current_dir(&dir);
    command.args(["--master", "local[1]", "--conf", "spark.ui.enabled=false", "--driver-memory", "512m"]);
    listen_on(&mut command, port);
    let mut job = Job::start(&mut command, &dir, None);
    wait_for_listener(port, READY_LIMIT, || job.alive()).unwrap_or_else(|error| panic!("{error}: {}", job.said()));
    (job, port)
}

/// Ends the server with one signal to the process that was started.
fn terminated(job: Job, port: u16) -> Ended {
    job.signal(Signal::TERM);
    let ended = job.end(JOB_LIMIT).unwrap_or_else(|error| panic!("{error}"));
    assert!(!listening(port), "the server outlived the process that was started: {ended:#?}");
    ended
}
