//! A command that starts a script of Flink's: the launch as far as it goes, then what it would not say.

mod deployment;
mod lost;

use super::finding::Finding;
use super::meeting::{self, Meeting};
use super::reach::Place;
use super::survey::Survey;
use super::{agents, java, launch, notes, python};
use crate::endpoint::{Endpoint, Role};
use crate::environment::Process;
use crate::environment::distribution::Distribution;
use crate::environment::flink::{self as environment, FlinkEnvironment};
use crate::environment::flink_surroundings::{self as surroundings, FlinkSurroundings};
use crate::environment::ports::Finding as Found;
use crate::environment::surroundings::java_of_process;
use crate::error::Failure;
use crate::flink::deployment::{Deployment, Manager};
use crate::flink::java_opts::VARIABLE_ALL;
use crate::flink::pause;
use crate::flink::script::Script;
use crate::options::{Options, Target};
use crate::plan::flink::MeetingPoints;
use crate::plan::{self, LaunchPlan};

/// Looks at everything, whatever fails. The plan is for `-v`.
pub fn examine(
    script: Script,
    options: &Options,
    process: &Process,
) -> (Vec<Finding>, Option<(LaunchPlan, FlinkEnvironment)>) {
    let mut environment = match environment::discover(script, options, process) {
        Ok(environment) => environment,
        Err(failure) => return (without_files(script, options, process, &failure), None),
    };
    let named = launch::distribution("Flink", &environment.distribution);
    let mut findings = vec![match environment.version() {
        Some(_) => named,
        None => Finding::warn(named.topic, named.message).cure("name the distribution itself: --flink-home DIR"),
    }];
    let points = look_at_ports(options, &mut environment);
    let surroundings = surroundings::read(options, &environment, process);
    let mut survey = Survey::of(options, |options| plan::flink::launch(options, &environment));
    let reached = plan::flink::reached(options, &environment);
    let has_agent = |role| !plan::flink::agents_there(role, &environment).is_empty();
    survey.meet(options, &reached, &environment.machine, |role| environment.is_here(role), has_agent);
    let starts_nothing = survey.plan.as_ref().is_some_and(|plan| plan.endpoints.is_empty());
    let reached = if starts_nothing { Vec::new() } else { reached };

    let displaced = environment.variable(VARIABLE_ALL).is_some();
    let added = if displaced { &[][..] } else { &environment.scripts.added_options };
    findings.extend(java::of_flink(&surroundings, environment.version(), added));
    findings.extend(config(&environment, &surroundings));
    if !starts_nothing {
        findings.push(deployment::finding(&environment));
    }
    findings.extend(agents::findings(&reached, survey.plan.is_some(), |role| {
        plan::flink::agents_there(role, &environment)
    }));
    findings.extend(survey.notes.iter().filter_map(notes::of));
    for target in &reached {
        // An agent that is kept decides where it is met.
        let endpoint = points.get(&target.role).map_or(&target.endpoint, |(endpoint, ..)| endpoint);
        findings.extend(meetings(target.role, endpoint, &environment, &surroundings, survey.plan.as_ref()));
    }
    findings.extend(lost::findings(&environment));
    if let Some(plan) = &survey.plan {
        findings.extend(launch::knobs(plan));
        findings.extend(launch::timeouts(plan, options, no_need(&reached, &environment), pause::is_settable));
    }
    if environment.line.python && !reached.is_empty() {
        findings.push(python::of_flink());
    }
    findings.extend(survey.failures);
    (findings, survey.plan.map(|plan| (plan, environment)))
}

/// What can be said where Flink's own files are not there or cannot be read: which Java, and which ports here.
fn without_files(script: Script, options: &Options, process: &Process, failure: &Failure) -> Vec<Finding> {
    let distribution = environment::home(script, options.home.as_ref(), process);
    let named = distribution.as_ref().map(|found: &Distribution| launch::distribution("Flink", found));
    let topic = if named.is_ok() { "config" } else { "distribution" };
    // The file would name another Java, had it been read.
    let java = java_of_process(process).map_or_else(java::none, |java| {
        java::of_this_machine(&java, |_| None, "the JVMs started here, unless env.java.home names another")
    });
    // Of a role that may start elsewhere, only its launch knows where.
    let is_here =
        |target: &&Target| target.role == Role::Client || script.is_daemon() || script == Script::StartCluster;
    let ports = meeting::alone(options.targets.iter().filter(is_here));
    named.into_iter().chain([Finding::failure(topic, failure), java]).chain(ports).collect()
}

