//! A standalone Flink of the distribution's own scripts: daemons that are started by whatever command a test means to
//! try, with a configuration, logs and pid files of their own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::{Process, get, processes_below};
use crate::job::{Ended, Job};
use crate::lab::{Lab, free_port};

/// For a daemon's start on a busy machine.
const READY_LIMIT: Duration = Duration::from_secs(120);

/// For a script that starts daemons: each looks at the configuration with two JVMs before its own.
const SCRIPT_LIMIT: Duration = Duration::from_secs(120);

/// For processes that were killed.
const GONE_LIMIT: Duration = Duration::from_secs(10);

/// The user whom the names of logs and pid files are after.
const USER: &str = "lab";

/// The smallest memory of each JVM with which it starts and runs a small job.
const MEMORY: &str = "
jobmanager.memory.process.size: 640m
jobmanager.memory.jvm-metaspace.size: 160m
jobmanager.memory.off-heap.size: 64m
jobmanager.memory.jvm-overhead.min: 64m
taskmanager.memory.process.size: 640m
taskmanager.memory.jvm-metaspace.size: 160m
taskmanager.memory.jvm-overhead.min: 64m
taskmanager.memory.managed.size: 32m
taskmanager.memory.network.min: 32m
taskmanager.memory.network.max: 32m
taskmanager.memory.framework.heap.size: 96m
taskmanager.memory.framework.off-heap.size: 64m
";

/// What Java 17 asks of a Flink that does not know it.
const OPEN: &str = "env.java.opts: --add-exports=java.base/sun.net.util=ALL-UNNAMED \
    --add-opens=java.base/java.lang=ALL-UNNAMED --add-opens=java.base/java.util=ALL-UNNAMED";

/// A cluster. Its daemons end when it goes out of scope.
pub struct Flink {
    /// The daemons work in it, by which they are known.
    dir: PathBuf,
    rest_port: u16,
}

impl Flink {
    /// A cluster without daemons.
    pub fn new(lab: &Lab) -> Self {
        Self::named(lab, "flink")
    }

    /// One of several.
    pub fn named(lab: &Lab, name: &str) -> Self {
        let flink = Self { dir: lab.subdir(name), rest_port: free_port() };
        for part in ["conf", "log", "pid", "tmp"] {
            lab.subdir(&format!("{name}/{part}"));
        }
        for file in fs::read_dir(lab.home.join("conf")).expect("the distribution's configuration").flatten() {
            fs::copy(file.path(), flink.conf_dir().join(file.file_name())).expect("a copy of it");
        }
        flink.configure(&flink.own_settings());
        flink
    }

    /// Adds lines `key: value` to the configuration file; a later one of the same key counts.
    pub fn configure(&self, lines: &str) {
        let file = self.conf_file();
        let before = fs::read_to_string(&file).expect("the configuration");
        fs::write(&file, format!("{}\n{lines}\n", before.trim_end())).expect("the test's own configuration");
    }

    /// Has `start-cluster.sh` start that many TaskManagers.
    pub fn set_workers(&self, count: usize) {
        fs::write(self.conf_dir().join("workers"), "localhost\n".repeat(count)).expect("the test's own configuration");
    }

