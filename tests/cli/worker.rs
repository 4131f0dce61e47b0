//! `sparkdbg worker`: with which words, variables and helper files the Worker starts, and what is said before.
//! Which JVMs then have the agent is for `java_home`.

mod agents;
mod both;
mod cannot;
mod dry_run;
mod master;
mod said;
mod spark_env;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;

use serde_json::json;

use crate::scene::{NO_PAUSE, Outcome, Scene};

pub const WORKER: &str = "org.apache.spark.deploy.worker.Worker";
pub const MASTER: &str = "spark://m:7077";
/// What an executor gets when nothing is typed.
pub const ATTACH: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0";
/// Kept for documentation: no machine has it, so whether somebody listens there is not known.
pub const AWAY: &str = "203.0.113.9:5005";
pub const DIAL: &str = "-agentlib:jdwp=transport=dt_socket,server=n,suspend=n,address=203.0.113.9:5005";
pub const LOCK: &str = "@root/cache/sparkdbg/@host-dials-203.0.113.9-5005.lock";
/// A debug agent that is there already.
pub const THEIRS: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:@other";

/// A Spark, and a Java of which more than `bin/java` can be reached.
pub fn scene() -> Scene {
    Scene::spark("4.3.0").stand_in("java/bin/java").file("java/bin/jar", "").file("java/lib/modules", "m")
}

pub fn run<'a>(scene: &'a Scene, options: &[&str], words: &[&str]) -> Outcome<'a> {
    scene.run(&[&["worker", NO_PAUSE], options, &["--"], words].concat())
}

/// The `JAVA_HOME` that the Worker gets, as the dry run tells it: named by what is in it, below the cache directory.
pub fn shim(scene: &Scene) -> String {
    let plan = scene.json(&["-q", "worker", NO_PAUSE, "--", MASTER]);
    let home = plan["env"]["JAVA_HOME"].as_str().or_else(|| plan["env"]["SPARKDBG_SET_JAVA_HOME"].as_str());
    let home = home.expect("a JAVA_HOME").to_owned();
    let (dir, name) = home.rsplit_once('/').expect("a path");
    assert_eq!(dir, scene.fill("@root/cache/sparkdbg"));
    assert!(name.len() == 16 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')), "{home}");
    home
}

/// What the script in it is told, for these executors.
pub fn told<'a>(agent: &'a str, existing: &'a str) -> BTreeMap<&'a str, Option<&'a str>> {
    BTreeMap::from([
        ("SPARKDBG_AGENT", Some(agent)),
        ("SPARKDBG_EXISTING", Some(existing)),
        ("SPARKDBG_JAVA", Some("@root/java/bin/java")),
    ])
}

/// The Worker starts with exactly these words and, beside a `JAVA_HOME` of ours, these variables.
#[track_caller]
pub fn starts(run: &Outcome<'_>, scene: &Scene, words: &[&str], told: BTreeMap<&str, Option<&str>>) {
    let home = shim(scene);
    let mut env: Vec<_> = told.into_iter().collect();
    env.push(("JAVA_HOME", Some(&home)));
    run.starts_with("spark/bin/spark-class", &[&[WORKER], words].concat(), &env);
}

#[test]
fn its_executors_listen_each_on_a_port_of_its_own() {
    let scene = scene();
    for options in [["-q"].as_slice(), &["-q", "--executor"], &["-q", "--attach", "0"], &["-q", "--executor=attach:0"]]
    {
        let run = run(&scene, options, &["--cores", "1", MASTER]);
        run.expect(Some(0), "");
        starts(&run, &scene, &["--cores", "1", MASTER], told(ATTACH, "replace"));
    }
    let run = run(&scene, &["-q", "--attach", "0.0.0.0:0", "--suspend", "--allow", "10.0.0.0/8"], &[MASTER]);
    run.expect(
        Some(0),
        "warning: whoever reaches the port that it picks on `0.0.0.0` from 10.0.0.0/8 can run any code in the executor\n",
    );
    let agent = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=0.0.0.0:0,allow=10.0.0.0/8";
    starts(&run, &scene, &[MASTER], told(agent, "replace"));
}

#[test]
fn one_of_them_dials_the_debugger() {
    let scene = scene();
    for options in
        [["-q", "--listen", AWAY].as_slice(), &["-q", "--executor=listen:203.0.113.9:5005", "--one-executor"]]
    {
        let run = run(&scene, options, &[MASTER]);
        run.expect(Some(0), "");
        let mut told = told(DIAL, "replace");
        told.insert("SPARKDBG_LOCK", Some(LOCK));
        starts(&run, &scene, &[MASTER], told);
    }
    let run = run(&scene, &["-q", "--listen", AWAY, "--all-executors"], &[MASTER]);
    run.expect(
        Some(0),
        "warning: every executor dials 203.0.113.9:5005: those that the debugger does not take die at their start and \
         are started again (--one-executor)\n",
    );
    starts(&run, &scene, &[MASTER], told(DIAL, "replace"));
}

