//! `ps` on real JVMs: what the socket table and Spark's own servers tell while debuggers come and go.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::cluster::local::OwnHome;
use crate::cluster::yarn::MiniYarn;
use crate::distribution::{SPARK_3, SPARK_4};
use crate::in_executors::wait_for_listeners;
use crate::jdb::Jdb;
use crate::job::Job;
use crate::lab::{Lab, free_port};
use crate::tasks::Tasks;

/// From one state to the next.
const STEP_LIMIT: Duration = Duration::from_secs(120);

/// Runs until it is ended.
const APP: &str = "import time\nfrom pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\n\
                   spark.range(10).count()\ntime.sleep(600)\n";

/// What `sparkdbg ps --json` says with these words; nothing where it fails, say because the UI is not open yet.
fn rows(lab: &Lab, words: &[&str]) -> Vec<Value> {
    let output = lab.sparkdbg().args(["-q", "ps", "--json", "--timeout=30s"]).args(words).output().expect("it starts");
    serde_json::from_slice(&output.stdout).unwrap_or_default()
}

/// Looks until a row is as wanted.
#[track_caller]
fn wait_for(lab: &Lab, words: &[&str], wanted: impl Fn(&Value) -> bool) -> Value {
    let started = Instant::now();
    loop {
        let rows = rows(lab, words);
        if let Some(row) = rows.iter().find(|row| wanted(row)) {
            return row.clone();
        }
        assert!(started.elapsed() < STEP_LIMIT, "not seen within {STEP_LIMIT:?}: {rows:#?}");
        std::thread::sleep(Duration::from_millis(300));
    }
}

/// Held by `suspend=y` it has no UI: only this machine's processes tell of it.
#[test]
fn a_driver_from_before_main_to_after_its_debugger() {
    let lab = Lab::new(SPARK_4);
    let app = lab.file("hold.py", APP);
    let (port, ui) = (free_port(), free_port());
    let mut command = lab.sparkdbg();
    command.args([
        "submit",
        &format!("--driver=attach:{port}"),
        "--",
        "--master",
        "local[1]",
        "--driver-memory",
        "512m",
    ]);
    command.args(["--conf", &format!("spark.ui.port={ui}")]).arg(&app);
    let mut job = Job::start(&mut command, lab.dir(), None);

    let in_state = |state: &'static str| move |row: &Value| row["port"] == port && row["state"] == state;
    let row = wait_for(&lab, &[], in_state("waiting"));
    assert_eq!(json!([row["app"], row["role"], row["id"]]), json!(["hold.py", "driver", "driver"]));
    let hint = format!("IDE \"Attach to remote JVM\": host 127.0.0.1, port {port}; it stands before main until");
    assert!(row["hint"].as_str().unwrap().starts_with(&hint), "{row}");

    let mut jdb = Jdb::attach(&lab.java, port, lab.dir(), || job.alive()).expect("jdb attaches");
    wait_for(&lab, &[], in_state("attached"));
    jdb.started_suspended().expect("it stands before main");
    jdb.cont().expect("it goes on");
    jdb.quit().expect("jdb detaches");
    wait_for(&lab, &[], in_state("listening"));

    let row = wait_for(&lab, &[&format!("http://127.0.0.1:{ui}")], in_state("listening"));
    let app = row["app"].as_str().expect("Spark's own id");
    assert!(app.starts_with("local-"), "{row}");
    // Found by its UI and among the processes: one row.
    let all = rows(&lab, &[]);
    assert_eq!(all.iter().filter(|row| row["port"] == port).count(), 1, "{all:#?}");
}

#[test]
fn executors_and_their_moving_ports() {
    executors(SPARK_4);
}

#[test]
fn executors_of_spark_3() {
    executors(SPARK_3);
}

