//! `ide`: words that contradict each other, and what an IDE cannot do.

use crate::scene::Scene;

#[test]
fn what_is_refused() {
    let scene = Scene::new();
    let cases: [(&[&str], &str); 24] = [
        (
            &["vscode", "--listen", "5005"],
            "error: `vscode` cannot listen for the driver (--listen): its Java debugger only attaches\nhelp: let the JVM \
             listen: --driver=attach:PORT; or take intellij, eclipse or jdb\n",
        ),
        (
            &["nvim-dap", "--executor=listen:5005"],
            "error: `nvim-dap` cannot listen for the executor (--executor): its Java debugger only attaches\nhelp: let \
             the JVM listen: --executor=attach:PORT; or take intellij, eclipse or jdb\n",
        ),
        (
            &["intellij", "--executor"],
            "error: the port of the executor is not known (default): it will take a free one\nhelp: ask for those that \
             run: sparkdbg ide intellij --from-ps; or choose one: --executor=attach:PORT\n",
        ),
        (
            &["intellij", "--driver", "--daemon"],
            "error: driver (default) and daemon (default) meet the debugger in one place, 127.0.0.1:5005\nhelp: give \
             each its own port: --daemon=attach:PORT\n",
        ),
        (
            &["intellij", "--driver", "attach:5005"],
            "error: `attach:5005` looks like the value of an option, but a blank parts it from its option\nhelp: write \
             `--driver=attach:5005`\n",
        ),
        (
            &["intellij", "--from-ps", "http://edge1:4040"],
            "error: `http://edge1:4040` looks like the value of an option, but a blank parts it from its option\nhelp: \
             write `--from-ps=http://edge1:4040`\n",
        ),
        (
            &["intellij", "--from-ps", "http://me:secret@edge1:4040"],
            "error: `USER@…` looks like the value of an option, but a blank parts it from its option\nhelp: write \
             `--from-ps=USER@…`\n",
        ),
        (
            &["intellij", "--from-ps", "--driver=attach:5005"],
            "error: `--driver=attach:5005` has no meaning with `--from-ps`, which asks where the JVMs listen\nhelp: leave \
             one of them out; a role alone, such as `--executor`, narrows the answer\n",
        ),
        (
            &["intellij", "--from-ps", "--no-suspend"],
            "error: `--no-suspend` has no meaning with `--from-ps`, which asks where the JVMs listen\nhelp: leave one of \
             them out; a role alone, such as `--executor`, narrows the answer\n",
        ),
        (
            &["intellij", "--from-ps", "-p", "x"],
            "error: `--profile` has no meaning with `--from-ps`, which asks where the JVMs listen\nhelp: leave one of \
             them out\n",
        ),
        (
            &["vscode", "--metals"],
            "error: `--metals` needs the build target in which Metals looks for classes\nhelp: add --module TARGET; the \
             doctor of Metals names the targets\n",
        ),
        (
            &["intellij", "--metals", "--module", "x"],
            "error: `--metals` has no meaning with `intellij`\nhelp: Metals debugs in vscode and nvim-dap\n",
        ),
        (
            &["vscode", "--metals", "--module", "x", "--listen", "5005"],
            "error: `vscode` cannot listen for the driver (--listen): Metals only attaches\nhelp: let the JVM listen: \
             --driver=attach:PORT; or take intellij, eclipse or jdb\n",
        ),
        (
            &["intellij", "--module", "a\nb"],
            "error: `--module a\\nb` names no module\nhelp: write the name as the IDE shows it\n",
        ),
        (
            &["vscode", "--timeout", "1s"],
            "error: `--timeout` has no meaning without `--from-ps`: nobody is asked\nhelp: leave it out, or add \
             --from-ps[=URL]\n",
        ),
        (
            &["jdb", "--from-ps="],
            "error: `--from-ps=` names no URL\nhelp: --from-ps alone asks this machine, --from-ps=http://edge1:4040 a \
             web UI\n",
        ),
        (
            &["jdb", "--from-ps=4040"],
            "error: `4040` is no address of a web UI: it has no host\nhelp: write: --from-ps=127.0.0.1:4040\n",
        ),
        (
            &["jdb", "--from-ps=5s"],
            "error: `5s` is no address of a web UI: it is a duration\nhelp: write: --timeout=5s, or sparkdbg ps \
             --watch=5s\n",
        ),
        (
            &["vscode", "attach:5005"],
            "error: `attach:5005` does not say which role it is for\nhelp: write `--driver=attach:5005`\n",
        ),
        (
            &["vscode", "10.0.0.9:5005"],
            "error: `10.0.0.9:5005` does not say which role it is for\nhelp: write `--driver=attach:10.0.0.9:5005`\n",
        ),
        (
            &["jdb", "--write"],
            "error: `--write` has no meaning with `jdb`, which reads no file\nhelp: without it the line to type is \
             printed\n",
        ),
        (
            &["jdb", "--module", "x"],
            "error: `--module` has no meaning with `jdb`, which knows no projects\nhelp: jdb finds sources by its own \
             `-sourcepath`\n",
        ),
        (
            &["jdb", "--dry-run"],
            "error: `--dry-run` has no meaning with `ide`, which starts nothing\nhelp: without `--write` it prints what \
             it would write\n",
        ),
        (&[], "error: `<IDE>` is missing\nhelp: it takes intellij or vscode or eclipse or nvim-dap or jdb\n"),
    ];
    for (words, error) in cases {
        scene.run(&[&["ide"], words].concat()).fails(2, error);
    }
    scene.run(&["ide", "emacs"]).fails(
        2,
        "error: invalid value `emacs` for `<IDE>`\nhelp: it takes intellij or vscode or eclipse or nvim-dap or jdb\n",
    );
}

