//! What a launch would say, as findings: the same words, with a level and a cure.

use super::finding::{Finding, Level};
use crate::plan::{self, Note};

/// The finding of a note. Hints say what to do after the start, which is no finding, but for one: where the debugger
/// does not stop.
pub fn of(note: &Note) -> Option<Finding> {
    let level = match note.level {
        plan::Level::Hint if note.code == "main-method" => Level::Warn,
        plan::Level::Hint => return None,
        plan::Level::Note => Level::Ok,
        plan::Level::Warning => Level::Warn,
    };
    let (topic, level, cure) = match note.code {
        "nothing-to-debug" => ("launch", Level::Warn, Some("give ARGS as the command would have them, after `--`")),
        "agent-on-launcher" => ("agent", level, Some("take it out of SPARK_LAUNCHER_OPTS")),
        "agent-on-submitter" => ("agent", level, Some("take it out, unless that JVM is meant")),
        "code-may-override" => ("agent", Level::Warn, Some("let that code append to the value that it finds")),
        "kept-agent" if level == Level::Warn => ("agent", level, Some("mend it, or leave out --existing=keep")),
        "replaced-agent" | "kept-agent" => ("agent", level, None),
        "open-port" => ("reach", level, Some("say who may: --allow IP[/BITS]; or keep to 127.0.0.1 and a tunnel")),
        "unreachable-role" => ("reach", level, None),
        "many-dial" => ("listener", level, Some("--one-executor, or a debugger that takes several")),
        "wait" if level == Level::Warn => ("listener", level, Some("start the debugger before the command")),
        "wait" => ("listener", level, None),
        "preflight" => ("port", level, Some("without --no-preflight it would stop the launch")),
        "java-unknown" => ("java", level, Some("leave it out, or see to it that those JVMs have a newer Java")),
        "unknown-version" => ("distribution", Level::Warn, Some("name the distribution itself: --spark-home DIR")),
        "spark-java-opts" => (
            "variables",
            Level::Warn,
            Some("unset it, and give its options by --driver-java-options and spark.executor.extraJavaOptions"),
        ),
        "stray-word" => ("options", level, Some("put the value that holds it in double quotes")),
        // Spark itself ends with it, once the driver is up.
        "executor-options" => ("options", Level::Fail, Some("take it out: what it sets has a key of Spark's own")),
        "ignored-key" => ("options", level, Some("put its options into the other, or into the key of the role")),
        "ignored-conf" => ("config", level, Some("move its settings into config.yaml")),
        "read-too-late" => ("options", level, Some("write it into the configuration file, or into JVM_ARGS")),
        "near-miss" | "torn-option" | "displaced-key" => ("options", level, None),
        // Flink itself ends with it, once main has run.
        "application-mode" => ("launch", Level::Fail, None),
        "astray" => ("options", Level::Warn, None),
        "no-master" => ("deployment", level, Some("name it: --master MASTER")),
        "rest-gateway" => ("deployment", level, Some("see to it that the master takes REST submissions")),
        "ci-suspend" => ("launch", level, None),
        "pause-limit" if note.message.contains("too short for a pause") => {
            ("timeouts", level, Some("take it out, and sparkdbg sets what is needed"))
        }
        "pause-limit" if level == Level::Warn => ("timeouts", level, Some("change it for this run")),
        // The message has the cure.
        "pause-limit" if note.message.contains("brings its own limits") => ("timeouts", Level::Warn, None),
        "pause-limit" => ("timeouts", Level::Warn, Some("it is set on the cluster's side; or resume before that")),
        _ => ("launch", level, None),
    };
    let cure = cure.map(str::to_owned);
    Some(Finding { level, topic, message: note.message.clone(), cure })
}
