//! The debug agent's option, `-agentlib:jdwp=…`, in its three spellings: written by sparkdbg, or
//! found among the user's own options.

use std::fmt;

use crate::endpoint::{Endpoint, Host, Mode, is_peer};
use crate::error::nearest;

/// Every sub-option that the agents of JDK 8 to 25 know, hidden and obsolete ones included.
const KNOWN: [&str; 23] = [
    "transport",
    "address",
    "server",
    "suspend",
    "timeout",
    "launch",
    "onthrow",
    "onuncaught",
    "quiet",
    "allow",
    "mutf8",
    "stdalloc",
    "strict",
    "includevirtualthreads",
    "onjcmd",
    "logfile",
    "logflags",
    "errorexit",
    "pause",
    "assert",
    "coredump",
    "debugflags",
    "fatal",
];

/// Those of [`KNOWN`] that take nothing but `y` or `n`.
const YES_OR_NO: [&str; 14] = [
    "server",
    "suspend",
    "onuncaught",
    "quiet",
    "mutf8",
    "stdalloc",
    "strict",
    "includevirtualthreads",
    "onjcmd",
    "errorexit",
    "pause",
    "assert",
    "coredump",
    "fatal",
];

/// How the agent is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spelling {
    /// `-agentlib:jdwp=…`
    AgentLib,
    /// `-agentpath:PATH=…`, with the path of libjdwp.
    AgentPath(String),
    /// `-Xrunjdwp:…`, the spelling of Java 1.4, which every JVM still takes.
    Xrun,
}

/// The debug agent as one JVM argument: its sub-options in their order, unknown and repeated ones
/// included, so that a user's agent comes out exactly as it went in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// Which of the three options starts it.
    pub spelling: Spelling,
    /// What stands between the commas, split at the first `=`.
    options: Vec<(String, Option<String>)>,
}

impl Agent {
    /// The agent that sparkdbg adds. All four keys are written, for the defaults surprise: without
    /// `server` the JVM dials out, and a bare port is open to the world on Java 8.
    pub fn new(mode: Mode, host: &Host, port: u16, suspend: bool) -> Agent {
        let yes_or_no = |yes| if yes { "y" } else { "n" };
        let agent = Agent { spelling: Spelling::AgentLib, options: Vec::new() };
        agent
            .with("transport", "dt_socket")
            .with("server", yes_or_no(mode == Mode::Attach))
            .with("suspend", yes_or_no(suspend))
            .with("address", format!("{host}:{port}"))
    }

    /// Lets in only these peers, each an address or `ADDRESS/BITS`; none: everybody. Java 8 has no
    /// such option.
    pub fn with_allow(self, peers: &[String]) -> Agent {
        if peers.is_empty() { self } else { self.with("allow", peers.join("+")) }
    }

    /// Keeps the JVM from printing `Listening for transport …` on its standard output.
    pub fn with_quiet(self) -> Agent {
        self.with("quiet", "y")
    }

    fn with(mut self, key: &str, value: impl Into<String>) -> Agent {
        self.options.push((key.to_owned(), Some(value.into())));
        self
    }

    /// Recognises one JVM argument, quotes already removed; `None` if it starts no debug agent.
    pub fn parse(word: &str) -> Option<Agent> {
        let (spelling, options) = if let Some(rest) = word.strip_prefix("-agentlib:") {
            let (library, options) = cut(rest, '=');
            (library == "jdwp").then_some((Spelling::AgentLib, options))?
        } else if let Some(rest) = word.strip_prefix("-agentpath:") {
            let (path, options) = cut(rest, '=');
            let file = path.rsplit(['/', '\\']).next()?;
            let is_jdwp = matches!(file, "libjdwp.so" | "libjdwp.dylib" | "jdwp.dll");
            is_jdwp.then(|| (Spelling::AgentPath(path.to_owned()), options))?
        } else {
            let (library, options) = cut(word.strip_prefix("-Xrun")?, ':');
            (library == "jdwp").then_some((Spelling::Xrun, options))?
        };
        let items = options.into_iter().flat_map(|options| options.split(','));
        let options = items.map(|item| cut(item, '=')).map(|(key, value)| (key.to_owned(), value.map(str::to_owned)));
        Some(Agent { spelling, options: options.collect() })
    }