/// A debugger that listens is in the way of another, and of a JVM that listens on its machine.
#[test]
fn two_in_one_place() {
    let scene = Scene::new();
    let place = "driver (--driver) and executor (--executor) meet the debugger in one place, 127.0.0.1:5005";
    let cure = "help: give each its own port: --executor";
    let here = "--driver=listen:5005";
    let elsewhere = "--executor=listen:10.0.0.1:5005";
    for (ide, title) in [("intellij", "IntelliJ"), ("eclipse", "Eclipse")] {
        scene.run(&["ide", ide, here, elsewhere]).fails(
            2,
            &format!(
                "error: {place} and 10.0.0.1:5005: {title} listens on every address\n{cure}=listen:10.0.0.1:PORT\n"
            ),
        );
        let words = ["ide", ide, "--driver=listen:10.0.0.1:5005", "--executor=attach:5005"];
        scene.run(&words).fails(
            2,
            &format!(
                "error: driver (--driver) and executor (--executor) meet the debugger in one place, 10.0.0.1:5005 and \
                 127.0.0.1:5005: {title} listens on every address\n{cure}=attach:PORT\n"
            ),
        );
        // The JVM may be on another machine than the debugger.
        let words = ["-q", "ide", ide, "--driver=listen:10.0.0.1:5005", "--executor=attach:10.0.0.9:5005"];
        scene.run(&words).expect(Some(0), "");
    }
    // `jdb` listens where it is told to.
    scene.run(&["ide", "jdb", here, elsewhere]).expect(Some(0), "");
    scene
        .run(&["ide", "jdb", here, "--executor=attach:localhost:5005"])
        .fails(2, &format!("error: {place} and localhost:5005\n{cure}=attach:PORT\n"));
}

#[test]
fn two_in_one_place_of_a_profile() {
    let text = "[profile.a]\ndriver = \"attach\"\njobmanager = \"attach\"\n";
    let scene = Scene::new().file("work/sparkdbg.toml", text);
    let at = |line: u8| format!("@root/work/sparkdbg.toml:{line} (profile a)");
    scene.run(&["-p", "a", "ide", "jdb"]).fails(
        125,
        &format!(
            "error: driver ({}) and jobmanager ({}) meet the debugger in one place, 127.0.0.1:5005\nhelp: name the one \
             that is meant: --driver; or give each its own port in the profile\n",
            at(2),
            at(3)
        ),
    );
}
