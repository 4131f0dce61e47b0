//! `init`: what is written, that it comes to what the flags say, and what is not written.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::process::Stdio;

use crate::scene::{SPARKDBG, Scene, is_root};

/// The whole file that no flag has touched, and what is said about it.
const PLAIN: &str = r#"# Profiles of sparkdbg. Flags win over them; `sparkdbg profiles` shows what they come to.
# This file counts only while nobody else can write it or its directory.

default-profile = "local"

[profile.local]
# Where the driver of Spark meets its debugger: attach[:[HOST:]PORT] or listen:[HOST:]PORT, then ,suspend or ,nosuspend.
driver = "attach:5005"
# The same for executors; with attach:0 each picks a port, which `sparkdbg ps` names.
#executor = "attach:0"
# The same for a master, worker, history server, SQL gateway.
#daemon = "attach:5005"
# The same for the client of Flink, …
#client = "attach:5016"
# … its JobManager …
#jobmanager = "attach:5005"
# … and its TaskManagers: the first free port from 5006 upwards.
#taskmanager = "attach"
# Only these may attach (Java 10 or newer; default: whoever reaches the port).
#allow = ["10.0.0.0/8"]
# A debug agent is configured already: replace (default), keep or fail.
#existing = "replace"
# Hold the application to one executor (default: with listen).
#one-executor = true
# How long a JVM may stand on a breakpoint before the cluster gives it up, or off (default: 2h).
#pause-limit = "2h"
# The distribution of Spark, seen from this file (default: SPARK_HOME, PATH, pip).
#spark-home = "/usr/lib/spark"
# The distribution of Flink, seen from this file (default: FLINK_HOME, PATH, pip).
#flink-home = "/usr/lib/flink"
# The master that `sparkdbg worker` registers with.
#worker-master = "spark://10.0.0.1:7077"

# Another profile may take over what this one says: sparkdbg -p cluster submit app.jar
#[profile.cluster]
#inherits = "local"
"#;

/// What `profiles` makes of the only profile, below its first line: keys and values, without the places.
#[track_caller]
fn comes_to(scene: &Scene, options: &[&str]) -> Vec<String> {
    let run = scene.run(&[options, &["profiles"]].concat());
    run.expect(Some(0), "");
    let text = String::from_utf8(run.stdout.clone()).expect("text");
    let row = |line: &str| line.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
    text.lines().skip(1).map(row).collect()
}

#[test]
fn without_flags() {
    let scene = Scene::spark("4.3.0");
    scene.run(&["init", "--dry-run"]).expect(Some(0), "").prints(PLAIN);
    assert!(!scene.path("work/sparkdbg.toml").exists());
    let run = scene.run(&["init"]);
    let said = "sparkdbg: wrote `@root/work/sparkdbg.toml`; `local` is the default profile: sparkdbg submit app.jar\n";
    run.expect(Some(0), said).prints("");
    assert_eq!(scene.read("work/sparkdbg.toml"), PLAIN);
    let plan = scene.json(&["--no-preflight", "submit", "app.jar"]);
    assert_eq!(plan["endpoints"][0]["port"], 5005);
}

/// The examples that stand as comments are keys that are taken.
#[test]
fn every_comment_is_a_key_that_loads() {
    let scene = Scene::new();
    scene.run(&["-q", "init"]).expect(Some(0), "");
    let text = scene.read("work/sparkdbg.toml");
    let uncommented: String = text
        .lines()
        .map(|line| line.strip_prefix('#').filter(|rest| !rest.starts_with(' ')).unwrap_or(line).to_owned() + "\n")
        .collect();
    let scene = scene.file("work/sparkdbg.toml", uncommented);
    let run = scene.run(&["profiles"]);
    run.expect(Some(0), "");
    let shown = String::from_utf8_lossy(&run.stdout).into_owned();
    assert_eq!(shown.lines().filter(|line| line.starts_with(' ')).count(), 26, "{run}");
    assert!(shown.starts_with(&scene.fill("cluster  @root/work/sparkdbg.toml:35, inherits local\n")), "{run}");
}

