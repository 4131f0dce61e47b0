//! Variables whose options reach the driver's JVM that is started here, and who splits them.

use super::submit::is_server_class;
use super::version::Version;
use crate::jvm::options::Splitter;

/// The variables for a main class, a Spark and the major version of Java, as far as they are known.
pub fn of_driver(class: Option<&str>, version: Option<&Version>, java: Option<u32>) -> Vec<(&'static str, Splitter)> {
    let mut variables = vec![
        ("JAVA_TOOL_OPTIONS", Splitter::Jvm),
        ("_JAVA_OPTIONS", Splitter::Jvm),
        ("SPARK_SUBMIT_OPTS", Splitter::Launcher),
    ];
    // `java` reads it since 9.
    if java != Some(8) {
        variables.push(("JDK_JAVA_OPTIONS", Splitter::Jvm));
    }
    if class.is_some_and(|class| is_server_class(class, version)) {
        variables.push(("SPARK_DAEMON_JAVA_OPTS", Splitter::Launcher));
    }
    variables
}
