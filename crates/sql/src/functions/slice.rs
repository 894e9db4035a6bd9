//! The table function `slice(from, to [, level])`: the time in each state of a window.

use std::sync::Arc;

use datafusion::catalog::{TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::{Result, ScalarValue, plan_datafusion_err, plan_err};
use datafusion::datasource::MemTable;
use datafusion::logical_expr::Expr;
use onca_answer::slice::{Amount, Measure, Nodes, SliceAnswer, SliceQuestion, What, slice};
use onca_model::{Ticks, TraceFacts, Window, display_text};
use onca_query::{Lens, Scope, TimeText};
use onca_tables::Trace;

use super::{SliceRow, SliceRows};

/// The function over a store; what it answers is what `onca slice` answers.
#[derive(Debug)]
pub(crate) struct Slice {
    pub(super) trace: Arc<Trace>,
}

impl TableFunctionImpl for Slice {
    fn call_with_args(&self, args: TableFunctionArgs) -> Result<Arc<dyn TableProvider>> {
        let asked = Asked::new(args.exprs())?;
        let window = asked.window(&self.trace.catalog().facts)?;
        let what = What::Measure(Measure::StateTime { inclusive: false });
        let question = SliceQuestion { nodes: asked.nodes, ..SliceQuestion::new(what) };
        let explain = |why: String| plan_datafusion_err!("slice: {why}");
        let scope = Scope::new(&self.trace.store, &Lens::clear(), window)
            .map_err(|error| explain(error.to_string()))?;
        let answer = slice(&scope, &question).map_err(|error| explain(error.to_string()))?;
        let mut all = SliceRows::new(false);
        all.add("", &answer.unit, answer.width(0), rows(&scope, &answer));
        let batch = all.batch()?;
        Ok(Arc::new(MemTable::try_new(batch.schema(), vec![vec![batch]])?))
    }
}

/// What is asked: the arguments, understood.
#[derive(Debug)]
pub(crate) struct Asked {
    from: Time,
    to: Time,
    /// Which containers rows tell of.
    pub nodes: Nodes,
}

/// A time: the sign before it, and what follows.
type Time = (i64, TimeText);

impl Asked {
    /// Understands the arguments.
    pub fn new(arguments: &[Expr]) -> Result<Self> {
        let (from, to, level) = match arguments {
            [from, to] => (from, to, None),
            [from, to, level] => (from, to, Some(level)),
            _ => return plan_err!("write slice(from, to) or slice(from, to, level)"),
        };
        let nodes = level.map_or(Ok(Nodes::All), nodes)?;
        Ok(Self { from: time(from)?, to: time(to)?, nodes })
    }

    /// The window, in the ticks of a trace.
    pub fn window(&self, facts: &TraceFacts) -> Result<Window> {
        let ticks = |(sign, time): Time| -> Result<Ticks> {
            let ticks = time.ticks(facts).map_err(|why| plan_datafusion_err!("slice: {why}"))?;
            Ok(ticks.saturating_mul(sign))
        };
        let window = Window::new(ticks(self.from)?, ticks(self.to)?);
        match window.from < window.to {
            true => Ok(window),
            false => plan_err!("slice: the window is empty"),
        }
    }
}

/// A time: a number in the unit of the trace, or a text such as `20ms` or `10%`.
fn time(argument: &Expr) -> Result<Time> {
    let (sign, argument) = match argument {
        Expr::Negative(inner) => (-1, &**inner),
        plain => (1, plain),
    };
    let time = match argument {
        Expr::Literal(ScalarValue::Int64(Some(units)), _) => TimeText::Units(*units as f64),
        Expr::Literal(ScalarValue::Float64(Some(units)), _) => TimeText::Units(*units),
        Expr::Literal(ScalarValue::Utf8(Some(text)), _) => {
            TimeText::parse(text).map_err(|why| plan_datafusion_err!("slice: {why}"))?
        }
        _ => {
            return plan_err!("slice: a time is a constant: a number, or a text such as '10%'");
        }
    };
    Ok((sign, time))
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

fn rows(scope: &Scope<'_>, answer: &SliceAnswer) -> Vec<SliceRow> {
    let row = |(node, value, _, amount): (usize, usize, usize, Amount)| {
        let (at, what) = (&answer.nodes[node], &answer.values[value]);
        SliceRow {
            container_id: scope.hierarchy().container(at.id).map(|id| id.0),
            container: display_text(&at.name).into_owned(),
            path: at.path.clone(),
            level: display_text(&at.kind).into_owned(),
            type_name: display_text(&what.type_name).into_owned(),
            value: display_text(&what.name).into_owned(),
            ticks: match amount {
                Amount::Whole(ticks) => Ticks::try_from(ticks).unwrap_or(Ticks::MAX),
                Amount::Real(ticks) => ticks as Ticks,
            },
            n_leaves: answer.n_leaves(node, value),
        }
    };
    answer.rows.iter().map(row).collect()
}
