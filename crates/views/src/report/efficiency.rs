//! How well the processes used their time.

use onca_answer::{EfficiencyRow, Level, efficiency as ask};
use onca_model::format::grouped;
use onca_query::{Role, Scope};
use onca_scene::{Block, Cell, Heading, Section, Table};

use super::{share, shortened};
use crate::{Result, names, time_scale::duration};

/// How well the processes used their time, all together and at each level that has few groups.
pub fn efficiency(scope: &Scope<'_>) -> Result<Section> {
    let heading = "Efficiency".to_owned();
    let found = ask(scope, &Level::Whole, 1)?;
    let Some(whole) = found.rows.first() else {
        let words = "No container has states, or no time passes.".to_owned();
        return Ok(Section { heading, blocks: vec![Block::Paragraph(words)] });
    };
    let words = "Parallel efficiency is the share of time that all processes compute: load balance \
                 times communication efficiency. What a state is for is told by its role.";
    let mut blocks =
        vec![Block::Paragraph(words.to_owned()), Block::Table(table(scope, &found.rows))];
    if found.several_types {
        let note = "There are containers with states of several types, whose times overlap.";
        blocks.push(Block::Note(note.to_owned()));
    }
    if whole.roles.iter().sum::<i128>() == 0 {
        let note = "No state has a known role; the lens can give roles to values.";
        blocks.push(Block::Note(note.to_owned()));
    }
    blocks.push(Block::Table(roles(scope, whole)));
    if let Some(level) = first_level(scope) {
        let rows = ask(scope, &level, 1)?.rows;
        blocks.push(Block::Table(shortened(table(scope, &rows))));
    }
    Ok(Section { heading, blocks })
}

/// The outermost level with more than one group.
fn first_level(scope: &Scope<'_>) -> Option<Level> {
    let hierarchy = scope.hierarchy();
    (1..=hierarchy.max_depth()).find(|&depth| hierarchy.at_depth(depth).len() > 1).map(Level::Depth)
}

fn table(scope: &Scope<'_>, rows: &[EfficiencyRow]) -> Table {
    let nodes: Vec<_> = rows.iter().map(|row| row.node).collect();
    let cells = |(row, name): (&EfficiencyRow, String)| {
        let of = &row.efficiency;
        vec![
            Cell::text(name),
            Cell::text(grouped(row.times.processes)),
            share(of.parallel),
            share(of.load_balance),
            share(of.communication),
        ]
    };
    let numbers = ["processes", "parallel efficiency", "load balance", "communication efficiency"];
    let headings = std::iter::once(Heading::text("group")).chain(numbers.map(Heading::number));
    let rows = rows.iter().zip(names::of_nodes(scope, &nodes)).map(cells);
    Table { headings: headings.collect(), rows: rows.collect(), left_out: 0 }
}

/// The time of all processes by role.
fn roles(scope: &Scope<'_>, row: &EfficiencyRow) -> Table {
    let unit = &scope.catalog().facts.unit;
    let known = Role::ALL.iter().map(|role| role.name()).zip(row.roles);
    let all = known.chain([("no known role", row.unknown), ("no state", row.none)]);
    let whole = row.whole();
    let cells = |(name, ticks): (&str, i128)| {
        let part = (whole > 0).then(|| ticks as f64 / whole as f64);
        vec![Cell::text(name), Cell::text(duration(ticks as f64, unit)), share(part)]
    };
    let headings = vec![Heading::text("role"), Heading::number("time"), Heading::number("share")];
    let rows = all.filter(|(_, ticks)| *ticks != 0).map(cells);
    Table { headings, rows: rows.collect(), left_out: 0 }
}