    /// Has a command use this cluster: its configuration, its logs, its pid files.
    pub fn apply<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .current_dir(&self.dir)
            .env("FLINK_CONF_DIR", self.conf_dir())
            .env("FLINK_LOG_DIR", self.dir.join("log"))
            .env("FLINK_PID_DIR", self.dir.join("pid"))
            .env("USER", USER)
    }

    /// Runs a command that starts or stops daemons, with or without us before the script, to its end with status 0.
    /// Whether the daemons came up is not known by then.
    pub fn start(&self, command: &mut Command) -> Ended {
        let ended = Job::start(self.apply(command), &self.dir, None).end_with_daemons(SCRIPT_LIMIT);
        let ended = ended.unwrap_or_else(|error| panic!("{error}\n{}", self.last_words()));
        assert!(ended.status.success(), "{command:?} failed: {ended:#?}");
        ended
    }

    /// Until the JobManager serves and knows that many TaskManagers.
    pub fn wait_for_taskmanagers(&self, count: usize) {
        let started = Instant::now();
        loop {
            let known = self.rest("/overview").map(|overview| overview["taskmanagers"].clone());
            if known.as_ref().is_ok_and(|known| *known == count) {
                return;
            }
            // The JobManager and each TaskManager, which are there when their script has ended, if they live.
            let dead = self.daemons().len() < 1 + count;
            if dead || started.elapsed() > READY_LIMIT {
                panic!("the cluster has {known:?} TaskManagers instead of {count}:\n{}", self.last_words());
            }
            thread::sleep(Duration::from_millis(100));
        }
    }

    /// Where its JobManager serves.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.rest_port)
    }

    /// What the JobManager answers to `GET path`.
    pub fn rest(&self, path: &str) -> Result<Value, String> {
        serde_json::from_str(&get(self.rest_port, path)?).map_err(|error| format!("{path}: {error}"))
    }

    /// The daemons that run.
    pub fn daemons(&self) -> Vec<Process> {
        processes_below(&self.dir)
    }

    /// The process numbers of the daemons of that kind (`taskexecutor`, `standalonesession`), in the order of their
    /// starts, as their scripts noted them.
    pub fn pids(&self, kind: &str) -> Vec<u32> {
        let noted = fs::read_to_string(self.dir.join(format!("pid/flink-{USER}-{kind}.pid"))).unwrap_or_default();
        noted.lines().map(|pid| pid.parse().expect("a process number")).collect()
    }

    /// What the daemon of that kind with that number, from 0, wrote to its standard output and error.
    pub fn output(&self, kind: &str, number: usize) -> String {
        let start = format!("flink-{USER}-{kind}-{number}-");
        let mut named = self.logs(".out").into_iter().filter(|log| file_name(log).starts_with(&start));
        named.next().map(|log| read(&log)).unwrap_or_default()
    }

    fn own_settings(&self) -> String {
        let (rest, rpc, tmp) = (self.rest_port, free_port(), self.dir.join("tmp"));
        let open = if read(&self.conf_file()).contains("--add-opens") { "" } else { OPEN };
        let tmp = tmp.display();
        format!(
            "{MEMORY}{open}
rest.address: localhost
rest.bind-address: localhost
rest.port: {rest}
jobmanager.rpc.address: localhost
jobmanager.rpc.port: {rpc}
jobmanager.bind-host: localhost
taskmanager.host: localhost
taskmanager.bind-host: localhost
io.tmp.dirs: {tmp}
web.tmpdir: {tmp}"
        )
    }

    fn conf_dir(&self) -> PathBuf {
        self.dir.join("conf")
    }

    /// The one that counts where both are.
    fn conf_file(&self) -> PathBuf {
        let flat = self.conf_dir().join("flink-conf.yaml");
        if flat.is_file() { flat } else { self.conf_dir().join("config.yaml") }
    }

    fn logs(&self, end: &str) -> Vec<PathBuf> {
        let logs = fs::read_dir(self.dir.join("log")).into_iter().flatten().flatten().map(|log| log.path());
        let mut logs: Vec<PathBuf> = logs.filter(|log| file_name(log).ends_with(end)).collect();
        logs.sort();
        logs
    }

    /// How the daemons came to their ends, if they did not like their start.
    pub fn last_words(&self) -> String {
        let tail = |log: PathBuf| {
            let said = read(&log);
            let lines: Vec<&str> = said.lines().collect();
            format!("{}:\n{}\n", log.display(), lines[lines.len().saturating_sub(15)..].join("\n"))
        };
        [self.logs(".out"), self.logs(".log")].concat().into_iter().map(tail).collect()
    }
}

impl Drop for Flink {
    fn drop(&mut self) {
        let started = Instant::now();
        // Again and again: a script that was ended in its middle may have started one more.
        while started.elapsed() < GONE_LIMIT {
            let left = self.daemons();
            if left.is_empty() {
                return;
            }
            for daemon in left {
                let pid = i32::try_from(daemon.pid).ok().and_then(Pid::from_raw);
                let _ = pid.map(|pid| kill_process(pid, Signal::KILL));
            }
            thread::sleep(Duration::from_millis(50));
        }
    }
}

fn file_name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

fn read(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
}
