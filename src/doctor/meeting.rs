//! Ports that JVMs take and debuggers that they dial, as far as the launch does not refuse them. Pure, but for
//! [`alone`].

use super::finding::Finding;
use super::reach::{self, Place};
use crate::endpoint::{Endpoint, Mode, Role};
use crate::environment::ports::{self, Finding as Found};
use crate::environment::surroundings::{Dialled, Master};
use crate::options::Target;

/// Where a JVM and its debugger meet.
pub struct Meeting<'a> {
    /// The JVM, or each of this role.
    pub role: Role,
    /// The place.
    pub endpoint: &'a Endpoint,
    /// What was found there.
    pub found: &'a Found,
    /// Whether this command starts the JVM on this machine.
    pub is_here: bool,
    /// Where it runs.
    pub place: Place<'a>,
    /// The hosts that are dialled.
    pub dialled: &'a Dialled,
    /// Where the cluster is, as far as it is named.
    pub masters: &'a [Master],
}

impl Meeting<'_> {
    /// The port or the listener, and whether each side reaches the other.
    pub fn findings(&self) -> Vec<Finding> {
        let Meeting { role, endpoint, found, is_here, place, dialled, masters } = *self;
        let of_port = match place {
            Place::Pod if endpoint.mode == Mode::Attach && endpoint.port != 0 => {
                let port = endpoint.port;
                Some(Finding::ok(
                    "port",
                    format!("{role}: port {port} of a pod of its own, where nobody else wants it"),
                ))
            }
            _ => finding(role, endpoint, found, is_here),
        };
        let mut findings: Vec<Finding> = of_port.into_iter().collect();
        findings.extend(reach::attach(role, endpoint, place));
        if endpoint.mode == Mode::Listen && !matches!(place, Place::Here(_)) {
            let dialled = dialled.get(&role).map_or(&[][..], Vec::as_slice);
            findings.extend(reach::listen(role, endpoint, dialled, masters));
        }
        findings
    }
}

/// The places of these targets on this machine, where nothing else is known of them. Looks at each.
pub fn alone<'a>(targets: impl Iterator<Item = &'a Target>) -> Vec<Finding> {
    targets.filter_map(|target| finding(target.role, &target.endpoint, &ports::look(&target.endpoint), true)).collect()
}

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
