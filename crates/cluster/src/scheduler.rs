//! `onca-cluster scheduler`: takes questions, and hands their parts to executors.

use std::io::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::http::StatusCode;
use axum::routing::any;
use ballista_core::config::TaskSchedulingPolicy;
use ballista_core::serde::protobuf::scheduler_grpc_server::SchedulerGrpcServer;
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::{SchedulerConfig, TaskDistributionPolicy};
use ballista_scheduler::scheduler_process::create_scheduler;
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use onca_program::{Exit, Failure, print};
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::service::Routes;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Server;

use crate::codec::{LogicalCodec, PhysicalCodec};
use crate::engine::{self, MOST_MESSAGE};
use crate::lost;
use crate::process::{LifeArgs, ended, runtime};
use crate::secret::{SecretArgs, Word};

/// Where executors say that they stop, whereupon the engine would do their tasks again: see `lost`.
/// What they say while they work comes with their requests for it.
const STOPPED: [&str; 2] = [
    "/ballista.protobuf.SchedulerGrpc/ExecutorStopped",
    "/ballista.protobuf.SchedulerGrpc/HeartBeatFromExecutor",
];
/// Longer than any scheduler runs, in seconds.
const NEVER: u64 = 1 << 30;

/// Take questions, and hand their parts to executors
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    secret: SecretArgs,

    #[command(flatten)]
    life: LifeArgs,

    /// Where to listen; port 0 is a free one
    #[arg(long, value_name = "IP:PORT", default_value = "127.0.0.1:50050")]
    bind: SocketAddr,

    /// Hold an executor for lost that has said nothing for this many seconds. Idle ones say something many
    /// times a second, busy ones every five seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(6..))]
    patience: u64,
}

/// Serves until it is told to end.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let word = args.secret.word()?;
    args.life.watch();
    runtime()?.block_on(serve(args, word))?;
    Ok(Exit::Fine)
}

async fn serve(args: &Args, word: Word) -> Result<(), Failure> {
    let cannot = |why: String| Failure::Cannot(format!("scheduler: {why}"));
    let listener = TcpListener::bind(args.bind).await;
    let listener = listener.map_err(|error| cannot(format!("{}: {error}", args.bind)))?;
    let address = listener.local_addr().map_err(|error| cannot(error.to_string()))?;
    let config = Arc::new(config(address, &word));
    let cluster = BallistaCluster::new_from_config(&config).await;
    let cluster = cluster.map_err(|error| cannot(error.to_string()))?;
    let scheduler = create_scheduler::<LogicalPlanNode, PhysicalPlanNode>(cluster, config).await;
    let scheduler = scheduler.map_err(|error| cannot(error.to_string()))?;
    tokio::spawn(lost::watch(scheduler.clone(), args.patience));
    let service = SchedulerGrpcServer::new(scheduler)
        .max_decoding_message_size(MOST_MESSAGE as usize)
        .max_encoding_message_size(MOST_MESSAGE as usize);
    print(|out| writeln!(out, "scheduler: {address}").and_then(|()| out.flush()))?;
    let mut router = Routes::new(InterceptedService::new(service, word.guard())).into_axum_router();
    for path in STOPPED {
        router = router.route(path, any(|| async { StatusCode::NOT_IMPLEMENTED }));
    }
    Server::builder()
        .add_routes(Routes::from(router))
        .serve_with_incoming_shutdown(TcpListenerStream::new(listener), ended())
        .await
        .map_err(|error| cannot(error.to_string()))
}

/// Executors ask for work: nobody has to reach them but for results.
fn config(address: SocketAddr, word: &Word) -> SchedulerConfig {
    let own = word.clone();
    SchedulerConfig {
        bind_host: address.ip().to_string(),
        bind_port: address.port(),
        external_host: address.ip().to_string(),
        scheduling_policy: TaskSchedulingPolicy::PullStaged,
        task_distribution: TaskDistributionPolicy::RoundRobin,
        grpc_server_max_decoding_message_size: MOST_MESSAGE,
        grpc_server_max_encoding_message_size: MOST_MESSAGE,
        grpc_client_max_message_size: MOST_MESSAGE,
        // Nothing is done twice: see `lost`.
        executor_timeout_seconds: NEVER,
        task_max_failures: 1,
        stage_max_failures: 1,
        override_config_producer: Some(Arc::new(move || engine::config(&own))),
        override_session_builder: Some(Arc::new(engine::planning)),
        override_logical_codec: Some(Arc::new(LogicalCodec::default())),
        override_physical_codec: Some(Arc::new(PhysicalCodec::default())),
        override_create_grpc_client_endpoint: Some(word.on_connections()),
        ..SchedulerConfig::default()
    }
}
