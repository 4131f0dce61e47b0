//! `env`: the values of the launch, as variables; and what no variable carries.

use serde_json::{Value, json};

use crate::scene::{AGENT, DRIVER, HINT, INJECTED, J, Scene, not_run};

const PYTHON: [&str; 4] = ["-q", "env", "--for=pyspark", DRIVER];
const SUBMIT: [&str; 4] = ["-q", "env", "--for=spark-submit", DRIVER];
const REACH: &str = "sparkdbg: every spark-submit that sees these variables takes the agent, also one that only submits \
                     (--deploy-mode cluster) or answers (--version)\n";

fn python() -> Scene {
    Scene::spark("4.3.0").stand_in("bin/python").env("PATH", "@root/bin:/usr/bin:/bin")
}

fn flink() -> Scene {
    let scene = Scene::new().stand_in("flink/bin/flink").file("flink/bin/config.sh", "");
    scene.file("flink/lib/flink-dist-1.20.1.jar", "").env("FLINK_HOME", "@root/flink")
}

#[track_caller]
fn json_of(scene: &Scene, args: &[&str]) -> Value {
    let run = scene.run(&[args, &["--format=json"]].concat());
    run.expect(Some(0), "");
    serde_json::from_slice(&run.stdout).unwrap_or_else(|cause| panic!("{cause}\n{run}"))
}

#[test]
fn pyspark() {
    let hint = "sparkdbg: a JVM debugger stops in Java and Scala code; Python code and UDFs run in Python processes\n";
    python()
        .run(&["env", "--for", "pyspark", DRIVER])
        .expect(Some(0), &format!("{HINT}{hint}"))
        .prints(&format!("export PYSPARK_SUBMIT_ARGS='{} '\\''{}'\\'' pyspark-shell'\n", INJECTED[0], INJECTED[1]));
}

/// From the same code: whatever the surroundings are, the variables are those of `sparkdbg python`.
#[test]
fn pyspark_is_what_the_launch_sets() {
    let args = "--master yarn --conf \"spark.x=a b\" --driver-java-options '-Da=\"1 2\"' pyspark-shell";
    let agent = format!("--conf 'spark.driver.extraJavaOptions={J} -Dx' pyspark-shell");
    for scene in [
        python(),
        python().env("PYSPARK_SUBMIT_ARGS", args),
        python().env("PYSPARK_SUBMIT_ARGS", agent),
        python().file("spark/conf/spark-defaults.conf", "spark.driver.defaultJavaOptions -Dd=1\nspark.master yarn\n"),
        python().file("spark/conf/spark-env.sh", format!("export SPARK_SUBMIT_OPTS='{J} -Dx'\n")),
    ] {
        for roles in [[DRIVER].as_slice(), &[DRIVER, "--executor=listen:10.0.0.171:5005"]] {
            let launch =
                scene.json(&[["-q", "--no-preflight", "python"].as_slice(), roles, &["--", "app.py"]].concat());
            let run = scene.run(&[["-q", "env", "--for=pyspark", "--format=json"].as_slice(), roles].concat());
            assert_eq!(serde_json::from_slice::<Value>(&run.stdout).unwrap(), launch["env"], "{run}");
        }
    }
}

#[test]
fn spark_submit() {
    let scene = Scene::spark("4.3.0");
    scene
        .run(&["env", "--for", "spark-submit", DRIVER])
        .expect(Some(0), &format!("{HINT}{REACH}"))
        .prints(&format!("export SPARK_SUBMIT_OPTS='{AGENT}'\n"));
    let scene = scene.env("SPARK_SUBMIT_OPTS", "-Dx='1 2'").env("MASTER", "yarn");
    assert_eq!(
        json_of(&scene, &SUBMIT),
        json!({"SPARK_SUBMIT_OPTS": scene.fill(&format!(
            "-Dspark.network.timeout=7200s -Dspark.executor.heartbeat.maxFailures=721 {AGENT} -Dx='1 2'"
        ))})
    );
}

