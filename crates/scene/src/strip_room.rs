//! Strips that are put together in several places at once.

use crate::{
    Bounds, Column, Pick,
    strip::{Strip, Strips},
};

/// How much room some strips take.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StripSize {
    /// All columns.
    pub columns: usize,
    /// All their parts, those that columns share counted once.
    pub parts: usize,
}

/// The room of some strips among others. It is to be filled to the end.
#[derive(Debug)]
pub struct StripRoom<'s> {
    columns: &'s mut [Column],
    colors: &'s mut [u16],
    shares: &'s mut [u8],
    /// What lies before it.
    before: StripSize,
    /// What it has.
    filled: StripSize,
    strips: Vec<Strip>,
}

impl Strips {
    /// Strips of known sizes: `fill` gets the rooms, in order, and may fill them at the same time.
    /// They are not written to before, which would cost as much as to fill them.
    pub fn in_rooms(sizes: &[StripSize], fill: impl FnOnce(&mut [StripRoom<'_>])) -> Self {
        let n_columns = sizes.iter().map(|size| size.columns).sum();
        let n_parts = sizes.iter().map(|size| size.parts).sum();
        let mut all = Self {
            columns: bytemuck::zeroed_vec(n_columns),
            colors: vec![0; n_parts],
            shares: vec![0; n_parts],
            ..Self::default()
        };
        let mut rooms = all.rooms(sizes);
        fill(&mut rooms);
        debug_assert!(rooms.iter().all(StripRoom::is_full), "a room has a gap");
        let strips: Vec<Vec<Strip>> = rooms.into_iter().map(|room| room.strips).collect();
        all.strips = strips.concat();
        all
    }

    fn rooms(&mut self, sizes: &[StripSize]) -> Vec<StripRoom<'_>> {
        let Self { columns, colors, shares, .. } = self;
        let (mut columns, mut colors, mut shares) =
            (columns.as_mut_slice(), colors.as_mut_slice(), shares.as_mut_slice());
        let mut before = StripSize::default();
        let mut room = |size: &StripSize| {
            let room = StripRoom {
                columns: front(&mut columns, size.columns),
                colors: front(&mut colors, size.parts),
                shares: front(&mut shares, size.parts),
                before,
                filled: StripSize::default(),
                strips: Vec::new(),
            };
            before.columns += size.columns;
            before.parts += size.parts;
            room
        };
        sizes.iter().map(&mut room).collect()
    }
}

/// Takes the first elements of a slice.
fn front<'s, T>(slice: &mut &'s mut [T], n: usize) -> &'s mut [T] {
    slice.split_off_mut(..n).unwrap_or_default()
}

/// A part of a room that is to be filled.
pub(crate) struct FreePart<'p> {
    pub columns: &'p mut [Column],
    pub colors: &'p mut [u16],
    pub shares: &'p mut [u8],
    /// The number of its first part among those of all strips.
    pub first_part: u32,
}

