//! `spark-class`: which variables reach the JVM of a class, and where the class stands among the words.
//!
//! Source: `SparkClassCommandBuilder` of Spark's launcher, 2.4 to 4.3.

use super::main_class::{BEELINE, HISTORY_SERVER, MASTER, SHUFFLE_SERVICE, STANDALONE_EXECUTOR, WORKER};
use crate::version::Version;

/// The options of every daemon; more than one kind of them reads it.
pub const DAEMON_OPTS: &str = "SPARK_DAEMON_JAVA_OPTS";

/// What `spark-class` does for a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variables {
    /// The variable of the class, or of its kind.
    pub own: &'static str,
    /// Whether [`DAEMON_OPTS`] comes before it.
    pub daemon: bool,
}

/// The variables whose options reach the JVM of a class, if any do. An unknown version counts as the
/// newest.
pub fn variables(class: &str, version: Option<&Version>) -> Option<Variables> {
    let knows_beeline = version.is_none_or(|version| version.at_least(3, 4));
    let knows_mesos = version.is_none_or(|version| !version.at_least(4, 0));
    let daemon = |own| Some(Variables { own, daemon: true });
    match class {
        MASTER => daemon("SPARK_MASTER_OPTS"),
        WORKER => daemon("SPARK_WORKER_OPTS"),
        HISTORY_SERVER => daemon("SPARK_HISTORY_OPTS"),
        SHUFFLE_SERVICE => daemon("SPARK_SHUFFLE_OPTS"),
        "org.apache.spark.deploy.mesos.MesosExternalShuffleService" if knows_mesos => daemon("SPARK_SHUFFLE_OPTS"),
        "org.apache.spark.deploy.mesos.MesosClusterDispatcher" if knows_mesos => {
            Some(Variables { own: DAEMON_OPTS, daemon: false })
        }
        STANDALONE_EXECUTOR => Some(Variables { own: "SPARK_EXECUTOR_OPTS", daemon: false }),
        "org.apache.spark.executor.MesosExecutorBackend" if knows_mesos => {
            Some(Variables { own: "SPARK_EXECUTOR_OPTS", daemon: false })
        }
        BEELINE if knows_beeline => Some(Variables { own: "SPARK_BEELINE_OPTS", daemon: false }),
        _ => None,
    }
}

/// The words that make a daemon print its usage and end. Source: `MasterArguments`, `WorkerArguments`,
/// `HistoryServerArguments`.
pub fn help_words(class: &str) -> &'static [&'static str] {
    match class {
        MASTER | WORKER => &["--help"],
        HISTORY_SERVER => &["--help", "-h"],
        _ => &[],
    }
}

/// Where the class stands: behind options of the JVM, which `spark-class` passes on unseen. Then the
/// class gets none of its variables, since the launcher takes the first word for the class.
pub fn class_at(words: &[String]) -> Option<usize> {
    words.iter().position(|word| !word.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use super::super::main_class::PIPELINES;
    use super::*;

    #[test]
    fn the_variable_of_a_class_depends_on_the_version() {
        let own = |class, version: &str| variables(class, Version::parse(version).as_ref()).map(|found| found.own);
        assert_eq!(own(MASTER, "2.4.8"), Some("SPARK_MASTER_OPTS"));
        assert_eq!(own(BEELINE, "3.3.4"), None);
        assert_eq!(own(BEELINE, "3.4.0"), Some("SPARK_BEELINE_OPTS"));
        assert_eq!(own("org.apache.spark.deploy.mesos.MesosClusterDispatcher", "3.5.6"), Some(DAEMON_OPTS));
        assert_eq!(own("org.apache.spark.deploy.mesos.MesosClusterDispatcher", "4.0.0"), None);
        assert_eq!(own(PIPELINES, "4.3.0"), None);
    }

    #[test]
    fn options_of_the_jvm_may_stand_before_the_class() {
        let at = |words: &[&str]| class_at(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        assert_eq!(at(&["a.B", "-x"]), Some(0));
        assert_eq!(at(&["-agentlib:jdwp=server=y", "-Xmx1g", "a.B"]), Some(2));
        assert_eq!(at(&["--help"]), None);
    }
}
