//! Debug agents that are there already: those that executors inherit, and those that only the Worker loads.

use crate::scene::NO_PAUSE;
use crate::worker::{ATTACH, AWAY, MASTER, THEIRS, WORKER, run, scene, starts, told};

const INHERITED: [&str; 3] = ["JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS"];
const OF_THE_WORKER: [&str; 2] = ["SPARK_WORKER_OPTS", "SPARK_DAEMON_JAVA_OPTS"];
/// One that every executor can have.
const ANY_PORT: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0";
/// What `--existing=keep` and `fail` mean for applications that are not there yet.
const OF_APPLICATIONS: &str = "note: an application that brings a debug agent of its own keeps it; with a fixed port \
                               only one of its executors can live on this machine, the others die at their start and \
                               are started again (--existing=replace)\n";

#[test]
fn one_that_executors_inherit_is_replaced() {
    for name in INHERITED {
        for (left, value) in [(Some("-Da=1"), format!("-Da=1 {THEIRS}")), (None, THEIRS.to_owned())] {
            let scene = scene().env(name, value);
            let run = run(&scene, &["-q"], &[MASTER]);
            run.expect(Some(0), &format!("note: replaced: `{THEIRS}` in {name} in the environment\n"));
            let mut told = told(ATTACH, "replace");
            told.insert(name, left);
            // `shim` asks with a JAVA_TOOL_OPTIONS that is there as well.
            starts(&run, &scene, &[MASTER], told);
        }
    }
}

#[test]
fn one_that_executors_inherit_stays() {
    for name in INHERITED {
        let scene = scene().env(name, ANY_PORT);
        let every = format!(
            "warning: {name} in the environment reaches every JVM: Spark's launcher comes first, and stops there if the \
             agent suspends\n"
        );
        let kept = format!("note: kept: `{ANY_PORT}` in {name} in the environment; nothing is injected");
        let run = run(&scene, &["--existing=keep"], &[MASTER]);
        let hint = "sparkdbg: each executor of every application on this worker listens for a debugger on a port of its \
                    own on 127.0.0.1 (IDE: \"Attach to remote JVM\"); `sparkdbg ps` names the ports\n";
        run.expect(Some(0), &format!("{kept}\n{every}{hint}")).starts("spark/bin/spark-class", &[WORKER, MASTER]);
        // Nothing narrows it or takes turns.
        let run = self::run(&scene, &["-q", "--existing=keep", "--app", "x", "--one-executor"], &[MASTER]);
        let unused = ", and `--app`, `--one-executor` has no effect";
        run.expect(Some(0), &format!("{kept}{unused}\n{every}")).starts("spark/bin/spark-class", &[WORKER, MASTER]);
    }
}

/// The Worker inherits it too, and starts first.
#[test]
fn one_that_the_worker_would_take_first() {
    for name in INHERITED {
        let scene = scene().env(name, THEIRS);
        run(&scene, &["--existing=keep"], &[MASTER]).fails(
            125,
            &format!(
                "error: the agent in {name} in the environment reaches the worker too, which comes first and takes port \
                 @other of 127.0.0.1: the executors die at their start\n\
                 help: change the address in {name} in the environment, or let sparkdbg replace it: --existing=replace\n"
            ),
        );
        let dials = "-agentlib:jdwp=transport=dt_socket,server=n,address=203.0.113.9:1";
        let scene = self::scene().env(name, dials);
        run(&scene, &["--existing=keep", "--listen", AWAY], &[MASTER]).fails(
            125,
            &format!(
                "error: the agent in {name} in the environment reaches the worker too, which comes first and takes the \
                 debugger at 203.0.113.9:1: the executors die at their start\n\
                 help: change the address in {name} in the environment, or let sparkdbg replace it: --existing=replace\n"
            ),
        );
    }
}

#[test]
fn one_that_executors_inherit_is_refused() {
    for name in INHERITED {
        let scene = scene().env(name, THEIRS);
        run(&scene, &["--existing=fail"], &[MASTER]).fails(
            125,
            &format!(
                "error: a debug agent is configured already: `{THEIRS}` in {name} in the environment\n\
                 help: take it out, or choose --existing=replace or --existing=keep\n"
            ),
        );
    }
}

