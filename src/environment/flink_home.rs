//! Which Flink will run: the script, the home it belongs to and its version, by reading files only.
//!
//! Order: flag, profile, `FLINK_HOME`, `PATH`, a pip-installed `apache-flink`. Called by a link, we stand for the script
//! behind it; where there is none, `FLINK_HOME` tells.

use std::fs;
use std::path::{Path, PathBuf};

use super::distribution::{Distribution, Origin, calls_us, code_of, leads_back, require_executable};
use super::{Link, Process, pip};
use crate::error::Failure;
use crate::flink::script::Script;
use crate::options::Chosen;
use crate::version::Version;

const FLAG: &str = "--flink-home";

/// Finds the distribution for a script.
///
/// # Errors
/// Nothing found (127), or a script that cannot be run (126).
pub fn find(script: Script, named: Option<&Chosen<PathBuf>>, process: &Process) -> Result<Distribution, Failure> {
    if let Some(chosen) = named {
        return in_home(script, process.absolute(&chosen.value), Origin::of(chosen), process);
    }
    let variable =
        process.var("FLINK_HOME").filter(|home| !home.is_empty()).map(|home| process.absolute(home.as_ref()));
    if let Some(link) = &process.link {
        match (&link.script, &variable) {
            (Some(program), _) => return behind(script, link, program, variable, process),
            (None, Some(_)) => {}
            (None, None) => return Err(link.stands_alone()),
        }
    }
    if let Some(home) = variable {
        // Links of helper files lead to it.
        return in_home(script, home, Origin::Variable("FLINK_HOME"), process);
    }
    if let Some(distribution) = on_path(script, process)? {
        return Ok(distribution);
    }
    if let Some(home) = pip::home(pip::Package::Pyflink, &["python3", "python"], process) {
        return in_home(script, home, Origin::Pip("apache-flink"), process);
    }
    Err(Failure::not_found(format!("no Flink was found: `{}` is not on PATH", script.file_name()))
        .help("name the distribution: --flink-home DIR, or FLINK_HOME"))
}

/// The script behind a link. Flink's own scripts take the home in which they lie.
fn behind(
    script: Script,
    link: &Link,
    program: &Path,
    variable: Option<PathBuf>,
    process: &Process,
) -> Result<Distribution, Failure> {
    if let Some(home) = home_around(program) {
        return in_home(script, home, Origin::Path, process);
    }
    // A wrapper that goes on to what it finds on `PATH`.
    let on_path = || {
        let mut found = which::which_in_all(link.name, process.var("PATH"), &process.cwd).into_iter().flatten();
        found.find_map(|script| home_around(&script))
    };
    let home = named_by_wrapper(&code_of(program)).or(variable).or_else(on_path);
    let version = home.as_deref().and_then(version_of);
    Ok(Distribution { program: program.to_path_buf(), home, origin: Origin::Wrapper, version, export_home: false })
}

/// The distribution in whose `bin` the script lies.
fn home_around(script: &Path) -> Option<PathBuf> {
    let real = fs::canonicalize(script).ok()?;
    real.parent().and_then(Path::parent).filter(|home| is_home(home)).map(Path::to_owned)
}

/// Whether a script is one of Flink's own.
pub fn is_of_distribution(script: &Path) -> bool {
    home_around(script).is_some()
}

/// The script of a home that somebody named.
fn in_home(script: Script, home: PathBuf, origin: Origin, process: &Process) -> Result<Distribution, Failure> {
    if !is_home(&home) {
        let shown = home.display();
        return Err(Failure::not_found(format!(
            "`{shown}` ({origin}) is no Flink distribution: `{shown}/bin/config.sh` is missing"
        ))
        .help("a Flink home is the directory that holds bin/flink and bin/config.sh"));
    }
    let program = home.join("bin").join(script.file_name());
    if !program.is_file() {
        return Err(Failure::not_found(format!(
            "the Flink in `{}` has no `bin/{}`",
            home.display(),
            script.file_name()
        ))
        .help("choose another distribution: --flink-home DIR"));
    }
    require_executable(&program)?;
    if process.is_ourselves(&program) || calls_us(&code_of(&program)) {
        return Err(leads_back(&program, &origin, FLAG));
    }
    let version = version_of(&home);
    let named = process.var("FLINK_HOME").map(|variable| process.absolute(Path::new(variable)));
    let export_home = named.is_none_or(|named| named != home);
    Ok(Distribution { program, home: Some(home), origin, version, export_home })
}

/// Whether a directory holds a Flink.
pub fn is_home(dir: &Path) -> bool {
    dir.join("bin/flink").is_file() && dir.join("bin/config.sh").is_file()
}

/// The version of the Flink to which a script belongs, where its place tells.
pub fn version_behind(script: &Path) -> Option<Version> {
    home_around(script).as_deref().and_then(version_of)
}

/// The first script on `PATH` that is not ourselves; where it is not on it, the distribution of the first
/// `flink`.
fn on_path(script: Script, process: &Process) -> Result<Option<Distribution>, Failure> {
    for name in [script.file_name(), Script::Flink.file_name()] {
        let Some(path) = process.var("PATH") else { return Ok(None) };
        let candidates = which::which_in_all(name, Some(path), &process.cwd).into_iter().flatten();
        for candidate in candidates.filter(|candidate| !process.is_ourselves(candidate)) {
            let code = code_of(&candidate);
            if calls_us(&code) {
                continue;
            }
            if let Some(home) = home_around(&candidate) {
                return in_home(script, home, Origin::Path, process).map(Some);
            }
            // EMR and Bigtop put a wrapper on PATH, whose variables are lost where it is passed by.
            let Some(home) = named_by_wrapper(&code) else { continue };
            if name != script.file_name() {
                return in_home(script, home, Origin::Wrapper, process).map(Some);
            }
            let version = version_of(&home);
            let distribution = Distribution {
                program: candidate,
                home: Some(home),
                origin: Origin::Wrapper,
                version,
                export_home: false,
            };
            return Ok(Some(distribution));
        }
    }
    Ok(None)
}

/// The home whose script a wrapper runs: `exec /usr/lib/flink/bin/flink "$@"`.
fn named_by_wrapper(code: &str) -> Option<PathBuf> {
    let words = code.split(|c: char| c.is_whitespace() || "\"';=:}".contains(c));
    let mut dirs = words.filter_map(|word| {
        let bin = word.find("/bin/").map_or(word, |at| &word[..at]);
        bin.starts_with('/').then(|| PathBuf::from(bin))
    });
    dirs.find(|dir| is_home(dir)).or_else(|| Some(PathBuf::from("/usr/lib/flink")).filter(|dir| is_home(dir)))
}

/// The version in the name of `flink-dist-1.20.1.jar`, before 1.15 `flink-dist_2.12-1.14.6.jar`; else what a
/// pip-installed one says of itself.
fn version_of(home: &Path) -> Option<Version> {
    let from_jar = || {
        let jars = fs::read_dir(home.join("lib")).ok()?.flatten();
        let mut names = jars.filter_map(|entry| entry.file_name().into_string().ok());
        names.find_map(|name| {
            let rest = name.strip_prefix("flink-dist")?.strip_suffix(".jar")?;
            Version::parse(rest.split_once('-')?.1)
        })
    };
    let from_python = || {
        let text = fs::read_to_string(home.join("version.py")).ok()?;
        Version::parse(text.split("__version__").nth(1)?.split(['"', '\'']).nth(1)?)
    };
    from_jar().or_else(from_python)
}
