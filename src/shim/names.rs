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

/// Every name.
pub fn all() -> Vec<&'static str> {
    tools().map(Tool::script).collect()
}

fn tools() -> impl Iterator<Item = Tool> {
    SPARK.into_iter().chain(Script::ALL.map(Tool::Flink))
}

/// The tool by whose name a program was called.
pub fn tool_of(program: &OsStr) -> Option<Tool> {
    let name = Path::new(program).file_name()?.to_str()?;
    named(name)
}

/// The tool with a script of that name.
pub fn named(name: &str) -> Option<Tool> {
    tools().find(|tool| tool.script() == name)
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
        let names = all();
        assert_eq!(names.len(), 19);
        for name in names {
            assert_eq!(named(name).map(Tool::script), Some(name));
        }
        assert_eq!(tool_of(OsStr::new("/x/spark-shell")), Some(Tool::Shell));
        assert_eq!(tool_of(OsStr::new("sparkdbg")), None);
        assert_eq!(tool_of(OsStr::new("python")), None);
        assert_eq!(words(Tool::R), ["sparkdbg", "r", "--"]);
        assert_eq!(words(Tool::Flink(Script::Flink)), ["sparkdbg", "flink", "--", "flink"]);
        assert_eq!(words(Tool::Flink(Script::TaskManager)), ["sparkdbg", "flink", "--", "taskmanager.sh"]);
    }
}
