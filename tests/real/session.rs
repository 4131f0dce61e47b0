//! The procedure that proves a debugger works, the same for every command: set a breakpoint, stand on it, read a
//! value that only the job knows, let it go on.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::jdb::Jdb;
use crate::job::{Ended, JOB_LIMIT, Job};
use crate::lab::{Lab, free_port};

/// From the start of the job to the breakpoint.
const BREAKPOINT_LIMIT: Duration = Duration::from_secs(150);

/// Who dials whom.
#[derive(Debug, Clone, Copy)]
pub enum Dial {
    /// The JVM listens, jdb attaches.
    Attach,
    /// jdb listens, the JVM dials out.
    Listen,
}

/// A line of Java to stop at, and what to read there.
#[derive(Debug, Clone, Copy)]
pub struct Breakpoint<'a> {
    /// The class, with its package.
    pub class: &'a str,
    /// The line in its source, from 1.
    pub line: usize,
    /// The local variables to read.
    pub variables: &'a [&'a str],
}

/// What was seen from the debugger and from outside.
#[derive(Debug)]
pub struct Seen {
    /// The values of the variables, as jdb prints them.
    pub values: Vec<String>,
    /// The command line of the started process while it stood on the breakpoint.
    pub command_line: String,
    /// Where jdb and the JVM met, on 127.0.0.1.
    pub port: u16,
    /// How the job ended after it was let go on.
    pub ended: Ended,
}

/// A job that waits to be resumed by the debugger that it is connected to.
pub struct Connected {
    /// The job.
    pub job: Job,
    /// Its debugger.
    pub jdb: Jdb,
    /// Where they met, on 127.0.0.1.
    pub port: u16,
}

/// Starts the job that `command` makes of an endpoint (`attach:PORT`), stops it at the breakpoint once, and lets it
/// end. An error says which step failed.
pub fn stop_once(
    lab: &Lab,
    dial: Dial,
    breakpoint: Breakpoint,
    stdin: Option<&Path>,
    command: impl FnOnce(&str) -> Command,
) -> Result<Seen, String> {
    let Connected { mut job, mut jdb, port } = connect(lab, dial, stdin, command)?;
    let values = look(&mut jdb, breakpoint).map_err(|error| format!("{error}\nthe job: {}", job.said()))?;
    if !job.alive() {
        return Err(format!("the job ended while it stood on a breakpoint: {}", job.said()));
    }
    let command_line = job.command_line();
    jdb.cont()?;
    let ended = job.end(JOB_LIMIT)?;
    Ok(Seen { values, command_line, port, ended })
}

/// Starts the job that `command` makes of an endpoint and connects jdb to it.
pub fn connect(
    lab: &Lab,
    dial: Dial,
    stdin: Option<&Path>,
    command: impl FnOnce(&str) -> Command,
) -> Result<Connected, String> {
    let port = free_port();
    let (job, jdb) = match dial {
        Dial::Attach => {
            let mut job = Job::start(&mut command(&format!("attach:{port}")), lab.dir(), stdin);
            let jdb = Jdb::attach(&lab.java, port, lab.dir(), || job.alive());
            (job, jdb)
        }
        Dial::Listen => {
            let mut jdb = Jdb::listen(&lab.java, port, lab.dir())?;
            let mut job = Job::start(&mut command(&format!("listen:{port}")), lab.dir(), stdin);
            let jdb = jdb.connected(|| job.alive()).map(|()| jdb);
            (job, jdb)
        }
    };
    match jdb.and_then(|mut jdb| jdb.started_suspended().map(|()| jdb)) {
        Ok(jdb) => Ok(Connected { job, jdb, port }),
        Err(error) => Err(format!("{error}\nthe job: {}", job.said())),
    }
}

fn look(jdb: &mut Jdb, breakpoint: Breakpoint) -> Result<Vec<String>, String> {
    jdb.stop_at(breakpoint.class, breakpoint.line)?;
    jdb.cont()?;
    jdb.breakpoint_hit(BREAKPOINT_LIMIT)?;
    breakpoint.variables.iter().map(|variable| jdb.print(variable)).collect()
}
