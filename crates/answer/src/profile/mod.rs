//! The time of each path of nested states: a call tree.

mod paths;
pub(crate) mod wire;

use onca_model::{Nature, ValueId};
use onca_query::Scope;
use rayon::prelude::*;

use crate::times::chunk_of;
use crate::{AnswerError, Cut, Result};
use paths::{NO_PATH, Paths};

/// What is asked of a profile.
#[derive(Clone, Debug)]
pub struct ProfileSpec {
    /// For which nodes.
    pub cut: Cut,
    /// How many values a path may have; the time of deeper states stays with the path so far.
    pub depth_limit: Option<usize>,
    /// Paths whose inclusive time is a smaller share of all time are left out.
    pub min_share: f64,
    /// More paths than that are no answer.
    pub max_paths: usize,
}

impl ProfileSpec {
    /// How many paths a profile may have, by default.
    pub const MAX_PATHS: usize = 1 << 20;

    /// All paths.
    pub fn new(cut: Cut) -> Self {
        Self { cut, depth_limit: None, min_share: 0.0, max_paths: Self::MAX_PATHS }
    }
}

/// The time of each path of nested states.
///
/// A hidden state is no part of a path, and its time is nobody's exclusive time.
#[derive(Clone, Debug)]
pub struct Profile {
    /// The places that paths refer to.
    pub cut: Cut,
    /// The paths by place, each before those that continue it, of these the longest time first.
    pub paths: Vec<Path>,
    /// The exclusive time of all paths, also those left out: the time of all seen states.
    pub total: i128,
    /// How many paths were left out because their share is too small.
    pub left_out: u64,
    /// The exclusive time of those.
    pub left_out_ticks: i128,
}

/// A path of nested states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Path {
    /// The place in the cut.
    pub place: usize,
    /// The number of the path that this one continues; `None` for outermost states.
    pub outer: Option<usize>,
    /// How many states are around it.
    pub depth: usize,
    /// The value of the innermost state.
    pub value: ValueId,
    /// How many such states touch the window.
    pub count: u64,
    /// The time in them, with what is inside them.
    pub inclusive: i128,
    /// The time in them, without what is inside them.
    pub exclusive: i128,
}

/// Adds up the time of every path of nested states, node by node.
pub fn profile(scope: &Scope<'_>, spec: ProfileSpec) -> Result<Profile> {
    let tracks = spec.cut.tracks(scope, Nature::State);
    let parts = tracks.par_chunks(chunk_of(tracks.len())).map(|tracks| -> Result<Paths> {
        let mut paths = Paths::new(spec.max_paths);
        for &(place, track) in tracks {
            paths.add_track(scope, place, track, spec.depth_limit.unwrap_or(usize::MAX))?;
            paths.check().map_err(too_many)?;
        }
        Ok(paths)
    });
    let empty = || Paths::new(spec.max_paths);
    let all = parts.try_reduce(empty, |mut all, part| {
        all.merge(&part);
        all.check().map_err(too_many)?;
        Ok(all)
    })?;
    Ok(listed(spec, &all))
}

fn too_many(limit: usize) -> AnswerError {
    AnswerError::TooLarge(format!(
        "there are more than {limit} paths of nested states; limit their depth, or take fewer \
         containers or a shorter window"
    ))
}

/// Lists the paths in order, without those whose share is too small.
fn listed(spec: ProfileSpec, all: &Paths) -> Profile {
    let total: i128 = all.rows.iter().map(|row| row.exclusive).sum();
    let mut order: Vec<u32> = (0..all.rows.len() as u32).collect();
    // Those that continue one path stand together, the last first: they go onto a stack.
    let key = |id: u32| {
        let row = &all.rows[id as usize];
        (row.outer, std::cmp::Reverse(row.place), row.inclusive, std::cmp::Reverse(row.value))
    };
    order.sort_unstable_by_key(|&id| key(id));
    let continuing = |outer: u32| {
        let from = order.partition_point(|&id| all.rows[id as usize].outer < outer);
        let to = order.partition_point(|&id| all.rows[id as usize].outer <= outer);
        &order[from..to]
    };
    let least = spec.min_share * total as f64;
    let mut profile = Profile {
        cut: spec.cut,
        paths: Vec::new(),
        total,
        left_out: all.rows.len() as u64,
        left_out_ticks: total,
    };
    let mut waiting: Vec<(u32, Option<usize>, usize)> =
        continuing(NO_PATH).iter().map(|&id| (id, None, 0)).collect();
    while let Some((id, outer, depth)) = waiting.pop() {
        let row = &all.rows[id as usize];
        if (row.inclusive as f64) < least {
            continue;
        }
        let number = profile.paths.len();
        let paths::Row { place, value, count, inclusive, exclusive, .. } = *row;
        profile.paths.push(Path { place, outer, depth, value, count, inclusive, exclusive });
        profile.left_out -= 1;
        profile.left_out_ticks -= exclusive;
        waiting.extend(continuing(id).iter().map(|&next| (next, Some(number), depth + 1)));
    }
    profile
}

impl Profile {
    /// The values of a path, the outermost first.
    pub fn values(&self, number: usize) -> Vec<ValueId> {
        let mut values = Vec::new();
        let mut at = Some(number);
        while let Some(path) = at.and_then(|at| self.paths.get(at)) {
            values.push(path.value);
            at = path.outer;
        }
        values.reverse();
        values
    }
}
