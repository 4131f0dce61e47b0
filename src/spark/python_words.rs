//! `PYSPARK_SUBMIT_ARGS`: one variable that `java_gateway.py` splits with Python's `shlex.split`.
//!
//! Split here with the place of every word, so that one word can be exchanged and the rest of the
//! variable stays as it was typed.

use std::ops::Range;

/// A word and where it stands in the variable, quotes included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Without its quotes.
    pub text: String,
    /// In bytes.
    pub span: Range<usize>,
}

/// Splits as `shlex.split` does (POSIX mode, no comments). What follows an unclosed quote is one
/// word: python will refuse the variable with its own message.
pub fn split(raw: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut open: Option<Word> = None;
    let mut quote: Option<char> = None;
    let mut chars = raw.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if quote.is_none() && matches!(c, ' ' | '\t' | '\r' | '\n') {
            words.extend(open.take());
            continue;
        }
        let word = open.get_or_insert_with(|| Word { text: String::new(), span: at..at });
        let mut end = at + c.len_utf8();
        match (quote, c) {
            (Some(q), c) if q == c => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None | Some('"'), '\\') => {
                // Inside double quotes a backslash protects only `"` and itself.
                match chars.next_if(|(_, next)| quote.is_none() || matches!(next, '"' | '\\')) {
                    Some((at, next)) => {
                        word.text.push(next);
                        end = at + next.len_utf8();
                    }
                    None => word.text.push('\\'),
                }
            }
            (_, c) => word.text.push(c),
        }
        word.span.end = end;
    }
    words.extend(open);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(raw: &str) -> Vec<String> {
        split(raw).into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn as_shlex_splits() {
        assert_eq!(
            texts(r#"--conf 'a=b c' "d\"e\\f\g" h\ i '' # j"#),
            ["--conf", "a=b c", "d\"e\\f\\g", "h i", "", "#", "j"]
        );
        assert_eq!(texts("  "), Vec::<String>::new());
    }

    #[test]
    fn spans_cover_the_words() {
        let raw = "a 'b c'd  \"e\"";
        let spans: Vec<&str> = split(raw).into_iter().map(|word| &raw[word.span]).collect();
        assert_eq!(spans, ["a", "'b c'd", "\"e\""]);
    }
}
