use super::*;

fn debugged<'a>(
    script: Script,
    deployment: &'a Deployment,
    given: &'a dyn Fn(&str) -> Option<(String, String)>,
) -> Debugged<'a> {
    Debugged {
        limit: seconds(7_200),
        script,
        deployment,
        version: None,
        client: false,
        jobmanager: false,
        taskmanager: false,
        taskmanager_suspends: false,
        stops_job_at_exit: false,
        given,
    }
}

fn nothing(_: &str) -> Option<(String, String)> {
    None
}

fn shown(settings: &[Setting]) -> Vec<String> {
    settings.iter().map(|setting| format!("{}={}", setting.key, setting.value)).collect()
}

#[test]
fn a_taskmanager_that_is_added() {
    let pause = plan(&Debugged { taskmanager: true, ..debugged(Script::TaskManager, &Deployment::Here, &nothing) });
    assert_eq!(shown(&pause.jobmanager), [""; 0]);
    let expected = ["heartbeat.timeout=7200000", "akka.ask.timeout=7200000", "task.cancellation.timeout=0"];
    assert_eq!(shown(&pause.taskmanager), expected);
    let elsewhere = [
        "the JobManager must bear the pause too: heartbeat.timeout is 50s there unless it was started with -D heartbeat.timeout=7200000",
        "a job with checkpoints brings its own limits: flink run -Dexecution.checkpointing.timeout=7200000 -Dexecution.checkpointing.tolerable-failed-checkpoints=1000000",
    ];
    assert_eq!(pause.elsewhere, elsewhere);
}

#[test]
fn a_whole_cluster() {
    let both =
        Debugged { jobmanager: true, taskmanager: true, ..debugged(Script::StartCluster, &Deployment::Here, &nothing) };
    let pause = plan(&both);
    let of_jobmanager = [
        "heartbeat.timeout=7200000",
        "akka.ask.timeout=7200000",
        "slot.request.timeout=7200000",
        "web.timeout=7200000",
    ];
    assert_eq!(shown(&pause.jobmanager), of_jobmanager);
    let of_taskmanager = [
        "heartbeat.timeout=7200000",
        "akka.ask.timeout=7200000",
        "task.cancellation.timeout=0",
        "taskmanager.registration.timeout=7200000",
    ];
    assert_eq!(shown(&pause.taskmanager), of_taskmanager);
}

#[test]
fn an_application_on_yarn() {
    let yarn = Deployment::Deploys { manager: Manager::Yarn, application: true };
    let old = Version::parse("1.14.6");
    let all = Debugged {
        version: old.as_ref(),
        jobmanager: true,
        taskmanager: true,
        taskmanager_suspends: true,
        ..debugged(Script::Flink, &yarn, &nothing)
    };
    let expected = [
        "heartbeat.timeout=7200000",
        "akka.ask.timeout=7200000",
        "slot.request.timeout=7200000",
        "task.cancellation.timeout=0",
        "resourcemanager.taskmanager-registration.timeout=7200000",
        "taskmanager.registration.timeout=7200000",
        "web.timeout=7200000",
        "client.timeout=7200000",
        "rest.idleness-timeout=7200000",
        "execution.checkpointing.timeout=7200000",
        "execution.checkpointing.tolerable-failed-checkpoints=1000000",
    ];
    let pause = plan(&all);
    assert_eq!(shown(&pause.jobmanager), expected);
    assert_eq!(pause.elsewhere.len(), 1);
    assert_eq!(plan(&Debugged { limit: seconds(600), ..all }).elsewhere, [""; 0]);
}

/// Only ever longer than what is in effect.
#[test]
fn a_short_limit_needs_little() {
    let short = Debugged {
        limit: seconds(40),
        taskmanager: true,
        ..debugged(Script::TaskManager, &Deployment::Here, &nothing)
    };
    let pause = plan(&short);
    assert_eq!(shown(&pause.taskmanager), ["akka.ask.timeout=40000"]);
    assert_eq!(pause.elsewhere, [""; 0]);
}

#[test]
fn the_users_values_stay() {
    let given = |key: &str| {
        let value = match key {
            "heartbeat.timeout" => "1 min",
            "akka.ask.timeout" => "3 h",
            "task.cancellation.timeout" => "0",
            _ => return None,
        };
        Some((value.to_owned(), "/c/config.yaml line 7".to_owned()))
    };
    let pause = plan(&Debugged { taskmanager: true, ..debugged(Script::TaskManager, &Deployment::Here, &given) });
    assert_eq!(shown(&pause.taskmanager), [""; 0]);
    let expected = "heartbeat.timeout is `1 min` (/c/config.yaml line 7): a JobManager or TaskManager that is silent for 50s is given up, and its tasks fail; kept, so a pause cannot last 2h";
    assert_eq!(pause.defeated, [expected]);
}

#[test]
fn a_client_that_takes_its_job_along() {
    let client =
        Debugged { client: true, stops_job_at_exit: true, ..debugged(Script::Flink, &Deployment::Client, &nothing) };
    assert_eq!(shown(&plan(&client).jobmanager), ["client.heartbeat.timeout=7200000"]);
    assert_eq!(plan(&Debugged { stops_job_at_exit: false, ..client }), FlinkPause::default());
}

/// The old name is read by every version, the new one since 1.18.
#[test]
fn the_name_of_the_time_for_requests() {
    let name = |version| ask_timeout(Version::parse(version).as_ref());
    assert_eq!(["1.17.2", "1.18.0", "2.1.0"].map(name), ["akka.ask.timeout", "pekko.ask.timeout", "pekko.ask.timeout"]);
    assert_eq!(ask_timeout(None), "akka.ask.timeout");
}
