//! `onca waits`: who waits for whom, and why.

use std::io::{self, Write};

use onca_answer::wire::activity_name;
use onca_answer::{Activity, WaitSpec, Waits, analyse_waits};
use onca_model::{ContainerId, TimeUnit, printable};
use onca_query::{NodeId, Scope, container_path};

use crate::look::LookArgs;
use crate::progress::watched;
use crate::trace::TraceArgs;
use onca_program::format::{count_of, grouped, percent, rounded_time};
use onca_program::table::{Cell, FormArgs, Table};
use onca_program::{Exit, Failure, print, write_json};
use onca_views::options::LevelOptions;

/// How wide names may be in tables for people.
const NAME_WIDTH: usize = 40;

/// Tell who waits for whom, what the run time is made of, and who is to blame
///
/// Looks at the calls around messages and at collective operations. The kinds of waits are those of Scalasca; every wait is
/// charged to what caused it. docs/waits.md tells how it is computed, and what each format must tell for it.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca waits run.paje
  onca waits run.paje --level Machine --slices 20 --csv
  onca waits run.paje --from 1 --to 2 --json")]
pub struct Args {
    #[command(flatten)]
    trace: TraceArgs,

    #[command(flatten)]
    level: LevelOptions,

    /// Cut the window into this many slices
    #[arg(long, value_name = "N", default_value_t = 1)]
    slices: usize,

    /// How many rows of a table people see
    #[arg(long, value_name = "K", default_value_t = 10)]
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
    let spec = WaitSpec { level: args.level.level(), n_slices: args.slices };
    let answer = analyse_waits(&scope)?.answer(&scope, &spec)?;
    drop(bar);
    let report = Report { scope: &scope, answer: &answer, top: args.top.max(1) };
    print(|out| match (args.form.json, args.form.csv) {
        (true, _) => write_json(out, &answer.json(&scope)),
        (_, true) => report.csv(args).write_csv(out, args.form),
        _ => report.print(out),
    })?;
    Ok(Exit::from_lost(trace.store.catalog().facts.lost))
}

struct Report<'a> {
    scope: &'a Scope<'a>,
    answer: &'a Waits,
    top: usize,
}

