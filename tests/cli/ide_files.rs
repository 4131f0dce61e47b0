//! `ide --write`: files of the project that are there already keep everything that is not ours.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use jsonc_parser::{ParseOptions, parse_to_serde_value};
use serde_json::{Value, json};

use crate::ide::files;
use crate::scene::Scene;

const LAUNCH: &str = "work/.vscode/launch.json";

/// A second run changes nothing, not even the file itself.
#[track_caller]
fn is_idempotent(scene: &Scene, words: &[&str], paths: &[&str]) {
    let facts = |path: &&str| {
        let facts = std::fs::metadata(scene.path(&format!("work/{path}"))).expect("it is there");
        (facts.ino(), facts.mtime_nsec(), scene.read(&format!("work/{path}")))
    };
    let before: Vec<_> = paths.iter().map(facts).collect();
    let hints: String = paths.iter().map(|path| format!("sparkdbg: {path} stays as it is\n")).collect();
    let run = scene.run(words);
    assert!(run.stderr.contains(&hints), "{run}");
    assert_eq!(run.status.code(), Some(0), "{run}");
    assert_eq!(paths.iter().map(facts).collect::<Vec<_>>(), before);
}

#[test]
fn what_is_printed_is_what_is_written_and_once() {
    for ide in ["intellij", "vscode", "eclipse", "nvim-dap"] {
        let scene = Scene::new();
        let words = ["ide", ide, "--driver", "--executor=attach:5006", "--module", "app"];
        let run = scene.run(&words);
        let printed = match ide {
            "vscode" => vec![(".vscode/launch.json".to_owned(), String::from_utf8(run.stdout).expect("text"))],
            "nvim-dap" => vec![(".nvim/sparkdbg.lua".to_owned(), String::from_utf8(run.stdout).expect("text"))],
            _ => files(&run),
        };
        assert!(!scene.path(&format!("work/{}", printed[0].0)).exists(), "nothing is written without --write");
        let words = [&words[..], &["--write"]].concat();
        let run = scene.run(&words);
        run.prints("");
        let paths: Vec<&str> = printed.iter().map(|(path, _)| path.as_str()).collect();
        let wrote: String = paths.iter().map(|path| format!("sparkdbg: wrote {path}\n")).collect();
        assert!(run.stderr.contains(&wrote), "{run}");
        for (index, (path, content)) in printed.iter().enumerate() {
            // Several are printed with a blank line between them.
            let blank = if index + 1 < printed.len() { "\n" } else { "" };
            let written = scene.read(&format!("work/{path}"));
            assert_eq!(
                format!("{written}{}", if printed.len() > 1 { blank } else { "" }).trim_end(),
                content.trim_end()
            );
            let mode =
                std::fs::metadata(scene.path(&format!("work/{path}"))).expect("it is there").permissions().mode();
            assert_eq!(mode & 0o600, 0o600, "{mode:o}");
        }
        is_idempotent(&scene, &words, &paths);
        scene.run(&[&["-q"], &words[..]].concat()).expect(Some(0), "");
    }
}

