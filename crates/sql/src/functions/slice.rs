//! The table function `slice(from, to [, level])`: the time in each state of a window.

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray, UInt32Array,
};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::catalog::{TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::{Result, ScalarValue, plan_datafusion_err, plan_err};
use datafusion::datasource::MemTable;
use datafusion::logical_expr::Expr;
use onca_answer::slice::{Amount, Measure, Nodes, SliceAnswer, SliceQuestion, What, slice};
use onca_model::{Ticks, Window, display_text};
use onca_query::{Lens, Scope, TimeText};

use super::SharedTrace;

/// The function; what it answers is what `onca slice` answers.
#[derive(Debug)]
pub(crate) struct Slice {
    pub(super) trace: SharedTrace,
}

impl TableFunctionImpl for Slice {
    fn call_with_args(&self, args: TableFunctionArgs) -> Result<Arc<dyn TableProvider>> {
        let (from, to, level) = match args.exprs() {
            [from, to] => (from, to, None),
            [from, to, level] => (from, to, Some(level)),
            _ => return plan_err!("write slice(from, to) or slice(from, to, level)"),
        };
        let window = Window::new(self.time(from)?, self.time(to)?);
        if window.from >= window.to {
            return plan_err!("slice: the window is empty");
        }
        let nodes = level.map_or(Ok(Nodes::All), nodes)?;
        let what = What::Measure(Measure::StateTime { inclusive: false });
        let question = SliceQuestion { nodes, ..SliceQuestion::new(what) };
        let explain = |why: String| plan_datafusion_err!("slice: {why}");
        let scope = Scope::new(&self.trace.0.store, &Lens::clear(), window)
            .map_err(|error| explain(error.to_string()))?;
        let answer = slice(&scope, &question).map_err(|error| explain(error.to_string()))?;
        let batch = rows(&scope, &answer)?;
        Ok(Arc::new(MemTable::try_new(batch.schema(), vec![vec![batch]])?))
    }
}

impl Slice {
    /// A time: a number in the unit of the trace, or a text such as `20ms` or `10%`.
    fn time(&self, argument: &Expr) -> Result<Ticks> {
        let explain = |why: String| plan_datafusion_err!("slice: {why}");
        let (sign, argument) = match argument {
            Expr::Negative(inner) => (-1, &**inner),
            plain => (1, plain),
        };
        let time = match argument {
            Expr::Literal(ScalarValue::Int64(Some(units)), _) => TimeText::Units(*units as f64),
            Expr::Literal(ScalarValue::Float64(Some(units)), _) => TimeText::Units(*units),
            Expr::Literal(ScalarValue::Utf8(Some(text)), _) => {
                TimeText::parse(text).map_err(explain)?
            }
            _ => {
                return plan_err!("slice: a time is a constant: a number, or a text such as '10%'");
            }
        };
        Ok(sign * time.ticks(&self.trace.0.catalog().facts).map_err(explain)?)
    }
}

/// A level: the name of a container type, or a depth.
fn nodes(argument: &Expr) -> Result<Nodes> {
    match argument {
        Expr::Literal(ScalarValue::Utf8(Some(level)), _) => Ok(Nodes::Level(level.clone())),
        Expr::Literal(ScalarValue::Int64(Some(depth)), _) if *depth >= 0 => {
            Ok(Nodes::Depth(*depth as usize))
        }
        _ => plan_err!("slice: a level is a constant: a container type, or a depth"),
    }
}

fn rows(scope: &Scope<'_>, answer: &SliceAnswer) -> Result<RecordBatch> {
    let nodes = || answer.rows.nodes.iter().map(|&node| &answer.nodes[node as usize]);
    let values = || answer.rows.values.iter().map(|&value| &answer.values[value as usize]);
    let ticks: Vec<i64> = (answer.rows.amounts.iter())
        .map(|amount| match amount {
            Amount::Whole(ticks) => Ticks::try_from(*ticks).unwrap_or(Ticks::MAX),
            Amount::Real(ticks) => *ticks as Ticks,
        })
        .collect();
    let width = answer.width(0) as f64;
    let texts = |texts: Vec<String>| Arc::new(StringArray::from(texts)) as ArrayRef;
    let ids = nodes().map(|node| Some(scope.hierarchy().container(node.id)?.0));
    let times = ticks.iter().map(|&ticks| answer.unit.units(ticks));
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("container_id", Arc::new(ids.collect::<UInt32Array>())),
        ("container", texts(nodes().map(|node| display_text(&node.name).into_owned()).collect())),
        ("path", texts(nodes().map(|node| node.path.clone()).collect())),
        ("level", texts(nodes().map(|node| display_text(&node.kind).into_owned()).collect())),
        (
            "type",
            texts(values().map(|value| display_text(&value.type_name).into_owned()).collect()),
        ),
        ("value", texts(values().map(|value| display_text(&value.name).into_owned()).collect())),
        ("time", Arc::new(times.collect::<Float64Array>())),
        (
            "mean_share",
            Arc::new(
                (answer.rows.iter().zip(&ticks))
                    .map(|((node, value, ..), &ticks)| {
                        ticks as f64 / width / answer.n_leaves(node, value).max(1) as f64
                    })
                    .collect::<Float64Array>(),
            ),
        ),
        ("ticks", Arc::new(Int64Array::from(ticks.clone()))),
    ];
    let field = |(name, column): &(&str, ArrayRef)| {
        let data_type: DataType = column.data_type().clone();
        Field::new(*name, data_type, *name == "container_id")
    };
    let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
    let columns = columns.into_iter().map(|(_, column)| column).collect();
    Ok(RecordBatch::try_new(Arc::new(schema), columns)?)
}
