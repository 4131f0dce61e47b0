//! Which JVMs are debugged, and where each meets its debugger: role options, the shorthands for one role,
//! the profile, the role's default.

use super::{Source, Target, flag_value};
use crate::cli::Endpoints;
use crate::endpoint::{Address, Endpoint, EndpointSpec, Mode, Role};
use crate::error::Failure;
use crate::profile::Profile;
use crate::tool::Tool;

/// What a command has to debug.
pub struct Debuggable<'a> {
    /// What is started, as it is typed.
    pub whose: String,
    /// Its roles.
    pub roles: &'a [Role],
    /// Those that are meant when neither flags nor the profile name one.
    pub unnamed: &'a [Role],
    /// Fills in what an endpoint leaves open.
    pub resolve: &'a dyn Fn(&EndpointSpec, Role) -> Endpoint,
}

impl Debuggable<'_> {
    /// What a tool has, each role with its own default.
    pub fn of(tool: Tool) -> Debuggable<'static> {
        let roles = tool.roles();
        let whose = match tool {
            Tool::Flink(script) => script.file_name().to_owned(),
            _ => format!("sparkdbg {}", tool.command()),
        };
        Debuggable { whose, roles, unnamed: tool.default_roles(), resolve: &EndpointSpec::resolve }
    }
}

/// The roles named by flags replace those of the profile and the default.
pub fn targets(of: &Debuggable, endpoints: &Endpoints, profile: &Profile) -> Result<Vec<Target>, Failure> {
    let typed = typed_roles(endpoints)?;
    refuse_foreign_role(of, &typed)?;
    let targets = of_roles(of, typed, endpoints, profile)?;
    refuse_one_place_for_several(&targets)?;
    Ok(targets)
}

/// The same for JVMs that whatever command starts.
pub fn of_any_command(endpoints: &Endpoints, profile: &Profile) -> Result<Vec<Target>, Failure> {
    let any = Debuggable {
        whose: String::new(),
        roles: &Role::ALL,
        unnamed: &Role::ALL[..1],
        resolve: &EndpointSpec::resolve,
    };
    of_roles(&any, typed_roles(endpoints)?, endpoints, profile)
}

fn of_roles(
    of: &Debuggable,
    typed: Vec<(Role, Option<EndpointSpec>)>,
    endpoints: &Endpoints,
    profile: &Profile,
) -> Result<Vec<Target>, Failure> {
    let roles: Vec<Role> = if !typed.is_empty() {
        typed.iter().map(|(role, _)| *role).collect()
    } else {
        let named: Vec<Role> = of.roles.iter().copied().filter(|role| profile.endpoint(*role).is_some()).collect();
        if named.is_empty() { of.unnamed.to_vec() } else { named }
    };
    refuse_shorthand_for_several(endpoints, &roles, &typed, profile)?;
    let target = |role: Role| {
        let flag = typed.iter().find(|(typed, _)| *typed == role);
        let target = target(of, role, flag.and_then(|(_, spec)| spec.clone()), endpoints, profile)?;
        Ok(Target { is_typed: flag.is_some(), ..target })
    };
    roles.into_iter().map(target).collect()
}

/// What is typed for each role: nothing, the flag alone, or with an endpoint.
pub fn by_role(endpoints: &Endpoints) -> [(Role, Option<Option<&str>>); 6] {
    Role::ALL.map(|role| {
        let flag = match role {
            Role::Driver => &endpoints.driver,
            Role::Executor => &endpoints.executor,
            Role::Daemon => &endpoints.daemon,
            Role::Client => &endpoints.client,
            Role::JobManager => &endpoints.jobmanager,
            Role::TaskManager => &endpoints.taskmanager,
        };
        (role, flag.as_ref().map(Option::as_deref))
    })
}

fn typed_roles(endpoints: &Endpoints) -> Result<Vec<(Role, Option<EndpointSpec>)>, Failure> {
    let typed = by_role(endpoints).into_iter().filter_map(|(role, flag)| {
        let spec = flag?.map(|text| flag_value(&format!("--{role}"), text)).transpose();
        Some(spec.map(|spec| (role, spec)))
    });
    typed.collect()
}

