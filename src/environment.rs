//! The one reader of the world before the launch: environment, files, sockets.
//!
//! What it finds are facts, not handles; what follows from them is decided in `plan`.

pub mod application;
mod conf_files;
pub mod distribution;
pub mod flink;
pub mod flink_home;
pub mod flink_surroundings;
pub mod home;
pub mod java;
mod machine;
mod named_ports;
mod pip;
pub mod ports;
mod process;
pub mod spark_env;
pub mod surroundings;
mod variables;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use crate::endpoint::{Endpoint, Mode, Role};
use crate::error::Failure;
use crate::options::{Options, Target};
use crate::spark::conf::{Conf, DRIVER_DEFAULT, DRIVER_EXTRA, Layer};
use crate::spark::deployment::{self, Deployment, Manager};
use crate::spark::jvm_variables;
use crate::spark::main_class;
use crate::spark::python_words;
use crate::spark::submit::{self, CommandLine};
use crate::text;
use crate::tool::Tool;
use crate::version::Version;
pub use conf_files::OptionFile;
pub use machine::{Machine, hostname};
pub use process::{Link, Process, is_same_program};
pub use variables::Variable;

use distribution::Distribution;
use java::JavaHome;
use variables::Variables;

/// The facts that a plan is made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    /// This machine; its ports are there after [`look_at_ports`].
    pub machine: Machine,
    /// What will be started.
    pub distribution: Distribution,
    /// Where Spark looks for its configuration.
    pub conf_dir: Option<PathBuf>,
    /// `spark-env.sh`, if it exists.
    pub spark_env: Option<PathBuf>,
    /// Whether it was sourced to learn what it sets.
    pub sourced: bool,
    /// The variables that matter, as the JVM will see them.
    pub variables: BTreeMap<&'static str, Variable>,
    /// The words that `spark-submit` will see, the script's own first.
    pub words: Vec<String>,
    /// How many of [`Environment::words`] come before the user's own.
    pub hidden: usize,
    /// The raw `PYSPARK_SUBMIT_ARGS` from which the words come (plain python only).
    pub python_args: Option<String>,
    /// The words, scanned.
    pub line: CommandLine,
    /// The properties files that count, strongest first.
    pub layers: Vec<Layer>,
    /// Where the driver will run.
    pub deployment: Deployment,
    /// The files of JVM options that the JVM started here takes.
    pub option_files: Vec<OptionFile>,
    /// The program that `spark-pipelines` hands to its JVM, where the home has it.
    pub pipelines: Option<PathBuf>,
    /// The main class of the JVM, where it is not that of spark-submit.
    pub class: Option<String>,
    /// The home of the Java that runs executors, where its directory takes part in the plan.
    pub java_home: Option<JavaHome>,
    /// Whether a program is there that locks a file for the JVM that inherits it: `flock`, or `perl`.
    pub can_lock: bool,
    /// The addresses of this machine on which the executors' debugger listens; empty until
    /// [`look_at_ports`], and where it listens elsewhere.
    pub debugger: Vec<SocketAddr>,
}

impl Environment {
    /// The configuration that Spark will see.
    pub fn conf(&self) -> Conf<'_> {
        Conf { line: &self.line, hidden: self.hidden, in_variable: self.python_args.is_some(), layers: &self.layers }
    }

    /// Whether the variables and files seen here reach the JVMs of a role.
    pub fn is_here(&self, role: Role) -> bool {
        match role {
            Role::Driver => !self.deployment.cluster,
            // The worker's own executors, or those of the driver's own workers.
            Role::Executor => self.class.is_some() || self.deployment.manager == Manager::LocalCluster,
            _ => true,
        }
    }

    /// The version of Spark, where known.
    pub fn version(&self) -> Option<&Version> {
        self.distribution.version.as_ref()
    }
}

/// Reads everything that the plan needs.
///
/// # Errors
/// No Spark found, unreadable or malformed files.
pub fn discover(options: &Options, process: &Process) -> Result<Environment, Failure> {
    let distribution = home::find(options.tool, options.home.as_ref(), process)?;
    around(distribution, options, process)
}

