//! States as boxes.
//!
//! A state that is at least a pixel high is a box of its own. Neighbours that are thinner share a
//! stretch of about a pixel, in which every value has the part of the height that is its exact share
//! of the time. When there would be too many boxes, the pixel is doubled until there are not.

use std::cmp::Reverse;

use onca_answer::columns::{ColumnCache, ColumnRow, Grid, columns};
use onca_answer::{TrackId, entities};
use onca_model::format::grouped;
use onca_model::{Nature, Ticks, ValueId};
use onca_scene::{Pick, Solid, StateBox};

use super::Maker;
use super::pieces::{Piece, pieces};
use crate::{Result, color};

/// More states than this are not looked at one by one: their shares come from columns.
const MOST_WALKED: u64 = 300_000;
/// Without a number that is asked for: for few nodes, for each of many, and at most.
const USUAL_BOXES: usize = 16_000;
const BOXES_A_NODE: usize = 48;
const MOST_BOXES: usize = 200_000;
/// A nested state is thinner than the one around it by this factor.
const NESTED: f64 = 0.86;
/// States nested deeper than this are not thinner still.
const DEEPEST: i32 = 5;

/// The states of one standing node.
enum Row {
    /// One track, state by state.
    Walked(Vec<Piece>),
    /// Several tracks, or very many states: summed up in columns.
    Summed(Vec<TrackId>),
}

/// Boxes while they are made, for one height of a pixel.
struct Draft {
    boxes: Vec<StateBox>,
    /// Two boxes of a value that touch become one, if both are shares: the value of the last box.
    last: Option<(u32, ValueId)>,
    n_aggregates: usize,
}

pub(super) fn put(maker: &mut Maker<'_>, cache: &ColumnCache, solid: &mut Solid) -> Result<()> {
    // Where very many stand, the time axis would have no room left in a fixed number.
    let usual = (BOXES_A_NODE * maker.standing.nodes.len()).clamp(USUAL_BOXES, MOST_BOXES);
    let most = maker.options.boxes.map_or(usual, |boxes| boxes as usize);
    if most == 0 {
        return Ok(());
    }
    let rows = rows(maker)?;
    let mut pixel = (maker.length() / maker.stage.height).max(1.0);
    let mut draft = drafted(maker, &rows, pixel, cache)?;
    let enough = |draft: &Draft| draft.boxes.len() <= most;
    while !enough(&draft) && pixel < maker.length() {
        // Boxes grow slower than the number of pixels: halving is never too much at once.
        pixel *= 2.0;
        draft = drafted(maker, &rows, pixel, cache)?;
    }
    if !enough(&draft) {
        let n = draft.boxes.len();
        draft.boxes.sort_by(|a, b| (b.z1 - b.z0).total_cmp(&(a.z1 - a.z0)));
        draft.boxes.truncate(most);
        draft.boxes.sort_by(|a, b| a.node.cmp(&b.node).then(a.z0.total_cmp(&b.z0)));
        let (shown, n) = (grouped(most as u64), grouped(n as u64));
        maker.notes.push(format!("the longest {shown} of {n} shares of states"));
    } else if draft.n_aggregates > 0 {
        let slice = crate::time_scale::duration(pixel, &maker.scope.catalog().facts.unit);
        maker.notes.push(format!("states shorter than {slice} as shares"));
    }
    solid.boxes = draft.boxes;
    Ok(())
}

/// What each standing node has.
fn rows(maker: &Maker<'_>) -> Result<Vec<Row>> {
    let (scope, standing) = (maker.scope, maker.standing);
    let mut tracks: Vec<Vec<TrackId>> = vec![Vec::new(); standing.nodes.len()];
    let mut n_states = 0;
    for (track, _, node) in scope.tracks(Nature::State) {
        let Some(place) = standing.place(node) else { continue };
        let n = entities::n_states(scope, &[track], scope.window())?;
        // A track in which nothing happens does not make the others thinner.
        if n > 0 {
            tracks[place].push(track);
            n_states += n;
        }
    }
    let row = |tracks: Vec<TrackId>| match tracks[..] {
        [track] if n_states <= MOST_WALKED => Ok(Row::Walked(pieces(scope, track)?)),
        _ => Ok(Row::Summed(tracks)),
    };
    tracks.into_iter().map(row).collect()
}

fn drafted(maker: &Maker<'_>, rows: &[Row], pixel: f64, cache: &ColumnCache) -> Result<Draft> {
    let mut draft = Draft { boxes: Vec::new(), last: None, n_aggregates: 0 };
    let mut summed: Vec<(usize, &Vec<TrackId>)> = Vec::new();
    for (place, row) in rows.iter().enumerate() {
        match row {
            Row::Walked(pieces) => draft.walk(maker, place, pieces, pixel),
            Row::Summed(tracks) if !tracks.is_empty() => summed.push((place, tracks)),
            Row::Summed(_) => {}
        }
    }
    draft.sum(maker, &summed, pixel, cache)?;
    let key = |one: &StateBox| (one.node, one.z0.to_bits());
    draft.boxes.sort_by_key(key);
    Ok(draft)
}

/// Thin neighbours that share a stretch.
#[derive(Default)]
struct Crumbs<'p> {
    pieces: Vec<&'p Piece>,
}

