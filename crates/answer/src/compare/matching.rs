//! Which containers of two runs belong together.

use std::collections::HashMap;

use onca_model::ContainerId;
use onca_query::{NodeId, Scope, compare_names, container_path};

use super::side::Side;
use crate::{AnswerError, Cut, Level, Result};

/// A rule that pairs fewer than this share of the larger side is no good.
const ENOUGH: f64 = 0.9;

/// By what containers were paired.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MatchRule {
    /// Their paths are equal.
    Path,
    /// Their names are equal.
    Name,
    /// They are at the same place in natural order.
    Position,
}

impl MatchRule {
    /// The name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Name => "name",
            Self::Position => "position",
        }
    }
}

/// Processes of two runs that belong together: one of each, or those below one container.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The container in the first run.
    pub node_before: NodeId,
    /// The container in the second run.
    pub node_after: NodeId,
    /// Its processes in the first run.
    pub before: Vec<usize>,
    /// Its processes in the second run.
    pub after: Vec<usize>,
}

/// How containers were paired.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Matching {
    /// By what.
    pub rule: MatchRule,
    /// The level whose containers are compared, where that is not single processes: means over the processes below each.
    pub level: Option<String>,
    /// What belongs together.
    pub places: Vec<Place>,
    /// Processes of the first run without a counterpart.
    pub alone_before: Vec<ContainerId>,
    /// Processes of the second run without a counterpart.
    pub alone_after: Vec<ContainerId>,
}

/// Pairs the processes of two runs, or those below the containers of a level. Where the numbers of processes differ, it is
/// the deepest level with equally many containers.
pub(super) fn match_places(
    before: &Side<'_>,
    after: &Side<'_>,
    level: Option<&Level>,
) -> Result<Matching> {
    if let Some(level) = level {
        let groups = [groups_at(before, level)?, groups_at(after, level)?];
        let found = paired(before, after, &groups);
        let name = match level {
            Level::Kind(kind) => kind.clone(),
            Level::Depth(depth) => depth.to_string(),
            Level::Whole | Level::Own => "all".to_owned(),
        };
        let Some((rule, pairs)) = found else {
            return Err(AnswerError::Question(format!(
                "the containers of level {name} do not fit: there are {} before and {} after, with other names",
                groups[0].len(),
                groups[1].len()
            )));
        };
        return Ok(made(before, after, &groups, rule, pairs, Some(name)));
    }
    let single = |side: &Side<'_>| -> Vec<Group> {
        let node = |id: &ContainerId| side.scope.hierarchy().node_of(*id);
        let all = side.processes.iter().enumerate();
        all.filter_map(|(at, id)| Some(Group { node: node(id)?, members: vec![at] })).collect()
    };
    let groups = [single(before), single(after)];
    if let Some((rule, pairs)) = paired(before, after, &groups) {
        return Ok(made(before, after, &groups, rule, pairs, None));
    }
    let deepest = before.scope.hierarchy().max_depth().min(after.scope.hierarchy().max_depth());
    for depth in (0..=deepest).rev() {
        let level = Level::Depth(depth);
        let groups = [groups_at(before, &level)?, groups_at(after, &level)?];
        if groups[0].len() != groups[1].len() {
            continue;
        }
        if let Some((rule, pairs)) = paired(before, after, &groups) {
            let kind = groups[1].first().map(|group| after.scope.hierarchy().kind(group.node));
            let name = String::from_utf8_lossy(kind.unwrap_or_default()).into_owned();
            return Ok(made(before, after, &groups, rule, pairs, Some(name)));
        }
    }
    Ok(made(before, after, &groups, MatchRule::Path, Vec::new(), None))
}

/// Processes below one container.
struct Group {
    node: NodeId,
    members: Vec<usize>,
}

/// The processes below each container of a level, in natural order of the containers' paths.
fn groups_at(side: &Side<'_>, level: &Level) -> Result<Vec<Group>> {
    let cut = Cut::new(side.scope, level)?;
    let mut members: HashMap<usize, Vec<usize>> = HashMap::new();
    for (at, id) in side.processes.iter().enumerate() {
        let place = side.scope.hierarchy().node_of(*id).and_then(|node| cut.place(node));
        if let Some(place) = place {
            members.entry(place).or_default().push(at);
        }
    }
    let mut groups: Vec<Group> = members
        .into_iter()
        .map(|(place, members)| Group { node: cut.nodes()[place], members })
        .collect();
    groups.sort_by_key(|group| group.members[0]);
    Ok(groups)
}