/// On this machine an executor first looks whether somebody listens.
#[test]
#[cfg(target_os = "linux")]
fn a_debugger_on_this_machine() {
    let scene = scene();
    let agent = "-agentlib:jdwp=transport=dt_socket,server=n,suspend=n,address=127.0.0.1:@port";
    let port = format!("{:04X}", scene.port());
    let words: Vec<String> = ["7F000001", "00000000", "0000FFFF"]
        .map(|word| format!("{:08X}", u32::from_str_radix(word, 16).unwrap().to_be()))
        .to_vec();
    let [loopback, zero, mapped] = words.as_slice() else { unreachable!() };
    let listener = [
        loopback.clone(),
        zero.repeat(4),
        zero.clone(),
        format!("{zero}{zero}{mapped}{loopback}"),
        format!("{zero}{zero}{mapped}{zero}"),
    ]
    .map(|address| format!("{address}:{port}"))
    .join(" ");
    let mut told = told(agent, "replace");
    told.insert("SPARKDBG_LOCK", Some("@root/cache/sparkdbg/@host-dials-127.0.0.1-@port.lock"));
    told.insert("SPARKDBG_LISTENER", Some(&listener));
    let nobody = "nobody listens on 127.0.0.1:@port: executors that start before somebody does run without an agent\n";
    run(&scene, &["--listen", "@port"], &[MASTER]).fails(
        125,
        &format!(
            "error: {nobody}help: start the debugger in its listen mode first, or wait for it: --wait-for-debugger 5m; \
             to start all the same: --no-preflight\n"
        ),
    );
    let run = run(&scene, &["-q", "--no-preflight", "--listen", "@port"], &[MASTER]);
    run.expect(Some(0), &format!("warning: {nobody}"));
    starts(&run, &scene, &[MASTER], told.clone());

    let debugger = std::net::TcpListener::bind(("127.0.0.1", scene.port())).unwrap();
    let run = self::run(&scene, &["-q", "--listen", "@port", "--wait-for-debugger", "1m"], &[MASTER]);
    run.expect(Some(0), "");
    starts(&run, &scene, &[MASTER], told);
    crate::scene::close(debugger);
    let run = self::run(&scene, &["-q", "--listen", "@port", "--wait-for-debugger", "1ms"], &[MASTER]);
    run.fails(
        125,
        "note: waiting up to 1ms until a debugger listens on 127.0.0.1:@port\n\
         error: nobody listened on 127.0.0.1:@port within 1ms\n\
         help: start the debugger in its listen mode, then run this again\n",
    );
}

#[test]
fn one_application() {
    let scene = scene();
    let run = run(&scene, &["-q", "--app", "app-1"], &[MASTER]);
    let mut told = told(ATTACH, "replace");
    told.insert("SPARKDBG_APP", Some("app-1"));
    run.expect(Some(0), "");
    starts(&run, &scene, &[MASTER], told);
}

/// All of the real home is reachable through the other one, which is named by what it holds.
#[test]
fn the_java_home() {
    let scene = scene();
    let home = shim(&scene);
    let plan = scene.json(&["-q", "worker", NO_PAUSE, "--", MASTER]);
    assert_eq!(plan["files"], json!([format!("{home}/bin/java")]));
    let home = PathBuf::from(home);
    assert_eq!(
        fs::read_to_string(home.join("bin/java")).unwrap(),
        include_str!("../../src/plan/java_home/java.sh"),
        "written by a dry run too, and the same for every job"
    );
    let link = |name: &str| fs::read_link(home.join(name)).unwrap();
    for (name, target) in
        [("release", "java/release"), ("lib", "java/lib"), ("bin/jar", "java/bin/jar"), ("sparkdbg-real", "java")]
    {
        assert_eq!(link(name), scene.path(target), "{name}");
    }
    let mut names: Vec<_> = fs::read_dir(&home).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["bin", "lib", "release", "sparkdbg-real"]);
    // The same for any endpoint, another one for a Java that has more.
    let dialling = scene.json(&["-q", "worker", NO_PAUSE, "--listen", AWAY, "--", MASTER]);
    assert_eq!(dialling["env"]["JAVA_HOME"].as_str(), home.to_str());
    let scene = scene.file("java/legal/x", "");
    assert_ne!(shim(&scene), home.to_str().unwrap());
}

