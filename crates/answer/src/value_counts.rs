//! How often each value of a trace occurs.

use onca_model::{LaneId, Nature, ValueId, Window};
use onca_store::{Store, TrackId};
use rayon::prelude::*;

use crate::Result;

/// How often each value occurs in a whole trace.
#[derive(Debug)]
pub struct ValueCounts(Vec<u64>);

/// Tracks that a thread counts at a time.
const TRACKS_AT_ONCE: usize = 64;

/// Counts states, events and links. The store keeps sums of states and events; of links the values
/// are read, and nothing else.
pub fn value_counts(store: &Store) -> Result<ValueCounts> {
    let catalog = store.catalog();
    let nature = |track: &TrackId| {
        store.tracks().get(*track).map(|track| catalog.type_def(track.type_id).nature)
    };
    let tracks: Vec<TrackId> = store.tracks().iter().map(|(id, _)| id).collect();
    let counted: Vec<Vec<(ValueId, u64)>> = tracks
        .par_chunks(TRACKS_AT_ONCE)
        .map(|tracks| {
            let of = |wanted| {
                let own = tracks.iter().filter(move |track| nature(track) == Some(wanted));
                own.copied().collect::<Vec<TrackId>>()
            };
            let mut counts = store.state_counts_of(&of(Nature::State), Window::ALL)?;
            for lane in of(Nature::Event).iter().flat_map(|track| store.tracks().lanes(*track)) {
                counts.extend(store.event_counts(*lane, Window::ALL)?);
            }
            Ok(counts)
        })
        .collect::<Result<_>>()?;
    let mut counts = ValueCounts(vec![0; catalog.values.len()]);
    counted.into_iter().flatten().for_each(|(value, n)| counts.0[value.index()] += n);
    let is_link = |lane: &LaneId| {
        catalog.type_def(catalog.lanes[lane.index()].type_id).nature == Nature::Link
    };
    let lanes = (0..catalog.lanes.len() as u32).map(LaneId);
    for lane in lanes.filter(is_link) {
        counts.add_links(store, lane)?;
    }
    Ok(counts)
}

impl ValueCounts {
    /// How often a value occurs.
    pub fn of_value(&self, id: ValueId) -> u64 {
        self.0.get(id.index()).copied().unwrap_or(0)
    }

    fn add_links(&mut self, store: &Store, lane: LaneId) -> Result<()> {
        let n_values = self.0.len();
        let blocks: Vec<usize> = (0..store.blocks(lane).len()).collect();
        let parts: Vec<Vec<u64>> = blocks
            .par_chunks(blocks.len().div_ceil(4 * rayon::current_num_threads()).max(1))
            .map(|blocks| {
                let (mut counts, mut values) = (vec![0; n_values], Vec::new());
                for &block in blocks {
                    values.clear();
                    store.link_columns(lane, block)?.values(&mut values, |id| id.0);
                    values.iter().for_each(|value| counts[*value as usize] += 1);
                }
                Ok(counts)
            })
            .collect::<Result<_>>()?;
        for part in parts {
            self.0.iter_mut().zip(part).for_each(|(sum, n)| *sum += n);
        }
        Ok(())
    }
}
