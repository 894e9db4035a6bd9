//! From best values to the best partition.
//!
//! The forward pass keeps no choices. Three passes over the tree find them again, and weigh what is equally good:
//!
//! 1. From the root down: which blocks of an inner node, in some best partition, are cut into the children? The
//!    children are then asked for the interval of that block.
//! 2. From the leaves up: for each interval a node is asked for, the best among its equally good partitions: the
//!    largest gain, the smallest loss, the fewest areas; then whole before cut, and the earliest cut.
//! 3. From the root down: the areas of the partition that was chosen.
//!
//! Where nothing is equally good, a node is asked for intervals that do not overlap, so all of this costs far less than
//! the forward pass.

use rayon::prelude::*;

use super::criterion::{Aim, Cell};
use super::forward::Forward;
use super::kernel::{ROWS, best_rows_of_node};
use super::lanes::{LANES, larger};
use super::partition::Area;
use super::tables::{NodeRows, Tables};
use super::triangle::Triangle;

/// Values that differ by less than this share of what the interval could gain and lose are equal.
const TOLERANCE: f64 = 1e-12;

/// Blocks of one node, for each slice, that are weighed against each other; beyond that the first of equally good
/// choices is taken.
const TIES_PER_SLICE: usize = 4;

/// Slices `first` to `last`, both included.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Interval {
    first: usize,
    last: usize,
}

/// What decides between partitions of the same value.
#[derive(Clone, Copy, Default, Debug)]
struct Score {
    gain: f64,
    loss: f64,
    n_areas: usize,
}

impl Score {
    fn plus(self, other: Self) -> Self {
        Self {
            gain: self.gain + other.gain,
            loss: self.loss + other.loss,
            n_areas: self.n_areas + other.n_areas,
        }
    }

    fn beats(self, other: Self, tolerance: f64) -> bool {
        if (self.gain - other.gain).abs() > tolerance {
            return self.gain > other.gain;
        }
        if (self.loss - other.loss).abs() > tolerance {
            return self.loss < other.loss;
        }
        self.n_areas < other.n_areas
    }
}

/// A stretch of a node that is not cut in time.
#[derive(Clone, Copy, Debug)]
struct Block {
    interval: Interval,
    /// Is it one area, or cut into the children?
    whole: bool,
}

/// The best partition of a node in an interval it was asked for.
#[derive(Clone, Debug, Default)]
struct Choice {
    score: Score,
    blocks: Vec<Block>,
}

/// What is known of an inner node between the passes.
#[derive(Clone, Debug, Default)]
struct Asked {
    /// The intervals that its children are asked for, in order.
    cuts: Vec<Interval>,
    /// What the children have for these, together.
    scores: Vec<Score>,
    /// Too many equally good blocks: take the first.
    takes_first: bool,
}

/// Finds the areas of the best partition.
pub(super) fn backtrack(tables: &Tables, forward: &Forward, aim: Aim) -> Vec<Area> {
    let tree = &tables.problem.tree;
    let everything = [Interval { first: 0, last: tables.triangle.n - 1 }];
    let mut asked: Vec<Asked> = vec![Asked::default(); tables.problem.n_inner()];
    let rank = |node: u32| tables.ranks[node as usize] as usize;
    let asked_for = |asked: &'_ [Asked], node: u32| -> Vec<Interval> {
        tree.parent(node)
            .map_or_else(|| everything.to_vec(), |parent| asked[rank(parent)].cuts.clone())
    };

    for &node in tree.preorder().iter().filter(|&&node| !tree.is_leaf(node)) {
        let intervals = asked_for(&asked, node);
        let cuts = forward.cuts_of(rank(node), tables.triangle.len());
        asked[rank(node)] = Solver::new(tables, aim, &tables.node_rows(node), Some(cuts))
            .what_children_are_asked(&intervals);
    }

    let mut choices: Vec<Vec<Choice>> = vec![Vec::new(); tree.len()];
    let of_leaves: Vec<Vec<(u32, Vec<Choice>)>> = (0..tables.n_batches())
        .into_par_iter()
        .map(|batch| choices_of_leaves(tables, aim, batch, |leaf| asked_for(&asked, leaf)))
        .collect();
    for (leaf, of_leaf) in of_leaves.into_iter().flatten() {
        choices[leaf as usize] = of_leaf;
    }
    for &node in tree.preorder().iter().rev() {
        if !tree.is_leaf(node) {
            let intervals = asked_for(&asked, node);
            let cuts = forward.cuts_of(rank(node), tables.triangle.len());
            let rows = tables.node_rows(node);
            let solver = Solver::new(tables, aim, &rows, Some(cuts));
            choices[node as usize] = solver.choices(&intervals, &asked[rank(node)]);
        }
        if let Some(parent) = tree.parent(node) {
            let scores = &mut asked[rank(parent)].scores;
            for (score, choice) in scores.iter_mut().zip(&choices[node as usize]) {
                *score = score.plus(choice.score);
            }
        }
    }
    areas(tables, &asked, &choices)
}

