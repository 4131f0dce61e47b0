//! The debug agent's option, in any spelling.

use bolero::{ValueGenerator, check, produce};
use sparkdbg::endpoint::{EndpointSpec, Mode, Role};
use sparkdbg::jvm::jdwp::{Agent, Spelling};

use crate::words::text;

const STARTS: [&str; 5] =
    ["-agentlib:jdwp", "-agentlib:jdwp=", "-Xrunjdwp:", "-agentpath:/opt/j dk/libjdwp.so=", "-agentlib:hprof="];

#[rustfmt::skip]
const PIECES: [&str; 36] = [
    ",", ",", ",", "=", ":", "transport", "dt_socket", "transport=dt_socket", "server=", "server=y", "suspend=",
    "suspend=n", "y", "n", "address=", "address=127.0.0.1:5005", "address=*:5005", "address=0.0.0.0:1", "127.0.0.1", "[::1]:", "*:", "0", "5005", "65536",
    "0.0.0.0", "fe80::1%eth0:", "db-1.example:", "allow=", "10.0.0.0/8", "+", "onthrow=X", "launch=/bin/sh a",
    "timeout=", "quiet=y", "help", "onuncaught=y",
];

/// The keys that sparkdbg's own agent sets, so that nothing of theirs is lost with a replaced one.
const OWN: [&str; 5] = ["transport", "server", "suspend", "address", ""];

fn agents() -> impl ValueGenerator<Output = String> {
    (produce::<u8>(), text(&PIECES, 16)).map_gen(|(start, rest)| match usize::from(start) {
        start if start < 250 => format!("{}{rest}", STARTS[start % STARTS.len()]),
        _ => rest,
    })
}

/// What stands between the commas, read without the parser.
fn items<'t>(agent: &Agent, text: &'t str) -> Vec<(&'t str, Option<&'t str>)> {
    let start = match &agent.spelling {
        Spelling::AgentLib => "-agentlib:jdwp".len(),
        Spelling::AgentPath(path) => "-agentpath:".len() + path.len(),
        Spelling::Xrun => "-Xrunjdwp".len(),
    };
    let options = text[start..].get(1..);
    let items = options.into_iter().flat_map(|options| options.split(','));
    items.map(|item| item.split_once('=').map_or((item, None), |(key, value)| (key, Some(value)))).collect()
}

#[test]
fn an_agent_comes_out_as_it_went_in() {
    check!().with_generator(agents()).for_each(|text| {
        let Some(agent) = Agent::parse(text) else { return };
        assert_eq!(agent.to_string(), *text);
        let items = items(&agent, text);
        for (key, _) in &items {
            let last = items.iter().rev().find(|(other, _)| other == key).and_then(|(_, value)| *value);
            assert_eq!(agent.get(key), last, "{key}");
        }
        let lost = items.iter().filter(|(key, _)| !OWN.contains(key));
        let lost: Vec<String> =
            lost.map(|(key, value)| value.map_or((*key).to_owned(), |value| format!("{key}={value}"))).collect();
        assert_eq!(agent.extras(), lost);
        let _ = agent.warning();
    });
}

#[test]
fn an_agent_leads_where_its_words_say() {
    check!().with_generator(agents()).for_each(|text| {
        let Some(agent) = Agent::parse(text) else { return };
        let taken = agent.check();
        let Some(endpoint) = agent.endpoint() else { return };
        assert_eq!(endpoint.mode, if agent.listens() { Mode::Attach } else { Mode::Listen });
        assert_eq!(endpoint.suspend, agent.suspends());
        assert!(endpoint.mode == Mode::Attach || !endpoint.host.is_wildcard(), "nobody can dial all interfaces");
        // What a hint prints leads to the same place.
        let spec: EndpointSpec = endpoint.to_string().parse().expect("an endpoint as users type it");
        assert_eq!(spec.resolve(Role::Driver), endpoint);
        let ours = Agent::new(endpoint.mode, &endpoint.host, endpoint.port, endpoint.suspend);
        assert_eq!(ours.check(), Ok(()));
        assert_eq!(ours.endpoint(), Some(endpoint));
        if taken.is_ok() {
            assert!(agent.get("transport").is_some(), "a JVM refuses an agent without a transport");
        }
    });
}
