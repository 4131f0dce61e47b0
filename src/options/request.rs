//! The tool behind a command, and the words of a command line taken apart.

use std::ffi::OsString;

use crate::cli::{Launch, Start, Worker};
use crate::error::{Failure, nearest};
use crate::flink::script::{ACTIONS, Script};
use crate::jvm::options as jvm_options;
use crate::spark::main_class;
use crate::spark::spark_class;
use crate::text;
use crate::tool::Tool;

/// A command taken apart.
#[derive(Debug, Clone)]
pub struct Request {
    /// The tool behind the command.
    pub tool: Tool,
    /// The command's options, and the words for the script.
    pub launch: Launch,
    /// `class`: what was typed in front of the class.
    pub before_class: Vec<OsString>,
    /// `worker --app`.
    pub app: Option<String>,
}

/// The tool behind a command, and its options.
///
/// # Errors
/// `flink`: no script of Flink's is named.
pub fn request(start: Start) -> Result<Request, Failure> {
    let plain = |tool, launch| Request { tool, launch, before_class: Vec::new(), app: None };
    Ok(match start {
        Start::Submit(launch) => plain(Tool::Submit, launch),
        Start::Shell(launch) => plain(Tool::Shell, launch),
        Start::Sql(launch) => plain(Tool::Sql, launch),
        Start::Pyspark(launch) => plain(Tool::Pyspark, launch),
        Start::R(launch) => plain(Tool::R, launch),
        Start::Example(launch) => plain(Tool::Example, launch),
        Start::ConnectShell(launch) => plain(Tool::ConnectShell, launch),
        Start::Python(launch) => plain(Tool::Python, launch),
        Start::ConnectServer(launch) => plain(Tool::ConnectServer, launch),
        Start::ThriftServer(launch) => plain(Tool::ThriftServer, launch),
        Start::Worker(worker) => Request { app: worker.app, ..plain(Tool::Worker, worker.launch) },
        Start::Master(launch) => plain(Tool::Master, launch),
        Start::HistoryServer(launch) => plain(Tool::HistoryServer, launch),
        Start::Pipelines(launch) => plain(Tool::Pipelines, launch),
        Start::Beeline(launch) => plain(Tool::Beeline, launch),
        Start::Class(launch) => class(launch),
        Start::Flink(launch) => flink(launch)?,
    })
}

/// The launching command of that name, where there is one.
pub fn start(command: &str, launch: Launch) -> Option<Start> {
    Some(match command {
        "submit" => Start::Submit(launch),
        "shell" => Start::Shell(launch),
        "sql" => Start::Sql(launch),
        "pyspark" => Start::Pyspark(launch),
        "r" => Start::R(launch),
        "example" => Start::Example(launch),
        "connect-shell" => Start::ConnectShell(launch),
        "python" => Start::Python(launch),
        "connect-server" => Start::ConnectServer(launch),
        "thrift-server" => Start::ThriftServer(launch),
        "worker" => Start::Worker(Worker { app: None, launch }),
        "master" => Start::Master(launch),
        "history-server" => Start::HistoryServer(launch),
        "pipelines" => Start::Pipelines(launch),
        "beeline" => Start::Beeline(launch),
        "class" => Start::Class(launch),
        "flink" => Start::Flink(launch),
        _ => return None,
    })
}

/// `flink -- [SCRIPT] ARGS`: an action of `flink` as first word means that script, and so does an option.
fn flink(mut launch: Launch) -> Result<Request, Failure> {
    let of = |script, launch| Request { tool: Tool::Flink(script), launch, before_class: Vec::new(), app: None };
    let Some(first) = launch.args.first().map(|word| text::decode(word)) else {
        return Err(Failure::usage("`sparkdbg flink` names no script of Flink's")
            .help("for example: sparkdbg flink -- run app.jar; sparkdbg flink --taskmanager -- taskmanager.sh start"));
    };
    if ACTIONS.contains(&first.as_str()) || first.starts_with('-') {
        return Ok(of(Script::Flink, launch));
    }
    if let Some(script) = Script::named(&first) {
        launch.args.remove(0);
        return Ok(of(script, launch));
    }
    let failure =
        Failure::usage(format!("`{first}` is no script of Flink's that starts a JVM, and no action of `flink`"));
    if let Some(name) = first.rsplit('/').next().filter(|name| first.contains('/') && Script::named(name).is_some()) {
        return Err(failure.help(format!("write `{name}`, and the distribution as --flink-home DIR")));
    }
    if first.starts_with("stop-") {
        return Err(failure.help("run it without sparkdbg"));
    }
    let names = Script::ALL.iter().map(|script| script.name());
    Err(match nearest(&first, names.clone().chain(ACTIONS)) {
        Some(near) => failure.help(format!("did you mean `{near}`?")),
        None => failure.help(format!("it takes {}", names.collect::<Vec<_>>().join(", "))),
    })
}

/// `class -- [JVM OPTIONS] CLASS ARGS`. With nothing but debug agents in front of it, `SparkSubmit` is
/// spark-submit, and its words are read as such.
fn class(mut launch: Launch) -> Request {
    let words: Vec<String> = launch.args.iter().map(|word| text::decode(word)).collect();
    let at = spark_class::class_at(&words).unwrap_or(words.len());
    if stays_before_class(&words[..at]) || words.get(at).is_none_or(|class| class != main_class::SUBMIT) {
        let before_class = launch.args.drain(..at).collect();
        return Request { tool: Tool::Class, launch, before_class, app: None };
    }
    let before_class = launch.args.drain(..at).collect();
    launch.args.remove(0);
    Request { tool: Tool::ClassSubmit, launch, before_class, app: None }
}

/// Whether these words stand before the class also when their debug agents are gone: `spark-class` then takes
/// the first one for the class, which gets none of its variables.
pub fn stays_before_class(words: &[String]) -> bool {
    let has_agent = words.iter().any(|word| jvm_options::is_agent(word));
    let all_go = has_agent && words.iter().all(|word| jvm_options::is_agent_or_companion(word));
    !words.is_empty() && !all_go
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::LAUNCHING;

    #[test]
    fn every_launching_command_is_known_by_name() {
        let definition = <Start as clap::Subcommand>::augment_subcommands(clap::Command::new("sparkdbg"));
        let names: Vec<&str> = definition.get_subcommands().map(clap::Command::get_name).collect();
        assert_eq!(names, LAUNCHING);
        for name in LAUNCHING.into_iter().filter(|name| *name != "flink") {
            let request = request(start(name, Launch::default()).expect("a command")).expect("no word is wrong");
            assert_eq!(request.tool.command(), name);
        }
        assert!(start("ps", Launch::default()).is_none());
    }
}
