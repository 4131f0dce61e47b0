//! Which Spark runs.

use std::fs;

use crate::scene::{DRIVER, INJECTED, SPARKDBG, Scene, not_run};

const APP: [&str; 3] = [INJECTED[0], INJECTED[1], "app.jar"];
const EXTRA: &str =
    "spark.driver.extraJavaOptions=-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:@port";
const RUN: [&str; 4] = ["-q", "submit", DRIVER, "app.jar"];

/// Two Sparks, none named yet.
fn two_homes() -> Scene {
    Scene::new().home("spark", Some("4.3.0")).home("other", Some("3.5.6"))
}

#[test]
fn the_flag_wins_over_profile_variable_and_path() {
    let scene = two_homes()
        .env("SPARK_HOME", "@root/spark")
        .env("PATH", "@root/spark/bin:/usr/bin:/bin")
        .home("third", Some("4.0.0"))
        .file("work/sparkdbg.toml", "default-profile = \"p\"\n[profile.p]\nspark-home = \"@root/third\"\n");
    let run = scene.run(&["-q", "--spark-home", "@root/other", "submit", DRIVER, "app.jar"]);
    run.expect(Some(0), "");
    run.starts_with("other/bin/spark-submit", &APP, &[("SPARK_HOME", Some("@root/other"))]);
    let run = scene.run(&RUN);
    run.expect(Some(0), "");
    run.starts_with("third/bin/spark-submit", &APP, &[("SPARK_HOME", Some("@root/third"))]);
}

#[test]
fn the_variable_wins_over_the_path() {
    let scene = two_homes().env("SPARK_HOME", "@root/other").env("PATH", "@root/spark/bin:/usr/bin:/bin");
    scene.run(&RUN).expect(Some(0), "").starts("other/bin/spark-submit", &APP);
}

#[test]
fn the_one_on_the_path() {
    for home in [None, Some("")] {
        let mut scene = two_homes().env("PATH", "@root/none:@root/spark/bin:/usr/bin:/bin");
        if let Some(empty) = home {
            scene = scene.env("SPARK_HOME", empty);
        }
        let run = scene.run(&RUN);
        run.expect(Some(0), "");
        run.starts_with("spark/bin/spark-submit", &APP, &[("SPARK_HOME", Some("@root/spark"))]);
    }
}

#[test]
fn a_link_on_the_path() {
    let scene =
        two_homes().link("links/spark-submit", "spark/bin/spark-submit").env("PATH", "@root/links:/usr/bin:/bin");
    let run = scene.run(&RUN);
    run.expect(Some(0), "");
    run.starts_with("spark/bin/spark-submit", &APP, &[("SPARK_HOME", Some("@root/spark"))]);
}

#[test]
fn a_relative_flag_is_seen_from_the_working_directory() {
    let scene = two_homes();
    let run = scene.run(&["-q", "--spark-home", "../spark", "submit", DRIVER, "app.jar"]);
    let child = run.expect(Some(0), "").child();
    assert_eq!(fs::canonicalize(child.script).unwrap(), scene.path("spark/bin/spark-submit"), "{run}");
}

#[test]
fn a_wrapper_on_the_path_is_started_as_it_is_and_its_home_gives_the_version() {
    for wrapper in [
        // EMR's and Bigtop's.
        "#!/bin/bash\n\n# Autodetect JAVA_HOME if not defined\n. /usr/lib/bigtop-utils/bigtop-detect-javahome \
        2>/dev/null\n\
         exec @root/spark/bin/spark-submit \"$@\"\n",
        "#!/bin/bash\nexport SPARK_HOME=${SPARK_HOME:-@root/spark}\nexec $SPARK_HOME/bin/spark-submit \"$@\"\n",
        "#!/bin/sh\nSPARK_HOME=\"@root/spark\"\nexport SPARK_HOME\nexec \"${SPARK_HOME}/bin/spark-submit\" \"$@\"\n",
        "#!/bin/sh\n  exec env FOO=1 '@root/spark/bin/spark-submit' --conf spark.site=1 \"$@\"\n",
        // A word in a comment makes it no wrapper around us.
        "#!/bin/sh\n# to debug: sparkdbg submit\nexec @root/spark/bin/spark-submit \"$@\"\n",
    ] {
        // The wrapper only tells what it got; its `exec` line is read, not run.
        let tells = wrapper.replace("exec ", "printf '%s\\0' \"$0\" \"$#\" \"$@\"; env -0; exit\nexec ");
        let scene =
            two_homes().script("bin/spark-submit", &tells).env("PATH", "@root/bin:@root/other/bin:/usr/bin:/bin");
        let run = scene.run(&RUN);
        run.expect(Some(0), "");
        let child = run.child();
        assert_eq!(child.script, scene.path("bin/spark-submit"), "{run}");
        assert_eq!(child.args, scene.words(&APP), "{run}");
    }
}

