//! One string of JVM options, as it stands in `spark.driver.extraJavaOptions`, `SPARK_SUBMIT_OPTS`,
//! `JAVA_TOOL_OPTIONS` and the like. It is only ever edited in place, never taken apart and joined
//! again: the user's quotes survive byte for byte.

use std::fmt;
use std::ops::Range;

use super::jdwp::{self, Agent, Spelling};

/// What people wrote next to `-Xrunjdwp` in Java 1.4; without it these words mean nothing.
const LEGACY_COMPANIONS: [&str; 3] = ["-Xdebug", "-Xnoagent", "-Djava.compiler=NONE"];

/// The options of `java` whose value is the next word.
const TAKES_NEXT_WORD: [&str; 15] = [
    "-cp",
    "-classpath",
    "--class-path",
    "-p",
    "--module-path",
    "--upgrade-module-path",
    "--add-modules",
    "--limit-modules",
    "--add-exports",
    "--add-opens",
    "--add-reads",
    "--patch-module",
    "--enable-native-access",
    "--source",
    "--finalization",
];

/// Who cuts the string into words. The three disagree about backslashes and white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Splitter {
    /// `CommandBuilderUtils.parseOptionString` of Spark's launcher: client-mode driver options,
    /// `SPARK_*_OPTS`, `conf/java-opts`.
    Launcher,
    /// `Utils.splitCommandString` of Spark's core: executor options, cluster-mode driver options.
    Executor,
    /// The JVM itself (`JAVA_TOOL_OPTIONS`, `_JAVA_OPTIONS`) and `java` (`JDK_JAVA_OPTIONS`).
    Jvm,
}

impl Splitter {
    fn separates(self, c: char) -> bool {
        match self {
            // Character.isWhitespace: no-break spaces do not separate.
            Splitter::Launcher => {
                matches!(
                    c,
                    '\t'..='\r'
                        | '\u{1c}'..=' '
                        | '\u{1680}'
                        | '\u{2000}'..='\u{2006}'
                        | '\u{2008}'..='\u{200a}'
                        | '\u{2028}'
                        | '\u{2029}'
                        | '\u{205f}'
                        | '\u{3000}'
                )
            }
            Splitter::Executor => matches!(c, ' ' | '\t' | '\r' | '\n'),
            Splitter::Jvm => matches!(c, ' ' | '\t'..='\r'),
        }
    }

    /// Whether a backslash inside `quote` (`None`: outside quotes) takes away the meaning of the next character.
    fn escapes_in(self, quote: Option<char>) -> bool {
        match self {
            Splitter::Launcher => quote != Some('\''),
            Splitter::Executor => quote == Some('"'),
            Splitter::Jvm => false,
        }
    }
}

/// One word of an option string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// What the JVM gets: without quotes and escapes.
    pub text: String,
    /// Where it stands in the raw string, in bytes, quotes included.
    pub span: Range<usize>,
}

/// Why Spark's launcher refuses an option string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unclosed {
    /// Byte offset of the opening quote or of the trailing backslash.
    pub at: usize,
    /// The same place counted in characters from 1.
    pub position: usize,
    /// The quote or the backslash.
    pub what: char,
}

impl fmt::Display for Unclosed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.what {
            '\\' => f.write_str("it ends in a backslash"),
            quote => write!(f, "the `{quote}` at position {} is never closed", self.position),
        }
    }
}

/// The words of a string. Only [`Splitter::Launcher`] fails; the others tolerate an open end.
pub fn split(raw: &str, splitter: Splitter) -> Result<Vec<Word>, Unclosed> {
    let (words, fault) = scan(raw, splitter);
    fault.map_or(Ok(words), Err)
}

