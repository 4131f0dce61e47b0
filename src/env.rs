//! `sparkdbg env`: the variables of a launch that somebody else makes. The plan is that of the launch itself, so that
//! the two never part; what it would change in words is carried by variables too, or is said to be left out.

mod format;

use std::ffi::OsString;
use std::io::{self, IsTerminal};

use crate::argv::option_before_value;
use crate::cli::{self, DebugOptions, DryRunFormat, Env, EnvFor, EnvFormat, Global, Launch};
use crate::endpoint::{EndpointSpec, Role};
use crate::environment::{self, Process};
use crate::error::Failure;
use crate::flink::deployment::Deployment;
use crate::flink::script::Script;
use crate::jvm::options as jvm_options;
use crate::off;
use crate::options::{self, Carrier, Debuggable, Options, Request};
use crate::output::{print, tell};
use crate::plan::{self, LaunchPlan, Note};
use crate::show::{self, System};
use crate::spark::jvm_variables;
use crate::text;
use crate::tool::Tool;

/// Stands for the application, whose words are not known.
const APPLICATION: &str = "application.jar";

impl EnvFor {
    fn name(self) -> &'static str {
        match self {
            EnvFor::Pyspark => "pyspark",
            EnvFor::SparkSubmit => "spark-submit",
            EnvFor::Flink => "flink",
            EnvFor::Jvm => "jvm",
        }
    }

    /// The roles whose JVMs the variables reach.
    fn roles(self) -> &'static [Role] {
        match self {
            EnvFor::Pyspark | EnvFor::SparkSubmit => &[Role::Driver, Role::Executor],
            EnvFor::Flink => &[Role::Client],
            EnvFor::Jvm => &[Role::Driver],
        }
    }

    /// The launch whose variables they are.
    fn request(self, debug: &DebugOptions) -> Request {
        let (tool, args) = match self {
            EnvFor::Pyspark => (Tool::Python, [].as_slice()),
            EnvFor::SparkSubmit | EnvFor::Jvm => (Tool::Submit, [APPLICATION].as_slice()),
            EnvFor::Flink => (Tool::Flink(Script::Flink), ["run", APPLICATION].as_slice()),
        };
        let launch = Launch { debug: debug.clone(), args: args.iter().map(|word| word.into()).collect() };
        Request { tool, launch, before_class: Vec::new(), app: None }
    }
}

/// Whether a shell takes what these words of ours print for commands: it loses our status, so that a failure has to be one
/// of them. Words that say nothing sensible are such a failure too: they are read as far as they go.
pub fn is_evaluated(argv: &[OsString]) -> bool {
    let words: Vec<&str> =
        argv.iter().skip(1).map_while(|word| word.to_str()).take_while(|word| *word != "--").collect();
    let root = cli::definition();
    let takes_value =
        |word: &str| word.starts_with('-') && matches!(option_before_value(&root, None, word), Ok(Some(_)));
    let is_command = |at: &usize| !(words[*at].starts_with('-') || *at > 0 && takes_value(words[*at - 1]));
    let Some(at) = (0..words.len()).find(is_command).filter(|at| words[*at] == "env") else { return false };
    let has = |option: &str, value: &str| {
        let joined = format!("{option}={value}");
        words[at..].windows(2).any(|two| two == [option, value]) || words[at..].contains(&joined.as_str())
    };
    !has("--format", "json") && !has("--for", "jvm")
}

/// The command.
///
/// # Errors
/// Flags that mean nothing here (exit 2); whatever the launch would refuse; a driver on the cluster, and a value that no
/// variable can change (exit 125).
pub fn run(asked: &Env, global: &Global) -> Result<(), Failure> {
    let program = asked.program.ok_or_else(|| {
        Failure::usage("`env` was not told for whom")
            .help("name the program: --for PROGRAM, one of pyspark, spark-submit, flink, jvm")
    })?;
    refuse_meaningless(asked, program, global)?;
    let format = asked.format.unwrap_or(EnvFormat::Sh);
    let process = Process::current()?;
    if off::is_asked_for(&process) {
        tell(&show::lines(&[Note::info("off", "SPARKDBG=off: nothing is changed")]));
        return print(&match program {
            EnvFor::Jvm => format::option(None, asked.format),
            _ => format::render(&format::Changes::new(), format),
        });
    }
    let options = resolve(asked, program, global, &process)?;
    let (mut plan, system) = plan_of(program, &options, &process)?;
    crate::launch::write_files(&plan.files)?;
    for note in &mut plan.notes {
        // Nothing runs here.
        if note.code == "nothing-to-debug" {
            note.message = note.message.replace("; run as typed", "; nothing is set");
        }
    }
    plan.notes.extend(left_out(&plan, program));
    plan.notes.extend(plan.env.iter().filter_map(|(name, value)| secret(name, value.as_deref()?)));
    if options.hints {
        plan.notes.extend(hints(program, format, &options));
    }
    if let Some(system) = system.filter(|_| options.verbose) {
        tell(&show::provenance(&options, &system, &plan));
    }
    tell(&show::notes(&plan));
    if program == EnvFor::Jvm {
        let words: Vec<String> = plan.args.iter().map(|word| text::decode(word)).collect();
        return print(&format::option(Some(&words.join(" ")), asked.format));
    }
    print(&format::render(&plan.env, format))
}

