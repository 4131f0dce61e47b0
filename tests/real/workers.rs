//! `sparkdbg worker`: the executors of one Worker of a cluster, whatever application they belong to.

use std::process::Command;

use crate::cluster::processes_below;
use crate::cluster::standalone::Standalone;
use crate::distribution::SPARK_4;
use crate::in_executors::{Debugged, assert_seen, listeners, wait_for_listeners, wait_for_tasks};
use crate::jdb::Jdb;
use crate::job::{JOB_LIMIT, Job};
use crate::lab::{Lab, free_port};
use crate::tasks::Tasks;

const STATUS: i32 = 37;

/// Where the chosen Worker and the other one are among the cluster's.
const CHOSEN: usize = 0;
const OTHER: usize = 1;

#[test]
fn attach() {
    let lab = Lab::alone(SPARK_4);
    let cluster = with_a_chosen_worker(&lab, &["--executor"]);
    let tasks = Tasks::new(&lab);
    let mut job = Job::start(&mut submit(&lab, &cluster, &tasks), lab.dir(), None);
    let debugged = wait_for_tasks(lab.dir(), 2, || job.alive()).and_then(|()| {
        let ports = wait_for_listeners(&cluster.workers[CHOSEN].dir, 1, || job.alive())?;
        let (_, port) = ports.first_key_value().expect("a listener");
        let jdb = Jdb::attach(&lab.java, *port, lab.dir(), || job.alive())?;
        Debugged::stand(jdb, &tasks)
    });
    let debugged = debugged.unwrap_or_else(|error| panic!("{error}: {}", job.said()));
    only_the_chosen_one(&lab, &cluster, &tasks, job, debugged, 1);
}

#[test]
fn listen() {
    let lab = Lab::alone(SPARK_4);
    let port = free_port();
    let mut jdb = Jdb::listen(&lab.java, port, lab.dir()).unwrap_or_else(|error| panic!("{error}"));
    let cluster = with_a_chosen_worker(&lab, &["--listen", &port.to_string()]);
    let tasks = Tasks::new(&lab);
    let mut job = Job::start(&mut submit(&lab, &cluster, &tasks), lab.dir(), None);
    let debugged = jdb.connected(|| job.alive()).and_then(|()| {
        // Also in the other worker's executor, which would wait for the task's broadcast from one that stands.
        wait_for_tasks(lab.dir(), 2, || job.alive())?;
        Debugged::stand(jdb, &tasks)
    });
    let debugged = debugged.unwrap_or_else(|error| panic!("{error}: {}", job.said()));
    only_the_chosen_one(&lab, &cluster, &tasks, job, debugged, 0);
}

/// Two Workers on one host, one of them started by us.
fn with_a_chosen_worker(lab: &Lab, options: &[&str]) -> Standalone {
    let mut cluster = Standalone::new(lab);
    cluster.add_worker(lab, |words| {
        let mut command = lab.sparkdbg();
        command.arg("worker").args(options).arg("--").args(words);
        command
    });
    cluster.add_plain_worker(lab);
    cluster
}

/// An application that knows nothing of a debugger, with one task for each Worker.
fn submit(lab: &Lab, cluster: &Standalone, tasks: &Tasks) -> Command {
    let mut command = lab.script("spark-submit");
    command.args(["--master", &cluster.url, "--conf", "spark.ui.enabled=false"]);
    command.args(["--driver-memory", "512m", "--executor-memory", "512m"]);
    tasks.add_to(&mut command, 2, STATUS);
    command
}

/// While a debugger stands in the executor of the chosen Worker, no other JVM has an agent, and the debugger is where
/// that Worker says.
fn only_the_chosen_one(
    lab: &Lab,
    cluster: &Standalone,
    tasks: &Tasks,
    job: Job,
    mut debugged: Debugged,
    listening: usize,
) {
    let agents = |worker: usize| -> Vec<usize> {
        let executors = processes_below(&cluster.workers[worker].dir);
        executors.iter().map(|executor| executor.command_line.matches("-agentlib:jdwp").count()).collect()
    };
    assert_eq!((agents(CHOSEN), agents(OTHER)), (vec![1], vec![0]), "of the executors of each worker");
    for worker in &cluster.workers {
        let daemon = worker.command_line();
        assert!(daemon.contains("org.apache.spark.deploy.worker.Worker"), "not a worker: {daemon}");
        assert!(!daemon.contains("jdwp"), "the worker itself is debugged: {daemon}");
    }
    assert_eq!(listeners(lab.dir()).len(), listening);
    let own = cluster.workers[CHOSEN].executor_dir(&debugged.place.executor);
    assert!(own.is_some(), "the debugger is in an executor of the other worker: {:?}", debugged.place);

    debugged.let_go(tasks).unwrap_or_else(|error| panic!("{error}: {}", job.said()));
    tasks.end();
    let ended = job.end(JOB_LIMIT).unwrap_or_else(|error| panic!("{error}"));
    assert_seen(tasks, &ended.stdout, &[debugged], 2);
    assert_eq!(ended.code(), STATUS, "{ended:#?}");
}
