//! Rows from one store to the next.

use onca_model::{
    ContainerId, EntitySink, EventRow, LaneId, LinkRow, Nature, StateRow, Ticks, TimeMap,
    VariableRow, Window,
};

use super::{Maps, catalogs::Numbers};
use crate::{
    Store, StoreBuilder, TextReader, TrackId,
    error::{Result, bad_input, damaged},
};

/// The first and the last time of rows.
pub(super) type Extent = Option<(Ticks, Ticks)>;

/// Copies all rows of a store.
pub(super) fn copy(
    store: &Store,
    maps: &Maps,
    numbers: &Numbers,
    sink: &mut StoreBuilder,
    extent: &mut Extent,
) -> Result<()> {
    let mut copier =
        Copier { store, maps, numbers, sink, extent, room: Vec::new(), failed: None, n_rows: 0 };
    let mut expected = 0;
    for (track, def) in store.tracks().iter() {
        let lanes = store.tracks().lanes(track);
        expected += lanes.iter().map(|&lane| store.n_rows(lane)).sum::<u64>();
        match store.catalog().type_def(def.type_id).nature {
            Nature::State => copier.states(track, def.container)?,
            Nature::Variable => copier.each(lanes, |copier, lane| copier.variables(lane))?,
            Nature::Event => copier.each(lanes, |copier, lane| copier.events(lane))?,
            Nature::Link => copier.each(lanes, |copier, lane| copier.links(lane))?,
            Nature::Container => {}
        }
    }
    if copier.n_rows != expected {
        return Err(damaged("rows of a part could not be visited"));
    }
    Ok(())
}

struct Copier<'a> {
    store: &'a Store,
    maps: &'a Maps,
    numbers: &'a Numbers,
    sink: &'a mut StoreBuilder,
    extent: &'a mut Extent,
    /// Room for extra fields.
    room: Vec<u8>,
    /// The first row that could not be written: visits cannot be ended early.
    failed: Option<crate::StoreError>,
    n_rows: u64,
}

/// A state whose inner states may still come.
struct OpenState {
    depth: usize,
    number: u64,
    row: StateRow,
}

impl Copier<'_> {
    fn each(
        &mut self,
        lanes: &[LaneId],
        mut copy: impl FnMut(&mut Self, LaneId) -> Result<()>,
    ) -> Result<()> {
        lanes.iter().try_for_each(|&lane| copy(self, lane))
    }

    /// States are visited as they open and written as they close, so that the row of an enclosing
    /// state is the next of its lane.
    fn states(&mut self, track: TrackId, container: ContainerId) -> Result<()> {
        let (store, map) = (self.store, *self.maps.of(container));
        let lanes = store.tracks().lanes(track);
        for pair in lanes.windows(2) {
            self.sink.nest(self.numbers.lane(pair[1]), self.numbers.lane(pair[0]));
        }
        let mut texts: Vec<TextReader<'_>> = lanes.iter().map(|&lane| store.texts(lane)).collect();
        let mut open: Vec<OpenState> = Vec::new();
        store.visit_track_states(track, Window::ALL, 0, |depth, number, row| {
            while open.last().is_some_and(|last| last.depth >= depth) {
                self.close(open.pop(), lanes, &map, &mut texts);
            }
            open.push(OpenState { depth, number, row: *row });
        })?;
        while !open.is_empty() {
            self.close(open.pop(), lanes, &map, &mut texts);
        }
        self.outcome()
    }

    fn close(
        &mut self,
        state: Option<OpenState>,
        lanes: &[LaneId],
        map: &TimeMap,
        texts: &mut [TextReader<'_>],
    ) {
        let Some(OpenState { depth, number, row }) = state else { return };
        self.keep(|own| {
            let row = StateRow {
                start: moved(map, row.start)?,
                end: moved(map, row.end)?,
                value: own.numbers.value(row.value),
                parent: row.parent.map(|value| own.numbers.value(value)),
                open_ended: row.open_ended,
            };
            own.include(row.start, row.end);
            let (_, extras) = texts[depth].get(number)?;
            let extras = own.numbers.extras(extras, &mut own.room);
            own.sink.state(own.numbers.lane(lanes[depth]), &row, extras)
        });
    }

    fn variables(&mut self, lane: LaneId) -> Result<()> {
        let map = *self.maps.of(self.store.catalog().lane(lane).container);
        let mut texts = self.store.texts(lane);
        self.store.visit_variables(lane, Window::ALL, |number, row| {
            self.keep(|own| {
                let (start, end) = (moved(&map, row.start)?, moved(&map, row.end)?);
                own.include(start, end);
                let (_, extras) = texts.get(number)?;
                let extras = own.numbers.extras(extras, &mut own.room);
                let row = VariableRow { start, end, value: row.value };
                own.sink.variable(own.numbers.lane(lane), &row, extras)
            });
        })?;
        self.outcome()
    }

    fn events(&mut self, lane: LaneId) -> Result<()> {
        let map = *self.maps.of(self.store.catalog().lane(lane).container);
        let mut texts = self.store.texts(lane);
        self.store.visit_events(lane, Window::ALL, |number, row| {
            self.keep(|own| {
                let time = moved(&map, row.time)?;
                own.include(time, time);
                let (_, extras) = texts.get(number)?;
                let extras = own.numbers.extras(extras, &mut own.room);
                let row = EventRow { time, value: own.numbers.value(row.value) };
                own.sink.event(own.numbers.lane(lane), &row, extras)
            });
        })?;
        self.outcome()
    }

    /// Each end of a link has the time of its container. A half has that of the end that exists.
    fn links(&mut self, lane: LaneId) -> Result<()> {
        let owner = self.store.catalog().lane(lane).container;
        let mut texts = self.store.texts(lane);
        self.store.visit_links(lane, Window::ALL, None, 0, |number, row| {
            self.keep(|own| {
                let sender = row.source.or(row.destination).unwrap_or(owner);
                let receiver = row.destination.or(row.source).unwrap_or(owner);
                let start = moved(own.maps.of(sender), row.start)?;
                let end = moved(own.maps.of(receiver), row.end)?;
                own.include(start.min(end), start.max(end));
                let (key, extras) = texts.get(number)?;
                let extras = own.numbers.extras(extras, &mut own.room);
                let row = LinkRow {
                    start,
                    end,
                    source: row.source.map(|id| own.numbers.container(id)),
                    destination: row.destination.map(|id| own.numbers.container(id)),
                    value: own.numbers.value(row.value),
                    size: row.size,
                    key,
                };
                own.sink.link(own.numbers.lane(lane), &row, extras)
            });
        })?;
        self.outcome()
    }

    /// Counts a row, and writes it unless one before could not be.
    fn keep(&mut self, write: impl FnOnce(&mut Self) -> Result<()>) {
        self.n_rows += 1;
        if self.failed.is_none() {
            self.failed = write(self).err();
        }
    }

    fn outcome(&mut self) -> Result<()> {
        self.failed.take().map_or(Ok(()), Err)
    }

    fn include(&mut self, first: Ticks, last: Ticks) {
        let (low, high) = self.extent.unwrap_or((first, last));
        *self.extent = Some((low.min(first), high.max(last)));
    }
}

fn moved(map: &TimeMap, time: Ticks) -> Result<Ticks> {
    map.apply(time).ok_or_else(|| bad_input("a time does not fit after it was moved"))
}
