//! The pause limit of standalone daemons, which no application can set.

use std::time::Duration;

use super::{NETWORK_TIMEOUT, Pause, Setting, WORKER_TIMEOUT, default, seconds, whole_seconds};
use crate::spark::conf::Value;

/// What a Master that is started here needs so that it keeps workers that are paused, and the ones that
/// it did not hear while it was paused itself. `given`: what its options or its files say already.
pub fn master(limit: Duration, given: Option<&Value>) -> Pause {
    let mut pause = Pause::default();
    let needed = whole_seconds(limit);
    match given {
        Some(value) if value.text.trim().parse::<u64>().is_ok_and(|seconds| seconds < needed) => {
            pause.defeated.push(format!(
                    "{} is `{}`, too short for a pause of {}: the Master gives up workers that it did not hear for that long",
                    value.place(WORKER_TIMEOUT),
                    value.text,
                    humantime::format_duration(limit)
                ));
        }
        None if limit > default::WORKER_TIMEOUT => pause.settings.push(Setting {
            key: WORKER_TIMEOUT,
            value: needed.to_string(),
            why: "the Master gives up workers that it did not hear for 60s, because they or it were paused".to_owned(),
        }),
        _ => {}
    }
    pause
}

/// What to say when a Worker itself is debugged: its Master decides.
pub fn worker_daemon(limit: Duration) -> Option<String> {
    (limit > default::WORKER_TIMEOUT).then(|| {
        format!(
            "a Worker that is paused for longer than the Master's {WORKER_TIMEOUT} (60s unless set) is given up with its executors; \
             start the Master with SPARK_MASTER_OPTS=-D{WORKER_TIMEOUT}={} (sparkdbg master does)",
            whole_seconds(limit)
        )
    })
}

/// What to say when the executors that a Worker starts are debugged: their applications decide.
pub fn worker_executors(limit: Duration) -> Option<String> {
    (limit > default::NETWORK_TIMEOUT).then(|| {
        format!(
            "an executor that is paused is given up after its application's {NETWORK_TIMEOUT} (120s unless set); \
             submit with --conf {NETWORK_TIMEOUT}={}",
            seconds(limit)
        )
    })
}
