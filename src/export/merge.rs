//! Our settings in a map of the user's, and out of it again, so that nothing else changes and the order stays.

use serde_json::{Map, Value};

use super::settings::{self, Carrier, Settings};
use super::undo::{self, Undo};
use crate::endpoint::Role;
use crate::error::Failure;
use crate::jvm::jdwp::Agent;
use crate::jvm::options::{self as jvm_options, Splitter};
use crate::plan::Note;
use crate::profile::Existing;

/// How every agent of ours begins.
const START: &str = "-agentlib:jdwp=transport=dt_socket,server=";

/// An agent of ours at the start of a value.
struct Ours<'t> {
    agent: &'t str,
    before: Option<&'t str>,
    undo: Undo,
}

/// Recognises it: whatever its address, since the user may have forgotten which.
fn ours(text: &str) -> Option<Ours<'_>> {
    let agent = text.split(' ').next().filter(|word| word.starts_with(START))?;
    let is_one_word = agent.chars().all(|c| c.is_ascii_graphic() && !"\"'\\".contains(c));
    Agent::parse(agent).filter(|_| is_one_word)?;
    let (before, undo) = Undo::take_from(&text[agent.len()..]);
    Some(Ours { agent, before, undo })
}

fn text<'m>(map: &'m Map<String, Value>, key: &str) -> Option<&'m str> {
    map.get(key).and_then(Value::as_str)
}

/// Which of these roles have an agent of ours in the map.
pub fn roles_of_ours(map: &Map<String, Value>, roles: &[Role]) -> Vec<Role> {
    let has = |role: &Role| text(map, settings::key(*role)).is_some_and(|text| ours(text).is_some());
    roles.iter().copied().filter(has).collect()
}

/// Whether the executors were told to dial, which holds an application to one unless somebody says otherwise.
pub fn executors_dial(map: &Map<String, Value>) -> bool {
    let agent = text(map, settings::key(Role::Executor)).and_then(ours).and_then(|ours| Agent::parse(ours.agent));
    agent.is_some_and(|agent| !agent.listens())
}

/// Puts the settings in. `inherited`: what is in force where the map says nothing; `depth`: see [`Undo::depth`];
/// `earlier`: what an export set whose agents are there.
///
/// # Errors
/// A value that is no string or cannot be given back; an agent that is there already and is not to be replaced.
pub fn put(
    map: &mut Map<String, Value>,
    wanted: &Settings,
    inherited: &Map<String, Value>,
    existing: Existing,
    depth: Option<usize>,
    earlier: &Settings,
) -> Result<Vec<Note>, String> {
    let mut notes = Vec::new();
    let is_ours = |key: &str| earlier.settings.iter().any(|setting| setting.key == key);
    let mut undo = Undo { depth, ..Undo::default() };
    let mut own = Vec::new();
    for carrier in &wanted.carriers {
        refuse_agent_from_above(map, carrier, inherited)?;
        own.push(take_agents_out(map, carrier, existing, &mut undo, &mut notes)?);
    }
    let mut to_set = Vec::new();
    for setting in &wanted.settings {
        if setting.unless.is_some_and(|other| map.contains_key(other) || inherited.contains_key(other)) {
            continue;
        }
        match map.get(setting.key).or_else(|| inherited.get(setting.key)) {
            None => {}
            Some(Value::String(value)) if *value == setting.value => {
                if !is_ours(setting.key) && map.contains_key(setting.key) {
                    undo.keys.insert(setting.key.to_owned(), None);
                }
                continue;
            }
            Some(value) if setting.over => {
                let before = value.as_str().filter(|value| undo::can_hold(value));
                let before = before.ok_or_else(|| {
                    format!("`{}` cannot be changed to `{}` and given back: {value}", setting.key, setting.value)
                })?;
                notes.push(Note::info(
                    "one-executor",
                    format!(
                        "{} is `{before}`; it becomes `{}`: {}; --all-executors leaves it",
                        setting.key, setting.value, setting.why
                    ),
                ));
                if map.contains_key(setting.key) {
                    undo.keys.entry(setting.key.to_owned()).or_insert(Some(before.to_owned()));
                }
            }
            Some(value) => {
                if is_ours(setting.key) {
                    notes.push(stays(setting.key, value));
                }
                continue;
            }
        }
        to_set.push(setting);
    }
    for (carrier, own) in wanted.carriers.iter().zip(&own) {
        if own.is_some() && *own == carrier.beneath {
            undo.keys.insert(carrier.key.to_owned(), None);
        }
    }
    for (at, (carrier, own)) in wanted.carriers.iter().zip(own).enumerate() {
        let undo = if at == 0 { &undo } else { &Undo::default() };
        // The user's value, else the one in force, else the service's own.
        let base = own.or_else(|| in_force(inherited, carrier.key)).or_else(|| carrier.beneath.clone());
        map.insert(carrier.key.to_owned(), Value::from(undo.put_before(&carrier.agent, base.as_deref())));
    }
    for setting in to_set {
        map.insert(setting.key.to_owned(), Value::from(setting.value.clone()));
    }
    Ok(notes)
}

