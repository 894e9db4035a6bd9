//! `onca compare`: why one run is longer, or shorter, than another.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use onca_answer::compare::{
    Align, CompareSpec, ComparedFinding, Comparison, ScalingRun, Several, compare_several, scaling,
    scaling_json,
};
use onca_model::printable;
use onca_query::Scope;
use onca_store::Store;
use onca_views::options::LevelOptions;

use crate::look::LensArgs;
use crate::progress::{ShownProgress, watched};
use crate::trace::{OpenTrace, ReadArgs, TraceArgs, trace_path};
use onca_program::format::{count_of, parse_share, percent, rounded, rounded_time};
use onca_program::table::{Cell, FormArgs, Table};
use onca_program::{Exit, Failure, print, say, write_json};

/// Tell why one run is longer, or shorter, than another
///
/// Pairs the containers of both runs, lays their times side by side by what happens in them, and adds the differences up: the
/// parts make the change of the run time, to the tick. What works longer is told apart from what only waits for it. Formats
/// and numbers of processes may differ. docs/compare.md tells the rules.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca compare yesterday.paje today.paje
  onca compare run.paje run.otf2 --align phases --json
  onca compare base.paje new.paje --fail-above 5%    exit status 1 if new is slower by more
  onca compare --before a1.paje a2.paje a3.paje --after b1.paje b2.paje b3.paje
  onca compare --scaling run-16.paje run-32.paje run-64.paje    onca render scaling draws it")]
pub struct Args {
    /// The first run, and the second: traces or stores; with --scaling any number of runs
    #[arg(value_name = "TRACE", num_args = 2.., value_parser = trace_path(), required_unless_present = "before")]
    runs: Vec<PathBuf>,

    /// Tell how efficient runs with different numbers of processes are, beside the one with the fewest
    #[arg(long, conflicts_with_all = ["before", "after", "align", "level", "depth", "fail_above"])]
    scaling: bool,

    /// Several first runs, to tell chance from change
    #[arg(long, value_name = "TRACE", num_args = 1.., value_parser = trace_path(), requires = "after", conflicts_with = "runs")]
    before: Vec<PathBuf>,

    /// Several second runs
    #[arg(long, value_name = "TRACE", num_args = 1.., value_parser = trace_path(), requires = "before")]
    after: Vec<PathBuf>,

    /// By what times belong together: auto, iterations, phases, begin, end, events:NAME or none
    #[arg(long, value_name = "HOW", default_value_t)]
    align: Align,

    #[command(flatten)]
    level: LevelOptions,

    /// At most this many findings
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,

    /// Exit with status 1 if the second run is longer by more than this share of the first, and by more than chance
    #[arg(long, value_name = "SHARE", value_parser = parse_share)]
    fail_above: Option<f64>,

    #[command(flatten)]
    lens: LensArgs,

    #[command(flatten)]
    read: ReadArgs,

    #[command(flatten)]
    form: FormArgs,
}

/// Answers.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    if args.scaling {
        return run_scaling(args);
    }
    let (before, after) = match args.runs.as_slice() {
        [before, after] => (std::slice::from_ref(before), std::slice::from_ref(after)),
        [] => (args.before.as_slice(), args.after.as_slice()),
        all => {
            return Err(Failure::Cannot(format!(
                "two runs are compared, not {}; --before and --after take several, and --scaling any number",
                all.len()
            )));
        }
    };
    let all = |traces: &[PathBuf]| -> Result<Vec<OpenTrace>, Failure> {
        traces.iter().map(|trace| open(trace, &args.read)).collect()
    };
    let _watch = args.read.watch();
    let (before, after) = (all(before)?, all(after)?);
    let lens = args.lens.lens()?;
    let (stores_before, stores_after) = (watched_all(&before), watched_all(&after));
    let before_scopes = scopes_of(&stores_before, &lens)?;
    let after_scopes = scopes_of(&stores_after, &lens)?;
    let spec = CompareSpec { align: args.align.clone(), level: args.level.level() };
    let Several { before: i, after: j, comparison } =
        compare_several(&before_scopes, &after_scopes, &spec)?;
    let report = Report {
        before: &before_scopes[i],
        after: &after_scopes[j],
        names: (before[i].name(), after[j].name()),
        comparison: &comparison,
        top: args.top,
    };
    print(|out| match (args.form.json, args.form.csv) {
        (true, _) => write_json(out, &comparison.json(report.before, report.after, args.top)),
        (_, true) => report.table().write_csv(out, args.form),
        _ => report.print(out),
    })?;
    if let Some(share) = args.fail_above
        && comparison.change_share() > share
        && comparison.is_slower_beyond_noise()
    {
        say!(
            "error: {} takes {} longer than {}, more than {}",
            report.names.1,
            percent(comparison.change_share()).trim(),
            report.names.0,
            percent(share).trim(),
        );
        return Ok(Exit::TooSlow);
    }
    let lost = before.iter().chain(&after).map(|it| it.store.catalog().facts.lost).sum();
    Ok(Exit::from_lost(lost))
}

