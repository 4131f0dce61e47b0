//! Completions, asked for in the shells themselves.

use crate::scene::{COMMANDS, SPARKDBG, Scene, not_run};

/// A shell on a terminal: its lines are typed, with their tabs, and what each of them says is printed.
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
    os.write(1, said[said.rfind(b'GOT['):].split(b']DONE')[0] + b'\\n')
os.close(fd)
os.kill(pid, 9)
os.waitpid(pid, 0)
";

/// In place of sparkdbg: tells with which words it is called.
const STAND_IN: &str = "sparkdbg() { local IFS='|'; echo \"GOT[$*]DO\"\"NE\"; }";

/// The words that a shell makes of each line when its tabs are typed.
#[track_caller]
fn words(scene: &Scene, shell: &[&str], start: &str, lines: &[&str]) -> Vec<String> {
    let script = format!("{start}; echo 'GOT[]DO''NE'\u{1e}{}", lines.join("\u{1e}"));
    let run = scene.run_program("python3", &[&["-c", TYPED, &script], shell].concat());
    run.expect(Some(0), "");
    let said = String::from_utf8_lossy(&run.stdout).into_owned();
    said.lines().skip(1).map(|line| line.trim_start_matches("GOT[").to_owned()).collect()
}

/// Lines with a tab, and the words that they become.
const LINES: [(&str, &str); 25] = [
    ("sparkdbg sub\t", "submit"),
    ("sparkdbg submit --exe\t", "--executor"),
    ("sparkdbg -p x history\t", "history-server"),
    ("sparkdbg submit --existing ke\t", "--existing|keep"),
    ("sparkdbg man wor\t", "man|worker"),
    ("sparkdbg completions z\t", "completions|zsh"),
    // Not offered: `submit` has no daemon, and only says so.
    ("sparkdbg submit --daem\t", "submit|--daem"),
    // ARGS begin with `--`, and with the first word that is no option: then files.
    ("sparkdbg submit -- app\t", "submit|--|app.jar"),
    ("sparkdbg submit app\t", "submit|app.jar"),
    ("sparkdbg submit app.jar oth\t", "app.jar|other.jar"),
    ("sparkdbg submit app.jar --exe\t", "app.jar|--exe"),
    ("sparkdbg submit -- --exe\t", "--|--exe"),
    // A value that may be left out stands behind `=`.
    ("sparkdbg submit --dry-run=j\t", "--dry-run=json"),
    ("sparkdbg submit --dry-run app\t", "--dry-run|app.jar"),
    ("sparkdbg submit --driver=at\t5010", "--driver=attach:5010"),
    ("sparkdbg submit --driver=attach:50\t", "--driver=attach:50"),
    ("sparkdbg ide jdb --from-ps=app\t", "jdb|--from-ps=app"),
    ("sparkdbg doctor --for wor\t", "--for|worker"),
    ("sparkdbg doctor --for prof\t", "--for|prof"),
    ("sparkdbg shim install sub\tx", "install|subdir/x"),
    ("sparkdbg shim install x spark-sq\t", "x|spark-sql"),
    ("sparkdbg -p lap\t", "-p|laptop"),
    ("sparkdbg --config=tea\t", "--config=team.toml"),
    ("sparkdbg --config team.toml -p bl\t", "-p|blue"),
    ("sparkdbg --config=team.toml --profile=bl\t", "--profile=blue"),
];

