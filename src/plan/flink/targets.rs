//! Which of the wanted roles this command reaches.

use crate::endpoint::{EndpointSpec, Mode, Role};
use crate::environment::flink::FlinkEnvironment;
use crate::error::Failure;
use crate::flink::deployment::{self, Deployment, Manager};
use crate::flink::script::Script;
use crate::options::{Options, Source, Target};
use crate::plan::Note;

/// What is debugged.
pub struct Reached {
    /// The JVMs, with the port for this deployment where nobody named one.
    pub targets: Vec<Target>,
    /// What was left out.
    pub notes: Vec<Note>,
}

/// The roles that this command reaches. One that a flag names and that it does not reach is an error, one
/// of a profile is left out.
///
/// # Errors
/// Such a role, or none that is reached.
pub fn reached(options: &Options, environment: &FlinkEnvironment) -> Result<Reached, Failure> {
    if environment.deployment == Deployment::Local {
        return Ok(Reached { targets: vec![one_jvm(options)?], notes: Vec::new() });
    }
    let mut reached = Reached { targets: Vec::new(), notes: Vec::new() };
    let mut refused = None;
    for target in &options.targets {
        match unreachable(target.role, environment) {
            None => reached.targets.push(with_port(target, environment)),
            Some(failure) if target.is_typed => return Err(failure),
            Some(failure) if target.source == Source::Default => {
                let help = failure.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
                reached.notes.push(Note::warning("unreachable-role", format!("{}{help}", failure.message)));
                refused = Some(failure);
            }
            Some(failure) => {
                let message = format!("{} is left out ({}): {}", target.role, target.source, failure.message);
                reached.notes.push(Note::info("unreachable-role", message));
                refused = Some(failure);
            }
        }
    }
    if let Some(failure) = refused.filter(|_| reached.targets.is_empty()) {
        let has_client = environment.script.roles().contains(&Role::Client);
        if !has_client {
            return Err(failure.blamed_on_world(true));
        }
        reached.targets.push(default(Role::Client));
    }
    Ok(reached)
}

/// A role as nobody has said anything of it.
fn default(role: Role) -> Target {
    let spec = EndpointSpec { mode: Mode::Attach, host: None, port: None, suspend: None };
    Target {
        role,
        endpoint: spec.resolve(role),
        source: Source::Default,
        suspend_flag: None,
        is_typed: false,
        port_is_open: true,
    }
}

/// The port where nobody names one: TaskManagers look for a free one, unless they start elsewhere, where
/// several may meet on a host.
fn with_port(target: &Target, environment: &FlinkEnvironment) -> Target {
    let mut target = target.clone();
    let is_taskmanager = target.role == Role::TaskManager;
    let each_picks = match environment.deployment {
        Deployment::Deploys { manager: Manager::Yarn, .. } => is_taskmanager,
        Deployment::Deploys { manager: Manager::Kubernetes, .. } => false,
        _ => is_taskmanager && environment.number(target.role).is_none(),
    };
    if target.port_is_open && each_picks {
        target.endpoint.port = 0;
    }
    let several = environment.number(target.role).is_none_or(|number| number > 1);
    let is_looked_for = environment.is_here(target.role) && (is_taskmanager || several) && target.endpoint.port != 0;
    target.port_is_open &= is_looked_for;
    target
}

/// With `-t local`, one JVM is all of them, and takes one agent.
fn one_jvm(options: &Options) -> Result<Target, Failure> {
    let named = |role| options.targets.iter().find(|target| target.role == role);
    let chosen = named(Role::Client).or(options.targets.first());
    let mut target = chosen.cloned().unwrap_or_else(|| default(Role::Client));
    let other =
        options.targets.iter().find(|other| other.source != Source::Default && other.endpoint != target.endpoint);
    if let Some(other) = other.filter(|_| target.source != Source::Default) {
        return Err(Failure::usage(format!(
            "with `-t local`, client, JobManager and TaskManager are one JVM, which takes one agent: {} ({}) and {} ({}) differ",
            target.role, target.source, other.role, other.source
        ))
        .help("name one role: --client")
        .blamed_on_world(target.source.is_profile() || other.source.is_profile()));
    }
    if let Some(other) = other {
        target = other.clone();
    }
    target.port_is_open &= target.role == Role::TaskManager;
    Ok(Target { role: Role::Client, ..target })
}

