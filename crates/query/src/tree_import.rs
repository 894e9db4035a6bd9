//! The first draft of a hierarchy: the containers as the trace has them, or placed in a tree that
//! the trace did not have.

use hashbrown::{HashMap, HashSet};
use onca_model::{
    Catalog, ContainerId, FieldId, Nature, TypeDef, TypeId, display_text, extra_fields,
};
use onca_store::{ContainerSet, Store};
use regex::bytes::Regex;

use crate::{
    error::{LensError, Result},
    hierarchy::{Draft, Label, NONE},
    lens::{HierarchySpec, TreeNode},
    pattern::expression_of,
};

/// Where containers go in an imported tree.
struct Imported {
    nodes: Vec<ImportedNode>,
    /// For each container the imported node that takes it, and how.
    place_of: HashMap<ContainerId, Place>,
}

struct ImportedNode {
    name: Vec<u8>,
    kind: Vec<u8>,
    parent: Option<usize>,
}

#[derive(Clone, Copy)]
enum Place {
    /// It is the node.
    As(usize),
    /// It lies below the node.
    Below(usize),
}

/// Makes the draft for the seen containers.
pub(crate) fn draft(
    store: &Store,
    seen: &ContainerSet,
    spec: Option<&HierarchySpec>,
) -> Result<Draft> {
    let catalog = store.catalog();
    let imported = match spec {
        None => Imported { nodes: Vec::new(), place_of: HashMap::new() },
        Some(HierarchySpec::Tree { nodes, place }) => {
            written_tree(catalog, nodes, place.as_deref())?
        }
        Some(HierarchySpec::Names { pattern, levels }) => named_tree(catalog, pattern, levels)?,
        Some(HierarchySpec::Fields { levels }) => field_tree(catalog, levels)?,
    };
    let mut draft = Draft::default();
    // Only containers are nodes: the name of another type is no level.
    let container_kind = |def: &TypeDef| match def.nature {
        Nature::Container => draft.kind(&def.name),
        _ => NONE,
    };
    let type_kinds: Vec<u32> = catalog.types.iter().map(container_kind).collect();
    let kind_of = |id: ContainerId| type_kinds[catalog.containers.types[id.index()].index()];
    draft.push(0, Label::Container(ContainerId::ROOT), kind_of(ContainerId::ROOT));
    let first_imported = draft.nodes.len() as u32;
    for node in &imported.nodes {
        let parent = node.parent.map_or(0, |parent| first_imported + parent as u32);
        let kind = draft.kind(&node.kind);
        draft.push(parent, Label::Text(node.name.clone()), kind);
    }
    let own = own_places(store, seen, &imported);
    let mut node_of = vec![NONE; catalog.containers.len()];
    for id in (0..catalog.containers.len() as u32).map(ContainerId) {
        let parent = node_of[catalog.containers.parents[id.index()].index()];
        node_of[id.index()] = match imported.place_of.get(&id) {
            _ if id == ContainerId::ROOT => 0,
            _ if !own[id.index()] => NONE,
            Some(Place::As(node)) => first_imported + *node as u32,
            Some(Place::Below(node)) => {
                draft.push(first_imported + *node as u32, Label::Container(id), kind_of(id))
            }
            None => draft.push(
                if parent == NONE { 0 } else { parent },
                Label::Container(id),
                kind_of(id),
            ),
        };
    }
    // What is seen counts for some node, if only for the root: links may lead to it.
    for (index, node) in node_of.iter_mut().enumerate() {
        *node = match seen.contains(ContainerId(index as u32)) {
            true if *node == NONE => 0,
            true => *node,
            false => NONE,
        };
    }
    draft.node_of = node_of;
    draft.prune();
    Ok(draft)
}

