//! The Java that will run the driver, read from the `release` file beside it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::Process;

/// Where the `java` that Spark's scripts will start lives; follows `spark-class`.
pub fn home(java_home: Option<&str>, path: Option<&str>, process: &Process) -> Option<PathBuf> {
    if let Some(home) = java_home.filter(|home| !home.is_empty()) {
        return Some(PathBuf::from(home));
    }
    let java = fs::canonicalize(which::which_in("java", path, &process.cwd).ok()?).ok()?;
    java.parent()?.parent().map(Path::to_owned)
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
