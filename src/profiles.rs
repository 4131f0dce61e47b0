//! `sparkdbg profiles`: every profile, where each comes from, and what it comes to.

use std::fmt::Display;

use serde_json::{Map, Value, json};

use crate::cli::{Global, Profiles};
use crate::endpoint::Role;
use crate::environment::Process;
use crate::error::Failure;
use crate::output::{print, tell};
use crate::profile::{self, Listed, Sourced};
use crate::secrets::for_terminal;

/// The command.
///
/// # Errors
/// Options that mean nothing here (exit 2); a file that cannot be used, or has something wrong in it (exit 125).
pub fn run(asked: &Profiles, global: &Global) -> Result<(), Failure> {
    refuse_meaningless(global)?;
    let process = Process::current()?;
    let search = crate::profile_search(global, &process);
    let (mut listed, files) = profile::list(&search)?;
    let variable = crate::profile_variable(&process);
    if let Some(name) = &variable
        && !listed.iter().any(|one| one.name == *name)
    {
        tell(&format!(
            "warning: `SPARKDBG_PROFILE` names `{name}`, which is no profile: nothing starts without `-p`\n"
        ));
    }
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
    let text = if asked.json { as_json(&listed) } else { as_text(&listed, variable.as_deref()) };
    print(text.as_bytes())
}

fn refuse_meaningless(global: &Global) -> Result<(), Failure> {
    let given = [
        ("--dry-run", global.dry_run.is_some()),
        ("--spark-home", global.spark_home.is_some()),
        ("--flink-home", global.flink_home.is_some()),
        ("--no-preflight", global.no_preflight),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        Some((flag, _)) => {
            Err(Failure::usage(format!("`{flag}` has no meaning with `profiles`, which starts nothing")))
        }
        None => Ok(()),
    }
}

/// A key that is no role, with its value as text and as JSON, and the place where it was written.
struct Row {
    key: &'static str,
    shown: String,
    value: Value,
    origin: profile::Origin,
}

fn keys(profile: &profile::Profile) -> Vec<Row> {
    fn row<T>(
        key: &'static str,
        sourced: &Option<Sourced<T>>,
        shown: impl Fn(&T) -> String,
        value: impl Fn(&T) -> Value,
    ) -> Option<Row> {
        let Sourced { value: is, origin } = sourced.as_ref()?;
        Some(Row { key, shown: shown(is), value: value(is), origin: origin.clone() })
    }
    fn text<T>(key: &'static str, sourced: &Option<Sourced<T>>, shown: impl Fn(&T) -> String + Copy) -> Option<Row> {
        row(key, sourced, shown, move |value| shown(value).into())
    }
    fn displayed(value: &impl Display) -> String {
        value.to_string()
    }
    let rows = [
        row("allow", &profile.allow, |peers| peers.join(", "), |peers| peers.as_slice().into()),
        text("existing", &profile.existing, displayed),
        row("one-executor", &profile.one_executor, displayed, |is| (*is).into()),
        text("pause-limit", &profile.pause_limit, displayed),
        text("spark-home", &profile.spark_home, |path| path.display().to_string()),
        text("flink-home", &profile.flink_home, |path| path.display().to_string()),
        text("worker-master", &profile.worker_master, displayed),
    ];
    rows.into_iter().flatten().collect()
}

fn as_text(listed: &[Listed], variable: Option<&str>) -> String {
    let mut text = String::new();
    for one in listed {
        let places: Vec<String> = one.places.iter().map(|(file, line)| format!("{}:{line}", file.display())).collect();
        // Who names it when no flag does; the variable wins over the file.
        let default = match (variable == Some(&one.name), one.is_default) {
            (true, _) => " (SPARKDBG_PROFILE)",
            (false, true) if variable.is_none() => " (default)",
            (false, true) => " (default-profile; SPARKDBG_PROFILE names another)",
            (false, false) => "",
        };
        let inherits = match one.inherits.as_slice() {
            [] => String::new(),
            inherited => format!(", inherits {}", inherited.join(", ")),
        };
        text.push_str(&cell(&format!("{}{default}  {}{inherits}", one.name, places.join(", "))));
        text.push('\n');
        let endpoints = Role::ALL.into_iter().filter_map(|role| {
            let Sourced { value, origin } = one.profile.endpoint(role)?;
            Some((role.name(), value.resolve(role).to_string(), origin.clone()))
        });
        let keys = keys(&one.profile).into_iter().map(|row| (row.key, row.shown, row.origin));
        let rows: Vec<(&str, String, String)> = endpoints
            .chain(keys)
            .map(|(key, value, origin)| {
                (key, cell(&value), cell(&format!("{}:{}", origin.file.display(), origin.line)))
            })
            .collect();
        let key_width = rows.iter().map(|(key, ..)| key.len()).max().unwrap_or_default();
        let value_width = rows.iter().map(|(_, value, _)| value.chars().count()).max().unwrap_or_default();
        for (key, value, from) in &rows {
            text.push_str(&format!("  {key:<key_width$}  {value:<value_width$}  {from}\n"));
        }
    }
    text
}

/// One line, whatever a file of somebody's project holds.
fn cell(text: &str) -> String {
    for_terminal(text).replace(['\n', '\t'], " ")
}

fn as_json(listed: &[Listed]) -> String {
    let from = |origin: &profile::Origin| json!({ "file": origin.file.display().to_string(), "line": origin.line, "profile": origin.profile });
    let one = |one: &Listed| {
        let files: Vec<Value> =
            one.places.iter().map(|(file, line)| json!({ "file": file.display().to_string(), "line": line })).collect();
        let endpoints: Vec<Value> = Role::ALL
            .into_iter()
            .filter_map(|role| {
                let Sourced { value, origin } = one.profile.endpoint(role)?;
                let endpoint = value.resolve(role);
                Some(json!({
                    "role": role.name(),
                    "mode": endpoint.mode.name(),
                    "host": endpoint.host.as_str(),
                    "port": endpoint.port,
                    "suspend": endpoint.suspend,
                    "from": from(origin),
                }))
            })
            .collect();
        let keys: Map<String, Value> = keys(&one.profile)
            .into_iter()
            .map(|row| (row.key.to_owned(), json!({ "value": row.value, "from": from(&row.origin) })))
            .collect();
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
