//! Whether the debugger and the JVM will meet is said before anything starts, and without a word to the IDE.

use std::io::{BufRead as _, BufReader, ErrorKind};
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::scene::{HINT, INJECTED, Reaped, SPARKDBG, Scene, not_run};

/// Whether this system shows who listens.
fn has_socket_table() -> bool {
    let has = cfg!(target_os = "linux");
    if !has {
        not_run("what needs a socket table");
    }
    has
}

/// A listener on a port of its own; `None` where the address does not exist (no IPv6).
fn listen(address: &str) -> Option<(TcpListener, u16)> {
    let listener = TcpListener::bind(address).ok()?;
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    Some((listener, port))
}

/// A process of its own that holds a port, and how it is named. The tests' own process would not do: while it starts
/// others, they share its sockets for a moment.
fn taken(address: &str) -> Option<(Reaped, u16, String)> {
    let (listener, port) = listen(address)?;
    let holder = Command::new("sleep").arg("600").stdin(OwnedFd::from(listener)).spawn().expect("it starts");
    let named = format!("`sleep` (pid {})", holder.id());
    let holder = Reaped(holder);
    // Until it has become `sleep` it has the name of this test.
    while std::fs::read_to_string(format!("/proc/{}/comm", holder.0.id())).is_ok_and(|name| name != "sleep\n") {
        thread::sleep(Duration::from_millis(1));
    }
    Some((holder, port, named))
}

#[test]
fn a_taken_port_is_refused_with_its_holder() {
    if !has_socket_table() {
        return;
    }
    let scene = Scene::spark("4.3.0");
    let (_holder, port, named) = taken("127.0.0.1:0").unwrap();
    for host in ["127.0.0.1", "0.0.0.0", "localhost"] {
        let run = scene.run(&["submit", "--attach", &format!("{host}:{port}"), "app.jar"]);
        run.fails(
            125,
            &format!(
                "error: port {port} on {host} is in use by {named}\n\
                 help: choose another port, or let a free one be picked: --driver=attach:0\n"
            ),
        );
    }
}

#[test]
fn a_wildcard_holder_is_found_too() {
    if !has_socket_table() {
        return;
    }
    let scene = Scene::spark("4.3.0");
    for wildcard in ["0.0.0.0:0", "[::]:0"] {
        let Some((_holder, port, named)) = taken(wildcard) else { continue };
        let run = scene.run(&["submit", &format!("--driver=attach:{port}"), "app.jar"]);
        let error = format!("error: port {port} on 127.0.0.1 is in use by {named}\n");
        assert_eq!(run.status.code(), Some(125), "{run}");
        assert!(run.stderr.starts_with(&error), "{run}");
    }
}

#[test]
fn no_preflight_makes_it_a_warning_and_a_dry_run_a_note() {
    if !has_socket_table() {
        return;
    }
    let scene = Scene::spark("4.3.0");
    let (_holder, port, named) = taken("127.0.0.1:0").unwrap();
    let finding = format!("port {port} on 127.0.0.1 is in use by {named}\n");
    let attach = format!("--driver=attach:{port}");
    let word = INJECTED[1].replace("@port", &port.to_string());
    let run = scene.run(&["-q", "--no-preflight", "submit", &attach, "app.jar"]);
    run.expect(Some(0), &format!("warning: {finding}"));
    run.starts("spark/bin/spark-submit", &["--conf", &word, "app.jar"]);
    let run = scene.run(&["-q", "--dry-run", "submit", &attach, "app.jar"]);
    run.expect(Some(0), &format!("note: {finding}"))
        .prints(&format!("@root/spark/bin/spark-submit --conf '{word}' app.jar\n"));
    let plan = scene.json(&["-q", "submit", &attach, "app.jar"]);
    assert_eq!(
        plan["notes"],
        serde_json::json!([{"level": "note", "code": "preflight", "message": finding.trim_end()}])
    );
}

#[test]
fn an_address_of_another_machine_cannot_be_bound() {
    // 203.0.113.0/24 is kept for documentation.
    Scene::spark("4.3.0").run(&["submit", "--attach", "203.0.113.9:5005", "app.jar"]).fails(
        125,
        "error: `203.0.113.9` is no address of this machine, and with `attach` the JVM binds it\n\
         help: to have the JVM call your debugger there use --listen HOST:PORT\n",
    );
}

/// P7.
#[test]
fn a_name_without_an_address() {
    let scene = Scene::spark("4.3.0");
    for option in ["--attach", "--listen"] {
        let run = scene.run(&["submit", option, "no-such-host.invalid:5005", "app.jar"]);
        assert_eq!(run.status.code(), Some(125), "{run}");
        assert!(run.stderr.starts_with("error: the host name `no-such-host.invalid` has no address: "), "{run}");
        assert!(run.stderr.ends_with("help: write an address, or a name that this machine knows\n"), "{run}");
    }
}

