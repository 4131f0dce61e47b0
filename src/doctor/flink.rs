//! A command that starts a script of Flink's: the launch as far as it goes.

use super::finding::Finding;
use super::survey::Survey;
use super::{launch, meeting, notes, reach};
use crate::endpoint::Mode;
use crate::environment::Process;
use crate::environment::flink::{self as environment, FlinkEnvironment};
use crate::flink::script::Script;
use crate::options::Options;
use crate::plan::{self, LaunchPlan};

/// Looks at everything that a launch looks at. The plan is for `-v`.
pub fn examine(
    script: Script,
    options: &Options,
    process: &Process,
) -> (Vec<Finding>, Option<(LaunchPlan, FlinkEnvironment)>) {
    let mut environment = match environment::discover(script, options, process) {
        Ok(environment) => environment,
        Err(failure) => {
            let distribution = environment::home(script, options.home.as_ref(), process);
            let found = distribution.map(|distribution| launch::distribution("Flink", &distribution));
            let topic = if found.is_ok() { "config" } else { "distribution" };
            return (found.into_iter().chain([Finding::failure(topic, &failure)]).collect(), None);
        }
    };
    let mut findings = vec![launch::distribution("Flink", &environment.distribution), config(&environment)];
    let mut unplanned = Vec::new();
    match plan::flink::meeting_points(options, &environment) {
        Ok(points) => environment::look_at_ports(&mut environment, &points),
        Err(failure) => unplanned.push(Finding::failure("launch", &failure)),
    }
    if let Some(java) = environment.machine.java {
        findings.push(Finding::ok("java", format!("Java {java} for the JVMs started here")));
    } else {
        findings.push(
            Finding::warn("java", "which Java Flink's scripts will find, or its version, is not known")
                .cure("set JAVA_HOME to the directory of a JDK"),
        );
    }
    let survey = Survey::of(options, |options| plan::flink::launch(options, &environment));
    findings.extend(survey.notes.iter().filter_map(notes::of));
    for target in options.targets.iter().filter(|_| survey.plan.as_ref().is_some_and(|plan| !plan.endpoints.is_empty()))
    {
        let is_here = environment.is_here(target.role);
        let found = environment.machine.port(target.role);
        findings.extend(meeting::finding(target.role, &target.endpoint, found, is_here));
        if is_here && target.endpoint.mode == Mode::Attach {
            let place = reach::Place::Here(&environment.machine.hostname);
            // The first free port, where nobody named one.
            let settled = survey.plan.iter().flat_map(|plan| &plan.endpoints).filter(|debug| debug.role == target.role);
            let findings_of = settled.filter_map(|debug| reach::attach(target.role, &debug.endpoint, place));
            findings.extend(findings_of);
        }
    }
    if let Some(plan) = &survey.plan {
        findings.extend(launch::knobs(plan));
        findings.extend(launch::timeouts(plan, options, None, |name| name.contains("timeout")));
    }
    let known: Vec<String> = survey.failures.iter().map(|found| found.message.clone()).collect();
    findings.extend(unplanned.into_iter().filter(|found| !known.contains(&found.message)));
    findings.extend(survey.failures);
    (findings, survey.plan.map(|plan| (plan, environment)))
}

fn config(environment: &FlinkEnvironment) -> Finding {
    match &environment.conf.file {
        Some(file) => Finding::ok("config", format!("reads {}", file.display())),
        None => Finding::ok("config", "no file of settings is there to be read"),
    }
}
