//! Commands that `spark-submit` refuses, or that it cannot run. `tests/real/doctor.rs` has each refused by real ones.

use super::{jar, tells, well};
use crate::scene::{DRIVER, Scene};

#[track_caller]
fn says(scene: &Scene, words: &[&str], topic: &str, expected: &[&str]) {
    tells(scene, &[&["doctor", DRIVER, "--"], words].concat(), topic, expected);
}

fn old(version: &str) -> Scene {
    super::at_home(Scene::spark(version).stand_in("java/bin/java"))
}

#[test]
fn numbers_that_are_not_above_zero() {
    let size = "Spark refuses what is not a size above 0, such as `2g`; write one, or take it out";
    let number = "Spark refuses what is not a whole number above 0; write one, or take it out";
    for (option, key, value, wanted) in [
        ("--driver-memory", "spark.driver.memory", "1x", size),
        ("--executor-memory", "spark.executor.memory", "0", size),
        ("--driver-cores", "spark.driver.cores", "0", number),
        ("--executor-cores", "spark.executor.cores", "0", number),
        ("--total-executor-cores", "spark.cores.max", "-1", number),
        ("--num-executors", "spark.executor.instances", "x", number),
    ] {
        let said = format!("fail {key} ({option}, argument 2) is `{value}`: {wanted}");
        says(&well(), &[option, value, "app.jar"], "options", &[&said]);
        let scene = well().file("spark/conf/spark-defaults.conf", format!("{key} {value}\n"));
        let said = format!("fail {key} (@root/spark/conf/spark-defaults.conf line 1) is `{value}`: {wanted}");
        says(&scene, &["app.jar"], "options", &[&said]);
    }
    let dynamic = ["--num-executors", "0", "--conf", "spark.dynamicAllocation.enabled=true", "app.jar"];
    says(&well(), &dynamic, "options", &[]);
    // Spark 2.4 does not look at them.
    says(&old("2.4.8"), &["--driver-cores", "0", "app.jar"], "options", &[]);
    says(&old("2.4.8"), &["--executor-cores", "2", "--executor-memory", "1g", "app.jar"], "options", &[]);
}

/// Spark takes `gb`, and hands it to java.
#[test]
fn a_heap_that_java_refuses() {
    let said = "fail spark.driver.memory (--driver-memory, argument 2) is `1gb`, with which java does not start; write a \
                number and `m` or `g`";
    says(&well(), &["--driver-memory", "1gb", "app.jar"], "options", &[said]);
    says(&well(), &["--driver-memory", "1g", "app.jar"], "options", &[]);
    let cluster =
        ["--driver-memory", "1gb", "--master", "spark://127.0.0.1:7077", "--deploy-mode", "cluster", "app.jar"];
    says(&well(), &cluster, "options", &[]);
}

#[test]
fn words_that_are_no_options() {
    let said = "fail `--bogus` (argument 1) is no option of spark-submit; take it out; what is for the application goes \
                behind it";
    says(&well(), &["--bogus", "app.jar"], "options", &[said]);
    let said = "fail `--name` (argument 3) has no value: Spark refuses it; write the value, or take it out";
    says(&well(), &["--master", "local", "--name"], "options", &[said]);
    let said = "fail `x` (argument 2) is no KEY=VALUE: Spark refuses it; write the value, or take it out";
    says(&well(), &["--conf", "x", "app.jar"], "options", &[said]);
    // A Spark that is not known yet.
    let said = "warn `--bogus` (argument 1) is no option of spark-submit; take it out; what is for the application goes \
                behind it";
    says(&old("4.4.0"), &["--bogus", "app.jar"], "options", &[said]);
}

#[test]
fn two_that_exclude_each_other() {
    let said = "fail `a` (--proxy-user, argument 2) and `b` (--principal, argument 4) exclude each other; take one of them \
                out";
    says(&well(), &["--proxy-user", "a", "--principal", "b", "app.jar"], "options", &[said]);
    let said = "fail `sc://h` (--remote, argument 2) and `local` (--master, argument 4) exclude each other; take one of \
                them out";
    let words = ["--remote", "sc://h", "--master", "local", "app.py"];
    let connect = "ok `sc://h` (--remote, argument 2): the driver runs in that Connect server, and a client of it here";
    says(&well(), &words[..2].iter().chain(&words[4..]).copied().collect::<Vec<_>>(), "deployment", &[connect]);
    says(&well(), &words, "deployment", &[said]);
}

