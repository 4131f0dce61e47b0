//! Files in the format of `java.util.Properties`, with the line of every entry.
//!
//! Our own reader, since every value that is merged passes through it and has to come out exactly as
//! Spark reads it (UTF-16 escapes, continuation lines, the trim), with a line to name in messages.
//! Source: `Properties.load(Reader)` of the JDK; values are trimmed as Spark's launcher does.

use std::fmt;

/// One entry as `Properties` would hold it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The key, unescaped.
    pub key: String,
    /// The value, unescaped and trimmed.
    pub value: String,
    /// The line on which the entry starts, from 1.
    pub line: usize,
}

/// A `\u` without four hexadecimal digits; Java refuses the whole file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// The line on which the entry starts, from 1.
    pub line: usize,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: `\\u` is not followed by four hexadecimal digits", self.line)
    }
}

/// All entries in the order of the file; of duplicate keys the last counts.
///
/// # Errors
/// A malformed `\u` escape.
pub fn parse(text: &str) -> Result<Vec<Entry>, Malformed> {
    let mut entries = Vec::new();
    for (line, logical) in logical_lines(text) {
        let (key, value) = split_key(&logical);
        let unescape = |part: &str| unescape(part).ok_or(Malformed { line });
        let value = unescape(value)?.trim_matches(|c| c <= ' ').to_owned();
        entries.push(Entry { key: unescape(key)?, value, line });
    }
    Ok(entries)
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\u{c}')
}

/// Lines without comments and blank ones, continuations joined, each with its first line's number.
fn logical_lines(text: &str) -> Vec<(usize, String)> {
    let mut lines = Vec::new();
    let mut natural = natural_lines(text).enumerate();
    while let Some((index, line)) = natural.next() {
        let line = line.trim_start_matches(is_blank);
        if line.is_empty() || line.starts_with(['#', '!']) {
            continue;
        }
        let mut logical = line.to_owned();
        while ends_in_continuation(&logical) {
            logical.pop();
            match natural.next() {
                Some((_, next)) => logical.push_str(next.trim_start_matches(is_blank)),
                None => break,
            }
        }
        if !logical.is_empty() {
            lines.push((index + 1, logical));
        }
    }
    lines
}

fn natural_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        let Some(end) = text.find(['\n', '\r']) else { return Some(text) };
        let ending = if text[end..].starts_with("\r\n") { 2 } else { 1 };
        rest = Some(&text[end + ending..]);
        Some(&text[..end])
    })
}

fn ends_in_continuation(line: &str) -> bool {
    line.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

/// The key ends at the first unescaped `=`, `:` or blank; blanks and one separator go with it.
fn split_key(line: &str) -> (&str, &str) {
    let mut escaped = false;
    let end = line.find(|c| {
        let ends = !escaped && (is_blank(c) || c == '=' || c == ':');
        escaped = c == '\\' && !escaped;
        ends
    });
    let Some(end) = end else { return (line, "") };
    let rest = line[end..].trim_start_matches(is_blank);
    let rest = rest.strip_prefix(['=', ':']).unwrap_or(rest);
    (&line[..end], rest.trim_start_matches(is_blank))
}

/// `None`: a malformed `\u`.
fn unescape(text: &str) -> Option<String> {
    if !text.contains('\\') {
        return Some(text.to_owned());
    }
    // In UTF-16, as Java does it: an astral character may be written as two escapes.
    let mut units: Vec<u16> = Vec::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            units.extend(c.encode_utf16(&mut [0; 2]).iter());
            continue;
        }
        match chars.next() {
            Some('u') => {
                let digits: String = chars.by_ref().take(4).collect();
                let all_hex = digits.len() == 4 && digits.chars().all(|c| c.is_ascii_hexdigit());
                units.push(u16::from_str_radix(&digits, 16).ok().filter(|_| all_hex)?);
            }
            Some('t') => units.push(0x09),
            Some('n') => units.push(0x0A),
            Some('r') => units.push(0x0D),
            Some('f') => units.push(0x0C),
            Some(other) => units.extend(other.encode_utf16(&mut [0; 2]).iter()),
            None => {}
        }
    }
    Some(String::from_utf16_lossy(&units))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(text: &str) -> Vec<(String, String, usize)> {
        parse(text).unwrap().into_iter().map(|entry| (entry.key, entry.value, entry.line)).collect()
    }

    fn entry(key: &str, value: &str, line: usize) -> (String, String, usize) {
        (key.to_owned(), value.to_owned(), line)
    }

    #[test]
    fn separators_comments_and_lines() {
        let text = "# c\n! c\r\n\n a=1\rb : 2\n\tc  3\nd\ne==x\nf = y = z \n";
        let expected = [
            entry("a", "1", 4),
            entry("b", "2", 5),
            entry("c", "3", 6),
            entry("d", "", 7),
            entry("e", "=x", 8),
            entry("f", "y = z", 9),
        ];
        assert_eq!(entries(text), expected);
    }

    #[test]
    fn continuations_and_escapes() {
        let text = "k=a\\\n   b\\\\\nu=\\u00e9\\uD83D\\uDE00\\t.\\q\nwin=C:\\\\\\\\temp\nx\\=y=1\nlast=z\\";
        let expected = [
            entry("k", "ab\\", 1),
            entry("u", "é😀\t.q", 3),
            entry("win", "C:\\\\temp", 4),
            entry("x=y", "1", 5),
            entry("last", "z", 6),
        ];
        assert_eq!(entries(text), expected);
    }

    #[test]
    fn a_continued_comment_is_still_one_line() {
        assert_eq!(entries("# a\\\nb=1\nc=2\\\n#d"), [entry("b", "1", 2), entry("c", "2#d", 3)]);
    }

    #[test]
    fn a_malformed_escape_names_its_line() {
        assert_eq!(parse("a=1\nb=\\u00g1"), Err(Malformed { line: 2 }));
        assert_eq!(Malformed { line: 2 }.to_string(), "line 2: `\\u` is not followed by four hexadecimal digits");
    }
}
