//! Where our own words end and the real script's begin.
//!
//! The first word that is no option of ours starts ARGS, and so does the first `--`. Which words are
//! ours is read from the definitions in [`crate::cli`], so that the two cannot part.

use std::ffi::{OsStr, OsString};

use clap::{Arg, ArgAction, Command};

use crate::cli::UNBUILT;
use crate::endpoint::{Address, EndpointSpec, Role};
use crate::error::{Failure, nearest};
use crate::spark::submit;
use crate::text;

/// The command that starts scripts of Flink's.
const FLINK: &str = "flink";

/// A command line taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The words for clap: ours, then `--`, then the script's.
    pub words: Vec<OsString>,
    /// An option of ours among those of the script.
    pub astray: Option<Astray>,
}

/// An option of ours, alone or with its value, in ARGS that no `--` started: it is the script's, and may not be meant to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Astray {
    /// Its name.
    pub option: String,
    /// The word that started ARGS.
    pub behind: String,
}

/// Takes a command line apart; `root` is the definition of [`crate::cli`], the first word is the program's name.
///
/// # Errors
/// An unknown option before ARGS, a value that lost its `=`, a command that is unknown or not built:
/// exit 2.
pub fn normalize(root: &Command, argv: Vec<OsString>) -> Result<Line, Failure> {
    let plain = |words| Ok(Line { words, astray: None });
    let mut words = argv.into_iter();
    let mut ours: Vec<OsString> = words.next().into_iter().collect();
    let mut command: Option<&Command> = None;
    let mut previous = OsString::new();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy().into_owned();
        if text == "--" {
            let Some(command) = command else {
                return Err(
                    Failure::usage("`--` stands before the command").help("write: sparkdbg COMMAND [OPTIONS] -- ARGS")
                );
            };
            if let Some(first) = words.as_slice().first().filter(|_| command.get_positionals().next().is_none()) {
                return Err(no_words(command, &first.to_string_lossy()));
            }
            if !takes_args(command) {
                ours.push(word);
                ours.extend(words);
                return plain(ours);
            }
            return plain(finish(ours, command, words));
        }
        if text.starts_with('-') && text != "-" {
            let takes_next = option_before_value(root, command, &text)?.is_some();
            ours.push(word.clone());
            previous = word;
            if takes_next {
                ours.extend(words.next());
            }
            continue;
        }
        match command {
            None => {
                refuse_unbuilt(&text)?;
                let found = root.find_subcommand(&text);
                if found.is_none() && text != "help" {
                    refuse_misplaced_value(&text, &previous, None)?;
                    return Err(unknown_command(root, &text));
                }
                ours.push(word);
                if text == "help" {
                    let topics: Vec<OsString> = words.collect();
                    topics.iter().try_for_each(|topic| refuse_unbuilt(&topic.to_string_lossy()))?;
                    ours.extend(topics);
                    return plain(ours);
                }
                command = found;
            }
            Some(command) if command.get_positionals().next().is_none() => {
                refuse_misplaced_value(&text, &previous, Some(command.get_name())).map_err(|failure| {
                    let help = failure.help.clone().unwrap_or_default();
                    failure.help(help.split("; if").next().unwrap_or_default())
                })?;
                return Err(no_words(command, &text));
            }
            // `ps` starts no script: its options may stand behind its URL.
            Some(command) if !takes_args(command) => {
                refuse_parted_value(command, &text, &previous)?;
                ours.push(word);
            }
            Some(command) => {
                refuse_misplaced_value(&text, &previous, Some(command.get_name()))?;
                let args: Vec<OsString> = std::iter::once(word).chain(words).collect();
                let astray = astray(root, command, &args);
                return Ok(Line { words: finish(ours, command, args), astray });
            }
        }
    }
    plain(ours)
}

/// Whether the command starts a script that gets ARGS.
pub fn takes_args(command: &Command) -> bool {
    command.get_arguments().any(|arg| arg.get_id() == "args")
}

/// Refuses a command that is fixed but not built.
///
/// # Errors
/// It is one of those: exit 2.
pub fn refuse_unbuilt(command: &str) -> Result<(), Failure> {
    if UNBUILT.contains(&command) {
        return Err(Failure::usage(format!("`sparkdbg {command}` is not in this version")));
    }
    Ok(())
}

fn finish(mut ours: Vec<OsString>, command: &Command, args: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    debug_assert!(takes_args(command));
    ours.push("--".into());
    ours.extend(args);
    ours
}

