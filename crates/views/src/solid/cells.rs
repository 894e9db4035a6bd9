//! The hierarchy as nested rectangles on the base.

use onca_answer::{Cut, Level, Measure, entities, state_times};
use onca_layout::graph::Spot;
use onca_layout::treemap::{Nest, Order, Tile, nested};
use onca_model::Nature;
use onca_model::format::count_of;
use onca_query::NodeId;
use onca_scene::{BaseCell, Bounds, Pick, Solid};

use super::{Maker, SizedBy};
use crate::{Result, color};

/// What stands on a rectangle has this share of its thinner side.
const STANDING_SHARE: f64 = 0.27;
/// Around the rectangles inside another one, of its thinner side.
const MARGIN: f64 = 0.03;

/// Divides the base among the nodes above what stands on it; returns where that stands and half its
/// width.
pub(super) fn put(maker: &Maker<'_>, solid: &mut Solid) -> Result<Vec<(Spot, f64)>> {
    let by = maker.options.sizes().unwrap_or(SizedBy::Containers);
    let tree = Tree::new(maker, &sizes(maker, by)?);
    let mut division = Division {
        placed: vec![(Spot::default(), 0.0); maker.standing.nodes.len()],
        maker,
        tree,
        solid,
    };
    nested(&mut division, 0, Tile::new(-1.0, -1.0, 1.0, 1.0), Order::Given, 0.0);
    Ok(division.placed)
}

/// How large each standing node is to be. What has nothing still needs a place.
pub(super) fn sizes(maker: &Maker<'_>, by: SizedBy) -> Result<Vec<f64>> {
    let (scope, standing) = (maker.scope, maker.standing);
    let mut sizes = vec![0.0; standing.nodes.len()];
    match by {
        SizedBy::Containers => {
            for (_, node) in scope.hierarchy().members() {
                if let Some(place) = standing.place(node) {
                    sizes[place] += 1.0;
                }
            }
        }
        SizedBy::Time => {
            let cut = Cut::new(scope, &Level::Own)?;
            let times = state_times(scope, &cut, scope.window(), Measure::Exclusive)?;
            for row in &times.rows {
                if let Some(place) = standing.place(cut.nodes()[row.place]) {
                    sizes[place] += row.ticks as f64;
                }
            }
        }
        SizedBy::Count => {
            for (track, _, node) in scope.tracks(Nature::State) {
                if let Some(place) = standing.place(node) {
                    let counts = entities::state_counts(scope, track)?;
                    sizes[place] += counts.iter().map(|(_, count)| *count as f64).sum::<f64>();
                }
            }
        }
        SizedBy::Communication => {
            for (from, to, totals) in &standing.pairs {
                let amount = standing.metric.of(totals) as f64;
                sizes[*from] += amount;
                sizes[*to] += amount;
            }
        }
    }
    let largest = sizes.iter().copied().fold(0.0, f64::max);
    let least = if largest > 0.0 { largest / 100.0 } else { 1.0 };
    Ok(sizes.into_iter().map(|size| size.max(least)).collect())
}

/// The hierarchy as far as something stands on it or below.
struct Tree {
    /// For each node of the tree that of the hierarchy, and what stands there.
    nodes: Vec<(NodeId, Option<usize>)>,
    children: Vec<Vec<u32>>,
    sizes: Vec<f64>,
    depths: Vec<u8>,
}

impl Tree {
    fn new(maker: &Maker<'_>, sizes: &[f64]) -> Self {
        let hierarchy = maker.scope.hierarchy();
        let mut needed = vec![false; hierarchy.len()];
        let mut stands: Vec<Option<usize>> = vec![None; hierarchy.len()];
        for (place, node) in maker.standing.nodes.iter().enumerate() {
            stands[node.index()] = Some(place);
            needed[node.index()] = true;
        }
        // Parents come before children.
        for node in hierarchy.nodes().skip(1).rev() {
            if needed[node.index()] {
                needed[hierarchy.parent(node).index()] = true;
            }
        }
        let mut tree =
            Self { nodes: Vec::new(), children: Vec::new(), sizes: Vec::new(), depths: Vec::new() };
        let mut number = vec![0u32; hierarchy.len()];
        for node in hierarchy.preorder().into_iter().filter(|node| needed[node.index()]) {
            let parent = (node != NodeId::ROOT).then(|| number[hierarchy.parent(node).index()]);
            let own = stands[node.index()];
            let below = hierarchy.children(node).iter().any(|child| needed[child.index()]);
            number[node.index()] = tree.push(parent, node, own.filter(|_| !below));
            // What stands on a node that others lie below has a rectangle beside theirs.
            if let Some(place) = own.filter(|_| below) {
                tree.push(Some(number[node.index()]), node, Some(place));
            }
        }
        for at in (0..tree.nodes.len()).rev() {
            let own = tree.nodes[at].1.map_or(0.0, |place| sizes[place]);
            let below = tree.children[at].iter().map(|child| tree.sizes[*child as usize]);
            tree.sizes[at] = own + below.sum::<f64>();
        }
        tree
    }

    fn push(&mut self, parent: Option<u32>, node: NodeId, stands: Option<usize>) -> u32 {
        let number = self.nodes.len() as u32;
        let depth = parent.map_or(0, |parent| self.depths[parent as usize].saturating_add(1));
        self.nodes.push((node, stands));
        self.children.push(Vec::new());
        self.sizes.push(0.0);
        self.depths.push(depth);
        if let Some(parent) = parent {
            self.children[parent as usize].push(number);
        }
        number
    }
}

/// The base while it is divided.
struct Division<'a, 'm> {
    maker: &'a Maker<'m>,
    tree: Tree,
    solid: &'a mut Solid,
    placed: Vec<(Spot, f64)>,
}

impl Nest for Division<'_, '_> {
    fn children(&self, node: u32) -> &[u32] {
        &self.tree.children[node as usize]
    }

    fn value(&self, node: u32) -> f64 {
        self.tree.sizes[node as usize]
    }

    fn place(&mut self, node: u32, tile: &Tile) -> Option<Tile> {
        let (id, stands) = self.tree.nodes[node as usize];
        let (depth, colors) = (self.tree.depths[node as usize], self.maker.stage.theme.colors());
        if let Some(place) = stands {
            let middle = Spot::new((tile.x0 + tile.x1) / 2.0, (tile.y0 + tile.y1) / 2.0);
            self.placed[place] = (middle, STANDING_SHARE * tile.thickness());
        }
        let scope = self.maker.scope;
        let n_below = count_of(self.tree.children[node as usize].len() as u64, "part");
        let title = match self.tree.children[node as usize].is_empty() {
            true => scope.path(id),
            false => format!("{}\n{n_below}", scope.path(id)),
        };
        let name = match id {
            NodeId::ROOT => "everything".into(),
            _ => onca_model::printable(scope.name(id)),
        };
        self.solid.cells.push(BaseCell {
            bounds: Bounds::new(tile.x0, tile.y0, tile.x1, tile.y1),
            depth,
            name: name.into_owned(),
            node: id.0,
            fill: color::mix(colors.field, colors.axis, (0.1 * f64::from(depth)).min(0.5)),
            edge: color::mix(colors.axis, colors.background, 0.3),
            title: self.solid.titles.add(title),
            pick: Pick::Node(id.0),
        });
        let margin = MARGIN * tile.thickness();
        Some(Tile::new(tile.x0 + margin, tile.y0 + margin, tile.x1 - margin, tile.y1 - margin))
    }

    /// Nothing is too thin: what is asked for is 0.
    fn place_together(&mut self, _node: u32, _children: &[u32], _tile: &Tile) {}
}
