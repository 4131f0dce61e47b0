//! Command lines that `spark-submit` refuses, or the JVM that it is to start: a launch leaves that to them. Pure.
//!
//! Each was seen refused by Spark 2.4.8, 3.5.6 and 4.3.0, but for what a table says of versions; of one that is not
//! known only what all of them refuse is told. Sources: `SparkSubmitArguments.validateSubmitArguments`,
//! `SparkSubmit.prepareSubmitEnvironment`, `SparkContext.createTaskScheduler`.

use super::finding::{Finding, Level};
use crate::environment::Environment;
use crate::environment::application::{Application, Found, Place, is_script};
use crate::environment::surroundings::{Surroundings, YARN};
use crate::options::Options;
use crate::secrets;
use crate::spark::conf::Value;
use crate::spark::main_class::{CONNECT_SERVER, SHELL, SQL, THRIFT_SERVER};
use crate::spark::submit::End;
use crate::tool::Tool;
use crate::version::Version;

/// What is refused, and what misleads where the file of the application is not there.
pub fn findings(options: &Options, environment: &Environment, surroundings: &Surroundings) -> Vec<Finding> {
    // What is no job, and what is refused word by word.
    if !options.tool.ends_in_submit()
        || environment.line.question.is_some()
        || matches!(environment.line.end, End::Refused { .. })
    {
        return Vec::new();
    }
    let submission = Submission::of(options.tool, environment);
    if environment.deployment.connect.is_some() {
        return submission.remote_and_master().into_iter().collect();
    }
    let mut findings: Vec<Finding> = AMOUNTS.iter().filter_map(|amount| submission.amount(amount)).collect();
    findings.extend(submission.heap());
    findings.extend(submission.two_users());
    findings.extend(submission.master());
    findings.extend(submission.mode());
    findings.extend(submission.yarn(surroundings.names_yarn));
    if matches!(options.tool, Tool::Submit | Tool::ClassSubmit) {
        findings.extend(match &surroundings.application {
            Some(application) => submission.application(application),
            None => submission.no_application(),
        });
    }
    findings
}

/// The word at which the launcher ends. Of those that are mistaken for something else the launch itself tells.
pub fn refused_word(environment: &Environment) -> Option<Finding> {
    let End::Refused { at, value } = environment.line.end else { return None };
    let word = secrets::word_shown(&environment.words[at]);
    let number = (at + 1).saturating_sub(environment.hidden);
    if value {
        // Either nothing follows, or what follows `--conf` sets nothing.
        let why = if word.starts_with('-') && !word.contains('=') { "has no value" } else { "is no KEY=VALUE" };
        let message = format!("`{word}` (argument {number}) {why}: Spark refuses it");
        return Some(Finding::fail("options", message).cure("write the value, or take it out"));
    }
    let message = format!("`{word}` (argument {number}) is no option of spark-submit");
    let cure = "take it out; what is for the application goes behind it";
    // One that is not known here may have come since.
    let is_known = environment.version().is_some_and(|version| !version.at_least(NEWEST.0, NEWEST.1 + 1));
    let finding = if is_known { Finding::fail("options", message) } else { Finding::warn("options", message) };
    Some(finding.cure(cure))
}

/// The newest Spark whose options are known.
const NEWEST: (u32, u32) = (4, 3);

/// A setting that has to be above zero.
struct Amount {
    option: &'static str,
    key: &'static str,
    unit: Unit,
    /// The oldest Spark that was seen to look at it.
    since: (u32, u32),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Bytes,
    Number,
}

const ALWAYS: (u32, u32) = (0, 0);

const DRIVER_MEMORY: Amount =
    Amount { option: "--driver-memory", key: "spark.driver.memory", unit: Unit::Bytes, since: ALWAYS };

const EXECUTORS: &str = "spark.executor.instances";

