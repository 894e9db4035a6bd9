//! The containers, types and values of a data set, as a store has them: what functions and slices
//! are computed from.

use std::sync::{Arc, PoisonError};

use datafusion::common::{Result as EngineResult, internal_err};
use onca_model::{Catalog, Container, ContainerId, Nature, TypeDef, TypeId, ValueDef};
use onca_query::parse_color;
use onca_tables::{Names, Tree};

use super::error::{DatasetError, Result, external};
use super::open::{DataSet, DataSets};
use super::rows::Rows;
use crate::functions::{ContainerTree, Runs};

/// The containers of a run, and what was derived of them.
pub(crate) type RunTree = Arc<CatalogTree>;

/// A catalog that was read from tables. Names are decoded already.
#[derive(Debug)]
pub(crate) struct CatalogTree {
    catalog: Catalog,
    names: Names,
    tree: Tree,
}

impl ContainerTree for CatalogTree {
    fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    fn names(&self) -> &Names {
        &self.names
    }

    fn tree(&self) -> &Tree {
        &self.tree
    }
}

impl Runs for DataSets {
    fn names(&self) -> Vec<&str> {
        self.runs().iter().map(DataSet::name).collect()
    }

    fn tree(&self, run: usize) -> EngineResult<Arc<dyn ContainerTree>> {
        let Some(run) = self.runs().get(run) else {
            return internal_err!("there is no run {run}");
        };
        let tree = run.tree().map_err(external)?;
        Ok(tree)
    }

    fn address(&self) -> Option<&str> {
        self.address()
    }
}

impl DataSet {
    /// Its containers, read when they are first asked for.
    pub(crate) fn tree(&self) -> Result<RunTree> {
        let mut known = self.tree.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tree) = &*known {
            return Ok(Arc::clone(tree));
        }
        let catalog = self.catalog()?;
        let tree = Tree::new(&catalog);
        let tree = Arc::new(CatalogTree { catalog, names: Names::default(), tree });
        *known = Some(Arc::clone(&tree));
        Ok(tree)
    }

    fn catalog(&self) -> Result<Catalog> {
        let mut catalog = Catalog { facts: self.facts(), ..Catalog::default() };
        let columns = ["id", "parent_id", "name", "alias", "nature"];
        self.visit("types", &columns, |rows| add_types(&mut catalog, rows))?;
        let columns = ["type_id", "value", "color"];
        self.visit("type_values", &columns, |rows| add_values(&mut catalog, rows))?;
        let columns = ["id", "parent_id", "name", "type"];
        self.visit("containers", &columns, |rows| add_containers(&mut catalog, rows))?;
        match catalog.containers.is_empty() || catalog.types.is_empty() {
            true => {
                let why = "a data set without containers".to_owned();
                Err(DatasetError::Damaged(self.dir().to_owned(), why))
            }
            false => Ok(catalog),
        }
    }
}

/// A row must have the id that is next, and a parent that has been.
fn check_place(rows: &Rows, id: Option<u32>, parent: u32, next: usize) -> Result<()> {
    let is_next = id.is_some_and(|id| id as usize == next);
    let is_below = (parent as usize) < next.max(1);
    match is_next && is_below {
        true => Ok(()),
        false => Err(rows.damaged(format!("row {next} is not in its place"))),
    }
}

fn add_types(catalog: &mut Catalog, rows: &Rows) -> Result<()> {
    let (ids, parents) = (rows.numbers("id")?, rows.numbers("parent_id")?);
    let (names, aliases) = (rows.whole_texts("name")?, rows.texts("alias")?);
    let natures = rows.whole_texts("nature")?;
    let texts = names.into_iter().zip(aliases).zip(natures);
    for ((id, parent), ((name, alias), nature)) in ids.into_iter().zip(parents).zip(texts) {
        let parent = parent.unwrap_or(0);
        check_place(rows, id, parent, catalog.types.len())?;
        let nature = Nature::ALL.into_iter().find(|known| known.name() == nature);
        catalog.types.push(TypeDef {
            name: name.into_bytes(),
            alias: alias.map(String::into_bytes),
            nature: nature.ok_or_else(|| rows.damaged("there is no such nature of a type"))?,
            parent: TypeId(parent),
            color: None,
            ends: None,
            extras: Vec::new(),
        });
    }
    Ok(())
}

fn add_values(catalog: &mut Catalog, rows: &Rows) -> Result<()> {
    let (ids, values) = (rows.numbers("type_id")?, rows.whole_texts("value")?);
    for ((id, value), color) in ids.into_iter().zip(values).zip(rows.texts("color")?) {
        let color = color.map(|color| parse_color(&color)).transpose();
        let known = id.filter(|&id| (id as usize) < catalog.types.len());
        let id = known.ok_or_else(|| rows.damaged("a value of no type"))?;
        catalog.values.push(ValueDef {
            type_id: TypeId(id),
            name: value.into_bytes(),
            alias: None,
            color: color.map_err(|why| rows.damaged(why))?,
            extras: Vec::new(),
        });
    }
    Ok(())
}

fn add_containers(catalog: &mut Catalog, rows: &Rows) -> Result<()> {
    let (ids, parents) = (rows.numbers("id")?, rows.numbers("parent_id")?);
    let texts = rows.whole_texts("name")?.into_iter().zip(rows.whole_texts("type")?);
    // Neighbours mostly have the same type.
    let mut last: Option<(String, TypeId)> = None;
    for ((id, parent), (name, kind)) in ids.into_iter().zip(parents).zip(texts) {
        let parent = parent.unwrap_or(0);
        check_place(rows, id, parent, catalog.containers.len())?;
        let type_id = match &last {
            Some((known, type_id)) if *known == kind => *type_id,
            _ => container_type(catalog, &kind)
                .ok_or_else(|| rows.damaged(format!("there is no container type {kind:?}")))?,
        };
        last = Some((kind, type_id));
        catalog.containers.push(&Container {
            name: name.as_bytes(),
            alias: b"",
            type_id,
            parent: ContainerId(parent),
            start: catalog.facts.start,
            end: catalog.facts.end,
            extras: b"",
        });
    }
    Ok(())
}

/// The first container type with a name: what is asked of a level is asked by name.
fn container_type(catalog: &Catalog, name: &str) -> Option<TypeId> {
    let is = |def: &TypeDef| def.nature == Nature::Container && def.name == name.as_bytes();
    catalog.types.iter().position(is).map(|index| TypeId(index as u32))
}
