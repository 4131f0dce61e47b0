//! `ps` on real JVMs: what the socket table and Spark's own servers tell while debuggers come and go.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::distribution::{SPARK_3, SPARK_4};
use crate::jdb::Jdb;
use crate::job::Job;
use crate::lab::{Lab, free_port};

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
    let app = lab.file("hold.py", APP);
    let ui = free_port();
    let mut command = lab.sparkdbg();
    command.args(["submit", "--executor", "--", "--master", "local-cluster[2,1,512]", "--driver-memory", "512m"]);
    command.args(["--conf", "spark.executor.memory=512m"]);
    command.args(["--conf", &format!("spark.ui.port={ui}")]).arg(&app);
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
