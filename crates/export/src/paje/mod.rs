//! A Pajé trace of what is seen.

mod gather;
mod keys;
mod layout;
mod names;
mod needed;
mod word;
mod writer;

use std::io::Write;

use onca_query::Scope;

use self::gather::Gatherer;
use self::writer::Writer;
use crate::{Border, Progress, Summary, clip::Clip, error::Result, seen};

/// How a Pajé trace is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PajeOptions {
    /// What happens to links that cross a border of the window.
    pub border: Border,
    /// How many records are held and sorted at once, about: some 100 bytes each.
    pub records_at_once: usize,
}

impl Default for PajeOptions {
    fn default() -> Self {
        Self { border: Border::default(), records_at_once: 1 << 20 }
    }
}

/// Steps of the progress.
const STEPS: u64 = 1000;

/// Writes what a scope shows as a Pajé trace, in order of time. Read again, it gives the same
/// entities, clipped to the window.
pub fn write_paje(
    scope: &Scope<'_>,
    options: &PajeOptions,
    out: &mut dyn Write,
    progress: &Progress,
) -> Result<Summary> {
    progress.begin(STEPS);
    let clip = Clip::new(scope, options.border);
    let tracks = seen::tracks(scope);
    let layouts = needed::layouts(scope, &clip, &tracks)?;
    let mut writer = Writer::new(scope, clip, &tracks, layouts, out);
    writer.definitions()?;
    let limit = options.records_at_once;
    let gatherer = Gatherer { scope, clip, tracks: &tracks, limit };
    gatherer.visit(|part, done| {
        writer.part(part)?;
        progress.reach((done * STEPS as f64) as u64);
        Ok(())
    })?;
    let summary = writer.finish()?;
    Ok(Summary { links_across: seen::links_across(scope, &clip, &tracks)?, ..summary })
}
