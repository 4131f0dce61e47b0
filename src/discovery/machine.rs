//! Which names mean this machine. Nothing is asked of DNS: a thousand executors have a thousand names.

use std::net::IpAddr;

use url::Url;

use crate::environment;
use crate::environment::ports;

/// This machine.
pub struct Machine {
    name: String,
}

impl Machine {
    /// Its name as `uname -n` tells it.
    pub fn this() -> Machine {
        Machine { name: environment::hostname() }
    }

    /// Whether a host is this machine.
    pub fn is_here(&self, host: &str) -> bool {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        match bare.parse::<IpAddr>() {
            Ok(ip) => !ip.is_unspecified() && ports::is_local(ip),
            Err(_) => is_localhost(bare) || bare.eq_ignore_ascii_case(&self.name),
        }
    }
}

/// The host as seen from here: what a server calls its own loopback is the server's machine.
pub fn seen_from_here(reported: &str, server: &Url) -> String {
    let is_loopback = |host: &str| {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        bare.parse::<IpAddr>().map_or(is_localhost(bare), |ip| ip.is_loopback())
    };
    match server.host_str() {
        Some(host) if is_loopback(reported) && !is_loopback(host) => host.to_owned(),
        _ => reported.to_owned(),
    }
}

fn is_localhost(name: &str) -> bool {
    name.eq_ignore_ascii_case("localhost")
}

/// Host and port of `HOST:PORT`; the host alone where there is no port.
pub fn host_and_port(text: &str) -> (String, Option<u16>) {
    match text.rsplit_once(':') {
        Some((host, port)) if port.parse::<u16>().is_ok() => (host.to_owned(), port.parse().ok()),
        _ => (text.to_owned(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loopback_of_a_server_is_the_server() {
        let url = |text: &str| Url::parse(text).unwrap();
        assert_eq!(seen_from_here("127.0.0.1", &url("http://edge1:4040")), "edge1");
        assert_eq!(seen_from_here("localhost", &url("http://10.0.0.5:4040")), "10.0.0.5");
        assert_eq!(seen_from_here("node7", &url("http://edge1:4040")), "node7");
        assert_eq!(seen_from_here("127.0.0.1", &url("http://localhost:4040")), "127.0.0.1");
    }

    #[test]
    fn this_machine_is_known_by_name_and_address() {
        let machine = Machine { name: "edge1".to_owned() };
        assert!(["edge1", "EDGE1", "localhost", "127.0.0.1", "[::1]"].into_iter().all(|host| machine.is_here(host)));
        assert!(!["edge2", "203.0.113.9", "0.0.0.0"].into_iter().any(|host| machine.is_here(host)));
        assert_eq!(host_and_port("h:1"), ("h".to_owned(), Some(1)));
        assert_eq!(host_and_port("[::1]:7"), ("[::1]".to_owned(), Some(7)));
        assert_eq!(host_and_port("h"), ("h".to_owned(), None));
    }
}
