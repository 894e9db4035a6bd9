//! Everything about a trace as one page of HTML.

use std::path::PathBuf;

use onca_views::report;

use onca_program::{Exit, Failure};

use super::paper::{SeenArgs, short_name, write_out};

/// Everything about a trace as one page of HTML that needs nothing else
///
/// What is in the trace, overview, timeline, treemap, concurrency, communication, statistics,
/// efficiency, disruptions and problems. The page loads nothing and runs nothing.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca render page run.paje -o report.html
  onca render page run.paje --from 1s --to 2s -o second.html")]
pub struct PageArgs {
    #[command(flatten)]
    seen: SeenArgs,

    /// Where to write the page; "-" for standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Picture")]
    output: PathBuf,
}

impl PageArgs {
    /// Writes the page.
    pub fn render(&self) -> Result<Exit, Failure> {
        self.seen.with(|trace, scope, appearance| {
            let report = report::report(scope, appearance, &short_name(trace))?;
            write_out(&self.output, onca_draw::page(&report).as_bytes())
        })
    }
}
