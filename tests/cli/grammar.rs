//! Which words are ours, which are the script's, and what is said about words in the wrong place.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt as _;

use crate::scene::{COMMANDS, DRIVER, INJECTED, Scene};

/// `INJECTED`, then these.
fn after_injected(words: &[&str]) -> Vec<String> {
    INJECTED.iter().chain(words).map(|word| word.to_string()).collect()
}

#[test]
fn the_first_double_dash_starts_the_scripts_words_and_is_dropped() {
    let scene = Scene::spark("4.3.0");
    let run = scene.run(&["-q", "submit", DRIVER, "--", "--class", "C", "app.jar", "--", "-v"]);
    run.starts("spark/bin/spark-submit", &after_injected(&["--class", "C", "app.jar", "--", "-v"]));
    scene.run(&["-q", "submit", DRIVER, "--", "--", "x"]).starts(
        "spark/bin/spark-submit",
        // A second one is data: Spark will say what it thinks of it.
        &after_injected(&["--", "x"]),
    );
}

#[test]
fn the_first_word_that_is_not_ours_starts_the_scripts_words() {
    let scene = Scene::spark("4.3.0");
    let run = scene.run(&["-q", "submit", DRIVER, "app.jar", "-v", "--dry-run", "--", "--driver=attach:1"]);
    run.starts("spark/bin/spark-submit", &after_injected(&["app.jar", "-v", "--dry-run", "--", "--driver=attach:1"]));
    // A lone dash is a word like any other.
    scene.run(&["-q", "submit", DRIVER, "-"]).starts("spark/bin/spark-submit", &after_injected(&["-"]));
}

/// It starts what was only to be shown, so it is said; the word goes on all the same.
#[test]
fn an_option_of_ours_among_the_scripts_words_is_said() {
    let note = |option: &str, behind: &str| {
        format!(
            "note: `{option}` stands behind `{behind}` and is passed on; sparkdbg's own options stand in front of it, and \
             where this is none of them, write `--` in front of `{behind}`\n"
        )
    };
    let scene = Scene::spark("4.3.0");
    for (words, option) in [
        (["app.jar", "--dry-run"].as_slice(), "--dry-run"),
        (&["app.jar", "x", "--dry-run=json", "--executor"], "--dry-run"),
        (&["app.jar", "--executor=attach:0"], "--executor"),
        (&["app.jar", "--config", "x.yml"], "--config"),
    ] {
        let run = scene.run(&[&["-q", "submit", DRIVER], words].concat());
        run.expect(Some(0), &note(option, "app.jar")).starts("spark/bin/spark-submit", &after_injected(words));
    }
    for words in [
        // Spark has them as well.
        ["app.jar", "--verbose", "--help", "-v"].as_slice(),
        // Not ours, or not of this command.
        &["app.jar", "--dry-runs", "--dry", "--", "--dry-run"],
        &["app.jar", "--client", "--daemon", "--jobmanager=attach"],
        &["app.jar", "--"],
        // Who types it means it.
        &["--", "app.jar", "--dry-run"],
    ] {
        scene.run(&[&["-q", "submit", DRIVER], words].concat()).expect(Some(0), "");
    }
    // Programs are told in the plan.
    let plan = scene.json(&["submit", DRIVER, "app.jar", "--dry-run"]);
    assert_eq!(plan["notes"][0]["code"], "astray", "{plan}");
    assert_eq!(plan["notes"][0]["level"], "note", "{plan}");
    assert_eq!(scene.json(&["submit", DRIVER, "--", "app.jar", "--dry-run"])["notes"][0]["code"], "endpoint", "{plan}");
    let flink = scene
        .stand_in("flink/bin/flink")
        .stand_in("flink/bin/start-cluster.sh")
        .file("flink/bin/config.sh", "")
        .file("flink/conf/config.yaml", "")
        .file("flink/conf/workers", "localhost\n")
        .file("flink/lib/flink-dist-2.1.0.jar", "")
        .env("FLINK_HOME", "@root/flink");
    let run = flink.run(&["-q", "--no-preflight", "flink", "start-cluster.sh", "--dry-run"]);
    assert!(run.stderr.contains(&note("--dry-run", "start-cluster.sh")), "{run}");
    // A script that is not to be looked at says nothing.
    flink.env("SPARKDBG", "off").run(&["-q", "submit", "app.jar", "--dry-run"]).expect(Some(0), "");
}

