//! A debug agent that is configured already: two in one JVM keep it from starting, wherever the first one stands.

use crate::scene::{AGENT, DRIVER, HINT, INJECTED, J, NO_PAUSE, Scene};

const EXTRA: &str = "spark.driver.extraJavaOptions";

/// The hint for the agent [`J`] when it is kept.
const KEPT: &str = "sparkdbg: driver listens for a debugger on 127.0.0.1:@other (IDE: \"Attach to remote JVM\", host \
                    127.0.0.1, port @other); from another machine: ssh -L @other:127.0.0.1:@other @host\n";

#[test]
fn every_spelling_on_the_command_line_is_replaced() {
    let scene = Scene::spark("4.3.0");
    let xrun = "-Xrunjdwp:transport=dt_socket,server=y,suspend=n,address=@other";
    let path = "-agentpath:/opt/jdk/lib/libjdwp.so=transport=dt_socket,server=y,suspend=n,address=@other";
    let quoted = format!("\"{J}\"");
    for (agent, value, left) in [
        (J, format!("{J} -Da=1"), "-Da=1"),
        (J, format!("-Da=1 {J}"), "-Da=1"),
        (J, format!("-Da='x  y' {J}  -Db=2"), "-Da='x  y'  -Db=2"),
        (quoted.as_str(), format!("-Da=1 {quoted} -Db=2"), "-Da=1 -Db=2"),
        (xrun, format!("{xrun} -Da=1"), "-Da=1"),
        (path, format!("-Da=1 {path}"), "-Da=1"),
        // D1: harmless alone, and not ours to take away.
        (J, format!("-Xdebug {J}"), "-Xdebug"),
    ] {
        let run = scene.run(&["submit", DRIVER, "--", "--driver-java-options", &value, "app.jar"]);
        let note =
            format!("note: replaced: `{agent}` in spark.driver.extraJavaOptions (--driver-java-options, argument 2)\n");
        run.expect(Some(0), &format!("{note}{HINT}"));
        let [conf, word] = INJECTED;
        run.starts("spark/bin/spark-submit", &[conf, word, "--driver-java-options", left, "app.jar"]);

        let keep = scene.run(&["submit", DRIVER, "--existing=keep", "--", "--driver-java-options", &value, "app.jar"]);
        let note = format!(
            "note: kept: `{agent}` in spark.driver.extraJavaOptions (--driver-java-options, argument 2); nothing is \
             injected, and `--driver` has no effect\n"
        );
        keep.expect(Some(0), &format!("{note}{KEPT}"));
        keep.starts("spark/bin/spark-submit", &["--driver-java-options", &value, "app.jar"]);

        let args = ["submit", DRIVER, "--existing", "fail", "--", "--driver-java-options", &value, "app.jar"];
        scene.run(&args).fails(
            2,
            &format!(
                "error: a debug agent is configured already: `{agent}` in spark.driver.extraJavaOptions \
                 (--driver-java-options, argument 2)\n\
                 help: take it out, or choose --existing=replace or --existing=keep\n"
            ),
        );
    }
}

#[test]
fn the_legacy_quartet_goes_as_a_unit() {
    let xrun = "-Xrunjdwp:transport=dt_socket,server=y,suspend=y,address=@other";
    let value = format!("-Da=1 -Xdebug -Xnoagent -Djava.compiler=NONE {xrun} -Db=2");
    let scene = Scene::spark("4.3.0");
    let run = scene.run(&["-q", "submit", DRIVER, "--", "--conf", &format!("{EXTRA}={value}"), "app.jar"]);
    run.expect(
        Some(0),
        &format!(
            "note: replaced: `{xrun}` in spark.driver.extraJavaOptions (--conf, argument 2); lost with it: -Xdebug \
             -Xnoagent -Djava.compiler=NONE\n"
        ),
    );
    let left = format!("{EXTRA}=-Da=1 -Db=2");
    run.starts("spark/bin/spark-submit", &[INJECTED[0], INJECTED[1], "--conf", &left, "app.jar"]);
}

