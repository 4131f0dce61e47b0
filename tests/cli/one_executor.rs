//! A debugger that listens takes one JVM: the application is held to one executor by the settings that its cluster
//! manager heeds, and never over a value of the user's without a word.

use crate::executors::{DEFAULT, submit, with_conf};
use crate::scene::Scene;

const LISTEN: &str = "--executor=listen:10.0.0.171:5005";
const DIALS: &str = "-agentlib:jdwp=transport=dt_socket,server=n,suspend=n,address=10.0.0.171:5005";
const STATIC: &str = "spark.dynamicAllocation.enabled=false";
const INSTANCES: &str = "spark.executor.instances=1";

/// What the debugger that listens does with these words: the settings that it adds, in their order, and the words.
#[track_caller]
fn holds(scene: &Scene, words: &[&str], notes: &str, added: &[&str], expected: &[&str]) {
    let agent = format!("{DEFAULT}={DIALS}");
    let mut conf: Vec<&str> = added.iter().copied().chain([agent.as_str()]).collect();
    conf.sort_unstable();
    let run = submit(scene, &["-q", LISTEN], words);
    run.expect(Some(0), notes).starts("spark/bin/spark-submit", &with_conf(&conf, expected));
}

/// Where the words need no change.
#[track_caller]
fn adds(scene: &Scene, words: &[&str], added: &[&str]) {
    holds(scene, words, "", added, words);
}

#[test]
fn by_the_settings_that_the_cluster_manager_heeds() {
    let scene = Scene::spark("4.3.0");
    adds(&scene, &["--master", "yarn", "a"], &[STATIC, INSTANCES]);
    adds(&scene, &["--master", "yarn", "--deploy-mode", "cluster", "a"], &[STATIC, INSTANCES]);
    adds(&scene, &["--master", "k8s://https://h:6443", "a"], &[STATIC, INSTANCES]);
    // As many cores for the application as for one executor.
    adds(&scene, &["--master", "spark://h:7077", "a"], &["spark.cores.max=1", STATIC, "spark.executor.cores=1"]);
    for cores in [["--executor-cores", "3"].as_slice(), &["--executor-cores=3"], &["-c", "spark.executor.cores=3"]] {
        let words = [&["--master", "spark://h:7077"], cores, &["a"]].concat();
        adds(&scene, &words, &["spark.cores.max=3", STATIC]);
    }
    // Each worker has its cores for one.
    let words = ["--master", "local-cluster[2,4,1024]", "a"];
    adds(&scene, &words, &["spark.cores.max=4", STATIC, "spark.executor.cores=4"]);
    let words = ["--master", "local-cluster[2,4,1024]", "-c", "spark.executor.cores=2", "a"];
    adds(&scene, &words, &["spark.cores.max=2", STATIC]);
    // Of one worker there is one executor, unless it is cut into more.
    adds(&scene, &["--master", "local-cluster[1,4,1024]", "a"], &[]);
    let words = ["--master", "local-cluster[ 1 , 4 , 1024 ]", "-c", "spark.executor.cores=2", "a"];
    adds(&scene, &words, &["spark.cores.max=2", STATIC]);
    // Whatever cluster it may turn out to be.
    adds(&scene, &["--master", "mesos://h", "a"], &["spark.cores.max=1", STATIC, "spark.executor.cores=1", INSTANCES]);
}

#[test]
fn what_says_one_already_is_left_alone() {
    let scene = Scene::spark("4.3.0");
    adds(&scene, &["--master", "yarn", "--num-executors", "1", "a"], &[STATIC]);
    adds(&scene, &["--master", "yarn", "-c", "spark.executor.instances=1", "-c", STATIC, "a"], &[]);
    adds(&scene, &["--master", "yarn", "-c", "spark.dynamicAllocation.enabled=FALSE", "a"], &[INSTANCES]);
    // Dynamic, but never more than one.
    let words = [
        "--master",
        "yarn",
        "-c",
        "spark.dynamicAllocation.enabled=true",
        "-c",
        "spark.dynamicAllocation.maxExecutors=1",
        "a",
    ];
    adds(&scene, &words, &[INSTANCES]);
    let words = ["--master", "spark://h:1", "--executor-cores", "2", "--total-executor-cores", "2", "a"];
    adds(&scene, &words, &[STATIC]);
}

