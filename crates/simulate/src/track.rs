//! Tracks: what is open on each (container, type), and what it becomes when it is closed.

use onca_model::{
    ContainerId, EntitySink, EventRow, Lane, LaneId, Nature, StateRow, Ticks, TypeId, ValueId,
    VariableRow,
};

use crate::names::ALIVE;

/// The deepest nesting that is kept.
pub(crate) const MAX_DEPTH: u32 = u16::MAX as u32;

const NONE: u32 = u32::MAX;

/// The entity type does not belong to the container's type.
pub(crate) const MISFIT: u8 = 1;
/// The records of this track are put aside and sorted.
pub(crate) const DIVERTED: u8 = 2;

/// All that every record of a track touches, in one cache line.
#[derive(Clone)]
#[repr(align(64))]
pub(crate) struct Track {
    /// The latest time of its records.
    pub last_time: Ticks,
    /// The life of its container.
    pub created: Ticks,
    pub destroyed: Ticks,
    /// The outermost open state, or the open step of the variable.
    open_start: Ticks,
    /// Its value: an id, or the bits of a number.
    open_value: u64,
    /// How many states are open; for a variable, whether it has a value.
    depth: u32,
    pub type_id: TypeId,
    pub lane: LaneId,
    /// Extra fields of the outermost open state or open step.
    extras: u32,
    /// Where its nested states are.
    deep: u32,
    pub nature: Nature,
    pub flags: u8,
}

const _: () = assert!(size_of::<Track>() == 64);

impl Track {
    /// Nothing has to be said about a record of this time.
    #[inline(always)]
    pub fn is_usual(&self, time: Ticks) -> bool {
        time >= self.last_time && time >= self.created && self.destroyed == ALIVE && self.flags == 0
    }

    /// No state is open.
    #[inline(always)]
    pub fn is_closed(&self) -> bool {
        self.depth == 0
    }

    /// One state is open, and it has no extra fields.
    #[inline(always)]
    pub fn is_plainly_open(&self) -> bool {
        self.depth == 1 && self.extras == NONE
    }

    /// Opens the only state, without extra fields.
    #[inline(always)]
    pub fn open(&mut self, time: Ticks, value: ValueId) {
        self.last_time = time;
        self.depth = 1;
        self.open_start = time;
        self.open_value = u64::from(value.0);
    }
}

/// A nested state that is open.
#[derive(Clone)]
struct Open {
    start: Ticks,
    value: ValueId,
    extras: u32,
}

/// The nested states of a track.
#[derive(Clone, Default)]
struct Deep {
    stack: Vec<Open>,
    /// The lane of each depth from 1.
    lanes: Vec<LaneId>,
    /// States that were pushed deeper than is kept.
    excess: u64,
}

/// All tracks, and the sink that takes what they finish.
pub(crate) struct Tracks<S: EntitySink> {
    pub sink: S,
    pub tracks: Vec<Track>,
    pub lanes: Vec<Lane>,
    deep: Vec<Deep>,
    extras: ExtrasSlab,
    /// Nothing is given to the sink: the source will be read again.
    pub dry: bool,
    pub failed: Option<S::Error>,
    /// States that nothing in the source closed.
    pub n_open_ended: u64,
}

/// Why a record has no effect on its track.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NoEffect {
    PopEmpty,
    TooDeep,
}

impl<S: EntitySink> Tracks<S> {
    pub fn new(sink: S) -> Self {
        Self {
            sink,
            tracks: Vec::new(),
            lanes: Vec::new(),
            deep: Vec::new(),
            extras: ExtrasSlab::default(),
            dry: false,
            failed: None,
            n_open_ended: 0,
        }
    }

    /// The same tracks, with another sink for what they finish from here on.
    pub fn fork<T: EntitySink>(&self, sink: T) -> Tracks<T> {
        Tracks {
            sink,
            tracks: self.tracks.clone(),
            lanes: self.lanes.clone(),
            deep: self.deep.clone(),
            extras: self.extras.clone(),
            dry: self.dry,
            failed: None,
            n_open_ended: self.n_open_ended,
        }
    }

    /// Memory in use, about.
    pub fn bytes(&self) -> usize {
        let deep: usize = self
            .deep
            .iter()
            .map(|deep| deep.stack.capacity() * 16 + deep.lanes.capacity() * 4)
            .sum();
        self.tracks.capacity() * size_of::<Track>()
            + self.lanes.capacity() * size_of::<Lane>()
            + deep
            + self.extras.bytes()
    }

    /// Adds a track.
    pub fn add(
        &mut self,
        container: ContainerId,
        type_id: TypeId,
        nature: Nature,
        life: (Ticks, Ticks),
        flags: u8,
    ) -> u32 {
        let lane = self.add_lane(container, type_id, 0);
        self.tracks.push(Track {
            last_time: Ticks::MIN,
            created: life.0,
            destroyed: life.1,
            open_start: 0,
            open_value: 0,
            depth: 0,
            type_id,
            lane,
            extras: NONE,
            deep: NONE,
            nature,
            flags,
        });
        self.tracks.len() as u32 - 1
    }

