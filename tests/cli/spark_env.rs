//! `spark-env.sh` is read only where it can matter, and has its say where Spark would let it.

use std::ffi::OsStr;
use std::fs;

use crate::scene::{AGENT, DRIVER, INJECTED, J, Scene, Started};

const APP: [&str; 3] = [INJECTED[0], INJECTED[1], "app.jar"];
const RUN: [&str; 4] = ["-q", "submit", DRIVER, "app.jar"];

/// What a script does to show that it was run.
const TRACE: &str = "touch @root/sourced\n";

fn with_env_sh(version: &str, text: &str) -> Scene {
    Scene::spark(version).file("spark/conf/spark-env.sh", text)
}

#[test]
fn a_script_that_cannot_matter_is_not_run() {
    for text in [
        "export SPARK_LOCAL_IP=127.0.0.1\nexport SPARK_MASTER_HOST=h\n",
        "# export JAVA_HOME=/opt/java\n  # . /etc/more.sh\n",
        "export SPARK_DIST_CLASSPATH=$(hadoop classpath)\n",
        "export MY_JAVA_HOME_DIR=/x\nSPARK_WORKER_OPTS=-Da=1\n",
    ] {
        let scene = with_env_sh("4.3.0", &format!("{TRACE}{text}"));
        scene.run(&RUN).expect(Some(0), "").starts("spark/bin/spark-submit", &APP);
        assert!(!scene.path("sourced").exists(), "{text}");
    }
}

#[test]
fn a_script_that_can_matter_is_sourced_in_dry_runs_too() {
    for text in [
        "export JAVA_HOME=@root/java\n",
        ". @root/more.sh\n",
        "[ -f @root/more.sh ] && source @root/more.sh\n",
        "eval \"$(cat @root/more.sh)\"\n",
        // Sourcing by another name.
        "export $(cat @root/more.sh)\n",
        "while read -r line; do export \"$line\"; done < @root/more.sh\n",
        "while read -r n v; do declare -x $n=$v; done < @root/more.sh\n",
    ] {
        let scene = with_env_sh("4.3.0", &format!("{TRACE}{text}")).file("more.sh", "");
        scene.run(&RUN).expect(Some(0), "").starts("spark/bin/spark-submit", &APP);
        assert!(scene.path("sourced").exists(), "{text}");
        fs::remove_file(scene.path("sourced")).unwrap();
        scene.run(&["-q", "--dry-run", "submit", DRIVER, "app.jar"]).expect(Some(0), "");
        assert!(scene.path("sourced").exists(), "{text}");
    }
}

#[test]
fn spark_does_not_read_it_twice_so_neither_do_we() {
    let scene = with_env_sh("4.3.0", &format!("{TRACE}export JAVA_HOME=@root/java\n")).env("SPARK_ENV_LOADED", "1");
    scene.run(&RUN).expect(Some(0), "");
    assert!(!scene.path("sourced").exists());
}

#[test]
fn its_conf_dir_counts() {
    let scene = with_env_sh("2.4.8", "export SPARK_CONF_DIR=@root/etc\n")
        .file("etc/spark-defaults.conf", "spark.driver.extraJavaOptions -Detc=1\n")
        .file("spark/conf/spark-defaults.conf", "spark.driver.extraJavaOptions -Dhome=1\n");
    let word = format!("spark.driver.extraJavaOptions={AGENT} -Detc=1");
    scene.run(&RUN).expect(Some(0), "").starts("spark/bin/spark-submit", &["--conf", &word, "app.jar"]);
    // A java-opts there as well.
    let scene = scene.file("etc/java-opts", J);
    let run = scene.run(&RUN);
    assert_eq!(run.status.code(), Some(125), "{run}");
    assert!(run.stderr.contains(&scene.fill("@root/etc/java-opts line 1")), "{run}");
}

#[test]
fn its_java_counts() {
    let scene = with_env_sh("4.3.0", "JAVA_HOME=@root/java8\n").file("java8/release", "JAVA_VERSION=\"1.8.0_402\"\n");
    scene.run(&["submit", DRIVER, "--allow", "10.0.0.7", "app.jar"]).fails(
        125,
        "error: the driver runs on Java 8, whose debug agent does not know `allow` (--allow)\n\
         help: it came with Java 10; leave it out, or set JAVA_HOME to a newer one\n",
    );
}

