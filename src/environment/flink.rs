//! What a launch of Flink needs to know: the distribution, its configuration, its words, this machine.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::distribution::Distribution;
use super::ports::{self, Finding};
use super::{Machine, Process, conf_files, flink_home, java, named_ports};
use crate::endpoint::{Endpoint, Role};
use crate::error::Failure;
use crate::flink::command_line::{self, CommandLine};
use crate::flink::conf::{self, FlinkConf, Syntax};
use crate::flink::deployment::{self, Deployment, Manager};
use crate::flink::java_opts;
use crate::flink::script::Script;
use crate::options::Options;
use crate::text;
use crate::version::Version;
pub use flink_home::find as home;

/// The facts that a plan for Flink is made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlinkEnvironment {
    /// This machine; its ports are there after [`look_at_ports`].
    pub machine: Machine,
    /// The script.
    pub script: Script,
    /// What will be started.
    pub distribution: Distribution,
    /// Where Flink looks for its configuration.
    pub conf_dir: Option<PathBuf>,
    /// The configuration.
    pub conf: FlinkConf,
    /// A `flink-conf.yaml` that this Flink does not read.
    pub ignored_conf: Option<PathBuf>,
    /// The variables that matter, and are not empty.
    pub variables: BTreeMap<&'static str, String>,
    /// The words of the script.
    pub words: Vec<String>,
    /// The words, understood.
    pub line: CommandLine,
    /// Where the JVMs will run.
    pub deployment: Deployment,
    /// What its scripts can do.
    pub scripts: Scripts,
    /// The JVMs that the script starts, by role; none where that is a matter of others.
    pub hosts: Hosts,
}

/// What the scripts of this Flink can do, as their text tells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scripts {
    /// `jobmanager.sh` takes `-D`; that of 1.14 takes it for a host.
    pub jobmanager_takes_settings: bool,
    /// A client takes `env.java.opts.*`, and not `JVM_ARGS` alone.
    pub client_takes_conf: bool,
    /// What `config.sh` adds to the options of every JVM unless a variable replaces them.
    pub added_options: Vec<&'static str>,
    /// The names in `bin`, sorted.
    pub bin: Vec<OsString>,
}

/// Which JVMs `start-cluster.sh` and its like start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hosts {
    /// A host in `masters` that is reached by ssh: then all are.
    pub remote_master: Option<String>,
    /// A host in `workers` that is reached by ssh: then all are.
    pub remote_worker: Option<String>,
    /// How many JobManagers start here.
    pub jobmanagers: u16,
    /// How many TaskManagers start here; `None`: one on each NUMA node.
    pub taskmanagers: Option<u16>,
    /// The number that the next JobManager of this user gets here.
    pub next_jobmanager: usize,
    /// The number that the next TaskManager gets.
    pub next_taskmanager: usize,
}

/// Variables that reach the JVMs of Flink, or decide what they are.
const VARIABLES: [&str; 16] = [
    "JVM_ARGS",
    "FLINK_ENV_JAVA_OPTS",
    "FLINK_ENV_JAVA_OPTS_JM",
    "FLINK_ENV_JAVA_OPTS_TM",
    "FLINK_ENV_JAVA_OPTS_CLI",
    "FLINK_ENV_JAVA_OPTS_HS",
    "FLINK_ENV_JAVA_OPTS_SQL_GATEWAY",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "_JAVA_JDWP_OPTIONS",
    "FLINK_LIB_DIR",
    "FLINK_OPT_DIR",
    "FLINK_PLUGINS_DIR",
    "FLINK_PID_DIR",
    "FLINK_IDENT_STRING",
];

impl FlinkEnvironment {
    /// The version of Flink, where known.
    pub fn version(&self) -> Option<&Version> {
        self.distribution.version.as_ref()
    }

    /// A variable's value, if it is not empty: the scripts do not tell that from one that is not set.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }

    /// What the user set for a key, and where it stands: a `-D`, then the file.
    pub fn given(&self, key: &str) -> Option<(String, String)> {
        let dynamic = self.line.get(key).map(|dynamic| (dynamic.value.clone(), format!("-D{key}")));
        dynamic.or_else(|| self.conf.get(key).map(|entry| (entry.value.clone(), self.conf.place(entry))))
    }

    /// Whether the JVM of a role, or each of its JVMs, starts on this machine.
    pub fn is_here(&self, role: Role) -> bool {
        match self.deployment {
            Deployment::Deploys { .. } => role == Role::Client,
            _ => true,
        }
    }

    /// Whether a command that deploys, or runs a job in its own JVM, takes `-D`: that of `sql-client.sh` came
    /// with 1.18.
    pub fn takes_settings(&self) -> bool {
        self.script != Script::SqlClient || self.version().is_none_or(|version| version.at_least(1, 18))
    }

