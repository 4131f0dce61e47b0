//! `export`: the document of each format, exactly; what is said beside it.

mod emr;
mod errors;
mod off;

use serde_json::{Value, json};

use crate::scene::{Outcome, Scene};

/// The agents of most tests.
const WAITS: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:5005";
const WAITS_AT_ANY: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:0";
const LISTENS: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0";
const DIALS: &str = "-agentlib:jdwp=transport=dt_socket,server=n,suspend=n,address=10.0.0.171:5005";

/// What YARN is said to do, wherever a driver is debugged there.
const YARN: &str = "note: YARN's ResourceManager kills a driver that stands still for 10m, whatever the pause limit (2h): \
                    only its own yarn.am.liveness-monitor.expiry-interval-ms (600000 unless the cluster sets it) can change \
                    that\n";

/// `-q export --format FORMAT`, then these.
fn run<'s>(scene: &'s Scene, format: &str, args: &[&str]) -> Outcome<'s> {
    scene.run(&[["-q", "export", "--format", format].as_slice(), args].concat())
}

/// The document, which must be pretty-printed JSON; status 0 and this standard error.
#[track_caller]
fn exports(run: &Outcome, stderr: &str, expected: &Value) {
    run.expect(Some(0), stderr).prints(&format!("{}\n", serde_json::to_string_pretty(expected).expect("JSON")));
}

#[test]
fn emr() {
    let expected = json!([
        {"Classification": "spark-defaults", "Properties": {
            "spark.driver.extraJavaOptions": LISTENS,
            "spark.executor.extraJavaOptions": LISTENS,
            "spark.network.timeout": "7200s",
            "spark.executor.heartbeat.maxFailures": "721",
            "spark.yarn.am.waitTime": "7200s",
            "spark.yarn.maxAppAttempts": "1",
            "spark.python.authenticate.socketTimeout": "7200s",
        }},
        {"Classification": "flink-conf", "Properties": {
            "env.java.opts.jobmanager": LISTENS,
            "env.java.opts.taskmanager": LISTENS,
            "heartbeat.timeout": "7200000",
            "pekko.ask.timeout": "7200000",
            "slot.request.timeout": "7200000",
            "task.cancellation.timeout": "0",
            "resourcemanager.taskmanager-registration.timeout": "7200000",
            "taskmanager.registration.timeout": "7200000",
            "web.timeout": "7200000",
            "client.timeout": "7200000",
            "rest.idleness-timeout": "7200000",
            "execution.checkpointing.timeout": "7200000",
            "execution.checkpointing.tolerable-failed-checkpoints": "1000000",
        }},
    ]);
    let scene = Scene::new();
    let roles = ["--release", "emr-7.1.0", "--driver", "--executor", "--jobmanager", "--taskmanager"];
    exports(&run(&scene, "emr", &roles), YARN, &expected);
    // The address is always written with its host, which Java 8 takes too.
    let client = json!([{"Classification": "flink-conf", "Properties": {
        "env.java.opts.client": "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:5016",
    }}]);
    let warning = "warning: every client of the cluster waits for a debugger before it does anything\n";
    let options = ["--client=attach:5016,suspend", "--pause-limit=off"];
    exports(&run(&scene, "emr", &options), warning, &client);
}

#[test]
fn emr_eks() {
    let expected = json!({"applicationConfiguration": [{"classification": "spark-defaults", "properties": {
        "spark.driver.extraJavaOptions": WAITS,
        "spark.network.timeout": "7200s",
        "spark.executor.heartbeat.maxFailures": "721",
        "spark.python.authenticate.socketTimeout": "7200s",
    }}]});
    exports(&run(&Scene::new(), "emr-eks", &["--release", "emr-6.8.0-latest"]), "", &expected);
}

#[test]
fn emr_serverless() {
    let expected = json!({"applicationConfiguration": [{"classification": "spark-defaults", "properties": {
        "spark.executor.extraJavaOptions": DIALS,
        "spark.executor.instances": "1",
        "spark.dynamicAllocation.enabled": "false",
        "spark.network.timeout": "7200s",
    }}]});
    let options = ["--release=emr-7.1.0", "--executor", "--listen", "10.0.0.171:5005"];
    exports(&run(&Scene::new(), "emr-serverless", &options), "", &expected);
}

#[test]
fn dataproc() {
    let scene = Scene::new();
    run(&scene, "dataproc", &["--taskmanager", "--pause-limit=1m"]).expect(Some(0), "").prints(&format!(
        "^#^flink:env.java.opts.taskmanager={LISTENS}#flink:heartbeat.timeout=60000#flink:akka.ask.timeout=60000\
         #flink:execution.checkpointing.tolerable-failed-checkpoints=1000000\n"
    ));
    run(&scene, "dataproc", &["--executor", "--jobmanager", "--pause-limit=off"]).expect(Some(0), "").prints(&format!(
        "^#^spark:spark.executor.extraJavaOptions={LISTENS}#flink:env.java.opts.jobmanager={LISTENS}\n"
    ));
}