#[test]
fn after_the_double_dash_v_is_sparks() {
    let scene = Scene::spark("4.3.0");
    let run = scene.run(&["-q", "submit", DRIVER, "--", "-v", "app.jar"]);
    run.expect(Some(0), "").starts("spark/bin/spark-submit", &after_injected(&["-v", "app.jar"]));
}

#[test]
fn global_options_stand_before_or_after_the_command() {
    let scene = Scene::spark("4.3.0").unset("SPARK_HOME");
    let expected = [("SPARK_HOME", Some("@root/spark"))];
    for args in [
        ["-q", "--spark-home", "@root/spark", "submit", DRIVER, "--", "app.jar"].as_slice(),
        &["submit", "-q", DRIVER, "--spark-home=@root/spark", "app.jar"],
        &["--quiet", "submit", "--spark-home", "@root/spark", DRIVER, "app.jar"],
        &["submit", DRIVER, "-q", "--spark-home", "@root/spark", "--no-preflight", "--", "app.jar"],
    ] {
        let run = scene.run(args);
        run.expect(Some(0), "").starts_with("spark/bin/spark-submit", &after_injected(&["app.jar"]), &expected);
    }
    let dry = scene.run(&["submit", DRIVER, "-q", "--spark-home", "@root/spark", "--dry-run", "app.jar"]);
    dry.expect(Some(0), "");
    let same = scene.run(&["--dry-run", "-q", "--spark-home", "@root/spark", "submit", DRIVER, "app.jar"]);
    assert_eq!(same.stdout, dry.stdout, "{same}");
}

#[test]
fn short_options_cluster() {
    let scene = Scene::spark("4.3.0").file("work/sparkdbg.toml", "[profile.p]\ndriver = \"attach:@port\"\n");
    scene.run(&["-qp", "p", "submit", "app.jar"]).starts("spark/bin/spark-submit", &after_injected(&["app.jar"]));
    scene.run(&["-qpp", "submit", "app.jar"]).starts("spark/bin/spark-submit", &after_injected(&["app.jar"]));
}

#[test]
fn words_reach_the_script_byte_for_byte() {
    let odd = [
        OsString::from_vec(b"caf\xe9 \xff\xfe".to_vec()),
        OsString::from(""),
        OsString::from("two\nlines\n"),
        OsString::from("  \t'\"\\$HOME`x`*?"),
        OsString::from("é😀\u{10FE41}"),
        OsString::from("--driver=attach:1"),
    ];
    let scene = Scene::spark("4.3.0");
    let mut args: Vec<OsString> = ["-q", "submit", DRIVER, "--", "app.jar"].map(OsString::from).to_vec();
    args.extend(odd.iter().cloned());
    let expected: Vec<OsString> =
        INJECTED.map(OsString::from).into_iter().chain(["app.jar".into()]).chain(odd).collect();
    scene.run(&args).expect(Some(0), "").starts("spark/bin/spark-submit", &expected);
}

#[test]
fn odd_words_before_the_application_pass_untouched() {
    let latin = OsString::from_vec(b"spark.app.name=caf\xe9".to_vec());
    let newline = OsStr::new("spark.x=a\nb");
    let words = [OsStr::new("--conf"), &latin, OsStr::new("--name"), OsStr::new(""), OsStr::new("-c"), newline];
    let words: Vec<OsString> = words.map(OsString::from).into_iter().chain(["app.jar".into()]).collect();
    let scene = Scene::spark("4.3.0");
    let mut expected = scene.words(&INJECTED);
    expected.extend(words.iter().cloned());
    assert_eq!(scene.merged(&words), expected);
}

#[test]
fn an_empty_first_word_is_the_scripts() {
    let scene = Scene::spark("4.3.0");
    scene.run(&["-q", "submit", DRIVER, "", "x"]).starts("spark/bin/spark-submit", &after_injected(&["", "x"]));
}