/// The choices of the leaves of a batch that are asked for anything.
fn choices_of_leaves(
    tables: &Tables,
    aim: Aim,
    batch: usize,
    asked_for: impl Fn(u32) -> Vec<Interval>,
) -> Vec<(u32, Vec<Choice>)> {
    let leaves = tables.problem.tree.leaves();
    let leaves = &leaves[batch * LANES..leaves.len().min((batch + 1) * LANES)];
    let asked: Vec<Vec<Interval>> = leaves.iter().map(|&leaf| asked_for(leaf)).collect();
    if asked.iter().all(Vec::is_empty) {
        return Vec::new();
    }
    let rows = tables.batch(batch);
    let choices = leaves.iter().zip(&asked).enumerate().map(|(lane, (&leaf, intervals))| {
        let rows = tables.leaf_rows(&rows, lane);
        (leaf, Solver::new(tables, aim, &rows, None).choices(intervals, &Asked::default()))
    });
    choices.collect()
}

/// Collects the areas of the choices that are reached from the root.
fn areas(tables: &Tables, asked: &[Asked], choices: &[Vec<Choice>]) -> Vec<Area> {
    let tree = &tables.problem.tree;
    let mut taken: Vec<Vec<bool>> =
        asked.iter().map(|asked| vec![false; asked.cuts.len()]).collect();
    let mut areas = Vec::new();
    for &node in tree.preorder() {
        let parent = tree.parent(node).map(|parent| tables.ranks[parent as usize] as usize);
        let of_node: Vec<Block> = choices[node as usize]
            .iter()
            .enumerate()
            .filter(|(at, _)| parent.is_none_or(|parent| taken[parent][*at]))
            .flat_map(|(_, choice)| choice.blocks.iter().copied())
            .collect();
        if of_node.is_empty() {
            continue;
        }
        let rows = tables.node_rows(node);
        let rank = tables.ranks[node as usize] as usize;
        for block in of_node {
            if !block.whole {
                let at = asked[rank].cuts.binary_search(&block.interval);
                taken[rank][at.expect("children were asked for every cut block")] = true;
                continue;
            }
            let Interval { first, last } = block.interval;
            let cell =
                tables.cells(&rows, first).nth(last - first).expect("an interval of the window");
            areas.push(Area {
                node: tables.problem.names[node as usize],
                first,
                last,
                gain: tables.problem.gain.of(cell),
                loss: cell.loss,
            });
        }
    }
    areas.sort_unstable_by_key(|area| (area.node, area.first));
    areas
}

/// One node, and what its blocks are worth.
struct Solver<'s> {
    tables: &'s Tables<'s>,
    aim: Aim,
    rows: &'s NodeRows<'s>,
    /// What the children are worth together in every interval; a leaf has none.
    cuts: Option<&'s [f64]>,
}

/// Overlapping intervals a node is asked for, and the blocks within their hull.
struct Stretch {
    first: usize,
    triangle: Triangle,
    cells: Vec<Cell>,
    whole: Vec<f64>,
    cut: Option<Vec<f64>>,
    best: Vec<f64>,
}

