//! `sparkdbg submit --driver` in cluster mode: the driver is a JVM that the cluster starts, and waits there for its
//! debugger.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use crate::cluster::standalone::Standalone;
use crate::cluster::yarn::MiniYarn;
use crate::distribution::SPARK_4;
use crate::in_executors::outputs;
use crate::jdb::Jdb;
use crate::job::{JOB_LIMIT, Job};
use crate::lab::{Lab, free_port};
use crate::tasks::Tasks;

#[test]
fn standalone_by_the_legacy_gateway() {
    let lab = Lab::alone(SPARK_4);
    let cluster = Standalone::with_workers(&lab, 2);
    stops(&lab, lab.dir(), |command| {
        command.args(["--master", &cluster.url]);
    });
}

#[test]
fn standalone_by_rest() {
    let lab = Lab::alone(SPARK_4);
    let (mut cluster, rest) = Standalone::with_rest(&lab);
    cluster.add_plain_worker(&lab);
    cluster.add_plain_worker(&lab);
    stops(&lab, lab.dir(), |command| {
        command.args(["--master", &rest, "--conf", "spark.master.rest.enabled=true"]);
    });
}

/// The driver is in the ApplicationMaster.
#[test]
fn yarn() {
    let lab = Lab::alone(SPARK_4);
    let yarn = MiniYarn::start(&lab, 1);
    stops(&lab, yarn.dir(), |command| {
        command.args(["--master", "yarn", "--num-executors", "1"]);
        yarn.apply(command, &lab);
    });
}

/// Stands before `main` until jdb comes, stops where told, and computes what it would have computed by itself. `dir`:
/// JVMs of the cluster write their output below it.
fn stops(lab: &Lab, dir: &Path, cluster: impl FnOnce(&mut Command)) {
    let tasks = Tasks::new(lab);
    let port = free_port();
    let mut command = lab.sparkdbg();
    command.args(["submit", &format!("--driver=attach:{port}"), "--", "--deploy-mode", "cluster"]);
    cluster(&mut command);
    command.args(["--conf", "spark.ui.enabled=false", "--driver-memory", "512m", "--executor-memory", "512m"]);
    tasks.add_to(&mut command, 1, 0);
    let job = Job::start(&mut command, lab.dir(), None);

    // The gateways of a standalone cluster let the submitter go before the driver runs.
    let started = Instant::now();
    let jdb = Jdb::attach(&lab.java, port, lab.dir(), || started.elapsed() < JOB_LIMIT);
    let stood = jdb.and_then(|mut jdb| {
        jdb.started_suspended()?;
        jdb.stop_at(Tasks::CLASS, tasks.driver_line)?;
        jdb.cont()?;
        jdb.breakpoint_hit(JOB_LIMIT)?;
        let token = jdb.print("token")?;
        jdb.clear(Tasks::CLASS, tasks.driver_line)?;
        jdb.cont()?;
        Ok((token, jdb))
    });
    let (token, _jdb) = stood.unwrap_or_else(|error| panic!("{error}: {}", job.said()));
    assert_eq!(token, format!("\"{}\"", tasks.driver_token()));
    tasks.end();

    let outcome = loop {
        let said = outputs(dir).into_iter().filter_map(|file| fs::read_to_string(file).ok());
        if let Some(outcome) = said.flat_map(|said| Tasks::outcomes(&said)).next() {
            break outcome;
        }
        assert!(started.elapsed() < 2 * JOB_LIMIT, "the driver did not end: {}", job.said());
        thread::sleep(Duration::from_millis(200));
    };
    assert_eq!((outcome.place.token, outcome.attempt), (tasks.token(0), 0));
    let ended = job.end(JOB_LIMIT).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(ended.code(), 0, "{ended:#?}");
}
