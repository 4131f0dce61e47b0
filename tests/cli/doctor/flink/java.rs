//! Which Java the scripts take, and whether this Flink runs on it.

use super::{args, flink, flink_of};
use crate::doctor::tells;
use crate::scene::Scene;

fn run() -> Vec<&'static str> {
    args(&["--client=attach:@port"], &["run", "app.jar"])
}

fn on_java(scene: Scene, version: &str) -> Scene {
    scene.file("java/release", format!("JAVA_VERSION=\"{version}\"\n"))
}

#[test]
fn a_flink_that_does_not_run_on_this_java() {
    let said = "fail Flink 2.1.0 does not start on Java 8: `@root/java` (JAVA_HOME); set JAVA_HOME to Java 11 or newer";
    tells(&on_java(flink_of("2.1.0", "config.yaml"), "1.8.0_402"), &run(), "java", &[said]);
    let said = "warn Flink 1.14.6 was made for Java 11 and older, and this is Java 17: `@root/java` (JAVA_HOME); set \
                JAVA_HOME to Java 11";
    tells(&flink_of("1.14.6", "flink-conf.yaml"), &run(), "java", &[said]);
}

/// What `config.sh` of 1.19 adds, unless a variable takes its place.
#[test]
fn a_java_without_a_security_manager() {
    let config = "FLINK_ENV_JAVA_OPTS=\"$FLINK_ENV_JAVA_OPTS -Djava.security.manager=allow\"\n";
    let scene = on_java(flink().file("flink/bin/config.sh", config), "25");
    let said = "fail the scripts of Flink 1.20.1 add `-Djava.security.manager=allow`, with which Java 25 does not start: \
                `@root/java` (JAVA_HOME); set JAVA_HOME to Java 21 or older";
    tells(&scene, &run(), "java", &[said]);
    let said = "warn Flink 1.20.1 was made for Java 21 and older, and this is Java 25: `@root/java` (JAVA_HOME); set \
                JAVA_HOME to Java 21";
    tells(&scene.env("FLINK_ENV_JAVA_OPTS", "-Da=1"), &run(), "java", &[said]);
}

#[test]
fn the_configuration_names_it() {
    let with = |conf: &str| {
        let scene = flink().stand_in("java21/bin/java").file("java21/release", "JAVA_VERSION=\"21.0.1\"\n");
        let conf = scene.fill(conf);
        scene.file("flink/conf/config.yaml", conf)
    };
    let here = "ok Java 17 in @root/java (JAVA_HOME) for the JVMs started here";
    let said =
        "ok Java 21 in @root/java21 (env.java.home (@root/flink/conf/config.yaml line 1)) for the JVMs started here";
    tells(&with("env.java.home: @root/java21\n"), &run(), "java", &[said]);
    // The scripts look for it before there is a Java that knows YAML.
    let unread = |line| {
        format!(
            "warn env.java.home (@root/flink/conf/config.yaml line {line}) is not read by Flink's scripts; write it as one \
             line with the whole key, without quotes: env.java.home: DIR"
        )
    };
    tells(&with("env:\n  java:\n    home: @root/java21\n"), &run(), "java", &[here, &unread(3)]);
    // What they read then is no directory, and they ask nobody else.
    let quoted = with("env.java.home: '@root/java21'\n").stand_in("bin/java").env("PATH", "@root/bin:/usr/bin:/bin");
    let run_of_quoted = crate::doctor::lines(&quoted.run(&run()), "java");
    assert_eq!(run_of_quoted.len(), 2, "{run_of_quoted:?}");
    assert!(run_of_quoted[0].contains(" (PATH)"), "{run_of_quoted:?}");
    assert_eq!(run_of_quoted[1], quoted.fill(&unread(1)));
}

#[test]
fn a_home_that_is_no_directory() {
    let scene = flink().env("JAVA_HOME", "@root/nowhere").env("PATH", "@root/bin");
    let told = [
        "fail no Java is found: JAVA_HOME is not set, and `java` is not on PATH; install a JDK, or set JAVA_HOME",
        "warn `@root/nowhere` (JAVA_HOME) is no directory, and Flink's scripts take `java` from PATH; name the directory of \
         a JDK",
    ];
    tells(&scene, &run(), "java", &told);
}

#[test]
fn the_java_of_containers() {
    let key = "containerized.taskmanager.env.JAVA_HOME";
    let setting = format!("-D{key}=/j");
    let words = ["run-application", "-t", "yarn-application", &setting, "app.jar"];
    let said = format!(
        "warn the taskmanager's Java is `/j` ({key}, -D{key}), whose version only its host knows; `allow` takes Java 10, an \
         IPv6 address Java 13, Flink 2 Java 11"
    );
    let here = "ok Java 17 in @root/java (JAVA_HOME) for the JVMs started here";
    tells(&flink(), &args(&["--taskmanager"], &words), "java", &[here, &said]);
}
