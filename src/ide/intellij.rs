//! IntelliJ IDEA: "Remote JVM Debug" in `.run/`, as the IDE itself writes it.

use roxmltree::Node;

use super::xml::{self, Element, Setting, escaped};
use super::{Existing, File, Name, RunConfiguration, Wanted};
use crate::endpoint::Mode;
use crate::error::Failure;

const REMOTE: &str = "Remote";
const COMPOUND: &str = "CompoundRunConfigurationType";

/// One file for each configuration, and one for what starts all.
///
/// # Errors
/// A file of that name holds something else, or is no XML.
pub fn files(wanted: &Wanted, existing: Existing<'_>) -> Result<Vec<File>, Failure> {
    let module = wanted.module.as_deref();
    let mut files = Vec::new();
    for one in &wanted.configurations {
        let path = format!(".run/{}.run.xml", one.name.slug());
        let content = match existing(&path)? {
            Some(there) => {
                refuse_another(&path, &there, &one.name.shown(), REMOTE)?;
                xml::set(&path, &there, &settings(one, module, &one.name.shown()))?
            }
            None => remote(one, module),
        };
        files.push(File { path, content });
    }
    if let Some(name) = wanted.compound() {
        let path = format!(".run/{}.run.xml", name.slug());
        let others = match existing(&path)? {
            Some(there) => {
                refuse_another(&path, &there, &name.shown(), COMPOUND)?;
                other_members(&path, &there)?
            }
            None => Vec::new(),
        };
        files.push(File { path, content: compound(&name.shown(), &wanted.configurations, &others) });
    }
    Ok(files)
}

fn remote(RunConfiguration { name, mode, host, port }: &RunConfiguration, module: Option<&str>) -> String {
    let name = escaped(&name.shown());
    let module = module.map(|module| format!("    <module name=\"{}\" />\n", escaped(module))).unwrap_or_default();
    let listens = *mode == Mode::Listen;
    let host = escaped(host);
    format!(
        r#"<component name="ProjectRunConfigurationManager">
  <configuration default="false" name="{name}" type="{REMOTE}">
{module}    <option name="USE_SOCKET_TRANSPORT" value="true" />
    <option name="SERVER_MODE" value="{listens}" />
    <option name="SHMEM_ADDRESS" />
    <option name="HOST" value="{host}" />
    <option name="PORT" value="{port}" />
    <option name="AUTO_RESTART" value="false" />
    <RunnerSettings RunnerId="Debug">
      <option name="DEBUG_PORT" value="{port}" />
      <option name="LOCAL" value="false" />
    </RunnerSettings>
    <method v="2" />
  </configuration>
</component>
"#
    )
}

/// What must be so in a file that is there already. `DEBUG_PORT` is what the IDE made of `PORT` when it last started it.
fn settings<'a>(one: &RunConfiguration, module: Option<&str>, name: &'a str) -> Vec<Setting<'a>> {
    let configuration = Element { tag: "configuration", key: Some(("name", name)) };
    let named = |name| Element { tag: "option", key: Some(("name", name)) };
    let option = |name, value: &str| Setting {
        element: vec![configuration, named(name)],
        attribute: "value",
        value: value.to_owned(),
        optional: false,
    };
    let port = one.port.to_string();
    let runner = Element { tag: "RunnerSettings", key: Some(("RunnerId", "Debug")) };
    let debug_port =
        Setting { element: vec![configuration, runner, named("DEBUG_PORT")], optional: true, ..option("PORT", &port) };
    let listens = one.mode == Mode::Listen;
    // First: a module, like in a new file.
    let module = module.map(|module| Setting {
        element: vec![configuration, Element { tag: "module", key: None }],
        attribute: "name",
        value: module.to_owned(),
        optional: false,
    });
    let options = [option("SERVER_MODE", &listens.to_string()), option("HOST", &one.host), option("PORT", &port)];
    module.into_iter().chain(options).chain([debug_port]).collect()
}

fn compound(name: &str, configurations: &[RunConfiguration], others: &[String]) -> String {
    let ours =
        configurations.iter().map(|one| format!("<toRun name=\"{}\" type=\"{REMOTE}\" />", escaped(&one.name.shown())));
    let to_run: String = ours.chain(others.iter().cloned()).map(|member| format!("    {member}\n")).collect();
    format!(
        r#"<component name="ProjectRunConfigurationManager">
  <configuration default="false" name="{}" type="{COMPOUND}">
{to_run}    <method v="2" />
  </configuration>
</component>
"#,
        escaped(name)
    )
}

/// The members of a compound that are not ours, as they stand there.
fn other_members(path: &str, there: &str) -> Result<Vec<String>, Failure> {
    let document = xml::parsed(path, there)?;
    let is_other = |node: &Node<'_, '_>| {
        node.has_tag_name("toRun") && !node.attribute("name").is_some_and(|name| name.starts_with(Name::START))
    };
    Ok(document.descendants().filter(is_other).map(|node| there[node.range()].to_owned()).collect())
}

/// The name inside counts, not that of the file.
fn refuse_another(path: &str, there: &str, name: &str, kind: &str) -> Result<(), Failure> {
    let document = xml::parsed(path, there)?;
    let found = document.root_element().children().find(|node| node.has_attribute("name"));
    let value = |attribute| found.and_then(|node| node.attribute(attribute));
    let why = match (value("name"), value("type").unwrap_or_default()) {
        (None, _) => format!("it holds no run configuration, not `{name}`"),
        (Some(found), _) if found != name => format!("it holds `{found}`, not `{name}`"),
        (Some(_), found) if found != kind => format!("its type is `{found}`, not `{kind}`"),
        _ => return Ok(()),
    };
    Err(Failure::world(format!("`{path}` is not ours: {why}")).help("give that file another name"))
}