/// What is set by an earlier `env` is no agent twice.
#[test]
fn once_more_is_the_same() {
    let scene = Scene::spark("4.3.0").env("MASTER", "yarn");
    let args = [SUBMIT.as_slice(), &["--executor"]].concat();
    let first = json_of(&scene, &args);
    let value = first["SPARK_SUBMIT_OPTS"].as_str().unwrap();
    assert!(value.contains("-Dspark.executor.defaultJavaOptions=-agentlib:jdwp="), "{value}");
    let run = scene.env("SPARK_SUBMIT_OPTS", value);
    let again = run.run(&[args.as_slice(), &["--format=json"]].concat());
    again.expect(Some(0), &format!("note: replaced: `{AGENT}` in SPARK_SUBMIT_OPTS in the environment\n"));
    let second: Value = serde_json::from_slice(&again.stdout).unwrap();
    let sorted = |value: &Value| {
        let mut words: Vec<String> =
            value["SPARK_SUBMIT_OPTS"].as_str().unwrap().split(' ').map(str::to_owned).collect();
        words.sort();
        words
    };
    assert_eq!(sorted(&second), sorted(&first));
}

/// `spark-env.sh` would set the variable over ours, and over that of a second `env`.
#[test]
fn a_spark_env_does_not_win() {
    let scene = Scene::spark("4.3.0").file("spark/conf/spark-env.sh", "export SPARK_SUBMIT_OPTS=-Dx=1\n");
    let first = json_of(&scene, &SUBMIT);
    let names: Vec<&String> = first.as_object().unwrap().keys().collect();
    assert_eq!(names, ["SPARKDBG_CONF_DIR", "SPARKDBG_SET_SPARK_SUBMIT_OPTS", "SPARK_CONF_DIR"]);
    assert_eq!(first["SPARKDBG_CONF_DIR"], scene.fill("@root/spark/conf"));
    let overlay = first["SPARK_CONF_DIR"].as_str().unwrap().to_owned();
    let mut scene = scene;
    for name in names {
        scene = scene.env(name, first[name].as_str().unwrap());
    }
    let run = scene.run(&[SUBMIT.as_slice(), &["--format=json"]].concat());
    assert_eq!(run.status.code(), Some(0), "{run}");
    let second: Value = serde_json::from_slice(&run.stdout).unwrap();
    // Its own directory is not made the one that it stands in front of.
    assert_eq!(second, json!({"SPARKDBG_SET_SPARK_SUBMIT_OPTS": scene.fill(&format!("{AGENT} -Dx=1"))}));
    let script = format!(". {overlay}/spark-env.sh; echo \"$SPARK_SUBMIT_OPTS $SPARK_CONF_DIR\"");
    let run = scene.run_program("bash", &["-c", &script]);
    run.prints(&format!("{AGENT} -Dx=1 @root/spark/conf\n"));
}

#[test]
fn what_a_file_says_wins_over_a_variable() {
    let scene = Scene::spark("4.3.0").env("MASTER", "yarn");
    let scene = scene.file("spark/conf/spark-defaults.conf", "\nspark.executor.defaultJavaOptions -Dd=1\n");
    scene.run(&["-q", "env", "--for=spark-submit", "--executor"]).fails_in_shell(
        125,
        "error: spark.executor.defaultJavaOptions is `-Dd=1` (@root/spark/conf/spark-defaults.conf line 2), over which no \
         variable puts the debug agent\n\
         help: start it with sparkdbg submit, or by its shim: both change the words\n",
    );
    // An agent that only the file could take out.
    let scene = scene.file("spark/conf/spark-defaults.conf", format!("spark.driver.extraJavaOptions {J}\n"));
    let run = scene.run(&SUBMIT);
    assert_eq!(run.status.code(), Some(125), "{run}");
    assert!(run.stderr.contains("over which no variable puts the debug agent"), "{run}");
}

