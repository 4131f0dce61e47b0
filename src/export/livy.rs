//! Livy, and what speaks like it (HDInsight, Synapse): the body of `POST /batches`. Its `conf` becomes `--conf` of the
//! `spark-submit` that Livy starts.

use serde_json::{Map, Value};

use super::configurations::Place;

/// The body, and the map in it.
///
/// # Errors
/// `current` is no object.
pub fn shape(current: Option<Value>) -> Result<(Value, Vec<Place>), String> {
    match current.unwrap_or_else(|| Value::Object(Map::new())) {
        Value::Object(members) => Ok((Value::Object(members), vec![Place::spark(&["conf"])])),
        _ => Err("the body of a batch is an object".to_owned()),
    }
}

/// How to apply it.
pub fn apply() -> Vec<String> {
    vec![
        "apply: put `conf` beside `file` in the body of POST /batches: curl -H 'Content-Type: application/json' -d \
         @batch.json http://LIVY:8998/batches"
            .to_owned(),
    ]
}
