//! Whether the debugger and the JVM will meet on this machine: by binding (attach) and by the
//! kernel's socket table (listen). Never by connecting: an IDE that listens takes any connection for
//! a JVM.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr, TcpListener, ToSocketAddrs, UdpSocket};

use crate::endpoint::{Endpoint, Mode};
use crate::error;

/// What was found out about an endpoint on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// Attach: the port is free; for port 0 this is the one that was picked.
    Free(u16),
    /// Attach: somebody holds the port.
    InUse(Holder),
    /// Attach: the address belongs to no interface of this machine.
    NotHere,
    /// Attach: binding is refused for another reason.
    Refused(String),
    /// Listen: somebody listens there.
    Listening,
    /// Listen: nobody listens there.
    Nobody,
    /// The host name has no address.
    Unresolved(String),
    /// It cannot be known from here: another machine, or no socket table.
    Unknown,
}

/// Who holds a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Holder {
    /// A process that we may look into.
    Process {
        /// Its id.
        pid: i32,
        /// Its name, as `ps -o comm=` shows it.
        name: String,
    },
    /// A process of another user.
    User(u32),
    /// Bound but not listening, or the table cannot be read.
    Unseen,
}

/// Where sockets of this machine listen; `None` without a socket table.
pub fn listening() -> Option<Vec<SocketAddr>> {
    table::listeners()
}

/// Looks at an endpoint whose JVM will run on this machine.
pub fn look(endpoint: &Endpoint) -> Finding {
    let addresses: Vec<SocketAddr> = match (endpoint.host.as_str(), endpoint.port).to_socket_addrs() {
        Ok(addresses) => addresses.collect(),
        Err(cause) => return Finding::Unresolved(error::cause(&cause)),
    };
    match endpoint.mode {
        Mode::Attach => try_bind(&addresses),
        Mode::Listen => find_listener(&addresses),
    }
}

/// The first port, from that of an endpoint on, at which so many JVMs can listen side by side.
pub fn first_free(endpoint: &Endpoint, number: u16, taken: &BTreeSet<u16>) -> Finding {
    let at = |port: u16| match taken.contains(&port) {
        true => Finding::InUse(Holder::Unseen),
        false => look(&Endpoint { port, ..endpoint.clone() }),
    };
    let mut first = endpoint.port;
    while first <= u16::MAX - number {
        let in_the_way = (first..first + number).find_map(|port| match at(port) {
            Finding::Free(_) => None,
            other => Some((port, other)),
        });
        match in_the_way {
            None => return Finding::Free(first),
            Some((port, Finding::InUse(_))) => first = port + 1,
            Some((_, other)) => return other,
        }
    }
    Finding::Refused("no port is free from there on".to_owned())
}

fn try_bind(addresses: &[SocketAddr]) -> Finding {
    // The agent takes the first IPv4 address of a name, else the first of all.
    let Some(address) = addresses.iter().find(|address| address.is_ipv4()).or(addresses.first()) else {
        return Finding::Unknown;
    };
    match TcpListener::bind(address) {
        Ok(listener) => Finding::Free(listener.local_addr().map_or(address.port(), |bound| bound.port())),
        Err(cause) if cause.kind() == ErrorKind::AddrInUse => Finding::InUse(table::holder(address)),
        Err(cause) if cause.kind() == ErrorKind::AddrNotAvailable => Finding::NotHere,
        Err(cause) => Finding::Refused(error::cause(&cause)),
    }
}

/// The addresses of an endpoint that are this machine's.
pub fn here(endpoint: &Endpoint) -> Vec<SocketAddr> {
    let addresses = (endpoint.host.as_str(), endpoint.port).to_socket_addrs();
    addresses.into_iter().flatten().filter(|address| is_local(address.ip())).collect()
}

fn find_listener(addresses: &[SocketAddr]) -> Finding {
    let local: Vec<&SocketAddr> = addresses.iter().filter(|address| is_local(address.ip())).collect();
    if local.is_empty() {
        return Finding::Unknown;
    }
    match table::listeners() {
        None => Finding::Unknown,
        Some(listeners) => {
            let found = local.iter().any(|wanted| listeners.iter().any(|bound| covers(*bound, **wanted)));
            if found { Finding::Listening } else { Finding::Nobody }
        }
    }
}

/// Whether an address is one of this machine's: the kernel binds no other.
pub fn is_local(ip: IpAddr) -> bool {
    ip.is_loopback() || UdpSocket::bind((ip, 0)).is_ok()
}

