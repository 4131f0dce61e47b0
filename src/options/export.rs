//! What `export` wants: the debug options of a launch, for JVMs that somebody else starts.

use super::{Chosen, DEFAULT_PAUSE_LIMIT, Debuggable, Target, allow, chosen, one_executor, targets};
use crate::cli::DebugOptions;
use crate::error::Failure;
use crate::profile::{Existing, Loaded, PauseLimit};

/// The options that count, every field final.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// The JVMs to debug, each role once; never empty.
    pub targets: Vec<Target>,
    /// Whether the application is held to one executor.
    pub one_executor: Chosen<bool>,
    /// Who may attach; empty: anyone who reaches the port.
    pub allow: Chosen<Vec<String>>,
    /// What becomes of an agent that is configured already.
    pub existing: Chosen<Existing>,
    /// How long a JVM may stand still.
    pub pause_limit: Chosen<PauseLimit>,
}

/// Final options.
///
/// # Errors
/// Flags that contradict each other, hold a bad value or mean nothing here (exit 2); a profile that does not fit
/// them (exit 125).
pub fn export(of: &Debuggable, debug: &DebugOptions, loaded: &Loaded) -> Result<Exported, Failure> {
    if debug.wait_for_debugger.is_some() {
        return Err(Failure::usage("`--wait-for-debugger` has no meaning with `export`, which starts nothing"));
    }
    let profile = &loaded.profile;
    let targets = targets::targets(of, &debug.endpoints, profile)?;
    Ok(Exported {
        one_executor: one_executor(of, debug, profile, &targets)?,
        allow: allow(debug, profile, &targets)?,
        existing: chosen("--existing", &debug.existing, &profile.existing, Existing::Replace)?,
        pause_limit: chosen("--pause-limit", &debug.pause_limit, &profile.pause_limit, DEFAULT_PAUSE_LIMIT)?,
        targets,
    })
}
