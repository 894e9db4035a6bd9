//! Which rows a diagram has, and what is in them.

use std::collections::{BTreeMap, HashSet};

use onca_answer::{AnswerError, Level, Track, TrackId, entities};
use onca_model::{Nature, TypeId};
use onca_query::{NodeId, ReductionForm, Scope};

use crate::options::NodeName;
use crate::{
    Result,
    timeline::{
        Links, TimelineOptions,
        content::{Band, Content, Row, Sharing},
        subtrees::Subtrees,
    },
};

/// Makes rows: knows the tracks of every node.
pub(crate) struct Planner<'a, 's> {
    scope: &'a Scope<'s>,
    options: &'a TimelineOptions,
    /// The tracks of each node by nature: states, events, variables.
    tracks: Vec<Vec<(Nature, TypeId, TrackId)>>,
    /// For each node: can links end there?
    linked: Vec<bool>,
    /// The reductions of the nodes that have some.
    reductions: BTreeMap<NodeId, Vec<usize>>,
    /// What lies below nodes, where groups have rows.
    subtrees: Option<Subtrees>,
}

impl<'a, 's> Planner<'a, 's> {
    /// Looks at the tracks of what is seen.
    pub fn new(scope: &'a Scope<'s>, options: &'a TimelineOptions) -> Self {
        let n = scope.hierarchy().len();
        let mut tracks = vec![Vec::new(); n];
        let wanted = [
            (Nature::State, true),
            (Nature::Event, options.events),
            (Nature::Variable, options.variables),
        ];
        for (nature, _) in wanted.into_iter().filter(|(_, wanted)| *wanted) {
            for (track, Track { type_id, .. }, node) in scope.tracks(nature) {
                tracks[node.index()].push((nature, *type_id, track));
            }
        }
        let mut reductions: BTreeMap<NodeId, Vec<usize>> = BTreeMap::new();
        for (index, reduction) in scope.reductions().iter().enumerate() {
            if options.variables || reduction.form == ReductionForm::States {
                let nodes = reduction.nodes.iter();
                nodes.for_each(|node| reductions.entry(*node).or_default().push(index));
            }
        }
        // A group that is shown alone sums up what lies below it.
        let has_groups = options.groups || !options.only.is_empty();
        let subtrees = has_groups.then(|| Subtrees::new(scope));
        let linked = linked_nodes(scope, options);
        Self { scope, options, tracks, linked, reductions, subtrees }
    }

    /// What is seen.
    pub fn scope(&self) -> &'a Scope<'s> {
        self.scope
    }

