//! `start-cluster.sh`: several JVMs of two roles, started by scripts that take no arguments.

use std::net::TcpListener;

use serde_json::{Value, json};

use super::{AGENT, JOBMANAGER, OPENS, TASKMANAGER, flink, run};
use crate::scene::{NO_PAUSE, Scene, not_run};

const SCRIPT: &str = "flink/bin/start-cluster.sh";
const NO_WORDS: [&str; 0] = [];
const BOTH: [&str; 2] = ["--jobmanager=attach:@port", "--taskmanager=attach:@other"];

fn cluster(version: &str, workers: &str) -> Scene {
    flink(version).file("flink/conf/workers", workers)
}

/// Never in `JVM_ARGS`, which all of them get; what the file has for each is in the variable that takes its place.
#[test]
fn each_role_has_its_own_variable() {
    let other = AGENT.replace("@port", "@other");
    for version in ["1.14.6", "1.18.1", "1.20.1", "2.1.0"] {
        let scene = cluster(version, "localhost\n");
        // 1.14 chooses the collector of a TaskManager where no variable holds an option.
        let taskmanager = if version == "1.14.6" { format!("{other} -XX:+UseG1GC") } else { other.clone() };
        let run = run(&scene, &BOTH, &["start-cluster.sh"]);
        run.expect(Some(0), "").starts_with(
            SCRIPT,
            &NO_WORDS,
            &[("FLINK_ENV_JAVA_OPTS_JM", Some(AGENT)), ("FLINK_ENV_JAVA_OPTS_TM", Some(&taskmanager))],
        );
    }
}

#[test]
fn what_the_file_has_for_a_role_stays() {
    let conf = format!(
        "env:\n  java:\n    opts:\n      all: {OPENS}\n      taskmanager: -Dt=1 -Dn=$id\n    default-opts:\n      \
         taskmanager: -Dd=1\n      jobmanager: -De=1\n"
    );
    let scene = cluster("1.20.1", "localhost\n").file("flink/conf/config.yaml", conf).env("JVM_ARGS", "-Xshare:auto");
    let (jobmanager, taskmanager) =
        (format!("{AGENT} -De=1"), format!("{} -Dd=1 -Dt=1 -Dn=$id", AGENT.replace("@port", "@other")));
    run(&scene, &BOTH, &["start-cluster"]).expect(Some(0), "").starts_with(
        SCRIPT,
        &NO_WORDS,
        &[("FLINK_ENV_JAVA_OPTS_JM", Some(&jobmanager)), ("FLINK_ENV_JAVA_OPTS_TM", Some(&taskmanager))],
    );
    // A role that is not debugged is left alone.
    run(&scene, &[JOBMANAGER], &["start-cluster"]).starts_with(
        SCRIPT,
        &NO_WORDS,
        &[("FLINK_ENV_JAVA_OPTS_JM", Some(&jobmanager))],
    );
    // The user's variable takes the place of the file's value already.
    let scene = scene.env("FLINK_ENV_JAVA_OPTS_TM", "-Dmine=1");
    let mine = format!("{AGENT} -Dmine=1");
    run(&scene, &[TASKMANAGER], &["start-cluster"]).starts_with(
        SCRIPT,
        &NO_WORDS,
        &[("FLINK_ENV_JAVA_OPTS_TM", Some(&mine))],
    );
}

fn plan(scene: &Scene, options: &[&str]) -> Value {
    let words = [&["-q", "--no-preflight", "flink", NO_PAUSE], options, &["--", "start-cluster.sh"]].concat();
    scene.json(&words)
}

fn ports(plan: &Value, role: &str) -> Vec<u64> {
    let endpoints = plan["endpoints"].as_array().expect("endpoints").iter();
    endpoints.filter(|found| found["role"] == role).map(|found| found["port"].as_u64().expect("a port")).collect()
}

