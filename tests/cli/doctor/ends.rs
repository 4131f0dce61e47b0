//! What is wrong by itself, and the help.

use super::well;

#[test]
fn what_is_no_command_line() {
    let scene = well();
    for (args, error) in [
        (
            vec!["--dry-run", "doctor", "--", "app.jar"],
            "error: `--dry-run` has no meaning with `doctor`, which starts nothing\n",
        ),
        (
            vec!["doctor", "--for", "flink", "--check", "--", "run", "app.jar"],
            "error: `--check` has no meaning with `--for flink`: no part of Flink prints a command without starting it\n\
             help: leave it out; to see what its scripts would be given: sparkdbg flink --dry-run …\n",
        ),
        (
            vec!["doctor", "--attach", "x:y", "--", "app.jar"],
            "error: `--attach`: `y` is not a port: a number from 0 to 65535\n",
        ),
        (
            vec!["doctor", "--class", "a.B", "app.jar"],
            "error: `--class` is not an option of `sparkdbg doctor`\nhelp: Spark's own options go after `--`: sparkdbg \
             doctor [OPTIONS] -- --class …\n",
        ),
    ] {
        scene.run(&args).fails(2, error);
    }
    let run = scene.run(&["doctor", "--for", "ps", "--", "app.jar"]);
    assert_eq!(run.status.code(), Some(2), "{run}");
    assert!(run.stderr.starts_with("error: invalid value `ps` for `--for <COMMAND>`"), "{run}");
}

#[test]
fn help_shows_how_it_is_called() {
    let run = well().run(&["doctor", "--help"]).stdout.clone();
    let text = String::from_utf8(run).unwrap();
    for line in [
        "Usage: sparkdbg doctor [OPTIONS] [--] [ARGS]...",
        "  sparkdbg doctor --driver -- --class org.example.App --master yarn app.jar",
        "  sparkdbg doctor --json --for pyspark",
    ] {
        assert!(text.lines().any(|shown| shown == line), "{line}\n{text}");
    }
}

/// What `--check` says where there is no launcher to be asked: no skipped check looks green.
#[test]
fn a_check_that_cannot_be_made_is_no_ok() {
    let scene = well();
    let run = scene.run(&["doctor", "--check", crate::scene::DRIVER, "--", "app.jar"]);
    run.expect(Some(1), "");
    let told = ["fail Spark's launcher cannot be asked: what answers prints no command"];
    assert_eq!(super::lines(&run, "check"), told, "{run}");
    let args = ["doctor", "--check", "--executor", "--", "--master", "local[1]", "app.jar"];
    let told = "warn Spark's launcher was not asked, since there is no plan to show it";
    super::tells(&scene, &args, "check", &[told]);
}