/// The same for a distribution that is known.
///
/// # Errors
/// Unreadable or malformed files.
pub fn around(distribution: Distribution, options: &Options, process: &Process) -> Result<Environment, Failure> {
    let (words, hidden, python_args) = words_of(options, process);
    let Variables { spark_env, sourced, values: variables, conf_dir } =
        Variables::read(options, &distribution, &words_of_spark_class(options, &words), process)?;

    let line = match options.tool {
        tool if tool.ends_in_submit() => submit::scan(&words, distribution.version.as_ref()),
        Tool::Master | Tool::Worker | Tool::HistoryServer => CommandLine::of_daemon(&words),
        _ => CommandLine::of_no_submit(),
    };
    let class = options.tool.main_class().map(str::to_owned);
    let class = class.or_else(|| words.first().filter(|_| options.tool == Tool::Class).cloned());
    let layers = conf_files::layers(&line, conf_dir.as_deref(), process)?;
    let values = variables.iter().map(|(name, variable)| (*name, variable.text.clone())).collect();
    let conf = Conf { line: &line, hidden, in_variable: python_args.is_some(), layers: &layers };
    let deployment = deployment::find(&conf, &values, distribution.version.as_ref());
    let runs_here = line.question.is_none() && !deployment.cluster;
    let value = |name| variables.get(name).map(|variable| variable.text.as_str());
    let needs_java = runs_here || options.changes_java_home();
    let java_dir = needs_java.then(|| java::home(value("JAVA_HOME"), value("PATH"), process)).flatten();
    let java = java_dir.as_deref().filter(|_| runs_here).and_then(|home| java_major(options, home));
    let texts = option_texts(&conf, class.as_deref(), &variables, java, &distribution, deployment.cluster);
    let option_files = conf_files::option_files(conf_dir.as_deref(), &texts, process)?;
    let java_home =
        java_dir.filter(|_| options.changes_java_home()).map(|home| java::list(&home, process)).transpose()?;
    Ok(Environment {
        machine: Machine { java, ..Machine::read(process) },
        conf_dir: conf_dir.map(|dir| process.absolute(&dir)),
        pipelines: distribution.home.as_deref().filter(|_| options.tool == Tool::Pipelines).and_then(pipelines_in),
        spark_env,
        sourced,
        variables,
        words,
        hidden,
        python_args,
        line,
        layers,
        deployment,
        option_files,
        can_lock: options.changes_java_home() && ["flock", "perl"].iter().any(|name| process.which(name).is_some()),
        debugger: Vec::new(),
        java_home,
        class,
        distribution,
    })
}

/// Looks at the places where debuggers and JVMs will meet on this machine.
pub fn look_at_ports(environment: &mut Environment, meeting_points: &BTreeMap<Role, Endpoint>) {
    let dialled = meeting_points.get(&Role::Executor).filter(|endpoint| endpoint.mode == Mode::Listen);
    environment.debugger = dialled.map(ports::here).unwrap_or_default();
    environment.machine.ports = meeting_points.iter().map(|(role, endpoint)| (*role, ports::look(endpoint))).collect();
}

/// This machine, for a JVM that meets its debugger there and that no script starts.
pub fn machine_of_embedded(endpoint: &Endpoint, process: &Process) -> Machine {
    let value = |name| process.var(name).map(text::decode);
    let java = java::home(value("JAVA_HOME").as_deref(), value("PATH").as_deref(), process);
    let java = java.and_then(|home| java::major_from_release(&home));
    let ports = BTreeMap::from([(Role::Driver, ports::look(endpoint))]);
    Machine { java, ports, ..Machine::read(process) }
}

/// The words that spark-submit will see, how many of them are not the user's, and for plain python
/// the variable they come from.
fn words_of(options: &Options, process: &Process) -> (Vec<String>, usize, Option<String>) {
    if options.tool == Tool::Python {
        let given = process.var("PYSPARK_SUBMIT_ARGS").map(text::decode);
        let raw = given.unwrap_or_else(|| "pyspark-shell".to_owned());
        let words = python_words::split(&raw).into_iter().map(|word| word.text).collect();
        return (words, 0, Some(raw));
    }
    let hidden = options.tool.hidden_words();
    let own = hidden.iter().map(|word| (*word).to_owned());
    (own.chain(options.args.iter().map(|word| text::decode(word))).collect(), hidden.len(), None)
}

/// The words that `spark-class` is started with.
fn words_of_spark_class(options: &Options, words: &[String]) -> Vec<String> {
    let before = options.before_class.iter().map(|word| text::decode(word));
    let class = match options.tool {
        Tool::Class => None,
        tool => Some(tool.main_class().unwrap_or(main_class::SUBMIT).to_owned()),
    };
    before.chain(class).chain(words.iter().cloned()).collect()
}

/// As `spark-pipelines` has it from `import pyspark`: in a distribution, or in a pip-installed pyspark.
fn pipelines_in(home: &Path) -> Option<PathBuf> {
    let places = ["python/pyspark/pipelines/cli.py", "pipelines/cli.py"].map(|path| home.join(path));
    places.into_iter().find(|file| file.is_file())
}

/// The option strings of the JVM that is started here. A driver on a cluster reads files there.
fn option_texts(
    conf: &Conf<'_>,
    class: Option<&str>,
    variables: &BTreeMap<&'static str, Variable>,
    java: Option<u32>,
    distribution: &Distribution,
    cluster: bool,
) -> Vec<String> {
    let version = distribution.version.as_ref();
    let keys = if cluster || class.is_some() { [].as_slice() } else { &[DRIVER_DEFAULT, DRIVER_EXTRA] };
    let names = match class {
        Some(class) => jvm_variables::of_class(class, version, java),
        None => jvm_variables::of_driver(conf.line.class(), version, java),
    };
    let from_conf = keys.iter().filter_map(|key| Some(conf.get(key)?.text));
    let from_variables = names.into_iter().filter_map(|(name, _)| Some(variables.get(name)?.text.clone()));
    from_conf.chain(from_variables).collect()
}

fn java_major(options: &Options, home: &Path) -> Option<u32> {
    java::major_from_release(home).or_else(|| {
        let decides = |target: &Target| {
            let has_younger_option = !options.allow.value.is_empty() || target.endpoint.host.is_ipv6();
            target.endpoint.mode == Mode::Attach && has_younger_option
        };
        options.targets.iter().any(decides).then(|| java::major_from_running(home)).flatten()
    })
}
