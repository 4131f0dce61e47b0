//! EMR: what is in force, its own JVM flags by release, instance groups of a running cluster.

use serde_json::{Value, json};

use super::{LISTENS, WAITS, YARN, exports, run};
use crate::scene::Scene;

const RELEASE: &str = "--release=emr-7.1.0";
const OFF: &str = "--pause-limit=off";

/// EMR's own flags on 5.x, as they stand in its `spark-defaults.conf`.
const DRIVER_FLAGS: &str = "-XX:+UseConcMarkSweepGC -XX:CMSInitiatingOccupancyFraction=70 -XX:MaxHeapFreeRatio=70 \
                            -XX:+CMSClassUnloadingEnabled -XX:OnOutOfMemoryError='kill -9 %p'";
const EXECUTOR_FLAGS: &str = "-verbose:gc -XX:+PrintGCDetails -XX:+PrintGCDateStamps -XX:+UseConcMarkSweepGC \
                              -XX:CMSInitiatingOccupancyFraction=70 -XX:MaxHeapFreeRatio=70 \
                              -XX:+CMSClassUnloadingEnabled -XX:OnOutOfMemoryError='kill -9 %p'";

fn with(current: &Value) -> Scene {
    Scene::new().file("work/current.json", current.to_string())
}

fn merged(current: &Value, args: &[&str], stderr: &str, expected: &Value) {
    let scene = with(current);
    exports(&run(&scene, "emr", &[&["--current", "current.json"], args].concat()), stderr, expected);
}

#[test]
fn what_is_in_force_stays() {
    let current = json!([
        {"Classification": "yarn-site", "Properties": {"a": "b"}},
        {"Classification": "spark-defaults", "Properties": {
            "spark.executor.memory": "4g",
            "spark.driver.extraJavaOptions": "-Dmode='x y' -XX:OnOutOfMemoryError='kill -9 %p'",
            "spark.driver.defaultJavaOptions": "-XX:+UseParallelGC",
            "spark.hadoop.fs.s3a.secret.key": "hunter2",
        }, "Configurations": []},
    ]);
    let expected = json!([
        {"Classification": "yarn-site", "Properties": {"a": "b"}},
        {"Classification": "spark-defaults", "Properties": {
            "spark.executor.memory": "4g",
            "spark.driver.extraJavaOptions": format!("{LISTENS} -Dmode='x y' -XX:OnOutOfMemoryError='kill -9 %p'"),
            "spark.driver.defaultJavaOptions": "-XX:+UseParallelGC",
            "spark.hadoop.fs.s3a.secret.key": "hunter2",
        }, "Configurations": []},
    ]);
    merged(&current, &[RELEASE, OFF], "", &expected);
}

#[test]
fn emrs_own_flags_stand_behind_the_agent_where_they_share_its_key() {
    let note = |label: &str| {
        format!(
            "note: {label} keeps EMR's own JVM flags in extraJavaOptions: where --current does not set it, those of a 5.x \
             with Spark 2.4 are written behind the agent; compare with spark-defaults.conf of your cluster\n"
        )
    };
    let scene = Scene::new();
    for label in ["emr-5.36.0", "emr-6.0.0"] {
        let expected = json!([{"Classification": "spark-defaults", "Properties": {
            "spark.driver.extraJavaOptions": format!("{LISTENS} {DRIVER_FLAGS}"),
            "spark.executor.extraJavaOptions": format!("{LISTENS} {EXECUTOR_FLAGS}"),
        }}]);
        let options = ["--release", label, "--driver", "--executor", OFF];
        exports(&run(&scene, "emr", &options), &note(label), &expected);
    }
    // From 6.1 on they stand in defaultJavaOptions, which is left alone.
    let free = json!([{"Classification": "spark-defaults", "Properties": {"spark.driver.extraJavaOptions": LISTENS}}]);
    exports(&run(&scene, "emr", &["--release=emr-6.1.0", OFF]), "", &free);
    // What the user set has replaced them on the cluster too.
    let current = json!([{"Classification": "spark-defaults", "Properties": {"spark.driver.extraJavaOptions": "-Da"}}]);
    let expected = json!([{"Classification": "spark-defaults", "Properties": {"spark.driver.extraJavaOptions": format!("{LISTENS} -Da")}}]);
    merged(&current, &["--release=emr-5.36.0", OFF], &note("emr-5.36.0"), &expected);
}

