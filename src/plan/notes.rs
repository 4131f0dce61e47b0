//! Things to tell the user that are neither an error nor a hint.

use super::{driver, hints};
use crate::argv::Astray;
use crate::endpoint::Role;
use crate::environment::Environment;
use crate::jvm::options::{self as jvm_options, Splitter};
use crate::options::Options;
use crate::secrets;
use crate::spark::conf::DRIVER_DEFAULT;

/// How much a note matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// What to do next; `-q` silences it.
    Hint,
    /// Something was done or left alone that the user may not expect.
    Note,
    /// Something may go wrong.
    Warning,
}

/// Something to tell the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// How much it matters.
    pub level: Level,
    /// A stable word for programs.
    pub code: &'static str,
    /// A sentence or two.
    pub message: String,
}

impl Note {
    /// Something the user may not expect.
    pub fn info(code: &'static str, message: impl Into<String>) -> Note {
        Note { level: Level::Note, code, message: message.into() }
    }

    /// Something that may go wrong.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Note {
        Note { level: Level::Warning, code, message: message.into() }
    }

    /// What to do next.
    pub fn hint(code: &'static str, message: impl Into<String>) -> Note {
        Note { level: Level::Hint, code, message: message.into() }
    }
}

/// Each of them once: several JVMs may have much in common.
pub fn once(notes: Vec<Note>) -> Vec<Note> {
    let mut said = Vec::new();
    for note in notes {
        if !said.contains(&note) {
            said.push(note);
        }
    }
    said
}

/// An option of ours reaches the script, which may not be what was meant.
pub fn astray(Astray { option, behind }: &Astray) -> Note {
    let behind = secrets::word_shown(behind);
    let message = format!(
        "`{option}` stands behind `{behind}` and is passed on; sparkdbg's own options stand in front of it, and where this \
         is none of them, write `--` in front of `{behind}`"
    );
    Note::info("astray", message)
}

/// Nothing is debugged, for this reason: all that is said then.
pub fn nothing_to_debug(options: &Options, environment: &Environment, why: &str) -> Vec<Note> {
    let home = hints::project_home(&environment.distribution).filter(|_| options.hints);
    let note = Note::info("nothing-to-debug", format!("nothing to debug: {why}; run as typed"));
    home.into_iter().chain([note]).collect()
}

/// What to know about this Spark, its environment and these options.
pub fn about(options: &Options, environment: &Environment) -> Vec<Note> {
    let mut notes = Vec::new();
    if environment.version().is_none() {
        let home = match &environment.distribution.home {
            Some(home) => format!("the version of Spark in `{}` is not known", home.display()),
            None => format!(
                "the home of `{}` was not found, so its version is not known",
                environment.distribution.program.display()
            ),
        };
        let keys: Vec<String> =
            options.targets.iter().map(|target| format!("spark.{}.extraJavaOptions", target.role)).collect();
        let keys = keys.join(" and ");
        notes.push(Note::info("unknown-version", format!("{home}; using {keys}, which every version takes")));
    }
    let has_driver = options.target(Role::Driver).is_some();
    if has_driver && environment.deployment.rest_gateway && driver::takes_default_options(environment) {
        notes.push(Note::warning(
            "rest-gateway",
            format!(
                "if the master takes no REST submissions, Spark falls back to its legacy gateway, which ignores {DRIVER_DEFAULT}: the driver then starts without the agent"
            ),
        ));
    }
    notes.extend(about_variables(environment));
    notes
}

/// What to know about variables, whatever is started.
pub fn about_variables(environment: &Environment) -> Vec<Note> {
    let mut notes = Vec::new();
    if environment.variables.contains_key("SPARK_JAVA_OPTS") {
        notes.push(Note::info("spark-java-opts", "SPARK_JAVA_OPTS is set; Spark has ignored it since 2.0"));
    }
    let launcher_opts = environment.variables.get("SPARK_LAUNCHER_OPTS").map_or("", |variable| variable.text.as_str());
    if !jvm_options::find_agents(launcher_opts, Splitter::Jvm).is_empty() {
        notes.push(Note::warning(
            "agent-on-launcher",
            "SPARK_LAUNCHER_OPTS holds a debug agent: it debugs Spark's launcher, which ends before the JVM starts",
        ));
    }
    notes
}
