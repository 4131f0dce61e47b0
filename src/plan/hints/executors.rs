//! What to do next where executors are debugged: there may be many, on hosts that nobody knows yet.

use crate::endpoint::{Endpoint, Mode};
use crate::environment::Environment;
use crate::options::Options;
use crate::plan::one_executor;
use crate::spark::deployment::Manager;

/// The hint for the executors' endpoint.
pub fn hint(options: &Options, environment: &Environment, endpoint: &Endpoint) -> String {
    let one = one_executor::is_wanted(options, Some(endpoint)) || one_executor::is_held(environment);
    let mut hint = match endpoint.mode {
        Mode::Listen => dialling(endpoint, one),
        Mode::Attach => listening(endpoint, environment, one),
    };
    if endpoint.suspend {
        hint.push_str("; until a debugger comes Spark prints `Initial job has not accepted any resources`");
    }
    hint.push_str(&format!("; if executors come and go, `{}` says why", super::ps_command(environment)));
    hint
}

fn dialling(endpoint: &Endpoint, one: bool) -> String {
    let Endpoint { host, port, .. } = endpoint;
    let who = if one { "the one executor dials" } else { "every executor dials" };
    format!("{who} the debugger at {host}:{port} (IDE: \"Listen to remote JVM\", port {port})")
}

fn listening(endpoint: &Endpoint, environment: &Environment, one: bool) -> String {
    let Endpoint { host, port, .. } = endpoint;
    let verb = super::verb(endpoint);
    let who = if one { "the one executor" } else { "each executor" };
    let place = match port {
        0 => format!("a port of its own on {host} of its host"),
        port => format!("{host}:{port} of its host"),
    };
    let find = match environment.deployment.manager {
        Manager::LocalCluster => "`sparkdbg ps` names the ports".to_owned(),
        // Local: a master that only the application names.
        Manager::Local | Manager::Standalone | Manager::Other => {
            format!("`{}` names hosts, ports and tunnels", super::ps_command(environment))
        }
        Manager::Yarn => {
            "`sparkdbg ps` names hosts, ports and tunnels; so does yarn logs -applicationId ID -log_files stdout"
                .to_owned()
        }
        Manager::Kubernetes => {
            let port = if *port == 0 { "PORT".to_owned() } else { port.to_string() };
            format!(
                "`sparkdbg ps` names pods and ports; kubectl get pods -l spark-role=executor, kubectl port-forward POD {port}:{port}"
            )
        }
    };
    format!("{who} {} on {place} (IDE: \"Attach to remote JVM\"); {find}", verb)
}
