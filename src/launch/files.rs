//! Helper files: written if they are not there, and never where others could exchange them.

use std::fs::{self, DirBuilder, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt, symlink};
use std::path::Path;

use rustix::fs::{Access, access};

use crate::error::{self, Failure};
use crate::plan::{Content, HelperFile};
use crate::trust;

/// Writes the helper files that are not there yet. Each gets its final name only when it is whole, so
/// that two launches at once cannot meet a half-written one.
///
/// # Errors
/// The cache directory cannot be written or run from, or others can write it.
pub fn write_files(files: &[HelperFile]) -> Result<(), Failure> {
    for file in files {
        if !is_there(file) {
            write(file).map_err(|cause| {
                Failure::world(format!(
                    "the helper file `{}` cannot be written: {}",
                    file.path.display(),
                    error::cause(&cause)
                ))
                .help("set XDG_CACHE_HOME to a directory of yours")
            })?;
        }
        is_safe(file).map_err(|failure| failure.help("set XDG_CACHE_HOME to a directory that only you can write"))?;
        // Written a moment ago with that right: then it is the file system that refuses it.
        if matches!(file.content, Content::Script(_)) && access(&file.path, Access::EXEC_OK).is_err() {
            return Err(Failure::world(format!(
                "`{}` cannot be run: its file system is mounted with `noexec`",
                file.path.display()
            ))
            .help("set XDG_CACHE_HOME to a directory of yours on another file system"));
        }
    }
    Ok(())
}

/// Spark will run it or what it leads to: nobody else may exchange it, or a directory above it up to the
/// cache directory, in which each could give way to another.
fn is_safe(file: &HelperFile) -> Result<(), Failure> {
    if !matches!(file.content, Content::Link(_)) {
        trust::read(&file.path)?;
    }
    let below_cache = file.path.ancestors().position(|dir| dir.ends_with("sparkdbg")).unwrap_or(1);
    file.path.ancestors().take(below_cache).try_for_each(trust::directory_of)
}

fn is_there(file: &HelperFile) -> bool {
    let holds = |text: &str| fs::read(&file.path).is_ok_and(|found| found == text.as_bytes());
    match &file.content {
        Content::Text(text) => holds(text),
        Content::Script(text) => {
            let mode = fs::symlink_metadata(&file.path).map_or(0, |facts| facts.permissions().mode());
            mode & 0o100 != 0 && holds(text)
        }
        Content::Link(target) => fs::read_link(&file.path).is_ok_and(|found| found == *target),
    }
}

fn write(file: &HelperFile) -> io::Result<()> {
    let dir = file.path.parent().unwrap_or(&file.path);
    DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
    match &file.content {
        Content::Text(text) => write_text(dir, file, text, 0o600),
        Content::Script(text) => write_text(dir, file, text, 0o700),
        Content::Link(target) => {
            let link = tempfile::Builder::new().make_in(dir, |path| symlink(target, path))?;
            link.persist(&file.path).map(drop).map_err(|cause| cause.error)
        }
    }
}

fn write_text(dir: &Path, file: &HelperFile, text: &str, mode: u32) -> io::Result<()> {
    let mut whole = tempfile::NamedTempFile::new_in(dir)?;
    whole.write_all(text.as_bytes())?;
    whole.as_file().set_permissions(Permissions::from_mode(mode))?;
    whole.persist(&file.path).map(drop).map_err(|cause| cause.error)
}

#[cfg(test)]
mod tests;
