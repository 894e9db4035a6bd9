//! Stores made from stores: several traces as one, or one with other times.
//!
//! Both are the same work. Types, values, fields, containers and lanes of each part get new
//! numbers, the times of each container pass through a [`TimeMap`], and all rows are written
//! again. Parts are stores, so that their formats do not matter and memory stays bounded.

mod catalogs;
mod rows;
mod units;

use std::collections::BTreeMap;

use onca_model::{Catalog, ContainerId, Fraction, Shift, TimeMap};

use crate::{
    BuildReport, Change, Correction, Fingerprint, JoinedSource, Store, StoreBuilder,
    error::{Result, bad_input},
};
use catalogs::Merged;
use units::{CommonUnit, common_units};

/// A trace that is to be part of another one.
#[derive(Clone, Debug)]
pub struct JoinPart<'a> {
    /// It.
    pub store: &'a Store,
    /// What the container that holds it is to be called.
    pub name: String,
    /// What is added to its times, once they are multiplied.
    pub offset: Shift,
    /// By what its times are multiplied.
    pub rate: Fraction,
}

/// A store to be made of others.
pub struct Composition<'a> {
    parts: Vec<Part<'a>>,
    merged: Merged,
    changes: Vec<Change>,
}

/// A part, with what becomes of its numbers and times.
struct Part<'a> {
    store: &'a Store,
    maps: Maps,
}

/// What becomes of the times of a part.
enum Maps {
    /// All are moved alike.
    Whole(TimeMap),
    /// Those of each container are moved for themselves.
    Containers(Vec<TimeMap>),
}

impl Maps {
    fn of(&self, container: ContainerId) -> &TimeMap {
        match self {
            Self::Whole(map) => map,
            Self::Containers(maps) => maps.get(container.index()).unwrap_or(&TimeMap::IDENTITY),
        }
    }
}

impl<'a> Composition<'a> {
    /// Several traces as one: each lies below a container of its own. The tick is one of which
    /// the ticks of all parts are multiples, where times then fit; else the finest of theirs.
    pub fn join(parts: &[JoinPart<'a>]) -> Result<Self> {
        let units: Vec<_> = parts.iter().map(|part| &part.store.catalog().facts.unit).collect();
        let mut why = None;
        for common in common_units(&units)? {
            match Self::join_in(parts, common) {
                Ok(joined) => return Ok(joined),
                Err(error) => why = Some(error),
            }
        }
        Err(why.unwrap_or_else(|| bad_input("there is nothing to join")))
    }

    fn join_in(parts: &[JoinPart<'a>], common: CommonUnit) -> Result<Self> {
        let mut merged = Merged::several(common.unit);
        let (mut sources, mut changes) = (Vec::new(), Vec::new());
        let mut placed = Vec::new();
        for (part, tick_rate) in parts.iter().zip(common.rates) {
            let why = |what: &str| bad_input(format!("{}: {what}", part.name));
            let offset_ticks = part.offset.ticks(merged.unit()).map_err(|error| why(&error))?;
            let map =
                part.rate.times(tick_rate).and_then(|rate| TimeMap::new(0, offset_ticks, rate));
            let map = map.ok_or_else(|| why("the rate must be positive, with fewer digits"))?;
            let maps = Maps::Whole(map);
            merged.add(part.store, part.name.as_bytes(), &map).map_err(|error| why(&error))?;
            let (name, rate) = (part.name.clone(), part.rate.to_string());
            sources.push(JoinedSource { name, offset_ticks, rate });
            changes.extend_from_slice(part.store.changes());
            placed.push(Part { store: part.store, maps });
        }
        merged.end_sources();
        changes.push(Change::Joined { sources });
        Ok(Self { parts: placed, merged, changes })
    }

    /// One trace, the times of each container passed through a map of its own.
    pub fn correct(store: &'a Store, maps: Vec<TimeMap>, correction: Correction) -> Result<Self> {
        if maps.len() != store.catalog().containers.len() {
            return Err(bad_input("there must be a map for each container"));
        }
        let merged = Merged::alone(store.catalog(), &maps, correction.backward_after == 0)
            .map_err(bad_input)?;
        let mut changes = store.changes().to_vec();
        changes.push(Change::Corrected(correction));
        Ok(Self { parts: vec![Part { store, maps: Maps::Containers(maps) }], merged, changes })
    }

    /// What the store will declare. Its first and last time may still widen with the rows.
    pub fn catalog(&self) -> &Catalog {
        &self.merged.catalog
    }

    /// What was done to the times.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// The files of all parts.
    pub fn source(&self) -> Fingerprint {
        let sources = || self.parts.iter().map(|part| part.store.source());
        Fingerprint {
            files: sources().flat_map(|source| source.files.iter().cloned()).collect(),
            unread: sources().flat_map(|source| source.unread.iter().cloned()).collect(),
            looked_ns: sources().map(|source| source.looked_ns).min().unwrap_or(0),
        }
    }

    /// Writes all rows and the rest of the store. `facts` are kept for the caller.
    pub fn write(
        mut self,
        mut builder: StoreBuilder,
        facts: &BTreeMap<String, String>,
    ) -> Result<BuildReport> {
        let source = self.source();
        let mut extent = None;
        for (number, part) in self.parts.iter().enumerate() {
            let numbers = &self.merged.numbers[number];
            rows::copy(part.store, &part.maps, numbers, &mut builder, &mut extent)?;
        }
        self.merged.widen(extent);
        let Merged { catalog, .. } = self.merged;
        builder.finish_changed(&catalog, &source, facts, self.changes)
    }
}
