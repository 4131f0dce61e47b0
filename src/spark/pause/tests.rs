//! One row for each Spark, cluster manager and role, and what holds for all of them.

use super::*;
use crate::spark::submit::{self, CommandLine};
use proptest::prelude::*;

const TWO_HOURS: Duration = Duration::from_secs(7_200);

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn scan(text: &str) -> CommandLine {
    submit::scan(&words(text), None)
}

/// The plan for a driver and executors on Kubernetes, changed by `change`, with these words of the user's.
fn planned(text: &str, change: impl FnOnce(&mut Debugged)) -> Pause {
    planned_on("", text, change)
}

/// The same on a Spark of this version.
fn planned_on(version: &str, text: &str, change: impl FnOnce(&mut Debugged)) -> Pause {
    let version = Version::parse(version);
    let line = scan(&format!("{text} app.jar"));
    let conf = Conf { line: &line, hidden: 0, in_variable: false, layers: &[] };
    let mut debugged = Debugged {
        limit: TWO_HOURS,
        manager: Manager::Kubernetes,
        cluster: false,
        rest_gateway: false,
        version: version.as_ref(),
        driver: true,
        executor: true,
        fixed_number: false,
        python: false,
        conf: &conf,
    };
    change(&mut debugged);
    plan(&debugged)
}

fn shown(pause: &Pause) -> String {
    let settings: Vec<String> = pause.settings.iter().map(|set| format!("{}={}", set.key, set.value)).collect();
    settings.join(" ")
}

#[test]
fn the_settings_of_each_version_manager_and_role() {
    const NET: &str = "spark.network.timeout=7200s";
    const FAILURES: &str = "spark.executor.heartbeat.maxFailures=721";
    const WORKERS: &str = "spark.worker.timeout=9600";
    const ASK: &str = "spark.rpc.askTimeout=7200s";
    const AM: &str = "spark.yarn.am.waitTime=7200s spark.yarn.maxAppAttempts=1";
    const PYTHON: &str = "spark.python.authenticate.socketTimeout=7200s";
    const OLD: &str = "spark.storage.blockManagerSlaveTimeoutMs=7200000";

    let (client, cluster, rest) = ("client", "cluster", "rest");
    let (driver, executor, both) = ((true, false), (false, true), (true, true));
    let (jvm, python) = (false, true);
    for (version, manager, mode, roles, language, expected) in [
        ("4.3.0", Manager::Local, client, both, python, vec![]),
        ("2.4.8", Manager::Local, client, driver, python, vec![]),
        ("4.3.0", Manager::LocalCluster, client, executor, jvm, vec![NET]),
        ("4.3.0", Manager::LocalCluster, client, driver, jvm, vec![NET, FAILURES, WORKERS]),
        ("3.5.6", Manager::LocalCluster, client, both, python, vec![NET, FAILURES, WORKERS, PYTHON]),
        ("2.4.8", Manager::LocalCluster, client, both, python, vec![NET, FAILURES, WORKERS]),
        ("4.3.0", Manager::Standalone, client, executor, jvm, vec![NET]),
        ("4.3.0", Manager::Standalone, client, driver, jvm, vec![NET, FAILURES]),
        ("4.3.0", Manager::Standalone, client, driver, python, vec![NET, FAILURES, PYTHON]),
        ("4.3.0", Manager::Standalone, client, executor, python, vec![NET]),
        ("4.3.0", Manager::Standalone, cluster, executor, jvm, vec![NET, ASK]),
        ("4.3.0", Manager::Standalone, cluster, driver, jvm, vec![NET, FAILURES, ASK]),
        ("2.4.8", Manager::Standalone, cluster, driver, jvm, vec![NET, FAILURES, ASK]),
        ("4.3.0", Manager::Standalone, rest, driver, jvm, vec![NET, FAILURES]),
        ("3.5.6", Manager::Yarn, client, driver, jvm, vec![NET, FAILURES]),
        ("3.5.6", Manager::Yarn, client, executor, jvm, vec![NET]),
        ("3.5.6", Manager::Yarn, cluster, executor, jvm, vec![NET]),
        ("3.5.6", Manager::Yarn, cluster, driver, jvm, vec![NET, FAILURES, AM]),
        ("3.1.0", Manager::Yarn, cluster, driver, python, vec![NET, FAILURES, AM, PYTHON]),
        ("3.0.3", Manager::Yarn, cluster, driver, python, vec![NET, FAILURES, AM]),
        ("3.0.1", Manager::Yarn, client, executor, jvm, vec![NET, OLD]),
        ("3.0.0-amzn-0", Manager::Yarn, client, driver, jvm, vec![NET, OLD, FAILURES]),
        ("3.0", Manager::Kubernetes, cluster, executor, jvm, vec![NET, OLD]),
        ("3.0.2", Manager::Kubernetes, cluster, executor, jvm, vec![NET]),
        ("4.0.0", Manager::Kubernetes, cluster, both, jvm, vec![NET, FAILURES]),
        ("", Manager::Other, client, both, python, vec![NET, FAILURES, PYTHON]),
    ] {
        let pause = planned_on(version, "", |debugged| {
            debugged.manager = manager;
            debugged.cluster = mode != client;
            debugged.rest_gateway = mode == rest;
            (debugged.driver, debugged.executor) = roles;
            debugged.python = language;
        });
        assert_eq!(shown(&pause), expected.join(" "), "{version} {manager:?} {mode} {roles:?}");
        assert_eq!(pause.defeated, Vec::<String>::new());
    }
}

