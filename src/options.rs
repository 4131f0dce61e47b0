//! What the user wants, every field final: flag over environment over profile over default. Pure.

mod export;
mod new_profile;
mod request;
mod targets;

pub use export::{Exported, export};
pub use new_profile::{NewProfile, new_profile};
pub use request::{Request, request, start};
pub use targets::{Debuggable, by_role};

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use crate::cli::{DebugOptions, DryRunFormat, Endpoints, Global};
use crate::endpoint::{Endpoint, Mode, Role, is_peer};
use crate::error::Failure;
use crate::profile::{self, Existing, Loaded, PauseLimit, Profile};
use crate::text;
use crate::tool::Tool;

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The flag.
    Flag(String),
    /// A profile.
    Profile(profile::Origin),
    /// Nobody named it.
    Default,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Flag(flag) => f.write_str(flag),
            Source::Profile(origin) => origin.fmt(f),
            Source::Default => f.write_str("default"),
        }
    }
}

impl Source {
    /// Whether a project's file chose it, which travels with the project and is always said.
    pub fn is_project_file(&self) -> bool {
        matches!(self, Source::Profile(origin) if origin.project)
    }

    /// Whether a file chose it.
    pub fn is_profile(&self) -> bool {
        matches!(self, Source::Profile(_))
    }
}

/// A value and who chose it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen<T> {
    /// The value.
    pub value: T,
    /// Who chose it.
    pub source: Source,
}

/// One JVM to debug.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Which JVM.
    pub role: Role,
    /// Where it meets its debugger.
    pub endpoint: Endpoint,
    /// Who chose the endpoint.
    pub source: Source,
    /// The flag that chose whether it suspends, if one did.
    pub suspend_flag: Option<&'static str>,
    /// Whether a flag names the role; otherwise a profile does, or nobody.
    pub is_typed: bool,
    /// Whether nobody names the port: then it is the one from which a free one may be looked for.
    pub port_is_open: bool,
}

/// What happens with the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// The real script replaces us.
    Launch,
    /// The plan is printed, nothing is started.
    DryRun(DryRunFormat),
}

/// What takes to the JVM what is put in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carrier {
    /// The words of the command that is started, and its variables.
    Launch,
    /// Variables alone: somebody else starts the command, with words of his own.
    Variables,
}

/// Everything the user chose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The command.
    pub tool: Tool,
    /// The words for the real script.
    pub args: Vec<OsString>,
    /// What was typed in front of the class of `spark-class`: options of the JVM.
    pub before_class: Vec<OsString>,
    /// The JVMs to debug, each role once; never empty.
    pub targets: Vec<Target>,
    /// Whether the application is held to one executor, the worker to one that is debugged at a time.
    pub one_executor: Chosen<bool>,
    /// `worker`: the one application whose executors are meant.
    pub app: Option<String>,
    /// `worker`: the master that the profile names.
    pub worker_master: Option<Chosen<String>>,
    /// Who may attach; empty: anyone who reaches the port.
    pub allow: Chosen<Vec<String>>,
    /// What becomes of an agent that is configured already.
    pub existing: Chosen<Existing>,
    /// How long a JVM may stand still.
    pub pause_limit: Chosen<PauseLimit>,
    /// How long to wait for a debugger that does not listen yet.
    pub wait_for_debugger: Option<Duration>,
    /// The distribution, if named by flag or profile.
    pub home: Option<Chosen<PathBuf>>,
    /// Whether words can take something along.
    pub carrier: Carrier,
    /// Launch or dry run.
    pub action: Action,
    /// Whether hints are printed.
    pub hints: bool,
    /// Whether each rewrite is shown.
    pub verbose: bool,
    /// Whether a dry run prints secrets.
    pub show_secrets: bool,
    /// Whether findings about ports and listeners are errors.
    pub preflight: bool,
    /// The profile in use and what named it.
    pub profile: Option<(String, String)>,
    /// The profile files that were read, strongest first.
    pub profile_files: Vec<PathBuf>,
    /// Keys of the profile that have no effect on this command, or none in this version.
    pub ignored: Vec<(String, profile::Origin)>,
}

impl Options {
    /// The same for each target alone.
    pub fn each_alone(&self) -> Vec<Options> {
        self.targets.iter().map(|target| Options { targets: vec![target.clone()], ..self.clone() }).collect()
    }

    /// Whether `spark-class` gives the class none of its variables, since other words stand before it.
    pub fn hides_class(&self) -> bool {
        let words: Vec<String> = self.before_class.iter().map(|word| text::decode(word)).collect();
        let typed_stay = self.existing.value == Existing::Keep && !words.is_empty();
        typed_stay || request::stays_before_class(&words)
    }

    /// Whether neither our words nor those in `PYSPARK_SUBMIT_ARGS` reach `spark-submit`.
    pub fn puts_all_in_variables(&self) -> bool {
        self.carrier == Carrier::Variables && self.tool != Tool::Python
    }

    /// The JVM of a role, if it is to be debugged.
    pub fn target(&self, role: Role) -> Option<&Target> {
        self.targets.iter().find(|target| target.role == role)
    }

