//! Which tracks a row is the sum of.

use std::sync::Arc;

use onca_model::Nature;
use onca_query::{NodeId, Scope};
use onca_store::TrackId;

use crate::{AnswerError, Result};

/// What a row shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ColumnRow {
    /// Some tracks of states. Those that the lens hides do not count.
    Tracks(Vec<TrackId>),
    /// All that the lens shows of a node and the nodes below it.
    Subtree(NodeId),
}

/// The seen tracks of each row, in order.
pub(super) fn tracks_of(scope: &Scope<'_>, rows: &[ColumnRow]) -> Result<Vec<Arc<[TrackId]>>> {
    let seen = Seen::new(scope);
    rows.iter().map(|row| seen.tracks(scope, row)).collect()
}

/// The seen tracks of states.
struct Seen {
    /// By place of their node in preorder.
    tracks: Vec<(u32, TrackId)>,
    /// By track.
    is_seen: Vec<bool>,
    /// By node: its place in preorder, and the place after all nodes below it.
    places: Vec<(u32, u32)>,
}

impl Seen {
    fn new(scope: &Scope<'_>) -> Self {
        let hierarchy = scope.hierarchy();
        let mut places = vec![(0, 0); hierarchy.len()];
        for (place, node) in hierarchy.preorder().into_iter().enumerate() {
            places[node.index()] = (place as u32, place as u32 + 1);
        }
        // Parents come before children.
        for node in hierarchy.nodes().skip(1).rev() {
            let end = places[node.index()].1;
            let parent = &mut places[hierarchy.parent(node).index()];
            parent.1 = parent.1.max(end);
        }
        let mut is_seen = vec![false; scope.store().tracks().len()];
        let mut tracks: Vec<(u32, TrackId)> = scope
            .tracks(Nature::State)
            .map(|(track, _, node)| (places[node.index()].0, track))
            .collect();
        tracks.iter().for_each(|(_, track)| is_seen[track.index()] = true);
        tracks.sort_unstable();
        Self { tracks, is_seen, places }
    }

    fn tracks(&self, scope: &Scope<'_>, row: &ColumnRow) -> Result<Arc<[TrackId]>> {
        match row {
            ColumnRow::Tracks(tracks) => {
                let mut own = tracks.clone();
                own.sort_unstable();
                own.dedup();
                own.retain(|track| self.is_seen.get(track.index()).copied().unwrap_or(false));
                Ok(own.into())
            }
            ColumnRow::Subtree(node) => {
                let places = self.places.get(node.index());
                let &(from, to) = places.ok_or_else(|| AnswerError::no_node(scope, *node))?;
                let start = self.tracks.partition_point(|(place, _)| *place < from);
                let end = self.tracks.partition_point(|(place, _)| *place < to);
                Ok(self.tracks[start..end].iter().map(|(_, track)| *track).collect())
            }
        }
    }
}
