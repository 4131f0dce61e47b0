//! One JVM, one row: what two sources tell of the same JVM is put together. Pure.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::local::Found;
use super::{Jvm, Reach, State};
use crate::endpoint::Role;

/// What is known of each JVM, and where there may be more.
pub struct Merged {
    /// The rows.
    pub rows: Vec<Jvm>,
    /// Applications, and where their executors on this machine may have directories.
    pub work: BTreeSet<(String, PathBuf)>,
}

/// Of `local`, rows that no server told of are kept only where `keep_local` says so, or if they belong to
/// what a server told of: executors of that application, TaskManagers of that cluster. Held before `main`
/// they did not come to it yet, and a JobManager forgets whom a debugger holds for long.
pub fn merge(told: Vec<Jvm>, local: Vec<Found>, keep_local: bool) -> Merged {
    let mut work = BTreeSet::new();
    let mut rows: Vec<Jvm> = Vec::new();
    for jvm in told {
        // What JobManagers call their TaskManagers is theirs alone, also where the cluster has no name.
        let same_id = |row: &Jvm| row.role == Role::TaskManager && row.role == jvm.role && row.id == jvm.id;
        match rows.iter_mut().find(|row| is_same(row, &jvm) || same_id(row)) {
            Some(row) => {
                let (own_port, silent) = (row.own_port.or(jvm.own_port), row.silent || jvm.silent);
                // Who knows of an open port knows the agent, not only a log.
                let told_more = |jvm: &Jvm| (jvm.state, jvm.reach == Reach::Open);
                let best = if told_more(&jvm) > told_more(row) { jvm } else { row.clone() };
                *row = Jvm { own_port, silent, ..best };
            }
            None => rows.push(jvm),
        }
    }
    let told: BTreeSet<String> = rows.iter().filter_map(|row| row.app.clone()).collect();
    let has_row = |found: &&Found| rows.iter().any(|row| is_process(row, found));
    let clusters: BTreeSet<PathBuf> = local.iter().filter(has_row).filter_map(|found| found.conf.clone()).collect();
    for mut found in local {
        let of_app = found.jvm.app.as_ref().is_some_and(|app| told.contains(app));
        let of_cluster = found.conf.as_ref().is_some_and(|conf| clusters.contains(conf));
        let is_wanted = keep_local
            || of_app && matches!(found.jvm.role, Role::Executor | Role::TaskManager)
            || of_cluster && found.jvm.role == Role::TaskManager;
        let row = rows.iter_mut().find(|row| is_same(row, &found.jvm) || is_process(row, &found));
        let app = row.as_ref().map_or(&found.jvm.app, |row| &row.app).clone().filter(|_| row.is_some() || is_wanted);
        work.extend(app.zip(found.work));
        match row {
            // The socket table tells more than a log, unless it tells nothing.
            Some(row) if found.jvm.state != State::Unknown => {
                row.state = found.jvm.state;
                row.port = found.jvm.port;
                row.remark = found.jvm.remark;
                row.reach = Reach::Here;
            }
            Some(row) => row.reach = Reach::Here,
            None if is_wanted => {
                if of_cluster && found.jvm.role == Role::TaskManager {
                    let pid = found.jvm.remark.take().unwrap_or_default();
                    found.jvm.remark = Some(format!("the JobManager does not list it; {pid}"));
                }
                rows.push(found.jvm);
            }
            None => {}
        }
    }
    Merged { rows, work }
}

/// Puts the rows into the order in which they are shown.
pub fn sort(rows: &mut [Jvm]) {
    rows.sort_by_cached_key(key);
}

fn is_same(one: &Jvm, other: &Jvm) -> bool {
    one.app.is_some()
        && one.app == other.app
        && one.role == other.role
        && one.id == other.id
        && one.role != Role::Daemon
}

/// Whether a row is of that process of this machine: it listens where the row's JVM does.
fn is_process(row: &Jvm, found: &Found) -> bool {
    // With `-t local` the client holds the JobManager.
    let same_role = row.role == found.jvm.role || row.role == Role::JobManager && found.jvm.role == Role::Client;
    let same_port = row.own_port.is_some_and(|port| found.listens.contains(&port));
    row.reach == Reach::Here && same_role && same_port
}

