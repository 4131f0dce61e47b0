//! Breakpoints in a real Flink: in the client's `main`, in a JobManager that runs an application, in the tasks of
//! TaskManagers side by side; and a TaskManager that stands for longer than Flink bears by itself.

use std::collections::BTreeSet;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::cluster::flink::Flink;
use crate::flink_distribution::{FLINK_1, FLINK_2};
use crate::jdb::Jdb;
use crate::job::{JOB_LIMIT, Job};
use crate::lab::{Lab, free_port};
use crate::numbers::{Marked, Numbers};

const STATUS: i32 = 37;

/// From the start of the job's client to tasks, which take a number every 100 ms.
const BREAKPOINT_LIMIT: Duration = Duration::from_secs(90);

/// For what a running cluster does on a busy machine.
const STEP_LIMIT: Duration = Duration::from_secs(60);

/// For a loss to be noticed: Flink's own 50 s, and some.
const LOSS_LIMIT: Duration = Duration::from_secs(120);

#[test]
fn client_and_two_taskmanagers_flink_1() {
    client_and_two_taskmanagers(FLINK_1);
}

#[test]
fn client_and_two_taskmanagers_flink_2() {
    client_and_two_taskmanagers(FLINK_2);
}

/// `sparkdbg flink` and its words, on that cluster.
fn sparkdbg(lab: &Lab, words: &[&str]) -> Command {
    let mut command = lab.sparkdbg();
    command.arg("flink").args(words);
    command
}

/// A whole cluster by `start-cluster.sh`, a job of two tasks, and a debugger in each of the JVMs at once.
fn client_and_two_taskmanagers(version: &str) {
    let lab = Lab::flink(version);
    let numbers = Numbers::new(&lab);
    let flink = Flink::new(&lab);
    flink.set_workers(2);
    let (in_jobmanager, in_client) = (free_port(), free_port());
    let jobmanager = format!("--jobmanager=attach:{in_jobmanager}");
    flink.start(&mut sparkdbg(&lab, &[&jobmanager, "--taskmanager", "--", "start-cluster.sh"]));
    flink.wait_for_taskmanagers(2);

    // What is there before us is still there, and the pause limit is in place.
    for daemon in flink.daemons() {
        let opened = daemon.command_line.matches(" --add-opens=").count();
        assert_eq!(opened, 12, "{}", daemon.command_line);
        assert_eq!(daemon.command_line.matches("-agentlib:jdwp=").count(), 1, "{}", daemon.command_line);
    }
    let settings = flink.rest("/jobmanager/config").expect("it serves");
    let set = |key: &str| {
        settings.as_array().expect("a list").iter().any(|one| *one == json!({"key": key, "value": "7200000"}))
    };
    for key in ["heartbeat.timeout", "pekko.ask.timeout", "slot.request.timeout", "web.timeout"] {
        assert!(set(key), "{key}: {settings:#}");
    }

    let client = format!("--client=attach:{in_client}");
    let mut run = sparkdbg(&lab, &[&client, "--", "run", "-p", "2"]);
    numbers.add_to(&mut run, 0, STATUS);
    let mut job = Job::start(flink.apply(&mut run), &lab.subdir("client"), None);
    let token = Jdb::attach(&lab.java, in_client, lab.dir(), || job.alive()).and_then(|mut jdb| {
        jdb.started_suspended()?;
        let token = in_main(&mut jdb, &numbers)?;
        jdb.quit()?;
        Ok(token)
    });
    assert_eq!(token, Ok(format!("\"{}\"", numbers.main_token())), "{}", job.said());

    // `ps` says where each is, and what runs there.
    let rows = wait_for_rows(
        &lab,
        &flink,
        |row| row["role"] == "taskmanager" && !row["operators"].as_array().is_none_or(Vec::is_empty),
        2,
    );
    let ports: BTreeSet<u16> = rows.iter().map(port).collect();
    assert_eq!(ports.len(), 2, "{rows:#?}");
    let of_mark = |row: &Value| row["operators"].to_string().contains("mark");
    assert!(rows.iter().all(of_mark), "{rows:#?}");
    let jobmanager = wait_for_rows(&lab, &flink, |row| row["role"] == "jobmanager", 1);
    assert_eq!(port(&jobmanager[0]), in_jobmanager);

    let mut both: Vec<Jdb> = ports.iter().map(|port| attach(&lab, *port)).collect();
    let seen: Vec<Marked> = both.iter_mut().map(|jdb| in_task(jdb, &numbers)).collect();
    for jdb in both {
        jdb.quit().expect("it goes on");
    }
    let mut pids: Vec<u32> = seen.iter().map(|seen| seen.pid).collect();
    let mut expected = flink.pids("taskexecutor");
    pids.sort_unstable();
    expected.sort_unstable();
    assert_eq!(pids, expected);
    assert!(seen.iter().all(|seen| seen.token == numbers.task_token()), "{seen:?}");

    numbers.end();
    let ended = job.end(JOB_LIMIT).unwrap_or_else(|error| panic!("{error}\n{}", flink.last_words()));
    assert_eq!(ended.code(), STATUS, "{ended:#?}");
    assert!(ended.stdout.contains(&format!("ended {}\n", numbers.main_token())), "{ended:#?}");
    let printed: Vec<Marked> =
        (0..2).flat_map(|number| Numbers::printed(&flink.output("taskexecutor", number))).collect();
    assert_eq!(printed.len(), 12_000);
    assert!(seen.iter().all(|seen| printed.contains(seen)), "{seen:?}");
    // The distribution's own script ends what ours started.
    flink.start(&mut lab.script("stop-cluster.sh"));
    wait_until("all daemons are gone", || flink.daemons().is_empty());
}

