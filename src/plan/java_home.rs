//! A `JAVA_HOME` that is the real one but for `bin/java`, a script that gives executors the agent.
//!
//! A Worker starts executors with the `java` of its own `JAVA_HOME` and knows no option that reaches
//! only them: what it is told of Java options comes from the application.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::helper_files::{self, Content, HelperFile};
use crate::endpoint::Endpoint;
use crate::environment::java::{JavaHome, REAL};
use crate::jvm::jdwp::Agent;

/// `bin/java`; its head names the variables that it takes.
const SCRIPT: &str = include_str!("java_home/java.sh");

/// The directory that takes the place of a real one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shim {
    /// What `JAVA_HOME` becomes.
    pub home: PathBuf,
    /// The script, and a link for everything else that the real one has.
    pub files: Vec<HelperFile>,
}

/// The directory for a real one. Its name is made from all that it holds, so that one for another
/// Java, or for the same one after an update, is another.
pub fn shim(cache_dir: &Path, real: &JavaHome) -> Shim {
    let head = [OsStr::new(SCRIPT), real.path.as_os_str()];
    let entries = real.entries.iter().map(OsString::as_os_str);
    let bin = real.bin.iter().map(OsString::as_os_str);
    // No name is empty, so that the empty one tells the two lists apart.
    let parts = head.into_iter().chain(entries).chain([OsStr::new("")]).chain(bin);
    let home = cache_dir.join(helper_files::name_of(parts.map(OsStr::as_bytes)));
    let link = |path: PathBuf, target: PathBuf| HelperFile { path, content: Content::Link(target) };
    let bin = home.join("bin");
    let mut files = vec![
        HelperFile { path: bin.join("java"), content: Content::Script(SCRIPT) },
        link(home.join(REAL), real.path.clone()),
    ];
    let entries = real.entries.iter().filter(|name| *name != "bin");
    files.extend(entries.map(|name| link(home.join(name), real.path.join(name))));
    let programs = real.bin.iter().filter(|name| *name != "java");
    files.extend(programs.map(|name| link(bin.join(name), real.path.join("bin").join(name))));
    Shim { home, files }
}

/// What the script is told by variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameters<'a> {
    /// What an executor gets.
    pub agent: &'a Agent,
    /// Whether an agent that the application brings gives way to ours; else it is kept.
    pub replace: bool,
    /// The application whose executors are meant; `None`: every one.
    pub app: Option<&'a str>,
    /// At most one live executor that holds this file gets the agent: see [`lock`].
    pub lock: Option<&'a Path>,
    /// The addresses of this machine on which a debugger listens: if nobody does when an executor
    /// starts, it gets no agent. Empty: it gets the agent whoever listens.
    pub debugger: &'a [SocketAddr],
}

impl Parameters<'_> {
    /// The variables, `JAVA_HOME` not among them.
    pub fn variables(&self, real: &JavaHome) -> BTreeMap<&'static str, OsString> {
        let mut variables = BTreeMap::from([
            ("SPARKDBG_JAVA", real.path.join("bin/java").into_os_string()),
            ("SPARKDBG_AGENT", self.agent.to_string().into()),
            ("SPARKDBG_EXISTING", if self.replace { "replace" } else { "keep" }.into()),
        ]);
        variables.extend(self.app.map(|app| ("SPARKDBG_APP", app.into())));
        variables.extend(self.lock.map(|lock| ("SPARKDBG_LOCK", lock.into())));
        if !self.debugger.is_empty() {
            variables.insert("SPARKDBG_LISTENER", socket_table_entries(self.debugger).into());
        }
        variables
    }
}

/// The lock of all executors on a machine that would dial the same debugger, whichever Worker starts
/// them: a debugger takes one of them. A home directory may be shared by machines, so it names one.
pub fn lock(cache_dir: &Path, hostname: &str, debugger: &Endpoint) -> PathBuf {
    cache_dir.join(format!("{hostname}-dials-{}-{}.lock", debugger.host.as_str(), debugger.port))
}

/// The local addresses of sockets that take a connection to one of these, as `/proc/net/tcp` and
/// `tcp6` write them: 32-bit words of the machine, in hexadecimal.
fn socket_table_entries(addresses: &[SocketAddr]) -> String {
    let mut entries: Vec<String> = Vec::new();
    for address in addresses {
        let ip = address.ip().to_canonical();
        let mut bound = vec![ip, Ipv6Addr::UNSPECIFIED.into()];
        if let IpAddr::V4(ip) = ip {
            let mapped = [ip, Ipv4Addr::UNSPECIFIED].map(|ip| IpAddr::from(ip.to_ipv6_mapped()));
            bound.push(Ipv4Addr::UNSPECIFIED.into());
            bound.extend(mapped);
        }
        for ip in bound {
            let octets = match ip {
                IpAddr::V4(ip) => ip.octets().to_vec(),
                IpAddr::V6(ip) => ip.octets().to_vec(),
            };
            let words = octets.chunks_exact(4).map(|word| u32::from_ne_bytes([word[0], word[1], word[2], word[3]]));
            let entry: String = words.map(|word| format!("{word:08X}")).collect();
            let entry = format!("{entry}:{:04X}", address.port());
            if !entries.contains(&entry) {
                entries.push(entry);
            }
        }
    }
    entries.join(" ")
}

#[cfg(test)]
mod tests;
