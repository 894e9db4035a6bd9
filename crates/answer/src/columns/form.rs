//! What is kept of columns.

use std::any::Any;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use onca_model::Ticks;
use onca_query::Scope;
use onca_store::{Share, ValueOrder};

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

    /// Appends a column of this many ticks with these shares, in the order of the form, those of hidden
    /// values too.
    fn push(&mut self, shares: impl Iterator<Item = Share>, ticks: Ticks);

    /// The tile of the columns that were appended, and a new beginning.
    fn finish(&mut self) -> Self::Tile;
}

/// Something that a cache can hold.
pub trait Kept: Any + Send + Sync {
    /// The memory that it takes.
    fn bytes(&self) -> usize;
}

/// The shares as they are, in an order.
pub(super) struct Exact {
    order: Arc<ValueOrder>,
    key: u64,
}

impl Exact {
    /// By value.
    pub fn by_value(scope: &Scope<'_>) -> Self {
        Self { order: Arc::new(ValueOrder::by_id(scope.catalog().values.len())), key: 0 }
    }

    /// In an order of all values.
    pub fn in_order(order: &Arc<ValueOrder>) -> Self {
        let mut hasher = DefaultHasher::new();
        (0..order.len()).for_each(|place| order.value(place).hash(&mut hasher));
        Self { order: Arc::clone(order), key: hasher.finish() }
    }
}

impl Form for Exact {
    type Tile = Tile;
    type Maker<'f> = ExactMaker;

    fn order(&self) -> &Arc<ValueOrder> {
        &self.order
    }

    fn maker(&self, _row: usize) -> ExactMaker {
        ExactMaker::default()
    }

    fn key(&self, _row: usize) -> u64 {
        self.key
    }
}

/// The shares of some columns of a row, one column after the other.
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

    fn push(&mut self, shares: impl Iterator<Item = Share>, _ticks: Ticks) {
        self.shares.extend(shares);
        self.ends.push(self.shares.len() as u32);
    }

    fn finish(&mut self) -> Tile {
        let tile =
            Tile { ends: self.ends.as_slice().into(), shares: self.shares.as_slice().into() };
        self.ends.clear();
        self.shares.clear();
        tile
    }
}
