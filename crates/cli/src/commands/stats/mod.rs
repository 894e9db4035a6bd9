//! `onca stats`: how long, how often, how evenly, between whom.

mod summary;
mod tables;

use std::collections::BTreeMap;
use std::io::{self, Write};

use clap::ValueEnum;
use onca_answer::{Cut, Level};
use onca_query::Scope;
use onca_store::Measure;
use serde::Serialize;

use crate::look::LookArgs;
use crate::trace::TraceArgs;
use onca_program::format::count_of;
use onca_program::table::{FormArgs, Table};
use onca_program::{Exit, Failure, print, write_json};
use onca_views::options::LevelOptions;

use tables::{Answer, AnswerJson};

/// Tell how long, how often, how evenly and between whom
///
/// Without --what: a summary. Times are of what lies in the window; durations are of whole
/// instances that touch it.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca stats run.paje
  onca stats run.paje --what containers --level machine --csv
  onca stats run.paje --what efficiency --slices 20
  onca stats run.paje --what efficiency --split --phases
  onca stats run.paje --what matrix --level site --from 1 --to 2")]
pub struct Args {
    #[command(flatten)]
    trace: TraceArgs,

    /// What to tell; several with commas between
    #[arg(long, value_delimiter = ',', value_name = "TABLES")]
    what: Vec<What>,

    #[command(flatten)]
    level: LevelOptions,

    /// Cut the window into this many slices: for concurrency and efficiency
    #[arg(long, value_name = "N", default_value_t = 1)]
    slices: usize,

    /// Split communication efficiency into serialisation and transfer, which takes an analysis of who waits for whom
    #[arg(long)]
    split: bool,

    /// Efficiency for each phase of communication in place of slices (see onca phases)
    #[arg(long, conflicts_with = "slices")]
    phases: bool,

    /// How many rows of a table people see, and how many instances the longest are
    #[arg(long, value_name = "K", default_value_t = 10)]
    top: usize,

    /// What the time of nested states counts for
    #[arg(long, value_name = "MEASURE", default_value = "exclusive")]
    measure: MeasureArg,

    #[command(flatten)]
    look: LookArgs,

    #[command(flatten)]
    form: FormArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum MeasureArg {
    /// Each tick counts for the innermost state only
    Exclusive,
    /// Each tick counts for every state that is open
    Inclusive,
}

/// A table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum What {
    /// Time, count and durations of each value
    Values,
    /// The longest instances of each value
    Longest,
    /// Time, count and durations of each value in each container
    Containers,
    /// How evenly time is spread, at each level
    Balance,
    /// How many messages, how large and how long, from whom to whom
    Matrix,
    /// How many messages are how large and how long
    Histograms,
    /// How many containers are in a value at the same time
    Concurrency,
    /// Load balance, communication and parallel efficiency
    Efficiency,
    /// All of these
    All,
}

impl What {
    const EACH: [Self; 8] = [
        Self::Values,
        Self::Longest,
        Self::Containers,
        Self::Balance,
        Self::Matrix,
        Self::Histograms,
        Self::Concurrency,
        Self::Efficiency,
    ];

    fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

/// Answers.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let trace = args.trace.open()?;
    trace.mention_problems();
    let scope = args.look.scope(&trace.store)?;
    let asked: Vec<What> = match args.what.as_slice() {
        all if all.contains(&What::All) => What::EACH.to_vec(),
        asked => asked.to_vec(),
    };
    match (asked.as_slice(), args.form.csv, args.form.json) {
        ([], false, false) => {
            let summary = summary::Summary::new(&scope, args)?;
            print(|out| summary.print(out, &trace.name()))?;
        }
        (_, true, _) => {
            let what = match asked.as_slice() {
                [] => What::Values,
                [one] => *one,
                _ => {
                    return Err(Failure::Cannot(
                        "comma-separated values are one table; name one with --what".to_owned(),
                    ));
                }
            };
            let section = Answer::new(&scope, args, what)?.section(&scope, usize::MAX);
            print(|out| section.table.write_csv(out, args.form))?;
        }
        (asked, _, true) => {
            let asked = if asked.is_empty() { &summary::TABLES } else { asked };
            print_json(&scope, args, asked)?;
        }
        (asked, ..) => {
            for (number, what) in asked.iter().enumerate() {
                let section = Answer::new(&scope, args, *what)?.section(&scope, args.top.max(1));
                print(|out| {
                    if number > 0 {
                        writeln!(out)?;
                    }
                    section.print(out)
                })?;
            }
        }
    }
    Ok(Exit::from_lost(trace.store.catalog().facts.lost))
}

/// Several answers by name: `onca-stats/1`. Those that were not asked for are absent.
#[derive(Serialize)]
struct StatsJson<'a> {
    schema: &'static str,
    #[serde(flatten)]
    answers: BTreeMap<String, AnswerJson<'a>>,
}

/// Prints one answer, or several by name.
fn print_json(scope: &Scope<'_>, args: &Args, asked: &[What]) -> Result<(), Failure> {
    if let [one] = asked {
        let answer = Answer::new(scope, args, *one)?;
        return print(|out| write_json(out, &answer.json(scope)));
    }
    let answers: Vec<(What, Answer)> = asked
        .iter()
        .map(|&what| Ok((what, Answer::new(scope, args, what)?)))
        .collect::<Result<_, Failure>>()?;
    let answers = answers.iter().map(|(what, answer)| (what.name(), answer.json(scope)));
    let stats = StatsJson { schema: "onca-stats/1", answers: answers.collect() };
    print(|out| write_json(out, &stats))
}

/// A table with what is to be said about it.
struct Section {
    title: String,
    table: Table,
    /// What stands below the table.
    remarks: Vec<String>,
}

impl Section {
    fn print(self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", self.title)?;
        if self.table.is_empty() {
            return writeln!(out, "  nothing");
        }
        self.table.write_text(out)?;
        if self.table.beyond() > 0 {
            let beyond = count_of(self.table.beyond() as u64, "more row");
            writeln!(out, "and {beyond}; --top tells how many are shown")?;
        }
        self.remarks.iter().try_for_each(|remark| writeln!(out, "{remark}"))
    }
}

impl Args {
    fn measure(&self) -> Measure {
        match self.measure {
            MeasureArg::Exclusive => Measure::Exclusive,
            MeasureArg::Inclusive => Measure::Inclusive,
        }
    }

    /// The nodes that tables are about, unless the table is about all together.
    fn cut(&self, scope: &Scope<'_>, otherwise: Level) -> Result<Cut, Failure> {
        Ok(Cut::new(scope, &self.level.level().unwrap_or(otherwise))?)
    }
}
