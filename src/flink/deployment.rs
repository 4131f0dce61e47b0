//! Where the JVMs of a command run: decided by the script, its words and the configuration.

use super::command_line::CommandLine;
use super::conf::FlinkConf;
use super::script::Script;

/// The key that says where jobs go.
pub const TARGET: &str = "execution.target";

/// Who starts the JVMs of a cluster that a command deploys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manager {
    /// YARN.
    Yarn,
    /// Kubernetes.
    Kubernetes,
}

/// Where the JVMs run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deployment {
    /// The scripts' own JVMs, on this machine.
    Here,
    /// Only the client starts; the cluster, if one is asked, runs already.
    Client,
    /// Client, JobManager and TaskManager are one JVM.
    Local,
    /// The client starts, and deploys a JobManager and TaskManagers.
    Deploys {
        /// Who starts them.
        manager: Manager,
        /// Whether the main method runs in the JobManager.
        application: bool,
    },
}

/// Whether the job goes to YARN by the oldest way, whose `-D` is `-yD`: `GenericCLI` comes first where a
/// target is named.
pub fn is_old_yarn(line: &CommandLine, conf: &FlinkConf) -> bool {
    let names_yarn = line.jobmanager.as_ref().is_some_and(|setting| setting.value == "yarn-cluster");
    names_yarn && line.target.is_none() && conf.get(TARGET).is_none()
}

/// The value that decides where a job goes, and where it stands.
pub fn target(line: &CommandLine, conf: &FlinkConf) -> Option<(String, String)> {
    if is_old_yarn(line, conf) {
        let setting = line.jobmanager.as_ref()?;
        return Some(("yarn-per-job".to_owned(), format!("{} yarn-cluster", setting.option)));
    }
    // `GenericCLI` writes its options into the configuration first, and `-D` over them.
    let dynamic = line.get(TARGET).map(|dynamic| (dynamic.value.clone(), format!("-D{TARGET}")));
    let option = || line.target.as_ref().map(|setting| (setting.value.clone(), setting.option.clone()));
    let from_file = || conf.get(TARGET).map(|entry| (entry.value.clone(), conf.place(entry)));
    dynamic.or_else(option).or_else(from_file)
}

/// Where the JVMs of this command run.
pub fn find(script: Script, line: &CommandLine, conf: &FlinkConf) -> Deployment {
    match script {
        Script::YarnSession if line.session.is_some() => Deployment::Client,
        Script::YarnSession => Deployment::Deploys { manager: Manager::Yarn, application: false },
        Script::KubernetesSession => Deployment::Deploys { manager: Manager::Kubernetes, application: false },
        Script::Flink if !matches!(line.action.as_deref(), Some("run" | "run-application")) => Deployment::Client,
        Script::Flink if line.session.is_some() => Deployment::Client,
        Script::Flink | Script::SqlClient => match target(line, conf).as_ref().map(|(value, _)| value.as_str()) {
            Some("local") => Deployment::Local,
            Some("yarn-per-job") => Deployment::Deploys { manager: Manager::Yarn, application: false },
            Some("yarn-application") => Deployment::Deploys { manager: Manager::Yarn, application: true },
            Some("kubernetes-application") => Deployment::Deploys { manager: Manager::Kubernetes, application: true },
            _ => Deployment::Client,
        },
        _ => Deployment::Here,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flink::command_line::scan;
    use crate::flink::conf::Entry;

    fn deployment(script: Script, words: &str) -> Deployment {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        find(script, &scan(script, &words), &FlinkConf::default())
    }

    #[test]
    fn the_words_decide() {
        let yarn = |application| Deployment::Deploys { manager: Manager::Yarn, application };
        let kubernetes = |application| Deployment::Deploys { manager: Manager::Kubernetes, application };
        for (words, expected) in [
            ("run app.jar", Deployment::Client),
            ("run -t local app.jar", Deployment::Local),
            ("run -e local app.jar", Deployment::Local),
            ("run -t remote app.jar", Deployment::Client),
            ("run -t yarn-session app.jar", Deployment::Client),
            ("run -t yarn-per-job app.jar", yarn(false)),
            ("run -m yarn-cluster app.jar", yarn(false)),
            ("run -m yarn-cluster -yid application_1 app.jar", Deployment::Client),
            ("run -t remote -Dexecution.target=yarn-application app.jar", yarn(true)),
            ("run-application -t kubernetes-application local:///app.jar", kubernetes(true)),
            ("list -t yarn-application", Deployment::Client),
        ] {
            assert_eq!(deployment(Script::Flink, words), expected, "{words}");
        }
        assert_eq!(deployment(Script::YarnSession, "-d"), yarn(false));
        assert_eq!(deployment(Script::YarnSession, "-id application_1"), Deployment::Client);
        assert_eq!(deployment(Script::KubernetesSession, ""), kubernetes(false));
        assert_eq!(deployment(Script::TaskManager, "start"), Deployment::Here);
        assert_eq!(deployment(Script::SqlClient, "-Dexecution.target=yarn-per-job"), yarn(false));
    }

    #[test]
    fn the_file_decides_where_the_words_do_not() {
        let entry = Entry { key: TARGET.to_owned(), value: "yarn-application".to_owned(), line: 3 };
        let conf = FlinkConf { file: Some("/c/config.yaml".into()), entries: vec![entry], ..FlinkConf::default() };
        let line = scan(Script::Flink, &["run".to_owned()]);
        let expected = ("yarn-application".to_owned(), "/c/config.yaml line 3".to_owned());
        assert_eq!(target(&line, &conf), Some(expected.clone()));
        let line = scan(Script::Flink, &["run", "-m", "yarn-cluster"].map(str::to_owned));
        assert_eq!(target(&line, &conf), Some(expected));
    }
}
