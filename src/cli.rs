//! The command line, syntax only. Imports nothing of ours, so that completions and the man page can
//! be made from it alone; values stay words until `options` gives them a meaning.

// Its doc comments are help texts, in which brackets mean "optional".
#![allow(rustdoc::broken_intra_doc_links)]

mod doctor;
mod env;
mod examples;
mod export;
mod ide;
mod manual;
mod profiles;
mod ps;
mod shim;

pub use doctor::{Doctor, LAUNCHING};
pub use env::{Env, EnvFor, EnvFormat};
pub use export::{Export, ExportFormat};
pub use ide::{Ide, IdeName};
pub use manual::{Completions, Man, ShellName};
pub use profiles::{Init, Profiles};
pub use ps::Ps;
pub use shim::{Shim, ShimAction};

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, Args, CommandFactory, Parser, Subcommand, ValueEnum, ValueHint};

/// Step through a Spark or Flink job where it really runs.
#[derive(Debug, Parser)]
#[command(
    name = "sparkdbg",
    version,
    subcommand_required = true,
    arg_required_else_help = true,
    // A narrower terminal has its own width.
    max_term_width = 100,
    after_help = "The first word that is no option of sparkdbg starts ARGS, and so does the first `--`. \
                  ARGS reach the real script as they are.\n\n\
                  Examples:\n  \
                  sparkdbg submit --driver -- --class org.example.App --master yarn app.jar\n  \
                  sparkdbg submit --listen 5005 -- app.py\n  \
                  sparkdbg submit --executor --listen 10.0.0.171:5005 -- --master yarn app.jar\n  \
                  sparkdbg worker --listen 10.0.0.171:5005 -- spark://10.0.0.1:7077\n  \
                  sparkdbg shell --attach 5010 --no-suspend\n  \
                  sparkdbg submit --driver --dry-run -- --class org.example.App app.jar\n\n\
                  SPARKDBG=off in the environment runs the real script untouched."
)]
pub struct Cli {
    /// Options that every command takes.
    #[command(flatten)]
    pub global: Global,
    /// What to run.
    #[command(subcommand)]
    pub command: Command,
}

/// The definition with the usage line as it is: clap would show `--` as required. The help of a command
/// shows the roles that it has, and the options that mean something there; the others parse, to be refused with their
/// reason.
pub fn definition() -> clap::Command {
    let root = Cli::command();
    let global: Vec<Arg> = root.get_arguments().filter(|arg| arg.is_global_set()).cloned().collect();
    root.mut_subcommands(|command| {
        let name = command.get_name().to_owned();
        let command = shown(&name).iter().fold(command, |command, id| command.mut_arg(id, |arg| arg.hide(false)));
        let meaningless = meaningless(&name);
        let hidden = global.iter().filter(|arg| meaningless.contains(&arg.get_id().as_str()));
        let command = command.args(hidden.map(|arg| arg.clone().hide(true)));
        if !command.get_arguments().any(|arg| arg.get_id() == "args") {
            // It starts nothing.
            let waits = command.get_arguments().any(|arg| arg.get_id() == "wait_for_debugger");
            return if waits { command.mut_arg("wait_for_debugger", |arg| arg.hide(true)) } else { command };
        }
        let command = command.override_usage(format!("sparkdbg {name} [OPTIONS] [--] [ARGS]..."));
        let command = match examples::of(&name) {
            Some(lines) => command.after_help(format!("Examples:\n  {}", lines.join("\n  "))),
            None => command,
        };
        if name != "worker" {
            return command;
        }
        // Its executors belong to applications that it does not start.
        command
            .mut_arg("one_executor", |arg| arg.help("Debug one executor at a time (default with `listen`)"))
            .mut_arg("all_executors", |arg| arg.help("Debug every executor (default with `attach`)"))
    })
}

/// The global options that a command has no use for; most it refuses.
fn meaningless(command: &str) -> &'static [&'static str] {
    match command {
        "ps" => &["profile", "config", "spark_home", "flink_home", "dry_run", "show_secrets", "no_preflight"],
        "export" | "profiles" => &["spark_home", "flink_home", "dry_run", "show_secrets", "no_preflight"],
        "ide" => &["spark_home", "flink_home", "dry_run", "show_secrets", "no_preflight"],
        "doctor" => &["dry_run", "show_secrets"],
        "env" => &["dry_run", "show_secrets", "no_preflight"],
        "init" => &["show_secrets", "no_preflight"],
        "shim" => {
            &["profile", "config", "spark_home", "flink_home", "dry_run", "show_secrets", "no_preflight", "verbose"]
        }
        "completions" | "man" => &[
            "profile",
            "config",
            "spark_home",
            "flink_home",
            "quiet",
            "verbose",
            "dry_run",
            "show_secrets",
            "no_preflight",
        ],
        _ => &[],
    }
}

