//! One configuration file: TOML with every key known, every value checked and every line kept.
//!
//! The spanned table is walked by hand, so that each error names its line, its key and the right word.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use toml::de::{DeTable, DeValue};

use crate::endpoint::{EndpointSpec, Host, Mode, is_peer};
use crate::error::{Failure, nearest};
use crate::trust;

use super::find::Found;
use super::{Origin, Profile, Request, Sourced, ticked};

/// The keys of a file.
const FILE_KEYS: [&str; 2] = ["default-profile", "profile"];

/// The keys of a profile, in the order of the documentation.
const PROFILE_KEYS: [&str; 14] = [
    "inherits",
    "driver",
    "executor",
    "daemon",
    "client",
    "jobmanager",
    "taskmanager",
    "allow",
    "existing",
    "one-executor",
    "pause-limit",
    "spark-home",
    "flink-home",
    "worker-master",
];

/// The keys of an endpoint that is written as a table.
const ENDPOINT_KEYS: [&str; 4] = ["mode", "host", "port", "suspend"];

/// The content of a file.
#[derive(Debug)]
pub(super) struct File {
    pub path: PathBuf,
    /// With its line.
    default: Option<(String, usize)>,
    pub profiles: BTreeMap<String, Definition>,
}

impl File {
    /// The profile that this file asks for when nobody names one.
    pub fn default_profile(&self) -> Option<Request> {
        let (name, line) = self.default.as_ref()?;
        let file = self.path.display();
        let refusal = format!("`{file}` line {line}: unknown profile `{name}` in `default-profile`");
        Some(Request { name: name.clone(), by: format!("default-profile, {file}:{line}"), refusal })
    }
}

/// What one file says about one profile.
#[derive(Debug, Clone, Default)]
pub(super) struct Definition {
    pub inherits: Option<Sourced<String>>,
    pub keys: Profile,
    /// The line on which it begins, from 1.
    pub line: usize,
}

/// Reads and checks a whole file.
pub(super) fn read(found: &Found, home: Option<&Path>) -> Result<File, Failure> {
    let bytes = trust::read(&found.path)?;
    let (text, valid) = match str::from_utf8(&bytes) {
        Ok(text) => (text, true),
        Err(error) => (str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(), false),
    };
    let reader = Reader { found, text, home };
    if !valid {
        return Err(reader.failure(reader.line(text.len()), "not UTF-8"));
    }
    reader.file()
}

/// A key and its value, with what an error says about them.
struct Item<'t> {
    key: &'t str,
    value: &'t DeValue<'t>,
    line: usize,
    /// The key and the tables around it: `` `port` of `driver` in profile `local` ``.
    subject: String,
}

struct Reader<'a> {
    found: &'a Found,
    text: &'a str,
    home: Option<&'a Path>,
}

