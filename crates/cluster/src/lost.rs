//! Executors that are gone. The engine would give their tasks to others, and has been seen to count the
//! rows of a task twice then. So a question that had a task there is refused, with the name of the
//! executor, and can be asked again.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ballista_core::serde::protobuf::failed_task::FailedReason;
use ballista_core::serde::protobuf::scheduler_grpc_server::SchedulerGrpc;
use ballista_core::serde::protobuf::task_status::Status;
use ballista_core::serde::protobuf::{
    ExecutionError, FailedTask, TaskStatus, UpdateTaskStatusParams,
};
use ballista_core::serde::scheduler::ExecutorMetadata;
use ballista_scheduler::scheduler_server::SchedulerServer;
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use tonic::Request;

/// A scheduler.
pub type Scheduler = SchedulerServer<LogicalPlanNode, PhysicalPlanNode>;

/// How often is looked.
const LOOK: Duration = Duration::from_millis(500);

/// Gives up executors that have said nothing for so many seconds.
pub async fn watch(scheduler: Scheduler, patience: u64) {
    loop {
        tokio::time::sleep(LOOK).await;
        let Ok(executors) = scheduler.state.executor_manager.get_executors_state().await else {
            continue;
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        for (executor, heard, _) in executors {
            if heard.is_some_and(|heard| now.saturating_sub(heard).as_secs() > patience) {
                give_up(&scheduler, &executor).await;
            }
        }
    }
}

/// Reports one task in each question as failed. The executor is forgotten when it has no task any more:
/// reports are worked off later, and those of a forgotten executor are dropped.
async fn give_up(scheduler: &Scheduler, executor: &ExecutorMetadata) {
    let (host, port) = (&executor.host, executor.port);
    let why = format!("the executor at {host}:{port} is lost; ask again");
    let mut has_tasks = false;
    for job in scheduler.state.task_manager.get_running_job_cache().values() {
        let tasks = job.execution_graph.read().await.running_tasks();
        let Some(task) = tasks.into_iter().find(|task| task.executor_id == executor.id) else {
            continue;
        };
        has_tasks = true;
        let failed = FailedTask {
            error: why.clone(),
            retryable: false,
            count_to_failures: false,
            failed_reason: Some(FailedReason::ExecutionError(ExecutionError {})),
        };
        let status = TaskStatus {
            task_id: task.task_id as u32,
            job_id: task.job_id.to_string(),
            stage_id: task.stage_id as u32,
            status: Some(Status::Failed(failed)),
            ..TaskStatus::default()
        };
        let executor_id = executor.id.clone();
        let told = Request::new(UpdateTaskStatusParams { executor_id, task_status: vec![status] });
        if let Err(status) = SchedulerGrpc::update_task_status(scheduler, told).await {
            log::error!("{}", status.message());
        }
    }
    if has_tasks {
        return;
    }
    log::warn!("{why}");
    let removed = scheduler.state.executor_manager.remove_executor(&executor.id, Some(why)).await;
    if let Err(error) = removed {
        log::error!("{error}");
    }
}
