//! What `export` refuses: each with its cause and its cure, and no document.

use serde_json::json;

use super::{LISTENS, run};
use crate::scene::Scene;

#[track_caller]
fn refuses(format: &str, args: &[&str], status: i32, stderr: &str) {
    run(&Scene::new(), format, args).fails(status, stderr);
}

#[test]
fn for_whom() {
    let scene = Scene::new();
    scene.run(&["export"]).fails(
        2,
        "error: `export` was not told for whom\nhelp: name the format: --format FORMAT, one of emr, emr-eks, \
         emr-serverless, dataproc, livy, databricks, properties, args, helm\n",
    );
    scene
        .run(&["export", "emr"])
        .fails(2, "error: `emr`: `sparkdbg export` takes options only\nhelp: did you mean `--format emr`?\n");
    scene.run(&["export", "app.jar"]).fails(
        2,
        "error: `app.jar`: `sparkdbg export` takes options only\nhelp: `sparkdbg export --help` lists them\n",
    );
    scene.run(&["export", "--driver", "attach:5005"]).fails(
        2,
        "error: `attach:5005` looks like the value of an option, but a blank parts it from its option\nhelp: write \
         `--driver=attach:5005`\n",
    );
    scene.run(&["export", "--format", "emrx"]).fails(
        2,
        "error: invalid value `emrx` for `--format <FORMAT>`\nhelp: it takes emr or emr-eks or emr-serverless or dataproc or \
         livy or databricks or properties or args or helm\n",
    );
}

#[test]
fn roles_that_a_format_cannot_carry() {
    for (format, role, can) in [
        ("livy", "taskmanager", "these do: emr, dataproc, args, helm"),
        ("properties", "jobmanager", "these do: emr, dataproc, args, helm"),
        ("helm", "client", "these do: emr, dataproc"),
        ("emr", "daemon", "no format does; a daemon is debugged where it is started, with sparkdbg worker for example"),
    ] {
        let error = format!("error: `--format {format}` carries no settings of a {role}\nhelp: {can}\n");
        refuses(format, &[&format!("--{role}")], 2, &error);
    }
    refuses(
        "args",
        &["--driver", "--taskmanager"],
        2,
        "error: `--format args` is for one application: the driver is Spark's, the taskmanager is Flink's\nhelp: export them \
         one by one: --driver, then --taskmanager\n",
    );
}

#[test]
fn options_without_a_meaning() {
    for flag in ["--dry-run", "--no-preflight", "--spark-home=/x", "--flink-home=/x"] {
        let name = flag.split('=').next().expect("a name");
        let error = format!("error: `{name}` has no meaning with `export`, which starts nothing\n");
        refuses("emr", &[flag], 2, &error);
    }
    refuses(
        "emr",
        &["--listen", "h:1", "--wait-for-debugger", "5m"],
        2,
        "error: `--wait-for-debugger` has no meaning with `export`, which starts nothing\n",
    );
    for (format, flag, formats) in [
        ("helm", "--current", "emr, emr-eks, emr-serverless, livy, databricks"),
        ("livy", "--release", "emr, emr-eks, emr-serverless"),
        ("emr-eks", "--instance-group", "emr"),
    ] {
        let error = format!("error: `{flag}` has no meaning with `--format {format}`\nhelp: it is for {formats}\n");
        refuses(format, &[flag, "x"], 2, &error);
    }
    refuses(
        "args",
        &["--off"],
        2,
        "error: `--off` has no meaning with `--format args`: it is made anew each time\nhelp: to be without the settings, \
         leave them out; --off is for emr, emr-eks, emr-serverless, livy, databricks\n",
    );
    refuses(
        "emr",
        &["--off"],
        2,
        "error: `--off` does not know what the settings are to be taken out of\nhelp: name the configuration in force: --off \
         --current FILE\n",
    );
}

