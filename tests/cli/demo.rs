//! The recording that the README shows is one of today's program: `docs/demo/record` makes it anew.

use std::collections::HashMap;

use avt::Terminal;
use roxmltree::{Document, Node};
use serde_json::Value;

use crate::scene::Scene;

const CAST: &str = include_str!("../../docs/demo/demo.cast");
const PICTURE: &str = include_str!("../../docs/demo/demo.svg");
const README: &str = include_str!("../../README.md");

const XLINK_HREF: (&str, &str) = ("http://www.w3.org/1999/xlink", "href");

/// The name of the machine that was recorded.
const MACHINE: &str = "edge1";

/// A terminal to which all of the recording was played.
fn played() -> Terminal {
    let mut lines = CAST.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let header = lines.next().expect("a header");
    let size = |name: &str| header[name].as_u64().and_then(|size| size.try_into().ok()).expect("a size");
    let mut terminal = Terminal::new(size("width"), size("height")).expect("a terminal");
    for event in lines.filter(|event| event[1] == "o") {
        terminal.feed(event[2].as_str().expect("output"));
    }
    terminal
}

/// What is on its screen in the end: nothing has scrolled away. A line is whole, however the terminal broke it.
fn recorded() -> Vec<String> {
    played().screen().text()
}

/// The lines of the README's console blocks, with the prompt that jdb has while a job stands.
fn readme() -> Vec<String> {
    let blocks = README.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next());
    let lines = blocks.flat_map(str::lines);
    lines.map(|line| line.strip_prefix("> ").map_or(line.to_owned(), |typed| format!("main[1] {typed}"))).collect()
}

/// What was typed after a prompt.
fn typed(lines: &[String]) -> Vec<&str> {
    let after_prompt = |line: &&String| line.starts_with("$ ") || line.starts_with("main[1] ");
    lines.iter().filter(after_prompt).map(|line| line.trim_end()).filter(|line| *line != "$").collect()
}

#[test]
fn the_commands_of_the_recording_are_the_readmes() {
    let readme = readme();
    let expected = typed(&readme);
    assert_eq!(expected.len(), 6, "{expected:?}");
    assert_eq!(typed(&recorded()), expected);
}

#[test]
fn what_the_readme_shows_was_seen_in_this_order() {
    let recorded = recorded();
    let mut rest = recorded.iter();
    for line in readme() {
        assert!(rest.any(|seen| *seen == line), "{line:?} is not in, or not there in\n{}", recorded.join("\n"));
    }
}

#[test]
fn what_sparkdbg_said_in_the_recording_it_says_today() {
    let recorded = recorded();
    let command = recorded.iter().find_map(|line| line.strip_prefix("$ sparkdbg ")).expect("its command");
    let mut words = shell_words::split(command).expect("balanced quotes");
    // Its port may be taken on the machine of the tests.
    words.insert(0, "--no-preflight".to_owned());
    let said = recorded.iter().filter(|line| line.starts_with("sparkdbg:"));
    let said: String = said.map(|line| line.replace(MACHINE, "@host") + "\n").collect();
    Scene::spark("4.3.0").run(&words).expect(Some(0), &said);
}

#[test]
fn the_picture_is_of_the_recording() {
    let terminal = played();
    let recorded: Vec<String> =
        terminal.screen().visible_lines().map(|line| line.text().trim_end().to_owned()).collect();
    assert_eq!(last_frame(), recorded);
}

/// The rows of text in the last frame of the picture.
fn last_frame() -> Vec<String> {
    let picture = Document::parse(PICTURE).expect("XML");
    let with_id: HashMap<&str, Node> =
        picture.descendants().filter_map(|node| Some((node.attribute("id")?, node))).collect();
    let frame = with_id["screen_view"].last_element_child().expect("a frame");
    let row = |used: Node| {
        let target = used.attribute(XLINK_HREF).expect("a link").trim_start_matches('#');
        let texts = with_id[target].descendants().filter(Node::is_text).filter_map(|node| node.text());
        texts.collect::<String>().trim_end().to_owned()
    };
    // A row's text is drawn once, in whatever frames it is; what else is in a frame is background.
    frame.children().filter(|part| part.has_tag_name("use")).map(row).collect()
}
