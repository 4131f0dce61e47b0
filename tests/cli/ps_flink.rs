//! `ps`: a JobManager of Flink's, its TaskManagers and what they run. The answers have the shape of real ones.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::ps::{PATIENT, scene};
use crate::web::{Answer, Request, Web, listening, not_found};

const FREE: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0";
const OPEN: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=0.0.0.0:5006";
const JID: &str = "16ad3eab74afdc0c3be3f63886a27b5b";

/// What a JobManager says to `GET /config`.
fn dashboard(is_history: bool) -> Answer {
    Answer::Page(
        json!({"refresh-interval": 3000, "timezone-name": "Coordinated Universal Time", "timezone-offset": 0,
               "flink-version": "1.20.1", "flink-revision": "cb1e7b5 @ 2025-01-28T23:32:02+01:00",
               "features": {"web-submit": true, "web-cancel": true, "web-rescale": false, "web-history": is_history}})
        .to_string(),
    )
}

fn page(value: Value) -> Answer {
    Answer::Page(value.to_string())
}

/// A TaskManager in the list.
fn listed(id: &str, address: &str) -> Value {
    json!({"id": id, "path": format!("pekko.tcp://flink@{address}/user/rpc/taskmanager_0"), "dataPort": 32823,
           "jmxPort": -1, "timeSinceLastHeartbeat": 1796011916438_u64, "slotsNumber": 1, "freeSlots": 0})
}

/// A list of settings, as `/jobmanager/config` has it.
fn settings(pairs: &[(&str, &str)]) -> Answer {
    page(pairs.iter().map(|(key, value)| json!({"key": key, "value": value})).collect())
}

/// What a JVM of Flink's writes into its log at its start.
fn log_of(agent: &str) -> String {
    let line = |text: &str| format!("2026-11-30 04:11:28,061 INFO  org.apache.flink.X      [] - {text}\n");
    [" JVM Options:", "    -Xmx1g", &format!("    {agent}"), " Program Arguments:", "    -D"].map(line).concat()
}

fn subtask(number: u32, status: &str, at: &str) -> Value {
    json!({"subtask": number, "status": status, "attempt": 0, "host": "node7", "endpoint": "node7:32823",
           "taskmanager-id": at, "duration": 4040})
}

/// One job that runs on `tm-1` and `tm-2`, and one that has ended.
fn job(path: &str) -> Option<Answer> {
    let [_, "jobs", rest @ ..] = &path.split('/').collect::<Vec<_>>()[..] else { return None };
    Some(match rest {
        ["overview"] => page(json!({"jobs": [
            {"jid": JID, "name": "count", "state": "RUNNING", "tasks": {"running": 4}},
            {"jid": "0".repeat(32), "name": "old", "state": "FINISHED"},
        ]})),
        [jid] if *jid == JID => page(json!({"jid": JID, "name": "count", "state": "RUNNING", "vertices": [
            {"id": "bc76", "name": "Source: Sequence Source", "parallelism": 1, "status": "RUNNING"},
            {"id": "0a44", "name": "squares", "parallelism": 3, "status": "RUNNING"},
        ]})),
        [jid, "vertices", "bc76"] if *jid == JID => {
            page(json!({"id": "bc76", "subtasks": [subtask(0, "RUNNING", "tm-1")]}))
        }
        [jid, "vertices", "0a44"] if *jid == JID => page(json!({"id": "0a44", "subtasks": [
            subtask(0, "RUNNING", "tm-1"), subtask(1, "INITIALIZING", "tm-1"), subtask(2, "RUNNING", "tm-2"),
            // Not there yet, or no longer.
            {"subtask": 3, "status": "SCHEDULED", "attempt": 0, "taskmanager-id": "(unassigned)"},
            subtask(4, "FINISHED", "tm-2"),
        ]})),
        _ => return None,
    })
}

