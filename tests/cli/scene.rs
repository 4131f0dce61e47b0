//! The one builder of these tests: files, environment and arguments → standard output, standard error, exit status.
//!
//! Paths and ports differ from run to run. So `@root`, `@port`, `@other` and `@host` are put in wherever a test writes
//! a text, in what goes in and in what is expected: both stay readable and exact.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{ErrorKind, Write as _};
use std::net::TcpListener;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use serde_json::Value;
use sparkdbg::environment::ports;
use tempfile::TempDir;

/// The program under test.
pub const SPARKDBG: &str = env!("CARGO_BIN_EXE_sparkdbg");

/// The endpoint option of most tests: 5005, the default, may be taken on the machine of the tests.
pub const DRIVER: &str = "--driver=attach:@port";

/// On a cluster a pause needs settings of its own, which have their own tests.
pub const NO_PAUSE: &str = "--pause-limit=off";

/// An agent that is there already.
pub const J: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=@other";

/// What [`DRIVER`] puts into an option string.
pub const AGENT: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:@port";

/// The words that carry it on Spark 3.0 and later.
pub const INJECTED: [&str; 2] = [
    "--conf",
    "spark.driver.defaultJavaOptions=-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:@port",
];

/// What [`DRIVER`] says before the start.
pub const HINT: &str = "sparkdbg: driver waits for the debugger on 127.0.0.1:@port (IDE: \"Attach to remote JVM\", \
                        host 127.0.0.1, port @port); from another machine: ssh -L @port:127.0.0.1:@port @host\n";

/// Stands for each script of a distribution: tells what it was started with, and with which status it ends.
const SCRIPT: &str = "#!/bin/sh\nprintf '%s\\0' \"$0\" \"$#\" \"$@\"\nenv -0\nexit \"${FAKE_STATUS:-0}\"\n";

/// Those that a user starts.
const SCRIPTS: [&str; 8] = [
    "spark-submit",
    "spark-shell",
    "spark-sql",
    "pyspark",
    "sparkR",
    "run-example",
    "spark-connect-shell",
    "spark-class",
];

/// Every command that is built, in the order of the help.
pub const COMMANDS: [&str; 27] = [
    "submit",
    "shell",
    "sql",
    "pyspark",
    "r",
    "example",
    "connect-shell",
    "python",
    "connect-server",
    "thrift-server",
    "worker",
    "master",
    "history-server",
    "pipelines",
    "beeline",
    "class",
    "flink",
    "ps",
    "export",
    "ide",
    "doctor",
    "env",
    "shim",
    "init",
    "profiles",
    "completions",
    "man",
];

/// Variables that a shell makes itself, be it that of a stand-in script or, `LOGNAME`, a zsh that starts it.
const OF_THE_SHELL: [&str; 5] = ["PWD", "OLDPWD", "SHLVL", "_", "LOGNAME"];

/// Says what this machine does not let a test try; past the test harness, which shows no output of a test that passes.
pub fn not_run(what: &str) {
    let _ = writeln!(std::io::stderr(), "NOT RUN: {what}");
}

/// A machine with files and variables, on which sparkdbg is run.
pub struct Scene {
    _dir: TempDir,
    root: PathBuf,
    port: u16,
    other: u16,
    env: BTreeMap<OsString, OsString>,
    cwd: PathBuf,
}

impl Scene {
    /// Java 17, no Spark, an empty working directory `@root/work` below the home directory `@root`.
    pub fn new() -> Scene {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let root = dir.path().canonicalize().expect("it exists");
        let cwd = root.join("work");
        fs::create_dir(&cwd).expect("a working directory");
        let scene = Scene { _dir: dir, root, port: free_port(), other: free_port(), env: BTreeMap::new(), cwd };
        scene
            .file("java/release", "JAVA_VERSION=\"17.0.15\"\n")
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", "@root")
            .env("XDG_CACHE_HOME", "@root/cache")
            .env("XDG_CONFIG_HOME", "@root/config")
            .env("LC_ALL", "C.UTF-8")
            .env("JAVA_HOME", "@root/java")
    }

    /// The same with a Spark in `@root/spark` that `SPARK_HOME` names.
    pub fn spark(version: &str) -> Scene {
        Scene::new().home("spark", Some(version)).env("SPARK_HOME", "@root/spark")
    }

    /// The same with a Spark whose version no file tells.
    pub fn unknown_spark() -> Scene {
        Scene::new().home("spark", None).env("SPARK_HOME", "@root/spark")
    }

