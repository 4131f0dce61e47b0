//! Which JVM is debugged, who dials whom, and where: the words `attach:HOST:PORT,suspend` of the
//! command line and of profiles.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use ipnet::IpNet;

use crate::error::nearest;

/// A JVM that can be debugged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Spark's driver.
    Driver,
    /// Spark's executors.
    Executor,
    /// A long-running service: master, worker, history server, …
    Daemon,
    /// Flink's client.
    Client,
    /// Flink's JobManager.
    JobManager,
    /// Flink's TaskManager.
    TaskManager,
}

impl Role {
    /// Every role, in the order in which they are shown.
    pub const ALL: [Role; 6] =
        [Role::Driver, Role::Executor, Role::Daemon, Role::Client, Role::JobManager, Role::TaskManager];

    /// The word used in options, profiles and output.
    pub fn name(self) -> &'static str {
        match self {
            Role::Driver => "driver",
            Role::Executor => "executor",
            Role::Daemon => "daemon",
            Role::Client => "client",
            Role::JobManager => "jobmanager",
            Role::TaskManager => "taskmanager",
        }
    }

    /// The port a JVM of this role listens on when nobody names one.
    pub fn default_port(self) -> u16 {
        match self {
            Role::Executor => 0,
            Role::Client => 5016,
            Role::TaskManager => 5006,
            Role::Driver | Role::Daemon | Role::JobManager => 5005,
        }
    }

    /// Whether a JVM of this role waits for the debugger unless told otherwise.
    pub fn suspends_by_default(self) -> bool {
        matches!(self, Role::Driver | Role::Client)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Who dials whom, in the words of the IDEs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// The JVM listens and the debugger attaches to it (`server=y`).
    Attach,
    /// The debugger listens and the JVM dials out to it (`server=n`).
    Listen,
}

impl Mode {
    /// `attach` or `listen`.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Attach => "attach",
            Mode::Listen => "listen",
        }
    }
}

/// A host name or an address, valid inside a JDWP `address=`. IPv6 is held without brackets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host(String);

impl Host {
    /// The address that only this machine reaches; the default everywhere.
    pub fn loopback() -> Host {
        Host("127.0.0.1".to_owned())
    }

    /// All IPv4 interfaces, in the one form that every JDK takes.
    pub fn any() -> Host {
        Host("0.0.0.0".to_owned())
    }

    /// The text, without brackets.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The address, if it is one and not a name. An IPv6 scope (`%eth0`) is left out.
    pub fn ip(&self) -> Option<IpAddr> {
        self.0.split('%').next().unwrap_or_default().parse().ok()
    }

    /// Whether only this machine can reach it.
    pub fn is_loopback(&self) -> bool {
        self.ip().map_or(self.0.eq_ignore_ascii_case("localhost"), |ip| ip.is_loopback())
    }

    /// Whether it stands for all interfaces.
    pub fn is_wildcard(&self) -> bool {
        self.ip().is_some_and(|ip| ip.is_unspecified())
    }

    /// Whether a socket of the one is in the way of a socket of the other, as far as the texts tell.
    pub fn overlaps(&self, other: &Host) -> bool {
        let both_names_of_loopback = || {
            let first = |host: &Host| host.0.eq_ignore_ascii_case("localhost") || *host == Host::loopback();
            first(self) && first(other)
        };
        self == other || self.is_wildcard() || other.is_wildcard() || both_names_of_loopback()
    }

    /// Whether it is an IPv6 address, which the agent of JDK 8 to 12 cannot take.
    pub fn is_ipv6(&self) -> bool {
        matches!(self.ip(), Some(IpAddr::V6(_)))
    }
}

impl FromStr for Host {
    type Err = String;

    /// Takes a name, an IPv4 address or an IPv6 address (with or without brackets).
    fn from_str(text: &str) -> Result<Host, String> {
        let bare = match text.strip_prefix('[') {
            Some(rest) => {
                rest.strip_suffix(']').ok_or_else(|| format!("`{text}` opens a bracket that it does not close"))?
            }
            None => text,
        };
        if bare == "*" {
            return Err("`*` is not understood by Java 8; write 0.0.0.0 for all interfaces".to_owned());
        }
        let (address, scope) = bare.split_once('%').unwrap_or((bare, ""));
        let scope_is_plain = scope.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
        if address.contains(':') || text.starts_with('[') {
            return match address.parse::<Ipv6Addr>() {
                Ok(_) if scope_is_plain => Ok(Host(bare.to_owned())),
                _ => Err(format!("`{text}` is not an IPv6 address")),
            };
        }
        let looks_numeric = bare.chars().all(|c| c.is_ascii_digit() || c == '.');
        if looks_numeric && bare.parse::<Ipv4Addr>().is_err() {
            return Err(format!("`{text}` is not a host name or an IPv4 address"));
        }
        let is_name = !bare.is_empty()
            && bare.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
            && !bare.starts_with('-');
        if is_name { Ok(Host(bare.to_owned())) } else { Err(format!("`{text}` is not a host name or an address")) }
    }
}

