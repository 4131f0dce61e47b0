//! A YARN ResourceManager: which applications of Spark and Flink run, each one's UI through the proxy, and
//! the log of its application master.
//!
//! In cluster mode the application master is the driver; Flink's is the JobManager. One that is held before `main` has not told the
//! ResourceManager of a UI: the application is ACCEPTED, and only the log of its container tells.

use std::sync::Arc;

use serde::Deserialize;
use url::Url;

use super::crawl::{Found, Job};
use super::evidence::{Configured, Evidence, Output, judge};
use super::http::{MOST_JSON, server};
use super::machine::{host_and_port, seen_from_here};
use super::places::start_of;
use super::spark_ui::{self, Wanted};
use super::{Context, Jvm, Reach, State, flink, log_text, logs};
use crate::endpoint::Role;

/// Where the applications are listed, below the start of the ResourceManager's UI.
pub const APPLICATIONS: &str = "ws/v1/cluster/apps";

#[derive(Deserialize)]
struct Answer {
    apps: Option<Apps>,
}

#[derive(Deserialize)]
struct Apps {
    #[serde(default)]
    app: Vec<App>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct App {
    id: String,
    #[serde(default)]
    state: String,
    #[serde(default)]
    application_type: String,
    am_container_logs: Option<String>,
    am_host_http_address: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attempts {
    app_attempts: Option<AttemptList>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AttemptList {
    #[serde(default)]
    app_attempt: Vec<Attempt>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attempt {
    logs_link: Option<String>,
    node_http_address: Option<String>,
}

/// The jobs that a ResourceManager's answer leads to; `None` if it is none.
pub fn applications(context: &Arc<Context>, base: &Url, answer: &str) -> Option<Found> {
    let answer: Answer = serde_json::from_str(answer).ok()?;
    let apps = answer.apps.map(|apps| apps.app).unwrap_or_default();
    let mut jobs = Vec::new();
    for app in apps {
        let is_of = |kind: &str| app.application_type.eq_ignore_ascii_case(kind);
        if is_of("spark") {
            jobs.push(application(context.clone(), base.clone(), app));
        } else if is_of("apache flink") {
            jobs.extend(flink_application(context.clone(), base.clone(), app));
        }
    }
    Some(Found::jobs(jobs))
}

/// A JobManager that a debugger suspends does not answer through the proxy; its node still has its log.
fn flink_application(context: Arc<Context>, base: Url, app: App) -> Vec<Job> {
    let proxy = base.join(&format!("proxy/{}/", app.id)).unwrap_or_else(|_| base.clone());
    let (of_log, id, has_ui) = (context.clone(), app.id.clone(), app.state == "RUNNING");
    let node = app.am_host_http_address.as_deref().map_or("?".to_owned(), |node| host_and_port(node).0);
    let host = seen_from_here(&node, &base);
    let reach = Configured::Unseen.reach(context.machine.is_here(&host));
    let silent = Jvm { silent: true, ..jobmanager(id.clone(), host, (State::Unknown, None, None), reach) };
    let log = Job::new(server(&base), move || match master_logs(&of_log, &base, &app) {
        Some((logs, node)) => Found::jobs(jobmanager_log(&of_log, &base, &app.id, &logs, &node).into_iter().collect()),
        None => Found::note(format!("{} has no application master yet", app.id)),
    });
    let ui = Job::new(server(&proxy), move || {
        let url = proxy.join(flink::CONFIG).expect("a plain path");
        match context.client.get(&url, MOST_JSON) {
            Ok(page) => {
                let start = start_of(&page.url, flink::CONFIG);
                let other = || Found::trouble(format!("{} is not the JobManager of {id}", server(&page.url)));
                let found = flink::cluster(&context, &start, &page.text, Some(id.clone())).ok().flatten();
                found.unwrap_or_else(other)
            }
            Err(trouble) => Found::trouble(trouble.note(&url, context.client.limit)),
        }
    });
    // Before it runs it has no UI.
    [Some(log), has_ui.then(|| ui.or_else(silent))].into_iter().flatten().collect()
}

fn jobmanager_log(context: &Arc<Context>, base: &Url, app: &str, logs: &Url, node: &str) -> Option<Job> {
    let (stdout, stderr) = (logs.join("jobmanager.out").ok()?, logs.join("jobmanager.err").ok()?);
    let (context, app, host) = (context.clone(), app.to_owned(), seen_from_here(node, base));
    Some(Job::new(server(&stdout), move || {
        let died = logs::tail(&context, &stderr).and_then(|error| log_text::death(&error.text));
        let output = logs::output(&context, &stdout);
        if died.is_none() && !matches!(output, Output::Port(_)) {
            // Its own answer tells more, if it has one.
            return Found::default();
        }
        let ended = died.map(Some);
        let judged = judge(Evidence { configured: &Configured::Unseen, output, ended, held: false });
        let reach = Configured::Unseen.reach(context.machine.is_here(&host));
        Found::jvm(jobmanager(app, host, judged, reach))
    }))
}

fn jobmanager(app: String, host: String, judged: (State, Option<u16>, Option<String>), reach: Reach) -> Jvm {
    Jvm { role: Role::JobManager, id: "jobmanager".to_owned(), ..driver(app, host, judged, reach) }
}

fn application(context: Arc<Context>, base: Url, app: App) -> Job {
    let proxy = base.join(&format!("proxy/{}/", app.id)).unwrap_or_else(|_| base.clone());
    let turn = server(&proxy);
    Job::new(turn, move || {
        let mut found = Found::default();
        let has_ui = app.state == "RUNNING";
        if has_ui {
            let url = proxy.join(&format!("{}?status=running", spark_ui::APPLICATIONS)).expect("a plain path");
            match context.client.get(&url, MOST_JSON) {
                Ok(page) => {
                    let listed = spark_ui::applications(&context, &page.url, &page.text, Some(&app.id), Wanted::All);
                    found = found.and(listed.unwrap_or_else(|| {
                        Found::trouble(format!("{} is not the UI of {}", server(&page.url), app.id))
                    }));
                }
                Err(trouble) => {
                    found.troubles.insert(trouble.note(&url, context.client.limit));
                }
            }
        }
        match master_logs(&context, &base, &app) {
            Some((logs, node)) => found.jobs.extend(master_log(&context, &base, &app.id, &logs, &node, has_ui)),
            None => {
                found.notes.insert(format!("{} has no application master yet", app.id));
            }
        }
        found
    })
}

/// The page with the logs of the application master's container, and its node.
fn master_logs(context: &Context, base: &Url, app: &App) -> Option<(Url, String)> {
    let named = app.am_container_logs.clone().zip(app.am_host_http_address.clone());
    let (logs, node) = named.or_else(|| {
        let url = base.join(&format!("{APPLICATIONS}/{}/appattempts", app.id)).ok()?;
        let page = context.client.get(&url, MOST_JSON).ok()?;
        let attempts: Attempts = serde_json::from_str(&page.text).ok()?;
        let last = attempts.app_attempts?.app_attempt.pop()?;
        last.logs_link.zip(last.node_http_address)
    })?;
    let mut logs = base.join(&logs).ok()?;
    logs.set_path(&format!("{}/", logs.path().trim_end_matches('/')));
    Some((logs, host_and_port(&node).0))
}

fn master_log(context: &Arc<Context>, base: &Url, app: &str, logs: &Url, node: &str, has_ui: bool) -> Vec<Job> {
    let (Ok(stdout), Ok(stderr)) = (logs.join("stdout"), logs.join("stderr")) else { return Vec::new() };
    let mut jobs: Vec<Job> = dead_containers(context, app, &stderr).into_iter().collect();
    if !has_ui {
        let (context, app, host) = (context.clone(), app.to_owned(), seen_from_here(node, base));
        jobs.push(Job::new(server(&stdout), move || {
            let error = logs::tail(&context, &stderr);
            let died = error.as_ref().and_then(|error| log_text::death(&error.text));
            let held = error.is_some_and(|error| error.start == Some(0) && error.text.trim().is_empty());
            let output = logs::output(&context, &stdout);
            if died.is_none() && !matches!(output, Output::Port(_)) {
                // In client mode it is no driver, and without an agent it has nothing to say.
                return Found::note(format!("{app} waits for its application master, which names no debug port"));
            }
            let ended = died.map(Some);
            let (state, port, remark) = judge(Evidence { configured: &Configured::Unseen, output, ended, held });
            let reach = Configured::Unseen.reach(context.machine.is_here(&host));
            Found::jvm(driver(app, host, (state, port, remark), reach))
        }));
    }
    jobs
}

fn driver(app: String, host: String, judged: (State, Option<u16>, Option<String>), reach: Reach) -> Jvm {
    let (state, port, remark) = judged;
    Jvm {
        app: Some(app),
        role: Role::Driver,
        id: "driver".into(),
        host,
        port,
        state,
        reach,
        remark,
        own_port: None,
        silent: false,
        operators: None,
    }
}

/// Executors whose JVM died before `main`: they never came to the driver, only the allocator's log tells.
/// It runs in the application master; `stderr` is its log.
pub fn dead_containers(context: &Arc<Context>, app: &str, stderr: &Url) -> Option<Job> {
    if !stderr.path().contains("/containerlogs/") {
        return None;
    }
    let (context, app, stderr) = (context.clone(), app.to_owned(), stderr.clone());
    Some(Job::new(server(&stderr), move || {
        let text = logs::tail(&context, &stderr).map(|piece| piece.text).unwrap_or_default();
        let dead = log_text::dead_containers(&text).into_iter().map(|(container, host, why)| Jvm {
            app: Some(app.clone()),
            role: Role::Executor,
            id: container,
            host: host.unwrap_or_else(|| "?".to_owned()),
            port: None,
            state: State::Gone,
            reach: Reach::Tunnel,
            remark: Some(why),
            own_port: None,
            silent: false,
            operators: None,
        });
        Found { jvms: dead.collect(), ..Found::default() }
    }))
}