fn resolve(asked: &Env, program: EnvFor, global: &Global, process: &Process) -> Result<Options, Failure> {
    let of = Debuggable {
        whose: format!("sparkdbg env --for {}", program.name()),
        roles: program.roles(),
        unnamed: &program.roles()[..1],
        resolve: &EndpointSpec::resolve,
    };
    let loaded = crate::load_profiles(global, process)?;
    // What is found at ports is a note: the JVM starts later.
    let global = Global { dry_run: Some(DryRunFormat::Text), ..global.clone() };
    let mut options = options::resolve_for(&of, &global, program.request(&asked.debug), loaded)?;
    options.carrier = Carrier::Variables;
    Ok(options)
}

fn plan_of(program: EnvFor, options: &Options, process: &Process) -> Result<(LaunchPlan, Option<System>), Failure> {
    match program {
        EnvFor::Jvm => {
            refuse_second_agent(process)?;
            let endpoint = &options.targets[0].endpoint;
            let machine = environment::machine_of_embedded(endpoint, process);
            Ok((plan::embedded(options, &machine)?, None))
        }
        EnvFor::Flink => {
            let mut environment = environment::flink::discover(Script::Flink, options, process)?;
            if let Deployment::Deploys { application: true, .. } = environment.deployment {
                return Err(Failure::world(
                    "the configuration deploys jobs as applications, whose main method runs in the JobManager, where no \
                     variable of this machine reaches it",
                )
                .help("start it with sparkdbg: sparkdbg flink --jobmanager -- run …"));
            }
            let meeting_points = plan::flink::meeting_points(options, &environment)?;
            environment::flink::look_at_ports(&mut environment, &meeting_points);
            let plan = plan::flink::launch(options, &environment)?;
            Ok((plan, Some(System::flink(environment))))
        }
        EnvFor::Pyspark | EnvFor::SparkSubmit => {
            let mut environment = environment::discover(options, process)?;
            refuse_cluster(program, &environment)?;
            let meeting_points = plan::meeting_points(options, &environment);
            environment::look_at_ports(&mut environment, &meeting_points);
            let plan = plan::launch(options, &environment)?;
            Ok((plan, Some(System::spark(environment))))
        }
    }
}

/// A driver on the cluster has the cluster's variables. Without a master the program names one in words that we do not
/// see; what starts from Python, Spark refuses on a cluster.
fn refuse_cluster(program: EnvFor, environment: &environment::Environment) -> Result<(), Failure> {
    let deployment = &environment.deployment;
    let mode = deployment.deploy_mode.as_ref().filter(|mode| mode.text == "cluster");
    if let Some(mode) = mode.filter(|_| !deployment.cluster && deployment.master.is_none()) {
        let place = format!("`{}` ({})", mode.text, mode.origin);
        return Err(match program {
            EnvFor::Pyspark => Failure::world(format!("{place}: Spark starts no driver for Python in cluster mode"))
                .help("take it out, or set spark.submit.deployMode to client"),
            _ => Failure::world(format!(
                "{place} has the driver run on the cluster that the program names, where no variable of this machine \
                 reaches it"
            ))
            .help("start it with sparkdbg: sparkdbg submit --driver -- …, or by its shim"),
        });
    }
    if !deployment.cluster {
        return Ok(());
    }
    let says = mode.or(deployment.master.as_ref());
    let place = says.map(|value| format!("`{}` ({})", value.text, value.origin)).unwrap_or_default();
    Err(Failure::world(format!(
        "{place} has the driver run on the cluster, where no variable of this machine reaches it"
    ))
    .help("start it with sparkdbg: sparkdbg submit --driver -- …"))
}

