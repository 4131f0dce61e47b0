use super::*;

const FREE: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0";
const HELD: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:5005";
const HELD_FREE: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:0";
const DIALS: &str = "-agentlib:jdwp=transport=dt_socket,server=n,suspend=n,address=10.0.0.171:5005";

fn process(words: &[&str]) -> Process {
    Process { pid: 7, argv: words.iter().map(|word| word.to_string()).collect(), has_jars: true, ..Process::default() }
}

fn listening(port: u16) -> Socket {
    Socket { local: port, remote: 0, listens: true }
}

fn connection(local: u16, remote: u16) -> Socket {
    Socket { local, remote, listens: false }
}

fn submit(agent: &str, sockets: Vec<Socket>, has_jars: bool) -> (State, Option<u16>) {
    let words = ["/j/bin/java", "-cp", "/s/jars/*", agent, "org.apache.spark.deploy.SparkSubmit", "app.py"];
    let found = found(&Process { sockets, has_jars, ..process(&words) }).expect("a JVM of Spark's");
    (found.jvm.state, found.jvm.port)
}

#[test]
fn a_driver_from_before_main_to_its_debugger() {
    assert_eq!(submit(HELD, vec![listening(5005)], false), (State::Waiting, Some(5005)));
    assert_eq!(submit(HELD, vec![connection(5005, 40000)], false), (State::Attached, Some(5005)));
    assert_eq!(submit(HELD, vec![listening(5005), listening(4040)], true), (State::Listening, Some(5005)));
    assert_eq!(submit(HELD, vec![listening(4040)], true), (State::Unknown, Some(5005)));
    assert_eq!(submit(HELD_FREE, vec![listening(41234)], false), (State::Waiting, Some(41234)));
    assert_eq!(submit("-Xmx1g", vec![listening(4040)], true), (State::Unknown, None));
}

#[test]
fn no_port_is_guessed() {
    assert_eq!(submit(FREE, vec![listening(41234)], true), (State::Unknown, None));
    assert_eq!(submit(FREE, vec![listening(41234), listening(4040)], false), (State::Unknown, None));
}

#[test]
fn the_last_line_of_its_output_tells_the_port() {
    let executor = "org.apache.spark.executor.CoarseGrainedExecutorBackend";
    let words = ["java", FREE, executor, "--executor-id", "3", "--app-id", "app-1"];
    let with = |sockets| {
        let process = Process { sockets, last_port: Some(38933), ..process(&words) };
        let jvm = found(&process).expect("an executor").jvm;
        assert_eq!((jvm.app.as_deref(), jvm.role, jvm.id.as_str()), (Some("app-1"), Role::Executor, "3"));
        (jvm.state, jvm.port)
    };
    assert_eq!(with(vec![listening(1), listening(38933)]), (State::Listening, Some(38933)));
    assert_eq!(with(vec![listening(1), connection(38933, 2)]), (State::Attached, Some(38933)));
    assert_eq!(with(vec![listening(1)]), (State::Unknown, Some(38933)));
}

#[test]
fn who_dials_out() {
    let (state, port) = submit(DIALS, vec![connection(40000, 5005)], true);
    assert_eq!((state, port), (State::Dialled, None));
    let words = ["java", DIALS, "org.apache.spark.deploy.SparkSubmit", "app.py"];
    let remark = |sockets| found(&Process { sockets, ..process(&words) }).unwrap().jvm.remark.unwrap();
    assert_eq!(remark(vec![connection(1, 5005)]), "it is connected to the debugger at 10.0.0.171:5005; pid 7");
    assert_eq!(remark(vec![]), "its debugger at 10.0.0.171:5005 has left; it dials once, at its start; pid 7");
    let starting = found(&Process { has_jars: false, ..process(&words) }).unwrap().jvm.remark.unwrap();
    assert!(starting.starts_with("it dials the debugger at 10.0.0.171:5005"), "{starting}");
}

#[test]
fn roles_and_names() {
    let row = |words: &[&str]| found(&process(words)).map(|found| (found.jvm.role, found.jvm.id, found.jvm.app));
    let driver = |app: &str| Some((Role::Driver, "driver".to_owned(), Some(app.to_owned())));
    let submit = "org.apache.spark.deploy.SparkSubmit";
    assert_eq!(row(&["java", submit, "--name", "count", "--class", "C", "a.jar"]), driver("count"));
    assert_eq!(row(&["java", submit, "--class", "C", "a.jar"]), driver("C"));
    assert_eq!(row(&["java", submit, "--conf", "spark.app.name=n", "x/a.jar", "--name", "no"]), driver("n"));
    assert_eq!(row(&["java", submit, "--master", "local", "x/app.py", "200"]), driver("app.py"));
    assert_eq!(row(&["java", submit, "--deploy-mode", "cluster", "a.jar"]), None);
    assert_eq!(row(&["java", submit, "--conf", "spark.submit.deployMode=cluster", "a.jar"]), None);
    let daemon = Some((Role::Daemon, "master".to_owned(), None));
    assert_eq!(row(&["java", "-Xmx1g", "org.apache.spark.deploy.master.Master"]), daemon);
    assert_eq!(row(&["java", "org.example.Other"]), None);
    let launcher = "org.apache.spark.launcher.Main";
    assert_eq!(row(&["java", "-Xmx128m", launcher, submit, "app.py"]), None);
    let held = Some((Role::Daemon, "launcher".to_owned(), None));
    assert_eq!(row(&["java", HELD, launcher, submit, "app.py"]), held);
    let master = "org.apache.spark.deploy.yarn.ApplicationMaster";
    let in_container = Process {
        container: Some("container_e17_1700000000000_0001_01_000001".to_owned()),
        ..process(&["java", master, "--class", "C"])
    };
    assert_eq!(found(&in_container).unwrap().jvm.app.as_deref(), Some("application_1700000000000_0001"));
}

