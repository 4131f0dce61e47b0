//! `ps`: what a driver's UI and the logs behind it tell, in table and JSON.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::scene::{Scene, free_port};
use crate::web::{Answer, Request, Web, listening, not_found, spark_log};

const FREE: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0";
const APPS: &str = r#"[{"id":"app-1","name":"count","attempts":[{"completed":false}]}]"#;

/// More time than any answer takes, however busy the machine of the tests is.
pub const PATIENT: &str = "--timeout=60s";

/// A machine without kubectl and proxies.
pub fn scene() -> Scene {
    Scene::new()
}

/// An executor in the answer of the REST API; its logs are at `logs`.
pub fn executor(id: &str, host: &str, is_active: bool, logs: &str) -> Value {
    let log = |kind: &str| format!("{logs}/logPage/?appId=app-1&executorId={id}&logType={kind}");
    json!({"id": id, "hostPort": host, "isActive": is_active, "executorLogs": {"stdout": log("stdout"), "stderr": log("stderr")}})
}

/// The driver in that answer; in client mode it has no logs.
pub fn driver(host: &str) -> Value {
    json!({"id": "driver", "hostPort": host, "isActive": true, "executorLogs": {}})
}

/// A driver's UI. `executors` gets its own address.
pub fn ui(
    prefix: &'static str,
    settings: Value,
    executors: impl Fn(&str) -> Value + Send + Sync + 'static,
    logs: impl Fn(&Request) -> Answer + Send + Sync + 'static,
) -> Web {
    Web::start(move |request| {
        let own = format!("http://{}{prefix}", request.header("host").expect("a host"));
        let Some(path) = request.path.strip_prefix(prefix) else { return not_found() };
        match path.split('?').next().expect("a path") {
            "/api/v1/applications" => Answer::Page(APPS.to_owned()),
            "/api/v1/applications/app-1/allexecutors" => Answer::Page(executors(&own).to_string()),
            "/api/v1/applications/app-1/environment" => Answer::Page(json!({"sparkProperties": settings}).to_string()),
            path if path.ends_with("/log/") => logs(request),
            _ => not_found(),
        }
    })
}

fn died(cause: &str) -> String {
    format!(
        "Spark Executor Command: \"java\"\n========================================\n\nERROR: transport error 202: \
         {cause}\nERROR: JDWP Transport dt_socket failed to initialize, TRANSPORT_INIT(510)\nJDWP exit error \
         AGENT_ERROR_TRANSPORT_INIT(197): No transports initialized [debugInit.c:744]\n"
    )
}

/// An application with everything in it.
fn everything() -> Web {
    let settings = json!([
        ["spark.master", "spark://m:7077"],
        [
            "spark.driver.extraJavaOptions",
            "-Da=1 -agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=0.0.0.0:5005"
        ],
        ["spark.executor.extraJavaOptions", FREE],
    ]);
    let executors = |own: &str| {
        let hosts = [("0", "node7:1", true), ("1", "node8:1", true), ("2", "node8:2", false), ("3", "node9:1", false)];
        let executors = hosts.map(|(id, host, is_active)| executor(id, host, is_active, own));
        Value::from([vec![driver("edge1:42079")], executors.to_vec()].concat())
    };
    ui("", settings, executors, |request| {
        let log = match (request.parameter("executorId").unwrap(), request.parameter("logType").unwrap()) {
            // A debugger came and went: the port moved.
            ("0", "stdout") => format!("{}hello\n{}", listening(42063), listening(38933)),
            ("1", "stdout") => "no agent spoke here\n".to_owned(),
            ("2", "stderr") => died("bind failed: Address already in use"),
            ("3", "stderr") => died("connect failed: Connection refused"),
            _ => String::new(),
        };
        spark_log(request, &log)
    })
}