/// Each reckons its port from its number, which Flink's scripts put into `id`.
#[test]
fn several_taskmanagers_have_ports_side_by_side() {
    let scene = cluster("1.20.1", "localhost\n127.0.0.1 # the same\n# not this\n/rack/localhost\n");
    let found = plan(&scene, &["--taskmanager"]);
    let [first, second, third] = ports(&found, "taskmanager")[..] else { panic!("{found}") };
    assert!(first >= 5006 && second == first + 1 && third == first + 2, "{found}");
    let agent = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:";
    assert_eq!(found["env"], json!({"FLINK_ENV_JAVA_OPTS_TM": format!("{agent}$(({first}+$id))")}));
    // Those that are known have the first numbers.
    let scene = scene.file("pid/flink-me-taskexecutor.pid", "1\n2\n");
    let found = plan(&scene, &["--taskmanager"]);
    let first = ports(&found, "taskmanager")[0];
    assert_eq!(found["env"], json!({"FLINK_ENV_JAVA_OPTS_TM": format!("{agent}$(({}+$id))", first - 2)}));
    // A port in the way moves all of them.
    let Ok(_taken) = TcpListener::bind(("127.0.0.1", first as u16 + 1)) else {
        return not_run("a taken port: somebody else took it a moment ago");
    };
    let moved = ports(&plan(&scene, &["--taskmanager"]), "taskmanager");
    assert!(moved[0] > first + 1 && moved[1] == moved[0] + 1 && moved[2] == moved[0] + 2, "{moved:?}");
}

/// A JobManager at 5005, TaskManagers behind it.
#[test]
fn both_roles_by_default() {
    let found = plan(&cluster("1.20.1", "localhost\nlocalhost\n"), &[]);
    assert_eq!(ports(&found, "jobmanager"), [5005]);
    let taskmanagers = ports(&found, "taskmanager");
    assert!(taskmanagers[0] >= 5006 && taskmanagers[1] == taskmanagers[0] + 1, "{found}");
}

/// F2, F10: one port for several.
#[test]
fn one_place_for_several_is_refused() {
    let scene = cluster("1.20.1", "localhost\nlocalhost\n");
    run(&scene, &[TASKMANAGER], &["start-cluster.sh"]).fails(
        2,
        "error: 2 TaskManagers would use port @port: the first on a host takes it, the others die at their start\n\
         help: leave the port out (--taskmanager=attach): each gets one of its own, from 5006 upwards\n",
    );
    run(&scene, &["--taskmanager", "--listen", "10.0.0.9:5005"], &["start-cluster.sh"]).fails(
        2,
        "error: 2 TaskManagers would dial 10.0.0.9:5005, and the debugger takes one: the others die at their start\n\
         help: start one of them under the debugger: taskmanager.sh start; or leave the port out (--taskmanager=attach): \
         each gets one of its own, from 5006 upwards\n",
    );
    run(&scene, &["--attach", "5009"], &["start-cluster.sh"]).fails(
        2,
        "error: `--attach` does not say which role it is for: jobmanager and taskmanager\n\
         help: name the role: --jobmanager=attach:5009\n",
    );
    // Each may pick its own.
    let agent = AGENT.replace("@port", "0");
    run(&scene, &["--taskmanager=attach:0"], &["start-cluster.sh"]).expect(Some(0), "").starts_with(
        SCRIPT,
        &NO_WORDS,
        &[("FLINK_ENV_JAVA_OPTS_TM", Some(&agent))],
    );
    // One TaskManager may dial.
    let agent = "-agentlib:jdwp=transport=dt_socket,server=n,suspend=n,address=10.0.0.9:5005";
    let one = cluster("1.20.1", "localhost\n");
    run(&one, &["--taskmanager", "--listen", "10.0.0.9:5005"], &["start-cluster.sh"]).expect(Some(0), "").starts_with(
        SCRIPT,
        &NO_WORDS,
        &[("FLINK_ENV_JAVA_OPTS_TM", Some(agent))],
    );
}

/// ssh takes no variable along.
#[test]
fn hosts_that_are_reached_by_ssh() {
    let scene = cluster("1.20.1", "localhost\nhost1 # far\n");
    let by_ssh = "`host1` in conf/workers makes start-cluster.sh start every taskmanager by ssh, which takes no option \
                  of ours along";
    let cure = "on its host: sparkdbg flink --taskmanager -- taskmanager.sh start";
    run(&scene, &[TASKMANAGER], &["start-cluster.sh"]).fails(125, &format!("error: {by_ssh}\nhelp: {cure}\n"));
    let left = plan(&scene, &[]);
    assert_eq!(ports(&left, "jobmanager"), [5005]);
    assert_eq!(ports(&left, "taskmanager"), [] as [u64; 0]);
    assert_eq!(
        left["notes"][0],
        json!({"level": "warning", "code": "unreachable-role", "message": format!("{by_ssh}; {cure}")})
    );
    let scene = scene.file(
        "work/sparkdbg.toml",
        "default-profile = \"p\"\n[profile.p]\njobmanager = \"attach:@port\"\ntaskmanager = \"attach:@other\"\n",
    );
    run(&scene, &[], &["start-cluster.sh"])
        .expect(Some(0), &format!("note: taskmanager is left out (@root/work/sparkdbg.toml:4 (profile p)): {by_ssh}\n"))
        .starts_with(SCRIPT, &NO_WORDS, &[("FLINK_ENV_JAVA_OPTS_JM", Some(AGENT))]);
}

