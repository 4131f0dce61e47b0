//! Where the driver runs, from every place from which Spark takes it, and what that changes.

use std::net::TcpListener;

use crate::scene::{AGENT, DRIVER, INJECTED, NO_PAUSE, Scene};

const EXTRA: &str = "spark.driver.extraJavaOptions";
const WHERE_YARN: &str = "its host: yarn application -status APPLICATION_ID, `AM Host`";

/// The hint for [`DRIVER`] on a cluster.
fn on_cluster(whereabouts: &str) -> String {
    format!(
        "sparkdbg: driver on the cluster waits for the debugger on 127.0.0.1:@port of its host (IDE: \"Attach to \
         remote JVM\"); {whereabouts}\n"
    )
}

fn yarn() -> String {
    on_cluster(&format!("{WHERE_YARN}; tunnel: ssh -L @port:127.0.0.1:@port ITS_HOST"))
}

/// Runs as typed behind what was injected, with this hint.
#[track_caller]
fn runs(scene: &Scene, words: &[&str], hint: &str) {
    let run = scene.run(&[["submit", DRIVER, NO_PAUSE, "--"].as_slice(), words].concat());
    let expected: Vec<&str> = INJECTED.into_iter().chain(words.iter().copied()).collect();
    run.expect(Some(0), hint).starts("spark/bin/spark-submit", &expected);
}

/// Spark tries the REST gateway first, and nobody can know what the master takes.
const REST: &str = "warning: if the master takes no REST submissions, Spark falls back to its legacy gateway, which \
                    ignores spark.driver.defaultJavaOptions: the driver then starts without the agent\n";

#[test]
fn cluster_mode_is_seen_in_every_place() {
    let scene = Scene::spark("4.3.0");
    runs(&scene, &["--master", "yarn", "--deploy-mode", "cluster", "app.jar"], &yarn());
    runs(&scene, &["--master=yarn", "--deploy-mode=cluster", "app.jar"], &yarn());
    runs(&scene, &["--conf", "spark.master=yarn", "-c", "spark.submit.deployMode=cluster", "app.jar"], &yarn());
    // The options win over the keys, wherever they stand.
    runs(
        &scene,
        &["--deploy-mode", "cluster", "--master", "yarn", "-c", "spark.submit.deployMode=client", "a"],
        &yarn(),
    );
    let file = Scene::spark("4.3.0")
        .file("spark/conf/spark-defaults.conf", "spark.master yarn\nspark.submit.deployMode = cluster\n");
    runs(&file, &["app.jar"], &yarn());
    let client = ["--deploy-mode", "client", "app.jar"];
    runs(&file, &client, crate::scene::HINT);
    let properties = Scene::spark("4.3.0").file("work/p.conf", "spark.submit.deployMode cluster\nspark.master: yarn\n");
    runs(&properties, &["--properties-file", "p.conf", "app.jar"], &yarn());
}

/// Spark's launcher does not look at these two, so that it would put the driver's options on the wrong JVM.
#[test]
fn the_variables_master_and_deploy_mode_are_spelled_out() {
    let scene = Scene::spark("4.3.0").env("MASTER", "yarn").env("DEPLOY_MODE", "cluster");
    let run = scene.run(&["submit", DRIVER, NO_PAUSE, "app.jar"]);
    let [conf, word] = INJECTED;
    let words = ["--master", "yarn", "--deploy-mode", "cluster", conf, word, "app.jar"];
    run.expect(Some(0), &yarn()).starts("spark/bin/spark-submit", &words);
    // What is on the command line wins, as in Spark.
    let run = scene.run(&["-q", "submit", DRIVER, NO_PAUSE, "--", "--deploy-mode", "client", "app.jar"]);
    run.expect(Some(0), "").starts("spark/bin/spark-submit", &[conf, word, "--deploy-mode", "client", "app.jar"]);
    // In client mode there is nothing to spell out.
    let client = Scene::spark("4.3.0").env("MASTER", "yarn");
    client.merges(&["app.jar"], &[conf, word, "app.jar"]);
}

#[test]
fn each_cluster_manager_has_its_own_way_to_the_driver() {
    let scene = Scene::spark("4.3.0");
    let tunnel = "; tunnel: ssh -L @port:127.0.0.1:@port ITS_HOST";
    let pod = "its pod: kubectl get pods -l spark-role=driver, then kubectl port-forward POD @port:@port";
    runs(&scene, &["--master", "k8s://https://h:6443", "--deploy-mode", "cluster", "a"], &on_cluster(pod));
    let rest = ["--master", "spark://h:6066", "--deploy-mode", "cluster", "-c", "spark.master.rest.enabled=true", "a"];
    let worker = "its worker and the tunnel: sparkdbg ps http://h:8080 (the Master's web UI)";
    runs(&scene, &rest, &format!("{REST}{}", on_cluster(worker)));
    let both = [&["submit", "--driver", "--executor", "--"], rest.as_slice()].concat();
    let run = scene.run(&both);
    assert_eq!(run.stderr.matches("sparkdbg ps http://h:8080").count(), 3, "{run}");
    let other = ["--master", "mesos://h", "--deploy-mode", "cluster", "a"];
    runs(&scene, &other, &on_cluster(&format!("its host: ask the cluster manager{tunnel}")));
}