#[test]
fn every_flag_comes_out_as_it_went_in() {
    let scene = Scene::new();
    let flags = [
        "-p",
        "all",
        "--spark-home",
        "/opt/spark",
        "--flink-home=/opt/flink",
        "init",
        "--driver=listen:10.0.0.171:5005",
        "--executor=attach:0.0.0.0:0,suspend",
        "--daemon=attach:[::1]:5010,nosuspend",
        "--client",
        "--jobmanager=attach:5011",
        "--taskmanager=attach",
        "--allow",
        "10.0.0.0/8",
        "--allow=10.1.1.1",
        "--existing",
        "keep",
        "--pause-limit=90m",
        "--all-executors",
    ];
    scene.run(&flags).expect(
        Some(0),
        "warning: `/opt/spark` (--spark-home) has no `bin/spark-submit`: a launch from there would fail\n\
         warning: `/opt/flink` (--flink-home) has no `bin/flink`: a launch from there would fail\n\
         sparkdbg: wrote `@root/work/sparkdbg.toml`; `all` is the default profile: sparkdbg submit app.jar\n",
    );
    let values = [
        "driver listen:10.0.0.171:5005,suspend",
        "executor attach:0.0.0.0:0,suspend",
        "daemon attach:[::1]:5010,nosuspend",
        "client attach:127.0.0.1:5016,suspend",
        "jobmanager attach:127.0.0.1:5011,nosuspend",
        "taskmanager attach:127.0.0.1:5006,nosuspend",
        "allow 10.0.0.0/8,",
        "existing keep",
        "one-executor false",
        "pause-limit 1h",
        "spark-home /opt/spark",
        "flink-home /opt/flink",
    ];
    assert_eq!(comes_to(&scene, &[]), values);
    assert!(scene.read("work/sparkdbg.toml").contains("\nallow = [\"10.0.0.0/8\", \"10.1.1.1\"]\n"));
    assert!(scene.read("work/sparkdbg.toml").contains("\npause-limit = \"90m\"\n"));
}

#[test]
fn short_forms_become_the_endpoint_of_their_role() {
    for (flags, rows) in [
        (["--listen", "10.0.0.9:7"].as_slice(), ["driver listen:10.0.0.9:7,suspend"].as_slice()),
        (&["--attach=5010", "--no-suspend"], &["driver attach:127.0.0.1:5010,nosuspend"]),
        (&["--no-suspend"], &["driver attach:127.0.0.1:5005,nosuspend"]),
        (&["--executor", "--attach", "0.0.0.0:0", "--suspend"], &["executor attach:0.0.0.0:0,suspend"]),
        (&["--one-executor"], &["driver attach:127.0.0.1:5005,suspend", "one-executor true"]),
        (&["--pause-limit=off"], &["driver attach:127.0.0.1:5005,suspend", "pause-limit off"]),
    ] {
        let scene = Scene::new();
        scene.run(&[["-q", "init"].as_slice(), flags].concat()).expect(Some(0), "").prints("");
        assert_eq!(comes_to(&scene, &[]), rows, "{flags:?}");
    }
}

