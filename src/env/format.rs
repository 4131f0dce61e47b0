//! Changed variables as text, for a shell or for a program.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use serde_json::{Map, Value};

use crate::cli::EnvFormat;
use crate::show;

/// Names with their new values; `None` removes one.
pub type Changes = BTreeMap<String, Option<OsString>>;

/// The text, bytes, since values need not be UTF-8.
pub fn render(changes: &Changes, format: EnvFormat) -> Vec<u8> {
    match format {
        EnvFormat::Sh => lines(changes, "export ", "=", "unset ", |value| show::word(value, false)),
        EnvFormat::Fish => lines(changes, "set -gx ", " ", "set -e ", fish_word),
        EnvFormat::Json => {
            let value = |value: &Option<OsString>| value.as_deref().map_or(Value::Null, show::as_json);
            let map: Map<String, Value> = changes.iter().map(|(name, of)| (name.clone(), value(of))).collect();
            let mut text = serde_json::to_vec_pretty(&map).expect("strings only");
            text.push(b'\n');
            text
        }
    }
}

/// The option of a JVM, for which there is no variable: bare for a build tool, or as one word of a shell.
pub fn option(option: Option<&str>, format: Option<EnvFormat>) -> Vec<u8> {
    let mut text = match (format, option) {
        (Some(EnvFormat::Json), option) => {
            let map: Map<String, Value> = option.map(|text| ("option".to_owned(), text.into())).into_iter().collect();
            serde_json::to_vec_pretty(&map).expect("strings only")
        }
        (_, None) => return Vec::new(),
        (None, Some(text)) => text.as_bytes().to_vec(),
        (Some(EnvFormat::Sh), Some(text)) => show::word(text.as_ref(), false),
        (Some(EnvFormat::Fish), Some(text)) => fish_word(text.as_ref()),
    };
    text.push(b'\n');
    text
}

fn lines(changes: &Changes, set: &str, between: &str, unset: &str, quoted: impl Fn(&OsStr) -> Vec<u8>) -> Vec<u8> {
    let line = |(name, value): (&String, &Option<OsString>)| match value {
        Some(value) => [format!("{set}{name}{between}").as_bytes(), &quoted(value), b"\n"].concat(),
        None => format!("{unset}{name}\n").into_bytes(),
    };
    changes.iter().flat_map(line).collect()
}

/// In fish's single quotes a backslash protects a quote and itself. Control characters are written by their number,
/// outside of quotes: on a terminal they would be commands.
fn fish_word(word: &OsStr) -> Vec<u8> {
    let mut quoted = b"'".to_vec();
    for chunk in word.as_bytes().utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\'' | '\\' => quoted.extend([b'\\', c as u8]),
                c if c.is_control() && c != '\n' => {
                    let mut bytes = [0; 4];
                    quoted.extend(numbered(c.encode_utf8(&mut bytes).as_bytes()));
                }
                c => quoted.extend(c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        quoted.extend(numbered(chunk.invalid()));
    }
    quoted.push(b'\'');
    quoted
}

fn numbered(bytes: &[u8]) -> Vec<u8> {
    let numbers: String = bytes.iter().map(|byte| format!("\\X{byte:02x}")).collect();
    if numbers.is_empty() { Vec::new() } else { format!("'{numbers}'").into_bytes() }
}
