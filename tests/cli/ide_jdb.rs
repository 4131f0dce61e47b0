//! `ide jdb`: the printed line is typed into a shell, and debugs a real JVM.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::jdb::Jdb;
use crate::scene::{Reaped, Scene};

const PROGRAM: &str = "public class Waits {
    public static void main(String[] words) {
        String value = words[0];
        System.out.println(value);
    }
}
";

/// Enough on a busy machine.
const LIMIT: Duration = Duration::from_secs(120);

fn jdk() -> PathBuf {
    let jdb = which::which("jdb").expect("a JDK with jdb is on PATH").canonicalize().expect("it exists");
    jdb.parent().and_then(Path::parent).expect("bin of a JDK").to_owned()
}

fn compiled() -> Scene {
    let scene = Scene::new().file("work/Waits.java", PROGRAM);
    let mut javac = Command::new(jdk().join("bin/javac"));
    javac.args(["-g", "-d", ".", "Waits.java"]).current_dir(scene.path("work"));
    let compiled = javac.status().expect("javac runs");
    assert!(compiled.success());
    scene
}

fn waits(scene: &Scene, agent: &str, value: &str) -> Reaped {
    let mut java = Command::new(jdk().join("bin/java"));
    java.args(["-Xmx64m", &scene.fill(&format!("-agentlib:jdwp=transport=dt_socket,suspend=y,{agent}"))]);
    java.args(["-cp", ".", "Waits", value]).current_dir(scene.path("work")).env_remove("JAVA_TOOL_OPTIONS");
    Reaped(java.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("java runs"))
}

fn line(scene: &Scene, endpoint: &str) -> String {
    let run = scene.run(&["ide", "jdb", &format!("--driver={endpoint}")]);
    run.expect(Some(0), "");
    String::from_utf8(run.stdout).expect("text").trim_end().to_owned()
}

/// Stands on the breakpoint and sees the value that only this JVM has.
fn debugs(mut jdb: Jdb, mut java: Reaped, value: &str) {
    jdb.started_suspended().expect("the JVM stands before main");
    jdb.stop_at("Waits", 4).expect("a breakpoint");
    jdb.cont().expect("it goes on");
    jdb.breakpoint_hit(LIMIT).expect("it stands");
    assert_eq!(jdb.print("value").expect("the value"), format!("\"{value}\""));
    jdb.cont().expect("it goes on");
    assert!(java.0.wait().expect("it ends").success());
}

#[test]
fn the_line_that_attaches() {
    for host in ["127.0.0.1", "[::1]"] {
        let scene = compiled();
        let value = format!("{:x}", rand::random::<u64>());
        let mut java = waits(&scene, &format!("server=y,address={host}:@port"), &value);
        let alive = || java.0.try_wait().is_ok_and(|ended| ended.is_none());
        crate::jdb::wait_for_listener(scene.port(), LIMIT, alive).expect("it listens");
        let mut jdb =
            Jdb::typed(&line(&scene, &format!("attach:{host}:@port")), &jdk(), &scene.path("work")).expect("jdb");
        jdb.connected(|| true).expect("it attaches");
        debugs(jdb, java, &value);
    }
}

#[test]
fn the_line_that_listens() {
    for host in ["127.0.0.1", "[::1]"] {
        let scene = compiled();
        let value = format!("{:x}", rand::random::<u64>());
        let mut jdb =
            Jdb::typed(&line(&scene, &format!("listen:{host}:@port")), &jdk(), &scene.path("work")).expect("jdb");
        jdb.listens().expect("it listens");
        let java = waits(&scene, &format!("server=n,address={host}:@port"), &value);
        jdb.connected(|| true).expect("the JVM dials");
        debugs(jdb, java, &value);
    }
}
