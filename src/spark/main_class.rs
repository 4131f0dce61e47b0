//! The main classes of Spark's JVMs: by them a JVM is started, and told from others.

/// Builds the command line of every other JVM that a script starts.
pub const LAUNCHER: &str = "org.apache.spark.launcher.Main";
/// `spark-submit`; in client mode it becomes the driver.
pub const SUBMIT: &str = "org.apache.spark.deploy.SparkSubmit";
/// A driver in standalone cluster mode.
pub const STANDALONE_DRIVER: &str = "org.apache.spark.deploy.worker.DriverWrapper";
/// A driver in YARN's cluster mode.
pub const YARN_DRIVER: &str = "org.apache.spark.deploy.yarn.ApplicationMaster";
/// What asks YARN for executors in client mode.
pub const YARN_ALLOCATOR: &str = "org.apache.spark.deploy.yarn.ExecutorLauncher";

/// An executor of a standalone Worker; of `local-cluster[…]`, and of older versions everywhere.
pub const STANDALONE_EXECUTOR: &str = "org.apache.spark.executor.CoarseGrainedExecutorBackend";
/// An executor on YARN (3.0+).
pub const YARN_EXECUTOR: &str = "org.apache.spark.executor.YarnCoarseGrainedExecutorBackend";
/// An executor on Kubernetes; older versions have [`STANDALONE_EXECUTOR`] there.
pub const KUBERNETES_EXECUTOR: &str = "org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend";

/// The standalone Master.
pub const MASTER: &str = "org.apache.spark.deploy.master.Master";
/// A standalone Worker.
pub const WORKER: &str = "org.apache.spark.deploy.worker.Worker";
/// The history server.
pub const HISTORY_SERVER: &str = "org.apache.spark.deploy.history.HistoryServer";
/// The external shuffle service.
pub const SHUFFLE_SERVICE: &str = "org.apache.spark.deploy.ExternalShuffleService";
/// `beeline`
pub const BEELINE: &str = "org.apache.hive.beeline.BeeLine";
/// `spark-pipelines` (4.1+)
pub const PIPELINES: &str = "org.apache.spark.deploy.SparkPipelines";

/// `spark-shell`; as the classes below, what `spark-submit` is told to run.
pub const SHELL: &str = "org.apache.spark.repl.Main";
/// `spark-sql`
pub const SQL: &str = "org.apache.spark.sql.hive.thriftserver.SparkSQLCLIDriver";
/// The Thrift server.
pub const THRIFT_SERVER: &str = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2";
/// The Connect server (3.4+).
pub const CONNECT_SERVER: &str = "org.apache.spark.sql.connect.service.SparkConnectServer";
/// The Connect shell (4.0+).
pub const CONNECT_REPL: &str = "org.apache.spark.sql.application.ConnectRepl";