fn refuse_foreign_role(of: &Debuggable, typed: &[(Role, Option<EndpointSpec>)]) -> Result<(), Failure> {
    let Some((role, _)) = typed.iter().find(|(role, _)| !of.roles.contains(role)) else { return Ok(()) };
    let failure = Failure::usage(format!("`{}` has no {role} to debug", of.whose));
    Err(match of.roles {
        [only] if of.whose == "sparkdbg class" && *role == Role::Executor => {
            failure.help(format!("its role is {only}; the executors of a worker: sparkdbg worker"))
        }
        [only] => failure.help(format!("its role is {only}")),
        roles => {
            let names: Vec<&str> = roles.iter().map(|role| role.name()).collect();
            failure.help(format!("its roles are {}", names.join(" and ")))
        }
    })
}

fn target(
    of: &Debuggable,
    role: Role,
    typed: Option<EndpointSpec>,
    endpoints: &Endpoints,
    profile: &Profile,
) -> Result<Target, Failure> {
    let flag = |name: &str| Source::Flag(name.to_owned());
    let (spec, source) = if let Some(spec) = typed {
        (spec, flag(&format!("--{role}")))
    } else if let Some(text) = &endpoints.attach {
        (shorthand(role, "--attach", Mode::Attach, text)?, flag("--attach"))
    } else if let Some(text) = &endpoints.listen {
        (shorthand(role, "--listen", Mode::Listen, text)?, flag("--listen"))
    } else if let Some(sourced) = profile.endpoint(role) {
        (sourced.value.clone(), Source::Profile(sourced.origin.clone()))
    } else {
        (EndpointSpec { mode: Mode::Attach, host: None, port: None, suspend: None }, Source::Default)
    };
    let mut endpoint = (of.resolve)(&spec, role);
    if endpoints.suspend || endpoints.no_suspend {
        endpoint.suspend = endpoints.suspend;
    }
    if endpoint.mode == Mode::Listen && endpoint.host.is_wildcard() {
        return Err(Failure::usage(format!("`{}` ({source}) is no address that a JVM can dial", endpoint.host))
            .help("with `listen`, the host is the machine on which the debugger listens")
            .blamed_on_world(source.is_profile()));
    }
    let suspend_flag = match (endpoints.suspend, endpoints.no_suspend) {
        (true, _) => Some("--suspend"),
        (_, true) => Some("--no-suspend"),
        _ => None,
    };
    let port_is_open = spec.mode == Mode::Attach && spec.port.is_none();
    Ok(Target { role, endpoint, source, suspend_flag, is_typed: false, port_is_open })
}

/// No two of these JVMs, which one command starts, meet their debuggers in one place.
pub fn refuse_one_place_for_several(targets: &[Target]) -> Result<(), Failure> {
    for (at, first) in targets.iter().enumerate() {
        targets[at + 1..].iter().try_for_each(|second| refuse_one_place_for_two(first, second))?;
    }
    Ok(())
}

/// Two JVMs cannot listen on one port, and a debugger that listens takes one JVM.
fn refuse_one_place_for_two(first: &Target, second: &Target) -> Result<(), Failure> {
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
    endpoints: &Endpoints,
    roles: &[Role],
    typed: &[(Role, Option<EndpointSpec>)],
    profile: &Profile,
) -> Result<(), Failure> {
    let given = [
        ("--attach", endpoints.attach.is_some()),
        ("--listen", endpoints.listen.is_some()),
        ("--suspend", endpoints.suspend),
        ("--no-suspend", endpoints.no_suspend),
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
        let endpoint = match (&endpoints.attach, &endpoints.listen) {
            (Some(address), _) => format!("attach:{address}"),
            (_, Some(address)) => format!("listen:{address}"),
            _ if endpoints.suspend => "attach,suspend".to_owned(),
            _ => "attach,nosuspend".to_owned(),
        };
        return Err(Failure::usage(format!("`{flag}` does not say which role it is for: {}", names.join(" and ")))
            .help(format!("name the role: --{first}={endpoint}"))
            .blamed_on_world(typed.is_empty() && roles.iter().any(|role| profile.endpoint(*role).is_some())));
    }
    Ok(())
}
