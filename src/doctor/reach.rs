//! Who reaches whom: the JVM's address from here, the debugger's from where the JVMs run. Pure.

use std::net::IpAddr;

use super::finding::Finding;
use crate::endpoint::{Endpoint, Mode, Role};
use crate::environment::surroundings::Master;

const TOPIC: &str = "reach";

/// Where the JVMs of a role run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place<'a> {
    /// On this machine, of this name.
    Here(&'a str),
    /// Each on a host of a cluster.
    Host,
    /// Each in a pod of its own.
    Pod,
}

/// How to come to a JVM that listens. `None`: others reach it too, which the launch warns of.
pub fn attach(role: Role, endpoint: &Endpoint, place: Place<'_>) -> Option<Finding> {
    let Endpoint { host, port, .. } = endpoint;
    if endpoint.mode != Mode::Attach || !host.is_loopback() {
        return None;
    }
    let port = if *port == 0 { "PORT".to_owned() } else { port.to_string() };
    let (who, way) = match place {
        Place::Here(machine) => ("this machine", format!("from another: ssh -L {port}:{host}:{port} {}", machine)),
        Place::Pod => ("its own pod", format!("from here: kubectl port-forward POD {port}:{port}")),
        Place::Host => {
            ("its own host", format!("from here: ssh -L {port}:{host}:{port} ITS_HOST, which `sparkdbg ps` names"))
        }
    };
    Some(Finding::ok(TOPIC, format!("{role}: only {who} reaches its port; {way}")))
}

/// Whether JVMs on a cluster reach the debugger that they dial. `dialled`: the addresses of its host, and whether
/// they are this machine's.
pub fn listen(role: Role, endpoint: &Endpoint, dialled: &[(IpAddr, bool)], masters: &[Master]) -> Option<Finding> {
    let Endpoint { host, port, .. } = endpoint;
    if endpoint.mode != Mode::Listen || host.is_loopback() {
        // Their own host: the launch refuses it.
        return None;
    }
    if dialled.is_empty() {
        return Some(
            Finding::warn(TOPIC, format!("{role}: `{host}` has no address here, and the cluster's hosts must know it"))
                .cure("write an address that they reach"),
        );
    }
    let is_here = dialled.iter().any(|(_, is_local)| *is_local);
    let master = masters.iter().find_map(|master| Some((master, master.towards?)));
    let Some((master, towards)) = master else {
        let whose = if is_here { "an address of this machine" } else { "no address of this machine" };
        let message =
            format!("{role}: `{host}` is {whose}; whether the cluster's hosts reach it cannot be seen from here");
        return Some(Finding::warn(TOPIC, message).cure(format!("from one of them: ping {host}")));
    };
    let Master { host: name, addresses, .. } = master;
    let behind_nat = dialled.iter().all(|(ip, _)| is_private(*ip)) && !addresses.iter().all(|ip| is_private(*ip));
    if behind_nat {
        let message = format!(
            "{role}: `{host}` is a private address and that of the master `{name}` is not: from there it is not reached"
        );
        return Some(Finding::warn(TOPIC, message).cure(format!(
            "tunnel to a host that they reach, and name that one: ssh -R 0.0.0.0:{port}:{host}:{port} GATEWAY"
        )));
    }
    if dialled.iter().any(|(ip, _)| *ip == towards) {
        let message = format!("{role}: `{host}` is the address by which this machine reaches the master `{name}`");
        return Some(Finding::ok(TOPIC, message));
    }
    let message = match is_here {
        true => format!("{role}: `{host}` is not the address by which this machine reaches the master `{name}`"),
        false => format!("{role}: `{host}` is no address of this machine; whether JVMs reach it is not seen from here"),
    };
    let shown = if towards.is_ipv6() { format!("[{towards}]") } else { towards.to_string() };
    Some(Finding::warn(TOPIC, message).cure(format!("for a debugger on this machine: --{role}=listen:{shown}:{port}")))
}

/// Masters whose names mean nothing here: Spark will not find them.
pub fn unresolved(masters: &[Master]) -> Option<Finding> {
    let unknown: Vec<String> = masters
        .iter()
        .filter(|master| master.addresses.is_empty())
        .map(|master| format!("`{}`", master.host))
        .collect();
    if unknown.is_empty() {
        return None;
    }
    let message = format!("the host of the master has no address: {}", unknown.join(", "));
    let finding = match unknown.len() == masters.len() {
        true => Finding::fail("deployment", message),
        false => Finding::warn("deployment", message),
    };
    Some(finding.cure("write an address, or a name that this machine knows"))
}