impl Crumbs<'_> {
    fn length(&self, end: Ticks) -> f64 {
        self.pieces.first().map_or(0.0, |first| end as f64 - first.start as f64)
    }
}

impl Draft {
    /// Adds the boxes of one track.
    fn walk(&mut self, maker: &Maker<'_>, place: usize, pieces: &[Piece], pixel: f64) {
        let mut crumbs = Crumbs::default();
        let mut before = None;
        for piece in pieces {
            let gap = before.map_or(0.0, |before: Ticks| piece.start as f64 - before as f64);
            let thick = (piece.end as f64 - piece.start as f64) >= pixel;
            if thick || gap >= pixel || crumbs.length(piece.start) >= pixel {
                self.flush(maker, place, &mut crumbs);
            }
            match thick {
                true => self.push_piece(maker, place, piece),
                false => crumbs.pieces.push(piece),
            }
            before = Some(piece.end);
        }
        self.flush(maker, place, &mut crumbs);
    }

    fn push_piece(&mut self, maker: &Maker<'_>, place: usize, piece: &Piece) {
        self.last = None;
        self.boxes.push(StateBox {
            node: place as u32,
            z0: maker.z(piece.start as f64),
            z1: maker.z(piece.end as f64),
            radius: NESTED.powi((piece.depth as i32).min(DEEPEST)),
            color: value_color(maker, piece.value),
            aggregate: false,
            pick: Pick::entity(piece.lane.0, piece.row),
        });
    }

    /// Draws thin neighbours as shares.
    fn flush(&mut self, maker: &Maker<'_>, place: usize, crumbs: &mut Crumbs<'_>) {
        match crumbs.pieces[..] {
            [] => {}
            [piece] => self.push_piece(maker, place, piece),
            [first, ..] => {
                let mut shares: Vec<(ValueId, Ticks)> = crumbs
                    .pieces
                    .iter()
                    .map(|piece| (piece.value, piece.end - piece.start))
                    .collect();
                shares.sort_unstable();
                shares.dedup_by(|later, earlier| {
                    let same = later.0 == earlier.0;
                    if same {
                        earlier.1 += later.1;
                    }
                    same
                });
                self.stack(maker, place, first.start as f64, 1.0, &shares);
            }
        }
        crumbs.pieces.clear();
    }

    /// Puts shares on top of each other. `n_tracks` share the height.
    fn stack(
        &mut self,
        maker: &Maker<'_>,
        place: usize,
        start: f64,
        n_tracks: f64,
        shares: &[(ValueId, Ticks)],
    ) {
        let mut from = start;
        for &(value, ticks) in shares {
            let to = from + ticks as f64 / n_tracks;
            self.push_share(maker, place, value, (maker.z(from), maker.z(to)));
            from = to;
        }
    }

    fn push_share(
        &mut self,
        maker: &Maker<'_>,
        place: usize,
        value: ValueId,
        (z0, z1): (f64, f64),
    ) {
        let node = place as u32;
        if self.last == Some((node, value))
            && let Some(last) = self.boxes.last_mut()
            && (z0 - last.z1).abs() < 1e-9
        {
            last.z1 = z1;
            return;
        }
        self.last = Some((node, value));
        self.n_aggregates += 1;
        self.boxes.push(StateBox {
            node,
            z0,
            z1,
            radius: 1.0,
            color: value_color(maker, value),
            aggregate: true,
            pick: Pick::Share { node: maker.standing.nodes[place].0, value: value.0 },
        });
    }

    /// Adds the boxes of several tracks together, in columns.
    fn sum(
        &mut self,
        maker: &Maker<'_>,
        rows: &[(usize, &Vec<TrackId>)],
        pixel: f64,
        cache: &ColumnCache,
    ) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let n_columns = (maker.length() / pixel).ceil().clamp(1.0, Grid::MAX_COLUMNS as f64);
        let grid = Grid::over(maker.scope.window(), n_columns as usize)?;
        let asked: Vec<ColumnRow> =
            rows.iter().map(|(_, tracks)| ColumnRow::Tracks((*tracks).clone())).collect();
        let found = columns(maker.scope, &asked, grid, cache)?;
        for (row, (place, tracks)) in rows.iter().enumerate() {
            let n_tracks = tracks.len() as f64;
            for column in 0..grid.n_columns() {
                let window = found.window(column);
                let mut shares: Vec<(ValueId, Ticks)> = found
                    .shares(row, column)
                    .filter(|share| share.ticks > 0)
                    .map(|share| (share.value, share.ticks))
                    .collect();
                self.next_to_last(*place, &mut shares);
                self.stack(maker, *place, window.from as f64, n_tracks, &shares);
            }
        }
        Ok(())
    }

    /// Puts the value of the box before first, so that both are one where they touch; then the most
    /// common.
    fn next_to_last(&self, place: usize, shares: &mut [(ValueId, Ticks)]) {
        let is_last = |value: ValueId| self.last == Some((place as u32, value));
        shares.sort_by_key(|&(value, ticks)| (!is_last(value), Reverse(ticks), value));
    }
}

fn value_color(maker: &Maker<'_>, value: ValueId) -> onca_model::Color {
    let behind = maker.stage.theme.colors().background;
    color::over(maker.appearance.of_value(value).color, behind)
}