#[test]
fn no_host_at_all() {
    for scene in [cluster("1.20.1", "# none\n"), flink("1.20.1").without("flink/conf/workers")] {
        let none = "conf/workers names no host, so that start-cluster.sh starts no taskmanager";
        run(&scene, &[TASKMANAGER], &["start-cluster.sh"])
            .fails(125, &format!("error: {none}\nhelp: write one into it: localhost\n"));
        run(&scene, &[JOBMANAGER], &["start-cluster.sh"]).expect(Some(0), "");
    }
}

/// Several JobManagers, as `masters` lists them for ZooKeeper; the variable wins over the file.
#[test]
fn several_jobmanagers() {
    let masters = "localhost:8081\n127.0.0.1:8082\n";
    let from_file = flink("1.20.1").file("flink/conf/config.yaml", "high-availability:\n  type: ZooKeeper\n");
    let from_old_key = flink("1.14.6").file("flink/conf/flink-conf.yaml", "high-availability: zookeeper\n");
    let from_variable = flink("1.20.1").env("HIGH_AVAILABILITY", "zookeeper");
    for scene in [from_file, from_old_key, from_variable] {
        let scene = scene.file("flink/conf/masters", masters);
        let found = plan(&scene, &["--jobmanager=attach"]);
        let [first, second] = ports(&found, "jobmanager")[..] else { panic!("{found}") };
        assert_eq!(second, first + 1, "{found}");
        let agent = format!("-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:$(({first}+$id))");
        assert_eq!(found["env"]["FLINK_ENV_JAVA_OPTS_JM"], agent);
        run(&scene, &[JOBMANAGER], &["start-cluster.sh"]).fails(
            2,
            "error: 2 JobManagers would use port @port: the first on a host takes it, the others die at their start\n\
             help: leave the port out (--jobmanager=attach): each gets one of its own, from 5005 upwards\n",
        );
        let scene = scene.file("flink/conf/masters", "localhost:8081\nh2:8082\n");
        run(&scene, &[JOBMANAGER], &["start-cluster.sh"]).fails(
            125,
            "error: `h2` in conf/masters makes start-cluster.sh start every jobmanager by ssh, which takes no option of \
             ours along\nhelp: on its host: sparkdbg flink --jobmanager -- jobmanager.sh start\n",
        );
    }
}

/// With NUMA, a TaskManager on each node: how many is not known.
#[test]
fn numa_nodes() {
    let scene = cluster("1.20.1", "localhost\n")
        .script("tools/numactl", "#!/bin/sh\n")
        .env("PATH", "@root/tools:/usr/bin:/bin")
        .env("FLINK_TM_COMPUTE_NUMA", "true");
    let agent = AGENT.replace("@port", "0");
    run(&scene, &["--taskmanager"], &["taskmanager.sh", "start"]).expect(Some(0), "").starts_with(
        "flink/bin/taskmanager.sh",
        &["start"],
        &[("JVM_ARGS", Some(&agent))],
    );
    run(&scene, &[TASKMANAGER], &["taskmanager.sh", "start"]).fails(
        2,
        "error: several TaskManagers would use port @port: the first on a host takes it, the others die at their start\n\
         help: let each JVM choose its port: --taskmanager=attach:0\n",
    );
}

#[test]
fn a_list_that_cannot_be_read() {
    if crate::scene::is_root() {
        return not_run("a file that may not be read: root reads everything");
    }
    let scene = cluster("1.20.1", "localhost\n").mode("flink/conf/workers", 0o000);
    run(&scene, &[TASKMANAGER], &["start-cluster.sh"])
        .fails(125, "error: `@root/flink/conf/workers` cannot be read: permission denied\n");
}
