//! How efficient a program is with more and more processes, as a figure.

use std::path::{Path, PathBuf};

use onca_program::format::shown;
use onca_program::{Exit, Failure};
use onca_views::scaling;

use super::paper::PageArgs;
use crate::commands::compare::scaling_of;
use crate::look::LensArgs;
use crate::trace::{ReadArgs, trace_path};

/// How efficient runs with more and more processes are, as curves and as a table
///
/// What onca compare --scaling tells: the factors of the POP project, beside the run with the fewest processes.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca render scaling run-16.paje run-32.paje run-64.paje -o scaling.svg")]
pub struct ScalingArgs {
    /// The runs, traces or stores, in any order
    #[arg(value_name = "TRACE", num_args = 2.., required = true, value_parser = trace_path())]
    runs: Vec<PathBuf>,

    #[command(flatten)]
    lens: LensArgs,

    #[command(flatten)]
    read: ReadArgs,

    #[command(flatten)]
    page: PageArgs,
}

impl ScalingArgs {
    /// Draws the figure.
    pub fn render(&self) -> Result<Exit, Failure> {
        let format = self.page.format()?;
        let (runs, exit) = scaling_of(&self.runs, &self.lens, &self.read)?;
        let name = |run: &PathBuf| shown(run.file_name().map_or(run.as_path(), Path::new));
        let source = || self.runs.iter().map(name).collect::<Vec<_>>().join(", ");
        self.page.write(&scaling::figure(&runs, &self.page.paper(source)), format)?;
        Ok(exit)
    }
}
