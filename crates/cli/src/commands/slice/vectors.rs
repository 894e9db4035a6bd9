//! Vectors of states and links as a table and as comma-separated values.

use std::io::{self, Write};

use onca_answer::slice::{Amount, Component, VectorAnswer};
use onca_model::printable;
use onca_program::format::percent;
use onca_program::say;
use onca_program::table::{Cell, FormArgs, Table, write_csv_line};

use super::output::{MAX_COLUMNS, name_cell, short, told};

/// Writes one line for each row.
pub fn write_csv(out: &mut dyn Write, form: FormArgs, answer: &VectorAnswer) -> io::Result<()> {
    let columns = [
        ("path", false),
        ("of", false),
        ("type", false),
        ("value", false),
        ("slice", true),
        ("from", true),
        ("to", true),
        ("quantity", false),
        ("amount", true),
        ("amount_ticks", true),
        ("share", true),
    ];
    write_csv_line(out, form, columns.iter().map(|(name, _)| (*name, false)))?;
    for ((node, value, slice, amount), share) in answer.rows.iter().zip(&answer.shares) {
        let (window, value) = (answer.bounds.slice(slice), &answer.values[value]);
        let is_time = value.component == Component::StateTime;
        let ticks = match amount {
            Amount::Whole(ticks) if is_time => ticks.to_string(),
            _ => String::new(),
        };
        let cells = [
            answer.nodes[node].path.clone(),
            value.component.of().to_owned(),
            printable(&value.type_name).into_owned(),
            printable(&value.name).into_owned(),
            slice.to_string(),
            answer.unit.format(window.from),
            answer.unit.format(window.to),
            value.component.quantity().to_owned(),
            exact(answer, value.component, amount),
            ticks,
            share.map(|share| share.to_string()).unwrap_or_default(),
        ];
        let kinds = columns.iter().map(|(_, is_number)| *is_number);
        write_csv_line(out, form, cells.iter().map(String::as_str).zip(kinds))?;
    }
    if let Some(tally) = answer.tally {
        say!("{}", told(&tally));
    }
    Ok(())
}

/// Writes a table for people: a row for each node and a column for each component, or a row for each
/// amount where there are several slices or many components.
pub fn write_text(out: &mut dyn Write, answer: &VectorAnswer) -> io::Result<()> {
    let (unit, window) = (&answer.unit, answer.bounds.window());
    let name = &unit.name;
    writeln!(
        out,
        "{} to {} {name}: time in {name}, and its share of the slice; number and size of links",
        unit.format(window.from),
        unit.format(window.to)
    )?;
    let is_wide = answer.bounds.n_slices() == 1 && answer.values.len() <= MAX_COLUMNS;
    let table = if is_wide { wide(answer) } else { long(answer) };
    table.write_text(out)?;
    table.write_beyond(out)?;
    if let Some(tally) = answer.tally {
        writeln!(out, "{}", told(&tally))?;
    }
    Ok(())
}

fn wide(answer: &VectorAnswer) -> Table {
    let names = answer.values.iter().map(|value| match value.component {
        Component::StateTime => format!("#{}", printable(&value.name)),
        other => format!("#{} {}", printable(&value.name), other.quantity()),
    });
    let columns: Vec<String> = ["node".to_owned()].into_iter().chain(names).collect();
    let mut table = Table::for_people(&columns.iter().map(String::as_str).collect::<Vec<_>>());
    let least_depth = answer.nodes.iter().map(|node| node.depth).min().unwrap_or(0);
    let rows: Vec<_> = answer.rows.iter().zip(&answer.shares).collect();
    for of_node in rows.chunk_by(|a, b| a.0.0 == b.0.0) {
        table.push_with(|| {
            let cell = |value: usize| {
                let own = of_node.iter().find(|((_, own, ..), _)| *own == value);
                match own {
                    Some(((.., amount), share)) => shown(answer, value, *amount, **share),
                    None if answer.absent_is_zero => {
                        shown(answer, value, Amount::Whole(0), Some(0.0))
                    }
                    None => Cell::none(),
                }
            };
            let name = name_cell(&answer.nodes[of_node[0].0.0], least_depth);
            [name].into_iter().chain((0..answer.values.len()).map(cell)).collect()
        });
    }
    table
}

fn long(answer: &VectorAnswer) -> Table {
    let columns = ["node", "value", "quantity", "#slice", "#from", "#amount"];
    let mut table = Table::for_people(&columns);
    let least_depth = answer.nodes.iter().map(|node| node.depth).min().unwrap_or(0);
    for ((node, value, slice, amount), share) in answer.rows.iter().zip(&answer.shares) {
        table.push_with(|| {
            vec![
                name_cell(&answer.nodes[node], least_depth),
                Cell::name(&answer.values[value].name),
                Cell::text(answer.values[value].component.quantity()),
                Cell::text(slice.to_string()),
                Cell::text(answer.unit.format(answer.bounds.slice(slice).from)),
                shown(answer, value, amount, *share),
            ]
        });
    }
    table
}

fn shown(answer: &VectorAnswer, value: usize, amount: Amount, share: Option<f64>) -> Cell {
    let component = answer.values[value].component;
    let text = match (component, amount, share) {
        (Component::StateTime, amount, share) => {
            let units = short(amount.to_f64() / answer.unit.ticks_per_unit as f64);
            share.map_or(units.clone(), |share| format!("{units} ({:>7})", percent(share)))
        }
        (_, Amount::Whole(number), _) => number.to_string(),
        (_, Amount::Real(number), _) => short(number),
    };
    Cell::number(text, exact(answer, component, amount))
}

/// The amount in full, times in units.
fn exact(answer: &VectorAnswer, component: Component, amount: Amount) -> String {
    match (component, amount) {
        (Component::StateTime, Amount::Whole(ticks)) => answer.unit.format(ticks),
        (Component::StateTime, Amount::Real(ticks)) => {
            (ticks / answer.unit.ticks_per_unit as f64).to_string()
        }
        (_, Amount::Whole(number)) => number.to_string(),
        (_, Amount::Real(number)) => number.to_string(),
    }
}
