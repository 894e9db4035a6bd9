//! Queries that can be stopped: what makes many rows of few has to yield now and then.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::coop::CooperativeExec;

/// Makes joins, unions, recursion and the like yield. The engine does this for what reads rows,
/// which is not enough where a few rows become billions.
#[derive(Debug)]
pub(crate) struct YieldOften;

impl PhysicalOptimizerRule for YieldOften {
    fn name(&self) -> &'static str {
        "YieldOften"
    }

    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let yielding = plan.transform_up(|plan| match makes_rows(&*plan) {
            true => {
                Ok(Transformed::yes(Arc::new(CooperativeExec::new(plan)) as Arc<dyn ExecutionPlan>))
            }
            false => Ok(Transformed::no(plan)),
        });
        Ok(yielding?.data)
    }

    fn schema_check(&self) -> bool {
        true
    }
}

fn makes_rows(plan: &dyn ExecutionPlan) -> bool {
    plan.children().len() > 1 || plan.name() == "UnnestExec"
}
