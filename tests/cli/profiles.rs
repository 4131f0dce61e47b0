//! Profiles: where they are looked for, which value wins, and whose files are believed.

use std::os::unix::fs::chown;

use crate::scene::{DRIVER, INJECTED, Scene, is_root, not_run};

/// The `address=…` and `suspend=…` of the driver that these options make, in a dry run.
#[track_caller]
fn endpoint(scene: &Scene, options: &[&str]) -> String {
    let plan = scene.json(&[options, &["submit", "--", "app.jar"]].concat());
    let endpoint = &plan["endpoints"][0];
    let suspend = if endpoint["suspend"].as_bool().unwrap() { "suspend" } else { "nosuspend" };
    format!(
        "{}:{}:{},{suspend}",
        endpoint["mode"].as_str().unwrap(),
        endpoint["host"].as_str().unwrap(),
        endpoint["port"]
    )
}

/// A profile `NAME` whose driver listens on this port.
fn profile(name: &str, port: u16) -> String {
    format!("[profile.{name}]\ndriver = \"attach:{port},nosuspend\"\n")
}

#[test]
fn the_nearest_file_upwards() {
    let scene = Scene::spark("4.3.0")
        .file("sparkdbg.toml", profile("p", 6001))
        .file("work/sparkdbg.toml", profile("p", 6002))
        .cwd("work/a/b");
    assert_eq!(endpoint(&scene, &["-p", "p"]), "attach:127.0.0.1:6002,nosuspend");
    let scene = scene.file("work/a/b/sparkdbg.toml", profile("p", 6003));
    assert_eq!(endpoint(&scene, &["-p", "p"]), "attach:127.0.0.1:6003,nosuspend");
    // The nearest one alone: what it does not have, its parents' do not give.
    let scene =
        Scene::spark("4.3.0").file("sparkdbg.toml", profile("q", 6001)).file("work/sparkdbg.toml", profile("p", 6002));
    scene
        .run(&["-p", "q", "submit", "a"])
        .fails(125, "error: unknown profile `q`, named by `--profile`\nhelp: the profiles are `p`\n");
}

#[test]
fn home_is_the_last_directory_that_is_looked_at() {
    let scene = Scene::spark("4.3.0").file("sparkdbg.toml", profile("p", 6001)).env("HOME", "@root/work").cwd("work/a");
    scene.run(&["-p", "p", "submit", "a"]).fails(
        125,
        "error: unknown profile `p`, named by `--profile`: there is no configuration file\n\
         help: looked for `sparkdbg.toml` from `@root/work/a` upwards and for `@root/config/sparkdbg/config.toml`\n",
    );
    // It is looked at itself.
    let scene = scene.env("HOME", "@root");
    assert_eq!(endpoint(&scene, &["-p", "p"]), "attach:127.0.0.1:6001,nosuspend");
}

#[test]
fn a_directory_of_another_owner_ends_the_search() {
    if !is_root() {
        not_run("not root: files of another owner not tried");
        return;
    }
    let scene = Scene::spark("4.3.0").file("sparkdbg.toml", profile("p", 6001)).cwd("work/a/b");
    chown(scene.path("work/a"), Some(12345), None).unwrap();
    let run = scene.run(&["-p", "p", "submit", "a"]);
    assert_eq!(run.status.code(), Some(125), "{run}");
    assert!(run.stderr.starts_with("error: unknown profile `p`"), "{run}");
}

#[test]
fn project_over_user_key_by_key() {
    let scene = Scene::spark("4.3.0")
        .file("config/sparkdbg/config.toml", "[profile.p]\ndriver = \"listen:10.0.0.1:1\"\nallow = \"10.0.0.0/8\"\n")
        .file("work/sparkdbg.toml", profile("p", 6001));
    let plan = scene.json(&["-p", "p", "submit", "a"]);
    let word = "spark.driver.defaultJavaOptions=-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,\
                address=127.0.0.1:6001,allow=10.0.0.0/8";
    assert_eq!(plan["args"][1], word);
}

#[test]
fn a_named_file_replaces_both() {
    let scene = Scene::spark("4.3.0")
        .file("config/sparkdbg/config.toml", profile("u", 6001))
        .file("work/sparkdbg.toml", profile("p", 6002))
        .file("else/x.toml", profile("p", 6003));
    assert_eq!(endpoint(&scene, &["--config", "../else/x.toml", "-p", "p"]), "attach:127.0.0.1:6003,nosuspend");
    scene
        .run(&["--config", "@root/else/x.toml", "-p", "u", "submit", "a"])
        .fails(125, "error: unknown profile `u`, named by `--profile`\nhelp: the profiles are `p`\n");
    scene
        .run(&["--config", "no.toml", "submit", "a"])
        .fails(125, "error: `@root/work/no.toml`, named by `--config`, cannot be read: no such file or directory\n");
}

