//! What lets JobManager, TaskManager and client stand on a breakpoint for the pause limit without that
//! anybody is given up.
//!
//! Times are plain milliseconds: the one form that every Flink from 1.14 to 2.3 takes for each of these
//! keys. Shown with a TaskManager that was stopped on 1.20.

mod time;

use std::time::Duration;

use super::deployment::{Deployment, Manager};
use super::script::Script;
use crate::pause::Setting;
use crate::version::Version;

/// Who reads a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reader {
    /// The JobManager and the TaskManagers.
    Cluster,
    JobManager,
    TaskManager,
    /// Whoever makes the graph of the job: the client, of an application the JobManager.
    Job,
    Client,
}

/// What is debugged, and where it runs.
pub struct Debugged<'a> {
    /// How long a JVM may stand still.
    pub limit: Duration,
    /// What is started.
    pub script: Script,
    /// Where the JVMs run.
    pub deployment: &'a Deployment,
    /// The Flink that is started here, if known.
    pub version: Option<&'a Version>,
    /// Whether the client is debugged.
    pub client: bool,
    /// Whether the JobManager is.
    pub jobmanager: bool,
    /// Whether TaskManagers are.
    pub taskmanager: bool,
    /// Whether a TaskManager waits for its debugger before it registers.
    pub taskmanager_suspends: bool,
    /// Whether the client stops the job when it is gone (`-sae`).
    pub stops_job_at_exit: bool,
    /// What the user set for a key, and where it stands.
    pub given: &'a dyn Fn(&str) -> Option<(String, String)>,
}

/// What the pause limit needs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FlinkPause {
    /// For the JobManager that is started; of a deployment, for all of it.
    pub jobmanager: Vec<Setting>,
    /// For the TaskManagers that are started.
    pub taskmanager: Vec<Setting>,
    /// The user's values that end a pause before its limit; they are kept.
    pub defeated: Vec<String>,
    /// What no setting of this command reaches.
    pub elsewhere: Vec<String>,
}

const AKKA_ASK: &str = "akka.ask.timeout";
const PEKKO_ASK: &str = "pekko.ask.timeout";

/// The name of the time for requests: Akka's before 1.18; later ones still read that too.
pub fn ask_timeout(version: Option<&Version>) -> &'static str {
    if version.is_some_and(|version| version.at_least(1, 18)) { PEKKO_ASK } else { AKKA_ASK }
}

/// Another name of the same key, which may be the one that is set.
pub fn other_name(key: &str) -> Option<&'static str> {
    match key {
        AKKA_ASK => Some(PEKKO_ASK),
        PEKKO_ASK => Some(AKKA_ASK),
        _ => None,
    }
}

/// Whether a pause may need a value for that key.
pub fn is_settable(key: &str) -> bool {
    key == TOLERABLE_CHECKPOINTS || key.ends_with("timeout")
}

/// Who is silent for that long is given up.
pub const HEARTBEAT: &str = "heartbeat.timeout";
const CHECKPOINT_TIMEOUT: &str = "execution.checkpointing.timeout";
const TOLERABLE_CHECKPOINTS: &str = "execution.checkpointing.tolerable-failed-checkpoints";
/// As many as no pause within the limit can fail.
const MANY_CHECKPOINTS: &str = "1000000";

/// `yarn.am.liveness-monitor.expiry-interval-ms` of the ResourceManager.
const YARN_AM_EXPIRY: Duration = Duration::from_secs(600);

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// What the pause limit needs.
pub fn plan(debugged: &Debugged<'_>) -> FlinkPause {
    let mut pause = FlinkPause::default();
    if debugged.jobmanager || debugged.taskmanager || *debugged.deployment == Deployment::Local {
        debugged.cluster(&mut pause);
        debugged.job(&mut pause);
    }
    if debugged.client && debugged.stops_job_at_exit {
        let why = "a job that stops with its client (-sae) is cancelled when the client is silent for 3m";
        debugged.time(&mut pause, Reader::Client, "client.heartbeat.timeout", seconds(180), why);
    }
    debugged.elsewhere(&mut pause);
    pause
}

