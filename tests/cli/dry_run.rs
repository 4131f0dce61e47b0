//! `--dry-run`: a command that can be pasted and starts exactly the same, and JSON of a fixed shape.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt as _;

use serde_json::json;

use crate::scene::{DRIVER, HINT, INJECTED, J, SPARKDBG, Scene};

/// The shells of this machine in which a command may be pasted.
fn shells() -> Vec<&'static str> {
    ["/bin/sh", "/bin/bash", "/usr/bin/bash", "/bin/dash", "/usr/bin/dash", "/bin/ksh", "/usr/bin/zsh"]
        .into_iter()
        .filter(|shell| std::path::Path::new(shell).exists())
        .collect()
}

/// The text of a dry run, pasted into every shell, starts what the launch starts: program, words and variables.
#[track_caller]
pub fn pastes(scene: &Scene, args: &[impl AsRef<OsStr>]) {
    let launch = scene.run(&[OsStr::new("-q")].into_iter().chain(args.iter().map(AsRef::as_ref)).collect::<Vec<_>>());
    assert_eq!(launch.status.code(), Some(0), "{launch}");
    let dry: Vec<&OsStr> =
        ["-q", "--dry-run"].map(OsStr::new).into_iter().chain(args.iter().map(AsRef::as_ref)).collect();
    let dry = scene.run(&dry);
    assert_eq!(dry.status.code(), Some(0), "{dry}");
    assert_eq!(dry.stdout.iter().rev().take_while(|byte| **byte == b'\n').count(), 1, "one command\n{dry}");
    let keys = dry.stdout.iter().filter(|byte| byte.is_ascii_control() && **byte != b'\n').count();
    assert_eq!(keys, 0, "a control character is a key to an interactive shell\n{dry}");
    let text = OsString::from_vec(dry.stdout.clone());
    for shell in shells() {
        let pasted = scene.run_program(shell, &[OsStr::new("-c"), &text]);
        assert_eq!(pasted.child(), launch.child(), "in {shell}\n{dry}\n{pasted}");
    }
}

#[test]
fn the_text_is_one_command() {
    let scene = Scene::spark("4.3.0");
    let run = scene.run(&["--dry-run", "submit", DRIVER, "--", "--class", "org.example.App", "app.jar", "in put"]);
    run.expect(Some(0), HINT).prints(&format!(
        "@root/spark/bin/spark-submit --conf '{}' --class org.example.App app.jar 'in put'\n",
        INJECTED[1]
    ));
    let text =
        scene.run(&["--dry-run=text", "submit", DRIVER, "--", "--class", "org.example.App", "app.jar", "in put"]);
    assert_eq!(text.stdout, run.stdout);
}

#[test]
fn nothing_is_started() {
    let scene = Scene::spark("4.3.0").script("spark/bin/spark-submit", "#!/bin/sh\ntouch @root/started\n");
    scene.run(&["--dry-run", "submit", DRIVER, "app.jar"]).expect(Some(0), HINT);
    scene.run(&["--dry-run=json", "submit", DRIVER, "app.jar"]).expect(Some(0), "");
    assert!(!scene.path("started").exists());
}

#[test]
fn plain_words() {
    pastes(&Scene::spark("4.3.0"), &["submit", DRIVER, "--", "--class", "C", "app.jar", "input", "output"]);
    pastes(&Scene::spark("2.4.8"), &["submit", DRIVER, "--", "--driver-java-options", "-Da='1 2'", "app.jar"]);
    pastes(&Scene::spark("4.3.0"), &["submit", DRIVER, "--", "--version"]);
}

/// Q6.
#[test]
fn words_that_a_shell_would_take_apart() {
    pastes(
        &Scene::spark("4.3.0"),
        &[
            "submit",
            DRIVER,
            "--",
            "--name",
            "",
            "--conf",
            "spark.x=a b\tc",
            "--conf",
            "spark.driver.extraJavaOptions=-Da=\"x y\" -Db='$HOME `id` \\' -Dc=*",
            "app.jar",
            "two\nlines",
            "tail\n\n",
            "'",
            "\"",
            "\\",
            "$(id)",
            "`id`",
            "!x",
            "~",
            "#x",
            "a=b",
            "-n",
            "*",
            "{a,b}",
            "a;b",
            "a&b",
            "|",
            "<x",
            "é😀",
            "\u{1}",
            "\u{1b}[201~x\r\n\ty\t",
            "\t",
            "%s",
        ],
    );
}

