//! Offsets that satisfy lower bounds of their differences.

/// The offset of `to` less that of `from` is at least so much.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bound {
    pub from: u32,
    pub to: u32,
    pub least: i128,
}

/// Offsets of processes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Offsets {
    pub offsets: Vec<i128>,
    /// By how much each can be wrong either way, compared with the first process of its group;
    /// `None` for one that is alone.
    pub radii: Vec<Option<i128>>,
    /// The groups: processes whose offsets are bounded from both sides by each other.
    pub groups: Vec<Vec<u32>>,
    /// By how much some bound is missed; 0 if all are met.
    pub missed: i128,
}

impl Offsets {
    /// Finds offsets. Within a group each is in the middle of what the bounds allow, which meets
    /// all bounds: the least and the greatest offsets do, and so does their mean. A group as a
    /// whole is moved forward where messages from other groups would arrive too early.
    pub fn find(n: usize, bounds: &[Bound]) -> Self {
        let groups = strong_groups(n, bounds);
        let mut group_of = vec![0; n];
        for (number, group) in groups.iter().enumerate() {
            for &member in group {
                group_of[member as usize] = number;
            }
        }
        let mut inside = vec![Vec::new(); groups.len()];
        let mut across = vec![Vec::new(); groups.len()];
        for bound in bounds {
            let (from, to) = (group_of[bound.from as usize], group_of[bound.to as usize]);
            if from == to { inside[to].push(*bound) } else { across[to].push(*bound) }
        }
        let mut found = Self { offsets: vec![0; n], radii: vec![None; n], groups, missed: 0 };
        for number in 0..found.groups.len() {
            found.settle(number, &inside[number], &across[number]);
        }
        found
    }

    /// Finds the offsets of a group; the groups that it depends on are settled.
    fn settle(&mut self, number: usize, inside: &[Bound], across: &[Bound]) {
        let group = self.groups[number].clone();
        if group.len() > 1 {
            let (missed, least, greatest) = extremes(&group, inside);
            self.missed = self.missed.max(missed);
            for (place, &member) in group.iter().enumerate() {
                let (least, greatest) = (least[place], greatest[place]);
                self.offsets[member as usize] = (least + greatest).div_euclid(2);
                self.radii[member as usize] = Some((greatest - least + 1) / 2);
            }
        }
        let needed = |bound: &Bound| {
            let (from, to) = (self.offsets[bound.from as usize], self.offsets[bound.to as usize]);
            from + bound.least - to
        };
        let shift = across.iter().map(needed).max().unwrap_or(0).max(0);
        for &member in &group {
            self.offsets[member as usize] += shift;
        }
    }
}

/// The least and the greatest offsets of a group, whose first member has 0, and by how much bounds
/// must be missed for there to be any.
fn extremes(group: &[u32], bounds: &[Bound]) -> (i128, Vec<i128>, Vec<i128>) {
    let place = |member: u32| group.binary_search(&member).unwrap_or(0);
    let edges: Vec<(usize, usize, i128)> =
        bounds.iter().map(|bound| (place(bound.from), place(bound.to), bound.least)).collect();
    let both = |missed: i128| {
        let forward = edges.iter().map(|&(from, to, least)| (from, to, least - missed));
        let least = longest(group.len(), &forward.clone().collect::<Vec<_>>())?;
        let backward = forward.map(|(from, to, least)| (to, from, least));
        let greatest = longest(group.len(), &backward.collect::<Vec<_>>())?;
        Some((least, greatest.into_iter().map(|offset| -offset).collect()))
    };
    // No circle of bounds is positive if none of them is.
    let (mut low, mut high) = (-1, edges.iter().map(|edge| edge.2).max().unwrap_or(0).max(0));
    if both(0).is_some() {
        high = 0;
    }
    while high - low > 1 && high > 0 {
        let middle = (low + high) / 2;
        if both(middle).is_some() { high = middle } else { low = middle }
    }
    let (least, greatest) =
        both(high).unwrap_or_else(|| (vec![0; group.len()], vec![0; group.len()]));
    (high, least, greatest)
}

