//! What keeps a Worker from starting, each said before it does.

use crate::worker::{ATTACH, AWAY, MASTER, run, scene, starts, told};

#[test]
fn a_port_that_all_executors_would_take() {
    let error = "error: all executors on one host would use port 5005: the first takes it, the others die at their \
                 start and are started again\n\
                 help: let each JVM choose its port: --executor=attach:0; or debug one at a time: --one-executor\n";
    run(&scene(), &["--attach", "5005"], &[MASTER]).fails(2, error);
    run(&scene(), &["--executor=attach:5005"], &[MASTER]).fails(2, error);
    // The master of applications says nothing of the worker.
    let kubernetes = scene().file("spark/conf/spark-defaults.conf", "spark.master k8s://h\n");
    run(&kubernetes, &["--attach", "5005"], &[MASTER]).fails(2, error);
    // From a file it is the file's fault.
    let text = "default-profile = \"p\"\n[profile.p]\nexecutor = \"attach:5005\"\n";
    let profile = scene().file("config/sparkdbg/config.toml", text);
    run(&profile, &[], &[MASTER]).fails(125, error);

    let scene = scene();
    let agent = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:@port";
    let run = run(&scene, &["-q", "--attach", "@port", "--one-executor"], &[MASTER]);
    run.expect(Some(0), "");
    let mut told = told(agent, "replace");
    told.insert("SPARKDBG_LOCK", Some("@root/cache/sparkdbg/@host-dials-127.0.0.1-@port.lock"));
    starts(&run, &scene, &[MASTER], told);
}

#[test]
fn a_port_that_is_taken() {
    let scene = scene();
    let taken = std::net::TcpListener::bind(("127.0.0.1", scene.port())).unwrap();
    let run = run(&scene, &["--attach", "@port", "--one-executor"], &[MASTER]);
    assert_eq!(run.status.code(), Some(125), "{run}");
    assert!(
        run.stderr.ends_with("\nhelp: choose another port, or let a free one be picked: --executor=attach:0\n"),
        "{run}"
    );
    drop(taken);
}

#[test]
fn no_application() {
    run(&scene(), &["--app", ""], &[MASTER])
        .fails(2, "error: `--app` names no application\nhelp: write its id, as the Master's web page has it\n");
}

#[test]
fn no_java() {
    let scene = scene().unset("JAVA_HOME").env("PATH", "@root/nothing");
    run(&scene, &[], &[MASTER])
        .fails(125, "error: no Java was found: JAVA_HOME is not set, and `java` is not on PATH\nhelp: set JAVA_HOME\n");
    let none = "error: `@root/work` is no home of Java: it has no `bin/java`\n\
                help: set JAVA_HOME to the directory of a JDK\n";
    run(&self::scene().env("JAVA_HOME", "@root/work"), &[], &[MASTER]).fails(125, none);
    // A wrapper of some version manager, in no home.
    let wrapper = self::scene().unset("JAVA_HOME").script("work/shims/java", "").env("PATH", "@root/work/shims");
    run(&wrapper, &[], &[MASTER]).fails(125, none);
}

#[test]
fn nothing_that_locks() {
    let scene = scene().env("PATH", "@root/nothing");
    for options in [["--listen", AWAY].as_slice(), &["--one-executor"]] {
        run(&scene, options, &[MASTER]).fails(
            125,
            "error: neither `flock` nor `perl` is on PATH: without them two executors cannot take turns\n\
             help: install util-linux, or let every executor have the agent: --attach 0, or --all-executors\n",
        );
    }
    for name in ["flock", "perl"] {
        let scene = self::scene().stand_in(&format!("bin/{name}")).env("PATH", "@root/bin");
        let plan = scene.json(&["worker", "--listen", AWAY, "--", MASTER]);
        assert_eq!(plan["env"]["SPARKDBG_LOCK"].as_str().map(|lock| lock.ends_with("-5005.lock")), Some(true));
    }
    // Not asked for where all have the agent.
    let scene = self::scene().env("PATH", "@root/nothing");
    assert_eq!(scene.json(&["worker", "--", MASTER])["env"]["SPARKDBG_AGENT"], ATTACH);
}

#[test]
fn no_place_for_helper_files() {
    run(&scene().unset("XDG_CACHE_HOME").unset("HOME"), &[], &[MASTER]).fails(
        125,
        "error: a helper file is needed, but neither XDG_CACHE_HOME nor HOME names a directory for it\n\
         help: set XDG_CACHE_HOME to a directory of yours\n",
    );
    // Somebody else could exchange what every executor runs, or the directory in which it stands.
    let open = scene().file("cache/sparkdbg/.keep", "").mode("cache/sparkdbg", 0o777);
    let run = run(&open, &[], &[MASTER]);
    assert_eq!(run.status.code(), Some(125), "{run}");
    assert!(run.stderr.ends_with("\nhelp: set XDG_CACHE_HOME to a directory that only you can write\n"), "{run}");
}
