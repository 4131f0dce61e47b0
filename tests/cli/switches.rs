//! The switches that change what is said or done: `SPARKDBG=off`, `CI`, `-q`, `-v`; and every exit status.

use crate::scene::{AGENT, DRIVER, HINT, INJECTED, J, NO_PAUSE, Scene};

#[test]
fn off_runs_the_real_script_untouched() {
    let scene = Scene::spark("4.3.0")
        .env("SPARKDBG", "off")
        .env("CI", "true")
        .env("SPARK_SUBMIT_OPTS", J)
        .file("spark/conf/java-opts", J);
    let words = ["--driver-java-options", "'open", "-Db=2", "app.jar"];
    let run = scene.run(&[["submit", DRIVER, "--existing=fail", "--"].as_slice(), &words].concat());
    run.expect(Some(0), "").starts("spark/bin/spark-submit", &words);
    for (command, script) in [("shell", "spark-shell"), ("sql", "spark-sql"), ("pyspark", "pyspark"), ("r", "sparkR")] {
        scene.run(&["-v", command, "x"]).starts(&format!("spark/bin/{script}"), &["x"]);
    }
    scene.run(&["thrift-server", "--", "--master", "local"]).expect(Some(0), "");
    let none: [&str; 0] = [];
    scene.run(&["submit"]).expect(Some(0), "").starts("spark/bin/spark-submit", &none);
}

#[test]
fn off_still_finds_the_home() {
    let scene = Scene::new()
        .home("spark", Some("4.3.0"))
        .env("SPARKDBG", "off")
        .file("work/sparkdbg.toml", "[profile.p]\nspark-home = \"@root/spark\"\n");
    let run = scene.run(&["-p", "p", "submit", "app.jar"]);
    // A project's file that chooses the programs is always said.
    run.expect(Some(0), "sparkdbg: Spark is `@root/spark`, from @root/work/sparkdbg.toml:2 (profile p)\n");
    run.starts_with("spark/bin/spark-submit", &["app.jar"], &[("SPARK_HOME", Some("@root/spark"))]);
    scene
        .run(&["--dry-run", "--spark-home", "@root/spark", "submit", "a b"])
        .expect(Some(0), "")
        .prints("SPARK_HOME=@root/spark @root/spark/bin/spark-submit 'a b'\n");
    scene.env("PATH", "@root/none").run(&["submit", "app.jar"]).fails(
        127,
        "error: no Spark was found: `spark-submit` is not on PATH\n\
         help: name the distribution: --spark-home DIR, or SPARK_HOME\n",
    );
}

#[test]
fn off_does_not_care_for_roles_and_endpoints() {
    let text = "default-profile = \"p\"\n[profile.p]\nexecutor = \"attach:0\"\n";
    let scene = Scene::spark("4.3.0").env("SPARKDBG", "off").file("work/sparkdbg.toml", text);
    scene.run(&["submit", "app.jar"]).expect(Some(0), "").starts("spark/bin/spark-submit", &["app.jar"]);
    let scene = Scene::spark("4.3.0").env("SPARKDBG", "off");
    scene.run(&["submit", "--executor", "--", "app.jar"]).expect(Some(0), "");
}

#[test]
fn only_off_is_off() {
    for value in ["", "on", "0", "no", "OFF"] {
        let scene = Scene::spark("4.3.0").env("SPARKDBG", value);
        scene.merges(&["app.jar"], &[INJECTED[0], INJECTED[1], "app.jar"]);
    }
}

#[test]
fn ci_warns_of_an_endpoint_that_suspends() {
    let warning =
        "warning: CI is set and the driver waits for a debugger: the job stands still until one comes (--no-suspend)\n";
    let scene = Scene::spark("4.3.0").env("CI", "true");
    scene.run(&["submit", DRIVER, "app.jar"]).expect(Some(0), &format!("{warning}{HINT}"));
    scene.run(&["-q", "submit", DRIVER, "app.jar"]).expect(Some(0), warning);
    let cluster = ["--", "--master", "yarn", "--deploy-mode", "cluster", "app.jar"];
    scene.run(&[["-q", "submit", DRIVER, NO_PAUSE].as_slice(), &cluster].concat()).expect(Some(0), warning);
    scene.run(&["-q", "submit", "--attach", "@port", "--no-suspend", "app.jar"]).expect(Some(0), "");
    scene
        .run(&["-q", "submit", DRIVER, "--", "--version"])
        .expect(Some(0), "note: nothing to debug: `--version` starts no driver; run as typed\n");
    Scene::spark("4.3.0").env("CI", "").run(&["-q", "submit", DRIVER, "app.jar"]).expect(Some(0), "");
}

#[test]
fn q_silences_hints_and_nothing_else() {
    let scene = Scene::spark("4.3.0").env("SPARK_SUBMIT_OPTS", J);
    let note = format!("note: replaced: `{J}` in SPARK_SUBMIT_OPTS in the environment\n");
    scene.run(&["submit", DRIVER, "app.py"]).expect(
        Some(0),
        &format!(
            "{note}{HINT}sparkdbg: a JVM debugger stops in Java and Scala code; Python code and UDFs run in Python \
             processes\n"
        ),
    );
    scene.run(&["-q", "submit", DRIVER, "app.py"]).expect(Some(0), &note);
    scene.run(&["submit", DRIVER, "--quiet", "app.py"]).expect(Some(0), &note);
}

