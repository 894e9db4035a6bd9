//! The files of a trace: `PREFIX.meta` and `PREFIX-0000.bin`, `PREFIX-0001.bin` and so on.

use std::path::{Path, PathBuf};

use onca_model::Code;

use super::calls::{MAGIC, RankFile};
use crate::folder::{Folder, read_piece};
use crate::reading::{FileList, ReadError};

/// A `.meta` is not longer.
const MAX_META: u64 = 1 << 20;

/// The beginning of a `.meta`, which tells that it is one.
const HEAD: usize = 1024;

/// A rank beyond is taken for damage.
const MAX_RANKS: u32 = 1 << 21;

/// The store of a trace remembers this many files of ranks that are not there.
const MAX_WATCHED: usize = 65_536;

/// This many missing ranks are named.
const MAX_NAMED: usize = 100;

/// Do these first bytes begin the file of a rank?
pub fn is_rank_file(head: &[u8]) -> bool {
    head.starts_with(&MAGIC)
}

/// Do these first bytes begin a `.meta`?
pub fn is_meta(head: &[u8]) -> bool {
    let mut keys = Meta::pairs(head).map(|(key, _)| key).take(4);
    head.starts_with(b"hostname=") && keys.any(|key| key == b"numprocs")
}

/// The file by which a trace is opened, for the file of a rank: its `.meta`, or without one the
/// file of its first rank.
pub fn main_file_of(path: &Path) -> Option<PathBuf> {
    let (prefix, _) = parts_of_name(path)?;
    let meta = path.with_file_name(format!("{prefix}.meta"));
    if meta.is_file() {
        return Some(meta);
    }
    rank_files(path.parent()?, &prefix).into_iter().next().map(|(_, path)| path)
}

/// The `.meta` in a folder, if there is exactly one; without any, the file of the first rank.
pub fn main_file_in(folder: &Path) -> Option<PathBuf> {
    let entries = || {
        let entries = std::fs::read_dir(folder).into_iter().flatten();
        entries.filter_map(|entry| Some(entry.ok()?.path()))
    };
    let is_ours = |path: &PathBuf| {
        let mut head = Vec::new();
        path.extension().is_some_and(|end| end == "meta")
            && path.is_file()
            && read_piece(path, 0, HEAD, &mut head).is_ok()
            && is_meta(&head)
    };
    let mut metas = entries().filter(is_ours);
    match (metas.next(), metas.next()) {
        (Some(meta), None) => Some(meta),
        (Some(_), Some(_)) => None,
        (None, _) => entries().find_map(|path| main_file_of(&path)),
    }
}

/// Are there files of ranks beside what may be their `.meta`?
pub fn has_ranks(meta: &Path) -> bool {
    let stem = meta.file_stem().and_then(|stem| stem.to_str());
    let parent = meta.parent().unwrap_or(Path::new("."));
    stem.is_some_and(|stem| !rank_files(parent, stem).is_empty())
}

/// Prefix and rank of the file of a rank, by its name.
fn parts_of_name(path: &Path) -> Option<(String, u32)> {
    let stem = path.file_name()?.to_str()?.strip_suffix(".bin")?;
    let (prefix, rank) = stem.rsplit_once('-')?;
    let is_number = rank.len() >= 4 && rank.bytes().all(|byte| byte.is_ascii_digit());
    let rank = rank.parse().ok().filter(|&rank| is_number && rank < MAX_RANKS)?;
    Some((prefix.to_owned(), rank))
}

/// All files of ranks with a prefix, in order of the ranks.
fn rank_files(folder: &Path, prefix: &str) -> Vec<(u32, PathBuf)> {
    // The folder of a bare name is the empty path.
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<(u32, PathBuf)> = paths
        .filter_map(|path| match parts_of_name(&path)? {
            (of, rank) if of == prefix => Some((rank, path)),
            _ => None,
        })
        .collect();
    files.sort();
    files.dedup_by_key(|(rank, _)| *rank);
    files
}

/// What a `.meta` says.
struct Meta {
    n_ranks: Option<u32>,
    prefix: Option<String>,
}

impl Meta {
    fn pairs(text: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
        text.split(|&byte| byte == b'\n').filter_map(|line| {
            let at = memchr::memchr(b'=', line)?;
            Some((line[..at].trim_ascii(), line[at + 1..].trim_ascii()))
        })
    }

    fn parse(text: &[u8]) -> Self {
        let value = |key: &[u8]| {
            let (_, value) = Self::pairs(text).find(|(known, _)| *known == key)?;
            std::str::from_utf8(value).ok()
        };
        // The prefix may name a folder where the trace once was.
        let prefix = value(b"fileprefix").and_then(|prefix| Path::new(prefix).file_name());
        Self {
            n_ranks: value(b"numprocs").and_then(|n| n.parse().ok()),
            prefix: prefix.and_then(|name| name.to_str()).map(str::to_owned),
        }
    }
}

/// What is wrong with the files of a trace.
pub(super) struct FileProblem {
    pub code: Code,
    pub message: String,
    /// How many files are missing: each costs a record at least.
    pub n_missing: u64,
}

impl FileProblem {
    fn missing(message: String, n_missing: u64) -> Self {
        Self { code: Code::MissingPartFile, message, n_missing }
    }
}