    /// What was asked for.
    pub fn options(&self) -> &'a TimelineOptions {
        self.options
    }

    /// The tracks of states of a type below a node.
    pub fn tracks_below(&self, node: NodeId, type_id: TypeId) -> Vec<TrackId> {
        self.subtrees.as_ref().map_or_else(Vec::new, |subtrees| subtrees.tracks(node, type_id))
    }

    /// All rows, collapsed where the options say so.
    pub fn rows(&self) -> Result<Vec<Row>> {
        if !self.options.only.is_empty() {
            return self.rows_of_some();
        }
        let collapsed = self.collapsed_nodes()?;
        Ok(self.rows_where(|node| collapsed[node.index()]))
    }

    /// The rows of the nodes that are shown alone, whatever is collapsed above or below them.
    fn rows_of_some(&self) -> Result<Vec<Row>> {
        let only = NodeName::nodes(&self.options.only, self.scope)?;
        let mut rows = self.rows_where(|_| false);
        rows.retain(|row| row.nodes.iter().any(|node| only.contains(node)));
        Ok(rows)
    }

    /// The rows of the tree down to a depth.
    pub fn rows_to_depth(&self, depth: usize) -> Vec<Row> {
        let hierarchy = self.scope.hierarchy();
        self.rows_where(|node| hierarchy.depth(node) >= depth)
    }

    /// The rows with some nodes collapsed. Groups that show nothing themselves have no row.
    fn rows_where(&self, is_collapsed: impl Fn(NodeId) -> bool) -> Vec<Row> {
        let hierarchy = self.scope.hierarchy();
        // Parents come before children.
        let mut hidden = vec![false; hierarchy.len()];
        for node in hierarchy.nodes().skip(1) {
            let parent = hierarchy.parent(node);
            hidden[node.index()] = hidden[parent.index()] || is_collapsed(parent);
        }
        let below = self.below(&is_collapsed);
        // The root has a row only where it shows something itself.
        let root = onca_query::Row { nodes: vec![NodeId::ROOT] };
        let rows = std::iter::once(root).chain(onca_query::rows(self.scope));
        rows.filter(|row| row.nodes.iter().all(|node| !hidden[node.index()]))
            .filter_map(|row| self.row(row.nodes, &is_collapsed, &below))
            .map(|row| self.arranged(row))
            .collect()
    }

    /// With its variables side by side or over each other.
    fn arranged(&self, row: Row) -> Row {
        if self.options.overlay { row.with_overlay() } else { row }
    }

    /// How many depths of nested states are drawn.
    fn most_depths(&self) -> usize {
        self.options.state_depths.map_or(usize::MAX, |depths| depths as usize)
    }

    fn row(
        &self,
        nodes: Vec<NodeId>,
        is_collapsed: &impl Fn(NodeId) -> bool,
        below: &[Vec<u32>],
    ) -> Option<Row> {
        let hierarchy = self.scope.hierarchy();
        let first = *nodes.first()?;
        let has_children = !hierarchy.children(first).is_empty();
        if has_children && is_collapsed(first) {
            let members = below[first.index()].iter().map(|node| NodeId(*node));
            let mut bands = self.reductions(&nodes);
            bands.extend(summary_bands(self.tracks_of(members)));
            let bands = or_nothing(bands);
            return Some(Row { nodes, sharing: Sharing::Collapsed, bands });
        }
        let mut bands = self.own_bands(&nodes);
        let is_group = has_children && first != NodeId::ROOT;
        if let Some(subtrees) = self.subtrees.as_ref().filter(|_| is_group) {
            let sum = |type_id: &TypeId| band(Content::Below { type_id: *type_id, node: first });
            bands.extend(subtrees.types(first).iter().map(sum));
            return Some(Row { nodes, sharing: Sharing::Group, bands: or_nothing(bands) });
        }
        let is_linked = nodes.iter().any(|node| self.linked[node.index()]);
        let shown = !bands.is_empty() || is_linked || (!has_children && first != NodeId::ROOT);
        shown.then(|| Row { nodes, sharing: Sharing::Own, bands: or_nothing(bands) })
    }

    /// For each collapsed node the nodes that it stands for, itself included.
    fn below(&self, is_collapsed: &impl Fn(NodeId) -> bool) -> Vec<Vec<u32>> {
        let hierarchy = self.scope.hierarchy();
        let mut below = vec![Vec::new(); hierarchy.len()];
        let mut shown_by: Vec<Option<NodeId>> = vec![None; hierarchy.len()];
        for node in hierarchy.nodes() {
            let above = shown_by[hierarchy.parent(node).index()];
            shown_by[node.index()] = above.or(is_collapsed(node).then_some(node));
            if let Some(shown) = shown_by[node.index()] {
                below[shown.index()].push(node.0);
            }
        }
        below
    }

    /// Joins neighbours with the same parent, at most `n` in a row.
    pub fn merged(&self, rows: &[Row], n: usize) -> Vec<Row> {
        let hierarchy = self.scope.hierarchy();
        let is_whole = |row: &Row| {
            row.sharing == Sharing::Collapsed || hierarchy.children(row.nodes[0]).is_empty()
        };
        let mut merged: Vec<Row> = Vec::new();
        let mut at = 0;
        while at < rows.len() {
            let parent = hierarchy.parent(rows[at].nodes[0]);
            let like = |row: &&Row| is_whole(row) && hierarchy.parent(row.nodes[0]) == parent;
            let run = rows[at..].iter().take(n).take_while(like).count().max(1);
            merged.push(self.arranged(joined(&rows[at..at + run])));
            at += run;
        }
        merged
    }

    /// What nodes show of themselves.
    fn own_bands(&self, nodes: &[NodeId]) -> Vec<Band> {
        let mut bands = self.reductions(nodes);
        // Several containers of a group are active at the same time; containers that share a row
        // are not.
        let mut several = HashSet::new();
        for node in nodes {
            let tracks = self.tracks[node.index()].iter();
            let mut types: Vec<TypeId> = tracks.map(|(_, type_id, _)| *type_id).collect();
            types.sort_unstable();
            several.extend(types.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]));
        }
        let one_at_a_time = |type_id: TypeId| !several.contains(&type_id);
        let tracks_of_types = by_type(self.tracks_of(nodes.iter().copied()));
        for (nature, type_id, tracks) in &tracks_of_types {
            let (type_id, tracks) = (*type_id, tracks.clone());
            match nature {
                Nature::State if one_at_a_time(type_id) => {
                    let lanes = |track: &TrackId| entities::lanes_of(self.scope, *track).len();
                    let all = tracks.iter().map(lanes).max().unwrap_or(0).max(1);
                    let n_depths = all.min(self.most_depths());
                    bands.push(band(Content::States { type_id, tracks, n_depths }));
                }
                Nature::State => bands.push(band(Content::Summary { type_id, tracks })),
                _ => {}
            }
        }
        bands.extend(events(&tracks_of_types));
        bands.extend(variables(tracks_of_types, |type_id| !one_at_a_time(type_id)));
        bands
    }

    fn reductions(&self, nodes: &[NodeId]) -> Vec<Band> {
        let bands_of = |node: &NodeId| {
            let indexes = self.reductions.get(node).into_iter().flatten();
            let node = *node;
            indexes.map(move |index| band(Content::Reduction { index: *index, node }))
        };
        nodes.iter().flat_map(bands_of).collect()
    }

    /// The tracks of some nodes.
    fn tracks_of(&self, nodes: impl Iterator<Item = NodeId>) -> Vec<(Nature, TypeId, TrackId)> {
        nodes.flat_map(|node| self.tracks[node.index()].iter().copied()).collect()
    }

    /// Where groups have rows and can be opened, those with variables only leave the room to states: a network
    /// of hundreds of links with a variable each would take nearly all of it.
    fn fold_without_states(&self, collapsed: &mut [bool]) {
        if !self.subtrees.as_ref().is_some_and(Subtrees::has_states) {
            return;
        }
        let hierarchy = self.scope.hierarchy();
        let is_state = |(nature, ..): &(Nature, TypeId, TrackId)| *nature == Nature::State;
        let shows = |node: usize| self.linked[node] || self.tracks[node].iter().any(is_state);
        let mut is_shown: Vec<bool> = (0..hierarchy.len()).map(shows).collect();
        // Parents come before children.
        for node in hierarchy.nodes().skip(1).rev() {
            is_shown[hierarchy.parent(node).index()] |= is_shown[node.index()];
            collapsed[node.index()] = !is_shown[node.index()];
        }
    }

    fn collapsed_nodes(&self) -> Result<Vec<bool>> {
        let hierarchy = self.scope.hierarchy();
        let mut collapsed = vec![false; hierarchy.len()];
        match &self.options.level.or(Level::Own) {
            Level::Own => self.fold_without_states(&mut collapsed),
            Level::Whole => collapsed[0] = true,
            Level::Kind(kind) => {
                let nodes = self.scope.at_level(kind).map_err(AnswerError::Question)?;
                nodes.iter().for_each(|node| collapsed[node.index()] = true);
            }
            Level::Depth(depth) => {
                let below = |node: &NodeId| hierarchy.depth(*node) >= *depth;
                hierarchy.nodes().filter(below).for_each(|node| collapsed[node.index()] = true);
            }
        }
        let TimelineOptions { open, closed, .. } = self.options;
        for (names, are_collapsed) in [(open, false), (closed, true)] {
            for node in NodeName::nodes(names, self.scope)? {
                collapsed[node.index()] = are_collapsed;
            }
        }
        Ok(collapsed)
    }
}