    /// The value of a sub-option; of a repeated one the last, as in the JVM.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.options.iter().rev().find(|(k, _)| k == key)?.1.as_deref()
    }

    /// What is written after `address=`: `HOST:PORT` or only a port.
    fn address(&self) -> Option<&str> {
        self.get("address")
    }

    /// Whether the JVM listens and the debugger attaches; unless it says so, the JVM dials out.
    pub fn listens(&self) -> bool {
        self.get("server") == Some("y")
    }

    /// Whether the JVM waits for the debugger before `main`; unless it says no, it does.
    pub fn suspends(&self) -> bool {
        self.get("suspend") != Some("n")
    }

    /// Where JVM and debugger meet, read as JDK 13 and later do; `None` if the address makes no sense.
    pub fn endpoint(&self) -> Option<Endpoint> {
        let (mode, address) = match (self.listens(), self.address().unwrap_or_default()) {
            (true, "") => (Mode::Attach, "0"),
            (true, address) => (Mode::Attach, address),
            (false, address) => (Mode::Listen, address),
        };
        let (host, port) = split_address(address);
        let host = match host {
            "" => Host::loopback(),
            "*" => "0.0.0.0".parse().ok()?,
            host => host.parse().ok()?,
        };
        // Nobody can dial "all interfaces": the JVM takes it for its own machine.
        let host = if mode == Mode::Listen && host.is_wildcard() { Host::loopback() } else { host };
        let port = port.parse().ok().filter(|port| mode == Mode::Attach || *port != 0)?;
        Some(Endpoint { mode, host, port, suspend: self.suspends() })
    }

    /// Whether the next word begins with what is missing at the end of this one: the sub-options, a value, or the port
    /// of an address.
    pub fn goes_on_in(&self, next: &str) -> bool {
        match self.options.last() {
            None => next.starts_with(['=', ':']),
            Some((_, None)) => next.starts_with('='),
            Some((key, Some(value))) => {
                let port = split_address(value).1;
                key == "address" && port.parse::<u16>().is_err() && next.starts_with(':')
            }
        }
    }

    /// What is lost when this agent is replaced: every sub-option that [`Agent::new`] does not set.
    pub fn extras(&self) -> Vec<String> {
        let set_by_new = |key: &str| matches!(key, "transport" | "server" | "suspend" | "address" | "");
        self.options.iter().filter(|(key, _)| !set_by_new(key)).map(item_text).collect()
    }

    /// Why the JVM would refuse to start with this agent, as far as the words alone show it.
    pub fn check(&self) -> Result<(), String> {
        if matches!(&self.options[..], [(key, None)] if key == "help") {
            return Err("`help` makes the JVM print the options of its debug agent and exit".to_owned());
        }
        let mut transport = None;
        for (index, (key, value)) in self.options.iter().enumerate() {
            let is_last = index + 1 == self.options.len();
            match value.as_deref() {
                None if key.is_empty() && is_last => {}
                _ if key.is_empty() => return Err(format!("`{self}` has a comma too many or a `=` without a name")),
                _ if !is_known(key) => return Err(unknown(key)),
                None => return Err(format!("`{key}` has no value: `{key}=…`")),
                Some("") if is_last || key == "transport" => return Err(format!("`{key}=` has no value")),
                Some(name) if key == "transport" => {
                    if let Some(other) = transport.replace(name) {
                        return Err(format!("`transport={other}` and `transport={name}`: the JVM takes only one"));
                    }
                }
                Some(value) if YES_OR_NO.contains(&key.as_str()) && !matches!(value, "y" | "n") => {
                    return Err(format!("`{key}={value}` is neither `{key}=y` nor `{key}=n`"));
                }
                Some(_) if matches!(key.as_str(), "address" | "allow" | "timeout") && transport.is_none() => {
                    return Err(format!("`{key}` stands before `transport`; write `transport=dt_socket` first"));
                }
                Some(_) => {}
            }
        }
        match transport {
            None => return Err(format!("`{self}` has no `transport=dt_socket`")),
            Some("dt_shmem") => {
                return Err("`transport=dt_shmem` exists only on Windows; write `transport=dt_socket`".to_owned());
            }
            Some(_) => {}
        }
        self.check_address()?;
        self.check_allow()?;
        let waits_for_exception = self.get("onthrow").is_some() || self.get("onuncaught") == Some("y");
        if waits_for_exception && self.get("launch").is_none() {
            return Err("`onthrow` and `onuncaught` need a `launch=COMMAND`".to_owned());
        }
        Ok(())
    }

    fn check_address(&self) -> Result<(), String> {
        let address = self.address().unwrap_or_default();
        if address.is_empty() {
            let cure = "`address=HOST:PORT`, or `server=y` to make it listen";
            return if self.listens() { Ok(()) } else { Err(format!("the JVM dials out and needs {cure}")) };
        }
        let (_, port) = split_address(address);
        match port.parse::<u16>() {
            Ok(0) if !self.listens() => Err(format!("`address={address}`: port 0 cannot be dialled")),
            Ok(_) => Ok(()),
            Err(_) => Err(format!("`address={address}`: `{port}` is not a port: a number from 0 to 65535")),
        }
    }

    fn check_allow(&self) -> Result<(), String> {
        match self.get("allow").filter(|peers| self.listens() && *peers != "*") {
            None => Ok(()),
            Some(peers) => match peers.split('+').find(|peer| !is_peer(peer)) {
                None => Ok(()),
                Some(peer) => Err(format!("`allow={peers}`: `{peer}` is not an address or ADDRESS/BITS")),
            },
        }
    }

    /// What the JVM takes but the user can hardly want: with `timeout=` a JVM to which no debugger
    /// comes ends with status 0.
    pub fn warning(&self) -> Option<String> {
        let timeout = self.get("timeout").filter(|_| self.listens())?;
        Some(format!("with `timeout={timeout}` a job to which no debugger comes ends as successful without having run"))
    }
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let separator = match &self.spelling {
            Spelling::AgentLib => {
                f.write_str("-agentlib:jdwp")?;
                "="
            }
            Spelling::AgentPath(path) => {
                write!(f, "-agentpath:{path}")?;
                "="
            }
            Spelling::Xrun => {
                f.write_str("-Xrunjdwp")?;
                ":"
            }
        };
        for (index, item) in self.options.iter().enumerate() {
            f.write_str(if index == 0 { separator } else { "," })?;
            f.write_str(&item_text(item))?;
        }
        Ok(())
    }
}

