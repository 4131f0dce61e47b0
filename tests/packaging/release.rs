//! What a release is made of: the crate's files, and targets that are named in more than one place.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

const MANIFEST: &str = include_str!("../../Cargo.toml");
const DENY: &str = include_str!("../../deny.toml");
const WORKFLOW: &str = include_str!("../../.github/workflows/release.yml");
const CHANGELOG: &str = include_str!("../../CHANGELOG.md");

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_crate_holds_the_source_and_its_papers() {
    let mut list = Command::new(env!("CARGO"));
    let output = list.args(["package", "--list", "--allow-dirty"]).current_dir(root()).output().expect("cargo");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let (source, papers): (BTreeSet<&str>, BTreeSet<&str>) = text.lines().partition(|file| file.starts_with("src/"));
    // The files that cargo adds, but for the one that only a checkout has.
    let of_cargo = ["Cargo.lock", "Cargo.toml", "Cargo.toml.orig"];
    let ours = ["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md", "pyproject.toml"];
    let expected: BTreeSet<&str> = of_cargo.into_iter().chain(ours).collect();
    assert_eq!(papers.into_iter().filter(|file| *file != ".cargo_vcs_info.json").collect::<BTreeSet<_>>(), expected);
    // Files that are no Rust are compiled in.
    for file in ["src/main.rs", "src/lib.rs", "src/plan/java_home/java.sh", "src/completions/sparkdbg.bash"] {
        assert!(source.contains(file), "{file} is missing");
    }
}

#[test]
fn what_a_package_takes_along_is_there() {
    let manifest: toml::Table = MANIFEST.parse().expect("TOML");
    let assets = manifest["package"]["metadata"]["deb"]["assets"].as_array().expect("a list");
    let sources = assets.iter().map(|asset| asset[0].as_str().expect("a path"));
    let missing: Vec<&str> =
        sources.filter(|path| !path.starts_with("target/release/") && !root().join(path).is_file()).collect();
    assert_eq!(missing, [""; 0]);
    assert!(
        CHANGELOG.contains("\n## Unreleased\n") || CHANGELOG.contains(&format!("\n## {} ", env!("CARGO_PKG_VERSION")))
    );
}

/// A target without a check of its licences would be released unseen.
#[test]
fn every_target_of_a_release_is_one_that_licences_are_checked_for() {
    let deny: toml::Table = DENY.parse().expect("TOML");
    let checked =
        deny["graph"]["targets"].as_array().expect("a list").iter().map(|target| target.as_str().expect("text"));
    let released = WORKFLOW.lines().filter_map(|line| line.split("target: ").nth(1)?.split([',', ' ', '}']).next());
    let released: BTreeSet<&str> = released.collect();
    // The one that a release has no file for: people build it.
    assert_eq!(released, checked.filter(|target| *target != "x86_64-unknown-linux-gnu").collect());
}
