//! A JobManager's REST API: itself and the TaskManagers that are registered there, each one's current
//! port from its standard output, and who runs what.
//!
//! The JobManager fetches a TaskManager's files from the TaskManager: one that a debugger suspends
//! answers nothing, while the JobManager still lists it. Each is asked in a turn of its own, so that it
//! holds up nobody.

pub mod operators;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use url::Url;

use super::crawl::{Found, Job};
use super::evidence::{Configured, Evidence, Output, judge};
use super::http::{MOST_JSON, server};
use super::local::application_of;
use super::machine::{host_and_port, seen_from_here};
use super::{Context, Jvm, Reach, State, log_text, logs};
use crate::endpoint::Role;
use crate::error::Failure;
use crate::jvm::jdwp::Agent;
use crate::jvm::options::Splitter;

/// What every JobManager answers, below the start of its web UI; it tells Flink's version.
pub const CONFIG: &str = "config";

/// What a TaskManager's log is read of: the JVM's options stand in its first lines. Bytes.
const LOG_HEAD: u64 = 256 << 10;

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Dashboard {
    #[serde(rename = "flink-version")]
    _version: String,
    #[serde(default)]
    features: Features,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "kebab-case", default)]
struct Features {
    web_history: bool,
}

#[derive(Deserialize)]
struct Setting {
    key: String,
    value: String,
}

#[derive(Deserialize)]
struct Environment {
    jvm: JvmOptions,
}

#[derive(Deserialize)]
struct JvmOptions {
    options: Vec<String>,
}

#[derive(Deserialize)]
struct TaskManagers {
    taskmanagers: Vec<TaskManager>,
}

#[derive(Deserialize)]
struct TaskManager {
    id: String,
    #[serde(default)]
    path: String,
}

/// The jobs that a JobManager's answer to [`CONFIG`] leads to; `None` if it is none. `app` is what YARN
/// calls it, if YARN told of it.
///
/// # Errors
/// It is Flink's history server.
pub fn cluster(
    context: &Arc<Context>,
    base: &Url,
    answer: &str,
    app: Option<String>,
) -> Result<Option<Found>, Failure> {
    let Ok(dashboard) = serde_json::from_str::<Dashboard>(answer) else { return Ok(None) };
    if dashboard.features.web_history {
        let what = "it is Flink's history server, which knows no JVM that runs";
        return Err(Failure::world(format!("`{}` cannot be used: {what}", server(base)))
            .help("name the JobManager's web UI; for example: sparkdbg ps http://edge1:8081"));
    }
    let (context, base) = (context.clone(), base.clone());
    let jobs = operators::jobs(context.clone(), base.clone());
    let rows = Job::new(server(&base), move || {
        let mut found = Found::default();
        let settings: Vec<Setting> = json(&context, &base, &["jobmanager", "config"]).unwrap_or_else(|trouble| {
            found.troubles.insert(trouble);
            Vec::new()
        });
        let settings = settings.into_iter().map(|setting| (setting.key, setting.value)).collect();
        let cluster = Arc::new(Cluster { context, base, app, settings });
        found.jobs = vec![cluster.jobmanager(), cluster.taskmanagers()];
        found
    });
    Ok(Some(Found::jobs(vec![rows, jobs])))
}

/// One JobManager, its settings read.
struct Cluster {
    context: Arc<Context>,
    base: Url,
    app: Option<String>,
    settings: BTreeMap<String, String>,
}

impl Cluster {
    fn setting(&self, key: &str) -> Option<&str> {
        self.settings.get(key).map(String::as_str)
    }

    /// What the cluster manager calls it; nobody names one that was started by hand.
    fn app(&self) -> Option<String> {
        let of_yarn = || self.setting("high-availability.cluster-id").filter(|id| id.starts_with("application_"));
        let named = || of_yarn().or_else(|| self.setting("kubernetes.cluster-id")).map(str::to_owned);
        self.app.clone().or_else(named)
    }

