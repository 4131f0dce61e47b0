//! Who dials whom, where: every spelling, its defaults, and who may attach.

use serde_json::{Value, json};

use crate::scene::{DRIVER, INJECTED, NO_PAUSE, Scene};

/// The agent that `--driver=…` or other options put in front, in a dry run.
fn agent(scene: &Scene, options: &[&str]) -> String {
    let plan = scene.json(&["submit"].iter().chain(options).chain(&["--", "app.jar"]).copied().collect::<Vec<_>>());
    assert_eq!(plan["args"][0], "--conf");
    let word = plan["args"][1].as_str().unwrap();
    word.strip_prefix("spark.driver.defaultJavaOptions=-agentlib:jdwp=transport=dt_socket,").unwrap().to_owned()
}

#[test]
fn every_form_of_an_endpoint() {
    let scene = Scene::spark("4.3.0");
    for (option, expected) in [
        ("--driver", "server=y,suspend=y,address=127.0.0.1:5005"),
        ("--driver=attach", "server=y,suspend=y,address=127.0.0.1:5005"),
        ("--driver=attach,nosuspend", "server=y,suspend=n,address=127.0.0.1:5005"),
        ("--driver=attach:@port", "server=y,suspend=y,address=127.0.0.1:@port"),
        ("--driver=attach:@port,suspend", "server=y,suspend=y,address=127.0.0.1:@port"),
        ("--driver=attach:@port,nosuspend", "server=y,suspend=n,address=127.0.0.1:@port"),
        ("--driver=attach:0.0.0.0:@port", "server=y,suspend=y,address=0.0.0.0:@port"),
        ("--driver=attach:localhost:@port", "server=y,suspend=y,address=localhost:@port"),
        ("--driver=attach:[::1]:@port", "server=y,suspend=y,address=[::1]:@port"),
        ("--driver=attach:[::]:@port,nosuspend", "server=y,suspend=n,address=[::]:@port"),
        ("--driver=listen:5005", "server=n,suspend=y,address=127.0.0.1:5005"),
        ("--driver=listen:5005,nosuspend", "server=n,suspend=n,address=127.0.0.1:5005"),
        ("--driver=listen:10.0.0.171:5005", "server=n,suspend=y,address=10.0.0.171:5005"),
        ("--driver=listen:[fe80::1]:65535", "server=n,suspend=y,address=[fe80::1]:65535"),
        ("--driver=listen:localhost:1,suspend", "server=n,suspend=y,address=localhost:1"),
    ] {
        assert_eq!(agent(&scene, &[option]), scene.fill(expected), "{option}");
    }
}

#[test]
fn the_driver_is_what_is_debugged_when_nobody_names_a_role() {
    let scene = Scene::spark("4.3.0");
    let plan = scene.json(&["submit", "app.jar"]);
    let endpoint = json!([{"role": "driver", "mode": "attach", "host": "127.0.0.1", "port": 5005, "suspend": true}]);
    assert_eq!(plan["endpoints"], endpoint);
    assert_eq!(agent(&scene, &[]), "server=y,suspend=y,address=127.0.0.1:5005");
}

#[test]
fn the_endpoint_of_the_only_role_can_be_given_in_short() {
    let scene = Scene::spark("4.3.0");
    for (options, expected) in [
        (["--attach", "@port"].as_slice(), "server=y,suspend=y,address=127.0.0.1:@port"),
        (&["--attach=0.0.0.0:@port"], "server=y,suspend=y,address=0.0.0.0:@port"),
        (&["--attach", "[::1]:@port", "--no-suspend"], "server=y,suspend=n,address=[::1]:@port"),
        (&["--driver", "--attach", "@port"], "server=y,suspend=y,address=127.0.0.1:@port"),
        (&["--listen", "5005"], "server=n,suspend=y,address=127.0.0.1:5005"),
        (&["--listen", "10.0.0.171:5005", "--no-suspend"], "server=n,suspend=n,address=10.0.0.171:5005"),
        (&["--suspend"], "server=y,suspend=y,address=127.0.0.1:5005"),
        (&["--no-suspend"], "server=y,suspend=n,address=127.0.0.1:5005"),
    ] {
        assert_eq!(agent(&scene, options), scene.fill(expected), "{options:?}");
    }
}

