//! What `init` writes down: the debug options of a launch, refused where every launch with them would be.

use std::str::FromStr;

use super::targets::{by_role, of_any_command, refuse_one_place_for_several};
use super::{Source, allow, flag_value};
use crate::cli::{DebugOptions, Endpoints};
use crate::endpoint::Role;
use crate::error::Failure;
use crate::profile::{Existing, PauseLimit, Profile};

/// The words of the flags, each checked, in the spelling of a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewProfile {
    /// The roles that are named, each with its endpoint; empty if nobody names one.
    pub endpoints: Vec<(Role, String)>,
    /// Who may attach; empty: anyone who reaches the port.
    pub allow: Vec<String>,
    /// What becomes of an agent that is configured already.
    pub existing: Option<Existing>,
    /// How long a JVM may stand still, as typed.
    pub pause_limit: Option<String>,
    /// Whether the application is held to one executor.
    pub one_executor: Option<bool>,
    /// Two roles that no command starts together, and that have one place.
    pub one_place: Option<String>,
}

/// The roles that one command starts together: Spark's, then Flink's.
const TOGETHER: [&[Role]; 2] = [&[Role::Driver, Role::Executor], &[Role::Client, Role::JobManager, Role::TaskManager]];

/// What the flags say.
///
/// # Errors
/// Flags that contradict each other, hold a bad value, or are no keys of a profile (exit 2).
pub fn new_profile(debug: &DebugOptions) -> Result<NewProfile, Failure> {
    if debug.wait_for_debugger.is_some() {
        return Err(Failure::usage("`--wait-for-debugger` is no key of a profile").help("type it at the launch"));
    }
    let nothing = Profile::default();
    let targets = of_any_command(&debug.endpoints, &nothing)?;
    for roles in TOGETHER {
        let started: Vec<_> = targets.iter().filter(|target| roles.contains(&target.role)).cloned().collect();
        refuse_one_place_for_several(&started)?;
    }
    let is_named =
        |source: &Source| *source != Source::Default || debug.endpoints.suspend || debug.endpoints.no_suspend;
    let named = targets.iter().filter(|target| target.is_typed || is_named(&target.source));
    Ok(NewProfile {
        endpoints: named.map(|target| (target.role, words(target.role, &debug.endpoints))).collect(),
        allow: allow(debug, &nothing, &targets)?.value,
        existing: checked("--existing", &debug.existing)?,
        pause_limit: checked::<PauseLimit>("--pause-limit", &debug.pause_limit)?.and(debug.pause_limit.clone()),
        one_place: refuse_one_place_for_several(&targets).err().map(|failure| failure.message),
        one_executor: (debug.one_executor || debug.all_executors).then_some(debug.one_executor),
    })
}

fn checked<T: FromStr<Err = String>>(flag: &str, typed: &Option<String>) -> Result<Option<T>, Failure> {
    typed.as_deref().map(|text| flag_value(flag, text)).transpose()
}

/// The endpoint of a role, put together from the flags that were found to fit each other.
fn words(role: Role, flags: &Endpoints) -> String {
    let typed = by_role(flags).into_iter().find_map(|(of, typed)| typed.filter(|_| of == role));
    let place = match (typed, &flags.attach, &flags.listen) {
        (Some(Some(endpoint)), _, _) => return endpoint.to_owned(),
        (_, Some(address), _) => format!("attach:{address}"),
        (_, _, Some(address)) => format!("listen:{address}"),
        _ => "attach".to_owned(),
    };
    match (flags.suspend, flags.no_suspend) {
        (true, _) => place + ",suspend",
        (_, true) => place + ",nosuspend",
        _ => place,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn the_endpoint_is_what_the_flags_say_together() {
        let both = Endpoints { driver: Some(None), executor: Some(some("listen:h:1")), ..Endpoints::default() };
        let attach =
            Endpoints { executor: Some(None), attach: some("[::1]:7"), no_suspend: true, ..Endpoints::default() };
        let suspend = Endpoints { suspend: true, ..Endpoints::default() };
        let listen = Endpoints { listen: some("7"), ..Endpoints::default() };
        for (endpoints, expected) in [
            (Endpoints::default(), vec![]),
            (both, vec![(Role::Driver, "attach"), (Role::Executor, "listen:h:1")]),
            (attach, vec![(Role::Executor, "attach:[::1]:7,nosuspend")]),
            (suspend, vec![(Role::Driver, "attach,suspend")]),
            (listen, vec![(Role::Driver, "listen:7")]),
        ] {
            let debug = DebugOptions { endpoints, ..DebugOptions::default() };
            let expected: Vec<(Role, String)> =
                expected.into_iter().map(|(role, text)| (role, text.to_owned())).collect();
            assert_eq!(new_profile(&debug).expect("it fits").endpoints, expected);
        }
    }
}
