//! The executors of an application: which key carries their agent, and what cannot work.

use super::Note;
use super::agents;
use super::driver::failure;
use super::edit::Edits;
use crate::endpoint::{Endpoint, Host, Mode, Role};
use crate::environment::Environment;
use crate::error::Failure;
use crate::jvm::options::{self as jvm_options, Splitter};
use crate::options::{Options, Target};
use crate::spark::conf::{EXECUTOR_DEFAULT, EXECUTOR_EXTRA, Value};
use crate::spark::deployment::Manager;
use crate::spark::version::Version;

/// Variables that an application gives to its executors, as Spark spells them.
const VARIABLES: [&str; 3] =
    ["spark.executorEnv.JAVA_TOOL_OPTIONS", "spark.executorEnv._JAVA_OPTIONS", "spark.executorEnv.JDK_JAVA_OPTIONS"];

/// Whether Spark puts [`EXECUTOR_DEFAULT`] in front of [`EXECUTOR_EXTRA`], once.
fn takes_default_options(environment: &Environment) -> bool {
    environment.version().is_some_and(|version| version.at_least(3, 0) && !repeats_default_options(version))
}

/// Whether the driver copies [`EXECUTOR_DEFAULT`] into [`EXECUTOR_EXTRA`] and then puts it in front once
/// more (SPARK-49984): an agent there is loaded again, and the executor dies.
fn repeats_default_options(version: &Version) -> bool {
    version.at_least(3, 3) && !version.at_least(4, 0)
}

/// An agent that stays and that Spark repeats.
///
/// # Errors
/// The JVM would load it twice.
pub fn refuse_repeated(kept: Option<&agents::Found>, environment: &Environment) -> Result<(), Failure> {
    let version = environment.version().filter(|version| repeats_default_options(version));
    let (Some(version), Some(kept)) = (version, kept.filter(|kept| kept.is_in(EXECUTOR_DEFAULT))) else {
        return Ok(());
    };
    Err(Failure::usage(format!(
        "Spark {version} repeats {EXECUTOR_DEFAULT} (SPARK-49984): executors would load its agent twice and die at their start"
    ))
    .help(format!("move it to {EXECUTOR_EXTRA}, or let sparkdbg replace it: --existing=replace"))
    .blamed_on_world(!kept.is_typed()))
}

/// The keys whose values reach the executors' JVMs, and who splits each.
pub fn keys(environment: &Environment) -> Vec<(&'static str, Splitter)> {
    let options = match environment.version() {
        Some(version) if !version.at_least(3, 0) => [EXECUTOR_EXTRA].as_slice(),
        _ => &[EXECUTOR_DEFAULT, EXECUTOR_EXTRA],
    };
    let options = options.iter().map(|key| (*key, Splitter::Executor));
    options.chain(VARIABLES.map(|key| (key, Splitter::Jvm))).collect()
}

