//! `spark-submit` and everything that ends in it: a driver and its executors.

use super::edit::Edits;
use super::meeting::Meeting;
use super::{LaunchPlan, Note};
use super::{driver, executor, hints, mistakes, notes, one_executor, pauses, preflight, sources};
use crate::endpoint::{Mode, Role};
use crate::environment::Environment;
use crate::error::Failure;
use crate::options::Options;
use crate::spark::submit::Question;
use crate::tool::Tool;

/// Fills the plan.
///
/// # Errors
/// Whatever would make the launch fail or mislead.
pub fn plan(options: &Options, environment: &Environment, plan: &mut LaunchPlan) -> Result<(), Failure> {
    if let Some(question) = &environment.line.question {
        plan.notes.extend(notes::nothing_to_debug(options, environment, &starts_no_driver(options, question)));
        return Ok(());
    }
    for check in checks(options, environment) {
        plan.notes.extend(check?);
    }

    let mut edits = Edits::default();
    for target in &options.targets {
        let Some(meeting) = Meeting::arrange(target, options, environment, &mut edits, plan)? else { continue };
        match target.role {
            Role::Executor => executors(&meeting, options, environment, &mut edits, plan)?,
            _ => {
                driver::refuse_dialling_itself(&meeting, environment)?;
                preflight::check(&meeting, options, &environment.machine, environment.is_here(target.role), plan)?;
                if meeting.kept.is_none() {
                    driver::insert(options, environment, &meeting.endpoint, &mut edits);
                }
            }
        }
        plan.endpoints.push(meeting.settled());
    }
    let executors = plan.endpoints.iter().find(|debug| debug.role == Role::Executor);
    let one = one_executor::is_wanted(options, executors.map(|debug| &debug.endpoint));
    if one {
        one_executor::hold(options, environment, &mut edits, &mut plan.notes)?;
    }
    let pause = pauses::for_application(options, environment, &mut edits, &mut plan.notes);
    edits.apply(options, environment, plan)?;
    if options.hints {
        let hints = hints::for_plan(options, environment, plan);
        plan.notes.extend(hints);
        plan.notes.extend(pause);
    }
    Ok(())
}

/// The words are those of a variable, where Python's `shlex` takes quotes as a shell does.
fn in_variable(mut failure: Failure) -> Failure {
    failure.message = format!("PYSPARK_SUBMIT_ARGS: {}", failure.message);
    if failure.help.as_ref().is_some_and(|help| help.contains("bash array")) {
        failure.help = Some("quote the whole value there, once".to_owned());
    }
    failure.blamed_on_world(true)
}

/// What is looked at before anything is put in, each for itself: the plan ends at the first that fails.
pub fn checks(options: &Options, environment: &Environment) -> Vec<Result<Vec<Note>, Failure>> {
    let in_words = mistakes::in_command_line(&environment.words, &environment.line, environment.version());
    let mut checks = vec![
        in_words.map_err(|failure| if environment.python_args.is_some() { in_variable(failure) } else { failure }),
        driver::refuse_elsewhere(options, environment).map(|()| Vec::new()),
        executor::refuse_local(options, environment).map(|note| note.into_iter().collect()),
        Ok(mistakes::in_keys(&environment.conf())),
    ];
    checks.extend(options.targets.iter().map(|target| sources::check(target.role, options, environment)));
    if options.target(Role::Executor).is_none() {
        checks.push(Ok(executor::what_spark_will_refuse(environment).into_iter().collect()));
    }
    checks.push(Ok(notes::about(options, environment)));
    checks
}

/// The command asks Spark something.
fn starts_no_driver(options: &Options, question: &Question) -> String {
    match question {
        Question::Option(option) => format!("`{option}` starts no driver"),
        Question::Empty if options.tool == Tool::Python => {
            "PYSPARK_SUBMIT_ARGS is empty, so that pyspark cannot start a driver".to_owned()
        }
        Question::Empty => format!("`{}` without arguments starts no driver", options.tool.script()),
    }
}

fn executors(
    meeting: &Meeting,
    options: &Options,
    environment: &Environment,
    edits: &mut Edits,
    plan: &mut LaunchPlan,
) -> Result<(), Failure> {
    let endpoint = &meeting.endpoint;
    let one = one_executor::is_wanted(options, Some(endpoint));
    let held = one || one_executor::is_held(environment);
    executor::refuse_shared("driver", meeting)?;
    executor::refuse_one_port_for_many(meeting, environment, held)?;
    match executor::refuse_dialling_itself(meeting, environment) {
        Err(failure) => preflight::note_or_fail(failure, options, plan)?,
        Ok(()) => preflight::check(meeting, options, &environment.machine, environment.is_here(Role::Executor), plan)?,
    }
    if endpoint.mode == Mode::Listen && !held {
        plan.notes.push(executor::many_dial(endpoint));
    }
    if meeting.kept.is_none() {
        plan.notes.extend(executor::insert(options, environment, endpoint, edits));
    }
    Ok(())
}
