//! `flink-conf.yaml`: what looks like YAML and is read line by line. Source:
//! `GlobalConfiguration.loadLegacyYAMLResource`, and `readFromConfig` of `config.sh`, which agree.

use super::Entry;

/// The entries; a line without `: ` is none.
pub fn parse(text: &str) -> Vec<Entry> {
    let lines = text.lines().enumerate();
    let entry = |(index, line): (usize, &str)| {
        let line = line.split_once('#').map_or(line, |(before, _)| before);
        let (key, value) = line.split_once(": ")?;
        let (key, value) = (key.trim(), value.trim());
        let is_whole = !key.is_empty() && !value.is_empty();
        is_whole.then(|| Entry { key: key.to_owned(), value: value.to_owned(), line: index + 1 })
    };
    lines.filter_map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let text = "# a: b\n a.b: c # d\nx:y\nk: \n  rest.port:  8081  \nurl: http://h: 1\na.b: e\n";
        let found: Vec<(String, String, usize)> =
            parse(text).into_iter().map(|entry| (entry.key, entry.value, entry.line)).collect();
        let expected = [("a.b", "c", 2), ("rest.port", "8081", 5), ("url", "http://h: 1", 6), ("a.b", "e", 7)];
        assert_eq!(found, expected.map(|(key, value, line)| (key.to_owned(), value.to_owned(), line)));
    }
}
