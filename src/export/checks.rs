//! What cannot work where the settings go, or is open to others there. Known before anything is written.

use super::format::Reach;
use super::settings::{Family, Wish};
use crate::cli::ExportFormat;
use crate::endpoint::{Endpoint, Mode, Role};
use crate::error::Failure;
use crate::options::{Source, Target};
use crate::plan::Note;

/// All of it.
///
/// # Errors
/// JVMs that nobody could meet, or that would die at their start.
pub fn check(wish: &Wish) -> Result<Vec<Note>, Failure> {
    let mut notes = Vec::new();
    for target in &wish.options.targets {
        let refused = refuse_attach_to_serverless(wish, target)
            .and_then(|()| refuse_dialling_itself(wish, target))
            .and_then(|()| refuse_one_port_for_many(wish, target));
        refused.map_err(|failure| failure.blamed_on_world(target.source.is_profile()))?;
        notes.extend(java(wish, target));
        notes.extend(open_port(wish, target));
        notes.extend(many_dial(wish, target));
        notes.extend(suspends_all(wish, target));
    }
    if wish.format == ExportFormat::Databricks && has(wish, Role::Executor) {
        notes.push(Note::warning(
            "databricks-executor",
            "Databricks sets spark.executor.extraJavaOptions itself, and this replaces it: take the value in effect from \
             the Environment page of the Spark UI into --current (that it is so was seen in one dump only)",
        ));
    }
    Ok(notes)
}

fn has(wish: &Wish, role: Role) -> bool {
    wish.options.targets.iter().any(|target| target.role == role)
}

fn refuse_attach_to_serverless(wish: &Wish, target: &Target) -> Result<(), Failure> {
    if wish.format != ExportFormat::EmrServerless || target.endpoint.mode == Mode::Listen {
        return Ok(());
    }
    let by = match &target.source {
        Source::Default => String::new(),
        source => format!(" ({source})"),
    };
    let message = format!(
        "`attach`{by}: EMR Serverless lets no connection in, so that nobody could attach to the {}",
        target.role
    );
    Err(Failure::usage(message)
        .help(format!("let it dial a debugger inside the VPC of the application: --{}=listen:HOST:PORT", target.role)))
}

fn refuse_dialling_itself(wish: &Wish, target: &Target) -> Result<(), Failure> {
    let Endpoint { mode, host, .. } = &target.endpoint;
    if *mode == Mode::Attach || !host.is_loopback() || wish.format.reach() == Reach::Anywhere {
        return Ok(());
    }
    let role = target.role;
    Err(Failure::usage(format!("the {role} would dial `{host}` on its own host, where no debugger listens"))
        .help(format!("name the debugger's machine as the service sees it: --{role}=listen:HOST:PORT")))
}

fn refuse_one_port_for_many(wish: &Wish, target: &Target) -> Result<(), Failure> {
    let Endpoint { mode, port, .. } = target.endpoint;
    let shares_hosts = wish.format.reach() != Reach::Pods;
    let (jvms, held) = match target.role {
        Role::Executor => ("executors", wish.holds_one_executor()),
        Role::TaskManager => ("TaskManagers", false),
        _ => return Ok(()),
    };
    // Flink's words may go to Kubernetes, where a port of its own is easiest to reach.
    let may_be_pods = wish.format == ExportFormat::Args && target.role == Role::TaskManager;
    if mode == Mode::Listen || port == 0 || held || !shares_hosts || may_be_pods {
        return Ok(());
    }
    let role = target.role;
    let failure = Failure::usage(format!(
        "all {jvms} on one host would use port {port}: the first takes it, the others die at their start and are started \
         again"
    ));
    Err(match role {
        Role::Executor => failure
            .help("let each JVM choose its port: --executor=attach:0; or hold the application to one: --one-executor"),
        _ => failure.help(format!("let each JVM choose its port: --{role}=attach:0")),
    })
}

/// Options of the agent that older Javas do not know.
fn java(wish: &Wish, target: &Target) -> Option<Note> {
    let Endpoint { mode, host, .. } = &target.endpoint;
    let allow = if *mode == Mode::Attach { wish.options.allow.value.as_slice() } else { &[] };
    let needs_v6 = host.is_ipv6() || allow.iter().any(|peer| peer.contains(':'));
    let (need, since) = match (needs_v6, allow.is_empty()) {
        (true, _) => ("an IPv6 address", 13),
        (false, false) => ("`allow`", 10),
        (false, true) => return None,
    };
    let role = target.role;
    let release = wish.release.filter(|_| wish.format.is_emr());
    let java = match release {
        Some(release) if release.java() >= since => return None,
        Some(release) => format!("{} runs on Java {} unless it is told otherwise", release.label, release.java()),
        None => format!("the {role}'s Java is not known"),
    };
    Some(Note::warning(
        "java-unknown",
        format!("{java}; before {since} the debug agent does not know {need}, and the JVM ends at its start"),
    ))
}

fn open_port(wish: &Wish, target: &Target) -> Option<Note> {
    let Endpoint { mode, host, port, .. } = &target.endpoint;
    if *mode == Mode::Listen || host.is_loopback() {
        return None;
    }
    let peers = &wish.options.allow.value;
    let from = if peers.is_empty() { String::new() } else { format!(" from {}", peers.join(", ")) };
    let port = if *port == 0 { "the port that it picks on".to_owned() } else { format!("port {port} of") };
    let who = format!("whoever reaches {port} `{host}`{from}");
    Some(Note::warning("open-port", format!("{who} can run any code in the {}", target.role)))
}

/// A debugger that takes one JVM lets the others down.
fn many_dial(wish: &Wish, target: &Target) -> Option<Note> {
    let Endpoint { mode, host, port, .. } = &target.endpoint;
    let is_one = match target.role {
        Role::Executor => wish.holds_one_executor(),
        Role::TaskManager => false,
        // One for each application of a cluster.
        _ => wish.format.reach() != Reach::Cluster,
    };
    let cure = if target.role == Role::Executor { " (--one-executor)" } else { "" };
    (*mode == Mode::Listen && !is_one).then(|| {
        let role = target.role;
        Note::warning(
            "many-dial",
            format!("every {role} dials {host}:{port}: those that the debugger does not take die at their start{cure}"),
        )
    })
}

fn suspends_all(wish: &Wish, target: &Target) -> Option<Note> {
    let all = wish.format.reach() == Reach::Cluster && target.endpoint.suspend;
    all.then(|| {
        let message = format!("every {} of the cluster waits for a debugger before it does anything", target.role);
        Note::warning("all-suspend", message)
    })
}

/// The one family of the targets.
///
/// # Errors
/// Both: they go to different commands.
pub fn one_family(wish: &Wish) -> Result<Family, Failure> {
    match (wish.targets(Family::Spark).first(), wish.targets(Family::Flink).first()) {
        (Some(spark), Some(flink)) => {
            let message = format!(
                "`--format {}` is for one application: the {} is Spark's, the {} is Flink's",
                wish.format.name(),
                spark.role,
                flink.role
            );
            Err(Failure::usage(message)
                .help(format!("export them one by one: --{}, then --{}", spark.role, flink.role))
                .blamed_on_world(spark.source.is_profile() || flink.source.is_profile()))
        }
        (None, Some(_)) => Ok(Family::Flink),
        _ => Ok(Family::Spark),
    }
}
