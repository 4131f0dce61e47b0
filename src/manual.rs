//! `sparkdbg man`: made from the definition of the command line, so that no page can say what the program does not take.

mod page;

use std::fs;
use std::path::Path;

use crate::argv::refuse_unbuilt;
use crate::cli;
use crate::error::{self, Failure, nearest};
use crate::output::print;

const NAME: &str = "sparkdbg";

/// `man`.
///
/// # Errors
/// An unknown command (exit 2); a directory that cannot be written (exit 125).
pub fn man(asked: &cli::Man) -> Result<(), Failure> {
    let pages = pages();
    if let Some(dir) = &asked.out {
        return pages.iter().try_for_each(|(name, text)| write(dir, name, text));
    }
    let wanted = match &asked.command {
        Some(command) => {
            refuse_unbuilt(command)?;
            format!("{NAME}-{command}")
        }
        None => NAME.to_owned(),
    };
    match pages.iter().find(|(name, _)| *name == wanted) {
        Some((_, text)) => print(text),
        None => {
            let command = asked.command.as_deref().unwrap_or_default();
            let known = pages.iter().filter_map(|(name, _)| name.strip_prefix("sparkdbg-"));
            let failure = Failure::usage(format!("`{command}` is not a command of sparkdbg"));
            Err(match nearest(command, known.clone()) {
                Some(near) => failure.help(format!("did you mean `{near}`?")),
                None => failure.help(format!("the commands are {}", known.collect::<Vec<_>>().join(", "))),
            })
        }
    }
}

/// Every page by its name.
fn pages() -> Vec<(String, Vec<u8>)> {
    let mut root = cli::definition().disable_help_subcommand(true);
    root.build();
    let of_commands = root.get_subcommands().map(|command| {
        let name = format!("{NAME}-{}", command.get_name());
        let text = page::of(command, &name);
        (name, text)
    });
    let own = (NAME.to_owned(), page::of(&root, NAME));
    std::iter::once(own).chain(of_commands).collect()
}

fn write(dir: &Path, name: &str, text: &[u8]) -> Result<(), Failure> {
    let file = dir.join(format!("{name}.1"));
    let failure = |error: std::io::Error| {
        Failure::world(format!("`{}` cannot be written: {}", file.display(), error::cause(&error)))
    };
    if dir.exists() && !dir.is_dir() {
        return Err(Failure::world(format!("`{}` is not a directory", dir.display())));
    }
    fs::create_dir_all(dir).and_then(|()| fs::write(&file, text)).map_err(failure)
}
