use super::*;
use crate::spark::main_class::{KUBERNETES_EXECUTOR, LAUNCHER, STANDALONE_EXECUTOR, WORKER, YARN_EXECUTOR};

fn real(entries: &[&str], bin: &[&str]) -> JavaHome {
    let names = |names: &[&str]| names.iter().map(OsString::from).collect();
    JavaHome { path: "/opt/java".into(), entries: names(entries), bin: names(bin) }
}

#[test]
fn everything_but_java_leads_to_the_real_one() {
    let shim = shim(Path::new("/cache"), &real(&["bin", "lib", "release"], &["jar", "java"]));
    let shown: Vec<String> = shim
        .files
        .iter()
        .map(|file| {
            let path = file.path.strip_prefix(&shim.home).unwrap().display();
            match &file.content {
                Content::Link(target) => format!("{path} -> {}", target.display()),
                Content::Script(text) => format!("{path}: {}", text.lines().next().unwrap()),
                Content::Text(_) => format!("{path}: a text"),
            }
        })
        .collect();
    assert_eq!(
        shown,
        [
            "bin/java: #!/bin/bash -p",
            "sparkdbg-real -> /opt/java",
            "lib -> /opt/java/lib",
            "release -> /opt/java/release",
            "bin/jar -> /opt/java/bin/jar",
        ]
    );
    assert_eq!(shim.home.parent(), Some(Path::new("/cache")));
}

#[test]
fn the_name_is_made_from_what_it_holds() {
    let name = |home: &JavaHome| shim(Path::new("/cache"), home).home;
    let one = real(&["bin", "lib"], &["jar", "java"]);
    assert_eq!(name(&one), name(&one.clone()));
    let others = [
        JavaHome { path: "/opt/java2".into(), ..one.clone() },
        real(&["bin", "lib", "jar"], &["java"]),
        real(&["bin"], &["lib", "jar", "java"]),
        real(&["bin", "li", "b"], &["jar", "java"]),
    ];
    for other in others {
        assert_ne!(name(&one), name(&other), "{other:?}");
    }
}

#[test]
fn variables_hold_what_is_wanted_and_no_more() {
    let agent = Agent::parse("-agentlib:jdwp=transport=dt_socket,server=n").unwrap();
    let home = real(&["bin"], &["java"]);
    let shown = |parameters: Parameters<'_>| {
        let variables = parameters.variables(&home);
        variables.into_iter().map(|(name, value)| format!("{name}={}", value.display())).collect::<Vec<_>>()
    };
    let least = Parameters { agent: &agent, replace: false, app: None, lock: None, debugger: &[] };
    assert_eq!(
        shown(least),
        [
            "SPARKDBG_AGENT=-agentlib:jdwp=transport=dt_socket,server=n",
            "SPARKDBG_EXISTING=keep",
            "SPARKDBG_JAVA=/opt/java/bin/java",
        ]
    );
    let debugger = ["[::1]:5005".parse().unwrap()];
    let lock = Path::new("/run/lock");
    let most = Parameters { agent: &agent, replace: true, app: Some("app-1"), lock: Some(lock), debugger: &debugger };
    let shown = shown(most);
    assert!(shown.contains(&"SPARKDBG_EXISTING=replace".to_owned()), "{shown:?}");
    assert!(shown.contains(&"SPARKDBG_APP=app-1".to_owned()), "{shown:?}");
    assert!(shown.contains(&"SPARKDBG_LOCK=/run/lock".to_owned()), "{shown:?}");
    assert!(shown.iter().any(|entry| entry.starts_with("SPARKDBG_LISTENER=")), "{shown:?}");
}

#[test]
fn a_lock_is_for_one_machine_and_one_debugger() {
    let endpoint =
        |text: &str| text.parse::<crate::endpoint::EndpointSpec>().unwrap().resolve(crate::endpoint::Role::Executor);
    let name = |text| lock(Path::new("/cache"), "node1", &endpoint(text));
    assert_eq!(name("listen:10.0.0.171:5005"), Path::new("/cache/node1-dials-10.0.0.171-5005.lock"));
    assert_eq!(name("listen:[::1]:5005"), Path::new("/cache/node1-dials-::1-5005.lock"));
}

#[test]
#[cfg(target_endian = "little")]
fn sockets_are_written_as_the_kernel_writes_them() {
    assert_eq!(
        socket_table_entries(&["127.0.0.1:5005".parse().unwrap()]),
        "0100007F:138D 00000000000000000000000000000000:138D 00000000:138D \
         0000000000000000FFFF00000100007F:138D 0000000000000000FFFF000000000000:138D"
    );
    assert_eq!(
        socket_table_entries(&["[::1]:80".parse().unwrap()]),
        "00000000000000000000000001000000:0050 00000000000000000000000000000000:0050"
    );
}

/// The script cannot take the names from the one file that has them.
#[test]
fn the_script_knows_every_main_class_that_it_must() {
    for class in [STANDALONE_EXECUTOR, YARN_EXECUTOR, KUBERNETES_EXECUTOR, LAUNCHER, WORKER] {
        assert!(SCRIPT.contains(class), "{class}");
    }
}