    /// A distribution of stand-in scripts.
    pub fn home(mut self, dir: &str, version: Option<&str>) -> Scene {
        for script in SCRIPTS {
            self = self.stand_in(&format!("{dir}/bin/{script}"));
        }
        let scala = if version.is_some_and(|version| version.starts_with("2.")) { "2.11" } else { "2.13" };
        match version {
            Some(version) => self.file(&format!("{dir}/jars/spark-core_{scala}-{version}.jar"), ""),
            None => self,
        }
    }

    /// A stand-in for one script.
    pub fn stand_in(self, path: &str) -> Scene {
        self.script(path, SCRIPT)
    }

    /// An executable file.
    pub fn script(self, path: &str, text: &str) -> Scene {
        self.file(path, text).mode(path, 0o755)
    }

    /// A file, with its directories.
    pub fn file(self, path: &str, text: impl AsRef<[u8]>) -> Scene {
        let file = self.path(path);
        fs::create_dir_all(file.parent().expect("inside the root")).expect("directories");
        fs::write(&file, self.fill_bytes(text.as_ref())).expect("a file");
        self
    }

    /// The mode of a file or directory.
    pub fn mode(self, path: &str, mode: u32) -> Scene {
        fs::set_permissions(self.path(path), fs::Permissions::from_mode(mode)).expect("a mode");
        self
    }

    /// A symbolic link to a path relative to the root, or to an absolute one.
    pub fn link(self, path: &str, target: impl AsRef<Path>) -> Scene {
        let link = self.path(path);
        fs::create_dir_all(link.parent().expect("inside the root")).expect("directories");
        std::os::unix::fs::symlink(self.root.join(target), link).expect("a link");
        self
    }

    /// Takes a file away.
    pub fn without(self, path: &str) -> Scene {
        fs::remove_file(self.path(path)).expect("the file was there");
        self
    }

    /// A variable.
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Scene {
        let value = OsString::from_vec(self.fill_bytes(value.as_ref().as_bytes()));
        self.env.insert(name.into(), value);
        self
    }

    /// A variable less.
    pub fn unset(mut self, name: &str) -> Scene {
        self.env.remove(OsStr::new(name));
        self
    }

    /// Another working directory, made if need be.
    pub fn cwd(mut self, dir: &str) -> Scene {
        self.cwd = self.path(dir);
        fs::create_dir_all(&self.cwd).expect("a working directory");
        self
    }

    /// The port that `@port` stands for; free when the scene was made.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The file that `@root/PATH` stands for.
    pub fn path(&self, path: &str) -> PathBuf {
        self.root.join(self.fill(path))
    }

