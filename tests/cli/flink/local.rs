//! `-t local`: client, JobManager and TaskManager are one JVM.

use serde_json::json;

use super::{AGENT, CLIENT, flink, run};
use crate::scene::NO_PAUSE;

/// However the option is written.
#[test]
fn one_agent_for_all_roles() {
    let scene = flink("1.20.1");
    for target in
        [["-t", "local"].as_slice(), &["--target=local"], &["-tlocal"], &["--targ", "local"], &["-dt", "local"]]
    {
        let words = [&["run"], target, &["x.jar", "-t", "remote"]].concat();
        for options in [
            [CLIENT].as_slice(),
            &["--jobmanager=attach:@port,nosuspend"],
            &["--taskmanager=attach:@port"],
            &[CLIENT, "--taskmanager"],
            &[CLIENT, "--jobmanager", "--taskmanager"],
        ] {
            let run = run(&scene, options, &words);
            run.expect(Some(0), "").starts_with("flink/bin/flink", &words, &[("JVM_ARGS", Some(AGENT))]);
        }
    }
}

#[test]
fn two_places_for_one_jvm() {
    run(&flink("1.20.1"), &["--client=attach:5016", "--taskmanager=attach:5006"], &["run", "-t", "local", "x.jar"]).fails(
        2,
        "error: with `-t local`, client, JobManager and TaskManager are one JVM, which takes one agent: client (--client) \
         and taskmanager (--taskmanager) differ\nhelp: name one role: --client\n",
    );
}

/// The default is that of a client, and the file may say `local`.
#[test]
fn the_default() {
    let scene = flink("1.20.1").file("flink/conf/config.yaml", "execution:\n  target: local\n");
    let plan =
        scene.json(&["--no-preflight", "flink", NO_PAUSE, "--jobmanager", "--taskmanager", "--", "run", "x.jar"]);
    let endpoint = json!([{"role": "client", "mode": "attach", "host": "127.0.0.1", "port": 5005, "suspend": false}]);
    assert_eq!(plan["endpoints"], endpoint);
    let plan = scene.json(&["--no-preflight", "flink", NO_PAUSE, "run", "x.jar"]);
    let endpoint = json!([{"role": "client", "mode": "attach", "host": "127.0.0.1", "port": 5016, "suspend": true}]);
    assert_eq!(plan["endpoints"], endpoint);
    let notes: Vec<&str> =
        plan["notes"].as_array().unwrap().iter().map(|note| note["code"].as_str().unwrap()).collect();
    assert!(notes.contains(&"one-jvm"), "{plan}");
}

/// A `sql-client.sh` before 1.18 ends at a `-D`, so the file has to say it.
#[test]
fn a_script_that_takes_no_settings() {
    let scene = flink("1.14.6").file("flink/conf/flink-conf.yaml", "execution.target: local\n");
    let run = scene.run(&["-q", "flink", CLIENT, "--", "sql-client.sh"]);
    run.expect(
        Some(0),
        "note: `sql-client.sh` of this Flink takes no -D; a pause needs in the configuration file: heartbeat.timeout: 7200000, \
         akka.ask.timeout: 7200000, slot.request.timeout: 7200000, task.cancellation.timeout: 0, \
         execution.checkpointing.timeout: 7200000, execution.checkpointing.tolerable-failed-checkpoints: 1000000\n",
    );
    run.starts_with("flink/bin/sql-client.sh", &[] as &[&str], &[("JVM_ARGS", Some(AGENT))]);
    let scene = flink("1.14.6").file("flink/conf/flink-conf.yaml", "execution.target: yarn-per-job\n");
    super::run(&scene, &["--jobmanager"], &["sql-client.sh"]).fails(
        125,
        "error: `sql-client.sh` of this Flink takes no -D, by which the jobmanager of a cluster that it deploys would get an \
         agent\nhelp: write it into the configuration file: env.java.opts.jobmanager\n",
    );
}