/// Tells how efficient runs with different numbers of processes are.
fn run_scaling(args: &Args) -> Result<Exit, Failure> {
    let (runs, exit) = scaling_of(&args.runs, &args.lens, &args.read)?;
    print(|out| match (args.form.json, args.form.csv) {
        (true, _) => write_json(out, &scaling_json(&runs)),
        (_, true) => scaling_table(&runs).write_csv(out, args.form),
        _ => scaling_table(&runs).write_text(out),
    })?;
    Ok(exit)
}

/// How efficient some runs are, and whether records of any were lost.
pub fn scaling_of(
    runs: &[PathBuf],
    lens: &LensArgs,
    read: &ReadArgs,
) -> Result<(Vec<ScalingRun>, Exit), Failure> {
    let _watch = read.watch();
    let traces: Vec<OpenTrace> =
        runs.iter().map(|trace| open(trace, read)).collect::<Result<_, _>>()?;
    let lens = lens.lens()?;
    let stores = watched_all(&traces);
    let found = scaling(&scopes_of(&stores, &lens)?)?;
    let lost = traces.iter().map(|it| it.store.catalog().facts.lost).sum();
    Ok((found, Exit::from_lost(lost)))
}

/// The factors of all runs, as POP tables have them: a column for each run.
fn scaling_table(runs: &[ScalingRun]) -> Table {
    let names: Vec<String> = runs.iter().map(|run| format!("#{}", run.n_processes)).collect();
    let columns: Vec<&str> =
        std::iter::once("processes").chain(names.iter().map(String::as_str)).collect();
    let mut table = Table::new(&columns);
    let mut line = |name: String, cell: &dyn Fn(&ScalingRun) -> Cell| {
        table.push(std::iter::once(Cell::text(name)).chain(runs.iter().map(cell)).collect());
    };
    line("run time".to_owned(), &|run| Cell::number(rounded(run.length), run.length));
    line("speed-up".to_owned(), &|run| Cell::ratio(run.speed_up));
    let n_factors = runs.first().map_or(0, |run| run.factors().len());
    for at in 0..n_factors {
        let (name, depth, _) = runs[0].factors()[at];
        line(format!("{}{name}", "  ".repeat(depth)), &|run| {
            let share = run.factors()[at].2;
            share.map_or_else(Cell::none, |share| Cell::number(percent(share), share))
        });
    }
    table
}

type Watched = (Store, ShownProgress);

fn watched_all(traces: &[OpenTrace]) -> Vec<Watched> {
    traces.iter().map(|trace| watched(&trace.store)).collect()
}

/// The whole of each run, seen through a lens.
fn scopes_of<'s>(
    stores: &'s [Watched],
    lens: &onca_query::Lens,
) -> Result<Vec<Scope<'s>>, Failure> {
    let scope = |(store, _): &'s Watched| {
        let facts = &store.catalog().facts;
        let run = onca_model::Window { from: facts.start, to: facts.end };
        Scope::new(store, lens, run).map_err(Failure::from)
    };
    stores.iter().map(scope).collect()
}

fn open(trace: &Path, read: &ReadArgs) -> Result<OpenTrace, Failure> {
    let args = TraceArgs { trace: trace.to_owned(), read: read.clone() };
    let open = args.open_unwatched()?;
    open.mention_problems();
    Ok(open)
}

struct Report<'a> {
    before: &'a Scope<'a>,
    after: &'a Scope<'a>,
    names: (String, String),
    comparison: &'a Comparison,
    top: usize,
}