#[test]
fn what_is_lost_with_an_agent_is_named() {
    let agent =
        "-agentlib:jdwp=transport=dt_socket,server=n,suspend=y,address=@other,onthrow=java.io.IOException,launch=x";
    let scene = Scene::spark("4.3.0");
    let run = scene.run(&["-q", "submit", DRIVER, "--", "--driver-java-options", agent, "app.jar"]);
    run.expect(
        Some(0),
        &format!(
            "note: replaced: `{agent}` in spark.driver.extraJavaOptions (--driver-java-options, argument 2); lost with \
             it: onthrow=java.io.IOException launch=x\n"
        ),
    );
}

#[test]
fn both_keys_are_looked_at() {
    let scene = Scene::spark("4.3.0");
    let default = format!("spark.driver.defaultJavaOptions=-Dd=0 {J}");
    let extra = format!("{EXTRA}={J} -Da=1");
    let run = scene.run(&["-q", "submit", DRIVER, "--", "-c", &default, "-c", &extra, "app.jar"]);
    run.expect(
        Some(0),
        &format!(
            "note: replaced: `{J}` in spark.driver.defaultJavaOptions (--conf, argument 2)\n\
             note: replaced: `{J}` in spark.driver.extraJavaOptions (--conf, argument 4)\n"
        ),
    );
    let default = format!("spark.driver.defaultJavaOptions={AGENT} -Dd=0");
    let extra = format!("{EXTRA}=-Da=1");
    run.starts("spark/bin/spark-submit", &["-c", &default, "-c", &extra, "app.jar"]);
}

/// 2.4 puts no default key on the JVM, so that an agent there is no agent.
#[test]
fn a_key_that_this_spark_ignores_is_left_alone() {
    let scene = Scene::spark("2.4.8");
    let default = format!("spark.driver.defaultJavaOptions={J}");
    let ours = format!("{EXTRA}={AGENT}");
    scene.merges(&["-c", &default, "app.jar"], &["--conf", &ours, "-c", &default, "app.jar"]);
    let run = scene.run(&["-q", "submit", DRIVER, "--", "-c", &format!("{EXTRA}=-Da=1 {J} -Db"), "app.jar"]);
    run.expect(Some(0), &format!("note: replaced: `{J}` in {EXTRA} (--conf, argument 2)\n"));
    run.starts("spark/bin/spark-submit", &["-c", &format!("{EXTRA}={AGENT} -Da=1 -Db"), "app.jar"]);
}

#[test]
fn an_occurrence_that_has_lost_is_left_alone() {
    let lost = format!("{EXTRA}={J}");
    let words = ["-c", lost.as_str(), "--driver-java-options", "-Da=1", "app.jar"];
    let expected: Vec<&str> = INJECTED.into_iter().chain(words).collect();
    Scene::spark("4.3.0").merges(&words, &expected);
}

/// An option whose joined value becomes empty would be none: `--driver-java-options=` is «Unrecognized option».
#[test]
fn an_option_that_held_nothing_but_the_agent() {
    let scene = Scene::spark("4.3.0");
    let replaced = |place: &str| format!("note: replaced: `{J}` in {EXTRA} ({place})\n");
    let run = scene.run(&["-q", "submit", DRIVER, "--", "--driver-java-options", J, "app.jar"]);
    run.expect(Some(0), &replaced("--driver-java-options, argument 2"));
    let [conf, word] = INJECTED;
    run.starts("spark/bin/spark-submit", &[conf, word, "--driver-java-options", "", "app.jar"]);
    let run = scene.run(&["-q", "submit", DRIVER, "--", &format!("--conf={EXTRA}={J}"), "app.jar"]);
    run.expect(Some(0), &replaced("--conf, argument 1"));
    run.starts("spark/bin/spark-submit", &[conf, word, &format!("--conf={EXTRA}="), "app.jar"]);
    let run = scene.run(&["-q", "submit", DRIVER, "--", &format!("--driver-java-options={J}"), "app.jar"]);
    run.expect(Some(0), &replaced("--driver-java-options, argument 1"));
    let child = run.child();
    assert!(!child.args.iter().any(|word| word == "--driver-java-options="), "Spark refuses it\n{run}");
    assert!(!child.args.iter().any(|word| word.to_string_lossy().contains(&scene.fill("@other"))), "{run}");
}