#[test]
fn it_sees_what_load_spark_env_shows_it() {
    let script = "printf '%s|' \"$SPARK_HOME\" \"$SPARK_CONF_DIR\" \"$0\" \"$1\" \"${2-}\" > @root/seen\n\
                  export JAVA_HOME=@root/java\n";
    let scene = with_env_sh("4.3.0", script).unset("SPARK_HOME").env("PATH", "@root/spark/bin:/usr/bin:/bin");
    scene.run(&RUN).expect(Some(0), "");
    let expected =
        "@root/spark|@root/spark/conf|@root/spark/bin/spark-class|org.apache.spark.deploy.SparkSubmit|app.jar|";
    assert_eq!(scene.read("seen"), scene.fill(expected));
}

#[test]
fn what_it_prints_is_not_for_our_streams() {
    let scene = with_env_sh("4.3.0", "echo noise; echo more noise >&2; export JAVA_HOME=@root/java; false\n");
    scene.run(&RUN).expect(Some(0), "").starts("spark/bin/spark-submit", &APP);
}

#[test]
fn one_that_ends_its_shell_would_end_spark_too() {
    let scene = with_env_sh("4.3.0", "export JAVA_HOME=/x\nexit 3\n");
    scene.run(&RUN).fails(
        125,
        "error: `@root/spark/conf/spark-env.sh` ends the shell that sources it (exit status: 3); Spark's scripts would \
         end there too\n",
    );
}

/// Runs what was started as Spark's `load-spark-env.sh` would: bash sources `$SPARK_CONF_DIR/spark-env.sh` with all
/// variables exported. The result is what Spark's launcher would see.
pub fn as_load_spark_env_does(
    scene: &Scene,
    child: &Started,
) -> std::collections::BTreeMap<std::ffi::OsString, std::ffi::OsString> {
    let script = "set -a\n. \"${SPARK_CONF_DIR:-\"$SPARK_HOME\"/conf}\"/spark-env.sh\nset +a\nenv -0\n";
    let output = std::process::Command::new("bash")
        .args(["-c", script])
        .env_clear()
        .envs(&child.env)
        .current_dir(scene.path("work"))
        .output()
        .unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let entries = output.stdout.split(|byte| *byte == 0).filter_map(|entry| {
        let text = String::from_utf8_lossy(entry).into_owned();
        let (name, value) = text.split_once('=')?;
        Some((name.into(), value.into()))
    });
    entries.collect()
}

#[test]
fn an_agent_that_it_sets_after_us_is_taken_out_after_it() {
    let script = format!("{TRACE}export SPARK_SUBMIT_OPTS=\"-Dx='1 2' {J}\"\nexport SITE=1\n");
    let scene = with_env_sh("4.3.0", &script);
    let run = scene.run(&RUN);
    run.expect(Some(0), &format!("note: replaced: `{J}` in SPARK_SUBMIT_OPTS, set by spark-env.sh\n"));
    let child = run.child();
    assert_eq!(child.args, scene.words(&APP), "{run}");
    fs::remove_file(scene.path("sourced")).unwrap();

    let seen = as_load_spark_env_does(&scene, &child);
    let value = |name: &str| seen.get(OsStr::new(name)).map(|value| value.to_string_lossy().into_owned());
    assert!(scene.path("sourced").exists(), "the real one is sourced first");
    assert_eq!(value("SITE").as_deref(), Some("1"));
    assert_eq!(value("SPARK_SUBMIT_OPTS").as_deref(), Some("-Dx='1 2'"));
    // From here on nothing of us is left: files are read from the real directory, nested jobs start afresh.
    assert_eq!(value("SPARK_CONF_DIR"), Some(scene.fill("@root/spark/conf")));
    let ours: Vec<_> = seen.keys().filter(|name| name.to_string_lossy().contains("SPARKDBG")).collect();
    assert!(ours.is_empty(), "{ours:?}");
}

#[test]
fn a_variable_that_held_nothing_else_is_removed_after_it() {
    let scene = with_env_sh("4.3.0", &format!("export JAVA_TOOL_OPTIONS={J}\n"));
    let run = scene.run(&RUN);
    run.expect(Some(0), &format!("note: replaced: `{J}` in JAVA_TOOL_OPTIONS, set by spark-env.sh\n"));
    let seen = as_load_spark_env_does(&scene, &run.child());
    assert_eq!(seen.get(OsStr::new("JAVA_TOOL_OPTIONS")), None, "{run}");
}

