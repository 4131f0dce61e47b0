//! The pause limit: Flink's keys, in place when the JVMs start.

use super::{CLIENT, JOBMANAGER, TASKMANAGER, flink};
use crate::scene::{Outcome, Scene};

const HEARTBEAT: &str = "heartbeat.timeout=7200000";
const JOB: [&str; 2] =
    ["execution.checkpointing.timeout=7200000", "execution.checkpointing.tolerable-failed-checkpoints=1000000"];

fn start<'a>(scene: &'a Scene, options: &[&str], words: &[&str]) -> Outcome<'a> {
    scene.run(&[&["-q", "flink"], options, &["--"], words].concat())
}

/// The words, without the script's name, that hold a setting.
fn settings(outcome: &Outcome<'_>) -> Vec<String> {
    let words: Vec<String> = outcome.child().args.into_iter().map(|word| word.into_string().expect("text")).collect();
    words.into_iter().filter(|word| word.contains(".timeout=") || word.contains("checkpoint")).collect()
}

const OTHERS: &str = "note: the TaskManagers must bear the pause too: heartbeat.timeout is 50s there unless it was \
                      started with -D heartbeat.timeout=7200000\n";
const OF_THE_JOB: &str = "note: a job with checkpoints brings its own limits: flink run \
                          -Dexecution.checkpointing.timeout=7200000 \
                          -Dexecution.checkpointing.tolerable-failed-checkpoints=1000000\n";

#[test]
fn of_a_jobmanager() {
    for (version, ask) in [("1.18.1", "pekko"), ("1.20.1", "pekko"), ("2.1.0", "pekko")] {
        let scene = flink(version);
        let ask = format!("{ask}.ask.timeout=7200000");
        let ours = ["-D", HEARTBEAT, "-D", &ask, "-D", "slot.request.timeout=7200000", "-D", "web.timeout=7200000"];
        let run = start(&scene, &[JOBMANAGER], &["jobmanager.sh", "start", "localhost", "8082", "-D", "a=1"]);
        // Behind the host and the port.
        let args = [&["start", "localhost", "8082", "-D", "a=1"], ours.as_slice()].concat();
        run.expect(Some(0), &format!("{OTHERS}{OF_THE_JOB}"));
        assert_eq!(run.child().args, args, "{run}");
    }
}

#[test]
fn of_a_taskmanager() {
    for (version, ask) in [("1.14.6", "akka"), ("1.18.1", "pekko"), ("2.1.0", "pekko")] {
        let scene = flink(version);
        let run = start(&scene, &[TASKMANAGER], &["taskmanager.sh", "start"]);
        let ask = format!("{ask}.ask.timeout=7200000");
        assert_eq!(
            run.child().args,
            ["start", "-D", HEARTBEAT, "-D", &ask, "-D", "task.cancellation.timeout=0"],
            "{run}"
        );
        let other = "note: the JobManager must bear the pause too: heartbeat.timeout is 50s there unless it was started \
                     with -D heartbeat.timeout=7200000\n";
        run.expect(Some(0), &format!("{other}{OF_THE_JOB}"));
    }
}

/// In front of its own words: behind the first that is none of Flink's, all are the job's.
#[test]
fn of_a_standalone_job() {
    let scene = flink("1.14.6");
    let run = start(&scene, &[JOBMANAGER], &["standalone-job.sh", "start", "-j", "X", "--in", "-D", HEARTBEAT]);
    let args = [
        [
            "start",
            "-D",
            HEARTBEAT,
            "-D",
            "akka.ask.timeout=7200000",
            "-D",
            "slot.request.timeout=7200000",
            "-D",
            "web.timeout=7200000",
        ]
        .as_slice(),
        &["-D", JOB[0], "-D", JOB[1], "-j", "X", "--in", "-D", HEARTBEAT],
    ];
    assert_eq!(run.child().args, args.concat(), "{run}");
    run.expect(Some(0), OTHERS);
}

