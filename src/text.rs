//! Words of the operating system as text and back, without losing a byte.
//!
//! Arguments need not be UTF-8. The pure code works on `String`s, in which a byte that is not part
//! of valid UTF-8 stands as one private-use character; [`encode`] turns it back into that byte.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// Byte `b` that is no UTF-8 stands as the character `STAND_IN + b` (end of private-use plane 16).
const STAND_IN: u32 = 0x0010_FE00;

fn stand_in(byte: u8) -> char {
    char::from_u32(STAND_IN + u32::from(byte)).expect("inside plane 16")
}

fn stood_for(c: char) -> Option<u8> {
    u32::from(c).checked_sub(STAND_IN).and_then(|offset| u8::try_from(offset).ok())
}

/// The text of a word; reversible by [`encode`] for every word.
pub fn decode(word: &OsStr) -> String {
    let mut text = String::new();
    for chunk in word.as_bytes().utf8_chunks() {
        for c in chunk.valid().chars() {
            if stood_for(c).is_some() {
                // The character itself was typed: keep its bytes apart, so that the way back is exact.
                let mut buffer = [0; 4];
                text.extend(c.encode_utf8(&mut buffer).bytes().map(stand_in));
            } else {
                text.push(c);
            }
        }
        text.extend(chunk.invalid().iter().copied().map(stand_in));
    }
    text
}

/// The word whose text this is.
pub fn encode(text: &str) -> OsString {
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        match stood_for(c) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend(c.encode_utf8(&mut [0; 4]).bytes()),
        }
    }
    OsString::from_vec(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_typed_private_use_character_comes_back() {
        let word = OsString::from("a\u{10FE41}b");
        assert_eq!(encode(&decode(&word)), word);
        assert_eq!(decode(OsStr::new("plain é")), "plain é");
    }

    proptest! {
        #[test]
        fn every_word_comes_back(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            let word = OsString::from_vec(bytes);
            prop_assert_eq!(encode(&decode(&word)), word);
        }
    }
}
