//! Files with their places, and archives of them that are the same bytes every time.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use flate2::{Compression, GzBuilder};
use sha2::{Digest, Sha256};

/// What is packed once and has a place in the archive, in the Debian package, or in both.
pub struct Part {
    bytes: Vec<u8>,
    executable: bool,
    archive: Option<String>,
    debian: Option<String>,
}

impl Part {
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), executable: false, archive: None, debian: None }
    }

    pub fn executable(mut self) -> Self {
        self.executable = true;
        self
    }

    pub fn archive(mut self, place: impl Into<String>) -> Self {
        self.archive = Some(place.into());
        self
    }

    /// A place that ends in `.gz` means that the part is compressed there.
    pub fn debian(mut self, place: impl Into<String>) -> Self {
        self.debian = Some(place.into());
        self
    }
}

/// A file without its name.
pub struct File {
    pub bytes: Vec<u8>,
    pub executable: bool,
}

impl From<Vec<u8>> for File {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, executable: false }
    }
}

/// Files by their paths, in order.
pub type Files = BTreeMap<String, File>;

pub fn for_archive(parts: &[Part]) -> Files {
    let placed = parts.iter().filter_map(|part| Some((part.archive.clone()?, part)));
    placed
        .map(|(place, part)| {
            (place, File { bytes: part.bytes.clone(), executable: part.executable })
        })
        .collect()
}

pub fn for_debian(parts: &[Part]) -> Result<Files, String> {
    let mut files = Files::new();
    for part in parts {
        let Some(place) = part.debian.clone() else { continue };
        let bytes = if place.ends_with(".gz") { gzip(&part.bytes)? } else { part.bytes.clone() };
        files.insert(place, File { bytes, executable: part.executable });
    }
    Ok(files)
}

/// Adds `SHA256SUMS`, which `sha256sum --check` reads.
pub fn add_sums(files: &mut Files) {
    let mut sums = String::new();
    for (path, file) in &*files {
        for byte in Sha256::digest(&file.bytes) {
            sums += &format!("{byte:02x}");
        }
        sums += &format!("  {path}\n");
    }
    files.insert("SHA256SUMS".to_owned(), sums.into_bytes().into());
}

fn gzip(bytes: &[u8]) -> Result<Vec<u8>, String> {
    // Without a name and a time in it, the result depends on nothing else.
    let mut encoder = GzBuilder::new().write(Vec::new(), Compression::best());
    encoder
        .write_all(bytes)
        .and_then(|()| encoder.finish())
        .map_err(|error| format!("compressing: {error}"))
}

/// A compressed archive with one folder.
pub fn archive(folder: &str, files: &Files, time: u64) -> Result<Vec<u8>, String> {
    let cannot = |error: io::Error| format!("the archive: {error}");
    let mut builder = tar::Builder::new(Vec::new());
    let mut folders = BTreeSet::new();
    let mut append = |kind, path: &str, mode, bytes: &[u8]| {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_mode(mode);
        header.set_mtime(time);
        header.set_uid(0);
        header.set_gid(0);
        header.set_size(bytes.len() as u64);
        builder.append_data(&mut header, path, bytes)
    };
    for (path, file) in files {
        let path = format!("{folder}/{path}");
        for (at, _) in path.match_indices('/') {
            let parent = &path[..=at];
            if folders.insert(parent.to_owned()) {
                append(tar::EntryType::Directory, parent, 0o755, &[]).map_err(cannot)?;
            }
        }
        let mode = if file.executable { 0o755 } else { 0o644 };
        append(tar::EntryType::Regular, &path, mode, &file.bytes).map_err(cannot)?;
    }
    gzip(&builder.into_inner().map_err(cannot)?)
}

/// Unpacks an archive into a folder.
pub fn unpack(archive: &[u8], folder: &Path) -> Result<(), String> {
    tar::Archive::new(GzDecoder::new(archive))
        .unpack(folder)
        .map_err(|error| format!("the archive cannot be unpacked: {error}"))
}

