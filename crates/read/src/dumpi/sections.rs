//! What stands after the calls of a rank: who recorded them and where, how often each function was
//! called, the sizes of data types, names of counters and of functions of the program.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::calls::{MAGIC, RankFile};
use super::function::N_COUNTED;
use crate::cursor::{Broken, ByteOrder, Cursor, Field};
use crate::folder::read_piece;

/// The index at the end of a file: a mark and seven offsets.
const INDEX_BYTES: usize = 64;
/// A section that is longer is read up to here.
const MAX_SECTION: usize = 16 << 20;
/// A mark and two clocks stand before the calls.
const BEGINNING: u64 = 16;
/// The mark of the footer.
const FOOTER: u64 = 0xf007_fee7;

/// Offsets of the sections, 0 for those that are not there, in the order of the index.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Index {
    type_sizes: u64,
    addresses: u64,
    counter_labels: u64,
    header: u64,
    footer: u64,
}

/// What a file tells besides its calls.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Sections {
    pub version: Option<[u8; 3]>,
    pub host: Option<Vec<u8>>,
    pub user: Option<Vec<u8>>,
    /// How often each function was called.
    pub counts: Option<Vec<u32>>,
    /// How many of these calls were not recorded: inside another call, or of a function that was not to be.
    pub ignored: Vec<u32>,
    /// The sizes of data types, by their number.
    pub type_sizes: Vec<i32>,
    pub counter_labels: Vec<Vec<u8>>,
    /// Functions of the program, by their address.
    pub addresses: HashMap<u64, Vec<u8>, RandomState>,
}

impl Sections {
    /// Reads what is there. A file that was cut has none of it.
    pub fn read(file: &RankFile) -> std::io::Result<Self> {
        let mut sections = Self::default();
        let Some(index) = Index::read(file)? else { return Ok(sections) };
        let mut bytes = Vec::new();
        let mut section = |offset: u64, take: &mut dyn FnMut(&mut Cursor<'_>) -> Field<()>| {
            if offset == 0 || offset >= file.size {
                return Ok::<_, std::io::Error>(());
            }
            let len = (file.size - offset).min(MAX_SECTION as u64) as usize;
            read_piece(&file.path, offset, len, &mut bytes)?;
            // What is damaged is kept up to there.
            let _: Field<()> = take(&mut Cursor::new(&bytes, 0, ByteOrder::Big));
            Ok(())
        };
        let (mut counts, mut ignored) = (None, Vec::new());
        section(index.footer, &mut |c| {
            if c.u64()? != FOOTER {
                return Err(Broken::Wrong);
            }
            counts = Some((0..N_COUNTED).map(|_| c.u32()).collect::<Field<_>>()?);
            ignored = (0..N_COUNTED).map(|_| c.u32()).collect::<Field<_>>()?;
            Ok(())
        })?;
        // An index that was cut looks like an older one, which has fewer entries, and leads astray.
        if counts.is_none() {
            return Ok(sections);
        }
        (sections.counts, sections.ignored) = (counts, ignored);
        section(index.header, &mut |c| {
            sections.version = Some([c.u8()?, c.u8()?, c.u8()?]);
            c.u64()?;
            sections.host = Some(short_text(c)?);
            sections.user = Some(short_text(c)?);
            Ok(())
        })?;
        section(index.type_sizes, &mut |c| {
            for _ in 0..c.u32()? {
                sections.type_sizes.push(c.u32()?.cast_signed());
            }
            Ok(())
        })?;
        section(index.counter_labels, &mut |c| {
            for _ in 0..c.u32()? {
                sections.counter_labels.push(short_text(c)?);
            }
            Ok(())
        })?;
        section(index.addresses, &mut |c| {
            for _ in 0..c.u32()? {
                let address = c.u64()?;
                let name = short_text(c)?;
                sections.addresses.insert(address, name);
            }
            Ok(())
        })?;
        Ok(sections)
    }

    /// Memory in use, about.
    pub fn bytes(&self) -> usize {
        let labels = self.counter_labels.iter().map(|label| label.len() + 24).sum::<usize>();
        let addresses = self.addresses.values().map(|name| name.len() + 48).sum::<usize>();
        self.type_sizes.len() * 4 + labels + addresses + N_COUNTED * 8
    }
}

impl Index {
    /// Reads the index; `None` if the file has none, because it was cut.
    fn read(file: &RankFile) -> std::io::Result<Option<Self>> {
        let mut bytes = Vec::new();
        // The mark at the beginning of a short file is not that of an index.
        let offset = file.size.saturating_sub(INDEX_BYTES as u64).max(BEGINNING);
        read_piece(&file.path, offset, INDEX_BYTES, &mut bytes)?;
        Ok(Self::parse(&bytes))
    }

    /// Older files have fewer entries: the first ones are missing, and the mark stands later.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let starts =
            |missing: &usize| bytes.get(missing * 8..).is_some_and(|b| b.starts_with(&MAGIC));
        let n_missing = (0..=3).find(starts)?;
        let (words, _) = bytes.get((n_missing + 1) * 8..)?.as_chunks::<8>();
        let mut entries = [0; 7];
        for (entry, word) in entries[n_missing..].iter_mut().zip(words) {
            *entry = u64::from_be_bytes(*word);
        }
        let [type_sizes, addresses, counter_labels, header, _body, footer, _pairs] = entries;
        Some(Self { type_sizes, addresses, counter_labels, header, footer })
    }
}

/// A text after its length in 16 bits.
fn short_text(c: &mut Cursor<'_>) -> Field<Vec<u8>> {
    let len = c.u16()?;
    Ok(c.bytes(len.into())?.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_may_lack_its_first_entries() {
        let index = |n_missing: usize| {
            let mut bytes = vec![7; n_missing * 8];
            bytes.extend(MAGIC);
            for entry in n_missing as u64..7 {
                bytes.extend((100 + entry).to_be_bytes());
            }
            Index::parse(&bytes)
        };
        let all = Index {
            type_sizes: 100,
            addresses: 101,
            counter_labels: 102,
            header: 103,
            footer: 105,
        };
        assert_eq!(index(0), Some(all));
        assert_eq!(index(1), Some(Index { type_sizes: 0, ..all }));
        assert_eq!(index(3), Some(Index { type_sizes: 0, addresses: 0, counter_labels: 0, ..all }));
        assert_eq!(index(4), None);
        assert_eq!(Index::parse(&[1, 2, 3]), None);
    }
}
