//! The JVMs of `spark-class` that have a command of their own: the agent goes into the one variable that reaches them and
//! no other.

use std::ffi::OsStr;

use crate::scene::{J, NO_PAUSE, Outcome, Scene};
use crate::spark_env::as_load_spark_env_does;

/// What [`DAEMON`] puts in front: a daemon does not wait.
pub const AGENT: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:@port";
/// The endpoint option of these tests.
pub const DAEMON: &str = "--daemon=attach:@port";
/// What it says before the start.
pub const HINT: &str = "sparkdbg: daemon listens for a debugger on 127.0.0.1:@port (IDE: \"Attach to remote JVM\", host \
                    127.0.0.1, port @port); from another machine: ssh -L @port:127.0.0.1:@port @host\n";

const MASTER: &str = "org.apache.spark.deploy.master.Master";
const HISTORY: &str = "org.apache.spark.deploy.history.HistoryServer";

/// Command, class, variable.
const DAEMONS: [(&str, &str, &str); 2] =
    [("master", MASTER, "SPARK_MASTER_OPTS"), ("history-server", HISTORY, "SPARK_HISTORY_OPTS")];

fn run<'a>(scene: &'a Scene, command: &str, options: &[&str], words: &[&str]) -> Outcome<'a> {
    scene.run(&[&[command, NO_PAUSE], options, &["--"], words].concat())
}

#[test]
fn the_variable_of_the_class_gets_the_agent_in_front() {
    for (command, class, variable) in DAEMONS {
        let words = ["--properties-file", "@root/p.conf", "--port", "7077"];
        let expected = [&[class], words.as_slice()].concat();
        let scene = Scene::spark("4.3.0").file("p.conf", "");
        for options in
            [["-q", DAEMON].as_slice(), &["-q", "--attach", "@port"], &["-q", "--daemon", "--attach", "@port"]]
        {
            let run = run(&scene, command, options, &words);
            run.expect(Some(0), "").starts_with("spark/bin/spark-class", &expected, &[(variable, Some(AGENT))]);
        }
        run(&scene, command, &[DAEMON], &words).expect(Some(0), HINT);
        // What is there stays, byte for byte.
        let scene = scene.env(variable, "-Da='x  y'  -Xms1g ").env("SPARK_DAEMON_JAVA_OPTS", "-Dd=1");
        let merged = format!("{AGENT} -Da='x  y'  -Xms1g ");
        let run = run(&scene, command, &[DAEMON], &[]);
        run.expect(Some(0), HINT).starts_with("spark/bin/spark-class", &[class], &[(variable, Some(&merged))]);
    }
}

#[test]
fn the_default_endpoint_of_a_daemon() {
    let scene = Scene::spark("4.3.0");
    let plan = scene.json(&["--no-preflight", "master", NO_PAUSE]);
    let endpoint = serde_json::json!([
        {"role": "daemon", "mode": "attach", "host": "127.0.0.1", "port": 5005, "suspend": false}
    ]);
    assert_eq!(plan["endpoints"], endpoint);
    let plan = scene.json(&["master", NO_PAUSE, "--listen", "10.0.0.9:5005"]);
    let variable = "-agentlib:jdwp=transport=dt_socket,server=n,suspend=n,address=10.0.0.9:5005";
    assert_eq!(plan["env"]["SPARK_MASTER_OPTS"], variable);
}

#[test]
fn where_the_debugger_cannot_meet_it() {
    let scene = Scene::spark("4.3.0");
    let _taken = std::net::TcpListener::bind(("127.0.0.1", scene.port())).unwrap();
    let refused = run(&scene, "history-server", &[DAEMON], &[]);
    assert_eq!(refused.status.code(), Some(125), "{refused}");
    assert!(refused.stderr.ends_with("let a free one be picked: --daemon=attach:0\n"), "{refused}");
    if cfg!(target_os = "linux") {
        run(&scene, "history-server", &["--listen", "@other"], &[]).fails(
            125,
            "error: nobody listens on 127.0.0.1:@other: the JVM would die at its start\n\
             help: start the debugger in its listen mode first, or wait for it: --wait-for-debugger 5m\n",
        );
    }
    run(&scene, "master", &["-q", "--attach", "0.0.0.0:@other"], &[])
        .expect(Some(0), "warning: whoever reaches port @other of `0.0.0.0` can run any code in the daemon\n");
}

