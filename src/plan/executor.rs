//! The executors of an application: which key carries their agent, and what cannot work.

use super::Note;
use super::agents;
use super::driver::failure;
use super::edit::Edits;
use super::meeting::Meeting;
use crate::endpoint::{Endpoint, Host, Mode, Role};
use crate::environment::Environment;
use crate::error::Failure;
use crate::jvm::options::{self as jvm_options, Splitter};
use crate::options::Options;
use crate::spark::conf::{EXECUTOR_DEFAULT, EXECUTOR_EXTRA, Value};
use crate::spark::deployment::Manager;
use crate::version::Version;

/// Variables that an application gives to its executors, as Spark spells them.
const VARIABLES: [&str; 3] =
    ["spark.executorEnv.JAVA_TOOL_OPTIONS", "spark.executorEnv._JAVA_OPTIONS", "spark.executorEnv.JDK_JAVA_OPTIONS"];

/// Whether Spark puts [`EXECUTOR_DEFAULT`] in front of [`EXECUTOR_EXTRA`], once.
fn takes_default_options(environment: &Environment) -> bool {
    environment.version().is_some_and(|version| version.at_least(3, 0) && !repeats_default_options(version))
}

/// SPARK-49984: from 3.3 until 4.0 the value of [`EXECUTOR_DEFAULT`] is on the executor's command line three
/// times, and a JVM with an agent three times ends at its start.
pub fn repeats_default_options(version: &Version) -> bool {
    version.at_least(3, 3) && !version.at_least(4, 0)
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
pub fn refuse_local(options: &Options, environment: &Environment) -> Result<Option<Note>, Failure> {
    let Some(target) = options.target(Role::Executor) else { return Ok(None) };
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
        None => {
            let who =
                if options.puts_all_in_variables() { "the program's words name" } else { "the application names" };
            let message =
                format!("no master is named: unless {who} one, Spark takes local[*], which starts no executors");
            Ok(Some(Note::warning("no-master", message)))
        }
        Some(_) => Ok(None),
    }
}

/// Whether the executors run on this very machine.
pub fn run_here(environment: &Environment) -> bool {
    let deployment = &environment.deployment;
    match deployment.manager {
        Manager::Local | Manager::LocalCluster => true,
        // A Master on loopback has workers on this machine alone.
        Manager::Standalone => {
            deployment.standalone_hosts().all(|host| host.parse::<Host>().is_ok_and(|host| host.is_loopback()))
        }
        Manager::Yarn | Manager::Kubernetes | Manager::Other => false,
    }
}

/// Executors that would look for the debugger on their own hosts.
///
/// # Errors
/// They would.
pub fn refuse_dialling_itself(meeting: &Meeting, environment: &Environment) -> Result<(), Failure> {
    let endpoint = &meeting.endpoint;
    let away = endpoint.mode == Mode::Listen && endpoint.host.is_loopback() && !run_here(environment);
    let Some(master) = environment.deployment.master.as_ref().filter(|_| away) else { return Ok(()) };
    let message = format!(
        "with the master `{}` ({}) the executors would dial `{}` on their own hosts, where no debugger listens",
        master.text, master.origin, endpoint.host
    );
    let failure = failure(&[&master.origin], message);
    Err(meeting.refused(failure, "name this machine as the executors see it: --executor=listen:HOST:PORT"))
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
pub fn refuse_one_port_for_many(meeting: &Meeting, environment: &Environment, held: bool) -> Result<(), Failure> {
    let endpoint = &meeting.endpoint;
    let of_worker = environment.class.is_some();
    // Each pod is a host of its own.
    let one_per_host = held || !of_worker && environment.deployment.manager == Manager::Kubernetes;
    if endpoint.mode == Mode::Listen || endpoint.port == 0 || one_per_host {
        return Ok(());
    }
    let message = format!(
        "all executors on one host would use port {}: the first takes it, the others die at their start and are started again",
        endpoint.port
    );
    let cure = match of_worker {
        true => "let each JVM choose its port: --executor=attach:0; or debug one at a time: --one-executor",
        false => "let each JVM choose its port: --executor=attach:0; or hold the application to one: --one-executor",
    };
    Err(meeting.refused(Failure::usage(message), cure))
}

/// An agent that stays and that another JVM loads too, and first: the driver, or the worker.
///
/// # Errors
/// It would leave the executors nothing to meet their debugger at.
pub fn refuse_shared(first: &str, meeting: &Meeting) -> Result<(), Failure> {
    let Endpoint { mode, host, port, .. } = &meeting.endpoint;
    let Some(kept) = meeting.kept.as_ref().filter(|kept| kept.is_shared() && *port != 0) else { return Ok(()) };
    let taken = match mode {
        Mode::Attach => format!("takes port {port} of {host}"),
        Mode::Listen => format!("takes the debugger at {host}:{port}"),
    };
    Err(Failure::world(format!(
        "the agent in {} reaches the {first} too, which comes first and {taken}: the executors die at their start",
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
    (key == EXECUTOR_EXTRA).then(|| {
        let why = match environment.version() {
            Some(version) if repeats_default_options(version) => {
                format!("Spark {version} repeats the key before it (SPARK-49984)")
            }
            Some(version) => format!("Spark {version} has no key before it"),
            None => "whether a key comes before it depends on the version".to_owned(),
        };
        Note::info(
            "code-may-override",
            format!("application code that sets {EXECUTOR_EXTRA} itself replaces the agent; {why}"),
        )
    })
}
