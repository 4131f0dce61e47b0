//! The configuration of Flink: `config.yaml`, and the `flink-conf.yaml` before it.

mod flat;
mod yaml;

use std::path::PathBuf;

/// A key with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The whole key, with dots.
    pub key: String,
    /// The value, without the quotes of YAML.
    pub value: String,
    /// The line of the key, from 1.
    pub line: usize,
}

/// Why Flink takes nothing from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// The line, from 1.
    pub line: usize,
    /// The cause.
    pub cause: String,
}

/// Who reads the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// `flink-conf.yaml`: a `key: value` on each line.
    Flat,
    /// `config.yaml`: YAML, nested or with dots in the keys.
    Yaml,
}

/// The entries of a file, in their order.
///
/// # Errors
/// YAML that Flink cannot read: its scripts then go on without a single value of the file.
pub fn parse(text: &str, syntax: Syntax) -> Result<Vec<Entry>, Malformed> {
    match syntax {
        Syntax::Flat => Ok(flat::parse(text)),
        Syntax::Yaml => yaml::parse(text),
    }
}

/// What is configured.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FlinkConf {
    /// The file, if there is one.
    pub file: Option<PathBuf>,
    /// Its entries, in their order; the last one of a key counts.
    pub entries: Vec<Entry>,
    /// `env.java.home` as the scripts read it, which look for it before there is a Java that knows YAML: a line with
    /// the whole key, whose quotes stay.
    pub java_home: Option<Entry>,
}

/// The key that names the Java of the scripts.
pub const JAVA_HOME: &str = "env.java.home";

impl FlinkConf {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// Like [`parse`].
    pub fn read(file: PathBuf, text: &str, syntax: Syntax) -> Result<FlinkConf, Malformed> {
        let java_home = flat::parse(text).into_iter().rfind(|entry| entry.key == JAVA_HOME);
        Ok(FlinkConf { file: Some(file), entries: parse(text, syntax)?, java_home })
    }

    /// The entry that counts for a key.
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().rev().find(|entry| entry.key == key)
    }

    /// Where an entry stands, for messages.
    pub fn place(&self, entry: &Entry) -> String {
        match &self.file {
            Some(file) => format!("{} line {}", file.display(), entry.line),
            None => format!("line {}", entry.line),
        }
    }
}
