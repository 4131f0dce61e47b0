//! For any document of a user's: an export adds what it says and changes nothing else, and `--off` takes exactly that
//! away again, order of keys included.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Map, Value, json};

use super::release::Release;
use super::settings::{self, Wish};
use super::{Current, json as documents};
use crate::cli::{DebugOptions, Endpoints, ExportFormat};
use crate::endpoint::Role;
use crate::options::{self, Debuggable, Exported};
use crate::profile::{Loaded, Profile};

/// EMR's own flags, as the user's own value: not to be told from ours by their text.
const FLAGS: &str = "-XX:+UseConcMarkSweepGC -XX:CMSInitiatingOccupancyFraction=70 -XX:MaxHeapFreeRatio=70 \
                     -XX:+CMSClassUnloadingEnabled -XX:OnOutOfMemoryError='kill -9 %p'";

fn exported(format: ExportFormat, debug: &DebugOptions, off: bool) -> Exported {
    let unnamed = if off { format.roles() } else { &format.roles()[..1] };
    let resolve = |spec: &_, role| format.resolve(spec, role);
    let of = Debuggable { whose: "sparkdbg export".to_owned(), roles: format.roles(), unnamed, resolve: &resolve };
    let loaded = Loaded { name: None, named_by: None, profile: Profile::default(), files: Vec::new() };
    options::export(&of, debug, &loaded).expect("options that fit")
}

/// A test's case.
#[derive(Debug, Clone)]
struct Case {
    format: ExportFormat,
    debug: DebugOptions,
    release: Option<Release>,
    groups: Vec<String>,
    current: Value,
}

impl Case {
    fn run(&self, current: &Value, off: bool) -> Value {
        let options = exported(self.format, &self.debug, off);
        let wish = Wish { format: self.format, options: &options, release: self.release.as_ref() };
        let current = Current { file: "c.json".to_owned(), text: current.to_string(), value: current.clone() };
        documents::export(&wish, Some(current), &self.groups, off).expect("it can be merged").document
    }
}

fn debug_options(format: ExportFormat) -> impl Strategy<Value = DebugOptions> {
    let roles = subsequence(format.roles().to_vec(), 0..=format.roles().len());
    let limit = select(vec![None, Some("off"), Some("90s"), Some("3h")]);
    let endpoint =
        select(vec![None, Some("attach:5010"), Some("listen:10.0.0.1:5005"), Some("attach:0.0.0.0:0,suspend")]);
    (roles, limit, endpoint, select(vec![None, Some(true), Some(false)])).prop_map(|(roles, limit, endpoint, one)| {
        let at = |role: Role| roles.contains(&role).then(|| endpoint.map(str::to_owned));
        let ports = |at: Option<Option<String>>, n: u16| at.map(|e| e.map(|e| e.replace("50", &format!("5{n}"))));
        DebugOptions {
            endpoints: Endpoints {
                driver: ports(at(Role::Driver), 0),
                executor: ports(at(Role::Executor), 1),
                client: ports(at(Role::Client), 2),
                jobmanager: ports(at(Role::JobManager), 3),
                taskmanager: ports(at(Role::TaskManager), 4),
                ..Endpoints::default()
            },
            pause_limit: limit.map(str::to_owned),
            one_executor: one == Some(true),
            all_executors: one == Some(false),
            ..DebugOptions::default()
        }
    })
}

fn release() -> impl Strategy<Value = Option<Release>> {
    let labels = select(vec![None, Some("emr-5.36.0"), Some("emr-6.2.0"), Some("emr-7.1.0")]);
    labels.prop_map(|label| label.map(|label| label.parse().expect("a label")))
}

fn option_string() -> impl Strategy<Value = Value> {
    let fixed =
        ["", " ", "-Da=1", FLAGS, "-Da='x y' -Db\\", "-Dundo.of.sparkdbg=1,x y", "-Dundo.of.sparkdbg=", "'open -Dé"];
    prop_oneof![
        select(fixed.to_vec()).prop_map(Value::from),
        "[ -~é\t]{0,20}".prop_filter("no agent", |text| !text.contains("jdwp")).prop_map(Value::from),
    ]
}

