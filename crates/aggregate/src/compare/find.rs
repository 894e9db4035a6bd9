//! Puts together what is found.

use std::ops::Range;

use super::rest::{alone, changed_rests, rests};
use super::runs::Runs;
use super::work::changed_work;
use crate::robust::{median, spread};

/// What changes the run time by less than this share is not told.
const LEAST_SHARE: f64 = 0.002;
/// Fewer segments do not tell what is chance.
const LEAST_SEGMENTS: usize = 8;

/// How a run differs from another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ChangeKind {
    /// Some work longer.
    Longer,
    /// Some work less long.
    Shorter,
    /// Something takes longer although nobody works longer.
    Slower,
    /// Something takes less long although nobody works less long.
    Quicker,
    /// Something was not there before.
    New,
    /// Something is not there any more.
    Gone,
}

/// A reason why one run is longer, or shorter, than another.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    /// How they differ.
    pub kind: ChangeKind,
    /// Where, in order.
    pub places: Vec<u32>,
    /// The values of the work, in order; none where it is about all that is done there.
    pub values: Vec<u32>,
    /// In which pairs of segments.
    pub slots: Range<usize>,
    /// How many times as long.
    pub ratio: f64,
    /// How much longer the places work, all together, in ticks; negative where they work less.
    pub excess: f64,
    /// How much longer the run is because of it, in ticks; negative where it is shorter.
    pub ticks: f64,
    /// How sure it is, from 0 to 1.
    pub sure: f64,
}

/// What the change of the run time is made of, in ticks. The parts add up to it.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Account {
    /// The busiest place of each segment works longer.
    pub work: f64,
    /// The rest of each segment is longer.
    pub rest: f64,
    /// What only the second run has.
    pub new: f64,
    /// What only the first run has, as a negative number.
    pub gone: f64,
}

/// Why one run is longer, or shorter, than another.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Changes {
    /// What changes most first.
    pub changes: Vec<Change>,
    /// What the change is made of.
    pub account: Account,
    /// How much of the change may be chance, in ticks; `None` where too few segments tell.
    pub noise: Option<f64>,
}

/// Finds why one run is longer, or shorter, than another.
pub fn find(mut runs: Runs<'_>) -> Changes {
    let rests = rests(&runs);
    let mut account = Account { rest: rests.iter().flatten().sum(), ..Account::default() };
    let mut changes = changed_rests(&runs, &rests);
    for (slot, pair) in runs.pairs.iter().enumerate() {
        match (pair.is_both(), pair.change() as f64) {
            (true, _) => {
                let (before, after) = runs.busiest(slot);
                account.work += after - before;
            }
            (false, change) if change > 0.0 => account.new += change,
            (false, change) => account.gone += change,
        }
    }
    changes.extend(alone(&runs));
    let noise = noise(&runs);
    let least = LEAST_SHARE * runs.length_before();
    changes.extend(changed_work(&mut runs));
    changes.retain(|change| change.ticks.abs() >= least);
    changes.sort_by(|a, b| b.ticks.abs().total_cmp(&a.ticks.abs()));
    Changes { changes, account, noise }
}

