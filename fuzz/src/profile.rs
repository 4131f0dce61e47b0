//! Profile files, through real files as users have them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use bolero::{ValueGenerator, check, produce};
use sparkdbg::endpoint::{EndpointSpec, Role};
use sparkdbg::error::Failure;
use sparkdbg::profile::{self, Loaded, Profile, Search};
use tempfile::TempDir;

use crate::words::text;

/// Lines that are taken, and what tears them apart.
#[rustfmt::skip]
const PIECES: [&str; 40] = [
    "driver = \"attach:5005\"\n", "executor = \"listen:[::1]:5005,suspend\"\n", "daemon = \"attach\"\n",
    "client = { mode = \"listen\", port = 5005, suspend = false }\n", "jobmanager = { mode = \"attach\" }\n",
    "taskmanager = { mode = \"attach\", host = \"fe80::1%eth0\", port = 0x10 }\n", "allow = [\"10.0.0.0/8\", \"::1\"]\n",
    "allow = \"::1\"\n", "existing = \"keep\"\n", "one-executor = true\n", "pause-limit = \"90s\"\n",
    "pause-limit = \"off\"\n", "spark-home = \"~/spark\"\n", "flink-home = \"a b\"\n", "worker-master = \"spark://h:1\"\n",
    "worker-master = \"\\u0001\\\"\"\n", "inherits = \"b\"\n", "[profile.b]\n", "[profile.\"c d\"]\n", "inherits = \"a\"\n",
    "[profile.a]\n", "default-profile = \"a\"\n", "profile = 1\n", "driver = ", "\"attach:0\"\n", "1979-05-27\n", "1.5\n",
    "\n", "\r\n", "# x\n", "\"\"\"", "\"", "'", "\\", "=", ".", "[[", "{", "\0", "é",
];

/// A configuration file in a directory that only we can write.
struct Home {
    dir: TempDir,
}

impl Home {
    fn new() -> Home {
        Home { dir: tempfile::tempdir().expect("a temporary directory") }
    }

    fn load(&self, text: &str, wanted: &str) -> Result<Loaded, Failure> {
        let file = self.dir.path().join("config.toml");
        fs::write(&file, text).expect("a file");
        let search = Search {
            config: Some(&file),
            cwd: self.dir.path(),
            home: Some(Path::new("/home/u")),
            xdg_config_home: None,
        };
        profile::load(&search, Some((wanted, "--profile")))
    }
}

/// The profile in the words of a file, every key on its own line.
fn written(profile: &Profile) -> String {
    let mut lines = String::from("[profile.a]\n");
    let mut line = |key: &str, value: Option<String>| {
        if let Some(value) = value {
            writeln!(lines, "{key} = {value}").expect("a string takes all");
        }
    };
    for role in Role::ALL {
        line(role.name(), profile.endpoint(role).map(|endpoint| table(&endpoint.value)));
    }
    let Profile { allow, existing, one_executor, pause_limit, spark_home, flink_home, worker_master, .. } = profile;
    line("allow", allow.as_ref().map(|allow| format!("[{}]", quote_all(&allow.value))));
    line("existing", existing.as_ref().map(|existing| quote(existing.value)));
    line("one-executor", one_executor.as_ref().map(|one| one.value.to_string()));
    line("pause-limit", pause_limit.as_ref().map(|limit| quote(limit.value)));
    line("spark-home", spark_home.as_ref().map(|home| quote(home.value.display())));
    line("flink-home", flink_home.as_ref().map(|home| quote(home.value.display())));
    line("worker-master", worker_master.as_ref().map(|master| quote(&master.value)));
    lines
}

fn table(spec: &EndpointSpec) -> String {
    let mut fields = vec![format!("mode = {}", quote(spec.mode.name()))];
    fields.extend(spec.host.as_ref().map(|host| format!("host = {}", quote(host))));
    fields.extend(spec.port.map(|port| format!("port = {port}")));
    fields.extend(spec.suspend.map(|suspend| format!("suspend = {suspend}")));
    format!("{{ {} }}", fields.join(", "))
}

