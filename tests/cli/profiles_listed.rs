//! `profiles`: what there is, where each value was written, and what it comes to.

use crate::scene::Scene;

const USER: &str = "default-profile = \"base\"\n\n[profile.base]\ndriver = { mode = \"listen\", host = \"10.0.0.171\", \
                    port = 5005 }\nallow = [\"10.0.0.1\", \"fe80::/10\"]\npause-limit = \"90m\"\n";

const PROJECT: &str = "default-profile = \"cluster\"\n\n[profile.cluster]\ninherits = \"base\"\nexecutor = \"attach:0\"\n\
                       one-executor = true\nspark-home = \"/opt/spark\"\n\n[profile.base]\ntaskmanager = \"attach\"\n\n\
                       [profile.empty]\n";

fn both() -> Scene {
    Scene::new().file("config/sparkdbg/config.toml", USER).file("work/sparkdbg.toml", PROJECT)
}

#[test]
fn every_profile_of_both_files() {
    both().run(&["profiles"]).expect(Some(0), "").prints(
        "base  @root/work/sparkdbg.toml:9, @root/config/sparkdbg/config.toml:3\n\
         \x20 driver       listen:10.0.0.171:5005,suspend   @root/config/sparkdbg/config.toml:4\n\
         \x20 taskmanager  attach:127.0.0.1:5006,nosuspend  @root/work/sparkdbg.toml:10\n\
         \x20 allow        10.0.0.1, fe80::/10              @root/config/sparkdbg/config.toml:5\n\
         \x20 pause-limit  1h 30m                           @root/config/sparkdbg/config.toml:6\n\
         cluster (default)  @root/work/sparkdbg.toml:3, inherits base\n\
         \x20 driver        listen:10.0.0.171:5005,suspend   @root/config/sparkdbg/config.toml:4\n\
         \x20 executor      attach:127.0.0.1:0,nosuspend     @root/work/sparkdbg.toml:5\n\
         \x20 taskmanager   attach:127.0.0.1:5006,nosuspend  @root/work/sparkdbg.toml:10\n\
         \x20 allow         10.0.0.1, fe80::/10              @root/config/sparkdbg/config.toml:5\n\
         \x20 one-executor  true                             @root/work/sparkdbg.toml:6\n\
         \x20 pause-limit   1h 30m                           @root/config/sparkdbg/config.toml:6\n\
         \x20 spark-home    /opt/spark                       @root/work/sparkdbg.toml:7\n\
         empty  @root/work/sparkdbg.toml:12\n",
    );
}

#[test]
fn one_alone_and_a_file_alone() {
    both().run(&["profiles", "-p", "empty"]).expect(Some(0), "").prints("empty  @root/work/sparkdbg.toml:12\n");
    both().run(&["--config", "../config/sparkdbg/config.toml", "profiles"]).expect(Some(0), "").prints(
        "base (default)  @root/work/../config/sparkdbg/config.toml:3\n\
             \x20 driver       listen:10.0.0.171:5005,suspend  @root/work/../config/sparkdbg/config.toml:4\n\
             \x20 allow        10.0.0.1, fe80::/10             @root/work/../config/sparkdbg/config.toml:5\n\
             \x20 pause-limit  1h 30m                          @root/work/../config/sparkdbg/config.toml:6\n",
    );
    both().run(&["-p", "clutser", "profiles"]).fails(
        125,
        "error: unknown profile `clutser`, named by `--profile`\n\
         help: did you mean `cluster`? the profiles are `base`, `cluster`, `empty`\n",
    );
}

/// Which one a launch takes is marked: the variable wins over the files.
#[test]
fn the_mark_of_the_variable() {
    let marks = |scene: &Scene, warning: &str| {
        let run = scene.run(&["profiles"]);
        run.expect(Some(0), warning);
        let text = String::from_utf8(run.stdout.clone()).expect("text");
        let head = |line: &str| line.split("  ").next().unwrap_or_default().to_owned();
        text.lines().filter(|line| !line.starts_with(' ')).map(head).collect::<Vec<_>>()
    };
    assert_eq!(
        marks(&both().env("SPARKDBG_PROFILE", "empty"), ""),
        ["base", "cluster (default-profile; SPARKDBG_PROFILE names another)", "empty (SPARKDBG_PROFILE)"]
    );
    assert_eq!(marks(&both().env("SPARKDBG_PROFILE", "cluster"), ""), ["base", "cluster (SPARKDBG_PROFILE)", "empty"]);
    assert_eq!(marks(&both().env("SPARKDBG_PROFILE", ""), ""), ["base", "cluster (default)", "empty"]);
    let warning = "warning: `SPARKDBG_PROFILE` names `gone`, which is no profile: nothing starts without `-p`\n";
    marks(&both().env("SPARKDBG_PROFILE", "gone"), warning);
}

