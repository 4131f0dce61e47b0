//! The script that a link stands in front of.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::environment::distribution::code_of;
use crate::environment::is_same_program;

/// What is found on `PATH` under one name.
pub struct OnPath {
    /// All that can be run, in the order of `PATH`.
    pub found: Vec<PathBuf>,
    /// Which of them is ourselves, the first of several.
    pub own: Option<usize>,
}

impl OnPath {
    /// Looks for `name`. `exe`: the file that runs.
    pub fn of(name: &str, path: Option<&OsStr>, exe: &Path) -> OnPath {
        // What stands in `PATH` without a leading `/` is looked for from here, as the shell does.
        let found: Vec<PathBuf> = which::which_in_all(name, path, ".").into_iter().flatten().collect();
        let own = found.iter().position(|file| is_same_program(exe, file));
        OnPath { found, own }
    }

    /// The first one behind ourselves that is another program. A link that is not on `PATH` itself stands in front of
    /// all; then a script that calls it by its path (`called_as`) is passed over, for they would call each other for
    /// ever.
    pub fn next(&self, exe: &Path, called_as: &Path) -> Option<&Path> {
        let behind = self.own.map_or(0, |own| own + 1);
        let by_path = called_as.to_str().filter(|text| self.own.is_none() && text.contains('/'));
        let calls_back = |file: &Path| by_path.is_some_and(|text| code_of(file).contains(text));
        let mut rest = self.found[behind..].iter().map(PathBuf::as_path);
        rest.find(|file| !is_same_program(exe, file) && !calls_back(file))
    }
}
