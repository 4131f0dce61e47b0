//! Drives the JDK's own debugger: `jdb` as a child process, typed at as a person would, each step with a time limit.

#![allow(dead_code, reason = "each test binary and the example uses its own part")]

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// For an answer that takes no more of the debugged JVM than to read its state.
const ANSWER_LIMIT: Duration = Duration::from_secs(20);

/// For a JVM's start while another busy one keeps it waiting: jdb's own, and that of the JVM it waits for.
const START_LIMIT: Duration = Duration::from_secs(120);

/// How often the socket table and jdb's output are looked at.
const POLL: Duration = Duration::from_millis(20);

/// jdb says this as soon as it is connected to a JVM.
const CONNECTED: &str = "Initializing jdb ...\n";

/// A running `jdb`. It is killed when it goes out of scope, which lets the debugged JVM go on.
pub struct Jdb {
    child: Child,
    stdin: ChildStdin,
    /// jdb writes its side of the conversation here: a file needs no thread that drains it, and a failure can show it.
    transcript: PathBuf,
    /// How much of the transcript was already looked at: the answer to a command is what comes after.
    seen: usize,
    /// How many commands were asked: each gets an end mark of its own.
    asked: usize,
}

impl Jdb {
    /// Attaches to a JVM that listens on loopback. Waits for the listener as long as `alive` says that it may come.
    pub fn attach(java_home: &Path, port: u16, dir: &Path, mut alive: impl FnMut() -> bool) -> Result<Self, String> {
        let started = Instant::now();
        if socket_table() {
            wait_for_listener(port, START_LIMIT, &mut alive)?;
        }
        loop {
            let mut jdb = Self::start(java_home, &["-attach", &format!("127.0.0.1:{port}")], dir)?;
            match jdb.expect(CONNECTED, START_LIMIT) {
                Ok(()) => return Ok(jdb),
                // Where no table shows the listener (macOS), only trying does; jdb's refused connection disturbs nobody.
                Err(_) if !socket_table() && alive() && started.elapsed() < START_LIMIT => thread::sleep(POLL * 10),
                Err(error) => return Err(error),
            }
        }
    }

    /// Listens on loopback for a JVM that dials out. Returns when a JVM can dial: [`Jdb::connected`] is next.
    pub fn listen(java_home: &Path, port: u16, dir: &Path) -> Result<Self, String> {
        // `jdb -listen PORT` would open the port to the network.
        let connector = format!("com.sun.jdi.SocketListen:port={port},localAddress=127.0.0.1");
        let mut jdb = Self::start(java_home, &["-connect", &connector], dir)?;
        jdb.listens()?;
        Ok(jdb)
    }

    /// What a shell makes of a line that starts jdb.
    pub fn typed(line: &str, java_home: &Path, dir: &Path) -> Result<Self, String> {
        let mut shell = Command::new("/bin/sh");
        // The shell becomes jdb, which is to be killed.
        shell.args(["-c", &format!("exec {line}")]).env("PATH", java_home.join("bin"));
        Self::spawn(shell, dir)
    }

    /// Returns when a JVM can dial a jdb that listens.
    pub fn listens(&mut self) -> Result<(), String> {
        self.expect("Listening at address", START_LIMIT)
    }

    /// Waits for the JVM that dials in, as long as `alive` says that it may come.
    pub fn connected(&mut self, mut alive: impl FnMut() -> bool) -> Result<(), String> {
        let started = Instant::now();
        loop {
            // Asked before the look: a JVM may dial in and end between the two.
            let may_come = alive();
            if self.expect(CONNECTED, Duration::ZERO).is_ok() {
                return Ok(());
            }
            if !may_come {
                return Err("the job ended, and no JVM had connected to jdb".into());
            }
            if started.elapsed() > START_LIMIT {
                return Err(format!("no JVM connected to jdb within {START_LIMIT:?}"));
            }
            thread::sleep(POLL);
        }
    }

    fn start(java_home: &Path, args: &[&str], dir: &Path) -> Result<Self, String> {
        let mut program = Command::new(java_home.join("bin/jdb"));
        program.args(["-sourcepath", "."]).args(args).arg(format!("-J-Duser.home={}", dir.display()));
        Self::spawn(program, dir)
    }

