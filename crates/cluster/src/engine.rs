//! What the engine knows in every process of a cluster: our functions and those of the engine, and no
//! place but data sets.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use ballista_core::extension::SessionConfigExt;
use ballista_core::optimizer::ballista_default_optimizer_rules;
use ballista_core::registry::BallistaFunctionRegistry;
use datafusion::common::Result;
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::execution::{SessionState, SessionStateBuilder, SessionStateDefaults};
use datafusion::logical_expr::ScalarUDF;
use datafusion::prelude::SessionConfig;
use onca_sql::function_of;

use crate::files::Stores;
use crate::secret::Word;

/// The longest message that processes send each other, in bytes: a plan, or the tasks of a stage.
pub const MOST_MESSAGE: u32 = 64 << 20;

/// How sessions are set in every process.
pub fn config(word: &Word) -> SessionConfig {
    SessionConfig::new_with_ballista()
        .with_ballista_grpc_client_max_message_size(MOST_MESSAGE as usize)
        .with_ballista_override_create_grpc_client_endpoint(word.on_connections())
}

/// The same, with so many parts of a stage.
pub fn config_of_question(word: &Word, parts: NonZeroUsize) -> SessionConfig {
    config(word).with_target_partitions(parts.get())
}

fn scalar_functions() -> Vec<Arc<ScalarUDF>> {
    let own = ["overlap", "cut"].into_iter().filter_map(|name| function_of(None, name));
    SessionStateDefaults::default_scalar_functions().into_iter().chain(own).collect()
}

/// A session of the scheduler, which plans.
pub fn planning(config: SessionConfig) -> Result<SessionState> {
    let runtime = RuntimeEnvBuilder::new()
        .with_object_store_registry(Arc::new(Stores::default()))
        .build_arc()?;
    Ok(SessionStateBuilder::new()
        .with_config(config)
        .with_runtime_env(runtime)
        .with_optimizer_rules(ballista_default_optimizer_rules())
        .with_expr_planners(SessionStateDefaults::default_expr_planners())
        .with_scalar_functions(scalar_functions())
        .with_higher_order_functions(SessionStateDefaults::default_higher_order_functions())
        .with_aggregate_functions(SessionStateDefaults::default_aggregate_functions())
        .with_window_functions(SessionStateDefaults::default_window_functions())
        .build())
}

/// The functions of an executor.
pub fn functions() -> BallistaFunctionRegistry {
    let scalar_functions: HashMap<_, _> = scalar_functions()
        .into_iter()
        .flat_map(|function| {
            let names = std::iter::once(function.name())
                .chain(function.aliases().iter().map(String::as_str));
            names.map(|name| (name.to_owned(), Arc::clone(&function))).collect::<Vec<_>>()
        })
        .collect();
    BallistaFunctionRegistry { scalar_functions, ..BallistaFunctionRegistry::default() }
}

/// What tasks of an executor may use.
pub fn runtime(work: &Path, stores: &Arc<Stores>) -> Result<Arc<RuntimeEnv>> {
    RuntimeEnvBuilder::new()
        .with_temp_file_path(work)
        .with_object_store_registry(Arc::clone(stores) as _)
        .build_arc()
}
