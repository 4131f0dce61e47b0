//! One manual page: the sections of the help, in the order of manual pages.

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, italic, roman};

use crate::argv::takes_args;

/// What the exit statuses mean; the first alone is the script's.
const STATUSES: [(&str, &str); 6] = [
    ("the job's own", "sparkdbg became the script"),
    ("0", "done"),
    ("2", "the command line is wrong"),
    ("125", "files, environment or ports stand in the way"),
    ("126", "the script cannot be run"),
    ("127", "no Spark or Flink, or no such script in it"),
];

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
    ascii(&String::from_utf8_lossy(&text)).into_bytes()
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
    let (starts, others) = (takes_args(command), command.has_subcommands());
    let mut roff = Roff::new();
    roff.control("SH", ["EXIT STATUS"]);
    for (status, meaning) in STATUSES {
        let is_possible = match status {
            "2" | "125" => true,
            "0" => !starts,
            _ => starts || others,
        };
        if is_possible {
            term(&mut roff, vec![italic(status)], meaning);
        }
    }
    if !others {
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
