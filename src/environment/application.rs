//! The file of the application, as far as `spark-submit` looks at it: for `doctor` alone.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use miniz_oxide::inflate::decompress_to_vec_with_limit;
use url::Url;

use super::{Environment, Process};
use crate::error;
use crate::spark::submit::End;

/// Words in the application's place that name no file.
const NO_FILES: [&str; 4] = ["spark-internal", "spark-shell", "pyspark-shell", "sparkr-shell"];

/// How the header of an entry begins.
const HEADER: &[u8] = b"PK\x03\x04";

/// As much of a jar as its manifest may take; of an unpacked one, too.
const MANIFEST: usize = 1 << 20;

/// What `spark-submit` is to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    /// As it is written.
    pub word: String,
    /// Where it is, and what it is there.
    pub place: Place,
}

/// Where an application is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Behind a URI of this scheme, which is not looked at.
    Scheme(String),
    /// On this machine.
    Here(PathBuf, Found),
}

/// What there is in a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// Nothing.
    Nothing,
    /// A directory.
    Directory,
    /// What cannot be read, and why.
    Unreadable(String),
    /// A file that begins with no manifest of a jar.
    NoManifest,
    /// A jar, and whether its manifest names a main class.
    Jar {
        /// It does.
        has_main_class: bool,
    },
}

/// Looks at it; `None` where the command line names none.
pub fn read(environment: &Environment, process: &Process) -> Option<Application> {
    let End::Resource(at) = environment.line.end else { return None };
    // What stands behind is an example's class.
    if environment.line.start > 0 || NO_FILES.contains(&environment.words[at].as_str()) {
        return None;
    }
    let word = environment.words[at].clone();
    let place = match scheme(&word) {
        None => here(process.absolute(Path::new(&word))),
        Some("file") => here(Url::parse(&word).ok()?.to_file_path().ok()?),
        // On each host, and so on this one, where the driver's own script is.
        Some("local") if is_script(&word) && !environment.deployment.cluster => {
            here(PathBuf::from(Url::parse(&word).ok()?.path()))
        }
        Some(scheme) => Place::Scheme(scheme.to_owned()),
    };
    // A fragment renames a file, and is none of its name.
    (!word.contains('#')).then_some(Application { word, place })
}

/// What Python or R runs.
pub fn is_script(word: &str) -> bool {
    word.ends_with(".py") || word.ends_with(".R")
}

fn scheme(word: &str) -> Option<&str> {
    let (scheme, _) = word.split_once(':')?;
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    is_scheme.then_some(scheme)
}

fn here(path: PathBuf) -> Place {
    let found = match head(&path) {
        _ if path.is_dir() => Found::Directory,
        Err(cause) if cause.kind() == ErrorKind::NotFound => Found::Nothing,
        Err(cause) => Found::Unreadable(error::cause(&cause)),
        Ok(bytes) => match manifest(&bytes) {
            None => Found::NoManifest,
            Some(text) => Found::Jar { has_main_class: has_main_class(&text) },
        },
    };
    Place::Here(path, found)
}

