//! What `shim` takes.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

/// What `shim` takes.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "A link stands for `sparkdbg -p $SPARKDBG_PROFILE COMMAND -- …` where SPARKDBG_PROFILE names a profile. \
                  Without it, and with SPARKDBG=off, the script of that name further down PATH runs untouched.\n\n\
                  Examples:\n  \
                  sparkdbg shim install ~/shims && export PATH=~/shims:\"$PATH\"\n  \
                  sparkdbg shim install ~/shims spark-submit flink\n  \
                  sparkdbg shim install ~/shims spark3-submit\n  \
                  SPARKDBG_PROFILE=laptop ./nightly.sh\n  \
                  sparkdbg shim list\n  \
                  sparkdbg shim remove ~/shims"
)]
pub struct Shim {
    /// install: make the links in DIR; remove: take them away; list: those on PATH, and what each leads to
    #[arg(value_name = "ACTION", hide_possible_values = true)]
    pub action: ShimAction,
    /// Where the links stand
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: Option<PathBuf>,
    /// Only the links of these names, also spark2-submit and spark3-submit (default: of every script of Spark's and Flink's
    /// that sparkdbg starts)
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
}

/// What becomes of the links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ShimAction {
    /// Made.
    Install,
    /// Taken away.
    Remove,
    /// Shown.
    List,
}
