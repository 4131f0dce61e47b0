//! Where the Worker finds its Master: in its words, else the first of profile, `spark.master`, `SPARK_MASTER_HOST`.

use crate::scene::{NO_PAUSE, Scene};
use crate::worker::{MASTER, WORKER, run, scene};

/// The Worker gets these words.
#[track_caller]
fn gets(scene: &Scene, words: &[&str], expected: &[&str]) {
    let run = run(scene, &["-q", "--daemon=attach:@port"], words);
    run.expect(Some(0), "");
    let expected = [&[WORKER], expected].concat();
    assert_eq!(run.child().args, scene.words(&expected), "{run}");
}

/// All that could name another one.
fn named_everywhere() -> Scene {
    scene()
        .env("SPARK_MASTER_HOST", "variable")
        .file("spark/conf/spark-defaults.conf", "spark.master spark://defaults:1\n")
        .file("work/sparkdbg.toml", "default-profile = \"p\"\n[profile.p]\nworker-master = \"spark://profile:1\"\n")
}

#[test]
fn one_that_is_typed_is_enough() {
    let scene = named_everywhere().file("work/p.conf", "");
    for words in [
        [MASTER].as_slice(),
        &["-c", "1", MASTER],
        &[MASTER, "-c", "1"],
        &["spark://a:1,b:1"],
        &["--properties-file", "p.conf", MASTER],
        // No master, but the Worker will say so itself.
        &["yarn"],
    ] {
        gets(&scene, words, words);
    }
    let run = scene.run(&["-q", "worker", NO_PAUSE, "--daemon=attach:@port", MASTER]);
    assert_eq!(run.child().args, [WORKER, MASTER], "without `--` too\n{run}");
}

/// Source: `WorkerArguments`.
#[test]
fn the_value_of_an_option_is_no_master() {
    let scene = scene().env("SPARK_MASTER_HOST", "h").file("work/p.conf", "");
    for option in [
        "--ip",
        "-i",
        "--host",
        "-h",
        "--port",
        "-p",
        "--cores",
        "-c",
        "--memory",
        "-m",
        "--work-dir",
        "-d",
        "--webui-port",
    ] {
        gets(&scene, &[option, "1"], &[option, "1", "spark://h:7077"]);
        gets(&scene, &[option, "1", MASTER], &[option, "1", MASTER]);
    }
    gets(&scene, &["--properties-file", "p.conf"], &["--properties-file", "p.conf", "spark://h:7077"]);
    gets(&scene, &["-c", "1", "-m", "1g"], &["-c", "1", "-m", "1g", "spark://h:7077"]);
}

#[test]
fn the_first_that_names_one_wins() {
    let scene = named_everywhere();
    gets(&scene, &[], &["spark://profile:1"]);
    let scene = scene.without("work/sparkdbg.toml");
    gets(&scene, &[], &["spark://defaults:1"]);
    // A file that is named takes the place of the defaults.
    let scene = scene.file("work/p.conf", "spark.master=spark://named:1,other:1\n");
    gets(&scene, &["--properties-file", "p.conf"], &["--properties-file", "p.conf", "spark://named:1,other:1"]);
    let scene = scene.file("work/p.conf", "");
    gets(&scene, &["--properties-file", "p.conf"], &["--properties-file", "p.conf", "spark://variable:7077"]);
    let scene = scene.without("spark/conf/spark-defaults.conf");
    gets(&scene, &[], &["spark://variable:7077"]);
    let scene = scene.env("SPARK_MASTER_PORT", "7");
    gets(&scene, &[], &["spark://variable:7"]);
}

/// What names the master of applications may be no standalone one.
#[test]
fn another_kind_of_master_is_none() {
    for master in ["yarn", "local[*]", "k8s://h", ""] {
        let scene = scene()
            .env("SPARK_MASTER_HOST", "h")
            .env("SPARK_MASTER_PORT", "")
            .file("spark/conf/spark-defaults.conf", format!("spark.master {master}\n"));
        gets(&scene, &[], &["spark://h:7077"]);
    }
}

#[test]
fn nobody_names_one() {
    let error = "error: no master for the worker: none is typed, nor in a profile, spark.master or SPARK_MASTER_HOST\n\
                 help: name it: sparkdbg worker -- spark://HOST:7077\n";
    for scene in [
        scene(),
        scene().env("SPARK_MASTER_HOST", ""),
        scene().env("SPARK_MASTER_PORT", "7077"),
        scene().file("spark/conf/spark-defaults.conf", "spark.master yarn\n"),
    ] {
        run(&scene, &[], &["-c", "1"]).fails(125, error);
        run(&scene, &["-q", "--daemon=attach:@port"], &[]).fails(125, error);
    }
}

#[test]
fn where_it_comes_from() {
    let said = |scene: &Scene, from: &str, master: &str| {
        let run = run(scene, &["-v", "-q", "--daemon=attach:@port"], &[]);
        let block = format!(
            "master\n  before: (not set)\n  after:  {master}\n  from:   {from} → one more argument\n  why:    the Worker \
             takes its master from its arguments alone\n"
        );
        assert!(run.stderr.contains(&scene.fill(&block)), "{block}{run}");
    };
    let scene = named_everywhere();
    said(&scene, "@root/work/sparkdbg.toml:3 (profile p)", "spark://profile:1");
    let scene = scene.without("work/sparkdbg.toml");
    said(&scene, "spark.master (@root/spark/conf/spark-defaults.conf line 1)", "spark://defaults:1");
    let scene = scene.without("spark/conf/spark-defaults.conf");
    said(&scene, "SPARK_MASTER_HOST", "spark://variable:7077");
}

/// A file that came with the project decides to whom the Worker belongs.
#[test]
fn one_from_a_projects_file_is_said() {
    let hint = "sparkdbg: the master is `spark://profile:1`, from @root/work/sparkdbg.toml:3 (profile p)\n";
    let scene = named_everywhere();
    let run = self::run(&scene, &["--daemon=attach:@port"], &[]);
    assert!(run.stderr.contains(&scene.fill(hint)), "{run}");
    for (options, words) in
        [(["-q", "--daemon=attach:@port"].as_slice(), [].as_slice()), (&["--daemon=attach:@port"], &[MASTER])]
    {
        let run = self::run(&scene, options, words);
        assert!(!run.stderr.contains("the master is"), "{run}");
    }
    let mine = scene.without("work/sparkdbg.toml").file(
        "config/sparkdbg/config.toml",
        "default-profile = \"p\"\n[profile.p]\nworker-master = \"spark://mine:1\"\n",
    );
    let run = self::run(&mine, &["--daemon=attach:@port"], &[]);
    assert!(!run.stderr.contains("the master is"), "{run}");
    assert_eq!(run.child().args, [WORKER, "spark://mine:1"]);
}
