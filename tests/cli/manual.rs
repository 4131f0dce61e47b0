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
fn mandoc_finds_no_error_in_any() {
    if !is_there("mandoc") {
        return;
    }
    let scene = written();
    for page in names() {
        // A date, of which it warns, would make two builds of one version differ.
        formatted(&scene, "mandoc", &["-Tlint", "-Wunsupp"], &page).expect(Some(0), "").prints("");
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
        "the job's own\nsparkdbg became the script\n\n2      the command line is wrong\n\n125    files, environment or \
         ports stand in the way\n\n126    the script cannot be run\n\n127    no Spark or Flink, or no such script in it"
    );
    // One that starts nothing has no status of a script.
    let page = scene.read("work/man1/sparkdbg-profiles.1");
    assert!(page.contains(".SH \"EXIT STATUS\"\n.TP\n\\fI0\\fR\ndone\n.TP\n\\fI2\\fR\n"), "{page}");
    assert!(!page.contains("127"), "{page}");
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
        ("zzz", "sparkdbg --help lists the commands"),
        ("", "sparkdbg --help lists the commands"),
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
    scene.run(&["man", "--out", "file"]).fails(125, "error: `file/sparkdbg.1` cannot be written: file exists\n");
}
