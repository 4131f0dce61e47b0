//! The client: `flink`, `sql-client.sh`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use serde_json::json;

use super::{AGENT, CLIENT, flink, run};
use crate::scene::NO_PAUSE;

const NO_WORDS: [&str; 0] = [];

/// The one variable that adds to the options of the file, and takes the place of nothing.
#[test]
fn the_agent_goes_into_the_variable_that_adds() {
    let added = [("JVM_ARGS", Some(AGENT))];
    for version in ["1.14.6", "1.18.1", "1.20.1", "2.1.0"] {
        let scene = flink(version);
        let words = ["run", "-c", "org.X", "app.jar", "--input", "a b", ""];
        run(&scene, &[CLIENT], &words).expect(Some(0), "").starts_with("flink/bin/flink", &words, &added);
        let sql = run(&scene, &[CLIENT], &["sql-client.sh", "-f", "x.sql"]);
        sql.expect(Some(0), "").starts_with("flink/bin/sql-client.sh", &["-f", "x.sql"], &added);
    }
    let scene = flink("1.20.1").env("JVM_ARGS", " -Xmx1g  -Da=1 ");
    let merged = format!("{AGENT}  -Xmx1g  -Da=1 ");
    let run = run(&scene, &[CLIENT], &["run", "app.jar"]);
    run.expect(Some(0), "").starts_with("flink/bin/flink", &["run", "app.jar"], &[("JVM_ARGS", Some(&merged))]);
}

/// `sparkdbg flink run x.jar` means the script `flink`; so do its other actions, and the name itself.
#[test]
fn an_action_means_the_script() {
    let scene = flink("1.20.1");
    let added = [("JVM_ARGS", Some(AGENT))];
    for action in ["run", "run-application", "list", "info", "cancel", "stop", "savepoint", "checkpoint"] {
        let words = [action, "x"];
        let started = scene.run(&["-q", "flink", NO_PAUSE, CLIENT, action, "x"]);
        started.expect(Some(0), "").starts_with("flink/bin/flink", &words, &added);
        run(&scene, &[CLIENT], &["flink", action, "x"]).starts_with("flink/bin/flink", &words, &added);
    }
    for name in ["sql-client", "sql-client.sh"] {
        run(&scene, &[CLIENT], &[name]).starts_with("flink/bin/sql-client.sh", &NO_WORDS, &added);
    }
}

/// 5016, and the client waits: its main method is over soon.
#[test]
fn the_default_endpoint() {
    let plan = flink("1.20.1").json(&["-q", "--no-preflight", "flink", "run", "x.jar"]);
    let client = json!([{"role": "client", "mode": "attach", "host": "127.0.0.1", "port": 5016, "suspend": true}]);
    assert_eq!(plan["endpoints"], client);
    let agent = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:5016";
    assert_eq!(plan["env"], json!({"JVM_ARGS": agent}));
    assert_eq!(plan["args"], json!(["run", "x.jar"]));
}

#[test]
fn a_debugger_that_listens() {
    let scene = flink("1.20.1");
    let agent = "-agentlib:jdwp=transport=dt_socket,server=n,suspend=y,address=10.0.0.9:5005";
    let dialling = run(&scene, &["--client", "--listen", "10.0.0.9:5005"], &["run", "x.jar"]);
    dialling.expect(Some(0), "").starts_with("flink/bin/flink", &["run", "x.jar"], &[("JVM_ARGS", Some(agent))]);
    if cfg!(target_os = "linux") {
        run(&scene, &["--listen", "@other"], &["run", "x.jar"]).fails(
            125,
            "error: nobody listens on 127.0.0.1:@other: the JVM would die at its start\n\
             help: start the debugger in its listen mode first, or wait for it: --wait-for-debugger 5m\n",
        );
    }
}