/// Which containers are nodes: those seen, and those above them. In an imported tree, a container
/// above the placed ones is left out unless it has something of its own to show; it then counts
/// for the root.
fn own_places(store: &Store, seen: &ContainerSet, imported: &Imported) -> Vec<bool> {
    let containers = &store.catalog().containers;
    let mut placed = vec![false; containers.len()];
    for index in 1..containers.len() {
        let parent = containers.parents[index].index();
        placed[index] =
            placed[parent] || imported.place_of.contains_key(&ContainerId(index as u32));
    }
    let mut needed = vec![false; containers.len()];
    let mut has_children = vec![false; containers.len()];
    for index in (1..containers.len()).rev() {
        let id = ContainerId(index as u32);
        let useful = imported.nodes.is_empty()
            || placed[index]
            || !has_children[index]
            || !store.tracks().of_container(id).is_empty();
        needed[index] |= seen.contains(id) && useful;
        let parent = containers.parents[index].index();
        has_children[parent] = true;
        needed[parent] |= needed[index] && !imported.place_of.contains_key(&id);
    }
    needed
}

/// A tree that is written down in the lens.
fn written_tree(catalog: &Catalog, nodes: &[TreeNode], place: Option<&str>) -> Result<Imported> {
    let part = "hierarchy.tree";
    let mut by_name: HashMap<&[u8], usize> = HashMap::new();
    for (index, node) in nodes.iter().enumerate() {
        if node.parent.is_some_and(|parent| parent >= index) {
            let why = format!("node {index} ({:?}) comes before its parent", node.name);
            return Err(LensError::unfit(part, why));
        }
        by_name.insert(node.name.as_bytes(), index);
    }
    let expression = place.map(expression_of).transpose();
    let expression = expression.map_err(|why| LensError::unfit("hierarchy.tree.place", why))?;
    let mut place_of = HashMap::new();
    for id in (1..catalog.containers.len() as u32).map(ContainerId) {
        let name = catalog.containers.names.get(id.index());
        let alias = catalog.containers.aliases.get(id.index());
        let found = match &expression {
            None => by_name.get(name).or_else(|| by_name.get(alias)).map(|node| Place::As(*node)),
            Some(expression) => expression
                .captures(name)
                .and_then(|groups| groups.get(1).or_else(|| groups.get(0)))
                .and_then(|group| by_name.get(group.as_bytes()))
                .map(|node| Place::Below(*node)),
        };
        if let Some(found) = found {
            place_of.insert(id, found);
        }
    }
    let nodes = nodes.iter().map(|node| ImportedNode {
        name: node.name.clone().into_bytes(),
        kind: node.kind.clone().unwrap_or_else(|| "node".to_owned()).into_bytes(),
        parent: node.parent,
    });
    Ok(Imported { nodes: nodes.collect(), place_of })
}

/// A tree that the names tell: each level is a named group of the expression.
fn named_tree(catalog: &Catalog, pattern: &str, levels: &[String]) -> Result<Imported> {
    let part = "hierarchy.names";
    let expression = expression_of(pattern).map_err(|why| LensError::unfit(part, why))?;
    let groups: Vec<&str> = expression.capture_names().flatten().collect();
    if groups.is_empty() {
        let why = "the pattern has no named group; write (?<site>...) for each level";
        return Err(LensError::unfit(part, why));
    }
    let guessed;
    let levels = match levels {
        [] => {
            guessed = levels_by_count(catalog, &expression, &groups);
            &guessed
        }
        levels => levels,
    };
    if let Some(level) = levels.iter().find(|level| !groups.contains(&level.as_str())) {
        let why = format!("the pattern has no group {level:?}; write (?<{level}>...)");
        return Err(LensError::unfit(part, why));
    }
    let names = |id: ContainerId| {
        let found = expression.captures(catalog.containers.names.get(id.index()))?;
        let name =
            |level: &String| found.name(level).map_or(&b""[..], |group| group.as_bytes()).to_vec();
        Some(levels.iter().map(name).collect())
    };
    Ok(grown_tree(catalog, levels, names))
}

