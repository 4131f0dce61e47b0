//! `ide`: what is printed for each IDE, read back by a parser of its language.

use mlua::{Lua, Table, Value as LuaValue};
use roxmltree::{Document, Node};
use serde_json::{Value, json};

use crate::scene::{Outcome, Scene, hostname};

const ELSEWHERE: &str = "sparkdbg: executor: on another machine than this one? `sparkdbg ide @ide --from-ps` finds its \
                         host and the tunnel\n";

/// The files of an output with several, by their headings.
pub fn files(run: &Outcome<'_>) -> Vec<(String, String)> {
    let text = String::from_utf8(run.stdout.clone()).expect("text");
    let file = |part: &str| {
        let (path, content) = part.split_once(" <==\n").expect("a heading");
        (path.to_owned(), content.to_owned())
    };
    text.trim_start_matches("==> ").split("\n==> ").map(file).collect()
}

/// The value of each element below the root that has one, by its key.
fn values(document: &Document<'_>) -> Vec<(String, String)> {
    let value = |node: Node<'_, '_>| {
        let key = node.attribute("name").or(node.attribute("key"))?;
        Some((key.to_owned(), node.attribute("value")?.to_owned()))
    };
    document.descendants().filter_map(value).collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn intellij() {
    let scene = Scene::new();
    let run = scene.run(&["ide", "intellij"]);
    run.expect(Some(0), "").prints(
        r#"<component name="ProjectRunConfigurationManager">
  <configuration default="false" name="sparkdbg: driver 5005" type="Remote">
    <option name="USE_SOCKET_TRANSPORT" value="true" />
    <option name="SERVER_MODE" value="false" />
    <option name="SHMEM_ADDRESS" />
    <option name="HOST" value="127.0.0.1" />
    <option name="PORT" value="5005" />
    <option name="AUTO_RESTART" value="false" />
    <RunnerSettings RunnerId="Debug">
      <option name="DEBUG_PORT" value="5005" />
      <option name="LOCAL" value="false" />
    </RunnerSettings>
    <method v="2" />
  </configuration>
</component>
"#,
    );
    let module = r#"a&b <"c"> ü"#;
    let run = scene.run(&["ide", "intellij", "--driver", "--executor=listen:10.0.0.171:5006", "--module", module]);
    let files = files(
        run.expect(Some(0), "sparkdbg: IntelliJ listens on every address of this machine, not on 10.0.0.171 alone\n"),
    );
    let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(
        paths,
        [
            ".run/sparkdbg-driver-5005.run.xml",
            ".run/sparkdbg-executor-listen-5006.run.xml",
            ".run/sparkdbg-all.run.xml"
        ]
    );
    let executor = Document::parse(&files[1].1).expect("XML");
    let configuration = executor.root_element().first_element_child().expect("a configuration");
    assert_eq!(configuration.attribute("name"), Some("sparkdbg: executor listen 5006"));
    let first = configuration.first_element_child().expect("the module");
    assert_eq!((first.tag_name().name(), first.attribute("name")), ("module", Some(module)));
    let expected = [
        ("USE_SOCKET_TRANSPORT", "true"),
        ("SERVER_MODE", "true"),
        ("HOST", "10.0.0.171"),
        ("PORT", "5006"),
        ("AUTO_RESTART", "false"),
        ("DEBUG_PORT", "5006"),
        ("LOCAL", "false"),
    ];
    assert_eq!(values(&executor), pairs(&expected));
    assert_eq!(
        files[2].1,
        r#"<component name="ProjectRunConfigurationManager">
  <configuration default="false" name="sparkdbg: all" type="CompoundRunConfigurationType">
    <toRun name="sparkdbg: driver 5005" type="Remote" />
    <toRun name="sparkdbg: executor listen 5006" type="Remote" />
    <method v="2" />
  </configuration>
</component>
"#
    );
}

#[test]
fn vscode() {
    let scene = Scene::new();
    let run = scene.run(&["ide", "vscode", "--attach", "5010", "--module", "app"]);
    run.expect(Some(0), "").prints(
        r#"{
    "version": "0.2.0",
    "configurations": [
        {
            "name": "sparkdbg: driver 5010",
            "type": "java",
            "request": "attach",
            "hostName": "127.0.0.1",
            "port": 5010,
            "projectName": "app"
        }
    ]
}
"#,
    );
    let words = ["ide", "vscode", "--driver=attach:0.0.0.0:5005", "--executor=attach:[::1]:5006", "--metals"];
    let run = scene.run(&[&words[..], &["--module", "root"]].concat());
    run.expect(Some(0), &ELSEWHERE.replace("@ide", "vscode"));
    let entry = |name: &str, host: &str, port: u16| json!({"name": name, "type": "scala", "request": "attach", "hostName": host, "port": port, "buildTarget": "root"});
    let names = ["sparkdbg: driver 5005", "sparkdbg: executor 5006"];
    assert_eq!(
        serde_json::from_slice::<Value>(&run.stdout).expect("JSON"),
        json!({
            "version": "0.2.0",
            // Who binds all interfaces is dialled by the name of the machine.
            "configurations": [entry(names[0], &hostname(), 5005), entry(names[1], "::1", 5006)],
            "compounds": [{"name": "sparkdbg: all", "configurations": names}],
        })
    );
}