#[test]
fn a_java_home_of_ours_is_seen_through() {
    let scene = scene();
    let home = shim(&scene);
    let scene = scene.env("JAVA_HOME", &home);
    assert_eq!(shim(&scene), home);
    let run = run(&scene, &["-q"], &[MASTER]);
    run.expect(Some(0), "").starts_with(
        "spark/bin/spark-class",
        &[WORKER, MASTER],
        &told(ATTACH, "replace").into_iter().collect::<Vec<_>>(),
    );
}

/// The one that `spark-class` would take.
#[test]
fn the_java_on_the_path() {
    let scene = scene().unset("JAVA_HOME").link("bin/java", "java/bin/java").env("PATH", "@root/bin:/usr/bin:/bin");
    let run = run(&scene, &["-q"], &[MASTER]);
    starts(&run, &scene, &[MASTER], told(ATTACH, "replace"));
    let relative = self::scene().env("JAVA_HOME", "../java");
    let mut told = told(ATTACH, "replace");
    told.insert("SPARKDBG_JAVA", Some("@root/work/../java/bin/java"));
    starts(&self::run(&relative, &["-q"], &[MASTER]), &relative, &[MASTER], told);
    // Empty counts as unset.
    let empty =
        self::scene().env("JAVA_HOME", "").link("bin/java", "java/bin/java").env("PATH", "@root/bin:/usr/bin:/bin");
    starts(&self::run(&empty, &["-q"], &[MASTER]), &empty, &[MASTER], self::told(ATTACH, "replace"));
}

/// `spark-class` quotes `JAVA_HOME`, so a blank in it does no harm.
#[test]
fn a_cache_directory_with_a_blank() {
    let scene = scene().env("XDG_CACHE_HOME", "@root/ca che");
    let run = run(&scene, &["-q"], &[MASTER]);
    run.expect(Some(0), "");
    let home = run.child().env[OsStr::new("JAVA_HOME")].clone();
    assert!(home.to_str().unwrap().starts_with(&scene.fill("@root/ca che/sparkdbg/")), "{run}");
    let through = scene.run_program(PathBuf::from(home).join("bin/java"), &["x"]);
    through.expect(Some(0), "");
    assert_eq!(fs::canonicalize(through.child().script).unwrap(), scene.path("java/bin/java"), "{through}");
}

#[test]
fn off_is_off() {
    let scene = scene().env("SPARKDBG", "off");
    let run = scene.run(&["worker", "--listen", "@port", "--app", "x", "--", "-c", "1", MASTER]);
    run.expect(Some(0), "").starts("spark/bin/spark-class", &[WORKER, "-c", "1", MASTER]);
    let untouched =
        self::scene().env("SPARKDBG", "off").file("spark/conf/spark-env.sh", "touch @root/x; JAVA_HOME=/x\n");
    untouched.run(&["worker", MASTER]).expect(Some(0), "").starts("spark/bin/spark-class", &[WORKER, MASTER]);
    assert!(!untouched.path("x").exists(), "nothing needs to be looked up");
    // The master that nobody typed is no matter of the debugger's.
    let named = scene.env("SPARK_MASTER_HOST", "h");
    named
        .run(&["worker", "--daemon", "--", "-c", "1"])
        .expect(Some(0), "")
        .starts("spark/bin/spark-class", &[WORKER, "-c", "1", "spark://h:7077"]);
    let nobody = self::scene().env("SPARKDBG", "off").env("JAVA_HOME", "/nowhere");
    nobody.run(&["worker"]).expect(Some(0), "").starts("spark/bin/spark-class", &[WORKER]);
    nobody.run(&["worker", "--", "--help"]).expect(Some(0), "").starts("spark/bin/spark-class", &[WORKER, "--help"]);
}

#[test]
fn a_question_starts_nothing() {
    let scene = scene();
    let run = scene.run(&["worker", "--listen", "@port", "--", "-c", "1", "--help"]);
    run.expect(Some(0), "note: nothing to debug: `--help` starts no daemon; run as typed\n");
    run.starts("spark/bin/spark-class", &[WORKER, "-c", "1", "--help"]);
    assert_eq!(scene.json(&["worker", "--", "--help"])["endpoints"], json!([]));
    for words in [["class", "--", WORKER, "--help"].as_slice(), &["history-server", "--", "-h"]] {
        assert_eq!(scene.json(words)["endpoints"], json!([]), "{words:?}");
    }
    // To the Worker it is its host.
    assert_eq!(scene.json(&["worker", "--", "-h", "h", MASTER])["endpoints"].as_array().map(Vec::len), Some(1));
}
