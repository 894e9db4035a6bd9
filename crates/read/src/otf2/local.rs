//! Local definitions of a location: how its ids map to global ones, and how far its clock is
//! off.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::value::Kind;
use crate::cursor::{Broken, Cursor, Field, UNDEFINED, UNDEFINED_64};

/// What a local definition file says.
#[derive(Clone, Debug, Default)]
pub(super) struct Local {
    maps: [Option<Map>; Kind::ALL.len()],
    pub clock: ClockCorrection,
}

/// From local ids to global ones.
#[derive(Clone, Debug)]
enum Map {
    Dense(Vec<u64>),
    Sparse(HashMap<u64, u64, RandomState>),
}

impl Local {
    /// The global id of a local one.
    #[inline]
    pub fn global(&self, kind: Kind, id: u64) -> u64 {
        match &self.maps[kind as usize] {
            None => id,
            // Nothing stays nothing, whatever a table says of it.
            Some(_) if id == UNDEFINED_64 || kind != Kind::Location && id == UNDEFINED.into() => id,
            Some(Map::Dense(ids)) => {
                let entry = usize::try_from(id).ok().and_then(|index| ids.get(index));
                entry.copied().unwrap_or(id)
            }
            Some(Map::Sparse(ids)) => ids.get(&id).copied().unwrap_or(id),
        }
    }

    /// Takes a record; those that repeat global definitions are passed over.
    pub fn take(&mut self, kind: u8, c: &mut Cursor<'_>) -> Field<()> {
        match kind {
            5 => {
                let (of, map) = (c.u8()?, Map::parse(c)?);
                if let Some(place) = self.maps.get_mut(usize::from(of)) {
                    *place = Some(map);
                }
            }
            6 => {
                let (time, offset) = (c.u64()?, c.i64()?);
                self.clock.points.push((time, offset));
            }
            _ => {}
        }
        Ok(())
    }

    /// Memory in use, about.
    pub fn bytes(&self) -> usize {
        let map_bytes = |map: &Map| match map {
            Map::Dense(ids) => ids.capacity() * 8,
            Map::Sparse(ids) => ids.capacity() * 17,
        };
        self.maps.iter().flatten().map(map_bytes).sum::<usize>() + self.clock.points.capacity() * 16
    }
}

impl Map {
    fn parse(c: &mut Cursor<'_>) -> Field<Self> {
        let (n, mode) = (c.c64()?, c.u8()?);
        // An entry takes a byte at least, so a count that lies cannot make room for more.
        let room = usize::try_from(n).unwrap_or(usize::MAX).min(c.left());
        match mode {
            0 => {
                let mut ids = Vec::with_capacity(room);
                for _ in 0..n {
                    ids.push(c.c64()?);
                }
                Ok(Self::Dense(ids))
            }
            1 => {
                let mut ids = HashMap::with_capacity_and_hasher(room / 2, RandomState::default());
                for _ in 0..n {
                    ids.insert(c.c64()?, c.c64()?);
                }
                Ok(Self::Sparse(ids))
            }
            _ => Err(Broken::Wrong),
        }
    }
}

/// Moments at which the offset of a clock is known; between and beyond them it is taken to grow
/// evenly.
#[derive(Clone, Debug, Default)]
pub(super) struct ClockCorrection {
    points: Vec<(u64, i64)>,
}

impl ClockCorrection {
    /// Does it change anything?
    pub fn is_needed(&self) -> bool {
        self.points.len() >= 2
    }

    /// The true time of an event.
    #[inline]
    pub fn apply(&self, time: u64) -> i128 {
        match self.is_needed() {
            false => i128::from(time),
            true => self.interpolate(time),
        }
    }

    fn interpolate(&self, time: u64) -> i128 {
        let ends = &self.points[1..];
        let interval = ends.partition_point(|&(end, _)| end < time).min(ends.len() - 1);
        let (start, offset) = self.points[interval];
        let (end, offset_at_end) = ends[interval];
        let slope = (offset_at_end as f64 - offset as f64) / (end as f64 - start as f64);
        let since = i128::from(time) - i128::from(start);
        let drift = slope * since as f64;
        let drift = if drift.is_finite() { drift.round_ties_even() as i128 } else { 0 };
        (i128::from(time) + i128::from(offset)).saturating_add(drift)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_undefined_is_not_mapped() {
        let undefined = u64::from(UNDEFINED);
        let map = Map::Sparse([(undefined, 7), (UNDEFINED_64, 8), (1, 9)].into_iter().collect());
        let mut local = Local::default();
        local.maps[Kind::Region as usize] = Some(map.clone());
        local.maps[Kind::Location as usize] = Some(map);
        assert_eq!(local.global(Kind::Region, undefined), undefined);
        assert_eq!(local.global(Kind::Region, 1), 9);
        assert_eq!(local.global(Kind::Location, UNDEFINED_64), UNDEFINED_64);
        assert_eq!(local.global(Kind::Location, undefined), 7, "ids of locations have 64 bits");
    }

    #[test]
    fn offsets_are_interpolated_and_extrapolated() {
        let clock = |points: &[(u64, i64)]| ClockCorrection { points: points.to_vec() };
        assert_eq!(clock(&[]).apply(7), 7);
        assert_eq!(clock(&[(0, 100)]).apply(7), 7, "one point tells no slope");
        let two = clock(&[(1000, 10), (2000, 20)]);
        assert_eq!(two.apply(1500), 1515);
        assert_eq!(two.apply(0), 0, "before the first point: 10 - 10");
        assert_eq!(two.apply(3000), 3030);
        assert_eq!(two.apply(1050), 1060, "half a tick of drift goes to the even number");
        let three = clock(&[(0, 0), (10, 10), (20, -10)]);
        assert_eq!((three.apply(10), three.apply(11)), (20, 19));
        assert_eq!(clock(&[(5, 1), (5, 3)]).apply(5), 6, "no interval, no drift");
    }
}
