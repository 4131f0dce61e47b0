//! Holds an application to one executor: a debugger that listens takes one JVM.

use super::Note;
use super::edit::Edits;
use crate::endpoint::{Endpoint, Mode, Role};
use crate::environment::Environment;
use crate::error::Failure;
use crate::options::{Options, Source};
use crate::spark::conf::Value;
use crate::spark::deployment::{Deployment, Manager};
use crate::spark::pause;

const INSTANCES: Key = Key { key: "spark.executor.instances", option: "--num-executors" };
const CORES: Key = Key { key: "spark.executor.cores", option: "--executor-cores" };
const MOST_CORES: Key = Key { key: "spark.cores.max", option: "--total-executor-cores" };
const DYNAMIC: Key = Key { key: pause::DYNAMIC_ALLOCATION, option: "" };
const MOST_DYNAMIC: Key = Key { key: "spark.dynamicAllocation.maxExecutors", option: "" };

/// A key, and the option of spark-submit that wins over it wherever it stands; empty: none.
#[derive(Clone, Copy)]
struct Key {
    key: &'static str,
    option: &'static str,
}

impl Key {
    /// The value in effect. Source: the `OptionAssigner`s of SparkSubmit, none of which is for a local
    /// master.
    fn value(self, environment: &Environment) -> Option<Value> {
        let conf = environment.conf();
        let has_option = environment.deployment.manager != Manager::LocalCluster && !self.option.is_empty();
        if has_option { conf.option_or_key(self.option, self.key) } else { conf.get(self.key) }
    }

    fn text(self, environment: &Environment) -> Option<String> {
        self.value(environment).map(|value| value.text.trim().to_owned())
    }
}

/// Whether the user wants one executor; without a word from him, a debugger that listens decides.
/// `endpoint`: where the executors meet theirs.
pub fn is_wanted(options: &Options, endpoint: Option<&Endpoint>) -> bool {
    match options.one_executor.source {
        Source::Default => endpoint.is_some_and(|endpoint| endpoint.mode == Mode::Listen),
        _ => options.one_executor.value,
    }
}

/// Whether what is set already allows for one executor only.
pub fn is_held(environment: &Environment) -> bool {
    let dynamic = DYNAMIC.text(environment).is_some_and(|text| text.eq_ignore_ascii_case("true"));
    let instances = INSTANCES.text(environment);
    // Dynamic allocation starts with as many as are asked for, whatever the most may be.
    let few = match instances.as_deref() {
        Some("1") => !dynamic || MOST_DYNAMIC.text(environment).as_deref() == Some("1"),
        None => dynamic && MOST_DYNAMIC.text(environment).as_deref() == Some("1"),
        Some(_) => false,
    };
    let cores = CORES.text(environment);
    let number = |text: Option<String>| text.and_then(|text| text.parse::<u32>().ok());
    let by_cores = match (number(cores.clone()), number(MOST_CORES.text(environment))) {
        (Some(each), Some(most)) => most < each.saturating_mul(2),
        // One core is no more than one executor's.
        (None, Some(most)) => most == 1,
        (_, None) => false,
    };
    match environment.deployment.manager {
        Manager::Yarn | Manager::Kubernetes => few,
        Manager::LocalCluster => by_cores || cores.is_none() && local_cluster(&environment.deployment).workers == 1,
        Manager::Standalone => by_cores,
        // Nobody knows which cluster it will be, or its rules.
        Manager::Local | Manager::Other => false,
    }
}