/// The file's value is the administrator's; what is on the command line wins over it.
#[test]
fn a_value_from_a_file_is_overridden_with_a_note() {
    let conf = "spark.executor.instances 8\nspark.dynamicAllocation.enabled = true\n";
    let scene = Scene::spark("4.3.0").file("spark/conf/spark-defaults.conf", conf);
    let words = ["--master", "yarn", "a"];
    let place = "@root/spark/conf/spark-defaults.conf line";
    let note = |key: &str, line: u32, before: &str, after: &str, why: &str| {
        format!("note: {key} ({place} {line}) is `{before}`; it becomes `{after}`: {why}\n")
    };
    let why = "a debugger that listens takes one executor; --all-executors leaves it";
    let notes = [
        note("spark.executor.instances", 1, "8", "1", why),
        note("spark.dynamicAllocation.enabled", 2, "true", "false", why),
    ];
    holds(&scene, &words, &notes.concat(), &[STATIC, INSTANCES], &words);
    // Asked for, it needs no advice to the contrary.
    let run = submit(&scene, &["-q", "--executor", "--one-executor"], &words);
    let why = "one executor is wanted (--one-executor)";
    let notes = [
        note("spark.executor.instances", 1, "8", "1", why),
        note("spark.dynamicAllocation.enabled", 2, "true", "false", why),
    ];
    run.expect(Some(0), &notes.concat());
    // By the profile, it is its word.
    let scene = scene.file("work/sparkdbg.toml", "[profile.p]\nexecutor = \"attach:0\"\none-executor = true\n");
    let run = scene.run(&["-q", "-p", "p", "submit", "--pause-limit=off", "--", "--master", "yarn", "a"]);
    let why = "one executor is wanted (@root/work/sparkdbg.toml:3 (profile p)); --all-executors leaves it";
    let notes = [
        note("spark.executor.instances", 1, "8", "1", why),
        note("spark.dynamicAllocation.enabled", 2, "true", "false", why),
    ];
    run.expect(Some(0), &notes.concat());
    // What it becomes is what counts for a pause.
    let run = scene.run(&[["-q", "submit", LISTEN, "--"].as_slice(), &words].concat());
    assert!(run.stderr.contains("it becomes `false`") && !run.stderr.contains("removed as idle"), "{run}");
    // All of them: nothing is touched.
    let run = submit(&scene, &["-q", LISTEN, "--all-executors"], &words);
    run.starts("spark/bin/spark-submit", &with_conf(&[&format!("{DEFAULT}={DIALS}")], &words));
}

#[test]
fn a_value_on_the_command_line_is_an_error() {
    let scene = Scene::spark("4.3.0").file("work/sparkdbg.toml", "[profile.p]\none-executor = true\n");
    let help = "help: choose --one-executor to have it changed, or --all-executors to leave it as it is\n";
    for (words, place) in [
        (
            ["--master", "yarn", "--num-executors", "4"].as_slice(),
            "`4` in spark.executor.instances (--num-executors, argument 4)",
        ),
        (
            &["--master", "k8s://h", "--num-executors=4"],
            "`4` in spark.executor.instances (--num-executors, argument 3)",
        ),
        (
            &["--master", "yarn", "-c", "spark.executor.instances=4"],
            "`4` in spark.executor.instances (--conf, argument 4)",
        ),
        // The option wins wherever it stands.
        (
            &["--master", "yarn", "--num-executors", "4", "-c", "spark.executor.instances=1"],
            "`4` in spark.executor.instances (--num-executors, argument 4)",
        ),
        (
            &["--master", "yarn", "-c", "spark.dynamicAllocation.enabled=true"],
            "`true` in spark.dynamicAllocation.enabled (--conf, argument 4)",
        ),
        (
            &["--master", "spark://h:1", "--total-executor-cores", "8", "--executor-cores", "2"],
            "`8` in spark.cores.max (--total-executor-cores, argument 4)",
        ),
        (&["--master", "spark://h:1", "-c", "spark.cores.max=8"], "`8` in spark.cores.max (--conf, argument 4)"),
        (
            &["--master", "local-cluster[2,1,1024]", "-c", "spark.cores.max=2"],
            "`2` in spark.cores.max (--conf, argument 4)",
        ),
    ] {
        let words = [words, &["a"]].concat();
        let error = format!("error: {place}: a debugger that listens takes one executor\n{help}");
        submit(&scene, &[LISTEN], &words).fails(2, &error);
        // A profile is not the user at the keyboard.
        let run = scene.run(&[&["-p", "p", "submit", "--pause-limit=off", LISTEN, "--"], words.as_slice()].concat());
        let why = "one executor is wanted (@root/work/sparkdbg.toml:2 (profile p))";
        run.fails(125, &format!("error: {place}: {why}\n{help}"));
        let run = submit(&scene, &["-q", LISTEN, "--all-executors"], &words);
        run.starts("spark/bin/spark-submit", &with_conf(&[&format!("{DEFAULT}={DIALS}")], &words));
    }
    // So is a file that names the master: which settings count, the command line alone does not say.
    let words = ["--num-executors", "4", "a"];
    let named = Scene::spark("4.3.0").file("spark/conf/spark-defaults.conf", "spark.master yarn\n");
    let place = "`4` in spark.executor.instances (--num-executors, argument 2)";
    let error = format!("error: {place}: a debugger that listens takes one executor\n{help}");
    submit(&named, &[LISTEN], &words).fails(125, &error);
    // Attached to, there may be as many as one likes.
    let words = ["--master", "yarn", "--num-executors", "4", "a"];
    submit(&scene, &["-q", "--executor"], &words).expect(Some(0), "");
}

