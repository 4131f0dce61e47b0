//! A distribution that will run, and what holds for the scripts of Spark and of Flink alike.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Failure;
use crate::options::{Chosen, Source};
use crate::profile;
use crate::version::Version;

/// Who named the home.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A flag.
    Flag(String),
    /// A profile.
    Profile(profile::Origin),
    /// A variable.
    Variable(&'static str),
    /// The script on `PATH` lies in it.
    Path,
    /// A script on `PATH` that is a wrapper; the home was looked for in it and in the usual places.
    Wrapper,
    /// A package that pip installed.
    Pip(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Flag(flag) => f.write_str(flag),
            Origin::Profile(origin) => origin.fmt(f),
            Origin::Variable(name) => f.write_str(name),
            Origin::Path => f.write_str("PATH"),
            Origin::Wrapper => f.write_str("a wrapper script on PATH"),
            Origin::Pip(package) => write!(f, "a pip-installed {package}"),
        }
    }
}

impl Origin {
    /// The origin of a home that a flag or a profile names.
    pub fn of(chosen: &Chosen<PathBuf>) -> Origin {
        match &chosen.source {
            Source::Profile(origin) => Origin::Profile(origin.clone()),
            source => Origin::Flag(source.to_string()),
        }
    }
}

/// What will be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distribution {
    /// The program to exec.
    pub program: PathBuf,
    /// Its home, where one was found.
    pub home: Option<PathBuf>,
    /// Who named the home.
    pub origin: Origin,
    /// The version, where the files tell it.
    pub version: Option<Version>,
    /// Whether the child must be given our home as its `SPARK_HOME` or `FLINK_HOME`.
    pub export_home: bool,
}

/// Whether a script may be executed.
///
/// # Errors
/// It may not (126).
pub fn require_executable(program: &Path) -> Result<(), Failure> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(program).map(|metadata| metadata.permissions().mode()).unwrap_or(0);
    if mode & 0o111 == 0 {
        return Err(Failure::cannot_run(format!("`{}` is not executable", program.display()))
            .help(format!("chmod +x {}", program.display())));
    }
    Ok(())
}

/// The failure of a script that is sparkdbg itself, or calls it. `flag`: the one that names the real home.
pub fn leads_back(program: &Path, origin: &Origin, flag: &str) -> Failure {
    Failure::cannot_run(format!("`{}` ({origin}) leads back to sparkdbg", program.display()))
        .help(format!("name the real distribution: {flag} DIR"))
}

/// Whether a script is one of the user's that calls us: the two would call each other for ever.
pub fn calls_us(code: &str) -> bool {
    let mut words = code.split(|c: char| c.is_whitespace() || ";&|()`\"'$".contains(c));
    words.any(|word| word.rsplit('/').next() == Some("sparkdbg"))
}

/// The lines of a script that are no comments.
pub fn code_of(script: &Path) -> String {
    let text = fs::read(script).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    text.lines().filter(|line| !line.trim_start().starts_with('#')).map(|line| format!("{line}\n")).collect()
}