/// Sets what holds the application to one executor on its cluster manager.
///
/// # Errors
/// A value on the command line says otherwise, and the user did not ask for one executor by a flag.
pub fn hold(
    options: &Options,
    environment: &Environment,
    edits: &mut Edits,
    notes: &mut Vec<Note>,
) -> Result<(), Failure> {
    let shape = local_cluster(&environment.deployment);
    let wanted = match environment.deployment.manager {
        Manager::Yarn | Manager::Kubernetes => vec![one(INSTANCES), no_dynamic_allocation(environment)],
        Manager::LocalCluster if shape.workers == 1 && CORES.value(environment).is_none() => Vec::new(),
        Manager::Standalone | Manager::LocalCluster if is_held(environment) => vec![no_dynamic_allocation(environment)],
        Manager::Standalone => {
            let cores = CORES.text(environment).unwrap_or_else(|| "1".to_owned());
            by_cores(cores, environment)
        }
        Manager::LocalCluster => by_cores(CORES.text(environment).unwrap_or(shape.cores), environment),
        Manager::Local | Manager::Other => {
            let cores = CORES.text(environment).unwrap_or_else(|| "1".to_owned());
            let mut all = vec![one(INSTANCES)];
            all.extend(by_cores(cores, environment));
            all
        }
    };
    for setting in wanted {
        set(setting, options, environment, edits, notes)?;
    }
    Ok(())
}

struct Setting {
    key: Key,
    value: String,
    why: &'static str,
}

fn one(key: Key) -> Setting {
    Setting { key, value: "1".to_owned(), why: "one executor" }
}

/// As many cores for the application as for one executor.
fn by_cores(cores: String, environment: &Environment) -> Vec<Setting> {
    let why = "as many cores as one executor has, so that there is one";
    let each = Setting { key: CORES, value: cores.clone(), why: "the size of the one executor, in cores" };
    vec![each, Setting { key: MOST_CORES, value: cores, why }, no_dynamic_allocation(environment)]
}

/// Unless it is bounded to one already.
fn no_dynamic_allocation(environment: &Environment) -> Setting {
    let bounded = MOST_DYNAMIC.text(environment).as_deref() == Some("1");
    let current = DYNAMIC.text(environment).filter(|_| bounded);
    Setting {
        key: DYNAMIC,
        value: current.unwrap_or_else(|| "false".to_owned()),
        why: "no executor comes or goes while one is debugged",
    }
}

fn set(
    Setting { key, value, why }: Setting,
    options: &Options,
    environment: &Environment,
    edits: &mut Edits,
    notes: &mut Vec<Note>,
) -> Result<(), Failure> {
    let before = key.value(environment);
    if let Some(before) = &before {
        if before.text.trim().eq_ignore_ascii_case(&value) {
            return Ok(());
        }
        let asked = matches!(options.one_executor.source, Source::Flag(_));
        let reason = match &options.one_executor.source {
            Source::Default => "a debugger that listens takes one executor".to_owned(),
            source => format!("one executor is wanted ({source})"),
        };
        let place = before.place(key.key);
        if before.origin.is_argument() && !asked {
            return Err(Failure::usage(format!("`{}` in {place}: {reason}", before.text))
                .help("choose --one-executor to have it changed, or --all-executors to leave it as it is")
                .blamed_on_world(files_decide(options, environment)));
        }
        let unless = if asked { "" } else { "; --all-executors leaves it" };
        notes.push(Note::info(
            "one-executor",
            format!("{place} is `{}`; it becomes `{value}`: {reason}{unless}", before.text),
        ));
    }
    edits.set_value(key.key, before, value, why.to_owned());
    Ok(())
}

/// Whether it takes a file or a variable to say that there is to be one, or by which settings.
fn files_decide(options: &Options, environment: &Environment) -> bool {
    let by_profile = match &options.one_executor.source {
        Source::Default => options.target(Role::Executor).is_some_and(|target| target.source.is_profile()),
        source => source.is_profile(),
    };
    let master = &environment.deployment.master;
    by_profile || master.as_ref().is_some_and(|master| !master.origin.is_argument())
}

/// `local-cluster[WORKERS,CORES,MEMORY]`
struct LocalCluster {
    workers: u32,
    cores: String,
}

/// What cannot be read, Spark refuses.
fn local_cluster(deployment: &Deployment) -> LocalCluster {
    let master = deployment.master.as_ref().map_or("", |master| master.text.as_str());
    let inside = master.split_once('[').map_or("", |(_, inside)| inside);
    let mut numbers = inside.trim_end_matches(']').split(',').map(str::trim);
    let workers = numbers.next().and_then(|workers| workers.parse().ok()).unwrap_or(0);
    LocalCluster { workers, cores: numbers.next().unwrap_or("1").to_owned() }
}
