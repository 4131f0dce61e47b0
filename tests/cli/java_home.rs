//! `bin/java` of the `JAVA_HOME` for workers: which JVM gets the agent, and with what words and variables it starts.
//! A stand-in takes the place of the real `java`.

use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use sparkdbg::environment::Process;
use sparkdbg::environment::java;
use sparkdbg::plan::java_home;

use crate::scene::{Outcome, Reaped, Scene};

const EXECUTOR: &str = "org.apache.spark.executor.CoarseGrainedExecutorBackend";
const WORKER: &str = "org.apache.spark.deploy.worker.Worker";
const LAUNCHER: &str = "org.apache.spark.launcher.Main";
const OURS: &str = "-agentlib:jdwp=transport=dt_socket,server=n,suspend=n,address=127.0.0.1:@port";
const THEIRS: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:@other";
const ADDED: &str =
    "sparkdbg: debug agent: -agentlib:jdwp=transport=dt_socket,server=n,suspend=n,address=127.0.0.1:@port\n";

/// What an agent with a port of its own means for the next executor on the machine.
const FIXED: &str =
    "; another executor on this machine cannot have its port, dies, and is started again: --existing=replace";

/// What no JVM but the launcher's and the Worker's shall see of us.
const CLEAN: [(&str, Option<&str>); 4] =
    [("JAVA_HOME", Some("@root/java")), ("SPARKDBG_AGENT", None), ("SPARKDBG_EXISTING", None), ("SPARKDBG_JAVA", None)];

/// The real Java in `@root/java`, the other one in `@root/shim`.
fn scene() -> Scene {
    Scene::new()
        .stand_in("java/bin/java")
        .script("shim/bin/java", include_str!("../../src/plan/java_home/java.sh"))
        .link("shim/sparkdbg-real", "java")
        .env("JAVA_HOME", "@root/shim")
        .env("SPARKDBG_JAVA", "@root/java/bin/java")
        .env("SPARKDBG_AGENT", OURS)
        .env("SPARKDBG_EXISTING", "replace")
}

fn run_java<'a>(scene: &'a Scene, args: &[&str]) -> Outcome<'a> {
    scene.run_program(scene.path("shim/bin/java"), args)
}

fn clean<'a>(and: &[(&'a str, Option<&'a str>)]) -> Vec<(&'a str, Option<&'a str>)> {
    CLEAN.into_iter().chain(and.iter().copied()).collect()
}

#[test]
fn an_executor_gets_the_agent_before_its_own_words() {
    for class in [
        EXECUTOR,
        "org.apache.spark.executor.YarnCoarseGrainedExecutorBackend",
        "org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend",
    ] {
        let words = ["-cp", "a b/*", "-Xmx1g", "-Dx='1 \"2\\ $HOME *", class, "--app-id", "app-1", WORKER, ""];
        let scene = scene();
        let run = run_java(&scene, &words);
        run.expect(Some(0), ADDED).starts_with("java/bin/java", &[&[OURS], &words[..]].concat(), &CLEAN);
    }
}

#[test]
fn the_worker_and_the_launcher_pass_it_on() {
    for class in [WORKER, LAUNCHER] {
        let words = ["-cp", "x", "-Xmx1g", class, EXECUTOR];
        let scene = scene();
        run_java(&scene, &words).expect(Some(0), "").starts("java/bin/java", &words);
    }
}

/// A driver that the Worker starts, which may start executors of its own, or any other program.
#[test]
fn every_other_jvm_knows_nothing_of_it() {
    for words in [
        &["-cp", "x", "org.apache.spark.deploy.worker.DriverWrapper", EXECUTOR][..],
        &["-jar", "x.jar", EXECUTOR],
        &["-m", "a.b/c.D", EXECUTOR],
        &["-version"],
        &[],
    ] {
        let scene = scene();
        run_java(&scene, words).expect(Some(0), "").starts_with("java/bin/java", words, &CLEAN);
    }
}

