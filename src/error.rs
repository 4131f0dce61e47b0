//! The one error type whose exit code matters: every failure of sparkdbg itself, before the real
//! script takes over.
//!
//! The codes are those of `env`, `timeout` and `nohup`, so that a failure of sparkdbg never looks
//! like one of the job.

use std::fmt;
use std::io;

/// Who or what decided that the launch cannot go on. The number is the exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The command line alone is wrong: exit 2.
    Usage = 2,
    /// Files, environment or sockets stand in the way: exit 125.
    World = 125,
    /// The program was found but cannot be run: exit 126.
    CannotRun = 126,
    /// The program was not found: exit 127.
    NotFound = 127,
}

/// A failure with its cure. Printed as `error: …` and at most one `help: …` line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Decides the exit status.
    pub kind: Kind,
    /// Object, what failed, cause; lower case, back-quotes round the user's words.
    pub message: String,
    /// The flag, variable or edit that cures it.
    pub help: Option<String>,
}

impl Failure {
    /// The command line alone is wrong (exit 2).
    pub fn usage(message: impl Into<String>) -> Failure {
        Failure { kind: Kind::Usage, message: message.into(), help: None }
    }

    /// Files, environment or sockets stand in the way (exit 125).
    pub fn world(message: impl Into<String>) -> Failure {
        Failure { kind: Kind::World, message: message.into(), help: None }
    }

    /// The program was found but cannot be run (exit 126).
    pub fn cannot_run(message: impl Into<String>) -> Failure {
        Failure { kind: Kind::CannotRun, message: message.into(), help: None }
    }

    /// The program was not found (exit 127).
    pub fn not_found(message: impl Into<String>) -> Failure {
        Failure { kind: Kind::NotFound, message: message.into(), help: None }
    }

    /// The same failure, where not the command line alone decided.
    pub fn blamed_on_world(mut self, world_decides: bool) -> Failure {
        if world_decides {
            self.kind = Kind::World;
        }
        self
    }

    /// Adds the line that says what to do about it.
    pub fn help(mut self, help: impl Into<String>) -> Failure {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)?;
        match &self.help {
            Some(help) => write!(f, "\nhelp: {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Failure {}

/// The cause of an error, to stand after a colon: what the operating system says is without its number.
pub fn cause(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((text, _)) => text.to_lowercase(),
        None => text,
    }
}

/// The word of `known` nearest to `word`, if it is near enough to be what the user meant.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(word, candidate), candidate))
        .filter(|(similarity, _)| *similarity > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}