/// Two executors with free ports: a debugger comes to one of them and leaves, and its port is another.
fn executors(spark: &str) {
    let lab = Lab::new(spark);
    let home = OwnHome::new(&lab);
    let app = lab.file("hold.py", APP);
    let ui = free_port();
    let agent = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0";
    let mut command = lab.script("spark-submit");
    command.args(["--master", "local-cluster[2,1,512]", "--driver-memory", "512m"]);
    command.args([
        "--conf",
        "spark.executor.memory=512m",
        "--conf",
        &format!("spark.executor.extraJavaOptions={agent}"),
    ]);
    home.apply(&mut command).args(["--conf", &format!("spark.ui.port={ui}")]).arg(&app);
    let mut job = Job::start(&mut command, lab.dir(), None);

    let url = format!("http://127.0.0.1:{ui}");
    let number = |id: &'static str| move |row: &Value| row["id"] == id;
    let listens = |id| move |row: &Value| number(id)(row) && row["state"] == "listening";
    let (first, second) = (wait_for(&lab, &[&url], listens("0")), wait_for(&lab, &[&url], listens("1")));
    let port = u16::try_from(first["port"].as_u64().expect("a port")).expect("a port");
    assert_ne!(first["port"], second["port"]);

    let jdb = Jdb::attach(&lab.java, port, lab.dir(), || job.alive()).expect("jdb attaches");
    wait_for(&lab, &[&url], |row| number("0")(row) && row["state"] == "attached" && row["port"] == port);
    jdb.quit().expect("jdb detaches");
    let moved = wait_for(&lab, &[&url], listens("0"));
    assert_ne!(moved["port"], first["port"]);
    assert_eq!(wait_for(&lab, &[&url], listens("1"))["port"], second["port"]);
    // Without the URL the command line of the driver names its UI.
    let found = wait_for(&lab, &[], |row| row["app"] == first["app"] && listens("0")(row));
    assert_eq!(found["port"], moved["port"]);
}

/// The ResourceManager leads to the driver's UI through its proxy, and that to the logs on the NodeManager.
#[test]
fn executors_on_yarn() {
    let lab = Lab::alone(SPARK_4);
    let yarn = MiniYarn::start(&lab, 1);
    let tasks = Tasks::new(&lab);
    let mut command = lab.sparkdbg();
    command.args([
        "submit",
        "--executor",
        "--",
        "--master",
        "yarn",
        "--conf",
        &format!("spark.ui.port={}", free_port()),
    ]);
    command.args(["--driver-memory", "512m", "--executor-memory", "512m", "--num-executors", "2"]);
    yarn.apply(&mut command, &lab);
    tasks.add_to(&mut command, 2, 0);
    let mut job = Job::start(&mut command, lab.dir(), None);
    let listeners = wait_for_listeners(yarn.dir(), 2, || job.alive()).unwrap_or_else(|error| panic!("{error}"));
    let mut ports: Vec<u64> = listeners.values().map(|port| u64::from(*port)).collect();
    ports.sort_unstable();

    let url = format!("http://127.0.0.1:{}", yarn.rest_port);
    let executors = |rows: Vec<Value>| -> Vec<Value> {
        rows.into_iter().filter(|row| row["role"] == "executor" && row["state"] == "listening").collect()
    };
    let started = Instant::now();
    let found = loop {
        let found = executors(rows(&lab, &[&url]));
        if found.len() == 2 {
            break found;
        }
        let seen = rows(&lab, &[&url]);
        assert!(started.elapsed() < STEP_LIMIT, "not both executors are seen: {seen:#?}\n{}", job.said());
        std::thread::sleep(Duration::from_millis(300));
    };
    let mut seen: Vec<u64> = found.iter().map(|row| row["port"].as_u64().expect("a port")).collect();
    seen.sort_unstable();
    assert_eq!(seen, ports);
    let mut ids: Vec<&str> = found.iter().map(|row| row["id"].as_str().expect("an id")).collect();
    ids.sort_unstable();
    assert_eq!(ids, ["1", "2"]);
    assert!(
        found.iter().all(|row| row["app"].as_str().is_some_and(|app| app.starts_with("application_"))),
        "{found:#?}"
    );
    tasks.end();
}