/// The options of roles that a command has, of those that are hidden.
fn shown(command: &str) -> &'static [&'static str] {
    match command {
        "worker" => &["executor", "daemon", "pause_limit", "one_executor", "all_executors"],
        "master" | "history-server" | "pipelines" | "beeline" => &["daemon", "pause_limit"],
        "flink" => &["client", "jobmanager", "taskmanager", "daemon", "pause_limit"],
        "class" => &["driver", "executor", "daemon", "pause_limit", "one_executor", "all_executors"],
        "doctor" | "init" => &OF_EVERY_COMMAND,
        "export" => &[
            "driver",
            "executor",
            "client",
            "jobmanager",
            "taskmanager",
            "pause_limit",
            "one_executor",
            "all_executors",
        ],
        "env" => &["driver", "executor", "client", "pause_limit", "one_executor", "all_executors"],
        "ide" => &["driver", "executor", "daemon", "client", "jobmanager", "taskmanager"],
        _ if LAUNCHING.contains(&command) => &["driver", "executor", "pause_limit", "one_executor", "all_executors"],
        _ => &[],
    }
}

/// The options of roles that some command has.
const OF_EVERY_COMMAND: [&str; 9] = [
    "driver",
    "executor",
    "daemon",
    "client",
    "jobmanager",
    "taskmanager",
    "pause_limit",
    "one_executor",
    "all_executors",
];

/// Options that stand before or after the command.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// Use this profile (default: SPARKDBG_PROFILE, then `default-profile`)
    #[arg(short, long, global = true, value_name = "NAME")]
    pub profile: Option<String>,
    /// Read profiles from this file alone
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The Spark distribution (default: profile, SPARK_HOME, PATH, a pip-installed pyspark)
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub spark_home: Option<PathBuf>,
    /// The Flink distribution (default: profile, FLINK_HOME, PATH, a pip-installed apache-flink)
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub flink_home: Option<PathBuf>,
    /// No hints
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Show every rewrite: before, after, where from and why
    #[arg(short, long, global = true)]
    pub verbose: bool,
    /// Print what would be started and start nothing: a shell command, or `json`
    #[arg(long, global = true, value_name = "FORMAT", num_args = 0..=1, require_equals = true, default_missing_value = "text")]
    pub dry_run: Option<DryRunFormat>,
    /// Print secrets in a dry run instead of a placeholder
    #[arg(long, global = true)]
    pub show_secrets: bool,
    /// Findings about ports and listeners are warnings, not errors
    #[arg(long, global = true)]
    pub no_preflight: bool,
}

/// How a dry run prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DryRunFormat {
    /// One shell command that starts exactly the same.
    Text,
    /// One JSON object.
    Json,
}

/// The commands, in the order of `--help`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Those that start a script of Spark's or Flink's.
    #[command(flatten)]
    Start(Box<Start>),
    /// Where the JVMs of a running application wait for a debugger, and the next step to each
    Ps(Ps),
    /// The same settings for a service: EMR, Dataproc, Livy, Databricks, Kubernetes operators, files
    Export(Box<Export>),
    /// Run configurations for an IDE: where it attaches, or listens
    Ide(Box<Ide>),
    /// What would make a command fail or mislead, checked without starting it
    Doctor(Box<Doctor>),
    /// The variables of a launch, for programs that start Spark or Flink themselves: pytest, Airflow, notebooks
    Env(Box<Env>),
    /// Links named like the scripts, for tools that cannot be changed: they debug where SPARKDBG_PROFILE is set
    Shim(Shim),
    /// Write a commented sparkdbg.toml
    Init(Box<Init>),
    /// The profiles, where each comes from, and where its JVMs meet their debuggers
    Profiles(Profiles),
    /// Completions for a shell
    Completions(Completions),
    /// Manual pages
    Man(Man),
}

/// The commands that start a script of Spark's or Flink's.
#[derive(Debug, Subcommand)]
pub enum Start {
    /// spark-submit: run an application
    Submit(Launch),
    /// spark-shell: the Scala shell
    Shell(Launch),
    /// spark-sql: the SQL shell
    Sql(Launch),
    /// pyspark: the Python shell
    Pyspark(Launch),
    /// sparkR: the R shell
    R(Launch),
    /// run-example: an example of the distribution
    Example(Launch),
    /// spark-connect-shell: the Scala shell with a Connect server
    ConnectShell(Launch),
    /// Plain python that starts its own Spark JVM
    Python(Launch),
    /// The Spark Connect server, in the foreground
    ConnectServer(Launch),
    /// The Thrift JDBC/ODBC server, in the foreground
    ThriftServer(Launch),
    /// A standalone worker, in the foreground: debug the executors that it starts
    Worker(Worker),
    /// The standalone master, in the foreground
    Master(Launch),
    /// The history server, in the foreground
    HistoryServer(Launch),
    /// spark-pipelines
    Pipelines(Launch),
    /// beeline
    Beeline(Launch),
    /// spark-class: any class of Spark's
    Class(Launch),
    /// A script of a Flink distribution: flink run, jobmanager, taskmanager, start-cluster, …
    Flink(Launch),
}