#[test]
fn a_short_limit_needs_little() {
    let settings = |seconds, manager, cluster| {
        shown(&planned("", |debugged| {
            debugged.limit = Duration::from_secs(seconds);
            debugged.manager = manager;
            debugged.cluster = cluster;
            debugged.python = true;
        }))
    };
    assert_eq!(settings(10, Manager::Standalone, true), "");
    assert_eq!(settings(11, Manager::Standalone, true), "spark.rpc.askTimeout=11s");
    assert_eq!(settings(15, Manager::Kubernetes, true), "");
    assert_eq!(settings(16, Manager::Kubernetes, true), "spark.python.authenticate.socketTimeout=16s");
    // Of 60s, a quarter may have passed before the pause.
    assert_eq!(settings(45, Manager::LocalCluster, false), "spark.python.authenticate.socketTimeout=45s");
    assert_eq!(
        settings(46, Manager::LocalCluster, false),
        "spark.worker.timeout=62 spark.python.authenticate.socketTimeout=46s"
    );
    assert_eq!(
        settings(100, Manager::Yarn, true),
        "spark.yarn.maxAppAttempts=1 spark.python.authenticate.socketTimeout=100s"
    );
    assert_eq!(settings(120, Manager::Kubernetes, false), "spark.python.authenticate.socketTimeout=120s");
    assert_eq!(
        settings(121, Manager::Kubernetes, false),
        "spark.network.timeout=121s spark.python.authenticate.socketTimeout=121s"
    );
    // 59 intervals are 60 failures at most.
    let with_failures = |seconds| settings(seconds, Manager::Kubernetes, false).contains("maxFailures");
    assert!(!with_failures(590));
    assert!(with_failures(591));
}

#[test]
fn a_part_of_a_second_becomes_a_whole_one() {
    let pause = planned("", |debugged| {
        debugged.limit = Duration::from_millis(120_001);
        debugged.driver = false;
    });
    assert_eq!(shown(&pause), "spark.network.timeout=121s");
}

#[test]
fn failures_follow_the_interval_in_effect() {
    let failures = |text: &str| {
        let pause = planned(text, |_| {});
        pause.settings.iter().find(|set| set.key == HEARTBEAT_MAX_FAILURES).map(|set| set.value.clone())
    };
    let interval = |value: &str| failures(&format!("--conf spark.executor.heartbeatInterval={value}"));
    assert_eq!(failures("").as_deref(), Some("721"));
    assert_eq!(interval("20s").as_deref(), Some("361"));
    assert_eq!(interval("7000").as_deref(), Some("1030"));
    assert_eq!(interval("2min"), Some("61".to_owned()));
    assert_eq!(interval("3m"), None);
    // What Spark refuses, it refuses itself.
    assert_eq!(interval("0"), None);
    assert_eq!(interval("soon"), None);
    let longest = planned("--conf spark.executor.heartbeatInterval=1", |debugged| {
        debugged.limit = Duration::from_secs(2_147_483);
    });
    assert!(shown(&longest).contains("maxFailures=2147483001"), "{longest:?}");
}

