//! Options that are written somewhere and reach nobody.

use super::{tells, well};
use crate::scene::DRIVER;

#[track_caller]
fn loses(scene: &crate::scene::Scene, words: &[&str], expected: &[&str]) {
    tells(scene, &[&["doctor", DRIVER, "--"], words].concat(), "options", expected);
}

#[test]
fn typed_twice_the_last_one_counts() {
    let words = ["--driver-java-options", "-Da=1", "-c", "spark.driver.extraJavaOptions=-Db=2", "app.jar"];
    let said = "warn spark.driver.extraJavaOptions (--driver-java-options, argument 2) is lost: --conf, argument 4 replaces \
                it; put the options of both into one value";
    loses(&well(), &words, &[said]);
    let words = ["--master", "local[1]", "--master", "local[2]", "app.jar"];
    let said = "warn --master (--master, argument 2) is lost: --master, argument 4 replaces it; take one of them out";
    loses(&well(), &words, &[said]);
    // The same value twice loses nothing.
    loses(&well(), &["--conf", "spark.x=1", "--conf", "spark.x=1", "app.jar"], &[]);
}

#[test]
fn a_file_that_the_command_line_replaces() {
    let scene = well().file(
        "spark/conf/spark-defaults.conf",
        "spark.executor.memory 1g\nspark.driver.extraJavaOptions -Da=1\nspark.executor.extraJavaOptions -Dc=3\n",
    );
    let words = ["--driver-java-options", "-Db=2", "--executor-memory", "2g", "app.jar"];
    let said = "warn spark.driver.extraJavaOptions (@root/spark/conf/spark-defaults.conf line 2) is lost: \
                --driver-java-options, argument 2 replaces it; put the options of both into one value";
    loses(&scene, &words, &[said]);
    let scene = scene.file("work/p.conf", "spark.x 1\n");
    let said = "warn `@root/spark/conf/spark-defaults.conf` is not read, since --properties-file names another file; add \
                --load-spark-defaults";
    loses(&scene, &["--properties-file", "p.conf", "app.jar"], &[said]);
    loses(&scene, &["--properties-file", "p.conf", "--load-spark-defaults", "app.jar"], &[]);
    let args = ["doctor", DRIVER, "--", "--properties-file", "p.conf", "--load-spark-defaults", "app.jar"];
    tells(&scene, &args, "config", &["ok reads @root/work/p.conf, @root/spark/conf/spark-defaults.conf"]);
}

#[test]
fn behind_the_application() {
    let words = ["app.jar", "--conf", "spark.x=1", "--name", "n", "--num-executors=3", "-v"];
    let said = "warn `--conf` (argument 2) and `--num-executors` (argument 6) behind `app.jar` goes to the application, not \
                to Spark; if Spark is meant, put it before `app.jar`";
    loses(&well(), &words, &[said]);
}

#[test]
fn an_option_of_ours_behind_the_first_word() {
    let said = "warn `--check` stands behind `app.jar` and is passed on; sparkdbg's own options stand in front of it, and \
                where this is none of them, write `--` in front of `app.jar`";
    tells(&well(), &["doctor", DRIVER, "app.jar", "--check"], "options", &[said]);
    tells(&well(), &["doctor", DRIVER, "--", "app.jar", "--check"], "options", &[]);
}

#[test]
fn a_word_for_the_main_class() {
    let words = ["--driver-java-options", "-Da=1 b", "app.jar"];
    let said = "warn `b` in spark.driver.extraJavaOptions (--driver-java-options, argument 2) is no option: java will take \
                it for the main class; put the value that holds it in double quotes";
    loses(&well(), &words, &[said]);
}

#[test]
fn what_spark_refuses_once_the_driver_is_up() {
    let words = ["--conf", "spark.executor.extraJavaOptions=-Dspark.a=1", "app.jar"];
    let said = "fail `-Dspark.a=1` in spark.executor.extraJavaOptions (--conf, argument 2): Spark refuses `-Dspark` in \
                executor options; take it out: what it sets has a key of Spark's own";
    loses(&well(), &words, &[said]);
}
