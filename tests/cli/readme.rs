//! Every `sparkdbg` line of the README, and of the pages about `export` and CI, is a command that sparkdbg takes.

use crate::scene::{SPARKDBG, Scene};

const README: &str = include_str!("../../README.md");
const EXPORT: &str = include_str!("../../docs/export.md");
const CI: &str = include_str!("../../docs/ci.md");

/// The words of every line in a code block that starts sparkdbg, without what a shell takes away.
fn commands(page: &str) -> Vec<Vec<String>> {
    let mut in_block = false;
    let mut commands = Vec::new();
    for line in page.lines() {
        if line.starts_with("```") {
            in_block = !in_block;
            continue;
        }
        let line = line.strip_prefix("$ ").unwrap_or(line);
        let line = line.split(" # ").next().unwrap_or(line).split(" > ").next().unwrap_or(line);
        if let Some(args) = line.strip_prefix("sparkdbg ").filter(|_| in_block && !line.starts_with("sparkdbg:")) {
            commands.push(shell_words::split(args).expect("balanced quotes"));
        }
    }
    commands
}

#[test]
fn every_command_of_the_readme_is_taken() {
    let scene = Scene::spark("4.3.0")
        .stand_in("bin/python")
        .stand_in("java/bin/java")
        .env("SPARK_MASTER_HOST", "10.0.0.1")
        .env("PATH", "@root/bin:/usr/bin:/bin")
        .file("work/sparkdbg.toml", "[profile.laptop]\ndriver = \"listen:127.0.0.1:5005\"\n");
    let commands = commands(README);
    assert!(commands.len() >= 15, "{commands:?}");
    for mut words in commands {
        if words[0] == "export" {
            // With files of the user's: below.
            continue;
        }
        if words[0] == "shim" {
            // Nor does this: it makes links.
            scene.run(&words).expect(
                Some(0),
                "sparkdbg: the directory is not on PATH: export PATH='@root/work/~/shims':\"$PATH\"\n",
            );
            continue;
        }
        if words[0] == "ps" {
            // It starts nothing that a dry run could show; that no such host answers is no matter of grammar.
            for word in &mut words {
                *word = word.replace("--watch", "--watch=1s");
            }
            words.extend(["--timeout", "1s"].map(str::to_owned));
            let outcome = scene.run(&words);
            assert!(matches!(outcome.status.code(), Some(0 | 125)), "{outcome}");
            continue;
        }
        if words[0] == "ide" {
            // Nor does this; where it asks, no such host answers.
            let asks = words.iter().any(|word| word.starts_with("--from-ps"));
            words.extend(asks.then_some("--timeout=1s".to_owned()));
            let outcome = scene.run(&words);
            assert_eq!(outcome.status.code(), Some(if asks { 125 } else { 0 }), "{outcome}");
            continue;
        }
        words.retain(|word| !word.starts_with("--dry-run"));
        words.insert(0, "--dry-run=json".to_owned());
        let outcome = scene.run(&words);
        assert_eq!(outcome.status.code(), Some(0), "{outcome}");
        let plan: serde_json::Value = serde_json::from_slice(&outcome.stdout).expect("JSON");
        let roles = ["--driver", "--executor", "--daemon"];
        let named = words.iter().filter(|word| roles.iter().any(|role| word.starts_with(role))).count();
        assert_eq!(plan["endpoints"].as_array().expect("a list").len(), named.max(1), "{outcome}");
    }
}

#[test]
fn every_export_of_the_pages_prints_a_document() {
    let group = r#"{"Cluster": {"InstanceGroups": [{"Id": "ig-1ABC", "Configurations": []}]}}"#;
    let scene = Scene::new()
        .file("work/current.json", group)
        .file("work/batch.json", "{}")
        .file("work/debug.json", "{}")
        .file("work/cluster.json", "{}")
        .file("work/sparkdbg.json", "[]");
    let pages = [commands(README), commands(EXPORT)].concat();
    let exports: Vec<_> = pages.iter().filter(|words| words[0] == "export").collect();
    assert!(exports.len() >= 14, "{exports:?}");
    for words in exports {
        let outcome = scene.run(words);
        assert_eq!(outcome.status.code(), Some(0), "{outcome}");
        assert!(!outcome.stdout.is_empty(), "{outcome}");
    }
}

