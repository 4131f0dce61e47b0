//! `sparkdbg`: step through a Spark or Flink job where it really runs.
//!
//! Data flows one way; no arrow points back up.
//!
//! ```text
//!  argv ───► argv, cli ──► Cli            syntax only
//!  TOML ───► profile ────► Profile
//!                 │
//!                 ▼
//!     options::resolve ──► Options        pure; every field final
//!                 │
//!                 ▼
//! environment::discover ─► Environment    the only reader of the world before the launch
//!                 │
//!                 ▼
//!        plan::launch ───► LaunchPlan     pure: the heart
//!                 │
//!       ┌─────────┴─────────┐
//!       ▼                   ▼
//!   show (dry run,      launch::exec
//!   notes, -v)          (replaces us)
//! ```
//!
//! That is Spark's way; Flink's has the same steps, in `environment::flink` and `plan::flink`.
//!
//! `ps` stands beside that picture: it starts nothing, `discovery` asks who runs where. So do `export`, which
//! writes the settings of a service, `env`, which prints the variables of a launch, and `ide`, which writes where JVMs
//! will be met, or are, for an IDE; `doctor`, which plans a launch to tell what speaks against it; `off`, the launch with
//! `SPARKDBG=off`: a plan with nothing of ours in it; and `shim`, sparkdbg by the name of a script. `init` writes a profile,
//! `profiles` lists them; `completions` and `manual` are made from the definition in `cli`. `output` prints.
//!
//! `spark` holds what is Spark's (grammar, files, deployment), `flink` what is Flink's, `jvm` what every
//! JVM shares (the debug agent, option strings). `endpoint`, `error`, `secrets`, `text` and `trust` are the words and rules
//! that all of them use.

pub mod argv;
pub mod cli;
mod completions;
pub mod discovery;
pub mod doctor;
pub mod endpoint;
pub mod env;
pub mod environment;
pub mod error;
pub mod export;
pub mod flink;
pub mod ide;
mod init;
pub mod jvm;
pub mod launch;
mod manual;
mod off;
pub mod options;
mod output;
pub mod pause;
pub mod plan;
pub mod profile;
mod profiles;
pub mod ps;
pub mod secrets;
mod seeded_fault;
pub mod shim;
pub mod show;
pub mod spark;
pub mod text;
pub mod tool;
mod trust;
pub mod version;

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::Path;

use anyhow::Result;
use clap::{ColorChoice, FromArgMatches};

use cli::{Cli, Command, DryRunFormat, Global};
use environment::Process;
use error::Failure;
use flink::script::Script;
use options::{Action, Options};
use output::tell;
use plan::LaunchPlan;
use profile::Loaded;
use show::System;
use tool::Tool;

