//! The three inner loops: losses of all intervals, worth of all intervals, and the best way to cut them in time.

use super::criterion::{Aim, Cell};
use super::lanes::{LANES, Lanes, larger, widest, x_log2_x};
use super::triangle::Triangle;

/// Rows that are computed in one pass over the blocks: they share what is loaded.
pub(super) const ROWS: usize = 4;

/// A loss that is smaller than this share of the terms it is the difference of is rounding, and the true loss is 0.
const ROUNDING: f64 = 1e-13;

/// What eight nodes have in each slice.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns {
    /// All slices of each value that any of the nodes has.
    pub values: Vec<Lanes>,
    /// The sum over the values in each slice.
    pub mass: Vec<Lanes>,
    /// The sum of `x log2 x` over values and leaves in each slice.
    pub information: Vec<Lanes>,
    /// The logarithm of the number of leaves of each node.
    pub log_leaves: Lanes,
}

/// Values that are summed up together: what they have stays in the cache while all intervals are gone through.
const VALUES: usize = 32;

widest! {
    /// The loss of each of eight nodes in each interval, in the order of the triangle. `log_lengths[n]` is the
    /// logarithm of `n`.
    fn fill_losses(columns: &Columns, log_lengths: &[f64], losses: &mut [Lanes]) => losses_of_all
}

/// Where less than one amount in this many is not 0, logarithms are kept until a sum changes: traces with thousands of
/// values have few of them in a slice.
const SPARSE: usize = 4;

/// Adds what the sums of some values are worth in each interval.
#[inline(always)]
fn add_sums<const IS_SPARSE: bool>(values: &[Lanes], n: usize, losses: &mut [Lanes]) {
    let triangle = Triangle { n };
    for i in 0..n {
        let mut sums = [Lanes::default(); VALUES];
        let mut worths = [Lanes::default(); VALUES];
        // Sums grow from the begin of the interval: unlike differences of prefix sums they lose no digits where
        // small numbers follow large ones.
        for (j, loss) in (i..n).zip(&mut losses[triangle.row(i)..]) {
            let mut of_sums = *loss;
            let rows = values.chunks_exact(n);
            for ((sum, worth), row) in sums.iter_mut().zip(&mut worths).zip(rows) {
                if !IS_SPARSE || row[j] != Lanes::default() {
                    *sum += row[j];
                    *worth = sum.map(x_log2_x);
                }
                of_sums += *worth;
            }
            *loss = of_sums;
        }
    }
}

#[inline(always)]
fn losses_of_all(columns: &Columns, log_lengths: &[f64], losses: &mut [Lanes]) {
    let n = columns.mass.len();
    let triangle = Triangle { n };
    // First the sum over the values of what their sums are worth.
    losses.fill(Lanes::default());
    for values in columns.values.chunks(VALUES * n.max(1)) {
        let n_some = values.iter().filter(|amounts| **amounts != Lanes::default()).count();
        match n_some < values.len() / SPARSE {
            true => add_sums::<true>(values, n, losses),
            false => add_sums::<false>(values, n, losses),
        }
    }
    for i in 0..n {
        let (mut mass, mut information) = (Lanes::default(), Lanes::default());
        for (length, (j, loss)) in (i..n).zip(&mut losses[triangle.row(i)..]).enumerate() {
            mass += columns.mass[j];
            information += columns.information[j];
            let of_sums = *loss;
            let log_n = columns.log_leaves + Lanes::splat(log_lengths[length + 1]);
            let weight = mass * log_n;
            let size = information.map(f64::abs) + of_sums.map(f64::abs) + weight;
            let exact = information - of_sums + weight;
            *loss = exact.zip(size, |loss, size| if loss > ROUNDING * size { loss } else { 0.0 });
        }
    }
}

widest! {
    /// What each interval of each of eight leaves is worth as one area.
    fn fill_worths(
        aim: Aim,
        mass: &[Lanes],
        information: &[Lanes],
        log_lengths: &[f64],
        losses: &[Lanes],
        worths: &mut [Lanes],
    ) => worths_of_all
}

