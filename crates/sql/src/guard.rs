//! What may be asked: queries, and nothing else. Both the statement and the plan made of it are
//! checked against a list of what is allowed, so that what is not known is refused.

use std::collections::VecDeque;

use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result as EngineResult, plan_err};
use datafusion::logical_expr::LogicalPlan;
use datafusion::logical_expr::sqlparser::ast::Statement as SqlStatement;
use datafusion::logical_expr::sqlparser::dialect::GenericDialect;
use datafusion::sql::parser::{DFParserBuilder, Statement};

use crate::error::{Result, SqlError};
use crate::extent;

/// How deep the parser may go. Queries are bounded before it sees them; this stops what nests in
/// ways that only a parser knows. A bracket takes it a few steps.
const MOST_STEPS: usize = 400;

const ALLOWED: &str = "only one query is allowed: SELECT, WITH, VALUES, EXPLAIN, DESCRIBE, SHOW TABLES or SHOW COLUMNS";

/// Parses the one statement of a query and refuses all that is not one.
pub(crate) fn parse(sql: &str) -> Result<Statement> {
    extent::check(sql)?;
    let statements = DFParserBuilder::new(sql)
        .with_dialect(&GenericDialect {})
        .with_recursion_limit(MOST_STEPS)
        .build()?
        .parse_statements()?;
    let statement = only(statements)?;
    match is_query(&statement) {
        true => Ok(statement),
        false => Err(SqlError::Invalid(format!("{} is not a query; {ALLOWED}", first_word(sql)))),
    }
}

fn only(mut statements: VecDeque<Statement>) -> Result<Statement> {
    match (statements.pop_front(), statements.is_empty()) {
        (Some(statement), true) => Ok(statement),
        (Some(_), false) => {
            Err(SqlError::Invalid(format!("there are several statements; {ALLOWED}")))
        }
        (None, _) => Err(SqlError::Invalid(format!("there is no query; {ALLOWED}"))),
    }
}

fn is_query(statement: &Statement) -> bool {
    let mut statement = statement;
    // EXPLAIN may explain another.
    while let Statement::Explain(explain) = statement {
        statement = &explain.statement;
    }
    match statement {
        Statement::Statement(statement) => is_sql_query(statement),
        _ => false,
    }
}

fn is_sql_query(statement: &SqlStatement) -> bool {
    let mut statement = statement;
    while let SqlStatement::Explain { statement: explained, .. } = statement {
        statement = explained;
    }
    matches!(
        statement,
        SqlStatement::Query(_)
            | SqlStatement::ExplainTable { .. }
            | SqlStatement::ShowTables { .. }
            | SqlStatement::ShowColumns { .. }
    )
}

fn first_word(sql: &str) -> String {
    let word: String = sql.trim_start().chars().take_while(|c| c.is_alphanumeric()).collect();
    if word.is_empty() { "this".to_owned() } else { word.to_uppercase() }
}

/// Refuses a plan that does anything but compute rows.
pub(crate) fn check(plan: &LogicalPlan) -> EngineResult<()> {
    plan.apply_with_subqueries(|node| match node {
        LogicalPlan::Projection(_)
        | LogicalPlan::Filter(_)
        | LogicalPlan::Window(_)
        | LogicalPlan::Aggregate(_)
        | LogicalPlan::Sort(_)
        | LogicalPlan::Join(_)
        | LogicalPlan::Repartition(_)
        | LogicalPlan::Union(_)
        | LogicalPlan::TableScan(_)
        | LogicalPlan::EmptyRelation(_)
        | LogicalPlan::Subquery(_)
        | LogicalPlan::SubqueryAlias(_)
        | LogicalPlan::Limit(_)
        | LogicalPlan::Values(_)
        | LogicalPlan::Explain(_)
        | LogicalPlan::Analyze(_)
        | LogicalPlan::Distinct(_)
        | LogicalPlan::DescribeTable(_)
        | LogicalPlan::Unnest(_)
        | LogicalPlan::RecursiveQuery(_) => Ok(TreeNodeRecursion::Continue),
        LogicalPlan::Statement(_)
        | LogicalPlan::Extension(_)
        | LogicalPlan::Dml(_)
        | LogicalPlan::Ddl(_)
        | LogicalPlan::Copy(_) => plan_err!("this does more than ask; {ALLOWED}"),
    })?;
    Ok(())
}
