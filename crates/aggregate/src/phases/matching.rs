//! How much the communities of two phases differ.

use super::Community;

/// How much two groupings differ.
#[derive(Clone, PartialEq, Debug)]
pub struct Difference {
    /// The least sum of the differences of matched communities.
    pub total: f64,
    /// The number of matched pairs: that of the grouping with more communities.
    pub pairs: usize,
    /// Which community of the first fits which of the second, for those that share anything.
    pub matched: Vec<(usize, usize)>,
}

impl Difference {
    /// From 0 for equal groupings to 1 for such that share nothing.
    pub fn share(&self) -> f64 {
        if self.pairs == 0 { 0.0 } else { self.total / self.pairs as f64 }
    }
}

/// Matches the communities of two groupings so that the differences of all pairs together are least. That of a pair is
/// `1 - shared / joint members`; a community without a partner counts 1.
///
/// A pair without a shared member counts as much as no pair. So communities that are not tied to each other by shared members
/// can be matched apart, and most programs tie only few.
pub fn difference(before: &[Community], after: &[Community]) -> Difference {
    let overlaps = overlaps(before, after);
    let pairs = before.len().max(after.len());
    let (mut likeness, mut matched) = (0.0, Vec::new());
    for tie in ties(before.len(), after.len(), &overlaps) {
        let mut alike = vec![vec![0.0; tie.after.len()]; tie.before.len()];
        for &Overlap { before: one, after: other, shared } in &tie.overlaps {
            let joint = before[one].len() + after[other].len() - shared;
            let row = tie.before.partition_point(|&at| at < one);
            let column = tie.after.partition_point(|&at| at < other);
            alike[row][column] = shared as f64 / joint as f64;
        }
        for (row, column) in most_alike(&alike) {
            likeness += alike[row][column];
            matched.push((tie.before[row], tie.after[column]));
        }
    }
    matched.sort_unstable();
    Difference { total: (pairs as f64 - likeness).max(0.0), pairs, matched }
}

/// Communities of two phases that share members.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Overlap {
    /// The one in the first phase.
    pub before: usize,
    /// The one in the second phase.
    pub after: usize,
    /// How many members both have.
    pub shared: usize,
}

/// The communities of two groupings that share members, by their places.
pub fn overlaps(before: &[Community], after: &[Community]) -> Vec<Overlap> {
    let listed = |grouping: &[Community]| {
        let communities = grouping.iter().enumerate();
        let mut list: Vec<(u32, usize)> = communities
            .flat_map(|(place, members)| members.iter().map(move |&member| (member, place)))
            .collect();
        list.sort_unstable();
        list
    };
    let others = listed(after);
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    for (member, place) in listed(before) {
        while others.get(at).is_some_and(|other| other.0 < member) {
            at += 1;
        }
        found
            .extend(others.get(at).filter(|other| other.0 == member).map(|other| (place, other.1)));
    }
    found.sort_unstable();
    let runs = found.chunk_by(|one, other| one == other);
    runs.map(|run| Overlap { before: run[0].0, after: run[0].1, shared: run.len() }).collect()
}

/// Communities that hang together by shared members.
#[derive(Default)]
struct Tie {
    before: Vec<usize>,
    after: Vec<usize>,
    overlaps: Vec<Overlap>,
}

fn ties(n_before: usize, n_after: usize, overlaps: &[Overlap]) -> Vec<Tie> {
    let mut roots: Vec<usize> = (0..n_before + n_after).collect();
    let find = |roots: &mut Vec<usize>, mut at: usize| {
        while roots[at] != at {
            roots[at] = roots[roots[at]];
            at = roots[at];
        }
        at
    };
    for overlap in overlaps {
        let one = find(&mut roots, overlap.before);
        let other = find(&mut roots, n_before + overlap.after);
        roots[one.max(other)] = one.min(other);
    }
    let mut ties: Vec<Tie> = Vec::new();
    let mut places: Vec<Option<usize>> = vec![None; n_before];
    for &overlap in overlaps {
        // Every tie has a community of the first grouping, which have the smaller numbers.
        let place = *places[find(&mut roots, overlap.before)].get_or_insert_with(|| {
            ties.push(Tie::default());
            ties.len() - 1
        });
        let tie = &mut ties[place];
        tie.before.push(overlap.before);
        tie.after.push(overlap.after);
        tie.overlaps.push(overlap);
    }
    for tie in &mut ties {
        for side in [&mut tie.before, &mut tie.after] {
            side.sort_unstable();
            side.dedup();
        }
    }
    ties
}

