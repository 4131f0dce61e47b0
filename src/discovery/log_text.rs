//! What the text of a log tells: the port on which the JVM listened last, and why a JVM died before
//! `main`. Pure.

/// Printed by the agent on standard output, again after each debugger that leaves. Only the port.
const LISTENING: &str = "Listening for transport dt_socket at address: ";

/// Printed on standard error by a JVM whose agent got no connection; the JVM has ended then.
const DIED: &str = "AGENT_ERROR_TRANSPORT_INIT";

/// The port of the last `Listening` line. It may stand behind what the job printed without a newline.
pub fn last_port(text: &str) -> Option<u16> {
    text.rmatch_indices(LISTENING).find_map(|(at, _)| {
        let rest = &text[at + LISTENING.len()..];
        let address = rest.split(['\n', '\r', '<']).next().unwrap_or_default().trim_end();
        // Some transports print HOST:PORT.
        let port = address.rsplit(':').next()?;
        port.parse().ok().filter(|port| *port != 0)
    })
}

/// Printed on standard error, and nothing after it, by a JVM with two debug agents.
const TWICE: &str = "Cannot load this JVM TI agent twice";

/// Printed on standard output before the reason, with little or nothing after it.
const NO_VM: &str = "Error occurred during initialization of VM";

/// Lines between [`NO_VM`] and the end.
const MOST_WORDS: usize = 2;

/// The last line of `java` where the JVM refuses an option.
const NO_JVM: &str = "Error: A fatal exception has occurred. Program will exit.";

/// Whether the only `Listening` line is the last thing of a log that holds standard error too: a JVM that
/// suspends has not begun then.
pub fn ends_in_its_first_line(text: &str) -> bool {
    let mut parts = text.split(LISTENING).skip(1);
    match (parts.next(), parts.next()) {
        (Some(rest), None) => rest.split_once('\n').is_none_or(|(_, after)| after.trim().is_empty()),
        _ => false,
    }
}

/// The options of its JVM, as one of Flink's JVMs writes them into its log at its start, one a line.
pub fn jvm_options(text: &str) -> Option<Vec<&str>> {
    let (_, rest) = text.rsplit_once("JVM Options:")?;
    let (options, _) = rest.split_once("Program Arguments:")?;
    let words = options.lines().filter_map(|line| line.split_whitespace().next_back());
    // The dash alone stands before the text of a line.
    Some(words.filter(|word| word.starts_with('-') && *word != "-").collect())
}

/// Why the JVM died before `main`, and what to do about it; from its standard error, or if that tells
/// nothing, from its standard output.
pub fn death(text: &str) -> Option<String> {
    no_transport(text).or_else(|| no_jvm(text.trim_end()))
}

/// What a JVM says that never began; its last words.
fn no_jvm(text: &str) -> Option<String> {
    let last = text.lines().next_back()?;
    if last.contains(TWICE) {
        return Some("it died at its start: two debug agents in its options: leave one".to_owned());
    }
    let mut backwards = text.lines().rev().map(str::trim).filter(|line| !line.is_empty());
    let cause = match last.ends_with(NO_JVM) {
        true => backwards.find(|line| !line.starts_with("Error: ")),
        false => {
            let words: Vec<&str> = backwards.by_ref().take(MOST_WORDS + 1).collect();
            let at = words.iter().position(|line| *line == NO_VM)?;
            at.checked_sub(1).map(|at| words[at])
        }
    };
    let cause = cause.filter(|line| line.chars().any(char::is_alphabetic)).unwrap_or("the JVM did not come up");
    Some(format!("it died at its start: {}: correct its options", cause.chars().take(160).collect::<String>()))
}

