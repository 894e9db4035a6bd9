//! Phases and communities of random messages against slow and obvious computations, and what must hold for all of them.

use std::collections::{BTreeMap, BTreeSet};

use onca_aggregate::phases::{
    Community, CommunityTree, Curve, InstantSum, Linkage, Suggestion, TimeTree, Traffic,
    TrafficSum, difference, labels, outliers, overlaps, period, suggestions, unlikeness, usual_gap,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn dice(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// Few different times, so that there are ties, or many.
fn random_times(dice: &mut ChaCha8Rng) -> Vec<i64> {
    let n = dice.random_range(1..40);
    let span = [3, 20, 100_000][dice.random_range(0..3)];
    let mut times: Vec<i64> = (0..n).map(|_| dice.random_range(0..=span)).collect();
    times.sort_unstable();
    times
}

/// Joins the closest two neighbours of all, the earliest of the closest, until one is left: the gaps as they close.
fn closing_gaps(times: &[i64], weights: &[u64], linkage: Linkage) -> Vec<(usize, f64)> {
    let weight = |at: usize| weights.get(at).map_or(1.0, |&weight| weight as f64);
    let mut clusters: Vec<(usize, f64, f64)> =
        times.iter().enumerate().map(|(at, &time)| (at, time as f64, weight(at))).collect();
    let mut closed = Vec::new();
    while clusters.len() > 1 {
        let mut closest = (f64::INFINITY, 0);
        for right in 1..clusters.len() {
            let distance = clusters[right].1 - clusters[right - 1].1;
            // A hair's breadth is rounding, in which the two computations may differ.
            if distance < closest.0 - 1e-9 {
                closest = (distance, right);
            }
        }
        let (leaf, at, weight) = clusters.remove(closest.1);
        let left = &mut clusters[closest.1 - 1];
        left.1 = match linkage {
            Linkage::Midpoint => (left.1 + at) / 2.0,
            Linkage::Weighted => (left.1 * left.2 + at * weight) / (left.2 + weight),
        };
        left.2 += weight;
        closed.push((leaf, closest.0));
    }
    closed
}

#[test]
fn a_walk_joins_as_the_closest_pair_would() {
    for seed in 0..600 {
        let mut dice = dice(seed);
        let times = random_times(&mut dice);
        let weights: Vec<u64> = times.iter().map(|_| dice.random_range(1..5)).collect();
        for (linkage, weights) in [(Linkage::Midpoint, &[][..]), (Linkage::Midpoint, &weights)] {
            let tree = TimeTree::new(&times, weights, linkage);
            let closed = closing_gaps(&times, weights, linkage);
            for n in 1..=times.len() {
                let mut firsts: Vec<usize> =
                    closed[times.len() - n..].iter().map(|(leaf, _)| *leaf).collect();
                firsts.push(0);
                firsts.sort_unstable();
                assert_eq!(tree.cut(n), firsts, "seed {seed}, {n} phases");
            }
        }
        // Thirds are rounded, so that ties may be broken in either way: here there are none.
        let mut times: Vec<i64> = times.iter().map(|_| dice.random_range(0..1 << 40)).collect();
        times.sort_unstable();
        let tree = TimeTree::new(&times, &weights, Linkage::Weighted);
        let mut closed = closing_gaps(&times, &weights, Linkage::Weighted);
        closed.reverse();
        let distances = tree.last_distances(times.len());
        assert_eq!(distances.len(), closed.len());
        for (own, (_, expected)) in distances.iter().zip(&closed) {
            assert!((own - expected).abs() < 1.0, "seed {seed}: {own} {expected}");
        }
    }
}

#[test]
fn messages_at_one_time_are_as_good_as_one_leaf_with_their_weight() {
    for seed in 0..200 {
        let times = random_times(&mut dice(seed));
        let mut instants: Vec<i64> = times.clone();
        instants.dedup();
        let count = |instant: &i64| times.iter().filter(|time| *time == instant).count() as u64;
        let weights: Vec<u64> = instants.iter().map(count).collect();
        for linkage in [Linkage::Midpoint, Linkage::Weighted] {
            let each = TimeTree::new(&times, &[], linkage);
            let together = TimeTree::new(&instants, &weights, linkage);
            let expected = each.last_distances(instants.len() - 1);
            for (own, expected) in together.last_distances(instants.len()).iter().zip(&expected) {
                assert!((own - expected).abs() < 1e-6, "seed {seed}: {own} {expected}");
            }
        }
    }
}

#[test]
fn rounded_times_are_the_finest_that_fit_in_any_order() {
    for seed in 0..200 {
        let mut dice = dice(seed);
        let times: Vec<i64> =
            (0..dice.random_range(1..80)).map(|_| dice.random_range(-500..500)).collect();
        let limit = dice.random_range(2..60);
        let mut sum = InstantSum::new(limit);
        times.iter().for_each(|&time| sum.add(time));
        let found = sum.finish();
        let mut backwards = InstantSum::new(limit);
        times.iter().rev().for_each(|&time| backwards.add(time));
        assert_eq!(found, backwards.finish());
        let cells = |width: i64| -> BTreeMap<i64, u64> {
            times.iter().fold(BTreeMap::new(), |mut cells, time| {
                *cells.entry(time.div_euclid(width) * width + width / 2).or_default() += 1;
                cells
            })
        };
        let width = (0..).map(|power| 1 << power).find(|&width| cells(width).len() <= limit);
        let expected = cells(width.expect("wide enough"));
        assert!(
            found.times.iter().eq(expected.keys()) && found.weights.iter().eq(expected.values())
        );
        assert_eq!(found.n_messages(), times.len() as u64);
        for &time in &times {
            let rounded = found.rounded(time);
            assert!(found.times.contains(&rounded) && (time - rounded).abs() <= found.rounding());
            for (at, &other) in found.times.iter().enumerate() {
                let cell = found.cell(at).expect("a cell");
                assert_eq!(cell.contains(&time), other == rounded);
            }
        }
    }
}

#[test]
fn one_more_phase_splits_one_phase() {
    for seed in 0..100 {
        let times = random_times(&mut dice(seed));
        let tree = TimeTree::new(&times, &[], Linkage::Midpoint);
        for n in 1..times.len() {
            let (few, more) = (tree.cut(n), tree.cut(n + 1));
            assert_eq!((few.len(), more.len()), (n, n + 1));
            assert!(few.iter().all(|first| more.contains(first)));
        }
        let end = times.len();
        assert_eq!(tree.cut(end + 5).len(), end);
        assert_eq!(tree.cut_within(end / 2..end, 1), [end / 2]);
        let halves = tree.cut(2);
        if let [0, middle] = halves[..] {
            let quarters = tree.cut_within(middle..end, 2);
            assert!(quarters[0] == middle && quarters.len() == 2.min(end - middle));
        }
    }
}

#[test]
fn bursts_are_the_suggestion() {
    for (n_bursts, seed) in [(2, 1), (3, 2), (7, 3), (40, 4)] {
        let mut dice = dice(seed);
        let mut times: Vec<i64> = (0..n_bursts * 20)
            .map(|at| at % n_bursts * 10_000 + dice.random_range(0..500))
            .collect();
        times.sort_unstable();
        let found = suggested(&times);
        assert_eq!(found[0].phases, n_bursts as usize);
        assert!(found[0].contrast > 5.0);
    }
    let one = TimeTree::new(&[4], &[9], Linkage::Midpoint);
    assert_eq!(suggestions(&one, 0.0, 9, 1000)[0].phases, 1);
    let none = TimeTree::new(&[], &[], Linkage::Midpoint);
    assert_eq!(suggestions(&none, 0.0, 0, 1000)[0].phases, 1);
}

/// Numbers of phases for messages at some times.
fn suggested(times: &[i64]) -> Vec<Suggestion> {
    let tree = TimeTree::new(times, &[], Linkage::Midpoint);
    let n_messages = times.len() as u64;
    suggestions(&tree, usual_gap(times, n_messages), n_messages, usize::MAX)
}

/// `n` rounds of eight messages.
fn rounds(dice: &mut ChaCha8Rng, n: i64) -> Vec<i64> {
    (0..8 * n).map(|at| at % n * 1000 + dice.random_range(0..100)).collect()
}

#[test]
fn a_burst_does_not_hide_the_other_phases() {
    // Long after the rounds, between two of them, and before them all.
    for burst in [4_000_000, 100_500, -300_000] {
        let mut dice = dice(1);
        let mut times = rounds(&mut dice, 223);
        times.extend((0..1000).map(|_| burst + dice.random_range(0..10)));
        times.sort_unstable();
        let n = suggested(&times)[0].phases;
        // Between two rounds it is a phase of its own, or goes with one of them.
        assert!(n == 224 || burst == 100_500 && n == 223, "{burst}: {n}");
    }
}

#[test]
fn rounds_of_two_bursts_are_rounds() {
    // Three rounds 100 apart, each of two bursts 10 apart: six bursts are less clear than three rounds.
    let mut times: Vec<i64> = (0..48).map(|at| at % 3 * 100 + at / 3 % 2 * 10).collect();
    times.sort_unstable();
    assert_eq!(suggested(&times)[0].phases, 3);
}

#[test]
fn thousands_of_phases_are_found() {
    let mut times = rounds(&mut dice(2), 10_000);
    times.sort_unstable();
    assert_eq!(suggested(&times)[0].phases, 10_000);
}

#[test]
fn the_usual_gap_is_that_between_pauses() {
    assert_eq!(usual_gap(&[], 0), 0.0);
    assert_eq!(usual_gap(&[7], 1), 0.0);
    assert_eq!(usual_gap(&[0, 10], 2), 10.0);
    // Five messages at four times: 2 + 2 in four gaps, of which the widest does not count.
    assert_eq!(usual_gap(&[0, 2, 4, 1000], 5), 1.0);
}

fn random_traffic(dice: &mut ChaCha8Rng, n: u32) -> Vec<Traffic> {
    let n_edges = dice.random_range(0..4 * n);
    let most = [1, 3, 1000][dice.random_range(0..3)];
    (0..n_edges)
        .map(|_| Traffic {
            from: dice.random_range(0..n),
            to: dice.random_range(0..n),
            weight: dice.random_range(0..=most),
            count: 1,
        })
        .collect()
}

/// Every pair is scored anew before each merge.
fn slow_merges(n: u32, traffic: &[Traffic]) -> Vec<(BTreeSet<u32>, BTreeSet<u32>, i128)> {
    let two_m: i128 = traffic.iter().map(|t| 2 * i128::from(t.weight)).sum();
    let mut groups: Vec<BTreeSet<u32>> = (0..n).map(|at| BTreeSet::from([at])).collect();
    let mut merges = Vec::new();
    while groups.len() > 1 {
        groups.sort();
        let ends = |group: &BTreeSet<u32>| -> i128 {
            let at = |id: &u32| i128::from(group.contains(id));
            traffic.iter().map(|t| i128::from(t.weight) * (at(&t.from) + at(&t.to))).sum()
        };
        let between = |one: &BTreeSet<u32>, other: &BTreeSet<u32>| -> i128 {
            let ties = |t: &&Traffic| {
                one.contains(&t.from) && other.contains(&t.to)
                    || one.contains(&t.to) && other.contains(&t.from)
            };
            traffic.iter().filter(ties).map(|t| i128::from(t.weight)).sum()
        };
        let mut best: Option<(i128, usize, usize)> = None;
        for left in 0..groups.len() {
            for right in left + 1..groups.len() {
                let weight = between(&groups[left], &groups[right]);
                let score = two_m * weight - ends(&groups[left]) * ends(&groups[right]);
                if weight > 0 && best.is_none_or(|(most, ..)| score > most) {
                    best = Some((score, left, right));
                }
            }
        }
        let (score, left, right) = best.unwrap_or_else(|| {
            let mut order: Vec<usize> = (0..groups.len()).collect();
            order.sort_by_key(|&at| (ends(&groups[at]), at));
            let (one, other) = (order[0].min(order[1]), order[0].max(order[1]));
            (-ends(&groups[one]) * ends(&groups[other]), one, other)
        });
        let right = groups.remove(right);
        merges.push((groups[left].clone(), right.clone(), score));
        groups[left].extend(right);
    }
    merges
}

#[test]
fn communities_join_as_if_all_pairs_were_scored() {
    for seed in 0..300 {
        let mut dice = dice(seed);
        let n = dice.random_range(1..14);
        let traffic = random_traffic(&mut dice, n);
        let tree = CommunityTree::new(n as usize, &traffic);
        let mut members: Vec<BTreeSet<u32>> = (0..n).map(|at| BTreeSet::from([at])).collect();
        let mut merges = Vec::new();
        for merge in tree.merges() {
            let (left, right) = (merge.left as usize, merge.right as usize);
            merges.push((members[left].clone(), members[right].clone(), merge.score));
            members.push(members[left].union(&members[right]).copied().collect());
        }
        assert_eq!(merges, slow_merges(n, &traffic), "seed {seed}");
        for count in 1..n as usize {
            let (few, more) = (tree.communities(count), tree.communities(count + 1));
            assert_eq!((few.len(), more.len()), (count, count + 1));
            let within =
                |one: &Community| few.iter().any(|other| one.iter().all(|id| other.contains(id)));
            assert!(more.iter().all(within), "communities are nested");
        }
    }
}

#[test]
fn enormous_traffic_does_not_overflow() {
    let traffic = |from, to| Traffic { from, to, weight: u64::MAX, count: 1 };
    let pairs: Vec<Traffic> = (0..50).map(|at| traffic(2 * at, 2 * at + 1)).collect();
    let tree = CommunityTree::new(100, &pairs);
    assert_eq!(tree.best_count(), 50);
    assert_eq!(tree.communities(50)[7], [14, 15]);
}

fn random_grouping(dice: &mut ChaCha8Rng, n: u32) -> Vec<Community> {
    let n_groups = dice.random_range(1..6);
    let mut groups: BTreeMap<u32, Community> = BTreeMap::new();
    for member in 0..n {
        // Some are idle.
        if dice.random_range(0..5) > 0 {
            groups.entry(dice.random_range(0..n_groups)).or_default().push(member);
        }
    }
    let mut groups: Vec<Community> = groups.into_values().collect();
    groups.sort();
    groups
}

/// The least total over all ways to match, one community after the other.
fn least_by_trial(before: &[Community], after: &[Option<Community>], taken: &mut Vec<bool>) -> f64 {
    let Some((first, rest)) = before.split_first() else { return 0.0 };
    let mut least = f64::INFINITY;
    for (at, other) in after.iter().enumerate() {
        if taken[at] {
            continue;
        }
        let cost = other.as_ref().map_or(1.0, |other| {
            let shared = first.iter().filter(|member| other.contains(member)).count();
            1.0 - shared as f64 / (first.len() + other.len() - shared) as f64
        });
        taken[at] = true;
        least = least.min(cost + least_by_trial(rest, after, taken));
        taken[at] = false;
    }
    least
}

#[test]
fn the_difference_is_least_and_does_not_depend_on_direction() {
    for seed in 0..300 {
        let mut dice = dice(seed);
        let n = dice.random_range(1..20);
        let (one, other) = (random_grouping(&mut dice, n), random_grouping(&mut dice, n));
        let (few, many) = if one.len() <= other.len() { (&one, &other) } else { (&other, &one) };
        // Those of the longer list for which the shorter has none are matched with nothing.
        let mut padded: Vec<Option<Community>> = few.iter().cloned().map(Some).collect();
        padded.resize(many.len(), None);
        let expected = least_by_trial(many, &padded, &mut vec![false; padded.len()]);
        let found = difference(&one, &other);
        assert!((found.total - expected).abs() < 1e-9, "seed {seed}: {found:?} {expected}");
        assert!((difference(&other, &one).total - expected).abs() < 1e-9);
        assert_eq!(difference(&one, &one).total, 0.0);
        assert!((0.0..=1.0).contains(&found.share()));
        let firsts: BTreeSet<usize> = found.matched.iter().map(|pair| pair.0).collect();
        let seconds: BTreeSet<usize> = found.matched.iter().map(|pair| pair.1).collect();
        assert_eq!((firsts.len(), seconds.len()), (found.matched.len(), found.matched.len()));
    }
    assert_eq!(difference(&[], &[]).share(), 0.0);
    assert_eq!(difference(&[vec![1]], &[]).share(), 1.0);
}

#[test]
fn overlaps_are_shared_members() {
    let (before, after) = (vec![vec![1, 2, 3], vec![7, 9]], vec![vec![2, 9], vec![1, 3]]);
    let found = overlaps(&before, &after).into_iter();
    let found: Vec<(usize, usize, usize)> =
        found.map(|one| (one.before, one.after, one.shared)).collect();
    assert_eq!(found, [(0, 0, 1), (0, 1, 2), (1, 0, 1)]);
}

#[test]
fn steps_of_the_curve_are_the_differences() {
    for seed in 0..100 {
        let mut dice = dice(seed);
        let known: Vec<Vec<Community>> = (0..4).map(|_| random_grouping(&mut dice, 12)).collect();
        let phases: Vec<Vec<Community>> =
            (0..30).map(|_| known[dice.random_range(0..known.len())].clone()).collect();
        let curve = Curve::new(&phases);
        for (at, pair) in curve.heights.windows(2).enumerate() {
            let total = difference(&phases[at], &phases[at + 1]).total;
            assert!(((pair[0] - pair[1]).abs() - total).abs() < 1e-9);
        }
    }
}

#[test]
fn traffic_adds_up_in_any_order() {
    let mut dice = dice(5);
    let (mut sum, mut other, mut plain) =
        (TrafficSum::default(), TrafficSum::default(), BTreeMap::new());
    for at in 0..20_000 {
        let (from, to) = (dice.random_range(0..60), dice.random_range(0..60));
        let weight = dice.random_range(0..100);
        let into = if at % 3 == 0 { &mut other } else { &mut sum };
        into.add(Traffic { from, to, weight, count: 1 });
        let entry: &mut (u64, u64) = plain.entry((from, to)).or_default();
        (entry.0, entry.1) = (entry.0 + weight, entry.1 + 1);
    }
    sum.append(other);
    let own: Vec<((u32, u32), (u64, u64))> =
        sum.into_sorted().iter().map(|t| ((t.from, t.to), (t.weight, t.count))).collect();
    assert_eq!(own, plain.into_iter().collect::<Vec<_>>());
}

fn ring(n: u32, step: u32, weight: u64) -> Vec<Traffic> {
    (0..n).map(|from| Traffic { from, to: (from + step) % n, weight, count: 1 }).collect()
}

#[test]
fn alike_is_a_matter_of_shares() {
    let (ring_by_one, louder, ring_by_two) = (ring(8, 1, 10), ring(8, 1, 700), ring(8, 2, 10));
    assert!(unlikeness(&ring_by_one, &louder) < 1e-12);
    assert!((unlikeness(&ring_by_one, &ring_by_two) - 1.0).abs() < 1e-12);
    // Half of the pairs are the same: a third of what there is in either.
    let half: Vec<Traffic> = ring_by_one.iter().take(4).chain(&ring_by_two[4..]).copied().collect();
    assert!((unlikeness(&ring_by_one, &half) - 2.0 / 3.0).abs() < 1e-12);
    assert_eq!(unlikeness(&[], &[]), 0.0);
    assert_eq!(unlikeness(&[], &ring_by_one), 1.0);
    assert_eq!(labels(&[ring_by_one.clone(), ring_by_two, louder, ring_by_one]), [0, 1, 0, 0]);
}

#[test]
fn periods_are_found_with_what_is_before_and_after() {
    let found = |labels: &[usize]| {
        period(labels).map(|period| (period.phases, period.first, period.iterations))
    };
    assert_eq!(found(&[0, 1, 0, 1, 0, 1]), Some((2, 0, 3)));
    assert_eq!(found(&[0, 0, 0]), Some((1, 0, 3)));
    assert_eq!(found(&[9, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]), Some((3, 1, 5)));
    // A long iteration with one odd phase is not twelve short ones.
    let long: Vec<usize> = (0..36).map(|at| usize::from(at % 12 == 11)).collect();
    assert_eq!(found(&long), Some((12, 0, 3)));
    // One phase that fell out of the pattern does not hide it.
    let mut disturbed: Vec<usize> = (0..40).map(|at| at % 2).collect();
    disturbed[17] = 5;
    assert_eq!(found(&disturbed), Some((2, 0, 20)));
    for aperiodic in [&[][..], &[0], &[0, 1], &[0, 1, 2, 3, 4, 5]] {
        assert_eq!(found(aperiodic), None);
    }
}

#[test]
fn odd_numbers_stand_out() {
    assert_eq!(outliers(&[10.0, 10.1, 9.9, 10.0, 17.0, 10.05, 9.95]), [4]);
    assert_eq!(outliers(&[10.0; 5]), [0; 0]);
    // A hundredth more is not odd, however equal the others are.
    assert_eq!(outliers(&[10.0, 10.0, 10.0, 10.1]), [0; 0]);
    assert_eq!(outliers(&[]), [0; 0]);
}