/// A session that was started by hand, on three machines; `tm-3` is suspended.
fn session(request: &Request) -> Answer {
    match request.path.as_str() {
        "/config" => dashboard(false),
        "/jobmanager/config" => settings(&[
            ("jobmanager.rpc.address", "node1"),
            ("jobmanager.rpc.port", "6123"),
            ("env.java.opts.taskmanager", OPEN),
        ]),
        "/jobmanager/environment" => {
            page(json!({"jvm": {"version": "17", "arch": "amd64", "options": ["-Xmx1g", FREE]}}))
        }
        "/jobmanager/stdout" => Answer::Page(listening(32785)),
        "/taskmanagers" => page(json!({"taskmanagers": [
            listed("tm-1", "node7:33027"), listed("tm-2", "node8:41937"), listed("tm-3", "node9:1"),
        ]})),
        // A debugger came and went: the port moved.
        "/taskmanagers/tm-1/stdout" => Answer::Page(format!("{}1\n4\n{}9\n", listening(50945), listening(46291))),
        "/taskmanagers/tm-2/stdout" => Answer::Page("no agent spoke here\n".to_owned()),
        "/taskmanagers/tm-2/log" => Answer::Page(log_of(OPEN)),
        "/taskmanagers/tm-3/stdout" => Answer::Silence,
        path => job(path).unwrap_or_else(not_found),
    }
}

#[test]
fn the_table() {
    let web = Web::start(session);
    let started = Instant::now();
    let scene = scene();
    let run = scene.run(&["ps", "--timeout=6s", &web.url("/#/overview")]);
    assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
    let silent = format!("note: http://127.0.0.1:{}/taskmanagers/tm-3 did not answer within 6s\n", web.port);
    run.expect(Some(0), &silent).prints(
        "APP  ROLE         ID          HOST   PORT   STATE      NEXT STEP\n\
         -    jobmanager   jobmanager  node1  32785  listening  ssh -L 32785:127.0.0.1:32785 node1, then IDE \"Attach to \
         remote JVM\": host 127.0.0.1, port 32785\n\
         -    taskmanager  tm-1        node7  46291  listening  IDE \"Attach to remote JVM\": host node7, port 46291; \
         runs Source: Sequence Source (1/1), squares (1-2/3) of count\n\
         -    taskmanager  tm-2        node8  5006   listening  IDE \"Attach to remote JVM\": host node8, port 5006; \
         runs squares (3/3) of count\n\
         -    taskmanager  tm-3        node9  5006   unknown    it does not answer: probably suspended by a debugger; \
         if it listens: IDE \"Attach to remote JVM\": host node9, port 5006\n",
    );
    let asked = web.asked();
    // What tells enough is not followed by more, and jobs that have ended are not asked for.
    assert!(!asked.contains(&"/taskmanagers/tm-1/log".to_owned()), "{asked:?}");
    assert!(!asked.contains(&format!("/jobs/{}", "0".repeat(32))), "{asked:?}");
}

fn rows(args: &[&str]) -> Value {
    let scene = scene();
    let run = scene.run(args);
    assert_eq!(run.status.code(), Some(0), "{run}");
    serde_json::from_slice(&run.stdout).expect("JSON")
}

/// What a row says, without its hint.
fn said(row: &Value) -> Value {
    json!([row["app"], row["role"], row["id"], row["host"], row["port"], row["state"]])
}

#[test]
fn the_array() {
    let web = Web::start(session);
    let all = rows(&["ps", "--timeout=6s", "--json", &web.url("/taskmanagers")]);
    assert_eq!(
        all[1],
        json!({
            "app": null, "role": "taskmanager", "id": "tm-1", "host": "node7", "port": 46291, "state": "listening",
            "hint": "IDE \"Attach to remote JVM\": host node7, port 46291; runs Source: Sequence Source (1/1), squares \
                     (1-2/3) of count",
            "operators": [
                {"jid": JID, "job": "count", "operator": "Source: Sequence Source", "subtasks": [1], "parallelism": 1},
                {"jid": JID, "job": "count", "operator": "squares", "subtasks": [1, 2], "parallelism": 3},
            ],
        })
    );
    assert_eq!(all[3]["operators"], json!([]));
    let keys: Vec<&String> = all[0].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["app", "role", "id", "host", "port", "state", "hint"]);
}