#[test]
fn nobody_listens() {
    if !has_socket_table() {
        return;
    }
    let scene = Scene::spark("4.3.0");
    let help = "help: start the debugger in its listen mode first, or wait for it: --wait-for-debugger 5m\n";
    for host in ["127.0.0.1", "localhost", "[::1]", "127.0.0.9"] {
        let error = format!("error: nobody listens on {host}:@port: the driver would die at its start\n{help}");
        let run = scene.run(&["submit", "--listen", &format!("{host}:@port"), "app.jar"]);
        if host == "[::1]" && run.status.code() == Some(0) {
            not_run(&format!("no IPv6 on this machine: {host} not tried"));
            continue;
        }
        run.fails(125, &error);
    }
    let args = ["-q", "--no-preflight", "submit", "--listen", "@port", "app.jar"];
    scene.run(&args).expect(Some(0), "warning: nobody listens on 127.0.0.1:@port: the driver would die at its start\n");
    let args = ["-q", "--dry-run", "submit", "--listen", "@port", "app.jar"];
    scene.run(&args).expect(Some(0), "note: nobody listens on 127.0.0.1:@port: the driver would die at its start\n");
}

/// An IDE that listens takes any connection for a JVM.
#[test]
fn a_listener_is_seen_and_never_connected_to() {
    let scene = Scene::spark("4.3.0");
    for (bind, host) in [
        ("127.0.0.1:0", "127.0.0.1"),
        ("127.0.0.1:0", "localhost"),
        ("0.0.0.0:0", "127.0.0.1"),
        ("0.0.0.0:0", "127.0.0.5"),
        ("[::]:0", "127.0.0.1"),
        ("[::]:0", "[::1]"),
        ("[::1]:0", "[::1]"),
    ] {
        let Some((listener, port)) = listen(bind) else {
            not_run(&format!("no IPv6 on this machine: {bind} not tried"));
            continue;
        };
        let run = scene.run(&["submit", "--listen", &format!("{host}:{port}"), "app.jar"]);
        let local = format!("; debugger on another machine, from there: ssh -R {port}:{host}:{port} @host");
        run.expect(
            Some(0),
            &format!(
                "sparkdbg: driver dials the debugger at {host}:{port} before main (IDE: \"Listen to remote JVM\", port \
                 {port}){local}\n"
            ),
        );
        let wait = ["-q", "submit", "--listen", &format!("{host}:{port}"), "--wait-for-debugger", "5s", "app.jar"];
        scene.run(&wait).expect(Some(0), "");
        assert_eq!(listener.accept().unwrap_err().kind(), ErrorKind::WouldBlock, "somebody connected to {bind}");
    }
}

#[test]
fn one_that_listens_elsewhere_is_not_the_one() {
    if !has_socket_table() {
        return;
    }
    let scene = Scene::spark("4.3.0");
    for (bind, host) in [("127.0.0.1:0", "127.0.0.7"), ("127.0.0.1:0", "[::1]"), ("[::1]:0", "127.0.0.1")] {
        let Some((_listener, port)) = listen(bind) else { continue };
        let run = scene.run(&["submit", "--listen", &format!("{host}:{port}"), "app.jar"]);
        assert_eq!(run.status.code(), Some(125), "{bind} for {host}\n{run}");
    }
}

#[test]
fn a_listener_on_another_machine_cannot_be_seen_and_is_believed() {
    let scene = Scene::spark("4.3.0");
    scene.run(&["submit", "--listen", "203.0.113.9:5005", "app.jar"]).expect(
        Some(0),
        "sparkdbg: driver dials the debugger at 203.0.113.9:5005 before main (IDE: \"Listen to remote JVM\", \
         port 5005)\n",
    );
}

#[test]
fn waiting_for_a_debugger_that_comes() {
    if !has_socket_table() {
        return;
    }
    let scene = Scene::spark("4.3.0");
    let args = ["-q", "submit", "--listen", "@port", "--wait-for-debugger", "60s", "app.jar"];
    let mut command = scene.command(SPARKDBG, &args);
    let mut child = Reaped(command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap());
    let mut lines = BufReader::new(child.0.stderr.take().unwrap()).lines();
    // Whoever waits wants to know for what.
    let note = scene.fill("note: waiting up to 1m until a debugger listens on 127.0.0.1:@port");
    assert_eq!(lines.next().unwrap().unwrap(), note);
    thread::sleep(Duration::from_millis(200));
    assert!(child.0.try_wait().unwrap().is_none(), "it waits");
    let listener = TcpListener::bind(("127.0.0.1", scene.port())).unwrap();
    listener.set_nonblocking(true).unwrap();
    let start = Instant::now();
    assert!(child.0.wait().unwrap().success());
    assert!(start.elapsed() < Duration::from_secs(20), "it went on at once");
    assert_eq!(listener.accept().unwrap_err().kind(), ErrorKind::WouldBlock, "somebody connected");
}

