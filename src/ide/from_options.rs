//! Run configurations for the endpoints that options and profile name.

use super::{Answer, RunConfiguration, can_listen, listens_everywhere, name::Name, title, word};
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
        refuse(asked, target)?;
    }
    refuse_one_place_for_two(asked.ide, &targets)?;
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

fn refuse(asked: &Ide, target: &Target) -> Result<(), Failure> {
    let Target { role, endpoint, source, .. } = target;
    let ide = word(asked.ide);
    let failure = match endpoint.mode {
        Mode::Listen if !can_listen(asked.ide) => {
            let debugger = if asked.metals { "Metals" } else { "its Java debugger" };
            Failure::usage(format!("`{ide}` cannot listen for the {role} ({source}): {debugger} only attaches"))
                .help(format!("let the JVM listen: --{role}=attach:PORT; or take intellij, eclipse or jdb"))
        }
        Mode::Attach if endpoint.port == 0 => Failure::usage(format!(
            "the port of the {role} is not known ({source}): it will take a free one"
        ))
        .help(format!("ask for those that run: sparkdbg ide {ide} --from-ps; or choose one: --{role}=attach:PORT")),
        _ => return Ok(()),
    };
    Err(failure.blamed_on_world(source.is_profile()))
}

/// A debugger that listens takes one JVM, and one that attaches in one place meets one. Nor can a debugger and a JVM
/// listen in one place.
fn refuse_one_place_for_two(ide: IdeName, targets: &[Target]) -> Result<(), Failure> {
    for (index, second) in targets.iter().enumerate() {
        let Some(first) = targets[..index].iter().find(|first| is_one_place(ide, &first.endpoint, &second.endpoint))
        else {
            continue;
        };
        let Endpoint { mode, host, port, .. } = &second.endpoint;
        let at = &first.endpoint.host;
        let also = if at == host { String::new() } else { format!(" and {host}:{port}") };
        let why = if at.overlaps(host) { String::new() } else { format!(": {} listens on every address", title(ide)) };
        let host = if host.is_loopback() { String::new() } else { format!("{host}:") };
        let own_port = format!("--{}={}:{host}PORT", second.role, mode.name());
        let cure = if first.is_typed {
            format!("give each its own port: {own_port}")
        } else {
            format!("name the one that is meant: --{}; or give each its own port in the profile", first.role)
        };
        let from_file = first.source.is_profile() || second.source.is_profile();
        return Err(Failure::usage(format!(
            "{} ({}) and {} ({}) meet the debugger in one place, {at}:{port}{also}{why}",
            first.role, first.source, second.role, second.source
        ))
        .help(cure)
        .blamed_on_world(from_file));
    }
    Ok(())
}

fn is_one_place(ide: IdeName, one: &Endpoint, other: &Endpoint) -> bool {
    let debugger_listens = |endpoint: &Endpoint| endpoint.mode == Mode::Listen;
    let is_here = |endpoint: &Endpoint| debugger_listens(endpoint) || endpoint.host.is_loopback();
    let everywhere = listens_everywhere(ide) && (debugger_listens(one) || debugger_listens(other));
    one.port == other.port && (one.host.overlaps(&other.host) || everywhere && is_here(one) && is_here(other))
}

/// Where executors run is known when they do, unless somebody names it.
fn hint(ide: IdeName, Target { role, endpoint, .. }: &Target) -> Option<String> {
    let may_run_elsewhere = matches!(role, Role::Executor | Role::TaskManager);
    let is_named = !endpoint.host.is_loopback() && !endpoint.host.is_wildcard();
    (may_run_elsewhere && endpoint.mode == Mode::Attach && !is_named).then(|| {
        let ide = word(ide);
        format!(
            "{role}: on another machine than this one? `sparkdbg ide {ide} --from-ps` finds its host and the tunnel"
        )
    })
}
