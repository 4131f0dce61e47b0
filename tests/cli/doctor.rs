//! `sparkdbg doctor`: each topic's lines, the exit status, and that one failure hides no other finding.

mod ends;
mod flink;
mod java;
mod lost;
mod reach;
mod submit;

use crate::scene::{DRIVER, J, NO_PAUSE, Outcome, SPARKDBG, Scene};

/// A machine on which nothing is wrong.
fn well() -> Scene {
    at_home(Scene::spark("4.3.0").stand_in("java/bin/java"))
}

/// With what is submitted: a jar that names its main class, and scripts.
fn at_home(scene: Scene) -> Scene {
    scene.file("work/app.jar", jar("Main-Class: a.B\n")).file("work/app.py", "")
}

/// The beginning of a jar: its manifest, which is not packed.
fn jar(manifest: &str) -> Vec<u8> {
    let name = b"META-INF/MANIFEST.MF";
    let size = u8::try_from(manifest.len()).expect("a short one");
    let header = [&b"PK\x03\x04\x0a"[..], &[0; 13], &[size, 0, 0, 0, size, 0, 0, 0, 20, 0, 0, 0]].concat();
    [&header[..], name, manifest.as_bytes()].concat()
}

/// The lines of a topic, without its name.
fn lines(run: &Outcome, topic: &str) -> Vec<String> {
    let text = String::from_utf8(run.stdout.clone()).expect("text");
    let of_topic = |line: &str| {
        let (level, rest) = line.split_once(' ')?;
        let rest = rest.trim_start().strip_prefix(topic)?.strip_prefix(' ')?;
        Some(format!("{level} {}", rest.trim_start()))
    };
    text.lines().filter_map(of_topic).collect()
}

/// Exactly these lines of a topic.
#[track_caller]
fn tells(scene: &Scene, args: &[&str], topic: &str, expected: &[&str]) {
    let run = scene.run(args);
    let expected: Vec<String> = expected.iter().map(|line| scene.fill(line)).collect();
    assert_eq!(lines(&run, topic), expected, "{run}");
    let fails = String::from_utf8_lossy(&run.stdout).lines().any(|line| line.starts_with("fail "));
    run.expect(Some(i32::from(fails)), "");
}

const AGENT_GOES: &str = "goes into spark.driver.defaultJavaOptions: the agent, in the key that Spark puts before \
                          spark.driver.extraJavaOptions, which stays untouched";

#[test]
fn a_launch_that_goes_well() {
    well().run(&["doctor", DRIVER, "--", "--class", "a.B", "--master", "local[2]", "app.jar"]).expect(Some(0), "").prints(
        &format!(
            "ok    profile       none\n\
             ok    distribution  Spark 4.3.0 in @root/spark (SPARK_HOME)\n\
             ok    java          Java 17 in @root/java (JAVA_HOME) for the JVM started here\n\
             ok    config        no file of settings is there to be read\n\
             ok    deployment    master `local[2]` (--master, argument 4): the driver runs on this machine, the tasks run \
             in it\n\
             ok    agent         no other debug agent is configured for the driver\n\
             ok    agent         {AGENT_GOES}\n\
             ok    port          driver: port @port of 127.0.0.1 is free\n\
             ok    reach         driver: only this machine reaches its port; from another: ssh -L \
             @port:127.0.0.1:@port @host\n\
             ok    timeouts      none to set for a pause of 2h: the tasks run in the driver, which nobody gives up\n\
             10 ok, 0 warn, 0 fail\n"
        ),
    );
}

#[test]
fn quiet_tells_what_is_not_ok() {
    let args = ["-q", "doctor", DRIVER, "--", "app.jar"];
    well().run(&args).expect(Some(0), "").prints("");
    let scene = well().env("SPARKDBG", "off");
    scene.run(&args).expect(Some(0), "").prints(
        "warn  variables     SPARKDBG=off is set: the script is started untouched, and nothing is debugged; unset SPARKDBG\n",
    );
}