    /// What the settings say of a role; a variable of the environment may say otherwise.
    fn configured(&self, role: Role) -> Configured {
        let of_role = format!("env.java.opts.{}", role.name());
        let keys = ["env.java.opts.all", "env.java.opts", of_role.as_str()];
        let values = keys.iter().filter_map(|key| self.setting(key));
        match Configured::of(values, Splitter::Jvm) {
            Configured::No => Configured::Unseen,
            configured => configured,
        }
    }

    /// The row without an answer.
    fn row(&self, role: Role, id: &str, host: String, flink_port: Option<u16>) -> Jvm {
        let configured = self.configured(role);
        let unread = Output::Unread(String::new());
        let (state, port, remark) =
            judge(Evidence { configured: &configured, output: unread, ended: None, held: false });
        Jvm {
            app: self.app(),
            role,
            id: id.to_owned(),
            port,
            state,
            reach: self.reach(&configured, role, id, &host),
            host,
            remark: remark.filter(|_| state != State::Unknown),
            own_port: flink_port,
            silent: true,
            operators: (role == Role::TaskManager).then(Vec::new),
        }
    }

    fn reach(&self, configured: &Configured, role: Role, id: &str, host: &str) -> Reach {
        let pod = self.setting("kubernetes.cluster-id").and_then(|cluster| match role {
            Role::JobManager => Some(format!("deployment/{cluster}")),
            _ => Some(id.to_owned()).filter(|id| id.starts_with(&format!("{cluster}-taskmanager-"))),
        });
        match pod {
            Some(name) => {
                let namespace = self.setting("kubernetes.namespace").unwrap_or("default").to_owned();
                Reach::Pod { namespace, name }
            }
            None => configured.reach(self.context.machine.is_here(host)),
        }
    }

    fn jobmanager(self: &Arc<Self>) -> Job {
        let asked = self.base.host_str().unwrap_or_default();
        let host = seen_from_here(self.setting("jobmanager.rpc.address").unwrap_or(asked), &self.base);
        // Behind a proxy or a tunnel its own port is not the one that was asked.
        let is_direct = self.base.path() == "/" && self.context.machine.is_here(asked);
        let port = match is_direct {
            true => self.base.port_or_known_default(),
            false => self.setting("jobmanager.rpc.port").and_then(|port| port.parse().ok()),
        };
        let row = self.row(Role::JobManager, "jobmanager", host, port);
        let (cluster, without) = (self.clone(), row.clone());
        let job = Job::new(server(&self.base), move || {
            let options: Result<Environment, _> = json(&cluster.context, &cluster.base, &["jobmanager", "environment"]);
            let agent = match options {
                Ok(environment) => Some(environment.jvm.options.iter().find_map(|option| Agent::parse(option))),
                // Old versions do not tell.
                Err(_) => cluster.agent_in_log(&["jobmanager", "log"]),
            };
            let output = logs::file(&cluster.context, &address(&cluster.base, &["jobmanager", "stdout"]));
            Found::jvm(cluster.judged(row, agent, output))
        });
        job.or_else(without)
    }

    fn taskmanagers(self: &Arc<Self>) -> Job {
        let cluster = self.clone();
        Job::new(server(&self.base), move || {
            let list: TaskManagers = match json(&cluster.context, &cluster.base, &["taskmanagers"]) {
                Ok(list) => list,
                Err(trouble) => return Found::trouble(trouble),
            };
            let mut found = Found::default();
            for TaskManager { id, path } in list.taskmanagers {
                match host_of(&path) {
                    Some((host, port)) => found.jobs.push(cluster.taskmanager(id, &host, port)),
                    None => found.jvms.push(cluster.inside(&id)),
                }
            }
            found
        })
    }

    fn taskmanager(self: &Arc<Self>, id: String, host: &str, flink_port: Option<u16>) -> Job {
        let mut row = self.row(Role::TaskManager, &id, seen_from_here(host, &self.base), flink_port);
        row.app = row.app.or_else(|| application_of(Some(&id)));
        let (cluster, without) = (self.clone(), row.clone());
        let turn = format!("{}/taskmanagers/{id}", server(&self.base));
        let job = Job::new(turn, move || {
            let output = logs::file(&cluster.context, &address(&cluster.base, &["taskmanagers", &id, "stdout"]));
            let agent = match output {
                Output::Port(_) => None,
                // Its whole log is sent for that: only where nothing else tells.
                _ => cluster.agent_in_log(&["taskmanagers", &id, "log"]),
            };
            Found::jvm(cluster.judged(row, agent, output))
        });
        job.or_else(without)
    }