#[test]
fn every_setting_has_its_reason() {
    let pause = planned("", |debugged| {
        debugged.manager = Manager::Yarn;
        debugged.cluster = true;
        debugged.python = true;
    });
    let reasons: Vec<&str> = pause.settings.iter().map(|set| set.why.as_str()).collect();
    assert_eq!(
        reasons,
        [
            "executors are given up that are silent, or that a paused driver did not hear, for 120s, and requests to either fail",
            "an executor exits after 60 heartbeats that a paused driver does not answer",
            "the ApplicationMaster gives up a driver that has no SparkContext after 100s",
            "YARN would start a driver that is given up again, and the debugger would meet the wrong one",
            "Python waits only 15s for the driver to answer on a new connection",
        ]
    );
}

#[test]
fn a_value_that_defeats_the_limit_is_said_and_kept() {
    let pause = planned("--conf spark.network.timeout=800s --conf=spark.executor.heartbeat.maxFailures=100", |_| {});
    assert_eq!(pause.settings, []);
    assert_eq!(
        pause.defeated,
        [
            "spark.network.timeout (--conf, argument 2) is `800s`, too short for a pause of 2h: executors are given up, and requests to the paused JVM fail",
            "spark.executor.heartbeat.maxFailures (--conf, argument 3) is `100`, too short for a pause of 2h: \
             executors exit after that many heartbeats without an answer from a paused driver; 721 would do",
        ]
    );
}

#[test]
fn which_values_defeat_it() {
    let (driver, executor) = ((true, false), (false, true));
    for (text, manager, roles, expected) in [
        ("spark.network.timeout=2h", Manager::Yarn, executor, 0),
        ("spark.network.timeout=7199999ms", Manager::Yarn, executor, 1),
        ("spark.network.timeout=7199", Manager::Yarn, driver, 1),
        ("spark.network.timeout=nonsense", Manager::Yarn, executor, 0),
        ("spark.network.timeout=60s", Manager::Local, driver, 0),
        ("spark.storage.blockManagerHeartbeatTimeoutMs=300000", Manager::Yarn, executor, 1),
        ("spark.storage.blockManagerHeartbeatTimeoutMs=7200000", Manager::Yarn, executor, 0),
        ("spark.storage.blockManagerSlaveTimeoutMs=300s", Manager::Yarn, executor, 1),
        ("spark.rpc.askTimeout=600s", Manager::Yarn, driver, 1),
        ("spark.rpc.lookupTimeout=600s", Manager::Yarn, driver, 1),
        ("spark.rpc.lookupTimeout=600s", Manager::Yarn, executor, 0),
        ("spark.rpc.io.connectionTimeout=30s", Manager::Yarn, executor, 1),
        ("spark.shuffle.io.connectionTimeout=30s", Manager::Yarn, executor, 1),
        ("spark.shuffle.io.connectionTimeout=0", Manager::Yarn, executor, 0),
        ("spark.files.io.connectionTimeout=30", Manager::Yarn, executor, 0),
        ("spark.files.io.connectionTimeout=30", Manager::Yarn, driver, 1),
        ("spark.executor.heartbeat.maxFailures=720", Manager::Yarn, driver, 1),
        ("spark.executor.heartbeat.maxFailures=721", Manager::Yarn, driver, 0),
        ("spark.executor.heartbeat.maxFailures=1", Manager::Yarn, executor, 0),
        ("spark.worker.timeout=9599", Manager::LocalCluster, driver, 1),
        ("spark.worker.timeout=9600", Manager::LocalCluster, driver, 0),
        ("spark.worker.timeout=600", Manager::LocalCluster, executor, 0),
        ("spark.worker.timeout=600", Manager::Standalone, driver, 0),
        ("spark.yarn.am.waitTime=100s", Manager::Yarn, driver, 0),
        ("spark.speculation=true", Manager::Yarn, executor, 1),
        ("spark.speculation=TRUE", Manager::Yarn, driver, 0),
        ("spark.speculation=false", Manager::Yarn, executor, 0),
        ("spark.dynamicAllocation.enabled=true", Manager::Yarn, executor, 1),
        ("spark.dynamicAllocation.enabled=true", Manager::Yarn, driver, 0),
        ("spark.dynamicAllocation.executorIdleTimeout=30", Manager::Yarn, executor, 0),
        ("spark.task.reaper.killTimeout=120s", Manager::Yarn, executor, 0),
        ("spark.task.reaper.enabled=true", Manager::Yarn, executor, 0),
    ] {
        let pause = planned(&format!("--conf {text}"), |debugged| {
            debugged.manager = manager;
            (debugged.driver, debugged.executor) = roles;
        });
        assert_eq!(pause.defeated.len(), expected, "{text} {manager:?} {roles:?}: {:?}", pause.defeated);
    }
}

