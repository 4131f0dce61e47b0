//! Mistakes that Spark would report late, wrongly or not at all are found before it starts.

use crate::scene::{DRIVER, HINT, INJECTED, Scene};

#[track_caller]
fn refused(words: &[&str], status: i32, error: &str) {
    Scene::spark("4.3.0").run(&[["submit", DRIVER, "--"].as_slice(), words].concat()).fails(status, error);
}

/// Spark is started with the words as typed, after a warning.
#[track_caller]
fn warned(words: &[&str], warning: &str) {
    let scene = Scene::spark("4.3.0");
    let run = scene.run(&[["submit", DRIVER, "--"].as_slice(), words].concat());
    run.expect(Some(0), &format!("warning: {warning}\n{HINT}"));
    let expected: Vec<&str> = INJECTED.into_iter().chain(words.iter().copied()).collect();
    run.starts("spark/bin/spark-submit", &expected);
}

/// Q1, Q6, Q7: a shell or a tool split what belonged together.
#[test]
fn a_value_torn_at_its_blank() {
    refused(
        &["--conf", "spark.driver.extraJavaOptions=-Da=1", "-Db=2", "app.jar"],
        2,
        "error: `-Db=2` is no spark-submit option; it looks like the rest of --conf \
         spark.driver.extraJavaOptions=-Da=1\n\
         help: quote the whole value: --conf \"spark.driver.extraJavaOptions=-Da=1 -Db=2\"\n",
    );
    refused(
        &["--driver-java-options", "-Da=1", "-Db=2", "app.jar"],
        2,
        "error: `-Db=2` is no spark-submit option; it looks like the rest of --driver-java-options -Da=1\n\
         help: quote the whole value: --driver-java-options \"-Da=1 -Db=2\"\n",
    );
    refused(
        &["--conf", "spark.executor.extraJavaOptions=-Da=1", "-XX:+UseG1GC", "app.jar"],
        2,
        "error: `-XX:+UseG1GC` is no spark-submit option; it looks like the rest of --conf \
         spark.executor.extraJavaOptions=-Da=1\n\
         help: quote the whole value: --conf \"spark.executor.extraJavaOptions=-Da=1 -XX:+UseG1GC\"\n",
    );
}

/// Q2, Q3, Q5: quotes inside a variable are no quotes to the shell.
#[test]
fn quotes_that_reached_spark_submit_literally() {
    let array = "help: quotes inside a variable reach spark-submit as they are; use a bash array: ";
    refused(
        &["--driver-java-options", "\"-XX:+UseG1GC", "-Dc=f\"", "app.jar"],
        2,
        &format!(
            "error: `-Dc=f\"` is no spark-submit option; it looks like the rest of --driver-java-options \
             \"-XX:+UseG1GC\n{array}O=(--driver-java-options '-XX:+UseG1GC -Dc=f'); spark-submit \"${{O[@]}}\" …\n"
        ),
    );
    refused(
        &["--conf", "spark.driver.extraJavaOptions=\"-Da=1", "-Db=2\"", "app.jar"],
        2,
        &format!(
            "error: `-Db=2\"` is no spark-submit option; it looks like the rest of --conf \
             spark.driver.extraJavaOptions=\"-Da=1\n{array}O=(--conf 'spark.driver.extraJavaOptions=-Da=1 -Db=2'); \
             spark-submit \"${{O[@]}}\" …\n"
        ),
    );
    refused(
        &["--driver-java-options", "\"-XX:+UseG1GC", "c=f\"", "app.jar"],
        2,
        &format!(
            "error: `--driver-java-options \"-XX:+UseG1GC` and `c=f\"` are two halves of one quoted value\n{array}\
             O=(--driver-java-options '-XX:+UseG1GC c=f'); spark-submit \"${{O[@]}}\" …\n"
        ),
    );
}

/// Q10, Q11: with its place.
#[test]
fn an_open_quote_or_a_backslash_at_the_end() {
    refused(
        &["--conf", "spark.driver.extraJavaOptions=-Da='x y", "app.jar"],
        2,
        "error: spark.driver.extraJavaOptions (--conf, argument 2): the `'` at position 5 is never closed: -Da='x y\n\
         help: close the quote\n",
    );
    refused(
        &["--name", "n", "--driver-java-options=-Da=x\\", "app.jar"],
        2,
        "error: spark.driver.extraJavaOptions (--driver-java-options, argument 3): it ends in a backslash: -Da=x\\\n\
         help: double the backslash\n",
    );
    let file = Scene::spark("4.3.0")
        .file("spark/conf/spark-defaults.conf", "# x\n\nspark.driver.defaultJavaOptions \"-Da=1\n");
    file.run(&["submit", DRIVER, "app.jar"]).fails(
        125,
        "error: spark.driver.defaultJavaOptions (@root/spark/conf/spark-defaults.conf line 3): the `\"` at position 1 \
         is never closed: \"-Da=1\n\
         help: close the quote\n",
    );
    // A value that has lost to another is nobody's business.
    let words = ["--driver-java-options", "'", "--driver-java-options", "-Da", "app.jar"];
    let expected: Vec<&str> = INJECTED.into_iter().chain(words).collect();
    Scene::spark("4.3.0").merges(&words, &expected);
}

