//! Which files a query needs, from what the manifest says of their containers and times.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, StringArray, UInt32Array,
};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::Session;
use datafusion::common::{Column, DFSchema, Result, ScalarValue};
use datafusion::logical_expr::Expr;
use datafusion::logical_expr::expr_rewriter::unnormalize_col;
use datafusion::physical_optimizer::pruning::{PruningPredicateBuilder, PruningStatistics};
use onca_model::Ticks;

use super::table::TableFile;
use crate::prune::has_subquery;

/// Can a condition tell files apart before they are opened?
pub(super) fn is_plain(filter: &Expr) -> bool {
    !filter.is_volatile() && !has_subquery(filter)
}

/// The files that may have rows for which all conditions hold.
pub(super) fn needed<'a>(
    files: &'a [TableFile],
    schema: &SchemaRef,
    session: &dyn Session,
    filters: &[Expr],
) -> Result<Vec<&'a TableFile>> {
    let mut kept: Vec<&TableFile> = files.iter().collect();
    let known = DFSchema::try_from(Arc::clone(schema))?;
    for filter in filters.iter().filter(|filter| is_plain(filter)) {
        // The table may go by another name in the query.
        let filter = session.create_physical_expr(unnormalize_col(filter.clone()), &known)?;
        let holds = PruningPredicateBuilder::new()
            .with_file_schema(Arc::clone(schema))
            .try_build(filter)
            .and_then(|pruning| pruning.prune(&Ranges(&kept)));
        // What says nothing about files is for their rows.
        let Ok(holds) = holds else { continue };
        let mut holds = holds.into_iter();
        kept.retain(|_| holds.next().unwrap_or(true));
    }
    Ok(kept)
}

/// The least and the greatest of columns, file by file.
struct Ranges<'a>(&'a [&'a TableFile]);

impl Ranges<'_> {
    fn bounds(
        &self,
        column: &Column,
        of_ids: fn((u32, u32)) -> u32,
        of_ticks: fn((Ticks, Ticks)) -> Ticks,
    ) -> Option<ArrayRef> {
        let files = self.0.iter();
        let bounds: ArrayRef = match column.name() {
            "run" => Arc::new(files.map(|file| Some(file.run.as_str())).collect::<StringArray>()),
            "container_id" => {
                Arc::new(files.map(|file| file.containers.map(of_ids)).collect::<UInt32Array>())
            }
            "tick" | "tick_start" | "tick_end" => {
                Arc::new(files.map(|file| file.ticks.map(of_ticks)).collect::<Int64Array>())
            }
            // Units are rounded, but in the same way here as in rows.
            "time" | "t_start" | "t_end" => {
                let units = |file: &&TableFile| Some(file.unit.units(of_ticks(file.ticks?)));
                Arc::new(files.map(units).collect::<Float64Array>())
            }
            _ => return None,
        };
        Some(bounds)
    }
}

impl PruningStatistics for Ranges<'_> {
    fn min_values(&self, column: &Column) -> Option<ArrayRef> {
        self.bounds(column, |(first, _)| first, |(first, _)| first)
    }

    fn max_values(&self, column: &Column) -> Option<ArrayRef> {
        self.bounds(column, |(_, last)| last, |(_, last)| last)
    }

    fn num_containers(&self) -> usize {
        self.0.len()
    }

    fn null_counts(&self, _: &Column) -> Option<ArrayRef> {
        None
    }

    fn row_counts(&self) -> Option<ArrayRef> {
        None
    }

    fn contained(&self, _: &Column, _: &HashSet<ScalarValue>) -> Option<BooleanArray> {
        None
    }
}
