//! Links named like the scripts: transparent without a profile, sparkdbg's command with one.

use std::ffi::OsStr;
use std::fs;

use crate::scene::{AGENT, HINT, INJECTED, J, Outcome, SPARKDBG, Scene, not_run};

const PROFILE: &str = "[profile.p]
driver = \"attach:@port\"
client = \"attach:@port\"
taskmanager = \"attach:@other\"
";

/// The shims in front of a Spark, neither named by a variable.
fn scene() -> Scene {
    let scene = Scene::new().home("spark", Some("4.3.0")).env("PATH", "@root/shims:@root/spark/bin:/usr/bin:/bin");
    let scene = scene.file("work/sparkdbg.toml", PROFILE);
    scene.run(&["-q", "shim", "install", "@root/shims"]).expect(Some(0), "");
    scene
}

/// As a shell starts it: by its name.
fn called<'a>(scene: &'a Scene, line: &str) -> Outcome<'a> {
    scene.run_program("/bin/sh", &["-c", &format!("exec {line}")])
}

#[test]
fn without_a_profile_the_real_script_runs_untouched() {
    let scene = scene().env("SPARK_SUBMIT_OPTS", J);
    for script in ["spark-submit", "spark-shell", "spark-sql", "pyspark", "sparkR", "run-example", "spark-class"] {
        let run = called(&scene, &format!("{script} --driver-java-options \"'open\" -- 'a b' ''"));
        run.expect(Some(0), "");
        run.starts(&format!("spark/bin/{script}"), &["--driver-java-options", "'open", "--", "a b", ""]);
    }
    let none: [&str; 0] = [];
    called(&scene, "spark-submit").expect(Some(0), "").starts("spark/bin/spark-submit", &none);
    let scene = scene.env("FAKE_STATUS", "7");
    let run = called(&scene, "spark-submit --version");
    run.expect(Some(7), "").starts("spark/bin/spark-submit", &["--version"]);
}

/// Not even what would be an error for sparkdbg is looked at: a profile file that is broken, a directory that is gone.
#[test]
fn without_a_profile_nothing_else_is_read() {
    let scene = scene().file("work/sparkdbg.toml", "broken").env("SPARK_HOME", "@root/none").cwd("work/gone");
    let scene = scene.env("SPARKDBG_PROFILE", "");
    let run = called(&scene, "sh -c 'rmdir ../gone; exec spark-submit x'");
    // The shell may have a word of its own on that directory.
    assert!(run.status.success() && !run.stderr.contains("error: "), "{run}");
    assert_eq!(run.child().args, ["x"], "{run}");
}

#[test]
fn with_a_profile_it_is_the_command() {
    let scene = scene().env("SPARKDBG_PROFILE", "p");
    let run = called(&scene, "spark-submit app.jar --driver=x");
    run.expect(Some(0), HINT);
    run.starts_with(
        "spark/bin/spark-submit",
        &[INJECTED[0], INJECTED[1], "app.jar", "--driver=x"],
        &[("SPARK_HOME", Some("@root/spark"))],
    );
    // No word is an option of sparkdbg's, and none is its command.
    let run = called(&scene, "spark-submit --driver app.jar");
    assert_eq!(run.child().args, scene.words(&[INJECTED[0], INJECTED[1], "--driver", "app.jar"]), "{run}");
    let run = called(&scene, "spark-shell --help");
    run.expect(Some(0), "note: nothing to debug: `--help` starts no driver; run as typed\n");
    assert_eq!(run.child().args, ["--help"], "{run}");
    let scene = scene.env("SPARKDBG_PROFILE", "q");
    let run = called(&scene, "spark-submit app.jar");
    assert_eq!(run.status.code(), Some(125), "{run}");
    assert!(run.stderr.contains("`q`") && run.stderr.contains("SPARKDBG_PROFILE"), "{run}");
}

