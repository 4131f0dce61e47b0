//! A breakpoint in a task of a real Flink, and in the `main` of its job.

use std::time::Duration;

use crate::cluster::flink::Flink;
use crate::flink_distribution::{FLINK_1, FLINK_2};
use crate::jdb::Jdb;
use crate::job::{JOB_LIMIT, Job};
use crate::lab::{Lab, free_port};
use crate::numbers::Numbers;

const STATUS: i32 = 37;

/// From the start of the job's client to tasks, which take a number every 100 ms.
const BREAKPOINT_LIMIT: Duration = Duration::from_secs(90);

/// What the tests of `sparkdbg flink` stand on: cluster, job and jdb work with an agent that is set by hand.
#[test]
fn agent_set_by_hand_flink_1() {
    agent_set_by_hand(FLINK_1);
}

#[test]
fn agent_set_by_hand_flink_2() {
    agent_set_by_hand(FLINK_2);
}

fn agent_set_by_hand(version: &str) {
    let lab = Lab::flink(version);
    let numbers = Numbers::new(&lab);
    let flink = Flink::new(&lab);
    flink.set_workers(1);
    let (in_client, in_task) = (free_port(), free_port());
    flink.start(lab.script("start-cluster.sh").env("FLINK_ENV_JAVA_OPTS_TM", agent(in_task, "n")));
    flink.wait_for_taskmanagers(1);

    let mut run = lab.script("flink");
    run.env("FLINK_ENV_JAVA_OPTS_CLI", agent(in_client, "y")).arg("run");
    numbers.add_to(&mut run, 1000, STATUS);
    let mut job = Job::start(flink.apply(&mut run), &lab.subdir("client"), None);
    let token = Jdb::attach(&lab.java, in_client, lab.dir(), || job.alive()).and_then(|mut jdb| {
        jdb.started_suspended()?;
        jdb.stop_at(Numbers::CLASS, numbers.main_line)?;
        jdb.cont()?;
        jdb.breakpoint_hit(BREAKPOINT_LIMIT)?;
        let token = jdb.print("token")?;
        jdb.quit()?;
        Ok(token)
    });
    assert_eq!(token, Ok(format!("\"{}\"", numbers.main_token())), "{}", job.said());

    let seen = Jdb::attach(&lab.java, in_task, lab.dir(), || job.alive()).and_then(|mut jdb| {
        jdb.stand_at(Numbers::TASK_CLASS, numbers.task_line, BREAKPOINT_LIMIT)?;
        let seen = Numbers::seen_by(&mut jdb)?;
        jdb.clear(Numbers::TASK_CLASS, numbers.task_line)?;
        jdb.quit()?;
        Ok(seen)
    });
    let seen = seen.unwrap_or_else(|error| panic!("{error}: {}\n{}", job.said(), flink.last_words()));
    assert_eq!((&seen.token, vec![seen.pid]), (&numbers.task_token(), flink.pids("taskexecutor")));

    numbers.end();
    let ended = job.end(JOB_LIMIT).unwrap_or_else(|error| panic!("{error}\n{}", flink.last_words()));
    assert_eq!(ended.code(), STATUS, "{ended:#?}");
    assert!(ended.stdout.contains(&format!("ended {}\n", numbers.main_token())), "{ended:#?}");
    let printed = Numbers::printed(&flink.output("taskexecutor", 0));
    assert_eq!((printed.len(), printed.iter().filter(|marked| **marked == seen).count()), (12_000, 1));
}

fn agent(port: u16, suspend: &str) -> String {
    format!("-agentlib:jdwp=transport=dt_socket,server=y,suspend={suspend},address=127.0.0.1:{port}")
}