#[test]
fn comments_and_the_entries_of_others_stay() {
    let there = r#"// Of the team.
{
  /* which schema */ "version": "0.2.0",
  "configurations": [
    { "type": "node", "request": "launch", "name": "mine", "program": "a.js" }, // keep
    {
      "name": "sparkdbg: driver 5005", // ours, with something of the user's
      "type": "java",
      "request": "attach",
      "hostName": "old",   // moved
      "port": 5005,
      "sourcePaths": ["src"],
    },
  ],
  "inputs": [],
}
"#;
    let scene = Scene::new().file(LAUNCH, there).mode(LAUNCH, 0o640);
    let words = ["ide", "vscode", "--driver", "--executor=attach:node7:5006", "--write"];
    scene.run(&words);
    let expected = r#"// Of the team.
{
  /* which schema */ "version": "0.2.0",
  "configurations": [
    { "type": "node", "request": "launch", "name": "mine", "program": "a.js" }, // keep
    {
      "name": "sparkdbg: driver 5005", // ours, with something of the user's
      "type": "java",
      "request": "attach",
      "hostName": "127.0.0.1",   // moved
      "port": 5005,
      "sourcePaths": ["src"],
    },
    {
      "name": "sparkdbg: executor 5006",
      "type": "java",
      "request": "attach",
      "hostName": "node7",
      "port": 5006,
    },
  ],
  "inputs": [],
  "compounds": [
    {
      "name": "sparkdbg: all",
      "configurations": ["sparkdbg: driver 5005", "sparkdbg: executor 5006"]
    }
  ],
}
"#;
    assert_eq!(scene.read(LAUNCH), expected);
    assert_eq!(std::fs::metadata(scene.path(LAUNCH)).expect("it is there").permissions().mode() & 0o777, 0o640);
    let read: Value = parse_to_serde_value(expected, &ParseOptions::default()).expect("JSONC");
    assert_eq!(read["configurations"][0]["name"], "mine");
    assert_eq!(read["compounds"][0]["configurations"], json!(["sparkdbg: driver 5005", "sparkdbg: executor 5006"]));
    is_idempotent(&scene, &words, &[".vscode/launch.json"]);
    // Others join the compound; what is no longer wanted stays an entry.
    scene.run(&["ide", "vscode", "--driver", "--daemon=attach:5010", "--write"]);
    let read: Value = parse_to_serde_value(&scene.read(LAUNCH), &ParseOptions::default()).expect("JSONC");
    let names: Vec<&Value> =
        read["configurations"].as_array().expect("a list").iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["mine", "sparkdbg: driver 5005", "sparkdbg: executor 5006", "sparkdbg: daemon 5010"]);
    assert_eq!(
        read["compounds"],
        json!([{"name": "sparkdbg: all", "configurations": ["sparkdbg: driver 5005", "sparkdbg: daemon 5010"]}])
    );
}

#[test]
fn other_shapes_of_launch_json() {
    let entry = |indent: &str, end: &str| {
        let fields = [
            "\"name\": \"sparkdbg: driver 5005\"",
            "\"type\": \"java\"",
            "\"request\": \"attach\"",
            "\"hostName\": \"127.0.0.1\"",
            "\"port\": 5005",
        ];
        fields.map(|field| format!("{indent}{field}")).join(&format!(",{end}"))
    };
    let new = format!(
        "{{\n    \"version\": \"0.2.0\",\n    \"configurations\": [\n        {{\n{}\n        }}\n    ]\n}}\n",
        entry("            ", "\n")
    );
    let cases = [
        ("", new.clone()),
        (" \n", new),
        // The line ends, the tabs and the mark of the file stay.
        (
            "\u{feff}{\r\n\t\"configurations\": []\r\n}\r\n",
            format!(
                "\u{feff}{{\r\n\t\"configurations\": [\r\n\t\t{{\r\n{}\r\n\t\t}}\r\n\t]\r\n}}\r\n",
                entry("\t\t\t", "\r\n")
            ),
        ),
        (
            "{\"configurations\":[{\"name\":\"mine\"}/* ! */]}",
            format!(
                "{{\"configurations\":[\n    {{\"name\":\"mine\"}},/* ! */\n    {{\n{}\n    }}\n  ]}}",
                entry("      ", "\n")
            ),
        ),
        (
            "// nothing yet\n",
            format!(
                "// nothing yet\n{{\n  \"version\": \"0.2.0\",\n  \"configurations\": [\n    {{\n{}\n    }}\n  ]\n}}\n",
                entry("      ", "\n")
            ),
        ),
    ];
    for (there, expected) in cases {
        let scene = Scene::new().file(LAUNCH, there);
        scene.run(&["ide", "vscode", "--write"]).expect(Some(0), "sparkdbg: wrote .vscode/launch.json\n");
        assert_eq!(scene.read(LAUNCH), expected, "of {there:?}");
        is_idempotent(&scene, &["ide", "vscode", "--write"], &[".vscode/launch.json"]);
    }
}