/// The program: returns only without a launch, since a launch replaces the process.
///
/// # Errors
/// A [`Failure`] with its exit status, or clap's own error.
pub fn run(argv: Vec<OsString>) -> Result<()> {
    let mut called = shim::called(argv)?;
    // clap's own rule would colour a pipe when a variable asks for it (CLICOLOR_FORCE).
    let colour = if std::io::stdout().is_terminal() { ColorChoice::Auto } else { ColorChoice::Never };
    let mut definition = cli::definition().color(colour);
    let argv::Line { words, astray } = argv::normalize(&definition, std::mem::take(&mut called.words))?;
    let astray = astray.as_ref().map(plan::astray);
    let matches = match definition.try_get_matches_from_mut(words) {
        Err(help) if !help.use_stderr() => return Ok(output::printed(help.print())?),
        matches => matches?,
    };
    let cli = Cli::from_arg_matches(&matches)?;
    let start = match cli.command {
        Command::Start(start) => *start,
        Command::Ps(asked) => return ps::run(&asked, &cli.global).map_err(Into::into),
        Command::Export(asked) => return export::run(&asked, &cli.global).map_err(Into::into),
        Command::Ide(asked) => return ide::run(&asked, &cli.global).map_err(Into::into),
        Command::Init(asked) => return init::run(&asked, &cli.global).map_err(Into::into),
        Command::Profiles(asked) => return profiles::run(&asked, &cli.global).map_err(Into::into),
        Command::Completions(asked) => return completions::run(&asked).map_err(Into::into),
        Command::Man(asked) => return manual::man(&asked).map_err(Into::into),
        Command::Doctor(asked) => return doctor::run(*asked, &cli.global, astray.as_ref()),
        Command::Env(asked) => return env::run(&asked, &cli.global).map_err(Into::into),
        Command::Shim(asked) => return shim::run(&asked, &cli.global).map_err(Into::into),
    };
    let request = options::request(start)?;
    let process = Process { link: called.link.clone(), ..Process::current()? };
    let loaded = load_profiles(&cli.global, &process);
    if off::is_asked_for(&process) {
        let plan = off::plan(&cli.global, &request, loaded, &process)?;
        tell(&show::notes(&plan));
        return match cli.global.dry_run {
            Some(format) => print_plan(&plan, format, cli.global.show_secrets),
            None => Err(launch::exec(&plan).into()),
        };
    }
    let options = options::resolve(&cli.global, request, loaded?)?;
    let (mut plan, system) = match options.tool {
        Tool::Flink(script) => of_flink(script, &options, &process)?,
        _ => of_spark(&options, &process)?,
    };
    plan.notes.splice(0..0, astray);
    called.mark(&mut plan);
    launch::write_files(&plan.files)?;
    if options.verbose {
        tell(&show::provenance(&options, &system, &plan));
    }
    // JSON holds the notes itself.
    if options.action != Action::DryRun(DryRunFormat::Json) {
        tell(&show::notes(&plan));
    }
    match options.action {
        Action::DryRun(format) => print_plan(&plan, format, options.show_secrets),
        Action::Launch => {
            if let Some(warning) = launch::wait_for_debugger(&plan)? {
                tell(&warning);
            }
            Err(launch::exec(&plan).into())
        }
    }
}

fn of_spark(options: &Options, process: &Process) -> Result<(LaunchPlan, System), Failure> {
    let mut environment = environment::discover(options, process)?;
    let meeting_points = plan::meeting_points(options, &environment);
    environment::look_at_ports(&mut environment, &meeting_points);
    let plan = plan::launch(options, &environment)?;
    Ok((plan, System::spark(environment)))
}

fn of_flink(script: Script, options: &Options, process: &Process) -> Result<(LaunchPlan, System), Failure> {
    let mut environment = environment::flink::discover(script, options, process)?;
    let meeting_points = plan::flink::meeting_points(options, &environment)?;
    environment::flink::look_at_ports(&mut environment, &meeting_points);
    let plan = plan::flink::launch(options, &environment)?;
    Ok((plan, System::flink(environment)))
}

fn load_profiles(global: &Global, process: &Process) -> Result<Loaded, Failure> {
    let search = profile_search(global, process);
    let variable = profile_variable(process);
    let wanted = match (&global.profile, &variable) {
        (Some(name), _) => Some((name.as_str(), "--profile")),
        (None, Some(name)) => Some((name.as_str(), "SPARKDBG_PROFILE")),
        (None, None) => None,
    };
    profile::load(&search, wanted)
}

/// The profile that `SPARKDBG_PROFILE` names.
fn profile_variable(process: &Process) -> Option<String> {
    process.var("SPARKDBG_PROFILE").map(text::decode).filter(|name| !name.is_empty())
}

/// Where profiles are looked for.
fn profile_search<'a>(global: &'a Global, process: &'a Process) -> profile::Search<'a> {
    profile::Search {
        config: global.config.as_deref(),
        cwd: &process.cwd,
        home: process.var("HOME").map(Path::new),
        xdg_config_home: process.var("XDG_CONFIG_HOME").map(Path::new),
    }
}

fn print_plan(plan: &LaunchPlan, format: DryRunFormat, show_secrets: bool) -> Result<()> {
    let text = match format {
        DryRunFormat::Text => show::command(plan, show_secrets),
        DryRunFormat::Json => show::json(plan, show_secrets).into_bytes(),
    };
    Ok(output::print(&text)?)
}