#[test]
fn a_master_that_is_none() {
    let cure = "write local[N], spark://HOST:PORT, yarn or k8s://URL";
    for master in ["bla", "", "k8s:x"] {
        let said = format!("fail master `{master}` (--master, argument 2): Spark knows no such master; {cure}");
        says(&well(), &["--master", master, "app.jar"], "deployment", &[&said]);
    }
    // The application may set another.
    for (master, tasks) in [("local[1", "the tasks run in it"), ("sparkx", "executors on the cluster")] {
        let ok = format!("ok master `{master}` (--master, argument 2): the driver runs on this machine, {tasks}");
        let said = format!(
            "warn master `{master}` (--master, argument 2): Spark does not start with it, unless the application names \
             another; {cure}"
        );
        says(&well(), &["--master", master, "app.jar"], "deployment", &[&ok, &said]);
    }
    let gone = format!("fail master `mesos://h` (--master, argument 2): Spark knows no such master; {cure}");
    says(&well(), &["--master", "mesos://h", "app.jar"], "deployment", &[&gone]);
    let ok = "ok master `mesos://h` (--master, argument 2): the driver runs on this machine, executors on the cluster";
    says(&old("3.5.6"), &["--master", "mesos://h", "app.jar"], "deployment", &[ok]);
}

#[test]
fn what_has_no_cluster_mode() {
    let mode = ["--deploy-mode", "cluster", "app.jar"];
    let said = "fail deploy mode `cluster` (--deploy-mode, argument 2): no master is named, and on `local[*]` Spark has no \
                cluster for the driver; name one: --master MASTER";
    says(&well(), &mode, "deployment", &[said]);
    let cure = "leave it out, or choose `client`";
    let place = "deploy mode `cluster` (--deploy-mode, argument 4)";
    for master in ["local", "local-cluster[1,1,1024]"] {
        let said = format!("fail {place}: master `{master}` has no cluster for the driver; {cure}");
        says(&well(), &[&["--master", master][..], &mode].concat(), "deployment", &[&said]);
    }
    let standalone = ["--master", "spark://127.0.0.1:7077", "--deploy-mode", "cluster"];
    for (words, name) in [
        (&["app.py"][..], "a Python application"),
        (&["app.R"], "an R application"),
        (&["spark-shell"], "a shell"),
        (&["--class", "org.apache.spark.sql.hive.thriftserver.SparkSQLCLIDriver"], "the SQL shell"),
        (&["--class", "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"], "the Thrift server"),
        (&["--class", "org.apache.spark.sql.connect.service.SparkConnectServer"], "the Connect server"),
    ] {
        let said = format!("fail {place}: on master `spark://127.0.0.1:7077` Spark refuses it for {name}; {cure}");
        says(&well(), &[&standalone[..], words].concat(), "deployment", &[&said]);
    }
    // YARN has one for the Connect server since 4.0.
    let words = ["--master", "yarn", "--deploy-mode", "cluster", "--class"];
    let words = [&words[..], &["org.apache.spark.sql.connect.service.SparkConnectServer"]].concat();
    let said = format!("fail {place}: on master `yarn` Spark refuses it for the Connect server; {cure}");
    says(&old("3.5.6"), &words, "deployment", &[&said]);
    let ok = "ok master `yarn` (--master, argument 2), deploy mode `cluster` (--deploy-mode, argument 4): the driver runs on \
              the cluster, executors on the cluster";
    says(&well(), &words, "deployment", &[ok]);
}

#[test]
fn yarn_without_its_configuration() {
    let words = ["--master", "yarn", "app.jar"];
    let said = "fail neither HADOOP_CONF_DIR nor YARN_CONF_DIR is set, and Spark submits nothing to master `yarn`; set \
                HADOOP_CONF_DIR to the directory of yarn-site.xml";
    says(&well(), &words, "variables", &[said]);
    let set_by_script = well().file("spark/conf/spark-env.sh", "export HADOOP_CONF_DIR=/etc/hadoop/conf\n");
    for scene in [well().env("HADOOP_CONF_DIR", "/x"), well().env("YARN_CONF_DIR", ""), set_by_script] {
        says(&scene, &words, "variables", &[]);
    }
    let scene = well().file("spark/conf/spark-env.sh", "export SPARK_LOG_DIR=/var/log\n");
    says(&scene, &words, "variables", &[said]);
}

