//! The comparison: with sparkdbg in front, the JVM gets what it gets without it, plus exactly one agent.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fmt::Write;

use crate::agents;
use crate::case::{Case, Command, Unit};
use crate::model::{DRIVER_DEFAULT, DRIVER_EXTRA};
use crate::option_string::split;
use crate::run::{Jvm, Outcome};
use crate::stage::JVM_STATUS;

const MAIN_CLASS: &str = "org.apache.spark.deploy.SparkSubmit";

/// Variables whose options the scripts or the JVM itself take, so that an agent in them has to go.
const OPTION_VARIABLES: [&str; 5] =
    ["SPARK_SUBMIT_OPTS", "SPARK_DAEMON_JAVA_OPTS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"];

/// What a case turned out to be, when both sides agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The driver's JVM has the agent.
    Injected,
    /// The configuration carries the agent to the cluster.
    InjectedInCluster,
    /// Nothing to debug, and nothing changed.
    Unchanged,
    /// Spark refused, with and without sparkdbg.
    RefusedBySpark,
    /// sparkdbg refused what it has to refuse, or what Spark refuses too.
    RefusedBySparkdbg,
}

/// What the default run has to cover often enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Coverage {
    ValueFromFile,
    Escapes,
    ExtraPropertiesFile,
    SpecialFirstWord,
    MixedArguments,
    ExistingAgent,
}

impl Coverage {
    pub const ALL: [Coverage; 6] = [
        Coverage::ValueFromFile,
        Coverage::Escapes,
        Coverage::ExtraPropertiesFile,
        Coverage::SpecialFirstWord,
        Coverage::MixedArguments,
        Coverage::ExistingAgent,
    ];
}

/// Compares the two runs of a case; the error says what differs.
pub fn compare(case: &Case, direct: &Outcome, wrapped: &Outcome) -> Result<Verdict, String> {
    let sparkdbg_refused =
        wrapped.jvms.is_empty() && matches!(wrapped.status, Some(2 | 125)) && wrapped.stderr.contains("error: ");
    if case.must_refuse {
        return if sparkdbg_refused {
            Ok(Verdict::RefusedBySparkdbg)
        } else {
            Err("sparkdbg has to refuse this input with a clear error, but did not".into())
        };
    }
    if refused_by_spark(case, direct) {
        return match () {
            _ if !case.bad => Err("the harness is wrong: Spark refuses an input that was meant to be good".into()),
            _ if sparkdbg_refused => Ok(Verdict::RefusedBySparkdbg),
            _ => compare_refusals(case, direct, wrapped).map(|()| Verdict::RefusedBySpark),
        };
    }
    let [before] = direct.jvms.as_slice() else { return Err("the harness is wrong: not exactly one JVM".into()) };
    let [after] = wrapped.jvms.as_slice() else {
        return Err(format!("{} JVMs were started with sparkdbg, one without", wrapped.jvms.len()));
    };
    for (name, outcome) in [("without", direct), ("with", wrapped)] {
        if outcome.status != Some(JVM_STATUS) {
            return Err(format!("{name} sparkdbg the status is {:?}, not the JVM's {JVM_STATUS}", outcome.status));
        }
    }
    if direct.stdout != wrapped.stdout {
        return Err(format!(
            "stdout differs: {:?} became {:?}",
            String::from_utf8_lossy(&direct.stdout),
            String::from_utf8_lossy(&wrapped.stdout)
        ));
    }
    if case.is_special() {
        equal("the command line", &before.args, &after.args)?;
        compare_env(case, before, after)?;
        return Ok(Verdict::Unchanged);
    }
    let (before_jvm, before_program) = split_at_main_class(&before.args)?;
    let (after_jvm, after_program) = split_at_main_class(&after.args)?;
    let in_cluster = case.cluster_master().is_some();
    if in_cluster {
        equal("the submitter's JVM options", before_jvm, after_jvm)?;
    } else {
        let agent = case.agent();
        let (ours, others): (Vec<OsString>, Vec<OsString>) =
            after_jvm.iter().cloned().partition(|option| option.as_os_str() == agent.as_str());
        if ours.len() != 1 {
            return Err(format!("the JVM has {} times {agent}, not once", ours.len()));
        }
        equal("the JVM options beside our agent", &without_agents(before_jvm), &others)?;
    }
    compare_program(case, before_program, after_program)?;
    compare_env(case, before, after)?;
    Ok(if in_cluster { Verdict::InjectedInCluster } else { Verdict::Injected })
}