#[test]
fn a_launch_json_that_cannot_be_merged_is_left_alone() {
    let mend = "\nhelp: mend it; VS Code underlines the place";
    let last = "\nhelp: remove the one that is not meant; VS Code reads the last";
    let no_list = "holds no list `configurations`\nhelp: VS Code reads `\"configurations\": [ … ]` there: mend it, or \
                   remove it";
    let name = "`sparkdbg: driver 5005`";
    let two = format!("has two entries {name}\nhelp: remove the one that is not meant");
    let another = format!("has an entry {name} that is not ours");
    let rename = "\nhelp: give that entry another name";
    let attach = "\"type\": \"java\", \"request\": \"attach\"";
    let driver =
        |fields: &str| format!("{{ \"configurations\": [{{ \"name\": \"sparkdbg: driver 5005\", {fields} }}] }}");
    let cases = [
        ("{\n  \"a\": 1\n  \"b\": 2\n}", format!("cannot be read: line 2, column 9: expected comma{mend}")),
        ("{ 'a': 1 }", format!("cannot be read: line 1, column 3: single-quoted strings are not allowed{mend}")),
        ("[]", "holds no object\nhelp: VS Code reads `{ … }` there: mend it, or remove it".to_owned()),
        ("{ \"configurations\": {} }", no_list.to_owned()),
        ("{ \"compounds\": [{ \"name\": \"sparkdbg: all\", \"configurations\": \"a\" }] }", no_list.to_owned()),
        ("{ \"configurations\": [], \"configurations\": [] }", format!("has `configurations` twice{last}")),
        (&driver(&format!("{attach}, \"port\": 1, \"p\\u006frt\": 2")), format!("has `port` twice in {name}{last}")),
        (&driver(&format!("{attach}, \"name\": \"mine\"")), format!("has `name` twice in {name}{last}")),
        (&driver(&format!("{attach} }}, {{ \"name\": \"sparkdbg: driver 5005\", {attach}")), two),
        (
            &driver("\"type\": \"node\", \"request\": \"launch\", \"program\": \"a.js\""),
            format!("{another}: its type is `node`, its request `launch`{rename}"),
        ),
        (
            &driver("\"type\": \"java\", \"request\": \"launch\", \"mainClass\": \"A\""),
            format!("{another}: its type is `java`, its request `launch`{rename}"),
        ),
        (&driver("\"type\": 1"), format!("{another}: its type is `1`, its request ``{rename}")),
    ];
    for (there, cause) in cases {
        let scene = Scene::new().file(LAUNCH, there);
        let words = ["ide", "vscode", "--driver", "--executor=attach:10.0.0.9:5006", "--write"];
        scene.run(&words).fails(125, &format!("error: `.vscode/launch.json` {cause}\n"));
        assert_eq!(scene.read(LAUNCH), there);
    }
    let scene = Scene::new().file(LAUNCH, b"{}\xff");
    scene.run(&["ide", "vscode"]).fails(
        125,
        "error: `.vscode/launch.json` cannot be read: it is not UTF-8\nhelp: save it as \
                                          UTF-8\n",
    );
    let scene = Scene::new().file("work/.vscode/x", "");
    let made = std::process::Command::new("mkfifo").arg(scene.path(LAUNCH)).status();
    assert!(made.expect("mkfifo").success());
    scene
        .run(&["ide", "vscode"])
        .fails(125, "error: `.vscode/launch.json` cannot be read: it is no regular file\nhelp: remove it\n");
}

/// The fields of the one debugger mean nothing to the other.
#[test]
fn from_one_debugger_to_the_other() {
    let entry = |kind: &str, field: &str| {
        format!(
            "{{\n  \"configurations\": [\n    {{\n      \"name\": \"sparkdbg: driver 5005\",\n      \"type\": \
             \"{kind}\",\n      \"request\": \"attach\",\n      \"hostName\": \"127.0.0.1\",\n      \"port\": \
             5005{field}\n    }}\n  ]\n}}\n"
        )
    };
    let java = entry("java", ",\n      \"projectName\": \"app\"");
    let scene = Scene::new().file(LAUNCH, &java);
    scene.run(&["ide", "vscode", "--metals", "--module", "root", "--write"]);
    assert_eq!(scene.read(LAUNCH), entry("scala", ",\n      \"buildTarget\": \"root\""));
    scene.run(&["ide", "vscode", "--write"]);
    assert_eq!(scene.read(LAUNCH), entry("java", ""));
}

