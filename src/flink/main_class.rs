//! The main classes of Flink's JVMs: by them a JVM is told from others.

/// `flink`, whatever its action; with `-t local` JobManager and TaskManager are inside it.
pub const CLIENT: &str = "org.apache.flink.client.cli.CliFrontend";
/// `sql-client.sh`
pub const SQL_CLIENT: &str = "org.apache.flink.table.client.SqlClient";
/// `yarn-session.sh`
pub const YARN_SESSION_CLIENT: &str = "org.apache.flink.yarn.cli.FlinkYarnSessionCli";
/// `kubernetes-session.sh`
pub const KUBERNETES_SESSION_CLIENT: &str = "org.apache.flink.kubernetes.cli.KubernetesSessionCli";
/// What PyFlink starts beside a Python program.
pub const PYTHON_GATEWAY: &str = "org.apache.flink.client.python.PythonGatewayServer";

/// `jobmanager.sh`
pub const STANDALONE_SESSION: &str = "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint";
/// `standalone-job.sh`; the user's `main` runs in it.
pub const STANDALONE_APPLICATION: &str = "org.apache.flink.container.entrypoint.StandaloneApplicationClusterEntryPoint";
/// The JobManager of a session on YARN.
pub const YARN_SESSION: &str = "org.apache.flink.yarn.entrypoint.YarnSessionClusterEntrypoint";
/// The JobManager of one application on YARN.
pub const YARN_APPLICATION: &str = "org.apache.flink.yarn.entrypoint.YarnApplicationClusterEntryPoint";
/// The JobManager of one job on YARN (1.x).
pub const YARN_JOB: &str = "org.apache.flink.yarn.entrypoint.YarnJobClusterEntrypoint";
/// The JobManager of a session on Kubernetes.
pub const KUBERNETES_SESSION: &str = "org.apache.flink.kubernetes.entrypoint.KubernetesSessionClusterEntrypoint";
/// The JobManager of one application on Kubernetes.
pub const KUBERNETES_APPLICATION: &str =
    "org.apache.flink.kubernetes.entrypoint.KubernetesApplicationClusterEntrypoint";

/// `taskmanager.sh`
pub const STANDALONE_TASKMANAGER: &str = "org.apache.flink.runtime.taskexecutor.TaskManagerRunner";
/// A TaskManager on YARN.
pub const YARN_TASKMANAGER: &str = "org.apache.flink.yarn.YarnTaskExecutorRunner";
/// A TaskManager on Kubernetes.
pub const KUBERNETES_TASKMANAGER: &str = "org.apache.flink.kubernetes.taskmanager.KubernetesTaskExecutorRunner";

/// `historyserver.sh`
pub const HISTORY_SERVER: &str = "org.apache.flink.runtime.webmonitor.history.HistoryServer";
/// `sql-gateway.sh`
pub const SQL_GATEWAY: &str = "org.apache.flink.table.gateway.SqlGateway";