#[test]
fn json_is_an_array_of_findings() {
    let run_of = |scene: &Scene| {
        let run = scene.run(&["-q", "doctor", "--json", DRIVER, "--", "app.jar"]);
        serde_json::from_slice::<serde_json::Value>(&run.stdout).expect("JSON")
    };
    assert_eq!(run_of(&well()), serde_json::json!([]));
    assert_eq!(
        run_of(&well().env("SPARKDBG", "off")),
        serde_json::json!([{
            "level": "warn",
            "topic": "variables",
            "message": "SPARKDBG=off is set: the script is started untouched, and nothing is debugged",
            "cure": "unset SPARKDBG",
        }])
    );
}

#[test]
fn a_failure_hides_no_other() {
    let scene = at_home(Scene::new()).env("SPARK_HOME", "@root/nowhere").env("SPARK_JAVA_OPTS", "-Da=1");
    scene.run(&["doctor", "--attach", "203.0.113.9:5005", "--", "--conf", "-Db=1", "app.py"]).expect(Some(1), "");
    let args = ["-q", "doctor", "--attach", "203.0.113.9:5005", "--", "--master", "local[1]", "app.py"];
    let run = scene.run(&args);
    run.expect(Some(1), "");
    assert_eq!(
        String::from_utf8_lossy(&run.stdout),
        scene.fill(
            "fail  distribution  `@root/nowhere` (SPARK_HOME) is no Spark distribution: `@root/nowhere/bin/spark-submit` \
             is missing; a Spark home is the directory that holds bin/spark-submit\n\
             fail  java          `@root/java` (JAVA_HOME) has no `bin/java`; set JAVA_HOME to the directory of a JDK\n\
             warn  config        what that Spark's own files say is not known, nor what follows from it\n\
             warn  variables     SPARK_JAVA_OPTS is set; Spark has ignored it since 2.0; unset it, and give its options \
             by --driver-java-options and spark.executor.extraJavaOptions\n\
             fail  port          `203.0.113.9` is no address of this machine, and with `attach` the JVM binds it; to have \
             the JVM call your debugger there use --listen HOST:PORT\n\
             warn  reach         whoever reaches port 5005 of `203.0.113.9` can run any code in the driver; say who may: \
             --allow IP[/BITS]; or keep to 127.0.0.1 and a tunnel\n\
             warn  python        a JVM debugger stops in Java and Scala code, and neither in the application's Python code \
             nor in UDFs; use debugpy: in the driver `import debugpy; debugpy.listen(5678); debugpy.wait_for_client()` before \
             the code in question; in UDFs a daemon module that does the same in each worker (--conf \
             spark.python.daemon.module=NAME; docs/doctor.md has one)\n"
        )
    );
}

/// Each role's own failure with its own cure, though the launch ends at the first.
#[test]
fn what_stops_one_role_hides_not_what_stops_the_other() {
    if !cfg!(target_os = "linux") {
        crate::scene::not_run("what needs a socket table");
        return;
    }
    let args = [
        &["doctor", "--driver=attach:203.0.113.9:5005", "--executor=listen:127.0.0.1:@port", "--"][..],
        &["--master", "local-cluster[1,1,1024]", "app.jar"],
    ]
    .concat();
    let scene = well();
    tells(
        &scene,
        &args,
        "port",
        &[
            "fail `203.0.113.9` is no address of this machine, and with `attach` the JVM binds it; to have the JVM call your \
           debugger there use --listen HOST:PORT",
        ],
    );
    tells(
        &scene,
        &args,
        "listener",
        &[
            "fail nobody listens on 127.0.0.1:@port: the executors would die at their start, and be started again, hundreds of \
           times; start the debugger in its listen mode first, or wait for it: --wait-for-debugger 5m",
        ],
    );
    // As a launch has it, it is no error then.
    let args = ["--no-preflight", "doctor", "--listen", "127.0.0.1:@port", "--", "app.jar"];
    let said = "warn nobody listens on 127.0.0.1:@port: the driver would die at its start; without --no-preflight it would \
                stop the launch";
    tells(&scene, &args, "port", &[said]);
}

