//! `config.yaml`: YAML, whose nested keys Flink joins with dots. Source: `YamlParserUtils` and
//! `GlobalConfiguration.flatten`.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span};

use super::{Entry, Malformed};

/// What the core schema of YAML 1.2 reads as nothing.
const NULLS: [&str; 5] = ["", "~", "null", "Null", "NULL"];

#[derive(Debug, Clone)]
enum Node {
    /// No value at all.
    Null,
    Scalar(String),
    Sequence(Vec<Node>),
    Mapping(Vec<(String, usize, Node)>),
}

/// The entries, nested keys joined with dots.
///
/// # Errors
/// No YAML, a key that stands twice in one mapping or has no value, or something else than a mapping.
pub fn parse(text: &str) -> Result<Vec<Entry>, Malformed> {
    let mut reader = Reader { parser: Parser::new_from_str(text), anchors: HashMap::new() };
    loop {
        match reader.next()? {
            (Event::StreamEnd, _) => return Ok(Vec::new()),
            (Event::StreamStart | Event::DocumentStart(_), _) => {}
            // A file of comments alone.
            (Event::Scalar(value, ..), _) if NULLS.contains(&value.as_ref()) => return Ok(Vec::new()),
            (event, span) => {
                let line = span.start.line();
                let mut entries = Vec::new();
                match reader.node(event, line)? {
                    Node::Mapping(pairs) => flatten("", &pairs, &mut entries)?,
                    _ => return Err(Malformed { line, cause: "it is no mapping of keys to values".to_owned() }),
                }
                return match reader.next()?.0 {
                    Event::DocumentEnd => match reader.next()? {
                        (Event::StreamEnd, _) => Ok(entries),
                        (_, span) => {
                            Err(Malformed { line: span.start.line(), cause: "a second document begins".to_owned() })
                        }
                    },
                    _ => Ok(entries),
                };
            }
        }
    }
}

fn flatten(prefix: &str, pairs: &[(String, usize, Node)], entries: &mut Vec<Entry>) -> Result<(), Malformed> {
    for (key, line, node) in pairs {
        let key = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        match node {
            Node::Mapping(inner) => flatten(&key, inner, entries)?,
            Node::Null => return Err(Malformed { line: *line, cause: format!("`{key}` has no value") }),
            other => entries.push(Entry { key, value: text_of(other), line: *line }),
        }
    }
    Ok(())
}

/// As Flink writes it: a list in brackets.
fn text_of(node: &Node) -> String {
    match node {
        Node::Null => "null".to_owned(),
        Node::Scalar(value) => value.clone(),
        Node::Sequence(items) => format!("[{}]", items.iter().map(text_of).collect::<Vec<_>>().join(", ")),
        Node::Mapping(pairs) => {
            let pairs = pairs.iter().map(|(key, _, node)| format!("{key}: {}", text_of(node)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
    }
}

struct Reader<'a> {
    parser: Parser<'a, saphyr_parser::StrInput<'a>>,
    anchors: HashMap<usize, Node>,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Result<(Event<'a>, Span), Malformed> {
        self.parser.next_event().unwrap_or(Ok((Event::StreamEnd, Span::default()))).map_err(|cause: ScanError| {
            Malformed { line: cause.marker().line(), cause: format!("it is no YAML: {}", cause.info()) }
        })
    }

    fn node(&mut self, event: Event<'a>, line: usize) -> Result<Node, Malformed> {
        let (anchor, node) = match event {
            Event::Scalar(value, ScalarStyle::Plain, anchor, _) if NULLS.contains(&value.as_ref()) => {
                (anchor, Node::Null)
            }
            Event::Scalar(value, _, anchor, _) => (anchor, Node::Scalar(value.into_owned())),
            Event::Alias(anchor) => (0, self.anchors.get(&anchor).cloned().unwrap_or(Node::Null)),
            Event::SequenceStart(anchor, _) => {
                let mut items = Vec::new();
                loop {
                    match self.next()? {
                        (Event::SequenceEnd, _) => break,
                        (event, span) => items.push(self.node(event, span.start.line())?),
                    }
                }
                (anchor, Node::Sequence(items))
            }
            Event::MappingStart(anchor, _) => (anchor, Node::Mapping(self.mapping()?)),
            other => return Err(Malformed { line, cause: format!("it is no YAML: unexpected {other:?}") }),
        };
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        Ok(node)
    }

    fn mapping(&mut self) -> Result<Vec<(String, usize, Node)>, Malformed> {
        let mut pairs: Vec<(String, usize, Node)> = Vec::new();
        loop {
            let (event, span) = self.next()?;
            let line = span.start.line();
            if event == Event::MappingEnd {
                return Ok(pairs);
            }
            let key = text_of(&self.node(event, line)?);
            if let Some((_, first, _)) = pairs.iter().find(|(known, ..)| *known == key) {
                return Err(Malformed { line, cause: format!("`{key}` stands there already, in line {first}") });
            }
            let (event, span) = self.next()?;
            let value = self.node(event, span.start.line())?;
            pairs.push((key, line, value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(text: &str) -> Vec<(String, String, usize)> {
        let entries = parse(text).expect("YAML");
        entries.into_iter().map(|entry| (entry.key, entry.value, entry.line)).collect()
    }

    fn owned<const N: usize>(expected: [(&str, &str, usize); N]) -> Vec<(String, String, usize)> {
        expected.map(|(key, value, line)| (key.to_owned(), value.to_owned(), line)).to_vec()
    }

    /// Nested, flat and mixed; the later one of the same key counts, as the facts measured.
    #[test]
    fn keys_are_joined() {
        let text = "env:\n  java:\n    opts:\n      all: --add-opens=a/b=ALL \n      client: 'x y'\nrest.port: 8081\nenv.java.opts.all: -Dflat=1\nlist: [a, ~]\nempty: ''\n";
        let expected = [
            ("env.java.opts.all", "--add-opens=a/b=ALL", 4),
            ("env.java.opts.client", "x y", 5),
            ("rest.port", "8081", 6),
            ("env.java.opts.all", "-Dflat=1", 7),
            ("list", "[a, null]", 8),
            ("empty", "", 9),
        ];
        assert_eq!(entries(text), owned(expected));
    }

    #[test]
    fn anchors_and_empty_files() {
        assert_eq!(entries("a: &x\n  b: 1\nc: *x\n"), owned([("a.b", "1", 2), ("c.b", "1", 2)]));
        assert_eq!(entries("# nothing\n"), []);
        assert_eq!(entries(""), []);
        assert_eq!(entries("---\na: 1\n"), owned([("a", "1", 2)]));
    }

    #[test]
    fn what_flink_cannot_read() {
        let refused = |text: &str| {
            let Malformed { line, cause } = parse(text).expect_err(text);
            (line, cause)
        };
        assert_eq!(refused("a: 1\nb: 2\na: 3\n"), (3, "`a` stands there already, in line 1".to_owned()));
        assert_eq!(refused("x:\n  a: 1\n  a: 2\n"), (3, "`a` stands there already, in line 2".to_owned()));
        assert_eq!(refused("- a\n"), (1, "it is no mapping of keys to values".to_owned()));
        for nothing in ["", " ~", " null", " Null # none"] {
            let text = format!("a: 1\nenv:\n  x:{nothing}\n");
            assert_eq!(refused(&text), (3, "`env.x` has no value".to_owned()));
        }
        assert_eq!(refused("a: [1\nb: 2\n").1.split(':').next(), Some("it is no YAML"));
        assert_eq!(refused("a: 1\n---\nb: 2\n"), (2, "a second document begins".to_owned()));
    }
}
