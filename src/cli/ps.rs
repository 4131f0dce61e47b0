//! What `ps` takes.

use clap::Args;

/// What `ps` takes.
#[derive(Debug, Clone, Default, Args)]
#[command(
    after_help = "URL is a driver's UI, a history server, a standalone Master or Worker, a YARN ResourceManager, or a \
                        JobManager of Flink's; `k8s` asks kubectl. Without one, ps looks at this user's JVMs on this \
                        machine, at the ports where Spark and Flink listen by default (4040 to 4056, 8080, 8081, 8088, \
                        18080), and asks kubectl if it is on PATH.\n\n\
                        Examples:\n  \
                        sparkdbg ps\n  \
                        sparkdbg ps http://edge1:4040\n  \
                        sparkdbg ps --watch http://master:8080\n  \
                        sparkdbg ps http://jobmanager:8081\n  \
                        sparkdbg ps --json --timeout 30s http://rm:8088\n  \
                        sparkdbg ps k8s\n\n\
                        SPARKDBG_USER and SPARKDBG_PASSWORD (or user:password@ in URL) log in to the host of URL and to \
                        no other; http_proxy, https_proxy, no_proxy and SSL_CERT_FILE mean what they mean to curl."
)]
pub struct Ps {
    /// Whom to ask: http[s]://HOST:PORT, HOST:PORT or k8s
    #[arg(value_name = "URL")]
    pub url: Option<String>,
    /// A JSON array instead of a table
    #[arg(long)]
    pub json: bool,
    /// Wait until executors or TaskManagers appear, at most LIMIT (default: for ever)
    #[arg(long, value_name = "LIMIT", num_args = 0..=1, require_equals = true)]
    pub watch: Option<Option<String>>,
    /// The time limit for every request, and so for the whole look
    #[arg(long, value_name = "DURATION", default_value = "5s")]
    pub timeout: String,
}
