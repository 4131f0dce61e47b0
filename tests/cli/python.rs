//! Plain `python`, whose pyspark starts `spark-submit` itself with what `PYSPARK_SUBMIT_ARGS` says.

use std::process::Command;

use crate::scene::{AGENT, DRIVER, HINT, INJECTED, Scene, not_run};

const HINTS: &str = "sparkdbg: a JVM debugger stops in Java and Scala code; Python code and UDFs run in Python \
                     processes\n";
const RUN: [&str; 6] = ["-q", "python", DRIVER, "--", "app.py", "x y"];

fn python(version: &str) -> Scene {
    Scene::spark(version).stand_in("bin/python").env("PATH", "@root/bin:/usr/bin:/bin")
}

/// What the variable becomes.
#[track_caller]
fn becomes(scene: &Scene, expected: &str) {
    let run = scene.run(&RUN);
    run.expect(Some(0), "");
    run.starts_with("bin/python", &["app.py", "x y"], &[("PYSPARK_SUBMIT_ARGS", Some(expected))]);
}

/// `--conf 'KEY=AGENT …' `
fn injected() -> String {
    format!("{} '{}'", INJECTED[0], INJECTED[1])
}

#[test]
fn without_the_variable_its_default_is_spelled_out() {
    becomes(&python("4.3.0"), &format!("{} pyspark-shell", injected()));
    let scene = python("4.3.0");
    scene.run(&["python", DRIVER, "--", "app.py"]).expect(Some(0), &format!("{HINT}{HINTS}"));
}

#[test]
fn the_users_text_stays_as_typed() {
    for text in [
        "--master local[2] pyspark-shell",
        "--master  'local[2]'\t--conf \"spark.x=a b\" pyspark-shell",
        "--driver-java-options '-Da=1 -Db=\"2 3\"' pyspark-shell",
        "--conf spark.x=it\\'s pyspark-shell  ",
        "--packages a:b:1 --name 'é\n😀' pyspark-shell",
    ] {
        becomes(&python("4.3.0").env("PYSPARK_SUBMIT_ARGS", text), &format!("{} {text}", injected()));
    }
}

#[test]
fn one_word_is_exchanged_in_place() {
    let scene = python("2.4.8").env(
        "PYSPARK_SUBMIT_ARGS",
        "--master  \"local[2]\" --driver-java-options '-Da=1 -Db=\"2 3\"'  --name 'x y' pyspark-shell",
    );
    becomes(
        &scene,
        &format!(
            "--master  \"local[2]\" --driver-java-options '{AGENT} -Da=1 -Db=\"2 3\"'  --name 'x y' pyspark-shell"
        ),
    );
    let scene = python("4.3.0").env("PYSPARK_SUBMIT_ARGS", "-c spark.driver.defaultJavaOptions=-Dd=1 pyspark-shell");
    becomes(&scene, &format!("-c 'spark.driver.defaultJavaOptions={AGENT} -Dd=1' pyspark-shell"));
}

#[test]
fn a_special_first_word_stays_first() {
    let scene = python("4.3.0").env("PYSPARK_SUBMIT_ARGS", "pyspark-shell-main --name x");
    becomes(&scene, &format!("pyspark-shell-main {} --name x", injected()));
}

/// What python itself makes of the new value: the words of the old one and ours.
#[test]
fn python_reads_it_back() {
    let Some(real) =
        ["/usr/bin/python3", "/usr/local/bin/python3"].into_iter().find(|p| std::path::Path::new(p).exists())
    else {
        not_run("no python3 on this machine: not tried");
        return;
    };
    let split = |text: &str| -> Vec<String> {
        let script = "import os, shlex; print('\\0'.join(shlex.split(os.environ['ARGS'])), end='')";
        let output = Command::new(real).args(["-I", "-c", script]).env("ARGS", text).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().split('\0').map(str::to_owned).collect()
    };
    for text in [
        "pyspark-shell",
        "--driver-java-options \"-Da='1 2' -Db=\\\"x\\\\y\\\"\" --name it\\'s pyspark-shell",
        "--conf 'spark.driver.extraJavaOptions=-Da=\"$HOME `id`\"' pyspark-shell",
    ] {
        let scene = python("2.4.8").env("PYSPARK_SUBMIT_ARGS", text);
        let run = scene.run(&RUN);
        let value = run.child().env[std::ffi::OsStr::new("PYSPARK_SUBMIT_ARGS")].clone().into_string().unwrap();
        let (before, after) = (split(text), split(&value));
        let agent = scene.fill(AGENT);
        let without: Vec<String> = after
            .iter()
            .map(|word| word.replace(&format!("{agent} "), ""))
            .filter(|word| !word.contains(&agent))
            .collect();
        let without = if without.len() > before.len() { without[1..].to_vec() } else { without };
        assert_eq!(without, before, "{run}");
        assert_eq!(after.iter().filter(|word| word.contains(&agent)).count(), 1, "{run}");
    }
}

