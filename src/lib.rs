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
//! `ps` stands beside that picture: it starts nothing, `discovery` asks who runs where.
//!
//! `spark` holds what is Spark's (grammar, files, deployment), `jvm` what every JVM shares (the debug
//! agent, option strings). `endpoint`, `error`, `secrets`, `text` and `trust` are the words and rules
//! that all of them use.

pub mod argv;
pub mod cli;
pub mod discovery;
pub mod endpoint;
pub mod environment;
pub mod error;
pub mod jvm;
pub mod launch;
pub mod options;
pub mod plan;
pub mod profile;
pub mod ps;
pub mod secrets;
mod seeded_fault;
pub mod show;
pub mod spark;
pub mod text;
mod trust;

use std::ffi::OsString;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use anyhow::Result;
use clap::FromArgMatches;

use cli::{Cli, Command, DryRunFormat, Global, Launch};
use environment::Process;
use error::Failure;
use options::{Action, Request};
use plan::LaunchPlan;
use profile::{Loaded, Profile};

/// The program: returns only without a launch, since a launch replaces the process.
///
/// # Errors
/// A [`Failure`] with its exit status, or clap's own error for `--help` and `--version`.
pub fn run(argv: Vec<OsString>) -> Result<()> {
    let mut definition = cli::definition();
    let words = argv::normalize(&definition, argv)?;
    let cli = Cli::from_arg_matches(&definition.try_get_matches_from_mut(words)?)?;
    let start = match cli.command {
        Command::Start(start) => start,
        Command::Ps(asked) => return ps::run(&asked, &cli.global).map_err(Into::into),
    };
    let request = options::request(start);
    let process = Process::current()?;
    let loaded = load_profiles(&cli.global, &process);
    if process.var("SPARKDBG").is_some_and(|value| value == "off") {
        let named = cli.global.profile.is_some() || cli.global.config.is_some();
        // A file that nobody asked for must not stop a script that is to run untouched.
        let profile = if named { loaded?.profile } else { loaded.map(|loaded| loaded.profile).unwrap_or_default() };
        return run_untouched(&cli.global, &request, &profile, &process);
    }
    let options = options::resolve(&cli.global, request, loaded?)?;
    let mut environment = environment::discover(&options, &process)?;
    let meeting_points = plan::meeting_points(&options, &environment);
    environment::look_at_ports(&mut environment, &meeting_points);
    let plan = plan::launch(&options, &environment)?;
    launch::write_files(&plan.files)?;
    if options.verbose {
        tell(&show::provenance(&options, &environment, &plan));
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

fn load_profiles(global: &Global, process: &Process) -> Result<Loaded, Failure> {
    let search = profile::Search {
        config: global.config.as_deref(),
        cwd: &process.cwd,
        home: process.var("HOME").map(Path::new),
        xdg_config_home: process.var("XDG_CONFIG_HOME").map(Path::new),
    };
    let variable = process.var("SPARKDBG_PROFILE").map(text::decode).filter(|name| !name.is_empty());
    let wanted = match (&global.profile, &variable) {
        (Some(name), _) => Some((name.as_str(), "--profile")),
        (None, Some(name)) => Some((name.as_str(), "SPARKDBG_PROFILE")),
        (None, None) => None,
    };
    profile::load(&search, wanted)
}

/// `SPARKDBG=off`: the real script as if we were not there.
fn run_untouched(global: &Global, request: &Request, profile: &Profile, process: &Process) -> Result<()> {
    let named = options::spark_home(global, profile);
    let distribution = environment::home::find(request.tool, named.as_ref(), process)?;
    let mut plan = plan::off(request, &distribution, !global.quiet);
    if plan::lacks_master(request) {
        add_master(global, request, profile, process, &mut plan);
    }
    tell(&show::notes(&plan));
    match global.dry_run {
        Some(format) => print_plan(&plan, format, global.show_secrets),
        None => Err(launch::exec(&plan).into()),
    }
}

/// The master of a Worker is no matter of the debugger's: who does not type it has not asked for less.
/// Where it cannot be found, the Worker itself will say that it has none.
fn add_master(global: &Global, request: &Request, profile: &Profile, process: &Process, plan: &mut LaunchPlan) {
    let launch = Launch { daemon: Some(None), args: request.launch.args.clone(), ..Launch::default() };
    let request = Request { launch, app: None, ..request.clone() };
    let Profile { spark_home, worker_master, .. } = profile.clone();
    let profile = Profile { spark_home, worker_master, ..Profile::default() };
    let loaded = Loaded { name: None, named_by: None, profile, files: Vec::new() };
    if let Ok(options) = options::resolve(global, request, loaded)
        && let Ok(environment) = environment::discover(&options, process)
    {
        plan::add_master(&options, &environment, plan);
    }
}

/// To standard error. That nobody reads it is no reason not to start the job.
fn tell(text: &str) {
    let _ = io::stderr().write_all(secrets::for_terminal(text).as_bytes());
}

fn print_plan(plan: &LaunchPlan, format: DryRunFormat, show_secrets: bool) -> Result<()> {
    let text = match format {
        DryRunFormat::Text => show::command(plan, show_secrets),
        DryRunFormat::Json => show::json(plan, show_secrets).into_bytes(),
    };
    let mut stdout = io::stdout().lock();
    match stdout.write_all(&text).and_then(|()| stdout.flush()) {
        // Whoever reads had enough, as `head` does.
        Err(cause) if cause.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result.map_err(|cause| Failure::world(format!("standard output cannot be written: {cause}")).into()),
    }
}
