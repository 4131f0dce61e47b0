//! The words of a Flink script: what it is asked to do, its `-D` settings, and where it deploys to.

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
    /// Where a `-D` may be put so that Flink reads it.
    pub place: usize,
    /// `jobmanager.sh start HOST`: the host.
    pub host: Option<String>,
}

impl CommandLine {
    /// The setting that counts for a key: the last.
    pub fn get(&self, key: &str) -> Option<&Dynamic> {
        self.dynamic.iter().rev().find(|dynamic| dynamic.key == key)
    }

    /// Whether a script of daemons is asked to start one.
    pub fn starts(&self) -> bool {
        matches!(self.action.as_deref(), Some("start" | "start-foreground"))
    }
}

/// Options of `flink run` and its like that take the next word. Source: `CliFrontendParser`,
/// `GenericCLI`, `FlinkYarnSessionCli`, `ProgramOptions`.
const OF_FLINK: [&str; 56] = [
    "-c",
    "--class",
    "-C",
    "--classpath",
    "-p",
    "--parallelism",
    "-s",
    "--fromSavepoint",
    "-rm",
    "--restoreMode",
    "-cm",
    "--claimMode",
    "-m",
    "--jobmanager",
    "-t",
    "--target",
    "-e",
    "--executor",
    "-z",
    "--zookeeperNamespace",
    "-py",
    "--python",
    "-pym",
    "--pyModule",
    "-pyfs",
    "--pyFiles",
    "-pyreq",
    "--pyRequirements",
    "-pyarch",
    "--pyArchives",
    "-pyexec",
    "--pyExecutable",
    "-pyclientexec",
    "--pyClientExecutable",
    "-pypath",
    "--pyPythonPath",
    "-type",
    "--type",
    "-targetDirectory",
    "-yid",
    "--yarnapplicationId",
    "-yat",
    "-yj",
    "--yarnjar",
    "-yjm",
    "--yarnjobManagerMemory",
    "-ynl",
    "-ynm",
    "--yarnname",
    "-yqu",
    "--yarnqueue",
    "-ys",
    "--yarnslots",
    "-yt",
    "-ytm",
    "-yz",
];

/// Options of `yarn-session.sh` and `kubernetes-session.sh` that take the next word.
const OF_SESSION: [&str; 22] = [
    "-id",
    "--applicationId",
    "-at",
    "--applicationType",
    "-j",
    "--jar",
    "-jm",
    "--jobManagerMemory",
    "-m",
    "--jobmanager",
    "-nl",
    "--nodeLabel",
    "-nm",
    "--name",
    "-qu",
    "--queue",
    "-s",
    "--slots",
    "-t",
    "--ship",
    "-tm",
    "--taskManagerMemory",
];

/// Options of `sql-client.sh` that take the next word.
const OF_SQL_CLIENT: [&str; 17] = [
    "-f",
    "--file",
    "-i",
    "--init",
    "-e",
    "--environment",
    "-d",
    "--defaults",
    "-j",
    "--jar",
    "-l",
    "--library",
    "-s",
    "--session",
    "-u",
    "--update",
    "-hist",
];

/// Reads the words.
pub fn scan(script: Script, words: &[String]) -> CommandLine {
    match script {
        Script::Flink => {
            let Some((action, rest)) = words.split_first().filter(|(first, _)| !first.starts_with('-')) else {
                let question = words.first().cloned().unwrap_or_else(|| "no action".to_owned());
                return CommandLine { question: Some(question), ..CommandLine::default() };
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
                line.question = words.iter().find(|word| word.ends_with("-h") || word.ends_with("--help")).cloned();
                line.action.get_or_insert_with(|| "start".to_owned());
            }
            if matches!(script, Script::JobManager | Script::TaskManager) {
                line.place = words.len();
            }
            line.host = words.get(1).filter(|word| script == Script::JobManager && *word != "-D").cloned();
            line
        }
    }
}

/// Reads options; the words of a job begin at the first word of `flink` that is none. `offset`: the words
/// before.
fn options(script: Script, words: &[String], offset: usize) -> CommandLine {
    let with_value: &[&str] = match script {
        Script::Flink => &OF_FLINK,
        Script::YarnSession | Script::KubernetesSession => &OF_SESSION,
        Script::SqlClient => &OF_SQL_CLIENT,
        _ => &[],
    };
    let mut line = CommandLine { place: offset, ..CommandLine::default() };
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if script == Script::Flink && (!word.starts_with('-') || word == "--") {
            break;
        }
        if let Some((setting, is_glued)) = setting_at(words, at) {
            let holder = at + usize::from(!is_glued);
            let skipped = if is_glued { word.len() - setting.len() } else { 0 };
            line.dynamic.push(dynamic(setting, offset + holder, skipped, is_glued));
            at = holder + 1;
            continue;
        }
        let (option, glued) = match word.split_once('=') {
            Some((option, value)) => (option, Some(value.to_owned())),
            None => (word.as_str(), None),
        };
        let takes_next = glued.is_none() && with_value.contains(&option);
        let value = glued.or_else(|| words.get(at + 1).filter(|_| takes_next).cloned());
        note(script, &mut line, option, value);
        at += 1 + usize::from(takes_next);
    }
    line
}

/// `-Dk=v`, `-yDk=v`, or the word behind a `-D` alone.
fn setting_at(words: &[String], at: usize) -> Option<(&str, bool)> {
    let rest = words[at].strip_prefix("-yD").or_else(|| words[at].strip_prefix("-D"))?;
    if rest.is_empty() { Some((words.get(at + 1)?, false)) } else { Some((rest, true)) }
}

fn dynamic(setting: &str, at: usize, skipped: usize, is_glued: bool) -> Dynamic {
    let (key, value, start) = match setting.split_once('=') {
        Some((key, value)) => (key, value, key.len() + 1),
        None => (setting, "true", setting.len()),
    };
    let range = skipped + start..skipped + setting.len().max(start);
    Dynamic { key: key.to_owned(), value: value.to_owned(), at, range, is_glued }
}

fn note(script: Script, line: &mut CommandLine, option: &str, value: Option<String>) {
    let setting = || Some(Setting { option: option.to_owned(), value: value.clone()? });
    if matches!(option, "-h" | "--help") && !script.is_daemon() {
        line.question = Some(option.to_owned());
    }
    match (script, option) {
        (Script::Flink, "-t" | "--target" | "-e" | "--executor") => line.target = setting().or(line.target.take()),
        (Script::Flink, "-m" | "--jobmanager") => line.jobmanager = setting(),
        (Script::Flink, "-yid" | "--yarnapplicationId") => line.session = setting(),
        (Script::Flink, "-sae" | "--shutdownOnAttachedExit") => line.stops_job_at_exit = true,
        (Script::Flink, "-py" | "--python" | "-pym" | "--pyModule") => line.python = true,
        (Script::YarnSession, "-id" | "--applicationId") => line.session = setting(),
        (Script::YarnSession, "-q" | "--query") => line.question = Some(option.to_owned()),
        _ => {}
    }
}

#[cfg(test)]
mod tests;
