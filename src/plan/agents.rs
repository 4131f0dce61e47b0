//! Debug agents that are there already: two in one JVM keep it from starting.

use std::path::PathBuf;

use super::edit::Edits;
use super::{Note, sources};
use crate::endpoint::{Endpoint, Host, Mode, Role};
use crate::environment::Environment;
use crate::error::Failure;
use crate::jvm::jdwp::Agent;
use crate::jvm::options::{self as jvm_options, Splitter};
use crate::options::{Options, Source, Target};
use crate::profile::Existing;
use crate::spark::conf::Origin;
use crate::spark::deployment::Manager;
use crate::text;

/// Where an agent stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In a configuration key.
    Conf {
        /// The key.
        key: &'static str,
        /// Where its value stands.
        origin: Origin,
    },
    /// In a variable.
    Variable {
        /// Its name.
        name: &'static str,
        /// Whether `spark-env.sh` sets it.
        from_spark_env: bool,
    },
    /// In a file of JVM options.
    File {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// Whether it is `conf/java-opts`, which every JVM of this Spark takes.
        java_opts: bool,
    },
    /// In front of the class of `spark-class`, where it reaches the JVM by accident.
    BeforeClass,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Conf { key, origin } => write!(f, "{key} ({origin})"),
            Place::Variable { name, from_spark_env: false } => write!(f, "{name} in the environment"),
            Place::Variable { name, from_spark_env: true } => write!(f, "{name}, set by spark-env.sh"),
            Place::File { file, line, .. } => write!(f, "{} line {line}", file.display()),
            Place::BeforeClass => f.write_str("the words before the class"),
        }
    }
}

/// An agent with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its place.
    pub place: Place,
    /// What it says.
    pub agent: Agent,
    text: String,
}

impl Found {
    /// Where debugger and JVM meet.
    pub fn endpoint(&self, environment: &Environment) -> Option<Endpoint> {
        let mut endpoint = self.agent.endpoint()?;
        let bare_port = !self.agent.get("address").unwrap_or_default().contains(':');
        // Java 8 opens a bare port on all interfaces, later ones on loopback.
        if endpoint.mode == Mode::Attach && bare_port && environment.java == Some(8) {
            endpoint.host = Host::any();
        }
        Some(endpoint)
    }

    /// What to do where its address cannot work.
    pub fn cure(&self) -> String {
        match self.place {
            // Which sparkdbg does not edit.
            Place::File { .. } => format!("change the address in {}, or take the agent out there", self.place),
            _ => format!("change the address in {}, or let sparkdbg replace it: --existing=replace", self.place),
        }
    }

    /// Whether a driver on this machine loads it as well as its executors.
    pub fn is_shared(&self) -> bool {
        !matches!(self.place, Place::Conf { .. })
    }

    /// Whether this key of the configuration holds it.
    pub fn is_in(&self, wanted: &str) -> bool {
        matches!(&self.place, Place::Conf { key, .. } if *key == wanted)
    }

    /// Whether it stands on the command line.
    pub fn is_typed(&self) -> bool {
        match &self.place {
            Place::Conf { origin, .. } => origin.is_argument(),
            Place::BeforeClass => true,
            Place::Variable { .. } | Place::File { .. } => false,
        }
    }
}

/// The agent that sparkdbg adds.
pub fn ours(options: &Options, endpoint: &Endpoint) -> Agent {
    let agent = Agent::new(endpoint.mode, &endpoint.host, endpoint.port, endpoint.suspend);
    if endpoint.mode == Mode::Attach { agent.with_allow(&options.allow.value) } else { agent }
}

