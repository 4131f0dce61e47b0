//! The comparison has to be able to fail: a merge with a known fault must turn it red.
//!
//! The feature `seeded-faults` compiles the faults into the binary; `SPARKDBG_SEEDED_FAULT` picks one.

use crate::check::Checker;
use crate::generate;

/// How many cases a fault may survive.
const CASES: u64 = 400;

/// Fixed, so that a fault that is found today is found tomorrow.
const SEED: u64 = 1;

/// How many cases have to find it: one alone could be luck.
const AT_LEAST: usize = 3;

#[test]
fn the_agent_behind_the_users_options_is_found() {
    turns_red("append");
}

#[test]
fn the_first_value_instead_of_the_last_is_found() {
    turns_red("first");
}

#[test]
fn a_forgotten_properties_file_is_found() {
    turns_red("no-properties-file");
}

#[test]
fn a_forgotten_default_key_is_found() {
    turns_red("no-default-key");
}

fn turns_red(fault: &'static str) {
    let checker = Checker::new();
    let found = (0..CASES).filter(|number| checker.is_turned_red(&generate::case(SEED, *number), fault));
    let found = found.take(AT_LEAST).count();
    checker.clean_up();
    assert_eq!(found, AT_LEAST, "the fault `{fault}` is found by {found} of {CASES} cases only");
}
