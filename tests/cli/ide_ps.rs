//! `ide --from-ps`: configurations for the JVMs that a driver's UI and the logs behind it show.

use serde_json::{Value, json};

use crate::ide::files;
use crate::ps::{PATIENT, driver, executor, ui};
use crate::scene::Scene;
use crate::web::{Web, listening, spark_log};

fn application() -> Web {
    let free = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0";
    let settings = json!([["spark.master", "spark://m:7077"], ["spark.executor.extraJavaOptions", free]]);
    let executors = |own: &str| {
        Value::from(vec![
            driver("edge1:42079"),
            executor("0", "node7:1", true, own),
            executor("1", "node8:1", true, own),
            executor("2", "node8:2", true, own),
        ])
    };
    ui("", settings, executors, |request| {
        let log = match (request.parameter("executorId").unwrap(), request.parameter("logType").unwrap()) {
            ("0", "stdout") => listening(38933),
            ("1", "stdout") => listening(38933),
            _ => String::new(),
        };
        spark_log(request, &log)
    })
}

#[test]
fn one_for_each_jvm_and_the_tunnels() {
    let web = application();
    let scene = Scene::new();
    let from = format!("--from-ps={}", web.url(""));
    let run = scene.run(&["ide", "intellij", PATIENT, &from, "--executor"]);
    run.expect(
        Some(0),
        "sparkdbg: executor 2 is left out: its log does not name its port\n\
         sparkdbg: executor 0 is reached through a tunnel: ssh -L 38933:127.0.0.1:38933 node7\n\
         sparkdbg: executor 1 is reached through a tunnel: ssh -L 38934:127.0.0.1:38933 node8\n",
    );
    let files = files(&run);
    let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(
        paths,
        [".run/sparkdbg-executor-0.run.xml", ".run/sparkdbg-executor-1.run.xml", ".run/sparkdbg-all.run.xml"]
    );
    assert!(files[1].1.contains("name=\"sparkdbg: executor 1\""), "{}", files[1].1);
    assert!(files[1].1.contains("<option name=\"PORT\" value=\"38934\" />"), "{}", files[1].1);

    scene.run(&["-q", "ide", "jdb", PATIENT, &from]).prints(
        "# sparkdbg: executor 0\njdb -attach 127.0.0.1:38933\n# sparkdbg: executor 1\njdb -attach 127.0.0.1:38934\n",
    );
}

#[test]
fn none_that_listens() {
    let web = application();
    let scene = Scene::new();
    scene.run(&["ide", "intellij", PATIENT, &format!("--from-ps={}", web.url("")), "--driver"]).fails(
        125,
        "error: no driver waits for a debugger now (driver is left out: it has no debug agent)\nhelp: `sparkdbg ps`, asked \
         the same, says what is there and why\n",
    );
    scene.run(&["ide", "intellij", "--from-ps", "--timeout=0s"]).fails(2, "error: `--timeout 0s` lets nobody answer\n");
}
