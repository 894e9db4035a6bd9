//! The communicators that one call makes of another.

use std::collections::{BTreeMap, BTreeSet};

use super::comms::Members;
use super::made::{Made, Making};

/// The members of a new communicator, and its grid.
pub(super) struct Part {
    pub members: Vec<u32>,
    pub dims: Vec<i64>,
}

/// The communicators that one call makes of another, by what its members say.
pub(super) fn partition(
    grid: &[i64],
    members: &[u32],
    calls: &BTreeMap<u32, &Made>,
    group_of: impl Fn(u32, i64) -> Option<Members>,
) -> Vec<Part> {
    let plain = |members: Vec<u32>| Part { members, dims: Vec::new() };
    let first = calls.values().find_map(|made| made.making());
    match first {
        None | Some(Making::Unknown) => Vec::new(),
        Some(Making::Duplicate) => vec![Part { members: members.to_vec(), dims: grid.to_vec() }],
        Some(Making::Split { .. }) => {
            let mut colors: BTreeMap<i64, Vec<(i64, usize, u32)>> = BTreeMap::new();
            for (place, rank) in members.iter().enumerate() {
                if let Some(Making::Split { color, key }) =
                    calls.get(rank).and_then(|made| made.making())
                    && *color >= 0
                {
                    colors.entry(*color).or_default().push((*key, place, *rank));
                }
            }
            let sorted = colors.into_values().map(|mut part| {
                part.sort_unstable();
                plain(part.into_iter().map(|(_, _, rank)| rank).collect())
            });
            sorted.collect()
        }
        Some(Making::Grid { dims }) => {
            let n = dims.iter().try_fold(1i64, |n, &dim| n.checked_mul(dim));
            let n = n.and_then(|n| usize::try_from(n).ok()).unwrap_or(0).min(members.len());
            vec![Part { members: members[..n].to_vec(), dims: dims.clone() }]
        }
        Some(Making::Graph { n_nodes }) => {
            let n = usize::try_from(*n_nodes).unwrap_or(0).min(members.len());
            vec![plain(members[..n].to_vec())]
        }
        Some(Making::SubGrid { remain }) => sub_grids(grid, members, remain),
        Some(Making::OfGroup { .. }) => {
            let mut groups = BTreeSet::new();
            for (rank, made) in calls {
                let Some(Making::OfGroup { group }) = made.making() else { continue };
                let group = group_of(*rank, *group);
                if let Some(group) = group.filter(|group| group.contains(rank)) {
                    groups.insert(group.to_vec());
                }
            }
            groups.into_iter().map(plain).collect()
        }
    }
}

/// Those of a grid that agree in all directions that do not remain.
fn sub_grids(grid: &[i64], members: &[u32], remain: &[i64]) -> Vec<Part> {
    if grid.is_empty() || grid.iter().any(|&dim| dim < 1) {
        return Vec::new();
    }
    let keeps = |direction: usize| remain.get(direction).is_some_and(|&keeps| keeps != 0);
    let dims: Vec<i64> =
        (0..grid.len()).filter(|&direction| keeps(direction)).map(|d| grid[d]).collect();
    let mut parts: BTreeMap<Vec<i64>, Vec<u32>> = BTreeMap::new();
    for (place, &rank) in (0i64..).zip(members) {
        let mut rest = place;
        let mut dropped = Vec::new();
        // The last direction changes fastest.
        for direction in (0..grid.len()).rev() {
            if !keeps(direction) {
                dropped.push(rest % grid[direction]);
            }
            rest /= grid[direction];
        }
        parts.entry(dropped).or_default().push(rank);
    }
    parts.into_values().map(|members| Part { members, dims: dims.clone() }).collect()
}

/// The members in the order that they themselves tell, if all tell and it is an order: the ranks
/// of a grid may have been given out anew.
pub(super) fn by_told_ranks(members: Vec<u32>, calls: &BTreeMap<u32, &Made>) -> Vec<u32> {
    let mut ordered = vec![None; members.len()];
    for rank in &members {
        let told = calls.get(rank).and_then(|made| made.told_rank());
        let slot =
            told.and_then(|told| usize::try_from(told).ok()).and_then(|told| ordered.get_mut(told));
        match slot {
            Some(slot @ None) => *slot = Some(*rank),
            _ => return members,
        }
    }
    ordered.into_iter().collect::<Option<Vec<u32>>>().unwrap_or(members)
}