fn property() -> impl Strategy<Value = (String, Value)> {
    let carriers: Vec<&str> = Role::ALL.into_iter().map(settings::key).collect();
    let values = [json!("7200s"), json!("10800s"), json!("721"), json!("1"), json!("10800000"), json!("0"), json!(721)];
    let timeouts = [
        "spark.network.timeout",
        "spark.executor.heartbeat.maxFailures",
        "spark.yarn.maxAppAttempts",
        "spark.yarn.am.waitTime",
        "spark.storage.blockManagerSlaveTimeoutMs",
        "spark.python.authenticate.socketTimeout",
        "heartbeat.timeout",
        "task.cancellation.timeout",
        "pekko.ask.timeout",
    ];
    let numbers = ["spark.executor.instances", "spark.dynamicAllocation.enabled", "spark.executor.cores"];
    prop_oneof![
        (select(carriers), option_string()).prop_map(|(key, value)| (key.to_owned(), value)),
        (select(timeouts.to_vec()), select(values.to_vec())).prop_map(|(key, value)| (key.to_owned(), value)),
        (select(numbers.to_vec()), select(vec!["1", "4", "true", "false"]))
            .prop_map(|(key, value)| (key.to_owned(), json!(value))),
        select(vec!["1s", "10s", "x"]).prop_map(|v| ("spark.executor.heartbeatInterval".to_owned(), json!(v))),
        ("[a-z.]{1,6}", any::<Option<bool>>()).prop_map(|(key, value)| (key, json!(value))),
    ]
}

fn properties() -> impl Strategy<Value = Map<String, Value>> {
    vec(property(), 0..8).prop_map(|pairs| pairs.into_iter().collect())
}

fn configurations() -> impl Strategy<Value = Value> {
    let names = ["spark-defaults", "flink-conf", "spark-env", "yarn-site"];
    let entries = vec((prop::option::of(properties()), any::<bool>(), any::<bool>(), any::<bool>()), names.len());
    let order = subsequence(vec![0, 1, 2, 3], 0..=4).prop_shuffle();
    (entries, order).prop_map(move |(entries, order)| {
        let entry = |index: usize| {
            let (properties, lower, nested, first) = &entries[index];
            let spelled = |name: &str| if *lower { name.to_lowercase() } else { name.to_owned() };
            let mut members = vec![(spelled("Classification"), json!(names[index]))];
            if let Some(properties) = properties {
                let at = if *first { 0 } else { members.len() };
                members.insert(at, (spelled("Properties"), Value::Object(properties.clone())));
            }
            if *nested {
                members.push((spelled("Configurations"), json!([])));
            }
            Value::Object(members.into_iter().collect())
        };
        Value::Array(order.into_iter().map(entry).collect())
    })
}

fn emr() -> impl Strategy<Value = Value> {
    prop_oneof![
        configurations(),
        configurations()
            .prop_map(|list| json!({"Name": "n", "Configurations": list, "Instances": {"KeepJobFlow": true}})),
        vec(configurations(), 1..3).prop_map(|lists| {
            let group =
                |(at, list): (usize, Value)| json!({"InstanceGroupId": format!("ig-{at}"), "Configurations": list});
            Value::Array(lists.into_iter().enumerate().map(group).collect())
        }),
    ]
}

fn job() -> impl Strategy<Value = Value> {
    prop_oneof![
        configurations(),
        Just(json!({})),
        Just(json!({"applicationConfiguration": []})),
        configurations().prop_map(|list| json!({"monitoringConfiguration": {}, "applicationConfiguration": list})),
        configurations()
            .prop_map(|list| json!({"configurationOverrides": {"applicationConfiguration": list}, "name": "n"})),
        Just(json!({"configurationOverrides": {}})),
        Just(json!({"executionRoleArn": "r"})),
    ]
}

fn object(name: &'static str) -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({})),
        Just(json!({"file": "a.jar"})),
        properties().prop_map(move |properties| json!({"file": "a.jar", name: properties, "args": []})),
    ]
}

fn case() -> impl Strategy<Value = Case> {
    let formats = vec![
        (ExportFormat::Emr, emr().boxed()),
        (ExportFormat::EmrEks, job().boxed()),
        (ExportFormat::EmrServerless, job().boxed()),
        (ExportFormat::Livy, object("conf").boxed()),
        (ExportFormat::Databricks, object("spark_conf").boxed()),
    ];
    select(formats).prop_flat_map(|(format, current)| {
        (debug_options(format), release(), current).prop_map(move |(debug, release, current)| Case {
            format,
            debug,
            release: release.filter(|_| format.is_emr()),
            groups: Vec::new(),
            current,
        })
    })
}

