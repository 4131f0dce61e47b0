//! Variables whose options reach a JVM that is started here, and who splits them.

use super::spark_class::{self, DAEMON_OPTS};
use super::submit::is_server_class;
use crate::jvm::options::Splitter;
use crate::version::Version;

/// The options of the JVM of `spark-submit`, whatever it is asked.
pub const SUBMIT_OPTS: &str = "SPARK_SUBMIT_OPTS";

/// Those that every `java` reads, for the major version as far as it is known.
pub fn of_every_jvm(java: Option<u32>) -> Vec<(&'static str, Splitter)> {
    let mut variables = vec![("JAVA_TOOL_OPTIONS", Splitter::Jvm), ("_JAVA_OPTIONS", Splitter::Jvm)];
    // `java` reads it since 9.
    if java != Some(8) {
        variables.push(("JDK_JAVA_OPTIONS", Splitter::Jvm));
    }
    variables
}

/// Those of the driver, for a main class and a Spark as far as they are known.
pub fn of_driver(class: Option<&str>, version: Option<&Version>, java: Option<u32>) -> Vec<(&'static str, Splitter)> {
    let mut variables = of_every_jvm(java);
    variables.push((SUBMIT_OPTS, Splitter::Launcher));
    if class.is_some_and(|class| is_server_class(class, version)) {
        variables.push((DAEMON_OPTS, Splitter::Launcher));
    }
    variables
}

/// Those of a class that `spark-class` starts.
pub fn of_class(class: &str, version: Option<&Version>, java: Option<u32>) -> Vec<(&'static str, Splitter)> {
    let mut variables = of_every_jvm(java);
    if let Some(found) = spark_class::variables(class, version) {
        variables.extend(found.daemon.then_some((DAEMON_OPTS, Splitter::Launcher)));
        variables.push((found.own, Splitter::Launcher));
    }
    variables
}