#[test]
fn the_table() {
    let web = everything();
    let scene = scene();
    let run = scene.run(&["ps", PATIENT, &web.url("")]);
    run.expect(Some(0), "").prints(
        "APP    ROLE      ID      HOST   PORT   STATE      NEXT STEP\n\
         app-1  driver    driver  edge1  5005   unknown    it has no log here: whether a debugger is there cannot be \
         told; if it listens: IDE \"Attach to remote JVM\": host edge1, port 5005\n\
         app-1  executor  0       node7  38933  listening  ssh -L 38933:127.0.0.1:38933 node7, then IDE \"Attach to \
         remote JVM\": host 127.0.0.1, port 38933\n\
         app-1  executor  1       node8  -      unknown    its log does not name its port\n\
         app-1  executor  2       node8  -      gone       it died of AGENT_ERROR_TRANSPORT_INIT: bind failed: Address \
         already in use: two JVMs on one host want the same port; give each a free one: --executor=attach:0\n\
         app-1  executor  3       node9  -      gone       it died of AGENT_ERROR_TRANSPORT_INIT: connect failed: \
         Connection refused: nobody listened at that address; start the debugger's listen mode before the JVM\n",
    );
}

#[test]
fn the_array() {
    let web = everything();
    let scene = scene();
    // Options stand before or after the URL.
    for args in [["ps", PATIENT, "--json", &web.url("/jobs/")], ["ps", PATIENT, &web.url(""), "--json"]] {
        let run = scene.run(&args);
        run.expect(Some(0), "");
        let rows: Value = serde_json::from_slice(&run.stdout).expect("JSON");
        assert_eq!(
            rows[1],
            json!({
                "app": "app-1", "role": "executor", "id": "0", "host": "node7", "port": 38933, "state": "listening",
                "hint": "ssh -L 38933:127.0.0.1:38933 node7, then IDE \"Attach to remote JVM\": host 127.0.0.1, port 38933"
            })
        );
        let states: Vec<&str> = rows.as_array().unwrap().iter().map(|row| row["state"].as_str().unwrap()).collect();
        assert_eq!(states, ["unknown", "listening", "unknown", "gone", "gone"]);
        assert_eq!(rows[2]["port"], Value::Null);
        let keys: Vec<&String> = rows[0].as_object().unwrap().keys().collect();
        assert_eq!(keys, ["app", "role", "id", "host", "port", "state", "hint"]);
    }
}

/// One executor whose log holds this, and what its row says.
fn row_of(log: String, agent: &str) -> Value {
    let settings = json!([["spark.executor.extraJavaOptions", agent]]);
    let web =
        ui("", settings, |own| json!([executor("0", "node7:1", true, own)]), move |request| spark_log(request, &log));
    let run = scene().run(&["-q", "ps", PATIENT, "--json", &web.url("")]).stdout.clone();
    serde_json::from_slice::<Value>(&run).expect("JSON")[0].clone()
}

#[test]
fn a_chatty_executor() {
    let line = "x".repeat(99) + "\n";
    let chat = |kib: usize| line.repeat(kib * 10);
    // The line has scrolled out of the tail, but the rest can be read.
    let row = row_of(format!("{}{}", listening(4711), chat(300)), FREE);
    assert_eq!((&row["port"], &row["state"]), (&json!(4711), &json!("listening")));
    let row = row_of(format!("{}{}{}{}", listening(4711), chat(200), listening(4712), chat(200)), FREE);
    assert_eq!((&row["port"], &row["state"]), (&json!(4712), &json!("listening")));
    // Too long: the head names a port, what lies between is not known.
    let row = row_of(format!("{}{}", listening(4711), chat(3000)), FREE);
    assert_eq!((&row["port"], &row["state"]), (&json!(4711), &json!("unknown")));
    let hint = "its log is too long to be read whole: the port may have moved since; if it listens: ssh -L \
                4711:127.0.0.1:4711 node7, then IDE \"Attach to remote JVM\": host 127.0.0.1, port 4711";
    assert_eq!(row["hint"], hint);
    // Neither end names it.
    let row = row_of(chat(3000), FREE);
    assert_eq!((&row["port"], &row["state"]), (&Value::Null, &json!("unknown")));
    // The tail alone tells.
    let row = row_of(format!("{}{}", chat(3000), listening(4713)), FREE);
    assert_eq!((&row["port"], &row["state"]), (&json!(4713), &json!("listening")));
}

#[test]
fn executors_that_dial_out() {
    let dials = "-agentlib:jdwp=transport=dt_socket,server=n,suspend=n,address=10.0.0.171:5005";
    let row = row_of(String::new(), dials);
    assert_eq!((&row["port"], &row["state"]), (&Value::Null, &json!("dialled")));
    assert_eq!(
        row["hint"],
        "it dials the debugger at 10.0.0.171:5005: IDE \"Listen to remote JVM\" there, before the JVM starts"
    );
    let row = row_of("hello\n".to_owned(), "-Xmx1g");
    assert_eq!((&row["state"], &row["hint"]), (&json!("unknown"), &json!("it has no debug agent")));
}

