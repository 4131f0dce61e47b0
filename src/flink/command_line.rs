//! The words of a Flink script: what it is asked to do, its `-D` settings, and where it deploys to.

mod known;

use std::ops::Range;

use super::script::Script;

/// A `-Dkey=value`, or `-D key=value` in two words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dynamic {
    /// The key.
    pub key: String,
    /// The value; `true` where there is none.
    pub value: String,
    /// The word that holds it.
    pub at: usize,
    /// The value in that word, in bytes; empty at its end where there is none.
    pub range: Range<usize>,
    /// Whether it is one word, glued to its `-D`.
    pub is_glued: bool,
    /// Whether it is a `-yD`, which `-m yarn-cluster` reads in the place of `-D`.
    pub is_old: bool,
}

/// Another option that decides where a job goes, with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The option as it is typed.
    pub option: String,
    /// Its value.
    pub value: String,
}

/// The words, understood as far as it matters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandLine {
    /// The action of `flink`, or `start` and its like.
    pub action: Option<String>,
    /// The settings, in their order.
    pub dynamic: Vec<Dynamic>,
    /// `-t`, `-e` and their long forms.
    pub target: Option<Setting>,
    /// `-m`: an address, or the old `yarn-cluster`.
    pub jobmanager: Option<Setting>,
    /// `-yid` of `flink`, `-id` of `yarn-session.sh`: a session that runs.
    pub session: Option<Setting>,
    /// What asks for help or a version, and so starts nothing to debug.
    pub question: Option<String>,
    /// Whether the client stops the job when it ends (`-sae`).
    pub stops_job_at_exit: bool,
    /// The job is a Python program.
    pub python: bool,
    /// The first word of `flink` that is the job's: its jar, or an argument of its program.
    pub job: Option<usize>,
    /// Where a `-D` may be put so that Flink reads it.
    pub place: usize,
    /// Whether that is a `-yD`.
    pub takes_old: bool,
    /// `jobmanager.sh start HOST`: the host.
    pub host: Option<String>,
}

impl CommandLine {
    /// The setting that counts for a key: the last.
    pub fn get(&self, key: &str) -> Option<&Dynamic> {
        self.dynamic.iter().rev().find(|dynamic| dynamic.key == key)
    }

    /// The words of a further setting.
    pub fn words_for(&self, key: &str, value: &str) -> Vec<String> {
        match self.takes_old {
            // Flink reads no `-yDkey=value` in one word.
            true => vec!["-yD".to_owned(), format!("{key}={value}")],
            false => vec![format!("-D{key}={value}")],
        }
    }

    /// Leaves the settings out that nobody reads. `takes_old`: the job goes to YARN by `-m yarn-cluster`.
    pub fn drop_unread(&mut self, takes_old: bool) {
        self.takes_old = takes_old;
        self.dynamic.retain(|dynamic| dynamic.is_old == takes_old);
    }

    /// Whether a script of daemons is asked to start one.
    pub fn starts(&self) -> bool {
        matches!(self.action.as_deref(), Some("start" | "start-foreground"))
    }
}

/// Reads the words.
pub fn scan(script: Script, words: &[String]) -> CommandLine {
    match script {
        Script::Flink => {
            let Some((action, rest)) = words.split_first().filter(|(first, _)| !first.starts_with('-')) else {
                return CommandLine { question: words.first().cloned(), ..CommandLine::default() };
            };
            let mut line = options(script, rest, 1);
            line.action = Some(action.clone());
            line
        }
        Script::YarnSession | Script::KubernetesSession => options(script, words, 0),
        Script::SqlClient => {
            // `embedded` or `gateway`, which need not be there.
            let mode = words.first().filter(|word| !word.starts_with('-'));
            let start = usize::from(mode.is_some());
            CommandLine { action: mode.cloned(), ..options(script, &words[start..], start) }
        }
        _ => {
            // The words of a job stand behind those of `standalone-job.sh`, which takes none of ours there.
            let mut line = options(script, words.get(1..).unwrap_or_default(), 1.min(words.len()));
            line.action = words.first().cloned();
            if script == Script::SqlGateway {
                line.action.get_or_insert_with(|| "start".to_owned());
                // Its pattern is `*-h*`, whatever the word means.
                line.question = words.iter().find(|word| word.contains("-h")).cloned();
            }
            if matches!(script, Script::JobManager | Script::TaskManager) {
                line.place = words.len();
            }
            line.host = words.get(1).filter(|word| script == Script::JobManager && *word != "-D").cloned();
            line
        }
    }
}

