//! `--off`: exactly what an export set goes; all else comes back as it was, order of keys included.

use serde_json::{Value, json};

use super::{LISTENS, exports, run};
use crate::scene::Scene;

const RELEASE: &str = "--release=emr-5.36.0";

/// Exports over `current`, takes that back, and compares the texts.
#[track_caller]
fn comes_back(format: &str, current: &Value, args: &[&str], off_args: &[&str]) {
    let scene = Scene::new().file("work/current.json", current.to_string());
    let on = run(&scene, format, &[&["--current", "current.json"], args].concat());
    assert_eq!(on.status.code(), Some(0), "{on}");
    assert!(String::from_utf8_lossy(&on.stdout).contains("-agentlib:jdwp="), "{on}");
    let on = String::from_utf8(on.stdout).expect("text");
    let scene = scene.file("work/on.json", &on);
    let off = run(&scene, format, &[&["--off", "--current", "on.json"], off_args].concat());
    exports(&off, "", current);
}

#[test]
fn every_json_format_comes_back() {
    let configurations = json!([
        {"Properties": {"spark.network.timeout": "800s", "b": "1", "spark.driver.extraJavaOptions": "", "a": "2"}, "Classification": "spark-defaults"},
        {"Classification": "flink-conf", "Configurations": []},
        {"Classification": "core-site", "Properties": {}},
    ]);
    // The user's value of a key that the limit needs is said to stay, so that one without it is taken here.
    let mut quiet = configurations.clone();
    quiet[0]["Properties"].as_object_mut().expect("a map").shift_remove("spark.network.timeout");
    let roles = ["--driver", "--executor", "--jobmanager", "--client", "--pause-limit=3h"];
    comes_back("emr", &quiet, &[&roles[..], &[RELEASE]].concat(), &["--pause-limit=3h", RELEASE]);
    comes_back("emr", &json!([]), &[RELEASE, "--taskmanager"], &[RELEASE]);
    comes_back("emr-eks", &json!({"applicationConfiguration": quiet}), &[RELEASE], &[RELEASE]);
    comes_back("emr-serverless", &json!({}), &[RELEASE, "--executor=listen:h:1"], &[RELEASE]);
    comes_back("livy", &json!({"file": "a", "conf": {}, "args": []}), &[], &[]);
    comes_back("livy", &json!({"file": "a"}), &["--attach", "5010", "--suspend"], &["--attach", "5010", "--suspend"]);
    comes_back("databricks", &json!({"new_cluster": {"num_workers": 1}}), &["--executor"], &[]);
}

#[test]
fn a_value_that_was_there_with_our_text_stays() {
    let current = json!({"conf": {"spark.network.timeout": "7200s", "spark.driver.extraJavaOptions": "-Da"}});
    comes_back("livy", &current, &[], &[]);
}

#[test]
fn a_value_that_is_not_ours_stays_and_is_named() {
    let on =
        json!({"conf": {"spark.network.timeout": "800s", "spark.driver.extraJavaOptions": format!("{LISTENS} -Da")}});
    let scene = Scene::new().file("work/on.json", on.to_string());
    let expected = json!({"conf": {"spark.network.timeout": "800s", "spark.driver.extraJavaOptions": "-Da"}});
    exports(
        &run(&scene, "livy", &["--off", "--current", "on.json", "--driver=attach:0,nosuspend"]),
        "note: spark.network.timeout stays `800s`, which is not what these options set\n",
        &expected,
    );
}

#[test]
fn the_agent_of_other_options_goes_with_a_note() {
    let on = json!({"conf": {"spark.driver.extraJavaOptions": LISTENS}});
    let scene = Scene::new().file("work/on.json", on.to_string());
    exports(
        &run(&scene, "livy", &["--off", "--current", "on.json", "--driver=attach:5005"]),
        &format!(
            "note: taken out: `{LISTENS}` in spark.driver.extraJavaOptions, which these options would not have set\n"
        ),
        &json!({}),
    );
}

/// A request without `Configurations` would leave the group as it is.
#[test]
fn an_instance_group_is_left_with_an_empty_list() {
    let groups = json!([{"InstanceGroupId": "ig-1", "Configurations": []}]);
    comes_back("emr", &groups, &["--release=emr-7.1.0"], &["--release=emr-7.1.0"]);
}

/// What one role needs stays while another is still debugged.
#[test]
fn one_role_of_two() {
    let scene = Scene::new();
    let both = run(&scene, "livy", &["--driver", "--executor=attach:0"]).stdout;
    let scene = scene.file("work/on.json", both);
    let expected = json!({"conf": {"spark.executor.extraJavaOptions": LISTENS, "spark.network.timeout": "7200s"}});
    exports(&run(&scene, "livy", &["--off", "--current", "on.json", "--driver"]), "", &expected);
}

#[test]
fn nothing_of_ours_is_printed_as_it_is() {
    let current = json!({"conf": {"spark.network.timeout": "7200s", "spark.driver.defaultJavaOptions": LISTENS}});
    let scene = Scene::new().file("work/current.json", current.to_string());
    let said = format!(
        "warning: a debug agent stays: `{LISTENS}` in spark.driver.defaultJavaOptions\n\
         note: `current.json` holds no agent of ours: it is printed as it is\n"
    );
    exports(&run(&scene, "livy", &["--off", "--current", "current.json"]), &said, &current);
}

#[test]
fn what_cannot_be_deleted_is_said() {
    let scene =
        Scene::new().file("work/on.json", json!([{"InstanceGroupId": "ig-1", "Configurations": []}]).to_string());
    let run = scene.run(&["export", "--format=emr", "--off", "--current=on.json"]);
    let hint = "sparkdbg: what was given when the cluster was created cannot be deleted, only overridden with the value that \
                it is to have\n";
    assert!(run.stderr.ends_with(hint), "{run}");
}
