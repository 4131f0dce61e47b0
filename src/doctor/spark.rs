//! A command that starts a JVM of Spark's: the launch as far as it goes, then what it would not say.

use std::path::PathBuf;

use super::finding::{Finding, Level};
use super::meeting::{self, Meeting};
use super::reach::{self, Place};
use super::survey::Survey;
use super::{agents, java, launch, lost, notes, python, refused, submit};
use crate::endpoint::Role;
use crate::environment::distribution::{Distribution, Origin};
use crate::environment::surroundings::{self, Surroundings};
use crate::environment::{self, Environment, Process};
use crate::options::Options;
use crate::plan::{self, LaunchPlan};
use crate::spark::conf::Value;
use crate::spark::deployment::Manager;
use crate::spark::pause;
use crate::text;

/// Topics that are not known to be well where the home is not known: its files and its version take part in them.
const OF_HOME: [&str; 5] = ["config", "deployment", "options", "agent", "timeouts"];

/// What was found, and from what: the latter for `--check` and `-v`.
pub struct Examined {
    /// In the order of a launch.
    pub findings: Vec<Finding>,
    /// Whether `spark-submit` refuses the command.
    pub is_refused: bool,
    /// The plan and its facts, where there is a plan.
    pub planned: Option<(LaunchPlan, Environment)>,
}

/// Looks at everything, whatever fails.
pub fn examine(options: &Options, process: &Process) -> Examined {
    let mut findings = Vec::new();
    let found = environment::home::find(options.tool, options.home.as_ref(), process);
    let is_found = found.is_ok();
    let distribution = found.unwrap_or_else(|failure| {
        findings.push(Finding::failure("distribution", &failure));
        nowhere(options)
    });
    let named = is_found.then(|| launch::distribution("Spark", &distribution));
    let mut environment = match environment::around(distribution, options, process) {
        Ok(environment) => environment,
        Err(failure) => {
            findings.extend(named);
            findings.push(Finding::failure("config", &failure));
            findings.extend(without_files(options, process));
            return Examined { findings, is_refused: false, planned: None };
        }
    };
    let meeting_points = plan::meeting_points(options, &environment);
    environment::look_at_ports(&mut environment, &meeting_points);
    let surroundings = surroundings::read(options, &environment, process);
    let mut survey = Survey::of(options, |options| plan::launch(options, &environment));
    if !survey.failures.is_empty() {
        survey.add(plan::checks(options, &environment));
    }
    if environment.line.question.is_none() {
        let has_agent = |role| !plan::agents_there(role, options, &environment).is_empty();
        let is_here = |role| environment.is_here(role);
        survey.meet(options, &options.targets, &environment.machine, is_here, has_agent);
    }
    // Of a version that is not known a note tells what follows.
    let is_told = survey.notes.iter().any(|note| note.code == "unknown-version");
    findings.extend(named.filter(|_| !is_told));
    findings.extend(around_the_launch(options, &environment, &surroundings));
    if environment.line.question.is_none() {
        let there = |role| plan::agents_there(role, options, &environment);
        findings.extend(agents::findings(&options.targets, survey.plan.is_some(), there));
    }
    let is_old_news = |finding: &Finding| !is_found && finding.topic == "distribution";
    findings.extend(survey.notes.iter().filter_map(notes::of).filter(|finding| !is_old_news(finding)));
    findings.extend(meetings(options, &environment, &surroundings));
    findings.extend(lost::findings(&environment, surroundings.unread_defaults.as_deref()));
    findings.extend(refused::heap_sizes(&environment));
    let mut submission = submit::findings(options, &environment, &surroundings);
    submission.extend(submit::refused_word(&environment).filter(|_| survey.failures.is_empty()));
    let fails = |found: &&Finding| found.level == Level::Fail;
    let is_refused = submission.iter().any(|found| fails(&found));
    if submission.iter().filter(fails).any(|found| found.topic == "deployment") {
        // Where no JVM starts, none runs anywhere.
        findings.retain(|found| found.topic != "deployment" || found.level != Level::Ok);
    }
    findings.extend(submission);
    if let Some(plan) = &survey.plan {
        findings.extend(launch::knobs(plan));
        let no_need = (environment.deployment.manager == Manager::Local && environment.class.is_none())
            .then_some("the tasks run in the driver, which nobody gives up");
        let sets = |name: &str| pause::SETTABLE.contains(&name);
        findings.extend(launch::timeouts(plan, options, no_need, sets));
    }
    if environment.line.question.is_none() && plan::runs_python(options, &environment) {
        findings.push(python::of_spark(options.tool));
    }
    findings.extend(survey.failures);
    if !is_found {
        findings.retain(|found| found.level != Level::Ok || !OF_HOME.contains(&found.topic));
        findings
            .push(Finding::warn("config", "what that Spark's own files say is not known, nor what follows from it"));
    }
    let planned = survey.plan.filter(|_| is_found).map(|plan| (plan, environment));
    Examined { findings, is_refused, planned }
}

