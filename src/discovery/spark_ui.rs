//! A driver's UI or a history server: `/api/v1` lists executors, their logs and the settings.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Deserialize;
use url::Url;

use super::crawl::{Found, Job};
use super::evidence::{Configured, Evidence, Output, judge};
use super::http::{MOST_JSON, server};
use super::log_text::death;
use super::machine::{host_and_port, seen_from_here};
use super::places::start_of;
use super::{Context, Jvm, logs, master, yarn};
use crate::endpoint::Role;
use crate::jvm::options::Splitter;

/// Where the applications are listed, below the start of the UI.
pub const APPLICATIONS: &str = "api/v1/applications";

#[derive(Deserialize)]
struct Application {
    id: String,
    #[serde(default)]
    attempts: Vec<Attempt>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attempt {
    attempt_id: Option<String>,
    #[serde(default)]
    completed: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Executor {
    id: String,
    #[serde(default)]
    host_port: String,
    #[serde(default = "yes")]
    is_active: bool,
    #[serde(default)]
    executor_logs: BTreeMap<String, String>,
    remove_reason: Option<String>,
}

fn yes() -> bool {
    true
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Environment {
    #[serde(default)]
    spark_properties: Vec<(String, String)>,
}

/// Which JVMs of an application are asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Driver and executors.
    All,
    /// The driver; somebody else lists the executors.
    Driver,
}

/// The running applications in an answer to [`APPLICATIONS`]; `None` if it is none.
pub fn applications(
    context: &Arc<Context>,
    answered: &Url,
    answer: &str,
    filter: Option<&str>,
    wanted: Wanted,
) -> Option<Found> {
    let list: Vec<Application> = serde_json::from_str(answer).ok()?;
    let base = start_of(answered, APPLICATIONS);
    let mut found = Found::default();
    for application in list {
        let running = application.attempts.iter().find(|attempt| !attempt.completed);
        if running.is_none() && !application.attempts.is_empty() || filter.is_some_and(|app| app != application.id) {
            continue;
        }
        let attempt = running.and_then(|attempt| attempt.attempt_id.clone());
        let path = match attempt {
            Some(attempt) => format!("{APPLICATIONS}/{}/{attempt}/", application.id),
            None => format!("{APPLICATIONS}/{}/", application.id),
        };
        let Ok(api) = base.join(&path) else { continue };
        found.jobs.push(application_job(context.clone(), base.clone(), api, application.id, wanted));
    }
    Some(found)
}

fn application_job(context: Arc<Context>, base: Url, api: Url, app: String, wanted: Wanted) -> Job {
    Job::new(server(&base), move || {
        let json = |name: &str| {
            let url = api.join(name).expect("a plain name");
            let page =
                context.client.get(&url, MOST_JSON).map_err(|trouble| trouble.note(&url, context.client.limit))?;
            Ok::<_, String>(page.text)
        };
        let executors = json("allexecutors").and_then(|text| {
            let cause = |cause| format!("{} lists executors that cannot be read: {cause}", server(&api));
            serde_json::from_str::<Vec<Executor>>(&text).map_err(cause)
        });
        let executors = match executors {
            Ok(executors) => executors,
            Err(trouble) => return Found::trouble(trouble),
        };
        let mut found = Found::default();
        let settings = match json("environment") {
            Ok(text) => serde_json::from_str::<Environment>(&text).ok().map(|environment| environment.spark_properties),
            Err(trouble) => {
                found.troubles.insert(trouble);
                None
            }
        };
        let master = settings.iter().flatten().find(|(key, _)| key == "spark.master");
        let of_app = OfApp {
            master: master.map(|(_, value)| value.clone()).unwrap_or_default(),
            driver: configured(&settings, "driver", Splitter::Launcher),
            executors: configured(&settings, "executor", Splitter::Executor),
            context,
            base,
            app,
        };
        of_app.rows(executors, wanted, found)
    })
}

/// The agent that the settings give a role.
fn configured(settings: &Option<Vec<(String, String)>>, role: &str, splitter: Splitter) -> Configured {
    let Some(settings) = settings else { return Configured::Unseen };
    let keys = [format!("spark.{role}.defaultJavaOptions"), format!("spark.{role}.extraJavaOptions")];
    let values = settings.iter().filter(|(key, _)| keys.contains(key)).map(|(_, value)| value.as_str());
    Configured::of(values, splitter)
}

/// One application, its settings read.
struct OfApp {
    context: Arc<Context>,
    base: Url,
    app: String,
    master: String,
    driver: Configured,
    executors: Configured,
}

impl OfApp {
    fn rows(&self, executors: Vec<Executor>, wanted: Wanted, mut found: Found) -> Found {
        // The living first: the dead may be many.
        let (living, dead): (Vec<_>, Vec<_>) = executors.into_iter().partition(|executor| executor.is_active);
        let mut workers: BTreeMap<Url, (String, BTreeSet<String>)> = BTreeMap::new();
        for executor in living.into_iter().chain(dead) {
            let is_driver = matches!(executor.id.as_str(), "driver" | "<driver>");
            if wanted == Wanted::Driver && !is_driver {
                continue;
            }
            let log = |name| executor.executor_logs.get(name).and_then(|log| self.base.join(log).ok());
            let (stdout, stderr) = (log("stdout"), log("stderr"));
            let jvm = self.jvm(&executor, is_driver);
            if let (Some(worker), false) = (stdout.as_ref().and_then(worker_of), is_driver) {
                let (_, known) = workers.entry(worker).or_insert((jvm.host.clone(), BTreeSet::new()));
                known.insert(executor.id.clone());
            }
            if let (true, Some(stderr)) = (is_driver, &stderr) {
                found.jobs.extend(yarn::dead_containers(&self.context, &self.app, stderr));
            }
            match stdout {
                Some(stdout) => found.jobs.push(self.log_job(jvm, executor, is_driver, stdout, stderr)),
                None => found.jvms.push(jvm),
            }
        }
        if wanted == Wanted::All && workers.is_empty() {
            found.notes.extend(self.who_knows_the_rest());
        }
        let context = &self.context;
        found.jobs.extend(workers.into_iter().map(|(worker, (host, known))| {
            // Executors that never came to the driver: held before `main`, or dead.
            master::unregistered(context.clone(), worker, host, self.app.clone(), known)
        }));
        found
    }

    /// Executors that are held before `main`, or died there, never came to the driver.
    fn who_knows_the_rest(&self) -> Option<String> {
        let master = self.master.strip_prefix("spark://")?;
        let host = seen_from_here(master.split([':', ',']).next()?, &self.base);
        let held = "no executor has come to its driver; the Master's web UI knows those that wait or died before";
        Some(format!("{}: {held}: sparkdbg ps http://{host}:8080", self.app))
    }

    /// The row without the log.
    fn jvm(&self, executor: &Executor, is_driver: bool) -> Jvm {
        let (host, port) = host_and_port(&executor.host_port);
        let host = seen_from_here(&host, &self.base);
        let configured = if is_driver { &self.driver } else { &self.executors };
        let why = match executor.executor_logs.is_empty() {
            true => "it has no log here: whether a debugger is there cannot be told",
            false => "its log was not read in time",
        };
        let agent_dials = matches!(configured, Configured::Agent(agent) if !agent.listens());
        let no_log = if *configured == Configured::No { Output::Silent } else { Output::Unread(why.to_owned()) };
        let output = if agent_dials { Output::Silent } else { no_log };
        let ended = (!executor.is_active).then(|| executor.remove_reason.as_deref().map(first_line));
        let (state, debug_port, remark) = judge(Evidence { configured, output, ended, held: false });
        Jvm {
            app: Some(self.app.clone()),
            role: if is_driver { Role::Driver } else { Role::Executor },
            id: if is_driver { "driver".to_owned() } else { executor.id.clone() },
            reach: configured.reach(self.context.machine.is_here(&host)),
            host,
            port: debug_port,
            state,
            remark,
            own_port: port,
            silent: false,
            operators: None,
        }
    }

    fn log_job(&self, jvm: Jvm, executor: Executor, is_driver: bool, stdout: Url, stderr: Option<Url>) -> Job {
        let (context, configured) =
            (self.context.clone(), if is_driver { self.driver.clone() } else { self.executors.clone() });
        let without = Jvm { remark: jvm.remark.clone(), ..jvm.clone() };
        Job::new(server(&stdout), move || {
            let ended = (!executor.is_active).then(|| {
                let death = stderr.and_then(|stderr| death(&logs::tail(&context, &stderr)?.text));
                death.or(executor.remove_reason.as_deref().map(first_line))
            });
            let output = logs::output(&context, &stdout);
            let (state, port, remark) = judge(Evidence { configured: &configured, output, ended, held: false });
            Found::jvm(Jvm { state, port, remark, ..jvm })
        })
        .or_else(without)
    }
}

/// The start of a worker's UI, from the address of one of its logs.
fn worker_of(log: &Url) -> Option<Url> {
    let at = log.path().find("logPage")?;
    let mut worker = log.clone();
    worker.set_path(&log.path()[..at]);
    worker.set_query(None);
    Some(worker)
}

/// The reasons that Spark gives may hold whole logs.
fn first_line(text: &str) -> String {
    const MOST: usize = 160;
    let line = text.lines().next().unwrap_or_default();
    line.chars().take(MOST).collect()
}