fn no_transport(text: &str) -> Option<String> {
    let died_at = text.rfind(DIED)?;
    let before = &text[..died_at];
    let cause = before.rfind("ERROR: transport error ").map(|at| {
        let line = before[at..].lines().next().unwrap_or_default();
        line.split_once(": ").and_then(|(_, rest)| rest.split_once(": ")).map_or(line, |(_, cause)| cause).trim()
    });
    let cause = cause.unwrap_or("no transport could be opened");
    let cure = match cause {
        _ if cause.contains("Address already in use") => {
            "two JVMs on one host want the same port; give each a free one: --executor=attach:0"
        }
        _ if cause.contains("Connection refused") => {
            "nobody listened at that address; start the debugger's listen mode before the JVM"
        }
        _ if cause.contains("assign requested address") => {
            "the address is none of that host's; write --executor=attach:0"
        }
        _ if cause.contains("handshake") => {
            "what listens there is no debugger, or takes no second JVM; hold the application to one executor: --one-executor"
        }
        _ if cause.contains("getaddrinfo") || cause.contains("gethostbyname") || cause.contains("unknown host") => {
            "that host does not know the debugger's name; write its address"
        }
        _ if cause.contains("timed out") || cause.contains("unreachable") || cause.contains("No route") => {
            "that host cannot reach the debugger's machine"
        }
        _ => "see its standard error",
    };
    Some(format!("it died of {DIED}: {cause}: {cure}"))
}

