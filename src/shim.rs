//! `sparkdbg shim`, and sparkdbg called by the name of a script: `spark-submit` that is a link to us.
//!
//! Without a profile in `SPARKDBG_PROFILE` the real script is started before anything else is read. No variable tells
//! nested calls apart, since nested jobs are legal: what was injected is found in the words again, and replaced.

mod links;
mod list;
mod names;
mod next;
mod own_path;

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::cli::{Global, Shim, ShimAction};
use crate::environment::Process;
use crate::error::{self, Failure, nearest};
use crate::launch;
use crate::output::{print, tell};
use crate::tool::Tool;

use next::OnPath;

/// The words of sparkdbg: as they are, or those of the command by whose script's name it was called.
///
/// # Errors
/// Nobody asked for a debugger, and the real script could not replace us: none is there (127), or it cannot run (126).
pub fn words(argv: Vec<OsString>) -> Result<Vec<OsString>, Failure> {
    let Some((program, args)) = argv.split_first() else { return Ok(argv) };
    let Some(tool) = names::tool_of(program) else { return Ok(argv) };
    let is_off = env::var_os("SPARKDBG").is_some_and(|value| value == "off");
    let has_profile = env::var_os("SPARKDBG_PROFILE").is_some_and(|name| !name.is_empty());
    if is_off || !has_profile {
        return Err(stand_aside(tool, Path::new(program), args));
    }
    Ok(names::words(tool).into_iter().map(OsString::from).chain(args.iter().cloned()).collect())
}

/// The real script replaces us; returns only if that failed.
fn stand_aside(tool: Tool, called_as: &Path, args: &[OsString]) -> Failure {
    let exe = match own_file() {
        Ok(exe) => exe,
        Err(failure) => return failure,
    };
    let on_path = OnPath::of(tool.script(), env::var_os("PATH").as_deref(), &exe);
    match on_path.next(&exe, called_as) {
        Some(script) => launch::exec_untouched(script, args),
        None => {
            let link = on_path.own.map_or(called_as, |own| &on_path.found[own]);
            let (name, link) = (tool.script(), link.display());
            Failure::not_found(format!("`{name}` is not on PATH but for `{link}`, which is a link to sparkdbg"))
                .help("put the directory of the real one on PATH, behind that of the link")
        }
    }
}

/// The names that a link may have.
pub fn names() -> Vec<&'static str> {
    names::all()
}

/// The command.
///
/// # Errors
/// Words that mean nothing here (exit 2); files and directories that do not allow it (exit 125).
pub fn run(asked: &Shim, global: &Global) -> Result<(), Failure> {
    refuse_meaningless(global)?;
    let process = Process::current()?;
    let exe = own_file()?;
    let names = wanted(&asked.names)?;
    match (asked.action, &asked.dir) {
        (ShimAction::List, None) => {
            let (text, said) = list::list(&exe, &process);
            tell(&said);
            print(text.as_bytes())
        }
        (ShimAction::List, Some(dir)) => {
            Err(Failure::usage(format!("`{}`: `sparkdbg shim list` takes no directory", dir.display()))
                .help("it lists those on PATH"))
        }
        (ShimAction::Install, Some(dir)) => {
            let dir = process.cwd.join(dir);
            let target = own_path::of(env::args_os().next().as_deref(), &process, &exe);
            let done = links::install(&dir, &names, &target, &exe)?;
            if !global.quiet {
                tell(&list::next_step(&dir, &names, &exe, &process));
            }
            print(done.as_bytes())
        }
        (ShimAction::Remove, Some(dir)) => print(links::remove(&process.cwd.join(dir), &names, &exe)?.as_bytes()),
        (action, None) => {
            let action = if action == ShimAction::Install { "install" } else { "remove" };
            Err(Failure::usage(format!("`sparkdbg shim {action}` names no directory"))
                .help(format!("for example: sparkdbg shim {action} ~/shims")))
        }
    }
}

/// The file that runs, by which it knows itself.
fn own_file() -> Result<PathBuf, Failure> {
    env::current_exe().map_err(|cause| {
        Failure::world(format!(
            "sparkdbg cannot tell itself from the script that it looks for: {}",
            error::cause(&cause)
        ))
        .help("start the real script by its path")
    })
}

fn wanted(typed: &[String]) -> Result<Vec<&'static str>, Failure> {
    if typed.is_empty() {
        return Ok(names::all());
    }
    let script = |name: &String| {
        names::named(name).map(Tool::script).ok_or_else(|| {
            let failure = Failure::usage(format!("`{name}` is no script that sparkdbg can stand in front of"));
            match nearest(name, names::all()) {
                Some(near) => failure.help(format!("did you mean `{near}`?")),
                None => failure.help(format!("it takes {}", names::all().join(", "))),
            }
        })
    };
    typed.iter().map(script).collect()
}

fn refuse_meaningless(global: &Global) -> Result<(), Failure> {
    let given = [
        ("--profile", global.profile.is_some()),
        ("--config", global.config.is_some()),
        ("--dry-run", global.dry_run.is_some()),
        ("--spark-home", global.spark_home.is_some()),
        ("--flink-home", global.flink_home.is_some()),
        ("--no-preflight", global.no_preflight),
        ("--show-secrets", global.show_secrets),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        Some((flag @ "--profile", _)) => Err(Failure::usage(format!("`{flag}` has no meaning with `shim`"))
            .help("a link takes the profile that SPARKDBG_PROFILE names when it is called")),
        Some((flag, _)) => Err(Failure::usage(format!("`{flag}` has no meaning with `shim`, which starts nothing"))),
        None => Ok(()),
    }
}
