//! What is set for the JVMs that are debugged: the keys that carry agents, the pause limit, one executor. Pure.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use super::format::is_flink;
use super::release::Release;
use crate::cli::ExportFormat;
use crate::endpoint::{Mode, Role};
use crate::flink::deployment::{self as flink_deployment, Deployment};
use crate::flink::pause as flink_pause;
use crate::flink::script::Script;
use crate::jvm::jdwp::Agent;
use crate::options::{Exported, Source, Target};
use crate::plan::Note;
use crate::profile::PauseLimit;
use crate::spark::conf::{Conf, DRIVER_EXTRA, EXECUTOR_EXTRA, Layer};
use crate::spark::deployment::Manager;
use crate::spark::pause::{self, Debugged};
use crate::spark::properties::Entry;
use crate::spark::submit::CommandLine;

/// Whose keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Spark's properties.
    Spark,
    /// Flink's configuration.
    Flink,
}

impl Family {
    /// Whose a role is.
    pub fn of(role: Role) -> Family {
        if is_flink(role) { Family::Flink } else { Family::Spark }
    }
}

/// A key that carries an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carrier {
    /// Whose JVM.
    pub role: Role,
    /// The key.
    pub key: &'static str,
    /// The agent, one word.
    pub agent: String,
    /// Whether nobody chose where it meets its debugger.
    pub by_default: bool,
    /// What stands in the key where nobody sets it: the service's own options.
    pub beneath: Option<String>,
}

/// A key with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The key.
    pub key: &'static str,
    /// Its value.
    pub value: String,
    /// What would happen without it.
    pub why: String,
    /// Whether it takes the place of another value; otherwise the user's stays.
    pub over: bool,
    /// Another name of the same key: where that is set, this is not.
    pub unless: Option<&'static str>,
}

impl Setting {
    /// One that leaves the user's value.
    pub fn new(key: &'static str, value: String, why: impl Into<String>) -> Setting {
        Setting { key, value, why: why.into(), over: false, unless: None }
    }
}

/// What is set already, with the file that says so.
#[derive(Debug, Clone, Default)]
pub struct InForce {
    /// The file.
    pub file: PathBuf,
    /// Its text, for the line of a key.
    pub text: String,
    /// Keys and values.
    pub values: BTreeMap<String, String>,
}

impl InForce {
    fn layer(&self, counts: impl Fn(&str) -> bool) -> Layer {
        let values = self.values.iter().filter(|(key, _)| counts(key));
        let entries = values.map(|(key, value)| Entry { key: key.clone(), value: value.clone(), line: self.line(key) });
        Layer { file: self.file.clone(), entries: entries.collect() }
    }

    fn line(&self, key: &str) -> usize {
        let at = self.text.find(&format!("\"{key}\"")).unwrap_or_default();
        1 + self.text[..at].matches('\n').count()
    }
}

/// What goes into one map of properties.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// The agents.
    pub carriers: Vec<Carrier>,
    /// The rest.
    pub settings: Vec<Setting>,
}

impl Settings {
    /// Keys and values where nothing else is set.
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let agents = self.carriers.iter().map(|carrier| (carrier.key, carrier.alone()));
        agents.chain(self.settings.iter().map(|setting| (setting.key, setting.value.clone()))).collect()
    }
}

impl Carrier {
    /// The value where nobody sets one.
    pub fn alone(&self) -> String {
        match &self.beneath {
            Some(beneath) => format!("{} {beneath}", self.agent),
            None => self.agent.clone(),
        }
    }
}

/// What the user wants of which service.
#[derive(Debug, Clone, Copy)]
pub struct Wish<'a> {
    /// The service.
    pub format: ExportFormat,
    /// The debug options.
    pub options: &'a Exported,
    /// What EMR runs.
    pub release: Option<&'a Release>,
}

