//! `sparkdbg export`: the settings of a launch, as a service takes them. Reads, prints a document, ends.
//!
//! `settings` says what is set, `merge` puts it into what is in force and takes it out again, each format has a file of
//! its own. All of it is pure but [`run`].

mod args;
mod checks;
mod configurations;
mod databricks;
mod dataproc;
mod document;
mod emr;
mod emr_eks;
mod emr_serverless;
mod format;
mod helm;
mod hints;
mod json;
mod livy;
mod merge;
mod properties;
mod release;
mod settings;
mod undo;

#[cfg(test)]
mod tests;

use std::path::Path;

use serde_json::Value;

use crate::cli::{Export, ExportFormat, Global};
use crate::endpoint::Role;
use crate::environment::Process;
use crate::error::{self, Failure};
use crate::options::{self, Debuggable};
use crate::output::{print, tell};
use crate::plan::Note;
use crate::show;

use release::Release;
use settings::{Family, InForce, Wish};

/// The command.
///
/// # Errors
/// Flags that mean nothing here or to this format (exit 2); a profile or a file that does not fit (exit 125).
pub fn run(asked: &Export, global: &Global) -> Result<(), Failure> {
    let names = || ExportFormat::ALL.map(ExportFormat::name).join(", ");
    let format = asked.format.ok_or_else(|| {
        Failure::usage("`export` was not told for whom")
            .help(format!("name the format: --format FORMAT, one of {}", names()))
    })?;
    refuse_meaningless(asked, format, global)?;
    refuse_roles(asked, format)?;
    let release = asked.release.as_deref().map(str::parse::<Release>).transpose();
    let release = release.map_err(|cause| Failure::usage(format!("`--release`: {cause}")))?;
    refuse_old_release(asked, release.as_ref())?;
    let process = Process::current()?;
    let loaded = crate::load_profiles(global, &process)?;
    let command = format!("sparkdbg export --format {}", format.name());
    let of = Debuggable {
        whose: command,
        roles: format.roles(),
        unnamed: unnamed(asked, format),
        resolve: &|spec, role| format.resolve(spec, role),
    };
    let options = options::export(&of, &asked.debug, &loaded)?;
    let wish = Wish { format, options: &options, release: release.as_ref() };
    let mut notes = if asked.off { Vec::new() } else { checks::check(&wish)? };
    notes.extend(about_release(&wish, asked.off));
    let family = if format.is_one_family() { checks::one_family(&wish)? } else { Family::Spark };
    let mut for_groups = false;
    let text = if format.is_json() {
        let current = read_current(asked, &process)?;
        let done = json::export(&wish, current, &asked.instance_group, asked.off)?;
        notes.extend(done.notes);
        for_groups = done.is_for_groups;
        let text = serde_json::to_string_pretty(&done.document).expect("a value is JSON");
        format!("{text}\n")
    } else {
        notes.extend(wish.pause_notes(&InForce::default()));
        plain(&wish, family)?
    };
    if !global.quiet {
        notes.extend(hints::apply(&wish, family, for_groups, asked.off));
        if !asked.off {
            notes.extend(hints::reach(&wish));
        }
    }
    if global.verbose {
        let profile = loaded.name.zip(loaded.named_by);
        tell(&hints::reasons(&wish, &reasons(&wish), profile.as_ref()));
    }
    tell(&show::lines(&notes));
    print(text.as_bytes())
}

/// The document of a format that is merged with nothing.
fn plain(wish: &Wish, family: Family) -> Result<String, Failure> {
    let pairs = |family| wish.settings(family, &InForce::default()).pairs();
    Ok(match wish.format {
        ExportFormat::Dataproc => {
            let both = [Family::Spark, Family::Flink];
            let both = both.into_iter().flat_map(|of| pairs(of).into_iter().map(move |(key, value)| (of, key, value)));
            dataproc::render(&both.collect::<Vec<_>>())
                .ok_or_else(|| Failure::usage("the values leave no delimiter for gcloud's list"))?
        }
        ExportFormat::Args => args::render(family, &pairs(family)),
        ExportFormat::Helm => helm::render(family, &pairs(family)),
        _ => properties::render(&pairs(family)),
    })
}

/// Every setting with its reason.
fn reasons(wish: &Wish) -> Vec<(String, String)> {
    let mut reasons = Vec::new();
    for family in [Family::Spark, Family::Flink] {
        let settings = wish.settings(family, &InForce::default());
        let agents = settings.carriers.iter();
        reasons.extend(agents.map(|carrier| {
            (format!("{}={}", carrier.key, carrier.alone()), format!("the agent of the {}", carrier.role))
        }));
        reasons.extend(settings.settings.into_iter().map(|set| (format!("{}={}", set.key, set.value), set.why)));
    }
    reasons
}

/// The roles that are meant when nobody names one. What is taken out is looked for everywhere, unless an option speaks
/// of one role.
fn unnamed(asked: &Export, format: ExportFormat) -> &'static [Role] {
    let debug = &asked.debug;
    let speaks_of_one = debug.endpoints.attach.is_some()
        || debug.endpoints.listen.is_some()
        || debug.endpoints.suspend
        || debug.endpoints.no_suspend;
    if asked.off && !speaks_of_one { format.roles() } else { &format.roles()[..1] }
}

