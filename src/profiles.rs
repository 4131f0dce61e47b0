//! `sparkdbg profiles`: every profile, where each comes from, and what it comes to.

use std::fmt::Display;

use serde_json::{Map, Value, json};

use crate::cli::{Global, Profiles};
use crate::endpoint::Role;
use crate::environment::Process;
use crate::error::Failure;
use crate::output::{print, tell};
use crate::profile::{self, Listed, Sourced};

/// The command.
///
/// # Errors
/// `--dry-run` (exit 2); a file that cannot be used, or has something wrong in it (exit 125).
pub fn run(asked: &Profiles, global: &Global) -> Result<(), Failure> {
    if global.dry_run.is_some() {
        return Err(Failure::usage("`--dry-run` has no meaning with `profiles`, which starts nothing"));
    }
    let process = Process::current()?;
    let search = crate::profile_search(global, &process);
    let (mut listed, files) = profile::list(&search)?;
    if let Some(name) = &global.profile {
        // An unknown one is an error, as everywhere.
        profile::load(&search, Some((name, "--profile")))?;
        listed.retain(|one| one.name == *name);
    }
    if listed.is_empty() && !global.quiet {
        let where_to = match files.as_slice() {
            [] => profile::places(&search),
            files => {
                let names: Vec<String> = files.iter().map(|file| format!("`{}`", file.display())).collect();
                format!("none is defined in {}", names.join(", "))
            }
        };
        tell(&format!("note: there are no profiles; {where_to}\nhelp: sparkdbg init writes one\n"));
    }
    let text = if asked.json { as_json(&listed) } else { as_text(&listed) };
    print(text.as_bytes())
}

/// A key with its value and the place where it was written.
struct Row {
    key: String,
    value: String,
    from: String,
}

fn rows(listed: &Listed) -> Vec<Row> {
    fn row<T>(key: &str, sourced: &Sourced<T>, value: impl Display) -> Row {
        let origin = &sourced.origin;
        let from = format!("{}:{}", origin.file.display(), origin.line);
        Row { key: key.to_owned(), value: value.to_string(), from }
    }
    let profile = &listed.profile;
    let endpoints = Role::ALL.into_iter().filter_map(|role| {
        let sourced = profile.endpoint(role)?;
        Some(row(role.name(), sourced, sourced.value.resolve(role)))
    });
    let path = |key, sourced: &Option<Sourced<std::path::PathBuf>>| {
        sourced.as_ref().map(|sourced| row(key, sourced, sourced.value.display()))
    };
    let keys = [
        profile.allow.as_ref().map(|sourced| row("allow", sourced, sourced.value.join(", "))),
        profile.existing.as_ref().map(|sourced| row("existing", sourced, sourced.value)),
        profile.one_executor.as_ref().map(|sourced| row("one-executor", sourced, sourced.value)),
        profile.pause_limit.as_ref().map(|sourced| row("pause-limit", sourced, sourced.value)),
        path("spark-home", &profile.spark_home),
        path("flink-home", &profile.flink_home),
        profile.worker_master.as_ref().map(|sourced| row("worker-master", sourced, &sourced.value)),
    ];
    endpoints.chain(keys.into_iter().flatten()).collect()
}

fn as_text(listed: &[Listed]) -> String {
    let mut text = String::new();
    for one in listed {
        let places: Vec<String> = one.places.iter().map(|(file, line)| format!("{}:{line}", file.display())).collect();
        let default = if one.is_default { " (default)" } else { "" };
        let inherits = match one.inherits.as_slice() {
            [] => String::new(),
            inherited => format!(", inherits {}", inherited.join(", ")),
        };
        text.push_str(&format!("{}{default}  {}{inherits}\n", one.name, places.join(", ")));
        let rows = rows(one);
        let width = |of: fn(&Row) -> &String| rows.iter().map(|row| of(row).chars().count()).max().unwrap_or_default();
        let (keys, values) = (width(|row| &row.key), width(|row| &row.value));
        for Row { key, value, from } in &rows {
            text.push_str(&format!("  {key:<keys$}  {value:<values$}  {from}\n"));
        }
    }
    text
}

fn as_json(listed: &[Listed]) -> String {
    let one = |one: &Listed| {
        let files: Vec<Value> =
            one.places.iter().map(|(file, line)| json!({ "file": file.display().to_string(), "line": line })).collect();
        let endpoints: Vec<Value> = Role::ALL
            .into_iter()
            .filter_map(|role| {
                let endpoint = one.profile.endpoint(role)?.value.resolve(role);
                Some(json!({
                    "role": role.name(),
                    "mode": endpoint.mode.name(),
                    "host": endpoint.host.as_str(),
                    "port": endpoint.port,
                    "suspend": endpoint.suspend,
                }))
            })
            .collect();
        let is_role = |key: &str| Role::ALL.into_iter().any(|role| role.name() == key);
        let keys: Map<String, Value> =
            rows(one).into_iter().filter(|row| !is_role(&row.key)).map(|row| (row.key, row.value.into())).collect();
        json!({
            "name": one.name,
            "default": one.is_default,
            "files": files,
            "inherits": one.inherits,
            "endpoints": endpoints,
            "keys": keys,
        })
    };
    let all: Vec<Value> = listed.iter().map(one).collect();
    format!("{:#}\n", Value::from(all))
}