/// Stands for a distribution that was not found: the rest is looked at all the same.
fn nowhere(options: &Options) -> Distribution {
    let program = PathBuf::from(options.tool.script());
    Distribution { program, home: None, origin: Origin::Path, version: None, export_home: false }
}

/// What can be said where Spark's own files cannot be read: which Java, and which ports here.
fn without_files(options: &Options, process: &Process) -> Vec<Finding> {
    let java = surroundings::java_of_process(process);
    let java = java.map_or_else(java::none, |java| java::of_this_machine(&java, |_| None, "the JVM started here"));
    // Where the JVM runs is not known, so only what this machine has is looked at.
    let here = options.targets.iter().filter(|target| target.role != Role::Executor);
    std::iter::once(java).chain(meeting::alone(here)).collect()
}

fn around_the_launch(options: &Options, environment: &Environment, surroundings: &Surroundings) -> Vec<Finding> {
    let mut findings = java::findings(surroundings, environment.version(), plan::executors_are_here(environment));
    findings.push(config(environment));
    findings.push(deployment(options, environment));
    findings.extend(reach::unresolved(&surroundings.masters));
    findings
}

/// The files that were read.
fn config(environment: &Environment) -> Finding {
    let mut files: Vec<String> = environment.layers.iter().map(|layer| layer.file.display().to_string()).collect();
    let spark_env = environment.spark_env.as_ref().map(|file| {
        format!("{} ({})", file.display(), if environment.sourced { "sourced" } else { "sets nothing that matters" })
    });
    files.extend(environment.option_files.iter().map(|file| file.path.display().to_string()));
    files.extend(spark_env);
    match files.as_slice() {
        [] => Finding::ok("config", "no file of settings is there to be read"),
        files => Finding::ok("config", format!("reads {}", files.join(", "))),
    }
}

/// Where the JVMs run.
fn deployment(options: &Options, environment: &Environment) -> Finding {
    if let Some(class) = &environment.class {
        return Finding::ok("deployment", format!("{class} runs on this machine"));
    }
    let deployment = &environment.deployment;
    let named = |value: &Value| format!("`{}` ({})", value.text, value.origin);
    let driver = if deployment.cluster { "the driver runs on the cluster" } else { "the driver runs on this machine" };
    if let Some(connect) = deployment.connect.as_ref().filter(|_| plan::is_connect_client(options, environment)) {
        let message =
            format!("{}: the driver runs in that Connect server, and a client of it here", named(&connect.value));
        return Finding::ok("deployment", message);
    }
    let Some(master) = &deployment.master else {
        let message = format!("{driver}, and unless the application names a master the tasks run in it");
        return Finding::ok("deployment", message);
    };
    let tasks = match deployment.manager {
        Manager::Local => "the tasks run in it",
        Manager::LocalCluster => "executors beside it",
        _ if plan::executors_are_here(environment) => "executors on this machine",
        _ => "executors on the cluster",
    };
    let mode = deployment.deploy_mode.as_ref().map(|mode| format!(", deploy mode {}", named(mode)));
    Finding::ok("deployment", format!("master {}{}: {driver}, {tasks}", named(master), mode.unwrap_or_default()))
}

/// Ports, listeners, and whether each side reaches the other.
fn meetings(options: &Options, environment: &Environment, surroundings: &Surroundings) -> Vec<Finding> {
    if environment.line.question.is_some() {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for target in &options.targets {
        let (role, machine) = (target.role, &environment.machine);
        let Some(endpoint) = &plan::endpoint_of(target, options, environment) else { continue };
        let manager = environment.deployment.manager;
        let is_here = environment.is_here(role) || role == Role::Executor && plan::executors_are_here(environment);
        if role == Role::Executor && environment.class.is_none() && manager == Manager::Local {
            // There are none, as far as anybody can tell.
            continue;
        }
        let place = match manager {
            _ if is_here => Place::Here(&machine.hostname),
            Manager::Kubernetes => Place::Pod,
            _ => Place::Host,
        };
        let (found, is_here) = (machine.port(role), environment.is_here(role));
        let (dialled, masters) = (&surroundings.dialled, &surroundings.masters);
        findings.extend(Meeting { role, endpoint, found, is_here, place, dialled, masters }.findings());
    }
    findings
}

/// The `SPARKDBG=off` of the environment.
pub fn off(process: &Process) -> Option<Finding> {
    let is_off = process.var("SPARKDBG").map(text::decode).is_some_and(|value| value == "off");
    is_off.then(|| {
        Finding::warn("variables", "SPARKDBG=off is set: the script is started untouched, and nothing is debugged")
            .cure("unset SPARKDBG")
    })
}