#[test]
fn which_profile_is_in_force() {
    let file = format!("default-profile = \"d\"\n{}{}{}", profile("d", 6001), profile("e", 6002), profile("f", 6003));
    let scene = Scene::spark("4.3.0").file("work/sparkdbg.toml", &file);
    assert_eq!(endpoint(&scene, &[]), "attach:127.0.0.1:6001,nosuspend");
    let scene = scene.env("SPARKDBG_PROFILE", "e");
    assert_eq!(endpoint(&scene, &[]), "attach:127.0.0.1:6002,nosuspend");
    assert_eq!(endpoint(&scene, &["-p", "f"]), "attach:127.0.0.1:6003,nosuspend");
    let scene = scene.env("SPARKDBG_PROFILE", "");
    assert_eq!(endpoint(&scene, &[]), "attach:127.0.0.1:6001,nosuspend");
    scene
        .env("SPARKDBG_PROFILE", "g")
        .run(&["submit", "a"])
        .fails(125, "error: unknown profile `g`, named by `SPARKDBG_PROFILE`\nhelp: the profiles are `d`, `e`, `f`\n");
    let near = Scene::spark("4.3.0").file("work/sparkdbg.toml", "[profile.cluster]\n[profile.local]\n");
    near.run(&["-p", "clutser", "submit", "a"]).fails(
        125,
        "error: unknown profile `clutser`, named by `--profile`\n\
         help: did you mean `cluster`? the profiles are `cluster`, `local`\n",
    );
}

#[test]
fn flag_over_profile_over_default() {
    let scene = Scene::spark("4.3.0").file("work/sparkdbg.toml", profile("p", 6001));
    let with = |options: &[&str]| {
        let plan = scene.json(&[["-p", "p", "submit"].as_slice(), options, &["--", "a"]].concat());
        plan["args"][1].as_str().unwrap().split("server=").nth(1).unwrap().to_owned()
    };
    assert_eq!(with(&[]), "y,suspend=n,address=127.0.0.1:6001");
    assert_eq!(with(&["--suspend"]), "y,suspend=y,address=127.0.0.1:6001");
    assert_eq!(with(&["--attach", "6002"]), "y,suspend=y,address=127.0.0.1:6002");
    assert_eq!(with(&["--driver=attach"]), "y,suspend=y,address=127.0.0.1:5005");
    assert_eq!(with(&["--listen", "10.0.0.1:6003"]), "n,suspend=y,address=10.0.0.1:6003");
}

#[test]
fn profiles_inherit_across_files() {
    let user = "[profile.base]\ndriver = { mode = \"attach\", port = 6001, suspend = false }\nexisting = \"fail\"\n";
    let project = "[profile.p]\ninherits = \"base\"\nallow = [\"10.0.0.1\"]\n";
    let scene = Scene::spark("4.3.0").file("config/sparkdbg/config.toml", user).file("work/sparkdbg.toml", project);
    let plan = scene.json(&["-p", "p", "submit", "a"]);
    let word = "spark.driver.defaultJavaOptions=-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,\
                address=127.0.0.1:6001,allow=10.0.0.1";
    assert_eq!(plan["args"][1], word);
    let cycle = "[profile.a]\ninherits = \"b\"\n[profile.b]\ninherits = \"a\"\n";
    let scene = Scene::spark("4.3.0").file("work/sparkdbg.toml", cycle);
    scene.run(&["-p", "a", "submit", "x"]).fails(
        125,
        "error: `@root/work/sparkdbg.toml` line 4: `inherits` closes the cycle `a -> b -> a`\n\
         help: remove one `inherits` of the cycle\n",
    );
}

