//! Files in the format of `java.util.Properties`.

use bolero::{check, produce};
use sparkdbg::spark::properties::{self, Entry, Malformed};

use crate::words::text;

#[rustfmt::skip]
const PIECES: [&str; 24] = [
    "\n", "\n", "\r", "\r\n", "\\\n", "\\\r\n", "\\", "\\", "=", ":", " ", "\t", "\u{c}", "#", "!", "\\u00e9",
    "\\uD83D\\uDE00", "\\uD83D", "\\u12", "\\t", "spark.master", "spark.driver.extraJavaOptions", "-Da=b", "é",
];

fn pairs(entries: &[Entry]) -> Vec<(&str, &str)> {
    entries.iter().map(|entry| (entry.key.as_str(), entry.value.as_str())).collect()
}

fn line_ends(text: &str) -> usize {
    text.matches(['\n', '\r']).count() - text.matches("\r\n").count()
}

/// As `java.util.Properties.store` would write it: what ends a line or a key is escaped.
fn written(key: &str, value: &str) -> String {
    let escaped = |text: &str, in_key: bool| {
        let mut out = String::new();
        for c in text.chars() {
            match c {
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                '\u{c}' => out.push_str("\\f"),
                '\\' => out.push_str("\\\\"),
                ' ' | '=' | ':' | '#' | '!' if in_key => out.extend(['\\', c]),
                c => out.push(c),
            }
        }
        out
    };
    format!("{}={}\n", escaped(key, true), escaped(value, false))
}

#[test]
fn what_was_read_is_read_again_after_writing_it() {
    check!().with_generator(text(&PIECES, 40)).for_each(|text| match properties::parse(text) {
        Ok(entries) => {
            let mut last = 0;
            for entry in &entries {
                assert!(entry.line > last && entry.line <= line_ends(text) + 1, "{entry:?}");
                assert_eq!(entry.value.trim_matches(|c| c <= ' '), entry.value);
                last = entry.line;
            }
            let again: String = entries.iter().map(|entry| written(&entry.key, &entry.value)).collect();
            let again = properties::parse(&again).expect("a well formed file");
            assert_eq!(pairs(&again), pairs(&entries));
        }
        Err(Malformed { line }) => {
            assert!(text.contains("\\u"));
            assert!(line >= 1 && line <= line_ends(text) + 1);
        }
    });
}

#[test]
fn a_file_is_read_line_by_line() {
    check!().with_generator((text(&PIECES, 20), text(&PIECES, 20))).for_each(|(first, second)| {
        // The empty line ends whatever a backslash had continued.
        let before = format!("{first}\n\n");
        let (Ok(above), Ok(below)) = (properties::parse(&before), properties::parse(second)) else { return };
        let mut expected = above;
        expected.extend(below.into_iter().map(|entry| Entry { line: entry.line + line_ends(&before), ..entry }));
        assert_eq!(properties::parse(&format!("{before}{second}")), Ok(expected));
    });
}

#[test]
fn every_written_entry_is_read() {
    let pair = (text(&PIECES, 6), text(&PIECES, 6));
    let file = produce::<Vec<(String, String)>>().with().values(pair).len(0..6usize);
    check!().with_generator(file).for_each(|file| {
        let text: String = file.iter().map(|(key, value)| written(key, value)).collect();
        let entries = properties::parse(&text).expect("a well formed file");
        let expected: Vec<(&str, &str)> =
            file.iter().map(|(key, value)| (key.as_str(), value.trim_matches(|c| c <= ' '))).collect();
        assert_eq!(pairs(&entries), expected);
    });
}