#[inline(always)]
fn worths_of_all(
    aim: Aim,
    mass: &[Lanes],
    information: &[Lanes],
    log_lengths: &[f64],
    losses: &[Lanes],
    worths: &mut [Lanes],
) {
    let n = mass.len();
    let triangle = Triangle { n };
    for i in 0..n {
        let row = triangle.row(i)..triangle.row(i) + n - i;
        let (mut sum, mut sum_of_information) = (Lanes::default(), Lanes::default());
        let cells = losses[row.clone()].iter().zip(&mut worths[row]);
        for ((loss, worth), (length, j)) in cells.zip((i..n).enumerate()) {
            sum += mass[j];
            sum_of_information += information[j];
            for lane in 0..LANES {
                worth.0[lane] = aim.value(Cell {
                    mass: sum.0[lane],
                    information: sum_of_information.0[lane],
                    loss: loss.0[lane],
                    log_n: log_lengths[length + 1],
                });
            }
        }
    }
}

/// What the rows are made of: one number, or eight.
pub(super) trait Element: Copy + Default {
    /// The larger of `self` and `before + block`.
    fn or_cut(self, before: Self, block: Self) -> Self;
}

impl Element for f64 {
    #[inline(always)]
    fn or_cut(self, before: Self, block: Self) -> Self {
        larger(before + block, self)
    }
}

impl Element for Lanes {
    #[inline(always)]
    fn or_cut(self, before: Self, block: Self) -> Self {
        (before + block).max(self)
    }
}

widest! {
    /// The best values of the intervals that begin with the slices `first..first + ROWS`, for eight nodes.
    fn best_rows_of_lanes(blocks: &[Lanes], n: usize, first: usize, rows: &mut [Lanes]) => best_rows
}

widest! {
    /// The best values of the intervals that begin with the slices `first..first + ROWS`, for one node.
    fn best_rows_of_node(blocks: &[f64], n: usize, first: usize, rows: &mut [f64]) => best_rows
}

/// `V(i, j) = max over c in i..=j of V(i, c - 1) + A(c, j)` for the rows `i` from `first` on, with `A` in `blocks` and
/// `V(i, i - 1) = 0`. `rows` holds `ROWS` rows of `n` numbers, each at the place of its slice; rows beyond the last slice
/// are left alone.
#[inline(always)]
pub(super) fn best_rows<E: Element>(blocks: &[E], n: usize, first: usize, rows: &mut [E]) {
    let triangle = Triangle { n };
    let count = ROWS.min(n - first);
    for (i, row) in (first..n).zip(rows.chunks_exact_mut(n)) {
        row[i..].copy_from_slice(&blocks[triangle.row(i)..][..n - i]);
    }
    for c in first + 1..n {
        let block = &blocks[triangle.row(c)..][..n - c];
        match (c - first).min(count) {
            ROWS => cut_four(block, n, c, rows),
            begun => {
                for row in rows.chunks_exact_mut(n).take(begun) {
                    cut_one(block, c, row);
                }
            }
        }
    }
}

#[inline(always)]
fn cut_one<E: Element>(block: &[E], c: usize, row: &mut [E]) {
    let before = row[c - 1];
    for (best, &block) in row[c..].iter_mut().zip(block) {
        *best = best.or_cut(before, block);
    }
}

