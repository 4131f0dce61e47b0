//! This user's JVMs on this machine: a driver that is held before `main` has no UI yet, and only the
//! socket table tells whether a debugger is attached.
//!
//! How the state is told, all of it without a connection:
//!
//! * the debug port is the one in the agent's `address`; where that is 0, the last `Listening` line of
//!   the JVM's standard output, if that is a file; where there is none, the only socket that listens in a
//!   JVM that has not opened its class path yet. Anything else would be a guess;
//! * `attached`: a connection on that port;
//! * `waiting`: the agent suspends, the port listens, and no jar of the class path is open, which `java`
//!   opens to find the main class after the agent has let it go.

mod kind;
#[cfg(target_os = "linux")]
mod proc;
mod rest_port;
#[cfg(test)]
mod tests;
pub mod work;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::evidence::dialled;
use super::{Jvm, Reach, State};
use crate::endpoint::Role;
use crate::jvm::jdwp::Agent;
use crate::jvm::options::{Splitter, find_agents};
use crate::spark::submit::{self, CommandLine, End};
use kind::Kind;

/// A JVM and the ports on which it listens, whatever for.
pub struct Found {
    /// The row.
    pub jvm: Jvm,
    /// The ports.
    pub listens: Vec<u16>,
    /// Where its UI is, if its command line names a place other than the usual one.
    pub ui: Option<u16>,
    /// Where executors that it knows of have their directories, if they run on this machine.
    pub work: Option<PathBuf>,
    /// The directory with the configuration of its cluster, of Flink's JVMs.
    pub conf: Option<PathBuf>,
}

/// This user's JVMs of Spark and Flink.
#[cfg(target_os = "linux")]
pub fn jvms() -> Vec<Found> {
    proc::processes().iter().filter_map(found).collect()
}

/// There is no `/proc`.
#[cfg(not(target_os = "linux"))]
pub fn jvms() -> Vec<Found> {
    Vec::new()
}

/// What `/proc` tells of a JVM.
#[derive(Debug, Clone, Default)]
struct Process {
    pid: i32,
    /// With the path of `java` first.
    argv: Vec<String>,
    /// The variables from which JVMs take options, as they were at its start.
    options: Vec<String>,
    /// What is appended to every agent (`_JAVA_JDWP_OPTIONS`).
    agent_suffix: Option<String>,
    /// YARN's name for its container.
    container: Option<String>,
    cwd: PathBuf,
    /// Its `SPARK_HOME`.
    spark_home: Option<PathBuf>,
    sockets: Vec<Socket>,
    /// Whether a jar is open.
    has_jars: bool,
    /// The port of the last `Listening` line of its standard output, if that is a file.
    last_port: Option<u16>,
}

#[derive(Debug, Clone, Copy)]
struct Socket {
    local: u16,
    remote: u16,
    listens: bool,
}

fn found(process: &Process) -> Option<Found> {
    let (main, kind) = kind::main(&process.argv)?;
    let (java, args) = (&process.argv[..main], &process.argv[main + 1..]);
    let agent = agent(java, process);
    let after = |option: &str| args.windows(2).find(|pair| pair[0] == option).map(|pair| pair[1].clone());
    let line = submit::scan(args, None);
    let in_cluster = setting(&line, "--deploy-mode", "spark.submit.deployMode").as_deref() == Some("cluster");
    let (role, id) = match kind {
        // Only the messenger: the driver is elsewhere.
        Kind::Driver if in_cluster => return None,
        Kind::Driver => (Role::Driver, "driver".to_owned()),
        Kind::Executor => (Role::Executor, after("--executor-id").unwrap_or_else(|| "?".to_owned())),
        Kind::Daemon(name) => (Role::Daemon, name.to_owned()),
        // On YARN and Kubernetes it has the name of its container or pod.
        Kind::Flink(role @ Role::TaskManager, name) => {
            (role, flink_setting(args, "taskmanager.resource-id").unwrap_or(name).to_owned())
        }
        Kind::Flink(role, name) => (role, name.to_owned()),
        Kind::Launcher if agent.is_none() => return None,
        Kind::Launcher => (Role::Daemon, "launcher".to_owned()),
    };
    let directory = process.cwd.file_name().unwrap_or_default().to_string_lossy();
    let app = match kind {
        Kind::Driver => application_of(process.container.as_deref())
            .or_else(|| Some(directory.to_string()).filter(|directory| directory.starts_with("driver-")))
            .or_else(|| setting(&line, "--name", "spark.app.name"))
            .or_else(|| setting(&line, "--class", ""))
            .or_else(|| resource(&line, args)),
        Kind::Executor => after("--app-id"),
        Kind::Flink(Role::JobManager | Role::TaskManager, _) => application_of(process.container.as_deref()),
        Kind::Flink(..) | Kind::Daemon(_) | Kind::Launcher => None,
    };
    let work = match kind {
        // `Worker.createWorkDir`, of a Worker inside the driver.
        Kind::Driver => Some(process.spark_home.as_deref().unwrap_or(&process.cwd).join("work")),
        // WORK/APPLICATION/NUMBER
        Kind::Executor if *directory == *id => process.cwd.ancestors().nth(2).map(Path::to_path_buf),
        Kind::Executor | Kind::Daemon(_) | Kind::Launcher | Kind::Flink(..) => None,
    };
    let (state, port, remark) = state(agent.as_ref(), process);
    let pid = format!("pid {}", process.pid);
    let remark = Some(remark.map_or(pid.clone(), |remark| format!("{remark}; {pid}")));
    let listens: Vec<u16> = process.sockets.iter().filter(|socket| socket.listens).map(|socket| socket.local).collect();
    let is_of_cluster = matches!(role, Role::JobManager | Role::TaskManager);
    let conf = after("--configDir").or_else(|| after("-c")).filter(|_| is_of_cluster);
    let conf = conf.map(|conf| process.cwd.join(conf));
    let number = |text: &str| text.parse().ok();
    let uis: Vec<u16> = match role {
        Role::Driver => setting(&line, "", "spark.ui.port").and_then(|ui| number(&ui)).into_iter().collect(),
        Role::JobManager => {
            let typed = after("--webui-port").or_else(|| flink_setting(args, "rest.port").map(str::to_owned));
            let configured = conf.iter().flat_map(|conf| rest_port::configured(conf));
            typed.and_then(|ui| number(&ui)).into_iter().chain(configured).collect()
        }
        _ => Vec::new(),
    };
    let ui = uis.into_iter().find(|ui| listens.contains(ui) && port != Some(*ui));
    let host = "127.0.0.1".to_owned();
    let jvm = Jvm {
        app,
        role,
        id,
        host,
        port,
        state,
        reach: Reach::Here,
        remark,
        own_port: None,
        silent: false,
        operators: None,
    };
    Some(Found { jvm, listens, ui, work, conf })
}

