//! Debug agents that are there already: two in one JVM keep it from starting.

use super::edit::Edits;
use super::sources::{self, OF_EVERY_JVM, Place};
use crate::endpoint::{Endpoint, Host, Mode, Role};
use crate::environment::flink::FlinkEnvironment;
use crate::error::Failure;
use crate::flink::java_opts::VARIABLE_ALL;
use crate::jvm::jdwp::Agent;
use crate::jvm::options::{self as jvm_options, Splitter};
use crate::options::{Options, Source, Target};
use crate::plan::Note;
use crate::plan::meeting::Kept;
use crate::profile::Existing;

/// An agent with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its place.
    pub place: Place,
    /// What it says.
    pub agent: Agent,
    /// As it stands there.
    pub text: String,
}

impl Found {
    /// Where debugger and JVM meet; `java`: the major version of that JVM, where known.
    pub fn endpoint(&self, java: Option<u32>) -> Option<Endpoint> {
        let mut endpoint = self.agent.endpoint()?;
        let bare_port = !self.agent.get("address").unwrap_or_default().contains(':');
        // Java 8 opens a bare port on all interfaces, later ones on loopback.
        if endpoint.mode == Mode::Attach && bare_port && java == Some(8) {
            endpoint.host = Host::any();
        }
        Some(endpoint)
    }

    /// Whether Flink's scripts evaluate it first, as in `address=127.0.0.1:$((5006+$id))`: then only they know
    /// what it says.
    fn is_evaluated(&self, role: Role) -> bool {
        let is_read_as_is =
            matches!(&self.place, Place::Variable(name) if *name == "JVM_ARGS" || OF_EVERY_JVM.contains(name));
        role != Role::Client && !is_read_as_is && self.text.contains('$')
    }

    /// Whether JobManager and TaskManager both load it.
    pub fn is_shared(&self) -> bool {
        match &self.place {
            Place::Variable(name) => *name == "JVM_ARGS" || *name == VARIABLE_ALL || OF_EVERY_JVM.contains(name),
            Place::Conf { key, group, .. } => *group == VARIABLE_ALL || key.ends_with(".all"),
            Place::Dynamic(key) => key.ends_with(".all"),
        }
    }
}

impl Kept for Found {
    fn agent(&self) -> &Agent {
        &self.agent
    }

    fn cure(&self) -> String {
        format!("change the address in {}, or let sparkdbg replace it: --existing=replace", self.place)
    }

    fn is_typed(&self) -> bool {
        matches!(self.place, Place::Dynamic(_))
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

/// The agent that stays, if the user chose so and there is exactly one.
pub fn kept(choice: Existing, found: &[Found]) -> Option<&Found> {
    match (choice, found) {
        (Existing::Keep, [only]) => Some(only),
        _ => None,
    }
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
    let failure = |found: &Found, message: String| Failure::usage(message).blamed_on_world(!found.is_typed());
    match (choice, found.as_slice()) {
        (_, []) => Ok(None),
        (Existing::Fail, [first, ..]) => {
            Err(failure(first, format!("a debug agent is configured already: `{}` in {}", first.text, first.place))
                .help("take it out, or choose --existing=replace or --existing=keep"))
        }
        (Existing::Keep, [only]) => {
            let checked = if only.is_evaluated(target.role) { Ok(()) } else { only.agent.check() };
            checked.map_err(|cause| {
                failure(only, format!("`{}` in {} would keep the JVM from starting: {cause}", only.text, only.place))
                    .help("mend it, or let sparkdbg replace it: --existing=replace")
            })?;
            refuse_hanging(only)?;
            notes.extend(about_kept(only, target, options));
            Ok(Some(only.clone()))
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
            take_out(target.role, found, environment, edits, notes);
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
    let flag = |source: &Source| match source {
        Source::Flag(flag) => Some(flag.clone()),
        _ => None,
    };
    let flags = [target.suspend_flag.map(str::to_owned), flag(&target.source), flag(&options.allow.source)];
    let unused: Vec<String> = flags.into_iter().flatten().map(|flag| format!("`{flag}`")).collect();
    let unused = if unused.is_empty() { String::new() } else { format!(", and {} has no effect", unused.join(", ")) };
    let Found { place, text, agent } = kept;
    let mut notes = vec![Note::info("kept-agent", format!("kept: `{text}` in {place}; nothing is injected{unused}"))];
    if let Some(warning) = agent.warning() {
        notes.push(Note::warning("kept-agent", format!("`{text}` in {place}: {warning}")));
    }
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
                edits.set_variable(environment, name, rest, why);
            }
            Place::Conf { key, group: "", .. } => {
                let current = edits.key(environment, key);
                lost.extend(companions(&current));
                edits.set_key(environment, key, without(&current), why);
            }
            Place::Conf { group, .. } => {
                let current = edits.group(role, group, environment);
                lost.extend(companions(&current));
                let rest = without(&current);
                let rest = if rest.trim().is_empty() { " ".to_owned() } else { rest };
                let why = format!("{why}; the variable takes the place of the file's value, which stays as it is");
                edits.set_variable(environment, group, rest, &why);
            }
            Place::Dynamic(key) => {
                let current = edits.key(environment, key);
                lost.extend(companions(&current));
                edits.set_key(environment, key, without(&current), why);
            }
        }
        lost.dedup();
        let lost = if lost.is_empty() { String::new() } else { format!("; lost with it: {}", lost.join(" ")) };
        let message = format!("replaced: `{}` in {}{lost}", existing.text, existing.place);
        let note = Note::info("replaced-agent", message);
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
}

/// Whether the configuration has an agent too, which a variable keeps out.
fn has_agent_behind(variable: &'static str, role: Role, environment: &FlinkEnvironment) -> bool {
    let behind = sources::behind(variable, role, environment);
    behind.iter().any(|source| !jvm_options::find_agents(&source.text, Splitter::Jvm).is_empty())
}

/// `_JAVA_JDWP_OPTIONS` starts no agent, but its text is added to the agent's and wins over it.
fn override_variable(
    role: Role,
    choice: Existing,
    environment: &FlinkEnvironment,
    edits: &mut Edits,
    notes: &mut Vec<Note>,
) -> Result<(), Failure> {
    const NAME: &str = "_JAVA_JDWP_OPTIONS";
    let Some(text) = environment.variable(NAME).filter(|_| environment.is_here(role)) else { return Ok(()) };
    match choice {
        Existing::Replace => {
            edits.set_variable(
                environment,
                NAME,
                String::new(),
                "the JVM would add it to the agent's options, over ours",
            );
            let note = Note::info("replaced-agent", format!("replaced: {NAME}=`{text}` would change our agent"));
            if !notes.contains(&note) {
                notes.push(note);
            }
            Ok(())
        }
        Existing::Keep => {
            let message = format!(
                "{NAME}=`{text}` is kept: the JVM adds it to the agent's options, so that the endpoint may be another"
            );
            notes.push(Note::warning("kept-agent", message));
            Ok(())
        }
        Existing::Fail => Err(Failure::world(format!("{NAME}=`{text}` would change the agent's options"))
            .help("unset it, or choose --existing=replace")),
    }
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
