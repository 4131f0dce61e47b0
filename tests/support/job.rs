//! One started process and its output. Nothing of it outlives whoever started it.

#![allow(dead_code, reason = "each test binary and the example uses its own part")]

use std::fs::{self, File};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process_group};

/// For the whole of a small job on a busy machine; it takes about a tenth of this.
pub const JOB_LIMIT: Duration = Duration::from_secs(180);

const POLL: Duration = Duration::from_millis(20);

/// A running job.
pub struct Job {
    child: Child,
    /// Files, since nobody reads the output before the end, and a full pipe would stop the job.
    stdout: PathBuf,
    stderr: PathBuf,
    /// Whether what it started is left to whoever knows it better.
    leaves_daemons: bool,
}

/// How long what a job started may outlive it; one that goes on without it goes on for longer.
const LAST_MOMENTS: Duration = Duration::from_secs(5);

/// How a job ended.
#[derive(Debug)]
pub struct Ended {
    /// Its status.
    pub status: ExitStatus,
    /// All that it wrote to standard output.
    pub stdout: String,
    /// All that it wrote to standard error.
    pub stderr: String,
    /// Whether something that it started still ran when it had ended.
    pub left_running: bool,
}

impl Ended {
    /// The status as a shell shows it: 128 + N for one that was ended by signal N.
    pub fn code(&self) -> i32 {
        self.status.code().or_else(|| self.status.signal().map(|signal| 128 + signal)).expect("an ended process")
    }
}

impl Job {
    /// Starts the command with `stdin` as its standard input; its output goes to files in `dir`.
    pub fn start(command: &mut Command, dir: &Path, stdin: Option<&Path>) -> Self {
        let (stdout, stderr) = (dir.join("stdout.log"), dir.join("stderr.log"));
        let stdin = stdin.map_or_else(Stdio::null, |path| File::open(path).expect("the job's input").into());
        let create = |path: &Path| File::create(path).expect("a file for the job's output");
        // A group of its own, so that whatever the job starts can be ended with it.
        command.stdin(stdin).stdout(create(&stdout)).stderr(create(&stderr)).process_group(0);
        let child = command.spawn().unwrap_or_else(|error| panic!("cannot run `{command:?}`: {error}"));
        Self { child, stdout, stderr, leaves_daemons: false }
    }

    /// Whether the job still runs.
    pub fn alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// The command line of the process that we started, which `exec` changes and a child process does not; words are
    /// separated by spaces.
    pub fn command_line(&self) -> String {
        let words = fs::read(format!("/proc/{}/cmdline", self.child.id())).unwrap_or_default();
        String::from_utf8_lossy(&words).replace('\0', " ")
    }

    /// Sends a signal to the process that we started, and to no child of it.
    pub fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).expect("a signal to our own child");
    }

    /// Waits for the job's own end.
    pub fn end(mut self, limit: Duration) -> Result<Ended, String> {
        let status = self.wait(limit)?;
        let left_running = self.leaves_something();
        Ok(self.ended(status, left_running))
    }

    /// Waits for the end of a script that starts daemons, which go on: the caller ends them.
    pub fn end_with_daemons(mut self, limit: Duration) -> Result<Ended, String> {
        let status = self.wait(limit)?;
        self.leaves_daemons = true;
        Ok(self.ended(status, true))
    }

    fn wait(&mut self, limit: Duration) -> Result<ExitStatus, String> {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().map_err(|error| format!("cannot wait for the job: {error}"))? {
                return Ok(status);
            }
            if started.elapsed() > limit {
                return Err(format!("the job did not end within {limit:?}: {}", self.said()));
            }
            thread::sleep(POLL);
        }
    }

    fn ended(&self, status: ExitStatus, left_running: bool) -> Ended {
        Ended { status, stdout: read(&self.stdout), stderr: read(&self.stderr), left_running }
    }

    /// Whether something of the job's group still runs a while after its end: short-lived helpers of its last moments
    /// are not yet reaped when it ends.
    fn leaves_something(&self) -> bool {
        let ended = Instant::now();
        while test_kill_process_group(self.pid()).is_ok() {
            if ended.elapsed() > LAST_MOMENTS {
                return true;
            }
            thread::sleep(POLL);
        }
        false
    }

    /// What the job wrote to standard error so far.
    pub fn stderr(&self) -> String {
        read(&self.stderr)
    }

    /// What the job wrote so far, for the message of a failure.
    pub fn said(&self) -> String {
        format!("{}\nstdout:\n{}\nstderr:\n{}", self.command_line(), read(&self.stdout), read(&self.stderr))
    }

    fn pid(&self) -> Pid {
        i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).expect("a process id")
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        if self.leaves_daemons {
            return;
        }
        // The group goes on after its leader's end as long as it has members.
        let _ = kill_process_group(self.pid(), Signal::KILL);
        let _ = self.child.wait();
    }
}

fn read(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
}
