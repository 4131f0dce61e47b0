//! A JVM with Spark or Flink in it, which no script starts: its option alone.

use std::ffi::OsString;

use super::agents::ours;
use super::meeting::Meeting;
use super::{LaunchPlan, Note, hints, preflight};
use crate::environment::Machine;
use crate::error::Failure;
use crate::options::Options;

/// The plan, whose one word is the agent's option.
///
/// # Errors
/// Whatever would keep the JVM from starting, or the debugger from meeting it.
pub fn embedded(options: &Options, machine: &Machine) -> Result<LaunchPlan, Failure> {
    let mut plan = LaunchPlan::default();
    for target in &options.targets {
        let meeting: Meeting<'_> = Meeting { target, endpoint: preflight::with_port(target, machine), kept: None };
        preflight::check(&meeting, options, machine, true, &mut plan)?;
        let agent = ours(options, &meeting.endpoint);
        plan.args.push(OsString::from(agent.to_string()));
        if options.hints {
            let message = format!("the JVM {}", hints::here(&meeting.endpoint, machine));
            plan.notes.push(Note::hint("endpoint", message));
        }
        plan.endpoints.push(meeting.settled());
    }
    Ok(plan)
}
