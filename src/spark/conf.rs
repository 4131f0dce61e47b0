//! The effective value of a configuration key, found as Spark's launcher finds it: the last one on
//! the command line, else the files in their order; per key, never joined.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

use super::properties::Entry;
use super::submit::{CommandLine, Setting};

/// The driver's own options: what users set.
pub const DRIVER_EXTRA: &str = "spark.driver.extraJavaOptions";
/// What Spark ≥ 3.0 puts in front of [`DRIVER_EXTRA`]: what administrators set.
pub const DRIVER_DEFAULT: &str = "spark.driver.defaultJavaOptions";
/// The executors' own options: what users and application code set.
pub const EXECUTOR_EXTRA: &str = "spark.executor.extraJavaOptions";
/// What Spark ≥ 3.0 puts in front of [`EXECUTOR_EXTRA`].
pub const EXECUTOR_DEFAULT: &str = "spark.executor.defaultJavaOptions";

/// One properties file that counts, with its entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    /// The file.
    pub file: PathBuf,
    /// Its entries in their order; of duplicates the last counts.
    pub entries: Vec<Entry>,
}

/// Where a value stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// In a word of the command line.
    Argument {
        /// Index of the word.
        at: usize,
        /// The word's number as the user counts, from 1: words of the script itself do not count.
        number: usize,
        /// The value's bytes in that word.
        range: Range<usize>,
        /// The option that holds it, canonical name.
        option: &'static str,
        /// Whether the words are those of `PYSPARK_SUBMIT_ARGS`.
        in_variable: bool,
    },
    /// In a properties file.
    File {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// In an environment variable.
    Variable(&'static str),
    /// In a variable that this `spark-env.sh` sets.
    SparkEnv(PathBuf),
}

impl Origin {
    /// Whether the command line alone decided it.
    pub fn is_argument(&self) -> bool {
        matches!(self, Origin::Argument { in_variable: false, .. })
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Argument { number, option, in_variable: false, .. } => write!(f, "{option}, argument {number}"),
            Origin::Argument { number, option, .. } => write!(f, "PYSPARK_SUBMIT_ARGS, {option}, word {number}"),
            Origin::File { file, line } => write!(f, "{} line {line}", file.display()),
            Origin::Variable(name) => write!(f, "{name} in the environment"),
            Origin::SparkEnv(file) => f.write_str(&file.display().to_string()),
        }
    }
}

impl Value {
    /// The value's name with its place, for messages.
    pub fn place(&self, name: &str) -> String {
        match &self.origin {
            Origin::Variable(_) => self.origin.to_string(),
            origin => format!("{name} ({origin})"),
        }
    }
}

/// A value with its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// The text.
    pub text: String,
    /// Where it stands.
    pub origin: Origin,
}

/// The command line over the files, the first layer winning over the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conf<'a> {
    /// The scanned words.
    pub line: &'a CommandLine,
    /// How many of the words are the script's own and not the user's.
    pub hidden: usize,
    /// Whether the words are those of `PYSPARK_SUBMIT_ARGS`.
    pub in_variable: bool,
    /// The files, strongest first.
    pub layers: &'a [Layer],
}

impl Conf<'_> {
    /// The value of an option, with its place.
    pub fn option(&self, option: &str) -> Option<Value> {
        let setting = self.line.last(option)?;
        let range = setting.offset..setting.offset + setting.value.len();
        Some(Value { text: setting.value.clone(), origin: self.argument(setting, range) })
    }

    /// The value of a key that also has an option of spark-submit, which wins wherever it stands.
    pub fn option_or_key(&self, option: &str, key: &str) -> Option<Value> {
        self.option(option).or_else(|| self.get(key))
    }

    /// The place of a setting.
    pub fn argument(&self, setting: &Setting, range: Range<usize>) -> Origin {
        let number = (setting.at + 1).saturating_sub(self.hidden);
        Origin::Argument { at: setting.at, number, range, option: setting.option, in_variable: self.in_variable }
    }

    /// The value in effect, or `None` where nobody sets it.
    pub fn get(&self, key: &str) -> Option<Value> {
        if let Some((setting, range)) = self.line.conf(key) {
            let text = setting.value[range.start - setting.offset..range.end - setting.offset].to_owned();
            return Some(Value { text, origin: self.argument(setting, range) });
        }
        self.layers.iter().find_map(|layer| {
            let entry = layer.entries.iter().rev().find(|entry| entry.key == key)?;
            let origin = Origin::File { file: layer.file.clone(), line: entry.line };
            Some(Value { text: entry.value.clone(), origin })
        })
    }
}