/// By application, the driver first, executors by their number.
fn key(jvm: &Jvm) -> (bool, Option<String>, Role, u64, String, String) {
    let number = jvm.id.parse().unwrap_or(u64::MAX);
    (jvm.app.is_none(), jvm.app.clone(), jvm.role, number, jvm.id.clone(), jvm.host.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merge(told: Vec<Jvm>, local: Vec<Found>, keep_local: bool) -> Vec<Jvm> {
        let mut rows = super::merge(told, local, keep_local).rows;
        sort(&mut rows);
        rows
    }

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
            own_port: None,
            silent: false,
            operators: None,
        }
    }

    #[test]
    fn one_executor_found_twice_is_one_row() {
        let told = Jvm { port: Some(1), ..jvm("app-1", Role::Executor, "0", State::Listening) };
        let seen = Jvm { port: Some(2), ..jvm("app-1", Role::Executor, "0", State::Attached) };
        let found = Found { jvm: seen, listens: vec![2, 3], ui: None, work: None, conf: None };
        let rows = merge(vec![told.clone(), told.clone()], vec![found], true);
        assert_eq!(rows.len(), 1, "{rows:?}");
        assert_eq!((rows[0].state, rows[0].port), (State::Attached, Some(2)));
    }

    #[test]
    fn a_driver_is_known_by_a_port_of_spark() {
        let told = Jvm { own_port: Some(42079), ..jvm("app-1", Role::Driver, "driver", State::Unknown) };
        let seen = Jvm { port: Some(5005), ..jvm("wordcount.py", Role::Driver, "driver", State::Listening) };
        let found = || {
            vec![Found {
                jvm: seen.clone(),
                listens: vec![5005, 4040, 42079],
                ui: None,
                work: Some("/s/work".into()),
                conf: None,
            }]
        };
        let rows = merge(vec![told.clone()], found(), false);
        assert_eq!(rows.len(), 1);
        assert_eq!((rows[0].app.as_deref(), rows[0].port), (Some("app-1"), Some(5005)));
        // Somebody else's driver.
        let other = Jvm { own_port: Some(42080), ..told.clone() };
        assert_eq!(merge(vec![other.clone()], found(), true).len(), 2);
        assert_eq!(merge(vec![other], found(), false).len(), 1);
        let elsewhere = Jvm { reach: Reach::Tunnel, ..told };
        assert_eq!(merge(vec![elsewhere], found(), true).len(), 2);
    }

    /// The driver has the id that its UI told, its process the home.
    #[test]
    fn where_more_executors_may_be() {
        let told = Jvm { own_port: Some(7), ..jvm("app-1", Role::Driver, "driver", State::Unknown) };
        let local = |app, role, listens, work: &str| {
            let jvm = jvm(app, role, "9", State::Waiting);
            Found { jvm, listens, ui: None, work: Some(work.into()), conf: None }
        };
        let found = || {
            vec![
                local("count.jar", Role::Driver, vec![7], "/s/work"),
                local("app-1", Role::Executor, vec![], "/w"),
                local("app-2", Role::Executor, vec![], "/other"),
            ]
        };
        let named = super::merge(vec![told.clone()], found(), false);
        let work = [("app-1", "/s/work"), ("app-1", "/w")].map(|(app, work)| (app.to_owned(), work.into()));
        assert_eq!(named.work, work.into());
        // An executor that is held has not come to the driver.
        let ids: Vec<(&str, State)> = named.rows.iter().map(|row| (row.id.as_str(), row.state)).collect();
        assert_eq!(ids, [("driver", State::Waiting), ("9", State::Waiting)]);
        assert_eq!(super::merge(vec![told], found(), true).rows.len(), 3);
    }

    #[test]
    fn a_taskmanager_belongs_to_the_jobmanager_of_its_configuration() {
        let told = |role, id, own_port| Jvm { own_port: Some(own_port), ..jvm("", role, id, State::Listening) };
        let rows = vec![
            told(Role::JobManager, "jobmanager", 8081),
            told(Role::TaskManager, "localhost:7-ab", 7),
            // The same cluster at another address.
            told(Role::TaskManager, "localhost:7-ab", 7),
        ];
        let local = |role, pid: u32, listens: Vec<u16>, conf: &str| {
            let remark = Some(format!("pid {pid}"));
            let jvm = Jvm { remark, port: Some(5006), ..jvm("", role, "taskmanager", State::Attached) };
            Found { jvm, listens, ui: None, work: None, conf: Some(conf.into()) }
        };
        let found = vec![
            local(Role::TaskManager, 2, vec![7], "/f/conf"),
            local(Role::TaskManager, 3, vec![8], "/f/conf"),
            local(Role::TaskManager, 4, vec![9], "/other"),
            local(Role::JobManager, 1, vec![8081], "/f/conf"),
        ];
        let remarks: Vec<String> = merge(rows, found, false).into_iter().filter_map(|row| row.remark).collect();
        assert_eq!(remarks, ["pid 1", "pid 2", "the JobManager does not list it; pid 3"]);
    }

    #[test]
    fn two_sources_of_one_jobmanager() {
        let log = jvm("application_1_1", Role::JobManager, "jobmanager", State::Listening);
        let asked = Jvm { reach: Reach::Open, ..log.clone() };
        let silent = Jvm { silent: true, state: State::Unknown, ..log.clone() };
        for told in [[log.clone(), asked.clone()], [asked.clone(), log.clone()]] {
            assert_eq!(merge(told.to_vec(), Vec::new(), true), vec![asked.clone()]);
        }
        for told in [[log.clone(), silent.clone()], [silent, log.clone()]] {
            assert_eq!(merge(told.to_vec(), Vec::new(), true), [Jvm { silent: true, ..log.clone() }]);
        }
    }

    #[test]
    fn executors_are_ordered_as_numbers() {
        let rows = ["10", "9", "1"].map(|id| jvm("app-1", Role::Executor, id, State::Unknown)).to_vec();
        let rows = [rows, vec![jvm("app-1", Role::Driver, "driver", State::Unknown)]].concat();
        let ids: Vec<String> = merge(rows, Vec::new(), true).into_iter().map(|jvm| jvm.id).collect();
        assert_eq!(ids, ["driver", "1", "9", "10"]);
    }
}
