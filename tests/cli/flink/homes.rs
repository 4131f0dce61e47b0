//! Which Flink is started.

use super::{AGENT, CLIENT, flink, home, run};
use crate::scene::Scene;

const WORDS: [&str; 2] = ["run", "x.jar"];

fn starts(scene: &Scene, options: &[&str], home: &str) {
    let exported = format!("@root/{home}");
    let run = run(scene, options, &WORDS);
    run.expect(Some(0), "").starts_with(
        &format!("{home}/bin/flink"),
        &WORDS,
        &[("FLINK_HOME", Some(&exported)), ("JVM_ARGS", Some(AGENT))],
    );
}

#[test]
fn flag_over_profile_over_variable_over_path() {
    let scene = home(home(home(flink("1.20.1"), "b", "2.1.0"), "c", "1.18.1"), "d", "1.20.1");
    run(&scene, &[CLIENT], &WORDS).starts_with("flink/bin/flink", &WORDS, &[("JVM_ARGS", Some(AGENT))]);
    let scene = scene.file("work/sparkdbg.toml", "[profile.p]\nflink-home = \"@root/b\"\n");
    starts(&scene, &["-p", "p", CLIENT], "b");
    starts(&scene, &["-p", "p", "--flink-home", "@root/c", CLIENT], "c");
    let scene = scene.unset("FLINK_HOME").env("PATH", "@root/d/bin:/usr/bin:/bin");
    starts(&scene, &[CLIENT], "d");
    // By a link too.
    starts(&scene.link("links/flink", "d/bin/flink").env("PATH", "@root/links:/usr/bin:/bin"), &[CLIENT], "d");
}

#[test]
fn a_relative_variable() {
    let scene = flink("1.20.1").env("FLINK_HOME", "../flink");
    run(&scene, &[CLIENT], &WORDS).expect(Some(0), "").starts_with(
        "work/../flink/bin/flink",
        &WORDS,
        &[("JVM_ARGS", Some(AGENT))],
    );
}

const WRAPPER: &str = "export HADOOP_CONF_DIR=/etc/hadoop/conf\nexec @root/lib/flink/bin/flink \"$@\"\n";

/// EMR's: it sets variables of its own, and must not be passed by.
#[test]
fn a_wrapper_on_path_runs_itself() {
    let told = "#!/bin/sh\nprintf '%s\\0' \"$0\" \"$#\" \"$@\"\nenv -0\nexit 0\n";
    let scene = home(Scene::new(), "lib/flink", "1.18.1")
        .file("lib/flink/conf/flink-conf.yaml", "execution.target: local\n")
        .script("tools/flink", &format!("{told}{WRAPPER}"))
        .env("PATH", "@root/tools:/usr/bin:/bin")
        .env("FLINK_PID_DIR", "@root/pid");
    run(&scene, &[CLIENT], &WORDS).expect(Some(0), "").starts_with("tools/flink", &WORDS, &[("JVM_ARGS", Some(AGENT))]);
    // The home behind it is known: its configuration says where the job goes, its name the version.
    let plan = scene.run(&["-q", "-v", "flink", CLIENT, "--dry-run", "run", "x.jar"]);
    assert!(
        plan.stderr.contains(&scene.fill("program: @root/tools/flink (Flink 1.18.1, a wrapper script on PATH)\n")),
        "{plan}"
    );
    assert!(plan.stderr.contains(&scene.fill("configuration: @root/lib/flink/conf/flink-conf.yaml\n")), "{plan}");
    assert!(String::from_utf8_lossy(&plan.stdout).contains("-Dpekko.ask.timeout=7200000"), "{plan}");
    // Another script is that of its home.
    let run = run(&scene, &["--taskmanager=attach:@port"], &["taskmanager.sh", "start"]);
    run.expect(Some(0), "").starts_with(
        "lib/flink/bin/taskmanager.sh",
        &["start"],
        &[("FLINK_HOME", Some("@root/lib/flink")), ("JVM_ARGS", Some(AGENT))],
    );
}

/// A function of the user's that calls us is not the real one.
#[test]
fn one_that_calls_us_is_passed_by() {
    let scene = home(Scene::new(), "d", "1.20.1")
        .script("tools/flink", "#!/bin/sh\nexec sparkdbg flink --client -- \"$@\"\n")
        .env("PATH", "@root/tools:@root/d/bin:/usr/bin:/bin")
        .env("FLINK_PID_DIR", "@root/pid");
    starts(&scene, &[CLIENT], "d");
}

#[test]
fn a_package_of_pips() {
    let package = "venv/lib/python3.11/site-packages/pyflink";
    let scene = home(Scene::new(), package, "1.20.1")
        .stand_in("venv/bin/python3.11")
        .link("venv/bin/python3", "venv/bin/python3.11")
        .file("venv/pyvenv.cfg", "")
        .env("PATH", "@root/venv/bin:/usr/bin:/bin");
    starts(&scene, &[CLIENT], package);
}

#[test]
fn none_or_a_broken_one() {
    run(&Scene::new().env("PATH", "@root/nothing"), &[CLIENT], &WORDS).fails(
        127,
        "error: no Flink was found: `flink` is not on PATH\n\
         help: name the distribution: --flink-home DIR, or FLINK_HOME\n",
    );
    let scene = flink("1.20.1");
    run(&scene, &["--flink-home", "@root/work"], &WORDS).fails(
        127,
        "error: `@root/work` (--flink-home) is no Flink distribution: `@root/work/bin/config.sh` is missing\n\
         help: a Flink home is the directory that holds bin/flink and bin/config.sh\n",
    );
    run(&flink("1.14.6").without("flink/bin/sql-gateway.sh"), &[], &["sql-gateway.sh"]).fails(
        127,
        "error: the Flink in `@root/flink` has no `bin/sql-gateway.sh`\n\
         help: choose another distribution: --flink-home DIR\n",
    );
    run(&scene.mode("flink/bin/flink", 0o644), &[CLIENT], &WORDS)
        .fails(126, "error: `@root/flink/bin/flink` is not executable\nhelp: chmod +x @root/flink/bin/flink\n");
}
