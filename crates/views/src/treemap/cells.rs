//! Which nodes are the cells of a treemap.

use onca_aggregate::overview::{Axis, Gain, Watch};
use onca_answer::overview::{Choice, Matrix, Meaning, Overview, OverviewOptions};
use onca_answer::{AnswerError, Cut, Level};
use onca_model::{format::count_of, printable};

use super::{Detail, amounts::Amounts};
use crate::Result;

/// What the tables of an optimal cut may take: with one slice they are a few numbers a node.
const TABLE_MEMORY: u64 = 1 << 30;

/// The nodes that are divided by values. No cell lies in another, and every leaf lies in one.
pub(crate) struct Cells {
    is_cell: Vec<bool>,
    /// What they are, in words.
    pub title: String,
    /// What the picture must say of them.
    pub note: Option<String>,
}

impl Cells {
    /// Is the node a cell?
    pub fn contains(&self, node: u32) -> bool {
        self.is_cell[node as usize]
    }

    fn new(amounts: &Amounts<'_>, nodes: impl IntoIterator<Item = u32>, title: String) -> Self {
        let mut is_cell = vec![false; amounts.tree().len()];
        nodes.into_iter().for_each(|node| is_cell[node as usize] = true);
        Self { is_cell, title, note: None }
    }

    /// The cells for the detail that is wanted; several levels give several pictures.
    pub fn of(amounts: &Amounts<'_>, detail: &Detail) -> Result<Vec<Self>> {
        let tree = amounts.tree();
        Ok(match detail {
            Detail::Leaves => vec![Self::at_depth(amounts, tree.height())],
            Detail::Depth(depth) => {
                // The cut knows which depths there are.
                Cut::new(amounts.scope(), &Level::Depth(*depth))?;
                vec![Self::at_depth(amounts, *depth as u32)]
            }
            Detail::Kind(kind) => vec![Self::of_kind(amounts, kind)?],
            Detail::EveryDepth => every_depth(amounts),
            Detail::Optimal(choice) => vec![Self::optimal(amounts, *choice)?],
        })
    }

    /// The nodes at a depth, and the leaves that end above it.
    fn at_depth(amounts: &Amounts<'_>, depth: u32) -> Self {
        let nodes = amounts.tree().level_cut(depth);
        let title = kinds(amounts, &nodes);
        Self::new(amounts, nodes, title)
    }

    /// The topmost nodes of a kind, and the leaves that lie below none of them.
    fn of_kind(amounts: &Amounts<'_>, kind: &str) -> Result<Self> {
        let (scope, tree) = (amounts.scope(), amounts.tree());
        let found = scope.at_level(kind).map_err(AnswerError::Question)?;
        let mut of_kind = vec![false; scope.hierarchy().len()];
        found.iter().for_each(|node| of_kind[node.index()] = true);
        let is_one = |node: u32| of_kind[amounts.node(node).index()];
        let mut below = vec![false; tree.len()];
        let mut cells = Vec::new();
        for &node in tree.preorder() {
            let in_one = tree.parent(node).is_some_and(|parent| below[parent as usize]);
            if !in_one && (is_one(node) || tree.is_leaf(node)) {
                cells.push(node);
            }
            below[node as usize] = in_one || is_one(node);
        }
        let title = kinds(amounts, &cells);
        Ok(Self::new(amounts, cells, title))
    }

    /// The best partition of space: what looks alike is one cell.
    fn optimal(amounts: &Amounts<'_>, choice: Choice) -> Result<Self> {
        if !amounts.adds_up {
            let why = "an optimal cut needs amounts that add up: sums, and no ratio";
            return Err(AnswerError::Question(why.to_owned()).into());
        }
        let tree = amounts.tree();
        let matrix = Matrix {
            metric: String::new(),
            tree: tree.clone(),
            nodes: Vec::new(),
            places: Vec::new(),
            values: amounts.values.iter().map(|value| value.name.clone().into_bytes()).collect(),
            bare: Vec::new(),
            meanings: vec![Meaning::Other; amounts.values.len()],
            cells: amounts.leaf_cube()?,
            times: None,
            peers: Vec::new(),
            scanned: false,
        };
        let options = OverviewOptions { axis: Axis::Space, gain: Gain::Sum, memory: TABLE_MEMORY };
        let watch = Watch::default();
        let answer =
            Overview::with(&matrix, &options, watch, |overview| overview.partition(choice, watch))?;
        let n_areas = answer.areas.len() as u64;
        let title = count_of(n_areas, "part");
        let mut cells = Self::new(amounts, answer.areas.iter().map(|area| area.node), title);
        let leaves = count_of(tree.leaves().len() as u64, "container");
        cells.note = Some(format!(
            "optimal cut of {leaves} into {} (p = {})",
            count_of(n_areas, "part"),
            crate::quantity::brief(answer.partition.p)
        ));
        Ok(cells)
    }
}

/// All depths that look different, from the root.
fn every_depth(amounts: &Amounts<'_>) -> Vec<Cells> {
    let tree = amounts.tree();
    let mut pictures = Vec::new();
    let mut last = Vec::new();
    for depth in 0..=tree.height() {
        let ranges: Vec<_> =
            tree.level_cut(depth).iter().map(|&node| tree.leaf_range(node)).collect();
        // A chain of single children divides nothing.
        if ranges != last {
            pictures.push(Cells::at_depth(amounts, depth));
            last = ranges;
        }
        if last.len() == tree.leaves().len() {
            break;
        }
    }
    pictures
}

/// How many nodes have anything, and of which kinds they are: `8 × Machine`.
fn kinds(amounts: &Amounts<'_>, nodes: &[u32]) -> String {
    let hierarchy = amounts.scope().hierarchy();
    let mut names: Vec<String> = Vec::new();
    let mut n_seen = 0;
    for &node in nodes.iter().filter(|&&node| amounts.total(node) > 0.0) {
        n_seen += 1;
        let id = amounts.node(node);
        if id == onca_query::NodeId::ROOT {
            return "everything".to_owned();
        }
        let kind = printable(hierarchy.kind(id));
        if names.iter().all(|name| *name != kind) {
            names.push(kind.into_owned());
        }
    }
    format!("{} × {}", onca_model::format::grouped(n_seen), names.join(", "))
}
