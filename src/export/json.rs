//! Formats that are JSON documents: merged with one in force, or taken out of it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Map, Value};

use super::configurations::{self, Place};
use super::document::{self, Depth};
use super::merge;
use super::settings::{Family, InForce, Settings, Wish};
use super::{Current, databricks, emr, emr_eks, emr_serverless, livy};
use crate::cli::ExportFormat;
use crate::endpoint::Role;
use crate::error::Failure;
use crate::options::{Exported, Source};
use crate::plan::Note;
use crate::profile::Existing;

/// What came of it.
pub struct Done {
    /// The document.
    pub document: Value,
    /// Whether it is for instance groups of EMR.
    pub is_for_groups: bool,
    /// What to say.
    pub notes: Vec<Note>,
}

/// Merges with the document in force, or takes ours out of it.
///
/// # Errors
/// The document is not one of the service's, or holds what cannot be merged.
pub fn export(wish: &Wish, current: Option<Current>, groups: &[String], off: bool) -> Result<Done, Failure> {
    let (file, text, value) = match current {
        Some(Current { file, text, value }) => (file, text, Some(value)),
        None => (String::new(), String::new(), None),
    };
    let is_new = value.is_none();
    let failed = |what| merge::failure(&file, what);
    let shape = shape(wish.format, value, groups).map_err(failed)?;
    let mut job = Job { wish, document: shape.document, file: PathBuf::from(&file), text, notes: Vec::new() };
    if is_new && shape.is_for_groups {
        job.notes.push(Note::warning(
            "no-current",
            "without --current, what else these groups were configured with is taken away when this is applied: \
             --current takes the answer of `aws emr describe-cluster`",
        ));
    }
    if off {
        job.take_out(&shape.places).map_err(failed)?;
    } else {
        job.put(&shape.places).map_err(|what| failed(what).help(cure(wish.options)))?;
    }
    let mut notes: Vec<Note> = Vec::new();
    for note in job.notes {
        // Groups say the same.
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    Ok(Done { document: job.document, is_for_groups: shape.is_for_groups, notes })
}

fn cure(options: &Exported) -> &'static str {
    match options.existing.value {
        Existing::Replace => "mend it there, or leave the role or --one-executor out",
        Existing::Keep | Existing::Fail => "take it out there, leave the role out, or choose --existing=replace",
    }
}

fn shape(format: ExportFormat, current: Option<Value>, groups: &[String]) -> Result<emr::Shape, String> {
    let (document, places) = match format {
        ExportFormat::Emr => return emr::shape(current, groups),
        ExportFormat::EmrEks => emr_eks::shape(current)?,
        ExportFormat::EmrServerless => emr_serverless::shape(current)?,
        ExportFormat::Livy => livy::shape(current)?,
        _ => databricks::shape(current)?,
    };
    Ok(emr::Shape { document, places, is_for_groups: false })
}

struct Job<'a> {
    wish: &'a Wish<'a>,
    document: Value,
    file: PathBuf,
    text: String,
    notes: Vec<Note>,
}

