//! `sparkdbg completions` and `sparkdbg man`: made from the definition of the command line, so that neither
//! can say what the program does not take.

mod page;

use std::fs;
use std::path::Path;

use clap::builder::PossibleValuesParser;
use clap::{Arg, Command, ValueHint};
use clap_complete::Shell;

use crate::argv::refuse_unbuilt;
use crate::cli::{self, Completions, ShellName};
use crate::error::{Failure, nearest};
use crate::output::print;
use crate::trust;

const NAME: &str = "sparkdbg";

/// `completions`.
///
/// # Errors
/// Standard output cannot be written.
pub fn completions(asked: &Completions) -> Result<(), Failure> {
    let shell = match asked.shell {
        ShellName::Bash => Shell::Bash,
        ShellName::Zsh => Shell::Zsh,
        ShellName::Fish => Shell::Fish,
    };
    let definition = cli::definition();
    let names: Vec<String> = shown(&definition).map(|command| command.get_name().to_owned()).collect();
    let mut text = Vec::new();
    let offered = offered(&definition, &names);
    clap_complete::generate(shell, &mut offered.clone(), NAME, &mut text);
    match shell {
        Shell::Bash => text.extend_from_slice(include_bytes!("manual/words.bash")),
        Shell::Fish => text.extend_from_slice(own_words(&offered).as_bytes()),
        _ => {}
    }
    print(&text)
}

/// For fish, whose generator knows the values of options alone: those of a command's own word.
fn own_words(offered: &Command) -> String {
    let words = offered.get_subcommands().filter_map(|command| {
        let values = command.get_positionals().next()?.get_possible_values();
        let values: Vec<&str> = values.iter().map(|value| value.get_name()).collect();
        let name = command.get_name();
        (!values.is_empty()).then(|| {
            format!("complete -c {NAME} -n \"__fish_{NAME}_using_subcommand {name}\" -f -a \"{}\"\n", values.join(" "))
        })
    });
    words.collect()
}

/// The commands that are built and shown.
fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|inner| !inner.is_hide_set())
}

/// `man`.
///
/// # Errors
/// An unknown command (exit 2); a directory that cannot be written (exit 125).
pub fn man(asked: &cli::Man) -> Result<(), Failure> {
    let pages = pages();
    if let Some(dir) = &asked.out {
        return pages.iter().try_for_each(|(name, text)| write(dir, name, text));
    }
    let wanted = match &asked.command {
        Some(command) => {
            refuse_unbuilt(command)?;
            format!("{NAME}-{command}")
        }
        None => NAME.to_owned(),
    };
    match pages.iter().find(|(name, _)| *name == wanted) {
        Some((_, text)) => print(text),
        None => {
            let command = asked.command.as_deref().unwrap_or_default();
            let known = pages.iter().filter_map(|(name, _)| name.strip_prefix("sparkdbg-"));
            let failure = Failure::usage(format!("`{command}` is not a command of sparkdbg"));
            Err(match nearest(command, known) {
                Some(near) => failure.help(format!("did you mean `{near}`?")),
                None => failure.help("sparkdbg --help lists the commands"),
            })
        }
    }
}

/// What completions offer: without the options that a command has only to refuse them with their reason. `names`
/// are those of all commands.
fn offered(command: &Command, names: &[String]) -> Command {
    let name = command.get_name().to_owned();
    let mut offered = Command::new(name).disable_help_subcommand(true);
    if let Some(about) = command.get_about() {
        offered = offered.about(about.clone());
    }
    if let Some(version) = command.get_version() {
        offered = offered.version(version.to_owned());
    }
    for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
        offered = offered.arg(with_values(arg.clone(), names));
    }
    shown(command).fold(offered, |all, inner| all.subcommand(self::offered(inner, names)))
}

/// What a shell offers for its value: files only where the value is one.
fn with_values(arg: Arg, names: &[String]) -> Arg {
    match arg.get_id().as_str() {
        "existing" => arg.value_parser(PossibleValuesParser::new(["replace", "keep", "fail"])),
        "command" => arg.value_parser(PossibleValuesParser::new(names.to_vec())),
        "spark_home" | "flink_home" | "out" => arg.value_hint(ValueHint::DirPath),
        "config" | "current" => arg.value_hint(ValueHint::FilePath),
        // Its first word is an application, where zsh would offer programs too.
        "args" => arg.value_hint(ValueHint::AnyPath),
        // The next word is none of theirs: it may be the application.
        _ if arg.is_require_equals_set() && arg.get_possible_values().is_empty() => arg.value_hint(ValueHint::AnyPath),
        _ if arg.get_action().takes_values() && arg.get_possible_values().is_empty() => {
            arg.value_hint(ValueHint::Other)
        }
        _ => arg,
    }
}

/// Every page by its name.
fn pages() -> Vec<(String, Vec<u8>)> {
    let mut root = cli::definition().disable_help_subcommand(true);
    root.build();
    let of_commands = root.get_subcommands().map(|command| {
        let name = format!("{NAME}-{}", command.get_name());
        let text = page::of(command, &name);
        (name, text)
    });
    let own = (NAME.to_owned(), page::of(&root, NAME));
    std::iter::once(own).chain(of_commands).collect()
}

fn write(dir: &Path, name: &str, text: &[u8]) -> Result<(), Failure> {
    let file = dir.join(format!("{name}.1"));
    fs::create_dir_all(dir)
        .and_then(|()| fs::write(&file, text))
        .map_err(|error| Failure::world(format!("`{}` cannot be written: {}", file.display(), trust::cause(&error))))
}
