//! Mistakes that Spark would report late, wrongly or not at all: words torn by a shell, typographic
//! characters, keys that are nearly right.

use super::Note;
use crate::environment::Environment;
use crate::error::{Failure, nearest};
use crate::jvm::options::{self as jvm_options, Splitter};
use crate::secrets;
use crate::spark::conf::{Conf, DRIVER_DEFAULT, DRIVER_EXTRA, Origin, Value};
use crate::spark::submit::{CommandLine, End, Setting, known_since, option_names};
use crate::version::Version;

/// Keys that decide the launch; a near miss of one is ignored by Spark without a word.
const KEYS: [&str; 6] = [
    DRIVER_EXTRA,
    DRIVER_DEFAULT,
    "spark.executor.extraJavaOptions",
    "spark.executor.defaultJavaOptions",
    "spark.submit.deployMode",
    "spark.master",
];

/// Starts of words that only a JVM takes, so that they have fallen out of an option string.
const JVM_OPTIONS: [&str; 9] =
    ["-D", "-X", "-agentlib:", "-agentpath:", "-javaagent:", "-ea", "-esa", "--add-opens", "--add-exports"];

const DASHES: [char; 6] = ['–', '—', '−', '‐', '‑', '―'];

const QUOTES: [char; 8] = ['“', '”', '„', '‘', '’', '‚', '«', '»'];

/// Words of the command line that Spark refuses or misreads.
///
/// # Errors
/// A word that has fallen out of its quotes, a typographic dash, an option that Spark never had.
pub fn in_command_line(words: &[String], line: &CommandLine, version: Option<&Version>) -> Result<Vec<Note>, Failure> {
    if let Some(failure) = typographic_quote(line) {
        return Err(failure);
    }
    match line.end {
        End::Refused { at, value: false } => {
            refused(&words[at], setting_before(line, at), version).map_or(Ok(Vec::new()), Err)
        }
        End::Resource(at) => resource(&words[at], setting_before(line, at)).map_or(Ok(Vec::new()), Err),
        _ => Ok(torn_in_mixed(words, line)),
    }
}

/// `--conf “K=V”`, as pasted from a page: the quotes become part of the key.
fn typographic_quote(line: &CommandLine) -> Option<Failure> {
    let quoted =
        line.settings.iter().find(|setting| setting.option == "--conf" && setting.value.starts_with(QUOTES))?;
    let quote = quoted.value.chars().next()?;
    Some(
        Failure::usage(format!("`--conf {}` begins with the typographic quote `{quote}`", shown(quoted)))
            .help("type it with plain quotes: --conf \"KEY=VALUE\""),
    )
}

/// The word that Spark takes for an option that it does not have.
fn refused(word: &str, before: Option<&Setting>, version: Option<&Version>) -> Option<Failure> {
    let display = secrets::word_shown(word);
    if word.starts_with("--executor-java-options") {
        return Some(
            Failure::usage("spark-submit has no `--executor-java-options`")
                .help("use --conf spark.executor.extraJavaOptions=…"),
        );
    }
    if looks_like_jvm_option(word) {
        return Some(torn(word, before));
    }
    if let Some((option, value)) = word.split_once([' ', '\t']).filter(|(option, _)| known_since(option).is_some()) {
        return Some(
            Failure::usage(format!("`{display}` is one word: the quotes join the option and its value")).help(format!(
                "quote the value alone: {option} {}",
                shell_words::quote(&secrets::word_shown(value.trim()))
            )),
        );
    }
    let (name, joined) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
    if let Some(value) = joined.filter(|_| name == "-c" || known_since(name).is_some()) {
        let failure = match value {
            "" => Failure::usage(format!("`{display}` has no value")),
            _ if name == "-c" => Failure::usage(format!("`{display}`: spark-submit takes no `=` after `-c`")),
            _ if value.contains(['\n', '\r']) => Failure::usage(format!(
                "`{display}` has a line break, which spark-submit takes only in a word of its own"
            )),
            _ => return None,
        };
        let value = secrets::word_shown(value);
        return Some(failure.help(format!("write the value as the next word: {name} {}", shell_words::quote(&value))));
    }
    if let (Some((major, minor)), Some(version)) = (known_since(word), version) {
        return (!version.at_least(major, minor)).then(|| {
            Failure::world(format!("`{name}` is no option of Spark {version}"))
                .help(format!("it came with Spark {major}.{minor}"))
        });
    }
    let near = nearest(name, option_names())?;
    // Only a word that differs by a letter or two: Spark names the others itself, and newer
    // versions may have options that are not known here.
    (strsim::damerau_levenshtein(name, near) <= 2 && name.len() > 5).then(|| {
        Failure::usage(format!("`{display}` is no option of spark-submit")).help(format!("did you mean `{near}`?"))
    })
}

/// Whether a setting gives a value to a key that names a secret, or holds one in its option string.
fn is_secret(setting: &Setting) -> bool {
    setting.conf().is_some_and(|(key, _)| secrets::is_secret(key))
        || secrets::secrets_hidden(&setting.value) != setting.value
}

/// The value of a setting for messages, without a secret.
fn shown(setting: &Setting) -> String {
    match setting.conf() {
        Some((key, value)) => format!("{key}={}", secrets::secrets_hidden(&secrets::value_of(key, value))),
        None => secrets::secrets_hidden(&setting.value),
    }
}

fn looks_like_jvm_option(word: &str) -> bool {
    JVM_OPTIONS.iter().any(|start| word.starts_with(start))
}

