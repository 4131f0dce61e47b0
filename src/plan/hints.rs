//! What to do next, one short hint for each endpoint.

use super::{LaunchPlan, Note, driver};
use crate::endpoint::{Endpoint, Mode};
use crate::environment::Environment;
use crate::environment::home::Origin;
use crate::options::{Options, Source};
use crate::spark::submit::End;
use crate::spark::tool::Tool;

/// Hints for a plan whose endpoints are settled.
pub fn for_plan(options: &Options, environment: &Environment, plan: &LaunchPlan) -> Vec<Note> {
    let mut hints = Vec::new();
    for debug in &plan.endpoints {
        let message = if environment.deployment.cluster {
            on_cluster(&debug.endpoint, environment)
        } else {
            here(&debug.endpoint, environment)
        };
        hints.push(Note::hint("endpoint", format!("{} {message}", debug.role)));
        if let (Source::Profile(origin), Mode::Listen) = (&options.driver.source, debug.endpoint.mode)
            && origin.project
        {
            hints.push(Note::hint("project-file", format!("the address comes from {origin}")));
        }
    }
    if let (Origin::Profile(origin), Some(home)) = (&environment.distribution.origin, &environment.distribution.home)
        && origin.project
    {
        hints.push(Note::hint("project-file", format!("Spark is `{}`, from {origin}", home.display())));
    }
    if runs_python(options, environment) {
        hints.push(Note::hint(
            "python",
            "a JVM debugger stops in Java and Scala code; Python code and UDFs run in Python processes",
        ));
    }
    hints
}

fn here(endpoint: &Endpoint, environment: &Environment) -> String {
    let Endpoint { host, port, .. } = endpoint;
    match endpoint.mode {
        Mode::Attach => {
            let verb = if endpoint.suspend { "waits for the debugger" } else { "listens for a debugger" };
            let (shown, tunnel) = if host.is_loopback() {
                let user_host = &environment.hostname;
                (host.to_string(), format!("; from another machine: ssh -L {port}:{host}:{port} {user_host}"))
            } else if host.is_wildcard() {
                (environment.hostname.clone(), String::new())
            } else {
                (host.to_string(), String::new())
            };
            format!("{verb} on {host}:{port} (IDE: \"Attach to remote JVM\", host {shown}, port {port}){tunnel}")
        }
        Mode::Listen => {
            let suspends = if endpoint.suspend { " before main" } else { "" };
            let tunnel = if host.is_loopback() {
                format!(
                    "; debugger on another machine, from there: ssh -R {port}:{host}:{port} {}",
                    environment.hostname
                )
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
    let whereabouts = driver::whereabouts(environment.deployment.manager);
    match endpoint.mode {
        Mode::Attach => {
            let port_text =
                if *port == 0 { "a port that its stdout names".to_owned() } else { format!("{host}:{port}") };
            let verb = if endpoint.suspend { "waits for the debugger" } else { "listens for a debugger" };
            let tunnel = match (host.is_loopback(), *port) {
                (true, 0) => "; tunnel: ssh -L PORT:127.0.0.1:PORT THAT_HOST".to_owned(),
                (true, port) => match environment.deployment.manager {
                    crate::spark::deployment::Manager::Kubernetes => format!(" {port}:{port}"),
                    _ => format!("; tunnel: ssh -L {port}:{host}:{port} THAT_HOST"),
                },
                (false, _) => String::new(),
            };
            format!(
                "on the cluster {verb} on {port_text} of its host (IDE: \"Attach to remote JVM\"); {whereabouts}{tunnel}"
            )
        }
        Mode::Listen => {
            format!(
                "on the cluster dials the debugger at {host}:{port} (IDE: \"Listen to remote JVM\", port {port}); start that first"
            )
        }
    }
}

fn runs_python(options: &Options, environment: &Environment) -> bool {
    match options.tool {
        Tool::Pyspark | Tool::Python => true,
        _ => matches!(environment.line.end, End::Resource(at) if environment.words[at].ends_with(".py")),
    }
}
