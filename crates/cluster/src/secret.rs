//! The secret that all processes of a cluster share: a file that only its owner can read. Every request
//! carries a word that is made of it, and who has another word gets nothing.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ballista_core::extension::EndpointOverrideFn;
use onca_program::format::shown;
use onca_program::{Exit, Failure};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use tonic::service::Interceptor;
use tonic::{Request, Status};

/// The variable that names the file.
const VARIABLE: &str = "ONCA_CLUSTER_SECRET";
/// Shorter ones can be guessed.
const FEWEST_DIGITS: usize = 32;
/// Nobody writes a longer one.
const MOST_BYTES: u64 = 4096;

/// Make a file with a new secret, which only you can read
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The file
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// Makes the file.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    make(&args.file)?;
    Ok(Exit::Fine)
}

/// Makes a file with a new secret.
pub fn make(path: &Path) -> Result<(), Failure> {
    let cannot = |error: io::Error| Failure::Cannot(format!("{}: {error}", shown(path)));
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(|error| cannot(io::Error::other(error)))?;
    let mut file =
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map_err(cannot)?;
    writeln!(file, "{}", hex(&bytes)).and_then(|()| file.sync_all()).map_err(cannot)
}

/// Digits for bytes.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Which file holds the secret.
#[derive(clap::Args, Clone, Debug)]
pub struct SecretArgs {
    /// The file with the secret that all processes share; ONCA_CLUSTER_SECRET may name it
    #[arg(long, value_name = "FILE")]
    secret: Option<PathBuf>,
}

impl SecretArgs {
    /// The file that is named, if one is.
    pub fn named(&self) -> Option<PathBuf> {
        let in_environment = || std::env::var_os(VARIABLE).filter(|path| !path.is_empty());
        self.secret.clone().or_else(|| in_environment().map(PathBuf::from))
    }

    /// Reads the secret.
    pub fn word(&self) -> Result<Word, Failure> {
        match self.named() {
            Some(path) => Word::read(&path),
            None => Err(Failure::Cannot(format!(
                "a cluster needs a secret: --secret FILE, or {VARIABLE}; \
                 \"onca-cluster secret FILE\" makes one"
            ))),
        }
    }
}

/// How often a connection asks whether the other end is there. It ends when nothing comes for 20
/// seconds.
const PULSE: Duration = Duration::from_secs(10);

/// What requests carry: of no use to find the secret.
#[derive(Clone)]
pub struct Word(String);

impl Word {
    /// The word that belongs to the secret in a file.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let cannot = |why: String| Failure::Cannot(format!("{}: {why}", shown(path)));
        let file = File::open(path).map_err(|error| cannot(error.to_string()))?;
        let found = file.metadata().map_err(|error| cannot(error.to_string()))?;
        if !found.is_file() {
            return Err(cannot("this is no file".to_owned()));
        }
        if found.mode() & 0o077 != 0 {
            let why = "others may read this secret; allow it to nobody else: chmod 600";
            return Err(cannot(why.to_owned()));
        }
        let mut secret = Vec::new();
        file.take(MOST_BYTES)
            .read_to_end(&mut secret)
            .map_err(|error| cannot(error.to_string()))?;
        let secret = secret.trim_ascii();
        if secret.len() < FEWEST_DIGITS || !secret.iter().all(u8::is_ascii_hexdigit) {
            let why = format!("a secret has at least {FEWEST_DIGITS} hexadecimal digits");
            return Err(cannot(why));
        }
        let digest = Sha256::new().chain_update("onca-cluster/1 ").chain_update(secret).finalize();
        Ok(Self(format!("onca-cluster/{}", hex(&digest))))
    }

    /// Makes connections whose requests carry the word, and that end when the other machine does. The name of the program that asks is the one
    /// header that the engine lets us choose for every connection.
    pub fn on_connections(&self) -> EndpointOverrideFn {
        let word = self.0.clone();
        Arc::new(move |endpoint| {
            Ok(endpoint.user_agent(word.as_str())?.http2_keep_alive_interval(PULSE))
        })
    }

    /// Lets requests through that carry the word.
    pub fn guard(&self) -> Guard {
        Guard(self.0.clone())
    }
}

/// Refuses requests without the word.
#[derive(Clone)]
pub struct Guard(String);

impl Interceptor for Guard {
    fn call(&mut self, request: Request<()>) -> Result<Request<()>, Status> {
        let agent = request.metadata().get("user-agent").and_then(|agent| agent.to_str().ok());
        let word = agent.and_then(|agent| agent.split(' ').next()).unwrap_or_default();
        match bool::from(word.as_bytes().ct_eq(self.0.as_bytes())) {
            true => Ok(request),
            false => Err(Status::unauthenticated("the secret is not that of this cluster")),
        }
    }
}