/// Reads options. The words of a job begin at the first word of `flink`, or of `standalone-job.sh`, that is
/// none. `offset`: the words before.
fn options(script: Script, words: &[String], offset: usize) -> CommandLine {
    let table = known::of(script);
    let mut line = CommandLine { place: offset, ..CommandLine::default() };
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if script == Script::Flink && (!word.starts_with('-') || word == "--") {
            line.job = Some(offset + at);
            break;
        }
        if let Some(found) = setting_at(script, words, at) {
            let Place { setting, is_glued, is_old } = found;
            let holder = at + usize::from(!is_glued);
            let skipped = if is_glued { word.len() - setting.len() } else { 0 };
            line.dynamic.push(Dynamic { is_old, ..dynamic(setting, offset + holder, skipped, is_glued) });
            at = holder + 1;
            continue;
        }
        let Some((option, glued)) = known::read(table, word) else {
            if script == Script::StandaloneJob {
                break;
            }
            at += 1;
            continue;
        };
        let takes_next = option.takes_value && glued.is_none();
        let value = glued.or_else(|| words.get(at + 1).filter(|_| takes_next).map(String::as_str));
        let typed = match glued {
            Some(_) if !word.contains('=') => format!("-{}", option.short),
            _ => word.split('=').next().unwrap_or(word).to_owned(),
        };
        note(script, &mut line, option.long, typed, value.map(str::to_owned));
        at += 1 + usize::from(takes_next);
    }
    line
}

struct Place<'a> {
    setting: &'a str,
    is_glued: bool,
    is_old: bool,
}

/// `-Dk=v`, or the word behind a `-D` or `-yD` alone.
fn setting_at(script: Script, words: &[String], at: usize) -> Option<Place<'_>> {
    let word = words[at].as_str();
    let is_old = script == Script::Flink && word == "-yD";
    let rest = if is_old { "" } else { word.strip_prefix("-D")? };
    match rest {
        "" => Some(Place { setting: words.get(at + 1)?, is_glued: false, is_old }),
        setting => Some(Place { setting, is_glued: true, is_old }),
    }
}

fn dynamic(setting: &str, at: usize, skipped: usize, is_glued: bool) -> Dynamic {
    let (key, value, start) = match setting.split_once('=') {
        Some((key, value)) => (key, value, key.len() + 1),
        None => (setting, "true", setting.len()),
    };
    let range = skipped + start..skipped + setting.len().max(start);
    Dynamic { key: key.to_owned(), value: value.to_owned(), at, range, is_glued, is_old: false }
}

fn note(script: Script, line: &mut CommandLine, long: &str, typed: String, value: Option<String>) {
    let setting = || Some(Setting { option: typed.clone(), value: value.clone()? });
    match (script, long) {
        (Script::StandaloneJob, _) => {}
        (_, "help") | (Script::YarnSession, "query") => line.question = Some(typed),
        (Script::Flink, "target" | "executor") => line.target = setting().or(line.target.take()),
        (Script::Flink, "jobmanager") => line.jobmanager = setting(),
        (Script::Flink, "yarnapplicationId") | (Script::YarnSession, "applicationId") => line.session = setting(),
        (Script::Flink, "shutdownOnAttachedExit") => line.stops_job_at_exit = true,
        (Script::Flink, "python" | "pyModule") => line.python = true,
        _ => {}
    }
}

#[cfg(test)]
mod tests;
