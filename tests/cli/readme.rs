//! Every `sparkdbg` line of the README and of `docs` is a command that sparkdbg takes, and every file that they
//! lead to is there.

use std::fs;
use std::path::{Path, PathBuf};

use crate::scene::{SPARKDBG, Scene};

const README: &str = include_str!("../../README.md");
const PROFILES: &str = include_str!("../../docs/profiles.md");
const SPARK: &str = include_str!("../../docs/spark.md");

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The README and everything in `docs`, with its text.
fn pages() -> Vec<(PathBuf, String)> {
    let docs = fs::read_dir(root().join("docs")).expect("docs").map(|entry| entry.expect("a file").path());
    let mut files: Vec<PathBuf> = docs.filter(|file| file.extension().is_some_and(|ending| ending == "md")).collect();
    files.push(root().join("README.md"));
    files.sort();
    files.into_iter().map(|file| (file.clone(), fs::read_to_string(file).expect("text"))).collect()
}

/// The words of every line in a code block that starts sparkdbg, without what a shell takes away.
fn commands(text: &str) -> Vec<Vec<String>> {
    let mut in_block = false;
    let mut commands = Vec::new();
    for line in text.lines() {
        if line.starts_with("```") {
            in_block = !in_block;
            continue;
        }
        let line = line.strip_prefix("$ ").unwrap_or(line);
        let line = line.split(" # ").next().unwrap_or(line).split(" > ").next().unwrap_or(line);
        // A synopsis is no command.
        let is_synopsis = line.contains(" [") || line.contains('|');
        if let Some(args) = line.strip_prefix("sparkdbg ").filter(|_| in_block && !is_synopsis) {
            commands.push(shell_words::split(args).expect("balanced quotes"));
        }
    }
    commands
}

/// Where every command of the pages can be tried.
fn everything() -> Scene {
    let conf = "rest.port: 8081\n";
    let mut scene = Scene::spark("4.3.0")
        .stand_in("bin/python")
        .stand_in("java/bin/java")
        .env("SPARK_MASTER_HOST", "10.0.0.1")
        .env("PATH", "@root/bin:/usr/bin:/bin")
        .env("FLINK_HOME", "@root/flink")
        .file("flink/conf/config.yaml", conf)
        .file("flink/conf/workers", "localhost\n")
        .file("flink/lib/flink-dist-1.20.1.jar", "")
        .file("flink/bin/config.sh", "")
        .file("work/sparkdbg.toml", "[profile.laptop]\ndriver = \"listen:127.0.0.1:5005\"\n");
    for name in ["flink", "jobmanager.sh", "taskmanager.sh", "start-cluster.sh", "standalone-job.sh", "yarn-session.sh"]
    {
        scene = scene.stand_in(&format!("flink/bin/{name}"));
    }
    scene.stand_in("flink/bin/kubernetes-session.sh").stand_in("flink/bin/sql-client.sh")
}

