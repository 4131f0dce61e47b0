//! Changed values of a launch of Flink, gathered first and written once: variables, `-D` of the words, and
//! settings for the daemons that a script starts.

use std::collections::BTreeMap;

use super::helper_home;
use super::sources;
use crate::endpoint::Role;
use crate::environment::flink::FlinkEnvironment;
use crate::error::Failure;
use crate::flink::deployment::Deployment;
use crate::flink::java_opts::VARIABLE_ALL;
use crate::flink::script::Script;
use crate::pause::Setting;
use crate::plan::{LaunchPlan, Rewrite};
use crate::text;

#[derive(Debug)]
struct Edit {
    after: String,
    why: Vec<String>,
}

/// Everything that will change.
#[derive(Debug, Default)]
pub struct Edits {
    variables: BTreeMap<&'static str, Edit>,
    keys: BTreeMap<&'static str, Edit>,
    /// In their order, which is that of their importance.
    settings: Vec<Setting>,
    jobmanager: Vec<Setting>,
    taskmanager: Vec<Setting>,
}

impl Edits {
    /// The value that a variable has by now.
    pub fn variable(&self, environment: &FlinkEnvironment, name: &str) -> String {
        match self.variables.get(name) {
            Some(edit) => edit.after.clone(),
            None => environment.variable(name).unwrap_or_default().to_owned(),
        }
    }

    /// Whether a variable gets another value.
    pub fn changes(&self, name: &str) -> bool {
        self.variables.contains_key(name)
    }

    /// Gives a variable another value; an empty one removes it.
    pub fn set_variable(&mut self, name: &'static str, after: String, why: &str) {
        add(&mut self.variables, name, after, why);
    }

    /// The options that a variable stands for, be it set or not: what the scripts would make of the
    /// configuration.
    pub fn group(&self, role: Role, variable: &'static str, environment: &FlinkEnvironment) -> String {
        let current = self.variable(environment, variable);
        if !current.is_empty() {
            return current;
        }
        let in_file = sources::behind(variable, role, environment).into_iter().map(|source| source.text);
        let added = environment.scripts.added_options.iter().map(|option| (*option).to_owned());
        let added = added.filter(|_| variable == VARIABLE_ALL);
        added.chain(in_file).collect::<Vec<_>>().join(" ")
    }

    /// The value that a key has by now.
    pub fn key(&self, environment: &FlinkEnvironment, key: &str) -> String {
        match self.keys.get(key) {
            Some(edit) => edit.after.clone(),
            None => environment.given(key).map(|(value, _)| value).unwrap_or_default(),
        }
    }

    /// Gives a key another value, for a cluster that is deployed.
    pub fn set_key(&mut self, key: &'static str, after: String, why: &str) {
        add(&mut self.keys, key, after, why);
    }

    /// Settings that nobody made: for a cluster that is deployed or the one JVM, in the words.
    pub fn settings(&mut self, settings: Vec<Setting>) {
        self.settings = settings;
    }

    /// Settings that nobody made, for the daemons that a script starts.
    pub fn daemons(&mut self, jobmanager: Vec<Setting>, taskmanager: Vec<Setting>) {
        self.jobmanager = jobmanager;
        self.taskmanager = taskmanager;
    }

    /// Writes it all into the plan.
    ///
    /// # Errors
    /// A helper file is needed and has no place.
    pub fn apply(self, environment: &FlinkEnvironment, plan: &mut LaunchPlan) -> Result<(), Failure> {
        for (name, edit) in self.variables {
            let before = environment.variable(name).map(str::to_owned);
            let after = Some(edit.after).filter(|after| !after.is_empty());
            plan.env.insert(name.to_owned(), after.as_deref().map(text::encode));
            let from = "environment → environment of the child".to_owned();
            plan.rewrites.push(Rewrite { name: name.to_owned(), before, after, from, why: edit.why.join("; ") });
        }
        let mut inserted = Vec::new();
        for (key, edit) in self.keys {
            let before = environment.given(key);
            let from = match environment.line.get(key) {
                Some(dynamic) => {
                    let mut word = environment.words[dynamic.at].clone();
                    word.replace_range(dynamic.range.clone(), &edit.after);
                    plan.args[dynamic.at] = text::encode(&word);
                    format!("-D{key} → in place")
                }
                None => {
                    inserted.extend(environment.line.words_for(key, &edit.after));
                    let place = before.as_ref().map_or("not set", |(_, place)| place.as_str());
                    format!("{place} → one -D more, which wins")
                }
            };
            plan.rewrites.push(Rewrite {
                name: key.to_owned(),
                before: before.map(|(value, _)| value),
                after: Some(edit.after),
                from,
                why: edit.why.join("; "),
            });
        }
        for Setting { key, value, why } in self.settings {
            inserted.extend(environment.line.words_for(key, &value));
            plan.rewrites.push(setting(key, value, "not set → one -D more".to_owned(), why));
        }
        let place = environment.line.place;
        plan.args.splice(place..place, inserted.iter().map(|word| text::encode(word)));
        if !self.jobmanager.is_empty() || !self.taskmanager.is_empty() {
            write_daemons(self.jobmanager, self.taskmanager, environment, plan)?;
        }
        Ok(())
    }
}

fn add(edits: &mut BTreeMap<&'static str, Edit>, name: &'static str, after: String, why: &str) {
    let edit = edits.entry(name).or_insert_with(|| Edit { after: String::new(), why: Vec::new() });
    edit.after = after;
    if !edit.why.iter().any(|known| known == why) {
        edit.why.push(why.to_owned());
    }
}

fn setting(key: &str, value: String, from: String, why: String) -> Rewrite {
    Rewrite { name: key.to_owned(), before: None, after: Some(value), from, why }
}

/// Where the script takes `-D`, as two words; else through helpers that its daemons go through.
fn write_daemons(
    jobmanager: Vec<Setting>,
    taskmanager: Vec<Setting>,
    environment: &FlinkEnvironment,
    plan: &mut LaunchPlan,
) -> Result<(), Failure> {
    debug_assert_eq!(environment.deployment, Deployment::Here);
    let takes_settings = match environment.script {
        Script::JobManager => environment.scripts.jobmanager_takes_settings,
        Script::StartCluster => false,
        _ => true,
    };
    if !takes_settings {
        helper_home::add(&jobmanager, &taskmanager, environment, plan)?;
    }
    let from = match takes_settings {
        true => "one -D more".to_owned(),
        false => format!("-D of the daemon, since `{}` takes none", environment.script.file_name()),
    };
    let both = |one: &Setting, others: &[Setting]| others.iter().any(|other| other.key == one.key);
    let of = |name: &str| if takes_settings { String::new() } else { format!(" of the {name}") };
    let mut words = Vec::new();
    for one in &jobmanager {
        let whose =
            if both(one, &taskmanager) { " of JobManager and TaskManagers".to_owned() } else { of("JobManager") };
        plan.rewrites.push(setting(one.key, one.value.clone(), format!("not set → {from}{whose}"), one.why.clone()));
    }
    for one in taskmanager.iter().filter(|one| !both(one, &jobmanager)) {
        let whose = of("TaskManagers");
        plan.rewrites.push(setting(one.key, one.value.clone(), format!("not set → {from}{whose}"), one.why.clone()));
    }
    for Setting { key, value, .. } in jobmanager.iter().chain(&taskmanager).filter(|_| takes_settings) {
        words.extend(["-D".to_owned(), format!("{key}={value}")]);
    }
    let place = environment.line.place;
    plan.args.splice(place..place, words.iter().map(|word| text::encode(word)));
    Ok(())
}