#[inline(always)]
fn cut_four<E: Element>(block: &[E], n: usize, c: usize, rows: &mut [E]) {
    let (a, rest) = rows.split_at_mut(n);
    let (b, rest) = rest.split_at_mut(n);
    let (c_row, d) = rest.split_at_mut(n);
    let before = [a[c - 1], b[c - 1], c_row[c - 1], d[c - 1]];
    let four = a[c..].iter_mut().zip(&mut b[c..]).zip(&mut c_row[c..]).zip(&mut d[c..n]);
    for ((((a, b), c), d), &block) in four.zip(block) {
        *a = a.or_cut(before[0], block);
        *b = b.or_cut(before[1], block);
        *c = c.or_cut(before[2], block);
        *d = d.or_cut(before[3], block);
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::overview::Gain;

    fn dice(seed: u64) -> rand_chacha::ChaCha8Rng {
        rand_chacha::ChaCha8Rng::seed_from_u64(seed)
    }

    fn random_lanes(dice: &mut rand_chacha::ChaCha8Rng, n: usize) -> Vec<Lanes> {
        let lanes = |dice: &mut rand_chacha::ChaCha8Rng| {
            Lanes(std::array::from_fn(|_| if dice.random_bool(0.2) { 0.0 } else { dice.random() }))
        };
        (0..n).map(|_| lanes(dice)).collect()
    }

    /// The recurrence as it is written down.
    fn best_by_definition(blocks: &[f64], n: usize, i: usize) -> Vec<f64> {
        let triangle = Triangle { n };
        let mut best = vec![0.0; n];
        for j in i..n {
            let cut_at =
                |c: usize| if c == i { 0.0 } else { best[c - 1] } + blocks[triangle.at(c, j)];
            best[j] = (i..=j).map(cut_at).fold(f64::NEG_INFINITY, f64::max);
        }
        best
    }

    #[test]
    fn rows_follow_the_recurrence_for_nodes_and_for_lanes() {
        let mut dice = dice(2);
        for n in [1, 2, 3, 4, 5, 8, 13, 30] {
            let blocks = random_lanes(&mut dice, Triangle { n }.len());
            let mut rows = vec![Lanes::default(); ROWS * n];
            for first in (0..n).step_by(ROWS) {
                best_rows_of_lanes(&blocks, n, first, &mut rows);
                for lane in 0..LANES {
                    let blocks: Vec<f64> = blocks.iter().map(|lanes| lanes.0[lane]).collect();
                    let mut alone = vec![0.0; ROWS * n];
                    best_rows_of_node(&blocks, n, first, &mut alone);
                    for i in first..n.min(first + ROWS) {
                        let expected = best_by_definition(&blocks, n, i);
                        for (j, &expected) in expected.iter().enumerate().skip(i) {
                            let at = (i - first) * n + j;
                            assert_eq!(rows[at].0[lane], expected, "{n} {i} {j}");
                            assert_eq!(alone[at], expected, "{n} {i} {j}");
                        }
                    }
                }
            }
        }
    }

    /// Keeping logarithms changes no bit, however many amounts are 0.
    #[test]
    fn sparse_values_lose_the_same() {
        let mut dice = dice(4);
        let n = 13;
        for share in [0.0, 0.05, 0.5, 1.0] {
            let mut values = random_lanes(&mut dice, n * VALUES);
            for amounts in &mut values {
                if !dice.random_bool(share) {
                    *amounts = Lanes::default();
                }
            }
            let mut kept = random_lanes(&mut dice, Triangle { n }.len());
            let mut plain = kept.clone();
            add_sums::<true>(&values, n, &mut kept);
            add_sums::<false>(&values, n, &mut plain);
            assert_eq!(kept, plain, "{share}");
        }
    }

    /// The vector code gives the bits of the plain loop.
    #[test]
    fn wide_vectors_change_no_bit() {
        let mut dice = dice(3);
        let (n, n_values) = (17, 3);
        let values = random_lanes(&mut dice, n * n_values);
        let columns = Columns {
            mass: (0..n).map(|j| values[j] + values[n + j] + values[2 * n + j]).collect(),
            information: (0..n).map(|j| values[j].map(x_log2_x)).collect(),
            values,
            log_leaves: Lanes::splat(1.5),
        };
        let logs: Vec<f64> = (0..=n).map(|length| (length as f64).log2()).collect();
        let n_cells = Triangle { n }.len();
        let (mut wide, mut plain) =
            (vec![Lanes::default(); n_cells], vec![Lanes::default(); n_cells]);
        fill_losses(&columns, &logs, &mut wide);
        losses_of_all(&columns, &logs, &mut plain);
        assert_eq!(wide, plain);

        let losses = plain.clone();
        let gain = Gain::Sum;
        for aim in [
            Aim::Trade { gain, p: 0.3 },
            Aim::Trade { gain: Gain::Mean, p: 0.3 },
            Aim::Lossless { gain },
        ] {
            let (mass, information) = (&columns.mass, &columns.information);
            fill_worths(aim, mass, information, &logs, &losses, &mut wide);
            worths_of_all(aim, mass, information, &logs, &losses, &mut plain);
            assert_eq!(wide, plain);
        }
        let (mut wide_rows, mut rows) =
            (vec![Lanes::default(); ROWS * n], vec![Lanes::default(); ROWS * n]);
        best_rows_of_lanes(&losses, n, 0, &mut wide_rows);
        best_rows(&losses, n, 0, &mut rows);
        assert_eq!(wide_rows, rows);
    }
}