#[test]
fn an_agent_that_is_there_already() {
    let j = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=@other";
    let scene = python("4.3.0").env("PYSPARK_SUBMIT_ARGS", format!("--driver-java-options '{j} -Da' pyspark-shell"));
    let run = scene.run(&RUN);
    assert_eq!(run.status.code(), Some(0), "{run}");
    assert!(
        run.stderr.starts_with(&scene.fill(&format!("note: replaced: `{j}` in spark.driver.extraJavaOptions ("))),
        "{run}"
    );
    let value = run.child().env[std::ffi::OsStr::new("PYSPARK_SUBMIT_ARGS")].clone();
    assert_eq!(value, *scene.fill(&format!("{} --driver-java-options -Da pyspark-shell", injected())), "{run}");
    assert!(run.stderr.contains("PYSPARK_SUBMIT_ARGS"), "where it stands\n{run}");
}

#[test]
fn files_count_here_too() {
    let scene = python("4.3.0").file("spark/conf/spark-defaults.conf", "spark.driver.defaultJavaOptions -Dd=1\n");
    becomes(&scene, &format!("{} '{} -Dd=1' pyspark-shell", INJECTED[0], INJECTED[1]));
}

#[test]
fn what_the_variable_decides_is_not_the_command_lines_fault() {
    let scene = python("4.3.0").env("PYSPARK_SUBMIT_ARGS", "--remote sc://h pyspark-shell");
    let run = scene.run(&RUN);
    assert_eq!(run.status.code(), Some(125), "{run}");
    assert!(run.stderr.contains("PYSPARK_SUBMIT_ARGS"), "{run}");
    let scene = python("4.3.0").env("PYSPARK_SUBMIT_ARGS", "--driver-java-options \"-Da='x\" pyspark-shell");
    let run = scene.run(&RUN);
    assert_eq!(run.status.code(), Some(125), "{run}");
    assert!(run.stderr.contains("PYSPARK_SUBMIT_ARGS") && run.stderr.contains("is never closed"), "{run}");
}

#[test]
fn an_empty_variable_starts_no_driver() {
    let scene = python("4.3.0").env("PYSPARK_SUBMIT_ARGS", "");
    let run = scene.run(&RUN);
    run.starts("bin/python", &["app.py", "x y"]);
    assert!(run.stderr.starts_with("note: nothing to debug: ") && run.stderr.contains("PYSPARK_SUBMIT_ARGS"), "{run}");
}

#[test]
fn which_python_and_which_spark() {
    let scene = Scene::new()
        .home("spark", Some("4.3.0"))
        .stand_in("bin/python3")
        .env("PATH", "@root/bin")
        .env("SPARK_HOME", "@root/spark");
    let plan = scene.json(&["python", DRIVER, "app.py"]);
    assert_eq!(plan["program"], scene.fill("@root/bin/python3"));
    let plan = scene.json(&["--spark-home", "@root/spark", "python", DRIVER, "app.py"]);
    assert_eq!(plan["env"].as_object().unwrap().keys().collect::<Vec<_>>(), ["PYSPARK_SUBMIT_ARGS"]);
    let scene = scene.home("other", Some("2.4.8"));
    let plan = scene.json(&["--spark-home", "@root/other", "python", DRIVER, "app.py"]);
    assert_eq!(plan["env"]["SPARK_HOME"], scene.fill("@root/other"));
    assert_eq!(
        plan["env"]["PYSPARK_SUBMIT_ARGS"],
        scene.fill(&format!("--conf 'spark.driver.extraJavaOptions={AGENT}' pyspark-shell"))
    );
    scene.env("PATH", "@root/none").run(&RUN).fails(
        127,
        "error: `python` is not on PATH, and neither is `python3`\nhelp: activate the environment of the job\n",
    );
}

#[test]
fn the_pyspark_that_python_would_import() {
    let home = "venv/lib/python3.12/site-packages/pyspark";
    let scene =
        Scene::new().home(home, Some("3.5.6")).stand_in("venv/bin/python").env("PATH", "@root/venv/bin:/usr/bin:/bin");
    becomes_with(&scene, "venv/bin/python");
}

fn becomes_with(scene: &Scene, script: &str) {
    let run = scene.run(&RUN);
    run.expect(Some(0), "");
    // Its pyspark finds its own home: none is forced on it.
    let value = format!("{} pyspark-shell", injected());
    run.starts_with(script, &["app.py", "x y"], &[("PYSPARK_SUBMIT_ARGS", Some(&value))]);
}

#[test]
fn without_words_it_is_a_python_prompt() {
    let scene = python("4.3.0");
    let value = format!("{} pyspark-shell", injected());
    let none: [&str; 0] = [];
    scene.run(&["-q", "python", DRIVER]).starts_with("bin/python", &none, &[("PYSPARK_SUBMIT_ARGS", Some(&value))]);
}

#[test]
fn secrets_in_the_variable() {
    let scene = python("4.3.0").env("PYSPARK_SUBMIT_ARGS", "--conf spark.my.password=hunter pyspark-shell");
    let run = scene.run(&["-q", "-v", "--dry-run", "python", DRIVER, "app.py"]);
    assert!(!run.stderr.contains("hunter"), "{run}");
    run.prints("PYSPARK_SUBMIT_ARGS=\"${SPARKDBG_REDACTED:?run again with --show-secrets}\" @root/bin/python app.py\n");
}