#[test]
fn it_can_move_the_conf_dir_and_set_an_agent_at_once() {
    let script = format!("export SPARK_CONF_DIR=@root/etc\nexport _JAVA_OPTIONS='{J} -Dx'\n");
    let scene =
        with_env_sh("4.3.0", &script).file("etc/spark-defaults.conf", "spark.driver.defaultJavaOptions -Detc\n");
    let run = scene.run(&RUN);
    run.expect(Some(0), &format!("note: replaced: `{J}` in _JAVA_OPTIONS, set by spark-env.sh\n"));
    let child = run.child();
    assert_eq!(child.args[1], *scene.fill(&format!("{} -Detc", INJECTED[1])), "{run}");
    let seen = as_load_spark_env_does(&scene, &child);
    let value = |name: &str| seen.get(OsStr::new(name)).map(|value| value.to_string_lossy().into_owned());
    assert_eq!(value("_JAVA_OPTIONS").as_deref(), Some("-Dx"));
    assert_eq!(value("SPARK_CONF_DIR"), Some(scene.fill("@root/etc")), "where it says that Spark shall look");
}

#[test]
fn it_appends_to_what_we_give_it() {
    // The usual way to write it: what the user has in the environment comes first.
    let scene = with_env_sh("4.3.0", "export SPARK_SUBMIT_OPTS=\"$SPARK_SUBMIT_OPTS -Dsite=1\"\n")
        .env("SPARK_SUBMIT_OPTS", format!("{J} -Dmine=1"));
    let run = scene.run(&RUN);
    assert_eq!(run.status.code(), Some(0), "{run}");
    let seen = as_load_spark_env_does(&scene, &run.child());
    assert_eq!(seen[OsStr::new("SPARK_SUBMIT_OPTS")], "-Dmine=1 -Dsite=1", "{run}");
}

/// It may set what is set already, or a default that only our removal would let through.
#[test]
fn a_value_that_it_leaves_alone_stays_replaced() {
    for (text, left) in [
        (format!("export SPARK_SUBMIT_OPTS=\"-Dx=1 {J}\"\n"), "-Dx=1"),
        ("export SPARK_SUBMIT_OPTS=\"${SPARK_SUBMIT_OPTS:--Dsite=1}\"\n".to_owned(), "-Dx=1"),
    ] {
        let scene = with_env_sh("4.3.0", &text).env("SPARK_SUBMIT_OPTS", format!("-Dx=1 {J}"));
        let run = scene.run(&RUN);
        assert_eq!(run.status.code(), Some(0), "{run}");
        let seen = as_load_spark_env_does(&scene, &run.child());
        assert_eq!(seen[OsStr::new("SPARK_SUBMIT_OPTS")], left, "{run}");
    }
    let scene = with_env_sh("4.3.0", "export JAVA_TOOL_OPTIONS=\"${JAVA_TOOL_OPTIONS:--Dsite=1}\"\n");
    let run = scene.env("JAVA_TOOL_OPTIONS", J).run(&RUN).child();
    assert!(run.env.contains_key(OsStr::new("SPARKDBG_SET_JAVA_TOOL_OPTIONS")), "removed after the file, not before");
}

/// A child that it leaves behind holds no pipe of ours.
#[test]
fn a_child_in_its_background_is_not_waited_for() {
    let scene = with_env_sh("4.3.0", "export JAVA_HOME=@root/java\nsleep 20 &\n");
    let start = std::time::Instant::now();
    assert_eq!(scene.run(&RUN).status.code(), Some(0));
    assert!(start.elapsed() < std::time::Duration::from_secs(10), "{:?}", start.elapsed());
}

/// What it does not export reaches no JVM.
#[test]
fn what_it_does_not_export_does_not_count() {
    let local = with_env_sh("4.3.0", "set +a\nMASTER=yarn\nDEPLOY_MODE=cluster\n");
    local.run(&RUN).expect(Some(0), "").starts("spark/bin/spark-submit", &APP);
    let agent = with_env_sh("4.3.0", &format!("set -a; . /dev/null; set +a\nSPARK_SUBMIT_OPTS='{J}'\n"));
    agent.run(&RUN).expect(Some(0), "").starts("spark/bin/spark-submit", &APP);
    // The scripts read this one themselves.
    let java =
        with_env_sh("4.3.0", "set +a\nJAVA_HOME=@root/java8\n").file("java8/release", "JAVA_VERSION=\"1.8.0\"\n");
    let java = java.unset("JAVA_HOME");
    let run = java.run(&["submit", "--attach", "@port", "--allow", "10.0.0.1", "app.jar"]);
    assert_eq!(run.status.code(), Some(125), "{run}");
    assert!(run.stderr.contains("runs on Java 8"), "{run}");
}