const AMOUNTS: [Amount; 6] = [
    DRIVER_MEMORY,
    Amount { option: "--executor-memory", key: "spark.executor.memory", unit: Unit::Bytes, since: ALWAYS },
    Amount { option: "--driver-cores", key: "spark.driver.cores", unit: Unit::Number, since: (3, 5) },
    Amount { option: "--executor-cores", key: "spark.executor.cores", unit: Unit::Number, since: ALWAYS },
    Amount { option: "--total-executor-cores", key: "spark.cores.max", unit: Unit::Number, since: ALWAYS },
    Amount { option: "--num-executors", key: EXECUTORS, unit: Unit::Number, since: ALWAYS },
];

/// What does not run in deploy mode `cluster`.
struct NoCluster {
    who: Who,
    name: &'static str,
    /// The masters that do not take it.
    on: &'static [Cluster],
    since: (u32, u32),
    until: (u32, u32),
}

#[derive(PartialEq, Eq)]
enum Who {
    Anybody,
    Python,
    R,
    Shell,
    Class(&'static str),
}

/// The master, as `SparkSubmit` tells one from the other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cluster {
    Local,
    Standalone,
    Yarn,
    Kubernetes,
    Mesos,
}

use Cluster::{Kubernetes, Local, Mesos, Standalone, Yarn};

const NEVER: (u32, u32) = (u32::MAX, 0);

const NO_CLUSTER: [NoCluster; 8] = [
    NoCluster { who: Who::Anybody, name: "the driver", on: &[Local], since: ALWAYS, until: NEVER },
    NoCluster { who: Who::Python, name: "a Python application", on: &[Standalone], since: ALWAYS, until: NEVER },
    NoCluster { who: Who::R, name: "an R application", on: &[Standalone], since: ALWAYS, until: NEVER },
    NoCluster { who: Who::Shell, name: "a shell", on: ALL, since: ALWAYS, until: NEVER },
    NoCluster { who: Who::Class(SQL), name: "the SQL shell", on: ALL, since: ALWAYS, until: NEVER },
    NoCluster { who: Who::Class(THRIFT_SERVER), name: "the Thrift server", on: ALL, since: ALWAYS, until: NEVER },
    NoCluster {
        who: Who::Class(CONNECT_SERVER),
        name: "the Connect server",
        on: &[Standalone, Kubernetes, Mesos],
        since: (3, 5),
        until: NEVER,
    },
    NoCluster {
        who: Who::Class(CONNECT_SERVER),
        name: "the Connect server",
        on: &[Yarn],
        since: (3, 5),
        until: (4, 0),
    },
];

const ALL: &[Cluster] = &[Standalone, Yarn, Kubernetes, Mesos];

/// What is to be submitted.
struct Submission<'a> {
    tool: Tool,
    environment: &'a Environment,
    version: Option<&'a Version>,
    class: Option<&'a str>,
    /// Whether all that counts was read: without it a file may still say otherwise.
    knows_files: bool,
}