#[test]
fn a_foreign_option_before_the_double_dash_is_refused_with_the_cure() {
    let scene = Scene::spark("4.3.0");
    for (word, help) in [
        ("--dirver", "did you mean `--driver`? Spark's own options go after `--`"),
        ("--atach=5", "did you mean `--attach`? Spark's own options go after `--`"),
        ("--class", "Spark's own options go after `--`: sparkdbg submit [OPTIONS] -- --class …"),
        ("--conf", "Spark's own options go after `--`: sparkdbg submit [OPTIONS] -- --conf …"),
        ("--master=yarn", "Spark's own options go after `--`: sparkdbg submit [OPTIONS] -- --master=yarn …"),
        ("--zzz", "Spark's own options go after `--`: sparkdbg submit [OPTIONS] -- --zzz …"),
        ("-x", "Spark's own options go after `--`: sparkdbg submit [OPTIONS] -- -x …"),
        ("--version", "Spark's own options go after `--`: sparkdbg submit [OPTIONS] -- --version …"),
        ("-V", "Spark's own options go after `--`: sparkdbg submit [OPTIONS] -- -V …"),
    ] {
        let error = format!("error: `{word}` is not an option of `sparkdbg submit`\nhelp: {help}\n");
        scene.run(&["submit", word, "X", "--", "app.jar"]).fails(2, &error);
    }
    // Ours or not, an option with a broken dash is found by its name.
    scene.run(&["submit", "--driver:5005", "a"]).fails(
        2,
        "error: `--driver:5005` is not an option of `sparkdbg submit`\n\
         help: did you mean `--driver`? Spark's own options go after `--`\n",
    );
}

#[test]
fn a_foreign_option_before_the_command_is_refused_with_the_cure() {
    let scene = Scene::spark("4.3.0");
    for (args, help) in [
        (["--driver", "submit"], "it goes after the command: sparkdbg COMMAND --driver …"),
        (["--class", "submit"], "write: sparkdbg COMMAND [OPTIONS] -- ARGS; `sparkdbg --help` lists both"),
        (["--quite", "submit"], "did you mean `--quiet`?"),
    ] {
        let error = format!("error: `{}` before the command is not an option of sparkdbg\nhelp: {help}\n", args[0]);
        scene.run(&args).fails(2, &error);
    }
    scene
        .run(&["--", "submit"])
        .fails(2, "error: `--` stands before the command\nhelp: write: sparkdbg COMMAND [OPTIONS] -- ARGS\n");
}

#[test]
fn a_value_that_lost_its_equals_sign_is_refused_with_the_right_spelling() {
    let scene = Scene::spark("4.3.0");
    for (args, word, right) in [
        (["submit", "--driver", "attach:5005", "app.jar"].as_slice(), "attach:5005", "--driver=attach:5005"),
        (&["submit", "attach:5005"], "attach:5005", "--driver=attach:5005"),
        (&["submit", "attach"], "attach", "--driver=attach"),
        (
            &["submit", "--driver", "listen:10.0.0.1:5005,nosuspend"],
            "listen:10.0.0.1:5005,nosuspend",
            "--driver=listen:10.0.0.1:5005,nosuspend",
        ),
        (&["submit", "--driver", "5005", "--", "x"], "5005", "--driver=attach:5005"),
        (&["submit", "5005"], "5005", "--driver=attach:5005"),
        (&["submit", "--driver", "0.0.0.0:5005"], "0.0.0.0:5005", "--driver=attach:0.0.0.0:5005"),
        (&["submit", "--executor", "attach:0"], "attach:0", "--executor=attach:0"),
        (&["submit", "--dry-run", "json", "app.jar"], "json", "--dry-run=json"),
        (&["submit", "json"], "json", "--dry-run=json"),
        (&["submit", "--dry-run", "text", "app.jar"], "text", "--dry-run=text"),
        // Before the command too.
        (&["--dry-run", "json", "submit", "app.jar"], "json", "--dry-run=json"),
    ] {
        let error = format!(
            "error: `{word}` looks like the value of an option, but a blank parts it from its option\n\
             help: write `{right}`; if it really is the first word for the script, put `--` before it\n"
        );
        scene.run(args).fails(2, &error);
    }
    // Behind `--` such a word is the script's own affair.
    scene.run(&["-q", "submit", DRIVER, "--", "json"]).starts("spark/bin/spark-submit", &after_injected(&["json"]));
}

