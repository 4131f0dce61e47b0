//! What `env` takes.

use clap::{Args, ValueEnum};

use super::DebugOptions;

/// What `env` takes.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "For programs that start Spark or Flink themselves, where no command can be put in front. The values are those \
                  of the launch (sparkdbg python, submit, flink), merged with what is set already.\n\n\
                  pyspark: PYSPARK_SUBMIT_ARGS, for any Python that imports pyspark. spark-submit: SPARK_SUBMIT_OPTS, for \
                  a spark-submit in client mode. flink: JVM_ARGS, for the client. jvm: the option itself, for a JVM that \
                  holds Spark or Flink without any script, as in a test of sbt's or Gradle's.\n\n\
                  A failure prints the word `false`, so that what evaluates it fails too; not in JSON, nor for jvm.\n\n\
                  Examples:\n  \
                  eval \"$(sparkdbg env --for pyspark)\" && pytest tests/test_job.py\n  \
                  sparkdbg env --for spark-submit --driver=attach:5010 --format fish | source\n  \
                  sparkdbg env --for flink --format json > variables.json\n  \
                  sbt \"set Test / fork := true\" \\\n    \
                  \"set Test / javaOptions += \\\"$(sparkdbg env --for jvm)\\\"\" test"
)]
pub struct Env {
    /// Who starts Spark or Flink
    #[arg(long = "for", value_name = "PROGRAM")]
    pub program: Option<EnvFor>,
    /// How the variables are written (default: sh; of jvm the bare option)
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<EnvFormat>,
    /// Which JVMs, and where.
    #[command(flatten)]
    pub debug: DebugOptions,
}

/// Who starts Spark or Flink.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EnvFor {
    /// A Python that imports pyspark
    Pyspark,
    /// A program that calls spark-submit
    SparkSubmit,
    /// A program that calls flink
    Flink,
    /// A JVM with Spark or Flink in it
    Jvm,
}

/// How variables are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EnvFormat {
    /// For any POSIX shell
    Sh,
    /// For fish
    Fish,
    /// A map from name to value, or to null; for a JVM, of its option
    Json,
}
