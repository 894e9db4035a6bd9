use std::ops::Range;

use onca_model::{ContainerId, Lane, LaneId, TypeId};

/// A track of a store: an index into [`Tracks`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TrackId(pub u32);

impl TrackId {
    /// The id as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// All lanes of one type in one container.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Track {
    /// Whose rows these are.
    pub container: ContainerId,
    /// The type of the rows.
    pub type_id: TypeId,
    first_lane: u32,
    n_lanes: u32,
}

/// The tracks of a store, in order of container and type.
#[derive(Debug)]
pub struct Tracks {
    tracks: Vec<Track>,
    /// Lanes by track and depth.
    lanes: Vec<LaneId>,
    /// Tracks by type.
    by_type: Vec<TrackId>,
}

impl Tracks {
    pub(crate) fn new(lanes: &[Lane]) -> Self {
        let mut order: Vec<LaneId> = (0..lanes.len() as u32).map(LaneId).collect();
        // Usually the lanes are in this order already, which the sort notices.
        order.sort_by_key(|id| {
            let lane = lanes[id.index()];
            (lane.container, lane.type_id, lane.depth)
        });
        let mut tracks: Vec<Track> = Vec::new();
        for (index, id) in order.iter().enumerate() {
            let Lane { container, type_id, .. } = lanes[id.index()];
            match tracks.last_mut() {
                Some(last) if (last.container, last.type_id) == (container, type_id) => {
                    last.n_lanes += 1;
                }
                _ => {
                    let first_lane = index as u32;
                    tracks.push(Track { container, type_id, first_lane, n_lanes: 1 });
                }
            }
        }
        let mut by_type: Vec<TrackId> = (0..tracks.len() as u32).map(TrackId).collect();
        by_type.sort_by_key(|id| tracks[id.index()].type_id);
        Self { tracks, lanes: order, by_type }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.tracks.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.tracks.is_empty()
    }

    /// All of them with their ids.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (TrackId, &Track)> {
        self.tracks.iter().enumerate().map(|(id, track)| (TrackId(id as u32), track))
    }

    /// One of them.
    pub fn get(&self, id: TrackId) -> Option<&Track> {
        self.tracks.get(id.index())
    }

    /// The lanes of a track, the outermost first.
    pub fn lanes(&self, id: TrackId) -> &[LaneId] {
        self.get(id).map_or(&[], |track| {
            let first = track.first_lane as usize;
            &self.lanes[first..first + track.n_lanes as usize]
        })
    }

    /// The track of a type in a container.
    pub fn find(&self, container: ContainerId, type_id: TypeId) -> Option<TrackId> {
        let key = |track: &Track| (track.container, track.type_id);
        let found = self.tracks.binary_search_by_key(&(container, type_id), key);
        found.ok().map(|index| TrackId(index as u32))
    }

    /// The tracks of a container: consecutive ids.
    pub fn of_container(&self, container: ContainerId) -> Range<u32> {
        let start = self.tracks.partition_point(|track| track.container < container);
        let end = self.tracks.partition_point(|track| track.container <= container);
        start as u32..end as u32
    }

    /// The tracks of a type, in order of their containers.
    pub fn of_type(&self, type_id: TypeId) -> &[TrackId] {
        let type_of = |id: &TrackId| self.tracks[id.index()].type_id;
        let start = self.by_type.partition_point(|id| type_of(id) < type_id);
        let end = self.by_type.partition_point(|id| type_of(id) <= type_id);
        &self.by_type[start..end]
    }
}