/// Two agents in one JVM keep it from starting.
fn refuse_second_agent(process: &Process) -> Result<(), Failure> {
    let variables = jvm_variables::of_every_jvm(None).into_iter();
    let found = variables.filter_map(|(name, splitter)| {
        let agents = jvm_options::find_agents(&text::decode(process.var(name)?), splitter);
        Some((name, agents.first()?.text.clone()))
    });
    match found.into_iter().next() {
        Some((name, agent)) => {
            Err(Failure::world(format!("a debug agent is configured already: `{agent}` in {name} in the environment"))
                .help(format!("unset {name}, or debug with it")))
        }
        None => Ok(()),
    }
}

/// Changes that stand in words, which are not ours here.
fn left_out(plan: &LaunchPlan, program: EnvFor) -> Vec<Note> {
    let is_carried = |name: &String| {
        plan.env.contains_key(name)
            || plan.env.contains_key(&format!("SPARKDBG_SET_{name}"))
            || program == EnvFor::Pyspark
    };
    let left = plan.rewrites.iter().filter(|rewrite| !is_carried(&rewrite.name));
    let note = |rewrite: &plan::Rewrite| {
        let value = rewrite.after.as_deref().unwrap_or_default();
        let message = format!("{}={value} is left out: no variable carries it ({})", rewrite.name, rewrite.why);
        Note::warning("left-out", message)
    };
    left.map(note).collect()
}

/// Whoever reads the output of a program that is not evaluated, a log of CI's, reads the secret.
fn secret(name: &str, value: &std::ffi::OsStr) -> Option<Note> {
    let message = format!("{name} holds a secret, and standard output has it as it is");
    show::variable_holds_secret(name, value).then(|| Note::warning("secret", message))
}

fn hints(program: EnvFor, format: EnvFormat, options: &Options) -> Vec<Note> {
    let mut hints = Vec::new();
    let mut reach = |text: &str| hints.push(Note::hint("reach", text));
    if program == EnvFor::SparkSubmit && options.target(Role::Driver).is_some() {
        reach(
            "every spark-submit that sees these variables takes the agent, also one that only submits (--deploy-mode \
             cluster) or answers (--version)",
        );
    }
    if program == EnvFor::SparkSubmit && options.target(Role::Executor).is_some() {
        reach("what the program itself says with --conf or a properties file wins over these variables");
    }
    if program == EnvFor::Flink {
        reach("every script of Flink's that sees these variables takes the agent, jobmanager.sh too");
    }
    if program != EnvFor::Jvm && format != EnvFormat::Json && io::stdout().is_terminal() {
        let set = match format {
            EnvFormat::Fish => format!("sparkdbg env --for {} --format fish | source", program.name()),
            _ => format!("eval \"$(sparkdbg env --for {})\"", program.name()),
        };
        hints.push(Note::hint("set", format!("nothing is set by printing it: {set}")));
    }
    hints
}

fn refuse_meaningless(asked: &Env, program: EnvFor, global: &Global) -> Result<(), Failure> {
    let given = [
        ("--dry-run", global.dry_run.is_some()),
        ("--no-preflight", global.no_preflight),
        ("--wait-for-debugger", asked.debug.wait_for_debugger.is_some()),
    ];
    if let Some((flag, _)) = given.into_iter().find(|(_, given)| *given) {
        return Err(Failure::usage(format!("`{flag}` has no meaning with `env`, which starts nothing")));
    }
    if global.show_secrets {
        return Err(Failure::usage("`--show-secrets` has no meaning with `env`: a shell needs the values as they are"));
    }
    if program == EnvFor::Jvm && asked.debug.existing.is_some() {
        let message = "`--existing` has no meaning with `env --for jvm`: no option of ours takes an agent out of a JVM's variables";
        return Err(Failure::usage(message).help("unset the variable that holds it"));
    }
    refuse_roles(asked, program)
}

fn refuse_roles(asked: &Env, program: EnvFor) -> Result<(), Failure> {
    let typed =
        options::by_role(&asked.debug.endpoints).into_iter().filter(|(_, typed)| typed.is_some()).map(|(role, _)| role);
    let Some(role) = typed.into_iter().find(|role| !program.roles().contains(role)) else { return Ok(()) };
    let message = format!("`env --for {}` reaches no {role}", program.name());
    Err(Failure::usage(message).help(match role {
        Role::JobManager | Role::TaskManager => {
            format!("debug it where it is started: sparkdbg flink --{role} -- {role}.sh start")
        }
        Role::Daemon => "debug it where it is started: sparkdbg worker --daemon, for example".to_owned(),
        _ => {
            let roles: Vec<String> = program.roles().iter().map(|role| format!("--{role}")).collect();
            format!("it takes {}", roles.join(" and "))
        }
    }))
}