/// Application mode: main runs in the JobManager, which waits for the debugger.
#[test]
fn main_in_the_jobmanager_of_an_application() {
    let lab = Lab::flink(FLINK_1);
    let numbers = Numbers::new(&lab);
    let flink = Flink::new(&lab);
    let in_jobmanager = free_port();
    let jobmanager = format!("--jobmanager=attach:{in_jobmanager},suspend");
    let mut start = sparkdbg(&lab, &[&jobmanager, "--", "standalone-job.sh", "start"]);
    start.args(["--job-classname", Numbers::CLASS]);
    numbers.add_args_to(&mut start, 0, 0);
    flink.start(start.env("HADOOP_CLASSPATH", &numbers.jar));

    let mut jdb = Jdb::attach(&lab.java, in_jobmanager, lab.dir(), || true).expect("jdb attaches");
    jdb.started_suspended().expect("it stands before main");
    let token = in_main(&mut jdb, &numbers);
    jdb.quit().expect("it goes on");
    assert_eq!(token, Ok(format!("\"{}\"", numbers.main_token())), "{}", flink.last_words());

    // The pause limit of a job that this command makes itself.
    flink.start(lab.script("taskmanager.sh").arg("start").env("HADOOP_CLASSPATH", &numbers.jar));
    flink.wait_for_taskmanagers(1);
    let settings = flink.rest("/jobmanager/config").expect("it serves");
    let checkpoints = json!({"key": "execution.checkpointing.timeout", "value": "7200000"});
    assert!(settings.as_array().expect("a list").contains(&checkpoints), "{settings:#}");
    numbers.end();
    wait_until("the application has ended", || {
        flink.output("standalonejob", 0).contains(&format!("ended {}\n", numbers.main_token()))
    });
}

/// A debugger that listens takes one TaskManager, which is added to a session that runs.
#[test]
fn a_taskmanager_that_dials() {
    let lab = Lab::flink(FLINK_2);
    let numbers = Numbers::new(&lab);
    let flink = Flink::new(&lab);
    flink.start(lab.script("jobmanager.sh").arg("start"));
    let debugger = free_port();
    let mut jdb = Jdb::listen(&lab.java, debugger, lab.dir()).expect("jdb listens");
    let listen = format!("--taskmanager=listen:{debugger}");
    flink.start(&mut sparkdbg(&lab, &[&listen, "--", "taskmanager.sh", "start"]));
    jdb.connected(|| true).expect("it dials");
    flink.wait_for_taskmanagers(1);

    let mut run = lab.script("flink");
    numbers.add_to(run.arg("run"), 0, 0);
    let job = Job::start(flink.apply(&mut run), &lab.subdir("client"), None);
    let seen = in_task(&mut jdb, &numbers);
    assert_eq!((seen.token, vec![seen.pid]), (numbers.task_token(), flink.pids("taskexecutor")));
    jdb.quit().expect("it goes on");
    numbers.end();
    assert_eq!(job.end(JOB_LIMIT).expect("it ends").code(), 0);
}