    fn add_lane(&mut self, container: ContainerId, type_id: TypeId, depth: u16) -> LaneId {
        self.lanes.push(Lane { container, type_id, depth });
        LaneId(self.lanes.len() as u32 - 1)
    }

    /// Opens a state inside the open ones.
    #[inline]
    pub fn push(
        &mut self,
        track: u32,
        time: Ticks,
        value: ValueId,
        extras: &[u8],
    ) -> Result<(), NoEffect> {
        let line = &mut self.tracks[track as usize];
        if line.depth > 0 {
            return self.push_nested(track, time, value, extras);
        }
        line.depth = 1;
        line.open_start = time;
        line.open_value = u64::from(value.0);
        line.extras = self.extras.keep(extras);
        Ok(())
    }

    fn push_nested(
        &mut self,
        track: u32,
        time: Ticks,
        value: ValueId,
        extras: &[u8],
    ) -> Result<(), NoEffect> {
        let line = &mut self.tracks[track as usize];
        if line.deep == NONE {
            self.deep.push(Deep::default());
            line.deep = self.deep.len() as u32 - 1;
        }
        let (depth, outermost, deep) = (line.depth, line.lane, line.deep as usize);
        if depth > MAX_DEPTH || self.deep[deep].excess > 0 {
            self.deep[deep].excess += 1;
            return Err(NoEffect::TooDeep);
        }
        if self.deep[deep].lanes.len() < depth as usize {
            let Lane { container, type_id, .. } = self.lanes[outermost.index()];
            let lane = self.add_lane(container, type_id, depth as u16);
            let outer = self.deep[deep].lanes.last().copied().unwrap_or(outermost);
            if !self.dry {
                self.sink.nest(lane, outer);
            }
            self.deep[deep].lanes.push(lane);
        }
        let extras = self.extras.keep(extras);
        self.deep[deep].stack.push(Open { start: time, value, extras });
        self.tracks[track as usize].depth += 1;
        Ok(())
    }

    /// Closes the innermost state.
    #[inline]
    pub fn pop(&mut self, track: u32, time: Ticks, extras: &[u8]) -> Result<(), NoEffect> {
        let line = &self.tracks[track as usize];
        match line.depth {
            0 => Err(NoEffect::PopEmpty),
            1 => {
                self.close_outermost(track, time, extras, false);
                Ok(())
            }
            _ => {
                let deep = &mut self.deep[line.deep as usize];
                if deep.excess > 0 {
                    deep.excess -= 1;
                } else {
                    self.close_nested(track, time, extras, false);
                }
                Ok(())
            }
        }
    }

    /// Closes all states.
    #[inline]
    pub fn reset(&mut self, track: u32, time: Ticks, open_ended: bool) {
        if self.tracks[track as usize].depth > 1 {
            let deep = self.tracks[track as usize].deep as usize;
            self.deep[deep].excess = 0;
            while self.tracks[track as usize].depth > 1 {
                self.close_nested(track, time, b"", open_ended);
            }
        }
        if self.tracks[track as usize].depth == 1 {
            self.close_outermost(track, time, b"", open_ended);
        }
    }

    /// Closes the only state, which has no extra fields.
    #[inline]
    pub fn close_plain(&mut self, track: u32, time: Ticks) {
        let line = &mut self.tracks[track as usize];
        line.last_time = time;
        line.depth = 0;
        let row = StateRow {
            start: line.open_start,
            end: time,
            value: ValueId(line.open_value as u32),
            parent: None,
            open_ended: false,
        };
        if !self.dry
            && let Err(error) = self.sink.state(line.lane, &row, b"")
        {
            self.failed.get_or_insert(error);
        }
    }

    #[inline]
    fn close_outermost(&mut self, track: u32, time: Ticks, closing: &[u8], open_ended: bool) {
        let line = &mut self.tracks[track as usize];
        line.depth = 0;
        let row = StateRow {
            start: line.open_start,
            end: time,
            value: ValueId(line.open_value as u32),
            parent: None,
            open_ended,
        };
        let (lane, extras) = (line.lane, std::mem::replace(&mut line.extras, NONE));
        self.emit_state(lane, &row, extras, closing);
    }

    fn close_nested(&mut self, track: u32, time: Ticks, closing: &[u8], open_ended: bool) {
        let line = &mut self.tracks[track as usize];
        let deep = &mut self.deep[line.deep as usize];
        let Some(open) = deep.stack.pop() else { return };
        line.depth -= 1;
        let parent = deep.stack.last().map_or(ValueId(line.open_value as u32), |outer| outer.value);
        let lane = deep.lanes[deep.stack.len()];
        let row = StateRow {
            start: open.start,
            end: time,
            value: open.value,
            parent: Some(parent),
            open_ended,
        };
        self.emit_state(lane, &row, open.extras, closing);
    }

