//! What every JVM shares, whoever starts it: the debug agent's option and strings of JVM options.
//! Nothing here knows Spark or Flink beyond the names of their splitters.

pub mod jdwp;
pub mod options;