/// `--conf K=-Da=1 -Db=2`: the shell took the quotes away.
fn torn(word: &str, before: Option<&Setting>) -> Failure {
    let Some(before) = before.filter(|setting| setting.holds_jvm_options()) else {
        return Failure::usage(format!("`{word}` is an option of the JVM, not of spark-submit"))
            .help(format!("write --driver-java-options '{word}'"));
    };
    let Setting { option, .. } = before;
    let value = shown(before);
    let word_shown = secrets::word_shown(word);
    Failure::usage(format!("`{word_shown}` is no spark-submit option; it looks like the rest of {option} {value}"))
        .help(joined(before, word))
}

/// How to give the two halves of a value as one.
fn joined(before: &Setting, word: &str) -> String {
    let option = before.option;
    let whole = if is_secret(before) { shown(before) } else { format!("{} {word}", before.value) };
    if !whole.contains(['"', '\'']) {
        return format!("quote the whole value: {option} \"{whole}\"");
    }
    // The quotes were typed, but inside a variable, where the shell does not see them.
    let unquoted = shell_words::quote(&whole.replace(['"', '\''], "")).into_owned();
    format!(
        "quotes inside a variable reach spark-submit as they are; use a bash array: \
         O=({option} {unquoted}); spark-submit \"${{O[@]}}\" …"
    )
}

/// The word that Spark takes for the application.
fn resource(word: &str, before: Option<&Setting>) -> Option<Failure> {
    if word.starts_with(DASHES) {
        let plain = format!("--{}", word.trim_start_matches(DASHES).trim_start_matches('-'));
        return Some(
            Failure::usage(format!("`{word}` starts with a typographic dash, so Spark takes it for the application"))
                .help(format!("write `{plain}` with plain hyphens")),
        );
    }
    let before = before?;
    let odd = |text: &str, quote: char| text.matches(quote).count() % 2 == 1;
    let opens = |quote: char| {
        let value = before.value.as_str();
        odd(value, quote) && (value.starts_with(quote) || value.contains(&format!("={quote}")))
    };
    let halves = ['"', '\''].into_iter().any(|quote| opens(quote) && odd(word, quote) && word.ends_with(quote));
    halves.then(|| {
        let help = joined(before, word);
        let word = if is_secret(before) { "the word after it".to_owned() } else { format!("`{word}`") };
        Failure::usage(format!("`{} {}` and {word} are two halves of one quoted value", before.option, shown(before)))
            .help(help)
    })
}

/// In a shell or `spark-sql`, Spark hands stray JVM options to the application without a word.
fn torn_in_mixed(words: &[String], line: &CommandLine) -> Vec<Note> {
    let after_options = |at: usize| setting_before(line, at).is_some_and(Setting::holds_jvm_options);
    let torn = line.mixed.iter().filter(|at| looks_like_jvm_option(&words[**at]) && after_options(**at));
    torn.map(|at| {
        let word = &words[*at];
        Note::warning(
            "torn-option",
            format!("`{word}` looks like the rest of the option before it, but Spark hands it to the application: quote the whole value"),
        )
    })
    .collect()
}

fn setting_before(line: &CommandLine, at: usize) -> Option<&Setting> {
    line.settings.iter().rev().find(|setting| setting.at + 1 == at)
}

/// Keys that Spark ignores because they are nearly, but not quite, the right ones.
pub fn in_keys(conf: &Conf<'_>) -> Vec<Note> {
    let typed = conf.line.settings.iter().filter_map(|setting| {
        let (key, _) = setting.conf()?;
        ignored(key, || conf.argument(setting, 0..0))
    });
    let filed = conf.layers.iter().flat_map(|layer| {
        layer
            .entries
            .iter()
            .filter_map(|entry| ignored(&entry.key, || Origin::File { file: layer.file.clone(), line: entry.line }))
    });
    typed.chain(filed).collect()
}

fn ignored(key: &str, origin: impl FnOnce() -> Origin) -> Option<Note> {
    let right = near_miss(key)?;
    let origin = origin();
    Some(Note::warning(
        "near-miss",
        format!("`{key}` ({origin}) is no key of Spark's, which ignores it; did you mean {right}?"),
    ))
}

/// What a near miss of a long key still has in it. Comparing letter by letter is slow and files are
/// long, so only keys with one of these are compared.
const MARKS: [&str; 3] = ["java", "option", "deploy"];

fn near_miss(key: &str) -> Option<&'static str> {
    if KEYS.contains(&key) {
        return None;
    }
    // `…JavaOpts` is the likeliest of all.
    let plain = key.trim().to_lowercase().replace("opts", "options");
    let marked = MARKS.iter().any(|mark| plain.contains(mark));
    KEYS.into_iter().find(|right| {
        let right = right.to_lowercase();
        plain == right || marked && strsim::damerau_levenshtein(&plain.replace(DASHES, "-"), &right) <= 2
    })
}

/// An option string that cannot work, with the place to mend it.
pub fn in_value(key: &str, value: &Value, cause: &str, splitter: Splitter, environment: &Environment) -> Failure {
    let message = format!("{}: {cause}: {}", value.place(key), value.text);
    let failure = Failure::usage(message).blamed_on_world(!value.origin.is_argument());
    let Err(unclosed) = jvm_options::split(&value.text, splitter) else { return failure };
    if unclosed.what == '\\' {
        return failure.help("double the backslash");
    }
    // `'K="-Da=1' '-Db=2"'`: the next word holds the other half.
    let next = match &value.origin {
        Origin::Argument { at, .. } => environment.words.get(at + 1),
        _ => None,
    };
    match next.filter(|word| word.ends_with(unclosed.what) && !word.starts_with(unclosed.what)) {
        Some(word) if secrets::secrets_hidden(&value.text) == value.text => failure.help(format!(
            "`{word}` looks like its other half: quotes inside a variable reach spark-submit as they are; use a bash array"
        )),
        _ => failure.help("close the quote"),
    }
}
