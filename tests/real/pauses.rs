//! `--pause-limit`: a JVM stands on a breakpoint, with all its threads, for longer than Spark bears by itself. Each
//! test runs the same job twice at the same time: without the limit Spark gives something up, and that is when the
//! test knows that the pause was long enough; with it, the same JVMs go on and the job ends as if nothing had been.
//!
//! The full scale takes more than ten minutes and is run on demand (CONTRIBUTING.md).

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use crate::cluster::local::OwnHome;
use crate::cluster::standalone::Standalone;
use crate::cluster::{Process, processes_below};
use crate::distribution::SPARK_4;
use crate::in_executors::{Debugged, attach_to_all, outputs};
use crate::jdb::Jdb;
use crate::job::{JOB_LIMIT, Job};
use crate::lab::{Lab, free_port};
use crate::tasks::{Outcome, Tasks};

const STATUS: i32 = 37;

/// For a loss to come after its time: Spark looks now and then, and the machine is busy.
const NOTICED_LIMIT: Duration = Duration::from_secs(90);

/// Stock, but for how often Spark looks: 120 s instead of somewhere from 120 s to 180 s.
#[test]
fn executor_beyond_the_network_timeout() {
    paused_executor(&["spark.network.timeoutInterval=5s"], "10m", Duration::ZERO);
}

#[test]
#[ignore = "takes eleven minutes: see CONTRIBUTING.md"]
fn executor_for_more_than_ten_minutes() {
    paused_executor(&[], "2h", Duration::from_secs(630));
}

/// Stock, but for the time between heartbeats: executors exit after 60 of them that nobody answered, that is after one
/// minute instead of ten.
#[test]
fn driver_beyond_sixty_heartbeats() {
    paused_driver(&["spark.executor.heartbeatInterval=1s"], "10m", Duration::from_secs(60), Duration::ZERO);
}

#[test]
#[ignore = "takes eleven minutes: see CONTRIBUTING.md"]
fn driver_for_more_than_ten_minutes() {
    paused_driver(&[], "2h", Duration::from_secs(600), Duration::from_secs(630));
}

/// Both executors stand in their task; when the unprotected one has been given up, and not before `at_least`, both
/// may go on.
fn paused_executor(confs: &[&str], limit: &str, at_least: Duration) {
    let lab = Lab::new(SPARK_4);
    let tasks = Tasks::new(&lab);
    let (kept_home, lost_home) = (OwnHome::named(&lab, "kept"), OwnHome::named(&lab, "lost"));
    let (mut kept, mut in_kept) = stand_in_executor(&lab, &tasks, &kept_home, limit, confs);
    let stood = Instant::now();
    let (mut lost, in_lost) = stand_in_executor(&lab, &tasks, &lost_home, "off", confs);

    let loss = wait_for(Duration::from_secs(180) + NOTICED_LIMIT, || {
        assert!(lost.alive(), "{}", lost.said());
        lost.stderr()
            .lines()
            .find(|line| line.contains("Removing executor 0 with no recent heartbeats"))
            .map(str::to_owned)
    });
    let loss = loss.unwrap_or_else(|| panic!("nobody missed the unprotected executor: {}", lost.said()));
    assert!(loss.contains("exceeds timeout 120000 ms"), "another timeout than Spark's own: {loss}");
    thread::sleep(at_least.saturating_sub(stood.elapsed()));

    in_kept.let_go(&tasks).unwrap_or_else(|error| panic!("{error}: {}", kept.said()));
    tasks.end();
    assert!(kept.alive(), "{}", kept.said());
    let ended = kept.end(JOB_LIMIT).unwrap_or_else(|error| panic!("{error}"));
    let same = Outcome { place: in_kept.place.clone(), attempt: 0 };
    assert_eq!(Tasks::outcomes(&ended.stdout), [same], "{ended:#?}");
    assert_eq!(ended.code(), STATUS, "{ended:#?}");

    // The debugger's JVM is gone with the executor, and another one has run the task.
    let ended = lost.end(JOB_LIMIT).unwrap_or_else(|error| panic!("{error}"));
    let outcomes = Tasks::outcomes(&ended.stdout);
    let [outcome] = &outcomes[..] else { panic!("one task: {ended:#?}") };
    assert_eq!((outcome.attempt, &outcome.place.token), (1, &in_lost.place.token), "{ended:#?}");
    assert_ne!(outcome.place.pid, in_lost.place.pid);
}

