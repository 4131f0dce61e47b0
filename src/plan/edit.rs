//! Changed values, gathered first and written once: one word of the command line, one `--conf` more,
//! or one variable.

mod by_variable;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{LaunchPlan, Rewrite, agents, overlay};
use crate::environment::Environment;
use crate::error::Failure;
use crate::jvm::options as jvm_options;
use crate::options::Options;
use crate::spark::conf::{Origin, Value};
use crate::spark::python_words;
use crate::text;

/// A key's value before and after.
#[derive(Debug)]
struct ConfEdit {
    before: Option<Value>,
    after: String,
    why: Vec<String>,
}

#[derive(Debug)]
struct VariableEdit {
    before: String,
    after: String,
    changed_by_spark_env: bool,
    why: Vec<String>,
}

/// Everything that will change.
#[derive(Debug, Default)]
pub struct Edits {
    conf: BTreeMap<&'static str, ConfEdit>,
    variables: BTreeMap<&'static str, VariableEdit>,
    options: Vec<(&'static str, Value)>,
    /// Debug agents typed in front of the class of `spark-class` go.
    drop_before_class: bool,
}

impl Edits {
    /// The value that a key has by now.
    pub fn current(&self, environment: &Environment, key: &str) -> String {
        match self.conf.get(key) {
            Some(edit) => edit.after.clone(),
            None => environment.conf().get(key).map(|value| value.text).unwrap_or_default(),
        }
    }

    /// The value that a variable has by now.
    pub fn current_variable(&self, environment: &Environment, name: &str) -> String {
        match self.variables.get(name) {
            Some(edit) => edit.after.clone(),
            None => environment.variables.get(name).map(|variable| variable.text.clone()).unwrap_or_default(),
        }
    }

    /// Gives a key another value.
    pub fn set_conf(&mut self, environment: &Environment, key: &'static str, after: String, why: String) {
        self.set_value(key, environment.conf().get(key), after, why);
    }

    /// Gives a key another value, where it stands in the place of `before`.
    pub fn set_value(&mut self, key: &'static str, before: Option<Value>, after: String, why: String) {
        let edit = self.conf.entry(key).or_insert_with(|| ConfEdit { before, after: String::new(), why: Vec::new() });
        edit.after = after;
        if !edit.why.contains(&why) {
            edit.why.push(why);
        }
    }

    /// Takes the debug agents away that were typed in front of the class of `spark-class`.
    pub fn drop_agents_before_class(&mut self) {
        self.drop_before_class = true;
    }

    /// Gives a variable another value; an empty one removes it.
    pub fn set_variable(&mut self, environment: &Environment, name: &'static str, after: String, why: String) {
        let variable = environment.variables.get(name);
        let edit = self.variables.entry(name).or_insert_with(|| VariableEdit {
            before: variable.map(|variable| variable.text.clone()).unwrap_or_default(),
            after: String::new(),
            changed_by_spark_env: variable.is_some_and(|variable| variable.from_spark_env),
            why: Vec::new(),
        });
        edit.after = after;
        if !edit.why.contains(&why) {
            edit.why.push(why);
        }
    }

    /// Says on the command line what only a variable said, since the launcher does not look there.
    pub fn spell_out(&mut self, option: &'static str, value: Value) {
        self.options.push((option, value));
    }

    /// Writes it all into the plan.
    ///
    /// # Errors
    /// A value that nothing of ours can change, or a helper file that has no place.
    pub fn apply(mut self, options: &Options, environment: &Environment, plan: &mut LaunchPlan) -> Result<(), Failure> {
        if options.puts_all_in_variables() {
            self.carry_by_variable(environment, plan)?;
        }
        self.write(options, environment, plan)
    }

