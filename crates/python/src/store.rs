//! An open store.

use std::path::PathBuf;
use std::sync::{Arc, RwLock};

use onca_model::Window;
use onca_query::Lens;
use onca_store::Store;
use onca_tables::{Table, Trace, tables_of};
use pyo3::prelude::*;

use crate::ask::interruptible;
use crate::cube::{Cube, CubeQuestion};
use crate::scan::{Looked, Scan};
use crate::stream::Stream;
use crate::{Closed, failure};

/// An open store. Questions may come from several threads.
#[pyclass(frozen, name = "Store", module = "onca._onca")]
pub struct OpenStore {
    /// Nothing once it is closed.
    trace: RwLock<Option<Arc<Trace>>>,
}

/// A table and its columns, each with its type.
type TableColumns = (String, Vec<(String, String)>);

#[pymethods]
impl OpenStore {
    #[new]
    fn new(py: Python<'_>, folder: PathBuf) -> PyResult<Self> {
        let store: Store = py
            .detach(|| onca_cli::open_store(&folder))
            .map_err(|why| failure(why.message().unwrap_or("the store cannot be read")))?;
        Ok(Self { trace: RwLock::new(Some(Arc::new(Trace::new(Arc::new(store))))) })
    }

    /// The tables, and the columns of each with their types.
    fn tables(&self) -> PyResult<Vec<TableColumns>> {
        let tables = tables_of(&self.trace()?);
        let columns = |table: &Arc<dyn Table>| {
            let fields = table.schema().fields().iter();
            fields.map(|field| (field.name().clone(), field.data_type().to_string())).collect()
        };
        Ok(tables.iter().map(|table| (table.name().to_owned(), columns(table))).collect())
    }

    /// Some columns of the rows of a table that a lens shows in a window.
    #[pyo3(signature = (table, lens=None, from_ticks=None, to_ticks=None, columns=None))]
    fn scan(
        &self,
        table: &str,
        lens: Option<&str>,
        from_ticks: Option<i64>,
        to_ticks: Option<i64>,
        columns: Option<Vec<String>>,
    ) -> PyResult<Stream> {
        let trace = self.trace()?;
        let looked = looked(lens, from_ticks, to_ticks, &trace)?;
        Ok(Stream::of(Scan::new(trace, table, looked, columns.as_deref()).map_err(failure)?))
    }

    /// The time in each value, by node and slice.
    #[pyo3(signature = (lens, from_ticks, to_ticks, slices, level=None, depth=None))]
    #[expect(clippy::too_many_arguments, reason = "Python names them")]
    fn cube(
        &self,
        py: Python<'_>,
        lens: Option<&str>,
        from_ticks: Option<i64>,
        to_ticks: Option<i64>,
        slices: usize,
        level: Option<String>,
        depth: Option<usize>,
    ) -> PyResult<Cube> {
        let trace = self.trace()?;
        let looked = looked(lens, from_ticks, to_ticks, &trace)?
            .unwrap_or_else(|| Looked { lens: Lens::clear(), window: whole(&trace) });
        let question = CubeQuestion { slices, level, depth };
        let ask = move |stop: &_| {
            let store = trace.store.stoppable(Arc::clone(stop));
            Cube::new(&store, &looked, &question)
        };
        interruptible(py, ask)?.map_err(failure)
    }

    /// Forgets the store. What is still read from it is read to its end.
    fn close(&self) {
        if let Ok(mut trace) = self.trace.write() {
            *trace = None;
        }
    }
}

impl OpenStore {
    fn trace(&self) -> PyResult<Arc<Trace>> {
        let open = self.trace.read().ok().and_then(|trace| trace.clone());
        open.ok_or_else(|| Closed::new_err("the trace is closed"))
    }
}

/// What is seen; nothing if that is everything.
fn looked(
    lens: Option<&str>,
    from: Option<i64>,
    to: Option<i64>,
    trace: &Trace,
) -> PyResult<Option<Looked>> {
    if lens.is_none() && from.is_none() && to.is_none() {
        return Ok(None);
    }
    let lens = lens.map_or_else(|| Ok(Lens::clear()), Lens::from_json).map_err(failure)?;
    let all = whole(trace);
    let window = Window { from: from.unwrap_or(all.from), to: to.unwrap_or(all.to) };
    Ok(Some(Looked { lens, window }))
}

fn whole(trace: &Trace) -> Window {
    let facts = &trace.catalog().facts;
    Window { from: facts.start, to: facts.end }
}
