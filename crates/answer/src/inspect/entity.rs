//! One row of a lane, whatever it is.

use onca_model::{ContainerId, LaneId, LinkRow, Nature, Ticks, TypeId, ValueId};
use onca_store::{BlockExtent, Store, StoreError};

use crate::{AnswerError, Result};

/// A state, link, event or step of a variable.
#[derive(Clone, PartialEq, Debug)]
pub struct Entity {
    /// Its lane.
    pub lane: LaneId,
    /// Its row in the lane.
    pub row: u64,
    /// What it is.
    pub nature: Nature,
    /// Its type.
    pub type_id: TypeId,
    /// Where it is; for links where it comes from, if that is known.
    pub container: Option<ContainerId>,
    /// For links where it goes to, if that is known.
    pub destination: Option<ContainerId>,
    /// When it begins.
    pub start: Ticks,
    /// When it ends; an event ends when it begins.
    pub end: Ticks,
    /// Its value; variables have none with a name.
    pub value: Option<ValueId>,
    /// For variables the number.
    pub number: Option<f64>,
    /// For links the size, if it has one.
    pub size: Option<u64>,
    /// For links the key that paired its halves.
    pub key: Vec<u8>,
    /// Its extra fields, packed.
    pub extras: Vec<u8>,
    /// For states: nothing in the source closed it.
    pub open_ended: bool,
    /// For states the row of the one around it, one lane up.
    pub around: Option<u64>,
}

/// Which way a link goes, seen from one of its ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// It comes here.
    In,
    /// It begins here.
    Out,
}

impl Direction {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::In => "in",
            Self::Out => "out",
        }
    }
}

impl Entity {
    /// Reads a row.
    pub fn read(store: &Store, lane: LaneId, row: u64) -> Result<Self> {
        if row >= store.n_rows(lane) {
            let why = format!("there is no entity in row {row} of lane {}", lane.0);
            return Err(AnswerError::Question(why));
        }
        let mut entity = Self::without_texts(store, lane, row)?;
        let mut texts = store.texts(lane);
        let (key, extras) = texts.get(row)?;
        (entity.key, entity.extras) = (key.to_vec(), extras.to_vec());
        Ok(entity)
    }

    fn without_texts(store: &Store, lane: LaneId, row: u64) -> Result<Self> {
        let on = store.catalog().lane(lane);
        let nature = store.catalog().type_def(on.type_id).nature;
        let entity = Self {
            lane,
            row,
            nature,
            type_id: on.type_id,
            container: Some(on.container),
            destination: None,
            start: 0,
            end: 0,
            value: None,
            number: None,
            size: None,
            key: Vec::new(),
            extras: Vec::new(),
            open_ended: false,
            around: None,
        };
        Ok(match nature {
            Nature::State => {
                let (state, around) = store.state(lane, row)?;
                let (start, end, open_ended) = (state.start, state.end, state.open_ended);
                Self { start, end, value: Some(state.value), open_ended, around, ..entity }
            }
            Nature::Link => {
                let link = store.link(lane, row)?;
                let (container, destination) = (link.source, link.destination);
                let (start, end, size) = (link.start, link.end, link.size);
                let value = Some(link.value);
                Self { container, destination, start, end, value, size, ..entity }
            }
            Nature::Event => {
                let (block, index) = place(store, lane, row)?;
                let columns = store.event_columns(lane, block)?;
                let (mut times, mut values) = (Vec::new(), Vec::new());
                columns.times(&mut times);
                columns.values(&mut values, |value| value);
                let time = at(&times, index, lane, row)?;
                let value = Some(at(&values, index, lane, row)?);
                Self { start: time, end: time, value, ..entity }
            }
            Nature::Variable => {
                let (block, index) = place(store, lane, row)?;
                let columns = store.variable_columns(lane, block)?;
                let (mut starts, mut ends, mut values) = (Vec::new(), Vec::new(), Vec::new());
                columns.starts(&mut starts);
                columns.ends(&mut ends);
                columns.values(&mut values);
                let (start, end) = (at(&starts, index, lane, row)?, at(&ends, index, lane, row)?);
                let number = Some(at(&values, index, lane, row)?);
                Self { start, end, number, ..entity }
            }
            Nature::Container => entity,
        })
    }

    /// Does a link begin or end here: in this container, not before this begins and not after it
    /// ends? Nothing begins in a link.
    pub fn touched_by(&self, link: &LinkRow<'_>) -> Option<Direction> {
        if self.nature == Nature::Link || self.container.is_none() {
            return None;
        }
        let during = |time: Ticks| self.start <= time && time <= self.end;
        if link.source == self.container && during(link.start) {
            return Some(Direction::Out);
        }
        (link.destination == self.container && during(link.end)).then_some(Direction::In)
    }
}

/// The block of a row, and its place in the block.
pub(super) fn place(store: &Store, lane: LaneId, row: u64) -> Result<(usize, usize)> {
    let holds =
        |(_, block): &(usize, BlockExtent)| row < block.rows_before + u64::from(block.n_rows);
    let (block, extent) =
        store.blocks(lane).enumerate().find(holds).ok_or_else(|| no_row(lane, row))?;
    Ok((block, (row - extent.rows_before) as usize))
}

/// One of the rows of a block.
fn at<T: Copy>(column: &[T], index: usize, lane: LaneId, row: u64) -> Result<T> {
    Ok(column.get(index).copied().ok_or_else(|| no_row(lane, row))?)
}

fn no_row(lane: LaneId, row: u64) -> StoreError {
    StoreError::NoSuch { what: format!("row {row} in lane {}", lane.0) }
}
