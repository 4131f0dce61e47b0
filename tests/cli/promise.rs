//! The examples of `design/cli.md`, as they are written there.

use serde_json::json;

use crate::scene::{INJECTED, SPARKDBG, Scene};

/// The driver of the examples.
const WAITS: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:5005";

/// Their executors.
const DIALS: &str = "-agentlib:jdwp=transport=dt_socket,server=n,suspend=n,address=10.0.0.171:5005";

#[test]
fn drivers() {
    let scene = Scene::spark("4.3.0").link("bin/sparkdbg", SPARKDBG).env("PATH", "@root/bin:/usr/bin:/bin");
    let default = INJECTED[1].replace("@port", "5005");
    for (line, expected) in [
        (
            "sparkdbg submit --driver -- --class org.example.App --master yarn app.jar input output",
            [
                "--conf",
                &default,
                "--conf",
                "spark.executor.heartbeat.maxFailures=721",
                "--conf",
                "spark.network.timeout=7200s",
                "--class",
                "org.example.App",
                "--master",
                "yarn",
                "app.jar",
                "input",
                "output",
            ]
            .as_slice(),
        ),
        (
            "shopt -s expand_aliases\nalias spark-submit='sparkdbg submit --driver --'\nspark-submit app.jar \
             --driver=x",
            &["--conf", &default, "app.jar", "--driver=x"],
        ),
        (
            "spark-submit() { sparkdbg submit --driver -- \"$@\"; }\nspark-submit --name 'a b' app.jar",
            &["--conf", &default, "--name", "a b", "app.jar"],
        ),
    ] {
        // Whoever has 5005 on this machine shall not matter here.
        let line = line.replace("sparkdbg submit", "sparkdbg -q --no-preflight submit");
        let run = scene.run_program("bash", &["-c", &line]);
        assert_eq!(run.status.code(), Some(0), "{run}");
        let child = run.child();
        assert_eq!(child.script, scene.path("spark/bin/spark-submit"), "{run}");
        assert_eq!(child.args, expected, "{run}");
    }
}

/// The first free port from 5006 on: whoever has that on this machine shall not matter.
#[test]
fn a_taskmanager() {
    let scene = crate::flink::flink("1.20.1").link("bin/sparkdbg", SPARKDBG).env("PATH", "@root/bin:/usr/bin:/bin");
    let run = scene.run_program("bash", &["-c", "sparkdbg flink --taskmanager -- taskmanager.sh start"]);
    assert_eq!(run.status.code(), Some(0), "{run}");
    let child = run.child();
    assert_eq!(child.script, scene.path("flink/bin/taskmanager.sh"), "{run}");
    let settings = ["heartbeat.timeout=7200000", "pekko.ask.timeout=7200000", "task.cancellation.timeout=0"];
    let args = settings.iter().fold(vec!["start"], |args, setting| [args, vec!["-D", setting]].concat());
    assert_eq!(child.args, args, "{run}");
    let options = child.env[std::ffi::OsStr::new("JVM_ARGS")].to_string_lossy().into_owned();
    let agent = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:";
    let port: u16 = options.strip_prefix(agent).expect("the agent").parse().expect("a port");
    assert!(port >= 5006, "{options}");
}

#[test]
fn executors() {
    let scene = Scene::spark("4.3.0").link("bin/sparkdbg", SPARKDBG).env("PATH", "@root/bin:/usr/bin:/bin");
    let no_master = "warning: no master is named: unless the application names one, Spark takes local[*], which \
                     starts no executors\n";
    let line = "sparkdbg -q submit --executor --listen 10.0.0.171:5005 -- --class org.example.App app.jar";
    // Whichever cluster the application names, it is held to one executor, which may be paused.
    scene.run_program("bash", &["-c", line]).expect(Some(0), no_master).starts(
        "spark/bin/spark-submit",
        &[
            "--conf",
            "spark.cores.max=1",
            "--conf",
            "spark.dynamicAllocation.enabled=false",
            "--conf",
            "spark.executor.cores=1",
            "--conf",
            &format!("spark.executor.defaultJavaOptions={DIALS}"),
            "--conf",
            "spark.executor.instances=1",
            "--conf",
            "spark.network.timeout=7200s",
            "--class",
            "org.example.App",
            "app.jar",
        ],
    );
    let line = "sparkdbg -q --no-preflight submit --driver=attach:5005 --executor=attach:0 -- app.py";
    let run = scene.run_program("bash", &["-c", line]);
    assert_eq!(run.status.code(), Some(0), "{run}");
    let driver = format!("spark.driver.defaultJavaOptions={WAITS}");
    let executor = "spark.executor.defaultJavaOptions=-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,\
                    address=127.0.0.1:0";
    let pause = [
        "--conf",
        "spark.executor.heartbeat.maxFailures=721",
        "--conf",
        "spark.network.timeout=7200s",
        "--conf",
        "spark.python.authenticate.socketTimeout=7200s",
    ];
    let agents = ["--conf", &driver, "--conf", executor];
    run.starts("spark/bin/spark-submit", &[&agents[..], &pause, &["app.py"]].concat());
}

#[test]
fn the_file_of_the_promise() {
    let text = "default-profile = \"local\"\n\n[profile.local]\ndriver = \"attach:5005\"\n\n[profile.cluster]\n\
                inherits = \"local\"\nexecutor = { mode = \"listen\", host = \"10.0.0.171\", port = 5005, suspend = \
                false }\n\
                one-executor = true\npause-limit = \"2h\"\nspark-home = \"@root/spark\"\n\
                worker-master = \"spark://10.0.0.1:7077\"   # for `worker` only\n";
    let scene = Scene::spark("4.3.0").file("work/sparkdbg.toml", text);
    let plan = scene.json(&["submit", "app.jar"]);
    let driver = json!({"role": "driver", "mode": "attach", "host": "127.0.0.1", "port": 5005, "suspend": true});
    assert_eq!(plan["endpoints"], json!([driver]));
    // It inherits the driver; the master for workers is none for applications.
    let plan = scene.json(&["-p", "cluster", "submit", "app.jar"]);
    let executor = json!({"role": "executor", "mode": "listen", "host": "10.0.0.171", "port": 5005, "suspend": false});
    assert_eq!(plan["endpoints"], json!([driver, executor]));
    let run = scene.run(&["-q", "--no-preflight", "-p", "cluster", "submit", "app.jar"]);
    run.starts(
        "spark/bin/spark-submit",
        &[
            "--conf",
            "spark.cores.max=1",
            "--conf",
            &format!("spark.driver.defaultJavaOptions={WAITS}"),
            "--conf",
            "spark.dynamicAllocation.enabled=false",
            "--conf",
            "spark.executor.cores=1",
            "--conf",
            &format!("spark.executor.defaultJavaOptions={DIALS}"),
            "--conf",
            "spark.executor.heartbeat.maxFailures=721",
            "--conf",
            "spark.executor.instances=1",
            "--conf",
            "spark.network.timeout=7200s",
            "app.jar",
        ],
    );
}