#[test]
fn waiting_for_a_debugger_that_does_not_come() {
    if !has_socket_table() {
        return;
    }
    let scene = Scene::spark("4.3.0");
    let start = Instant::now();
    let run = scene.run(&["-q", "submit", "--listen", "@port", "--wait-for-debugger", "300ms", "app.jar"]);
    assert!(start.elapsed() >= Duration::from_millis(300));
    run.fails(
        125,
        "note: waiting up to 300ms until a debugger listens on 127.0.0.1:@port\n\
         error: nobody listened on 127.0.0.1:@port within 300ms\n\
         help: start the debugger in its listen mode, then run this again\n",
    );
}

#[test]
fn a_dry_run_does_not_wait() {
    let scene = Scene::spark("4.3.0");
    let start = Instant::now();
    let run = scene.run(&["--dry-run", "submit", "--listen", "@port", "--wait-for-debugger", "1h", "app.jar"]);
    assert_eq!(run.status.code(), Some(0), "{run}");
    assert!(start.elapsed() < Duration::from_secs(60));
    // The launch would wait for the debugger rather than die.
    assert!(!run.stderr.contains("would die"), "{run}");
}

#[test]
fn what_waiting_needs() {
    let scene = Scene::spark("4.3.0").file("work/sparkdbg.toml", "[profile.p]\ndriver = \"attach:@port\"\n");
    let error = "error: `--wait-for-debugger` has no meaning with `attach` (default): there the JVM waits itself\n\
                 help: use `--suspend`, or `--listen [HOST:]PORT`\n";
    scene.run(&["submit", "--wait-for-debugger", "5m", "a"]).fails(2, error);
    let run = scene.run(&["-p", "p", "submit", "--wait-for-debugger", "5m", "a"]);
    assert_eq!(run.status.code(), Some(125), "the profile has its part in it\n{run}");
    for bad in ["5", "off", "", "5 parsecs"] {
        let run = scene.run(&["submit", "--listen", "5005", "--wait-for-debugger", bad, "a"]);
        assert_eq!(run.status.code(), Some(2), "{run}");
        assert!(run.stderr.starts_with(&format!("error: `--wait-for-debugger {bad}`: ")), "{run}");
        assert!(run.stderr.ends_with("help: write a number and its unit: 30s, 5m\n"), "{run}");
    }
}

/// The probe of the port must not keep the JVM from binding it.
#[test]
fn the_port_is_free_again_when_the_script_starts() {
    let scene = Scene::spark("4.3.0").script(
        "spark/bin/spark-submit",
        "#!/bin/sh\nexec \"$PROBE\" --dry-run submit --driver=attach:@port app.jar\n",
    );
    let scene = scene.env("PROBE", SPARKDBG);
    let run = scene.run(&["submit", "--driver=attach:@port", "app.jar"]);
    // The inner one would note that the port is in use.
    run.expect(Some(0), &format!("{HINT}{HINT}"));
}

#[test]
fn every_endpoint_of_this_machine_says_how_to_reach_it() {
    let scene = Scene::spark("4.3.0");
    let attach = "IDE: \"Attach to remote JVM\"";
    scene.run(&["submit", "--attach", "@port", "a"]).expect(Some(0), HINT);
    scene.run(&["submit", "--attach", "localhost:@port", "--no-suspend", "a"]).expect(
        Some(0),
        &format!(
            "sparkdbg: driver listens for a debugger on localhost:@port ({attach}, host localhost, port @port); from \
             another machine: ssh -L @port:localhost:@port @host\n"
        ),
    );
    let (_listener, port) = listen("127.0.0.1:0").unwrap();
    scene.run(&["submit", "--listen", &port.to_string(), "--no-suspend", "a"]).expect(
        Some(0),
        &format!(
            "sparkdbg: driver dials the debugger at 127.0.0.1:{port} (IDE: \"Listen to remote JVM\", port {port}); \
             debugger on another machine, from there: ssh -R {port}:127.0.0.1:{port} @host\n"
        ),
    );
}

#[test]
fn a_debugger_that_cannot_be_seen_is_not_waited_for() {
    let scene = Scene::spark("4.3.0");
    let run = scene.run(&["-q", "submit", "--listen", "203.0.113.9:5005", "--wait-for-debugger", "5m", "app.jar"]);
    let warning =
        "warning: whether a debugger listens on 203.0.113.9:5005 cannot be seen from here: not waiting for it\n";
    run.expect(Some(0), warning);
}
