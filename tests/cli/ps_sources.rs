//! `ps`: history server, standalone Master and Worker, YARN and Kubernetes. The answers have the shape of real ones.

use serde_json::{Value, json};

use crate::ps::{PATIENT, executor, scene};
use crate::scene::Scene;
use crate::web::{Answer, Web, listening, not_found, spark_log};

const FREE: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0";
const HELD: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:0";
const HEADER: &str = "Spark Executor Command: \"java\" \"-cp\"\n========================================\n\n";
const DIED: &str = "ERROR: transport error 202: connect failed: Connection refused\nERROR: JDWP Transport dt_socket failed \
                    to initialize, TRANSPORT_INIT(510)\nJDWP exit error AGENT_ERROR_TRANSPORT_INIT(197): No transports \
                    initialized [debugInit.c:744]\n";

fn rows(scene: &Scene, args: &[&str]) -> Value {
    let run = scene.run(args);
    run.expect(Some(0), "");
    serde_json::from_slice(&run.stdout).expect("JSON")
}

/// What a row says, without its hint.
fn said(row: &Value) -> Value {
    json!([row["app"], row["role"], row["id"], row["host"], row["port"], row["state"]])
}

fn attach(host: &str, port: u16) -> String {
    format!("ssh -L {port}:127.0.0.1:{port} {host}, then IDE \"Attach to remote JVM\": host 127.0.0.1, port {port}")
}

/// Completed applications are left out; an attempt of YARN's cluster mode has an id, which stands in the path.
#[test]
fn a_history_server() {
    let web = Web::start(|request| {
        let own = format!("http://{}", request.header("host").unwrap());
        match request.path.as_str() {
            "/api/v1/applications?status=running" => Answer::Page(
                json!([
                    {"id": "application_1_1", "attempts": [{"attemptId": "2", "completed": false}, {"attemptId": "1", "completed": true}]},
                    {"id": "application_1_2", "attempts": [{"completed": true}]},
                    {"id": "app-3", "attempts": [{"completed": false}]},
                ])
                .to_string(),
            ),
            "/api/v1/applications/application_1_1/2/allexecutors" => {
                Answer::Page(json!([executor("1", "node1:1", true, &own)]).to_string())
            }
            "/api/v1/applications/app-3/allexecutors" => {
                Answer::Page(json!([executor("0", "node3:1", true, &own)]).to_string())
            }
            path if path.ends_with("/environment") => Answer::Page("{}".to_owned()),
            path if path.starts_with("/log/") => spark_log(request, &listening(4711)),
            _ => not_found(),
        }
    });
    let all = rows(&scene(), &["ps", PATIENT, "--json", &web.url("")]);
    let ids = json!([all[0]["app"], all[1]["app"], all.as_array().unwrap().len()]);
    assert_eq!(ids, json!(["app-3", "application_1_1", 2]));
    let one = rows(&scene(), &["ps", PATIENT, "--json", &web.url("/history/app-3/jobs/")]);
    assert_eq!(json!([one[0]["app"], one.as_array().unwrap().len()]), json!(["app-3", 1]));
    assert!(!web.asked().iter().any(|path| path.contains("application_1_2")), "{:?}", web.asked());
}

/// A Worker with executors that run, are held, dial out and died.
fn worker() -> Web {
    Web::start(|request| {
        let described = |id: u32, agent: &str| {
            let command = format!(
                "Command(org.apache.spark.executor.CoarseGrainedExecutorBackend,List(--app-id, {{{{APP_ID}}}}),Map(),\
                 List(),List(),ArraySeq(-Dspark.driver.port=37635, {agent}))"
            );
            json!({"id": id, "memory": 512, "appid": "app-1", "appdesc": {"name": "x", "command": command}})
        };
        let other = json!({"id": 0, "appid": "app-0", "appdesc": {"command": "Command()"}});
        match request.path.split('?').next().unwrap() {
            "/json/" => Answer::Page(
                json!({
                    "id": "worker-1", "masterurl": "spark://m:7077",
                    "executors": [described(0, FREE), described(1, HELD), described(2, HELD), described(3, &FREE.replace("server=y", "server=n").replace(":0", ":5005"))],
                    "finishedexecutors": [described(4, FREE), other],
                })
                .to_string(),
            ),
            "/log/" => match (request.parameter("executorId"), request.parameter("logType").unwrap()) {
                (None, _) => spark_log(request, &listening(40)),
                (Some("0"), "stdout") => spark_log(request, &listening(10)),
                (Some("1" | "2"), "stdout") => spark_log(request, &listening(11)),
                (Some("1"), "stderr") => spark_log(request, HEADER),
                (Some("2"), "stderr") => spark_log(request, &format!("{HEADER}26/11/30 INFO Started\n")),
                (Some("4"), "stderr") => spark_log(request, &format!("{HEADER}{DIED}")),
                _ => spark_log(request, ""),
            },
            _ => not_found(),
        }
    })
}