/// `echo` of a line as it comes out of the stand-in: the last words are those of the table.
#[track_caller]
fn completes(scene: &Scene, shell: &[&str], start: &str) {
    let mut open: Vec<(&str, &str)> = LINES.to_vec();
    let mut became = Vec::new();
    // On a busy machine who types may be faster than the shell, so that one try proves nothing.
    for _ in 0..3 {
        let typed: Vec<&str> = open.iter().map(|(line, _)| *line).collect();
        became = words(scene, shell, start, &typed);
        assert_eq!(became.len(), open.len(), "{}: {became:?}", shell[0]);
        let is_expected = |((_, expected), words): (&(_, &str), &String)| {
            words.ends_with(&format!("|{expected}")) || words == expected
        };
        let wrong = open.iter().zip(&became).filter(|pair| !is_expected(*pair));
        (open, became) = wrong.map(|(line, words)| (*line, words.clone())).unzip();
        if open.is_empty() {
            return;
        }
    }
    panic!("{}: {open:?} became {became:?}", shell[0]);
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
    Scene::new()
        .env("TERM", "dumb")
        .link("bin/sparkdbg", SPARKDBG)
        .env("PATH", "@root/bin:/usr/bin:/bin")
        .file("work/app.jar", "")
        .file("work/other.jar", "")
        .file("work/subdir/x", "")
        .file("work/sparkdbg.toml", "[profile.laptop]\n")
        .file("work/team.toml", "[profile.blue]\n")
}

#[test]
fn bash_completes() {
    completes(
        &scene(),
        &["bash", "--norc", "--noprofile", "-i"],
        &format!("eval \"$(sparkdbg completions bash)\"; {STAND_IN}"),
    );
}

/// As on macOS, whose bash is too old to have `compopt`: nothing is said into the prompt.
#[test]
fn bash_completes_without_compopt() {
    let scene = scene();
    let start = format!("exec 2>said; enable -n compopt; eval \"$(sparkdbg completions bash)\"; {STAND_IN}; set -u");
    let lines = ["sparkdbg submit --existing ke\t", "sparkdbg submit oth\t", "sparkdbg shim install sub\tx"];
    let said = words(&scene, &["bash", "--norc", "--noprofile", "-i"], &start, &lines);
    assert_eq!(said, ["submit|--existing|keep", "submit|other.jar", "shim|install|subdir/x"]);
    assert!(!scene.read("work/said").contains("compopt"), "{}", scene.read("work/said"));
}