/// The words up to the one with the fault, and the fault.
fn scan(raw: &str, splitter: Splitter) -> (Vec<Word>, Option<Unclosed>) {
    let mut words = Vec::new();
    let mut word: Option<Word> = None;
    let mut quote: Option<(usize, char)> = None;
    let mut escape: Option<usize> = None;
    for (at, c) in raw.char_indices() {
        if escape.is_none() && quote.is_none() && splitter.separates(c) {
            words.extend(word.take());
            continue;
        }
        let word = word.get_or_insert_with(|| Word { text: String::new(), span: at..at });
        word.span.end = at + c.len_utf8();
        let open = quote.map(|(_, open)| open);
        if escape.take().is_some() {
            word.text.push(c);
        } else if c == '\\' && splitter.escapes_in(open) {
            escape = Some(at);
        } else if open == Some(c) {
            quote = None;
        } else if open.is_none() && matches!(c, '\'' | '"') {
            quote = Some((at, c));
        } else {
            word.text.push(c);
        }
    }
    let fault = quote.or(escape.map(|at| (at, '\\'))).filter(|_| splitter == Splitter::Launcher);
    if fault.is_none() {
        words.extend(word);
    }
    let fault = fault.map(|(at, what)| Unclosed { at, position: raw[..at].chars().count() + 1, what });
    (words, fault)
}

/// Puts an option in front. One appended instead would be swallowed by an open quote or a trailing
/// backslash, without an error. Its text must be free of blanks, quotes and backslashes, as that of
/// [`Agent::new`] is.
pub fn prepend(option: &impl fmt::Display, raw: &str) -> String {
    if raw.is_empty() { option.to_string() } else { format!("{option} {raw}") }
}

/// A debug agent found in an option string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Existing {
    /// What it says.
    pub agent: Agent,
    /// As it stands in the string, quotes included.
    pub text: String,
    /// Where it stands, in bytes.
    pub span: Range<usize>,
}

/// Every debug agent in the string; of a string that does not split, those before the fault.
pub fn find_agents(raw: &str, splitter: Splitter) -> Vec<Existing> {
    let (words, _) = scan(raw, splitter);
    let found = words.into_iter().filter_map(|Word { text, span }| {
        Agent::parse(&text).map(|agent| Existing { agent, text: raw[span.clone()].to_owned(), span })
    });
    found.collect()
}

/// Files from which the JVM takes more options: `@FILE`, which `java` expands since 9, and
/// `-XX:VMOptionsFile=FILE`.
pub fn named_files(raw: &str) -> Vec<String> {
    let (words, _) = scan(raw, Splitter::Launcher);
    let file = |word: Word| {
        let name = word.text.strip_prefix("-XX:VMOptionsFile=").or_else(|| word.text.strip_prefix('@'))?;
        (!name.is_empty()).then(|| name.to_owned())
    };
    words.into_iter().filter_map(file).collect()
}

/// The companions of an `-Xrunjdwp` in the same string, as they stand: they come and go with it.
pub fn legacy_companions(raw: &str, splitter: Splitter) -> Vec<String> {
    let (words, _) = scan(raw, splitter);
    let companions = has_xrun(&words).then(|| words.iter().filter(|word| is_companion(word)));
    companions.into_iter().flatten().map(|word| raw[word.span.clone()].to_owned()).collect()
}

fn has_xrun(words: &[Word]) -> bool {
    words.iter().filter_map(|word| Agent::parse(&word.text)).any(|agent| agent.spelling == Spelling::Xrun)
}

/// Whether one argument starts a debug agent.
pub fn is_agent(word: &str) -> bool {
    Agent::parse(word).is_some()
}

/// Whether one argument starts a debug agent, or came with one in Java 1.4.
pub fn is_agent_or_companion(word: &str) -> bool {
    is_agent(word) || LEGACY_COMPANIONS.contains(&word)
}

fn is_companion(word: &Word) -> bool {
    LEGACY_COMPANIONS.contains(&word.text.as_str())
}

/// The string without its debug agents and without the legacy companions of an `-Xrunjdwp`.
///
/// A removed word takes the separators before it with it; one that has no word left before it takes
/// one separator behind it, which makes this the exact reverse of [`prepend`]. The rest stays as it is.
pub fn remove_agents(raw: &str, splitter: Splitter) -> String {
    let (words, _) = scan(raw, splitter);
    let has_xrun = has_xrun(&words);
    let mut kept = String::with_capacity(raw.len());
    let mut copied_to = 0;
    let mut last_kept_end = None;
    for word in &words {
        let goes = Agent::parse(&word.text).is_some() || (has_xrun && is_companion(word));
        match last_kept_end {
            _ if !goes => last_kept_end = Some(word.span.end),
            Some(end) => {
                kept.push_str(&raw[copied_to..end.max(copied_to)]);
                copied_to = word.span.end;
            }
            None => {
                kept.push_str(&raw[copied_to..word.span.start]);
                let separator = raw[word.span.end..].chars().next();
                copied_to = word.span.end + separator.map_or(0, char::len_utf8);
            }
        }
    }
    kept.push_str(&raw[copied_to..]);
    kept
}