#[test]
fn members_of_others_stay_in_a_compound() {
    let launch = |members: &str| {
        format!(
            "{{\n  \"configurations\": [],\n  \"compounds\": [\n    {{ \"name\": \"sparkdbg: all\", \"stopAll\": true, \
             \"configurations\": [{members}] }}\n  ]\n}}\n"
        )
    };
    let words = ["ide", "vscode", "--driver", "--executor=attach:10.0.0.9:5006", "--write"];
    let cases = [
        ("", r#""sparkdbg: driver 5005", "sparkdbg: executor 5006""#),
        (
            r#""mine", "sparkdbg: gone", "sparkdbg: executor 5006""#,
            r#""mine", "sparkdbg: executor 5006", "sparkdbg: driver 5005""#,
        ),
        (
            r#"{ "name": "sparkdbg: driver 5005", "folder": "a" }, { "name": "mine", "folder": "b" }, 1"#,
            r#"{ "name": "sparkdbg: driver 5005", "folder": "a" }, { "name": "mine", "folder": "b" }, 1, "sparkdbg: executor 5006""#,
        ),
    ];
    for (there, expected) in cases {
        let scene = Scene::new().file(LAUNCH, launch(there));
        scene.run(&words);
        let written = scene.read(LAUNCH);
        let compounds = written.find("\"compounds\"").expect("they are there");
        let expected = launch(expected);
        assert_eq!(written[compounds..], expected[expected.find("\"compounds\"").expect("they are there")..]);
        is_idempotent(&scene, &words, &[".vscode/launch.json"]);
    }

    let all = "work/.run/sparkdbg-all.run.xml";
    let compound = |members: &str| {
        format!(
            "<component name=\"ProjectRunConfigurationManager\">\n  <configuration default=\"false\" name=\"sparkdbg: \
             all\" type=\"CompoundRunConfigurationType\">\n{members}    <method v=\"2\" />\n  \
             </configuration>\n</component>\n"
        )
    };
    let member = |name: &str, kind: &str| format!("    <toRun name=\"{name}\" type=\"{kind}\" />\n");
    let there = [
        member("a &amp; b", "Application"),
        member("sparkdbg: gone", "Remote"),
        member("sparkdbg: driver 5005", "Remote"),
    ];
    let scene = Scene::new().file(all, compound(&there.concat()));
    let words = ["ide", "intellij", "--driver", "--executor=attach:10.0.0.9:5006", "--write"];
    scene.run(&words);
    let expected = [
        member("sparkdbg: driver 5005", "Remote"),
        member("sparkdbg: executor 5006", "Remote"),
        member("a &amp; b", "Application"),
    ];
    assert_eq!(scene.read(all), compound(&expected.concat()));
    is_idempotent(&scene, &words, &[".run/sparkdbg-all.run.xml"]);

    let all = "work/.eclipse/sparkdbg all.launch";
    let group = |members: &[(&str, &str)]| {
        let members = members.iter().enumerate().map(|(index, (name, mode))| {
            let line = |tag: &str, what: &str, value: &str| {
                format!("    <{tag} key=\"org.eclipse.debug.core.launchGroup.{index}.{what}\" value=\"{value}\"/>\n")
            };
            [
                line("stringAttribute", "action", "NONE"),
                line("booleanAttribute", "adoptIfRunning", "false"),
                line("booleanAttribute", "enabled", "true"),
                line("stringAttribute", "mode", mode),
                line("stringAttribute", "name", name),
            ]
            .concat()
        });
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n<launchConfiguration \
             type=\"org.eclipse.debug.core.groups.GroupLaunchConfigurationType\">\n{}</launchConfiguration>\n",
            members.collect::<String>()
        )
    };
    let there = [("a &amp; b", "run"), ("sparkdbg gone", "debug"), ("sparkdbg driver 5005", "debug")];
    let scene = Scene::new().file(all, group(&there));
    let words = ["ide", "eclipse", "--driver", "--executor=attach:10.0.0.9:5006", "--write"];
    scene.run(&words);
    let expected = [("sparkdbg driver 5005", "debug"), ("sparkdbg executor 5006", "debug"), ("a &amp; b", "run")];
    assert_eq!(scene.read(all), group(&expected));
    is_idempotent(&scene, &words, &[".eclipse/sparkdbg all.launch"]);
}

