//! `onca clocks`: how far the clocks of processes are off.

use std::io::{self, Write};
use std::path::PathBuf;

use onca_answer::clocks::{Backward, ClockSpec, ClocksAnswer, clocks, model_name};
use onca_answer::wire::ClocksJson;
use onca_model::{Ticks, TimeUnit, printable};
use onca_query::{NodeId, Scope};
use onca_store::{Composition, Store};
use serde::Serialize;

use crate::composed;
use crate::look::LookArgs;
use crate::trace::{OpenTrace, TraceArgs};
use onca_program::format::{count_of, grouped, rounded_time, shown};
use onca_program::table::{Cell, FormArgs, Table};
use onca_program::{Exit, Failure, print, write_json};
use onca_views::options::LevelOptions;

/// Find messages received before they were sent, and tell how far clocks are off
///
/// No message is received before it is sent, so messages bound how far the clocks of processes
/// are off and how fast they drift. Nothing is estimated where no message goes backwards, and
/// nothing is changed without --correct. docs/clocks.md tells how it is computed.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca clocks run.paje
  onca clocks run.paje --level Machine --csv
  onca clocks run.paje --correct -o corrected.onca")]
pub struct Args {
    #[command(flatten)]
    trace: TraceArgs,

    /// Write a store with corrected times
    #[arg(long, requires = "output")]
    correct: bool,

    /// Where to put the corrected store
    #[arg(short, long, value_name = "DIR", requires = "correct")]
    output: Option<PathBuf>,

    /// Only links of this type are messages; may be given several times
    #[arg(long, value_name = "TYPE")]
    link_type: Vec<String>,

    #[command(flatten)]
    level: LevelOptions,

    /// How many rows of a table people see
    #[arg(long, value_name = "K", default_value_t = 10)]
    top: usize,

    #[command(flatten)]
    look: LookArgs,

    #[command(flatten)]
    form: FormArgs,
}

/// Answers, and corrects if asked to.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let place = args.output.as_deref().map(composed::checked_place).transpose()?;
    let trace = args.trace.open()?;
    let scope = args.look.scope(&trace.store)?;
    let spec = ClockSpec {
        level: args.level.level().unwrap_or_default(),
        link_types: args.link_type.clone(),
    };
    let answer = clocks(&scope, &spec)?;
    let corrected = place.filter(|_| args.correct && answer.moves());
    if let Some(place) = &corrected {
        correct(args, &trace, &answer, place)?;
    }
    let report = Report { args, scope: &scope, answer: &answer, corrected };
    print(|out| match (args.form.json, args.form.csv) {
        (true, _) => write_json(out, &report.json()),
        (_, true) => report.processes().write_csv(out, args.form),
        _ => report.print(out),
    })?;
    Ok(Exit::from_lost(trace.store.catalog().facts.lost))
}

/// Writes the store with corrected times.
fn correct(
    args: &Args,
    trace: &OpenTrace,
    answer: &ClocksAnswer,
    place: &std::path::Path,
) -> Result<(), Failure> {
    let store: &Store = &trace.store;
    let same = |dir: &std::path::Path| dir.canonicalize().ok();
    if same(place).is_some() && same(place) == same(store.dir()) {
        let message = "a store does not change; give another place for the corrected one";
        return Err(Failure::Cannot(message.to_owned()));
    }
    let composition = Composition::correct(store, answer.maps(), answer.correction(store))?;
    composed::write(composition, std::slice::from_ref(trace), place, &args.trace.read)?;
    Ok(())
}

struct Report<'a> {
    args: &'a Args,
    scope: &'a Scope<'a>,
    answer: &'a ClocksAnswer,
    /// The store with corrected times, if one was written.
    corrected: Option<PathBuf>,
}

/// The answer about clocks, and what was done: `onca-clocks/1`.
#[derive(Serialize)]
struct CorrectedJson<'a> {
    #[serde(flatten)]
    clocks: ClocksJson<'a>,
    /// Where the corrected store is, or `null`.
    corrected: Option<String>,
}

