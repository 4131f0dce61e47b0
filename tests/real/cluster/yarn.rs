//! A YARN in one JVM, with real containers.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::hadoop;
use crate::apps;
use crate::lab::Lab;

/// ResourceManager and NodeManagers start one after the other, on a busy machine.
const READY_LIMIT: Duration = Duration::from_secs(150);

/// For its end, with its containers.
const END_LIMIT: Duration = Duration::from_secs(20);

/// A running YARN. It ends when this goes out of scope, and its containers with it.
pub struct MiniYarn {
    child: Child,
    dir: PathBuf,
    /// `HADOOP_CONF_DIR` of its clients.
    conf_dir: PathBuf,
    /// The port of the ResourceManager's REST interface.
    pub rest_port: u16,
}

impl MiniYarn {
    /// Starts one with that many NodeManagers, of the version that the lab's distribution carries, and waits until
    /// applications can be submitted.
    pub fn start(lab: &Lab, nodes: usize) -> Self {
        let jars = hadoop::mini_cluster_jars(&lab.home).join("*");
        let dir = lab.subdir("yarn");
        let classes = apps::compile_to_classes(lab, "MiniYarn", include_str!("../java/MiniYarn.java"), &jars);
        let conf_dir = dir.join("conf");
        fs::create_dir(&conf_dir).expect("a directory in the test's own");
        let mut class_path = classes.into_os_string();
        class_path.push(":");
        class_path.push(&jars);
        let output = |name: &str| File::create(dir.join(name)).expect("a file for its output");
        let child = lab
            .jdk("java")
            // Hadoop 3.3's web interface defines classes by reflection.
            .args(["-Xmx512m", "--add-opens", "java.base/java.lang=ALL-UNNAMED", "-classpath"])
            .arg(class_path)
            .args(["MiniYarn", &nodes.to_string()])
            .arg(&conf_dir)
            .current_dir(&dir)
            .stdin(Stdio::piped())
            .stdout(output("stdout.log"))
            .stderr(output("stderr.log"))
            .spawn()
            .expect("java");
        let mut yarn = Self { child, dir, conf_dir, rest_port: 0 };
        yarn.rest_port = yarn.wait_until_ready();
        yarn
    }

    /// Has a command use this YARN: its configuration, no upload of Spark's jars, nothing written elsewhere.
    pub fn apply<'a>(&self, command: &'a mut Command, lab: &Lab) -> &'a mut Command {
        command
            .env("HADOOP_CONF_DIR", &self.conf_dir)
            .arg("--conf")
            .arg(format!("spark.yarn.jars=local:{}/jars/*", lab.home.display()))
            .arg("--conf")
            .arg(format!("spark.yarn.stagingDir={}", self.dir.join("staging").display()))
            .args(["--conf", "spark.yarn.am.memory=384m"])
    }

    /// Has a command of Flink's use this YARN: its configuration, Hadoop's client, nothing written elsewhere.
    pub fn apply_to_flink<'a>(&self, command: &'a mut Command, lab: &Lab) -> &'a mut Command {
        let staging = self.dir.join("staging");
        let jars = hadoop::mini_cluster_jars(&lab.home);
        let of_clients = fs::read_dir(&jars).expect("Hadoop's jars").flatten().map(|jar| jar.path());
        let is_client = |jar: &PathBuf| {
            let name = jar.file_name().unwrap_or_default().to_string_lossy();
            ["hadoop-client-api", "hadoop-client-runtime", "commons-logging"]
                .iter()
                .any(|start| name.starts_with(start))
        };
        let of_clients: Vec<String> = of_clients.filter(is_client).map(|jar| jar.display().to_string()).collect();
        command
            .env("HADOOP_CONF_DIR", &self.conf_dir)
            .env("HADOOP_CLASSPATH", jars.join("*"))
            // There is no installed Hadoop that the containers would find.
            .arg(format!("-Dyarn.ship-files={}", of_clients.join(";")))
            .arg(format!("-Dcontainerized.master.env.HADOOP_CONF_DIR={}", self.conf_dir.display()))
            .arg(format!("-Dyarn.staging-directory=file://{}", staging.display()))
    }

    /// Below it, each container writes to `…/APPLICATION/CONTAINER/stdout`.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    fn wait_until_ready(&mut self) -> u16 {
        let started = Instant::now();
        loop {
            // Asked before the look, so that the last words of one that ended are read too.
            let ended = !matches!(self.child.try_wait(), Ok(None));
            let said = self.read("stdout.log");
            // A line without its end may be half a port.
            let ready = said.split_inclusive('\n').find(|line| line.starts_with("ready ") && line.ends_with('\n'));
            if let Some((_, port)) = ready.and_then(|line| line.trim_end().rsplit_once(':')) {
                return port.parse().expect("a port");
            }
            if ended || started.elapsed() > READY_LIMIT {
                panic!("YARN did not start within {READY_LIMIT:?}: {said}\n{}", self.read("stderr.log"));
            }
            thread::sleep(Duration::from_millis(100));
        }
    }

    fn read(&self, name: &str) -> String {
        String::from_utf8_lossy(&fs::read(self.dir.join(name)).unwrap_or_default()).into_owned()
    }
}

impl Drop for MiniYarn {
    fn drop(&mut self) {
        // The end of its standard input ends it; only it knows its containers.
        drop(self.child.stdin.take());
        let started = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) && started.elapsed() < END_LIMIT {
            thread::sleep(Duration::from_millis(50));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
