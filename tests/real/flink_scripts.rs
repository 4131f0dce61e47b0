//! What the real scripts of four Flinks make of a plan: every JVM that they mean to start tells its words in place of
//! running. Their helper JVMs, which read the configuration and reckon memory, are real.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use crate::job::Job;
use crate::lab::{Lab, free_port};

/// Helper JVMs start twice or thrice for each daemon.
const LIMIT: Duration = Duration::from_secs(120);

/// Takes the place of `java`. It stays for a while, since the scripts look whether a daemon is still there.
const JAVA: &str = r#"#!/usr/bin/env bash
for word in "$@"; do
  case $word in
    *.BashJavaUtils | -XshowSettings*) exec @java/bin/java -Xmx128m "$@" ;;
  esac
done
told=@told/$(date +%s%N)
printf '%s\0' "$@" > $told.part
mv $told.part $told.words
exec sleep 3
"#;

/// A JVM that was meant to start.
#[derive(Debug)]
struct Jvm {
    /// Its options, but for those of memory and logs, which the scripts reckon.
    options: Vec<String>,
    /// What stands behind the main class.
    args: Vec<String>,
}

impl Jvm {
    fn read(words: &[String]) -> Jvm {
        let class_path = words.iter().position(|word| word == "-classpath").expect("a class path");
        let reckoned = ["-Xm", "-XX:Max", "-Dlog"];
        let of_ours = |word: &&String| !reckoned.iter().any(|start| word.starts_with(start));
        // `yarn-session.sh` has its log settings behind the class path.
        let class = words[class_path + 2..].iter().position(|word| !word.starts_with('-')).expect("a main class");
        Jvm {
            options: words[..class_path].iter().filter(of_ours).cloned().collect(),
            args: words[class_path + 3 + class..].to_vec(),
        }
    }

    /// Whether these words stand in its arguments, side by side.
    fn has(&self, words: &[&str]) -> bool {
        self.args.windows(words.len()).any(|found| found == words)
    }
}

struct Scripts {
    lab: Lab,
    version: &'static str,
    told: PathBuf,
    port: u16,
}

impl Scripts {
    fn new(version: &'static str) -> Self {
        let lab = Lab::flink_scripts(version);
        let told = lab.subdir("told");
        let (real, told_in) = (lab.java.display().to_string(), told.display().to_string());
        let java = lab.file("java/bin/java", &JAVA.replace("@java", &real).replace("@told", &told_in));
        fs::set_permissions(java, Permissions::from_mode(0o755)).expect("an executable");
        lab.file("java/release", "JAVA_VERSION=\"17\"\n");
        let conf = lab.subdir("conf");
        for file in fs::read_dir(lab.home.join("conf")).expect("the distribution's configuration").flatten() {
            fs::copy(file.path(), conf.join(file.file_name())).expect("a copy of it");
        }
        lab.file("conf/workers", "localhost\nlocalhost\n");
        Self { lab, version, told, port: free_port() }
    }

    fn is_old(&self) -> bool {
        self.version.starts_with("1.14")
    }

    /// What the shipped configuration and the scripts give every JVM besides.
    fn of_all(&self) -> Vec<String> {
        let yaml = self.lab.dir().join("conf/config.yaml");
        let file = if yaml.is_file() { yaml } else { self.lab.dir().join("conf/flink-conf.yaml") };
        let text = fs::read_to_string(file).expect("the configuration");
        let words = text.split_whitespace().filter(|word| word.starts_with("--add-"));
        let added = Some("-XX:+IgnoreUnrecognizedVMOptions").filter(|_| !self.is_old());
        let all: Vec<String> = added.into_iter().chain(words).map(str::to_owned).collect();
        let number = match self.version {
            "1.14.6" => 0,
            "2.1.0" => 20,
            _ => 21,
        };
        assert_eq!(all.len(), number, "{all:?}");
        all
    }

    fn agent(&self) -> String {
        agent(self.port)
    }