/// A mistake that certainly keeps the JVM from starting, or from being debugged without a word.
pub fn diagnose(raw: &str, splitter: Splitter) -> Option<String> {
    let (words, fault) = scan(raw, splitter);
    let fault = fault.map(|fault| fault.to_string());
    fault.or_else(|| words.iter().find_map(typographic)).or_else(|| {
        let torn = torn_agent(&words)?;
        Some(format!("`{}` is torn apart by blanks; write -agentlib:jdwp=transport=…,server=…", &raw[torn]))
    })
}

/// A word processor's quote or dash where a plain one must stand.
fn typographic(word: &Word) -> Option<String> {
    let c = word.text.chars().next()?;
    let (kind, plain) = match c {
        '“' | '”' | '„' | '«' | '»' => ("quote", "\""),
        '‘' | '’' => ("quote", "'"),
        '–' | '−' | '‑' => ("dash", "-"),
        '—' => ("dash", "--"),
        _ => return None,
    };
    Some(format!("`{}` begins with the typographic {kind} `{c}` (U+{:04X}); type `{plain}`", word.text, u32::from(c)))
}

/// The place of a debug agent that blanks have cut into several words.
fn torn_agent(words: &[Word]) -> Option<Range<usize>> {
    let pair = words.windows(2).find(|pair| is_torn(&pair[0].text, &pair[1].text));
    if let Some([first, second]) = pair {
        return Some(first.span.start..second.span.end);
    }
    // Without its first half as well: an agent that is put in front of it would seem to be that.
    if let Some(rest) = stray_words(words).find(|word| is_rest(&word.text)) {
        return Some(rest.span.clone());
    }
    let begins = |word: &&Word| ["Xrunjdwp", "agentlib:jdwp"].iter().any(|start| word.text.starts_with(start));
    if let Some(dashless) = words.iter().find(begins) {
        return Some(dashless.span.clone());
    }
    let dash = words.iter().find(|word| word.text == "-")?;
    let is_loose = |text: &str| text.contains("jdwp") && !text.starts_with("-D") && Agent::parse(text).is_none();
    let loose = words.iter().find(|word| is_loose(&word.text))?;
    Some(dash.span.start.min(loose.span.start)..dash.span.end.max(loose.span.end))
}

/// Whether the two neighbours were meant to be one agent.
fn is_torn(first: &str, second: &str) -> bool {
    match first {
        "-" => ["Xrunjdwp", "agentlib:", "agentpath:"].iter().any(|start| second.starts_with(start)),
        "-agentlib" => second.starts_with(":jdwp"),
        "-agentlib:" | "-Xrun" => second.starts_with("jdwp"),
        "-agentpath" | "-agentpath:" => second.contains("jdwp"),
        _ if second.starts_with(['-', '@']) => false,
        _ => Agent::parse(first)
            .is_some_and(|agent| first.ends_with(['=', ',', ':']) || is_rest(second) || agent.goes_on_in(second)),
    }
}

/// Whether a word is what follows a suboption of an agent.
fn is_rest(word: &str) -> bool {
    word.starts_with(',') || word.split_once('=').is_some_and(|(key, _)| jdwp::is_known(key))
}

/// The first word that `java` would take for the main class, because it is neither an option nor
/// the value of one.
pub fn stray_word(raw: &str, splitter: Splitter) -> Option<String> {
    let (words, _) = scan(raw, splitter);
    stray_words(&words).next().map(|word| word.text.clone())
}