/// What is in force from elsewhere, without an agent.
fn in_force(inherited: &Map<String, Value>, key: &str) -> Option<String> {
    let text = text(inherited, key)?;
    let text = ours(text).map_or(Some(text), |ours| ours.before)?;
    Some(jvm_options::remove_agents(text, Splitter::Executor))
}

/// An agent in a key that reaches the same JVM and is not ours to change: two keep a JVM from starting.
fn refuse_agent_from_above(
    map: &Map<String, Value>,
    carrier: &Carrier,
    inherited: &Map<String, Value>,
) -> Result<(), String> {
    let keys = settings::other_keys(carrier.role).iter().filter(|key| !map.contains_key(**key));
    let mut found = keys.filter_map(|key| {
        let agents = jvm_options::find_agents(text(inherited, key)?, Splitter::Executor);
        Some((key, agents.into_iter().next()?.text))
    });
    match found.next_back() {
        None => Ok(()),
        Some((key, agent)) => Err(format!(
            "the cluster's own configuration has a debug agent, `{agent}` in {key}: give the group a {key} without one"
        )),
    }
}

/// Does with the agents that are there already what the user chose, with ours of an earlier export too. Returns what
/// the user's value is without them; the value itself stays, and so its place.
fn take_agents_out(
    map: &mut Map<String, Value>,
    carrier: &Carrier,
    existing: Existing,
    undo: &mut Undo,
    notes: &mut Vec<Note>,
) -> Result<Option<String>, String> {
    let mut own = None;
    let keys = std::iter::once(&carrier.key).chain(settings::other_keys(carrier.role));
    for key in keys {
        let value = match map.get(*key) {
            None => continue,
            Some(Value::String(value)) => value.clone(),
            Some(_) => return Err(format!("`{key}` is no string")),
        };
        let mut found: Vec<String> =
            jvm_options::find_agents(&value, Splitter::Executor).into_iter().map(|agent| agent.text).collect();
        let is_carrier = *key == carrier.key;
        let Some(first) = found.first() else {
            own = own.or(Some(value).filter(|_| is_carrier));
            continue;
        };
        match existing {
            Existing::Replace => {}
            Existing::Fail => return Err(format!("a debug agent is there already: `{first}` in {key}")),
            Existing::Keep => {
                return Err(format!(
                    "`{first}` in {key} is to be kept: there is nothing to export for the {}",
                    carrier.role
                ));
            }
        }
        if let Some(earlier) = ours(&value).filter(|_| is_carrier) {
            undo.depth = undo.depth.or(earlier.undo.depth);
            undo.keys.extend(earlier.undo.keys);
            found.retain(|agent| *agent != carrier.agent);
        }
        if is_carrier {
            own = without_agents(&value, carrier, undo);
        } else {
            match jvm_options::remove_agents(&value, Splitter::Executor) {
                rest if rest.is_empty() => map.shift_remove(*key),
                rest => map.insert(key.to_string(), Value::from(rest)),
            };
        }
        notes.extend(found.iter().map(|agent| {
            Note::info("replaced-agent", format!("replaced: `{agent}` in {key}; --off does not bring it back"))
        }));
    }
    Ok(own)
}