fn refuse_meaningless(asked: &Export, format: ExportFormat, global: &Global) -> Result<(), Failure> {
    let given = [
        ("--dry-run", global.dry_run.is_some()),
        ("--spark-home", global.spark_home.is_some()),
        ("--flink-home", global.flink_home.is_some()),
        ("--no-preflight", global.no_preflight),
    ];
    if let Some((flag, _)) = given.into_iter().find(|(_, given)| *given) {
        return Err(Failure::usage(format!("`{flag}` has no meaning with `export`, which starts nothing")));
    }
    let name = format.name();
    let json = those(ExportFormat::is_json);
    let emr = those(ExportFormat::is_emr);
    let only = |flag: &str, formats: &[&str]| {
        Failure::usage(format!("`{flag}` has no meaning with `--format {name}`"))
            .help(format!("it is for {}", formats.join(", ")))
    };
    if asked.off && !format.is_json() {
        return Err(Failure::usage(format!(
            "`--off` has no meaning with `--format {name}`: it is made anew each time"
        ))
        .help(format!("to be without the settings, leave them out; --off is for {}", json.join(", "))));
    }
    if asked.current.is_some() && !format.is_json() {
        return Err(only("--current", &json));
    }
    if asked.off && asked.current.is_none() {
        return Err(Failure::usage("`--off` does not know what the settings are to be taken out of")
            .help("name the configuration in force: --off --current FILE"));
    }
    if asked.release.is_some() && !format.is_emr() {
        return Err(only("--release", &emr));
    }
    if !asked.instance_group.is_empty() && format != ExportFormat::Emr {
        return Err(only("--instance-group", &["emr"]));
    }
    let groups = &asked.instance_group;
    if let Some((_, id)) = groups.iter().enumerate().find(|(at, id)| groups[..*at].contains(id)) {
        return Err(Failure::usage(format!("`--instance-group {id}` stands there twice")).help("name each group once"));
    }
    if groups.iter().any(String::is_empty) {
        return Err(Failure::usage("`--instance-group` names no group").help("write its id: ig-1ABCDEFGHIJKL"));
    }
    Ok(())
}

fn those(are: impl Fn(ExportFormat) -> bool) -> Vec<&'static str> {
    ExportFormat::ALL.into_iter().filter(|format| are(*format)).map(ExportFormat::name).collect()
}

/// Roles that the format cannot carry, with those formats that can.
fn refuse_roles(asked: &Export, format: ExportFormat) -> Result<(), Failure> {
    let debug = &asked.debug;
    let typed = [
        (Role::Client, &debug.endpoints.client),
        (Role::JobManager, &debug.endpoints.jobmanager),
        (Role::TaskManager, &debug.endpoints.taskmanager),
        (Role::Daemon, &debug.endpoints.daemon),
    ];
    let typed = typed.into_iter().filter(|(_, typed)| typed.is_some()).map(|(role, _)| role);
    let Some(role) = typed.into_iter().find(|role| !format.roles().contains(role)) else { return Ok(()) };
    let can = those(|format| format.roles().contains(&role));
    let message = format!("`--format {}` carries no settings of a {role}", format.name());
    Err(Failure::usage(message).help(match can.as_slice() {
        [] => "no format does; a daemon is debugged where it is started, with sparkdbg worker for example".to_owned(),
        can => format!("these do: {}", can.join(", ")),
    }))
}

fn refuse_old_release(asked: &Export, release: Option<&Release>) -> Result<(), Failure> {
    match release.filter(|release| !release.reconfigures() && !asked.instance_group.is_empty()) {
        Some(release) => Err(Failure::usage(format!(
            "`--instance-group`: a running cluster of {} takes no other configurations; those of emr-5.21.0 and later do",
            release.label
        ))
        .help("give them when the cluster is created: leave out --instance-group")),
        None => Ok(()),
    }
}

/// What a release means for EMR's own flags.
fn about_release(wish: &Wish, off: bool) -> Option<Note> {
    let has_spark = !wish.targets(Family::Spark).is_empty();
    if !wish.format.is_emr() || !has_spark || off {
        return None;
    }
    match wish.release {
        None => Some(Note::warning(
            "no-release",
            "the release is not known: before emr-6.1.0 EMR's own JVM flags stand in extraJavaOptions, and are lost \
             unless --release or --current says so",
        )),
        Some(release) if release.keeps_flags_in_extra() => Some(Note::info(
            "own-flags",
            format!(
                "{} keeps EMR's own JVM flags in extraJavaOptions: where --current does not set it, those of a 5.x with \
                 Spark 2.4 are written behind the agent; compare with spark-defaults.conf of your cluster",
                release.label
            ),
        )),
        Some(_) => None,
    }
}

/// `--current`: its name, its text and its value.
pub(crate) struct Current {
    file: String,
    text: String,
    value: Value,
}

fn read_current(asked: &Export, process: &Process) -> Result<Option<Current>, Failure> {
    let Some(path) = &asked.current else { return Ok(None) };
    let file = path.display().to_string();
    let text = std::fs::read_to_string(Path::new(&process.cwd).join(path))
        .map_err(|cause| Failure::world(format!("`{file}` (--current) cannot be read: {}", error::cause(&cause))))?;
    let value = serde_json::from_str(&text)
        .map_err(|cause| Failure::world(format!("`{file}` (--current) is not JSON: {cause}")))?;
    Ok(Some(Current { file, text, value }))
}
