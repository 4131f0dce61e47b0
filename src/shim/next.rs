//! The script that a link stands in front of.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::chain::Chain;
use crate::environment::distribution::code_of;
use crate::environment::is_same_program;

/// What is found on `PATH` under one name.
pub struct OnPath {
    /// All that can be run, in the order of `PATH`. Each once: two builds of sparkdbg take each other's links for scripts
    /// and hand on to what stands behind their own place, and one that stood in two places would lead them round for ever.
    pub found: Vec<PathBuf>,
    /// Which of them is ourselves, the first of several.
    pub own: Option<usize>,
}

impl OnPath {
    /// Looks for `name`. `exe`: the file that runs.
    pub fn of(name: &str, path: Option<&OsStr>, exe: &Path) -> OnPath {
        // What stands in `PATH` without a leading `/` is looked for from here, as the shell does.
        let mut found: Vec<PathBuf> = Vec::new();
        for file in which::which_in_all(name, path, ".").into_iter().flatten() {
            if !found.contains(&file) {
                found.push(file);
            }
        }
        let own = found.iter().position(|file| is_same_program(exe, file));
        OnPath { found, own }
    }

    /// Those behind ourselves that are other programs, and that the chain has not started yet; of several links on
    /// `PATH`, behind the one that was called (`called_as`). A link that is not on `PATH` itself stands in front of all:
    /// there a script that calls the link by its path is passed over, for it may be the one that called us.
    pub fn next(&self, exe: &Path, called_as: &Path, chain: &Chain) -> impl Iterator<Item = &Path> {
        let by_path = Some(called_as).filter(|path| path.as_os_str().as_encoded_bytes().contains(&b'/'));
        let called = by_path.and_then(|path| self.found.iter().position(|file| file == path));
        let own = called.or(self.own);
        let link = by_path.filter(|_| own.is_none()).and_then(Path::to_str);
        let calls_back = move |file: &Path| link.is_some_and(|link| code_of(file).contains(link));
        let rest = self.found[own.map_or(0, |own| own + 1)..].iter().map(PathBuf::as_path);
        rest.filter(move |file| !is_same_program(exe, file) && !calls_back(file) && !chain.has_started(file))
    }
}
