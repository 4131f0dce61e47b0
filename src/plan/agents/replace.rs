//! Agents of the user's that give way to ours.

use super::{Found, Place};
use crate::endpoint::Role;
use crate::environment::Environment;
use crate::error::Failure;
use crate::jvm::options as jvm_options;
use crate::options::Options;
use crate::plan::edit::Edits;
use crate::plan::{Note, sources};
use crate::text;

/// Takes them out, and says what is lost with each.
///
/// # Errors
/// One in a file, which is not ours to edit.
pub fn take_out(
    role: Role,
    found: &[Found],
    options: &Options,
    environment: &Environment,
    edits: &mut Edits,
    notes: &mut Vec<Note>,
) -> Result<(), Failure> {
    let sources = sources::of(role, options, environment);
    for existing in found {
        let mut message = format!("replaced: `{}` in {}", existing.text, existing.place);
        let mut lost = existing.agent.extras();
        let why = "a JVM loads one debug agent only".to_owned();
        match &existing.place {
            Place::Conf { key, .. } => {
                let splitter = sources.splitter(key);
                let current = edits.current(environment, key);
                lost.extend(jvm_options::legacy_companions(&current, splitter));
                edits.set_conf(environment, key, jvm_options::remove_agents(&current, splitter), why);
            }
            Place::Variable { name, .. } => {
                let splitter = sources.splitter(name);
                let current = edits.current_variable(environment, name);
                lost.extend(jvm_options::legacy_companions(&current, splitter));
                edits.set_variable(environment, name, jvm_options::remove_agents(&current, splitter), why);
            }
            Place::File { java_opts, .. } => {
                let reach = match java_opts {
                    true => {
                        "; it applies to the driver and to every other JVM of this Spark, and sparkdbg edits no distribution"
                    }
                    false => "; sparkdbg edits no file of yours",
                };
                return Err(Failure::world(format!(
                    "{} configures a debug agent already, `{}`{reach}",
                    existing.place, existing.text
                ))
                .help("take it out of the file, or debug with it: --existing=keep"));
            }
            Place::BeforeClass => {
                let words = options.before_class.iter().map(|word| text::decode(word));
                // Where they would stay in front, the class would get none of its variables.
                lost.extend(
                    words.filter(|word| jvm_options::is_agent_or_companion(word) && !jvm_options::is_agent(word)),
                );
                edits.drop_agents_before_class();
            }
        }
        lost.dedup();
        if !lost.is_empty() {
            message.push_str(&format!("; lost with it: {}", lost.join(" ")));
        }
        let note = Note::info("replaced-agent", message);
        // The driver and its executors may have it from one place.
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    Ok(())
}
