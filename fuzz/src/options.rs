//! Strings of JVM options, cut by each of the three splitters.

use bolero::{ValueGenerator, check, produce};
use sparkdbg::endpoint::{Host, Mode};
use sparkdbg::jvm::jdwp::Agent;
use sparkdbg::jvm::options::{self, Splitter, Word};

use crate::words::text;

#[rustfmt::skip]
const PIECES: [&str; 27] = [
    " ", " ", " ", "\t", "\n", "\u{b}", "\u{1c}", "\u{a0}", "\u{2003}", "'", "'", "\"", "\"", "\\", "\\", "-Da=1",
    "-XX:+UseG1GC", "-agentlib:jdwp=transport=dt_socket,server=y,address=5005", "-Xrunjdwp:server=y",
    "-agentlib:jdwp", "-Xdebug", "-Xnoagent", "-Djava.compiler=NONE", "@file", "-XX:VMOptionsFile=f", "- Xrunjdwp",
    "é“",
];

const SPLITTERS: [Splitter; 3] = [Splitter::Launcher, Splitter::Executor, Splitter::Jvm];

fn strings() -> impl ValueGenerator<Output = (String, Splitter)> {
    (text(&PIECES, 24), produce::<u8>()).map_gen(|(raw, choice)| (raw, SPLITTERS[usize::from(choice) % 3]))
}

fn ours() -> Agent {
    Agent::new(Mode::Attach, &Host::loopback(), 5005, true)
}

fn texts(words: Vec<Word>) -> Vec<String> {
    words.into_iter().map(|word| word.text).collect()
}

/// Quoted so that all three splitters give it back: none knows an escape in single quotes.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\"'\"'"))
}

#[test]
fn words_and_blanks_make_up_the_whole_string() {
    check!().with_generator(strings()).for_each(|(raw, splitter)| match options::split(raw, *splitter) {
        Ok(words) => {
            let mut end = 0;
            for word in &words {
                let between = &raw[end..word.span.start];
                assert!(between.chars().all(|c| c.is_whitespace() || c.is_control()), "{between:?}");
                assert!(end == 0 || !between.is_empty(), "two words without a blank between them");
                let alone = options::split(&raw[word.span.clone()], *splitter).expect("a word of a sound string");
                assert_eq!(texts(alone), [word.text.as_str()]);
                end = word.span.end;
            }
            assert!(raw[end..].chars().all(|c| c.is_whitespace() || c.is_control()));
            let stray = options::stray_word(raw, *splitter);
            assert!(stray.is_none_or(|stray| words.iter().any(|word| word.text == stray)));
        }
        Err(fault) => {
            assert_eq!(*splitter, Splitter::Launcher);
            assert!(raw[fault.at..].starts_with(fault.what));
            assert_eq!(raw[..fault.at].chars().count() + 1, fault.position);
            assert_eq!(options::diagnose(raw, *splitter), Some(fault.to_string()));
        }
    });
}

#[test]
fn removal_takes_the_agents_and_leaves_every_other_word() {
    check!().with_generator(strings()).for_each(|(raw, splitter)| {
        let found = options::find_agents(raw, *splitter);
        for existing in &found {
            assert_eq!(raw[existing.span.clone()], existing.text);
            let words = options::split(&existing.text, *splitter).expect("a whole word");
            assert_eq!(texts(words), [existing.agent.to_string()]);
        }
        let removed = options::remove_agents(raw, *splitter);
        assert!(options::find_agents(&removed, *splitter).is_empty(), "{removed:?}");
        if found.is_empty() {
            assert_eq!(removed, *raw);
        }
        let (Ok(before), Ok(after)) = (options::split(raw, *splitter), options::split(&removed, *splitter)) else {
            assert_eq!(options::split(raw, *splitter).is_err(), options::split(&removed, *splitter).is_err());
            return;
        };
        // As they stand, with their quotes.
        let companions = options::legacy_companions(raw, *splitter);
        let left = before.iter().map(|word| &raw[word.span.clone()]);
        let left: Vec<&str> = left
            .filter(|word| !found.iter().any(|existing| existing.text == **word))
            .filter(|word| !companions.iter().any(|companion| companion == word))
            .collect();
        assert_eq!(after.iter().map(|word| &removed[word.span.clone()]).collect::<Vec<_>>(), left);
    });
}

#[test]
fn adding_an_agent_is_undone_by_removing_it() {
    check!().with_generator(strings()).for_each(|(raw, splitter)| {
        let bare = options::remove_agents(raw, *splitter);
        let added = options::prepend(&ours(), &bare);
        let found = options::find_agents(&added, *splitter);
        assert_eq!(found.iter().map(|existing| &existing.agent).collect::<Vec<_>>(), [&ours()]);
        assert_eq!(options::remove_agents(&added, *splitter), bare);
        let (Ok(before), Ok(after)) = (options::split(&bare, *splitter), options::split(&added, *splitter)) else {
            return;
        };
        assert_eq!(texts(after)[1..], texts(before.clone()));
        // One that stands behind takes the blanks before it along.
        if let Some(last) = before.last() {
            let behind = format!("{bare} \t{}", ours());
            let open = options::find_agents(&behind, *splitter).is_empty();
            assert!(open || options::remove_agents(&behind, *splitter) == bare[..last.span.end]);
        }
    });
}

#[test]
fn quoted_words_come_back() {
    let words = produce::<Vec<String>>().with().values(text(&PIECES, 6)).len(0..8usize);
    check!().with_generator(words).for_each(|words| {
        let raw = words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
        for splitter in SPLITTERS {
            assert_eq!(options::split(&raw, splitter).map(texts).as_ref(), Ok(words));
        }
        let named: Vec<&str> = words
            .iter()
            .filter_map(|word| word.strip_prefix("-XX:VMOptionsFile=").or_else(|| word.strip_prefix('@')))
            .filter(|file| !file.is_empty())
            .collect();
        assert_eq!(options::named_files(&raw), named);
    });
}
