//! After the start there is only the script: its process, its streams, its signals, its status.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use crate::scene::{DRIVER, HINT, Reaped, SPARKDBG, Scene, not_run, signal};

const RUN: [&str; 4] = ["-q", "submit", DRIVER, "app.jar"];

fn spark_submit(text: &str) -> Scene {
    Scene::spark("4.3.0").script("spark/bin/spark-submit", &format!("#!/bin/sh\n{text}\n"))
}

#[test]
fn the_script_takes_over_the_process() {
    let scene = spark_submit("echo $$; echo $PPID");
    let mut command = scene.command(SPARKDBG, &RUN);
    let mut child = Reaped(command.stdout(Stdio::piped()).spawn().unwrap());
    let mut text = String::new();
    child.0.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, format!("{}\n{}\n", child.0.id(), std::process::id()));
}

#[test]
fn standard_input_and_output_are_the_scripts() {
    let scene = spark_submit("while read line; do echo \"[$line]\"; done; echo wrong >&2");
    let run = scene.run_with_input(&["submit", DRIVER, "app.jar"], "one\ntwo\n");
    run.expect(Some(0), &format!("{HINT}wrong\n")).prints("[one]\n[two]\n");
}

#[test]
fn the_status_is_the_scripts() {
    for status in [0, 1, 2, 42, 125, 126, 127, 255] {
        let scene = Scene::spark("4.3.0").env("FAKE_STATUS", status.to_string());
        scene.run(&RUN).expect(Some(status), "");
        let off = scene.env("SPARKDBG", "off");
        off.run(&RUN).expect(Some(status), "");
    }
}

#[test]
fn a_death_by_signal_is_the_same_as_without_us() {
    for (name, number) in [("KILL", 9), ("TERM", 15), ("ABRT", 6), ("PIPE", 13)] {
        // A core file would lie around.
        let scene = spark_submit(&format!("ulimit -c 0; kill -{name} $$"));
        let run = scene.run(&RUN);
        let direct = scene.run_program(scene.path("spark/bin/spark-submit"), &["app.jar"]);
        assert_eq!(signal(run.status), Some(number), "{run}");
        assert_eq!(run.status, direct.status, "{run}");
    }
}

#[test]
fn a_signal_reaches_the_script() {
    let scene = spark_submit("trap 'echo got it; exit 7' TERM\necho ready\nwhile :; do sleep 0.05; done");
    let mut child = Reaped(scene.command(SPARKDBG, &RUN).stdout(Stdio::piped()).spawn().unwrap());
    let mut lines = BufReader::new(child.0.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "ready");
    kill_process(Pid::from_child(&child.0), Signal::TERM).unwrap();
    assert_eq!(lines.next().unwrap().unwrap(), "got it");
    assert_eq!(child.0.wait().unwrap().code(), Some(7));
}

#[test]
fn signals_that_were_ignored_or_not_stay_so() {
    // Rust ignores SIGPIPE for itself; a script that inherited that would not die of a closed pipe.
    let scene = spark_submit("exec sed -n '/^SigIgn:/p; /^SigBlk:/p' /proc/self/status");
    if !std::path::Path::new("/proc/self/status").exists() {
        not_run("what needs /proc");
        return;
    }
    let direct = scene.run_program(scene.path("spark/bin/spark-submit"), &["app.jar"]);
    let run = scene.run(&RUN);
    assert_eq!(String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&direct.stdout), "{run}");
}

#[test]
fn no_file_is_left_open_for_the_script() {
    let scene = spark_submit("ls /proc/self/fd | wc -l");
    if !std::path::Path::new("/proc/self/fd").exists() {
        not_run("what needs /proc");
        return;
    }
    let direct = scene.run_program(scene.path("spark/bin/spark-submit"), &["app.jar"]);
    let run = scene.run(&RUN);
    assert_eq!(run.stdout, direct.stdout, "{run}");
}

#[test]
fn a_closed_standard_error_is_no_reason_to_fail() {
    let scene = Scene::spark("4.3.0");
    let args = ["-c", "\"$0\" submit --driver=attach:@port app.jar 2>&-", SPARKDBG];
    scene.run_program("/bin/sh", &args).expect(Some(0), "");
}

#[test]
fn nothing_is_written_where_nothing_must_be() {
    let scene = Scene::spark("4.3.0");
    scene.run(&["submit", DRIVER, "app.jar"]);
    assert!(!scene.path("cache").exists() && !scene.path("config").exists());
    assert_eq!(std::fs::read_dir(scene.path("work")).unwrap().count(), 0);
}

#[test]
fn a_nested_job_finds_the_real_spark_too() {
    // An application that starts another through sparkdbg on PATH: legal, no recursion.
    let scene = Scene::spark("4.3.0")
        .script(
            "spark/bin/spark-shell",
            "#!/bin/sh\nexec \"$SPARKDBG_OF_TEST\" -q submit --driver=attach:@other inner.jar\n",
        )
        .env("SPARKDBG_OF_TEST", SPARKDBG);
    let run = scene.run(&["-q", "shell", DRIVER]);
    run.expect(Some(0), "");
    let child = run.child();
    assert_eq!(child.script, scene.path("spark/bin/spark-submit"), "{run}");
    assert_eq!(child.args.last().unwrap(), "inner.jar");
}

#[test]
fn input_that_nobody_reads() {
    let scene = spark_submit("exec <&-; exit 3");
    let mut command = scene.command(SPARKDBG, &RUN);
    let mut child = Reaped(command.stdin(Stdio::piped()).spawn().unwrap());
    let mut stdin = child.0.stdin.take().unwrap();
    assert_eq!(child.0.wait().unwrap().code(), Some(3));
    assert!(stdin.write_all(b"x").is_err(), "the pipe has no reader left");
}

/// Whoever read standard error had enough; the job is none of their business.
#[test]
fn a_reader_of_standard_error_that_goes_away() {
    let scene = Scene::spark("4.3.0");
    for (args, status) in [
        (["submit", DRIVER, "app.jar"].as_slice(), 0),
        (&["-v", "submit", DRIVER, "app.jar"], 0),
        (&["submit", "--driver=x", "app.jar"], 2),
        (&["submit", "--attach"], 2),
        (&["-p", "no", "submit", "app.jar"], 125),
    ] {
        // `sleep` first, so that the pipe is closed before anything is written.
        let script = "{ sleep 0.2; \"$0\" \"$@\" > /dev/null; echo $? > @root/status; } 2>&1 | :";
        let run = scene.run_program("/bin/sh", &[&["-c", script, SPARKDBG], args].concat());
        // The shell waits for the last command of a pipeline only.
        let done = (0..200).find_map(|_| {
            std::thread::sleep(std::time::Duration::from_millis(20));
            std::fs::read_to_string(scene.path("status")).ok().filter(|text| text.ends_with('\n'))
        });
        assert_eq!(done, Some(format!("{status}\n")), "{run}");
        std::fs::remove_file(scene.path("status")).unwrap();
    }
}

#[test]
fn nothing_but_the_home_is_needed() {
    let scene = ["HOME", "PATH", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "LC_ALL", "JAVA_HOME"]
        .into_iter()
        .fold(Scene::spark("4.3.0"), Scene::unset)
        .script("spark/bin/spark-submit", "#!/bin/sh\necho \"$#\"\n");
    scene.run(&["submit", DRIVER, "app.jar"]).expect(Some(0), HINT).prints("3\n");
}
