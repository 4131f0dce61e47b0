//! `sparkdbg flink run-application -t yarn-application` on a real YARN: JobManager and TaskManagers are JVMs of containers, and the
//! agents travel with the configuration.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::cluster::flink::Flink;
use crate::cluster::processes_below;
use crate::cluster::yarn::MiniYarn;
use crate::flink_distribution::FLINK_1;
use crate::jdb::Jdb;
use crate::job::Job;
use crate::lab::{Lab, free_port};
use crate::numbers::Numbers;
use sparkdbg::flink::conf::{self, Syntax};

/// For a container to come up on a busy machine.
const CONTAINER_LIMIT: Duration = Duration::from_secs(150);

#[test]
fn application_on_yarn() {
    let lab = Lab::flink(FLINK_1);
    let yarn = MiniYarn::start(&lab, 1);
    let numbers = Numbers::new(&lab);
    // Its configuration alone: the cluster is YARN's.
    let flink = Flink::new(&lab);
    let in_jobmanager = free_port();
    let mut run = lab.sparkdbg();
    run.args(["flink", &format!("--jobmanager=attach:{in_jobmanager},suspend"), "--taskmanager", "--"]);
    run.args(["run-application", "-t", "yarn-application"]);
    yarn.apply_to_flink(flink.apply(&mut run), &lab);
    numbers.add_to(&mut run, 0, 0);
    let mut client = Job::start(&mut run, &lab.subdir("client"), None);

    // main, in the JobManager.
    let has_container = || processes_below(yarn.dir()).iter().any(|jvm| jvm.command_line.contains("/container_"));
    let mut jdb = Jdb::attach(&lab.java, in_jobmanager, lab.dir(), || client.alive() || has_container())
        .unwrap_or_else(|error| panic!("{error}\n{}\n{}", client.said(), said_below(yarn.dir())));
    let token = jdb.started_suspended().and_then(|()| {
        // Hadoop looks for classes that are not there in a frame that jdb takes for the last.
        jdb.ask("ignore uncaught java.lang.Throwable")?;
        jdb.stop_at(Numbers::CLASS, numbers.main_line)?;
        jdb.cont()?;
        jdb.breakpoint_hit(CONTAINER_LIMIT)?;
        jdb.print("token")
    });
    assert_eq!(token, Ok(format!("\"{}\"", numbers.main_token())), "{}", said_below(yarn.dir()));
    jdb.quit().expect("it goes on");

    // The TaskManager picked a port of its own, which its output names.
    let port = wait_for_port(yarn.dir(), || client.said());
    let dir = lab.subdir("jdb-task");
    let mut jdb = Jdb::attach(&lab.java, port, &dir, || true).expect("jdb attaches");
    jdb.stand_at(Numbers::TASK_CLASS, numbers.task_line, CONTAINER_LIMIT).unwrap_or_else(|error| panic!("{error}"));
    let seen = Numbers::seen_by(&mut jdb).expect("its variables");
    assert_eq!(seen.token, numbers.task_token());
    jdb.clear(Numbers::TASK_CLASS, numbers.task_line).expect("it was set");
    jdb.quit().expect("it goes on");

    // Each JVM has one agent, and what the configuration held before.
    let jvms: Vec<String> = processes_below(yarn.dir()).into_iter().map(|process| process.command_line).collect();
    for class in ["YarnApplicationClusterEntryPoint", "YarnTaskExecutorRunner"] {
        let of_class = |line: &&String| line.contains(class) && !line.starts_with("/bin/bash");
        let line = jvms.iter().find(of_class).unwrap_or_else(|| panic!("no {class}: {jvms:#?}"));
        assert_eq!(line.matches("-agentlib:jdwp=").count(), 1, "{line}");
        assert_eq!(line.matches("--add-opens").count(), 12, "{line}");
    }
    let settings = run_settings(yarn.dir());
    let set: Vec<(&str, Vec<&str>)> =
        ["heartbeat.timeout", "task.cancellation.timeout", "execution.checkpointing.timeout"]
            .into_iter()
            .map(|key| {
                (key, settings.iter().filter(|(known, _)| known == key).map(|(_, value)| value.as_str()).collect())
            })
            .collect();
    let expected = [
        ("heartbeat.timeout", vec!["7200000"]),
        ("task.cancellation.timeout", vec!["0"]),
        ("execution.checkpointing.timeout", vec!["7200000"]),
    ];
    assert_eq!(set, expected);
    numbers.end();
}

/// The configuration that YARN gave the JobManager, key by key.
fn run_settings(dir: &Path) -> Vec<(String, String)> {
    let files = files_below(dir);
    let conf = files.iter().find(|path| path.ends_with("config.yaml"));
    let conf = conf.unwrap_or_else(|| panic!("no configuration: {files:#?}"));
    let text = fs::read_to_string(conf).expect("it can be read");
    let entries = conf::parse(&text, Syntax::Yaml).expect("what Flink itself wrote");
    entries.into_iter().map(|entry| (entry.key, entry.value)).collect()
}

fn wait_for_port(dir: &Path, said: impl Fn() -> String) -> u16 {
    let started = Instant::now();
    loop {
        let outputs = files_below(dir).into_iter().filter(|file| file.ends_with("taskmanager.out"));
        for output in outputs.filter_map(|file| fs::read_to_string(file).ok()) {
            if let Some((_, rest)) = output.split_once("Listening for transport dt_socket at address: ")
                && let Some((port, _)) = rest.split_once('\n')
            {
                return port.parse().expect("a port");
            }
        }
        assert!(started.elapsed() < CONTAINER_LIMIT, "no TaskManager listens\n{}\n{}", said(), said_below(dir));
        thread::sleep(Duration::from_millis(300));
    }
}

fn files_below(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => files.extend(files_below(&entry.path())),
            _ => files.push(entry.path()),
        }
    }
    files
}

/// What the containers wrote, for the message of a failure.
fn said_below(dir: &Path) -> String {
    let is_said = |file: &PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.ends_with(".out") || name.ends_with(".err") || name.ends_with("manager.log") || name == "prelaunch.err"
    };
    let tail = |file: PathBuf| {
        let text = String::from_utf8_lossy(&fs::read(&file).unwrap_or_default()).into_owned();
        let lines: Vec<&str> = text.lines().collect();
        format!("{}:\n{}\n", file.display(), lines[lines.len().saturating_sub(12)..].join("\n"))
    };
    files_below(dir).into_iter().filter(is_said).map(tail).collect()
}
