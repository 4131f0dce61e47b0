//! Agents that are there already, wherever Flink's scripts take options from.

use super::{AGENT, CLIENT, OPENS, TASKMANAGER, flink, run};
use crate::scene::{J, Scene};

const SCRIPT: &str = "flink/bin/taskmanager.sh";
const WORDS: [&str; 2] = ["taskmanager.sh", "start"];
const REST: [&str; 1] = ["start"];

fn with_conf(text: &str) -> Scene {
    flink("1.20.1").file("flink/conf/config.yaml", text)
}

fn refused(place: &str) -> String {
    format!(
        "error: a debug agent is configured already: `{J}` in {place}\n\
         help: take it out, or choose --existing=replace or --existing=keep\n"
    )
}

/// The file stays as it is: the variable that takes its place gets the rest.
#[test]
fn in_a_key_of_the_role() {
    let text = format!("env.java.opts.all: {OPENS}\nenv.java.opts.taskmanager: -Da=1 {J} -Db=2\n");
    let scene = with_conf(&text);
    let place = "env.java.opts.taskmanager (@root/flink/conf/config.yaml line 2)";
    let own = format!("{AGENT} -Da=1 -Db=2");
    run(&scene, &[TASKMANAGER], &WORDS).expect(Some(0), &format!("note: replaced: `{J}` in {place}\n")).starts_with(
        SCRIPT,
        &REST,
        &[("FLINK_ENV_JAVA_OPTS_TM", Some(&own))],
    );
    let note = format!("note: kept: `{J}` in {place}; nothing is injected\n");
    run(&scene, &["--existing=keep"], &WORDS).expect(Some(0), &note).starts(SCRIPT, &REST);
    run(&scene, &["--existing=fail"], &WORDS).fails(125, &refused(place));
    assert_eq!(scene.read("flink/conf/config.yaml"), scene.fill(&text));
}

#[test]
fn who_may_attach_is_the_kept_agents_choice() {
    let scene = with_conf(&format!("env.java.opts.taskmanager: {J}\n"))
        .file("work/sparkdbg.toml", "[profile.p]\nallow = \"127.0.0.1\"\n");
    let place = "env.java.opts.taskmanager (@root/flink/conf/config.yaml line 1)";
    let kept = format!("note: kept: `{J}` in {place}; nothing is injected");
    let origin = "@root/work/sparkdbg.toml:2 (profile p)";
    let warning = format!("`allow` ({origin}) has no effect: the agent that is kept decides who may attach");
    let options = ["--profile=p", "--taskmanager", "--existing=keep"];
    run(&scene, &options, &WORDS).expect(Some(0), &format!("{kept}\nwarning: {warning}\n")).starts(SCRIPT, &REST);
    let options = ["--taskmanager", "--existing=keep", "--allow=127.0.0.1"];
    run(&scene, &options, &WORDS).expect(Some(0), &format!("{kept}, and `--allow` has no effect\n"));
}

/// F2: no `--add-opens` is lost, nor what the scripts add themselves.
#[test]
fn in_the_key_of_every_jvm() {
    let scene = with_conf(&format!("env.java.opts.all: {OPENS} {J}\n"));
    let place = "env.java.opts.all (@root/flink/conf/config.yaml line 1)";
    let rest = format!("-XX:+IgnoreUnrecognizedVMOptions {OPENS}");
    let changed = [("FLINK_ENV_JAVA_OPTS", Some(rest.as_str())), ("JVM_ARGS", Some(AGENT))];
    let note = format!("note: replaced: `{J}` in {place}\n");
    run(&scene, &[TASKMANAGER], &WORDS).expect(Some(0), &note).starts_with(SCRIPT, &REST, &changed);
    let client = run(&scene, &[CLIENT], &["run", "x.jar"]);
    client.expect(Some(0), &note).starts_with("flink/bin/flink", &["run", "x.jar"], &changed);
    // All JVMs of a cluster would take the one port.
    run(&scene, &["--existing=keep"], &["start-cluster.sh"]).fails(
        125,
        &format!(
            "error: the agent in {place} reaches JobManager and TaskManagers alike: the first takes 127.0.0.1:@other, the \
             others die at their start\nhelp: change the address in {place}, or let sparkdbg replace it: \
             --existing=replace\n"
        ),
    );
    // Java 18 and later get one option more from the scripts.
    let scene = scene
        .file("java/release", "JAVA_VERSION=\"21.0.1\"\n")
        .file("flink/bin/config.sh", "FLINK_ENV_JAVA_OPTS=\"-XX:+IgnoreUnrecognizedVMOptions $(x)\"\nFLINK_ENV_JAVA_OPTS=\"$FLINK_ENV_JAVA_OPTS -Djava.security.manager=allow\"\n");
    let child = run(&scene, &[TASKMANAGER], &WORDS).child();
    let variable = child.env.get(std::ffi::OsStr::new("FLINK_ENV_JAVA_OPTS")).expect("it is set").to_string_lossy();
    let expected = format!("-XX:+IgnoreUnrecognizedVMOptions -Djava.security.manager=allow {OPENS}");
    assert_eq!(variable, expected);
}