#[test]
fn what_every_launch_would_refuse_is_refused_now() {
    for (flags, error) in [
        (["--driver=5005"].as_slice(), "`--driver`: `5005` does not say who dials: write attach:5005 or listen:5005"),
        (
            &["--attach", "attach:5005"],
            "`--attach` takes [HOST:]PORT, not the endpoint `attach:5005`\nhelp: write `--driver=attach:5005`",
        ),
        (
            &["--listen", "0.0.0.0:5005"],
            "`0.0.0.0` (--listen) is no address that a JVM can dial\n\
             help: with `listen`, the host is the machine on which the debugger listens",
        ),
        (
            &["--driver", "--executor", "--no-suspend"],
            "`--no-suspend` does not say which role it is for: driver and executor\n\
             help: name the role: --driver=attach,nosuspend",
        ),
        (
            &["--driver=attach:7", "--executor=attach:7"],
            "driver (--driver) and executor (--executor) have one place to meet the debugger, 127.0.0.1:7\n\
             help: give each its own port: --executor=attach:0",
        ),
        (
            &["--driver=attach:7", "--suspend"],
            "`--suspend` stands beside `--driver=…`, which says the same thing\n\
             help: write one of them; for example --driver=attach:5005,nosuspend",
        ),
        (
            &["--allow", "localhost"],
            "`--allow localhost`: not an IP address or network\n\
             help: the agent takes numbers only: 10.0.0.7 or 10.0.0.0/8",
        ),
        (
            &["--listen", "5005", "--allow", "10.0.0.1"],
            "`allow` (--allow) has no meaning with `listen` (--listen): the JVM dials out, nobody attaches to it\n\
             help: leave out `allow`, or use `attach`",
        ),
        (&["--existing=merge"], "`--existing`: `merge` is not `replace`, `keep` or `fail`"),
        (&["--pause-limit", "2"], "`--pause-limit`: `2` is not a duration like `90s`, `30m`, `2h` or `1d`, nor `off`"),
        (&["--wait-for-debugger=5m"], "`--wait-for-debugger` is no key of a profile\nhelp: type it at the launch"),
        (
            &["--user", "--config", "x.toml"],
            "`--user` and `--config` both say where the file is\nhelp: give one of them",
        ),
        (
            &["--dry-run=json"],
            "`--dry-run=json` has no meaning with `init`, which writes TOML\n\
             help: `--dry-run` prints what would be written",
        ),
        (&["--no-preflight"], "`--no-preflight` has no meaning with `init`, which starts nothing"),
        (&["-p", ""], "`--profile` is empty\nhelp: write the name of the profile"),
        (
            &["cluster"],
            "`cluster`: `sparkdbg init` takes options only\nhelp: a profile is named in front: sparkdbg -p cluster init",
        ),
    ] {
        let scene = Scene::new();
        scene.run(&[&["init"], flags].concat()).fails(2, &format!("error: {error}\n"));
        assert!(!scene.path("work/sparkdbg.toml").exists(), "{flags:?}");
    }
    // Roles that no command starts together may share a port.
    Scene::new().run(&["init", "--driver=attach:7", "--jobmanager=attach:7"]).expect(
        Some(0),
        "sparkdbg: wrote `@root/work/sparkdbg.toml`; `local` is the default profile: sparkdbg submit app.jar\n\
         note: driver (--driver) and jobmanager (--jobmanager) have one place to meet the debugger, 127.0.0.1:7; no \
         command starts both, but `sparkdbg ide` asks which one is meant\n",
    );
}

#[test]
fn odd_names_are_quoted() {
    for (name, header) in [
        ("a.b", "[profile.\"a.b\"]"),
        ("it's", "[profile.\"it's\"]"),
        ("a \"b\"", "[profile.'a \"b\"']"),
        ("über 😀", "[profile.\"über 😀\"]"),
        ("cluster", "[profile.cluster]"),
    ] {
        let scene = Scene::new();
        let run = scene.run(&["-p", name, "init", "--driver=attach:7"]);
        let said =
            "sparkdbg: wrote `@root/work/sparkdbg.toml`; `NAME` is the default profile: sparkdbg submit app.jar\n";
        run.expect(Some(0), &said.replace("NAME", name));
        assert!(scene.read("work/sparkdbg.toml").contains(&format!("\n{header}\n")), "{header}\n{run}");
        assert_eq!(comes_to(&scene, &["-p", name]), ["driver attach:127.0.0.1:7,suspend"]);
        assert_eq!(comes_to(&scene, &[]), ["driver attach:127.0.0.1:7,suspend"]);
    }
    // The variable that launches will read names the profile as well.
    let scene = Scene::new().env("SPARKDBG_PROFILE", "lab");
    let said = "sparkdbg: wrote `@root/work/sparkdbg.toml`; `lab` is the default profile: sparkdbg submit app.jar\n";
    scene.run(&["init"]).expect(Some(0), said);
    let scene = Scene::new().env("SPARKDBG_PROFILE", "lab");
    let said = "sparkdbg: wrote `@root/work/sparkdbg.toml`: sparkdbg -p 'my own' submit app.jar\n";
    scene.run(&["-p", "my own", "init"]).expect(Some(0), said);
}

