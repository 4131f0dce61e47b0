//! Where the options of a JVM of Flink's come from, in their order on its command line.

use crate::endpoint::Role;
use crate::environment::flink::FlinkEnvironment;
use crate::flink::deployment::{Deployment, Manager};
use crate::flink::java_opts::{self, ALL, DEFAULT_ALL, OLD_ALL, VARIABLE_ALL};

/// A text of JVM options, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its place.
    pub place: Place,
    /// The text, without quotes round the whole.
    pub text: String,
}

/// Where options stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In a variable.
    Variable(&'static str),
    /// In a key of the file. `group`: the variable that can take its place for a JVM that starts here.
    Conf {
        /// The key.
        key: &'static str,
        /// The file and the line.
        place: String,
        /// Empty for a JVM that starts elsewhere.
        group: &'static str,
    },
    /// In a `-D`.
    Dynamic(&'static str),
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Variable(name) => write!(f, "{name} in the environment"),
            Place::Conf { key, place, .. } => write!(f, "{key} ({place})"),
            Place::Dynamic(key) => write!(f, "-D{key}"),
        }
    }
}

/// Variables that the JVM itself, or `java`, reads.
pub const OF_EVERY_JVM: [&str; 3] = ["JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS"];

/// What a role's JVM gets.
pub fn of(role: Role, environment: &FlinkEnvironment) -> Vec<Source> {
    let variable = |name: &'static str| {
        environment.variable(name).map(|text| Source { place: Place::Variable(name), text: text.to_owned() })
    };
    let knob = java_opts::knob(role, environment.script);
    if !environment.is_here(role) {
        let defaults = java_opts::has_defaults(environment.version());
        let all = [Some(DEFAULT_ALL).filter(|_| defaults), Some(key_for_all(environment))];
        let own = [knob.default_key.filter(|_| defaults), Some(knob.key)];
        let keys = all.into_iter().chain(own).flatten().chain(java_opts::container_variables(role));
        return keys.filter_map(|key| given(key, "", environment)).collect();
    }
    let mut sources: Vec<Source> = variable("JVM_ARGS").into_iter().collect();
    if role != Role::Client || environment.scripts.client_takes_conf {
        for name in [VARIABLE_ALL, knob.variable] {
            match variable(name) {
                Some(source) => sources.push(source),
                None => sources.extend(behind(name, role, environment)),
            }
        }
    }
    sources.extend(OF_EVERY_JVM.into_iter().filter_map(variable));
    sources
}

/// The key whose value every JVM gets: the old one where the new one is empty, or not there yet.
pub fn key_for_all(environment: &FlinkEnvironment) -> &'static str {
    let is_empty = environment.conf.get(java_opts::ALL).is_none_or(|entry| entry.value.is_empty());
    let is_typed = environment.line.get(java_opts::ALL).is_some() && environment.deployment != Deployment::Here;
    let old = environment.conf.get(OLD_ALL).is_some() || environment.line.get(OLD_ALL).is_some();
    let has_all = java_opts::has_all(environment.version());
    if !has_all || is_empty && !is_typed && old { OLD_ALL } else { java_opts::ALL }
}

/// The value of a key: a `-D`, else the file.
fn given(key: &'static str, group: &'static str, environment: &FlinkEnvironment) -> Option<Source> {
    match environment.line.get(key) {
        Some(dynamic) => Some(Source { place: Place::Dynamic(key), text: dynamic.value.clone() }),
        None => {
            let source = in_file(key, group, environment)?;
            // No script stands between the file and a container of YARN's.
            let as_written = environment.conf.get(key).filter(|_| environment.manager() == Some(Manager::Yarn));
            Some(Source { text: as_written.map_or(source.text, |entry| entry.value.clone()), ..source })
        }
    }
}

/// What the file has for a JVM, in the place of which a variable stands.
pub fn behind(variable: &'static str, role: Role, environment: &FlinkEnvironment) -> Vec<Source> {
    let knob = java_opts::knob(role, environment.script);
    let defaults = java_opts::has_defaults(environment.version());
    let keys = match variable == VARIABLE_ALL {
        true => [Some(DEFAULT_ALL).filter(|_| defaults), Some(key_for_all(environment))],
        false => [knob.default_key.filter(|_| defaults), Some(knob.key)],
    };
    keys.into_iter().flatten().filter_map(|key| in_file(key, variable, environment)).collect()
}

fn in_file(key: &'static str, group: &'static str, environment: &FlinkEnvironment) -> Option<Source> {
    let entry = environment.conf.get(key).filter(|entry| !entry.value.is_empty())?;
    let place = Place::Conf { key, place: environment.conf.place(entry), group };
    Some(Source { place, text: without_quotes(&entry.value, key, environment).to_owned() })
}

/// What the scripts make of a value: the first and the last character go where they are double quotes. Since
/// 1.19 the defaults and a blank stand before the first of most keys, which then stays.
fn without_quotes<'a>(value: &'a str, key: &str, environment: &FlinkEnvironment) -> &'a str {
    let has_defaults = [ALL, OLD_ALL, "env.java.opts.jobmanager", "env.java.opts.taskmanager"].contains(&key);
    let first_stays = has_defaults && java_opts::has_defaults(environment.version());
    let value = Some(value).filter(|_| first_stays).or(value.strip_prefix('"')).unwrap_or(value);
    value.strip_suffix('"').unwrap_or(value)
}
