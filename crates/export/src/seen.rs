//! The seen tracks and rows of a scope, in any part of its window.

use onca_model::{
    EventRow, FieldId, Flow, LaneId, LinkRow, Nature, StateRow, VariableRow, Window, extra_fields,
};
use onca_query::Scope;
use onca_store::{Store, TextReader, Track, TrackId};
use rayon::prelude::*;

use crate::{clip::Clip, error::Result};

/// A seen track; of links, those of one owner.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SeenTrack {
    pub id: TrackId,
    pub track: Track,
    pub nature: Nature,
}

impl SeenTrack {
    /// The lane of a track that has only one.
    pub(crate) fn lane(&self, store: &Store) -> LaneId {
        store.tracks().lanes(self.id).first().copied().unwrap_or(LaneId(u32::MAX))
    }

    /// Readers of the texts, one for each lane.
    pub(crate) fn texts<'s>(&self, store: &'s Store) -> Vec<TextReader<'s>> {
        store.tracks().lanes(self.id).iter().map(|&lane| store.texts(lane)).collect()
    }
}

/// All seen tracks, in order of container and type. A link is seen when its ends are, whoever
/// owns it.
pub(crate) fn tracks(scope: &Scope<'_>) -> Vec<SeenTrack> {
    let catalog = scope.catalog();
    let all = scope.store().tracks().iter();
    all.filter_map(|(id, track)| {
        let nature = catalog.type_def(track.type_id).nature;
        let seen = match nature {
            Nature::Link => scope.sees_type(track.type_id),
            _ => scope.sees_in(track.type_id, track.container),
        };
        seen.then_some(SeenTrack { id, track: *track, nature })
    })
    .collect()
}

/// Visits the seen states of a track in a window: depth, row number, state.
pub(crate) fn states<F: Flow>(
    scope: &Scope<'_>,
    track: &SeenTrack,
    window: Window,
    mut visit: impl FnMut(usize, u64, &StateRow) -> F,
) -> Result<F::Out> {
    let least = scope.min_duration();
    Ok(scope.store().visit_track_states(track.id, window, least, |depth, row, state| {
        if scope.sees_value(state.value) { visit(depth, row, state) } else { F::next() }
    })?)
}

/// Visits the steps of a variable in a window.
pub(crate) fn variables<F: Flow>(
    scope: &Scope<'_>,
    track: &SeenTrack,
    window: Window,
    visit: impl FnMut(u64, &VariableRow) -> F,
) -> Result<F::Out> {
    Ok(scope.store().visit_variables(track.lane(scope.store()), window, visit)?)
}

/// Visits the seen events of a track in a window.
pub(crate) fn events<F: Flow>(
    scope: &Scope<'_>,
    track: &SeenTrack,
    window: Window,
    mut visit: impl FnMut(u64, &EventRow) -> F,
) -> Result<F::Out> {
    Ok(scope.store().visit_events(track.lane(scope.store()), window, |row, event| {
        if scope.sees_event(event) { visit(row, event) } else { F::next() }
    })?)
}

/// Visits the seen links of a track in a window.
pub(crate) fn links<F: Flow>(
    scope: &Scope<'_>,
    track: &SeenTrack,
    window: Window,
    mut visit: impl FnMut(u64, &LinkRow<'_>) -> F,
) -> Result<F::Out> {
    let (lane, least) = (track.lane(scope.store()), scope.min_duration());
    Ok(scope.store().visit_links(lane, window, None, least, |row, link| {
        if scope.sees_link(link) { visit(row, link) } else { F::next() }
    })?)
}

/// Visits the packed extra fields of every record of a track that an export writes.
pub(crate) fn extras(
    scope: &Scope<'_>,
    clip: &Clip,
    track: &SeenTrack,
    mut visit: impl FnMut(&[u8]),
) -> Result<()> {
    let mut texts = track.texts(scope.store());
    if texts.iter().all(TextReader::is_empty) {
        return Ok(());
    }
    let mut look = |depth: usize, row: u64| -> Result<()> {
        Ok(texts[depth].get(row).map(|(_, extras)| visit(extras))?)
    };
    let window = clip.window();
    match track.nature {
        Nature::State => states(scope, track, window, |depth, row, _| look(depth, row))?,
        Nature::Variable => variables(scope, track, window, |row, _| look(0, row))?,
        Nature::Event => events(scope, track, window, |row, _| look(0, row))?,
        Nature::Link => links(scope, track, window, |row, link| match clip.link(link) {
            Some(_) => look(0, row),
            None => Ok(()),
        })?,
        Nature::Container => Ok(()),
    }
}

/// The extra fields of a record, in order.
pub(crate) fn fields(packed: &[u8]) -> Vec<FieldId> {
    extra_fields(packed).map(|extra| extra.field).collect()
}

/// How many seen links touch the window and are left out.
pub(crate) fn links_across(scope: &Scope<'_>, clip: &Clip, tracks: &[SeenTrack]) -> Result<u64> {
    if clip.window() == Window::ALL {
        return Ok(0);
    }
    let of_links: Vec<_> = tracks.iter().filter(|track| track.nature == Nature::Link).collect();
    let counted = of_links.into_par_iter().map(|track| {
        let mut across = 0;
        links(scope, track, clip.window(), |_, link| {
            across += u64::from(clip.link(link).is_none());
        })?;
        Ok(across)
    });
    counted.sum()
}
