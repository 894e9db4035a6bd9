//! What fuzz targets share: files made of the bytes of an input, and readers that only count.
//!
//! An input of several files is their contents one after the other, each after its length in four
//! bytes; a length that reaches too far takes what is left. So every input is some set of files,
//! and an input can be cut and joined anywhere.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use onca_generate::small::Format;
use onca_model::{EntitySink, EventRow, LaneId, LinkRow, StateRow, VariableRow};
use onca_read::{Progress, Source};
use onca_simulate::{DriveOptions, drive};
use onca_store::Store;

/// Bytes of a length.
const LENGTH: usize = 4;

/// The contents of this many files.
pub fn split(mut input: &[u8], n_files: usize) -> Vec<&[u8]> {
    let mut files = Vec::with_capacity(n_files);
    for _ in 0..n_files {
        let (length, rest) = input.split_at(input.len().min(LENGTH));
        let mut bytes = [0; LENGTH];
        bytes[..length.len()].copy_from_slice(length);
        let (content, after) = rest.split_at(rest.len().min(u32::from_le_bytes(bytes) as usize));
        files.push(content);
        input = after;
    }
    files
}

/// The input that is split into these contents.
pub fn join<'c>(contents: impl IntoIterator<Item = &'c [u8]>) -> Vec<u8> {
    let mut input = Vec::new();
    for content in contents {
        input.extend_from_slice(&(content.len() as u32).to_le_bytes());
        input.extend_from_slice(content);
    }
    input
}

/// Writes files below a folder.
pub fn write(folder: &Path, names: &[&str], contents: &[&[u8]]) -> Vec<PathBuf> {
    let written = names.iter().zip(contents).map(|(name, content)| {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().expect("a file in a folder")).expect("a folder");
        std::fs::write(&path, content).expect("a written file");
        path
    });
    written.collect()
}

/// Files of a store.
pub const STORE_FILES: [&str; 4] = ["manifest.json", "tables.bin", "index.bin", "data.bin"];

/// Reads the files of a trace. Whatever they are, the reader must come to an end without a panic.
pub fn read_files(format: Format, contents: &[&[u8]]) {
    let folder = tempfile::tempdir().expect("a folder");
    let files = write(folder.path(), format.files(), contents);
    // Errors are answers too.
    let _ = read(&files[0]);
}

/// Reads a trace that is one file of this name.
pub fn read_named(name: &str, content: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder");
    let files = write(folder.path(), &[name], &[content]);
    let _ = read(&files[0]);
}

/// The same for a format of several files, which are split from the input.
pub fn split_and_read(format: Format, input: &[u8]) {
    read_files(format, &split(input, format.files().len()));
}

/// Reads a trace and throws it away.
fn read(path: &Path) -> Result<u64, String> {
    let options = DriveOptions { memory: 64 << 20, ..DriveOptions::default() };
    let progress = Arc::new(Progress::default());
    let driven = drive(&Source::new(path), &options, &progress, || Ok(Counter::default()));
    driven.map(|driven| driven.sink.rows).map_err(|error| error.to_string())
}

/// Opens a store and reads all of it.
pub fn open_store(contents: &[&[u8]]) {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), &STORE_FILES, contents);
    if let Ok(store) = Store::open(folder.path()) {
        let _ = store.verify();
    }
}

/// Counts rows.
#[derive(Default)]
struct Counter {
    rows: u64,
}

impl EntitySink for Counter {
    type Error = Infallible;

    fn state(&mut self, _: LaneId, row: &StateRow, _: &[u8]) -> Result<(), Infallible> {
        assert!(row.start <= row.end, "a state ends before it begins");
        self.rows += 1;
        Ok(())
    }

    fn variable(&mut self, _: LaneId, row: &VariableRow, _: &[u8]) -> Result<(), Infallible> {
        assert!(row.start <= row.end, "a step ends before it begins");
        self.rows += 1;
        Ok(())
    }

    fn event(&mut self, _: LaneId, _: &EventRow, _: &[u8]) -> Result<(), Infallible> {
        self.rows += 1;
        Ok(())
    }

    fn link(&mut self, _: LaneId, _: &LinkRow<'_>, _: &[u8]) -> Result<(), Infallible> {
        self.rows += 1;
        Ok(())
    }
}
