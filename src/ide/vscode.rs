//! Visual Studio Code: entries of `.vscode/launch.json`, put among those that are there. Everything else in that file
//! stays byte for byte, comments too.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstObject, CstRootNode};
use serde_json::{Value, json};

use super::{Existing, File, RunConfiguration, Wanted};
use crate::error::Failure;

const PATH: &str = ".vscode/launch.json";

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
    let object = root.object_value_or_create().ok_or_else(|| Failure::world(format!("`{PATH}` holds no object")))?;
    if object.properties().is_empty() {
        object.append("version", CstInputValue::from("0.2.0"));
    }
    let configurations = list(&object, "configurations")?;
    for one in &wanted.configurations {
        put(&configurations, &one.name.shown(), entry(one, wanted));
    }
    if let Some(name) = wanted.compound() {
        let names: Vec<String> = wanted.configurations.iter().map(|one| one.name.shown()).collect();
        put(&list(&object, "compounds")?, &name.shown(), vec![("configurations", json!(names))]);
    }
    Ok(format!("{mark}{root}"))
}

fn entry(one: &RunConfiguration, wanted: &Wanted) -> Vec<(&'static str, Value)> {
    let (kind, whose) = if wanted.metals { ("scala", "buildTarget") } else { ("java", "projectName") };
    let mut entry = vec![
        ("type", json!(kind)),
        ("request", json!("attach")),
        ("hostName", json!(one.host)),
        ("port", json!(one.port)),
    ];
    entry.extend(wanted.module.as_ref().map(|module| (whose, json!(module))));
    entry
}

fn list(object: &CstObject, name: &str) -> Result<CstArray, Failure> {
    object.array_value_or_create(name).ok_or_else(|| Failure::world(format!("`{PATH}` holds no list `{name}`")))
}

/// Sets these fields in the object of that name, the others stay; appends one where there is none.
fn put(list: &CstArray, name: &str, fields: Vec<(&'static str, Value)>) {
    let value_of = |object: &CstObject, field: &str| object.get(field).and_then(|field| field.to_serde_value());
    let objects = list.elements().into_iter().filter_map(|element| element.as_object());
    let Some(object) = objects.into_iter().find(|object| value_of(object, "name") == Some(json!(name))) else {
        let named = std::iter::once(("name".to_owned(), CstInputValue::from(name)));
        let fields = fields.iter().map(|(field, value)| ((*field).to_owned(), input(value)));
        list.append(CstInputValue::Object(named.chain(fields).collect()));
        return;
    };
    for (field, value) in fields {
        match object.get(field) {
            Some(there) if there.to_serde_value() == Some(value.clone()) => {}
            Some(there) => there.set_value(input(&value)),
            None => {
                object.append(field, input(&value));
            }
        }
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
