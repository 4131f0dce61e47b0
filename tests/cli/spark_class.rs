//! `class -- CLASS`: each class gets its agent where `spark-class` lets it through, and what people typed in front of the
//! class by hand is understood.

use crate::daemons::{AGENT, DAEMON, HINT as DAEMON_HINT};
use crate::scene::{DRIVER, HINT, INJECTED, NO_PAUSE, Outcome, Scene};

/// What it costs to keep it there.
const KEPT_IN_FRONT: &str = "warning: spark-class takes the word before the class for it, so that the class gets none of \
                             its variables; --existing=replace gives them back\n";

const J: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:@other";
const XRUN: &str = "-Xrunjdwp:transport=dt_socket,server=y,suspend=n,address=127.0.0.1:@other";

const MASTER: &str = "org.apache.spark.deploy.master.Master";
const SUBMIT: &str = "org.apache.spark.deploy.SparkSubmit";
const SCRIPT: &str = "spark/bin/spark-class";

fn class<'a>(scene: &'a Scene, options: &[&str], words: &[&str]) -> Outcome<'a> {
    scene.run(&[&["class", NO_PAUSE], options, &["--"], words].concat())
}

/// X10, as Spark's launcher has it.
#[test]
fn each_class_has_its_own_variable() {
    for (version, class_name, variable) in [
        ("4.3.0", MASTER, "SPARK_MASTER_OPTS"),
        ("2.4.8", MASTER, "SPARK_MASTER_OPTS"),
        ("4.3.0", "org.apache.spark.deploy.worker.Worker", "SPARK_WORKER_OPTS"),
        ("4.3.0", "org.apache.spark.deploy.history.HistoryServer", "SPARK_HISTORY_OPTS"),
        ("4.3.0", "org.apache.spark.deploy.ExternalShuffleService", "SPARK_SHUFFLE_OPTS"),
        ("3.5.6", "org.apache.spark.deploy.mesos.MesosExternalShuffleService", "SPARK_SHUFFLE_OPTS"),
        ("3.5.6", "org.apache.spark.deploy.mesos.MesosClusterDispatcher", "SPARK_DAEMON_JAVA_OPTS"),
        ("4.3.0", "org.apache.spark.executor.CoarseGrainedExecutorBackend", "SPARK_EXECUTOR_OPTS"),
        ("3.5.6", "org.apache.spark.executor.MesosExecutorBackend", "SPARK_EXECUTOR_OPTS"),
        ("3.4.4", "org.apache.hive.beeline.BeeLine", "SPARK_BEELINE_OPTS"),
    ] {
        let scene = Scene::spark(version).env(variable, "-Da=1");
        let run = class(&scene, &[DAEMON], &[class_name, "x", "-y"]);
        let merged = format!("{AGENT} -Da=1");
        run.expect(Some(0), DAEMON_HINT);
        run.starts_with(SCRIPT, &[class_name, "x", "-y"], &[(variable, Some(&merged))]);
    }
}

/// The launcher takes the first word for the class, and hands it on unseen.
#[test]
fn a_class_without_a_variable_gets_the_agent_as_the_first_word() {
    for (version, class_name) in [
        ("4.3.0", "org.example.Tool"),
        ("4.3.0", "org.apache.spark.deploy.SparkPipelines"),
        ("3.3.4", "org.apache.hive.beeline.BeeLine"),
        ("4.0.0", "org.apache.spark.deploy.mesos.MesosClusterDispatcher"),
    ] {
        let scene = Scene::spark(version);
        let run = class(&scene, &[DAEMON], &[class_name, "x", "-y"]);
        run.expect(Some(0), DAEMON_HINT).starts(SCRIPT, &[AGENT, class_name, "x", "-y"]);
    }
    // No SPARK_*_OPTS reaches it, nor takes it a key of the configuration.
    let scene = Scene::spark("4.3.0")
        .env("SPARK_DAEMON_JAVA_OPTS", J)
        .env("SPARK_SUBMIT_OPTS", J)
        .file("spark/conf/spark-defaults.conf", format!("spark.driver.extraJavaOptions {J}\n"));
    class(&scene, &["-q", DAEMON], &["a.B"]).expect(Some(0), "").starts(SCRIPT, &[AGENT, "a.B"]);
}

#[test]
fn no_class_is_nothing_to_debug() {
    let scene = Scene::spark("4.3.0");
    let note = "note: nothing to debug: no class is named; run as typed\n";
    let none: [&str; 0] = [];
    for args in [["class"].as_slice(), &["class", "--"], &["class", DAEMON]] {
        scene.run(args).expect(Some(0), note).starts(SCRIPT, &none);
    }
    class(&scene, &[], &["--help"]).expect(Some(0), note).starts(SCRIPT, &["--help"]);
    class(&scene, &[], &[J]).expect(Some(0), note).starts(SCRIPT, &[J]);
}

