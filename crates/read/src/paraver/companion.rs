//! The files beside a trace.

use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use onca_model::Code;

use super::labels::{BadLine, Labels, Rows};
use crate::batch::{Batch, Problem};
use crate::faults::{Faults, Spot};
use crate::folder::Folder;
use crate::reading::FileList;
use crate::source::{Progress, Source};

/// No companion is longer.
const MAX_BYTES: u64 = 64 << 20;

/// Endings of compressed files.
const COMPRESSED: [&str; 4] = ["gz", "xz", "zst", "bz2"];

/// What lies beside a trace.
pub(super) struct Companions {
    pub labels: Labels,
    pub rows: Rows,
    /// What is wrong with it, a batch for each file.
    pub told: Vec<Batch>,
}

impl Companions {
    /// Reads what is there, and adds it to the files of the trace.
    pub fn read(source: &Source, part: u32, files: &mut FileList) -> Self {
        let mut told = Vec::new();
        let mut text_of = |extension: &str, without: &str| {
            let (found, before) = companion(source, extension);
            // One that appears before it would be taken instead.
            files.unread.extend(before);
            match found.map(|path| (text(source, &path), path)) {
                Some((Ok(text), path)) => Some((text, files.push(path))),
                Some((Err((code, why)), path)) => {
                    let message = format!("{}: {why}; {without}", path.display());
                    told.push(problem(part, code, &message));
                    files.unread.push(path);
                    None
                }
                None => {
                    let name = match source.is_stream() {
                        true => format!("a .{extension} beside a stream"),
                        false => {
                            bare(source.path()).with_extension(extension).display().to_string()
                        }
                    };
                    let message = format!("{name} is not there; {without}");
                    told.push(problem(part, Code::MissingPartFile, &message));
                    None
                }
            }
        };
        let pcf = text_of("pcf", "states and events have numbers for names");
        let row = text_of("row", "places have numbers for names");
        let mut labels = Labels::default();
        if let Some((text, part)) = pcf {
            let (parsed, bad) = Labels::parse(&text);
            labels = parsed;
            told.extend(bad_lines(part, &bad));
        }
        let mut rows = Rows::default();
        if let Some((text, part)) = row {
            let (parsed, bad) = Rows::parse(&text);
            rows = parsed;
            told.extend(bad_lines(part, &bad));
        }
        Self { labels, rows, told }
    }
}

/// The trace that a companion lies beside; `None` if the path is none, or there is no trace.
pub fn trace_of(path: &Path) -> Option<PathBuf> {
    let bare = bare(path);
    let is_companion = bare.extension().is_some_and(|end| end == "pcf" || end == "row");
    if is_companion { existing(&bare.with_extension("prv")).0 } else { None }
}

/// The file with this ending that belongs to a trace, compressed or not, and those that would be
/// taken before it.
fn companion(source: &Source, extension: &str) -> (Option<PathBuf>, Vec<PathBuf>) {
    if source.is_stream() {
        return (None, Vec::new());
    }
    existing(&bare(source.path()).with_extension(extension))
}

/// A path without the ending of a compressed file.
fn bare(path: &Path) -> PathBuf {
    let end = path.extension().and_then(OsStr::to_str);
    match end {
        Some(end) if COMPRESSED.contains(&end) => path.with_extension(""),
        _ => path.to_owned(),
    }
}

/// A file that is there, plain or compressed, and those that are not and would be taken before it.
fn existing(path: &Path) -> (Option<PathBuf>, Vec<PathBuf>) {
    let compressed = COMPRESSED.iter().map(|end| {
        let mut name = path.as_os_str().to_owned();
        name.push(".");
        name.push(end);
        PathBuf::from(name)
    });
    let mut absent = Vec::new();
    for path in std::iter::once(path.to_owned()).chain(compressed) {
        if path.exists() {
            return (Some(path), absent);
        }
        absent.push(path);
    }
    (None, absent)
}

/// The text of a companion, which must lie where its trace does.
fn text(source: &Source, path: &Path) -> Result<Vec<u8>, (Code, String)> {
    let fail = |error: &dyn std::fmt::Display| (Code::MissingPartFile, error.to_string());
    let folder = Folder::of(source.path()).map_err(|error| fail(&error))?;
    folder.check(path).map_err(|refused| (refused.code(), refused.to_string()))?;
    let progress = Arc::new(Progress::default());
    let input = Source::new(path).open(&progress).map_err(|error| fail(&error))?;
    let mut text = Vec::new();
    input.reader.take(MAX_BYTES + 1).read_to_end(&mut text).map_err(|error| fail(&error))?;
    match text.len() as u64 > MAX_BYTES {
        true => Err(fail(&"it is longer than 64 MiB and is not read")),
        false => Ok(text),
    }
}

fn problem(part: u32, code: Code, message: &str) -> Batch {
    let problem =
        Problem { at: 0, line: 0, column: 0, code, message: message.to_owned(), hint: None };
    Batch { part, problems: vec![problem], ..Batch::default() }
}

fn bad_lines(part: u32, bad: &[BadLine]) -> Option<Batch> {
    let mut batch = Batch { part, ..Batch::default() };
    let mut faults = Faults::default();
    for &(line, what) in bad {
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        let spot = Spot { at: 0, line, column: 1 };
        faults.report_at(&mut batch, spot, Code::HeaderSyntax, || what.to_owned());
    }
    (!bad.is_empty()).then_some(batch)
}
