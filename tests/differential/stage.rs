//! What stands in for the machine: a `JAVA_HOME` that only runs Spark's launcher, a Python and an R that only start
//! spark-submit, and a distribution whose configuration belongs to one case.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::case::Version;
use crate::distribution;

/// The exit status of the recorded JVM: no script and no failure of sparkdbg has it.
pub const JVM_STATUS: i32 = 42;

/// Made once per test run.
pub struct Stage {
    root: PathBuf,
    homes: BTreeMap<Version, PathBuf>,
}

impl Stage {
    pub fn new(root: &Path) -> Stage {
        let homes = Version::ALL.into_iter().map(|version| (version, distribution::spark(version.name()))).collect();
        let stage = Stage { root: root.to_owned(), homes };
        let real_java = real_java();
        for java_home in [stage.java_home(), stage.other_java_home()] {
            fs::create_dir_all(java_home.join("bin")).unwrap();
            fs::write(java_home.join("release"), "IMPLEMENTOR=\"Debian\"\nJAVA_VERSION=\"17.0.15\"\n").unwrap();
            write_script(&java_home.join("bin/java"), &java_script(&real_java));
        }
        fs::create_dir_all(stage.bin()).unwrap();
        let gateway = stage.root.join("gateway.py");
        fs::write(&gateway, GATEWAY).unwrap();
        let python = distribution::python();
        let gateway = |variable: &str, default: &str| {
            // -c is bin/pyspark asking for the API mode; 0 is Spark Classic
            format!(
                "#!/bin/sh\n[ \"$1\" = -c ] && {{ echo 0; exit; }}\nexec '{}' -I -S '{}' {variable} {default}\n",
                python.display(),
                gateway.display()
            )
        };
        for name in ["python", "python3"] {
            write_script(&stage.bin().join(name), &gateway("PYSPARK_SUBMIT_ARGS", "pyspark-shell"));
        }
        write_script(&stage.bin().join("R"), &gateway("SPARKR_SUBMIT_ARGS", "sparkr-shell"));
        stage
    }

    /// The stand-in for `python3`.
    pub fn python(&self) -> PathBuf {
        self.bin().join("python3")
    }

    /// The same stand-in as `JAVA_HOME`, by another path.
    pub fn other_java_home(&self) -> PathBuf {
        self.root.join("java-home-2")
    }

    fn java_home(&self) -> PathBuf {
        self.root.join("java-home")
    }

    fn bin(&self) -> PathBuf {
        self.root.join("bin")
    }

    /// Makes `home` a distribution of its own: Spark's scripts and jars by link, and, unlike a pip installation, a
    /// `RELEASE` file and an examples jar, without which `run-example` refuses.
    pub fn overlay(&self, version: Version, home: &Path) {
        let real = &self.homes[&version];
        fs::create_dir_all(home.join("examples/jars")).unwrap();
        for dir in ["bin", "jars", "sbin", "python"] {
            if real.join(dir).is_dir() {
                symlink(real.join(dir), home.join(dir)).unwrap();
            }
        }
        let release = format!("Spark {} built for Hadoop 3.3.4\nBuild flags: -Pyarn\n", version.name());
        fs::write(home.join("RELEASE"), release).unwrap();
        fs::write(home.join(format!("examples/jars/spark-examples_2.12-{}.jar", version.name())), "").unwrap();
    }

    /// The whole environment, before the case adds its own.
    pub fn environment(&self, root: &Path, home: &Path, record: &Path) -> BTreeMap<String, OsString> {
        let mut path = self.bin().into_os_string();
        path.push(":/usr/bin:/bin");
        BTreeMap::from([
            // sparkdbg looks for profiles from the working directory up to here
            ("HOME".into(), root.into()),
            ("PATH".into(), path),
            // in the C locale the launcher's JVM would garble what is not ASCII
            ("LC_ALL".into(), "C.UTF-8".into()),
            ("SPARK_HOME".into(), home.into()),
            ("JAVA_HOME".into(), self.java_home().into()),
            ("PYSPARK_PYTHON".into(), self.python().into()),
            ("PYSPARK_DRIVER_PYTHON".into(), self.python().into()),
            ("SPARKR_DRIVER_R".into(), self.bin().join("R").into()),
            ("DIFFERENTIAL_RECORD".into(), record.into()),
        ])
    }
}

/// Runs Spark's launcher for real and records every other class.
///
/// The launcher needs its own jar only. Without the 300 others, compilers that never pay off and a performance file it
/// starts in a fraction of the time; an archive of its classes (AppCDS) was measured to gain little more. The variables that every JVM reads may hold an agent on purpose: here they are for the recorded
/// JVM alone.
fn java_script(real_java: &Path) -> String {
    format!(
        r#"#!/bin/sh
if [ "$4" = org.apache.spark.launcher.Main ]; then
  shift 3
  unset JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS
  exec '{}' -Xmx128m -Xint -XX:+UseSerialGC -XX:-UsePerfData -Xshare:auto \
    -cp "$(echo "$SPARK_HOME"/jars/spark-launcher_*.jar)" "$@"
fi
printf '%s\0' $# "$@" >> "$DIFFERENTIAL_RECORD/argv"
env -0 >> "$DIFFERENTIAL_RECORD/env"
exit {JVM_STATUS}
"#,
        real_java.display()
    )
}

/// What `java_gateway.py` (and SparkR's own) do: the words of a variable for spark-submit.
const GATEWAY: &str = r#"import os, shlex, sys
submit = os.path.join(os.environ["SPARK_HOME"], "bin", "spark-submit")
os.execv(submit, [submit] + shlex.split(os.environ.get(sys.argv[1], sys.argv[2])))
"#;

fn write_script(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Spark 4's launcher needs Java 17; any later one runs the older launchers as well.
fn real_java() -> PathBuf {
    let home = distribution::java_home(17)
        .or_else(|| distribution::java_homes().into_iter().find(|(major, _)| *major > 17).map(|(_, home)| home));
    home.expect("a JDK of version 17 or later (JAVA_HOME, PATH or /usr/lib/jvm)").join("bin/java")
}
