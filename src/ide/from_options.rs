//! Run configurations for the endpoints that options and profile name.

use super::{Answer, RunConfiguration, can_listen, name::Name, word};
use crate::cli::{Ide, IdeName};
use crate::endpoint::{Endpoint, Mode, Role};
use crate::environment::hostname;
use crate::error::Failure;
use crate::options::{self, Target};
use crate::profile::Profile;

/// One for each JVM that is named.
///
/// # Errors
/// A port that only the JVM will know, two JVMs in one place, an IDE that cannot listen: exit 2, or 125 where a
/// profile says so.
pub fn read(asked: &Ide, profile: &Profile) -> Result<Answer, Failure> {
    let targets = options::endpoints(&asked.endpoints, profile)?;
    for target in &targets {
        refuse(asked.ide, target)?;
    }
    refuse_one_place_for_two(&targets)?;
    let hints = targets.iter().filter_map(|target| hint(asked.ide, target)).collect();
    Ok(Answer { configurations: targets.iter().map(configuration).collect(), hints })
}

fn configuration(Target { role, endpoint, .. }: &Target) -> RunConfiguration {
    let Endpoint { mode, host, port, .. } = endpoint;
    let name = match mode {
        Mode::Attach => Name::new(&format!("{role} {port}")),
        Mode::Listen => Name::new(&format!("{role} listen {port}")),
    };
    // All interfaces are no address to dial: the JVM will be started on this machine, as far as is known.
    let host = if host.is_wildcard() { hostname() } else { host.as_str().to_owned() };
    RunConfiguration { name, mode: *mode, host, port: *port }
}

fn refuse(ide: IdeName, target: &Target) -> Result<(), Failure> {
    let Target { role, endpoint, source, .. } = target;
    let failure = match endpoint.mode {
        Mode::Listen if !can_listen(ide) => {
            let ide = word(ide);
            Failure::usage(format!("`{ide}` cannot listen for the {role} ({source}): its Java debugger only attaches"))
                .help(format!("let the JVM listen: --{role}=attach:PORT; or take intellij, eclipse or jdb"))
        }
        Mode::Attach if endpoint.port == 0 => {
            let ide = word(ide);
            Failure::usage(format!("the port of the {role} is not known ({source}): it will take a free one")).help(
                format!("ask for those that run: sparkdbg ide {ide} --from-ps; or choose one: --{role}=attach:PORT"),
            )
        }
        _ => return Ok(()),
    };
    Err(failure.blamed_on_world(source.is_profile()))
}

/// A debugger that listens takes one JVM, and one that attaches in one place meets one.
fn refuse_one_place_for_two(targets: &[Target]) -> Result<(), Failure> {
    for (index, second) in targets.iter().enumerate() {
        let same = |first: &&Target| {
            let (one, other) = (&first.endpoint, &second.endpoint);
            one.mode == other.mode && one.host.overlaps(&other.host) && one.port == other.port
        };
        if let Some(first) = targets[..index].iter().find(same) {
            let from_file = first.source.is_profile() || second.source.is_profile();
            return Err(Failure::usage(format!(
                "{} ({}) and {} ({}) meet the debugger in one place, {}:{}",
                first.role, first.source, second.role, second.source, second.endpoint.host, second.endpoint.port
            ))
            .help(format!("name the one that is meant: --{}", first.role))
            .blamed_on_world(from_file));
        }
    }
    Ok(())
}

/// Where executors run is known when they do.
fn hint(ide: IdeName, Target { role, endpoint, .. }: &Target) -> Option<String> {
    let runs_elsewhere = matches!(role, Role::Executor | Role::TaskManager);
    (runs_elsewhere && endpoint.mode == Mode::Attach).then(|| {
        let ide = word(ide);
        format!(
            "{role}: on another machine than this one? `sparkdbg ide {ide} --from-ps` finds its host and the tunnel"
        )
    })
}
