//! Runs, and turns a failure into its text and exit status.

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};
use sparkdbg::cli::definition;
use sparkdbg::doctor::Unwell;
use sparkdbg::error::{Failure, Kind};
use sparkdbg::secrets::for_terminal;

fn main() -> ExitCode {
    let Err(cause) = sparkdbg::run(std::env::args_os().collect()) else { return ExitCode::SUCCESS };
    if cause.is::<Unwell>() {
        // The findings tell it.
        return ExitCode::FAILURE;
    }
    let cause = match cause.downcast::<clap::Error>() {
        Ok(error) => usage_failure(&error).into(),
        Err(cause) => cause,
    };
    let (text, kind) = match cause.downcast_ref::<Failure>() {
        Some(failure) => (failure.to_string(), failure.kind),
        None => (format!("error: {cause:#}"), Kind::World),
    };
    let argv: Vec<OsString> = std::env::args_os().collect();
    if sparkdbg::env::is_evaluated(&argv) && !std::io::stdout().is_terminal() {
        let _ = writeln!(std::io::stdout(), "false");
    }
    // Where standard error is closed, the status has to do.
    let _ = writeln!(std::io::stderr(), "{}", for_terminal(&text));
    ExitCode::from(kind as u8)
}

/// clap's first line is the error; what follows is its usage, which `--help` shows better.
fn usage_failure(error: &clap::Error) -> Failure {
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return Failure::usage("no command is given")
            .help("sparkdbg --help lists the commands; for example: sparkdbg submit --driver -- app.jar");
    }
    let text = error.render().to_string();
    let first = text.lines().next().unwrap_or_default();
    let message = match error.kind() {
        ErrorKind::InvalidUtf8 => "a value among sparkdbg's own options is not UTF-8".to_owned(),
        ErrorKind::MissingRequiredArgument => match error.get(ContextKind::InvalidArg) {
            Some(ContextValue::Strings(missing)) => format!("`{}` is missing", missing.join("` and `")),
            _ => first.to_owned(),
        },
        _ => first.strip_prefix("error: ").unwrap_or(first).replace('\'', "`"),
    };
    let values = match (error.get(ContextKind::ValidValue), error.get(ContextKind::InvalidArg)) {
        (Some(ContextValue::Strings(values)), _) => values.clone(),
        (_, Some(ContextValue::Strings(missing))) => missing.iter().flat_map(|missing| words_for(missing)).collect(),
        _ => Vec::new(),
    };
    Failure::usage(message).help(match &values[..] {
        values @ [_, ..] => format!("it takes {}", values.join(" or ")),
        [] => "sparkdbg --help, or sparkdbg COMMAND --help, shows what is taken".to_owned(),
    })
}

/// What can stand where clap names a word that is missing, such as `<IDE>`.
fn words_for(missing: &str) -> Vec<String> {
    let commands = definition();
    let words = commands.get_subcommands().flat_map(Command::get_positionals);
    let mut missing_one = words.filter(|word| word.to_string() == missing);
    let values = missing_one.next().map(Arg::get_possible_values).unwrap_or_default();
    values.iter().map(|value| value.get_name().to_owned()).collect()
}
