//! The effects at the end: helper files, the wait for a debugger, and the exec that replaces us.

mod files;

pub use files::write_files;

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::environment::ports::{self, Finding};
use crate::error::{self, Failure};
use crate::plan::LaunchPlan;

/// How often the socket table is read while waiting; a human starts the debugger.
const POLL: Duration = Duration::from_millis(100);

/// Waits until somebody listens where the JVM will dial. Returns the line to print when nobody came
/// and the job starts all the same.
///
/// # Errors
/// Nobody does in time.
pub fn wait_for_debugger(plan: &LaunchPlan) -> Result<Option<String>, Failure> {
    let Some(wait) = &plan.wait else { return Ok(None) };
    let start = Instant::now();
    for endpoint in &wait.endpoints {
        while ports::look(endpoint) == Finding::Nobody {
            let left = wait.limit.saturating_sub(start.elapsed());
            if left.is_zero() {
                let limit = humantime::format_duration(wait.limit);
                let message = format!("nobody listened on {}:{} within {limit}", endpoint.host, endpoint.port);
                if wait.start_anyway {
                    return Ok(Some(format!("warning: {message}; starting all the same\n")));
                }
                return Err(Failure::world(message).help("start the debugger in its listen mode, then run this again"));
            }
            std::thread::sleep(POLL.min(left));
        }
    }
    Ok(None)
}

/// Replaces this process with the program; returns only if that failed.
pub fn exec(plan: &LaunchPlan) -> Failure {
    let mut command = Command::new(&plan.program);
    command.args(&plan.args);
    for (name, value) in &plan.env {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    cannot_start(&plan.program, &command.exec())
}

/// Replaces this process with a script, in the environment as it is but for one variable, if that has to change (`None`: it
/// goes); returns only if that failed.
pub fn exec_untouched(program: &Path, args: &[OsString], change: Option<(&str, Option<OsString>)>) -> Failure {
    let mut command = Command::new(program);
    match change {
        Some((name, Some(value))) => command.env(name, value),
        Some((name, None)) => command.env_remove(name),
        None => &mut command,
    };
    cannot_start(program, &command.args(args).exec())
}

fn cannot_start(program: &Path, cause: &io::Error) -> Failure {
    let program = program.display();
    let text = error::cause(cause);
    match cause.kind() {
        ErrorKind::NotFound => Failure::not_found(format!("`{program}` cannot be started: {text}"))
            .help("the interpreter of its first line may be missing"),
        ErrorKind::ArgumentListTooLong => Failure::cannot_run(format!("`{program}` cannot be started: {text}"))
            .help("one word or all together are too long for the system: move settings to a properties file"),
        _ => Failure::cannot_run(format!("`{program}` cannot be started: {text}")),
    }
}