/// What is offered for the last of the words, with the kind of the offer in front.
#[track_caller]
fn offered(words: &[&str]) -> Vec<String> {
    let scene = scene();
    let run = scene.run(&[&["completions", "bash", "--", "sparkdbg"], words].concat());
    run.expect(Some(0), "");
    String::from_utf8_lossy(&run.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn what_is_taken_is_offered_and_no_more() {
    let launching = &COMMANDS[..17];
    for (words, expected) in [
        (["sub"].as_slice(), ["words", "submit"].as_slice()),
        (&[""], &[&["words"], COMMANDS.as_slice()].concat()),
        (&["man", ""], &[&["words"], COMMANDS.as_slice()].concat()),
        (&["doctor", "--for", ""], &[&["words"], launching].concat()),
        (&["submit", "--d"], &["words", "--driver", "--dry-run"]),
        (&["submit", ""], &["files"]),
        (&["submit", "app.jar", "--d"], &["files"]),
        (&["submit", "--driver", ""], &["files"]),
        (&["submit", "--driver", "--", "--d"], &["files"]),
        (&["submit", "--driver="], &["starts", "--driver=attach:", "--driver=listen:"]),
        (&["submit", "--driver=l"], &["starts", "--driver=listen:"]),
        (&["submit", "--dry-run="], &["words", "--dry-run=text", "--dry-run=json"]),
        (&["submit", "--existing", ""], &["words", "replace", "keep", "fail"]),
        (&["submit", "--attach", ""], &["words"]),
        (&["submit", "--zzz", ""], &["words"]),
        (&["ps", "--exec"], &["words"]),
        (&["ps", "--watch="], &["words"]),
        (&["ide", ""], &["words", "intellij", "vscode", "eclipse", "nvim-dap", "jdb"]),
        (&["ide", "jdb", ""], &["words"]),
        (&["ide", "jdb", "--from-ps="], &["words"]),
        (&["shim", ""], &["words", "install", "remove", "list"]),
        (&["shim", "install", ""], &["directories"]),
        (&["shim", "install", "x", "flink", "spark-sh"], &["words", "spark-shell"]),
        (&["shim", "list", ""], &["words"]),
        (&["export", "--current="], &["files"]),
        (&["man", "--out", ""], &["directories"]),
        (&["--spark-home="], &["directories"]),
        (&["-qp", ""], &["words", "laptop"]),
        (&["-p", "x", "submit", "-p"], &["words", "-p"]),
        (&["--config", "team.toml", "submit", "--profile="], &["words", "--profile=blue"]),
        (&["--config", "none.toml", "-p", ""], &["words"]),
        (&["zzz", ""], &["words"]),
        (&["completions", "bash", ""], &["words"]),
    ] {
        assert_eq!(offered(words), expected, "{words:?}");
    }
}

/// As each shell takes it.
#[test]
fn an_offer_has_its_meanings_where_the_shell_shows_them() {
    for (shell, expected) in [
        ("bash", "starts\n--client=attach:\n"),
        ("zsh", "starts\n--client=attach\\::the JVM listens there\n"),
        ("fish", "starts\n--client=attach:\tthe JVM listens there\n"),
    ] {
        let words = ["completions", shell, "--", "sparkdbg", "flink", "--client=at"];
        scene().run(&words).expect(Some(0), "").prints(expected);
    }
}

/// The name of a profile, or of its directory, would reach the terminal as it is.
#[test]
fn no_shell_is_given_a_control_character() {
    let scene =
        Scene::new().file("work/sparkdbg.toml", "[profile.\"a b\"]\n[profile.\"x\\u001b[31m\"]\n[profile.\"y\\tz\"]\n");
    scene.run(&["completions", "bash", "--", "sparkdbg", "-p", ""]).expect(Some(0), "").prints("words\na b\n");
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
        let mut offered = offered(&[command, "--"]).split_off(1);
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
    // As it stands in a `.zshrc`.
    let start = format!("autoload -Uz compinit; compinit -u -D; eval \"$(sparkdbg completions zsh)\"; {STAND_IN}");
    let said = words(&scene, &["zsh", "-f", "-i"], &start, &["sparkdbg submit app.jar oth\t"]);
    assert_eq!(said, ["submit|app.jar|other.jar"]);
    let early = scene.run_program("zsh", &["-f", "-c", "eval \"$(sparkdbg completions zsh)\""]);
    early.expect(Some(0), "sparkdbg: zsh completes nothing yet; in front of this: autoload -Uz compinit && compinit\n");
}

#[test]
fn fish_offers() {
    if !is_there("fish") {
        return;
    }
    let scene = scene();
    let ask = |line: &str| {
        let script = format!("sparkdbg completions fish | source; complete -C '{line}'");
        let run = scene.run_program("fish", &["--no-config", "-c", &script]);
        run.expect(Some(0), "");
        let text = String::from_utf8_lossy(&run.stdout).into_owned();
        text.lines().map(|line| line.split('\t').next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    for (line, expected) in LINES {
        let (typed, _) = line.split_once('\t').expect("a tab");
        let last = typed.rsplit(' ').next().expect("a word");
        let becomes = match ask(typed).as_slice() {
            [] => last.to_owned(),
            [one] => one.clone(),
            several => several.join(" "),
        };
        let end = line.rsplit('\t').next().expect("what is typed behind it");
        assert_eq!(format!("{becomes}{end}"), expected.rsplit('|').next().expect("a word"), "{line:?}");
    }
    assert_eq!(ask("sparkdbg submit --d"), ["--driver", "--dry-run"]);
    assert_eq!(ask("sparkdbg submit "), ["app.jar", "other.jar", "sparkdbg.toml", "subdir/", "team.toml"]);
    assert_eq!(ask("sparkdbg shim install "), ["subdir/"]);
}

#[test]
fn for_another_shell_there_are_none() {
    let scene = Scene::new();
    scene
        .run(&["completions", "tcsh"])
        .fails(2, "error: invalid value `tcsh` for `<SHELL>`\nhelp: it takes bash or zsh or fish\n");
    scene.run(&["completions"]).fails(2, "error: `<SHELL>` is missing\nhelp: it takes bash or zsh or fish\n");
}