    fn write(self, options: &Options, environment: &Environment, plan: &mut LaunchPlan) -> Result<(), Failure> {
        let mut words = Words { replaced: BTreeMap::new(), inserted: Vec::new() };
        for (option, value) in self.options {
            plan.rewrites.push(Rewrite {
                name: option.to_owned(),
                before: None,
                after: Some(value.text.clone()),
                from: format!("{} → one more argument", value.origin),
                why: "Spark's launcher does not read the variable, and would put the agent on the submitting JVM too"
                    .to_owned(),
            });
            words.inserted.extend([option.to_owned(), value.text]);
        }
        for (key, edit) in self.conf {
            let before = edit.before.as_ref().map(|value| value.text.clone());
            if before.as_deref() == Some(edit.after.as_str()) {
                continue;
            }
            let place = edit.before.as_ref().map_or("not set".to_owned(), |value| value.origin.to_string());
            let from = match edit.before.map(|value| value.origin) {
                Some(Origin::Argument { at, range, option, .. }) => {
                    // `--driver-java-options=` without a value is no option to Spark.
                    let left_empty = edit.after.is_empty() && option != "--conf" && range.start > 0;
                    let change =
                        if left_empty { (0..range.end, format!("--conf={key}=")) } else { (range, edit.after.clone()) };
                    words.replaced.insert(at, change);
                    format!("{place} → in place")
                }
                _ => {
                    words.inserted.extend(["--conf".to_owned(), format!("{key}={}", edit.after)]);
                    format!("{place} → one --conf more, which wins")
                }
            };
            plan.rewrites.push(Rewrite {
                name: key.to_owned(),
                before,
                after: Some(edit.after),
                from,
                why: edit.why.join("; "),
            });
        }
        words.write(options, environment, plan);
        if self.drop_before_class {
            let (before, rest) = plan.args.split_at(options.before_class.len());
            let kept = before.iter().filter(|word| !jvm_options::is_agent_or_companion(&text::decode(word)));
            plan.args = kept.chain(rest).cloned().collect();
        }
        write_variables(self.variables, environment, plan)
    }
}

/// Changes to the words that `spark-submit` sees.
struct Words {
    replaced: BTreeMap<usize, (std::ops::Range<usize>, String)>,
    inserted: Vec<String>,
}

impl Words {
    fn write(self, options: &Options, environment: &Environment, plan: &mut LaunchPlan) {
        if self.replaced.is_empty() && self.inserted.is_empty() {
            return;
        }
        let changed = self.replaced.into_iter().map(|(at, (range, value))| {
            let mut word = environment.words[at].clone();
            word.replace_range(range, &value);
            (at, word)
        });
        if let Some(raw) = &environment.python_args {
            let args = rewrite_python_args(raw, environment.line.start, changed, &self.inserted);
            plan.env.insert("PYSPARK_SUBMIT_ARGS".to_owned(), Some(text::encode(&args)));
            return;
        }
        let given = options.before_class.len() + options.tool.given_words().len();
        for (at, word) in changed {
            plan.args[at - environment.hidden + given] = text::encode(&word);
        }
        let start = given + environment.line.start.saturating_sub(environment.hidden);
        plan.args.splice(start..start, self.inserted.iter().map(|word| text::encode(word)));
    }
}

fn rewrite_python_args(
    raw: &str,
    start: usize,
    changed: impl DoubleEndedIterator<Item = (usize, String)>,
    inserted: &[String],
) -> String {
    let words = python_words::split(raw);
    let mut args = raw.to_owned();
    for (at, word) in changed.rev() {
        args.replace_range(words[at].span.clone(), &shell_words::quote(&word));
    }
    let at = words.get(start).map_or(raw.len(), |word| word.span.start);
    let mut prefix = inserted.iter().map(|word| shell_words::quote(word).into_owned()).collect::<Vec<_>>().join(" ");
    if !prefix.is_empty() {
        prefix.push(' ');
        args.insert_str(at, &prefix);
    }
    args
}

fn write_variables(
    variables: BTreeMap<&'static str, VariableEdit>,
    environment: &Environment,
    plan: &mut LaunchPlan,
) -> Result<(), Failure> {
    // Once the file was sourced, it has the last word on each variable that it names: even one that it
    // left alone may be a default that only our change would let it set.
    let needs_overlay = environment.sourced && !variables.is_empty();
    for (name, edit) in variables {
        if environment.variables.get(name).is_some_and(|variable| variable.read_only) {
            let script = environment.spark_env.as_deref().unwrap_or(Path::new("spark-env.sh"));
            let failure = Failure::world(format!(
                "`{}` makes {name} read-only, so that nothing after it can change it for the debug agent",
                script.display()
            ));
            if name == "JAVA_HOME" {
                return Err(failure.help(
                    "take `readonly` out there, or debug the executors of one application: sparkdbg submit --executor",
                ));
            }
            return Err(match agents::find_in_variable(environment, name) {
                true => failure.help("take the agent out there, or debug with it: --existing=keep"),
                false => failure.help("take `readonly` out there"),
            });
        }
        let after = Some(edit.after).filter(|after| !after.is_empty());
        let from = if needs_overlay {
            debug_assert!(overlay::sets(name), "{name} would be lost");
            // An empty value makes the overlay remove the variable.
            let value = text::encode(after.as_deref().unwrap_or_default());
            plan.env.insert(format!("SPARKDBG_SET_{name}"), Some(value));
            let script = environment.spark_env.as_deref().unwrap_or(Path::new("spark-env.sh"));
            match edit.changed_by_spark_env {
                true => format!("{} → a helper conf directory that sources it first", script.display()),
                false => format!("environment → a helper conf directory, after {}", script.display()),
            }
        } else {
            plan.env.insert(name.to_owned(), after.as_deref().map(text::encode));
            "environment → environment of the child".to_owned()
        };
        let before = Some(edit.before).filter(|before| !before.is_empty());
        plan.rewrites.push(Rewrite { name: name.to_owned(), before, after, from, why: edit.why.join("; ") });
    }
    if needs_overlay {
        let real = environment.spark_env.as_ref().and_then(|script| script.parent()).unwrap_or(Path::new(""));
        let file = overlay::file(environment)?;
        let dir = file.path.parent().map(PathBuf::from).unwrap_or_default();
        // Variables of ours may be set already: then it stands in front of the real one, not of itself.
        if environment.spark_env.as_ref() != Some(&file.path) {
            plan.env.insert("SPARKDBG_CONF_DIR".to_owned(), Some(real.as_os_str().to_owned()));
            plan.env.insert("SPARK_CONF_DIR".to_owned(), Some(dir.into_os_string()));
        }
        plan.files.push(file);
    }
    Ok(())
}
