//! Pods, through `kubectl`: it knows the cluster, the namespace and the user's credentials.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;

use super::crawl::{Found, Job};
use super::evidence::{Configured, Evidence, Output, judge};
use super::http::MOST_JSON;
use super::{Context, Jvm, Reach, log_text, logs};
use crate::endpoint::Role;
use crate::error::{self, Failure};
use crate::jvm::options::Splitter;

/// What is read of a pod's log from its head. Bytes; the agent writes before Spark does.
const HEAD: u64 = 256 << 10;

/// What is read of a pod's log from its end. Lines.
const TAIL_LINES: &str = "2000";

/// What those lines may hold. Bytes.
const TAIL: u64 = 4 << 20;

/// What it takes to end a kubectl that does not answer.
const LAST_MOMENT: Duration = Duration::from_millis(200);

#[derive(Deserialize)]
struct Pods {
    items: Vec<Pod>,
}

#[derive(Deserialize)]
struct Pod {
    metadata: Metadata,
    #[serde(default)]
    spec: Spec,
    #[serde(default)]
    status: Status,
}

#[derive(Deserialize)]
struct Metadata {
    name: String,
    #[serde(default)]
    namespace: String,
    #[serde(default)]
    labels: BTreeMap<String, String>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct Spec {
    #[serde(default)]
    containers: Vec<Container>,
    node_name: Option<String>,
}

#[derive(Deserialize)]
struct Container {
    #[serde(default)]
    env: Vec<Variable>,
}

#[derive(Deserialize)]
struct Variable {
    name: String,
    #[serde(default)]
    value: String,
}

#[derive(Deserialize, Default)]
struct Status {
    #[serde(default)]
    phase: String,
}

/// By which labels pods are known: those of Spark, those of Flink. kubectl takes no "or" between two names.
const LABELS: [&str; 2] = ["spark-role", "type in (flink-native-kubernetes,flink-standalone-kubernetes)"];

/// Asks for the pods; nobody without kubectl. Where the user named them, that they cannot be listed is a
/// failure of the whole.
pub fn pods(context: &Arc<Context>, is_named: bool) -> Vec<Job> {
    if context.kubectl.is_none() {
        return Vec::new();
    }
    // Who may not list the one may not list the other: one of them says so.
    LABELS.iter().map(|label| labelled(context.clone(), label, is_named && *label == LABELS[0])).collect()
}

fn labelled(context: Arc<Context>, label: &'static str, is_named: bool) -> Job {
    Job::new(format!("kubectl get pods -l '{label}'"), move || {
        let answer = kubectl(&context, &["get", "pods", "-l", label, "-o", "json"], MOST_JSON);
        let pods = answer.and_then(|answer| {
            serde_json::from_str::<Pods>(&answer).map_err(|cause| format!("`kubectl get pods` cannot be read: {cause}"))
        });
        match pods {
            Ok(pods) => Found::jobs(pods.items.into_iter().filter_map(|pod| pod_job(context.clone(), pod)).collect()),
            Err(trouble) if is_named => Found { failure: Some(Failure::world(trouble)), ..Found::default() },
            Err(trouble) => Found::trouble(trouble),
        }
    })
}

/// What a pod is, by the labels of Spark or of Flink.
fn role_and_id(pod: &Metadata) -> Option<(Role, String)> {
    let label = |name: &str| pod.labels.get(name).map(String::as_str);
    match (label("spark-role"), label("component")) {
        (Some("driver"), _) => Some((Role::Driver, "driver".to_owned())),
        (Some("executor"), _) => Some((Role::Executor, label("spark-exec-id").unwrap_or(&pod.name).to_owned())),
        // With high availability there are several JobManagers.
        (None, Some("jobmanager")) => Some((Role::JobManager, pod.name.clone())),
        (None, Some("taskmanager")) => Some((Role::TaskManager, pod.name.clone())),
        _ => None,
    }
}

fn pod_job(context: Arc<Context>, pod: Pod) -> Option<Job> {
    let label = |name: &str| pod.metadata.labels.get(name).cloned();
    let (role, id) = role_and_id(&pod.metadata)?;
    let configured = configured(&pod, role);
    let is_over = matches!(pod.status.phase.as_str(), "Succeeded" | "Failed");
    let ended = || is_over.then(|| Some(format!("its pod is {}", pod.status.phase)));
    let unread = Output::Unread("its log was not read in time".to_owned());
    let (state, port, remark) =
        judge(Evidence { configured: &configured, output: unread, ended: ended(), held: false });
    let row = Jvm {
        app: label("spark-app-selector").or_else(|| label("app")),
        role,
        id,
        host: pod.metadata.name.clone(),
        port,
        state,
        reach: Reach::Pod { namespace: pod.metadata.namespace.clone(), name: pod.metadata.name.clone() },
        remark,
        own_port: None,
        silent: false,
        operators: None,
    };
    if pod.status.phase == "Pending" {
        let node = pod.spec.node_name.unwrap_or_else(|| "a node".to_owned());
        let remark = Some(format!("its pod is Pending: it waits for {node}"));
        return Some(Job::new("kubectl logs", move || Found::jvm(Jvm { remark, ..row })));
    }
    let (without, ended) = (row.clone(), ended());
    let job = Job::new("kubectl logs", move || {
        let (output, text) = output(&context, &pod.metadata);
        // Standard output and standard error are one log here.
        let died = log_text::death(&text);
        let ended = if died.is_some() { Some(died) } else { ended };
        let suspends = match &configured {
            Configured::Agent(agent) => agent.suspends(),
            // Flink's are in a file of the pod; a JVM that runs writes at once.
            Configured::Unseen => matches!(role, Role::JobManager | Role::TaskManager),
            Configured::No => false,
        };
        let held = suspends && log_text::ends_in_its_first_line(&text);
        let (state, port, remark) = judge(Evidence { configured: &configured, output, ended, held });
        Found::jvm(Jvm { state, port, remark, ..row })
    });
    Some(job.or_else(without))
}

/// Spark gives an executor's options to its pod as `SPARK_JAVA_OPT_0` and up; the driver's stand in a file,
/// and so do Flink's.
fn configured(pod: &Pod, role: Role) -> Configured {
    let variables = || pod.spec.containers.iter().flat_map(|container| &container.env);
    let of_jvm = |name: &str| {
        name.starts_with("SPARK_JAVA_OPT_")
            || matches!(name, "JDK_JAVA_OPTIONS" | "JAVA_TOOL_OPTIONS" | "SPARK_DRIVER_JAVA_OPTS" | "JVM_ARGS")
    };
    let options = variables().filter(|variable| of_jvm(&variable.name)).map(|variable| variable.value.as_str());
    match Configured::of(options, Splitter::Jvm) {
        Configured::No if role != Role::Executor => Configured::Unseen,
        configured => configured,
    }
}

/// What the pod's log tells, and its end.
fn output(context: &Context, pod: &Metadata) -> (Output, String) {
    let limit = format!("--limit-bytes={HEAD}");
    let tail = format!("--tail={TAIL_LINES}");
    let read = |part: &str, most: u64| {
        let namespace = format!("--namespace={}", pod.namespace);
        let words = ["logs", part, &namespace, &pod.name];
        let without: Vec<&str> = words.into_iter().filter(|word| *word != "--namespace=").collect();
        kubectl(context, &without, most)
    };
    let head = match read(&limit, HEAD) {
        Ok(head) => head,
        Err(trouble) => return (Output::Unread(trouble), String::new()),
    };
    let first = log_text::last_port(&head);
    if (head.len() as u64) < HEAD {
        return (logs::combined(first, true), head);
    }
    match read(&tail, TAIL) {
        Ok(end) => {
            let last = log_text::last_port(&end).map(Output::Port);
            (last.unwrap_or_else(|| logs::combined(first, false)), end)
        }
        Err(trouble) => (Output::Unread(trouble), String::new()),
    }
}

/// What kubectl prints, of which at most `most` bytes are read, before the deadline.
fn kubectl(context: &Context, words: &[&str], most: u64) -> Result<String, String> {
    let program: &OsStr = context.kubectl.as_deref().unwrap_or(OsStr::new("kubectl"));
    let shown = format!("`kubectl {}`", words.join(" "));
    let mut child = Command::new(program)
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|cause| format!("{shown} cannot be started: {}", error::cause(&cause)))?;
    let stdout = read_aside(child.stdout.take(), most);
    let stderr = read_aside(child.stderr.take(), 64 << 10);
    // A little early: what is still there at the deadline is left behind with its child.
    let left = || (context.client.deadline - LAST_MOMENT).saturating_duration_since(Instant::now());
    let text = stdout.recv_timeout(left());
    let said = if text.is_ok() { stderr.recv_timeout(left()).unwrap_or_default() } else { String::new() };
    let success = text.is_ok() && ended_well(&mut child);
    match text {
        Ok(text) if success || text.len() as u64 >= most => Ok(text),
        Ok(_) => {
            let why = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no reason given").trim().to_owned();
            Err(format!("{shown} failed: {why}"))
        }
        Err(_) => {
            let _ = child.kill();
            let _ = child.wait();
            Err(format!("{shown} did not answer within {}", humantime::format_duration(context.client.limit)))
        }
    }
}