#[test]
fn an_agent_in_a_file_is_overridden_from_the_command_line() {
    let scene = Scene::spark("4.3.0")
        .file("spark/conf/spark-defaults.conf", format!("# site\nspark.driver.extraJavaOptions -Dfile=1 {J}\n"));
    let place = format!("`{J}` in {EXTRA} (@root/spark/conf/spark-defaults.conf line 2)");
    let run = scene.run(&["-q", "submit", DRIVER, "app.jar"]);
    run.expect(Some(0), &format!("note: replaced: {place}\n"));
    let extra = format!("{EXTRA}=-Dfile=1");
    run.starts("spark/bin/spark-submit", &[INJECTED[0], INJECTED[1], "--conf", &extra, "app.jar"]);
    let run = scene.run(&["submit", DRIVER, "--existing", "keep", "app.jar"]);
    run.expect(Some(0), &format!("note: kept: {place}; nothing is injected, and `--driver` has no effect\n{KEPT}"));
    run.starts("spark/bin/spark-submit", &["app.jar"]);
    scene.run(&["submit", DRIVER, "--existing", "fail", "app.jar"]).fails(
        125,
        &format!(
            "error: a debug agent is configured already: {place}\n\
             help: take it out, or choose --existing=replace or --existing=keep\n"
        ),
    );
}

/// D2, D6 to D8.
#[test]
fn variables_that_reach_the_driver() {
    for name in ["SPARK_SUBMIT_OPTS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"] {
        let place = format!("`{J}` in {name} in the environment");
        let app = [INJECTED[0], INJECTED[1], "app.jar"];

        let scene = Scene::spark("4.3.0").env(name, format!("-Dx='1 2' {J} -Dy=2"));
        let run = scene.run(&["-q", "submit", DRIVER, "app.jar"]);
        run.expect(Some(0), &format!("note: replaced: {place}\n"));
        run.starts_with("spark/bin/spark-submit", &app, &[(name, Some("-Dx='1 2' -Dy=2"))]);
        let run = scene.run(&["submit", DRIVER, "--existing=keep", "app.jar"]);
        let everywhere = match name {
            "SPARK_SUBMIT_OPTS" => String::new(),
            _ => format!(
                "warning: {name} in the environment reaches every JVM: Spark's launcher comes first, and stops there if \
                 the agent suspends\n"
            ),
        };
        run.expect(
            Some(0),
            &format!("note: kept: {place}; nothing is injected, and `--driver` has no effect\n{everywhere}{KEPT}"),
        );
        run.starts("spark/bin/spark-submit", &["app.jar"]);
        scene.run(&["submit", DRIVER, "--existing=fail", "app.jar"]).fails(
            125,
            &format!(
                "error: a debug agent is configured already: {place}\n\
                 help: take it out, or choose --existing=replace or --existing=keep\n"
            ),
        );

        // One that held nothing else is removed.
        let scene = Scene::spark("4.3.0").env(name, J);
        let run = scene.run(&["-q", "submit", DRIVER, "app.jar"]);
        run.expect(Some(0), &format!("note: replaced: {place}\n"));
        run.starts_with("spark/bin/spark-submit", &app, &[(name, None)]);
    }
}

