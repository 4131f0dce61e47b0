//! What is Flink's: its scripts, the grammar of their command lines, its configuration and what it knows
//! of time. All of it is pure.

pub mod command_line;
pub mod conf;
pub mod deployment;
pub mod java_opts;
pub mod main_class;
pub mod pause;
pub mod script;
