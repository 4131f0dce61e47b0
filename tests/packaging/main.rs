//! What people install: the wheel, the crate and what a release is made of.

#[path = "../support/distribution.rs"]
mod distribution;

mod deb;
mod release;
mod wheel;

use std::io::Write as _;
use std::process::Command;

/// Says what this machine does not let a test try; past the test harness, which shows no output of a test that passes.
fn not_run(what: &str) {
    let _ = writeln!(std::io::stderr(), "NOT RUN: {what}");
}

/// What a command that succeeds prints.
fn output(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("cannot run `{command:?}`: {error}"));
    assert!(output.status.success(), "`{command:?}`: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}
