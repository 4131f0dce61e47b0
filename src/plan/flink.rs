//! A script of Flink's: pure, from what the user wants and what was found.
//!
//! The order is that of the reasons: what starts nothing, what is certainly mistaken, which roles this
//! command reaches, what is there already, what is put in, whether debugger and JVM will meet, and what
//! bears a pause.

mod agents;
mod edit;
mod helper_home;
mod hints;
mod insert;
mod mistakes;
mod pauses;
mod sources;
mod targets;

use std::collections::BTreeMap;
use std::ffi::OsString;

use super::meeting::Meeting;
use super::{DebugEndpoint, LaunchPlan, Note, preflight};
use crate::endpoint::{Endpoint, Mode, Role};
use crate::environment::distribution::Distribution;
use crate::environment::flink::FlinkEnvironment;
use crate::environment::ports::Finding;
use crate::error::Failure;
use crate::flink::deployment::Deployment;
use crate::flink::script::Script;
use crate::options::{Options, Request, Target};

use edit::Edits;
use sources::Place;

/// The script as the user would have started it, with the home that was chosen.
fn untouched(args: &[OsString], distribution: &Distribution) -> LaunchPlan {
    let mut env = BTreeMap::new();
    if let Some(home) = distribution.home.as_ref().filter(|_| distribution.export_home) {
        env.insert("FLINK_HOME".to_owned(), Some(home.clone().into_os_string()));
    }
    LaunchPlan::bare(&distribution.program, args.to_vec(), env)
}

/// `SPARKDBG=off`: untouched, with the one thing that must be said.
pub fn off(request: &Request, distribution: &Distribution, hints: bool) -> LaunchPlan {
    let mut plan = untouched(&request.launch.args, distribution);
    plan.notes.extend(super::hints::project_home_of("Flink", distribution).filter(|_| hints));
    plan
}

/// Where debuggers and JVMs meet, for how many JVMs side by side, and whether any free port from there on will do.
pub type MeetingPoints = BTreeMap<Role, (Endpoint, u16, bool)>;

/// Where to look on this machine, for how many JVMs side by side, and whether any free port from there on
/// will do.
pub fn meeting_points(options: &Options, environment: &FlinkEnvironment) -> Result<MeetingPoints, Failure> {
    let mut points = BTreeMap::new();
    if starts_nothing(environment).is_some() {
        return Ok(points);
    }
    for target in targets::reached(options, environment)?.targets {
        let found = agents::find(target.role, environment);
        let (endpoint, is_open) = match super::agents::kept(options.existing.value, &found) {
            Some(kept) => match kept.endpoint(environment.machine.java) {
                Some(endpoint) => (endpoint, false),
                None => continue,
            },
            None => (target.endpoint.clone(), target.port_is_open),
        };
        let number = environment.number(target.role);
        // Several JVMs that pick their ports themselves.
        let each_picks = endpoint.mode == Mode::Attach && endpoint.port == 0 && number != Some(1);
        if environment.is_here(target.role) && !each_picks {
            points.insert(target.role, (endpoint, number.unwrap_or(1), is_open));
        } else if endpoint.mode == Mode::Listen {
            points.insert(target.role, (endpoint, 1, false));
        }
    }
    Ok(points)
}

/// What this command reaches of what is wanted, whatever it does not reach.
pub fn reached(options: &Options, environment: &FlinkEnvironment) -> Vec<Target> {
    let reached = |options: &Options| targets::reached(options, environment).map(|reached| reached.targets);
    reached(options)
        .unwrap_or_else(|_| options.each_alone().iter().filter_map(|alone| reached(alone).ok()).flatten().collect())
}

/// The debug agents that the JVMs of a role would load without us, each as it stands there, with its place.
pub fn agents_there(role: Role, environment: &FlinkEnvironment) -> Vec<(String, String)> {
    agents::find(role, environment).into_iter().map(|found| (found.text, found.place.to_string())).collect()
}

