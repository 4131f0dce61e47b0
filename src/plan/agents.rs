//! Debug agents that are there already: two in one JVM keep it from starting.

mod found;
mod keep;
mod replace;

pub use found::{Found, Place, Stands, find, find_in_variable};
pub use keep::about_any;

use super::Note;
use super::edit::Edits;
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
pub fn kept<P>(choice: Existing, found: &[Found<P>]) -> Option<&Found<P>> {
    match (choice, found) {
        (Existing::Keep, [only]) => Some(only),
        _ => None,
    }
}

/// What becomes of the agents of a JVM.
pub enum Fate<'a, P> {
    /// There are none, or ours takes their place.
    GiveWay,
    /// The only one stays: whether the JVM starts with it is still to be seen.
    Stays(&'a Found<P>),
}

/// What the user's choice makes of the agents of a JVM.
///
/// # Errors
/// `fail` where there is one; two that would stay.
pub fn fate<P: Stands>(choice: Existing, found: &[Found<P>]) -> Result<Fate<'_, P>, Failure> {
    match (choice, found) {
        (_, []) | (Existing::Replace, _) => Ok(Fate::GiveWay),
        (Existing::Keep, [only]) => Ok(Fate::Stays(only)),
        (Existing::Fail, [first, ..]) => Err(first
            .failure(format!("a debug agent is configured already: `{}` in {}", first.text, first.place))
            .help("take it out, or choose --existing=replace or --existing=keep")),
        (Existing::Keep, [first, second, ..]) => Err(first
            .failure(format!(
                "the JVM loads one debug agent only, and two are configured: in {} and in {}",
                first.place, second.place
            ))
            .help("take one out, or choose --existing=replace")
            .blamed_on_world(!second.place.is_typed())),
    }
}

/// The failure of an agent that would stay and with which the JVM does not start.
pub fn keeps_from_starting<P: Stands>(kept: &Found<P>, cause: &str) -> Failure {
    kept.failure(format!("`{}` in {} would keep the JVM from starting: {cause}", kept.text, kept.place))
        .help("mend it, or let sparkdbg replace it: --existing=replace")
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
    match fate(choice, &found)? {
        Fate::Stays(only) => {
            keep::check(role, only, environment).map_err(|cause| keeps_from_starting(only, &cause))?;
            notes.extend(keep::about(only, target, options, environment)?);
            Ok(Some(only.clone()))
        }
        Fate::GiveWay => {
            replace::take_out(role, &found, options, environment, edits, notes)?;
            Ok(None)
        }
    }
}

/// Starts no agent, but its text is added to the agent's and wins over it.
pub const OVERRIDE: &str = "_JAVA_JDWP_OPTIONS";

/// Why [`OVERRIDE`] goes.
pub const WHY_NO_OVERRIDE: &str = "the JVM would add it to the agent's options, over ours";

/// What is said of [`OVERRIDE`], whose text this is. It goes where agents are replaced.
///
/// # Errors
/// `fail`.
pub fn about_override(choice: Existing, text: &str) -> Result<Note, Failure> {
    match choice {
        Existing::Replace => {
            Ok(Note::info("replaced-agent", format!("replaced: {OVERRIDE}=`{text}` would change our agent")))
        }
        Existing::Keep => Ok(Note::warning(
            "kept-agent",
            format!(
                "{OVERRIDE}=`{text}` is kept: the JVM adds it to the agent's options, so that the endpoint may be another"
            ),
        )),
        Existing::Fail => Err(Failure::world(format!("{OVERRIDE}=`{text}` would change the agent's options"))
            .help("unset it, or choose --existing=replace")),
    }
}

fn override_variable(
    role: Role,
    choice: Existing,
    environment: &Environment,
    edits: &mut Edits,
    notes: &mut Vec<Note>,
) -> Result<(), Failure> {
    let set = environment.variables.get(OVERRIDE).filter(|variable| !variable.text.is_empty());
    let Some(variable) = set.filter(|_| environment.is_here(role)) else { return Ok(()) };
    notes.push(about_override(choice, &variable.text)?);
    if choice == Existing::Replace {
        edits.set_variable(environment, OVERRIDE, String::new(), WHY_NO_OVERRIDE.to_owned());
    }
    Ok(())
}
