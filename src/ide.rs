//! `sparkdbg ide`: run configurations for exactly the places where JVMs are met.
//!
//! ```text
//!  options, profile ─► from_options ─┐
//!                                    ├─► Wanted ─► one file per IDE: pure, over what stands there ─► text
//!  discovery ────────► from_ps ──────┘                                                               │
//!                                                                    standard output, or project ◄───┘
//! ```

mod eclipse;
mod from_options;
mod from_ps;
mod intellij;
mod jdb;
mod name;
mod nvim_dap;
mod project;
mod vscode;
mod xml;

use std::path::Path;

use clap::ValueEnum;

use crate::cli::{Global, Ide, IdeName};
use crate::endpoint::Mode;
use crate::environment::Process;
use crate::error::Failure;
use crate::output::{print, tell};
use name::Name;
use project::Project;

/// Where a debugger and one JVM meet, by a name of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RunConfiguration {
    name: Name,
    mode: Mode,
    /// Whom the debugger dials, or where it listens; IPv6 without brackets.
    host: String,
    port: u16,
}

/// What the IDE shall offer.
struct Wanted {
    /// Never empty.
    configurations: Vec<RunConfiguration>,
    /// Whose classes are meant.
    module: Option<String>,
    /// Through Metals instead of the Java debugger.
    metals: bool,
}

impl Wanted {
    /// The name of what starts all of them, where there are several.
    fn compound(&self) -> Option<Name> {
        (self.configurations.len() > 1).then(Name::of_all)
    }
}

/// A file of the project.
struct File {
    /// Its path in the project.
    path: String,
    content: String,
}

/// What is to be made, and what the user should know of it.
struct Answer {
    configurations: Vec<RunConfiguration>,
    hints: Vec<String>,
}

/// Reads a file of the project; `None`: there is none.
type Existing<'a> = &'a dyn Fn(&str) -> Result<Option<String>, Failure>;

/// The command.
///
/// # Errors
/// Options that contradict each other, or that this IDE has no use for (exit 2); a profile, a server or a file of the
/// project that cannot be read (exit 125).
pub fn run(asked: &Ide, global: &Global) -> Result<(), Failure> {
    refuse_what_has_no_meaning(asked, global)?;
    let process = Process::current()?;
    let mut answer = match &asked.from_ps {
        Some(url) => from_ps::ask(asked, url.as_deref(), &process)?,
        None => from_options::read(asked, &crate::load_profiles(global, &process)?.profile)?,
    };
    let wanted = Wanted { configurations: answer.configurations, module: asked.module.clone(), metals: asked.metals };
    if asked.ide == IdeName::Jdb {
        hint(global, &answer.hints);
        return print(jdb::lines(&wanted).as_bytes());
    }
    let project = Project::in_directory(&process.cwd)?;
    let files = files(asked.ide, &wanted, &|path| project.read(path))?;
    if asked.write {
        let above = project.above(process.var("HOME").map(Path::new));
        answer.hints.extend(project.write(&files)?);
        answer.hints.extend(above);
        if asked.ide == IdeName::NvimDap {
            answer.hints.push(format!("`:luafile {}` loads it", nvim_dap::PATH));
        }
    }
    answer.hints.extend(caveat(asked.ide, &wanted));
    hint(global, &answer.hints);
    if asked.write { Ok(()) } else { print(shown(&files).as_bytes()) }
}

fn files(ide: IdeName, wanted: &Wanted, existing: Existing<'_>) -> Result<Vec<File>, Failure> {
    match ide {
        IdeName::IntelliJ => intellij::files(wanted, existing),
        IdeName::VsCode => vscode::file(wanted, existing).map(|file| vec![file]),
        IdeName::Eclipse => eclipse::files(wanted, existing),
        IdeName::NvimDap => nvim_dap::file(wanted, existing).map(|file| vec![file]),
        IdeName::Jdb => Ok(Vec::new()),
    }
}

