//! The procedure for executors: find those that wait for a debugger, set a breakpoint in a task, stand on it, read
//! what only the task knows, let it go on.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::jdb::Jdb;
use crate::job::Job;
use crate::lab::Lab;
use crate::tasks::{Outcome, Place, Tasks};

/// From the start of the job to executors that run its tasks.
const EXECUTORS_LIMIT: Duration = Duration::from_secs(150);

/// A task goes round every 100 ms once its executor runs it.
const BREAKPOINT_LIMIT: Duration = Duration::from_secs(90);

/// A debugger in an executor, which stands on the breakpoint with all its threads.
pub struct Debugged {
    jdb: Jdb,
    /// Where the task runs, as its own variables say.
    pub place: Place,
}

impl Debugged {
    /// Sets the breakpoint and waits until a task stands on it.
    pub fn stand(mut jdb: Jdb, tasks: &Tasks) -> Result<Self, String> {
        jdb.stand_at(Tasks::CLASS, tasks.task_line, BREAKPOINT_LIMIT)?;
        let unquoted = |text: String| text.trim_matches('"').to_owned();
        let place = Place {
            token: unquoted(jdb.print("token")?),
            executor: unquoted(jdb.print("executor")?),
            pid: jdb.print("pid")?.parse().map_err(|error| format!("not a process id: {error}"))?,
        };
        Ok(Self { jdb, place })
    }

    /// Removes the breakpoint and lets the task go on.
    pub fn let_go(&mut self, tasks: &Tasks) -> Result<(), String> {
        self.jdb.clear(Tasks::CLASS, tasks.task_line)?;
        self.jdb.cont()
    }
}

/// Attaches a jdb to each executor that listens for one, and has each stand in a task at the same time. `dir`: the
/// executors write their output below it.
///
/// Not before all go round: an executor that stands on a breakpoint hands out no broadcasts, and one that is to get
/// the task's from it would wait for it and never come to its own breakpoint.
pub fn attach_to_all(
    lab: &Lab,
    job: &mut Job,
    tasks: &Tasks,
    dir: &Path,
    count: usize,
) -> Result<Vec<Debugged>, String> {
    let ports = wait_for_listeners(dir, count, || job.alive())?;
    wait_for_tasks(dir, count, || job.alive())?;
    let mut debugged = Vec::new();
    for port in ports.values() {
        let jdb = Jdb::attach(&lab.java, *port, &lab.subdir(&format!("jdb-{port}")), || job.alive())?;
        debugged.push(Debugged::stand(jdb, tasks).map_err(|error| format!("{error}{}", last_words(dir)))?);
    }
    Ok(debugged)
}

/// Both tasks ran, and each of those that a debugger saw is the one that returned, at its first attempt; `executors`:
/// in how many they were.
pub fn assert_seen(tasks: &Tasks, stdout: &str, debugged: &[Debugged], executors: usize) {
    let outcomes = Tasks::outcomes(stdout);
    let tokens: Vec<&str> = outcomes.iter().map(|outcome| outcome.place.token.as_str()).collect();
    assert_eq!(tokens, [tasks.token(0), tasks.token(1)], "{stdout}");
    for executor in debugged {
        let outcome = Outcome { place: executor.place.clone(), attempt: 0 };
        assert!(outcomes.contains(&outcome), "{outcome:?} is not among {outcomes:?}");
    }
    let distinct: BTreeSet<&Place> = debugged.iter().map(|executor| &executor.place).collect();
    assert_eq!(distinct.len(), debugged.len(), "two debuggers saw the same task: {distinct:?}");
    let pids: BTreeSet<u32> = outcomes.iter().map(|outcome| outcome.place.pid).collect();
    assert_eq!(pids.len(), executors, "{outcomes:?}");
}

/// Waits until that many JVMs below a directory have said where they listen for a debugger, for as long as `alive`
/// says that they may come.
pub fn wait_for_listeners(
    dir: &Path,
    count: usize,
    alive: impl FnMut() -> bool,
) -> Result<BTreeMap<PathBuf, u16>, String> {
    wait_for(dir, count, "executors listened for a debugger", alive, listeners)
}

/// Waits until that many JVMs below a directory run a task, for as long as `alive` says that they may.
pub fn wait_for_tasks(dir: &Path, count: usize, alive: impl FnMut() -> bool) -> Result<(), String> {
    let with_task = |dir: &Path| -> BTreeMap<PathBuf, ()> {
        let going_round = |file: &PathBuf| fs::read_to_string(file).is_ok_and(|said| said.contains("going round"));
        outputs(dir).into_iter().filter(going_round).map(|file| (file, ())).collect()
    };
    wait_for(dir, count, "executors ran a task", alive, with_task).map(drop)
}

fn wait_for<T>(
    dir: &Path,
    count: usize,
    what: &str,
    mut alive: impl FnMut() -> bool,
    look: impl Fn(&Path) -> BTreeMap<PathBuf, T>,
) -> Result<BTreeMap<PathBuf, T>, String> {
    let started = Instant::now();
    loop {
        // Asked before the look, so that the last words are read too.
        let may_come = alive();
        let found = look(dir);
        if found.len() == count {
            return Ok(found);
        }
        if !may_come || started.elapsed() > EXECUTORS_LIMIT {
            let why = if may_come { format!("{EXECUTORS_LIMIT:?} are over") } else { "the job ended".to_owned() };
            return Err(format!("{} {what} instead of {count}: {why}{}", found.len(), last_words(dir)));
        }
        thread::sleep(Duration::from_millis(100));
    }
}

/// The files below a directory in which a JVM said that it listens for a debugger, with its port.
pub fn listeners(dir: &Path) -> BTreeMap<PathBuf, u16> {
    let ports = outputs(dir).into_iter().filter_map(|file| {
        let said = fs::read_to_string(&file).ok()?;
        // The last: a JVM that Spark starts again in the same place says it again.
        let port =
            said.lines().rev().find_map(|line| line.strip_prefix("Listening for transport dt_socket at address: "))?;
        Some((file, port.parse().expect("a port")))
    });
    ports.collect()
}

/// How the JVMs below a directory came to their ends, if they did not like their start.
fn last_words(dir: &Path) -> String {
    let tail = |file: PathBuf| {
        let said = fs::read_to_string(file.with_file_name("stderr")).unwrap_or_default();
        let lines: Vec<&str> = said.lines().collect();
        format!("\n{}:\n{}", file.display(), lines[lines.len().saturating_sub(20)..].join("\n"))
    };
    outputs(dir).into_iter().take(3).map(tail).collect()
}

/// The files named `stdout` below a directory, which is where Spark and YARN have JVMs write.
pub fn outputs(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            found.extend(outputs(&entry.path()));
        } else if entry.file_name() == "stdout" {
            found.push(entry.path());
        }
    }
    found.sort();
    found
}
