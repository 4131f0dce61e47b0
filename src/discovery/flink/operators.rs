//! Which TaskManager runs which operator, from the JobManager's list of jobs.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use url::Url;

use super::super::crawl::{Found, Job};
use super::super::http::server;
use super::super::{Context, Jvm};
use super::json;
use crate::endpoint::Role;

/// Operators of one job that a row names; JSON names all.
const MOST_NAMED: usize = 4;

/// What a row shows of the name of an operator, which holds those of all that are chained into it.
const LONGEST_NAME: usize = 60;

/// States in which a task is on its TaskManager.
const ON_A_TASKMANAGER: [&str; 4] = ["DEPLOYING", "INITIALIZING", "RUNNING", "CANCELING"];

/// Subtasks of one operator on one TaskManager.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Operator {
    /// What the job is called.
    pub job: String,
    /// The id of the job.
    pub jid: String,
    /// What the operator is called, with all that are chained into it.
    pub name: String,
    /// From 1, as in the names of threads: `squares (2/2)#0`.
    pub subtasks: Vec<u32>,
    /// Of how many.
    pub parallelism: u32,
}

#[derive(Deserialize)]
struct Jobs {
    jobs: Vec<JobState>,
}

#[derive(Deserialize)]
struct JobState {
    jid: String,
    #[serde(default)]
    state: String,
}

#[derive(Deserialize)]
struct JobDetails {
    name: String,
    vertices: Vec<Vertex>,
}

#[derive(Deserialize)]
struct Vertex {
    id: String,
    name: String,
    parallelism: u32,
}

#[derive(Deserialize)]
struct VertexDetails {
    subtasks: Vec<Subtask>,
}

#[derive(Deserialize)]
struct Subtask {
    subtask: u32,
    status: String,
    #[serde(rename = "taskmanager-id")]
    taskmanager: Option<String>,
}

/// Asks for the jobs that run, and who runs them.
pub fn jobs(context: Arc<Context>, base: Url) -> Job {
    Job::new(server(&base), move || {
        let jobs: Jobs = match json(&context, &base, &["jobs", "overview"]) {
            Ok(jobs) => jobs,
            Err(trouble) => return Found::trouble(trouble),
        };
        let is_over = |job: &JobState| matches!(job.state.as_str(), "FINISHED" | "CANCELED" | "FAILED");
        let running = jobs.jobs.into_iter().filter(|job| !is_over(job));
        Found::jobs(running.map(|job| vertices(context.clone(), base.clone(), job.jid)).collect())
    })
}

fn vertices(context: Arc<Context>, base: Url, jid: String) -> Job {
    Job::new(server(&base), move || {
        let details: JobDetails = match json(&context, &base, &["jobs", &jid]) {
            Ok(details) => details,
            Err(trouble) => return Found::trouble(trouble),
        };
        let subtasks = |vertex| subtasks(context.clone(), base.clone(), jid.clone(), details.name.clone(), vertex);
        Found::jobs(details.vertices.into_iter().map(subtasks).collect())
    })
}

fn subtasks(context: Arc<Context>, base: Url, jid: String, job: String, vertex: Vertex) -> Job {
    Job::new(server(&base), move || {
        let details: VertexDetails = match json(&context, &base, &["jobs", &jid, "vertices", &vertex.id]) {
            Ok(details) => details,
            Err(trouble) => return Found::trouble(trouble),
        };
        let mut on: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for subtask in details.subtasks {
            if ON_A_TASKMANAGER.contains(&subtask.status.as_str())
                && let Some(taskmanager) = subtask.taskmanager
            {
                on.entry(taskmanager).or_default().push(subtask.subtask + 1);
            }
        }
        let operator = |subtasks| {
            let (name, parallelism) = (vertex.name.clone(), vertex.parallelism);
            Operator { jid: jid.clone(), job: job.clone(), name, subtasks, parallelism }
        };
        Found { running: on.into_iter().map(|(at, subtasks)| (at, operator(subtasks))).collect(), ..Found::default() }
    })
}

/// Writes into the rows of TaskManagers what runs there. The order is not that of the answers, and a
/// JobManager that was asked at two addresses said everything twice.
pub fn put(rows: &mut [Jvm], mut running: Vec<(String, Operator)>) {
    running.sort_by(|(at, one), (elsewhere, other)| (one, at).cmp(&(other, elsewhere)));
    running.dedup();
    for row in rows.iter_mut().filter(|row| row.role == Role::TaskManager) {
        let here = running.iter().filter(|(id, _)| *id == row.id).map(|(_, operator)| operator.clone());
        row.operators = row.operators.as_ref().map(|_| here.collect());
    }
}