/// The keys that stand before the others, since 1.19.
#[test]
fn in_default_options() {
    let text = format!("env.java.default-opts.taskmanager: -Dd=1 {J}\nenv.java.opts.taskmanager: -Dt=1\n");
    let place = "env.java.default-opts.taskmanager (@root/flink/conf/config.yaml line 1)";
    let own = format!("{AGENT} -Dd=1 -Dt=1");
    run(&with_conf(&text), &[TASKMANAGER], &WORDS)
        .expect(Some(0), &format!("note: replaced: `{J}` in {place}\n"))
        .starts_with(SCRIPT, &REST, &[("FLINK_ENV_JAVA_OPTS_TM", Some(&own))]);
    // 1.18 does not read them.
    let old = flink("1.18.1").file("flink/conf/flink-conf.yaml", text);
    run(&old, &[TASKMANAGER], &WORDS).expect(Some(0), "").starts_with(SCRIPT, &REST, &[("JVM_ARGS", Some(AGENT))]);
}

#[test]
fn in_a_variable_that_adds() {
    for name in ["JVM_ARGS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS"] {
        let scene = flink("1.20.1").env(name, format!("-Da=1 {J}"));
        let place = format!("{name} in the environment");
        let own = format!("{AGENT} -Da=1");
        let changed = match name {
            "JVM_ARGS" => vec![("JVM_ARGS", Some(own.as_str()))],
            _ => vec![("JVM_ARGS", Some(AGENT)), (name, Some("-Da=1"))],
        };
        let note = format!("note: replaced: `{J}` in {place}\n");
        run(&scene, &[TASKMANAGER], &WORDS).expect(Some(0), &note).starts_with(SCRIPT, &REST, &changed);
        let every = match name {
            "JVM_ARGS" => String::new(),
            _ => format!(
                "warning: {place} reaches every JVM, also the one that Flink's scripts start first to read the \
                 configuration\n"
            ),
        };
        let kept = format!("note: kept: `{J}` in {place}; nothing is injected\n{every}");
        run(&scene, &["--existing=keep"], &WORDS).expect(Some(0), &kept).starts(SCRIPT, &REST);
        run(&scene, &["--existing=fail"], &WORDS).fails(125, &refused(&place));
    }
}

/// F9: the scripts' own JVM would stand, and nothing would ever be printed.
#[test]
fn one_that_stops_the_helper_jvm() {
    let suspending = J.replace("suspend=n", "suspend=y");
    let scene = flink("1.20.1").env("JAVA_TOOL_OPTIONS", &suspending);
    run(&scene, &["--existing=keep"], &WORDS).fails(
        125,
        &format!(
            "error: `{suspending}` in JAVA_TOOL_OPTIONS in the environment stops the JVM that Flink's scripts start first \
             to read the configuration\nhelp: unset it, or let sparkdbg replace it: --existing=replace\n"
        ),
    );
    run(&scene, &[TASKMANAGER], &WORDS).starts_with(
        SCRIPT,
        &REST,
        &[("JAVA_TOOL_OPTIONS", None), ("JVM_ARGS", Some(AGENT))],
    );
}

/// F3: `FLINK_ENV_JAVA_OPTS=-agentlib:… taskmanager.sh start` had displaced the file's options.
#[test]
fn in_a_variable_that_takes_the_place_of_the_file() {
    let note = |name: &str| format!("note: replaced: `{J}` in {name} in the environment\n");
    let scene = flink("1.20.1").env("FLINK_ENV_JAVA_OPTS", J);
    run(&scene, &[TASKMANAGER], &WORDS).expect(Some(0), &note("FLINK_ENV_JAVA_OPTS")).starts_with(
        SCRIPT,
        &REST,
        &[("FLINK_ENV_JAVA_OPTS", None), ("JVM_ARGS", Some(AGENT))],
    );
    let displaced = "warning: FLINK_ENV_JAVA_OPTS in the environment takes the place of env.java.opts.all \
                     (@root/flink/conf/config.yaml line 4), of which the JVMs here get nothing; JVM_ARGS adds to it\n";
    let kept = format!("{displaced}note: kept: `{J}` in FLINK_ENV_JAVA_OPTS in the environment; nothing is injected\n");
    run(&scene, &["--existing=keep"], &WORDS).expect(Some(0), &kept).starts(SCRIPT, &REST);
    // What else is in it was meant.
    let scene = scene.env("FLINK_ENV_JAVA_OPTS", format!("-Da=1 {J}"));
    let said = format!("{displaced}{}", note("FLINK_ENV_JAVA_OPTS"));
    run(&scene, &[TASKMANAGER], &WORDS).expect(Some(0), &said).starts_with(
        SCRIPT,
        &REST,
        &[("FLINK_ENV_JAVA_OPTS", Some("-Da=1")), ("JVM_ARGS", Some(AGENT))],
    );
    // Another one in the file stays where the variable keeps it out.
    let both = with_conf(&format!("env.java.opts.all: {OPENS} {J}\n")).env("FLINK_ENV_JAVA_OPTS", J);
    run(&both, &[TASKMANAGER], &WORDS).expect(Some(0), &note("FLINK_ENV_JAVA_OPTS")).starts_with(
        SCRIPT,
        &REST,
        &[("FLINK_ENV_JAVA_OPTS", Some(" ")), ("JVM_ARGS", Some(AGENT))],
    );
    // The variable of the role.
    let role = with_conf(&format!("env.java.opts.all: {OPENS}\nenv.java.opts.taskmanager: -Dt=1\n"))
        .env("FLINK_ENV_JAVA_OPTS_TM", J);
    let own = format!("{AGENT} -Dt=1");
    run(&role, &[TASKMANAGER], &WORDS).expect(Some(0), &note("FLINK_ENV_JAVA_OPTS_TM")).starts_with(
        SCRIPT,
        &REST,
        &[("FLINK_ENV_JAVA_OPTS_TM", Some(&own))],
    );
    // That of another role reaches no TaskManager.
    let other = flink("1.20.1").env("FLINK_ENV_JAVA_OPTS_JM", J);
    run(&other, &[TASKMANAGER], &WORDS).expect(Some(0), "").starts_with(SCRIPT, &REST, &[("JVM_ARGS", Some(AGENT))]);
}

