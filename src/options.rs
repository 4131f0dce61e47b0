//! What the user wants, every field final: flag over environment over profile over default. Pure.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use crate::cli::{Command, DryRunFormat, Global, Launch};
use crate::endpoint::{Address, Endpoint, EndpointSpec, Mode, Role, is_peer};
use crate::error::Failure;
use crate::profile::{self, Existing, Loaded, PauseLimit, Profile};
use crate::spark::tool::Tool;

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
    /// The driver and where it meets its debugger.
    pub driver: Target,
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

/// The tool behind a command, and its options.
///
/// # Panics
/// Of `ps`, which starts nothing.
pub fn tool_of(command: Command) -> (Tool, Launch) {
    match command {
        Command::Ps(_) => unreachable!("`ps` has no tool"),
        Command::Submit(launch) => (Tool::Submit, launch),
        Command::Shell(launch) => (Tool::Shell, launch),
        Command::Sql(launch) => (Tool::Sql, launch),
        Command::Pyspark(launch) => (Tool::Pyspark, launch),
        Command::R(launch) => (Tool::R, launch),
        Command::Example(launch) => (Tool::Example, launch),
        Command::ConnectShell(launch) => (Tool::ConnectShell, launch),
        Command::Python(launch) => (Tool::Python, launch),
        Command::ConnectServer(launch) => (Tool::ConnectServer, launch),
        Command::ThriftServer(launch) => (Tool::ThriftServer, launch),
    }
}

/// Two hours.
const DEFAULT_PAUSE_LIMIT: PauseLimit = PauseLimit::Limit(Duration::from_secs(2 * 60 * 60));

/// Final options.
///
/// # Errors
/// Flags that contradict each other or hold a bad value (exit 2), a profile that does not fit them
/// (exit 125).
pub fn resolve(global: &Global, tool: Tool, launch: Launch, loaded: Loaded) -> Result<Options, Failure> {
    let profile = &loaded.profile;
    if global.flink_home.is_some() {
        return Err(Failure::usage("`--flink-home` is not in this version: it runs Spark only"));
    }
    let driver = driver_target(tool, &launch, profile)?;
    let allow = allow(&launch, profile, &driver)?;
    let existing = chosen("--existing", &launch.existing, &profile.existing, Existing::Replace)?;
    let pause_limit = chosen("--pause-limit", &launch.pause_limit, &profile.pause_limit, DEFAULT_PAUSE_LIMIT)?;
    Ok(Options {
        tool,
        wait_for_debugger: wait_for_debugger(&launch, &driver, existing.value)?,
        args: launch.args,
        driver,
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
        ignored: ignored(profile),
    })
}

