//! What executors get beside the options that they have already, and options with which they cannot start.

use crate::executors::{AGENT, DEFAULT, submit, with_conf};
use crate::scene::{DRIVER, HINT, J, NO_PAUSE, Scene};

const EXTRA: &str = "spark.executor.extraJavaOptions";

const YARN: [&str; 2] = ["--master", "yarn"];

/// `--executor` with these words behind `--master yarn`: what Spark gets, and all that is said but hints.
#[track_caller]
fn yarn(scene: &Scene, words: &[&str], notes: &str, conf: &[&str], expected: &[&str]) {
    let run = submit(scene, &["-q", "--executor"], &[&YARN, words].concat());
    let expected = with_conf(conf, &[&YARN, expected].concat());
    run.expect(Some(0), notes).starts("spark/bin/spark-submit", &expected);
}

/// Application code may replace the other key, and often does.
#[test]
fn the_agent_goes_in_front_of_the_default_key() {
    let ours = format!("{DEFAULT}={AGENT}");
    let scene = Scene::spark("3.0.3");
    let extra = format!("{EXTRA}=-Da=1 -Db='x  y'");
    yarn(&scene, &["-c", &extra, "a"], "", &[&ours], &["-c", &extra, "a"]);
    // Its own value stays, in place or from a file.
    let typed = format!("{DEFAULT}=-Dd=0 -XX:OnOutOfMemoryError='kill -9 %p'");
    let merged = format!("{DEFAULT}={AGENT} -Dd=0 -XX:OnOutOfMemoryError='kill -9 %p'");
    yarn(&scene, &["--conf", &typed, "a"], "", &[], &["--conf", &merged, "a"]);
    let twice = format!("{DEFAULT}=-Dlost=1");
    yarn(&scene, &["-c", &twice, "--conf", &typed, "a"], "", &[], &["-c", &twice, "--conf", &merged, "a"]);
    let file = Scene::spark("4.3.0").file("spark/conf/spark-defaults.conf", format!("{DEFAULT} -Dd=0\n"));
    yarn(&file, &["a"], "", &[&format!("{DEFAULT}={AGENT} -Dd=0")], &["a"]);
    // An open quote is the executors' own business: their splitter takes it.
    let open = format!("{DEFAULT}=-Da='x");
    yarn(&scene, &["-c", &open, "a"], "", &[], &["-c", &format!("{DEFAULT}={AGENT} -Da='x"), "a"]);
}

fn may_override(why: &str) -> String {
    format!("note: application code that sets {EXTRA} itself replaces the agent; {why}\n")
}

#[test]
fn spark_2_has_one_key() {
    let scene = Scene::spark("2.4.8");
    let note = may_override("Spark 2.4.8 has no key before it");
    let words =
        ["-c", "spark.executor.defaultJavaOptions=-Dno=effect", "-c", "spark.executor.extraJavaOptions=-Da=1", "a"];
    let merged = format!("{EXTRA}={AGENT} -Da=1");
    yarn(&scene, &words, &note, &[], &[&words[..3], &[&merged, "a"]].concat());
    yarn(&scene, &["a"], &note, &[&format!("{EXTRA}={AGENT}")], &["a"]);
}

/// SPARK-49984: an agent in it is on the command line three times, and no executor starts.
#[test]
fn spark_3_3_to_3_5_repeat_the_default_key() {
    for version in ["3.3.0", "3.5.6"] {
        let scene = Scene::spark(version);
        let note = may_override(&format!("Spark {version} repeats the key before it (SPARK-49984)"));
        let words = ["-c", "spark.executor.defaultJavaOptions=-Dd=0", "a"];
        yarn(&scene, &words, &note, &[&format!("{EXTRA}={AGENT}")], &words);
        let agent = format!("{DEFAULT}={J} -Dd=0");
        let words = ["-c", &agent, "a"];
        let notes = format!("note: replaced: `{J}` in {DEFAULT} (--conf, argument 4)\n{note}");
        let merged = format!("{DEFAULT}=-Dd=0");
        yarn(&scene, &words, &notes, &[&format!("{EXTRA}={AGENT}")], &["-c", &merged, "a"]);
        let kept = ["submit", NO_PAUSE, "--executor", "--existing=keep", "--", "--master", "yarn", "-c", &agent, "a"];
        let error = format!(
            "error: `{J}` in {DEFAULT} (--conf, argument 4) would keep the JVM from starting: this Spark repeats the key, \
             and a JVM loads one agent only (SPARK-49984)\nhelp: mend it, or let sparkdbg replace it: --existing=replace\n"
        );
        scene.run(&kept).fails(2, &error);
    }
    for version in ["3.0.3", "3.2.4", "4.0.0"] {
        yarn(&Scene::spark(version), &["a"], "", &[&format!("{DEFAULT}={AGENT}")], &["a"]);
    }
}

#[test]
fn a_spark_of_unknown_version_gets_the_key_that_every_version_takes() {
    let notes = format!(
        "note: the version of Spark in `@root/spark` is not known; using {EXTRA}, which every version takes\n{}",
        may_override("whether a key comes before it depends on the version")
    );
    yarn(&Scene::unknown_spark(), &["a"], &notes, &[&format!("{EXTRA}={AGENT}")], &["a"]);
}