#[test]
fn anything_wrong_names_file_line_key_and_the_right_word() {
    for (text, error) in [
        (
            "[profile.p]\ndriverr = \"attach:1\"\n",
            "line 2: unknown key `driverr` in profile `p`\nhelp: did you mean `driver`?",
        ),
        (
            "[profile.p]\ndriver = 5005\n",
            "line 2: `driver` in profile `p` must be a string like \"attach:5005\" or a table, not an integer",
        ),
        (
            "\n[profile.p]\n\ndriver = \"5005\"\n",
            "line 4: `driver` in profile `p`: `5005` does not say who dials: write attach:5005 or listen:5005",
        ),
        (
            "[profile.p]\ndriver = { mode = \"listen\", port = 70000 }\n",
            "line 2: `port` of `driver` in profile `p`: `70000` is not a port: a number from 0 to 65535",
        ),
        (
            "[profile.p]\ndriver = { port = 1 }\n",
            "line 2: `driver` in profile `p` has no `mode`\nhelp: add `mode = \"attach\"` (the JVM listens) or `mode = \
             \"listen\"` (the debugger listens)",
        ),
        (
            "[profile.p]\nexisting = \"repalce\"\n",
            "line 2: `existing` in profile `p`: `repalce` is not `replace`, `keep` or `fail`",
        ),
        (
            "[profile.p]\nallow = [\"10.0.0.0/8\", \"localhost\"]\n",
            "line 2: `allow` in profile `p`: `localhost` is not an address `IP[/BITS]`",
        ),
        (
            "[profile.p]\npause-limit = \"2\"\n",
            "line 2: `pause-limit` in profile `p`: `2` is not a duration like `90s`, `30m`, `2h` or `1d`, nor `off`",
        ),
        (
            "[profile.p]\none-executor = \"yes\"\n",
            "line 2: `one-executor` in profile `p` must be true or false, not a string",
        ),
        (
            "[profile.p]\ninherits = \"z\"\n",
            "line 2: unknown profile `z` in `inherits` of profile `p`\nhelp: the profiles are `p`",
        ),
        (
            "default-profile = \"z\"\n[profile.p]\n",
            "line 1: unknown profile `z` in `default-profile`\nhelp: the profiles are `p`",
        ),
        (
            "driver = \"attach:1\"\n",
            "line 1: unknown key `driver`\nhelp: `driver` belongs to a profile: write it below `[profile.NAME]`",
        ),
        ("[profile.p\n", "line 1: unclosed table, expected `]`"),
    ] {
        let scene = Scene::spark("4.3.0").file("work/sparkdbg.toml", text);
        let profile = if text.starts_with("default") { &["submit", "a"][..] } else { &["-p", "p", "submit", "a"] };
        scene.run(profile).fails(125, &format!("error: `@root/work/sparkdbg.toml` {error}\n"));
    }
}

#[test]
fn a_file_that_others_can_write_is_refused() {
    let scene = Scene::spark("4.3.0").file("work/sparkdbg.toml", profile("p", 6001)).mode("work/sparkdbg.toml", 0o664);
    let refused = |scene: &Scene, fault: &str, cure: &str| {
        scene
            .run(&["submit", DRIVER, "a"])
            .fails(125, &format!("error: `@root/work/sparkdbg.toml` cannot be trusted: {fault}\nhelp: {cure}\n"));
    };
    refused(&scene, "it is writable by its group (mode 0664)", "run `chmod go-w @root/work/sparkdbg.toml`");
    let scene = scene.mode("work/sparkdbg.toml", 0o646);
    refused(&scene, "it is writable by others (mode 0646)", "run `chmod go-w @root/work/sparkdbg.toml`");
    let scene = scene.mode("work/sparkdbg.toml", 0o644).mode("work", 0o777);
    refused(
        &scene,
        "its directory `@root/work` is writable by its group and others (mode 0777)",
        "run `chmod go-w @root/work`",
    );
    // A named file has to be trusted as well; an absent one hurts nobody.
    let named = scene.mode("work", 0o755).file("x.toml", "").mode("x.toml", 0o666);
    let run = named.run(&["--config", "@root/x.toml", "submit", DRIVER, "a"]);
    assert_eq!(run.status.code(), Some(125), "{run}");
    assert!(run.stderr.starts_with(&named.fill("error: `@root/x.toml` cannot be trusted: ")), "{run}");
    if is_root() {
        let scene = Scene::spark("4.3.0").file("work/sparkdbg.toml", profile("p", 6001));
        chown(scene.path("work/sparkdbg.toml"), Some(12345), None).unwrap();
        refused(
            &scene,
            "it belongs to uid 12345, not to root",
            "copy it to a directory of your own and name the copy with `--config FILE`",
        );
    }
}

/// Who checks out a project did not choose them.
#[test]
fn homes_and_listen_addresses_of_a_project_file_are_in_the_hint() {
    let text = "[profile.p]\ndriver = \"listen:10.0.0.9:5005\"\nspark-home = \"../other\"\n";
    let scene = Scene::spark("4.3.0").home("other", Some("4.3.0")).file("work/sparkdbg.toml", text);
    let dials = "sparkdbg: driver dials the debugger at 10.0.0.9:5005 before main (IDE: \"Listen to remote JVM\", port \
                 5005)\n";
    scene.run(&["-p", "p", "submit", "a"]).expect(
        Some(0),
        &format!(
            "{dials}sparkdbg: the address comes from @root/work/sparkdbg.toml:2 (profile p)\n\
             sparkdbg: Spark is `@root/work/../other`, from @root/work/sparkdbg.toml:3 (profile p)\n"
        ),
    );
    scene.run(&["-q", "-p", "p", "submit", "a"]).expect(Some(0), "");
    // One's own file says nothing new.
    let own = Scene::spark("4.3.0")
        .home("other", Some("4.3.0"))
        .file("config/sparkdbg/config.toml", text.replace("../other", "@root/other"));
    own.run(&["-p", "p", "submit", "a"]).expect(Some(0), dials);
}

