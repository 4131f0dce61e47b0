//! The driver: which knob carries its agent, and when there is no driver here to debug.

use super::agents;
use super::edit::Edits;
use super::meeting::Meeting;
use crate::endpoint::{Endpoint, Mode};
use crate::environment::Environment;
use crate::error::Failure;
use crate::jvm::jdwp::Agent;
use crate::jvm::options::{self as jvm_options, Splitter};
use crate::options::Options;
use crate::seeded_fault::{self, Fault};
use crate::spark::conf::{DRIVER_DEFAULT, DRIVER_EXTRA, Origin};
use crate::spark::deployment::Connect;
use crate::spark::jvm_variables::SUBMIT_OPTS;
use crate::spark::submit::End;
use crate::tool::Tool;

/// Whether Spark puts [`DRIVER_DEFAULT`] in front of [`DRIVER_EXTRA`] for this driver.
pub fn takes_default_options(environment: &Environment) -> bool {
    environment.version().is_some_and(|version| version.at_least(3, 0)) && !environment.deployment.legacy_gateway
}

/// The keys whose values end, or where the version is not known may end, on the driver's command line,
/// in their order there.
pub fn keys(environment: &Environment) -> &'static [&'static str] {
    let may_take_default = environment.version().is_none() && !environment.deployment.legacy_gateway;
    let both = may_take_default || takes_default_options(environment);
    if both { &[DRIVER_DEFAULT, DRIVER_EXTRA] } else { &[DRIVER_EXTRA] }
}

/// Who splits the driver's option strings: the launcher here, the cluster manager there.
pub fn splitter(environment: &Environment) -> Splitter {
    if environment.deployment.cluster { Splitter::Executor } else { Splitter::Launcher }
}

/// Connect clients and masters that Spark no longer has.
pub fn refuse_elsewhere(options: &Options, environment: &Environment) -> Result<(), Failure> {
    let deployment = &environment.deployment;
    if let Some(connect) = deployment.connect.as_ref().filter(|connect| leads_away(options.tool, connect)) {
        let place = match connect.trigger {
            "--remote" => connect.value.origin.to_string(),
            trigger => connect.value.place(trigger),
        };
        let message = format!(
            "`{}` ({place}) makes this a client of Spark Connect: the driver runs in the Connect server, not in the JVM that is started here",
            connect.value.text
        );
        let roles: Vec<String> = options.targets.iter().map(|target| format!("--{}", target.role)).collect();
        return Err(failure(&[&connect.value.origin], message)
            .help(format!("debug the server where it is started: sparkdbg connect-server {}", roles.join(" "))));
    }
    if let Some(mode) =
        deployment.deploy_mode.as_ref().filter(|mode| !["client", "cluster"].contains(&mode.text.as_str()))
    {
        let message = format!("`{}` ({}) is no deploy mode", mode.text, mode.origin);
        return Err(failure(&[&mode.origin], message).help("Spark knows `client` and `cluster`"));
    }
    let Some(master) = &deployment.master else { return Ok(()) };
    let gone = environment.version().is_some_and(|version| version.at_least(3, 0));
    if let Some(mode) = master.text.strip_prefix("yarn-").filter(|_| gone) {
        let message = format!("`{}` ({}) is no master of Spark since 3.0", master.text, master.origin);
        return Err(failure(&[&master.origin], message).help(format!("write --master yarn --deploy-mode {mode}")));
    }
    Ok(())
}

/// A driver on the cluster that would dial its own host.
///
/// # Errors
/// It would.
pub fn refuse_dialling_itself(meeting: &Meeting, environment: &Environment) -> Result<(), Failure> {
    let endpoint = &meeting.endpoint;
    if !environment.deployment.cluster || endpoint.mode == Mode::Attach || !endpoint.host.is_loopback() {
        return Ok(());
    }
    let message =
        format!("in cluster mode the driver would dial `{}` on its own host, where no debugger listens", endpoint.host);
    let failure = failure(&deployment_origins(environment), message);
    Err(meeting.refused(failure, "name this machine as the cluster sees it: --listen HOST:PORT"))
}

/// Whether the trigger takes the driver of this tool to a Connect server that our configuration does
/// not reach.
pub fn leads_away(tool: Tool, connect: &Connect) -> bool {
    match tool {
        Tool::ConnectServer | Tool::ThriftServer => false,
        // Their scripts set the variable themselves.
        Tool::Sql | Tool::R => connect.trigger != "SPARK_CONNECT_MODE",
        Tool::Pyspark | Tool::Python => !connect.starts_local_server(),
        _ => true,
    }
}

fn deployment_origins(environment: &Environment) -> Vec<&Origin> {
    let deployment = &environment.deployment;
    [&deployment.master, &deployment.deploy_mode].into_iter().flatten().map(|value| &value.origin).collect()
}

/// Whether the application is written in Python.
pub fn runs_python(options: &Options, environment: &Environment) -> bool {
    match options.tool {
        Tool::Pyspark | Tool::Python => true,
        _ => matches!(environment.line.end, End::Resource(at) if environment.words[at].ends_with(".py")),
    }
}

/// Usage if the command line alone decides, else the world's fault.
pub fn failure(origins: &[&Origin], message: String) -> Failure {
    Failure::usage(message).blamed_on_world(!origins.iter().all(|origin| origin.is_argument()))
}

/// Puts the agent in front of the right key.
pub fn insert(options: &Options, environment: &Environment, endpoint: &Endpoint, edits: &mut Edits) {
    let agent = agent(options, endpoint);
    if options.puts_all_in_variables() {
        let merged = merge(&agent, &edits.current_variable(environment, SUBMIT_OPTS));
        let why = "the agent, in the variable that reaches the JVM of every spark-submit";
        edits.set_variable(environment, SUBMIT_OPTS, merged, why.to_owned());
        return;
    }
    let deployment = &environment.deployment;
    let (key, why) = if takes_default_options(environment) {
        (
            DRIVER_DEFAULT,
            "the agent, in the key that Spark puts before spark.driver.extraJavaOptions, which stays untouched",
        )
    } else if deployment.legacy_gateway {
        (DRIVER_EXTRA, "the agent; standalone cluster mode ignores spark.driver.defaultJavaOptions")
    } else {
        (DRIVER_EXTRA, "the agent, before what was set")
    };
    let mut current = edits.current(environment, key);
    if seeded_fault::active(Fault::NoDefaultKey) && key == DRIVER_DEFAULT {
        current.clear();
    }
    edits.set_conf(environment, key, merge(&agent, &current), why.to_owned());
    spell_out_deployment(environment, edits);
}

/// Says in words what only variables said of a driver on the cluster.
fn spell_out_deployment(environment: &Environment, edits: &mut Edits) {
    let deployment = &environment.deployment;
    if deployment.cluster {
        for (option, value) in [("--master", &deployment.master), ("--deploy-mode", &deployment.deploy_mode)] {
            let only_in_variable = value.as_ref().filter(|value| matches!(value.origin, Origin::Variable(_)));
            if let Some(value) = only_in_variable {
                edits.spell_out(option, value.clone());
            }
        }
    }
}

fn merge(agent: &Agent, current: &str) -> String {
    if seeded_fault::active(Fault::Append) {
        return format!("{current} {agent}");
    }
    jvm_options::prepend(agent, current)
}

fn agent(options: &Options, endpoint: &Endpoint) -> Agent {
    let agent = agents::ours(options, endpoint);
    if options.tool.stdout_is_data() { agent.with_quiet() } else { agent }
}