/// The files of a trace.
pub(super) struct TraceFiles {
    pub ranks: Vec<RankFile>,
    /// How many ranks there should be.
    pub n_ranks: u32,
    /// What is wrong with them.
    pub problems: Vec<FileProblem>,
}

impl TraceFiles {
    /// Finds the files of a trace and adds them to the list; `main` is its `.meta` or the file of
    /// a rank.
    pub fn find(main: &Path, files: &mut FileList) -> Result<Self, ReadError> {
        let mut problems = Vec::new();
        let folder = Folder::of(main)?;
        let parent = main.parent().unwrap_or(Path::new("."));
        let (prefix, found, told) = match parts_of_name(main) {
            Some((prefix, _)) => {
                let meta = main.with_file_name(format!("{prefix}.meta"));
                if !meta.is_file() {
                    let what = "is not there; ranks are those that have a file";
                    problems.push(FileProblem::missing(format!("{} {what}", meta.display()), 0));
                }
                files.unread.push(meta);
                let found = rank_files(parent, &prefix);
                (prefix, found, None)
            }
            None => {
                files.push(main.to_owned());
                let meta = read_meta(main)?;
                let stem = main.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
                let mut prefix = stem.to_owned();
                let mut found = rank_files(parent, stem);
                if let Some(told) = meta.prefix.filter(|_| found.is_empty()) {
                    found = rank_files(parent, &told);
                    prefix = told;
                }
                if meta.n_ranks.is_none() {
                    let what = "does not tell how many ranks there are; it may be cut";
                    let message = format!("{} {what}", main.display());
                    problems.push(FileProblem { code: Code::Truncated, message, n_missing: 0 });
                }
                (prefix, found, meta.n_ranks)
            }
        };
        let n_found = found.last().map_or(0, |(rank, _)| rank.saturating_add(1));
        let n_ranks = told.unwrap_or(0).max(n_found);
        let mut ranks = Vec::new();
        for (rank, path) in found {
            match folder.check(&path) {
                Ok(size) => {
                    let part = files.push(path.clone());
                    ranks.push(RankFile { rank, path, part, size });
                }
                Err(refused) => {
                    let message =
                        format!("the calls of rank {rank}, {}: {refused}", path.display());
                    problems.push(FileProblem { code: refused.code(), message, n_missing: 1 });
                    files.unread.push(path);
                }
            }
        }
        if ranks.is_empty() {
            let what = format!("{}: no rank of this trace has a file", main.display());
            return Err(ReadError::Invalid(what));
        }
        problems.extend(missing_ranks(&ranks, n_ranks));
        // A rank more would be read too.
        let absent = absent_ranks(&ranks, n_ranks.saturating_add(1)).take(MAX_WATCHED);
        let path = |rank: u32| main.with_file_name(format!("{prefix}-{rank:04}.bin"));
        files.unread.extend(absent.map(path).filter(|path| !path.exists()));
        Ok(Self { ranks, n_ranks: n_ranks.min(MAX_RANKS), problems })
    }
}

fn read_meta(path: &Path) -> Result<Meta, ReadError> {
    let mut text = Vec::new();
    let len = std::fs::metadata(path)?.len().min(MAX_META) as usize;
    read_piece(path, 0, len, &mut text)?;
    Ok(Meta::parse(&text))
}

/// Ranks below a number that have no file.
fn absent_ranks(ranks: &[RankFile], below: u32) -> impl Iterator<Item = u32> {
    let mut here = ranks.iter().map(|file| file.rank).peekable();
    (0..below).filter(move |&rank| here.next_if_eq(&rank).is_none())
}

/// What is wrong with ranks that have no file. A number of ranks that lies is not counted up to.
fn missing_ranks(ranks: &[RankFile], n_ranks: u32) -> Vec<FileProblem> {
    let n_missing = n_ranks as usize - ranks.len().min(n_ranks as usize);
    let mut problems: Vec<FileProblem> = absent_ranks(ranks, n_ranks)
        .take(MAX_NAMED.min(n_missing))
        .map(|rank| FileProblem::missing(format!("the file of rank {rank} is not there"), 1))
        .collect();
    if n_missing > MAX_NAMED {
        let n_more = n_missing - MAX_NAMED;
        let more = format!("the files of {n_more} more ranks are not there");
        problems.push(FileProblem::missing(more, n_more as u64));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_prefix_and_rank() {
        let parts = |name: &str| parts_of_name(Path::new(name));
        assert_eq!(parts("a/dumpi-2026.11-0012.bin"), Some(("dumpi-2026.11".to_owned(), 12)));
        assert_eq!(parts("t-12345.bin"), Some(("t".to_owned(), 12_345)));
        for other in ["t-12.bin", "t.bin", "t-0000.dat", "t-00x0.bin", "t-99999999999.bin"] {
            assert_eq!(parts(other), None, "{other}");
        }
    }

    #[test]
    fn missing_ranks_are_named_and_a_lie_is_not_followed() {
        let file = |rank| RankFile { rank, path: PathBuf::new(), part: 0, size: 0 };
        let ranks = [file(0), file(2)];
        let told: Vec<_> = missing_ranks(&ranks, 4).into_iter().map(|told| told.message).collect();
        assert_eq!(told, ["the file of rank 1 is not there", "the file of rank 3 is not there"]);
        assert_eq!(missing_ranks(&ranks, u32::MAX).len(), MAX_NAMED + 1);
    }
}
