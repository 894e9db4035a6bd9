//! `onca-sql export`: what is seen of a trace, as Parquet files or as a data set.

use std::path::PathBuf;
use std::sync::Arc;

use onca_model::{Shard, Ticks, Window};
use onca_program::{Exit, Failure, Watch, new_file, print};
use onca_query::{Lens, Scope};
use onca_sql::{DatasetOptions, ExportError, export_dataset, export_parquet};

use crate::opened::{StoreArgs, standard_input};
use crate::written::Written;

/// Write what is seen of a trace as Parquet files; the lens comes from standard input
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    store: StoreArgs,

    /// The folder
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,

    /// A folder of tables, or a data set
    #[arg(long, value_name = "FORMAT", default_value = "parquet")]
    format: Format,

    /// Data set: write this one of several shards only
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,

    /// Data set: begin a new file when one has this many bytes
    #[arg(long, value_name = "BYTES", hide = true, default_value_t = DatasetOptions::FILE_BYTES)]
    file_size: u64,

    /// The window begins at this tick
    #[arg(long, value_name = "TICKS", allow_hyphen_values = true, default_value_t = Ticks::MIN)]
    from_tick: Ticks,

    /// The window ends before this tick
    #[arg(long, value_name = "TICKS", allow_hyphen_values = true, default_value_t = Ticks::MAX)]
    to_tick: Ticks,

    /// Print what was written as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Format {
    /// A folder of tables
    Parquet,
    /// A data set
    Dataset,
}

/// Writes the files, and prints how many.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    if args.format == Format::Parquet && args.shard.is_some() {
        return Err(Failure::Cannot("only a data set has shards".to_owned()));
    }
    let opened = args.store.open()?;
    let store = &opened.store;
    let lens = Lens::from_json(&standard_input()?)?;
    let window = Window { from: args.from_tick, to: args.to_tick };
    let scope = Scope::new(store, &lens, window)?;
    let _watch = Watch::new(None);
    let (format, report) = match args.format {
        Format::Parquet => ("parquet", export_parquet(Arc::clone(store), &scope, &args.output)),
        Format::Dataset => {
            let (shard, file_bytes) = (args.shard, args.file_size);
            let options = DatasetOptions { lens: &lens, shard, file_bytes };
            ("dataset", export_dataset(Arc::clone(store), &scope, &options, &args.output))
        }
    };
    let report = report.map_err(failure)?;
    let written = Written { output: &args.output, format, report };
    print(|out| written.print(args.json, out))?;
    Ok(Exit::from_lost(store.catalog().facts.lost))
}

fn failure(error: ExportError) -> Failure {
    match error {
        ExportError::Store(error) => error.into(),
        ExportError::Write(path, error) => new_file::failure(&path, &error),
        ExportError::Dataset(error) => Failure::Cannot(error.to_string()),
    }
}
