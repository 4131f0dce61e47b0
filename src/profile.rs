//! Profiles: named sets of settings in `sparkdbg.toml` (the project's) and `config.toml` (the
//! user's), each value with the line it came from.
//!
//! [`load`] finds the files, refuses those that somebody else can write, reads all of both and
//! flattens the wanted profile: project over user key by key, then what it inherits.

mod file;
mod find;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use crate::endpoint::{EndpointSpec, Role};
use crate::error::{Failure, nearest};

use file::{Definition, File};

/// The longest pause limit: Spark holds such times as milliseconds in an `i32`.
const LONGEST_PAUSE: Duration = Duration::from_secs(2_147_483);

/// The settings of one profile, each with the file and line it came from; what is `None` was not written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Profile {
    /// Where Spark's driver and its debugger meet.
    pub driver: Option<Sourced<EndpointSpec>>,
    /// The same for Spark's executors.
    pub executor: Option<Sourced<EndpointSpec>>,
    /// The same for a long-running service.
    pub daemon: Option<Sourced<EndpointSpec>>,
    /// The same for Flink's client.
    pub client: Option<Sourced<EndpointSpec>>,
    /// The same for Flink's JobManager.
    pub jobmanager: Option<Sourced<EndpointSpec>>,
    /// The same for Flink's TaskManager.
    pub taskmanager: Option<Sourced<EndpointSpec>>,
    /// Who may attach: checked `IP[/BITS]`, as written; never empty.
    pub allow: Option<Sourced<Vec<String>>>,
    /// What happens to a debug agent that is already configured.
    pub existing: Option<Sourced<Existing>>,
    /// Whether the application is held to one executor.
    pub one_executor: Option<Sourced<bool>>,
    /// How long a JVM may stand on a breakpoint.
    pub pause_limit: Option<Sourced<PauseLimit>>,
    /// Spark's distribution. Absolute if the file's path is: `~/` and relative paths are resolved.
    pub spark_home: Option<Sourced<PathBuf>>,
    /// Flink's distribution, resolved like `spark_home`.
    pub flink_home: Option<Sourced<PathBuf>>,
    /// The master that a `worker` registers with.
    pub worker_master: Option<Sourced<String>>,
}

impl Profile {
    /// The endpoint written for a role.
    pub fn endpoint(&self, role: Role) -> Option<&Sourced<EndpointSpec>> {
        match role {
            Role::Driver => self.driver.as_ref(),
            Role::Executor => self.executor.as_ref(),
            Role::Daemon => self.daemon.as_ref(),
            Role::Client => self.client.as_ref(),
            Role::JobManager => self.jobmanager.as_ref(),
            Role::TaskManager => self.taskmanager.as_ref(),
        }
    }

    /// Takes from `weaker` what is not set here.
    fn fill(&mut self, weaker: Profile) {
        fn fill<T>(mine: &mut Option<T>, weaker: Option<T>) {
            if mine.is_none() {
                *mine = weaker;
            }
        }
        // Taken apart, so that a field that is added here is not forgotten.
        let Profile {
            driver,
            executor,
            daemon,
            client,
            jobmanager,
            taskmanager,
            allow,
            existing,
            one_executor,
            pause_limit,
            spark_home,
            flink_home,
            worker_master,
        } = weaker;
        fill(&mut self.driver, driver);
        fill(&mut self.executor, executor);
        fill(&mut self.daemon, daemon);
        fill(&mut self.client, client);
        fill(&mut self.jobmanager, jobmanager);
        fill(&mut self.taskmanager, taskmanager);
        fill(&mut self.allow, allow);
        fill(&mut self.existing, existing);
        fill(&mut self.one_executor, one_executor);
        fill(&mut self.pause_limit, pause_limit);
        fill(&mut self.spark_home, spark_home);
        fill(&mut self.flink_home, flink_home);
        fill(&mut self.worker_master, worker_master);
    }
}

/// A value and where it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sourced<T> {
    /// The value, checked.
    pub value: T,
    /// Where it was written.
    pub origin: Origin,
}

/// The line of a file on which a value was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The file, by the path under which it was found.
    pub file: PathBuf,
    /// The line of the key, from 1.
    pub line: usize,
    /// From a project's `sparkdbg.toml`, not from the user's file or the one of `--config`.
    pub project: bool,
    /// The profile that the value was written in; another than the wanted one if it was inherited.
    pub profile: String,
}

impl fmt::Display for Origin {
    /// `FILE:LINE (profile NAME)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{} (profile {})", self.file.display(), self.line, self.profile)
    }
}

/// What happens to a debug agent that is already configured for a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Ours takes its place.
    Replace,
    /// It stays and nothing is injected.
    Keep,
    /// Nothing is started.
    Fail,
}