#[test]
fn flink_client() {
    let scene = flink().env("JVM_ARGS", "-Dx=1");
    let hint = HINT.replace("driver", "client");
    scene
        .run(&["env", "--for", "flink", "--client=attach:@port"])
        .expect(
            Some(0),
            &format!(
                "{hint}sparkdbg: every script of Flink's that sees these variables takes the agent, jobmanager.sh too\n"
            ),
        )
        .prints(&format!("export JVM_ARGS='{AGENT} -Dx=1'\n"));
    let launch = scene.json(&["-q", "flink", "--client=attach:@port", "--", "run", "job.jar"]);
    let scene_env = json_of(&scene, &["-q", "env", "--for=flink", "--client=attach:@port"]);
    assert_eq!(scene_env, launch["env"]);
    let scene = scene.file("flink/conf/config.yaml", "execution:\n  target: yarn-application\n");
    scene.run(&["env", "--for=flink"]).fails_in_shell(
        125,
        "error: the configuration deploys jobs as applications, whose main method runs in the JobManager, where no \
         variable of this machine reaches it\nhelp: start it with sparkdbg: sparkdbg flink --jobmanager -- run …\n",
    );
}

/// One JVM with everything in it bears a pause by its words alone.
#[test]
fn what_no_variable_of_flinks_carries_is_said() {
    let scene = flink().file("flink/conf/config.yaml", "execution:\n  target: local\n");
    let run = scene.run(&["-q", "env", "--for=flink", "--client=attach:@port"]);
    run.prints(&format!("export JVM_ARGS='{AGENT}'\n"));
    let launch = scene.json(&["-q", "flink", "--client=attach:@port", "--", "run", "job.jar"]);
    let words = launch["args"].as_array().unwrap().len() - 2;
    assert!(words > 0, "{launch}");
    let left = run.stderr.lines().filter(|line| line.contains(" is left out: no variable carries it (")).count();
    assert_eq!(left, words, "{run}");
}

#[test]
fn jvm() {
    let scene = Scene::new();
    scene
        .run(&["env", "--for", "jvm", DRIVER])
        .expect(Some(0), &HINT.replace("driver", "the JVM"))
        .prints(&format!("{AGENT}\n"));
    scene
        .run(&["-q", "env", "--for=jvm", "--attach=@port", "--no-suspend"])
        .prints(&format!("{}\n", AGENT.replace("suspend=y", "suspend=n")));
    let free = scene.run(&["-q", "env", "--for=jvm", "--driver=attach:0"]);
    let text = String::from_utf8(free.stdout.clone()).unwrap();
    let port = text.trim_end().rsplit(':').next().unwrap().parse::<u16>().unwrap();
    assert_ne!(port, 0, "{free}");
    for name in ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"] {
        Scene::new().env(name, J).run(&["env", "--for=jvm"]).fails(
            125,
            &format!(
                "error: a debug agent is configured already: `{J}` in {name} in the environment\nhelp: unset {name}, or debug \
                 with it\n"
            ),
        );
    }
    for (format, text) in [("sh", format!("'{AGENT}'\n")), ("fish", format!("'{AGENT}'\n"))] {
        scene.run(&["-q", "env", "--for=jvm", DRIVER, "--format", format]).prints(&text);
    }
    assert_eq!(json_of(&scene, &["-q", "env", "--for=jvm", DRIVER]), json!({"option": scene.fill(AGENT)}));
    scene.run(&["env", "--for=jvm", "--existing=keep"]).fails(
        2,
        "error: `--existing` has no meaning with `env --for jvm`: no option of ours takes an agent out of a JVM's variables\n\
         help: unset the variable that holds it\n",
    );
}

