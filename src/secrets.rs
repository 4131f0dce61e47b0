//! Secrets by Spark's own rule: a key that matches `secret|password|token|access.?key`, in any case.

/// What a dry run prints in place of a word with a secret: a shell that meets it stops.
pub const PLACEHOLDER: &str = "${SPARKDBG_REDACTED:?run again with --show-secrets}";

/// What notes and `-v` print in place of a secret.
const STARS: &str = "********";

/// Whether a key names a secret. Source: the default of `spark.redaction.regex`.
pub fn is_secret(key: &str) -> bool {
    let key = key.to_lowercase();
    let access_key = key.match_indices("access").any(|(at, _)| {
        let rest = &key[at + "access".len()..];
        let mut after_any = rest.chars();
        after_any.next();
        rest.starts_with("key") || after_any.as_str().starts_with("key")
    });
    access_key || ["secret", "password", "token"].iter().any(|word| key.contains(word))
}

/// The value of a key or variable, unless the key names a secret.
pub fn value_of(key: &str, value: &str) -> String {
    if is_secret(key) { STARS.to_owned() } else { value.to_owned() }
}

/// Where the values of `-Dk=v` words with such a k stand in a text, quotes respected.
fn secret_values(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("-D") {
        let opening = text[..at].chars().next_back();
        if opening.is_some_and(|c| !c.is_whitespace() && !"\"'`=(".contains(c)) {
            continue;
        }
        let word = &text[at + 2..];
        let Some(equals) = word.find('=') else { continue };
        let key = &word[..equals];
        if key.contains(char::is_whitespace) || !is_secret(key) {
            continue;
        }
        let start = at + 2 + equals + 1;
        // A quote that opened before the word ends it; one inside the value protects blanks.
        let closing = opening.filter(|c| "\"'`".contains(*c));
        let mut quote = None;
        let mut escaped = false;
        let length = text[start..]
            .char_indices()
            .find(|(_, c)| match (quote, closing) {
                _ if escaped => {
                    escaped = false;
                    false
                }
                _ if *c == '\\' => {
                    escaped = true;
                    false
                }
                (Some(open), _) => {
                    if *c == open {
                        quote = None;
                    }
                    false
                }
                (None, Some(closing)) => *c == closing,
                (None, None) if matches!(c, '"' | '\'') => {
                    quote = Some(*c);
                    false
                }
                (None, None) => c.is_whitespace(),
            })
            .map_or(text.len() - start, |(at, _)| at);
        found.push(start..start + length);
    }
    found
}

/// The text without the values of secret `-Dk=v` words.
pub fn secrets_hidden(text: &str) -> String {
    let mut hidden = text.to_owned();
    for range in secret_values(text).into_iter().rev() {
        hidden.replace_range(range, STARS);
    }
    hidden
}

/// Text for the terminal: without secrets, and without characters that would command it.
pub fn for_terminal(text: &str) -> String {
    let harmless = |c: char| !c.is_control() || c == '\n' || c == '\t';
    secrets_hidden(text)
        .chars()
        .map(|c| if harmless(c) { c.to_string() } else { c.escape_default().to_string() })
        .collect()
}

/// Options whose value, the next word, is a setting `k=v`: Spark's two, Flink's two.
pub const OF_SETTINGS: [&str; 4] = ["--conf", "-c", "-D", "-yD"];

/// Whether a word of the command line holds a secret: as `k=v` of a setting, or inside an option string.
pub fn word_holds_secret(word: &str, is_setting: bool) -> bool {
    let conf = word.strip_prefix("--conf=").or(is_setting.then_some(word));
    let key_is_secret = conf.and_then(|conf| conf.split_once('=')).is_some_and(|(key, _)| is_secret(key));
    key_is_secret || !secret_values(word).is_empty()
}

/// A word for messages: `k=v` of a secret key, alone or behind an option, and `-Dk=v` words.
pub fn word_shown(word: &str) -> String {
    let hidden = secrets_hidden(word);
    // Behind `--conf=`, `-c=` or, where quotes joined the two, `--conf `.
    let option_ends = hidden.find(['=', ' ', '\t']).map_or(hidden.len(), |at| at + 1);
    let start = if hidden.starts_with('-') { option_ends } else { 0 };
    match hidden[start..].split_once('=') {
        Some((key, _)) if is_secret(key) => format!("{}{key}={STARS}", &hidden[..start]),
        _ => hidden,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparks_rule() {
        let secrets = ["my.PASSWORD", "a.secret.b", "token", "fs.s3a.access.key", "accessKey", "access_key"];
        assert!(secrets.into_iter().all(is_secret));
        assert!(!["spark.app.name", "access", "key", "accessory.keys"].into_iter().any(is_secret));
    }

    #[test]
    fn values_of_secret_words_are_hidden() {
        assert_eq!(secrets_hidden("-Da=1 -Dmy.token=x -Db=2"), "-Da=1 -Dmy.token=******** -Db=2");
        assert_eq!(secrets_hidden("-Dpassword=\"x y\" -Db=2"), "-Dpassword=******** -Db=2");
        assert_eq!(secrets_hidden("k=\"-Dpassword=x y\" -Db=2"), "k=\"-Dpassword=********\" -Db=2");
        assert_eq!(secrets_hidden("x-Dtoken=1"), "x-Dtoken=1");
    }

    #[test]
    fn words_are_shown_without_their_secret() {
        assert_eq!(word_shown("-c=spark.my.password=hunter2"), "-c=spark.my.password=********");
        assert_eq!(word_shown("--conf=spark.my.password=a\nb"), "--conf=spark.my.password=********");
        assert_eq!(word_shown("--conf spark.my.password=hunter2"), "--conf spark.my.password=********");
        assert_eq!(word_shown("spark.my.password=hunter2"), "spark.my.password=********");
        assert_eq!(word_shown("--conf=spark.x=a=b"), "--conf=spark.x=a=b");
        assert_eq!(word_shown("--confs"), "--confs");
        assert_eq!(secrets_hidden(r"-Dpassword=a\ hunter2 -Db=1"), "-Dpassword=******** -Db=1");
    }

    #[test]
    fn words() {
        assert!(word_holds_secret("spark.my.password=1", true));
        assert!(!word_holds_secret("spark.my.password=1", false));
        assert!(word_holds_secret("--conf=spark.my.password=1", false));
        assert!(word_holds_secret("spark.driver.extraJavaOptions=-Da=1 -Dtoken=2", true));
    }
}