/// All files below a folder, in order.
pub fn files_below(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let cannot = |error: io::Error| format!("{}: {error}", folder.display());
        for entry in fs::read_dir(&folder).map_err(cannot)? {
            let entry = entry.map_err(cannot)?;
            let kind = entry.file_type().map_err(cannot)?;
            if kind.is_dir() {
                open.push(entry.path());
            } else if kind.is_file() {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    Ok(files)
}

pub fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts() -> Vec<Part> {
        vec![
            Part::new("#!/bin/sh\n").archive("onca").debian("usr/bin/onca").executable(),
            Part::new("page").archive("man/man1/onca.1").debian("usr/share/man/man1/onca.1.gz"),
            Part::new("more").archive("man/man1/onca-info.1"),
            Part::new("read me").archive("README.md"),
            Part::new("rights").debian("usr/share/doc/onca/copyright"),
        ]
    }

    /// Path, mode, time and owner of each entry.
    fn entries(archive: &[u8]) -> Vec<(String, u32, u64, u64)> {
        let mut archive = tar::Archive::new(GzDecoder::new(archive));
        let entries = archive.entries().expect("an archive");
        entries
            .map(|entry| {
                let entry = entry.expect("an entry");
                let header = entry.header();
                let path = entry.path().expect("a path").display().to_string();
                let mode = header.mode().expect("a mode");
                let time = header.mtime().expect("a time");
                (path, mode, time, header.uid().expect("an owner"))
            })
            .collect()
    }

    #[test]
    fn an_archive_is_sorted_and_has_one_time_and_owner() {
        let bytes = archive("onca-1", &for_archive(&parts()), 1_700_000_000).expect("memory");
        let expected = [
            ("onca-1/", 0o755),
            ("onca-1/README.md", 0o644),
            ("onca-1/man/", 0o755),
            ("onca-1/man/man1/", 0o755),
            ("onca-1/man/man1/onca-info.1", 0o644),
            ("onca-1/man/man1/onca.1", 0o644),
            ("onca-1/onca", 0o755),
        ];
        let expected = expected.map(|(path, mode)| (path.to_owned(), mode, 1_700_000_000, 0));
        assert_eq!(entries(&bytes), expected);

        let mut shuffled = parts();
        shuffled.reverse();
        let again = archive("onca-1", &for_archive(&shuffled), 1_700_000_000).expect("memory");
        assert!(bytes == again, "the order of the parts reached the archive");
    }

    #[test]
    fn what_is_unpacked_is_what_was_packed() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let files = for_archive(&parts());
        let bytes = archive("onca-1", &files, 0).expect("memory");
        unpack(&bytes, folder.path()).expect("unpacked");
        for (path, file) in &files {
            assert_eq!(read(&folder.path().join("onca-1").join(path)).as_ref(), Ok(&file.bytes));
        }
    }

    #[test]
    fn debian_has_its_own_places_and_compresses_what_ends_in_gz() {
        let files = for_debian(&parts()).expect("memory");
        let paths: Vec<_> = files.keys().map(String::as_str).collect();
        let expected =
            ["usr/bin/onca", "usr/share/doc/onca/copyright", "usr/share/man/man1/onca.1.gz"];
        assert_eq!(paths, expected);
        assert_eq!(files["usr/share/man/man1/onca.1.gz"].bytes[..2], [0x1f, 0x8b]);
        assert_eq!(files["usr/share/doc/onca/copyright"].bytes, b"rights");
    }

    #[test]
    fn sums_are_those_of_sha256sum() {
        let mut files = Files::new();
        files.insert("empty".to_owned(), Vec::new().into());
        add_sums(&mut files);
        assert_eq!(
            String::from_utf8_lossy(&files["SHA256SUMS"].bytes),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  empty\n"
        );
    }
}