#[test]
fn words_that_are_not_utf_8() {
    let mut args: Vec<OsString> = ["submit", DRIVER, "--", "app.jar"].map(OsString::from).to_vec();
    for word in [b"caf\xe9".as_slice(), b"\xff'\xfe\"$x", b"\xe9\n", b"\x80"] {
        args.push(OsString::from_vec(word.to_vec()));
    }
    pastes(&Scene::spark("4.3.0"), &args);
}

#[test]
fn a_home_that_needs_quotes() {
    let scene = Scene::new().home("it's my $park", Some("4.3.0"));
    pastes(&scene, &["--spark-home", "@root/it's my $park", "submit", DRIVER, "app.jar"]);
}

#[test]
fn a_program_that_looks_like_an_assignment() {
    let scene = Scene::new().home("a=b", Some("4.3.0"));
    pastes(&scene, &["--spark-home", "@root/a=b", "submit", DRIVER, "app.jar"]);
}

#[test]
fn variables_that_change_and_variables_that_go() {
    let scene = Scene::spark("4.3.0")
        .env("SPARK_SUBMIT_OPTS", J)
        .env("JAVA_TOOL_OPTIONS", format!("-Dx='1 2' {J} -Dy=$HOME"))
        .env("_JAVA_JDWP_OPTIONS", "suspend=n");
    pastes(&scene, &["submit", DRIVER, "app.jar"]);
    let run = scene.run(&["-q", "--dry-run", "submit", DRIVER, "app.jar"]);
    run.prints(&format!(
        "env -u SPARK_SUBMIT_OPTS -u _JAVA_JDWP_OPTIONS JAVA_TOOL_OPTIONS='-Dx='\\''1 2'\\'' -Dy=$HOME' \
         @root/spark/bin/spark-submit --conf '{}' app.jar\n",
        INJECTED[1]
    ));
    // A variable that is not UTF-8 and has to change.
    let mut value = scene.fill(&format!("{J} -Dcity=")).into_bytes();
    value.extend(b"K\xf6ln");
    let scene = Scene::spark("4.3.0").env("SPARK_SUBMIT_OPTS", OsString::from_vec(value));
    pastes(&scene, &["submit", DRIVER, "app.jar"]);
}

#[test]
fn the_home_is_a_variable() {
    let scene = Scene::new().home("spark", Some("4.3.0")).env("PATH", "@root/spark/bin:/usr/bin:/bin");
    let run = scene.run(&["-q", "--dry-run", "submit", DRIVER, "app.jar"]);
    run.prints(&format!("SPARK_HOME=@root/spark @root/spark/bin/spark-submit --conf '{}' app.jar\n", INJECTED[1]));
    pastes(&scene, &["submit", DRIVER, "app.jar"]);
}

#[test]
fn the_helper_conf_directory() {
    let scene =
        Scene::spark("4.3.0").file("spark/conf/spark-env.sh", format!("export JAVA_TOOL_OPTIONS=\"-Da='1 2' {J}\"\n"));
    pastes(&scene, &["submit", DRIVER, "app.jar"]);
}

#[test]
fn every_command() {
    let scene = Scene::spark("4.3.0").stand_in("bin/python").env("PATH", "@root/bin:/usr/bin:/bin");
    for command in
        ["shell", "sql", "pyspark", "r", "example", "connect-shell", "python", "connect-server", "thrift-server"]
    {
        pastes(&scene, &[command, DRIVER, "--", "x y"]);
    }
}

