//! A real Spark job, stopped on a breakpoint: `cargo run --example breakpoint`.
//!
//! It fetches a Spark from PyPI, compiles a word count, starts it under `sparkdbg submit --driver`, and uses the JDK's
//! own debugger to stop in it, look around and let it go on. Every command is shown as you could type it, and what it
//! works on stays in `target/breakpoint`.

use std::borrow::Cow;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use anyhow::{Context as _, Error, Result, anyhow, bail, ensure};

use distribution::SPARK_4;
use jdb::Jdb;
use job::{JOB_LIMIT, Job};

#[path = "../tests/support/distribution.rs"]
mod distribution;
#[path = "../tests/support/jdb.rs"]
mod jdb;
#[path = "../tests/support/job.rs"]
mod job;

/// From the moment the job may run until it stands on the breakpoint.
const BREAKPOINT_LIMIT: Duration = Duration::from_secs(150);

const CLASS: &str = "demo.WordCount";
const SOURCE: &str = r#"package demo;

import java.util.List;
import java.util.Map;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

public final class WordCount {
    public static void main(String[] args) {
        SparkSession spark = SparkSession.builder().appName("word count").getOrCreate();
        List<String> words = List.of("to be or not to be that is the question".split(" "));
        Map<String, Long> counts = new JavaSparkContext(spark.sparkContext()).parallelize(words).countByValue();
        int different = counts.size();
        System.out.println(different + " different words: " + counts); // breakpoint
        spark.stop();
        System.exit(different);
    }
}
"#;

/// How many different words the job counts: its exit status.
const DIFFERENT: i32 = 8;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nerror: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let sparkdbg = build_sparkdbg()?;
    let java = java_home()?;

    step("A Spark, from PyPI");
    let spark = distribution::fetch(SPARK_4).map_err(Error::msg).context(format!("cannot fetch Spark {SPARK_4}"))?;
    println!("  {}", spark.display());

    step("A word count, compiled with its line numbers and variable names (-g)");
    let dir = working_directory()?;
    println!("  $ cd {}", dir.display());
    let breakpoint = compile(&dir, &spark, &java)?;

    step("The job, under sparkdbg: its driver waits for a debugger");
    let port = free_port()?;
    let mut job = start(&sparkdbg, &dir, &spark, &java, port);

    let mut jdb = Jdb::attach(&java, port, &dir, || job.alive()).map_err(|error| with_log(&error, &job, &dir))?;
    // The first lines of the job's standard error; what follows is Spark's log.
    job.stderr().lines().filter(|line| line.starts_with("sparkdbg:")).for_each(|line| println!("  {line}"));

    step("A debugger: the JDK's own, where an IDE would do");
    println!("  $ {} -sourcepath . -attach 127.0.0.1:{port}", java.join("bin/jdb").display());
    debug(&mut jdb, breakpoint).map_err(|error| with_log(&error, &job, &dir))?;

    step("The job goes on and ends as it would without sparkdbg");
    let ended = job.end(JOB_LIMIT).map_err(Error::msg)?;
    print_indented(&ended.stdout);
    println!("  its exit status: {} (it returns the number of different words)", ended.code());
    ensure!(
        ended.code() == DIFFERENT,
        "the job should have ended with {DIFFERENT}; its output is in {}",
        dir.display()
    );
    Ok(())
}

/// Stops at the line, shows where that is and what is there, and lets the job go on.
fn debug(jdb: &mut Jdb, line: usize) -> Result<(), String> {
    jdb.started_suspended()?;
    println!("  > stop at {CLASS}:{line}");
    print_indented(&jdb.stop_at(CLASS, line)?);
    println!("  > cont");
    jdb.cont()?;
    println!("  Breakpoint hit: {}", jdb.breakpoint_hit(BREAKPOINT_LIMIT)?);
    println!("  > list");
    print_indented(&jdb.ask("list")?);
    println!("  > where");
    let frames = jdb.ask("where")?;
    print_indented(frames.lines().next().unwrap_or_default());
    println!("  ... {} more: Spark's way to it", frames.lines().count().saturating_sub(1));
    println!("  > locals");
    print_indented(&jdb.ask("locals")?);
    println!("  > print counts");
    println!("  counts = {}", jdb.print("counts")?);
    println!("  > cont");
    jdb.cont()
}

/// A failure while the job ran, with the end of the job's log: the cause may be there.
fn with_log(error: &str, job: &Job, dir: &Path) -> Error {
    let log = job.stderr();
    let lines: Vec<&str> = log.lines().collect();
    let tail = lines[lines.len().saturating_sub(10)..].join("\n");
    anyhow!("{error}\nThe job's output is in {}; its standard error ends with\n{tail}", dir.display())
}

