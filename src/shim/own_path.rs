//! Where the links lead: the path by which the user called sparkdbg, which an upgrade keeps, and not the file behind it,
//! which may stand in a directory of its version.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::names;
use crate::environment::Process;

/// The path that was typed, else the first `sparkdbg` on `PATH`; `exe`, the file that runs, where neither is that file.
/// `called_as`: the word by which we were called.
pub fn of(called_as: Option<&OsStr>, process: &Process, exe: &Path) -> PathBuf {
    let typed = called_as.filter(|word| word.as_encoded_bytes().contains(&b'/')).map(PathBuf::from);
    let on_path = which::which_in_all("sparkdbg", process.var("PATH"), &process.cwd).into_iter().flatten();
    // Made absolute by the text alone: of a directory that is a link, an upgrade keeps only the link.
    let mut candidates = typed.into_iter().chain(on_path).map(|path| process.cwd.join(path).components().collect());
    // What was typed need not be us: a program may give another any name.
    // macOS tells the link that was called, which may be one of ours; the file behind is none.
    let file = || fs::canonicalize(exe).unwrap_or_else(|_| exe.to_path_buf());
    candidates.find(|path: &PathBuf| leads_to(path, exe)).unwrap_or_else(file)
}

/// Whether a path may be what links lead to: ours, by a name that tells so when the file is gone, and behind none of the
/// links, which would come to lead to themselves.
fn leads_to(path: &Path, exe: &Path) -> bool {
    let is_ours =
        path.file_name() == Some(OsStr::new("sparkdbg")) && same_file::is_same_file(path, exe).unwrap_or(false);
    is_ours && !is_behind_a_shim(path)
}

/// Follows the links, which end at a file.
fn is_behind_a_shim(path: &Path) -> bool {
    let mut hop = path.to_path_buf();
    while let Ok(next) = fs::read_link(&hop) {
        if names::called(hop.as_os_str()).is_some() {
            return true;
        }
        hop = hop.with_file_name(next);
    }
    false
}
