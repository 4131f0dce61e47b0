//! Versions of Spark and Flink, as far as they decide anything.

use std::fmt;

/// A version with the text it was read from (`3.5.1-amzn-0`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// First number.
    pub major: u32,
    /// Second number.
    pub minor: u32,
    /// As it was found.
    pub text: String,
}

impl Version {
    /// Reads `MAJOR.MINOR…`; anything else is `None`.
    pub fn parse(text: &str) -> Option<Version> {
        let mut numbers = text.trim().split(['.', '-']);
        let major = numbers.next()?.parse().ok()?;
        let minor = numbers.next()?.parse().ok()?;
        Some(Version { major, minor, text: text.trim().to_owned() })
    }

    /// Whether this is `major.minor` or newer.
    pub fn at_least(&self, major: u32, minor: u32) -> bool {
        (self.major, self.minor) >= (major, minor)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