#[test]
fn bad_endpoints_are_refused() {
    let scene = Scene::spark("4.3.0");
    for (endpoint, error) in [
        ("", "`` is not an endpoint: attach[:[HOST:]PORT] or listen:[HOST:]PORT"),
        ("x", "`x` is not an endpoint: attach[:[HOST:]PORT] or listen:[HOST:]PORT"),
        ("atach:5005", "`atach:5005` is not an endpoint: attach[:[HOST:]PORT] or listen:[HOST:]PORT"),
        ("Attach:5005", "`Attach:5005` is not an endpoint: attach[:[HOST:]PORT] or listen:[HOST:]PORT"),
        ("5005", "`5005` does not say who dials: write attach:5005 or listen:5005"),
        ("10.0.0.1:5005", "`10.0.0.1:5005` does not say who dials: write attach:10.0.0.1:5005 or listen:10.0.0.1:5005"),
        ("attach:", "`` is not a port: a number from 0 to 65535"),
        ("attach:65536", "`65536` is not a port: a number from 0 to 65535"),
        ("attach:-1", "`-1` is not a port: a number from 0 to 65535"),
        ("attach:+1", "`+1` is not a port: a number from 0 to 65535"),
        ("attach:abc", "`abc` is not a port: a number from 0 to 65535"),
        ("attach:5005-5010", "`5005-5010` is not a port: a number from 0 to 65535"),
        ("attach:host:", "`` is not a port: a number from 0 to 65535"),
        ("attach:5005,foo", "`foo` after the comma is neither `suspend` nor `nosuspend`"),
        ("attach:5005,", "`` after the comma is neither `suspend` nor `nosuspend`"),
        ("attach:5005,suspend,quiet=y", "`suspend,quiet=y` after the comma is neither `suspend` nor `nosuspend`"),
        ("listen", "`listen` needs the port of the debugger that listens: listen:[HOST:]PORT"),
        ("listen:0", "port 0 cannot be dialled; with `listen` give a port from 1 to 65535"),
        ("listen:10.0.0.1:0", "port 0 cannot be dialled; with `listen` give a port from 1 to 65535"),
        ("attach:*:5005", "`*` is not understood by Java 8; write 0.0.0.0 for all interfaces"),
        ("attach:::1:5005", "`::1:5005` is ambiguous: write an IPv6 address in brackets, [ADDRESS]:PORT"),
        ("attach:[::1", "`[::1` opens a bracket that it does not close"),
        ("attach:[::1:5005", "`[::1:5005` opens a bracket that it does not close"),
        ("attach:[::x]:5005", "`[::x]` is not an IPv6 address"),
        ("attach:300.1.1.1:5005", "`300.1.1.1` is not a host name or an IPv4 address"),
        ("attach:a b:5005", "`a b` is not a host name or an address"),
        ("attach:a,b:5005", "`b:5005` after the comma is neither `suspend` nor `nosuspend`"),
    ] {
        let run = scene.run(&["submit", &format!("--driver={endpoint}"), "app.jar"]);
        run.fails(2, &format!("error: `--driver`: {error}\n"));
    }
    for (options, error) in [
        (["--attach", "abc"], "`--attach`: `abc` is not a port: a number from 0 to 65535"),
        (["--attach", "[::1]"], "`--attach`: `[::1]` has no port: [HOST:]PORT"),
        (["--listen", "0"], "`--listen 0`: port 0 cannot be dialled; with `listen` give a port from 1 to 65535"),
    ] {
        let run = scene.run(&["submit", options[0], options[1], "app.jar"]);
        run.fails(2, &format!("error: {error}\n"));
    }
    scene.run(&["submit", "--listen", "attach:5005", "app.jar"]).fails(
        2,
        "error: `--listen` takes [HOST:]PORT, not the endpoint `attach:5005`\nhelp: write `--driver=attach:5005`\n",
    );
    for wildcard in ["0.0.0.0", "[::]"] {
        let error = format!(
            "error: `{wildcard}` (--listen) is no address that a JVM can dial\n\
             help: with `listen`, the host is the machine on which the debugger listens\n"
        );
        scene.run(&["submit", "--listen", &format!("{wildcard}:5005"), "app.jar"]).fails(2, &error);
    }
}