/// It is not the executors' agent, and does not disturb it.
#[test]
fn one_of_the_worker_itself_is_let_be() {
    for name in OF_THE_WORKER {
        let scene = scene().env(name, THEIRS);
        for (existing, told_as, said) in
            [("replace", "replace", ""), ("keep", "keep", OF_APPLICATIONS), ("fail", "keep", OF_APPLICATIONS)]
        {
            let run = run(&scene, &["-q", &format!("--existing={existing}")], &[MASTER]);
            run.expect(Some(0), said);
            starts(&run, &scene, &[MASTER], told(ATTACH, told_as));
        }
    }
}

/// For the Worker it is the one that is asked about.
#[test]
fn one_of_the_worker_where_the_worker_is_debugged() {
    let daemon = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:@port";
    for name in OF_THE_WORKER {
        let scene = scene().env(name, format!("-Da=1 {THEIRS}"));
        let run = run(&scene, &["-q", "--daemon=attach:@port"], &[MASTER]);
        run.expect(Some(0), &format!("note: replaced: `{THEIRS}` in {name} in the environment\n"));
        let merged = format!("{daemon} -Da=1");
        let env = match name {
            "SPARK_WORKER_OPTS" => vec![(name, Some(merged.as_str()))],
            _ => vec![(name, Some("-Da=1")), ("SPARK_WORKER_OPTS", Some(daemon))],
        };
        run.starts_with("spark/bin/spark-class", &[WORKER, MASTER], &env);
        let run = self::run(&scene, &["-q", "--daemon", "--existing=keep"], &[MASTER]);
        run.expect(Some(0), &format!("note: kept: `{THEIRS}` in {name} in the environment; nothing is injected\n"));
        run.starts("spark/bin/spark-class", &[WORKER, MASTER]);
        let run = self::run(&scene, &["-q", "--daemon", "--existing=fail"], &[MASTER]);
        assert_eq!(run.status.code(), Some(125), "{run}");
    }
}

#[test]
fn one_in_java_opts() {
    let scene = scene().file("spark/conf/java-opts", THEIRS);
    for existing in ["replace", "fail"] {
        let run = run(&scene, &[&format!("--existing={existing}")], &[MASTER]);
        assert_eq!(run.status.code(), Some(125), "{run}");
        assert!(run.stderr.contains(&scene.fill("@root/spark/conf/java-opts line 1")), "{run}");
    }
    run(&scene, &["--existing=keep"], &[MASTER]).fails(
        125,
        "error: the agent in @root/spark/conf/java-opts line 1 reaches the worker too, which comes first and takes port \
         @other of 127.0.0.1: the executors die at their start\n\
         help: change the address in @root/spark/conf/java-opts line 1, or take the agent out there\n",
    );
    let scene = self::scene().file("spark/conf/java-opts", ANY_PORT);
    let run = run(&scene, &["-q", "--existing=keep"], &[MASTER]);
    run.expect(
        Some(0),
        &format!(
            "note: kept: `{ANY_PORT}` in @root/spark/conf/java-opts line 1; nothing is injected\n\
             warning: @root/spark/conf/java-opts line 1 reaches every JVM of this Spark, executors too\n"
        ),
    );
    run.starts("spark/bin/spark-class", &[WORKER, MASTER]);
}

/// It is no agent, but changes ours.
#[test]
fn options_that_the_agent_would_add() {
    let scene = scene().env("_JAVA_JDWP_OPTIONS", "suspend=y");
    let run = run(&scene, &["-q"], &[MASTER]);
    run.expect(Some(0), "note: replaced: _JAVA_JDWP_OPTIONS=`suspend=y` would change our agent\n");
    let mut told = told(ATTACH, "replace");
    told.insert("_JAVA_JDWP_OPTIONS", None);
    starts(&run, &scene, &[MASTER], told);
}

/// One place, two roles: it is said once.
#[test]
fn one_that_both_roles_load() {
    let scene = scene().env("JAVA_TOOL_OPTIONS", THEIRS);
    let run = scene.run(&["-q", "worker", NO_PAUSE, "--daemon=attach:@port", "--executor", "--", MASTER]);
    run.expect(Some(0), &format!("note: replaced: `{THEIRS}` in JAVA_TOOL_OPTIONS in the environment\n"));
}