impl Job<'_> {
    fn put(&mut self, places: &[Place]) -> Result<(), String> {
        // All of them before the first change, which makes what the next way needs.
        let depths = places.iter().map(|place| document::depth(&self.document, &place.way));
        let depths = depths.collect::<Result<Vec<Depth>, String>>()?;
        for (place, depth) in places.iter().zip(depths) {
            let in_force = self.in_force(place);
            let wanted = self.wish.settings(place.family, &in_force);
            if wanted.carriers.is_empty() {
                continue;
            }
            let earlier = document::map(&self.document, &place.way)
                .map(|map| merge::roles_of_ours(map, &self.roles(place.family)))
                .map(|roles| self.settings_of(&roles, place, &in_force))
                .unwrap_or_default();
            // What is empty now would be taken for something that we made.
            let depth = Some(depth.steps).filter(|steps| depth.is_empty && *steps > place.keep);
            self.warn_of_submit_parameters(&wanted);
            if place.family == Family::Spark {
                self.notes.extend(self.wish.pause_notes(&in_force));
            }
            let existing = self.wish.options.existing.value;
            let Some(map) = document::open(&mut self.document, &place.way) else { continue };
            self.notes.extend(merge::put(map, &wanted, &place.inherited, existing, depth, &earlier)?);
        }
        Ok(())
    }

    fn take_out(&mut self, places: &[Place]) -> Result<(), String> {
        let mut found_any = false;
        for place in places {
            document::depth(&self.document, &place.way)?;
            let Some(map) = document::map(&self.document, &place.way) else { continue };
            let targeted: Vec<Role> = self.wish.targets(place.family).iter().map(|target| target.role).collect();
            let ours = merge::roles_of_ours(map, &self.roles(place.family));
            let (go, stay): (Vec<Role>, Vec<Role>) = ours.into_iter().partition(|role| targeted.contains(role));
            let in_force = self.in_force(place);
            if go.is_empty() {
                self.notes.extend(merge::left_behind(map, &targeted));
                continue;
            }
            found_any = true;
            let (gone, stay) = (self.settings_of(&go, place, &in_force), self.settings_of(&stay, place, &in_force));
            let Some(map) = document::open(&mut self.document, &place.way) else { continue };
            let depth = merge::take_out(map, &gone, &stay, &mut self.notes);
            self.notes.extend(merge::left_behind(map, &targeted));
            document::close(&mut self.document, &place.way, place.keep.max(depth.unwrap_or(0)));
        }
        if !found_any {
            let message = format!("`{}` holds no agent of ours: it is printed as it is", self.file.display());
            self.notes.push(Note::info("nothing-of-ours", message));
        }
        Ok(())
    }

    /// The roles of a family that this format has.
    fn roles(&self, family: Family) -> Vec<Role> {
        self.wish.format.roles().iter().copied().filter(|role| Family::of(*role) == family).collect()
    }

    /// What would be set for these roles, whichever were named.
    fn settings_of(&self, roles: &[Role], place: &Place, in_force: &InForce) -> Settings {
        let mut options = self.wish.options.clone();
        let map = document::map(&self.document, &place.way);
        if options.one_executor.source == Source::Default && map.is_some_and(merge::executors_dial) {
            options.one_executor.value = true;
        }
        options.targets.retain(|target| roles.contains(&target.role));
        // Those that nobody named stand for themselves.
        for role in roles.iter().filter(|role| self.wish.options.targets.iter().all(|target| target.role != **role)) {
            options.targets.extend(self.wish.options.targets.first().map(|first| {
                let mut target = first.clone();
                target.role = *role;
                target
            }));
        }
        let mut settings = Wish { options: &options, ..*self.wish }.settings(place.family, in_force);
        settings.carriers.iter_mut().for_each(|carrier| {
            let inherited = place.inherited.get(carrier.key).and_then(Value::as_str);
            carrier.beneath = inherited.map(str::to_owned).or(carrier.beneath.take());
        });
        settings
    }

    fn in_force(&self, place: &Place) -> InForce {
        let own = document::map(&self.document, &place.way).cloned().unwrap_or_else(Map::new);
        let shown = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let values: BTreeMap<String, String> =
            place.inherited.iter().chain(&own).map(|(key, value)| (key.clone(), shown(value))).collect();
        InForce { file: self.file.clone(), text: self.text.clone(), values }
    }

    /// What a job's own words set wins over its configurations.
    fn warn_of_submit_parameters(&mut self, wanted: &Settings) {
        let Some(words) = configurations::submit_parameters(&self.document) else { return };
        let lost = wanted.carriers.iter().find(|carrier| {
            let by_option = carrier.role == Role::Driver && words.contains("--driver-java-options");
            by_option || words.contains(&format!("{}=", carrier.key))
        });
        self.notes.extend(lost.map(|carrier| {
            Note::warning(
                "submit-parameters",
                format!(
                    "`sparkSubmitParameters` sets {} too, and wins: move its value into the configuration, or the {} has \
                     no agent",
                    carrier.key, carrier.role
                ),
            )
        }));
    }
}
