//! What lets a JVM stand on a breakpoint for the pause limit without that anybody is given up: the
//! fewest settings for the Spark, the cluster manager and the roles that are debugged.
//!
//! Only ever longer than what is in effect, and never over a value of the user's. Shown with JVMs that
//! were stopped on 3.5.6 and 4.3.0 (`local-cluster`, standalone); YARN and the older ones are read.

mod daemons;
mod defeats;
mod time;

#[cfg(test)]
mod tests;

pub use crate::pause::{Pause, Setting};
pub use daemons::{master, worker_daemon, worker_executors};

use crate::version::Version;
use std::fmt;
use std::time::Duration;

use super::conf::{Conf, Value};
use super::deployment::Manager;

use time::Unit;

/// Who is silent for that long is given up.
pub const NETWORK_TIMEOUT: &str = "spark.network.timeout";
const HEARTBEAT_INTERVAL: &str = "spark.executor.heartbeatInterval";
const HEARTBEAT_MAX_FAILURES: &str = "spark.executor.heartbeat.maxFailures";
/// In milliseconds; over [`NETWORK_TIMEOUT`] where heartbeats are concerned.
const HEARTBEAT_TIMEOUT: &str = "spark.storage.blockManagerHeartbeatTimeoutMs";
/// The name of [`HEARTBEAT_TIMEOUT`] until 3.0, which is still read.
const OLD_HEARTBEAT_TIMEOUT: &str = "spark.storage.blockManagerSlaveTimeoutMs";
/// Whether executors come and go.
pub const DYNAMIC_ALLOCATION: &str = "spark.dynamicAllocation.enabled";
const ASK_TIMEOUT: &str = "spark.rpc.askTimeout";
/// In seconds: the Master gives up workers that it does not hear for that long.
pub const WORKER_TIMEOUT: &str = "spark.worker.timeout";
const AM_WAIT_TIME: &str = "spark.yarn.am.waitTime";
const MAX_APP_ATTEMPTS: &str = "spark.yarn.maxAppAttempts";
const PYTHON_SOCKET_TIMEOUT: &str = "spark.python.authenticate.socketTimeout";

/// Every key that [`plan`] may set.
pub const SETTABLE: [&str; 8] = [
    NETWORK_TIMEOUT,
    OLD_HEARTBEAT_TIMEOUT,
    HEARTBEAT_MAX_FAILURES,
    ASK_TIMEOUT,
    WORKER_TIMEOUT,
    AM_WAIT_TIME,
    MAX_APP_ATTEMPTS,
    PYTHON_SOCKET_TIMEOUT,
];

/// Spark's defaults, unchanged from 2.4.8 to 4.3.0.
mod default {
    use std::time::Duration;

    pub const NETWORK_TIMEOUT: Duration = Duration::from_secs(120);
    pub const HEARTBEAT_INTERVAL_MILLIS: i64 = 10_000;
    pub const HEARTBEAT_MAX_FAILURES: u64 = 60;
    /// Spark's own default is [`NETWORK_TIMEOUT`]; the legacy gateway (`ClientApp.start`) sets this one.
    pub const LEGACY_ASK_TIMEOUT: Duration = Duration::from_secs(10);
    pub const WORKER_TIMEOUT: Duration = Duration::from_secs(60);
    pub const AM_WAIT_TIME: Duration = Duration::from_secs(100);
    pub const PYTHON_SOCKET_TIMEOUT: Duration = Duration::from_secs(15);
    /// `yarn.am.liveness-monitor.expiry-interval-ms` of the ResourceManager.
    pub const YARN_AM_EXPIRY: Duration = Duration::from_secs(600);
}