#[test]
fn releases_and_groups() {
    refuses("emr", &["--release", "7.1"], 2, "error: `--release`: `7.1` is no release label: emr-7.1.0\n");
    refuses(
        "emr",
        &["--release", "emr-5.20.0", "--instance-group", "ig-1"],
        2,
        "error: `--instance-group`: a running cluster of emr-5.20.0 takes no other configurations; those of emr-5.21.0 and \
         later do\nhelp: give them when the cluster is created: leave out --instance-group\n",
    );
    refuses(
        "emr",
        &["--instance-group", ""],
        2,
        "error: `--instance-group` names no group\nhelp: write its id: ig-1ABCDEFGHIJKL\n",
    );
}

#[test]
fn a_group_that_is_named_twice() {
    refuses(
        "emr",
        &["--instance-group=ig-1", "--instance-group=ig-2", "--instance-group=ig-1"],
        2,
        "error: `--instance-group ig-1` stands there twice\nhelp: name each group once\n",
    );
}

#[test]
fn one_place_for_two_of_three() {
    refuses(
        "emr",
        &["--driver=listen:h:5005", "--jobmanager", "--executor=listen:h:5005"],
        2,
        "error: driver (--driver) and executor (--executor) have one place to meet the debugger, h:5005\nhelp: let the \
         debugger listen on two ports, one for each\n",
    );
}

#[test]
fn meetings_that_cannot_be() {
    refuses(
        "emr-serverless",
        &[],
        2,
        "error: `attach`: EMR Serverless lets no connection in, so that nobody could attach to the driver\nhelp: let it dial a \
         debugger inside the VPC of the application: --driver=listen:HOST:PORT\n",
    );
    refuses(
        "emr-serverless",
        &["--executor=attach:0"],
        2,
        "error: `attach` (--executor): EMR Serverless lets no connection in, so that nobody could attach to the \
         executor\nhelp: let it dial a debugger inside the VPC of the application: --executor=listen:HOST:PORT\n",
    );
    refuses(
        "emr",
        &["--listen", "5005"],
        2,
        "error: the driver would dial `127.0.0.1` on its own host, where no debugger listens\nhelp: name the debugger's \
         machine as the service sees it: --driver=listen:HOST:PORT\n",
    );
    refuses(
        "emr",
        &["--executor=attach:5006"],
        2,
        "error: all executors on one host would use port 5006: the first takes it, the others die at their start and are \
         started again\nhelp: let each JVM choose its port: --executor=attach:0; or hold the application to one: \
         --one-executor\n",
    );
    refuses(
        "dataproc",
        &["--taskmanager=attach:5006"],
        2,
        "error: all TaskManagers on one host would use port 5006: the first takes it, the others die at their start and are \
         started again\nhelp: let each JVM choose its port: --taskmanager=attach:0\n",
    );
    // A profile is a file.
    let text = "default-profile = \"p\"\n[profile.p]\ndriver = \"listen:5005\"\n";
    let scene = Scene::new().file("work/sparkdbg.toml", text);
    run(&scene, "livy", &[]).fails(
        125,
        "error: the driver would dial `127.0.0.1` on its own host, where no debugger listens\nhelp: name the debugger's \
         machine as the service sees it: --driver=listen:HOST:PORT\n",
    );
}

