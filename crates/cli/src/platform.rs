//! Networks from files.

use std::path::{Path, PathBuf};

use onca_answer::topology::{Network, PlaceFile, Platform, RouteFile};
use onca_program::read_network;
use onca_store::Store;

use onca_program::Failure;
use onca_program::format::shown;

/// A network, and what runs where on it.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct PlatformArgs {
    /// A network in the DOT language; what the trace tells of its machines by default
    #[arg(long, value_name = "FILE", help_heading = "Network")]
    pub topology: Option<PathBuf>,

    /// Which containers run where: a container and a machine a line; by default their names tell
    #[arg(long, value_name = "FILE", help_heading = "Network")]
    map: Option<PathBuf>,

    /// Ways that messages take, the names of all nodes of a way in a line; the shortest by default
    #[arg(long, value_name = "FILE", help_heading = "Network")]
    routes: Option<PathBuf>,
}

impl PlatformArgs {
    /// The network of the file, if one is named.
    pub fn named(&self) -> Result<Option<Platform>, Failure> {
        let network = self.topology.as_deref().map(read_network).transpose()?;
        network.map(|network| self.with_files(network)).transpose()
    }

    /// The flags that say the same.
    pub fn flags(&self) -> Vec<String> {
        let files = [("topology", &self.topology), ("map", &self.map), ("routes", &self.routes)];
        let flag = |(name, file): (&str, &Option<PathBuf>)| {
            file.as_ref().map(|file| format!("--{name}={}", file.display()))
        };
        files.into_iter().filter_map(flag).collect()
    }

    /// The network of the file, else that of the trace, if it has one.
    pub fn of(&self, store: &Store) -> Result<Option<Platform>, Failure> {
        if let Some(named) = self.named()? {
            return Ok(Some(named));
        }
        let own = Platform::of_trace(store)?;
        own.map(|own| self.with_files(own.network)).transpose()
    }

    /// The network, or why there is none.
    pub fn needed(&self, store: &Store) -> Result<Platform, Failure> {
        self.of(store)?.ok_or_else(|| {
            let why = "the trace tells of no network; name a file of it with --topology";
            Failure::Cannot(why.to_owned())
        })
    }

    fn with_files(&self, network: Network) -> Result<Platform, Failure> {
        let places = read_lines(self.map.as_deref(), PlaceFile::read)?;
        let routes = read_lines(self.routes.as_deref(), RouteFile::read)?;
        Ok(Platform { network, places, routes })
    }
}

fn text_of(path: &Path) -> Result<String, Failure> {
    let cannot = |why: String| Failure::Cannot(format!("{}: {why}", shown(path)));
    std::fs::read_to_string(path).map_err(|error| cannot(error.to_string()))
}

fn read_lines<T>(
    path: Option<&Path>,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<T>, Failure> {
    let Some(path) = path else { return Ok(None) };
    let read = read(&text_of(path)?);
    read.map(Some).map_err(|why| Failure::Cannot(format!("{}:{why}", shown(path))))
}
