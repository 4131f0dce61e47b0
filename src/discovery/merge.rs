//! One JVM, one row: what two sources tell of the same JVM is put together. Pure.

use super::{Jvm, Reach, State};
use crate::endpoint::Role;

/// The rows in the order in which they are shown. Of `local`, rows that no server told of are kept only
/// where `keep_local` says so.
pub fn merge(told: Vec<Jvm>, local: Vec<super::local::Found>, keep_local: bool) -> Vec<Jvm> {
    let mut rows: Vec<Jvm> = Vec::new();
    for jvm in told {
        match rows.iter_mut().find(|row| is_same(row, &jvm)) {
            Some(row) if jvm.state > row.state => *row = Jvm { spark_port: row.spark_port.or(jvm.spark_port), ..jvm },
            Some(row) => row.spark_port = row.spark_port.or(jvm.spark_port),
            None => rows.push(jvm),
        }
    }
    for found in local {
        let here = |row: &Jvm| row.reach == Reach::Here && row.role == found.jvm.role;
        let same_port = |row: &Jvm| row.spark_port.is_some_and(|port| found.listens.contains(&port));
        match rows.iter_mut().find(|row| is_same(row, &found.jvm) || here(row) && same_port(row)) {
            // The socket table tells more than a log, unless it tells nothing.
            Some(row) if found.jvm.state != State::Unknown => {
                row.state = found.jvm.state;
                row.port = found.jvm.port;
                row.remark = found.jvm.remark;
                row.reach = Reach::Here;
            }
            Some(row) => row.reach = Reach::Here,
            None if keep_local => rows.push(found.jvm),
            None => {}
        }
    }
    rows.sort_by_cached_key(key);
    rows
}

fn is_same(one: &Jvm, other: &Jvm) -> bool {
    one.app.is_some()
        && one.app == other.app
        && one.role == other.role
        && one.id == other.id
        && one.role != Role::Daemon
}

/// By application, the driver first, executors by their number.
fn key(jvm: &Jvm) -> (bool, Option<String>, Role, u64, String, String) {
    let number = jvm.id.parse().unwrap_or(u64::MAX);
    (jvm.app.is_none(), jvm.app.clone(), jvm.role, number, jvm.id.clone(), jvm.host.clone())
}

#[cfg(test)]
mod tests {
    use super::super::local::Found;
    use super::*;

    fn jvm(app: &str, role: Role, id: &str, state: State) -> Jvm {
        Jvm {
            app: Some(app.to_owned()).filter(|app| !app.is_empty()),
            role,
            id: id.to_owned(),
            host: "127.0.0.1".to_owned(),
            port: None,
            state,
            reach: Reach::Here,
            remark: None,
            spark_port: None,
        }
    }

    #[test]
    fn one_executor_found_twice_is_one_row() {
        let told = Jvm { port: Some(1), ..jvm("app-1", Role::Executor, "0", State::Listening) };
        let seen = Jvm { port: Some(2), ..jvm("app-1", Role::Executor, "0", State::Attached) };
        let found = Found { jvm: seen, listens: vec![2, 3], ui: None };
        let rows = merge(vec![told.clone(), told.clone()], vec![found], true);
        assert_eq!(rows.len(), 1, "{rows:?}");
        assert_eq!((rows[0].state, rows[0].port), (State::Attached, Some(2)));
    }

    #[test]
    fn a_driver_is_known_by_a_port_of_spark() {
        let told = Jvm { spark_port: Some(42079), ..jvm("app-1", Role::Driver, "driver", State::Unknown) };
        let seen = Jvm { port: Some(5005), ..jvm("wordcount.py", Role::Driver, "driver", State::Listening) };
        let found = || vec![Found { jvm: seen.clone(), listens: vec![5005, 4040, 42079], ui: None }];
        let rows = merge(vec![told.clone()], found(), false);
        assert_eq!(rows.len(), 1);
        assert_eq!((rows[0].app.as_deref(), rows[0].port), (Some("app-1"), Some(5005)));
        // Somebody else's driver.
        let other = Jvm { spark_port: Some(42080), ..told.clone() };
        assert_eq!(merge(vec![other.clone()], found(), true).len(), 2);
        assert_eq!(merge(vec![other], found(), false).len(), 1);
        let elsewhere = Jvm { reach: Reach::Tunnel, ..told };
        assert_eq!(merge(vec![elsewhere], found(), true).len(), 2);
    }

    #[test]
    fn executors_are_ordered_as_numbers() {
        let rows = ["10", "9", "1"].map(|id| jvm("app-1", Role::Executor, id, State::Unknown)).to_vec();
        let rows = [rows, vec![jvm("app-1", Role::Driver, "driver", State::Unknown)]].concat();
        let ids: Vec<String> = merge(rows, Vec::new(), true).into_iter().map(|jvm| jvm.id).collect();
        assert_eq!(ids, ["driver", "1", "9", "10"]);
    }
}
