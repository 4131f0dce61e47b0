//! The variables that matter, as the JVM will see them, and the conf directory that they lead to: ours,
//! then whatever `spark-env.sh` makes of them.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::distribution::Distribution;
use super::spark_env::{self, Set};
use super::{Process, conf_files};
use crate::error::Failure;
use crate::options::Options;
use crate::text;
use crate::tool::Tool;

/// Who gives a variable its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// The value that the JVM will see.
    pub text: String,
    /// Whether `spark-env.sh` sets it, after us.
    pub from_spark_env: bool,
    /// Whether `spark-env.sh` makes it read-only.
    pub read_only: bool,
}

/// What reading them came to.
pub struct Variables {
    /// `spark-env.sh`, if it exists.
    pub spark_env: Option<PathBuf>,
    /// Whether it was sourced to learn what it sets.
    pub sourced: bool,
    /// The variables.
    pub values: BTreeMap<&'static str, Variable>,
    /// Where Spark will look for its configuration.
    pub conf_dir: Option<PathBuf>,
}

impl Variables {
    /// Reads them. `words`: those of `spark-class`, for which the script is sourced.
    ///
    /// # Errors
    /// The script ends the shell that sources it, or none can be started.
    pub fn read(
        options: &Options,
        distribution: &Distribution,
        words: &[String],
        process: &Process,
    ) -> Result<Variables, Failure> {
        let home_conf = distribution.home.as_ref().map(|home| home.join("conf"));
        // EMR and Bigtop keep it there, also where the home is not found.
        let home_conf = home_conf.or_else(|| Some(PathBuf::from("/etc/spark/conf")).filter(|dir| dir.is_dir()));
        let given_conf = process.var("SPARK_CONF_DIR").filter(|dir| !dir.is_empty()).map(PathBuf::from);
        let before = given_conf.or(home_conf);

        let loaded_already = process.var("SPARK_ENV_LOADED").is_some_and(|value| !value.is_empty());
        let spark_env = before.as_ref().map(|dir| dir.join("spark-env.sh")).filter(|_| !loaded_already);
        let spark_env = spark_env.filter(|file| file.is_file());
        // One that cannot be read is no help to Spark either, which says so and goes on.
        let script = spark_env.as_ref().and_then(|file| conf_files::read(file).ok());
        let names = spark_env::names(options.tool);
        let mut values = own(&names, process);
        let mut sourced = false;
        if let (Some(file), Some(dir)) = (&spark_env, &before)
            && script.is_some_and(|script| spark_env::may_matter(&script, &names))
        {
            let home = distribution.home.as_deref().unwrap_or(Path::new(""));
            let seen = seen_by_script(options.tool, dir, process);
            let set = spark_env::source(file, home, words, &names, &seen)?;
            sourced = true;
            values = after_script(set, &seen);
        }
        // Empty counts as unset in load-spark-env.sh.
        let in_force = values.get("SPARK_CONF_DIR").filter(|variable| !variable.text.is_empty());
        let conf_dir = in_force.map(|variable| PathBuf::from(text::encode(&variable.text))).or(before);
        Ok(Variables { spark_env, sourced, values, conf_dir })
    }
}

fn own(names: &[&'static str], process: &Process) -> BTreeMap<&'static str, Variable> {
    let value =
        |name| Some(Variable { text: text::decode(process.var(name)?), from_spark_env: false, read_only: false });
    names.iter().filter_map(|name| Some((*name, value(name)?))).collect()
}

/// The environment in which the scripts source `spark-env.sh`: what they change before is no change
/// by the file.
fn seen_by_script(tool: Tool, conf_dir: &Path, process: &Process) -> BTreeMap<OsString, OsString> {
    let mut seen = process.env.clone();
    seen.insert("SPARK_CONF_DIR".into(), conf_dir.as_os_str().to_owned());
    if let Some(added) = tool.added_submit_opts() {
        seen.entry("SPARK_SUBMIT_OPTS".into()).or_default().push(added);
    }
    seen
}

/// What the variables are once the file was sourced.
fn after_script(
    set: BTreeMap<&'static str, Set>,
    seen: &BTreeMap<OsString, OsString>,
) -> BTreeMap<&'static str, Variable> {
    let variable = |(name, Set { text, read_only })| {
        let unchanged = seen.get(OsStr::new(name)).is_some_and(|before| text::decode(before) == text);
        (name, Variable { text, from_spark_env: !unchanged, read_only })
    };
    set.into_iter().map(variable).collect()
}
