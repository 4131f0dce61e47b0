//! Values of the user's that end a pause before its limit. They are kept: the user may have a reason.

use super::time::{self, Unit};
use super::{
    AM_WAIT_TIME, ASK_TIMEOUT, DYNAMIC_ALLOCATION, Debugged, HEARTBEAT_MAX_FAILURES, MAX_APP_ATTEMPTS, NETWORK_TIMEOUT,
    PYTHON_SOCKET_TIMEOUT, WORKER_TIMEOUT,
};
use crate::spark::conf::Value;
use crate::spark::deployment::Manager;

/// Spark's default of `spark.dynamicAllocation.executorIdleTimeout`.
const IDLE_MILLIS: i64 = 60_000;

/// Says what each such value does.
pub(super) fn find(debugged: &Debugged<'_>, found: &mut Vec<String>) {
    let mut finder = Finder { debugged, found };
    finder.times();
    if debugged.driver {
        finder.attempts();
    }
    if debugged.executor {
        finder.tasks();
        if !debugged.fixed_number {
            finder.idle_executors();
        }
    }
}

/// A time and what ends with it.
struct Limit {
    key: &'static str,
    unit: Unit,
    applies: bool,
    /// Whether nothing or less means for ever (`IdleStateHandler`).
    zero_is_never: bool,
    outcome: &'static str,
}

struct Finder<'a> {
    debugged: &'a Debugged<'a>,
    found: &'a mut Vec<String>,
}

impl Finder<'_> {
    fn times(&mut self) {
        let Debugged { manager, cluster, driver, python, .. } = *self.debugged;
        let time = |key, applies, outcome| Limit { key, unit: Unit::Seconds, applies, zero_is_never: false, outcome };
        let connection = |key, applies, outcome| Limit { zero_is_never: true, ..time(key, applies, outcome) };
        let millis = |key, applies, outcome| Limit { unit: Unit::Millis, ..time(key, applies, outcome) };
        let closed = "connections with requests to the paused JVM are closed, and executors lost";
        let mut limits = vec![
            time(NETWORK_TIMEOUT, true, "executors are given up, and requests to the paused JVM fail"),
            time(
                ASK_TIMEOUT,
                true,
                "requests that the pause interrupts fail, and tasks and starting executors with them",
            ),
            time("spark.rpc.lookupTimeout", driver, "executors that start meanwhile exit"),
            connection("spark.rpc.io.connectionTimeout", true, closed),
            connection("spark.shuffle.io.connectionTimeout", true, "blocks of the paused JVM count as lost"),
            connection(
                "spark.files.io.connectionTimeout",
                driver,
                "executors cannot fetch jars and files from the driver",
            ),
            millis(
                AM_WAIT_TIME,
                driver && manager == Manager::Yarn && cluster,
                "a driver without a SparkContext is given up",
            ),
            time(PYTHON_SOCKET_TIMEOUT, driver && python, "Python gives up waiting for the driver to answer"),
        ];
        if let Some((key, _)) = self.debugged.heartbeat_timeout() {
            limits.insert(1, millis(key, true, "executors are given up"));
        }
        for limit in limits {
            self.time(&limit);
        }
        if driver && manager == Manager::LocalCluster {
            self.worker_timeout();
        }
    }

    fn time(&mut self, limit: &Limit) {
        if !limit.applies {
            return;
        }
        let Some(value) = self.debugged.conf.get(limit.key) else { return };
        let Some(millis) = time::millis(&value.text, limit.unit) else { return };
        if !(limit.zero_is_never && millis <= 0) && self.too_short(millis) {
            self.found.push(self.sentence(limit.key, &value, limit.outcome));
        }
    }

    /// Plain seconds, without a unit.
    fn worker_timeout(&mut self) {
        let Some(value) = self.debugged.conf.get(WORKER_TIMEOUT) else { return };
        let Ok(seconds) = value.text.trim().parse::<i64>() else { return };
        let needed = self.debugged.worker_seconds_needed();
        if seconds < needed.cast_signed() {
            let outcome =
                format!("the Master in the driver gives up its workers and with them the executors; {needed} would do");
            self.found.push(self.sentence(WORKER_TIMEOUT, &value, &outcome));
        }
    }

    fn attempts(&mut self) {
        let Debugged { conf, manager, cluster, .. } = *self.debugged;
        if let (Some(value), Some(needed)) = (conf.get(HEARTBEAT_MAX_FAILURES), self.debugged.failures_needed())
            && value.text.trim().parse::<i64>().is_ok_and(|failures| failures < needed.cast_signed())
        {
            let outcome = format!(
                "executors exit after that many heartbeats without an answer from a paused driver; {needed} would do"
            );
            self.found.push(self.sentence(HEARTBEAT_MAX_FAILURES, &value, &outcome));
        }
        if let Some(value) = conf.get(MAX_APP_ATTEMPTS)
            && manager == Manager::Yarn
            && cluster
            && value.text.trim().parse::<i64>().is_ok_and(|attempts| attempts > 1)
        {
            self.found.push(format!(
                "{} is `{}`: a driver that ends or is given up is started again, and the debugger meets that one",
                value.place(MAX_APP_ATTEMPTS),
                value.text
            ));
        }
    }

    /// Who kills a task that stands still.
    fn tasks(&mut self) {
        let conf = self.debugged.conf;
        if let Some(value) = self.switched_on("spark.speculation") {
            self.found.push(format!(
                "{} is `{}`: a second copy of a task that is paused starts elsewhere, and the first that ends kills the other",
                value.place("spark.speculation"),
                value.text
            ));
        }
        let key = "spark.task.reaper.killTimeout";
        if self.switched_on("spark.task.reaper.enabled").is_some()
            && let Some(value) = conf.get(key)
            && time::millis(&value.text, Unit::Millis).is_some_and(|millis| millis > 0 && self.too_short(millis))
        {
            let outcome = "a task that is killed meanwhile takes its executor along";
            self.found.push(self.sentence(key, &value, outcome));
        }
    }

    fn idle_executors(&mut self) {
        let Some(enabled) = self.switched_on(DYNAMIC_ALLOCATION) else { return };
        let key = "spark.dynamicAllocation.executorIdleTimeout";
        let outcome = "an executor that is paused while it has no task is removed as idle";
        let Some(value) = self.debugged.conf.get(key) else {
            if self.too_short(IDLE_MILLIS) {
                self.found.push(format!(
                    "{} is `{}`: {outcome} after 60s, unless {key} says otherwise",
                    enabled.place(DYNAMIC_ALLOCATION),
                    enabled.text
                ));
            }
            return;
        };
        if time::millis(&value.text, Unit::Seconds).is_some_and(|millis| self.too_short(millis)) {
            self.found.push(self.sentence(key, &value, outcome));
        }
    }

    /// A key that is `true` to Spark.
    fn switched_on(&self, key: &str) -> Option<Value> {
        self.debugged.conf.get(key).filter(|value| value.text.trim().eq_ignore_ascii_case("true"))
    }

    fn too_short(&self, millis: i64) -> bool {
        i128::from(millis) < i128::from(self.debugged.limit_millis())
    }

    fn sentence(&self, key: &str, value: &Value, outcome: &str) -> String {
        format!(
            "{} is `{}`, too short for a pause of {}: {outcome}",
            value.place(key),
            value.text,
            self.debugged.shown_limit()
        )
    }
}
