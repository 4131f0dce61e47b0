//! An agent of the user's that stays: whether the JVM starts with it, and what to know about it.

use super::{Found, Place, Stands};
use crate::endpoint::Role;
use crate::environment::Environment;
use crate::error::Failure;
use crate::jvm::jdwp::Agent;
use crate::options::{Options, Source, Target};
use crate::plan::{Note, executor};
use crate::spark::conf::EXECUTOR_DEFAULT;
use crate::spark::deployment::Manager;

/// Placeholders that Spark fills in before an executor starts.
const PLACEHOLDERS: [&str; 2] = ["{{EXECUTOR_ID}}", "{{APP_ID}}"];

/// Whether the JVM would start with the agent that stays.
pub fn check(role: Role, kept: &Found, environment: &Environment) -> Result<(), String> {
    let repeats = environment.version().is_some_and(executor::repeats_default_options);
    if repeats && matches!(kept.place, Place::Conf { key: EXECUTOR_DEFAULT, .. }) {
        return Err("this Spark repeats the key, and a JVM loads one agent only (SPARK-49984)".to_owned());
    }
    let binds_star = kept.agent.get("address").is_some_and(|address| address.starts_with("*:"));
    if binds_star && environment.is_here(role) && environment.machine.java == Some(8) {
        return Err("Java 8 takes `*` for the name of a host; write 0.0.0.0".to_owned());
    }
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
pub fn about(
    kept: &Found,
    target: &Target,
    options: &Options,
    environment: &Environment,
) -> Result<Vec<Note>, Failure> {
    let Found { place, agent, text } = kept;
    let app = options.app.as_ref().map(|_| "--app".to_owned());
    let one = flag_of(&options.one_executor.source).filter(|_| options.changes_java_home());
    let mut notes = about_any(kept, target, options, app.into_iter().chain(one));
    let mut warn = |message: String| notes.push(Note::warning("kept-agent", message));
    if agent.get("address").is_some_and(|address| address.contains(PLACEHOLDERS[0])) {
        warn(format!(
            "{} in {place} grows with every executor that is started again; a port ends at 65535",
            PLACEHOLDERS[0]
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
        Place::BeforeClass => warn(
            "spark-class takes the word before the class for it, so that the class gets none of its variables; --existing=replace gives them back"
                .to_owned(),
        ),
        Place::File { java_opts: true, .. } => warn(format!("{place} reaches every JVM of this Spark, executors too")),
        _ => {}
    }
    Ok(notes)
}

/// What to know about any agent that stays. `flags`: more of those that have no effect then.
pub fn about_any<P: Stands>(
    kept: &Found<P>,
    target: &Target,
    options: &Options,
    flags: impl IntoIterator<Item = String>,
) -> Vec<Note> {
    let Found { place, agent, text } = kept;
    let given = [target.suspend_flag.map(str::to_owned), flag_of(&target.source), flag_of(&options.allow.source)];
    let unused: Vec<String> = given.into_iter().flatten().chain(flags).map(|flag| format!("`{flag}`")).collect();
    let unused = if unused.is_empty() { String::new() } else { format!(", and {} has no effect", unused.join(", ")) };
    let mut notes = vec![Note::info("kept-agent", format!("kept: `{text}` in {place}; nothing is injected{unused}"))];
    let warning = agent.warning().map(|warning| format!("`{text}` in {place}: {warning}"));
    notes.extend(warning.map(|warning| Note::warning("kept-agent", warning)));
    if options.allow.source.is_profile() {
        let message =
            format!("`allow` ({}) has no effect: the agent that is kept decides who may attach", options.allow.source);
        notes.push(Note::warning("kept-agent", message));
    }
    notes
}

/// The flag that made a choice.
fn flag_of(source: &Source) -> Option<String> {
    match source {
        Source::Flag(flag) => Some(flag.clone()),
        _ => None,
    }
}