#[test]
fn a_wrapper_whose_home_is_not_to_be_found() {
    let scene = two_homes().stand_in("bin/spark-submit").env("PATH", "@root/bin:@root/spark/bin:/usr/bin:/bin");
    if fs::metadata("/usr/lib/spark").is_ok() {
        not_run("this machine has a /usr/lib/spark: not tried");
        return;
    }
    let run = scene.run(&RUN);
    run.expect(
        Some(0),
        "note: the home of `@root/bin/spark-submit` was not found, so its version is not known; using \
         spark.driver.extraJavaOptions, which every version takes\n",
    );
    run.starts("bin/spark-submit", &["--conf", EXTRA, "app.jar"]);
}

#[test]
fn sparkdbg_on_the_path_is_skipped_by_what_it_is_not_by_its_name() {
    let path = "@root/bin:@root/spark/bin:/usr/bin:/bin";
    let home = [("SPARK_HOME", Some("@root/spark"))];
    let linked = two_homes().link("bin/spark-submit", SPARKDBG).env("PATH", path);
    linked.run(&RUN).expect(Some(0), "").starts_with("spark/bin/spark-submit", &APP, &home);

    let copied = two_homes().file("bin/x", "").env("PATH", path);
    if fs::hard_link(SPARKDBG, copied.path("bin/spark-submit")).is_ok() {
        copied.run(&RUN).expect(Some(0), "").starts_with("spark/bin/spark-submit", &APP, &home);
    } else {
        not_run("the temporary directory is on another file system: no hard link tried");
    }
}

#[test]
fn a_wrapper_that_calls_sparkdbg_is_skipped() {
    let scene = two_homes()
        .script("bin/spark-submit", "#!/bin/sh\nexec sparkdbg submit --driver -- \"$@\"\n")
        .env("PATH", "@root/bin:@root/spark/bin:/usr/bin:/bin");
    let run = scene.run(&RUN);
    run.expect(Some(0), "");
    run.starts_with("spark/bin/spark-submit", &APP, &[("SPARK_HOME", Some("@root/spark"))]);
}

#[test]
fn only_sparkdbg_on_the_path_is_nothing() {
    let scene = Scene::new().link("bin/spark-submit", SPARKDBG).env("PATH", "@root/bin");
    scene.run(&RUN).fails(
        127,
        "error: no Spark was found: `spark-submit` is not on PATH\n\
         help: name the distribution: --spark-home DIR, or SPARK_HOME\n",
    );
}

#[test]
fn a_home_whose_script_is_sparkdbg() {
    let scene = two_homes().without("spark/bin/spark-submit").link("spark/bin/spark-submit", SPARKDBG);
    scene.env("SPARK_HOME", "@root/spark").run(&RUN).fails(
        126,
        "error: `@root/spark/bin/spark-submit` (SPARK_HOME) leads back to sparkdbg\n\
         help: name the real distribution: --spark-home DIR\n",
    );
}

#[test]
fn a_pip_installed_pyspark_is_found_by_reading() {
    let packages = "venv/lib/python3.11/site-packages/pyspark";
    let home = [("SPARK_HOME", Some("@root/venv/lib/python3.11/site-packages/pyspark"))];
    let script = format!("{packages}/bin/spark-submit");
    // A python that is started shows itself: none is needed where a file can be read instead.
    let python = "#!/bin/sh\ntouch @root/python-ran\nexit 1\n";
    let scripts = Scene::new()
        .home(packages, Some("4.3.0"))
        .script("venv/bin/python3", python)
        .stand_in("venv/bin/spark-submit")
        .file("venv/bin/find_spark_home.py", "")
        .env("PATH", "@root/venv/bin:/usr/bin:/bin");
    let run = scripts.run(&RUN);
    run.expect(Some(0), "").starts_with(&script, &APP, &home);
    assert!(!scripts.path("python-ran").exists());

    // Without the scripts: `pip install --no-scripts`, or conda's way.
    let packages_only = scripts.without("venv/bin/spark-submit").without("venv/bin/find_spark_home.py");
    packages_only.run(&RUN).expect(Some(0), "").starts_with(&script, &APP, &home);
    assert!(!packages_only.path("python-ran").exists());
}