#[test]
fn the_json_of_a_plain_job() {
    let scene = Scene::spark("4.3.0");
    let run = scene.run(&["--dry-run=json", "submit", DRIVER, "--", "--class", "C", "app.jar"]);
    run.expect(Some(0), "").prints(
        r#"{
  "program": "@root/spark/bin/spark-submit",
  "args": [
    "--conf",
    "spark.driver.defaultJavaOptions=-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:@port",
    "--class",
    "C",
    "app.jar"
  ],
  "env": {},
  "files": [],
  "endpoints": [
    {
      "role": "driver",
      "mode": "attach",
      "host": "127.0.0.1",
      "port": @port,
      "suspend": true
    }
  ],
  "notes": [
    {
      "level": "hint",
      "code": "endpoint",
      "message": "driver waits for the debugger on 127.0.0.1:@port (IDE: \"Attach to remote JVM\", host 127.0.0.1, port @port); from another machine: ssh -L @port:127.0.0.1:@port @host"
    }
  ]
}
"#,
    );
}

#[test]
fn the_json_of_everything_else() {
    let scene = Scene::new()
        .home("spark", Some("4.3.0"))
        .env("PATH", "@root/spark/bin:/usr/bin:/bin")
        .env("SPARK_SUBMIT_OPTS", J)
        .env("JAVA_TOOL_OPTIONS", format!("-Da {J}"));
    let word = OsString::from_vec(b"caf\xe9".to_vec());
    let args = ["-q", "submit", "--attach", "0.0.0.0:@port", "--no-suspend", "--", "app.jar"].map(OsString::from);
    let plan = scene.json(&args.into_iter().chain([word]).collect::<Vec<_>>());
    let port: u16 = scene.port();
    let agent = format!("-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=0.0.0.0:{port}");
    let replaced = |name: &str| scene.fill(&format!("replaced: `{J}` in {name} in the environment"));
    let expected = json!({
        "program": scene.fill("@root/spark/bin/spark-submit"),
        "args": ["--conf", format!("spark.driver.defaultJavaOptions={agent}"), "app.jar", {"bytes": "Y2Fm6Q=="}],
        "env": {"JAVA_TOOL_OPTIONS": "-Da", "SPARK_HOME": scene.fill("@root/spark"), "SPARK_SUBMIT_OPTS": null},
        "files": [],
        "endpoints": [{"role": "driver", "mode": "attach", "host": "0.0.0.0", "port": port, "suspend": false}],
        "notes": [
            {"level": "note", "code": "replaced-agent", "message": replaced("JAVA_TOOL_OPTIONS")},
            {"level": "note", "code": "replaced-agent", "message": replaced("SPARK_SUBMIT_OPTS")},
            {"level": "warning", "code": "open-port",
             "message": format!("whoever reaches port {port} of `0.0.0.0` can run any code in the driver")},
        ],
    });
    assert_eq!(serde_json::to_string_pretty(&plan).unwrap(), serde_json::to_string_pretty(&expected).unwrap());
}

#[test]
fn an_ipv6_host_in_json_has_no_brackets() {
    let plan = Scene::spark("4.3.0").json(&["submit", "--attach", "[::1]:@port", "a"]);
    assert_eq!(plan["endpoints"][0]["host"], "::1");
}

#[test]
fn without_a_driver_there_is_no_endpoint() {
    let plan = Scene::spark("4.3.0").json(&["submit", DRIVER, "--", "--version"]);
    assert_eq!(plan["endpoints"], json!([]));
    let message = "nothing to debug: `--version` starts no driver; run as typed";
    assert_eq!(plan["notes"], json!([{"level": "note", "code": "nothing-to-debug", "message": message}]));
}