/// Whether a connection to `wanted` reaches a socket bound to `bound`. A wildcard IPv6 socket takes
/// IPv4 as well unless it was made IPv6-only, which the table does not show.
fn covers(bound: SocketAddr, wanted: SocketAddr) -> bool {
    let bound_ip = bound.ip().to_canonical();
    let same_family = bound_ip.is_ipv4() == wanted.ip().is_ipv4();
    bound.port() == wanted.port()
        && (bound_ip == wanted.ip().to_canonical()
            || bound_ip.is_unspecified() && (same_family || bound.ip().is_ipv6()))
}

#[cfg(target_os = "linux")]
mod table {
    use super::{Holder, SocketAddr, covers};
    use procfs::net::{TcpNetEntry, TcpState, tcp, tcp6};
    use procfs::process::{FDTarget, all_processes};

    fn entries() -> Option<Vec<TcpNetEntry>> {
        let mut entries = tcp().ok()?;
        // Absent where IPv6 is off.
        entries.extend(tcp6().unwrap_or_default());
        entries.retain(|entry| entry.state == TcpState::Listen);
        Some(entries)
    }

    /// Every listening socket.
    pub fn listeners() -> Option<Vec<SocketAddr>> {
        Some(entries()?.into_iter().map(|entry| entry.local_address).collect())
    }

    /// Who listens on an address that cannot be bound.
    pub fn holder(wanted: &SocketAddr) -> Holder {
        let entries = entries().unwrap_or_default();
        let in_the_way = |entry: &&TcpNetEntry| {
            covers(entry.local_address, *wanted)
                || wanted.ip().is_unspecified() && entry.local_address.port() == wanted.port()
        };
        let Some(entry) = entries.iter().find(in_the_way) else { return Holder::Unseen };
        let owner = all_processes().into_iter().flatten().flatten().find(|process| {
            let descriptors = process.fd().into_iter().flatten().flatten();
            descriptors.into_iter().any(|fd| fd.target == FDTarget::Socket(entry.inode))
        });
        match owner {
            Some(process) => {
                let name = process.stat().map_or_else(|_| "?".to_owned(), |stat| stat.comm);
                Holder::Process { pid: process.pid, name }
            }
            None => Holder::User(entry.uid),
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod table {
    use super::{Holder, SocketAddr};

    /// There is no socket table to read.
    pub fn listeners() -> Option<Vec<SocketAddr>> {
        None
    }

    /// There is no socket table to read.
    pub fn holder(_wanted: &SocketAddr) -> Holder {
        Holder::Unseen
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    fn endpoint(text: &str) -> Endpoint {
        text.parse::<crate::endpoint::EndpointSpec>().unwrap().resolve(crate::endpoint::Role::Driver)
    }

    #[test]
    fn a_listener_is_seen_without_a_connection() {
        for bind in ["127.0.0.1:0", "0.0.0.0:0", "[::]:0", "[::1]:0"] {
            let Ok(listener) = TcpListener::bind(bind) else {
                eprintln!("no IPv6 on this machine: {bind} not tried");
                continue;
            };
            listener.set_nonblocking(true).unwrap();
            let port = listener.local_addr().unwrap().port();
            let host = if bind.starts_with("[::1]") { "[::1]" } else { "127.0.0.1" };
            let listen = endpoint(&format!("listen:{host}:{port}"));
            assert_eq!(look(&listen), Finding::Listening, "{bind}");
            assert_eq!(listener.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
            drop(listener);
            assert_eq!(look(&listen), Finding::Nobody, "{bind}");
        }
    }

    #[test]
    fn the_holder_of_a_port_is_named() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let name = procfs::process::Process::myself().unwrap().stat().unwrap().comm;
        let holder = Holder::Process { pid: std::process::id() as i32, name };
        assert_eq!(look(&endpoint(&format!("attach:{port}"))), Finding::InUse(holder.clone()));
        assert_eq!(look(&endpoint(&format!("attach:0.0.0.0:{port}"))), Finding::InUse(holder));
        drop(listener);
        assert_eq!(look(&endpoint(&format!("attach:{port}"))), Finding::Free(port));
    }

    #[test]
    fn foreign_addresses() {
        // 203.0.113.0/24 is kept for documentation: no machine has it.
        assert_eq!(look(&endpoint("attach:203.0.113.9:5005")), Finding::NotHere);
        assert_eq!(look(&endpoint("listen:203.0.113.9:5005")), Finding::Unknown);
        assert!(matches!(look(&endpoint("attach:no-such-host.invalid:5005")), Finding::Unresolved(_)));
    }
}
