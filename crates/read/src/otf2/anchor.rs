//! The anchor: the small file that says what an archive holds.

use std::path::{Path, PathBuf};

use crate::cursor::{ByteOrder, Cursor, Field};
use crate::reading::ReadError;

/// More than any anchor holds, descriptions and properties included.
pub(super) const MAX_ANCHOR_BYTES: u64 = 16 << 20;

/// What the anchor says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Anchor {
    pub event_chunk: u64,
    pub definition_chunk: u64,
    substrate: u8,
    compression: u8,
    pub n_locations: u64,
    pub n_definitions: u64,
    pub creator: Vec<u8>,
}

impl Anchor {
    /// Reads an anchor.
    pub fn parse(bytes: &[u8]) -> Result<Self, ReadError> {
        let order = bytes.get(1).copied().and_then(ByteOrder::of);
        let order = order.ok_or(ReadError::Format("a damaged OTF2 anchor"))?;
        let mut cursor = Cursor::new(bytes, 2, order);
        let anchor = Self::fields(&mut cursor).map_err(|_| {
            ReadError::Invalid(format!("the OTF2 anchor is cut or damaged at byte {}", cursor.at))
        })?;
        anchor.check()?;
        Ok(anchor)
    }

    fn fields(cursor: &mut Cursor<'_>) -> Field<Self> {
        cursor.text()?;
        // The format of the anchor, of the trace, and three numbers of the library's version.
        cursor.bytes(5)?;
        let anchor = Self {
            event_chunk: cursor.u64()?,
            definition_chunk: cursor.u64()?,
            substrate: cursor.u8()?,
            compression: cursor.u8()?,
            n_locations: cursor.u64()?,
            n_definitions: cursor.u64()?,
            creator: {
                cursor.text()?;
                cursor.text()?.to_vec()
            },
        };
        // A description, and from later formats on more: nothing that is needed.
        Ok(anchor)
    }

    fn check(&self) -> Result<(), ReadError> {
        let invalid = |what: &str| Err(ReadError::Invalid(what.to_owned()));
        if self.substrate == 2 {
            return invalid(
                "the OTF2 archive is in a SION container, which cannot be read; \
                 copy it into plain files with otf2-config's tools first",
            );
        }
        if self.compression == 2 {
            return invalid("the OTF2 archive is compressed with zlib, which is obsolete");
        }
        if self.event_chunk < 32 || self.definition_chunk < 32 {
            return invalid("the OTF2 anchor gives chunks of no sensible size");
        }
        Ok(())
    }
}

/// Where the files of an archive lie.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Paths {
    /// The anchor without its suffix: also the folder of the locations.
    stem: PathBuf,
}

impl Paths {
    pub fn of(anchor: &Path) -> Self {
        Self { stem: anchor.with_extension("") }
    }

    pub fn definitions(&self) -> PathBuf {
        self.stem.with_extension("def")
    }

    pub fn markers(&self) -> PathBuf {
        self.stem.with_extension("marker")
    }

    pub fn events(&self, location: u64) -> PathBuf {
        self.stem.join(format!("{location}.evt"))
    }

    pub fn local_definitions(&self, location: u64) -> PathBuf {
        self.stem.join(format!("{location}.def"))
    }
}

/// The anchor of the archive that a path belongs to: the path may be the anchor, another file
/// of the archive, the folder of its locations, or the folder that holds the anchor. `None` if
/// it belongs to no archive that can be told.
pub fn anchor_of(path: &Path) -> Option<PathBuf> {
    if path.is_dir() {
        return only_anchor_in(path).or_else(|| beside(path)).or_else(|| only_anchor_below(path));
    }
    let extension = path.extension()?.to_str()?;
    match extension {
        "otf2" => Some(path.to_owned()),
        "def" | "marker" | "thumb" => {
            existing(path.with_extension("otf2")).or_else(|| beside(path.parent()?))
        }
        "evt" | "snap" => beside(path.parent()?),
        _ => None,
    }
}

/// The anchor `NAME.otf2` of the folder `NAME`.
fn beside(folder: &Path) -> Option<PathBuf> {
    let folder = std::path::absolute(folder).ok()?;
    let mut name = folder.file_name()?.to_owned();
    name.push(".otf2");
    existing(folder.with_file_name(name))
}

fn existing(path: PathBuf) -> Option<PathBuf> {
    path.is_file().then_some(path)
}

/// The anchor in a folder, if there is exactly one.
fn only_anchor_in(folder: &Path) -> Option<PathBuf> {
    only(anchors_in(folder))
}

/// The anchor one level below a folder that has none, if there is exactly one.
fn only_anchor_below(folder: &Path) -> Option<PathBuf> {
    anchors_in(folder).is_empty().then(|| only(anchors_below(folder)))?
}

fn only(mut anchors: Vec<PathBuf>) -> Option<PathBuf> {
    let last = anchors.pop()?;
    anchors.is_empty().then_some(last)
}

/// The anchors in a folder, in order of their names.
pub fn anchors_in(folder: &Path) -> Vec<PathBuf> {
    let mut anchors: Vec<PathBuf> = entries(folder)
        .filter(|path| path.extension().is_some_and(|extension| extension == "otf2"))
        .filter(|path| path.is_file())
        .collect();
    anchors.sort();
    anchors
}

/// The anchors in the folders of a folder, in order of their names.
pub fn anchors_below(folder: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = entries(folder).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders.iter().flat_map(|folder| anchors_in(folder)).collect()
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.path()))
}
