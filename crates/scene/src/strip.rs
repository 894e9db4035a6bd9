//! Strips: rows of pixel columns that several states share.

use std::ops::Range;

use onca_model::Color;

use crate::{Bounds, Pick};

/// All strips of a scene, with their columns and colours in common lists.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Strips {
    /// The colours that the parts of columns refer to.
    pub palette: Vec<Color>,
    /// The strips.
    pub strips: Vec<Strip>,
    /// The columns of all strips.
    pub columns: Vec<Column>,
    /// The parts of all columns.
    pub parts: Vec<ColumnPart>,
}

/// A row of columns, all of the same width.
#[derive(Clone, PartialEq, Debug)]
pub struct Strip {
    /// Where it is.
    pub bounds: Bounds,
    /// Its columns.
    pub columns: Range<usize>,
    /// What it stands for.
    pub pick: Pick,
}

/// What is seen in one column, from bottom to top.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Column {
    /// Its first part; the parts end where those of the next column begin.
    pub first_part: u32,
    /// The colour of a value that would be too thin to be seen, marked on the upper edge.
    pub rare: Option<u16>,
    /// Do several entities share the column? Then it is drawn as an aggregate.
    pub aggregate: bool,
}

/// A colour and its share of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ColumnPart {
    /// Index into the palette.
    pub color: u16,
    /// Its share of the height, of 255.
    pub share: u8,
}

impl Strips {
    /// The parts of a column.
    pub fn parts_of(&self, column: usize) -> &[ColumnPart] {
        let first = self.columns[column].first_part as usize;
        let next = self.columns.get(column + 1);
        let end = next.map_or(self.parts.len(), |column| column.first_part as usize);
        &self.parts[first..end]
    }

    /// Appends a column.
    pub fn push_column(
        &mut self,
        parts: impl IntoIterator<Item = ColumnPart>,
        rare: Option<u16>,
        aggregate: bool,
    ) {
        self.columns.push(Column { first_part: self.parts.len() as u32, rare, aggregate });
        self.parts.extend(parts);
    }
}

/// Writes amounts as shares of 255, so that the shares add up to what all amounts together are of
/// the whole, rounded: the largest remainders get what rounding down leaves.
pub fn shares_in_bytes(amounts: &[u64], whole: u64) -> Vec<u8> {
    let mut shares = Vec::with_capacity(amounts.len());
    let mut rest = Vec::new();
    add_shares_in_bytes(amounts.iter().copied(), whole, &mut rest, &mut shares);
    shares
}

/// The same into a list that is kept, for a million columns. `rest` is used and left.
pub fn add_shares_in_bytes(
    amounts: impl ExactSizeIterator<Item = u64> + Clone,
    whole: u64,
    rest: &mut Vec<(u64, usize)>,
    shares: &mut Vec<u8>,
) {
    let first = shares.len();
    if whole == 0 {
        shares.resize(first + amounts.len(), 0);
        return;
    }
    rest.clear();
    let mut total = 0u128;
    for (index, amount) in amounts.enumerate() {
        let (share, remainder) = share_and_rest(amount, whole);
        total += u128::from(amount) * 255;
        shares.push(share);
        rest.push((remainder, index));
    }
    let given: u128 = shares[first..].iter().map(|share| u128::from(*share)).sum();
    let all = ((total + u128::from(whole / 2)) / u128::from(whole)).min(255);
    let missing = all.saturating_sub(given);
    if missing == 0 {
        return;
    }
    rest.sort_unstable_by_key(|(remainder, index)| (std::cmp::Reverse(*remainder), *index));
    for (_, index) in rest.iter().take(missing as usize) {
        shares[first + index] = shares[first + index].saturating_add(1);
    }
}

/// 255 times an amount divided by the whole, and what is left. Wide numbers only where it must be:
/// their division is slow.
fn share_and_rest(amount: u64, whole: u64) -> (u8, u64) {
    match amount.checked_mul(255) {
        Some(scaled) => ((scaled / whole).min(255) as u8, scaled % whole),
        None => {
            let (scaled, whole) = (u128::from(amount) * 255, u128::from(whole));
            ((scaled / whole).min(255) as u8, (scaled % whole) as u64)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up() {
        assert_eq!(shares_in_bytes(&[1, 1, 1], 3), [85, 85, 85]);
        assert_eq!(shares_in_bytes(&[1, 1], 4), [64, 64]);
        assert_eq!(shares_in_bytes(&[7, 0, 0], 7), [255, 0, 0]);
        assert_eq!(shares_in_bytes(&[1, 1, 5], 7).iter().map(|s| u32::from(*s)).sum::<u32>(), 255);
        assert_eq!(shares_in_bytes(&[], 7), []);
        assert_eq!(shares_in_bytes(&[0], 0), [0]);
        assert_eq!(shares_in_bytes(&[u64::MAX / 2, u64::MAX / 2], u64::MAX), [128, 127]);
    }

    #[test]
    fn columns_find_their_parts() {
        let mut strips = Strips::default();
        let part = |color| ColumnPart { color, share: 100 };
        strips.push_column([part(0), part(1)], None, true);
        strips.push_column([], Some(1), false);
        strips.push_column([part(2)], None, false);
        assert_eq!(strips.parts_of(0), [part(0), part(1)]);
        assert_eq!(strips.parts_of(1), []);
        assert_eq!(strips.parts_of(2), [part(2)]);
    }
}