#[test]
fn eclipse() {
    let scene = Scene::new();
    scene.run(&["ide", "eclipse", "--daemon=attach:node7:5010", "--module", "app"]).expect(Some(0), "").prints(
        r#"<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<launchConfiguration type="org.eclipse.jdt.launching.remoteJavaApplication">
    <booleanAttribute key="org.eclipse.jdt.launching.ALLOW_TERMINATE" value="false"/>
    <mapAttribute key="org.eclipse.jdt.launching.CONNECT_MAP">
        <mapEntry key="hostname" value="node7"/>
        <mapEntry key="port" value="5010"/>
    </mapAttribute>
    <stringAttribute key="org.eclipse.jdt.launching.PROJECT_ATTR" value="app"/>
    <stringAttribute key="org.eclipse.jdt.launching.VM_CONNECTOR_ID" value="org.eclipse.jdt.launching.socketAttachConnector"/>
</launchConfiguration>
"#,
    );
    let run = scene.run(&["ide", "eclipse", "--driver", "--executor=listen:10.0.0.171:5006"]);
    let files = files(
        run.expect(Some(0), "sparkdbg: Eclipse listens on every address of this machine, not on 10.0.0.171 alone\n"),
    );
    let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    // The names of the configurations: a colon is not allowed in them.
    assert_eq!(
        paths,
        [
            ".eclipse/sparkdbg driver 5005.launch",
            ".eclipse/sparkdbg executor listen 5006.launch",
            ".eclipse/sparkdbg all.launch"
        ]
    );
    let listening = Document::parse(&files[1].1).expect("XML");
    let expected = [
        ("org.eclipse.jdt.launching.ALLOW_TERMINATE", "false"),
        ("connectionLimit", "1"),
        ("port", "5006"),
        ("org.eclipse.jdt.launching.VM_CONNECTOR_ID", "org.eclipse.jdt.launching.socketListenConnector"),
    ];
    assert_eq!(values(&listening), pairs(&expected));
    let group = Document::parse(&files[2].1).expect("XML");
    assert_eq!(
        group.root_element().attribute("type"),
        Some("org.eclipse.debug.core.groups.GroupLaunchConfigurationType")
    );
    let member = |index: usize, name: &str| {
        let attributes =
            [("action", "NONE"), ("adoptIfRunning", "false"), ("enabled", "true"), ("mode", "debug"), ("name", name)];
        attributes.map(|(what, value)| (format!("org.eclipse.debug.core.launchGroup.{index}.{what}"), value.to_owned()))
    };
    let expected = [member(0, "sparkdbg driver 5005"), member(1, "sparkdbg executor listen 5006")].concat();
    assert_eq!(values(&group), expected);
}

