//! The scripts of a Spark distribution and what each of them puts in front of the user's words.

/// A command of sparkdbg that ends in `spark-submit`.
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
}

/// Main class of `spark-shell`.
pub const SHELL_CLASS: &str = "org.apache.spark.repl.Main";
/// Main class of `spark-sql`.
pub const SQL_CLASS: &str = "org.apache.spark.sql.hive.thriftserver.SparkSQLCLIDriver";
/// Main class of the Thrift server.
pub const THRIFT_SERVER_CLASS: &str = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2";
/// Main class of the Connect server (3.4+).
pub const CONNECT_SERVER_CLASS: &str = "org.apache.spark.sql.connect.service.SparkConnectServer";
/// Main class of the Connect shell (4.0+).
pub const CONNECT_REPL_CLASS: &str = "org.apache.spark.sql.application.ConnectRepl";

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
        }
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
        }
    }

    /// The words that stand between the script's name and the user's words on the command line that
    /// sparkdbg starts.
    pub fn given_words(self) -> &'static [&'static str] {
        match self {
            Tool::ConnectServer => &["--class", CONNECT_SERVER_CLASS, "--name", "Spark Connect server"],
            Tool::ThriftServer => &["--class", THRIFT_SERVER_CLASS, "--name", "Thrift JDBC/ODBC Server"],
            _ => &[],
        }
    }

    /// The words that `spark-submit` sees before the user's words. Source: the scripts in `bin`.
    pub fn hidden_words(self) -> &'static [&'static str] {
        match self {
            Tool::Submit | Tool::Python => &[],
            Tool::Shell => &["--class", SHELL_CLASS, "--name", "Spark shell"],
            Tool::ConnectShell => &[
                "--class",
                SHELL_CLASS,
                "--name",
                "Spark shell",
                "--conf",
                "spark.plugins=org.apache.spark.sql.connect.SparkConnectPlugin",
            ],
            Tool::Sql => &["--class", SQL_CLASS],
            Tool::Pyspark => &["pyspark-shell-main", "--name", "PySparkShell"],
            Tool::R => &["sparkr-shell-main"],
            Tool::Example => &["run-example"],
            Tool::ConnectServer | Tool::ThriftServer => self.given_words(),
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
            _ => None,
        }
    }

    /// Whether its standard output is data, so that the JVM's `Listening…` line must not be in it.
    pub fn stdout_is_data(self) -> bool {
        self == Tool::Sql
    }
}
