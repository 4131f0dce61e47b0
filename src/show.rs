//! A plan for human eyes and for programs: the shell command of a dry run, its JSON, notes and the
//! provenance of `-v`. Pure; the caller prints.

mod json;
mod redact;
mod shell;

pub use json::json;
pub use shell::command;

use crate::options::Options;
use crate::plan::{LaunchPlan, Level};
use redact::secrets_hidden;

/// What the user should know before the start: warnings and notes, then hints.
pub fn notes(plan: &LaunchPlan) -> String {
    let mut text = String::new();
    for note in &plan.notes {
        let label = match note.level {
            Level::Hint => "sparkdbg",
            Level::Note => "note",
            Level::Warning => "warning",
        };
        text.push_str(&format!("{label}: {}\n", secrets_hidden(&note.message)));
    }
    text
}

/// `-v`: every choice and every rewrite, before, after, where from and why.
pub fn provenance(options: &Options, plan: &LaunchPlan) -> String {
    let mut text = String::new();
    let profile = options.profile.as_deref().unwrap_or("none");
    text.push_str(&format!("profile: {profile}\n"));
    text.push_str(&format!("{}: {} ({})\n", options.driver.role, options.driver.endpoint, options.driver.source));
    if !options.allow.value.is_empty() {
        text.push_str(&format!("allow: {} ({})\n", options.allow.value.join(", "), options.allow.source));
    }
    text.push_str(&format!("existing: {} ({})\n", options.existing.value, options.existing.source));
    if let Some(home) = &options.spark_home {
        text.push_str(&format!("spark-home: {} ({})\n", home.value.display(), home.source));
    }
    for (role, origin) in &options.ignored_roles {
        text.push_str(&format!("{role}: `sparkdbg {}` has no such role; ignored ({origin})\n", options.tool.command()));
    }
    text.push_str(&format!("program: {}\n", plan.program.display()));
    for rewrite in &plan.rewrites {
        let shown = |value: &Option<String>| match value {
            Some(value) => secrets_hidden(&redact::value(&rewrite.name, value)),
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
    for file in &plan.files {
        text.push_str(&format!("helper file: {}\n", file.path.display()));
    }
    text
}
