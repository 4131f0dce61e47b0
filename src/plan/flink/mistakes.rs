//! What Flink's scripts would take without a word, and then not do.

use super::sources::{self, Place};
use crate::endpoint::Role;
use crate::environment::flink::FlinkEnvironment;
use crate::error::Failure;
use crate::flink::deployment::{Deployment, Manager};
use crate::flink::java_opts::{self, ALL, OLD_ALL, VARIABLE_ALL, has_all};
use crate::flink::script::Script;
use crate::jvm::options::{self as jvm_options, Splitter};
use crate::options::Target;
use crate::plan::Note;
use crate::profile::Existing;
use crate::secrets;

/// Words that would go astray.
///
/// # Errors
/// Such a word.
pub fn refuse_in_words(environment: &FlinkEnvironment) -> Result<(), Failure> {
    if environment.script == Script::JobManager {
        refuse_as_host(environment)?;
    }
    for dynamic in environment.line.dynamic.iter().filter(|dynamic| is_read_too_late(&dynamic.key, environment)) {
        if !jvm_options::find_agents(&dynamic.value, Splitter::Jvm).is_empty() {
            return Err(Failure::usage(format!(
                "`-D{}` is read too late here: its debug agent would reach no JVM",
                dynamic.key
            ))
            .help("leave it out: sparkdbg puts the agent where the JVM takes it"));
        }
    }
    Ok(())
}

/// A setting that `jobmanager.sh` takes for its host, or for the port behind it.
fn refuse_as_host(environment: &FlinkEnvironment) -> Result<(), Failure> {
    let words = &environment.words;
    if !environment.scripts.jobmanager_takes_settings {
        let Some(word) = words.iter().find(|word| word.starts_with("-D")) else { return Ok(()) };
        return Err(Failure::usage(format!(
            "`{}`: jobmanager.sh of this Flink takes no settings, only a host and a port",
            secrets::word_shown(word)
        ))
        .help("write the setting into the configuration file")
        .blamed_on_world(true));
    }
    let is_glued = |word: &&String| word.len() > 2 && word.starts_with("-D");
    let before_last = if words.get(1).is_some_and(|word| word == "-D") { 1 } else { 2 };
    let Some(word) = words.iter().take(before_last + 1).skip(1).find(is_glued) else { return Ok(()) };
    let shown = secrets::word_shown(word);
    let setting = shown.strip_prefix("-D").unwrap_or(&shown);
    Err(Failure::usage(format!("`{shown}`: jobmanager.sh takes the word for a host or port, and the JobManager dies"))
        .help(format!("write it as two words: -D {setting}")))
}

/// Whether the JVM is up when Flink reads the key.
fn is_read_too_late(key: &str, environment: &FlinkEnvironment) -> bool {
    let is_option = key.starts_with("env.java.opts") || key.starts_with("env.java.default-opts");
    let deploys = matches!(environment.deployment, Deployment::Deploys { .. });
    is_option && (!deploys || key == "env.java.opts.client")
}

/// Settings that are not read.
pub fn in_conf(existing: Existing, targets: &[Target], environment: &FlinkEnvironment) -> Vec<Note> {
    let mut notes: Vec<Note> = not_of_this_version(environment).into_iter().collect();
    for dynamic in environment.line.dynamic.iter().filter(|dynamic| is_read_too_late(&dynamic.key, environment)) {
        notes.push(Note::warning(
            "read-too-late",
            format!("`-D{}` is read too late here: it reaches no JVM", dynamic.key),
        ));
    }
    let conf = &environment.conf;
    if let (true, Some(old), Some(all)) = (has_all(environment.version()), conf.get(OLD_ALL), conf.get(ALL))
        && !all.value.is_empty()
    {
        let message = format!("{OLD_ALL} ({}) is ignored because {ALL} ({}) is set", conf.place(old), conf.place(all));
        notes.push(Note::warning("ignored-key", message));
    }
    let here = targets.iter().filter(|target| environment.is_here(target.role));
    let own = here.map(|target| (java_opts::knob(target.role, environment.script).variable, target.role));
    for (variable, role) in std::iter::once((VARIABLE_ALL, Role::Client)).chain(own) {
        notes.extend(displaced(variable, role, existing, environment));
    }
    if let Some(file) = &environment.ignored_conf {
        let version = environment.version().map(|version| format!(" {version}")).unwrap_or_default();
        let message = format!("`{}` is ignored: Flink{version} reads config.yaml only", file.display());
        notes.push(Note::warning("ignored-conf", message));
    }
    notes
}

