//! What sparkdbg costs: `cargo bench --bench overhead`, or with `-- --real SPARK_HOME` a real job as well.
//!
//! Each part starts the same command through sparkdbg and directly, in turn, so that whatever else the
//! machine does falls on both. The first part has limits, and fails beyond them; the job's time is some
//! seconds of a JVM, too noisy to judge by, so its ratio is printed only.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

const SPARKDBG: &str = env!("CARGO_BIN_EXE_sparkdbg");

const PAIRS: usize = 200;
const WARM_UP_PAIRS: usize = 20;
const REAL_PAIRS: usize = 7;

const MAX_ADDED_MS: f64 = 3.0;
/// Of a link that only stands aside.
const MAX_ASIDE_MS: f64 = 1.0;
const MAX_PEAK_KIB: u64 = 8 * 1024;
const MAX_REAL_RATIO: f64 = 1.02;

fn main() -> Result<ExitCode> {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    // `cargo test --all-targets` runs us too, unoptimized: such numbers would mean nothing.
    if !arguments.iter().any(|word| word == "--bench") {
        println!("overhead: measured by `cargo bench --bench overhead` only");
        return Ok(ExitCode::SUCCESS);
    }
    let real = arguments.iter().position(|word| word == "--real");
    let real = real.map(|at| arguments.get(at + 1).filter(|home| *home != "--bench").context("--real SPARK_HOME"));
    let real = real.transpose()?;

    let within_limits = measure_stand_in()? & measure_shim()?;
    if let Some(home) = real {
        measure_real_job(&fs::canonicalize(home)?)?;
    }
    Ok(if within_limits { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A script that does nothing, so that the difference is sparkdbg alone.
fn measure_stand_in() -> Result<bool> {
    let stand_in = StandIn::create()?;
    stand_in.check_merge()?;
    let times = Times::of_pairs(WARM_UP_PAIRS, PAIRS, || (stand_in.through_sparkdbg(&[]), stand_in.directly()))?;
    let added = times.added_ms();
    let median = quantile(&added, 0.5);
    println!("stand-in spark-submit, {PAIRS} pairs: {times}");
    println!(
        "  added: median {median:+.2} ms, p95 {:+.2} ms (limit: median {MAX_ADDED_MS:+.2} ms)",
        quantile(&added, 0.95)
    );

    let peak = stand_in.peak_kib()?;
    match peak {
        Some(kib) => {
            println!("  peak resident memory: {:.1} MiB (limit {} MiB)", kib as f64 / 1024.0, MAX_PEAK_KIB / 1024)
        }
        None => println!("  peak resident memory: not measured, this system has no /proc"),
    }
    Ok(median <= MAX_ADDED_MS && peak.is_none_or(|kib| kib <= MAX_PEAK_KIB))
}

/// A link named `spark-submit` on `PATH`, without a profile in `SPARKDBG_PROFILE`.
fn measure_shim() -> Result<bool> {
    let stand_in = StandIn::create()?;
    let shims = stand_in.dir.path().join("shims");
    fs::create_dir(&shims)?;
    let link = shims.join("spark-submit");
    std::os::unix::fs::symlink(SPARKDBG, &link)?;
    let bin = stand_in.spark_submit.parent().context("a script in a directory")?;
    let path = std::env::join_paths([shims.as_path(), bin, Path::new("/usr/bin"), Path::new("/bin")])?;
    let command = |program: &Path| {
        let mut command = stand_in.command(program);
        command.args(&stand_in.words).env("PATH", &path);
        command
    };
    let times = Times::of_pairs(WARM_UP_PAIRS, PAIRS, || (command(&link), command(&stand_in.spark_submit)))?;
    let added = times.added_ms();
    let median = quantile(&added, 0.5);
    println!("a link that stands aside, {PAIRS} pairs: {times}");
    println!(
        "  added: median {median:+.2} ms, p95 {:+.2} ms (limit: median {MAX_ASIDE_MS:+.2} ms)",
        quantile(&added, 0.95)
    );
    Ok(median <= MAX_ASIDE_MS)
}

/// A user's home with a project and a distribution in it, which give sparkdbg everything to read that
/// a full merge reads.
struct StandIn {
    dir: tempfile::TempDir,
    spark_submit: PathBuf,
    words: Vec<OsString>,
}

impl StandIn {
    fn create() -> Result<StandIn> {
        let dir = tempfile::tempdir()?;
        // macOS reaches its temporary directory through a link.
        let root = fs::canonicalize(dir.path())?;
        let write = |name: &str, text: &str| -> Result<PathBuf> {
            let file = root.join(name);
            fs::create_dir_all(file.parent().context("every file has a directory")?)?;
            fs::write(&file, text)?;
            Ok(file)
        };
        let spark_submit = write("spark/bin/spark-submit", "#!/bin/sh\nexit 0\n")?;
        fs::set_permissions(&spark_submit, fs::Permissions::from_mode(0o755))?;
        // The version is read from a jar's name, among as many as a distribution holds.
        write("spark/jars/spark-core_2.13-4.3.0.jar", "")?;
        for number in 0..250 {
            write(&format!("spark/jars/some-library-{number}_2.13-1.{number}.0.jar"), "")?;
        }
        write("spark/conf/spark-defaults.conf", &settings(200))?;
        write("spark/conf/spark-env.sh", "#!/usr/bin/env bash\n# Harmless.\nexport SPARK_LOCAL_IP=127.0.0.1\n")?;
        write("jdk/release", "IMPLEMENTOR=\"none\"\nJAVA_VERSION=\"17.0.15\"\n")?;
        write(
            "project/sparkdbg.toml",
            "default-profile = \"local\"\n\n\
             [profile.base]\nspark-home = \"../spark\"\nexisting = \"replace\"\n\n\
             [profile.local]\ninherits = \"base\"\ndriver = \"attach:0,nosuspend\"\n",
        )?;
        let properties = format!("{}spark.driver.defaultJavaOptions -Dbench=merged\n", settings(99));
        let properties = write("project/job.properties", &properties)?;
        let words =
            ["--class", "org.example.App", "--master", "local[1]", "--load-spark-defaults", "--properties-file"];
        let words = words.map(OsString::from).into_iter();
        let words = words.chain([properties.into(), "app.jar".into(), "input".into(), "output".into()]).collect();
        Ok(StandIn { dir, spark_submit, words })
    }

    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.dir.path().join("project"));
        // Nothing of the caller's, neither its Spark nor its profiles.
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.dir.path()).env("JAVA_HOME", self.dir.path().join("jdk"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn through_sparkdbg(&self, options: &[&str]) -> Command {
        let mut command = self.command(SPARKDBG);
        command.arg("submit").args(options).arg("--").args(&self.words);
        command
    }

    fn directly(&self) -> Command {
        let mut command = self.command(&self.spark_submit);
        command.args(&self.words);
        command
    }

    /// A launch that skips the work would be a fast one.
    fn check_merge(&self) -> Result<()> {
        let output = self.through_sparkdbg(&["--dry-run"]).stdout(Stdio::piped()).output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let merged = text.contains("-agentlib:jdwp=") && text.contains("-Dbench=merged");
        ensure!(output.status.success() && merged, "no agent was merged; {}: {text}", output.status);
        Ok(())
    }

    /// The peak before the exec, from `VmHWM` of a launch that `--wait-for-debugger` holds at that very
    /// point: its hints are printed, and only the exec, which would reset the number, is left. Not from
    /// `getrusage`, whose maximum begins with what the forking parent held.
    fn peak_kib(&self) -> Result<Option<u64>> {
        if !Path::new("/proc/self/status").exists() {
            return Ok(None);
        }
        let listen = format!("--listen={}", free_port()?);
        let mut command = self.through_sparkdbg(&[&listen, "--wait-for-debugger=1m"]);
        let mut held = Held(command.stderr(Stdio::piped()).spawn()?);
        let mut hint = String::new();
        BufReader::new(held.0.stderr.take().context("stderr is piped")?).read_line(&mut hint)?;
        // Long enough for the first look at the socket table, which belongs to the peak.
        thread::sleep(Duration::from_millis(200));
        let status = fs::read_to_string(format!("/proc/{}/status", held.0.id()))?;
        let field = |name| status.lines().find_map(|line: &str| line.strip_prefix(name)).map(str::trim);
        ensure!(field("Name:") == Some("sparkdbg"), "the launch was not held before its exec; it said: {hint}");
        let peak = field("VmHWM:").and_then(|text| text.strip_suffix(" kB")).context("no VmHWM")?;
        Ok(Some(peak.parse()?))
    }
}

/// A process that ends with its owner.
struct Held(Child);

impl Drop for Held {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// As many lines of a properties file, with keys as long and as much alike as real ones.
fn settings(lines: usize) -> String {
    (0..lines).fold(String::new(), |mut text, number| {
        let _ = match number % 8 {
            0 => writeln!(text, "# {number}: set by the platform team, see the handbook"),
            1 => writeln!(text, "spark.executor.heartbeat{number}Interval   {number}s"),
            2 => writeln!(text, "spark.hadoop.fs.s3a.bucket.data-{number}.endpoint=https://s3.example.org:{number}"),
            3 => writeln!(text, "spark.sql.catalog.lake{number}.uri\tthrift://metastore.example.org:{number}"),
            4 => writeln!(text, "spark.executorEnv.SETTING_{number} = one two three"),
            5 => writeln!(text, "spark.driver.extraLibrary{number}Path   /opt/lib/{number}:/opt/lib\\u0020{number}"),
            6 => writeln!(text, "spark.dynamicAllocation.executor{number}IdleTimeout  {number}s"),
            _ => writeln!(text, "spark.shuffle.io.retry{number}Wait: {number}s"),
        };
        text
    })
}

/// A short job on a real Spark, against the same command with the agent typed by hand.
fn measure_real_job(home: &Path) -> Result<()> {
    let dir = tempfile::tempdir()?;
    let jar = compile_job(home, dir.path())?;
    let command = |program: &Path| {
        let mut command = Command::new(program);
        command.current_dir(dir.path()).env("SPARK_HOME", home);
        // No profile of the user's, and no switch that turns sparkdbg off.
        command.env("HOME", dir.path()).env_remove("XDG_CONFIG_HOME");
        command.env_remove("SPARKDBG").env_remove("SPARKDBG_PROFILE");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let job = |command: &mut Command| {
        command.args(["--class", "Job", "--master", "local[1]", "--conf", "spark.ui.enabled=false"]).arg(&jar);
    };
    let port = free_port()?;
    let times = Times::of_pairs(1, REAL_PAIRS, || {
        let mut through = command(Path::new(SPARKDBG));
        through.arg("submit").arg(format!("--driver=attach:{port},nosuspend")).arg("--");
        job(&mut through);
        let mut direct = command(&home.join("bin/spark-submit"));
        let agent = format!("-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:{port}");
        direct.arg("--conf").arg(format!("spark.driver.defaultJavaOptions={agent}"));
        job(&mut direct);
        (through, direct)
    })?;
    println!("real job, {REAL_PAIRS} pairs: {times}");
    println!("  limit of the ratio: {MAX_REAL_RATIO:.2}");
    Ok(())
}

fn compile_job(home: &Path, dir: &Path) -> Result<PathBuf> {
    let source = dir.join("Job.java");
    fs::write(
        &source,
        "public class Job {\n\
           public static void main(String[] args) {\n\
             var spark = org.apache.spark.sql.SparkSession.builder().getOrCreate();\n\
             if (spark.range(1000).count() != 1000) throw new AssertionError();\n\
             spark.stop();\n\
           }\n\
         }\n",
    )?;
    let jar = dir.join("job.jar");
    let tool = |name: &str| {
        let java_home = std::env::var_os("JAVA_HOME").filter(|home| !home.is_empty());
        Command::new(java_home.map_or(name.into(), |home| PathBuf::from(home).join("bin").join(name)))
    };
    run(tool("javac").arg("-cp").arg(home.join("jars/*")).arg("-d").arg(dir.join("classes")).arg(&source))?;
    run(tool("jar").arg("--create").arg("--file").arg(&jar).arg("-C").arg(dir.join("classes")).arg("."))?;
    Ok(jar)
}

/// Wall-clock times of both ways, pair by pair.
struct Times {
    through: Vec<f64>,
    direct: Vec<f64>,
}

impl Times {
    fn of_pairs(warm_up: usize, pairs: usize, pair: impl Fn() -> (Command, Command)) -> Result<Times> {
        let mut times = Times { through: Vec::new(), direct: Vec::new() };
        for number in 0..warm_up + pairs {
            let (mut through, mut direct) = pair();
            let (through, direct) = (run(&mut through)?, run(&mut direct)?);
            if number >= warm_up {
                times.through.push(through);
                times.direct.push(direct);
            }
        }
        Ok(times)
    }

    /// What sparkdbg added, per pair: neighbours in time share the machine's mood.
    fn added_ms(&self) -> Vec<f64> {
        self.through.iter().zip(&self.direct).map(|(through, direct)| through - direct).collect()
    }
}

impl std::fmt::Display for Times {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (through, direct) = (quantile(&self.through, 0.5), quantile(&self.direct, 0.5));
        let ratio = through / direct;
        write!(f, "median {through:.2} ms through sparkdbg, {direct:.2} ms directly, ratio {ratio:.3}")
    }
}

/// Runs to the end and gives the milliseconds; a failed run measures nothing.
fn run(command: &mut Command) -> Result<f64> {
    let start = Instant::now();
    let status = command.status().with_context(|| format!("cannot be started: {command:?}"))?;
    let elapsed = start.elapsed();
    ensure!(status.success(), "{status}: {command:?}");
    Ok(elapsed.as_secs_f64() * 1000.0)
}

/// The value below which this share of the values lies.
fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[((sorted.len() - 1) as f64 * share).round() as usize]
}

fn free_port() -> Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}
