//! `sparkdbg flink`, on stand-ins for the scripts of Flink's: each tells what it was started with. Of the real ones
//! they have the lines by which sparkdbg knows what the scripts of a version can do.

mod agents;
mod client;
mod cluster;
mod conf;
mod daemons;
mod deploy;
mod homes;
mod local;
mod pauses;
mod reach;
mod words;

use crate::scene::{NO_PAUSE, Outcome, Scene};

/// What the configuration file of the scene has for every JVM; Flink does not start on Java 17 without the real one.
pub const OPENS: &str = "--add-opens=java.base/java.lang=ALL-UNNAMED --add-opens=java.base/java.util=ALL-UNNAMED";

/// Endpoints for most tests: the defaults may be taken on the machine of the tests.
pub const CLIENT: &str = "--client=attach:@port,nosuspend";
pub const JOBMANAGER: &str = "--jobmanager=attach:@port";
pub const TASKMANAGER: &str = "--taskmanager=attach:@port";

/// What they put into an option string.
pub const AGENT: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:@port";

/// Those that users start.
const SCRIPTS: [&str; 10] = [
    "flink",
    "sql-client.sh",
    "jobmanager.sh",
    "standalone-job.sh",
    "taskmanager.sh",
    "start-cluster.sh",
    "historyserver.sh",
    "sql-gateway.sh",
    "yarn-session.sh",
    "kubernetes-session.sh",
];

/// A Flink in `@root/flink` that `FLINK_HOME` names, with a configuration in the syntax of its version.
pub fn flink(version: &str) -> Scene {
    let scene = home(Scene::new(), "flink", version);
    let conf = match version {
        "1.14.6" => ("flink-conf.yaml", "rest.port: 8081\n".to_owned()),
        "1.18.1" => ("flink-conf.yaml", format!("env.java.opts.all: {OPENS}\n")),
        _ => ("config.yaml", format!("env:\n  java:\n    opts:\n      all: {OPENS}\n")),
    };
    scene
        .file(&format!("flink/conf/{}", conf.0), conf.1)
        .file("flink/conf/workers", "localhost\n")
        .env("FLINK_HOME", "@root/flink")
        .env("FLINK_PID_DIR", "@root/pid")
        .env("USER", "me")
}

/// A distribution of stand-in scripts.
pub fn home(mut scene: Scene, dir: &str, version: &str) -> Scene {
    let is_old = version.starts_with("1.14");
    for script in SCRIPTS {
        scene = scene.stand_in(&format!("{dir}/bin/{script}"));
        // The lines behind the end of a stand-in are the real ones.
        let line = match script {
            "jobmanager.sh" if !is_old => "if [ -z $2 ] || [[ $2 == \"-D\" ]]; then\nfi\n",
            "flink" => "FLINK_ENV_JAVA_OPTS=\"${FLINK_ENV_JAVA_OPTS} ${FLINK_ENV_JAVA_OPTS_CLI}\"\n",
            "sql-client.sh" if !is_old => "FLINK_ENV_JAVA_OPTS=\"${FLINK_ENV_JAVA_OPTS} ${FLINK_ENV_JAVA_OPTS_CLI}\"\n",
            _ => continue,
        };
        let path = format!("{dir}/bin/{script}");
        let text = format!("{}{line}", scene.read(&path));
        scene = scene.script(&path, &text);
    }
    let added = match is_old {
        true => "",
        false => "FLINK_ENV_JAVA_OPTS=\"-XX:+IgnoreUnrecognizedVMOptions $( echo \"${FLINK_ENV_JAVA_OPTS}\" )\"\n",
    };
    let jar = if is_old { format!("flink-dist_2.12-{version}.jar") } else { format!("flink-dist-{version}.jar") };
    scene.file(&format!("{dir}/bin/config.sh"), added).file(&format!("{dir}/lib/{jar}"), "")
}

/// Runs `sparkdbg flink` without hints and without the settings of a pause.
pub fn run<'a>(scene: &'a Scene, options: &[&str], words: &[&str]) -> Outcome<'a> {
    scene.run(&[&["-q", "flink", NO_PAUSE], options, &["--"], words].concat())
}
