//! What `onca stats` says when nothing in particular is asked: in 80 columns.

use std::io::{self, Write};

use onca_answer::{
    AnswerError, Balance, Cut, Efficiencies, Hybrid, Level, Load, Matrix, Statistics,
    ValueStatistics, balance, efficiency, matrix, statistics,
};
use onca_model::{Nature, printable};
use onca_query::{Scope, StateValue};

use super::tables::SEVERAL_TYPES;
use super::{Args, What};
use onca_program::Failure;
use onca_program::format::{byte_size, count_of, grouped, percent, rounded_time, shortened};
use onca_program::table::{Cell, Table};

/// What the summary is made of.
pub(super) const TABLES: [What; 4] = [What::Values, What::Balance, What::Matrix, What::Efficiency];

/// How wide the summary may be.
const COLUMNS: usize = 80;

/// How wide the name of a value may be where numbers leave room.
const NAME_WIDTH: usize = 16;

pub(super) struct Summary<'a> {
    scope: &'a Scope<'a>,
    top: usize,
    values: Statistics,
    balance: Balance,
    /// Nothing if too many pairs communicate.
    matrix: Option<Matrix>,
    efficiency: Efficiencies,
}

impl<'a> Summary<'a> {
    pub fn new(scope: &'a Scope<'a>, args: &Args) -> Result<Self, Failure> {
        let level = args.level.level().unwrap_or_default();
        Ok(Self {
            scope,
            top: args.top.max(1),
            values: statistics(scope, Cut::new(scope, &Level::Whole)?, args.measure(), 0)?,
            balance: balance(scope, Some(&level), args.measure())?,
            matrix: match matrix(scope, Cut::new(scope, &level)?) {
                Err(AnswerError::TooLarge(_)) => None,
                answer => Some(answer?),
            },
            efficiency: efficiency(scope, &Level::Whole, 1)?,
        })
    }

    pub fn print(&self, out: &mut dyn Write, name: &str) -> io::Result<()> {
        let facts = &self.scope.catalog().facts;
        let (unit, window) = (&facts.unit, self.scope.window());
        writeln!(out, "{name}")?;
        writeln!(
            out,
            "  from {} to {} {}{}",
            unit.format(window.from),
            unit.format(window.to),
            printable(unit.name.as_bytes()),
            if unit.assumed { " (unit assumed)" } else { "" }
        )?;
        self.print_values(out)?;
        writeln!(out)?;
        self.print_balance(out)?;
        self.print_messages(out)?;
        self.print_efficiency(out)
    }

    fn print_values(&self, out: &mut dyn Write) -> io::Result<()> {
        for nature in [Nature::State, Nature::Link, Nature::Event] {
            let rows: Vec<_> = self.values.rows.iter().filter(|row| row.nature == nature).collect();
            if rows.is_empty() {
                continue;
            }
            let shown = &rows[..rows.len().min(self.top)];
            let mut table = self.table(nature, shown, NAME_WIDTH);
            let beyond = table.width().saturating_sub(COLUMNS);
            if beyond > 0 {
                table = self.table(nature, shown, NAME_WIDTH.saturating_sub(beyond).max(1));
            }
            writeln!(out)?;
            table.write_text(out)?;
            if rows.len() > self.top {
                let more = (rows.len() - self.top) as u64;
                writeln!(
                    out,
                    "and {}; --top tells how many are shown",
                    count_of(more, "more value")
                )?;
            }
        }
        Ok(())
    }

