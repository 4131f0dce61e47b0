//! A link, the script behind it, and the link again: what a script that looks for itself on `PATH` comes to.
//!
//! Each script is started once in a chain, so that it ends. A variable hands on which were; Spark's and Flink's own scripts
//! call no link for themselves, and do not get it. A wrapper may hand it on to a job by starting the real script by its
//! path: a job that starts further jobs begins a new chain, which the JVM between the two tells.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::environment::{flink_home, home};

/// `PID:debugged:SCRIPT:SCRIPT…`; no entry of `PATH` can hold a colon.
const VARIABLE: &str = "SPARKDBG_CHAIN";

const DEBUGGED: &[u8] = b"debugged";
const AS_IT_IS: &[u8] = b"as-it-is";

/// What the links that led here have started.
#[derive(Debug, Default)]
pub struct Chain {
    /// Whether one of them has put the agent in.
    pub debugged: bool,
    started: Vec<PathBuf>,
}

impl Chain {
    /// That of this process.
    pub fn current() -> Chain {
        env::var_os(VARIABLE).and_then(|value| parse(&value)).unwrap_or_default()
    }

    /// Whether it has started that script, under whatever path.
    pub fn has_started(&self, script: &Path) -> bool {
        self.started.iter().any(|known| known == script || same_file::is_same_file(known, script).unwrap_or(false))
    }

    /// How the variable has to change for a script that this process becomes, to `None` where it goes; none where it is right.
    pub fn change(&self, script: &Path, debugged: bool) -> Option<(&'static str, Option<OsString>)> {
        let value = self.with(script, debugged);
        (value.is_some() || env::var_os(VARIABLE).is_some()).then_some((VARIABLE, value))
    }

    fn with(&self, script: &Path, debugged: bool) -> Option<OsString> {
        if home::is_of_distribution(script) || flink_home::is_of_distribution(script) || leads_to_home(script) {
            return None;
        }
        let state = if debugged || self.debugged { DEBUGGED } else { AS_IT_IS };
        let mut value = [std::process::id().to_string().as_bytes(), b":", state].concat();
        for script in self.started.iter().map(PathBuf::as_path).chain([script]) {
            value.push(b':');
            value.extend(script.as_os_str().as_bytes());
        }
        Some(OsString::from_vec(value))
    }
}

fn parse(value: &OsStr) -> Option<Chain> {
    let mut fields = value.as_bytes().split(|byte| *byte == b':');
    let start: u32 = std::str::from_utf8(fields.next()?).ok()?.parse().ok()?;
    let debugged = fields.next()? == DEBUGGED;
    if start != std::process::id() && is_over(start) {
        return None;
    }
    Some(Chain { debugged, started: fields.map(|field| PathBuf::from(OsStr::from_bytes(field))).collect() })
}

/// Whether a JVM stands between the process that started the last script and this one. Where the two have lost each other,
/// as when a script goes on in the background, only that process tells.
#[cfg(target_os = "linux")]
fn is_over(start: u32) -> bool {
    let look = |pid: i32| procfs::process::Process::new(pid).and_then(|process| process.stat()).ok();
    let is_jvm = |facts: &procfs::process::Stat| facts.comm == "java";
    let Ok(start) = i32::try_from(start) else { return false };
    let mut next = look(std::process::id().cast_signed());
    while let Some(facts) = next {
        if is_jvm(&facts) {
            return true;
        }
        if facts.pid == start {
            return false;
        }
        next = look(facts.ppid);
    }
    look(start).is_some_and(|facts| is_jvm(&facts))
}

/// Without `/proc` nobody tells.
#[cfg(not(target_os = "linux"))]
fn is_over(_start: u32) -> bool {
    false
}

#[cfg(target_os = "linux")]
fn leads_to_home(_script: &Path) -> bool {
    false
}

/// A wrapper that names the real script, as Homebrew's does, is taken for one that calls no link: a job behind it could not
/// be told from the wrapper.
#[cfg(not(target_os = "linux"))]
fn leads_to_home(script: &Path) -> bool {
    home::is_wrapper_of_distribution(script)
}