#[test]
fn pip_install_with_target() {
    let scene = Scene::new()
        .home("target/pyspark", Some("3.5.6"))
        .stand_in("target/bin/spark-submit")
        .file("target/bin/find_spark_home.py", "")
        .env("PATH", "@root/target/bin:/usr/bin:/bin");
    let run = scene.run(&RUN);
    run.expect(Some(0), "");
    run.starts_with("target/pyspark/bin/spark-submit", &APP, &[("SPARK_HOME", Some("@root/target/pyspark"))]);
}

/// A link to one of pip's scripts, in a directory without the others.
#[test]
fn a_link_to_a_script_of_pip() {
    let scene = Scene::new()
        .home("target/pyspark", Some("3.5.6"))
        .stand_in("target/bin/spark-submit")
        .stand_in("target/bin/spark-class")
        .file("target/bin/find_spark_home.py", "")
        .link("links/spark-submit", "target/bin/spark-submit")
        .env("PATH", "@root/links:/usr/bin:/bin");
    let run = scene.run(&RUN);
    run.expect(Some(0), "");
    run.starts_with("target/pyspark/bin/spark-submit", &APP, &[("SPARK_HOME", Some("@root/target/pyspark"))]);
}

#[test]
fn pyspark_on_the_pythonpath() {
    let scene = Scene::new()
        .home("site/pyspark", Some("4.3.0"))
        .script("bin/python3", "#!/bin/sh\nexit 1\n")
        .env("PYTHONPATH", "@root/nothing:@root/site")
        .env("PATH", "@root/bin");
    let plan = scene.json(&["submit", DRIVER, "app.jar"]);
    assert_eq!(plan["program"], scene.fill("@root/site/pyspark/bin/spark-submit"));
}

#[test]
fn nothing_anywhere() {
    let error = "error: no Spark was found: `spark-submit` is not on PATH\n\
                 help: name the distribution: --spark-home DIR, or SPARK_HOME\n";
    Scene::new().env("PATH", "@root/none").run(&RUN).fails(127, error);
    Scene::new().unset("PATH").run(&RUN).fails(127, error);
    let error = error.replace("spark-submit", "spark-sql");
    Scene::new().env("PATH", "@root/none").run(&["sql"]).fails(127, &error);
}

#[test]
fn a_home_that_is_none() {
    let help = "help: a Spark home is the directory that holds bin/spark-submit\n";
    let scene = Scene::new().env("SPARK_HOME", "@root/none");
    let error = format!(
        "error: `@root/none` (SPARK_HOME) is no Spark distribution: `@root/none/bin/spark-submit` is missing\n{help}"
    );
    scene.run(&RUN).fails(127, &error);
    let error = format!(
        "error: `@root/no` (--spark-home) is no Spark distribution: `@root/no/bin/spark-submit` is missing\n{help}"
    );
    scene.run(&["--spark-home", "@root/no", "submit", "a"]).fails(127, &error);
    let scene = scene.file("work/sparkdbg.toml", "[profile.p]\nspark-home = \"@root/gone\"\n");
    let error = format!(
        "error: `@root/gone` (@root/work/sparkdbg.toml:2 (profile p)) is no Spark distribution: \
         `@root/gone/bin/spark-submit` is missing\n{help}"
    );
    scene.run(&["-p", "p", "submit", "a"]).fails(127, &error);
}

#[test]
fn a_script_that_is_not_executable() {
    let scene = Scene::spark("4.3.0").mode("spark/bin/spark-submit", 0o644);
    let error =
        "error: `@root/spark/bin/spark-submit` is not executable\nhelp: chmod +x @root/spark/bin/spark-submit\n";
    scene.run(&RUN).fails(126, error);
    // As `env` and the shells do for one on PATH.
    let scene = scene.unset("SPARK_HOME").env("PATH", "@root/spark/bin");
    scene.run(&RUN).fails(126, error);
}

#[test]
fn a_script_without_its_interpreter() {
    let scene = Scene::spark("4.3.0").script("spark/bin/spark-submit", "#!/no/such/shell\n");
    scene.run(&RUN).fails(
        127,
        "error: `@root/spark/bin/spark-submit` cannot be started: no such file or directory\n\
         help: the interpreter of its first line may be missing\n",
    );
}

