//! What a JVM is, told by its main class.

use crate::endpoint::Role;
use crate::flink::main_class as flink;
use crate::spark::main_class as spark;

/// What a main class is.
#[derive(Clone, Copy)]
pub enum Kind {
    /// Spark's driver.
    Driver,
    /// An executor.
    Executor,
    /// A service, and what it is called.
    Daemon(&'static str),
    /// Ends at once, unless an agent in a variable holds it.
    Launcher,
    /// A JVM of Flink's, and what it is called.
    Flink(Role, &'static str),
}

const MAIN_CLASSES: [(&str, Kind); 30] = [
    (spark::SUBMIT, Kind::Driver),
    (spark::STANDALONE_DRIVER, Kind::Driver),
    (spark::YARN_DRIVER, Kind::Driver),
    (spark::STANDALONE_EXECUTOR, Kind::Executor),
    (spark::YARN_EXECUTOR, Kind::Executor),
    (spark::KUBERNETES_EXECUTOR, Kind::Executor),
    (spark::YARN_ALLOCATOR, Kind::Daemon("application-master")),
    (spark::MASTER, Kind::Daemon("master")),
    (spark::WORKER, Kind::Daemon("worker")),
    (spark::HISTORY_SERVER, Kind::Daemon("history-server")),
    (spark::SHUFFLE_SERVICE, Kind::Daemon("shuffle-service")),
    (spark::BEELINE, Kind::Daemon("beeline")),
    (spark::LAUNCHER, Kind::Launcher),
    (flink::CLIENT, Kind::Flink(Role::Client, "client")),
    (flink::SQL_CLIENT, Kind::Flink(Role::Client, "sql-client")),
    (flink::YARN_SESSION_CLIENT, Kind::Flink(Role::Client, "yarn-session")),
    (flink::KUBERNETES_SESSION_CLIENT, Kind::Flink(Role::Client, "kubernetes-session")),
    (flink::PYTHON_GATEWAY, Kind::Flink(Role::Client, "python")),
    (flink::STANDALONE_SESSION, Kind::Flink(Role::JobManager, "jobmanager")),
    (flink::STANDALONE_APPLICATION, Kind::Flink(Role::JobManager, "jobmanager")),
    (flink::YARN_SESSION, Kind::Flink(Role::JobManager, "jobmanager")),
    (flink::YARN_APPLICATION, Kind::Flink(Role::JobManager, "jobmanager")),
    (flink::YARN_JOB, Kind::Flink(Role::JobManager, "jobmanager")),
    (flink::KUBERNETES_SESSION, Kind::Flink(Role::JobManager, "jobmanager")),
    (flink::KUBERNETES_APPLICATION, Kind::Flink(Role::JobManager, "jobmanager")),
    (flink::STANDALONE_TASKMANAGER, Kind::Flink(Role::TaskManager, "taskmanager")),
    (flink::YARN_TASKMANAGER, Kind::Flink(Role::TaskManager, "taskmanager")),
    (flink::KUBERNETES_TASKMANAGER, Kind::Flink(Role::TaskManager, "taskmanager")),
    (flink::HISTORY_SERVER, Kind::Flink(Role::Daemon, "history-server")),
    (flink::SQL_GATEWAY, Kind::Flink(Role::Daemon, "sql-gateway")),
];

/// The place of the main class in a command line, and what it is; `None` if it is none of ours.
pub fn main(argv: &[String]) -> Option<(usize, Kind)> {
    let kind = |word: &String| MAIN_CLASSES.iter().find(|(class, _)| class == word).map(|(_, kind)| *kind);
    argv.iter().enumerate().find_map(|(at, word)| Some((at, kind(word)?)))
}