impl fmt::Display for Existing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Existing::Replace => "replace",
            Existing::Keep => "keep",
            Existing::Fail => "fail",
        })
    }
}

impl FromStr for Existing {
    type Err = String;

    /// `replace`, `keep` or `fail`.
    fn from_str(text: &str) -> Result<Existing, String> {
        match text {
            "replace" => Ok(Existing::Replace),
            "keep" => Ok(Existing::Keep),
            "fail" => Ok(Existing::Fail),
            _ => Err(format!("`{text}` is not `replace`, `keep` or `fail`")),
        }
    }
}

/// How long a JVM may stand on a breakpoint before the cluster gives it up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PauseLimit {
    /// The cluster's own limits stay.
    Off,
    /// Whole seconds, from 1 to 2147483.
    Limit(Duration),
}

impl fmt::Display for PauseLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PauseLimit::Limit(limit) => humantime::format_duration(*limit).fmt(f),
            PauseLimit::Off => f.write_str("off"),
        }
    }
}

impl FromStr for PauseLimit {
    type Err = String;

    /// `off`, or a duration with its unit.
    fn from_str(text: &str) -> Result<PauseLimit, String> {
        if text == "off" {
            return Ok(PauseLimit::Off);
        }
        let limit = humantime::parse_duration(text)
            .map_err(|_| format!("`{text}` is not a duration like `90s`, `30m`, `2h` or `1d`, nor `off`"))?;
        if limit.subsec_nanos() != 0 {
            return Err(format!("`{text}` is not a whole number of seconds"));
        }
        if limit.is_zero() {
            return Err(format!("`{text}` leaves no time to pause: at least `1s`, or `off`"));
        }
        if limit > LONGEST_PAUSE {
            return Err(format!(
                "`{text}` is longer than `{}s`, the longest that Spark can hold",
                LONGEST_PAUSE.as_secs()
            ));
        }
        Ok(PauseLimit::Limit(limit))
    }
}

/// Where profiles are looked for. Absolute paths, but for `config`.
#[derive(Debug, Clone, Copy)]
pub struct Search<'a> {
    /// The file of `--config`, which replaces both others; relative to `cwd`.
    pub config: Option<&'a Path>,
    /// The working directory, from which the project's file is looked for upwards.
    pub cwd: &'a Path,
    /// `HOME`: the last directory of that way up, the place of `.config`, and `~`.
    pub home: Option<&'a Path>,
    /// `XDG_CONFIG_HOME`; ignored when relative, as its specification asks.
    pub xdg_config_home: Option<&'a Path>,
}

/// What the files say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// The profile in force: the wanted one, else a `default-profile`.
    pub name: Option<String>,
    /// What named it: a flag, a variable, or the file and line of `default-profile`.
    pub named_by: Option<String>,
    /// Its settings with all that it inherits; empty when there is no profile.
    pub profile: Profile,
    /// The files that were read, the strongest first.
    pub files: Vec<PathBuf>,
}

/// Reads the files and resolves the profile `wanted`, given with what named it (`--profile`,
/// `SPARKDBG_PROFILE`), else the `default-profile` of the project's file, else of the user's.
///
/// Fails (exit 125) on a file that others can write, on anything wrong in any profile of a file,
/// and on a profile that does not exist or inherits itself.
pub fn load(search: &Search, wanted: Option<(&str, &str)>) -> Result<Loaded, Failure> {
    let files = read(search)?;
    let request = match wanted {
        Some((name, by)) => {
            let refusal = format!("unknown profile `{name}`, named by `{by}`");
            Some(Request { name: name.to_owned(), by: by.to_owned(), refusal })
        }
        None => files.iter().find_map(File::default_profile),
    };
    let (name, named_by) = request.as_ref().map(|request| (request.name.clone(), request.by.clone())).unzip();
    let profile = match request {
        Some(request) => resolve(&files, request, search)?.0,
        None => Profile::default(),
    };
    Ok(Loaded { name, named_by, profile, files: files.into_iter().map(|file| file.path).collect() })
}

/// The files that are there, the strongest first.
fn read(search: &Search) -> Result<Vec<File>, Failure> {
    find::files(search)?.iter().map(|found| file::read(found, search.home)).collect()
}

/// A profile of the files, with all that it inherits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// The files that define it and the line on which it begins there, the strongest first.
    pub places: Vec<(PathBuf, usize)>,
    /// The profiles that it inherits, the nearest first.
    pub inherits: Vec<String>,
    /// Its settings.
    pub profile: Profile,
    /// Whether it is in force when nobody names one.
    pub is_default: bool,
}

