//! A debug agent that executors have already, wherever it comes from: of two in one JVM it dies, and Spark starts the
//! next, again and again.

use crate::executors::{AGENT, DEFAULT, submit, with_conf};
use crate::scene::{Outcome, Scene};

const EXTRA: &str = "spark.executor.extraJavaOptions";
const J: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:@other";
const ANY_PORT: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0";
const DIALS: &str = "-agentlib:jdwp=transport=dt_socket,server=n,suspend=n,address=10.0.0.9:5005";

fn yarn<'a>(scene: &'a Scene, options: &[&str], conf: &str) -> Outcome<'a> {
    submit(scene, &[&["-q", "--executor"], options].concat(), &["--master", "yarn", "-c", conf, "a"])
}

#[test]
fn one_in_a_key_is_replaced() {
    let scene = Scene::spark("4.3.0");
    let run = yarn(&scene, &[], &format!("{EXTRA}=-Da=1 {J},onthrow=E -Db"));
    run.expect(
        Some(0),
        &format!("note: replaced: `{J},onthrow=E` in {EXTRA} (--conf, argument 4); lost with it: onthrow=E\n"),
    );
    let left = format!("{EXTRA}=-Da=1 -Db");
    run.starts(
        "spark/bin/spark-submit",
        &with_conf(&[&format!("{DEFAULT}={AGENT}")], &["--master", "yarn", "-c", &left, "a"]),
    );
    let run = yarn(&scene, &[], &format!("{DEFAULT}={J} -Da=1"));
    run.expect(Some(0), &format!("note: replaced: `{J}` in {DEFAULT} (--conf, argument 4)\n"));
    run.starts("spark/bin/spark-submit", &["--master", "yarn", "-c", &format!("{DEFAULT}={AGENT} -Da=1"), "a"]);
}

/// They reach every executor in whatever way the cluster starts it.
#[test]
fn one_in_a_variable_of_the_executors_too() {
    let scene = Scene::spark("4.3.0");
    for name in ["JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS"] {
        let key = format!("spark.executorEnv.{name}");
        let run = yarn(&scene, &[], &format!("{key}=-Da=1 {J}"));
        run.expect(Some(0), &format!("note: replaced: `{J}` in {key} (--conf, argument 4)\n"));
        let words = ["--master", "yarn", "-c", &format!("{key}=-Da=1"), "a"];
        run.starts("spark/bin/spark-submit", &with_conf(&[&format!("{DEFAULT}={AGENT}")], &words));

        let conf = format!("{key}={ANY_PORT}");
        let run = yarn(&scene, &["--existing=keep"], &conf);
        run.expect(Some(0), &format!("note: kept: `{ANY_PORT}` in {key} (--conf, argument 4); nothing is injected\n"));
        run.starts("spark/bin/spark-submit", &["--master", "yarn", "-c", &conf, "a"]);

        yarn(&scene, &["--existing=fail"], &conf).fails(
            2,
            &format!(
                "error: a debug agent is configured already: `{ANY_PORT}` in {key} (--conf, argument 4)\n\
                 help: take it out, or choose --existing=replace or --existing=keep\n"
            ),
        );
        let file = Scene::spark("4.3.0").file("spark/conf/spark-defaults.conf", format!("{key} {J}\n"));
        let run = submit(&file, &["-q", "--executor"], &["--master", "yarn", "a"]);
        run.expect(Some(0), &format!("note: replaced: `{J}` in {key} (@root/spark/conf/spark-defaults.conf line 1)\n"));
        let conf = [format!("{DEFAULT}={AGENT}"), format!("{key}=")];
        run.starts("spark/bin/spark-submit", &with_conf(&[&conf[0], &conf[1]], &["--master", "yarn", "a"]));
    }
}

