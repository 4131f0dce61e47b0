//! One daemon at a time: `jobmanager.sh`, `taskmanager.sh`, `standalone-job.sh`, `historyserver.sh`, `sql-gateway.sh`.

use std::net::TcpListener;

use serde_json::{Value, json};

use super::{AGENT, JOBMANAGER, TASKMANAGER, flink, run};
use crate::scene::{NO_PAUSE, Reaped, Scene, not_run};

const DAEMON: &str = "--daemon=attach:@port";

#[test]
fn the_agent_goes_into_the_variable_that_adds() {
    let added = [("JVM_ARGS", Some(AGENT))];
    for (option, script, words) in [
        (JOBMANAGER, "jobmanager.sh", ["start"].as_slice()),
        (JOBMANAGER, "jobmanager.sh", &["start-foreground", "localhost", "8082"]),
        (TASKMANAGER, "taskmanager.sh", &["start"]),
        (TASKMANAGER, "taskmanager.sh", &["start-foreground", "-D", "a=b c"]),
        (JOBMANAGER, "standalone-job.sh", &["start", "--job-classname", "X", "one", "-D", "k=v"]),
        (DAEMON, "historyserver.sh", &["start-foreground"]),
        (DAEMON, "sql-gateway.sh", &["start"]),
        // It starts one when it is asked for nothing.
        (DAEMON, "sql-gateway.sh", &[]),
    ] {
        for version in ["1.14.6", "1.18.1", "1.20.1", "2.1.0"] {
            let scene = flink(version);
            let run = run(&scene, &[option], &[&[script], words].concat());
            run.expect(Some(0), "").starts_with(&format!("flink/bin/{script}"), words, &added);
        }
    }
}

fn endpoints(scene: &Scene, words: &[&str]) -> Value {
    scene.json(&[&["-q", "--no-preflight", "flink", NO_PAUSE, "--"], words].concat())["endpoints"].clone()
}

#[test]
fn default_endpoints() {
    let scene = flink("1.20.1");
    let at =
        |role: &str| json!([{"role": role, "mode": "attach", "host": "127.0.0.1", "port": 5005, "suspend": false}]);
    assert_eq!(endpoints(&scene, &["jobmanager.sh", "start"]), at("jobmanager"));
    assert_eq!(endpoints(&scene, &["standalone-job.sh", "start"]), at("jobmanager"));
    assert_eq!(endpoints(&scene, &["historyserver.sh", "start"]), at("daemon"));
    assert_eq!(endpoints(&scene, &["sql-gateway.sh", "start"]), at("daemon"));
}

/// From 5006 upwards the first that nobody has, and that no JVM which is just starting will have.
#[test]
fn the_port_of_a_taskmanager() {
    let scene = flink("1.20.1");
    let port = || endpoints(&scene, &["taskmanager.sh", "start"])[0]["port"].as_u64().expect("a port") as u16;
    let first = port();
    assert!(first >= 5006, "{first}");
    let Ok(taken) = TcpListener::bind(("127.0.0.1", first)) else {
        return not_run("a taken port: somebody else took it a moment ago");
    };
    let second = port();
    assert!(second > first, "{second}");
    // A script that is about to start a JVM: its agent stands in its environment.
    let agent = format!("-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:{second}");
    let mut starting = scene.command("sleep", &["60"]);
    let _starting = Reaped(starting.env("FLINK_ENV_JAVA_OPTS_TM", agent).spawn().expect("sleep"));
    let third = port();
    assert!(cfg!(not(target_os = "linux")) || third > second, "{first} {second} {third}");
    drop(taken);
    // A port that is named is meant.
    let taken = TcpListener::bind(("127.0.0.1", scene.port())).expect("it is free");
    let refused = run(&scene, &[TASKMANAGER], &["taskmanager.sh", "start"]);
    assert_eq!(refused.status.code(), Some(125), "{refused}");
    assert!(refused.stderr.ends_with("let a free one be picked: --taskmanager=attach:0\n"), "{refused}");
    drop(taken);
}

/// `-D k=v` for `jobmanager.sh`: in one word it is taken for the host.
#[test]
fn settings_that_jobmanager_sh_takes_for_its_host() {
    let scene = flink("1.20.1");
    let options = [JOBMANAGER];
    run(&scene, &options, &["jobmanager.sh", "start", "-Ds3.secret-key=x"]).fails(
        2,
        "error: `-Ds3.secret-key=********`: jobmanager.sh takes the word for a host or port, and the JobManager dies\n\
         help: write it as two words: -D s3.secret-key=********\n",
    );
    run(&scene, &options, &["jobmanager.sh", "start", "localhost", "-Da=1"]).fails(
        2,
        "error: `-Da=1`: jobmanager.sh takes the word for a host or port, and the JobManager dies\n\
         help: write it as two words: -D a=1\n",
    );
    for words in [["-D", "b=2", "-Da=1"], ["localhost", "8081", "-Da=1"]] {
        let words = [&["jobmanager.sh", "start"], words.as_slice()].concat();
        run(&scene, &options, &words).expect(Some(0), "").starts_with(
            "flink/bin/jobmanager.sh",
            &words[1..],
            &[("JVM_ARGS", Some(AGENT))],
        );
    }
    for words in [["start", "-D", "a=1"].as_slice(), &["start", "localhost", "8081", "-D", "a=1"]] {
        run(&flink("1.14.6"), &options, &[&["jobmanager.sh"], words].concat()).fails(
            125,
            "error: `-D`: jobmanager.sh of this Flink takes no settings, only a host and a port\n\
             help: write the setting into the configuration file\n",
        );
    }
}

/// F4: the JVM is up when Flink reads them.
#[test]
fn options_that_are_read_too_late() {
    let scene = flink("1.20.1");
    for words in [["-D", "env.java.opts.taskmanager=-Xmx1g"].as_slice(), &["-Denv.java.opts.taskmanager=-Xmx1g"]] {
        let words = [&["taskmanager.sh", "start"], words].concat();
        run(&scene, &[TASKMANAGER], &words)
            .expect(Some(0), "warning: `-Denv.java.opts.taskmanager` is read too late here: it reaches no JVM\n")
            .starts_with("flink/bin/taskmanager.sh", &words[1..], &[("JVM_ARGS", Some(AGENT))]);
    }
    let agent = "-Denv.java.opts.client=-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=5016";
    run(&scene, &[], &["run", agent, "x.jar"]).fails(
        2,
        "error: `-Denv.java.opts.client` is read too late here: its debug agent would reach no JVM\n\
         help: leave it out: sparkdbg puts the agent where the JVM takes it\n",
    );
}

#[test]
fn the_main_method_of_an_application() {
    let scene = flink("1.20.1");
    let words = ["standalone-job.sh", "start", "-j", "X"];
    let main = "sparkdbg: the main method runs in the JobManager, at once: to stop in it, let the JVM wait \
                (--jobmanager=attach,suspend)\n";
    let run = |option: &str| scene.run(&[&["flink", NO_PAUSE, option, "--"], words.as_slice()].concat()).stderr;
    assert!(run(JOBMANAGER).ends_with(main));
    assert!(!run("--jobmanager=attach:@port,suspend").contains("main method"));
}
