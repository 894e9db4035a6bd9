//! The time in each value, by node and slice, as one array.

use onca_answer::slice::{Amount, Measure, Nodes, SliceQuestion, What, slice};
use onca_model::display_text;
use onca_query::Scope;
use onca_store::Store;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::scan::Looked;

/// Which nodes and slices are asked for.
pub struct CubeQuestion {
    /// How many slices the window is cut into.
    pub slices: usize,
    /// Only the nodes of this kind.
    pub level: Option<String>,
    /// Only the nodes at this depth.
    pub depth: Option<usize>,
}

/// Ticks by node, value and slice, in this order.
#[pyclass(frozen, module = "onca._onca")]
pub struct Cube {
    ticks: Vec<i64>,
    /// The paths of the nodes.
    #[pyo3(get)]
    nodes: Vec<String>,
    /// The values, each after its type.
    #[pyo3(get)]
    values: Vec<(String, String)>,
    /// Where slices begin, and where the last one ends.
    #[pyo3(get)]
    edges: Vec<i64>,
}

impl Cube {
    /// Asks a store.
    pub fn new(store: &Store, looked: &Looked, question: &CubeQuestion) -> Result<Self, String> {
        let scope =
            Scope::new(store, &looked.lens, looked.window).map_err(|why| why.to_string())?;
        let nodes = match (&question.level, question.depth) {
            (Some(level), _) => Nodes::Level(level.clone()),
            (None, Some(depth)) => Nodes::Depth(depth),
            (None, None) => Nodes::All,
        };
        let what = What::Measure(Measure::StateTime { inclusive: false });
        let asked = SliceQuestion { nodes, n_slices: question.slices, ..SliceQuestion::new(what) };
        let answer = slice(&scope, &asked).map_err(|why| why.to_string())?;
        let (n_values, n_slices) = (answer.values.len(), answer.bounds.n_slices());
        let mut ticks = vec![0; answer.nodes.len() * n_values * n_slices];
        for (node, value, slice, amount) in answer.rows.iter() {
            let Amount::Whole(amount) = amount else { continue };
            ticks[(node * n_values + value) * n_slices + slice] = i64::try_from(amount)
                .map_err(|_| "a sum of ticks has more than 64 bits".to_owned())?;
        }
        let text = |bytes: &[u8]| display_text(bytes).into_owned();
        Ok(Self {
            ticks,
            nodes: answer.nodes.iter().map(|node| node.path.clone()).collect(),
            values: answer
                .values
                .iter()
                .map(|value| (text(&value.type_name), text(&value.name)))
                .collect(),
            edges: answer.bounds.edges(),
        })
    }
}

#[pymethods]
impl Cube {
    /// The array where it lies, for numpy. Whoever looks at it keeps this cube.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let slices = self.edges.len() - 1;
        let array = PyDict::new(py);
        array.set_item("shape", (self.nodes.len(), self.values.len(), slices))?;
        array.set_item("typestr", if cfg!(target_endian = "little") { "<i8" } else { ">i8" })?;
        // Read only: a cube does not change.
        array.set_item("data", (self.ticks.as_ptr().addr(), true))?;
        array.set_item("version", 3)?;
        Ok(array)
    }
}
