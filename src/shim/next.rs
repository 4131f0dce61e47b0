//! The script that a link stands in front of.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

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

    /// The first one behind ourselves that is another program; of several links on `PATH`, behind the one that was
    /// called (`called_as`). A link that is not on `PATH` itself stands in front of all. A script that calls the link
    /// by its path is passed over, for they would call each other for ever.
    pub fn next(&self, exe: &Path, called_as: &Path) -> Option<&Path> {
        let by_path = Some(called_as).filter(|path| path.as_os_str().as_encoded_bytes().contains(&b'/'));
        let called = by_path.and_then(|path| self.found.iter().position(|file| file == path));
        let own = called.or(self.own);
        let links = [by_path, own.map(|own| self.found[own].as_path())];
        let links: Vec<&str> = links.into_iter().flatten().filter_map(Path::to_str).collect();
        let calls_back = |file: &Path| {
            let code = code_of(file);
            links.iter().any(|link| code.contains(link))
        };
        let mut rest = self.found[own.map_or(0, |own| own + 1)..].iter().map(PathBuf::as_path);
        rest.find(|file| !is_same_program(exe, file) && !calls_back(file))
    }
}
