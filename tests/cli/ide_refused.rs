//! `ide`: words that contradict each other, and what an IDE cannot do.

use crate::scene::Scene;

#[test]
fn what_is_refused() {
    let scene = Scene::new();
    let cases: [(&[&str], &str); 17] = [
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
            "error: driver (default) and daemon (default) meet the debugger in one place, 127.0.0.1:5005\nhelp: name \
             the one that is meant: --driver\n",
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
        (&["intellij", "--module", "a\nb"], "error: `--module a\\nb` names no module\n"),
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
        (&[], "error: `<IDE>` is missing\nhelp: sparkdbg --help, or sparkdbg COMMAND --help, shows what is taken\n"),
    ];
    for (words, error) in cases {
        scene.run(&[&["ide"], words].concat()).fails(2, error);
    }
    scene.run(&["ide", "emacs"]).fails(
        2,
        "error: invalid value `emacs` for `<IDE>`\nhelp: it takes intellij or vscode or eclipse or nvim-dap or jdb\n",
    );
}
