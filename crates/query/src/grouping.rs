//! Containers that are shown as one.

use hashbrown::HashMap;
use onca_model::{Catalog, ContainerId, Containers};
use onca_store::ContainerSet;
use regex::bytes::Regex;

use crate::{
    Hierarchy, Resolver,
    error::{LensError, Result},
    hierarchy::{Draft, Label, NONE, Node},
    lens::GroupSpec,
    pattern::expression_of,
    tree_import::level_name,
};

/// What has taken a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Taker {
    /// A node above it, which stays.
    Node(u32),
    /// A group.
    Group(u32),
}

/// A group and what it took.
struct Group {
    name: Vec<u8>,
    /// The nodes that matched; what lies below them follows.
    tops: Vec<u32>,
    spec: usize,
}

/// Applies the groups of a lens to a draft, in their order: the first that takes a node has it.
pub(crate) fn apply(draft: &mut Draft, specs: &[GroupSpec], catalog: &Catalog) -> Result<()> {
    if specs.is_empty() {
        return Ok(());
    }
    let mut grouping = Grouping {
        taken: vec![None; draft.nodes.len()],
        groups: Vec::new(),
        depths: depths(draft),
    };
    for (index, spec) in specs.iter().enumerate() {
        let rule = Rule::of(spec, index, draft, catalog)?;
        grouping.take(draft, &rule, index, &catalog.containers);
    }
    grouping.rebuild(draft);
    draft.prune();
    Ok(())
}

impl Hierarchy {
    /// The tree of containers in which those of a level stand for all below them: what a lens shows that does
    /// nothing else.
    pub fn down_to(catalog: &Catalog, level: &str) -> std::result::Result<Self, String> {
        Self::of_containers(catalog).at_level(&level_name(catalog, level))?;
        let mut draft = Draft::of_containers(catalog);
        apply(&mut draft, &[GroupSpec::Level(level.to_owned())], catalog)
            .map_err(|why| why.to_string())?;
        Ok(Self::new(draft))
    }
}

fn depths(draft: &Draft) -> Vec<u32> {
    let mut depths = vec![0; draft.nodes.len()];
    for index in 1..draft.nodes.len() {
        depths[index] = depths[draft.nodes[index].parent as usize] + 1;
    }
    depths
}

/// How one group of the lens takes nodes.
enum Rule {
    /// A name, and for each node whether it is, or counts, one of the containers.
    Set {
        name: Vec<u8>,
        nodes: Vec<bool>,
    },
    Pattern {
        expression: Regex,
        within: Option<u32>,
    },
    Kind(u32),
    Depth(usize),
}

impl Rule {
    fn of(spec: &GroupSpec, index: usize, draft: &Draft, catalog: &Catalog) -> Result<Self> {
        let unfit = |why: String| LensError::unfit(format!("group[{index}]"), why);
        let kind = |level: &str| {
            let name = level_name(catalog, level);
            let known = draft.kinds.iter().position(|kind| *kind == name);
            known.map(|kind| kind as u32).ok_or_else(|| {
                let kinds: Vec<_> =
                    draft.kinds.iter().map(|kind| onca_model::printable(kind)).collect();
                unfit(format!("there is no level {level:?}; there are {}", kinds.join(", ")))
            })
        };
        Ok(match spec {
            GroupSpec::Containers { name, of } => {
                let members = Resolver::new(catalog).all_containers(of).map_err(unfit)?;
                let nodes = nodes_of(draft, &members);
                Self::Set { name: name.clone().into_bytes(), nodes }
            }
            GroupSpec::Pattern { expression, within } => Self::Pattern {
                expression: expression_of(expression).map_err(unfit)?,
                within: within.as_deref().map(kind).transpose()?,
            },
            GroupSpec::Level(level) => Self::Kind(kind(level)?),
            GroupSpec::Depth(depth) => Self::Depth(*depth),
        })
    }
}

/// The nodes that are one of these containers, or an imported node that one of them became.
fn nodes_of(draft: &Draft, members: &ContainerSet) -> Vec<bool> {
    let is_member =
        |node: &Node| matches!(node.label, Label::Container(id) if members.contains(id));
    let mut nodes: Vec<bool> = draft.nodes.iter().map(is_member).collect();
    for (id, &node) in draft.node_of.iter().enumerate() {
        if node != NONE && members.contains(ContainerId(id as u32)) {
            nodes[node as usize] = true;
        }
    }
    nodes
}

struct Grouping {
    taken: Vec<Option<Taker>>,
    groups: Vec<Group>,
    depths: Vec<u32>,
}

