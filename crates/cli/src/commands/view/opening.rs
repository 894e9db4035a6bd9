//! What the page may open besides the traces that are named.

use std::path::PathBuf;

use onca_program::Failure;
use onca_program::format::{parse_size, shown};
use onca_serve::Openable;

use super::source;
use crate::place;
use crate::trace::ReadArgs;

/// What the page may open.
#[derive(clap::Args, Clone, Debug)]
pub struct OpeningArgs {
    /// Let the page open traces below this folder, and nothing else; may be given several times
    #[arg(long, value_name = "DIR")]
    pub allow: Vec<PathBuf>,

    /// What all files that are dropped on the page may have together, such as 512M or 4G
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "1G")]
    upload_limit: usize,
}

impl Default for OpeningArgs {
    fn default() -> Self {
        Self { allow: Vec::new(), upload_limit: 1 << 30 }
    }
}

impl OpeningArgs {
    /// Nothing where there is no place for dropped files.
    pub fn openable(&self, read: &ReadArgs) -> Result<Option<Openable>, Failure> {
        if let Some(folder) = self.allow.iter().find(|folder| !folder.is_dir()) {
            return Err(Failure::Cannot(format!("{} is not a folder", shown(folder))));
        }
        let cannot = "neither HOME nor XDG_CACHE_HOME names a folder";
        let Some(cache) = place::cache_dir() else {
            return match self.allow.is_empty() {
                true => Ok(None),
                false => Err(Failure::Cannot(cannot.to_owned())),
            };
        };
        let read = read.clone();
        Ok(Some(Openable {
            folders: self.allow.clone(),
            drops: cache.join("dropped"),
            drop_limit: self.upload_limit as u64,
            recent: Some(cache.join("recent.json")),
            source: Box::new(move |trace| source(trace, &read)),
        }))
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Alone {
        #[command(flatten)]
        opening: OpeningArgs,
    }

    #[test]
    fn commands_without_the_flags_have_their_defaults() {
        let parsed = Alone::parse_from(["onca"]).opening;
        let default = OpeningArgs::default();
        assert_eq!((parsed.allow, parsed.upload_limit), (default.allow, default.upload_limit));
    }
}
