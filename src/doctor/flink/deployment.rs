//! Where the JVMs of a script of Flink's run. Pure.

use crate::doctor::finding::Finding;
use crate::environment::flink::FlinkEnvironment;
use crate::flink::deployment::{self, Deployment, Manager};
use crate::flink::script::Script;

/// In one line.
pub fn finding(environment: &FlinkEnvironment) -> Finding {
    let target = deployment::target(&environment.line, &environment.conf);
    let named = match (&environment.line.session, &target) {
        (Some(session), _) => format!("`{}` ({}): ", session.value, session.option),
        (None, Some((target, place))) => format!("`{target}` ({place}): "),
        (None, None) => String::new(),
    };
    let message = match environment.deployment {
        Deployment::Here => here(environment),
        Deployment::Client => format!("{named}a client on this machine, and no JVM of a cluster"),
        Deployment::Local => format!("{named}client, JobManager and TaskManager are one JVM on this machine"),
        Deployment::Deploys { manager, application } => {
            let manager = match manager {
                Manager::Yarn => "YARN",
                Manager::Kubernetes => "Kubernetes",
            };
            let main = match (application, environment.script) {
                (true, _) => "; main runs in the JobManager",
                (false, Script::Flink | Script::SqlClient) => "; main runs in the client",
                _ => "",
            };
            format!("{named}a client on this machine, JobManager and TaskManagers on {manager}{main}")
        }
    };
    Finding::ok("deployment", message)
}

fn here(environment: &FlinkEnvironment) -> String {
    let hosts = &environment.hosts;
    match environment.script {
        Script::StartCluster => {
            let of = |remote: &Option<String>, number: Option<u16>, name: &str| match (remote, number) {
                (Some(host), _) => format!("{name}s by ssh (`{host}`)"),
                (None, Some(1)) => format!("1 {name} on this machine"),
                (None, Some(number)) => format!("{number} {name}s on this machine"),
                (None, None) => format!("a {name} on each NUMA node of this machine"),
            };
            let jobmanagers = of(&hosts.remote_master, Some(hosts.jobmanagers), "JobManager");
            format!("{jobmanagers}, {}", of(&hosts.remote_worker, hosts.taskmanagers, "TaskManager"))
        }
        Script::StandaloneJob => "a JobManager on this machine, and main runs in it".to_owned(),
        Script::TaskManager if hosts.taskmanagers.is_none() => {
            "a TaskManager on each NUMA node of this machine".to_owned()
        }
        Script::TaskManager => "a TaskManager on this machine".to_owned(),
        Script::JobManager => "a JobManager on this machine".to_owned(),
        script => format!("`{}` runs on this machine", script.file_name()),
    }
}
