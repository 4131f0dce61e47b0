//! What `export` takes.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::DebugOptions;

/// What `export` takes.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "The document goes to standard output; how to apply it, and how to reach the JVMs, to standard error.\n\n\
                        Examples:\n  \
                        sparkdbg export --format emr --executor > sparkdbg.json\n  \
                        sparkdbg export --format emr --release emr-7.1.0 --executor\n  \
                        sparkdbg export --format emr --current config.json --instance-group ig-1ABC\n  \
                        sparkdbg export --format emr --off --current sparkdbg.json\n  \
                        sparkdbg export --format emr-serverless --listen 10.0.0.171:5005\n  \
                        sparkdbg export --format dataproc --jobmanager --taskmanager\n  \
                        sparkdbg export --format properties > debug.properties\n\n\
                        A port that nobody named is 0 where JVMs share hosts: each picks one, which its stdout names. What \
                        holds for a whole cluster (emr, dataproc, databricks) suspends no JVM unless --suspend says so."
)]
pub struct Export {
    /// For whom
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<ExportFormat>,
    /// Take our settings out of those in `--current`, with the same options as they were made with
    #[arg(long)]
    pub off: bool,
    /// Merge with the configuration in force, JSON as the service has it (emr*, livy, databricks)
    #[arg(long, value_name = "FILE")]
    pub current: Option<PathBuf>,
    /// The release of EMR, which decides about EMR's own JVM flags: emr-7.1.0
    #[arg(long, value_name = "LABEL")]
    pub release: Option<String>,
    /// For a running EMR cluster: the JSON of modify-instance-groups, for this group; may be repeated
    #[arg(long, value_name = "ID")]
    pub instance_group: Vec<String>,
    /// Which JVMs, and where.
    #[command(flatten)]
    pub debug: DebugOptions,
}

/// Who takes the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// Amazon EMR: configurations of a cluster, or of its instance groups
    Emr,
    /// Amazon EMR on EKS: configuration overrides of a job
    EmrEks,
    /// Amazon EMR Serverless: configuration overrides of a job
    EmrServerless,
    /// Dataproc: the value of --properties
    Dataproc,
    /// Livy: the body of POST /batches
    Livy,
    /// Databricks: spark_conf of a cluster
    Databricks,
    /// A file for spark-submit --properties-file
    Properties,
    /// Words for spark-submit, or for Flink's scripts
    Args,
    /// YAML values: sparkConf, or flinkConfiguration
    Helm,
}
