//! The answers as tables, as comma-separated values, as JSON.

use std::io::{self, Write};

use onca_aggregate::overview::Shift;
use onca_answer::overview::{
    AreaRow, ChangeAnswer, CurveAnswer, DisruptionAnswer, HalvingAnswer, Matrix, OverviewAnswer,
};
use onca_model::printable;
use serde_json::{Value, json};

use crate::format::{bar, count_of, percent};
use crate::table::{Cell, Table};

/// Containers of a disruption that are named; the others are counted.
const NAMED: usize = 4;
/// Width of the bars of a change curve.
const BAR: usize = 40;

/// Everything that was asked for.
pub struct Output<'a> {
    matrix: &'a Matrix,
    /// Do nodes have only numbers?
    plain: bool,
    pub partitions: Vec<OverviewAnswer>,
    pub curve: Option<CurveAnswer>,
    pub halving: Option<HalvingAnswer>,
    pub disruptions: Option<DisruptionAnswer>,
    pub change: Option<ChangeAnswer>,
}

impl<'a> Output<'a> {
    /// Nothing yet.
    pub fn new(matrix: &'a Matrix, plain: bool) -> Self {
        Self {
            matrix,
            plain,
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
    pub fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        self.tables().iter().try_for_each(|(_, table)| table.write_csv(out))
    }

    /// Writes tables for people.
    pub fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", self.title())?;
        if self.matrix.values.is_empty() {
            let metric = &self.matrix.metric;
            writeln!(out, "no {metric} are seen in this window; --metric looks at something else")?;
        }
        for (title, table) in self.tables() {
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

    fn tables(&self) -> Vec<(String, Table)> {
        let mut tables: Vec<(String, Table)> =
            self.partitions.iter().map(|answer| self.partition(answer)).collect();
        tables.extend(self.curve.as_ref().map(curve));
        tables.extend(self.halving.as_ref().map(halving));
        tables.extend(self.disruptions.as_ref().map(|answer| self.disruptions(answer)));
        tables.extend(self.change.as_ref().map(|answer| self.change(answer)));
        tables
    }

    /// When a slice begins: a time, or its number.
    fn begin(&self, slice: usize) -> Cell {
        match &self.matrix.times {
            Some(times) => Cell::text(times.unit.format(times.bounds.bound(slice))),
            None => Cell::text(slice.to_string()),
        }
    }

    fn partition(&self, answer: &OverviewAnswer) -> (String, Table) {
        let partition = &answer.partition;
        let share =
            |number: f64, whole: f64| percent(if whole > 0.0 { number / whole } else { 0.0 });
        let title = format!(
            "p = {}: {}, gain {:.3} bits ({} of the most), loss {:.3} bits ({}), value {:.3}",
            partition.p,
            count_of(partition.areas.len() as u64, "area"),
            partition.gain,
            share(partition.gain, answer.whole_gain),
            partition.loss,
            share(partition.loss, answer.whole_loss),
            partition.value(),
        );
        let columns = [
            "container",
            "#leaves",
            "#first",
            "#last",
            "#from",
            "#to",
            "mostly",
            "#share",
            "#mean",
            "#gain",
            "#loss",
        ];
        let mut table = Table::new(&columns);
        for area in &answer.areas {
            table.push(self.area(area));
        }
        (title, table)
    }

    fn area(&self, area: &AreaRow) -> Vec<Cell> {
        let is_own = self.matrix.nodes.get(area.node as usize).is_some_and(|node| node.own);
        let path = self.matrix.path(area.node);
        let (mode, mean) = match area.look.mode {
            Some(mode) => {
                let mean = area.look.means[mode];
                (Cell::name(&self.matrix.values[mode]), Cell::number(format!("{mean:.4}"), mean))
            }
            None => (Cell::none(), Cell::none()),
        };
        vec![
            Cell::text(if is_own { format!("{path} (itself)") } else { path }),
            Cell::text(area.n_leaves.to_string()),
            Cell::text(area.first.to_string()),
            Cell::text(area.last.to_string()),
            self.begin(area.first),
            self.begin(area.last + 1),
            mode,
            Cell::number(percent(area.look.share), area.look.share),
            mean,
            Cell::number(format!("{:.3}", area.gain), area.gain),
            Cell::number(format!("{:.3}", area.loss), area.loss),
        ]
    }

    fn disruptions(&self, answer: &DisruptionAnswer) -> (String, Table) {
        let title = match answer.n_found {
            0 => format!(
                "nothing stands out: the highest score is {:.1}, and from {} on it is more than noise",
                answer.highest, answer.threshold
            ),
            n => format!(
                "{} with a score of at least {}, the clearest first",
                count_of(n as u64, "disruption"),
                answer.threshold
            ),
        };
        let columns = [
            "#score",
            "#from",
            "#to",
            "#leaves",
            "containers",
            "rises",
            "#by",
            "falls",
            "#by",
            "#displaced",
        ];
        let mut table = Table::new(&columns);
        for found in &answer.disruptions {
            let disruption = &found.disruption;
            let mut names: Vec<String> =
                found.nodes.iter().take(NAMED).map(|&node| self.matrix.path(node)).collect();
            if found.nodes.len() > NAMED {
                names.push(format!("and {} more", found.nodes.len() - NAMED));
            }
            let all: Vec<String> = found.nodes.iter().map(|&node| self.matrix.path(node)).collect();
            let (rises, up) = self.shift(disruption.rises);
            let (falls, down) = self.shift(disruption.falls);
            table.push(vec![
                Cell::number(format!("{:.1}", disruption.score), disruption.score),
                self.begin(disruption.first),
                self.begin(disruption.last + 1),
                Cell::text(disruption.leaves.len().to_string()),
                Cell::number(names.join(" "), all.join(" ")),
                rises,
                up,
                falls,
                down,
                Cell::number(format!("{:.3}", disruption.displaced), disruption.displaced),
            ]);
        }
        (title, table)
    }

    fn shift(&self, shift: Option<Shift>) -> (Cell, Cell) {
        match shift {
            Some(Shift { value, by }) => (
                Cell::text(printable(&self.matrix.values[value])),
                Cell::number(format!("{by:+.3}"), by),
            ),
            None => (Cell::none(), Cell::none()),
        }
    }

    fn change(&self, answer: &ChangeAnswer) -> (String, Table) {
        let n_peaks: usize = answer.curves.iter().map(|change| change.curve.peaks.len()).sum();
        let title = format!(
            "how different each slice is from the one before, from 0 to 1: {}",
            count_of(n_peaks as u64, "peak")
        );
        let mut table = Table::new(&["container", "#slice", "#time", "#change", "peak", "picture"]);
        for change in &answer.curves {
            for (at, &amount) in change.curve.changes.iter().enumerate() {
                let is_peak = change.curve.peaks.contains(&at);
                table.push(vec![
                    Cell::text(change.path.clone()),
                    Cell::text((at + 1).to_string()),
                    self.begin(at + 1),
                    Cell::number(format!("{amount:.4}"), amount),
                    Cell::text(if is_peak { "peak" } else { "" }),
                    Cell::number(bar(amount, BAR), ""),
                ]);
            }
        }
        (title, table)
    }
}

fn curve(answer: &CurveAnswer) -> (String, Table) {
    let curve = &answer.curve;
    let title = format!(
        "{}; the value is off by at most {:.1e} of gain and loss of the whole; {} were computed",
        count_of(curve.segments.len() as u64, "trade-off"),
        curve.bound,
        count_of(curve.solves as u64, "partition"),
    );
    let mut table = Table::new(&[
        "#rank", "#p from", "#p to", "#p", "#areas", "#gain", "#gain %", "#loss", "#loss %",
        "default",
    ]);
    for (rank, segment) in curve.segments.iter().enumerate() {
        let number = |number: f64| Cell::number(format!("{number:.9}"), number);
        let bits = |number: f64| Cell::number(format!("{number:.3}"), number);
        let share = |number: f64, whole: f64| {
            let share = if whole > 0.0 { number / whole } else { 0.0 };
            Cell::number(percent(share), share)
        };
        table.push(vec![
            Cell::text(rank.to_string()),
            number(segment.from),
            number(segment.to),
            number(segment.middle()),
            Cell::text(segment.n_areas.to_string()),
            bits(segment.gain),
            share(segment.gain, curve.whole_gain),
            bits(segment.loss),
            share(segment.loss, curve.whole_loss),
            Cell::text(if rank == answer.default { "default" } else { "" }),
        ]);
    }
    (title, table)
}

fn halving(answer: &HalvingAnswer) -> (String, Table) {
    let points = &answer.halving.points;
    let title = format!("{} found by halving", count_of(points.len() as u64, "trade-off"));
    let mut table = Table::new(&["#rank", "#p", "#gain", "#loss", "default"]);
    for (rank, point) in points.iter().enumerate() {
        table.push(vec![
            Cell::text(rank.to_string()),
            Cell::text(point.p.to_string()),
            Cell::number(format!("{:.3}", point.gain), point.gain),
            Cell::number(format!("{:.3}", point.loss), point.loss),
            Cell::text(if rank == answer.halving.default { "default" } else { "" }),
        ]);
    }
    (title, table)
}

/// Adds the fields of an object to another.
fn merge(json: &mut Value, part: Value) {
    if let Value::Object(fields) = part {
        for (name, value) in fields {
            json[name] = value;
        }
    }
}
