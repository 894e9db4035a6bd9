//! What is kept of columns.

use std::any::Any;
use std::sync::Arc;

use onca_model::Ticks;
use onca_query::Scope;
use onca_store::{Share, StackTile, ValueOrder};

use crate::{AnswerError, Result};

/// What is kept of the columns of rows, and made of their shares while these are at hand: the shares
/// themselves, or only what a picture shows of them.
pub trait Form: Sync {
    /// Some neighbouring columns of a row.
    type Tile: Kept;
    /// What makes tiles.
    type Maker<'f>: TileMaker<Tile = Self::Tile>
    where
        Self: 'f;

    /// The order in which makers want the shares of a column.
    fn order(&self) -> &Arc<ValueOrder>;

    /// What makes the tiles of a row.
    fn maker(&self, row: usize) -> Self::Maker<'_>;

    /// Tells apart the forms that make different tiles of the same shares.
    fn key(&self, row: usize) -> u64;
}

/// Makes tiles, one after the other.
pub trait TileMaker {
    /// What it makes.
    type Tile;

    /// Appends `n` columns, each of so many ticks and with these shares, in the order of the form,
    /// those of hidden values too.
    fn push(&mut self, n: usize, shares: impl Iterator<Item = Share>, ticks: Ticks);

    /// The tile of the columns that were appended, and a new beginning.
    fn finish(&mut self) -> Self::Tile;

    /// Can it make tiles of what a store has of columns, without the shares?
    fn takes_stacks(&self) -> bool;

    /// Makes a tile of stacks.
    fn of_stacks(&mut self, stacks: &StackTile<'_>) -> Result<Self::Tile>;
}

/// Something that a cache can hold.
pub trait Kept: Any + Send + Sync {
    /// The memory that it takes.
    fn bytes(&self) -> usize;
}

/// The shares as they are, by value.
pub(super) struct Exact(Arc<ValueOrder>);

impl Exact {
    pub fn new(scope: &Scope<'_>) -> Self {
        Self(Arc::new(ValueOrder::by_id(scope.catalog().values.len())))
    }
}

impl Form for Exact {
    type Tile = Tile;
    type Maker<'f> = ExactMaker;

    fn order(&self) -> &Arc<ValueOrder> {
        &self.0
    }

    fn maker(&self, _row: usize) -> ExactMaker {
        ExactMaker::default()
    }

    fn key(&self, _row: usize) -> u64 {
        0
    }
}

/// The shares of some columns of a row, by value, one column after the other.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Tile {
    /// Where the shares of each column end.
    ends: Box<[u32]>,
    shares: Box<[Share]>,
}

impl Tile {
    /// The shares of a column; none where it has no such column.
    #[inline]
    pub fn column(&self, column: usize) -> &[Share] {
        let Some(&end) = self.ends.get(column) else { return &[] };
        let start = if column == 0 { 0 } else { self.ends[column - 1] };
        &self.shares[start as usize..end as usize]
    }
}

impl Kept for Tile {
    fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.ends) + size_of_val(&*self.shares)
    }
}

#[derive(Default)]
pub(super) struct ExactMaker {
    ends: Vec<u32>,
    shares: Vec<Share>,
}

impl TileMaker for ExactMaker {
    type Tile = Tile;

    fn push(&mut self, n: usize, shares: impl Iterator<Item = Share>, _ticks: Ticks) {
        let begin = self.shares.len();
        self.shares.extend(shares);
        self.ends.push(self.shares.len() as u32);
        let end = self.shares.len();
        for _ in 1..n {
            self.shares.extend_from_within(begin..end);
            self.ends.push(self.shares.len() as u32);
        }
    }

    fn takes_stacks(&self) -> bool {
        false
    }

    fn of_stacks(&mut self, _stacks: &StackTile<'_>) -> Result<Tile> {
        Err(AnswerError::Question("stacks have no exact shares".to_owned()))
    }

    fn finish(&mut self) -> Tile {
        let tile =
            Tile { ends: self.ends.as_slice().into(), shares: self.shares.as_slice().into() };
        self.ends.clear();
        self.shares.clear();
        tile
    }
}