/// Every agent that the JVMs of a role would load.
pub fn find(role: Role, options: &Options, environment: &Environment) -> Vec<Found> {
    let sources = sources::of(role, options, environment);
    let mut found = Vec::new();
    for (key, splitter) in sources.keys {
        let Some(value) = environment.conf().get(key) else { continue };
        for existing in jvm_options::find_agents(&value.text, splitter) {
            let place = Place::Conf { key, origin: value.origin.clone() };
            found.push(Found { place, agent: existing.agent, text: existing.text });
        }
    }
    for (name, splitter) in sources.variables {
        let Some(variable) = environment.variables.get(name) else { continue };
        for existing in jvm_options::find_agents(&variable.text, splitter) {
            let place = Place::Variable { name, from_spark_env: variable.from_spark_env };
            found.push(Found { place, agent: existing.agent, text: existing.text });
        }
    }
    for file in environment.option_files.iter().filter(|_| sources.files) {
        let lines =
            file.text.lines().enumerate().filter(|(_, line)| file.java_opts || !line.trim_start().starts_with('#'));
        for (index, line) in lines {
            let splitter = if file.java_opts { Splitter::Launcher } else { Splitter::Jvm };
            for existing in jvm_options::find_agents(line, splitter) {
                let place = Place::File { file: file.path.clone(), line: index + 1, java_opts: file.java_opts };
                found.push(Found { place, agent: existing.agent, text: existing.text });
            }
        }
    }
    let before_class = options.before_class.iter().filter(|_| sources.before_class).map(|word| text::decode(word));
    found.extend(
        before_class.filter_map(|text| Some(Found { place: Place::BeforeClass, agent: Agent::parse(&text)?, text })),
    );
    found
}

/// Whether a variable has an agent, whoever splits it.
pub fn find_in_variable(environment: &Environment, name: &str) -> bool {
    let text = environment.variables.get(name).map_or("", |variable| variable.text.as_str());
    !jvm_options::find_agents(text, Splitter::Launcher).is_empty()
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
            check_kept(role, only, environment).map_err(|cause| {
                failure(only, format!("`{}` in {} would keep the JVM from starting: {cause}", only.text, only.place))
                    .help("mend it, or let sparkdbg replace it: --existing=replace")
            })?;
            notes.extend(about_kept(only, target, options, environment)?);
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
            replace(role, found, options, environment, edits, notes)?;
            Ok(None)
        }
    }
}

/// Placeholders that Spark fills in before an executor starts.
const PLACEHOLDERS: [&str; 2] = ["{{EXECUTOR_ID}}", "{{APP_ID}}"];

/// Whether the JVM would start with the agent that stays.
fn check_kept(role: Role, kept: &Found, environment: &Environment) -> Result<(), String> {
    let text = kept.agent.to_string();
    let Some(placeholder) = PLACEHOLDERS.into_iter().find(|placeholder| text.contains(placeholder)) else {
        return kept.agent.check();
    };
    // Source: Utils.substituteAppNExecIds and its callers; YARN and Kubernetes fill them in since 2.4.
    let old = environment.version().is_some_and(|version| !version.at_least(3, 0));
    let by_worker = matches!(environment.deployment.manager, Manager::Standalone | Manager::LocalCluster);
    let driver =
        role == Role::Driver && (placeholder != "{{APP_ID}}" || environment.deployment.manager != Manager::Yarn);
    if driver || old && by_worker {
        return Err(format!("Spark does not fill in `{placeholder}` there"));
    }
    let filled = PLACEHOLDERS.iter().fold(text, |text, placeholder| text.replace(placeholder, "0"));
    Agent::parse(&filled).map_or(Ok(()), |agent| agent.check())
}