    /// What a file holds.
    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_else(|cause| panic!("{path}: {cause}"))
    }

    /// The text with the names of this run.
    pub fn fill(&self, text: &str) -> String {
        String::from_utf8(self.fill_bytes(text.as_bytes())).expect("text stays text")
    }

    fn fill_bytes(&self, text: &[u8]) -> Vec<u8> {
        let names = [
            ("@root", self.root.as_os_str().as_bytes().to_vec()),
            ("@port", self.port.to_string().into_bytes()),
            ("@other", self.other.to_string().into_bytes()),
            ("@host", hostname().into_bytes()),
        ];
        let mut rest = text;
        let mut filled = Vec::new();
        while let Some(byte) = rest.first() {
            match names.iter().find(|(name, _)| rest.starts_with(name.as_bytes())) {
                Some((name, value)) => {
                    filled.extend(value);
                    rest = &rest[name.len()..];
                }
                None => {
                    filled.push(*byte);
                    rest = &rest[1..];
                }
            }
        }
        filled
    }

    /// The words with the names of this run.
    pub fn words(&self, words: &[impl AsRef<OsStr>]) -> Vec<OsString> {
        words.iter().map(|word| OsString::from_vec(self.fill_bytes(word.as_ref().as_bytes()))).collect()
    }

    /// A command with this scene's variables and working directory.
    pub fn command(&self, program: impl AsRef<OsStr>, args: &[impl AsRef<OsStr>]) -> Command {
        let mut command = Command::new(program);
        command.args(self.words(args)).env_clear().envs(&self.env).current_dir(&self.cwd).stdin(Stdio::null());
        command
    }

    /// Runs sparkdbg.
    pub fn run(&self, args: &[impl AsRef<OsStr>]) -> Outcome<'_> {
        self.run_program(SPARKDBG, args)
    }

    /// Runs another program: sparkdbg under another name, or a shell that starts it.
    pub fn run_program(&self, program: impl AsRef<OsStr>, args: &[impl AsRef<OsStr>]) -> Outcome<'_> {
        self.finish(self.command(program, args))
    }

    /// Runs sparkdbg with an input.
    pub fn run_with_input(&self, args: &[impl AsRef<OsStr>], input: &str) -> Outcome<'_> {
        let mut command = self.command(SPARKDBG, args);
        let shown = self.shown(&command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = start(&mut command);
        child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it reads");
        self.outcome(shown, child)
    }

    fn finish(&self, mut command: Command) -> Outcome<'_> {
        let shown = self.shown(&command);
        let child = start(command.stdout(Stdio::piped()).stderr(Stdio::piped()));
        self.outcome(shown, child)
    }

    fn outcome(&self, command: String, child: Child) -> Outcome<'_> {
        let output = child.wait_with_output().expect("it ends");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        Outcome { scene: self, command, status: output.status, stdout: output.stdout, stderr }
    }

    fn shown(&self, command: &Command) -> String {
        let quoted = |word: &OsStr| shell_words::quote(&word.to_string_lossy()).into_owned();
        let env = self.env.iter().map(|(name, value)| format!("{}={}", name.display(), quoted(value)));
        let words = std::iter::once(command.get_program()).chain(command.get_args()).map(quoted);
        let cwd = quoted(self.cwd.as_os_str());
        format!("cd {cwd} && env -i {}", env.chain(words).collect::<Vec<_>>().join(" "))
    }

    /// The plan as JSON. The endpoint of the options must not be taken.
    #[track_caller]
    pub fn json(&self, args: &[impl AsRef<OsStr>]) -> Value {
        let args: Vec<&OsStr> =
            [OsStr::new("--dry-run=json")].into_iter().chain(args.iter().map(AsRef::as_ref)).collect();
        let outcome = self.run(&args);
        outcome.expect(Some(0), "");
        serde_json::from_slice(&outcome.stdout).unwrap_or_else(|cause| panic!("{cause}\n{outcome}"))
    }

    /// The words that `spark-submit` gets for a driver with [`DRIVER`], where nothing else needs to be said.
    #[track_caller]
    pub fn merged(&self, words: &[impl AsRef<OsStr>]) -> Vec<OsString> {
        let ours = ["-q", "submit", DRIVER, NO_PAUSE, "--"].map(OsStr::new);
        let outcome = self.run(&ours.into_iter().chain(words.iter().map(AsRef::as_ref)).collect::<Vec<_>>());
        outcome.expect(Some(0), "");
        outcome.child().args
    }

    /// `spark-submit` gets exactly these words, and nothing else needs to be said.
    #[track_caller]
    pub fn merges(&self, words: &[&str], expected: &[&str]) {
        assert_eq!(shown(&self.merged(words)), shown(&self.words(expected)), "of {words:?}");
    }
}

/// What a run came to.
pub struct Outcome<'a> {
    scene: &'a Scene,
    command: String,
    /// How it ended.
    pub status: ExitStatus,
    /// All bytes of its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: String,
}