#[test]
fn off_wins_over_the_profile() {
    let scene = scene().env("SPARKDBG_PROFILE", "p").env("SPARKDBG", "off");
    called(&scene, "spark-submit a").expect(Some(0), "").starts("spark/bin/spark-submit", &["a"]);
    let scene = scene.env("SPARKDBG", "on");
    let run = called(&scene, "spark-submit a");
    assert_eq!(run.child().args, scene.words(&[INJECTED[0], INJECTED[1], "a"]), "{run}");
}

#[test]
fn flink() {
    let scene = Scene::new().stand_in("flink/bin/flink").stand_in("flink/bin/taskmanager.sh");
    let scene = scene.file("flink/bin/config.sh", "").file("flink/lib/flink-dist-1.20.1.jar", "");
    let scene = scene.env("PATH", "@root/shims:@root/flink/bin:/usr/bin:/bin").file("work/sparkdbg.toml", PROFILE);
    scene.run(&["-q", "shim", "install", "@root/shims"]).expect(Some(0), "");
    called(&scene, "flink run a.jar").expect(Some(0), "").starts("flink/bin/flink", &["run", "a.jar"]);
    called(&scene, "taskmanager.sh start").expect(Some(0), "").starts("flink/bin/taskmanager.sh", &["start"]);
    let scene = scene.env("SPARKDBG_PROFILE", "p");
    // An action of `flink` that is a script's name for sparkdbg, and one that it does not know, are Flink's.
    for line in ["flink run a.jar", "flink taskmanager run"] {
        let run = called(&scene, line);
        assert_eq!(run.status.code(), Some(0), "{run}");
        let child = run.child();
        assert_eq!(child.script, scene.path("flink/bin/flink"), "{run}");
        assert_eq!(child.args.join(" ".as_ref()), *line.strip_prefix("flink ").unwrap(), "{run}");
        assert_eq!(child.env[OsStr::new("JVM_ARGS")], *scene.fill(AGENT), "{run}");
    }
    // Flink's own scripts run in their own home, whatever FLINK_HOME is.
    let scene = scene.env("FLINK_HOME", "@root/none");
    let run = called(&scene, "taskmanager.sh start");
    assert_eq!(run.status.code(), Some(0), "{run}");
    assert_eq!(run.child().script, scene.path("flink/bin/taskmanager.sh"), "{run}");
    assert!(run.stderr.contains(&scene.fill("taskmanager listens for a debugger on 127.0.0.1:@other")), "{run}");
}

/// A wrapper of Flink's that takes the first script that is not itself.
#[test]
fn a_wrapper_of_flink() {
    let scene = Scene::new().stand_in("flink/bin/flink").file("flink/bin/config.sh", "");
    let scene = scene.file("flink/lib/flink-dist-1.20.1.jar", "").file("work/sparkdbg.toml", PROFILE);
    let code = "for p in $(type -ap flink); do [ \"$p\" = \"$0\" ] || exec \"$p\" \"$@\" w; done";
    let scene = scene.script("wrap/flink", &format!("#!/bin/bash\n{code}\n"));
    let scene = scene.env("PATH", "@root/shims:@root/wrap:@root/flink/bin:/usr/bin:/bin");
    scene.run(&["-q", "shim", "install", "@root/shims"]).expect(Some(0), "");
    let run = called(&scene, "timeout 20 flink run a.jar");
    run.expect(Some(0), "").starts("flink/bin/flink", &["run", "a.jar", "w"]);
    let scene = scene.env("SPARKDBG_PROFILE", "p");
    let run = called(&scene, "timeout 20 flink run a.jar");
    assert_eq!(run.stderr.matches("waits for the debugger").count(), 1, "{run}");
    assert_eq!(run.child().args, ["run", "a.jar", "w"], "{run}");
    assert_eq!(run.child().env[OsStr::new("JVM_ARGS")], *scene.fill(AGENT), "{run}");
}

