//! What a launch needs to know of this machine, whatever it starts.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::Process;
use super::ports::Finding;
use crate::endpoint::Role;

/// The facts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Machine {
    /// Major version of the Java that will run the JVM started here, where a file tells.
    pub java: Option<u32>,
    /// What was found where debugger and JVM meet on this machine; empty until somebody looked.
    pub ports: BTreeMap<Role, Finding>,
    /// Where helper files go, if the environment names a directory of the user's.
    pub cache_dir: Option<PathBuf>,
    /// The name of this machine, for tunnels.
    pub hostname: String,
    /// Whether `CI` is set.
    pub ci: bool,
}

impl Machine {
    /// What is known before Java and ports are looked at.
    pub fn read(process: &Process) -> Machine {
        let absolute = |name| process.var(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let cache = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")));
        Machine {
            cache_dir: cache.map(|dir| dir.join("sparkdbg")),
            hostname: hostname(),
            ci: process.var("CI").is_some_and(|value| !value.is_empty()),
            ..Machine::default()
        }
    }

    /// What was found where debugger and JVM of a role meet.
    pub fn port(&self, role: Role) -> &Finding {
        self.ports.get(&role).unwrap_or(&Finding::Unknown)
    }
}

/// The name of this machine, as `uname -n` tells it.
pub fn hostname() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}