#[test]
fn a_file_that_is_not_there() {
    let cure = "name the file that is meant";
    for (word, path) in [
        ("no.jar", "work/no.jar"),
        ("no.py", "work/no.py"),
        ("no.R", "work/no.R"),
        ("file:///no/such%20file.jar", ""),
        ("local:/no/such.py", ""),
    ] {
        let path = match path {
            "" => word.split_once(":").expect("a URI").1.replace("///", "/").replace("%20", " "),
            path => format!("@root/{path}"),
        };
        let said = format!("fail `{word}` is not there: no file `{path}`; {cure}");
        says(&well(), &[word], "application", &[&said]);
    }
    // The class may be in a jar of --jars.
    let said = format!(
        "warn `no.jar` is not there: no file `@root/work/no.jar`; Spark goes on without it, and `a.B` is looked for \
         elsewhere; {cure}"
    );
    says(&well(), &["--class", "a.B", "no.jar"], "application", &[&said]);
    let cluster = ["--master", "spark://127.0.0.1:7077", "--deploy-mode", "cluster"];
    let said = format!(
        "warn `no.jar` is not there: no file `@root/work/no.jar`, and the host of the driver has to find one; {cure}"
    );
    says(&well(), &[&cluster[..], &["--class", "a.B", "no.jar"]].concat(), "application", &[&said]);
    for words in [&["app.jar"][..], &["app.py"], &["hdfs://h/no.jar"], &["--class", "a.B", "hdfs://h/no.jar"]] {
        says(&well(), words, "application", &[]);
    }
    let said = "fail no application is named: spark-submit has nothing to run; give the jar or the script after Spark's \
                options";
    says(&well(), &["--class", "a.B"], "application", &[said]);
    tells(&well(), &["doctor", "--for", "shell", DRIVER], "application", &[]);
    tells(&well(), &["doctor", "--for", "example", DRIVER, "--", "SparkPi"], "application", &[]);
}

#[test]
fn a_jar_without_a_main_class() {
    let scene = well().file("work/plain.jar", jar("A: b\n")).file("work/empty.jar", "").file("work/dir/x", "");
    for (word, why) in [
        ("plain.jar", "the manifest of `@root/work/plain.jar` names none"),
        ("empty.jar", "`@root/work/empty.jar` does not begin with a jar's manifest"),
        ("dir", "`@root/work/dir` is a directory"),
        ("local:/opt/a.jar", "it reads none from a `local:` file"),
    ] {
        let said = format!("fail Spark finds no main class: {why}; name it: --class CLASS");
        says(&scene, &[word], "application", &[&said]);
        says(&scene, &["--class", "a.B", word], "application", &[]);
    }
    // Spark 2 looks at the end of the file, and at no other file system.
    let old = old("2.4.8").file("work/empty.jar", "");
    says(&old, &["empty.jar"], "application", &[]);
    let said = "fail Spark finds no main class: Spark 2 reads none from a `hdfs:` file; name it: --class CLASS";
    says(&old, &["hdfs://h/a.jar"], "application", &[said]);
}

/// The launcher would print a command without the agent, and that would be the user's mistake.
#[test]
fn what_is_refused_is_not_checked() {
    let said = "warn Spark's launcher was not asked, since spark-submit refuses the command";
    let words = ["--master", "local", "--deploy-mode", "cluster", "--class", "X", "app.jar"];
    tells(&well(), &[&["doctor", "--check", DRIVER, "--"], &words[..]].concat(), "check", &[said]);
}

#[test]
fn nothing_that_hangs_on_an_unknown_home_is_ok() {
    let scene = well().without("work/app.py");
    let run = scene.run(&["doctor", DRIVER, "--spark-home", "/nonexistent", "--", "app.py"]);
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    let topics: Vec<String> =
        text.lines().map(|line| line.split_whitespace().take(2).collect::<Vec<_>>().join(" ")).collect();
    let expected = [
        "ok profile",
        "fail distribution",
        "ok java",
        "warn config",
        "fail application",
        "ok port",
        "ok reach",
        "warn python",
        "4 ok,",
    ];
    assert_eq!(topics, expected, "{run}");
    run.expect(Some(1), "");
    // What its files may say is no certain refusal.
    let nowhere = ["doctor", DRIVER, "--spark-home", "/nonexistent", "--"];
    for (words, topic) in [
        (&["--deploy-mode", "cluster", "app.jar"][..], "deployment"),
        (&["--num-executors", "0", "app.jar"], "options"),
        (&["--master", "yarn", "app.jar"], "variables"),
    ] {
        tells(&scene, &[&nowhere[..], words].concat(), topic, &[]);
    }
}