    fn spawn(mut program: Command, dir: &Path) -> Result<Self, String> {
        let transcript = dir.join("jdb.log");
        let output = File::create(&transcript).and_then(|file| Ok((file.try_clone()?, file)));
        let (stdout, stderr) = output.map_err(|error| format!("cannot write {}: {error}", transcript.display()))?;
        let mut child = program
            // jdb reads `jdb.ini` and `.jdbrc` from the working and the home directory; sources it shows from the former.
            .current_dir(dir)
            .env_remove("JAVA_TOOL_OPTIONS")
            .env_remove("JDK_JAVA_OPTIONS")
            .stdin(Stdio::piped())
            .stdout(stdout)
            .stderr(stderr)
            .spawn()
            .map_err(|error| format!("cannot run {program:?}: {error}"))?;
        let stdin = child.stdin.take().ok_or("jdb has no standard input")?;
        Ok(Self { child, stdin, transcript, seen: 0, asked: 0 })
    }

    /// Waits until jdb knows that the JVM was started suspended: resumed earlier, it would confuse jdb.
    pub fn started_suspended(&mut self) -> Result<(), String> {
        self.expect("VM Started", START_LIMIT)?;
        self.expect("No frames on the current call stack", ANSWER_LIMIT)
    }

    /// Sets a breakpoint and returns jdb's words; a class that is not loaded yet gets it when it is.
    pub fn stop_at(&mut self, class: &str, line: usize) -> Result<String, String> {
        let answer = self.ask(&format!("stop at {class}:{line}"))?;
        if answer.contains("Set breakpoint") || answer.contains("Deferring breakpoint") {
            Ok(answer)
        } else {
            Err(format!("jdb set no breakpoint at {class}:{line}: {answer}"))
        }
    }

    /// Removes a breakpoint that was hit.
    pub fn clear(&mut self, class: &str, line: usize) -> Result<(), String> {
        let answer = self.ask(&format!("clear {class}:{line}"))?;
        if answer.contains("Removed: ") { Ok(()) } else { Err(format!("jdb cleared no {class}:{line}: {answer}")) }
    }

    /// Lets the JVM go on; does not wait for anything.
    pub fn cont(&mut self) -> Result<(), String> {
        self.type_line("cont")
    }

    /// Waits until the JVM stands on a breakpoint; returns jdb's words about where.
    pub fn breakpoint_hit(&mut self, limit: Duration) -> Result<String, String> {
        // The quote belongs to the thread's name, which jdb prints once it knows the thread, maybe after other words.
        self.expect("Breakpoint hit: \"", limit)?;
        let rest = self.until("\n", ANSWER_LIMIT)?;
        Ok(format!("\"{rest}"))
    }

    /// Sets a breakpoint in a JVM that runs, and waits until it stands there. It may be hit before jdb has said that it
    /// is set, and then the words of one stand in the middle of those of the other.
    pub fn stand_at(&mut self, class: &str, line: usize, limit: Duration) -> Result<(), String> {
        self.type_line(&format!("stop at {class}:{line}"))?;
        // `"thread=main", demo.Tasks.round(), line=64 bci=0`
        let said = self.until(&format!("(), line={line} "), limit)?;
        if said.contains("Breakpoint hit: ") && said.contains(&format!(", {class}.")) {
            Ok(())
        } else {
            Err(self.failure("it does not stand on the breakpoint"))
        }
    }

    /// The value of an expression in the current frame, as jdb writes it: a string stands in double quotes.
    pub fn print(&mut self, expression: &str) -> Result<String, String> {
        // Evaluating is done beside jdb's reading of commands, so the end mark of `ask` could come first.
        self.type_line(&format!("print {expression}"))?;
        self.expect(&format!(" {expression} = "), ANSWER_LIMIT)?;
        self.until("\n", ANSWER_LIMIT)
    }

    /// Types a command and returns what jdb answers; not for `print` and `dump`.
    pub fn ask(&mut self, command: &str) -> Result<String, String> {
        // A prompt does not tell that an answer is complete, since jdb prints prompts at other times too. A second
        // command that it cannot know does, and touches nothing in the JVM.
        self.asked += 1;
        let mark = format!("end-of-{}", self.asked);
        self.type_line(command)?;
        self.type_line(&mark)?;
        let answer = self.until(&format!("Unrecognized command: '{mark}'"), ANSWER_LIMIT)?;
        self.expect("\n", ANSWER_LIMIT)?;
        Ok(without_prompts(&answer))
    }