#[test]
fn a_refused_command_line_still_has_a_spark_and_a_java() {
    let args = ["doctor", DRIVER, "--", "--conf", "spark.driver.extraJavaOptions=-Da=1", "-Db=2", "app.jar"];
    let scene = well();
    tells(
        &scene,
        &args,
        "launch",
        &["fail `-Db=2` is no spark-submit option; it looks like the rest of --conf \
           spark.driver.extraJavaOptions=-Da=1; quote the whole value: --conf \
           \"spark.driver.extraJavaOptions=-Da=1 -Db=2\""],
    );
    tells(&scene, &args, "distribution", &["ok Spark 4.3.0 in @root/spark (SPARK_HOME)"]);
    tells(&scene, &args, "java", &["ok Java 17 in @root/java (JAVA_HOME) for the JVM started here"]);
    tells(&scene, &args, "port", &["ok driver: port @port of 127.0.0.1 is free"]);
}

#[test]
fn a_properties_file_that_is_not_there() {
    let args = ["doctor", DRIVER, "--", "--properties-file", "x.conf", "app.jar"];
    let scene = well();
    tells(&scene, &args, "config", &["fail `--properties-file x.conf`: there is no such file"]);
    tells(&scene, &args, "java", &["ok Java 17 in @root/java (JAVA_HOME) for the JVM started here"]);
    tells(&scene, &args, "port", &["ok driver: port @port of 127.0.0.1 is free"]);
}

#[test]
fn profiles() {
    let scene = well().file("work/sparkdbg.toml", "[profile.p]\ndriver = \"attach:@port\"\n");
    tells(
        &scene,
        &["-p", "p", "doctor", "--", "app.jar"],
        "profile",
        &["ok p (--profile); read: @root/work/sparkdbg.toml"],
    );
    let unknown = ["-p", "q", "doctor", DRIVER, "--", "app.jar"];
    tells(&scene, &unknown, "profile", &["fail unknown profile `q`, named by `--profile`; the profiles are `p`"]);
    tells(&scene, &unknown, "distribution", &["ok Spark 4.3.0 in @root/spark (SPARK_HOME)"]);
}

#[test]
fn agents_that_are_there_and_where_they_come_from() {
    let scene = well().env("SPARK_SUBMIT_OPTS", J);
    let args = ["doctor", DRIVER, "--", "app.jar"];
    let said = format!("ok replaced: `{J}` in SPARK_SUBMIT_OPTS in the environment");
    tells(&scene, &args, "agent", &[&said, &format!("ok {AGENT_GOES}")]);
    let args = ["doctor", "--existing=fail", DRIVER, "--", "app.jar"];
    let said = format!(
        "fail a debug agent is configured already: `{J}` in SPARK_SUBMIT_OPTS in the environment; take it out, or choose \
         --existing=replace or --existing=keep"
    );
    tells(&scene, &args, "launch", &[&said]);
}

#[test]
fn secrets_are_not_told() {
    let scene = well().env("SPARK_SUBMIT_OPTS", format!("{J} -Dmy.token=hunter2"));
    for json in [&["doctor", DRIVER][..], &["doctor", "--json", DRIVER]] {
        let run = scene
            .run(&[json, &["--", "--conf", "spark.driver.extraJavaOptions=-Dmy.password=hunter2", "a.jar"]].concat());
        assert!(!String::from_utf8_lossy(&run.stdout).contains("hunter2"), "{run}");
    }
}

#[test]
fn timeouts() {
    let master = ["--master", "spark://127.0.0.1:7077", "app.jar"];
    let args = [&["doctor", DRIVER, "--", "--conf", "spark.network.timeout=60s"][..], &master].concat();
    tells(
        &well(),
        &args,
        "timeouts",
        &[
            "warn spark.network.timeout (--conf, argument 2) is `60s`, too short for a pause of 2h: executors are given \
             up, and requests to the paused JVM fail; take it out, and sparkdbg sets what is needed",
            "ok set for a pause of 2h: spark.executor.heartbeat.maxFailures=721",
        ],
    );
    let args = [&["doctor", DRIVER, NO_PAUSE, "--"][..], &master].concat();
    tells(
        &well(),
        &args,
        "timeouts",
        &[
            "warn the pause limit is off (--pause-limit): who stands on a breakpoint is given up in minutes; leave it out: \
           the default is 2h",
        ],
    );
    let args = ["doctor", "--for", "master", "--attach", "@port"];
    tells(&well(), &args, "timeouts", &["ok set for a pause of 2h: spark.worker.timeout=7200"]);
}