impl Grouping {
    /// Lets one rule take what it matches and nothing has taken yet, from the top.
    fn take(&mut self, draft: &Draft, rule: &Rule, spec: usize, containers: &Containers) {
        // The nearest node of the `within` level above each node.
        let mut above = vec![NONE; draft.nodes.len()];
        // What this rule took; those below follow.
        let mut mine = vec![None; draft.nodes.len()];
        let mut by_key = HashMap::new();
        for index in 0..draft.nodes.len() {
            let node = &draft.nodes[index];
            let parent = node.parent as usize;
            if let Rule::Pattern { within: Some(kind), .. } = rule {
                above[index] = if node.kind == *kind { index as u32 } else { above[parent] };
            }
            if index > 0 && mine[parent].is_some() {
                mine[index] = mine[parent];
                self.taken[index] = self.taken[index].or(mine[index]);
                continue;
            }
            if self.taken[index].is_some() {
                continue;
            }
            let name = label_of(&node.label, containers);
            let taker = match rule {
                Rule::Kind(kind) => (node.kind == *kind).then_some(Taker::Node(index as u32)),
                Rule::Depth(depth) => {
                    (self.depths[index] as usize == *depth).then_some(Taker::Node(index as u32))
                }
                _ if index == 0 => None,
                Rule::Set { name, nodes } => {
                    (nodes[index]).then(|| self.group(&mut by_key, (NONE, name.clone()), spec))
                }
                Rule::Pattern { expression, .. } => captured(expression, name)
                    .map(|key| self.group(&mut by_key, (above[index], key), spec)),
            };
            if let Some(Taker::Group(group)) = taker {
                self.groups[group as usize].tops.push(index as u32);
            }
            if taker.is_some() {
                (mine[index], self.taken[index]) = (taker, taker);
            }
        }
    }

    /// The group with this key, new if need be.
    fn group(
        &mut self,
        by_key: &mut HashMap<(u32, Vec<u8>), u32>,
        key: (u32, Vec<u8>),
        spec: usize,
    ) -> Taker {
        let groups = &mut self.groups;
        Taker::Group(*by_key.entry(key).or_insert_with_key(|(_, name)| {
            groups.push(Group { name: name.clone(), tops: Vec::new(), spec });
            groups.len() as u32 - 1
        }))
    }

    /// Makes the draft anew: what was taken goes, and groups stand below the nodes that all
    /// their members have above them.
    fn rebuild(&self, draft: &mut Draft) {
        let stays = |index: usize| match self.taken[index] {
            None => true,
            Some(Taker::Node(node)) => node as usize == index,
            Some(Taker::Group(_)) => false,
        };
        // A node that stays may have a parent that another rule took.
        let n = draft.nodes.len();
        let old = std::mem::take(&mut draft.nodes);
        let mut group_node = vec![NONE; self.groups.len()];
        let mut new_id = vec![NONE; n];
        // A group can only lie below a group of a later rule, and both below nodes that stay.
        for index in (0..n).filter(|&index| stays(index)) {
            let parent = self.nearest_that_stays(&old, old[index].parent, &stays);
            let parent = if index == 0 { 0 } else { new_id[parent as usize] };
            new_id[index] = draft.push(parent, old[index].label.clone(), old[index].kind);
        }
        let mut order: Vec<usize> = (0..self.groups.len()).collect();
        order.sort_by_key(|&group| std::cmp::Reverse(self.groups[group].spec));
        for group in order {
            let Group { name, tops, .. } = &self.groups[group];
            let Some(common) = self.common_ancestor(&old, tops) else { continue };
            let parent = match self.taken[common as usize] {
                Some(Taker::Group(other)) => group_node[other as usize],
                Some(Taker::Node(node)) => new_id[node as usize],
                None => new_id[common as usize],
            };
            let kind = self.kind_of(draft, &old, tops);
            group_node[group] = draft.push(parent, Label::Text(name.clone()), kind);
        }
        for node in draft.node_of.iter_mut().filter(|node| **node != NONE) {
            *node = match self.taken[*node as usize] {
                Some(Taker::Group(group)) => group_node[group as usize],
                Some(Taker::Node(taker)) => new_id[taker as usize],
                None => new_id[*node as usize],
            };
        }
    }

    fn nearest_that_stays(&self, old: &[Node], from: u32, stays: &impl Fn(usize) -> bool) -> u32 {
        let mut at = from;
        while !stays(at as usize) {
            at = old[at as usize].parent;
        }
        at
    }

    /// The deepest node that all of these lie below.
    fn common_ancestor(&self, old: &[Node], tops: &[u32]) -> Option<u32> {
        let mut parents = tops.iter().map(|&top| old[top as usize].parent);
        let mut common = parents.next()?;
        for mut other in parents {
            while common != other {
                if self.depths[common as usize] >= self.depths[other as usize] {
                    common = old[common as usize].parent;
                } else {
                    other = old[other as usize].parent;
                }
            }
        }
        Some(common)
    }

    /// A group of containers of one kind is of that kind.
    fn kind_of(&self, draft: &mut Draft, old: &[Node], tops: &[u32]) -> u32 {
        let mut kinds = tops.iter().map(|&top| old[top as usize].kind);
        let first = kinds.next();
        match first {
            Some(kind) if kinds.all(|other| other == kind) => kind,
            _ => draft.kind(b"group"),
        }
    }
}

fn label_of<'a>(label: &'a Label, containers: &'a Containers) -> &'a [u8] {
    match label {
        Label::Container(id) => containers.names.get(id.index()),
        Label::Text(text) => text,
    }
}

/// What the groups of an expression capture, joined by blanks; the whole match if it has none.
fn captured(expression: &Regex, name: &[u8]) -> Option<Vec<u8>> {
    let groups = expression.captures(name)?;
    if groups.len() == 1 {
        return Some(groups[0].to_vec());
    }
    let parts: Vec<&[u8]> = groups.iter().skip(1).flatten().map(|group| group.as_bytes()).collect();
    Some(parts.join(&b' '))
}
