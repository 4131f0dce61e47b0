//! Clusters that a command deploys on YARN or Kubernetes: their JVMs take what `-D` says, in the place of the file.

use super::{AGENT, CLIENT, JOBMANAGER, OPENS, TASKMANAGER, flink, run};
use crate::scene::{J, NO_PAUSE, Scene};

const BIN: &str = "flink/bin/flink";

#[track_caller]
fn merges(scene: &Scene, options: &[&str], words: &[&str], expected: &[&str]) {
    let (script, words) = match words.first().is_some_and(|word| word.ends_with(".sh")) {
        true => (format!("flink/bin/{}", words[0]), words.to_vec()),
        false => (BIN.to_owned(), words.to_vec()),
    };
    run(scene, options, &words).expect(Some(0), "").starts(&script, expected);
}

/// In front of the user's, so that his own would win; one word for each key.
#[test]
fn a_setting_that_nobody_made() {
    let scene = flink("2.1.0");
    let jobmanager = format!("-Denv.java.opts.jobmanager={AGENT}");
    let taskmanager =
        "-Denv.java.opts.taskmanager=-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0";
    for target in ["yarn-application", "yarn-per-job"] {
        merges(
            &scene,
            &[JOBMANAGER, "--taskmanager"],
            &["run", "-t", target, "x.jar", "-D", "a"],
            &["run", &jobmanager, taskmanager, "-t", target, "x.jar", "-D", "a"],
        );
    }
    merges(
        &scene,
        &[JOBMANAGER],
        &["run-application", "-Dexecution.target=kubernetes-application", "local:///x.jar"],
        &["run-application", &jobmanager, "-Dexecution.target=kubernetes-application", "local:///x.jar"],
    );
    merges(&scene, &[JOBMANAGER], &["yarn-session.sh", "-d"], &[&jobmanager, "-d"]);
    merges(
        &scene,
        &[JOBMANAGER],
        &["kubernetes-session.sh", "-Dkubernetes.cluster-id=c"],
        &[&jobmanager, "-Dkubernetes.cluster-id=c"],
    );
    merges(
        &scene,
        &[JOBMANAGER],
        &["sql-client.sh", "embedded", "-Dexecution.target=yarn-per-job"],
        &["embedded", &jobmanager, "-Dexecution.target=yarn-per-job"],
    );
    // In a pod of its own each TaskManager may have the same port.
    let fixed =
        "-Denv.java.opts.taskmanager=-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:5006";
    merges(&scene, &["--taskmanager"], &["kubernetes-session.sh"], &[fixed]);
}

/// `-m yarn-cluster` reads `-yD`, in two words, and no `-D`.
#[test]
fn the_oldest_way_to_yarn() {
    let scene = flink("1.18.1");
    let jobmanager = format!("env.java.opts.jobmanager={AGENT}");
    let words = ["run", "-m", "yarn-cluster", "-Denv.java.opts.jobmanager=-Dunread=1", "x.jar"];
    let expected = [&["run", "-yD", &jobmanager], &words[1..]].concat();
    merges(&scene, &[JOBMANAGER], &words, &expected);
    let merged = format!("{jobmanager} -Dread=1");
    merges(
        &scene,
        &[JOBMANAGER],
        &["run", "-m", "yarn-cluster", "-yD", "env.java.opts.jobmanager=-Dread=1", "x.jar"],
        &["run", "-m", "yarn-cluster", "-yD", &merged, "x.jar"],
    );
}

/// The word stays where it is, in the form that it has.
#[test]
fn a_setting_of_the_users() {
    let scene = flink("2.1.0");
    let merged = format!("env.java.opts.jobmanager={AGENT} -Da=1,2=3");
    merges(
        &scene,
        &[JOBMANAGER],
        &["run", "-t", "yarn-application", "-D", "env.java.opts.jobmanager=-Da=1,2=3", "x.jar"],
        &["run", "-t", "yarn-application", "-D", &merged, "x.jar"],
    );
    let glued = format!("-D{merged}");
    merges(
        &scene,
        &[JOBMANAGER],
        &["run", "-Denv.java.opts.jobmanager=-Da=1,2=3", "-t", "yarn-application", "x.jar"],
        &["run", &glued, "-t", "yarn-application", "x.jar"],
    );
    // The last of a key counts.
    let last = format!("-Denv.java.opts.jobmanager={AGENT} -Dlast=1");
    merges(
        &scene,
        &[JOBMANAGER],
        &[
            "run",
            "-Denv.java.opts.jobmanager=-Dfirst=1",
            "-Denv.java.opts.jobmanager=-Dlast=1",
            "-tyarn-application",
            "x.jar",
        ],
        &["run", "-Denv.java.opts.jobmanager=-Dfirst=1", &last, "-tyarn-application", "x.jar"],
    );
}

/// A `-D` takes the place of the file's value, so it holds that too.
#[test]
fn a_value_of_the_file() {
    let conf = format!(
        "execution.target: yarn-application\nenv.java.opts.all: {OPENS}\nenv.java.opts.jobmanager: -Djm=1 -XX:OnOutOfMemoryError='kill -9 %p'\n"
    );
    let scene = flink("2.1.0").file("flink/conf/config.yaml", conf);
    let merged = format!("-Denv.java.opts.jobmanager={AGENT} -Djm=1 -XX:OnOutOfMemoryError='kill -9 %p'");
    merges(&scene, &[JOBMANAGER], &["run", "x.jar"], &["run", &merged, "x.jar"]);
}

