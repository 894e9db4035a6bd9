//! The functions of Onca. Each file is one topic; a new function is added to [`all`], a table
//! function to [`tables`].

mod asked;
mod containers;
mod cut;
mod overlap;
mod slice;
mod slice_rows;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::ArrayRef;
use datafusion::catalog::TableFunction;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDF};
use onca_model::{Catalog, Nature, display_text};
use onca_tables::{Names, Trace, Tree};

pub(crate) use slice::Asked as AskedSlice;
pub(crate) use slice_rows::{SliceRow, SliceRows};

/// Containers, and what was derived of them once.
pub(crate) trait ContainerTree: fmt::Debug + Send + Sync {
    /// The containers and their types.
    fn catalog(&self) -> &Catalog;

    /// The names as dictionaries.
    fn names(&self) -> &Names;

    /// Depths, paths and ancestors.
    fn tree(&self) -> &Tree;

    /// The names of the types of containers, the root's type first.
    fn container_types(&self) -> Vec<String> {
        let types = self.catalog().types.iter().filter(|def| def.nature == Nature::Container);
        types.map(|def| display_text(&def.name).into_owned()).collect()
    }
}

impl ContainerTree for Trace {
    fn catalog(&self) -> &Catalog {
        Self::catalog(self)
    }

    fn names(&self) -> &Names {
        &self.names
    }

    fn tree(&self) -> &Tree {
        Self::tree(self)
    }
}

/// Whose containers functions are asked about.
pub(crate) trait Runs: fmt::Debug + Send + Sync {
    /// What the runs are called; ids are those of one.
    fn names(&self) -> Vec<&str>;

    /// The containers of a run, by its place among the names.
    fn tree(&self, run: usize) -> Result<Arc<dyn ContainerTree>>;

    /// Where other processes find them, if they do.
    fn address(&self) -> Option<&str> {
        None
    }
}

/// The containers of a store: one run, which nobody has to name.
#[derive(Debug)]
struct OneRun(Arc<Trace>);

impl Runs for OneRun {
    fn names(&self) -> Vec<&str> {
        vec![""]
    }

    fn tree(&self, _: usize) -> Result<Arc<dyn ContainerTree>> {
        Ok(Arc::clone(&self.0) as Arc<dyn ContainerTree>)
    }
}

/// The containers of a store, for [`all`].
pub(crate) fn runs_of(trace: &Arc<Trace>) -> Arc<dyn Runs> {
    Arc::new(OneRun(Arc::clone(trace)))
}

/// All scalar functions.
pub(crate) fn all(runs: &Arc<dyn Runs>) -> Vec<Arc<ScalarUDF>> {
    let shared = || SharedRuns(Arc::clone(runs));
    vec![
        overlap(),
        cut(),
        Arc::new(ScalarUDF::from(containers::Name::new(shared()))),
        Arc::new(ScalarUDF::from(containers::Path::new(shared()))),
        Arc::new(ScalarUDF::from(containers::Ancestor::new(shared()))),
    ]
}

/// The ticks that two intervals share.
pub(crate) fn overlap() -> Arc<ScalarUDF> {
    Arc::new(ScalarUDF::from(overlap::Overlap::new()))
}

/// The slices of a window that an interval lies in.
pub(crate) fn cut() -> Arc<ScalarUDF> {
    Arc::new(ScalarUDF::from(cut::Cut::new()))
}

/// All functions that stand where a table stands, over a store.
pub(crate) fn tables(trace: &Arc<Trace>) -> Vec<Arc<TableFunction>> {
    let slice = slice::Slice { trace: Arc::clone(trace) };
    vec![Arc::new(TableFunction::new("slice".to_owned(), Arc::new(slice)))]
}

/// Runs that functions are equal by: two functions are the same if they ask the same runs.
#[derive(Clone, Debug)]
struct SharedRuns(Arc<dyn Runs>);

impl SharedRuns {
    fn address(&self) -> *const () {
        Arc::as_ptr(&self.0).cast()
    }
}

impl PartialEq for SharedRuns {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.address(), other.address())
    }
}

impl Eq for SharedRuns {}

impl Hash for SharedRuns {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.address().hash(state);
    }
}

/// Where other processes find the runs that a function asks; nothing for a function that asks none.
pub(crate) fn address_of(function: &ScalarUDF) -> Option<String> {
    let function = function.inner();
    let runs = (function.downcast_ref::<containers::Name>().map(containers::Name::runs))
        .or_else(|| function.downcast_ref::<containers::Path>().map(containers::Path::runs))
        .or_else(|| {
            function.downcast_ref::<containers::Ancestor>().map(containers::Ancestor::runs)
        });
    runs?.0.address().map(str::to_owned)
}

/// Calls a function on arrays; where all arguments are constants the result is one too.
fn on_arrays(
    args: &ScalarFunctionArgs,
    function: impl FnOnce(&[ArrayRef]) -> Result<ArrayRef>,
) -> Result<ColumnarValue> {
    let constant = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
    let result = function(&ColumnarValue::values_to_arrays(&args.args)?)?;
    Ok(match constant {
        true => ColumnarValue::Scalar(ScalarValue::try_from_array(&result, 0)?),
        false => ColumnarValue::Array(result),
    })
}