/// Other links, a hard link and a copy of us on `PATH`, before and behind: the real script is found, once.
#[test]
fn no_link_and_no_copy_of_ours_is_taken_for_the_real_script() {
    let scene = Scene::new().home("spark", Some("4.3.0")).link("first/spark-submit", SPARKDBG);
    let mut scene = scene.link("second/spark-submit", SPARKDBG).file("work/sparkdbg.toml", PROFILE);
    for dir in ["hard", "copy"] {
        fs::create_dir(scene.path(dir)).unwrap();
    }
    let hard = scene.path("hard/spark-submit");
    // Where the temporary directory is on another file system, there are no hard links to try.
    if fs::hard_link(SPARKDBG, &hard).is_err() {
        not_run("hard links to the program: it is on another file system");
    }
    fs::copy(SPARKDBG, scene.path("copy/spark-submit")).unwrap();
    for dirs in ["first:second:hard:copy", "copy:first:hard:second", "hard:copy:copy:first"] {
        let dirs: Vec<String> = dirs.split(':').map(|dir| format!("@root/{dir}")).collect();
        scene = scene.env("PATH", format!("{}:@root/spark/bin:/usr/bin:/bin", dirs.join(":")));
        scene = scene.unset("SPARKDBG_PROFILE");
        called(&scene, "spark-submit a").expect(Some(0), "").starts("spark/bin/spark-submit", &["a"]);
        scene = scene.env("SPARKDBG_PROFILE", "p");
        called(&scene, "spark-submit a").expect(Some(0), HINT).starts_with(
            "spark/bin/spark-submit",
            &[INJECTED[0], INJECTED[1], "a"],
            &[("SPARK_HOME", Some("@root/spark"))],
        );
    }
}

/// Each build passes over its own links alone, and hands on to those of the other, behind which the real script stands.
#[test]
fn links_to_two_builds_do_not_call_each_other_for_ever() {
    let scene = Scene::new().home("spark", Some("4.3.0")).file("work/sparkdbg.toml", PROFILE);
    let real = "#!/bin/sh\necho \"$*\" >> @root/runs\n";
    let mut scene = scene.script("spark/bin/spark-submit", real).file("first/README", "").file("second/README", "");
    for dir in ["first", "second"] {
        // Copied by another process: a test that starts one meanwhile would hold the new file open, and so keep it busy.
        scene.run_program("cp", &[SPARKDBG, &format!("@root/{dir}/sparkdbg")]).expect(Some(0), "");
        // What stands behind the program makes it another one, and does not change what it does.
        let mark = format!("printf {dir} >> @root/{dir}/sparkdbg");
        scene.run_program("/bin/sh", &["-c", &mark]).expect(Some(0), "");
        let install = ["-q", "shim", "install", &format!("@root/{dir}/shims"), "spark-submit"];
        scene.run_program(scene.path(&format!("{dir}/sparkdbg")), &install).expect(Some(0), "");
    }
    for dirs in ["first:second", "second:first", "first:second:first", "first:second:first:second"] {
        let dirs: Vec<String> = dirs.split(':').map(|dir| format!("@root/{dir}/shims")).collect();
        scene = scene.env("PATH", format!("{}:@root/spark/bin:/usr/bin:/bin", dirs.join(":")));
        scene = scene.unset("SPARKDBG_PROFILE").file("runs", "");
        called(&scene, "timeout 20 spark-submit a").expect(Some(0), "");
        assert_eq!(scene.read("runs"), "a\n", "{dirs:?}");
        scene = scene.env("SPARKDBG_PROFILE", "p").file("runs", "");
        called(&scene, "timeout 20 spark-submit a").expect(Some(0), HINT);
        assert_eq!(scene.read("runs"), scene.fill(&format!("{} a\n", INJECTED.join(" "))), "{dirs:?}");
    }
}

/// A script of the user's in front, which calls the link by its path, is not called by it again.
#[test]
fn a_wrapper_in_front_and_the_link_do_not_call_each_other_for_ever() {
    let wrapper = "#!/bin/sh\nexec @root/shims/spark-submit --name w \"$@\"\n";
    let mut scene = scene().script("mine/spark-submit", wrapper);
    for path in ["@root/mine:@root/shims:@root/spark/bin:/bin", "@root/mine:@root/spark/bin:/bin"] {
        scene = scene.env("PATH", path);
        called(&scene, "spark-submit a").expect(Some(0), "").starts("spark/bin/spark-submit", &["--name", "w", "a"]);
    }
}

