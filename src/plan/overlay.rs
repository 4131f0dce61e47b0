//! A conf directory for `load-spark-env.sh` whose `spark-env.sh` has the last word.

use super::helper_files::{self, Content, HelperFile};
use crate::environment::Environment;
use crate::error::Failure;

/// Sources the real `spark-env.sh` and then sets what sparkdbg had to change, from variables, so that
/// the file itself is the same for every job.
const SCRIPT: &str = r#"# Written by sparkdbg. Sources the real spark-env.sh, then sets the variables
# that it would otherwise have set over ours. Safe to delete while no job starts.
export SPARK_CONF_DIR="$SPARKDBG_CONF_DIR"
[ ! -f "$SPARK_CONF_DIR/spark-env.sh" ] || . "$SPARK_CONF_DIR/spark-env.sh"
for sparkdbg_name in JAVA_HOME SPARK_SUBMIT_OPTS SPARK_DAEMON_JAVA_OPTS SPARK_MASTER_OPTS SPARK_WORKER_OPTS \
  SPARK_HISTORY_OPTS SPARK_SHUFFLE_OPTS SPARK_EXECUTOR_OPTS SPARK_BEELINE_OPTS \
  JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS _JAVA_JDWP_OPTIONS; do
  sparkdbg_value="SPARKDBG_SET_$sparkdbg_name"
  if [ -n "${!sparkdbg_value+x}" ]; then
    if [ -n "${!sparkdbg_value}" ]; then
      export "$sparkdbg_name=${!sparkdbg_value}"
    else
      unset "$sparkdbg_name"
    fi
    unset "$sparkdbg_value"
  fi
done
unset sparkdbg_name sparkdbg_value SPARKDBG_CONF_DIR
"#;

/// Whether the script gives this variable the value that it is told.
pub fn sets(name: &str) -> bool {
    SCRIPT.split_whitespace().any(|word| word.trim_end_matches(';') == name)
}

/// The file in the cache directory.
///
/// # Errors
/// There is no cache directory, or none that Spark's scripts can take.
pub fn file(environment: &Environment) -> Result<HelperFile, Failure> {
    let cache_dir = helper_files::cache_dir(&environment.machine)?;
    // load-spark-env.sh sources the file without quotes.
    let plain =
        cache_dir.to_str().is_some_and(|path| !path.contains(|c: char| c.is_whitespace() || "*?[\\".contains(c)));
    if !plain {
        return Err(Failure::world(format!(
            "`{}` has a character that Spark's load-spark-env.sh cannot take in a path",
            cache_dir.display()
        ))
        .help("set XDG_CACHE_HOME to a directory without blanks"));
    }
    let dir = cache_dir.join(helper_files::name_of([SCRIPT.as_bytes()]));
    Ok(HelperFile { path: dir.join("spark-env.sh"), content: Content::Text(SCRIPT) })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::SCRIPT;

    /// As `load-spark-env.sh` of any version sources it: whatever the real file sets, what we set stands.
    #[test]
    fn it_has_the_last_word_on_every_option_of_a_daemon() {
        let dir = tempfile::tempdir().expect("a directory");
        let real = dir.path().join("conf");
        fs::create_dir(&real).expect("a directory");
        let overlay = dir.path().join("spark-env.sh");
        fs::write(&overlay, SCRIPT).expect("a file");
        let names = [
            "JAVA_HOME",
            "SPARK_DAEMON_JAVA_OPTS",
            "SPARK_MASTER_OPTS",
            "SPARK_WORKER_OPTS",
            "SPARK_HISTORY_OPTS",
            "SPARK_SHUFFLE_OPTS",
            "SPARK_EXECUTOR_OPTS",
            "SPARK_BEELINE_OPTS",
        ];
        for with_file in [true, false] {
            for name in names {
                let file = real.join("spark-env.sh");
                if with_file {
                    fs::write(&file, format!("{name}=theirs; OTHER_{name}=\"of $SPARK_CONF_DIR\"\n")).expect("a file");
                } else {
                    fs::remove_file(&file).unwrap_or_default();
                }
                let script = format!(". \"$0\"; env | grep -E '^(OTHER_)?{name}=|^SPARKDBG|^SPARK_CONF_DIR=' | sort");
                let output = Command::new("bash")
                    .args(["-e", "-a", "-c", &script])
                    .arg(&overlay)
                    .env_clear()
                    .env("PATH", "/usr/bin:/bin")
                    .env("SPARK_CONF_DIR", dir.path())
                    .env("SPARKDBG_CONF_DIR", &real)
                    .env(format!("SPARKDBG_SET_{name}"), "ours")
                    .output()
                    .expect("bash");
                let real = real.display();
                let other = if with_file { format!("OTHER_{name}=of {real}\n") } else { String::new() };
                let mut expected: Vec<_> = [format!("{name}=ours\n"), other, format!("SPARK_CONF_DIR={real}\n")].into();
                expected.sort();
                let mut found: Vec<_> =
                    String::from_utf8_lossy(&output.stdout).split_inclusive('\n').map(str::to_owned).collect();
                found.sort();
                expected.retain(|line| !line.is_empty());
                assert_eq!(found, expected, "{}", String::from_utf8_lossy(&output.stderr));
            }
        }
    }
}