/// The pairs of rows and columns that are most alike together, without those that are not alike at all.
fn most_alike(alike: &[Vec<f64>]) -> Vec<(usize, usize)> {
    if let ([row], [_]) = (alike, alike[0].as_slice()) {
        return if row[0] > 0.0 { vec![(0, 0)] } else { Vec::new() };
    }
    let (n_rows, n_columns) = (alike.len(), alike[0].len());
    // The shorter side goes down, so that all of it finds a partner.
    let is_tall = n_rows > n_columns;
    let (short, long) = if is_tall { (n_columns, n_rows) } else { (n_rows, n_columns) };
    let at =
        |row: usize, column: usize| if is_tall { alike[column][row] } else { alike[row][column] };
    let cost = |row: usize| (0..long).map(|column| 1.0 - at(row, column)).collect();
    let costs: Vec<Vec<f64>> = (0..short).map(cost).collect();
    let (_, columns) = least_total(&costs);
    let pairs = columns.into_iter().enumerate();
    let pairs = pairs.filter(|&(row, column)| at(row, column) > 0.0);
    pairs.map(|(row, column)| if is_tall { (column, row) } else { (row, column) }).collect()
}

/// Gives each row a column of its own so that the sum of their costs is least: that sum, and the columns. There must be at least as
/// many columns as rows.
///
/// The Hungarian method with potentials: rows come one by one, each along the cheapest path of exchanges. At most rows² ·
/// columns steps.
///
/// # Panics
/// If there are fewer columns than rows.
pub fn least_total(costs: &[Vec<f64>]) -> (f64, Vec<usize>) {
    let n_columns = costs.first().map_or(0, Vec::len);
    assert!(n_columns >= costs.len(), "a column for each row");
    // One more column, in which the row that comes next waits.
    let waiting = n_columns;
    let mut row_potential = vec![0.0; costs.len()];
    let mut column_potential = vec![0.0; n_columns + 1];
    let mut row_of: Vec<Option<usize>> = vec![None; n_columns + 1];
    for row in 0..costs.len() {
        row_of[waiting] = Some(row);
        let mut least = vec![f64::INFINITY; n_columns];
        let mut came_from = vec![waiting; n_columns];
        let mut is_used = vec![false; n_columns + 1];
        let mut column = waiting;
        while let Some(own) = row_of[column] {
            is_used[column] = true;
            let (mut step, mut next) = (f64::INFINITY, waiting);
            for other in (0..n_columns).filter(|&other| !is_used[other]) {
                let reduced = costs[own][other] - row_potential[own] - column_potential[other];
                if reduced < least[other] {
                    (least[other], came_from[other]) = (reduced, column);
                }
                if least[other] < step {
                    (step, next) = (least[other], other);
                }
            }
            for other in 0..=n_columns {
                match (is_used[other], row_of[other]) {
                    (true, Some(held)) => {
                        row_potential[held] += step;
                        column_potential[other] -= step;
                    }
                    _ => {
                        if let Some(least) = least.get_mut(other) {
                            *least -= step;
                        }
                    }
                }
            }
            column = next;
        }
        while column != waiting {
            let previous = came_from[column];
            row_of[column] = row_of[previous];
            column = previous;
        }
    }
    let mut columns = vec![0; costs.len()];
    for (column, row) in row_of[..n_columns].iter().enumerate() {
        if let Some(row) = row {
            columns[*row] = column;
        }
    }
    let total = columns.iter().zip(costs).map(|(&column, costs)| costs[column]).sum();
    (total, columns)
}
