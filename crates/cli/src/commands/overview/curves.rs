//! Curves as tables: that over all trade-offs, and that of change.

use onca_answer::overview::{ChangeAnswer, CurveAnswer, HalvingAnswer};

use onca_program::format::{bar, count_of, percent};
use onca_program::table::{Cell, Table};

use super::areas::short;
use super::slices::Slices;

/// Width of the bars of a change curve.
const BAR: usize = 30;

/// The segments of the curve over all trade-offs.
pub fn curve(answer: &CurveAnswer) -> (String, Table) {
    let curve = &answer.curve;
    let title = format!(
        "{} from {}; the value is off by at most {:.0e} of the whole",
        count_of(curve.segments.len() as u64, "trade-off"),
        count_of(curve.solves as u64, "partition"),
        curve.bound,
    );
    let mut table = Table::new(&[
        "#rank", "-#p from", "-#p to", "#p", "#areas", "-#gain", "#gain %", "-#loss", "#loss %",
        "default",
    ]);
    for (rank, segment) in curve.segments.iter().enumerate() {
        let number = |number: f64| Cell::number(short(number), number);
        let share = |number: f64, whole: f64| {
            let share = if whole > 0.0 { number / whole } else { 0.0 };
            Cell::number(percent(share), share)
        };
        table.push(vec![
            Cell::text(rank.to_string()),
            number(segment.from),
            number(segment.to),
            number(segment.p),
            Cell::text(segment.n_areas.to_string()),
            number(segment.gain),
            share(segment.gain, curve.whole_gain),
            number(segment.loss),
            share(segment.loss, curve.whole_loss),
            Cell::text(if rank == answer.default { "default" } else { "" }),
        ]);
    }
    (title, table)
}

/// The trade-offs that were found by halving.
pub fn halving(answer: &HalvingAnswer) -> (String, Table) {
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

/// How the mix of values changes.
pub fn change(slices: &Slices<'_>, answer: &ChangeAnswer) -> (String, Table) {
    let n_peaks: usize = answer.curves.iter().map(|change| change.curve.peaks.len()).sum();
    let title = format!(
        "how different each slice is from the one before, from 0 to 1: {}",
        count_of(n_peaks as u64, "peak")
    );
    let mut table = Table::new(&["/container", "#slice", "#time", "#change", "peak", "picture"]);
    for change in &answer.curves {
        for (at, &amount) in change.curve.changes.iter().enumerate() {
            let is_peak = change.curve.peaks.contains(&at);
            table.push(vec![
                Cell::text(change.path.clone()),
                Cell::text((at + 1).to_string()),
                slices.begin(at + 1),
                Cell::number(format!("{amount:.4}"), amount),
                Cell::text(if is_peak { "peak" } else { "" }),
                Cell::number(bar(amount, BAR), ""),
            ]);
        }
    }
    (title, table)
}
