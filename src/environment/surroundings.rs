//! What `doctor` asks of this machine beyond what a launch needs: which Java each JVM has, and by which of its
//! addresses the cluster sees it. Files, names, and a socket that sends nothing.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs, UdpSocket};
use std::path::{Path, PathBuf};

use url::Url;

use super::application::{self, Application};
use super::{Environment, Process, conf_files, java, ports, spark_env};
use crate::endpoint::{Mode, Role};
use crate::options::{Options, Target};
use crate::spark::deployment::Manager;
use crate::text;

/// The variables without which Spark submits nothing to YARN.
pub const YARN: [&str; 2] = ["HADOOP_CONF_DIR", "YARN_CONF_DIR"];

/// A Java that somebody chose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Java {
    /// Its home.
    pub home: PathBuf,
    /// Who chose it.
    pub from: String,
    /// Whether the home has a `bin/java` on this machine.
    pub is_there: bool,
    /// Its major version, where known.
    pub major: Option<u32>,
}

/// The host that names itself in the master's URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Master {
    /// As it is written.
    pub host: String,
    /// Its addresses, as this machine resolves it; none: it does not.
    pub addresses: Vec<IpAddr>,
    /// The address of this machine that packets to it would carry.
    pub towards: Option<IpAddr>,
}

/// The facts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The Java of the JVM that is started here.
    pub java: Option<Java>,
    /// Javas that the configuration names for JVMs elsewhere.
    pub elsewhere: Vec<(Role, Java)>,
    /// The hosts of the master.
    pub masters: Vec<Master>,
    /// A `spark-defaults.conf` that Spark would read, were another properties file not named.
    pub unread_defaults: Option<PathBuf>,
    /// The hosts that JVMs are to dial.
    pub dialled: Dialled,
    /// What `spark-submit` is to run.
    pub application: Option<Application>,
    /// Whether a variable names the configuration of YARN's clients, or a script may set one.
    pub names_yarn: bool,
}

/// The addresses of the hosts that JVMs of a role are to dial, and whether they are this machine's.
pub type Dialled = BTreeMap<Role, Vec<(IpAddr, bool)>>;

/// Reads them.
pub fn read(options: &Options, environment: &Environment, process: &Process) -> Surroundings {
    let variable = |name: &str| environment.variables.get(name);
    let set_by_script = variable("JAVA_HOME").is_some_and(|variable| variable.from_spark_env);
    let from = if set_by_script { "JAVA_HOME, set by spark-env.sh" } else { "JAVA_HOME" };
    let text = |name: &str| variable(name).map(|variable| variable.text.as_str());
    Surroundings {
        java: java(text("JAVA_HOME"), text("PATH"), from, process),
        elsewhere: elsewhere(environment, process),
        masters: masters(environment),
        unread_defaults: unread_defaults(environment),
        dialled: dialled(&options.targets),
        application: application::read(environment, process),
        names_yarn: names_yarn(environment, process),
    }
}

fn names_yarn(environment: &Environment, process: &Process) -> bool {
    let may_set = |file: &PathBuf| conf_files::read(file).is_ok_and(|text| spark_env::may_matter(&text, &YARN));
    // Also an empty one counts.
    YARN.iter().any(|name| process.var(name).is_some()) || environment.spark_env.as_ref().is_some_and(may_set)
}

/// The hosts that JVMs are to dial.
pub(super) fn dialled(targets: &[Target]) -> Dialled {
    let dialled = targets.iter().filter(|target| target.endpoint.mode == Mode::Listen);
    dialled.map(|target| (target.role, addresses(target.endpoint.host.as_str()))).collect()
}

/// The Java by the variables of the environment alone.
pub fn java_of_process(process: &Process) -> Option<Java> {
    let text = |name| process.var(name).map(text::decode);
    java(text("JAVA_HOME").as_deref(), text("PATH").as_deref(), "JAVA_HOME", process)
}

fn java(java_home: Option<&str>, path: Option<&str>, from: &str, process: &Process) -> Option<Java> {
    let from = if java_home.is_some_and(|home| !home.is_empty()) { from } else { "PATH" };
    java::home(java_home, path, process).map(|home| at(&home, from, process))
}