/// Neovim runs Lua 5.1, and so does this, with a stand-in for nvim-dap that has two entries already.
#[test]
fn nvim_dap() {
    let scene = Scene::new();
    let words = ["ide", "nvim-dap", "--driver", "--executor=attach:node7:5006", "--module", r#"a\"b"#];
    let run = scene.run(&words);
    // The executor's host is named: there is nothing to ask.
    run.expect(Some(0), "");
    let lua = Lua::new();
    let stand_in = r#"
        started, commands = {}, {}
        local dap = { configurations = { java = { { name = "mine" }, { name = "sparkdbg: driver 5005", port = 1 } } } }
        dap.run = function(entry, options) table.insert(started, { entry.name, options.new }) end
        package.preload["dap"] = function() return dap end
        vim = { api = { nvim_create_user_command = function(name, does) commands[name] = does end } }
    "#;
    lua.load(stand_in).exec().expect("the stand-in");
    // Twice, as a `:luafile` typed twice.
    for _ in 0..2 {
        lua.load(&run.stdout[..]).exec().expect("Lua");
    }
    let entries: Vec<Table> = lua.load("return require('dap').configurations.java").eval().expect("entries");
    let field = |entry: &Table, name: &str| match entry.get::<LuaValue>(name).expect("a field") {
        LuaValue::Nil => String::new(),
        value => value.to_string().expect("text"),
    };
    let shown: Vec<String> = entries
        .iter()
        .map(|entry| {
            ["name", "type", "request", "hostName", "port", "projectName"].map(|name| field(entry, name)).join("|")
        })
        .collect();
    assert_eq!(
        shown,
        [
            r#"mine|||||"#,
            r#"sparkdbg: driver 5005|java|attach|127.0.0.1|5005|a\"b"#,
            r#"sparkdbg: executor 5006|java|attach|node7|5006|a\"b"#
        ]
    );
    let started: String = lua
        .load(
            "commands.SparkdbgAll() local all = '' for _, s in ipairs(started) do all = all .. s[1] .. '|' .. \
             tostring(s[2]) .. '\\n' end return all",
        )
        .eval()
        .expect("the command");
    assert_eq!(started, "sparkdbg: driver 5005|true\nsparkdbg: executor 5006|true\n");

    let run = scene.run(&["-q", "ide", "nvim-dap", "--metals", "--module", "root"]);
    run.expect(Some(0), "");
    let lua = Lua::new();
    lua.load("vim = nil package.preload['dap'] = function() return { configurations = {} } end").exec().expect("Lua");
    lua.load(&run.stdout[..]).exec().expect("Lua");
    let shown: String = lua
        .load("local one = require('dap').configurations.scala[1] return one.type .. one.buildTarget .. one.port")
        .eval()
        .expect("an entry");
    assert_eq!(shown, "scalaroot5005");

    // What is written can be loaded.
    let loads = "sparkdbg: `:luafile .nvim/sparkdbg.lua` loads it\n";
    let words = ["ide", "nvim-dap", "--write"];
    scene.run(&words).expect(Some(0), &format!("sparkdbg: wrote .nvim/sparkdbg.lua\n{loads}"));
    scene.run(&words).expect(Some(0), &format!("sparkdbg: .nvim/sparkdbg.lua stays as it is\n{loads}"));
}

#[test]
fn jdb() {
    let scene = Scene::new();
    scene.run(&["ide", "jdb"]).expect(Some(0), "").prints("jdb -attach 127.0.0.1:5005\n");
    let words = ["ide", "jdb", "--driver=attach:[::1]:5005", "--executor=listen:10.0.0.171:5006"];
    scene.run(&words).expect(Some(0), "").prints(
        "# sparkdbg: driver 5005\njdb -connect com.sun.jdi.SocketAttach:hostname=::1,port=5005\n\
         # sparkdbg: executor listen 5006\njdb -connect com.sun.jdi.SocketListen:port=5006,localAddress=10.0.0.171\n",
    );
}

#[test]
fn the_endpoints_of_a_profile() {
    let text = "default-profile = \"a\"\n[profile.a]\ndriver = \"attach:5007\"\n[profile.b]\nexecutor = \
                \"listen:10.0.0.171:5006\"\n[profile.c]\nexecutor = \"attach:0\"\n";
    let scene = Scene::new().file("work/sparkdbg.toml", text);
    scene.run(&["ide", "jdb"]).prints("jdb -attach 127.0.0.1:5007\n");
    let listens = "jdb -connect com.sun.jdi.SocketListen:port=5006,localAddress=10.0.0.171\n";
    scene.run(&["-p", "b", "ide", "jdb"]).prints(listens);
    // A named role takes the place of those of the profile.
    scene.run(&["ide", "jdb", "-p", "b", "--driver"]).prints("jdb -attach 127.0.0.1:5005\n");
    scene.run(&["ide", "vscode", "-p", "b"]).fails(
        125,
        "error: `vscode` cannot listen for the executor (@root/work/sparkdbg.toml:5 (profile b)): its Java debugger \
         only attaches\nhelp: let the JVM listen: --executor=attach:PORT; or take intellij, eclipse or jdb\n",
    );
    scene.run(&["ide", "intellij", "-p", "c"]).fails(
        125,
        "error: the port of the executor is not known (@root/work/sparkdbg.toml:7 (profile c)): it will take a free \
         one\nhelp: ask for those that run: sparkdbg ide intellij --from-ps; or choose one: --executor=attach:PORT\n",
    );
}