#[test]
fn short_forms_beside_a_full_endpoint_are_refused() {
    let scene = Scene::spark("4.3.0");
    for options in [["--attach", "5005"].as_slice(), &["--listen", "5005"], &["--suspend"], &["--no-suspend"]] {
        let args = [&["submit", "--driver=attach:5005"], options, &["--", "app.jar"]].concat();
        let error = format!(
            "error: `{}` stands beside `--driver=…`, which says the same thing\n\
             help: write one of them; for example --driver=attach:5005,nosuspend\n",
            options[0]
        );
        scene.run(&args).fails(2, &error);
        let args = [&["submit", "--driver", "--executor"], options, &["--", "app.jar"]].concat();
        let endpoint = match options {
            ["--suspend"] => "attach,suspend",
            ["--no-suspend"] => "attach,nosuspend",
            ["--listen", _] => "listen:5005",
            _ => "attach:5005",
        };
        let error = format!(
            "error: `{}` does not say which role it is for: driver and executor\n\
             help: name the role: --driver={endpoint}\n",
            options[0]
        );
        scene.run(&args).fails(2, &error);
    }
}

#[test]
fn naming_a_role_replaces_the_set_of_the_profile() {
    let profile = "[profile.p]\ndriver = \"attach:@port,nosuspend\"\nexecutor = \"attach:0\"\n";
    let scene = Scene::spark("4.3.0").file("work/sparkdbg.toml", profile);
    // `--driver` without an endpoint takes the profile's; the executor is out of play.
    assert_eq!(agent(&scene, &["-p", "p", "--driver"]), scene.fill("server=y,suspend=n,address=127.0.0.1:@port"));
    assert_eq!(
        agent(&scene, &["-p", "p", "--driver", "--attach", "@other"]),
        // An endpoint is replaced whole: the default of the role counts, not the profile's `nosuspend`.
        scene.fill("server=y,suspend=y,address=127.0.0.1:@other")
    );
    assert_eq!(
        agent(&scene, &["-p", "p", "--driver", "--suspend"]),
        scene.fill("server=y,suspend=y,address=127.0.0.1:@port")
    );
    let plan = scene.json(&["-p", "p", "submit", "--executor", "app.jar"]);
    let executor = json!([{"role": "executor", "mode": "attach", "host": "127.0.0.1", "port": 0, "suspend": false}]);
    assert_eq!(plan["endpoints"], executor);
    let plan = scene.json(&["-p", "p", "submit", "app.jar"]);
    let roles: Vec<&Value> = plan["endpoints"].as_array().unwrap().iter().map(|endpoint| &endpoint["role"]).collect();
    assert_eq!(roles, ["driver", "executor"]);
}

#[test]
fn port_0_becomes_a_free_port_of_this_machine() {
    let scene = Scene::spark("4.3.0");
    for host in ["127.0.0.1", "0.0.0.0", "localhost"] {
        let plan = scene.json(&["submit", &format!("--driver=attach:{host}:0"), "app.jar"]);
        let port = plan["endpoints"][0]["port"].as_u64().unwrap();
        assert!(port > 1023, "{plan}");
        let word = format!(
            "spark.driver.defaultJavaOptions=-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address={host}:{port}"
        );
        assert_eq!(plan["args"][1], word);
    }
}

#[test]
fn port_0_stays_where_the_driver_starts_elsewhere() {
    let scene = Scene::spark("4.3.0");
    let words = ["--", "--master", "yarn", "--deploy-mode", "cluster", "a.jar"];
    let run = scene.run(&[["submit", "--driver=attach:0", NO_PAUSE].as_slice(), &words].concat());
    let word =
        "spark.driver.defaultJavaOptions=-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:0";
    run.starts("spark/bin/spark-submit", &["--conf", word, "--master", "yarn", "--deploy-mode", "cluster", "a.jar"]);
}