    /// Runs `sparkdbg flink OPTION -- WORDS` and returns that many JVMs in the order of their starts.
    fn run(&self, number: usize, option: &str, words: &[&str]) -> Vec<Jvm> {
        let mut command = self.lab.sparkdbg();
        command.args(["-q", "flink", &option.replace("@port", &self.port.to_string()), "--"]).args(words);
        command
            .env("JAVA_HOME", self.lab.dir().join("java"))
            .env("XDG_CACHE_HOME", self.lab.subdir("cache"))
            .env("FLINK_CONF_DIR", self.lab.dir().join("conf"))
            .env("FLINK_LOG_DIR", self.lab.subdir("log"))
            .env("FLINK_PID_DIR", self.lab.subdir("pid"))
            .env("USER", "lab");
        let ended = Job::start(&mut command, self.lab.dir(), None).end_with_daemons(LIMIT).expect("it ends");
        assert!(ended.status.success(), "{words:?}: {ended:#?}");
        // A script does not wait for the daemon that it starts.
        let since = Instant::now();
        while self.told().len() < number && since.elapsed() < LIMIT {
            thread::sleep(Duration::from_millis(20));
        }
        let told = self.told();
        assert_eq!(told.len(), number, "{words:?}: {told:?}, {ended:#?}");
        let jvm = |file: &PathBuf| {
            let text = fs::read_to_string(file).expect("words");
            fs::remove_file(file).expect("it was there");
            Jvm::read(&text.split_terminator('\0').map(str::to_owned).collect::<Vec<_>>())
        };
        told.iter().map(jvm).collect()
    }

    fn run_one(&self, option: &str, words: &[&str]) -> Jvm {
        self.run(1, option, words).remove(0)
    }

    fn told(&self) -> Vec<PathBuf> {
        let files = fs::read_dir(&self.told).expect("what was told").flatten().map(|file| file.path());
        let mut whole: Vec<PathBuf> =
            files.filter(|file| file.extension().is_some_and(|extension| extension == "words")).collect();
        whole.sort();
        whole
    }
}

fn agent(port: u16) -> String {
    format!("-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:{port}")
}

/// The agent once, in front; every `--add-opens` still there; the settings of a pause among the daemon's arguments.
fn one_jvm_each(version: &'static str) {
    let scripts = Scripts::new(version);
    let all = scripts.of_all();
    let in_front = [&[scripts.agent()], all.as_slice()].concat();
    let ask = if scripts.is_old() { "akka.ask.timeout=7200000" } else { "pekko.ask.timeout=7200000" };

    let client = scripts.run_one("--client=attach:@port,nosuspend", &["run", "x.jar", "-D", "a=b c"]);
    assert_eq!(client.options, in_front);
    assert_eq!(client.args, ["run", "x.jar", "-D", "a=b c"]);

    let sql = scripts.run_one("--client=attach:@port,nosuspend", &["sql-client.sh", "-f", "x y"]);
    // There the variable that adds stands behind the others, of which 1.14 has none.
    let behind = [all.as_slice(), &[scripts.agent()]].concat();
    assert_eq!(sql.options, behind);
    assert_eq!(sql.args[..2], ["-f", "x y"]);

    let jobmanager = scripts.run_one("--jobmanager=attach:@port", &["jobmanager.sh", "start-foreground"]);
    assert_eq!(jobmanager.options, in_front);
    for setting in ["heartbeat.timeout=7200000", ask, "slot.request.timeout=7200000", "web.timeout=7200000"] {
        assert!(jobmanager.has(&["-D", setting]), "{setting}: {jobmanager:#?}");
    }
    assert!(jobmanager.has(&["--configDir"]), "{jobmanager:#?}");

    let taskmanager = scripts.run_one("--taskmanager=attach:@port", &["taskmanager.sh", "start"]);
    let collector: &[String] = if scripts.is_old() { &["-XX:+UseG1GC".to_owned()] } else { &[] };
    assert_eq!(taskmanager.options, [&[scripts.agent()], collector, all.as_slice()].concat());
    for setting in ["heartbeat.timeout=7200000", ask, "task.cancellation.timeout=0"] {
        assert!(taskmanager.has(&["-D", setting]), "{setting}: {taskmanager:#?}");
    }

    let words = ["standalone-job.sh", "start-foreground", "--job-classname", "X", "one", "-D", "k=v"];
    let standalone = scripts.run_one("--jobmanager=attach:@port", &words);
    assert_eq!(standalone.options, in_front);
    assert!(standalone.has(&["-D", "execution.checkpointing.timeout=7200000"]), "{standalone:#?}");
    assert!(standalone.has(&words[2..]), "{standalone:#?}");

    let history = scripts.run_one("--daemon=attach:@port", &["historyserver.sh", "start-foreground"]);
    assert_eq!(history.options, in_front);

    let session = scripts.run_one("--jobmanager=attach:@port", &["yarn-session.sh", "-d"]);
    assert_eq!(session.options, if version.starts_with("1.1") { Vec::new() } else { all });
    let carried = format!("-Denv.java.opts.jobmanager={}", scripts.agent());
    assert!(session.has(&[&carried]) && session.args.ends_with(&["-d".to_owned()]), "{session:#?}");
}

