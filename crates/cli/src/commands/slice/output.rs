//! The answer as a table and as comma-separated values.

use std::io::{self, Write};

use onca_aggregate::slice::LinkTally;
use onca_answer::slice::{
    Aggregate, Amount, Quantity, SliceAnswer, SliceNode, SliceQuestion, What,
};
use onca_model::printable;

use onca_program::format::{count_of, percent};
use onca_program::say;
use onca_program::table::{Cell, FormArgs, Table, write_csv_line};

/// More values than these are shown one below the other.
pub(super) const MAX_COLUMNS: usize = 8;
/// How deep a name is indented at most.
const MAX_INDENT: usize = 20;

/// Writes one line for each row.
pub fn write_csv(out: &mut dyn Write, form: FormArgs, answer: &SliceAnswer) -> io::Result<()> {
    let is_time = answer.quantity == Quantity::Time;
    let columns = ["path", "type", "value", "slice", "from", "to", "amount", "amount_ticks"];
    let is_number = [false, false, false, true, true, true, true, true];
    let n = if is_time { 8 } else { 7 };
    write_csv_line(out, form, columns.into_iter().take(n).map(|name| (name, false)))?;
    for (node, value, slice, amount) in answer.rows.iter() {
        let (window, value) = (answer.bounds.slice(slice), &answer.values[value]);
        let mut cells = vec![
            answer.nodes[node].path.clone(),
            printable(&value.type_name).into_owned(),
            printable(&value.name).into_owned(),
            slice.to_string(),
            answer.unit.format(window.from),
            answer.unit.format(window.to),
            exact(answer, amount),
        ];
        if is_time {
            cells.push(match amount {
                Amount::Whole(ticks) => ticks.to_string(),
                Amount::Real(_) => String::new(),
            });
        }
        write_csv_line(out, form, cells.iter().map(String::as_str).zip(is_number))?;
    }
    if let Some(tally) = answer.tally {
        say!("{}", told(&tally));
    }
    Ok(())
}

/// Writes a table for people.
pub fn write_text(
    out: &mut dyn Write,
    answer: &SliceAnswer,
    question: &SliceQuestion,
) -> io::Result<()> {
    let is_wide = answer.bounds.n_slices() == 1
        && answer.values.len() <= MAX_COLUMNS
        && !matches!(question.what, What::Peers(_));
    let least_depth = answer.nodes.iter().map(|node| node.depth).min().unwrap_or(0);
    let text = Text { answer, sums_up: question.aggregate == Aggregate::Sum, least_depth };
    writeln!(out, "{}", text.title())?;
    let table = if is_wide { text.wide() } else { text.long() };
    table.write_text(out)?;
    table.write_beyond(out)?;
    if let Some(tally) = answer.tally {
        writeln!(out, "{}", told(&tally))?;
    }
    Ok(())
}

struct Text<'a> {
    answer: &'a SliceAnswer,
    /// Has a group the sum of its leaves?
    sums_up: bool,
    /// The depth of the outermost nodes.
    least_depth: usize,
}

