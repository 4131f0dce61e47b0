//! What `ide` takes.

use clap::{Args, ValueEnum};

use super::Endpoints;

/// What `ide` takes.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Files are those of the project in the working directory: .run/*.run.xml (intellij), .vscode/launch.json \
                  (vscode), .eclipse/*.launch (eclipse), .nvim/sparkdbg.lua (nvim-dap). Several JVMs also get one entry \
                  that starts all. What you changed in them stays; the entries are known by their names, `sparkdbg: …`.\n\n\
                  Examples:\n  \
                  sparkdbg ide intellij --write\n  \
                  sparkdbg ide intellij --executor --listen 10.0.0.171:5005 --module app --write\n  \
                  sparkdbg ide vscode --driver=attach:5005 --executor=attach:5006\n  \
                  sparkdbg ide vscode --metals --module root\n  \
                  sparkdbg -p cluster ide eclipse --write\n  \
                  sparkdbg ide intellij --from-ps=http://edge1:4040 --write\n  \
                  sparkdbg ide jdb --from-ps --executor"
)]
pub struct Ide {
    /// For which
    #[arg(value_name = "IDE", hide_possible_values = true, help = "intellij, vscode, eclipse, nvim-dap or jdb")]
    pub ide: IdeName,
    /// Write the files, instead of printing them
    #[arg(long)]
    pub write: bool,
    /// Whose classes are meant: IntelliJ's module, Eclipse's or VS Code's project, the build target of Metals
    #[arg(long, value_name = "NAME")]
    pub module: Option<String>,
    /// vscode, nvim-dap: debug through Metals, not through the Java debugger; needs --module
    #[arg(long)]
    pub metals: bool,
    /// Ask what `sparkdbg ps` asks, and attach to each JVM that listens now; a role alone narrows it
    #[arg(long, value_name = "URL", num_args = 0..=1, require_equals = true)]
    pub from_ps: Option<Option<String>>,
    /// The time limit for every request of --from-ps [default: 5s]
    #[arg(long, value_name = "DURATION")]
    pub timeout: Option<String>,
    /// Where debuggers and JVMs meet.
    #[command(flatten)]
    pub endpoints: Endpoints,
}

/// The IDEs, and jdb.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum IdeName {
    /// IntelliJ IDEA.
    #[value(name = "intellij")]
    IntelliJ,
    /// Visual Studio Code.
    #[value(name = "vscode")]
    VsCode,
    /// Eclipse.
    Eclipse,
    /// Neovim.
    NvimDap,
    /// The JDK's own debugger.
    Jdb,
}