#[test]
fn livy() {
    let expected = json!({"conf": {
        "spark.driver.extraJavaOptions": WAITS_AT_ANY,
        "spark.network.timeout": "7200s",
        "spark.executor.heartbeat.maxFailures": "721",
        "spark.python.authenticate.socketTimeout": "7200s",
    }});
    exports(&run(&Scene::new(), "livy", &[]), "", &expected);
}

#[test]
fn databricks() {
    let expected =
        json!({"spark_conf": {"spark.driver.extraJavaOptions": LISTENS, "spark.executor.extraJavaOptions": LISTENS}});
    let warning = "warning: Databricks sets spark.executor.extraJavaOptions itself, and this replaces it: take the value in \
                   effect from the Environment page of the Spark UI into --current (that it is so was seen in one dump \
                   only)\n";
    let options = ["--driver", "--executor", "--pause-limit=off"];
    exports(&run(&Scene::new(), "databricks", &options), warning, &expected);
}

#[test]
fn properties() {
    run(&Scene::new(), "properties", &["--driver=attach:[::1]:5010,nosuspend"])
        .expect(
            Some(0),
            "warning: the driver's Java is not known; before 13 the debug agent does not know an IPv6 address, and the JVM \
             ends at its start\n",
        )
        .prints(
            "spark.driver.extraJavaOptions=-agentlib\\:jdwp\\=transport\\=dt_socket,server\\=y,suspend\\=n,address\\=[\\:\\:1]\\:5010\n\
             spark.network.timeout=7200s\n\
             spark.executor.heartbeat.maxFailures=721\n\
             spark.python.authenticate.socketTimeout=7200s\n",
        );
}

/// sparkdbg's own reader of such files, which reads as Spark does, finds the agent.
#[test]
fn a_launch_reads_the_properties() {
    let text = run(&Scene::new(), "properties", &["--pause-limit=off"]).stdout;
    let scene = Scene::spark("4.3.0").file("work/debug.properties", text);
    let options = ["-q", "submit", "--driver", "--existing=keep", "--no-preflight", "--dry-run"];
    let run = scene.run(&[options.as_slice(), &["--", "--properties-file", "debug.properties", "app.jar"]].concat());
    let kept = format!("note: kept: `{WAITS}` in spark.driver.extraJavaOptions (@root/work/debug.properties line 1)");
    assert!(run.stderr.starts_with(&scene.fill(&kept)), "{run}");
}

#[test]
fn args() {
    let scene = Scene::new();
    run(&scene, "args", &["--pause-limit=3m"]).expect(Some(0), "").prints(&format!(
        "--conf 'spark.driver.extraJavaOptions={WAITS}' --conf 'spark.network.timeout=180s' --conf \
         'spark.python.authenticate.socketTimeout=180s'\n"
    ));
    run(&scene, "args", &["--jobmanager", "--taskmanager=attach:0", "--pause-limit=20s"]).expect(Some(0), "").prints(
        "-D 'env.java.opts.jobmanager=-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:5005' -D \
         'env.java.opts.taskmanager=-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0' -D \
         'akka.ask.timeout=20000' -D 'execution.checkpointing.tolerable-failed-checkpoints=1000000'\n",
    );
}

#[test]
fn helm() {
    let scene = Scene::new();
    run(&scene, "helm", &["--pause-limit=3m"]).expect(Some(0), "").prints(&format!(
        "sparkConf:\n  spark.driver.extraJavaOptions: \"{WAITS}\"\n  spark.network.timeout: \"180s\"\n  \
         spark.python.authenticate.socketTimeout: \"180s\"\n"
    ));
    // Each pod has ports of its own, so that all may have the same.
    run(&scene, "helm", &["--taskmanager", "--pause-limit=off"]).expect(Some(0), "").prints(
        "flinkConfiguration:\n  env.java.opts.taskmanager: \
         \"-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:5006\"\n",
    );
}

#[test]
fn one_executor_where_the_manager_is_not_known() {
    let expected = json!({"conf": {
        "spark.executor.extraJavaOptions": DIALS,
        "spark.executor.instances": "1",
        "spark.executor.cores": "1",
        "spark.cores.max": "1",
        "spark.dynamicAllocation.enabled": "false",
    }});
    let scene = Scene::new();
    let listen = ["--executor=listen:10.0.0.171:5005", "--pause-limit=off"];
    exports(&run(&scene, "livy", &listen), "", &expected);
    let warning = "warning: every executor dials 10.0.0.171:5005: those that the debugger does not take die at their start \
                   (--one-executor)\n";
    let all = json!({"conf": {"spark.executor.extraJavaOptions": DIALS}});
    exports(&run(&scene, "livy", &[&listen[..], &["--all-executors"]].concat()), warning, &all);
}

