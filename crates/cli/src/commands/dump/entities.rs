//! Which entities are rows, and the columns of each kind.

use std::io::Write;
use std::ops::ControlFlow;

use onca_model::{ContainerId, LaneId, Nature, Ticks, ValueId};
use onca_store::TrackId;

use super::rows::Cell;
use super::{Dump, DumpError, Form, Kind};

impl<'a, W: Write> Dump<'a, W> {
    pub(super) fn container(&mut self, id: ContainerId) -> Result<(), DumpError> {
        let container = self.catalog.containers.get(id);
        let touches = self.scope.window().touches(container.start, container.end);
        let seen = self.scope.containers().contains(id);
        let wanted = seen && (touches || id == ContainerId::ROOT);
        if !self.kinds.contains(&Kind::Container) || !wanted {
            return Ok(());
        }
        let parent = self.catalog.containers.names.get(container.parent.index());
        let type_name = &self.catalog.type_def(container.type_id).name;
        let end = self.end_of(id);
        if self.form == Form::Compatible {
            return self.compatible_container(parent, type_name, container.start, end, container);
        }
        let duration = end.map(|end| end.saturating_sub(container.start));
        let cells = [
            Cell::Name(parent),
            Cell::Name(type_name),
            Cell::Time(Some(container.start)),
            Cell::Time(end),
            Cell::Time(duration),
            Cell::Name(container.name),
        ];
        self.row(Kind::Container, &cells, container.extras)
    }

    pub(super) fn track(
        &mut self,
        container: ContainerId,
        track: TrackId,
    ) -> Result<(), DumpError> {
        let Some(type_id) = self.store.tracks().get(track).map(|track| track.type_id) else {
            return Ok(());
        };
        let (kind, nature) = match self.catalog.type_def(type_id).nature {
            Nature::State => (Kind::State, Nature::State),
            Nature::Variable => (Kind::Variable, Nature::Variable),
            Nature::Event => (Kind::Event, Nature::Event),
            Nature::Link => (Kind::Link, Nature::Link),
            Nature::Container => return Ok(()),
        };
        let Some(&lane) = self.store.tracks().lanes(track).first() else { return Ok(()) };
        // A link is seen when its ends are, whoever owns it.
        let seen = match nature {
            Nature::Link => self.scope.sees_type(type_id),
            _ => self.scope.sees_in(type_id, container),
        };
        if !seen {
            return Ok(());
        }
        if !self.kinds.contains(&kind) || self.store.n_rows(lane) == 0 && nature != Nature::State {
            return Ok(());
        }
        let last_start = self.last_start();
        let names = Names {
            container: self.catalog.containers.names.get(container.index()),
            type_name: &self.catalog.type_def(type_id).name,
        };
        match nature {
            Nature::State => self.states(container, track, names, last_start),
            Nature::Variable => self.variables(container, lane, names, last_start),
            Nature::Event => self.events(lane, names, last_start),
            _ => self.links(lane, names, last_start),
        }
    }

    fn states(
        &mut self,
        container: ContainerId,
        track: TrackId,
        names: Names<'_>,
        last_start: Ticks,
    ) -> Result<(), DumpError> {
        let lanes = self.store.tracks().lanes(track);
        let mut texts: Vec<_> = lanes.iter().map(|&lane| self.store.texts(lane)).collect();
        let end = self.end_of(container);
        let written = self.scope.visit_states(track, |depth, row, state| {
            take(last_start, state.start, || {
                let state_end = match self.form == Form::Compatible && state.open_ended {
                    true => end.unwrap_or(state.end),
                    false => state.end,
                };
                let cells = [
                    Cell::Name(names.container),
                    Cell::Name(names.type_name),
                    Cell::Time(Some(state.start)),
                    Cell::Time(Some(state_end)),
                    Cell::Time(Some(self.duration(state.start, state_end))),
                    Cell::Depth(depth),
                    Cell::Name(self.value(state.value)),
                ];
                let (_, extras) = texts[depth].get(row)?;
                self.row(Kind::State, &cells, extras)
            })
        });
        written?.break_value().unwrap_or(Ok(()))
    }