/// The keys of the file in whose place a variable stands; `role`: one whose JVM reads it.
fn displaced(variable: &'static str, role: Role, existing: Existing, environment: &FlinkEnvironment) -> Option<Note> {
    let text = environment.variable(variable)?;
    if existing != Existing::Keep && jvm_options::remove_agents(text, Splitter::Jvm).trim().is_empty() {
        return None;
    }
    let behind = sources::behind(variable, role, environment).into_iter().filter(|source| !source.text.is_empty());
    let keys: Vec<String> = behind.map(|source| source.place.to_string()).collect();
    (!keys.is_empty()).then(|| {
        let keys = keys.join(" and ");
        Note::warning(
            "displaced-key",
            format!(
                "{variable} in the environment takes the place of {keys}, of which the JVMs here get nothing; JVM_ARGS adds to it"
            ),
        )
    })
}

/// Until 2.0, `run` executes main in the client, and then finds nobody who takes an application.
fn not_of_this_version(environment: &FlinkEnvironment) -> Option<Note> {
    let old = environment.version().filter(|version| !version.at_least(2, 0))?;
    let is_run = environment.script == Script::Flink && environment.line.action.as_deref() == Some("run");
    let is_application = matches!(environment.deployment, Deployment::Deploys { application: true, .. });
    (is_run && is_application).then(|| {
        let message = format!(
            "`run` of Flink {old} takes no application: it executes main in the client, and then fails; write run-application"
        );
        Note::warning("application-mode", message)
    })
}

/// Option strings that Flink's scripts tear.
///
/// # Errors
/// One with a blank inside an option, or a quote that is never closed.
pub fn in_options(role: Role, environment: &FlinkEnvironment) -> Result<Vec<Note>, Failure> {
    let mut notes = Vec::new();
    for source in sources::of(role, environment) {
        let place = &source.place;
        // The JVM itself reads these, and knows quotes.
        if matches!(place, Place::Variable(name) if sources::OF_EVERY_JVM.contains(name)) {
            continue;
        }
        let failure = |message: String| Failure::usage(message).blamed_on_world(!matches!(place, Place::Dynamic(_)));
        let words = match jvm_options::split(&source.text, Splitter::Launcher) {
            Ok(words) => words,
            Err(unclosed) => return Err(failure(format!("{place}: {unclosed}")).help("close it, or leave quotes out")),
        };
        // YARN starts its JVMs by a line for a shell, which knows quotes.
        let is_torn = environment.is_here(role) || environment.manager() != Some(Manager::Yarn);
        if let Some(word) = words.iter().find(|word| is_torn && word.text.contains(char::is_whitespace)) {
            return Err(failure(format!(
                "{place}: `{}` has a blank, and Flink's scripts cannot pass an option with a blank",
                secrets::word_shown(&word.text)
            ))
            .help("write the value without blanks, or name a file: @FILE"));
        }
        if let Some(cause) = jvm_options::diagnose(&source.text, Splitter::Launcher) {
            return Err(failure(format!("{place}: {cause}")));
        }
        if let Some(word) = jvm_options::stray_word(&source.text, Splitter::Launcher) {
            let has_secret = secrets::secrets_hidden(&source.text) != source.text;
            let word = if has_secret { "a word".to_owned() } else { format!("`{word}`") };
            let message = format!("{word} in {place} is no option: java will take it for the main class");
            notes.push(Note::warning("stray-word", message));
        }
    }
    Ok(notes)
}