/// Starts the job and shows the command.
fn start(sparkdbg: &Path, dir: &Path, spark: &Path, java: &Path, port: u16) -> Job {
    let mut command = Command::new(sparkdbg);
    command.arg("submit").arg(format!("--driver=attach:{port}")).arg("--spark-home").arg(spark).arg("--");
    command.args(["--class", CLASS, "--master", "local[1]", "--driver-memory", "512m"]);
    command.args(["--conf", "spark.ui.enabled=false", "wordcount.jar"]);
    // A laptop's own name may lead to an address that its firewall guards.
    command.env("JAVA_HOME", java).env("SPARK_LOCAL_IP", "127.0.0.1");
    show(command.current_dir(dir));
    Job::start(&mut command, dir, None)
}

/// Writes the source and compiles it against that Spark into `wordcount.jar`; returns the line to stop at, from 1.
fn compile(dir: &Path, spark: &Path, java: &Path) -> Result<usize> {
    let source = "demo/WordCount.java";
    fs::create_dir_all(dir.join("demo"))?;
    fs::write(dir.join(source), SOURCE)?;
    let mut javac = Command::new(java.join("bin/javac"));
    javac.args(["-g", "-proc:none", "-cp"]).arg(spark.join("jars").join("*")).args(["-d", "classes", source]);
    run_shown(javac.current_dir(dir))?;
    let mut jar = Command::new(java.join("bin/jar"));
    run_shown(jar.args(["--create", "--file", "wordcount.jar", "-C", "classes", "."]).current_dir(dir))?;
    SOURCE.lines().position(|line| line.contains("// breakpoint")).map(|at| at + 1).context("a marked line")
}

/// The binary that belongs to this example: cargo builds the library for an example, but not the binary.
fn build_sparkdbg() -> Result<PathBuf> {
    let (target, profile) = target_directory()?;
    // The profile's directory has the profile's name but for this one.
    let profile_name = if profile == "debug" { "dev" } else { &profile };
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--quiet", "--bin", "sparkdbg", "--profile", profile_name, "--target-dir"]).arg(&target);
    let status = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).status().context("cannot run cargo")?;
    ensure!(status.success(), "`cargo build` of sparkdbg failed");
    Ok(target.join(profile).join("sparkdbg"))
}

/// cargo's target directory and the profile's directory in it: we are `target/debug/examples/breakpoint`.
fn target_directory() -> Result<(PathBuf, String)> {
    let example = std::env::current_exe().context("cannot find this program's own file")?;
    let profile = example.ancestors().nth(2).context("this program is in no target directory")?;
    let name = profile.file_name().context("this program is in no target directory")?;
    let target = profile.parent().context("this program is in no target directory")?;
    Ok((target.to_owned(), name.to_string_lossy().into_owned()))
}

/// An empty `target/breakpoint`.
fn working_directory() -> Result<PathBuf> {
    let dir = target_directory()?.0.join("breakpoint");
    if dir.exists() {
        fs::remove_dir_all(&dir).with_context(|| format!("cannot empty {}", dir.display()))?;
    }
    fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
    Ok(dir)
}

/// A JDK that this Spark runs on.
fn java_home() -> Result<PathBuf> {
    let homes = distribution::java_homes();
    if let Some((_, home)) = homes.iter().find(|(major, _)| (17..=25).contains(major)) {
        return Ok(home.clone());
    }
    let found: Vec<String> = homes.iter().map(|(major, home)| format!("{major} in {}", home.display())).collect();
    let found = if found.is_empty() { "none".to_owned() } else { found.join(", ") };
    bail!(
        "it takes a JDK (17 to 25) with javac and jdb; found: {found}\n\
         help: apt-get install openjdk-17-jdk, brew install openjdk@17, or set JAVA_HOME to one"
    )
}

/// The port that every IDE proposes, or else a free one.
fn free_port() -> Result<u16> {
    let listener = TcpListener::bind(("127.0.0.1", 5005)).or_else(|_| TcpListener::bind(("127.0.0.1", 0)));
    Ok(listener.and_then(|listener| listener.local_addr()).context("no free port")?.port())
}

fn run_shown(command: &mut Command) -> Result<()> {
    show(command);
    let status = command.status().with_context(|| format!("cannot run `{}`", command.get_program().display()))?;
    ensure!(status.success(), "`{}` failed ({status})", command.get_program().display());
    Ok(())
}

/// Prints a command as one could paste it into a shell.
fn show(command: &Command) {
    let variables = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
    let variables = variables.map(|(name, value)| format!("{}={}", name.display(), quote(&value.to_string_lossy())));
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words = words.map(|word| quote(&word.to_string_lossy()).into_owned());
    println!("  $ {}", variables.chain(words).collect::<Vec<_>>().join(" "));
}

/// Quotes a word where a shell needs it, and no word just for its `=`, as the library would.
fn quote(word: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=:./".contains(c);
    if word.chars().all(plain) { word.into() } else { shell_words::quote(word) }
}

fn step(what: &str) {
    println!("\n{what}");
}

fn print_indented(text: &str) {
    for line in text.lines() {
        println!("  {line}");
    }
}
