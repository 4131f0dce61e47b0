//! What to do next: how to apply the document, and how to reach each JVM.

use super::format::Reach;
use super::settings::{Family, Wish};
use super::{args, databricks, dataproc, emr, emr_eks, emr_serverless, helm, livy, properties};
use crate::cli::ExportFormat;
use crate::endpoint::{Endpoint, Mode, Role};
use crate::options::{Source, Target};
use crate::plan::Note;
use crate::profile::PauseLimit;

/// How to apply it. `for_groups`: instance groups of EMR.
pub fn apply(wish: &Wish, family: Family, for_groups: bool, off: bool) -> Vec<Note> {
    let lines = match wish.format {
        ExportFormat::Emr => emr::apply(for_groups, off),
        ExportFormat::EmrEks => emr_eks::apply(),
        ExportFormat::EmrServerless => emr_serverless::apply(),
        ExportFormat::Dataproc => dataproc::apply(),
        ExportFormat::Livy => livy::apply(),
        ExportFormat::Databricks => databricks::apply(),
        ExportFormat::Properties => properties::apply(),
        ExportFormat::Args => args::apply(family),
        ExportFormat::Helm => helm::apply(family),
    };
    lines.into_iter().map(|line| Note::hint("apply", line)).collect()
}

/// How to reach each JVM, and what the pause limit costs.
pub fn reach(wish: &Wish) -> Vec<Note> {
    let mut notes: Vec<Note> = Vec::new();
    for target in &wish.options.targets {
        notes.push(Note::hint("endpoint", format!("{} {}", target.role, meeting(wish, target))));
        if target.endpoint.mode == Mode::Listen && target.source.is_project_file() {
            notes.push(Note::hint("project-file", format!("the address comes from {}", target.source)));
        }
    }
    if let PauseLimit::Limit(limit) = wish.options.pause_limit.value {
        let limit = humantime::format_duration(limit);
        let message = format!(
            "a breakpoint may be held for {limit}; what is really lost is noticed that late too (--pause-limit)"
        );
        notes.push(Note::hint("pause-limit", message));
    }
    notes
}

fn meeting(wish: &Wish, target: &Target) -> String {
    let Endpoint { mode, host, port, suspend } = &target.endpoint;
    if *mode == Mode::Listen {
        return format!(
            "dials the debugger at {host}:{port} (IDE: \"Listen to remote JVM\", port {port}); start that first"
        );
    }
    let verb = if *suspend { "waits for the debugger" } else { "listens for a debugger" };
    let (place, port) = match port {
        0 => ("a port that its stdout names".to_owned(), "PORT".to_owned()),
        port => (format!("{host}:{port}"), port.to_string()),
    };
    let way = match wish.format.reach() {
        Reach::Pods => format!("in its pod at {place}: kubectl port-forward {} {port}:{port}", pod(target.role)),
        _ if host.is_loopback() => format!("on its host at {place}: ssh -L {port}:{host}:{port} ITS_HOST"),
        _ => format!("on its host at {place}"),
    };
    format!("{verb} {way} (IDE: \"Attach to remote JVM\"){}", whereabouts(wish, target))
}

fn pod(role: Role) -> &'static str {
    match role {
        Role::Driver => "DRIVER_POD",
        Role::Executor => "EXECUTOR_POD",
        Role::TaskManager => "TASKMANAGER_POD",
        _ => "JOBMANAGER_POD",
    }
}

/// Where to look for host and port.
fn whereabouts(wish: &Wish, target: &Target) -> &'static str {
    match (wish.format, target.role) {
        (ExportFormat::Emr | ExportFormat::Dataproc, Role::Driver | Role::Executor) => {
            "; `sparkdbg ps URL` names hosts and ports, URL being the ResourceManager's (port 8088)"
        }
        (ExportFormat::Emr | ExportFormat::Dataproc, Role::JobManager | Role::TaskManager) => {
            "; the port is in jobmanager.out or taskmanager.out of its container"
        }
        (ExportFormat::EmrEks | ExportFormat::Helm, Role::Driver | Role::Executor) => {
            "; `sparkdbg ps k8s` names pods and ports"
        }
        (ExportFormat::Databricks, _) => "; whether its network lets you in depends on the workspace (not tried)",
        _ => "",
    }
}

/// `-v`: each choice and each setting with its reason.
pub fn reasons(wish: &Wish, pairs: &[(String, String)], profile: Option<&(String, String)>) -> String {
    let mut text = match profile {
        Some((name, by)) => format!("profile: {name} ({by})\n"),
        None => "profile: none\n".to_owned(),
    };
    for Target { role, endpoint, source, suspend_flag, .. } in &wish.options.targets {
        let suspend = suspend_flag.map(|flag| format!(", {flag}")).unwrap_or_default();
        let default = if *source == Source::Default { " of this format" } else { "" };
        text.push_str(&format!("{role}: {endpoint} ({source}{default}{suspend})\n"));
    }
    let limit = &wish.options.pause_limit;
    text.push_str(&format!("pause-limit: {} ({})\n", limit.value, limit.source));
    for (setting, why) in pairs {
        text.push_str(&format!("{setting}\n  why: {why}\n"));
    }
    text
}
