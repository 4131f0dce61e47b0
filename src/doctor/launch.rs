//! What a plan tells about a launch that goes well: the knob that carries the agent, the settings for a pause. Pure.

use super::finding::Finding;
use crate::environment::distribution::Distribution;
use crate::options::Options;
use crate::plan::{LaunchPlan, Rewrite};
use crate::profile::PauseLimit;

/// The profile, and the files that were read for it.
pub fn profile(options: &Options) -> Finding {
    let files: Vec<String> = options.profile_files.iter().map(|file| file.display().to_string()).collect();
    let read = if files.is_empty() { String::new() } else { format!("; read: {}", files.join(", ")) };
    match &options.profile {
        Some((name, by)) => Finding::ok("profile", format!("{name} ({by}){read}")),
        None => Finding::ok("profile", format!("none{read}")),
    }
}

/// What will be started.
pub fn distribution(system: &str, found: &Distribution) -> Finding {
    let Distribution { program, home, origin, version, .. } = found;
    let name = match version {
        Some(version) => format!("{system} {version}"),
        None => format!("a {system} of unknown version"),
    };
    Finding::ok(
        "distribution",
        match home {
            Some(home) => format!("{name} in {} ({origin})", home.display()),
            None => format!("{name}: {} ({origin})", program.display()),
        },
    )
}

/// The values that carry an agent of ours.
pub fn knobs(plan: &LaunchPlan) -> Vec<Finding> {
    let carries = |text: &Option<String>| text.as_ref().is_some_and(|text| text.contains("-agentlib:jdwp="));
    // The worker's executors get it by a `java` of ours.
    let ours = plan.rewrites.iter().filter(|rewrite| carries(&rewrite.after) || rewrite.name == "JAVA_HOME");
    let why = |rewrite: &Rewrite| match rewrite.name.starts_with("spark.") {
        true => rewrite.why.clone(),
        // A variable may carry more than the agent, and may have lost another before.
        false => {
            let mut reasons = rewrite.why.split("; ");
            let of_agent = reasons.clone().find(|why| why.starts_with("the agent"));
            of_agent.or(reasons.next()).unwrap_or_default().to_owned()
        }
    };
    ours.map(|rewrite| Finding::ok("agent", format!("goes into {}: {}", rewrite.name, why(rewrite)))).collect()
}

/// The pause limit; `sets`: whether a key is one that a pause needs. `no_need`: why no setting may be needed.
pub fn timeouts(
    plan: &LaunchPlan,
    options: &Options,
    no_need: Option<&str>,
    sets: impl Fn(&str) -> bool,
) -> Option<Finding> {
    if plan.endpoints.is_empty() {
        return None;
    }
    let PauseLimit::Limit(limit) = options.pause_limit.value else {
        let message = format!("the pause limit is off ({})", options.pause_limit.source);
        return Some(match no_need {
            Some(why) => Finding::ok("timeouts", format!("{message}; none is needed: {why}")),
            None => Finding::warn("timeouts", format!("{message}: who stands on a breakpoint is given up in minutes"))
                .cure("leave it out: the default is 2h"),
        });
    };
    let set: Vec<String> = plan.rewrites.iter().flat_map(|rewrite| settings(rewrite, &sets)).collect();
    let limit = humantime::format_duration(limit);
    Some(match (set.as_slice(), no_need) {
        ([], Some(why)) => Finding::ok("timeouts", format!("none to set for a pause of {limit}: {why}")),
        ([], None) => Finding::ok("timeouts", format!("none to set for a pause of {limit}")),
        (set, _) => Finding::ok("timeouts", format!("set for a pause of {limit}: {}", set.join(", "))),
    })
}

/// The settings that a changed value makes: itself, or the properties that it has more than before.
fn settings(rewrite: &Rewrite, sets: &impl Fn(&str) -> bool) -> Vec<String> {
    let Rewrite { name, before, after, .. } = rewrite;
    let after = after.as_deref().unwrap_or_default();
    if sets(name) {
        return vec![format!("{name}={after}")];
    }
    let before = before.as_deref().unwrap_or_default();
    let properties = after.split_whitespace().filter_map(|word| word.strip_prefix("-D"));
    let is_new = |property: &&str| {
        let key = property.split('=').next().unwrap_or_default();
        sets(key) && !before.contains(property)
    };
    properties.filter(is_new).map(str::to_owned).collect()
}