impl StripRoom<'_> {
    /// The next part of the room.
    pub(crate) fn take(&mut self, size: StripSize) -> FreePart<'_> {
        let StripSize { columns, parts } = self.filled;
        self.filled = StripSize { columns: columns + size.columns, parts: parts + size.parts };
        FreePart {
            columns: &mut self.columns[columns..columns + size.columns],
            colors: &mut self.colors[parts..parts + size.parts],
            shares: &mut self.shares[parts..parts + size.parts],
            first_part: (self.before.parts + parts) as u32,
        }
    }

    /// Adds the strip of the columns that were appended since the last.
    pub fn push_strip(&mut self, bounds: Bounds, pick: Pick) {
        let begin = self.strips.last().map_or(self.before.columns, |strip| strip.columns.end);
        let columns = begin..self.before.columns + self.filled.columns;
        self.strips.push(Strip { bounds, columns, pick });
    }

    fn is_full(&self) -> bool {
        self.filled == StripSize { columns: self.columns.len(), parts: self.shares.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ColumnList, ColumnPacker, ColumnPart, PackedColumns};

    /// The parts, rare value and mark of a column. Nothing is in some.
    type Look = (Vec<ColumnPart>, Option<u16>, bool);

    /// Columns of no, one and two parts; some look alike, some have a rare value.
    fn columns(seed: u16, n: u16) -> Vec<Look> {
        let look = |column: u16| {
            let part = |color, share| ColumnPart { color, share };
            let look = (column + seed) / 3;
            let n_parts = if look.is_multiple_of(5) { 0 } else { usize::from(1 + look % 2) };
            let parts = [part(look, 100), part(seed, 155)].into_iter().take(n_parts);
            (parts.collect(), (look % 5 == 2).then_some(7), look % 5 > 2)
        };
        (0..n).map(look).collect()
    }

    fn is_empty((parts, rare, aggregate): &Look) -> bool {
        parts.is_empty() && rare.is_none() && !aggregate
    }

    fn packed(packer: &mut ColumnPacker, looks: &[Look]) -> PackedColumns {
        for (parts, rare, aggregate) in looks {
            parts.iter().for_each(|part| packer.push_part(*part));
            packer.end_column(*rare, *aggregate);
        }
        packer.finish()
    }

    #[test]
    fn packed_columns_share_parts_as_those_of_strips_do() {
        let (part, bounds) = (ColumnPart { color: 7, share: 255 }, Bounds::new(0., 0., 1., 1.));
        let mut packer = ColumnPacker::with_room_for(0);
        let mut strips = Strips::default();
        for _ in 0..601 {
            packer.push_part(part);
            packer.end_column(None, false);
            strips.push_column([part], None, false);
        }
        strips.push_strip(bounds, Pick::NOTHING);
        let packed = packer.finish();
        let size = packed.size_of(0..601);
        assert_eq!(size, StripSize { columns: 601, parts: 3 });
        let filled = Strips::in_rooms(&[size], |rooms| {
            rooms[0].extend_packed(&packed, 0..601);
            rooms[0].push_strip(bounds, Pick::NOTHING);
        });
        assert_eq!(filled, strips);
    }

    #[test]
    fn rooms_hold_what_appending_gives() {
        let rows = [columns(1, 40), columns(2, 0), columns(5, 61), columns(300, 9)];
        let cuts = [4..37, 0..0, 0..61, 9..9];
        let bounds = |row: usize| Bounds::new(0.0, row as f64, 1.0, row as f64 + 1.0);
        let pick = |row: usize| Pick::Node(row as u32);
        let mut appended = Strips::default();
        for (row, looks) in rows.iter().enumerate() {
            for column in cuts[row].clone().filter(|column| !is_empty(&looks[*column])) {
                let (parts, rare, aggregate) = looks[column].clone();
                appended.push_column(parts, rare, aggregate);
                let next = column + 1;
                if next == cuts[row].end || is_empty(&looks[next]) {
                    appended.push_strip(bounds(row), pick(row));
                }
            }
        }
        let mut packer = ColumnPacker::with_room_for(0);
        let packed = rows.map(|looks| packed(&mut packer, &looks));
        let sizes: Vec<StripSize> =
            packed.iter().zip(&cuts).map(|(packed, cut)| packed.size_of(cut.clone())).collect();
        let filled = Strips::in_rooms(&sizes, |rooms| {
            // In any order.
            for row in [2, 0, 3, 1] {
                packed[row].visit_runs(cuts[row].clone(), |run, is_empty| {
                    if !is_empty {
                        rooms[row].extend_packed(&packed[row], run);
                        rooms[row].push_strip(bounds(row), pick(row));
                    }
                });
            }
        });
        assert!(appended.strips.len() > 5, "there is something to compare");
        assert_eq!(filled, appended);
        assert_eq!(Strips::in_rooms(&[], |_| ()), Strips::default());
    }
}
