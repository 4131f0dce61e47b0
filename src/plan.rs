//! Which JVM gets what, through which knob: pure, from what the user wants and what was found.
//!
//! Two kinds of command: an application (`spark-submit` and what ends in it) and a JVM of
//! `spark-class`. In both the order is that of the reasons: what cannot be debugged, what is certainly
//! mistaken, what is there already, what is put in, and whether debugger and JVM will meet.

mod agents;
mod application;
mod daemon;
mod driver;
mod edit;
mod embedded;
mod executor;
pub mod flink;
mod helper_files;
mod hints;
pub mod java_home;
mod meeting;
mod mistakes;
mod notes;
mod one_executor;
mod overlay;
mod pauses;
mod preflight;
mod sources;
mod worker;

pub use embedded::embedded;
pub use helper_files::{Content, HelperFile};
pub use notes::{Level, Note, astray};

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::endpoint::{Endpoint, Mode, Role};
use crate::environment::distribution::Distribution;
use crate::environment::{Environment, Machine};
use crate::error::Failure;
use crate::options::{Options, Request, Target};
use crate::text;
use crate::tool::Tool;
use meeting::Meeting;

/// What will be started, decided before anything is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LaunchPlan {
    /// The program that replaces us.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Changed variables only; `None` removes one.
    pub env: BTreeMap<String, Option<OsString>>,
    /// Files that must exist before the start; never holding a value of the job.
    pub files: Vec<HelperFile>,
    /// Who meets whom, where.
    pub endpoints: Vec<DebugEndpoint>,
    /// Every changed value.
    pub rewrites: Vec<Rewrite>,
    /// What the user should know, in the order in which it was found.
    pub notes: Vec<Note>,
    /// Before the start, wait until debuggers listen.
    pub wait: Option<Wait>,
}

/// The wait for a debugger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait {
    /// Where debuggers must listen.
    pub endpoints: Vec<Endpoint>,
    /// At most this long.
    pub limit: Duration,
    /// Whether the job starts all the same when nobody came (`--no-preflight`).
    pub start_anyway: bool,
}

impl LaunchPlan {
    /// One that starts this, and has nothing of ours yet.
    fn bare(program: &Path, args: Vec<OsString>, env: BTreeMap<String, Option<OsString>>) -> LaunchPlan {
        LaunchPlan {
            program: program.to_owned(),
            args,
            env,
            files: Vec::new(),
            endpoints: Vec::new(),
            rewrites: Vec::new(),
            notes: Vec::new(),
            wait: None,
        }
    }

    /// The helper files that hold something; links lead to what is there anyway.
    pub fn written_files(&self) -> impl Iterator<Item = &Path> {
        let written = self.files.iter().filter(|file| !matches!(file.content, Content::Link(_)));
        written.map(|file| file.path.as_path())
    }
}

/// Where a debugger and a JVM meet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DebugEndpoint {
    /// Which JVM.
    pub role: Role,
    /// Who dials whom, and where.
    pub endpoint: Endpoint,
    /// Whether by an agent that was there already.
    pub kept: bool,
}

/// One changed value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewrite {
    /// The configuration key or the variable.
    pub name: String,
    /// What stood there; `None`: nothing.
    pub before: Option<String>,
    /// What stands there now; `None`: nothing any more.
    pub after: Option<String>,
    /// Where the value before came from and where the one after stands.
    pub from: String,
    /// The reason.
    pub why: String,
}

/// The script as the user would have started it, with the home that was chosen.
fn untouched(tool: Tool, before_class: &[OsString], args: &[OsString], distribution: &Distribution) -> LaunchPlan {
    let given = tool.given_words().iter().map(OsString::from);
    let mut env = BTreeMap::new();
    if let Some(home) = distribution.home.as_ref().filter(|_| distribution.export_home) {
        env.insert("SPARK_HOME".to_owned(), Some(home.clone().into_os_string()));
    }
    if matches!(tool, Tool::ConnectServer | Tool::ThriftServer)
        && distribution.version.as_ref().is_none_or(|version| version.at_least(4, 0))
    {
        // As the servers' own sbin scripts do: a server is no client of Spark Connect.
        env.insert("SPARK_CONNECT_MODE".to_owned(), Some("0".into()));
    }
    let args = before_class.iter().cloned().chain(given).chain(args.iter().cloned()).collect();
    LaunchPlan::bare(&distribution.program, args, env)
}

/// `SPARKDBG=off`: untouched, with the one thing that must be said.
pub fn off(request: &Request, distribution: &Distribution, hints: bool) -> LaunchPlan {
    let mut plan = untouched(request.tool, &request.before_class, &request.launch.args, distribution);
    plan.notes.extend(hints::project_home(distribution).filter(|_| hints));
    plan
}