#[test]
fn who_may_attach() {
    let agent = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=0.0.0.0:5005,allow=10.0.0.0/8";
    let expected = json!({"conf": {"spark.driver.extraJavaOptions": agent}});
    let open = "warning: whoever reaches port 5005 of `0.0.0.0` from 10.0.0.0/8 can run any code in the driver\n";
    let java = "warning: the driver's Java is not known; before 10 the debug agent does not know `allow`, and the JVM ends \
                at its start\n";
    let scene = Scene::new();
    let options = ["--attach", "0.0.0.0:5005", "--allow", "10.0.0.0/8", "--pause-limit=off"];
    exports(&run(&scene, "livy", &options), &format!("{java}{open}"), &expected);
    let run = run(&scene, "emr", &[&options[..], &["--release=emr-6.15.0"]].concat());
    let java = "warning: emr-6.15.0 runs on Java 8 unless it is told otherwise; before 10 the debug agent does not know \
                `allow`, and the JVM ends at its start\n";
    assert!(run.stderr.starts_with(java), "{run}");
}

#[test]
fn endpoints_come_from_the_profile_too() {
    let text = "[profile.p]\ndriver = \"attach:5010,nosuspend\"\nexecutor = \"attach\"\npause-limit = \"off\"\n";
    let scene = Scene::new().file("work/sparkdbg.toml", text);
    let expected = json!({"conf": {
        "spark.driver.extraJavaOptions":
            "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:5010",
        "spark.executor.extraJavaOptions": LISTENS,
    }});
    exports(&run(&scene, "livy", &["-p", "p"]), "", &expected);
}

/// How to apply it, how to reach the JVM, what it costs; the document stays alone on standard output.
#[test]
fn hints() {
    let scene = Scene::new();
    let said =
        |args: &[&str]| scene.run(&[["export", "--pause-limit=90s", "--format"].as_slice(), args].concat()).stderr;
    let cost =
        "sparkdbg: a breakpoint may be held for 1m 30s; what is really lost is noticed that late too (--pause-limit)\n";
    assert_eq!(
        said(&["livy"]),
        format!(
            "sparkdbg: apply: put `conf` beside `file` in the body of POST /batches: curl -H 'Content-Type: \
             application/json' -d @batch.json http://LIVY:8998/batches\n\
             sparkdbg: driver waits for the debugger on its host at a port that its stdout names: ssh -L \
             PORT:127.0.0.1:PORT ITS_HOST (IDE: \"Attach to remote JVM\")\n{cost}"
        )
    );
    assert_eq!(
        said(&["helm", "--jobmanager"]),
        format!(
            "sparkdbg: apply: merge it into spec.flinkConfiguration of the FlinkDeployment, or into the values from which \
             your chart makes it: helm upgrade -f sparkdbg.yaml …\n\
             sparkdbg: jobmanager listens for a debugger in its pod at 127.0.0.1:5005: kubectl port-forward JOBMANAGER_POD \
             5005:5005 (IDE: \"Attach to remote JVM\")\n{cost}"
        )
    );
    let group = said(&["emr", "--release=emr-7.1.0", "--taskmanager", "--instance-group", "ig-1"]);
    for part in [
        "aws emr modify-instance-groups --cluster-id j-… --instance-groups file://sparkdbg.json",
        "a running YARN session of Flink keeps its options until a new one is started",
        "in jobmanager.out or taskmanager.out of its container",
    ] {
        assert!(group.contains(part), "{part}\n{group}");
    }
    let listen = said(&["emr-serverless", "--release=emr-7.1.0", "--listen", "10.0.0.171:5005"]);
    assert!(listen.contains("sparkdbg: driver dials the debugger at 10.0.0.171:5005"), "{listen}");
}

#[test]
fn v_gives_the_reason_of_each_setting() {
    let scene = Scene::new();
    run(&scene, "livy", &["-v", "--executor", "--pause-limit=3m"]).expect(
        Some(0),
        &format!(
            "profile: none\n\
             executor: attach:127.0.0.1:0,nosuspend (default of this format)\n\
             pause-limit: 3m (--pause-limit)\n\
             spark.executor.extraJavaOptions={LISTENS}\n\
             \x20 why: the agent of the executor\n\
             spark.network.timeout=180s\n\
             \x20 why: an executor that is silent for 120s is given up, and requests to it fail\n"
        ),
    );
}
