//! Who runs where, and on which port each JVM waits for a debugger.
//!
//! ```text
//!  URL, k8s or nothing ─► target ─► jobs: one file per source ─┐
//!                                    ▲      (spark_ui, master, yarn, kubernetes, flink)
//!                                    └─ further jobs ──────────┤ crawl: in parallel, one deadline
//!  /proc ─► local ─────────────────────────────────────────────┤
//!                                                              ▼
//!        logs ─► evidence (pure) ─► Jvm ─► merge ─► next_step ─► table, JSON
//! ```
//!
//! Nothing here connects to a port that a JVM may have opened for a debugger: a stray connection would
//! be taken for one.

mod crawl;
mod evidence;
mod flink;
mod http;
mod kubernetes;
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "without /proc nothing fills it"))]
mod local;
mod log_text;
mod logs;
mod machine;
mod master;
mod merge;
mod next_step;
mod places;
mod spark_ui;
mod table;
mod target;
mod yarn;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub use flink::operators::Operator;
pub use http::Credentials;
pub use next_step::{Way, ways};
pub use table::{json, table};
pub use target::Target;

use url::Url;

use crate::endpoint::Role;
use crate::error::Failure;
use crawl::Found;
use http::Client;
use machine::Machine;

/// What a JVM's debug port is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// It cannot be told.
    Unknown,
    /// The JVM has ended.
    Gone,
    /// The JVM dials out to its debugger.
    Dialled,
    /// The JVM runs, and a debugger may attach.
    Listening,
    /// The JVM stands before `main` until a debugger comes.
    Waiting,
    /// A debugger is there.
    Attached,
}

impl State {
    /// The word in table and JSON.
    pub fn name(self) -> &'static str {
        match self {
            State::Unknown => "unknown",
            State::Gone => "gone",
            State::Dialled => "dialled",
            State::Listening => "listening",
            State::Waiting => "waiting",
            State::Attached => "attached",
        }
    }
}

/// How a debugger on this machine comes to the port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// The JVM runs on this machine.
    Here,
    /// The port is open on the other machine's loopback alone, as far as is known.
    Tunnel,
    /// The port is open to other machines.
    Open,
    /// The JVM runs in a pod.
    Pod {
        /// Where the pod is.
        namespace: String,
        /// What it is called.
        name: String,
    },
}

/// One JVM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Jvm {
    /// The id that Spark or the cluster gave the application, or until then its name. Flink has none in a
    /// cluster that was started by hand.
    pub app: Option<String>,
    /// What it is to the application.
    pub role: Role,
    /// The executor's number, `driver`, the TaskManager's id, or the daemon's kind.
    pub id: String,
    /// The machine, as the cluster calls it.
    pub host: String,
    /// The last known debug port.
    pub port: Option<u16>,
    /// What is known of that port.
    pub state: State,
    /// How to get there.
    pub reach: Reach,
    /// What people should know besides.
    pub remark: Option<String>,
    /// A port on which Spark or Flink itself listens in it; tells in a socket table which process it is.
    pub own_port: Option<u16>,
    /// Whether it left a question open that it would have answered if it ran.
    pub silent: bool,
    /// What runs on a TaskManager, if that is known.
    pub operators: Option<Vec<Operator>>,
}

/// Everything that one look has to know.
pub struct Look {
    /// Whom to ask.
    pub target: Target,
    /// The limit for every request and for the whole.
    pub limit: Duration,
    /// Who we are to the host that the target names.
    pub credentials: Option<Credentials>,
    /// `kubectl`, if it is on PATH.
    pub kubectl: Option<PathBuf>,
}

/// What a look came to.
pub struct Seen {
    /// The JVMs, in the order in which they are shown.
    pub jvms: Vec<Jvm>,
    /// What did not work.
    pub troubles: BTreeSet<String>,
    /// What people should know although all went well.
    pub notes: BTreeSet<String>,
    /// What was asked, for a look that finds nothing.
    pub asked: BTreeSet<String>,
}

/// What the jobs of one look share.
pub(crate) struct Context {
    client: Client,
    machine: Machine,
    kubectl: Option<OsString>,
}