#[test]
fn an_open_quote_in_spark_submit_opts() {
    let run_of = |scene: Scene| {
        let run = scene.run(&["submit", DRIVER, "app.jar"]);
        assert_eq!(run.status.code(), Some(125), "the launcher would end in a stack trace\n{run}");
        assert!(run.stderr.contains("SPARK_SUBMIT_OPTS") && run.stderr.contains("is never closed"), "{run}");
    };
    run_of(Scene::spark("4.3.0").env("SPARK_SUBMIT_OPTS", "-Da='x"));
}

/// Q14.
#[test]
fn an_agent_torn_apart_by_blanks() {
    refused(
        &["--driver-java-options", "- Xdebug - Xrunjdwp : transport= dt_socket,server= y", "app.jar"],
        2,
        "error: spark.driver.extraJavaOptions (--driver-java-options, argument 2): `- Xrunjdwp` is torn apart by \
         blanks; write -agentlib:jdwp=transport=…,server=…: - Xdebug - Xrunjdwp : transport= dt_socket,server= y\n",
    );
}

#[test]
fn typographic_characters() {
    refused(
        &["--conf", "spark.driver.extraJavaOptions=“-Da=1 -Db=2”", "app.jar"],
        2,
        "error: spark.driver.extraJavaOptions (--conf, argument 2): `“-Da=1` begins with the typographic quote `“` \
         (U+201C); type `\"`: “-Da=1 -Db=2”\n",
    );
    refused(
        &["–class", "C", "app.jar"],
        2,
        "error: `–class` starts with a typographic dash, so Spark takes it for the application\n\
         help: write `--class` with plain hyphens\n",
    );
    refused(
        &["--driver-java-options", "–Da=1", "app.jar"],
        2,
        "error: spark.driver.extraJavaOptions (--driver-java-options, argument 2): `–Da=1` begins with the typographic \
         dash `–` (U+2013); type `-`: –Da=1\n",
    );
}

/// Q15.
#[test]
fn an_option_that_spark_never_had() {
    refused(
        &["--executor-java-options", "-Da=1", "app.jar"],
        2,
        "error: spark-submit has no `--executor-java-options`\n\
         help: use --conf spark.executor.extraJavaOptions=…\n",
    );
    refused(
        &["--clas", "C", "app.jar"],
        2,
        "error: `--clas` is no option of spark-submit\nhelp: did you mean `--class`?\n",
    );
    refused(
        &["--drivr-memory=1g", "app.jar"],
        2,
        "error: `--drivr-memory=1g` is no option of spark-submit\nhelp: did you mean `--driver-memory`?\n",
    );
    refused(
        &["-Dx=1", "app.jar"],
        2,
        "error: `-Dx=1` is an option of the JVM, not of spark-submit\nhelp: write --driver-java-options '-Dx=1'\n",
    );
    // What is not known here Spark may know: it says so itself if not.
    let words = ["--an-option-of-tomorrow", "app.jar"];
    let expected: Vec<&str> = INJECTED.into_iter().chain(words).collect();
    Scene::spark("4.3.0").merges(&words, &expected);
}

#[test]
fn an_option_of_a_newer_spark() {
    for (version, words, option, since) in [
        ("2.4.8", ["--remote", "sc://h", "app.jar"].as_slice(), "--remote", "3.4"),
        ("3.5.6", &["--load-spark-defaults", "app.jar"], "--load-spark-defaults", "4.0"),
        ("4.1.4", &["--extra-properties-file", "x", "app.jar"], "--extra-properties-file", "4.2"),
    ] {
        let scene = Scene::spark(version);
        let run = scene.run(&[["submit", DRIVER, "--"].as_slice(), words].concat());
        let error = format!("error: `{option}` is no option of Spark {version}\nhelp: it came with Spark {since}\n");
        run.fails(125, &error);
    }
}

#[test]
fn joined_values_that_spark_submit_does_not_take() {
    for word in ["--conf=", "--driver-java-options="] {
        let run_of = |scene: Scene| {
            let run = scene.run(&["submit", DRIVER, "--", word, "app.jar"]);
            assert_eq!(run.status.code(), Some(2), "{run}");
            assert!(run.stderr.starts_with(&format!("error: `{word}` has no value")), "{run}");
        };
        run_of(Scene::spark("4.3.0"));
    }
    let scene = Scene::spark("4.3.0");
    let run = scene.run(&["submit", DRIVER, "--", "--conf=spark.x=a\nb", "app.jar"]);
    assert_eq!(run.status.code(), Some(2), "{run}");
    assert!(run.stderr.contains("line break") && !run.stderr.contains("did you mean"), "{run}");
}

