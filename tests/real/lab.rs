//! What one test works in: a directory of its own, a Spark or a Flink, a JDK, and an environment in which nothing of the machine
//! changes the outcome.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Condvar, Mutex, PoisonError};

use rand::Rng as _;
use tempfile::TempDir;

use crate::{distribution, flink_distribution};

/// The Java that every Spark and Flink of these tests runs on.
pub const JAVA: u32 = 17;

/// How many tests may run JVMs at the same time: each has two or three, on a machine with two cores.
const PERMITS: usize = 2;

static FREE: Mutex<usize> = Mutex::new(PERMITS);
static FREED: Condvar = Condvar::new();

/// The working place of one test. While it lives, the test holds permits to run JVMs.
pub struct Lab {
    /// `SPARK_HOME` or `FLINK_HOME`.
    pub home: PathBuf,
    /// `JAVA_HOME`, of the job and of jdb.
    pub java: PathBuf,
    product: Product,
    dir: TempDir,
    _permits: Permits,
}

/// What is debugged.
enum Product {
    Spark,
    Flink,
}

impl Lab {
    /// A place with that Spark and [`JAVA`].
    ///
    /// # Panics
    /// When the machine has no such JDK or Spark cannot be fetched: no test may pass for want of something to test.
    pub fn new(spark_version: &str) -> Self {
        Self::with(spark_version, JAVA, 1).unwrap_or_else(no_jdk)
    }

    /// Like [`Lab::new`], for a test with a cluster, whose JVMs leave no room for those of others.
    pub fn alone(spark_version: &str) -> Self {
        Self::with(spark_version, JAVA, PERMITS).unwrap_or_else(no_jdk)
    }

    /// Like [`Lab::new`], beside all others: for a test whose JVMs stand still for minutes.
    pub fn beside(spark_version: &str) -> Self {
        Self::with(spark_version, JAVA, 0).unwrap_or_else(no_jdk)
    }

    /// A place with that Spark and that Java, if the machine has it; else a line in the output says what is not run.
    pub fn if_java(spark_version: &str, java: u32) -> Option<Self> {
        let lab = Self::with(spark_version, java, 1);
        if lab.is_none() {
            // Written past the test harness, which shows no output of a test that passes.
            let _ =
                writeln!(io::stderr(), "NOT RUN: Spark {spark_version} on Java {java}: no JDK {java} on this machine");
        }
        lab
    }

    /// Like [`Lab::alone`], with that Flink: there is always a cluster.
    pub fn flink(flink_version: &str) -> Self {
        let java = distribution::java_home(JAVA).unwrap_or_else(no_jdk);
        Self::of(Product::Flink, flink_distribution::flink(flink_version), java, PERMITS)
    }

    /// Like [`Lab::flink`], beside another test: for the scripts alone, whose helper JVMs are small.
    pub fn flink_scripts(flink_version: &str) -> Self {
        let java = distribution::java_home(JAVA).unwrap_or_else(no_jdk);
        Self::of(Product::Flink, flink_distribution::flink(flink_version), java, 1)
    }

    fn with(spark_version: &str, java: u32, permits: usize) -> Option<Self> {
        let java = distribution::java_home(java)?;
        Some(Self::of(Product::Spark, distribution::spark(spark_version), java, permits))
    }

    fn of(product: Product, home: PathBuf, java: PathBuf, permits: usize) -> Self {
        let permits = Permits::take(permits);
        let dir = tempfile::Builder::new().prefix("sparkdbg-real-").tempdir().expect("a temporary directory");
        Self { home, java, product, dir, _permits: permits }
    }

    /// The directory of this test, removed at its end.
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// A new directory in it.
    pub fn subdir(&self, name: &str) -> PathBuf {
        let dir = self.dir().join(name);
        fs::create_dir_all(&dir).expect("a directory in the test's own");
        dir
    }

    /// Writes a file in it.
    pub fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.dir().join(name);
        fs::create_dir_all(path.parent().expect("a file in a directory")).expect("the file's directory");
        fs::write(&path, content).expect("a file in the test's own directory");
        path
    }

    /// The binary under test.
    pub fn sparkdbg(&self) -> Command {
        self.command(env!("CARGO_BIN_EXE_sparkdbg"))
    }

    /// A script of the distribution itself, for what happens without us.
    pub fn script(&self, name: &str) -> Command {
        self.command(self.home.join("bin").join(name))
    }

    /// A program of the machine's, a shell for example.
    pub fn program(&self, name: &str) -> Command {
        self.command(name)
    }

    /// The distribution's jars, as `javac` takes them.
    pub fn class_path(&self) -> PathBuf {
        let dir = match self.product {
            Product::Spark => "jars",
            Product::Flink => "lib",
        };
        self.home.join(dir).join("*")
    }

    /// A tool of the JDK.
    pub fn jdk(&self, name: &str) -> Command {
        self.command(self.java.join("bin").join(name))
    }

    /// Any program, with only the environment that these tests mean to have: options for JVMs, a Spark configuration
    /// or a profile of whoever runs them would change what is tested.
    fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.dir())
            .env_clear()
            .env("PATH", env::var_os("PATH").unwrap_or_default())
            .env("LANG", "C.UTF-8")
            .env("HOME", self.dir())
            .env("TMPDIR", self.subdir("tmp"))
            .env("JAVA_HOME", &self.java);
        match self.product {
            Product::Spark => self.add_spark_to(&mut command),
            Product::Flink => command.env("FLINK_HOME", &self.home),
        };
        command
    }

    fn add_spark_to<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .env("SPARK_HOME", &self.home)
            .env("SPARK_LOCAL_IP", "127.0.0.1")
            .env("SPARK_LOCAL_HOSTNAME", "localhost")
            .env("SPARK_LOCAL_DIRS", self.subdir("spark-local"))
            .env("PYSPARK_PYTHON", distribution::python())
            // As if pip had installed it into that Python.
            .env("PYTHONPATH", self.home.parent().expect("SPARK_HOME is inside an installation"))
    }
}

/// A port on which nobody listens, below those that the kernel gives out by itself: Spark opens many of the latter
/// between our look and the use.
pub fn free_port() -> u16 {
    loop {
        let port = rand::rng().random_range(15_000..32_000);
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// A text that no other run knows.
pub fn random_word() -> String {
    let mut rng = rand::rng();
    (0..12).map(|_| rng.random_range('a'..='z')).collect()
}

fn no_jdk<T>() -> T {
    panic!("no JDK {JAVA} with javac and jdb found (Debian, Ubuntu: apt-get install openjdk-{JAVA}-jdk)")
}

struct Permits(usize);

impl Permits {
    /// All at once: two tests that waited for a second one, each with one in hand, would wait for ever.
    fn take(wanted: usize) -> Self {
        let free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free = FREED.wait_while(free, |free| *free < wanted).unwrap_or_else(PoisonError::into_inner);
        *free -= wanted;
        Self(wanted)
    }
}

impl Drop for Permits {
    fn drop(&mut self) {
        *FREE.lock().unwrap_or_else(PoisonError::into_inner) += self.0;
        // All: one that wants two may be the only one that is woken, and not be served.
        FREED.notify_all();
    }
}
