//! `sparkdbg completions`: a script for each shell, which asks sparkdbg at every tab what the word may become. The words
//! before it are read by the rules of [`crate::argv`], so that nothing is offered that a launch would not take.

use clap::builder::{PossibleValue, StyledStr};
use clap::{Arg, ArgAction, Command, ValueHint};

use crate::argv::{option_before_value, takes_args};
use crate::cli::{self, Completions, Global, ShellName};
use crate::endpoint::Role;
use crate::environment::Process;
use crate::error::Failure;
use crate::output::print;
use crate::{profile, shim, text};

/// The command.
///
/// # Errors
/// Standard output cannot be written.
pub fn run(asked: &Completions) -> Result<(), Failure> {
    if asked.words.is_empty() {
        return print(script(asked.shell).as_bytes());
    }
    let words: Vec<String> = asked.words.iter().map(|word| text::decode(word)).collect();
    print(answer(asked.shell, &offer(&words)).as_bytes())
}

fn script(shell: ShellName) -> &'static str {
    match shell {
        ShellName::Bash => include_str!("completions/sparkdbg.bash"),
        ShellName::Zsh => include_str!("completions/sparkdbg.zsh"),
        ShellName::Fish => include_str!("completions/sparkdbg.fish"),
    }
}

/// What a word may become.
#[derive(Debug, PartialEq, Eq)]
enum Offer {
    /// One of these, each with its meaning.
    Words(Vec<(String, String)>),
    /// Something that starts like one of these: no blank follows.
    Starts(Vec<(String, String)>),
    /// The name of a file.
    Files,
    /// The name of a directory.
    Directories,
}

const NOTHING: Offer = Offer::Words(Vec::new());

/// In the words of the scripts: the kind, then one candidate on each line, as the shell wants it.
fn answer(shell: ShellName, offer: &Offer) -> String {
    let (kind, candidates) = match offer {
        Offer::Words(words) => ("words", words.as_slice()),
        Offer::Starts(words) => ("starts", words.as_slice()),
        Offer::Files => ("files", [].as_slice()),
        Offer::Directories => ("directories", [].as_slice()),
    };
    // A profile and its directory may have any name; nobody types a control character, and a terminal obeys it.
    let harmless = candidates.iter().filter(|(word, meaning)| !format!("{word}{meaning}").contains(char::is_control));
    let lines = harmless.map(|(word, meaning)| match (shell, meaning.as_str()) {
        (ShellName::Bash, _) => word.clone(),
        (ShellName::Zsh, "") => word.replace('\\', "\\\\").replace(':', "\\:"),
        (ShellName::Zsh, meaning) => format!("{}:{meaning}", word.replace('\\', "\\\\").replace(':', "\\:")),
        (ShellName::Fish, meaning) => format!("{word}\t{meaning}"),
    });
    std::iter::once(kind.to_owned()).chain(lines).map(|line| line + "\n").collect()
}

/// What the last of the words may become; the first is the program's name.
fn offer(words: &[String]) -> Offer {
    let mut root = cli::definition().disable_help_subcommand(true);
    root.build();
    let Some((current, before)) = words.split_last() else { return NOTHING };
    let mut before = before.iter().skip(1);
    let mut seen = Seen { root: &root, command: None, own: Vec::new(), config: None };
    while let Some(word) = before.next() {
        if word == "--" {
            return if seen.command.is_some_and(takes_args) { Offer::Files } else { NOTHING };
        }
        if word.starts_with('-') && word != "-" {
            let Ok(option) = option_before_value(&root, seen.command, word) else { return NOTHING };
            if let Some(config) = word.strip_prefix("--config=") {
                seen.config = Some(config);
            }
            let Some(option) = option else { continue };
            let Some(value) = before.next() else { return starting(seen.values(option), "", current) };
            if option.get_id() == "config" {
                seen.config = Some(value);
            }
            continue;
        }
        match seen.command {
            None => match root.find_subcommand(word) {
                Some(command) => seen.command = Some(command),
                None => return NOTHING,
            },
            Some(command) if takes_args(command) => return Offer::Files,
            Some(_) => seen.own.push(word),
        }
    }
    seen.offer(current)
}

/// What stands in front of the word.
struct Seen<'a> {
    root: &'a Command,
    command: Option<&'a Command>,
    /// The command's own words.
    own: Vec<&'a str>,
    /// The file of `--config`.
    config: Option<&'a str>,
}