/// It says which it is, though no file has the standard output of its JVMs.
#[test]
fn an_old_session_in_containers() {
    let web = Web::start(|request| {
        match request.path.as_str() {
        "/config" => page(json!({"refresh-interval": 3000, "flink-version": "1.14.6", "features": {"web-submit": true}})),
        "/jobmanager/config" => settings(&[("jobmanager.rpc.address", "localhost")]),
        "/jobmanager/log" => Answer::Page(log_of(FREE)),
        "/taskmanagers" => {
            let mut taskmanager = listed("10.0.0.7:1-abc", "10.0.0.7:1");
            taskmanager["path"] = json!("akka.tcp://flink@10.0.0.7:1/user/rpc/taskmanager_0");
            let other = listed("10.0.0.8:1-abc", "10.0.0.8:1");
            page(json!({"taskmanagers": [taskmanager, other]}))
        }
        "/taskmanagers/10.0.0.7:1-abc/stdout" | "/taskmanagers/10.0.0.8:1-abc/stdout" => Answer::Page(
            "The file STDOUT does not exist on the TaskExecutor. \nIf you are using kubernetes mode, please use \"kubectl \
             logs <pod-name>\" to get stdout content."
                .to_owned(),
        ),
        "/taskmanagers/10.0.0.7:1-abc/log" => Answer::Page(log_of(OPEN)),
        "/taskmanagers/10.0.0.8:1-abc/log" => Answer::Page(log_of("-Da=1")),
        "/jobs/overview" => page(json!({"jobs": []})),
        _ => not_found(),
    }
    });
    let all = rows(&["ps", PATIENT, "--json", &web.url("")]);
    let no_file = "its standard output is no file that Flink could send";
    let step = |row: &Value| json!([row["role"], row["host"], row["port"], row["state"], row["hint"]]);
    assert_eq!(step(&all[0]), json!(["jobmanager", "localhost", null, "unknown", no_file]));
    let attach = "IDE \"Attach to remote JVM\": host 10.0.0.7, port 5006";
    assert_eq!(step(&all[1]), json!(["taskmanager", "10.0.0.7", 5006, "listening", attach]));
    assert_eq!(step(&all[2]), json!(["taskmanager", "10.0.0.8", null, "unknown", no_file]));
}

/// The names of pods are the ids of TaskManagers; the JobManager's is not told, its deployment's is.
#[test]
fn on_kubernetes() {
    let web = Web::start(|request| match request.path.as_str() {
        "/config" => dashboard(false),
        "/jobmanager/config" => settings(&[
            ("jobmanager.rpc.address", "count.jobs"),
            ("kubernetes.cluster-id", "count"),
            ("kubernetes.namespace", "jobs"),
        ]),
        "/jobmanager/environment" => page(json!({"jvm": {"options": [OPEN.replace("5006", "5005")]}})),
        "/taskmanagers" => page(json!({"taskmanagers": [listed("count-taskmanager-1-1", "10.1.0.7:6122")]})),
        "/taskmanagers/count-taskmanager-1-1/stdout" => Answer::Page(listening(5005)),
        "/jobs/overview" => page(json!({"jobs": []})),
        _ => not_found(),
    });
    let all = rows(&["ps", PATIENT, "--json", &web.url("")]);
    assert_eq!(said(&all[0]), json!(["count", "jobmanager", "jobmanager", "count.jobs", 5005, "listening"]));
    assert_eq!(said(&all[1]), json!(["count", "taskmanager", "count-taskmanager-1-1", "10.1.0.7", 5005, "listening"]));
    let step = |name: &str, local: u16| {
        let forward = format!("kubectl port-forward -n jobs {name} {local}:5005");
        format!("{forward}, then IDE \"Attach to remote JVM\": host 127.0.0.1, port {local}")
    };
    assert_eq!(all[0]["hint"], step("deployment/count", 5005));
    assert_eq!(all[1]["hint"], step("count-taskmanager-1-1", 5006));
}

/// With `-t local`, or in the JVM of an IDE.
#[test]
fn a_mini_cluster() {
    let web = Web::start(|request| match request.path.as_str() {
        "/config" => dashboard(false),
        "/jobmanager/config" => settings(&[]),
        "/jobmanager/environment" => {
            page(json!({"jvm": {"options": [FREE.replace("server=y", "server=n").replace(":0", ":5005")]}}))
        }
        "/taskmanagers" => {
            page(json!({"taskmanagers": [{"id": "tm-1", "path": "pekko://flink/user/rpc/taskmanager_0"}]}))
        }
        path => job(path).unwrap_or_else(not_found),
    });
    let all = rows(&["ps", PATIENT, "--json", &web.url("")]);
    assert_eq!(said(&all[0]), json!([null, "jobmanager", "jobmanager", "127.0.0.1", null, "dialled"]));
    assert_eq!(said(&all[1]), json!([null, "taskmanager", "tm-1", "127.0.0.1", null, "unknown"]));
    let runs = "runs Source: Sequence Source (1/1), squares (1-2/3) of count";
    assert_eq!(all[1]["hint"], format!("it is inside the JVM of its JobManager; {runs}"));
}