/// What Spark itself refuses, but only once the driver is up; and what it lets through to start
/// executors that die, again and again.
///
/// # Errors
/// Such a value.
pub fn check_value(key: &str, value: &Value) -> Result<(), Failure> {
    if ![EXECUTOR_DEFAULT, EXECUTOR_EXTRA].contains(&key) {
        return Ok(());
    }
    let refused = |message: String| Failure::usage(message).blamed_on_world(!value.origin.is_argument());
    let place = value.place(key);
    let words = jvm_options::split(&value.text, Splitter::Executor).unwrap_or_default();
    let word_with = |part: &str| {
        let found = words.iter().find(|word| word.text.contains(part)).map(|word| word.text.as_str());
        crate::secrets::word_shown(found.unwrap_or(part))
    };
    // Spark looks for the text anywhere in the value. Source: SparkConf.validateSettings.
    if value.text.contains("-Dspark") {
        let word = word_with("-Dspark");
        let failure = refused(format!("`{word}` in {place}: Spark refuses `-Dspark` in executor options"));
        return Err(match word.strip_prefix("-D").filter(|setting| setting.starts_with("spark.")) {
            Some(setting) => failure.help(format!("write it as a setting: --conf {}", shell_words::quote(setting))),
            None => failure.help("write it another way: Spark looks for these letters anywhere in the value"),
        });
    }
    if value.text.contains("-Xmx") {
        return Err(refused(format!(
            "`{}` in {place}: Spark refuses a heap size in executor options",
            word_with("-Xmx")
        ))
        .help("use --executor-memory, or spark.executor.memory"));
    }
    // `-Dc=x\ y`: the launcher takes the backslash for an escape, the executors' splitter does not.
    let torn = words.windows(2).find(|pair| pair[0].text.ends_with('\\') && !pair[1].text.starts_with(['-', '@']));
    if let Some([first, second]) = torn {
        let whole = format!("{} {}", first.text.trim_end_matches('\\'), second.text);
        let quoted = match whole.split_once('=') {
            Some((name, value)) => format!("{name}=\"{value}\""),
            None => format!("\"{whole}\""),
        };
        let (word, help) = match crate::secrets::secrets_hidden(&quoted) == quoted {
            true => (format!("`{}`", second.text), format!("write {quoted}")),
            false => ("what follows".to_owned(), "put the value in double quotes".to_owned()),
        };
        return Err(refused(format!(
            "in {place} a backslash does not protect a blank: java would take {word} for the main class"
        ))
        .help(help));
    }
    Ok(())
}

/// The same for a plan without executors to debug: Spark will refuse it, and say so late.
pub fn what_spark_will_refuse(environment: &Environment) -> Option<Note> {
    let failure = [EXECUTOR_DEFAULT, EXECUTOR_EXTRA].into_iter().find_map(|key| {
        let value = environment.conf().get(key)?;
        check_value(key, &value).err()
    })?;
    Some(Note::warning("executor-options", failure.message))
}

/// Masters whose tasks run in the driver.
///
/// # Errors
/// There are no executors.
pub fn refuse_local(options: &Options, environment: &Environment) -> Result<Vec<Note>, Failure> {
    let Some(target) = options.target(Role::Executor) else { return Ok(Vec::new()) };
    match &environment.deployment.master {
        Some(master) if environment.deployment.manager == Manager::Local => {
            let message = format!(
                "the master is `{}` ({}): it starts no executors, the tasks run in the driver",
                master.text, master.origin
            );
            Err(failure(&[&master.origin], message)
                .help("debug the driver: --driver; for executors on this machine: --master 'local-cluster[2,1,1024]'")
                .blamed_on_world(target.source.is_profile()))
        }
        None => Ok(vec![Note::warning(
            "no-master",
            "no master is named: unless the application names one, Spark takes local[*], which starts no executors",
        )]),
        Some(_) => Ok(Vec::new()),
    }
}

/// Whether the executors run on this very machine.
fn run_here(environment: &Environment) -> bool {
    let deployment = &environment.deployment;
    let master = deployment.master.as_ref().map_or("", |master| master.text.as_str());
    match deployment.manager {
        Manager::Local | Manager::LocalCluster => true,
        // A Master on loopback has workers on this machine alone.
        Manager::Standalone => {
            let hosts = master.trim_start_matches("spark://").split(',');
            let hosts = hosts.map(|address| address.rsplit_once(':').map_or(address, |(host, _)| host));
            hosts.into_iter().all(|host| host.parse::<Host>().is_ok_and(|host| host.is_loopback()))
        }
        Manager::Yarn | Manager::Kubernetes | Manager::Other => false,
    }
}