impl<'a> Submission<'a> {
    fn of(tool: Tool, environment: &'a Environment) -> Submission<'a> {
        let (version, class) = (environment.version(), environment.line.class());
        Submission { tool, environment, version, class, knows_files: environment.conf_dir.is_some() }
    }

    /// A version that is not known may be any.
    fn is_since(&self, since: (u32, u32)) -> bool {
        since == ALWAYS || self.version.is_some_and(|version| version.at_least(since.0, since.1))
    }

    fn is_before(&self, until: (u32, u32)) -> bool {
        until == NEVER || self.version.is_some_and(|version| !version.at_least(until.0, until.1))
    }

    fn amount(&self, amount: &Amount) -> Option<Finding> {
        let Amount { option, key, unit, since } = *amount;
        let conf = self.environment.conf();
        let value = conf.option_or_key(option, key).filter(|_| self.is_since(since))?;
        let dynamic = conf.get("spark.dynamicAllocation.enabled");
        let may_be_dynamic = dynamic.map_or(!self.knows_files, |value| value.text.eq_ignore_ascii_case("true"));
        let is_idle = key == EXECUTORS && may_be_dynamic;
        let (is_good, wanted) = match unit {
            Unit::Bytes => (is_size(&value.text), "a size above 0, such as `2g`"),
            Unit::Number => (is_number(&value.text), "a whole number above 0"),
        };
        (!is_good && !is_idle).then(|| refused(&value, key, wanted))
    }

    /// A size that Spark understands, and not the JVM of a driver that starts here.
    fn heap(&self) -> Option<Finding> {
        let Amount { option, key, .. } = DRIVER_MEMORY;
        let value = self.environment.conf().option_or_key(option, key)?;
        // The servers have a variable of their own.
        let is_server = self.class.is_some_and(|class| [THRIFT_SERVER, CONNECT_SERVER].contains(&class));
        let is_heap = !self.environment.deployment.cluster && !is_server;
        (is_heap && is_size(&value.text) && !is_size_of_java(&value.text)).then(|| {
            Finding::fail(
                "options",
                format!("{} is `{}`, with which java does not start", value.place(key), value.text),
            )
            .cure("write a number and `m` or `g`")
        })
    }

    fn two_users(&self) -> Option<Finding> {
        let conf = self.environment.conf();
        let (user, principal) = (conf.option("--proxy-user")?, conf.option("--principal")?);
        Some(exclude("options", &user, &principal))
    }

    fn remote_and_master(&self) -> Option<Finding> {
        let conf = self.environment.conf();
        let remote = conf.option("--remote")?;
        let other = ["--master", "--deploy-mode"].iter().find_map(|name| conf.option(name))?;
        Some(exclude("deployment", &remote, &other))
    }

    /// `None`: a master that no Spark of this version has.
    fn cluster(&self) -> Option<Cluster> {
        let master = self.environment.deployment.master.as_ref().map_or("local[*]", |master| master.text.as_str());
        Some(match master {
            "yarn" => Yarn,
            // Masters of their own until 3.0.
            "yarn-client" | "yarn-cluster" if !self.is_since((3, 0)) => Yarn,
            text if text.starts_with("spark") => Standalone,
            text if text.starts_with("k8s://") => Kubernetes,
            text if text.starts_with("local") => Local,
            text if text.starts_with("mesos") && !self.is_since((4, 0)) => Mesos,
            _ => return None,
        })
    }

    /// A master that is none.
    fn master(&self) -> Option<Finding> {
        let master = self.environment.deployment.master.as_ref()?;
        let place = format!("master `{}` ({})", master.text, master.origin);
        let cure = "write local[N], spark://HOST:PORT, yarn or k8s://URL";
        // Of `yarn-client` the launch itself tells.
        if self.cluster().is_none() && !master.text.starts_with("yarn-") {
            return Some(Finding::fail("deployment", format!("{place}: Spark knows no such master")).cure(cure));
        }
        (!is_master(&master.text)).then(|| {
            let message = format!("{place}: Spark does not start with it, unless the application names another");
            Finding::warn("deployment", message).cure(cure)
        })
    }

    /// A deploy mode that this master does not have for this application; what is none the launch refuses.
    fn mode(&self) -> Option<Finding> {
        let mode = self.environment.deployment.deploy_mode.as_ref()?;
        let place = format!("deploy mode `{}` ({})", mode.text, mode.origin);
        let cluster = self.cluster().filter(|_| mode.text == "cluster")?;
        let is_it = |entry: &&NoCluster| {
            let is_here = entry.on.contains(&cluster) && self.is_since(entry.since) && self.is_before(entry.until);
            is_here && self.is(&entry.who)
        };
        let entry = NO_CLUSTER.iter().find(is_it)?;
        let master = self.environment.deployment.master.as_ref();
        if master.is_none() && !self.knows_files {
            return None;
        }
        let message = match (master, cluster) {
            (None, _) => {
                format!("{place}: no master is named, and on `local[*]` Spark has no cluster for {}", entry.name)
            }
            (Some(master), Local) => format!("{place}: master `{}` has no cluster for {}", master.text, entry.name),
            (Some(master), _) => format!("{place}: on master `{}` Spark refuses it for {}", master.text, entry.name),
        };
        let cure = if master.is_none() { "name one: --master MASTER" } else { "leave it out, or choose `client`" };
        Some(Finding::fail("deployment", message).cure(cure))
    }

    fn is(&self, who: &Who) -> bool {
        let word = match self.environment.line.end {
            End::Resource(at) if self.environment.line.start == 0 => self.environment.words[at].as_str(),
            _ => "",
        };
        match who {
            Who::Anybody => true,
            Who::Python => is_python(word),
            Who::R => word.ends_with(".R"),
            Who::Shell => {
                matches!(self.tool, Tool::Pyspark | Tool::R)
                    || self.class == Some(SHELL)
                    || ["spark-shell", "pyspark-shell", "sparkr-shell"].contains(&word)
            }
            Who::Class(class) => self.class == Some(*class),
        }
    }

    fn yarn(&self, is_named: bool) -> Option<Finding> {
        let master = self.environment.deployment.master.as_ref().filter(|master| master.text.starts_with("yarn"))?;
        let [hadoop, yarn] = YARN;
        (!is_named && self.knows_files).then(|| {
            let message =
                format!("neither {hadoop} nor {yarn} is set, and Spark submits nothing to master `{}`", master.text);
            Finding::fail("variables", message).cure(format!("set {hadoop} to the directory of yarn-site.xml"))
        })
    }

    fn no_application(&self) -> Vec<Finding> {
        let is_missing = self.environment.line.end == End::Words && !self.environment.line.mixes;
        let finding = || {
            Finding::fail("application", "no application is named: spark-submit has nothing to run")
                .cure("give the jar or the script after Spark's options")
        };
        is_missing.then(finding).into_iter().collect()
    }

    fn application(&self, application: &Application) -> Vec<Finding> {
        let Application { word, place } = application;
        let is_script = is_script(word);
        let finding = match place {
            Place::Here(path, Found::Nothing) => Some(self.missing(word, &path.display().to_string(), is_script)),
            _ if is_script || self.class.is_some() => None,
            place => self.no_main_class(place).map(|why| {
                Finding::fail("application", format!("Spark finds no main class: {why}")).cure("name it: --class CLASS")
            }),
        };
        finding.into_iter().collect()
    }

    /// The file is not there, and that is certain to be asked for where it is read here.
    fn missing(&self, word: &str, path: &str, is_script: bool) -> Finding {
        let is_cluster = self.environment.deployment.cluster;
        let message = format!("`{word}` is not there: no file `{path}`");
        let (level, message) = match self.class {
            None if !is_script || !is_cluster => (Level::Fail, message),
            Some(_) if is_script && !is_cluster => (Level::Fail, message),
            _ if is_cluster => (Level::Warn, format!("{message}, and the host of the driver has to find one")),
            Some(class) => {
                (Level::Warn, format!("{message}; Spark goes on without it, and `{class}` is looked for elsewhere"))
            }
            None => (Level::Warn, message),
        };
        Finding { level, topic: "application", message, cure: Some("name the file that is meant".to_owned()) }
    }

    /// Why no main class is found in what is no script.
    fn no_main_class(&self, place: &Place) -> Option<String> {
        let (path, found) = match place {
            Place::Scheme(scheme) if scheme == "local" => return Some("it reads none from a `local:` file".to_owned()),
            Place::Scheme(scheme) => {
                let is_old = self.version.is_some_and(|version| !version.at_least(3, 0));
                return is_old.then(|| format!("Spark 2 reads none from a `{scheme}:` file"));
            }
            Place::Here(path, found) => (path.display(), found),
        };
        match found {
            Found::Nothing | Found::Jar { has_main_class: true } => None,
            Found::Directory => Some(format!("`{path}` is a directory")),
            Found::Unreadable(cause) => Some(format!("`{path}` cannot be read: {cause}")),
            // Spark 2 reads the index at the end of the file, where it may be named.
            Found::NoManifest => {
                self.is_since((3, 5)).then(|| format!("`{path}` does not begin with a jar's manifest"))
            }
            Found::Jar { has_main_class: false } => Some(format!("the manifest of `{path}` names none")),
        }
    }
}

fn exclude(topic: &'static str, one: &Value, other: &Value) -> Finding {
    let place = |value: &Value| format!("`{}` ({})", value.text, value.origin);
    Finding::fail(topic, format!("{} and {} exclude each other", place(one), place(other))).cure("take one of them out")
}

fn refused(value: &Value, key: &str, wanted: &str) -> Finding {
    Finding::fail("options", format!("{} is `{}`: Spark refuses what is not {wanted}", value.place(key), value.text))
        .cure("write one, or take it out")
}

fn is_python(word: &str) -> bool {
    word.ends_with(".py") || word == "pyspark-shell"
}

/// As Java's `Integer.parseInt`.
fn is_number(text: &str) -> bool {
    text.trim().parse::<i32>().is_ok_and(|number| number > 0)
}

/// As Spark's `JavaUtils.byteStringAsBytes`.
fn is_size(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let units = ["", "b", "k", "kb", "m", "mb", "g", "gb", "t", "tb", "p", "pb"];
    units.contains(&&text[digits.len()..])
        && !digits.starts_with('+')
        && digits.parse::<i64>().is_ok_and(|size| size > 0)
}

/// As HotSpot takes a heap size, which is to be a megabyte at least.
fn is_size_of_java(text: &str) -> bool {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    match &text[digits.len()..] {
        "" => digits.parse::<u64>().is_ok_and(|size| size >= 1 << 20),
        unit => unit.len() == 1 && "kKmMgGtT".contains(unit),
    }
}

/// Whether a `SparkContext` takes a master that `spark-submit` lets pass.
fn is_master(text: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let numbers = |start: &str| {
        let inner = text.strip_prefix(start)?.strip_suffix(']')?;
        Some(inner.split(',').map(str::trim).collect::<Vec<&str>>())
    };
    if let Some(numbers) = numbers("local[") {
        return numbers.len() <= 2
            && numbers.iter().enumerate().all(|(at, text)| is_number(text) || at == 0 && *text == "*");
    }
    if let Some(numbers) = numbers("local-cluster[") {
        return numbers.len() == 3 && numbers.into_iter().all(is_number);
    }
    text == "local"
        || text.starts_with("yarn")
        || ["spark://", "k8s://", "mesos://"].iter().any(|start| text.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for good in ["1", "2g", "512M", " 1G ", "3kb", "1pb"] {
            assert!(is_size(good), "{good}");
        }
        for bad in ["", "0", "0g", "-1g", "+1g", "1x", "1.5g", "1gib", "g", "1 g", "99999999999999999999"] {
            assert!(!is_size(bad), "{bad}");
        }
        for good in ["2g", "512M", "1048576", "1t"] {
            assert!(is_size_of_java(good), "{good}");
        }
        for bad in ["1gb", "1p", "1b", "100"] {
            assert!(!is_size_of_java(bad), "{bad}");
        }
        assert!(is_number("1") && is_number("+1") && !is_number("0") && !is_number("-1") && !is_number("x"));
    }

    #[test]
    fn masters() {
        let good = ["local", "local[1]", "local[*]", "local[*,4]", "local[2, 4]", "local-cluster[1, 2,1024]"];
        for master in good.into_iter().chain(["spark://h:7077,i:7077", "k8s://h", "mesos://h", "yarn"]) {
            assert!(is_master(master), "{master}");
        }
        for master in
            ["local[1", "localx", "local[]", "local[a]", "local[1,*]", "local[1,2,3]", "local-cluster[1]", "sparkx"]
        {
            assert!(!is_master(master), "{master}");
        }
    }
}
