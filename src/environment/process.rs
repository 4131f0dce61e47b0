//! What a process is started with.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{self, Failure};

/// What a process starts with; tests make their own.
#[derive(Debug, Clone, Default)]
pub struct Process {
    /// All variables.
    pub env: BTreeMap<OsString, OsString>,
    /// The working directory.
    pub cwd: PathBuf,
    /// The file that runs, to be told from the script that we look for.
    pub exe: Option<PathBuf>,
    /// The link of `shim` by whose name we were called.
    pub link: Option<Link>,
}

/// A link that stands in front of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Itself, as it was found.
    pub path: PathBuf,
    /// Its name, which is the script's.
    pub name: &'static str,
    /// The script that runs where nobody debugs, and that is started in any case unless somebody names a home.
    pub script: Option<PathBuf>,
}

impl Link {
    /// What to say where there is no script.
    pub fn stands_alone(&self) -> Failure {
        let (name, link) = (self.name, self.path.display());
        Failure::not_found(format!("`{name}` is not on PATH but for `{link}`, which is a link to sparkdbg"))
            .help("put the directory of the real one on PATH, behind that of the link")
    }
}

impl Process {
    /// This very process.
    ///
    /// # Errors
    /// The working directory is gone.
    pub fn current() -> Result<Process, Failure> {
        let cwd = std::env::current_dir().map_err(|cause| {
            Failure::world(format!("the working directory cannot be read: {}", error::cause(&cause)))
        })?;
        Ok(Process { env: std::env::vars_os().collect(), cwd, exe: std::env::current_exe().ok(), link: None })
    }

    /// A variable's value.
    pub fn var(&self, name: &str) -> Option<&OsStr> {
        self.env.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    pub(super) fn absolute(&self, path: &Path) -> PathBuf {
        self.cwd.join(path)
    }

    pub(super) fn which(&self, name: &str) -> Option<PathBuf> {
        which::which_in(name, self.var("PATH"), &self.cwd).ok()
    }

    pub(super) fn is_ourselves(&self, file: &Path) -> bool {
        self.exe.as_ref().is_some_and(|exe| is_same_program(exe, file))
    }
}

/// Whether a file is this program: by a link, or as a copy, which would call us as we would call it.
pub fn is_same_program(exe: &Path, file: &Path) -> bool {
    let size = |file: &Path| fs::metadata(file).map(|facts| facts.len()).ok();
    let is_copy = || size(exe).is_some() && size(exe) == size(file) && fs::read(exe).ok() == fs::read(file).ok();
    same_file::is_same_file(exe, file).unwrap_or(false) || is_copy()
}