impl<'s> Solver<'s> {
    fn new(tables: &'s Tables, aim: Aim, rows: &'s NodeRows, cuts: Option<&'s [f64]>) -> Self {
        Self { tables, aim, rows, cuts }
    }

    /// Which intervals the children are asked for, when this node is asked for these.
    fn what_children_are_asked(&self, intervals: &[Interval]) -> Asked {
        let mut takes_first = false;
        let mut cuts = self.cut_blocks(intervals, takes_first);
        if cuts.len() > TIES_PER_SLICE * self.tables.triangle.n {
            takes_first = true;
            cuts = self.cut_blocks(intervals, takes_first);
        }
        let scores = vec![Score::default(); cuts.len()];
        Asked { cuts, scores, takes_first }
    }

    /// The blocks that are cut into the children in some best partition of these intervals, in order.
    fn cut_blocks(&self, intervals: &[Interval], takes_first: bool) -> Vec<Interval> {
        let mut cuts: Vec<Interval> = Vec::new();
        self.for_each_stretch(intervals, |stretch, intervals| {
            for &interval in intervals {
                let row = stretch.best_row(interval);
                for (last, starts) in self.reached(stretch, interval, &row, takes_first) {
                    let blocks = starts.into_iter().map(|first| Interval { first, last });
                    cuts.extend(blocks.filter(|&block| self.options(stretch, block).1));
                }
            }
        });
        cuts.sort_unstable();
        cuts.dedup();
        cuts
    }

    /// The best partition of each interval, in their order.
    fn choices(&self, intervals: &[Interval], asked: &Asked) -> Vec<Choice> {
        let mut choices = Vec::with_capacity(intervals.len());
        self.for_each_stretch(intervals, |stretch, intervals| {
            choices.extend(intervals.iter().map(|&interval| self.choose(stretch, interval, asked)));
        });
        choices
    }

    /// Calls `each` for every run of overlapping intervals; these are sorted.
    fn for_each_stretch(
        &self,
        intervals: &[Interval],
        mut each: impl FnMut(&Stretch, &[Interval]),
    ) {
        let mut rest = intervals;
        while let Some(&Interval { first, mut last }) = rest.first() {
            let mut n = 0;
            while n < rest.len() && rest[n].first <= last {
                last = last.max(rest[n].last);
                n += 1;
            }
            each(&self.stretch(Interval { first, last }), &rest[..n]);
            rest = &rest[n..];
        }
    }

    fn stretch(&self, Interval { first, last }: Interval) -> Stretch {
        let triangle = Triangle { n: last + 1 - first };
        let mut cells = Vec::with_capacity(triangle.len());
        let mut cut = self.cuts.map(|_| Vec::with_capacity(triangle.len()));
        for i in first..=last {
            cells.extend(self.tables.cells(self.rows, i).take(last + 1 - i));
            if let (Some(cut), Some(cuts)) = (&mut cut, self.cuts) {
                cut.extend_from_slice(&cuts[self.tables.triangle.row(i)..][..last + 1 - i]);
            }
        }
        let whole: Vec<f64> = cells.iter().map(|&cell| self.aim.value(cell)).collect();
        let best = match &cut {
            Some(cut) => whole.iter().zip(cut).map(|(&whole, &cut)| larger(whole, cut)).collect(),
            None => whole.clone(),
        };
        Stretch { first, triangle, cells, whole, cut, best }
    }

    /// The ways in which a block may be left uncut in time: as one area, cut into the children.
    fn options(&self, stretch: &Stretch, interval: Interval) -> (bool, bool) {
        let at = stretch.at(interval);
        let enough = stretch.best[at] - TOLERANCE * stretch.cells[at].weight();
        let whole = stretch.whole[at] >= enough;
        let cut = stretch.cut.as_ref().is_some_and(|cut| cut[at] >= enough);
        (whole, cut && !(whole && self.aim.whole_wins()))
    }