/// The blog's recipe works by accident, and takes the class its variables: memory, options, class path.
#[test]
fn an_agent_in_front_of_the_class_is_replaced() {
    let scene = Scene::spark("4.3.0").env("SPARK_MASTER_OPTS", "-Da=1");
    let merged = format!("{AGENT} -Da=1");
    let set = [("SPARK_MASTER_OPTS", Some(merged.as_str()))];
    for (before, replaced, lost) in [
        ([J].as_slice(), J, ""),
        (&[XRUN], XRUN, ""),
        (&["-Xdebug", XRUN], XRUN, "; lost with it: -Xdebug"),
        (
            &["-Xdebug", "-Xnoagent", "-Djava.compiler=NONE", XRUN],
            XRUN,
            "; lost with it: -Xdebug -Xnoagent -Djava.compiler=NONE",
        ),
    ] {
        let run = class(&scene, &["-q", DAEMON], &[before, &[MASTER, "-h", "x"]].concat());
        run.expect(Some(0), &format!("note: replaced: `{replaced}` in the words before the class{lost}\n"));
        run.starts_with(SCRIPT, &[MASTER, "-h", "x"], &set);

        let kept = class(&scene, &["-q", "--existing=keep"], &[before, &[MASTER]].concat());
        let note =
            format!("note: kept: `{replaced}` in the words before the class; nothing is injected\n{KEPT_IN_FRONT}");
        kept.expect(Some(0), &note).starts(SCRIPT, &[before, &[MASTER]].concat());

        class(&scene, &["--existing=fail"], &[before, &[MASTER]].concat()).fails(
            2,
            &format!(
                "error: a debug agent is configured already: `{replaced}` in the words before the class\n\
                 help: take it out, or choose --existing=replace or --existing=keep\n"
            ),
        );
    }
    // A class without a variable has it in the same place again.
    let run = class(&scene, &["-q", DAEMON], &[J, "a.B"]);
    run.expect(Some(0), &format!("note: replaced: `{J}` in the words before the class\n"));
    run.starts(SCRIPT, &[AGENT, "a.B"]);
}

/// What stays in front keeps the class's variables from it, with the agent or without.
#[test]
fn other_options_in_front_of_the_class_stay() {
    let scene = Scene::spark("4.3.0").env("SPARK_MASTER_OPTS", format!("-Dno=effect {J}"));
    for before in [["-Xmx2g"].as_slice(), &["-Da=1", "-Xss2m"], &["-Xdebug"]] {
        let words = [before, &[MASTER, "x"]].concat();
        let run = class(&scene, &["-q", DAEMON], &words);
        run.expect(Some(0), "").starts(SCRIPT, &[&[AGENT], words.as_slice()].concat());
    }
    let run = class(&scene, &["-q", DAEMON], &["-Xmx2g", J, MASTER]);
    run.expect(Some(0), &format!("note: replaced: `{J}` in the words before the class\n"));
    run.starts(SCRIPT, &[AGENT, "-Xmx2g", MASTER]);
    // That in the variable would load as soon as the one in front has gone.
    let run = class(&scene, &["-q", DAEMON], &[J, MASTER]);
    run.expect(
        Some(0),
        &format!(
            "note: replaced: `{J}` in SPARK_MASTER_OPTS in the environment\n\
             note: replaced: `{J}` in the words before the class\n"
        ),
    );
    run.starts_with(SCRIPT, &[MASTER], &[("SPARK_MASTER_OPTS", Some(&format!("{AGENT} -Dno=effect")))]);
    // Where it stays, it is the only one.
    let run = class(&scene, &["-q", "--existing=keep"], &[J, MASTER]);
    run.expect(
        Some(0),
        &format!("note: kept: `{J}` in the words before the class; nothing is injected\n{KEPT_IN_FRONT}"),
    );
    run.starts(SCRIPT, &[J, MASTER]);
}

mod submit {
    use super::*;