/// 1,000 executors, their logs on three servers, of which one does not answer as it should.
fn thousand(bad: fn() -> Answer) {
    let good = || {
        Web::start(|request| match request.parameter("logType") {
            Some("stdout") => {
                let id: u16 = request.parameter("executorId").unwrap().parse().unwrap();
                spark_log(request, &listening(20_000 + id))
            }
            _ => not_found(),
        })
    };
    let servers = [good(), Web::start(move |_| bad()), good()];
    let urls = servers.each_ref().map(|server| server.url(""));
    let executors = move |_: &str| -> Value {
        (0..1000).map(|id: usize| executor(&id.to_string(), &format!("node{id}:1"), true, &urls[id % 3])).collect()
    };
    let web = ui("", json!([["spark.executor.extraJavaOptions", FREE]]), executors, |_| not_found());
    let scene = scene();
    let started = Instant::now();
    let run = scene.run(&["ps", "--json", "--timeout=8s", &web.url("")]);
    let took = started.elapsed();
    assert!(took < Duration::from_secs(9), "{took:?}");
    assert_eq!(run.status.code(), Some(0), "{run}");
    let silent = format!("note: http://127.0.0.1:{} did not answer 334 questions within 8s\n", servers[1].port);
    assert_eq!(run.stderr, silent);
    let rows: Vec<Value> = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(rows.len(), 1000);
    for (id, row) in rows.iter().enumerate() {
        let expected = match id % 3 {
            1 => json!([id.to_string(), null, "unknown", "its log was not read in time"]),
            _ => {
                let port = 20_000 + id;
                let hint = format!(
                    "ssh -L {port}:127.0.0.1:{port} node{id}, then IDE \"Attach to remote JVM\": host 127.0.0.1, port {port}"
                );
                json!([id.to_string(), port, "listening", hint])
            }
        };
        assert_eq!(json!([row["id"], row["port"], row["state"], row["hint"]]), expected);
    }
}

#[test]
fn a_thousand_executors_and_a_log_server_that_never_answers() {
    thousand(|| Answer::Silence);
}

#[test]
fn a_thousand_executors_and_a_log_server_that_drips() {
    thousand(|| Answer::Drip);
}

#[test]
fn what_a_server_says_commands_no_terminal() {
    let executors = |_: &str| json!([{"id": "\u{1b}]0;x\u{7}", "hostPort": "a\u{1b}[2J;b:1", "isActive": true}]);
    let web = ui("", json!([]), executors, |_| not_found());
    let run = scene().run(&["-q", "ps", PATIENT, &web.url("")]).stdout.clone();
    let text = String::from_utf8(run).unwrap();
    assert!(!text.contains(['\u{1b}', '\u{7}']), "{text:?}");
    assert!(text.contains("a\\u{1b}[2J;b"), "{text:?}");
}

#[test]
fn nothing_runs_there() {
    let web = Web::start(|request| match request.path.starts_with("/api/v1/applications") {
        true => Answer::Page("[]".to_owned()),
        false => not_found(),
    });
    let scene = scene();
    let note = "note: no running application is there\n";
    scene.run(&["ps", PATIENT, &web.url("")]).expect(Some(0), note).prints("");
    scene.run(&["ps", PATIENT, "--json", &web.url("")]).expect(Some(0), note).prints("[]\n");
    scene.run(&["ps", PATIENT, "-q", "--json", &web.url("")]).expect(Some(0), "").prints("[]\n");
}

#[test]
fn the_master_is_named_when_no_executor_came() {
    let settings = json!([["spark.master", "spark://127.0.0.1:7077"]]);
    let web = ui("", settings, |_| json!([driver("127.0.0.1:1")]), |_| not_found());
    scene().run(&["ps", PATIENT, &web.url("")]).expect(
        Some(0),
        "note: app-1: no executor has come to its driver; the Master's web UI knows those that wait or died before: \
         sparkdbg ps http://127.0.0.1:8080\n",
    );
}