/// One file as it is, so that it can be redirected; several with the headings of `head` and `tail`.
fn shown(files: &[File]) -> String {
    match files {
        [only] => only.content.clone(),
        files => {
            let parts: Vec<String> =
                files.iter().map(|file| format!("==> {} <==\n{}", file.path, file.content)).collect();
            parts.join("\n")
        }
    }
}

fn hint(global: &Global, hints: &[String]) {
    if !global.quiet {
        tell(&hints.iter().map(|hint| format!("sparkdbg: {hint}\n")).collect::<String>());
    }
}

fn refuse_what_has_no_meaning(asked: &Ide, global: &Global) -> Result<(), Failure> {
    let ide = word(asked.ide);
    if global.dry_run.is_some() {
        return Err(Failure::usage("`--dry-run` has no meaning with `ide`, which starts nothing")
            .help("without `--write` it prints what it would write"));
    }
    if asked.ide == IdeName::Jdb {
        if asked.write {
            return Err(Failure::usage("`--write` has no meaning with `jdb`, which reads no file")
                .help("without it the line to type is printed"));
        }
        if asked.module.is_some() {
            return Err(Failure::usage("`--module` has no meaning with `jdb`, which knows no projects")
                .help("jdb finds sources by its own `-sourcepath`"));
        }
    }
    if asked.metals && !matches!(asked.ide, IdeName::VsCode | IdeName::NvimDap) {
        return Err(Failure::usage(format!("`--metals` has no meaning with `{ide}`"))
            .help("Metals debugs in vscode and nvim-dap"));
    }
    match &asked.module {
        None if asked.metals => {
            return Err(Failure::usage("`--metals` needs the build target in which Metals looks for classes")
                .help("add --module TARGET; the doctor of Metals names the targets"));
        }
        Some(module) if module.is_empty() || module.chars().any(char::is_control) => {
            return Err(Failure::usage(format!("`--module {}` names no module", module.escape_debug()))
                .help("write the name as the IDE shows it"));
        }
        _ => {}
    }
    if asked.timeout.is_some() && asked.from_ps.is_none() {
        return Err(Failure::usage("`--timeout` has no meaning without `--from-ps`: nobody is asked")
            .help("leave it out, or add --from-ps[=URL]"));
    }
    if asked.from_ps.is_some() && global.profile.is_some() {
        return Err(Failure::usage("`--profile` has no meaning with `--from-ps`, which asks where the JVMs listen")
            .help("leave one of them out"));
    }
    Ok(())
}

/// The word for it on the command line.
fn word(ide: IdeName) -> String {
    ide.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// Whether it can wait for a JVM that dials out. The Java debuggers of VS Code and Neovim are one, and only attach;
/// so does Metals.
fn can_listen(ide: IdeName) -> bool {
    matches!(ide, IdeName::IntelliJ | IdeName::Eclipse | IdeName::Jdb)
}

/// Whether it listens on every address, whatever host it is told: Eclipse's connector takes none, and IntelliJ gives
/// that of Java 13 and later `*`, so that JVMs elsewhere can come.
fn listens_everywhere(ide: IdeName) -> bool {
    matches!(ide, IdeName::IntelliJ | IdeName::Eclipse)
}

fn caveat(ide: IdeName, wanted: &Wanted) -> Option<String> {
    let listening = wanted.configurations.iter().find(|one| one.mode == Mode::Listen);
    let listening = listening.filter(|_| listens_everywhere(ide))?;
    Some(format!("{} listens on every address of this machine, not on {} alone", title(ide), listening.host))
}

/// As its makers write it.
fn title(ide: IdeName) -> &'static str {
    match ide {
        IdeName::IntelliJ => "IntelliJ",
        IdeName::VsCode => "VS Code",
        IdeName::Eclipse => "Eclipse",
        IdeName::NvimDap => "nvim-dap",
        IdeName::Jdb => "jdb",
    }
}
