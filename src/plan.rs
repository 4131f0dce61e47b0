//! Which JVM gets what, through which knob: pure, from what the user wants and what was found.
//!
//! The order of [`launch`] is the order of the reasons: what cannot be debugged, what is certainly
//! mistaken, what is there already, what is put in, and whether debugger and JVM will meet.

mod agents;
mod driver;
mod edit;
mod hints;
pub mod java_home;
mod mistakes;
mod notes;
mod overlay;
mod preflight;

pub use notes::{Level, Note};

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::endpoint::{Endpoint, Role};
use crate::environment::Environment;
use crate::environment::home::Distribution;
use crate::error::Failure;
use crate::options::Options;
use crate::spark::tool::Tool;

/// What will be started, decided before anything is.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    /// Before the start, wait until a debugger listens at the first endpoint.
    pub wait: Option<Wait>,
}

/// The wait for a debugger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    /// At most this long.
    pub limit: Duration,
    /// Whether the job starts all the same when nobody came (`--no-preflight`).
    pub start_anyway: bool,
}

/// A file in a directory whose name is made from what it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelperFile {
    /// Where it stands.
    pub path: PathBuf,
    /// What it is.
    pub content: Content,
}

/// What a helper file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// A text that another script sources.
    Text(&'static str),
    /// A script that is run.
    Script(&'static str),
    /// A symbolic link to this path.
    Link(PathBuf),
}

impl LaunchPlan {
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
fn untouched(tool: Tool, args: &[OsString], distribution: &Distribution) -> LaunchPlan {
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
    LaunchPlan {
        program: distribution.program.clone(),
        args: given.chain(args.iter().cloned()).collect(),
        env,
        files: Vec::new(),
        endpoints: Vec::new(),
        rewrites: Vec::new(),
        notes: Vec::new(),
        wait: None,
    }
}

/// `SPARKDBG=off`: untouched, with the one thing that must be said.
pub fn off(tool: Tool, args: &[OsString], distribution: &Distribution, hints: bool) -> LaunchPlan {
    let mut plan = untouched(tool, args, distribution);
    plan.notes.extend(hints::project_home(distribution).filter(|_| hints));
    plan
}

/// Where debugger and JVM will meet on this machine: at an agent that is kept, else where the user
/// said. `None`: nothing to debug, or not here.
pub fn meeting_point(options: &Options, environment: &Environment) -> Option<Endpoint> {
    if environment.line.question.is_some() || environment.deployment.cluster {
        return None;
    }
    match agents::kept(options.existing.value, &agents::find(environment)) {
        Some(kept) => kept.endpoint(environment),
        None => Some(options.driver.endpoint.clone()),
    }
}

/// The whole decision. [`Environment::port`] is what was found at the [`meeting_point`].
///
/// # Errors
/// Whatever would make the launch fail or mislead, said before anything starts.
pub fn launch(options: &Options, environment: &Environment) -> Result<LaunchPlan, Failure> {
    let mut plan = untouched(options.tool, &options.args, &environment.distribution);
    if let Some(question) = &environment.line.question {
        if options.hints {
            plan.notes.extend(hints::project_home(&environment.distribution));
        }
        plan.notes.push(notes::nothing_to_debug(options, question));
        return Ok(plan);
    }
    let notes = mistakes::in_command_line(&environment.words, &environment.line, environment.version());
    plan.notes.extend(notes.map_err(|failure| failure.blamed_on_world(environment.python_args.is_some()))?);
    driver::refuse_elsewhere(options, environment)?;
    plan.notes.extend(mistakes::in_keys(&environment.conf()));
    plan.notes.extend(driver::check_values(environment)?);
    plan.notes.extend(notes::about(options, environment));

    let mut edits = edit::Edits::default();
    let found = agents::find(environment);
    let kept = agents::handle(options, &found, environment, &mut edits, &mut plan.notes)?;
    let endpoint = match &kept {
        Some(kept) => kept.endpoint(environment),
        None => Some(preflight::with_port(&options.driver.endpoint, environment)),
    };
    if let Some(endpoint) = endpoint {
        driver::refuse_dialling_itself(options, environment, &endpoint, kept.as_ref())?;
        preflight::check(options, environment, &endpoint, kept.as_ref(), &mut plan)?;
        if kept.is_none() {
            driver::insert(options, environment, &endpoint, &mut edits);
        }
        plan.endpoints.push(DebugEndpoint { role: Role::Driver, endpoint });
    }
    edits.apply(options, environment, &mut plan)?;
    if options.hints {
        let hints = hints::for_plan(options, environment, &plan, kept.is_some());
        plan.notes.extend(hints);
    }
    Ok(plan)
}