    /// Who starts the JVMs of a cluster that the command deploys.
    pub fn manager(&self) -> Option<Manager> {
        match self.deployment {
            Deployment::Deploys { manager, .. } => Some(manager),
            _ => None,
        }
    }

    /// How many JVMs of a role this command starts here, one after the other; `None`: unknown.
    pub fn number(&self, role: Role) -> Option<u16> {
        match role {
            Role::JobManager if self.script == Script::StartCluster => Some(self.hosts.jobmanagers),
            Role::TaskManager if self.deployment == Deployment::Here => self.hosts.taskmanagers,
            _ => Some(1),
        }
    }
}

/// Reads everything that the plan needs.
///
/// # Errors
/// No Flink found, unreadable or malformed files.
pub fn discover(script: Script, options: &Options, process: &Process) -> Result<FlinkEnvironment, Failure> {
    let distribution = flink_home::find(script, options.home.as_ref(), process)?;
    let variable = |name: &'static str| {
        let value = process.var(name).map(text::decode).filter(|value| !value.is_empty());
        Some((name, value?))
    };
    let variables: BTreeMap<&'static str, String> = VARIABLES.into_iter().filter_map(variable).collect();
    let given_dir = process.var("FLINK_CONF_DIR").filter(|dir| !dir.is_empty()).map(PathBuf::from);
    let conf_dir = given_dir.or_else(|| Some(distribution.home.as_ref()?.join("conf")));
    let (conf, ignored_conf) = match &conf_dir {
        Some(dir) => read_conf(&process.absolute(dir), distribution.version.as_ref())?,
        None => (FlinkConf::default(), None),
    };
    let words: Vec<String> = options.args.iter().map(|word| text::decode(word)).collect();
    let mut line = command_line::scan(script, &words);
    line.drop_unread(deployment::is_old_yarn(&line, &conf));
    let deployment = deployment::find(script, &line, &conf);
    let hosts = match deployment {
        Deployment::Here => hosts(script, conf_dir.as_deref(), &conf, &variables, process)?,
        _ => Hosts::default(),
    };
    let java = java_home(&conf, process).and_then(|home| java::major_from_release(&home));
    let scripts = scripts(script, &distribution, java);
    Ok(FlinkEnvironment {
        machine: Machine { java, ..Machine::read(process) },
        script,
        distribution,
        conf_dir,
        conf,
        ignored_conf,
        variables,
        words,
        line,
        deployment,
        scripts,
        hosts,
    })
}

/// Looks at the places where debuggers and JVMs will meet on this machine. `search`: the endpoint of each
/// role, for how many JVMs, and whether any free port from there on will do.
pub fn look_at_ports(environment: &mut FlinkEnvironment, search: &BTreeMap<Role, (Endpoint, u16, bool)>) {
    // A JVM that was started a moment ago has not yet bound its port.
    let is_open = search.values().any(|(_, _, is_open)| *is_open);
    let mut taken: BTreeSet<u16> = if is_open { named_ports::read() } else { BTreeSet::new() };
    for (role, (endpoint, number, is_open)) in search {
        let finding = match is_open {
            true => ports::first_free(endpoint, *number, &taken),
            false => ports::look(endpoint),
        };
        if let Finding::Free(first) = finding {
            taken.extend((0..*number).map(|index| first.saturating_add(index)));
        }
        environment.machine.ports.insert(*role, finding);
    }
}

/// The file that this Flink reads, and one beside it that it does not.
fn read_conf(dir: &Path, version: Option<&Version>) -> Result<(FlinkConf, Option<PathBuf>), Failure> {
    let flat = dir.join("flink-conf.yaml");
    let yaml = dir.join("config.yaml");
    let only_flat = version.is_some_and(|version| !version.at_least(1, 19));
    let only_yaml = version.is_some_and(|version| version.at_least(2, 0));
    let (file, syntax) = match flat.is_file() && !only_yaml || only_flat {
        true => (flat.clone(), Syntax::Flat),
        false => (yaml, Syntax::Yaml),
    };
    let ignored = Some(flat).filter(|flat| syntax == Syntax::Yaml && flat.is_file());
    if !file.is_file() {
        return Ok((FlinkConf::default(), ignored));
    }
    let text = conf_files::read(&file)?;
    let conf = FlinkConf::read(file.clone(), &text, syntax).map_err(|malformed| {
        let place = format!("{} line {}", file.display(), malformed.line);
        Failure::world(format!(
            "{place}: {}; Flink's scripts would go on without any setting of the file",
            malformed.cause
        ))
        .help("mend the file")
    })?;
    Ok((conf, ignored))
}

/// The home that is named for the scripts' Java, and who names it: `env.java.home`, else `JAVA_HOME`.
pub(super) fn named_java_home(conf: &FlinkConf, process: &Process) -> Option<(String, String)> {
    let configured = conf.java_home.as_ref().map(|entry| (entry.value.clone(), conf.place(entry)));
    let configured = configured.map(|(home, place)| (home, format!("{} ({place})", conf::JAVA_HOME)));
    let variable = || process.var("JAVA_HOME").map(text::decode).filter(|home| !home.is_empty());
    configured.or_else(|| Some((variable()?, "JAVA_HOME".to_owned())))
}

