//! Visual Studio Code: entries of `.vscode/launch.json`, put among those that are there. Everything else in that file
//! stays byte for byte, comments too.

use std::collections::BTreeSet;

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstObject, CstObjectProp, CstRootNode};
use serde_json::{Value, json};

use super::{Existing, File, Name, RunConfiguration, Wanted};
use crate::error::Failure;

const PATH: &str = ".vscode/launch.json";

/// The Java debugger, and Metals.
const KINDS: [&str; 2] = ["java", "scala"];
const REQUEST: &str = "attach";

/// What VS Code makes of a project without one.
const NEW: &str = "{\n    \"version\": \"0.2.0\",\n    \"configurations\": []\n}\n";

/// JSON with comments and trailing commas, which is what VS Code reads.
const JSONC: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// The file with an entry for each configuration, and a compound for all.
///
/// # Errors
/// The file that is there is not what VS Code reads.
pub fn file(wanted: &Wanted, existing: Existing<'_>) -> Result<File, Failure> {
    let there = existing(PATH)?.unwrap_or_default();
    Ok(File { path: PATH.to_owned(), content: merged(&there, wanted)? })
}

fn merged(there: &str, wanted: &Wanted) -> Result<String, Failure> {
    let (mark, text) = match there.strip_prefix('\u{feff}') {
        Some(text) => ("\u{feff}", text),
        None => ("", there),
    };
    let text = if text.trim().is_empty() { NEW } else { text };
    let root = CstRootNode::parse(text, &JSONC).map_err(|error| {
        Failure::world(format!(
            "`{PATH}` cannot be read: line {}, column {}: {}",
            error.line_display(),
            error.column_display(),
            lower_first(&error.kind().to_string())
        ))
        .help("mend it; VS Code underlines the place")
    })?;
    let object = root.object_value_or_create().ok_or_else(|| {
        Failure::world(format!("`{PATH}` holds no object")).help("VS Code reads `{ … }` there: mend it, or remove it")
    })?;
    refuse_twice(&object, "")?;
    if object.properties().is_empty() {
        object.append("version", CstInputValue::from("0.2.0"));
    }
    let configurations = list(&object, "configurations")?;
    for one in &wanted.configurations {
        let name = one.name.shown();
        match ours(&configurations, &name)? {
            Some(there) => {
                refuse_another(&there, &name)?;
                set(&there, entry(one, wanted));
            }
            None => append(&configurations, &name, entry(one, wanted)),
        }
    }
    if let Some(name) = wanted.compound() {
        let name = name.shown();
        let compounds = list(&object, "compounds")?;
        let members: Vec<String> = wanted.configurations.iter().map(|one| one.name.shown()).collect();
        match ours(&compounds, &name)? {
            Some(there) => set_members(&list(&there, "configurations")?, members),
            None => append(&compounds, &name, vec![("configurations", Some(json!(members)))]),
        }
    }
    Ok(format!("{mark}{root}"))
}

/// The fields; `None`: what only the other debugger has.
fn entry(one: &RunConfiguration, wanted: &Wanted) -> Vec<(&'static str, Option<Value>)> {
    let [java, metals] = KINDS;
    let (kind, module, other_module) =
        if wanted.metals { (metals, "buildTarget", "projectName") } else { (java, "projectName", "buildTarget") };
    let mut entry = vec![
        ("type", Some(json!(kind))),
        ("request", Some(json!(REQUEST))),
        ("hostName", Some(json!(one.host))),
        ("port", Some(json!(one.port))),
        (other_module, None),
    ];
    entry.extend(wanted.module.as_ref().map(|name| (module, Some(json!(name)))));
    entry
}

fn list(object: &CstObject, name: &str) -> Result<CstArray, Failure> {
    object.array_value_or_create(name).ok_or_else(|| {
        Failure::world(format!("`{PATH}` holds no list `{name}`"))
            .help(format!("VS Code reads `\"{name}\": [ … ]` there: mend it, or remove it"))
    })
}

fn is_named(object: &CstObject, name: &str) -> bool {
    let is_name = |field: &CstObjectProp| field.decoded_name().as_deref() == Some("name");
    object.properties().iter().any(|field| is_name(field) && field.to_serde_value() == Some(json!(name)))
}

/// The object of that name.
fn ours(list: &CstArray, name: &str) -> Result<Option<CstObject>, Failure> {
    let objects = list.elements().into_iter().filter_map(|element| element.as_object());
    let mut found = objects.filter(|object| is_named(object, name));
    let first = found.next();
    if found.next().is_some() {
        return Err(
            Failure::world(format!("`{PATH}` has two entries `{name}`")).help("remove the one that is not meant")
        );
    }
    first.as_ref().map_or(Ok(()), |object| refuse_twice(object, &format!(" in `{name}`")))?;
    Ok(first)
}

/// What we would change might not be what counts.
fn refuse_twice(object: &CstObject, place: &str) -> Result<(), Failure> {
    let mut seen = BTreeSet::new();
    let names = object.properties().into_iter().filter_map(|field| field.decoded_name());
    match names.into_iter().find(|name| !seen.insert(name.clone())) {
        Some(twice) => Err(Failure::world(format!("`{PATH}` has `{twice}` twice{place}"))
            .help("remove the one that is not meant; VS Code reads the last")),
        None => Ok(()),
    }
}

/// The name alone does not make an entry ours.
fn refuse_another(entry: &CstObject, name: &str) -> Result<(), Failure> {
    let value = |field| entry.get(field).and_then(|field| field.to_serde_value()).unwrap_or_default();
    let (kind, request) = (value("type"), value("request"));
    if KINDS.iter().any(|ours| kind == *ours) && request == REQUEST {
        return Ok(());
    }
    let why = format!("its type is `{}`, its request `{}`", plain(&kind), plain(&request));
    Err(Failure::world(format!("`{PATH}` has an entry `{name}` that is not ours: {why}"))
        .help("give that entry another name"))
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

/// Sets these fields of an object, or takes them out; the others stay.
fn set(object: &CstObject, fields: Vec<(&'static str, Option<Value>)>) {
    for (field, value) in fields {
        match (object.get(field), value) {
            (Some(there), Some(value)) if there.to_serde_value().as_ref() == Some(&value) => {}
            (Some(there), Some(value)) => there.set_value(input(&value)),
            (Some(there), None) => there.remove(),
            (None, Some(value)) => {
                object.append(field, input(&value));
            }
            (None, None) => {}
        }
    }
}

fn append(list: &CstArray, name: &str, fields: Vec<(&'static str, Option<Value>)>) {
    let named = std::iter::once(("name".to_owned(), CstInputValue::from(name)));
    let fields = fields.iter().filter_map(|(field, value)| Some(((*field).to_owned(), input(value.as_ref()?))));
    if !list.elements().is_empty() {
        list.ensure_multiline();
    }
    list.append(CstInputValue::Object(named.chain(fields).collect()));
}

/// Of ours these alone are members of a compound; those of others stay.
fn set_members(list: &CstArray, mut missing: Vec<String>) {
    for member in list.elements() {
        // Where a workspace has several folders a member is an object.
        let name = match member.to_serde_value() {
            Some(Value::String(name)) => name,
            Some(object) => object["name"].as_str().unwrap_or_default().to_owned(),
            None => continue,
        };
        match missing.iter().position(|wanted| *wanted == name) {
            Some(index) => drop(missing.remove(index)),
            None if name.starts_with(Name::START) => member.remove(),
            None => {}
        }
    }
    for name in missing {
        list.append(CstInputValue::String(name));
    }
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        value => CstInputValue::Number(value.to_string()),
    }
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}
