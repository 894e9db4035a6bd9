//! Symbols of what the events of a location refer to; what is new is noted, to be defined.

use onca_model::Code;

use super::archive::Archive;
use super::event::{collective_name, event_kind};
use super::stream::Stream;
use super::text::reference_text;
use super::value::Kind;
use super::vocabulary::{Entity, TypeKey, Wanted};
use crate::emit::ROOT;
use crate::piece::Piece;
use crate::symbols::{Symbol, image_of};

/// How many regions are looked up without a search.
const REMEMBERED_REGIONS: usize = 256;

/// What a value is named after.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Named {
    /// The number of a kind of event.
    Event(u8),
    /// The code of a collective operation.
    Collective(u8),
    /// The id of a communicator.
    Comm(u32),
    /// The id of a window.
    Window(u32),
}

impl Named {
    fn text(self, archive: &Archive<'_>) -> Vec<u8> {
        let reference = |kind, id: u32| reference_text(&archive.definitions, kind, id.into());
        match self {
            Self::Event(number) => match event_kind(number) {
                Some(kind) => kind.name.as_bytes().to_vec(),
                None => format!("event {number}").into_bytes(),
            },
            Self::Collective(code) => collective_name(code).into_bytes(),
            Self::Comm(id) => reference(Kind::Comm, id),
            Self::Window(id) => reference(Kind::Window, id),
        }
    }
}

impl Stream {
    /// The symbol of a value. The table of symbols is common to all threads: who asks it for every
    /// event waits for others.
    #[inline]
    pub(super) fn value(&mut self, archive: &Archive<'_>, named: Named) -> Symbol {
        let unknown = || archive.symbols.values.intern(&named.text(archive));
        *self.values.entry(named).or_insert_with(unknown)
    }

    /// The symbol of this location and a type.
    pub(super) fn pair(&mut self, archive: &Archive<'_>, entity: Entity) -> Symbol {
        let key = TypeKey { place_type: Some(self.place_type), entity };
        if let Some(&pair) = self.pairs.get(&key) {
            return pair;
        }
        let alias = &archive.places.locations[self.location as usize].alias;
        let pair = self.pair_of(archive, alias, key);
        self.pairs.insert(key, pair);
        pair
    }

    /// The symbol of any container and a type.
    pub(super) fn pair_of(
        &mut self,
        archive: &Archive<'_>,
        container: &[u8],
        key: TypeKey,
    ) -> Symbol {
        self.want(Wanted::Type(key));
        let symbol = archive.type_symbol(key);
        archive.symbols.pair(container, image_of(container), symbol)
    }

    /// The symbol of a link type, in the root.
    pub(super) fn link_pair(&mut self, archive: &Archive<'_>, key: TypeKey) -> Symbol {
        if let Some(&pair) = self.pairs.get(&key) {
            return pair;
        }
        let pair = self.pair_of(archive, ROOT, key);
        self.pairs.insert(key, pair);
        pair
    }

    fn want(&mut self, wanted: Wanted) {
        if self.seen.insert(wanted) {
            self.wanted.push(wanted);
        }
    }

    /// The symbol of the value that stands for a region.
    #[inline]
    pub(super) fn region(
        &mut self,
        archive: &Archive<'_>,
        id: u32,
        piece: &mut Piece<'_>,
    ) -> Symbol {
        match self.regions.get(id as usize % REMEMBERED_REGIONS) {
            Some(&Some((known, symbol))) if known == id => symbol,
            _ => self.look_up_region(archive, id, piece),
        }
    }

    #[cold]
    fn look_up_region(&mut self, archive: &Archive<'_>, id: u32, piece: &mut Piece<'_>) -> Symbol {
        let global = self.local.global(Kind::Region, id.into());
        let Some(number) = archive.definitions.regions.number(global) else {
            piece.problem(Code::UnknownDefinition, || format!("region {global} is not defined"));
            return archive.symbols.values.intern(format!("region {global}").as_bytes());
        };
        let symbol = self.region_value(archive, number);
        if self.regions.is_empty() {
            self.regions = vec![None; REMEMBERED_REGIONS];
        }
        self.regions[id as usize % REMEMBERED_REGIONS] = Some((id, symbol));
        symbol
    }

    /// The symbol of the state type of regions on this location.
    #[inline]
    pub(super) fn pair_of_regions(&mut self, archive: &Archive<'_>) -> Symbol {
        match self.region_pair {
            Some(pair) => pair,
            None => {
                let pair = self.pair(archive, Entity::Region);
                self.region_pair = Some(pair);
                pair
            }
        }
    }

    /// The symbol of a region by its global id.
    pub(super) fn global_region(
        &mut self,
        archive: &Archive<'_>,
        id: u32,
        piece: &mut Piece<'_>,
    ) -> Symbol {
        match archive.definitions.regions.number(id.into()) {
            Some(number) => self.region_value(archive, number),
            None => {
                piece.problem(Code::UnknownDefinition, || format!("region {id} is not defined"));
                archive.symbols.values.intern(format!("region {id}").as_bytes())
            }
        }
    }

    /// The symbol of a region by the number of its definition.
    pub(super) fn region_value(&mut self, archive: &Archive<'_>, number: u32) -> Symbol {
        let region = archive.vocabulary.region(number);
        self.want(Wanted::Region { place_type: self.place_type, region });
        archive.region_symbol(region)
    }
}
