//! YAML values for the operators of Kubernetes: `sparkConf` of a SparkApplication, `flinkConfiguration` of a
//! FlinkDeployment.
//!
//! Values are written as JSON strings, which YAML 1.2 takes as they are: a number stays a string.

use serde_json::Value;

use super::settings::Family;

/// One map.
pub fn render(family: Family, pairs: &[(&'static str, String)]) -> String {
    let name = if family == Family::Spark { "sparkConf" } else { "flinkConfiguration" };
    let lines = pairs.iter().map(|(key, value)| format!("  {key}: {}\n", Value::from(value.as_str())));
    format!("{name}:\n{}", lines.collect::<String>())
}

/// How to apply it.
pub fn apply(family: Family) -> Vec<String> {
    match family {
        Family::Spark => vec![
            "apply: merge it into spec.sparkConf of the SparkApplication, or into the values from which your chart makes \
             it: helm upgrade -f sparkdbg.yaml …"
                .to_owned(),
            "where spec.driver.javaOptions or spec.executor.javaOptions is set, it wins: put the agent in front of it"
                .to_owned(),
        ],
        Family::Flink => vec![
            "apply: merge it into spec.flinkConfiguration of the FlinkDeployment, or into the values from which your chart \
             makes it: helm upgrade -f sparkdbg.yaml …"
                .to_owned(),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use yaml_rust2::YamlLoader;

    proptest! {
        #[test]
        fn a_yaml_parser_reads_the_map_back(value in "[ -~]{0,60}") {
            let pairs = [("spark.a.b", value), ("spark.c", "1".to_owned())];
            let documents = YamlLoader::load_from_str(&render(Family::Spark, &pairs)).expect("YAML");
            let map = documents[0]["sparkConf"].as_hash().expect("a map");
            let read: Vec<(&str, &str)> =
                map.iter().map(|(key, value)| (key.as_str().expect("text"), value.as_str().expect("text"))).collect();
            let written: Vec<(&str, &str)> = pairs.iter().map(|(key, value)| (*key, value.as_str())).collect();
            prop_assert_eq!(read, written);
        }
    }
}
