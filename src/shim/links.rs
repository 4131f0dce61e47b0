//! The links in a directory: made and taken away, and nothing else touched.

use std::fs::{self, DirBuilder, Metadata};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};

use crate::environment::is_same_program;
use crate::error::{self, Failure};
use crate::trust;

/// What stands under the name of a link.
enum There {
    Nothing,
    /// A link to sparkdbg: to this one, to another, or to one that is gone.
    Ours {
        target: PathBuf,
    },
    /// Anything else.
    Other,
}

/// Makes the links to `target`, a path of `exe`, the file that runs. Returns what to say.
///
/// # Errors
/// Others can write the directory; something that is not ours has one of the names: then nothing is changed.
pub fn install(dir: &Path, names: &[&str], target: &Path, exe: &Path) -> Result<String, Failure> {
    prepare(dir)?;
    let mut missing = Vec::new();
    for name in names {
        let path = dir.join(name);
        match look(&path, exe).map_err(|cause| failure(&path, "cannot be read", &cause))? {
            There::Ours { target: old } if old == target => {}
            There::Nothing | There::Ours { .. } => missing.push(path),
            There::Other => {
                return Err(Failure::world(format!(
                    "`{}` is no link to sparkdbg: nothing was changed",
                    path.display()
                ))
                .help("choose another directory, or name the links: sparkdbg shim install DIR NAME…"));
            }
        }
    }
    for path in &missing {
        link(path, target).map_err(|cause| failure(path, "cannot be made a link to sparkdbg", &cause))?;
    }
    let (number, new) = (names.len(), missing.len());
    Ok(format!("{}: {} to {}, {new} new\n", dir.display(), links(number), target.display()))
}

/// Takes the links away. Returns what to say.
///
/// # Errors
/// The directory cannot be read, or a link cannot be removed.
pub fn remove(dir: &Path, names: &[&str], exe: &Path) -> Result<String, Failure> {
    let entries = fs::read_dir(dir).map_err(|cause| failure(dir, "cannot be read", &cause))?;
    let mut left = Vec::new();
    let mut removed = 0;
    for entry in entries {
        let entry = entry.map_err(|cause| failure(dir, "cannot be read", &cause))?;
        let (name, path) = (entry.file_name(), entry.path());
        let is_named = names.iter().any(|wanted| name == *wanted);
        let there = look(&path, exe).map_err(|cause| failure(&path, "cannot be read", &cause))?;
        if is_named && matches!(there, There::Ours { .. }) {
            fs::remove_file(&path).map_err(|cause| failure(&path, "cannot be removed", &cause))?;
            removed += 1;
        } else {
            left.push(name.to_string_lossy().into_owned());
        }
    }
    left.sort();
    let left = if left.is_empty() { "nothing is left".to_owned() } else { format!("left: {}", left.join(", ")) };
    Ok(format!("{}: {} removed, {left}\n", dir.display(), links(removed)))
}

fn links(number: usize) -> String {
    if number == 1 { "1 link".to_owned() } else { format!("{number} links") }
}

/// Whoever can write a directory on `PATH` chooses the programs that run.
fn prepare(dir: &Path) -> Result<(), Failure> {
    let facts = match fs::metadata(dir) {
        Err(cause) if cause.kind() == ErrorKind::NotFound => {
            let made = DirBuilder::new().recursive(true).mode(0o755).create(dir);
            made.and_then(|()| fs::metadata(dir)).map_err(|cause| failure(dir, "cannot be made", &cause))?
        }
        facts => facts.map_err(|cause| failure(dir, "cannot be read", &cause))?,
    };
    if !facts.is_dir() {
        return Err(Failure::world(format!("`{}` is no directory", dir.display())).help("name another directory"));
    }
    refuse_shared(dir, &facts)
}

fn refuse_shared(dir: &Path, facts: &Metadata) -> Result<(), Failure> {
    let Some(fault) = trust::fault_of(facts) else { return Ok(()) };
    let shown = dir.display();
    Err(Failure::world(format!("`{shown}` {fault}: who writes there chooses the programs that you run"))
        .help("name a directory that only you can write"))
}

fn look(path: &Path, exe: &Path) -> io::Result<There> {
    match fs::symlink_metadata(path) {
        Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(There::Nothing),
        Err(cause) => return Err(cause),
        Ok(facts) if !facts.is_symlink() => return Ok(There::Other),
        Ok(_) => {}
    }
    let target = fs::read_link(path)?;
    let is_ours = target.file_name().is_some_and(|name| name == "sparkdbg") || is_same_program(exe, path);
    Ok(if is_ours { There::Ours { target } } else { There::Other })
}

/// At once, so that whoever starts the script meanwhile finds the old link or the new one.
fn link(path: &Path, target: &Path) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".sparkdbg-{}", std::process::id()));
    let new: PathBuf = path.with_file_name(name);
    symlink(target, &new)?;
    fs::rename(&new, path).inspect_err(|_| {
        let _ = fs::remove_file(&new);
    })
}

fn failure(path: &Path, what: &str, cause: &io::Error) -> Failure {
    Failure::world(format!("`{}` {what}: {}", path.display(), error::cause(cause)))
}
