//! Completions, asked for in the shells themselves.

use crate::scene::{COMMANDS, SPARKDBG, Scene, not_run};

/// A shell on a terminal: its lines are typed, with their tabs, and what the last command says is printed.
const TYPED: &str = "\
import os, pty, select, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
said = b''
def read(until, limit):
    global said
    end = time.time() + limit
    while until not in said and time.time() < end:
        if not settled(0.1): break
def settled(quiet):
    global said
    while select.select([fd], [], [], quiet)[0]:
        try: said += os.read(fd, 65536)
        except OSError: return False
    return True
for line in sys.argv[1].split('\\x1e'):
    said = b''
    os.write(fd, line.encode())
    # A shell that completes has to be done before the line ends.
    settled(0.7)
    said = b''
    os.write(fd, b'\\r')
    read(b']DONE', 20)
os.write(1, said[said.rfind(b'GOT['):].split(b']DONE')[0])
os.close(fd)
os.kill(pid, 9)
os.waitpid(pid, 0)
";

/// In place of sparkdbg: tells with which words it is called.
const STAND_IN: &str = "sparkdbg() { local IFS='|'; echo \"GOT[$*]DO\"\"NE\"; }";

/// The words that a shell makes of a line when its tabs are typed.
#[track_caller]
fn words(scene: &Scene, shell: &[&str], start: &str, line: &str) -> String {
    let script = format!("{start}; echo ']DO''NE'\u{1e}{line}");
    let run = scene.run_program("python3", &[&["-c", TYPED, &script], shell].concat());
    run.expect(Some(0), "");
    String::from_utf8_lossy(&run.stdout).trim_start_matches("GOT[").to_owned()
}

/// Lines with a tab, and the words that they become.
const LINES: [(&str, &str); 8] = [
    ("sparkdbg sub\t", "submit"),
    ("sparkdbg submit --exe\t", "--executor"),
    ("sparkdbg -p x history\t", "history-server"),
    ("sparkdbg submit --existing ke\t", "--existing|keep"),
    ("sparkdbg man wor\t", "man|worker"),
    ("sparkdbg completions z\t", "completions|zsh"),
    // Not offered: `submit` has no daemon, and only says so.
    ("sparkdbg submit --daem\t", "submit|--daem"),
    ("sparkdbg submit -- app\t", "submit|--|app.jar"),
];

/// `echo` of a line as it comes out of the stand-in: the last words are those of the table.
#[track_caller]
fn completes(scene: &Scene, shell: &[&str], start: &str) {
    for (line, expected) in LINES {
        let is_expected = |words: &str| words == expected || words.ends_with(&format!("|{expected}"));
        // On a busy machine who types may be faster than the shell, so that one try proves nothing.
        let mut tries = Vec::new();
        while tries.len() < 3 && !tries.last().is_some_and(|words: &String| is_expected(words)) {
            tries.push(words(scene, shell, start, line));
        }
        let last = tries.last().map(String::as_str).unwrap_or_default();
        assert!(is_expected(last), "{}: {line:?} became {tries:?}, not {expected:?}", shell[0]);
    }
}

/// `shell` is on the machine that runs the tests.
fn is_there(shell: &str) -> bool {
    let there =
        Scene::new().command("sh", &["-c", &format!("command -v {shell}")]).output().expect("sh").status.success();
    if !there {
        not_run(&format!("no {shell} on this machine: its completions not tried"));
    }
    there
}

fn scene() -> Scene {
    Scene::new().env("TERM", "dumb").file("work/app.jar", "").file("work/other.jar", "")
}

#[test]
fn bash_completes() {
    let start = format!("source <({SPARKDBG} completions bash); {STAND_IN}");
    completes(&scene(), &["bash", "--norc", "--noprofile", "-i"], &start);
}

