//! Every debug agent that the JVMs of a role would load, each with its place.

use std::fmt;
use std::path::PathBuf;

use crate::endpoint::{Endpoint, Host, Mode, Role};
use crate::environment::Environment;
use crate::error::Failure;
use crate::jvm::jdwp::Agent;
use crate::jvm::options::{self as jvm_options, Splitter};
use crate::options::Options;
use crate::plan::sources;
use crate::spark::conf::Origin;
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

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Conf { key, origin } => write!(f, "{key} ({origin})"),
            Place::Variable { name, from_spark_env: false } => write!(f, "{name} in the environment"),
            Place::Variable { name, from_spark_env: true } => write!(f, "{name}, set by spark-env.sh"),
            Place::File { file, line, .. } => write!(f, "{} line {line}", file.display()),
            Place::BeforeClass => f.write_str("the words before the class"),
        }
    }
}

impl Stands for Place {
    fn is_typed(&self) -> bool {
        match self {
            Place::Conf { origin, .. } => origin.is_argument(),
            Place::BeforeClass => true,
            Place::Variable { .. } | Place::File { .. } => false,
        }
    }

    fn is_ours_to_edit(&self) -> bool {
        !matches!(self, Place::File { .. })
    }
}

/// What holds for a place of agents, be it Spark's or Flink's.
pub trait Stands: fmt::Display {
    /// Whether it is on the command line.
    fn is_typed(&self) -> bool;

    /// Whether sparkdbg can put something else there.
    fn is_ours_to_edit(&self) -> bool {
        true
    }
}

/// An agent with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found<P = Place> {
    /// Its place.
    pub place: P,
    /// What it says.
    pub agent: Agent,
    /// As it stands there.
    pub text: String,
}

impl<P> Found<P> {
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
}

impl<P: Stands> Found<P> {
    /// What to do where its address cannot work.
    pub fn cure(&self) -> String {
        let other = match self.place.is_ours_to_edit() {
            true => "let sparkdbg replace it: --existing=replace",
            false => "take the agent out there",
        };
        format!("change the address in {}, or {other}", self.place)
    }

    /// A failure because of it.
    pub fn failure(&self, message: String) -> Failure {
        Failure::usage(message).blamed_on_world(!self.place.is_typed())
    }
}

impl Found {
    /// Whether a driver on this machine loads it as well as its executors.
    pub fn is_shared(&self) -> bool {
        !matches!(self.place, Place::Conf { .. })
    }
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