/// Q16: silently ignored by Spark, and not merged with.
#[test]
fn keys_that_are_nearly_right() {
    for key in ["spark.driver.extraJavaOption", " spark.driver.extraJavaOptions", "spark.driver.extrajavaoptions"] {
        let setting = format!("{key}=-Da=1");
        let warning = format!(
            "`{key}` (--conf, argument 2) is no key of Spark's, which ignores it; did you mean \
             spark.driver.extraJavaOptions?"
        );
        warned(&["--conf", &setting, "app.jar"], &warning);
    }
    warned(
        &["-c", "spark.executor.extraJavaOpts=-Da", "app.jar"],
        "`spark.executor.extraJavaOpts` (--conf, argument 2) is no key of Spark's, which ignores it; did you mean \
         spark.executor.extraJavaOptions?",
    );
    let file = Scene::spark("4.3.0").file("spark/conf/spark-defaults.conf", "\nspark.driver.extraJavaOption -Da\n");
    file.run(&["-q", "submit", DRIVER, "app.jar"]).expect(
        Some(0),
        "warning: `spark.driver.extraJavaOption` (@root/spark/conf/spark-defaults.conf line 2) is no key of Spark's, \
         which ignores it; did you mean spark.driver.extraJavaOptions?\n",
    );
    // Other people's keys are theirs.
    let words = ["--conf", "spark.driver.extraLibraryPath=/x", "--conf", "my.driver.extraJavaOptions=1", "app.jar"];
    let expected: Vec<&str> = INJECTED.into_iter().chain(words).collect();
    Scene::spark("4.3.0").merges(&words, &expected);
}

#[test]
fn a_word_that_java_will_take_for_the_main_class() {
    warned(
        &["--driver-java-options", "hello -Da=1", "app.jar"],
        "`hello` in spark.driver.extraJavaOptions (--driver-java-options, argument 2) is no option: java will take it \
         for the main class",
    );
    let words = ["--driver-java-options", "-cp /x --add-opens java.base/java.lang=ALL-UNNAMED -Da", "app.jar"];
    let expected: Vec<&str> = INJECTED.into_iter().chain(words).collect();
    Scene::spark("4.3.0").merges(&words, &expected);
}

/// Where Spark's options may stand anywhere, Spark hands the torn word to the application without a word.
#[test]
fn a_torn_value_in_a_shell() {
    let scene = Scene::spark("4.3.0");
    let words = ["-e", "select 1", "--driver-java-options", "-Dx=1", "-Dy=2"];
    let run = scene.run(&[["-q", "sql", DRIVER, "--"].as_slice(), &words].concat());
    run.expect(
        Some(0),
        "warning: `-Dy=2` looks like the rest of the option before it, but Spark hands it to the application: quote \
         the whole value\n",
    );
}

/// O15.
#[test]
fn a_variable_of_spark_1() {
    let scene = Scene::spark("4.3.0").env("SPARK_JAVA_OPTS", "-Da=1");
    scene
        .run(&["-q", "submit", DRIVER, "app.jar"])
        .expect(Some(0), "note: SPARK_JAVA_OPTS is set; Spark has ignored it since 2.0\n");
}

/// The other way to quote wrongly: `"--master yarn"`.
#[test]
fn option_and_value_in_one_word() {
    for word in ["--master yarn", "--driver-java-options -Da=1", "--conf spark.driver.extraJavaOptions=-Da=1", "-c a=b"]
    {
        let scene = Scene::spark("4.3.0");
        let run = scene.run(&["submit", DRIVER, "--", word, "app.jar"]);
        assert_eq!(run.status.code(), Some(2), "{run}");
        assert!(run.stderr.starts_with(&format!("error: `{word}` ")) && run.stderr.contains("quote"), "{run}");
    }
}

/// A word may come from somebody else's file: it must not command the terminal.
#[test]
fn messages_hold_no_control_characters() {
    let scene = Scene::spark("4.3.0");
    let run = scene.run(&["submit", DRIVER, "--", "--conf", "spark.driver.extraJavaOption\u{1b}[31m=1", "app.jar"]);
    assert!(!run.stderr.contains('\u{1b}'), "{run}");
    let run = scene.run(&["submit", "--\u{1b}[31mx"]);
    run.fails(
        2,
        "error: `--\\u{1b}[31mx` is not an option of `sparkdbg submit`\n\
         help: Spark's own options go after `--`: sparkdbg submit [OPTIONS] -- --\\u{1b}[31mx …\n",
    );
}
