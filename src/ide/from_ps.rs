//! Run configurations for the JVMs that listen now.

use std::collections::BTreeMap;

use super::{Answer, RunConfiguration, name::Name};
use crate::cli::{Endpoints, Ide};
use crate::discovery::{self, Jvm, Seen, State, Way};
use crate::endpoint::{Mode, Role};
use crate::environment::Process;
use crate::error::Failure;
use crate::ps;

/// One for each JVM to which a debugger may come.
///
/// # Errors
/// Endpoints were named, which are asked for here (exit 2); nobody answers, or no JVM listens (exit 125).
pub fn ask(asked: &Ide, url: Option<&str>, process: &Process) -> Result<Answer, Failure> {
    let roles = roles(&asked.endpoints)?;
    let seen = discovery::look(&ps::look(url, &asked.timeout, process)?)?;
    let mut answer = answer(&seen, &roles);
    if answer.configurations.is_empty() {
        let left_out = answer.hints.first().map(|hint| format!(" ({hint})")).unwrap_or_default();
        return Err(Failure::world(format!("no JVM waits for a debugger now{left_out}"))
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
    let mut found: Vec<(&Jvm, Way)> = Vec::new();
    let asked_for = |jvm: &Jvm| (roles.is_empty() || roles.contains(&jvm.role)) && jvm.state != State::Gone;
    for (jvm, way) in seen.jvms.iter().zip(discovery::ways(&seen.jvms)).filter(|(jvm, _)| asked_for(jvm)) {
        let left_out = match (way, jvm.state) {
            (Some(Ok(way)), _) => {
                found.push((jvm, way));
                continue;
            }
            (Some(Err(obstacle)), _) => obstacle,
            (None, State::Attached) => "a debugger is attached",
            (None, State::Dialled) => "it dials out to its debugger",
            (None, _) => jvm.remark.as_deref().unwrap_or("its port is not known"),
        };
        hints.push(format!("{} is left out: {left_out}", plain(jvm)));
    }
    let names = names(&found);
    let mut configurations = Vec::new();
    for ((jvm, way), name) in found.into_iter().zip(names) {
        if let Some(tunnel) = way.tunnel {
            hints.push(format!("{} is reached through a tunnel: {tunnel}", plain(jvm)));
        }
        if jvm.state == State::Unknown {
            hints.push(format!("it cannot be told whether {} listens", plain(jvm)));
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

/// The port is not in them: it is another after every start, and the same name is to lead to the new one. Where two
/// would be alike, the application is named too, and where that does not help, the port.
fn names(found: &[(&Jvm, Way)]) -> Vec<Name> {
    let named = |name: &dyn Fn(&Jvm, &Way) -> String| -> Vec<Name> {
        found.iter().map(|(jvm, way)| Name::new(name(jvm, way).trim_end())).collect()
    };
    let with_app = |jvm: &Jvm| format!("{} {}", plain(jvm), jvm.app.as_deref().unwrap_or_default());
    let mut names = named(&|jvm, _| plain(jvm));
    let longer = [
        named(&|jvm, _| with_app(jvm)),
        named(&|jvm, way| format!("{} {} {}", with_app(jvm).trim_end(), way.host, way.port)),
    ];
    for longer in longer {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for name in &names {
            *counts.entry(name.slug()).or_default() += 1;
        }
        for (name, longer) in names.iter_mut().zip(longer) {
            if counts[&name.slug()] > 1 {
                *name = longer;
            }
        }
    }
    names
}

#[cfg(test)]
mod tests;
