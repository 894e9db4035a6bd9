//! What a cube file must be, whoever has written it, and what it then is.

use onca_aggregate::slice::{Bounds, Cube};
use onca_aggregate::{OwnLeaf, Tree};
use onca_model::{Ticks, TimeUnit, printable};

use super::{CubeFile, wrong};
use crate::Result;
use crate::slice::cube::{cells, check_size};

/// No unit of time has a longer name.
const LONGEST_UNIT: usize = 100;

impl CubeFile {
    /// Refuses what is none: what follows is then true of every number in it.
    pub(crate) fn check(&self) -> Result<()> {
        if self.schema != Self::SCHEMA {
            let (found, read) = (printable(self.schema.as_bytes()), Self::SCHEMA);
            return Err(wrong(format!("the schema is {found:?}; what can be read is {read:?}")));
        }
        self.checked_unit()?;
        let bounds = self.bounds()?;
        if self.start_ticks > self.end_ticks {
            return Err(wrong("end_ticks is before start_ticks"));
        }
        let (tree, _) = self.tree()?;
        let (n_leaves, n_values) = (tree.leaves().len(), self.values.len());
        for (at, node) in self.nodes.iter().enumerate() {
            check_number("kind", node.kind, self.kinds.len(), || format!("nodes[{at}]"))?;
        }
        for (at, of) in self.types.iter().enumerate() {
            let whose = || format!("types[{at}]");
            of.leaves.iter().try_for_each(|leaf| check_number("leaf", *leaf, n_leaves, whose))?;
            if !of.leaves.is_sorted_by(|a, b| a < b) {
                return Err(wrong(format!("the leaves of types[{at}] are not in order")));
            }
        }
        for (at, value) in self.values.iter().enumerate() {
            check_number("type", value.of, self.types.len(), || format!("values[{at}]"))?;
        }
        check_size(n_leaves, n_values, &bounds)?;
        for (at, &(leaf, value, slice, ticks)) in self.cells.iter().enumerate() {
            let whose = || format!("cells[{at}]");
            check_number("leaf", leaf, n_leaves, whose)?;
            check_number("value", value, n_values, whose)?;
            check_number("slice", slice, self.slices, whose)?;
            if ticks <= 0 {
                return Err(wrong(format!("cells[{at}] has {ticks} ticks, not at least 1")));
            }
        }
        let place = |cell: &(u32, u32, u32, Ticks)| (cell.0, cell.1, cell.2);
        match self.cells.windows(2).position(|pair| place(&pair[0]) >= place(&pair[1])) {
            Some(at) => Err(wrong(format!("cells[{}] is not in order", at + 1))),
            None => Ok(()),
        }
    }

    fn checked_unit(&self) -> Result<()> {
        let name = &self.unit.name;
        if self.unit.ticks_per_unit == 0 {
            return Err(wrong("a unit of time has at least one tick"));
        }
        if name.len() > LONGEST_UNIT || name.chars().any(char::is_control) {
            return Err(wrong("the name of the unit of time is none"));
        }
        Ok(())
    }

    /// The slices.
    pub(crate) fn bounds(&self) -> Result<Bounds> {
        Bounds::new(self.from_ticks, self.to_ticks, self.slices)
            .map_err(|why| wrong(why.to_string()))
    }

    /// The unit of time.
    pub(crate) fn unit(&self) -> TimeUnit {
        self.unit.unit()
    }

    /// The tree, with the leaves that hold what inner nodes have of their own.
    pub(crate) fn tree(&self) -> Result<(Tree, Vec<OwnLeaf>)> {
        let parents =
            self.nodes.iter().zip(0..).map(|(node, at)| node.parent.unwrap_or(at)).collect();
        let plain = Tree::new(parents).map_err(|why| wrong(why.to_string()))?;
        for (at, &node) in self.own.iter().enumerate() {
            check_number("node", node, plain.len(), || format!("own[{at}]"))?;
            if plain.is_leaf(node) {
                return Err(wrong(format!("own[{at}] is {node}, which has no children")));
            }
        }
        if !self.own.is_sorted_by(|a, b| a < b) {
            return Err(wrong("the nodes of own are not in order"));
        }
        plain
            .with_own_leaves(|node| self.own.binary_search(&node).is_ok())
            .map_err(|why| wrong(why.to_string()))
    }

    /// The numbers, for as many leaves as the tree has.
    pub(crate) fn ticks(&self, n_leaves: usize) -> Result<Cube<Ticks>> {
        let mut cube = cells(n_leaves, self.values.len(), &self.bounds()?)?;
        for &(leaf, value, slice, ticks) in &self.cells {
            cube.row_mut(leaf as usize, value as usize)[slice as usize] = ticks;
        }
        Ok(cube)
    }
}

/// A number that counts something must be below how many there are.
fn check_number(what: &str, number: u32, n: usize, whose: impl Fn() -> String) -> Result<()> {
    if (number as usize) < n {
        return Ok(());
    }
    Err(wrong(format!("{what} {number} of {} is one of {n}, numbered from 0 on", whose())))
}
