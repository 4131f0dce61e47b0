//! Dataproc: the value of `--properties`. An agent is full of commas, gcloud's delimiter, so that another is chosen as
//! `gcloud topic escaping` has it.

use super::settings::Family;

/// What is tried as delimiter, in this order; the first is the one of Google's own examples.
const DELIMITERS: [&str; 6] = ["#", "|", ";", "~", "%", "@@"];

/// One line: `^#^spark:KEY=VALUE#flink:KEY=VALUE`. `None`: every delimiter is in some value.
pub fn render(pairs: &[(Family, &'static str, String)]) -> Option<String> {
    let taken = |delimiter: &str| pairs.iter().any(|(_, _, value)| value.contains(delimiter));
    let delimiter = DELIMITERS.into_iter().find(|delimiter| !taken(delimiter))?;
    let prefix = |family| if family == Family::Spark { "spark" } else { "flink" };
    let items: Vec<String> =
        pairs.iter().map(|(family, key, value)| format!("{}:{key}={value}", prefix(*family))).collect();
    Some(format!("^{delimiter}^{}\n", items.join(delimiter)))
}

/// How to apply it.
pub fn apply() -> Vec<String> {
    vec![
        "apply: gcloud dataproc clusters create NAME --properties=\"$(sparkdbg export --format dataproc …)\"; what stands \
         in these keys already is replaced"
            .to_owned(),
        "for one job: gcloud dataproc jobs submit spark --properties=…, without the prefix `spark:`".to_owned(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delimiter_that_no_value_holds() {
        let value =
            |value: &str| render(&[(Family::Spark, "a", value.to_owned()), (Family::Flink, "b", "1".to_owned())]);
        assert_eq!(value("x,y").as_deref(), Some("^#^spark:a=x,y#flink:b=1\n"));
        assert_eq!(value("x#y").as_deref(), Some("^|^spark:a=x#y|flink:b=1\n"));
        assert_eq!(value("#|;~%@").as_deref(), Some("^@@^spark:a=#|;~%@@@flink:b=1\n"));
        assert_eq!(value("#|;~%@@"), None);
    }
}
