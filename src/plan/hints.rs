//! What to do next, one short hint for each endpoint.

mod executors;

use super::{LaunchPlan, Note, driver, worker};
use crate::endpoint::{Endpoint, Mode, Role};
use crate::environment::distribution::{Distribution, Origin};
use crate::environment::{Environment, Machine};
use crate::options::Options;
use crate::spark::deployment::Manager;
use crate::tool::Tool;

/// Hints for a plan whose endpoints are settled.
pub fn for_plan(options: &Options, environment: &Environment, plan: &LaunchPlan) -> Vec<Note> {
    let mut hints = Vec::new();
    for debug in &plan.endpoints {
        let endpoint = &debug.endpoint;
        let message = match debug.role {
            Role::Executor if options.tool == Tool::Worker => worker::hint(options, endpoint, debug.kept),
            Role::Executor => executors::hint(options, environment, endpoint),
            Role::Driver if environment.deployment.cluster => format!("driver {}", on_cluster(endpoint, environment)),
            role => format!("{role} {}", here(endpoint, &environment.machine)),
        };
        hints.push(Note::hint("endpoint", message));
        let source = options.target(debug.role).map(|target| &target.source).filter(|source| source.is_project_file());
        if let Some(source) = source.filter(|_| endpoint.mode == Mode::Listen && !debug.kept) {
            hints.push(Note::hint("project-file", format!("the address comes from {source}")));
        }
    }
    hints.extend(project_home(&environment.distribution));
    if driver::runs_python(options, environment) {
        hints.push(Note::hint(
            "python",
            "a JVM debugger stops in Java and Scala code; Python code and UDFs run in Python processes",
        ));
    }
    hints
}

/// A home that a project's file chose is always said: it decides which programs run.
pub fn project_home(distribution: &Distribution) -> Option<Note> {
    project_home_of("Spark", distribution)
}

/// The same for a system of that name.
pub fn project_home_of(system: &str, distribution: &Distribution) -> Option<Note> {
    match (&distribution.origin, &distribution.home) {
        (Origin::Profile(origin), Some(home)) if origin.project => {
            Some(Note::hint("project-file", format!("{system} is `{}`, from {origin}", home.display())))
        }
        _ => None,
    }
}

/// What a JVM that is attached to does until then.
pub fn verb(endpoint: &Endpoint) -> &'static str {
    if endpoint.suspend { "waits for the debugger" } else { "listens for a debugger" }
}

/// What a JVM on this machine does, and how to get there.
pub fn here(endpoint: &Endpoint, machine: &Machine) -> String {
    let Endpoint { host, port, .. } = endpoint;
    match endpoint.mode {
        // Only an agent that was kept can have it.
        Mode::Attach if *port == 0 => {
            let verb = verb(endpoint);
            format!("{verb} on a port of {host} that its standard output names (IDE: \"Attach to remote JVM\")")
        }
        Mode::Attach => {
            let verb = verb(endpoint);
            let (shown, tunnel) = if host.is_loopback() {
                let user_host = &machine.hostname;
                (host.to_string(), format!("; from another machine: ssh -L {port}:{host}:{port} {user_host}"))
            } else if host.is_wildcard() {
                (machine.hostname.clone(), String::new())
            } else {
                (host.to_string(), String::new())
            };
            format!("{verb} on {host}:{port} (IDE: \"Attach to remote JVM\", host {shown}, port {port}){tunnel}")
        }
        Mode::Listen => {
            let suspends = if endpoint.suspend { " before main" } else { "" };
            let tunnel = if host.is_loopback() {
                format!("; debugger on another machine, from there: ssh -R {port}:{host}:{port} {}", machine.hostname)
            } else {
                String::new()
            };
            format!(
                "dials the debugger at {host}:{port}{suspends} (IDE: \"Listen to remote JVM\", port {port}){tunnel}"
            )
        }
    }
}

fn on_cluster(endpoint: &Endpoint, environment: &Environment) -> String {
    let Endpoint { host, port, .. } = endpoint;
    if endpoint.mode == Mode::Listen {
        return format!(
            "on the cluster dials the debugger at {host}:{port} (IDE: \"Listen to remote JVM\", port {port}); start that first"
        );
    }
    let verb = verb(endpoint);
    let (place, port) = match port {
        0 => ("a port of its host that its stdout names".to_owned(), "PORT".to_owned()),
        port => (format!("{host}:{port} of its host"), port.to_string()),
    };
    let forward = format!("kubectl port-forward POD {port}:{port}");
    let tunnel =
        if host.is_loopback() { format!("; tunnel: ssh -L {port}:{host}:{port} ITS_HOST") } else { String::new() };
    let whereabouts = match environment.deployment.manager {
        Manager::Yarn => format!("its host: yarn application -status APPLICATION_ID, `AM Host`{tunnel}"),
        Manager::Kubernetes => format!("its pod: kubectl get pods -l spark-role=driver, then {forward}"),
        Manager::Standalone => {
            let what = if tunnel.is_empty() { "its worker" } else { "its worker and the tunnel" };
            format!("{what}: {} (the Master's web UI)", ps_command(environment))
        }
        Manager::Local | Manager::LocalCluster | Manager::Other => format!("its host: ask the cluster manager{tunnel}"),
    };
    format!("on the cluster {verb} on {place} (IDE: \"Attach to remote JVM\"); {whereabouts}")
}

/// The `ps` that finds the application from here: a driver on a standalone cluster has no UI on this machine.
fn ps_command(environment: &Environment) -> String {
    let deployment = &environment.deployment;
    if deployment.manager != Manager::Standalone || !deployment.cluster {
        return "sparkdbg ps".to_owned();
    }
    let host = deployment.standalone_hosts().find(|host| !host.is_empty()).unwrap_or("MASTER");
    format!("sparkdbg ps http://{host}:8080")
}
