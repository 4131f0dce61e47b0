//! Where a JobManager of this machine has its web UI, as the configuration of its cluster says. Only a
//! port on which it listens is asked, so a wrong reading asks nobody.

use std::fs::{self, File};
use std::path::Path;

use super::part;

/// More than any configuration holds. Bytes.
const MOST: u64 = 1 << 20;

/// The ports in `rest.port` and `rest.bind-port`, which may be a range.
pub fn configured(conf: &Path) -> Vec<u16> {
    // The old file, if it is there, is the only one that versions which know both read.
    let files = ["flink-conf.yaml", "config.yaml"].map(|name| conf.join(name));
    files.iter().find_map(|file| read(file)).map(|text| ports(&text)).unwrap_or_default()
}

fn read(path: &Path) -> Option<String> {
    // Another kind of file might never end.
    fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    part(&mut File::open(path).ok()?, 0, MOST).ok()
}

/// Keys are written flat (`rest.port: 8081`) or in a section (`rest:`, below it `port: 8081`).
fn ports(text: &str) -> Vec<u16> {
    let mut is_rest = false;
    let mut found = Vec::new();
    for line in text.lines().map(|line| line.split(" #").next().unwrap_or_default()) {
        let Some((key, value)) = line.split_once(':').filter(|_| !line.trim_start().starts_with('#')) else { continue };
        let is_nested = key.starts_with([' ', '\t']);
        if !is_nested {
            is_rest = key.trim_end() == "rest";
        }
        let is_port = match key.trim() {
            "port" | "bind-port" => is_nested && is_rest,
            key => !is_nested && matches!(key, "rest.port" | "rest.bind-port"),
        };
        if is_port {
            found.extend(value.trim().trim_matches(['"', '\'']).split(',').flat_map(range));
        }
    }
    found
}

fn range(text: &str) -> Vec<u16> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (first.trim().parse(), last.trim().parse()) {
        (Ok(first), Ok(last)) => (first..=last).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flat_and_in_a_section() {
        assert_eq!(
            ports("a: 1\nrest.port: 8085\n#rest.port: 1\nrest.bind-port: 8090-8092,8099\n"),
            [8085, 8090, 8091, 8092, 8099]
        );
        let nested = "jobmanager:\n  rpc:\n    port: 6123\nrest:\n  # port: 1\n  address: localhost\n  port: '8085' # ours\n\
                      high:\n  port: 7\n";
        assert_eq!(ports(nested), [8085]);
        assert_eq!(ports("rest:\n  port: ${x}\nrest\n"), Vec::<u16>::new());
    }

    #[test]
    fn the_old_file_alone_counts() {
        let conf = tempfile::tempdir().expect("a directory");
        assert_eq!(configured(conf.path()), Vec::<u16>::new());
        fs::write(conf.path().join("config.yaml"), "rest.port: 8085\n").expect("a file");
        assert_eq!(configured(conf.path()), [8085]);
        fs::write(conf.path().join("flink-conf.yaml"), "rest.port: 8086\n").expect("a file");
        assert_eq!(configured(conf.path()), [8086]);
    }
}
