//! `onca query`: questions in SQL, which `onca-sql` answers.

use std::ffi::OsString;
use std::path::Path;

use onca_program::{Exit, Failure, QuestionArgs};
use onca_sql_client::FittingProgram;
use onca_store::dataset::is_dataset;
use onca_store::{Store, StoreError};

use crate::sql::{self, HandOver, flag};
use crate::trace::{TraceArgs, is_store};

/// Ask a trace in SQL
///
/// The tables are containers, types, states, links, events, variables, type_values, diagnostics,
/// findings and waits; --tables lists their columns. A data set that onca export wrote, or a folder
/// with several, is asked in the same way, but has no findings and waits; with several, tables begin
/// with the column run. Only queries are allowed; nothing but the store or the data sets is read. A
/// query that is interrupted ends with the exit status 130. The program onca-sql answers; it is
/// found beside onca, in the PATH, or where ONCA_SQL says.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca query run.paje \"SELECT value, sum(duration) FROM states GROUP BY value\"
  onca query run.paje --tables
  onca query run.set \"SELECT count(*) FROM states\"
  onca query run.paje --file longest.sql --format csv -o longest.csv
  echo 'SELECT count(*) FROM links' | onca query run.paje -")]
pub struct Args {
    #[command(flatten)]
    trace: TraceArgs,

    #[command(flatten)]
    question: QuestionArgs,
}

/// Opens the trace and lets `onca-sql` answer.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    // Before a large trace is indexed for nothing.
    let program = sql::program().fitting().map_err(sql::failure)?;
    if args.question.is_standard_input() && args.trace.trace == Path::new("-") {
        let message = "the trace and the query cannot both be standard input";
        return Err(Failure::Cannot(message.to_owned()));
    }
    let text = args.question.sql()?.unwrap_or_default();
    if is_dataset(&args.trace.trace) {
        return args.ask_dataset(&program, &text);
    }
    let trace = args.trace.open().map_err(|failure| args.nor_a_dataset(failure))?;
    trace.mention_problems();
    HandOver { program, command: "query", trace, read: &args.trace.read }
        .complete(args.more_arguments(), &text)
}

impl Args {
    /// Says of a folder that is no trace and no store that it is no data set either.
    fn nor_a_dataset(&self, failure: Failure) -> Failure {
        let folder = &self.trace.trace;
        let no_store = || matches!(Store::open(folder), Err(StoreError::NotAStore { .. }));
        match failure {
            Failure::Cannot(why) if is_store(folder) && no_store() => {
                Failure::Cannot(format!("{why}; no data set is in it or in the folders in it"))
            }
            failure => failure,
        }
    }

    /// Data sets need no store: `onca-sql` opens them itself.
    fn ask_dataset(&self, program: &FittingProgram, text: &str) -> Result<Exit, Failure> {
        if let Some(option) = self.trace.read.of_traces() {
            let why = format!("--{option} is for traces; a data set stays as it was written");
            return Err(Failure::Cannot(why));
        }
        let mut arguments: Vec<OsString> = vec!["query".into()];
        arguments.extend(self.more_arguments());
        arguments.extend(["--".into(), self.trace.trace.clone().into()]);
        sql::hand_over(program, &arguments, text)
    }

    fn more_arguments(&self) -> Vec<OsString> {
        let question = &self.question;
        let threads = self.trace.read.drive_options().threads;
        let mut arguments: Vec<OsString> = vec![
            flag("format", question.format().name()),
            flag("memory", self.trace.read.memory.to_string()),
            flag("threads", threads.to_string()),
        ];
        if question.tables {
            arguments.push("--tables".into());
        }
        arguments.extend(question.output.as_ref().map(|path| flag("output", path)));
        let timeout = question.timeout.map(|timeout| timeout.as_secs_f64().to_string());
        arguments.extend(timeout.map(|seconds| flag("timeout", seconds)));
        arguments.extend(question.max_rows.map(|rows| flag("max-rows", rows.to_string())));
        arguments
    }
}
