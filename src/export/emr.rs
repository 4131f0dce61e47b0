//! Amazon EMR: the configurations of a cluster, or those of its instance groups.
//!
//! Source: AWS's guide, "Reconfigure an instance group in a running cluster", and the API's `Configuration` and
//! `InstanceGroupModifyConfig`. The list of a group replaces the one before it.

use serde_json::{Map, Value, json};

use super::configurations::{Case, Place, places};
use super::document::Step;

/// What is changed, and where in it.
#[derive(Debug, PartialEq)]
pub struct Shape {
    /// The document.
    pub document: Value,
    /// The maps of properties.
    pub places: Vec<Place>,
    /// Whether it is for instance groups of a running cluster.
    pub is_for_groups: bool,
}

/// The shape that goes out: that of `current`, or what the groups need whose ids are given.
///
/// # Errors
/// `current` is nothing that EMR has, or has not these groups.
pub fn shape(current: Option<Value>, ids: &[String]) -> Result<Shape, String> {
    match current {
        None if ids.is_empty() => Ok(of_cluster(Value::Array(Vec::new()), &[])),
        None => Ok(of_groups(ids.iter().map(|id| group(id, None)).collect(), &Value::Null)),
        Some(Value::Array(elements)) if elements.iter().any(|element| element.get("InstanceGroupId").is_some()) => {
            let chosen = choose(&elements, "InstanceGroupId", ids)?;
            Ok(of_groups(chosen.into_iter().cloned().collect(), &Value::Null))
        }
        Some(Value::Array(list)) => Ok(of_list(Value::Array(list), ids)),
        Some(Value::Object(members)) => of_object(members, ids),
        Some(_) => Err(NOTHING.to_owned()),
    }
}

const NOTHING: &str = "it holds no configurations: neither an array of them nor an object with `Configurations`";

fn of_object(mut members: Map<String, Value>, ids: &[String]) -> Result<Shape, String> {
    if let Some(Value::Object(cluster)) = members.get("Cluster") {
        members = cluster.clone();
        if ids.is_empty() {
            return Ok(of_cluster(list_of(&members), &[]));
        }
    }
    let above = members.get("Configurations").cloned().unwrap_or_default();
    if let Some(Value::Array(groups)) = members.get("InstanceGroups") {
        let chosen = choose(groups, "Id", ids)?;
        let groups = chosen.into_iter().map(|of| {
            let id = of.get("Id").and_then(Value::as_str).unwrap_or_default();
            group(id, of.get("Configurations"))
        });
        return Ok(of_groups(groups.collect(), &above));
    }
    if !members.contains_key("Configurations") {
        return Err(NOTHING.to_owned());
    }
    // An answer about a group or a cluster is no request.
    if !ids.is_empty() || members.contains_key("Id") {
        return Ok(of_list(list_of(&members), ids));
    }
    Ok(of_cluster(Value::Object(members), &[Step::field("Configurations")]))
}

fn of_list(list: Value, ids: &[String]) -> Shape {
    if ids.is_empty() {
        return of_cluster(list, &[]);
    }
    of_groups(ids.iter().map(|id| group(id, Some(&list))).collect(), &Value::Null)
}

fn of_cluster(document: Value, way: &[Step]) -> Shape {
    let places = places(&document, way, Case::Upper, 0, &Value::Null);
    Shape { document, places, is_for_groups: false }
}

/// Without `Configurations` the request would change nothing, so that they stay even when they are none.
fn of_groups(groups: Vec<Value>, above: &Value) -> Shape {
    let document = Value::Array(groups);
    let count = document.as_array().map_or(0, Vec::len);
    let places = (0..count).flat_map(|index| {
        let way = [Step::Index(index), Step::field("Configurations")];
        places(&document, &way, Case::Upper, way.len(), above)
    });
    Shape { places: places.collect(), is_for_groups: true, document }
}

fn group(id: &str, configurations: Option<&Value>) -> Value {
    let configurations = configurations.cloned().unwrap_or_else(|| Value::Array(Vec::new()));
    json!({ "InstanceGroupId": id, "Configurations": configurations })
}

fn list_of(members: &Map<String, Value>) -> Value {
    members.get("Configurations").cloned().unwrap_or_else(|| Value::Array(Vec::new()))
}

/// The groups with these ids, in their order; all when there are none.
fn choose<'v>(groups: &'v [Value], key: &str, ids: &[String]) -> Result<Vec<&'v Value>, String> {
    let id_of = |group: &Value| group.get(key).and_then(Value::as_str).map(str::to_owned);
    if ids.is_empty() {
        return Ok(groups.iter().collect());
    }
    let known: Vec<String> = groups.iter().filter_map(id_of).collect();
    ids.iter()
        .map(|id| {
            let group = groups.iter().find(|group| id_of(group).as_ref() == Some(id));
            group.ok_or_else(|| format!("it has no instance group `{id}`; it has {}", known.join(", ")))
        })
        .collect()
}

/// How to apply it. `file`: where the user may have put the document.
pub fn apply(is_for_groups: bool, off: bool) -> Vec<String> {
    if is_for_groups {
        let mut lines = vec![
            "apply: aws emr modify-instance-groups --cluster-id j-… --instance-groups file://sparkdbg.json; the list \
             replaces all that the group had, a tenth of its nodes is restarted at a time"
                .to_owned(),
            "spark-submit and Flink's client read the files of the node that they run on, mostly the master: name its \
             group, and every other from which jobs are started"
                .to_owned(),
            "Spark takes it at the next spark-submit; a running YARN session of Flink keeps its options until a new one \
             is started"
                .to_owned(),
        ];
        if off {
            lines.push(
                "what was given when the cluster was created cannot be deleted, only overridden with the value that it \
                 is to have"
                    .to_owned(),
            );
        }
        return lines;
    }
    vec![
        "apply: aws emr create-cluster --configurations file://sparkdbg.json …; on a running cluster: --instance-group \
         ig-… for the JSON of modify-instance-groups"
            .to_owned(),
    ]
}
