//! One thing that was looked at, and how all of them are printed. Pure.

use serde_json::json;

use crate::error::Failure;
use crate::secrets::{for_terminal, secrets_hidden};

/// What follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// It is as it should be.
    Ok,
    /// It may mislead, or cannot be known from here.
    Warn,
    /// The command would fail, or nobody would stop where the user means to.
    Fail,
}

impl Level {
    /// The word in front of the line.
    pub fn name(self) -> &'static str {
        match self {
            Level::Ok => "ok",
            Level::Warn => "warn",
            Level::Fail => "fail",
        }
    }
}

/// A finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What follows from it.
    pub level: Level,
    /// What it is about: a stable word.
    pub topic: &'static str,
    /// What was found, and why it matters.
    pub message: String,
    /// What to do about it.
    pub cure: Option<String>,
}

impl Finding {
    /// As it should be.
    pub fn ok(topic: &'static str, message: impl Into<String>) -> Finding {
        Finding { level: Level::Ok, topic, message: message.into(), cure: None }
    }

    /// May mislead.
    pub fn warn(topic: &'static str, message: impl Into<String>) -> Finding {
        Finding { level: Level::Warn, topic, message: message.into(), cure: None }
    }

    /// Would fail.
    pub fn fail(topic: &'static str, message: impl Into<String>) -> Finding {
        Finding { level: Level::Fail, topic, message: message.into(), cure: None }
    }

    /// The failure of a launch, in its own words.
    pub fn failure(topic: &'static str, failure: &Failure) -> Finding {
        Finding { level: Level::Fail, topic, message: failure.message.clone(), cure: failure.help.clone() }
    }

    /// Adds what to do about it.
    pub fn cure(mut self, cure: impl Into<String>) -> Finding {
        self.cure = Some(cure.into());
        self
    }
}

/// The topics, in the order in which they are shown.
const TOPICS: [&str; 16] = [
    "profile",
    "distribution",
    "java",
    "config",
    "variables",
    "deployment",
    "launch",
    "application",
    "options",
    "agent",
    "port",
    "listener",
    "reach",
    "timeouts",
    "python",
    "check",
];

/// The width of the longest topic, `distribution`.
const TOPIC: usize = 12;

/// Each thing once, ordered by topic.
pub fn in_order(found: Vec<Finding>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for finding in found {
        // A failure of the launch may be a warning of another role's, too.
        match findings.iter_mut().find(|known| known.message == finding.message) {
            Some(known) if known.level == Level::Fail || finding.level != Level::Fail => {}
            Some(known) => *known = finding,
            None => findings.push(finding),
        }
    }
    let rank = |finding: &Finding| TOPICS.iter().position(|topic| *topic == finding.topic);
    findings.sort_by_key(|finding| rank(finding).unwrap_or(TOPICS.len()));
    findings
}

/// A line for each finding, and one that counts them; `quiet`: what is not ok, and no count.
pub fn text(findings: &[Finding], quiet: bool) -> String {
    let mut text = String::new();
    for Finding { level, topic, message, cure } in findings.iter().filter(|found| !quiet || found.level != Level::Ok) {
        // Each for itself: what ends a secret is a blank.
        let shown = |text: &str| for_terminal(text).replace(['\n', '\t'], " ");
        let cure = cure.as_ref().map(|cure| format!("; {}", shown(cure))).unwrap_or_default();
        let line = format!("{}{cure}", shown(message));
        text.push_str(&format!("{:<4}  {topic:<TOPIC$}  {line}\n", level.name()));
    }
    if !quiet {
        let number = |level| findings.iter().filter(|found| found.level == level).count();
        let (ok, warn, fail) = (number(Level::Ok), number(Level::Warn), number(Level::Fail));
        text.push_str(&format!("{ok} ok, {warn} warn, {fail} fail\n"));
    }
    text
}

/// One array, one object on a line for each finding.
pub fn json(findings: &[Finding], quiet: bool) -> String {
    let shown = findings.iter().filter(|found| !quiet || found.level != Level::Ok);
    let rows = shown.map(|Finding { level, topic, message, cure }| {
        let cure = cure.as_deref().map(secrets_hidden);
        let row = json!({
            "level": level.name(), "topic": topic, "message": secrets_hidden(message), "cure": cure,
        });
        format!("  {row}")
    });
    let rows: Vec<String> = rows.collect();
    if rows.is_empty() { "[]\n".to_owned() } else { format!("[\n{}\n]\n", rows.join(",\n")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thing_is_told_once_and_in_its_place() {
        let found = vec![
            Finding::ok("check", "1"),
            Finding::warn("options", "2"),
            Finding::ok("profile", "3"),
            Finding::fail("options", "2").cure("4"),
            Finding::warn("options", "2"),
        ];
        let ordered = [Finding::ok("profile", "3"), Finding::fail("options", "2").cure("4"), Finding::ok("check", "1")];
        assert_eq!(in_order(found), ordered);
        assert_eq!(TOPICS.iter().map(|topic| topic.len()).max(), Some(TOPIC));
    }

    #[test]
    fn lines_are_aligned_counted_and_hold_no_secret() {
        let findings = [
            Finding::ok("java", "Java 17"),
            Finding::warn("distribution", "a\nb -Dmy.token=x").cure("do c"),
            Finding::fail("port", "taken\u{1b}[2J"),
        ];
        let shown = "ok    java          Java 17\n\
                     warn  distribution  a b -Dmy.token=********; do c\n\
                     fail  port          taken\\u{1b}[2J\n\
                     1 ok, 1 warn, 1 fail\n";
        assert_eq!(text(&findings, false), shown);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(text(&findings, true), format!("{}\n{}\n", lines[1], lines[2]));
        let rows: serde_json::Value = serde_json::from_str(&json(&findings, true)).unwrap();
        let first = json!(
            {"level": "warn", "topic": "distribution", "message": "a\nb -Dmy.token=********", "cure": "do c"}
        );
        assert_eq!(rows[0], first);
        assert_eq!(rows[1]["cure"], serde_json::Value::Null);
        assert_eq!(json(&findings[..1], true), "[]\n");
    }
}
