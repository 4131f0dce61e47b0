//! Values of secret keys are in no hint, no note, no `-v`, and in a dry run only on demand; the job gets them whole.

use crate::scene::{DRIVER, INJECTED, J, Scene};

const HOLE: &str = "\"${SPARKDBG_REDACTED:?run again with --show-secrets}\"";

/// Words with secrets in every place where one may stand; each holds `hunter`.
const WORDS: [&str; 10] = [
    "--conf",
    "spark.my.password=hunter1",
    "-c",
    "spark.hadoop.fs.s3a.access.key=hunter2",
    "--conf=spark.my.ClientSecret=hunter3",
    "--driver-java-options",
    "-Da=1 '-Dmy.token=hunter4 5' -Db=2",
    "--conf",
    "spark.executor.extraJavaOptions=-DaccessKey=hunter6",
    "app.jar",
];

#[test]
fn the_job_gets_them() {
    Scene::spark("4.3.0").merges(&WORDS, &[INJECTED.as_slice(), &WORDS].concat());
}

#[test]
fn a_dry_run_has_holes() {
    let scene = Scene::spark("4.3.0");
    let run = scene.run(&[["-q", "--dry-run", "submit", DRIVER, "--"].as_slice(), &WORDS].concat());
    run.expect(Some(0), "").prints(&format!(
        "@root/spark/bin/spark-submit --conf '{}' --conf {HOLE} -c {HOLE} {HOLE} --driver-java-options {HOLE} --conf \
         {HOLE} app.jar\n",
        INJECTED[1]
    ));
    let run = scene.run(&[["-q", "--dry-run=json", "submit", DRIVER, "--"].as_slice(), &WORDS].concat());
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(!text.contains("hunter"), "{run}");
    let plan: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(plan["redacted"], true, "{run}");
    assert_eq!(plan.as_object().unwrap().keys().next_back().unwrap(), "redacted", "behind the fixed keys");
}

#[test]
fn on_demand_it_has_none() {
    let scene = Scene::spark("4.3.0");
    let run = scene.run(&[["-q", "--dry-run", "--show-secrets", "submit", DRIVER, "--"].as_slice(), &WORDS].concat());
    run.expect(Some(0), "");
    let words = shell_words::split(std::str::from_utf8(&run.stdout).unwrap()).unwrap();
    assert_eq!(words[3..], WORDS);
    let plan = scene.json(&[["--show-secrets", "submit", DRIVER, "--"].as_slice(), &WORDS].concat());
    assert_eq!(plan["args"].as_array().unwrap()[2..], WORDS);
    assert_eq!(plan.get("redacted"), None);
}

#[test]
fn without_secrets_nothing_is_redacted() {
    let words = ["--conf", "spark.access=1", "--conf", "spark.key=2", "app.jar", "-Dkey=1", "password"];
    let plan = Scene::spark("4.3.0").json(&[["submit", DRIVER, "--"].as_slice(), &words].concat());
    assert_eq!(plan["args"].as_array().unwrap()[2..], words);
    assert_eq!(plan.get("redacted"), None);
}

#[test]
fn a_pasted_hole_starts_nothing() {
    let with_word = Scene::spark("4.3.0").script("spark/bin/spark-submit", "#!/bin/sh\ntouch @root/started\n");
    let with_variable = Scene::spark("4.3.0")
        .script("spark/bin/spark-submit", "#!/bin/sh\ntouch @root/started\n")
        .env("SPARK_SUBMIT_OPTS", format!("-Dpassword=hunter {J}"));
    for (scene, words) in [(with_word, WORDS.as_slice()), (with_variable, &["app.jar"])] {
        let dry = scene.run(&[["-q", "--dry-run", "submit", DRIVER, "--"].as_slice(), words].concat());
        let text = String::from_utf8(dry.stdout.clone()).unwrap();
        assert!(!text.contains("hunter") && text.contains(HOLE), "{dry}");
        for shell in ["/bin/sh", "/bin/bash", "/bin/dash", "/bin/zsh"] {
            if !std::path::Path::new(shell).exists() {
                continue;
            }
            let pasted = scene.run_program(shell, &["-c", &text]);
            assert_ne!(pasted.status.code(), Some(0), "{pasted}");
            assert!(pasted.stderr.contains("run again with --show-secrets"), "{pasted}");
            assert!(!scene.path("started").exists(), "{pasted}");
        }
    }
}

#[test]
fn variables_have_holes_too() {
    let scene = Scene::spark("4.3.0").env("SPARK_SUBMIT_OPTS", format!("-Dpassword=hunter {J}"));
    let run = scene.run(&["-q", "--dry-run", "submit", DRIVER, "app.jar"]);
    run.prints(&format!("SPARK_SUBMIT_OPTS={HOLE} @root/spark/bin/spark-submit --conf '{}' app.jar\n", INJECTED[1]));
    let run = scene.run(&["-q", "--dry-run=json", "submit", DRIVER, "app.jar"]);
    let plan: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(plan["redacted"], true, "{run}");
    assert!(!String::from_utf8_lossy(&run.stdout).contains("hunter"), "{run}");
}