impl Wish<'_> {
    /// The settings for one family. `in_force`: what is set already.
    pub fn settings(&self, family: Family, in_force: &InForce) -> Settings {
        let targets = self.targets(family);
        if targets.is_empty() {
            return Settings::default();
        }
        let carriers = targets.iter().map(|target| self.carrier(target)).collect();
        let settings = match family {
            Family::Spark => [self.one_executor(), self.spark_pause(in_force).settings()].concat(),
            Family::Flink => self.flink_pause(),
        };
        Settings { carriers, settings }
    }

    /// The targets of a family.
    pub fn targets(&self, family: Family) -> Vec<&Target> {
        self.options.targets.iter().filter(|target| Family::of(target.role) == family).collect()
    }

    /// What is to be said about the pause limit.
    pub fn pause_notes(&self, in_force: &InForce) -> Vec<Note> {
        let SparkPause { pause, .. } = self.spark_pause(in_force);
        let defeated = pause.defeated.into_iter().map(|message| Note::warning("pause-limit", message));
        defeated.chain(pause.cluster_side.into_iter().map(|message| Note::info("pause-limit", message))).collect()
    }

    fn carrier(&self, target: &Target) -> Carrier {
        let endpoint = &target.endpoint;
        let agent = Agent::new(endpoint.mode, &endpoint.host, endpoint.port, endpoint.suspend);
        let agent = if endpoint.mode == Mode::Attach { agent.with_allow(&self.options.allow.value) } else { agent };
        let key = key(target.role);
        let beneath = self.release.filter(|_| self.format.is_emr()).and_then(|release| release.own_flags(key));
        Carrier {
            role: target.role,
            key,
            agent: agent.to_string(),
            by_default: target.source == Source::Default,
            beneath: beneath.map(str::to_owned),
        }
    }

    /// Whether the application is held to one executor; without a word of the user's, as a launch does it.
    pub fn holds_one_executor(&self) -> bool {
        self.options.one_executor.value
    }

    fn one_executor(&self) -> Vec<Setting> {
        let asks = self.holds_one_executor() && (self.debugs(Role::Executor) || self.is_typed());
        if !asks {
            return Vec::new();
        }
        let one = |key, why: &str| Setting { over: true, ..Setting::new(key, "1".to_owned(), why) };
        let mut settings = vec![one("spark.executor.instances", "one executor")];
        if self.format.manager() == Manager::Other {
            settings.push(one("spark.executor.cores", "the size of the one executor, in cores"));
            settings.push(one("spark.cores.max", "as many cores as one executor has, so that there is one"));
        }
        let why = "no executor comes or goes while one is debugged";
        settings.push(Setting { over: true, ..Setting::new(pause::DYNAMIC_ALLOCATION, "false".to_owned(), why) });
        settings
    }

    fn is_typed(&self) -> bool {
        matches!(self.options.one_executor.source, Source::Flag(_))
    }

    fn debugs(&self, role: Role) -> bool {
        self.options.targets.iter().any(|target| target.role == role)
    }

    fn limit(&self) -> Option<Duration> {
        match self.options.pause_limit.value {
            PauseLimit::Limit(limit) => Some(limit),
            PauseLimit::Off => None,
        }
    }

    fn spark_pause(&self, in_force: &InForce) -> SparkPause {
        let Some(limit) = self.limit() else { return SparkPause::default() };
        let version = self.release.and_then(Release::spark);
        let line = CommandLine::of_no_submit();
        let plan = |layer: Layer| {
            let layers = [layer];
            pause::plan(&Debugged {
                limit,
                manager: self.format.manager(),
                // The settings hold for drivers of either mode.
                cluster: self.format.manager() == Manager::Yarn,
                rest_gateway: false,
                version: version.as_ref(),
                driver: self.debugs(Role::Driver),
                executor: self.debugs(Role::Executor),
                fixed_number: self.holds_one_executor(),
                python: true,
                conf: &Conf { line: &line, hidden: 0, in_variable: false, layers: &layers },
            })
        };
        let not_ours = |key: &str| !pause::SETTABLE.contains(&key);
        SparkPause { wanted: plan(in_force.layer(not_ours)).settings, pause: plan(in_force.layer(|_| true)) }
    }

    /// As a launch that deploys a cluster sets it; the user's own values are looked at where they are merged.
    fn flink_pause(&self) -> Vec<Setting> {
        let Some(limit) = self.limit() else { return Vec::new() };
        let manager = match self.format.manager() {
            Manager::Kubernetes => flink_deployment::Manager::Kubernetes,
            _ => flink_deployment::Manager::Yarn,
        };
        let version = self.release.filter(|_| self.format.is_emr()).map(Release::flink);
        let needed = flink_pause::plan(&flink_pause::Debugged {
            limit,
            script: Script::Flink,
            deployment: &Deployment::Deploys { manager, application: false },
            version: version.as_ref(),
            client: self.debugs(Role::Client),
            jobmanager: self.debugs(Role::JobManager),
            taskmanager: self.debugs(Role::TaskManager),
            // `--off` need not know whether it did.
            taskmanager_suspends: self.debugs(Role::TaskManager),
            // The settings hold for clients of either kind.
            stops_job_at_exit: true,
            given: &|_| None,
        });
        let settings = needed.jobmanager.into_iter().map(|setting| {
            let unless = flink_pause::other_name(setting.key);
            Setting { unless, ..Setting::new(setting.key, setting.value, setting.why) }
        });
        settings.collect()
    }
}

/// The key of a role.
pub fn key(role: Role) -> &'static str {
    match role {
        Role::Driver | Role::Daemon => DRIVER_EXTRA,
        Role::Executor => EXECUTOR_EXTRA,
        Role::Client => "env.java.opts.client",
        Role::JobManager => "env.java.opts.jobmanager",
        Role::TaskManager => "env.java.opts.taskmanager",
    }
}

/// Other keys whose options reach the same JVM.
pub fn other_keys(role: Role) -> &'static [&'static str] {
    match role {
        Role::Driver | Role::Daemon => &["spark.driver.defaultJavaOptions"],
        Role::Executor => &["spark.executor.defaultJavaOptions"],
        Role::Client => &["env.java.opts.all", "env.java.opts", "env.java.default-opts.all"],
        Role::JobManager => {
            &["env.java.opts.all", "env.java.opts", "env.java.default-opts.all", "env.java.default-opts.jobmanager"]
        }
        Role::TaskManager => {
            &["env.java.opts.all", "env.java.opts", "env.java.default-opts.all", "env.java.default-opts.taskmanager"]
        }
    }
}

/// What the limit needs if none of its keys were set, and what it came to with those that are.
#[derive(Default)]
struct SparkPause {
    wanted: Vec<pause::Setting>,
    pause: pause::Pause,
}

impl SparkPause {
    fn settings(self) -> Vec<Setting> {
        self.wanted.into_iter().map(|setting| Setting::new(setting.key, setting.value, setting.why)).collect()
    }
}