/// Why this command does not reach a role, and what would.
fn unreachable(role: Role, environment: &FlinkEnvironment) -> Option<Failure> {
    let script = environment.script;
    let hosts = &environment.hosts;
    match (&environment.deployment, role) {
        (Deployment::Client, Role::JobManager | Role::TaskManager) => Some(runs_already(role, environment)),
        (Deployment::Deploys { .. }, Role::JobManager | Role::TaskManager) if !environment.takes_settings() => {
            let message = format!(
                "`{}` of this Flink takes no -D, by which the {role} of a cluster that it deploys would get an agent",
                script.file_name()
            );
            Some(Failure::world(message).help(format!("write it into the configuration file: env.java.opts.{role}")))
        }
        (Deployment::Here, Role::JobManager) if script == Script::StartCluster => {
            hosts.remote_master.as_ref().map(|host| by_ssh(role, "masters", host))
        }
        (Deployment::Here, Role::TaskManager) if hosts.taskmanagers == Some(0) => {
            let message = "conf/workers names no host, so that start-cluster.sh starts no taskmanager";
            Some(Failure::world(message).help("write one into it: localhost"))
        }
        (Deployment::Here, Role::TaskManager) if script == Script::StartCluster => {
            hosts.remote_worker.as_ref().map(|host| by_ssh(role, "workers", host))
        }
        _ => None,
    }
}

fn runs_already(role: Role, environment: &FlinkEnvironment) -> Failure {
    let script = environment.script;
    let action = environment.line.action.as_deref().filter(|_| script == Script::Flink);
    let command = action.map_or(script.file_name().to_owned(), |action| format!("flink {action}"));
    let line = &environment.line;
    let target = deployment::target(line, &environment.conf);
    let to = match (&line.session, &target) {
        (Some(session), _) => format!(" ({} {})", session.option, session.value),
        (None, Some((target, place))) => format!(" (`{target}`, {place})"),
        (None, None) => String::new(),
    };
    let is_typed = line.session.is_some() || line.target.is_some() || line.get(deployment::TARGET).is_some();
    let (session, application) = match target.as_ref().map(|(target, _)| target.as_str()) {
        _ if line.session.is_some() => (Some(Script::YarnSession), "yarn-application"),
        Some("yarn-session") => (Some(Script::YarnSession), "yarn-application"),
        Some("kubernetes-session") => (Some(Script::KubernetesSession), "kubernetes-application"),
        _ => (None, "yarn-application"),
    };
    let start = match (session, role) {
        (Some(session), _) => {
            format!("start the session with it: sparkdbg flink --{role} -- {}", session.file_name())
        }
        (None, Role::JobManager) => {
            "start the session with it: sparkdbg flink --jobmanager -- jobmanager.sh start".to_owned()
        }
        (None, _) => "add one to the session: sparkdbg flink --taskmanager -- taskmanager.sh start".to_owned(),
    };
    let deploy = match action {
        Some("run" | "run-application") => {
            let is_old = environment.version().is_some_and(|version| !version.at_least(2, 0));
            let run = if is_old { "run-application" } else { "run" };
            format!(", or deploy the job with its own cluster: {run} -t {application}")
        }
        _ => String::new(),
    };
    Failure::usage(format!("`{command}`{to} starts a client only: no option of its reaches a {role} that runs already"))
        .help(format!("{start}{deploy}"))
        .blamed_on_world(target.is_some() && !is_typed)
}

fn by_ssh(role: Role, file: &str, host: &str) -> Failure {
    let script = if role == Role::JobManager { Script::JobManager } else { Script::TaskManager };
    Failure::world(format!(
        "`{host}` in conf/{file} makes start-cluster.sh start every {role} by ssh, which takes no option of ours along"
    ))
    .help(format!("on its host: sparkdbg flink --{role} -- {} start", script.file_name()))
}