/// D4: all of them end on one command line.
#[test]
fn an_agent_that_is_there_already() {
    for (command, class, own) in DAEMONS {
        for name in [own, "SPARK_DAEMON_JAVA_OPTS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS"] {
            let scene = Scene::spark("4.3.0").env(name, format!("-Da=1 {J}"));
            let replaced = run(&scene, command, &["-q", DAEMON], &[]);
            replaced.expect(Some(0), &format!("note: replaced: `{J}` in {name} in the environment\n"));
            let merged = format!("{AGENT} -Da=1");
            let changed = if name == own {
                vec![(own, Some(merged.as_str()))]
            } else {
                vec![(own, Some(AGENT)), (name, Some("-Da=1"))]
            };
            replaced.starts_with("spark/bin/spark-class", &[class], &changed);

            let kept = run(&scene, command, &["-q", "--existing=keep"], &[]);
            let every = match name.starts_with("SPARK_") {
                true => String::new(),
                false => format!(
                    "warning: {name} in the environment reaches every JVM: Spark's launcher comes first, and stops there \
                     if the agent suspends\n"
                ),
            };
            kept.expect(
                Some(0),
                &format!("note: kept: `{J}` in {name} in the environment; nothing is injected\n{every}"),
            );
            kept.starts("spark/bin/spark-class", &[class]);

            run(&scene, command, &["--existing=fail"], &[]).fails(
                125,
                &format!(
                    "error: a debug agent is configured already: `{J}` in {name} in the environment\n\
                     help: take it out, or choose --existing=replace or --existing=keep\n"
                ),
            );
        }
    }
}

#[test]
fn an_agent_in_java_opts() {
    let scene = Scene::spark("4.3.0").file("spark/conf/java-opts", J);
    run(&scene, "master", &[DAEMON], &[]).fails(
        125,
        &format!(
            "error: @root/spark/conf/java-opts line 1 configures a debug agent already, `{J}`; it applies to the driver \
             and to every other JVM of this Spark, and sparkdbg edits no distribution\n\
             help: take it out of the file, or debug with it: --existing=keep\n"
        ),
    );
    let kept = run(&scene, "master", &["-q", "--existing=keep"], &[]);
    assert_eq!(kept.status.code(), Some(0), "{kept}");
    kept.starts("spark/bin/spark-class", &[MASTER]);
}

/// Variables of another class, or of spark-submit, do not reach it.
#[test]
fn an_agent_that_does_not_reach_it() {
    for name in ["SPARK_HISTORY_OPTS", "SPARK_WORKER_OPTS", "SPARK_SUBMIT_OPTS", "SPARK_EXECUTOR_OPTS"] {
        let scene = Scene::spark("4.3.0").env(name, J);
        let run = run(&scene, "master", &["-q", DAEMON], &[]);
        run.expect(Some(0), "").starts_with("spark/bin/spark-class", &[MASTER], &[("SPARK_MASTER_OPTS", Some(AGENT))]);
    }
    // Nor do keys of the configuration.
    let scene = Scene::spark("4.3.0")
        .file("spark/conf/spark-defaults.conf", format!("spark.driver.extraJavaOptions {J}\nspark.master yarn\n"));
    run(&scene, "master", &["-q", DAEMON], &[]).expect(Some(0), "");
}