/// Both drivers stand; when the unprotected one's executor has exited, after `due`, and not before `at_least`, the other
/// may go on.
///
/// Not in `local-cluster`: the Worker that reads what executors log is in the driver's JVM there, and an executor that
/// cannot write stands too, before it has counted to sixty.
fn paused_driver(confs: &[&str], limit: &str, due: Duration, at_least: Duration) {
    let lab = Lab::new(SPARK_4);
    let tasks = Tasks::new(&lab);
    let cluster = Standalone::with_workers(&lab, 2);
    let (kept, mut in_kept, kept_executor) = stand_in_driver(&lab, &tasks, &cluster, "kept", limit, confs);
    let (mut lost, _in_lost, lost_executor) = stand_in_driver(&lab, &tasks, &cluster, "lost", "off", confs);
    let stood = Instant::now();

    wait_for(due + NOTICED_LIMIT, || (!lost_executor.runs()).then_some(()))
        .unwrap_or_else(|| panic!("the unprotected driver's executor still waits: {}", lost.said()));
    let said = said_by_executors(lab.dir());
    let why = "Exit as unable to send heartbeats to driver more than 60 times";
    assert_eq!(said.matches(why).count(), 1, "it was not for want of answers that one executor exited: {said}");
    assert!(lost.alive(), "{}", lost.said());
    thread::sleep(at_least.saturating_sub(stood.elapsed()));

    assert!(kept_executor.runs(), "the protected driver's executor has gone: {}", kept.said());
    in_kept.clear(Tasks::CLASS, tasks.driver_line).unwrap_or_else(|error| panic!("{error}"));
    in_kept.cont().unwrap_or_else(|error| panic!("{error}"));
    tasks.end();
    let ended = kept.end(JOB_LIMIT).unwrap_or_else(|error| panic!("{error}"));
    let outcomes = Tasks::outcomes(&ended.stdout);
    let [outcome] = &outcomes[..] else { panic!("one task: {ended:#?}") };
    assert_eq!((outcome.attempt, &outcome.place.token), (0, &tasks.token(0)), "{ended:#?}");
    assert_eq!(outcome.place.pid, kept_executor.pid, "another executor: {ended:#?}");
    assert_eq!(ended.code(), STATUS, "{ended:#?}");
}

/// Starts the job, with one task, and has its executor stand in it.
fn stand_in_executor(lab: &Lab, tasks: &Tasks, home: &OwnHome, limit: &str, confs: &[&str]) -> (Job, Debugged) {
    let mut command = lab.sparkdbg();
    command.args(["submit", "--executor", &format!("--pause-limit={limit}"), "--"]);
    submit(home.apply(&mut command), tasks, "local-cluster[1,1,512]", confs);
    let mut job = Job::start(&mut command, &home.home, None);
    let debugged = attach_to_all(lab, &mut job, tasks, &home.work, 1);
    let mut debugged = debugged.unwrap_or_else(|error| panic!("{error}: {}", job.said()));
    (job, debugged.pop().expect("one debugger"))
}

/// Starts the job on one of the Workers and has its driver stand while an executor runs its task; returns that too.
fn stand_in_driver(
    lab: &Lab,
    tasks: &Tasks,
    cluster: &Standalone,
    name: &str,
    limit: &str,
    confs: &[&str],
) -> (Job, Jdb, Process) {
    let executors = || cluster.workers.iter().flat_map(|worker| processes_below(&worker.dir));
    let before: Vec<u32> = executors().map(|executor| executor.pid).collect();
    let port = free_port();
    let mut command = lab.sparkdbg();
    command.args(["submit", &format!("--driver=attach:{port},nosuspend"), &format!("--pause-limit={limit}"), "--"]);
    command.args(["--conf", "spark.cores.max=1"]);
    submit(&mut command, tasks, &cluster.url, confs);
    let dir = lab.subdir(name);
    let mut job = Job::start(&mut command, &dir, None);
    // An executor that has no driver yet would not wait for it.
    let running = wait_for(JOB_LIMIT, || job.stderr().contains("Starting task 0.0 in stage 0.0").then_some(()));
    running.unwrap_or_else(|| panic!("no executor ran the task: {}", job.said()));
    let jdb = Jdb::attach(&lab.java, port, &dir, || job.alive()).and_then(|mut jdb| {
        jdb.stand_at(Tasks::CLASS, tasks.driver_line, JOB_LIMIT)?;
        Ok(jdb)
    });
    let jdb = jdb.unwrap_or_else(|error| panic!("{error}: {}", job.said()));
    let mut own: Vec<Process> = executors().filter(|executor| !before.contains(&executor.pid)).collect();
    assert_eq!(own.len(), 1, "{own:?}");
    (job, jdb, own.remove(0))
}

fn submit(command: &mut Command, tasks: &Tasks, master: &str, confs: &[&str]) {
    command.args(["--master", master, "--driver-memory", "512m"]);
    for conf in ["spark.ui.enabled=false", "spark.executor.memory=512m"].iter().chain(confs) {
        command.args(["--conf", conf]);
    }
    tasks.add_to(command, 1, STATUS);
}

/// What executors wrote to standard error.
fn said_by_executors(dir: &Path) -> String {
    let files = outputs(dir).into_iter().map(|stdout| stdout.with_file_name("stderr"));
    files.filter_map(|file| fs::read_to_string(file).ok()).collect()
}

/// Asks again and again until there is an answer.
fn wait_for<T>(limit: Duration, mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    let started = Instant::now();
    loop {
        let answer = ask();
        if answer.is_some() || started.elapsed() > limit {
            return answer;
        }
        thread::sleep(Duration::from_millis(200));
    }
}
