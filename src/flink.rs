//! What is Flink's: its scripts, the grammar of their command lines, its configuration and what it knows
//! of time. All of it is pure.

pub mod script;
