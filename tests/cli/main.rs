//! The command line from outside: files, environment and arguments in; standard output, standard error and exit status
//! out, exactly as `design/cli.md` promises them to users.
//!
//! Stand-in scripts take the place of Spark's: they tell with which words and variables they were started. What real
//! Sparks and real JVMs make of that is for the `differential` and `real` tests.

mod agents;
mod ci_page;
mod colour;
mod completions;
mod daemons;
mod demo;
mod deployment;
mod doctor;
mod dry_run;
mod endpoints;
mod env;
mod env_shells;
mod exec;
mod executor_agents;
mod executor_options;
mod executors;
mod export;
mod flink;
mod grammar;
mod help_examples;
mod homes;
mod ide;
mod ide_files;
mod ide_jdb;
mod ide_ps;
mod ide_refused;
mod init;
mod java_home;
#[path = "../support/jdb.rs"]
mod jdb;
mod manual;
mod merge;
mod mistakes;
mod one_executor;
mod preflight;
mod profiles;
mod profiles_listed;
mod promise;
mod properties;
mod ps;
mod ps_flink;
mod ps_sources;
mod ps_web;
mod python;
mod readme;
mod scene;
mod secrets;
mod shim;
mod shim_links;
mod spark_class;
mod spark_env;
mod switches;
mod web;
mod worker;
