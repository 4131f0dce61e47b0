use super::*;

fn line(script: Script, words: &str) -> CommandLine {
    scan(script, &words.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
}

fn setting(option: &str, value: &str) -> Option<Setting> {
    Some(Setting { option: option.to_owned(), value: value.to_owned() })
}

#[test]
fn options_of_flink_end_at_the_jar() {
    let found = line(Script::Flink, "run -c org.X -t yarn-application -Da=1 -D b=2=3 app.jar -t local -Dc=3 -h");
    assert_eq!(found.action.as_deref(), Some("run"));
    assert_eq!(found.target, setting("-t", "yarn-application"));
    assert_eq!(found.get("c"), None);
    assert_eq!(found.question, None);
    assert_eq!(found.place, 1);
    let expected = [
        Dynamic { key: "a".into(), value: "1".into(), at: 5, range: 4..5, is_glued: true, is_old: false },
        Dynamic { key: "b".into(), value: "2=3".into(), at: 7, range: 2..5, is_glued: false, is_old: false },
    ];
    assert_eq!(found.dynamic, expected);
}

#[test]
fn long_options_and_old_ones() {
    let found = line(Script::Flink, "run --target=remote -m yarn-cluster -yid app_1 -yD k=v -sae -py job.py");
    assert_eq!(found.target, setting("--target", "remote"));
    assert_eq!(found.jobmanager, setting("-m", "yarn-cluster"));
    assert_eq!(found.session, setting("-yid", "app_1"));
    assert!(found.dynamic[0].is_old);
    assert_eq!(found.get("k").map(|dynamic| dynamic.range.clone()), Some(2..3));
    assert!(found.stops_job_at_exit && found.python);
}

#[test]
fn questions() {
    assert_eq!(line(Script::Flink, "--version").question.as_deref(), Some("--version"));
    assert_eq!(line(Script::Flink, "run -h").question.as_deref(), Some("-h"));
    assert_eq!(line(Script::YarnSession, "-q").question.as_deref(), Some("-q"));
    assert_eq!(line(Script::SqlGateway, "start --help").question.as_deref(), Some("--help"));
    assert_eq!(line(Script::Flink, "run app.jar -h").question, None);
    assert_eq!(line(Script::TaskManager, "start -h").question, None);
}

#[test]
fn however_they_are_written() {
    for (words, typed) in [
        ("run -tlocal x", "-t"),
        ("run --targ local x", "--targ"),
        ("run -target=local x", "-target"),
        ("run -dt local x", "-dt"),
        ("run -p4 -t=local x", "-t"),
    ] {
        assert_eq!(line(Script::Flink, words).target, setting(typed, "local"), "{words}");
    }
}

/// `-m yarn-cluster` reads `-yD` alone, everything else `-D` alone.
#[test]
fn settings_that_nobody_reads() {
    let mut old = line(Script::Flink, "run -m yarn-cluster -Da=1 -yD b=2 x.jar");
    let mut new = old.clone();
    old.drop_unread(true);
    new.drop_unread(false);
    let keys = |line: &CommandLine| line.dynamic.iter().map(|dynamic| dynamic.key.clone()).collect::<Vec<_>>();
    assert_eq!((keys(&old), keys(&new)), (vec!["b".to_owned()], vec!["a".to_owned()]));
    assert_eq!(
        (old.words_for("k", "v"), new.words_for("k", "v")),
        (vec!["-yD".into(), "k=v".into()], vec!["-Dk=v".into()])
    );
}

/// The first word that is no option of `standalone-job.sh` ends its options.
#[test]
fn words_of_a_standalone_job() {
    let keys = |words| {
        line(Script::StandaloneJob, words).dynamic.iter().map(|dynamic| dynamic.key.clone()).collect::<Vec<_>>()
    };
    assert_eq!(keys("start -D a=1 --job-classname X -n --jars x.jar -D b=1 one -D c=1"), ["a", "b"]);
    assert_eq!(keys("start -j X --input -D c=1"), [] as [&str; 0]);
}

/// The same letters mean other things to other scripts.
#[test]
fn letters() {
    let session = line(Script::YarnSession, "-t /ship -id application_1 -D a=1");
    assert_eq!((session.target, session.session), (None, setting("-id", "application_1")));
    assert_eq!(session.dynamic.len(), 1);
    let sql = line(Script::SqlClient, "embedded -e env.yaml -Dexecution.target=yarn-application");
    assert_eq!(sql.target, None);
    assert_eq!(sql.action.as_deref(), Some("embedded"));
    assert_eq!(sql.get("execution.target").map(|dynamic| dynamic.at), Some(3));
    assert_eq!(sql.place, 1);
}

#[test]
fn daemons() {
    let jobmanager = line(Script::JobManager, "start host1 8082 -D a=1");
    assert!(jobmanager.starts());
    assert_eq!(jobmanager.host.as_deref(), Some("host1"));
    assert_eq!(jobmanager.place, 5);
    assert_eq!(line(Script::JobManager, "start -D a=1").host, None);
    assert_eq!(line(Script::StandaloneJob, "start --job-classname X").place, 1);
    assert_eq!(line(Script::TaskManager, "").place, 0);
    assert!(!line(Script::TaskManager, "stop").starts());
    assert!(line(Script::SqlGateway, "").starts());
}
