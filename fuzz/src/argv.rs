//! sparkdbg's own command line: what is ours, what is the script's.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::panic::AssertUnwindSafe;

use bolero::{ValueGenerator, check, produce};
use clap::FromArgMatches as _;
use sparkdbg::argv::{Line, normalize};
use sparkdbg::cli::{self, Cli, Command};
use sparkdbg::flink::script::Script;
use sparkdbg::options;
use sparkdbg::spark::main_class::SUBMIT;
use sparkdbg::tool::Tool;

use crate::words;

#[rustfmt::skip]
const WORDS: [&str; 44] = [
    "submit", "submit", "shell", "class", "worker", "python", "ps", "help", "hub", "flink", "--", "--", "--driver",
    "--driver=attach:5005", "--executor", "--listen", "--listen=5005", "127.0.0.1:5005", "5005", "attach:5005",
    "json", "--dry-run", "--dry-run=json", "-p", "-plocal", "-q", "-v", "-qv", "-h", "--help", "-V", "--version",
    "--config", "--pause-limit", "off", "--conf", "a=b", "--class", "demo.App", "-", "", "app.jar", "spark-submit",
    SUBMIT,
];

/// What may stand in front of bytes that are not UTF-8: they are a word, or the value of an option.
const BEFORE_BYTES: [&str; 4] = ["", "-p", "--config=", "--driver="];

/// Options of ours in all their forms, each with its value.
#[rustfmt::skip]
const OPTIONS: [&[&str]; 14] = [
    &["-p", "local"], &["-plocal"], &["--profile", "-q"], &["-qv"], &["-qp", "submit"], &["--config", "app.jar"],
    &["--config=x"], &["--dry-run"], &["--dry-run=json"], &["--driver"], &["--driver=attach:5005"],
    &["--attach", "5005"], &["--pause-limit", "2h"], &["--allow", "10.0.0.0/8"],
];

/// How many of [`OPTIONS`] may also stand before the command.
const GLOBAL: usize = 9;

/// Now and then a word that is not UTF-8.
fn lines() -> impl ValueGenerator<Output = Vec<OsString>> {
    let bytes = produce::<Vec<u8>>().with().len(0..6usize);
    (words::words(&WORDS, 10), produce::<u8>(), produce::<u8>(), bytes).map_gen(|(words, place, kind, bytes)| {
        let mut line: Vec<OsString> = words.into_iter().map(OsString::from).collect();
        line.insert(0, "sparkdbg".into());
        let place = usize::from(place);
        if place > 0 && place <= line.len() {
            let mut word = OsString::from(BEFORE_BYTES[usize::from(kind) % BEFORE_BYTES.len()]);
            word.push(OsString::from_vec(bytes));
            line.insert(place, word);
        }
        line
    })
}

#[test]
fn no_word_is_lost_added_or_moved() {
    let definition = AssertUnwindSafe(cli::definition());
    check!().with_generator(lines()).for_each(|line| {
        let Ok(Line { words, .. }) = normalize(&definition, line.clone()) else { return };
        let again = normalize(&definition, words.clone()).ok().map(|line| line.words);
        assert_eq!(again.as_ref(), Some(&words), "once is enough");
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
        let Ok(Line { words, .. }) = normalize(&definition, line.clone()) else { return };
        let Ok(matches) = definition.clone().try_get_matches_from(words.clone()) else { return };
        let cli = Cli::from_arg_matches(&matches).expect("clap has taken it");
        let Command::Start(start) = cli.command else { return };
        let args = words.iter().position(|word| word == "--").map_or(&[][..], |at| &words[at + 1..]);
        // `flink` that names no script of Flink's.
        let Ok(request) = options::request(*start) else { return };
        // `class` is told by its words what it starts.
        let mut started = request.before_class;
        if request.tool == Tool::ClassSubmit {
            started.push(SUBMIT.into());
        }
        // As `flink` is, where its first word is the script's name.
        let named = args.first().filter(|word| Script::named(&word.to_string_lossy()).is_some());
        if matches!(request.tool, Tool::Flink(_)) {
            started.extend(named.cloned());
        }
        started.extend(request.launch.args);
        assert_eq!(started, args);
    });
}

#[test]
fn our_words_end_where_those_of_the_script_begin() {
    let definition = AssertUnwindSafe(cli::definition());
    let choices = || produce::<Vec<usize>>().with().len(0..4usize);
    let lines = (choices(), choices(), words::words(&WORDS, 6), produce::<bool>());
    check!().with_generator(lines).for_each(|(before, after, args, dashes)| {
        let mut ours = vec!["sparkdbg"];
        ours.extend(before.iter().flat_map(|choice| OPTIONS[choice % GLOBAL]));
        ours.push("submit");
        ours.extend(after.iter().flat_map(|choice| OPTIONS[choice % OPTIONS.len()]));
        // Without dashes it takes a word that can be nothing of ours.
        let first = if *dashes { "--" } else { "app.jar" };
        let args = args.iter().map(String::as_str);
        let line = ours.iter().copied().chain([first]).chain(args.clone()).map(OsString::from).collect();
        let words = normalize(&definition, line).expect("words that sparkdbg takes").words;
        let expected = ours.iter().copied().chain(["--"]).chain((!dashes).then_some(first)).chain(args);
        assert_eq!(words, expected.map(OsString::from).collect::<Vec<_>>());
    });
}
