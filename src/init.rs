//! `sparkdbg init`: a commented `sparkdbg.toml`, with what the flags say and every other key as a comment.

mod document;

use std::fs::{self, DirBuilder, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};

use crate::cli::{DryRunFormat, Global, Init};
use crate::endpoint::Role;
use crate::environment::Process;
use crate::error::{self, Failure};
use crate::options::{NewProfile, new_profile};
use crate::output::{print, tell};
use crate::profile::{self, Search};
use crate::{text, trust};

/// The profile that is written where nobody names one.
const DEFAULT_NAME: &str = "local";

/// The command.
///
/// # Errors
/// A bad value, or options that a profile does not have (exit 2); a file that is there already, cannot be written
/// or would not be trusted (exit 125).
pub fn run(asked: &Init, global: &Global) -> Result<(), Failure> {
    refuse_meaningless(asked, global)?;
    let says = new_profile(&asked.debug)?;
    let process = Process::current()?;
    let search = crate::profile_search(global, &process);
    let variable = crate::profile_variable(&process);
    let name = global.profile.as_deref().or(variable.as_deref()).unwrap_or(DEFAULT_NAME);
    let file = profile::new_file(&search, asked.user).ok_or_else(|| {
        Failure::world("neither XDG_CONFIG_HOME nor HOME names a directory for the user's file")
            .help("set HOME, or write the project's file: sparkdbg init")
    })?;
    let home = |flag: &str, typed: &Option<PathBuf>| {
        typed.as_deref().map(|dir| home(flag, dir, &file, search.cwd)).transpose()
    };
    let homes = document::Homes {
        spark: home("--spark-home", &global.spark_home)?,
        flink: home("--flink-home", &global.flink_home)?,
    };
    let text = document::text(name, &says, &homes);
    warn_of_no_home("--spark-home", &global.spark_home, "bin/spark-submit", search.cwd);
    warn_of_no_home("--flink-home", &global.flink_home, "bin/flink", search.cwd);
    if global.dry_run.is_some() {
        if let Err(Failure { message, help, .. }) =
            target(&file, asked.force).and_then(|target| trusted(&file, &target))
        {
            let help = help.map(|help| format!("\nhelp: {help}")).unwrap_or_default();
            tell(&format!("warning: nothing would be written: {message}{help}\n"));
        }
        return print(text.as_bytes());
    }
    let shadowed =
        profile::project_file(&search).filter(|found| search.config.is_none() && !asked.user && *found != file);
    write(&file, &text, asked.force)?;
    // What was written is what will be read.
    profile::load(&Search { config: Some(&file), ..search }, Some((name, "init")))?;
    if !global.quiet {
        tell(&written(&file, name, first_launch(&says), &search, variable.as_deref()));
        if let Some(one_place) = &says.one_place {
            tell(&format!("note: {one_place}; no command starts both, but `sparkdbg ide` asks which one is meant\n"));
        }
        if let Some(shadowed) = shadowed {
            tell(&format!("note: from here on `{}` is not read: the nearest file counts\n", shadowed.display()));
        }
    }
    Ok(())
}

fn refuse_meaningless(asked: &Init, global: &Global) -> Result<(), Failure> {
    if asked.user && global.config.is_some() {
        return Err(Failure::usage("`--user` and `--config` both say where the file is").help("give one of them"));
    }
    if global.dry_run == Some(DryRunFormat::Json) {
        return Err(Failure::usage("`--dry-run=json` has no meaning with `init`, which writes TOML")
            .help("`--dry-run` prints what would be written"));
    }
    if global.no_preflight {
        return Err(Failure::usage("`--no-preflight` has no meaning with `init`, which starts nothing"));
    }
    match &global.profile {
        Some(name) if name.is_empty() => {
            Err(Failure::usage("`--profile` is empty").help("write the name of the profile"))
        }
        _ => Ok(()),
    }
}

/// A path as the file has to spell it, which sees relative ones from its own directory.
fn home(flag: &str, typed: &Path, file: &Path, cwd: &Path) -> Result<String, Failure> {
    // A project that moves takes its own distribution with it.
    let is_beside = file.parent() == Some(cwd);
    let path = match typed.starts_with("~") && is_beside {
        // The shell left it alone, so a directory of that name is meant; the file would see the home directory.
        true => Path::new(".").join(typed),
        false if is_beside => typed.to_owned(),
        false => without_steps_up(cwd.join(typed)),
    };
    path.into_os_string().into_string().map_err(|path| {
        Failure::usage(format!("`{flag}`: `{}` is not UTF-8, which TOML has to be", path.to_string_lossy()))
            .help("give a symbolic link to it, or set the variable: SPARK_HOME, FLINK_HOME")
    })
}

