//! The options of Flink's commands, and how Commons CLI reads them: a long name may be cut short and have
//! one dash, flags may stand together, and a value may be glued to its letter.

use crate::flink::script::Script;

/// An option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// The name behind one dash; empty where there is none.
    pub short: &'static str,
    /// The name behind two.
    pub long: &'static str,
    /// Whether it takes a value.
    pub takes_value: bool,
}

const fn value(short: &'static str, long: &'static str) -> Known {
    Known { short, long, takes_value: true }
}

const fn flag(short: &'static str, long: &'static str) -> Known {
    Known { short, long, takes_value: false }
}

/// `flink run` and its like. Source: `CliFrontendParser`, `GenericCLI`, `FlinkYarnSessionCli`.
const OF_FLINK: [Known; 39] = [
    flag("h", "help"),
    flag("v", "verbose"),
    flag("d", "detached"),
    flag("n", "allowNonRestoredState"),
    flag("sae", "shutdownOnAttachedExit"),
    flag("yd", "yarndetached"),
    flag("yh", "yarnhelp"),
    value("c", "class"),
    value("C", "classpath"),
    value("p", "parallelism"),
    value("s", "fromSavepoint"),
    value("rm", "restoreMode"),
    value("cm", "claimMode"),
    value("m", "jobmanager"),
    value("t", "target"),
    value("e", "executor"),
    value("z", "zookeeperNamespace"),
    value("py", "python"),
    value("pym", "pyModule"),
    value("pyfs", "pyFiles"),
    value("pyreq", "pyRequirements"),
    value("pyarch", "pyArchives"),
    value("pyexec", "pyExecutable"),
    value("pyclientexec", "pyClientExecutable"),
    value("pypath", "pyPythonPath"),
    value("type", "type"),
    value("yid", "yarnapplicationId"),
    value("yat", "yarnapplicationType"),
    value("yj", "yarnjar"),
    value("yjm", "yarnjobManagerMemory"),
    value("ynl", "yarnnodeLabel"),
    value("ynm", "yarnname"),
    value("yqu", "yarnqueue"),
    value("ys", "yarnslots"),
    value("yt", "yarnship"),
    value("ytm", "yarntaskManagerMemory"),
    value("yz", "yarnzookeeperNamespace"),
    flag("yq", "yarnquery"),
    flag("a", "arguments"),
];

/// `yarn-session.sh` and `kubernetes-session.sh`.
const OF_SESSION: [Known; 14] = [
    flag("h", "help"),
    flag("q", "query"),
    flag("d", "detached"),
    value("id", "applicationId"),
    value("at", "applicationType"),
    value("j", "jar"),
    value("jm", "jobManagerMemory"),
    value("m", "jobmanager"),
    value("nl", "nodeLabel"),
    value("nm", "name"),
    value("qu", "queue"),
    value("s", "slots"),
    value("t", "ship"),
    value("tm", "taskManagerMemory"),
];

/// `sql-client.sh`. Source: `CliOptionsParser`.
const OF_SQL_CLIENT: [Known; 12] = [
    flag("h", "help"),
    value("f", "file"),
    value("i", "init"),
    value("e", "endpoint"),
    value("d", "defaults"),
    value("j", "jar"),
    value("l", "library"),
    value("s", "session"),
    value("u", "update"),
    value("hist", "history"),
    value("pyfs", "pyFiles"),
    value("", "environment"),
];

/// `standalone-job.sh`. Source: `StandaloneApplicationClusterConfigurationParserFactory`.
const OF_STANDALONE_JOB: [Known; 9] = [
    flag("n", "allowNonRestoredState"),
    value("c", "configDir"),
    value("r", "webui-port"),
    value("h", "host"),
    value("j", "job-classname"),
    value("jid", "job-id"),
    value("s", "fromSavepoint"),
    value("rm", "restoreMode"),
    value("jars", "jars"),
];

/// Those of a script.
pub fn of(script: Script) -> &'static [Known] {
    match script {
        Script::Flink => &OF_FLINK,
        Script::YarnSession | Script::KubernetesSession => &OF_SESSION,
        Script::SqlClient => &OF_SQL_CLIENT,
        Script::StandaloneJob => &OF_STANDALONE_JOB,
        _ => &[],
    }
}

/// The option that a word is, and the value that is glued to it. Source: `DefaultParser`.
pub fn read<'a>(known: &[Known], word: &'a str) -> Option<(Known, Option<&'a str>)> {
    let (rest, has_one_dash) = match word.strip_prefix("--") {
        Some(rest) => (rest, false),
        None => (word.strip_prefix('-')?, true),
    };
    let (name, glued) = match rest.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (rest, None),
    };
    if name.is_empty() {
        return None;
    }
    let short = known.iter().find(|option| has_one_dash && option.short == name);
    let long = || known.iter().find(|option| option.long == name);
    let cut_short = || known.iter().find(|option| option.long.starts_with(name));
    if let Some(option) = short.or_else(long).or_else(cut_short) {
        return Some((*option, glued));
    }
    // Flags of one letter, and the one behind them that takes the rest.
    for (at, letter) in rest.char_indices().filter(|_| has_one_dash && glued.is_none()) {
        let end = at + letter.len_utf8();
        let option = known.iter().find(|option| option.short == &rest[at..end])?;
        if option.takes_value {
            return Some((*option, Some(&rest[end..]).filter(|value| !value.is_empty())));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seen with Flink's own parser, of 1.14 and of 2.1.
    #[test]
    fn every_way_to_write_it() {
        let read = |word| read(&OF_FLINK, word).map(|(option, value)| (option.short, value));
        for word in ["-t", "--target", "-target", "--targ", "-dt"] {
            assert_eq!(read(word), Some(("t", None)), "{word}");
        }
        for word in ["-t=local", "--target=local", "-target=local", "-tlocal", "-ntlocal"] {
            assert_eq!(read(word), Some(("t", Some("local"))), "{word}");
        }
        assert_eq!(read("-py"), Some(("py", None)));
        assert_eq!(read("-p4"), Some(("p", Some("4"))));
        for word in ["-", "--", "-foo", "-yjm1g", "app.jar"] {
            assert_eq!(read(word), None, "{word}");
        }
    }
}
