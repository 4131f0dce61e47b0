//! The rows for people and for programs. Pure. What servers wrote is made harmless for a terminal.

use serde_json::{Value, json};

use super::next_step::next_steps;
use super::{Jvm, Operator, State};
use crate::endpoint::Role;
use crate::secrets::for_terminal;

/// Columns by their place.
const ID: usize = 2;
const STATE: usize = 5;
const STEP: usize = 6;

/// Rows that are alike and still shown one by one.
const MOST_ALIKE: usize = 3;

const HEADINGS: [&str; 7] = ["APP", "ROLE", "ID", "HOST", "PORT", "STATE", "NEXT STEP"];

/// Aligned columns; the last is as long as it is.
pub fn table(jvms: &[Jvm]) -> String {
    let unknown = || "-".to_owned();
    let steps = next_steps(jvms);
    let rows = jvms.iter().zip(steps).map(|(jvm, step)| {
        [
            jvm.app.as_deref().map_or_else(unknown, cell),
            jvm.role.to_string(),
            cell(&jvm.id),
            cell(&jvm.host),
            jvm.port.map_or_else(unknown, |port| port.to_string()),
            jvm.state.name().to_owned(),
            cell(&step),
        ]
    });
    let rows: Vec<[String; 7]> = std::iter::once(HEADINGS.map(str::to_owned)).chain(folded(rows)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths: [usize; 7] = std::array::from_fn(width);
    let mut text = String::new();
    for row in rows {
        for (column, cell) in row.iter().enumerate() {
            match column + 1 < row.len() {
                true => text.push_str(&format!("{cell:<width$}  ", width = widths[column])),
                false => text.push_str(cell),
            }
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}

/// Those who died alike in one row: a cluster starts what dies at its start again and again.
fn folded(rows: impl Iterator<Item = [String; 7]>) -> Vec<[String; 7]> {
    let mut groups: Vec<Vec<[String; 7]>> = Vec::new();
    for row in rows {
        let differs_in = |other: &[String; 7], column: usize| other[column] != row[column];
        match groups.last_mut() {
            Some(group) if row[STATE] == State::Gone.name() && !(0..7).any(|c| c != ID && differs_in(&group[0], c)) => {
                group.push(row);
            }
            _ => groups.push(vec![row]),
        }
    }
    let one = |group: Vec<[String; 7]>| match &group[..] {
        [first, .., last] if group.len() > MOST_ALIKE => {
            let mut row = first.clone();
            row[ID] = format!("{}…{}", first[ID], last[ID]);
            row[STEP] = format!("{} like this: {}", group.len(), first[STEP]);
            vec![row]
        }
        _ => group,
    };
    groups.into_iter().flat_map(one).collect()
}

/// One array, one object per JVM.
pub fn json(jvms: &[Jvm]) -> String {
    let steps = next_steps(jvms);
    let rows = jvms.iter().zip(steps).map(|(jvm, step)| {
        let mut row = json!({
            "app": jvm.app.as_deref().map(cell),
            "role": jvm.role.name(),
            "id": cell(&jvm.id),
            "host": cell(&jvm.host),
            "port": jvm.port,
            "state": jvm.state.name(),
            "hint": cell(&step),
        });
        if jvm.role == Role::TaskManager {
            row["operators"] = jvm.operators.as_ref().map_or(Value::Null, |all| all.iter().map(operator).collect());
        }
        row
    });
    let rows: Vec<String> = rows.map(|row| format!("  {row}")).collect();
    if rows.is_empty() { "[]\n".to_owned() } else { format!("[\n{}\n]\n", rows.join(",\n")) }
}

fn operator(operator: &Operator) -> Value {
    json!({
        "jid": cell(&operator.jid),
        "job": cell(&operator.job),
        "operator": cell(&operator.name),
        "subtasks": operator.subtasks,
        "parallelism": operator.parallelism,
    })
}

/// One line that commands no terminal.
fn cell(text: &str) -> String {
    for_terminal(text).replace(['\n', '\t'], " ")
}

#[cfg(test)]
mod tests {
    use super::super::Reach;
    use super::*;

    fn jvm(id: &str, state: State) -> Jvm {
        Jvm {
            app: Some("app-1".to_owned()),
            role: Role::Executor,
            id: id.to_owned(),
            host: "node7".to_owned(),
            port: Some(5005),
            state,
            reach: Reach::Open,
            remark: None,
            own_port: None,
            silent: false,
            operators: None,
        }
    }

    #[test]
    fn columns_are_aligned() {
        let long = Jvm { app: None, host: "node7.example".to_owned(), ..jvm("10", State::Listening) };
        assert_eq!(
            table(&[jvm("9", State::Attached), long]),
            "APP    ROLE      ID  HOST           PORT  STATE      NEXT STEP\n\
             app-1  executor  9   node7          5005  attached   a debugger is attached; the JVM listens again when it \
             leaves\n\
             -      executor  10  node7.example  5005  listening  IDE \"Attach to remote JVM\": host node7.example, \
             port 5005\n"
        );
    }

    #[test]
    fn the_alike_dead_are_one_row() {
        let dead = |id: u32| Jvm { remark: Some("it died".to_owned()), ..jvm(&id.to_string(), State::Gone) };
        let rows: Vec<Jvm> = (1..=40).map(dead).collect();
        assert_eq!(
            table(&rows),
            "APP    ROLE      ID    HOST   PORT  STATE  NEXT STEP\n\
             app-1  executor  1…40  node7  5005  gone   40 like this: it died\n"
        );
        assert_eq!(table(&rows[..3]).lines().count(), 4);
        assert_eq!(json(&rows).lines().count(), 42);
    }

    #[test]
    fn what_servers_wrote_commands_no_terminal() {
        let rows = [Jvm { host: "a\u{1b}[2Jb\nc\u{9b}d".to_owned(), ..jvm("1", State::Unknown) }];
        let printed = [table(&rows), json(&rows)];
        assert!(printed.iter().all(|text| !text.contains('\u{1b}') && !text.contains('\u{9b}')), "{printed:?}");
        assert!(printed[0].lines().count() == 2, "{printed:?}");
        let value: serde_json::Value = serde_json::from_str(&printed[1]).unwrap();
        assert_eq!(value[0]["host"], "a\\u{1b}[2Jb c\\u{9b}d");
    }
}
