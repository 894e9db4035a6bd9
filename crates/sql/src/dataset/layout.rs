//! How the files of a data set are called.

use onca_model::Shard;

/// What names of files have in them that are a shard's own.
fn own(shard: Shard) -> String {
    format!("{}of{}", shard.number(), shard.of())
}

/// The name of one of the files of a shard. The stem tells the type, where a table has several.
pub(super) fn file_name(shard: Shard, stem: Option<&str>, number: usize) -> String {
    let own = own(shard);
    match stem {
        Some(stem) => format!("{stem}-{own}-{number:05}.parquet"),
        None => format!("{own}-{number:05}.parquet"),
    }
}

/// Is a file with this name one of a shard's own, or was to become one?
pub(super) fn wrote(shard: Shard, name: &str) -> bool {
    let name = match name.strip_prefix('.').and_then(|name| name.strip_suffix(".tmp")) {
        Some(unfinished) => unfinished.rsplit_once('.').map(|(name, _)| name),
        None => Some(name),
    };
    let Some(name) = name.and_then(|name| name.strip_suffix(".parquet")) else { return false };
    let Some((before, _)) = name.rsplit_once('-') else { return false };
    before.rsplit('-').next() == Some(&*own(shard))
}
