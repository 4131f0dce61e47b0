//! Databricks: `spark_conf` of a cluster, or of the new cluster of a job. The shape is that of the clusters API; no
//! cluster was tried.

use serde_json::{Map, Value};

use super::configurations::Place;

/// The cluster, and the map in it.
///
/// # Errors
/// `current` is no object.
pub fn shape(current: Option<Value>) -> Result<(Value, Vec<Place>), String> {
    match current.unwrap_or_else(|| Value::Object(Map::new())) {
        Value::Object(members) => {
            let of_job = members.contains_key("new_cluster");
            let way: &[&str] = if of_job { &["new_cluster", "spark_conf"] } else { &["spark_conf"] };
            Ok((Value::Object(members), vec![Place::spark(way)]))
        }
        _ => Err("a cluster is an object".to_owned()),
    }
}

/// How to apply it.
pub fn apply() -> Vec<String> {
    vec![
        "apply: merge `spark_conf` into the cluster (clusters/edit, or Compute: Advanced: Spark) and restart it"
            .to_owned(),
    ]
}
