//! Hadoop's YARN in the version that a Spark distribution carries, fetched by Maven into `target/yarn` once.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::distribution::{lock, remove, run_logged, target_dir};

/// What a distribution runs on that carries no Hadoop: that of the newest Spark.
const NEWEST: &str = "3.5.0";

/// The directory of the jars that `MiniYarn.java` needs for that Spark or Flink.
///
/// # Panics
/// With what to do about it when they cannot be fetched: no test may pass for want of a cluster.
pub fn mini_cluster_jars(home: &Path) -> PathBuf {
    let version = if home.join("jars").is_dir() { version_in(home) } else { NEWEST.to_owned() };
    fetch(&version).unwrap_or_else(|error| {
        panic!("YARN {version} cannot be fetched: {error}\nit takes Maven (Debian, Ubuntu: apt-get install maven)")
    })
}

fn fetch(version: &str) -> Result<PathBuf, String> {
    let root = target_dir().join("yarn");
    let jars = root.join(version);
    // The directory gets its name only when it is complete, so its existence is enough.
    if jars.is_dir() {
        return Ok(jars);
    }
    let _lock = lock(&root)?;
    if jars.is_dir() {
        return Ok(jars);
    }
    let partial = root.join(format!("{version}.partial"));
    remove(&partial)?;
    eprintln!("fetching YARN {version} with Maven into {} (once)", jars.display());
    let mut maven = Command::new("mvn");
    maven
        .args(["--batch-mode", "--quiet", "dependency:copy-dependencies", "--file"])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/real/java/pom.xml"))
        .arg(format!("-Dhadoop.version={version}"))
        .arg(format!("-DoutputDirectory={}", partial.display()));
    run_logged(&mut maven, &root.join(format!("{version}.log")))?;
    fs::rename(&partial, &jars)
        .map_err(|error| format!("cannot rename {} to {}: {error}", partial.display(), jars.display()))?;
    Ok(jars)
}

/// From the name of a jar: `hadoop-client-api-3.5.0.jar`.
fn version_in(spark: &Path) -> String {
    let jars = fs::read_dir(spark.join("jars")).expect("the distribution's jars");
    let names = jars.filter_map(|jar| jar.ok()?.file_name().into_string().ok());
    let mut versions =
        names.filter_map(|name| Some(name.strip_prefix("hadoop-client-api-")?.strip_suffix(".jar")?.to_owned()));
    versions.next().unwrap_or_else(|| panic!("{} has no hadoop-client-api", spark.display()))
}
