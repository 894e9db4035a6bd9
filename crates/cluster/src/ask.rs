//! A database whose questions the cluster answers.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use ballista_core::extension::SessionConfigExt;
use ballista_core::optimizer::ballista_default_optimizer_rules;
use ballista_core::planner::BallistaQueryPlanner;
use datafusion::catalog::Session;
use datafusion::common::Result as EngineResult;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::datasource::source_as_provider;
use datafusion::execution::context::QueryPlanner;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_planner::{DefaultPhysicalPlanner, PhysicalPlanner};
use datafusion_proto::protobuf::LogicalPlanNode;
use onca_program::Failure;
use onca_sql::{DataSets, Database, PortableTable, SqlError};

use crate::client::{SchedulerArgs, greet};
use crate::codec::LogicalCodec;
use crate::engine::config_of_question;
use crate::known;
use crate::lost::LOST;
use crate::secret::SecretArgs;

/// How long a scheduler may take to say that it is there.
const PATIENCE: Duration = Duration::from_secs(5);
/// Parts of a stage, which are shared among all executors.
const PARTS: NonZeroUsize = NonZeroUsize::new(16).expect("more than none");

/// What is asked, and who answers.
#[derive(clap::Args, Clone, Debug)]
pub struct AskArgs {
    #[command(flatten)]
    secret: SecretArgs,

    #[command(flatten)]
    scheduler: SchedulerArgs,

    /// A data set, or a folder with several: a path that all machines know, or s3://BUCKET/PATH
    #[arg(value_name = "DATASET")]
    pub dataset: PathBuf,

    /// Parts into which the work of a stage is cut, to be shared among executors
    #[arg(long, value_name = "N", default_value_t = PARTS)]
    parts: NonZeroUsize,
}

impl AskArgs {
    /// Opens the data sets, and asks whether the scheduler is there.
    pub async fn open(&self) -> Result<(Arc<DataSets>, Database), Failure> {
        let word = self.secret.word()?;
        let scheduler = self.scheduler.address()?;
        let sets = known::open(Path::new(&self.dataset))?;
        greet(&scheduler, &word, PATIENCE).await?;
        let config = config_of_question(&word, self.parts);
        let planner = Planner(BallistaQueryPlanner::with_extension(
            format!("http://{scheduler}"),
            config.ballista_config(),
            Arc::new(LogicalCodec::default()),
        ));
        let database = Database::answered_elsewhere(&sets, config, |session| {
            session
                .with_optimizer_rules(ballista_default_optimizer_rules())
                .with_query_planner(Arc::new(planner))
        });
        Ok((sets, database.map_err(failure)?))
    }
}

/// Why there is no answer.
pub fn failure(error: SqlError) -> Failure {
    match error {
        SqlError::Limit(why) => Failure::Limit(why),
        error => Failure::Cannot(own_words(&error.to_string())),
    }
}

/// What a scheduler or a task said, out of what the engine says about it.
fn own_words(message: &str) -> String {
    if let Some(at) = message.find(LOST) {
        return message[at..].to_owned();
    }
    if let Some((_, rest)) = message.split_once("error from Executor ")
        && let Some((address, rest)) = rest.split_once(' ')
    {
        let why = rest.split_once("error desc: ").map_or(rest, |(_, why)| why);
        return format!("no rows came from the executor at {address}; ask again: {why}");
    }
    let begins = ["Execution(\"", "Plan(\""].into_iter();
    let Some(rest) = begins.filter_map(|begin| Some(message.split_once(begin)?.1)).next() else {
        return message.to_owned();
    };
    let (mut words, mut is_escaped) = (String::new(), false);
    for letter in rest.chars() {
        match letter {
            '"' if !is_escaped => return words,
            '\\' if !is_escaped => is_escaped = true,
            _ => {
                words.push(letter);
                is_escaped = false;
            }
        }
    }
    // It was cut.
    message.to_owned()
}

/// What reads tables is planned by the scheduler; the rest is answered where it is asked.
#[derive(Debug)]
struct Planner(BallistaQueryPlanner<LogicalPlanNode>);

#[async_trait]
impl QueryPlanner for Planner {
    async fn create_physical_plan(
        &self,
        plan: &LogicalPlan,
        session: &dyn Session,
    ) -> EngineResult<Arc<dyn ExecutionPlan>> {
        match is_for_executors(plan)? {
            true => self.0.create_physical_plan(plan, session).await,
            false => DefaultPhysicalPlanner::default().create_physical_plan(plan, session).await,
        }
    }
}

/// Descriptions of tables and of plans need no rows, and some rows are known.
fn is_for_executors(plan: &LogicalPlan) -> EngineResult<bool> {
    if matches!(plan, LogicalPlan::Explain(_) | LogicalPlan::DescribeTable(_)) {
        return Ok(false);
    }
    let mut reads = false;
    plan.apply_with_subqueries(|node| {
        if let LogicalPlan::TableScan(scan) = node {
            let table = source_as_provider(&scan.source)?;
            reads |= matches!(PortableTable::of(&*table), Some(PortableTable::Set { .. }));
        }
        Ok(if reads { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    })?;
    Ok(reads)
}

#[cfg(test)]
mod tests {
    use super::own_words;

    #[test]
    fn a_task_speaks_for_itself() {
        let wrapped =
            r#"Job 1 failed: DataFusionError(Shared(Execution("no type \"x\"; there are 2")))"#;
        assert_eq!(own_words(wrapped), r#"no type "x"; there are 2"#);
        let wrapped = "Job 1 failed: stage 0 failed: the executor at a:1 is lost; ask again";
        assert_eq!(own_words(wrapped), "the executor at a:1 is lost; ask again");
        let wrapped =
            "External error: Shuffle fetch partition error from Executor a:1 0-1, error desc: gone";
        assert_eq!(own_words(wrapped), "no rows came from the executor at a:1; ask again: gone");
        for plain in ["no field", r#"Execution("cut"#] {
            assert_eq!(own_words(plain), plain);
        }
    }
}
