//! What changed, with names and words.

use std::collections::HashMap;

use onca_aggregate::Tree;
use onca_aggregate::compare::{Change, ChangeKind};
use onca_aggregate::findings::largest_groups;
use onca_model::Window;
use onca_query::NodeId;

use super::side::Side;
use super::{ComparedFinding, Comparison, Place, text};
use crate::Result;

/// Gives changes names and words.
pub(super) struct Telling<'a> {
    pub a: &'a Side<'a>,
    pub b: &'a Side<'a>,
    pub comparison: &'a Comparison,
    pub tree: &'a Tree,
}

impl Telling<'_> {
    pub fn tell(&self, change: &Change) -> Result<ComparedFinding> {
        let pairs = &self.comparison.alignment.pairs[change.slots.clone()];
        let (first, last) = (&pairs[0], &pairs[pairs.len() - 1]);
        let before = self.a.own(Window { from: first.before.from, to: last.before.to });
        let after = self.b.own(Window { from: first.after.from, to: last.after.to });
        let members = |side: &dyn Fn(&Place) -> Vec<usize>| -> Vec<usize> {
            let places = &self.comparison.matching.places;
            change.places.iter().flat_map(|place| side(&places[*place as usize])).collect()
        };
        let own = (members(&|place| place.before.clone()), members(&|place| place.after.clone()));
        let (waiting, n_waiting) = match change.kind {
            ChangeKind::New | ChangeKind::Gone => (0, 0),
            _ => self.waiting(&change.places, (before, after)),
        };
        let kind = self.kind(change, &own, (before, after))?;
        let (before, after) = self.at_work(change, &own, (before, after))?;
        let containers = match kind {
            "gone" => own.0.iter().map(|at| self.a.processes[*at]).collect(),
            _ => own.1.iter().map(|at| self.b.processes[*at]).collect(),
        };
        let groups = self.groups(change, kind == "gone");
        let mut finding = ComparedFinding {
            kind: kind.into(),
            containers,
            groups,
            before,
            after,
            ratio: change.ratio,
            ticks: change.ticks.round() as i128,
            cost: change.excess.round() as i128 + waiting,
            waiting,
            n_waiting,
            value: self.value(change),
            sure: change.sure,
            p: None,
            places: change.places.clone(),
            text: String::new(),
        };
        finding.text = text::sentence(self.comparison, (self.a.scope, self.b.scope), &finding);
        Ok(finding)
    }

    fn groups(&self, change: &Change, is_gone: bool) -> Vec<NodeId> {
        let places = &self.comparison.matching.places;
        if is_gone {
            return vec![NodeId::ROOT];
        }
        if self.comparison.matching.level.is_some() {
            return change.places.iter().map(|place| places[*place as usize].node_after).collect();
        }
        let nodes: Vec<u32> = places.iter().map(|place| place.node_after.0).collect();
        largest_groups(self.tree, &nodes, &change.places).into_iter().map(NodeId).collect()
    }

    /// When the places begin and end to work in both runs: the first and the last segment may have more in them.
    fn at_work(
        &self,
        change: &Change,
        (before, after): &(Vec<usize>, Vec<usize>),
        windows: (Window, Window),
    ) -> Result<(Window, Window)> {
        if !matches!(change.kind, ChangeKind::Longer | ChangeKind::Shorter) {
            return Ok(windows);
        }
        let pairs = &self.comparison.alignment.pairs[change.slots.clone()];
        let (first, last) = (&pairs[0], &pairs[pairs.len() - 1]);
        let ends_before = (self.a.own(first.before), self.a.own(last.before));
        let ends_after = (self.b.own(first.after), self.b.own(last.after));
        Ok((
            self.a.at_work(before, &change.values, ends_before)?,
            self.b.at_work(after, &change.values, ends_after)?,
        ))
    }

    /// Longer work is more work where there is more of it, and slow work where there is not.
    fn kind(
        &self,
        change: &Change,
        (before, after): &(Vec<usize>, Vec<usize>),
        windows: (Window, Window),
    ) -> Result<&'static str> {
        Ok(match change.kind {
            ChangeKind::New => "new",
            ChangeKind::Gone => "gone",
            ChangeKind::Slower | ChangeKind::Quicker => "communication",
            ChangeKind::Longer | ChangeKind::Shorter => {
                let counts = (
                    self.a.work_count(before, &change.values, windows.0)? as f64
                        / before.len().max(1) as f64,
                    self.b.work_count(after, &change.values, windows.1)? as f64
                        / after.len().max(1) as f64,
                );
                let more =
                    if counts.0 > 0.0 && counts.1 > 0.0 { (counts.1 / counts.0).ln() } else { 0.0 };
                let is_longer = change.kind == ChangeKind::Longer;
                match (more / change.ratio.ln() >= 0.5, is_longer) {
                    (true, true) => "more-work",
                    (true, false) => "less-work",
                    (false, true) => "slow",
                    (false, false) => "fast",
                }
            }
        })
    }

    /// The value whose time changes most.
    fn value(&self, change: &Change) -> Option<u32> {
        let comparison = self.comparison;
        let wanted = match change.kind {
            ChangeKind::Slower | ChangeKind::Quicker => false,
            ChangeKind::Longer | ChangeKind::Shorter => true,
            ChangeKind::New | ChangeKind::Gone => return None,
        };
        let mut changes: HashMap<u32, i128> = HashMap::new();
        for place in &change.places {
            for slot in change.slots.clone() {
                for cell in comparison.cube.get(*place as usize, slot) {
                    if comparison.values[cell.value as usize].is_work == wanted {
                        *changes.entry(cell.value).or_default() += cell.after - cell.before;
                    }
                }
            }
        }
        let sign = if change.ticks < 0.0 { -1 } else { 1 };
        let most = changes.into_iter().max_by_key(|(value, ticks)| (sign * ticks, *value));
        most.filter(|(_, ticks)| sign * ticks > 0).map(|(value, _)| value)
    }

    /// How much more processes wait than before, and how many do: those at other places than some, unless these are all.
    fn waiting(&self, but: &[u32], windows: (Window, Window)) -> (i128, u64) {
        let of = |side: &Side<'_>, process: usize, window: Window| -> i128 {
            let waits = side.waits().of(side.processes[process], window);
            let ticks = waits.map(|wait| window.overlap(wait.window.from, wait.window.to));
            ticks.map(i128::from).sum::<i128>() * i128::from(side.scale)
        };
        let (mut sum, mut n) = (0, 0);
        let places = &self.comparison.matching.places;
        for (number, place) in (0u32..).zip(places) {
            if but.len() < places.len() && but.binary_search(&number).is_ok() {
                continue;
            }
            let before: i128 = place.before.iter().map(|it| of(self.a, *it, windows.0)).sum();
            let after: i128 = place.after.iter().map(|it| of(self.b, *it, windows.1)).sum();
            // Groups may have other numbers of processes.
            let expected = before * place.after.len() as i128 / (place.before.len() as i128).max(1);
            sum += after - expected;
            n += if after > expected { place.after.len() as u64 } else { 0 };
        }
        (sum, n)
    }
}
