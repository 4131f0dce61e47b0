//! `--check`: Spark's own launcher prints the command that would be started, and the agent is looked for in it.
//!
//! The launcher is called as `bin/spark-class` calls it, and starts nothing itself.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::finding::Finding;
use crate::endpoint::Role;
use crate::environment::{Environment, Process};
use crate::error;
use crate::jvm::options::{self as jvm_options, Splitter};
use crate::launch::write_files;
use crate::options::Options;
use crate::plan::{DebugEndpoint, LaunchPlan};
use crate::secrets;
use crate::spark::conf::{DRIVER_DEFAULT, DRIVER_EXTRA, EXECUTOR_DEFAULT, EXECUTOR_EXTRA};
use crate::spark::{main_class, python_words};
use crate::text;
use crate::tool::Tool;

const TOPIC: &str = "check";

/// A JVM of a second or two; beyond it something hangs.
const LIMIT: Duration = Duration::from_secs(60);

/// As `bin/spark-class` calls it, but without what an agent for another JVM may stand in.
const PROGRAM: &str = r#"
. "$SPARK_HOME/bin/load-spark-env.sh" >&2
unset JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS _JAVA_JDWP_OPTIONS
exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" -Xmx128m -cp "$SPARK_HOME/jars/*" org.apache.spark.launcher.Main "$@"
"#;

/// What the launcher prints, compared with the plan.
pub fn findings(plan: &LaunchPlan, options: &Options, environment: &Environment, process: &Process) -> Vec<Finding> {
    if plan.endpoints.is_empty() {
        return vec![Finding::warn(TOPIC, "Spark's launcher was not asked: there is no agent to look for")];
    }
    let words = write_files(&plan.files)
        .map_err(|failure| Finding::failure(TOPIC, &failure))
        .and_then(|()| printed(plan, options, environment, process));
    match words {
        Ok(words) => plan.endpoints.iter().map(|debug| judge(debug, &words, environment)).collect(),
        Err(finding) => vec![finding],
    }
}

/// The words of the command.
fn printed(
    plan: &LaunchPlan,
    options: &Options,
    environment: &Environment,
    process: &Process,
) -> Result<Vec<String>, Finding> {
    let cannot = |cause: String| Finding::fail(TOPIC, format!("Spark's launcher cannot be asked: {cause}"));
    let home = environment.distribution.home.as_ref();
    let home = home.ok_or_else(|| cannot("the home of this Spark is not known".to_owned()))?;
    let mut command = Command::new("bash");
    command
        .args(["-c", PROGRAM, "bash"])
        .args(words(plan, options, environment))
        .current_dir(&process.cwd)
        .env_clear()
        .envs(variables(plan, options, process))
        .env("SPARK_HOME", home);
    let answer = run(&mut command).map_err(cannot)?;
    // Since 3.0 a NUL on a line of its own comes first, in front of which the JVM itself may say something.
    let start = answer.stdout.windows(2).position(|pair| pair == b"\0\n").map(|at| at + 2);
    if start.is_none()
        && answer.status == Some(0)
        && environment.version().is_some_and(|version| version.at_least(3, 0))
    {
        return Err(cannot("what answers prints no command".to_owned()));
    }
    let starts = start.unwrap_or_default();
    let words: Vec<String> = answer.stdout[starts..]
        .split(|byte| *byte == 0)
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .filter(|word| !word.is_empty())
        .collect();
    if answer.status != Some(0) || words.is_empty() || words.iter().any(|word| word == "--usage-error") {
        let said = answer.stderr.lines().find(|line| !line.trim().is_empty()).unwrap_or("it says nothing").to_owned();
        return Err(Finding::fail(TOPIC, format!("Spark's launcher refuses the command: {said}")));
    }
    Ok(words)
}

/// What `spark-class` would hand to the launcher.
fn words(plan: &LaunchPlan, options: &Options, environment: &Environment) -> Vec<OsString> {
    if plan.program.file_name() == Some(OsStr::new("spark-class")) {
        return plan.args.clone();
    }
    // A script of its own, such as `beeline`.
    if let Some(class) = &environment.class {
        return std::iter::once(OsString::from(class)).chain(plan.args.iter().cloned()).collect();
    }
    let submit = std::iter::once(OsString::from(main_class::SUBMIT));
    match options.tool {
        Tool::Python => {
            let ours = plan.env.get("PYSPARK_SUBMIT_ARGS").cloned().flatten().map(|value| text::decode(&value));
            let raw = ours.or_else(|| environment.python_args.clone()).unwrap_or_default();
            submit.chain(python_words::split(&raw).into_iter().map(|word| text::encode(&word.text))).collect()
        }
        // Already among the words.
        Tool::ConnectServer | Tool::ThriftServer => submit.chain(plan.args.iter().cloned()).collect(),
        tool => submit.chain(tool.hidden_words().iter().map(OsString::from)).chain(plan.args.iter().cloned()).collect(),
    }
}

/// The environment that the script would start with.
fn variables(plan: &LaunchPlan, options: &Options, process: &Process) -> BTreeMap<OsString, OsString> {
    let mut variables = process.env.clone();
    if let Some(added) = options.tool.added_submit_opts() {
        variables.entry("SPARK_SUBMIT_OPTS".into()).or_default().push(added);
    }
    for (name, value) in &plan.env {
        match value {
            Some(value) => variables.insert(name.into(), value.clone()),
            None => variables.remove(OsStr::new(name)),
        };
    }
    variables
}

/// Whether the agent of one JVM is where it has to be.
fn judge(debug: &DebugEndpoint, words: &[String], environment: &Environment) -> Finding {
    if debug.role == Role::Executor && environment.class.is_some() {
        return Finding::warn(TOPIC, "the executors' command is printed by no launcher before the worker starts them");
    }
    let class = environment.class.as_deref().unwrap_or(main_class::SUBMIT);
    look(debug, words, class, environment.deployment.cluster)
}

/// The same for the words of one command; `cluster`: its driver is started elsewhere, by the settings.
fn look(debug: &DebugEndpoint, words: &[String], class: &str, cluster: bool) -> Finding {
    let role = debug.role;
    let main = words.iter().position(|word| word == class).unwrap_or(words.len());
    let keys = match role {
        Role::Executor => [EXECUTOR_DEFAULT, EXECUTOR_EXTRA],
        _ => [DRIVER_DEFAULT, DRIVER_EXTRA],
    };
    let (agents, place) = match role {
        Role::Executor => (in_settings(&words[main..], keys), "in the settings of the executors"),
        Role::Driver if cluster => (in_settings(&words[main..], keys), "in the settings of the driver"),
        // The JVM is started by the Python, or the R, that this command starts.
        Role::Driver if main == words.len() => {
            (in_variables(words, keys), "in the words for the driver's spark-submit")
        }
        _ => (in_jvm(&words[..main]), "on the JVM's command line"),
    };
    match agents.as_slice() {
        [agent] => Finding::ok(TOPIC, format!("{role}: Spark's launcher prints {} once, {place}", shown(agent))),
        [] if debug.kept => Finding::warn(
            TOPIC,
            format!("{role}: the agent that is kept is not {place}: it stands where the launcher does not look"),
        ),
        [] => Finding::fail(TOPIC, format!("{role}: Spark's launcher prints no agent {place}"))
            .cure("this is a mistake of sparkdbg's: please report the command, as `-v` shows it"),
        several => {
            let all: Vec<String> = several.iter().map(|agent| shown(agent)).collect();
            let message =
                format!("{role}: Spark's launcher prints {} agents {place}: {}", several.len(), all.join(" and "));
            Finding::fail(TOPIC, message).cure("a JVM loads one; take the other out")
        }
    }
}

fn shown(agent: &str) -> String {
    format!("`{}`", secrets::secrets_hidden(agent))
}

fn in_jvm(words: &[String]) -> Vec<String> {
    words.iter().filter(|word| jvm_options::is_agent(word)).cloned().collect()
}

fn in_settings(words: &[String], keys: [&str; 2]) -> Vec<String> {
    let values = words.iter().filter_map(|word| {
        let (key, value) = word.split_once('=')?;
        keys.contains(&key).then_some(value)
    });
    values.flat_map(|value| jvm_options::find_agents(value, Splitter::Executor)).map(|existing| existing.text).collect()
}

/// `env PYSPARK_SUBMIT_ARGS=… python3`, `env SPARKR_SUBMIT_ARGS=… R`.
fn in_variables(words: &[String], keys: [&str; 2]) -> Vec<String> {
    let texts = words.iter().filter_map(|word| word.split_once("_SUBMIT_ARGS=").map(|(_, value)| value));
    texts
        .flat_map(|text| {
            let words: Vec<String> = python_words::split(text).into_iter().map(|word| word.text).collect();
            in_settings(&words, keys)
        })
        .collect()
}

struct Answer {
    status: Option<i32>,
    stdout: Vec<u8>,
    stderr: String,
}

fn run(command: &mut Command) -> Result<Answer, String> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|cause| format!("bash cannot be started: {}", error::cause(&cause)))?;
    let stdout = read_aside(child.stdout.take());
    let stderr = read_aside(child.stderr.take());
    let status = wait(&mut child)?;
    let read = |reader: thread::JoinHandle<Vec<u8>>| reader.join().unwrap_or_default();
    Ok(Answer { status, stdout: read(stdout), stderr: String::from_utf8_lossy(&read(stderr)).into_owned() })
}

/// Reads a pipe to its end, so that nobody waits for who waits.
fn read_aside(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
        bytes
    })
}

fn wait(child: &mut Child) -> Result<Option<i32>, String> {
    let started = Instant::now();
    loop {
        match child.try_wait().map_err(|cause| cause.to_string())? {
            Some(status) => return Ok(status.code()),
            None if started.elapsed() > LIMIT => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("it did not end within {LIMIT:?}"));
            }
            None => thread::sleep(Duration::from_millis(20)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::finding::Level;

    const AGENT: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:5005";

    fn told(role: Role, kept: bool, words: &[&str], cluster: bool) -> (Level, String) {
        let spec: crate::endpoint::EndpointSpec = "attach:5005".parse().unwrap();
        let debug = DebugEndpoint { role, endpoint: spec.resolve(role), kept };
        let words: Vec<String> = words.iter().map(|word| word.to_string()).collect();
        let found = look(&debug, &words, main_class::SUBMIT, cluster);
        (found.level, found.message)
    }

    #[test]
    fn an_agent_counts_where_it_reaches_the_jvm() {
        let conf = format!("spark.driver.defaultJavaOptions={AGENT}");
        let client = ["java", AGENT, main_class::SUBMIT, "--conf", &conf, "app.jar"];
        let once = format!("driver: Spark's launcher prints `{AGENT}` once, ");
        assert_eq!(told(Role::Driver, false, &client, false), (Level::Ok, format!("{once}on the JVM's command line")));
        let cluster = ["java", main_class::SUBMIT, "--conf", &conf, "app.jar"];
        assert_eq!(
            told(Role::Driver, false, &cluster, true),
            (Level::Ok, format!("{once}in the settings of the driver"))
        );
        // In the settings alone it comes too late for a driver that is started here.
        let missing = "driver: Spark's launcher prints no agent on the JVM's command line";
        assert_eq!(told(Role::Driver, false, &cluster, false), (Level::Fail, missing.to_owned()));
        assert_eq!(told(Role::Driver, true, &cluster, false).0, Level::Warn);
        assert_eq!(told(Role::Executor, false, &cluster, false).0, Level::Fail);
        let arguments = format!("PYSPARK_SUBMIT_ARGS=\"--conf\" \"{conf}\" \"pyspark-shell\"");
        assert_eq!(
            told(Role::Driver, false, &["env", &arguments, "python3"], false),
            (Level::Ok, format!("{once}in the words for the driver's spark-submit"))
        );
    }

    #[test]
    fn two_agents_are_one_too_many() {
        let twice = ["java", AGENT, "-Xrunjdwp:transport=dt_socket,server=y,address=1", main_class::SUBMIT];
        let said = format!(
            "driver: Spark's launcher prints 2 agents on the JVM's command line: `{AGENT}` and \
             `-Xrunjdwp:transport=dt_socket,server=y,address=1`"
        );
        assert_eq!(told(Role::Driver, false, &twice, false), (Level::Fail, said));
    }
}
