//! Real Flink distributions from PyPI, which has them in two pieces: the jars in the sdist of `apache-flink-libraries`,
//! scripts and configuration in the wheel of `apache-flink`. Everything fetched lives under `target/flink`.

#![allow(dead_code, reason = "each test binary uses its own part")]

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::distribution::{lock, python, remove, run_logged, target_dir};

/// The newest of the 2.x line that the tests run.
pub const FLINK_2: &str = "2.1.0";
/// The newest of the 1.x line that the tests run.
pub const FLINK_1: &str = "1.20.1";
/// Old ones, whose scripts differ: without `-D` for a JobManager, and the last with a flat configuration file only.
pub const FLINK_OLD: [&str; 2] = ["1.14.6", "1.18.1"];

/// What makes a home complete. The jar is of the scripts, but comes with the libraries.
const PARTS: [&str; 6] = ["bin/flink", "bin/bash-java-utils.jar", "conf", "lib", "opt", "plugins"];

/// `FLINK_HOME` of that version; fetched when it is missing.
///
/// # Panics
/// With what to do about it when it cannot be fetched: no test may pass for want of a Flink.
pub fn flink(version: &str) -> PathBuf {
    fetch(version).unwrap_or_else(|error| panic!("Flink {version} cannot be fetched: {error}"))
}

fn fetch(version: &str) -> Result<PathBuf, String> {
    let root = target_dir().join("flink");
    let home = root.join(version);
    if home.is_dir() {
        return complete(home);
    }
    let python = python();
    let _lock = lock(&root)?;
    if home.is_dir() {
        return complete(home);
    }
    let partial = root.join(format!("{version}.partial"));
    remove(&partial)?;
    eprintln!("fetching Flink {version} from PyPI into {} (once)", home.display());
    let fetcher = Fetcher { python, partial, log: root.join(format!("{version}.log")) };
    let libraries = fetcher.libraries(version)?;
    let scripts = fetcher.scripts(version)?;
    let assembled = fetcher.partial.join("home");
    assemble(&libraries, &scripts, &assembled)
        .map_err(|error| format!("cannot put its pieces together in {}: {error}", assembled.display()))?;
    let assembled = complete(assembled)?;
    fs::rename(&assembled, &home)
        .map_err(|error| format!("cannot rename {} to {}: {error}", assembled.display(), home.display()))?;
    // The downloads, a quarter of a gigabyte.
    remove(&fetcher.partial)?;
    Ok(home)
}

/// That home, if nothing is missing in it.
fn complete(home: PathBuf) -> Result<PathBuf, String> {
    match PARTS.iter().find(|part| !home.join(part).exists()) {
        None => Ok(home),
        Some(part) => Err(format!("{} has no {part}; remove it, and it is fetched again", home.display())),
    }
}

struct Fetcher {
    python: PathBuf,
    partial: PathBuf,
    log: PathBuf,
}

impl Fetcher {
    /// The unpacked sdist of the libraries.
    fn libraries(&self, version: &str) -> Result<PathBuf, String> {
        let dir = self.partial.join("libraries");
        let mut pip = self.pip(&dir);
        // The setuptools that built it are here; isolated ones would be fetched.
        pip.args(["--no-build-isolation", "--no-binary", ":all:"]);
        self.run(pip.arg(format!("apache-flink-libraries=={version}")))?;
        self.unpack("tarfile", &only_file(&dir)?)
    }

    /// The unpacked wheel with the scripts. They are the same for every platform, so the choice of one is not ours.
    fn scripts(&self, version: &str) -> Result<PathBuf, String> {
        let dir = self.partial.join("scripts");
        let mut pip = self.pip(&dir);
        // One that this Flink has a wheel for.
        let python = if version.starts_with("1.14.") { "3.8" } else { "3.9" };
        pip.args(["--only-binary", ":all:", "--python-version", python]);
        pip.args(["--platform", "manylinux1_x86_64", "--platform", "manylinux2014_x86_64"]);
        self.run(pip.arg(format!("apache-flink=={version}")))?;
        self.unpack("zipfile", &only_file(&dir)?)
    }

    fn pip(&self, dir: &Path) -> Command {
        let mut pip = Command::new(&self.python);
        pip.args(["-m", "pip", "download", "--no-input", "--no-cache-dir", "--no-deps", "--dest"]).arg(dir);
        pip
    }

    /// Unpacks an archive beside it, with a module of Python's own.
    fn unpack(&self, module: &str, archive: &Path) -> Result<PathBuf, String> {
        let into = archive.with_file_name("unpacked");
        self.run(Command::new(&self.python).args(["-m", module, "--extract"]).arg(archive).arg(&into))?;
        Ok(into)
    }

    fn run(&self, command: &mut Command) -> Result<(), String> {
        run_logged(command, &self.log)
    }
}

/// A home as the release archive has it.
fn assemble(libraries: &Path, scripts: &Path, home: &Path) -> std::io::Result<()> {
    fs::create_dir_all(home)?;
    for part in ["bin", "conf"] {
        fs::rename(scripts.join("pyflink").join(part), home.join(part))?;
    }
    let deps = only_entry(libraries)?.join("deps");
    for part in ["lib", "opt", "plugins", "bin/bash-java-utils.jar"] {
        fs::rename(deps.join(part), home.join(part))?;
    }
    for script in fs::read_dir(home.join("bin"))? {
        // A wheel is a zip, of which Python takes no permissions.
        fs::set_permissions(script?.path(), Permissions::from_mode(0o755))?;
    }
    Ok(())
}

fn only_file(dir: &Path) -> Result<PathBuf, String> {
    only_entry(dir).map_err(|error| format!("pip succeeded, but {}: {error}", dir.display()))
}

fn only_entry(dir: &Path) -> std::io::Result<PathBuf> {
    let mut entries = fs::read_dir(dir)?.collect::<Result<Vec<_>, _>>()?;
    match (entries.pop(), entries.is_empty()) {
        (Some(entry), true) => Ok(entry.path()),
        _ => Err(std::io::Error::other(format!("{} holds not one entry", dir.display()))),
    }
}
