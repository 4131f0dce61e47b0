//! `sparkdbg init`: a commented `sparkdbg.toml`, with what the flags say and every other key as a comment.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::cli::{DebugOptions, Endpoints, Global, Init};
use crate::endpoint::{EndpointSpec, Role, is_peer};
use crate::environment::Process;
use crate::error::Failure;
use crate::output::{print, tell};
use crate::profile::{self, Existing, PauseLimit};
use crate::trust;

/// The profile that is written where nobody names one.
const DEFAULT_NAME: &str = "local";

/// The command.
///
/// # Errors
/// A bad value, or options that a profile does not have (exit 2); a file that is there already or cannot be
/// written (exit 125).
pub fn run(asked: &Init, global: &Global) -> Result<(), Failure> {
    let process = Process::current()?;
    let search = crate::profile_search(global, &process);
    let file = profile::new_file(&search, asked.user).ok_or_else(|| {
        Failure::world("neither XDG_CONFIG_HOME nor HOME names a directory for the user's file")
            .help("set HOME, or write the project's file: sparkdbg init")
    })?;
    let name = global.profile.as_deref().unwrap_or(DEFAULT_NAME);
    let text = text(name, &asked.debug, global)?;
    if global.dry_run.is_some() {
        return print(text.as_bytes());
    }
    write(&file, &text, asked.force)?;
    // What was written is what will be read: whoever may exchange the file is named now.
    let loaded = profile::load(&profile::Search { config: Some(&file), ..search }, Some((name, "init")))?;
    if !global.quiet {
        let start = match loaded.profile.driver.is_some() || loaded.profile.executor.is_some() {
            true => "sparkdbg submit app.jar",
            false => "sparkdbg profiles",
        };
        tell(&format!("sparkdbg: wrote `{}`; `{name}` is the default profile: {start}\n", file.display()));
    }
    Ok(())
}

fn write(file: &Path, text: &str, force: bool) -> Result<(), Failure> {
    let failure = |error: &std::io::Error| {
        Failure::world(format!("`{}` cannot be written: {}", file.display(), trust::cause(error)))
    };
    if let Some(dir) = file.parent() {
        std::fs::create_dir_all(dir).map_err(|error| failure(&error))?;
    }
    let mut options = OpenOptions::new();
    options.write(true).mode(0o644).create(force).truncate(force).create_new(!force);
    let mut opened = options.open(file).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Failure::world(format!("`{}` is there already", file.display()))
            .help("edit it, or let it be replaced: --force"),
        _ => failure(&error),
    })?;
    opened.write_all(text.as_bytes()).map_err(|error| failure(&error))
}

/// A key of a profile: what the flags say of it, else an example, and what it means.
struct Key {
    name: &'static str,
    /// TOML; `None`: as a comment.
    value: Option<String>,
    example: &'static str,
    meaning: &'static str,
}

fn text(name: &str, debug: &DebugOptions, global: &Global) -> Result<String, Failure> {
    let key = key_of(name);
    let name = quoted(name);
    let mut text = format!(
        "# Profiles of sparkdbg. Flags win over them; `sparkdbg profiles` shows what they come to.\n\
         # A file counts only if nobody else can write it.\n\n\
         default-profile = {name}\n\n[profile.{key}]\n"
    );
    for key in keys(debug, global)? {
        text.push_str(&format!("# {}\n", key.meaning));
        match &key.value {
            Some(value) => text.push_str(&format!("{} = {value}\n", key.name)),
            None => text.push_str(&format!("#{} = {}\n", key.name, key.example)),
        }
    }
    text.push_str("\n# Another profile may take over what this one says:\n#[profile.cluster]\n#inherits = ");
    text.push_str(&format!("{name}\n"));
    Ok(text)
}