/// Twenty suspended TaskManagers hold up nobody: more than are asked at once of one server.
#[test]
fn many_that_are_suspended() {
    let web = Web::start(|request| match request.path.as_str() {
        "/config" => dashboard(false),
        "/jobmanager/config" => settings(&[("env.java.opts.all", "-Xmx1g")]),
        "/jobmanager/stdout" => Answer::Page(listening(5005)),
        "/taskmanagers" => {
            let one = |number: u32| listed(&format!("tm-{number}"), &format!("node{number}:1"));
            page(json!({"taskmanagers": (0..30).map(one).collect::<Vec<_>>()}))
        }
        "/jobs/overview" => page(json!({"jobs": []})),
        path if path.ends_with("/stdout") => {
            let number: u16 = path["/taskmanagers/tm-".len()..].split('/').next().unwrap().parse().unwrap();
            if number < 20 { Answer::Silence } else { Answer::Page(listening(4000 + number)) }
        }
        _ => not_found(),
    });
    let scene = scene();
    let run = scene.run(&["-q", "ps", "--timeout=6s", "--json", &web.url("")]);
    run.expect(Some(0), "");
    let all: Vec<Value> = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(all.len(), 31);
    for row in &all[1..] {
        let number: u16 = row["id"].as_str().unwrap()[3..].parse().unwrap();
        let seen = json!([row["port"], row["state"]]);
        match number < 20 {
            true => {
                assert_eq!(seen, json!([null, "unknown"]));
                assert_eq!(row["hint"], "it does not answer: probably suspended by a debugger");
            }
            false => assert_eq!(seen, json!([4000 + number, "listening"])),
        }
    }
}

#[test]
fn what_is_no_jobmanager_of_a_cluster() {
    let web = Web::start(|request| if request.path == "/config" { dashboard(true) } else { not_found() });
    let error = format!(
        "error: `http://127.0.0.1:{}` cannot be used: it is Flink's history server, which knows no JVM that runs\nhelp: \
         name the JobManager's web UI; for example: sparkdbg ps http://edge1:8081\n",
        web.port
    );
    scene().run(&["ps", PATIENT, &web.url("")]).fails(125, &error);
}

/// One part that cannot be read costs that part alone.
#[test]
fn a_jobmanager_that_does_not_tell_everything() {
    let web = Web::start(|request| match request.path.as_str() {
        "/config" => dashboard(false),
        "/jobmanager/stdout" => Answer::Page(listening(5005)),
        "/taskmanagers" => Answer::Page("<html>".to_owned()),
        "/jobs/overview" => Answer::Status(403, String::new(), String::new()),
        _ => not_found(),
    });
    let at = format!("http://127.0.0.1:{}", web.port);
    let scene = scene();
    let run = scene.run(&["ps", PATIENT, &web.url("")]);
    run.expect(
        Some(0),
        &format!(
            "note: {at} answers /taskmanagers with what cannot be read: expected value at line 1 column 1\n\
             note: {at} answers 404 to /jobmanager/config\n\
             note: {at} answers Unauthorized: Forbidden (403); set SPARKDBG_USER and SPARKDBG_PASSWORD\n"
        ),
    );
    run.prints(
        "APP  ROLE        ID          HOST       PORT  STATE      NEXT STEP\n\
         -    jobmanager  jobmanager  127.0.0.1  5005  listening  IDE \"Attach to remote JVM\": host 127.0.0.1, port 5005\n",
    );
}

