//! Rows from one store to the next.

use onca_model::{
    ContainerId, EntitySink, EventRow, LaneId, LinkRow, LinkTime, Nature, StateRow, Ticks, TimeMap,
    VariableRow, Window, extra_fields, push_extra,
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
    let fields = &store.catalog().fields;
    let mut copier = Copier {
        store,
        maps,
        numbers,
        sink,
        extent,
        link_times: fields.iter().map(|field| LinkTime::of_field(&field.name)).collect(),
        room: Vec::new(),
        failed: None,
        n_rows: 0,
    };
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
    /// For each field: is it a time of links?
    link_times: Vec<Option<LinkTime>>,
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
                own.fill_link_extras(extras, (sender, receiver));
                let extras = own.room.as_slice();
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

    /// The extra fields of a link. Times that they tell are moved like those of the end that they are of.
    fn fill_link_extras(&mut self, packed: &[u8], (sender, receiver): (ContainerId, ContainerId)) {
        self.room.clear();
        for extra in extra_fields(packed) {
            let time = || std::str::from_utf8(extra.text).ok()?.parse::<Ticks>().ok();
            let kind = self.link_times.get(extra.field.index()).copied().flatten();
            let moved = kind.and_then(|kind| {
                let of = if kind.is_of_sender() { sender } else { receiver };
                self.maps.of(of).apply(time()?)
            });
            let text = moved.map(|time| time.to_string());
            let text = text.as_deref().map_or(extra.text, str::as_bytes);
            push_extra(&mut self.room, self.numbers.field(extra.field), text);
        }
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