fn head(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // A pipe would be waited for.
    if path.metadata()?.is_file() {
        File::open(path)?.take(MANIFEST as u64).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// The manifest where Java's `JarInputStream` looks for it: the first entry of the archive, or the one behind a first
/// `META-INF/`.
fn manifest(jar: &[u8]) -> Option<String> {
    let (name, content) = entry(jar)?;
    let (name, content) =
        if name.eq_ignore_ascii_case("META-INF/") { entry(next(content.bytes)?)? } else { (name, content) };
    if !name.eq_ignore_ascii_case("META-INF/MANIFEST.MF") {
        return None;
    }
    let bytes = match content.method {
        0 => content.bytes.get(..content.size)?.to_vec(),
        8 => decompress_to_vec_with_limit(content.bytes, MANIFEST).ok()?,
        _ => return None,
    };
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// What begins with the header of an entry, behind a directory: that has no content but what packing it makes.
fn next(bytes: &[u8]) -> Option<&[u8]> {
    let at = bytes.windows(HEADER.len()).position(|window| window == HEADER)?;
    Some(&bytes[at..])
}

/// What stands behind the header of an entry.
struct Content<'a> {
    method: u16,
    size: usize,
    bytes: &'a [u8],
}

/// The first entry: its name, and what it holds. Source: the local file header in PKWARE's APPNOTE.TXT, 4.3.7.
fn entry(bytes: &[u8]) -> Option<(String, Content<'_>)> {
    let number = |at: usize| Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
    if !bytes.starts_with(HEADER) {
        return None;
    }
    let size = u32::from_le_bytes(bytes.get(18..22)?.try_into().ok()?) as usize;
    let (name, extra) = (usize::from(number(26)?), usize::from(number(28)?));
    let text = String::from_utf8_lossy(bytes.get(30..30 + name)?).into_owned();
    Some((text, Content { method: number(8)?, size, bytes: bytes.get(30 + name + extra..)? }))
}

/// Whether the main section names one; a section ends at an empty line.
fn has_main_class(manifest: &str) -> bool {
    let mut main = manifest.lines().take_while(|line| !line.is_empty());
    main.any(|line| line.get(..11).is_some_and(|name| name.eq_ignore_ascii_case("Main-Class:")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use miniz_oxide::deflate::compress_to_vec;

    /// A local entry, as `jar` writes it: its size stands behind it.
    fn deflated(name: &str, text: &str) -> Vec<u8> {
        raw(name, 8, 0, &compress_to_vec(text.as_bytes(), 6))
    }

    fn stored(name: &str, text: &str) -> Vec<u8> {
        raw(name, 0, text.len(), text.as_bytes())
    }

    fn raw(name: &str, method: u8, size: usize, bytes: &[u8]) -> Vec<u8> {
        let mut entry = HEADER.to_vec();
        entry.extend([20, 0, 8, 0, method, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        entry.extend(u32::try_from(size).unwrap().to_le_bytes());
        entry.extend([0; 4]);
        entry.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
        // Four bytes of an extra field.
        entry.extend([4, 0]);
        entry.extend(name.as_bytes());
        entry.extend([0xfe, 0xca, 0, 0]);
        entry.extend(bytes);
        entry
    }

    const MAIN: &str = "Manifest-Version: 1.0\r\nmain-class: a.B\r\n\r\n";

    #[test]
    fn a_manifest_is_read_where_java_reads_it() {
        let name = "META-INF/MANIFEST.MF";
        let behind = [deflated(name, MAIN), b"PK\x01\x02".to_vec()].concat();
        let second = [stored("META-INF/", ""), deflated(name, MAIN)].concat();
        let descriptor = [&b"PK\x07\x08"[..], &[0; 12]].concat();
        let packed = [deflated("META-INF/", ""), descriptor, deflated(name, MAIN)].concat();
        for jar in [behind, second, packed, stored(name, MAIN), stored("meta-inf/manifest.mf", MAIN)] {
            assert_eq!(manifest(&jar).as_deref(), Some(MAIN));
        }
        let third = [stored("META-INF/", ""), stored("a", "b"), stored(name, MAIN)].concat();
        let late = [stored("a", "b"), stored(name, MAIN)].concat();
        let torn = deflated(name, MAIN)[..60].to_vec();
        for jar in [third, late, torn, b"PK\x05\x06".to_vec(), b"#!/bin/sh\n".to_vec(), Vec::new()] {
            assert_eq!(manifest(&jar), None);
        }
    }

    #[test]
    fn only_the_main_section_names_the_main_class() {
        assert!(has_main_class(MAIN));
        assert!(!has_main_class("Manifest-Version: 1.0\r\n\r\nName: a\r\nMain-Class: a.B\r\n"));
        assert!(!has_main_class("Main-Classes: a.B\n"));
    }

    #[test]
    fn what_is_a_uri() {
        for (word, expected) in [("hdfs://h/a.jar", Some("hdfs")), ("a.jar", None), ("./a:b.jar", None), (":a", None)] {
            assert_eq!(scheme(word), expected, "{word}");
        }
    }
}