impl Outcome<'_> {
    /// Status (`None`: by a signal) and the whole of standard error.
    #[track_caller]
    pub fn expect(&self, status: Option<i32>, stderr: &str) -> &Self {
        let stderr = self.scene.fill(stderr);
        if self.status.code() != status || self.stderr != stderr {
            panic!("expected status {status:?} and standard error\n{}\nof\n{self}", indented(stderr.as_bytes()));
        }
        self
    }

    /// Nothing was started: status, the whole of standard error, an empty standard output.
    #[track_caller]
    pub fn fails(&self, status: i32, stderr: &str) {
        self.expect(Some(status), stderr);
        assert!(self.stdout.is_empty(), "standard output is the child's\n{self}");
    }

    /// The same for what a shell evaluates: its failure is a command.
    #[track_caller]
    pub fn fails_in_shell(&self, status: i32, stderr: &str) {
        self.expect(Some(status), stderr);
        assert_eq!(String::from_utf8_lossy(&self.stdout), "false\n", "{self}");
    }

    /// The whole of standard output, status 0.
    #[track_caller]
    pub fn prints(&self, stdout: &str) -> &Self {
        let stdout = self.scene.fill(stdout);
        if self.status.code() != Some(0) || self.stdout != stdout.as_bytes() {
            panic!("expected status 0 and standard output\n{}\nof\n{self}", indented(stdout.as_bytes()));
        }
        self
    }

    /// What the stand-in script was started with.
    #[track_caller]
    pub fn child(&self) -> Started {
        let mut words = self.stdout.split(|byte| *byte == 0).map(|word| OsString::from_vec(word.to_vec()));
        let head = words.next().zip(words.next().and_then(|count| count.to_str()?.parse::<usize>().ok()));
        let Some((script, count)) = head else { panic!("no stand-in script was started\n{self}") };
        let args = words.by_ref().take(count).collect();
        let env = words.filter_map(|entry| {
            let entry = entry.into_vec();
            let equals = entry.iter().position(|byte| *byte == b'=')?;
            Some((OsString::from_vec(entry[..equals].to_vec()), OsString::from_vec(entry[equals + 1..].to_vec())))
        });
        let mut env: BTreeMap<OsString, OsString> = env.collect();
        env.retain(|name, _| !OF_THE_SHELL.iter().any(|of_shell| name == of_shell));
        Started { script: script.into(), args, env }
    }

    /// This script got exactly these words and the variables of the scene.
    #[track_caller]
    pub fn starts(&self, script: &str, args: &[impl AsRef<OsStr>]) -> &Self {
        self.starts_with(script, args, &[])
    }

    /// The same but for these variables.
    #[track_caller]
    pub fn starts_with(&self, script: &str, args: &[impl AsRef<OsStr>], env: &[(&str, Option<&str>)]) -> &Self {
        let child = self.child();
        let expected = self.scene.words(args);
        assert_eq!(child.script, self.scene.path(script), "the script\n{self}");
        assert!(child.args == expected, "expected the arguments\n{:#?}\nof\n{self}", shown(&expected));
        let env: BTreeMap<String, Option<String>> =
            env.iter().map(|(name, value)| (name.to_string(), value.map(|value| self.scene.fill(value)))).collect();
        assert_eq!(self.env_changes(&child), env, "the changed variables\n{self}");
        self
    }

    fn env_changes(&self, child: &Started) -> BTreeMap<String, Option<String>> {
        let text = |text: &OsStr| text.to_string_lossy().into_owned();
        let before = &self.scene.env;
        let set = child.env.iter().filter(|(name, value)| before.get(*name) != Some(value));
        let set = set.map(|(name, value)| (text(name), Some(text(value))));
        let removed = before.keys().filter(|name| !child.env.contains_key(*name)).map(|name| (text(name), None));
        set.chain(removed).collect()
    }
}

impl std::fmt::Display for Outcome<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Outcome { command, status, stdout, stderr, .. } = self;
        let (stdout, stderr) = (indented(stdout), indented(stderr.as_bytes()));
        write!(f, "  {command}\n{status}, standard output\n{stdout}\nstandard error\n{stderr}")
    }
}

/// What a stand-in script was started with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    /// Its own path.
    pub script: PathBuf,
    /// Its words.
    pub args: Vec<OsString>,
    /// Its variables.
    pub env: BTreeMap<OsString, OsString>,
}

/// Starts it. While another test starts a program, that one may still hold a script open for writing
/// which was written here a moment ago: then the kernel calls it busy.
fn start(command: &mut Command) -> Child {
    loop {
        match command.spawn() {
            Err(cause) if cause.kind() == ErrorKind::ExecutableFileBusy => thread::sleep(Duration::from_millis(1)),
            child => return child.expect("it starts"),
        }
    }
}

/// Words for a readable difference.
pub fn shown(words: &[OsString]) -> Vec<String> {
    words.iter().map(|word| format!("{word:?}")).collect()
}

fn indented(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text).replace('\0', "␀\n");
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

/// The name of this machine, as `uname -n` tells it.
pub fn hostname() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// A port that is free on every address and that no other test of this binary gets. From below the range from which the
/// kernel takes the ports of connections; at random, since other tests may look for ports at the same time.
pub fn free_port() -> u16 {
    static TAKEN: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());
    let mut taken = TAKEN.lock().expect("no test fails in here");
    loop {
        let port = rand::random_range(12_000..32_000);
        if !taken.contains(&port)
            && let Ok(listener) = TcpListener::bind(("0.0.0.0", port))
        {
            taken.insert(port);
            close(listener);
            return port;
        }
    }
}

/// Closes a listener, and waits until nobody holds it: a child that another test is just starting has a copy until it
/// becomes its program.
pub fn close(listener: TcpListener) {
    let address = listener.local_addr().expect("it is bound");
    drop(listener);
    while ports::listening().is_some_and(|listeners| listeners.contains(&address)) {
        thread::sleep(Duration::from_millis(1));
    }
}

/// Whether the tests run as root, who may give files away and read everything.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Ends a process that a failing test leaves behind.
pub struct Reaped(pub Child);

impl Drop for Reaped {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The signal that ended a run.
pub fn signal(status: ExitStatus) -> Option<i32> {
    status.signal()
}