#[test]
fn values_of_ours_are_checked() {
    let scene = Scene::spark("4.3.0");
    let help = "help: sparkdbg --help, or sparkdbg COMMAND --help, shows what is taken\n";
    for (args, error) in [
        (["submit", "--attach"].as_slice(), "a value is required for `--attach <[HOST:]PORT>` but none was supplied"),
        (&["--profile"], "a value is required for `--profile <NAME>` but none was supplied"),
        (
            &["submit", "--attach", "1", "--listen", "2", "a"],
            "the argument `--attach <[HOST:]PORT>` cannot be used with `--listen <[HOST:]PORT>`",
        ),
        (&["submit", "--suspend", "--no-suspend", "a"], "the argument `--suspend` cannot be used with `--no-suspend`"),
        (&["submit", "--quiet=x", "a"], "unexpected value `x` for `--quiet` found; no more were expected"),
    ] {
        scene.run(args).fails(2, &format!("error: {error}\n{help}"));
    }
    scene
        .run(&["--dry-run=yaml", "submit", "a"])
        .fails(2, "error: invalid value `yaml` for `--dry-run[=<FORMAT>]`\nhelp: it takes text or json\n");
    scene
        .run(&["submit", "--existing", "merge", "a"])
        .fails(2, "error: `--existing`: `merge` is not `replace`, `keep` or `fail`\n");
}

#[test]
fn values_of_ours_need_not_be_utf_8_where_they_are_paths() {
    let dir = OsString::from_vec(b"caf\xe9".to_vec());
    let scene = Scene::spark("4.3.0").unset("SPARK_HOME");
    let home = scene.path("").join(&dir);
    std::os::unix::fs::symlink(scene.path("spark"), &home).unwrap();
    let args = ["-q", "--spark-home", "../", "submit", DRIVER, "a"].map(OsString::from);
    let args = args.map(|word| if word == "../" { [OsStr::new("../"), &dir].join(OsStr::new("")) } else { word });
    let run = scene.run(&args);
    let child = run.expect(Some(0), "").child();
    assert_eq!(child.args, scene.words(&after_injected(&["a"])), "{run}");
    assert_eq!(child.script, scene.path("work").join("..").join(&dir).join("bin/spark-submit"), "{run}");

    let profile = [OsString::from("-p"), OsString::from_vec(b"caf\xe9".to_vec()), "submit".into(), "a".into()];
    let run = scene.run(&profile);
    assert_eq!(run.status.code(), Some(2), "{run}");
    assert!(run.stderr.starts_with("error: ") && run.stderr.contains("UTF-8"), "{run}");
}

#[test]
fn without_a_command() {
    let scene = Scene::spark("4.3.0");
    let error = "error: no command is given\n\
                 help: sparkdbg --help lists the commands; for example: sparkdbg submit --driver -- app.jar\n";
    let none: [&str; 0] = [];
    scene.run(&none).fails(2, error);
    for args in [["-q"].as_slice(), &["-v"], &["--dry-run"]] {
        let run = scene.run(args);
        assert_eq!(run.status.code(), Some(2), "{run}");
        assert!(run.stdout.is_empty(), "{run}");
    }
}

#[test]
fn an_unknown_command() {
    let scene = Scene::spark("4.3.0");
    for word in ["submti", "spark-submit", "Submit"] {
        let error = format!("error: `{word}` is not a command of sparkdbg\nhelp: did you mean `sparkdbg submit`?\n");
        scene.run(&[word, "a.jar"]).fails(2, &error);
    }
    scene.run(&["zzz"]).fails(
        2,
        "error: `zzz` is not a command of sparkdbg\nhelp: the commands are submit, shell, sql, pyspark, r, example, \
         connect-shell, python, connect-server, thrift-server, worker, master, history-server, pipelines, \
         beeline, class, flink, ps, export, ide, doctor, env, shim, init, profiles, completions, man\n",
    );
}

