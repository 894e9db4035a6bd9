//! What goes into the cells of a matrix.

use std::collections::BTreeMap;
use std::ops::Range;

use onca_answer::{Cut, Level, LinkTotals, matrix};
use onca_query::{NodeId, Scope};

use super::{MatrixOptions, Metric};
use crate::{Result, ViewError, bundles, names, quantity::Quantity};

/// The links between the nodes of a matrix.
pub(super) struct Links {
    /// The nodes, in the order of the lens.
    pub nodes: Vec<NodeId>,
    names: Vec<String>,
    pairs: Vec<(usize, usize, LinkTotals)>,
    pub metric: Metric,
}

/// The amounts between runs of nodes.
pub(super) struct Cells {
    /// The nodes of each row, which are those of the column of the same number.
    pub runs: Vec<Range<usize>>,
    /// What each row is called.
    pub names: Vec<String>,
    /// The amounts that are not zero, by row and column.
    pub amounts: BTreeMap<(usize, usize), u128>,
    /// What each row sends, and what each column receives.
    pub sent: Vec<u128>,
    pub received: Vec<u128>,
}

impl Links {
    pub fn new(scope: &Scope<'_>, options: &MatrixOptions) -> Result<Self> {
        let level = options.level.or(Level::Own);
        let found = matrix(scope, Cut::new(scope, &level)?)?;
        if found.pairs.is_empty() {
            let why = "there are no links between containers in what is seen";
            return Err(ViewError::Nothing(why.to_owned()));
        }
        let mut takes_part = vec![false; found.cut.nodes().len()];
        for pair in &found.pairs {
            takes_part[pair.from] = true;
            takes_part[pair.to] = true;
        }
        if level == Level::Own {
            takes_part = of_the_same_kinds(scope, found.cut.nodes(), &takes_part);
        } else {
            takes_part.fill(true);
        }
        let places: Vec<usize> = (0..takes_part.len()).filter(|&at| takes_part[at]).collect();
        let row_of = |place: usize| places.partition_point(|&other| other < place);
        let pairs: Vec<(usize, usize, LinkTotals)> = found
            .pairs
            .iter()
            .map(|pair| (row_of(pair.from), row_of(pair.to), pair.totals))
            .collect();
        let nodes: Vec<NodeId> = places.iter().map(|&place| found.node(place)).collect();
        let sized = pairs.iter().any(|(.., totals)| totals.size > 0);
        let metric = options.metric.unwrap_or(if sized { Metric::Bytes } else { Metric::Count });
        if metric == Metric::Bytes && !sized {
            let why = "no link in what is seen has a size; count them instead";
            return Err(ViewError::Nothing(why.to_owned()));
        }
        Ok(Self { names: names::of_nodes(scope, &nodes), nodes, pairs, metric })
    }

    /// The cells of at most `most` rows and columns: neighbours share one where there are more.
    pub fn cells(&self, most: usize) -> Cells {
        let runs = bundles::runs(self.nodes.len(), most);
        let mut run_of = vec![0; self.nodes.len()];
        for (number, run) in runs.iter().enumerate() {
            run_of[run.clone()].fill(number);
        }
        let mut cells = Cells {
            names: runs.iter().map(|run| names::of_run(&self.names, run)).collect(),
            amounts: BTreeMap::new(),
            sent: vec![0; runs.len()],
            received: vec![0; runs.len()],
            runs,
        };
        for &(from, to, totals) in &self.pairs {
            let (row, column) = (run_of[from], run_of[to]);
            let amount = self.metric.of(&totals);
            if amount > 0 {
                *cells.amounts.entry((row, column)).or_default() += amount;
                cells.sent[row] += amount;
                cells.received[column] += amount;
            }
        }
        cells
    }

    /// The rows that begin in another parent than the row before.
    pub fn borders(&self, scope: &Scope<'_>, cells: &Cells) -> Vec<usize> {
        let parent = |row: usize| scope.hierarchy().parent(self.nodes[cells.runs[row].start]);
        (1..cells.runs.len()).filter(|&row| parent(row) != parent(row - 1)).collect()
    }
}

/// The places of all nodes whose kind is that of a node that takes part: who sends nothing is as
/// telling as who does.
fn of_the_same_kinds(scope: &Scope<'_>, nodes: &[NodeId], takes_part: &[bool]) -> Vec<bool> {
    let kind = |place: usize| scope.hierarchy().kind(nodes[place]);
    let mut kinds: Vec<&[u8]> =
        (0..nodes.len()).filter(|&place| takes_part[place]).map(kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    (0..nodes.len()).map(|place| kinds.binary_search(&kind(place)).is_ok()).collect()
}

impl Cells {
    /// The smallest and the largest amount.
    pub fn extent(&self) -> (f64, f64) {
        let amounts = || self.amounts.values().copied();
        (amounts().min().unwrap_or(0) as f64, amounts().max().unwrap_or(0) as f64)
    }

    /// The largest sum of a row or a column.
    pub fn largest_total(&self) -> u128 {
        self.sent.iter().chain(&self.received).copied().max().unwrap_or(0)
    }
}

impl Metric {
    /// What some links amount to.
    pub(crate) fn of(self, totals: &LinkTotals) -> u128 {
        match self {
            Self::Count => u128::from(totals.count),
            Self::Bytes => u128::from(totals.size),
            Self::Time => totals.time.max(0) as u128,
        }
    }

    pub(crate) fn quantity(self, scope: &Scope<'_>) -> Quantity {
        match self {
            Self::Count => Quantity::Count,
            Self::Bytes => Quantity::Bytes,
            Self::Time => Quantity::Time(scope.catalog().facts.unit.clone()),
        }
    }
}
