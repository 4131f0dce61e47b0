//! The Java that will run the driver, read from the `release` file beside it.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::Process;
use crate::error::{self, Failure};

/// Where the `java` that Spark's scripts will start lives; follows `spark-class`.
pub fn home(java_home: Option<&str>, path: Option<&str>, process: &Process) -> Option<PathBuf> {
    if let Some(home) = java_home.filter(|home| !home.is_empty()) {
        return Some(PathBuf::from(home));
    }
    let java = fs::canonicalize(which::which_in("java", path, &process.cwd).ok()?).ok()?;
    java.parent()?.parent().map(Path::to_owned)
}

/// The link to the real home in one that sparkdbg made: the script `bin/java` finds its `java` by it.
pub const REAL: &str = "sparkdbg-real";

/// A `JAVA_HOME` and the names of what is in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JavaHome {
    /// Its path, absolute.
    pub path: PathBuf,
    /// The names in it, sorted.
    pub entries: Vec<OsString>,
    /// The names in its `bin`, sorted.
    pub bin: Vec<OsString>,
}

/// Reads the names in a `JAVA_HOME`; of one that sparkdbg made, those of the real one behind it.
///
/// # Errors
/// It has no `bin/java`, or cannot be read.
pub fn list(home: &Path, process: &Process) -> Result<JavaHome, Failure> {
    let path = process.absolute(home);
    let path = fs::read_link(path.join(REAL)).unwrap_or(path);
    if !path.join("bin/java").is_file() {
        return Err(Failure::world(format!("`{}` is no home of Java: it has no `bin/java`", path.display()))
            .help("set JAVA_HOME to the directory of a JDK"));
    }
    let names = |dir: &Path| -> io::Result<Vec<OsString>> {
        let mut names = fs::read_dir(dir)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<Vec<_>>>()?;
        names.sort();
        Ok(names)
    };
    let listed = names(&path).and_then(|entries| Ok((entries, names(&path.join("bin"))?)));
    let (entries, bin) = listed.map_err(|error| {
        Failure::world(format!("the home of Java, `{}`, cannot be read: {}", path.display(), error::cause(&error)))
    })?;
    Ok(JavaHome { path, entries, bin })
}

/// The major version (8, 17, 25) from `HOME/release`.
pub fn major_from_release(home: &Path) -> Option<u32> {
    // `java` of a JDK 8 may lie in JDK/jre/bin, beside no release file.
    let jdk = home.parent().filter(|_| home.ends_with("jre"));
    let text = [Some(home), jdk].into_iter().flatten().find_map(|dir| fs::read_to_string(dir.join("release")).ok())?;
    let line = text.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
    major(line.trim_matches('"'))
}

/// The major version from `java -version`, for the few cases in which it decides something and no
/// file tells it. Any line may hold it: `Picked up …` lines can stand before.
pub fn major_from_running(home: &Path) -> Option<u32> {
    let mut java = Command::new(home.join("bin/java"));
    // An agent in one of them would make this very JVM wait for a debugger.
    for name in ["JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_JDWP_OPTIONS"] {
        java.env_remove(name);
    }
    let output = java.arg("-version").stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let version = text.lines().find_map(|line| line.split_once(" version \""))?.1;
    major(version.split('"').next()?)
}

/// 8 of `1.8.0_402`, 17 of `17.0.15`, 25 of `25-ea`.
fn major(version: &str) -> Option<u32> {
    let mut numbers = version.split(['.', '-', '+', '_']);
    match numbers.next()?.parse().ok()? {
        1 => numbers.next()?.parse().ok(),
        major => Some(major),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn majors() {
        let majors = ["1.8.0_402", "17.0.15", "25-ea", "11"].map(|version| major(version).unwrap());
        assert_eq!(majors, [8, 17, 25, 11]);
        assert_eq!(major("x"), None);
    }
}
