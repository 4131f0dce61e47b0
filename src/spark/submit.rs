//! The grammar of `spark-submit`: which word is an option, a value, the application or its argument.
//!
//! Follows `SparkSubmitOptionParser` and `SparkSubmitCommandBuilder` of Spark's launcher (2.4 to
//! 4.3) word for word. Scanning only looks: the words themselves are never taken apart and put
//! together again.

use crate::version::Version;
use std::ops::Range;

use super::main_class::{CONNECT_REPL, CONNECT_SERVER, SHELL, SQL, THRIFT_SERVER};
use crate::seeded_fault::{self, Fault};

/// Options that take a value: canonical name, aliases, first version that knows it.
const OPTIONS: &[(&str, &[&str], (u32, u32))] = &[
    ("--archives", &[], (0, 0)),
    ("--class", &[], (0, 0)),
    ("--conf", &["-c"], (0, 0)),
    ("--deploy-mode", &[], (0, 0)),
    ("--driver-class-path", &[], (0, 0)),
    ("--driver-cores", &[], (0, 0)),
    ("--driver-default-class-path", &[], (4, 0)),
    ("--driver-java-options", &[], (0, 0)),
    ("--driver-library-path", &[], (0, 0)),
    ("--driver-memory", &[], (0, 0)),
    ("--exclude-packages", &[], (0, 0)),
    ("--executor-cores", &[], (0, 0)),
    ("--executor-memory", &[], (0, 0)),
    ("--extra-properties-file", &[], (4, 2)),
    ("--files", &[], (0, 0)),
    ("--jars", &[], (0, 0)),
    ("--keytab", &[], (0, 0)),
    ("--kill", &[], (0, 0)),
    ("--master", &[], (0, 0)),
    ("--name", &[], (0, 0)),
    ("--num-executors", &[], (0, 0)),
    ("--packages", &[], (0, 0)),
    ("--principal", &[], (0, 0)),
    ("--properties-file", &[], (0, 0)),
    ("--proxy-user", &[], (0, 0)),
    ("--py-files", &[], (0, 0)),
    ("--queue", &[], (0, 0)),
    ("--remote", &[], (3, 4)),
    ("--repositories", &[], (0, 0)),
    ("--status", &[], (0, 0)),
    ("--total-executor-cores", &[], (0, 0)),
];

/// Options without a value.
const SWITCHES: &[(&str, &[&str], (u32, u32))] = &[
    ("--help", &["-h"], (0, 0)),
    ("--load-spark-defaults", &[], (4, 0)),
    ("--supervise", &[], (0, 0)),
    ("--usage-error", &[], (0, 0)),
    ("--verbose", &["-v"], (0, 0)),
    ("--version", &[], (0, 0)),
];

/// First words that change the grammar; anywhere else they are ordinary words.
const SPECIAL_FIRST_WORDS: [&str; 3] = ["pyspark-shell-main", "sparkr-shell-main", "run-example"];

/// What the words of one option say, with its place in the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Canonical name: `--conf` for `-c` too.
    pub option: &'static str,
    /// Its value; empty for a switch.
    pub value: String,
    /// Index of the word that holds the value.
    pub at: usize,
    /// Where the value starts in that word, in bytes: after `--conf=`.
    pub offset: usize,
}

impl Setting {
    /// Key and value of a `--conf`.
    pub fn conf(&self) -> Option<(&str, &str)> {
        if self.option == "--conf" { self.value.split_once('=') } else { None }
    }

    /// Whether its value is a string of JVM options.
    pub fn holds_jvm_options(&self) -> bool {
        self.option == "--driver-java-options" || self.conf().is_some_and(|(key, _)| key.ends_with("JavaOptions"))
    }

    /// Where the value of `key` stands in the word, in bytes, if this setting gives it one.
    fn value_of(&self, key: &str) -> Option<Range<usize>> {
        let end = self.offset + self.value.len();
        match self.conf() {
            Some((name, value)) => (name == key).then_some(end - value.len()..end),
            None => (option_key(self.option) == Some(key)).then_some(self.offset..end),
        }
    }
}

/// Why the scan came to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// At the last word.
    Words,
    /// At the application (or the example's class), which stands at this index.
    Resource(usize),
    /// At a word that Spark refuses: it will say so itself.
    Refused {
        /// Its index.
        at: usize,
        /// Whether an option was left without its value, or had a malformed one.
        value: bool,
    },
}

/// A scanned command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine {
    /// Options and switches in their order.
    pub settings: Vec<Setting>,
    /// Words that belong to the application of a class that mixes them with Spark's options.
    pub mixed: Vec<usize>,
    /// Whether the class mixes its own words with Spark's options.
    pub mixes: bool,
    /// Index of the first word at which Spark takes an option.
    pub start: usize,
    /// Why the scan ended.
    pub end: End,
    /// The word that makes the command a question to Spark rather than a job.
    pub question: Option<Question>,
}

/// A command line that starts no driver: there is nothing to debug.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// `--version`, `--help`, `--kill`, `--status` or `--usage-error`.
    Option(&'static str),
    /// No words at all.
    Empty,
}

/// The first version that takes `word` as an option, alone or as `--option=value`, if any does.
pub fn known_since(word: &str) -> Option<(u32, u32)> {
    let name = split_equals(word).map_or(word, |(name, _)| name);
    let entry = OPTIONS.iter().chain(SWITCHES).find(|(known, aliases, _)| *known == name || aliases.contains(&name));
    entry.map(|(_, _, since)| *since)
}

/// The long names of every option and switch, for "did you mean".
pub fn option_names() -> impl Iterator<Item = &'static str> {
    OPTIONS.iter().chain(SWITCHES).map(|(name, ..)| *name)
}