/// Splits at the first separator.
fn cut(text: &str, separator: char) -> (&str, Option<&str>) {
    match text.split_once(separator) {
        Some((before, after)) => (before, Some(after)),
        None => (text, None),
    }
}

/// Host (empty if there is none) and port. IPv6 works without brackets too, as in the JVM.
fn split_address(address: &str) -> (&str, &str) {
    address.rsplit_once(':').unwrap_or(("", address))
}

fn item_text((key, value): &(String, Option<String>)) -> String {
    match value {
        Some(value) => format!("{key}={value}"),
        None => key.clone(),
    }
}

/// Whether the agent knows the word as a sub-option.
pub(super) fn is_known(key: &str) -> bool {
    KNOWN.contains(&key)
}

fn unknown(key: &str) -> String {
    let hint = nearest(key, KNOWN).map(|known| format!("; did you mean `{known}`?")).unwrap_or_default();
    format!("`{key}` is not an option of the debug agent{hint}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn agent(text: &str) -> Agent {
        Agent::parse(text).expect("an agent")
    }

    fn host(text: &str) -> Host {
        text.parse().expect("a host")
    }

    #[test]
    fn a_new_agent_writes_all_four_keys_in_order() {
        assert_eq!(
            Agent::new(Mode::Attach, &Host::loopback(), 5005, true).to_string(),
            "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:5005"
        );
        assert_eq!(
            Agent::new(Mode::Listen, &host("::1"), 5006, false).with_allow(&[]).with_quiet().to_string(),
            "-agentlib:jdwp=transport=dt_socket,server=n,suspend=n,address=[::1]:5006,quiet=y"
        );
        assert_eq!(
            Agent::new(Mode::Attach, &host("0.0.0.0"), 0, false)
                .with_allow(&["10.0.0.0/8".to_owned(), "::1".to_owned()])
                .to_string(),
            "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=0.0.0.0:0,allow=10.0.0.0/8+::1"
        );
    }

    /// Case D1: all three forms.
    #[test]
    fn the_three_spellings_are_recognised() {
        assert_eq!(agent("-agentlib:jdwp=a=b").spelling, Spelling::AgentLib);
        assert_eq!(agent("-agentlib:jdwp").spelling, Spelling::AgentLib);
        assert_eq!(agent("-Xrunjdwp:a=b").spelling, Spelling::Xrun);
        assert_eq!(agent("-Xrunjdwp").spelling, Spelling::Xrun);
        for path in ["/opt/j dk/lib/libjdwp.so", "libjdwp.dylib", "C:\\jdk\\jdwp.dll"] {
            let expected = Spelling::AgentPath(path.to_owned());
            assert_eq!(agent(&format!("-agentpath:{path}")).spelling, expected);
            assert_eq!(agent(&format!("-agentpath:{path}=server=y")).spelling, expected);
        }
        for other in [
            "-agentlib:jdwpx=server=y",
            "-agentlib:jdwp:server=y",
            "-agentlib:hprof",
            "-agentlib:",
            "-agentpath:/opt/libjdwp.so.bak",
            "-agentpath:/opt/libhprof.so=/libjdwp.so",
            "-Xrunjdwp=server=y",
            "-Xrunhprof:jdwp",
            "-Xdebug",
            "-Dx=-agentlib:jdwp",
            "agentlib:jdwp",
            " -agentlib:jdwp",
            "",
        ] {
            assert_eq!(Agent::parse(other), None, "{other}");
        }
    }

    #[test]
    fn odd_agents_come_out_as_they_went_in() {
        for text in [
            "-agentlib:jdwp",
            "-agentlib:jdwp=",
            "-agentlib:jdwp=,",
            "-Xrunjdwp:",
            "-agentlib:jdwp=a=b,,c",
            "-agentlib:jdwp=a=b=c,=,=d,",
            "-agentpath:/x y/libjdwp.so=transport=dt_socket,server=y,launch=/bin/echo a b",
        ] {
            assert_eq!(agent(text).to_string(), text);
        }
    }

    /// Case V3: `server` left out is n, `suspend` left out is y.
    #[test]
    fn the_jvm_s_defaults_are_known() {
        let bare = agent("-agentlib:jdwp=transport=dt_socket,address=127.0.0.1:5005");
        assert!(!bare.listens());
        assert!(bare.suspends());
        assert_eq!(bare.endpoint().expect("an endpoint").to_string(), "listen:127.0.0.1:5005,suspend");
        let twice = agent("-Xrunjdwp:server=n,suspend=y,server=y,suspend=n,address=1,address=2");
        assert!(twice.listens() && !twice.suspends());
        assert_eq!(twice.address(), Some("2"));
    }

    #[test]
    fn endpoints() {
        let listening = [
            ("5005", "127.0.0.1:5005"),
            (":5005", "127.0.0.1:5005"),
            ("*:5005", "0.0.0.0:5005"),
            ("0.0.0.0:0", "0.0.0.0:0"),
            ("[::1]:5005", "[::1]:5005"),
            ("::1:5005", "[::1]:5005"),
            ("db-1.example:5005", "db-1.example:5005"),
            ("", "127.0.0.1:0"),
        ];
        for (address, expected) in listening {
            let found = agent(&format!("-agentlib:jdwp=server=y,suspend=n,address={address}")).endpoint();
            assert_eq!(found.expect(address).to_string(), format!("attach:{expected},nosuspend"));
        }
        assert_eq!(agent("-Xrunjdwp:server=y").endpoint().expect("any port").to_string(), "attach:127.0.0.1:0,suspend");
        for (address, expected) in
            [("5005", "127.0.0.1:5005"), ("*:5005", "127.0.0.1:5005"), ("[::1]:5005", "[::1]:5005")]
        {
            let found = agent(&format!("-agentlib:jdwp=suspend=n,address={address}")).endpoint();
            assert_eq!(found.expect(address).to_string(), format!("listen:{expected},nosuspend"));
        }
        for nonsense in
            ["server=y,address=99999", "server=y,address=localhost", "server=y,address=a b:1", "address=0", "server=n"]
        {
            assert_eq!(agent(&format!("-agentlib:jdwp={nonsense}")).endpoint(), None, "{nonsense}");
        }
    }

    #[test]
    fn extras_are_what_a_replacement_loses() {
        let own =
            agent("-Xrunjdwp:transport=dt_socket,onthrow=X,server=y,timeout=5,suspend=n,address=1,quiet=y,launch=,");
        assert_eq!(own.extras(), ["onthrow=X", "timeout=5", "quiet=y", "launch="]);
    }

    /// Every row was run on JDK 17. Of those taken, the ones that dial out found nobody; those refused
    /// end with status 1, 2 or 134 (`help`: 0). Cases V2, V3, V4.
    #[test]
    fn check_agrees_with_the_jvm() {
        for taken in [
            "transport=dt_socket,server=y",
            "transport=dt_socket,server=y,suspend=n,",
            "server=y,suspend=n,transport=dt_socket,address=0",
            "transport=dt_socket,server=y,address=,quiet=y",
            "transport=dt_socket,server=y,address=:0",
            "transport=dt_socket,server=y,address=*:0",
            "transport=dt_socket,address=127.0.0.1:5005",
            "transport=dt_socket,server=y,allow=10.0.0.1+127.0.0.1/8",
            "transport=dt_socket,server=y,allow=*",
            "transport=dt_socket,allow=localhost,server=n,address=127.0.0.1:1",
            "transport=dt_socket,server=y,launch=x,onuncaught=y",
            "transport=dt_socket,server=y,onuncaught=n",
            "transport=dt_socket,server=y,timeout=x,onjcmd=y,strict=y,mutf8=y,stdalloc=y,coredump=y,errorexit=y",
        ] {
            assert_eq!(agent(&format!("-agentlib:jdwp={taken}")).check(), Ok(()), "{taken}");
        }
        let port = "is not a port: a number from 0 to 65535";
        for (refused, message) in [
            ("", "`-agentlib:jdwp=` has no `transport=dt_socket`".to_owned()),
            ("server=y", "`-agentlib:jdwp=server=y` has no `transport=dt_socket`".to_owned()),
            ("help", "`help` makes the JVM print the options of its debug agent and exit".to_owned()),
            ("transport=dt_socket,suspend=maybe", "`suspend=maybe` is neither `suspend=y` nor `suspend=n`".to_owned()),
            ("transport=dt_socket,server=Y,server=y", "`server=Y` is neither `server=y` nor `server=n`".to_owned()),
            (
                "transport=dt_socket,server=y,supend=n",
                "`supend` is not an option of the debug agent; did you mean `suspend`?".to_owned(),
            ),
            ("transport=dt_socket,zzz=n", "`zzz` is not an option of the debug agent".to_owned()),
            (
                "transport=dt_socket, server=y",
                "` server` is not an option of the debug agent; did you mean `server`?".to_owned(),
            ),
            (
                "transport=dt_socket,,server=y",
                "`-agentlib:jdwp=transport=dt_socket,,server=y` has a comma too many or a `=` without a name"
                    .to_owned(),
            ),
            ("transport=dt_socket,quiet", "`quiet` has no value: `quiet=…`".to_owned()),
            ("transport=dt_socket,server=y,address=", "`address=` has no value".to_owned()),
            (
                "address=5005,transport=dt_socket,server=y",
                "`address` stands before `transport`; write `transport=dt_socket` first".to_owned(),
            ),
            (
                "server=y,timeout=5,transport=dt_socket",
                "`timeout` stands before `transport`; write `transport=dt_socket` first".to_owned(),
            ),
            (
                "transport=dt_socket,server=y,transport=x",
                "`transport=dt_socket` and `transport=x`: the JVM takes only one".to_owned(),
            ),
            (
                "transport=dt_shmem,server=y",
                "`transport=dt_shmem` exists only on Windows; write `transport=dt_socket`".to_owned(),
            ),
            (
                "transport=dt_socket,server=n",
                "the JVM dials out and needs `address=HOST:PORT`, or `server=y` to make it listen".to_owned(),
            ),
            ("transport=dt_socket,server=y,address=99999", format!("`address=99999`: `99999` {port}")),
            ("transport=dt_socket,server=y,address=h:5901-5910", format!("`address=h:5901-5910`: `5901-5910` {port}")),
            ("transport=dt_socket,server=y,address=localhost", format!("`address=localhost`: `localhost` {port}")),
            ("transport=dt_socket,address=h:0", "`address=h:0`: port 0 cannot be dialled".to_owned()),
            (
                "transport=dt_socket,server=y,allow=localhost",
                "`allow=localhost`: `localhost` is not an address or ADDRESS/BITS".to_owned(),
            ),
            (
                "transport=dt_socket,server=y,allow=10.0.0.0/33",
                "`allow=10.0.0.0/33`: `10.0.0.0/33` is not an address or ADDRESS/BITS".to_owned(),
            ),
            ("transport=dt_socket,server=y,onthrow=X", "`onthrow` and `onuncaught` need a `launch=COMMAND`".to_owned()),
        ] {
            assert_eq!(agent(&format!("-agentlib:jdwp={refused}")).check(), Err(message));
        }
    }

    /// Case T5.
    #[test]
    fn a_timeout_is_warned_of_only_when_the_jvm_listens() {
        let warning = agent("-Xrunjdwp:transport=dt_socket,server=y,timeout=5000").warning();
        let expected = "with `timeout=5000` a job to which no debugger comes ends as successful without having run";
        assert_eq!(warning.as_deref(), Some(expected));
        assert_eq!(agent("-Xrunjdwp:transport=dt_socket,address=1,timeout=5000").warning(), None);
    }

    fn agents() -> impl Strategy<Value = Agent> {
        let spelling = prop_oneof![
            Just(Spelling::AgentLib),
            Just(Spelling::Xrun),
            "[^=]{0,9}/libjdwp[.]so".prop_map(Spelling::AgentPath),
        ];
        let option = ("[^=,]{0,9}", proptest::option::of("[^,]{0,9}"));
        (spelling, proptest::collection::vec(option, 0..6)).prop_map(|(spelling, options)| Agent { spelling, options })
    }

    proptest! {
        #[test]
        fn every_agent_comes_back(agent in agents()) {
            prop_assert_eq!(Agent::parse(&agent.to_string()), Some(agent));
        }

        #[test]
        fn every_recognised_text_comes_back(
            start in "-agentlib:jdwp|-Xrunjdwp|-agentpath:/x/libjdwp.so", rest in "([=:]([a-c=,:]|\\PC){0,20})?",
        ) {
            let text = format!("{start}{rest}");
            if let Some(agent) = Agent::parse(&text) {
                prop_assert_eq!(agent.to_string(), text);
                let _ = (agent.check(), agent.endpoint(), agent.extras(), agent.warning());
            }
        }

        #[test]
        fn new_agents_are_taken_and_lead_where_they_were_told(port in 1u16.., suspend: bool, attach: bool) {
            let mode = if attach { Mode::Attach } else { Mode::Listen };
            for host in ["127.0.0.1", "::1", "fe80::1%eth0", "host-1.example"].map(host) {
                let agent = Agent::new(mode, &host, port, suspend);
                prop_assert_eq!(agent.check(), Ok(()));
                prop_assert_eq!(agent.endpoint(), Some(Endpoint { mode, host, port, suspend }));
            }
        }
    }
}
