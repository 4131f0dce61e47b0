//! IntelliJ IDEA: "Remote JVM Debug" in `.run/`, as the IDE itself writes it.

use super::xml::{self, Element, Setting, escaped};
use super::{Existing, File, RunConfiguration, Wanted};
use crate::endpoint::Mode;
use crate::error::Failure;

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
                refuse_another(&path, &there, &one.name.shown())?;
                xml::set(&path, &there, &settings(one, module, &one.name.shown()))?
            }
            None => remote(one, module),
        };
        files.push(File { path, content });
    }
    if let Some(name) = wanted.compound() {
        let path = format!(".run/{}.run.xml", name.slug());
        if let Some(there) = existing(&path)? {
            refuse_another(&path, &there, &name.shown())?;
        }
        files.push(File { path, content: compound(&name.shown(), &wanted.configurations) });
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
  <configuration default="false" name="{name}" type="Remote">
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

/// What must be so in a file that is there already; `DEBUG_PORT` follows `PORT` when the IDE starts it.
fn settings<'a>(one: &RunConfiguration, module: Option<&str>, name: &'a str) -> Vec<Setting<'a>> {
    let configuration = Element { tag: "configuration", key: Some(("name", name)) };
    let option = |name, value: &str| Setting {
        element: vec![configuration, Element { tag: "option", key: Some(("name", name)) }],
        attribute: "value",
        value: value.to_owned(),
    };
    let listens = one.mode == Mode::Listen;
    let mut settings = vec![
        option("SERVER_MODE", &listens.to_string()),
        option("HOST", &one.host),
        option("PORT", &one.port.to_string()),
    ];
    settings.extend(module.map(|module| Setting {
        element: vec![configuration, Element { tag: "module", key: None }],
        attribute: "name",
        value: module.to_owned(),
    }));
    settings
}

fn compound(name: &str, configurations: &[RunConfiguration]) -> String {
    let to_run: String = configurations
        .iter()
        .map(|one| format!("    <toRun name=\"{}\" type=\"Remote\" />\n", escaped(&one.name.shown())))
        .collect();
    format!(
        r#"<component name="ProjectRunConfigurationManager">
  <configuration default="false" name="{}" type="CompoundRunConfigurationType">
{to_run}    <method v="2" />
  </configuration>
</component>
"#,
        escaped(name)
    )
}

/// The name inside counts, not that of the file.
fn refuse_another(path: &str, there: &str, name: &str) -> Result<(), Failure> {
    let document = xml::parsed(path, there)?;
    let found = document.root_element().children().find_map(|node| node.attribute("name"));
    if found == Some(name) {
        return Ok(());
    }
    let holds = found.map_or_else(|| "no run configuration".to_owned(), |found| format!("`{found}`"));
    Err(Failure::world(format!("`{path}` is not ours: it holds {holds}, not `{name}`"))
        .help("give that file another name"))
}
