//! The Java of the JVM that is started here, and of those elsewhere as far as it is named. Pure.

use super::finding::Finding;
use crate::endpoint::Role;
use crate::environment::flink_surroundings::{FlinkSurroundings, PassedBy};
use crate::environment::surroundings::{Java, Surroundings};
use crate::version::Version;

const TOPIC: &str = "java";

/// What follows for a Spark of that version; `executors_are_here`: those named for executors are this machine's.
pub fn findings(found: &Surroundings, version: Option<&Version>, executors_are_here: bool) -> Vec<Finding> {
    let misfit = |major| misfit(version?, major);
    let here = found.java.as_ref().map_or_else(none, |java| of_this_machine(java, misfit, "the JVM started here"));
    let elsewhere = found.elsewhere.iter().map(|(role, java)| match role {
        Role::Executor if executors_are_here => of_this_machine(java, misfit, "the executors"),
        role => of_another(*role, java, "Spark 4 Java 17"),
    });
    std::iter::once(here).chain(elsewhere).collect()
}

/// What follows for a Flink of that version, whose scripts add these options themselves.
pub fn of_flink(found: &FlinkSurroundings, version: Option<&Version>, added: &[&str]) -> Vec<Finding> {
    let misfit = |major| misfit_of_flink(version, major, added);
    let here = found.java.as_ref().map_or_else(none, |java| of_this_machine(java, misfit, "the JVMs started here"));
    let passed_by = found.passed_by.as_ref().map(|(why, place)| match why {
        PassedBy::Unread => Finding::warn(TOPIC, format!("{place} is not read by Flink's scripts"))
            .cure("write it as one line with the whole key, without quotes: env.java.home: DIR"),
        PassedBy::NoDirectory => {
            Finding::warn(TOPIC, format!("{place} is no directory, and Flink's scripts take `java` from PATH"))
                .cure("name the directory of a JDK")
        }
    });
    let elsewhere = found.elsewhere.iter().map(|(role, java)| of_another(*role, java, "Flink 2 Java 11"));
    std::iter::once(here).chain(passed_by).chain(elsewhere).collect()
}

/// No Java at all.
pub fn none() -> Finding {
    Finding::fail(TOPIC, "no Java is found: JAVA_HOME is not set, and `java` is not on PATH")
        .cure("install a JDK, or set JAVA_HOME")
}

/// A Java of this machine; `misfit`: what is wrong with a version.
pub fn of_this_machine(java: &Java, misfit: impl FnOnce(u32) -> Option<Finding>, whose: &str) -> Finding {
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
    misfit(*major).map_or_else(
        || Finding::ok(TOPIC, format!("Java {major} in {} ({from}) for {whose}", home.display())),
        |misfit| Finding { message: format!("{}: {place}", misfit.message), ..misfit },
    )
}

/// `needs`: what needs which Java.
fn of_another(role: Role, java: &Java, needs: &str) -> Finding {
    let Java { home, from, .. } = java;
    let message = format!("the {role}'s Java is `{}` ({from}), whose version only its host knows", home.display());
    Finding::warn(TOPIC, message).cure(format!("`allow` takes Java 10, an IPv6 address Java 13, {needs}"))
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
    (major > newest).then(|| too_new("Spark", version, newest, major))
}

fn too_new(system: &str, version: &Version, newest: u32, major: u32) -> Finding {
    Finding::warn(TOPIC, format!("{system} {version} was made for Java {newest} and older, and this is Java {major}"))
        .cure(format!("set JAVA_HOME to Java {newest}"))
}

/// The option by which `config.sh` allows a security manager, and the Java that ends with it.
const SECURITY_MANAGER: (&str, u32) = ("-Djava.security.manager=allow", 24);

/// A Flink on a Java that it was not made for. Source: Flink's release notes, and the class files of 2.x, which are
/// those of Java 11.
fn misfit_of_flink(version: Option<&Version>, major: u32, added: &[&str]) -> Option<Finding> {
    let name = version.map_or("this Flink".to_owned(), |version| format!("Flink {version}"));
    let (option, since) = SECURITY_MANAGER;
    if major >= since && added.contains(&option) {
        let message = format!("the scripts of {name} add `{option}`, with which Java {major} does not start");
        return Some(Finding::fail(TOPIC, message).cure("set JAVA_HOME to Java 21 or older"));
    }
    let version = version?;
    if version.at_least(2, 0) && major < 11 {
        let message = format!("Flink {version} does not start on Java {major}");
        return Some(Finding::fail(TOPIC, message).cure("set JAVA_HOME to Java 11 or newer"));
    }
    let newest = match version {
        version if version.at_least(1, 19) => 21,
        version if version.at_least(1, 18) => 17,
        _ => 11,
    };
    (major > newest).then(|| too_new("Flink", version, newest, major))
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

    #[test]
    fn which_flink_runs_on_which_java() {
        let level = |flink: &str, java, added: &[&str]| {
            misfit_of_flink(Some(&Version::parse(flink).unwrap()), java, added).map(|found| found.level)
        };
        let fits = [("2.1.0", 21), ("2.1.0", 11), ("1.20.1", 21), ("1.20.1", 8), ("1.18.1", 17), ("1.14.6", 11)];
        assert!(fits.iter().all(|(flink, java)| level(flink, *java, &[]).is_none()));
        assert_eq!(level("2.1.0", 8, &[]), Some(Level::Fail));
        assert_eq!(level("2.1.0", 25, &[]), Some(Level::Warn));
        assert_eq!(level("2.1.0", 25, &[SECURITY_MANAGER.0]), Some(Level::Fail));
        assert_eq!(level("2.1.0", 21, &[SECURITY_MANAGER.0]), None);
        assert_eq!(level("1.18.1", 21, &[]), Some(Level::Warn));
        assert_eq!(level("1.14.6", 17, &[]), Some(Level::Warn));
    }
}