/// What is debugged, and where it runs.
#[derive(Debug, Clone, Copy)]
pub struct Debugged<'a> {
    /// How long a JVM may stand still.
    pub limit: Duration,
    /// Who starts the JVMs.
    pub manager: Manager,
    /// Whether the driver runs on the cluster.
    pub cluster: bool,
    /// Standalone cluster mode through the REST gateway rather than the legacy one.
    pub rest_gateway: bool,
    /// The Spark that is started here, if known.
    pub version: Option<&'a Version>,
    /// Whether the driver is debugged.
    pub driver: bool,
    /// Whether executors are.
    pub executor: bool,
    /// Whether the number of executors is fixed, whatever the user set.
    pub fixed_number: bool,
    /// Whether the application is Python.
    pub python: bool,
    /// What the user set.
    pub conf: &'a Conf<'a>,
}

/// What the pause limit needs.
///
/// None for `local[…]`: its only executor is the driver itself.
pub fn plan(debugged: &Debugged<'_>) -> Pause {
    let mut pause = Pause::default();
    if debugged.manager == Manager::Local || !(debugged.driver || debugged.executor) {
        return pause;
    }
    debugged.heartbeats(&mut pause);
    debugged.requests(&mut pause);
    if debugged.driver {
        debugged.driver(&mut pause);
    }
    defeats::find(debugged, &mut pause.defeated);
    pause
}

