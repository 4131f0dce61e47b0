//! `docs/ci.md`: its commands are taken, its scripts do what it says.

use crate::scene::{SPARKDBG, Scene, not_run};

const PAGE: &str = include_str!("../../docs/ci.md");

/// Those that are fenced for a shell.
fn blocks(shell: &str) -> impl Iterator<Item = &'static str> {
    PAGE.split(&format!("```{shell}\n"))
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect::<Vec<_>>()
        .into_iter()
}

#[test]
fn every_env_and_shim_is_taken() {
    let scene = Scene::spark("4.3.0").stand_in("bin/python").env("PATH", "@root/bin:/usr/bin:/bin");
    let scene = scene.stand_in("flink/bin/flink").file("flink/bin/config.sh", "").env("FLINK_HOME", "@root/flink");
    let lines = blocks("sh").flat_map(str::lines);
    let ours = lines.filter_map(|line| {
        let inner = line.strip_prefix("eval \"$(").and_then(|line| line.split(")\"").next()).unwrap_or(line);
        inner.strip_prefix("sparkdbg ").filter(|words| words.starts_with("env") || words.starts_with("shim"))
    });
    let ours: Vec<&str> = ours.collect();
    assert_eq!(ours.len(), 7, "{ours:?}");
    for words in ours {
        let outcome = scene.run(&shell_words::split(words).expect("balanced quotes"));
        assert_eq!(outcome.status.code(), Some(0), "{outcome}");
    }
}

/// What stands there in place of an alias, and the alias that is asked for; without that, bash looks for a script.
#[test]
fn the_function_and_the_alias_work_in_a_script() {
    let scene = Scene::spark("4.3.0").env("PATH", "@root/bin:/usr/bin:/bin").link("bin/sparkdbg", SPARKDBG);
    for start in ["spark-submit() {", "shopt -s expand_aliases"] {
        let script = blocks("bash").find(|block| block.starts_with(start)).expect("it is on the page");
        let script = script.replace("--driver --", "--no-preflight --driver --");
        let run = scene.run_program("bash", &["-c", &script]);
        assert_eq!(run.status.code(), Some(0), "{run}");
        assert_eq!(&run.child().args[2..], ["--name", "nightly run", "app.jar"], "{run}");
        if let Some(alias_alone) = script.strip_prefix("shopt -s expand_aliases\n") {
            assert_eq!(scene.run_program("bash", &["-c", alias_alone]).status.code(), Some(127));
        }
    }
}

/// The alias alone, in the shell that has no function of that name.
#[test]
fn the_alias_works_in_dash() {
    let scene = Scene::spark("4.3.0").env("PATH", "@root/bin:/usr/bin:/bin").link("bin/sparkdbg", SPARKDBG);
    if !["/bin/dash", "/usr/bin/dash"].iter().any(|dash| std::path::Path::new(dash).exists()) {
        return not_run("dash is not on this machine: the alias was not read by it");
    }
    let script = blocks("sh").find(|block| block.starts_with("alias")).expect("it is on the page");
    let run = scene.run_program("dash", &["-c", &script.replace("--driver --", "--no-preflight --driver --")]);
    assert_eq!(run.status.code(), Some(0), "{run}");
    assert_eq!(&run.child().args[2..], ["--name", "nightly run", "app.jar"], "{run}");
    let function = blocks("bash").find(|block| block.starts_with("spark-submit()")).expect("it is on the page");
    assert_eq!(scene.run_program("dash", &["-c", function]).status.code(), Some(2));
}