impl Report<'_> {
    fn unit(&self) -> &TimeUnit {
        &self.scope.catalog().facts.unit
    }

    fn time(&self, ticks: i128) -> String {
        let name = printable(self.unit().name.as_bytes());
        format!("{} {name}", rounded_time(self.unit(), ticks as f64))
    }

    fn amount(&self, ticks: i128) -> Cell {
        Cell::time(self.unit(), Some(ticks))
    }

    fn node(&self, node: NodeId) -> Cell {
        Cell::text(self.scope.path(node))
    }

    fn container(&self, id: ContainerId) -> Cell {
        Cell::text(container_path(&self.scope.catalog().containers, id))
    }

    fn activity(&self, activity: Activity) -> Cell {
        Cell::name(&activity_name(self.scope, activity)).shortened(NAME_WIDTH)
    }

    /// The time of all processes in the window.
    fn whole(&self) -> i128 {
        let window = self.scope.window();
        i128::from(window.to - window.from) * i128::from(self.answer.n_processes)
    }

    fn share(&self, ticks: i128, of: i128) -> Option<f64> {
        (of > 0).then(|| ticks as f64 / of as f64)
    }

    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let answer = self.answer;
        let total = answer.total();
        let all = match answer.n_processes {
            1 => "1 process".to_owned(),
            n => format!("{} processes", grouped(n)),
        };
        match self.share(total, self.whole()) {
            Some(share) => writeln!(
                out,
                "waiting for others: {} of all {} of {all}, {}",
                self.time(total),
                self.time(self.whole()),
                percent(share).trim()
            )?,
            None => writeln!(out, "waiting for others: nothing; no time passes")?,
        }
        if !answer.kinds.is_empty() {
            writeln!(out)?;
            self.kinds().write_text(out)?;
        }
        if !answer.rows.is_empty() {
            writeln!(out)?;
            self.shown(self.rows(), out)?;
        }
        self.print_path(out)?;
        if !answer.causes.is_empty() {
            writeln!(out, "\nwhat causes the waiting, in the whole run")?;
            self.shown(self.causes(), out)?;
            if answer.unexplained > 0 {
                writeln!(out, "without a known cause: {}", self.time(answer.unexplained))?;
            }
        }
        self.print_efficiency(out)?;
        self.print_remarks(out)
    }

    fn shown(&self, table: Table, out: &mut dyn Write) -> io::Result<()> {
        table.write_text(out)?;
        if table.beyond() > 0 {
            let beyond = count_of(table.beyond() as u64, "more row");
            writeln!(out, "and {beyond}; --top tells how many are shown")?;
        }
        Ok(())
    }

    fn kinds(&self) -> Table {
        let mut table =
            Table::new(&["kind", "#count", "#time", "#share", "#longest", "/where", "/waits for"]);
        let whole = self.whole();
        for kind in &self.answer.kinds {
            let (length, container, cause) = match &kind.longest {
                Some(longest) => (
                    self.amount(i128::from(longest.window.to - longest.window.from)),
                    self.container(longest.container),
                    self.container(longest.cause),
                ),
                None => (Cell::none(), Cell::none(), Cell::none()),
            };
            table.push(vec![
                Cell::text(kind.kind.name()),
                Cell::count(kind.count),
                self.amount(kind.ticks),
                Cell::share(self.share(kind.ticks, whole)),
                length,
                container,
                cause,
            ]);
        }
        table
    }

    fn rows(&self) -> Table {
        let columns = ["/node", "#from", "#to", "kind", "#count", "#time"];
        let mut table = Table::new(&columns).at_most(self.top);
        for row in &self.answer.rows {
            table.push_with(|| {
                vec![
                    self.node(row.node),
                    self.amount(i128::from(row.slice.from)),
                    self.amount(i128::from(row.slice.to)),
                    Cell::text(row.kind.name()),
                    Cell::count(row.count),
                    self.amount(row.ticks),
                ]
            });
        }
        table
    }

    /// What programs get: the rows that were asked for, else the kinds.
    fn csv(&self, args: &Args) -> Table {
        match args.level.level().is_some() || args.slices > 1 {
            true => Report { top: usize::MAX, ..*self }.rows(),
            false => self.kinds(),
        }
    }

    fn print_path(&self, out: &mut dyn Write) -> io::Result<()> {
        let answer = self.answer;
        let length = i128::from(answer.run.to - answer.run.from);
        if length == 0 || answer.path.is_empty() {
            return Ok(());
        }
        writeln!(
            out,
            "\nthe critical path, {} in {}",
            self.time(length),
            count_of(answer.path.len() as u64, "segment")
        )?;
        let mut table = Table::new(&["activity", "#time", "#share", "#longer than the mean"]);
        for part in answer.path_activities.iter().take(self.top) {
            table.push(vec![
                self.activity(part.of),
                self.amount(part.ticks),
                Cell::share(self.share(part.ticks, length)),
                self.amount(part.ticks - part.mean),
            ]);
        }
        table.write_text(out)?;
        let nodes = answer.path_nodes.iter().take(3).map(|part| {
            let share = self.share(part.ticks, length).unwrap_or(0.0);
            format!(
                "{} ({})",
                printable(self.scope.path(part.of).as_bytes()),
                percent(share).trim()
            )
        });
        writeln!(out, "it goes along {}", nodes.collect::<Vec<_>>().join(", "))
    }

    fn causes(&self) -> Table {
        let columns = ["/node", "activity", "#waiting", "#direct", "#passed on"];
        let mut table = Table::new(&columns).at_most(self.top);
        for cause in &self.answer.causes {
            table.push_with(|| {
                vec![
                    self.node(cause.node),
                    self.activity(cause.activity),
                    self.amount(cause.ticks()),
                    self.amount(cause.short_term),
                    self.amount(cause.long_term),
                ]
            });
        }
        table
    }

    fn print_efficiency(&self, out: &mut dyn Write) -> io::Result<()> {
        let efficiency = &self.answer.efficiency;
        let (serialisation, transfer) = self.answer.split();
        let shown = |ratio: Option<f64>| ratio.map_or("-".to_owned(), |it| format!("{it:.3}"));
        writeln!(
            out,
            "\nparallel efficiency {} = load balance {} x serialisation {} x transfer {}",
            shown(efficiency.parallel),
            shown(efficiency.load_balance),
            shown(serialisation),
            shown(transfer)
        )
    }

    fn print_remarks(&self, out: &mut dyn Write) -> io::Result<()> {
        let parts = [
            ("assumed", self.answer.examined.assumptions()),
            ("not examined", self.answer.examined.not_examined()),
        ];
        for (title, remarks) in parts.iter().filter(|(_, remarks)| !remarks.is_empty()) {
            writeln!(out, "\n{title}")?;
            for remark in remarks {
                writeln!(out, "  {remark}")?;
            }
        }
        Ok(())
    }
}
