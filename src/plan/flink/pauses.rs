//! The pause limit in a plan for Flink.

use super::edit::Edits;
use super::is_one_jvm;
use crate::endpoint::Role;
use crate::environment::flink::FlinkEnvironment;
use crate::flink::deployment::Deployment;
use crate::flink::pause::{self, Debugged};
use crate::options::{Options, Target};
use crate::plan::Note;
use crate::profile::PauseLimit;

/// Sets what this command can set. Returns the hint about what it costs.
pub fn add(
    targets: &[Target],
    options: &Options,
    environment: &FlinkEnvironment,
    edits: &mut Edits,
    notes: &mut Vec<Note>,
) -> Option<Note> {
    let PauseLimit::Limit(limit) = options.pause_limit.value else { return None };
    let find = |role| targets.iter().find(|target| target.role == role);
    let needed = pause::plan(&Debugged {
        limit,
        script: environment.script,
        deployment: &environment.deployment,
        version: environment.version(),
        client: find(Role::Client).is_some(),
        jobmanager: find(Role::JobManager).is_some(),
        taskmanager: find(Role::TaskManager).is_some(),
        taskmanager_suspends: find(Role::TaskManager).is_some_and(|target| target.endpoint.suspend),
        stops_job_at_exit: environment.line.stops_job_at_exit,
        given: &|key| environment.given(key),
    });
    notes.extend(needed.defeated.into_iter().map(|message| Note::warning("pause-limit", message)));
    notes.extend(needed.elsewhere.into_iter().map(|message| Note::info("pause-limit", message)));
    if environment.deployment != Deployment::Here && !environment.takes_settings() && !needed.jobmanager.is_empty() {
        let keys: Vec<String> =
            needed.jobmanager.iter().map(|setting| format!("{}: {}", setting.key, setting.value)).collect();
        let message = format!(
            "`{}` of this Flink takes no -D; a pause needs in the configuration file: {}",
            environment.script.file_name(),
            keys.join(", ")
        );
        notes.push(Note::info("pause-limit", message));
        return None;
    }
    let late = [&needed.jobmanager, &needed.taskmanager];
    let late = late.into_iter().flatten().any(|setting| setting.key == pause::HEARTBEAT);
    match environment.deployment {
        Deployment::Here => edits.daemons(needed.jobmanager, needed.taskmanager),
        _ => edits.settings(needed.jobmanager),
    }
    late.then(|| {
        let limit = humantime::format_duration(limit);
        let lost = if is_one_jvm(environment) { "" } else { "; a JVM that is really lost is noticed that late too" };
        let message = format!(
            "a breakpoint may be held for {limit}{lost} (--pause-limit); one that stops its thread alone (IDE: \"Suspend: Thread\") needs no such time"
        );
        Note::hint("pause-limit", message)
    })
}