#[test]
fn v_and_notes_have_stars() {
    let scene = Scene::spark("2.4.8").env("JAVA_TOOL_OPTIONS", format!("-Dmy.token=hunter1 {J}"));
    let value = "-Dmy.password=hunter2 -Da=1 '-Dtoken=hunter 3' -Xrunjdwp:transport=dt_socket,server=y,address=1";
    for dry in [["-v"].as_slice(), &["-v", "--dry-run"], &["-v", "--dry-run=json"]] {
        let run = scene.run(&[dry, &["submit", DRIVER, "--", "--driver-java-options", value, "app.jar"]].concat());
        assert_eq!(run.status.code(), Some(0), "{run}");
        assert!(!run.stderr.contains("hunter"), "{run}");
        let line = "  before: -Dmy.password=******** -Da=1 '-Dtoken=********' \
                    -Xrunjdwp:transport=dt_socket,server=y,address=1\n";
        assert!(run.stderr.contains(line), "{run}");
        if dry.len() > 1 {
            assert!(!String::from_utf8_lossy(&run.stdout).contains("hunter"), "{run}");
        }
    }
}

/// Errors end in the logs of a CI like everything else.
#[test]
fn errors_have_stars_too() {
    let scene = Scene::spark("4.3.0");
    for words in [
        ["--conf", "spark.driver.extraJavaOptions=-Dmy.token=hunter1 'x", "app.jar"].as_slice(),
        &["--conf", "spark.driver.extraJavaOptions=-Dmy.token=hunter1", "-Dpassword=hunter2", "app.jar"],
        &["--driver-java-options", "\"-Dpassword=hunter1", "-Dx=1\"", "app.jar"],
        &["--conf", "spark.my.password=\"hunter1", "hunter2\"", "app.jar"],
        &["-Dpassword=hunter1", "app.jar"],
        &["--driver-java-options", "-Dpassword=hunter1 - Xrunjdwp : x", "app.jar"],
    ] {
        let run = scene.run(&[["submit", DRIVER, "--"].as_slice(), words].concat());
        assert_eq!(run.status.code(), Some(2), "{run}");
        assert!(!run.stderr.contains("hunter"), "{run}");
    }
}

#[test]
fn the_helper_files_hold_none() {
    let scene = Scene::spark("4.3.0")
        .file("spark/conf/spark-env.sh", format!("export SPARK_SUBMIT_OPTS='-Dpassword=hunter {J}'\n"));
    let run = scene.run(&["-q", "--dry-run", "submit", DRIVER, "app.jar"]);
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(!text.contains("hunter") && text.contains(HOLE), "{run}");
    let grep = scene.run_program("grep", &["-r", "hunter", "@root/cache"]);
    assert_eq!(grep.status.code(), Some(1), "{grep}");
}

#[test]
fn sparkdbg_off_hides_them_too() {
    let scene = Scene::spark("4.3.0").env("SPARKDBG", "off");
    let run = scene.run(&["--dry-run", "submit", "--", "--conf", "spark.my.password=hunter", "app.jar"]);
    run.prints(&format!("@root/spark/bin/spark-submit --conf {HOLE} app.jar\n"));
}

/// Torn in the middle of a secret: neither half is shown.
#[test]
fn the_halves_of_a_torn_secret_are_hidden() {
    for words in [
        ["--driver-java-options", "\"-Da=1 -Dpassword=x", "hunter2\""],
        ["--conf", "spark.driver.extraJavaOptions=-Dpassword=\"x", "hunter2\""],
        ["--conf", "spark.my.password=\"x", "hunter2\""],
    ] {
        for tool in ["submit", "shell"] {
            let scene = Scene::spark("4.3.0");
            let run = scene.run(&[[tool, DRIVER, "--"].as_slice(), &words, &["a.jar"]].concat());
            assert!(!run.stderr.contains("hunter2"), "{run}");
        }
    }
}

#[test]
fn the_rest_of_a_torn_secret_is_not_said() {
    let words = ["--conf", "spark.driver.extraJavaOptions=-Dmy.password=a hunter2", "app.jar"];
    let scene = Scene::spark("4.3.0");
    let run = scene.run(&[["-q", "submit", DRIVER, "--"].as_slice(), &words].concat());
    let place = "spark.driver.extraJavaOptions (--conf, argument 2)";
    let warning = format!("warning: a word in {place} is no option: java will take it for the main class\n");
    run.expect(Some(0), &warning);
}
