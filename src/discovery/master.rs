//! A standalone Master's and Worker's `/json/`: who executes what, also what never came to its driver.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Deserialize;
use url::Url;

use super::crawl::{Found, Job};
use super::evidence::{Configured, Evidence, Output, judge};
use super::http::{MOST_JSON, server};
use super::log_text::death;
use super::machine::seen_from_here;
use super::spark_ui::{self, APPLICATIONS, Wanted};
use super::{Context, Jvm, logs};
use crate::endpoint::Role;
use crate::jvm::jdwp::Agent;

#[derive(Deserialize)]
struct Master {
    workers: Vec<Worker>,
    #[serde(default)]
    activeapps: Vec<App>,
    #[serde(default)]
    activedrivers: Vec<Driver>,
}

#[derive(Deserialize)]
struct Worker {
    id: String,
    host: String,
    webuiaddress: String,
    state: String,
}

#[derive(Deserialize)]
struct App {
    id: String,
}

#[derive(Deserialize)]
struct Driver {
    id: String,
    #[serde(default)]
    worker: String,
}

#[derive(Deserialize)]
struct WorkerState {
    id: String,
    executors: Vec<Executor>,
    #[serde(default)]
    finishedexecutors: Vec<Executor>,
}

#[derive(Deserialize)]
struct Executor {
    id: u64,
    appid: String,
    #[serde(default)]
    appdesc: AppDescription,
}

#[derive(Deserialize, Default)]
struct AppDescription {
    #[serde(default)]
    command: String,
}

/// The jobs that a Master's answer leads to; `None` if it is none.
pub fn master(context: &Arc<Context>, base: &Url, answer: &str) -> Option<Found> {
    let master: Master = serde_json::from_str(answer).ok()?;
    let mut found = Found::default();
    let living: Vec<Worker> = master.workers.into_iter().filter(|worker| worker.state == "ALIVE").collect();
    let running: BTreeSet<String> = master.activeapps.iter().map(|app| app.id.clone()).collect();
    // With `spark.ui.reverseProxy` the workers are reached through the Master; nothing in its answer says so.
    let proxied = living.first().is_some_and(|worker| {
        let url = proxy(base, &worker.id).and_then(|proxy| proxy.join("json/").ok());
        let page = url.and_then(|url| context.client.get(&url, MOST_JSON).ok());
        page.is_some_and(|page| {
            serde_json::from_str::<WorkerState>(&page.text).is_ok_and(|state| state.id == worker.id)
        })
    });
    for worker in living {
        let direct = Url::parse(&worker.webuiaddress).ok().filter(|url| url.has_host());
        let direct = direct.and_then(|url| {
            let host = seen_from_here(url.host_str().unwrap_or_default(), base);
            let mut url = url.clone();
            url.set_host(Some(&host)).ok()?;
            Some(url)
        });
        let Some(ui) = (if proxied { proxy(base, &worker.id) } else { direct }) else { continue };
        let host = seen_from_here(&worker.host, base);
        for driver in master.activedrivers.iter().filter(|driver| driver.worker == worker.id) {
            found.jobs.push(driver_job(context, &ui, &host, &driver.id));
        }
        found.jobs.push(worker_job(context.clone(), ui, host, Among::Running(running.clone())));
    }
    for app in master.activeapps {
        found.jobs.push(driver_ui(context.clone(), base.clone(), app.id));
    }
    Some(found)
}

/// A Worker's own answer; `None` if it is none.
pub fn worker(context: &Arc<Context>, base: &Url, answer: &str) -> Option<Found> {
    let state: WorkerState = serde_json::from_str(answer).ok()?;
    let host = base.host_str().unwrap_or_default().to_owned();
    let running = state.executors.iter().map(|executor| executor.appid.clone()).collect();
    Some(executors(context, base, &host, state, &Among::Running(running)))
}

/// The executors of an application that its driver does not know.
pub fn unregistered(context: Arc<Context>, ui: Url, host: String, app: String, known: BTreeSet<String>) -> Job {
    worker_job(context, ui, host, Among::Of { app, known })
}

/// Which executors of a worker are wanted.
enum Among {
    /// Those of running applications.
    Running(BTreeSet<String>),
    /// Those of one application but for these.
    Of { app: String, known: BTreeSet<String> },
}

