//! The Worker itself, and the Worker together with its executors.

use serde_json::json;

use crate::scene::NO_PAUSE;
use crate::worker::{ATTACH, DIAL, LOCK, MASTER, WORKER, run, scene, starts, told};

const DAEMON: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:@port";
const DAEMON_HINT: &str = "sparkdbg: daemon listens for a debugger on 127.0.0.1:@port (IDE: \"Attach to remote JVM\", \
                           host 127.0.0.1, port @port); from another machine: ssh -L @port:127.0.0.1:@port @host\n";

#[test]
fn the_worker_alone() {
    for version in ["2.4.8", "3.5.6", "4.3.0"] {
        // Its JAVA_HOME is not changed, so it need not be one.
        let scene = crate::scene::Scene::spark(version).env("SPARK_WORKER_OPTS", "-Da='x  y' ");
        for options in [["--daemon=attach:@port"].as_slice(), &["--daemon", "--attach", "@port"]] {
            let run = run(&scene, options, &[MASTER]);
            run.expect(Some(0), DAEMON_HINT).starts_with(
                "spark/bin/spark-class",
                &[WORKER, MASTER],
                &[("SPARK_WORKER_OPTS", Some(&format!("{DAEMON} -Da='x  y' ")))],
            );
        }
    }
}

#[test]
fn both() {
    let scene = scene().env("SPARK_WORKER_OPTS", "-Da=1");
    let worker = format!("{DAEMON} -Da=1");
    let run = run(&scene, &["-q", "--daemon=attach:@port", "--executor"], &[MASTER]);
    run.expect(Some(0), "");
    let mut told = told(ATTACH, "replace");
    told.insert("SPARK_WORKER_OPTS", Some(&worker));
    starts(&run, &scene, &[MASTER], told);

    let run = self::run(&scene, &["-q", "--daemon=attach:@port", "--executor=listen:203.0.113.9:5005"], &[MASTER]);
    run.expect(Some(0), "");
    let mut told = crate::worker::told(DIAL, "replace");
    told.insert("SPARKDBG_LOCK", Some(LOCK));
    told.insert("SPARK_WORKER_OPTS", Some(&worker));
    starts(&run, &scene, &[MASTER], told);
}

#[test]
fn both_endpoints_in_json() {
    let plan = scene().json(&["-q", "worker", NO_PAUSE, "--daemon=attach:@port", "--executor=attach:0", "--", MASTER]);
    let port = plan["endpoints"][1]["port"].clone();
    assert_eq!(
        plan["endpoints"],
        json!([
            {"role": "executor", "mode": "attach", "host": "127.0.0.1", "port": 0, "suspend": false},
            {"role": "daemon", "mode": "attach", "host": "127.0.0.1", "port": port, "suspend": false},
        ])
    );
    assert!(port.as_u64().is_some_and(|port| port > 0));
}

/// The profile's roles are those that the command has.
#[test]
fn roles_from_a_profile() {
    let text = "default-profile = \"p\"\n[profile.p]\ndriver = \"attach:1\"\ndaemon = \"attach:@port\"\n\
                executor = \"listen:203.0.113.9:5005\"\n";
    let scene = scene().file("config/sparkdbg/config.toml", text);
    let run = run(&scene, &["-q"], &[MASTER]);
    run.expect(Some(0), "");
    let mut told = told(DIAL, "replace");
    told.insert("SPARKDBG_LOCK", Some(LOCK));
    told.insert("SPARK_WORKER_OPTS", Some(DAEMON));
    starts(&run, &scene, &[MASTER], told);
    // A role that is typed replaces them all, and takes its endpoint from there.
    let run = self::run(&scene, &["-q", "--daemon"], &[MASTER]);
    run.expect(Some(0), "").starts_with(
        "spark/bin/spark-class",
        &[WORKER, MASTER],
        &[("SPARK_WORKER_OPTS", Some(DAEMON))],
    );
}

#[test]
fn what_two_roles_cannot_share() {
    let scene = scene();
    run(&scene, &["--attach", "@port", "--daemon", "--executor"], &[MASTER]).fails(
        2,
        "error: `--attach` does not say which role it is for: executor and daemon\n\
         help: name the role: --executor=attach:@port\n",
    );
    let same = run(&scene, &["--daemon=listen:203.0.113.9:5005", "--executor=listen:203.0.113.9:5005"], &[MASTER]);
    assert_eq!(same.status.code(), Some(2), "{same}");
    run(&scene, &["--daemon", "--app", "x"], &[MASTER])
        .fails(2, "error: `--app` narrows the executors, and none are debugged\nhelp: add `--executor`\n");
}