    /// Whether the JVMs are reached by a `JAVA_HOME` of ours alone, for which the real one is looked into.
    pub fn changes_java_home(&self) -> bool {
        self.tool == Tool::Worker && self.target(Role::Executor).is_some()
    }
}

/// Two hours.
const DEFAULT_PAUSE_LIMIT: PauseLimit = PauseLimit::Limit(Duration::from_secs(2 * 60 * 60));

/// Final options.
///
/// # Errors
/// Flags that contradict each other or hold a bad value (exit 2), a profile that does not fit them
/// (exit 125).
pub fn resolve(global: &Global, request: Request, loaded: Loaded) -> Result<Options, Failure> {
    let of = Debuggable::of(request.tool);
    resolve_for(&of, global, request, loaded)
}

/// The same, where it is not the whole tool that has something to debug.
///
/// # Errors
/// As [`resolve`].
pub fn resolve_for(of: &Debuggable, global: &Global, request: Request, loaded: Loaded) -> Result<Options, Failure> {
    let Request { tool, launch, before_class, app } = request;
    let profile = &loaded.profile;
    let debug = &launch.debug;
    let targets = targets::targets(of, &debug.endpoints, profile)?;
    let allow = allow(debug, profile, &targets)?;
    let existing = chosen("--existing", &debug.existing, &profile.existing, Existing::Replace)?;
    let pause_limit = chosen("--pause-limit", &debug.pause_limit, &profile.pause_limit, DEFAULT_PAUSE_LIMIT)?;
    let one_executor = one_executor(of, debug, profile, &targets)?;
    if app.is_some() && !targets.iter().any(|target| target.role == Role::Executor) {
        return Err(Failure::usage("`--app` narrows the executors, and none are debugged").help("add `--executor`"));
    }
    if app.as_deref() == Some("") {
        return Err(
            Failure::usage("`--app` names no application").help("write its id, as the Master's web page has it")
        );
    }
    let ignored = ignored(tool, profile, &targets);
    Ok(Options {
        tool,
        wait_for_debugger: wait_for_debugger(debug, &targets, existing.value)?,
        args: launch.args,
        before_class,
        targets,
        one_executor,
        app,
        worker_master: profile.worker_master.as_ref().filter(|_| tool == Tool::Worker).map(from_profile),
        allow,
        existing,
        pause_limit,
        home: home(tool, global, profile),
        carrier: Carrier::Launch,
        action: global.dry_run.map_or(Action::Launch, Action::DryRun),
        hints: !global.quiet,
        verbose: global.verbose,
        show_secrets: global.show_secrets,
        preflight: !global.no_preflight,
        profile: loaded.name.zip(loaded.named_by),
        profile_files: loaded.files,
        ignored,
    })
}

/// The JVMs that these words and the profile name, whatever command will start them.
///
/// # Errors
/// Words that contradict each other or are no endpoints (exit 2), a profile that does not fit them
/// (exit 125).
pub fn endpoints(endpoints: &Endpoints, profile: &Profile) -> Result<Vec<Target>, Failure> {
    targets::of_any_command(endpoints, profile)
}

/// Roles and keys of the profile that mean nothing to this command.
fn ignored(tool: Tool, profile: &Profile, targets: &[Target]) -> Vec<(String, profile::Origin)> {
    let roles = Role::ALL.into_iter().filter(|role| !tool.roles().contains(role));
    let roles = roles.filter_map(|role| Some((role.to_string(), profile.endpoint(role)?.origin.clone())));
    let has_executors = targets.iter().any(|target| target.role == Role::Executor);
    let other_home = match tool {
        Tool::Flink(_) => ("spark-home", profile.spark_home.as_ref().map(|key| &key.origin)),
        _ => ("flink-home", profile.flink_home.as_ref().map(|key| &key.origin)),
    };
    let keys = [
        ("one-executor", profile.one_executor.as_ref().filter(|_| !has_executors).map(|key| &key.origin)),
        ("worker-master", profile.worker_master.as_ref().filter(|_| tool != Tool::Worker).map(|key| &key.origin)),
        other_home,
    ];
    let keys = keys.into_iter().filter_map(|(name, origin)| Some((name.to_owned(), origin?.clone())));
    roles.chain(keys).collect()
}

/// The distribution that a flag or the profile names.
pub fn home(tool: Tool, global: &Global, profile: &Profile) -> Option<Chosen<PathBuf>> {
    let (flag, typed, sourced) = match tool {
        Tool::Flink(_) => ("--flink-home", &global.flink_home, &profile.flink_home),
        _ => ("--spark-home", &global.spark_home, &profile.spark_home),
    };
    match (typed, sourced) {
        (Some(home), _) => Some(Chosen { value: home.clone(), source: Source::Flag(flag.into()) }),
        (None, sourced) => sourced.as_ref().map(from_profile),
    }
}

fn from_profile<T: Clone>(sourced: &profile::Sourced<T>) -> Chosen<T> {
    Chosen { value: sourced.value.clone(), source: Source::Profile(sourced.origin.clone()) }
}