/// How much of the change of the run time may be chance: three times the deviation of a sum of as many segments, each of which
/// changes as much as they usually do.
fn noise(runs: &Runs<'_>) -> Option<f64> {
    let mut changes: Vec<f64> = (0..runs.n_slots())
        .filter(|slot| runs.is_comparable(*slot))
        .map(|slot| runs.pairs[slot].change() as f64)
        .collect();
    if changes.len() < LEAST_SEGMENTS {
        return None;
    }
    let n = changes.len() as f64;
    let middle = median(&mut changes);
    Some(3.0 * n.sqrt() * spread(changes.iter().map(|change| change - middle)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tree;
    use crate::align::Pair;
    use crate::compare::{Site, WorkPiece, Worked};
    use onca_model::Window;

    /// Random numbers from -1 to 1.
    struct Dice(u64);

    impl Dice {
        fn roll(&mut self) -> f64 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as f64 / f64::from(1u32 << 30) - 1.0
        }
    }

    const N_PLACES: usize = 16;
    const N_SLOTS: usize = 60;

    /// Sixteen places on four machines in steps of about 1000 ticks that end when the last has worked.
    fn with_runs<T>(
        seed: u64,
        after: impl Fn(usize, usize, f64) -> f64,
        ask: impl FnOnce(Runs<'_>) -> T,
    ) -> T {
        with_values(seed, |_| 1, after, ask)
    }

    /// The same where the work of each step has a value.
    fn with_values<T>(
        seed: u64,
        value: impl Fn(usize) -> u32,
        after: impl Fn(usize, usize, f64) -> f64,
        ask: impl FnOnce(Runs<'_>) -> T,
    ) -> T {
        let mut parents = vec![0u32; 5];
        parents.extend((0..N_PLACES as u32).map(|place| 1 + place / 4));
        let tree = Tree::new(parents).unwrap();
        let nodes: Vec<u32> = (5..5 + N_PLACES as u32).collect();
        let mut dice = Dice(seed);
        let mut numbers = [vec![0.0; N_PLACES * N_SLOTS], vec![0.0; N_PLACES * N_SLOTS]];
        for place in 0..N_PLACES {
            for slot in 0..N_SLOTS {
                let at = place * N_SLOTS + slot;
                numbers[0][at] = (1000.0 + 50.0 * dice.roll()).round();
                numbers[1][at] = after(place, slot, 1000.0 + 50.0 * dice.roll()).round();
            }
        }
        let longest = |of: &[f64], slot: usize| {
            (0..N_PLACES).map(|place| of[place * N_SLOTS + slot]).fold(0.0, f64::max) as i64 + 20
        };
        let mut pairs: Vec<Pair> = Vec::new();
        for slot in 0..N_SLOTS {
            let last = pairs.last().map_or((0, 0), |pair| (pair.before.to, pair.after.to));
            pairs.push(Pair {
                before: Window { from: last.0, to: last.0 + longest(&numbers[0], slot) },
                after: Window { from: last.1, to: last.1 + longest(&numbers[1], slot) },
            });
        }
        let places =
            (0..).zip(nodes).map(|(own, node)| Site { node, before: vec![own], after: vec![own] });
        let [before, after] = numbers.map(|numbers| {
            let mut worked = Worked::new(N_SLOTS);
            for own in numbers.chunks(N_SLOTS) {
                let piece = |(slot, ticks): (usize, &f64)| {
                    (slot, WorkPiece { value: value(slot), ticks: *ticks })
                };
                worked.push(own.iter().enumerate().map(piece));
            }
            worked
        });
        ask(Runs { tree: &tree, places: places.collect(), pairs: &pairs, cut: None, before, after })
    }

    #[test]
    fn equal_runs_with_other_noise_have_no_change() {
        for seed in 0..50 {
            let found = with_runs(seed, |_, _, work| work, find);
            assert_eq!(found.changes, [], "seed {seed}");
        }
    }

    #[test]
    fn who_works_longer_for_some_time_is_found_with_what_it_costs() {
        let planted = |place: usize, slot: usize| place / 4 == 2 && (20..40).contains(&slot);
        let slow = |place, slot, work: f64| if planted(place, slot) { 1.2 * work } else { work };
        let found = with_runs(3, slow, find);
        let [change] = &found.changes[..] else { panic!("{:?}", found.changes) };
        assert_eq!(change.kind, ChangeKind::Longer);
        assert_eq!(change.places, [8, 9, 10, 11]);
        assert_eq!(change.slots, 20..40);
        assert!((change.ratio - 1.2).abs() < 0.02, "{}", change.ratio);
        // Four of sixteen are 1.2 times as long: each of the 20 steps grows by about 180 of its 1045 ticks.
        assert!((change.ticks - 20.0 * 180.0).abs() < 360.0, "{}", change.ticks);
    }

    #[test]
    fn other_work_in_the_middle_neither_ends_nor_dilutes_a_change() {
        let is_other = |slot: usize| (28..40).contains(&slot);
        let slow = |place: usize, slot: usize, work: f64| {
            let is_slow = place / 4 == 2 && (20..50).contains(&slot) && !is_other(slot);
            if is_slow { 1.1 * work } else { work }
        };
        for seed in 0..20 {
            let found = with_values(seed, |slot| if is_other(slot) { 2 } else { 1 }, slow, find);
            let [change] = &found.changes[..] else { panic!("{:?}", found.changes) };
            assert_eq!((&change.places[..], &change.values[..]), (&[8, 9, 10, 11][..], &[1][..]));
            assert!(change.slots.start.abs_diff(20) <= 1, "seed {seed}: {:?}", change.slots);
            assert!(change.slots.end.abs_diff(50) <= 1, "seed {seed}: {:?}", change.slots);
            assert!((change.ratio - 1.1).abs() < 0.02, "seed {seed}: {}", change.ratio);
        }
    }

    #[test]
    fn all_who_changed_for_a_short_time_are_told_together() {
        for seed in 0..20 {
            let slow = |_, slot: usize, work: f64| {
                if (30..36).contains(&slot) { 1.3 * work } else { work }
            };
            let found = with_runs(seed, slow, find);
            let [change] = &found.changes[..] else { panic!("{:?}", found.changes) };
            assert_eq!((change.places.len(), change.slots.clone()), (N_PLACES, 30..36));
        }
    }

    #[test]
    fn who_has_nothing_in_common_is_told_apart_from_the_others() {
        let slow = |place: usize, slot: usize, work: f64| {
            if place % 3 == 1 && slot >= 30 { 1.3 * work } else { work }
        };
        let found = with_runs(4, slow, find);
        let [change] = &found.changes[..] else { panic!("{:?}", found.changes) };
        assert_eq!(change.places, [1, 4, 7, 10, 13]);
        assert_eq!(change.slots, 30..60);
    }

    #[test]
    fn who_works_less_is_found_where_all_do() {
        let found = with_runs(5, |_, _, work| 0.8 * work, find);
        let [change] = &found.changes[..] else { panic!("{:?}", found.changes) };
        assert_eq!((change.kind, change.places.len()), (ChangeKind::Shorter, N_PLACES));
        assert_eq!(change.slots, 0..N_SLOTS);
        assert!(change.ticks < 0.0);
    }

    #[test]
    fn the_account_adds_up_to_the_tick() {
        with_runs(
            6,
            |place, _, work| if place == 3 { 1.4 * work } else { work },
            |runs| {
                let change: i64 = runs.pairs.iter().map(Pair::change).sum();
                let Account { work, rest, new, gone } = find(runs).account;
                assert_eq!(work + rest + new + gone, change as f64);
            },
        );
    }
}