/// Every profile, in the order of the names, and the files that were read.
///
/// Fails as [`load`] does, also for a profile that is not the default.
pub fn list(search: &Search) -> Result<(Vec<Listed>, Vec<PathBuf>), Failure> {
    let files = read(search)?;
    let default = files.iter().find_map(File::default_profile);
    if let Some(request) = &default
        && definition(&files, &request.name).is_none()
    {
        return Err(unknown_profile(&files, &request.name, &[], &request.refusal, search));
    }
    let names: BTreeSet<&String> = files.iter().flat_map(|file| file.profiles.keys()).collect();
    let listed = names.into_iter().map(|name| {
        let places = files.iter().filter_map(|file| Some((file.path.clone(), file.profiles.get(name)?.line)));
        let request = Request { name: name.clone(), by: String::new(), refusal: String::new() };
        let (profile, chain) = resolve(&files, request, search)?;
        Ok(Listed {
            name: name.clone(),
            places: places.collect(),
            inherits: chain[1..].to_vec(),
            profile,
            is_default: default.as_ref().is_some_and(|default| default.name == *name),
        })
    });
    Ok((listed.collect::<Result<Vec<_>, Failure>>()?, files.into_iter().map(|file| file.path).collect()))
}

/// Where [`load`] and [`list`] look, for a message.
pub fn places(search: &Search) -> String {
    find::places(search)
}

/// The file that `init` writes: the user's, or that of a project in the working directory.
pub fn new_file(search: &Search, user: bool) -> Option<PathBuf> {
    find::new_file(search, user)
}

/// The project's file that is read from the working directory, without regard to `--config`.
pub fn project_file(search: &Search) -> Option<PathBuf> {
    find::project_file(search).map(|found| found.path)
}

/// A profile that somebody asks for.
struct Request {
    name: String,
    /// Who asks.
    by: String,
    /// The message if it does not exist: it names who asked.
    refusal: String,
}

/// One profile with all that it inherits, and the names on that way, its own first.
fn resolve(files: &[File], request: Request, search: &Search) -> Result<(Profile, Vec<String>), Failure> {
    let mut profile = Profile::default();
    let mut chain: Vec<String> = Vec::new();
    let mut next = Some(request);
    while let Some(Request { name, refusal, .. }) = next {
        let Definition { inherits, keys, .. } =
            definition(files, &name).ok_or_else(|| unknown_profile(files, &name, &chain, &refusal, search))?;
        profile.fill(keys);
        chain.push(name);
        next = match inherits {
            Some(Sourced { value: parent, origin }) => {
                let place = format!("`{}` line {}", origin.file.display(), origin.line);
                if let Some(start) = chain.iter().position(|visited| *visited == parent) {
                    let cycle = format!("{} -> {parent}", chain[start..].join(" -> "));
                    return Err(Failure::world(format!("{place}: `inherits` closes the cycle `{cycle}`"))
                        .help("remove one `inherits` of the cycle"));
                }
                let refusal =
                    format!("{place}: unknown profile `{parent}` in `inherits` of profile `{}`", origin.profile);
                Some(Request { name: parent, by: place, refusal })
            }
            None => None,
        };
    }
    Ok((profile, chain))
}

/// The union of what the files say about a profile; the first file wins.
fn definition(files: &[File], name: &str) -> Option<Definition> {
    let mut definitions = files.iter().filter_map(|file| file.profiles.get(name)).cloned();
    let mut union = definitions.next()?;
    for weaker in definitions {
        union.inherits = union.inherits.or(weaker.inherits);
        union.keys.fill(weaker.keys);
    }
    Some(union)
}

/// `heirs`: those that would inherit it, which it cannot be meant to be.
fn unknown_profile(files: &[File], name: &str, heirs: &[String], refusal: &str, search: &Search) -> Failure {
    if files.is_empty() {
        return Failure::world(format!("{refusal}: there is no configuration file")).help(find::places(search));
    }
    let names: BTreeSet<&str> = files.iter().flat_map(|file| file.profiles.keys().map(String::as_str)).collect();
    let listed = match names.len() {
        0 => format!("no profile is defined in {}", ticked(files.iter().map(|file| file.path.display()))),
        _ => format!("the profiles are {}", ticked(&names)),
    };
    let others = names.into_iter().filter(|other| !heirs.iter().any(|heir| heir == other));
    Failure::world(refusal).help(match nearest(name, others) {
        Some(near) => format!("did you mean `{near}`? {listed}"),
        None => listed,
    })
}

/// `` `a`, `b` ``
fn ticked(words: impl IntoIterator<Item = impl fmt::Display>) -> String {
    words.into_iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}
