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
    let ui = match role {
        Role::Driver => setting(&line, "", "spark.ui.port"),
        Role::JobManager => after("--webui-port").or_else(|| flink_setting(args, "rest.port").map(str::to_owned)),
        _ => None,
    };
    let ui = ui.and_then(|ui| ui.parse().ok()).filter(|ui| listens.contains(ui) && port != Some(*ui));
    let is_of_cluster = matches!(role, Role::JobManager | Role::TaskManager);
    let conf = after("--configDir").or_else(|| after("-c")).filter(|_| is_of_cluster);
    let conf = conf.map(|conf| process.cwd.join(conf));
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

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0";
    const HELD: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:5005";
    const HELD_FREE: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:0";
    const DIALS: &str = "-agentlib:jdwp=transport=dt_socket,server=n,suspend=n,address=10.0.0.171:5005";

    fn process(words: &[&str]) -> Process {
        Process {
            pid: 7,
            argv: words.iter().map(|word| word.to_string()).collect(),
            has_jars: true,
            ..Process::default()
        }
    }

    fn listening(port: u16) -> Socket {
        Socket { local: port, remote: 0, listens: true }
    }

    fn connection(local: u16, remote: u16) -> Socket {
        Socket { local, remote, listens: false }
    }

    fn submit(agent: &str, sockets: Vec<Socket>, has_jars: bool) -> (State, Option<u16>) {
        let words = ["/j/bin/java", "-cp", "/s/jars/*", agent, "org.apache.spark.deploy.SparkSubmit", "app.py"];
        let found = found(&Process { sockets, has_jars, ..process(&words) }).expect("a JVM of Spark's");
        (found.jvm.state, found.jvm.port)
    }

    #[test]
    fn a_driver_from_before_main_to_its_debugger() {
        assert_eq!(submit(HELD, vec![listening(5005)], false), (State::Waiting, Some(5005)));
        assert_eq!(submit(HELD, vec![connection(5005, 40000)], false), (State::Attached, Some(5005)));
        assert_eq!(submit(HELD, vec![listening(5005), listening(4040)], true), (State::Listening, Some(5005)));
        assert_eq!(submit(HELD, vec![listening(4040)], true), (State::Unknown, Some(5005)));
        assert_eq!(submit(HELD_FREE, vec![listening(41234)], false), (State::Waiting, Some(41234)));
        assert_eq!(submit("-Xmx1g", vec![listening(4040)], true), (State::Unknown, None));
    }

    #[test]
    fn no_port_is_guessed() {
        assert_eq!(submit(FREE, vec![listening(41234)], true), (State::Unknown, None));
        assert_eq!(submit(FREE, vec![listening(41234), listening(4040)], false), (State::Unknown, None));
    }

    #[test]
    fn the_last_line_of_its_output_tells_the_port() {
        let executor = "org.apache.spark.executor.CoarseGrainedExecutorBackend";
        let words = ["java", FREE, executor, "--executor-id", "3", "--app-id", "app-1"];
        let with = |sockets| {
            let process = Process { sockets, last_port: Some(38933), ..process(&words) };
            let jvm = found(&process).expect("an executor").jvm;
            assert_eq!((jvm.app.as_deref(), jvm.role, jvm.id.as_str()), (Some("app-1"), Role::Executor, "3"));
            (jvm.state, jvm.port)
        };
        assert_eq!(with(vec![listening(1), listening(38933)]), (State::Listening, Some(38933)));
        assert_eq!(with(vec![listening(1), connection(38933, 2)]), (State::Attached, Some(38933)));
        assert_eq!(with(vec![listening(1)]), (State::Unknown, Some(38933)));
    }

    #[test]
    fn who_dials_out() {
        let (state, port) = submit(DIALS, vec![connection(40000, 5005)], true);
        assert_eq!((state, port), (State::Dialled, None));
        let words = ["java", DIALS, "org.apache.spark.deploy.SparkSubmit", "app.py"];
        let remark = |sockets| found(&Process { sockets, ..process(&words) }).unwrap().jvm.remark.unwrap();
        assert_eq!(remark(vec![connection(1, 5005)]), "it is connected to the debugger at 10.0.0.171:5005; pid 7");
        assert_eq!(remark(vec![]), "its debugger at 10.0.0.171:5005 has left; it dials once, at its start; pid 7");
        let starting = found(&Process { has_jars: false, ..process(&words) }).unwrap().jvm.remark.unwrap();
        assert!(starting.starts_with("it dials the debugger at 10.0.0.171:5005"), "{starting}");
    }

    #[test]
    fn roles_and_names() {
        let row = |words: &[&str]| found(&process(words)).map(|found| (found.jvm.role, found.jvm.id, found.jvm.app));
        let driver = |app: &str| Some((Role::Driver, "driver".to_owned(), Some(app.to_owned())));
        let submit = "org.apache.spark.deploy.SparkSubmit";
        assert_eq!(row(&["java", submit, "--name", "count", "--class", "C", "a.jar"]), driver("count"));
        assert_eq!(row(&["java", submit, "--class", "C", "a.jar"]), driver("C"));
        assert_eq!(row(&["java", submit, "--conf", "spark.app.name=n", "x/a.jar", "--name", "no"]), driver("n"));
        assert_eq!(row(&["java", submit, "--master", "local", "x/app.py", "200"]), driver("app.py"));
        assert_eq!(row(&["java", submit, "--deploy-mode", "cluster", "a.jar"]), None);
        assert_eq!(row(&["java", submit, "--conf", "spark.submit.deployMode=cluster", "a.jar"]), None);
        let daemon = Some((Role::Daemon, "master".to_owned(), None));
        assert_eq!(row(&["java", "-Xmx1g", "org.apache.spark.deploy.master.Master"]), daemon);
        assert_eq!(row(&["java", "org.example.Other"]), None);
        let launcher = "org.apache.spark.launcher.Main";
        assert_eq!(row(&["java", "-Xmx128m", launcher, submit, "app.py"]), None);
        let held = Some((Role::Daemon, "launcher".to_owned(), None));
        assert_eq!(row(&["java", HELD, launcher, submit, "app.py"]), held);
        let master = "org.apache.spark.deploy.yarn.ApplicationMaster";
        let in_container = Process {
            container: Some("container_e17_1700000000000_0001_01_000001".to_owned()),
            ..process(&["java", master, "--class", "C"])
        };
        assert_eq!(found(&in_container).unwrap().jvm.app.as_deref(), Some("application_1700000000000_0001"));
    }

    #[test]
    fn jvms_of_flink() {
        let row = |words: &[&str]| {
            let found = found(&process(words)).expect("a JVM of Flink's");
            (found.jvm.role, found.jvm.id, found.conf, found.ui)
        };
        let conf = Some(PathBuf::from("/f/conf"));
        let session = "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint";
        let plain = ["java", "-Xmx1g", session, "-D", "rest.port=7", "--configDir", "/f/conf"];
        assert_eq!(row(&plain), (Role::JobManager, "jobmanager".to_owned(), conf.clone(), None));
        let runner = "org.apache.flink.runtime.taskexecutor.TaskManagerRunner";
        let plain = ["java", runner, "--configDir", "/f/conf", "-D", "taskmanager.cpu.cores=1.0"];
        assert_eq!(row(&plain), (Role::TaskManager, "taskmanager".to_owned(), conf, None));
        let client = ["java", FREE, "org.apache.flink.client.cli.CliFrontend", "run", "-c", "Main", "a.jar"];
        assert_eq!(row(&client).0, Role::Client);
        let gateway = ["java", "org.apache.flink.table.gateway.SqlGateway", "--configDir", "/f/conf"];
        assert_eq!((row(&gateway).0, row(&gateway).1.as_str()), (Role::Daemon, "sql-gateway"));

        let container = "container_e17_1700000000000_0001_01_000002";
        let resource = format!("-Dtaskmanager.resource-id={container}");
        let runner = "org.apache.flink.yarn.YarnTaskExecutorRunner";
        let on_yarn = Process {
            container: Some(container.to_owned()),
            sockets: vec![listening(8085)],
            ..process(&["java", runner, "-D", "x=1", &resource, "--configDir", "."])
        };
        let found = found(&on_yarn).unwrap().jvm;
        assert_eq!((found.id.as_str(), found.app.as_deref()), (container, Some("application_1700000000000_0001")));
    }

    /// Only where it listens.
    #[test]
    fn the_ui_of_a_jobmanager() {
        let session = "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint";
        let ui = |words: [&str; 2]| {
            let sockets = vec![listening(8085), listening(6123)];
            found(&Process { sockets, ..process(&["java", session, words[0], words[1]]) }).unwrap().ui
        };
        assert_eq!(ui(["-D", "rest.port=8085"]), Some(8085));
        assert_eq!(ui(["-Drest.port=1", "-Drest.port=8085"]), Some(8085));
        assert_eq!(ui(["--webui-port", "8085"]), Some(8085));
        assert_eq!(ui(["-D", "rest.port=8086"]), None);
    }

    #[test]
    fn where_executors_have_their_directories() {
        let work = |words: &[&str], cwd: &str, home: Option<&str>| {
            let spark_home = home.map(PathBuf::from);
            found(&Process { cwd: PathBuf::from(cwd), spark_home, ..process(words) }).unwrap().work
        };
        let driver = ["java", "org.apache.spark.deploy.SparkSubmit", "app.py"];
        assert_eq!(work(&driver, "/d", Some("/s")), Some(PathBuf::from("/s/work")));
        assert_eq!(work(&driver, "/d", None), Some(PathBuf::from("/d/work")));
        let class = "org.apache.spark.executor.CoarseGrainedExecutorBackend";
        let executor = ["java", class, "--executor-id", "3", "--app-id", "app-1"];
        assert_eq!(work(&executor, "/w/app-1/3", Some("/s")), Some(PathBuf::from("/w")));
        assert_eq!(work(&executor, "/yarn/container_1", Some("/s")), None);
    }

    #[test]
    fn its_ui_is_asked_where_its_command_line_says() {
        let ui = |agent: &str| {
            let submit = "org.apache.spark.deploy.SparkSubmit";
            let words = ["java", agent, submit, "--conf", "spark.ui.port=5005", "app.py"];
            found(&Process { sockets: vec![listening(5005)], ..process(&words) }).unwrap().ui
        };
        assert_eq!(ui("-Xmx1g"), Some(5005));
        // Never a port that waits for a debugger.
        assert_eq!(ui(HELD), None);
    }

    #[test]
    fn the_agent_may_come_from_a_variable() {
        let words = ["java", "org.apache.spark.deploy.SparkSubmit", "app.py"];
        let with = Process {
            options: vec![format!("-Da=1 {HELD}")],
            agent_suffix: Some("address=127.0.0.1:5954".to_owned()),
            sockets: vec![listening(5954)],
            ..process(&words)
        };
        assert_eq!(found(&with).unwrap().jvm.port, Some(5954));
    }
}
