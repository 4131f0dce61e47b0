//! Where words cannot take anything along: settings as system properties in `SPARK_SUBMIT_OPTS`, from which Spark
//! takes what no word and no file says.

use super::Edits;
use crate::environment::Environment;
use crate::error::Failure;
use crate::jvm::options::{self as jvm_options, Splitter};
use crate::plan::{LaunchPlan, Note};
use crate::spark::jvm_variables::SUBMIT_OPTS;

impl Edits {
    /// Turns changed keys into properties.
    ///
    /// # Errors
    /// A debug agent, which would be lost to a value that stands in a file.
    pub(super) fn carry_by_variable(
        &mut self,
        environment: &Environment,
        plan: &mut LaunchPlan,
    ) -> Result<(), Failure> {
        for (key, edit) in std::mem::take(&mut self.conf) {
            if edit.before.as_ref().is_some_and(|before| before.text == edit.after) {
                continue;
            }
            let current = self.current_variable(environment, SUBMIT_OPTS);
            let (current, in_variable) = without_property(&current, key, &edit.after);
            let in_variable = in_variable.map(|value| format!("`{value}` in {SUBMIT_OPTS}"));
            let in_file = edit.before.map(|before| format!("`{}` ({})", before.text, before.origin));
            match in_file.or(in_variable) {
                Some(given) if is_for_a_jvm(key) => {
                    return Err(Failure::world(format!(
                        "{key} is {given}, over which no variable puts the debug agent"
                    ))
                    .help("start it with sparkdbg submit, or by its shim: both change the words"));
                }
                Some(given) => plan.notes.push(Note::warning(
                    "left-out",
                    format!("{key}={} is left out: {given} wins over a variable ({})", edit.after, edit.why.join("; ")),
                )),
                None => {
                    let merged = jvm_options::prepend(&format!("-D{key}={}", edit.after), &current);
                    self.set_variable(environment, SUBMIT_OPTS, merged, edit.why.join("; "));
                }
            }
        }
        Ok(())
    }
}

fn is_for_a_jvm(key: &str) -> bool {
    key.ends_with("JavaOptions")
}

/// The options without a property that is ours from an earlier time, and the value of one that is not.
fn without_property(raw: &str, key: &str, after: &str) -> (String, Option<String>) {
    let start = format!("-D{key}=");
    let words = jvm_options::split(raw, Splitter::Launcher).unwrap_or_default();
    let Some((word, value)) = words.iter().rev().find_map(|word| Some((word, word.text.strip_prefix(&start)?))) else {
        return (raw.to_owned(), None);
    };
    if value != after && !jvm_options::is_agent(value) {
        return (raw.to_owned(), Some(value.to_owned()));
    }
    let rest = format!("{}{}", &raw[..word.span.start], raw[word.span.end..].trim_start());
    (rest.trim_end().to_owned(), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_property_of_ours_is_taken_out() {
        let agent = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0";
        let cut = |raw: &str| without_property(raw, "k", "7200s");
        assert_eq!(cut("-Da=1 -Dkk=2"), ("-Da=1 -Dkk=2".to_owned(), None));
        assert_eq!(cut("-Da=1 -Dk=7200s \"-Db=2 3\""), ("-Da=1 \"-Db=2 3\"".to_owned(), None));
        assert_eq!(cut(&format!("-Dk={agent}")), (String::new(), None));
        assert_eq!(cut("-Dk=10s"), ("-Dk=10s".to_owned(), Some("10s".to_owned())));
    }
}