/// All that bash would show for a line, one a line.
#[track_caller]
fn offered(words: &[&str]) -> Vec<String> {
    let script = format!(
        "source <({SPARKDBG} completions bash) || exit; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); \
         ${{F:-$(complete -p sparkdbg | sed 's/.*-F \\([^ ]*\\) .*/\\1/')}} sparkdbg \"${{@: -1}}\" \"${{@: -2:1}}\" \
         2>/dev/null; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    );
    let scene = scene();
    let run = scene.run_program("bash", &[&["-c", &script, "bash", "sparkdbg"], words].concat());
    run.expect(Some(0), "");
    String::from_utf8_lossy(&run.stdout).lines().map(str::to_owned).filter(|line| !line.is_empty()).collect()
}

#[test]
fn bash_offers_what_is_taken_and_no_more() {
    assert_eq!(offered(&["sub"]), ["submit"]);
    assert_eq!(offered(&["submit", "--d"]), ["--driver", "--dry-run"]);
    assert_eq!(offered(&["flink", "--"]).iter().filter(|word| *word == "--driver").count(), 0);
    assert_eq!(offered(&["ps", "--exec"]), [""; 0]);
    assert_eq!(offered(&["submit", "--dry-run", "=", "j"]), ["json"]);
    assert_eq!(offered(&["submit", "--existing", ""]), ["replace", "keep", "fail"]);
    assert_eq!(offered(&["submit", "--", ""]), [""; 0]);
    let commands = offered(&[""]);
    for unbuilt in ["hub", "help"] {
        assert!(!commands.iter().any(|word| word == unbuilt), "{commands:?}");
    }
    let without_options: Vec<&String> = commands.iter().filter(|word| !word.starts_with('-')).collect();
    assert_eq!(without_options, COMMANDS);
}

/// Every option that is offered is one that the help shows, and the other way round.
#[test]
fn what_is_offered_is_what_the_help_shows() {
    let scene = scene();
    for command in ["submit", "worker", "master", "flink", "class", "ps", "export", "ide", "init", "profiles", "man"] {
        let help = String::from_utf8(scene.run(&[command, "--help"]).stdout.clone()).expect("text");
        let long = |line: &str| {
            let word = line.split_whitespace().find(|word| word.starts_with("--"))?;
            Some(word.split(['[', '=', ',']).next()?.to_owned())
        };
        let options = help.lines().filter(|line| line.trim_start().starts_with('-') && line.starts_with("  "));
        let mut shown: Vec<String> = options.filter(|line| !line.contains("  - ")).filter_map(long).collect();
        let mut offered = offered(&[command, "--"]);
        shown.sort();
        offered.sort();
        assert_eq!(offered, shown, "{command}\n{help}");
    }
}

#[test]
fn zsh_completes() {
    if !is_there("zsh") {
        return;
    }
    let scene = scene();
    let text = scene.run(&["completions", "zsh"]).stdout.clone();
    let scene = scene.file("functions/_sparkdbg", text);
    let start =
        scene.fill(&format!("fpath=(@root/functions $fpath); autoload -Uz compinit; compinit -u -D; {STAND_IN}"));
    completes(&scene, &["zsh", "-f", "-i"], &start);
}

#[test]
fn fish_offers() {
    if !is_there("fish") {
        return;
    }
    let scene = scene();
    let ask = |line: &str| {
        let script = format!("{SPARKDBG} completions fish | source; complete -C '{line}'");
        let run = scene.run_program("fish", &["--no-config", "-c", &script]);
        assert_eq!(run.status.code(), Some(0), "{run}");
        let text = String::from_utf8_lossy(&run.stdout).into_owned();
        text.lines().map(|line| line.split('\t').next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ask("sparkdbg sub"), ["submit"]);
    assert_eq!(ask("sparkdbg submit --d"), ["--driver", "--dry-run"]);
    assert_eq!(ask("sparkdbg submit --daem"), [""; 0]);
    assert_eq!(ask("sparkdbg -p x history"), ["history-server"]);
    assert_eq!(ask("sparkdbg submit --existing k"), ["keep"]);
    assert_eq!(ask("sparkdbg submit --dry-run=j"), ["--dry-run=json"]);
    assert_eq!(ask("sparkdbg submit -- app"), ["app.jar"]);
    assert_eq!(ask("sparkdbg completions z"), ["zsh"]);
}

#[test]
fn for_another_shell_there_are_none() {
    let scene = Scene::new();
    scene
        .run(&["completions", "tcsh"])
        .fails(2, "error: invalid value `tcsh` for `<SHELL>`\nhelp: it takes bash or zsh or fish\n");
    scene.run(&["completions"]).fails(2, "error: `<SHELL>` is missing\nhelp: it takes bash or zsh or fish\n");
}
