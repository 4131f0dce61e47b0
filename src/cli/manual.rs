//! What `completions` and `man` take.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

/// What `completions` takes.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
                        eval \"$(sparkdbg completions bash)\"\n  \
                        sparkdbg completions zsh > ~/.zfunc/_sparkdbg\n  \
                        sparkdbg completions fish > ~/.config/fish/completions/sparkdbg.fish")]
pub struct Completions {
    /// For which
    #[arg(value_name = "SHELL", hide_possible_values = true, help = "bash, zsh or fish")]
    pub shell: ShellName,
    /// What the script asks: the words of a line up to the cursor, of which the last is completed
    #[arg(last = true, hide = true)]
    pub words: Vec<OsString>,
}

/// The shells that are completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ShellName {
    /// GNU bash.
    Bash,
    /// The Z shell.
    Zsh,
    /// fish.
    Fish,
}

/// What `man` takes.
#[derive(Debug, Clone, Default, Args)]
#[command(after_help = "Examples:\n  \
                        sparkdbg man | man -l -\n  \
                        sparkdbg man submit | man -l -\n  \
                        sparkdbg man --out /usr/local/share/man/man1")]
pub struct Man {
    /// The page of a command (default: sparkdbg's own)
    #[arg(value_name = "COMMAND", conflicts_with = "out")]
    pub command: Option<String>,
    /// Write every page into this directory
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
}