/// What an agreed case has covered.
pub fn coverage(case: &Case, direct: &Outcome) -> BTreeSet<Coverage> {
    let mut covered = BTreeSet::new();
    let effective: Vec<_> = case.keys_spark_reads().iter().filter_map(|key| case.effective(key)).collect();
    let any_unit = |wanted: fn(&Unit) -> bool| case.units.iter().any(wanted);
    if effective.iter().any(|found| found.file_escapes.is_some()) {
        covered.insert(Coverage::ValueFromFile);
    }
    let quoting = |c: char| matches!(c, '"' | '\'' | '\\') || !c.is_ascii();
    if effective.iter().any(|found| found.file_escapes == Some(true) || found.value.contains(quoting)) {
        covered.insert(Coverage::Escapes);
    }
    if any_unit(|unit| matches!(unit, Unit::ExtraPropertiesFile { .. } | Unit::LoadSparkDefaults)) {
        covered.insert(Coverage::ExtraPropertiesFile);
    }
    if any_unit(|unit| matches!(unit, Unit::FirstWord(_)))
        || matches!(case.command, Command::Pyspark | Command::R | Command::Example)
    {
        covered.insert(Coverage::SpecialFirstWord);
    }
    if any_unit(|unit| matches!(unit, Unit::MixedClass(_)))
        || matches!(case.command, Command::Shell | Command::Sql | Command::ConnectShell)
    {
        covered.insert(Coverage::MixedArguments);
    }
    let on_the_jvm = direct.jvms.iter().flat_map(|jvm| &jvm.args).any(|arg| agents::is_agent(&arg.to_string_lossy()));
    if on_the_jvm || effective.iter().any(|found| has_agent(&found.value)) {
        covered.insert(Coverage::ExistingAgent);
    }
    covered
}

impl Case {
    /// The keys whose options reach the driver.
    fn keys_spark_reads(&self) -> &'static [&'static str] {
        if self.version.has_default_key() { &[DRIVER_DEFAULT, DRIVER_EXTRA] } else { &[DRIVER_EXTRA] }
    }
}

/// Both sides as text, for the report of a failure.
pub fn show(outcome: &Outcome) -> String {
    let mut text = format!("status {:?}\n", outcome.status);
    for jvm in &outcome.jvms {
        text.push_str("argv:\n");
        for arg in &jvm.args {
            writeln!(text, "  {}", crate::case::quoted(arg)).unwrap();
        }
    }
    writeln!(text, "stderr: {}", outcome.stderr.trim_end()).unwrap();
    text
}

fn refused_by_spark(case: &Case, direct: &Outcome) -> bool {
    let usage_error = |jvm: &Jvm| jvm.args.iter().any(|arg| arg == "--usage-error");
    direct.jvms.is_empty() || (!case.is_special() && direct.jvms.iter().any(usage_error))
}

