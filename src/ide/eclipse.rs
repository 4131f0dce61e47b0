//! Eclipse: "Remote Java Application" in `.eclipse/`. The name of a configuration is that of its file.

use super::xml::{self, Element, Setting, escaped};
use super::{Existing, File, RunConfiguration, Wanted};
use crate::endpoint::Mode;
use crate::error::Failure;

const REMOTE: &str = "org.eclipse.jdt.launching.remoteJavaApplication";
const GROUP: &str = "org.eclipse.debug.core.groups.GroupLaunchConfigurationType";
const CONNECT_MAP: &str = "org.eclipse.jdt.launching.CONNECT_MAP";
const PROJECT: &str = "org.eclipse.jdt.launching.PROJECT_ATTR";
const CONNECTOR: &str = "org.eclipse.jdt.launching.VM_CONNECTOR_ID";

/// One file for each configuration, and a launch group for all.
///
/// # Errors
/// A file of that name holds something else, or is no XML.
pub fn files(wanted: &Wanted, existing: Existing<'_>) -> Result<Vec<File>, Failure> {
    let module = wanted.module.as_deref();
    let mut files = Vec::new();
    for one in &wanted.configurations {
        let path = path(&one.name.of_file());
        let content = match existing(&path)? {
            Some(there) => {
                refuse_another(&path, &there, REMOTE)?;
                xml::set(&path, &there, &settings(one, module))?
            }
            None => remote(one, module),
        };
        files.push(File { path, content });
    }
    if let Some(name) = wanted.compound() {
        let path = path(&name.of_file());
        if let Some(there) = existing(&path)? {
            refuse_another(&path, &there, GROUP)?;
        }
        files.push(File { path, content: group(&wanted.configurations) });
    }
    Ok(files)
}

/// Its listening connector has a port and no host.
pub fn caveat(wanted: &Wanted) -> Option<String> {
    let listening = wanted.configurations.iter().find(|one| one.mode == Mode::Listen)?;
    Some(format!("Eclipse listens on every address of this machine, not on {} alone", listening.host))
}

fn path(name: &str) -> String {
    format!(".eclipse/{name}.launch")
}

fn connector(mode: Mode) -> &'static str {
    match mode {
        Mode::Attach => "org.eclipse.jdt.launching.socketAttachConnector",
        Mode::Listen => "org.eclipse.jdt.launching.socketListenConnector",
    }
}

fn launch_configuration(kind: &str, attributes: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n\
         <launchConfiguration type=\"{kind}\">\n{attributes}</launchConfiguration>\n"
    )
}

fn text(key: &str, value: &str) -> String {
    format!("    <stringAttribute key=\"{key}\" value=\"{}\"/>\n", escaped(value))
}

fn truth(key: &str, value: bool) -> String {
    format!("    <booleanAttribute key=\"{key}\" value=\"{value}\"/>\n")
}

fn remote(RunConfiguration { mode, host, port, .. }: &RunConfiguration, module: Option<&str>) -> String {
    let first = match mode {
        Mode::Attach => format!("        <mapEntry key=\"hostname\" value=\"{}\"/>\n", escaped(host)),
        Mode::Listen => "        <mapEntry key=\"connectionLimit\" value=\"1\"/>\n".to_owned(),
    };
    let attributes = [
        truth("org.eclipse.jdt.launching.ALLOW_TERMINATE", false),
        format!("    <mapAttribute key=\"{CONNECT_MAP}\">\n{first}"),
        format!("        <mapEntry key=\"port\" value=\"{port}\"/>\n    </mapAttribute>\n"),
        module.map(|module| text(PROJECT, module)).unwrap_or_default(),
        text(CONNECTOR, connector(*mode)),
    ];
    launch_configuration(REMOTE, &attributes.concat())
}

/// What must be so in a file that is there already.
fn settings(
    RunConfiguration { mode, host, port, .. }: &RunConfiguration,
    module: Option<&str>,
) -> Vec<Setting<'static>> {
    let key = |tag, key| Element { tag, key: Some(("key", key)) };
    let setting = |element, value: &str| Setting { element, attribute: "value", value: value.to_owned() };
    let map = key("mapAttribute", CONNECT_MAP);
    let mut settings = vec![setting(vec![map, key("mapEntry", "port")], &port.to_string())];
    if *mode == Mode::Attach {
        settings.push(setting(vec![map, key("mapEntry", "hostname")], host));
    }
    settings.push(setting(vec![key("stringAttribute", CONNECTOR)], connector(*mode)));
    settings.extend(module.map(|module| setting(vec![key("stringAttribute", PROJECT)], module)));
    settings
}

fn group(configurations: &[RunConfiguration]) -> String {
    let attributes = configurations.iter().enumerate().map(|(index, one)| {
        let key = |what: &str| format!("org.eclipse.debug.core.launchGroup.{index}.{what}");
        [
            text(&key("action"), "NONE"),
            truth(&key("adoptIfRunning"), false),
            truth(&key("enabled"), true),
            text(&key("mode"), "debug"),
            text(&key("name"), &one.name.of_file()),
        ]
        .concat()
    });
    launch_configuration(GROUP, &attributes.collect::<String>())
}

fn refuse_another(path: &str, there: &str, kind: &str) -> Result<(), Failure> {
    let document = xml::parsed(path, there)?;
    match document.root_element().attribute("type") {
        Some(found) if found == kind => Ok(()),
        found => Err(Failure::world(format!(
            "`{path}` is not ours: its type is `{}`, not `{kind}`",
            found.unwrap_or_default()
        ))
        .help("give that file another name")),
    }
}