#[test]
fn only_the_first_main_class_counts() {
    let value_options = ["-cp", "-classpath", "--class-path", "-p", "--module-path", "--add-modules", "--add-opens"];
    for option in value_options {
        let words = [option, EXECUTOR, "some.Main"];
        let scene = scene();
        run_java(&scene, &words).expect(Some(0), "").starts_with("java/bin/java", &words, &CLEAN);
        let words = [option, "some.Main", "@opts", EXECUTOR];
        run_java(&scene, &words).expect(Some(0), ADDED).starts_with(
            "java/bin/java",
            &[&[OURS], &words[..]].concat(),
            &CLEAN,
        );
    }
}

#[test]
fn one_application() {
    let words = [EXECUTOR, "--executor-id", "app-1", "--app-id", "app-2"];
    let theirs = scene().env("SPARKDBG_APP", "app-1");
    run_java(&theirs, &words).expect(Some(0), "").starts_with(
        "java/bin/java",
        &words,
        &clean(&[("SPARKDBG_APP", None)]),
    );
    let ours = scene().env("SPARKDBG_APP", "app-2");
    run_java(&ours, &words).expect(Some(0), ADDED).starts_with(
        "java/bin/java",
        &[&[OURS], &words[..]].concat(),
        &clean(&[("SPARKDBG_APP", None)]),
    );
}

#[test]
fn an_agent_among_the_words_gives_way() {
    for (theirs, lost) in [
        (&[THEIRS][..], THEIRS),
        (&["-agentlib:jdwp"], "-agentlib:jdwp"),
        (&["-agentpath:/j dk/lib/libjdwp.so=server=y"], "-agentpath:/j dk/lib/libjdwp.so=server=y"),
        (&["-Xdebug", "-Xnoagent", "-Xrunjdwp:server=y"], "-Xdebug -Xnoagent -Xrunjdwp:server=y"),
    ] {
        let words = [&["-cp", "x", "-Da=1 2"], theirs, &["-Db", EXECUTOR, THEIRS]].concat();
        let scene = scene();
        run_java(&scene, &words).expect(Some(0), &format!("sparkdbg: replaced: {lost}\n{ADDED}")).starts_with(
            "java/bin/java",
            &[OURS, "-cp", "x", "-Da=1 2", "-Db", EXECUTOR, THEIRS],
            &CLEAN,
        );
        let keeping = self::scene().env("SPARKDBG_EXISTING", "keep");
        let fixed = if lost == THEIRS { FIXED } else { "" };
        run_java(&keeping, &words).expect(Some(0), &format!("sparkdbg: kept: {lost}{fixed}\n")).starts_with(
            "java/bin/java",
            &words,
            &CLEAN,
        );
    }
}

#[test]
fn an_agent_that_leaves_no_port_for_another_executor() {
    for (theirs, fixed) in [
        ("-agentlib:jdwp=server=y,address=5005", true),
        ("-agentlib:jdwp=address=*:5005,suspend=n,server=y,transport=dt_socket", true),
        ("-Xrunjdwp:server=y,address=10", true),
        ("-agentpath:/jdwp/libjdwp.so=address=[::1]:5005,server=y", true),
        ("-agentlib:jdwp=server=y,address=0", false),
        ("-agentlib:jdwp=server=y,address=127.0.0.1:0,quiet=y", false),
        ("-agentlib:jdwp=server=n,address=h:5005", false),
        ("-agentlib:jdwp=address=h:5005", false),
        ("-agentlib:jdwp=server=y", false),
    ] {
        let scene = scene().env("SPARKDBG_EXISTING", "keep");
        let fixed = if fixed { FIXED } else { "" };
        run_java(&scene, &[theirs, EXECUTOR]).expect(Some(0), &format!("sparkdbg: kept: {theirs}{fixed}\n"));
    }
}

#[test]
fn what_only_looks_like_an_agent_stays() {
    let words =
        ["-Xdebug", "-agentlib:jdwpx", "-agentpath:/libhprof.so=/libjdwp.so", "-Dx=-Xrunjdwp:", "-Xrunhprof", EXECUTOR];
    let scene = scene();
    run_java(&scene, &words).expect(Some(0), ADDED).starts_with(
        "java/bin/java",
        &[&[OURS], &words[..]].concat(),
        &CLEAN,
    );
}

