//! One manual page: the sections of the help, in the order of manual pages.

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, italic, roman};

use crate::cli::LAUNCHING;

/// The exit statuses of a command, each with its meaning; the name of sparkdbg's own page is empty.
fn statuses_of(command: &str) -> Vec<(&'static str, &'static str)> {
    let script = ("the job's own", "sparkdbg became the script");
    let done = ("0", "done, where nothing is started");
    let wrong = ("2", "the command line is wrong");
    let world = ("125", "files, environment or ports stand in the way");
    let cannot_run = ("126", "the script cannot be run");
    let not_found = ("127", "no Spark or Flink, or no such script in it");
    let no_kubectl = ("127", "kubectl is asked for and not on PATH");
    match command {
        "" => vec![script, done, ("1", "doctor: the command would fail"), wrong, world, cannot_run, not_found],
        "doctor" => vec![
            ("0", "no finding says fail"),
            ("1", "one does"),
            wrong,
            ("125", "it cannot look or print: no working directory, a full disk"),
        ],
        "ps" => vec![
            ("0", "done, also where nothing runs"),
            wrong,
            ("125", "URL cannot be read, or the limit of --watch is over"),
            no_kubectl,
        ],
        "ide" => vec![done, wrong, world, no_kubectl],
        "env" => vec![done, wrong, world, cannot_run, not_found],
        _ if LAUNCHING.contains(&command) => vec![script, done, wrong, world, cannot_run, not_found],
        _ => vec![done, wrong, world],
    }
}

/// The page of a command of a definition that is built.
pub fn of(command: &Command, name: &str) -> Vec<u8> {
    let man = Man::new(command.clone().name(name.to_owned()));
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let (examples, prose): (Vec<&str>, Vec<&str>) =
        help.split("\n\n").filter(|part| !part.is_empty()).partition(|part| part.starts_with("Examples:\n"));
    let mut text = Vec::new();
    // A vector takes every write.
    let _ = title(name).to_writer(&mut text);
    let _ = man.render_name_section(&mut text);
    let _ = synopsis(command).to_writer(&mut text);
    let _ = man.render_description_section(&mut text);
    let _ = paragraphs(&prose).to_writer(&mut text);
    if command.has_subcommands() {
        let _ = commands(command).to_writer(&mut text);
    }
    let _ = man.render_options_section(&mut text);
    let _ = as_typed("EXAMPLES", &examples).to_writer(&mut text);
    let _ = statuses(command).to_writer(&mut text);
    // An empty line breaks by itself, and mandoc warns of more.
    let text = String::from_utf8_lossy(&text).replace(".br\n\n.br\n", "\n");
    ascii(&text).into_bytes()
}

/// Without a date, so that one version writes one page.
fn title(name: &str) -> Roff {
    let source = format!("sparkdbg {}", env!("CARGO_PKG_VERSION"));
    let mut roff = Roff::new();
    roff.control("TH", [name.to_uppercase().as_str(), "1", "\"\"", &source, "\"\""]);
    roff
}

/// The usage of the help.
fn synopsis(command: &Command) -> Roff {
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").trim().to_owned();
    let mut roff = Roff::new();
    roff.control("SH", ["SYNOPSIS"]).text([roman(usage)]);
    roff
}

fn paragraphs(prose: &[&str]) -> Roff {
    let mut roff = Roff::new();
    for paragraph in prose {
        roff.control("PP", []).text([roman(*paragraph)]);
    }
    roff
}

fn commands(command: &Command) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["COMMANDS"]);
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        let about = inner.get_about().map(ToString::to_string).unwrap_or_default();
        term(&mut roff, vec![roman(format!("sparkdbg-{}(1)", inner.get_name()))], &about);
    }
    roff
}

/// Lines that nobody fills.
fn as_typed(heading: &str, parts: &[&str]) -> Roff {
    let mut roff = Roff::new();
    if parts.is_empty() {
        return roff;
    }
    roff.control("SH", [heading]).control("nf", []);
    for line in parts.iter().flat_map(|part| part.lines().skip(1)) {
        roff.text([roman(line.trim_start())]);
    }
    roff.control("fi", []);
    roff
}

fn statuses(command: &Command) -> Roff {
    let is_own = command.has_subcommands();
    let mut roff = Roff::new();
    roff.control("SH", ["EXIT STATUS"]);
    for (status, meaning) in statuses_of(if is_own { "" } else { command.get_name() }) {
        term(&mut roff, vec![italic(status)], meaning);
    }
    if !is_own {
        roff.control("SH", ["SEE ALSO"]).text([roman("sparkdbg(1)")]);
    }
    roff
}

fn term(roff: &mut Roff, word: Vec<Inline>, meaning: &str) {
    roff.control("TP", []).text(word);
    roff.text([roman(meaning)]);
}

/// What every formatter knows, whatever encoding it expects and whatever it writes for.
fn ascii(text: &str) -> String {
    let escaped = |c: char| match c {
        '…' => "...".to_owned(),
        c if c.is_ascii() => c.to_string(),
        c => format!("\\[u{:04X}]", u32::from(c)),
    };
    text.chars().map(escaped).collect()
}