/// Rewriting twice is rewriting once: what one sparkdbg starts, another leaves alone but for its own agent.
#[test]
fn the_result_of_one_run_through_another() {
    let run_again = |scene: &Scene, words: &[&str]| {
        let once = scene.run(&[["-q", "submit", DRIVER, "--"].as_slice(), words].concat()).child();
        let again: Vec<OsString> =
            ["-q", "submit", DRIVER, "--"].map(OsString::from).into_iter().chain(once.args.iter().cloned()).collect();
        let twice = scene.run(&again);
        assert_eq!(twice.status.code(), Some(0), "{twice}");
        assert_eq!(twice.child().args, once.args, "{twice}");
    };
    for version in ["2.4.8", "3.5.6", "4.3.0"] {
        let scene = Scene::spark(version)
            .file("spark/conf/spark-defaults.conf", "spark.driver.extraJavaOptions -Dfile='1 2'\n")
            .file("work/p.conf", "spark.driver.extraJavaOptions -Dp=1\nspark.driver.defaultJavaOptions -Dd=1\n");
        for words in [
            ["app.jar", "x"].as_slice(),
            &["--driver-java-options", "-Da=1  -Db='2 3'", "app.jar"],
            &["--driver-java-options=-Da=1", "app.jar"],
            &["-c", "spark.driver.defaultJavaOptions=-Dd=1", "--driver-java-options", "", "app.jar"],
            &["--properties-file", "p.conf", "app.jar"],
            &["run-example", "SparkPi"],
            &["--master", "spark://h:7077", "--deploy-mode", "cluster", "app.jar"],
        ] {
            run_again(&scene, words);
        }
    }
}

#[test]
fn a_dry_run_of_a_dry_run_can_be_read_back() {
    // The text of a dry run split by the very rules of a shell gives the words of its JSON.
    let scene = Scene::spark("4.3.0");
    let args = ["submit", DRIVER, "--", "--name", "it's", "app.jar", "a\nb", "$x"];
    let text = scene.run(&[["-q", "--dry-run"].as_slice(), &args].concat());
    let words = shell_words::split(std::str::from_utf8(&text.stdout).unwrap()).unwrap();
    let plan = scene.json(&args);
    let expected: Vec<&str> = [&plan["program"]]
        .into_iter()
        .chain(plan["args"].as_array().unwrap())
        .map(|word| word.as_str().unwrap())
        .collect();
    assert_eq!(words, expected);
}

/// `| head -0`: whoever reads had enough.
#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let scene = Scene::spark("4.3.0");
    for dry in ["--dry-run", "--dry-run=json"] {
        // `sleep` first, so that the pipe is closed before anything is written.
        let script = "{ sleep 0.2; \"$0\" \"$@\"; echo $? >&2; } | :";
        let args = ["-c", script, SPARKDBG, "-q", dry, "submit", DRIVER, "app.jar"];
        scene.run_program("/bin/sh", &args).expect(Some(0), "0\n");
        let script = "\"$0\" \"$@\" | head -0";
        let args = ["-c", script, SPARKDBG, "-q", dry, "submit", DRIVER, "app.jar"];
        scene.run_program("/bin/sh", &args).expect(Some(0), "");
    }
    for word in ["--help", "--version"] {
        let script = "{ sleep 0.2; \"$0\" \"$@\"; echo $? >&2; } | :";
        scene.run_program("/bin/sh", &["-c", script, SPARKDBG, word]).expect(Some(0), "0\n");
    }
}

#[test]
fn a_full_disk_is_a_failure() {
    if !std::path::Path::new("/dev/full").exists() {
        return;
    }
    let scene = Scene::spark("4.3.0");
    let args = ["-c", "\"$0\" \"$@\" > /dev/full", SPARKDBG, "-q", "--dry-run", "submit", DRIVER, "app.jar"];
    let run = scene.run_program("/bin/sh", &args);
    let error = "error: standard output cannot be written: no space left on device\n";
    run.fails(125, error);
    for word in ["--help", "--version"] {
        scene.run_program("/bin/sh", &["-c", "\"$0\" \"$1\" > /dev/full", SPARKDBG, word]).fails(125, error);
    }
}

/// `env -u NAME` takes a program with `=` for an assignment.
#[test]
fn a_removed_variable_and_a_home_with_an_equals_sign() {
    let scene =
        Scene::new().home("a=b", Some("4.3.0")).env("SPARK_HOME", "@root/a=b").env("_JAVA_JDWP_OPTIONS", "quiet=y");
    pastes(&scene, &["submit", DRIVER, "app.jar", "x y"]);
}
