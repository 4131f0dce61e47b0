//! A standalone cluster of the distribution's own daemons: one Master, and Workers that are started by whatever
//! command a test means to try.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::get;
use crate::job::Job;
use crate::lab::{Lab, free_port};

const MASTER: &str = "org.apache.spark.deploy.master.Master";
const WORKER: &str = "org.apache.spark.deploy.worker.Worker";

/// For a daemon's start on a busy machine.
const READY_LIMIT: Duration = Duration::from_secs(120);

/// A Master and its Workers. They end when it goes out of scope, and the executors and drivers with them.
pub struct Standalone {
    /// What `--master` takes.
    pub url: String,
    webui: u16,
    /// In the order in which they were started.
    pub workers: Vec<Worker>,
    // After the workers, which would look for it.
    master: Job,
}

/// A Worker.
pub struct Worker {
    daemon: Job,
    /// Below it, each executor writes to `APPLICATION/EXECUTOR/stdout`.
    pub dir: PathBuf,
}

impl Standalone {
    /// A Master without Workers.
    pub fn new(lab: &Lab) -> Self {
        // The port of its REST gateway is the same for every Master.
        Self::with_master_opts(lab, "-Dspark.master.rest.enabled=false")
    }

    /// A Master without Workers that takes submissions by REST, and where.
    pub fn with_rest(lab: &Lab) -> (Self, String) {
        let port = free_port();
        let opts = format!("-Dspark.master.rest.enabled=true -Dspark.master.rest.port={port}");
        (Self::with_master_opts(lab, &opts), format!("spark://127.0.0.1:{port}"))
    }

    fn with_master_opts(lab: &Lab, opts: &str) -> Self {
        let (port, webui) = (free_port(), free_port());
        let dir = lab.subdir("master");
        let mut command = daemon(lab.script("spark-class"));
        command
            .args([MASTER, "--host", "127.0.0.1", "--port", &port.to_string(), "--webui-port", &webui.to_string()])
            .env("SPARK_MASTER_OPTS", opts);
        let master = Job::start(&mut command, &dir, None);
        let mut cluster = Self { url: format!("spark://127.0.0.1:{port}"), webui, workers: Vec::new(), master };
        cluster.wait_for_workers();
        cluster
    }

    /// A Master with so many Workers of one core each, as the distribution starts them.
    pub fn with_workers(lab: &Lab, count: usize) -> Self {
        let mut cluster = Self::new(lab);
        for _ in 0..count {
            cluster.add_plain_worker(lab);
        }
        cluster
    }

    /// Starts a Worker as the distribution does.
    pub fn add_plain_worker(&mut self, lab: &Lab) {
        self.add_worker(lab, |words| {
            let mut command = lab.script("spark-class");
            command.arg(WORKER).args(words);
            command
        });
    }

    /// Starts the Worker that `command` makes of a Worker's arguments, and waits until the Master knows it.
    pub fn add_worker(&mut self, lab: &Lab, command: impl FnOnce(&[String]) -> Command) {
        let dir = lab.subdir(&format!("worker-{}", self.workers.len()));
        let work = dir.join("work");
        let options = "--host 127.0.0.1 --port 0 --webui-port 0 --cores 1 --memory 1g --work-dir";
        let mut words: Vec<String> = options.split(' ').map(str::to_owned).collect();
        words.push(work.display().to_string());
        words.push(self.url.clone());
        // An executor is of its Worker's process group, and ends with it.
        let daemon = Job::start(&mut daemon(command(&words)), &dir, None);
        self.workers.push(Worker { daemon, dir: work });
        self.wait_for_workers();
    }

    /// Until the Master serves and knows each Worker that was started.
    fn wait_for_workers(&mut self) {
        let started = Instant::now();
        let wanted = self.workers.len();
        loop {
            let known = self.alive_workers();
            if known.as_ref().is_ok_and(|known| *known == wanted) {
                return;
            }
            let dead = self.daemons().any(|daemon| !daemon.alive());
            if dead || started.elapsed() > READY_LIMIT {
                let said: Vec<String> = self.daemons().map(|daemon| daemon.said()).collect();
                panic!("the cluster has {known:?} workers instead of {wanted}: {}", said.join("\n\n"));
            }
            thread::sleep(Duration::from_millis(100));
        }
    }

    fn alive_workers(&self) -> Result<usize, String> {
        let state: Value = serde_json::from_str(&get(self.webui, "/json/")?).map_err(|error| error.to_string())?;
        state["aliveworkers"].as_u64().map(|count| count as usize).ok_or_else(|| format!("no aliveworkers in {state}"))
    }

    fn daemons(&mut self) -> impl Iterator<Item = &mut Job> {
        std::iter::once(&mut self.master).chain(self.workers.iter_mut().map(|worker| &mut worker.daemon))
    }
}

impl Worker {
    /// The command line of the daemon.
    pub fn command_line(&self) -> String {
        self.daemon.command_line()
    }

    /// Where that executor of the only application works, if this Worker started it.
    pub fn executor_dir(&self, executor: &str) -> Option<PathBuf> {
        let applications = fs::read_dir(&self.dir).expect("the worker's directory");
        applications.flatten().map(|application| application.path().join(executor)).find(|dir| dir.is_dir())
    }
}

/// What a daemon needs so that it neither fills the machine nor is seen outside.
fn daemon(mut command: Command) -> Command {
    command
        .env("SPARK_DAEMON_MEMORY", "384m")
        .env("SPARK_MASTER_HOST", "127.0.0.1")
        .env("SPARK_PUBLIC_DNS", "127.0.0.1");
    command
}
