//! Which lanes and blocks a query needs, from its filters.
//!
//! A condition on nothing but columns that are the same in a whole lane (container, type, depth)
//! is computed once per lane, whatever it says, and needs no look at the rows. A comparison of a
//! time with a number leaves out blocks that lie before or after; the rows that remain are
//! filtered later.

use std::ops::Range;

use datafusion::arrow::array::AsArray;
use datafusion::catalog::Session;
use datafusion::common::tree_node::TreeNode;
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr_rewriter::unnormalize_col;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator, TableProviderFilterPushDown};
use onca_model::{Ticks, TimeUnit};
use onca_tables::{Column, Table, TimeForm};

/// Consecutive blocks of a lane.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Run {
    pub lane: u32,
    pub blocks: Range<u32>,
}

/// What a query reads of a table.
#[derive(Debug)]
pub(crate) struct Selected {
    pub runs: Vec<Run>,
    pub n_rows: u64,
    pub lanes_skipped: usize,
    pub blocks_skipped: usize,
}

/// What can be done about a filter without reading rows.
pub(crate) fn pushdown(
    table: &dyn Table,
    unit: &TimeUnit,
    filter: &Expr,
) -> TableProviderFilterPushDown {
    if is_of_lanes(table, filter) {
        TableProviderFilterPushDown::Exact
    } else if TickRange::of(table, unit, filter).is_some() {
        TableProviderFilterPushDown::Inexact
    } else {
        TableProviderFilterPushDown::Unsupported
    }
}

/// Does the filter look only at what is the same in a whole lane?
fn is_of_lanes(table: &dyn Table, filter: &Expr) -> bool {
    let columns = filter.column_refs();
    let of_lane = |name: &str| column(table, name).is_some_and(Column::is_of_lane);
    !columns.is_empty()
        && columns.iter().all(|column| of_lane(&column.name))
        && !filter.is_volatile()
        && !has_subquery(filter)
}

pub(crate) fn has_subquery(filter: &Expr) -> bool {
    let is_subquery = |expr: &Expr| {
        matches!(
            expr,
            Expr::Exists(_)
                | Expr::InSubquery(_)
                | Expr::ScalarSubquery(_)
                | Expr::SetComparison(_)
                | Expr::OuterReferenceColumn(..)
                | Expr::Placeholder(_)
        )
    };
    filter.exists(|expr| Ok(is_subquery(expr))).unwrap_or(true)
}

fn column(table: &dyn Table, name: &str) -> Option<Column> {
    table.column(table.schema().index_of(name).ok()?)
}

/// Chooses lanes and blocks by the filters, and as many of them as give `limit` rows.
pub(crate) fn select(
    table: &dyn Table,
    unit: &TimeUnit,
    session: &dyn Session,
    filters: &[Expr],
    limit: Option<usize>,
) -> Result<Selected> {
    let all = table.lanes();
    let (of_lanes, others): (Vec<&Expr>, Vec<&Expr>) =
        filters.iter().partition(|filter| is_of_lanes(table, filter));
    let lanes = filter_lanes(table, session, &of_lanes, all.clone())?;
    let ranges = others.iter().filter_map(|filter| TickRange::of(table, unit, filter));
    let range = ranges.fold(TickRange::ALL, TickRange::and);
    let lanes_skipped = all.len() - lanes.len();
    let mut selected = Selected { runs: Vec::new(), n_rows: 0, lanes_skipped, blocks_skipped: 0 };
    for lane in lanes {
        if limit.is_some_and(|limit| selected.n_rows >= limit as u64) {
            break;
        }
        selected.add_lane(table, lane, range, limit);
    }
    Ok(selected)
}

impl Selected {
    fn add_lane(&mut self, table: &dyn Table, lane: u32, range: TickRange, limit: Option<usize>) {
        for (block, extent) in (0u32..).zip(table.blocks(lane)) {
            if limit.is_some_and(|limit| self.n_rows >= limit as u64) {
                return;
            }
            if extent.last < range.low || extent.first > range.high {
                self.blocks_skipped += 1;
                continue;
            }
            self.n_rows += u64::from(extent.n_rows);
            match self.runs.last_mut() {
                Some(run) if run.lane == lane && run.blocks.end == block => run.blocks.end += 1,
                _ => self.runs.push(Run { lane, blocks: block..block + 1 }),
            }
        }
    }
}

/// The lanes for which all filters hold.
fn filter_lanes(
    table: &dyn Table,
    session: &dyn Session,
    filters: &[&Expr],
    lanes: Vec<u32>,
) -> Result<Vec<u32>> {
    if filters.is_empty() {
        return Ok(lanes);
    }
    let batch = table.lane_batch(&lanes)?;
    let schema = DFSchema::try_from(batch.schema())?;
    let mut kept = vec![true; lanes.len()];
    for &filter in filters {
        // The table may go by another name in the query; a lane's columns have none.
        let filter = session.create_physical_expr(unnormalize_col(filter.clone()), &schema)?;
        let holds = filter.evaluate(&batch)?.into_array(lanes.len())?;
        let holds = holds.as_boolean().iter().map(|holds| holds == Some(true));
        kept.iter_mut().zip(holds).for_each(|(kept, holds)| *kept &= holds);
    }
    Ok(lanes.into_iter().zip(kept).filter_map(|(lane, kept)| kept.then_some(lane)).collect())
}

/// The times, both included, that a block must meet to hold a row that a filter accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct TickRange {
    low: Ticks,
    high: Ticks,
}

impl TickRange {
    const ALL: Self = Self { low: Ticks::MIN, high: Ticks::MAX };

    fn and(self, other: Self) -> Self {
        Self { low: self.low.max(other.low), high: self.high.min(other.high) }
    }

    /// From a comparison of a start or an end with a number. All times of a block lie between its
    /// first and its last, so it does not matter which of the two is compared.
    fn of(table: &dyn Table, unit: &TimeUnit, filter: &Expr) -> Option<Self> {
        let Expr::BinaryExpr(BinaryExpr { left, op, right }) = filter else { return None };
        let (name, op, number) = match (&**left, &**right) {
            (Expr::Column(column), Expr::Literal(number, _)) => (&column.name, *op, number),
            (Expr::Literal(number, _), Expr::Column(column)) => (&column.name, op.swap()?, number),
            _ => return None,
        };
        let (low, high) = match column(table, name)?.time()? {
            TimeForm::Ticks => ticks(number)?,
            TimeForm::Units => ticks_around(number, unit)?,
        };
        match op {
            Operator::Eq => Some(Self { low, high }),
            Operator::Gt | Operator::GtEq => Some(Self { low, ..Self::ALL }),
            Operator::Lt | Operator::LtEq => Some(Self { high, ..Self::ALL }),
            _ => None,
        }
    }
}

fn ticks(number: &ScalarValue) -> Option<(Ticks, Ticks)> {
    match number {
        ScalarValue::Int64(Some(ticks)) => Some((*ticks, *ticks)),
        _ => None,
    }
}

/// The ticks that may be shown as a number of units. Wider than they need to be: conversions
/// round three times, each by less than one part in 2^52.
fn ticks_around(number: &ScalarValue, unit: &TimeUnit) -> Option<(Ticks, Ticks)> {
    let ScalarValue::Float64(Some(units)) = number else { return None };
    let ticks = units * unit.ticks_per_unit as f64;
    let slack = ticks.abs() * 4.0 * f64::EPSILON + 1.0;
    // A cast of a number that is too large gives the largest.
    (!ticks.is_nan()).then(|| ((ticks - slack).floor() as Ticks, (ticks + slack).ceil() as Ticks))
}
