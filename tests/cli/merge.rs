//! Where the agent goes, and that nothing which the user set is lost: the effective value of the key, found as Spark
//! finds it, with the agent in front of its raw text.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt as _;

use crate::scene::{AGENT, DRIVER, HINT, INJECTED, Scene};

const DEFAULT: &str = "spark.driver.defaultJavaOptions";
const EXTRA: &str = "spark.driver.extraJavaOptions";

/// `KEY=AGENT VALUE`.
fn with_agent(key: &str, value: &str) -> String {
    if value.is_empty() { format!("{key}={AGENT}") } else { format!("{key}={AGENT} {value}") }
}

/// `INJECTED`, then these.
fn injected<'a>(words: &[&'a str]) -> Vec<&'a str> {
    INJECTED.into_iter().chain(words.iter().copied()).collect()
}

fn extra_injected<'a>(word: &'a str, words: &[&'a str]) -> Vec<&'a str> {
    ["--conf", word].into_iter().chain(words.iter().copied()).collect()
}

mod since_3_0 {
    use super::*;

    #[test]
    fn what_the_user_typed_for_the_driver_is_not_touched() {
        for version in ["3.0.3", "3.5.6", "4.3.0"] {
            let scene = Scene::spark(version);
            for words in [
                ["app.jar"].as_slice(),
                &["--class", "org.example.App", "--master", "yarn", "app.jar", "input", "output"],
                &["--driver-java-options", "-Db=2 -Dc=3", "app.jar"],
                &["--driver-java-options=-Db=2", "app.jar"],
                &["--conf", "spark.driver.extraJavaOptions=-Da=1", "app.jar"],
                &["--conf=spark.driver.extraJavaOptions=-Da=1", "-c", "spark.driver.extraJavaOptions=-Da=2", "app.jar"],
                &["--conf", "spark.driver.extraJavaOptions=", "app.jar"],
                &["--driver-java-options", "", "app.jar"],
                // O11: Spark says itself what it thinks of that.
                &["--driver-java-options", "-Xmx1g", "app.jar"],
                // O17.
                &["--driver-java-options", "-ea", "app.jar"],
                // The application's own words.
                &["app.jar", "--conf", "spark.driver.defaultJavaOptions=-Da=1", "--driver-java-options", "-Db"],
                // Spark refuses the last one itself: an option without its value.
                &["app.jar", "--conf"],
                &["--master"],
                &["--name", "--conf", "app.jar"],
                &["-v", "--supervise", "--verbose=true", "app.jar"],
            ] {
                scene.merges(words, &injected(words));
            }
        }
    }

    /// O6: long values with quotes of their own, as EMR sets them.
    #[test]
    fn long_quoted_values_stay_as_they_are() {
        let emr = "spark.driver.extraJavaOptions=-XX:OnOutOfMemoryError='kill -9 %p' \
                   -XX:+IgnoreUnrecognizedVMOptions --add-opens=java.base/java.lang=ALL-UNNAMED";
        Scene::spark("4.3.0").merges(&["--conf", emr, "app.jar"], &injected(&["--conf", emr, "app.jar"]));
    }

    /// O5: the administrator's key is the one that is prepended to.
    #[test]
    fn a_typed_default_key_gets_the_agent_in_front() {
        let scene = Scene::spark("4.3.0");
        let merged = with_agent(DEFAULT, "-Dd=0");
        scene.merges(
            &["--driver-java-options", "-Da=1", "--conf", "spark.driver.defaultJavaOptions=-Dd=0", "app.jar"],
            &["--driver-java-options", "-Da=1", "--conf", &merged, "app.jar"],
        );
        let joined = format!("--conf={merged}");
        scene.merges(&["--conf=spark.driver.defaultJavaOptions=-Dd=0", "app.jar"], &[&joined, "app.jar"]);
        scene.merges(&["-c", "spark.driver.defaultJavaOptions=-Dd=0", "app.jar"], &["-c", &merged, "app.jar"]);
        let alone = with_agent(DEFAULT, "");
        scene.merges(&["-c", "spark.driver.defaultJavaOptions=", "app.jar"], &["-c", &alone, "app.jar"]);
    }

    #[test]
    fn the_last_occurrence_wins_and_the_others_stay_as_typed() {
        let merged = with_agent(DEFAULT, "-Dd=2");
        Scene::spark("4.3.0").merges(
            &["-c", "spark.driver.defaultJavaOptions=-Dd=1", "--conf=spark.driver.defaultJavaOptions=-Dd=2", "app.jar"],
            &["-c", "spark.driver.defaultJavaOptions=-Dd=1", &format!("--conf={merged}"), "app.jar"],
        );
    }

    /// O3: a script that adds its own `--conf` would lose the file's value.
    #[test]
    fn the_files_value_comes_along() {
        let scene = Scene::spark("4.3.0").file(
            "spark/conf/spark-defaults.conf",
            "spark.driver.extraJavaOptions -Dfile=1 -Dfile2=2\nspark.driver.defaultJavaOptions  -Dadmin=1\n",
        );
        let merged = with_agent(DEFAULT, "-Dadmin=1");
        scene.merges(&["app.jar"], &["--conf", &merged, "app.jar"]);
        // What is typed replaces the file's: both keys by themselves.
        let typed = ["--driver-java-options", "-Da=1", "app.jar"];
        scene.merges(&typed, &[&["--conf", merged.as_str()], typed.as_slice()].concat());
    }

    #[test]
    fn special_first_words_stay_first() {
        let scene = Scene::spark("4.3.0");
        for first in ["pyspark-shell-main", "sparkr-shell-main", "run-example"] {
            let [conf, word] = INJECTED;
            scene.merges(&[first, "SparkPi", "10"], &[first, conf, word, "SparkPi", "10"]);
            let merged = with_agent(DEFAULT, "-Dd=0");
            let key = "spark.driver.defaultJavaOptions=-Dd=0";
            scene.merges(&[first, "--conf", key, "SparkPi"], &[first, "--conf", &merged, "SparkPi"]);
        }
        // Anywhere else such a word is the application.
        scene.merges(
            &["--name", "x", "run-example", "--conf", "spark.driver.defaultJavaOptions=-Dd"],
            &injected(&["--name", "x", "run-example", "--conf", "spark.driver.defaultJavaOptions=-Dd"]),
        );
    }

    #[test]
    fn in_shells_options_count_wherever_they_stand() {
        let scene = Scene::spark("4.3.0");
        let merged = with_agent(DEFAULT, "-Dd=0");
        let words = ["-i", "init.scala", "--conf", "spark.driver.defaultJavaOptions=-Dd=0", "x"];
        let run = scene.run(&[["-q", "shell", DRIVER, "--"].as_slice(), &words].concat());
        run.expect(Some(0), "").starts("spark/bin/spark-shell", &["-i", "init.scala", "--conf", &merged, "x"]);
        let class = ["--class", "org.apache.spark.repl.Main", "x", "-c", "spark.driver.defaultJavaOptions=-Dd=0"];
        scene.merges(&class, &["--class", "org.apache.spark.repl.Main", "x", "-c", &merged]);
        // An option of Spark's that is eaten as another's value is not one.
        let eaten = ["-e", "--name", "--conf", "spark.driver.defaultJavaOptions=-Dd=0"];
        let run = scene.run(&[["-q", "shell", DRIVER, "--"].as_slice(), &eaten].concat());
        run.starts("spark/bin/spark-shell", &injected(&eaten));
    }

    #[test]
    fn the_quiet_agent_of_spark_sql() {
        let scene = Scene::spark("4.3.0");
        let word = format!("{},quiet=y", INJECTED[1]);
        let run = scene.run(&["sql", DRIVER, "--", "-e", "select 1"]);
        run.expect(Some(0), HINT).starts("spark/bin/spark-sql", &["--conf", &word, "-e", "select 1"]);
    }
}

/// 2.4 has no default key, and of an unknown version it is not known.
mod before_3_0 {
    use super::*;

    fn scenes() -> [(Scene, &'static str); 2] {
        let note = "note: the version of Spark in `@root/spark` is not known; using spark.driver.extraJavaOptions, \
                    which every version takes\n";
        [(Scene::spark("2.4.8"), ""), (Scene::unknown_spark(), note)]
    }

    fn merges(words: &[&str], expected: &[&str]) {
        for (scene, note) in scenes() {
            let run = scene.run(&[["-q", "submit", DRIVER, "--"].as_slice(), words].concat());
            run.expect(Some(0), note).starts("spark/bin/spark-submit", expected);
        }
    }

    #[test]
    fn one_conf_is_inserted_where_nobody_set_the_key() {
        let merged = with_agent(EXTRA, "");
        merges(&["--class", "C", "app.jar", "x"], &extra_injected(&merged, &["--class", "C", "app.jar", "x"]));
        merges(&["run-example", "SparkPi"], &["run-example", "--conf", &merged, "SparkPi"]);
    }

    /// O2.
    #[test]
    fn both_spellings_are_one_key_and_the_last_wins() {
        let merged = format!("{AGENT} -Db=2 -Dc=3");
        merges(
            &["--conf", "spark.driver.extraJavaOptions=-Da=1", "--driver-java-options", "-Db=2 -Dc=3", "app.jar"],
            &["--conf", "spark.driver.extraJavaOptions=-Da=1", "--driver-java-options", &merged, "app.jar"],
        );
        let merged = with_agent(EXTRA, "-Da=1");
        merges(
            &["--driver-java-options", "-Db=2 -Dc=3", "--conf", "spark.driver.extraJavaOptions=-Da=1", "app.jar"],
            &["--driver-java-options", "-Db=2 -Dc=3", "--conf", &merged, "app.jar"],
        );
    }

    #[test]
    fn every_spelling_is_rewritten_in_place() {
        let merged = with_agent(EXTRA, "-Da=1");
        merges(&["-c", "spark.driver.extraJavaOptions=-Da=1", "app.jar"], &["-c", &merged, "app.jar"]);
        let joined = format!("--conf={merged}");
        merges(&["--conf=spark.driver.extraJavaOptions=-Da=1", "app.jar"], &[&joined, "app.jar"]);
        let option = format!("--driver-java-options={AGENT} -Da=1");
        merges(&["--driver-java-options=-Da=1", "app.jar"], &[&option, "app.jar"]);
        merges(&["--driver-java-options", "", "app.jar"], &["--driver-java-options", AGENT, "app.jar"]);
    }

    #[test]
    fn raw_text_stays_raw() {
        for value in [
            "-XX:OnOutOfMemoryError='kill -9 %p' -XX:+IgnoreUnrecognizedVMOptions",
            "-Da=\"x y\"  -Db=1\t-Dc=2 ",
            "-Da=1\n-Db=2",
            r"-Dwin=C:\\tmp -Da=b\ c",
            "-Dé=ü😀",
        ] {
            let merged = format!("{AGENT} {value}");
            merges(&["--driver-java-options", value, "app.jar"], &["--driver-java-options", &merged, "app.jar"]);
        }
    }

    #[test]
    fn bytes_that_are_no_text_stay() {
        let value = |prefix: &str| {
            let mut bytes = prefix.as_bytes().to_vec();
            bytes.extend(b"-Dcity=K\xf6ln -Db='\xff x'");
            OsString::from_vec(bytes)
        };
        let scene = Scene::spark("2.4.8");
        let merged = scene.merged(&[OsStr::new("--driver-java-options"), &value(""), OsStr::new("app.jar")]);
        let agent = scene.fill(&format!("{AGENT} "));
        assert_eq!(merged, [OsString::from("--driver-java-options"), value(&agent), "app.jar".into()]);
    }

    #[test]
    fn application_arguments_are_not_looked_at() {
        let merged = with_agent(EXTRA, "");
        let words = ["app.jar", "--conf", "spark.driver.extraJavaOptions=-Da=1"];
        merges(&words, &extra_injected(&merged, &words));
    }

    /// OBS 2.4.8: a default key does nothing there.
    #[test]
    fn a_default_key_is_left_alone() {
        let merged = with_agent(EXTRA, "");
        let words = ["--conf", "spark.driver.defaultJavaOptions=-Dd=0", "app.jar"];
        merges(&words, &extra_injected(&merged, &words));
    }

    #[test]
    fn the_files_value_comes_along() {
        let scene = Scene::spark("2.4.8").file(
            "spark/conf/spark-defaults.conf",
            "spark.driver.extraJavaOptions -Dfile=1 -Dfile2=2\nspark.driver.defaultJavaOptions -Dd=0\n",
        );
        scene.merges(&["app.jar"], &["--conf", &with_agent(EXTRA, "-Dfile=1 -Dfile2=2"), "app.jar"]);
    }
}

/// Which files count, and how they are read.
mod files {
    use super::*;

    /// The value that the agent is put in front of, on 2.4.8.
    #[track_caller]
    fn finds(scene: &Scene, words: &[&str], value: &str) {
        scene.merges(words, &extra_injected(&with_agent(EXTRA, value), words));
    }

    const KEY: &str = "spark.driver.extraJavaOptions";

    #[test]
    fn a_properties_file_hides_the_defaults() {
        let scene = Scene::spark("2.4.8")
            .file("spark/conf/spark-defaults.conf", format!("{KEY} -Ddefaults=1\n"))
            .file("work/p.conf", format!("{KEY} -Dp=1\n"))
            .file("work/empty.conf", "spark.x 1\n");
        finds(&scene, &["app.jar"], "-Ddefaults=1");
        finds(&scene, &["--properties-file", "p.conf", "app.jar"], "-Dp=1");
        finds(&scene, &["--properties-file=@root/work/p.conf", "app.jar"], "-Dp=1");
        finds(&scene, &["--properties-file", "empty.conf", "app.jar"], "");
        finds(&scene, &["--properties-file", "p.conf", "--properties-file", "empty.conf", "app.jar"], "");
        finds(&scene, &["app.jar", "--properties-file", "p.conf"], "-Ddefaults=1");
    }

    #[test]
    fn later_files_of_newer_sparks_win() {
        let scene = Scene::unknown_spark()
            .file("spark/RELEASE", "Spark 4.3.0 built for Hadoop\n")
            .file("spark/conf/spark-defaults.conf", "spark.driver.defaultJavaOptions -Ddefaults=1\n")
            .file("work/p.conf", "spark.driver.defaultJavaOptions -Dp=1\n")
            .file("work/a.conf", "spark.driver.defaultJavaOptions -Da=1\n")
            .file("work/b.conf", "spark.driver.defaultJavaOptions -Db=1\n")
            .file("work/empty.conf", "spark.x 1\n");
        let finds = |words: &[&str], value: &str| {
            scene.merges(words, &extra_injected(&with_agent(DEFAULT, value), words));
        };
        finds(&["--properties-file", "p.conf", "--extra-properties-file", "a.conf", "app.jar"], "-Da=1");
        finds(&["--extra-properties-file", "a.conf", "--properties-file", "p.conf", "app.jar"], "-Da=1");
        finds(&["--extra-properties-file=a.conf", "--extra-properties-file=b.conf", "app.jar"], "-Db=1");
        finds(&["--extra-properties-file", "empty.conf", "app.jar"], "-Ddefaults=1");
        finds(&["--properties-file", "empty.conf", "app.jar"], "");
        finds(&["--properties-file", "empty.conf", "--load-spark-defaults", "app.jar"], "-Ddefaults=1");
        finds(&["--properties-file", "p.conf", "--load-spark-defaults", "app.jar"], "-Dp=1");
    }

    #[test]
    fn files_are_read_as_java_does() {
        for (text, value) in [
            (format!("{KEY}=-Da=1"), "-Da=1"),
            (format!("  {KEY} : -Da=1  \n"), "-Da=1"),
            (format!("{KEY}\t-Da=1 -Db=2\r\n"), "-Da=1 -Db=2"),
            (format!("# {KEY} -Dno\n! x\n{KEY} -Da=1\\\n   -Db=2\n"), "-Da=1-Db=2"),
            (format!("{KEY} -Da=1\n{KEY} -Da=2\n"), "-Da=2"),
            (format!("{KEY} -Da=\\u00e9\\uD83D\\uDE00\n"), "-Da=é😀"),
            (format!("{KEY} -Dwin=C:\\\\\\\\tmp\n"), r"-Dwin=C:\\tmp"),
            ("my\\:key=a=b\nmy\\ key -Dno\n".to_owned() + KEY + "\\\n  =-Da=1", "-Da=1"),
            (format!("{KEY}\n"), ""),
            (format!("{KEY} -Da='x y' \"-Db=2 3\"\n"), "-Da='x y' \"-Db=2 3\""),
        ] {
            let scene = Scene::spark("2.4.8").file("spark/conf/spark-defaults.conf", &text);
            let words = ["app.jar"];
            if value.is_empty() {
                finds(&scene, &words, "");
            } else {
                finds(&scene, &words, value);
            }
        }
    }

    #[test]
    fn the_conf_dir_of_the_environment() {
        let scene = Scene::spark("2.4.8")
            .file("spark/conf/spark-defaults.conf", format!("{KEY} -Dhome=1\n"))
            .file("etc/spark-defaults.conf", format!("{KEY} -Detc=1\n"))
            .env("SPARK_CONF_DIR", "@root/etc");
        finds(&scene, &["app.jar"], "-Detc=1");
        // Relative ones are seen from the working directory, as in Spark's scripts.
        let scene = scene.env("SPARK_CONF_DIR", "../etc");
        finds(&scene, &["app.jar"], "-Detc=1");
        finds(&scene.env("SPARK_CONF_DIR", ""), &["app.jar"], "-Dhome=1");
    }

    #[test]
    fn a_missing_or_broken_file_is_named() {
        let scene = Scene::spark("4.3.0").file("work/bad.conf", "a 1\nb \\u00zz\n");
        scene
            .run(&["submit", DRIVER, "--", "--properties-file", "no.conf", "app.jar"])
            .fails(125, "error: `--properties-file no.conf`: there is no such file\n");
        scene
            .run(&["submit", DRIVER, "--", "--extra-properties-file=no.conf", "app.jar"])
            .fails(125, "error: `--extra-properties-file no.conf`: there is no such file\n");
        scene.run(&["submit", DRIVER, "--", "--properties-file", "bad.conf", "app.jar"]).fails(
            125,
            "error: `@root/work/bad.conf` line 2: `\\u` is not followed by four hexadecimal digits; Spark refuses the \
             file\n",
        );
    }
}

/// `--version` and the like start no driver.
#[test]
fn where_nothing_is_to_be_debugged_nothing_is_injected() {
    let scene = Scene::spark("4.3.0");
    for (words, option) in [
        (["--version"].as_slice(), "--version"),
        (&["--help"], "--help"),
        (&["-h"], "--help"),
        (&["--conf", "spark.x=1", "--version", "app.jar"], "--version"),
        (&["--kill", "driver-1", "--master", "spark://h:6066"], "--kill"),
        (&["--status=driver-1"], "--status"),
        (&["--usage-error"], "--usage-error"),
    ] {
        let run = scene.run(&[["submit", DRIVER, "--"].as_slice(), words].concat());
        let note = format!("note: nothing to debug: `{option}` starts no driver; run as typed\n");
        run.expect(Some(0), &note).starts("spark/bin/spark-submit", words);
    }
    let none: [&str; 0] = [];
    let note = "note: nothing to debug: `spark-submit` without arguments starts no driver; run as typed\n";
    scene.run(&["submit", DRIVER]).expect(Some(0), note).starts("spark/bin/spark-submit", &none);
    scene.run(&["submit", DRIVER, "--"]).expect(Some(0), note).starts("spark/bin/spark-submit", &none);
    // As the application's own word it is nothing special.
    scene.merges(&["app.jar", "--version"], &injected(&["app.jar", "--version"]));
    scene.run(&["-q", "shell", DRIVER]).expect(Some(0), "").starts("spark/bin/spark-shell", &INJECTED);
    let run = scene.run(&["shell", DRIVER, "--", "--version"]);
    let note = "note: nothing to debug: `--version` starts no driver; run as typed\n";
    run.expect(Some(0), note).starts("spark/bin/spark-shell", &["--version"]);
}

#[test]
fn where_nothing_is_to_be_debugged_nothing_is_checked() {
    // Neither the port nor an agent that is there, nor the Java.
    let scene = Scene::spark("4.3.0").env("JAVA_TOOL_OPTIONS", "-agentlib:jdwp=transport=dt_socket,server=y,address=1");
    let run = scene.run(&["submit", "--listen", "@port", "--existing=fail", "--", "--version"]);
    let note = "note: nothing to debug: `--version` starts no driver; run as typed\n";
    run.expect(Some(0), note).starts("spark/bin/spark-submit", &["--version"]);
    // But for a home that a project chose: it decides what runs, whatever is started.
    let scene = Scene::spark("4.3.0")
        .stand_in("spark/bin/spark-class")
        .file("work/sparkdbg.toml", "[profile.p]\nspark-home = \"@root/spark\"\n");
    let home = "sparkdbg: Spark is `@root/spark`, from @root/work/sparkdbg.toml:2 (profile p)\n";
    for (command, word, starts) in [("submit", "--version", "driver"), ("master", "--help", "daemon")] {
        let note = format!("{home}note: nothing to debug: `{word}` starts no {starts}; run as typed\n");
        scene.run(&["-p", "p", command, "--", word]).expect(Some(0), &note);
    }
}