#[test]
fn hints_for_a_client() {
    let scene = flink("1.20.1");
    scene.run(&["flink", CLIENT, "--", "run", "-py", "job.py"]).expect(
        Some(0),
        "sparkdbg: client listens for a debugger on 127.0.0.1:@port (IDE: \"Attach to remote JVM\", host 127.0.0.1, port \
         @port); from another machine: ssh -L @port:127.0.0.1:@port @host\n\
         sparkdbg: a JVM debugger stops in Java and Scala code; Python code and UDFs run in Python processes\n",
    );
}

/// A client gets the options of the file too; `sql-client.sh` of 1.14 starts without them.
#[test]
fn what_reaches_a_client_is_read_for_agents() {
    let other = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=@other";
    let note = format!("note: replaced: `{other}` in env.java.opts.client (@root/flink/conf/flink-conf.yaml line 1)\n");
    let own = format!("{AGENT} -Da=1");
    let replaced = [("FLINK_ENV_JAVA_OPTS_CLI", Some(own.as_str()))];
    for version in ["1.14.6", "1.18.1"] {
        let scene = flink(version).file("flink/conf/flink-conf.yaml", format!("env.java.opts.client: {other} -Da=1\n"));
        let client = run(&scene, &[CLIENT], &["run", "x.jar"]);
        client.expect(Some(0), &note).starts_with("flink/bin/flink", &["run", "x.jar"], &replaced);
        let sql = run(&scene, &[CLIENT], &["sql-client.sh"]);
        if version == "1.14.6" {
            sql.expect(Some(0), "").starts_with("flink/bin/sql-client.sh", &NO_WORDS, &[("JVM_ARGS", Some(AGENT))]);
        } else {
            sql.expect(Some(0), &note).starts_with("flink/bin/sql-client.sh", &NO_WORDS, &replaced);
        }
    }
}

#[test]
fn what_starts_no_job_runs_as_typed() {
    let odd = "-Dsql-gateway.endpoint.rest.address=my-host";
    let odd_why = format!("`{odd}` starts no job and no daemon");
    for (words, why) in [
        (["flink", "run", "-h"].as_slice(), "`-h` starts no job and no daemon"),
        (&["flink", "--version"], "`--version` starts no job and no daemon"),
        (&["flink"], "`flink` without an action starts no job"),
        (&["sql-client.sh", "--help"], "`--help` starts no job and no daemon"),
        (&["yarn-session.sh", "-q"], "`-q` starts no job and no daemon"),
        // The script takes any `-h` in its words for the question.
        (&["sql-gateway.sh", "start", odd], &odd_why),
        (&["jobmanager.sh", "stop"], "`jobmanager.sh stop` starts no JVM"),
        (&["taskmanager.sh"], "`taskmanager.sh` without `start` starts no JVM"),
    ] {
        let scene = flink("1.20.1");
        let run = run(&scene, &[], words);
        run.expect(Some(0), &format!("note: nothing to debug: {why}; run as typed\n"));
        run.starts(&format!("flink/bin/{}", words[0]), &words[1..]);
    }
}

/// What no UTF-8 is reaches the script as it is.
#[test]
fn words_that_are_no_utf_8() {
    let odd = OsStr::from_bytes(b"--in=\xff\xfe");
    let scene = flink("1.20.1");
    let words = ["-q", "flink", CLIENT, "run", "x.jar"].map(OsStr::new);
    let run = scene.run(&[words.as_slice(), &[odd]].concat());
    run.expect(Some(0), "");
    assert_eq!(run.child().args, ["run".as_ref(), "x.jar".as_ref(), odd], "{run}");
}

/// Nothing of ours, whatever else is wrong.
#[test]
fn off() {
    let scene = flink("1.20.1").env("SPARKDBG", "off").file("flink/conf/config.yaml", "a: 1\na: 2\n");
    scene.run(&["flink", "run", "x.jar"]).expect(Some(0), "").starts("flink/bin/flink", &["run", "x.jar"]);
    let daemon = scene.run(&["flink", "--taskmanager=attach:1", "--", "taskmanager.sh", "start"]);
    daemon.expect(Some(0), "").starts("flink/bin/taskmanager.sh", &["start"]);
}