#[test]
fn what_is_lost_with_it_is_said() {
    let odd = J.replace("address", "onthrow=X,launch=/bin/true,address");
    let scene = flink("1.20.1").env("JVM_ARGS", &odd);
    let run = run(&scene, &[TASKMANAGER], &WORDS);
    run.expect(
        Some(0),
        &format!("note: replaced: `{odd}` in JVM_ARGS in the environment; lost with it: onthrow=X launch=/bin/true\n"),
    );
}

#[test]
fn two_that_would_stay() {
    let scene = with_conf(&format!("env.java.opts.taskmanager: {J}\n")).env("JVM_ARGS", J);
    run(&scene, &["--existing=keep"], &WORDS).fails(
        125,
        "error: the JVM loads one debug agent only, and two are configured: in JVM_ARGS in the environment and in \
         env.java.opts.taskmanager (@root/flink/conf/config.yaml line 1)\n\
         help: take one out, or choose --existing=replace\n",
    );
    run(&scene, &[TASKMANAGER], &WORDS).starts_with(
        SCRIPT,
        &REST,
        &[("FLINK_ENV_JAVA_OPTS_TM", Some(AGENT)), ("JVM_ARGS", None)],
    );
}

/// A port that the scripts reckon for each daemon.
#[test]
fn one_that_the_scripts_evaluate() {
    let reckoned = J.replace("address=@other", "address=127.0.0.1:$((@other+$id))");
    let conf = format!("env.java.opts.taskmanager: {reckoned} -Da=1\n");
    let place = "env.java.opts.taskmanager (@root/flink/conf/config.yaml line 1)";
    let scene = with_conf(&conf).file("flink/conf/workers", "localhost\nlocalhost\n");
    let note = format!("note: kept: `{reckoned}` in {place}; nothing is injected\n");
    let keep = ["--existing=keep", "--taskmanager"];
    run(&scene, &keep, &["start-cluster.sh"])
        .expect(Some(0), &note)
        .starts("flink/bin/start-cluster.sh", &[] as &[&str]);
    run(&scene, &[TASKMANAGER], &WORDS)
        .expect(Some(0), &format!("note: replaced: `{reckoned}` in {place}\n"))
        .starts_with(SCRIPT, &REST, &[("FLINK_ENV_JAVA_OPTS_TM", Some(&format!("{AGENT} -Da=1")))]);
    // Nobody evaluates this one.
    let scene = flink("1.20.1").env("JVM_ARGS", &reckoned);
    let refused = run(&scene, &keep, &WORDS);
    assert_eq!(refused.status.code(), Some(125), "{refused}");
    assert!(refused.stderr.contains("would keep the JVM from starting"), "{refused}");
}

/// It starts no agent, but changes ours.
#[test]
fn the_variable_of_the_agent_itself() {
    let scene = flink("1.20.1").env("_JAVA_JDWP_OPTIONS", "address=@other");
    run(&scene, &[TASKMANAGER], &WORDS)
        .expect(Some(0), "note: replaced: _JAVA_JDWP_OPTIONS=`address=@other` would change our agent\n")
        .starts_with(SCRIPT, &REST, &[("JVM_ARGS", Some(AGENT)), ("_JAVA_JDWP_OPTIONS", None)]);
    run(&scene, &[TASKMANAGER, "--existing=keep"], &WORDS)
        .expect(
            Some(0),
            "warning: _JAVA_JDWP_OPTIONS=`address=@other` is kept: the JVM adds it to the agent's options, so that the \
             endpoint may be another\n",
        )
        .starts_with(SCRIPT, &REST, &[("JVM_ARGS", Some(AGENT))]);
    run(&scene, &[TASKMANAGER, "--existing=fail"], &WORDS).fails(
        125,
        "error: _JAVA_JDWP_OPTIONS=`address=@other` would change the agent's options\n\
         help: unset it, or choose --existing=replace\n",
    );
}