#[test]
fn a_file_that_is_there_stays_without_force() {
    let scene = Scene::new().file("work/sparkdbg.toml", "# mine\n").mode("work/sparkdbg.toml", 0o664);
    let there = "error: `@root/work/sparkdbg.toml` is there already\nhelp: edit it, or let it be replaced: --force\n";
    scene.run(&["init"]).fails(125, there);
    assert_eq!(scene.read("work/sparkdbg.toml"), "# mine\n");
    scene.run(&["-q", "init", "--force"]).expect(Some(0), "").prints("");
    assert_eq!(scene.read("work/sparkdbg.toml"), PLAIN);
    // A mode with which it would not be trusted goes with it.
    assert_eq!(fs::metadata(scene.path("work/sparkdbg.toml")).unwrap().mode() & 0o777, 0o644);
    let left: Vec<_> = fs::read_dir(scene.path("work")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["sparkdbg.toml"]);
}

#[test]
fn the_first_launch_is_one_that_has_the_role() {
    for (flag, launch) in
        [("--executor", "submit app.jar"), ("--taskmanager", "flink run app.jar"), ("--daemon", "master")]
    {
        let said = "sparkdbg: wrote `@root/work/sparkdbg.toml`; `local` is the default profile: sparkdbg ";
        Scene::new().run(&["init", flag]).expect(Some(0), &format!("{said}{launch}\n"));
    }
}

#[test]
fn the_users_file_and_a_named_one() {
    let scene = Scene::new();
    let said = "sparkdbg: wrote `@root/config/sparkdbg/config.toml`; `local` is the default profile: sparkdbg submit \
                app.jar\n";
    scene.run(&["init", "--user"]).expect(Some(0), said);
    assert_eq!(scene.read("config/sparkdbg/config.toml"), PLAIN);
    // The project's default goes before the user's.
    scene.run(&["-p", "here", "-q", "init"]).expect(Some(0), "");
    scene
        .run(&["init", "--user", "--force"])
        .expect(Some(0), "sparkdbg: wrote `@root/config/sparkdbg/config.toml`: sparkdbg -p local submit app.jar\n");
    scene.run(&["--config", "conf/my own.toml", "init"]).expect(
        Some(0),
        "sparkdbg: wrote `@root/work/conf/my own.toml`; its default is `local`: sparkdbg --config 'conf/my own.toml' \
         submit app.jar\n",
    );
    assert_eq!(scene.read("work/conf/my own.toml"), PLAIN);
    Scene::new().unset("HOME").env("XDG_CONFIG_HOME", "relative").run(&["init", "--user"]).fails(
        125,
        "error: neither XDG_CONFIG_HOME nor HOME names a directory for the user's file\n\
         help: set HOME, or write the project's file: sparkdbg init\n",
    );
}

/// The umask of many a desktop makes directories that the group can write, from which no file would be believed.
#[test]
fn new_directories_are_the_users_own() {
    let scene = Scene::new();
    let run = scene.run_program("sh", &["-c", &format!("umask 0002; exec {SPARKDBG} -q init --user")]);
    run.expect(Some(0), "");
    for (path, mode) in [("config", 0o755), ("config/sparkdbg", 0o755), ("config/sparkdbg/config.toml", 0o644)] {
        assert_eq!(fs::metadata(scene.path(path)).unwrap().mode() & 0o777, mode, "{path}");
    }
    scene.run(&["profiles"]).expect(Some(0), "");
}