/// One that dials takes one executor, whoever wrote it.
#[test]
fn one_that_is_kept_decides_as_ours_would() {
    let scene = Scene::spark("4.3.0");
    let conf = format!("{EXTRA}={DIALS}");
    let run = yarn(&scene, &["--existing=keep"], &conf);
    run.expect(Some(0), &format!("note: kept: `{DIALS}` in {EXTRA} (--conf, argument 4); nothing is injected\n"));
    let one = ["spark.dynamicAllocation.enabled=false", "spark.executor.instances=1"];
    run.starts("spark/bin/spark-submit", &with_conf(&one, &["--master", "yarn", "-c", &conf, "a"]));

    let help = "or let sparkdbg replace it: --existing=replace\n";
    yarn(&scene, &["--existing=keep"], &format!("{EXTRA}={J}")).fails(
        2,
        &format!(
            "error: all executors on one host would use port @other: the first takes it, the others die at their start \
             and are started again\nhelp: change the address in {EXTRA} (--conf, argument 4), {help}"
        ),
    );
    let loopback = DIALS.replace("10.0.0.9", "127.0.0.1");
    yarn(&scene, &["--existing=keep"], &format!("{EXTRA}={loopback}")).fails(
        2,
        &format!(
            "error: with the master `yarn` (--master, argument 2) the executors would dial `127.0.0.1` on their own \
             hosts, where no debugger listens\nhelp: change the address in {EXTRA} (--conf, argument 4), {help}"
        ),
    );
    yarn(&scene, &["--existing=keep"], &format!("{EXTRA}={ANY_PORT} {J}")).fails(
        2,
        &format!(
            "error: the JVM loads one debug agent only, and two are configured: in {EXTRA} (--conf, argument 4) and in \
             {EXTRA} (--conf, argument 4)\nhelp: take one out, or choose --existing=replace\n"
        ),
    );
}

/// X2: an address that Spark completes for each executor.
#[test]
fn placeholders_stay_where_spark_fills_them_in() {
    let agent = |port: &str| ANY_PORT.replace(":0", &format!(":{port}"));
    let id = agent("500{{EXECUTOR_ID}}");
    let place = format!("{EXTRA} (--conf, argument 4)");
    let kept = |agent: &str| format!("note: kept: `{agent}` in {place}; nothing is injected\n");
    let grows = format!(
        "warning: {{{{EXECUTOR_ID}}}} in {place} grows with every executor that is started again; a port ends at 65535\n"
    );
    for (version, master) in [
        ("4.3.0", "yarn"),
        ("4.3.0", "spark://h:7077"),
        ("4.3.0", "k8s://h"),
        ("4.3.0", "local-cluster[2,1,1024]"),
        ("3.0.3", "spark://h:7077"),
        ("2.4.8", "yarn"),
        ("2.4.8", "k8s://h"),
    ] {
        let scene = Scene::spark(version);
        let words = ["--master", master, "-c", &format!("{EXTRA}={id}"), "a"];
        // Where each has its own address there is no one place to name.
        let run = submit(&scene, &["--executor", "--existing=keep"], &words);
        run.expect(Some(0), &format!("{}{grows}", kept(&id))).starts("spark/bin/spark-submit", &words);
    }
    for master in ["spark://h:7077", "local-cluster[2,1,1024]"] {
        let words = ["--master", master, "-c", &format!("{EXTRA}={id}"), "a"];
        submit(&Scene::spark("2.4.8"), &["--executor", "--existing=keep"], &words).fails(
            2,
            &format!(
                "error: `{id}` in {place} would keep the JVM from starting: Spark does not fill in `{{{{EXECUTOR_ID}}}}` \
                 there\nhelp: mend it, or let sparkdbg replace it: --existing=replace\n"
            ),
        );
    }
    // One that Spark does not know is the JVM's to refuse.
    let odd = agent("{{EXECUTOR}}");
    let scene = Scene::spark("4.3.0");
    let run = yarn(&scene, &["--existing=keep"], &format!("{EXTRA}={odd}"));
    assert_eq!(run.status.code(), Some(2), "{run}");
    assert!(run.stderr.contains("would keep the JVM from starting: "), "{run}");
    // Replaced like any other.
    let run = yarn(&scene, &[], &format!("{EXTRA}={id}"));
    run.expect(Some(0), &format!("note: replaced: `{id}` in {place}\n"));
}

mod inherited {
    use super::*;

    const CLUSTER: [&str; 3] = ["--master", "local-cluster[2,1,1024]", "a"];
    const ONE: [&str; 3] = ["--master", "local-cluster[1,1,1024]", "a"];

