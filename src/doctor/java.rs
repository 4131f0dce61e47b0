//! The Java of the JVM that is started here, and of those elsewhere as far as it is named. Pure.

use super::finding::Finding;
use crate::endpoint::Role;
use crate::environment::surroundings::{Java, Surroundings};
use crate::version::Version;

const TOPIC: &str = "java";

/// What follows for a Spark of that version; `executors_are_here`: those named for executors are this machine's.
pub fn findings(found: &Surroundings, version: Option<&Version>, executors_are_here: bool) -> Vec<Finding> {
    let here = found.java.as_ref().map_or_else(none, |java| of_this_machine(java, version, "the JVM started here"));
    let elsewhere = found.elsewhere.iter().map(|(role, java)| match role {
        Role::Executor if executors_are_here => of_this_machine(java, version, "the executors"),
        role => of_another(*role, java),
    });
    std::iter::once(here).chain(elsewhere).collect()
}

/// No Java at all.
pub fn none() -> Finding {
    Finding::fail(TOPIC, "no Java is found: JAVA_HOME is not set, and `java` is not on PATH")
        .cure("install a JDK, or set JAVA_HOME")
}

/// A Java of this machine, for a JVM of a Spark of that version.
pub fn of_this_machine(java: &Java, version: Option<&Version>, whose: &str) -> Finding {
    let Java { home, from, is_there, major } = java;
    let place = format!("`{}` ({from})", home.display());
    if !is_there {
        return Finding::fail(TOPIC, format!("{place} has no `bin/java`"))
            .cure("set JAVA_HOME to the directory of a JDK");
    }
    let Some(major) = major else {
        return Finding::warn(TOPIC, format!("the version of the Java in {place} is not known"))
            .cure("look at it: bin/java -version");
    };
    let misfit = version.and_then(|version| misfit(version, *major));
    misfit.map_or_else(
        || Finding::ok(TOPIC, format!("Java {major} in {} ({from}) for {whose}", home.display())),
        |misfit| Finding { message: format!("{}: {place}", misfit.message), ..misfit },
    )
}

fn of_another(role: Role, java: &Java) -> Finding {
    let Java { home, from, .. } = java;
    let message = format!("the {role}'s Java is `{}` ({from}), whose version only its host knows", home.display());
    Finding::warn(TOPIC, message).cure("`allow` takes Java 10, an IPv6 address Java 13, Spark 4 Java 17")
}

/// A Spark on a Java that it was not made for. Source: the overview pages of Spark's documentation.
fn misfit(version: &Version, major: u32) -> Option<Finding> {
    if version.at_least(4, 0) {
        let message = format!("Spark {version} does not start on Java {major}");
        return (major < 17).then(|| Finding::fail(TOPIC, message).cure("set JAVA_HOME to Java 17 or newer"));
    }
    let newest = match version {
        version if version.at_least(3, 3) => return None,
        version if version.at_least(3, 0) => 11,
        _ => 8,
    };
    (major > newest).then(|| {
        Finding::warn(TOPIC, format!("Spark {version} was made for Java {newest} and older, and this is Java {major}"))
            .cure(format!("set JAVA_HOME to Java {newest}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::finding::Level;

    #[test]
    fn which_spark_runs_on_which_java() {
        let level = |spark: &str, java| misfit(&Version::parse(spark).unwrap(), java).map(|found| found.level);
        let fits = [("4.3.0", 17), ("4.0.0", 25), ("3.5.6", 8), ("3.3.4", 17), ("3.2.4", 11), ("2.4.8", 8)];
        assert!(fits.iter().all(|(spark, java)| level(spark, *java).is_none()));
        assert_eq!(level("4.3.0", 11), Some(Level::Fail));
        assert_eq!(level("3.2.4", 17), Some(Level::Warn));
        assert_eq!(level("2.4.8", 11), Some(Level::Warn));
    }
}