/// As `setJavaRun` of the scripts finds it: what is named, if it is a directory; else `java` on `PATH`.
pub(super) fn java_home(conf: &FlinkConf, process: &Process) -> Option<PathBuf> {
    let named = named_java_home(conf, process).map(|(home, _)| home);
    let home = named.filter(|home| process.absolute(Path::new(home)).is_dir());
    java::home(home.as_deref(), process.var("PATH").map(text::decode).as_deref(), process)
}

fn scripts(script: Script, distribution: &Distribution, java: Option<u32>) -> Scripts {
    let Some(home) = &distribution.home else { return Scripts::default() };
    let bin = home.join("bin");
    let read = |name: &str| fs::read_to_string(bin.join(name)).unwrap_or_default();
    let config = read("config.sh");
    let mut names: Vec<OsString> = fs::read_dir(&bin).into_iter().flatten().flatten().map(|e| e.file_name()).collect();
    names.sort();
    Scripts {
        jobmanager_takes_settings: read(Script::JobManager.file_name()).contains("\"-D\""),
        client_takes_conf: read(script.file_name()).contains("FLINK_ENV_JAVA_OPTS"),
        added_options: java_opts::added_by(&config, java),
        bin: names,
    }
}

/// Which JVMs start here. Source: `readMasters`, `readWorkers` and `TMWorkers` of `config.sh`.
fn hosts(
    script: Script,
    conf_dir: Option<&Path>,
    conf: &FlinkConf,
    variables: &BTreeMap<&'static str, String>,
    process: &Process,
) -> Result<Hosts, Failure> {
    let mut hosts = Hosts { jobmanagers: 1, taskmanagers: Some(1), ..Hosts::default() };
    let value = |key: &str| conf.get(key).map(|entry| entry.value.as_str());
    if let (Script::StartCluster, Some(dir)) = (script, conf_dir) {
        let workers = list(&process.absolute(dir).join("workers"))?;
        hosts.remote_worker = workers.iter().find(|host| !is_here(host)).cloned();
        hosts.taskmanagers = Some(u16::try_from(workers.len()).unwrap_or(u16::MAX));
        let availability = process.var("HIGH_AVAILABILITY").map(text::decode).filter(|value| !value.is_empty());
        let configured = value("high-availability.type").or(value("high-availability")).unwrap_or_default();
        let availability = availability.unwrap_or_else(|| configured.to_owned());
        if availability.eq_ignore_ascii_case("zookeeper") {
            let masters = list(&process.absolute(dir).join("masters"))?;
            let names = masters.iter().map(|master| master.split(':').next().unwrap_or_default());
            hosts.remote_master = names.clone().find(|host| !is_here(host)).map(str::to_owned);
            hosts.jobmanagers = u16::try_from(names.count()).unwrap_or(u16::MAX);
        }
    }
    if process.which("numactl").is_some() {
        let numa = process.var("FLINK_TM_COMPUTE_NUMA").map(text::decode).filter(|value| !value.is_empty());
        let numa = numa.or_else(|| value("taskmanager.compute.numa").map(str::to_owned));
        if numa.is_some_and(|numa| numa != "false") && matches!(script, Script::TaskManager | Script::StartCluster) {
            hosts.taskmanagers = None;
        }
    }
    let dir = variables.get("FLINK_PID_DIR").map(String::as_str).or(value("env.pid.dir")).unwrap_or("/tmp");
    let user = variables.get("FLINK_IDENT_STRING").cloned();
    let user = user.or_else(|| process.var("USER").map(text::decode)).unwrap_or_default();
    let started = |daemon: &str| {
        let file = process.absolute(Path::new(dir)).join(format!("flink-{user}-{daemon}.pid"));
        fs::read_to_string(file).map_or(0, |text| text.matches('\n').count())
    };
    hosts.next_jobmanager = started("standalonesession");
    hosts.next_taskmanager = started("taskexecutor");
    Ok(hosts)
}

/// The hosts of a file. The scripts say themselves that one is missing.
fn list(file: &Path) -> Result<Vec<String>, Failure> {
    if !file.is_file() {
        return Ok(Vec::new());
    }
    let text = conf_files::read(file)?;
    let host = |line: &str| {
        let word = line.split_whitespace().next().unwrap_or_default();
        let word = word.split('#').next().unwrap_or_default();
        word.rsplit('/').next().unwrap_or_default().to_owned()
    };
    Ok(text.lines().map(host).filter(|host| !host.is_empty()).collect())
}

fn is_here(host: &str) -> bool {
    matches!(host, "localhost" | "127.0.0.1")
}
