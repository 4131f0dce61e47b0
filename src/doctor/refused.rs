//! Options that Spark's launcher refuses before it starts a JVM. Pure.

use super::finding::Finding;
use crate::environment::Environment;
use crate::jvm::options::{self as jvm_options, Splitter};
use crate::spark::conf::{DRIVER_DEFAULT, DRIVER_EXTRA};
use crate::spark::spark_class;

/// A heap size where Spark has a setting for it. Source: `checkJavaOptions` of the launcher's command builders, which
/// looked for the letters anywhere until 4.0, and in variables still does.
pub fn heap_sizes(environment: &Environment) -> Vec<Finding> {
    if let Some(class) = &environment.class {
        return in_variables(class, environment);
    }
    if environment.line.question.is_some() || environment.deployment.cluster {
        return Vec::new();
    }
    let by_word = environment.version().is_none_or(|version| version.at_least(4, 1));
    let refuses = |text: &str| match by_word {
        true => jvm_options::split(text, Splitter::Launcher)
            .is_ok_and(|words| words.iter().any(|word| word.text.starts_with("-Xmx"))),
        false => text.contains("Xmx"),
    };
    let keys = [DRIVER_DEFAULT, DRIVER_EXTRA].into_iter().filter_map(|key| {
        let value = environment.conf().get(key).filter(|value| refuses(&value.text))?;
        Some(value.place(key))
    });
    let finding = |place: String| {
        Finding::fail("options", format!("{place} holds `-Xmx`: Spark refuses a heap size in the driver's options"))
            .cure("use --driver-memory, or spark.driver.memory")
    };
    keys.map(finding).collect()
}

fn in_variables(class: &str, environment: &Environment) -> Vec<Finding> {
    let Some(variables) = spark_class::variables(class, environment.version()) else { return Vec::new() };
    let names = [Some(variables.own), variables.daemon.then_some(spark_class::DAEMON_OPTS)].into_iter().flatten();
    let holds = |name: &&str| environment.variables.get(name).is_some_and(|variable| variable.text.contains("Xmx"));
    names
        .filter(holds)
        .map(|name| {
            Finding::fail("options", format!("{name} holds `Xmx`: Spark refuses a heap size there"))
                .cure("use SPARK_DAEMON_MEMORY")
        })
        .collect()
}
