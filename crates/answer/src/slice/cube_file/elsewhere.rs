//! The file of cells that were computed elsewhere.

use std::collections::{BTreeSet, HashMap};

use onca_aggregate::Number;
use onca_aggregate::slice::Bounds;
use onca_model::{Catalog, ContainerId, Nature, Ticks, TypeId, Window, printable};
use onca_query::{Appearance, Hierarchy, Lens, NodeId, roles_of};

use super::made::{Made, Types};
use super::{CubeFile, wrong};
use crate::Result;
use crate::slice::Space;
use crate::slice::columns::Columns;
use crate::slice::cube;

impl CubeFile {
    /// The file of cells that were computed elsewhere: container, type, name of the value, slice and exclusive ticks
    /// in it. Cells of one place are summed up. `having` tells which containers have states of which type; those of cells
    /// need not be among them. A level makes its containers the leaves, each for all below it, as a lens does that
    /// groups by it.
    ///
    /// Equals [`of`](Self::of) with the cube of the whole trace, or through such a lens, as far as the catalog is that of
    /// the trace: where two values of a type have one name, the first has the time of both.
    pub fn from_cells<V: AsRef<[u8]>>(
        catalog: &Catalog,
        window: Window,
        n_slices: usize,
        cells: impl IntoIterator<Item = (ContainerId, TypeId, V, usize, Ticks)>,
        having: impl IntoIterator<Item = (TypeId, ContainerId)>,
        level: Option<&str>,
    ) -> Result<Self> {
        let bounds =
            Bounds::new(window.from, window.to, n_slices).map_err(|why| wrong(why.to_string()))?;
        let hierarchy = match level {
            Some(level) => Hierarchy::down_to(catalog, level).map_err(wrong)?,
            None => Hierarchy::of_containers(catalog),
        };
        let parts = Elsewhere::read(catalog, n_slices, cells, having)?;
        let node_of = |id: ContainerId| hierarchy.node_of(id);
        let with_states = parts.having.iter().map(|(_, container)| *container);
        let nodes: BTreeSet<NodeId> = with_states.filter_map(node_of).collect();
        let space = Space::new(&hierarchy, |node| nodes.contains(&node))?;
        let leaf_of = |id: ContainerId| node_of(id).and_then(|node| space.leaf(node));

        let values = Columns::of_states(catalog).values;
        let mut ticks = cube::cells(space.tree().leaves().len(), values.len(), &bounds)?;
        for &(container, value, slice, of_cell) in &parts.cells {
            if let Some(leaf) = leaf_of(container) {
                let cell: &mut Ticks = &mut ticks.row_mut(leaf, value)[slice];
                *cell = cell.plus(of_cell);
            }
        }
        let types = Types::of(catalog);
        let mut leaves = vec![BTreeSet::new(); types.names(catalog).len()];
        for &(type_id, container) in &parts.having {
            if let (Some(number), Some(leaf)) = (types.number(type_id), leaf_of(container)) {
                leaves[number as usize].insert(leaf as u32);
            }
        }
        let leaves = leaves.into_iter().map(|leaves| leaves.into_iter().collect());
        let numbered = values.iter().map(|value| {
            let number = value.type_id.and_then(|id| types.number(id));
            (value, number.unwrap_or_default())
        });
        let made = Made {
            catalog,
            hierarchy: &hierarchy,
            space: &space,
            bounds: &bounds,
            types: types.names(catalog).into_iter().zip(leaves).collect(),
            values: numbered.collect(),
            ticks: &ticks,
            scanned: false,
        };
        let roles = roles_of(catalog)?;
        let appearance = Appearance::new(catalog, &Lens::clear(), None)?;
        made.file(&appearance, |value| roles[value.index()])
    }
}

/// What was computed elsewhere, as far as it fits the catalog.
struct Elsewhere {
    /// Container, place of the value among those of states, slice, ticks.
    cells: Vec<(ContainerId, usize, usize, Ticks)>,
    /// Which containers have states of which type.
    having: BTreeSet<(TypeId, ContainerId)>,
}

impl Elsewhere {
    fn read<V: AsRef<[u8]>>(
        catalog: &Catalog,
        n_slices: usize,
        cells: impl IntoIterator<Item = (ContainerId, TypeId, V, usize, Ticks)>,
        having: impl IntoIterator<Item = (TypeId, ContainerId)>,
    ) -> Result<Self> {
        let values = Columns::of_states(catalog).values;
        let mut place_of: HashMap<(Option<TypeId>, &[u8]), usize> = HashMap::new();
        for (place, value) in values.iter().enumerate() {
            place_of.entry((value.type_id, &value.name)).or_insert(place);
        }
        let check = |type_id: TypeId, container: ContainerId| {
            let of_states = catalog.types.get(type_id.index());
            if of_states.is_none_or(|def| def.nature != Nature::State) {
                return Err(wrong(format!("there is no type of states with id {}", type_id.0)));
            }
            if container.index() >= catalog.containers.len() {
                return Err(wrong(format!("there is no container with id {}", container.0)));
            }
            Ok((type_id, container))
        };
        let mut having: BTreeSet<(TypeId, ContainerId)> = having
            .into_iter()
            .map(|(type_id, container)| check(type_id, container))
            .collect::<Result<_>>()?;
        let mut found = Vec::new();
        for (container, type_id, name, slice, ticks) in cells {
            having.insert(check(type_id, container)?);
            let name = name.as_ref();
            let place = place_of.get(&(Some(type_id), name)).copied().ok_or_else(|| {
                let of = printable(&catalog.type_def(type_id).name);
                wrong(format!("the type {of:?} has no value {:?}", printable(name)))
            })?;
            if slice >= n_slices {
                return Err(wrong(format!("there is no slice {slice}; there are {n_slices}")));
            }
            if ticks < 0 {
                return Err(wrong(format!("a cell of slice {slice} has {ticks} ticks")));
            }
            found.push((container, place, slice, ticks));
        }
        Ok(Self { cells: found, having })
    }
}