#[test]
fn every_env_and_shim_of_the_page_about_ci_is_taken() {
    let scene = Scene::spark("4.3.0").stand_in("bin/python").env("PATH", "@root/bin:/usr/bin:/bin");
    let scene = scene.stand_in("flink/bin/flink").file("flink/bin/config.sh", "").env("FLINK_HOME", "@root/flink");
    let page = CI.replace("$(", "\n").replace(")\"", "\n").replace("\"$RUNNER_TEMP/shims\"", "shims");
    let commands = commands(&page);
    let ours: Vec<_> = commands.into_iter().filter(|words| ["env", "shim"].contains(&words[0].as_str())).collect();
    assert!(ours.len() >= 7, "{ours:?}");
    for words in ours {
        let outcome = scene.run(&words);
        assert_eq!(outcome.status.code(), Some(0), "{outcome}");
    }
}

/// What stands there in place of an alias, and the alias that is asked for.
#[test]
fn the_function_and_the_alias_of_the_page_about_ci_work_in_a_script() {
    let scene = Scene::spark("4.3.0").env("PATH", "@root/bin:/usr/bin:/bin").link("bin/sparkdbg", SPARKDBG);
    let block = |start: &str| CI.split("```sh\n").find(|block| block.starts_with(start)).expect("it is on the page");
    for start in ["spark-submit() {", "shopt -s expand_aliases"] {
        let script = block(start).split("```").next().unwrap_or_default();
        let script = script.replace("--driver --", "--no-preflight --driver --");
        let run = scene.run_program("bash", &["-c", &script]);
        assert_eq!(run.status.code(), Some(0), "{run}");
        assert_eq!(&run.child().args[2..], ["--name", "nightly run", "app.jar"], "{run}");
    }
}

#[test]
fn the_profile_of_the_readme_is_taken() {
    let block = README.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a TOML block");
    let block = block.replace("/usr/lib/spark", "@root/spark");
    let scene = Scene::spark("4.3.0").file("work/sparkdbg.toml", block);
    let plan = scene.json(&["-p", "laptop", "submit", "app.jar"]);
    assert_eq!(plan["endpoints"][0]["host"], "10.0.0.171");
    assert_eq!(plan["endpoints"][0]["mode"], "listen");
}

/// Quoting is what breaks in them, so a shell runs them.
#[test]
fn the_alias_the_function_and_the_array_of_the_readme_keep_words_whole() {
    let line = |start: &str| README.lines().find(|line| line.starts_with(start)).expect("it is in the README");
    let scene = Scene::spark("4.3.0").env("PATH", "@root/bin:/usr/bin:/bin").link("bin/sparkdbg", SPARKDBG);
    let function = format!("{}\nspark-submit 'a b' ''\n", line("spark-submit() {"));
    let alias = format!("shopt -s expand_aliases\n{}\nspark-submit 'a b' ''\n", line("alias "));
    for script in [function, alias] {
        let script = script.replace("--driver --", "--no-preflight --driver --");
        let run = scene.run_program("bash", &["-c", &script]);
        assert_eq!(run.status.code(), Some(0), "{run}");
        assert_eq!(&run.child().args[2..], ["a b", ""], "{run}");
    }
    let array = format!("{}\n{}\n", line("args=("), line("sparkdbg submit --driver -- \"${args[@]}\""));
    let run = scene.run_program("bash", &["-c", &array.replace("--driver --", "--no-preflight --driver --")]);
    assert_eq!(&run.child().args[2..], ["--driver-java-options", "-XX:+UseG1GC -Dmode=test", "app.jar"], "{run}");
}

#[test]
fn every_file_that_contributors_are_sent_to_is_there() {
    let text = include_str!("../../CONTRIBUTING.md");
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let named: Vec<&str> =
        text.split('`').filter(|word| word.starts_with("src/") || word.starts_with("tests/")).collect();
    assert!(named.len() > 40, "{named:?}");
    let missing: Vec<&&str> = named.iter().filter(|file| !root.join(file).exists()).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
