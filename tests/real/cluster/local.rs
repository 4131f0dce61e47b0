//! `local-cluster[…]`: Master and Workers in the driver's JVM, executors in JVMs of their own.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;

use crate::lab::Lab;

/// A `SPARK_HOME` of one test. The executors of a `local-cluster` work in `SPARK_HOME/work`, whatever is configured,
/// and the distribution itself is shared by all tests.
pub struct OwnHome {
    /// `SPARK_HOME`: links to the entries of the distribution, beside a `work` of its own.
    pub home: PathBuf,
    /// Below it, each executor writes to `APPLICATION/EXECUTOR/stdout`.
    pub work: PathBuf,
}

impl OwnHome {
    /// Makes it in the directory of the test.
    pub fn new(lab: &Lab) -> Self {
        Self::named(lab, "spark-home")
    }

    /// For a test that needs several.
    pub fn named(lab: &Lab, name: &str) -> Self {
        let home = lab.subdir(name);
        for entry in fs::read_dir(&lab.home).expect("the distribution") {
            let entry = entry.expect("an entry of the distribution");
            if entry.file_name() != "work" {
                symlink(entry.path(), home.join(entry.file_name())).expect("a link in the test's own directory");
            }
        }
        let work = home.join("work");
        fs::create_dir(&work).expect("a directory in the test's own");
        Self { home, work }
    }

    /// Has a command run the Spark of this home.
    pub fn apply<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.env("SPARK_HOME", &self.home)
    }
}