#[test]
fn paths_in_a_file_are_seen_from_the_file() {
    for (home, program) in
        [("../other", "@root/work/../other"), ("~/other", "@root/other"), ("@root/other", "@root/other")]
    {
        let scene = Scene::new()
            .home("other", Some("4.3.0"))
            .file("work/sparkdbg.toml", format!("[profile.p]\nspark-home = \"{home}\"\n"))
            .cwd("work/a/b");
        let run = scene.run(&["-q", "-p", "p", "submit", DRIVER, "app.jar"]);
        run.expect(Some(0), "");
        let child = run.child();
        assert_eq!(child.script, scene.path(&format!("{program}/bin/spark-submit")), "{run}");
        assert_eq!(child.args, scene.words(&[INJECTED[0], INJECTED[1], "app.jar"]), "{run}");
    }
}

#[test]
fn v_says_where_each_value_came_from() {
    let user = "[profile.p]\nallow = \"10.0.0.0/8\"\ndaemon = \"attach:1\"\n";
    let project = "[profile.base]\ndriver = \"attach:@port\"\n[profile.p]\ninherits = \"base\"\nexisting = \"keep\"\n\
                   one-executor = true\n";
    let scene = Scene::spark("4.3.0").file("config/sparkdbg/config.toml", user).file("work/sparkdbg.toml", project);
    let run = scene.run(&["-q", "-v", "-p", "p", "submit", "a"]);
    for line in [
        "driver: attach:127.0.0.1:@port,suspend (@root/work/sparkdbg.toml:2 (profile base))\n",
        "allow: 10.0.0.0/8 (@root/config/sparkdbg/config.toml:2 (profile p))\n",
        "existing: keep (@root/work/sparkdbg.toml:5 (profile p))\n",
        // A role that the command does not have.
        "daemon: ignored, it has no effect on `sparkdbg submit` (@root/config/sparkdbg/config.toml:3 (profile p))\n",
        "one-executor: ignored, it has no effect on `sparkdbg submit` (@root/work/sparkdbg.toml:6 (profile p))\n",
    ] {
        assert!(run.stderr.contains(&scene.fill(line)), "{line}\n{run}");
    }
    let quiet = scene.run(&["-q", "-p", "p", "submit", "a"]);
    quiet.expect(Some(0), "");
}

#[test]
fn v_says_who_named_the_profile_and_the_home() {
    let scene =
        Scene::spark("4.3.0").file("work/sparkdbg.toml", format!("default-profile = \"p\"\n{}", profile("p", 6001)));
    let first = |scene: &Scene, args: &[&str], name: &str| {
        let run = scene.run(&[["-q", "-v"].as_slice(), args, &["submit", DRIVER, "a"]].concat());
        assert_eq!(run.status.code(), Some(0), "{run}");
        let profile = run.stderr.lines().find(|line| line.starts_with("profile: p")).unwrap_or_default().to_owned();
        assert!(profile.contains(name), "{name}\n{run}");
        assert!(run.stderr.contains("SPARK_HOME"), "who named the home\n{run}");
    };
    first(&scene, &["-p", "p"], "--profile");
    first(&scene, &[], "default-profile");
    first(&scene.env("SPARKDBG_PROFILE", "p"), &[], "SPARKDBG_PROFILE");
}

/// Nobody attaches to a JVM that a flag told to dial out.
#[test]
fn a_typed_listen_wins_over_allow_of_the_profile() {
    let scene = Scene::spark("4.3.0").file("work/sparkdbg.toml", "[profile.p]\nallow = [\"10.0.0.1\"]\n");
    let plan = scene.json(&["-p", "p", "submit", "--listen", "10.0.0.9:1", "a"]);
    let agent =
        "spark.driver.defaultJavaOptions=-agentlib:jdwp=transport=dt_socket,server=n,suspend=y,address=10.0.0.9:1";
    assert_eq!(plan["args"][1], agent);
}

#[test]
fn short_forms_need_one_role_in_the_profile_too() {
    let text = "[profile.p]\ndriver = \"attach:1\"\nexecutor = \"attach:0\"\n";
    let scene = Scene::spark("4.3.0").file("work/sparkdbg.toml", text);
    let run = scene.run(&["-p", "p", "submit", "--suspend", "a"]);
    // The profile has its part in it.
    run.fails(
        125,
        "error: `--suspend` does not say which role it is for: driver (@root/work/sparkdbg.toml:2 (profile p)) and \
         executor (@root/work/sparkdbg.toml:3 (profile p))\nhelp: name the role: --driver=attach,suspend\n",
    );
}