/// What an option of spark-submit says, else the key of the configuration that it stands for.
fn setting(line: &CommandLine, option: &str, key: &str) -> Option<String> {
    let conf = || line.settings.iter().rev().find_map(|setting| setting.conf().filter(|(name, _)| *name == key));
    line.last(option).map(|setting| setting.value.clone()).or_else(|| conf().map(|(_, value)| value.to_owned()))
}

/// What a `-D` among the arguments of one of Flink's JVMs says, in one word or two.
fn flink_setting<'a>(args: &'a [String], key: &str) -> Option<&'a str> {
    let of = |setting: &'a String| setting.strip_prefix("-D").unwrap_or(setting).strip_prefix(key)?.strip_prefix('=');
    let of_pair = |pair: &'a [String]| if pair[0] == "-D" { of(&pair[1]) } else { None };
    let typed = args.iter().filter(|word| word.starts_with("-D")).filter_map(of);
    typed.chain(args.windows(2).filter_map(of_pair)).last()
}

/// The file name of what spark-submit runs.
fn resource(line: &CommandLine, args: &[String]) -> Option<String> {
    match line.end {
        End::Resource(at) => args[at].rsplit('/').next().map(str::to_owned).filter(|name| !name.is_empty()),
        End::Words | End::Refused { .. } => None,
    }
}

/// The agent of a JVM: from its command line, then from the variables.
fn agent(java: &[String], process: &Process) -> Option<Agent> {
    let typed = java.iter().find_map(|word| Agent::parse(word));
    let of_variable = || process.options.iter().find_map(|raw| find_agents(raw, Splitter::Jvm).into_iter().next());
    let agent = typed.or_else(|| of_variable().map(|found| found.agent))?;
    match &process.agent_suffix {
        Some(suffix) => Agent::parse(&format!("{agent},{suffix}")).or(Some(agent)),
        None => Some(agent),
    }
}

/// State, port and what people should know besides.
fn state(agent: Option<&Agent>, process: &Process) -> (State, Option<u16>, Option<String>) {
    let Some(agent) = agent else { return (State::Unknown, None, Some("it has no debug agent".to_owned())) };
    if !agent.listens() {
        let peer = agent.endpoint().map(|endpoint| endpoint.port);
        let is_connected = process.sockets.iter().any(|socket| !socket.listens && Some(socket.remote) == peer);
        let remark = match (is_connected, agent.endpoint()) {
            (true, Some(endpoint)) => format!("it is connected to the debugger at {}:{}", endpoint.host, endpoint.port),
            // It would have died without one.
            (false, Some(endpoint)) if process.has_jars => {
                format!("its debugger at {}:{} has left; it dials once, at its start", endpoint.host, endpoint.port)
            }
            _ => dialled(agent),
        };
        return (State::Dialled, None, Some(remark));
    }
    let listens = |port: u16| process.sockets.iter().any(|socket| socket.listens && socket.local == port);
    let is_connected = |port: u16| process.sockets.iter().any(|socket| !socket.listens && socket.local == port);
    let written = agent.endpoint().map(|endpoint| endpoint.port).filter(|port| *port != 0);
    let before_main = || {
        let mut listening = process.sockets.iter().filter(|socket| socket.listens).map(|socket| socket.local);
        listening.next().filter(|_| listening.next().is_none() && !process.has_jars)
    };
    match written.or(process.last_port).or_else(before_main) {
        Some(port) if is_connected(port) => (State::Attached, Some(port), None),
        Some(port) if listens(port) && agent.suspends() && !process.has_jars => (State::Waiting, Some(port), None),
        Some(port) if listens(port) => (State::Listening, Some(port), None),
        Some(port) => (State::Unknown, Some(port), Some("nothing listens on its debug port now".to_owned())),
        None => {
            let remark = "its port is chosen by the system and stands in its standard output, which is no file";
            (State::Unknown, None, Some(remark.to_owned()))
        }
    }
}

/// At most so many bytes of a file, from there on. What is no UTF-8 becomes U+FFFD.
fn part(file: &mut File, from: u64, most: u64) -> io::Result<String> {
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// `container_e17_1700000000000_0001_01_000001` belongs to `application_1700000000000_0001`.
pub fn application_of(container: Option<&str>) -> Option<String> {
    let mut parts = container?.strip_prefix("container_")?.split('_').filter(|part| !part.starts_with('e'));
    Some(format!("application_{}_{}", parts.next()?, parts.next()?))
}