impl Seen<'_> {
    fn offer(&self, current: &str) -> Offer {
        let command = self.command.unwrap_or(self.root);
        if let Some((option, value)) = current.split_once('=').filter(|_| current.starts_with("--")) {
            let known = command.get_arguments().find(|arg| arg.get_long() == option.strip_prefix("--"));
            return match known.filter(|arg| takes_value(arg)) {
                Some(arg) => starting(self.values(arg), &format!("{option}="), value),
                None => NOTHING,
            };
        }
        let offer = match self.command {
            _ if current.starts_with('-') => Offer::Words(options(command)),
            None => Offer::Words(commands(self.root)),
            Some(command) if takes_args(command) => Offer::Files,
            Some(command) => self.own_word(command),
        };
        starting(offer, "", current)
    }

    /// The next of a command's own words.
    fn own_word(&self, command: &Command) -> Offer {
        // `shim list` takes no directory.
        if self.own.first() == Some(&"list") {
            return NOTHING;
        }
        let words: Vec<&Arg> = command.get_positionals().filter(|arg| !arg.is_hide_set()).collect();
        let repeated = words.last().filter(|arg| matches!(arg.get_action(), ArgAction::Append));
        words.get(self.own.len()).or(repeated).map_or(NOTHING, |arg| self.values(arg))
    }

    /// What an option, or a word of a command's own, takes.
    fn values(&self, arg: &Arg) -> Offer {
        let possible = arg.get_possible_values();
        if !possible.is_empty() {
            let shown = possible.iter().filter(|value| !value.is_hide_set());
            let word = |value: &PossibleValue| (value.get_name().to_owned(), shown_or_empty(value.get_help()));
            return Offer::Words(shown.map(word).collect());
        }
        let plain = |words: &[&str]| words.iter().map(|word| ((*word).to_owned(), String::new())).collect();
        match (arg.get_id().as_str(), arg.get_value_hint()) {
            ("profile", _) => Offer::Words(profiles(self.config).unwrap_or_default()),
            ("existing", _) => Offer::Words(plain(&["replace", "keep", "fail"])),
            ("command", _) => Offer::Words(commands(self.root)),
            ("names", _) => Offer::Words(plain(&shim::names())),
            (id, _) if Role::ALL.iter().any(|role| role.name() == id) => Offer::Starts(vec![
                ("attach:".to_owned(), "the JVM listens there".to_owned()),
                ("listen:".to_owned(), "the debugger listens there".to_owned()),
            ]),
            (_, ValueHint::DirPath) => Offer::Directories,
            (_, ValueHint::AnyPath | ValueHint::FilePath) => Offer::Files,
            _ => NOTHING,
        }
    }
}

fn shown_or_empty(meaning: Option<&StyledStr>) -> String {
    meaning.map(ToString::to_string).unwrap_or_default()
}

fn takes_value(arg: &Arg) -> bool {
    arg.get_action().takes_values()
}

/// The candidates that go on from what is typed, each with what stands in front of it in the same word.
fn starting(offer: Offer, front: &str, typed: &str) -> Offer {
    let of = |words: Vec<(String, String)>| {
        let words = words.into_iter().filter(|(word, _)| word.starts_with(typed));
        words.map(|(word, meaning)| (format!("{front}{word}"), meaning)).collect()
    };
    match offer {
        Offer::Words(words) => Offer::Words(of(words)),
        Offer::Starts(words) => Offer::Starts(of(words)),
        paths => paths,
    }
}

/// The options that the help of a command shows.
fn options(command: &Command) -> Vec<(String, String)> {
    let shown = command.get_arguments().filter(|arg| !arg.is_positional() && !arg.is_hide_set());
    let words = shown.flat_map(|arg| {
        let meaning = shown_or_empty(arg.get_help());
        let long = arg.get_long().map(|long| format!("--{long}"));
        let short = arg.get_short().map(|short| format!("-{short}"));
        long.into_iter().chain(short).map(move |word| (word, meaning.clone()))
    });
    words.collect()
}

fn commands(root: &Command) -> Vec<(String, String)> {
    let shown = root.get_subcommands().filter(|command| !command.is_hide_set());
    shown.map(|command| (command.get_name().to_owned(), shown_or_empty(command.get_about()))).collect()
}

/// The profiles, each with the file that defines it; none where a file is not what it should be.
fn profiles(config: Option<&str>) -> Option<Vec<(String, String)>> {
    let process = Process::current().ok()?;
    let global = Global { config: config.map(|file| text::encode(file).into()), ..Global::default() };
    let (listed, _) = profile::list(&crate::profile_search(&global, &process)).ok()?;
    let file = |one: &profile::Listed| one.places.first().map(|(file, _)| file.display().to_string());
    Some(listed.into_iter().map(|one| (one.name.clone(), file(&one).unwrap_or_default())).collect())
}
