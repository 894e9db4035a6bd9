//! A file that is read whole: pages of at most 1 MiB, each with its checksum, compressed where
//! that pays. The seal, a checksum over the page headers, is kept in the manifest, so that every
//! byte is covered twice removed.

use std::{fs::File, io::Write, path::Path};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{
    error::{Result, StoreError, damaged, io_error},
    format::codec::Reader,
};

const PAGE: usize = 1 << 20;
const HEADER: usize = 12;
/// The columns are narrow already; a higher level costs time and gains a few percent.
const LEVEL: i32 = 1;

/// What the manifest says of a file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(crate) struct Seal {
    /// Length of the file.
    pub bytes: u64,
    /// Checksum over the lengths and checksums of its parts.
    pub crc: u32,
}

/// Writes `raw` as pages and returns the file, for the caller to fsync.
pub(crate) fn write_pages(path: &Path, mut file: File, raw: &[u8]) -> Result<(File, Seal)> {
    let pages: Vec<(Vec<u8>, [u8; HEADER])> = raw.par_chunks(PAGE).map(page).collect();
    let mut seal = crc32fast::Hasher::new();
    let mut bytes = 0;
    for (stored, header) in pages {
        seal.update(&header);
        bytes += (HEADER + stored.len()) as u64;
        let fail = || io_error(format!("write {}", path.display()));
        file.write_all(&header).map_err(fail())?;
        file.write_all(&stored).map_err(fail())?;
    }
    Ok((file, Seal { bytes, crc: seal.finalize() }))
}

fn page(raw: &[u8]) -> (Vec<u8>, [u8; HEADER]) {
    let stored = match zstd::bulk::compress(raw, LEVEL) {
        Ok(small) if small.len() < raw.len() / 8 * 7 => small,
        _ => raw.to_vec(),
    };
    let mut header = [0; HEADER];
    header[..4].copy_from_slice(&(stored.len() as u32).to_le_bytes());
    header[4..8].copy_from_slice(&(raw.len() as u32).to_le_bytes());
    header[8..].copy_from_slice(&crc32fast::hash(&stored).to_le_bytes());
    (stored, header)
}

/// Reads a file of pages, checking all of it.
pub(crate) fn read_pages(path: &Path, seal: Seal) -> Result<Vec<u8>> {
    let stored = std::fs::read(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => damaged(format!("{} is missing", name(path))),
        _ => StoreError::Io { what: format!("read {}", path.display()), source: error },
    })?;
    unpack_pages(&stored, seal, path)
}

/// What the pages of a file hold, checking all of it.
pub(crate) fn unpack_pages(stored: &[u8], seal: Seal, path: &Path) -> Result<Vec<u8>> {
    if stored.len() as u64 != seal.bytes {
        return Err(damaged(format!("{} has the wrong length", name(path))));
    }
    let pages = split(stored, seal, path)?;
    let total = pages.iter().map(|page| page.raw_len).sum();
    let mut raw = vec![0; total];
    let mut jobs = Vec::with_capacity(pages.len());
    let mut rest = raw.as_mut_slice();
    for page in pages {
        let (into, after) = rest.split_at_mut(page.raw_len);
        jobs.push((page, into));
        rest = after;
    }
    jobs.into_par_iter().try_for_each(|(page, into)| page.unpack(into, path))?;
    Ok(raw)
}

struct Page<'a> {
    stored: &'a [u8],
    raw_len: usize,
    crc: u32,
}

fn split<'a>(stored: &'a [u8], seal: Seal, path: &Path) -> Result<Vec<Page<'a>>> {
    let mut reader = Reader::new(stored);
    let mut hasher = crc32fast::Hasher::new();
    let mut pages = Vec::new();
    while reader.remaining() > 0 {
        let header = reader.take(HEADER)?;
        hasher.update(header);
        let mut fields = Reader::new(header);
        let len = fields.u32()? as usize;
        let raw_len = fields.u32()? as usize;
        let crc = fields.u32()?;
        if raw_len > PAGE {
            return Err(damaged(format!("{} has a page that is too long", name(path))));
        }
        pages.push(Page { stored: reader.take(len)?, raw_len, crc });
    }
    if hasher.finalize() != seal.crc {
        return Err(damaged(format!("{} has page headers that do not fit", name(path))));
    }
    Ok(pages)
}

impl Page<'_> {
    fn unpack(&self, into: &mut [u8], path: &Path) -> Result<()> {
        let fail = || damaged(format!("{} has a page that does not fit its checksum", name(path)));
        if crc32fast::hash(self.stored) != self.crc {
            return Err(fail());
        }
        if self.stored.len() == into.len() {
            into.copy_from_slice(self.stored);
            return Ok(());
        }
        let n = zstd::bulk::decompress_to_buffer(self.stored, into).map_err(|_| fail())?;
        if n == into.len() { Ok(()) } else { Err(fail()) }
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