/// What to know about an agent that stays.
fn about_kept(
    kept: &Found,
    target: &Target,
    options: &Options,
    environment: &Environment,
) -> Result<Vec<Note>, Failure> {
    let Found { place, agent, text } = kept;
    let flags = [target.suspend_flag.map(str::to_owned), flag_of(&target.source), flag_of(&options.allow.source)];
    let unused: Vec<String> = flags.into_iter().flatten().map(|flag| format!("`{flag}`")).collect();
    let unused = if unused.is_empty() { String::new() } else { format!(", and {} has no effect", unused.join(", ")) };
    let mut notes = vec![Note::info("kept-agent", format!("kept: `{text}` in {place}; nothing is injected{unused}"))];
    let mut warn = |message: String| notes.push(Note::warning("kept-agent", message));
    if let Some(warning) = agent.warning() {
        warn(format!("`{text}` in {place}: {warning}"));
    }
    if agent.get("address").is_some_and(|address| address.contains(PLACEHOLDERS[0])) {
        warn(format!(
            "{} in {place} grows with every executor that is started again; a port ends at 65535",
            PLACEHOLDERS[0]
        ));
    }
    if options.allow.source.is_profile() {
        warn(format!(
            "`allow` ({}) has no effect: the agent that is kept decides who may attach",
            options.allow.source
        ));
    }
    match place {
        Place::Variable { name: "JAVA_TOOL_OPTIONS" | "_JAVA_OPTIONS", .. }
            if environment.version().is_some_and(|version| !version.at_least(3, 0))
                && agent.get("quiet") != Some("y") =>
        {
            return Err(Failure::world(format!(
                "`{text}` in {place} breaks the scripts of Spark 2: the agent's `Listening …` line becomes part of their command"
            ))
            .help("unset it, or let sparkdbg replace it: --existing=replace"));
        }
        Place::Variable { name: "JAVA_TOOL_OPTIONS" | "_JAVA_OPTIONS" | "JDK_JAVA_OPTIONS", .. } => {
            warn(format!(
                "{place} reaches every JVM: Spark's launcher comes first, and stops there if the agent suspends"
            ));
        }
        Place::File { java_opts: true, .. } => warn(format!("{place} reaches every JVM of this Spark, executors too")),
        _ => {}
    }
    Ok(notes)
}

fn flag_of(source: &Source) -> Option<String> {
    match source {
        Source::Flag(flag) => Some(flag.clone()),
        _ => None,
    }
}

fn failure(found: &Found, message: String) -> Failure {
    Failure::usage(message).blamed_on_world(!found.is_typed())
}

fn replace(
    role: Role,
    found: &[Found],
    options: &Options,
    environment: &Environment,
    edits: &mut Edits,
    notes: &mut Vec<Note>,
) -> Result<(), Failure> {
    let sources = sources::of(role, options, environment);
    for existing in found {
        let mut message = format!("replaced: `{}` in {}", existing.text, existing.place);
        let mut lost = existing.agent.extras();
        let why = "a JVM loads one debug agent only".to_owned();
        match &existing.place {
            Place::Conf { key, .. } => {
                let splitter = sources.splitter(key);
                let current = edits.current(environment, key);
                lost.extend(jvm_options::legacy_companions(&current, splitter));
                edits.set_conf(environment, key, jvm_options::remove_agents(&current, splitter), why);
            }
            Place::Variable { name, .. } => {
                let splitter = sources.splitter(name);
                let current = edits.current_variable(environment, name);
                lost.extend(jvm_options::legacy_companions(&current, splitter));
                edits.set_variable(environment, name, jvm_options::remove_agents(&current, splitter), why);
            }
            Place::File { java_opts, .. } => {
                let reach = match java_opts {
                    true => {
                        "; it applies to the driver and to every other JVM of this Spark, and sparkdbg edits no distribution"
                    }
                    false => "; sparkdbg edits no file of yours",
                };
                return Err(Failure::world(format!(
                    "{} configures a debug agent already, `{}`{reach}",
                    existing.place, existing.text
                ))
                .help("take it out of the file, or debug with it: --existing=keep"));
            }
            Place::BeforeClass => {
                let words = options.before_class.iter().map(|word| text::decode(word));
                // Where they would stay in front, the class would get none of its variables.
                lost.extend(
                    words.filter(|word| jvm_options::is_agent_or_companion(word) && !jvm_options::is_agent(word)),
                );
                edits.drop_agents_before_class();
            }
        }
        lost.dedup();
        if !lost.is_empty() {
            message.push_str(&format!("; lost with it: {}", lost.join(" ")));
        }
        let note = Note::info("replaced-agent", message);
        // The driver and its executors may have it from one place.
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    Ok(())
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
            let note = Note::info("replaced-agent", message);
            if !notes.contains(&note) {
                notes.push(note);
            }
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