/// Commands that are fixed but not built: they take any words and say `not in this version`.
pub const UNBUILT: [&str; 1] = ["hub"];

/// `worker`: what every launching command takes, and whose executors are meant.
#[derive(Debug, Clone, Default, Args)]
pub struct Worker {
    /// Only executors of this application (default: of every application on this worker)
    #[arg(long, value_name = "ID", help_heading = ROLES)]
    pub app: Option<String>,
    /// The rest.
    #[command(flatten)]
    pub launch: Launch,
}

/// Which JVMs are debugged, and where each meets its debugger.
#[derive(Debug, Clone, Default, Args)]
pub struct Launch {
    /// Which JVMs, and where.
    #[command(flatten)]
    pub debug: DebugOptions,
    /// Reach the real script as they are
    #[arg(value_name = "ARGS", last = true)]
    pub args: Vec<OsString>,
}

/// Which JVMs are debugged, where each meets its debugger, and how long it may stand still.
#[derive(Debug, Clone, Default, Args)]
pub struct DebugOptions {
    /// Where debuggers and JVMs meet.
    #[command(flatten)]
    pub endpoints: Endpoints,
    /// Only these addresses may attach (Java 10 or newer); may be repeated
    #[arg(long, value_name = "IP[/BITS]", help_heading = ROLES)]
    pub allow: Vec<String>,
    /// A debug agent is already configured: replace (default), keep or fail
    #[arg(long, value_name = "replace|keep|fail", help_heading = ROLES)]
    pub existing: Option<String>,
    /// Listen mode: wait this long until a debugger listens (10s, 5m)
    #[arg(long, value_name = "DURATION", help_heading = ROLES)]
    pub wait_for_debugger: Option<String>,
    /// How long a JVM may stand on a breakpoint before the cluster gives it up (default: 2h)
    #[arg(long, value_name = "DURATION|off", help_heading = ROLES, hide = true)]
    pub pause_limit: Option<String>,
    /// Hold the application to one executor (default with `listen`)
    #[arg(long, conflicts_with = "all_executors", help_heading = ROLES, hide = true)]
    pub one_executor: bool,
    /// Leave the number of executors alone (default with `attach`)
    #[arg(long, help_heading = ROLES, hide = true)]
    pub all_executors: bool,
}

/// Which JVMs are debugged, and where each meets its debugger.
#[derive(Debug, Clone, Default, Args)]
pub struct Endpoints {
    /// Debug the driver, there: attach[:[HOST:]PORT] or listen:[HOST:]PORT, then `,suspend` or `,nosuspend`
    #[arg(long, value_name = "ENDPOINT", num_args = 0..=1, require_equals = true, help_heading = ROLES, hide = true)]
    pub driver: Option<Option<String>>,
    /// Debug the executors (attach: each on a port of its own)
    #[arg(long, value_name = "ENDPOINT", num_args = 0..=1, require_equals = true, help_heading = ROLES, hide = true)]
    pub executor: Option<Option<String>>,
    /// Debug the JVM of the command itself
    #[arg(long, value_name = "ENDPOINT", num_args = 0..=1, require_equals = true, help_heading = ROLES, hide = true)]
    pub daemon: Option<Option<String>>,
    /// Debug the client, which runs the main method unless the job is deployed as an application
    #[arg(long, value_name = "ENDPOINT", num_args = 0..=1, require_equals = true, help_heading = ROLES, hide = true)]
    pub client: Option<Option<String>>,
    /// Debug the JobManager
    #[arg(long, value_name = "ENDPOINT", num_args = 0..=1, require_equals = true, help_heading = ROLES, hide = true)]
    pub jobmanager: Option<Option<String>>,
    /// Debug the TaskManagers (attach: each on a port of its own, from 5006 upwards)
    #[arg(long, value_name = "ENDPOINT", num_args = 0..=1, require_equals = true, help_heading = ROLES, hide = true)]
    pub taskmanager: Option<Option<String>>,
    /// The JVM listens there, the debugger attaches to it
    #[arg(long, value_name = "[HOST:]PORT", conflicts_with = "listen", help_heading = ROLES)]
    pub attach: Option<String>,
    /// The debugger listens there, the JVM dials out to it
    #[arg(long, value_name = "[HOST:]PORT", help_heading = ROLES)]
    pub listen: Option<String>,
    /// The JVM waits for the debugger before main
    #[arg(long, conflicts_with = "no_suspend", help_heading = ROLES)]
    pub suspend: bool,
    /// The JVM starts without waiting
    #[arg(long, help_heading = ROLES)]
    pub no_suspend: bool,
}

const ROLES: &str = "Debug options";