/// The flag, else the profile, else the default.
fn chosen<T: FromStr<Err = String> + Clone>(
    flag: &str,
    typed: &Option<String>,
    sourced: &Option<profile::Sourced<T>>,
    default: T,
) -> Result<Chosen<T>, Failure> {
    Ok(match (typed, sourced) {
        (Some(text), _) => Chosen { value: flag_value(flag, text)?, source: Source::Flag(flag.to_owned()) },
        (None, Some(sourced)) => from_profile(sourced),
        (None, None) => Chosen { value: default, source: Source::Default },
    })
}

fn flag_value<T: FromStr<Err = String>>(flag: &str, text: &str) -> Result<T, Failure> {
    text.parse().map_err(|cause: String| Failure::usage(format!("`{flag}`: {cause}")))
}

/// One executor, where a debugger that listens takes one JVM and nobody says otherwise.
fn one_executor(
    of: &Debuggable,
    debug: &DebugOptions,
    profile: &Profile,
    targets: &[Target],
) -> Result<Chosen<bool>, Failure> {
    for (flag, given) in [("--one-executor", debug.one_executor), ("--all-executors", debug.all_executors)] {
        if given && !of.roles.contains(&Role::Executor) {
            return Err(Failure::usage(format!("`{flag}`: `{}` starts no executors", of.whose)));
        }
    }
    let flag = |value, name: &str| Chosen { value, source: Source::Flag(name.to_owned()) };
    let executors = targets.iter().find(|target| target.role == Role::Executor);
    let dial = executors.is_some_and(|target| target.endpoint.mode == Mode::Listen);
    Ok(match (debug.one_executor, debug.all_executors, &profile.one_executor) {
        (true, _, _) => flag(true, "--one-executor"),
        (_, true, _) => flag(false, "--all-executors"),
        // Where the executors are not debugged, their number is no matter of the profile's.
        (_, _, Some(sourced)) if executors.is_some() => from_profile(sourced),
        _ => Chosen { value: dial, source: Source::Default },
    })
}

fn allow(debug: &DebugOptions, profile: &Profile, targets: &[Target]) -> Result<Chosen<Vec<String>>, Failure> {
    let nobody_named = Chosen { value: Vec::new(), source: Source::Default };
    // Where nobody attaches: the JVMs that dial out.
    let dialling = targets.iter().all(|target| target.endpoint.mode == Mode::Listen).then(|| &targets[0]);
    let chosen = match &profile.allow {
        _ if !debug.allow.is_empty() => Chosen { value: debug.allow.clone(), source: Source::Flag("--allow".into()) },
        // A flag wins over the profile: nobody attaches to a JVM that was told to dial out.
        Some(_) if dialling.is_some_and(|target| !target.source.is_profile()) => return Ok(nobody_named),
        Some(sourced) => from_profile(sourced),
        None => return Ok(nobody_named),
    };
    let failure = |message: String| Failure::usage(message).blamed_on_world(chosen.source.is_profile());
    for entry in &chosen.value {
        if !is_peer(entry) {
            return Err(failure(format!("`--allow {entry}`: not an IP address or network"))
                .help("the agent takes numbers only: 10.0.0.7 or 10.0.0.0/8"));
        }
    }
    if chosen.value.len() > MOST_ALLOWED {
        return Err(failure(format!("{} values for `--allow`: the agent takes {MOST_ALLOWED}", chosen.value.len())));
    }
    if let Some(target) = dialling.filter(|_| !chosen.value.is_empty()) {
        return Err(failure(format!(
            "`allow` ({}) has no meaning with `listen` ({}): the JVM dials out, nobody attaches to it",
            chosen.source, target.source
        ))
        .help("leave out `allow`, or use `attach`")
        .blamed_on_world(target.source.is_profile()));
    }
    Ok(chosen)
}

/// `MAX_PEER_ENTRIES` of the JDK's `socketTransport.c`.
const MOST_ALLOWED: usize = 32;

fn wait_for_debugger(
    debug: &DebugOptions,
    targets: &[Target],
    existing: Existing,
) -> Result<Option<Duration>, Failure> {
    let Some(text) = &debug.wait_for_debugger else { return Ok(None) };
    let attached_to = targets.iter().all(|target| target.endpoint.mode == Mode::Attach).then(|| &targets[0]);
    // An agent that is kept may dial out whatever the endpoint of its role says.
    if let Some(target) = attached_to.filter(|_| existing != Existing::Keep) {
        return Err(Failure::usage(format!(
            "`--wait-for-debugger` has no meaning with `attach` ({}): there the JVM waits itself",
            target.source
        ))
        .help("use `--suspend`, or `--listen [HOST:]PORT`")
        .blamed_on_world(target.source.is_profile()));
    }
    humantime::parse_duration(text).map(Some).map_err(|cause| {
        Failure::usage(format!("`--wait-for-debugger {text}`: {cause}")).help("write a number and its unit: 30s, 5m")
    })
}
