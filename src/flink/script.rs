//! The scripts of a Flink distribution, and which JVMs each of them can start.

use crate::endpoint::Role;

/// A script in `bin` of a Flink distribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Script {
    /// `flink`: runs jobs and asks after them
    Flink,
    /// `sql-client.sh`
    SqlClient,
    /// `jobmanager.sh`: a JobManager of a session
    JobManager,
    /// `standalone-job.sh`: a JobManager with one application in it
    StandaloneJob,
    /// `taskmanager.sh`
    TaskManager,
    /// `start-cluster.sh`: JobManagers and TaskManagers as the configuration lists them
    StartCluster,
    /// `historyserver.sh`
    HistoryServer,
    /// `sql-gateway.sh`
    SqlGateway,
    /// `yarn-session.sh`
    YarnSession,
    /// `kubernetes-session.sh`
    KubernetesSession,
}

/// What `flink` can be asked to do; one of them as first word means that script.
pub const ACTIONS: [&str; 8] = ["run", "run-application", "list", "info", "cancel", "stop", "savepoint", "checkpoint"];

impl Script {
    /// Every script that starts a JVM which can be debugged.
    pub const ALL: [Script; 10] = [
        Script::Flink,
        Script::SqlClient,
        Script::JobManager,
        Script::StandaloneJob,
        Script::TaskManager,
        Script::StartCluster,
        Script::HistoryServer,
        Script::SqlGateway,
        Script::YarnSession,
        Script::KubernetesSession,
    ];

    /// Its name in `bin`.
    pub fn file_name(self) -> &'static str {
        match self {
            Script::Flink => "flink",
            Script::SqlClient => "sql-client.sh",
            Script::JobManager => "jobmanager.sh",
            Script::StandaloneJob => "standalone-job.sh",
            Script::TaskManager => "taskmanager.sh",
            Script::StartCluster => "start-cluster.sh",
            Script::HistoryServer => "historyserver.sh",
            Script::SqlGateway => "sql-gateway.sh",
            Script::YarnSession => "yarn-session.sh",
            Script::KubernetesSession => "kubernetes-session.sh",
        }
    }

    /// The name without its ending, as users say it.
    pub fn name(self) -> &'static str {
        self.file_name().trim_end_matches(".sh")
    }

    /// The script of that name, with or without `.sh`.
    pub fn named(word: &str) -> Option<Script> {
        let name = word.strip_suffix(".sh").unwrap_or(word);
        Script::ALL.into_iter().find(|script| script.name() == name)
    }

    /// Whether it starts and stops JVMs that stay: `start`, `start-foreground`, `stop`, `stop-all`.
    pub fn is_daemon(self) -> bool {
        matches!(
            self,
            Script::JobManager
                | Script::StandaloneJob
                | Script::TaskManager
                | Script::HistoryServer
                | Script::SqlGateway
        )
    }

    /// The JVMs that it may start, be it here or, where it deploys to a cluster manager, there.
    pub fn roles(self) -> &'static [Role] {
        match self {
            Script::Flink | Script::SqlClient | Script::YarnSession | Script::KubernetesSession => {
                &[Role::Client, Role::JobManager, Role::TaskManager]
            }
            Script::StartCluster => &[Role::JobManager, Role::TaskManager],
            Script::JobManager | Script::StandaloneJob => &[Role::JobManager],
            Script::TaskManager => &[Role::TaskManager],
            Script::HistoryServer | Script::SqlGateway => &[Role::Daemon],
        }
    }

    /// Those that are debugged unless told otherwise.
    pub fn default_roles(self) -> &'static [Role] {
        match self {
            Script::Flink | Script::SqlClient => &[Role::Client],
            Script::YarnSession | Script::KubernetesSession => &[Role::JobManager],
            _ => self.roles(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_go_by_both_names() {
        for script in Script::ALL {
            assert_eq!(Script::named(script.file_name()), Some(script));
            assert_eq!(Script::named(script.name()), Some(script));
            assert!(script.default_roles().iter().all(|role| script.roles().contains(role)));
        }
        assert_eq!(Script::named("flink.sh"), Some(Script::Flink));
        assert_eq!(Script::named("start-cluster.sh.sh"), None);
        assert_eq!(Script::named("stop-cluster.sh"), None);
    }
}
