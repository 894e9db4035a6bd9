//! The answers as tables, as comma-separated values, as JSON.

use std::io::{self, Write};

use onca_answer::overview::{
    ChangeAnswer, CurveAnswer, DisruptionAnswer, HalvingAnswer, Matrix, OverviewAnswer,
};
use serde_json::{Value, json};

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
    /// Do nodes have only numbers?
    plain: bool,
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
    pub fn new(matrix: &'a Matrix, plain: bool, nothing: String) -> Self {
        Self {
            matrix,
            slices: Slices::of(matrix),
            plain,
            nothing,
            partitions: Vec::new(),
            curve: None,
            halving: None,
            disruptions: None,
            change: None,
        }
    }

    /// Writes one JSON object.
    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut json = self.matrix.to_json();
        if !self.partitions.is_empty() {
            let partition = |answer: &OverviewAnswer| match self.plain {
                true => answer.to_plain_json(),
                false => answer.to_json(self.matrix),
            };
            json["whole"] = json!({
                "gain": self.partitions[0].whole_gain,
                "loss": self.partitions[0].whole_loss,
            });
            json["optimal"] = self.partitions.iter().map(partition).collect();
        }
        let parts = [
            self.curve.as_ref().map(CurveAnswer::to_json),
            self.halving.as_ref().map(HalvingAnswer::to_json),
            self.disruptions.as_ref().map(|answer| answer.to_json(self.matrix)),
            self.change.as_ref().map(|answer| json!({ "change": answer.to_json(self.matrix) })),
        ];
        for part in parts.into_iter().flatten() {
            merge(&mut json, part);
        }
        writeln!(out, "{json:#}")
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

/// Adds the fields of an object to another.
fn merge(json: &mut Value, part: Value) {
    if let Value::Object(fields) = part {
        for (name, value) in fields {
            json[name] = value;
        }
    }
}
