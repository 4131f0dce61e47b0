//! A JVM of `spark-class`: master, worker, history server, or any class.

use std::ffi::OsString;

use super::edit::Edits;
use super::meeting::Meeting;
use super::{LaunchPlan, Rewrite};
use super::{agents, hints, notes, pauses, preflight, sources, worker};
use crate::endpoint::Role;
use crate::environment::Environment;
use crate::error::Failure;
use crate::jvm::jdwp::Agent;
use crate::jvm::options as jvm_options;
use crate::options::Options;
use crate::spark::spark_class;
use crate::tool::Tool;

/// Fills the plan.
///
/// # Errors
/// Whatever would make the launch fail or mislead.
pub fn plan(options: &Options, environment: &Environment, plan: &mut LaunchPlan) -> Result<(), Failure> {
    let Some(class) = &environment.class else {
        plan.notes.extend(notes::nothing_to_debug(options, environment, "no class is named"));
        return Ok(());
    };
    let asks = spark_class::help_words(class).iter().find(|word| environment.words.iter().any(|typed| typed == *word));
    if let Some(word) = asks {
        plan.notes.extend(notes::nothing_to_debug(options, environment, &format!("`{word}` starts no daemon")));
        return Ok(());
    }
    for target in &options.targets {
        plan.notes.extend(sources::check(target.role, options, environment)?);
    }
    plan.notes.extend(notes::about_variables(environment));

    let mut edits = Edits::default();
    let mut first_word = None;
    for target in &options.targets {
        let Some(meeting) = Meeting::arrange(target, options, environment, &mut edits, plan)? else { continue };
        match target.role {
            Role::Executor => worker::executors(&meeting, options, environment, &mut edits, plan)?,
            _ => {
                preflight::check(&meeting, options, &environment.machine, environment.is_here(target.role), plan)?;
                if meeting.kept.is_none() {
                    let agent = agents::ours(options, &meeting.endpoint);
                    first_word = insert(class, agent, options, environment, &mut edits);
                }
            }
        }
        plan.endpoints.push(meeting.settled());
    }
    if options.tool == Tool::Worker {
        worker::add_master(options, environment, plan)?;
        plan.notes.extend(worker::about(environment));
    }
    pauses::for_daemon(class, options, environment, &mut edits, &mut plan.notes);
    edits.apply(options, environment, plan)?;
    if let Some(agent) = first_word {
        put_first(class, &agent, options, environment, plan)?;
    }
    if options.hints {
        let hints = hints::for_plan(options, environment, plan);
        plan.notes.extend(hints);
    }
    Ok(())
}

/// Puts the agent into the variable of the class; one that has none, or gets none, is returned the agent
/// for the first word.
fn insert(class: &str, agent: Agent, options: &Options, environment: &Environment, edits: &mut Edits) -> Option<Agent> {
    let variables = spark_class::variables(class, environment.version());
    let Some(variables) = variables.filter(|_| !options.hides_class()) else {
        return Some(agent);
    };
    let merged = jvm_options::prepend(&agent, &edits.current_variable(environment, variables.own));
    let why = format!("the agent, in the variable that reaches {class} and no other JVM");
    edits.set_variable(environment, variables.own, merged, why);
    None
}

/// `spark-class` passes its first word on unseen, between the options of the JVM and the rest.
///
/// # Errors
/// The home does not hold what the script would find.
fn put_first(
    class: &str,
    agent: &Agent,
    options: &Options,
    environment: &Environment,
    plan: &mut LaunchPlan,
) -> Result<(), Failure> {
    // Scripts that start spark-class would hand the agent to the application: it is started in their place.
    let of_script: Vec<OsString> = match (options.tool, &environment.pipelines) {
        (Tool::Beeline, _) => vec![class.into()],
        (Tool::Pipelines, Some(program)) => vec![class.into(), program.clone().into()],
        (Tool::Pipelines, None) => {
            return Err(Failure::world(
                "the home of this Spark has no `pipelines/cli.py`, which `spark-pipelines` runs",
            )
            .help("choose another distribution: --spark-home DIR"));
        }
        _ => Vec::new(),
    };
    if !of_script.is_empty() {
        plan.program.set_file_name("spark-class");
        plan.args.splice(0..0, of_script);
    }
    plan.args.insert(0, agent.to_string().into());
    plan.rewrites.push(Rewrite {
        name: "first word of spark-class".to_owned(),
        before: None,
        after: Some(agent.to_string()),
        from: "not set → in front of the class".to_owned(),
        why: "no variable reaches this class alone; spark-class puts its first word behind the options of the JVM"
            .to_owned(),
    });
    Ok(())
}
