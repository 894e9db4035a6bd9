//! How long states last.

use onca_aggregate::statistics::RatioHistogram;
use onca_model::{Nature, ValueId};
use onca_query::Scope;
use onca_store::TrackId;
use rayon::prelude::*;

use crate::Result;
use crate::times::chunk_of;

/// How many states of each value are how long, by value: whole states that touch the window.
pub fn state_histograms(scope: &Scope<'_>) -> Result<Vec<(ValueId, RatioHistogram)>> {
    let tracks: Vec<TrackId> = scope.tracks(Nature::State).map(|(id, ..)| id).collect();
    let parts = tracks.par_chunks(chunk_of(tracks.len())).map(|tracks| {
        // Dense: this is done for every state of a trace.
        let mut found = vec![RatioHistogram::default(); scope.catalog().values.len()];
        for &track in tracks {
            scope.visit_states(track, |_, _, state| {
                found[state.value.index()].add(state.end.saturating_sub(state.start));
            })?;
        }
        Ok(found)
    });
    let all = parts.try_reduce(Vec::new, |mut all, part| {
        all.resize_with(part.len().max(all.len()), RatioHistogram::default);
        all.iter_mut().zip(&part).for_each(|(own, other)| own.merge(other));
        Ok::<_, crate::AnswerError>(all)
    })?;
    let found = all.into_iter().enumerate();
    let found = found.filter(|(_, histogram)| *histogram != RatioHistogram::default());
    Ok(found.map(|(value, histogram)| (ValueId(value as u32), histogram)).collect())
}
