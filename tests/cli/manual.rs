//! Manual pages: which there are, what stands in them, and that formatters take them without a word.

use std::collections::BTreeSet;
use std::fs;

use crate::scene::{COMMANDS, Outcome, Scene, not_run};

fn names() -> BTreeSet<String> {
    let of_commands = COMMANDS.iter().map(|command| format!("sparkdbg-{command}.1"));
    of_commands.chain(["sparkdbg.1".to_owned()]).collect()
}

/// All pages in `@root/work/man1`.
fn written() -> Scene {
    let scene = Scene::new();
    scene.run(&["man", "--out", "man1"]).expect(Some(0), "").prints("");
    scene
}

#[test]
fn a_page_for_every_command_and_no_other() {
    let scene = written();
    let files = fs::read_dir(scene.path("work/man1")).expect("a directory");
    let files: BTreeSet<String> =
        files.map(|file| file.expect("a file").file_name().into_string().expect("text")).collect();
    assert_eq!(files, names());
    // The same as those that are printed one by one.
    scene.run(&["man"]).expect(Some(0), "").prints(&scene.read("work/man1/sparkdbg.1"));
    for command in COMMANDS {
        let file = scene.read(&format!("work/man1/sparkdbg-{command}.1"));
        scene.run(&["man", command]).expect(Some(0), "").prints(&file);
    }
    // What a page refers to is there.
    let named: BTreeSet<String> = scene
        .read("work/man1/sparkdbg.1")
        .lines()
        .filter_map(|line| Some(format!("{}.1", line.strip_suffix("(1)")?.replace("\\-", "-"))))
        .collect();
    assert_eq!(named.len(), COMMANDS.len());
    assert!(named.is_subset(&names()), "{named:?}");
}

fn formatted<'a>(scene: &'a Scene, program: &str, args: &[&str], page: &str) -> Outcome<'a> {
    scene.run_program(program, &[args, &[&format!("man1/{page}")]].concat())
}

fn is_there(program: &str) -> bool {
    let script = format!("command -v {program}");
    let there = Scene::new().command("sh", &["-c", &script]).output().expect("sh").status.success();
    if !there {
        not_run(&format!("no {program} on this machine: manual pages not formatted with it"));
    }
    there
}

#[test]
fn groff_formats_each_without_a_warning() {
    if !is_there("groff") {
        return;
    }
    let scene = written();
    for page in names() {
        for device in ["-Tascii", "-Tutf8"] {
            let run = formatted(&scene, "groff", &["-man", "-ww", device, "-P-cbou"], &page);
            run.expect(Some(0), "");
            let text = String::from_utf8_lossy(&run.stdout).into_owned();
            let headings: Vec<&str> =
                text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_uppercase())).collect();
            for heading in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS"] {
                assert!(headings.contains(&heading), "{page}: {heading}\n{headings:?}");
            }
        }
    }
}

#[test]
fn mandoc_misses_nothing_but_a_date() {
    if !is_there("mandoc") {
        return;
    }
    let scene = written();
    for page in names() {
        let run = formatted(&scene, "mandoc", &["-Tlint", "-Wwarning"], &page);
        let said = String::from_utf8_lossy(&run.stdout).into_owned();
        let lines: Vec<&str> = said.lines().collect();
        // A date would make two builds of one version differ.
        assert!(matches!(lines.as_slice(), [line] if line.contains("missing date")), "{page}: {said}");
    }
}