/// A JobManager and two TaskManagers: each has its own agent once, behind what the file has for all.
fn a_cluster(version: &'static str) {
    let scripts = Scripts::new(version);
    let all = scripts.of_all();
    let mut jvms = scripts.run(3, "--jobmanager=attach:@port", &["start-cluster.sh"]);
    let undebugged: Vec<String> = if scripts.is_old() { vec!["-XX:+UseG1GC".to_owned()] } else { all.clone() };
    assert_eq!(jvms[0].options, [all.as_slice(), &[scripts.agent()]].concat());
    assert_eq!((&jvms[1].options, &jvms[2].options), (&undebugged, &undebugged));

    fs::remove_dir_all(scripts.lab.dir().join("pid")).expect("the files of daemons that have ended");
    if !scripts.is_old() {
        let name = if scripts.lab.dir().join("conf/config.yaml").is_file() { "config.yaml" } else { "flink-conf.yaml" };
        let file = scripts.lab.dir().join("conf").join(name);
        let text = fs::read_to_string(&file).expect("the configuration");
        fs::write(file, format!("{text}\nenv.java.opts.taskmanager: -Dtm=1 -Dn=$id\n")).expect("a line more");
    }
    jvms = scripts.run(3, "--taskmanager", &["start-cluster.sh"]);
    assert_eq!(jvms[0].options, all);
    let address = |jvm: &Jvm| {
        let agent = jvm.options.iter().find(|option| option.starts_with("-agentlib:")).expect("an agent");
        agent.rsplit(':').next().and_then(|port| port.parse::<u16>().ok()).expect("a port")
    };
    let first = address(&jvms[1]);
    assert!(first >= 5006, "{first}");
    for (number, taskmanager) in jvms[1..].iter().enumerate() {
        let own = agent(first + number as u16);
        let behind = match scripts.is_old() {
            true => vec![own, "-XX:+UseG1GC".to_owned()],
            false => vec![own, "-Dtm=1".to_owned(), format!("-Dn={number}")],
        };
        assert_eq!(taskmanager.options, [all.as_slice(), &behind].concat());
        for setting in ["heartbeat.timeout=7200000", "task.cancellation.timeout=0"] {
            assert!(taskmanager.has(&["-D", setting]), "{setting}: {taskmanager:#?}");
        }
    }
    assert!(jvms[0].has(&["-D", "slot.request.timeout=7200000"]), "{:#?}", jvms[0]);
}

#[test]
fn one_jvm_each_flink_1_14() {
    one_jvm_each("1.14.6");
}

#[test]
fn one_jvm_each_flink_1_18() {
    one_jvm_each("1.18.1");
}

#[test]
fn one_jvm_each_flink_1_20() {
    one_jvm_each("1.20.1");
}

#[test]
fn one_jvm_each_flink_2() {
    one_jvm_each("2.1.0");
}

#[test]
fn a_cluster_flink_1_14() {
    a_cluster("1.14.6");
}

#[test]
fn a_cluster_flink_1_18() {
    a_cluster("1.18.1");
}

#[test]
fn a_cluster_flink_1_20() {
    a_cluster("1.20.1");
}

#[test]
fn a_cluster_flink_2() {
    a_cluster("2.1.0");
}