#[test]
fn an_agent_in_a_variable_gives_way() {
    for name in ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"] {
        for (value, left) in [(format!(" -Da=*\t{THEIRS}  -Db "), Some("-Da=* -Db")), (THEIRS.to_owned(), None)] {
            let scene = scene().env(name, &value);
            run_java(&scene, &[EXECUTOR])
                .expect(Some(0), &format!("sparkdbg: replaced: {THEIRS}\n{ADDED}"))
                .starts_with("java/bin/java", &[OURS, EXECUTOR], &clean(&[(name, left)]));
            let keeping = self::scene().env(name, &value).env("SPARKDBG_EXISTING", "keep");
            let run = run_java(&keeping, &[EXECUTOR]);
            run.expect(Some(0), &format!("sparkdbg: kept: {THEIRS}{FIXED}\n"));
            run.starts_with("java/bin/java", &[EXECUTOR], &CLEAN);
        }
        let harmless = scene().env(name, "-Da='1  2'  -Db");
        run_java(&harmless, &[EXECUTOR]).expect(Some(0), ADDED).starts_with("java/bin/java", &[OURS, EXECUTOR], &CLEAN);
    }
}

/// Two agents end a JVM, so one that cannot be taken out keeps ours away.
#[test]
fn an_agent_that_cannot_be_taken_out_is_let_be() {
    let quoted = scene().env("JAVA_TOOL_OPTIONS", format!("-Da='1 2' {THEIRS}"));
    let run = run_java(&quoted, &[THEIRS, EXECUTOR]);
    run.expect(Some(0), "sparkdbg: no debug agent is added: there is one in JAVA_TOOL_OPTIONS already\n");
    run.starts_with("java/bin/java", &[THEIRS, EXECUTOR], &CLEAN);

    for word in ["@@root/opts", "-XX:VMOptionsFile=@root/opts"] {
        let scene = scene().file("opts", format!("-Da\n{THEIRS}\n"));
        let run = run_java(&scene, &[word, EXECUTOR]);
        run.expect(Some(0), "sparkdbg: no debug agent is added: there is one in a file of JVM options already\n");
        run.starts_with("java/bin/java", &[word, EXECUTOR], &CLEAN);
        let scene = self::scene().file("opts", THEIRS).env("JDK_JAVA_OPTIONS", word);
        let run = run_java(&scene, &[EXECUTOR]);
        run.expect(
            Some(0),
            "sparkdbg: no debug agent is added: there is one in a file that JDK_JAVA_OPTIONS names already\n",
        );
        let harmless = self::scene().file("opts", "-Da\n");
        run_java(&harmless, &[word, EXECUTOR]).expect(Some(0), ADDED);
    }
}

/// `sparkdbg-real` leads to the real one, whatever became of the variables.
#[test]
fn it_is_a_java_without_any_variable() {
    for set in [None, Some("/nowhere/java"), Some("@root/shim/bin/java")] {
        let scene = match set {
            None => scene().unset("SPARKDBG_JAVA"),
            Some(path) => scene().env("SPARKDBG_JAVA", path),
        };
        let scene = scene.unset("SPARKDBG_AGENT");
        let run = run_java(&scene, &["-cp", "x", EXECUTOR]);
        run.expect(Some(0), "");
        let child = run.child();
        assert_eq!(child.args, ["-cp", "x", EXECUTOR], "{run}");
        assert_eq!(fs::canonicalize(child.script).unwrap(), scene.path("java/bin/java"), "{run}");
    }
}

#[test]
fn off_is_off() {
    let scene = scene().env("SPARKDBG", "off");
    run_java(&scene, &[THEIRS, EXECUTOR]).expect(Some(0), "").starts_with("java/bin/java", &[THEIRS, EXECUTOR], &CLEAN);
}

/// Functions, options and start files are the application's to set, and bash would take them.
#[test]
fn the_environment_reaches_the_jvm_and_not_the_script() {
    let odd = [
        ("BASH_FUNC_exec%%", "() { echo no; }"),
        ("a.b", "1"),
        ("BASH_ENV", "@root/evil"),
        ("POSIXLY_CORRECT", "1"),
        ("IFS", "x"),
        ("PATH", "/nowhere"),
    ];
    let scene =
        odd.iter().fold(scene().file("evil", "echo no; exit 1\n"), |scene, (name, value)| scene.env(name, value));
    let scene = scene.script("java/bin/java", "#!/bin/sh\nprintf '%s\\0' \"$0\" \"$#\" \"$@\"\n/usr/bin/env -0\n");
    let lock = scene.env("SPARKDBG_LOCK", "@root/lock");
    let run = run_java(&lock, &[EXECUTOR]);
    run.expect(Some(0), ADDED);
    let child = run.child();
    assert_eq!(child.args, lock.words(&[OURS, EXECUTOR]));
    for (name, value) in odd {
        // What a shell that stands for the JVM takes for itself.
        if !["BASH_FUNC_exec%%", "a.b", "IFS"].contains(&name) {
            assert_eq!(child.env.get(std::ffi::OsStr::new(name)), Some(&lock.words(&[value])[0]), "{name}: {run}");
        }
    }
}

