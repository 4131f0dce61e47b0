//! A plan for human eyes and for programs: the shell command of a dry run, its JSON, notes and the
//! provenance of `-v`. Pure; the caller prints.

mod json;
mod shell;

pub use json::{as_json, json};
pub use shell::{command, variable_holds_secret, word};

use std::path::PathBuf;

use crate::endpoint::Role;
use crate::environment::Environment;
use crate::environment::distribution::Distribution;
use crate::environment::flink::FlinkEnvironment;
use crate::options::{Options, Source, Target};
use crate::plan::{DebugEndpoint, LaunchPlan, Level, Note};
use crate::secrets;

/// What the user should know before the start: warnings and notes, then hints. `-Dk=v` secrets are
/// still in it, here and in [`provenance`]: see [`secrets::for_terminal`].
pub fn notes(plan: &LaunchPlan) -> String {
    lines(&plan.notes)
}

/// One line for each note.
pub fn lines(notes: &[Note]) -> String {
    let mut text = String::new();
    for note in notes {
        let label = match note.level {
            Level::Hint => "sparkdbg",
            Level::Note => "note",
            Level::Warning => "warning",
        };
        text.push_str(&format!("{label}: {}\n", note.message));
    }
    text
}

/// Whose script is started, for `-v`.
pub struct System {
    /// `Spark` or `Flink`.
    pub name: &'static str,
    /// The distribution.
    pub distribution: Distribution,
    /// A file that was sourced or read, and the word for that.
    pub read: Option<(&'static str, PathBuf)>,
}

impl System {
    /// A Spark.
    pub fn spark(environment: Environment) -> System {
        let sourced = environment.spark_env.filter(|_| environment.sourced);
        System { name: "Spark", distribution: environment.distribution, read: sourced.map(|file| ("sourced", file)) }
    }

    /// A Flink.
    pub fn flink(environment: FlinkEnvironment) -> System {
        let read = environment.conf.file.map(|file| ("configuration", file));
        System { name: "Flink", distribution: environment.distribution, read }
    }
}

/// `-v`: every choice and every rewrite, before, after, where from and why.
pub fn provenance(options: &Options, system: &System, plan: &LaunchPlan) -> String {
    let mut text = String::new();
    match &options.profile {
        Some((name, by)) => text.push_str(&format!("profile: {name} ({by})\n")),
        None => text.push_str("profile: none\n"),
    }
    for file in &options.profile_files {
        text.push_str(&format!("profile file: {}\n", file.display()));
    }
    for Target { role, endpoint, source, suspend_flag, .. } in &options.targets {
        let suspend = suspend_flag.map(|flag| format!(", {flag}")).unwrap_or_default();
        text.push_str(&format!("{role}: {endpoint} ({source}{suspend})\n"));
    }
    // An agent that is kept, or a free port that was picked.
    let chosen =
        |debug: &DebugEndpoint| options.target(debug.role).is_some_and(|target| target.endpoint == debug.endpoint);
    for debug in plan.endpoints.iter().filter(|debug| !chosen(debug)) {
        text.push_str(&format!("{} meets its debugger at: {}\n", debug.role, debug.endpoint));
    }
    if options.target(Role::Executor).is_some() || options.one_executor.source != Source::Default {
        let number = if options.one_executor.value { "one" } else { "all" };
        text.push_str(&format!("executors: {number} ({})\n", options.one_executor.source));
    }
    text.push_str(&format!("pause-limit: {} ({})\n", options.pause_limit.value, options.pause_limit.source));
    if !options.allow.value.is_empty() {
        text.push_str(&format!("allow: {} ({})\n", options.allow.value.join(", "), options.allow.source));
    }
    text.push_str(&format!("existing: {} ({})\n", options.existing.value, options.existing.source));
    if let Some(limit) = options.wait_for_debugger {
        text.push_str(&format!("wait-for-debugger: {} (--wait-for-debugger)\n", humantime::format_duration(limit)));
    }
    if !options.preflight {
        text.push_str("preflight: findings are warnings (--no-preflight)\n");
    }
    for (key, origin) in &options.ignored {
        text.push_str(&format!(
            "{key}: ignored, it has no effect on `sparkdbg {}` ({origin})\n",
            options.tool.command()
        ));
    }
    let System { name, distribution, read } = system;
    let version = distribution.version.as_ref().map(|version| format!("{name} {version}, ")).unwrap_or_default();
    text.push_str(&format!("program: {} ({version}{})\n", plan.program.display(), distribution.origin));
    if let Some((how, file)) = read {
        text.push_str(&format!("{how}: {}\n", file.display()));
    }
    for rewrite in &plan.rewrites {
        let shown = |value: &Option<String>| match value {
            Some(value) => secrets::value_of(&rewrite.name, value),
            None => "(not set)".to_owned(),
        };
        text.push_str(&format!(
            "{}\n  before: {}\n  after:  {}\n  from:   {}\n  why:    {}\n",
            rewrite.name,
            shown(&rewrite.before),
            shown(&rewrite.after),
            rewrite.from,
            rewrite.why
        ));
    }
    for file in plan.written_files() {
        text.push_str(&format!("helper file: {}\n", file.display()));
    }
    text
}
