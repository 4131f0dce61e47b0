//! A job with tasks to stop in: they go round until they are told to end, so that a breakpoint may be set at any time.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::apps;
use crate::lab::{Lab, random_word};

const SOURCE: &str = include_str!("java/Tasks.java");

/// A compiled `Tasks.java` and the words of one run.
pub struct Tasks {
    /// The line that tasks pass again and again.
    pub task_line: usize,
    /// The line that the driver passes again and again.
    pub driver_line: usize,
    jar: PathBuf,
    word: String,
    /// The tasks end when it is there.
    end_file: PathBuf,
}

/// Where a task runs: read from its variables in jdb, and told by its result.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Which task it is, with the word of this run, which stands in no command line in this form.
    pub token: String,
    /// Spark's number of the executor.
    pub executor: String,
    /// The process.
    pub pid: u32,
}

/// What a task returned.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Outcome {
    /// Where it ran.
    pub place: Place,
    /// 0 unless an executor was lost with it.
    pub attempt: u32,
}

impl Tasks {
    /// The class to stop in.
    pub const CLASS: &str = "demo.Tasks";

    /// Compiles it against the lab's Spark.
    pub fn new(lab: &Lab) -> Self {
        Self {
            task_line: apps::line_of(SOURCE, "// breakpoint: task"),
            driver_line: apps::line_of(SOURCE, "// breakpoint: driver"),
            jar: apps::jar(lab, Self::CLASS, SOURCE),
            word: random_word(),
            end_file: lab.dir().join("end-of-tasks"),
        }
    }

    /// The last words of a spark-submit: this job, with so many tasks, and its exit status.
    pub fn add_to<'a>(&self, command: &'a mut Command, tasks: usize, status: i32) -> &'a mut Command {
        command.args(["--class", Self::CLASS]).arg(&self.jar);
        command.args([&self.word, &tasks.to_string()]).arg(&self.end_file).arg(status.to_string())
    }

    /// What the variable `token` holds in the task with that number.
    pub fn token(&self, number: usize) -> String {
        format!("{}/{number}", self.word.chars().rev().collect::<String>())
    }

    /// What the variable `token` holds in the driver.
    pub fn driver_token(&self) -> String {
        format!("{}/driver", self.word.chars().rev().collect::<String>())
    }

    /// Lets all tasks end.
    pub fn end(&self) {
        fs::write(&self.end_file, "").expect("a file in the test's own directory");
    }

    /// What the tasks returned, in their order, from the driver's standard output.
    pub fn outcomes(stdout: &str) -> Vec<Outcome> {
        stdout.lines().filter(|line| line.starts_with("task ")).map(outcome).collect()
    }
}

/// `task TOKEN executor EXECUTOR pid PID attempt ATTEMPT`
fn outcome(line: &str) -> Outcome {
    let words: Vec<&str> = line.split(' ').collect();
    let ["task", token, "executor", executor, "pid", pid, "attempt", attempt] = words[..] else {
        panic!("not what a task returns: {line}")
    };
    let place =
        Place { token: token.to_owned(), executor: executor.to_owned(), pid: pid.parse().expect("a process id") };
    Outcome { place, attempt: attempt.parse().expect("a number") }
}