#[test]
fn a_script_that_came_with_a_later_spark() {
    let old = Scene::spark("2.4.8").without("spark/bin/spark-connect-shell");
    old.run(&["connect-shell", DRIVER]).fails(
        127,
        "error: Spark 2.4.8 has nothing for `sparkdbg connect-shell`\n\
         help: it came with Spark 3.4\n",
    );
    old.run(&["connect-server", DRIVER])
        .fails(127, "error: Spark 2.4.8 has nothing for `sparkdbg connect-server`\nhelp: it came with Spark 3.4\n");
    Scene::spark("4.3.0").without("spark/bin/sparkR").run(&["r", DRIVER]).fails(
        127,
        "error: the Spark in `@root/spark` has no `bin/sparkR`\nhelp: choose another distribution: --spark-home DIR\n",
    );
}

#[test]
fn the_version_is_read_from_the_jar_the_release_file_or_the_package() {
    let release =
        Scene::unknown_spark().file("spark/RELEASE", "Spark 3.5.1-amzn-0 (git revision x) built for Hadoop 3.3\n");
    release.run(&RUN).expect(Some(0), "").starts("spark/bin/spark-submit", &APP);
    let package = Scene::unknown_spark().file("spark/version.py", "# x\n__version__: str = \"4.1.4\"\n");
    package.run(&RUN).expect(Some(0), "").starts("spark/bin/spark-submit", &APP);
    // The jar is what runs.
    let both = Scene::spark("2.4.8").file("spark/RELEASE", "Spark 4.3.0 built for Hadoop 3.4\n");
    both.run(&RUN).expect(Some(0), "").starts("spark/bin/spark-submit", &["--conf", EXTRA, "app.jar"]);
    Scene::unknown_spark().run(&RUN).expect(
        Some(0),
        "note: the version of Spark in `@root/spark` is not known; using spark.driver.extraJavaOptions, which every \
         version takes\n",
    );
}

#[test]
fn every_command_runs_its_script() {
    let scene = Scene::spark("4.3.0");
    for (command, script) in [
        ("submit", "spark-submit"),
        ("shell", "spark-shell"),
        ("pyspark", "pyspark"),
        ("r", "sparkR"),
        ("example", "run-example"),
        ("connect-shell", "spark-connect-shell"),
    ] {
        scene
            .run(&["-q", command, DRIVER, "x"])
            .starts(&format!("spark/bin/{script}"), &[INJECTED[0], INJECTED[1], "x"]);
    }
    let quiet = format!("{},quiet=y", INJECTED[1]);
    let run = scene.run(&["-q", "sql", DRIVER, "--", "-e", "select 1"]);
    run.starts("spark/bin/spark-sql", &["--conf", &quiet, "-e", "select 1"]);
    for (command, class, name) in [
        ("connect-server", "org.apache.spark.sql.connect.service.SparkConnectServer", "Spark Connect server"),
        ("thrift-server", "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2", "Thrift JDBC/ODBC Server"),
    ] {
        let run = scene.run(&["-q", command, DRIVER, "--", "--master", "local[2]"]);
        let child = run.expect(Some(0), "").child();
        assert_eq!(child.script, scene.path("spark/bin/spark-submit"));
        let words = ["--class", class, "--name", name, INJECTED[0], INJECTED[1], "--master", "local[2]"];
        assert_eq!(child.args, scene.words(&words), "{run}");
    }
}

#[test]
fn a_home_with_a_blank() {
    let scene = Scene::new().home("my spark", Some("4.3.0")).env("SPARK_HOME", "@root/my spark");
    scene.run(&RUN).expect(Some(0), "").starts("my spark/bin/spark-submit", &APP);
}

/// `spark-shell` itself is not on PATH, but the wrapper of `spark-submit` knows the home.
#[test]
fn a_wrapper_of_spark_submit_leads_the_other_tools_home() {
    let wrapper = "#!/bin/bash\nif [ -d @root/spark ]; then\n  export SPARK_HOME=@root/spark # the site's\nfi\n\
                   if true; then exec $SPARK_HOME/bin/spark-submit \"$@\"; fi\n";
    let scene = Scene::new()
        .home("spark", Some("4.3.0"))
        .script("bin/spark-submit", wrapper)
        .env("PATH", "@root/bin:/usr/bin:/bin");
    let plan = scene.json(&["shell", DRIVER]);
    assert_eq!(plan["program"], scene.fill("@root/spark/bin/spark-shell"));
    let plan = scene.json(&["submit", DRIVER, "app.jar"]);
    assert_eq!(plan["program"], scene.fill("@root/bin/spark-submit"));
    assert_eq!(plan["args"][1], scene.fill(INJECTED[1]), "the version is known: the default key");
}
