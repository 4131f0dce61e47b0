//! Releases of EMR: what they run, and the JVM flags that they set themselves.

use std::str::FromStr;

use crate::spark::conf::{DRIVER_EXTRA, EXECUTOR_EXTRA};
use crate::version::Version;

/// EMR's own options of the driver on 5.x. Source: `spark-defaults.conf` of such a cluster, with Spark 2.4.
const DRIVER_FLAGS: &str = "-XX:+UseConcMarkSweepGC -XX:CMSInitiatingOccupancyFraction=70 -XX:MaxHeapFreeRatio=70 \
                            -XX:+CMSClassUnloadingEnabled -XX:OnOutOfMemoryError='kill -9 %p'";

/// The same of the executors.
const EXECUTOR_FLAGS: &str = "-verbose:gc -XX:+PrintGCDetails -XX:+PrintGCDateStamps -XX:+UseConcMarkSweepGC \
                              -XX:CMSInitiatingOccupancyFraction=70 -XX:MaxHeapFreeRatio=70 \
                              -XX:+CMSClassUnloadingEnabled -XX:OnOutOfMemoryError='kill -9 %p'";

/// The first release with each minor version of Spark, as AWS's release history has them; before the first, 2.x.
const SPARK: [((u32, u32), &str); 8] = [
    ((6, 1), "3.0.0"),
    ((6, 2), "3.0.1"),
    ((6, 3), "3.1.1"),
    ((6, 6), "3.2.0"),
    ((6, 8), "3.3.0"),
    ((6, 12), "3.4.0"),
    ((7, 0), "3.5.0"),
    // Nobody knows what comes then.
    ((8, 0), ""),
];

/// A release label: `emr-7.1.0`, or with more behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    major: u32,
    minor: u32,
    /// As it was typed.
    pub label: String,
}

impl FromStr for Release {
    type Err = String;

    /// `emr-MAJOR.MINOR.PATCH`, then maybe `-latest` or a date.
    fn from_str(text: &str) -> Result<Release, String> {
        let wrong = || format!("`{text}` is no release label: emr-7.1.0");
        let numbers = text.strip_prefix("emr-").ok_or_else(wrong)?;
        let numbers = numbers.split('-').next().unwrap_or_default();
        let numbers: Vec<u32> = numbers.split('.').map(str::parse).collect::<Result<_, _>>().map_err(|_| wrong())?;
        match numbers[..] {
            [major, ..] if major < 5 => Err(format!("`{text}`: releases before emr-5.0.0 are not known here")),
            [major, minor, _] => Ok(Release { major, minor, label: text.to_owned() }),
            _ => Err(wrong()),
        }
    }
}

impl Release {
    /// The version of Spark, as far as it decides anything; `None`: newer than what is known here.
    pub fn spark(&self) -> Option<Version> {
        let since = SPARK.iter().rev().find(|(first, _)| (self.major, self.minor) >= *first);
        Version::parse(since.map_or("2.4", |(_, version)| version))
    }

    /// Whether `extraJavaOptions` holds EMR's own flags: before Spark 3.0 there was no other key for them.
    pub fn keeps_flags_in_extra(&self) -> bool {
        (self.major, self.minor) < (6, 1)
    }

    /// EMR's own flags in that key, if they stand there.
    pub fn own_flags(&self, key: &str) -> Option<&'static str> {
        match key {
            DRIVER_EXTRA if self.keeps_flags_in_extra() => Some(DRIVER_FLAGS),
            EXECUTOR_EXTRA if self.keeps_flags_in_extra() => Some(EXECUTOR_FLAGS),
            _ => None,
        }
    }

    /// The oldest Flink that it may run, which decides the name of a key (EMR 7.0 came with 1.18).
    pub fn flink(&self) -> Version {
        let text = if self.major >= 7 { "1.18" } else { "1.17" };
        Version { major: 1, minor: if self.major >= 7 { 18 } else { 17 }, text: text.to_owned() }
    }

    /// The Java that its applications run on unless the cluster says otherwise.
    pub fn java(&self) -> u32 {
        if self.major >= 7 { 17 } else { 8 }
    }

    /// Whether a running cluster takes other configurations. Source: AWS's guide to releases.
    pub fn reconfigures(&self) -> bool {
        (self.major, self.minor) >= (5, 21)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release(text: &str) -> Release {
        text.parse().expect("a release")
    }

    #[test]
    fn labels() {
        assert_eq!(release("emr-7.1.0"), Release { major: 7, minor: 1, label: "emr-7.1.0".to_owned() });
        assert_eq!(release("emr-6.8.0-latest").minor, 8);
        assert_eq!(release("emr-6.2.0-20210129").label, "emr-6.2.0-20210129");
        for wrong in ["7.1.0", "emr-7", "emr-7.1", "emr-7.1.0.0", "emr-x.1.0", "emr-", "", "emr-7.-1.0"] {
            assert_eq!(wrong.parse::<Release>(), Err(format!("`{wrong}` is no release label: emr-7.1.0")));
        }
        let old = "`emr-4.9.0`: releases before emr-5.0.0 are not known here".to_owned();
        assert_eq!("emr-4.9.0".parse::<Release>(), Err(old));
    }

    #[test]
    fn what_runs_there() {
        let cases = [
            ("emr-5.36.0", "2.4", true, "1.17", 8),
            ("emr-6.0.0", "2.4", true, "1.17", 8),
            ("emr-6.1.0", "3.0.0", false, "1.17", 8),
            ("emr-6.2.0", "3.0.1", false, "1.17", 8),
            ("emr-6.15.0", "3.4.0", false, "1.17", 8),
            ("emr-7.1.0", "3.5.0", false, "1.18", 17),
            ("emr-7.10.0", "3.5.0", false, "1.18", 17),
        ];
        for (label, spark, flags_in_extra, flink, java) in cases {
            let release = release(label);
            assert_eq!(release.spark().map(|version| version.text).as_deref(), Some(spark), "{label}");
            assert_eq!(release.keeps_flags_in_extra(), flags_in_extra, "{label}");
            assert_eq!((release.flink().text.as_str(), release.java()), (flink, java), "{label}");
        }
        assert_eq!(release("emr-8.0.0").spark(), None);
        assert!(!release("emr-5.20.0").reconfigures() && release("emr-5.21.0").reconfigures());
    }
}