/// Spark's refusal stays as it is. An agent of the user's may be gone from the environment: it would only have stopped
/// the JVM that prints the refusal. And the launcher looks for the class, of whose usage it would print more, in the
/// first option alone, which is ours now.
fn compare_refusals(case: &Case, direct: &Outcome, wrapped: &Outcome) -> Result<(), String> {
    if direct.status != wrapped.status || direct.jvms.len() != wrapped.jvms.len() {
        return Err("Spark refuses, and sparkdbg changes how".into());
    }
    for (before, after) in direct.jvms.iter().zip(&wrapped.jvms) {
        let (before_jvm, before_program) = split_at_main_class(&before.args)?;
        let (after_jvm, after_program) = split_at_main_class(&after.args)?;
        equal("the JVM options of Spark's refusal", &without_agents(before_jvm), &without_agents(after_jvm))?;
        let class_first = before_program.first().is_some_and(|word| word == "--class") && after_program.len() == 1;
        let before_program = if class_first { &before_program[2..] } else { before_program };
        equal("the program's arguments of Spark's refusal", before_program, after_program)?;
        compare_env(case, before, after)?;
    }
    Ok(())
}

fn split_at_main_class(args: &[OsString]) -> Result<(&[OsString], &[OsString]), String> {
    let main = args.iter().position(|arg| arg == MAIN_CLASS).ok_or("a JVM was started without SparkSubmit")?;
    Ok((&args[..main], &args[main + 1..]))
}

fn without_agents(options: &[OsString]) -> Vec<OsString> {
    let text: Vec<String> = options.iter().map(|option| option.to_string_lossy().into_owned()).collect();
    if text.iter().any(|option| agents::is_agent(option)) {
        agents::without(&text).into_iter().map(OsString::from).collect()
    } else {
        options.to_vec()
    }
}

fn has_agent(options: &str) -> bool {
    split(options).is_some_and(|options| options.iter().any(|option| agents::is_agent(option)))
}

/// The words after the main class, as the launcher writes them.
struct Program<'a> {
    head: &'a [OsString],
    /// The launcher walks a hash map: the order of the pairs means nothing.
    conf: BTreeMap<OsString, OsString>,
    tail: &'a [OsString],
}

impl Program<'_> {
    fn parse(words: &[OsString]) -> Result<Program<'_>, String> {
        let mut at = 0;
        while words.get(at).is_some_and(|word| word == "--master" || word == "--deploy-mode" || word == "--remote") {
            at += 2;
        }
        let (head, rest) = words.split_at(at);
        let mut conf = BTreeMap::new();
        let mut at = 0;
        while rest.get(at).is_some_and(|word| word == "--conf") {
            let (key, value) = key_and_value(&rest[at + 1]);
            if conf.insert(key, value).is_some() {
                return Err("the launcher wrote one key twice".into());
            }
            at += 2;
        }
        Ok(Program { head, conf, tail: &rest[at..] })
    }
}

fn key_and_value(pair: &OsStr) -> (OsString, OsString) {
    use std::os::unix::ffi::OsStrExt;
    let bytes = pair.as_bytes();
    let equals = bytes.iter().position(|byte| *byte == b'=').unwrap_or(bytes.len());
    let part = |bytes: &[u8]| OsStr::from_bytes(bytes).to_owned();
    (part(&bytes[..equals]), part(bytes.get(equals + 1..).unwrap_or_default()))
}

fn compare_program(case: &Case, before: &[OsString], after: &[OsString]) -> Result<(), String> {
    let (before, after) = (Program::parse(before)?, Program::parse(after)?);
    equal("the program's first arguments", before.head, after.head)?;
    equal("the program's arguments after the configuration", before.tail, after.tail)?;

    let (mut expected, mut found) = (before.conf, after.conf);
    let agent = case.agent();
    let carries =
        |key: &&&str| found.get(OsStr::new(key)).is_some_and(|value| value.to_string_lossy().contains(&agent));
    let key = *case
        .agent_keys()
        .iter()
        .find(carries)
        .ok_or_else(|| format!("no value of {:?} carries the agent: {:?}", case.agent_keys(), pairs(&found)))?;
    let value = found.remove(OsStr::new(key)).unwrap();
    expected.remove(OsStr::new(key));
    check_agent_value(case, key, &value.to_string_lossy())?;

    for other in case.keys_spark_reads().iter().filter(|other| **other != key) {
        let Some(effective) = case.effective(other).filter(|effective| has_agent(&effective.value)) else { continue };
        expected.remove(OsStr::new(other));
        let value = found.remove(OsStr::new(other));
        let value = value.ok_or_else(|| format!("{other} comes from a file and still has its agent"))?;
        let value = value.to_string_lossy();
        let kept = agents::without(&split(&case.version.as_seen_by_the_jvm(&effective.value)).unwrap());
        if split(&value).as_ref() != Some(&kept) {
            return Err(format!("{other} is {value:?}: expected the options {kept:?}"));
        }
    }
    equal("the configuration beside the agent's key", &pairs(&expected), &pairs(&found))
}