/// Commands of `design/cli.md` that are still to come.
const UNBUILT: [&str; 1] = ["hub"];

#[test]
fn commands_that_are_not_built_say_so() {
    let scene = Scene::spark("4.3.0");
    for command in UNBUILT {
        let error = format!("error: `sparkdbg {command}` is not in this version\n");
        scene.run(&[command]).fails(2, &error);
        scene.run(&["-q", command, "--listen", "10.0.0.171:5005", "--", "x"]).fails(2, &error);
    }
}

#[test]
fn a_role_that_the_command_does_not_have_is_refused() {
    let scene = Scene::spark("4.3.0");
    for role in ["daemon", "client", "jobmanager", "taskmanager"] {
        let error =
            format!("error: `sparkdbg submit` has no {role} to debug\nhelp: its roles are driver and executor\n");
        scene.run(&["submit", &format!("--{role}"), "--", "app.jar"]).fails(2, &error);
    }
    for role in ["driver", "executor"] {
        let error = format!("error: `sparkdbg master` has no {role} to debug\nhelp: its role is daemon\n");
        scene.run(&["master", &format!("--{role}=attach:0")]).fails(2, &error);
    }
    scene
        .run(&["worker", "--driver"])
        .fails(2, "error: `sparkdbg worker` has no driver to debug\nhelp: its roles are executor and daemon\n");
    for flag in ["--one-executor", "--all-executors"] {
        let error = format!("error: `{flag}`: `sparkdbg master` starts no executors\n");
        scene.run(&["master", flag]).fails(2, &error);
    }
}

#[test]
fn a_pause_limit_is_a_duration_or_off() {
    let scene = Scene::spark("4.3.0");
    for limit in ["--pause-limit=off", "--pause-limit=30m", "--pause-limit=2147483s"] {
        // Nothing outside the driver's JVM waits for it.
        scene.run(&["-q", "submit", DRIVER, limit, "--", "--master", "local[*]", "a"]).expect(Some(0), "");
    }
    scene
        .run(&["submit", "--pause-limit", "30", "a"])
        .fails(2, "error: `--pause-limit`: `30` is not a duration like `90s`, `30m`, `2h` or `1d`, nor `off`\n");
    scene
        .run(&["submit", "--pause-limit", "2147484s", "a"])
        .fails(2, "error: `--pause-limit`: `2147484s` is longer than `2147483s`, the longest that Spark can hold\n");
}

#[test]
fn help_lists_what_is_built_and_hides_the_rest() {
    let scene = Scene::new();
    let help = scene.run(&["--help"]);
    help.expect(Some(0), "");
    let text = String::from_utf8(help.stdout.clone()).unwrap();
    let commands: Vec<&str> = text
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .map_while(|line| line.strip_prefix("  "))
        // What a line has no room for goes on below it.
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let built = [COMMANDS.as_slice(), &["help"]].concat();
    assert_eq!(commands, built, "{help}");
    for option in [
        "--profile",
        "--config",
        "--spark-home",
        "--flink-home",
        "--quiet",
        "--verbose",
        "--dry-run",
        "--show-secrets",
        "--no-preflight",
    ] {
        assert!(text.contains(option), "{option}\n{help}");
    }
}

