//! The text of the file: TOML, in which every key stands with its meaning.

use toml_writer::{ToTomlKey, ToTomlValue, TomlKeyBuilder, TomlStringBuilder};

use crate::endpoint::Role;
use crate::options::NewProfile;

/// The distributions that the flags name, as the file spells them.
pub struct Homes {
    /// Spark's.
    pub spark: Option<String>,
    /// Flink's.
    pub flink: Option<String>,
}

/// A key of a profile: what the flags say of it, else an example, and what it means.
struct Key {
    name: &'static str,
    /// TOML; `None`: as a comment.
    value: Option<String>,
    example: &'static str,
    meaning: &'static str,
}

/// The file with one profile, which is its default.
pub fn text(name: &str, says: &NewProfile, homes: &Homes) -> String {
    let key = TomlKeyBuilder::new(name).as_default().to_toml_key();
    let default = quoted(name);
    // Not the name of the first: with the comment taken away it stands beside that one.
    let second = if name == "cluster" { "laptop" } else { "cluster" };
    let mut text = format!(
        "# Profiles of sparkdbg. Flags win over them; `sparkdbg profiles` shows what they come to.\n\
         # This file counts only while nobody else can write it or its directory.\n\n\
         default-profile = {default}\n\n[profile.{key}]\n"
    );
    for key in keys(says, homes) {
        text.push_str(&format!("# {}\n", key.meaning));
        match &key.value {
            Some(value) => text.push_str(&format!("{} = {value}\n", key.name)),
            None => text.push_str(&format!("#{} = {}\n", key.name, key.example)),
        }
    }
    text.push_str(&format!(
        "\n# Another profile may take over what this one says: sparkdbg -p {second} submit app.jar\n\
         #[profile.{second}]\n#inherits = {default}\n"
    ));
    text
}

fn keys(says: &NewProfile, homes: &Homes) -> Vec<Key> {
    let endpoint = |role: Role| says.endpoints.iter().find(|(named, _)| *named == role).map(|(_, text)| quoted(text));
    // What nobody names would mean nothing; a driver is what most people start with.
    let driver = endpoint(Role::Driver).or(says.endpoints.is_empty().then(|| quoted("attach:5005")));
    let peers = || says.allow.iter().map(|peer| quoted(peer)).collect::<Vec<_>>().join(", ");
    let allow = (!says.allow.is_empty()).then(|| format!("[{}]", peers()));
    let text = |text: &Option<String>| text.as_deref().map(quoted);
    let key = |name, value, example, meaning| Key { name, value, example, meaning };
    vec![
        key(
            "driver",
            driver,
            "\"attach:5005\"",
            "Where the driver of Spark meets its debugger: attach[:[HOST:]PORT] or listen:[HOST:]PORT, then ,suspend or ,nosuspend.",
        ),
        key(
            "executor",
            endpoint(Role::Executor),
            "\"attach:0\"",
            "The same for executors; with attach:0 each picks a port, which `sparkdbg ps` names.",
        ),
        key(
            "daemon",
            endpoint(Role::Daemon),
            "\"attach:5005\"",
            "The same for a master, worker, history server, SQL gateway.",
        ),
        key("client", endpoint(Role::Client), "\"attach:5016\"", "The same for the client of Flink, …"),
        key("jobmanager", endpoint(Role::JobManager), "\"attach:5005\"", "… its JobManager …"),
        key(
            "taskmanager",
            endpoint(Role::TaskManager),
            "\"attach\"",
            "… and its TaskManagers: the first free port from 5006 upwards.",
        ),
        key(
            "allow",
            allow,
            "[\"10.0.0.0/8\"]",
            "Only these may attach (Java 10 or newer; default: whoever reaches the port).",
        ),
        key(
            "existing",
            says.existing.map(|value| quoted(&value.to_string())),
            "\"replace\"",
            "A debug agent is configured already: replace (default), keep or fail.",
        ),
        key(
            "one-executor",
            says.one_executor.map(|value| value.to_string()),
            "true",
            "Hold the application to one executor (default: with listen).",
        ),
        key(
            "pause-limit",
            text(&says.pause_limit),
            "\"2h\"",
            "How long a JVM may stand on a breakpoint before the cluster gives it up, or off (default: 2h).",
        ),
        key(
            "spark-home",
            text(&homes.spark),
            "\"/usr/lib/spark\"",
            "The distribution of Spark, seen from this file (default: SPARK_HOME, PATH, pip).",
        ),
        key(
            "flink-home",
            text(&homes.flink),
            "\"/usr/lib/flink\"",
            "The distribution of Flink, seen from this file (default: FLINK_HOME, PATH, pip).",
        ),
        key("worker-master", None, "\"spark://10.0.0.1:7077\"", "The master that `sparkdbg worker` registers with."),
    ]
}

/// A string of TOML on one line, so that it can stand in a comment.
fn quoted(text: &str) -> String {
    TomlStringBuilder::new(text).as_basic().to_toml_value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_name_comes_out_as_it_went_in() {
        let says = NewProfile {
            endpoints: vec![],
            allow: vec![],
            existing: None,
            pause_limit: None,
            one_executor: None,
            one_place: None,
        };
        let homes = Homes { spark: Some("/a \"b\"\n'c'\\d\u{7f}".to_owned()), flink: None };
        for name in
            ["local", "a.b", "two words", "it's", "a \"b\"", "é😀", "a\nb\t#", "\u{1b}[31m\u{7f}", "cluster", "a=b]"]
        {
            let text = text(name, &says, &homes);
            let parsed: toml::Table = text.parse().unwrap_or_else(|cause| panic!("{name:?}: {cause}\n{text}"));
            assert_eq!(parsed["default-profile"].as_str(), Some(name), "{text}");
            let profiles = parsed["profile"].as_table().expect("a table");
            assert_eq!(profiles.keys().collect::<Vec<_>>(), [name], "{text}");
            assert_eq!(profiles[name]["spark-home"].as_str(), homes.spark.as_deref(), "{text}");
            assert_eq!(profiles[name]["driver"].as_str(), Some("attach:5005"), "{text}");
        }
    }
}
