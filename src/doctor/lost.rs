//! Options that are written somewhere and reach nobody: Spark takes one value for each key, and never joins two. Pure.

use std::path::Path;

use super::finding::Finding;
use crate::environment::Environment;
use crate::spark::conf::{DRIVER_DEFAULT, DRIVER_EXTRA, EXECUTOR_DEFAULT, EXECUTOR_EXTRA, Origin, Value};
use crate::spark::submit::{End, Setting, known_since};

const TOPIC: &str = "options";

/// Keys whose values are lists of options, so that one of them is seldom meant to replace another.
const LISTS: [&str; 4] = [DRIVER_DEFAULT, DRIVER_EXTRA, EXECUTOR_DEFAULT, EXECUTOR_EXTRA];

/// Options that applications have as well.
const OF_MANY_PROGRAMS: [&str; 6] = ["--help", "--version", "--verbose", "--name", "--files", "--class"];

/// What is lost; `unread_defaults`: a `spark-defaults.conf` that is not read.
pub fn findings(environment: &Environment, unread_defaults: Option<&Path>) -> Vec<Finding> {
    let mut findings = typed_twice(environment);
    findings.extend(LISTS.iter().flat_map(|key| shadowed(key, environment)));
    findings.extend(unread_defaults.map(|file| {
        let message = format!("`{}` is not read, since --properties-file names another file", file.display());
        let cure = match environment.version().is_some_and(|version| version.at_least(4, 0)) {
            true => "add --load-spark-defaults",
            false => "if its settings are wanted, put them into that file",
        };
        Finding::warn(TOPIC, message).cure(cure)
    }));
    findings.extend(behind_the_application(environment));
    findings
}

/// The key or option that a setting gives a value to.
fn name(setting: &Setting) -> &str {
    match (setting.conf(), setting.option) {
        (Some((key, _)), _) => key,
        (None, "--driver-java-options") => DRIVER_EXTRA,
        (None, option) => option,
    }
}

fn value(setting: &Setting) -> &str {
    setting.conf().map_or(setting.value.as_str(), |(_, value)| value)
}

fn typed_twice(environment: &Environment) -> Vec<Finding> {
    let conf = environment.conf();
    // Each of those files is read.
    let counts = |setting: &&Setting| {
        setting.at >= environment.hidden && setting.option != "--extra-properties-file" && !setting.value.is_empty()
    };
    let settings: Vec<&Setting> = environment.line.settings.iter().filter(counts).collect();
    let mut findings = Vec::new();
    for (index, lost) in settings.iter().enumerate() {
        let later = settings[index + 1..].iter().find(|later| name(later) == name(lost));
        let Some(later) = later.filter(|later| value(later) != value(lost)) else { continue };
        let place = |setting: &Setting| conf.argument(setting, 0..0).to_string();
        let message = format!("{} ({}) is lost: {} replaces it", name(lost), place(lost), place(later));
        let cure = match LISTS.contains(&name(lost)) {
            true => "put the options of both into one value",
            false => "take one of them out",
        };
        findings.push(Finding::warn(TOPIC, message).cure(cure));
    }
    findings
}

/// Entries of files for a key that another value replaces.
fn shadowed(key: &str, environment: &Environment) -> Vec<Finding> {
    let Some(winner) = environment.conf().get(key) else { return Vec::new() };
    let entries = environment.layers.iter().flat_map(|layer| {
        let entries = layer.entries.iter().filter(|entry| entry.key == key && !entry.value.trim().is_empty());
        entries.map(|entry| Value {
            text: entry.value.clone(),
            origin: Origin::File { file: layer.file.clone(), line: entry.line },
        })
    });
    let lost = entries.filter(|entry| entry.origin != winner.origin && entry.text != winner.text);
    lost.map(|entry| {
        Finding::warn(TOPIC, format!("{} is lost: {} replaces it", entry.place(key), winner.origin))
            .cure("put the options of both into one value")
    })
    .collect()
}

/// Options of spark-submit that the application gets.
fn behind_the_application(environment: &Environment) -> Option<Finding> {
    let End::Resource(at) = environment.line.end else { return None };
    let is_meant_for_spark = |word: &str| {
        let option = word.split('=').next().unwrap_or(word);
        word.starts_with("--") && !OF_MANY_PROGRAMS.contains(&option) && known_since(word).is_some()
    };
    let words = environment.words.iter().enumerate().skip(at + 1).filter(|(_, word)| is_meant_for_spark(word));
    let named: Vec<String> = words
        .map(|(at, word)| {
            let option = word.split('=').next().unwrap_or(word);
            format!("`{option}` (argument {})", at + 1 - environment.hidden.min(at))
        })
        .collect();
    if named.is_empty() {
        return None;
    }
    let application = &environment.words[at];
    let message = format!("{} behind `{application}` goes to the application, not to Spark", named.join(" and "));
    Some(Finding::warn(TOPIC, message).cure(format!("if Spark is meant, put it before `{application}`")))
}