/// C8: the forward reaches the pod's loopback, whatever the agent binds.
#[test]
fn the_port_forward_of_kubernetes_names_the_port() {
    let scene = Scene::spark("4.3.0");
    let words = ["--", "--master", "k8s://h", "--deploy-mode", "cluster", "a.jar"];
    let run = scene.run(&[["submit", "--attach", "0.0.0.0:@port"].as_slice(), &words].concat());
    assert!(run.stderr.contains(&scene.fill("kubectl port-forward POD @port:@port")), "{run}");
    let run = scene.run(&[["submit", "--attach", "0"].as_slice(), &words].concat());
    assert!(run.stderr.contains("kubectl port-forward POD PORT:PORT") && !run.stderr.contains("ssh -L"), "{run}");
}

#[test]
fn a_driver_that_dials_from_the_cluster() {
    let words = ["--", "--master", "yarn", "--deploy-mode", "cluster", "a.jar"];
    let scene = Scene::spark("4.3.0");
    let run = scene.run(&[["submit", NO_PAUSE, "--listen", "10.0.0.9:@port"].as_slice(), &words].concat());
    run.expect(
        Some(0),
        "sparkdbg: driver on the cluster dials the debugger at 10.0.0.9:@port (IDE: \"Listen to remote JVM\", port \
         @port); start that first\n",
    );
    let error = "error: in cluster mode the driver would dial `127.0.0.1` on its own host, where no debugger listens\n\
                 help: name this machine as the cluster sees it: --listen HOST:PORT\n";
    scene.run(&[["submit", "--listen", "@port"].as_slice(), &words].concat()).fails(2, error);
    let file = scene.file("work/sparkdbg.toml", "[profile.p]\ndriver = \"listen:@port\"\n");
    file.run(&[["-p", "p", "submit"].as_slice(), &words].concat()).fails(125, error);
}

#[test]
fn no_port_of_this_machine_is_probed_for_a_driver_on_the_cluster() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let scene = Scene::spark("4.3.0");
    let attach = format!("--driver=attach:{port}");
    let words = ["--", "--master", "yarn", "--deploy-mode", "cluster", "a.jar"];
    scene.run(&[["-q", "submit", NO_PAUSE, &attach].as_slice(), &words].concat()).expect(Some(0), "");
    scene
        .run(&[["-q", "submit", NO_PAUSE, "--listen", "10.0.0.9:5005"].as_slice(), &words].concat())
        .expect(Some(0), "");
}

/// Standalone cluster mode through the legacy gateway ignores the default key.
#[test]
fn the_legacy_gateway() {
    let scene = Scene::spark("4.3.0");
    let ours = format!("{EXTRA}={AGENT}");
    let words = ["--master", "spark://h:7077", "--deploy-mode", "cluster", "a.jar"];
    let expected: Vec<&str> = ["--conf", &ours].into_iter().chain(words).collect();
    let run = scene.run(&[["-q", "submit", DRIVER, NO_PAUSE, "--"].as_slice(), &words].concat());
    run.expect(Some(0), "").starts("spark/bin/spark-submit", &expected);
    let merged = format!("{EXTRA}={AGENT} -Da=1");
    let words =
        ["--master", "spark://h:7077", "--deploy-mode", "cluster", "-c", "spark.driver.extraJavaOptions=-Da=1", "a"];
    let run = scene.run(&[["-q", "submit", DRIVER, NO_PAUSE, "--"].as_slice(), &words].concat());
    run.starts("spark/bin/spark-submit", &[&words[..4], &["-c", &merged, "a"]].concat());
    // The REST gateway applies both.
    let rest = ["--master", "spark://h:6066", "--deploy-mode", "cluster", "-c", "spark.master.rest.enabled=true", "a"];
    let run = scene.run(&[["-q", "submit", DRIVER, NO_PAUSE, "--"].as_slice(), &rest].concat());
    run.expect(Some(0), REST).starts("spark/bin/spark-submit", &[INJECTED.as_slice(), &rest].concat());
    // So does the client.
    let client = ["--master", "spark://h:7077", "a"];
    scene.merges(&client, &[INJECTED.as_slice(), &client].concat());
}