    /// D8: the workers of a local-cluster hand the driver's environment on.
    #[test]
    fn one_in_the_environment_reaches_the_executors_of_a_local_cluster() {
        for name in ["JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS"] {
            let scene = Scene::spark("4.3.0").env(name, format!("-Da=1 {J}"));
            let note = format!("note: replaced: `{J}` in {name} in the environment\n");
            let ours = format!("{DEFAULT}={AGENT}");
            let run = submit(&scene, &["-q", "--executor"], &CLUSTER);
            let changed = [(name, Some("-Da=1"))];
            run.expect(Some(0), &note).starts_with("spark/bin/spark-submit", &with_conf(&[&ours], &CLUSTER), &changed);
            // Said once where the driver has it too.
            submit(&scene, &["-q", "--driver=attach:@port", "--executor"], &CLUSTER).expect(Some(0), &note);
            // Other managers start executors from an environment of their own.
            let yarn = ["--master", "yarn", "a"];
            let run = submit(&scene, &["-q", "--executor"], &yarn);
            run.expect(Some(0), "").starts("spark/bin/spark-submit", &with_conf(&[&ours], &yarn));
        }
        // Java 8 does not read that one.
        let java_8 =
            Scene::spark("3.2.4").file("java/release", "JAVA_VERSION=\"1.8.0_402\"\n").env("JDK_JAVA_OPTIONS", J);
        submit(&java_8, &["-q", "--executor"], &CLUSTER).expect(Some(0), "");
    }

    /// O16: every JVM of this Spark takes it, and sparkdbg edits no distribution.
    #[test]
    fn one_in_java_opts() {
        let scene = Scene::spark("4.3.0").file("spark/conf/java-opts", format!("-Da=1\n{J}\n"));
        let place = "@root/spark/conf/java-opts line 2";
        submit(&scene, &["--executor"], &CLUSTER).fails(
            125,
            &format!(
                "error: {place} configures a debug agent already, `{J}`; it applies to the driver and to every other JVM \
                 of this Spark, and sparkdbg edits no distribution\n\
                 help: take it out of the file, or debug with it: --existing=keep\n"
            ),
        );
        // The file of the worker's host counts there, not ours.
        let yarn = ["--master", "yarn", "a"];
        submit(&scene, &["-q", "--executor"], &yarn).expect(Some(0), "");
    }

    /// The driver comes first, however few executors there are.
    #[test]
    fn one_that_is_kept_is_the_drivers() {
        for (name, agent, taken) in [
            ("JAVA_TOOL_OPTIONS", J, "takes port @other of 127.0.0.1"),
            ("_JAVA_OPTIONS", DIALS, "takes the debugger at 10.0.0.9:5005"),
        ] {
            let scene = Scene::spark("4.3.0").env(name, agent);
            for words in [CLUSTER, ONE] {
                for options in [["--executor"].as_slice(), &["--driver", "--executor"]] {
                    let run = submit(&scene, &[options, &["--existing=keep"]].concat(), &words);
                    run.fails(
                        125,
                        &format!(
                            "error: the agent in {name} in the environment reaches the driver too, which comes first and \
                             {taken}: the executors die at their start\n\
                             help: change the address in {name} in the environment, or let sparkdbg replace it: \
                             --existing=replace\n"
                        ),
                    );
                }
            }
        }
        let scene = Scene::spark("4.3.0").file("spark/conf/java-opts", J);
        submit(&scene, &["--executor", "--existing=keep"], &ONE).fails(
            125,
            "error: the agent in @root/spark/conf/java-opts line 1 reaches the driver too, which comes first and takes \
             port @other of 127.0.0.1: the executors die at their start\n\
             help: change the address in @root/spark/conf/java-opts line 1, or take the agent out there\n",
        );
        // With a port for each there is enough for all.
        let scene = Scene::spark("4.3.0").file("spark/conf/java-opts", ANY_PORT);
        let run = submit(&scene, &["-q", "--executor", "--existing=keep"], &CLUSTER);
        run.expect(
            Some(0),
            &format!(
                "note: kept: `{ANY_PORT}` in @root/spark/conf/java-opts line 1; nothing is injected\n\
                 warning: @root/spark/conf/java-opts line 1 reaches every JVM of this Spark, executors too\n"
            ),
        );
        run.starts("spark/bin/spark-submit", &CLUSTER);
    }
}

#[test]
fn what_driver_and_executors_share_is_said_once() {
    let scene = Scene::spark("4.3.0").env("JAVA_TOOL_OPTIONS", ANY_PORT).env("_JAVA_JDWP_OPTIONS", "quiet=y");
    let words = ["--master", "local-cluster[1,1,1024]", "a"];
    let run = submit(&scene, &["-q", "--driver", "--executor", "--existing=keep"], &words);
    assert_eq!(run.stderr.matches("kept: `").count(), 1, "{run}");
    assert_eq!(run.stderr.matches("_JAVA_JDWP_OPTIONS").count(), 1, "{run}");
}