/// O13, Q9: Spark says it once the driver is up, or never.
#[test]
fn what_keeps_executors_from_starting_is_refused_at_once() {
    let scene = Scene::spark("4.3.0");
    for (value, message, help) in [
        (
            "-Da=1 -Xmx1g",
            "`-Xmx1g` in @: Spark refuses a heap size in executor options",
            "use --executor-memory, or spark.executor.memory",
        ),
        // Anywhere in the value: SparkConf.validateSettings looks for the letters.
        (
            "-Da=b-Xmx",
            "`-Da=b-Xmx` in @: Spark refuses a heap size in executor options",
            "use --executor-memory, or spark.executor.memory",
        ),
        (
            "-Da=1 -Dspark.foo=bar",
            "`-Dspark.foo=bar` in @: Spark refuses `-Dspark` in executor options",
            "write it as a setting: --conf 'spark.foo=bar'",
        ),
        (
            "'-Dspark.foo=b c'",
            "`-Dspark.foo=b c` in @: Spark refuses `-Dspark` in executor options",
            "write it as a setting: --conf 'spark.foo=b c'",
        ),
        (
            "-Dspark.my.password=geheim",
            "`-Dspark.my.password=********` in @: Spark refuses `-Dspark` in executor options",
            "write it as a setting: --conf 'spark.my.password=********'",
        ),
        (
            "-Da=\"-Dspark.x=y\"",
            "`-Da=-Dspark.x=y` in @: Spark refuses `-Dspark` in executor options",
            "write it another way: Spark looks for these letters anywhere in the value",
        ),
        (
            "-Dsparkdbg.x=1",
            "`-Dsparkdbg.x=1` in @: Spark refuses `-Dspark` in executor options",
            "write it another way: Spark looks for these letters anywhere in the value",
        ),
        (
            "-Dc=x\\ y -Dd=1",
            "in @ a backslash does not protect a blank: java would take `y` for the main class",
            "write -Dc=\"x y\"",
        ),
        (
            "-Dmy.password=x\\ geheim",
            "in @ a backslash does not protect a blank: java would take what follows for the main class",
            "put the value in double quotes",
        ),
    ] {
        for key in [EXTRA, DEFAULT] {
            let setting = format!("{key}={value}");
            let words = ["--master", "yarn", "--conf", &setting, "a"];
            let message = message.replace('@', &format!("{key} (--conf, argument 4)"));
            submit(&scene, &["--executor"], &words).fails(2, &format!("error: {message}\nhelp: {help}\n"));
            // Where only the driver is debugged, it is the user's affair, and Spark's.
            let run = submit(&scene, &[DRIVER], &words);
            run.expect(Some(0), &format!("warning: {message}\n{HINT}"));
            assert_eq!(run.child().args[2..], words, "{run}");
            let file = Scene::spark("4.3.0").file("p.conf", format!("{key}={}\n", value.replace('\\', "\\\\")));
            let run = submit(&file, &["--executor"], &["--master", "yarn", "--properties-file", "@root/p.conf", "a"]);
            let message = message.replace("--conf, argument 4", "@root/p.conf line 1");
            run.fails(125, &format!("error: {message}\nhelp: {help}\n"));
        }
    }
}

#[test]
fn options_that_only_look_like_it_pass() {
    let scene = Scene::spark("4.3.0");
    for value in ["-Dc=x\\ -Dd=1", "-Dc='x\\ y'", "-Dc=\"x y\"", "-Xms1g -Xss2m", "-DSpark.x=1", "-Dx=spark.y"] {
        let extra = format!("{EXTRA}={value}");
        yarn(&scene, &["-c", &extra, "a"], "", &[&format!("{DEFAULT}={AGENT}")], &["-c", &extra, "a"]);
    }
    // The driver's own options are split by others, and may hold what they like.
    let driver = ["--driver-java-options", "-Dspark.a=1 -Dc=x\\ y", "a"];
    yarn(&scene, &driver, "", &[&format!("{DEFAULT}={AGENT}")], &driver);
}

#[test]
fn a_word_that_java_takes_for_the_main_class() {
    let scene = Scene::spark("4.3.0");
    let extra = format!("{EXTRA}=-Da=1 rest");
    let warning = format!(
        "warning: `rest` in {EXTRA} (--conf, argument 4) is no option: java will take it for the main class, and Spark \
         starts such executors again and again\n"
    );
    yarn(&scene, &["-c", &extra, "a"], &warning, &[&format!("{DEFAULT}={AGENT}")], &["-c", &extra, "a"]);
}

/// A client of Spark Connect starts neither.
#[test]
fn with_spark_connect_they_belong_to_the_server() {
    let scene = Scene::spark("4.3.0");
    submit(&scene, &["--executor"], &["--remote", "sc://h", "a.py"]).fails(
        2,
        "error: `sc://h` (--remote, argument 2) makes this a client of Spark Connect: the driver runs in the Connect \
         server, not in the JVM that is started here\n\
         help: debug the server where it is started: sparkdbg connect-server --executor\n",
    );
}

