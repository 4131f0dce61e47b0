use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use super::*;

const SCRIPT: &str = "#!/bin/sh\n";

fn files(dir: &Path) -> Vec<HelperFile> {
    let file = |name: &str, content| HelperFile { path: dir.join("x").join(name), content };
    vec![
        file("bin/java", Content::Script(SCRIPT)),
        file("text", Content::Text("a")),
        file("lib", Content::Link("/opt/java/lib".into())),
        file("bin/jar", Content::Link("/opt/java/bin/jar".into())),
    ]
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = entries.collect();
    names.sort();
    names
}

#[test]
fn each_kind_is_written_once() {
    let dir = tempfile::tempdir().unwrap();
    let files = files(dir.path());
    write_files(&files).unwrap();
    let path = |name: &str| dir.path().join("x").join(name);
    assert_eq!(names(&path("")), ["bin", "lib", "text"]);
    assert_eq!(names(&path("bin")), ["jar", "java"]);
    assert_eq!(fs::read_to_string(path("bin/java")).unwrap(), SCRIPT);
    let mode = |name: &str| fs::metadata(path(name)).unwrap().mode() & 0o777;
    assert_eq!((mode("bin/java"), mode("text"), mode("bin"), mode("")), (0o700, 0o600, 0o700, 0o700));
    assert_eq!(fs::read_link(path("lib")).unwrap(), Path::new("/opt/java/lib"));

    let inode = |name: &str| fs::symlink_metadata(path(name)).unwrap().ino();
    let before = ["bin/java", "text", "lib", "bin/jar"].map(inode);
    write_files(&files).unwrap();
    assert_eq!(["bin/java", "text", "lib", "bin/jar"].map(inode), before, "right ones are left alone");
}

#[test]
fn what_is_wrong_is_mended() {
    let dir = tempfile::tempdir().unwrap();
    let files = files(dir.path());
    write_files(&files).unwrap();
    let path = |name: &str| dir.path().join("x").join(name);
    fs::set_permissions(path("bin/java"), Permissions::from_mode(0o600)).unwrap();
    fs::write(path("text"), "b").unwrap();
    fs::remove_file(path("lib")).unwrap();
    symlink("/elsewhere", path("lib")).unwrap();
    fs::remove_file(path("bin/jar")).unwrap();
    fs::write(path("bin/jar"), "no link").unwrap();
    write_files(&files).unwrap();
    assert!(files.iter().all(is_there));
    assert_eq!(names(&path("bin")), ["jar", "java"], "nothing half-made is left");
}

#[test]
fn launches_at_once_do_not_meet() {
    let dir = tempfile::tempdir().unwrap();
    let files = files(dir.path());
    std::thread::scope(|scope| {
        for writer in [(); 8].map(|()| scope.spawn(|| write_files(&files))) {
            writer.join().unwrap().unwrap();
        }
    });
    assert!(files.iter().all(is_there));
    assert_eq!(names(&dir.path().join("x/bin")), ["jar", "java"]);
}

/// Whoever can write one of the directories could put another program into it.
#[test]
fn directories_that_others_can_write_are_refused() {
    for open in ["x", "x/bin"] {
        let dir = tempfile::tempdir().unwrap();
        let files = files(dir.path());
        write_files(&files).unwrap();
        let open: PathBuf = dir.path().join(open);
        fs::set_permissions(&open, Permissions::from_mode(0o777)).unwrap();
        let failure = write_files(&files).unwrap_err().to_string();
        assert!(failure.contains("cannot be trusted") && failure.contains(open.to_str().unwrap()), "{failure}");
    }
}
