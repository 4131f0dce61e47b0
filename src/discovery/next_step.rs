//! The exact next step to each JVM: what to type, and what to fill into the IDE. Pure.

use std::collections::BTreeSet;

use super::flink::operators::shown;
use super::{Jvm, Reach, State};
use crate::endpoint::Host;

/// The way to a JVM's port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Way {
    /// What must be typed first, and stay.
    pub tunnel: Option<String>,
    /// Whom the debugger dials then.
    pub host: String,
    /// Its port there.
    pub port: u16,
}

/// The next step to each JVM.
pub fn next_steps(jvms: &[Jvm]) -> Vec<String> {
    jvms.iter().zip(ways(jvms)).map(|(jvm, way)| next_step(jvm, way)).collect()
}

/// The way to each JVM to which a debugger may come now: `Err` says what stands in it, `None` that there is none.
/// Two tunnels cannot start at one port, nor at that of a JVM here: each gets its own.
pub fn ways(jvms: &[Jvm]) -> Vec<Option<Result<Way, &'static str>>> {
    let may_come = |jvm: &Jvm| matches!(jvm.state, State::Listening | State::Waiting | State::Unknown);
    let here = jvms.iter().filter(|jvm| jvm.reach == Reach::Here && jvm.state != State::Gone);
    let mut taken = here.filter_map(|jvm| jvm.port).collect();
    jvms.iter().map(|jvm| if may_come(jvm) { way(jvm, &mut taken) } else { None }).collect()
}

fn next_step(jvm: &Jvm, way: Option<Result<Way, &'static str>>) -> String {
    let remark =
        [silence(jvm), jvm.remark.clone()].into_iter().flatten().reduce(|one, other| format!("{one}; {other}"));
    let way = way.map(|way| match way {
        Ok(Way { tunnel, host, port }) => {
            let tunnel = tunnel.map(|tunnel| format!("{tunnel}, then ")).unwrap_or_default();
            format!("{tunnel}IDE \"Attach to remote JVM\": host {host}, port {port}")
        }
        Err(obstacle) => obstacle.to_owned(),
    });
    let step = match jvm.state {
        State::Listening => joined([way, remark]),
        State::Waiting => joined([way, Some("it stands before main until the debugger comes".to_owned()), remark]),
        State::Attached => {
            joined([Some("a debugger is attached; the JVM listens again when it leaves".to_owned()), remark])
        }
        State::Dialled | State::Gone => joined([remark]),
        State::Unknown => joined([remark, way.map(|way| format!("if it listens: {way}"))]),
    };
    let running = jvm.operators.as_deref().and_then(shown);
    joined([Some(step).filter(|step| !step.is_empty()), running])
}

/// What can be said of a JVM that left a question open: where no debugger is there it has another cause.
fn silence(jvm: &Jvm) -> Option<String> {
    // A log does not show who is attached; the socket table of this machine does.
    let why = match (jvm.state, &jvm.reach) {
        (State::Gone, _) | (State::Listening | State::Waiting, Reach::Here) => "it does not answer",
        _ => "it does not answer: probably suspended by a debugger",
    };
    jvm.silent.then(|| why.to_owned())
}

fn joined<const N: usize>(parts: [Option<String>; N]) -> String {
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// How to get to the port, if it is known.
fn way(jvm: &Jvm, taken: &mut BTreeSet<u16>) -> Option<Result<Way, &'static str>> {
    let port = jvm.port?;
    let attach = |host: &str, port| Way { tunnel: None, host: host.to_owned(), port };
    // What a server calls a host will be pasted into a shell.
    let host = jvm.host.parse::<Host>();
    Some(Ok(match (&jvm.reach, host) {
        (Reach::Here, _) => attach("127.0.0.1", port),
        (Reach::Pod { namespace, name }, _) => {
            if !is_plain(name) || !namespace.is_empty() && !is_plain(namespace) {
                return Some(Err("its pod has no plain name"));
            }
            let namespace = if namespace.is_empty() { String::new() } else { format!(" -n {namespace}") };
            let local = free(port, taken);
            let tunnel = Some(format!("kubectl port-forward{namespace} {name} {local}:{port}"));
            Way { tunnel, ..attach("127.0.0.1", local) }
        }
        (_, Err(_)) => return Some(Err("its host has no plain name")),
        (Reach::Open, Ok(host)) => attach(host.as_str(), port),
        (Reach::Tunnel, Ok(host)) => {
            let local = free(port, taken);
            let tunnel = Some(format!("ssh -L {local}:127.0.0.1:{port} {}", host.as_str()));
            Way { tunnel, ..attach("127.0.0.1", local) }
        }
    }))
}

/// The port itself, or the next that no other tunnel starts at.
fn free(port: u16, taken: &mut BTreeSet<u16>) -> u16 {
    let free = (port..=u16::MAX).find(|port| !taken.contains(port)).unwrap_or(port);
    taken.insert(free);
    free
}

