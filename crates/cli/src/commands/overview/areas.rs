//! The areas of a partition as a table.

use onca_answer::overview::{AreaRow, OverviewAnswer};

use onca_program::format::{count_of, percent, rounded};
use onca_program::table::{Cell, Table};

use super::output::Reader;
use super::slices::Slices;

/// The areas. People see siblings in a row that are alike in one line: the same time, and mostly the same value.
pub fn areas(slices: &Slices<'_>, answer: &OverviewAnswer, reader: Reader) -> (String, Table) {
    let partition = &answer.partition;
    let share = |number: f64, whole: f64| percent(if whole > 0.0 { number / whole } else { 0.0 });
    let title = format!(
        "p = {}: {}, gain {} ({:.1} bits), loss {} ({:.1} bits)",
        short(partition.p),
        count_of(partition.areas.len() as u64, "area"),
        share(partition.gain, answer.whole_gain),
        partition.gain,
        share(partition.loss, answer.whole_loss),
        partition.loss,
    );
    let mut table = Table::new(&[
        "/container",
        "#leaves",
        "-#first",
        "-#last",
        "#from",
        "#to",
        "mostly",
        "#share",
        "#mean",
        "-#gain",
        "-#loss",
    ]);
    let alike = |a: &AreaRow, b: &AreaRow| reader == Reader::Person && are_alike(slices, a, b);
    for rows in answer.areas.chunk_by(alike) {
        table.push(line(slices, rows));
    }
    (title, table)
}

/// A trade-off with the digits that mean something: at least six decimals, and four digits of small ones.
pub fn short(p: f64) -> String {
    if p == 0.0 || p == 1.0 {
        return p.to_string();
    }
    let decimals = (3.0 - p.log10().floor()).clamp(6.0, 15.0) as usize;
    format!("{p:.decimals$}")
}

fn are_alike(slices: &Slices<'_>, a: &AreaRow, b: &AreaRow) -> bool {
    let tree = &slices.matrix.tree;
    let is_leaf = |row: &AreaRow| tree.children(row.node).is_empty();
    tree.parent(a.node) == tree.parent(b.node)
        && is_leaf(a) == is_leaf(b)
        && (a.first, a.last) == (b.first, b.last)
        && a.look.mode == b.look.mode
}

/// A line for areas that are alike.
fn line(slices: &Slices<'_>, rows: &[AreaRow]) -> Vec<Cell> {
    let matrix = slices.matrix;
    let area = &rows[0];
    let mode = area.look.mode;
    let of_mode = |row: &AreaRow| mode.map_or(0.0, |mode| row.look.means[mode]);
    let total = |of: fn(&AreaRow) -> f64| rows.iter().map(of).sum::<f64>();
    let (gain, loss) = (total(|row| row.gain), total(|row| row.loss));
    let n_leaves: usize = rows.iter().map(|row| row.n_leaves).sum();
    let (share, mean) = match mode {
        Some(_) => (
            range(rows, |row| row.look.share, rounded_share, " %"),
            range(rows, of_mode, rounded_mean, ""),
        ),
        None => (Cell::none(), Cell::none()),
    };
    vec![
        Cell::text(names(slices, rows)),
        Cell::text(n_leaves.to_string()),
        Cell::text(area.first.to_string()),
        Cell::text(area.last.to_string()),
        slices.begin(area.first),
        slices.begin(area.last + 1),
        mode.map_or_else(Cell::none, |mode| Cell::name(&matrix.values[mode])),
        share,
        mean,
        Cell::number(rounded(gain), gain),
        Cell::number(rounded(loss), loss),
    ]
}

/// The path of an area, or of the first of several with the name of the last.
fn names(slices: &Slices<'_>, rows: &[AreaRow]) -> String {
    let matrix = slices.matrix;
    let path = |row: &AreaRow| {
        let is_own = matrix.nodes.get(row.node as usize).is_some_and(|node| node.own);
        let path = matrix.path(row.node);
        if is_own { format!("{path} (itself)") } else { path }
    };
    let first = path(&rows[0]);
    match rows {
        [_, .., last] => {
            let last = path(last);
            let name = last.rsplit('/').next().unwrap_or(&last);
            format!("{first} to {name}")
        }
        _ => first,
    }
}

/// The least and the largest of some numbers, or the one number that they are.
fn range(
    rows: &[AreaRow],
    number: impl Fn(&AreaRow) -> f64,
    shown: fn(f64) -> String,
    unit: &str,
) -> Cell {
    let numbers = || rows.iter().map(&number);
    let (low, high) =
        (numbers().fold(f64::INFINITY, f64::min), numbers().fold(f64::NEG_INFINITY, f64::max));
    let (least, largest) = (shown(low), shown(high));
    let text = if least == largest { least } else { format!("{least}-{largest}") };
    Cell::number(format!("{text}{unit}"), low)
}

fn rounded_mean(mean: f64) -> String {
    if mean < 10.0 { format!("{mean:.2}") } else { rounded(mean) }
}

fn rounded_share(share: f64) -> String {
    format!("{:.0}", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn small_trade_offs_keep_their_digits() {
        assert_eq!(short(0.0), "0");
        assert_eq!(short(1.0), "1");
        assert_eq!(short(0.25), "0.250000");
        assert_eq!(short(0.010_878_4), "0.010878");
        assert_eq!(short(0.000_000_539_14), "0.0000005391");
    }
}
