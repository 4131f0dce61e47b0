//! What to do next, one short hint for each JVM of Flink's.

use super::is_one_jvm;
use crate::endpoint::{Endpoint, Mode, Role};
use crate::environment::flink::FlinkEnvironment;
use crate::flink::deployment::{Deployment, Manager};
use crate::flink::script::Script;
use crate::options::Target;
use crate::plan::hints::{here, verb};
use crate::plan::{DebugEndpoint, LaunchPlan, Note};

/// Hints for a plan whose endpoints are settled.
pub fn for_plan(targets: &[Target], environment: &FlinkEnvironment, plan: &LaunchPlan) -> Vec<Note> {
    let mut hints = Vec::new();
    for debug in &plan.endpoints {
        hints.push(Note::hint("endpoint", endpoint(debug, environment)));
        let target = targets.iter().find(|target| target.role == debug.role);
        let source = target.map(|target| &target.source).filter(|source| source.is_project_file());
        if let Some(source) = source.filter(|_| debug.endpoint.mode == Mode::Listen && !debug.kept) {
            hints.push(Note::hint("project-file", format!("the address comes from {source}")));
        }
    }
    let has = |role| plan.endpoints.iter().any(|debug| debug.role == role);
    if let Deployment::Deploys { application: true, .. } = environment.deployment
        && has(Role::Client)
        && !has(Role::JobManager)
    {
        hints.push(Note::hint(
            "main-method",
            "the main method of an application runs in its JobManager, and the client only submits it: --jobmanager=attach,suspend",
        ));
    }
    let runs_main = environment.script == Script::StandaloneJob
        || matches!(environment.deployment, Deployment::Deploys { application: true, .. });
    let jobmanager = plan.endpoints.iter().find(|debug| debug.role == Role::JobManager);
    if jobmanager.is_some_and(|debug| !debug.endpoint.suspend && !debug.kept) && runs_main {
        hints.push(Note::hint(
            "main-method",
            "the main method runs in the JobManager, at once: to stop in it, let the JVM wait (--jobmanager=attach,suspend)",
        ));
    }
    if is_one_jvm(environment) {
        hints.push(Note::hint(
            "one-jvm",
            "JobManager and TaskManager are in that JVM too; the job's classes are loaded once for main and once for its tasks",
        ));
    }
    if environment.line.python && has(Role::Client) {
        hints.push(Note::hint(
            "python",
            "a JVM debugger stops in Java and Scala code; Python code and UDFs run in Python processes",
        ));
    }
    hints
}

/// JVMs of a role.
pub fn plural(role: Role) -> String {
    match role {
        Role::JobManager => "JobManagers".to_owned(),
        Role::TaskManager => "TaskManagers".to_owned(),
        role => format!("{role} JVMs"),
    }
}

fn endpoint(debug: &DebugEndpoint, environment: &FlinkEnvironment) -> String {
    let DebugEndpoint { role, endpoint, .. } = debug;
    if let Deployment::Deploys { manager, .. } = environment.deployment
        && !environment.is_here(*role)
    {
        return on_cluster(*role, endpoint, manager);
    }
    if endpoint.mode == Mode::Attach && endpoint.port == 0 {
        return format!(
            "each {role} {} on a port of {} that its .out file names (IDE: \"Attach to remote JVM\"); `sparkdbg ps http://HOST:8081` names the ports",
            verb(endpoint),
            endpoint.host
        );
    }
    format!("{role} {}", here(endpoint, &environment.machine))
}

fn on_cluster(role: Role, endpoint: &Endpoint, manager: Manager) -> String {
    let Endpoint { host, port, .. } = endpoint;
    let who = if role == Role::TaskManager { format!("each {role}") } else { role.to_string() };
    if endpoint.mode == Mode::Listen {
        return format!(
            "{who} on the cluster dials the debugger at {host}:{port} (IDE: \"Listen to remote JVM\", port {port}); start that first"
        );
    }
    let verb = verb(endpoint);
    let (place, port) = match port {
        0 => ("a port of its host that its .out file names".to_owned(), "PORT".to_owned()),
        port => (format!("{host}:{port} of its host"), port.to_string()),
    };
    let whereabouts = match manager {
        Manager::Yarn => {
            let tunnel = if host.is_loopback() {
                format!("; tunnel: ssh -L {port}:{host}:{port} ITS_HOST")
            } else {
                String::new()
            };
            format!(
                "its host and port: sparkdbg ps TRACKING_URL, the one that `yarn application -status APPLICATION_ID` shows{tunnel}"
            )
        }
        Manager::Kubernetes => {
            let component = if role == Role::TaskManager { "taskmanager" } else { "jobmanager" };
            format!("its pod: kubectl get pods -l component={component}, then kubectl port-forward POD {port}:{port}")
        }
    };
    format!("{who} on the cluster {verb} on {place} (IDE: \"Attach to remote JVM\"); {whereabouts}")
}
