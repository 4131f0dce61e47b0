//! What is Spark's: the grammar of its command line, its configuration files and the
//! places from which it takes the driver's JVM options. All of it is pure.

pub mod conf;
pub mod deployment;
pub mod jvm_variables;
pub mod main_class;
pub mod pause;
pub mod properties;
pub mod python_words;
pub mod spark_class;
pub mod submit;
