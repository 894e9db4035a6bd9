//! The best way to pair two sequences in order.

/// What gaps cost.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Gap {
    /// To begin one.
    pub begin: f64,
    /// Each of its members.
    pub each: f64,
}

/// A step through both sequences.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Two members belong together.
    Both(usize, usize),
    /// A member of the first is alone.
    Before(usize),
    /// A member of the second is alone.
    After(usize),
}

/// How a step ends: with a pair, or alone on one side.
const PAIR: usize = 0;
const BEFORE: usize = 1;
const AFTER: usize = 2;

/// Pairs `n` members with `m` others in order, such that the scores of all pairs less the costs of all gaps are the most
/// (Needleman and Wunsch, with the gaps of Gotoh). Of ways that are equally good, gaps are as late as can be.
pub fn sequence(n: usize, m: usize, score: impl Fn(usize, usize) -> f64, gap: &Gap) -> Vec<Step> {
    let width = m + 1;
    // For each place how the best way to it came there, by how it ends: two bits each.
    let mut came = vec![0u8; (n + 1) * width];
    let none = f64::NEG_INFINITY;
    let mut above: Vec<[f64; 3]> = vec![[none; 3]; width];
    let mut row = above.clone();
    for i in 0..=n {
        for j in 0..=m {
            let mut here = [none; 3];
            let mut from = [PAIR; 3];
            if i == 0 && j == 0 {
                here[PAIR] = 0.0;
            }
            if i > 0 && j > 0 {
                let (best, way) = best_of(above[j - 1], |_| 0.0);
                (here[PAIR], from[PAIR]) = (best + score(i - 1, j - 1), way);
            }
            if i > 0 {
                let cost = |way: usize| if way == BEFORE { 0.0 } else { gap.begin };
                let (best, way) = best_of(above[j], cost);
                (here[BEFORE], from[BEFORE]) = (best - gap.each, way);
            }
            if j > 0 {
                let cost = |way: usize| if way == AFTER { 0.0 } else { gap.begin };
                let (best, way) = best_of(row[j - 1], cost);
                (here[AFTER], from[AFTER]) = (best - gap.each, way);
            }
            row[j] = here;
            came[i * width + j] = (from[PAIR] | from[BEFORE] << 2 | from[AFTER] << 4) as u8;
        }
        std::mem::swap(&mut above, &mut row);
    }
    let (mut i, mut j, mut way) = (n, m, best_of(above[m], |_| 0.0).1);
    let mut steps = Vec::with_capacity(n.max(m));
    while i > 0 || j > 0 {
        let next = usize::from(came[i * width + j] >> (2 * way) & 3);
        match way {
            BEFORE => {
                i -= 1;
                steps.push(Step::Before(i));
            }
            AFTER => {
                j -= 1;
                steps.push(Step::After(j));
            }
            _ => {
                (i, j) = (i - 1, j - 1);
                steps.push(Step::Both(i, j));
            }
        }
        way = next;
    }
    steps.reverse();
    steps
}

/// The best of three ways after what each costs. Of equal ones a gap comes first: read from the end, it is then as late as
/// can be.
fn best_of(ways: [f64; 3], cost: impl Fn(usize) -> f64) -> (f64, usize) {
    let mut best = (f64::NEG_INFINITY, PAIR);
    for way in [BEFORE, AFTER, PAIR] {
        let worth = ways[way] - cost(way);
        if worth > best.0 {
            best = (worth, way);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAP: Gap = Gap { begin: 0.5, each: 0.25 };

    fn letters(before: &str, after: &str) -> String {
        let (a, b) = (before.as_bytes(), after.as_bytes());
        let score = |i: usize, j: usize| if a[i] == b[j] { 1.0 } else { -1.0 };
        let told = |step: &Step| match *step {
            Step::Both(i, j) if a[i] == b[j] => '=',
            Step::Both(..) => '!',
            Step::Before(_) => '-',
            Step::After(_) => '+',
        };
        sequence(a.len(), b.len(), score, &GAP).iter().map(told).collect()
    }

    #[test]
    fn what_is_gone_or_new_is_a_gap() {
        assert_eq!(letters("abc", "abc"), "===");
        assert_eq!(letters("abcd", "ad"), "=--=");
        assert_eq!(letters("ad", "abcd"), "=++=");
        assert_eq!(letters("", "ab"), "++");
        assert_eq!(letters("ab", ""), "--");
        assert_eq!(letters("", ""), "");
    }

    #[test]
    fn of_equal_members_the_last_are_alone() {
        assert_eq!(letters("xaaay", "xaaaaay"), "====++=");
        assert_eq!(letters("aaaa", "aa"), "==--");
    }

    /// All ways to pair two sequences.
    fn ways(i: usize, j: usize, n: usize, m: usize) -> Vec<Vec<Step>> {
        if i == n && j == m {
            return vec![Vec::new()];
        }
        let mut all = Vec::new();
        let mut take = |step: Step, i: usize, j: usize| {
            all.extend(ways(i, j, n, m).into_iter().map(|mut rest| {
                rest.insert(0, step);
                rest
            }));
        };
        if i < n && j < m {
            take(Step::Both(i, j), i + 1, j + 1);
        }
        if i < n {
            take(Step::Before(i), i + 1, j);
        }
        if j < m {
            take(Step::After(j), i, j + 1);
        }
        all
    }

    /// What a way is worth, in quarters.
    fn worth(steps: &[Step], score: &dyn Fn(usize, usize) -> f64) -> f64 {
        let side = |step: &Step| match step {
            Step::Both(..) => 0,
            Step::Before(_) => 1,
            Step::After(_) => 2,
        };
        let mut before = 0;
        let mut sum = 0.0;
        for step in steps {
            sum += match *step {
                Step::Both(i, j) => score(i, j),
                _ if side(step) == before => -GAP.each,
                _ => -GAP.each - GAP.begin,
            };
            before = side(step);
        }
        sum
    }

    #[test]
    fn no_other_way_is_better() {
        let mut state = 7u64;
        let mut random = move |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for _ in 0..200 {
            let (n, m) = (random(5) as usize, random(5) as usize);
            let table: Vec<f64> = (0..25).map(|_| random(9) as f64 / 4.0 - 1.0).collect();
            let score = |i: usize, j: usize| table[i * 5 + j];
            let found = sequence(n, m, score, &GAP);
            let best = ways(0, 0, n, m)
                .iter()
                .map(|way| worth(way, &score))
                .fold(f64::NEG_INFINITY, f64::max);
            assert_eq!(worth(&found, &score), best, "{n} and {m} with {table:?}");
        }
    }
}