#[test]
fn nothing_is_written_where_it_would_not_be_trusted() {
    let scene = Scene::new().mode("work", 0o775);
    scene.run(&["init"]).fails(
        125,
        "error: `@root/work/sparkdbg.toml` cannot be trusted: its directory `@root/work` is writable by its group (mode \
         0775)\nhelp: run `chmod go-w @root/work`\n",
    );
    assert_eq!(fs::read_dir(scene.path("work")).unwrap().count(), 0);
}

/// Nothing is there yet that could be copied elsewhere.
#[test]
fn a_directory_of_everybody_is_not_the_users_to_change() {
    let scene = Scene::new().mode("work", 0o1777);
    let said = "`@root/work/sparkdbg.toml` cannot be trusted: its directory `@root/work` is writable by its group and others \
                (mode 1777)\nhelp: choose a directory that only you can write\n";
    scene.run(&["init"]).fails(125, &format!("error: {said}"));
    scene
        .run(&["init", "--dry-run"])
        .expect(Some(0), &format!("warning: nothing would be written: {said}"))
        .prints(PLAIN);
}

#[test]
fn a_dry_run_says_that_a_file_is_in_the_way() {
    let scene = Scene::new().file("work/sparkdbg.toml", "# mine\n");
    let said = "warning: nothing would be written: `@root/work/sparkdbg.toml` is there already\n\
                help: edit it, or let it be replaced: --force\n";
    scene.run(&["init", "--dry-run"]).expect(Some(0), said).prints(PLAIN);
    scene.run(&["init", "--dry-run", "--force"]).expect(Some(0), "").prints(PLAIN);
    scene.run(&["init", "--dry-run", "--user"]).expect(Some(0), "").prints(PLAIN);
    assert_eq!(scene.read("work/sparkdbg.toml"), "# mine\n");
}

/// Of the files upwards only the nearest is read.
#[test]
fn a_file_further_up_is_named_when_it_counts_no_more() {
    let scene = Scene::new().file("work/sparkdbg.toml", "[profile.team]\n").file("work/deep/x", "").cwd("work/deep");
    let wrote =
        "sparkdbg: wrote `@root/work/deep/sparkdbg.toml`; `local` is the default profile: sparkdbg submit app.jar\n";
    let note = "note: from here on `@root/work/sparkdbg.toml` is not read: the nearest file counts\n";
    scene.run(&["init"]).expect(Some(0), &format!("{wrote}{note}"));
    scene.run(&["init", "--force"]).expect(Some(0), wrote);
}

#[test]
fn what_stands_in_the_way() {
    let scene = Scene::new().file("work/sparkdbg.toml/x", "");
    let error = "error: `@root/work/sparkdbg.toml` cannot be replaced: it is not a regular file\n";
    scene.run(&["init", "--force"]).fails(125, error);
    let scene = Scene::new().file("work/file", "");
    scene
        .run(&["--config", "file/x.toml", "init"])
        .fails(125, "error: `@root/work/file/x.toml` cannot be written: not a directory\n");
    let scene = Scene::new().link("work/sparkdbg.toml", "nowhere.toml");
    scene.run(&["init"]).fails(
        125,
        "error: `@root/work/sparkdbg.toml` is there already\nhelp: edit it, or let it be replaced: --force\n",
    );
    scene
        .run(&["init", "--force"])
        .fails(125, "error: `@root/work/sparkdbg.toml` cannot be written: no such file or directory\n");
    if !is_root() {
        let scene = Scene::new().mode("work", 0o555);
        scene.run(&["init"]).fails(125, "error: `@root/work/sparkdbg.toml` cannot be written: permission denied\n");
    }
}

