//! Debug agents that are there already: two in one JVM keep it from starting.

mod found;
mod keep;
mod replace;

pub use found::{Found, Place, find, find_in_variable};

use super::Note;
use super::edit::Edits;
use super::meeting::Kept;
use crate::endpoint::{Endpoint, Mode, Role};
use crate::environment::Environment;
use crate::error::Failure;
use crate::jvm::jdwp::Agent;
use crate::options::{Options, Target};
use crate::profile::Existing;

/// The agent that sparkdbg adds.
pub fn ours(options: &Options, endpoint: &Endpoint) -> Agent {
    let agent = Agent::new(endpoint.mode, &endpoint.host, endpoint.port, endpoint.suspend);
    if endpoint.mode == Mode::Attach { agent.with_allow(&options.allow.value) } else { agent }
}

/// The agent that stays, if the user chose so and there is exactly one.
pub fn kept(choice: Existing, found: &[Found]) -> Option<&Found> {
    match (choice, found) {
        (Existing::Keep, [only]) => Some(only),
        _ => None,
    }
}

/// Does with them what the user chose. The agent that stays, if one does, is returned: then nothing
/// is injected.
///
/// # Errors
/// `fail`; an agent that only an edit of the distribution could replace; two that would stay.
pub fn handle(
    target: &Target,
    options: &Options,
    environment: &Environment,
    edits: &mut Edits,
    notes: &mut Vec<Note>,
) -> Result<Option<Found>, Failure> {
    let choice = options.existing.value;
    let role = target.role;
    // On a cluster, what stands here in variables and files reaches the submitting JVM alone.
    let (here, found): (Vec<Found>, Vec<Found>) = find(role, options, environment)
        .into_iter()
        .partition(|found| !environment.is_here(role) && !matches!(found.place, Place::Conf { .. }));
    for other in here {
        notes.push(Note::warning(
            "agent-on-submitter",
            format!("`{}` in {} debugs the JVM that submits, not the driver on the cluster", other.text, other.place),
        ));
    }
    override_variable(role, choice, environment, edits, notes)?;
    match (choice, found.as_slice()) {
        (_, []) => Ok(None),
        (Existing::Fail, [first, ..]) => {
            Err(failure(first, format!("a debug agent is configured already: `{}` in {}", first.text, first.place))
                .help("take it out, or choose --existing=replace or --existing=keep"))
        }
        (Existing::Keep, [only]) => {
            keep::check(role, only, environment).map_err(|cause| {
                failure(only, format!("`{}` in {} would keep the JVM from starting: {cause}", only.text, only.place))
                    .help("mend it, or let sparkdbg replace it: --existing=replace")
            })?;
            notes.extend(keep::about(only, target, options, environment)?);
            Ok(Some((*only).clone()))
        }
        (Existing::Keep, [first, second, ..]) => Err(failure(
            first,
            format!(
                "the JVM loads one debug agent only, and two are configured: in {} and in {}",
                first.place, second.place
            ),
        )
        .help("take one out, or choose --existing=replace")
        .blamed_on_world(!second.is_typed())),
        (Existing::Replace, found) => {
            replace::take_out(role, found, options, environment, edits, notes)?;
            Ok(None)
        }
    }
}

fn failure(found: &Found, message: String) -> Failure {
    Failure::usage(message).blamed_on_world(!found.is_typed())
}

/// `_JAVA_JDWP_OPTIONS` starts no agent, but its text is added to the agent's and wins over it.
fn override_variable(
    role: Role,
    choice: Existing,
    environment: &Environment,
    edits: &mut Edits,
    notes: &mut Vec<Note>,
) -> Result<(), Failure> {
    const NAME: &str = "_JAVA_JDWP_OPTIONS";
    let Some(variable) = environment.variables.get(NAME).filter(|variable| !variable.text.is_empty()) else {
        return Ok(());
    };
    if !environment.is_here(role) {
        return Ok(());
    }
    match choice {
        Existing::Replace => {
            let why = "the JVM would add it to the agent's options, over ours".to_owned();
            edits.set_variable(environment, NAME, String::new(), why);
            let message = format!("replaced: {NAME}=`{}` would change our agent", variable.text);
            notes.push(Note::info("replaced-agent", message));
        }
        Existing::Keep => notes.push(Note::warning(
            "kept-agent",
            format!(
                "{NAME}=`{}` is kept: the JVM adds it to the agent's options, so that the endpoint may be another",
                variable.text
            ),
        )),
        Existing::Fail => {
            return Err(Failure::world(format!("{NAME}=`{}` would change the agent's options", variable.text))
                .help("unset it, or choose --existing=replace"));
        }
    }
    Ok(())
}
