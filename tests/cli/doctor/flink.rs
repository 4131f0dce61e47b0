//! `--for flink`: the same for a script of Flink's.

use super::tells;
use crate::scene::Scene;

fn flink() -> Scene {
    let scene = ["bin/flink", "bin/taskmanager.sh", "bin/config.sh"]
        .iter()
        .fold(Scene::new(), |scene, script| scene.stand_in(&format!("flink/{script}")));
    scene
        .file("flink/lib/flink-dist-1.20.1.jar", "")
        .file("flink/conf/config.yaml", "taskmanager:\n  numberOfTaskSlots: 1\n")
        .env("FLINK_HOME", "@root/flink")
}

const TASKMANAGER: [&str; 8] =
    ["doctor", "--for", "flink", "--taskmanager=attach:@port", "--pause-limit=30s", "--", "taskmanager.sh", "start"];

#[test]
fn a_taskmanager() {
    let scene = flink();
    tells(&scene, &TASKMANAGER, "distribution", &["ok Flink 1.20.1 in @root/flink (FLINK_HOME)"]);
    tells(&scene, &TASKMANAGER, "java", &["ok Java 17 for the JVMs started here"]);
    tells(&scene, &TASKMANAGER, "config", &["ok reads @root/flink/conf/config.yaml"]);
    tells(&scene, &TASKMANAGER, "port", &["ok taskmanager: port @port of 127.0.0.1 is free"]);
    tells(
        &scene,
        &TASKMANAGER,
        "reach",
        &["ok taskmanager: only this machine reaches its port; from another: ssh -L @port:127.0.0.1:@port @host"],
    );
}

#[test]
fn what_its_launch_would_refuse() {
    let scene = flink();
    let args = ["doctor", "--for", "flink", "--taskmanager=listen:127.0.0.1:@port", "--", "taskmanager.sh", "start"];
    if cfg!(target_os = "linux") {
        let said = "fail nobody listens on 127.0.0.1:@port: the JVM would die at its start; start the debugger in its listen \
                    mode first, or wait for it: --wait-for-debugger 5m";
        tells(&scene, &args, "listener", &[said]);
    }
    let broken = scene.file("flink/conf/config.yaml", "a: [\n");
    let run = broken.run(&TASKMANAGER);
    run.expect(Some(1), "");
    let told = super::lines(&run, "config");
    assert!(told.len() == 1 && told[0].starts_with("fail "), "{run}");
    assert_eq!(super::lines(&run, "distribution"), [broken.fill("ok Flink 1.20.1 in @root/flink (FLINK_HOME)")]);
}

#[test]
fn nothing_to_debug() {
    let args = ["doctor", "--for", "flink", "--", "taskmanager.sh", "stop"];
    let said = "warn nothing to debug: `taskmanager.sh stop` starts no JVM; run as typed; give ARGS as the command would have \
                them, after `--`";
    tells(&flink(), &args, "launch", &[said]);
}
