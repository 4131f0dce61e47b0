//! Where Flink takes the options of its JVMs from. Source: `config.sh`, `BootstrapTools`,
//! `YarnClusterDescriptor`.

use crate::endpoint::Role;
use crate::flink::script::Script;
use crate::version::Version;

/// The options of every JVM.
pub const ALL: &str = "env.java.opts.all";
/// Its name before 1.18, which is still read where [`ALL`] is empty.
pub const OLD_ALL: &str = "env.java.opts";
/// What stands before [`ALL`], since 1.19.
pub const DEFAULT_ALL: &str = "env.java.default-opts.all";
/// Takes the place of [`ALL`] and [`DEFAULT_ALL`], and of what `config.sh` adds itself.
pub const VARIABLE_ALL: &str = "FLINK_ENV_JAVA_OPTS";

/// Where the options of one kind of JVM stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Knob {
    /// The key.
    pub key: &'static str,
    /// What stands before it, since 1.19.
    pub default_key: Option<&'static str>,
    /// The variable that takes the place of both.
    pub variable: &'static str,
}

/// The knob of a JVM.
pub fn knob(role: Role, script: Script) -> Knob {
    match role {
        Role::JobManager => Knob {
            key: "env.java.opts.jobmanager",
            default_key: Some("env.java.default-opts.jobmanager"),
            variable: "FLINK_ENV_JAVA_OPTS_JM",
        },
        Role::TaskManager => Knob {
            key: "env.java.opts.taskmanager",
            default_key: Some("env.java.default-opts.taskmanager"),
            variable: "FLINK_ENV_JAVA_OPTS_TM",
        },
        Role::Daemon if script == Script::SqlGateway => {
            Knob { key: "env.java.opts.sql-gateway", default_key: None, variable: "FLINK_ENV_JAVA_OPTS_SQL_GATEWAY" }
        }
        Role::Daemon => {
            Knob { key: "env.java.opts.historyserver", default_key: None, variable: "FLINK_ENV_JAVA_OPTS_HS" }
        }
        _ => Knob { key: "env.java.opts.client", default_key: None, variable: "FLINK_ENV_JAVA_OPTS_CLI" },
    }
}

/// Variables that a container of a role is given: what its JVM reads besides its command line.
pub fn container_variables(role: Role) -> [&'static str; 2] {
    match role {
        Role::JobManager => ["containerized.master.env.JAVA_TOOL_OPTIONS", "containerized.master.env._JAVA_OPTIONS"],
        _ => ["containerized.taskmanager.env.JAVA_TOOL_OPTIONS", "containerized.taskmanager.env._JAVA_OPTIONS"],
    }
}

/// Whether the keys that stand before the others are read.
pub fn has_defaults(version: Option<&Version>) -> bool {
    version.is_none_or(|version| version.at_least(1, 19))
}

/// Whether [`ALL`] is read, so that [`OLD_ALL`] counts only where it is empty.
pub fn has_all(version: Option<&Version>) -> bool {
    version.is_none_or(|version| version.at_least(1, 18))
}

/// What `config.sh` puts into [`VARIABLE_ALL`] itself, as its text tells; `java`: the major version.
pub fn added_by(config: &str, java: Option<u32>) -> Vec<&'static str> {
    let mut added = Vec::new();
    if config.contains("FLINK_ENV_JAVA_OPTS=\"-XX:+IgnoreUnrecognizedVMOptions ") {
        added.push("-XX:+IgnoreUnrecognizedVMOptions");
    }
    if config.contains("-Djava.security.manager=allow") && java.is_some_and(|java| java > 17) {
        added.push("-Djava.security.manager=allow");
    }
    added
}