    fn variables(
        &mut self,
        container: ContainerId,
        lane: LaneId,
        names: Names<'_>,
        last_start: Ticks,
    ) -> Result<(), DumpError> {
        let last = self.store.n_rows(lane) - 1;
        let end = self.end_of(container);
        let destroyed = self.catalog.containers.destroyed[container.index()];
        let mut texts = self.store.texts(lane);
        let written = self.scope.visit_variables(lane, |row, step| {
            take(last_start, step.start, || {
                let open_ended = row == last && !destroyed;
                let step_end = match self.form == Form::Compatible && open_ended {
                    true => end.unwrap_or(step.end),
                    false => step.end,
                };
                let value = match self.round_values {
                    true => f64::from(step.value as f32),
                    false => step.value,
                };
                let cells = [
                    Cell::Name(names.container),
                    Cell::Name(names.type_name),
                    Cell::Time(Some(step.start)),
                    Cell::Time(Some(step_end)),
                    Cell::Time(Some(self.duration(step.start, step_end))),
                    Cell::Number(value),
                ];
                let (_, extras) = texts.get(row)?;
                self.row(Kind::Variable, &cells, extras)
            })
        });
        written?.break_value().unwrap_or(Ok(()))
    }

    fn events(
        &mut self,
        lane: LaneId,
        names: Names<'_>,
        last_start: Ticks,
    ) -> Result<(), DumpError> {
        let mut texts = self.store.texts(lane);
        let written = self.scope.visit_events(lane, |row, event| {
            take(last_start, event.time, || {
                let cells = [
                    Cell::Name(names.container),
                    Cell::Name(names.type_name),
                    Cell::Time(Some(event.time)),
                    Cell::Name(self.value(event.value)),
                ];
                let (_, extras) = texts.get(row)?;
                self.row(Kind::Event, &cells, extras)
            })
        });
        written?.break_value().unwrap_or(Ok(()))
    }

    fn links(
        &mut self,
        lane: LaneId,
        names: Names<'_>,
        last_start: Ticks,
    ) -> Result<(), DumpError> {
        let mut texts = self.store.texts(lane);
        let written = self.scope.visit_links(lane, |row, link| {
            let half = link.source.is_none() || link.destination.is_none();
            // pj_dump -z leaves out links that have only one half.
            if self.form == Form::Compatible && half {
                return ControlFlow::Continue(());
            }
            take(last_start, link.start, || {
                let end_name = |id: Option<ContainerId>| {
                    id.map_or(&b"?"[..], |id| self.catalog.containers.names.get(id.index()))
                };
                let (start, end) = (
                    link.source.is_some().then_some(link.start),
                    link.destination.is_some().then_some(link.end),
                );
                let duration = start.zip(end).map(|(start, end)| self.duration(start, end));
                let (key, extras) = texts.get(row)?;
                let cells = [
                    Cell::Name(names.container),
                    Cell::Name(names.type_name),
                    Cell::Time(start),
                    Cell::Time(end),
                    Cell::Time(duration),
                    Cell::Name(self.value(link.value)),
                    Cell::Name(end_name(link.source)),
                    Cell::Name(end_name(link.destination)),
                    Cell::Name(key),
                ];
                self.row(Kind::Link, &cells, extras)
            })
        });
        written?.break_value().unwrap_or(Ok(()))
    }

    fn duration(&self, start: Ticks, end: Ticks) -> Ticks {
        match self.form == Form::Compatible && (start < 0 || end < 0) {
            true => 0,
            false => end.saturating_sub(start),
        }
    }

    /// `pj_dump` stops after the first entity of a track that starts here or later: at the end of the trace.
    fn last_start(&self) -> Ticks {
        match self.form {
            Form::Compatible => self.end_of_trace().unwrap_or(Ticks::MIN),
            Form::Exact { .. } | Form::Json => Ticks::MAX,
        }
    }

    /// Where the trace ends: compatible mode believes the last line.
    fn end_of_trace(&self) -> Option<Ticks> {
        match self.form {
            Form::Compatible => self.catalog.facts.last_line,
            Form::Exact { .. } | Form::Json => Some(self.catalog.facts.end),
        }
    }

    /// The end of a container.
    fn end_of(&self, container: ContainerId) -> Option<Ticks> {
        match self.catalog.containers.destroyed[container.index()] {
            true => Some(self.catalog.containers.ends[container.index()]),
            false => self.end_of_trace(),
        }
    }

    fn value(&self, id: ValueId) -> &'a [u8] {
        &self.catalog.values[id.index()].name
    }
}

/// The names that all rows of a track share.
#[derive(Clone, Copy)]
struct Names<'a> {
    container: &'a [u8],
    type_name: &'a [u8],
}

/// Writes an entity; goes on unless that fails or it is the last of its track.
fn take(
    last_start: Ticks,
    start: Ticks,
    write: impl FnOnce() -> Result<(), DumpError>,
) -> ControlFlow<Result<(), DumpError>> {
    match write() {
        Ok(()) if start < last_start => ControlFlow::Continue(()),
        written => ControlFlow::Break(written),
    }
}
