//! XML: escaped, and changed in place, so that what the user or the IDE has added to a file stays as it is.

use std::ops::Range;

use roxmltree::{Document, Error, Node};

use crate::error::Failure;

/// An element by its name and the attribute that tells it from its like.
#[derive(Debug, Clone, Copy)]
pub struct Element<'a> {
    /// Its name.
    pub tag: &'a str,
    /// An attribute and its value.
    pub key: Option<(&'a str, &'a str)>,
}

impl Element<'_> {
    /// As it is written, without the angle brackets.
    fn shown(&self) -> String {
        let key = self.key.map(|(name, value)| format!(" {name}=\"{}\"", escaped(value))).unwrap_or_default();
        format!("{}{key}", self.tag)
    }
}

/// One attribute as it shall be.
pub struct Setting<'a> {
    /// The way to the element, from below the root; where the last is missing, it is added.
    pub element: Vec<Element<'a>>,
    /// The attribute.
    pub attribute: &'a str,
    /// Its value, not escaped.
    pub value: String,
    /// Where an element is missing, nothing is added.
    pub optional: bool,
}

/// For a value between double quotes.
pub fn escaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for c in value.chars() {
        match c {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '"' => text.push_str("&quot;"),
            c => text.push(c),
        }
    }
    text
}

/// The document of a file of ours.
///
/// # Errors
/// It is no XML.
pub fn parsed<'a>(path: &str, text: &'a str) -> Result<Document<'a>, Failure> {
    Document::parse(text).map_err(|error| {
        if matches!(error, Error::UnexpectedEndOfStream | Error::UnclosedRootNode | Error::NoRootNode) {
            return Failure::world(format!("`{path}` cannot be read: it ends too early")).help("mend it, or remove it");
        }
        let at = error.pos();
        let cause = error.to_string();
        // The place is said before it.
        let cause = cause.split(" at ").next().unwrap_or(&cause);
        Failure::world(format!("`{path}` cannot be read: line {}, column {}: {cause}", at.row, at.col))
            .help("mend it, or remove it")
    })
}

/// The text with these settings and otherwise byte for byte as it is.
///
/// # Errors
/// It is no XML, has not the elements in which the settings stand, or has one of them twice.
pub fn set(path: &str, text: &str, settings: &[Setting<'_>]) -> Result<String, Failure> {
    let document = parsed(path, text)?;
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for setting in settings {
        let edit = edit(&document, text, setting)
            .map_err(|why| Failure::world(format!("`{path}` {why}")).help("remove it: it will be written anew"))?;
        edits.extend(edit);
    }
    // From the end, so that the places before stay right.
    edits.sort_by_key(|(range, _)| range.start);
    let mut changed = text.to_owned();
    for (range, new) in edits.into_iter().rev() {
        changed.replace_range(range, &new);
    }
    Ok(changed)
}

/// What makes the setting true; `Err`: what is wrong with the file.
fn edit(document: &Document<'_>, text: &str, setting: &Setting<'_>) -> Result<Option<(Range<usize>, String)>, String> {
    let Setting { element, attribute, value, optional } = setting;
    let Some((last, outer)) = element.split_last() else { return Ok(None) };
    let mut parent = document.root_element();
    for place in outer {
        parent = match child(parent, place)? {
            Some(node) => node,
            None if *optional => return Ok(None),
            None => return Err(format!("has no `{}`", place.shown())),
        };
    }
    let value = escaped(value);
    match child(parent, last)? {
        Some(node) => Ok(match node.attribute_node(*attribute) {
            Some(there) if escaped(there.value()) == value => None,
            Some(there) => Some((there.range_value(), value)),
            None => {
                let at = node.range().start + 1 + last.tag.len();
                Some((at..at, format!(" {attribute}=\"{value}\"")))
            }
        }),
        None if *optional => Ok(None),
        None => {
            // Before its first sibling, behind which is what parts them.
            let first = parent.first_element_child().ok_or_else(|| format!("has no `{}`", last.shown()))?;
            let at = first.range().start;
            let gap = &text[text[..at].trim_end().len()..at];
            Ok(Some((at..at, format!("<{} {attribute}=\"{value}\" />{gap}", last.shown()))))
        }
    }
}

/// The one element; `Err`: there are two, and which of them counts is for the IDE to know.
fn child<'a, 'i>(parent: Node<'a, 'i>, wanted: &Element<'_>) -> Result<Option<Node<'a, 'i>>, String> {
    let has_key = |node: &Node<'_, '_>| wanted.key.is_none_or(|(name, value)| node.attribute(name) == Some(value));
    let mut found = parent.children().filter(|node| node.has_tag_name(wanted.tag) && has_key(node));
    let first = found.next();
    if found.next().is_some() { Err(format!("has `{}` twice", wanted.shown())) } else { Ok(first) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "<a>\r\n  <!-- mine -->\n  <o name=\"x\" value='1'/>\n  <o name=\"y\"/>\n</a>";

    fn setting(name: &'static str, value: &str) -> Setting<'static> {
        let element = vec![Element { tag: "o", key: Some(("name", name)) }];
        Setting { element, attribute: "value", value: value.to_owned(), optional: false }
    }

    #[test]
    fn what_differs_is_changed_and_nothing_else() {
        assert_eq!(set("f", FILE, &[setting("x", "1")]).unwrap(), FILE);
        assert_eq!(
            set("f", FILE, &[setting("z", "3"), setting("y", "<&\""), setting("x", "2")]).unwrap(),
            "<a>\r\n  <!-- mine -->\n  <o name=\"z\" value=\"3\" />\n  <o name=\"x\" value='2'/>\n  <o \
             value=\"&lt;&amp;&quot;\" name=\"y\"/>\n</a>"
        );
        assert_eq!(set("f", "<a><o/></a>", &[setting("z", "3")]).unwrap(), "<a><o name=\"z\" value=\"3\" /><o/></a>");
        let optional = Setting { optional: true, ..setting("z", "3") };
        assert_eq!(set("f", FILE, &[optional]).unwrap(), FILE);
    }

    #[test]
    fn what_cannot_be_changed_is_said() {
        let inner = Element { tag: "o", key: None };
        let outer = Element { tag: "map", key: None };
        let lost = Setting { element: vec![outer, inner], attribute: "value", value: String::new(), optional: false };
        let anew = "help: remove it: it will be written anew";
        let mend = "help: mend it, or remove it";
        let fails = |text: &str, setting: Setting<'_>, error: String| {
            assert_eq!(set("f.xml", text, &[setting]).unwrap_err().to_string(), error, "{text}");
        };
        fails(FILE, lost, format!("error: `f.xml` has no `map`\n{anew}"));
        fails("<a></a>", setting("x", "1"), format!("error: `f.xml` has no `o name=\"x\"`\n{anew}"));
        let twice = "<a><o name=\"x\"/><o name=\"x\"/></a>";
        fails(twice, setting("x", "1"), format!("error: `f.xml` has `o name=\"x\"` twice\n{anew}"));
        let wrong_end = "line 3, column 1: expected 'b' tag, not 'a'";
        fails("<a>\n  <b>\n</a>", setting("x", "1"), format!("error: `f.xml` cannot be read: {wrong_end}\n{mend}"));
        for cut in ["", "<a", "<a>\n  <b>", "<a>\n  <o name=\"x"] {
            fails(cut, setting("x", "1"), format!("error: `f.xml` cannot be read: it ends too early\n{mend}"));
        }
    }
}
