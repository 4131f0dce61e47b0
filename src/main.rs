//! Runs, and turns a failure into its text and exit status.

use std::io::Write;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
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
    Failure::usage(message).help(match error.get(ContextKind::ValidValue) {
        Some(ContextValue::Strings(values)) if !values.is_empty() => format!("it takes {}", values.join(" or ")),
        _ => "sparkdbg --help, or sparkdbg COMMAND --help, shows what is taken".to_owned(),
    })
}