#[test]
fn a_variable_that_cannot_work_is_said_with_its_place() {
    let scene = Scene::spark("4.3.0").env("SPARK_MASTER_OPTS", "-Da='x");
    run(&scene, "master", &[DAEMON], &[]).fails(
        125,
        "error: SPARK_MASTER_OPTS in the environment: the `'` at position 5 is never closed: -Da='x\nhelp: close the \
         quote\n",
    );
}

mod spark_env {
    use super::*;

    /// What the launcher would see of a variable.
    fn seen(scene: &Scene, run: &Outcome<'_>, name: &str) -> Option<String> {
        let seen = as_load_spark_env_does(scene, &run.child());
        assert!(!seen.keys().any(|name| name.to_string_lossy().contains("SPARKDBG")), "{seen:?}");
        assert_eq!(
            seen.get(OsStr::new("SPARK_CONF_DIR")).map(|dir| dir.into()),
            Some(scene.path("spark/conf")),
            "{run}"
        );
        seen.get(OsStr::new(name)).map(|value| value.to_string_lossy().into_owned())
    }

    /// It comes after us, and would set its own value over ours.
    #[test]
    fn what_it_sets_is_kept_behind_the_agent() {
        for (command, class, variable) in DAEMONS {
            for (text, before, after) in [
                (format!("{variable}=\"-Dx='1 2'\"\n"), None, "-Dx='1 2'"),
                (format!("export {variable}=\"${variable} -Dsite=1\"\n"), Some("-Dmine=1"), "-Dmine=1 -Dsite=1"),
                (format!("{variable}=${{{variable}:--Ddefault=1}}\n"), None, "-Ddefault=1"),
                (format!("{variable}=${{{variable}:--Ddefault=1}}\n"), Some("-Dmine=1"), "-Dmine=1"),
            ] {
                let scene = Scene::spark("4.3.0").file("spark/conf/spark-env.sh", &text);
                let scene = match before {
                    Some(before) => scene.env(variable, before),
                    None => scene,
                };
                let run = run(&scene, command, &["-q", DAEMON], &[]);
                run.expect(Some(0), "");
                assert_eq!(run.child().args, [class], "{run}");
                let expected = scene.fill(&format!("{AGENT} {after}"));
                assert_eq!(seen(&scene, &run, variable), Some(expected), "{text}{run}");
            }
        }
    }

    #[test]
    fn an_agent_that_it_sets_goes_after_it() {
        for name in ["SPARK_MASTER_OPTS", "SPARK_DAEMON_JAVA_OPTS", "JAVA_TOOL_OPTIONS"] {
            let text = format!("export {name}='-Da=1 {J}'\n");
            let scene = Scene::spark("4.3.0").file("spark/conf/spark-env.sh", text);
            let run = run(&scene, "master", &["-q", DAEMON], &[]);
            run.expect(Some(0), &format!("note: replaced: `{J}` in {name}, set by spark-env.sh\n"));
            let left = if name == "SPARK_MASTER_OPTS" { format!("{AGENT} -Da=1") } else { "-Da=1".to_owned() };
            assert_eq!(seen(&scene, &run, name), Some(scene.fill(&left)), "{run}");
            let own = if name == "SPARK_MASTER_OPTS" { left } else { AGENT.to_owned() };
            assert_eq!(seen(&scene, &run, "SPARK_MASTER_OPTS"), Some(scene.fill(&own)), "{run}");
        }
    }

    /// Only what matters to a Master is a reason to run it, and it sees what spark-class shows it.
    #[test]
    fn it_sees_the_class() {
        let text = "printf '%s|' \"$1\" \"${2-}\" > @root/seen\nexport SPARK_MASTER_HOST=h\n";
        let scene = Scene::spark("4.3.0").file("spark/conf/spark-env.sh", text);
        run(&scene, "master", &["-q", DAEMON], &["--port", "1"]).expect(Some(0), "");
        assert_eq!(scene.read("seen"), format!("{MASTER}|--port|"));
    }

