//! Roles that a command does not reach.

use serde_json::json;

use super::{AGENT, flink, run};
use crate::scene::NO_PAUSE;

/// What runs already takes no option of a client's.
#[test]
fn a_session_that_runs() {
    let add = "add one to the session: sparkdbg flink --taskmanager -- taskmanager.sh start";
    let start = "start the session with it: sparkdbg flink --jobmanager -- jobmanager.sh start";
    let yarn = "start the session with it: sparkdbg flink --taskmanager -- yarn-session.sh";
    let deploy = ", or deploy the job with its own cluster: run-application -t yarn-application";
    for (role, words, what, help) in [
        ("taskmanager", ["run", "x.jar"].as_slice(), "`flink run`", format!("{add}{deploy}")),
        ("jobmanager", &["run", "x.jar"], "`flink run`", format!("{start}{deploy}")),
        ("taskmanager", &["list"], "`flink list`", add.to_owned()),
        ("taskmanager", &["run", "-t", "remote", "x.jar"], "`flink run` (`remote`, -t)", format!("{add}{deploy}")),
        (
            "taskmanager",
            &["run", "-m", "yarn-cluster", "-yid", "a_1", "x.jar"],
            "`flink run` (-yid a_1)",
            format!("{yarn}{deploy}"),
        ),
        ("jobmanager", &["sql-client.sh"], "`sql-client.sh`", start.to_owned()),
        ("taskmanager", &["yarn-session.sh", "-id", "application_1"], "`yarn-session.sh` (-id application_1)", yarn.to_owned()),
        (
            "taskmanager",
            &["run", "-t", "kubernetes-session", "x.jar"],
            "`flink run` (`kubernetes-session`, -t)",
            "start the session with it: sparkdbg flink --taskmanager -- kubernetes-session.sh, or deploy the job with its \
             own cluster: run-application -t kubernetes-application"
                .to_owned(),
        ),
    ] {
        let option = format!("--{role}");
        run(&flink("1.20.1"), &[&option], words).fails(
            2,
            &format!(
                "error: {what} starts a client only: no option of its reaches a {role} that runs already\nhelp: {help}\n"
            ),
        );
    }
    // Since 2.0, `run` takes applications too.
    run(&flink("2.1.0"), &["--taskmanager"], &["run", "x.jar"]).fails(
        2,
        &format!(
            "error: `flink run` starts a client only: no option of its reaches a taskmanager that runs already\nhelp: {add}, \
             or deploy the job with its own cluster: run -t yarn-application\n"
        ),
    );
    // Where a file says so, argv alone does not decide it.
    let scene = flink("1.20.1").file("flink/conf/config.yaml", "execution.target: yarn-session\n");
    run(&scene, &["--taskmanager"], &["run", "x.jar"]).fails(
        125,
        &format!(
            "error: `flink run` (`yarn-session`, @root/flink/conf/config.yaml line 1) starts a client only: no option of its \
             reaches a taskmanager that runs already\nhelp: {yarn}{deploy}\n"
        ),
    );
}

/// A profile may name more than a command reaches.
#[test]
fn roles_of_a_profile() {
    let profile =
        "default-profile = \"p\"\n[profile.p]\nclient = \"attach:@port,nosuspend\"\ntaskmanager = \"attach:@other\"\n";
    let scene = flink("1.20.1").file("work/sparkdbg.toml", profile);
    run(&scene, &[], &["run", "x.jar"])
        .expect(
            Some(0),
            "note: taskmanager is left out (@root/work/sparkdbg.toml:4 (profile p)): `flink run` starts a client only: no \
             option of its reaches a taskmanager that runs already\n",
        )
        .starts_with("flink/bin/flink", &["run", "x.jar"], &[("JVM_ARGS", Some(AGENT))]);
    // One that the script does not have is no matter of this command.
    let other = AGENT.replace("@port", "@other");
    let taskmanager = run(&scene, &[], &["taskmanager.sh", "start"]);
    taskmanager.expect(Some(0), "").starts_with("flink/bin/taskmanager.sh", &["start"], &[("JVM_ARGS", Some(&other))]);
    // Of those that are named, none is left: then it is the client.
    let only = flink("1.20.1")
        .file("work/sparkdbg.toml", "default-profile = \"p\"\n[profile.p]\ntaskmanager = \"attach:@other\"\n");
    let plan = only.json(&["-q", "--no-preflight", "flink", NO_PAUSE, "run", "x.jar"]);
    let client = json!([{"role": "client", "mode": "attach", "host": "127.0.0.1", "port": 5016, "suspend": true}]);
    assert_eq!(plan["endpoints"], client);
}

#[test]
fn roles_that_a_script_does_not_have() {
    for (script, role, help) in [
        ("historyserver.sh", "taskmanager", "its role is daemon"),
        ("taskmanager.sh", "jobmanager", "its role is taskmanager"),
        ("start-cluster.sh", "client", "its roles are jobmanager and taskmanager"),
        ("flink", "driver", "its roles are client and jobmanager and taskmanager"),
    ] {
        let option = format!("--{role}");
        run(&flink("1.20.1"), &[&option], &[script, "start"])
            .fails(2, &format!("error: `{script}` has no {role} to debug\nhelp: {help}\n"));
    }
}
