//! The names of run configurations, by which ours are known again.

/// A name of ours, in the forms that IDEs and file systems take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name(String);

impl Name {
    /// How they begin where IDEs show them, and by what they are known again.
    pub const START: &str = "sparkdbg: ";

    /// The same where the name is that of the file.
    pub const START_OF_FILE: &str = "sparkdbg ";

    /// What stands after the start. Servers may have chosen it: what could mean something to a shell, a file system
    /// or XML becomes `_`.
    pub fn new(what: &str) -> Name {
        let harmless = |c: char| if c.is_ascii_alphanumeric() || " .-".contains(c) { c } else { '_' };
        Name(what.chars().map(harmless).collect())
    }

    /// That of what starts all the others.
    pub fn of_all() -> Name {
        Name("all".to_owned())
    }

    /// As IDEs show it.
    pub fn shown(&self) -> String {
        format!("{}{}", Name::START, self.0)
    }

    /// Without the colon, which Eclipse does not take in a name: there the file has it.
    pub fn of_file(&self) -> String {
        format!("{}{}", Name::START_OF_FILE, self.0)
    }

    /// For a file whose name the IDE does not show.
    pub fn slug(&self) -> String {
        format!("sparkdbg-{}", self.0.replace(' ', "-"))
    }
}