impl Debugged<'_> {
    fn cluster(&self, pause: &mut FlinkPause) {
        let why = "a JobManager or TaskManager that is silent for 50s is given up, and its tasks fail";
        self.time(pause, Reader::Cluster, HEARTBEAT, seconds(50), why);
        let why = "a request to a JVM that stands still fails after 10s";
        self.time(pause, Reader::Cluster, ask_timeout(self.version), seconds(10), why);
        let why = "a job whose slots a paused JVM does not give fails after 5m";
        self.time(pause, Reader::JobManager, "slot.request.timeout", seconds(300), why);
        if self.is_adaptive() && self.taskmanager_suspends {
            let key = match self.version {
                Some(version) if version.at_least(2, 0) => {
                    "jobmanager.adaptive-scheduler.submission.resource-wait-timeout"
                }
                _ => "jobmanager.adaptive-scheduler.resource-wait-timeout",
            };
            let why = "a job fails that waits for a TaskManager for 5m";
            self.time(pause, Reader::JobManager, key, seconds(300), why);
        }
        if self.taskmanager || *self.deployment == Deployment::Local {
            let why = "a TaskManager kills itself when a task that stands on a breakpoint is not cancelled within 3m";
            self.set(pause, Reader::TaskManager, "task.cancellation.timeout", "0", seconds(180), why);
        }
        let deploys = matches!(self.deployment, Deployment::Deploys { .. });
        if self.taskmanager_suspends && deploys {
            let why = "a TaskManager that does not register within 5m is started again";
            let key = "resourcemanager.taskmanager-registration.timeout";
            self.time(pause, Reader::JobManager, key, seconds(300), why);
        }
        if self.jobmanager {
            let why = "a TaskManager that cannot register at a paused JobManager ends after 5m";
            self.time(pause, Reader::TaskManager, "taskmanager.registration.timeout", seconds(300), why);
            let why = "what the web UI asks of a paused JobManager fails after 10m";
            self.time(pause, Reader::JobManager, "web.timeout", seconds(600), why);
            if self.has_zookeeper() {
                let why = "ZooKeeper takes the leadership from a JobManager that is silent for 60s";
                let key = "high-availability.zookeeper.client.session-timeout";
                self.time(pause, Reader::Cluster, key, seconds(60), why);
            }
            if deploys {
                let why = "the client gives up a JobManager that does not answer for 60s";
                self.time(pause, Reader::Client, "client.timeout", seconds(60), why);
                let why = "the client closes a connection on which a paused JobManager is silent for 5m";
                self.time(pause, Reader::Client, "rest.idleness-timeout", seconds(300), why);
            }
        }
    }

    fn job(&self, pause: &mut FlinkPause) {
        let why = "a checkpoint that a paused JVM does not finish expires after 10m";
        self.time(pause, Reader::Job, CHECKPOINT_TIMEOUT, seconds(600), why);
        let why = "a job is started again as soon as one checkpoint fails";
        self.set(pause, Reader::Job, TOLERABLE_CHECKPOINTS, MANY_CHECKPOINTS, seconds(0), why);
    }

    /// A time, where the default is shorter than the limit.
    fn time(&self, pause: &mut FlinkPause, reader: Reader, key: &'static str, default: Duration, why: &str) {
        self.set(pause, reader, key, &self.millis().to_string(), default, why);
    }

    fn set(
        &self,
        pause: &mut FlinkPause,
        reader: Reader,
        key: &'static str,
        value: &str,
        default: Duration,
        why: &str,
    ) {
        if self.limit <= default {
            return;
        }
        let given = [Some(key), other_name(key)].into_iter().flatten().find_map(|key| Some((key, (self.given)(key)?)));
        if let Some((key, (text, place))) = given {
            if !self.bears(key, &text) {
                let limit = humantime::format_duration(self.limit);
                pause
                    .defeated
                    .push(format!("{key} is `{text}` ({place}): {why}; kept, so a pause cannot last {limit}"));
            }
            return;
        }
        let (jobmanager, taskmanager) = self.readers(reader);
        let setting = Setting { key, value: value.to_owned(), why: why.to_owned() };
        if taskmanager {
            pause.taskmanager.push(setting.clone());
        }
        if jobmanager {
            pause.jobmanager.push(setting);
        }
    }

    /// Whether the user's value bears a pause.
    fn bears(&self, key: &str, text: &str) -> bool {
        if key == TOLERABLE_CHECKPOINTS {
            return text.trim().parse::<u64>().is_ok_and(|number| number > 0);
        }
        match time::millis(text) {
            Some(0) => key == "task.cancellation.timeout",
            Some(millis) => millis >= self.millis(),
            // Flink says what is wrong with it.
            None => true,
        }
    }

    /// Which of the JVMs that are started must be told. Of a deployment, the client tells everybody.
    fn readers(&self, reader: Reader) -> (bool, bool) {
        if *self.deployment != Deployment::Here {
            return (true, false);
        }
        let starts_jobmanager =
            matches!(self.script, Script::JobManager | Script::StandaloneJob | Script::StartCluster);
        let starts_taskmanager = matches!(self.script, Script::TaskManager | Script::StartCluster);
        match reader {
            Reader::Cluster => (starts_jobmanager, starts_taskmanager),
            Reader::JobManager => (starts_jobmanager, false),
            Reader::TaskManager => (false, starts_taskmanager),
            // In a session, whoever submits decides.
            Reader::Job => (self.script == Script::StandaloneJob, false),
            Reader::Client => (false, false),
        }
    }

    /// What others must set.
    fn elsewhere(&self, pause: &mut FlinkPause) {
        let millis = self.millis();
        let is_debugged = self.jobmanager || self.taskmanager;
        if *self.deployment == Deployment::Here && is_debugged {
            let other = match self.script {
                Script::TaskManager => Some("JobManager"),
                Script::JobManager | Script::StandaloneJob => Some("TaskManagers"),
                _ => None,
            };
            let told = |key: &str| (self.given)(key).is_some();
            if let Some(other) = other.filter(|_| self.limit > seconds(50) && !told(HEARTBEAT)) {
                pause.elsewhere.push(format!(
                    "the {other} must bear the pause too: {HEARTBEAT} is 50s there unless it was started with -D {HEARTBEAT}={millis}"
                ));
            }
            if self.script != Script::StandaloneJob && self.limit > seconds(600) {
                pause.elsewhere.push(format!(
                    "a job with checkpoints brings its own limits: flink run -D{CHECKPOINT_TIMEOUT}={millis} -D{TOLERABLE_CHECKPOINTS}={MANY_CHECKPOINTS}"
                ));
            }
        }
        if let Deployment::Deploys { manager: Manager::Yarn, .. } = self.deployment
            && self.jobmanager
            && self.limit > YARN_AM_EXPIRY
        {
            pause.elsewhere.push(format!(
                "YARN's ResourceManager kills a JobManager that stands still for 10m, whatever the pause limit ({}): only its own \
                 yarn.am.liveness-monitor.expiry-interval-ms (600000 unless the cluster sets it) can change that",
                humantime::format_duration(self.limit)
            ));
        }
    }

    fn is_adaptive(&self) -> bool {
        let is =
            |key: &str, wanted: &str| (self.given)(key).is_some_and(|(value, _)| value.eq_ignore_ascii_case(wanted));
        is("jobmanager.scheduler", "adaptive") || is("scheduler-mode", "reactive")
    }

    fn has_zookeeper(&self) -> bool {
        ["high-availability.type", "high-availability"]
            .into_iter()
            .any(|key| (self.given)(key).is_some_and(|(value, _)| value.eq_ignore_ascii_case("zookeeper")))
    }

    fn millis(&self) -> u64 {
        (self.limit.as_secs() + u64::from(self.limit.subsec_nanos() > 0)) * 1_000
    }
}

#[cfg(test)]
mod tests;
