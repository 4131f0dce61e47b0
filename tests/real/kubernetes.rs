//! `sparkdbg submit` on Kubernetes: what the real `spark-submit`, and the real driver, ask the API server to create.

use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::cluster::kubernetes::Kubernetes;
use crate::distribution::{SPARK_3, SPARK_4};
use crate::job::{JOB_LIMIT, Job};
use crate::lab::Lab;
use crate::tasks::Tasks;

const DRIVER_AGENT: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:5005";
const EXECUTOR_AGENT: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0";

/// A driver asks for a further executor every second; one that it does not want does not come later.
const NO_MORE_COME: Duration = Duration::from_secs(4);

#[test]
fn cluster_mode() {
    cluster_mode_puts_agents_into_the_config_map(SPARK_4, "spark.executor.defaultJavaOptions");
}

/// Whose key before `extraJavaOptions` ends up in the executors three times (SPARK-49984).
#[test]
fn cluster_mode_spark_3() {
    cluster_mode_puts_agents_into_the_config_map(SPARK_3, "spark.executor.extraJavaOptions");
}

#[test]
fn client_mode() {
    client_mode_gives_each_executor_pod_the_agent(SPARK_4);
}

#[test]
fn client_mode_spark_3() {
    client_mode_gives_each_executor_pod_the_agent(SPARK_3);
}

/// One pod, since one debugger takes one executor.
#[test]
fn client_mode_listen() {
    let lab = Lab::new(SPARK_4);
    let kubernetes = Kubernetes::start(&lab);
    // An address of documentation: no pod dials it, and none of this machine is asked for it.
    let mut job =
        Job::start(&mut in_client_mode(&lab, &kubernetes, "--executor=listen:192.0.2.1:5005"), lab.dir(), None);
    let before = wait_for_executor_pods(&kubernetes, 1, &mut job);
    thread::sleep(NO_MORE_COME);
    assert_eq!(executor_pods(&kubernetes).len(), before.len(), "{}", job.said());
    let dials = "-agentlib:jdwp=transport=dt_socket,server=n,suspend=n,address=192.0.2.1:5005";
    assert_eq!(agents(&before[0]), [dials]);
}

/// The driver's pod runs `spark-submit` with the configuration that is in a config map.
fn cluster_mode_puts_agents_into_the_config_map(version: &str, executor_key: &str) {
    let lab = Lab::new(version);
    let kubernetes = Kubernetes::start(&lab);
    let mut command = lab.sparkdbg();
    command.args(["submit", "--driver", "--executor", "--"]);
    command.args(["--master", &kubernetes.master, "--deploy-mode", "cluster", "--class", Tasks::CLASS]);
    common(&mut command, &kubernetes, "spark.kubernetes.authenticate.submission");
    command.args(["--conf", "spark.kubernetes.submission.waitAppCompletion=false"]);
    command.args(["local:///opt/app.jar", "word", "--conf", "of=the application"]);
    let ended = Job::start(&mut command, lab.dir(), None).end(JOB_LIMIT).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(ended.code(), 0, "{ended:#?}");

    let pods = kubernetes.created("Pod");
    let [pod] = &pods[..] else { panic!("one pod: {pods:#?}") };
    assert_eq!(pod["metadata"]["labels"]["spark-role"], "driver");
    let words = ["driver", "--properties-file", "/opt/spark/conf/spark.properties", "--class", Tasks::CLASS]
        .into_iter()
        .chain(["local:///opt/app.jar", "word", "--conf", "of=the application"]);
    let container = &pod["spec"]["containers"][0];
    assert_eq!(container["args"], words.collect::<Value>());
    assert!(!container["env"].to_string().contains("jdwp"), "an agent in the environment: {container:#}");

    let config_maps = kubernetes.created("ConfigMap");
    let [config_map] = &config_maps[..] else { panic!("one config map: {config_maps:#?}") };
    let mounted = pod["spec"]["volumes"]
        .as_array()
        .into_iter()
        .flatten()
        .any(|volume| volume["configMap"]["name"] == config_map["metadata"]["name"]);
    assert!(mounted, "the driver does not get this config map: {config_map:#}");
    let properties = config_map["data"]["spark.properties"].as_str().expect("a properties file");
    // Spark writes it with java.util.Properties, which escapes `:` and `=`.
    let properties: Vec<(String, String)> = properties
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(key, value)| (key.to_owned(), value.replace('\\', "")))
        .collect();
    let mut with_agent: Vec<(&str, &str)> = properties
        .iter()
        .filter(|(_, value)| value.contains("jdwp"))
        .map(|(key, value)| (key.as_str(), value.as_str()))
        .collect();
    with_agent.sort();
    assert_eq!(with_agent, [("spark.driver.defaultJavaOptions", DRIVER_AGENT), (executor_key, EXECUTOR_AGENT)]);
}

fn client_mode_gives_each_executor_pod_the_agent(version: &str) {
    let lab = Lab::new(version);
    let kubernetes = Kubernetes::start(&lab);
    let mut job = Job::start(&mut in_client_mode(&lab, &kubernetes, "--executor"), lab.dir(), None);
    for pod in wait_for_executor_pods(&kubernetes, 2, &mut job) {
        assert_eq!(agents(&pod), [EXECUTOR_AGENT], "{pod:#}");
    }
}

/// A job of which only the driver will ever run.
fn in_client_mode(lab: &Lab, kubernetes: &Kubernetes, role: &str) -> Command {
    let mut command = lab.sparkdbg();
    command.args(["submit", role, "--", "--master", &kubernetes.master]);
    common(&mut command, kubernetes, "spark.kubernetes.authenticate");
    command.args(["--conf", "spark.driver.host=127.0.0.1", "--driver-memory", "512m"]);
    Tasks::new(lab).add_to(&mut command, 2, 0);
    command
}

fn common(command: &mut Command, kubernetes: &Kubernetes, credentials: &str) {
    for conf in [
        format!("{credentials}.caCertFile={}", kubernetes.certificate.display()),
        format!("{credentials}.oauthToken=none"),
        "spark.kubernetes.container.image=none".to_owned(),
        "spark.ui.enabled=false".to_owned(),
    ] {
        command.args(["--conf", &conf]);
    }
}

fn wait_for_executor_pods(kubernetes: &Kubernetes, count: usize, job: &mut Job) -> Vec<Value> {
    let started = Instant::now();
    loop {
        let pods = executor_pods(kubernetes);
        if pods.len() >= count {
            assert_eq!(pods.len(), count, "{}", job.said());
            return pods;
        }
        assert!(job.alive() && started.elapsed() < JOB_LIMIT, "{} executor pods: {}", pods.len(), job.said());
        thread::sleep(Duration::from_millis(100));
    }
}

fn executor_pods(kubernetes: &Kubernetes) -> Vec<Value> {
    let pods = kubernetes.created("Pod").into_iter();
    pods.filter(|pod| pod["metadata"]["labels"]["spark-role"] == "executor").collect()
}

/// The JVM options among a pod's variables that have to do with debugging; the image's entry point hands
/// `SPARK_JAVA_OPT_N` on, and no other.
fn agents(pod: &Value) -> Vec<&str> {
    let variables = pod["spec"]["containers"][0]["env"].as_array().expect("an environment").iter();
    let with_agent =
        variables.filter(|variable| variable["value"].as_str().is_some_and(|value| value.contains("jdwp")));
    with_agent
        .map(|variable| {
            let name = variable["name"].as_str().expect("a name");
            assert!(name.starts_with("SPARK_JAVA_OPT_"), "an agent in {name}");
            variable["value"].as_str().expect("a value")
        })
        .collect()
}