/// The whole decision. What is said of each role is said once where it is the same.
///
/// # Errors
/// Whatever would make the launch fail or mislead, said before anything starts.
pub fn launch(options: &Options, environment: &FlinkEnvironment) -> Result<LaunchPlan, Failure> {
    let mut plan = untouched(&options.args, &environment.distribution);
    let home = super::hints::project_home_of("Flink", &environment.distribution).filter(|_| options.hints);
    if let Some(why) = starts_nothing(environment) {
        plan.notes.extend(home);
        plan.notes.push(Note::info("nothing-to-debug", format!("nothing to debug: {why}; run as typed")));
        return Ok(plan);
    }
    mistakes::refuse_in_words(environment)?;
    let reached = targets::reached(options, environment)?;
    plan.notes.extend(reached.notes);
    plan.notes.extend(mistakes::in_conf(options.existing.value, &reached.targets, environment));
    for target in &reached.targets {
        plan.notes.extend(mistakes::in_options(target.role, environment)?);
    }

    let mut edits = Edits::default();
    for target in &reached.targets {
        let Some(meeting) = arrange(target, options, environment, &mut edits, &mut plan)? else { continue };
        insert::refuse_many(&meeting, environment)?;
        insert::refuse_dialling_itself(&meeting, environment)?;
        preflight::check(&meeting, options, &environment.machine, environment.is_here(target.role), &mut plan)?;
        if meeting.kept.is_none() {
            insert::agent(&meeting.endpoint, target.role, options, environment, &mut edits);
        }
        plan.endpoints.extend(each(&meeting, environment));
    }
    agents::warn_of_others(&reached.targets, environment, &mut plan.notes);
    let pause = pauses::add(&reached.targets, options, environment, &mut edits, &mut plan.notes);
    edits.apply(environment, &mut plan)?;
    if options.hints {
        plan.notes.extend(hints::for_plan(&reached.targets, environment, &plan));
        plan.notes.extend(home);
        plan.notes.extend(pause);
    }
    plan.notes = super::notes::once(std::mem::take(&mut plan.notes));
    Ok(plan)
}

/// Why there is nothing to debug.
fn starts_nothing(environment: &FlinkEnvironment) -> Option<String> {
    let FlinkEnvironment { script, line, .. } = environment;
    if *script == Script::Flink && environment.words.is_empty() {
        return Some("`flink` without an action starts no job".to_owned());
    }
    if let Some(question) = &line.question {
        return Some(format!("`{question}` starts no job and no daemon"));
    }
    if script.is_daemon() && !line.starts() {
        let name = script.file_name();
        return Some(match &line.action {
            Some(action) => format!("`{name} {action}` starts no JVM"),
            None => format!("`{name}` without `start` starts no JVM"),
        });
    }
    None
}

/// Does with the agents that are there what the user chose, and finds the place.
fn arrange<'a>(
    target: &'a Target,
    options: &Options,
    environment: &FlinkEnvironment,
    edits: &mut Edits,
    plan: &mut LaunchPlan,
) -> Result<Option<Meeting<'a, Place>>, Failure> {
    let kept = agents::handle(target, options, environment, edits, &mut plan.notes)?;
    let endpoint = match &kept {
        Some(kept) => kept.endpoint(environment.machine.java),
        None => Some(preflight::with_port(target, &environment.machine)),
    };
    Ok(endpoint.map(|endpoint| Meeting { target, endpoint, kept }))
}

/// One endpoint for each JVM whose port is known.
fn each(meeting: &Meeting<'_, Place>, environment: &FlinkEnvironment) -> Vec<DebugEndpoint> {
    let Meeting { target, endpoint, kept } = meeting;
    let number = match endpoint.port {
        0 => 1,
        _ => environment.number(target.role).unwrap_or(1),
    };
    let one = |index: u16| DebugEndpoint {
        role: target.role,
        endpoint: Endpoint { port: endpoint.port.saturating_add(index), ..endpoint.clone() },
        kept: kept.is_some(),
    };
    (0..number).map(one).collect()
}

/// Whether a place for several JVMs was found for this role.
fn has_ports(role: Role, environment: &FlinkEnvironment) -> bool {
    matches!(environment.machine.port(role), Finding::Free(_))
}

/// Whether client, JobManager and TaskManager are one JVM.
fn is_one_jvm(environment: &FlinkEnvironment) -> bool {
    environment.deployment == Deployment::Local
}