fn find(table: &[(&'static str, &[&str], (u32, u32))], word: &str, version: Option<&Version>) -> Option<&'static str> {
    table
        .iter()
        .filter(|(_, _, (major, minor))| version.is_none_or(|version| version.at_least(*major, *minor)))
        .find(|(name, aliases, _)| *name == word || aliases.contains(&word))
        .map(|(name, ..)| *name)
}

/// Spark's `(--[^=]+)=(.+)`, matched against the whole word: `.` takes no line terminator, so that an
/// option whose joined value has a newline is not an option at all.
fn split_equals(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let is_line_end = |c: char| matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}');
    (name.starts_with("--") && name.len() > 2 && !value.is_empty() && !value.contains(is_line_end))
        .then_some((name, value))
}

/// Whether the launcher puts `SPARK_DAEMON_JAVA_OPTS` on the JVM of this class too.
pub fn is_server_class(class: &str, version: Option<&Version>) -> bool {
    class == THRIFT_SERVER || class == CONNECT_SERVER && version.is_none_or(|version| version.at_least(3, 4))
}

fn is_mixing_class(class: &str, version: Option<&Version>) -> bool {
    let since = match class {
        SHELL | SQL | THRIFT_SERVER => (0, 0),
        CONNECT_SERVER => (3, 4),
        CONNECT_REPL => (4, 0),
        _ => return false,
    };
    version.is_none_or(|version| version.at_least(since.0, since.1))
}

/// Scans the words after `spark-submit`. An unknown version counts as the newest.
pub fn scan(words: &[String], version: Option<&Version>) -> CommandLine {
    let first_word = words.first().and_then(|word| SPECIAL_FIRST_WORDS.into_iter().find(|special| special == word));
    let start = usize::from(first_word.is_some());
    let mut line = CommandLine {
        settings: Vec::new(),
        mixed: Vec::new(),
        mixes: first_word.is_some_and(|word| word != "run-example"),
        start,
        end: End::Words,
        question: words.is_empty().then_some(Question::Empty),
    };
    let mut at = start;
    while at < words.len() {
        let word = words[at].as_str();
        let (name, joined) = split_equals(word).map_or((word, None), |(name, value)| (name, Some(value)));
        if let Some(option) = find(OPTIONS, name, version) {
            let (value, value_at, offset) = match joined {
                Some(value) => (value, at, word.len() - value.len()),
                None if at + 1 < words.len() => (words[at + 1].as_str(), at + 1, 0),
                None => return line.refused(at, true),
            };
            let setting = Setting { option, value: value.to_owned(), at: value_at, offset };
            if option == "--conf" && setting.conf().is_none() {
                return line.refused(value_at, true);
            }
            if matches!(option, "--kill" | "--status") {
                line.question.get_or_insert(Question::Option(option));
            }
            if option == "--class" && is_mixing_class(value, version) {
                line.mixes = true;
            }
            line.settings.push(setting);
            at = value_at + 1;
        } else if let Some(switch) = find(SWITCHES, name, version) {
            if matches!(switch, "--help" | "--version" | "--usage-error") {
                line.question.get_or_insert(Question::Option(switch));
            }
            line.settings.push(Setting { option: switch, value: String::new(), at, offset: 0 });
            at += 1;
        } else if line.mixes {
            line.mixed.push(at);
            at += 1;
        } else if first_word.is_none() && word.starts_with('-') {
            return line.refused(at, false);
        } else {
            line.end = End::Resource(at);
            return line;
        }
    }
    line
}

impl CommandLine {
    /// Words that spark-submit never sees: those of a daemon, which reads `--properties-file` too.
    pub fn of_daemon(words: &[String]) -> CommandLine {
        let option = "--properties-file";
        // The last one counts, as with spark-submit.
        let at = words.iter().rposition(|word| word == option);
        let setting =
            at.and_then(|at| Some(Setting { option, value: words.get(at + 1)?.clone(), at: at + 1, offset: 0 }));
        CommandLine { settings: setting.into_iter().collect(), ..CommandLine::of_no_submit() }
    }

    /// No words at all, which is no question either.
    pub fn of_no_submit() -> CommandLine {
        CommandLine { settings: Vec::new(), mixed: Vec::new(), mixes: false, start: 0, end: End::Words, question: None }
    }

    fn refused(mut self, at: usize, value: bool) -> CommandLine {
        self.end = End::Refused { at, value };
        self
    }

    /// The last value of an option, which is the one that counts.
    pub fn last(&self, option: &str) -> Option<&Setting> {
        self.settings.iter().rev().find(|setting| setting.option == option)
    }

    /// Whether the switch stands on the line.
    pub fn has(&self, switch: &str) -> bool {
        self.last(switch).is_some()
    }

    /// The last setting of a configuration key, by `--conf` or by the option that stands for it, and
    /// the bytes of its value in its word.
    pub fn conf(&self, key: &str) -> Option<(&Setting, Range<usize>)> {
        let mut settings = self.settings.iter().filter_map(|setting| Some((setting, setting.value_of(key)?)));
        if seeded_fault::active(Fault::First) { settings.next() } else { settings.next_back() }
    }

    /// The main class.
    pub fn class(&self) -> Option<&str> {
        self.last("--class").map(|setting| setting.value.as_str())
    }
}

/// The key that the launcher writes for an option: both spellings are one, the last wins.
fn option_key(option: &str) -> Option<&'static str> {
    match option {
        "--driver-java-options" => Some(super::conf::DRIVER_EXTRA),
        _ => None,
    }
}
