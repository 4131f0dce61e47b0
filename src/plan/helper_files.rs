//! Files that must exist before the start, and where they stand.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::environment::Machine;
use crate::error::Failure;

/// A file in a directory whose name is made from what it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelperFile {
    /// Where it stands.
    pub path: PathBuf,
    /// What it is.
    pub content: Content,
}

/// What a helper file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// A text that another script sources.
    Text(&'static str),
    /// A script that is run.
    Script(&'static str),
    /// A symbolic link to this path.
    Link(PathBuf),
}

/// The directory for helper files.
///
/// # Errors
/// No variable names one.
pub fn cache_dir(machine: &Machine) -> Result<&Path, Failure> {
    machine.cache_dir.as_deref().ok_or_else(|| {
        Failure::world("a helper file is needed, but neither XDG_CACHE_HOME nor HOME names a directory for it")
            .help("set XDG_CACHE_HOME to a directory of yours")
    })
}

/// The name of a directory, made from all that decides what it holds: what holds something else has
/// another name.
pub fn name_of<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update(part);
        // No part holds one: it tells where one ends.
        digest.update([0]);
    }
    digest.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}
