//! `onca phases`: when who communicates with whom.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use onca_answer::phases::{Communication, PhasesAnswer, Repetition};
use onca_model::{Ticks, TimeUnit, printable};

use crate::look::LookArgs;
use crate::trace::{ReadArgs, TraceArgs, trace_path};
use onca_program::format::{byte_size, count_of, grouped, rounded_time, shown};
use onca_program::table::{Cell, FormArgs, Table};
use onca_program::{Exit, Failure, print, write_json};
use onca_views::options::PhaseOptions;

/// Operations that are named, at most.
const FUNCTIONS: usize = 6;

/// Iterations that are listed as unusual, at most.
const ODD_ITERATIONS: usize = 10;

/// Show the phases of communication, the communities in each, and what repeats
///
/// A phase is a stretch of time in which messages lie close together, a community a set of processes that mostly talk among
/// themselves during a phase. Without --phases the number that stands out most is taken. docs/phases.md tells all about it.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca phases run.paje
  onca phases run.paje --phases 12 --communities 4
  onca phases run.paje --from 1s --to 2s --json
  onca phases --messages messages.csv")]
pub struct Args {
    /// A trace in any format that Onca reads (a file or its folder; "-" for standard input), or the
    /// directory of a store
    #[arg(value_name = "TRACE", value_parser = trace_path(), required_unless_present = "messages")]
    trace: Option<PathBuf>,

    /// Take the messages in FILE instead of a trace: source, destination, start, end, size; times
    /// in seconds
    #[arg(long, value_name = "FILE", conflicts_with = "trace")]
    messages: Option<PathBuf>,

    #[command(flatten)]
    problem: PhaseOptions,

    /// With --json: all merges of phases and of communities
    #[arg(long, requires = "json")]
    trees: bool,

    #[command(flatten)]
    read: ReadArgs,

    #[command(flatten)]
    look: LookArgs,

    #[command(flatten)]
    form: FormArgs,
}

/// Answers.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let spec = args.problem.spec_of_file();
    if let Some(path) = &args.messages {
        let cannot = |why: String| Failure::Cannot(format!("{}: {why}", shown(path)));
        let text = fs::read_to_string(path).map_err(|error| cannot(error.to_string()))?;
        let found =
            Communication::from_csv(&text, &spec).map_err(|error| cannot(error.to_string()))?;
        args.answer(&found)?;
        return Ok(Exit::Fine);
    }
    let trace = args.trace.clone().ok_or_else(|| Failure::Cannot("name a trace".to_owned()))?;
    let trace = TraceArgs { trace, read: args.read.clone() }.open()?;
    trace.mention_problems();
    let scope = args.look.scope(&trace.store)?;
    args.answer(&Communication::new(&scope, &spec)?)?;
    Ok(Exit::from_lost(trace.store.catalog().facts.lost))
}

impl Args {
    fn answer(&self, communication: &Communication<'_>) -> Result<(), Failure> {
        let answer = communication.phases(self.problem.n_phases(), self.problem.n_communities())?;
        let asked = self.problem.n_phases();
        let shown = Shown { communication, answer: &answer, asked };
        print(|out| {
            if self.form.json {
                write_json(out, &communication.json(&answer, self.trees))
            } else if self.form.csv {
                shown.table().write_csv(out, self.form)
            } else {
                shown.print(out)
            }
        })
    }
}

struct Shown<'a> {
    communication: &'a Communication<'a>,
    answer: &'a PhasesAnswer,
    asked: Option<usize>,
}

