//! A Flink job to stop in: it takes numbers until it is told to end, so that a breakpoint may be set at any time.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::apps;
use crate::jdb::Jdb;
use crate::lab::{Lab, random_word};

const SOURCE: &str = include_str!("java/Numbers.java");

/// A compiled `Numbers.java` and the words of one run.
pub struct Numbers {
    /// The line that each task passes ten times a second.
    pub task_line: usize,
    /// The line that `main` passes before it submits the job.
    pub main_line: usize,
    /// A class path for the JVM that runs `main` in a cluster.
    pub jar: PathBuf,
    word: String,
    /// The numbers that are left go fast when it is there.
    end_file: PathBuf,
}

/// What a task did: read from its variables in jdb, and printed by it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Marked {
    /// The word of this run, which stands in no command line in this form.
    pub token: String,
    /// Of the number that it took.
    pub square: u64,
    /// The process.
    pub pid: u32,
}

impl Numbers {
    /// The class of `main`.
    pub const CLASS: &str = "demo.Numbers";
    /// The class of what the tasks do.
    pub const TASK_CLASS: &str = "demo.Numbers$Mark";

    /// Compiles it against the lab's Flink.
    pub fn new(lab: &Lab) -> Self {
        Self {
            task_line: apps::line_of(SOURCE, "// breakpoint: task"),
            main_line: apps::line_of(SOURCE, "// breakpoint: main"),
            jar: apps::jar(lab, Self::CLASS, SOURCE),
            word: random_word(),
            end_file: lab.dir().join("end-of-numbers"),
        }
    }

    /// The last words of a `flink run`: this job, with a checkpoint every so many milliseconds, 0 for none.
    pub fn add_to<'a>(&self, command: &'a mut Command, checkpoints: u64, status: i32) -> &'a mut Command {
        command.args(["--class", Self::CLASS]).arg(&self.jar);
        self.add_args_to(command, checkpoints, status)
    }

    /// The words of `main` alone.
    pub fn add_args_to<'a>(&self, command: &'a mut Command, checkpoints: u64, status: i32) -> &'a mut Command {
        command.arg(&self.word).arg(&self.end_file).args([checkpoints.to_string(), status.to_string()])
    }

    /// What the variable `token` holds in a task.
    pub fn task_token(&self) -> String {
        format!("{}/task", self.word.chars().rev().collect::<String>())
    }

    /// What the variable `token` holds in `main`.
    pub fn main_token(&self) -> String {
        format!("{}/main", self.word.chars().rev().collect::<String>())
    }

    /// Lets the job end.
    pub fn end(&self) {
        fs::write(&self.end_file, "").expect("a file in the test's own directory");
    }

    /// What the task's variables hold in a jdb that stands on [`Numbers::task_line`].
    pub fn seen_by(jdb: &mut Jdb) -> Result<Marked, String> {
        let number = |text: String| text.parse::<u64>().map_err(|error| format!("not a number: {text:?}: {error}"));
        let token = jdb.print("token")?.trim_matches('"').to_owned();
        let square = number(jdb.print("square")?)?;
        let pid = number(jdb.print("pid")?)?.try_into().map_err(|error| format!("not a process number: {error}"))?;
        Ok(Marked { token, square, pid })
    }

    /// What the tasks printed, from the standard output of their TaskManager.
    pub fn printed(output: &str) -> Vec<Marked> {
        output.lines().filter_map(|line| line.find("token ").map(|at| marked(&line[at..]))).collect()
    }
}

/// `token TOKEN square SQUARE pid PID`, behind the number of the task where there are several.
fn marked(line: &str) -> Marked {
    let words: Vec<&str> = line.split(' ').collect();
    let ["token", token, "square", square, "pid", pid] = words[..] else { panic!("not what a task prints: {line}") };
    Marked {
        token: token.to_owned(),
        square: square.parse().expect("a number"),
        pid: pid.parse().expect("a process number"),
    }
}