#[test]
fn masters_of_another_time() {
    let words = ["--master", "yarn-cluster", "a.jar"];
    let old = Scene::spark("2.4.8");
    let ours = format!("{EXTRA}={AGENT}");
    let run = old.run(&[["submit", DRIVER, NO_PAUSE, "--"].as_slice(), &words].concat());
    run.expect(Some(0), &yarn());
    run.starts("spark/bin/spark-submit", &["--conf", &ours, "--master", "yarn-cluster", "a.jar"]);
    let scene = Scene::spark("4.3.0");
    scene.run(&[["submit", DRIVER, NO_PAUSE, "--"].as_slice(), &words].concat()).fails(
        2,
        "error: `yarn-cluster` (--master, argument 2) is no master of Spark since 3.0\n\
         help: write --master yarn --deploy-mode cluster\n",
    );
    let file = scene.file("spark/conf/spark-defaults.conf", "spark.master yarn-client\n");
    file.run(&["submit", DRIVER, "a.jar"]).fails(
        125,
        "error: `yarn-client` (@root/spark/conf/spark-defaults.conf line 1) is no master of Spark since 3.0\n\
         help: write --master yarn --deploy-mode client\n",
    );
}

/// What Spark refuses anyway is left to it.
#[test]
fn cluster_mode_without_a_cluster() {
    let scene = Scene::spark("4.3.0");
    runs(&scene, &["--deploy-mode", "cluster", "a.jar"], crate::scene::HINT);
    runs(&scene, &["--master", "local[2]", "--deploy-mode", "cluster", "a.jar"], crate::scene::HINT);
}

mod connect {
    use super::*;

    const HELP: &str = "help: debug the server where it is started: sparkdbg connect-server --driver\n";

    fn error(value: &str, trigger: &str) -> String {
        format!(
            "error: `{value}` ({trigger}) makes this a client of Spark Connect: the driver runs in the Connect server, \
             not in the JVM that is started here\n{HELP}"
        )
    }

    /// Y4.
    #[test]
    fn a_client_has_no_driver_here() {
        let scene = Scene::spark("4.3.0");
        for (words, value, trigger) in [
            (["--remote", "sc://h", "a.py"].as_slice(), "sc://h", "--remote, argument 2"),
            (&["--remote=sc://h", "a.py"], "sc://h", "--remote, argument 1"),
            (&["--conf", "spark.remote=sc://h", "a.py"], "sc://h", "spark.remote (--conf, argument 2)"),
            (&["--conf", "spark.api.mode=connect", "a.py"], "connect", "spark.api.mode (--conf, argument 2)"),
        ] {
            scene
                .run(&[["submit", DRIVER, NO_PAUSE, "--"].as_slice(), words].concat())
                .fails(2, &error(value, trigger));
        }
        for (name, value) in [("SPARK_REMOTE", "sc://h"), ("SPARK_CONNECT_MODE", "1")] {
            let scene = Scene::spark("4.3.0").env(name, value);
            scene.run(&["submit", DRIVER, "a.py"]).fails(125, &error(value, &format!("{name} in the environment")));
        }
        let file = Scene::spark("4.3.0").file("spark/conf/spark-defaults.conf", "spark.remote sc://h\n");
        file.run(&["submit", DRIVER, "a.py"])
            .fails(125, &error("sc://h", "spark.remote (@root/spark/conf/spark-defaults.conf line 1)"));
        let pyspark = scene.run(&["pyspark", DRIVER, "--", "--remote", "sc://h"]);
        pyspark.fails(2, &error("sc://h", "--remote, argument 2"));
    }

    #[test]
    fn what_is_off_is_off() {
        let scene = Scene::spark("4.3.0").env("SPARK_CONNECT_MODE", "0").env("SPARK_REMOTE", "");
        let words = ["--conf", "spark.api.mode=classic", "a.jar"];
        scene.merges(&words, &[INJECTED.as_slice(), &words].concat());
        // An older Spark knows nothing of it.
        let old = Scene::spark("3.5.6").env("SPARK_CONNECT_MODE", "1");
        old.merges(&["a.jar"], &[INJECTED.as_slice(), &["a.jar"]].concat());
        let older = Scene::spark("3.3.4").env("SPARK_REMOTE", "sc://h");
        older.merges(&["a.jar"], &[INJECTED.as_slice(), &["a.jar"]].concat());
    }

    /// Python starts the server itself, through spark-submit.
    #[test]
    fn a_local_server_of_pyspark_is_a_driver_here() {
        let scene = Scene::spark("4.3.0");
        let words = ["--remote", "local[*]"];
        let run = scene.run(&[["-q", "pyspark", DRIVER, "--"].as_slice(), &words].concat());
        run.expect(Some(0), "").starts("spark/bin/pyspark", &[INJECTED.as_slice(), &words].concat());
        let mode = Scene::spark("4.3.0").env("SPARK_CONNECT_MODE", "1");
        mode.run(&["-q", "pyspark", DRIVER]).expect(Some(0), "").starts("spark/bin/pyspark", &INJECTED);
    }

    #[test]
    fn the_servers_themselves_are_drivers() {
        let scene = Scene::spark("4.3.0").env("SPARK_REMOTE", "sc://h");
        let run = scene.run(&["-q", "connect-server", DRIVER]);
        run.expect(Some(0), "");
    }
}
