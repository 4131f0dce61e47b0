//! The agent of ours: through which knob it reaches the JVM, and where it cannot work.

use super::agents::is_shared;
use super::edit::Edits;
use super::has_ports;
use super::hints::plural;
use super::sources::{self, Place};
use crate::endpoint::{Endpoint, Mode, Role};
use crate::environment::flink::FlinkEnvironment;
use crate::error::Failure;
use crate::flink::deployment::{Deployment, Manager};
use crate::flink::java_opts::{self, VARIABLE_ALL};
use crate::flink::script::Script;
use crate::jvm::options as jvm_options;
use crate::options::Options;
use crate::plan::agents::ours;
use crate::plan::meeting::Meeting;

/// The one variable that adds to the options of a JVM, and takes the place of nothing.
const ADDED: &str = "JVM_ARGS";

/// Puts the agent in front.
pub fn agent(endpoint: &Endpoint, role: Role, options: &Options, environment: &FlinkEnvironment, edits: &mut Edits) {
    let agent = ours(options, endpoint).to_string();
    let knob = java_opts::knob(role, environment.script);
    if !environment.is_here(role) {
        let merged = jvm_options::prepend(&agent, &edits.key(environment, knob.key));
        let why = "the agent; a -D takes the place of the file's value, so that it holds that too";
        edits.set_key(knob.key, merged, why);
        return;
    }
    // Elsewhere the variable of the role would take the place of the configuration for nothing.
    let is_one_of_several = environment.script == Script::StartCluster;
    if !is_one_of_several && !edits.changes(knob.variable) {
        let merged = jvm_options::prepend(&agent, &edits.variable(environment, ADDED));
        edits.set_variable(ADDED, merged, "the agent, in the variable that takes the place of nothing");
        return;
    }
    let mut current = edits.group(role, knob.variable, environment);
    if role == Role::TaskManager && loses_collector(&current, environment) {
        current = G1.to_owned();
    }
    let agent = numbered(&agent, endpoint, role, environment);
    let why = format!(
        "the agent, in the variable of the {role} alone; it takes the place of the file's value, so that it holds that too"
    );
    edits.set_variable(knob.variable, jvm_options::prepend(&agent, current.trim_start()), &why);
}

const G1: &str = "-XX:+UseG1GC";

/// `taskmanager.sh` of 1.14 chooses the collector only where no variable holds an option.
fn loses_collector(current: &str, environment: &FlinkEnvironment) -> bool {
    let all = environment.variable(VARIABLE_ALL).is_some() || !environment.scripts.added_options.is_empty();
    let in_file = sources::of(Role::TaskManager, environment).into_iter();
    let in_file = in_file.filter(|source| matches!(source.place, Place::Conf { .. })).count();
    current.trim().is_empty() && !all && in_file == 0
}

/// Of several JVMs that one command starts, each reckons its port from its number, which Flink's scripts
/// put into `id` and evaluate the options with.
fn numbered(agent: &str, endpoint: &Endpoint, role: Role, environment: &FlinkEnvironment) -> String {
    let several = environment.number(role).is_some_and(|number| number > 1);
    if endpoint.mode == Mode::Listen || endpoint.port == 0 || !several || !has_ports(role, environment) {
        return agent.to_owned();
    }
    let next = match role {
        Role::JobManager => environment.hosts.next_jobmanager,
        _ => environment.hosts.next_taskmanager,
    };
    let base = i64::from(endpoint.port) - i64::try_from(next).unwrap_or_default();
    let Endpoint { host, port, .. } = endpoint;
    agent.replacen(&format!("address={host}:{port}"), &format!("address={host}:$(({base}+$id))"), 1)
}

/// One place that several JVMs would want.
///
/// # Errors
/// They would.
pub fn refuse_many(meeting: &Meeting<'_, Place>, environment: &FlinkEnvironment) -> Result<(), Failure> {
    let Meeting { target, endpoint, kept } = meeting;
    let role = target.role;
    if endpoint.mode == Mode::Attach && (endpoint.port == 0 || target.port_is_open && kept.is_none()) {
        return Ok(());
    }
    if let Some(kept) =
        kept.as_ref().filter(|kept| is_shared(&kept.place) && environment.script == Script::StartCluster)
    {
        return Err(Failure::world(format!(
            "the agent in {} reaches JobManager and TaskManagers alike: the first takes {}:{}, the others die at their start",
            kept.place, endpoint.host, endpoint.port
        ))
        .help(kept.cure()));
    }
    let number = match (&environment.deployment, role) {
        (Deployment::Deploys { manager, .. }, Role::TaskManager) => {
            // Each pod is a host of its own, and its TaskManager may have any port; a debugger takes one.
            let has_own_host = *manager == Manager::Kubernetes && endpoint.mode == Mode::Attach;
            if has_own_host || is_held_to_one(environment) { Some(1) } else { None }
        }
        _ => environment.number(role),
    };
    if number == Some(1) {
        return Ok(());
    }
    let of_them = number.map_or("several".to_owned(), |number| number.to_string());
    let who = format!("{of_them} {}", plural(role));
    let cure = one_at_a_time(role, endpoint, environment);
    let failure = match endpoint.mode {
        Mode::Attach => Failure::usage(format!(
            "{who} would use port {}: the first on a host takes it, the others die at their start",
            endpoint.port
        )),
        Mode::Listen => Failure::usage(format!(
            "{who} would dial {}:{}, and the debugger takes one: the others die at their start",
            endpoint.host, endpoint.port
        )),
    };
    Err(meeting.refused(failure, &cure))
}

fn one_at_a_time(role: Role, endpoint: &Endpoint, environment: &FlinkEnvironment) -> String {
    let attach = match environment.deployment {
        Deployment::Here if environment.number(role).is_some() => {
            format!(
                "leave the port out (--{role}=attach): each gets one of its own, from {} upwards",
                role.default_port()
            )
        }
        _ => format!("let each JVM choose its port: --{role}=attach:0"),
    };
    if endpoint.mode == Mode::Attach {
        return attach;
    }
    match environment.deployment {
        Deployment::Here => format!("start one of them under the debugger: {role}.sh start; or {attach}"),
        _ => format!("hold the cluster to one: -D{SLOTS_MAX}=N, N the slots of one TaskManager; or {attach}"),
    }
}

const SLOTS_MAX: &str = "slotmanager.number-of-slots.max";
const SLOTS_OF_ONE: &str = "taskmanager.numberOfTaskSlots";

/// Whether the slots that there may be are those of one TaskManager.
fn is_held_to_one(environment: &FlinkEnvironment) -> bool {
    let number = |key: &str| environment.given(key).and_then(|(value, _)| value.trim().parse::<u32>().ok());
    number(SLOTS_MAX).is_some_and(|most| most <= number(SLOTS_OF_ONE).unwrap_or(1))
}

/// A JVM on a cluster that would dial its own host.
///
/// # Errors
/// It would.
pub fn refuse_dialling_itself(meeting: &Meeting<'_, Place>, environment: &FlinkEnvironment) -> Result<(), Failure> {
    let endpoint = &meeting.endpoint;
    let role = meeting.target.role;
    if environment.is_here(role) || endpoint.mode == Mode::Attach || !endpoint.host.is_loopback() {
        return Ok(());
    }
    let message = format!("the {role} would dial `{}` on its own host, where no debugger listens", endpoint.host);
    let cure = format!("name this machine as the cluster sees it: --{role}=listen:HOST:PORT");
    Err(meeting.refused(Failure::usage(message), &cure))
}