/// Executors that would look for the debugger on their own hosts.
///
/// # Errors
/// They would.
pub fn refuse_dialling_itself(
    target: &Target,
    environment: &Environment,
    endpoint: &Endpoint,
    kept: Option<&agents::Found>,
) -> Result<(), Failure> {
    let away = endpoint.mode == Mode::Listen && endpoint.host.is_loopback() && !run_here(environment);
    let Some(master) = environment.deployment.master.as_ref().filter(|_| away) else { return Ok(()) };
    let message = format!(
        "with the master `{}` ({}) the executors would dial `{}` on their own hosts, where no debugger listens",
        master.text, master.origin, endpoint.host
    );
    let failure = failure(&[&master.origin], message);
    Err(match kept {
        Some(kept) => failure.help(kept.cure()).blamed_on_world(!kept.is_typed()),
        None => failure
            .help("name this machine as the executors see it: --executor=listen:HOST:PORT")
            .blamed_on_world(target.source.is_profile()),
    })
}

/// A debugger that takes one JVM lets the others down.
pub fn many_dial(endpoint: &Endpoint) -> Note {
    let Endpoint { host, port, .. } = endpoint;
    Note::warning(
        "many-dial",
        format!(
            "every executor dials {host}:{port}: those that the debugger does not take die at their start and are started again (--one-executor)"
        ),
    )
}

/// A port that two executors of one host would want.
///
/// # Errors
/// They would; `held`: the application is held to one executor.
pub fn refuse_one_port_for_many(
    target: &Target,
    environment: &Environment,
    endpoint: &Endpoint,
    kept: Option<&agents::Found>,
    held: bool,
) -> Result<(), Failure> {
    // Each pod is a host of its own.
    let one_per_host = held || environment.deployment.manager == Manager::Kubernetes;
    if endpoint.mode == Mode::Listen || endpoint.port == 0 || one_per_host {
        return Ok(());
    }
    let message = format!(
        "all executors on one host would use port {}: the first takes it, the others die at their start and are started again",
        endpoint.port
    );
    let failure = Failure::usage(message);
    Err(match kept {
        Some(kept) => failure.help(kept.cure()).blamed_on_world(!kept.is_typed()),
        None => failure
            .help("let each JVM choose its port: --executor=attach:0; or hold the application to one: --one-executor")
            .blamed_on_world(target.source.is_profile()),
    })
}

/// An agent that stays and that the driver loads too, and first.
///
/// # Errors
/// It would leave the executors nothing to meet their debugger at.
pub fn refuse_shared(kept: Option<&agents::Found>, endpoint: &Endpoint) -> Result<(), Failure> {
    let Some(kept) = kept.filter(|kept| kept.is_shared() && endpoint.port != 0) else { return Ok(()) };
    let Endpoint { host, port, .. } = endpoint;
    let taken = match endpoint.mode {
        Mode::Attach => format!("takes port {port} of {host}"),
        Mode::Listen => format!("takes the debugger at {host}:{port}"),
    };
    Err(Failure::world(format!(
        "the agent in {} reaches the driver too, which comes first and {taken}: the executors die at their start",
        kept.place
    ))
    .help(kept.cure()))
}

/// Puts the agent in front of the right key.
pub fn insert(options: &Options, environment: &Environment, endpoint: &Endpoint, edits: &mut Edits) -> Option<Note> {
    let agent = agents::ours(options, endpoint);
    let (key, why) = if takes_default_options(environment) {
        (
            EXECUTOR_DEFAULT,
            "the agent, in the key that Spark puts before spark.executor.extraJavaOptions, which application code may replace",
        )
    } else {
        (EXECUTOR_EXTRA, "the agent, before what was set")
    };
    let current = edits.current(environment, key);
    edits.set_conf(environment, key, jvm_options::prepend(&agent, &current), why.to_owned());
    let repeats = environment.version().filter(|version| repeats_default_options(version));
    (key == EXECUTOR_EXTRA).then(|| {
        let why = match repeats {
            Some(version) => format!("Spark {version} repeats the key before it (SPARK-49984)"),
            None => "this Spark has no key before it".to_owned(),
        };
        let message = format!("application code that sets {EXECUTOR_EXTRA} itself replaces the agent; {why}");
        Note::info("code-may-override", message)
    })
}
