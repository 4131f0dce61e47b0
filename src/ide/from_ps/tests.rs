use std::collections::BTreeSet;

use super::*;
use crate::discovery::Reach;

fn jvm(app: &str, role: Role, id: &str, host: &str, port: u16, state: State, reach: Reach) -> Jvm {
    Jvm {
        app: Some(app.to_owned()),
        role,
        id: id.to_owned(),
        host: host.to_owned(),
        port: Some(port),
        state,
        reach,
        remark: None,
        own_port: None,
        operators: None,
        silent: false,
    }
}

fn asked(jvms: Vec<Jvm>, roles: &[Role]) -> (Vec<String>, Vec<String>) {
    let seen = Seen { jvms, troubles: BTreeSet::new(), notes: BTreeSet::new(), asked: BTreeSet::new() };
    let Answer { configurations, hints } = answer(&seen, roles);
    let shown = |one: RunConfiguration| format!("{} at {}:{}", one.name.shown(), one.host, one.port);
    (configurations.into_iter().map(shown).collect(), hints)
}

#[test]
fn those_that_listen_and_what_leads_there() {
    let (executor, driver) = (Role::Executor, Role::Driver);
    let jvms = || {
        vec![
            jvm("a", driver, "driver", "edge1", 5005, State::Unknown, Reach::Open),
            jvm("a", executor, "0", "node7", 4000, State::Listening, Reach::Tunnel),
            jvm("a", executor, "1", "node8", 4000, State::Waiting, Reach::Tunnel),
            jvm("a", executor, "2", "node8", 4001, State::Attached, Reach::Tunnel),
            jvm("a", executor, "3", "node8", 4002, State::Gone, Reach::Tunnel),
            jvm("a", executor, "4", "$(x)", 4003, State::Listening, Reach::Tunnel),
            jvm("a", executor, "5", "here", 4004, State::Listening, Reach::Here),
        ]
    };
    let (found, hints) = asked(jvms(), &[]);
    assert_eq!(
        found,
        [
            "sparkdbg: driver at edge1:5005",
            "sparkdbg: executor 0 at 127.0.0.1:4000",
            "sparkdbg: executor 1 at 127.0.0.1:4001",
            "sparkdbg: executor 5 at 127.0.0.1:4004"
        ]
    );
    assert_eq!(
        hints,
        [
            "executor 2 is left out: a debugger is attached",
            "executor 4 is left out: its host has no plain name",
            "it cannot be told whether driver listens",
            "executor 0 is reached through a tunnel: ssh -L 4000:127.0.0.1:4000 node7",
            "executor 1 is reached through a tunnel: ssh -L 4001:127.0.0.1:4000 node8"
        ]
    );
    let (found, hints) = asked(jvms(), &[driver]);
    assert_eq!((found, hints.len()), (vec!["sparkdbg: driver at edge1:5005".to_owned()], 1));
}

#[test]
fn two_that_are_alike_get_two_names() {
    let executor = |app, id, port| jvm(app, Role::Executor, id, "n", port, State::Listening, Reach::Open);
    let (found, _) = asked(
        vec![executor("app-1", "0", 1), executor("app-2", "0", 2), executor("x/y", "1", 3), executor("x_y", "1", 4)],
        &[],
    );
    assert_eq!(
        found,
        [
            "sparkdbg: executor 0 app-1 at n:1",
            "sparkdbg: executor 0 app-2 at n:2",
            "sparkdbg: executor 1 x_y n 3 at n:3",
            "sparkdbg: executor 1 x_y n 4 at n:4"
        ]
    );
}

#[test]
fn two_that_are_alike_are_told_apart_in_sentences() {
    let driver = |app, port, state| jvm(app, Role::Driver, "driver", "n", port, state, Reach::Here);
    let (found, hints) = asked(
        vec![
            driver("app-1", 5005, State::Attached),
            driver("app-2", 5006, State::Unknown),
            driver("count.py", 5007, State::Attached),
            driver("count.py", 5008, State::Attached),
        ],
        &[],
    );
    assert_eq!(found, ["sparkdbg: driver at 127.0.0.1:5006"]);
    assert_eq!(
        hints,
        [
            "driver of app-1 is left out: a debugger is attached",
            "driver of count.py at n:5007 is left out: a debugger is attached",
            "driver of count.py at n:5008 is left out: a debugger is attached",
            "it cannot be told whether driver of app-2 listens"
        ]
    );
}
