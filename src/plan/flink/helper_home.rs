//! A home of Flink's that is the real one but for the two scripts that start daemons, for settings that
//! `start-cluster.sh`, and `jobmanager.sh` of 1.14, take no way to.
//!
//! `config.sh` takes the home from a variable where another one says that it is known; the daemons
//! themselves go through the real scripts of the real home.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::environment::flink::FlinkEnvironment;
use crate::error::Failure;
use crate::pause::Setting;
use crate::plan::LaunchPlan;
use crate::plan::helper_files::{self, Content, HelperFile};
use crate::text;

/// Both scripts; the head names the variables that they take.
const SCRIPT: &str = include_str!("helper_home/daemon.sh");

const REPLACED: [&str; 2] = ["flink-console.sh", "flink-daemon.sh"];

/// Adds the home to the plan, and the variables that lead to it.
///
/// # Errors
/// There is no cache directory, or the real home is not known.
pub fn add(
    jobmanager: &[Setting],
    taskmanager: &[Setting],
    environment: &FlinkEnvironment,
    plan: &mut LaunchPlan,
) -> Result<(), Failure> {
    let Some(home) = &environment.distribution.home else {
        return Err(Failure::world(
            "the home of this Flink is not known, so that its daemons can be given no settings",
        )
        .help("name it: --flink-home DIR; or leave the cluster's limits alone: --pause-limit off"));
    };
    let cache_dir = helper_files::cache_dir(&environment.machine)?;
    let names = environment.scripts.bin.iter().map(|name| name.as_bytes());
    let parts = [SCRIPT.as_bytes(), home.as_os_str().as_bytes()].into_iter().chain(names);
    let helper = cache_dir.join(helper_files::name_of(parts));
    let bin = helper.join("bin");
    for name in &environment.scripts.bin {
        let is_replaced = REPLACED.iter().any(|replaced| *name == **replaced);
        let content = match is_replaced {
            true => Content::Script(SCRIPT),
            false => Content::Link(home.join("bin").join(name)),
        };
        plan.files.push(HelperFile { path: bin.join(name), content });
    }
    let mut set = |name: &str, value: &std::ffi::OsStr| plan.env.insert(name.to_owned(), Some(value.to_owned()));
    set("_FLINK_HOME_DETERMINED", "1".as_ref());
    set("FLINK_HOME", helper.as_os_str());
    set("SPARKDBG_FLINK_HOME", home.as_os_str());
    set("SPARKDBG_JOBMANAGER_SETTINGS", &text::encode(&lines(jobmanager)));
    set("SPARKDBG_TASKMANAGER_SETTINGS", &text::encode(&lines(taskmanager)));
    // `find` follows no link that it starts from.
    for (name, dir) in [("FLINK_LIB_DIR", "lib"), ("FLINK_OPT_DIR", "opt"), ("FLINK_PLUGINS_DIR", "plugins")] {
        if environment.variable(name).is_none() {
            set(name, home.join(dir).as_os_str());
        }
    }
    let conf_dir = environment.conf_dir.as_deref().unwrap_or(Path::new("conf"));
    set("FLINK_CONF_DIR", conf_dir.as_os_str());
    Ok(())
}

/// One on each line.
fn lines(settings: &[Setting]) -> String {
    let lines: Vec<String> = settings.iter().map(|setting| format!("{}={}", setting.key, setting.value)).collect();
    lines.join("\n")
}