/// Several rows as one that sums them up.
fn joined(rows: &[Row]) -> Row {
    if let [one] = rows {
        return one.clone();
    }
    let mut all: Vec<(Nature, TypeId, TrackId)> = Vec::new();
    for content in rows.iter().flat_map(|row| &row.bands).map(|band| &band.content) {
        let (nature, type_id, tracks) = match content {
            Content::States { type_id, tracks, .. } | Content::Summary { type_id, tracks } => {
                (Nature::State, *type_id, tracks)
            }
            Content::Events { tracks } => (Nature::Event, TypeId::ROOT, tracks),
            Content::Variable { type_id, tracks, .. } => (Nature::Variable, *type_id, tracks),
            Content::Nothing | Content::Reduction { .. } | Content::Below { .. } => continue,
        };
        all.extend(tracks.iter().map(|track| (nature, type_id, *track)));
    }
    let nodes = rows.iter().flat_map(|row| row.nodes.iter().copied()).collect();
    Row { nodes, sharing: Sharing::Merged, bands: or_nothing(summary_bands(all)) }
}

/// What tracks show together.
fn summary_bands(tracks: Vec<(Nature, TypeId, TrackId)>) -> Vec<Band> {
    let types = by_type(tracks);
    let states = types.iter().filter(|(nature, ..)| *nature == Nature::State);
    let mut bands: Vec<Band> = states
        .map(|(_, type_id, tracks)| {
            band(Content::Summary { type_id: *type_id, tracks: tracks.clone() })
        })
        .collect();
    bands.extend(events(&types));
    bands.extend(variables(types, |_| true));
    bands
}

