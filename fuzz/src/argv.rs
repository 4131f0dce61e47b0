//! sparkdbg's own command line: what is ours, what is the script's.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::panic::AssertUnwindSafe;

use bolero::{ValueGenerator, check, produce};
use clap::FromArgMatches as _;
use sparkdbg::argv::normalize;
use sparkdbg::cli::{self, Cli, Command};
use sparkdbg::options;
use sparkdbg::spark::main_class::SUBMIT;
use sparkdbg::spark::tool::Tool;

use crate::words;

const WORDS: [&str; 44] = [
    "submit",
    "submit",
    "shell",
    "class",
    "worker",
    "python",
    "ps",
    "help",
    "hub",
    "flink",
    "--",
    "--",
    "--driver",
    "--driver=attach:5005",
    "--executor",
    "--listen",
    "--listen=5005",
    "127.0.0.1:5005",
    "5005",
    "attach:5005",
    "json",
    "--dry-run",
    "--dry-run=json",
    "-p",
    "-plocal",
    "-q",
    "-v",
    "-qv",
    "-h",
    "--help",
    "-V",
    "--version",
    "--config",
    "--pause-limit",
    "off",
    "--conf",
    "a=b",
    "--class",
    "demo.App",
    "-",
    "",
    "app.jar",
    "spark-submit",
    SUBMIT,
];

/// Now and then a word that is not UTF-8.
fn lines() -> impl ValueGenerator<Output = Vec<OsString>> {
    let bytes = produce::<Vec<u8>>().with().len(0..6usize);
    (words::words(&WORDS, 10), produce::<u8>(), bytes).map_gen(|(words, place, bytes)| {
        let mut line: Vec<OsString> = words.into_iter().map(OsString::from).collect();
        line.insert(0, "sparkdbg".into());
        let place = usize::from(place);
        if place > 0 && place <= line.len() {
            line.insert(place, OsString::from_vec(bytes));
        }
        line
    })
}

#[test]
fn no_word_is_lost_added_or_moved() {
    let definition = AssertUnwindSafe(cli::definition());
    check!().with_generator(lines()).for_each(|line| {
        let Ok(words) = normalize(&definition, line.clone()) else { return };
        assert_eq!(normalize(&definition, words.clone()).ok().as_ref(), Some(&words), "once is enough");
        if words == *line {
            return;
        }
        let added = words.iter().zip(line.iter().map(Some).chain([None])).position(|(new, old)| Some(new) != old);
        let mut without = words.clone();
        assert_eq!(without.remove(added.expect("a difference")), "--");
        assert_eq!(without, *line);
    });
}

#[test]
fn the_script_gets_its_words_as_they_are() {
    let definition = AssertUnwindSafe(cli::definition());
    check!().with_generator(lines()).for_each(|line| {
        let Ok(words) = normalize(&definition, line.clone()) else { return };
        let Ok(matches) = definition.clone().try_get_matches_from(words.clone()) else { return };
        let cli = Cli::from_arg_matches(&matches).expect("clap has taken it");
        let Command::Start(start) = cli.command else { return };
        let args = words.iter().position(|word| word == "--").map_or(&[][..], |at| &words[at + 1..]);
        let request = options::request(*start);
        // `class` is told by its words what it starts.
        let mut started = request.before_class;
        if request.tool == Tool::ClassSubmit {
            started.push(SUBMIT.into());
        }
        started.extend(request.launch.args);
        assert_eq!(started, args);
    });
}