/// Scripts that take no settings: through a home that is the real one but for the two scripts below them.
#[test]
fn where_a_script_takes_none() {
    for (version, script, option, has_taskmanagers) in [
        ("1.20.1", "start-cluster.sh", "--taskmanager=attach:@port", true),
        ("1.14.6", "start-cluster.sh", "--taskmanager=attach:@port", true),
        ("1.14.6", "jobmanager.sh", JOBMANAGER, false),
    ] {
        let scene = flink(version).stand_in("flink/bin/flink-daemon.sh").stand_in("flink/bin/flink-console.sh");
        let run = start(&scene, &[option], &[script, "start"]);
        assert_eq!(run.status.code(), Some(0), "{run}");
        let child = run.child();
        let variable =
            |name: &str| child.env.get(std::ffi::OsStr::new(name)).map(|value| value.to_string_lossy().into_owned());
        let helper = variable("FLINK_HOME").expect("the helper");
        assert!(helper.starts_with(&scene.fill("@root/cache/sparkdbg/")), "{helper}");
        assert_eq!(variable("_FLINK_HOME_DETERMINED").as_deref(), Some("1"));
        assert_eq!(variable("SPARKDBG_FLINK_HOME"), Some(scene.fill("@root/flink")));
        for (name, dir) in [("LIB", "lib"), ("OPT", "opt"), ("PLUGINS", "plugins"), ("CONF", "conf")] {
            assert_eq!(variable(&format!("FLINK_{name}_DIR")), Some(scene.fill(&format!("@root/flink/{dir}"))));
        }
        let ask = if version == "1.14.6" { "akka" } else { "pekko" };
        let of_all = format!("{HEARTBEAT}\n{ask}.ask.timeout=7200000");
        let jobmanager = variable("SPARKDBG_JOBMANAGER_SETTINGS").unwrap();
        assert!(jobmanager.starts_with(&format!("{of_all}\nslot.request.timeout=7200000")), "{jobmanager}");
        let taskmanager =
            if has_taskmanagers { format!("{of_all}\ntask.cancellation.timeout=0") } else { String::new() };
        assert_eq!(variable("SPARKDBG_TASKMANAGER_SETTINGS"), Some(taskmanager));
        // What the helper makes of a daemon's start.
        for (words, more) in [(["start", "taskexecutor", "x y"], true), (["stop", "taskexecutor", "x y"], false)] {
            let mut daemon = scene.command(format!("{helper}/bin/flink-daemon.sh"), &words);
            daemon.envs(child.env.iter().filter(|(name, _)| {
                name.to_string_lossy().contains("FLINK") || name.to_string_lossy().starts_with("SPARKDBG")
            }));
            let output = daemon.output().expect("it runs");
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            let program = scene.fill("@root/flink/bin/flink-daemon.sh");
            let mut said = said.split('\0');
            assert_eq!(said.next(), Some(program.as_str()));
            let count: usize = said.next().unwrap().parse().unwrap();
            assert_eq!(count, if more && has_taskmanagers { 9 } else { 3 });
            assert_eq!(said.by_ref().take(3).collect::<Vec<_>>(), words);
            let rest: Vec<&str> = said.collect();
            assert!(
                !rest.iter().any(|entry| entry.starts_with("SPARKDBG_") || entry.starts_with("_FLINK_HOME")),
                "{rest:?}"
            );
            assert!(rest.contains(&scene.fill("FLINK_HOME=@root/flink").as_str()), "{rest:?}");
        }
    }
}

