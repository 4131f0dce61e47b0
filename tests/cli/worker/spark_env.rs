//! `spark-env.sh` is sourced after us; what we set stands all the same.

use std::ffi::OsStr;

use crate::scene::{NO_PAUSE, Outcome, Scene};
use crate::spark_env::as_load_spark_env_does;
use crate::worker::{ATTACH, MASTER, WORKER, run, scene, shim};

const DAEMON: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:@port";

fn with_env_sh(text: &str) -> Scene {
    scene().file("spark/conf/spark-env.sh", text)
}

/// The Worker sees these variables once Spark's scripts have sourced the file, and nothing else of ours.
#[track_caller]
fn sees(run: &Outcome<'_>, scene: &Scene, expected: &[(&str, Option<&str>)]) {
    let seen = as_load_spark_env_does(scene, &run.child());
    for (name, value) in expected {
        let found = seen.get(OsStr::new(name)).map(|value| value.to_string_lossy().into_owned());
        assert_eq!(found, value.map(|value| scene.fill(value)), "{name}\n{run}");
    }
    let ours = seen.keys().map(|name| name.to_string_lossy()).filter(|name| name.starts_with("SPARKDBG"));
    let ours: Vec<_> = ours.collect();
    let told: Vec<_> = expected.iter().map(|(name, _)| *name).filter(|name| name.starts_with("SPARKDBG")).collect();
    assert_eq!(ours, told, "{run}");
}

#[test]
fn a_java_home_that_it_exports() {
    for text in [
        "export JAVA_HOME=@root/java17\n",
        "JAVA_HOME=@root/java17\n",
        "[ -n \"$OTHER\" ] || JAVA_HOME=@root/java17; SPARK_LOCAL_IP=127.0.0.1\n",
    ] {
        let scene = with_env_sh(text).stand_in("java17/bin/java").file("java17/conf/x", "");
        let run = run(&scene, &["-q"], &[MASTER]);
        run.expect(Some(0), "");
        let home = shim(&scene);
        sees(
            &run,
            &scene,
            &[
                ("JAVA_HOME", Some(home.as_str())),
                ("SPARKDBG_AGENT", Some(ATTACH)),
                ("SPARKDBG_EXISTING", Some("replace")),
                ("SPARKDBG_JAVA", Some("@root/java17/bin/java")),
                ("SPARK_CONF_DIR", Some("@root/spark/conf")),
            ],
        );
        assert_eq!(std::fs::read_link(std::path::Path::new(&home).join("conf")).unwrap(), scene.path("java17/conf"));
        assert_eq!(run.child().args, [WORKER, MASTER]);
    }
}

/// That of the environment stays ours, whatever the file says of other things.
#[test]
fn a_java_home_that_it_only_reads() {
    let scene = with_env_sh("export SPARK_WORKER_OPTS=\"-Dhome=$JAVA_HOME\"\n: ${JAVA_HOME:=/nowhere}\n");
    let run = run(&scene, &["-q"], &[MASTER]);
    run.expect(Some(0), "");
    let seen = as_load_spark_env_does(&scene, &run.child());
    assert_eq!(seen[OsStr::new("JAVA_HOME")], *shim(&scene));
    assert_eq!(seen[OsStr::new("SPARK_WORKER_OPTS")], *scene.fill("-Dhome=@root/java"));
}

#[test]
fn options_of_the_worker_that_it_exports() {
    let scene = with_env_sh("export SPARK_WORKER_OPTS=\"$SPARK_WORKER_OPTS -Da='1 2'\"\nSPARK_WORKER_CORES=3\n")
        .env("SPARK_WORKER_OPTS", "-Dmine=1");
    let run = run(&scene, &["-q", "--daemon=attach:@port"], &[MASTER]);
    run.expect(Some(0), "");
    let merged = format!("{DAEMON} -Dmine=1 -Da='1 2'");
    sees(
        &run,
        &scene,
        &[
            ("SPARK_WORKER_OPTS", Some(&merged)),
            ("SPARK_WORKER_CORES", Some("3")),
            ("JAVA_HOME", Some("@root/java")),
            ("SPARK_CONF_DIR", Some("@root/spark/conf")),
        ],
    );
}

#[test]
fn the_master_that_it_names() {
    for (text, master) in [
        ("SPARK_MASTER_HOST=h\n", "spark://h:7077"),
        ("export SPARK_MASTER_HOST=h SPARK_MASTER_PORT=7\n", "spark://h:7"),
        ("SPARK_MASTER_PORT=$((7000 + 8))\nSPARK_MASTER_HOST=$(echo h)\n", "spark://h:7008"),
    ] {
        let scene = with_env_sh(text).env("SPARK_MASTER_HOST", "of-the-environment");
        let run = run(&scene, &["-q"], &[]);
        run.expect(Some(0), "");
        assert_eq!(run.child().args, [WORKER, master], "{run}");
        let run = self::run(&scene, &["-q", "-v"], &[]);
        assert!(run.stderr.contains("  from:   SPARK_MASTER_HOST"), "{run}");
    }
}