/// The words that are neither options nor values of one.
fn stray_words(words: &[Word]) -> impl Iterator<Item = &Word> {
    let mut is_value = false;
    words.iter().filter(move |word| {
        let is_stray = !is_value && !word.text.starts_with(['-', '@']);
        is_value = !is_value && TAKES_NEXT_WORD.contains(&word.text.as_str());
        is_stray
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::{Host, Mode};
    use Splitter::{Executor, Jvm, Launcher};
    use proptest::prelude::*;

    const J: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=5006";
    const XRUN: &str = "-Xrunjdwp:transport=dt_socket,server=y,suspend=n,address=5006";

    fn ours() -> Agent {
        Agent::new(Mode::Attach, &Host::loopback(), 5005, true)
    }

    fn texts(raw: &str, splitter: Splitter) -> Vec<String> {
        scan(raw, splitter).0.into_iter().map(|word| word.text).collect()
    }

    /// What Spark 3.5.6 itself answered.
    #[test]
    fn both_of_spark_s_splitters() {
        let same: [(&str, &[&str]); 14] = [
            ("", &[]),
            (" \t ", &[]),
            (r#"-Da="b c" -De"#, &["-Da=b c", "-De"]),
            ("'b c'", &["b c"]),
            (r#""b c"d'e f'g"#, &["b cde fg"]),
            (r#""x\"y""#, &[r#"x"y"#]),
            (r#""x\\y""#, &[r"x\y"]),
            (r#""C:\temp""#, &["C:temp"]),
            ("a\nb\tc\rd", &["a", "b", "c", "d"]),
            ("a\u{a0}b", &["a\u{a0}b"]),
            (r#"a "" b"#, &["a", "", "b"]),
            ("''", &[""]),
            (r#"'a"b' "a'b""#, &[r#"a"b"#, "a'b"]),
            ("$HOME `x` *", &["$HOME", "`x`", "*"]),
        ];
        for (raw, words) in same {
            assert_eq!(texts(raw, Launcher), words, "{raw}");
            assert_eq!(texts(raw, Executor), words, "{raw}");
        }
        let different: [(&str, &[&str], &[&str]); 7] = [
            (r"-Da=b\ c", &["-Da=b c"], &[r"-Da=b\", "c"]),
            (r"-Da=C:\temp", &["-Da=C:temp"], &[r"-Da=C:\temp"]),
            (r#"-Da=\"x"#, &[r#"-Da="x"#], &[r"-Da=\x"]),
            ("a\u{b}b", &["a", "b"], &["a\u{b}b"]),
            ("a\u{2003}b", &["a", "b"], &["a\u{2003}b"]),
            (r"\ a", &[" a"], &[r"\", "a"]),
            ("a\u{1c}b\u{3000}c\u{2007}d", &["a", "b", "c\u{2007}d"], &["a\u{1c}b\u{3000}c\u{2007}d"]),
        ];
        for (raw, launcher, executor) in different {
            assert_eq!(texts(raw, Launcher), launcher, "{raw}");
            assert_eq!(texts(raw, Executor), executor, "{raw}");
        }
        let open: [(&str, &[&str]); 6] = [
            (r"'it\'s'", &[r"it\s"]),
            (r#"a "b c"#, &["a", "b c"]),
            ("a 'b c", &["a", "b c"]),
            (r"a\", &[r"a\"]),
            (r#""a\"#, &["a"]),
            (r#"a ""#, &["a", ""]),
        ];
        for (raw, executor) in open {
            assert!(split(raw, Launcher).is_err(), "{raw}");
            let words = split(raw, Executor).expect("tolerant");
            assert_eq!(words.into_iter().map(|word| word.text).collect::<Vec<_>>(), executor, "{raw}");
        }
    }

    #[test]
    fn the_jvm_s_splitter_knows_quotes_but_no_escapes() {
        assert_eq!(texts("-Da=\"b c\" -Db='d e'f\u{b}\u{c}g", Jvm), ["-Da=b c", "-Db=d ef", "g"]);
        assert_eq!(texts(r#"a\ b "c\" d"#, Jvm), [r"a\", "b", r"c\", "d"]);
        assert_eq!(texts("'a b", Jvm), ["a b"]);
    }

    #[test]
    fn a_span_covers_the_quotes() {
        let words = split(r#" é"x y"  'z'"#, Launcher).expect("well formed");
        assert_eq!(words.iter().map(|word| word.span.clone()).collect::<Vec<_>>(), [1..8, 10..13]);
    }

    /// Cases Q5, Q10, Q11.
    #[test]
    fn an_open_end_is_located() {
        let fault = |raw: &str| split(raw, Launcher).expect_err("open");
        assert_eq!(fault("-Da='x y"), Unclosed { at: 4, position: 5, what: '\'' });
        assert_eq!(fault("-Da='x y").to_string(), "the `'` at position 5 is never closed");
        assert_eq!(fault("\"-Da=1").to_string(), "the `\"` at position 1 is never closed");
        assert_eq!(fault("é'").to_string(), "the `'` at position 2 is never closed");
        assert_eq!(fault("\"a\" '\" \\").what, '\'');
        assert_eq!(fault(r"-Da=x\"), Unclosed { at: 5, position: 6, what: '\\' });
        assert_eq!(fault(r"-Da=x\").to_string(), "it ends in a backslash");
        assert_eq!(diagnose(r"-Da=x\", Launcher).as_deref(), Some("it ends in a backslash"));
        assert_eq!(diagnose(r"-Da=x\", Executor), None);
        assert_eq!(diagnose("-Da='x y", Executor), None);
    }

    /// Case Q1: a value that lost its second half is itself sound.
    #[test]
    fn half_a_value_is_sound() {
        assert_eq!(diagnose("-Da=1", Launcher), None);
        assert_eq!(stray_word("-Da=1", Launcher), None);
    }

    /// Case Q9: only the executor's splitter leaves a stray word.
    #[test]
    fn stray_words() {
        assert_eq!(stray_word(r"-Dc=x\ y", Launcher), None);
        assert_eq!(stray_word(r"-Dc=x\ y", Executor).as_deref(), Some("y"));
        assert_eq!(stray_word("-cp a --add-opens java.base/java.lang=ALL-UNNAMED @file -Da", Launcher), None);
        assert_eq!(stray_word("-cp -cp x", Launcher).as_deref(), Some("x"));
        assert_eq!(stray_word("--add-opens=java.base/java.lang=ALL-UNNAMED \"\"", Launcher).as_deref(), Some(""));
    }

    /// Case O6: the user's quotes stay.
    #[test]
    fn prepending_keeps_the_string() {
        let emr = "-XX:OnOutOfMemoryError='kill -9 %p' -XX:+IgnoreUnrecognizedVMOptions --add-opens=x";
        let merged = prepend(&ours(), emr);
        let agent = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:5005";
        assert_eq!(merged, format!("{agent} {emr}"));
        for splitter in [Launcher, Executor, Jvm] {
            let words =
                [agent, "-XX:OnOutOfMemoryError=kill -9 %p", "-XX:+IgnoreUnrecognizedVMOptions", "--add-opens=x"];
            assert_eq!(texts(&merged, splitter), words);
        }
        assert_eq!(prepend(&ours(), ""), agent);
    }

    /// Case D1.
    #[test]
    fn agents_are_found_in_any_spelling_and_quoting() {
        let path = "\"-agentpath:/opt/j dk/libjdwp.so=server=y\"";
        let raw = format!("-Da=1 '{J}' {path} -Dx={J} {XRUN} 'open {J}");
        let found = find_agents(&raw, Launcher);
        let texts: Vec<_> = found.iter().map(|existing| existing.text.as_str()).collect();
        assert_eq!(texts, [&format!("'{J}'"), path, XRUN]);
        assert_eq!(found[0].agent.to_string(), J);
        assert!(found.iter().all(|existing| raw[existing.span.clone()] == existing.text));
    }

    #[test]
    fn removal_takes_one_agent_and_nothing_else() {
        for (before, after) in [
            (format!("{J} -Da=1"), "-Da=1"),
            (format!("-Da=1  {J}"), "-Da=1"),
            (format!("-Da=1  '{J}'\t -Db='2 3'"), "-Da=1\t -Db='2 3'"),
            (format!(" {J}  -Da=1 "), "  -Da=1 "),
            (format!("{J} {J}"), ""),
            (format!("a {J} {J} b"), "a b"),
            (format!("{J} 'open"), "'open"),
            (format!("-Xdebug {J}"), "-Xdebug"),
            (format!("-Xdebug -Xnoagent -Djava.compiler=NONE {XRUN} -Da"), "-Da"),
            (format!("-Da {XRUN} '-Xdebug' -Xint"), "-Da -Xint"),
            (format!("-Dx={J}"), &format!("-Dx={J}")),
        ] {
            assert_eq!(remove_agents(&before, Launcher), after, "{before}");
        }
    }

    #[test]
    fn companions_go_only_with_xrun() {
        assert_eq!(
            legacy_companions(&format!("'-Xdebug' {XRUN} -Xnoagent -Xint"), Launcher),
            ["'-Xdebug'", "-Xnoagent"]
        );
        assert_eq!(legacy_companions(&format!("-Xdebug {J}"), Launcher), [""; 0]);
    }

    #[test]
    fn typographic_marks_are_named() {
        assert_eq!(
            diagnose("-Da=1 “-Db=2 3”", Launcher).as_deref(),
            Some("`“-Db=2` begins with the typographic quote `“` (U+201C); type `\"`")
        );
        assert_eq!(
            diagnose("–agentlib:jdwp=server=y", Executor).as_deref(),
            Some("`–agentlib:jdwp=server=y` begins with the typographic dash `–` (U+2013); type `-`")
        );
        assert_eq!(
            diagnose("—add-opens=x", Jvm).as_deref(),
            Some("`—add-opens=x` begins with the typographic dash `—` (U+2014); type `--`")
        );
        assert_eq!(diagnose("-Da=“b” -Dc=–", Launcher), None);
    }

    /// Case Q14.
    #[test]
    fn a_torn_agent_is_recognised() {
        for (raw, torn) in [
            ("- Xdebug - Xrunjdwp : transport= dt_socket,server= y", "- Xrunjdwp"),
            ("-Xdebug -Xrunjdwp : transport=dt_socket", "-Xrunjdwp :"),
            ("-Xrunjdwp :transport=dt_socket", "-Xrunjdwp :transport=dt_socket"),
            ("-agentlib :jdwp=transport=dt_socket", "-agentlib :jdwp=transport=dt_socket"),
            ("-agentlib: jdwp=transport=dt_socket", "-agentlib: jdwp=transport=dt_socket"),
            ("-agentlib:jdwp =transport=dt_socket", "-agentlib:jdwp =transport=dt_socket"),
            ("-agentlib:jdwp= transport=dt_socket", "-agentlib:jdwp= transport=dt_socket"),
            ("-Xrunjdwp:transport=dt_socket, server=y", "-Xrunjdwp:transport=dt_socket, server=y"),
            ("-Xrunjdwp:transport=dt_socket server=y", "-Xrunjdwp:transport=dt_socket server=y"),
            ("-Xrunjdwp:transport= dt_socket", "-Xrunjdwp:transport= dt_socket"),
            ("-agentlib:jdwp=server=y,address=h :5005 -Da", "-agentlib:jdwp=server=y,address=h :5005"),
            ("-agentlib:jdwp=server=y ,address=h:5005", "-agentlib:jdwp=server=y ,address=h:5005"),
            ("-agentlib:jdwp=transport =dt_socket", "-agentlib:jdwp=transport =dt_socket"),
            ("-agentlib:jdwp=transport=dt_socket,server =y", "-agentlib:jdwp=transport=dt_socket,server =y"),
            ("server=y,address=5005 -Da", "server=y,address=5005"),
            ("-Da ,server=y", ",server=y"),
            ("-Da agentlib:jdwp=transport=dt_socket", "agentlib:jdwp=transport=dt_socket"),
            ("Xrunjdwp:server=y", "Xrunjdwp:server=y"),
            ("- agentlib : jdwp = x", "- agentlib : jdwp"),
        ] {
            let message = format!("`{torn}` is torn apart by blanks; write -agentlib:jdwp=transport=…,server=…");
            assert_eq!(diagnose(raw, Launcher), Some(message), "{raw}");
        }
        for innocent in [
            "-Dx=jdwp",
            "-Dlog.jdwp=1 -",
            "-Dtext=\"a jdwp b\"",
            "-Dtext='- Xrunjdwp : x'",
            J,
            "-agentlib:jdwp=transport=dt_socket,server=y, -Da=1",
            "-agentlib:jdwp -Da=1",
            "-agentlib:jdwp=server=y,address=127.0.0.1:5005 :",
            "-agentlib:jdwp=server=y,address=5005 =x",
            ": x",
            "-cp ,a",
            "-agentlib:hprof - x",
            "-cp /opt/jdwp.jar",
        ] {
            assert_eq!(diagnose(innocent, Launcher), None, "{innocent}");
        }
    }

    fn splitters() -> impl Strategy<Value = Splitter> {
        prop_oneof![Just(Launcher), Just(Executor), Just(Jvm)]
    }

    /// Strings in which agents, quotes, escapes, odd blanks and plain words meet often.
    fn raws() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            4 => "[ \t\n\u{b}\u{a0}\u{2003}]{1,3}",
            3 => prop_oneof![Just(J), Just(XRUN), Just("-agentpath:/x/libjdwp.so")].prop_map(str::to_owned),
            2 => prop_oneof![Just("-Xdebug"), Just("-Xnoagent"), Just("-Djava.compiler=NONE")].prop_map(str::to_owned),
            3 => "-Da=[ab\"'\\\\é]{0,4}",
            2 => "['\"\\\\]",
            2 => "(address)?[-:=,]{1,2}[x5]?",
            1 => "\\PC{0,3}",
        ];
        proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn words_lie_in_order_between_separators(raw in raws(), splitter in splitters()) {
            let (words, fault) = scan(&raw, splitter);
            let mut end = 0;
            for word in &words {
                prop_assert!(raw[end..word.span.start].chars().all(|c| splitter.separates(c)));
                prop_assert!(word.span.start == 0 || word.span.start > end);
                prop_assert_eq!(&texts(&raw[word.span.clone()], splitter), std::slice::from_ref(&word.text));
                end = word.span.end;
            }
            prop_assert!(fault.is_some() || raw[end..].chars().all(|c| splitter.separates(c)));
            prop_assert!(fault.is_none_or(|fault| raw[fault.at..].starts_with(fault.what)));
        }

        #[test]
        fn removal_removes_agents_and_nothing_else(raw in raws(), splitter in splitters()) {
            let removed = remove_agents(&raw, splitter);
            prop_assert_eq!(find_agents(&removed, splitter), []);
            let has_xrun = has_xrun(&scan(&raw, splitter).0);
            let stays = |word: &String| {
                Agent::parse(word).is_none() && !(has_xrun && LEGACY_COMPANIONS.contains(&word.as_str()))
            };
            let left: Vec<_> = texts(&raw, splitter).into_iter().filter(stays).collect();
            prop_assert_eq!(texts(&removed, splitter), left);
            prop_assert_eq!(split(&raw, splitter).is_ok(), split(&removed, splitter).is_ok());
            prop_assert_eq!(remove_agents(&removed, splitter), removed);
        }

        #[test]
        fn rewriting_twice_is_rewriting_once(raw in raws(), splitter in splitters()) {
            let once = prepend(&ours(), &remove_agents(&raw, splitter));
            prop_assert_eq!(&prepend(&ours(), &remove_agents(&once, splitter)), &once);
            prop_assert_eq!(find_agents(&once, splitter).len(), 1);
        }

        #[test]
        fn what_was_taken_is_taken_again(raw in raws(), splitter in splitters()) {
            let once = prepend(&ours(), &remove_agents(&raw, splitter));
            prop_assert!(diagnose(&raw, splitter).is_some() || diagnose(&once, splitter).is_none());
        }

        #[test]
        fn prepending_adds_one_word(raw in raws(), splitter in splitters()) {
            let mut words = texts(&prepend(&ours(), &raw), splitter);
            prop_assert_eq!(words.remove(0), ours().to_string());
            prop_assert_eq!(words, texts(&raw, splitter));
        }

        #[test]
        fn nothing_panics(raw in raws(), splitter in splitters()) {
            let _ = (diagnose(&raw, splitter), stray_word(&raw, splitter), legacy_companions(&raw, splitter));
        }
    }
}