/// Looks once.
///
/// # Errors
/// The one thing that the target names cannot be read.
pub fn look(look: &Look) -> Result<Seen, Failure> {
    let named = match &look.target {
        Target::Web { base, .. } => Some(base),
        Target::Default | Target::Kubernetes => None,
    };
    let context = Arc::new(Context {
        client: Client::new(named, look.credentials.clone(), look.limit),
        machine: Machine::this(),
        kubectl: look.kubectl.clone().map(PathBuf::into_os_string),
    });
    let deadline = context.client.deadline;
    let local = local::jvms();
    let mut asked = BTreeSet::new();
    let jobs = match &look.target {
        Target::Web { base, app } => vec![places::named(&context, base.clone(), app.clone())],
        Target::Kubernetes => match kubernetes::pods(&context, true) {
            jobs if !jobs.is_empty() => jobs.into_iter().map(crawl::Job::named).collect(),
            _ => {
                return Err(Failure::not_found("`kubectl` is not on PATH: pods cannot be asked for")
                    .help("put kubectl on PATH, or name the URL of a driver's UI"));
            }
        },
        Target::Default => {
            asked.insert("this user's JVMs".to_owned());
            asked.insert("ports 4040-4056, 8080, 8081, 8088 and 18080 of this machine".to_owned());
            let debug_ports: BTreeSet<u16> = local.iter().filter_map(|found| found.jvm.port).collect();
            let uis = local.iter().filter_map(|found| found.ui).collect();
            let pods = kubernetes::pods(&context, false);
            if !pods.is_empty() {
                asked.insert("kubectl".to_owned());
            }
            places::usual(&context, &debug_ports, uis).into_iter().chain(pods).collect()
        }
    };
    let mut found = crawl::run(jobs, deadline);
    if let Some(failure) = found.failure.take() {
        return Err(failure);
    }
    if found.is_named_silent {
        let at = named.map_or_else(|| "kubectl".to_owned(), http::server);
        let limit = humantime::format_duration(look.limit);
        return Err(Failure::world(format!("`{at}` cannot be read: it did not answer within {limit}"))
            .help(silent_help(named, &local)));
    }
    flink::operators::put(&mut found.jvms, std::mem::take(&mut found.running));
    let mut troubles = std::mem::take(&mut found.troubles);
    troubles.extend(silence(&found, look.limit));
    let notes = std::mem::take(&mut found.notes);
    let merged = merge::merge(found.jvms, local, matches!(look.target, Target::Default));
    let mut jvms = merged.rows;
    for (app, work) in merged.work {
        let is_known = |id: &str| jvms.iter().any(|jvm| jvm.app.as_ref() == Some(&app) && jvm.id == id);
        let dead = local::work::dead(&app, &work, is_known);
        jvms.extend(dead);
    }
    merge::sort(&mut jvms);
    if let (true, true, Some(trouble)) = (jvms.is_empty(), named.is_some(), troubles.first()) {
        return Err(Failure::world(format!("no JVM can be shown: {trouble}")));
    }
    Ok(Seen { jvms, troubles, notes, asked })
}

/// What to do about a server that does not answer: a JVM that a debugger suspends does not.
fn silent_help(named: Option<&Url>, local: &[local::Found]) -> String {
    let port = named.filter(|url| http::is_loopback(url)).and_then(Url::port_or_known_default);
    let is_held = |found: &&local::Found| {
        found.jvm.state == State::Attached && port.is_some_and(|port| found.listens.contains(&port))
    };
    let remark = local.iter().find(is_held).and_then(|found| found.jvm.remark.as_deref());
    match remark {
        Some(remark) => format!("a debugger is attached to its JVM ({remark}), and probably suspends it: let it run"),
        None => http::MORE_TIME.to_owned(),
    }
}

/// One line per server that did not answer.
fn silence(found: &Found, limit: Duration) -> Vec<String> {
    let limit = humantime::format_duration(limit);
    let line = |(server, questions): (&String, &usize)| match questions {
        1 => format!("{server} did not answer within {limit}"),
        questions => format!("{server} did not answer {questions} questions within {limit}"),
    };
    found.silent.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn why_a_server_does_not_answer() {
        let found = |state, listens| {
            let jvm = Jvm {
                app: None,
                role: Role::JobManager,
                id: "jobmanager".to_owned(),
                host: "127.0.0.1".to_owned(),
                port: Some(5005),
                state,
                reach: Reach::Here,
                remark: Some("pid 7".to_owned()),
                own_port: None,
                silent: false,
                operators: None,
            };
            local::Found { jvm, listens, ui: None, work: None, conf: None }
        };
        let help = |url: &str, found: local::Found| silent_help(Some(&Url::parse(url).unwrap()), &[found]);
        let held = "a debugger is attached to its JVM (pid 7), and probably suspends it: let it run";
        assert_eq!(help("http://127.0.0.1:8081", found(State::Attached, vec![6123, 8081])), held);
        for (url, other) in [
            ("http://127.0.0.1:8081", found(State::Listening, vec![8081])),
            ("http://127.0.0.1:8081", found(State::Attached, vec![8082])),
            ("http://edge1:8081", found(State::Attached, vec![8081])),
        ] {
            assert_eq!(help(url, other), http::MORE_TIME);
        }
    }
}