    /// A TaskManager of a MiniCluster.
    fn inside(&self, id: &str) -> Jvm {
        let host = seen_from_here(self.base.host_str().unwrap_or_default(), &self.base);
        let remark = Some("it is inside the JVM of its JobManager".to_owned());
        let row = self.row(Role::TaskManager, id, host, None);
        Jvm { remark, silent: false, port: None, state: State::Unknown, ..row }
    }

    /// The agent among the options that a JVM wrote into its log at its start; `None` if they are not there.
    fn agent_in_log(&self, path: &[&str]) -> Option<Option<Agent>> {
        let page = self.context.client.get(&address(&self.base, path), LOG_HEAD).ok()?;
        log_text::jvm_options(&page.text).map(|options| options.iter().find_map(|option| Agent::parse(option)))
    }

    /// The row with what was answered. `agent` is what the JVM really has, if that is known.
    fn judged(&self, row: Jvm, agent: Option<Option<Agent>>, output: Output) -> Jvm {
        let is_real = matches!(agent, Some(Some(_)));
        let configured = match agent {
            Some(agent) => agent.map_or(Configured::No, Configured::Agent),
            None => self.configured(row.role),
        };
        let output = match (output, configured.fixed_port()) {
            // It runs, so its agent has opened that port.
            (Output::Older(_) | Output::Silent | Output::Unread(_), Some(port)) if is_real => Output::Port(port),
            (output, _) => output,
        };
        let (state, port, remark) = judge(Evidence { configured: &configured, output, ended: None, held: false });
        let reach = self.reach(&configured, row.role, &row.id, &row.host);
        Jvm { state, port, remark, reach, silent: false, ..row }
    }
}

/// Host and port in the address of a TaskManager, `pekko.tcp://flink@HOST:PORT/…`; `None` if it is in the
/// JVM of its JobManager, `pekko://flink/…`.
fn host_of(path: &str) -> Option<(String, Option<u16>)> {
    let (_, rest) = path.split_once("://")?;
    let (_, authority) = rest.split('/').next()?.split_once('@')?;
    Some(host_and_port(authority))
}

/// The address below the start of the web UI; each word is one segment, whatever it holds.
fn address(base: &Url, path: &[&str]) -> Url {
    let mut url = base.clone();
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.pop_if_empty().extend(path);
    }
    url
}

fn json<T: DeserializeOwned>(context: &Context, base: &Url, path: &[&str]) -> Result<T, String> {
    let url = address(base, path);
    let page = context.client.get(&url, MOST_JSON).map_err(|trouble| trouble.note(&url, context.client.limit))?;
    let cause = |cause| format!("{} answers {} with what cannot be read: {cause}", server(&url), url.path());
    serde_json::from_str(&page.text).map_err(cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_taskmanager_is() {
        let at = |host: &str, port| Some((host.to_owned(), port));
        assert_eq!(host_of("pekko.tcp://flink@localhost:33027/user/rpc/taskmanager_0"), at("localhost", Some(33027)));
        assert_eq!(host_of("akka.ssl.tcp://flink@[::1]:7/user/rpc/taskmanager_0"), at("[::1]", Some(7)));
        assert_eq!(host_of("pekko://flink/user/rpc/taskmanager_0"), None);
    }

    #[test]
    fn an_id_is_one_segment() {
        let base = Url::parse("http://rm:8088/proxy/application_1_1/").unwrap();
        let url = address(&base, &["taskmanagers", "node7:33027-f8ef54", "stdout"]);
        assert_eq!(url.as_str(), "http://rm:8088/proxy/application_1_1/taskmanagers/node7:33027-f8ef54/stdout");
        assert_eq!(address(&base, &["a/../b?c"]).path(), "/proxy/application_1_1/a%2F..%2Fb%3Fc");
    }
}
