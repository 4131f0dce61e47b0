//! Whether the debugger and the JVM can meet, judged before anything starts.

use super::agents::Found;
use super::{LaunchPlan, Note, Wait};
use crate::endpoint::{Endpoint, Mode};
use crate::environment::Environment;
use crate::environment::ports::{Finding, Holder};
use crate::error::Failure;
use crate::options::{Action, Options, Source};

/// The endpoint with the free port that was picked for port 0.
pub fn with_port(endpoint: &Endpoint, environment: &Environment) -> Endpoint {
    let mut endpoint = endpoint.clone();
    if let Finding::Free(port) = environment.port {
        endpoint.port = port;
    }
    endpoint
}

/// What was found at the endpoint, and what may follow from it. `kept` is the agent that stays.
///
/// # Errors
/// A finding that would make the start fail, unless `--no-preflight` or a dry run asks for notes.
pub fn check(
    options: &Options,
    environment: &Environment,
    endpoint: &Endpoint,
    kept: Option<&Found>,
    plan: &mut LaunchPlan,
) -> Result<(), Failure> {
    let Endpoint { host, port, .. } = endpoint;
    if kept.is_none() {
        check_java(options, environment, endpoint, plan)?;
    }
    match (options.wait_for_debugger, &environment.port) {
        (Some(limit), Finding::Nobody) => {
            plan.wait = Some(Wait { limit, start_anyway: !options.preflight });
            let limit = humantime::format_duration(limit);
            let verb = if options.action == Action::Launch { "waiting" } else { "the launch waits" };
            let message = format!("{verb} up to {limit} until a debugger listens on {host}:{port}");
            plan.notes.push(Note::info("wait", message));
        }
        (Some(_), Finding::Unknown) => plan.notes.push(Note::warning(
            "wait",
            format!("whether a debugger listens on {host}:{port} cannot be seen from here: not waiting for it"),
        )),
        (_, finding) => {
            if let Some(failure) = judge(endpoint, finding) {
                let failure = match kept {
                    Some(kept) => failure.help(kept.cure()),
                    None => failure,
                };
                match options.action {
                    Action::Launch if options.preflight => return Err(failure),
                    Action::Launch => plan.notes.push(Note::warning("preflight", failure.message)),
                    Action::DryRun(_) => plan.notes.push(Note::info("preflight", failure.message)),
                }
            }
        }
    }
    let allowed = match kept {
        Some(kept) => kept.agent.get("allow").map(str::to_owned),
        None => Some(options.allow.value.join("+")).filter(|allowed| !allowed.is_empty()),
    };
    if endpoint.mode == Mode::Attach && !endpoint.host.is_loopback() {
        let from = allowed.map(|peers| format!(" from {}", peers.replace('+', ", "))).unwrap_or_default();
        let who = format!("whoever reaches port {} of `{}`{from}", endpoint.port, endpoint.host);
        plan.notes.push(Note::warning("open-port", format!("{who} can run any code in the driver")));
    }
    if environment.ci && endpoint.suspend {
        plan.notes.push(Note::warning(
            "ci-suspend",
            "CI is set and the driver waits for a debugger: the job stands still until one comes (--no-suspend)",
        ));
    }
    Ok(())
}

fn judge(endpoint: &Endpoint, finding: &Finding) -> Option<Failure> {
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
                .help("choose another port, or let a free one be picked: --driver=attach:0")
        }
        Finding::NotHere => {
            Failure::world(format!("`{host}` is no address of this machine, and with `attach` the JVM binds it"))
                .help("to have the JVM call your debugger there use --listen HOST:PORT")
        }
        Finding::Refused(cause) => Failure::world(format!("port {port} on {host} cannot be bound: {cause}"))
            .help("choose another port: --driver=attach:PORT"),
        Finding::Nobody => {
            Failure::world(format!("nobody listens on {host}:{port}: the driver would die at its start"))
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
fn check_java(
    options: &Options,
    environment: &Environment,
    endpoint: &Endpoint,
    plan: &mut LaunchPlan,
) -> Result<(), Failure> {
    let allowed = &options.allow.value;
    let needs_v6 = endpoint.host.is_ipv6() || allowed.iter().any(|peer| peer.contains(':'));
    let (need, since) = match (needs_v6, allowed.is_empty()) {
        (true, _) => ("an IPv6 address", 13),
        (false, false) => ("`allow`", 10),
        (false, true) => return Ok(()),
    };
    match environment.java {
        Some(major) if major < since => {
            let source = if allowed.is_empty() { &options.driver.source } else { &options.allow.source };
            let from = if *source == Source::Default { String::new() } else { format!(" ({source})") };
            Err(Failure::world(format!(
                "the driver runs on Java {major}, whose debug agent does not know {need}{from}"
            ))
            .help(format!("it came with Java {since}; leave it out, or set JAVA_HOME to a newer one")))
        }
        Some(_) => Ok(()),
        None => {
            plan.notes.push(Note::warning(
                "java-unknown",
                format!("the driver's Java is not known; before {since} its debug agent does not know {need}, and the JVM ends at its start"),
            ));
            Ok(())
        }
    }
}
