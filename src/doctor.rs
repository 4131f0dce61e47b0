//! `sparkdbg doctor`: what would make a command fail or mislead, found by the very code that would launch it. Looks,
//! prints, ends.
//!
//! `survey` plans the launch as far as it goes, `spark` and `flink` gather what the plan does not say; the others turn
//! facts into findings and are pure, but for `check`, which runs Spark's own launcher.

mod agents;
mod check;
mod finding;
mod flink;
mod java;
mod launch;
mod lost;
mod meeting;
mod notes;
mod python;
mod reach;
mod refused;
mod spark;
mod submit;
mod survey;

use std::fmt;

use anyhow::Result;

use crate::cli::{Doctor, Global};
use crate::environment::Process;
use crate::error::{Failure, Kind};
use crate::options::{self, Options};
use crate::output::{print, tell};
use crate::plan::Note;
use crate::profile::{Loaded, Profile};
use crate::show::{self, System};
use crate::tool::Tool;

use finding::{Finding, Level};

/// Something was found that would fail: said on standard output already, and exit status 1.
#[derive(Debug)]
pub struct Unwell;

impl fmt::Display for Unwell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the command would fail")
    }
}

impl std::error::Error for Unwell {}

/// The command; `astray`: what is to be said about the words themselves.
///
/// # Errors
/// Options that are wrong by themselves (exit 2); [`Unwell`] where a finding is one that would fail.
pub fn run(asked: Doctor, global: &Global, astray: Option<&Note>) -> Result<()> {
    let Doctor { command, json, check, launch } = asked;
    if global.dry_run.is_some() {
        return Err(Failure::usage("`--dry-run` has no meaning with `doctor`, which starts nothing").into());
    }
    let start = options::start(&command, launch)
        .ok_or_else(|| Failure::usage(format!("`--for {command}`: that is no command which starts something")))?;
    let request = options::request(start)?;
    let process = Process::current()?;
    let mut findings: Vec<Finding> = spark::off(&process).into_iter().collect();
    findings.extend(astray.and_then(notes::of));

    let mut profile_failure = |failure: Failure| findings.push(Finding::failure("profile", &failure));
    let mut is_profile_good = true;
    let loaded = crate::load_profiles(global, &process).unwrap_or_else(|failure| {
        profile_failure(failure);
        is_profile_good = false;
        without_profile()
    });
    let options = match options::resolve(global, request.clone(), loaded) {
        Err(failure) if failure.kind == Kind::World => {
            profile_failure(failure);
            is_profile_good = false;
            options::resolve(global, request, without_profile())?
        }
        resolved => resolved?,
    };
    if is_profile_good {
        findings.push(launch::profile(&options));
    }
    // One of the hints is a finding.
    let options = Options { hints: true, ..options };
    findings.extend(examine(&options, &process, check, global)?);
    let findings = finding::in_order(findings);

    let text = if json { finding::json(&findings, global.quiet) } else { finding::text(&findings, global.quiet) };
    print(text.as_bytes())?;
    match findings.iter().any(|found| found.level == Level::Fail) {
        true => Err(Unwell.into()),
        false => Ok(()),
    }
}

fn examine(options: &Options, process: &Process, check: bool, global: &Global) -> Result<Vec<Finding>, Failure> {
    if let Tool::Flink(script) = options.tool {
        if check {
            // A stand-in for `java` would show the command, unless a script or `env.java.home` names another: then a
            // cluster would start.
            return Err(Failure::usage(
                "`--check` has no meaning with `--for flink`: no part of Flink prints a command without starting it",
            )
            .help("leave it out; to see what its scripts would be given: sparkdbg flink --dry-run …"));
        }
        let (findings, planned) = flink::examine(script, options, process);
        if let Some((plan, environment)) = planned.filter(|_| global.verbose) {
            tell(&show::provenance(options, &System::flink(environment), &plan));
        }
        return Ok(findings);
    }
    let spark::Examined { mut findings, is_refused, planned } = spark::examine(options, process);
    if check {
        findings.extend(match &planned {
            // It would print a command that is none, without the agent where none belongs.
            Some(_) if is_refused => {
                vec![Finding::warn("check", "Spark's launcher was not asked, since spark-submit refuses the command")]
            }
            Some((plan, environment)) => check::findings(plan, options, environment, process),
            None => vec![Finding::warn("check", "Spark's launcher was not asked, since there is no plan to show it")],
        });
    }
    if let Some((plan, environment)) = planned.filter(|_| global.verbose) {
        tell(&show::provenance(options, &System::spark(environment), &plan));
    }
    Ok(findings)
}

/// As if there were no profile files.
fn without_profile() -> Loaded {
    Loaded { name: None, named_by: None, profile: Profile::default(), files: Vec::new() }
}
