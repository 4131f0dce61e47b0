//! Debug agents that are there already: two in one JVM keep it from starting.

use std::path::PathBuf;

use super::Note;
use super::driver;
use super::edit::Edits;
use crate::endpoint::{Endpoint, Host, Mode};
use crate::environment::Environment;
use crate::error::Failure;
use crate::jvm::jdwp::Agent;
use crate::jvm::options::{self as jvm_options, Splitter};
use crate::options::{Options, Source};
use crate::profile::Existing;
use crate::spark::conf::Origin;
use crate::spark::jvm_variables;

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
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Conf { key, origin } => write!(f, "{key} ({origin})"),
            Place::Variable { name, from_spark_env: false } => write!(f, "{name} in the environment"),
            Place::Variable { name, from_spark_env: true } => write!(f, "{name}, set by spark-env.sh"),
            Place::File { file, line, .. } => write!(f, "{} line {line}", file.display()),
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
        format!("change the address in {}, or let sparkdbg replace it: --existing=replace", self.place)
    }

    /// Whether it stands on the command line.
    pub fn is_typed(&self) -> bool {
        matches!(&self.place, Place::Conf { origin, .. } if origin.is_argument())
    }
}

/// Variables whose options reach the JVM that is started here, and who splits them.
pub fn variables(environment: &Environment) -> Vec<(&'static str, Splitter)> {
    jvm_variables::of_driver(environment.line.class(), environment.version(), environment.java)
}

/// Every agent that the JVM started here, or the driver on the cluster, would load.
pub fn find(environment: &Environment) -> Vec<Found> {
    let mut found = Vec::new();
    for key in driver::keys(environment) {
        let Some(value) = environment.conf().get(key) else { continue };
        for existing in jvm_options::find_agents(&value.text, driver::splitter(environment)) {
            let place = Place::Conf { key, origin: value.origin.clone() };
            found.push(Found { place, agent: existing.agent, text: existing.text });
        }
    }
    for (name, splitter) in variables(environment) {
        let Some(variable) = environment.variables.get(name) else { continue };
        for existing in jvm_options::find_agents(&variable.text, splitter) {
            let place = Place::Variable { name, from_spark_env: variable.from_spark_env };
            found.push(Found { place, agent: existing.agent, text: existing.text });
        }
    }
    for file in &environment.option_files {
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
    found
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
    options: &Options,
    found: &[Found],
    environment: &Environment,
    edits: &mut Edits,
    notes: &mut Vec<Note>,
) -> Result<Option<Found>, Failure> {
    let choice = options.existing.value;
    // On a cluster, what stands here in variables and files reaches the submitting JVM alone.
    let (here, found): (Vec<&Found>, Vec<&Found>) =
        found.iter().partition(|found| environment.deployment.cluster && !matches!(found.place, Place::Conf { .. }));
    for other in here {
        notes.push(Note::warning(
            "agent-on-submitter",
            format!("`{}` in {} debugs the JVM that submits, not the driver on the cluster", other.text, other.place),
        ));
    }
    override_variable(choice, environment, edits, notes)?;
    match (choice, found.as_slice()) {
        (_, []) => Ok(None),
        (Existing::Fail, [first, ..]) => {
            Err(failure(first, format!("a debug agent is configured already: `{}` in {}", first.text, first.place))
                .help("take it out, or choose --existing=replace or --existing=keep"))
        }
        (Existing::Keep, [only]) => {
            only.agent.check().map_err(|cause| {
                failure(only, format!("`{}` in {} would keep the JVM from starting: {cause}", only.text, only.place))
                    .help("mend it, or let sparkdbg replace it: --existing=replace")
            })?;
            notes.extend(about_kept(only, options, environment)?);
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
            replace(found, environment, edits, notes)?;
            Ok(None)
        }
    }
}

/// What to know about an agent that stays.
fn about_kept(kept: &Found, options: &Options, environment: &Environment) -> Result<Vec<Note>, Failure> {
    let Found { place, agent, text } = kept;
    let flags = [
        options.driver.suspend_flag.map(str::to_owned),
        flag_of(&options.driver.source),
        flag_of(&options.allow.source),
    ];
    let unused: Vec<String> = flags.into_iter().flatten().map(|flag| format!("`{flag}`")).collect();
    let unused = if unused.is_empty() { String::new() } else { format!(", and {} has no effect", unused.join(", ")) };
    let mut notes = vec![Note::info("kept-agent", format!("kept: `{text}` in {place}; nothing is injected{unused}"))];
    let mut warn = |message: String| notes.push(Note::warning("kept-agent", message));
    if let Some(warning) = agent.warning() {
        warn(format!("`{text}` in {place}: {warning}"));
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
    found: &[&Found],
    environment: &Environment,
    edits: &mut Edits,
    notes: &mut Vec<Note>,
) -> Result<(), Failure> {
    for existing in found {
        let mut message = format!("replaced: `{}` in {}", existing.text, existing.place);
        let mut lost = existing.agent.extras();
        let why = "a JVM loads one debug agent only".to_owned();
        match &existing.place {
            Place::Conf { key, .. } => {
                let splitter = driver::splitter(environment);
                let current = edits.current(environment, key);
                lost.extend(jvm_options::legacy_companions(&current, splitter));
                edits.set_conf(environment, key, jvm_options::remove_agents(&current, splitter), why);
            }
            Place::Variable { name, .. } => {
                let splitter = variables(environment).into_iter().find(|(known, _)| known == name);
                let splitter = splitter.map_or(Splitter::Jvm, |(_, splitter)| splitter);
                let text = environment.variables.get(name).map(|variable| variable.text.as_str()).unwrap_or_default();
                lost.extend(jvm_options::legacy_companions(text, splitter));
                edits.set_variable(environment, name, jvm_options::remove_agents(text, splitter), why);
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
        }
        lost.dedup();
        if !lost.is_empty() {
            message.push_str(&format!("; lost with it: {}", lost.join(" ")));
        }
        notes.push(Note::info("replaced-agent", message));
    }
    Ok(())
}

/// `_JAVA_JDWP_OPTIONS` starts no agent, but its text is added to the agent's and wins over it.
fn override_variable(
    choice: Existing,
    environment: &Environment,
    edits: &mut Edits,
    notes: &mut Vec<Note>,
) -> Result<(), Failure> {
    const NAME: &str = "_JAVA_JDWP_OPTIONS";
    let Some(variable) = environment.variables.get(NAME).filter(|variable| !variable.text.is_empty()) else {
        return Ok(());
    };
    if environment.deployment.cluster {
        return Ok(());
    }
    match choice {
        Existing::Replace => {
            let why = "the JVM would add it to the agent's options, over ours".to_owned();
            edits.set_variable(environment, NAME, String::new(), why);
            notes.push(Note::info(
                "replaced-agent",
                format!("replaced: {NAME}=`{}` would change our agent", variable.text),
            ));
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
