//! The text of a dry run, pasted, starts what the launch starts.

use crate::dry_run::pastes;
use crate::scene::NO_PAUSE;
use crate::worker::{ATTACH, AWAY, MASTER, WORKER, scene, shim};

#[test]
fn the_text_is_one_command() {
    let scene = scene();
    let home = shim(&scene);
    scene.run(&["-q", "--dry-run", "worker", NO_PAUSE, "--app", "app 1", "--", MASTER]).expect(Some(0), "").prints(
        &format!(
            "JAVA_HOME={home} SPARKDBG_AGENT='{ATTACH}' SPARKDBG_APP='app 1' SPARKDBG_EXISTING=replace \
             SPARKDBG_JAVA=@root/java/bin/java @root/spark/bin/spark-class {WORKER} {MASTER}\n"
        ),
    );
}

#[test]
fn it_starts_the_same() {
    let scene = scene().env("SPARK_MASTER_HOST", "h");
    let debugger = std::net::TcpListener::bind(("127.0.0.1", scene.port())).unwrap();
    for args in [
        ["worker"].as_slice(),
        &["worker", "--", "-c", "1", "--work-dir", "in put", MASTER],
        &["worker", "--listen", AWAY, "--app", "it's $x"],
        &["worker", "--listen", "@port"],
        &["worker", "--daemon=attach:@other"],
        &["worker", "--daemon=attach:@other", "--executor=listen:203.0.113.9:5005", "--all-executors"],
        &["worker", "--", "--help"],
    ] {
        pastes(&scene, args);
    }
    drop(debugger);
}

#[test]
fn with_a_spark_env() {
    let scene = scene().file(
        "spark/conf/spark-env.sh",
        "export JAVA_HOME=@root/java\nexport SPARK_WORKER_OPTS=\"-Da='1 2'\"\nSPARK_MASTER_HOST=h\n",
    );
    pastes(&scene, &["worker"]);
    pastes(&scene, &["worker", "--daemon=attach:@other", "--executor"]);
}

#[test]
fn with_a_cache_directory_that_needs_quotes() {
    pastes(&scene().env("XDG_CACHE_HOME", "@root/it's a $cache"), &["worker", "--listen", AWAY, "--", MASTER]);
}
