//! One shell command that starts exactly what the plan starts.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use crate::plan::LaunchPlan;
use crate::secrets::{self, PLACEHOLDER};
use crate::spark::python_words;
use crate::text;

/// The command, with a newline; bytes, since words need not be UTF-8.
pub fn command(plan: &LaunchPlan, show_secrets: bool) -> Vec<u8> {
    let mut parts: Vec<Vec<u8>> = Vec::new();
    let removed: Vec<&String> = plan.env.iter().filter(|(_, value)| value.is_none()).map(|(name, _)| name).collect();
    if !removed.is_empty() {
        parts.push(b"env".to_vec());
        parts.extend(removed.iter().map(|name| format!("-u {name}").into_bytes()));
    }
    for (name, value) in &plan.env {
        let Some(value) = value else { continue };
        let mut part = format!("{name}=").into_bytes();
        let secret = !show_secrets && variable_holds_secret(name, value);
        part.extend(word(value, secret));
        parts.push(part);
    }
    if !removed.is_empty() && plan.program.as_os_str().as_bytes().contains(&b'=') {
        // `env` would take the path for an assignment.
        parts.push(br#"sh -c 'exec "$0" "$@"'"#.to_vec());
    }
    parts.push(word(plan.program.as_os_str(), false));
    parts.extend(plan.args.iter().enumerate().map(|(i, arg)| word(arg, !show_secrets && is_secret(&plan.args, i))));
    let mut line = parts.join(&b' ');
    line.push(b'\n');
    line
}

/// Whether the word at this place holds a secret.
pub fn is_secret(args: &[OsString], at: usize) -> bool {
    let is_setting = at > 0 && secrets::OF_SETTINGS.iter().any(|option| args[at - 1] == *option);
    secrets::word_holds_secret(&text::decode(&args[at]), is_setting)
}

/// Whether a variable holds a secret.
pub fn variable_holds_secret(name: &str, value: &OsStr) -> bool {
    let value = text::decode(value);
    let words: Vec<OsString> = match name {
        "PYSPARK_SUBMIT_ARGS" => python_words::split(&value).iter().map(|word| text::encode(&word.text)).collect(),
        _ => Vec::new(),
    };
    secrets::is_secret(name)
        || secrets::word_holds_secret(&value, false)
        || (0..words.len()).any(|at| is_secret(&words, at))
}

/// The word as every POSIX shell, and an interactive bash or zsh too, reads it back: braces, `!`, `^`
/// and a leading `=` or `~` mean something to one of them.
pub fn word(word: &OsStr, secret: bool) -> Vec<u8> {
    if secret {
        return format!("\"{PLACEHOLDER}\"").into_bytes();
    }
    let bytes = word.as_bytes();
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_@%+:,./-".contains(byte);
    if !bytes.is_empty() && bytes.iter().all(is_plain) {
        return bytes.to_vec();
    }
    // Single quotes take any byte but themselves. A control character would be a key to the shell into
    // which the command is pasted, and a command to the terminal on which it is shown.
    let printed = |bytes: &[u8]| -> Vec<u8> {
        let octal: String = bytes.iter().map(|byte| format!("\\{byte:03o}")).collect();
        format!(r#"'"$(printf '{octal}')"'"#).into_bytes()
    };
    let mut quoted = b"'".to_vec();
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            let mut buffer = [0; 4];
            let bytes = c.encode_utf8(&mut buffer).as_bytes();
            match c {
                '\'' => quoted.extend(br"'\''"),
                c if c.is_control() && c != '\n' => quoted.extend(printed(bytes)),
                _ => quoted.extend(bytes),
            }
        }
        for byte in chunk.invalid() {
            if (0x80..0xA0).contains(byte) { quoted.extend(printed(&[*byte])) } else { quoted.push(*byte) }
        }
    }
    quoted.push(b'\'');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted() {
        let quoted = |text: &str| String::from_utf8(word(OsStr::new(text), false)).unwrap();
        assert_eq!(quoted("app-1.0.jar"), "app-1.0.jar");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("it's {a,b} !x"), r"'it'\''s {a,b} !x'");
        assert_eq!(quoted("-Da=1\t-Db=2"), r#"'-Da=1'"$(printf '\011')"'-Db=2'"#);
        assert_eq!(quoted("a\n"), "'a\n'");
        assert_eq!(quoted("é\u{9b}31m"), r#"'é'"$(printf '\302\233')"'31m'"#);
    }

    #[test]
    fn secrets_inside_pythons_variable() {
        let holds = |value: &str| variable_holds_secret("PYSPARK_SUBMIT_ARGS", OsStr::new(value));
        assert!(holds("--conf 'spark.x.token=a b' pyspark-shell"));
        assert!(!holds("--conf spark.x=a pyspark-shell"));
    }
}