/// Whether Kubernetes could have given that name.
fn is_plain(name: &str) -> bool {
    // `deployment/NAME` too.
    !name.starts_with('-') && name.chars().all(|c| c.is_ascii_alphanumeric() || "-./".contains(c))
}

#[cfg(test)]
mod tests {
    use super::super::Operator;
    use super::*;
    use crate::endpoint::Role;

    fn jvm(host: &str, reach: Reach, state: State) -> Jvm {
        Jvm {
            app: None,
            role: Role::Executor,
            id: "1".to_owned(),
            host: host.to_owned(),
            port: Some(5005),
            state,
            reach,
            remark: None,
            own_port: None,
            silent: false,
            operators: None,
        }
    }

    fn step(jvm: Jvm) -> String {
        next_steps(&[jvm]).remove(0)
    }

    #[test]
    fn what_to_type() {
        let attach = "IDE \"Attach to remote JVM\": host 127.0.0.1, port 5005";
        assert_eq!(step(jvm("node7", Reach::Here, State::Listening)), attach);
        assert_eq!(
            step(jvm("node7", Reach::Tunnel, State::Listening)),
            format!("ssh -L 5005:127.0.0.1:5005 node7, then {attach}")
        );
        let open = step(jvm("node7", Reach::Open, State::Listening));
        assert_eq!(open, "IDE \"Attach to remote JVM\": host node7, port 5005");
        let pod = Reach::Pod { namespace: "jobs".to_owned(), name: "pi-exec-1".to_owned() };
        assert_eq!(
            step(jvm("pi-exec-1", pod, State::Waiting)),
            format!(
                "kubectl port-forward -n jobs pi-exec-1 5005:5005, then {attach}; it stands before main until the \
                 debugger comes"
            )
        );
    }

    #[test]
    fn a_jvm_that_does_not_answer() {
        let silent = |state, port| {
            let jvm = Jvm { silent: true, port, remark: Some("pid 7".to_owned()), ..jvm("n", Reach::Here, state) };
            step(jvm)
        };
        let suspended = "it does not answer: probably suspended by a debugger; pid 7";
        assert_eq!(silent(State::Unknown, None), suspended);
        let attach = "IDE \"Attach to remote JVM\": host 127.0.0.1, port 5005";
        assert_eq!(silent(State::Unknown, Some(5005)), format!("{suspended}; if it listens: {attach}"));
        let attached = "a debugger is attached; the JVM listens again when it leaves";
        assert_eq!(silent(State::Attached, Some(5005)), format!("{attached}; {suspended}"));
        // Its sockets show that nobody is attached; a log does not.
        let elsewhere = Jvm { silent: true, ..jvm("n", Reach::Tunnel, State::Listening) };
        assert!(step(elsewhere).ends_with("port 5005; it does not answer: probably suspended by a debugger"));
        assert_eq!(silent(State::Listening, Some(5005)), format!("{attach}; it does not answer; pid 7"));
    }

    #[test]
    fn what_runs_on_a_taskmanager_comes_last() {
        let operator = Operator {
            jid: "1".to_owned(),
            job: "count".to_owned(),
            name: "squares".to_owned(),
            subtasks: vec![2],
            parallelism: 2,
        };
        let with = |operators| step(Jvm { port: None, operators, ..jvm("n", Reach::Here, State::Unknown) });
        assert_eq!(with(Some(vec![operator])), "runs squares (2/2) of count");
        assert_eq!(with(Some(Vec::new())), "");
    }

    #[test]
    fn two_tunnels_start_at_two_ports() {
        let nodes = ["node1", "node2"].map(|node| jvm(node, Reach::Tunnel, State::Listening));
        let steps = next_steps(&nodes);
        assert!(steps[0].starts_with("ssh -L 5005:127.0.0.1:5005 node1,"), "{steps:?}");
        assert!(steps[1].starts_with("ssh -L 5006:127.0.0.1:5005 node2,"), "{steps:?}");
        assert!(steps[1].ends_with("host 127.0.0.1, port 5006"), "{steps:?}");
    }

    #[test]
    fn no_tunnel_starts_at_the_port_of_a_jvm_here() {
        let jvms = [jvm("node1", Reach::Tunnel, State::Listening), jvm("edge1", Reach::Here, State::Attached)];
        let steps = next_steps(&jvms);
        assert_eq!(
            steps[0],
            "ssh -L 5006:127.0.0.1:5005 node1, then IDE \"Attach to remote JVM\": host 127.0.0.1, port 5006"
        );
    }

    #[test]
    fn a_name_that_a_shell_would_obey_is_not_written() {
        for host in ["x;reboot", "-oProxyCommand=x", "a b", "$(x)"] {
            assert_eq!(step(jvm(host, Reach::Tunnel, State::Listening)), "its host has no plain name");
        }
        let pod = Reach::Pod { namespace: String::new(), name: "a;b".to_owned() };
        assert_eq!(step(jvm("x", pod, State::Listening)), "its pod has no plain name");
    }
}