/// IntelliJ writes these files itself when somebody edits them in its dialogue.
#[test]
fn what_the_ide_added_stays() {
    let path = "work/.run/sparkdbg-driver-5005.run.xml";
    let saved = |host: &str, module: &str, port: u16| {
        format!(
            "<component name=\"ProjectRunConfigurationManager\">\n  <configuration default=\"false\" name=\"sparkdbg: \
             driver 5005\" type=\"Remote\" folderName=\"spark\">\n{module}    <option name=\"USE_SOCKET_TRANSPORT\" \
             value=\"true\" />\n    <option name=\"SERVER_MODE\" value=\"false\" />\n    <option name=\"HOST\" \
             value=\"{host}\" />\n    <option name=\"PORT\" value=\"5005\" />\n    <option name=\"AUTO_RESTART\" \
             value=\"true\" />\n    <RunnerSettings RunnerId=\"Debug\">\n      <option name=\"DEBUG_PORT\" \
             value=\"{port}\" />\n    </RunnerSettings>\n    <method v=\"2\">\n      <option name=\"Make\" \
             enabled=\"true\" />\n    </method>\n  </configuration>\n</component>"
        )
    };
    let scene = Scene::new().file(path, saved("old", "", 4000));
    scene.run(&["ide", "intellij", "--write"]).expect(Some(0), "sparkdbg: wrote .run/sparkdbg-driver-5005.run.xml\n");
    assert_eq!(scene.read(path), saved("127.0.0.1", "", 5005));
    let words = ["ide", "intellij", "--module", "a&b", "--write"];
    scene.run(&words);
    assert_eq!(scene.read(path), saved("127.0.0.1", "    <module name=\"a&amp;b\" />\n", 5005));
    is_idempotent(&scene, &words, &[".run/sparkdbg-driver-5005.run.xml"]);

    let path = "work/.eclipse/sparkdbg executor listen 5006.launch";
    let scene = Scene::new();
    let words = ["ide", "eclipse", "--executor=listen:5006", "--write"];
    scene.run(&words);
    let edited = scene.read(path).replace("value=\"1\"", "value=\"0\"");
    let scene = scene.file(path, &edited);
    scene.run(&words);
    assert_eq!(scene.read(path), edited);
    scene.run(&[&words[..], &["--module", "app"]].concat());
    let first = "    <booleanAttribute";
    let project = "    <stringAttribute key=\"org.eclipse.jdt.launching.PROJECT_ATTR\" value=\"app\" />\n";
    assert_eq!(scene.read(path), edited.replace(first, &format!("{project}{first}")));
}

#[test]
fn files_that_are_not_ours_are_left_alone() {
    let cases = [
        (
            "intellij",
            ".run/sparkdbg-driver-5005.run.xml",
            "<component><configuration name=\"mine\"/></component>",
            "is not ours: it holds `mine`, not `sparkdbg: driver 5005`\nhelp: give that file another name",
        ),
        (
            "intellij",
            ".run/sparkdbg-driver-5005.run.xml",
            "<component><configuration name=\"sparkdbg: driver 5005\" type=\"Application\"/></component>",
            "is not ours: its type is `Application`, not `Remote`\nhelp: give that file another name",
        ),
        (
            "intellij",
            ".run/sparkdbg-all.run.xml",
            "<component><configuration name=\"sparkdbg: all\"/></component>",
            "is not ours: its type is ``, not `CompoundRunConfigurationType`\nhelp: give that file another name",
        ),
        (
            "intellij",
            ".run/sparkdbg-driver-5005.run.xml",
            "<component><configuration name=\"sparkdbg: driver 5005\" type=\"Remote\"/></component>",
            "has no `option name=\"SERVER_MODE\"`\nhelp: remove it: it will be written anew",
        ),
        (
            "intellij",
            ".run/sparkdbg-driver-5005.run.xml",
            "<component>\n  <conf",
            "cannot be read: it ends too early\nhelp: mend it, or remove it",
        ),
        (
            "intellij",
            ".run/sparkdbg-all.run.xml",
            "<component/>",
            "is not ours: it holds no run configuration, not `sparkdbg: all`\nhelp: give that file another name",
        ),
        (
            "intellij",
            ".run/sparkdbg-driver-5005.run.xml",
            "<component>\n  <x>\n</component>",
            "cannot be read: line 3, column 1: expected 'x' tag, not 'component'\nhelp: mend it, or remove it",
        ),
        (
            "eclipse",
            ".eclipse/sparkdbg driver 5005.launch",
            "<launchConfiguration type=\"x\"/>",
            "is not ours: its type is `x`, not `org.eclipse.jdt.launching.remoteJavaApplication`\nhelp: give that file \
             another name",
        ),
        (
            "eclipse",
            ".eclipse/sparkdbg driver 5005.launch",
            "<launchConfiguration type=\"org.eclipse.jdt.launching.remoteJavaApplication\"/>",
            "has no `mapAttribute key=\"org.eclipse.jdt.launching.CONNECT_MAP\"`\nhelp: remove it: it will be written anew",
        ),
        (
            "nvim-dap",
            ".nvim/sparkdbg.lua",
            "print(1)\n",
            "is not ours: its first line does not say so\nhelp: give that file another name",
        ),
    ];
    for (ide, path, there, cause) in cases {
        let scene = Scene::new().file(&format!("work/{path}"), there);
        let words = ["ide", ide, "--driver", "--executor=attach:5006", "--write"];
        scene.run(&words).fails(125, &format!("error: `{path}` {cause}\n"));
        assert_eq!(scene.read(&format!("work/{path}")), there);
        // Nor is any of the other files written.
        let directory = scene.path(&format!("work/{path}")).parent().expect("a directory").to_owned();
        assert_eq!(std::fs::read_dir(directory).expect("it is there").count(), 1);
    }
}