#[test]
fn nobody_is_there() {
    let scene = scene();
    let port = free_port();
    let error = format!("error: `http://127.0.0.1:{port}` cannot be read: connection refused\n");
    scene.run(&["ps", PATIENT, &format!("127.0.0.1:{port}")]).fails(125, &error);
    let silent = Web::start(|_| Answer::Silence);
    let error = format!(
        "error: `http://127.0.0.1:{}` cannot be read: it did not answer within 1s\nhelp: --timeout gives it more \
         time; a JVM that a debugger suspends answers when it runs again\n",
        silent.port
    );
    scene.run(&["ps", "--timeout=1s", &silent.url("")]).fails(125, &error);
    let other = Web::start(|_| Answer::Page("<html>hello</html>".to_owned()));
    let error = format!(
        "error: `http://127.0.0.1:{}` cannot be used: no driver's UI, history server, Master, Worker, \
         ResourceManager or JobManager answers there\nhelp: name the page that shows the application in a browser; for example: \
         sparkdbg ps http://edge1:4040\n",
        other.port
    );
    scene.run(&["ps", PATIENT, &other.url("")]).fails(125, &error);
}

#[test]
fn what_is_no_url() {
    let scene = scene();
    for (args, error) in [
        (
            vec!["ps", PATIENT, "spark://m:7077"],
            "error: `spark://m:7077` is no address of a web UI: it is where applications register\nhelp: the Master's \
             web UI is on another port: sparkdbg ps http://m:8080\n",
        ),
        (
            vec!["ps", PATIENT, "4040"],
            "error: `4040` is no address of a web UI: it has no host\nhelp: write: sparkdbg ps 127.0.0.1:4040\n",
        ),
        (
            vec!["ps", "--timeout", "soon", "h"],
            "error: `--timeout soon`: expected number at 0\nhelp: write a number and its unit: 10s, 5m\n",
        ),
        // Once: an overflow.
        (vec!["ps", "--timeout", "500000000000y", "h"], "error: `--timeout 500000000000y`: longer than 1day\n"),
        (
            vec!["ps", PATIENT, "--jso", "h"],
            "error: `--jso` is not an option of `sparkdbg ps`\nhelp: did you mean `--json`?\n",
        ),
        (
            vec!["ps", PATIENT, "h", "--class", "x"],
            "error: `--class` is not an option of `sparkdbg ps`\nhelp: `sparkdbg ps --help` lists its options\n",
        ),
        (vec!["--dry-run", "ps", PATIENT], "error: `--dry-run` has no meaning with `ps`, which starts nothing\n"),
    ] {
        scene.run(&args).fails(2, error);
    }
}

#[test]
fn help_shows_how_it_is_called() {
    let run = scene().run(&["ps", "--help"]).stdout.clone();
    let text = String::from_utf8(run).unwrap();
    for line in [
        "Usage: sparkdbg ps [OPTIONS] [URL]",
        "  sparkdbg ps --watch http://master:8080",
        "  sparkdbg ps http://jobmanager:8081",
        "  sparkdbg ps k8s",
    ] {
        assert!(text.lines().any(|shown| shown == line), "{line}\n{text}");
    }
}

#[test]
fn watch_waits_for_executors() {
    let looks = AtomicUsize::new(0);
    let executors = move |own: &str| match looks.fetch_add(1, Ordering::SeqCst) {
        0 | 1 => json!([driver("edge1:1")]),
        _ => json!([driver("edge1:1"), executor("0", "node7:1", true, own)]),
    };
    let web = ui("", json!([]), executors, |request| spark_log(request, &listening(4711)));
    let scene = scene();
    let run = scene.run(&["ps", PATIENT, "--watch", "--json", &web.url("")]);
    run.expect(Some(0), "note: no executors yet; looking every second, Ctrl-C ends it\n");
    let rows: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(json!([rows[1]["id"], rows[1]["port"], rows[1]["state"]]), json!(["0", 4711, "listening"]));
    let looks = web.asked().iter().filter(|path| path.ends_with("/allexecutors")).count();
    assert_eq!(looks, 3);
}

#[test]
fn watch_has_a_limit() {
    let web = ui("", json!([]), |_| json!([driver("edge1:1")]), |_| not_found());
    let error = "error: no executor appeared within 1s\nhelp: sparkdbg ps without --watch shows what is there\n";
    scene().run(&["-q", "ps", PATIENT, "--watch=1s", &web.url("")]).fails(125, error);
}