#[test]
fn every_launch_of_the_pages_is_taken() {
    let scene = everything();
    let mut launches = 0;
    for (file, text) in pages() {
        for mut words in commands(&text) {
            let command = words.iter().find(|word| !word.starts_with('-') && *word != "laptop").cloned();
            let command = command.unwrap_or_default();
            // Those start nothing; what they print has tests of its own.
            let starts_nothing =
                ["export", "ide", "init", "profiles", "completions", "man", "env", "shim", "doctor", "hub"];
            if starts_nothing.contains(&command.as_str()) {
                words.push("--help".to_owned());
                let outcome = scene.run(&words);
                assert_eq!(outcome.status.code(), Some(0), "{}: {outcome}", file.display());
                continue;
            }
            if command == "ps" {
                // It starts nothing that a dry run could show; that no such host answers is no matter of grammar.
                for word in &mut words {
                    *word = word.replace("--watch", "--watch=1s");
                }
                if let Some(at) = words.iter().position(|word| word == "--timeout") {
                    words.drain(at..at + 2);
                }
                words.extend(["--timeout", "1s"].map(str::to_owned));
                let outcome = scene.run(&words);
                assert!(matches!(outcome.status.code(), Some(0 | 125)), "{}: {outcome}", file.display());
                continue;
            }
            words.retain(|word| !word.starts_with("--dry-run"));
            words.insert(0, "--dry-run=json".to_owned());
            let outcome = scene.run(&words);
            assert_eq!(outcome.status.code(), Some(0), "{}: {outcome}", file.display());
            let plan: serde_json::Value = serde_json::from_slice(&outcome.stdout).expect("JSON");
            let roles = ["--driver", "--executor", "--daemon", "--client", "--jobmanager", "--taskmanager"];
            let named = words.iter().filter(|word| roles.iter().any(|role| word.starts_with(role))).count();
            // `start-cluster.sh` has two roles unless one is named.
            let default = if words.iter().any(|word| word == "start-cluster.sh") { 2 } else { 1 };
            let endpoints = plan["endpoints"].as_array().expect("a list").len();
            assert_eq!(endpoints, if named == 0 { default } else { named }, "{}: {outcome}", file.display());
            launches += 1;
        }
    }
    assert!(launches >= 50, "{launches}");
}

#[test]
fn the_profile_of_the_pages_is_taken() {
    let block = PROFILES.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a TOML block");
    let block = block.replace("/usr/lib/spark", "@root/spark");
    let scene = Scene::spark("4.3.0").file("work/sparkdbg.toml", block);
    let plan = scene.json(&["-p", "laptop", "submit", "app.jar"]);
    assert_eq!(plan["endpoints"][0]["host"], "10.0.0.171");
    assert_eq!(plan["endpoints"][0]["mode"], "listen");
}

/// Quoting is what breaks in them, so a shell runs them.
#[test]
fn the_alias_the_function_and_the_array_of_the_pages_keep_words_whole() {
    let scene = Scene::spark("4.3.0").env("PATH", "@root/bin:/usr/bin:/bin").link("bin/sparkdbg", SPARKDBG);
    for page in [README, SPARK] {
        let line = |start: &str| page.lines().find(|line| line.starts_with(start)).expect("it is in the page");
        let function = format!("{}\nspark-submit 'a b' ''\n", line("spark-submit() {"));
        let alias = format!("shopt -s expand_aliases\n{}\nspark-submit 'a b' ''\n", line("alias "));
        for script in [function, alias] {
            let script = script.replace("--driver --", "--no-preflight --driver --");
            let run = scene.run_program("bash", &["-c", &script]);
            assert_eq!(run.status.code(), Some(0), "{run}");
            assert_eq!(&run.child().args[2..], ["a b", ""], "{run}");
        }
    }
    let line = |start: &str| SPARK.lines().find(|line| line.starts_with(start)).expect("it is in the page");
    let array = format!("{}\n{}\n", line("args=("), line("sparkdbg submit --driver -- \"${args[@]}\""));
    let run = scene.run_program("bash", &["-c", &array.replace("--driver --", "--no-preflight --driver --")]);
    assert_eq!(&run.child().args[2..], ["--driver-java-options", "-XX:+UseG1GC -Dmode=test", "app.jar"], "{run}");
}

#[test]
fn every_file_that_the_pages_lead_to_is_there() {
    let mut links = 0;
    for (file, text) in pages() {
        let here = file.parent().expect("a directory");
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let path = target.split('#').next().unwrap_or_default();
            if path.is_empty() || path.contains("://") {
                continue;
            }
            assert!(here.join(path).exists(), "{} leads to {target}", file.display());
            links += 1;
        }
    }
    assert!(links >= 10, "{links}");
}

#[test]
fn every_file_that_contributors_are_sent_to_is_there() {
    let text = include_str!("../../CONTRIBUTING.md");
    let named: Vec<&str> =
        text.split('`').filter(|word| word.starts_with("src/") || word.starts_with("tests/")).collect();
    assert!(named.len() > 40, "{named:?}");
    let missing: Vec<&&str> = named.iter().filter(|file| !root().join(file).exists()).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