    #[inline]
    fn emit_state(&mut self, lane: LaneId, row: &StateRow, extras: u32, closing: &[u8]) {
        self.n_open_ended += u64::from(row.open_ended);
        if extras == NONE && closing.is_empty() {
            if !self.dry
                && let Err(error) = self.sink.state(lane, row, b"")
            {
                self.failed.get_or_insert(error);
            }
            return;
        }
        let mut packed = self.extras.take(extras);
        packed.extend_from_slice(closing);
        if !self.dry
            && let Err(error) = self.sink.state(lane, row, &packed)
        {
            self.failed.get_or_insert(error);
        }
        self.extras.recycle(packed);
    }

    /// Gives a variable a value, computed from the one it has. False if it had none.
    #[inline]
    pub fn change_variable(
        &mut self,
        track: u32,
        time: Ticks,
        extras: &[u8],
        value: impl FnOnce(f64) -> f64,
    ) -> bool {
        let line = &mut self.tracks[track as usize];
        let had_value = line.depth > 0;
        let new = value(if had_value { f64::from_bits(line.open_value) } else { 0.0 });
        if had_value && line.open_start == time {
            line.open_value = new.to_bits();
            return true;
        }
        self.close_variable(track, time);
        let line = &mut self.tracks[track as usize];
        line.depth = 1;
        line.open_start = time;
        line.open_value = new.to_bits();
        line.extras = self.extras.keep(extras);
        had_value
    }

    #[inline]
    fn close_variable(&mut self, track: u32, time: Ticks) {
        let line = &mut self.tracks[track as usize];
        if line.depth == 0 {
            return;
        }
        line.depth = 0;
        let value = f64::from_bits(line.open_value);
        let row = VariableRow { start: line.open_start, end: time, value };
        let (lane, extras) = (line.lane, std::mem::replace(&mut line.extras, NONE));
        let packed = self.extras.take(extras);
        if !self.dry
            && let Err(error) = self.sink.variable(lane, &row, &packed)
        {
            self.failed.get_or_insert(error);
        }
        self.extras.recycle(packed);
    }

    /// Something happens.
    #[inline]
    pub fn event(&mut self, track: u32, time: Ticks, value: ValueId, extras: &[u8]) {
        let lane = self.tracks[track as usize].lane;
        if !self.dry
            && let Err(error) = self.sink.event(lane, &EventRow { time, value }, extras)
        {
            self.failed.get_or_insert(error);
        }
    }

    /// Closes what is open when the container ends.
    pub fn close(&mut self, track: u32, time: Ticks) {
        match self.tracks[track as usize].nature {
            Nature::State => self.reset(track, time, true),
            Nature::Variable => self.close_variable(track, time),
            _ => {}
        }
    }

    /// Closes what was opened up to the end of the container, before a later record is applied.
    pub fn close_before(&mut self, track: u32, destroyed: Ticks) {
        let line = &self.tracks[track as usize];
        if line.depth > 0 && line.open_start <= destroyed {
            self.close(track, destroyed);
        }
    }

    /// Closes what is open when the trace ends.
    pub fn close_at_end(&mut self, track: u32, end_of_trace: Ticks) {
        let line = &self.tracks[track as usize];
        if line.depth == 0 {
            return;
        }
        // What was opened after its container's end stays open to the end of the trace.
        let in_life = line.destroyed != ALIVE && line.open_start <= line.destroyed;
        let end = if in_life { line.destroyed } else { end_of_trace };
        self.close(track, end);
    }
}

/// Extra fields of what is open. Most of the time there are none.
#[derive(Clone, Default)]
struct ExtrasSlab {
    slots: Vec<Vec<u8>>,
    free: Vec<u32>,
    spare: Vec<Vec<u8>>,
    held: usize,
}

impl ExtrasSlab {
    #[inline]
    fn keep(&mut self, extras: &[u8]) -> u32 {
        if extras.is_empty() { NONE } else { self.keep_some(extras) }
    }

    fn keep_some(&mut self, extras: &[u8]) -> u32 {
        let mut packed = self.spare.pop().unwrap_or_default();
        packed.clear();
        packed.extend_from_slice(extras);
        self.held += packed.capacity();
        match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = packed;
                slot
            }
            None => {
                self.slots.push(packed);
                self.slots.len() as u32 - 1
            }
        }
    }

    #[inline]
    fn take(&mut self, slot: u32) -> Vec<u8> {
        if slot == NONE {
            return Vec::new();
        }
        self.free.push(slot);
        let packed = std::mem::take(&mut self.slots[slot as usize]);
        self.held -= packed.capacity();
        packed
    }

    #[inline]
    fn recycle(&mut self, packed: Vec<u8>) {
        if packed.capacity() > 0 && self.spare.len() < 64 {
            self.spare.push(packed);
        }
    }

    fn bytes(&self) -> usize {
        self.held + self.slots.capacity() * size_of::<Vec<u8>>()
    }
}