impl Reader<'_> {
    fn file(&self) -> Result<File, Failure> {
        let document = DeTable::parse(self.text).map_err(|error| {
            let line = self.line(error.span().map_or(0, |span| span.start));
            self.failure(line, error.message().lines().collect::<Vec<_>>().join("; "))
        })?;
        let mut file = File { path: self.found.path.clone(), default: None, profiles: BTreeMap::new() };
        for item in self.items(document.get_ref(), "") {
            match item.key {
                "default-profile" => file.default = Some((self.string(&item)?.to_owned(), item.line)),
                "profile" => {
                    let profiles = self.table(&item, "a table of profiles, `[profile.NAME]`")?;
                    for profile in self.items(profiles, " in `profile`") {
                        file.profiles.insert(profile.key.to_owned(), self.profile(&profile)?);
                    }
                }
                key if PROFILE_KEYS.contains(&key) => {
                    return Err(self
                        .failure(item.line, format!("unknown key {}", item.subject))
                        .help(format!("`{key}` belongs to a profile: write it below `[profile.NAME]`")));
                }
                _ => return Err(self.unknown_key(&item, &FILE_KEYS)),
            }
        }
        Ok(file)
    }

    fn profile(&self, profile: &Item) -> Result<Definition, Failure> {
        let mut definition = Definition { line: profile.line, ..Definition::default() };
        let keys = &mut definition.keys;
        for item in self.items(self.table(profile, "a table")?, &format!(" in profile `{}`", profile.key)) {
            let origin = Origin {
                file: self.found.path.clone(),
                line: item.line,
                project: self.found.project,
                profile: profile.key.to_owned(),
            };
            match item.key {
                "inherits" => definition.inherits = sourced(self.string(&item)?.to_owned(), origin),
                "driver" => keys.driver = sourced(self.endpoint(&item)?, origin),
                "executor" => keys.executor = sourced(self.endpoint(&item)?, origin),
                "daemon" => keys.daemon = sourced(self.endpoint(&item)?, origin),
                "client" => keys.client = sourced(self.endpoint(&item)?, origin),
                "jobmanager" => keys.jobmanager = sourced(self.endpoint(&item)?, origin),
                "taskmanager" => keys.taskmanager = sourced(self.endpoint(&item)?, origin),
                "allow" => keys.allow = sourced(self.allow(&item)?, origin),
                "existing" => keys.existing = sourced(self.parsed(&item)?, origin),
                "one-executor" => keys.one_executor = sourced(self.boolean(&item)?, origin),
                "pause-limit" => keys.pause_limit = sourced(self.parsed(&item)?, origin),
                "spark-home" => keys.spark_home = sourced(self.home_directory(&item)?, origin),
                "flink-home" => keys.flink_home = sourced(self.home_directory(&item)?, origin),
                "worker-master" => keys.worker_master = sourced(self.string(&item)?.to_owned(), origin),
                _ => return Err(self.unknown_key(&item, &PROFILE_KEYS)),
            }
        }
        Ok(definition)
    }

    fn endpoint(&self, item: &Item) -> Result<EndpointSpec, Failure> {
        let table = match item.value {
            DeValue::String(_) => return self.dialled(item, self.parsed(item)?),
            DeValue::Table(table) => table,
            _ => return Err(self.wrong_type(item, "a string like \"attach:5005\" or a table")),
        };
        let (mut mode, mut host, mut port, mut suspend) = (None, None, None, None);
        for field in self.items(table, &format!(" of {}", item.subject)) {
            match field.key {
                "mode" => mode = Some(self.mode(&field)?),
                "host" => host = Some(self.parsed::<Host>(&field)?),
                "port" => port = Some(self.port(&field)?),
                "suspend" => suspend = Some(self.boolean(&field)?),
                _ => return Err(self.unknown_key(&field, &ENDPOINT_KEYS)),
            }
        }
        let mode = mode.ok_or_else(|| {
            self.failure(item.line, format!("{} has no `mode`", item.subject))
                .help("add `mode = \"attach\"` (the JVM listens) or `mode = \"listen\"` (the debugger listens)")
        })?;
        let spec = EndpointSpec::new(mode, host, port, suspend).map_err(|why| self.bad_value(item, why))?;
        self.dialled(item, spec)
    }

    /// No launch takes a debugger that listens everywhere, which is nowhere to dial.
    fn dialled(&self, item: &Item, spec: EndpointSpec) -> Result<EndpointSpec, Failure> {
        match &spec.host {
            Some(host) if spec.mode == Mode::Listen && host.is_wildcard() => Err(self
                .bad_value(item, format!("`{host}` is no address that a JVM can dial"))
                .help("with `listen`, the host is the machine on which the debugger listens")),
            _ => Ok(spec),
        }
    }

    fn mode(&self, item: &Item) -> Result<Mode, Failure> {
        let word = self.string(item)?;
        let modes = [Mode::Attach, Mode::Listen];
        modes
            .into_iter()
            .find(|mode| mode.name() == word)
            .ok_or_else(|| self.bad_value(item, format!("`{word}` is neither `attach` nor `listen`")))
    }

    fn port(&self, item: &Item) -> Result<u16, Failure> {
        let DeValue::Integer(number) = item.value else { return Err(self.wrong_type(item, "an integer")) };
        u16::from_str_radix(number.as_str(), number.radix())
            .map_err(|_| self.bad_value(item, format!("`{number}` is not a port: a number from 0 to 65535")))
    }

    fn allow(&self, item: &Item) -> Result<Vec<String>, Failure> {
        let wanted = "an array of strings like [\"10.0.0.0/8\"]";
        let elements = match item.value {
            DeValue::String(_) => return Ok(vec![self.allowed(item)?]),
            DeValue::Array(elements) => elements,
            _ => return Err(self.wrong_type(item, wanted)),
        };
        if elements.is_empty() {
            return Err(self.bad_value(item, "the array is empty, so that nobody could attach"));
        }
        elements
            .iter()
            .map(|element| {
                let line = self.line(element.span().start);
                let element = Item { key: item.key, value: element.get_ref(), line, subject: item.subject.clone() };
                match element.value {
                    DeValue::String(_) => self.allowed(&element),
                    value => Err(self
                        .failure(line, format!("{} must be {wanted}, but holds {}", item.subject, described(value)))),
                }
            })
            .collect()
    }

    fn allowed(&self, item: &Item) -> Result<String, Failure> {
        let text = self.string(item)?;
        if !is_peer(text) {
            return Err(self.bad_value(item, format!("`{text}` is not an address `IP[/BITS]`")));
        }
        Ok(text.to_owned())
    }

    /// A directory, where `~` is the user's and a relative path starts at the file's.
    fn home_directory(&self, item: &Item) -> Result<PathBuf, Failure> {
        let text = self.string(item)?;
        let below_home = if text == "~" { Some("") } else { text.strip_prefix("~/") };
        match (below_home, self.home) {
            (Some(rest), Some(home)) => Ok(home.join(rest.trim_start_matches('/'))),
            (Some(_), None) => Err(self.bad_value(item, format!("`{text}` needs `HOME`, which is not set"))),
            (None, _) => Ok(self.found.path.parent().unwrap_or(Path::new("/")).join(text)),
        }
    }

    fn parsed<T: FromStr<Err = String>>(&self, item: &Item) -> Result<T, Failure> {
        self.string(item)?.parse().map_err(|why| self.bad_value(item, why))
    }

    fn string<'t>(&self, item: &Item<'t>) -> Result<&'t str, Failure> {
        let DeValue::String(text) = item.value else { return Err(self.wrong_type(item, "a string")) };
        if text.is_empty() {
            return Err(self.bad_value(item, "the string is empty"));
        }
        // Such a value could not be passed to a program.
        if text.contains('\0') {
            return Err(self.bad_value(item, "the string holds a NUL"));
        }
        Ok(text)
    }

    fn boolean(&self, item: &Item) -> Result<bool, Failure> {
        item.value.as_bool().ok_or_else(|| self.wrong_type(item, "true or false"))
    }

    fn table<'t>(&self, item: &Item<'t>, wanted: &str) -> Result<&'t DeTable<'t>, Failure> {
        item.value.as_table().ok_or_else(|| self.wrong_type(item, wanted))
    }

    /// The entries of a table in the order of the file, so that the first error is the one reported.
    fn items<'t>(&self, table: &'t DeTable<'t>, within: &str) -> Vec<Item<'t>> {
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        entries
            .into_iter()
            .map(|(key, value)| Item {
                key: key.get_ref(),
                value: value.get_ref(),
                line: self.line(key.span().start),
                subject: format!("`{}`{within}", key.get_ref()),
            })
            .collect()
    }

    fn line(&self, offset: usize) -> usize {
        1 + self.text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
    }

    fn failure(&self, line: usize, what: impl AsRef<str>) -> Failure {
        Failure::world(format!("`{}` line {line}: {}", self.found.path.display(), what.as_ref()))
    }

    fn bad_value(&self, item: &Item, why: impl AsRef<str>) -> Failure {
        self.failure(item.line, format!("{}: {}", item.subject, why.as_ref()))
    }

    fn wrong_type(&self, item: &Item, wanted: &str) -> Failure {
        self.failure(item.line, format!("{} must be {wanted}, not {}", item.subject, described(item.value)))
    }

    fn unknown_key(&self, item: &Item, known: &[&str]) -> Failure {
        self.failure(item.line, format!("unknown key {}", item.subject)).help(
            match nearest(item.key, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the keys are {}", ticked(known)),
            },
        )
    }
}

fn sourced<T>(value: T, origin: Origin) -> Option<Sourced<T>> {
    Some(Sourced { value, origin })
}

fn described(value: &DeValue) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a float",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}
