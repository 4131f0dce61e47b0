//! A pip-installed pyspark, found by looking at the files; python is asked only where they leave a doubt.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Process;
use super::home::is_home;

/// The pyspark package that the first of these pythons on `PATH` would import.
pub fn home(pythons: &[&str], process: &Process) -> Option<PathBuf> {
    let python = pythons.iter().find_map(|name| process.which(name))?;
    let on_pythonpath = process
        .var("PYTHONPATH")
        .and_then(|path| std::env::split_paths(path).map(|dir| dir.join("pyspark")).find(|home| is_home(home)));
    on_pythonpath.or_else(|| {
        let beside = python.parent().and_then(Path::parent).map(packages_below).unwrap_or_default();
        let user = process.var("HOME").map(|home| packages_below(&Path::new(home).join(".local"))).unwrap_or_default();
        only(beside.into_iter().chain(user)).or_else(|| ask(&python))
    })
}

/// The pyspark package of the scripts that pip put into `bin`.
pub fn home_of_scripts(bin: &Path, process: &Process) -> Option<PathBuf> {
    let prefix = bin.parent()?;
    let installed_with_target = Some(prefix.join("pyspark")).filter(|home| is_home(home));
    installed_with_target.or_else(|| only(packages_below(prefix))).or_else(|| {
        // As find-spark-home does.
        let variable = |name| process.var(name).filter(|value| !value.is_empty());
        let python = variable("PYSPARK_DRIVER_PYTHON").or(variable("PYSPARK_PYTHON"));
        ask(&process.which(&python.map_or("python3".into(), |python| python.to_string_lossy()))?)
    })
}

/// `PREFIX/lib/python3.X/{site,dist}-packages/pyspark`, and the same below `PREFIX/local` (Debian).
fn packages_below(prefix: &Path) -> Vec<PathBuf> {
    let libs = [prefix.join("lib"), prefix.join("local/lib")];
    let pythons = libs.iter().filter_map(|lib| fs::read_dir(lib).ok()).flatten().flatten();
    pythons
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("python3"))
        .flat_map(|entry| {
            ["site-packages", "dist-packages"].map(|packages| entry.path().join(packages).join("pyspark"))
        })
        .filter(|home| is_home(home))
        .collect()
}

/// Several candidates are a doubt.
fn only(candidates: impl IntoIterator<Item = PathBuf>) -> Option<PathBuf> {
    let mut candidates = candidates.into_iter();
    let first = candidates.next()?;
    candidates.all(|other| other == first).then_some(first)
}

fn ask(python: &Path) -> Option<PathBuf> {
    let script = "import importlib.util as u; s = u.find_spec('pyspark'); print(s.submodule_search_locations[0])";
    let output = Command::new(python).args(["-c", script]).output().ok()?;
    let home = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim_end());
    is_home(&home).then_some(home)
}
