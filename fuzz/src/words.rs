//! Inputs that a reader does not refuse at the first character: pieces that mean something to it, in
//! any order, with anything between them.

use bolero::{ValueGenerator, produce};

/// Of 256 items, how many are one of the pieces, and how many a character of ASCII; the others are any.
const PIECES: u8 = 150;
const ASCII: u8 = 80;

/// A text of at most `longest` items.
pub fn text(pieces: &'static [&'static str], longest: usize) -> impl ValueGenerator<Output = String> {
    let items = produce::<Vec<(u8, char)>>().with().len(0..=longest);
    items.map_gen(move |items| {
        let mut text = String::new();
        for (kind, c) in items {
            match kind {
                _ if kind < PIECES => text.push_str(pieces[usize::from(kind) % pieces.len()]),
                _ if kind < PIECES + ASCII => text.push(char::from(u8::try_from(u32::from(c) % 128).unwrap_or(0))),
                _ => text.push(c),
            }
        }
        text
    })
}

/// At most `longest` words: most of them one of `words` as it is, the others a text of their pieces.
pub fn words(words: &'static [&'static str], longest: usize) -> impl ValueGenerator<Output = Vec<String>> {
    let word = (produce::<u8>(), text(words, 4)).map_gen(|(kind, text)| match kind {
        _ if kind < 220 => words[usize::from(kind) % words.len()].to_owned(),
        _ => text,
    });
    produce::<Vec<String>>().with().values(word).len(0..=longest)
}
