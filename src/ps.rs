//! `sparkdbg ps`: where the JVMs of running applications wait for a debugger. Looks, prints, ends.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::cli::{Global, Ps};
use crate::discovery::{self, Credentials, Jvm, Look, Seen, State, Target};
use crate::endpoint::Role;
use crate::environment::Process;
use crate::error::Failure;
use crate::output::{print, tell};
use crate::text;

/// How often `--watch` looks. A human waits.
const POLL: Duration = Duration::from_secs(1);

/// How often `--watch` looks again when an executor or TaskManager is there whose port is not: it may just have started,
/// or it may have none.
const SETTLING_LOOKS: u32 = 5;

/// Nobody waits longer for one look, and clocks overflow far beyond.
const MOST_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

/// The command.
///
/// # Errors
/// A wrong URL or duration (exit 2); the one that URL names cannot be read, or no executor or TaskManager
/// appeared in time (exit 125).
pub fn run(asked: &Ps, global: &Global) -> Result<(), Failure> {
    if global.dry_run.is_some() {
        return Err(Failure::usage("`--dry-run` has no meaning with `ps`, which starts nothing"));
    }
    let watch = match &asked.watch {
        None => None,
        Some(None) => Some(None),
        Some(Some(text)) => Some(Some(duration("--watch", text)?)),
    };
    let look = look(asked.url.as_deref(), &asked.timeout, &Process::current()?)?;
    let seen = match watch {
        None => discovery::look(&look)?,
        Some(longest) => watched(&look, longest, global.quiet)?,
    };
    // Where Spark and Flink listen by default something else may listen: that is told only to who asks.
    let is_named = look.target != Target::Default;
    if !global.quiet && (is_named || seen.jvms.is_empty() || global.verbose) {
        let lines = seen.troubles.iter().chain(&seen.notes).map(|line| format!("note: {line}\n"));
        tell(&lines.collect::<String>());
    }
    if seen.jvms.is_empty() && !global.quiet {
        tell(&nothing(&seen, is_named));
    }
    let text = if asked.json { discovery::json(&seen.jvms) } else { shown(&seen.jvms) };
    print(text.as_bytes())
}

/// Whom to ask, for how long at most, and by which name.
///
/// # Errors
/// A wrong URL or duration (exit 2).
pub fn look(url: Option<&str>, timeout: &str, process: &Process) -> Result<Look, Failure> {
    let limit = duration("--timeout", timeout)?;
    if limit.is_zero() {
        return Err(Failure::usage("`--timeout 0s` lets nobody answer"));
    }
    if limit > MOST_TIMEOUT {
        let most = humantime::format_duration(MOST_TIMEOUT);
        return Err(Failure::usage(format!("`--timeout {timeout}`: longer than {most}")));
    }
    let (target, in_url) = Target::parse(url)?;
    let variable = |name: &str| process.var(name).map(text::decode).filter(|value| !value.is_empty());
    let from_environment = variable("SPARKDBG_USER")
        .map(|user| Credentials { user, password: variable("SPARKDBG_PASSWORD").unwrap_or_default() });
    Ok(Look {
        target,
        limit,
        credentials: in_url.or(from_environment),
        kubectl: which::which_in("kubectl", process.var("PATH"), Path::new(&process.cwd)).ok(),
    })
}

/// Looks until executors or TaskManagers are there, and until it is known where they listen.
fn watched(look: &Look, longest: Option<Duration>, quiet: bool) -> Result<Seen, Failure> {
    let started = Instant::now();
    let mut settling = 0;
    let mut told = quiet;
    loop {
        let last = discovery::look(look);
        let has_jobmanager = |seen: &Seen| seen.jvms.iter().any(|jvm| jvm.role == Role::JobManager);
        let awaited = if last.as_ref().is_ok_and(has_jobmanager) { "TaskManager" } else { "executor" };
        let is_awaited =
            |jvm: &&Jvm| matches!(jvm.role, Role::Executor | Role::TaskManager) && jvm.state != State::Gone;
        let executors = match &last {
            Ok(seen) => seen.jvms.iter().filter(is_awaited).collect(),
            // The UI opens when the driver runs. Who refuses us will do so again.
            Err(failure) if failure.message.contains("Unauthorized") => return last,
            Err(_) => Vec::new(),
        };
        let some_died = last.as_ref().is_ok_and(|seen| seen.jvms.iter().any(|jvm| jvm.state == State::Gone));
        let is_settled = |jvm: &&Jvm| jvm.state != State::Unknown || jvm.silent;
        if !executors.is_empty() && (executors.iter().all(is_settled) || settling >= SETTLING_LOOKS) {
            return last;
        }
        // Where they die at their start none would ever stay; their rows say why.
        if executors.is_empty() && some_died && settling >= SETTLING_LOOKS {
            return last;
        }
        settling += u32::from(!executors.is_empty() || some_died);
        if let Some(longest) = longest.filter(|longest| started.elapsed() + POLL > *longest) {
            let limit = humantime::format_duration(longest);
            return match last {
                Ok(seen) if !executors.is_empty() => Ok(seen),
                Ok(_) => Err(Failure::world(format!("no {awaited} appeared within {limit}"))
                    .help("sparkdbg ps without --watch shows what is there")),
                Err(failure) => Err(failure),
            };
        }
        if !told && executors.is_empty() {
            let why = last.as_ref().err().map(|failure| format!(" ({})", failure.message)).unwrap_or_default();
            tell(&format!("note: no {awaited}s yet{why}; looking every second, Ctrl-C ends it\n"));
            told = true;
        }
        thread::sleep(POLL);
    }
}

fn duration(option: &str, text: &str) -> Result<Duration, Failure> {
    humantime::parse_duration(text).map_err(|cause| {
        Failure::usage(format!("`{option} {text}`: {cause}")).help("write a number and its unit: 10s, 5m")
    })
}

fn nothing(seen: &Seen, is_named: bool) -> String {
    if is_named {
        return "note: no running application is there\n".to_owned();
    }
    let asked: Vec<&str> = seen.asked.iter().map(String::as_str).collect();
    format!(
        "note: no JVM of Spark's or Flink's was found; looked at: {}\nhelp: name where to ask: sparkdbg ps URL\n",
        asked.join("; ")
    )
}

fn shown(jvms: &[Jvm]) -> String {
    if jvms.is_empty() { String::new() } else { discovery::table(jvms) }
}