/// Its output has ended, so it has or soon will.
fn ended_well(child: &mut Child) -> bool {
    child.wait().is_ok_and(|status| status.success())
}

fn read_aside(stream: Option<impl Read + Send + 'static>, most: u64) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(stream) = stream {
            let _ = stream.take(most).read_to_end(&mut bytes);
        }
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_agent_of_an_executors_pod() {
        let pod = |env: &str| -> Pod {
            let text = format!("{{\"metadata\":{{\"name\":\"p\"}},\"spec\":{{\"containers\":[{{\"env\":[{env}]}}]}}}}");
            serde_json::from_str(&text).unwrap()
        };
        let agent = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0";
        let with = pod(&format!(
            "{{\"name\":\"SPARK_JAVA_OPT_0\",\"value\":\"-Da=1\"}},{{\"name\":\"SPARK_JAVA_OPT_1\",\"value\":\"{agent}\"}}"
        ));
        assert!(matches!(configured(&with, Role::Executor), Configured::Agent(found) if found.to_string() == agent));
        // A variable may come from a secret and have no value here.
        let without = pod("{\"name\":\"X\",\"valueFrom\":{}}");
        assert_eq!(configured(&without, Role::Executor), Configured::No);
        assert_eq!(configured(&without, Role::Driver), Configured::Unseen);
    }
}
