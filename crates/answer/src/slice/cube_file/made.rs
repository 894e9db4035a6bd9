//! The file of a cube, and what all such files are made of.

use std::collections::HashMap;

use onca_aggregate::slice::{Bounds, Cube};
use onca_model::{Catalog, Nature, Ticks, TypeId, ValueId, Window};
use onca_query::{Appearance, Hierarchy, ReductionForm, Role, Scope};

use super::parts::{CubeColor, CubeNode, CubeType, CubeUnit, CubeValue, Name};
use super::{CubeFile, wrong};
use crate::Result;
use crate::slice::{Cells, LeafCube, SliceValue, Space};

impl CubeFile {
    /// The file of the cube of a scope: that of exclusive time in states. Colours are those of an appearance.
    pub fn of(scope: &Scope<'_>, cube: &LeafCube, appearance: &Appearance) -> Result<Self> {
        let (Cells::Whole(ticks), Some(having)) = (&cube.cells, &cube.having) else {
            return Err(wrong("only time in states is kept in a file"));
        };
        let catalog = scope.catalog();
        let numbers = Types::of(catalog);
        let mut types = numbers.names(catalog);
        // The types of derived states come after those of the trace.
        let mut number_of: Vec<Option<u32>> = numbers.0;
        for reduction in scope.reductions() {
            let is_state = reduction.form == ReductionForm::States;
            number_of.push(is_state.then_some(types.len() as u32));
            if is_state {
                types.push(Name::new(reduction.name.as_bytes()));
            }
        }
        let mut leaves = vec![Vec::new(); types.len()];
        for (number, having) in number_of.iter().zip(&having.leaves) {
            if let Some(number) = number {
                leaves[*number as usize].clone_from(having);
            }
        }
        let no_type = || wrong("only time in states is kept in a file");
        let numbered = cube.values.iter().zip(&having.types);
        let values = numbered
            .map(|(value, of)| Ok((value, number_of[*of as usize].ok_or_else(no_type)?)))
            .collect::<Result<Vec<_>>>()?;
        let made = Made {
            catalog,
            hierarchy: scope.hierarchy(),
            space: &cube.space,
            bounds: &cube.bounds,
            types: types.into_iter().zip(leaves).collect(),
            values,
            ticks,
            scanned: cube.scanned,
        };
        made.file(appearance, |value| scope.role(value))
    }
}

/// The number of each type of states among them, by type.
pub(super) struct Types(Vec<Option<u32>>);

impl Types {
    pub fn of(catalog: &Catalog) -> Self {
        let is_state = catalog.types.iter().map(|def| def.nature == Nature::State);
        let mut n = 0;
        let number = |is_state: bool| {
            n += u32::from(is_state);
            is_state.then(|| n - 1)
        };
        Self(is_state.map(number).collect())
    }

    pub fn names(&self, catalog: &Catalog) -> Vec<Name> {
        let states = catalog.types.iter().filter(|def| def.nature == Nature::State);
        states.map(|def| Name::new(&def.name)).collect()
    }

    pub fn number(&self, id: TypeId) -> Option<u32> {
        self.0.get(id.index()).copied().flatten()
    }
}

/// A cube with all that is known of it.
pub(super) struct Made<'a> {
    pub catalog: &'a Catalog,
    pub hierarchy: &'a Hierarchy,
    pub space: &'a Space,
    pub bounds: &'a Bounds,
    /// Names, and the leaves that have such states.
    pub types: Vec<(Name, Vec<u32>)>,
    /// The values with the numbers of their types.
    pub values: Vec<(&'a SliceValue, u32)>,
    pub ticks: &'a Cube<Ticks>,
    pub scanned: bool,
}

impl Made<'_> {
    /// The file, with the colours of an appearance.
    pub fn file(
        self,
        appearance: &Appearance,
        role_of: impl Fn(ValueId) -> Option<Role>,
    ) -> Result<CubeFile> {
        let facts = &self.catalog.facts;
        let Window { from, to } = self.bounds.window();
        let (kinds, nodes) = self.nodes();
        let own_places = self.space.places().len() as u32..self.space.tree().len() as u32;
        let own = own_places.filter_map(|leaf| self.space.tree().parent(leaf));
        let value = |(value, of): &(&SliceValue, u32)| CubeValue {
            of: *of,
            name: Name::new(&value.name),
            color: value.value.map(|id| CubeColor(appearance.of_value(id).color)),
            role: value.value.and_then(&role_of),
        };
        let file = CubeFile {
            schema: CubeFile::SCHEMA.to_owned(),
            unit: CubeUnit::new(&facts.unit),
            start_ticks: facts.start,
            end_ticks: facts.end,
            from_ticks: from,
            to_ticks: to,
            slices: self.bounds.n_slices(),
            lost: facts.lost,
            scanned: self.scanned,
            kinds,
            nodes,
            own: own.collect(),
            values: self.values.iter().map(value).collect(),
            cells: sparse(self.ticks),
            types: (self.types.into_iter())
                .map(|(name, leaves)| CubeType { name, leaves })
                .collect(),
        };
        // What is written can be read.
        file.check()?;
        Ok(file)
    }

    /// The kinds, as they are met, and the nodes but for those that hold what others have of their own.
    fn nodes(&self) -> (Vec<Name>, Vec<CubeNode>) {
        let (containers, tree) = (&self.catalog.containers, self.space.tree());
        let mut kinds = Vec::new();
        let mut known: HashMap<&[u8], u32> = HashMap::new();
        let node = |place: u32| {
            let node = self.space.node(place);
            let kind = self.hierarchy.kind(node);
            let kind = *known.entry(kind).or_insert_with(|| {
                kinds.push(Name::new(kind));
                kinds.len() as u32 - 1
            });
            let name = Name::new(self.hierarchy.name(containers, node));
            CubeNode { parent: tree.parent(place), name, kind }
        };
        let nodes = (0..self.space.places().len() as u32).map(node).collect();
        (kinds, nodes)
    }
}

/// What is not 0.
fn sparse(ticks: &Cube<Ticks>) -> Vec<(u32, u32, u32, Ticks)> {
    let mut cells = Vec::new();
    for leaf in 0..ticks.n_leaves() {
        for value in 0..ticks.n_values() {
            let row = ticks.row(leaf, value).iter().enumerate();
            let some = row.filter(|(_, ticks)| **ticks != 0);
            cells.extend(
                some.map(|(slice, ticks)| (leaf as u32, value as u32, slice as u32, *ticks)),
            );
        }
    }
    cells
}
