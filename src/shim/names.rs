//! The names of the links, and the command of sparkdbg behind each.

use std::ffi::OsStr;
use std::path::Path;

use crate::flink::script::Script;
use crate::tool::Tool;

/// Those of Spark whose script has one command of ours. Not `beeline`: the name is Hive's first.
const SPARK: [Tool; 9] = [
    Tool::Submit,
    Tool::Pyspark,
    Tool::Shell,
    Tool::Sql,
    Tool::R,
    Tool::Example,
    Tool::ConnectShell,
    Tool::Pipelines,
    Tool::Class,
];

/// Cloudera's names of `spark-submit`, where a cluster has two Sparks; Airflow's connections take them too. Linked where
/// they are asked for.
const SUBMIT: [&str; 2] = ["spark2-submit", "spark3-submit"];

/// Those that are linked unless names are given.
pub fn usual() -> Vec<&'static str> {
    tools().map(Tool::script).collect()
}

/// Every name.
pub fn all() -> Vec<&'static str> {
    tools().map(Tool::script).chain(SUBMIT).collect()
}

fn tools() -> impl Iterator<Item = Tool> {
    SPARK.into_iter().chain(Script::ALL.map(Tool::Flink))
}

/// The name by which a program was called, and its tool.
pub fn called(program: &OsStr) -> Option<(&'static str, Tool)> {
    named(Path::new(program).file_name()?.to_str()?)
}

/// The tool whose script has that name.
pub fn named(name: &str) -> Option<(&'static str, Tool)> {
    let others = SUBMIT.map(|name| (name, Tool::Submit));
    tools().map(|tool| (tool.script(), tool)).chain(others).find(|(known, _)| *known == name)
}

/// The words of sparkdbg in front of the script's own.
pub fn words(tool: Tool) -> Vec<&'static str> {
    let script = matches!(tool, Tool::Flink(_)).then(|| tool.script());
    ["sparkdbg", tool.command(), "--"].into_iter().chain(script).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_leads_to_its_own_script() {
        assert_eq!(usual().len(), 19);
        assert_eq!(all().len(), 21);
        for name in usual() {
            assert_eq!(named(name).map(|(name, tool)| (name, tool.script())), Some((name, name)));
        }
        assert_eq!(called(OsStr::new("/x/spark-shell")), Some(("spark-shell", Tool::Shell)));
        assert_eq!(called(OsStr::new("spark3-submit")), Some(("spark3-submit", Tool::Submit)));
        assert_eq!(called(OsStr::new("sparkdbg")), None);
        assert_eq!(called(OsStr::new("python")), None);
        assert_eq!(words(Tool::R), ["sparkdbg", "r", "--"]);
        assert_eq!(words(Tool::Flink(Script::Flink)), ["sparkdbg", "flink", "--", "flink"]);
        assert_eq!(words(Tool::Flink(Script::TaskManager)), ["sparkdbg", "flink", "--", "taskmanager.sh"]);
    }
}