#[test]
fn for_programs() {
    let user = "@root/config/sparkdbg/config.toml";
    let project = "@root/work/sparkdbg.toml";
    let scene = both();
    let run = scene.run(&["-p", "cluster", "profiles", "--json"]);
    run.expect(Some(0), "");
    let printed: serde_json::Value = serde_json::from_slice(&run.stdout).expect("JSON");
    let expected = serde_json::json!([{
        "name": "cluster",
        "default": true,
        "files": [{ "file": project, "line": 3 }],
        "inherits": ["base"],
        "endpoints": [
            {
                "role": "driver", "mode": "listen", "host": "10.0.0.171", "port": 5005, "suspend": true,
                "from": { "file": user, "line": 4, "profile": "base" }
            },
            {
                "role": "executor", "mode": "attach", "host": "127.0.0.1", "port": 0, "suspend": false,
                "from": { "file": project, "line": 5, "profile": "cluster" }
            },
            {
                "role": "taskmanager", "mode": "attach", "host": "127.0.0.1", "port": 5006, "suspend": false,
                "from": { "file": project, "line": 10, "profile": "base" }
            }
        ],
        "keys": {
            "allow": { "value": ["10.0.0.1", "fe80::/10"], "from": { "file": user, "line": 5, "profile": "base" } },
            "one-executor": { "value": true, "from": { "file": project, "line": 6, "profile": "cluster" } },
            "pause-limit": { "value": "1h 30m", "from": { "file": user, "line": 6, "profile": "base" } },
            "spark-home": { "value": "/opt/spark", "from": { "file": project, "line": 7, "profile": "cluster" } }
        }
    }]);
    let expected: serde_json::Value = serde_json::from_str(&scene.fill(&expected.to_string())).expect("JSON");
    assert_eq!(printed, expected, "{run}");
    let all: serde_json::Value = serde_json::from_slice(&scene.run(&["profiles", "--json"]).stdout).expect("JSON");
    let names: Vec<&str> = all.as_array().expect("a list").iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["base", "cluster", "empty"]);
}

#[test]
fn where_there_are_none() {
    let scene = Scene::new();
    let note = "note: there are no profiles; looked for `sparkdbg.toml` from `@root/work` upwards and for \
                `@root/config/sparkdbg/config.toml`\nhelp: sparkdbg init writes one\n";
    scene.run(&["profiles"]).expect(Some(0), note).prints("");
    scene.run(&["profiles", "--json"]).expect(Some(0), note).prints("[]\n");
    scene.run(&["-q", "profiles"]).expect(Some(0), "").prints("");
    let note =
        "note: there are no profiles; none is defined in `@root/work/sparkdbg.toml`\nhelp: sparkdbg init writes one\n";
    Scene::new().file("work/sparkdbg.toml", "# nothing\n").run(&["profiles"]).expect(Some(0), note).prints("");
}

#[test]
fn anything_wrong_in_any_of_them_is_an_error() {
    for (text, error) in [
        (
            "[profile.a]\n[profile.z]\ndriverr = 1\n",
            "line 3: unknown key `driverr` in profile `z`\nhelp: did you mean `driver`?",
        ),
        (
            "[profile.a]\n[profile.z]\ninherits = \"y\"\n",
            "line 3: unknown profile `y` in `inherits` of profile `z`\nhelp: the profiles are `a`, `z`",
        ),
        (
            "[profile.a]\n[profile.y]\ninherits = \"z\"\n[profile.z]\ninherits = \"y\"\n",
            "line 5: `inherits` closes the cycle `y -> z -> y`\nhelp: remove one `inherits` of the cycle",
        ),
        (
            "default-profile = \"b\"\n[profile.a]\n",
            "line 1: unknown profile `b` in `default-profile`\nhelp: the profiles are `a`",
        ),
        (
            "[profile.abc]\ninherits = \"abd\"\n",
            "line 2: unknown profile `abd` in `inherits` of profile `abc`\nhelp: the profiles are `abc`",
        ),
        (
            "[profile.abc]\ninherits = \"abd\"\n[profile.abe]\n",
            "line 2: unknown profile `abd` in `inherits` of profile `abc`\nhelp: did you mean `abe`? the profiles are \
             `abc`, `abe`",
        ),
        (
            "[profile.a]\nexecutor = \"listen:0.0.0.0:5005\"\n",
            "line 2: `executor` in profile `a`: `0.0.0.0` is no address that a JVM can dial\nhelp: with `listen`, the \
             host is the machine on which the debugger listens",
        ),
        (
            "[profile.a]\ndriver = { mode = \"listen\", host = \"::\", port = 1 }\n",
            "line 2: `driver` in profile `a`: `[::]` is no address that a JVM can dial\nhelp: with `listen`, the host is \
             the machine on which the debugger listens",
        ),
        ("[profile.a\n", "line 1: unclosed table, expected `]`"),
    ] {
        let scene = Scene::new().file("work/sparkdbg.toml", text);
        scene.run(&["profiles"]).fails(125, &format!("error: `@root/work/sparkdbg.toml` {error}\n"));
    }
    both().mode("config/sparkdbg/config.toml", 0o664).run(&["profiles"]).fails(
        125,
        "error: `@root/config/sparkdbg/config.toml` cannot be trusted: it is writable by its group (mode 0664)\n\
         help: run `chmod go-w @root/config/sparkdbg/config.toml`\n",
    );
}

#[test]
fn options_that_mean_nothing_here() {
    for (args, flag) in [
        (["--dry-run", "profiles"].as_slice(), "--dry-run"),
        (&["profiles", "--spark-home", "x"], "--spark-home"),
        (&["profiles", "--no-preflight"], "--no-preflight"),
    ] {
        let error = format!("error: `{flag}` has no meaning with `profiles`, which starts nothing\n");
        Scene::new().run(args).fails(2, &error);
    }
    Scene::new().run(&["profiles", "cluster"]).fails(
        2,
        "error: `cluster`: `sparkdbg profiles` takes options only\nhelp: a profile is named in front: sparkdbg -p cluster profiles\n",
    );
}

/// A name comes from a file of somebody's project.
#[test]
fn a_name_cannot_steer_the_terminal() {
    let scene = Scene::new().file("work/sparkdbg.toml", "[profile.\"a\\u001b[31m\\nb\"]\nspark-home = \"/x\\u0007\"\n");
    scene
        .run(&["profiles"])
        .expect(Some(0), "")
        .prints("a\\u{1b}[31m b  @root/work/sparkdbg.toml:1\n  spark-home  /x\\u{7}  @root/work/sparkdbg.toml:2\n");
}
