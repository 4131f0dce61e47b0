//! Running one command of a case and reading what the stand-in JVM recorded.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::case::Staged;

/// What was seen of one run.
#[derive(Debug)]
pub struct Outcome {
    pub status: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: String,
    /// The JVMs that were started, beside the launcher's.
    pub jvms: Vec<Jvm>,
}

/// A recorded JVM.
#[derive(Debug, Clone, PartialEq)]
pub struct Jvm {
    pub args: Vec<OsString>,
    pub env: BTreeMap<OsString, OsString>,
}

/// Runs `command` (program first) as the case wants it.
pub fn run(staged: &Staged, command: &[OsString], extra_env: &[(&str, &str)]) -> Outcome {
    let output = Command::new(&command[0])
        .args(&command[1..])
        .current_dir(&staged.work)
        .env_clear()
        .envs(&staged.env)
        .envs(extra_env.iter().copied())
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|error| panic!("cannot run {:?}: {error}", command[0]));
    Outcome {
        status: output.status.code(),
        stdout: output.stdout,
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        jvms: take_record(&staged.record),
    }
}

/// Reads the record and removes it, so that the next run starts anew.
fn take_record(record: &Path) -> Vec<Jvm> {
    let words = |name: &str| {
        let text = fs::read(record.join(name)).unwrap_or_default();
        let _ = fs::remove_file(record.join(name));
        text.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect::<Vec<_>>()
    };
    let (argv, env) = (words("argv"), words("env"));
    let env = env.iter().filter_map(|entry| {
        let equals = entry.iter().position(|byte| *byte == b'=')?;
        Some((OsString::from_vec(entry[..equals].to_vec()), OsString::from_vec(entry[equals + 1..].to_vec())))
    });
    // with several JVMs the environments run together; a case with several fails anyway
    let env: BTreeMap<_, _> = env.collect();
    let mut jvms = Vec::new();
    let mut rest = argv.as_slice();
    while let [count, tail @ ..] = rest {
        let Ok(count) = String::from_utf8_lossy(count).parse::<usize>() else { break };
        let args = tail[..count].iter().cloned().map(OsString::from_vec).collect();
        jvms.push(Jvm { args, env: env.clone() });
        rest = &tail[count..];
    }
    jvms
}
