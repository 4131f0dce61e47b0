//! The files of the project in the working directory: read, and written without leaving it.

use std::fs::{self, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::File;
use crate::error::{Failure, cause};

/// What a new file may be used for, before the umask has its say.
const NEW_FILE: u32 = 0o666;

/// What the top of a project has.
const MARKS: [&str; 3] = [".git", ".idea", ".vscode"];

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
        match fs::metadata(&file) {
            Ok(facts) if !facts.is_file() => return Err(unreadable("it is no regular file").help("remove it")),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) if error.kind() == ErrorKind::NotADirectory => {
                return Err(unreadable("a file stands in the place of its directory").help("move that file away"));
            }
            Err(error) => return Err(unreadable(&cause(&error))),
        }
        let bytes = fs::read(&file).map_err(|error| unreadable(&cause(&error)))?;
        String::from_utf8(bytes).map(Some).map_err(|_| unreadable("it is not UTF-8").help("save it as UTF-8"))
    }

    /// Writes what differs, and says what became of each. A file gets its name when it is whole, and keeps its mode.
    ///
    /// # Errors
    /// One cannot be written, is read-only, or a symbolic link leads out of the project.
    pub fn write(&self, files: &[File]) -> Result<Vec<String>, Failure> {
        let mut changes = Vec::new();
        for file in files {
            let target = self.inside(&file.path)?;
            let differs = self.read(&file.path)?.is_none_or(|there| there != file.content);
            if differs && target.exists() && !is_writable(&target) {
                return Err(Failure::world(format!("`{}` cannot be written: it is read-only", file.path))
                    .help("make it writable, or remove it"));
            }
            changes.push((file, target, differs));
        }
        let written = |(file, target, differs): (&File, PathBuf, bool)| {
            let path = &file.path;
            if !differs {
                return Ok(format!("{path} stays as it is"));
            }
            let is_linked = fs::metadata(&target).is_ok_and(|facts| facts.nlink() > 1);
            write(&target, file.content.as_bytes())
                .map_err(|error| Failure::world(format!("`{path}` cannot be written: {}", cause(&error))))?;
            let linked = if is_linked { "; it had other hard links, which stay as they were" } else { "" };
            Ok(format!("wrote {path}{linked}"))
        };
        changes.into_iter().map(written).collect()
    }

    /// The directory above that an IDE would open, if this one is only a part of a project. Not as far up as `home`:
    /// what has these names there belongs to the user, not to a project.
    pub fn above(&self, home: Option<&Path>) -> Option<String> {
        let home = home.and_then(|home| fs::canonicalize(home).ok());
        let marked = |directory: &Path| MARKS.into_iter().find(|mark| directory.join(mark).exists());
        let directories = self.root.ancestors().take_while(|directory| Some(*directory) != home.as_deref());
        let (steps, mark) = directories.enumerate().find_map(|(steps, directory)| Some((steps, marked(directory)?)))?;
        let up = vec![".."; steps].join("/");
        (steps > 0).then(|| format!("{up} has {mark}: an IDE that opens {up} does not see what is written here"))
    }

    /// The real file behind a path of the project.
    fn inside(&self, path: &str) -> Result<PathBuf, Failure> {
        let mut real = self.root.clone();
        for part in Path::new(path) {
            real.push(part);
            // A link that leads nowhere is no file that could be replaced.
            if fs::symlink_metadata(&real).is_ok() {
                real = fs::canonicalize(&real).map_err(|error| match error.kind() {
                    ErrorKind::NotFound => Failure::world(format!("`{path}` is a symbolic link that leads nowhere"))
                        .help("remove the link"),
                    _ => Failure::world(format!("`{path}` cannot be read: {}", cause(&error))),
                })?;
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

/// Its directory may let it be replaced, and root may write it: whoever took that right from it meant it.
fn is_writable(file: &Path) -> bool {
    let may_be = fs::metadata(file).is_ok_and(|facts| !facts.permissions().readonly());
    may_be && fs::File::options().write(true).open(file).is_ok()
}

fn write(target: &Path, content: &[u8]) -> io::Result<()> {
    let directory = target.parent().unwrap_or(target);
    fs::create_dir_all(directory)?;
    let mut whole = tempfile::Builder::new().permissions(Permissions::from_mode(NEW_FILE)).tempfile_in(directory)?;
    // Before it has content, which a mode may keep from others.
    if let Ok(facts) = fs::metadata(target) {
        whole.as_file().set_permissions(facts.permissions())?;
    }
    whole.write_all(content)?;
    whole.persist(target).map(drop).map_err(|error| error.error)
}