impl Shown<'_> {
    fn unit(&self) -> &TimeUnit {
        &self.communication.unit
    }

    /// A time with its unit.
    fn time(&self, ticks: f64) -> String {
        format!("{} {}", rounded_time(self.unit(), ticks), printable(self.unit().name.as_bytes()))
    }

    /// The bound of a phase, with this many decimals.
    fn bound(&self, ticks: Ticks, decimals: usize) -> Cell {
        let exact = self.unit().format(ticks);
        let shown = exact.split_once('.').map_or(exact.clone(), |(whole, fraction)| match decimals
            .min(fraction.len())
        {
            0 => whole.to_owned(),
            n => format!("{whole}.{}", &fraction[..n]),
        });
        Cell::number(shown, exact)
    }

    /// The decimals that tell the ends of the shortest phase apart, to a tenth of it.
    fn decimals(&self) -> usize {
        let lengths = self.answer.phases.iter().map(|phase| phase.window.to - phase.window.from);
        let shortest = lengths.filter(|length| *length > 0).min().unwrap_or(1);
        let share = shortest as f64 / self.unit().ticks_per_unit as f64;
        (1.0 - share.log10().floor()).clamp(0.0, 18.0) as usize
    }

    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        self.print_totals(out)?;
        if self.answer.phases.is_empty() {
            return Ok(());
        }
        if let Some(note) = self.communication.note_of_phases(self.asked, self.answer.phases.len())
        {
            writeln!(out, "{note}")?;
        }
        self.table().write_text(out)?;
        self.print_repetition(out)?;
        let others: Vec<String> = self
            .communication
            .suggestions()
            .iter()
            .take(5)
            .map(|one| format!("{} ({:.1})", one.phases, one.contrast))
            .collect();
        writeln!(
            out,
            "\nnumbers of phases that stand out, with their contrast: {}",
            others.join(", ")
        )
    }

    fn print_totals(&self, out: &mut dyn Write) -> io::Result<()> {
        let totals = &self.communication.totals;
        if totals.messages == 0 {
            writeln!(
                out,
                "no messages between containers are seen; --types, --link-type and --level choose others"
            )?;
        } else {
            write!(
                out,
                "{} among {}",
                count_of(totals.messages, "message"),
                processes(self.communication.processors.len())
            )?;
            if self.communication.is_sized() {
                write!(out, ", {}", byte_size(totals.size))?;
            }
            let parts = [
                (totals.to_self, "to the sender itself"),
                (totals.collective, "of collective operations"),
            ];
            for (n, what) in parts.into_iter().filter(|(n, _)| *n > 0) {
                write!(out, ", {} {what}", grouped(n))?;
            }
            writeln!(out)?;
            self.print_functions(out)?;
        }
        if totals.left_out > 0 {
            writeln!(out, "{} without two known ends left out", count_of(totals.left_out, "link"))?;
        }
        let rounding = self.communication.rounding();
        if rounding > 0 {
            writeln!(
                out,
                "times of messages are rounded by at most {}",
                self.time(rounding as f64)
            )?;
        }
        Ok(())
    }

    /// Which operations the messages belong to.
    fn print_functions(&self, out: &mut dyn Write) -> io::Result<()> {
        let totals = &self.communication.totals;
        let named = self.communication.functions.iter().take(FUNCTIONS);
        let named: Vec<String> =
            named.map(|(name, count)| format!("{name} {}", grouped(*count))).collect();
        let more = self.communication.functions.len().saturating_sub(FUNCTIONS);
        if !named.is_empty() {
            let more = if more > 0 {
                format!(" and {} more", grouped(more as u64))
            } else {
                String::new()
            };
            writeln!(out, "messages by operation: {}{more}", named.join(", "))?;
        }
        if totals.are_assumed {
            writeln!(
                out,
                "{}: who takes part follows from the order of calls, for the trace does not tell",
                count_of(totals.operations, "collective operation")
            )?;
        }
        if totals.are_too_many {
            writeln!(
                out,
                "collective operations have too many calls and are left out: take a narrower window"
            )?;
        }
        Ok(())
    }

    fn table(&self) -> Table {
        let mut table = Table::new(&[
            "#phase",
            "pattern",
            "#from",
            "#to",
            "#messages",
            "#size",
            "#active",
            "#communities",
            "#modularity",
            "#height",
            "#change",
        ]);
        let curve = &self.answer.curve;
        let decimals = self.decimals();
        for (at, phase) in self.answer.phases.iter().enumerate() {
            let n_communities = self.answer.communities[at].len();
            let before = at.checked_sub(1).map(|before| curve.differences[before].share());
            table.push(vec![
                Cell::count(at as u64 + 1),
                Cell::text(phase.pattern()),
                self.bound(phase.window.from, decimals),
                self.bound(phase.window.to, decimals),
                Cell::count(phase.totals.messages),
                match self.communication.is_sized() {
                    true => Cell::count(phase.totals.size),
                    false => Cell::none(),
                },
                Cell::count(phase.active.len() as u64),
                Cell::count(n_communities as u64),
                Cell::ratio(phase.tree.modularity(n_communities)),
                Cell::ratio(Some(curve.heights[at])),
                Cell::ratio(before),
            ]);
        }
        table
    }

    fn print_repetition(&self, out: &mut dyn Write) -> io::Result<()> {
        let Some(repetition) = &self.answer.repetition else {
            let stand_out = self.communication.suggestions()[0].phases;
            let stand_out = self.communication.too_many_phases().unwrap_or(stand_out);
            let is_coarse = self.answer.phases.len() < stand_out;
            return match is_coarse && self.answer.n_patterns() == 1 {
                true => writeln!(
                    out,
                    "\nall phases have the same pattern; what repeats is shorter: {} stand out",
                    count_of(stand_out as u64, "phase")
                ),
                false => writeln!(out, "\nno sequence of patterns repeats"),
            };
        };
        let patterns: Vec<String> = repetition
            .labels
            .iter()
            .map(|&label| onca_answer::phases::pattern_name(label))
            .collect();
        writeln!(
            out,
            "\n{} of {} (patterns {}), {} each; {:.1}% of phases come again one iteration later",
            count_of(repetition.iterations.len() as u64, "iteration"),
            count_of(repetition.period.phases as u64, "phase"),
            patterns.join(" "),
            self.time(repetition.usual_length),
            100.0 * repetition.period.correlation,
        )?;
        self.print_odd(out, repetition)
    }

    fn print_odd(&self, out: &mut dyn Write, repetition: &Repetition) -> io::Result<()> {
        let odd = repetition.iterations.iter().enumerate().filter(|(_, one)| one.is_odd());
        let odd: Vec<_> = odd.collect();
        for (number, one) in odd.iter().take(ODD_ITERATIONS) {
            let mut why = Vec::new();
            if let Some(length) = one.length.filter(|_| one.odd_length) {
                why.push(format!("lasts {}", self.time(length as f64)));
            }
            if one.odd_size {
                let usual = byte_size(repetition.usual_size as u64);
                why.push(format!("sends {} instead of {usual}", byte_size(one.size)));
            }
            if !one.odd_phases.is_empty() {
                let numbers: Vec<String> =
                    one.odd_phases.iter().map(|at| (at + 1).to_string()).collect();
                why.push(format!("has another pattern in phase {}", numbers.join(", ")));
            }
            writeln!(out, "unusual: iteration {} {}", number + 1, why.join("; "))?;
        }
        if odd.len() > ODD_ITERATIONS {
            writeln!(out, "and {} more", grouped((odd.len() - ODD_ITERATIONS) as u64))?;
        }
        Ok(())
    }
}

fn processes(n: usize) -> String {
    if n == 1 { "1 process".to_owned() } else { format!("{} processes", grouped(n as u64)) }
}