/// What a row says: `runs squares (2/2), Sink: Print (1/1) of JOB`.
pub fn shown(operators: &[Operator]) -> Option<String> {
    let mut jobs: BTreeMap<(&str, &str), Vec<&Operator>> = BTreeMap::new();
    for operator in operators {
        jobs.entry((&operator.job, &operator.jid)).or_default().push(operator);
    }
    let of_job = |((job, _), operators): ((&str, &str), Vec<&Operator>)| {
        let mut named: Vec<String> = operators.iter().take(MOST_NAMED).map(|operator| one(operator)).collect();
        if operators.len() > MOST_NAMED {
            named.push(format!("{} more", operators.len() - MOST_NAMED));
        }
        format!("{} of {}", named.join(", "), short(job))
    };
    let jobs: Vec<String> = jobs.into_iter().map(of_job).collect();
    (!jobs.is_empty()).then(|| format!("runs {}", jobs.join(", ")))
}

fn one(operator: &Operator) -> String {
    format!("{} ({}/{})", short(&operator.name), ranges(&operator.subtasks), operator.parallelism)
}

fn short(name: &str) -> String {
    match name.chars().count() > LONGEST_NAME {
        true => name.chars().take(LONGEST_NAME - 1).chain(['…']).collect(),
        false => name.to_owned(),
    }
}

/// `1-3,5` for 1, 2, 3 and 5.
fn ranges(numbers: &[u32]) -> String {
    let mut numbers = numbers.to_vec();
    numbers.sort_unstable();
    let runs = numbers.chunk_by(|one, next| one + 1 == *next);
    let shown = runs.filter_map(|run| match (run.first()?, run.last()?) {
        (first, last) if first == last => Some(first.to_string()),
        (first, last) => Some(format!("{first}-{last}")),
    });
    shown.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::super::super::{Reach, State};
    use super::*;

    fn operator(job: &str, name: &str, subtasks: &[u32], parallelism: u32) -> Operator {
        Operator {
            jid: format!("{job}1"),
            job: job.to_owned(),
            name: name.to_owned(),
            subtasks: subtasks.to_vec(),
            parallelism,
        }
    }

    #[test]
    fn subtasks_are_named_as_threads_are() {
        let text = |subtasks: &[u32]| shown(&[operator("count", "squares", subtasks, 8)]).unwrap();
        assert_eq!(text(&[2]), "runs squares (2/8) of count");
        assert_eq!(text(&[5, 1, 3, 2]), "runs squares (1-3,5/8) of count");
        assert_eq!(text(&[1, 2, 3, 4, 5, 6, 7, 8]), "runs squares (1-8/8) of count");
        assert_eq!(shown(&[]), None);
    }

    #[test]
    fn operators_come_to_their_taskmanagers_once() {
        let row = |id: &str, operators| Jvm {
            app: None,
            role: Role::TaskManager,
            id: id.to_owned(),
            host: "n".to_owned(),
            port: None,
            state: State::Unknown,
            reach: Reach::Tunnel,
            remark: None,
            own_port: None,
            silent: false,
            operators,
        };
        let mut rows = [row("tm-1", Some(Vec::new())), row("tm-2", Some(Vec::new())), row("tm-1", None)];
        let [a, b] = ["a", "b"].map(|name| operator("count", name, &[1], 2));
        let on = |id: &str, operator: &Operator| (id.to_owned(), operator.clone());
        put(&mut rows, vec![on("tm-1", &b), on("tm-2", &a), on("tm-1", &a), on("tm-1", &b), on("tm-2", &a)]);
        let names = |row: &Jvm| row.operators.as_ref().map(|all| all.iter().map(|one| one.name.clone()).collect());
        let expected: Vec<Option<Vec<String>>> = vec![Some(vec!["a".into(), "b".into()]), Some(vec!["a".into()]), None];
        assert_eq!(rows.iter().map(names).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn many_operators_and_long_names_stay_readable() {
        let named = |name: &str| operator("a", name, &[1], 1);
        let all = ["p", "q", "r", "s", "t", "u"].map(named);
        assert_eq!(shown(&all).unwrap(), "runs p (1/1), q (1/1), r (1/1), s (1/1), 2 more of a");
        let two = [named("p"), operator("b", &"x".repeat(61), &[1, 2], 2)];
        let long = format!("{}…", "x".repeat(59));
        assert_eq!(shown(&two).unwrap(), format!("runs p (1/1) of a, {long} (1-2/2) of b"));
    }
}
