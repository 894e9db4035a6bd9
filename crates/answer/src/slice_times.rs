//! The time in each value of each slice, all containers together.

use std::collections::BTreeMap;

use onca_model::{Nature, Ticks, ValueId, Window};
use onca_query::Scope;
use onca_store::{Share, ShareSweep, TrackId};
use rayon::prelude::*;

use crate::slices::slices_of;
use crate::times::chunk_of;
use crate::{AnswerError, Result};

/// How many cells of values and slices there may be.
const MAX_CELLS: usize = 1 << 20;

/// The exclusive time in each value, slice by slice: a container is in the value of its innermost
/// state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SliceTimes {
    /// The slices of the window.
    pub slices: Vec<Window>,
    /// For each seen value that occurs, the ticks in each slice.
    pub values: Vec<(ValueId, Vec<i128>)>,
}

/// Ticks by value and slice.
type Sums = BTreeMap<ValueId, Vec<i128>>;

/// The time in each value, in `n_slices` slices of the window, each of a tick or more. The cost is
/// that of a sweep over the states of the window, or less where slices hold many thousand of a
/// track.
pub fn slice_times(scope: &Scope<'_>, n_slices: usize) -> Result<SliceTimes> {
    let bounds = slices_of(scope, n_slices)?;
    let edges = bounds.edges();
    let tracks: Vec<TrackId> = scope.tracks(Nature::State).map(|(id, ..)| id).collect();
    let parts: Vec<Sums> = tracks
        .par_chunks(chunk_of(tracks.len()))
        .map(|tracks| sums_of(scope, tracks, &edges))
        .collect::<Result<_>>()?;
    let mut sums = Sums::new();
    for (value, ticks) in parts.into_iter().flatten() {
        let own = sums.entry(value).or_insert_with(|| vec![0; n_slices]);
        own.iter_mut().zip(ticks).for_each(|(sum, ticks)| *sum += ticks);
    }
    let slices = (0..bounds.n_slices()).map(|k| bounds.slice(k)).collect();
    Ok(SliceTimes { slices, values: sums.into_iter().collect() })
}

fn sums_of(scope: &Scope<'_>, tracks: &[TrackId], edges: &[Ticks]) -> Result<Sums> {
    let n_slices = edges.len() - 1;
    let mut sweep = ShareSweep::new(scope.store());
    let mut sums = Sums::new();
    for from in (0..n_slices).step_by(sweep.max_gaps()) {
        let to = (from + sweep.max_gaps()).min(n_slices);
        for &track in tracks {
            sweep.begin(&edges[from..=to]);
            sweep.add_track(track, scope.min_duration())?;
            for gap in 0..to - from {
                let counts = |share: &Share| share.ticks != 0 && scope.sees_value(share.value);
                for share in sweep.drain(gap).filter(counts) {
                    check_size(sums.len(), n_slices)?;
                    let own = sums.entry(share.value).or_insert_with(|| vec![0; n_slices]);
                    own[from + gap] += i128::from(share.ticks);
                }
            }
        }
    }
    Ok(sums)
}

fn check_size(n_values: usize, n_slices: usize) -> Result<()> {
    if n_values.saturating_mul(n_slices) <= MAX_CELLS {
        return Ok(());
    }
    Err(AnswerError::TooLarge(format!(
        "{n_slices} slices of so many values are too many; take fewer slices, or fewer values"
    )))
}
