//! A launch, planned as far as it goes: a plan ends at its first failure, a doctor does not. Pure.

use crate::endpoint::{Mode, Role};
use crate::environment::Machine;
use crate::error::Failure;
use crate::options::{Options, Target};
use crate::plan::{self, LaunchPlan, Note};
use crate::profile::Existing;

use super::finding::Finding;

/// What the attempts came to.
#[derive(Debug, Default)]
pub struct Survey {
    /// What would make the launch fail.
    pub failures: Vec<Finding>,
    /// What it would say.
    pub notes: Vec<Note>,
    /// The plan, where there is one but for what was found at ports.
    pub plan: Option<LaunchPlan>,
}

impl Survey {
    /// Plans the launch; where that fails once more without regard to ports, and for each role alone.
    pub fn of(options: &Options, launch: impl Fn(&Options) -> Result<LaunchPlan, Failure>) -> Survey {
        let mut survey = Survey::default();
        let first = match launch(options) {
            Ok(plan) => {
                survey.notes.clone_from(&plan.notes);
                survey.plan = Some(plan);
                return survey;
            }
            Err(failure) => failure,
        };
        let lenient = Options { preflight: false, ..options.clone() };
        for attempt in std::iter::once(lenient.clone()).chain(lenient.each_alone()) {
            match launch(&attempt) {
                Ok(plan) => {
                    survey.notes.extend(plan.notes.iter().filter(|note| note.code != "preflight").cloned());
                    survey.plan.get_or_insert(plan);
                }
                Err(failure) => survey.fail("launch", &failure),
            }
        }
        for attempt in options.each_alone() {
            if let (Err(failure), [target]) = (launch(&attempt), attempt.targets.as_slice()) {
                survey.fail(topic_of(target), &failure);
            }
        }
        survey.fail("launch", &first);
        survey
    }

    /// Adds checks that stand for themselves.
    pub fn add(&mut self, checks: Vec<Result<Vec<Note>, Failure>>) {
        for check in checks {
            match check {
                Ok(notes) => self.notes.extend(notes),
                Err(failure) => self.fail("launch", &failure),
            }
        }
    }

    /// Where there is no plan that looked: whether each target would meet its debugger. An agent that is there and
    /// kept has a place of its own.
    pub fn meet(
        &mut self,
        options: &Options,
        targets: &[Target],
        machine: &Machine,
        is_here: impl Fn(Role) -> bool,
        has_agent: impl Fn(Role) -> bool,
    ) {
        if self.plan.is_some() {
            return;
        }
        let lenient = Options { preflight: false, ..options.clone() };
        let keeps = |target: &&Target| options.existing.value == Existing::Keep && has_agent(target.role);
        for target in targets.iter().filter(|target| !keeps(target)) {
            let check = |options| plan::meets_debugger(target, options, machine, is_here(target.role));
            match check(&lenient) {
                Ok(notes) => {
                    let is_asked_for = |note: &Note| note.code != "preflight" || !options.preflight;
                    self.notes.extend(notes.into_iter().filter(is_asked_for));
                }
                Err(failure) => self.fail("launch", &failure),
            }
            if let Err(failure) = check(options) {
                self.fail(topic_of(target), &failure);
            }
        }
    }

    /// Adds a failure that is not there yet.
    pub fn fail(&mut self, topic: &'static str, failure: &Failure) {
        if !self.failures.iter().any(|found| found.message == failure.message) {
            self.failures.push(Finding::failure(topic, failure));
        }
    }
}

/// What is looked at where a JVM and its debugger meet.
fn topic_of(target: &Target) -> &'static str {
    match target.endpoint.mode {
        Mode::Attach => "port",
        Mode::Listen => "listener",
    }
}