/// Scripts that look for themselves on `PATH` in every way, and so come to the link again.
const LOOKING: [&str; 7] = [
    "for p in $(type -ap spark-submit); do [ \"$p\" = \"$0\" ] || exec \"$p\" --name w \"$@\"; done",
    "for p in $(type -ap spark-submit); do [ \"$p\" = \"$0\" ] || { \"$p\" --name w \"$@\"; exit; }; done",
    "exec @root/shims/spark-submit --name w \"$@\"",
    "@root/shims/spark-submit --name w \"$@\"",
    "exec spark-submit --name w \"$@\"",
    "(spark-submit --name w \"$@\") | cat",
    "sh -c 'exec spark-submit --name w \"$@\"' sh \"$@\"; exit",
];

/// The link, the script, the link, and forward: with one agent and one hint, and nothing of ours in the environment.
#[test]
fn a_script_that_comes_to_the_link_again_is_started_once() {
    let mut scene = scene().env("PATH", "@root/shims:@root/wrap:@root/wrap2:@root/spark/bin:/usr/bin:/bin");
    for code in LOOKING {
        let wrapper = format!("#!/bin/bash\n{code}\n");
        scene = scene.script("wrap/spark-submit", &wrapper).script("wrap2/spark-submit", &wrapper);
        scene = scene.unset("SPARKDBG_PROFILE");
        let run = called(&scene, "timeout 20 spark-submit a");
        run.expect(Some(0), "").starts("spark/bin/spark-submit", &["--name", "w", "--name", "w", "a"]);
        scene = scene.env("SPARKDBG_PROFILE", "p");
        let run = called(&scene, "timeout 20 spark-submit a");
        run.expect(Some(0), HINT)
            .starts("spark/bin/spark-submit", &["--name", "w", "--name", "w", INJECTED[0], INJECTED[1], "a"]);
    }
}

#[test]
fn a_chain_without_a_real_script_ends() {
    let mut scene = scene().env("PATH", "@root/shims:@root/wrap:/usr/bin:/bin");
    for code in LOOKING {
        scene = scene.script("wrap/spark-submit", &format!("#!/bin/bash\nset -o pipefail\n{code}\n"));
        for profile in ["", "p"] {
            scene = scene.env("SPARKDBG_PROFILE", profile);
            let run = called(&scene, "timeout 20 spark-submit a");
            assert_eq!(run.status.code(), Some(127), "{code}\n{run}");
            assert!(run.stderr.contains("error: `spark-submit` is not on PATH but for `"), "{code}\n{run}");
        }
    }
}

/// A wrapper that turns debugging on or off for what it starts decides, as long as nothing was put in.
#[test]
fn a_wrapper_may_choose_the_profile() {
    let scene = scene().env("PATH", "@root/shims:@root/wrap:@root/spark/bin:/usr/bin:/bin");
    let scene = scene.script("wrap/spark-submit", "#!/bin/sh\nSPARKDBG_PROFILE=p exec spark-submit \"$@\"\n");
    let run = called(&scene, "timeout 20 spark-submit a");
    run.expect(Some(0), HINT);
    assert_eq!(run.child().args, scene.words(&[INJECTED[0], INJECTED[1], "a"]), "{run}");
}

