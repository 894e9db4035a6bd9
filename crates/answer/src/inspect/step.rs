//! The entity before or after one on its lane.

use onca_model::{LaneId, LinkRow, Nature, StateRow, ValueId};
use onca_query::Scope;

use super::entity::{Entity, place};
use crate::Result;

/// Which way to go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// To the entity before.
    Back,
    /// To the entity after.
    Forward,
}

/// The row of the next entity of the same lane that the lens shows, if there is one. The window
/// does not matter.
///
/// Blocks are looked at as a whole, from the row on, until one has a seen row.
pub fn step(scope: &Scope<'_>, lane: LaneId, row: u64, step: Step) -> Result<Option<u64>> {
    let store = scope.store();
    let from = Entity::read(store, lane, row)?;
    let (block, index) = place(store, lane, row)?;
    let blocks = store.blocks(lane);
    let mut at = block;
    loop {
        let seen = seen_rows(scope, &from, at)?;
        let begin = if at == block { Some(index) } else { None };
        let found = match step {
            Step::Back => seen[..begin.unwrap_or(seen.len())].iter().rposition(|seen| *seen),
            Step::Forward => {
                let after = begin.map_or(0, |index| index + 1);
                seen[after..].iter().position(|seen| *seen).map(|place| after + place)
            }
        };
        if let Some(place) = found {
            let before = blocks.clone().nth(at).map_or(0, |block| block.rows_before);
            return Ok(Some(before + place as u64));
        }
        let next = match step {
            Step::Back => at.checked_sub(1),
            Step::Forward => Some(at + 1).filter(|next| *next < blocks.len()),
        };
        match next {
            Some(next) => at = next,
            None => return Ok(None),
        }
    }
}

/// Which rows of a block the lens shows.
fn seen_rows(scope: &Scope<'_>, like: &Entity, block: usize) -> Result<Vec<bool>> {
    let (store, lane) = (scope.store(), like.lane);
    let (mut starts, mut ends, mut values) = (Vec::new(), Vec::new(), Vec::<ValueId>::new());
    Ok(match like.nature {
        Nature::State => {
            let columns = store.state_columns(lane, block)?;
            columns.starts(&mut starts);
            columns.ends(&mut ends);
            columns.values(&mut values, |value| value);
            let times = starts.into_iter().zip(ends).zip(values);
            let row = |((start, end), value)| {
                let state = StateRow { start, end, value, parent: None, open_ended: false };
                scope.sees_state(&state)
            };
            times.map(row).collect()
        }
        Nature::Link => {
            let columns = store.link_columns(lane, block)?;
            let (mut sources, mut destinations) = (Vec::new(), Vec::new());
            columns.starts(&mut starts);
            columns.ends(&mut ends);
            columns.values(&mut values, |value| value);
            columns.sources(&mut sources);
            columns.destinations(&mut destinations);
            let times = starts.into_iter().zip(ends).zip(values);
            let row = |(((start, end), value), (source, destination))| {
                let (size, key) = (None, &b""[..]);
                scope.sees_link(&LinkRow { start, end, source, destination, value, size, key })
            };
            times.zip(sources.into_iter().zip(destinations)).map(row).collect()
        }
        Nature::Event => {
            store.event_columns(lane, block)?.values(&mut values, |value| value);
            values.into_iter().map(|value| scope.sees_value(value)).collect()
        }
        Nature::Variable => vec![true; store.variable_columns(lane, block)?.n_rows()],
        Nature::Container => Vec::new(),
    })
}
