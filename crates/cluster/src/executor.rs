//! `onca-cluster executor`: asks a scheduler for work, and does it.

use std::io::Write as _;
use std::net::{SocketAddr, TcpListener};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arrow_flight::flight_service_server::FlightServiceServer;
use ballista_core::config::TaskSchedulingPolicy;
use ballista_core::error::BallistaError;
use ballista_executor::ArrowFlightServerProvider;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_executor::flight_service::BallistaFlightService;
use onca_program::{Exit, Failure, print};
use tempfile::TempDir;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Server;

use crate::client::{SchedulerArgs, greet};
use crate::codec::{LogicalCodec, PhysicalCodec};
use crate::engine::{self, MOST_MESSAGE};
use crate::files::Stores;
use crate::process::{LifeArgs, runtime};
use crate::secret::{SecretArgs, Word};

/// How long an executor waits for its scheduler to come up.
const PATIENCE: Duration = Duration::from_secs(60);
/// Seconds that results of questions are kept when nobody fetches them.
const KEPT: u64 = 3600;

/// Ask a scheduler for work, and do it
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    secret: SecretArgs,

    #[command(flatten)]
    life: LifeArgs,

    #[command(flatten)]
    scheduler: SchedulerArgs,

    /// Where to listen for those who fetch results; port 0 is a free one
    #[arg(long, value_name = "IP:PORT", default_value = "127.0.0.1:0")]
    bind: SocketAddr,

    /// The name or address by which others reach this machine, if it is not that of --bind
    #[arg(long, value_name = "HOST")]
    advertise: Option<String>,

    /// Tasks at the same time; all cores by default
    #[arg(long, value_name = "N")]
    cores: Option<NonZeroUsize>,

    /// Memory for what tasks gather, in bytes; 70 % of the machine's by default
    #[arg(long, value_name = "BYTES")]
    memory: Option<u64>,

    /// Where results lie until they are fetched; a folder of its own by default
    #[arg(long, value_name = "DIR")]
    work_dir: Option<PathBuf>,
}

/// Works until it is told to end.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let word = args.secret.word()?;
    args.life.watch();
    let scheduler = args.scheduler.address()?;
    let cannot = |why: String| Failure::Cannot(format!("executor: {why}"));
    let listener = TcpListener::bind(args.bind);
    let listener = listener.map_err(|error| cannot(format!("{}: {error}", args.bind)))?;
    let own = listener.local_addr().map_err(|error| cannot(error.to_string()))?;
    let kept = match &args.work_dir {
        Some(dir) => tempfile::Builder::new().prefix("onca-executor-").tempdir_in(dir),
        None => tempfile::Builder::new().prefix("onca-executor-").tempdir(),
    };
    let kept = kept.map_err(|error| cannot(error.to_string()))?;
    let host = args.advertise.clone().unwrap_or_else(|| own.ip().to_string());
    runtime()?.block_on(async {
        greet(&scheduler, &word, PATIENCE).await?;
        let config = config(args, &word, &scheduler, &host, listener, &kept)?;
        let working = start_executor_process(Arc::new(config));
        print(|out| writeln!(out, "executor: {host}:{}", own.port()).and_then(|()| out.flush()))?;
        working.await.map_err(|error| cannot(error.to_string()))
    })?;
    Ok(Exit::Fine)
}

fn config(
    args: &Args,
    word: &Word,
    scheduler: &str,
    host: &str,
    listener: TcpListener,
    work: &TempDir,
) -> Result<ExecutorProcessConfig, Failure> {
    let cannot = |why: &str| Failure::Cannot(format!("executor: {why}"));
    let (scheduler_host, scheduler_port) =
        scheduler.rsplit_once(':').ok_or_else(|| cannot("the scheduler has no port"))?;
    let own = listener.local_addr().map_err(|error| cannot(&error.to_string()))?;
    let folder = work.path().to_owned();
    let work_dir = folder.to_str().ok_or_else(|| cannot("the work folder is no text"))?;
    let (of_sessions, stores) = (word.clone(), Arc::new(Stores::default()));
    let usual = ExecutorProcessConfig::default();
    Ok(ExecutorProcessConfig {
        // Messages about an executor tell it by this.
        executor_id: format!("{host}:{} {}", own.port(), usual.executor_id),
        bind_host: own.ip().to_string(),
        external_host: Some(host.to_owned()),
        port: own.port(),
        grpc_port: 0,
        scheduler_host: scheduler_host.to_owned(),
        scheduler_port: scheduler_port.parse().map_err(|_| cannot("the port is no number"))?,
        scheduler_connect_timeout_seconds: PATIENCE.as_secs() as u16,
        vcores: args.cores.map_or(0, NonZeroUsize::get),
        memory_pool_size: args.memory,
        task_scheduling_policy: TaskSchedulingPolicy::PullStaged,
        work_dir: Some(work_dir.to_owned()),
        job_data_ttl_seconds: KEPT,
        job_data_clean_up_interval_seconds: KEPT / 4,
        grpc_max_decoding_message_size: MOST_MESSAGE,
        grpc_max_encoding_message_size: MOST_MESSAGE,
        override_function_registry: Some(Arc::new(engine::functions())),
        override_runtime_producer: Some(Arc::new(move |_| engine::runtime(&folder, &stores))),
        override_config_producer: Some(Arc::new(move || engine::config(&of_sessions))),
        override_logical_codec: Some(Arc::new(LogicalCodec::default())),
        override_physical_codec: Some(Arc::new(PhysicalCodec::default())),
        override_arrow_flight_service: Some(results(listener, word)),
        override_create_grpc_client_endpoint: Some(word.on_connections()),
        ..usual
    })
}

/// Hands out results to those who know the secret.
fn results(listener: TcpListener, word: &Word) -> Arc<ArrowFlightServerProvider> {
    let (listener, guard) = (Mutex::new(Some(listener)), word.guard());
    Arc::new(move |work_dir, _, mut shutdown, _| {
        let listener = listener.lock().unwrap_or_else(PoisonError::into_inner).take();
        let service = FlightServiceServer::new(BallistaFlightService::new(work_dir))
            .max_decoding_message_size(MOST_MESSAGE as usize)
            .max_encoding_message_size(MOST_MESSAGE as usize);
        let service = InterceptedService::new(service, guard.clone());
        tokio::spawn(async move {
            let Some(listener) = listener else {
                return Err(BallistaError::General("this is served already".to_owned()));
            };
            listener.set_nonblocking(true)?;
            let incoming = TcpListenerStream::new(tokio::net::TcpListener::from_std(listener)?);
            Server::builder()
                .add_service(service)
                .serve_with_incoming_shutdown(incoming, shutdown.recv())
                .await
                .map_err(BallistaError::TonicError)
        })
    })
}