/// The Java in a home that somebody chose.
pub(super) fn at(home: &Path, from: &str, process: &Process) -> Java {
    let dir = process.absolute(home);
    let is_there = dir.join("bin/java").is_file();
    let running = || is_there.then(|| java::major_from_running(&dir)).flatten();
    let major = java::major_from_release(&dir).or_else(running);
    Java { home: home.to_owned(), from: from.to_owned(), is_there, major }
}

fn elsewhere(environment: &Environment, process: &Process) -> Vec<(Role, Java)> {
    let in_application_master = environment.deployment.cluster && environment.deployment.manager == Manager::Yarn;
    let keys = [
        (Role::Executor, "spark.executorEnv.JAVA_HOME", true),
        (Role::Driver, "spark.yarn.appMasterEnv.JAVA_HOME", in_application_master),
    ];
    let named = keys.into_iter().filter(|(_, _, counts)| *counts).filter_map(|(role, key, _)| {
        let value = environment.conf().get(key)?;
        Some((role, at(Path::new(&value.text), &value.place(key), process)))
    });
    named.collect()
}

fn unread_defaults(environment: &Environment) -> Option<PathBuf> {
    environment.line.last("--properties-file")?;
    let defaults = environment.conf_dir.as_ref()?.join("spark-defaults.conf");
    let is_read = environment.layers.iter().any(|layer| layer.file == defaults);
    (!is_read && defaults.is_file()).then_some(defaults)
}

fn masters(environment: &Environment) -> Vec<Master> {
    let deployment = &environment.deployment;
    let hosts: Vec<(String, u16)> = match deployment.manager {
        Manager::Standalone => deployment.standalone_hosts().map(|host| (host.to_owned(), 7077)).collect(),
        Manager::Kubernetes => {
            let url = deployment.master.as_ref().map_or("", |master| master.text.trim_start_matches("k8s://"));
            // Spark takes https where nothing else is written.
            let url = if url.contains("://") { url.to_owned() } else { format!("https://{url}") };
            let url = Url::parse(&url).ok();
            let host = url.as_ref().and_then(Url::host_str).map(str::to_owned);
            host.map(|host| (host, url.and_then(|url| url.port_or_known_default()).unwrap_or(443)))
                .into_iter()
                .collect()
        }
        _ => Vec::new(),
    };
    hosts.into_iter().map(|(host, port)| master(host, port)).collect()
}

fn master(host: String, port: u16) -> Master {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let found: Vec<SocketAddr> = (bare, port).to_socket_addrs().into_iter().flatten().collect();
    let towards = found.iter().find_map(source_address);
    let mut addresses: Vec<IpAddr> = found.iter().map(|address| address.ip().to_canonical()).collect();
    addresses.dedup();
    Master { host, addresses, towards }
}

/// The address from which this machine would send there: a datagram socket that is connected, and sends nothing.
fn source_address(target: &SocketAddr) -> Option<IpAddr> {
    let any: IpAddr = if target.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let socket = UdpSocket::bind((any, 0)).ok()?;
    socket.connect(target).ok()?;
    Some(socket.local_addr().ok()?.ip().to_canonical())
}

fn addresses(host: &str) -> Vec<(IpAddr, bool)> {
    let found = (host, 0).to_socket_addrs().into_iter().flatten().map(|address| address.ip());
    let mut found: Vec<(IpAddr, bool)> = found.map(|ip| (ip.to_canonical(), ports::is_local(ip))).collect();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn towards_loopback_this_machine_is_loopback() {
        let here = master("127.0.0.1".to_owned(), 7077);
        let loopback: IpAddr = Ipv4Addr::LOCALHOST.into();
        assert_eq!(here, Master { host: "127.0.0.1".to_owned(), addresses: vec![loopback], towards: Some(loopback) });
        let nowhere = Master { host: "no-such-host.invalid".to_owned(), addresses: vec![], towards: None };
        assert_eq!(master("no-such-host.invalid".to_owned(), 7077), nowhere);
        assert_eq!(addresses("127.0.0.1"), [(loopback, true)]);
        assert_eq!(addresses("203.0.113.9"), [("203.0.113.9".parse().unwrap(), false)]);
    }
}