#[test]
fn an_address_that_others_reach_gets_a_warning() {
    let scene = Scene::spark("4.3.0");
    scene.run(&["submit", "--attach", "0.0.0.0:@port", "a.jar"]).expect(
        Some(0),
        "warning: whoever reaches port @port of `0.0.0.0` can run any code in the driver\n\
         sparkdbg: driver waits for the debugger on 0.0.0.0:@port (IDE: \"Attach to remote JVM\", host @host, port \
         @port)\n",
    );
    scene
        .run(&["-q", "submit", "--attach", "[::]:@port", "a.jar"])
        .expect(Some(0), "warning: whoever reaches port @port of `[::]` can run any code in the driver\n");
    let allowed = ["--allow", "10.0.0.0/8", "--allow", "192.168.1.7"];
    let args = [&["-q", "submit", "--attach", "0.0.0.0:@port"], allowed.as_slice(), &["a.jar"]].concat();
    scene.run(&args).expect(
        Some(0),
        "warning: whoever reaches port @port of `0.0.0.0` from 10.0.0.0/8, 192.168.1.7 can run any code in the \
         driver\n",
    );
    // One that only this machine reaches gets none.
    for host in ["127.0.0.1", "127.0.0.2", "localhost", "[::1]"] {
        scene.run(&["-q", "submit", "--attach", &format!("{host}:@port"), "a.jar"]).expect(Some(0), "");
    }
}

#[test]
fn allow_names_who_may_attach() {
    let scene = Scene::spark("4.3.0");
    let one = scene.run(&["-q", "submit", DRIVER, "--allow", "10.0.0.7", "a.jar"]);
    let word = format!("{},allow=10.0.0.7", INJECTED[1]);
    one.expect(Some(0), "").starts("spark/bin/spark-submit", &["--conf", &word, "a.jar"]);
    let more = scene.run(&["-q", "submit", DRIVER, "--allow=10.0.0.0/8", "--allow", "fd00::/8", "a.jar"]);
    let word = format!("{},allow=10.0.0.0/8+fd00::/8", INJECTED[1]);
    more.expect(Some(0), "").starts("spark/bin/spark-submit", &["--conf", &word, "a.jar"]);
    for bad in ["localhost", "10.0.0.0/33", "*", "10.0.0.1-9", "10.0.0.1,10.0.0.2", ""] {
        let error = format!(
            "error: `--allow {bad}`: not an IP address or network\n\
             help: the agent takes numbers only: 10.0.0.7 or 10.0.0.0/8\n"
        );
        scene.run(&["submit", DRIVER, "--allow", bad, "--", "a.jar"]).fails(2, &error);
    }
    let many: Vec<String> = (0..33).map(|n| format!("--allow=10.0.0.{n}")).collect();
    let args: Vec<&str> = ["submit", DRIVER].into_iter().chain(many.iter().map(String::as_str)).chain(["a"]).collect();
    scene.run(&args).fails(2, "error: 33 values for `--allow`: the agent takes 32\n");
}

#[test]
fn allow_has_no_meaning_with_listen() {
    let scene = Scene::spark("4.3.0").file("work/sparkdbg.toml", "[profile.p]\ndriver = \"listen:10.0.0.9:5005\"\n");
    let error = "error: `allow` (--allow) has no meaning with `listen` (--listen): the JVM dials out, nobody attaches \
                 to it\nhelp: leave out `allow`, or use `attach`\n";
    scene.run(&["submit", "--listen", "5005", "--allow", "10.0.0.7", "a.jar"]).fails(2, error);
    // There a file has its part in it.
    let run = scene.run(&["-p", "p", "submit", "--allow", "10.0.0.7", "a.jar"]);
    assert_eq!(run.status.code(), Some(125), "{run}");
}

#[test]
fn allow_needs_java_10() {
    let java_8 = Scene::spark("4.3.0").file("java/release", "JAVA_VERSION=\"1.8.0_402\"\n");
    let run = java_8.run(&["submit", DRIVER, "--allow", "10.0.0.7", "a.jar"]);
    run.fails(
        125,
        "error: the driver runs on Java 8, whose debug agent does not know `allow` (--allow)\n\
         help: it came with Java 10; leave it out, or set JAVA_HOME to a newer one\n",
    );
    let unknown = Scene::spark("4.3.0").without("java/release");
    let run = unknown.run(&["-q", "submit", DRIVER, "--allow", "10.0.0.7", "a.jar"]);
    let word = format!("{},allow=10.0.0.7", INJECTED[1]);
    run.starts("spark/bin/spark-submit", &["--conf", &word, "a.jar"]).expect(
        Some(0),
        "warning: the driver's Java is not known; before 10 its debug agent does not know `allow`, and the JVM ends at \
         its start\n",
    );
    // On the cluster another Java runs it.
    let run = java_8.run(&[
        "submit",
        DRIVER,
        NO_PAUSE,
        "--allow",
        "10.0.0.7",
        "--",
        "--master=yarn",
        "--deploy-mode=cluster",
        "a",
    ]);
    assert_eq!(run.status.code(), Some(0), "{run}");
    assert!(run.stderr.starts_with("warning: the driver's Java is not known;"), "{run}");
}

