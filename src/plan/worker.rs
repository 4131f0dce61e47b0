//! `sparkdbg worker`: the executors that one Worker starts, whatever application they belong to.
//!
//! No setting of the Worker's reaches only them, but they start with the `java` of its `JAVA_HOME`: see
//! [`java_home`].

use super::edit::Edits;
use super::java_home::{self, Parameters};
use super::meeting::Meeting;
use super::{LaunchPlan, Note, Rewrite, agents, executor, helper_files, hints, one_executor, preflight};
use crate::endpoint::{Endpoint, Mode, Role};
use crate::environment::Environment;
use crate::error::Failure;
use crate::options::Options;
use crate::profile::Existing;
use crate::spark::{main_class, spark_class};
use crate::text;

/// Gives the executors of this Worker the agent, unless one stays that they have already.
///
/// # Errors
/// A port that several of them would want, or the Worker too; no Java, no directory for helper files.
pub fn executors(
    meeting: &Meeting,
    options: &Options,
    environment: &Environment,
    edits: &mut Edits,
    plan: &mut LaunchPlan,
) -> Result<(), Failure> {
    if meeting.kept.is_some() {
        // The Worker loads whatever agent its executors inherit.
        executor::refuse_shared("worker", meeting)?;
        return preflight::check(meeting, options, &environment.machine, environment.is_here(Role::Executor), plan);
    }
    let endpoint = &meeting.endpoint;
    let one = one_executor::is_wanted(options, Some(endpoint));
    executor::refuse_one_port_for_many(meeting, environment, one)?;
    preflight::check(meeting, options, &environment.machine, environment.is_here(Role::Executor), plan)?;
    if endpoint.mode == Mode::Listen && !one {
        plan.notes.push(executor::many_dial(endpoint));
    }
    let real = environment.java_home.as_ref().ok_or_else(|| {
        Failure::world("no Java was found: JAVA_HOME is not set, and `java` is not on PATH").help("set JAVA_HOME")
    })?;
    let cache_dir = helper_files::cache_dir(&environment.machine)?;
    let lock = one.then(|| java_home::lock(cache_dir, &environment.machine.hostname, endpoint));
    if one && !environment.can_lock {
        return Err(Failure::world(
            "neither `flock` nor `perl` is on PATH: without them two executors cannot take turns",
        )
        .help("install util-linux, or let every executor have the agent: --attach 0, or --all-executors"));
    }
    let agent = agents::ours(options, endpoint);
    let parameters = Parameters {
        agent: &agent,
        replace: options.existing.value == Existing::Replace,
        app: options.app.as_deref(),
        lock: lock.as_deref(),
        debugger: &environment.debugger,
    };
    for (name, value) in parameters.variables(real) {
        plan.env.insert(name.to_owned(), Some(value));
    }
    let shim = java_home::shim(cache_dir, real);
    let why = "its bin/java gives executors the agent; everything else in it is that of the real one".to_owned();
    edits.set_variable(environment, "JAVA_HOME", text::decode(shim.home.as_os_str()), why);
    plan.files.extend(shim.files);
    if options.existing.value != Existing::Replace {
        plan.notes.push(Note::info(
            "kept-agent",
            "an application that brings a debug agent of its own keeps it; with a fixed port only one of its executors \
             can live on this machine, the others die at their start and are started again (--existing=replace)",
        ));
    }
    Ok(())
}

/// Options of the Worker that take a value. Source: `WorkerArguments`.
const WITH_VALUE: [&str; 13] = [
    "--ip",
    "-i",
    "--host",
    "-h",
    "--port",
    "-p",
    "--cores",
    "-c",
    "--memory",
    "-m",
    "--work-dir",
    "-d",
    "--webui-port",
];

