//! What an export has to leave behind so that it can be taken back exactly.
//!
//! Nearly always that is nothing: an agent is recognised, and a key with our value is ours. Where the user's own
//! document looks the same (a key that had our value before, a value that made room, an empty map), one word behind
//! the agent says so. The JVM takes it for a system property that nobody reads.

use std::collections::BTreeMap;

/// Not `-Dspark…`, which Spark refuses in executor options.
const PREFIX: &str = "-Dundo.of.sparkdbg=";

/// What was there before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Undo {
    /// How many steps of the way to the map were there, where that does not show.
    pub depth: Option<usize>,
    /// Keys that were there: with our value (`None`), or with another.
    pub keys: BTreeMap<String, Option<String>>,
}

/// Whether a value can stand in the word: it must pass every splitter and every shell as it is.
pub fn can_hold(value: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    !value.is_empty() && value.chars().all(plain)
}

impl Undo {
    /// The word; `None` where there is nothing to say.
    fn word(&self) -> Option<String> {
        let depth = self.depth.map(|depth| depth.to_string());
        let keys = self.keys.iter().map(|(key, value)| match value {
            Some(value) => format!("{key}={value}"),
            None => key.clone(),
        });
        let items: Vec<String> = depth.into_iter().chain(keys).collect();
        (!items.is_empty()).then(|| format!("{PREFIX}{}", items.join(",")))
    }

    fn parse(word: &str) -> Option<Undo> {
        let mut undo = Undo::default();
        for item in word.strip_prefix(PREFIX)?.split(',').filter(|item| !item.is_empty()) {
            match (item.parse(), item.split_once('=')) {
                (Ok(depth), _) => undo.depth = Some(depth),
                (_, Some((key, value))) => {
                    undo.keys.insert(key.to_owned(), Some(value.to_owned()));
                }
                _ => {
                    undo.keys.insert(item.to_owned(), None);
                }
            }
        }
        Some(undo)
    }

    /// The agent in front of what was there. `None`: nothing was; an empty text was: then a blank stays.
    pub fn put_before(&self, agent: &str, before: Option<&str>) -> String {
        let mut text = agent.to_owned();
        let word = self.word();
        // The user's own word must not be taken for ours.
        let looks_like_ours = before.is_some_and(|before| before.starts_with(PREFIX));
        if let Some(word) = word.or(looks_like_ours.then(|| PREFIX.to_owned())) {
            text.push_str(&format!(" {word}"));
        }
        if let Some(before) = before {
            text.push_str(&format!(" {before}"));
        }
        text
    }

    /// Takes apart what [`Undo::put_before`] made: what was there, and what is known of it.
    pub fn take_from(text_after_agent: &str) -> (Option<&str>, Undo) {
        let Some(rest) = text_after_agent.strip_prefix(' ') else { return (None, Undo::default()) };
        let (word, behind) = rest.split_once(' ').map_or((rest, None), |(word, behind)| (word, Some(behind)));
        match Undo::parse(word) {
            Some(undo) => (behind, undo),
            None => (Some(rest), Undo::default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word() {
        let keys = [("spark.network.timeout", None), ("spark.executor.instances", Some("4"))];
        let keys = keys.map(|(key, value)| (key.to_owned(), value.map(str::to_owned)));
        let undo = Undo { depth: Some(2), keys: BTreeMap::from(keys) };
        let text = undo.put_before("AGENT", Some("-Da"));
        assert_eq!(text, "AGENT -Dundo.of.sparkdbg=2,spark.executor.instances=4,spark.network.timeout -Da");
        assert_eq!(Undo::take_from(&text["AGENT".len()..]), (Some("-Da"), undo));
    }

    #[test]
    fn nothing_to_say() {
        for (before, expected) in [
            (None, "A"),
            (Some(""), "A "),
            (Some(" "), "A  "),
            (Some("-Dx"), "A -Dx"),
            (Some("-Dundo.of.sparkdbg=1 x"), "A -Dundo.of.sparkdbg= -Dundo.of.sparkdbg=1 x"),
        ] {
            let text = Undo::default().put_before("A", before);
            assert_eq!(text, expected);
            assert_eq!(Undo::take_from(&text[1..]), (before, Undo::default()));
        }
    }

    #[test]
    fn what_can_stand_in_it() {
        assert!(["4", "true", "10m", "a_b-c.d"].into_iter().all(can_hold));
        assert!(!["", "a b", "a,b", "a=b", "é", "$x", "'"].into_iter().any(can_hold));
    }
}
