//! Configurations as all of EMR has them: arrays of classifications with properties, in upper or in lower case.

use serde_json::{Map, Value};

use super::document::{self, Step};
use super::settings::Family;

/// A map of properties in a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// Whose properties.
    pub family: Family,
    /// The way to the map.
    pub way: Vec<Step>,
    /// What is in force where the map says nothing.
    pub inherited: Map<String, Value>,
    /// How many steps of the way stay even when they lead to nothing.
    pub keep: usize,
}

impl Place {
    /// A map of Spark's properties, which holds all that is in force.
    pub fn spark(way: &[&str]) -> Place {
        let way = way.iter().map(|name| Step::field(name)).collect();
        Place { family: Family::Spark, way, inherited: Map::new(), keep: 0 }
    }
}

/// How the members of a configuration are spelled where there is none yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// `Classification`, `Properties`
    Upper,
    /// `classification`, `properties`
    Lower,
}

/// The properties of each family in the array at the end of `way`. `above`: the configurations over which these are.
pub fn places(document: &Value, way: &[Step], case: Case, keep: usize, above: &Value) -> Vec<Place> {
    let list = document::find(document, way).and_then(Value::as_array);
    let first = list.and_then(|list| list.first());
    [Family::Spark, Family::Flink]
        .into_iter()
        .map(|family| {
            let name = classification(family);
            let entry = list.and_then(|list| list.iter().find(|entry| is_named(entry, name)));
            let case = entry.or(first).map_or(case, case_of);
            let properties = match (entry, case) {
                (Some(entry), _) if entry.get("properties").is_some() => "properties",
                (Some(entry), _) if entry.get("Properties").is_some() => "Properties",
                (_, Case::Upper) => "Properties",
                (_, Case::Lower) => "properties",
            };
            let key = if case == Case::Upper { "Classification" } else { "classification" };
            let entry = Step::Entry { key: key.to_owned(), name: name.to_owned() };
            let way = way.iter().cloned().chain([entry, Step::field(properties)]).collect();
            Place { family, way, inherited: properties_above(above, name), keep }
        })
        .collect()
}

fn classification(family: Family) -> &'static str {
    match family {
        Family::Spark => "spark-defaults",
        Family::Flink => "flink-conf",
    }
}

fn is_named(entry: &Value, name: &str) -> bool {
    document::classification(entry).is_some_and(|found| found == name)
}

fn case_of(entry: &Value) -> Case {
    if entry.get("classification").is_some() { Case::Lower } else { Case::Upper }
}

fn properties_above(above: &Value, name: &str) -> Map<String, Value> {
    let entries = above.as_array().into_iter().flatten().filter(|entry| is_named(entry, name));
    let properties = entries.filter_map(|entry| entry.get("Properties").or_else(|| entry.get("properties")));
    properties.filter_map(Value::as_object).flatten().map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// A job of EMR on EKS or EMR Serverless: the overrides alone, a whole request, or the array in either.
///
/// # Errors
/// None of them.
pub fn of_job(current: Option<Value>) -> Result<(Value, Vec<Place>), String> {
    let document = current.unwrap_or_else(|| Value::Object(Map::new()));
    let way: &[&str] = match &document {
        Value::Array(_) => &[],
        Value::Object(members) => {
            let has = |names: &[&str]| names.iter().any(|name| members.contains_key(*name));
            if has(&["configurationOverrides", "jobDriver", "executionRoleArn"]) {
                &["configurationOverrides", "applicationConfiguration"]
            } else if has(&["runtimeConfiguration"]) {
                &["runtimeConfiguration"]
            } else if members.is_empty() || has(&["applicationConfiguration", "monitoringConfiguration"]) {
                &["applicationConfiguration"]
            } else {
                return Err("neither configuration overrides nor the request of a job".to_owned());
            }
        }
        _ => return Err("neither configuration overrides nor the request of a job".to_owned()),
    };
    let way: Vec<Step> = way.iter().map(|name| Step::field(name)).collect();
    let mut places = places(&document, &way, Case::Lower, 0, &Value::Null);
    places.retain(|place| place.family == Family::Spark);
    Ok((document, places))
}

/// The words for `spark-submit` in the request of a job: what they set wins over every configuration.
pub fn submit_parameters(document: &Value) -> Option<&str> {
    let driver = document.get("jobDriver")?;
    let driver = driver.get("sparkSubmitJobDriver").or_else(|| driver.get("sparkSubmit"))?;
    driver.get("sparkSubmitParameters")?.as_str()
}
