//! `pip install sparkdbg` beside a pip-installed pyspark, with a wheel of this very source.

use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::distribution::{SPARK_4, lock, run_logged, spark, target_dir};
use crate::output;

const PYPROJECT: &str = include_str!("../../pyproject.toml");
const README: &str = include_str!("../../README.md");

/// What the metadata of an installed package says, by Python's own reader.
const METADATA: &str = "\
import importlib.metadata, json
metadata = importlib.metadata.metadata('sparkdbg')
files = [str(file) for file in importlib.metadata.files('sparkdbg')]
print(json.dumps({'metadata': metadata.items(), 'body': metadata.get_payload(), 'files': files}))
";

/// Runs to its end; a failure shows what the command wrote.
fn run(command: &mut Command, log: &Path) {
    run_logged(command, log).unwrap_or_else(|error| panic!("{error}"));
}

/// The maturin that `pyproject.toml` asks for; fetched once.
fn maturin() -> PathBuf {
    let pyproject: toml::Table = PYPROJECT.parse().expect("TOML");
    let wanted = pyproject["build-system"]["requires"][0].as_str().expect("a requirement");
    let root = target_dir().join("packaging");
    let _lock = lock(&root).expect("a lock");
    let tools = root.join("tools");
    // It names what was installed, and is written when that is complete.
    let complete = tools.join("complete");
    if fs::read_to_string(&complete).ok().as_deref() != Some(wanted) {
        let log = root.join("tools.log");
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&tools), &log);
        run(Command::new(tools.join("bin/pip")).args(["install", "--no-input", wanted]), &log);
        fs::write(&complete, wanted).expect("a mark");
    }
    tools.join("bin/maturin")
}

/// The wheel, of the profile of the tests: only how fast the program is differs from a release.
fn wheel(dir: &Path) -> PathBuf {
    let mut build = Command::new(maturin());
    build.args(["build", "--profile", "dev", "--locked", "--compatibility", "linux", "--out"]).arg(dir);
    // Elsewhere, since other tests run the program that they were built with, which may have other features.
    build.current_dir(env!("CARGO_MANIFEST_DIR")).env("CARGO_TARGET_DIR", target_dir().join("packaging/build"));
    run(&mut build, &dir.join("build.log"));
    let files = fs::read_dir(dir).expect("a directory").map(|entry| entry.expect("an entry").path());
    let wheels: Vec<PathBuf> = files.filter(|file| file.extension().is_some_and(|end| end == "whl")).collect();
    let [wheel] = wheels.try_into().expect("one wheel");
    wheel
}

/// A virtual environment with the wheel in it, and what has to live as long.
fn installed() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let root = dir.path().canonicalize().expect("it exists");
    let wheel = wheel(&root);
    let name = wheel.file_name().and_then(|name| name.to_str()).expect("a name");
    // It needs no Python of a certain version.
    let start = format!("sparkdbg-{}-py3-none-", env!("CARGO_PKG_VERSION"));
    assert!(name.starts_with(&start), "{name}");
    let venv = root.join("venv");
    run(Command::new("python3").args(["-m", "venv"]).arg(&venv), &root.join("venv.log"));
    let mut install = Command::new(venv.join("bin/pip"));
    run(install.args(["install", "--no-input", "--no-index"]).arg(&wheel), &root.join("install.log"));
    (dir, venv)
}

/// As pip would have installed it into the same environment; a copy takes half a gigabyte.
fn put_pyspark_into(venv: &Path) -> PathBuf {
    let home = spark(SPARK_4);
    let libs = fs::read_dir(venv.join("lib")).expect("lib").map(|entry| entry.expect("an entry").path());
    let [python] = libs.collect::<Vec<_>>().try_into().expect("one Python");
    let package = python.join("site-packages/pyspark");
    symlink(&home, &package).expect("a link");
    // pip copies the scripts once more to where PATH finds them.
    for script in fs::read_dir(home.with_file_name("bin")).expect("pip's scripts") {
        let script = script.expect("an entry");
        fs::copy(script.path(), venv.join("bin").join(script.file_name())).expect("a copy");
    }
    package
}

#[test]
fn a_wheel_puts_sparkdbg_beside_pyspark() {
    let (_dir, venv) = installed();
    let sparkdbg = venv.join("bin/sparkdbg");
    let version = output(Command::new(&sparkdbg).arg("--version"));
    assert_eq!(version, format!("sparkdbg {}\n", env!("CARGO_PKG_VERSION")));

    let found: Value =
        serde_json::from_str(&output(Command::new(venv.join("bin/python")).args(["-c", METADATA]))).expect("JSON");
    let metadata = |key: &str| {
        let items = found["metadata"].as_array().expect("a list").iter().filter(|item| item[0] == key);
        items.map(|item| item[1].as_str().expect("a text").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(metadata("Name"), ["sparkdbg"]);
    assert_eq!(metadata("Version"), [env!("CARGO_PKG_VERSION")]);
    assert_eq!(metadata("Summary"), [env!("CARGO_PKG_DESCRIPTION")]);
    assert_eq!(metadata("License-Expression"), [env!("CARGO_PKG_LICENSE")]);
    assert_eq!(metadata("License-File"), ["LICENSE-APACHE", "LICENSE-MIT"]);
    assert_eq!(metadata("Requires-Dist"), [""; 0]);
    assert_eq!(found["body"].as_str().expect("a text").trim(), README.trim());
    let files = found["files"].as_array().expect("a list");
    assert!(files.iter().any(|file| file == "../../../bin/sparkdbg"), "{files:?}");

    let package = put_pyspark_into(&venv);
    let mut dry_run = Command::new(&sparkdbg);
    dry_run.args(["--dry-run=json", "--no-preflight", "submit", "--driver=attach:5005", "--", "app.py", "a b"]);
    // Activated, the environment is the first of PATH; what else this machine has set is not for a fresh one.
    let path = env::join_paths([&venv.join("bin"), Path::new("/usr/bin"), Path::new("/bin")]).expect("a PATH");
    dry_run.env_clear().env("PATH", path).env("HOME", &venv);
    dry_run.envs(env::var_os("JAVA_HOME").map(|home| ("JAVA_HOME", home)));
    let plan: Value = serde_json::from_str(&output(dry_run.current_dir(&venv))).expect("JSON");
    assert_eq!(plan["program"], package.join("bin/spark-submit").to_str().expect("UTF-8"), "{plan}");
    let agent = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:5005";
    let expected = ["--conf", &format!("spark.driver.defaultJavaOptions={agent}"), "app.py", "a b"];
    assert_eq!(plan["args"], serde_json::json!(expected), "{plan}");
}
