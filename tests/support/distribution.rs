//! Real Spark distributions from PyPI and the JDKs of this machine, for the tests that run the real thing and for the
//! example. Everything fetched lives under `target/spark`, so that `cargo clean` removes it.

#![allow(dead_code, reason = "each test binary and the example uses its own part")]

use std::env;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// The newest Spark that the tests and the example run.
pub const SPARK_4: &str = "4.3.0";
/// The newest of the 3.x line that the tests run.
pub const SPARK_3: &str = "3.5.6";
/// A Spark without `defaultJavaOptions`, which came with 3.0.
pub const SPARK_2: &str = "2.4.8";

/// A download of half a gigabyte, unpacked, on a slow line; beyond it something hangs.
const FETCH_LIMIT: Duration = Duration::from_secs(600);

/// How much of pip's output a failure shows: its own summary is at the end.
const TAIL_LINES: usize = 25;

/// `SPARK_HOME` of a pip-installed Spark `version`; fetched when it is missing.
///
/// # Panics
/// With what to do about it when it cannot be fetched: no test may pass for want of a Spark.
pub fn spark(version: &str) -> PathBuf {
    fetch(version).unwrap_or_else(|error| panic!("Spark {version} cannot be fetched: {error}"))
}

/// Like [`spark`], for a caller that wants to word the failure itself.
pub fn fetch(version: &str) -> Result<PathBuf, String> {
    let root = spark_root();
    let installed = root.join(version);
    let home = installed.join("pyspark");
    // The directory gets its name only when it is complete, so its existence is enough.
    if home.is_dir() {
        return Ok(home);
    }
    let _lock = lock(&root)?;
    if home.is_dir() {
        return Ok(home);
    }
    let pip = tools_with_lock_held(&root)?.join("bin/pip");
    let partial = root.join(format!("{version}.partial"));
    remove(&partial)?;
    eprintln!("fetching Spark {version} from PyPI into {} (once)", installed.display());
    let mut install = Command::new(pip);
    install.args(["install", "--no-input", "--no-compile", "--no-cache-dir", "--no-build-isolation"]);
    if version.starts_with("2.") {
        // The py4j that it pins does not build with a current setuptools, and spark-submit carries its own as a zip.
        install.arg("--no-deps");
    }
    install.arg("--target").arg(&partial).arg(format!("pyspark=={version}"));
    run_logged(&mut install, &root.join(format!("{version}.log")))?;
    if !partial.join("pyspark/bin/spark-submit").is_file() {
        return Err(format!("pip succeeded, but {} has no pyspark/bin/spark-submit", partial.display()));
    }
    fs::rename(&partial, &installed)
        .map_err(|error| format!("cannot rename {} to {}: {error}", partial.display(), installed.display()))?;
    Ok(home)
}

/// A Python 3 that fits the fetched distributions, from the virtual environment that fetched them.
///
/// # Panics
/// When there is no Python 3 with `venv`.
pub fn python() -> PathBuf {
    let root = spark_root();
    let made = lock(&root).and_then(|_lock| tools_with_lock_held(&root));
    made.unwrap_or_else(|error| panic!("no Python for PySpark: {error}")).join("bin/python3")
}

/// The version of debugpy with which the tests stop in Python.
const DEBUGPY: &str = "1.8.22";

/// A directory for `PYTHONPATH` that holds debugpy; fetched when it is missing.
///
/// # Panics
/// When it cannot be fetched: no test may pass for want of a debugger.
pub fn debugpy() -> PathBuf {
    let python = python();
    let root = target_dir().join("debugpy");
    let fetched = lock(&root).and_then(|_lock| {
        let installed = root.join(DEBUGPY);
        if installed.is_dir() {
            return Ok(installed);
        }
        let partial = root.join(format!("{DEBUGPY}.partial"));
        remove(&partial)?;
        let mut pip = Command::new(python);
        pip.args(["-m", "pip", "install", "--no-input", "--no-cache-dir", "--target"]).arg(&partial);
        run_logged(pip.arg(format!("debugpy=={DEBUGPY}")), &root.join(format!("{DEBUGPY}.log")))?;
        fs::rename(&partial, &installed)
            .map_err(|error| format!("cannot rename {} to {}: {error}", partial.display(), installed.display()))?;
        Ok(installed)
    });
    fetched.unwrap_or_else(|error| panic!("debugpy {DEBUGPY} cannot be fetched: {error}"))
}