/// Files of one's own are often links into a repository.
#[test]
fn a_link_keeps_its_place() {
    let scene =
        Scene::new().file("dotfiles/sparkdbg.toml", "# old\n").link("work/sparkdbg.toml", "dotfiles/sparkdbg.toml");
    scene.run(&["-q", "init", "--force"]).expect(Some(0), "");
    assert_eq!(scene.read("dotfiles/sparkdbg.toml"), PLAIN);
    assert!(fs::symlink_metadata(scene.path("work/sparkdbg.toml")).unwrap().is_symlink());
    let scene = scene.mode("dotfiles", 0o777);
    let run = scene.run(&["-p", "other", "init", "--force"]);
    assert_eq!(run.status.code(), Some(125), "{run}");
    assert!(
        run.stderr.contains("`@root/dotfiles` is writable".replace("@root", &scene.fill("@root")).as_str()),
        "{run}"
    );
    assert_eq!(scene.read("dotfiles/sparkdbg.toml"), PLAIN);
    fs::set_permissions(scene.path("dotfiles"), fs::Permissions::from_mode(0o755)).unwrap();
}

/// A file sees relative paths from its own directory, a flag from where it is typed.
#[test]
fn a_home_is_the_one_that_was_typed() {
    let launches = |scene: &Scene, options: &[&str], program: &str| {
        let run = scene.run(&[options, &["-q", "submit", "--driver=attach:@port", "app.jar"]].concat());
        assert_eq!(run.expect(Some(0), "").child().script, scene.path(&format!("{program}/bin/spark-submit")));
    };
    // The project's moves with the project.
    let scene = Scene::new().home("work/spark", Some("4.3.0"));
    scene.run(&["-q", "--spark-home", "./spark", "init"]).expect(Some(0), "");
    assert!(scene.read("work/sparkdbg.toml").contains("\nspark-home = \"./spark\"\n"));
    launches(&scene.cwd("work/deep/below"), &[], "work/spark");
    // Another file is elsewhere.
    let scene = Scene::new().home("work/spark", Some("4.3.0"));
    scene.run(&["-q", "--spark-home", "spark", "init", "--user"]).expect(Some(0), "");
    let line = scene.fill("\nspark-home = \"@root/work/spark\"\n");
    assert!(scene.read("config/sparkdbg/config.toml").contains(&line));
    launches(&scene, &[], "work/spark");
    scene.run(&["-q", "--config", "conf/x.toml", "--spark-home", "spark", "init"]).expect(Some(0), "");
    launches(&scene, &["--config", "conf/x.toml"], "work/spark");
    // Steps up are gone, links stay.
    let scene = Scene::new().home("spark", Some("4.3.0")).link("linked", "spark");
    scene.run(&["-q", "--spark-home", "../linked", "init", "--user"]).expect(Some(0), "");
    let line = scene.fill("\nspark-home = \"@root/linked\"\n");
    assert!(scene.read("config/sparkdbg/config.toml").contains(&line));
    // What a shell left alone is a name.
    let scene = Scene::new().home("work/~/spark", Some("4.3.0"));
    scene.run(&["-q", "--spark-home", "~/spark", "init"]).expect(Some(0), "");
    launches(&scene, &[], "work/~/spark");
}

#[test]
fn a_home_that_toml_cannot_hold() {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt as _;
    let scene = Scene::new();
    let args = [OsString::from("--flink-home"), OsString::from_vec(b"caf\xe9".to_vec()), OsString::from("init")];
    scene.run(&args).fails(
        2,
        "error: `--flink-home`: `caf\u{fffd}` is not UTF-8, which TOML has to be\n\
         help: give a symbolic link to it, or set the variable: SPARK_HOME, FLINK_HOME\n",
    );
}

#[test]
fn of_two_at_once_one_writes() {
    let scene = Scene::new();
    let start = || scene.command(SPARKDBG, &["-q", "init"]);
    let children: Vec<_> = (0..8).map(|_| start().stderr(Stdio::null()).spawn().expect("it starts")).collect();
    let written =
        children.into_iter().map(|mut child| child.wait().expect("it ends").code()).filter(|code| *code == Some(0));
    assert_eq!(written.count(), 1);
    assert_eq!(scene.read("work/sparkdbg.toml"), PLAIN);
}
