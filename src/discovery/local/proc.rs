//! `/proc`: the only place that looks into other processes. What ends while it is looked at is left out.

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};

use procfs::net::TcpState;
use procfs::process::{self, FDTarget};

use super::super::log_text::last_port;
use super::{Process, Socket, part};
use crate::spark::jvm_variables::of_every_jvm;

/// What is read of a JVM's standard output at each end. Bytes.
const END: u64 = 256 << 10;

/// This user's Java processes.
pub fn processes() -> Vec<Process> {
    let user = rustix::process::geteuid().as_raw();
    let all = process::all_processes().into_iter().flatten().flatten();
    all.filter(|process| process.uid().is_ok_and(|uid| uid == user)).filter_map(|process| look(&process)).collect()
}

fn look(process: &process::Process) -> Option<Process> {
    // Not by the first word of its command line: a script's may be anything.
    let exe = process.exe().ok()?;
    if exe.file_name()?.to_str()?.trim_end_matches(" (deleted)") != "java" {
        return None;
    }
    let argv = process.cmdline().ok()?;
    let environment = process.environ().unwrap_or_default();
    let variable = |name: &str| environment.get(OsStr::new(name)).map(|value| value.to_string_lossy().into_owned());
    let cwd = process.cwd().ok();
    let descriptors: Vec<FDTarget> = process.fd().into_iter().flatten().flatten().map(|fd| fd.target).collect();
    let has_jars = descriptors.iter().any(|target| matches!(target, FDTarget::Path(path) if is_jar(path)));
    Some(Process {
        pid: process.pid,
        argv,
        options: of_every_jvm(None).into_iter().filter_map(|(name, _)| variable(name)).collect(),
        agent_suffix: variable("_JAVA_JDWP_OPTIONS"),
        container: variable("CONTAINER_ID"),
        sockets: sockets(process, &descriptors),
        has_jars,
        spark_home: environment.get(OsStr::new("SPARK_HOME")).map(PathBuf::from),
        last_port: output(process, cwd.clone()).and_then(|file| last_line(file).ok().flatten()),
        cwd: cwd.unwrap_or_default(),
    })
}

fn is_jar(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "jar")
}

/// The process's own sockets, as its own network sees them: it may run in a container.
fn sockets(process: &process::Process, descriptors: &[FDTarget]) -> Vec<Socket> {
    let inodes = descriptors.iter().filter_map(|target| match target {
        FDTarget::Socket(inode) => Some(*inode),
        _ => None,
    });
    let inodes: Vec<u64> = inodes.collect();
    let entries = process.tcp().into_iter().flatten().chain(process.tcp6().into_iter().flatten());
    let own = entries.filter(|entry| inodes.contains(&entry.inode));
    let open = own.filter(|entry| matches!(entry.state, TcpState::Listen | TcpState::Established));
    let socket = |entry: procfs::net::TcpNetEntry| Socket {
        local: entry.local_address.port(),
        remote: entry.remote_address.port(),
        listens: entry.state == TcpState::Listen,
    };
    open.map(socket).collect()
}

/// The file with the process's standard output. A Worker reads it from a pipe and writes the file
/// `stdout` in the working directory of the executor.
fn output(process: &process::Process, cwd: Option<PathBuf>) -> Option<File> {
    let own = process.fd_from_fd(1).ok().and_then(|fd| match fd.target {
        FDTarget::Path(path) => Some(path),
        _ => None,
    });
    let files = own.into_iter().chain(cwd.map(|cwd| cwd.join("stdout")));
    files.filter(|path| path.is_file()).find_map(|path| File::open(path).ok())
}

/// The port of the last `Listening` line in the two ends of a file. Whether it still listens there, the
/// socket table tells.
fn last_line(mut file: File) -> std::io::Result<Option<u16>> {
    let length = file.metadata()?.len();
    if let Some(port) = last_port(&part(&mut file, length.saturating_sub(END), END)?) {
        return Ok(Some(port));
    }
    Ok(last_port(&part(&mut file, 0, END)?))
}
