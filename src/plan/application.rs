//! `spark-submit` and everything that ends in it: a driver and its executors.

use super::edit::Edits;
use super::{DebugEndpoint, LaunchPlan, Meeting};
use super::{driver, executor, hints, mistakes, notes, one_executor, pauses, preflight, sources};
use crate::endpoint::{Endpoint, Mode, Role};
use crate::environment::Environment;
use crate::error::Failure;
use crate::options::{Options, Target};

/// Fills the plan.
///
/// # Errors
/// Whatever would make the launch fail or mislead.
pub fn plan(options: &Options, environment: &Environment, plan: &mut LaunchPlan) -> Result<(), Failure> {
    if let Some(question) = &environment.line.question {
        if options.hints {
            plan.notes.extend(hints::project_home(&environment.distribution));
        }
        plan.notes.push(notes::nothing_to_debug(options, question));
        return Ok(());
    }
    let mistakes = mistakes::in_command_line(&environment.words, &environment.line, environment.version());
    plan.notes.extend(mistakes.map_err(|failure| failure.blamed_on_world(environment.python_args.is_some()))?);
    driver::refuse_elsewhere(options, environment)?;
    plan.notes.extend(executor::refuse_local(options, environment)?);
    plan.notes.extend(mistakes::in_keys(&environment.conf()));
    for target in &options.targets {
        plan.notes.extend(sources::check(target.role, options, environment)?);
    }
    if options.target(Role::Executor).is_none() {
        plan.notes.extend(executor::what_spark_will_refuse(environment));
    }
    plan.notes.extend(notes::about(options, environment));

    let mut edits = Edits::default();
    let mut kept = Vec::new();
    for target in &options.targets {
        let Meeting { endpoint, kept: found } = super::meet(target, options, environment, &mut edits, plan)?;
        if let Some(endpoint) = endpoint {
            match target.role {
                Role::Executor => {
                    executors(target, options, environment, &endpoint, found.as_ref(), &mut edits, plan)?;
                }
                _ => {
                    driver::refuse_dialling_itself(target, environment, &endpoint, found.as_ref())?;
                    preflight::check(target, options, environment, &endpoint, found.as_ref(), plan)?;
                    if found.is_none() {
                        driver::insert(options, environment, &endpoint, &mut edits);
                    }
                }
            }
            plan.endpoints.push(DebugEndpoint { role: target.role, endpoint });
        }
        kept.extend(found.map(|_| target.role));
    }
    let executors = plan.endpoints.iter().find(|debug| debug.role == Role::Executor);
    let one = one_executor::is_wanted(options, executors.map(|debug| &debug.endpoint));
    if one {
        one_executor::hold(options, environment, &mut edits, &mut plan.notes)?;
    }
    let pause = pauses::for_application(options, environment, &mut edits, &mut plan.notes);
    edits.apply(options, environment, plan)?;
    if options.hints {
        let hints = hints::for_plan(options, environment, plan, &kept);
        plan.notes.extend(hints);
        plan.notes.extend(pause);
    }
    Ok(())
}

fn executors(
    target: &Target,
    options: &Options,
    environment: &Environment,
    endpoint: &Endpoint,
    kept: Option<&super::agents::Found>,
    edits: &mut Edits,
    plan: &mut LaunchPlan,
) -> Result<(), Failure> {
    let one = one_executor::is_wanted(options, Some(endpoint));
    let held = one || one_executor::is_held(environment);
    executor::refuse_shared(kept, endpoint)?;
    executor::refuse_repeated(kept, environment)?;
    executor::refuse_one_port_for_many(target, environment, endpoint, kept, held)?;
    match executor::refuse_dialling_itself(target, environment, endpoint, kept) {
        Err(failure) => preflight::note_or_fail(failure, options, plan)?,
        Ok(()) => preflight::check(target, options, environment, endpoint, kept, plan)?,
    }
    if endpoint.mode == Mode::Listen && !held {
        plan.notes.push(executor::many_dial(endpoint));
    }
    if kept.is_none() {
        plan.notes.extend(executor::insert(options, environment, endpoint, edits));
    }
    Ok(())
}
