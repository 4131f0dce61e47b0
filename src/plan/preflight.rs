//! Whether the debugger and the JVM can meet, judged before anything starts.

use super::agents::Stands;
use super::meeting::Meeting;
use super::{LaunchPlan, Note, Wait};
use crate::endpoint::{Endpoint, Mode, Role};
use crate::environment::Machine;
use crate::environment::ports::{Finding, Holder};
use crate::error::Failure;
use crate::options::{Action, Options, Source, Target};

/// The endpoint with the free port that was picked for port 0.
pub fn with_port(target: &Target, machine: &Machine) -> Endpoint {
    let mut endpoint = target.endpoint.clone();
    if let Finding::Free(port) = machine.port(target.role) {
        endpoint.port = *port;
    }
    endpoint
}

/// What was found where they meet, and what may follow from it.
///
/// # Errors
/// A finding that would make the start fail, unless `--no-preflight` or a dry run asks for notes.
pub fn check<P: Stands>(
    meeting: &Meeting<'_, P>,
    options: &Options,
    machine: &Machine,
    is_here: bool,
    plan: &mut LaunchPlan,
) -> Result<(), Failure> {
    let Meeting { target, endpoint, kept } = meeting;
    let role = target.role;
    let Endpoint { host, port, .. } = endpoint;
    if kept.is_none() {
        check_java(meeting, options, machine, is_here, plan)?;
    }
    match (options.wait_for_debugger, machine.port(role)) {
        (Some(limit), Finding::Nobody) => {
            let wait = plan.wait.get_or_insert(Wait { endpoints: Vec::new(), limit, start_anyway: !options.preflight });
            wait.endpoints.push(endpoint.clone());
            let limit = humantime::format_duration(limit);
            let verb = if options.action == Action::Launch { "waiting" } else { "the launch waits" };
            let message = format!("{verb} up to {limit} until a debugger listens on {host}:{port}");
            plan.notes.push(Note::info("wait", message));
        }
        (Some(_), Finding::Unknown) if endpoint.mode == Mode::Listen => plan.notes.push(Note::warning(
            "wait",
            format!("whether a debugger listens on {host}:{port} cannot be seen from here: not waiting for it"),
        )),
        // They look before they dial: see `java_home`.
        (None, Finding::Nobody) if options.changes_java_home() && role == Role::Executor && kept.is_none() => {
            let message = format!(
                "nobody listens on {host}:{port}: executors that start before somebody does run without an agent"
            );
            let failure = Failure::world(message).help(
                "start the debugger in its listen mode first, or wait for it: --wait-for-debugger 5m; to start all the same: --no-preflight",
            );
            note_or_fail(failure, options, plan)?;
        }
        (_, finding) => {
            if let Some(failure) = judge(role, endpoint, finding) {
                let failure = match kept {
                    Some(kept) => failure.help(kept.cure()),
                    None => failure,
                };
                note_or_fail(failure, options, plan)?;
            }
        }
    }
    let allowed = match kept {
        Some(kept) => kept.agent.get("allow").map(str::to_owned),
        None => Some(options.allow.value.join("+")).filter(|allowed| !allowed.is_empty()),
    };
    if endpoint.mode == Mode::Attach && !endpoint.host.is_loopback() {
        let from = allowed.map(|peers| format!(" from {}", peers.replace('+', ", "))).unwrap_or_default();
        let port = match endpoint.port {
            0 => "the port that it picks on".to_owned(),
            port => format!("port {port} of"),
        };
        let who = format!("whoever reaches {port} `{}`{from}", endpoint.host);
        plan.notes.push(Note::warning("open-port", format!("{who} can run any code in the {role}")));
    }
    if machine.ci && endpoint.suspend {
        plan.notes.push(Note::warning(
            "ci-suspend",
            format!(
                "CI is set and the {role} waits for a debugger: the job stands still until one comes (--no-suspend)"
            ),
        ));
    }
    Ok(())
}

