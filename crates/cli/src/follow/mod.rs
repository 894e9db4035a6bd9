//! Traces that are read while they are written.

mod anew;
mod line;
mod live;
mod receive;
mod shown;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use onca_model::Shift;
use onca_program::Failure;
use onca_program::format::shown;
use onca_store::Store;

use crate::trace::refuse_datasets;

pub use line::LiveLine;
pub use live::{Live, Observer, Standing, Writer};
use receive::{Receiving, Sender};
pub use shown::FollowedTrace;

/// How a trace is followed.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct FollowArgs {
    /// Read the trace while it is written: a file, the folder of a run, "-", unix:PATH or tcp:HOST:PORT. docs/live.md tells how
    #[arg(long, help_heading = "Following")]
    pub follow: bool,

    /// With --follow, take the trace as complete when nothing has come for this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, requires = "follow", help_heading = "Following")]
    until_idle: Option<Duration>,

    /// With --follow, how long records that are not in order may wait for earlier ones, in time of the trace
    #[arg(long, value_name = "TIME", value_parser = Shift::parse, default_value = "1s", help_heading = "Following")]
    lateness: Option<Shift>,
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds =
        text.parse::<f64>().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| format!("{text:?} is no number of seconds"))
}

/// Where a trace comes from.
#[derive(Clone)]
pub enum Followed {
    /// A file or folder that somebody else writes.
    Written(PathBuf),
    /// What is sent; it is kept in a file of its own until its store is built.
    Sent(Sender),
    /// The folder of a program that this process runs; the flag tells that it has ended.
    Run(PathBuf, Arc<AtomicBool>),
}

impl Followed {
    /// What a user names on the command line.
    pub fn named(trace: &Path) -> Result<Self, Failure> {
        refuse_datasets(trace)?;
        Ok(match Sender::named(trace)? {
            Some(sender) => Self::Sent(sender),
            None if trace.is_dir() && Store::open(trace).is_ok() => {
                let what = "is a store, to which nothing is added; name the trace instead";
                return Err(Failure::Cannot(format!("{} {what}", shown(trace))));
            }
            None => Self::Written(trace.to_owned()),
        })
    }

    /// Is it what others send, of which there is no second copy?
    pub fn is_sent(&self) -> bool {
        matches!(self, Self::Sent(_))
    }
}

/// Reads on until the trace is complete or somebody wants to stop, and leaves a store.
pub fn follow(
    followed: &Followed,
    place: &Path,
    read: &crate::trace::ReadArgs,
    args: &FollowArgs,
    observer: &mut dyn Observer,
) -> Result<crate::trace::Built, Failure> {
    let receiving = match followed {
        Followed::Sent(sender) => Some(Receiving::begin(sender, place)?),
        Followed::Written(_) | Followed::Run(..) => None,
    };
    let (path, writer) = match (followed, &receiving) {
        (Followed::Run(path, ended), _) => (path.as_path(), Writer::Run(ended)),
        (_, Some(receiving)) => (receiving.kept(), Writer::Receiving(receiving)),
        (Followed::Written(path), None) => (path.as_path(), Writer::Other),
        (Followed::Sent(_), None) => unreachable!("what is sent is received"),
    };
    let (lateness, until_idle) = (args.lateness, args.until_idle);
    let built = Live { path, place, read, lateness, until_idle, writer }.run(observer)?;
    if let Some(receiving) = receiving {
        receiving.forget();
    }
    Ok(built)
}