/// A carrier's value without its agents, ours with what it brought along; `None`: nothing else was there.
fn without_agents(value: &str, carrier: &Carrier, undo: &Undo) -> Option<String> {
    let before = match ours(value) {
        Some(ours) => {
            let is_beneath = ours.before.is_some() && ours.before == carrier.beneath.as_deref();
            ours.before.filter(|_| !is_beneath || undo.keys.contains_key(carrier.key))?
        }
        None => value,
    };
    let rest = jvm_options::remove_agents(before, Splitter::Executor);
    Some(rest).filter(|rest| !rest.is_empty() || before.is_empty())
}

/// Takes the settings out again: the agents, and each key that has the value of these settings. Nothing of a map
/// without an agent of ours. `stay`: what roles need that stay debugged. Returns the depth that the way had.
pub fn take_out(
    map: &mut Map<String, Value>,
    ours_here: &Settings,
    stay: &Settings,
    notes: &mut Vec<Note>,
) -> Option<usize> {
    let mut undo = Undo::default();
    for carrier in &ours_here.carriers {
        let Some(ours) = text(map, carrier.key).and_then(ours) else { continue };
        undo.depth = undo.depth.or(ours.undo.depth);
        undo.keys.extend(ours.undo.keys);
        if ours.agent != carrier.agent && !carrier.by_default {
            let message =
                format!("taken out: `{}` in {}, which these options would not have set", ours.agent, carrier.key);
            notes.push(Note::info("other-agent", message));
        }
    }
    for carrier in &ours_here.carriers {
        let Some(value) = text(map, carrier.key) else { continue };
        match without_agents(value, carrier, &undo) {
            Some(rest) => map.insert(carrier.key.to_owned(), Value::from(rest)),
            None => map.shift_remove(carrier.key),
        };
    }
    for setting in &ours_here.settings {
        if stay.settings.iter().any(|needed| needed.key == setting.key) {
            continue;
        }
        match (map.get(setting.key), undo.keys.get(setting.key)) {
            (Some(Value::String(value)), Some(Some(before))) if *value == setting.value => {
                map.insert(setting.key.to_owned(), Value::from(before.clone()));
            }
            (Some(Value::String(value)), None) if *value == setting.value => {
                map.shift_remove(setting.key);
            }
            (Some(value), None) => notes.push(stays(setting.key, value)),
            _ => {}
        }
    }
    // What only our own word told must not go with the agent that carried it.
    if let Some(carrier) = stay.carriers.first().filter(|_| undo != Undo::default()) {
        let moved = text(map, carrier.key).and_then(ours).map(|Ours { agent, before, undo: own }| {
            undo.depth = undo.depth.or(own.depth);
            undo.keys.extend(own.keys);
            undo.put_before(agent, before)
        });
        map.extend(moved.map(|moved| (carrier.key.to_owned(), Value::from(moved))));
    }
    undo.depth
}

fn stays(key: &str, value: &Value) -> Note {
    let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    Note::info("other-value", format!("{key} stays `{value}`, which is not what these options set"))
}

/// Agents that stay where ours never stand.
pub fn left_behind(map: &Map<String, Value>, roles: &[Role]) -> Vec<Note> {
    let mut keys: Vec<&str> = roles.iter().flat_map(|role| settings::other_keys(*role)).copied().collect();
    keys.extend(roles.iter().map(|role| settings::key(*role)));
    keys.sort_unstable();
    keys.dedup();
    let found = keys.into_iter().filter_map(|key| {
        let agents = jvm_options::find_agents(text(map, key)?, Splitter::Executor);
        Some((key, agents.into_iter().next()?.text))
    });
    let note = |(key, agent)| Note::warning("agent-stays", format!("a debug agent stays: `{agent}` in {key}"));
    found.map(note).collect()
}

/// A failure of a file of the user's.
pub fn failure(file: &str, what: String) -> Failure {
    Failure::world(format!("`{file}`: {what}"))
}
