//! What `doctor` takes.

use clap::Args;

use super::Launch;

/// What `doctor` takes.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "One line for each finding: ok, warn or fail, then why, and the cure. The exit status is 1 if something \
                  would fail. Nothing is started but, where they decide something, bash for spark-env.sh and `java \
                  -version`; no debugger is dialled.\n\n\
                  Examples:\n  \
                  sparkdbg doctor\n  \
                  sparkdbg doctor --driver -- --class org.example.App --master yarn app.jar\n  \
                  sparkdbg doctor --executor --listen 10.0.0.171:5005 -- --master yarn app.jar\n  \
                  sparkdbg doctor --check -- app.py\n  \
                  sparkdbg doctor --json --for pyspark\n  \
                  sparkdbg doctor --for flink --taskmanager -- taskmanager.sh start"
)]
pub struct Doctor {
    /// The command of sparkdbg that would start ARGS
    #[arg(long = "for", value_name = "COMMAND", default_value = "submit",
          value_parser = clap::builder::PossibleValuesParser::new(LAUNCHING))]
    pub command: String,
    /// A JSON array instead of lines
    #[arg(long)]
    pub json: bool,
    /// Also let Spark's own launcher print the real command, and look for the agent in it
    #[arg(long)]
    pub check: bool,
    /// What the command would be given.
    #[command(flatten)]
    pub launch: Launch,
}

/// The commands of [`Start`], by name.
pub const LAUNCHING: [&str; 17] = [
    "submit",
    "shell",
    "sql",
    "pyspark",
    "r",
    "example",
    "connect-shell",
    "python",
    "connect-server",
    "thrift-server",
    "worker",
    "master",
    "history-server",
    "pipelines",
    "beeline",
    "class",
    "flink",
];
