//! The links on `PATH`: what each leads to, and what is in their way.

use std::path::Path;

use super::chain::Chain;
use super::names;
use super::next::OnPath;
use crate::environment::{Process, flink_home, home};
use crate::tool::Tool;

/// The table, and what to say where it is empty.
pub fn list(exe: &Path, process: &Process) -> (String, String) {
    let mut rows = Vec::new();
    for name in names::all() {
        let on_path = OnPath::of(name, process.var("PATH"), exe);
        let Some(own) = on_path.own else { continue };
        let link = on_path.found[own].display().to_string();
        let leads_to = match on_path.next(exe, &on_path.found[own], &Chain::default()).next() {
            Some(real) => format!("{}{}", real.display(), version(name, real, process)),
            None => "nothing: no other is on PATH".to_owned(),
        };
        let in_front = on_path.found[..own].first();
        let hidden = in_front.map(|first| format!(" (hidden by {})", first.display())).unwrap_or_default();
        rows.push([name.to_owned(), format!("{link}{hidden}"), leads_to]);
    }
    if rows.is_empty() {
        return (String::new(), "sparkdbg: no shim is on PATH; sparkdbg shim install DIR makes them\n".to_owned());
    }
    rows.insert(0, ["NAME", "SHIM", "LEADS TO"].map(str::to_owned));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let (first, second) = (width(0), width(1));
    let line = |[name, link, real]: &[String; 3]| format!("{name:first$}  {link:second$}  {real}\n");
    (rows.iter().map(line).collect(), String::new())
}

fn version(name: &str, real: &Path, process: &Process) -> String {
    let (system, version) = match names::named(name) {
        Some((_, Tool::Flink(_))) => ("Flink", flink_home::version_behind(real)),
        _ => ("Spark", home::version_behind(real, process)),
    };
    version.map(|version| format!(" ({system} {version})")).unwrap_or_default()
}

/// What is to be done once the links are there.
pub fn next_step(dir: &Path, names: &[&str], exe: &Path, process: &Process) -> String {
    let export = format!("export PATH={}:\"$PATH\"", shell_words::quote(&dir.to_string_lossy()));
    let path = process.var("PATH");
    let is_on_path = path.is_some_and(|path| {
        std::env::split_paths(path).any(|entry| same_file::is_same_file(entry, dir).unwrap_or(false))
    });
    if !is_on_path {
        return format!("sparkdbg: the directory is not on PATH: {export}\n");
    }
    let in_front = names.iter().find_map(|name| {
        let on_path = OnPath::of(name, path, exe);
        on_path.found[..on_path.own?].first().cloned()
    });
    match in_front {
        Some(real) => format!("sparkdbg: `{}` stands before it on PATH: {export}\n", real.display()),
        None => {
            format!("sparkdbg: they debug where SPARKDBG_PROFILE names a profile: SPARKDBG_PROFILE=NAME {}\n", names[0])
        }
    }
}