    /// The values of one nature, with names of at most this many characters.
    fn table(&self, nature: Nature, rows: &[&ValueStatistics], name_width: usize) -> Table {
        let unit = &self.scope.catalog().facts.unit;
        let time = |ticks: Option<i64>| Cell::time(unit, ticks.map(i128::from));
        let mut table = match nature {
            Nature::State => {
                Table::new(&["states", "#time", "#share", "#count", "#median", "#max"])
            }
            Nature::Link => Table::new(&["links", "#time", "#size", "#count", "#median", "#max"]),
            _ => Table::new(&["events", "#count"]),
        };
        for row in rows {
            let name = match row.value {
                StateValue::Trace(id) => printable(&self.scope.catalog().value(id).name),
                StateValue::Derived(derived) => derived.words(self.scope).into(),
            };
            let mut cells = vec![Cell::text(shortened(&name, name_width))];
            match nature {
                Nature::State => {
                    cells.extend([Cell::time(unit, row.ticks), Cell::share(row.share)]);
                }
                Nature::Link => cells.extend([
                    Cell::time(unit, row.ticks),
                    row.size.map_or_else(Cell::none, Cell::count),
                ]),
                _ => {}
            }
            cells.push(Cell::count(row.count));
            if nature != Nature::Event {
                cells.push(time(row.durations.map(|durations| durations.median)));
                cells.push(time(row.durations.map(|durations| durations.max)));
            }
            table.push(cells);
        }
        table
    }

    fn print_balance(&self, out: &mut dyn Write) -> io::Result<()> {
        let catalog = self.scope.catalog();
        let unit = &catalog.facts.unit;
        let Some(row) = self.balance.rows.first() else {
            return writeln!(out, "load balance   no states");
        };
        let time = |ticks: f64| rounded_time(unit, ticks);
        let load = match row.load {
            Load::Useful => "useful time".to_owned(),
            Load::Value(value) => shortened(&printable(&catalog.value(value).name), NAME_WIDTH),
        };
        let ratio = row.balance.max_by_mean().map_or("-".to_owned(), |ratio| format!("{ratio:.3}"));
        writeln!(
            out,
            "load balance   {load}: max/mean {ratio}, mean {}, deviation {}",
            time(row.balance.mean),
            time(row.balance.std),
        )?;
        let most = shortened(&printable(self.scope.name(row.most)), 30);
        let n = count_of(row.balance.count, "container");
        writeln!(out, "               most {}, {most}, of {n}", time(row.balance.max))
    }

    fn print_messages(&self, out: &mut dyn Write) -> io::Result<()> {
        let unit = &self.scope.catalog().facts.unit;
        let Some(matrix) = &self.matrix else {
            return writeln!(out, "communication  too many pairs to tell; choose a level");
        };
        let totals = matrix.totals();
        let Some(most) = matrix
            .pairs
            .iter()
            .max_by_key(|pair| (pair.totals.count, std::cmp::Reverse((pair.from, pair.to))))
        else {
            return writeln!(out, "communication  no messages");
        };
        let mean = rounded_time(unit, totals.time as f64 / totals.count as f64);
        writeln!(
            out,
            "communication  {}, {}, mean time {mean}, {}",
            count_of(totals.count, "message"),
            byte_size(totals.size),
            count_of(matrix.pairs.len() as u64, "pair"),
        )?;
        let name = |place| shortened(&printable(self.scope.name(matrix.node(place))), 20);
        writeln!(
            out,
            "               most {} from {} to {}",
            grouped(most.totals.count),
            name(most.from),
            name(most.to)
        )
    }

    fn print_efficiency(&self, out: &mut dyn Write) -> io::Result<()> {
        let Some(row) = self.efficiency.rows.first() else {
            return writeln!(out, "efficiency     no states, or no time");
        };
        if row.times.useful == 0 {
            return writeln!(
                out,
                "efficiency     unknown: no state computes; give roles in a lens"
            );
        }
        let share = |share: Option<f64>| share.map_or("-".to_owned(), percent);
        writeln!(
            out,
            "efficiency     parallel {} = balance {} x communication {}",
            share(row.efficiency.parallel),
            share(row.efficiency.load_balance),
            share(row.efficiency.communication),
        )?;
        if let Some(Hybrid { among_processes, among_threads }) = row.hybrid {
            writeln!(
                out,
                "               = {} among processes x {} among their threads",
                share(among_processes.parallel),
                share(among_threads.parallel),
            )?;
        }
        match self.efficiency.several_types {
            true => writeln!(out, "               {SEVERAL_TYPES}"),
            false => Ok(()),
        }
    }
}
