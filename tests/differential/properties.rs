//! Writing a `java.util.Properties` file in the many ways that mean the same.

use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;

/// A file made of entries that each carry their own text, so that one can be left out.
#[derive(Clone, Debug, Default)]
pub struct PropertiesFile {
    pub entries: Vec<Entry>,
}

/// A key with its value and how it is written; comments and blank lines have no key.
#[derive(Clone, Debug)]
pub struct Entry {
    pub key: Option<String>,
    pub value: String,
    text: Vec<u8>,
}

impl PropertiesFile {
    pub fn text(&self) -> Vec<u8> {
        self.entries.iter().flat_map(|entry| entry.text.iter().copied()).collect()
    }

    /// The value Spark takes: the last one, trimmed as Java trims.
    pub fn get(&self, key: &str) -> Option<String> {
        self.entry(key).map(|entry| entry.value.trim_matches(|c| c <= ' ').to_owned())
    }

    /// Whether the value of `key` is written with escapes.
    pub fn is_escaped(&self, key: &str) -> bool {
        self.entry(key).is_some_and(|entry| entry.text.contains(&b'\\'))
    }

    fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().rev().find(|entry| entry.key.as_deref() == Some(key))
    }
}

impl Entry {
    /// As most people write it; the value may not need escapes.
    pub fn plain(key: &str, value: &str) -> Entry {
        Entry { key: Some(key.to_owned()), value: value.to_owned(), text: format!("{key} {value}\n").into() }
    }

    /// Text that Spark reads as `key` and `value`.
    pub fn written(key: &str, value: &str, text: &[u8]) -> Entry {
        Entry { key: Some(key.to_owned()), value: value.to_owned(), text: text.to_vec() }
    }

    /// Text without a key: comments, or something that is wrong.
    pub fn other(text: &[u8]) -> Entry {
        Entry { key: None, value: String::new(), text: text.to_vec() }
    }

    /// A line nobody reads.
    pub fn noise(rng: &mut StdRng) -> Entry {
        let lines: [&[u8]; 7] = [
            b"\n",
            b"# comment\n",
            b"  ! spark.driver.extraJavaOptions=-Dno=1 \\\n",
            b" \t\n",
            b"#\\\n",
            b"\r\n",
            b"# caf\xe9, not UTF-8\n",
        ];
        Entry::other(lines.choose(rng).unwrap())
    }

    /// One of the many ways to write it.
    pub fn random(rng: &mut StdRng, key: &str, value: &str) -> Entry {
        let fancy = rng.random_bool(0.6);
        let mut text = String::new();
        text.push_str(["", "", " ", "\t", "\x0c"].choose(rng).unwrap());
        write_escaped(rng, &mut text, key, true, fancy);
        text.push_str([" ", "=", ":", " = ", "\t", "  :  ", " =\t", "=\\\n  "].choose(rng).unwrap());
        write_escaped(rng, &mut text, value, false, fancy);
        text.push_str(["\n", "\n", "\n", "\r\n"].choose(rng).unwrap());
        Entry::written(key, value, text.as_bytes())
    }
}

/// Appends `word` so that `Properties.load` gives it back; `fancy` uses more escapes than are needed.
fn write_escaped(rng: &mut StdRng, text: &mut String, word: &str, is_key: bool, fancy: bool) {
    for (index, c) in word.chars().enumerate() {
        let may_break = !is_key || index > 0;
        let broken = fancy && may_break && rng.random_bool(0.03);
        if broken {
            text.push_str(["\\\n", "\\\n    ", "\\\r\n\t"].choose(rng).unwrap());
        }
        let needs_escape = match c {
            '\\' | '\n' | '\r' | '\x0c' => true,
            ' ' | '\t' => is_key || index == 0 || broken,
            ':' | '=' => is_key || index == 0,
            '#' | '!' => is_key && index == 0,
            _ => false,
        };
        if fancy && (rng.random_bool(0.04) || (!c.is_ascii() && rng.random_bool(0.5))) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                text.push_str(&if rng.random_bool(0.5) { format!("\\u{unit:04x}") } else { format!("\\u{unit:04X}") });
            }
        } else if needs_escape {
            text.push('\\');
            text.push(match c {
                '\n' => 'n',
                '\r' => 'r',
                '\t' => 't',
                '\x0c' => 'f',
                other => other,
            });
        } else if fancy && !c.is_alphanumeric() && rng.random_bool(0.1) {
            // a backslash before any other character is dropped
            text.push('\\');
            text.push(c);
        } else {
            text.push(c);
        }
    }
}
