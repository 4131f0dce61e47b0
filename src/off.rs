//! `SPARKDBG=off`: the real script as if we were not there.

use crate::cli::{DebugOptions, Endpoints, Global, Launch};
use crate::environment::{self, Process};
use crate::error::Failure;
use crate::options::{self, Request};
use crate::plan::{self, LaunchPlan};
use crate::profile::{Loaded, Profile};
use crate::tool::Tool;

/// Whether the environment says so.
pub fn is_asked_for(process: &Process) -> bool {
    process.var("SPARKDBG").is_some_and(|value| value == "off")
}

/// What is started then.
///
/// # Errors
/// No Spark is found, or the profile that was asked for is not there.
pub fn plan(
    global: &Global,
    request: &Request,
    loaded: Result<Loaded, Failure>,
    process: &Process,
) -> Result<LaunchPlan, Failure> {
    let is_named = global.profile.is_some() || global.config.is_some();
    // A file that nobody asked for must not stop a script that is to run untouched.
    let profile = if is_named { loaded?.profile } else { loaded.map(|loaded| loaded.profile).unwrap_or_default() };
    let named = options::home(request.tool, global, &profile);
    if let Tool::Flink(script) = request.tool {
        let distribution = environment::flink::home(script, named.as_ref(), process)?;
        return Ok(plan::flink::off(request, &distribution, !global.quiet));
    }
    let distribution = environment::home::find(request.tool, named.as_ref(), process)?;
    let mut plan = plan::off(request, &distribution, !global.quiet);
    if plan::lacks_master(request) {
        add_master(global, request, &profile, process, &mut plan);
    }
    Ok(plan)
}

/// The master of a Worker is no matter of the debugger's: who does not type it has not asked for less.
/// Where it cannot be found, the Worker itself will say that it has none.
fn add_master(global: &Global, request: &Request, profile: &Profile, process: &Process, plan: &mut LaunchPlan) {
    let endpoints = Endpoints { daemon: Some(None), ..Endpoints::default() };
    let debug = DebugOptions { endpoints, ..DebugOptions::default() };
    let launch = Launch { debug, args: request.launch.args.clone() };
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