#[test]
fn options_of_the_shell_do_not_hide_its_agent() {
    for text in ["set -o noclobber\n", "readonly name=x flags=y\n", "X=\"a #1\"; "] {
        let scene = with_env_sh("4.3.0", &format!("{text}export SPARK_SUBMIT_OPTS='{J}'\n"));
        scene.run(&RUN).expect(Some(0), &format!("note: replaced: `{J}` in SPARK_SUBMIT_OPTS, set by spark-env.sh\n"));
    }
}

/// It may use any file descriptor.
#[test]
fn a_script_may_move_its_output() {
    let text =
        format!("exec 3>&1 4>&2 1>/dev/null 2>&1\nexport SPARK_SUBMIT_OPTS='-Dx=1 {J}'\nexec 1>&3 2>&4 3>&- 4>&-\n");
    let scene = with_env_sh("4.3.0", &text);
    scene.run(&RUN).expect(Some(0), &format!("note: replaced: `{J}` in SPARK_SUBMIT_OPTS, set by spark-env.sh\n"));
}

#[test]
fn a_read_only_variable_cannot_be_replaced() {
    let scene = with_env_sh("4.3.0", &format!("declare -rx SPARK_SUBMIT_OPTS='{J}'\n"));
    scene.run(&RUN).fails(
        125,
        "error: `@root/spark/conf/spark-env.sh` makes SPARK_SUBMIT_OPTS read-only, so that nothing after it can \
         change it for the debug agent\n\
         help: take the agent out there, or debug with it: --existing=keep\n",
    );
}

/// The helper file is run by a shell: nobody else may exchange it.
#[test]
fn a_cache_that_others_can_write_is_refused() {
    let scene = with_env_sh("4.3.0", &format!("export SPARK_SUBMIT_OPTS='{J}'\n"));
    assert_eq!(scene.run(&RUN).status.code(), Some(0));
    let dir = fs::read_dir(scene.path("cache/sparkdbg")).unwrap().next().unwrap().unwrap().path();
    let scene = scene.mode(dir.to_str().unwrap(), 0o777);
    let run = scene.run(&RUN);
    assert_eq!(run.status.code(), Some(125), "{run}");
    assert!(run.stderr.contains("is writable by its group and others (mode 0777)"), "{run}");
    let nowhere =
        with_env_sh("4.3.0", &format!("export SPARK_SUBMIT_OPTS='{J}'\n")).unset("HOME").unset("XDG_CACHE_HOME");
    nowhere.run(&RUN).fails(
        125,
        "error: a helper file is needed, but neither XDG_CACHE_HOME nor HOME names a directory for it\n\
         help: set XDG_CACHE_HOME to a directory of yours\n",
    );
}

#[test]
fn keep_and_fail_see_its_agent() {
    let scene = with_env_sh("4.3.0", &format!("export SPARK_SUBMIT_OPTS='{J}'\n"));
    let run = scene.run(&["-q", "submit", DRIVER, "--existing=keep", "app.jar"]);
    run.expect(Some(0), &format!("note: kept: `{J}` in SPARK_SUBMIT_OPTS, set by spark-env.sh; nothing is injected, and `--driver` has no effect\n"));
    run.starts("spark/bin/spark-submit", &["app.jar"]);
    scene.run(&["submit", DRIVER, "--existing=fail", "app.jar"]).fails(
        125,
        &format!(
            "error: a debug agent is configured already: `{J}` in SPARK_SUBMIT_OPTS, set by spark-env.sh\n\
             help: take it out, or choose --existing=replace or --existing=keep\n"
        ),
    );
}

