//! Debug agents that are there already: two in one JVM keep it from starting.

use super::edit::Edits;
use super::sources::{self, OF_EVERY_JVM, Place};
use crate::endpoint::Role;
use crate::environment::flink::FlinkEnvironment;
use crate::error::Failure;
use crate::flink::java_opts::VARIABLE_ALL;
use crate::jvm::options::{self as jvm_options, Splitter};
use crate::options::{Options, Target};
use crate::plan::Note;
use crate::plan::agents::{self, Fate, OVERRIDE, Stands, WHY_NO_OVERRIDE};
use crate::profile::Existing;

/// An agent with its place.
pub type Found = agents::Found<Place>;

impl Stands for Place {
    fn is_typed(&self) -> bool {
        matches!(self, Place::Dynamic(_))
    }
}

/// Whether Flink's scripts evaluate it first, as in `address=127.0.0.1:$((5006+$id))`: then only they know what it
/// says.
fn is_evaluated(found: &Found, role: Role) -> bool {
    let is_read_as_is =
        matches!(&found.place, Place::Variable(name) if *name == "JVM_ARGS" || OF_EVERY_JVM.contains(name));
    role != Role::Client && !is_read_as_is && found.text.contains('$')
}

/// Whether JobManager and TaskManager both load what stands there.
pub fn is_shared(place: &Place) -> bool {
    match place {
        Place::Variable(name) => *name == "JVM_ARGS" || *name == VARIABLE_ALL || OF_EVERY_JVM.contains(name),
        Place::Conf { key, group, .. } => *group == VARIABLE_ALL || key.ends_with(".all"),
        Place::Dynamic(key) => key.ends_with(".all"),
    }
}

/// Every agent that the JVMs of a role would load.
pub fn find(role: Role, environment: &FlinkEnvironment) -> Vec<Found> {
    let found = |source: sources::Source| {
        let agents = jvm_options::find_agents(&source.text, Splitter::Jvm);
        agents.into_iter().map(move |existing| Found {
            place: source.place.clone(),
            agent: existing.agent,
            text: existing.text,
        })
    };
    sources::of(role, environment).into_iter().flat_map(found).collect()
}

/// Does with them what the user chose. The agent that stays, if one does, is returned: then nothing is
/// injected.
///
/// # Errors
/// `fail`; two that would stay; one that stays and cannot work.
pub fn handle(
    target: &Target,
    options: &Options,
    environment: &FlinkEnvironment,
    edits: &mut Edits,
    notes: &mut Vec<Note>,
) -> Result<Option<Found>, Failure> {
    let choice = options.existing.value;
    override_variable(target.role, choice, environment, edits, notes)?;
    let found = find(target.role, environment);
    match agents::fate(choice, &found)? {
        Fate::Stays(only) => {
            let checked = if is_evaluated(only, target.role) { Ok(()) } else { only.agent.check() };
            checked.map_err(|cause| agents::keeps_from_starting(only, &cause))?;
            refuse_hanging(only)?;
            notes.extend(about_kept(only, target, options));
            Ok(Some(only.clone()))
        }
        Fate::GiveWay => {
            take_out(target.role, &found, environment, edits, notes);
            Ok(None)
        }
    }
}

/// Flink's scripts start a helper JVM first, which reads the variable too.
fn refuse_hanging(kept: &Found) -> Result<(), Failure> {
    match &kept.place {
        Place::Variable(name) if OF_EVERY_JVM.contains(name) && kept.agent.suspends() => Err(Failure::world(format!(
            "`{}` in {} stops the JVM that Flink's scripts start first to read the configuration",
            kept.text, kept.place
        ))
        .help("unset it, or let sparkdbg replace it: --existing=replace")),
        _ => Ok(()),
    }
}

fn about_kept(kept: &Found, target: &Target, options: &Options) -> Vec<Note> {
    let mut notes = agents::about_any(kept, target, options, []);
    let place = &kept.place;
    if matches!(place, Place::Variable(name) if OF_EVERY_JVM.contains(name)) {
        notes.push(Note::warning(
            "kept-agent",
            format!(
                "{place} reaches every JVM, also the one that Flink's scripts start first to read the configuration"
            ),
        ));
    }
    notes
}

/// Takes them out, and says what is lost with each.
fn take_out(role: Role, found: &[Found], environment: &FlinkEnvironment, edits: &mut Edits, notes: &mut Vec<Note>) {
    for existing in found {
        let mut lost = existing.agent.extras();
        let without = |text: &str| jvm_options::remove_agents(text, Splitter::Jvm);
        let companions = |text: &str| jvm_options::legacy_companions(text, Splitter::Jvm);
        let why = "a JVM loads one debug agent only";
        match &existing.place {
            Place::Variable(name) => {
                let current = edits.variable(environment, name);
                lost.extend(companions(&current));
                let rest = without(&current);
                // Empty, it lets the configuration's value in again: what the agent alone had displaced.
                let lets_agent_in = name.starts_with(VARIABLE_ALL) && has_agent_behind(name, role, environment);
                let rest = if rest.is_empty() && lets_agent_in { " ".to_owned() } else { rest };
                edits.set_variable(name, rest, why);
            }
            Place::Conf { key, group: "", .. } => {
                let current = edits.key(environment, key);
                lost.extend(companions(&current));
                edits.set_key(key, without(&current), why);
            }
            Place::Conf { group, .. } => {
                let current = edits.group(role, group, environment);
                lost.extend(companions(&current));
                let rest = without(&current);
                let rest = if rest.trim().is_empty() { " ".to_owned() } else { rest };
                let why = format!("{why}; the variable takes the place of the file's value, which stays as it is");
                edits.set_variable(group, rest, &why);
            }
            Place::Dynamic(key) => {
                let current = edits.key(environment, key);
                lost.extend(companions(&current));
                edits.set_key(key, without(&current), why);
            }
        }
        lost.dedup();
        let lost = if lost.is_empty() { String::new() } else { format!("; lost with it: {}", lost.join(" ")) };
        let message = format!("replaced: `{}` in {}{lost}", existing.text, existing.place);
        notes.push(Note::info("replaced-agent", message));
    }
}

/// Whether the configuration has an agent too, which a variable keeps out.
fn has_agent_behind(variable: &'static str, role: Role, environment: &FlinkEnvironment) -> bool {
    let behind = sources::behind(variable, role, environment);
    behind.iter().any(|source| !jvm_options::find_agents(&source.text, Splitter::Jvm).is_empty())
}

fn override_variable(
    role: Role,
    choice: Existing,
    environment: &FlinkEnvironment,
    edits: &mut Edits,
    notes: &mut Vec<Note>,
) -> Result<(), Failure> {
    let Some(text) = environment.variable(OVERRIDE).filter(|_| environment.is_here(role)) else { return Ok(()) };
    notes.push(agents::about_override(choice, text)?);
    if choice == Existing::Replace {
        edits.set_variable(OVERRIDE, String::new(), WHY_NO_OVERRIDE);
    }
    Ok(())
}

/// Agents that debug the JVM which submits, where that is not meant.
pub fn warn_of_others(targets: &[Target], environment: &FlinkEnvironment, notes: &mut Vec<Note>) {
    if targets.iter().any(|target| environment.is_here(target.role)) {
        return;
    }
    for other in find(Role::Client, environment) {
        notes.push(Note::warning(
            "agent-on-submitter",
            format!("`{}` in {} debugs the client that submits, not the JVMs on the cluster", other.text, other.place),
        ));
    }
}
