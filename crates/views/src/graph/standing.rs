//! Who has a place in a picture of structure, and what they send each other.

use onca_answer::topology::communication;
use onca_answer::{Cut, Level, LinkTotals};
use onca_layout::graph::{
    Graph, Method, Nesting, Spot, half_gap, place, place_nested, pushed_apart,
};
use onca_model::{Nature, Window};
use onca_query::{NodeId, Scope};

use crate::options::LayoutOptions;
use crate::{Result, ViewError, matrix::Metric, names};

/// The nodes of a picture and what they send each other.
pub(crate) struct Standing {
    /// The nodes, in the order of the lens.
    pub nodes: Vec<NodeId>,
    /// What they are called.
    pub names: Vec<String>,
    /// What each pair sends each other in both directions, by place; the first is the smaller.
    pub pairs: Vec<(usize, usize, LinkTotals)>,
    /// What is summed up, bytes by default where links have sizes.
    pub metric: Metric,
    /// Who sends each other anything in the whole trace, by place: places on a picture come from
    /// these, so that they are the same in every window.
    acquainted: Vec<(usize, usize)>,
    cut: Cut,
    /// By place in the cut.
    places: Vec<Option<u32>>,
}

impl Standing {
    /// The nodes of a level that have states or links in the trace, and whatever else is wanted.
    pub fn new(
        scope: &Scope<'_>,
        level: &Level,
        metric: Option<Metric>,
        natures: &[Nature],
    ) -> Result<Self> {
        let found = communication(scope, Cut::new(scope, level)?)?;
        let cut = found.cut;
        let facts = &scope.catalog().facts;
        let whole = Window { from: facts.start, to: facts.end };
        let ever: Vec<(usize, usize)> = match whole == scope.window() {
            true => found.pairs.iter().map(|pair| (pair.from, pair.to)).collect(),
            false => {
                let whole = scope.during(whole);
                let ever = communication(&whole, Cut::new(&whole, level)?)?;
                ever.pairs.iter().map(|pair| (pair.from, pair.to)).collect()
            }
        };
        let mut stands = vec![false; cut.nodes().len()];
        for &nature in natures {
            let places = scope.tracks(nature).filter_map(|(_, _, node)| cut.place(node));
            places.for_each(|place| stands[place] = true);
        }
        for &(from, to) in &ever {
            stands[from] = true;
            stands[to] = true;
        }
        let mut nodes = Vec::new();
        let places = cut.nodes().iter().zip(&stands).map(|(node, stands)| {
            stands.then(|| {
                nodes.push(*node);
                nodes.len() as u32 - 1
            })
        });
        let places: Vec<Option<u32>> = places.collect();
        if nodes.is_empty() {
            let why = "no container that is seen has states or links";
            return Err(ViewError::Nothing(why.to_owned()));
        }
        let mut pairs: Vec<(usize, usize, LinkTotals)> = Vec::new();
        for pair in &found.pairs {
            if let (Some(from), Some(to)) = (places[pair.from], places[pair.to])
                && from != to
            {
                pairs.push((from.min(to) as usize, from.max(to) as usize, pair.totals));
            }
        }
        let pairs = joined(pairs);
        let both = |&(from, to): &(usize, usize)| {
            let (from, to) = (places[from]?, places[to]?);
            (from != to).then(|| (from.min(to) as usize, from.max(to) as usize))
        };
        let acquainted = ever.iter().filter_map(both).collect();
        let sized = pairs.iter().any(|(.., totals)| totals.size > 0);
        let metric = metric.unwrap_or(if sized { Metric::Bytes } else { Metric::Count });
        Ok(Self {
            names: names::of_nodes(scope, &nodes),
            nodes,
            pairs,
            metric,
            acquainted,
            cut,
            places,
        })
    }

    /// The place of the node that a node counts for.
    pub fn place(&self, node: NodeId) -> Option<usize> {
        let place = self.cut.place(node)?;
        self.places[place].map(|place| place as usize)
    }

    /// Where the nodes are by what they send each other, and half their width, so that no two
    /// overlap.
    pub fn laid_out(&self, scope: &Scope<'_>, options: &LayoutOptions) -> (Vec<Spot>, f64) {
        let graph = Graph::new(self.nodes.len(), self.acquainted.iter().copied());
        match options.of_graph().method() {
            Some(method) => laid_out(&graph, method, options.seed),
            None => {
                let placed = place_nested(&graph, &self.nesting(scope), options.seed);
                (placed.spots, placed.radius * std::f64::consts::FRAC_1_SQRT_2)
            }
        }
    }

    /// The groups of the hierarchy around the nodes.
    fn nesting(&self, scope: &Scope<'_>) -> Nesting {
        let hierarchy = scope.hierarchy();
        let mut needed = vec![false; hierarchy.len()];
        for &node in &self.nodes {
            let mut at = node;
            while at != NodeId::ROOT {
                at = hierarchy.parent(at);
                needed[at.index()] = true;
            }
        }
        let mut numbers = vec![None; hierarchy.len()];
        let mut nesting = Nesting::default();
        // Parents come before children.
        for node in hierarchy.nodes().skip(1).filter(|node| needed[node.index()]) {
            numbers[node.index()] = Some(nesting.parents.len());
            nesting.parents.push(numbers[hierarchy.parent(node).index()]);
        }
        let group = |node: &NodeId| match *node {
            NodeId::ROOT => None,
            node => numbers[hierarchy.parent(node).index()],
        };
        nesting.group_of = self.nodes.iter().map(group).collect();
        nesting
    }

    /// How much the names matter: who sends and receives the most comes first.
    pub fn ranks(&self) -> Vec<u32> {
        let mut amounts = vec![0u128; self.nodes.len()];
        for (from, to, totals) in &self.pairs {
            amounts[*from] += self.metric.of(totals);
            amounts[*to] += self.metric.of(totals);
        }
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by_key(|&place| (std::cmp::Reverse(amounts[place]), place));
        let mut ranks = vec![0; self.nodes.len()];
        order.iter().enumerate().for_each(|(rank, &place)| ranks[place] = rank as u32);
        ranks
    }
}

/// Each pair once.
fn joined(mut pairs: Vec<(usize, usize, LinkTotals)>) -> Vec<(usize, usize, LinkTotals)> {
    pairs.sort_by_key(|(from, to, _)| (*from, *to));
    pairs.dedup_by(|later, earlier| {
        let same = (later.0, later.1) == (earlier.0, earlier.1);
        if same {
            let (sum, other) = (&mut earlier.2, later.2);
            sum.count += other.count;
            sum.size = sum.size.saturating_add(other.size);
            sum.time = sum.time.saturating_add(other.time);
        }
        same
    });
    pairs
}

/// Nodes are at most this wide, of the whole.
const WIDEST: f64 = 0.09;

/// Places in the square from -1 to 1, with their half width inside it too.
pub(crate) fn laid_out(graph: &Graph, method: Method, seed: u64) -> (Vec<Spot>, f64) {
    let mut spots = place(graph, method, seed);
    if method == Method::Force {
        // Pushing would bend circles and layers, which leave room by themselves.
        let gap = 1.1 / (graph.len().max(1) as f64).sqrt();
        spots = pushed_apart(spots, gap.min(2.0 * WIDEST));
    }
    let radius = 0.8 * half_gap(&spots, WIDEST);
    let inside = |at: f64| at * (1.0 - radius);
    let spots = spots.iter().map(|spot| Spot::new(inside(spot.x), inside(spot.y))).collect();
    (spots, inside(radius))
}
