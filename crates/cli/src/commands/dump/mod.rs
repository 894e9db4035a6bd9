//! `onca dump`: every entity as a row, in the order and the form of `pj_dump`.
//!
//! Compatible mode reproduces `pj_dump -l 9 -u` of PajeNG 1.3.6 byte for byte, with what is odd
//! about it: variables pass through 32-bit numbers, containers are written with six digits, the
//! trace ends where its last line says, entities that start after that are left out, and names
//! are not quoted. Without it, all times are exact and names with commas are quoted.

mod entities;
mod order;
mod rows;

use std::io::{self, Write};

use onca_model::{Catalog, ContainerId, Ticks, TypeId};
use onca_query::{LensError, Scope};
use onca_store::{Store, StoreError, TrackId};

use self::order::Order;
use crate::look::LookArgs;
use crate::trace::TraceArgs;
use onca_program::{Exit, Failure, output, written};

/// Print every entity as a row
///
/// The rows are those of pj_dump: Container, State, Variable, Event and Link, with the values of
/// extra fields at the end.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca dump run.paje > run.csv
  onca dump run.paje --kinds state,link --from 1.5 --to 2
  onca dump run.paje --pj-dump-compat | cmp - <(pj_dump -l 9 -u run.paje)")]
pub struct Args {
    #[command(flatten)]
    trace: TraceArgs,

    /// Only these kinds of rows
    #[arg(long, value_delimiter = ',', value_name = "KINDS")]
    kinds: Vec<Kind>,

    #[command(flatten)]
    look: LookArgs,

    /// Name the columns of each kind first
    #[arg(long)]
    header: bool,

    /// Print exactly what pj_dump -l 9 -u prints, oddities included
    #[arg(long, conflicts_with_all = ["json", "header", "from", "to"])]
    pj_dump_compat: bool,

    /// Print one JSON object a row
    #[arg(long)]
    json: bool,

    /// Put an apostrophe before texts that a spreadsheet would take for a formula
    #[arg(long, conflicts_with_all = ["json", "pj_dump_compat"])]
    safe_for_spreadsheets: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Kind {
    Container,
    State,
    Variable,
    Event,
    Link,
}

impl Kind {
    const ALL: [Self; 5] = [Self::Container, Self::State, Self::Variable, Self::Event, Self::Link];

    fn columns(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Self::Container => {
                ("Container", &["parent", "type", "start", "end", "duration", "name"])
            }
            Self::State => {
                ("State", &["container", "type", "start", "end", "duration", "depth", "value"])
            }
            Self::Variable => {
                ("Variable", &["container", "type", "start", "end", "duration", "value"])
            }
            Self::Event => ("Event", &["container", "type", "time", "value"]),
            Self::Link => (
                "Link",
                &[
                    "owner",
                    "type",
                    "start",
                    "end",
                    "duration",
                    "value",
                    "source",
                    "destination",
                    "key",
                ],
            ),
        }
    }
}

/// Prints the rows.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let trace = match args.pj_dump_compat {
        true => args.trace.open_as_pajeng()?,
        false => args.trace.open()?,
    };
    trace.mention_problems();
    let catalog = trace.store.catalog();
    let window = args.look.window.unchecked(&catalog.facts, Ticks::MIN, Ticks::MAX)?;
    let scope = args.look.lens.scope(&trace.store, window)?;
    let form = match (args.pj_dump_compat, args.json) {
        (true, _) => Form::Compatible,
        (_, true) => Form::Json,
        _ => Form::Exact { safe: args.safe_for_spreadsheets },
    };
    let kinds = if args.kinds.is_empty() { Kind::ALL.to_vec() } else { args.kinds.clone() };
    let round_values = form == Form::Compatible && !trace.as_pajeng;
    let mut dump = Dump {
        scope: &scope,
        store: &trace.store,
        catalog,
        form,
        kinds,
        round_values,
        out: output(),
    };
    match dump.all(args.header) {
        Ok(()) => {}
        Err(DumpError::Read(error)) => return Err(error.into()),
        Err(DumpError::Write(error)) => written(Err(error))?,
    }
    Ok(Exit::from_lost(catalog.facts.lost))
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Exact {
        /// For spreadsheets.
        safe: bool,
    },
    Compatible,
    Json,
}

enum DumpError {
    Read(LensError),
    Write(io::Error),
}

impl From<LensError> for DumpError {
    fn from(error: LensError) -> Self {
        Self::Read(error)
    }
}

impl From<StoreError> for DumpError {
    fn from(error: StoreError) -> Self {
        Self::Read(error.into())
    }
}

impl From<io::Error> for DumpError {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

struct Dump<'a, W> {
    scope: &'a Scope<'a>,
    store: &'a Store,
    catalog: &'a Catalog,
    form: Form,
    kinds: Vec<Kind>,
    /// Values of variables still have to pass through 32-bit numbers.
    round_values: bool,
    out: W,
}

impl<W: Write> Dump<'_, W> {
    fn all(&mut self, header: bool) -> Result<(), DumpError> {
        if header {
            self.header()?;
        }
        let order = Order::new(self.catalog);
        let mut open = vec![ContainerId::ROOT];
        while let Some(container) = open.pop() {
            self.container(container)?;
            let mut tracks: Vec<TrackId> =
                self.store.tracks().of_container(container).map(TrackId).collect();
            let type_of = |track: &TrackId| {
                self.store.tracks().get(*track).map_or(TypeId::ROOT, |track| track.type_id)
            };
            tracks.sort_by_key(|track| order.rank[type_of(track).index()]);
            for track in tracks {
                self.track(container, track)?;
            }
            open.extend_from_slice(order.children(container));
        }
        self.out.flush()?;
        Ok(())
    }

    fn header(&mut self) -> io::Result<()> {
        for kind in self.kinds.clone() {
            let (name, columns) = kind.columns();
            writeln!(self.out, "#{name}, {}", columns.join(", "))?;
        }
        Ok(())
    }
}