/// Containers whose JVM died before `main`, as the YARN allocator reports them in the log of the
/// application master or the driver: container, host, why.
pub fn dead_containers(text: &str) -> Vec<(String, Option<String>, String)> {
    let mut dead: Vec<(String, Option<String>, String)> = Vec::new();
    let mut start = 0;
    for (at, _) in text.match_indices(DIED) {
        let end = at + DIED.len();
        let report = &text[start..end];
        let named = report.rmatch_indices("container_").find_map(|(at, _)| {
            let rest = &report[at..];
            let id = rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next()?;
            (id.matches('_').count() >= 4).then_some((at, id))
        });
        start = end;
        let (Some((at, id)), Some(why)) = (named, death(report)) else { continue };
        let host = report[..at].rfind(id).map_or(at, |first| first);
        let host = report[host..].split_once("on host: ").map(|(_, rest)| {
            rest.split(|c: char| !c.is_ascii_alphanumeric() && !".-_".contains(c)).next().unwrap_or_default()
        });
        let host = host.map(|host| host.trim_end_matches('.').to_owned()).filter(|host| !host.is_empty());
        if !dead.iter().any(|(known, ..)| known == id) {
            dead.push((id.to_owned(), host, why));
        }
    }
    dead
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_counts() {
        let text = "Listening for transport dt_socket at address: 42063\nx\nListening for transport dt_socket at \
                    address: 38933\n";
        assert_eq!(last_port(text), Some(38933));
        assert_eq!(last_port("no newLineListening for transport dt_socket at address: 5\n"), Some(5));
        assert_eq!(last_port("<pre>Listening for transport dt_socket at address: 5901</pre>"), Some(5901));
        assert_eq!(last_port("Listening for transport dt_socket at address: 10.0.0.7:5901\r\n"), Some(5901));
        assert_eq!(last_port("Listening for transport dt_socket at address: 99999"), None);
        assert_eq!(last_port("Listening for transport dt_socket at address: "), None);
        assert_eq!(last_port(""), None);
    }

    #[test]
    fn a_log_that_ends_in_its_first_line() {
        let line = "Listening for transport dt_socket at address: 5005\n";
        assert!(ends_in_its_first_line(&format!("+ exec java\n{line}\n")));
        assert!(!ends_in_its_first_line(&format!("{line}26/11/30 INFO Started\n")));
        // A debugger has been there.
        assert!(!ends_in_its_first_line(&format!("{line}{line}")));
        assert!(!ends_in_its_first_line(""));
    }

    #[test]
    fn the_options_in_a_log_of_flink() {
        let line = |text: &str| format!("2026-11-30 04:11:28,061 INFO  org.apache.flink.X      [] - {text}\n");
        let log = [
            "Starting",
            " JVM Options:",
            "    -Xmx1g",
            "    -Dkey=a b",
            "    -agentlib:x",
            " Program Arguments:",
            "-Y",
        ];
        let text: String = log.iter().map(|text| line(text)).collect();
        assert_eq!(jvm_options(&text), Some(vec!["-Xmx1g", "-agentlib:x"]));
        // Cut, or of something else.
        assert_eq!(jvm_options(&text[..text.len() / 2]), None);
        assert_eq!(jvm_options(""), None);
    }

    fn died(cause: &str) -> String {
        format!(
            "Spark Executor Command: \"java\"\n========\n\nERROR: transport error 202: {cause}\n\
             ERROR: JDWP Transport dt_socket failed to initialize, TRANSPORT_INIT(510)\n\
             JDWP exit error AGENT_ERROR_TRANSPORT_INIT(197): No transports initialized [debugInit.c:744]\n"
        )
    }

    #[test]
    fn a_death_is_explained() {
        assert_eq!(
            death(&died("bind failed: Address already in use")).unwrap(),
            "it died of AGENT_ERROR_TRANSPORT_INIT: bind failed: Address already in use: two JVMs on one host want the \
             same port; give each a free one: --executor=attach:0"
        );
        assert_eq!(
            death(&died("connect failed: Connection refused")).unwrap(),
            "it died of AGENT_ERROR_TRANSPORT_INIT: connect failed: Connection refused: nobody listened at that \
             address; start the debugger's listen mode before the JVM"
        );
        assert!(death(&died("handshake failed - connection prematurally closed")).unwrap().contains("no second JVM"));
        assert!(death(&died("getaddrinfo: failed to parse address")).unwrap().contains("write its address"));
        let header = "Spark Executor Command: \"java\"\n========================================\n\n";
        let twice =
            "ERROR: Cannot load this JVM TI agent twice, check your java command line for duplicate jdwp options.\n";
        assert_eq!(
            death(&format!("{header}{twice}")).unwrap(),
            "it died at its start: two debug agents in its options: leave one"
        );
        let refused = "Unrecognized option: -Xnonsense\nError: Could not create the Java Virtual Machine.\nError: A fatal \
                       exception has occurred. Program will exit.\n";
        assert_eq!(
            death(&format!("{header}{refused}")).unwrap(),
            "it died at its start: Unrecognized option: -Xnonsense: correct its options"
        );
        let no_vm = "Error occurred during initialization of VM\nMultiple garbage collectors selected\n";
        assert_eq!(
            death(no_vm).unwrap(),
            "it died at its start: Multiple garbage collectors selected: correct its options"
        );
        assert_eq!(death(&format!("{no_vm}a\nb\nc\n")), None);
        assert_eq!(death(""), None);
        // What a running application prints about others.
        assert_eq!(death(&format!("{twice}{refused}26/11/30 INFO Executor: Running task\n")), None);
        assert!(death("AGENT_ERROR_TRANSPORT_INIT").unwrap().contains("no transport could be opened"));
        assert_eq!(death("all is well"), None);
    }

    #[test]
    fn the_allocators_report_names_the_container() {
        let report = |number: u32| {
            format!(
                "26/11/30 WARN YarnAllocator: Container from a bad node: container_1700000000000_0001_01_00000{number} \
                 on host: node{number}.example. Exit status: 2. Diagnostics: Exception from container-launch.\n\
                 Container id: container_1700000000000_0001_01_00000{number}\nExit code: 2\n\
                 Last 4096 bytes of stderr :\n{}",
                died("connect failed: Connection refused")
            )
        };
        let dead = dead_containers(&format!("{}{}{}", report(2), report(3), report(2)));
        let names: Vec<_> = dead.iter().map(|(id, host, _)| (id.as_str(), host.as_deref().unwrap())).collect();
        assert_eq!(
            names,
            [
                ("container_1700000000000_0001_01_000002", "node2.example"),
                ("container_1700000000000_0001_01_000003", "node3.example")
            ]
        );
        assert!(dead[0].2.contains("nobody listened"), "{dead:?}");
        assert!(dead_containers("nothing").is_empty());
    }
}
