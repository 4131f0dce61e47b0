//! Eclipse: "Remote Java Application" in `.eclipse/`. The name of a configuration is that of its file.

use std::collections::BTreeMap;

use super::xml::{self, Element, Setting, escaped};
use super::{Existing, File, Name, RunConfiguration, Wanted};
use crate::endpoint::Mode;
use crate::error::Failure;

const REMOTE: &str = "org.eclipse.jdt.launching.remoteJavaApplication";
const GROUP: &str = "org.eclipse.debug.core.groups.GroupLaunchConfigurationType";
/// How the attributes of a group's members begin; their numbers follow.
const MEMBER: &str = "org.eclipse.debug.core.launchGroup.";
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
        let others = match existing(&path)? {
            Some(there) => {
                refuse_another(&path, &there, GROUP)?;
                other_members(&path, &there)?
            }
            None => Vec::new(),
        };
        files.push(File { path, content: group(&wanted.configurations, &others) });
    }
    Ok(files)
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
    let setting =
        |element, value: &str| Setting { element, attribute: "value", value: value.to_owned(), optional: false };
    let map = key("mapAttribute", CONNECT_MAP);
    let mut settings = vec![setting(vec![map, key("mapEntry", "port")], &port.to_string())];
    if *mode == Mode::Attach {
        settings.push(setting(vec![map, key("mapEntry", "hostname")], host));
    }
    settings.push(setting(vec![key("stringAttribute", CONNECTOR)], connector(*mode)));
    settings.extend(module.map(|module| setting(vec![key("stringAttribute", PROJECT)], module)));
    settings
}

/// One member of a group: each of its attributes, in their order.
type Member = Vec<Attribute>;

/// Such as `stringAttribute`, `name` and its value.
struct Attribute {
    tag: String,
    what: String,
    value: String,
}

fn group(configurations: &[RunConfiguration], others: &[Member]) -> String {
    let ours = configurations.iter().map(|one| {
        let name = one.name.of_file();
        let text = |what, value| ("stringAttribute", what, value);
        let truth = |what, value| ("booleanAttribute", what, value);
        [
            text("action", "NONE"),
            truth("adoptIfRunning", "false"),
            truth("enabled", "true"),
            text("mode", "debug"),
            text("name", name.as_str()),
        ]
        .map(|(tag, what, value)| Attribute { tag: tag.to_owned(), what: what.to_owned(), value: value.to_owned() })
        .into()
    });
    let ours: Vec<Member> = ours.collect();
    let line = |index: usize, Attribute { tag, what, value }: &Attribute| {
        format!("    <{tag} key=\"{MEMBER}{index}.{what}\" value=\"{}\"/>\n", escaped(value))
    };
    let members = ours.iter().chain(others).enumerate();
    let lines: String = members.flat_map(|(index, member)| member.iter().map(move |one| line(index, one))).collect();
    launch_configuration(GROUP, &lines)
}

/// The members of a group that are not ours.
fn other_members(path: &str, there: &str) -> Result<Vec<Member>, Failure> {
    let document = xml::parsed(path, there)?;
    let mut members: BTreeMap<usize, Member> = BTreeMap::new();
    for node in document.root_element().children() {
        let Some((index, what)) = node.attribute("key").and_then(|key| key.strip_prefix(MEMBER)?.split_once('.'))
        else {
            continue;
        };
        let (Ok(index), Some(value)) = (index.parse(), node.attribute("value")) else { continue };
        let tag = node.tag_name().name().to_owned();
        members.entry(index).or_default().push(Attribute { tag, what: what.to_owned(), value: value.to_owned() });
    }
    let is_ours = |one: &Attribute| one.what == "name" && one.value.starts_with(Name::START_OF_FILE);
    Ok(members.into_values().filter(|member| !member.iter().any(is_ours)).collect())
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
