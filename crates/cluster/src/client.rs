//! Where the scheduler is, and whether it takes our questions.

use std::time::{Duration, Instant};

use ballista_core::serde::protobuf::GetJobStatusParams;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use ballista_core::utils::create_grpc_client_endpoint;
use onca_program::Failure;
use tonic::Code;
use tonic::transport::Channel;

use crate::secret::Word;

/// The variable that names the scheduler.
const VARIABLE: &str = "ONCA_CLUSTER_SCHEDULER";

/// Which scheduler.
#[derive(clap::Args, Clone, Debug)]
pub struct SchedulerArgs {
    /// The scheduler; ONCA_CLUSTER_SCHEDULER may name it
    #[arg(long, value_name = "HOST:PORT")]
    scheduler: Option<String>,
}

impl SchedulerArgs {
    /// Its host and port.
    pub fn address(&self) -> Result<String, Failure> {
        let in_environment = || std::env::var(VARIABLE).ok().filter(|name| !name.is_empty());
        let named = self.scheduler.clone().or_else(in_environment);
        let Some(address) = named else {
            let why = format!("which scheduler? --scheduler HOST:PORT, or {VARIABLE}");
            return Err(Failure::Cannot(why));
        };
        match address.rsplit_once(':') {
            Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok() => Ok(address),
            _ => Err(Failure::Cannot(format!("{address:?} is no address; write HOST:PORT"))),
        }
    }
}

/// Asks whether the scheduler takes questions with this secret, and waits for it to come up for a
/// while.
pub async fn greet(address: &str, word: &Word, patience: Duration) -> Result<(), Failure> {
    let begin = Instant::now();
    loop {
        match connect(address, word).await {
            Ok(channel) => return ask(address, channel).await,
            Err(why) if begin.elapsed() >= patience => {
                return Err(Failure::Cannot(format!("the scheduler at {address}: {why}")));
            }
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

async fn connect(address: &str, word: &Word) -> Result<Channel, String> {
    let endpoint = create_grpc_client_endpoint(format!("http://{address}"), None);
    let endpoint = endpoint.map_err(|error| error.to_string())?;
    let endpoint = word.on_connections()(endpoint).map_err(|error| error.to_string())?;
    endpoint.connect().await.map_err(|error| innermost(&error))
}

/// Asks about a question that nobody has asked: whoever may ask hears that there is none.
async fn ask(address: &str, channel: Channel) -> Result<(), Failure> {
    let nothing = GetJobStatusParams { job_id: "none".to_owned() };
    let refused = |why: &str| Failure::Cannot(format!("the scheduler at {address}: {why}"));
    match SchedulerGrpcClient::new(channel).get_job_status(nothing).await {
        Err(status) if status.code() == Code::Unauthenticated => Err(refused(status.message())),
        Err(status) if status.code() == Code::Unimplemented => {
            Err(refused("this is no scheduler of onca-cluster"))
        }
        Err(status) if status.code() == Code::Unavailable => Err(refused(status.message())),
        Ok(_) | Err(_) => Ok(()),
    }
}

fn innermost(error: &dyn std::error::Error) -> String {
    let mut error = error;
    while let Some(cause) = error.source() {
        error = cause;
    }
    error.to_string()
}
