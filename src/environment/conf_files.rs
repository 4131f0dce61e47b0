//! Spark's configuration files and files of JVM options, as far as they count.

use std::fs;
use std::path::{Path, PathBuf};

use super::Process;
use crate::error::{self, Failure};
use crate::jvm::options as jvm_options;
use crate::seeded_fault::{self, Fault};
use crate::spark::conf::Layer;
use crate::spark::properties;
use crate::spark::submit::CommandLine;
use crate::text;

/// A file of JVM options that an option string or the launcher names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionFile {
    /// The file.
    pub path: PathBuf,
    /// What it holds.
    pub text: String,
    /// Whether it is `conf/java-opts`, which every JVM of this Spark takes.
    pub java_opts: bool,
}

/// The files that Spark reads, strongest first. Source: `AbstractCommandBuilder.loadPropertiesFile`.
///
/// # Errors
/// A named file is missing, or one that counts is malformed.
pub fn layers(line: &CommandLine, conf_dir: Option<&Path>, process: &Process) -> Result<Vec<Layer>, Failure> {
    let mut layers = Vec::new();
    if seeded_fault::active(Fault::NoPropertiesFile) {
        return Ok(layers);
    }
    let named = line.last("--properties-file");
    for setting in line.settings.iter().rev().filter(|setting| setting.option == "--extra-properties-file") {
        layers.push(named_layer(setting.option, &setting.value, process)?);
    }
    if let Some(setting) = named {
        layers.push(named_layer(setting.option, &setting.value, process)?);
    }
    if named.is_none() || line.has("--load-spark-defaults") {
        let defaults = conf_dir.map(|dir| process.absolute(dir).join("spark-defaults.conf"));
        if let Some(file) = defaults.filter(|file| file.is_file()) {
            layers.push(layer(file)?);
        }
    }
    Ok(layers)
}

fn named_layer(option: &str, value: &str, process: &Process) -> Result<Layer, Failure> {
    let file = process.absolute(Path::new(&text::encode(value)));
    if !file.is_file() {
        // As Spark does: a pipe would be empty when Spark reads it after us.
        let option = format!("`{option} {}`", shell_words::quote(value));
        return Err(match file.exists() {
            true => Failure::world(format!("{option}: that is no regular file, so Spark refuses it"))
                .help("write the settings to a file"),
            false => Failure::world(format!("{option}: there is no such file")),
        });
    }
    layer(file)
}

fn layer(file: PathBuf) -> Result<Layer, Failure> {
    let text = read(&file)?;
    let entries = properties::parse(&text)
        .map_err(|malformed| Failure::world(format!("`{}` {malformed}; Spark refuses the file", file.display())))?;
    Ok(Layer { file, entries })
}

/// `conf/java-opts`, and the files that option strings name; what cannot be read of those, `java` will
/// report.
///
/// # Errors
/// `java-opts` cannot be read.
pub fn option_files(conf_dir: Option<&Path>, texts: &[String], process: &Process) -> Result<Vec<OptionFile>, Failure> {
    let mut files = Vec::new();
    if let Some(path) = conf_dir.map(|dir| process.absolute(dir).join("java-opts")).filter(|path| path.is_file()) {
        files.push(OptionFile { text: read(&path)?, path, java_opts: true });
    }
    let names = texts.iter().flat_map(|text| jvm_options::named_files(text));
    files.extend(names.filter_map(|name| {
        let path = process.absolute(Path::new(&text::encode(&name)));
        let text = path.is_file().then(|| read(&path).ok()).flatten()?;
        Some(OptionFile { path, text, java_opts: false })
    }));
    Ok(files)
}

/// A text file as Java reads it: bytes that are no UTF-8 become U+FFFD.
///
/// # Errors
/// It cannot be read.
pub fn read(file: &Path) -> Result<String, Failure> {
    let bytes = fs::read(file)
        .map_err(|cause| Failure::world(format!("`{}` cannot be read: {}", file.display(), error::cause(&cause))))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