impl Among {
    fn wants(&self, executor: &Executor) -> bool {
        match self {
            Among::Running(apps) => apps.contains(&executor.appid),
            Among::Of { app, known } => executor.appid == *app && !known.contains(&executor.id.to_string()),
        }
    }
}

fn proxy(base: &Url, id: &str) -> Option<Url> {
    base.join(&format!("proxy/{id}/")).ok()
}

fn worker_job(context: Arc<Context>, ui: Url, host: String, among: Among) -> Job {
    Job::new(server(&ui), move || {
        let Ok(url) = ui.join("json/") else { return Found::default() };
        match context.client.get(&url, MOST_JSON) {
            Ok(page) => match serde_json::from_str(&page.text) {
                Ok(state) => executors(&context, &ui, &host, state, &among),
                // The logs may come from something that is no worker.
                Err(_) if matches!(among, Among::Of { .. }) => Found::default(),
                Err(cause) => Found::trouble(format!("{} is no Worker: {cause}", server(&ui))),
            },
            Err(_) if matches!(among, Among::Of { .. }) => Found::default(),
            Err(trouble) => Found::trouble(trouble.note(&url, context.client.limit)),
        }
    })
}

fn executors(context: &Arc<Context>, ui: &Url, host: &str, state: WorkerState, among: &Among) -> Found {
    let living = state.executors.into_iter().map(|executor| (executor, false));
    let dead = state.finishedexecutors.into_iter().map(|executor| (executor, true));
    let wanted = living.chain(dead).filter(|(executor, _)| among.wants(executor));
    Found::jobs(wanted.map(|(executor, ended)| executor_job(context.clone(), ui, host, executor, ended)).collect())
}

fn executor_job(context: Arc<Context>, ui: &Url, host: &str, executor: Executor, ended: bool) -> Job {
    let configured = configured(&executor.appdesc.command);
    let row = |(state, port, remark): (_, _, Option<String>), configured: &Configured, context: &Context| Jvm {
        app: Some(executor.appid.clone()),
        role: Role::Executor,
        id: executor.id.to_string(),
        host: host.to_owned(),
        port,
        state,
        reach: configured.reach(context.machine.is_here(host)),
        remark,
        own_port: None,
        silent: false,
        operators: None,
    };
    let unread = || Some("it has ended; its log was not read in time".to_owned());
    let output = Output::Unread("its log was not read in time".to_owned());
    let unanswered = judge(Evidence { configured: &configured, output, ended: ended.then(unread), held: false });
    let row = row(unanswered, &configured, &context);
    let log = |kind: &str| {
        let mut url = ui.join("logPage/").expect("a plain name");
        url.query_pairs_mut()
            .append_pair("appId", &executor.appid)
            .append_pair("executorId", &executor.id.to_string())
            .append_pair("logType", kind);
        url
    };
    let (stdout, stderr, without) = (log("stdout"), log("stderr"), row.clone());
    Job::new(server(ui), move || {
        let suspends = matches!(&configured, Configured::Agent(agent) if agent.suspends());
        let error = (ended || suspends).then(|| logs::tail(&context, &stderr)).flatten();
        let output = logs::output(&context, &stdout);
        let held =
            !ended && suspends && error.as_ref().is_some_and(|error| error.start == Some(0) && is_unbegun(&error.text));
        let ended = ended.then(|| {
            let of_error = error.and_then(|error| death(&error.text));
            of_error.or_else(|| death(&logs::tail(&context, &stdout)?.text))
        });
        let (state, port, remark) = judge(Evidence { configured: &configured, output, ended, held });
        Found::jvm(Jvm { state, port, remark, ..row })
    })
    .or_else(without)
}

/// A driver in cluster mode. Its application's id is not known to the Master.
fn driver_job(context: &Arc<Context>, ui: &Url, host: &str, id: &str) -> Job {
    let mut stdout = ui.join("logPage/").expect("a plain name");
    stdout.query_pairs_mut().append_pair("driverId", id).append_pair("logType", "stdout");
    let row = Jvm {
        app: Some(id.to_owned()),
        role: Role::Driver,
        id: "driver".to_owned(),
        host: host.to_owned(),
        port: None,
        state: super::State::Unknown,
        reach: Configured::Unseen.reach(context.machine.is_here(host)),
        remark: Some("its log was not read in time".to_owned()),
        own_port: None,
        silent: false,
        operators: None,
    };
    let (context, without) = (context.clone(), row.clone());
    Job::new(server(ui), move || {
        let output = logs::output(&context, &stdout);
        let evidence = Evidence { configured: &Configured::Unseen, output, ended: None, held: false };
        let (state, port, remark) = judge(evidence);
        Found::jvm(Jvm { state, port, remark, ..row })
    })
    .or_else(without)
}