#[test]
fn several_workers_that_it_asks_for() {
    let note = |count: &str| {
        format!(
            "note: SPARK_WORKER_INSTANCES is {count}; this starts one worker, in the foreground: run it again for each more\n"
        )
    };
    for count in ["2", "10"] {
        let scene = with_env_sh(&format!("SPARK_WORKER_INSTANCES={count}\n"));
        run(&scene, &["-q"], &[MASTER]).expect(Some(0), &note(count));
        let scene = scene.without("spark/conf/spark-env.sh").env("SPARK_WORKER_INSTANCES", count);
        run(&scene, &["-q", "--daemon=attach:@port"], &[MASTER]).expect(Some(0), &note(count));
    }
    for count in ["1", "", "x"] {
        let scene = scene().env("SPARK_WORKER_INSTANCES", count);
        run(&scene, &["-q"], &[MASTER]).expect(Some(0), "");
    }
}

#[test]
fn an_agent_that_it_exports() {
    let theirs = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:@other";
    let scene = with_env_sh(&format!("export JAVA_TOOL_OPTIONS='-Da=1 {theirs}'\n"));
    let run = run(&scene, &["-q"], &[MASTER]);
    run.expect(Some(0), &format!("note: replaced: `{theirs}` in JAVA_TOOL_OPTIONS, set by spark-env.sh\n"));
    let seen = as_load_spark_env_does(&scene, &run.child());
    assert_eq!(seen[OsStr::new("JAVA_TOOL_OPTIONS")], "-Da=1");
    assert_eq!(seen[OsStr::new("JAVA_HOME")], *shim(&scene));
}

#[test]
fn what_it_makes_read_only() {
    let scene = with_env_sh("readonly JAVA_HOME=@root/java\n");
    run(&scene, &[], &[MASTER]).fails(
        125,
        "error: `@root/spark/conf/spark-env.sh` makes JAVA_HOME read-only, so that nothing after it can change it for \
         the debug agent\n\
         help: take `readonly` out there, or debug the executors of one application: sparkdbg submit --executor\n",
    );
    // The Worker itself needs no other JAVA_HOME.
    run(&scene, &["-q", "--daemon=attach:@port"], &[MASTER]).expect(Some(0), "");
    let scene = with_env_sh("declare -r SPARK_WORKER_OPTS=-Da=1\n");
    run(&scene, &["-q"], &[MASTER]).expect(Some(0), "");
    run(&scene, &["--daemon=attach:@port"], &[MASTER]).fails(
        125,
        "error: `@root/spark/conf/spark-env.sh` makes SPARK_WORKER_OPTS read-only, so that nothing after it can change \
         it for the debug agent\n\
         help: take `readonly` out there\n",
    );
}

/// It was sourced before: Spark's scripts will not do it again.
#[test]
fn one_that_was_sourced_already() {
    let scene = with_env_sh("export JAVA_HOME=/nowhere\n").env("SPARK_ENV_LOADED", "1");
    let run = run(&scene, &["-q"], &[MASTER]);
    run.expect(Some(0), "");
    assert_eq!(run.child().env[OsStr::new("JAVA_HOME")], *shim(&scene), "{run}");
}

/// `load-spark-env.sh` sources it without quotes.
#[test]
fn a_cache_directory_that_it_cannot_take() {
    let scene = with_env_sh("export JAVA_HOME=@root/java\n").env("XDG_CACHE_HOME", "@root/ca che");
    run(&scene, &[], &[MASTER]).fails(
        125,
        "error: `@root/ca che/sparkdbg` has a character that Spark's load-spark-env.sh cannot take in a path\n\
         help: set XDG_CACHE_HOME to a directory without blanks\n",
    );
}

#[test]
fn where_its_values_went() {
    let scene = with_env_sh("export JAVA_HOME=@root/java17\nSPARK_MASTER_HOST=h\n").stand_in("java17/bin/java");
    let home = shim(&scene);
    let run = scene.run(&["-v", "-q", "worker", NO_PAUSE]);
    let block = format!(
        "JAVA_HOME\n  before: @root/java17\n  after:  {home}\n  from:   @root/spark/conf/spark-env.sh → a helper conf \
         directory that sources it first\n  why:    its bin/java gives executors the agent; everything else in it is that \
         of the real one\nhelper file: {home}/bin/java\nhelper file: @root/cache/sparkdbg/"
    );
    assert!(run.stderr.contains(&scene.fill(&block)), "{run}");
}