/// The first option that the help of the command shows, and that Spark does not have as well.
fn astray(root: &Command, command: &Command, args: &[OsString]) -> Option<Astray> {
    let (behind, rest) = args.split_first()?;
    let is_ours = |name: &str| {
        let long = name.strip_prefix("--").filter(|long| !long.is_empty());
        let mut shown = root.get_arguments().chain(command.get_arguments()).filter(|arg| !arg.is_hide_set());
        long.is_some() && shown.any(|arg| arg.get_long() == long) && submit::known_since(name).is_none()
    };
    let names = rest.iter().map_while(|word| Some(word.to_str().unwrap_or_default()).filter(|word| *word != "--"));
    let option = names.map(|word| word.split('=').next().unwrap_or_default()).find(|name| is_ours(name))?;
    Some(Astray { option: option.to_owned(), behind: text::decode(behind) })
}

/// The option of `text`, if its value is the next word.
///
/// # Errors
/// It is no option of ours: exit 2.
pub fn option_before_value<'a>(
    root: &'a Command,
    command: Option<&'a Command>,
    text: &str,
) -> Result<Option<&'a Arg>, Failure> {
    let known = || root.get_arguments().chain(command.into_iter().flat_map(Command::get_arguments));
    if let Some(long) = text.strip_prefix("--") {
        let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
        if name == "help" || name == "version" && command.is_none() {
            return Ok(None);
        }
        return match known().find(|arg| arg.get_long() == Some(name)) {
            Some(arg) => Ok(Some(arg).filter(|arg| value.is_none() && needs_value(arg))),
            None => Err(unknown_option(root, command, text, name)),
        };
    }
    let mut letters = text[1..].chars();
    while let Some(letter) = letters.next() {
        if letter == 'h' || letter == 'V' && command.is_none() {
            continue;
        }
        match known().find(|arg| arg.get_short() == Some(letter)) {
            Some(arg) if needs_value(arg) => return Ok(Some(arg).filter(|_| letters.as_str().is_empty())),
            Some(_) => {}
            None => return Err(unknown_option(root, command, text, text)),
        }
    }
    Ok(None)
}

fn needs_value(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Set | ArgAction::Append) && !arg.is_require_equals_set()
}

fn unknown_option(root: &Command, command: Option<&Command>, text: &str, name: &str) -> Failure {
    let Some(command) = command else {
        let belongs_after =
            root.get_subcommands().any(|command| command.get_arguments().any(|arg| arg.get_long() == Some(name)));
        let failure = Failure::usage(format!("`{text}` before the command is not an option of sparkdbg"));
        let longs = root.get_arguments().filter_map(Arg::get_long);
        return match nearest(name, longs) {
            _ if belongs_after => failure.help(format!("it goes after the command: sparkdbg COMMAND {text} …")),
            Some(near) => failure.help(format!("did you mean `--{near}`?")),
            None => failure.help("write: sparkdbg COMMAND [OPTIONS] -- ARGS; `sparkdbg --help` lists both"),
        };
    };
    let failure = Failure::usage(format!("`{text}` is not an option of `sparkdbg {}`", command.get_name()));
    if !takes_args(command) {
        let longs = root.get_arguments().chain(command.get_arguments()).filter_map(Arg::get_long);
        return failure.help(match nearest(name, longs) {
            Some(near) => format!("did you mean `--{near}`?"),
            None => format!("`sparkdbg {} --help` lists its options", command.get_name()),
        });
    }
    let is_flink = command.get_name() == FLINK;
    let whose = if is_flink { "Flink" } else { "Spark" };
    let script = format!("{whose}'s own options go after `--`: sparkdbg {} [OPTIONS] -- {text} …", command.get_name());
    if !is_flink && submit::known_since(text).is_some() {
        return failure.help(script);
    }
    let longs = root.get_arguments().chain(command.get_arguments());
    match nearest(name, longs.filter_map(Arg::get_long)) {
        Some(near) => failure.help(format!("did you mean `--{near}`? {whose}'s own options go after `--`")),
        None => failure.help(script),
    }
}