/// A cluster that is deployed is told everything by its client.
#[test]
fn of_a_deployment() {
    let scene = flink("2.1.0");
    let run = start(&scene, &["--jobmanager=attach:0", "--taskmanager"], &["run", "-t", "yarn-application", "x.jar"]);
    let expected = [
        "heartbeat",
        "pekko.ask",
        "slot.request",
        "taskmanager.registration",
        "web",
        "client",
        "execution.checkpointing",
    ]
    .map(|key| format!("-D{key}.timeout=7200000"));
    let found = settings(&run);
    for key in expected {
        assert!(found.contains(&key), "{key}: {found:?}");
    }
    assert!(found.contains(&"-Dtask.cancellation.timeout=0".to_owned()), "{found:?}");
    run.expect(
        Some(0),
        "note: YARN's ResourceManager kills a JobManager that stands still for 10m, whatever the pause limit (2h): only its \
         own yarn.am.liveness-monitor.expiry-interval-ms (600000 unless the cluster sets it) can change that\n",
    );
}

/// A client needs nothing of the cluster, unless it takes its job along.
#[test]
fn of_a_client() {
    let scene = flink("1.20.1");
    let run = start(&scene, &[CLIENT], &["run", "x.jar"]);
    run.expect(Some(0), "");
    assert_eq!(run.child().args, ["run", "x.jar"]);
    let run = start(&scene, &[CLIENT], &["run", "-sae", "x.jar"]);
    run.expect(Some(0), "");
    assert_eq!(run.child().args, ["run", "-Dclient.heartbeat.timeout=7200000", "-sae", "x.jar"]);
}

#[test]
fn off_short_and_the_users_own() {
    let scene = flink("1.20.1");
    let run = start(&scene, &[JOBMANAGER, "--pause-limit=off"], &["jobmanager.sh", "start"]);
    run.expect(Some(0), "");
    assert_eq!(run.child().args, ["start"]);
    // Shorter than every default but one.
    let run = start(&scene, &[JOBMANAGER, "--pause-limit=30s"], &["jobmanager.sh", "start"]);
    run.expect(Some(0), "");
    assert_eq!(run.child().args, ["start", "-D", "pekko.ask.timeout=30000"]);
    // A value of the user's that bears it stays, and so does one that does not.
    let scene = scene.file("flink/conf/config.yaml", "heartbeat.timeout: 1 min\npekko.ask.timeout: 3 h\n");
    let run = start(&scene, &[JOBMANAGER], &["jobmanager.sh", "start", "-D", "web.timeout=1"]);
    run.expect(
        Some(0),
        &format!(
            "warning: heartbeat.timeout is `1 min` (@root/flink/conf/config.yaml line 1): a JobManager or \
             TaskManager that is silent for 50s is given up, and its tasks fail; kept, so a pause cannot last 2h\n\
             warning: web.timeout is `1` (-Dweb.timeout): what the web UI asks of a paused JobManager fails after 10m; kept, \
             so a pause cannot last 2h\n{OF_THE_JOB}"
        ),
    );
}

/// The old name is read too.
#[test]
fn an_old_name_of_a_key() {
    let scene = flink("1.20.1").file("flink/conf/config.yaml", "akka.ask.timeout: 3 h\n");
    let run = start(&scene, &[TASKMANAGER], &["taskmanager.sh", "start"]);
    assert_eq!(settings(&run), [HEARTBEAT, "task.cancellation.timeout=0"], "{run}");
}

/// T4: why each is there.
#[test]
fn reasons() {
    let scene = flink("1.20.1");
    let run = scene.run(&["-v", "-q", "flink", TASKMANAGER, "--dry-run", "--", "taskmanager.sh", "start"]);
    let reason = |key: &str, value: &str, why: &str| {
        format!("{key}\n  before: (not set)\n  after:  {value}\n  from:   not set → one -D more\n  why:    {why}\n")
    };
    let reasons = [
        reason(
            "heartbeat.timeout",
            "7200000",
            "a JobManager or TaskManager that is silent for 50s is given up, and its tasks fail",
        ),
        reason("pekko.ask.timeout", "7200000", "a request to a JVM that stands still fails after 10s"),
        reason(
            "task.cancellation.timeout",
            "0",
            "a TaskManager kills itself when a task that stands on a breakpoint is not cancelled within 3m",
        ),
    ];
    assert!(run.stderr.contains(&reasons.concat()), "{run}");
}
