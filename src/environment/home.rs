//! Which Spark will run: the script, the home it belongs to and its version, by reading files only.
//!
//! Order: flag, profile, `SPARK_HOME`, `PATH`, a pip-installed pyspark. Called by a link, we stand for the script behind
//! it, in the home that this one would take; where there is none, `SPARK_HOME` tells. `python` is started just where
//! Spark's own `find-spark-home` would start it and no file answers.

use std::fs;
use std::path::{Path, PathBuf};

use super::distribution::{Distribution, Origin, calls_us, code_of, leads_back, require_executable};
use super::{Link, Process, pip};
use crate::error::Failure;
use crate::options::Chosen;
use crate::tool::Tool;
use crate::version::Version;

/// Finds the distribution for a command.
///
/// # Errors
/// Nothing found (127), or a script that cannot be run (126).
pub fn find(tool: Tool, named: Option<&Chosen<PathBuf>>, process: &Process) -> Result<Distribution, Failure> {
    if tool == Tool::Python {
        return find_python(named, process);
    }
    if let Some(chosen) = named {
        return in_home(tool, process.absolute(&chosen.value), Origin::of(chosen), process);
    }
    let variable = process.var("SPARK_HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
    if let Some(link) = &process.link {
        match (&link.script, &variable) {
            (Some(script), _) => return behind(tool, link, script, variable, process),
            (None, Some(_)) if link.name == tool.script() => {}
            (None, _) => return Err(link.stands_alone()),
        }
    }
    if let Some(home) = variable {
        return in_home(tool, home, Origin::Variable("SPARK_HOME"), process);
    }
    if let Some(distribution) = on_path(tool, process)? {
        return Ok(distribution);
    }
    if let Some(home) = pip::home(pip::Package::Pyspark, &["python3", "python"], process) {
        return in_home(tool, home, Origin::Pip("pyspark"), process);
    }
    refuse_unusable_on_path(tool, process)?;
    Err(Failure::not_found(format!("no Spark was found: `{}` is not on PATH", tool.script()))
        .help("name the distribution: --spark-home DIR, or SPARK_HOME"))
}

/// The script behind a link. Spark's own scripts take `SPARK_HOME` where it is set, and so does a wrapper that names no
/// home itself.
fn behind(
    tool: Tool,
    link: &Link,
    script: &Path,
    variable: Option<PathBuf>,
    process: &Process,
) -> Result<Distribution, Failure> {
    let Some(home) = variable else {
        let found = at(tool, tool.script(), script, process)?.ok_or_else(|| link.stands_alone())?;
        // A wrapper that goes on to what it finds on `PATH`.
        let home = found.home.clone().or_else(|| first_home_on_path(tool.script(), process));
        return Ok(Distribution { version: home.as_deref().and_then(version_of), home, ..found });
    };
    let code = code_of(script);
    let of_wrapper = || home_in_script(&code, tool.script()).filter(|_| !code.contains("{SPARK_HOME:-"));
    let (home, origin) = match of_wrapper().filter(|_| !is_of_distribution(script)) {
        Some(home) => (home, Origin::Wrapper),
        None => (home, Origin::Variable("SPARK_HOME")),
    };
    if !home.join("bin/spark-submit").is_file() {
        return Err(no_home(&home, &origin));
    }
    let version = version_of(&home);
    Ok(Distribution { program: script.to_path_buf(), home: Some(home), origin, version, export_home: false })
}

fn first_home_on_path(script: &str, process: &Process) -> Option<PathBuf> {
    let mut found = which::which_in_all(script, process.var("PATH"), &process.cwd).into_iter().flatten();
    found.find_map(|script| home_around(&fs::canonicalize(script).ok()?))
}

/// Whether a script is one of Spark's own, in a distribution or where pip puts them.
pub fn is_of_distribution(script: &Path) -> bool {
    let Ok(real) = fs::canonicalize(script) else { return false };
    let mut bins = [script, &real].into_iter().filter_map(Path::parent);
    home_around(&real).is_some() || bins.any(|bin| bin.join("find_spark_home.py").is_file())
}

/// Whether a script goes on to one of Spark's own, which it names.
#[cfg(not(target_os = "linux"))]
pub fn is_wrapper_of_distribution(script: &Path) -> bool {
    let name = script.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    home_in_script(&code_of(script), name).is_some()
}

/// The script of a home that somebody named.
fn in_home(tool: Tool, home: PathBuf, origin: Origin, process: &Process) -> Result<Distribution, Failure> {
    let program = home.join("bin").join(tool.script());
    let version = version_of(&home);
    if !home.join("bin/spark-submit").is_file() {
        return Err(no_home(&home, &origin));
    }
    if let (Some(version), Some((major, minor))) = (&version, tool.since())
        && !version.at_least(major, minor)
    {
        return Err(Failure::not_found(format!("Spark {version} has nothing for `sparkdbg {}`", tool.command()))
            .help(format!("it came with Spark {major}.{minor}")));
    }
    if !program.is_file() {
        return Err(Failure::not_found(format!("the Spark in `{}` has no `bin/{}`", home.display(), tool.script()))
            .help("choose another distribution: --spark-home DIR"));
    }
    require_executable(&program)?;
    if process.is_ourselves(&program) || calls_us(&code_of(&program)) {
        return Err(leads_back(&program, &origin, "--spark-home"));
    }
    let export_home = process.var("SPARK_HOME").is_none_or(|variable| Path::new(variable) != home);
    Ok(Distribution { program, home: Some(home), origin, version, export_home })
}

fn no_home(home: &Path, origin: &Origin) -> Failure {
    let home = home.display();
    Failure::not_found(format!("`{home}` ({origin}) is no Spark distribution: `{home}/bin/spark-submit` is missing"))
        .help("a Spark home is the directory that holds bin/spark-submit")
}

/// A script that lies on `PATH` but cannot be run, or calls us, is the better explanation than "not
/// found".
fn refuse_unusable_on_path(tool: Tool, process: &Process) -> Result<(), Failure> {
    let dirs = process.var("PATH").into_iter().flat_map(std::env::split_paths);
    let mut scripts = dirs.map(|dir| dir.join(tool.script()));
    let Some(script) = scripts.find(|script| script.is_file() && !process.is_ourselves(script)) else { return Ok(()) };
    require_executable(&script)?;
    Err(leads_back(&script, &Origin::Path, "--spark-home"))
}

/// The first script on `PATH` that is not ourselves; where the tool's own is not on it, the
/// distribution of the first `spark-submit`.
fn on_path(tool: Tool, process: &Process) -> Result<Option<Distribution>, Failure> {
    // A `beeline` on PATH may well be Hive's own.
    let scripts: &[&str] = if tool == Tool::Beeline { &["spark-submit"] } else { &[tool.script(), "spark-submit"] };
    for script in scripts {
        if let Some(distribution) = script_on_path(tool, script, process)? {
            return Ok(Some(distribution));
        }
    }
    Ok(None)
}

fn script_on_path(tool: Tool, script: &str, process: &Process) -> Result<Option<Distribution>, Failure> {
    let Some(path) = process.var("PATH") else { return Ok(None) };
    let Ok(candidates) = which::which_in_all(script, Some(path), &process.cwd) else { return Ok(None) };
    for candidate in candidates {
        if process.is_ourselves(&candidate) {
            continue;
        }
        if let Some(distribution) = at(tool, script, &candidate, process)? {
            return Ok(Some(distribution));
        }
    }
    Ok(None)
}

/// The distribution to which a script on `PATH` leads, if it leads to one.
fn at(tool: Tool, script: &str, candidate: &Path, process: &Process) -> Result<Option<Distribution>, Failure> {
    // pip puts the scripts and find_spark_home.py together, away from the home.
    let real = fs::canonicalize(candidate).unwrap_or_else(|_| candidate.to_owned());
    let bins = [candidate, &real].into_iter().filter_map(Path::parent);
    let pip_bin = bins.into_iter().find(|bin| bin.join("find_spark_home.py").is_file());
    if let Some(home) = pip_bin.and_then(|bin| pip::home_of_scripts(bin, process)) {
        return in_home(tool, home, Origin::Pip("pyspark"), process).map(Some);
    }
    if let Some(home) = home_around(&real).filter(|_| pip_bin.is_none()) {
        return in_home(tool, home, Origin::Path, process).map(Some);
    }
    let code = code_of(candidate);
    if calls_us(&code) {
        return Ok(None);
    }
    let home =
        home_in_script(&code, script).or_else(|| is_home(Path::new("/usr/lib/spark")).then(|| "/usr/lib/spark".into()));
    if script != tool.script() {
        // Another tool's wrapper is not what was asked for, but it may know the home.
        return home.map(|home| in_home(tool, home, Origin::Wrapper, process)).transpose();
    }
    let version = home.as_deref().and_then(version_of);
    let program = candidate.to_owned();
    Ok(Some(Distribution { program, home, origin: Origin::Wrapper, version, export_home: false }))
}

/// Whether a directory holds a whole Spark.
pub fn is_home(dir: &Path) -> bool {
    dir.join("bin/spark-submit").is_file()
        && (dir.join("bin/spark-class").is_file() || dir.join("jars").is_dir() || dir.join("RELEASE").is_file())
}

/// The distribution in whose `bin` the script lies.
fn home_around(script: &Path) -> Option<PathBuf> {
    let bin = script.parent().filter(|bin| bin.file_name().is_some_and(|name| name == "bin"))?;
    bin.parent().filter(|home| is_home(home)).map(Path::to_owned)
}

/// The version of the Spark that a script of a distribution starts: in `SPARK_HOME`, else where it lies.
pub fn version_behind(script: &Path, process: &Process) -> Option<Version> {
    let real = fs::canonicalize(script).ok()?;
    let pip_bin = real.parent().filter(|bin| bin.join("find_spark_home.py").is_file());
    let home = pip_bin.and_then(|bin| pip::home_of_scripts(bin, process)).or_else(|| home_around(&real))?;
    let variable = process.var("SPARK_HOME").filter(|home| !home.is_empty());
    version_of(variable.map_or(&home, Path::new))
}

/// The home that a wrapper's `exec` line names: `exec /usr/lib/spark/bin/spark-submit "$@"`.
fn home_in_script(code: &str, script: &str) -> Option<PathBuf> {
    let ending = format!("/bin/{script}");
    let words = |line: &str| shell_words::split(line.trim_end_matches(['\\', ';'])).unwrap_or_default();
    // `${SPARK_HOME:-/usr/lib/spark}`: the variable is unset, or we had taken it.
    let without_default = |home: &str| home.trim_start_matches("${SPARK_HOME:-").trim_end_matches('}').to_owned();
    let assigned = code.lines().rev().find_map(|line| {
        let value = words(line).into_iter().find_map(|word| word.strip_prefix("SPARK_HOME=").map(str::to_owned))?;
        Some(without_default(value.trim_end_matches(';')))
    });
    code.lines().find_map(|line| {
        let words = words(line);
        let program = words.iter().skip_while(|word| *word != "exec").find(|word| word.ends_with(&ending))?;
        let mut home = program.strip_suffix(&ending)?.to_owned();
        if let Some(assigned) = &assigned {
            home = home.replace("${SPARK_HOME}", assigned).replace("$SPARK_HOME", assigned);
        }
        Some(PathBuf::from(without_default(&home))).filter(|home| is_home(home))
    })
}

/// Plain `python`: the home is the one that its pyspark will find.
fn find_python(named: Option<&Chosen<PathBuf>>, process: &Process) -> Result<Distribution, Failure> {
    let program = ["python", "python3"].iter().find_map(|name| process.which(name)).ok_or_else(|| {
        Failure::not_found("`python` is not on PATH, and neither is `python3`")
            .help("activate the environment of the job")
    })?;
    let variable = process.var("SPARK_HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
    let (home, origin) = match (named, variable) {
        (Some(chosen), _) => (Some(process.absolute(&chosen.value)), Origin::of(chosen)),
        (None, Some(home)) => (Some(home), Origin::Variable("SPARK_HOME")),
        (None, None) => (pip::home(pip::Package::Pyspark, &["python", "python3"], process), Origin::Pip("pyspark")),
    };
    if let Some(home) =
        home.as_ref().filter(|home| origin != Origin::Pip("pyspark") && !home.join("bin/spark-submit").is_file())
    {
        return Err(no_home(home, &origin));
    }
    let version = home.as_deref().and_then(version_of);
    let export_home = matches!(origin, Origin::Flag(_) | Origin::Profile(_))
        && process.var("SPARK_HOME").map(Path::new) != home.as_deref();
    Ok(Distribution { program, home, origin, version, export_home })
}

/// The version, from the name of the jar that will run, else from what the distribution says of itself.
fn version_of(home: &Path) -> Option<Version> {
    let from_jar = || {
        let jars = fs::read_dir(home.join("jars")).ok()?.flatten();
        let mut names = jars.filter_map(|entry| entry.file_name().into_string().ok());
        names.find_map(|name| {
            let rest = name.strip_prefix("spark-core_").or(name.strip_prefix("spark-launcher_"))?;
            Version::parse(rest.strip_suffix(".jar")?.split_once('-')?.1)
        })
    };
    let from_release = || {
        let text = fs::read_to_string(home.join("RELEASE")).ok()?;
        Version::parse(text.strip_prefix("Spark ")?.split_whitespace().next()?)
    };
    let from_python = || {
        let text = ["version.py", "python/pyspark/version.py"]
            .iter()
            .find_map(|file| fs::read_to_string(home.join(file)).ok())?;
        Version::parse(text.split("__version__").nth(1)?.split(['"', '\'']).nth(1)?)
    };
    from_jar().or_else(from_release).or_else(from_python)
}
