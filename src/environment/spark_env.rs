//! `spark-env.sh`: what it sets after us.
//!
//! Absent, or free of sourcing and of every name that matters: it is not run. Otherwise one bash
//! sources it, as `load-spark-env.sh` does, and prints the variables that matter.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::error::{self, Failure};
use crate::text;
use crate::tool::Tool;

/// Variables that decide what a JVM is or what agents it loads, whatever is started.
const OF_ALL: [&str; 10] = [
    "SPARK_CONF_DIR",
    "JAVA_HOME",
    "PATH",
    "SPARK_DAEMON_JAVA_OPTS",
    "SPARK_LAUNCHER_OPTS",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "_JAVA_OPTIONS",
    "_JAVA_JDWP_OPTIONS",
    "SPARK_JAVA_OPTS",
];

/// Those that matter to spark-submit.
const OF_SUBMIT: [&str; 5] = ["SPARK_SUBMIT_OPTS", "MASTER", "DEPLOY_MODE", "SPARK_REMOTE", "SPARK_CONNECT_MODE"];

/// Those that matter to the JVMs of `spark-class`.
const OF_CLASS: [&str; 9] = [
    "SPARK_MASTER_OPTS",
    "SPARK_WORKER_OPTS",
    "SPARK_HISTORY_OPTS",
    "SPARK_SHUFFLE_OPTS",
    "SPARK_EXECUTOR_OPTS",
    "SPARK_BEELINE_OPTS",
    "SPARK_MASTER_HOST",
    "SPARK_MASTER_PORT",
    "SPARK_WORKER_INSTANCES",
];

/// The variables that matter to what is started.
pub fn names(tool: Tool) -> Vec<&'static str> {
    let own: &[&str] = if tool.ends_in_submit() { &OF_SUBMIT } else { &OF_CLASS };
    OF_ALL.iter().chain(own).copied().collect()
}

/// Commands that run or set what another file says.
const INDIRECT: [&str; 9] = ["source", ".", "eval", "declare", "typeset", "read", "printf", "mapfile", "readarray"];

/// Whether the script could change one of the variables: it names one, or takes text from elsewhere.
pub fn may_matter(script: &str, names: &[&str]) -> bool {
    script.lines().map(without_comment).any(|line| {
        let named = line.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| names.contains(&word));
        let mut words = line.split(|c: char| c.is_whitespace() || ";&|({`".contains(c));
        named || exports_text(line) || words.any(|word| INDIRECT.contains(&word))
    })
}

/// A `#` behind a quote may stand inside it: to source once too often does no harm.
fn without_comment(line: &str) -> &str {
    let comment =
        line.match_indices('#').find(|(at, _)| line[..*at].chars().next_back().is_none_or(char::is_whitespace));
    match comment {
        Some((at, _)) if !line[..at].contains(['"', '\'']) => &line[..at],
        _ => line,
    }
}

/// `export $(cat FILE)`: the names are in the text.
fn exports_text(line: &str) -> bool {
    let mut words = line.split_whitespace().skip_while(|word| *word != "export").skip(1);
    words.any(|word| word.trim_start_matches(['"', '\'']).starts_with(['$', '`']))
}

/// A variable after the script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Set {
    /// Its value.
    pub text: String,
    /// Whether the script made it read-only, so that nothing after it can change it.
    pub read_only: bool,
}

/// Variables that Spark's scripts read themselves; the others count only if they are exported.
const READ_BY_SCRIPTS: [&str; 4] = ["SPARK_CONF_DIR", "JAVA_HOME", "PATH", "SPARK_LAUNCHER_OPTS"];

/// What bash runs: the script as `load-spark-env.sh` sources it, then a record for each variable. The
/// records go to a file, since a script may use any file descriptor and leave children behind.
const PROGRAM: &str = r#"
export SPARK_ENV_LOADED=1
set -a; . "$SPARKDBG_SPARK_ENV"; set +a
{
  for sparkdbg_name in @names; do
    [ -n "${!sparkdbg_name+x}" ] || continue
    sparkdbg_flags=$(declare -p "$sparkdbg_name"); sparkdbg_flags=${sparkdbg_flags#declare -}
    sparkdbg_flags=${sparkdbg_flags%% *}
    case " @read_by_scripts " in
      *" $sparkdbg_name "*) ;;
      *) case $sparkdbg_flags in *x*) ;; *) continue ;; esac ;;
    esac
    case $sparkdbg_flags in *r*) printf 'r' ;; *) printf 'w' ;; esac
    printf '%s=%s\0' "$sparkdbg_name" "${!sparkdbg_name}"
  done && printf 'end\0'
} >| "$SPARKDBG_RESULT"
"#;

