//! Every example of every `--help` is a command that sparkdbg takes.

use crate::scene::{Outcome, SPARKDBG, Scene};

/// Commands that start no script.
const OTHERS: [&str; 10] = ["ps", "export", "ide", "doctor", "env", "shim", "init", "profiles", "completions", "man"];

/// The lines below `Examples:` of a command's help; the name is empty for sparkdbg's own.
fn examples(command: &str) -> Vec<String> {
    let args: Vec<&str> = [command, "--help"].into_iter().filter(|word| !word.is_empty()).collect();
    let help = String::from_utf8(Scene::new().run(&args).stdout.clone()).expect("text");
    let help = help.replace("\\\n", "");
    let lines = help.lines().skip_while(|line| *line != "Examples:").skip(1);
    lines.take_while(|line| !line.is_empty()).map(|line| line.trim().to_owned()).collect()
}

fn commands() -> Vec<String> {
    let help = String::from_utf8(Scene::new().run(&["--help"]).stdout.clone()).expect("text");
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = lines.map_while(|line| line.strip_prefix("  "));
    // What a line has no room for goes on below it.
    let names = lines.filter(|line| !line.starts_with(' ')).filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

fn scene() -> Scene {
    let scene = Scene::spark("4.3.0")
        .stand_in("bin/python")
        .stand_in("java/bin/java")
        .env("PATH", "@root/bin:/usr/bin:/bin")
        .env("FLINK_HOME", "@root/flink")
        .link("bin/sparkdbg", SPARKDBG)
        .file("spark/python/pyspark/pipelines/cli.py", "")
        .file("flink/lib/flink-dist-2.1.0.jar", "")
        .file("flink/conf/config.yaml", "jobmanager:\n  rpc:\n    address: localhost\n")
        .file("work/config.json", r#"{"Cluster": {"InstanceGroups": [{"Id": "ig-1ABC", "Configurations": []}]}}"#)
        .file("work/sparkdbg.json", "[]");
    let scripts = ["flink", "taskmanager.sh", "start-cluster.sh", "jobmanager.sh", "config.sh"];
    let scene = scripts.iter().fold(scene, |scene, script| scene.stand_in(&format!("flink/bin/{script}")));
    ["pipelines", "beeline"].into_iter().fold(scene, |scene, script| {
        let name = if script == "pipelines" { "spark-pipelines" } else { script };
        scene.stand_in(&format!("spark/bin/{name}"))
    })
}

#[test]
fn every_command_has_examples_of_its_own() {
    let commands = commands();
    assert_eq!(commands.len(), 27, "{commands:?}");
    for command in commands {
        let examples = examples(&command);
        assert!(!examples.is_empty(), "{command}");
        // One may be the script that a link of ours is for.
        for line in examples.iter().filter(|line| !line.ends_with("./nightly.sh")) {
            let mut words = line.split(|c: char| c.is_whitespace() || "\"$()".contains(c));
            assert!(words.any(|word| word == "sparkdbg") && words.any(|word| word == command), "{command}: {line}");
        }
    }
}

/// What would be broken could not be pasted.
#[test]
fn help_fits_its_terminal_and_breaks_no_example() {
    for command in commands().iter().map(String::as_str).chain([""]) {
        let args: Vec<&str> = [command, "--help"].into_iter().filter(|word| !word.is_empty()).collect();
        let help = |columns: &str| {
            let scene = Scene::new().env("COLUMNS", columns);
            String::from_utf8(scene.run(&args).stdout.clone()).expect("text")
        };
        let (wide, narrow) = (help("300"), help("80"));
        for (text, columns) in [(&wide, 100), (&narrow, 80)] {
            let too_long: Vec<&str> = text.lines().filter(|line| line.chars().count() > columns).collect();
            assert_eq!(too_long, [""; 0], "{command}");
        }
        let examples =
            |help: &str| help.split("Examples:\n").nth(1).map(|rest| rest.split("\n\n").next().map(str::to_owned));
        assert_eq!(examples(&narrow), examples(&wide), "{command}");
    }
}

#[test]
fn every_example_that_starts_a_script_makes_a_plan() {
    let mut tried = 0;
    for command in commands().iter().map(String::as_str).chain([""]).filter(|name| !OTHERS.contains(name)) {
        for line in examples(command) {
            let scene = scene();
            let mut words = shell_words::split(line.strip_prefix("sparkdbg ").expect("ours")).expect("balanced quotes");
            words.retain(|word| word != "--dry-run");
            words.splice(0..0, ["--dry-run=json", "--no-preflight"].map(str::to_owned));
            let outcome = scene.run(&words);
            assert_eq!(outcome.status.code(), Some(0), "{line}\n{outcome}");
            let plan: serde_json::Value = serde_json::from_slice(&outcome.stdout).expect("JSON");
            let named = plan["endpoints"].as_array().expect("a list");
            let roles: Vec<&str> = named.iter().filter_map(|endpoint| endpoint["role"].as_str()).collect();
            assert!(!roles.is_empty(), "{line}\n{outcome}");
            for role in ["driver", "executor", "daemon", "client", "jobmanager", "taskmanager"] {
                let is_typed = words.iter().any(|word| word.split('=').next() == Some(&format!("--{role}")));
                assert!(!is_typed || roles.contains(&role), "{line}: {role}\n{outcome}");
            }
            tried += 1;
        }
    }
    assert!(tried >= 30, "{tried}");
}

/// As typed, by a shell: some have a pipe or a file behind them.
#[test]
fn every_other_example_runs() {
    // Those of `env` and `shim` are for their own shells, with which they have tests of their own.
    for command in OTHERS.into_iter().filter(|command| !["env", "shim"].contains(command)) {
        for line in examples(command) {
            let asks = command == "ps" || line.contains("--from-ps");
            let scene = scene()
                .env("TERM", "dumb")
                .env("http_proxy", "http://127.0.0.1:@port")
                .stand_in("bin/pytest")
                .file("work/team.toml", "[profile.cluster]\nexecutor = \"listen:10.0.0.171:5005\"\n")
                .file(".zfunc/x", "")
                .file(".config/fish/completions/x", "");
            // A project with a profile, but where one is made.
            let scene = match command {
                "init" => scene,
                _ => scene.file("work/sparkdbg.toml", "[profile.cluster]\nexecutor = \"listen:10.0.0.171:5005\"\n"),
            };
            let line = line
                .replace("/usr/local/share/man/man1", "man1")
                .replace("--watch ", "--watch=1s ")
                .replace("--timeout 30s ", "");
            let line = if asks { format!("{line} --timeout 1s") } else { line };
            let outcome = run(&scene, &line);
            let status = outcome.status.code();
            // That nobody answers at the addresses of the examples is no matter of theirs.
            // What the doctor finds in a stand-in is none either.
            let finds = command == "doctor" && status == Some(1);
            assert!(status == Some(0) || finds || asks && status == Some(125), "{line}\n{outcome}");
            assert!(asks || !outcome.stderr.contains("error:"), "{line}\n{outcome}");
        }
    }
}

fn run<'a>(scene: &'a Scene, line: &str) -> Outcome<'a> {
    scene.run_program("bash", &["-c", &format!("set -eo pipefail; {line}")])
}
