//! A pip-installed Spark or Flink, found by looking at the files; python is asked only where they leave a doubt.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Process, flink_home, home};

/// A package that holds a distribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Package {
    /// `pyspark`
    Pyspark,
    /// `apache-flink`, imported as `pyflink`
    Pyflink,
}

impl Package {
    fn name(self) -> &'static str {
        match self {
            Package::Pyspark => "pyspark",
            Package::Pyflink => "pyflink",
        }
    }

    fn is_home(self, dir: &Path) -> bool {
        match self {
            Package::Pyspark => home::is_home(dir),
            Package::Pyflink => flink_home::is_home(dir),
        }
    }
}

/// The package that the first of these pythons on `PATH` would import.
pub fn home(package: Package, pythons: &[&str], process: &Process) -> Option<PathBuf> {
    package.imported_by(&pythons.iter().find_map(|name| process.which(name))?, process)
}

/// The pyspark package of the scripts that pip put into `bin`: the one that the python of their
/// `find-spark-home` would import. Where nothing names another, that is the one beside them.
pub fn home_of_scripts(bin: &Path, process: &Process) -> Option<PathBuf> {
    let variable = |name| process.var(name).filter(|value| !value.is_empty());
    let named = variable("PYSPARK_DRIVER_PYTHON").or(variable("PYSPARK_PYTHON"));
    let python = || process.which(&named.map_or("python3".into(), |python| python.to_string_lossy()));
    if named.is_some() || variable("PYTHONPATH").is_some() {
        return Package::Pyspark.imported_by(&python()?, process);
    }
    let prefix = bin.parent()?;
    let installed_with_target = Some(prefix.join("pyspark")).filter(|home| home::is_home(home));
    installed_with_target.or_else(|| Package::Pyspark.only_below(prefix)).or_else(|| Package::Pyspark.ask(&python()?))
}

impl Package {
    fn imported_by(self, python: &Path, process: &Process) -> Option<PathBuf> {
        let on_pythonpath = process.var("PYTHONPATH").and_then(|path| {
            std::env::split_paths(path).map(|dir| dir.join(self.name())).find(|home| self.is_home(home))
        });
        on_pythonpath.or_else(|| self.in_site_packages(python, process)).or_else(|| self.ask(python))
    }

    /// The package that an interpreter imports, as far as the names of files tell its version; in the order
    /// of its `sys.path`.
    fn in_site_packages(self, python: &Path, process: &Process) -> Option<PathBuf> {
        let prefix = python.parent()?.parent()?;
        let real = fs::canonicalize(python).ok()?;
        let Some(version) = real.file_name()?.to_str().filter(|name| name.starts_with("python3.")) else {
            return self.only_below(prefix);
        };
        let mut libs = vec![prefix.join("lib"), prefix.join("local/lib")];
        // A virtual environment does not see the user's packages.
        if !prefix.join("pyvenv.cfg").is_file() {
            libs.splice(0..0, process.var("HOME").map(|home| Path::new(home).join(".local/lib")));
        }
        libs.into_iter().flat_map(|lib| self.below(&lib.join(version))).find(|home| self.is_home(home))
    }

    /// `PREFIX/lib/python3.X/site-packages/PACKAGE`, where there is exactly one.
    fn only_below(self, prefix: &Path) -> Option<PathBuf> {
        let pythons = fs::read_dir(prefix.join("lib")).ok()?.flatten();
        let mut homes = pythons
            .filter(|entry| entry.file_name().to_string_lossy().starts_with("python3"))
            .flat_map(|entry| self.below(&entry.path()))
            .filter(|home| self.is_home(home));
        let first = homes.next()?;
        homes.next().is_none().then_some(first)
    }

    fn below(self, lib: &Path) -> [PathBuf; 2] {
        ["site-packages", "dist-packages"].map(|packages| lib.join(packages).join(self.name()))
    }

    fn ask(self, python: &Path) -> Option<PathBuf> {
        let name = self.name();
        let script =
            format!("import importlib.util as u; s = u.find_spec('{name}'); print(s.submodule_search_locations[0])");
        let output = Command::new(python).args(["-c", &script]).output().ok()?;
        let home = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim_end());
        self.is_home(&home).then_some(home)
    }
}
