//! `onca findings`: what costs time, where, when, why and how much.

use std::io::{self, Write};

use onca_answer::{FindingAnswer, FoundFinding, findings};
use onca_model::printable;
use onca_query::Scope;

use crate::look::LookArgs;
use crate::progress::watched;
use crate::trace::TraceArgs;
use onca_program::format::{count_of, percent, rounded_time};
use onca_program::table::{Cell, FormArgs, Table};
use onca_program::{Exit, Failure, print, write_json};

/// Tell what costs time in a run, where, when, why and how much
///
/// Compares processes with their peers and with their own past, messages with others of their size, and iterations with each
/// other. What each finding costs is known from a replay of the run without it. docs/findings.md tells the rules.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca findings run.paje
  onca findings run.paje --top 3 --json
  onca findings run.paje --from 1 --to 2")]
pub struct Args {
    #[command(flatten)]
    trace: TraceArgs,

    /// At most this many findings
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,

    #[command(flatten)]
    look: LookArgs,

    #[command(flatten)]
    form: FormArgs,
}

/// Answers.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let trace = args.trace.open()?;
    trace.mention_problems();
    let (store, bar) = watched(&trace.store);
    let scope = args.look.scope(&store)?;
    let answer = findings(&scope)?;
    drop(bar);
    let report = Report { scope: &scope, answer: &answer, top: args.top };
    print(|out| match (args.form.json, args.form.csv) {
        (true, _) => write_json(out, &answer.json(&scope, args.top)),
        (_, true) => report.table().write_csv(out, args.form),
        _ => report.print(out),
    })?;
    Ok(Exit::from_lost(trace.store.catalog().facts.lost))
}

struct Report<'a> {
    scope: &'a Scope<'a>,
    answer: &'a FindingAnswer,
    top: usize,
}

impl Report<'_> {
    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let all = &self.answer.findings;
        if all.is_empty() {
            writeln!(out, "nothing was found that costs time")?;
        }
        for (number, finding) in all.iter().take(self.top).enumerate() {
            self.print_finding(number + 1, finding, out)?;
        }
        if all.len() > self.top {
            let beyond = count_of((all.len() - self.top) as u64, "more finding");
            writeln!(out, "and {beyond}; --top tells how many are shown")?;
        }
        let parts =
            [("assumed", &self.answer.assumed), ("not examined", &self.answer.not_examined)];
        for (title, remarks) in parts.iter().filter(|(_, remarks)| !remarks.is_empty()) {
            writeln!(out, "\n{title}")?;
            for remark in *remarks {
                writeln!(out, "  {}", printable(remark.as_bytes()))?;
            }
        }
        Ok(())
    }

    fn print_finding(
        &self,
        number: usize,
        finding: &FoundFinding,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let share = match self.answer.share(finding) {
            share if share > 0.0 => format!("{} of the run", percent(share).trim()),
            _ => "no time claimed".to_owned(),
        };
        writeln!(out, "{number}. {} ({share})", finding.kind)?;
        writeln!(out, "   {}", finding.text)?;
        let unit = &self.scope.catalog().facts.unit;
        for effect in finding.effects.iter().take(3) {
            writeln!(
                out,
                "     {}: {} {} of {}",
                effect.kind.name(),
                rounded_time(unit, effect.ticks as f64),
                printable(unit.name.as_bytes()),
                match effect.n_processes {
                    1 => "1 process".to_owned(),
                    n => format!("{n} processes"),
                }
            )?;
        }
        Ok(())
    }

    fn table(&self) -> Table {
        let columns = ["kind", "/groups", "#from", "#to", "#cost", "#share", "#sure", "text"];
        let mut table = Table::new(&columns);
        let unit = &self.scope.catalog().facts.unit;
        let time = |ticks: i128| Cell::time(unit, Some(ticks));
        for finding in self.answer.findings.iter().take(self.top) {
            let groups: Vec<String> =
                finding.groups.iter().map(|node| self.scope.path(*node)).collect();
            table.push(vec![
                Cell::text(finding.kind.clone()),
                Cell::text(groups.join(" ")),
                time(i128::from(finding.window.from)),
                time(i128::from(finding.window.to)),
                time(finding.cost),
                Cell::share(Some(self.answer.share(finding))),
                Cell::share(Some(finding.sure)),
                Cell::text(finding.text.clone()),
            ]);
        }
        table
    }
}