#[test]
fn the_helper_file_is_the_same_for_every_job_and_holds_no_value() {
    let file_of = |scene: &Scene, args: &[&str]| {
        let run = scene.run(args);
        assert_eq!(run.status.code(), Some(0), "{run}");
        let plan: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
        assert_eq!(plan["files"].as_array().unwrap().len(), 1, "{run}");
        plan["files"][0].as_str().unwrap().to_owned()
    };
    let one = with_env_sh("4.3.0", &format!("export SPARK_SUBMIT_OPTS='-Dpassword=hunter2 {J}'\n"));
    let two = with_env_sh("4.3.0", &format!("export JAVA_TOOL_OPTIONS='{J}'\n"));
    let args = ["-q", "--dry-run=json", "submit", DRIVER, "app.jar"];
    let (first, second) = (file_of(&one, &args), file_of(&two, &args));
    let cache = |scene: &Scene| scene.fill("@root/cache/sparkdbg/");
    // Same name below the cache, same text; written by dry runs too.
    assert_eq!(first.strip_prefix(&cache(&one)).unwrap(), second.strip_prefix(&cache(&two)).unwrap());
    let text = fs::read_to_string(&first).unwrap();
    assert_eq!(text, fs::read_to_string(&second).unwrap());
    assert!(!text.contains("hunter2") && !text.contains(one.fill("@root").as_str()), "{text}");
    // Whoever damages it gets it mended.
    fs::write(&first, "exit 1\n").unwrap();
    file_of(&one, &args);
    assert_eq!(fs::read_to_string(&first).unwrap(), text);
    let launch = with_env_sh("4.3.0", &format!("export JAVA_TOOL_OPTIONS='{J}'\n"));
    launch.run(&RUN);
    assert!(launch.path("cache/sparkdbg").join(first.strip_prefix(&cache(&one)).unwrap()).exists());
}

#[test]
fn without_a_cache_directory_of_its_own_home_has_one() {
    let scene = with_env_sh("4.3.0", &format!("export JAVA_TOOL_OPTIONS='{J}'\n")).unset("XDG_CACHE_HOME");
    scene.run(&RUN);
    assert!(scene.path(".cache/sparkdbg").is_dir());
    assert!(!scene.path("cache").exists());
}

#[test]
fn a_cache_directory_that_sparks_scripts_cannot_take() {
    let scene =
        with_env_sh("4.3.0", &format!("export JAVA_TOOL_OPTIONS='{J}'\n")).env("XDG_CACHE_HOME", "@root/my cache");
    scene.run(&RUN).fails(
        125,
        "error: `@root/my cache/sparkdbg` has a character that Spark's load-spark-env.sh cannot take in a path\n\
         help: set XDG_CACHE_HOME to a directory without blanks\n",
    );
    let file = with_env_sh("4.3.0", &format!("export JAVA_TOOL_OPTIONS='{J}'\n")).file("cache", "");
    let run = file.run(&RUN);
    assert_eq!(run.status.code(), Some(125), "{run}");
    assert!(run.stderr.ends_with("help: set XDG_CACHE_HOME to a directory of yours\n"), "{run}");
}

#[test]
fn v_says_what_was_done() {
    let scene = with_env_sh("4.3.0", &format!("export SPARK_SUBMIT_OPTS='-Dx {J}'\n"));
    let run = scene.run(&["-q", "-v", "submit", DRIVER, "app.jar"]);
    let rewrite = format!(
        "SPARK_SUBMIT_OPTS\n  before: -Dx {J}\n  after:  -Dx\n  from:   @root/spark/conf/spark-env.sh → a helper conf \
         directory that sources it first\n  why:    a JVM loads one debug agent only\nhelper file: "
    );
    assert!(run.stderr.contains(&scene.fill(&rewrite)), "{run}");
}

/// Documented: it is sourced. Who does not want that can see it.
#[test]
fn v_says_that_it_was_sourced() {
    let scene = with_env_sh("4.3.0", "export JAVA_HOME=@root/java\n");
    let run = scene.run(&["-q", "-v", "submit", DRIVER, "app.jar"]);
    assert!(run.stderr.contains(&scene.fill("@root/spark/conf/spark-env.sh")), "{run}");
}

#[test]
fn launches_at_once_share_the_helper_file() {
    let scene = with_env_sh("4.3.0", &format!("export JAVA_TOOL_OPTIONS='{J}'\n"));
    let args = ["-q", "--dry-run=json", "submit", "--listen", "203.0.113.9:5005", "app.jar"];
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..8).map(|_| scope.spawn(|| scene.run(&args))).collect();
        for run in runs {
            let run = run.join().unwrap();
            assert_eq!(run.status.code(), Some(0), "{run}");
        }
    });
    let dirs: Vec<_> = fs::read_dir(scene.path("cache/sparkdbg")).unwrap().collect();
    assert_eq!(dirs.len(), 1);
    let files: Vec<_> = fs::read_dir(dirs[0].as_ref().unwrap().path()).unwrap().collect();
    assert_eq!(files.len(), 1, "no half-written file is left: {files:?}");
}