#[test]
fn values_that_matter_together() {
    let executor_on_yarn = |text: &str| {
        planned(text, |debugged| {
            debugged.manager = Manager::Yarn;
            debugged.driver = false;
        })
        .defeated
    };
    assert_eq!(
        executor_on_yarn("--conf spark.dynamicAllocation.enabled=true"),
        [
            "spark.dynamicAllocation.enabled (--conf, argument 2) is `true`: an executor that is paused while it has no task \
          is removed as idle after 60s, unless spark.dynamicAllocation.executorIdleTimeout says otherwise"
        ]
    );
    assert_eq!(
        executor_on_yarn(
            "--conf spark.dynamicAllocation.enabled=true --conf spark.dynamicAllocation.executorIdleTimeout=90s"
        ),
        ["spark.dynamicAllocation.executorIdleTimeout (--conf, argument 4) is `90s`, too short for a pause of 2h: \
             an executor that is paused while it has no task is removed as idle"]
    );
    assert_eq!(
        executor_on_yarn(
            "--conf spark.dynamicAllocation.enabled=true --conf spark.dynamicAllocation.executorIdleTimeout=1d"
        ),
        Vec::<String>::new()
    );
    let reaper = "--conf spark.task.reaper.enabled=true --conf spark.task.reaper.killTimeout";
    assert_eq!(executor_on_yarn(&format!("{reaper}=-1")), Vec::<String>::new());
    assert_eq!(
        executor_on_yarn(&format!("{reaper}=120s")),
        ["spark.task.reaper.killTimeout (--conf, argument 4) is `120s`, too short for a pause of 2h: \
             a task that is killed meanwhile takes its executor along"]
    );
}

#[test]
fn the_newer_name_counts_where_it_is_known() {
    let both =
        "--conf spark.storage.blockManagerHeartbeatTimeoutMs=1d --conf spark.storage.blockManagerSlaveTimeoutMs=1s";
    let defeated = |version: &str| planned_on(version, both, |_| {}).defeated.len();
    assert_eq!(defeated("3.5.6"), 0);
    assert_eq!(defeated("3.0.3"), 1);
    assert_eq!(defeated("2.4.8"), 1);
}

#[test]
fn yarn_has_the_last_word_on_a_driver_in_its_cluster() {
    let notes = |seconds, text: &str| {
        let pause = planned(text, |debugged| {
            debugged.manager = Manager::Yarn;
            debugged.cluster = true;
            debugged.executor = false;
            debugged.limit = Duration::from_secs(seconds);
        });
        (pause.cluster_side, pause.defeated)
    };
    assert_eq!(
        notes(7_200, "").0,
        [
            "YARN's ResourceManager kills a driver that stands still for 10m, whatever the pause limit (2h): only its own \
             yarn.am.liveness-monitor.expiry-interval-ms (600000 unless the cluster sets it) can change that"
        ]
    );
    assert_eq!(notes(600, "").0, Vec::<String>::new());
    assert_eq!(
        notes(600, "--conf spark.yarn.maxAppAttempts=4 --conf spark.yarn.am.waitTime=300s").1,
        [
            "spark.yarn.am.waitTime (--conf, argument 4) is `300s`, too short for a pause of 10m: \
             a driver without a SparkContext is given up",
            "spark.yarn.maxAppAttempts (--conf, argument 2) is `4`: a driver that ends or is given up is started again, \
             and the debugger meets that one",
        ]
    );
}

