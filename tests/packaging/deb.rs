//! The Debian package: every file in it, what it says of itself, and that its program runs.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::distribution::run_logged;
use crate::{not_run, output};

/// The program under test. Only how fast it is, and which C library it needs, differ from a release.
const PROGRAM: &str = env!("CARGO_BIN_EXE_sparkdbg");
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// On `PATH`, or where `.ci/run` has put it.
fn tool(name: &str) -> Option<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/tools/bin");
    let dirs: Vec<PathBuf> = env::split_paths(&env::var_os("PATH")?).chain([own]).collect();
    dirs.iter().map(|dir| dir.join(name)).find(|file| file.is_file())
}

/// The package, as `.ci/package` makes it, of the program that is built already.
fn package(cargo_deb: &Path, dir: &Path) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let log = dir.join("log");
    let run =
        |command: &mut Command| run_logged(command.current_dir(root), &log).unwrap_or_else(|error| panic!("{error}"));
    run(Command::new(root.join(".ci/assets")).arg(PROGRAM));
    fs::create_dir(dir.join("release")).expect("a directory");
    fs::copy(PROGRAM, dir.join("release/sparkdbg")).expect("a copy");
    let mut build = Command::new(cargo_deb);
    build.args(["deb", "--no-build", "--locked", "--variant", "complete", "--fast", "--output"]).arg(dir);
    run(build.env("CARGO_TARGET_DIR", dir));
    let files = fs::read_dir(dir).expect("a directory").map(|entry| entry.expect("an entry").path());
    let packages: Vec<PathBuf> = files.filter(|file| file.extension().is_some_and(|end| end == "deb")).collect();
    let [package] = packages.try_into().expect("one package");
    package
}

/// The files of a package, with their modes and owners.
fn contents(package: &Path) -> BTreeMap<String, String> {
    let text = output(Command::new("dpkg-deb").arg("--contents").arg(package));
    let entries = text.lines().map(|line| {
        let mut columns = line.split_whitespace();
        let facts = [columns.next().expect("a mode"), columns.next().expect("an owner")].join(" ");
        (columns.next_back().expect("a path").to_owned(), facts)
    });
    entries.filter(|(path, _)| !path.ends_with('/')).collect()
}

fn field(package: &Path, name: &str) -> String {
    output(Command::new("dpkg-deb").arg("--field").arg(package).arg(name)).trim_end().to_owned()
}

#[test]
fn a_debian_package_holds_the_program_and_what_it_writes_about_itself() {
    let (Some(cargo_deb), Some(_)) = (tool("cargo-deb"), tool("dpkg-deb")) else {
        not_run("the Debian package: cargo-deb or dpkg is missing (cargo install --locked cargo-deb, or .ci/run)");
        return;
    };
    let dir = tempfile::tempdir().expect("a temporary directory");
    let package = package(&cargo_deb, dir.path());
    let machine = output(Command::new("dpkg").arg("--print-architecture"));
    let machine = machine.trim_end();
    assert_eq!(package.file_name().unwrap().to_str().unwrap(), format!("sparkdbg_{VERSION}-1_{machine}.deb"));

    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/assets");
    let pages = fs::read_dir(assets.join("man")).expect("pages").map(|entry| entry.expect("an entry").file_name());
    let pages: Vec<String> = pages.map(|name| name.into_string().expect("UTF-8")).collect();
    assert!(pages.contains(&"sparkdbg.1".to_owned()) && pages.contains(&"sparkdbg-submit.1".to_owned()), "{pages:?}");
    let papers = ["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md"];
    let completions = [
        ("sparkdbg.bash", "usr/share/bash-completion/completions/sparkdbg"),
        ("sparkdbg.zsh", "usr/share/zsh/vendor-completions/_sparkdbg"),
        ("sparkdbg.fish", "usr/share/fish/vendor_completions.d/sparkdbg.fish"),
    ];
    let copyright = "usr/share/doc/sparkdbg/copyright";
    let plain = pages.iter().map(|page| format!("usr/share/man/man1/{page}.gz"));
    let plain = plain.chain(papers.map(|paper| format!("usr/share/doc/sparkdbg/{paper}")));
    let plain = plain.chain(completions.map(|(_, path)| path.to_owned())).chain([copyright.to_owned()]);
    let mut expected: BTreeMap<String, String> =
        plain.map(|path| (format!("./{path}"), "-rw-r--r-- 0/0".to_owned())).collect();
    expected.insert("./usr/bin/sparkdbg".to_owned(), "-rwxr-xr-x 0/0".to_owned());
    assert_eq!(contents(&package), expected);

    for (name, value) in [
        ("Package", "sparkdbg"),
        ("Version", &format!("{VERSION}-1")),
        ("Architecture", machine),
        ("Section", "devel"),
        ("Priority", "optional"),
        ("Maintainer", "The sparkdbg authors"),
        ("Recommends", "default-jre-headless | java-runtime-headless"),
        ("Suggests", "default-jdk-headless"),
    ] {
        assert_eq!(field(&package, name), value, "{name}");
    }
    // What this program is linked to; a release's needs nothing.
    let depends = field(&package, "Depends");
    assert!(depends.is_empty() || depends.starts_with("libc6 (>= ") && !depends.contains(','), "{depends}");
    let description = field(&package, "Description").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(description.starts_with(env!("CARGO_PKG_DESCRIPTION")), "{description}");

    let root = dir.path().join("unpacked");
    output(Command::new("dpkg-deb").arg("--extract").arg(&package).arg(&root));
    let read = |path: &Path| fs::read_to_string(path).unwrap_or_else(|cause| panic!("{}: {cause}", path.display()));
    for (asset, path) in completions {
        assert!(read(&root.join(path)) == read(&assets.join(asset)), "{path} is not {asset}");
    }
    for page in &pages {
        let path = root.join(format!("usr/share/man/man1/{page}.gz"));
        let unpacked = output(Command::new("gzip").args(["--decompress", "--stdout"]).arg(path));
        assert!(unpacked == read(&assets.join("man").join(page)), "{page}");
    }
    assert_eq!(
        read(&root.join(copyright)),
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: sparkdbg\n\
         Copyright: 2026, The sparkdbg authors\nLicense: MIT OR Apache-2.0\n"
    );
    let version = output(Command::new(root.join("usr/bin/sparkdbg")).arg("--version"));
    assert_eq!(version, format!("sparkdbg {VERSION}\n"));
}