/// A JVM between them ends the chain: a job that starts a job gets the wrapper, and an agent, as the first one did.
#[test]
#[cfg(target_os = "linux")]
fn a_job_that_starts_a_job_gets_the_whole_chain() {
    let scene = scene().env("PATH", "@root/shims:@root/wrap:@root/spark/bin:/usr/bin:/bin");
    scene.run_program("/bin/sh", &["-c", "mkdir @root/jvm && cp /bin/bash @root/jvm/java"]).expect(Some(0), "");
    let mut scene = scene.env("SPARKDBG_PROFILE", "");
    let real = "exec @root/spark/bin/spark-submit \"$@\"";
    // What runs the job takes the place of the wrapper, or is its child.
    for job in ["exec @root/jvm/java -c 'spark-submit b; exit $?'", "@root/jvm/java -c 'spark-submit b; exit $?'; exit"]
    {
        let wrapper = format!("#!/bin/bash\necho \"$*\" >> @root/runs\n[[ $* == *b ]] && {real}\n{job}\n");
        scene = scene.script("wrap/spark-submit", &wrapper).env("SPARKDBG_PROFILE", "").file("runs", "");
        called(&scene, "timeout 20 spark-submit a").expect(Some(0), "");
        assert_eq!(scene.read("runs"), "a\nb\n", "{job}");
        scene = scene.env("SPARKDBG_PROFILE", "p").file("runs", "");
        called(&scene, "timeout 20 spark-submit a").expect(Some(0), &format!("{HINT}{HINT}"));
        let injected = INJECTED.join(" ");
        assert_eq!(scene.read("runs"), scene.fill(&format!("{injected} a\n{injected} b\n")), "{job}");
    }
}

/// A wrapper of a vendor's that looks for its script on `PATH` meets the link again: there is one agent all the same.
#[test]
fn a_script_that_calls_another_by_its_name_gets_one_agent() {
    let scene = scene().env("SPARKDBG_PROFILE", "p");
    let scene = scene.script("spark/bin/pyspark", "#!/bin/sh\nexec spark-submit pyspark-shell-main \"$@\"\n");
    let run = called(&scene, "pyspark --name n");
    assert_eq!(run.status.code(), Some(0), "{run}");
    let agents = run.child().args.iter().filter(|word| word.to_string_lossy().contains("-agentlib:jdwp=")).count();
    assert_eq!(agents, 1, "{run}");
    assert_eq!(
        run.child().args,
        scene.words(&["pyspark-shell-main", INJECTED[0], INJECTED[1], "--name", "n"]),
        "{run}"
    );
}

/// Cloudera's names, which are linked where they are asked for.
#[test]
fn spark3_submit_is_spark_submit_by_another_name() {
    let scene = scene().stand_in("vendor/spark3-submit").env("PATH", "@root/shims:@root/vendor:@root/spark/bin:/bin");
    scene.run(&["-q", "shim", "install", "@root/shims", "spark3-submit", "spark2-submit"]).expect(Some(0), "");
    let run = called(&scene, "spark3-submit a");
    assert_eq!((run.child().script, run.child().args), (scene.path("vendor/spark3-submit"), scene.words(&["a"])));
    let scene = scene.env("SPARK_HOME", "@root/spark").env("SPARKDBG_PROFILE", "p");
    let run = called(&scene, "spark3-submit a");
    run.expect(Some(0), HINT);
    assert_eq!(run.child().script, scene.path("vendor/spark3-submit"), "{run}");
    assert_eq!(run.child().args, scene.words(&[INJECTED[0], INJECTED[1], "a"]), "{run}");
    called(&scene, "spark2-submit a").fails(
        127,
        "error: `spark2-submit` is not on PATH but for `@root/shims/spark2-submit`, which is a link to sparkdbg\n\
         help: put the directory of the real one on PATH, behind that of the link\n",
    );
}