type Pairs = Vec<(usize, usize)>;

/// Pairs containers by the first rule that pairs most of them.
fn paired(
    before: &Side<'_>,
    after: &Side<'_>,
    [a, b]: &[Vec<Group>; 2],
) -> Option<(MatchRule, Pairs)> {
    let most = a.len().max(b.len());
    let enough = |pairs: &Pairs| most > 0 && pairs.len() as f64 >= ENOUGH * most as f64;
    let path = |scope: &Scope<'_>, node: NodeId| scope.path(node).into_bytes();
    let name = |scope: &Scope<'_>, node: NodeId| scope.name(node).to_vec();
    let keys = |side: &Side<'_>, groups: &[Group], key: &dyn Fn(&Scope<'_>, NodeId) -> Vec<u8>| {
        groups.iter().map(|group| key(side.scope, group.node)).collect::<Vec<_>>()
    };
    let by = |key: &dyn Fn(&Scope<'_>, NodeId) -> Vec<u8>| {
        equal_keys(&keys(before, a, key), &keys(after, b, key))
    };
    let by_path = by(&path);
    if enough(&by_path) {
        return Some((MatchRule::Path, by_path));
    }
    let by_name = by(&name);
    if enough(&by_name) {
        return Some((MatchRule::Name, by_name));
    }
    if a.len() != b.len() || a.is_empty() {
        return None;
    }
    let in_order = |side: &Side<'_>, groups: &[Group]| {
        let paths = keys(side, groups, &path);
        let mut order: Vec<usize> = (0..groups.len()).collect();
        order.sort_by(|x, y| compare_names(&paths[*x], &paths[*y]).then(x.cmp(y)));
        order
    };
    Some((MatchRule::Position, in_order(before, a).into_iter().zip(in_order(after, b)).collect()))
}

/// Pairs with equal keys, in order of the second; a key that several have on one side pairs nothing.
fn equal_keys(a: &[Vec<u8>], b: &[Vec<u8>]) -> Pairs {
    let unique = |keys: &[Vec<u8>]| {
        let mut places: HashMap<Vec<u8>, Option<usize>> = HashMap::new();
        for (at, key) in keys.iter().enumerate() {
            places.entry(key.clone()).and_modify(|place| *place = None).or_insert(Some(at));
        }
        places
    };
    let (of_a, of_b) = (unique(a), unique(b));
    let pair = |(at, key): (usize, &Vec<u8>)| {
        of_b.get(key).copied().flatten()?;
        Some((of_a.get(key).copied().flatten()?, at))
    };
    b.iter().enumerate().filter_map(pair).collect()
}

fn made(
    before: &Side<'_>,
    after: &Side<'_>,
    [a, b]: &[Vec<Group>; 2],
    rule: MatchRule,
    mut pairs: Pairs,
    level: Option<String>,
) -> Matching {
    pairs.sort_by_key(|(_, after)| *after);
    let place = |(i, j): &(usize, usize)| Place {
        node_before: a[*i].node,
        node_after: b[*j].node,
        before: a[*i].members.clone(),
        after: b[*j].members.clone(),
    };
    let places: Vec<Place> = pairs.iter().map(place).collect();
    let alone = |side: &Side<'_>, of: &dyn Fn(&Place) -> Vec<usize>| {
        let mut is_paired = vec![false; side.processes.len()];
        places.iter().flat_map(of).for_each(|at| is_paired[at] = true);
        let all = side.processes.iter().zip(is_paired);
        all.filter(|(_, is_paired)| !is_paired).map(|(id, _)| *id).collect()
    };
    Matching {
        rule,
        level,
        alone_before: alone(before, &|place| place.before.clone()),
        alone_after: alone(after, &|place| place.after.clone()),
        places,
    }
}

/// The paths of some containers.
pub(super) fn paths(scope: &Scope<'_>, ids: &[ContainerId]) -> Vec<String> {
    ids.iter().map(|id| container_path(&scope.catalog().containers, *id)).collect()
}
