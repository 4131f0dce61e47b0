//! What `init` and `profiles` take.

use clap::Args;

use super::DebugOptions;

/// What `init` takes; `--profile` names the profile that is written.
#[derive(Debug, Clone, Default, Args)]
#[command(
    after_help = "What the flags say is set, every other key is there as a comment. The file is ./sparkdbg.toml, or with --user \
                        the user's own, or that of --config. --profile names the profile (default: SPARKDBG_PROFILE, then local).\n\n\
                        Examples:\n  \
                        sparkdbg init\n  \
                        sparkdbg init --driver=attach:5010,nosuspend\n  \
                        sparkdbg -p cluster init --executor=listen:10.0.0.171:5005 --one-executor\n  \
                        sparkdbg init --user --dry-run --taskmanager --flink-home /opt/flink"
)]
pub struct Init {
    /// Write the user's configuration instead of the project's
    #[arg(long)]
    pub user: bool,
    /// Replace a file that is there
    #[arg(long)]
    pub force: bool,
    /// Which JVMs, and where.
    #[command(flatten)]
    pub debug: DebugOptions,
}

/// What `profiles` takes.
#[derive(Debug, Clone, Default, Args)]
#[command(after_help = "Examples:\n  \
                        sparkdbg profiles\n  \
                        sparkdbg profiles --json\n  \
                        sparkdbg --config team.toml profiles")]
pub struct Profiles {
    /// A JSON array instead of text
    #[arg(long)]
    pub json: bool,
}
