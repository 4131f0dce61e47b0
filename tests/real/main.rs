//! sparkdbg against the real thing: real Sparks and Flinks from PyPI, real JVMs, and the JDK's own `jdb` as the
//! debugger. Each test starts a job that ends with a status of its own and holds a value that is random per run, so
//! that nothing but a debugger standing on the breakpoint can know it.
//!
//! The Sparks are fetched into `target/spark` once, Flinks into `target/flink`, YARN into `target/yarn`, a debugger for
//! Python into `target/debugpy`. Java 17 must
//! be there; other versions are run where the machine has them, and the output says so where it has not. The tests
//! look at processes and sockets through `/proc`.

#![cfg(target_os = "linux")]

#[path = "../support/distribution.rs"]
mod distribution;
#[path = "../support/flink.rs"]
mod flink_distribution;
#[path = "../support/jdb.rs"]
mod jdb;
#[path = "../support/job.rs"]
mod job;

mod apps;
mod cluster;
mod cluster_drivers;
mod debugpy;
mod doctor;
mod embedding;
mod executors;
mod export;
mod flink;
mod flink_scripts;
mod flink_yarn;
mod in_executors;
mod kubernetes;
mod lab;
mod numbers;
mod pauses;
mod process;
mod ps;
mod python;
mod servers;
mod session;
mod shells;
mod submit;
mod tasks;
mod workers;
mod yarn;
