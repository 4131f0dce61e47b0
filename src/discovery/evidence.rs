//! From what settings and logs say to the state of a JVM. Pure.

use super::{Reach, State};
use crate::endpoint::{Endpoint, Mode};
use crate::jvm::jdwp::Agent;
use crate::jvm::options::{Splitter, find_agents};

/// What the settings of an application say of the debug agent of a role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Configured {
    /// The settings cannot be seen.
    Unseen,
    /// There is none in them; a worker's or a pod's own may still add one.
    No,
    /// This one.
    Agent(Agent),
}

impl Configured {
    /// The first agent in these option strings.
    pub fn of<'a>(options: impl IntoIterator<Item = &'a str>, splitter: Splitter) -> Configured {
        let first = options.into_iter().find_map(|raw| find_agents(raw, splitter).into_iter().next());
        first.map_or(Configured::No, |found| Configured::Agent(found.agent))
    }

    /// Where JVM and debugger meet.
    fn endpoint(&self) -> Option<Endpoint> {
        match self {
            Configured::Agent(agent) => agent.endpoint(),
            Configured::Unseen | Configured::No => None,
        }
    }

    /// The port, if it is written and the JVM listens on it.
    pub fn fixed_port(&self) -> Option<u16> {
        self.endpoint()
            .filter(|endpoint| endpoint.mode == Mode::Attach)
            .map(|endpoint| endpoint.port)
            .filter(|p| *p != 0)
    }

    /// How a debugger on this machine gets to the port of a JVM that runs here or not.
    pub fn reach(&self, is_here: bool) -> Reach {
        match self.endpoint() {
            _ if is_here => Reach::Here,
            Some(endpoint) if !endpoint.host.is_loopback() => Reach::Open,
            // What a worker adds is not in the settings; a tunnel reaches any port.
            _ => Reach::Tunnel,
        }
    }
}

/// What the standard output of a JVM told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// The last `Listening` line is known.
    Port(u16),
    /// A `Listening` line is known, but part of the log behind it was not read.
    Older(u16),
    /// All of it was read: no such line.
    Silent,
    /// It was not read, or not enough of it; why.
    Unread(String),
}

/// What is known of a JVM that a cluster has started.
pub struct Evidence<'a> {
    /// What its application's settings say.
    pub configured: &'a Configured,
    /// What its standard output says.
    pub output: Output,
    /// Whether it has ended, and why if that is known.
    pub ended: Option<Option<String>>,
    /// Whether it is known to stand before `main`.
    pub held: bool,
}

/// State, port and what people should know besides.
pub fn judge(evidence: Evidence) -> (State, Option<u16>, Option<String>) {
    let Evidence { configured, output, ended, held } = evidence;
    let last_port = match output {
        Output::Port(port) | Output::Older(port) => Some(port),
        Output::Silent | Output::Unread(_) => configured.fixed_port(),
    };
    if let Some(reason) = ended {
        return (State::Gone, last_port, Some(reason.unwrap_or_else(|| "it has ended".to_owned())));
    }
    match (output, configured) {
        (Output::Port(port), _) if held => (State::Waiting, Some(port), None),
        (Output::Port(port), _) => (State::Listening, Some(port), None),
        (_, Configured::Agent(agent)) if !agent.listens() => (State::Dialled, None, Some(dialled(agent))),
        (Output::Older(port), _) => {
            let remark = "its log is too long to be read whole: the port may have moved since";
            (State::Unknown, Some(port), Some(remark.to_owned()))
        }
        (Output::Unread(why), _) => (State::Unknown, last_port, Some(why)),
        (Output::Silent, Configured::Agent(agent)) => {
            let remark = match agent.get("quiet") {
                Some("y") => "`quiet=y` keeps its port out of its log",
                _ => "its log does not name its port",
            };
            (State::Unknown, last_port, Some(remark.to_owned()))
        }
        (Output::Silent, Configured::No) => (State::Unknown, None, Some("it has no debug agent".to_owned())),
        (Output::Silent, Configured::Unseen) => {
            (State::Unknown, None, Some("its log names no port: it may have no debug agent".to_owned()))
        }
    }
}

/// Where it dials, and how to be there.
pub fn dialled(agent: &Agent) -> String {
    let address = match agent.endpoint() {
        Some(endpoint) => format!("{}:{}", endpoint.host, endpoint.port),
        None => agent.get("address").unwrap_or("nowhere").to_owned(),
    };
    format!("it dials the debugger at {address}: IDE \"Listen to remote JVM\" there, before the JVM starts")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn configured(options: &str) -> Configured {
        Configured::of([options], Splitter::Executor)
    }

    fn judged(configured: &Configured, output: Output) -> (State, Option<u16>, String) {
        let (state, port, remark) = judge(Evidence { configured, output, ended: None, held: false });
        (state, port, remark.unwrap_or_default())
    }

    const FREE: &str = "-Da=1 -agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0";
    const FIXED: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=0.0.0.0:5005,quiet=y";
    const DIALS: &str = "-agentlib:jdwp=transport=dt_socket,server=n,suspend=n,address=10.0.0.171:5005";

    #[test]
    fn a_line_in_the_log_decides() {
        for options in [FREE, FIXED, ""] {
            let expected = (State::Listening, Some(4711), String::new());
            assert_eq!(judged(&configured(options), Output::Port(4711)), expected);
        }
        let unread = Output::Unread("worker1 did not answer".to_owned());
        let expected = (State::Unknown, None, "worker1 did not answer".to_owned());
        assert_eq!(judged(&configured(FREE), unread.clone()), expected);
        assert_eq!(judged(&configured(FIXED), unread).1, Some(5005));
    }

    #[test]
    fn where_a_log_cannot_tell_it_is_unknown() {
        let (state, port, remark) = judged(&configured(FREE), Output::Older(4711));
        assert_eq!((state, port), (State::Unknown, Some(4711)));
        assert!(remark.contains("may have moved"), "{remark}");
        let nothing = |remark: &str| (State::Unknown, None, remark.to_owned());
        assert_eq!(judged(&configured(FREE), Output::Silent), nothing("its log does not name its port"));
        assert_eq!(judged(&configured("-Xmx1g"), Output::Silent), nothing("it has no debug agent"));
        let quiet = (State::Unknown, Some(5005), "`quiet=y` keeps its port out of its log".to_owned());
        assert_eq!(judged(&configured(FIXED), Output::Silent), quiet);
    }

    #[test]
    fn who_dials_has_no_port() {
        let (state, port, remark) = judged(&configured(DIALS), Output::Silent);
        assert_eq!((state, port), (State::Dialled, None));
        assert!(remark.starts_with("it dials the debugger at 10.0.0.171:5005: IDE"), "{remark}");
    }

    #[test]
    fn the_dead_keep_their_port_and_their_reason() {
        let gone = |output, why: Option<&str>| {
            let ended = Some(why.map(str::to_owned));
            judge(Evidence { configured: &configured(FREE), output, ended, held: false })
        };
        assert_eq!(gone(Output::Port(9), Some("x")), (State::Gone, Some(9), Some("x".to_owned())));
        assert_eq!(gone(Output::Silent, None), (State::Gone, None, Some("it has ended".to_owned())));
    }

    #[test]
    fn how_to_get_there() {
        assert_eq!(configured(FREE).reach(false), Reach::Tunnel);
        assert_eq!(configured(FIXED).reach(false), Reach::Open);
        assert_eq!(configured("").reach(false), Reach::Tunnel);
        assert_eq!(configured(FIXED).reach(true), Reach::Here);
    }
}