impl fmt::Display for Host {
    /// IPv6 in brackets, as `HOST:PORT` needs it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.contains(':') { write!(f, "[{}]", self.0) } else { f.write_str(&self.0) }
    }
}

/// `[HOST:]PORT` as typed after `--attach`, `--listen` and inside endpoints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// The host, if one was given.
    pub host: Option<Host>,
    /// 0 lets the JVM or sparkdbg choose.
    pub port: u16,
}

impl FromStr for Address {
    type Err = String;

    /// Splits at the last colon, so that `[::1]:5005` works.
    fn from_str(text: &str) -> Result<Address, String> {
        if text.starts_with('[') && !text.contains(']') {
            return Err(format!("`{text}` opens a bracket that it does not close"));
        }
        if text.starts_with('[') && text.ends_with(']') {
            return Err(format!("`{text}` has no port: [HOST:]PORT"));
        }
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) if !host.contains(':') || host.starts_with('[') => (Some(host.parse()?), port),
            Some(_) => return Err(format!("`{text}` is ambiguous: write an IPv6 address in brackets, [ADDRESS]:PORT")),
            None => (None, text),
        };
        let digits = !port.is_empty() && port.chars().all(|c| c.is_ascii_digit());
        let port = port
            .parse::<u16>()
            .ok()
            .filter(|_| digits)
            .ok_or_else(|| format!("`{port}` is not a port: a number from 0 to 65535"))?;
        Ok(Address { host, port })
    }
}

/// Whether the agent takes the text as a peer of `allow=`: an address, or ADDRESS/BITS.
pub fn is_peer(text: &str) -> bool {
    text.parse::<IpAddr>().is_ok() || text.parse::<IpNet>().is_ok()
}

/// An endpoint as typed or written in a profile: what is left open takes the role's default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointSpec {
    /// Who dials whom.
    pub mode: Mode,
    /// `None`: 127.0.0.1.
    pub host: Option<Host>,
    /// `None` (attach only): the role's default port.
    pub port: Option<u16>,
    /// `None`: the role's default.
    pub suspend: Option<bool>,
}

impl EndpointSpec {
    /// A checked endpoint: a debugger that listens needs a real port.
    pub fn new(mode: Mode, host: Option<Host>, port: Option<u16>, suspend: Option<bool>) -> Result<Self, String> {
        match (mode, port) {
            (Mode::Listen, None) => {
                Err("`listen` needs the port of the debugger that listens: listen:[HOST:]PORT".to_owned())
            }
            (Mode::Listen, Some(0)) => {
                Err("port 0 cannot be dialled; with `listen` give a port from 1 to 65535".to_owned())
            }
            _ => Ok(EndpointSpec { mode, host, port, suspend }),
        }
    }

    /// Every field final.
    pub fn resolve(&self, role: Role) -> Endpoint {
        let suspends = role.suspends_by_default();
        Endpoint {
            mode: self.mode,
            host: self.host.clone().unwrap_or_else(Host::loopback),
            port: self.port.unwrap_or(role.default_port()),
            suspend: self.suspend.unwrap_or(suspends),
        }
    }
}

impl FromStr for EndpointSpec {
    type Err = String;

    /// `attach[:[HOST:]PORT][,suspend|,nosuspend]` or `listen:[HOST:]PORT[,…]`.
    fn from_str(text: &str) -> Result<EndpointSpec, String> {
        let (place, suspend) = match text.split_once(',') {
            None => (text, None),
            Some((place, "suspend")) => (place, Some(true)),
            Some((place, "nosuspend")) => (place, Some(false)),
            Some((_, other)) => {
                return Err(format!("`{other}` after the comma is neither `suspend` nor `nosuspend`"));
            }
        };
        let (word, address) = match place.split_once(':') {
            Some((word, address)) => (word, Some(address)),
            None => (place, None),
        };
        let mode = match word {
            "attach" => Mode::Attach,
            "listen" => Mode::Listen,
            _ if place.parse::<Address>().is_ok() && nearest(&word.to_lowercase(), ["attach", "listen"]).is_none() => {
                return Err(format!("`{text}` does not say who dials: write attach:{text} or listen:{text}"));
            }
            _ => return Err(format!("`{text}` is not an endpoint: attach[:[HOST:]PORT] or listen:[HOST:]PORT")),
        };
        let address = address.map(str::parse::<Address>).transpose()?;
        let port = address.as_ref().map(|address| address.port);
        EndpointSpec::new(mode, address.and_then(|address| address.host), port, suspend)
    }
}

/// Where one role's debugger and JVM meet; every field final.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Who dials whom.
    pub mode: Mode,
    /// Where the JVM binds (attach) or whom it dials (listen).
    pub host: Host,
    /// 0 (attach only): chosen at start.
    pub port: u16,
    /// Whether the JVM waits for the debugger before `main`.
    pub suspend: bool,
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suspend = if self.suspend { "suspend" } else { "nosuspend" };
        write!(f, "{}:{}:{},{suspend}", self.mode.name(), self.host, self.port)
    }
}
