//! Everything about a trace as one page of HTML.

use std::path::{Path, PathBuf};

use onca_query::{Appearance, Scope};
use onca_scene::Report;
use onca_views::report;

use onca_program::{Exit, Failure};

use super::paper::{SeenArgs, short_name, write_out};

/// Everything about a trace as one page of HTML that needs nothing else
///
/// What costs time, what is in the trace, overview, timeline, treemap, concurrency, communication, statistics,
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
        write(&self.seen, &self.output, report::report)
    }
}

/// What costs time as one page of HTML: a sentence and a timeline for each finding
///
/// What onca findings tells, with pictures of the most costly. The page loads nothing and runs nothing.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca render findings run.paje -o findings.html")]
pub struct FindingsArgs {
    #[command(flatten)]
    seen: SeenArgs,

    /// Where to write the page; "-" for standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Picture")]
    output: PathBuf,
}

impl FindingsArgs {
    /// Writes the page.
    pub fn render(&self) -> Result<Exit, Failure> {
        write(&self.seen, &self.output, report::findings_report)
    }
}

type Reporting = fn(&Scope<'_>, &Appearance, &str) -> onca_views::Result<Report>;

fn write(seen: &SeenArgs, output: &Path, reporting: Reporting) -> Result<Exit, Failure> {
    seen.with(|trace, scope, appearance| {
        let report = reporting(scope, appearance, &short_name(trace))?;
        write_out(output, onca_draw::page(&report).as_bytes())
    })
}