/// The driver of an application, whose UI only the application's page links to.
fn driver_ui(context: Arc<Context>, base: Url, app: String) -> Job {
    Job::new(server(&base), move || {
        let mut page = base.join("app/").expect("a plain name");
        page.query_pairs_mut().append_pair("appId", &app);
        let Ok(answer) = context.client.get(&page, MOST_JSON) else { return Found::default() };
        let Some(ui) = detail_ui(&answer.text).and_then(|link| base.join(&link).ok()) else { return Found::default() };
        let Some(ui) = with_slash(ui).join(APPLICATIONS).ok() else { return Found::default() };
        let asked = Job::new(server(&ui), move || match context.client.get(&ui, MOST_JSON) {
            Ok(page) => {
                spark_ui::applications(&context, &page.url, &page.text, Some(&app), Wanted::Driver).unwrap_or_default()
            }
            Err(trouble) => Found::trouble(trouble.note(&ui, context.client.limit)),
        });
        Found::jobs(vec![asked])
    })
}

/// The address behind `<a href="…">Application Detail UI</a>`.
fn detail_ui(page: &str) -> Option<String> {
    let end = page.find("\">Application Detail UI</a>")?;
    let start = page[..end].rfind("href=\"")? + "href=\"".len();
    Some(page[start..end].to_owned())
}

fn with_slash(mut url: Url) -> Url {
    if !url.path().ends_with('/') {
        url.set_path(&format!("{}/", url.path()));
    }
    url
}

/// Whether standard error holds nothing but the Worker's own header: the JVM has not begun.
fn is_unbegun(text: &str) -> bool {
    let own = |line: &str| {
        line.is_empty() || line.starts_with("Spark Executor Command:") || line.trim_matches('=').is_empty()
    };
    text.lines().map(str::trim).all(own)
}

/// The agent in Scala's way to print a command: `Command(Main,List(…),…,ArraySeq(-Da=1, -agentlib:…))`.
fn configured(command: &str) -> Configured {
    if command.is_empty() {
        return Configured::Unseen;
    }
    let words = command.split(", ").map(|word| {
        word.rsplit("(-").next().map_or(word, |rest| {
            // The opening parenthesis of the list, if the word is its first.
            if rest.len() < word.len() { &word[word.len() - rest.len() - 1..] } else { word }
        })
    });
    let agent = words.filter_map(|word| Agent::parse(word.trim_end_matches(')'))).next();
    agent.map_or(Configured::No, Configured::Agent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_agent_in_a_printed_command() {
        let agent = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0";
        for command in [
            format!("Command(org.X,List(--a, b),Map(A -> 1),List(),List(),ArraySeq(-Da=1, {agent}))"),
            format!("Command(org.X,List(),Map(),List(),List(),ArraySeq({agent}, -Da=1))"),
            format!("Command(org.X,List(),Map(),List(),List(),List({agent}))"),
        ] {
            assert_eq!(configured(&command), Configured::Agent(Agent::parse(agent).unwrap()), "{command}");
        }
        assert_eq!(configured("Command(org.X,List(),Map(),List(),List(),List(-Da=1))"), Configured::No);
        assert_eq!(configured(""), Configured::Unseen);
    }

    #[test]
    fn the_link_to_the_drivers_ui() {
        let page = "<li><a href=\"http://x\">y</a></li>\n<a href=\"http://127.0.0.1:4140\">Application Detail UI</a>";
        assert_eq!(detail_ui(page).as_deref(), Some("http://127.0.0.1:4140"));
        assert_eq!(detail_ui("<a href=\"x\">y</a>"), None);
    }

    #[test]
    fn a_jvm_that_has_not_begun_wrote_nothing_itself() {
        let header = "Spark Executor Command: \"java\" \"-cp\"\n========================================\n\n";
        assert!(is_unbegun(header));
        assert!(!is_unbegun(&format!("{header}26/11/30 INFO Started\n")));
    }
}
