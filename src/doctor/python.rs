//! Python code, in which a JVM debugger does not stop. Pure.
//!
//! What is said of PySpark was tried with debugpy 1.8 and Spark 3.5 and 4.3: `docs/doctor.md` has the module.

use super::finding::Finding;
use crate::tool::Tool;

const TOPIC: &str = "python";

const MESSAGE: &str =
    "a JVM debugger stops in Java and Scala code, and neither in the application's Python code nor in UDFs";

const WORKERS: &str = "in UDFs a daemon module that does the same in each worker (--conf spark.python.daemon.module=NAME; \
                       docs/doctor.md has one)";

/// For an application of Spark's.
pub fn of_spark(tool: Tool) -> Finding {
    let driver = match tool {
        Tool::Python => "sparkdbg python -- -m debugpy --listen 5678 --wait-for-client app.py",
        _ => "`import debugpy; debugpy.listen(5678); debugpy.wait_for_client()` before the code in question",
    };
    Finding::warn(TOPIC, MESSAGE).cure(format!("use debugpy: in the driver {driver}; {WORKERS}"))
}

/// For a job of Flink's.
pub fn of_flink() -> Finding {
    Finding::warn(TOPIC, MESSAGE).cure("use a debugger for Python there, such as debugpy, called from that code itself")
}