#[test]
fn ipv6_needs_java_13() {
    let scene = Scene::spark("4.3.0").file("java/release", "JAVA_VERSION=\"11.0.2\"\n");
    let run = scene.run(&["submit", "--attach", "[::1]:@port", "a.jar"]);
    run.fails(
        125,
        "error: the driver runs on Java 11, whose debug agent does not know an IPv6 address (--attach)\n\
         help: it came with Java 13; leave it out, or set JAVA_HOME to a newer one\n",
    );
}

#[test]
fn java_runs_only_where_no_file_tells_its_version() {
    let java = "#!/bin/sh\ntouch @root/started\necho 'Picked up JAVA_TOOL_OPTIONS: -Dx' >&2\n\
                echo 'openjdk version \"1.8.0_402\"' >&2\n";
    let scene = Scene::spark("4.3.0").script("java/bin/java", java);
    scene.run(&["-q", "submit", DRIVER, "--allow", "10.0.0.7", "a.jar"]).expect(Some(0), "");
    assert!(!scene.path("started").exists(), "the release file says it");
    let scene = scene.without("java/release");
    scene.run(&["-q", "submit", DRIVER, "a.jar"]).expect(Some(0), "");
    assert!(!scene.path("started").exists(), "nothing depends on it");
    let run = scene.run(&["-q", "submit", DRIVER, "--allow", "10.0.0.7", "a.jar"]);
    assert_eq!(run.status.code(), Some(125), "{run}");
    assert!(scene.path("started").exists());
}

#[test]
fn the_java_that_sparks_scripts_would_take() {
    let java_8 = "JAVA_VERSION=\"1.8.0_402\"\n";
    let refused = "error: the driver runs on Java 8, whose debug agent does not know `allow` (--allow)\n\
                   help: it came with Java 10; leave it out, or set JAVA_HOME to a newer one\n";
    let run = ["submit", DRIVER, "--allow", "10.0.0.7", "a.jar"];
    // Through links, as Debian's alternatives have them; a JDK 8 may have its java in jre/bin.
    let path = Scene::spark("4.3.0")
        .file("jdk/release", java_8)
        .script("jdk/jre/bin/java", "#!/bin/sh\nexit 1\n")
        .link("etc/java", "jdk/jre/bin/java")
        .link("bin/java", "etc/java")
        .env("PATH", "@root/bin:/usr/bin:/bin")
        .unset("JAVA_HOME");
    path.run(&run).fails(125, refused);
    path.env("JAVA_HOME", "").run(&run).fails(125, refused);
    // JAVA_HOME wins over PATH.
    let both = Scene::spark("4.3.0")
        .file("jdk/release", java_8)
        .script("jdk/bin/java", "#!/bin/sh\nexit 1\n")
        .env("PATH", "@root/jdk/bin:/usr/bin:/bin");
    assert_eq!(both.run(&run).status.code(), Some(0));
}

/// An agent in the environment would make the very JVM that is asked for its version wait.
#[test]
fn java_is_asked_for_its_version_without_the_users_agents() {
    let java = "#!/bin/sh\n[ -z \"$JAVA_TOOL_OPTIONS$JDK_JAVA_OPTIONS$_JAVA_OPTIONS$_JAVA_JDWP_OPTIONS\" ] || sleep 20\n\
                echo 'Picked up X' >&2\necho 'openjdk version \"1.8.0_402\"' >&2\n";
    let scene = Scene::spark("4.3.0")
        .without("java/release")
        .script("java/bin/java", java)
        .env("JAVA_TOOL_OPTIONS", "-agentlib:jdwp=transport=dt_socket,server=y,address=1")
        .env("JDK_JAVA_OPTIONS", "-Da=1");
    let start = std::time::Instant::now();
    let run = scene.run(&["submit", "--attach", "@port", "--allow", "10.0.0.1", "app.jar"]);
    assert_eq!(run.status.code(), Some(125), "{run}");
    assert!(run.stderr.contains("runs on Java 8, whose debug agent does not know `allow` (--allow)"), "{run}");
    assert!(start.elapsed() < std::time::Duration::from_secs(10), "{:?}", start.elapsed());
}