    #[test]
    fn a_read_only_variable_cannot_take_the_agent() {
        let text = "declare -rx SPARK_MASTER_OPTS=-Da=1\n";
        let scene = Scene::spark("4.3.0").file("spark/conf/spark-env.sh", text);
        run(&scene, "master", &[DAEMON], &[]).fails(
            125,
            "error: `@root/spark/conf/spark-env.sh` makes SPARK_MASTER_OPTS read-only, so that nothing after it can \
             change it for the debug agent\nhelp: take `readonly` out there\n",
        );
    }
}

mod clients {
    use super::*;

    const BEELINE: &str = "org.apache.hive.beeline.BeeLine";
    const PIPELINES: &str = "org.apache.spark.deploy.SparkPipelines";

    #[test]
    fn beeline_has_a_variable_since_3_4() {
        let words = ["-u", "jdbc:hive2://h:1"];
        for version in ["3.4.4", "4.3.0"] {
            let scene = Scene::spark(version).stand_in("spark/bin/beeline").env("SPARK_BEELINE_OPTS", "-Da=1");
            let run = run(&scene, "beeline", &[DAEMON], &words);
            let merged = format!("{AGENT} -Da=1");
            run.expect(Some(0), HINT);
            run.starts_with("spark/bin/beeline", &words, &[("SPARK_BEELINE_OPTS", Some(&merged))]);
        }
        // The script would hand the agent to BeeLine: spark-class is started in its place.
        let scene = Scene::spark("3.3.4").stand_in("spark/bin/beeline");
        let run = run(&scene, "beeline", &[DAEMON], &words);
        run.expect(Some(0), HINT).starts("spark/bin/spark-class", &[&[AGENT, BEELINE], words.as_slice()].concat());
    }

    #[test]
    fn pipelines_have_none() {
        let words = ["run", "--spec", "p.yml"];
        for cli in ["python/pyspark/pipelines/cli.py", "pipelines/cli.py"] {
            let scene = Scene::spark("4.3.0").stand_in("spark/bin/spark-pipelines").file(&format!("spark/{cli}"), "");
            let run = run(&scene, "pipelines", &[DAEMON], &words);
            let cli = format!("@root/spark/{cli}");
            let expected = [&[AGENT, PIPELINES, &cli], words.as_slice()].concat();
            run.expect(Some(0), HINT).starts("spark/bin/spark-class", &expected);
        }
        let scene = Scene::spark("4.3.0").stand_in("spark/bin/spark-pipelines");
        run(&scene, "pipelines", &[DAEMON], &words).fails(
            125,
            "error: the home of this Spark has no `pipelines/cli.py`, which `spark-pipelines` runs\n\
             help: choose another distribution: --spark-home DIR\n",
        );
        // Where an agent is kept, nothing needs to be put anywhere.
        let scene = scene.env("JAVA_TOOL_OPTIONS", J);
        let kept = run(&scene, "pipelines", &["-q", "--existing=keep"], &words);
        kept.starts("spark/bin/spark-pipelines", &words);
        let old = Scene::spark("4.0.0").stand_in("spark/bin/spark-pipelines");
        run(&old, "pipelines", &[DAEMON], &words)
            .fails(127, "error: Spark 4.0.0 has nothing for `sparkdbg pipelines`\nhelp: it came with Spark 4.1\n");
    }

    #[test]
    fn off_runs_their_scripts() {
        let scene = Scene::spark("4.3.0")
            .stand_in("spark/bin/beeline")
            .stand_in("spark/bin/spark-pipelines")
            .env("SPARKDBG", "off");
        run(&scene, "beeline", &[DAEMON], &["-u", "x"]).expect(Some(0), "").starts("spark/bin/beeline", &["-u", "x"]);
        run(&scene, "pipelines", &[DAEMON], &["run"]).expect(Some(0), "").starts("spark/bin/spark-pipelines", &["run"]);
        run(&scene, "master", &[DAEMON], &["-h", "x"])
            .expect(Some(0), "")
            .starts("spark/bin/spark-class", &[MASTER, "-h", "x"]);
    }
}