/// The second one is started while the first has not bound its port yet.
#[test]
fn two_taskmanagers_in_a_hurry() {
    let lab = Lab::flink(FLINK_1);
    let flink = Flink::new(&lab);
    flink.start(lab.script("jobmanager.sh").arg("start"));
    for _ in 0..2 {
        flink.start(&mut sparkdbg(&lab, &["--taskmanager", "--", "taskmanager.sh", "start"]));
    }
    flink.wait_for_taskmanagers(2);
    let ports: BTreeSet<u16> = (0..2).map(|number| listens_on(&flink.output("taskexecutor", number))).collect();
    assert_eq!(ports.len(), 2, "{}", flink.last_words());
}

/// One JVM is client, JobManager and TaskManager.
#[test]
fn all_in_one_jvm() {
    let lab = Lab::flink(FLINK_2);
    let numbers = Numbers::new(&lab);
    let flink = Flink::new(&lab);
    let port = free_port();
    let client = format!("--client=attach:{port}");
    let mut run = sparkdbg(&lab, &[&client, "--", "run", "-t", "local"]);
    numbers.add_to(&mut run, 0, STATUS);
    let dir = lab.subdir("client");
    let mut job = Job::start(flink.apply(&mut run), &dir, None);
    let mut jdb = Jdb::attach(&lab.java, port, lab.dir(), || job.alive()).expect("jdb attaches");
    jdb.started_suspended().expect("it stands before main");
    jdb.stop_at(Numbers::CLASS, numbers.main_line).expect("a breakpoint");
    jdb.cont().expect("it goes on");
    jdb.breakpoint_hit(BREAKPOINT_LIMIT).expect("main");
    assert_eq!(jdb.print("token"), Ok(format!("\"{}\"", numbers.main_token())));
    jdb.cont().expect("it goes on");
    // The tasks have classes of their own, which must be there for jdb to stop in them.
    wait_until("tasks run", || job.said().contains(&numbers.task_token()));
    let seen = in_task(&mut jdb, &numbers);
    assert_eq!(seen.token, numbers.task_token());
    jdb.quit().expect("it goes on");
    numbers.end();
    let ended = job.end(JOB_LIMIT).expect("it ends");
    assert_eq!(ended.code(), STATUS, "{ended:#?}");
}

/// A job under checkpoints whose TaskManager stands still, all of it, until one that is started without a pause limit
/// was given up.
#[test]
fn a_taskmanager_beyond_the_heartbeat_timeout() {
    let lab = Lab::flink(FLINK_1);
    let numbers = Numbers::new(&lab);
    let kept = Session::start(&lab, &numbers, "kept", "2h");
    let lost = Session::start(&lab, &numbers, "lost", "off");
    let mut both = [&kept, &lost].map(|session| {
        let mut jdb = Jdb::attach(&lab.java, session.in_taskmanager, &lab.subdir(session.name), || true).expect("jdb");
        jdb.ask("suspend").expect("it stands still");
        jdb
    });
    let started = Instant::now();
    while lost.exceptions().is_empty() {
        assert!(started.elapsed() < LOSS_LIMIT, "not lost within {LOSS_LIMIT:?}: {}", lost.flink.last_words());
        thread::sleep(Duration::from_millis(500));
    }
    assert!(lost.exceptions().contains("eartbeat"), "{}", lost.exceptions());
    // `ps` says who does not answer, and does not wait for it.
    let asked = Instant::now();
    let rows = rows(&lab, &kept.flink, "5s");
    assert!(asked.elapsed() < Duration::from_secs(15), "{:?}", asked.elapsed());
    let row = rows.iter().find(|row| row["role"] == "taskmanager").expect("it is listed");
    assert!(row["hint"].as_str().is_some_and(|hint| hint.contains("does not answer")), "{row}");
    for jdb in &mut both {
        jdb.ask("resume").expect("it goes on");
    }
    let [in_kept, in_lost] = both;
    in_kept.quit().expect("it goes on");
    drop(in_lost);

    // The job goes on in the same TaskManager, and makes checkpoints again.
    let before = kept.checkpoints();
    wait_until("checkpoints are made again", || kept.checkpoints() > before);
    assert_eq!(kept.exceptions(), "");
    numbers.end();
    assert_eq!(kept.job.end(JOB_LIMIT).expect("it ends").code(), 0);
}

/// A session with one TaskManager and a job under checkpoints.
struct Session {
    name: &'static str,
    in_taskmanager: u16,
    job: Job,
    id: String,
    flink: Flink,
}