/// Roles that no command of Spark's has, and what is for executors and workers.
fn ignored(profile: &Profile) -> Vec<(String, profile::Origin)> {
    let roles = Role::ALL.into_iter().filter(|role| !has_role(*role));
    let roles = roles.filter_map(|role| Some((role.to_string(), profile.endpoint(role)?.origin.clone())));
    let keys = [
        ("one-executor", profile.one_executor.as_ref().map(|key| &key.origin)),
        ("pause-limit", profile.pause_limit.as_ref().map(|key| &key.origin)),
        ("worker-master", profile.worker_master.as_ref().map(|key| &key.origin)),
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

/// Every command that is built reaches `spark-submit`, whose JVMs are the driver and its executors.
fn has_role(role: Role) -> bool {
    matches!(role, Role::Driver | Role::Executor)
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

/// The roles named by flags replace those of the profile and the default; only the driver is built.
fn driver_target(tool: Tool, launch: &Launch, profile: &Profile) -> Result<Target, Failure> {
    let flags = [
        (Role::Driver, &launch.driver),
        (Role::Executor, &launch.executor),
        (Role::Daemon, &launch.daemon),
        (Role::Client, &launch.client),
        (Role::JobManager, &launch.jobmanager),
        (Role::TaskManager, &launch.taskmanager),
    ];
    let mut typed: Vec<(Role, Option<EndpointSpec>)> = Vec::new();
    for (role, flag) in flags {
        let Some(value) = flag else { continue };
        if !has_role(role) {
            return Err(Failure::usage(format!("`sparkdbg {}` has no {role} to debug", tool.command()))
                .help("its roles are driver and executor"));
        }
        let spec = value.as_deref().map(|text| flag_value(&format!("--{role}"), text)).transpose()?;
        typed.push((role, spec));
    }
    let roles: Vec<Role> = if !typed.is_empty() {
        typed.iter().map(|(role, _)| *role).collect()
    } else {
        let named: Vec<Role> =
            Role::ALL.into_iter().filter(|role| has_role(*role) && profile.endpoint(*role).is_some()).collect();
        if named.is_empty() { vec![Role::Driver] } else { named }
    };
    refuse_shorthand_for_several(launch, &roles, &typed, profile)?;
    if roles.contains(&Role::Executor) || launch.one_executor || launch.all_executors {
        return Err(unbuilt_executor(launch, profile));
    }

    let role = Role::Driver;
    let flag = |name: &str| Source::Flag(name.to_owned());
    let typed_spec = typed.into_iter().find_map(|(_, spec)| spec);
    let (spec, source) = if let Some(spec) = typed_spec {
        (spec, flag("--driver"))
    } else if let Some(text) = &launch.attach {
        (shorthand("--attach", Mode::Attach, text)?, flag("--attach"))
    } else if let Some(text) = &launch.listen {
        (shorthand("--listen", Mode::Listen, text)?, flag("--listen"))
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

fn shorthand(flag: &str, mode: Mode, text: &str) -> Result<EndpointSpec, Failure> {
    if text.starts_with("attach:") || text.starts_with("listen:") {
        return Err(Failure::usage(format!("`{flag}` takes [HOST:]PORT, not the endpoint `{text}`"))
            .help(format!("write `--driver={text}`")));
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
        return Err(Failure::usage(format!("`{flag}` does not say which role it is for: {}", names.join(" and ")))
            .help(format!("name the role: --{first}=attach:5005"))
            .blamed_on_world(typed.is_empty()));
    }
    Ok(())
}

fn unbuilt_executor(launch: &Launch, profile: &Profile) -> Failure {
    let typed = [
        ("--executor", launch.executor.is_some()),
        ("--one-executor", launch.one_executor),
        ("--all-executors", launch.all_executors),
    ];
    match typed.into_iter().find(|(_, given)| *given) {
        Some((flag, _)) => Failure::usage(format!("`{flag}` is not in this version: it debugs drivers only")),
        None => {
            let origin = profile.executor.as_ref().map(|sourced| sourced.origin.to_string()).unwrap_or_default();
            Failure::usage(format!("the executor role is not in this version; it is named by {origin}"))
                .help("name the role to debug: --driver")
        }
    }
}

fn allow(launch: &Launch, profile: &Profile, driver: &Target) -> Result<Chosen<Vec<String>>, Failure> {
    let nobody_named = Chosen { value: Vec::new(), source: Source::Default };
    let chosen = match &profile.allow {
        _ if !launch.allow.is_empty() => Chosen { value: launch.allow.clone(), source: Source::Flag("--allow".into()) },
        // A flag wins over the profile: nobody attaches to a JVM that was told to dial out.
        Some(_) if driver.endpoint.mode == Mode::Listen && !driver.source.is_profile() => return Ok(nobody_named),
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
    if !chosen.value.is_empty() && driver.endpoint.mode == Mode::Listen {
        return Err(failure(format!(
            "`allow` ({}) has no meaning with `listen` ({}): the JVM dials out, nobody attaches to it",
            chosen.source, driver.source
        ))
        .help("leave out `allow`, or use `attach`")
        .blamed_on_world(driver.source.is_profile()));
    }
    Ok(chosen)
}

/// `MAX_PEER_ENTRIES` of the JDK's `socketTransport.c`.
const MOST_ALLOWED: usize = 32;

fn wait_for_debugger(launch: &Launch, driver: &Target, existing: Existing) -> Result<Option<Duration>, Failure> {
    let Some(text) = &launch.wait_for_debugger else { return Ok(None) };
    // An agent that is kept may dial out whatever the driver's own endpoint says.
    if driver.endpoint.mode == Mode::Attach && existing != Existing::Keep {
        return Err(Failure::usage(format!(
            "`--wait-for-debugger` has no meaning with `attach` ({}): there the JVM waits itself",
            driver.source
        ))
        .help("use `--suspend`, or `--listen [HOST:]PORT`")
        .blamed_on_world(driver.source.is_profile()));
    }
    humantime::parse_duration(text).map(Some).map_err(|cause| {
        Failure::usage(format!("`--wait-for-debugger {text}`: {cause}")).help("write a number and its unit: 30s, 5m")
    })
}
