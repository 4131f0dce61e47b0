//! Executors that died before they came to their driver, where no server tells of them: the Workers of a
//! `local-cluster` are inside the driver, their UIs on ports that nobody knows. What is left is a
//! directory each, `work/APPLICATION/NUMBER`.

use std::fs::{self, File};
use std::path::Path;

use super::part;
use crate::discovery::log_text::death;
use crate::discovery::{Jvm, Reach, State};
use crate::endpoint::Role;

/// As many as a Worker keeps in mind (`spark.worker.ui.retainedExecutors`). The newest count.
const MOST: usize = 1000;

/// The JVM dies right after it said why. Bytes.
const END: u64 = 16 << 10;

/// The executors of an application below that directory that died at their start, but for those that are
/// known already.
pub fn dead(app: &str, work: &Path, is_known: impl Fn(&str) -> bool) -> Vec<Jvm> {
    // A name from a server: one directory, not a way to others.
    if app.contains(['/', '\0']) || app.starts_with('.') {
        return Vec::new();
    }
    let entries = fs::read_dir(work.join(app)).into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let mut numbers: Vec<u32> = numbers.filter(|number| !is_known(&number.to_string())).collect();
    numbers.sort_unstable_by(|one, other| other.cmp(one));
    numbers.truncate(MOST);
    numbers.into_iter().filter_map(|number| row(app, number, &work.join(app).join(number.to_string()))).collect()
}

fn row(app: &str, number: u32, directory: &Path) -> Option<Jvm> {
    let why = ["stderr", "stdout"].iter().find_map(|log| death(&end(&directory.join(log))?))?;
    Some(Jvm {
        app: Some(app.to_owned()),
        role: Role::Executor,
        id: number.to_string(),
        host: "127.0.0.1".to_owned(),
        port: None,
        state: State::Gone,
        reach: Reach::Here,
        remark: Some(why),
        own_port: None,
        silent: false,
        operators: None,
    })
}

fn end(path: &Path) -> Option<String> {
    // Another kind of file might never end.
    let length = fs::metadata(path).ok().filter(fs::Metadata::is_file)?.len();
    part(&mut File::open(path).ok()?, length.saturating_sub(END), END).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_died_of_the_agent_and_is_not_known_yet() {
        let work = tempfile::tempdir().expect("a directory");
        let died = "ERROR: transport error 202: connect failed: Connection refused\nERROR: JDWP Transport dt_socket \
                    failed to initialize, TRANSPORT_INIT(510)\nJDWP exit error AGENT_ERROR_TRANSPORT_INIT(197): No \
                    transports initialized [debugInit.c:744]\n";
        let long = format!("{}{died}", "x".repeat(40_000));
        for (number, stderr) in [("0", died), ("1", long.as_str()), ("2", "INFO Started\n"), ("10", died), ("x", died)]
        {
            let directory = work.path().join("app-1").join(number);
            fs::create_dir_all(&directory).expect("a directory");
            fs::write(directory.join("stderr"), stderr).expect("a file");
        }
        fs::create_dir(work.path().join("app-1/3")).expect("a directory");
        let rows = dead("app-1", work.path(), |id| id == "0");
        let ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
        assert_eq!(ids, ["10", "1"]);
        assert!(rows[0].remark.as_deref().unwrap().contains("Connection refused"), "{rows:?}");
        assert!(dead("app-2", work.path(), |_| false).is_empty());
        assert!(dead("../app-1", &work.path().join("app-1"), |_| false).is_empty());
    }
}