/// The groups of an expression in the order in which they nest: there are fewer sites than
/// clusters, and fewer clusters than machines. Among equals a group that is written around another
/// is inside it, as a machine's name has that of its cluster in it; else the first written is
/// outside.
fn levels_by_count(catalog: &Catalog, expression: &Regex, groups: &[&str]) -> Vec<String> {
    let mut different: Vec<HashSet<Vec<u8>>> = vec![HashSet::new(); groups.len()];
    let mut is_around = vec![vec![false; groups.len()]; groups.len()];
    for id in 1..catalog.containers.len() {
        let Some(found) = expression.captures(catalog.containers.names.get(id)) else { continue };
        let spans: Vec<_> = groups.iter().map(|group| found.name(group)).collect();
        for (at, span) in spans.iter().enumerate() {
            let Some(span) = span else { continue };
            different[at].insert(span.as_bytes().to_vec());
            for (other, inner) in spans.iter().enumerate() {
                is_around[at][other] |= inner.is_some_and(|inner| {
                    span.start() <= inner.start()
                        && inner.end() <= span.end()
                        && inner.range() != span.range()
                });
            }
        }
    }
    let mut order: Vec<usize> = (0..groups.len()).collect();
    let depth = |at: usize| is_around[at].iter().filter(|is_around| **is_around).count();
    order.sort_by_key(|&at| (different[at].len(), depth(at), at));
    order.into_iter().map(|at| groups[at].to_owned()).collect()
}

/// A tree that extra fields of containers tell, a level a field.
fn field_tree(catalog: &Catalog, levels: &[String]) -> Result<Imported> {
    let part = "hierarchy.fields";
    if levels.is_empty() {
        return Err(LensError::unfit(part, "no levels are given"));
    }
    let is_called =
        |level: &String, field: FieldId| display_text(&catalog.field_name(field)) == level.as_str();
    let names = |id: ContainerId| {
        let packed = catalog.containers.extras.get(id.index());
        let text = |level: &String| {
            extra_fields(packed)
                .find(|extra| is_called(level, extra.field))
                .map(|extra| extra.text.to_vec())
        };
        let found: Vec<Option<Vec<u8>>> = levels.iter().map(text).collect();
        let has_first = found.first().is_some_and(Option::is_some);
        has_first.then(|| found.into_iter().map(Option::unwrap_or_default).collect())
    };
    let tree = grown_tree(catalog, levels, names);
    match tree.nodes.is_empty() {
        true => Err(LensError::unfit(part, format!("no container has a field {:?}", levels[0]))),
        false => Ok(tree),
    }
}

/// A tree with a node for every name at every level. `names` gives those of a container, the
/// outermost first; what lies below a placed container stays there.
fn grown_tree(
    catalog: &Catalog,
    levels: &[String],
    names: impl Fn(ContainerId) -> Option<Vec<Vec<u8>>>,
) -> Imported {
    let mut nodes: Vec<ImportedNode> = Vec::new();
    let mut by_key: HashMap<(Option<usize>, Vec<u8>), usize> = HashMap::new();
    let mut place_of = HashMap::new();
    let mut placed = ContainerSet::new();
    for id in (1..catalog.containers.len() as u32).map(ContainerId) {
        if placed.contains(catalog.containers.parents[id.index()]) {
            placed.insert(id);
            continue;
        }
        let Some(names) = names(id) else { continue };
        let mut parent = None;
        for (level, name) in levels.iter().zip(names) {
            let node = *by_key.entry((parent, name.clone())).or_insert_with(|| {
                nodes.push(ImportedNode { name, kind: level.clone().into_bytes(), parent });
                nodes.len() - 1
            });
            parent = Some(node);
        }
        if let Some(node) = parent {
            place_of.insert(id, Place::Below(node));
            placed.insert(id);
        }
    }
    Imported { nodes, place_of }
}

/// The name of the container type that a user means by a level: its name or its alias.
pub fn level_name(catalog: &Catalog, level: &str) -> Vec<u8> {
    let is = |id: &TypeId| {
        let def = catalog.type_def(*id);
        def.nature == Nature::Container
            && (display_text(&def.name) == level
                || def.alias.as_deref().is_some_and(|alias| display_text(alias) == level))
    };
    let found = (0..catalog.types.len() as u32).map(TypeId).find(is);
    found.map_or_else(|| level.as_bytes().to_vec(), |id| catalog.type_def(id).name.clone())
}