#[test]
fn files_that_cannot_be_merged() {
    let refuses = |format: &str, current: &str, args: &[&str], stderr: &str| {
        let scene = Scene::new().file("work/c.json", current);
        let release: &[&str] = if format == "livy" { &[] } else { &["--release=emr-7.1.0"] };
        let args = [&["--current", "c.json"], release, args].concat();
        run(&scene, format, &args).fails(125, stderr);
    };
    let mend = "help: mend it there, or leave the role or --one-executor out\n";
    let nothing = "it holds no configurations: neither an array of them nor an object with `Configurations`\n";
    refuses(
        "emr",
        "{",
        &[],
        "error: `c.json` (--current) is not JSON: EOF while parsing an object at line 1 column 1\n",
    );
    refuses("emr", "1", &[], &format!("error: `c.json`: {nothing}"));
    refuses("emr", "{\"a\":1}", &[], &format!("error: `c.json`: {nothing}"));
    refuses("emr", "[1]", &[], &format!("error: `c.json`: a configuration has no `Classification`\n{mend}"));
    let twice = json!([{"Classification": "spark-defaults"}, {"Classification": "spark-defaults"}]).to_string();
    refuses(
        "emr",
        &twice,
        &[],
        &format!("error: `c.json`: the configuration `spark-defaults` stands there twice\n{mend}"),
    );
    let wrong = json!([{"Classification": "spark-defaults", "Properties": []}]).to_string();
    refuses("emr", &wrong, &[], &format!("error: `c.json`: `Properties` of `spark-defaults` is no object\n{mend}"));
    let number =
        json!([{"Classification": "spark-defaults", "Properties": {"spark.driver.extraJavaOptions": 1}}]).to_string();
    refuses("emr", &number, &[], &format!("error: `c.json`: `spark.driver.extraJavaOptions` is no string\n{mend}"));
    let groups = json!({"InstanceGroups": [{"Id": "ig-M"}, {"Id": "ig-C"}]}).to_string();
    let other = "error: `c.json`: it has no instance group `ig-X`; it has ig-M, ig-C\n";
    refuses("emr", &groups, &["--instance-group", "ig-X"], other);
    let odd = json!({"conf": {"spark.executor.instances": "a b"}}).to_string();
    refuses(
        "livy",
        &odd,
        &["--one-executor"],
        &format!(
            "error: `c.json`: `spark.executor.instances` cannot be changed to `1` and given back: \"a b\"\n{mend}"
        ),
    );
    refuses("livy", "[]", &[], "error: `c.json`: the body of a batch is an object\n");
    refuses("emr-eks", "{\"a\":1}", &[], "error: `c.json`: neither configuration overrides nor the request of a job\n");
    run(&Scene::new(), "livy", &["--current", "none.json"])
        .fails(125, "error: `none.json` (--current) cannot be read: no such file or directory\n");
}

#[test]
fn agents_that_are_to_stay() {
    let current = json!({"conf": {"spark.driver.extraJavaOptions": format!("-Da {LISTENS}")}}).to_string();
    let scene = Scene::new().file("work/c.json", current);
    let help = "help: take it out there, leave the role out, or choose --existing=replace\n";
    let options = |choice| ["--current", "c.json", choice];
    run(&scene, "livy", &options("--existing=fail")).fails(
        125,
        &format!(
            "error: `c.json`: a debug agent is there already: `{LISTENS}` in spark.driver.extraJavaOptions\n{help}"
        ),
    );
    run(&scene, "livy", &options("--existing=keep")).fails(
        125,
        &format!(
            "error: `c.json`: `{LISTENS}` in spark.driver.extraJavaOptions is to be kept: there is nothing to export for the \
             driver\n{help}"
        ),
    );
    // Given to the whole cluster, it is not the group's to take out.
    let above = json!({"Cluster": {
        "Configurations": [{"Classification": "spark-defaults", "Properties": {"spark.driver.defaultJavaOptions": LISTENS}}],
        "InstanceGroups": [{"Id": "ig-M"}],
    }});
    let scene = Scene::new().file("work/c.json", above.to_string());
    run(&scene, "emr", &["--current", "c.json", "--instance-group=ig-M", "--release=emr-7.1.0"]).fails(
        125,
        &format!(
            "error: `c.json`: the cluster's own configuration has a debug agent, `{LISTENS}` in \
             spark.driver.defaultJavaOptions: give the group a spark.driver.defaultJavaOptions without one\nhelp: mend it \
             there, or leave the role or --one-executor out\n"
        ),
    );
}