impl Report<'_> {
    fn unit(&self) -> &TimeUnit {
        &self.scope.catalog().facts.unit
    }

    fn time(&self, ticks: Ticks) -> String {
        let name = printable(self.unit().name.as_bytes());
        format!("{} {name}", rounded_time(self.unit(), ticks as f64))
    }

    fn path(&self, node: NodeId) -> String {
        printable(self.scope.path(node).as_bytes()).into_owned()
    }

    fn json(&self) -> CorrectedJson<'_> {
        CorrectedJson {
            clocks: self.answer.json(self.scope),
            corrected: self.corrected.as_ref().map(|place| place.display().to_string()),
        }
    }

    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let answer = self.answer;
        let Backward { messages, backward, worst } = answer.before;
        if messages == 0 {
            writeln!(out, "no messages: nothing is known of the clocks")?;
            return self.print_outcome(out);
        }
        let among = match answer.processes.len() {
            1 => format!("{} within one process", count_of(messages, "message")),
            n => format!("{} among {} processes", count_of(messages, "message"), grouped(n as u64)),
        };
        if backward == 0 {
            writeln!(out, "{among}: none was received before it was sent, the clocks agree")?;
            return self.print_outcome(out);
        }
        let were = if backward == 1 { "was" } else { "were" };
        writeln!(
            out,
            "{among}: {} {were} received before {} sent, by {} at most",
            grouped(backward),
            if backward == 1 { "it was" } else { "they were" },
            self.time(worst)
        )?;
        self.print_pairs(out)?;
        self.print_estimate(out)?;
        self.print_outcome(out)
    }

    fn print_pairs(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut table = Table::new(&["/from", "/to", "#messages", "#backward", "#worst"]);
        let shown = self.answer.pairs.iter().take(self.args.top);
        for pair in shown {
            let node = |number: usize| self.path(self.answer.processes[number].node);
            table.push(vec![
                Cell::text(node(pair.from)),
                Cell::text(node(pair.to)),
                Cell::count(pair.counts.messages),
                Cell::count(pair.counts.backward),
                Cell::time(self.unit(), Some(pair.counts.worst.into())),
            ]);
        }
        writeln!(out)?;
        table.write_text(out)?;
        self.print_more(out, self.answer.pairs.len(), "pair")
    }

    fn print_more(&self, out: &mut dyn Write, all: usize, noun: &str) -> io::Result<()> {
        match all.saturating_sub(self.args.top) {
            0 => Ok(()),
            more => writeln!(out, "and {}; --top shows more", count_of(more as u64, noun)),
        }
    }

    fn print_estimate(&self, out: &mut dyn Write) -> io::Result<()> {
        let answer = self.answer;
        writeln!(out)?;
        let model = model_name(answer.estimate.model);
        match answer.reference() {
            Some(number) => {
                let node = self.path(answer.processes[number].node);
                writeln!(out, "{model}, compared with the clock of {node}")?;
            }
            None => writeln!(out, "{model}; not all processes can be compared")?,
        }
        self.processes_of(answer.processes.len().min(self.args.top)).write_text(out)?;
        self.print_more(out, answer.processes.len(), "clock")?;
        if !answer.silent.is_empty() {
            let n = answer.silent.len();
            let first: Vec<String> =
                answer.silent.iter().take(3).map(|&node| self.path(node)).collect();
            let more = if n > first.len() { ", ..." } else { "" };
            let first = first.join(", ");
            writeln!(out, "without messages, so that nothing is known: {n} ({first}{more})")?;
        }
        if answer.left_out > 0 {
            writeln!(out, "{} with only one end", count_of(answer.left_out, "link"))?;
        }
        Ok(())
    }

    /// The clocks of all processes.
    fn processes(&self) -> Table {
        self.processes_of(self.answer.processes.len())
    }

    fn processes_of(&self, n: usize) -> Table {
        let columns =
            ["/process", "/reference", "#messages", "#offset", "#drift (ppm)", "#uncertainty"];
        let mut table = Table::new(&columns);
        for process in &self.answer.processes[..n] {
            let clock = process.clock;
            let time = |ticks: Option<Ticks>| Cell::time(self.unit(), ticks.map(i128::from));
            let drift = clock.drift * 1e6;
            table.push(vec![
                Cell::text(self.path(process.node)),
                Cell::text(self.path(self.answer.processes[process.reference].node)),
                Cell::count(process.messages),
                time(Some(clock.offset)),
                Cell::number(format!("{drift:.3}"), drift),
                time(clock.uncertainty),
            ]);
        }
        table
    }

    fn print_outcome(&self, out: &mut dyn Write) -> io::Result<()> {
        let (answer, place) = (self.answer, self.corrected.as_deref().map(shown));
        let after = answer.after.backward;
        if answer.before.backward > 0 && after > 0 {
            let still = self.time(answer.after.worst);
            let n = count_of(after, "message");
            writeln!(
                out,
                "\nno such correction explains all: {n} would still go backwards, by {still} at most"
            )?;
        }
        match (self.args.correct, place) {
            (true, Some(place)) => writeln!(out, "\ncorrected times are in {place}"),
            (true, None) => writeln!(out, "nothing to correct: no store was written"),
            (false, _) if answer.moves() => {
                writeln!(
                    out,
                    "\nnothing was changed; --correct -o DIR writes a store with corrected times"
                )
            }
            (false, _) => Ok(()),
        }
    }
}