/// A `java` that tells its first word in a file of its own and stays.
fn staying() -> Scene {
    let java =
        "#!/bin/sh\necho \"$1\" > @root/started/$$.part\nmv @root/started/$$.part @root/started/$$\nexec sleep 600\n";
    scene().script("java/bin/java", java).file("started/.keep", "").env("SPARKDBG_LOCK", "@root/lock")
}

fn start(scene: &Scene) -> Reaped {
    let mut command: Command = scene.command(scene.path("shim/bin/java"), &["-Da", EXECUTOR]);
    Reaped(command.stderr(Stdio::null()).spawn().unwrap())
}

/// Whether it got the agent, once it runs.
fn has_agent(scene: &Scene, child: &Child) -> bool {
    let started = scene.path(&format!("started/{}", child.id()));
    let limit = Instant::now() + Duration::from_secs(60);
    loop {
        if let Ok(word) = fs::read_to_string(&started) {
            return word.starts_with("-agentlib");
        }
        assert!(Instant::now() < limit, "it did not start");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn of_executors_at_once_one_gets_the_agent_and_the_next_after_its_end() {
    let scene = staying();
    let mut running: Vec<Reaped> = (0..8).map(|_| start(&scene)).collect();
    for generation in 0..3 {
        let having = |running: &[Reaped]| -> Vec<usize> {
            (0..running.len()).filter(|at| has_agent(&scene, &running[*at].0)).collect()
        };
        let holders = having(&running);
        assert_eq!(holders.len(), 1, "in generation {generation}");
        // By SIGKILL: nobody tidies up.
        drop(running.swap_remove(holders[0]));
        running.extend((0..3).map(|_| start(&scene)));
    }
}

/// Where there is no `flock`, as on macOS, perl takes the same lock.
#[test]
fn perl_stands_in_for_flock() {
    let perl = PathBuf::from("/usr/bin/perl");
    if !perl.exists() {
        crate::scene::not_run("a lock without `flock`: no /usr/bin/perl");
        return;
    }
    let script = include_str!("../../src/plan/java_home/java.sh").replace("type -P flock", "type -P no-flock");
    let scene = staying().script("shim/bin/java", &script);
    let one = start(&scene);
    assert!(has_agent(&scene, &one.0));
    let two = start(&scene);
    assert!(!has_agent(&scene, &two.0));
    drop(one);
    let three = start(&scene);
    assert!(has_agent(&scene, &three.0));
}

#[test]
fn a_lock_that_cannot_be_taken_keeps_the_agent_away() {
    let scene = scene().env("SPARKDBG_LOCK", "@root/no/lock");
    let run = run_java(&scene, &["-Da", EXECUTOR]);
    assert!(run.stderr.ends_with(&scene.fill("sparkdbg: no debug agent: @root/no/lock cannot be locked\n")), "{run}");
    run.starts_with("java/bin/java", &["-Da", EXECUTOR], &clean(&[("SPARKDBG_LOCK", None)]));
}

/// The file is opened, never emptied or filled.
#[test]
fn a_lock_file_keeps_what_it_holds() {
    let scene = scene().file("lock", "text").env("SPARKDBG_LOCK", "@root/lock");
    run_java(&scene, &[EXECUTOR]).expect(Some(0), ADDED);
    assert_eq!(scene.read("lock"), "text");
}

/// What Rust writes for the script is what the kernel shows.
#[test]
#[cfg(target_os = "linux")]
fn an_executor_dials_only_a_debugger_that_listens() {
    use std::net::TcpListener;

    use sparkdbg::endpoint::Role;
    use sparkdbg::environment::java::JavaHome;
    use sparkdbg::environment::ports;
    use sparkdbg::jvm::jdwp::Agent;
    use sparkdbg::plan::java_home::Parameters;

    for (dialled, bound, awaited) in [
        ("127.0.0.1", "127.0.0.1", true),
        ("127.0.0.1", "0.0.0.0", true),
        ("127.0.0.1", "[::]", true),
        ("127.0.0.1", "[::ffff:127.0.0.1]", true),
        ("127.0.0.1", "127.0.0.2", false),
        ("[::1]", "[::1]", true),
        ("[::1]", "[::]", true),
        ("[::1]", "127.0.0.1", false),
    ] {
        let Ok(listener) = TcpListener::bind(format!("{bound}:0")) else {
            crate::scene::not_run(&format!("a debugger on {bound}"));
            continue;
        };
        let port = listener.local_addr().unwrap().port();
        let endpoint = format!("listen:{dialled}:{port}").parse::<sparkdbg::endpoint::EndpointSpec>();
        let debugger = ports::here(&endpoint.unwrap().resolve(Role::Executor));
        assert!(!debugger.is_empty());
        let scene = scene().env("SPARKDBG_LOCK", "@root/lock");
        let agent = Agent::parse(&scene.fill(OURS)).unwrap();
        let real = JavaHome { path: scene.path("java"), ..JavaHome::default() };
        let lock = scene.path("lock");
        let parameters = Parameters { agent: &agent, replace: true, app: None, lock: Some(&lock), debugger: &debugger };
        let scene = parameters.variables(&real).into_iter().fold(scene, |scene, (name, value)| scene.env(name, value));
        let nobody = format!("sparkdbg: no debug agent: nobody listens where it would dial: {OURS}\n");
        run_java(&scene, &["-Da", EXECUTOR]).expect(Some(0), if awaited { ADDED } else { &nobody });
        // Not held by one that has no agent.
        crate::scene::close(listener);
        let run = run_java(&scene, &["-Da", EXECUTOR]);
        run.expect(Some(0), &nobody);
        let gone = clean(&[("SPARKDBG_LISTENER", None), ("SPARKDBG_LOCK", None)]);
        run.starts_with("java/bin/java", &["-Da", EXECUTOR], &gone);
    }
}

/// Bytes that are no text go through.
#[test]
fn any_bytes() {
    let scene = scene();
    let word = std::ffi::OsString::from_vec(vec![b'-', 0xff, b'\n', 0xfe]);
    let run = scene.run_program(scene.path("shim/bin/java"), &[word.clone(), EXECUTOR.into(), word.clone()]);
    assert_eq!(run.child().args[1..], [word.clone(), EXECUTOR.into(), word], "{run}");
}

/// All of the real home is reachable through the other one, from which a second one is not made.
#[test]
fn the_directory_is_made_from_the_real_one() {
    let scene = Scene::new()
        .stand_in("java/bin/java")
        .stand_in("java/bin/jar")
        .file("java/lib/modules", "m")
        .link("java/docs", "nowhere");
    let process = Process::default();
    let real = java::list(&scene.path("java"), &process).unwrap();
    let shim = java_home::shim(&scene.path("cache"), &real);
    sparkdbg::launch::write_files(&shim.files).unwrap();
    for (path, text) in [("lib/modules", "m"), ("release", "JAVA_VERSION=\"17.0.15\"\n")] {
        assert_eq!(fs::read_to_string(shim.home.join(path)).unwrap(), text);
    }
    assert_eq!(fs::read_link(shim.home.join("docs")).unwrap(), scene.path("java/docs"), "leads where it led");
    let run = scene.run_program(shim.home.join("bin/jar"), &["x"]);
    run.expect(Some(0), "");
    let run = scene.run_program(shim.home.join("bin/java"), &["x"]);
    run.expect(Some(0), "");
    assert_eq!(fs::canonicalize(run.child().script).unwrap(), scene.path("java/bin/java"), "{run}");
    assert_eq!(java::list(&shim.home, &process).unwrap(), real);
    let failure = java::list(&scene.path("work"), &process).unwrap_err().to_string();
    assert!(failure.contains("has no `bin/java`"), "{failure}");
}