/// A Master; `path` is where the worker is reached.
fn master(worker: String, proxied: bool) -> Web {
    Web::start(move |request| {
        let own = format!("http://{}", request.header("host").unwrap());
        match request.path.split('?').next().unwrap() {
            "/json/" => Answer::Page(
                json!({
                    "url": "spark://m:7077",
                    "workers": [
                        {"id": "worker-1", "host": "node7", "port": 1, "webuiaddress": worker, "state": "ALIVE"},
                        {"id": "worker-0", "host": "node0", "port": 1, "webuiaddress": "http://node0:8081", "state": "DEAD"},
                    ],
                    "activeapps": [{"id": "app-1", "name": "x"}],
                    "completedapps": [{"id": "app-0"}],
                    "activedrivers": [{"id": "driver-9", "state": "RUNNING", "worker": "worker-1", "mainclass": "C"}],
                })
                .to_string(),
            ),
            "/app/" => Answer::Page(format!("<li><a href=\"{own}/ui\">Application Detail UI</a></li>")),
            "/ui/api/v1/applications" => Answer::Page(r#"[{"id":"app-1","attempts":[{"completed":false}]}]"#.to_owned()),
            "/ui/api/v1/applications/app-1/allexecutors" => Answer::Page(
                json!([{"id": "driver", "hostPort": "edge1:1", "isActive": true}, executor("0", "node7:1", true, &own)])
                    .to_string(),
            ),
            "/ui/api/v1/applications/app-1/environment" => Answer::Page(
                json!({"sparkProperties": [["spark.driver.extraJavaOptions", FREE.replace(":0", ":5005")]]}).to_string(),
            ),
            path if proxied && path.starts_with("/proxy/worker-1/") => {
                // What the Master passes on.
                let rest = request.path.replace("/proxy/worker-1", "");
                let page = attohttpc::get(format!("{worker}{rest}")).send().and_then(|answer| answer.text());
                Answer::Page(page.expect("the worker answers"))
            }
            _ => Answer::Page("<html>the Master answers everything</html>".to_owned()),
        }
    })
}

#[track_caller]
fn shows_the_cluster(all: &Value) {
    let said: Vec<Value> = all.as_array().unwrap().iter().map(said).collect();
    assert_eq!(
        said,
        [
            json!(["app-1", "driver", "driver", "edge1", 5005, "unknown"]),
            json!(["app-1", "executor", "0", "node7", 10, "listening"]),
            json!(["app-1", "executor", "1", "node7", 11, "waiting"]),
            json!(["app-1", "executor", "2", "node7", 11, "listening"]),
            json!(["app-1", "executor", "3", "node7", null, "dialled"]),
            json!(["app-1", "executor", "4", "node7", null, "gone"]),
            json!(["driver-9", "driver", "driver", "node7", 40, "listening"]),
        ]
    );
    let held = format!("{}; it stands before main until the debugger comes", attach("node7", 11));
    assert_eq!(all[2]["hint"], held);
    assert_eq!(
        all[5]["hint"],
        "it died of AGENT_ERROR_TRANSPORT_INIT: connect failed: Connection refused: nobody listened at that address; \
         start the debugger's listen mode before the JVM"
    );
}

#[test]
fn a_standalone_master() {
    let worker = worker();
    let web = master(worker.url(""), false);
    shows_the_cluster(&rows(&scene(), &["ps", PATIENT, "--json", &web.url("")]));
    // Pages of the browser lead there too.
    shows_the_cluster(&rows(&scene(), &["ps", PATIENT, "--json", &web.url("/app/?appId=app-1")]));
}

#[test]
fn a_standalone_master_that_is_a_reverse_proxy() {
    let worker = worker();
    let web = master(worker.url(""), true);
    shows_the_cluster(&rows(&scene(), &["ps", PATIENT, "--json", &web.url("")]));
    let direct = worker.asked();
    assert!(web.asked().iter().filter(|path| path.starts_with("/proxy/worker-1/")).count() >= direct.len());
}

/// Executors that never came to the driver are found through the Workers of those that did.
#[test]
fn a_driver_knows_only_who_came_to_it() {
    let worker = worker();
    let logs = worker.url("");
    let executors = move |_: &str| json!([executor("0", "node7:1", true, &logs)]);
    let web = crate::ps::ui("", json!([["spark.executor.extraJavaOptions", FREE]]), executors, |_| not_found());
    let all = rows(&scene(), &["ps", PATIENT, "--json", &web.url("")]);
    let said: Vec<Value> = all.as_array().unwrap().iter().map(|row| json!([row["id"], row["state"]])).collect();
    assert_eq!(
        said,
        [
            json!(["0", "listening"]),
            json!(["1", "waiting"]),
            json!(["2", "listening"]),
            json!(["3", "dialled"]),
            json!(["4", "gone"])
        ]
    );
}

/// A NodeManager's page shows the end of a log; `start` and `end` select.
fn container_page(request: &crate::web::Request, log: &str) -> Answer {
    let start: i64 = request.parameter("start").expect("a start").parse().expect("a number");
    let from = if start < 0 { log.len().saturating_sub(start.unsigned_abs() as usize) } else { start as usize };
    let end = request.parameter("end").map_or(log.len(), |end| end.parse::<usize>().expect("a number").min(log.len()));
    let (shown, total) = (&log[from..end], log.len());
    let note = match shown.len() < total {
        true => format!(
            "Showing {} bytes of {total} total. Click <a href=\"?start=0\">here</a> for the full log.",
            shown.len()
        ),
        false => String::new(),
    };
    let escaped = shown.replace('&', "&amp;").replace('<', "&lt;");
    Answer::Page(format!("<!DOCTYPE html>\n<html><body><p>{note}</p><pre>{escaped}</pre></body></html>"))
}

#[test]
fn a_yarn_resource_manager() {
    let allocator = format!(
        "26/11/30 WARN YarnAllocator: Container from a bad node: container_1700000000000_0001_01_000003 on host: node9. \
         Exit status: 2. Diagnostics: Exception from container-launch.\nContainer id: \
         container_1700000000000_0001_01_000003\nExit code: 2\nLast 4096 bytes of stderr :\n{DIED}"
    );
    let node = Web::start(move |request| {
        let log = match request.path.split('?').next().unwrap() {
            // Chatty: the line is out of the tail.
            "/node/containerlogs/container_1700000000000_0001_01_000002/ann/stdout" => {
                format!("{}{}", listening(4711), "<b>&\n".repeat(60_000))
            }
            "/node/containerlogs/container_1700000000000_0001_01_000001/ann/stdout" => listening(5005),
            "/node/containerlogs/container_1700000000000_0001_01_000001/ann/stderr" => allocator.clone(),
            "/node/containerlogs/container_1700000000000_0002_01_000001/ann/stdout" => listening(41234),
            "/node/containerlogs/container_1700000000000_0002_01_000001/ann/stderr" => String::new(),
            _ => return not_found(),
        };
        container_page(request, &log)
    });
    let port = node.port;
    let web = Web::start(move |request| {
        let logs = |app: u32, container: u32| {
            format!(
                "http://127.0.0.1:{port}/node/containerlogs/container_1700000000000_000{app}_01_00000{container}/ann"
            )
        };
        let executor = |id: &str, container: u32, host: &str| {
            let log = |name: &str| format!("{}/{name}?start=-4096", logs(1, container));
            json!({"id": id, "hostPort": host, "isActive": true, "executorLogs": {"stdout": log("stdout"), "stderr": log("stderr")}})
        };
        let ui = "/proxy/application_1700000000000_0001/api/v1/applications";
        match request.path.split('?').next().unwrap() {
            "/ws/v1/cluster/apps" => {
                assert_eq!(request.parameter("states"), Some("RUNNING,ACCEPTED"));
                Answer::Page(
                    json!({"apps": {"app": [
                        {"id": "application_1700000000000_0001", "state": "RUNNING", "applicationType": "SPARK",
                         "amContainerLogs": logs(1, 1), "amHostHttpAddress": "node1:8042"},
                        {"id": "application_1700000000000_0002", "state": "ACCEPTED", "applicationType": "SPARK"},
                        {"id": "application_1700000000000_0003", "state": "RUNNING", "applicationType": "MAPREDUCE"},
                    ]}})
                    .to_string(),
                )
            }
            // The list does not always say it.
            "/ws/v1/cluster/apps/application_1700000000000_0002/appattempts" => Answer::Page(
                json!({"appAttempts": {"appAttempt": [{"id": 1, "nodeHttpAddress": "node2:8042", "logsLink": logs(2, 1)}]}})
                    .to_string(),
            ),
            path if path == ui => Answer::Page(
                json!([{"id": "application_1700000000000_0001", "attempts": [{"attemptId": "1", "completed": false}]}]).to_string(),
            ),
            path if path == format!("{ui}/application_1700000000000_0001/1/allexecutors") => {
                Answer::Page(json!([executor("driver", 1, "node1:1"), executor("1", 2, "node2:1")]).to_string())
            }
            path if path == format!("{ui}/application_1700000000000_0001/1/environment") => Answer::Page(
                json!({"sparkProperties": [["spark.executor.extraJavaOptions", FREE]]}).to_string(),
            ),
            _ => not_found(),
        }
    });
    let all = rows(&scene(), &["ps", PATIENT, "--json", &web.url("/cluster/apps")]);
    let said: Vec<Value> = all.as_array().unwrap().iter().map(said).collect();
    let (first, second) = ("application_1700000000000_0001", "application_1700000000000_0002");
    assert_eq!(
        said,
        [
            json!([first, "driver", "driver", "node1", 5005, "listening"]),
            json!([first, "executor", "1", "node2", 4711, "listening"]),
            json!([first, "executor", "container_1700000000000_0001_01_000003", "node9", null, "gone"]),
            json!([second, "driver", "driver", "node2", 41234, "waiting"]),
        ]
    );
    assert!(all[2]["hint"].as_str().unwrap().contains("nobody listened at that address"), "{all}");
    assert_eq!(all[3]["hint"], format!("{}; it stands before main until the debugger comes", attach("node2", 41234)));
}

/// kubectl, as far as it is asked.
fn kubectl(scene: Scene, script: &str) -> Scene {
    scene.env("PATH", "@root/bin:/usr/bin:/bin").script("bin/kubectl", &format!("#!/bin/sh\n{script}\n"))
}

#[test]
fn kubernetes() {
    let pod = |name: &str, role: &str, phase: &str, env: Value| {
        json!({"metadata": {"name": name, "namespace": "jobs", "labels": {"spark-role": role, "spark-exec-id": name.rsplit('-').next(), "spark-app-selector": "spark-1"}},
               "spec": {"nodeName": "node1", "containers": [{"name": "c", "env": env}]}, "status": {"phase": phase}})
    };
    let agent = json!([{"name": "SPARK_JAVA_OPT_0", "value": "-Da=1"}, {"name": "SPARK_JAVA_OPT_1", "value": FREE.replace(":0", ":5005")}]);
    let pods = json!({"items": [
        pod("pi-driver", "driver", "Running", json!([{"name": "X", "valueFrom": {}}])),
        pod("pi-exec-1", "executor", "Running", agent.clone()),
        pod("pi-exec-2", "executor", "Running", agent.clone()),
        pod("pi-exec-3", "executor", "Failed", agent.clone()),
        pod("pi-exec-4", "executor", "Pending", agent),
    ]});
    let flink_pod = |name: &str, component: &str| {
        json!({"metadata": {"name": name, "namespace": "jobs", "labels": {"app": "count", "component": component, "type": "flink-native-kubernetes"}},
               "spec": {"nodeName": "node1", "containers": [{"name": "flink-main-container", "env": [{"name": "X"}]}]},
               "status": {"phase": "Running"}})
    };
    let flink = json!({"items": [flink_pod("count-7d4b9-x2x", "jobmanager"), flink_pod("count-taskmanager-1-1", "taskmanager")]});
    let scene = kubectl(
        scene().file("pods.json", pods.to_string()).file("flink.json", flink.to_string()).file("died", DIED),
        "case \"$*\" in\n\
         'get pods -l spark-role -o json') cat @root/pods.json;;\n\
         'get pods -l type in (flink-native-kubernetes,flink-standalone-kubernetes) -o json') cat @root/flink.json;;\n\
         logs*count-taskmanager-1-1) echo 'Listening for transport dt_socket at address: 5006'; echo INFO Starting;;\n\
         logs*count-7d4b9-x2x) echo 'Starting kubernetes-session'; echo 'Listening for transport dt_socket at address: 5005';;\n\
         logs*pi-driver) echo 'Listening for transport dt_socket at address: 5005';;\n\
         logs*pi-exec-1) echo 'Listening for transport dt_socket at address: 5005'; echo chat;;\n\
         logs*pi-exec-2) echo 'Listening for transport dt_socket at address: 5005';;\n\
         logs*pi-exec-3) cat @root/died;;\n\
         *) echo \"not asked for: $*\" >&2; exit 1;;\nesac",
    );
    let all = rows(&scene, &["ps", PATIENT, "--json", "k8s"]);
    let said: Vec<Value> = all.as_array().unwrap().iter().map(said).collect();
    assert_eq!(
        said,
        [
            // Its log ends in that line: it stands before `main`.
            json!(["count", "jobmanager", "count-7d4b9-x2x", "count-7d4b9-x2x", 5005, "waiting"]),
            json!(["count", "taskmanager", "count-taskmanager-1-1", "count-taskmanager-1-1", 5006, "listening"]),
            json!(["spark-1", "driver", "driver", "pi-driver", 5005, "listening"]),
            json!(["spark-1", "executor", "1", "pi-exec-1", 5005, "listening"]),
            json!(["spark-1", "executor", "2", "pi-exec-2", 5005, "listening"]),
            json!(["spark-1", "executor", "3", "pi-exec-3", 5005, "gone"]),
            json!(["spark-1", "executor", "4", "pi-exec-4", 5005, "unknown"]),
        ]
    );
    let step = |pod: &str, local: u16| {
        format!(
            "kubectl port-forward -n jobs {pod} {local}:5005, then IDE \"Attach to remote JVM\": host 127.0.0.1, port {local}"
        )
    };
    // Each forward starts at a port of its own.
    assert_eq!(
        json!([all[2]["hint"], all[3]["hint"], all[4]["hint"]]),
        json!([step("pi-driver", 5007), step("pi-exec-1", 5008), step("pi-exec-2", 5009)])
    );
    assert!(all[5]["hint"].as_str().unwrap().contains("nobody listened at that address"), "{all}");
}

#[test]
fn kubectl_that_fails_hangs_or_is_missing() {
    let refused = kubectl(
        scene(),
        "echo 'warning: x' >&2; echo 'error: You must be logged in to the server (Unauthorized)' >&2; exit 1",
    );
    refused.run(&["ps", PATIENT, "k8s"]).fails(
        125,
        "error: `kubectl get pods -l spark-role -o json` failed: error: You must be logged in to the server \
         (Unauthorized)\n",
    );
    let hangs = kubectl(scene(), "exec sleep 60");
    let run = hangs.run(&["ps", "--timeout", "1s", "k8s"]);
    assert_eq!(run.status.code(), Some(125), "{run}");
    assert!(run.stderr.contains("did not answer within 1s"), "{run}");
    let missing = scene().env("PATH", "@root/bin");
    missing.run(&["ps", PATIENT, "k8s"]).fails(
        127,
        "error: `kubectl` is not on PATH: pods cannot be asked for\nhelp: put kubectl on PATH, or name the URL of a \
         driver's UI\n",
    );
}