/// The script that runs is the one that runs without a profile; the home is the one that it takes.
#[test]
fn with_a_profile_the_next_script_runs_and_not_that_of_spark_home() {
    let scene = scene().home("other", Some("2.4.8")).env("SPARK_HOME", "@root/other").env("SPARKDBG_PROFILE", "p");
    let run = called(&scene, "spark-submit a");
    run.expect(Some(0), HINT);
    assert_eq!(run.child().script, scene.path("spark/bin/spark-submit"), "{run}");
    // Spark's own scripts go on in SPARK_HOME: the words are those of 2.4.
    assert_eq!(
        run.child().args,
        scene.words(&["--conf", &format!("spark.driver.extraJavaOptions={AGENT}"), "a"]),
        "{run}"
    );
    assert_eq!(run.child().env[OsStr::new("SPARK_HOME")], *scene.fill("@root/other"), "{run}");

    // A wrapper goes on where it says, or in SPARK_HOME.
    let mut scene = scene.env("PATH", "@root/shims:@root/wrap:/usr/bin:/bin");
    for (home, key) in [("@root/spark", "default"), ("$SPARK_HOME", "extra"), ("${SPARK_HOME:-@root/spark}", "extra")] {
        let wrapper = format!("#!/bin/sh\nexec \"{home}/bin/spark-submit\" -w \"$@\"\n");
        scene = scene.script("wrap/spark-submit", &wrapper);
        let run = called(&scene, "spark-submit a");
        run.expect(Some(0), HINT);
        assert_eq!(
            run.child().args,
            scene.words(&["-w", "--conf", &format!("spark.driver.{key}JavaOptions={AGENT}"), "a"]),
            "{home}\n{run}"
        );
    }
}

/// A home that the profile names is what the profile is for.
#[test]
fn with_a_home_in_the_profile_that_one_runs() {
    let profile = format!("{PROFILE}spark-home = \"@root/other\"\n");
    let scene = scene().home("other", Some("2.4.8")).env("SPARKDBG_PROFILE", "p").file("work/sparkdbg.toml", profile);
    let scene = scene.script("wrap/spark-submit", "#!/bin/sh\nexit 9\n").env("PATH", "@root/shims:@root/wrap:/bin");
    let run = called(&scene, "spark-submit a");
    assert_eq!(run.child().script, scene.path("other/bin/spark-submit"), "{run}");
    assert!(!run.child().env.contains_key(OsStr::new("SPARKDBG_CHAIN")), "{run}");
    assert_eq!(run.child().env[OsStr::new("SPARK_HOME")], *scene.fill("@root/other"), "{run}");
}

#[test]
fn no_real_script() {
    let scene = scene().env("PATH", "@root/shims:/bin");
    let message = |link: &str| {
        format!(
            "error: `spark-submit` is not on PATH but for `{link}`, which is a link to sparkdbg\nhelp: put the directory of \
             the real one on PATH, behind that of the link\n"
        )
    };
    called(&scene, "spark-submit a").fails(127, &message("@root/shims/spark-submit"));
    let scene = scene.env("PATH", "/bin");
    called(&scene, "../shims/spark-submit a").fails(127, &message("../shims/spark-submit"));
    // A file that nobody may run is none.
    let scene = scene.file("plain/spark-submit", "").env("PATH", "@root/shims:@root/plain:/bin");
    called(&scene, "spark-submit a").fails(127, &message("@root/shims/spark-submit"));
    let scene = scene.script("bad/spark-submit", "#!/none\n").env("PATH", "@root/shims:@root/bad:/bin");
    called(&scene, "spark-submit a").fails(
        127,
        "error: `@root/bad/spark-submit` cannot be started: no such file or directory\n\
         help: the interpreter of its first line may be missing\n",
    );
}

/// There is a real one all the same, which nobody would start without us.
#[test]
fn no_real_script_on_path_but_in_the_home() {
    let scene = scene().env("PATH", "@root/shims:/bin").env("SPARK_HOME", "@root/spark");
    assert_eq!(called(&scene, "spark-submit a").status.code(), Some(127));
    let scene = scene.env("SPARKDBG_PROFILE", "p");
    let run = called(&scene, "spark-submit a");
    run.expect(Some(0), HINT);
    run.starts("spark/bin/spark-submit", &[INJECTED[0], INJECTED[1], "a"]);
}

/// sparkdbg under a name of its own, as a package may install it, is sparkdbg.
#[test]
fn other_names_are_none_of_a_script() {
    let scene = scene().link("bin/sparkdbg-0.1", SPARKDBG);
    let run = scene.run_program(scene.path("bin/sparkdbg-0.1"), &["--version"]);
    run.prints(&format!("sparkdbg {}\n", env!("CARGO_PKG_VERSION")));
}