impl Session {
    fn start(lab: &Lab, numbers: &Numbers, name: &'static str, limit: &str) -> Self {
        let flink = Flink::named(lab, name);
        flink.set_workers(1);
        let limit = format!("--pause-limit={limit}");
        flink.start(&mut sparkdbg(lab, &["--jobmanager=attach:0", "--taskmanager", &limit, "--", "start-cluster.sh"]));
        flink.wait_for_taskmanagers(1);
        let mut run = lab.script("flink");
        numbers.add_to(run.arg("run"), 1_000, 0);
        let job = Job::start(flink.apply(&mut run), &lab.subdir(&format!("client-{name}")), None);
        let in_taskmanager = listens_on(&flink.output("taskexecutor", 0));
        let mut session = Session { name, in_taskmanager, job, id: String::new(), flink };
        wait_until("the job runs", || {
            let jobs = session.flink.rest("/jobs").unwrap_or_default();
            session.id = jobs["jobs"][0]["id"].as_str().unwrap_or_default().to_owned();
            !session.id.is_empty() && session.checkpoints() > 0
        });
        session
    }

    /// How many were completed.
    fn checkpoints(&self) -> u64 {
        let found = self.flink.rest(&format!("/jobs/{}/checkpoints", self.id)).unwrap_or_default();
        found["counts"]["completed"].as_u64().unwrap_or_default()
    }

    /// What made the job fail, if it did.
    fn exceptions(&self) -> String {
        let found = self.flink.rest(&format!("/jobs/{}/exceptions", self.id)).unwrap_or_default();
        let entries = found["exceptionHistory"]["entries"].as_array().cloned().unwrap_or_default();
        entries.iter().map(|entry| entry["stacktrace"].as_str().unwrap_or_default().to_owned()).collect()
    }
}

/// Stands in `main`, reads its variable, and lets it go on without a debugger.
fn in_main(jdb: &mut Jdb, numbers: &Numbers) -> Result<String, String> {
    jdb.stop_at(Numbers::CLASS, numbers.main_line)?;
    jdb.cont()?;
    jdb.breakpoint_hit(BREAKPOINT_LIMIT)?;
    jdb.print("token")
}

/// Stands in a task, reads its variables, and leaves no breakpoint.
fn in_task(jdb: &mut Jdb, numbers: &Numbers) -> Marked {
    let seen = jdb.stand_at(Numbers::TASK_CLASS, numbers.task_line, BREAKPOINT_LIMIT).and_then(|()| {
        let seen = Numbers::seen_by(jdb)?;
        jdb.clear(Numbers::TASK_CLASS, numbers.task_line)?;
        Ok(seen)
    });
    seen.unwrap_or_else(|error| panic!("{error}"))
}

/// A debugger with a transcript of its own.
fn attach(lab: &Lab, port: u16) -> Jdb {
    let dir = lab.subdir(&format!("jdb-{port}"));
    Jdb::attach(&lab.java, port, &dir, || true).unwrap_or_else(|error| panic!("{error}"))
}

/// The port that the JVM's first line names.
fn listens_on(output: &str) -> u16 {
    let line = output.lines().find(|line| line.starts_with("Listening for transport dt_socket at address: "));
    let port = line.and_then(|line| line.rsplit(' ').next()?.parse().ok());
    port.unwrap_or_else(|| panic!("it names no port: {output}"))
}

fn port(row: &Value) -> u16 {
    row["port"].as_u64().and_then(|port| u16::try_from(port).ok()).unwrap_or_else(|| panic!("no port: {row}"))
}

/// What `sparkdbg ps --json` says of the cluster.
fn rows(lab: &Lab, flink: &Flink, limit: &str) -> Vec<Value> {
    let output =
        lab.sparkdbg().args(["-q", "ps", "--json", "--timeout", limit, &flink.url()]).output().expect("it starts");
    serde_json::from_slice(&output.stdout).unwrap_or_default()
}

fn wait_for_rows(lab: &Lab, flink: &Flink, wanted: impl Fn(&Value) -> bool, count: usize) -> Vec<Value> {
    let started = Instant::now();
    loop {
        let rows = rows(lab, flink, "20s");
        let found: Vec<Value> = rows.iter().filter(|row| wanted(row)).cloned().collect();
        if found.len() == count {
            return found;
        }
        assert!(started.elapsed() < STEP_LIMIT, "not seen within {STEP_LIMIT:?}: {rows:#?}");
        thread::sleep(Duration::from_millis(300));
    }
}

#[track_caller]
fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let started = Instant::now();
    while !done() {
        assert!(started.elapsed() < STEP_LIMIT, "{what}: not within {STEP_LIMIT:?}");
        thread::sleep(Duration::from_millis(100));
    }
}