/// Adds the master, if the words do not name one: from the profile, `spark.master`, or
/// `SPARK_MASTER_HOST` and `SPARK_MASTER_PORT`.
///
/// # Errors
/// Nobody names one.
pub fn add_master(options: &Options, environment: &Environment, plan: &mut LaunchPlan) -> Result<(), Failure> {
    if !lacks_master(&environment.words) {
        return Ok(());
    }
    let variable = |name: &str| {
        environment.variables.get(name).map(|variable| variable.text.clone()).filter(|text| !text.is_empty())
    };
    let from_profile = options.worker_master.as_ref().map(|chosen| (chosen.value.clone(), chosen.source.to_string()));
    let from_conf = || {
        let value = environment.conf().get("spark.master").filter(|value| value.text.starts_with("spark://"))?;
        Some((value.text.clone(), value.place("spark.master")))
    };
    let from_variables = || {
        let host = variable("SPARK_MASTER_HOST")?;
        let port = variable("SPARK_MASTER_PORT").unwrap_or_else(|| "7077".to_owned());
        Some((format!("spark://{host}:{port}"), "SPARK_MASTER_HOST".to_owned()))
    };
    let Some((master, from)) = from_profile.or_else(from_conf).or_else(from_variables) else {
        return Err(Failure::world(
            "no master for the worker: none is typed, nor in a profile, spark.master or SPARK_MASTER_HOST",
        )
        .help("name it: sparkdbg worker -- spark://HOST:7077"));
    };
    if options.hints && options.worker_master.as_ref().is_some_and(|chosen| chosen.source.is_project_file()) {
        plan.notes.push(Note::hint("project-file", format!("the master is `{master}`, from {from}")));
    }
    plan.args.push(text::encode(&master));
    plan.rewrites.push(Rewrite {
        name: "master".to_owned(),
        before: None,
        after: Some(master),
        from: format!("{from} → one more argument"),
        why: "the Worker takes its master from its arguments alone".to_owned(),
    });
    Ok(())
}

/// Whether a Worker with these words needs one more: they name no master, and do not ask for help.
pub fn lacks_master(words: &[String]) -> bool {
    let help = spark_class::help_words(main_class::WORKER);
    !names_master(words) && !words.iter().any(|word| help.contains(&word.as_str()))
}

fn names_master(words: &[String]) -> bool {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if WITH_VALUE.contains(&word.as_str()) || word == "--properties-file" {
            words.next();
        } else if !word.starts_with('-') {
            return true;
        }
    }
    false
}

/// What does not mean here what it means to `start-worker.sh`.
pub fn about(environment: &Environment) -> Option<Note> {
    let instances = environment.variables.get("SPARK_WORKER_INSTANCES")?;
    let many = instances.text.trim().parse::<u32>().is_ok_and(|instances| instances > 1);
    many.then(|| {
        Note::info(
            "worker-instances",
            format!(
                "SPARK_WORKER_INSTANCES is {}; this starts one worker, in the foreground: run it again for each more",
                instances.text.trim()
            ),
        )
    })
}

/// The hint for the executors of this Worker; `kept`: they meet their debugger by an agent that was there.
pub fn hint(options: &Options, endpoint: &Endpoint, kept: bool) -> String {
    let Endpoint { host, port, .. } = endpoint;
    let one = !kept && one_executor::is_wanted(options, Some(endpoint));
    let whose = match options.app.as_ref().filter(|_| !kept) {
        Some(app) => format!("of {app}"),
        None => "of every application on this worker".to_owned(),
    };
    let who = if one { format!("one executor at a time, {whose},") } else { format!("each executor {whose}") };
    let mut hint = match endpoint.mode {
        Mode::Listen => {
            format!("{who} dials the debugger at {host}:{port} (IDE: \"Listen to remote JVM\", port {port})")
        }
        Mode::Attach => {
            let place = match port {
                0 => format!("a port of its own on {host}"),
                port => format!("{host}:{port}"),
            };
            let verb = hints::verb(endpoint);
            format!("{who} {verb} on {place} (IDE: \"Attach to remote JVM\"); `sparkdbg ps` names the ports")
        }
    };
    if one {
        hint.push_str("; the others run without an agent, the next one that starts after it has gone is debugged");
    }
    if endpoint.suspend {
        hint.push_str("; until a debugger comes it takes no tasks");
    }
    if options.app.is_none() && !kept {
        hint.push_str("; --app ID narrows it");
    }
    hint
}
