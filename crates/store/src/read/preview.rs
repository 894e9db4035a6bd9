//! A store that is looked at while it is made.

use std::collections::BTreeMap;

use onca_model::Catalog;

use crate::{
    DATA, Fingerprint, INDEX, Preview, Store, TABLES,
    build::builder::new_manifest,
    build::rows::Written,
    error::Result,
    format::directory::{data_seal, decode_directory},
    format::pages::Seal,
    format::tables::encode_catalog,
    read::data_file::{DataReader, Tail},
};

impl Preview {
    /// The store, as [`StoreBuilder::finish`](crate::StoreBuilder::finish) would have made it. Its data is
    /// kept by the system as long as this store is open, whatever becomes of its builder.
    pub fn open(
        self,
        catalog: Catalog,
        source: &Fingerprint,
        facts: &BTreeMap<String, String>,
        cache_bytes: usize,
    ) -> Result<Store> {
        let Self { base, base_length, rows, store } = self;
        let Written { file, chunks, index, counts, .. } = rows.end(&catalog)?;
        let mut manifest = new_manifest(counts, source.clone(), facts.clone(), Vec::new());
        let seals = [
            (DATA, data_seal(&chunks)),
            (INDEX, seal_of(&index)),
            (TABLES, seal_of(&encode_catalog(&catalog))),
        ];
        manifest.files.extend(seals.map(|(name, seal)| (name.to_owned(), seal)));
        let tail = Tail { file, offset: base_length };
        let data = DataReader::with_tail(base, tail, cache_bytes);
        Store::unfinished(store, manifest, catalog, decode_directory(&index)?, data)
    }
}

/// What tells a table from another one.
fn seal_of(table: &[u8]) -> Seal {
    Seal { bytes: table.len() as u64, crc: crc32fast::hash(table) }
}