/// Every member of an object in the document, with its way.
fn leaves(value: &Value, way: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => members.iter().for_each(|(key, value)| leaves(value, &format!("{way}/{key}"), found)),
        Value::Array(elements) => elements.iter().for_each(|value| leaves(value, &format!("{way}/-"), found)),
        value => {
            found.insert(format!("{way}={value}"));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn off_gives_back_what_was_there(case in case()) {
        let on = case.run(&case.current, false);
        prop_assert_ne!(on.to_string(), case.current.to_string());
        prop_assert_eq!(case.run(&on, true).to_string(), case.current.to_string(), "through {}", on);
    }

    #[test]
    fn off_takes_nothing_where_nothing_of_ours_is(case in case()) {
        prop_assert_eq!(case.run(&case.current, true).to_string(), case.current.to_string());
    }

    #[test]
    fn again_changes_nothing(case in case()) {
        let on = case.run(&case.current, false);
        prop_assert_eq!(case.run(&on, false).to_string(), on.to_string());
    }

    /// With another endpoint and another role between, which is a case of its own.
    #[test]
    fn off_gives_back_what_was_there_before_two_exports(case in case()) {
        let on = case.run(&case.current, false);
        let other = DebugOptions {
            endpoints: Endpoints {
                driver: Some(Some("attach:5099".to_owned())),
                executor: None,
                ..case.debug.endpoints.clone()
            },
            ..case.debug.clone()
        };
        let twice = Case { debug: other, ..case.clone() }.run(&on, false);
        // All roles, found by their agents.
        let debug = DebugOptions {
            pause_limit: case.debug.pause_limit.clone(),
            one_executor: case.debug.one_executor,
            all_executors: case.debug.all_executors,
            ..DebugOptions::default()
        };
        let off = Case { debug, ..case.clone() }.run(&twice, true);
        prop_assert_eq!(off.to_string(), case.current.to_string(), "through {} and {}", on, twice);
    }

    /// What the user set is still there, but for option strings, which have the agent in front.
    #[test]
    fn nothing_of_the_users_is_lost(case in case()) {
        let (mut before, mut after) = (BTreeSet::new(), BTreeSet::new());
        leaves(&case.current, "", &mut before);
        leaves(&case.run(&case.current, false), "", &mut after);
        let held: [&str; 4] = ["/spark.executor.instances=", "/spark.executor.cores=", "/spark.cores.max=", "/spark.dynamicAllocation.enabled="];
        for leaf in before.difference(&after) {
            let (way, text) = leaf.split_once("=\"").unwrap_or((leaf, ""));
            let is_carrier = Role::ALL.into_iter().any(|role| way.ends_with(&format!("/{}", settings::key(role))));
            let merged = after.iter().any(|leaf| leaf.starts_with(&format!("{way}=\"-agentlib:jdwp=")) && leaf.ends_with(text));
            prop_assert!(is_carrier && merged || held.iter().any(|key| leaf.contains(key)), "{}", leaf);
        }
    }
}

#[test]
fn the_words_that_tell_what_was_there() {
    let case = |current: Value| Case {
        format: ExportFormat::Livy,
        debug: DebugOptions { pause_limit: Some("2h".to_owned()), ..DebugOptions::default() },
        release: None,
        groups: Vec::new(),
        current,
    };
    let agent = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:0";
    for (current, expected) in [
        (json!({}), agent.to_owned()),
        (json!({"conf": {}}), format!("{agent} -Dundo.of.sparkdbg=1")),
        (
            json!({"conf": {"spark.network.timeout": "7200s"}}),
            format!("{agent} -Dundo.of.sparkdbg=spark.network.timeout"),
        ),
        (json!({"conf": {"spark.network.timeout": "7201s"}}), agent.to_owned()),
        (json!({"conf": {"spark.driver.extraJavaOptions": "-Da"}}), format!("{agent} -Da")),
    ] {
        let on = case(current.clone()).run(&current, false);
        assert_eq!(on["conf"]["spark.driver.extraJavaOptions"], expected, "{current}");
    }
}