impl Debugged<'_> {
    /// Who hears nothing from the one that is paused, and for how long it bears that.
    ///
    /// The last heartbeat may be one interval old when the pause begins: of the limit, those 10s are not
    /// sure (seen: 655s of 660s were too many).
    fn heartbeats(&self, pause: &mut Pause) {
        if self.limit > default::NETWORK_TIMEOUT {
            let why = match (self.driver, self.executor) {
                (false, _) => "an executor that is silent for 120s is given up, and requests to it fail",
                (true, false) => {
                    "a driver that was paused for 120s gives up executors that it did not hear, and requests to it fail"
                }
                (true, true) => {
                    "executors are given up that are silent, or that a paused driver did not hear, for 120s, and requests to either fail"
                }
            };
            self.set(pause, NETWORK_TIMEOUT, seconds(self.limit), why);
            // SPARK-33557: these take 120s from nowhere unless the key itself is set.
            if self.version.is_some_and(heartbeats_ignore_network_timeout) && self.heartbeat_timeout().is_none() {
                let why = "this Spark does not take the time for heartbeats from spark.network.timeout";
                self.set(pause, OLD_HEARTBEAT_TIMEOUT, self.limit_millis().to_string(), why);
            }
        }
        let Some(needed) = self.failures_needed().filter(|_| self.driver) else { return };
        if needed > default::HEARTBEAT_MAX_FAILURES {
            let why = "an executor exits after 60 heartbeats that a paused driver does not answer";
            self.set(pause, HEARTBEAT_MAX_FAILURES, needed.to_string(), why);
        }
    }

    /// Requests have a time of their own where `ClientApp` gives them one.
    fn requests(&self, pause: &mut Pause) {
        if self.legacy_gateway() && self.limit > default::LEGACY_ASK_TIMEOUT {
            let why = "submitted through the legacy gateway, requests that a pause interrupts fail after 10s";
            self.set(pause, ASK_TIMEOUT, seconds(self.limit), why);
        }
    }

    /// What only a paused driver needs.
    fn driver(&self, pause: &mut Pause) {
        if self.manager == Manager::LocalCluster && self.worker_seconds_needed() > default::WORKER_TIMEOUT.as_secs() {
            let why = "the Master lives in the driver, and gives up workers that it did not hear for 60s";
            // A plain number: `longConf`.
            self.set(pause, WORKER_TIMEOUT, self.worker_seconds_needed().to_string(), why);
        }
        if self.manager == Manager::Yarn && self.cluster {
            self.application_master(pause);
        }
        if self.python && self.limit > default::PYTHON_SOCKET_TIMEOUT {
            if self.version.is_none_or(|version| version.at_least(3, 1)) {
                let why = "Python waits only 15s for the driver to answer on a new connection";
                self.set(pause, PYTHON_SOCKET_TIMEOUT, seconds(self.limit), why);
            } else if let Some(version) = self.version {
                pause.cluster_side.push(format!(
                    "Python waits 15s for the driver to answer on a new connection; Spark {version} has no setting for it"
                ));
            }
        }
    }

    /// On YARN in cluster mode, the driver is a thread of the ApplicationMaster.
    fn application_master(&self, pause: &mut Pause) {
        if self.limit > default::AM_WAIT_TIME {
            let why = "the ApplicationMaster gives up a driver that has no SparkContext after 100s";
            self.set(pause, AM_WAIT_TIME, seconds(self.limit), why);
        }
        let why = "YARN would start a driver that is given up again, and the debugger would meet the wrong one";
        self.set(pause, MAX_APP_ATTEMPTS, "1".to_owned(), why);
        if self.limit > default::YARN_AM_EXPIRY {
            pause.cluster_side.push(format!(
                "YARN's ResourceManager kills a driver that stands still for 10m, whatever the pause limit ({}): only its own \
                 yarn.am.liveness-monitor.expiry-interval-ms (600000 unless the cluster sets it) can change that",
                self.shown_limit()
            ));
        }
    }

    /// Adds a setting unless the user has one.
    fn set(&self, pause: &mut Pause, key: &'static str, value: String, why: &str) {
        if self.conf.get(key).is_none() {
            pause.settings.push(Setting { key, value, why: why.to_owned() });
        }
    }

    fn legacy_gateway(&self) -> bool {
        self.manager == Manager::Standalone && self.cluster && !self.rest_gateway
    }

    /// The user's time for heartbeats alone, and its key.
    fn heartbeat_timeout(&self) -> Option<(&'static str, Value)> {
        let new =
            self.conf.get(HEARTBEAT_TIMEOUT).filter(|_| self.version.is_none_or(|version| version.at_least(3, 1)));
        let old = || Some((OLD_HEARTBEAT_TIMEOUT, self.conf.get(OLD_HEARTBEAT_TIMEOUT)?));
        new.map(|value| (HEARTBEAT_TIMEOUT, value)).or_else(old)
    }

    /// The least failures that an executor must bear: a heartbeat fails after one interval, the next is
    /// then due (`scheduleAtFixedRate`), and the one under way when the pause begins counts too.
    ///
    /// `None` for an interval that Spark refuses.
    fn failures_needed(&self) -> Option<u64> {
        let interval = match self.conf.get(HEARTBEAT_INTERVAL) {
            Some(value) => time::millis(&value.text, Unit::Millis).filter(|millis| *millis > 0)?,
            None => default::HEARTBEAT_INTERVAL_MILLIS,
        };
        let failures = self.limit_millis().div_ceil(interval.unsigned_abs()) + 1;
        // `intConf`
        Some(failures.min(i32::MAX as u64))
    }

    /// The least `spark.worker.timeout` of a Master and Workers that are paused together: the heartbeat
    /// before the pause is up to a quarter of it old (`Worker.HEARTBEAT_MILLIS`).
    fn worker_seconds_needed(&self) -> u64 {
        (whole_seconds(self.limit) * 4).div_ceil(3)
    }

    fn limit_millis(&self) -> u64 {
        whole_seconds(self.limit) * 1_000
    }

    fn shown_limit(&self) -> impl fmt::Display + use<> {
        humantime::format_duration(self.limit)
    }
}

/// Whether this is 3.0.0 or 3.0.1, whose `HeartbeatReceiver` does not look at `spark.network.timeout`.
fn heartbeats_ignore_network_timeout(version: &Version) -> bool {
    let mut numbers = version.text.split(['.', '-']);
    (version.major, version.minor) == (3, 0) && matches!(numbers.nth(2), None | Some("0" | "1"))
}

/// The limit as Spark writes times; of a part of a second, a whole one is made.
fn seconds(limit: Duration) -> String {
    format!("{}s", whole_seconds(limit))
}

fn whole_seconds(limit: Duration) -> u64 {
    limit.as_secs() + u64::from(limit.subsec_nanos() > 0)
}
