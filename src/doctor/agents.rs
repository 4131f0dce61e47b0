//! The debug agents that are there without us. Pure.

use super::finding::Finding;
use crate::endpoint::Role;
use crate::options::Target;

/// What `there` finds for a role: each agent with its place. What becomes of them is in the plan's own words, if there
/// is a plan.
pub fn findings(targets: &[Target], is_planned: bool, there: impl Fn(Role) -> Vec<(String, String)>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for role in targets.iter().map(|target| target.role) {
        let there = there(role);
        if there.is_empty() {
            findings.push(Finding::ok("agent", format!("no other debug agent is configured for the {role}")));
        }
        findings.extend(there.into_iter().filter(|_| !is_planned).map(|(text, place)| {
            Finding::ok("agent", format!("one is configured for the {role} already: `{text}` in {place}"))
        }));
    }
    findings
}
