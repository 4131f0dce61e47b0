//! What `env` prints, read back by the shells that it is for.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt as _;

use crate::scene::{DRIVER, Scene, not_run};

/// Characters that mean something to a shell, to fish, or to a terminal.
const AWKWARD: &str = "--name 'it'\\''s \\\\ {a,b} ~ ! $HOME `id` \"x\" \t\u{1b}[31m é\u{9b} #%\n(end)' pyspark-shell";

fn shells() -> Vec<(&'static str, &'static str)> {
    let known = [("bash", "sh"), ("dash", "sh"), ("zsh", "sh"), ("busybox", "sh"), ("fish", "fish")];
    let is_there = |name: &str| ["/usr/bin", "/bin"].iter().any(|dir| std::path::Path::new(dir).join(name).exists());
    for (name, _) in known.iter().filter(|(name, _)| !is_there(name)) {
        not_run(&format!("{name} is not on this machine: what env prints was not read by it"));
    }
    known.into_iter().filter(|(name, _)| is_there(name)).collect()
}

/// The variables of a program that is started after the shell took what is printed.
fn set_by<'a>(scene: &'a Scene, shell: &str, format: &str, options: &str) -> crate::scene::Outcome<'a> {
    let env = format!("{} -q env --format {format} {options}", crate::scene::SPARKDBG);
    let script = match shell {
        "fish" => format!("{env} | source; exec @root/bin/show x"),
        _ => format!("eval \"$({env})\"; exec @root/bin/show x"),
    };
    match shell {
        "busybox" => scene.run_program(shell, &["sh", "-c", &script]),
        _ => scene.run_program(shell, &["-c", &script]),
    }
}

#[test]
fn every_value_comes_through() {
    let invalid = OsString::from_vec(b"--name 'a\xff\x9bz' pyspark-shell".to_vec());
    for value in [OsString::from(AWKWARD), invalid] {
        let scene = Scene::spark("4.3.0").stand_in("bin/python").stand_in("bin/show");
        let scene = scene.env("PATH", "@root/bin:/usr/bin:/bin").env("PYSPARK_SUBMIT_ARGS", &value);
        let expected = scene.run(&["-q", "python", DRIVER, "--", "app.py"]);
        let expected = expected.child().env[OsStr::new("PYSPARK_SUBMIT_ARGS")].clone();
        for (shell, format) in shells() {
            let run = set_by(&scene, shell, format, &format!("--for pyspark {DRIVER}"));
            assert_eq!(run.child().env[OsStr::new("PYSPARK_SUBMIT_ARGS")], expected, "{shell}\n{run}");
        }
    }
}

/// `_JAVA_JDWP_OPTIONS` would change our agent, and goes.
#[test]
fn a_variable_is_removed() {
    let scene = Scene::spark("4.3.0").stand_in("bin/show").env("_JAVA_JDWP_OPTIONS", "suspend=n");
    for (shell, format) in shells() {
        let run = set_by(&scene, shell, format, &format!("--for spark-submit {DRIVER}"));
        assert_eq!(run.child().env.get(OsStr::new("_JAVA_JDWP_OPTIONS")), None, "{shell}\n{run}");
        assert!(run.child().env.contains_key(OsStr::new("SPARK_SUBMIT_OPTS")), "{shell}\n{run}");
    }
}

/// What stands behind `&&` does not run, and a script with `set -e` ends.
#[test]
fn a_failure_stops_what_comes_after() {
    let scene = Scene::spark("4.3.0");
    for (shell, format) in shells() {
        let env = format!("{} -p nope env --for pyspark --format {format}", crate::scene::SPARKDBG);
        let scripts = match shell {
            "fish" => vec![format!("{env} | source; and echo RUNS"), format!("{env} | source; or exit 1; echo RUNS")],
            _ => vec![format!("eval \"$({env})\" && echo RUNS"), format!("set -e; eval \"$({env})\"; echo RUNS")],
        };
        for script in scripts {
            let applet: &[&str] = if shell == "busybox" { &["sh"] } else { &[] };
            let run = scene.run_program(shell, &[applet, &["-c", &script]].concat());
            assert_eq!(run.status.code(), Some(1), "{shell}: {script}\n{run}");
            assert_eq!(String::from_utf8_lossy(&run.stdout), "", "{shell}: {script}\n{run}");
            assert!(run.stderr.starts_with("error: "), "{shell}: {script}\n{run}");
        }
    }
}

/// Nothing that a terminal would obey.
#[test]
fn no_control_character_is_printed() {
    let scene = Scene::spark("4.3.0").stand_in("bin/python").env("PATH", "@root/bin:/usr/bin:/bin");
    let scene = scene.env("PYSPARK_SUBMIT_ARGS", AWKWARD);
    for format in ["sh", "fish", "json"] {
        let run = scene.run(&["-q", "env", "--for=pyspark", DRIVER, "--format", format]);
        let text = String::from_utf8(run.stdout.clone()).unwrap();
        // JSON leaves the characters of C1 as they are.
        let is_control = |c: char| c.is_control() && c != '\n' && !(format == "json" && c == '\u{9b}');
        assert!(!text.contains(is_control), "{run}");
    }
}