/// An error before a launch; a warning with `--no-preflight`, a note in a dry run.
///
/// # Errors
/// The failure, where it is one.
pub fn note_or_fail(failure: Failure, options: &Options, plan: &mut LaunchPlan) -> Result<(), Failure> {
    match options.action {
        Action::Launch if options.preflight => return Err(failure),
        Action::Launch => plan.notes.push(Note::warning("preflight", failure.message)),
        Action::DryRun(_) => plan.notes.push(Note::info("preflight", failure.message)),
    }
    Ok(())
}

fn judge(role: Role, endpoint: &Endpoint, finding: &Finding) -> Option<Failure> {
    let Endpoint { host, port, .. } = endpoint;
    Some(match finding {
        Finding::Free(_) | Finding::Listening | Finding::Unknown => return None,
        Finding::InUse(holder) => {
            let holder = match holder {
                Holder::Process { pid, name } => format!("by `{name}` (pid {pid})"),
                Holder::User(uid) => format!("by a process of uid {uid}"),
                Holder::Unseen => "by a process that is not to be seen from here".to_owned(),
            };
            Failure::world(format!("port {port} on {host} is in use {holder}"))
                .help(format!("choose another port, or let a free one be picked: --{role}=attach:0"))
        }
        Finding::NotHere => {
            Failure::world(format!("`{host}` is no address of this machine, and with `attach` the JVM binds it"))
                .help("to have the JVM call your debugger there use --listen HOST:PORT")
        }
        Finding::Refused(cause) => Failure::world(format!("port {port} on {host} cannot be bound: {cause}"))
            .help(format!("choose another port: --{role}=attach:PORT")),
        Finding::Nobody => {
            let fate = match role {
                Role::Executor => "the executors would die at their start, and be started again, hundreds of times",
                Role::Driver => "the driver would die at its start",
                _ => "the JVM would die at its start",
            };
            Failure::world(format!("nobody listens on {host}:{port}: {fate}"))
                .help("start the debugger in its listen mode first, or wait for it: --wait-for-debugger 5m")
        }
        Finding::Unresolved(cause) => Failure::world(format!("the host name `{host}` has no address: {cause}"))
            .help("write an address, or a name that this machine knows"),
    })
}

/// Options of the agent that older Javas do not know.
///
/// # Errors
/// The driver's Java is known, and too old.
fn check_java<P>(
    meeting: &Meeting<'_, P>,
    options: &Options,
    machine: &Machine,
    is_here: bool,
    plan: &mut LaunchPlan,
) -> Result<(), Failure> {
    let Meeting { target, endpoint, .. } = meeting;
    let role = target.role;
    let no_peers = Vec::new();
    let allowed = if endpoint.mode == Mode::Attach { &options.allow.value } else { &no_peers };
    let needs_v6 = endpoint.host.is_ipv6() || allowed.iter().any(|peer| peer.contains(':'));
    let (need, since) = match (needs_v6, allowed.is_empty()) {
        (true, _) => ("an IPv6 address", 13),
        (false, false) => ("`allow`", 10),
        (false, true) => return Ok(()),
    };
    match machine.java.filter(|_| is_here) {
        Some(major) if major < since => {
            let source = if allowed.is_empty() { &target.source } else { &options.allow.source };
            let from = if *source == Source::Default { String::new() } else { format!(" ({source})") };
            Err(Failure::world(format!(
                "the {role} runs on Java {major}, whose debug agent does not know {need}{from}"
            ))
            .help(format!("it came with Java {since}; leave it out, or set JAVA_HOME to a newer one")))
        }
        Some(_) => Ok(()),
        None => {
            plan.notes.push(Note::warning(
                "java-unknown",
                format!("the {role}'s Java is not known; before {since} its debug agent does not know {need}, and the JVM ends at its start"),
            ));
            Ok(())
        }
    }
}
