//! XML: escaped, and changed in place, so that what the user or the IDE has added to a file stays as it is.

use std::ops::Range;

use roxmltree::{Document, Node};

use crate::error::Failure;

/// An element by its name and the attribute that tells it from its like.
#[derive(Debug, Clone, Copy)]
pub struct Element<'a> {
    /// Its name.
    pub tag: &'a str,
    /// An attribute and its value.
    pub key: Option<(&'a str, &'a str)>,
}

/// One attribute as it shall be.
pub struct Setting<'a> {
    /// The way to the element, from below the root; where the last is missing, it is added.
    pub element: Vec<Element<'a>>,
    /// The attribute.
    pub attribute: &'a str,
    /// Its value, not escaped.
    pub value: String,
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
/// It is no XML, or has not the elements in which the settings stand.
pub fn set(path: &str, text: &str, settings: &[Setting<'_>]) -> Result<String, Failure> {
    let document = parsed(path, text)?;
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for setting in settings {
        let edit = edit(&document, text, setting).map_err(|missing| {
            Failure::world(format!("`{path}` has no `{missing}`")).help("remove it: it will be written anew")
        })?;
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

/// What makes the setting true; `Err`: the element that is missing.
fn edit(
    document: &Document<'_>,
    text: &str,
    Setting { element, attribute, value }: &Setting<'_>,
) -> Result<Option<(Range<usize>, String)>, String> {
    let Some((last, outer)) = element.split_last() else { return Ok(None) };
    let mut parent = document.root_element();
    for place in outer {
        parent = child(parent, place).ok_or_else(|| place.tag.to_owned())?;
    }
    let value = escaped(value);
    let Some(node) = child(parent, last) else {
        let key = last.key.map(|(name, value)| format!(" {name}=\"{}\"", escaped(value))).unwrap_or_default();
        let at = line_of_end(parent, text).ok_or_else(|| last.tag.to_owned())?;
        let first = parent.first_element_child().ok_or_else(|| last.tag.to_owned())?.range().start;
        let indent = &text[text[..first].rfind('\n').map_or(0, |newline| newline + 1)..first];
        return Ok(Some((at..at, format!("{indent}<{}{key} {attribute}=\"{value}\" />\n", last.tag))));
    };
    match node.attribute_node(*attribute) {
        Some(there) if escaped(there.value()) == value => Ok(None),
        Some(there) => Ok(Some((there.range_value(), value))),
        None => {
            let at = node.range().start + 1 + last.tag.len();
            Ok(Some((at..at, format!(" {attribute}=\"{value}\""))))
        }
    }
}

fn child<'a, 'i>(parent: Node<'a, 'i>, wanted: &Element<'_>) -> Option<Node<'a, 'i>> {
    let has_key = |node: &Node<'_, '_>| wanted.key.is_none_or(|(name, value)| node.attribute(name) == Some(value));
    parent.children().find(|node| node.has_tag_name(wanted.tag) && has_key(node))
}

/// The start of the line on which the element ends, if nothing else stands there.
fn line_of_end(node: Node<'_, '_>, text: &str) -> Option<usize> {
    let end = text[..node.range().end].rfind("</")?;
    let start = text[..end].rfind('\n')? + 1;
    text[start..end].trim().is_empty().then_some(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "<a>\r\n  <!-- mine -->\n  <o name=\"x\" value='1'/>\n  <o name=\"y\"/>\n</a>";

    fn setting(name: &'static str, value: &str) -> Setting<'static> {
        let element = vec![Element { tag: "o", key: Some(("name", name)) }];
        Setting { element, attribute: "value", value: value.to_owned() }
    }

    #[test]
    fn what_differs_is_changed_and_nothing_else() {
        assert_eq!(set("f", FILE, &[setting("x", "1")]).unwrap(), FILE);
        assert_eq!(
            set("f", FILE, &[setting("z", "3"), setting("y", "<&\""), setting("x", "2")]).unwrap(),
            "<a>\r\n  <!-- mine -->\n  <o name=\"x\" value='2'/>\n  <o value=\"&lt;&amp;&quot;\" name=\"y\"/>\n  \
             <o name=\"z\" value=\"3\" />\n</a>"
        );
    }

    #[test]
    fn what_cannot_be_changed_is_said() {
        let inner = Element { tag: "o", key: None };
        let outer = Element { tag: "map", key: None };
        let lost = Setting { element: vec![outer, inner], attribute: "value", value: String::new() };
        let failure = set("f.xml", FILE, &[lost]).unwrap_err();
        assert_eq!(failure.to_string(), "error: `f.xml` has no `map`\nhelp: remove it: it will be written anew");
        let failure = set("f.xml", "<a>\n  <b>\n</a>", &[]).unwrap_err();
        assert_eq!(
            failure.to_string(),
            "error: `f.xml` cannot be read: line 3, column 1: expected 'b' tag, not 'a'\nhelp: mend it, or remove it"
        );
    }
}