#[test]
fn without_a_release_the_flags_may_be_lost() {
    let warning = "warning: the release is not known: before emr-6.1.0 EMR's own JVM flags stand in extraJavaOptions, and \
                   are lost unless --release or --current says so\n";
    let expected =
        json!([{"Classification": "spark-defaults", "Properties": {"spark.driver.extraJavaOptions": LISTENS}}]);
    exports(&run(&Scene::new(), "emr", &[OFF]), warning, &expected);
}

#[test]
fn the_release_decides_which_keys_there_are() {
    let keys = |label: &str, roles: &[&str]| {
        let scene = Scene::new();
        let run = run(&scene, "emr", &[&["--release", label], roles].concat());
        let document: Value = serde_json::from_slice(&run.stdout).expect("JSON");
        document[0]["Properties"].as_object().expect("a map").keys().skip(1).cloned().collect::<Vec<_>>()
    };
    // SPARK-33557.
    assert_eq!(
        keys("emr-6.2.0", &["--executor"]),
        ["spark.network.timeout", "spark.storage.blockManagerSlaveTimeoutMs"]
    );
    assert_eq!(keys("emr-6.3.0", &["--executor"]), ["spark.network.timeout"]);
    assert_eq!(keys("emr-6.15.0", &["--taskmanager"])[1], "akka.ask.timeout");
    assert_eq!(keys("emr-7.0.0", &["--taskmanager"])[1], "pekko.ask.timeout");
}

#[test]
fn a_pause_limit_leaves_the_users_values() {
    let current = json!([{"Classification": "spark-defaults", "Properties": {
        "spark.network.timeout": "800s",
        "spark.executor.heartbeatInterval": "60s",
    }}]);
    let expected = json!([{"Classification": "spark-defaults", "Properties": {
        "spark.network.timeout": "800s",
        "spark.executor.heartbeatInterval": "60s",
        "spark.driver.extraJavaOptions": LISTENS,
        "spark.executor.heartbeat.maxFailures": "121",
        "spark.yarn.am.waitTime": "7200s",
        "spark.yarn.maxAppAttempts": "1",
        "spark.python.authenticate.socketTimeout": "7200s",
    }}]);
    let warning = "warning: spark.network.timeout (current.json line 1) is `800s`, too short for a pause of 2h: executors \
                   are given up, and requests to the paused JVM fail\n";
    merged(&current, &[RELEASE], &format!("{warning}{YARN}"), &expected);
}

/// The answer of `aws emr describe-cluster`.
fn cluster() -> Value {
    json!({"Cluster": {
        "Id": "j-1",
        "Configurations": [{"Classification": "spark-defaults", "Properties": {
            "spark.driver.extraJavaOptions": "-Dcluster=1",
            "spark.network.timeout": "9000s",
        }}],
        "InstanceGroups": [
            {"Id": "ig-M", "InstanceGroupType": "MASTER", "Configurations": [
                {"Classification": "hdfs-site", "Properties": {"dfs.replication": "2"}, "Configurations": []},
            ]},
            {"Id": "ig-C", "InstanceGroupType": "CORE", "Configurations": []},
        ],
    }})
}

#[test]
fn instance_groups_of_a_cluster() {
    let ours = json!({"Classification": "spark-defaults", "Properties": {
        // What the cluster was created with is in force until the group says otherwise.
        "spark.driver.extraJavaOptions": format!("{LISTENS} -Dcluster=1"),
        "spark.executor.heartbeat.maxFailures": "721",
        "spark.yarn.am.waitTime": "7200s",
        "spark.yarn.maxAppAttempts": "1",
        "spark.python.authenticate.socketTimeout": "7200s",
    }});
    let hdfs = json!({"Classification": "hdfs-site", "Properties": {"dfs.replication": "2"}, "Configurations": []});
    let expected = json!([
        {"InstanceGroupId": "ig-C", "Configurations": [ours]},
        {"InstanceGroupId": "ig-M", "Configurations": [hdfs, ours]},
    ]);
    merged(&cluster(), &[RELEASE, "--instance-group", "ig-C", "--instance-group", "ig-M"], YARN, &expected);
    // Without a group: a new cluster with the same.
    let new = json!([{"Classification": "spark-defaults", "Properties": {
        "spark.driver.extraJavaOptions": format!("{LISTENS} -Dcluster=1"),
        "spark.network.timeout": "9000s",
    }}]);
    merged(&cluster(), &[RELEASE, OFF], "", &new);
}

