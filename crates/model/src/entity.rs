//! Finished entities, and the sink that takes them.

use crate::{ContainerId, LaneId, Ticks, ValueId};

/// A state: an interval during which a container had a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StateRow {
    /// Begin, inclusive.
    pub start: Ticks,
    /// End, exclusive; equal to `start` for a state of no length.
    pub end: Ticks,
    /// The value.
    pub value: ValueId,
    /// The value of the enclosing state, one lane up; `None` at depth 0.
    pub parent: Option<ValueId>,
    /// Nothing in the source closed it: it ends with its container or the trace.
    pub open_ended: bool,
}

/// One step of a variable: it held `value` from `start` to `end`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct VariableRow {
    /// Begin, inclusive.
    pub start: Ticks,
    /// End, exclusive.
    pub end: Ticks,
    /// The value; may be infinite or not a number.
    pub value: f64,
}

/// Something that happened at one instant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EventRow {
    /// When.
    pub time: Ticks,
    /// What.
    pub value: ValueId,
}

/// A link between two containers. When one half is missing in the source, its container is
/// `None` and both times are those of the half that exists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinkRow<'a> {
    /// When it left its source.
    pub start: Ticks,
    /// When it reached its destination; may be earlier than `start` when clocks disagree.
    pub end: Ticks,
    /// Where it comes from.
    pub source: Option<ContainerId>,
    /// Where it goes to.
    pub destination: Option<ContainerId>,
    /// Its value.
    pub value: ValueId,
    /// Its size, when an extra field gives one: bytes for messages.
    pub size: Option<u64>,
    /// The text that paired its halves.
    pub key: &'a [u8],
}

/// Takes finished entities, lane by lane.
///
/// Rows of a state lane come in order of their start and never overlap. A nested state comes
/// before the state that encloses it, because it ends first: the enclosing state of a row in
/// lane *d* is the next row that lane *d - 1* of the same track will receive. Variable and event rows come
/// in time order. Links come in order of completion; their lane is that of their owner.
/// `extras` is a packed list ([`push_extra`](crate::push_extra)), mostly empty.
pub trait EntitySink {
    /// Why a row cannot be taken; ends the work.
    type Error;
    /// Rows of these lanes are about to come, in any order: a sink may prepare for all of them
    /// together.
    fn expect(&self, _lanes: &[LaneId]) {}
    /// Lane `lane` holds the states nested in those of lane `outer`; called once, before its first row.
    fn nest(&mut self, lane: LaneId, outer: LaneId) {
        let _ = (lane, outer);
    }
    /// A state has ended.
    fn state(&mut self, lane: LaneId, row: &StateRow, extras: &[u8]) -> Result<(), Self::Error>;
    /// A step of a variable has ended.
    fn variable(
        &mut self,
        lane: LaneId,
        row: &VariableRow,
        extras: &[u8],
    ) -> Result<(), Self::Error>;
    /// An event has happened.
    fn event(&mut self, lane: LaneId, row: &EventRow, extras: &[u8]) -> Result<(), Self::Error>;
    /// A link is complete, or its other half is known to be missing.
    fn link(&mut self, lane: LaneId, row: &LinkRow<'_>, extras: &[u8]) -> Result<(), Self::Error>;
}
