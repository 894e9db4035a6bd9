//! Who holds a lock and who waits for it, as thin bands along the lower edge of rows.

use onca_answer::TrackId;
use onca_answer::entities::{self, LockState};
use onca_model::printable;
use onca_query::{LockUse, palette};
use onca_scene::{Bounds, CLEAR, Pattern, Pick, Rect, Title};

use crate::{
    Result, color,
    timeline::{
        content::{Content, Row},
        drawing::Drawing,
        states::inner,
    },
};

/// The height of a band, in pixels.
const HEIGHT: f64 = 3.0;
/// A row that is lower has no room for bands.
const LEAST_ROW: f64 = 8.0;
/// Tracks with more states in the window have no bands: what is held cannot be told apart there.
pub(crate) const MOST_STATES: u64 = 1 << 15;

/// Draws the bands of rows and returns how many rows have too many states for them.
pub(crate) fn draw_locks(drawing: &mut Drawing<'_>, rows: &[Row]) -> Result<u64> {
    let mut too_dense = 0;
    if drawing.stage.scope.locks().is_empty() {
        return Ok(too_dense);
    }
    for band in rows.iter().flat_map(|row| &row.bands) {
        let Content::States { tracks, .. } = &band.content else { continue };
        let (y0, y1) = inner(band.y0, band.y1);
        if y1 - y0 < LEAST_ROW {
            continue;
        }
        let n_states = entities::n_states(drawing.stage.scope, tracks, drawing.stage.instants())?;
        if n_states > MOST_STATES {
            too_dense += 1;
            continue;
        }
        for &track in tracks {
            draw_track(drawing, track, (y1 - HEIGHT, y1))?;
        }
    }
    Ok(too_dense)
}

fn draw_track(drawing: &mut Drawing<'_>, track: TrackId, (y0, y1): (f64, f64)) -> Result<()> {
    let (scope, grid, window) = (drawing.stage.scope, drawing.stage.grid, drawing.stage.instants());
    entities::visit_lock_states(scope, track, window, |found| {
        let LockState { lane, row, state, lock, lock_use } = found;
        let fill = color::legible(palette::color_of(lock), drawing.stage.colors.background);
        let pattern = match lock_use {
            LockUse::Holds => Pattern::Plain,
            LockUse::Waits => Pattern::Hatch,
        };
        // At least a pixel: a lock that is held briefly is held.
        let x0 = grid.x(state.start);
        let x1 = grid.x(state.end).max((x0 + grid.pixel).min(grid.span()));
        let (bounds, pick) = (Bounds::new(x0, y0, x1, y1), Pick::entity(lane.0, row));
        let title = lock_title(drawing, lock, lock_use);
        drawing.locks.push(Rect { bounds, fill, edge: CLEAR, pattern, title, pick });
    })?;
    Ok(())
}

fn lock_title(drawing: &mut Drawing<'_>, name: &[u8], lock_use: LockUse) -> Title {
    let word = match lock_use {
        LockUse::Holds => "holds",
        LockUse::Waits => "waits for",
    };
    drawing.titles.add(format!("{word} {}", printable(name)))
}
