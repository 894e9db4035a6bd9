//! Which container of which run a function is asked about: `(id)`, or `(run, id)`.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray};
use datafusion::arrow::datatypes::{DataType, Int64Type};
use datafusion::common::{Result, internal_err, plan_err};
use datafusion::logical_expr::TypeSignature;

use super::{ContainerTree, SharedRuns};

/// The containers that rows name.
pub(super) struct Asked {
    /// The runs that are named.
    pub trees: Vec<Arc<dyn ContainerTree>>,
    /// For each row the place of its run in `trees`, and the id; nothing where there is none.
    pub rows: Vec<Option<(usize, u32)>>,
}

/// How a container is named, before what else a function takes. An unsigned id becomes a signed
/// one without loss; a constant is signed already.
pub(super) fn signatures(more: &[DataType]) -> [TypeSignature; 2] {
    let with = |first: &[DataType]| TypeSignature::Exact([first, more].concat());
    [with(&[DataType::Int64]), with(&[DataType::Utf8, DataType::Int64])]
}

/// With several runs an id alone says nothing.
pub(super) fn check(runs: &SharedRuns, function: &str, is_long: bool, more: &str) -> Result<()> {
    match is_long || runs.0.names().len() == 1 {
        true => Ok(()),
        false => plan_err!(
            "{function}: there are several runs, each with ids of its own; write \
             {function}(run, container_id{more})"
        ),
    }
}

impl Asked {
    /// Understands the arguments that name a container.
    pub(super) fn new(runs: &SharedRuns, arrays: &[ArrayRef]) -> Result<Self> {
        let (names, ids) = match arrays {
            [ids] => (None, ids),
            [names, ids] => (Some(names), ids),
            _ => return internal_err!("a container is named by a run and an id"),
        };
        let ids = ids.as_primitive::<Int64Type>().iter();
        let ids = ids.map(|id| id.and_then(|id| u32::try_from(id).ok()));
        let mut asked = Self { trees: Vec::new(), rows: Vec::with_capacity(ids.len()) };
        let Some(names) = names else {
            asked.trees.push(runs.0.tree(0)?);
            let rows = ids.map(|id| asked.known(0, id?)).collect();
            return Ok(Self { rows, ..asked });
        };
        let known = runs.0.names();
        let mut tree_of: Vec<Option<usize>> = vec![None; known.len()];
        // Neighbours mostly are of the same run.
        let mut last: Option<(&str, Option<usize>)> = None;
        for (name, id) in names.as_string::<i32>().iter().zip(ids) {
            let run = match (name, last) {
                (None, _) => None,
                (Some(name), Some((before, run))) if before == name => run,
                (Some(name), _) => known.iter().position(|known| *known == name),
            };
            last = name.map(|name| (name, run)).or(last);
            let row = match run.zip(id) {
                Some((run, id)) => {
                    let tree = asked.tree(runs, run, &mut tree_of)?;
                    asked.known(tree, id)
                }
                None => None,
            };
            asked.rows.push(row);
        }
        Ok(asked)
    }

    fn tree(
        &mut self,
        runs: &SharedRuns,
        run: usize,
        tree_of: &mut [Option<usize>],
    ) -> Result<usize> {
        if let Some(tree) = tree_of.get(run).copied().flatten() {
            return Ok(tree);
        }
        self.trees.push(runs.0.tree(run)?);
        let tree = self.trees.len() - 1;
        if let Some(place) = tree_of.get_mut(run) {
            *place = Some(tree);
        }
        Ok(tree)
    }

    /// A container, if there is one with this id.
    fn known(&self, tree: usize, id: u32) -> Option<(usize, u32)> {
        let n_containers = self.trees.get(tree)?.catalog().containers.len();
        ((id as usize) < n_containers).then_some((tree, id))
    }

    /// Computes something for each row that names a container.
    pub(super) fn each<T>(
        &self,
        mut of: impl FnMut(usize, &dyn ContainerTree, u32) -> Option<T>,
    ) -> impl Iterator<Item = Option<T>> {
        self.rows.iter().map(move |row| {
            let (tree, id) = (*row)?;
            of(tree, &**self.trees.get(tree)?, id)
        })
    }
}
