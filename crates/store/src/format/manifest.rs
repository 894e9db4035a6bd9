//! The manifest: what makes a directory a store. One JSON object, then a line with its checksum.

use std::{collections::BTreeMap, fs::File, io::Read, path::Path};

use serde::{Deserialize, Serialize};

use crate::{
    Change, FEATURES, FileFacts, Fingerprint, MAGIC, MANIFEST, VERSION, dataset,
    error::{Result, StoreError, damaged},
    format::pages::Seal,
};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub magic: String,
    pub version: u32,
    /// Names of what a reader must understand beyond the version.
    pub features: Vec<String>,
    /// The program that wrote the store.
    pub creator: String,
    pub counts: Counts,
    pub files: BTreeMap<String, Seal>,
    pub source: Fingerprint,
    /// What the caller wanted to remember.
    pub facts: BTreeMap<String, String>,
    /// What was done to times; nothing for a store that was made from its source alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
}

/// How many of each a store has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Containers, the root included.
    pub containers: u64,
    /// Lanes.
    pub lanes: u64,
    /// States.
    pub states: u64,
    /// Steps of variables.
    pub variables: u64,
    /// Events.
    pub events: u64,
    /// Links.
    pub links: u64,
}

impl Manifest {
    pub(crate) fn to_text(&self) -> Result<String> {
        let mut text = serde_json::to_string_pretty(self)
            .map_err(|error| StoreError::Input { what: error.to_string() })?;
        text.push('\n');
        let line = checksum_line(text.as_bytes());
        text.push_str(&line);
        Ok(text)
    }

    /// The manifest of the store in `dir`, and its length.
    pub(crate) fn read(dir: &Path) -> Result<(Self, u64)> {
        let path = dir.join(MANIFEST);
        let (text, looked_ns) = match read_with_time(&path) {
            Ok(read) => read,
            Err(error) if is_absence(error.kind()) => {
                let no_store = || StoreError::NotAStore { path: dir.to_owned() };
                return Err(dataset::refusal(dir).unwrap_or_else(no_store));
            }
            Err(error) => {
                let what = format!("read {}", path.display());
                return Err(StoreError::Io { what, source: error });
            }
        };
        // A data set has a manifest of the same name, and no checksum in it.
        let mut manifest =
            Self::parse(&text).map_err(|error| dataset::refusal(dir).unwrap_or(error))?;
        manifest.source.looked_ns = looked_ns;
        Ok((manifest, text.len() as u64))
    }

    fn parse(text: &[u8]) -> Result<Self> {
        let fail = || damaged("the manifest does not fit its checksum");
        // The checksum line has a fixed length; comparing its text leaves no byte unchecked.
        let line_len = checksum_line(b"").len();
        let body_len = text.len().checked_sub(line_len).ok_or_else(fail)?;
        let (body, line) = text.split_at(body_len);
        if line != checksum_line(body).as_bytes() {
            return Err(fail());
        }
        let value: serde_json::Value =
            serde_json::from_slice(body).map_err(|_| damaged("the manifest is not JSON"))?;
        check_format(&value)?;
        serde_json::from_value(value)
            .map_err(|error| damaged(format!("the manifest lacks something: {error}")))
    }

    pub(crate) fn seal(&self, name: &str) -> Result<Seal> {
        self.files
            .get(name)
            .copied()
            .ok_or_else(|| damaged(format!("the manifest does not list {name}")))
    }
}

/// Looks at what every version has before the rest is taken to be of this one.
fn check_format(value: &serde_json::Value) -> Result<()> {
    if value["magic"] != MAGIC {
        return Err(damaged("the manifest is not that of a store"));
    }
    if value["version"] != VERSION {
        return Err(StoreError::OtherVersion { found: value["version"].to_string() });
    }
    for feature in value["features"].as_array().into_iter().flatten() {
        if !FEATURES.iter().any(|&known| feature == known) {
            return Err(StoreError::OtherVersion { found: format!("{VERSION} with {feature}") });
        }
    }
    Ok(())
}

/// The content of a file, and when it was written.
fn read_with_time(path: &Path) -> std::io::Result<(Vec<u8>, i64)> {
    let mut file = File::open(path)?;
    let mut text = Vec::new();
    file.read_to_end(&mut text)?;
    Ok((text, FileFacts::from(&file.metadata()?).mtime_ns))
}

fn checksum_line(body: &[u8]) -> String {
    format!("crc32 {:08x}\n", crc32fast::hash(body))
}

fn is_absence(kind: std::io::ErrorKind) -> bool {
    matches!(kind, std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}
