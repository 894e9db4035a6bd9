//! What a row shows, and how high it wants to be.

use onca_answer::TrackId;
use onca_model::TypeId;
use onca_query::NodeId;

/// A row of the diagram: what one node shows, or several that share its place.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Row {
    /// Whose row it is.
    pub nodes: Vec<NodeId>,
    /// How the nodes share it.
    pub sharing: Sharing,
    /// What it shows, from top to bottom.
    pub bands: Vec<Band>,
}

/// Why a row shows what it shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sharing {
    /// The nodes themselves, one after the other in time.
    Own,
    /// A node itself, and what lies below it summed up; that has rows of its own too.
    Group,
    /// A node with everything below it.
    Collapsed,
    /// Neighbours, for lack of room.
    Merged,
}

/// A part of a row, across the whole window.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Band {
    /// What is in it.
    pub content: Content,
    /// It lies over the band before it.
    pub over: bool,
    /// Upper side, in pixels.
    pub y0: f64,
    /// Lower side, in pixels.
    pub y1: f64,
}

/// What a band shows.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Content {
    /// Nothing but that the container is there.
    Nothing,
    /// The states of a type. The tracks do not meet in time.
    States {
        /// The type.
        type_id: TypeId,
        /// The tracks.
        tracks: Vec<TrackId>,
        /// How deep states are nested in them, at least 1.
        n_depths: usize,
    },
    /// The shares of the states of a type in many tracks.
    Summary {
        /// The type.
        type_id: TypeId,
        /// The tracks.
        tracks: Vec<TrackId>,
    },
    /// The shares of the states of a type in everything below a node.
    Below {
        /// The type.
        type_id: TypeId,
        /// The node.
        node: NodeId,
    },
    /// The events of any type.
    Events {
        /// The tracks.
        tracks: Vec<TrackId>,
    },
    /// A variable.
    Variable {
        /// The type.
        type_id: TypeId,
        /// The tracks.
        tracks: Vec<TrackId>,
        /// Do the tracks meet in time?
        together: bool,
    },
    /// A derived variable, or derived states.
    Reduction {
        /// Its number in the lens.
        index: usize,
        /// The node that has it.
        node: NodeId,
    },
}

/// The height of a band of states when there is room for all.
pub(crate) const STATE_HEIGHT: f64 = 18.0;
/// One depth of nesting asks for this much more.
const DEPTH_HEIGHT: f64 = 4.0;
/// Deeper nesting asks for a lane for each depth, of this height, up to this many.
const LANE_HEIGHT: f64 = 14.0;
const MOST_LANES: usize = 16;
const EVENT_HEIGHT: f64 = 8.0;
const VARIABLE_HEIGHT: f64 = 36.0;
/// Where there is too little room for all, states come first: then a graph wants only this much.
const LOW_VARIABLE_HEIGHT: f64 = 6.0;

/// How rows share the room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wanting {
    /// Each as much as it wants.
    Everything,
    /// Variables yield to states.
    StatesFirst,
}

impl Content {
    /// How high the band wants to be, in pixels.
    pub fn wanted_height(&self, alone: bool, room: Wanting) -> f64 {
        match self {
            Self::Nothing | Self::Summary { .. } | Self::Below { .. } => STATE_HEIGHT,
            Self::States { n_depths: 0 | 1, .. } => STATE_HEIGHT,
            Self::States { n_depths: 2, .. } => STATE_HEIGHT + DEPTH_HEIGHT,
            Self::States { n_depths, .. } => LANE_HEIGHT * (*n_depths).min(MOST_LANES) as f64,
            Self::Events { .. } if alone => STATE_HEIGHT,
            Self::Events { .. } => EVENT_HEIGHT,
            Self::Variable { .. } if room == Wanting::StatesFirst => LOW_VARIABLE_HEIGHT,
            Self::Variable { .. } | Self::Reduction { .. } => VARIABLE_HEIGHT,
        }
    }
}

impl Band {
    /// How high it wants to be, in pixels.
    pub fn wanted_height(&self, alone: bool, room: Wanting) -> f64 {
        if self.over { 0.0 } else { self.content.wanted_height(alone, room) }
    }
}

impl Row {
    /// How high the row wants to be, in pixels.
    pub fn wanted_height(&self, room: Wanting) -> f64 {
        let alone = self.bands.len() == 1;
        self.bands.iter().map(|band| band.wanted_height(alone, room)).sum()
    }

    /// Puts its variables over each other.
    pub fn with_overlay(mut self) -> Self {
        let variables = self.bands.iter_mut();
        let variables =
            variables.filter(|band| matches!(band.content, Content::Variable { .. })).skip(1);
        variables.for_each(|band| band.over = true);
        self
    }

    /// Does it show states?
    pub fn has_states(&self) -> bool {
        let is_state = |band: &Band| {
            matches!(
                band.content,
                Content::States { .. } | Content::Summary { .. } | Content::Below { .. }
            )
        };
        self.bands.iter().any(is_state)
    }

    /// Where it is: upper and lower side.
    pub fn span(&self) -> (f64, f64) {
        let first = self.bands.first().map_or(0.0, |band| band.y0);
        (first, self.bands.last().map_or(first, |band| band.y1))
    }

    /// The middle of what a name stands beside: events below a row do not count.
    pub fn middle(&self) -> f64 {
        let is_main = |band: &&Band| !matches!(band.content, Content::Events { .. });
        let last = self.bands.iter().rfind(is_main).or(self.bands.last());
        (self.span().0 + last.map_or(0.0, |band| band.y1)) / 2.0
    }

    /// Do links between its containers stay inside it?
    pub fn holds_links(&self) -> bool {
        matches!(self.sharing, Sharing::Collapsed | Sharing::Merged)
    }

    /// Where links begin and end: the middle of the first band.
    pub fn anchor(&self) -> f64 {
        self.bands.first().map_or(0.0, |band| (band.y0 + band.y1) / 2.0)
    }
}
