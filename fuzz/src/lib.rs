//! Fuzzing targets for everything in sparkdbg that reads what a user wrote: each states what has to
//! hold for any input, not only that nothing panics.
//!
//! On stable Rust every target is a test that draws inputs for a second; coverage-guided and for
//! hours, they run under libFuzzer. CONTRIBUTING.md says how.

#![cfg(test)]

mod agent;
mod argv;
mod options;
mod profile;
mod properties;
mod submit;
mod words;
