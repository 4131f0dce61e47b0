//! What people install: the wheel, the crate and what a release is made of.

#[path = "../support/distribution.rs"]
mod distribution;

mod release;
mod wheel;