/// The JDKs of this machine that can compile and debug (`javac` and `jdb`), with their major versions: the one that
/// the user chose (`JAVA_HOME`, then `PATH`) first, then the usual places. Each JDK is listed once.
pub fn java_homes() -> Vec<(u32, PathBuf)> {
    let mut candidates: Vec<PathBuf> = env::var_os("JAVA_HOME").map(PathBuf::from).into_iter().collect();
    let on_path = env::var_os("PATH").unwrap_or_default();
    let java = env::split_paths(&on_path).map(|dir| dir.join("java")).find_map(|java| java.canonicalize().ok());
    candidates.extend(java.and_then(|java| Some(java.parent()?.parent()?.to_path_buf())));
    candidates.extend(children(Path::new("/usr/lib/jvm")));
    candidates
        .extend(children(Path::new("/Library/Java/JavaVirtualMachines")).map(|bundle| bundle.join("Contents/Home")));

    let mut homes: Vec<(u32, PathBuf)> = Vec::new();
    for candidate in candidates {
        let Ok(home) = candidate.canonicalize() else { continue };
        let complete = ["javac", "jdb", "java"].iter().all(|tool| home.join("bin").join(tool).is_file());
        if !complete || homes.iter().any(|(_, known)| *known == home) {
            continue;
        }
        if let Some(major) = java_major(&home) {
            homes.push((major, home));
        }
    }
    homes
}

/// The first JDK of this machine with that major version.
pub fn java_home(major: u32) -> Option<PathBuf> {
    java_homes().into_iter().find(|(found, _)| *found == major).map(|(_, home)| home)
}

/// The major version in a JDK's `release` file: `JAVA_VERSION="17.0.15"`, `JAVA_VERSION="1.8.0_412"`.
fn java_major(home: &Path) -> Option<u32> {
    let release = fs::read_to_string(home.join("release")).ok()?;
    let version = release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="))?.trim_matches('"');
    let version = version.strip_prefix("1.").unwrap_or(version);
    version.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// The entries of a directory in the order of their names; none when there is no such directory.
fn children(dir: &Path) -> impl Iterator<Item = PathBuf> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(dir).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths.into_iter()
}

fn spark_root() -> PathBuf {
    target_dir().join("spark")
}

/// `target`, also when cargo was told another target directory.
pub fn target_dir() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| package.join("target"), |dir| package.join(dir))
}

/// Held while something is fetched. Test binaries, and the threads in them, may want the same version at once; the
/// kernel drops the lock of a process that was killed.
pub fn lock(root: &Path) -> Result<File, String> {
    let path = root.join("lock");
    fs::create_dir_all(root)
        .and_then(|()| File::create(&path))
        .and_then(|file| file.lock().map(|()| file))
        .map_err(|error| format!("cannot lock {}: {error}", path.display()))
}

/// The virtual environment whose pip fetches; made when it is missing. The caller holds the lock.
fn tools_with_lock_held(root: &Path) -> Result<PathBuf, String> {
    let tools = root.join("tools");
    let complete = tools.join("complete");
    if complete.is_file() {
        return Ok(tools);
    }
    remove(&tools)?;
    let log = root.join("tools.log");
    run_logged(Command::new("python3").args(["-m", "venv"]).arg(&tools), &log).map_err(|error| {
        format!("{error}\nit takes Python 3 with its venv module (Debian, Ubuntu: apt-get install python3-venv)")
    })?;
    // Without build isolation pip builds pyspark with what is here. setuptools 81 lost what its setup.py imports.
    let mut pip = Command::new(tools.join("bin/pip"));
    run_logged(pip.args(["install", "--no-input", "--no-cache-dir", "setuptools<81", "wheel"]), &log)?;
    File::create(&complete).map_err(|error| format!("cannot write {}: {error}", complete.display()))?;
    Ok(tools)
}

/// Runs a command to its end within [`FETCH_LIMIT`]. Its output goes to `log`; a failure shows the tail of it.
pub fn run_logged(command: &mut Command, log: &Path) -> Result<(), String> {
    let words: Vec<_> = std::iter::once(command.get_program()).chain(command.get_args()).collect();
    let shown = words.join(" ".as_ref()).to_string_lossy().into_owned();
    let output = File::create(log).and_then(|file| Ok((file.try_clone()?, file)));
    let (stdout, stderr) = output.map_err(|error| format!("cannot write {}: {error}", log.display()))?;
    let mut child = command
        .stdin(Stdio::null())
        .stdout(stdout)
        .stderr(stderr)
        // A group of its own, since pip does its work in children that would survive it.
        .process_group(0)
        .spawn()
        .map_err(|error| format!("cannot run `{shown}`: {error}"))?;
    let started = Instant::now();
    let status: ExitStatus = loop {
        match child.try_wait().map_err(|error| format!("cannot wait for `{shown}`: {error}"))? {
            Some(status) => break status,
            None if started.elapsed() > FETCH_LIMIT => {
                let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
                let _ = group.map(|group| kill_process_group(group, Signal::KILL));
                let _ = child.wait();
                return Err(format!(
                    "`{shown}` did not end within {FETCH_LIMIT:?}; its output ends with\n{}",
                    tail(log)
                ));
            }
            None => thread::sleep(Duration::from_millis(50)),
        }
    };
    if status.success() { Ok(()) } else { Err(format!("`{shown}` failed ({status}):\n{}", tail(log))) }
}

/// The last lines of a log.
fn tail(log: &Path) -> String {
    let text = String::from_utf8_lossy(&fs::read(log).unwrap_or_default()).into_owned();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n")
}

/// Removes what a killed fetch may have left.
pub fn remove(dir: &Path) -> Result<(), String> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(format!("cannot remove {}: {error}", dir.display())),
        _ => Ok(()),
    }
}