/// A basic string of TOML: what it may not hold as it is, is escaped.
fn quote(text: impl std::fmt::Display) -> String {
    let text = text.to_string();
    let escaped = text.chars().map(|c| match c {
        '"' | '\\' => format!("\\{c}"),
        c if c.is_control() => format!("\\U{:08x}", u32::from(c)),
        c => c.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

fn quote_all(texts: &[String]) -> String {
    texts.iter().map(quote).collect::<Vec<_>>().join(", ")
}

/// The lines from which the settings of a profile came.
fn lines_of(profile: &Profile) -> Vec<usize> {
    let endpoints = Role::ALL.into_iter().filter_map(|role| profile.endpoint(role)).map(|endpoint| &endpoint.origin);
    let Profile { allow, existing, one_executor, pause_limit, spark_home, flink_home, worker_master, .. } = profile;
    let others = [
        allow.as_ref().map(|value| &value.origin),
        existing.as_ref().map(|value| &value.origin),
        one_executor.as_ref().map(|value| &value.origin),
        pause_limit.as_ref().map(|value| &value.origin),
        spark_home.as_ref().map(|value| &value.origin),
        flink_home.as_ref().map(|value| &value.origin),
        worker_master.as_ref().map(|value| &value.origin),
    ];
    endpoints.chain(others.into_iter().flatten()).map(|origin| origin.line).collect()
}

#[test]
fn what_was_loaded_is_loaded_again_after_writing_it() {
    let home = Home::new();
    check!().with_generator(text(&PIECES, 8)).for_each(|text| {
        let text = &format!("[profile.a]\n{text}");
        let last_line = text.matches('\n').count() + 1;
        match home.load(text, "a") {
            Ok(loaded) => {
                assert!(lines_of(&loaded.profile).iter().all(|line| (1..=last_line).contains(line)));
                let again = home.load(&written(&loaded.profile), "a").expect("a well formed file").profile;
                assert_eq!(written(&again), written(&loaded.profile));
            }
            Err(failure) => {
                let message = failure.to_string();
                let line = message.split("config.toml` line ").nth(1).and_then(|rest| rest.split(':').next());
                match line {
                    Some(line) => assert!((1..=last_line).contains(&line.parse().expect("a number")), "{message}"),
                    None => {
                        assert!(message.starts_with("error: unknown profile `a`, named by `--profile`"), "{message}")
                    }
                }
            }
        }
    });
}

/// Three profiles with keys of the same four kinds, and who inherits from whom.
type Model = BTreeMap<&'static str, (Option<&'static str>, BTreeMap<&'static str, &'static str>)>;

const NAMES: [&str; 3] = ["a", "b", "c"];
const KEYS: [(&str, [&str; 2]); 4] = [
    ("one-executor", ["true", "false"]),
    ("existing", ["\"keep\"", "\"fail\""]),
    ("pause-limit", ["\"off\"", "\"2h\""]),
    ("worker-master", ["\"spark://a:1\"", "\"spark://b:2\""]),
];

fn models() -> impl ValueGenerator<Output = Model> {
    produce::<[(u8, [u8; 4]); 3]>().map_gen(|choices| {
        let profile = |(parent, values): (u8, [u8; 4])| {
            let parent = [None, Some("a"), Some("b"), Some("c"), Some("d")][usize::from(parent) % 5];
            let keys = KEYS
                .iter()
                .zip(values)
                .filter_map(|((key, values), choice)| Some((*key, *values.get(usize::from(choice) % 3)?)));
            (parent, keys.collect())
        };
        NAMES.into_iter().zip(choices.into_iter().map(profile)).collect()
    })
}

/// What profile `a` holds in the end; `None` if it inherits itself or nobody.
fn flattened(model: &Model) -> Option<BTreeMap<&'static str, &'static str>> {
    let mut keys = BTreeMap::new();
    let mut next = Some("a");
    // Longer than any chain without a cycle.
    for _ in 0..=NAMES.len() {
        let Some(name) = next else { return Some(keys) };
        let (parent, own) = model.get(name)?;
        own.iter().for_each(|(key, value)| _ = keys.entry(*key).or_insert(*value));
        next = *parent;
    }
    None
}

#[test]
fn the_nearest_value_of_a_chain_wins() {
    let home = Home::new();
    check!().with_generator(models()).for_each(|model| {
        let mut text = String::new();
        for (name, (parent, keys)) in model {
            writeln!(text, "[profile.{name}]").expect("a string takes all");
            let parent = parent.map(|parent| format!("\"{parent}\""));
            let lines =
                parent.iter().map(|parent| ("inherits", parent.as_str())).chain(keys.iter().map(|(k, v)| (*k, *v)));
            lines.for_each(|(key, value)| writeln!(text, "{key} = {value}").expect("a string takes all"));
        }
        let expected = flattened(model).map(|keys| {
            keys.iter().fold(String::from("[profile.a]\n"), |file, (key, value)| format!("{file}{key} = {value}\n"))
        });
        assert_eq!(home.load(&text, "a").ok().map(|loaded| written(&loaded.profile)), expected, "{text}");
    });
}