#[test]
fn one_executor_changes_it_in_place() {
    let scene = Scene::spark("4.3.0");
    for (words, place, before, changed, added) in [
        (
            ["--master", "yarn", "--num-executors", "4", "-c", "spark.executor.instances=2", "a"].as_slice(),
            "spark.executor.instances (--num-executors, argument 4)",
            "4",
            ["--master", "yarn", "--num-executors", "1", "-c", "spark.executor.instances=2", "a"].as_slice(),
            [STATIC].as_slice(),
        ),
        (
            &["--master", "yarn", "--num-executors=4", "a"],
            "spark.executor.instances (--num-executors, argument 3)",
            "4",
            &["--master", "yarn", "--num-executors=1", "a"],
            &[STATIC],
        ),
        (
            &["--master", "spark://h:1", "--total-executor-cores", "8", "--executor-cores", "2", "a"],
            "spark.cores.max (--total-executor-cores, argument 4)",
            "8",
            &["--master", "spark://h:1", "--total-executor-cores", "2", "--executor-cores", "2", "a"],
            &[STATIC],
        ),
        (
            &["--master", "spark://h:1", "-c", "spark.cores.max=8", "a"],
            "spark.cores.max (--conf, argument 4)",
            "8",
            &["--master", "spark://h:1", "-c", "spark.cores.max=1", "a"],
            &[STATIC, "spark.executor.cores=1"],
        ),
    ] {
        let agent = format!("{DEFAULT}={DIALS}");
        let mut conf: Vec<&str> = added.iter().copied().chain([agent.as_str()]).collect();
        conf.sort_unstable();
        let run = submit(&scene, &["-q", LISTEN, "--one-executor"], words);
        let after = if place.contains("cores.max (--total") { "2" } else { "1" };
        let why = "one executor is wanted (--one-executor)";
        run.expect(Some(0), &format!("note: {place} is `{before}`; it becomes `{after}`: {why}\n"));
        run.starts("spark/bin/spark-submit", &with_conf(&conf, changed));
    }
}

/// SparkSubmit hands these options to the managers that they are for, and to no local master.
#[test]
fn an_option_that_spark_does_not_take_here_says_nothing() {
    let scene = Scene::spark("4.3.0");
    let added = ["spark.cores.max=4", STATIC, "spark.executor.cores=4"];
    let words = ["--master", "local-cluster[2,4,1024]", "--num-executors", "4", "--total-executor-cores", "8", "a"];
    adds(&scene, &words, &added);
    let words = ["--master", "local-cluster[2,4,1024]", "--executor-cores", "2", "a"];
    adds(&scene, &words, &added);
    let words = ["--master", "spark://h:1", "--num-executors", "4", "a"];
    adds(&scene, &words, &["spark.cores.max=1", STATIC, "spark.executor.cores=1"]);
    let words = ["--master", "yarn", "--total-executor-cores", "8", "a"];
    adds(&scene, &words, &[STATIC, INSTANCES]);
}

/// Where the executors are not debugged, their number is the user's affair, unless he asks.
#[test]
fn without_executors_to_debug() {
    let scene = Scene::spark("4.3.0").file("work/sparkdbg.toml", "[profile.p]\none-executor = true\n");
    let words = ["--pause-limit=off", "--", "--master", "yarn", "a"];
    let driver = format!("spark.driver.defaultJavaOptions={}", crate::scene::AGENT);
    let run = scene.run(&[["-q", "-p", "p", "submit", crate::scene::DRIVER].as_slice(), &words].concat());
    run.expect(Some(0), "").starts("spark/bin/spark-submit", &with_conf(&[&driver], &words[2..]));
    let run = scene.run(&[["-q", "submit", crate::scene::DRIVER, "--one-executor"].as_slice(), &words].concat());
    let conf = [&driver, STATIC, INSTANCES];
    run.expect(Some(0), "").starts("spark/bin/spark-submit", &with_conf(&conf, &words[2..]));
}

#[test]
fn one_and_all_contradict_each_other() {
    let scene = Scene::spark("4.3.0");
    scene.run(&["submit", LISTEN, "--one-executor", "--all-executors", "a"]).fails(
        2,
        "error: the argument `--one-executor` cannot be used with `--all-executors`\n\
         help: sparkdbg --help, or sparkdbg COMMAND --help, shows what is taken\n",
    );
}

/// `-v` says of each setting what it was, what it is and why.
#[test]
fn each_setting_has_its_reason() {
    let scene = Scene::spark("4.3.0").file("spark/conf/spark-defaults.conf", "spark.executor.instances 8\n");
    let run = submit(&scene, &["-q", "-v", LISTEN], &["--master", "yarn", "a"]);
    for block in [
        "spark.executor.instances\n  before: 8\n  after:  1\n  \
         from:   @root/spark/conf/spark-defaults.conf line 1 → one --conf more, which wins\n  why:    one executor\n",
        "spark.dynamicAllocation.enabled\n  before: (not set)\n  after:  false\n  from:   not set → one --conf more, \
         which wins\n  why:    no executor comes or goes while one is debugged\n",
    ] {
        assert!(run.stderr.contains(&scene.fill(block)), "{block}\n{run}");
    }
}
