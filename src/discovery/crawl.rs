//! Many questions to many servers at once, with one end for all of them.
//!
//! One deadline holds for every request and so for the whole: a server that never answers costs its own
//! rows, not the time of the others. A job may lead to further jobs.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Instant;

use super::{Jvm, Operator};
use crate::error::Failure;

/// Requests under way at once. They wait more than they work.
const MOST_AT_ONCE: usize = 64;

/// Requests under way to one server that has answered before: it is not to be stormed by us.
const MOST_PER_SERVER: usize = 16;

/// Requests under way to a server that has not answered yet: one that never does holds up no more.
const MOST_PER_STRANGER: usize = 1;

/// The work of one job.
type Work = Box<dyn FnOnce() -> Found + Send>;

/// One question.
pub struct Job {
    /// Whom it goes to.
    pub server: String,
    /// What is known without an answer.
    pub unanswered: Vec<Jvm>,
    /// Whether the look is for nothing without its answer.
    pub is_named: bool,
    /// Asks.
    pub work: Work,
}

impl Job {
    /// A question to that server; without an answer nothing is known.
    pub fn new(server: impl Into<String>, work: impl FnOnce() -> Found + Send + 'static) -> Job {
        Job { server: server.into(), unanswered: Vec::new(), is_named: false, work: Box::new(work) }
    }

    /// What is known without an answer.
    pub fn or_else(mut self, unanswered: Jvm) -> Job {
        self.unanswered.push(unanswered);
        self
    }
}

/// What came of one job, or of all.
#[derive(Default)]
pub struct Found {
    /// The JVMs.
    pub jvms: Vec<Jvm>,
    /// What runs on TaskManagers, by their ids.
    pub running: Vec<(String, Operator)>,
    /// Questions that the answer leads to.
    pub jobs: Vec<Job>,
    /// What did not work, for people; a set, for a thousand rows may share one trouble.
    pub troubles: BTreeSet<String>,
    /// What people should know although all went well.
    pub notes: BTreeSet<String>,
    /// Why the one thing that the user named cannot be read.
    pub failure: Option<Failure>,
    /// The server that the user named did not answer in time.
    pub is_named_silent: bool,
    /// Servers that did not answer in time, and how many questions each was asked.
    pub silent: BTreeMap<String, usize>,
}

impl Found {
    /// Nothing but a trouble.
    pub fn trouble(text: impl Into<String>) -> Found {
        Found { troubles: [text.into()].into(), ..Found::default() }
    }

    /// Nothing but a note.
    pub fn note(text: impl Into<String>) -> Found {
        Found { notes: [text.into()].into(), ..Found::default() }
    }

    /// Nothing but questions.
    pub fn jobs(jobs: Vec<Job>) -> Found {
        Found { jobs, ..Found::default() }
    }

    /// Nothing but a JVM.
    pub fn jvm(jvm: Jvm) -> Found {
        Found { jvms: vec![jvm], ..Found::default() }
    }

    /// Both.
    pub fn and(mut self, other: Found) -> Found {
        self.jvms.extend(other.jvms);
        self.running.extend(other.running);
        self.jobs.extend(other.jobs);
        self.troubles.extend(other.troubles);
        self.notes.extend(other.notes);
        self.failure = self.failure.or(other.failure);
        self.is_named_silent |= other.is_named_silent;
        self.silent.extend(other.silent);
        self
    }
}

/// Runs the jobs and those that they lead to until all are done or the deadline is there. Threads that
/// still wait then are left behind: the process ends soon.
pub fn run(jobs: Vec<Job>, deadline: Instant) -> Found {
    let (sender, receiver) = mpsc::channel();
    let mut waiting: VecDeque<Job> = jobs.into();
    let mut running: BTreeMap<usize, Asked> = BTreeMap::new();
    let mut known: BTreeSet<String> = BTreeSet::new();
    let mut total = Found::default();
    let mut number = 0;
    loop {
        while let Some(job) = next(&mut waiting, &running, &known) {
            number += 1;
            running.insert(number, Asked { server: job.server, unanswered: job.unanswered, is_named: job.is_named });
            let (sender, number, work) = (sender.clone(), number, job.work);
            let started = thread::Builder::new().spawn(move || {
                // Nobody listens after the deadline.
                let _ = sender.send((number, work()));
            });
            if started.is_err() {
                // No more threads: those that run come first.
                let lost = running.remove(&number).map(|asked| asked.unanswered);
                total.jvms.extend(lost.into_iter().flatten());
                total.troubles.insert("this machine gives no more threads: some were not asked".to_owned());
            }
        }
        if running.is_empty() {
            break;
        }
        match receiver.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok((number, mut found)) => {
                known.extend(running.remove(&number).map(|asked| asked.server));
                waiting.extend(std::mem::take(&mut found.jobs));
                total = total.and(found);
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
        }
    }
    let unasked = |mut job: Job| {
        // Nobody can say that it was asked and left that open.
        for jvm in job.unanswered.iter_mut().filter(|jvm| jvm.silent) {
            (jvm.silent, jvm.remark) = (false, Some("it was not asked in time".to_owned()));
        }
        Asked { server: job.server, unanswered: job.unanswered, is_named: job.is_named }
    };
    for asked in running.into_values().chain(waiting.into_iter().map(unasked)) {
        total.jvms.extend(asked.unanswered);
        total.is_named_silent |= asked.is_named;
        *total.silent.entry(asked.server).or_default() += 1;
    }
    total
}

/// A job under way.
struct Asked {
    server: String,
    unanswered: Vec<Jvm>,
    is_named: bool,
}

/// The next job whose server may be asked now.
fn next(waiting: &mut VecDeque<Job>, running: &BTreeMap<usize, Asked>, known: &BTreeSet<String>) -> Option<Job> {
    if running.len() >= MOST_AT_ONCE {
        return None;
    }
    let mut busy: BTreeMap<&str, usize> = BTreeMap::new();
    for asked in running.values() {
        *busy.entry(&asked.server).or_default() += 1;
    }
    let may_be_asked = |job: &Job| {
        let most = if known.contains(&job.server) { MOST_PER_SERVER } else { MOST_PER_STRANGER };
        busy.get(job.server.as_str()).copied().unwrap_or(0) < most
    };
    let at = waiting.iter().position(may_be_asked)?;
    waiting.remove(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    #[test]
    fn one_silent_server_holds_up_nobody() {
        let started = Instant::now();
        let answered = Arc::new(AtomicUsize::new(0));
        let jobs = (0..900).map(|number| {
            let answered = answered.clone();
            Job::new(format!("server{}", number % 3), move || {
                if number % 3 == 1 {
                    thread::sleep(Duration::from_secs(20));
                }
                answered.fetch_add(1, Ordering::SeqCst);
                Found::default()
            })
        });
        let found = run(jobs.collect(), started + Duration::from_millis(700));
        assert!(started.elapsed() < Duration::from_millis(1200), "{:?}", started.elapsed());
        assert_eq!(answered.load(Ordering::SeqCst), 600);
        assert_eq!(found.silent, BTreeMap::from([("server1".to_owned(), 300)]));
    }

    #[test]
    fn a_job_leads_to_others_and_the_end_comes_early() {
        let started = Instant::now();
        let inner = Job::new("b", || Found::trouble("inner"));
        let outer = Job::new("a", move || Found::jobs(vec![inner]));
        let found = run(vec![outer], started + Duration::from_secs(30));
        assert_eq!(found.troubles, BTreeSet::from(["inner".to_owned()]));
        assert!(found.silent.is_empty());
        assert!(started.elapsed() < Duration::from_secs(5));
    }
}