/// Looks where debuggers and JVMs meet, for each role that the command reaches.
fn look_at_ports(options: &Options, environment: &mut FlinkEnvironment) -> MeetingPoints {
    let points = |options: &Options| plan::flink::meeting_points(options, environment);
    let each = || options.each_alone().iter().filter_map(|alone| points(alone).ok()).flatten().collect();
    let points = points(options).unwrap_or_else(|_| each());
    environment::look_at_ports(environment, &points);
    points
}

/// The files that were read, and those beside them that were not.
fn config(environment: &FlinkEnvironment, surroundings: &FlinkSurroundings) -> Vec<Finding> {
    if let Some(dir) = &surroundings.missing_conf {
        let name = if environment.version().is_some_and(|version| !version.at_least(1, 19)) {
            "flink-conf.yaml"
        } else {
            "config.yaml"
        };
        let message = format!("there is no `{}`, and Flink does not start without it", dir.join(name).display());
        return vec![Finding::fail("config", message).cure("set FLINK_CONF_DIR to a directory that has one")];
    }
    let read = environment.conf.file.as_ref().map(|file| format!("reads {}", file.display()));
    let read = Finding::ok("config", read.unwrap_or("which file of settings is read is not known".to_owned()));
    let unread = surroundings.unread_conf.as_ref().map(|file| {
        let message = format!("`{}` is not read, since flink-conf.yaml is", file.display());
        let cure = match environment.version().is_none_or(|version| version.at_least(1, 19)) {
            true => "to have it read, take flink-conf.yaml away",
            false => "write settings into flink-conf.yaml: config.yaml came with Flink 1.19",
        };
        Finding::warn("config", message).cure(cure)
    });
    std::iter::once(read).chain(unread).collect()
}

/// Ports, listeners, and whether each side reaches the other, for each JVM of a role; `endpoint`: where there is no plan.
fn meetings(
    role: Role,
    endpoint: &Endpoint,
    environment: &FlinkEnvironment,
    surroundings: &FlinkSurroundings,
    plan: Option<&LaunchPlan>,
) -> Vec<Finding> {
    let machine = &environment.machine;
    let is_here = environment.is_here(role);
    let place = match environment.manager() {
        _ if is_here => Place::Here(&machine.hostname),
        Some(Manager::Kubernetes) => Place::Pod,
        _ => Place::Host,
    };
    let planned = plan.into_iter().flat_map(|plan| &plan.endpoints).filter(|debug| debug.role == role);
    let mut met: Vec<(&Endpoint, Found)> = planned
        .map(|debug| match machine.port(role) {
            // Those of several JVMs were found together, from the first on.
            Found::Free(_) => (&debug.endpoint, Found::Free(debug.endpoint.port)),
            found => (&debug.endpoint, found.clone()),
        })
        .collect();
    if met.is_empty() {
        met.push((endpoint, machine.port(role).clone()));
    }
    let (dialled, masters) = (&surroundings.dialled, &[]);
    let of_one = |(endpoint, found): &(&Endpoint, Found)| {
        Meeting { role, endpoint, found, is_here, place, dialled, masters }.findings()
    };
    met.iter().flat_map(of_one).collect()
}

/// Why a pause needs no setting, if that is so.
fn no_need(reached: &[Target], environment: &FlinkEnvironment) -> Option<&'static str> {
    let is_given_up = |target: &Target| matches!(target.role, Role::JobManager | Role::TaskManager);
    let needs = environment.deployment == Deployment::Local || environment.line.stops_job_at_exit;
    (!needs && !reached.iter().any(is_given_up)).then_some("nobody waits for that JVM")
}
