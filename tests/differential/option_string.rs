//! JVM option strings: random ones that Spark accepts, and Spark's own way of splitting them.

use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;

/// Words that survive the launcher's splitter, each one or more JVM options.
const WORDS: &[&str] = &[
    "-Da=1",
    "-Db=2",
    "-Dc=\"x y\"",
    "-Dd='c d'",
    "-De=x\\ y",
    "-Df=C:\\\\temp\\\\x",
    "\"-Dg=quoted whole\"",
    "-Dh=\"it's\"",
    "-Di='say \"hi\"'",
    "-Dj=\"a\\\"b\"",
    "-Dk=$HOME`id`$(id)*%p",
    "-Dl=\u{e9}\u{6f22}",
    "-Dm=a\u{a0}b",
    "-Dn=a,b;c&d|e<f>(g)",
    "-Do=",
    "-Dp=a=b==c",
    "-Dpassword=geheim",
    "-Dspark.foo=bar",
    "-Dlog4j.configuration=file:/tmp/x.properties",
    "-XX:+UseG1GC",
    "-XX:OnOutOfMemoryError='kill -9 %p'",
    "-Xss4m",
    "-Xms64m",
    "-ea",
    "-verbose:gc",
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
    "--add-exports java.base/sun.nio.ch=ALL-UNNAMED",
    "-javaagent:/opt/agents/a.jar=jdwp=1,port=2",
    "-agentpath:/opt/yk/libyjpagent.so=port=1",
    "-agentlib:jdwpx=1",
    "-Dnote=-agentlib:jdwp=transport=dt_socket",
    "\"\"",
    "''",
    "-Dtrail=\\\\",
    "{{APP_ID}}",
    "-Dq\"u\"'o'te=\"d\"",
];

const GAPS: &[&str] = &[" ", " ", " ", "  ", "\t", "\n", " \n ", "\r\n", "\u{b}", "\u{2003}"];

/// A random option string that Spark accepts, sometimes with blanks at its ends, sometimes empty.
pub fn random(rng: &mut StdRng) -> String {
    let mut text = String::new();
    if rng.random_bool(0.05) {
        return [" ", "", "\n"].choose(rng).unwrap().to_string();
    }
    if rng.random_bool(0.08) {
        text.push_str(GAPS.choose(rng).unwrap());
    }
    let plain = rng.random_bool(0.3);
    for index in 0..rng.random_range(1..=4) {
        if index > 0 {
            text.push_str(if plain { " " } else { GAPS.choose(rng).unwrap() });
        }
        let words = if plain { &WORDS[..2] } else { WORDS };
        text.push_str(words.choose(rng).unwrap());
        if rng.random_bool(0.3) {
            // what makes two equal words of one case different, so that a swapped one is seen
            text.push_str(&format!(" -Dr{}={}", rng.random_range(0..100), rng.random_range(0..1000)));
        }
    }
    if rng.random_bool(0.08) {
        text.push_str(GAPS.choose(rng).unwrap());
    }
    text
}

/// Strings that the launcher refuses.
pub fn broken(rng: &mut StdRng) -> String {
    let strings = ["-Da='x y", "-Da=\"x", "-Da=x\\", "-Db=1 -Xmx1g", "'", "-Da=\"x\\\"", "-Xmx2g"];
    strings.choose(rng).unwrap().to_string()
}

/// `CommandBuilderUtils.parseOptionString`; `None` where it throws.
pub fn split(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', None | Some('"')) => word.get_or_insert_default().push(chars.next()?),
            ('\'' | '"', None) => {
                word.get_or_insert_default();
                quote = Some(c);
            }
            (c, Some(open)) if c == open => quote = None,
            (c, None) if is_java_whitespace(c) => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

/// `Character.isWhitespace`: Unicode's blanks without those that do not break a line.
fn is_java_whitespace(c: char) -> bool {
    matches!(c, '\u{1c}'..='\u{1f}')
        || (c.is_whitespace() && !matches!(c, '\u{85}' | '\u{a0}' | '\u{2007}' | '\u{202f}'))
}

#[test]
fn splits_as_the_launcher_does() {
    let words = |text| split(text).map(|words| words.join("|"));
    assert_eq!(words("-Da=\"b c\" -D'x y'z  -De=b\\ c").as_deref(), Some("-Da=b c|-Dx yz|-De=b c"));
    assert_eq!(words("'a\\b' \"a\\\"b\" \"\" C:\\temp").as_deref(), Some("a\\b|a\"b||C:temp"));
    assert_eq!(words("-Da='x"), None);
    assert_eq!(words("-Da=x\\"), None);
    assert_eq!(words("a\u{b}b\u{2003}c\u{a0}d").as_deref(), Some("a|b|c\u{a0}d"));
}