#[test]
fn python_before_3_1_cannot_be_told() {
    let pause = planned_on("3.0.3", "", |debugged| debugged.python = true);
    assert_eq!(
        pause.cluster_side,
        ["Python waits 15s for the driver to answer on a new connection; Spark 3.0.3 has no setting for it"]
    );
}

#[test]
fn masters_and_workers() {
    let of_master = |seconds, given: Option<&str>| {
        let given = given.map(|text| Value {
            text: text.to_owned(),
            origin: crate::spark::conf::Origin::Variable("SPARK_MASTER_OPTS"),
        });
        let pause = master(Duration::from_secs(seconds), given.as_ref());
        (pause.settings.iter().map(Setting::property).collect::<Vec<_>>().join(" "), pause.defeated)
    };
    assert_eq!(of_master(7_200, None), ("-Dspark.worker.timeout=7200".to_owned(), vec![]));
    assert_eq!(of_master(60, None), (String::new(), vec![]));
    assert_eq!(of_master(7_200, Some("86400")), (String::new(), vec![]));
    assert_eq!(
        of_master(7_200, Some("90")),
        (
            String::new(),
            vec![
                "SPARK_MASTER_OPTS in the environment is `90`, too short for a pause of 2h: \
                 the Master gives up workers that it did not hear for that long"
                    .to_owned()
            ]
        )
    );
    assert_eq!(
        worker_daemon(TWO_HOURS).unwrap(),
        "a Worker that is paused for longer than the Master's spark.worker.timeout (60s unless set) is given up with its executors; \
         start the Master with SPARK_MASTER_OPTS=-Dspark.worker.timeout=7200 (sparkdbg master does)"
    );
    assert_eq!(worker_daemon(Duration::from_secs(60)), None);
    assert_eq!(
        worker_executors(TWO_HOURS).unwrap(),
        "an executor that is paused is given up after its application's spark.network.timeout (120s unless set); \
         submit with --conf spark.network.timeout=7200s"
    );
    assert_eq!(worker_executors(Duration::from_secs(120)), None);
}

const MANAGERS: [Manager; 6] =
    [Manager::Local, Manager::LocalCluster, Manager::Standalone, Manager::Yarn, Manager::Kubernetes, Manager::Other];

proptest! {
    /// What is set is not set again, defeats nothing, and is enough: with our settings given by the
    /// user, nothing is left to set or to warn of.
    #[test]
    fn our_own_settings_suffice(
        seconds in 1u64..=2_147_483,
        manager in 0usize..6,
        flags in proptest::collection::vec(any::<bool>(), 5),
        version in proptest::sample::select(vec!["2.4.8", "3.0.1", "3.0.3", "3.1.0", "3.5.6", "4.3.0"]),
    ) {
        let version = Version::parse(version).unwrap();
        let given = |text: &str| {
            let line = scan(&format!("{text} app.jar"));
            let conf = Conf { line: &line, hidden: 0, in_variable: false, layers: &[] };
            plan(&Debugged {
                limit: Duration::from_secs(seconds),
                manager: MANAGERS[manager],
                cluster: flags[0],
                rest_gateway: flags[1],
                version: Some(&version),
                driver: flags[2],
                executor: flags[3],
                fixed_number: false,
                python: flags[4],
                conf: &conf,
            })
        };
        let first = given("");
        prop_assert!(first.defeated.is_empty());
        let words: Vec<String> = first.settings.iter().map(|set| format!("--conf {}={}", set.key, set.value)).collect();
        let second = given(&words.join(" "));
        prop_assert_eq!(&second.settings, &[]);
        prop_assert!(second.defeated.is_empty(), "{:?}", second.defeated);
        prop_assert_eq!(second.cluster_side, first.cluster_side);
    }

    /// A longer limit never needs fewer settings.
    #[test]
    fn a_longer_limit_needs_no_less(seconds in 1u64..2_147_483, manager in 0usize..6, cluster: bool) {
        let keys = |seconds| {
            let pause = planned("", |debugged| {
                debugged.limit = Duration::from_secs(seconds);
                debugged.manager = MANAGERS[manager];
                debugged.cluster = cluster;
                debugged.python = true;
            });
            pause.settings.into_iter().map(|set| set.key).collect::<Vec<_>>()
        };
        let longer = keys(seconds + 1);
        prop_assert!(keys(seconds).iter().all(|key| longer.contains(key)));
    }
}