/// Not those that it refuses, or has no use for.
#[test]
fn the_help_of_a_command_shows_global_options_that_mean_something_there() {
    const ALL: [&str; 9] = [
        "--profile",
        "--config",
        "--spark-home",
        "--flink-home",
        "--quiet",
        "--verbose",
        "--dry-run",
        "--show-secrets",
        "--no-preflight",
    ];
    for (command, expected) in [
        ("submit", ALL.as_slice()),
        ("flink", &ALL),
        ("ps", &["--quiet", "--verbose"]),
        ("export", &["--profile", "--config", "--quiet", "--verbose"]),
        ("ide", &["--profile", "--config", "--quiet", "--verbose"]),
        (
            "doctor",
            &["--profile", "--config", "--spark-home", "--flink-home", "--quiet", "--verbose", "--no-preflight"],
        ),
        ("env", &["--profile", "--config", "--spark-home", "--flink-home", "--quiet", "--verbose"]),
        ("shim", &["--quiet"]),
        ("init", &["--profile", "--config", "--spark-home", "--flink-home", "--quiet", "--verbose", "--dry-run"]),
        ("profiles", &["--profile", "--config", "--quiet", "--verbose"]),
        ("completions", &[]),
        ("man", &[]),
    ] {
        let help = String::from_utf8(Scene::new().run(&[command, "--help"]).stdout.clone()).expect("text");
        let below = help.split("Global options:\n").nth(1).unwrap_or_default();
        // What follows stands at the margin.
        let lines = below.lines().take_while(|line| line.is_empty() || line.starts_with(' '));
        let options = lines.filter(|line| line.starts_with("  -") || line.starts_with("      --"));
        let listed: Vec<&str> = options
            .filter_map(|line| line.split_whitespace().find(|word| word.starts_with("--")))
            .map(|word| word.split('[').next().unwrap_or_default())
            .collect();
        assert_eq!(listed, expected, "{command}\n{help}");
    }
}

/// What every launching command takes.
const OF_ALL: [&str; 7] =
    ["--attach", "--listen", "--suspend", "--allow", "--existing", "--wait-for-debugger", "--pause-limit"];

/// What only some do: a role, and what goes with it.
const OF_SOME: [&str; 9] = [
    "--driver",
    "--executor",
    "--daemon",
    "--client",
    "--jobmanager",
    "--taskmanager",
    "--one-executor",
    "--all-executors",
    "--app",
];

#[test]
fn the_help_of_a_command_shows_its_own_roles() {
    let executors = ["--executor", "--one-executor", "--all-executors"];
    for (command, own) in [
        ("submit", [executors.as_slice(), &["--driver"]].concat()),
        ("thrift-server", [executors.as_slice(), &["--driver"]].concat()),
        ("class", [executors.as_slice(), &["--driver", "--daemon"]].concat()),
        ("worker", [executors.as_slice(), &["--daemon", "--app"]].concat()),
        ("master", vec!["--daemon"]),
        ("history-server", vec!["--daemon"]),
        ("pipelines", vec!["--daemon"]),
        ("beeline", vec!["--daemon"]),
        ("flink", vec!["--client", "--jobmanager", "--taskmanager", "--daemon"]),
    ] {
        let help = Scene::new().run(&[command, "--help"]).expect(Some(0), "").stdout.clone();
        let text = String::from_utf8(help).unwrap();
        let shows = |option: &str| text.split_whitespace().any(|word| word.split(['[', '=']).next() == Some(option));
        for option in OF_ALL {
            assert!(shows(option), "{option}\n{text}");
        }
        for option in OF_SOME {
            assert_eq!(shows(option), own.contains(&option), "{option}\n{text}");
        }
        assert!(shows("--spark-home") && shows("--flink-home"), "{text}");
    }
}

#[test]
fn help_shows_the_grammar() {
    let help = Scene::new().run(&["submit", "--help"]).stdout;
    let text = String::from_utf8(help).unwrap();
    // `--` may be left out.
    assert!(text.contains("Usage: sparkdbg submit [OPTIONS] [--] [ARGS]..."), "{text}");
}

#[test]
fn the_version() {
    let scene = Scene::new();
    let version = concat!("sparkdbg ", env!("CARGO_PKG_VERSION"), "\n");
    scene.run(&["--version"]).expect(Some(0), "").prints(version);
    scene.run(&["-V"]).expect(Some(0), "").prints(version);
}

#[test]
fn help_for_commands_that_are_not_built() {
    let scene = Scene::new();
    let error = "error: `sparkdbg hub` is not in this version\n";
    scene.run(&["help", "hub"]).fails(2, error);
    scene.run(&["hub", "--help"]).fails(2, error);
}