#[test]
fn jvms_of_flink() {
    let row = |words: &[&str]| {
        let found = found(&process(words)).expect("a JVM of Flink's");
        (found.jvm.role, found.jvm.id, found.conf, found.ui)
    };
    let conf = Some(PathBuf::from("/f/conf"));
    let session = "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint";
    let plain = ["java", "-Xmx1g", session, "-D", "rest.port=7", "--configDir", "/f/conf"];
    assert_eq!(row(&plain), (Role::JobManager, "jobmanager".to_owned(), conf.clone(), None));
    let runner = "org.apache.flink.runtime.taskexecutor.TaskManagerRunner";
    let plain = ["java", runner, "--configDir", "/f/conf", "-D", "taskmanager.cpu.cores=1.0"];
    assert_eq!(row(&plain), (Role::TaskManager, "taskmanager".to_owned(), conf, None));
    let client = ["java", FREE, "org.apache.flink.client.cli.CliFrontend", "run", "-c", "Main", "a.jar"];
    assert_eq!(row(&client).0, Role::Client);
    let gateway = ["java", "org.apache.flink.table.gateway.SqlGateway", "--configDir", "/f/conf"];
    assert_eq!((row(&gateway).0, row(&gateway).1.as_str()), (Role::Daemon, "sql-gateway"));

    let container = "container_e17_1700000000000_0001_01_000002";
    let resource = format!("-Dtaskmanager.resource-id={container}");
    let runner = "org.apache.flink.yarn.YarnTaskExecutorRunner";
    let on_yarn = Process {
        container: Some(container.to_owned()),
        sockets: vec![listening(8085)],
        ..process(&["java", runner, "-D", "x=1", &resource, "--configDir", "."])
    };
    let found = found(&on_yarn).unwrap().jvm;
    assert_eq!((found.id.as_str(), found.app.as_deref()), (container, Some("application_1700000000000_0001")));
}

/// Only where it listens.
#[test]
fn the_ui_of_a_jobmanager() {
    let session = "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint";
    let ui = |words: [&str; 2]| {
        let sockets = vec![listening(8085), listening(6123)];
        found(&Process { sockets, ..process(&["java", session, words[0], words[1]]) }).unwrap().ui
    };
    assert_eq!(ui(["-D", "rest.port=8085"]), Some(8085));
    assert_eq!(ui(["-Drest.port=1", "-Drest.port=8085"]), Some(8085));
    assert_eq!(ui(["--webui-port", "8085"]), Some(8085));
    assert_eq!(ui(["-D", "rest.port=8086"]), None);
    let conf = tempfile::tempdir().expect("a directory");
    std::fs::write(conf.path().join("config.yaml"), "rest:\n  bind-port: 8080-8090\n").expect("a file");
    assert_eq!(ui(["--configDir", conf.path().to_str().unwrap()]), Some(8085));
}

#[test]
fn where_executors_have_their_directories() {
    let work = |words: &[&str], cwd: &str, home: Option<&str>| {
        let spark_home = home.map(PathBuf::from);
        found(&Process { cwd: PathBuf::from(cwd), spark_home, ..process(words) }).unwrap().work
    };
    let driver = ["java", "org.apache.spark.deploy.SparkSubmit", "app.py"];
    assert_eq!(work(&driver, "/d", Some("/s")), Some(PathBuf::from("/s/work")));
    assert_eq!(work(&driver, "/d", None), Some(PathBuf::from("/d/work")));
    let class = "org.apache.spark.executor.CoarseGrainedExecutorBackend";
    let executor = ["java", class, "--executor-id", "3", "--app-id", "app-1"];
    assert_eq!(work(&executor, "/w/app-1/3", Some("/s")), Some(PathBuf::from("/w")));
    assert_eq!(work(&executor, "/yarn/container_1", Some("/s")), None);
}

#[test]
fn its_ui_is_asked_where_its_command_line_says() {
    let ui = |agent: &str| {
        let submit = "org.apache.spark.deploy.SparkSubmit";
        let words = ["java", agent, submit, "--conf", "spark.ui.port=5005", "app.py"];
        found(&Process { sockets: vec![listening(5005)], ..process(&words) }).unwrap().ui
    };
    assert_eq!(ui("-Xmx1g"), Some(5005));
    // Never a port that waits for a debugger.
    assert_eq!(ui(HELD), None);
}

#[test]
fn the_agent_may_come_from_a_variable() {
    let words = ["java", "org.apache.spark.deploy.SparkSubmit", "app.py"];
    let with = Process {
        options: vec![format!("-Da=1 {HELD}")],
        agent_suffix: Some("address=127.0.0.1:5954".to_owned()),
        sockets: vec![listening(5954)],
        ..process(&words)
    };
    assert_eq!(found(&with).unwrap().jvm.port, Some(5954));
}
