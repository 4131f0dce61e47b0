//! What is Flink's. All of it is pure.

pub mod main_class;