#[test]
fn variables_without_an_agent_are_left_alone() {
    let mut scene = Scene::spark("4.3.0");
    for name in
        ["SPARK_SUBMIT_OPTS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "SPARK_DAEMON_JAVA_OPTS"]
    {
        scene = scene.env(name, "-Xms1g -Dnote=jdwp -Dagent='-agentlib:jdwp' ");
    }
    scene.merges(&["app.jar"], &[INJECTED[0], INJECTED[1], "app.jar"]);
}

#[test]
fn java_8_does_not_read_jdk_java_options() {
    let scene = Scene::spark("4.3.0").file("java/release", "JAVA_VERSION=\"1.8.0_402\"\n").env("JDK_JAVA_OPTIONS", J);
    scene.merges(&["app.jar"], &[INJECTED[0], INJECTED[1], "app.jar"]);
}

/// D4.
#[test]
fn the_servers_take_the_daemons_variable_as_well() {
    let scene = Scene::spark("4.3.0").env("SPARK_DAEMON_JAVA_OPTS", format!("-Dx=1 {J}"));
    for command in ["thrift-server", "connect-server"] {
        let run = scene.run(&["-q", command, DRIVER]);
        run.expect(Some(0), &format!("note: replaced: `{J}` in SPARK_DAEMON_JAVA_OPTS in the environment\n"));
        let value = run.child().env.remove(std::ffi::OsStr::new("SPARK_DAEMON_JAVA_OPTS")).unwrap();
        assert_eq!(value, "-Dx=1", "{run}");
    }
    let class = ["--class", "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"];
    let run = scene.run(&["-q", "submit", DRIVER, "--", class[0], class[1]]);
    run.expect(Some(0), &format!("note: replaced: `{J}` in SPARK_DAEMON_JAVA_OPTS in the environment\n"));
    // No other driver does.
    scene.merges(&["app.jar"], &[INJECTED[0], INJECTED[1], "app.jar"]);
}

#[test]
fn the_variable_that_changes_every_agent() {
    let scene = Scene::spark("4.3.0").env("_JAVA_JDWP_OPTIONS", "suspend=n,address=127.0.0.1:1");
    let app = [INJECTED[0], INJECTED[1], "app.jar"];
    let run = scene.run(&["-q", "submit", DRIVER, "app.jar"]);
    run.expect(Some(0), "note: replaced: _JAVA_JDWP_OPTIONS=`suspend=n,address=127.0.0.1:1` would change our agent\n");
    run.starts_with("spark/bin/spark-submit", &app, &[("_JAVA_JDWP_OPTIONS", None)]);
    let run = scene.run(&["-q", "submit", DRIVER, "--existing", "keep", "app.jar"]);
    run.expect(
        Some(0),
        "warning: _JAVA_JDWP_OPTIONS=`suspend=n,address=127.0.0.1:1` is kept: the JVM adds it to the agent's options, \
         so that the endpoint may be another\n",
    );
    run.starts("spark/bin/spark-submit", &app);
    scene.run(&["submit", DRIVER, "--existing", "fail", "app.jar"]).fails(
        125,
        "error: _JAVA_JDWP_OPTIONS=`suspend=n,address=127.0.0.1:1` would change the agent's options\n\
         help: unset it, or choose --existing=replace\n",
    );
}

/// O16: every JVM of this Spark takes it, and it is no file of ours to write.
#[test]
fn an_agent_in_java_opts() {
    let scene = Scene::spark("4.3.0").file("spark/conf/java-opts", format!("-Dx=1\n{J}\n"));
    let place = "@root/spark/conf/java-opts line 2";
    scene.run(&["submit", DRIVER, "app.jar"]).fails(
        125,
        &format!(
            "error: {place} configures a debug agent already, `{J}`; it applies to the driver and to every other JVM \
             of this Spark, and sparkdbg edits no distribution\n\
             help: take it out of the file, or debug with it: --existing=keep\n"
        ),
    );
    let run = scene.run(&["submit", DRIVER, "--existing=keep", "app.jar"]);
    let everywhere = format!("warning: {place} reaches every JVM of this Spark, executors too\n");
    run.expect(
        Some(0),
        &format!("note: kept: `{J}` in {place}; nothing is injected, and `--driver` has no effect\n{everywhere}{KEPT}"),
    );
    run.starts("spark/bin/spark-submit", &["app.jar"]);
    scene.run(&["submit", DRIVER, "--existing=fail", "app.jar"]).fails(
        125,
        &format!(
            "error: a debug agent is configured already: `{J}` in {place}\n\
             help: take it out, or choose --existing=replace or --existing=keep\n"
        ),
    );
    let elsewhere = Scene::spark("4.3.0").file("etc/java-opts", J).env("SPARK_CONF_DIR", "@root/etc");
    let run = elsewhere.run(&["submit", DRIVER, "app.jar"]);
    assert_eq!(run.status.code(), Some(125), "{run}");
    assert!(run.stderr.contains(&elsewhere.fill("@root/etc/java-opts line 1")), "{run}");
}

#[test]
fn two_agents_cannot_both_stay() {
    let scene = Scene::spark("4.3.0").env("SPARK_SUBMIT_OPTS", J);
    let run = scene.run(&["submit", DRIVER, "--existing=keep", "--", "--driver-java-options", J, "app.jar"]);
    // The environment has its part in it.
    run.fails(
        125,
        &format!(
            "error: the JVM loads one debug agent only, and two are configured: in {EXTRA} (--driver-java-options, \
             argument 2) and in SPARK_SUBMIT_OPTS in the environment\n\
             help: take one out, or choose --existing=replace\n"
        ),
    );
}

/// What was typed is named in the note; what a profile says would be missed.
#[test]
fn who_may_attach_is_the_kept_agents_choice() {
    let scene = Scene::spark("4.3.0").file("work/sparkdbg.toml", "[profile.p]\nallow = \"127.0.0.1\"\n");
    let words = ["--driver", "--existing=keep", "--", "--driver-java-options", J, "app.jar"];
    let kept = format!("note: kept: `{J}` in {EXTRA} (--driver-java-options, argument 2); nothing is injected");
    let run = scene.run(&[["-q", "-p", "p", "submit"].as_slice(), &words].concat());
    let origin = "@root/work/sparkdbg.toml:2 (profile p)";
    let warning = format!("`allow` ({origin}) has no effect: the agent that is kept decides who may attach");
    run.expect(Some(0), &format!("{kept}\nwarning: {warning}\n"));
    let run = scene.run(&[["-q", "submit", "--allow=127.0.0.1"].as_slice(), &words].concat());
    run.expect(Some(0), &format!("{kept}, and `--allow` has no effect\n"));
}

/// V2, V3.
#[test]
fn a_kept_agent_must_work() {
    let scene = Scene::spark("4.3.0");
    let place = format!("{EXTRA} (--driver-java-options, argument 2)");
    for (agent, cause) in [
        ("-agentlib:jdwp=transport=dt_socket,server=Y", "`server=Y` is neither `server=y` nor `server=n`"),
        (
            "-agentlib:jdwp=transport=dt_socket,suspend=maybe,server=y",
            "`suspend=maybe` is neither `suspend=y` nor `suspend=n`",
        ),
        (
            "-agentlib:jdwp=transport=dt_socket,sevrer=y",
            "`sevrer` is not an option of the debug agent; did you mean `server`?",
        ),
        (
            "-agentlib:jdwp=transport=dt_socket,server=n",
            "the JVM dials out and needs `address=HOST:PORT`, or `server=y` to make it listen",
        ),
        (
            "-agentlib:jdwp=transport=dt_shmem,server=y",
            "`transport=dt_shmem` exists only on Windows; write `transport=dt_socket`",
        ),
    ] {
        let run = scene.run(&["submit", DRIVER, "--existing=keep", "--", "--driver-java-options", agent, "app.jar"]);
        run.fails(
            2,
            &format!(
                "error: `{agent}` in {place} would keep the JVM from starting: {cause}\n\
                 help: mend it, or let sparkdbg replace it: --existing=replace\n"
            ),
        );
    }
}

/// T5: the JVM of such an agent ends with status 0 when nobody comes.
#[test]
fn a_kept_timeout_gets_a_warning() {
    let agent = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:@other,timeout=500";
    let scene = Scene::spark("4.3.0");
    let run = scene.run(&["-q", "submit", DRIVER, "--existing=keep", "--", "--driver-java-options", agent, "app.jar"]);
    let place = format!("`{agent}` in {EXTRA} (--driver-java-options, argument 2)");
    run.expect(
        Some(0),
        &format!(
            "note: kept: {place}; nothing is injected, and `--driver` has no effect\nwarning: {place}: with \
             `timeout=500` a job to which no debugger comes ends as successful without having run\n"
        ),
    );
}

#[test]
fn a_kept_agent_is_shown_everywhere() {
    let scene = Scene::spark("4.3.0");
    for (agent, mode, host, suspend) in [
        (J, "attach", "127.0.0.1", false),
        ("-agentlib:jdwp=transport=dt_socket,server=y,address=localhost:@other", "attach", "localhost", true),
        // V3: without `server` the JVM dials out.
        ("-agentlib:jdwp=transport=dt_socket,address=127.0.0.1:@other", "listen", "127.0.0.1", true),
        ("-agentlib:jdwp=transport=dt_socket,server=n,suspend=n,address=10.0.0.9:@other", "listen", "10.0.0.9", false),
    ] {
        let run = scene.run(&[
            "-q",
            "--dry-run=json",
            "submit",
            "--existing=keep",
            DRIVER,
            "--",
            "--driver-java-options",
            agent,
            "app.jar",
        ]);
        let plan: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
        let port: u64 = scene.fill("@other").parse().unwrap();
        let endpoint = serde_json::json!([
            {"role": "driver", "mode": mode, "host": host, "port": port, "suspend": suspend}
        ]);
        assert_eq!(plan["endpoints"], endpoint, "{run}");
        assert_eq!(plan["args"], serde_json::json!(["--driver-java-options", scene.fill(agent), "app.jar"]), "{run}");
    }
}

/// The rules for endpoints hold for one that the user wrote too.
#[test]
fn a_kept_agent_gets_the_same_warnings() {
    let scene = Scene::spark("4.3.0").env("CI", "true");
    let agent = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=0.0.0.0:@other";
    let run = scene.run(&["-q", "submit", DRIVER, "--existing=keep", "--", "--driver-java-options", agent, "app.jar"]);
    assert_eq!(run.status.code(), Some(0), "{run}");
    assert!(run.stderr.contains("warning: CI is set"), "{run}");
    assert!(run.stderr.contains(&scene.fill("warning: whoever reaches port @other of `0.0.0.0`")), "{run}");
}

#[test]
fn a_kept_agent_is_checked_before_the_start() {
    let scene = Scene::spark("4.3.0");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let agent = format!("-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:{port}");
    let run = scene.run(&["submit", DRIVER, "--existing=keep", "--", "--driver-java-options", &agent, "app.jar"]);
    assert_eq!(run.status.code(), Some(125), "{run}");
    assert!(run.stderr.contains(&format!("port {port} on 127.0.0.1 is in use")), "{run}");
    let agent = "-agentlib:jdwp=transport=dt_socket,server=n,suspend=n,address=127.0.0.1:@other";
    let run = scene.run(&["submit", DRIVER, "--existing=keep", "--", "--driver-java-options", agent, "app.jar"]);
    assert_eq!(run.status.code(), Some(125), "{run}");
    assert!(run.stderr.contains(&scene.fill("nobody listens on 127.0.0.1:@other")), "{run}");
}

/// P9: nobody can tell its port before it is there.
#[test]
fn a_kept_agent_without_a_port() {
    let scene = Scene::spark("4.3.0");
    for agent in [
        "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n",
        "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0",
    ] {
        let run = scene.run(&["submit", DRIVER, "--existing=keep", "--", "--driver-java-options", agent, "app.jar"]);
        assert_eq!(run.status.code(), Some(0), "{run}");
        assert!(!run.stderr.contains("port 0") && !run.stderr.contains("-L 0:"), "{run}");
        assert!(run.stderr.contains("standard output") || run.stderr.contains("stdout"), "it tells the port\n{run}");
    }
}

/// C2: what stands here reaches the JVM that submits, not the driver.
#[test]
fn in_cluster_mode_variables_and_files_of_this_machine_do_not_matter() {
    let words = ["--master", "yarn", "--deploy-mode", "cluster", "app.jar"];
    let expected: Vec<&str> = INJECTED.into_iter().chain(words).collect();
    for name in ["SPARK_SUBMIT_OPTS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"] {
        let scene = Scene::spark("4.3.0").env(name, J);
        let run = scene.run(&[["-q", "submit", DRIVER, NO_PAUSE, "--"].as_slice(), &words].concat());
        let warning = format!(
            "warning: `{J}` in {name} in the environment debugs the JVM that submits, not the driver on the cluster\n"
        );
        run.expect(Some(0), &warning).starts("spark/bin/spark-submit", &expected);
    }
    let scene = Scene::spark("4.3.0").file("spark/conf/java-opts", J).env("_JAVA_JDWP_OPTIONS", "suspend=n");
    let run = scene.run(&[["-q", "submit", DRIVER, NO_PAUSE, "--"].as_slice(), &words].concat());
    let warning = format!(
        "warning: `{J}` in @root/spark/conf/java-opts line 1 debugs the JVM that submits, not the driver on the \
         cluster\n"
    );
    run.expect(Some(0), &warning).starts("spark/bin/spark-submit", &expected);
}

#[test]
fn the_profile_can_choose() {
    let scene = Scene::spark("4.3.0").file("work/sparkdbg.toml", "[profile.p]\nexisting = \"keep\"\n");
    let words = ["submit", DRIVER, "--", "--driver-java-options", J, "app.jar"];
    let run = scene.run(&[["-q", "-p", "p"].as_slice(), &words].concat());
    run.starts("spark/bin/spark-submit", &words[3..]);
    // The flag wins.
    let run =
        scene.run(&["-p", "p", "submit", DRIVER, "--existing", "fail", "--", "--driver-java-options", J, "app.jar"]);
    assert_eq!(run.status.code(), Some(2), "{run}");
}

/// There the cluster manager splits the value, by other rules than the launcher: no quote is ever open.
#[test]
fn in_cluster_mode_the_key_counts_as_ever() {
    let scene = Scene::spark("4.3.0");
    let ours = ["-q", "submit", DRIVER, NO_PAUSE, "--"];
    let cluster = ["--master", "yarn", "--deploy-mode", "cluster"];
    let value = format!("{EXTRA}={J} -Da='x");
    let run = scene.run(&[ours.as_slice(), &cluster, &["-c", &value, "app.jar"]].concat());
    run.expect(Some(0), &format!("note: replaced: `{J}` in {EXTRA} (--conf, argument 6)\n"));
    let left = format!("{EXTRA}=-Da='x");
    run.starts("spark/bin/spark-submit", &[INJECTED.as_slice(), &cluster, &["-c", &left, "app.jar"]].concat());
    // Q9: a backslash does not protect a blank there.
    let value = format!("{EXTRA}=-Dc=x\\ y");
    let run = scene.run(&[ours.as_slice(), &cluster, &["-c", &value, "app.jar"]].concat());
    run.expect(
        Some(0),
        &format!("warning: `y` in {EXTRA} (--conf, argument 6) is no option: java will take it for the main class\n"),
    );
    scene.merges(&["-c", &value, "app.jar"], &[INJECTED.as_slice(), &["-c", &value, "app.jar"]].concat());
}

/// The JVM reads them long after us.
#[test]
fn an_agent_in_a_file_of_options() {
    let scene = || Scene::spark("4.3.0").file("work/vm options", format!("# -agentlib:jdwp=x\n-Da=1\n{J}\n"));
    for (name, value) in [
        ("JDK_JAVA_OPTIONS", "'@@root/work/vm options'"),
        ("JAVA_TOOL_OPTIONS", "'-XX:VMOptionsFile=vm options'"),
        ("SPARK_SUBMIT_OPTS", "'@vm options'"),
    ] {
        let scene = scene().env(name, value);
        scene.run(&["submit", DRIVER, "app.jar"]).fails(
            125,
            &format!(
                "error: @root/work/vm options line 3 configures a debug agent already, `{J}`; sparkdbg edits no file of \
                 yours\nhelp: take it out of the file, or debug with it: --existing=keep\n"
            ),
        );
    }
    let scene = scene();
    let words = ["--driver-java-options", "'-XX:VMOptionsFile=vm options' -Db=2", "app.jar"];
    let run = scene.run(&[["-q", "submit", "--existing=keep", "--"].as_slice(), &words].concat());
    run.expect(Some(0), &format!("note: kept: `{J}` in @root/work/vm options line 3; nothing is injected\n"));
    run.starts("spark/bin/spark-submit", &words);
}

/// Java 8 opens a bare port to everybody.
#[test]
fn a_kept_bare_port_on_java_8() {
    let scene = Scene::spark("4.3.0").file("java/release", "JAVA_VERSION=\"1.8.0_402\"\n");
    let agent = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=@other";
    let words = ["submit", "--existing=keep", "--", "--driver-java-options", agent, "app.jar"];
    let plan = scene.json(&words);
    assert_eq!(plan["endpoints"][0]["host"], "0.0.0.0");
    let open = scene.fill("whoever reaches port @other of `0.0.0.0` can run any code in the driver");
    assert!(plan["notes"].as_array().unwrap().iter().any(|note| note["message"] == open), "{plan}");
}

/// A flag cannot move an agent that is kept.
#[test]
fn the_cure_of_a_kept_agent_is_where_it_stands() {
    let agent = "-agentlib:jdwp=transport=dt_socket,server=n,address=127.0.0.1:@other";
    let cure = "help: change the address in spark.driver.extraJavaOptions (--driver-java-options, argument 2), or let \
                sparkdbg replace it: --existing=replace\n";
    let scene = Scene::spark("4.3.0");
    let keep = ["submit", "--existing=keep", "--", "--driver-java-options", agent];
    let nobody = "error: nobody listens on 127.0.0.1:@other: the driver would die at its start\n";
    scene.run(&[keep.as_slice(), &["app.jar"]].concat()).fails(125, &format!("{nobody}{cure}"));
    let cluster = [keep.as_slice(), &["--master", "yarn", "--deploy-mode", "cluster", "app.jar"]].concat();
    let itself =
        "error: in cluster mode the driver would dial `127.0.0.1` on its own host, where no debugger listens\n";
    scene.run(&cluster).fails(2, &format!("{itself}{cure}"));
    // It may be waited for, although the driver's own endpoint is one to attach to.
    let wait =
        ["submit", "--existing=keep", "--wait-for-debugger=200ms", "--", "--driver-java-options", agent, "app.jar"];
    let run = scene.run(&wait);
    assert_eq!(run.status.code(), Some(125), "{run}");
    assert!(run.stderr.contains(&scene.fill("error: nobody listened on 127.0.0.1:@other within 200ms\n")), "{run}");
}