/// Words of a shell, of plain python and of a server carry it as those of spark-submit do.
#[test]
fn every_command_that_ends_in_spark_submit_takes_it() {
    let scene = Scene::spark("4.3.0").stand_in("bin/python").env("PATH", "@root/bin:/usr/bin:/bin");
    let ours = format!("{DEFAULT}={AGENT}");
    let ran = scene.run(&["-q", "shell", NO_PAUSE, "--executor", "--", "--master", "yarn"]);
    ran.expect(Some(0), "").starts("spark/bin/spark-shell", &with_conf(&[&ours], &YARN));
    let ran = scene.run(&["-q", "pyspark", NO_PAUSE, "--executor", "--", "--master", "yarn"]);
    ran.expect(Some(0), "").starts("spark/bin/pyspark", &with_conf(&[&ours], &YARN));
    // The Listening line of an executor goes to its own standard output, not to that of `sql`.
    let ran = scene.run(&["-q", "sql", NO_PAUSE, "--executor", "--", "--master", "yarn"]);
    ran.expect(Some(0), "").starts("spark/bin/spark-sql", &with_conf(&[&ours], &YARN));
    let scene = scene.env("PYSPARK_SUBMIT_ARGS", "--master yarn pyspark-shell");
    let ran = scene.run(&["-q", "python", NO_PAUSE, "--executor", "--", "app.py"]);
    let words = format!("--conf '{ours}' --master yarn pyspark-shell");
    ran.expect(Some(0), "").starts_with("bin/python", &["app.py"], &[("PYSPARK_SUBMIT_ARGS", Some(&words))]);
}

#[test]
fn each_has_its_own_agent_in_its_own_key() {
    let scene = Scene::spark("4.3.0");
    let words = ["--master", "yarn", "app.jar"];
    let run = submit(&scene, &["--driver=attach:@port", "--executor=attach:0"], &words);
    let driver = format!("spark.driver.defaultJavaOptions={}", crate::scene::AGENT);
    let executor = format!("{DEFAULT}={AGENT}");
    run.starts("spark/bin/spark-submit", &with_conf(&[&driver, &executor], &words));
    let hints: Vec<&str> = run.stderr.lines().map(|line| &line[..22]).collect();
    assert_eq!(hints, ["sparkdbg: driver waits", "sparkdbg: each executo"], "{run}");
    // On the cluster too, where each manager splits both.
    let cluster = ["--master", "yarn", "--deploy-mode", "cluster", "app.jar"];
    let run = submit(&scene, &["-q", "--driver=attach:@port", "--executor=attach:0"], &cluster);
    run.expect(Some(0), "").starts("spark/bin/spark-submit", &with_conf(&[&driver, &executor], &cluster));
}

/// X9: sockets that are in each other's way, as far as the words tell.
#[test]
fn one_port_for_both_is_refused() {
    let scene = Scene::spark("4.3.0").file("work/sparkdbg.toml", "[profile.p]\nexecutor = \"attach:5005\"\n");
    let words = ["--master", "yarn", "a"];
    for (driver, executor, places) in [
        ("attach:5005", "attach:5005", "127.0.0.1:5005"),
        ("attach:5005", "attach:0.0.0.0:5005", "127.0.0.1:5005 and 0.0.0.0:5005"),
        ("attach:[::]:5005", "attach:10.0.0.1:5005", "[::]:5005 and 10.0.0.1:5005"),
        ("attach:localhost:5005", "attach:5005", "localhost:5005 and 127.0.0.1:5005"),
    ] {
        let options = [format!("--driver={driver}"), format!("--executor={executor}")];
        submit(&scene, &[&options[0], &options[1]], &words).fails(
            2,
            &format!(
                "error: driver (--driver) and executor (--executor) have one place to meet the debugger, {places}\n\
                 help: give each its own port: --executor=attach:0\n"
            ),
        );
    }
    submit(&scene, &["--driver=listen:10.0.0.9:5005", "--executor=listen:10.0.0.9:5005"], &words).fails(
        2,
        "error: driver (--driver) and executor (--executor) have one place to meet the debugger, 10.0.0.9:5005\n\
         help: let the debugger listen on two ports, one for each\n",
    );
    scene.run(&["-p", "p", "submit", "--driver=attach:5005", "--executor", "--", "--master", "yarn", "a"]).fails(
        125,
        "error: driver (--driver) and executor (@root/work/sparkdbg.toml:2 (profile p)) have one place to meet the \
         debugger, 127.0.0.1:5005\nhelp: give each its own port: --executor=attach:0\n",
    );
    // Two addresses are two sockets, and one that listens is not in the way of one that dials.
    submit(&scene, &["-q", "--driver=attach:@port", "--executor=listen:10.0.0.9:@port"], &words).expect(Some(0), "");
    let run =
        submit(&scene, &["-q", "--driver=attach:@port", "--executor=attach:10.0.0.1:@port", "--one-executor"], &words);
    assert_eq!(run.status.code(), Some(0), "{run}");
}
