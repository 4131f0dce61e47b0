//! `--for flink`: the same for a script of Flink's.

mod java;
mod lost;

use super::{lines, tells};
use crate::scene::{J, Scene};

/// A Flink of that version, with which nothing is wrong.
fn flink_of(version: &str, conf: &str) -> Scene {
    let scripts =
        ["flink", "taskmanager.sh", "start-cluster.sh", "sql-client.sh", "kubernetes-session.sh", "config.sh"];
    let scene = scripts.iter().fold(Scene::new(), |scene, script| scene.stand_in(&format!("flink/bin/{script}")));
    scene
        .stand_in("java/bin/java")
        .file(&format!("flink/lib/flink-dist-{version}.jar"), "")
        .file(&format!("flink/conf/{conf}"), "taskmanager.numberOfTaskSlots: 1\n")
        .env("FLINK_HOME", "@root/flink")
}

fn flink() -> Scene {
    flink_of("1.20.1", "config.yaml")
}

/// `doctor --for flink OURS -- WORDS`.
fn args<'a>(ours: &[&'a str], words: &[&'a str]) -> Vec<&'a str> {
    [&["doctor", "--for", "flink"], ours, &["--"], words].concat()
}

const TASKMANAGER: [&str; 8] =
    ["doctor", "--for", "flink", "--taskmanager=attach:@port", "--pause-limit=30s", "--", "taskmanager.sh", "start"];

#[test]
fn a_launch_that_goes_well() {
    flink().run(&TASKMANAGER).expect(Some(0), "").prints(
        "ok    profile       none\n\
         ok    distribution  Flink 1.20.1 in @root/flink (FLINK_HOME)\n\
         ok    java          Java 17 in @root/java (JAVA_HOME) for the JVMs started here\n\
         ok    config        reads @root/flink/conf/config.yaml\n\
         ok    deployment    a TaskManager on this machine\n\
         ok    agent         no other debug agent is configured for the taskmanager\n\
         ok    agent         goes into JVM_ARGS: the agent, in the variable that takes the place of nothing\n\
         ok    port          taskmanager: port @port of 127.0.0.1 is free\n\
         ok    reach         taskmanager: only this machine reaches its port; from another: ssh -L \
         @port:127.0.0.1:@port @host\n\
         ok    timeouts      set for a pause of 30s: pekko.ask.timeout=30000\n\
         10 ok, 0 warn, 0 fail\n",
    );
}

#[test]
fn what_its_launch_would_refuse() {
    let scene = flink();
    let listens = args(&["--taskmanager=listen:127.0.0.1:@port"], &["taskmanager.sh", "start"]);
    if cfg!(target_os = "linux") {
        let said = "fail nobody listens on 127.0.0.1:@port: the JVM would die at its start; start the debugger in its listen \
                    mode first, or wait for it: --wait-for-debugger 5m";
        tells(&scene, &listens, "listener", &[said]);
    }
    // 1.x has another word for it, and `run` fails once main has run.
    let application = args(&["--client=attach:@port"], &["run", "-t", "yarn-application", "app.jar"]);
    tells(
        &scene,
        &application,
        "launch",
        &[
            "fail `run` of Flink 1.20.1 takes no application: it executes main in the client, and then fails; write \
             run-application",
            "warn the main method of an application runs in its JobManager, and the client only submits it: \
             --jobmanager=attach,suspend",
        ],
    );
}

/// A role that the command does not reach, beside one whose port is looked at all the same.
#[test]
fn one_failure_hides_no_other() {
    let scene = flink();
    let both = args(&["--client=attach:@port", "--taskmanager"], &["run", "app.jar"]);
    let said = "fail `flink run` starts a client only: no option of its reaches a taskmanager that runs already; add one to \
                the session: sparkdbg flink --taskmanager -- taskmanager.sh start, or deploy the job with its own cluster: \
                run-application -t yarn-application";
    tells(&scene, &both, "launch", &[said]);
    tells(&scene, &both, "port", &["ok client: port @port of 127.0.0.1 is free"]);
    tells(
        &scene,
        &both,
        "agent",
        &[
            "ok no other debug agent is configured for the client",
            "ok goes into JVM_ARGS: the agent, in the variable that takes the place of nothing",
        ],
    );
}

#[test]
fn files_that_are_not_there_hide_neither_java_nor_ports() {
    let java = "ok Java 17 in @root/java (JAVA_HOME) for the JVMs started here, unless env.java.home names another";
    let free = "ok taskmanager: port @port of 127.0.0.1 is free";
    let broken = flink().file("flink/conf/config.yaml", "a: [\n");
    let told = lines(&broken.run(&TASKMANAGER), "config");
    assert!(told.len() == 1 && told[0].starts_with("fail "), "{told:?}");
    tells(&broken, &TASKMANAGER, "distribution", &["ok Flink 1.20.1 in @root/flink (FLINK_HOME)"]);
    tells(&broken, &TASKMANAGER, "java", &[java]);
    tells(&broken, &TASKMANAGER, "port", &[free]);
    let none = flink().unset("FLINK_HOME");
    let said = "fail no Flink was found: `taskmanager.sh` is not on PATH; name the distribution: --flink-home DIR, or \
                FLINK_HOME";
    tells(&none, &TASKMANAGER, "distribution", &[said]);
    tells(&none, &TASKMANAGER, "java", &[java]);
    tells(&none, &TASKMANAGER, "port", &[free]);
    // Where such a TaskManager runs is not known.
    tells(&none, &args(&["--taskmanager=attach:@port"], &["yarn-session.sh"]), "port", &[]);
}

#[test]
fn nothing_to_debug() {
    let stop = args(&[], &["taskmanager.sh", "stop"]);
    let said = "warn nothing to debug: `taskmanager.sh stop` starts no JVM; run as typed; give ARGS as the command would have \
                them, after `--`";
    tells(&flink(), &stop, "launch", &[said]);
    for topic in ["deployment", "agent", "port", "reach", "timeouts"] {
        tells(&flink(), &stop, topic, &[]);
    }
}

#[test]
fn agents_that_are_there() {
    let scene = flink().env("JVM_ARGS", J);
    let start = args(&["--taskmanager=attach:@port"], &["taskmanager.sh", "start"]);
    let replaced = format!("ok replaced: `{J}` in JVM_ARGS in the environment");
    tells(
        &scene,
        &start,
        "agent",
        &[&replaced, "ok goes into JVM_ARGS: the agent, in the variable that takes the place of nothing"],
    );
    let fails = args(&["--existing=fail", "--taskmanager=attach:@port"], &["taskmanager.sh", "start"]);
    let there = format!("ok one is configured for the taskmanager already: `{J}` in JVM_ARGS in the environment");
    tells(&scene, &fails, "agent", &[&there]);
}

#[test]
fn where_its_jvms_run() {
    let scene = flink().file("flink/conf/workers", "localhost\nlocalhost\n");
    for (words, said) in [
        (&["start-cluster.sh"][..], "ok 1 JobManager on this machine, 2 TaskManagers on this machine"),
        (&["run", "app.jar"], "ok a client on this machine, and no JVM of a cluster"),
        (
            &["run", "-t", "local", "app.jar"],
            "ok `local` (-t): client, JobManager and TaskManager are one JVM on this machine",
        ),
        (
            &["run-application", "-t", "yarn-application", "app.jar"],
            "ok `yarn-application` (-t): a client on this machine, JobManager and TaskManagers on YARN; main runs in the \
             JobManager",
        ),
        (&["kubernetes-session.sh"], "ok a client on this machine, JobManager and TaskManagers on Kubernetes"),
    ] {
        tells(&scene, &args(&[], words), "deployment", &[said]);
    }
    let scene = scene.file("flink/conf/workers", "h1\nh2\n");
    let said = "ok 1 JobManager on this machine, TaskManagers by ssh (`h1`)";
    tells(&scene, &args(&[], &["start-cluster.sh"]), "deployment", &[said]);
}

#[test]
fn jvms_elsewhere() {
    let yarn = |ours| {
        args(ours, &["run-application", "-t", "yarn-application", "-Dslotmanager.number-of-slots.max=1", "a.jar"])
    };
    let attach = yarn(&["--jobmanager=attach:5005", "--taskmanager"]);
    tells(
        &flink(),
        &attach,
        "port",
        &[
            "warn jobmanager: whether port 5005 is free on its host cannot be seen from here; let the JVM pick one: \
             --jobmanager=attach:0",
            "ok taskmanager: a free port of 127.0.0.1 is picked at the start",
        ],
    );
    tells(
        &flink(),
        &attach,
        "reach",
        &[
            "ok jobmanager: only its own host reaches its port; from here: ssh -L 5005:127.0.0.1:5005 ITS_HOST, which \
             `sparkdbg ps` names",
            "ok taskmanager: only its own host reaches its port; from here: ssh -L PORT:127.0.0.1:PORT ITS_HOST, which \
             `sparkdbg ps` names",
        ],
    );
    let listen = yarn(&["--taskmanager=listen:203.0.113.9:5006"]);
    tells(
        &flink(),
        &listen,
        "reach",
        &[
            "warn taskmanager: `203.0.113.9` is no address of this machine; whether the cluster's hosts reach it cannot be \
             seen from here; from one of them: ping 203.0.113.9",
        ],
    );
    let pods = args(&["--taskmanager=attach:5006"], &["kubernetes-session.sh"]);
    tells(&flink(), &pods, "port", &["ok taskmanager: port 5006 of a pod of its own, where nobody else wants it"]);
    let said = "ok taskmanager: only its own pod reaches its port; from here: kubectl port-forward POD 5006:5006";
    tells(&flink(), &pods, "reach", &[said]);
}

#[test]
fn timeouts() {
    let client = |words: &[&'static str]| args(&["--client=attach:@port"], words);
    let none = "ok none to set for a pause of 2h: nobody waits for that JVM";
    tells(&flink(), &client(&["run", "app.jar"]), "timeouts", &[none]);
    // Whose silence ends the job.
    let said = "ok set for a pause of 2h: client.heartbeat.timeout=7200000";
    tells(&flink(), &client(&["run", "-sae", "app.jar"]), "timeouts", &[said]);
    let said = "ok set for a pause of 2h: heartbeat.timeout=7200000, pekko.ask.timeout=7200000, slot.request.timeout=7200000, \
                task.cancellation.timeout=0, execution.checkpointing.timeout=7200000, \
                execution.checkpointing.tolerable-failed-checkpoints=1000000";
    tells(&flink(), &client(&["run", "-t", "local", "app.jar"]), "timeouts", &[said]);
}

#[test]
fn python() {
    let said = "warn a JVM debugger stops in Java and Scala code, and neither in the application's Python code nor in UDFs; \
                use a debugger for Python there, such as debugpy, called from that code itself";
    tells(&flink(), &args(&[], &["run", "--python", "app.py"]), "python", &[said]);
    tells(&flink(), &args(&[], &["run", "app.jar"]), "python", &[]);
}
