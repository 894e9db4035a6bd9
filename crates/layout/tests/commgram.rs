//! Orders of columns with few crossings, and bands.

use onca_layout::commgram::{Ribbon, Span, band, crossings, order, ranks, stack};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

type Column = Vec<Vec<u32>>;

/// What groups of neighbouring columns share.
fn ribbons(columns: &[Column]) -> Vec<Vec<Ribbon>> {
    let between = |pair: &[Column]| {
        let mut found = Vec::new();
        for (left, one) in pair[0].iter().enumerate() {
            for (right, other) in pair[1].iter().enumerate() {
                let shared = one.iter().filter(|member| other.contains(member)).count();
                found.extend((shared > 0).then_some(Ribbon { left, right, shared }));
            }
        }
        found
    };
    columns.windows(2).map(between).collect()
}

fn n_groups(columns: &[Column]) -> Vec<usize> {
    columns.iter().map(Vec::len).collect()
}

fn random_columns(dice: &mut ChaCha8Rng) -> Vec<Column> {
    let (n_members, n_columns) = (dice.random_range(1..40), dice.random_range(0..6));
    (0..n_columns)
        .map(|_| {
            let n_groups = dice.random_range(1..10);
            let mut groups: Column = vec![Vec::new(); n_groups];
            for member in 0..n_members {
                if dice.random_range(0..8) > 0 {
                    groups[dice.random_range(0..n_groups)].push(member);
                }
            }
            groups.retain(|group| !group.is_empty());
            groups
        })
        .collect()
}

/// Every pair of lines is looked at.
fn slow_crossings(lines: &[(usize, usize)]) -> u64 {
    let mut n = 0;
    for (at, one) in lines.iter().enumerate() {
        for other in &lines[at + 1..] {
            let (left, right) = (one.0.cmp(&other.0), one.1.cmp(&other.1));
            n += u64::from(left.is_ne() && right.is_ne() && left != right);
        }
    }
    n
}

#[test]
fn crossings_are_counted() {
    for seed in 0..300 {
        let mut dice = ChaCha8Rng::seed_from_u64(seed);
        let n = dice.random_range(0..40);
        let lines: Vec<(usize, usize)> =
            (0..n).map(|_| (dice.random_range(0..9), dice.random_range(0..9))).collect();
        assert_eq!(crossings(lines.clone()), slow_crossings(&lines));
    }
}

#[test]
fn ordering_never_makes_it_worse() {
    for seed in 0..300 {
        let columns = random_columns(&mut ChaCha8Rng::seed_from_u64(seed));
        let ribbons = ribbons(&columns);
        let found = order(&n_groups(&columns), &ribbons);
        let mut n = 0;
        for at in 1..columns.len() {
            let (left, right) = (ranks(&found.columns[at - 1]), ranks(&found.columns[at]));
            let lines: Vec<(usize, usize)> = ribbons[at - 1]
                .iter()
                .map(|ribbon| (left[ribbon.left], right[ribbon.right]))
                .collect();
            n += slow_crossings(&lines);
        }
        assert_eq!(found.crossings, n);
        assert!(found.crossings <= found.crossings_as_given);
        for (order, column) in found.columns.iter().zip(&columns) {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..column.len()));
        }
    }
}

#[test]
fn what_can_be_untangled_is() {
    let columns = [
        vec![vec![0, 1], vec![2, 3], vec![4, 5]],
        vec![vec![4, 5], vec![0, 1], vec![2, 3]],
        vec![vec![2, 3], vec![4, 5], vec![0, 1]],
    ];
    let found = order(&n_groups(&columns), &ribbons(&columns));
    assert!(found.crossings_as_given > 0);
    assert_eq!(found.crossings, 0);
}

#[test]
fn bands_are_as_high_at_both_ends_as_told_and_stay_between() {
    let (from, to) = (Span { top: 10.0, bottom: 20.0 }, Span { top: 50.0, bottom: 54.0 });
    for bend in [0.0, 0.5, 1.0] {
        let outline = band(100.0, from, 200.0, to, bend, 16);
        assert_eq!(outline.len(), 34);
        assert_eq!((outline[0], outline[33]), ((100.0, 10.0), (100.0, 20.0)));
        assert_eq!((outline[16], outline[17]), ((200.0, 50.0), (200.0, 54.0)));
        assert!(
            outline.iter().all(|(x, y)| (100.0..=200.0).contains(x) && (10.0..=54.0).contains(y))
        );
        assert!(
            outline[..17].windows(2).all(|pair| pair[0].0 <= pair[1].0 && pair[0].1 <= pair[1].1)
        );
    }
}

#[test]
fn stacks_have_gaps_between() {
    let spans = stack([2.0, 3.0], 10.0, 1.0);
    assert_eq!(spans, [Span { top: 10.0, bottom: 12.0 }, Span { top: 13.0, bottom: 16.0 }]);
    assert_eq!(spans[1].part(0.0, 0.5), Span { top: 13.0, bottom: 14.5 });
}
