//! A pip-installed pyspark, found by looking at the files; python is asked only where they leave a doubt.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Process;
use super::home::is_home;

/// The pyspark package that the first of these pythons on `PATH` would import.
pub fn home(pythons: &[&str], process: &Process) -> Option<PathBuf> {
    imported_by(&pythons.iter().find_map(|name| process.which(name))?, process)
}

/// The pyspark package of the scripts that pip put into `bin`: the one that the python of their
/// `find-spark-home` would import. Where nothing names another, that is the one beside them.
pub fn home_of_scripts(bin: &Path, process: &Process) -> Option<PathBuf> {
    let variable = |name| process.var(name).filter(|value| !value.is_empty());
    let named = variable("PYSPARK_DRIVER_PYTHON").or(variable("PYSPARK_PYTHON"));
    let python = || process.which(&named.map_or("python3".into(), |python| python.to_string_lossy()));
    if named.is_some() || variable("PYTHONPATH").is_some() {
        return imported_by(&python()?, process);
    }
    let prefix = bin.parent()?;
    let installed_with_target = Some(prefix.join("pyspark")).filter(|home| is_home(home));
    installed_with_target.or_else(|| only_package_below(prefix)).or_else(|| ask(&python()?))
}

fn imported_by(python: &Path, process: &Process) -> Option<PathBuf> {
    let on_pythonpath = process
        .var("PYTHONPATH")
        .and_then(|path| std::env::split_paths(path).map(|dir| dir.join("pyspark")).find(|home| is_home(home)));
    on_pythonpath.or_else(|| in_site_packages(python, process)).or_else(|| ask(python))
}

/// The package that an interpreter imports, as far as the names of files tell its version; in the order
/// of its `sys.path`.
fn in_site_packages(python: &Path, process: &Process) -> Option<PathBuf> {
    let prefix = python.parent()?.parent()?;
    let real = fs::canonicalize(python).ok()?;
    let Some(version) = real.file_name()?.to_str().filter(|name| name.starts_with("python3.")) else {
        return only_package_below(prefix);
    };
    let mut libs = vec![prefix.join("lib"), prefix.join("local/lib")];
    // A virtual environment does not see the user's packages.
    if !prefix.join("pyvenv.cfg").is_file() {
        libs.splice(0..0, process.var("HOME").map(|home| Path::new(home).join(".local/lib")));
    }
    libs.into_iter().flat_map(|lib| packages(&lib.join(version))).find(|home| is_home(home))
}

/// `PREFIX/lib/python3.X/site-packages/pyspark`, where there is exactly one.
fn only_package_below(prefix: &Path) -> Option<PathBuf> {
    let pythons = fs::read_dir(prefix.join("lib")).ok()?.flatten();
    let mut homes = pythons
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("python3"))
        .flat_map(|entry| packages(&entry.path()))
        .filter(|home| is_home(home));
    let first = homes.next()?;
    homes.next().is_none().then_some(first)
}

fn packages(lib: &Path) -> [PathBuf; 2] {
    ["site-packages", "dist-packages"].map(|packages| lib.join(packages).join("pyspark"))
}

fn ask(python: &Path) -> Option<PathBuf> {
    let script = "import importlib.util as u; s = u.find_spec('pyspark'); print(s.submodule_search_locations[0])";
    let output = Command::new(python).args(["-c", script]).output().ok()?;
    let home = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim_end());
    is_home(&home).then_some(home)
}