#[test]
fn a_list_for_instance_groups() {
    let list = json!([{"Classification": "yarn-site", "Properties": {"a": "b"}}]);
    let ours = json!({"Classification": "spark-defaults", "Properties": {"spark.driver.extraJavaOptions": LISTENS}});
    let both = json!([{"Classification": "yarn-site", "Properties": {"a": "b"}}, ours]);
    let groups = ["--instance-group=ig-1", "--instance-group=ig-2", RELEASE, OFF];
    let expected = json!([
        {"InstanceGroupId": "ig-1", "Configurations": both},
        {"InstanceGroupId": "ig-2", "Configurations": both},
    ]);
    merged(&list, &groups, "", &expected);
    merged(&json!({"Id": "ig-1", "Configurations": list}), &groups, "", &expected);
    // Nothing is known of what they had.
    let warning = "warning: without --current, what else these groups were configured with is taken away when this is \
                   applied: --current takes the answer of `aws emr describe-cluster`\n";
    let expected = json!([{"InstanceGroupId": "ig-1", "Configurations": [ours]}]);
    exports(&run(&Scene::new(), "emr", &["--instance-group=ig-1", RELEASE, OFF]), warning, &expected);
}

#[test]
fn the_configurations_inside_a_request() {
    let expected = json!({"Name": "n", "Configurations": [
        {"Classification": "spark-defaults", "Properties": {"spark.driver.extraJavaOptions": format!("{LISTENS} -Dundo.of.sparkdbg=1")}},
    ], "Instances": {}});
    merged(&json!({"Name": "n", "Configurations": [], "Instances": {}}), &[RELEASE, OFF], "", &expected);
}

#[test]
fn both_spellings_are_read() {
    let current = json!([{"properties": {"spark.driver.extraJavaOptions": "-Da"}, "classification": "spark-defaults"}]);
    let expected = json!([{"properties": {"spark.driver.extraJavaOptions": format!("{LISTENS} -Da")}, "classification": "spark-defaults"}]);
    merged(&current, &[RELEASE, OFF], "", &expected);
}

#[test]
fn a_job_of_emr_on_eks() {
    let current = json!({
        "virtualClusterId": "v",
        "jobDriver": {"sparkSubmitJobDriver": {
            "entryPoint": "a.py",
            "sparkSubmitParameters": "--class X --conf spark.driver.extraJavaOptions=-Da",
        }},
        "configurationOverrides": {"applicationConfiguration": [
            {"classification": "spark-defaults", "properties": {"k": "v"}},
        ]},
    });
    let mut expected = current.clone();
    expected["configurationOverrides"]["applicationConfiguration"][0]["properties"]["spark.driver.extraJavaOptions"] =
        json!(WAITS);
    let warning = "warning: `sparkSubmitParameters` sets spark.driver.extraJavaOptions too, and wins: move its value into \
                   the configuration, or the driver has no agent\n";
    let scene = with(&current);
    exports(&run(&scene, "emr-eks", &["--current", "current.json", RELEASE, OFF]), warning, &expected);
}

#[test]
fn an_agent_that_is_there_is_replaced() {
    let other = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=*:5005";
    let current = json!([{"Classification": "spark-defaults", "Properties": {
        "spark.driver.defaultJavaOptions": format!("{other} -XX:+UseParallelGC"),
        "spark.driver.extraJavaOptions": "-Da -Xdebug -Xrunjdwp:transport=dt_socket,address=1,server=y",
    }}]);
    let expected = json!([{"Classification": "spark-defaults", "Properties": {
        "spark.driver.defaultJavaOptions": "-XX:+UseParallelGC",
        "spark.driver.extraJavaOptions": format!("{LISTENS} -Da"),
    }}]);
    let notes = format!(
        "note: replaced: `-Xrunjdwp:transport=dt_socket,address=1,server=y` in spark.driver.extraJavaOptions; --off does not \
         bring it back\n\
         note: replaced: `{other}` in spark.driver.defaultJavaOptions; --off does not bring it back\n"
    );
    merged(&current, &[RELEASE, OFF], &notes, &expected);
}

#[test]
fn more_than_one_executor_is_changed_with_a_note() {
    let current = json!([{"Classification": "spark-defaults", "Properties": {"spark.executor.instances": "4"}}]);
    let expected = json!([{"Classification": "spark-defaults", "Properties": {
        "spark.executor.instances": "1",
        "spark.executor.extraJavaOptions": format!("{LISTENS} -Dundo.of.sparkdbg=spark.executor.instances=4"),
        "spark.dynamicAllocation.enabled": "false",
    }}]);
    let note = "note: spark.executor.instances is `4`; it becomes `1`: one executor; --all-executors leaves it\n";
    merged(&current, &[RELEASE, OFF, "--executor", "--one-executor"], note, &expected);
}
