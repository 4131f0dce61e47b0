//! What a pause limit asks for, whichever system runs the JVMs that are paused.

/// What to set and what to say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pause {
    /// Keys that the user left alone.
    pub settings: Vec<Setting>,
    /// The user's values that end a pause before its limit; they are kept.
    pub defeated: Vec<String>,
    /// What no setting of this launch reaches.
    pub cluster_side: Vec<String>,
}

/// A setting that is needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The key.
    pub key: &'static str,
    /// Its value.
    pub value: String,
    /// What would happen without it.
    pub why: String,
}

impl Setting {
    /// As a system property, which is how a daemon of Spark's takes it.
    pub fn property(&self) -> String {
        format!("-D{}={}", self.key, self.value)
    }
}
