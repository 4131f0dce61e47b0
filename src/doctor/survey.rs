//! A launch, planned as far as it goes: a plan ends at its first failure, a doctor does not. Pure.

use crate::endpoint::Mode;
use crate::error::Failure;
use crate::options::Options;
use crate::plan::{LaunchPlan, Note};

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
        let alone = |options: &Options| {
            let each = |target: &_| Options { targets: vec![Clone::clone(target)], ..options.clone() };
            options.targets.iter().map(each).collect::<Vec<_>>()
        };
        for attempt in std::iter::once(lenient.clone()).chain(alone(&lenient)) {
            match launch(&attempt) {
                Ok(plan) => {
                    survey.notes.extend(plan.notes.iter().filter(|note| note.code != "preflight").cloned());
                    survey.plan.get_or_insert(plan);
                }
                Err(failure) => survey.fail("launch", &failure),
            }
        }
        for attempt in alone(options) {
            let listens = attempt.targets.iter().any(|target| target.endpoint.mode == Mode::Listen);
            if let Err(failure) = launch(&attempt) {
                survey.fail(if listens { "listener" } else { "port" }, &failure);
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

    /// Adds a failure that is not there yet.
    pub fn fail(&mut self, topic: &'static str, failure: &Failure) {
        if !self.failures.iter().any(|found| found.message == failure.message) {
            self.failures.push(Finding::failure(topic, failure));
        }
    }
}
