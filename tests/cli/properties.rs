//! What must hold for every command line, whatever stands on it. By dry runs of the real program, so that these
//! properties outlive every change behind the command line.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::Value;

use crate::scene::{AGENT, DRIVER, Scene};

/// A Spark of each way to carry the agent. Each property has its own: two dry runs that look at one port at the same
/// moment would see each other.
fn scenes() -> [Scene; 3] {
    [Scene::spark("2.4.8"), Scene::spark("3.5.6"), Scene::spark("4.3.0")]
}

/// Cases of each property: a process costs some milliseconds.
const CASES: u32 = 400;

/// What would be started.
struct Plan {
    args: Vec<OsString>,
    /// Whether a driver is debugged.
    debugs: bool,
    /// The whole of it.
    text: Vec<u8>,
}

/// The plan for these words, unless they hold a mistake that is refused.
fn planned(scene: &Scene, words: &[OsString]) -> Option<Plan> {
    let ours = ["-q", "--dry-run=json", "submit", DRIVER, "--pause-limit=off", "--"].map(OsString::from);
    let run = scene.run(&ours.into_iter().chain(words.iter().cloned()).collect::<Vec<_>>());
    if run.status.code() != Some(0) {
        assert!(matches!(run.status.code(), Some(2 | 125)) && run.stderr.starts_with("error: "), "{run}");
        return None;
    }
    let plan: Value = serde_json::from_slice(&run.stdout).unwrap_or_else(|cause| panic!("{cause}\n{run}"));
    let word = |word: &Value| match word.as_str() {
        Some(text) => OsString::from(text),
        None => OsString::from_vec(STANDARD.decode(word["bytes"].as_str().unwrap()).unwrap()),
    };
    let args = plan["args"].as_array().unwrap().iter().map(word).collect();
    Some(Plan { args, debugs: plan["endpoints"] != serde_json::json!([]), text: run.stdout })
}

/// A word of a command line: options that count, their values, and anything at all.
fn word() -> impl Strategy<Value = OsString> {
    let text = prop_oneof![
        4 => prop_oneof![
            Just("--conf"), Just("-c"), Just("--driver-java-options"), Just("--name"), Just("--class"),
            Just("--master"), Just("--deploy-mode"), Just("--verbose"), Just("--supervise"), Just("--remote"), Just("--version"),
        ].prop_map(str::to_owned),
        4 => ("spark\\.driver\\.(extra|default)JavaOptions=", option_string()).prop_map(|(key, value)| key + &value),
        2 => ("--conf=spark\\.driver\\.(extra|default)JavaOptions=", option_string())
            .prop_map(|(key, value)| key + &value),
        2 => ("--driver-java-options=", option_string()).prop_map(|(option, value)| option + &value),
        2 => option_string(),
        1 => prop_oneof![Just("cluster"), Just("client"), Just("yarn"), Just("spark://h:7077"), Just("local[*]")]
            .prop_map(str::to_owned),
        2 => prop_oneof![Just("app.jar"), Just("run-example"), Just("pyspark-shell-main"), Just("")]
            .prop_map(str::to_owned),
        1 => "\\PC{0,6}",
    ];
    prop_oneof![
        9 => text.prop_map(OsString::from),
        1 => proptest::collection::vec(1u8.., 0..6).prop_map(OsString::from_vec),
    ]
}

fn option_string() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "-D[ab]=[x'\"\\\\ é]{0,3}",
        2 => Just("-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=5006".to_owned()),
        1 => Just("-Xrunjdwp:transport=dt_socket,server=y,address=5006".to_owned()),
        1 => Just("-Xdebug".to_owned()),
        // What may have been torn from an agent.
        1 => "(address)?[-:=,]{1,2}[x5]?",
    ];
    proptest::collection::vec(piece, 0..4).prop_map(|pieces| pieces.join(" "))
}

fn words() -> impl Strategy<Value = Vec<OsString>> {
    proptest::collection::vec(word(), 0..8)
}

/// How often the agent of [`DRIVER`] stands in these words.
fn agents(scene: &Scene, words: &[OsString]) -> usize {
    let agent = scene.fill(AGENT);
    let agent = agent.as_bytes();
    words.iter().map(|word| word.as_bytes().windows(agent.len()).filter(|window| *window == agent).count()).sum()
}

/// How many words differ once the inserted ones are left out, where leaving them out fits best.
fn changed(before: &[OsString], after: &[OsString]) -> usize {
    let inserted = after.len() - before.len();
    let differing = |at: usize| {
        let kept = after[..at].iter().chain(&after[at + inserted..]);
        kept.zip(before).filter(|(after, before)| after != before).count()
    };
    (0..=before.len()).map(differing).min().unwrap_or_default()
}

/// Checks a property for many command lines.
fn check(property: impl Fn(&Scene, Vec<OsString>) -> Result<(), TestCaseError>) {
    let scenes = scenes();
    let config = Config { failure_persistence: None, ..Config::with_cases(CASES) };
    let checked =
        TestRunner::new(config).run(&(words(), 0..scenes.len()), |(words, version)| property(&scenes[version], words));
    checked.unwrap_or_else(|failure| panic!("{failure}"));
}

/// What is not rewritten comes out as it went in, in its order: nothing, or one word of each key that reaches the
/// driver, is changed, and a few words, which stand together, are inserted.
#[test]
fn words_that_are_not_rewritten_are_the_users() {
    check(|scene, words| {
        let Some(plan) = planned(scene, &words) else { return Ok(()) };
        if !plan.debugs {
            prop_assert_eq!(&plan.args, &words);
            return Ok(());
        }
        prop_assert!(plan.args.len() >= words.len());
        prop_assert_eq!(agents(scene, &plan.args), 1, "{:?}", plan.args);
        prop_assert!(changed(&words, &plan.args) <= 2, "{:?}", plan.args);
        Ok(())
    });
}

/// Without anything to debug, the identity.
#[test]
fn what_is_no_job_comes_out_as_it_went_in() {
    check(|scene, words| {
        let words: Vec<OsString> = [OsString::from("--version")].into_iter().chain(words).collect();
        let plan = planned(scene, &words);
        prop_assert_eq!(plan.map(|plan| plan.args), Some(words));
        Ok(())
    });
}

#[test]
fn rewriting_twice_is_rewriting_once() {
    check(|scene, words| {
        let Some(once) = planned(scene, &words) else { return Ok(()) };
        let twice = planned(scene, &once.args);
        prop_assert_eq!(twice.map(|plan| plan.args), Some(once.args));
        Ok(())
    });
}

#[test]
fn the_same_words_give_the_same_plan() {
    check(|scene, words| {
        prop_assert_eq!(planned(scene, &words).map(|plan| plan.text), planned(scene, &words).map(|plan| plan.text));
        Ok(())
    });
}