/// Whether a Worker needs the master that nobody typed.
pub fn lacks_master(request: &Request) -> bool {
    let words: Vec<String> = request.launch.args.iter().map(|word| text::decode(word)).collect();
    request.tool == Tool::Worker && worker::lacks_master(&words)
}

/// `SPARKDBG=off`: the master of a Worker, if one is named anywhere.
pub fn add_master(options: &Options, environment: &Environment, plan: &mut LaunchPlan) {
    // Nobody names one: then it is as typed.
    let _ = worker::add_master(options, environment, plan);
}

/// Where debuggers and JVMs will meet on this machine: at an agent that is kept, else where the user
/// said. Nothing where there is nothing to debug, or it is not here.
pub fn meeting_points(options: &Options, environment: &Environment) -> BTreeMap<Role, Endpoint> {
    if environment.line.question.is_some() {
        return BTreeMap::new();
    }
    let points = options.targets.iter().filter_map(|target| {
        let endpoint = endpoint_of(target, options, environment)?;
        let is_one_socket = match (target.role, endpoint.mode) {
            // Who listens on this machine is seen here, wherever the executors run.
            (Role::Executor, Mode::Listen) => true,
            // Each picks its own.
            (Role::Executor, Mode::Attach) => endpoint.port != 0 && environment.is_here(Role::Executor),
            (role, _) => environment.is_here(role),
        };
        is_one_socket.then_some((target.role, endpoint))
    });
    points.collect()
}

/// Where a JVM and its debugger meet: where an agent that is kept says, if one is. `None`: it does not say.
pub fn endpoint_of(target: &Target, options: &Options, environment: &Environment) -> Option<Endpoint> {
    let found = agents::find(target.role, options, environment);
    match agents::kept(options.existing.value, &found) {
        Some(kept) => kept.endpoint(environment.machine.java),
        None => Some(target.endpoint.clone()),
    }
}

/// The checks of an application that a launch makes before it plans anything, each for itself: a launch ends at
/// the first that fails.
pub fn checks(options: &Options, environment: &Environment) -> Vec<Result<Vec<Note>, Failure>> {
    match options.tool.ends_in_submit() && environment.line.question.is_none() {
        true => application::checks(options, environment),
        false => Vec::new(),
    }
}

/// Whether debugger and JVM would meet, judged for itself: what a launch would say of it.
///
/// # Errors
/// What would keep the launch from starting.
pub fn meets_debugger(
    target: &Target,
    options: &Options,
    machine: &Machine,
    is_here: bool,
) -> Result<Vec<Note>, Failure> {
    let meeting: Meeting<'_> = Meeting { target, endpoint: preflight::with_port(target, machine), kept: None };
    let mut plan = LaunchPlan::default();
    preflight::check(&meeting, options, machine, is_here, &mut plan)?;
    Ok(plan.notes)
}

/// Whether an application's executors run on this very machine.
pub fn executors_are_here(environment: &Environment) -> bool {
    environment.class.is_some() || executor::run_here(environment)
}

/// Whether the command is a client of a Connect server elsewhere, in which the driver runs.
pub fn is_connect_client(options: &Options, environment: &Environment) -> bool {
    environment.deployment.connect.as_ref().is_some_and(|connect| driver::leads_away(options.tool, connect))
}

/// Whether the application is written in Python.
pub fn runs_python(options: &Options, environment: &Environment) -> bool {
    driver::runs_python(options, environment)
}

/// The debug agents that the JVMs of a role would load without us, each as it stands there, with its place.
pub fn agents_there(role: Role, options: &Options, environment: &Environment) -> Vec<(String, String)> {
    let found = agents::find(role, options, environment);
    found.into_iter().map(|found| (found.text, found.place.to_string())).collect()
}

/// The whole decision. [`Machine::ports`](crate::environment::Machine::ports) is what was found at the [`meeting_points`].
///
/// # Errors
/// Whatever would make the launch fail or mislead, said before anything starts.
pub fn launch(options: &Options, environment: &Environment) -> Result<LaunchPlan, Failure> {
    let distribution = &environment.distribution;
    let mut plan = untouched(options.tool, &options.before_class, &options.args, distribution);
    if options.tool.ends_in_submit() {
        application::plan(options, environment, &mut plan)?;
    } else {
        daemon::plan(options, environment, &mut plan)?;
    }
    // The driver and its executors may have much in common.
    plan.notes = notes::once(std::mem::take(&mut plan.notes));
    Ok(plan)
}