#[test]
fn a_driver_on_the_cluster() {
    let error = |place: &str| {
        format!(
            "error: `cluster` ({place}) has the driver run on the cluster, where no variable of this machine reaches it\n\
             help: start it with sparkdbg: sparkdbg submit --driver -- …\n"
        )
    };
    let args = "--master yarn --deploy-mode cluster pyspark-shell";
    python()
        .env("PYSPARK_SUBMIT_ARGS", args)
        .run(&PYTHON)
        .fails_in_shell(125, &error("PYSPARK_SUBMIT_ARGS, --deploy-mode, word 4"));
    let defaults = "spark.master yarn\nspark.submit.deployMode cluster\n";
    for args in [PYTHON, SUBMIT] {
        python()
            .file("spark/conf/spark-defaults.conf", defaults)
            .run(&args)
            .fails_in_shell(125, &error("@root/spark/conf/spark-defaults.conf line 2"));
    }
}

/// Whoever names the master, in words or in a program, has no driver here: Spark 4.3.0 refuses both for Python.
#[test]
fn cluster_mode_without_a_master() {
    for (defaults, variable, place) in [
        ("spark.submit.deployMode cluster\n", "", "@root/spark/conf/spark-defaults.conf line 1"),
        ("", "cluster", "DEPLOY_MODE in the environment"),
    ] {
        let scene = python().file("spark/conf/spark-defaults.conf", defaults).env("DEPLOY_MODE", variable);
        scene.run(&PYTHON).fails_in_shell(
            125,
            &format!(
                "error: `cluster` ({place}): Spark starts no driver for Python in cluster mode\n\
                 help: take it out, or set spark.submit.deployMode to client\n"
            ),
        );
        scene.run(&SUBMIT).fails_in_shell(
            125,
            &format!(
                "error: `cluster` ({place}) has the driver run on the cluster that the program names, where no variable of \
                 this machine reaches it\n\
                 help: start it with sparkdbg: sparkdbg submit --driver -- …, or by its shim\n"
            ),
        );
    }
}

/// The words that name a master come later.
#[test]
fn executors_without_a_master() {
    let scene = Scene::spark("4.3.0");
    let run = scene.run(&["-q", "env", "--for=spark-submit", "--executor=attach:0"]);
    let warning = "warning: no master is named: unless the program's words name one, Spark takes local[*], which starts no \
                   executors\n";
    assert!(run.stderr.contains(warning), "{run}");
}

#[test]
fn what_is_wrong_in_the_variable() {
    let scene = python().env("PYSPARK_SUBMIT_ARGS", "-Dx=1 pyspark-shell");
    scene.run(&PYTHON).fails_in_shell(
        125,
        "error: PYSPARK_SUBMIT_ARGS: `-Dx=1` is an option of the JVM, not of spark-submit\n\
         help: write --driver-java-options '-Dx=1'\n",
    );
    let scene = scene.env("PYSPARK_SUBMIT_ARGS", "");
    let run = scene.run(&PYTHON);
    run.expect(
        Some(0),
        "note: nothing to debug: PYSPARK_SUBMIT_ARGS is empty, so that pyspark cannot start a driver; nothing is set\n",
    );
    run.prints("");
}

/// What is evaluated fails too; in JSON, and in the words for a build tool, it would be a word.
#[test]
fn a_failure_is_a_command_that_fails() {
    let scene = python();
    let message = |run: &crate::scene::Outcome<'_>| String::from_utf8_lossy(&run.stdout).into_owned();
    for (words, printed) in [
        (["-p", "nope", "env", "--for=pyspark"].as_slice(), "false\n"),
        (&["env", "-p", "nope", "--for=pyspark", "--format", "fish"], "false\n"),
        (&["env", "--for=pyspark", "--no-such-option"], "false\n"),
        (&["env", "--for=pyspark", "--format=json", "-p", "nope"], ""),
        (&["env", "--for", "jvm", "-p", "nope"], ""),
        (&["-p", "env", "submit", "app.jar"], ""),
        (&["submit", "--no-such-option", "env"], ""),
    ] {
        let run = scene.run(words);
        assert_ne!(run.status.code(), Some(0), "{run}");
        assert_eq!(message(&run), printed, "{run}");
    }
}

