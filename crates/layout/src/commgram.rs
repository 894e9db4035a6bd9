//! Columns of groups with the same members, one column after the other, and smooth bands between them.

/// So often the columns are gone through forth and back.
const SWEEPS: usize = 12;

/// In which order the groups of each column come, from above.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Ordered {
    /// For each column its groups by their number.
    pub columns: Vec<Vec<usize>>,
    /// How many pairs of ribbons cross between columns.
    pub crossings: u64,
    /// How many would cross if groups came as they were given.
    pub crossings_as_given: u64,
}

/// Orders groups so that few ribbons cross. `n_groups` tells how many groups each column has, `ribbons` what is between each column
/// and the next.
///
/// Groups come by the mean place of their members in the column before, then, on the way back, in the column after, and so
/// on; the best order that was met is kept. It never has more crossings than the order that was given.
pub fn order(n_groups: &[usize], ribbons: &[Vec<Ribbon>]) -> Ordered {
    let given: Vec<Vec<usize>> = n_groups.iter().map(|&n| (0..n).collect()).collect();
    let crossings_as_given = all_crossings(&given, ribbons);
    let mut best =
        Ordered { columns: given.clone(), crossings: crossings_as_given, crossings_as_given };
    let mut orders = given;
    for _ in 0..SWEEPS {
        for at in 1..n_groups.len() {
            let near =
                ribbons[at - 1].iter().map(|ribbon| (ribbon.right, ribbon.left, ribbon.shared));
            let ranks = ranks(&orders[at - 1]);
            sort_by_neighbours(&mut orders[at], near, &ranks);
        }
        keep_better(&mut best, &orders, ribbons);
        for at in (1..n_groups.len()).rev() {
            let near =
                ribbons[at - 1].iter().map(|ribbon| (ribbon.left, ribbon.right, ribbon.shared));
            let ranks = ranks(&orders[at]);
            sort_by_neighbours(&mut orders[at - 1], near, &ranks);
        }
        if !keep_better(&mut best, &orders, ribbons) {
            break;
        }
    }
    best
}

/// Two groups of neighbouring columns that share members.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ribbon {
    /// The group in the left column.
    pub left: usize,
    /// The group in the right column.
    pub right: usize,
    /// How many members both have.
    pub shared: usize,
}

/// The place of each group in an order.
pub fn ranks(order: &[usize]) -> Vec<usize> {
    let mut ranks = vec![0; order.len()];
    order.iter().enumerate().for_each(|(rank, &group)| ranks[group] = rank);
    ranks
}

/// Puts groups in the order of the mean rank of what they share members with; those that share none stay where they are.
fn sort_by_neighbours(
    order: &mut [usize],
    near: impl Iterator<Item = (usize, usize, usize)>,
    neighbour_ranks: &[usize],
) {
    let mut sums = vec![(0.0, 0.0); order.len()];
    for (group, neighbour, shared) in near {
        sums[group].0 += (neighbour_ranks[neighbour] * shared) as f64;
        sums[group].1 += shared as f64;
    }
    let ranks = ranks(order);
    let key = |group: usize| match sums[group] {
        (_, 0.0) => ranks[group] as f64,
        (sum, shared) => sum / shared,
    };
    order.sort_by(|&one, &other| key(one).total_cmp(&key(other)));
}

fn keep_better(best: &mut Ordered, orders: &[Vec<usize>], ribbons: &[Vec<Ribbon>]) -> bool {
    let crossings = all_crossings(orders, ribbons);
    let is_better = crossings < best.crossings;
    if is_better {
        best.crossings = crossings;
        best.columns = orders.to_vec();
    }
    is_better
}

fn all_crossings(orders: &[Vec<usize>], ribbons: &[Vec<Ribbon>]) -> u64 {
    let between = |(at, ribbons): (usize, &Vec<Ribbon>)| {
        let (left, right) = (ranks(&orders[at]), ranks(&orders[at + 1]));
        crossings(ribbons.iter().map(|ribbon| (left[ribbon.left], right[ribbon.right])).collect())
    };
    ribbons.iter().enumerate().map(between).sum()
}

/// How many pairs of lines cross, each from a place at the left to one at the right. Lines that share an end do not.
pub fn crossings(mut lines: Vec<(usize, usize)>) -> u64 {
    lines.sort_unstable();
    let n_places = lines.iter().map(|line| line.1 + 1).max().unwrap_or(0);
    // A tree of partial sums: how many lines so far end at a place or before.
    let mut counts = vec![0u64; n_places + 1];
    let (mut crossings, mut n_before) = (0, 0);
    for (_, place) in lines {
        let mut at = place + 1;
        let mut n_above = 0;
        while at > 0 {
            n_above += counts[at];
            at &= at - 1;
        }
        crossings += n_before - n_above;
        n_before += 1;
        at = place + 1;
        while at < counts.len() {
            counts[at] += 1;
            at += at & at.wrapping_neg();
        }
    }
    crossings
}

/// From above to below.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Span {
    /// The upper end.
    pub top: f64,
    /// The lower end.
    pub bottom: f64,
}

impl Span {
    /// How high it is.
    pub fn height(&self) -> f64 {
        self.bottom - self.top
    }

    /// The part of it between two shares of its height.
    pub fn part(&self, from: f64, to: f64) -> Self {
        let at = |share: f64| self.top + share * self.height();
        Self { top: at(from), bottom: at(to) }
    }
}

/// The outline of a band between two upright spans, with level tangents at both ends: a Bézier curve at each side, through `n` points
/// and one more. `bend` is from 0 for straight lines to 1.
pub fn band(x0: f64, from: Span, x1: f64, to: Span, bend: f64, n: usize) -> Vec<(f64, f64)> {
    let n = n.max(1);
    let side = |y0: f64, y1: f64| {
        (0..=n).map(move |step| {
            let t = step as f64 / n as f64;
            let (near, far) = (3.0 * t * (1.0 - t) * (1.0 - t), 3.0 * t * t * (1.0 - t));
            let x = near * bend + far * (1.0 - bend) + t * t * t;
            let y = far + t * t * t;
            (x0 + (x1 - x0) * x, y0 + (y1 - y0) * y)
        })
    };
    let mut outline: Vec<(f64, f64)> = side(from.top, to.top).collect();
    let mut below: Vec<(f64, f64)> = side(from.bottom, to.bottom).collect();
    below.reverse();
    outline.append(&mut below);
    outline
}

/// Places heights one below the other, with gaps between them.
pub fn stack(heights: impl IntoIterator<Item = f64>, top: f64, gap: f64) -> Vec<Span> {
    let mut next = top;
    let place = |height: f64| {
        let span = Span { top: next, bottom: next + height };
        next = span.bottom + gap;
        span
    };
    heights.into_iter().map(place).collect()
}