fn keys(debug: &DebugOptions, global: &Global) -> Result<Vec<Key>, Failure> {
    if debug.wait_for_debugger.is_some() {
        return Err(Failure::usage("`--wait-for-debugger` is no key of a profile").help("type it at the launch"));
    }
    let checked = |flag: &str, cause: String| Failure::usage(format!("`{flag}`: {cause}"));
    let endpoints = endpoints(&debug.endpoints)?;
    let endpoint = |role: Role| endpoints.iter().find(|(named, _)| *named == role).map(|(_, text)| quoted(text));
    for peer in &debug.allow {
        if !is_peer(peer) {
            return Err(Failure::usage(format!("`--allow {peer}`: not an IP address or network"))
                .help("the agent takes numbers only: 10.0.0.7 or 10.0.0.0/8"));
        }
    }
    let allow = (!debug.allow.is_empty()).then(|| {
        let peers: Vec<String> = debug.allow.iter().map(|peer| quoted(peer)).collect();
        format!("[{}]", peers.join(", "))
    });
    let existing = debug.existing.as_deref().map(str::parse::<Existing>).transpose();
    let existing = existing.map_err(|cause| checked("--existing", cause))?;
    let limit = debug.pause_limit.as_deref().map(str::parse::<PauseLimit>).transpose();
    let limit = limit.map_err(|cause| checked("--pause-limit", cause))?;
    let one_executor = (debug.one_executor || debug.all_executors).then(|| debug.one_executor.to_string());
    let path = |path: &Option<std::path::PathBuf>| path.as_ref().map(|path| quoted(&path.to_string_lossy()));
    // What nobody names would mean nothing; a driver is what most people start with.
    let is_empty = endpoints.is_empty();
    let driver = endpoint(Role::Driver).or(is_empty.then(|| quoted("attach:5005")));
    let key = |name, value, example, meaning| Key { name, value, example, meaning };
    Ok(vec![
        key(
            "driver",
            driver,
            "\"attach:5005\"",
            "Where the driver of Spark meets its debugger: attach[:[HOST:]PORT] or listen:[HOST:]PORT, then ,suspend or ,nosuspend.",
        ),
        key(
            "executor",
            endpoint(Role::Executor),
            "\"attach:0\"",
            "The same for executors; with attach:0 each picks a port, which `sparkdbg ps` names.",
        ),
        key(
            "daemon",
            endpoint(Role::Daemon),
            "\"attach:5005\"",
            "The same for a master, worker, history server, SQL gateway.",
        ),
        key("client", endpoint(Role::Client), "\"attach:5016\"", "The same for the client of Flink, …"),
        key("jobmanager", endpoint(Role::JobManager), "\"attach:5005\"", "… its JobManager …"),
        key(
            "taskmanager",
            endpoint(Role::TaskManager),
            "\"attach\"",
            "… and its TaskManagers: the first free port from 5006 upwards.",
        ),
        key(
            "allow",
            allow,
            "[\"10.0.0.0/8\"]",
            "Only these may attach (Java 10 or newer; default: whoever reaches the port).",
        ),
        key(
            "existing",
            existing.map(|value| quoted(&value.to_string())),
            "\"replace\"",
            "A debug agent is configured already: replace (default), keep or fail.",
        ),
        key("one-executor", one_executor, "true", "Hold the application to one executor (default: with listen)."),
        key(
            "pause-limit",
            limit.and(debug.pause_limit.as_deref()).map(quoted),
            "\"2h\"",
            "How long a JVM may stand on a breakpoint before the cluster gives it up, or off (default: 2h).",
        ),
        key(
            "spark-home",
            path(&global.spark_home),
            "\"/usr/lib/spark\"",
            "The distribution of Spark (default: SPARK_HOME, PATH, pip).",
        ),
        key(
            "flink-home",
            path(&global.flink_home),
            "\"/usr/lib/flink\"",
            "The distribution of Flink (default: FLINK_HOME, PATH, pip).",
        ),
        key("worker-master", None, "\"spark://10.0.0.1:7077\"", "The master that `sparkdbg worker` registers with."),
    ])
}

/// The endpoints of the flags, as words of a profile.
fn endpoints(flags: &Endpoints) -> Result<Vec<(Role, String)>, Failure> {
    let named = [
        (Role::Driver, &flags.driver),
        (Role::Executor, &flags.executor),
        (Role::Daemon, &flags.daemon),
        (Role::Client, &flags.client),
        (Role::JobManager, &flags.jobmanager),
        (Role::TaskManager, &flags.taskmanager),
    ];
    let roles: Vec<(Role, &Option<String>)> =
        named.into_iter().filter_map(|(role, flag)| Some((role, flag.as_ref()?))).collect();
    let suspend = match (flags.suspend, flags.no_suspend) {
        (true, _) => ",suspend",
        (_, true) => ",nosuspend",
        _ => "",
    };
    let shorthand = match (&flags.attach, &flags.listen) {
        (Some(address), _) => Some((format!("attach:{address}{suspend}"), "--attach")),
        (_, Some(address)) => Some((format!("listen:{address}{suspend}"), "--listen")),
        _ if !suspend.is_empty() => Some((format!("attach{suspend}"), "--suspend")),
        _ => None,
    };
    if let Some((_, flag)) =
        shorthand.as_ref().filter(|_| roles.len() > 1 || roles.iter().any(|(_, spec)| spec.is_some()))
    {
        return Err(Failure::usage(format!("`{flag}` does not say which role it is for, or says it twice"))
            .help("write the endpoint behind the role: --driver=attach:5005,nosuspend"));
    }
    let roles = if roles.is_empty() && shorthand.is_some() { vec![(Role::Driver, &None)] } else { roles };
    let text = |(role, spec): (Role, &Option<String>)| {
        let text =
            spec.clone().or(shorthand.as_ref().map(|(text, _)| text.clone())).unwrap_or_else(|| "attach".to_owned());
        let checked = text.parse::<EndpointSpec>().map_err(|cause| Failure::usage(format!("`--{role}`: {cause}")));
        checked.map(|_| (role, text))
    };
    roles.into_iter().map(text).collect()
}

/// A key of TOML, bare where it may be.
fn key_of(text: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    if !text.is_empty() && text.chars().all(is_bare) { text.to_owned() } else { quoted(text) }
}

/// A string of TOML.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}