/// The length of the longest way from the first to each; `None` if there is a circle that makes
/// ways longer and longer. All can be reached.
fn longest(n: usize, edges: &[(usize, usize, i128)]) -> Option<Vec<i128>> {
    let mut lengths: Vec<Option<i128>> = vec![None; n];
    lengths[0] = Some(0);
    for _ in 0..=n {
        let mut changed = false;
        for &(from, to, length) in edges {
            let Some(way) = lengths[from].map(|way| way + length) else { continue };
            if lengths[to].is_none_or(|known| known < way) {
                lengths[to] = Some(way);
                changed = true;
            }
        }
        if !changed {
            return lengths.into_iter().collect();
        }
    }
    None
}

/// Groups of processes of which each bounds every other, over others perhaps; a group comes after
/// those whose bounds lead to it. Members are in order. (Tarjan's way, without recursion.)
fn strong_groups(n: usize, bounds: &[Bound]) -> Vec<Vec<u32>> {
    const UNSEEN: usize = usize::MAX;
    let mut successors = vec![Vec::new(); n];
    for bound in bounds {
        successors[bound.from as usize].push(bound.to as usize);
    }
    let mut order = vec![UNSEEN; n];
    let mut low = vec![0; n];
    let mut grouped = vec![false; n];
    let (mut stack, mut groups, mut n_seen) = (Vec::new(), Vec::new(), 0);
    for start in 0..n {
        let mut way: Vec<(usize, usize)> = Vec::new();
        if order[start] == UNSEEN {
            way.push((start, 0));
        }
        while let Some((node, next)) = way.pop() {
            if next == 0 {
                (order[node], low[node]) = (n_seen, n_seen);
                n_seen += 1;
                stack.push(node);
            }
            if let Some(&to) = successors[node].get(next) {
                way.push((node, next + 1));
                if order[to] == UNSEEN {
                    way.push((to, 0));
                } else if !grouped[to] {
                    low[node] = low[node].min(order[to]);
                }
                continue;
            }
            if low[node] == order[node] {
                let at = stack.iter().rposition(|&member| member == node).unwrap_or(0);
                let mut group: Vec<u32> = stack.drain(at..).map(|member| member as u32).collect();
                for &member in &group {
                    grouped[member as usize] = true;
                }
                group.sort_unstable();
                groups.push(group);
            }
            if let Some(&(before, _)) = way.last() {
                low[before] = low[before].min(low[node]);
            }
        }
    }
    groups.reverse();
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn bound(from: u32, to: u32, least: i128) -> Bound {
        Bound { from, to, least }
    }

    #[test]
    fn an_offset_is_in_the_middle_of_its_bounds() {
        let found = Offsets::find(2, &[bound(0, 1, 10), bound(1, 0, -16)]);
        assert_eq!((found.offsets, found.missed), (vec![0, 13], 0));
        assert_eq!(found.radii, [Some(0), Some(3)]);
    }

    #[test]
    fn who_only_receives_is_moved_as_far_as_needed() {
        let found = Offsets::find(4, &[bound(2, 0, 5), bound(0, 1, -3), bound(3, 1, 9)]);
        assert_eq!(found.offsets, [5, 9, 0, 0]);
        assert_eq!(found.radii, [None; 4]);
    }

    #[test]
    fn bounds_that_contradict_are_missed_by_as_little_as_possible() {
        let found = Offsets::find(2, &[bound(0, 1, 10), bound(1, 0, -4)]);
        assert_eq!((found.missed, found.offsets[1]), (3, 7));
    }

    #[test]
    fn random_bounds_that_can_be_met_are_met() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..300 {
            let n = rng.random_range(1..9u32);
            let truth: Vec<i128> = (0..n).map(|_| rng.random_range(-1000..1000)).collect();
            let bounds: Vec<Bound> = (0..rng.random_range(0..30))
                .map(|_| {
                    let (from, to) = (rng.random_range(0..n), rng.random_range(0..n));
                    let slack = rng.random_range(0..100i128);
                    bound(from, to, truth[to as usize] - truth[from as usize] - slack)
                })
                .collect();
            let found = Offsets::find(n as usize, &bounds);
            assert_eq!(found.missed, 0);
            let offset = |number: u32| found.offsets[number as usize];
            for bound in &bounds {
                assert!(offset(bound.to) - offset(bound.from) >= bound.least, "{bound:?}");
            }
            for group in found.groups.iter().filter(|group| group.len() > 1) {
                for &member in group {
                    let first = group[0];
                    let real = truth[member as usize] - truth[first as usize];
                    let error = (offset(member) - offset(first) - real).abs();
                    assert!(error <= found.radii[member as usize].expect("of a group"));
                }
            }
        }
    }
}