    /// For each slice that ends a block in some best partition of the interval, from the last: the first slices of such
    /// blocks, in order.
    fn reached(
        &self,
        stretch: &Stretch,
        Interval { first, last }: Interval,
        row: &[f64],
        takes_first: bool,
    ) -> Vec<(usize, Vec<usize>)> {
        let mut is_end = vec![false; last + 1 - first];
        is_end[last - first] = true;
        let mut reached = Vec::new();
        for end in (first..=last).rev() {
            if !is_end[end - first] {
                continue;
            }
            let all = stretch.at(Interval { first, last: end });
            let enough = row[end - first] - TOLERANCE * stretch.cells[all].weight();
            let whole_wins = self.aim.whole_wins() && stretch.whole[all] >= enough;
            let value = |start: usize| {
                let before = if start == first { 0.0 } else { row[start - 1 - first] };
                before + stretch.best[stretch.at(Interval { first: start, last: end })]
            };
            let starts = (first..=end).filter(|&start| value(start) >= enough);
            let starts: Vec<usize> =
                if whole_wins || takes_first { starts.take(1).collect() } else { starts.collect() };
            for &start in starts.iter().filter(|&&start| start > first) {
                is_end[start - 1 - first] = true;
            }
            reached.push((end, starts));
        }
        reached
    }

    /// The best partition of one interval by all rules.
    fn choose(&self, stretch: &Stretch, interval: Interval, asked: &Asked) -> Choice {
        let row = stretch.best_row(interval);
        let mut reached = self.reached(stretch, interval, &row, asked.takes_first);
        reached.reverse();
        // For each end: the best score up to there, and the block that ends there.
        let mut best: Vec<Option<(Score, Block)>> = vec![None; row.len()];
        for (end, starts) in reached {
            let all = stretch.at(Interval { first: interval.first, last: end });
            let tolerance = TOLERANCE * stretch.cells[all].weight();
            let mut found: Option<(Score, Block)> = None;
            for start in starts {
                let before = match start.checked_sub(interval.first + 1) {
                    None => Score::default(),
                    Some(at) => best[at].map(|(score, _)| score).unwrap_or_default(),
                };
                for (score, block) in
                    self.scored(stretch, Interval { first: start, last: end }, asked)
                {
                    let score = before.plus(score);
                    if found.is_none_or(|(other, _)| score.beats(other, tolerance)) {
                        found = Some((score, block));
                    }
                }
            }
            best[end - interval.first] = found;
        }
        follow(&best, interval)
    }

    /// The ways in which a block may be left uncut in time, with their scores.
    fn scored(
        &self,
        stretch: &Stretch,
        interval: Interval,
        asked: &Asked,
    ) -> impl Iterator<Item = (Score, Block)> {
        let (whole, cut) = self.options(stretch, interval);
        let cell = stretch.cells[stretch.at(interval)];
        let as_whole = || Score { gain: self.aim.gain().of(cell), loss: cell.loss, n_areas: 1 };
        let whole = whole.then(|| (as_whole(), Block { interval, whole: true }));
        let cut = cut.then(|| asked.cuts.binary_search(&interval).ok()).flatten();
        let cut = cut.map(|at| (asked.scores[at], Block { interval, whole: false }));
        whole.into_iter().chain(cut)
    }
}

/// Follows the blocks from the end of an interval to its begin.
fn follow(best: &[Option<(Score, Block)>], interval: Interval) -> Choice {
    let score = best.last().copied().flatten().map(|(score, _)| score).unwrap_or_default();
    let mut blocks = Vec::new();
    let mut end = best.len();
    while let Some((_, block)) = end.checked_sub(1).and_then(|at| best[at]) {
        blocks.push(block);
        end = block.interval.first - interval.first;
    }
    blocks.reverse();
    Choice { score, blocks }
}

impl Stretch {
    fn at(&self, Interval { first, last }: Interval) -> usize {
        self.triangle.at(first - self.first, last - self.first)
    }

    /// The best value of every interval with the same begin, up to this one.
    fn best_row(&self, Interval { first, last }: Interval) -> Vec<f64> {
        let n = self.triangle.n;
        let mut rows = vec![0.0; ROWS * n];
        // The other rows that are computed in the same pass are not needed, but cost little.
        best_rows_of_node(&self.best, n, first - self.first, &mut rows);
        rows[first - self.first..=last - self.first].to_vec()
    }
}
