//! What `doctor` asks of this machine beyond what a launch of Flink needs: which Java each JVM has, which files are
//! passed by, and what the hosts are that JVMs are to dial.

use std::path::{Path, PathBuf};

use super::Process;
use super::flink::{FlinkEnvironment, java_home, named_java_home};
use super::surroundings::{self, Dialled, Java};
use crate::endpoint::Role;
use crate::flink::conf::JAVA_HOME;
use crate::options::Options;

/// The facts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FlinkSurroundings {
    /// The Java that the scripts take.
    pub java: Option<Java>,
    /// A home that the scripts pass by, and why.
    pub passed_by: Option<(PassedBy, String)>,
    /// Javas that the configuration names for JVMs elsewhere.
    pub elsewhere: Vec<(Role, Java)>,
    /// A `config.yaml` that is not read, since a `flink-conf.yaml` is.
    pub unread_conf: Option<PathBuf>,
    /// A configuration that this Flink does not start without.
    pub missing_conf: Option<PathBuf>,
    /// The hosts that JVMs are to dial.
    pub dialled: Dialled,
}

/// Why the scripts take no notice of a home of Java.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PassedBy {
    /// It stands in YAML in a way that the scripts do not find.
    Unread,
    /// It is no directory.
    NoDirectory,
}

/// Reads them.
pub fn read(options: &Options, environment: &FlinkEnvironment, process: &Process) -> FlinkSurroundings {
    let conf = &environment.conf;
    let named = named_java_home(conf, process);
    let is_dir = |home: &str| process.absolute(Path::new(home)).is_dir();
    let from = named.as_ref().filter(|(home, _)| is_dir(home)).map_or("PATH", |(_, from)| from);
    let meant = conf.get(JAVA_HOME);
    let unread = meant.filter(|meant| conf.java_home.as_ref().is_none_or(|read| read.value != meant.value));
    let passed_by = match unread {
        Some(entry) => Some((PassedBy::Unread, format!("{JAVA_HOME} ({})", conf.place(entry)))),
        None => named
            .as_ref()
            .filter(|(home, _)| !is_dir(home))
            .map(|(home, from)| (PassedBy::NoDirectory, format!("`{home}` ({from})"))),
    };
    FlinkSurroundings {
        java: java_home(conf, process).map(|home| surroundings::at(&home, from, process)),
        passed_by,
        elsewhere: elsewhere(environment, process),
        unread_conf: beside(environment, process),
        missing_conf: conf.file.is_none().then(|| environment.conf_dir.clone()).flatten(),
        dialled: surroundings::dialled(&options.targets),
    }
}

fn elsewhere(environment: &FlinkEnvironment, process: &Process) -> Vec<(Role, Java)> {
    let keys = [
        (Role::JobManager, "containerized.master.env.JAVA_HOME"),
        (Role::TaskManager, "containerized.taskmanager.env.JAVA_HOME"),
    ];
    let named = keys.into_iter().filter(|(role, _)| !environment.is_here(*role)).filter_map(|(role, key)| {
        let (home, place) = environment.given(key)?;
        Some((role, surroundings::at(Path::new(&home), &format!("{key}, {place}"), process)))
    });
    named.collect()
}

fn beside(environment: &FlinkEnvironment, process: &Process) -> Option<PathBuf> {
    let yaml = environment.conf_dir.as_ref()?.join("config.yaml");
    let is_read = environment.conf.file.as_deref() == Some(&*process.absolute(&yaml));
    (!is_read && process.absolute(&yaml).is_file()).then_some(yaml)
}
