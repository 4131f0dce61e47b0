//! Which Java runs what, and whether it can.

use super::{tells, well};
use crate::scene::{DRIVER, Scene};

const ARGS: [&str; 4] = ["doctor", DRIVER, "--", "app.jar"];

fn java(spark: &str, version: &str) -> Scene {
    Scene::spark(spark).stand_in("java/bin/java").file("java/release", format!("JAVA_VERSION=\"{version}\"\n"))
}

#[test]
fn a_spark_that_does_not_run_on_this_java() {
    let said =
        "fail Spark 4.3.0 does not start on Java 11: `@root/java` (JAVA_HOME); set JAVA_HOME to Java 17 or newer";
    tells(&java("4.3.0", "11.0.2"), &ARGS, "java", &[said]);
    let said = "warn Spark 3.2.4 was made for Java 11 and older, and this is Java 17: `@root/java` (JAVA_HOME); set \
                JAVA_HOME to Java 11";
    tells(&java("3.2.4", "17.0.1"), &ARGS, "java", &[said]);
    let said = "ok Java 8 in @root/java (JAVA_HOME) for the JVM started here";
    tells(&java("3.5.6", "1.8.0_402"), &ARGS, "java", &[said]);
}

#[test]
fn no_java_at_all() {
    let scene = well().unset("JAVA_HOME").env("PATH", "@root/bin");
    let said =
        "fail no Java is found: JAVA_HOME is not set, and `java` is not on PATH; install a JDK, or set JAVA_HOME";
    tells(&scene, &ARGS, "java", &[said]);
}

/// An option that this Java's agent does not know is the launch's to say.
#[test]
fn options_of_the_agent_by_the_version_of_java() {
    let scene = java("3.5.6", "1.8.0_402");
    let args = ["doctor", "--attach", "0.0.0.0:@port", "--allow", "10.0.0.0/8", "--", "app.jar"];
    let said = "fail the driver runs on Java 8, whose debug agent does not know `allow` (--allow); it came with Java 10; \
                leave it out, or set JAVA_HOME to a newer one";
    tells(&scene, &args, "launch", &[said]);
    // Java 8 takes `*` for a name.
    let kept = "spark.driver.extraJavaOptions=-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=*:@port";
    let args = ["doctor", "--existing=keep", "--", "--conf", kept, "app.jar"];
    let said = "fail `-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=*:@port` in \
                spark.driver.extraJavaOptions (--conf, argument 2) would keep the JVM from starting: Java 8 takes `*` for \
                the name of a host; write 0.0.0.0; mend it, or let sparkdbg replace it: --existing=replace";
    tells(&scene, &args, "launch", &[said]);
}

#[test]
fn the_java_of_executors_where_it_is_named() {
    let conf = "spark.executorEnv.JAVA_HOME=@root/java8";
    let args = ["doctor", "--executor", "--", "--master", "local-cluster[1,1,1024]", "--conf", conf, "app.jar"];
    let scene = well().stand_in("java8/bin/java").file("java8/release", "JAVA_VERSION=\"1.8.0_402\"\n");
    tells(
        &scene,
        &args,
        "java",
        &[
            "ok Java 17 in @root/java (JAVA_HOME) for the JVM started here",
            "fail Spark 4.3.0 does not start on Java 8: `@root/java8` (spark.executorEnv.JAVA_HOME (--conf, argument 4)); \
             set JAVA_HOME to Java 17 or newer",
        ],
    );
    let args =
        ["doctor", "--executor", "--", "--master", "yarn", "--conf", "spark.executorEnv.JAVA_HOME=/j", "app.jar"];
    let said = "warn the executor's Java is `/j` (spark.executorEnv.JAVA_HOME (--conf, argument 4)), whose version only its \
                host knows; `allow` takes Java 10, an IPv6 address Java 13, Spark 4 Java 17";
    tells(&scene, &args, "java", &["ok Java 17 in @root/java (JAVA_HOME) for the JVM started here", said]);
}
