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
                "{{\"configurations\":[{{\"name\":\"mine\"}},\n    {{\n{}\n    }}/* ! */]}}",
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
    let cases = [
        ("{\n  \"a\": 1\n  \"b\": 2\n}", format!("cannot be read: line 2, column 9: expected comma{mend}")),
        ("{ 'a': 1 }", format!("cannot be read: line 1, column 3: single-quoted strings are not allowed{mend}")),
        ("[]", "holds no object".to_owned()),
        ("{ \"configurations\": {} }", "holds no list `configurations`".to_owned()),
    ];
    for (there, cause) in cases {
        let scene = Scene::new().file(LAUNCH, there);
        scene.run(&["ide", "vscode", "--write"]).fails(125, &format!("error: `.vscode/launch.json` {cause}\n"));
        assert_eq!(scene.read(LAUNCH), there);
    }
    let scene = Scene::new().file(LAUNCH, b"{}\xff");
    scene.run(&["ide", "vscode"]).fails(125, "error: `.vscode/launch.json` cannot be read: it is not UTF-8\n");
}

/// IntelliJ writes these files itself when somebody edits them in its dialogue.
#[test]
fn what_the_ide_added_stays() {
    let path = "work/.run/sparkdbg-driver-5005.run.xml";
    let saved = |host: &str, module: &str| {
        format!(
            "<component name=\"ProjectRunConfigurationManager\">\n  <configuration default=\"false\" name=\"sparkdbg: \
             driver 5005\" type=\"Remote\" folderName=\"spark\">\n    <option name=\"USE_SOCKET_TRANSPORT\" \
             value=\"true\" />\n    <option name=\"SERVER_MODE\" value=\"false\" />\n    <option name=\"HOST\" \
             value=\"{host}\" />\n    <option name=\"PORT\" value=\"5005\" />\n    <option name=\"AUTO_RESTART\" \
             value=\"true\" />\n    <method v=\"2\">\n      <option name=\"Make\" enabled=\"true\" />\n    \
             </method>\n{module}  </configuration>\n</component>"
        )
    };
    let scene = Scene::new().file(path, saved("old", ""));
    scene.run(&["ide", "intellij", "--write"]).expect(Some(0), "sparkdbg: wrote .run/sparkdbg-driver-5005.run.xml\n");
    assert_eq!(scene.read(path), saved("127.0.0.1", ""));
    let words = ["ide", "intellij", "--module", "a&b", "--write"];
    scene.run(&words);
    assert_eq!(scene.read(path), saved("127.0.0.1", "    <module name=\"a&amp;b\" />\n"));
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
    let project = "    <stringAttribute key=\"org.eclipse.jdt.launching.PROJECT_ATTR\" value=\"app\" />\n</launch";
    assert_eq!(scene.read(path), edited.replace("</launch", project));
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
            "has no `mapAttribute`\nhelp: remove it: it will be written anew",
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
    // Within the project a link stays a link.
    let scene = Scene::new().file("work/ide/launch.json", "{}").link(LAUNCH, "work/ide/launch.json");
    scene.run(&["ide", "vscode", "--write"]).expect(Some(0), "sparkdbg: wrote .vscode/launch.json\n");
    assert!(std::fs::symlink_metadata(scene.path(LAUNCH)).expect("it is there").is_symlink());
    assert!(scene.read("work/ide/launch.json").contains("sparkdbg: driver 5005"));
}