#[test]
fn the_text_of_a_page() {
    if !is_there("groff") {
        return;
    }
    let scene = written();
    let run = formatted(&scene, "groff", &["-man", "-Tascii", "-P-cbou", "-rLL=200n"], "sparkdbg-sql.1");
    let text = String::from_utf8_lossy(&run.expect(Some(0), "").stdout).into_owned();
    let section = |name: &str| {
        let lines = text.lines().skip_while(|line| *line != name).skip(1);
        lines.take_while(|line| line.is_empty() || line.starts_with(' ')).map(str::trim).collect::<Vec<_>>().join("\n")
    };
    assert!(text.starts_with("SPARKDBG-SQL(1)"), "{text}");
    assert_eq!(section("NAME").trim(), "sparkdbg-sql - spark-sql: the SQL shell");
    assert_eq!(section("SYNOPSIS").trim(), "sparkdbg sql [OPTIONS] [--] [ARGS]...");
    assert_eq!(section("EXAMPLES").trim(), "sparkdbg sql --no-suspend\nsparkdbg sql -- -e 'select 1'");
    assert_eq!(
        section("EXIT STATUS").trim(),
        "the job's own\nsparkdbg became the script\n\n0      done, where nothing is started\n\n2      the command line is \
         wrong\n\n125    files, environment or ports stand in the way\n\n126    the script cannot be run\n\n127    no Spark \
         or Flink, or no such script in it"
    );
}

/// The rows below `EXIT STATUS`.
fn statuses(page: &str) -> Vec<(String, String)> {
    let section = page.split(".SH \"EXIT STATUS\"\n").nth(1).expect("a section").split(".SH").next().expect("a text");
    let rows = section.split(".TP\n").skip(1).map(|row| {
        let (status, meaning) = row.split_once('\n').expect("two lines");
        (status.replace("\\fI", "").replace("\\fR", ""), meaning.trim().replace("\\-", "-"))
    });
    rows.map(|(status, meaning)| (status.replace("\\*(Aq", "'"), meaning)).collect()
}

#[test]
fn every_page_has_the_exit_statuses_of_its_command() {
    let scene = written();
    for command in COMMANDS {
        let page = scene.read(&format!("work/man1/sparkdbg-{command}.1"));
        let rows = statuses(&page);
        let numbers: Vec<&str> = rows.iter().map(|(status, _)| status.as_str()).collect();
        let expected: &[&str] = match command {
            "doctor" => &["0", "1", "2", "125"],
            "ps" | "ide" => &["0", "2", "125", "127"],
            "env" => &["0", "2", "125", "126", "127"],
            "export" | "shim" | "init" | "profiles" | "completions" | "man" => &["0", "2", "125"],
            _ => &["the job's own", "0", "2", "125", "126", "127"],
        };
        assert_eq!(numbers, expected, "{command}");
    }
    // All of them are in the README as well.
    let table = include_str!("../../README.md").split("## Exit status").nth(1).expect("a section");
    let rows = table.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | ")).skip(2);
    let plain = |text: &str| text.replace('`', "");
    let rows: Vec<(String, String)> = rows.map(|(status, meaning)| (plain(status), plain(meaning))).collect();
    assert_eq!(statuses(&scene.read("work/man1/sparkdbg.1")), rows);
}

#[test]
fn pages_say_the_version_and_no_date() {
    let page = String::from_utf8(Scene::new().run(&["man", "init"]).stdout.clone()).expect("text");
    let title = format!(".TH SPARKDBG-INIT 1 \"\" \"sparkdbg {}\" \"\"", env!("CARGO_PKG_VERSION"));
    assert_eq!(page.lines().nth(2), Some(title.as_str()), "{page}");
    assert!(page.is_ascii());
}

#[test]
fn what_has_no_page() {
    let scene = Scene::new();
    for (command, help) in [
        ("submti", "did you mean `submit`?"),
        ("zzz", &format!("the commands are {}", COMMANDS.join(", "))),
        ("", &format!("the commands are {}", COMMANDS.join(", "))),
    ] {
        let error = format!("error: `{command}` is not a command of sparkdbg\nhelp: {help}\n");
        scene.run(&["man", command]).fails(2, &error);
    }
    scene.run(&["man", "hub"]).fails(2, "error: `sparkdbg hub` is not in this version\n");
    scene.run(&["man", "submit", "--out", "x"]).fails(
        2,
        "error: the argument `[COMMAND]` cannot be used with `--out <DIR>`\n\
         help: sparkdbg --help, or sparkdbg COMMAND --help, shows what is taken\n",
    );
    let scene = Scene::new().file("work/file", "");
    scene.run(&["man", "--out", "file"]).fails(125, "error: `file` is not a directory\n");
}
