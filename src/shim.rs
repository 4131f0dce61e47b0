//! `sparkdbg shim`, and sparkdbg called by the name of a script: `spark-submit` that is a link to us.
//!
//! Without a profile in `SPARKDBG_PROFILE` the real script is started before anything else is read. No variable tells
//! nested jobs apart, since they are legal: what was injected is found in the words again, and replaced. Only a script that
//! calls the link again before any job runs is told by one (`shim::chain`).

mod chain;
mod links;
mod list;
mod names;
mod next;
mod own_path;

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::cli::{Global, Shim, ShimAction};
use crate::environment::distribution::{calls_us, code_of};
use crate::environment::{Link, Process};
use crate::error::{self, Failure, nearest};
use crate::launch;
use crate::output::{print, tell};
use crate::plan::LaunchPlan;

use chain::Chain;
use next::OnPath;

/// How we were called.
pub struct Called {
    /// The words of sparkdbg: as they are, or those of the command by whose script's name it was called.
    pub words: Vec<OsString>,
    /// The link, if it was by one.
    pub link: Option<Link>,
    chain: Chain,
}

/// Reads how we were called.
///
/// # Errors
/// Nobody asked for a debugger, and the real script could not replace us: none is there (127), or it cannot run (126).
pub fn called(argv: Vec<OsString>) -> Result<Called, Failure> {
    let as_it_is = |words| Called { words, link: None, chain: Chain::default() };
    let Some((program, args)) = argv.split_first() else { return Ok(as_it_is(argv)) };
    let Some((name, tool)) = names::called(program) else { return Ok(as_it_is(argv)) };
    let chain = Chain::current();
    let is_off = env::var_os("SPARKDBG").is_some_and(|value| value == "off");
    let has_profile = env::var_os("SPARKDBG_PROFILE").is_some_and(|name| !name.is_empty());
    // What an earlier link of the chain has put in is in the words.
    let debugs = has_profile && !is_off && !chain.debugged;
    let link = link(name, Path::new(program), debugs, &chain)?;
    if !debugs {
        return Err(stand_aside(&link, &chain, args));
    }
    let words = names::words(tool).into_iter().map(OsString::from).chain(args.iter().cloned()).collect();
    Ok(Called { words, link: Some(link), chain })
}

impl Called {
    /// Tells the script what the links before it have started, should it call one again.
    pub fn mark(&self, plan: &mut LaunchPlan) {
        if self.link.is_some()
            && let Some((name, value)) = self.chain.change(&plan.program, true)
        {
            plan.env.insert(name.to_owned(), value);
        }
    }
}

/// The link by which we were called. Where we debug, a script that calls sparkdbg itself is passed over: one agent will do.
fn link(name: &'static str, called_as: &Path, debugs: bool, chain: &Chain) -> Result<Link, Failure> {
    let exe = own_file()?;
    let on_path = OnPath::of(name, env::var_os("PATH").as_deref(), &exe);
    let mut scripts = on_path.next(&exe, called_as, chain);
    let script = scripts.find(|script| !debugs || !calls_us(&code_of(script))).map(Path::to_path_buf);
    let path = on_path.own.map_or(called_as, |own| &on_path.found[own]).to_path_buf();
    Ok(Link { path, name, script })
}

/// The real script replaces us; returns only if that failed.
fn stand_aside(link: &Link, chain: &Chain, args: &[OsString]) -> Failure {
    let Some(script) = &link.script else { return link.stands_alone() };
    launch::exec_untouched(script, args, chain.change(script, false))
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
    let unless_named = if asked.action == ShimAction::Remove { names::all() } else { names::usual() };
    let names = wanted(&asked.names, unless_named)?;
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

fn wanted(typed: &[String], unless_named: Vec<&'static str>) -> Result<Vec<&'static str>, Failure> {
    if typed.is_empty() {
        return Ok(unless_named);
    }
    let script = |name: &String| {
        names::named(name).map(|(name, _)| name).ok_or_else(|| {
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
