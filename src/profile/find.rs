//! Which files hold profiles.

use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use crate::error::{self, Failure};
use crate::trust;

use super::Search;

/// The name of a project's file.
const PROJECT_FILE: &str = "sparkdbg.toml";

/// The user's file, below the configuration directory.
const USER_FILE: &str = "sparkdbg/config.toml";

/// A file that is there; whether it may be used is not yet known.
#[derive(Debug)]
pub(super) struct Found {
    pub path: PathBuf,
    pub project: bool,
}

/// The files to read, the strongest first.
pub(super) fn files(search: &Search) -> Result<Vec<Found>, Failure> {
    if let Some(config) = search.config {
        let path = search.cwd.join(config);
        return match fs::metadata(&path) {
            Ok(_) => Ok(vec![Found { path, project: false }]),
            Err(error) => Err(Failure::world(format!(
                "`{}`, named by `--config`, cannot be read: {}",
                path.display(),
                error::cause(&error)
            ))),
        };
    }
    Ok(project_file(search).into_iter().chain(user_file(search)).collect())
}

/// The nearest one from the working directory upwards, not beyond `$HOME` or another user's directory.
pub(super) fn project_file(search: &Search) -> Option<Found> {
    let identity = |facts: &Metadata| (facts.dev(), facts.ino());
    let home = search.home.and_then(|home| fs::metadata(home).ok()).map(|facts| identity(&facts));
    for directory in search.cwd.ancestors() {
        let facts = fs::metadata(directory).ok()?;
        if !trust::is_ours(facts.uid()) {
            return None;
        }
        let path = directory.join(PROJECT_FILE);
        match fs::symlink_metadata(&path) {
            Ok(_) => return Some(Found { path, project: true }),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            // A directory that may not be searched: root's, with us below it.
            Err(_) => return None,
        }
        if home == Some(identity(&facts)) {
            return None;
        }
    }
    None
}

fn user_file(search: &Search) -> Option<Found> {
    let path = user_path(search)?;
    // A directory that the user may not enter (`HOME` of another user after `su`) holds nothing of theirs.
    let absent = |kind| matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::PermissionDenied);
    match fs::symlink_metadata(&path) {
        Err(error) if absent(error.kind()) => None,
        _ => Some(Found { path, project: false }),
    }
}

/// Where the user's file would be.
fn user_path(search: &Search) -> Option<PathBuf> {
    let absolute = |path: &PathBuf| path.is_absolute();
    let xdg = search.xdg_config_home.map(PathBuf::from).filter(absolute);
    let directory = xdg.or_else(|| search.home.map(|home| home.join(".config")).filter(absolute))?;
    Some(directory.join(USER_FILE))
}

/// The file that does not have to be there yet: the user's, or the project's in the working directory.
pub(super) fn new_file(search: &Search, user: bool) -> Option<PathBuf> {
    match (search.config, user) {
        (Some(config), _) => Some(search.cwd.join(config)),
        (None, true) => user_path(search),
        (None, false) => Some(search.cwd.join(PROJECT_FILE)),
    }
}

/// Where [`files`] looks when there is no `--config`.
pub(super) fn places(search: &Search) -> String {
    let project = format!("looked for `{PROJECT_FILE}` from `{}` upwards", search.cwd.display());
    match user_path(search) {
        Some(user) => format!("{project} and for `{}`", user.display()),
        None => project,
    }
}