    /// Detaches: the JVM goes on without a debugger.
    pub fn quit(mut self) -> Result<(), String> {
        self.type_line("quit")?;
        let started = Instant::now();
        while started.elapsed() < ANSWER_LIMIT {
            if self.ended() {
                return Ok(());
            }
            thread::sleep(POLL);
        }
        Err(self.failure("jdb did not quit"))
    }

    fn type_line(&mut self, line: &str) -> Result<(), String> {
        let typed = self.stdin.write_all(format!("{line}\n").as_bytes());
        typed.map_err(|error| self.failure(&format!("cannot type `{line}` to jdb: {error}")))
    }

    fn expect(&mut self, text: &str, limit: Duration) -> Result<(), String> {
        self.until(text, limit).map(drop)
    }

    /// Waits for a text among what jdb said since the last look and returns what came before it.
    fn until(&mut self, text: &str, limit: Duration) -> Result<String, String> {
        let started = Instant::now();
        loop {
            // Asked before the look, so that the last words of a jdb that ended are read too.
            let ended = self.ended();
            let all = fs::read(&self.transcript).unwrap_or_default();
            let unseen = all.get(self.seen..).unwrap_or_default();
            if let Some(at) = unseen.windows(text.len()).position(|window| window == text.as_bytes()) {
                self.seen += at + text.len();
                return Ok(String::from_utf8_lossy(&unseen[..at]).into_owned());
            }
            if ended || started.elapsed() >= limit {
                let why = if ended { "it ended".to_owned() } else { format!("{limit:?} are over") };
                return Err(self.failure(&format!("jdb did not say {text:?}: {why}")));
            }
            thread::sleep(POLL);
        }
    }

    fn ended(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_some())
    }

    fn failure(&self, what: &str) -> String {
        let said = fs::read(&self.transcript).unwrap_or_default();
        format!("{what}; jdb said:\n{}", String::from_utf8_lossy(&said))
    }
}

impl Drop for Jdb {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An answer without the prompts around it: `> `, or `main[1] ` with a thread and the number of a frame.
fn without_prompts(answer: &str) -> String {
    let (lines, last) = answer.rsplit_once('\n').unwrap_or(("", answer));
    let last = last.strip_suffix("> ").unwrap_or(last);
    let last = if last.ends_with("] ") { "" } else { last };
    let text = format!("{lines}\n{last}");
    let text = text.trim().trim_start_matches("> ");
    // A line of `where` starts with a frame's number too, but with no thread before it.
    let after_thread =
        text.split_once("[1] ").filter(|(thread, _)| !thread.is_empty() && !thread.ends_with([' ', '\n']));
    after_thread.map_or(text, |(_, rest)| rest).trim_end().to_owned()
}

/// Waits until some process listens on that port, by looking into the kernel's table: a connection made to find out
/// would be taken for a debugger. Fails early when `alive` says that nobody will come any more.
pub fn wait_for_listener(port: u16, limit: Duration, mut alive: impl FnMut() -> bool) -> Result<(), String> {
    let started = Instant::now();
    loop {
        // Asked before the look, so that a listener of a moment ago is not missed.
        let may_come = alive();
        if listening(port) {
            return Ok(());
        }
        if !may_come {
            return Err(format!("the job ended, and nothing had listened on port {port}"));
        }
        if started.elapsed() > limit {
            return Err(format!("nothing listened on port {port} within {limit:?}"));
        }
        thread::sleep(POLL);
    }
}

/// Whether a TCP socket listens on that port of this machine, on whatever address.
pub fn listening(port: u16) -> bool {
    let wanted = format!(":{port:04X}");
    ["/proc/net/tcp", "/proc/net/tcp6"].iter().filter_map(|table| fs::read_to_string(table).ok()).any(|table| {
        table.lines().skip(1).any(|socket| {
            let mut fields = socket.split_whitespace().skip(1);
            let (local, _peer, state) = (fields.next(), fields.next(), fields.next());
            local.is_some_and(|address| address.ends_with(&wanted)) && state == Some("0A")
        })
    })
}

/// Whether this kernel shows its sockets.
fn socket_table() -> bool {
    Path::new("/proc/net/tcp").exists()
}