/// Sources the script in the environment that Spark's scripts give it (`seen`), and returns each of the
/// variables that is set afterwards. `words`: those of `spark-class`, which sources it for most commands.
///
/// # Errors
/// The script ends the shell, or bash cannot be started.
pub fn source(
    script: &Path,
    home: &Path,
    words: &[String],
    names: &[&'static str],
    seen: &BTreeMap<OsString, OsString>,
) -> Result<BTreeMap<&'static str, Set>, Failure> {
    let shown = script.display();
    let cannot = |cause: std::io::Error| {
        Failure::world(format!("bash cannot be run to read `{shown}`: {}", error::cause(&cause)))
    };
    let result = tempfile::NamedTempFile::new().map_err(|cause| {
        Failure::world(format!("no file can be made in the directory for temporary files: {}", error::cause(&cause)))
            .help("set TMPDIR to a directory of yours")
    })?;
    let status = Command::new("bash")
        .arg("-c")
        .arg(PROGRAM.replace("@names", &names.join(" ")).replace("@read_by_scripts", &READ_BY_SCRIPTS.join(" ")))
        .arg(home.join("bin/spark-class"))
        .args(words.iter().map(|word| text::encode(word)))
        .env_clear()
        .envs(seen)
        .env("SPARK_HOME", home)
        .env("SPARKDBG_SPARK_ENV", script)
        .env("SPARKDBG_RESULT", result.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map_err(cannot)?;
    let written = fs::read(result.path()).map_err(cannot)?;
    let Some(records) = written.strip_suffix(b"end\0") else {
        return Err(Failure::world(format!(
            "`{shown}` ends the shell that sources it ({status}); Spark's scripts would end there too"
        )));
    };
    let found = records.split(|byte| *byte == 0).filter_map(|record| {
        let (flag, record) = record.split_first()?;
        let equals = record.iter().position(|byte| *byte == b'=')?;
        let name = names.iter().copied().find(|name| name.as_bytes() == &record[..equals])?;
        let text = text::decode(OsStr::from_bytes(&record[equals + 1..]));
        Some((name, Set { text, read_only: *flag == b'r' }))
    });
    Ok(found.collect())
}

#[cfg(test)]
mod tests {
    use super::names;
    use crate::tool::Tool;

    fn may_matter(script: &str) -> bool {
        super::may_matter(script, &names(Tool::Submit))
    }

    #[test]
    fn only_code_that_can_matter_is_run() {
        assert!(!may_matter("# export JAVA_HOME=/x\nexport SPARK_MASTER_HOST=h\nexport SPARK_LOCAL_IP=127.0.0.1\n"));
        assert!(!may_matter("export SPARK_DIST_CLASSPATH=$(hadoop classpath)\n"));
        assert!(may_matter("export JAVA_HOME=/x"));
        assert!(may_matter("[ -f /etc/x ] && . /etc/x"));
        assert!(may_matter("source ./more.sh"));
        assert!(!may_matter("LIB=./lib # JAVA_HOME is set elsewhere\n"));
        assert!(may_matter("X=\"a # b\" JAVA_HOME=/jdk8"));
        assert!(may_matter("export FOO=1 $(cat /etc/spark/env)"));
        assert!(may_matter("export $(grep -v '^#' /etc/spark/env | xargs)"));
        assert!(may_matter("while read -r line; do export \"$line\"; done < /etc/spark/env"));
        assert!(may_matter("SPARK_SUBMIT_OPTS=\"$SPARK_SUBMIT_OPTS -Da=1\""));
    }

    #[test]
    fn what_matters_depends_on_what_is_started() {
        let script = "export SPARK_WORKER_OPTS=-Da=1\n";
        assert!(!may_matter(script));
        assert!(super::may_matter(script, &names(Tool::Worker)));
    }
}