impl Report<'_> {
    fn time(&self, ticks: i128) -> String {
        let unit = &self.comparison.unit;
        format!("{} {}", rounded_time(unit, ticks as f64), printable(unit.name.as_bytes()))
    }

    fn signed(&self, ticks: f64) -> String {
        let sign = if ticks < 0.0 { "-" } else { "+" };
        format!("{sign}{}", self.time(ticks.abs().round() as i128))
    }

    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let comparison = self.comparison;
        let (before, after) = comparison.lengths();
        let sides = [
            (&self.names.0, before, comparison.n_processes().0),
            (&self.names.1, after, comparison.n_processes().1),
        ];
        for (title, (name, length, n)) in ["before", "after "].iter().zip(sides) {
            writeln!(out, "{title}  {}  {}  {name}", self.time(length), processes(n))?;
        }
        let share = comparison.change_share();
        writeln!(
            out,
            "change  {}  {}{:.1} %",
            self.signed(comparison.change() as f64),
            if share < 0.0 { "" } else { "+" },
            100.0 * share
        )?;
        if !comparison.is_related {
            writeln!(out, "\nthe two runs have nothing in common that could be compared")?;
            return Ok(());
        }
        self.print_account(out)?;
        self.print_findings(out)?;
        self.print_remarks(out)
    }

    fn print_account(&self, out: &mut dyn Write) -> io::Result<()> {
        let account = &self.comparison.account;
        let parts = [
            ("work of the busiest", account.work),
            ("communication, waiting, other", account.rest),
            ("only after", account.new),
            ("only before", account.gone),
        ];
        let parts = parts.into_iter().filter(|(_, ticks)| *ticks != 0.0);
        for (what, ticks) in parts {
            writeln!(out, "  {:>14}  {what}", self.signed(ticks))?;
        }
        if let Some(all) = &self.comparison.lengths_of_all {
            writeln!(
                out,
                "  {} and {} runs: such a difference is chance in {} of cases",
                all.before.len(),
                all.after.len(),
                percent(all.p).trim()
            )?;
        } else if let Some(noise) = self.comparison.noise {
            writeln!(out, "  {:>14}  may be chance", self.time(noise.round() as i128))?;
        }
        Ok(())
    }

    fn print_findings(&self, out: &mut dyn Write) -> io::Result<()> {
        let all = &self.comparison.findings;
        writeln!(out)?;
        if all.is_empty() {
            writeln!(out, "nothing was found that changes the run time beyond chance")?;
        }
        for (number, finding) in all.iter().take(self.top).enumerate() {
            writeln!(out, "{}. {} ({})", number + 1, finding.kind, self.share(finding))?;
            writeln!(out, "   {}", finding.text)?;
        }
        if all.len() > self.top {
            let beyond = count_of((all.len() - self.top) as u64, "more finding");
            writeln!(out, "and {beyond}; --top tells how many are shown")?;
        }
        Ok(())
    }

    fn share(&self, finding: &ComparedFinding) -> String {
        let of_run = 100.0 * self.comparison.share_of_run(finding.ticks);
        match self.comparison.share_of_change(finding.ticks) {
            Some(share) => {
                format!("{of_run:+.1} % of the run, {:.0} % of the change", 100.0 * share)
            }
            None => format!("{of_run:+.1} % of the run"),
        }
    }

    fn print_remarks(&self, out: &mut dyn Write) -> io::Result<()> {
        let comparison = self.comparison;
        let matching = &comparison.matching;
        writeln!(out, "\ncompared")?;
        let what = match &matching.level {
            Some(level) => format!(
                "{} of level {}, by means over their processes",
                count_of(matching.places.len() as u64, "container"),
                printable(level.as_bytes())
            ),
            None => processes(matching.places.len() as u64),
        };
        writeln!(out, "  {what}, paired by {}", matching.rule.name())?;
        let alone = [("first", &matching.alone_before), ("second", &matching.alone_after)];
        for (which, ids) in alone.iter().filter(|(_, ids)| !ids.is_empty()) {
            writeln!(out, "  {} only in the {which} run", processes(ids.len() as u64))?;
        }
        let n = comparison.alignment.pairs.len() as u64;
        writeln!(out, "  times by {}, in {}", comparison.align, count_of(n, "segment"))?;
        for (title, remarks) in
            [("assumed", &comparison.assumed), ("not examined", &comparison.not_examined)]
        {
            if !remarks.is_empty() {
                writeln!(out, "\n{title}")?;
            }
            for remark in remarks {
                writeln!(out, "  {}", printable(remark.as_bytes()))?;
            }
        }
        Ok(())
    }

    fn table(&self) -> Table {
        let columns = [
            "kind",
            "/groups",
            "#from",
            "#to",
            "#before_from",
            "#before_to",
            "#ratio",
            "#change",
            "#share",
            "#change_share",
            "#sure",
            "text",
        ];
        let mut table = Table::new(&columns);
        let units = (&self.before.catalog().facts.unit, &self.after.catalog().facts.unit);
        for finding in self.comparison.findings.iter().take(self.top) {
            let scope = if finding.is_gone() { self.before } else { self.after };
            let groups: Vec<String> = finding.groups.iter().map(|node| scope.path(*node)).collect();
            table.push(vec![
                Cell::text(finding.kind.clone()),
                Cell::text(groups.join(" ")),
                Cell::time(units.1, Some(i128::from(finding.after.from))),
                Cell::time(units.1, Some(i128::from(finding.after.to))),
                Cell::time(units.0, Some(i128::from(finding.before.from))),
                Cell::time(units.0, Some(i128::from(finding.before.to))),
                Cell::ratio(Some(finding.ratio)),
                Cell::time(&self.comparison.unit, Some(finding.ticks)),
                Cell::ratio(Some(self.comparison.share_of_run(finding.ticks))),
                Cell::ratio(self.comparison.share_of_change(finding.ticks)),
                Cell::share(Some(finding.sure)),
                Cell::text(finding.text.clone()),
            ]);
        }
        table
    }
}

/// A number of processes, in words.
fn processes(n: u64) -> String {
    match n {
        1 => "1 process".to_owned(),
        n => format!("{n} processes"),
    }
}