    /// It is spark-submit by another name.
    #[test]
    fn its_role_is_the_driver() {
        let scene = Scene::spark("4.3.0");
        let words = ["--class", "A", "app.jar", "--conf", "x"];
        let expected = [&[SUBMIT], INJECTED.as_slice(), &words].concat();
        let run = class(&scene, &[DRIVER], &[&[SUBMIT], words.as_slice()].concat());
        run.expect(Some(0), HINT).starts(SCRIPT, &expected);
        let merged = format!("{} -Dd=1", INJECTED[1]);
        let words = ["-c", "spark.driver.defaultJavaOptions=-Dd=1", "app.jar"];
        let run = class(&scene, &["-q", DRIVER], &[&[SUBMIT], words.as_slice()].concat());
        run.expect(Some(0), "").starts(SCRIPT, &[SUBMIT, "-c", &merged, "app.jar"]);
        // Numbers count as the user does, from the first word behind the class.
        let words = [SUBMIT, "--master", "local[*]", "app.jar"];
        let refused = class(&scene, &["--executor"], &words);
        assert_eq!(refused.status.code(), Some(2), "{refused}");
        assert!(refused.stderr.starts_with("error: the master is `local[*]` (--master, argument "), "{refused}");
        scene
            .run(&["class", "--daemon", "--", SUBMIT, "app.jar"])
            .fails(2, "error: `sparkdbg class` has no daemon to debug\nhelp: its roles are driver and executor\n");
        let words = [SUBMIT, "--version"];
        let note = "note: nothing to debug: `--version` starts no driver; run as typed\n";
        class(&scene, &[DRIVER], &words).expect(Some(0), note).starts(SCRIPT, &words);
    }

    #[test]
    fn an_agent_in_front_of_it() {
        let scene = Scene::spark("4.3.0");
        for (before, replaced, lost) in [([J].as_slice(), J, ""), (&["-Xdebug", XRUN], XRUN, "; lost with it: -Xdebug")]
        {
            let run = class(&scene, &["-q", DRIVER], &[before, &[SUBMIT, "app.jar"]].concat());
            run.expect(Some(0), &format!("note: replaced: `{replaced}` in the words before the class{lost}\n"));
            run.starts(SCRIPT, &[&[SUBMIT], INJECTED.as_slice(), &["app.jar"]].concat());
        }
        // Kept, it is the only one: behind it the launcher knows nothing of driver options.
        let words = [J, SUBMIT, "--driver-java-options", XRUN, "app.jar"];
        let run = class(&scene, &["-q", "--existing=keep"], &words);
        run.expect(
            Some(0),
            &format!("note: kept: `{J}` in the words before the class; nothing is injected\n{KEPT_IN_FRONT}"),
        );
        run.starts(SCRIPT, &words);
        // Behind anything else it is a class like any other.
        for before in ["-Da=1", "-Xdebug"] {
            let run = class(&scene, &["-q", DAEMON], &[before, SUBMIT, "app.jar"]);
            run.expect(Some(0), "").starts(SCRIPT, &[AGENT, before, SUBMIT, "app.jar"]);
        }
    }
}

#[test]
fn off_is_off() {
    let scene = Scene::spark("4.3.0").env("SPARKDBG", "off").env("SPARK_MASTER_OPTS", J);
    for words in [
        [MASTER, "x"].as_slice(),
        &[J, MASTER, "x"],
        &["-Xdebug", XRUN, MASTER],
        &[J, SUBMIT, "--driver-java-options", J, "app.jar"],
        &["a.B", "--", "-v"],
        &[],
    ] {
        class(&scene, &[], words).expect(Some(0), "").starts(SCRIPT, words);
        class(&scene, &["--existing=fail", DAEMON], words).expect(Some(0), "").starts(SCRIPT, words);
    }
}

/// Its words are not the worker's own, from which one may tell whose executors are meant.
#[test]
fn the_executors_of_a_worker_have_a_command_of_their_own() {
    class(&Scene::spark("4.3.0"), &["--executor"], &["org.apache.spark.deploy.worker.Worker", "spark://h:1"]).fails(
        2,
        "error: `sparkdbg class` has no executor to debug\n\
         help: its role is daemon; the executors of a worker: sparkdbg worker\n",
    );
}

/// `-v` names the place and the reason; the dry run starts the same.
#[test]
fn the_first_word_is_a_rewrite_like_any_other() {
    let scene = Scene::spark("4.3.0");
    let run = class(&scene, &["-q", "-v", DAEMON], &["a.B"]);
    let block = format!(
        "first word of spark-class\n  before: (not set)\n  after:  {AGENT}\n  from:   not set → in front of the class\n  \
         why:    no variable reaches this class alone; spark-class puts its first word behind the options of the JVM\n"
    );
    assert!(run.stderr.contains(&scene.fill(&block)), "{run}");
    let dry = class(&scene, &["-q", "--dry-run", DAEMON], &["a.B", "x y"]);
    dry.prints(&format!("@root/spark/bin/spark-class '{AGENT}' a.B 'x y'\n"));
    let dry = class(&scene, &["-q", "--dry-run", DAEMON], &[MASTER]);
    dry.prints(&format!("SPARK_MASTER_OPTS='{AGENT}' @root/spark/bin/spark-class {MASTER}\n"));
}
