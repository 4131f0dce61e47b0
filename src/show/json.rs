//! The plan as one JSON object.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::shell;
use crate::plan::{LaunchPlan, Level};
use crate::secrets::{PLACEHOLDER, secrets_hidden};

/// A word: a string, or its bytes where it is no UTF-8.
pub fn as_json(word: &OsStr) -> Value {
    match word.to_str() {
        Some(text) => Value::from(text),
        None => json!({ "bytes": STANDARD.encode(word.as_bytes()) }),
    }
}

/// The object, pretty-printed, with a newline.
pub fn json(plan: &LaunchPlan, show_secrets: bool) -> String {
    let mut redacted = false;
    let mut shown = |word: &OsStr, secret: bool| {
        if secret && !show_secrets {
            redacted = true;
            return Value::from(PLACEHOLDER);
        }
        as_json(word)
    };
    let program = shown(plan.program.as_os_str(), false);
    let args: Vec<Value> =
        (0..plan.args.len()).map(|at| shown(&plan.args[at], shell::is_secret(&plan.args, at))).collect();
    let env: Map<String, Value> = plan
        .env
        .iter()
        .map(|(name, value)| {
            let value =
                value.as_ref().map_or(Value::Null, |value| shown(value, shell::variable_holds_secret(name, value)));
            (name.clone(), value)
        })
        .collect();
    let endpoints: Vec<Value> = plan
        .endpoints
        .iter()
        .map(|debug| {
            json!({
                "role": debug.role.name(),
                "mode": debug.endpoint.mode.name(),
                "host": debug.endpoint.host.as_str(),
                "port": debug.endpoint.port,
                "suspend": debug.endpoint.suspend,
            })
        })
        .collect();
    let notes: Vec<Value> = plan
        .notes
        .iter()
        .map(|note| {
            let level = match note.level {
                Level::Hint => "hint",
                Level::Note => "note",
                Level::Warning => "warning",
            };
            json!({ "level": level, "code": note.code, "message": secrets_hidden(&note.message) })
        })
        .collect();
    let files: Vec<String> = plan.written_files().map(|file| file.display().to_string()).collect();
    let mut object = json!({
        "program": program,
        "args": args,
        "env": env,
        "files": files,
        "endpoints": endpoints,
        "notes": notes,
    });
    if redacted {
        object["redacted"] = Value::Bool(true);
    }
    let mut text = serde_json::to_string_pretty(&object).expect("strings and numbers only");
    text.push('\n');
    text
}
