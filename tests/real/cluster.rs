//! Real clusters on loopback: a standalone Master with Workers, `local-cluster`, a standalone Flink, YARN in one JVM,
//! and a stand-in for the Kubernetes API. Nothing of them outlives the test that started them.

pub mod flink;
pub mod hadoop;
pub mod kubernetes;
pub mod local;
pub mod standalone;
pub mod yarn;

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

/// For an answer of a small server on this machine.
const ANSWER_LIMIT: Duration = Duration::from_secs(10);

/// The body of what a server on loopback says to `GET path`; an error when nobody serves there yet.
pub fn get(port: u16, path: &str) -> Result<String, String> {
    let ask = || {
        let mut stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_read_timeout(Some(ANSWER_LIMIT))?;
        // 1.0: the answer ends with the connection and comes in one piece.
        stream.write_all(format!("GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n").as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    };
    let answer = ask().map_err(|error: std::io::Error| format!("GET {path} from port {port}: {error}"))?;
    match answer.split_once("\r\n\r\n") {
        Some((head, body)) if head.lines().next().is_some_and(|status| status.contains(" 200 ")) => Ok(body.to_owned()),
        _ => Err(format!("GET {path} from port {port}: {answer}")),
    }
}

/// A process, as it was when it was looked at.
#[derive(Debug)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// Its command line, words separated by spaces.
    pub command_line: String,
}

impl Process {
    /// Whether it still is there.
    pub fn runs(&self) -> bool {
        command_line(self.pid).is_some_and(|line| line == self.command_line)
    }
}

/// The processes that work somewhere below a directory, as executors do below that of their worker.
pub fn processes_below(dir: &Path) -> Vec<Process> {
    let entries = fs::read_dir("/proc").expect("a /proc").flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let below = pids.filter(|pid| fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd.starts_with(dir)));
    below.filter_map(|pid| Some(Process { pid, command_line: command_line(pid)? })).collect()
}

/// None of a process that ended, also while its parent has not looked yet.
fn command_line(pid: u32) -> Option<String> {
    let words = fs::read(format!("/proc/{pid}/cmdline")).ok().filter(|words| !words.is_empty())?;
    Some(String::from_utf8_lossy(&words).replace('\0', " "))
}
