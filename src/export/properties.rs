//! A properties file for `spark-submit`, escaped as `java.util.Properties` stores it.

/// One line for each pair.
pub fn render(pairs: &[(&'static str, String)]) -> String {
    pairs.iter().map(|(key, value)| format!("{}={}\n", escaped(key, true), escaped(value, false))).collect()
}

/// Source: `Properties.saveConvert`.
fn escaped(text: &str, is_key: bool) -> String {
    let mut out = String::new();
    for (at, c) in text.chars().enumerate() {
        match c {
            ' ' if at == 0 || is_key => out.push_str("\\ "),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\u{c}' => out.push_str("\\f"),
            '\\' | '=' | ':' | '#' | '!' => {
                out.push('\\');
                out.push(c);
            }
            ' '..='~' => out.push(c),
            _ => out.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04X}"))),
        }
    }
    out
}

/// How to apply it.
pub fn apply() -> Vec<String> {
    vec![
        "apply: spark-submit --properties-file sparkdbg.properties …; the file takes the place of spark-defaults.conf, \
         unless --load-spark-defaults (Spark 4.0 and later) brings that back, and a --conf with one of its keys wins over \
         it"
        .to_owned(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spark::properties;
    use proptest::prelude::*;

    proptest! {
        /// Spark trims values, so that blanks at their ends are lost in any spelling.
        #[test]
        fn sparks_reader_reads_them_back(value in any::<String>()) {
            let entries = properties::parse(&render(&[("spark.a", value.clone())])).expect("well-formed");
            prop_assert_eq!(entries.len(), 1);
            prop_assert_eq!(&entries[0].key, "spark.a");
            prop_assert_eq!(&entries[0].value, value.trim_matches(|c| c <= ' '));
        }
    }
}