fn no_words(command: &Command, text: &str) -> Failure {
    let name = command.get_name();
    let takes = |arg: &&Arg| arg.get_possible_values().iter().any(|value| value.get_name() == text);
    let failure = Failure::usage(format!("`{text}`: `sparkdbg {name}` takes options only"));
    match command.get_arguments().find(takes).and_then(Arg::get_long) {
        Some(option) => failure.help(format!("did you mean `--{option} {text}`?")),
        None if ["profiles", "init"].contains(&name) => {
            let profile = shell_words::quote(text);
            failure.help(format!("a profile is named in front: sparkdbg -p {profile} {name}"))
        }
        None => failure.help(format!("`sparkdbg {name} --help` lists them")),
    }
}

fn unknown_command(root: &Command, text: &str) -> Failure {
    let failure = Failure::usage(format!("`{text}` is not a command of sparkdbg"));
    let bare = text.strip_prefix("spark-").unwrap_or(text);
    let names: Vec<&str> = root.get_subcommands().filter(|c| !c.is_hide_set()).map(Command::get_name).collect();
    match nearest(bare, names.iter().copied()) {
        Some(near) => failure.help(format!("did you mean `sparkdbg {near}`?")),
        None => failure.help(format!("the commands are {}", names.join(", "))),
    }
}

/// `--driver attach:5005` would start ARGS with `attach:5005`: say how the value is joined.
fn refuse_misplaced_value(text: &str, previous: &OsStr, command: Option<&str>) -> Result<(), Failure> {
    let first = if command == Some(FLINK) { Role::Client } else { Role::Driver };
    let Some(right) = joined_value(text, &previous.to_string_lossy(), first) else { return Ok(()) };
    Err(parted(text)
        .help(format!("write `{right}`; if it really is the first word for the script, put `--` before it")))
}

/// The same for a command without ARGS, whose own word is one of a few (`ide`): no other stands after an option that
/// may have a value.
fn refuse_parted_value(command: &Command, text: &str, previous: &OsStr) -> Result<(), Failure> {
    let own = command.get_positionals().next().map(Arg::get_possible_values).unwrap_or_default();
    let previous = previous.to_string_lossy();
    let is_own = own.iter().any(|value| value.matches(text, false));
    let may_have_value = |arg: &Arg| {
        arg.is_require_equals_set() && arg.get_long().is_some_and(|long| previous.strip_prefix("--") == Some(long))
    };
    if own.is_empty() || is_own {
        return Ok(());
    }
    if !command.get_arguments().any(may_have_value) {
        return refuse_endpoint_alone(command, text);
    }
    // A URL may hold a password.
    let text = if text.contains('@') { "USER@…" } else { text };
    let right = joined_value(text, &previous, Role::Driver).unwrap_or_else(|| format!("{previous}={text}"));
    Err(parted(text).help(format!("write `{right}`")))
}

/// `ide vscode attach:5005`: an endpoint says where, not whose debugger comes there.
fn refuse_endpoint_alone(command: &Command, text: &str) -> Result<(), Failure> {
    let takes_endpoints = command.get_arguments().any(|arg| arg.get_long() == Some(Role::Driver.name()));
    match joined_value(text, "", Role::Driver).filter(|right| takes_endpoints && !right.starts_with("--dry-run")) {
        Some(right) => {
            Err(Failure::usage(format!("`{text}` does not say which role it is for")).help(format!("write `{right}`")))
        }
        None => Ok(()),
    }
}

fn parted(text: &str) -> Failure {
    Failure::usage(format!("`{text}` looks like the value of an option, but a blank parts it from its option"))
}

/// How an endpoint, an address or a format is written behind the option before it; `first`: the role that is meant
/// where that one names none.
fn joined_value(text: &str, previous: &str, first: Role) -> Option<String> {
    if ["json", "text"].contains(&text) {
        return Some(format!("--dry-run={text}"));
    }
    let role = Role::ALL.into_iter().map(|role| format!("--{role}")).find(|option| option == previous);
    let role = role.unwrap_or_else(|| format!("--{first}"));
    let looks_like_endpoint = text.parse::<EndpointSpec>().is_ok()
        || text.starts_with("attach:")
        || text.starts_with("listen:")
        || text == "listen";
    let is_address = text.parse::<Address>().is_ok();
    match (looks_like_endpoint, is_address) {
        (true, _) if text.parse::<EndpointSpec>().is_err() => {
            Some(format!("{role}={}:[HOST:]PORT", text.split(':').next().unwrap_or(text)))
        }
        (true, _) => Some(format!("{role}={text}")),
        (false, true) => Some(format!("{role}=attach:{text}")),
        (false, false) => None,
    }
}
