//! `shim install`, `remove` and `list`: exactly our links, and nothing else.

use std::fs;
use std::path::PathBuf;

use crate::scene::{SPARKDBG, Scene};

/// The file behind the name of the program under test.
fn program() -> PathBuf {
    fs::canonicalize(SPARKDBG).unwrap()
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
    let exe = program();
    let exe = exe.display();
    scene
        .run(&["shim", "install", "new/my shims"])
        .expect(Some(0), "sparkdbg: the directory is not on PATH: export PATH='@root/work/new/my shims':\"$PATH\"\n")
        .prints(&format!("@root/work/new/my shims: 19 links to {exe}, 19 new\n"));
    assert_eq!(names(&scene, "work/new/my shims"), ALL);
    for name in ALL {
        assert_eq!(fs::read_link(scene.path(&format!("work/new/my shims/{name}"))).unwrap(), program());
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
        .prints(&format!("@root/work/new/my shims: 19 links to {exe}, 0 new\n"));
    let scene = scene.env("PATH", "@root/work/new/my shims:@root/spark/bin:/bin");
    scene
        .run(&["shim", "install", "new/my shims", "pyspark"])
        .expect(Some(0), "sparkdbg: they debug where SPARKDBG_PROFILE names a profile: SPARKDBG_PROFILE=NAME pyspark\n")
        .prints(&format!("@root/work/new/my shims: 1 link to {exe}, 0 new\n"));
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
        assert_eq!(fs::read_link(scene.path("shims/spark-sql")).unwrap(), PathBuf::from(target));
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
    run.prints(&format!("@root/shims: 1 link to {}, 1 new\n", program().display()));
    assert_eq!(fs::read_link(scene.path("shims/pyspark")).unwrap(), program());
    assert_eq!(fs::read_link(scene.path("shims/flink")).unwrap(), PathBuf::from("/gone/sparkdbg"));
    scene.run(&["shim", "remove", "@root/shims"]).prints("@root/shims: 2 links removed, nothing is left\n");
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
    ];
    let width = scene.fill(rows[2][1]).len();
    let line = |row: [&str; 3]| format!("{:13}  {:width$}  {}\n", row[0], scene.fill(row[1]), row[2]);
    run.prints(&rows.map(line).concat());
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
