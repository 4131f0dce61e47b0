//! `shim install`, `remove` and `list`: exactly our links, and nothing else.

use std::fs;
use std::path::{Path, PathBuf};

use crate::scene::{SPARKDBG, Scene};

/// What a link leads to.
fn target(scene: &Scene, link: &str) -> PathBuf {
    fs::read_link(scene.path(link)).unwrap()
}

fn names(scene: &Scene, dir: &str) -> Vec<String> {
    let entries = fs::read_dir(scene.path(dir)).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

const ALL: [&str; 19] = [
    "flink",
    "historyserver.sh",
    "jobmanager.sh",
    "kubernetes-session.sh",
    "pyspark",
    "run-example",
    "spark-class",
    "spark-connect-shell",
    "spark-pipelines",
    "spark-shell",
    "spark-sql",
    "spark-submit",
    "sparkR",
    "sql-client.sh",
    "sql-gateway.sh",
    "standalone-job.sh",
    "start-cluster.sh",
    "taskmanager.sh",
    "yarn-session.sh",
];

#[test]
fn install_makes_links_and_says_what_to_do_with_path() {
    let scene = Scene::new().home("spark", Some("4.3.0"));
    scene
        .run(&["shim", "install", "new/my shims"])
        .expect(Some(0), "sparkdbg: the directory is not on PATH: export PATH='@root/work/new/my shims':\"$PATH\"\n")
        .prints(&format!("@root/work/new/my shims: 19 links to {SPARKDBG}, 19 new\n"));
    assert_eq!(names(&scene, "work/new/my shims"), ALL);
    for name in ALL {
        assert_eq!(target(&scene, &format!("work/new/my shims/{name}")), Path::new(SPARKDBG));
    }
    // Once more changes nothing.
    let scene = scene.env("PATH", "@root/spark/bin:@root/work/new/my shims:/bin");
    scene
        .run(&["shim", "install", "new/my shims"])
        .expect(
            Some(0),
            "sparkdbg: `@root/spark/bin/spark-submit` stands before it on PATH: export PATH='@root/work/new/my \
             shims':\"$PATH\"\n",
        )
        .prints(&format!("@root/work/new/my shims: 19 links to {SPARKDBG}, 0 new\n"));
    let scene = scene.env("PATH", "@root/work/new/my shims:@root/spark/bin:/bin");
    scene
        .run(&["shim", "install", "new/my shims", "pyspark"])
        .expect(Some(0), "sparkdbg: they debug where SPARKDBG_PROFILE names a profile: SPARKDBG_PROFILE=NAME pyspark\n")
        .prints(&format!("@root/work/new/my shims: 1 link to {SPARKDBG}, 0 new\n"));
    scene.run(&["-q", "shim", "install", "new/my shims"]).expect(Some(0), "");
}

#[test]
fn install_clobbers_nothing() {
    let error = "error: `@root/shims/spark-sql` is no link to sparkdbg: nothing was changed\n\
                 help: choose another directory, or name the links: sparkdbg shim install DIR NAME…\n";
    let scene = Scene::new().file("shims/spark-sql", "mine");
    scene.run(&["shim", "install", "@root/shims"]).fails(125, error);
    assert_eq!(names(&scene, "shims"), ["spark-sql"]);
    assert_eq!(scene.read("shims/spark-sql"), "mine");
    for target in ["/usr/bin/env", "/nowhere/spark-sql"] {
        let scene = Scene::new().link("shims/spark-sql", target);
        scene.run(&["shim", "install", "@root/shims"]).fails(125, error);
        assert_eq!(self::target(&scene, "shims/spark-sql"), Path::new(target));
    }
    let scene = scene.file("plain", "");
    scene
        .run(&["shim", "install", "@root/plain"])
        .fails(125, "error: `@root/plain` is no directory\nhelp: name another directory\n");
}

/// As after an upgrade into another directory.
#[test]
fn links_to_a_sparkdbg_that_is_gone_are_renewed_and_removed() {
    let scene = Scene::new().link("shims/flink", "/gone/sparkdbg").link("shims/pyspark", "/gone/sparkdbg");
    let run = scene.run(&["-q", "shim", "install", "@root/shims", "pyspark"]);
    run.prints(&format!("@root/shims: 1 link to {SPARKDBG}, 1 new\n"));
    assert_eq!(target(&scene, "shims/pyspark"), Path::new(SPARKDBG));
    assert_eq!(target(&scene, "shims/flink"), Path::new("/gone/sparkdbg"));
    let run = scene.run(&["-q", "shim", "install", "@root/shims", "spark3-submit"]);
    run.prints(&format!("@root/shims: 1 link to {SPARKDBG}, 1 new\n"));
    scene.run(&["shim", "remove", "@root/shims"]).prints("@root/shims: 3 links removed, nothing is left\n");
}

/// A program in a directory of its version, and a link to it where `PATH` finds it, as package managers lay them.
fn versioned() -> Scene {
    let scene = Scene::new().home("spark", Some("4.3.0")).file("opt/sparkdbg-0.1.0/bin/README", "");
    scene.run_program("cp", &[SPARKDBG, "@root/opt/sparkdbg-0.1.0/bin/sparkdbg"]).expect(Some(0), "");
    let scene = scene.link("opt/sparkdbg", "opt/sparkdbg-0.1.0").link("bin/sparkdbg", "opt/sparkdbg/bin/sparkdbg");
    scene.env("PATH", "@root/shims:@root/bin:@root/spark/bin:/usr/bin:/bin")
}

/// Calls sparkdbg by that word from a shell, to make a link, and tells what the link leads to.
fn target_if_called_by(scene: &Scene, word: &str) -> PathBuf {
    let line = format!("{word} -q shim install @root/shims pyspark");
    scene.run_program("/bin/bash", &["-c", &line]).expect(Some(0), "");
    target(scene, "shims/pyspark")
}

#[test]
fn links_lead_to_what_was_called_and_live_through_an_upgrade() {
    let scene = versioned();
    let install = ["-c", "exec sparkdbg -q shim install @root/shims spark-submit"];
    let submit = ["-c", "exec spark-submit a"];
    let run = scene.run_program("/bin/sh", &install);
    run.expect(Some(0), "").prints("@root/shims: 1 link to @root/bin/sparkdbg, 1 new\n");
    assert_eq!(target(&scene, "shims/spark-submit"), scene.path("bin/sparkdbg"));
    scene.run_program("/bin/sh", &submit).expect(Some(0), "").starts("spark/bin/spark-submit", &["a"]);

    fs::rename(scene.path("opt/sparkdbg-0.1.0"), scene.path("opt/sparkdbg-0.2.0")).unwrap();
    let scene = scene.without("opt/sparkdbg").link("opt/sparkdbg", "opt/sparkdbg-0.2.0");
    scene.run_program("/bin/sh", &submit).expect(Some(0), "").starts("spark/bin/spark-submit", &["a"]);
    scene.run_program("/bin/sh", &install).prints("@root/shims: 1 link to @root/bin/sparkdbg, 0 new\n");
    // Each is known as ours by whatever path sparkdbg is called.
    let run = scene.run_program(scene.path("opt/sparkdbg-0.2.0/bin/sparkdbg"), &["shim", "list"]);
    let width = scene.fill("@root/shims/spark-submit").len();
    let head = format!("NAME          {:width$}  LEADS TO\n", "SHIM");
    run.prints(&format!("{head}spark-submit  @root/shims/spark-submit  @root/spark/bin/spark-submit (Spark 4.3.0)\n"));
    let run = scene.run(&["shim", "remove", "@root/shims"]);
    run.expect(Some(0), "").prints("@root/shims: 1 link removed, nothing is left\n");
}

/// Links that an earlier version made to the file itself are made anew.
#[test]
fn links_to_the_file_behind_are_renewed() {
    let scene = versioned().link("shims/flink", "opt/sparkdbg-0.1.0/bin/sparkdbg");
    let run = scene.run_program("/bin/sh", &["-c", "exec sparkdbg -q shim install @root/shims flink"]);
    run.prints("@root/shims: 1 link to @root/bin/sparkdbg, 1 new\n");
    assert_eq!(target(&scene, "shims/flink"), scene.path("bin/sparkdbg"));
}

#[test]
fn the_word_by_which_it_was_called() {
    let scene = versioned().link("work/tools/sparkdbg", "bin/sparkdbg").stand_in("front/sparkdbg");
    for (word, expected) in [
        ("sparkdbg", "bin/sparkdbg"),
        ("@root/bin/sparkdbg", "bin/sparkdbg"),
        ("../bin/sparkdbg", "work/../bin/sparkdbg"),
        ("./tools/sparkdbg", "work/tools/sparkdbg"),
        ("@root/opt/sparkdbg/bin/sparkdbg", "opt/sparkdbg/bin/sparkdbg"),
        ("@root/opt/sparkdbg-0.1.0/bin/sparkdbg", "opt/sparkdbg-0.1.0/bin/sparkdbg"),
        // A word that is no path of ours, as a program may choose one: `PATH` tells.
        ("exec -a @root/bin/gone/sparkdbg sparkdbg", "bin/sparkdbg"),
        ("exec -a /bin/sh sparkdbg", "bin/sparkdbg"),
        ("exec -a '' sparkdbg", "bin/sparkdbg"),
    ] {
        assert_eq!(target_if_called_by(&scene, word), scene.path(expected), "{word}");
    }
    for (path, expected) in [
        // Entries that are relative to the working directory.
        ("tools:/usr/bin:/bin", "work/tools/sparkdbg"),
        ("./tools:/usr/bin:/bin", "work/tools/sparkdbg"),
        // A wrapper of that name is another file, as is a copy.
        ("@root/front:@root/none:@root/bin:/usr/bin:/bin", "bin/sparkdbg"),
        ("@root/front:/usr/bin:/bin", "opt/sparkdbg-0.1.0/bin/sparkdbg"),
    ] {
        let word = format!("PATH={path} exec -a sparkdbg @root/opt/sparkdbg-0.1.0/bin/sparkdbg");
        assert_eq!(target_if_called_by(&scene, &word), scene.path(expected), "{path}");
    }
}

/// Whoever calls sparkdbg through a link of `shim install` would have that link lead to itself.
#[test]
fn no_link_leads_to_itself() {
    let scene = versioned().link("shims/pyspark", "opt/sparkdbg-0.1.0/bin/sparkdbg");
    let scene = scene.link("tools/sparkdbg", "tools/own").link("tools/own", "shims/pyspark");
    let file = scene.path("opt/sparkdbg-0.1.0/bin/sparkdbg");
    assert_eq!(target_if_called_by(&scene, "PATH=/usr/bin:/bin @root/tools/sparkdbg"), file);
    // Another name on `PATH` that does not lead through it is taken.
    assert_eq!(target_if_called_by(&scene, "@root/tools/sparkdbg"), scene.path("bin/sparkdbg"));
    scene.run_program("/bin/sh", &["-c", "exec pyspark a"]).starts("spark/bin/pyspark", &["a"]);
}

/// By any other name a link would be nobody's once the program is gone.
#[test]
fn a_name_of_the_users_own_is_not_linked_to() {
    let scene = versioned().link("tools/debug", "opt/sparkdbg/bin/sparkdbg");
    let file = scene.path("opt/sparkdbg-0.1.0/bin/sparkdbg");
    assert_eq!(target_if_called_by(&scene, "PATH=/usr/bin:/bin @root/tools/debug"), file);
    assert_eq!(target_if_called_by(&scene, "@root/tools/debug"), scene.path("bin/sparkdbg"));
}

#[test]
fn a_directory_that_others_can_write() {
    for (mode, writers) in [(0o777, "its group and others (mode 0777)"), (0o775, "its group (mode 0775)")] {
        let scene = Scene::new().file("shims/x", "").mode("shims", mode);
        scene.run(&["shim", "install", "@root/shims"]).fails(
            125,
            &format!(
                "error: `@root/shims` is writable by {writers}: who writes there chooses the programs that you run\n\
                 help: name a directory that only you can write\n"
            ),
        );
        assert_eq!(names(&scene, "shims"), ["x"]);
    }
}

#[test]
fn remove_takes_our_links_and_says_what_it_left() {
    let scene = Scene::new().file("shims/notes", "").link("shims/sparkdbg", SPARKDBG);
    scene.run(&["-q", "shim", "install", "@root/shims"]).expect(Some(0), "");
    let scene = scene.without("shims/spark-sql").link("shims/spark-sql", "/usr/bin/env");
    scene.run(&["shim", "remove", "@root/shims", "pyspark", "flink"]).prints(&format!(
        "@root/shims: 2 links removed, left: {}\n",
        names(&scene, "shims").into_iter().filter(|name| name != "x").collect::<Vec<_>>().join(", ")
    ));
    let run = scene.run(&["shim", "remove", "@root/shims"]);
    run.prints("@root/shims: 16 links removed, left: notes, spark-sql, sparkdbg\n");
    assert_eq!(names(&scene, "shims"), ["notes", "spark-sql", "sparkdbg"]);
    scene
        .run(&["shim", "remove", "@root/none"])
        .fails(125, "error: `@root/none` cannot be read: no such file or directory\n");
}

#[test]
fn list_shows_what_each_leads_to() {
    let scene = Scene::new().home("spark", Some("4.3.0")).stand_in("other/pyspark");
    let scene = scene.stand_in("flink/bin/flink").file("flink/bin/config.sh", "");
    let scene = scene.file("flink/lib/flink-dist-1.20.1.jar", "");
    let none = scene.run(&["shim", "list"]);
    none.expect(Some(0), "sparkdbg: no shim is on PATH; sparkdbg shim install DIR makes them\n").prints("");
    scene.run(&["-q", "shim", "install", "@root/s", "spark-submit", "pyspark", "flink", "sparkR", "sql-client.sh"]);
    scene.run(&["-q", "shim", "install", "@root/s", "spark3-submit"]);
    let scene =
        scene.without("spark/bin/sparkR").env("PATH", "@root/other:@root/s:@root/spark/bin:@root/flink/bin:/bin");
    let run = scene.run(&["shim", "list"]);
    run.expect(Some(0), "");
    let rows = [
        ["NAME", "SHIM", "LEADS TO"],
        ["spark-submit", "@root/s/spark-submit", "@root/spark/bin/spark-submit (Spark 4.3.0)"],
        ["pyspark", "@root/s/pyspark (hidden by @root/other/pyspark)", "@root/spark/bin/pyspark (Spark 4.3.0)"],
        ["sparkR", "@root/s/sparkR", "nothing: no other is on PATH"],
        ["flink", "@root/s/flink", "@root/flink/bin/flink (Flink 1.20.1)"],
        ["sql-client.sh", "@root/s/sql-client.sh", "nothing: no other is on PATH"],
        ["spark3-submit", "@root/s/spark3-submit", "nothing: no other is on PATH"],
    ];
    let width = scene.fill(rows[2][1]).len();
    let line = |row: [&str; 3]| format!("{:13}  {:width$}  {}\n", row[0], scene.fill(row[1]), row[2]);
    let table = rows.map(line).concat();
    run.prints(&table);
    // Spark's own scripts go on in SPARK_HOME.
    let scene = scene.home("old", Some("2.4.8")).env("SPARK_HOME", "@root/old");
    scene.run(&["shim", "list"]).prints(&table.replace("Spark 4.3.0", "Spark 2.4.8"));
}

#[test]
fn words_that_mean_nothing() {
    let scene = Scene::new();
    for (words, error) in [
        (
            ["shim", "install"].as_slice(),
            "error: `sparkdbg shim install` names no directory\nhelp: for example: sparkdbg shim install ~/shims\n",
        ),
        (
            &["shim", "remove"],
            "error: `sparkdbg shim remove` names no directory\nhelp: for example: sparkdbg shim remove ~/shims\n",
        ),
        (&["shim", "list", "d"], "error: `d`: `sparkdbg shim list` takes no directory\nhelp: it lists those on PATH\n"),
        (
            &["shim", "install", "d", "spark-sbumit"],
            "error: `spark-sbumit` is no script that sparkdbg can stand in front of\nhelp: did you mean `spark-submit`?\n",
        ),
        (
            &["-p", "x", "shim", "list"],
            "error: `--profile` has no meaning with `shim`\nhelp: a link takes the profile that SPARKDBG_PROFILE names when \
             it is called\n",
        ),
        (&["--dry-run", "shim", "list"], "error: `--dry-run` has no meaning with `shim`, which starts nothing\n"),
        (&["shim", "make"], "error: invalid value `make` for `<ACTION>`\nhelp: it takes install or remove or list\n"),
    ] {
        scene.run(words).fails(2, error);
    }
}
