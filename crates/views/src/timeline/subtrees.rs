//! The states of everything below a node.

use onca_answer::TrackId;
use onca_model::{Nature, TypeId};
use onca_query::{NodeId, Scope};

/// The seen tracks of states in the order of the tree, so that those below a node follow each
/// other. Deep trees take no more room than flat ones.
pub(crate) struct Subtrees {
    /// By place of their node in preorder.
    tracks: Vec<(u32, TypeId, TrackId)>,
    /// By node: the places of the nodes below it, from and to.
    places: Vec<(u32, u32)>,
    /// By node: the types of states below it, in order.
    types: Vec<Vec<TypeId>>,
}

impl Subtrees {
    /// Looks at all of them.
    pub fn new(scope: &Scope<'_>) -> Self {
        let hierarchy = scope.hierarchy();
        let mut places = vec![(0, 0); hierarchy.len()];
        for (place, node) in hierarchy.preorder().into_iter().enumerate() {
            places[node.index()] = (place as u32 + 1, place as u32 + 1);
        }
        let mut own_types: Vec<Vec<TypeId>> = vec![Vec::new(); hierarchy.len()];
        let mut tracks = Vec::new();
        for (track, on, node) in scope.tracks(Nature::State) {
            tracks.push((places[node.index()].0 - 1, on.type_id, track));
            add_types(&mut own_types[node.index()], &[on.type_id]);
        }
        tracks.sort_unstable();
        let mut types: Vec<Vec<TypeId>> = vec![Vec::new(); hierarchy.len()];
        // Parents come before children.
        for node in hierarchy.nodes().skip(1).rev() {
            let (parent, node) = (hierarchy.parent(node).index(), node.index());
            let end = places[node].1;
            places[parent].1 = places[parent].1.max(end);
            let below = std::mem::take(&mut types[node]);
            add_types(&mut types[parent], &below);
            add_types(&mut types[parent], &own_types[node]);
            types[node] = below;
        }
        Self { tracks, places, types }
    }

    /// The types of states below a node.
    pub fn types(&self, node: NodeId) -> &[TypeId] {
        &self.types[node.index()]
    }

    /// Are there states anywhere?
    pub fn has_states(&self) -> bool {
        !self.tracks.is_empty()
    }

    /// The tracks of a type below a node.
    pub fn tracks(&self, node: NodeId, type_id: TypeId) -> Vec<TrackId> {
        let (from, to) = self.places[node.index()];
        let start = self.tracks.partition_point(|(place, ..)| *place < from);
        let end = self.tracks.partition_point(|(place, ..)| *place < to);
        let of_type = self.tracks[start..end].iter().filter(|(_, other, _)| *other == type_id);
        of_type.map(|(.., track)| *track).collect()
    }
}

fn add_types(types: &mut Vec<TypeId>, more: &[TypeId]) {
    for type_id in more {
        if let Err(place) = types.binary_search(type_id) {
            types.insert(place, *type_id);
        }
    }
}
