//! Settings that are written somewhere and reach nobody: Flink takes one value for each key, and never joins two. Pure.

use crate::doctor::finding::Finding;
use crate::environment::flink::FlinkEnvironment;
use crate::flink::conf::JAVA_HOME;
use crate::flink::deployment::Deployment;
use crate::flink::java_opts::{self, ALL, DEFAULT_ALL, OLD_ALL};
use crate::flink::script::Script;

const TOPIC: &str = "options";

/// The keys of options and of Java itself; what is nearly one of them is nobody's.
const KEYS: [&str; 11] = [
    JAVA_HOME,
    OLD_ALL,
    ALL,
    DEFAULT_ALL,
    "env.java.opts.client",
    "env.java.opts.historyserver",
    "env.java.opts.jobmanager",
    "env.java.opts.sql-gateway",
    "env.java.opts.taskmanager",
    "env.java.default-opts.jobmanager",
    "env.java.default-opts.taskmanager",
];

/// Options of `flink` that few programs have as well.
const OF_FLINK: [&str; 7] = [
    "--target",
    "--jobmanager",
    "--parallelism",
    "--fromSavepoint",
    "--detached",
    "--shutdownOnAttachedExit",
    "--allowNonRestoredState",
];

/// A key with a value and the place of both.
struct Given<'a> {
    key: &'a str,
    value: &'a str,
    place: String,
}

/// What is lost.
pub fn findings(environment: &FlinkEnvironment) -> Vec<Finding> {
    let conf = &environment.conf;
    let in_file = conf.entries.iter().map(|entry| {
        let place = format!("{} ({})", entry.key, conf.place(entry));
        Given { key: &entry.key, value: &entry.value, place }
    });
    let in_file: Vec<Given<'_>> = in_file.collect();
    let typed = environment.line.dynamic.iter().map(|dynamic| {
        let place = format!("-D{} (argument {})", dynamic.key, dynamic.at + 1);
        Given { key: &dynamic.key, value: &dynamic.value, place }
    });
    let typed: Vec<Given<'_>> = typed.collect();

    let mut findings = twice(&in_file);
    findings.extend(twice(&typed));
    if let Deployment::Deploys { .. } = environment.deployment {
        findings.extend(displaced(&in_file, &typed));
    }
    for given in in_file.iter().chain(&typed) {
        findings.extend(near_miss(given));
    }
    for given in &in_file {
        findings.extend(unread(given, environment));
    }
    findings.extend(behind_the_job(environment));
    findings
}

fn is_list(key: &str) -> bool {
    key != JAVA_HOME && KEYS.contains(&key)
}

fn replaced(lost: &Given<'_>, by: &Given<'_>) -> Finding {
    let cure = if is_list(lost.key) { "put the options of both into one value" } else { "take one of them out" };
    Finding::warn(TOPIC, format!("{} is lost: {} replaces it", lost.place, by.place)).cure(cure)
}

/// The last one of a key counts.
fn twice(given: &[Given<'_>]) -> Vec<Finding> {
    let lost = given.iter().enumerate().filter_map(|(index, lost)| {
        let later = given[index + 1..].iter().find(|later| later.key == lost.key)?;
        (later.value != lost.value).then(|| replaced(lost, later))
    });
    lost.collect()
}

/// Options of the file in whose place a `-D` stands.
fn displaced<'a>(in_file: &'a [Given<'a>], typed: &'a [Given<'a>]) -> Vec<Finding> {
    let lost = KEYS.iter().filter(|key| is_list(key)).filter_map(|key| {
        let last = |given: &'a [Given<'a>]| given.iter().rev().find(|given| given.key == *key);
        let (lost, by) = (last(in_file)?, last(typed)?);
        (by.value != lost.value).then(|| replaced(lost, by))
    });
    lost.collect()
}

fn near_miss(given: &Given<'_>) -> Option<Finding> {
    let key = given.key;
    if KEYS.contains(&key) {
        return None;
    }
    let distance = |known: &&&str| strsim::damerau_levenshtein(known, &key.to_ascii_lowercase());
    let near = KEYS.iter().min_by_key(distance).filter(|near| key.starts_with("env.java.") || distance(near) <= 2)?;
    let message = format!("{} is no key of Flink's, and is ignored", given.place);
    Some(Finding::warn(TOPIC, message).cure(format!("did you mean {near}?")))
}

/// A key of options that this version, or its script, does not know.
fn unread(given: &Given<'_>, environment: &FlinkEnvironment) -> Option<Finding> {
    let version = environment.version();
    let name = version.map_or("this Flink".to_owned(), |version| format!("Flink {version}"));
    let (reader, cure) = match given.key {
        ALL if !java_opts::has_all(version) => (name, format!("it came with 1.18; write {OLD_ALL}")),
        key if key.starts_with("env.java.default-opts.") && !java_opts::has_defaults(version) => {
            let without = key.replace("default-opts", "opts");
            let known = if without == ALL && !java_opts::has_all(version) { OLD_ALL } else { &without };
            (name, format!("it came with 1.19; write {known}"))
        }
        key if is_own_key(key, environment)
            && environment.distribution.home.is_some()
            && !environment.scripts.client_takes_conf =>
        {
            (format!("{} of {name}", environment.script.file_name()), "put it into JVM_ARGS".to_owned())
        }
        _ => return None,
    };
    Some(Finding::warn(TOPIC, format!("{} is not read by {reader}", given.place)).cure(cure))
}

/// Whether a script should read the key for the JVM that it starts itself.
fn is_own_key(key: &str, environment: &FlinkEnvironment) -> bool {
    match environment.script {
        Script::SqlClient | Script::YarnSession | Script::KubernetesSession => key == "env.java.opts.client",
        Script::SqlGateway => key == "env.java.opts.sql-gateway",
        _ => false,
    }
}

/// Options of `flink` that the program gets.
fn behind_the_job(environment: &FlinkEnvironment) -> Option<Finding> {
    let at = environment.line.job?;
    let is_meant_for_flink = |word: &str| {
        let option = word.split('=').next().unwrap_or(word);
        OF_FLINK.contains(&option) || word.starts_with("-D") && word.contains('=')
    };
    let words = environment.words.iter().enumerate().skip(at + 1).filter(|(_, word)| is_meant_for_flink(word));
    let named = words.map(|(at, word)| format!("`{}` (argument {})", word.split('=').next().unwrap_or(word), at + 1));
    let named: Vec<String> = named.collect();
    if named.is_empty() {
        return None;
    }
    let job = &environment.words[at];
    let message = format!("{} behind `{job}` goes to the program, not to Flink", named.join(" and "));
    Some(Finding::warn(TOPIC, message).cure(format!("if Flink is meant, put it before `{job}`")))
}