/// The value is the agent, then, as raw text, what is in effect without sparkdbg.
fn check_agent_value(case: &Case, key: &str, value: &str) -> Result<(), String> {
    let agent = case.agent();
    let effective = case.effective(key).map(|effective| effective.value).unwrap_or_default();
    let effective = case.version.as_seen_by_the_jvm(&effective);
    let whole = format!("{agent} {effective}");
    let right = match value.strip_prefix(&agent) {
        Some("") if !has_agent(&effective) => effective.trim().is_empty(),
        Some(rest) if has_agent(&effective) => {
            let kept = agents::without(&split(&effective).unwrap());
            split(rest) == Some(kept) && (rest.is_empty() || rest.starts_with(' '))
        }
        Some(_) => value == whole,
        None => false,
    };
    if right { Ok(()) } else { Err(format!("{key} is {value:?}: expected the agent in front of {effective:?}")) }
}

fn compare_env(case: &Case, before: &Jvm, after: &Jvm) -> Result<(), String> {
    let (mut expected, mut found) = (before.env.clone(), after.env.clone());
    for name in ["_", "SHLVL", "PWD", "OLDPWD"] {
        expected.remove(OsStr::new(name));
        found.remove(OsStr::new(name));
    }
    if !case.is_special() {
        // they hold the configuration, and their effect has been compared
        for name in ["PYSPARK_SUBMIT_ARGS", "SPARKR_SUBMIT_ARGS"] {
            expected.remove(OsStr::new(name));
            found.remove(OsStr::new(name));
        }
        for name in OPTION_VARIABLES {
            let Some(value) = expected.get(OsStr::new(name)).map(|value| value.to_string_lossy().into_owned()) else {
                continue;
            };
            if !has_agent(&value) {
                continue;
            }
            expected.remove(OsStr::new(name));
            let after = found.remove(OsStr::new(name)).unwrap_or_default();
            let after = after.to_string_lossy();
            // only the servers take it: elsewhere an agent in it may stay
            let ignored = name == "SPARK_DAEMON_JAVA_OPTS" && value == after;
            if !ignored && split(&after) != split(&value).map(|options| agents::without(&options)) {
                return Err(format!("{name} is {after:?}: expected the options of {value:?} without the agent"));
            }
        }
    }
    equal("the JVM's environment", &pairs(&expected), &pairs(&found))
}

fn pairs(map: &BTreeMap<OsString, OsString>) -> Vec<OsString> {
    let pair = |(name, value): (&OsString, &OsString)| {
        let mut pair = name.clone();
        pair.push("=");
        pair.push(value);
        pair
    };
    map.iter().map(pair).collect()
}

/// Equal, or the words that differ between the common start and the common end.
fn equal(what: &str, expected: &[OsString], found: &[OsString]) -> Result<(), String> {
    if expected == found {
        return Ok(());
    }
    let start = expected.iter().zip(found).take_while(|(a, b)| a == b).count();
    let end = expected[start..].iter().rev().zip(found[start..].iter().rev()).take_while(|(a, b)| a == b).count();
    let mut text = format!("{what}: different after {start} equal words");
    for word in &expected[start..expected.len() - end] {
        write!(text, "\n  - {}", crate::case::quoted(word)).unwrap();
    }
    for word in &found[start..found.len() - end] {
        write!(text, "\n  + {}", crate::case::quoted(word)).unwrap();
    }
    Err(text)
}
