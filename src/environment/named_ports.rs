//! Ports that debug agents of running or starting processes name: a JVM that was started a moment ago, or a
//! script that is about to start one, has not yet bound its port.

use std::collections::BTreeSet;

/// Those of the processes that we may look into; empty without `/proc`.
#[cfg(target_os = "linux")]
pub fn read() -> BTreeSet<u16> {
    use crate::jvm::options as jvm_options;
    use crate::jvm::options::Splitter;

    let mut ports = BTreeSet::new();
    let own = i32::try_from(std::process::id()).unwrap_or_default();
    for process in procfs::process::all_processes().into_iter().flatten().flatten().filter(|found| found.pid != own) {
        let mut texts = process.cmdline().unwrap_or_default();
        if let Ok(variables) = process.environ() {
            let named = ["JVM_ARGS", "FLINK_ENV_JAVA_OPTS_JM", "FLINK_ENV_JAVA_OPTS_TM"];
            texts.extend(named.iter().filter_map(|name| {
                Some(variables.get(name.as_ref() as &std::ffi::OsStr)?.to_string_lossy().into_owned())
            }));
        }
        let agents = texts.iter().flat_map(|text| jvm_options::find_agents(text, Splitter::Jvm));
        ports.extend(agents.filter_map(|found| Some(found.agent.endpoint()?.port)));
    }
    ports
}

/// Without `/proc`, none.
#[cfg(not(target_os = "linux"))]
pub fn read() -> BTreeSet<u16> {
    BTreeSet::new()
}