/// The same path, without `..` where the directory is there.
fn without_steps_up(path: PathBuf) -> PathBuf {
    let parts: Vec<Component> = path.components().collect();
    let Some(last) = parts.iter().rposition(|part| *part == Component::ParentDir) else { return path };
    let (up, rest) = parts.split_at(last + 1);
    // Links below it stay: they may be meant.
    fs::canonicalize(up.iter().collect::<PathBuf>())
        .map_or(path.clone(), |dir| dir.join(rest.iter().collect::<PathBuf>()))
}

/// It may be made later, or be that of another machine.
fn warn_of_no_home(flag: &str, typed: &Option<PathBuf>, script: &str, cwd: &Path) {
    if let Some(dir) = typed.as_deref().filter(|dir| !cwd.join(dir).join(script).is_file()) {
        tell(&format!("warning: `{}` ({flag}) has no `{script}`: a launch from there would fail\n", dir.display()));
    }
}

fn cannot_write(file: &Path, error: &io::Error) -> Failure {
    Failure::world(format!("`{}` cannot be written: {}", file.display(), error::cause(error)))
}

/// The file that is made or replaced.
fn target(file: &Path, force: bool) -> Result<PathBuf, Failure> {
    let target = match fs::symlink_metadata(file) {
        Ok(_) if !force => return Err(is_there(file)),
        // A link keeps its place: what it leads to is replaced.
        Ok(_) => fs::canonicalize(file).map_err(|error| cannot_write(file, &error))?,
        Err(error) if error.kind() == ErrorKind::NotFound => file.to_owned(),
        Err(error) => return Err(cannot_write(file, &error)),
    };
    if fs::metadata(&target).is_ok_and(|facts| !facts.is_file()) {
        return Err(Failure::world(format!("`{}` cannot be replaced: it is not a regular file", file.display())));
    }
    Ok(target)
}

/// Whether nobody else could exchange it; a directory that is not there yet will be the user's own.
fn trusted(file: &Path, target: &Path) -> Result<(), Failure> {
    let is_there = |path: &&Path| path.parent().is_some_and(Path::exists);
    [file, target].into_iter().filter(is_there).try_for_each(trust::directory_of)
}

/// Whoever may exchange the file is named before it is written. It gets its name when it is whole.
fn write(file: &Path, text: &str, force: bool) -> Result<(), Failure> {
    let failure = |error: &io::Error| cannot_write(file, error);
    let target = target(file, force)?;
    let directory = target.parent().unwrap_or(&target);
    // Whatever the umask says: one that the user's group can write would not be trusted.
    DirBuilder::new().recursive(true).mode(0o755).create(directory).map_err(|error| failure(&error))?;
    trusted(file, &target)?;
    let mut whole = tempfile::Builder::new()
        .permissions(Permissions::from_mode(0o644))
        .tempfile_in(directory)
        .map_err(|error| failure(&error))?;
    whole.write_all(text.as_bytes()).map_err(|error| failure(&error))?;
    let named = if force { whole.persist(&target) } else { whole.persist_noclobber(&target) };
    named.map(drop).map_err(|refused| match refused.error.kind() {
        ErrorKind::AlreadyExists => is_there(file),
        _ => failure(&refused.error),
    })
}

fn is_there(file: &Path) -> Failure {
    Failure::world(format!("`{}` is there already", file.display())).help("edit it, or let it be replaced: --force")
}

/// What was written, and how it is used.
fn written(file: &Path, name: &str, launch: &str, search: &Search, variable: Option<&str>) -> String {
    let shown = file.display();
    if let Some(config) = search.config {
        let config = shell_words::quote(&text::decode(config.as_os_str())).into_owned();
        return format!("sparkdbg: wrote `{shown}`; its default is `{name}`: sparkdbg --config {config} {launch}\n");
    }
    // Another file, or the variable, may name another one.
    let in_force = match variable {
        Some(variable) => Some(variable.to_owned()),
        None => profile::load(search, None).ok().and_then(|loaded| loaded.name),
    };
    if in_force.as_deref() == Some(name) {
        return format!("sparkdbg: wrote `{shown}`; `{name}` is the default profile: sparkdbg {launch}\n");
    }
    format!("sparkdbg: wrote `{shown}`: sparkdbg -p {} {launch}\n", shell_words::quote(name))
}

/// A command that has one of the roles.
fn first_launch(says: &NewProfile) -> &'static str {
    let names = |roles: &[Role]| says.endpoints.iter().any(|(role, _)| roles.contains(role));
    if says.endpoints.is_empty() || names(&[Role::Driver, Role::Executor]) {
        "submit app.jar"
    } else if names(&[Role::Client, Role::JobManager, Role::TaskManager]) {
        "flink run app.jar"
    } else {
        "master"
    }
}
