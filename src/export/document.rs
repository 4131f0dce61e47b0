//! A JSON document and the ways to the maps in it that hold properties. What is missing on a way can be made, and
//! taken away again when it is empty.

use serde_json::{Map, Value};

/// One step into a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A member of an object.
    Field(String),
    /// An element of an array.
    Index(usize),
    /// The element of an array of configurations whose member `key` is `name`.
    Entry {
        /// `Classification`, or in lower case.
        key: String,
        /// The classification.
        name: String,
    },
}

impl Step {
    /// A member of an object.
    pub fn field(name: &str) -> Step {
        Step::Field(name.to_owned())
    }
}

/// How far a way is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Depth {
    /// How many of its steps lead to something.
    pub steps: usize,
    /// Whether the last thing there holds nothing, so that it looks like one that was made.
    pub is_empty: bool,
}

/// Walks as far as the way goes.
///
/// # Errors
/// Something on the way is no object or no array, or an entry stands there twice.
pub fn depth(root: &Value, way: &[Step]) -> Result<Depth, String> {
    let mut here = root;
    for (steps, step) in way.iter().enumerate() {
        match next(here, step)? {
            Some(there) => here = there,
            None => return Ok(Depth { steps, is_empty: is_empty(here, way.get(steps.wrapping_sub(1))) }),
        }
    }
    if !here.is_object() {
        return Err(format!("{} is no object", shown(way)));
    }
    Ok(Depth { steps: way.len(), is_empty: is_empty(here, way.last()) })
}

/// What stands at the end of a way, if the way goes there.
pub fn find<'v>(root: &'v Value, way: &[Step]) -> Option<&'v Value> {
    way.iter().try_fold(root, |here, step| next(here, step).ok().flatten())
}

/// The map at the end of a way that [`depth`] accepts, if it is there.
pub fn map<'v>(root: &'v Value, way: &[Step]) -> Option<&'v Map<String, Value>> {
    find(root, way)?.as_object()
}

/// The same map to change, made with all that is missing on the way.
pub fn open<'v>(root: &'v mut Value, way: &[Step]) -> Option<&'v mut Map<String, Value>> {
    let mut here = root;
    for (at, step) in way.iter().enumerate() {
        let is_list = matches!(way.get(at + 1), Some(Step::Entry { .. } | Step::Index(_)));
        let new = || if is_list { Value::Array(Vec::new()) } else { Value::Object(Map::new()) };
        here = match step {
            Step::Field(name) => here.as_object_mut()?.entry(name.clone()).or_insert_with(new),
            Step::Index(index) => here.as_array_mut()?.get_mut(*index)?,
            Step::Entry { key, name } => {
                let list = here.as_array_mut()?;
                let index = list.iter().position(|entry| classification(entry) == Some(name)).unwrap_or(list.len());
                if index == list.len() {
                    list.push(Value::Object(Map::from_iter([(key.clone(), Value::from(name.clone()))])));
                }
                list.get_mut(index)?
            }
        };
    }
    here.as_object_mut()
}

/// Takes away what is empty at the end of the way, but nothing of its first `keep` steps.
pub fn close(root: &mut Value, way: &[Step], keep: usize) {
    let [step, rest @ ..] = way else { return };
    if let Ok(Some(_)) = next(root, step) {
        let child = match step {
            Step::Field(name) => root.get_mut(name),
            Step::Index(index) => root.get_mut(*index),
            Step::Entry { name, .. } => {
                root.as_array_mut().and_then(|list| list.iter_mut().find(|entry| classification(entry) == Some(name)))
            }
        };
        let Some(child) = child else { return };
        close(child, rest, keep.saturating_sub(1));
        if keep > 0 || !is_empty(child, Some(step)) {
            return;
        }
        match (step, root) {
            (Step::Field(name), Value::Object(members)) => {
                members.shift_remove(name);
            }
            (Step::Entry { name, .. }, Value::Array(list)) => {
                list.retain(|entry| classification(entry) != Some(name));
            }
            _ => {}
        }
    }
}

/// The classification of a configuration, in either spelling.
pub fn classification(entry: &Value) -> Option<&String> {
    let name = ["Classification", "classification"].iter().find_map(|key| entry.get(*key))?;
    if let Value::String(name) = name { Some(name) } else { None }
}

fn next<'v>(here: &'v Value, step: &Step) -> Result<Option<&'v Value>, String> {
    match step {
        Step::Field(name) => match here {
            Value::Object(members) => Ok(members.get(name)),
            _ => Err(format!("what should hold `{name}` is no object")),
        },
        Step::Index(index) => Ok(here.get(*index)),
        Step::Entry { name, .. } => {
            let Value::Array(list) = here else {
                return Err(format!("what should hold the configuration `{name}` is no array"));
            };
            if list.iter().any(|entry| classification(entry).is_none()) {
                return Err("a configuration has no `Classification`".to_owned());
            }
            let mut found = list.iter().filter(|entry| classification(entry) == Some(name));
            let first = found.next();
            if found.next().is_some() {
                return Err(format!("the configuration `{name}` stands there twice"));
            }
            Ok(first)
        }
    }
}

/// Whether nothing is in it but, in an entry, its name.
fn is_empty(value: &Value, step: Option<&Step>) -> bool {
    match (value, step) {
        (Value::Object(members), Some(Step::Entry { .. })) => members.len() == 1,
        (Value::Object(members), _) => members.is_empty(),
        (Value::Array(elements), _) => elements.is_empty(),
        _ => false,
    }
}

/// `` `Properties` of `spark-defaults` ``
fn shown(way: &[Step]) -> String {
    let names = way.iter().rev().filter_map(|step| match step {
        Step::Field(name) | Step::Entry { name, .. } => Some(format!("`{name}`")),
        Step::Index(_) => None,
    });
    names.take(2).collect::<Vec<_>>().join(" of ")
}