#[test]
fn symbolic_links_lead_nowhere_else() {
    let scene = Scene::new().file("elsewhere/launch.json", "{}").link("work/.vscode", "elsewhere");
    scene.run(&["ide", "vscode", "--write"]).fails(
        125,
        "error: `.vscode/launch.json` is left alone: a symbolic link leads out of the project, to \
         `@root/elsewhere`\nhelp: put a file or directory of the project in its place\n",
    );
    assert_eq!(scene.read("elsewhere/launch.json"), "{}");
    let scene = Scene::new().link(LAUNCH, "work/.vscode/gone");
    scene
        .run(&["ide", "vscode", "--write"])
        .fails(125, "error: `.vscode/launch.json` is a symbolic link that leads nowhere\nhelp: remove the link\n");
    let scene = Scene::new().file("work/.vscode", "");
    scene.run(&["ide", "vscode", "--write"]).fails(
        125,
        "error: `.vscode/launch.json` cannot be read: a file stands in the place of its directory\nhelp: move that file \
         away\n",
    );
    // Within the project a link stays a link.
    let scene = Scene::new().file("work/ide/launch.json", "{}").link(LAUNCH, "work/ide/launch.json");
    scene.run(&["ide", "vscode", "--write"]).expect(Some(0), "sparkdbg: wrote .vscode/launch.json\n");
    assert!(std::fs::symlink_metadata(scene.path(LAUNCH)).expect("it is there").is_symlink());
    assert!(scene.read("work/ide/launch.json").contains("sparkdbg: driver 5005"));
}

#[test]
fn a_read_only_file_is_left_alone() {
    let path = "work/.run/sparkdbg-all.run.xml";
    let compound = "<a><b name=\"sparkdbg: all\" type=\"CompoundRunConfigurationType\"/></a>";
    let scene = Scene::new().file(path, compound).mode(path, 0o444);
    let words = ["ide", "intellij", "--driver", "--executor=attach:10.0.0.9:5006", "--write"];
    scene.run(&words).fails(
        125,
        "error: `.run/sparkdbg-all.run.xml` cannot be written: it is read-only\nhelp: make it writable, or remove it\n",
    );
    assert_eq!(scene.read(path), compound);
    assert!(!scene.path("work/.run/sparkdbg-driver-5005.run.xml").exists(), "nor is any of the others written");
    // What need not be written may be read-only.
    let scene = scene.mode(path, 0o644);
    scene.run(&words);
    let scene = scene.mode(path, 0o444);
    is_idempotent(&scene, &words, &[".run/sparkdbg-all.run.xml"]);
}

#[test]
fn hard_links_part() {
    let scene = Scene::new().file("elsewhere.json", "{}").file("work/.vscode/x", "");
    std::fs::hard_link(scene.path("elsewhere.json"), scene.path(LAUNCH)).expect("a link");
    scene
        .run(&["ide", "vscode", "--write"])
        .expect(Some(0), "sparkdbg: wrote .vscode/launch.json; it had other hard links, which stay as they were\n");
    assert_eq!(scene.read("elsewhere.json"), "{}");
}

#[test]
fn a_part_of_a_project() {
    let words = ["ide", "vscode", "--write"];
    let wrote = "sparkdbg: wrote .vscode/launch.json\n";
    let inside =
        |directories: &str| Scene::new().file("work/src/main/x", "").file(directories, "").cwd("work/src/main");
    let above = "sparkdbg: ../.. has .git: an IDE that opens ../.. does not see what is written here\n";
    inside("work/.git").run(&words).expect(Some(0), &format!("{wrote}{above}"));
    let above = "sparkdbg: .. has .idea: an IDE that opens .. does not see what is written here\n";
    inside("work/src/.idea/x").run(&words).expect(Some(0), &format!("{wrote}{above}"));
    // This one is a project itself, or no other is there: the home directory is none.
    inside("work/src/main/.git").file("work/.git", "").run(&words).expect(Some(0), wrote);
    inside(".vscode/extensions").run(&words).expect(Some(0), wrote);
}
