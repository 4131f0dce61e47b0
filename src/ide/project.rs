//! The files of the project in the working directory: read, and written without leaving it.

use std::fs::{self, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::File;
use crate::error::{Failure, cause};

/// What a new file may be used for, before the umask has its say.
const NEW_FILE: u32 = 0o666;

/// The project.
pub struct Project {
    /// Without symbolic links.
    root: PathBuf,
}

impl Project {
    /// The one in this directory.
    ///
    /// # Errors
    /// It is gone.
    pub fn in_directory(directory: &Path) -> Result<Project, Failure> {
        let root = fs::canonicalize(directory)
            .map_err(|error| Failure::world(format!("the working directory cannot be read: {}", cause(&error))))?;
        Ok(Project { root })
    }

    /// The text of a file; `None`: there is none.
    ///
    /// # Errors
    /// It cannot be read, is no text, or a symbolic link leads out of the project.
    pub fn read(&self, path: &str) -> Result<Option<String>, Failure> {
        let unreadable = |why: &str| Failure::world(format!("`{path}` cannot be read: {why}"));
        let file = self.inside(path)?;
        match fs::read(&file) {
            Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|_| unreadable("it is not UTF-8")),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(unreadable(&cause(&error))),
        }
    }

    /// Whether something had to be written. The file gets its name when it is whole, and keeps its mode.
    ///
    /// # Errors
    /// It cannot be written, or a symbolic link leads out of the project.
    pub fn write(&self, file: &File) -> Result<bool, Failure> {
        if self.read(&file.path)?.is_some_and(|there| there == file.content) {
            return Ok(false);
        }
        let target = self.inside(&file.path)?;
        write(&target, file.content.as_bytes())
            .map(|()| true)
            .map_err(|error| Failure::world(format!("`{}` cannot be written: {}", file.path, cause(&error))))
    }

    /// The real file behind a path of the project.
    fn inside(&self, path: &str) -> Result<PathBuf, Failure> {
        let mut real = self.root.clone();
        for part in Path::new(path) {
            real.push(part);
            // A link that leads nowhere is no file that could be replaced.
            if fs::symlink_metadata(&real).is_ok() {
                real = fs::canonicalize(&real)
                    .map_err(|error| Failure::world(format!("`{path}` cannot be read: {}", cause(&error))))?;
            }
            if !real.starts_with(&self.root) {
                return Err(Failure::world(format!(
                    "`{path}` is left alone: a symbolic link leads out of the project, to `{}`",
                    real.display()
                ))
                .help("put a file or directory of the project in its place"));
            }
        }
        Ok(real)
    }
}

fn write(target: &Path, content: &[u8]) -> io::Result<()> {
    let directory = target.parent().unwrap_or(target);
    fs::create_dir_all(directory)?;
    let mut whole = tempfile::Builder::new().permissions(Permissions::from_mode(NEW_FILE)).tempfile_in(directory)?;
    whole.write_all(content)?;
    if let Ok(facts) = fs::metadata(target) {
        whole.as_file().set_permissions(facts.permissions())?;
    }
    whole.persist(target).map(drop).map_err(|error| error.error)
}
