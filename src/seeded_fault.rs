//! Wrong mergers on purpose: the differential tests must turn red for each of them.
//!
//! Nothing of it is in a binary that is built without the feature `seeded-faults`.

/// The ways in which the merge can be made wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The agent goes behind the user's options.
    Append,
    /// The first setting of a key on the command line counts, not the last.
    First,
    /// Properties files are not read.
    NoPropertiesFile,
    /// What stands in `spark.driver.defaultJavaOptions` is overwritten.
    NoDefaultKey,
}

/// Whether the fault is asked for by `SPARKDBG_SEEDED_FAULT`.
#[cfg(feature = "seeded-faults")]
pub fn active(fault: Fault) -> bool {
    let name = match fault {
        Fault::Append => "append",
        Fault::First => "first",
        Fault::NoPropertiesFile => "no-properties-file",
        Fault::NoDefaultKey => "no-default-key",
    };
    std::env::var("SPARKDBG_SEEDED_FAULT").is_ok_and(|wanted| wanted == name)
}

/// Never: the feature is off.
#[cfg(not(feature = "seeded-faults"))]
pub const fn active(_fault: Fault) -> bool {
    false
}
