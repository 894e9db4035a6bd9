//! Marks and notes that people set, which are kept beside a store.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use onca_store::Store;
use serde::{Deserialize, Serialize};

/// What is kept beside `run.paje.onca` lies in `run.paje.onca-view`: not in the store, for a store that
/// does not fit any more is removed.
const SUFFIX: &str = "-view";
/// The file with the marks there.
pub const FILE: &str = "marks.json";
/// What the file says it is.
pub const SCHEMA: &str = "onca-marks/1";

/// The folder of what is kept beside a store.
pub fn folder_beside(store: &Path) -> PathBuf {
    // A store that is called "." has a name all the same.
    let store = std::path::absolute(store).unwrap_or_else(|_| store.to_owned());
    let mut name: OsString = store.file_name().unwrap_or_default().to_owned();
    name.push(SUFFIX);
    store.with_file_name(name)
}

/// The marks of a trace: `onca-marks/1`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "MarksAnswer"))]
#[serde(deny_unknown_fields)]
pub struct Marks {
    /// `onca-marks/1`.
    #[serde(default = "schema")]
    pub schema: String,
    /// In no order.
    pub marks: Vec<Mark>,
}

/// A time with a name, or a note on a window of time.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "KeptMark"))]
#[serde(deny_unknown_fields)]
pub struct Mark {
    /// Ticks after the begin of the trace.
    pub time: i64,
    /// Where the window of a note ends, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub end: Option<i64>,
    /// The path of the row that a note is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub row: Option<String>,
    /// What it is called.
    #[serde(default)]
    pub name: String,
    /// What there is to say.
    #[serde(default)]
    pub note: String,
    /// Such as `#cc3366`.
    #[serde(default)]
    pub color: Option<String>,
}

fn schema() -> String {
    SCHEMA.to_owned()
}

impl Default for Marks {
    fn default() -> Self {
        Self { schema: schema(), marks: Vec::new() }
    }
}

impl Marks {
    /// Those in the text of a file. One that somebody has spoilt holds none.
    pub fn of_text(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }

    /// Those beside a store.
    pub fn beside(store: &Store) -> Self {
        let text = std::fs::read_to_string(folder_beside(store.dir()).join(FILE));
        text.map(|text| Self::of_text(&text)).unwrap_or_default()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }
}
