//! What the user wants, every field final: flag over environment over profile over default. Pure.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use crate::cli::{DryRunFormat, Global, Launch, Start};
use crate::endpoint::{Address, Endpoint, EndpointSpec, Mode, Role, is_peer};
use crate::error::Failure;
use crate::jvm::options as jvm_options;
use crate::profile::{self, Existing, Loaded, PauseLimit, Profile};
use crate::spark::spark_class;
use crate::spark::tool::Tool;
use crate::text;

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
}

/// What happens with the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// The real script replaces us.
    Launch,
    /// The plan is printed, nothing is started.
    DryRun(DryRunFormat),
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
    pub spark_home: Option<Chosen<PathBuf>>,
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
    /// Whether `spark-class` gives the class none of its variables, since other words stand before it.
    pub fn hides_class(&self) -> bool {
        let words: Vec<String> = self.before_class.iter().map(|word| text::decode(word)).collect();
        let typed_stay = self.existing.value == Existing::Keep && !words.is_empty();
        typed_stay || stays_before_class(&words)
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

/// A command taken apart.
#[derive(Debug, Clone)]
pub struct Request {
    /// The tool behind the command.
    pub tool: Tool,
    /// The command's options, and the words for the script.
    pub launch: Launch,
    /// `class`: what was typed in front of the class.
    pub before_class: Vec<OsString>,
    /// `worker --app`.
    pub app: Option<String>,
}

/// The tool behind a command, and its options.
pub fn request(start: Start) -> Request {
    let plain = |tool, launch| Request { tool, launch, before_class: Vec::new(), app: None };
    match start {
        Start::Submit(launch) => plain(Tool::Submit, launch),
        Start::Shell(launch) => plain(Tool::Shell, launch),
        Start::Sql(launch) => plain(Tool::Sql, launch),
        Start::Pyspark(launch) => plain(Tool::Pyspark, launch),
        Start::R(launch) => plain(Tool::R, launch),
        Start::Example(launch) => plain(Tool::Example, launch),
        Start::ConnectShell(launch) => plain(Tool::ConnectShell, launch),
        Start::Python(launch) => plain(Tool::Python, launch),
        Start::ConnectServer(launch) => plain(Tool::ConnectServer, launch),
        Start::ThriftServer(launch) => plain(Tool::ThriftServer, launch),
        Start::Worker(worker) => Request { app: worker.app, ..plain(Tool::Worker, worker.launch) },
        Start::Master(launch) => plain(Tool::Master, launch),
        Start::HistoryServer(launch) => plain(Tool::HistoryServer, launch),
        Start::Pipelines(launch) => plain(Tool::Pipelines, launch),
        Start::Beeline(launch) => plain(Tool::Beeline, launch),
        Start::Class(launch) => class(launch),
    }
}

/// `class -- [JVM OPTIONS] CLASS ARGS`. With nothing but debug agents in front of it, `SparkSubmit` is
/// spark-submit, and its words are read as such.
fn class(mut launch: Launch) -> Request {
    let words: Vec<String> = launch.args.iter().map(|word| text::decode(word)).collect();
    let at = spark_class::class_at(&words).unwrap_or(words.len());
    if stays_before_class(&words[..at]) || words.get(at).is_none_or(|class| class != spark_class::SUBMIT) {
        let before_class = launch.args.drain(..at).collect();
        return Request { tool: Tool::Class, launch, before_class, app: None };
    }
    let before_class = launch.args.drain(..at).collect();
    launch.args.remove(0);
    Request { tool: Tool::ClassSubmit, launch, before_class, app: None }
}

/// Two hours.
const DEFAULT_PAUSE_LIMIT: PauseLimit = PauseLimit::Limit(Duration::from_secs(2 * 60 * 60));

/// Whether these words stand before the class also when their debug agents are gone: `spark-class` then takes
/// the first one for the class, which gets none of its variables.
fn stays_before_class(words: &[String]) -> bool {
    let has_agent = words.iter().any(|word| jvm_options::is_agent(word));
    let all_go = has_agent && words.iter().all(|word| jvm_options::is_agent_or_companion(word));
    !words.is_empty() && !all_go
}

/// Final options.
///
/// # Errors
/// Flags that contradict each other or hold a bad value (exit 2), a profile that does not fit them
/// (exit 125).
pub fn resolve(global: &Global, request: Request, loaded: Loaded) -> Result<Options, Failure> {
    let Request { tool, launch, before_class, app } = request;
    let profile = &loaded.profile;
    if global.flink_home.is_some() {
        return Err(Failure::usage("`--flink-home` is not in this version: it runs Spark only"));
    }
    let targets = targets(tool, &launch, profile)?;
    let allow = allow(&launch, profile, &targets)?;
    let existing = chosen("--existing", &launch.existing, &profile.existing, Existing::Replace)?;
    let pause_limit = chosen("--pause-limit", &launch.pause_limit, &profile.pause_limit, DEFAULT_PAUSE_LIMIT)?;
    let one_executor = one_executor(tool, &launch, profile, &targets)?;
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
        wait_for_debugger: wait_for_debugger(&launch, &targets, existing.value)?,
        args: launch.args,
        before_class,
        targets,
        one_executor,
        app,
        worker_master: profile.worker_master.as_ref().filter(|_| tool == Tool::Worker).map(from_profile),
        allow,
        existing,
        pause_limit,
        spark_home: spark_home(global, profile),
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

/// Roles and keys of the profile that mean nothing to this command.
fn ignored(tool: Tool, profile: &Profile, targets: &[Target]) -> Vec<(String, profile::Origin)> {
    let roles = Role::ALL.into_iter().filter(|role| !tool.roles().contains(role));
    let roles = roles.filter_map(|role| Some((role.to_string(), profile.endpoint(role)?.origin.clone())));
    let has_executors = targets.iter().any(|target| target.role == Role::Executor);
    let keys = [
        ("one-executor", profile.one_executor.as_ref().filter(|_| !has_executors).map(|key| &key.origin)),
        ("worker-master", profile.worker_master.as_ref().filter(|_| tool != Tool::Worker).map(|key| &key.origin)),
        ("flink-home", profile.flink_home.as_ref().map(|key| &key.origin)),
    ];
    let keys = keys.into_iter().filter_map(|(name, origin)| Some((name.to_owned(), origin?.clone())));
    roles.chain(keys).collect()
}

/// The distribution that a flag or the profile names.
pub fn spark_home(global: &Global, profile: &Profile) -> Option<Chosen<PathBuf>> {
    match (&global.spark_home, &profile.spark_home) {
        (Some(home), _) => Some(Chosen { value: home.clone(), source: Source::Flag("--spark-home".into()) }),
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

/// The roles named by flags replace those of the profile and the default.
fn targets(tool: Tool, launch: &Launch, profile: &Profile) -> Result<Vec<Target>, Failure> {
    let typed = typed_roles(tool, launch)?;
    let roles: Vec<Role> = if !typed.is_empty() {
        typed.iter().map(|(role, _)| *role).collect()
    } else {
        let named: Vec<Role> = tool.roles().iter().copied().filter(|role| profile.endpoint(*role).is_some()).collect();
        if named.is_empty() { vec![tool.roles()[0]] } else { named }
    };
    refuse_shorthand_for_several(launch, &roles, &typed, profile)?;
    let target = |role: Role| {
        let typed_spec = typed.iter().find(|(typed, _)| *typed == role).and_then(|(_, spec)| spec.clone());
        target(role, typed_spec, launch, profile)
    };
    let targets = roles.into_iter().map(target).collect::<Result<Vec<_>, _>>()?;
    refuse_one_place_for_two(&targets)?;
    Ok(targets)
}

fn typed_roles(tool: Tool, launch: &Launch) -> Result<Vec<(Role, Option<EndpointSpec>)>, Failure> {
    let flags = [
        (Role::Driver, &launch.driver),
        (Role::Executor, &launch.executor),
        (Role::Daemon, &launch.daemon),
        (Role::Client, &launch.client),
        (Role::JobManager, &launch.jobmanager),
        (Role::TaskManager, &launch.taskmanager),
    ];
    let mut typed = Vec::new();
    for (role, flag) in flags {
        let Some(value) = flag else { continue };
        if !tool.roles().contains(&role) {
            let failure = Failure::usage(format!("`sparkdbg {}` has no {role} to debug", tool.command()));
            return Err(match tool.roles() {
                [only] if tool == Tool::Class && role == Role::Executor => {
                    failure.help(format!("its role is {only}; the executors of a worker: sparkdbg worker"))
                }
                [only] => failure.help(format!("its role is {only}")),
                roles => {
                    let names: Vec<&str> = roles.iter().map(|role| role.name()).collect();
                    failure.help(format!("its roles are {}", names.join(" and ")))
                }
            });
        }
        let spec = value.as_deref().map(|text| flag_value(&format!("--{role}"), text)).transpose()?;
        typed.push((role, spec));
    }
    Ok(typed)
}

fn target(role: Role, typed: Option<EndpointSpec>, launch: &Launch, profile: &Profile) -> Result<Target, Failure> {
    let flag = |name: &str| Source::Flag(name.to_owned());
    let (spec, source) = if let Some(spec) = typed {
        (spec, flag(&format!("--{role}")))
    } else if let Some(text) = &launch.attach {
        (shorthand(role, "--attach", Mode::Attach, text)?, flag("--attach"))
    } else if let Some(text) = &launch.listen {
        (shorthand(role, "--listen", Mode::Listen, text)?, flag("--listen"))
    } else if let Some(sourced) = profile.endpoint(role) {
        (sourced.value.clone(), Source::Profile(sourced.origin.clone()))
    } else {
        (EndpointSpec { mode: Mode::Attach, host: None, port: None, suspend: None }, Source::Default)
    };
    let mut endpoint = spec.resolve(role);
    if launch.suspend || launch.no_suspend {
        endpoint.suspend = launch.suspend;
    }
    if endpoint.mode == Mode::Listen && endpoint.host.is_wildcard() {
        return Err(Failure::usage(format!("`{}` ({source}) is no address that a JVM can dial", endpoint.host))
            .help("with `listen`, the host is the machine on which the debugger listens")
            .blamed_on_world(source.is_profile()));
    }
    let suspend_flag = match (launch.suspend, launch.no_suspend) {
        (true, _) => Some("--suspend"),
        (_, true) => Some("--no-suspend"),
        _ => None,
    };
    Ok(Target { role, endpoint, source, suspend_flag })
}

/// Two JVMs cannot listen on one port, and a debugger that listens takes one JVM.
fn refuse_one_place_for_two(targets: &[Target]) -> Result<(), Failure> {
    let [first, second] = targets else { return Ok(()) };
    let (one, other) = (&first.endpoint, &second.endpoint);
    let same = one.mode == other.mode && one.host.overlaps(&other.host) && one.port == other.port && one.port != 0;
    if !same {
        return Ok(());
    }
    let cure = match one.mode {
        Mode::Attach => format!("give each its own port: --{}=attach:0", second.role),
        Mode::Listen => "let the debugger listen on two ports, one for each".to_owned(),
    };
    let also = if one.host == other.host { String::new() } else { format!(" and {}:{}", other.host, other.port) };
    let message = format!(
        "{} ({}) and {} ({}) have one place to meet the debugger, {}:{}{also}",
        first.role, first.source, second.role, second.source, one.host, one.port
    );
    let from_file = first.source.is_profile() || second.source.is_profile();
    Err(Failure::usage(message).help(cure).blamed_on_world(from_file))
}

fn shorthand(role: Role, flag: &str, mode: Mode, text: &str) -> Result<EndpointSpec, Failure> {
    if text.starts_with("attach:") || text.starts_with("listen:") {
        return Err(Failure::usage(format!("`{flag}` takes [HOST:]PORT, not the endpoint `{text}`"))
            .help(format!("write `--{role}={text}`")));
    }
    let address: Address = flag_value(flag, text)?;
    EndpointSpec::new(mode, address.host, Some(address.port), None)
        .map_err(|cause| Failure::usage(format!("`{flag} {text}`: {cause}")))
}

fn refuse_shorthand_for_several(
    launch: &Launch,
    roles: &[Role],
    typed: &[(Role, Option<EndpointSpec>)],
    profile: &Profile,
) -> Result<(), Failure> {
    let given = [
        ("--attach", launch.attach.is_some()),
        ("--listen", launch.listen.is_some()),
        ("--suspend", launch.suspend),
        ("--no-suspend", launch.no_suspend),
    ];
    let Some((flag, _)) = given.into_iter().find(|(_, given)| *given) else { return Ok(()) };
    if let Some((role, _)) = typed.iter().find(|(_, spec)| spec.is_some()) {
        return Err(Failure::usage(format!("`{flag}` stands beside `--{role}=…`, which says the same thing"))
            .help(format!("write one of them; for example --{role}=attach:5005,nosuspend")));
    }
    if let [first, _, ..] = roles {
        let named_by = |role: &Role| match profile.endpoint(*role).filter(|_| typed.is_empty()) {
            Some(sourced) => format!("{role} ({})", sourced.origin),
            None => role.to_string(),
        };
        let names: Vec<String> = roles.iter().map(named_by).collect();
        let endpoint = match (&launch.attach, &launch.listen) {
            (Some(address), _) => format!("attach:{address}"),
            (_, Some(address)) => format!("listen:{address}"),
            _ if launch.suspend => "attach,suspend".to_owned(),
            _ => "attach,nosuspend".to_owned(),
        };
        return Err(Failure::usage(format!("`{flag}` does not say which role it is for: {}", names.join(" and ")))
            .help(format!("name the role: --{first}={endpoint}"))
            .blamed_on_world(typed.is_empty()));
    }
    Ok(())
}

/// One executor, where a debugger that listens takes one JVM and nobody says otherwise.
fn one_executor(tool: Tool, launch: &Launch, profile: &Profile, targets: &[Target]) -> Result<Chosen<bool>, Failure> {
    for (flag, given) in [("--one-executor", launch.one_executor), ("--all-executors", launch.all_executors)] {
        if given && !tool.roles().contains(&Role::Executor) {
            return Err(Failure::usage(format!("`{flag}`: `sparkdbg {}` starts no executors", tool.command())));
        }
    }
    let flag = |value, name: &str| Chosen { value, source: Source::Flag(name.to_owned()) };
    let executors = targets.iter().find(|target| target.role == Role::Executor);
    let dial = executors.is_some_and(|target| target.endpoint.mode == Mode::Listen);
    Ok(match (launch.one_executor, launch.all_executors, &profile.one_executor) {
        (true, _, _) => flag(true, "--one-executor"),
        (_, true, _) => flag(false, "--all-executors"),
        // Where the executors are not debugged, their number is no matter of the profile's.
        (_, _, Some(sourced)) if executors.is_some() => from_profile(sourced),
        _ => Chosen { value: dial, source: Source::Default },
    })
}

fn allow(launch: &Launch, profile: &Profile, targets: &[Target]) -> Result<Chosen<Vec<String>>, Failure> {
    let nobody_named = Chosen { value: Vec::new(), source: Source::Default };
    // Where nobody attaches: the JVMs that dial out.
    let dialling = targets.iter().all(|target| target.endpoint.mode == Mode::Listen).then(|| &targets[0]);
    let chosen = match &profile.allow {
        _ if !launch.allow.is_empty() => Chosen { value: launch.allow.clone(), source: Source::Flag("--allow".into()) },
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

fn wait_for_debugger(launch: &Launch, targets: &[Target], existing: Existing) -> Result<Option<Duration>, Failure> {
    let Some(text) = &launch.wait_for_debugger else { return Ok(None) };
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