#[test]
fn v_shows_every_rewrite_with_before_after_from_and_why() {
    let scene = Scene::spark("2.4.8")
        .env("SPARK_SUBMIT_OPTS", format!("-Dx {J}"))
        .file("spark/conf/spark-defaults.conf", "\nspark.driver.extraJavaOptions -Dfile=1\n");
    let run = scene.run(&["-q", "-v", "submit", DRIVER, "app.jar"]);
    let rewrites = format!(
        "spark.driver.extraJavaOptions\n\
         \x20 before: -Dfile=1\n\
         \x20 after:  {AGENT} -Dfile=1\n\
         \x20 from:   @root/spark/conf/spark-defaults.conf line 2 → one --conf more, which wins\n\
         \x20 why:    the agent, before what was set\n\
         SPARK_SUBMIT_OPTS\n\
         \x20 before: -Dx {J}\n\
         \x20 after:  -Dx\n\
         \x20 from:   environment → environment of the child\n\
         \x20 why:    a JVM loads one debug agent only\n"
    );
    assert!(run.stderr.contains(&scene.fill(&rewrites)), "{run}");
    let scene = Scene::spark("4.3.0");
    let words = ["--name", "n", "-c", "spark.driver.defaultJavaOptions=-Dd=1", "app.jar"];
    let run = scene.run(&[["-q", "-v", "submit", DRIVER, "--"].as_slice(), &words].concat());
    let rewrites = format!(
        "spark.driver.defaultJavaOptions\n\
         \x20 before: -Dd=1\n\
         \x20 after:  {AGENT} -Dd=1\n\
         \x20 from:   --conf, argument 4 → in place\n\
         \x20 why:    the agent, in the key that Spark puts before spark.driver.extraJavaOptions, which stays untouched\n"
    );
    assert!(run.stderr.contains(&scene.fill(&rewrites)), "{run}");
    for line in
        ["profile: none", "driver: attach:127.0.0.1:@port,suspend (--driver)\n", "existing: replace (default)\n"]
    {
        assert!(run.stderr.contains(&scene.fill(line)), "{line}\n{run}");
    }
    // Nothing of it on standard output, which is the child's.
    run.starts(
        "spark/bin/spark-submit",
        &["--name", "n", "-c", &format!("spark.driver.defaultJavaOptions={AGENT} -Dd=1"), "app.jar"],
    );
}

#[test]
fn v_names_the_variable_that_had_to_be_spelled_out() {
    let scene = Scene::spark("4.3.0").env("DEPLOY_MODE", "cluster");
    let run = scene.run(&["-q", "-v", "submit", DRIVER, "--", "--master", "yarn", "app.jar"]);
    let rewrite = "--deploy-mode\n\
                   \x20 before: (not set)\n\
                   \x20 after:  cluster\n\
                   \x20 from:   DEPLOY_MODE in the environment → one more argument\n";
    assert!(run.stderr.contains(rewrite), "{run}");
}

#[test]
fn v_shows_who_chose_the_suspension() {
    let scene = Scene::spark("4.3.0").file("work/sparkdbg.toml", "[profile.p]\ndriver = \"attach:@port,nosuspend\"\n");
    let run = scene.run(&["-q", "-v", "-p", "p", "submit", "--suspend", "app.jar"]);
    let line = run.stderr.lines().find(|line| line.starts_with("driver: ")).unwrap().to_owned();
    assert!(line.contains("--suspend") && line.contains("sparkdbg.toml:2"), "{run}");
}

/// `JSON` holds the notes; standard error has what was asked for with `-v` only.
#[test]
fn with_json_standard_error_is_empty() {
    let scene = Scene::spark("4.3.0").env("CI", "1").env("SPARK_JAVA_OPTS", "-Da");
    let run = scene.run(&["--dry-run=json", "submit", DRIVER, "app.py"]);
    run.expect(Some(0), "");
    let plan: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    let codes: Vec<&str> =
        plan["notes"].as_array().unwrap().iter().map(|note| note["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["spark-java-opts", "ci-suspend", "endpoint", "python"]);
    let quiet = scene.run(&["-q", "--dry-run=json", "submit", DRIVER, "app.py"]);
    let plan: serde_json::Value = serde_json::from_slice(&quiet.stdout).unwrap();
    assert_eq!(plan["notes"].as_array().unwrap().len(), 2, "{quiet}");
}

#[test]
fn each_failure_has_its_status() {
    let scene = Scene::spark("4.3.0").mode("spark/bin/sparkR", 0o644).without("spark/bin/pyspark");
    for (args, status) in [
        (["submit", "--driver=x", "a"].as_slice(), 2),
        (&["zzz"], 2),
        (&["flink"], 2),
        (&["worker"], 125),
        (&["submit", "--", "--remote", "sc://h", "a"], 2),
        (&["-p", "no", "submit", "a"], 125),
        (&["submit", DRIVER, "--", "--properties-file", "no", "a"], 125),
        (&["submit", "--attach", "203.0.113.9:1", "a"], 125),
        (&["r", DRIVER], 126),
        (&["pyspark", DRIVER], 127),
    ] {
        let run = scene.run(args);
        assert_eq!(run.status.code(), Some(status), "{run}");
        assert!(run.stdout.is_empty(), "{run}");
        assert!(run.stderr.starts_with("error: ") && run.stderr.ends_with('\n'), "{run}");
        let lines: Vec<&str> = run.stderr.lines().collect();
        assert!(lines.len() <= 2 && lines.get(1).is_none_or(|line| line.starts_with("help: ")), "{run}");
    }
}

#[test]
fn a_working_directory_that_is_gone() {
    let scene = Scene::spark("4.3.0").cwd("work/gone");
    let script = "rmdir ../gone; exec \"$0\" -q submit --driver=attach:@port app.jar";
    let run = scene.run_program("/bin/sh", &["-c", script, crate::scene::SPARKDBG]);
    assert_eq!(run.status.code(), Some(125), "{run}");
    assert!(run.stderr.starts_with("error: the working directory cannot be read: "), "{run}");
}
