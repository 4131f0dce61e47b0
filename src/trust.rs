//! Reads a file only if nobody but the user and root can have written it: a profile chooses the
//! programs that are started and whom a JVM dials, a helper file is run by a shell.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::error::{Failure, cause};

/// Write permission of group and others.
const OTHERS_WRITE: u32 = 0o022;

/// Only the owner of a file may delete it from such a directory (`/tmp`).
const STICKY: u32 = 0o1000;

/// The cures of a directory that is not the user's to change: of a file that is there, and of one that is to come.
const COPY: &str = "copy it to a directory of your own and name the copy with `--config FILE`";
const CHOOSE: &str = "choose a directory that only you can write";

/// Whether a file of this owner can be trusted: the effective user's or root's.
pub fn is_ours(owner: u32) -> bool {
    owner == 0 || owner == user()
}

fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// The content of a file which, like its directory, nobody else can write.
///
/// The file and directory behind a symbolic link are checked; so is the directory of the link,
/// whose writer could point it elsewhere.
///
/// # Errors
/// It cannot be read, or others can write it.
pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let unreadable =
        |error: io::Error| Failure::world(format!("`{}` cannot be read: {}", path.display(), cause(&error)));
    let real = fs::canonicalize(path).map_err(unreadable)?;
    // Before it is opened, since opening a pipe would wait for its writer.
    regular(path, &fs::metadata(&real).map_err(unreadable)?)?;
    let mut file = File::open(&real).map_err(unreadable)?;
    let facts = file.metadata().map_err(unreadable)?;
    regular(path, &facts)?;

    let linked = real != path;
    let subject = if linked { format!("the file `{}` behind it", real.display()) } else { "it".to_owned() };
    check(path, &subject, &real, &facts, COPY)?;
    if let Some(directory) = real.parent() {
        let whose = if linked { " of the file behind it" } else { "" };
        check_directory(path, directory, whose, COPY)?;
    }
    if let Some(directory) = path.parent().filter(|_| linked) {
        check_directory(path, directory, "", COPY)?;
    }

    let mut content = Vec::new();
    file.read_to_end(&mut content).map_err(unreadable)?;
    Ok(content)
}

/// Whether nobody else can write the directory in which `path` stands.
///
/// # Errors
/// It cannot be read, or others can write it.
pub fn directory_of(path: &Path) -> Result<(), Failure> {
    path.parent().map_or(Ok(()), |directory| check_directory(path, directory, "", CHOOSE))
}

/// What keeps a directory from being one in which nobody else can put a program.
pub fn fault_of(facts: &Metadata) -> Option<String> {
    fault(facts.uid(), facts.mode(), user())
}

fn regular(path: &Path, facts: &Metadata) -> Result<(), Failure> {
    if facts.is_file() {
        return Ok(());
    }
    Err(Failure::world(format!("`{}` cannot be read: it is not a regular file", path.display())))
}

fn check_directory(path: &Path, directory: &Path, whose: &str, otherwise: &str) -> Result<(), Failure> {
    let facts = fs::metadata(directory)
        .map_err(|error| Failure::world(format!("`{}` cannot be read: {}", directory.display(), cause(&error))))?;
    let article = if whose.is_empty() { "its" } else { "the" };
    check(path, &format!("{article} directory `{}`{whose}", directory.display()), directory, &facts, otherwise)
}

/// `object` is the file or directory that the facts are about; `otherwise`: the cure where it is not the user's to change.
fn check(path: &Path, subject: &str, object: &Path, facts: &Metadata, otherwise: &str) -> Result<(), Failure> {
    let Some(fault) = fault(facts.uid(), facts.mode(), user()) else { return Ok(()) };
    let curable = facts.uid() == user() && facts.mode() & STICKY == 0;
    let cure = match object.to_str() {
        Some(object) if curable => format!("run `chmod go-w {}`", shell_words::quote(object)),
        _ => otherwise.to_owned(),
    };
    Err(Failure::world(format!("`{}` cannot be trusted: {subject} {fault}", path.display())).help(cure))
}

/// What is wrong with a file or directory of this owner and mode, for this user.
fn fault(owner: u32, mode: u32, user: u32) -> Option<String> {
    if owner != 0 && owner != user {
        return Some(match user {
            0 => format!("belongs to uid {owner}, not to root"),
            _ => format!("belongs to uid {owner}, not to you (uid {user}) or root"),
        });
    }
    let writers = match mode & OTHERS_WRITE {
        0 => return None,
        0o020 => "its group",
        0o002 => "others",
        _ => "its group and others",
    };
    Some(format!("is writable by {writers} (mode {:04o})", mode & 0o7777))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_user_and_root_may_own_and_write() {
        let cases = [
            (1000, 0o100644, 1000, None),
            (0, 0o100444, 1000, None),
            (1000, 0o100644, 0, Some("belongs to uid 1000, not to root")),
            (1001, 0o100600, 1000, Some("belongs to uid 1001, not to you (uid 1000) or root")),
            (1000, 0o100664, 1000, Some("is writable by its group (mode 0664)")),
            (0, 0o100602, 1000, Some("is writable by others (mode 0602)")),
            (0, 0o041777, 1000, Some("is writable by its group and others (mode 1777)")),
        ];
        for (owner, mode, user, expected) in cases {
            assert_eq!(fault(owner, mode, user).as_deref(), expected, "owner {owner} mode {mode:o} user {user}");
        }
    }
}
