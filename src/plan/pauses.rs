//! The pause limit in a plan: what an application needs goes into its configuration, what only others
//! can set is said.

use std::time::Duration;

use super::edit::Edits;
use super::{Note, driver};
use crate::endpoint::Role;
use crate::environment::Environment;
use crate::jvm::options as jvm_options;
use crate::options::Options;
use crate::profile::PauseLimit;
use crate::spark::conf::{Origin, Value};
use crate::spark::deployment::Manager;
use crate::spark::main_class;
use crate::spark::pause::{self, Debugged};
use crate::spark::spark_class::{self, DAEMON_OPTS, Variables};

/// The limit, unless the cluster's own are to stay.
fn limit(options: &Options) -> Option<Duration> {
    match options.pause_limit.value {
        PauseLimit::Limit(limit) => Some(limit),
        PauseLimit::Off => None,
    }
}

/// Sets what an application needs. Returns the hint about what it costs.
pub fn for_application(
    options: &Options,
    environment: &Environment,
    edits: &mut Edits,
    notes: &mut Vec<Note>,
) -> Option<Note> {
    let limit = limit(options)?;
    let deployment = &environment.deployment;
    let executor = options.target(Role::Executor).is_some();
    // Executors that are debugged belong to some cluster, which then the application names.
    let manager = if executor && deployment.master.is_none() { Manager::Other } else { deployment.manager };
    let needed = pause::plan(&Debugged {
        limit,
        manager,
        cluster: deployment.cluster,
        rest_gateway: deployment.rest_gateway,
        version: environment.version(),
        driver: options.target(Role::Driver).is_some(),
        executor,
        // By then `one_executor` had its say.
        fixed_number: edits.current(environment, pause::DYNAMIC_ALLOCATION).trim().eq_ignore_ascii_case("false"),
        python: driver::runs_python(options, environment),
        conf: &environment.conf(),
    });
    notes.extend(needed.defeated.into_iter().map(|message| Note::warning("pause-limit", message)));
    notes.extend(needed.cluster_side.into_iter().map(|message| Note::info("pause-limit", message)));
    let late = needed.settings.iter().any(|setting| setting.key == pause::NETWORK_TIMEOUT);
    for setting in needed.settings {
        edits.set_conf(environment, setting.key, setting.value, setting.why);
    }
    late.then(|| {
        let limit = humantime::format_duration(limit);
        Note::hint(
            "pause-limit",
            format!(
                "a breakpoint may be held for {limit}; an executor that is really lost is noticed that late too (--pause-limit)"
            ),
        )
    })
}

/// Sets what a daemon needs that is started here, and says what only others can set.
pub fn for_daemon(class: &str, options: &Options, environment: &Environment, edits: &mut Edits, notes: &mut Vec<Note>) {
    let Some(limit) = limit(options) else { return };
    let debugged = |role| options.target(role).is_some();
    let mut said = Vec::new();
    if class == main_class::WORKER && debugged(Role::Daemon) {
        said.extend(pause::worker_daemon(limit));
    }
    if class == main_class::WORKER && debugged(Role::Executor) {
        said.extend(pause::worker_executors(limit));
    }
    notes.extend(said.into_iter().map(|message| Note::info("pause-limit", message)));
    let of_master = spark_class::variables(class, environment.version()).filter(|_| class == main_class::MASTER);
    let Some(Variables { own, .. }) = of_master.filter(|_| !options.hides_class()) else { return };
    let given = [own, DAEMON_OPTS].into_iter().find_map(|name| property(name, pause::WORKER_TIMEOUT, environment));
    let needed = pause::master(limit, given.or_else(|| environment.conf().get(pause::WORKER_TIMEOUT)).as_ref());
    notes.extend(needed.defeated.into_iter().map(|message| Note::warning("pause-limit", message)));
    for setting in needed.settings {
        let merged = jvm_options::prepend(&setting.property(), &edits.current_variable(environment, own));
        edits.set_variable(environment, own, merged, setting.why);
    }
}

/// The value that a `-Dkey=value` in a variable gives to a key; the last one counts.
fn property(name: &'static str, key: &str, environment: &Environment) -> Option<Value> {
    let text = &environment.variables.get(name)?.text;
    let words = jvm_options::split(text, jvm_options::Splitter::Launcher).ok()?;
    let start = format!("-D{key}=");
    let value = words.iter().rev().find_map(|word| word.text.strip_prefix(&start))?;
    Some(Value { text: value.to_owned(), origin: Origin::Variable(name) })
}
