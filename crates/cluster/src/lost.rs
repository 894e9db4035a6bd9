//! Executors that are gone. The engine would give their tasks to others, and has been seen to count the
//! rows of a task twice then. So a question that had a task or has rows there is refused, with the name
//! of the executor, and can be asked again.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ballista_core::serde::protobuf::failed_task::FailedReason;
use ballista_core::serde::protobuf::scheduler_grpc_server::SchedulerGrpc;
use ballista_core::serde::protobuf::task_status::Status;
use ballista_core::serde::protobuf::{
    ExecutionError, FailedTask, TaskStatus, UpdateTaskStatusParams,
};
use ballista_core::serde::scheduler::ExecutorMetadata;
use ballista_scheduler::scheduler_server::SchedulerServer;
use ballista_scheduler::state::execution_stage::ExecutionStage;
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use tonic::Request;

/// A scheduler.
pub type Scheduler = SchedulerServer<LogicalPlanNode, PhysicalPlanNode>;

/// How messages about them begin.
pub const LOST: &str = "the executor at ";

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

/// Reports a task as failed in each question that the executor had a part in. It is forgotten when there
/// is none any more: reports are worked off later, and those of a forgotten executor are dropped.
async fn give_up(scheduler: &Scheduler, executor: &ExecutorMetadata) {
    let (host, port) = (&executor.host, executor.port);
    let why = format!("{LOST}{host}:{port} is lost; ask again");
    let mut is_missed = false;
    for job in scheduler.state.task_manager.get_running_job_cache().values() {
        let graph = job.execution_graph.read().await;
        if !had_part(graph.stages().values(), &executor.id) {
            continue;
        }
        is_missed = true;
        // Any will do: a task of another executor may wait for rows of this one.
        let Some(task) = graph.running_tasks().into_iter().next() else { continue };
        drop(graph);
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
        let executor_id = task.executor_id;
        let told = Request::new(UpdateTaskStatusParams { executor_id, task_status: vec![status] });
        if let Err(status) = SchedulerGrpc::update_task_status(scheduler, told).await {
            log::error!("{}", status.message());
        }
    }
    if is_missed {
        return;
    }
    log::warn!("{why}");
    let removed = scheduler.state.executor_manager.remove_executor(&executor.id, Some(why)).await;
    if let Err(error) = removed {
        log::error!("{error}");
    }
}

/// Does an executor work on one of these stages, or has it rows of one?
fn had_part<'a>(mut stages: impl Iterator<Item = &'a ExecutionStage>, executor: &str) -> bool {
    let tasks = |stage: &'a ExecutionStage| match stage {
        ExecutionStage::Running(stage) => stage.task_infos.as_slice(),
        ExecutionStage::Successful(stage) => stage.task_infos.as_slice(),
        _ => &[],
    };
    stages.any(|stage| {
        tasks(stage).iter().any(|task| match &task.task_status {
            Status::Running(task) => task.executor_id == executor,
            Status::Successful(task) => task.executor_id == executor,
            Status::Failed(_) => false,
        })
    })
}
