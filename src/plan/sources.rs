//! Where the options of a JVM come from, by its role: configuration keys, variables, files. What is
//! looked for in them, agents and mistakes, is the same for every role.

use super::{Note, driver, executor, mistakes};
use crate::endpoint::Role;
use crate::environment::Environment;
use crate::error::Failure;
use crate::jvm::options::{self as jvm_options, Splitter};
use crate::options::Options;
use crate::secrets;
use crate::spark::conf::{Origin, Value};
use crate::spark::jvm_variables;

/// The places that are read for one JVM, each with who splits its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sources {
    /// Keys of Spark's configuration, in their order on the JVM's command line.
    pub keys: Vec<(&'static str, Splitter)>,
    /// Environment variables.
    pub variables: Vec<(&'static str, Splitter)>,
    /// Whether `conf/java-opts` and files that options name are among them.
    pub files: bool,
    /// Whether options typed in front of the class of `spark-class` are.
    pub before_class: bool,
}

impl Sources {
    /// Who splits the text of a key or variable.
    pub fn splitter(&self, name: &str) -> Splitter {
        let found = self.keys.iter().chain(&self.variables).find(|(known, _)| *known == name);
        found.map_or(Splitter::Jvm, |(_, splitter)| *splitter)
    }
}

/// The sources of a role's JVM, or of each of its JVMs.
pub fn of(role: Role, options: &Options, environment: &Environment) -> Sources {
    let (version, java) = (environment.version(), environment.machine.java);
    match (role, &environment.class) {
        (Role::Executor, None) => {
            let here = environment.is_here(role);
            Sources {
                keys: executor::keys(environment),
                variables: if here { jvm_variables::of_every_jvm(java) } else { Vec::new() },
                files: here,
                before_class: false,
            }
        }
        // The worker hands its own environment on; the applications' options it does not know yet.
        (Role::Executor, Some(_)) => {
            Sources { keys: Vec::new(), variables: jvm_variables::of_every_jvm(java), files: true, before_class: false }
        }
        // What the launcher knows of the class, or of spark-submit, does not count behind another first word.
        _ if options.hides_class() => {
            Sources { keys: Vec::new(), variables: jvm_variables::of_every_jvm(java), files: true, before_class: true }
        }
        (_, None) => Sources {
            keys: driver::keys(environment).iter().map(|key| (*key, driver::splitter(environment))).collect(),
            variables: jvm_variables::of_driver(environment.line.class(), version, java),
            files: true,
            before_class: true,
        },
        (_, Some(class)) => Sources {
            keys: Vec::new(),
            variables: jvm_variables::of_class(class, version, java),
            files: true,
            before_class: true,
        },
    }
}

/// Looks at the option strings of a role's JVM before ours is put in front.
///
/// # Errors
/// One that keeps the JVM from starting.
pub fn check(role: Role, options: &Options, environment: &Environment) -> Result<Vec<Note>, Failure> {
    let sources = of(role, options, environment);
    let mut notes = Vec::new();
    for (key, splitter) in &sources.keys {
        let Some(value) = environment.conf().get(key) else { continue };
        if role == Role::Executor {
            executor::check_value(key, &value)?;
        }
        check_value(role, key, &value, *splitter, environment, &mut notes)?;
    }
    if !environment.is_here(role) {
        return Ok(notes);
    }
    for (name, splitter) in sources.variables {
        if let Some(variable) = environment.variables.get(name) {
            let origin = match environment.spark_env.as_ref().filter(|_| variable.from_spark_env) {
                Some(file) => Origin::SparkEnv(file.clone()),
                None => Origin::Variable(name),
            };
            let value = Value { text: variable.text.clone(), origin };
            check_value(role, name, &value, splitter, environment, &mut notes)?;
        }
    }
    Ok(notes)
}

fn check_value(
    role: Role,
    name: &str,
    value: &Value,
    splitter: Splitter,
    environment: &Environment,
    notes: &mut Vec<Note>,
) -> Result<(), Failure> {
    if let Some(cause) = jvm_options::diagnose(&value.text, splitter) {
        return Err(mistakes::in_value(name, value, &cause, splitter, environment));
    }
    if let Some(word) = jvm_options::stray_word(&value.text, splitter) {
        // It may be the rest of a secret that blanks have torn.
        let has_secret = secrets::secrets_hidden(&value.text) != value.text;
        let word = if has_secret { "a word".to_owned() } else { format!("`{word}`") };
        let again = if role == Role::Executor { ", and Spark starts such executors again and again" } else { "" };
        notes.push(Note::warning(
            "stray-word",
            format!("{word} in {} is no option: java will take it for the main class{again}", value.place(name)),
        ));
    }
    Ok(())
}
