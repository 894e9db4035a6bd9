//! What is known of some neighbouring columns.

use onca_store::Share;

/// The shares of some columns of a row, one column after the other.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Tile {
    /// Where the shares of each column end.
    ends: Box<[u32]>,
    shares: Box<[Share]>,
}

impl Tile {
    /// How many columns it has.
    pub fn n_columns(&self) -> usize {
        self.ends.len()
    }

    /// How many shares it has.
    pub fn n_shares(&self) -> usize {
        self.shares.len()
    }

    /// The shares of a column; none where it has no such column.
    #[inline]
    pub fn column(&self, column: usize) -> &[Share] {
        let Some(&end) = self.ends.get(column) else { return &[] };
        let start = if column == 0 { 0 } else { self.ends[column - 1] };
        &self.shares[start as usize..end as usize]
    }

    /// The memory that it takes.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.ends) + size_of_val(&*self.shares)
    }
}

/// Makes tiles, one after the other.
#[derive(Default)]
pub(super) struct TileBuilder {
    ends: Vec<u32>,
    shares: Vec<Share>,
}

impl TileBuilder {
    /// Appends a column with the shares that `fill` appends.
    pub fn push(&mut self, fill: impl FnOnce(&mut Vec<Share>)) {
        fill(&mut self.shares);
        self.ends.push(self.shares.len() as u32);
    }

    /// How many columns the tile has so far.
    pub fn n_columns(&self) -> usize {
        self.ends.len()
    }

    /// The tile, and a new beginning.
    pub fn finish(&mut self) -> Tile {
        let tile =
            Tile { ends: self.ends.as_slice().into(), shares: self.shares.as_slice().into() };
        self.ends.clear();
        self.shares.clear();
        tile
    }
}