/// One value for the JVMs of every role is changed for the cluster, and stays in the file.
#[test]
fn an_agent_of_the_users() {
    let conf = format!("env.java.opts.all: {OPENS} {J}\n");
    let scene = flink("2.1.0").file("flink/conf/config.yaml", conf);
    let place = "env.java.opts.all (@root/flink/conf/config.yaml line 1)";
    let submitter = format!("warning: `{J}` in {place} debugs the client that submits, not the JVMs on the cluster\n");
    let words = ["run", "-t", "yarn-application", "x.jar"];
    let all = format!("-Denv.java.opts.all={OPENS}");
    let jobmanager = format!("-Denv.java.opts.jobmanager={AGENT}");
    run(&scene, &[JOBMANAGER], &words)
        .expect(Some(0), &format!("note: replaced: `{J}` in {place}\n{submitter}"))
        .starts(BIN, &[&["run", &all, &jobmanager], &words[1..]].concat());
    run(&scene, &["--existing=keep", "--jobmanager"], &words)
        .expect(Some(0), &format!("note: kept: `{J}` in {place}; nothing is injected\n{submitter}"))
        .starts(BIN, &words);
    // What a container is given besides.
    let conf = format!("containerized.master.env.JAVA_TOOL_OPTIONS: {J}\n");
    let scene = flink("2.1.0").file("flink/conf/config.yaml", conf);
    let place = "containerized.master.env.JAVA_TOOL_OPTIONS (@root/flink/conf/config.yaml line 1)";
    run(&scene, &[JOBMANAGER], &words)
        .expect(Some(0), &format!("note: replaced: `{J}` in {place}\n"))
        .starts(BIN, &[&["run", "-Dcontainerized.master.env.JAVA_TOOL_OPTIONS=", &jobmanager], &words[1..]].concat());
    // One that the words hold.
    let typed = format!("-Denv.java.opts.jobmanager={J} -Da=1");
    let left = format!("{jobmanager} -Da=1");
    run(&flink("2.1.0"), &[JOBMANAGER], &["run", &typed, "-t", "yarn-application", "x.jar"])
        .expect(Some(0), &format!("note: replaced: `{J}` in -Denv.java.opts.jobmanager\n"))
        .starts(BIN, &["run", &left, "-t", "yarn-application", "x.jar"]);
    run(&flink("2.1.0"), &["--existing=fail", "--jobmanager"], &["run", &typed, "-t", "yarn-application", "x.jar"])
        .fails(
            2,
            &format!(
                "error: a debug agent is configured already: `{J}` in -Denv.java.opts.jobmanager\n\
             help: take it out, or choose --existing=replace or --existing=keep\n"
            ),
        );
}

/// The client only submits; with it the environment is what counts.
#[test]
fn the_client_of_an_application() {
    let scene = flink("2.1.0");
    let words = ["run", "-t", "yarn-application", "x.jar"];
    run(&scene, &[CLIENT], &words).expect(Some(0), "").starts_with(BIN, &words, &[("JVM_ARGS", Some(AGENT))]);
    let hints = scene.run(&[&["flink", CLIENT, "--"], words.as_slice()].concat()).stderr;
    assert!(
        hints.ends_with(
            "sparkdbg: the main method of an application runs in its JobManager, and the client only submits it: \
             --jobmanager=attach,suspend\n"
        ),
        "{hints}"
    );
}

#[test]
fn a_debugger_that_listens() {
    let scene = flink("2.1.0");
    let words = ["kubernetes-session.sh"];
    run(&scene, &["--jobmanager=listen:5005"], &words).fails(
        2,
        "error: the jobmanager would dial `127.0.0.1` on its own host, where no debugger listens\n\
         help: name this machine as the cluster sees it: --jobmanager=listen:HOST:PORT\n",
    );
    let listen = "--taskmanager=listen:10.0.0.9:5005";
    run(&scene, &[listen], &words).fails(
        2,
        "error: several TaskManagers would dial 10.0.0.9:5005, and the debugger takes one: the others die at their start\n\
         help: hold the cluster to one: -Dslotmanager.number-of-slots.max=N, N the slots of one TaskManager; or let each \
         JVM choose its port: --taskmanager=attach:0\n",
    );
    // As many slots as one TaskManager has: there is no second.
    let dials =
        "-Denv.java.opts.taskmanager=-agentlib:jdwp=transport=dt_socket,server=n,suspend=n,address=10.0.0.9:5005";
    let held = ["-Dslotmanager.number-of-slots.max=4", "-Dtaskmanager.numberOfTaskSlots=4"];
    let words = [&["kubernetes-session.sh"], held.as_slice()].concat();
    merges(&scene, &[listen], &words, &[&[dials], held.as_slice()].concat());
    let words = ["kubernetes-session.sh", "-Dslotmanager.number-of-slots.max=5", "-Dtaskmanager.numberOfTaskSlots=4"];
    assert_eq!(run(&scene, &[listen], &words).status.code(), Some(2));
    // A port of its own for each is no way on YARN either.
    run(&scene, &[TASKMANAGER], &["yarn-session.sh"]).fails(
        2,
        "error: several TaskManagers would use port @port: the first on a host takes it, the others die at their start\n\
         help: let each JVM choose its port: --taskmanager=attach:0\n",
    );
}

/// Until 2.0 main would run in the client, and then the client would fail.
#[test]
fn an_application_by_run_before_it_was_there() {
    let words =
        |action| ["-q", "--dry-run", "flink", NO_PAUSE, JOBMANAGER, "--", action, "-t", "yarn-application", "x.jar"];
    flink("1.20.1").run(&words("run")).expect(
        Some(0),
        "warning: `run` of Flink 1.20.1 takes no application: it executes main in the client, and then fails; write \
         run-application\n",
    );
    flink("1.20.1").run(&words("run-application")).expect(Some(0), "");
    flink("2.1.0").run(&words("run")).expect(Some(0), "");
}
