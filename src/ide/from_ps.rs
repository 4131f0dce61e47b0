//! Run configurations for the JVMs that listen now.

use std::collections::BTreeMap;

use super::{Answer, RunConfiguration, name::Name};
use crate::cli::{Endpoints, Ide};
use crate::discovery::{self, Jvm, Seen, State, Way};
use crate::endpoint::{Mode, Role};
use crate::environment::Process;
use crate::error::Failure;
use crate::ps;

/// That of `sparkdbg ps`.
const DEFAULT_TIMEOUT: &str = "5s";

/// One for each JVM to which a debugger may come.
///
/// # Errors
/// Endpoints were named, which are asked for here (exit 2); nobody answers, or no JVM listens (exit 125).
pub fn ask(asked: &Ide, url: Option<&str>, process: &Process) -> Result<Answer, Failure> {
    let roles = roles(&asked.endpoints)?;
    if url == Some("") {
        return Err(Failure::usage("`--from-ps=` names no URL")
            .help("--from-ps alone asks this machine, --from-ps=http://edge1:4040 a web UI"));
    }
    let timeout = asked.timeout.as_deref().unwrap_or(DEFAULT_TIMEOUT);
    let look = ps::look(url, timeout, process).map_err(|mut failure| {
        failure.help = failure.help.map(|help| help.replace(": sparkdbg ps ", ": --from-ps="));
        failure
    })?;
    let seen = discovery::look(&look)?;
    let mut answer = answer(&seen, &roles);
    if answer.configurations.is_empty() {
        let names: Vec<&str> = roles.iter().map(|role| role.name()).collect();
        let who = if names.is_empty() { "JVM".to_owned() } else { names.join(" or ") };
        let left_out = answer.hints.first().map(|hint| format!(" ({hint})")).unwrap_or_default();
        return Err(Failure::world(format!("no {who} waits for a debugger now{left_out}"))
            .help("`sparkdbg ps`, asked the same, says what is there and why"));
    }
    // Where Spark listens by default something else may listen: that is told only to who asks.
    if url.is_some() {
        answer.hints.extend(seen.troubles.iter().chain(&seen.notes).cloned());
    }
    Ok(answer)
}

/// Those that narrow the answer; empty: all.
fn roles(endpoints: &Endpoints) -> Result<Vec<Role>, Failure> {
    let Endpoints { driver, executor, daemon, client, jobmanager, taskmanager, attach, listen, suspend, no_suspend } =
        endpoints;
    let flags = [
        (Role::Driver, driver),
        (Role::Executor, executor),
        (Role::Daemon, daemon),
        (Role::Client, client),
        (Role::JobManager, jobmanager),
        (Role::TaskManager, taskmanager),
    ];
    let with_value =
        flags.iter().find_map(|(role, flag)| flag.as_ref()?.as_ref().map(|endpoint| format!("--{role}={endpoint}")));
    let shorthands = [
        ("--attach", attach.is_some()),
        ("--listen", listen.is_some()),
        ("--suspend", *suspend),
        ("--no-suspend", *no_suspend),
    ];
    let shorthand = shorthands.into_iter().find(|(_, given)| *given).map(|(flag, _)| flag.to_owned());
    if let Some(word) = with_value.or(shorthand) {
        return Err(Failure::usage(format!(
            "`{word}` has no meaning with `--from-ps`, which asks where the JVMs listen"
        ))
        .help("leave one of them out; a role alone, such as `--executor`, narrows the answer"));
    }
    Ok(flags.into_iter().filter(|(_, flag)| flag.is_some()).map(|(role, _)| role).collect())
}

fn answer(seen: &Seen, roles: &[Role]) -> Answer {
    let mut hints = Vec::new();
    let mut found: Vec<(&Jvm, Way, String)> = Vec::new();
    let asked_for = |jvm: &Jvm| (roles.is_empty() || roles.contains(&jvm.role)) && jvm.state != State::Gone;
    let all: Vec<_> = seen.jvms.iter().zip(discovery::ways(&seen.jvms)).filter(|(jvm, _)| asked_for(jvm)).collect();
    let labels = labels(all.iter().map(|(jvm, _)| *jvm));
    for ((jvm, way), label) in all.into_iter().zip(labels) {
        let left_out = match (way, jvm.state) {
            (Some(Ok(way)), _) => {
                found.push((jvm, way, label));
                continue;
            }
            (Some(Err(obstacle)), _) => obstacle,
            (None, State::Attached) => "a debugger is attached",
            (None, State::Dialled) => "it dials out to its debugger",
            (None, _) => jvm.remark.as_deref().unwrap_or("its port is not known"),
        };
        hints.push(format!("{label} is left out: {left_out}"));
    }
    let names = names(found.iter().map(|(jvm, way, _)| (*jvm, way)));
    let mut configurations = Vec::new();
    for ((jvm, way, label), name) in found.into_iter().zip(names) {
        if let Some(tunnel) = way.tunnel {
            hints.push(format!("{label} is reached through a tunnel: {tunnel}"));
        }
        if jvm.state == State::Unknown {
            hints.push(format!("it cannot be told whether {label} listens"));
        }
        configurations.push(RunConfiguration { name, mode: Mode::Attach, host: way.host, port: way.port });
    }
    Answer { configurations, hints }
}

/// `executor 3`; `driver`, whose id says no more.
fn plain(jvm: &Jvm) -> String {
    let role = jvm.role.name();
    if jvm.id.is_empty() || jvm.id == role { role.to_owned() } else { format!("{role} {}", jvm.id) }
}

/// How each is called in a sentence: `driver of app-1` where there are several.
fn labels<'a>(jvms: impl Iterator<Item = &'a Jvm>) -> Vec<String> {
    let forms = |jvm: &Jvm| {
        let of_app = jvm.app.as_ref().map_or_else(|| plain(jvm), |app| format!("{} of {app}", plain(jvm)));
        let port = jvm.port.map(|port| format!(":{port}")).unwrap_or_default();
        let at_place = format!("{of_app} at {}{port}", jvm.host);
        [plain(jvm), of_app, at_place]
    };
    told_apart(jvms.map(forms).collect(), String::clone)
}

/// The port is not in them: it is another after every start, and the same name is to lead to the new one. Where two
/// would be alike, the application is named too, and where that does not help, the port.
fn names<'a>(found: impl Iterator<Item = (&'a Jvm, &'a Way)>) -> Vec<Name> {
    let forms = |(jvm, way): (&Jvm, &Way)| {
        let with_app = format!("{} {}", plain(jvm), jvm.app.as_deref().unwrap_or_default());
        let with_app = with_app.trim_end();
        let with_place = format!("{with_app} {} {}", way.host, way.port);
        [Name::new(&plain(jvm)), Name::new(with_app), Name::new(&with_place)]
    };
    told_apart(found.map(forms).collect(), Name::slug)
}

/// Of each the shortest form that no other has.
fn told_apart<T: Clone>(forms: Vec<[T; 3]>, key: impl Fn(&T) -> String) -> Vec<T> {
    let mut chosen: Vec<T> = forms.iter().map(|[shortest, ..]| shortest.clone()).collect();
    for length in 1..3 {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for one in &chosen {
            *counts.entry(key(one)).or_default() += 1;
        }
        for (one, forms) in chosen.iter_mut().zip(&forms) {
            if counts[&key(one)] > 1 {
                *one = forms[length].clone();
            }
        }
    }
    chosen
}

#[cfg(test)]
mod tests;