/// The JobManager answers through YARN's proxy; where it is suspended or starts, the log of its container tells.
#[test]
fn on_yarn() {
    let node = Web::start(|request| {
        let log = match request.path.split('?').next().unwrap() {
            "/node/containerlogs/container_1700000000000_0002_01_000001/ann/jobmanager.out" => listening(41234),
            "/node/containerlogs/container_1700000000000_0003_01_000001/ann/jobmanager.out" => listening(41235),
            path if path.ends_with(".err") => String::new(),
            _ => return not_found(),
        };
        Answer::Page(format!("<!DOCTYPE html>\n<html><body><pre>{log}</pre></body></html>"))
    });
    let port = node.port;
    let container = "container_1700000000000_0001_01_000002";
    let web = Web::start(move |request| {
        let app = |number: u32, state: &str| {
            json!({"id": format!("application_1700000000000_000{number}"), "state": state, "applicationType": "Apache Flink",
                   "amContainerLogs": format!("http://127.0.0.1:{port}/node/containerlogs/container_1700000000000_000{number}_01_000001/ann"),
                   "amHostHttpAddress": format!("node{number}:8042")})
        };
        let proxied = request.path.strip_prefix("/proxy/application_1700000000000_0001");
        match proxied.unwrap_or(&request.path) {
            "/ws/v1/cluster/apps?states=RUNNING,ACCEPTED" => {
                page(json!({"apps": {"app": [app(1, "RUNNING"), app(2, "RUNNING"), app(3, "ACCEPTED")]}}))
            }
            "/config" if proxied.is_some() => dashboard(false),
            "/jobmanager/config" => settings(&[("jobmanager.rpc.address", "node1")]),
            "/jobmanager/environment" => page(json!({"jvm": {"options": [OPEN]}})),
            "/jobmanager/stdout" => Answer::Page(listening(5006)),
            "/taskmanagers" => page(json!({"taskmanagers": [listed(container, "node5:1")]})),
            "/taskmanagers/container_1700000000000_0001_01_000002/stdout" => Answer::Page(listening(4711)),
            "/jobs/overview" => page(json!({"jobs": []})),
            path if path.starts_with("/proxy/application_1700000000000_0002/") => Answer::Silence,
            _ => not_found(),
        }
    });
    let scene = scene();
    let run = scene.run(&["ps", "--timeout=6s", "--json", &web.url("/cluster/apps")]);
    let silent = format!("http://127.0.0.1:{}/proxy/application_1700000000000_0002", web.port);
    run.expect(Some(0), &format!("note: {silent} did not answer within 6s\n"));
    let all: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    let app = |number: u32| format!("application_1700000000000_000{number}");
    let said: Vec<Value> = all.as_array().unwrap().iter().map(said).collect();
    assert_eq!(
        said,
        [
            json!([app(1), "jobmanager", "jobmanager", "node1", 5006, "listening"]),
            json!([app(1), "taskmanager", container, "node5", 4711, "listening"]),
            json!([app(2), "jobmanager", "jobmanager", "node2", 41234, "listening"]),
            json!([app(3), "jobmanager", "jobmanager", "node3", 41235, "listening"]),
        ]
    );
    let hint = all[2]["hint"].as_str().unwrap();
    assert!(hint.ends_with("port 41234; it does not answer: probably suspended by a debugger"), "{hint}");
}

#[test]
fn watch_waits_for_taskmanagers() {
    let looks = AtomicUsize::new(0);
    let web = Web::start(move |request| match request.path.as_str() {
        "/taskmanagers" if looks.fetch_add(1, Ordering::SeqCst) < 2 => page(json!({"taskmanagers": []})),
        "/taskmanagers" => page(json!({"taskmanagers": [listed("tm-1", "node7:33027")]})),
        _ => session(request),
    });
    let scene = scene();
    let run = scene.run(&["ps", PATIENT, "--watch", "--json", &web.url("")]);
    run.expect(Some(0), "note: no TaskManagers yet; looking every second, Ctrl-C ends it\n");
    let all: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(said(&all[1]), json!([null, "taskmanager", "tm-1", "node7", 46291, "listening"]));

    let empty = Web::start(|request| match request.path.as_str() {
        "/taskmanagers" => page(json!({"taskmanagers": []})),
        _ => session(request),
    });
    let error = "error: no TaskManager appeared within 1s\nhelp: sparkdbg ps without --watch shows what is there\n";
    scene.run(&["-q", "ps", PATIENT, "--watch=1s", &empty.url("")]).fails(125, error);
}