/// The same words as a launch, to a debugger that is not there.
#[test]
fn what_the_launch_says_the_doctor_says() {
    let scene = well().env("HADOOP_CONF_DIR", "@root/hadoop");
    for args in [
        &["--listen", "127.0.0.1:@port", "--", "app.jar"][..],
        &["--executor", "--", "--master", "local[1]", "app.jar"],
        &["--executor", "--listen", "127.0.0.1:@port", "--", "--master", "yarn", "app.jar"],
        &["--driver", "--", "--remote", "sc://h", "app.jar"],
        &["--executor=attach:@port", "--", "--master", "yarn", "app.jar"],
    ] {
        let launched = scene.run(&[&["submit"][..], args].concat());
        let run = scene.run(&[&["-q", "doctor"][..], args].concat());
        let error = launched.stderr.lines().find_map(|line| line.strip_prefix("error: ")).expect("the launch fails");
        let help = launched.stderr.lines().find_map(|line| line.strip_prefix("help: ")).expect("with a cure");
        let told = String::from_utf8_lossy(&run.stdout).into_owned();
        let fails: Vec<&str> = told.lines().filter(|line| line.starts_with("fail ")).collect();
        assert_eq!(fails.len(), 1, "{run}");
        assert!(fails[0].ends_with(&format!(" {error}; {help}")), "{error}\n{run}");
        run.expect(Some(1), "");
    }
}

#[test]
fn other_commands_are_looked_at_too() {
    // Its own way to start both debuggers.
    let said = "warn a JVM debugger stops in Java and Scala code, and neither in the application's Python code nor in UDFs; \
                use debugpy: in the driver sparkdbg python -- -m debugpy --listen 5678 --wait-for-client app.py; in UDFs a \
                daemon module that does the same in each worker (--conf spark.python.daemon.module=NAME; docs/doctor.md has \
                one)";
    let scene = well().stand_in("bin/python3").env("PATH", "@root/bin:/usr/bin:/bin");
    tells(&scene, &["doctor", "--for", "python", DRIVER, "--", "app.py"], "python", &[said]);
    let args = ["doctor", "--for", "worker", "--", "spark://127.0.0.1:7077"];
    tells(&well(), &args, "deployment", &["ok org.apache.spark.deploy.worker.Worker runs on this machine"]);
    tells(&well(), &args, "port", &["ok executor: each JVM picks a port of its own; `sparkdbg ps` names them"]);
}

/// The launch ends before it looks at ports.
#[test]
fn a_refused_command_line_hides_no_port_in_use() {
    if !cfg!(target_os = "linux") {
        crate::scene::not_run("what needs a socket table");
        return;
    }
    let scene = well();
    let _taken = std::net::TcpListener::bind(("127.0.0.1", scene.port())).expect("free");
    let args = ["doctor", DRIVER, "--", "--executor-java-options", "x", "app.jar"];
    let run = scene.run(&args);
    let port = lines(&run, "port");
    let (start, end) = (
        "fail port @port on 127.0.0.1 is in use by `",
        "; choose another port, or let a free one be picked: \
                                                                        --driver=attach:0",
    );
    assert!(port.len() == 1 && port[0].starts_with(&scene.fill(start)) && port[0].ends_with(end), "{run}");
    let refused = "fail spark-submit has no `--executor-java-options`; use --conf spark.executor.extraJavaOptions=…";
    assert_eq!(lines(&run, "launch"), [refused]);
    // An agent that stays has a place of its own.
    let kept = [&["doctor", "--existing=keep"][..], &args[1..]].concat();
    tells(&scene.env("SPARK_SUBMIT_OPTS", J), &kept, "port", &["ok driver: port @other of 127.0.0.1 is free"]);
}

#[test]
fn a_client_of_spark_connect() {
    let said = "ok `sc://h` (--remote, argument 2): the driver runs in that Connect server, and a client of it here";
    tells(&well(), &["doctor", DRIVER, "--", "--remote", "sc://h", "app.jar"], "deployment", &[said]);
}

#[test]
fn nothing_is_started() {
    let scene = well();
    let run = scene.run_program(SPARKDBG, &["doctor", DRIVER, "--", "app.jar"]);
    assert!(!run.stdout.contains(&0), "a stand-in script was started\n{run}");
    assert!(!scene.path("cache").exists());
}