#[test]
fn off_changes_nothing() {
    let note = "note: SPARKDBG=off: nothing is changed\n";
    let scene = python().env("SPARKDBG", "off").env("PYSPARK_SUBMIT_ARGS", "");
    for args in [PYTHON, SUBMIT, ["-q", "env", "--for=jvm", DRIVER]] {
        scene.run(&args).expect(Some(0), note).prints("");
    }
    for program in ["flink", "jvm"] {
        scene.run(&["env", "--for", program, "--format=json"]).expect(Some(0), note).prints("{}\n");
    }
}

/// A shell needs the value; a log does not.
#[test]
fn a_secret_is_said() {
    let scene = python().env("PYSPARK_SUBMIT_ARGS", "--conf spark.my.password=hunter pyspark-shell");
    let run = scene.run(&PYTHON);
    run.expect(Some(0), "warning: PYSPARK_SUBMIT_ARGS holds a secret, and standard output has it as it is\n");
    assert!(String::from_utf8_lossy(&run.stdout).contains("spark.my.password=hunter"), "{run}");
    let run = scene.run(&["-v", "env", "--for=pyspark", DRIVER]);
    assert!(run.stderr.contains("program: ") && !run.stderr.contains("hunter"), "{run}");
}

/// The JVM starts later: a port that is taken now is a note.
#[test]
fn a_port_in_use_is_no_error() {
    let scene = Scene::spark("4.3.0");
    let Ok(listener) = std::net::TcpListener::bind(("127.0.0.1", scene.port())) else {
        not_run("the port of the scene was taken meanwhile");
        return;
    };
    let run = scene.run(&SUBMIT);
    run.prints(&format!("export SPARK_SUBMIT_OPTS='{AGENT}'\n"));
    assert!(run.stderr.starts_with(&scene.fill("note: port @port on 127.0.0.1 is in use")), "{run}");
    drop(listener);
}

#[test]
fn words_that_mean_nothing() {
    let scene = python();
    for (words, error) in [
        (
            ["env"].as_slice(),
            "error: `env` was not told for whom\nhelp: name the program: --for PROGRAM, one of pyspark, spark-submit, flink, \
             jvm\n",
        ),
        (
            &["--dry-run", "env", "--for=pyspark"],
            "error: `--dry-run` has no meaning with `env`, which starts nothing\n",
        ),
        (
            &["env", "--for=pyspark", "--wait-for-debugger=5s"],
            "error: `--wait-for-debugger` has no meaning with `env`, which starts nothing\n",
        ),
        (
            &["--show-secrets", "env", "--for=pyspark"],
            "error: `--show-secrets` has no meaning with `env`: a shell needs the values as they are\n",
        ),
        (
            &["env", "--for=flink", "--taskmanager"],
            "error: `env --for flink` reaches no taskmanager\nhelp: debug it where it is started: sparkdbg flink \
             --taskmanager -- taskmanager.sh start\n",
        ),
        (&["env", "--for=jvm", "--executor"], "error: `env --for jvm` reaches no executor\nhelp: it takes --driver\n"),
        (
            &["env", "--for=pyspark", "--daemon"],
            "error: `env --for pyspark` reaches no daemon\nhelp: debug it where it is started: sparkdbg worker --daemon, for \
             example\n",
        ),
        (
            &["env", "--for=pyspark", "--", "app.py"],
            "error: `app.py`: `sparkdbg env` takes options only\nhelp: `sparkdbg env --help` lists them\n",
        ),
        (
            &["env", "--for=zsh"],
            "error: invalid value `zsh` for `--for <PROGRAM>`\nhelp: it takes pyspark or spark-submit or flink or jvm\n",
        ),
    ] {
        let run = scene.run(words);
        if words.contains(&"--for=jvm") { run.fails(2, error) } else { run.fails_in_shell(2, error) }
    }
}
