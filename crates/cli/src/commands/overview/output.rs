//! The answers as tables, as comma-separated values, as JSON.

use std::io::{self, Write};

use onca_answer::overview::{
    ChangeAnswer, CurveAnswer, DisruptionAnswer, HalvingAnswer, Matrix, OverviewAnswer,
};
use onca_answer::wire::{List, OptimalJson, OverviewJson, WholeJson};

use onca_program::format::count_of;
use onca_program::table::{FormArgs, Table};

use super::areas::areas;
use super::curves::{change, curve, halving};
use super::disruptions::disruptions;
use super::slices::Slices;

/// For whom a table is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reader {
    /// People see what matters.
    Person,
    /// Programs get every row.
    Program,
}

/// Everything that was asked for.
pub struct Output<'a> {
    matrix: &'a Matrix,
    slices: Slices<'a>,
    /// What to say where there is nothing to aggregate.
    nothing: String,
    pub partitions: Vec<OverviewAnswer>,
    pub curve: Option<CurveAnswer>,
    pub halving: Option<HalvingAnswer>,
    pub disruptions: Option<DisruptionAnswer>,
    pub change: Option<ChangeAnswer>,
}

impl<'a> Output<'a> {
    /// Nothing yet.
    pub fn new(matrix: &'a Matrix, nothing: String) -> Self {
        Self {
            matrix,
            slices: Slices::of(matrix),
            nothing,
            partitions: Vec::new(),
            curve: None,
            halving: None,
            disruptions: None,
            change: None,
        }
    }

    /// Everything as one JSON object.
    pub fn json(&self) -> OverviewJson<'_> {
        // What is of no time is of no trace: its nodes have only numbers.
        let partition = |answer| match &self.matrix.times {
            None => OptimalJson::Plain(OverviewAnswer::plain_json(answer)),
            Some(_) => OptimalJson::Named(answer.json(self.matrix)),
        };
        OverviewJson {
            whole: self
                .partitions
                .first()
                .map(|answer| WholeJson { gain: answer.whole_gain, loss: answer.whole_loss }),
            optimal: (!self.partitions.is_empty())
                .then(|| List::new(self.partitions.iter().map(partition))),
            curve: self.curve.as_ref().map(CurveAnswer::json),
            halving: self.halving.as_ref().map(HalvingAnswer::json),
            disruptions: self.disruptions.as_ref().map(|answer| answer.json(self.matrix)),
            change: self.change.as_ref().map(|answer| answer.json(self.matrix)),
            ..OverviewJson::new(self.matrix)
        }
    }

    /// Writes one table, or several one after the other.
    pub fn write_csv(&self, out: &mut dyn Write, form: FormArgs) -> io::Result<()> {
        self.tables(Reader::Program).iter().try_for_each(|(_, table)| table.write_csv(out, form))
    }

    /// Writes tables for people.
    pub fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", self.title())?;
        if self.matrix.values.is_empty() {
            return writeln!(out, "{}", self.nothing);
        }
        for (title, table) in self.tables(Reader::Person) {
            writeln!(out, "{title}")?;
            if !table.is_empty() {
                table.write_text(out)?;
            }
        }
        Ok(())
    }

    fn title(&self) -> String {
        let cells = &self.matrix.cells;
        let size = format!(
            "{} with {} in {}",
            count_of(cells.n_leaves() as u64, "leaf").replace("leafs", "leaves"),
            count_of(cells.n_values() as u64, "value"),
            count_of(cells.n_slices() as u64, "slice"),
        );
        match &self.matrix.times {
            Some(times) => {
                let window = times.bounds.window();
                let (from, to) = (times.unit.format(window.from), times.unit.format(window.to));
                format!("{} from {from} to {to} {}: {size}", self.matrix.metric, times.unit.name)
            }
            None => size,
        }
    }

    fn tables(&self, reader: Reader) -> Vec<(String, Table)> {
        let slices = &self.slices;
        let mut tables: Vec<(String, Table)> =
            self.partitions.iter().map(|answer| areas(slices, answer, reader)).collect();
        tables.extend(self.curve.as_ref().map(curve));
        tables.extend(self.halving.as_ref().map(halving));
        tables.extend(self.disruptions.as_ref().map(|answer| disruptions(slices, answer, reader)));
        tables.extend(self.change.as_ref().map(|answer| change(slices, answer)));
        tables
    }
}
