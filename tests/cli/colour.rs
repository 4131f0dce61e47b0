//! Colour: on a terminal, never with `NO_COLOR`, and never in what is no help.

use crate::scene::{SPARKDBG, Scene};

/// Runs sparkdbg with a terminal as its standard output, and prints what it wrote there.
const ON_A_TERMINAL: &str = "\
import os, pty, sys
said = b''
def keep(fd):
    global said
    try: part = os.read(fd, 65536)
    except OSError: part = b''
    said += part
    return part
stdout = os.dup(1)
os.dup2(os.open('/dev/null', os.O_WRONLY), 1)
pty.spawn(sys.argv[1:], keep)
os.write(stdout, said)
";

fn on_a_terminal(scene: &Scene, args: &[&str]) -> String {
    let run = scene.run_program("python3", &[&["-c", ON_A_TERMINAL, SPARKDBG], args].concat());
    run.expect(Some(0), "");
    String::from_utf8_lossy(&run.stdout).replace("\r\n", "\n")
}

fn piped(scene: &Scene, args: &[&str]) -> String {
    String::from_utf8(scene.run(args).stdout.clone()).expect("text")
}

#[test]
fn help_is_styled_on_a_terminal_alone() {
    let scene = Scene::new().env("TERM", "xterm");
    for args in [["--help"].as_slice(), &["submit", "--help"], &["help", "ps"], &["init", "-h"]] {
        let plain = piped(&scene, args);
        assert!(plain.contains("Usage: sparkdbg") && !plain.contains('\u{1b}'), "{plain}");
        let styled = on_a_terminal(&scene, args);
        assert!(styled.contains("\u{1b}[1m\u{1b}[4mUsage:\u{1b}[0m"), "{styled:?}");
        assert_eq!(without_styles(&styled), plain);
    }
}

#[test]
fn no_color_and_a_dumb_terminal_have_their_way() {
    for (name, value) in [("NO_COLOR", "1"), ("NO_COLOR", "0"), ("TERM", "dumb"), ("CLICOLOR", "0")] {
        let scene = Scene::new().env("TERM", "xterm").env(name, value);
        assert_eq!(on_a_terminal(&scene, &["--help"]), piped(&scene, &["--help"]), "{name}={value}");
    }
    // Even of one who asks for colour everywhere.
    let scene = Scene::new().env("TERM", "xterm").env("NO_COLOR", "1").env("CLICOLOR_FORCE", "1");
    assert!(!on_a_terminal(&scene, &["--help"]).contains('\u{1b}'));
    let scene = Scene::new().env("CLICOLOR_FORCE", "1");
    assert!(!piped(&scene, &["--help"]).contains('\u{1b}'));
}

/// What others read, by eye or by `grep`.
#[test]
fn all_else_is_plain_on_a_terminal_too() {
    let scene =
        Scene::spark("4.3.0").env("TERM", "xterm").file("work/sparkdbg.toml", "[profile.p]\ndriver = \"attach:1\"\n");
    for args in [
        ["submti"].as_slice(),
        &["--quite"],
        &["submit", "--attach"],
        &["profiles"],
        &["--dry-run", "--no-preflight", "submit", "a"],
        &["--version"],
        &["man", "submit"],
        &["init"],
    ] {
        let said = on_a_terminal(&scene, args);
        assert!(!said.is_empty() && !said.contains('\u{1b}'), "{args:?}: {said:?}");
    }
}

fn without_styles(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.split_once('m').map_or("", |(_, rest)| rest))
}
