//! The tool behind each command that starts something, and what the scripts of Spark put in front of the
//! user's words.

use crate::endpoint::Role;
use crate::flink::script::Script;
use crate::spark::main_class;

/// What a command of sparkdbg starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// `spark-submit`
    Submit,
    /// `spark-shell`
    Shell,
    /// `spark-sql`
    Sql,
    /// `pyspark`
    Pyspark,
    /// `sparkR`
    R,
    /// `run-example`
    Example,
    /// `spark-connect-shell`
    ConnectShell,
    /// plain `python`, which starts `spark-submit` itself
    Python,
    /// the Connect server
    ConnectServer,
    /// the Thrift JDBC/ODBC server
    ThriftServer,
    /// `spark-class org.apache.spark.deploy.SparkSubmit`: spark-submit by another name
    ClassSubmit,
    /// `spark-class` with any other class
    Class,
    /// the standalone Master
    Master,
    /// a standalone Worker
    Worker,
    /// the history server
    HistoryServer,
    /// `beeline`
    Beeline,
    /// `spark-pipelines`
    Pipelines,
    /// a script of Flink's
    Flink(Script),
}

impl Tool {
    /// The command of sparkdbg.
    pub fn command(self) -> &'static str {
        match self {
            Tool::Submit => "submit",
            Tool::Shell => "shell",
            Tool::Sql => "sql",
            Tool::Pyspark => "pyspark",
            Tool::R => "r",
            Tool::Example => "example",
            Tool::ConnectShell => "connect-shell",
            Tool::Python => "python",
            Tool::ConnectServer => "connect-server",
            Tool::ThriftServer => "thrift-server",
            Tool::ClassSubmit | Tool::Class => "class",
            Tool::Master => "master",
            Tool::Worker => "worker",
            Tool::HistoryServer => "history-server",
            Tool::Beeline => "beeline",
            Tool::Pipelines => "pipelines",
            Tool::Flink(_) => "flink",
        }
    }

    /// The JVMs that can be debugged.
    pub fn roles(self) -> &'static [Role] {
        match self {
            Tool::Flink(script) => script.roles(),
            Tool::Worker => &[Role::Executor, Role::Daemon],
            _ if self.ends_in_submit() => &[Role::Driver, Role::Executor],
            _ => &[Role::Daemon],
        }
    }

    /// Those that are debugged unless told otherwise.
    pub fn default_roles(self) -> &'static [Role] {
        match self {
            Tool::Flink(script) => script.default_roles(),
            _ => &self.roles()[..1],
        }
    }

    /// Whether it ends in `spark-submit`, whose arguments carry Spark's configuration.
    pub fn ends_in_submit(self) -> bool {
        self.main_class().is_none() && !matches!(self, Tool::Class | Tool::Flink(_))
    }

    /// The main class, where the command itself says which JVM it is.
    pub fn main_class(self) -> Option<&'static str> {
        Some(match self {
            Tool::Master => main_class::MASTER,
            Tool::Worker => main_class::WORKER,
            Tool::HistoryServer => main_class::HISTORY_SERVER,
            Tool::Beeline => main_class::BEELINE,
            Tool::Pipelines => main_class::PIPELINES,
            _ => return None,
        })
    }

    /// The script in the distribution's `bin`; `python` is looked for on `PATH` instead.
    ///
    /// The servers' own `sbin` scripts go to the background through `spark-daemon.sh`; in the
    /// foreground each is `spark-submit` with the words of [`Tool::given_words`].
    pub fn script(self) -> &'static str {
        match self {
            Tool::Submit | Tool::ConnectServer | Tool::ThriftServer => "spark-submit",
            Tool::Shell => "spark-shell",
            Tool::Sql => "spark-sql",
            Tool::Pyspark => "pyspark",
            Tool::R => "sparkR",
            Tool::Example => "run-example",
            Tool::ConnectShell => "spark-connect-shell",
            Tool::Python => "python",
            Tool::ClassSubmit | Tool::Class | Tool::Master | Tool::Worker | Tool::HistoryServer => "spark-class",
            Tool::Beeline => "beeline",
            Tool::Pipelines => "spark-pipelines",
            Tool::Flink(script) => script.file_name(),
        }
    }

    /// The words that stand between the script's name and the user's words on the command line that
    /// sparkdbg starts.
    pub fn given_words(self) -> &'static [&'static str] {
        match self {
            Tool::ConnectServer => &["--class", main_class::CONNECT_SERVER, "--name", "Spark Connect server"],
            Tool::ThriftServer => &["--class", main_class::THRIFT_SERVER, "--name", "Thrift JDBC/ODBC Server"],
            Tool::ClassSubmit => &[main_class::SUBMIT],
            Tool::Master => &[main_class::MASTER],
            Tool::Worker => &[main_class::WORKER],
            Tool::HistoryServer => &[main_class::HISTORY_SERVER],
            _ => &[],
        }
    }

    /// The words that `spark-submit` sees before the user's words. Source: the scripts in `bin`.
    pub fn hidden_words(self) -> &'static [&'static str] {
        match self {
            Tool::Submit | Tool::Python | Tool::ClassSubmit => &[],
            Tool::Shell => &["--class", main_class::SHELL, "--name", "Spark shell"],
            Tool::ConnectShell => &[
                "--class",
                main_class::SHELL,
                "--name",
                "Spark shell",
                "--conf",
                "spark.plugins=org.apache.spark.sql.connect.SparkConnectPlugin",
            ],
            Tool::Sql => &["--class", main_class::SQL],
            Tool::Pyspark => &["pyspark-shell-main", "--name", "PySparkShell"],
            Tool::R => &["sparkr-shell-main"],
            Tool::Example => &["run-example"],
            Tool::ConnectServer | Tool::ThriftServer => self.given_words(),
            // These do not end in spark-submit.
            Tool::Class
            | Tool::Master
            | Tool::Worker
            | Tool::HistoryServer
            | Tool::Beeline
            | Tool::Pipelines
            | Tool::Flink(_) => &[],
        }
    }

    /// What the script adds to `SPARK_SUBMIT_OPTS` before `spark-env.sh` is sourced.
    pub fn added_submit_opts(self) -> Option<&'static str> {
        match self {
            Tool::Shell | Tool::ConnectShell => Some(" -Dscala.usejavacp=true"),
            _ => None,
        }
    }

    /// The first Spark that has it, where that is not every version met today.
    pub fn since(self) -> Option<(u32, u32)> {
        match self {
            Tool::ConnectShell | Tool::ConnectServer => Some((3, 4)),
            Tool::Pipelines => Some((4, 1)),
            _ => None,
        }
    }

    /// Whether its standard output is data, so that the JVM's `Listening…` line must not be in it.
    pub fn stdout_is_data(self) -> bool {
        self == Tool::Sql
    }
}