fn variables(
    types: TracksOfTypes,
    together: impl Fn(TypeId) -> bool,
) -> impl Iterator<Item = Band> {
    let variables = types.into_iter().filter(|(nature, ..)| *nature == Nature::Variable);
    variables.map(move |(_, type_id, tracks)| {
        let together = together(type_id) && tracks.len() > 1;
        band(Content::Variable { type_id, tracks, together })
    })
}

/// Tracks with their nature and type.
type TracksOfTypes = Vec<(Nature, TypeId, Vec<TrackId>)>;

/// Tracks by nature and type.
fn by_type(mut tracks: Vec<(Nature, TypeId, TrackId)>) -> TracksOfTypes {
    // Stable: tracks stay in the order of their nodes.
    tracks.sort_by_key(|(nature, type_id, _)| (*nature as u8, *type_id));
    let mut types = TracksOfTypes::new();
    for (nature, type_id, track) in tracks {
        match types.last_mut() {
            Some((_, last, tracks)) if *last == type_id => tracks.push(track),
            _ => types.push((nature, type_id, vec![track])),
        }
    }
    types
}

fn band(content: Content) -> Band {
    Band { content, over: false, y0: 0.0, y1: 0.0 }
}

fn or_nothing(bands: Vec<Band>) -> Vec<Band> {
    if bands.is_empty() { vec![band(Content::Nothing)] } else { bands }
}

fn events(types: &[(Nature, TypeId, Vec<TrackId>)]) -> Option<Band> {
    let of_events = types.iter().filter(|(nature, ..)| *nature == Nature::Event);
    let tracks: Vec<TrackId> = of_events.flat_map(|(.., tracks)| tracks).copied().collect();
    (!tracks.is_empty()).then(|| band(Content::Events { tracks }))
}

/// The nodes of containers whose type is an end of a seen type of links.
fn linked_nodes(scope: &Scope<'_>, options: &TimelineOptions) -> Vec<bool> {
    let (catalog, hierarchy) = (scope.catalog(), scope.hierarchy());
    let mut linked = vec![false; hierarchy.len()];
    if options.links == Links::None {
        return linked;
    }
    let mut is_end = vec![false; catalog.types.len()];
    for (_, type_id) in scope.link_lanes() {
        if let Some((from, to)) = catalog.type_def(type_id).ends {
            (is_end[from.index()], is_end[to.index()]) = (true, true);
        }
    }
    for (container, node) in hierarchy.members() {
        linked[node.index()] |= is_end[catalog.containers.types[container.index()].index()];
    }
    linked
}
