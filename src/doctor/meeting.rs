//! Ports that JVMs take and debuggers that they dial, as far as the launch does not refuse them. Pure.

use super::finding::Finding;
use crate::endpoint::{Endpoint, Mode, Role};
use crate::environment::ports::Finding as Found;

/// What was found where a JVM and its debugger meet; `is_here`: the JVM, or each of its role, is on this machine.
/// `None`: the launch says it.
pub fn finding(role: Role, endpoint: &Endpoint, found: &Found, is_here: bool) -> Option<Finding> {
    let Endpoint { host, port, .. } = endpoint;
    Some(match (endpoint.mode, found) {
        (Mode::Attach, _) if *port == 0 && role == Role::Executor => {
            Finding::ok("port", format!("{role}: each JVM picks a port of its own; `sparkdbg ps` names them"))
        }
        (Mode::Attach, _) if *port == 0 => {
            Finding::ok("port", format!("{role}: a free port of {host} is picked at the start"))
        }
        (Mode::Attach, Found::Free(free)) => Finding::ok("port", format!("{role}: port {free} of {host} is free")),
        (Mode::Attach, Found::Unknown) if !is_here => {
            Finding::warn("port", format!("{role}: whether port {port} is free on its host cannot be seen from here"))
                .cure(format!("let the JVM pick one: --{role}=attach:0"))
        }
        (Mode::Listen, Found::Listening) => {
            Finding::ok("listener", format!("{role}: somebody listens on {host}:{port}; it was not dialled"))
        }
        (Mode::Listen, Found::Unknown) => Finding::warn(
            "listener",
            format!("{role}: whether a debugger listens on {host}:{port} cannot be seen from here"),
        )
        .cure("start it in its listen mode before the command"),
        (Mode::Attach, Found::Unknown) => {
            Finding::warn("port", format!("{role}: whether port {port} of {host} is free cannot be found out"))
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_not_ok() {
        let endpoint = |text: &str, role| text.parse::<crate::endpoint::EndpointSpec>().unwrap().resolve(role);
        let line = |text: &str, role, found, is_here| {
            let found = finding(role, &endpoint(text, role), &found, is_here)?;
            Some(format!("{} {}", found.level.name(), found.message))
        };
        let driver = |text: &str, found, is_here| line(text, Role::Driver, found, is_here).unwrap();
        assert_eq!(driver("attach:5005", Found::Free(5005), true), "ok driver: port 5005 of 127.0.0.1 is free");
        assert_eq!(
            driver("attach:5005", Found::Unknown, false),
            "warn driver: whether port 5005 is free on its host cannot be seen from here"
        );
        assert_eq!(
            driver("listen:203.0.113.9:5005", Found::Unknown, true),
            "warn driver: whether a debugger listens on 203.0.113.9:5005 cannot be seen from here"
        );
        assert_eq!(line("attach:5005", Role::Driver, Found::NotHere, true), None);
        assert_eq!(line("listen:5005", Role::Driver, Found::Nobody, true), None);
    }
}
