//! The functions of Onca. Each file is one topic; a new function is added to [`all`], a table
//! function to [`tables`].

mod containers;
mod overlap;
mod slice;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::ArrayRef;
use datafusion::catalog::TableFunction;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDF};
use onca_tables::Trace;

/// All scalar functions.
pub(crate) fn all(trace: &Arc<Trace>) -> Vec<Arc<ScalarUDF>> {
    let shared = || SharedTrace(Arc::clone(trace));
    vec![
        Arc::new(ScalarUDF::from(overlap::Overlap::new())),
        Arc::new(ScalarUDF::from(containers::Name::new(shared()))),
        Arc::new(ScalarUDF::from(containers::Path::new(shared()))),
        Arc::new(ScalarUDF::from(containers::Ancestor::new(shared()))),
    ]
}

/// All functions that stand where a table stands.
pub(crate) fn tables(trace: &Arc<Trace>) -> Vec<Arc<TableFunction>> {
    let slice = slice::Slice { trace: SharedTrace(Arc::clone(trace)) };
    vec![Arc::new(TableFunction::new("slice".to_owned(), Arc::new(slice)))]
}

/// A trace that functions are equal by: two functions are the same if they ask the same trace.
#[derive(Clone, Debug)]
struct SharedTrace(Arc<Trace>);

impl PartialEq for SharedTrace {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for SharedTrace {}

impl Hash for SharedTrace {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
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