/// Addresses that nobody routes from one site to another.
fn is_private(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.is_private() || ip.is_loopback() || ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_unique_local() || ip.is_loopback() || ip.is_unicast_link_local(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::finding::Level;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn endpoint(text: &str) -> Endpoint {
        text.parse::<crate::endpoint::EndpointSpec>().unwrap().resolve(Role::Executor)
    }

    fn master(address: &str, towards: &str) -> Master {
        Master { host: "m".to_owned(), addresses: vec![ip(address)], towards: Some(ip(towards)) }
    }

    /// What executors meet that dial 10.0.0.171.
    fn dials(is_local: bool, masters: &[Master]) -> Finding {
        let endpoint = endpoint("listen:10.0.0.171:5005");
        listen(Role::Executor, &endpoint, &[(ip("10.0.0.171"), is_local)], masters).unwrap()
    }

    #[test]
    fn the_address_by_which_the_master_is_reached_is_the_right_one() {
        let found = dials(true, &[master("10.0.0.1", "10.0.0.171")]);
        let said = "executor: `10.0.0.171` is the address by which this machine reaches the master `m`";
        assert_eq!(found, Finding::ok(TOPIC, said));
    }

    #[test]
    fn another_address_of_this_machine_may_be_the_wrong_one() {
        let found = dials(true, &[master("10.8.0.1", "10.8.0.7")]);
        let said = "executor: `10.0.0.171` is not the address by which this machine reaches the master `m`";
        let cure = "for a debugger on this machine: --executor=listen:10.8.0.7:5005";
        assert_eq!(found, Finding::warn(TOPIC, said).cure(cure));
        let found = dials(true, &[master("2001:db8::1", "2001:db8::7")]);
        assert!(found.message.contains("is a private address"), "{found:?}");
    }

    #[test]
    fn an_address_of_another_machine() {
        let found = dials(false, &[master("10.0.0.1", "10.0.0.5")]);
        assert_eq!(
            found.message,
            "executor: `10.0.0.171` is no address of this machine; whether JVMs reach it is not seen from here"
        );
    }

    #[test]
    fn behind_nat() {
        let found = dials(true, &[master("198.51.100.1", "10.0.0.171")]);
        assert_eq!(found.level, Level::Warn);
        let cure = "tunnel to a host that they reach, and name that one: ssh -R 0.0.0.0:5005:10.0.0.171:5005 GATEWAY";
        assert_eq!(found.cure.as_deref(), Some(cure));
    }

    #[test]
    fn no_master_says_where_the_cluster_is() {
        let found = dials(true, &[]);
        assert_eq!(
            found.message,
            "executor: `10.0.0.171` is an address of this machine; whether the cluster's hosts reach it cannot be seen from here"
        );
        assert_eq!(found.cure.as_deref(), Some("from one of them: ping 10.0.0.171"));
        assert_eq!(listen(Role::Executor, &endpoint("listen:5005"), &[], &[]), None);
    }

    #[test]
    fn the_way_to_a_jvm_on_loopback() {
        let line = |text: &str, place| attach(Role::Executor, &endpoint(text), place).map(|found| found.message);
        assert_eq!(
            line("attach:0", Place::Host).unwrap(),
            "executor: only its own host reaches its port; from here: ssh -L PORT:127.0.0.1:PORT ITS_HOST, which \
             `sparkdbg ps` names"
        );
        assert_eq!(
            line("attach:7", Place::Pod).unwrap(),
            "executor: only its own pod reaches its port; from here: kubectl port-forward POD 7:7"
        );
        assert_eq!(
            line("attach:7", Place::Here("edge1")).unwrap(),
            "executor: only this machine reaches its port; from another: ssh -L 7:127.0.0.1:7 edge1"
        );
        assert_eq!(line("attach:0.0.0.0:7", Place::Here("edge1")), None);
    }

    #[test]
    fn masters_without_an_address() {
        let unknown = Master { host: "x.invalid".to_owned(), addresses: vec![], towards: None };
        let level = |masters: &[Master]| unresolved(masters).map(|found| found.level);
        assert_eq!(level(&[master("10.0.0.1", "10.0.0.5")]), None);
        assert_eq!(level(&[master("10.0.0.1", "10.0.0.5"), unknown.clone()]), Some(Level::Warn));
        assert_eq!(level(&[unknown]), Some(Level::Fail));
    }
}
