//! The rows for people and for programs. Pure. What servers wrote is made harmless for a terminal.

use serde_json::json;

use super::Jvm;
use super::next_step::next_steps;
use crate::secrets::for_terminal;

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
    let rows: Vec<[String; 7]> = std::iter::once(HEADINGS.map(str::to_owned)).chain(rows).collect();
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

/// One array, one object per JVM.
pub fn json(jvms: &[Jvm]) -> String {
    let steps = next_steps(jvms);
    let rows = jvms.iter().zip(steps).map(|(jvm, step)| {
        json!({
            "app": jvm.app.as_deref().map(cell),
            "role": jvm.role.name(),
            "id": cell(&jvm.id),
            "host": cell(&jvm.host),
            "port": jvm.port,
            "state": jvm.state.name(),
            "hint": cell(&step),
        })
    });
    let rows: Vec<String> = rows.map(|row| format!("  {row}")).collect();
    if rows.is_empty() { "[]\n".to_owned() } else { format!("[\n{}\n]\n", rows.join(",\n")) }
}

/// One line that commands no terminal.
fn cell(text: &str) -> String {
    for_terminal(text).replace(['\n', '\t'], " ")
}
