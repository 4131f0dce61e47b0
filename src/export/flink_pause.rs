//! What lets a JVM of Flink's stand on a breakpoint for the pause limit.
//!
//! Times in plain milliseconds: `1h` is an error until 1.18 for some keys, a number is read by every version. Keys and
//! defaults were read from the jars of 1.14, 1.18, 1.20 and 2.3; together, the keys of a TaskManager kept a job of 1.20
//! and of 2.3 running that was suspended for longer than the defaults.

use std::time::Duration;

use super::settings::Setting;
use crate::endpoint::Role;
use crate::version::Version;

const AKKA_ASK: &str = "akka.ask.timeout";
const PEKKO_ASK: &str = "pekko.ask.timeout";

/// One key: the default in seconds beyond which it is needed, for which roles, and why.
type Row = (&'static str, u64, &'static [Role], &'static str);

const JM: &[Role] = &[Role::JobManager];
const TM: &[Role] = &[Role::TaskManager];
const BOTH: &[Role] = &[Role::JobManager, Role::TaskManager];

const ROWS: [Row; 8] = [
    ("heartbeat.timeout", 50, BOTH, "JobManager and TaskManager give each other up after 50s of silence"),
    ("slot.request.timeout", 300, TM, "a job fails that gets no slots for 5m, as from a TaskManager that waits"),
    ("execution.checkpointing.timeout", 600, BOTH, "a checkpoint that a pause holds up for 10m fails"),
    ("web.timeout", 600, JM, "requests of the web interface to a paused JobManager fail after 10m"),
    ("client.timeout", 60, JM, "a client gives up a paused JobManager after 60s"),
    (
        "client.heartbeat.timeout",
        180,
        &[Role::Client],
        "a job that is attached to its client ends without it after 180s",
    ),
    ("taskmanager.registration.timeout", 300, JM, "a TaskManager ends that no JobManager takes for 5m"),
    (
        "resourcemanager.taskmanager-registration.timeout",
        300,
        TM,
        "a TaskManager that has not registered after 5m is given up",
    ),
];

/// The settings for the roles that are debugged. `version`: the oldest that may run.
pub fn flink_pause(limit: Duration, roles: &[Role], version: Option<&Version>) -> Vec<Setting> {
    let debugged = |wanted: &[Role]| roles.iter().any(|role| wanted.contains(role));
    let seconds = limit.as_secs();
    let rows = ROWS.iter().filter(|(_, default, wanted, _)| debugged(wanted) && seconds > *default);
    let mut settings: Vec<Setting> =
        rows.map(|(key, _, _, why)| Setting::new(key, limit.as_millis().to_string(), *why)).collect();
    if debugged(BOTH) && seconds > 10 {
        // 1.18 and later still read the old name.
        let is_pekko = version.is_some_and(|version| version.at_least(1, 18));
        let (key, other) = if is_pekko { (PEKKO_ASK, AKKA_ASK) } else { (AKKA_ASK, PEKKO_ASK) };
        // The one time that is not a number in every version.
        let ask = Setting::new(key, format!("{seconds} s"), "requests to a paused JVM fail after 10s");
        settings.insert(1.min(settings.len()), Setting { unless: Some(other), ..ask });
    }
    if debugged(TM) {
        if seconds > 180 {
            let why = "a TaskManager ends itself when a paused task is not cancelled within 180s";
            settings.push(Setting::new("task.cancellation.timeout", "0".to_owned(), why));
        }
        let why = "checkpoints that fail because of a pause would restart the job";
        settings.push(Setting::new("execution.checkpointing.tolerable-failed-checkpoints", "1000000".to_owned(), why));
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(seconds: u64, roles: &[Role], version: Option<&str>) -> Vec<String> {
        let version = version.and_then(Version::parse);
        let settings = flink_pause(Duration::from_secs(seconds), roles, version.as_ref());
        settings.iter().map(|setting| format!("{}={}", setting.key, setting.value)).collect()
    }

    #[test]
    fn of_a_task_manager() {
        assert_eq!(
            pairs(7200, &[Role::TaskManager], Some("1.18")),
            [
                "heartbeat.timeout=7200000",
                "pekko.ask.timeout=7200 s",
                "slot.request.timeout=7200000",
                "execution.checkpointing.timeout=7200000",
                "resourcemanager.taskmanager-registration.timeout=7200000",
                "task.cancellation.timeout=0",
                "execution.checkpointing.tolerable-failed-checkpoints=1000000",
            ]
        );
    }

    #[test]
    fn of_a_job_manager() {
        assert_eq!(
            pairs(7200, &[Role::JobManager], Some("1.17")),
            [
                "heartbeat.timeout=7200000",
                "akka.ask.timeout=7200 s",
                "execution.checkpointing.timeout=7200000",
                "web.timeout=7200000",
                "client.timeout=7200000",
                "taskmanager.registration.timeout=7200000",
            ]
        );
    }

    #[test]
    fn only_what_is_needed() {
        let few = ["akka.ask.timeout=30 s", "execution.checkpointing.tolerable-failed-checkpoints=1000000"];
        assert_eq!(pairs(30, &[Role::TaskManager], None), few);
        assert_eq!(pairs(7200, &[Role::Client], None), ["client.heartbeat.timeout=7200000"]);
        assert_eq!(pairs(10, &[Role::JobManager], None), [""; 0]);
    }
}