impl Text<'_> {
    fn title(&self) -> String {
        let (unit, window) = (&self.answer.unit, self.answer.bounds.window());
        let name = &unit.name;
        let what = match self.answer.quantity {
            Quantity::Time => format!("time in {name}, and its share of the slice"),
            Quantity::Share => "share of the slice".to_owned(),
            Quantity::Rate => format!("rate by {name}"),
            Quantity::Integral => format!("value times {name}"),
            quantity => quantity.name().to_owned(),
        };
        format!("{} to {} {name}: {what}", unit.format(window.from), unit.format(window.to))
    }

    /// A row for each node, a column for each value.
    fn wide(&self) -> Table {
        let names = self.answer.values.iter().map(|value| {
            let is_alone = self.answer.values.iter().filter(|v| v.name == value.name).count() == 1;
            match is_alone || value.type_name == value.name {
                true => format!("#{}", printable(&value.name)),
                false => format!("#{}:{}", printable(&value.type_name), printable(&value.name)),
            }
        });
        let columns: Vec<String> = ["node".to_owned()].into_iter().chain(names).collect();
        let mut table = Table::for_people(&columns.iter().map(String::as_str).collect::<Vec<_>>());
        if self.answer.rows.is_empty() {
            return table;
        }
        for node in 0..self.answer.nodes.len() {
            let amounts: Vec<Option<Amount>> = (0..self.answer.values.len())
                .map(|value| self.answer.amount(node, value, 0))
                .collect();
            if amounts.iter().any(Option::is_some) {
                table.push_with(|| {
                    let amounts = amounts.into_iter().enumerate();
                    let cells = amounts.map(|(value, amount)| self.cell(node, value, 0, amount));
                    [self.name(node)].into_iter().chain(cells).collect()
                });
            }
        }
        table
    }

    /// A row for each node, value and slice.
    fn long(&self) -> Table {
        let mut table = Table::for_people(&["node", "value", "#slice", "#from", "#amount"]);
        for (node, value, slice, amount) in self.answer.rows.iter() {
            let from = self.answer.bounds.slice(slice).from;
            table.push_with(|| {
                vec![
                    self.name(node),
                    Cell::name(&self.answer.values[value].name),
                    Cell::text(slice.to_string()),
                    Cell::text(self.answer.unit.format(from)),
                    self.cell(node, value, slice, Some(amount)),
                ]
            });
        }
        table
    }

    /// The name of a node, indented below the outermost nodes.
    fn name(&self, node: usize) -> Cell {
        name_cell(&self.answer.nodes[node], self.least_depth)
    }

    fn cell(&self, node: usize, value: usize, slice: usize, amount: Option<Amount>) -> Cell {
        let Some(amount) = amount else { return Cell::none() };
        let shown = match (self.answer.quantity, amount) {
            (Quantity::Time, amount) => self.time(node, value, slice, amount),
            (_, Amount::Whole(number)) => number.to_string(),
            (_, Amount::Real(number)) => short(number),
        };
        Cell::number(shown, exact(self.answer, amount))
    }

    /// A time, and which share of the slice it is: of a sum, the share of the time that all
    /// leaves with such states together have.
    fn time(&self, node: usize, value: usize, slice: usize, amount: Amount) -> String {
        let n_leaves = if self.sums_up { self.answer.n_leaves(node, value) } else { 1 };
        let whole = self.answer.width(slice) as f64 * n_leaves as f64;
        let share = if whole > 0.0 { amount.to_f64() / whole } else { 0.0 };
        let units = amount.to_f64() / self.answer.unit.ticks_per_unit as f64;
        format!("{} ({:>7})", short(units), percent(share))
    }
}

/// The name of a node, indented below those of the least depth.
pub(super) fn name_cell(node: &SliceNode, least_depth: usize) -> Cell {
    let indent = "  ".repeat((node.depth - least_depth).min(MAX_INDENT));
    let name = if node.depth == 0 { "/".into() } else { printable(&node.name) };
    Cell::text(format!("{indent}{name}"))
}

/// The amount in full, times in units.
fn exact(answer: &SliceAnswer, amount: Amount) -> String {
    match (answer.quantity, amount) {
        (Quantity::Time, Amount::Whole(ticks)) => answer.unit.format(ticks),
        (Quantity::Time, Amount::Real(ticks)) => {
            (ticks / answer.unit.ticks_per_unit as f64).to_string()
        }
        (_, Amount::Whole(number)) => number.to_string(),
        (_, Amount::Real(number)) => number.to_string(),
    }
}

/// A number with at most six decimals, or as a power of ten where these would hide it.
pub(super) fn short(number: f64) -> String {
    if number != 0.0 && number.abs() < 1e-4 {
        return format!("{number:.3e}");
    }
    let text = format!("{number:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// What became of the links.
pub(super) fn told(tally: &LinkTally) -> String {
    let LinkTally { counted, dropped, clipped, backward } = *tally;
    let mut parts = vec![format!("{} counted", count_of(counted, "link"))];
    let more = [
        (dropped, "dropped because they cross the border of a slice"),
        (clipped, "clipped because they cross the border of a slice"),
        (backward, "that end before they start"),
    ];
    let more = more.into_iter().filter(|(number, _)| *number > 0);
    parts.extend(more.map(|(number, what)| format!("{number} {what}")));
    parts.join(", ")
}
