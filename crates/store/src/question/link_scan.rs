//! The links of pairs, found by a look at every link: for stores without an index of pairs.

use std::collections::BTreeMap;

use onca_model::{ContainerId, LaneId, LinkRow, Window};

use crate::{ContainerSet, LinkTotals, PairSlice, PairTotals, Store, error::Result};

type Pair = (ContainerId, ContainerId);

impl Store {
    /// What [`visit_pair_totals`](Self::visit_pair_totals) visits.
    pub(super) fn scan_pair_totals(
        &self,
        lane: LaneId,
        from: &ContainerSet,
        to: &ContainerSet,
        window: Window,
        mut visit: impl FnMut(&PairTotals),
    ) -> Result<()> {
        let mut pairs: BTreeMap<Pair, LinkTotals> = BTreeMap::new();
        self.visit_links(lane, window, None, 0, |_, row| {
            if let Some(pair) = pair_of(row, from, to) {
                pairs.entry(pair).or_default().add(&totals_in(row, window));
            }
        })?;
        let pairs = pairs.into_iter();
        pairs
            .map(|((source, destination), totals)| PairTotals { source, destination, totals })
            .for_each(|pair| visit(&pair));
        Ok(())
    }

    /// What [`visit_pair_slices`](Self::visit_pair_slices) visits, each pair once.
    pub(super) fn scan_pair_slices(
        &self,
        lane: LaneId,
        from: &ContainerSet,
        to: &ContainerSet,
        slice: Window,
        visit: impl FnMut(&PairSlice),
    ) -> Result<()> {
        let mut pairs: BTreeMap<Pair, PairSlice> = BTreeMap::new();
        // A link that ends before it starts may touch the slice with its start alone.
        let window = Window { from: slice.from.saturating_sub(1), to: slice.to };
        self.visit_links(lane, window, None, 0, |_, row| {
            let is_instant = row.start >= row.end;
            let holds_start = slice.from <= row.start && row.start < slice.to;
            let is_met = row.start < slice.to && slice.from < row.end;
            if !(if is_instant { holds_start } else { is_met }) {
                return;
            }
            let Some((source, destination)) = pair_of(row, from, to) else { return };
            let pair = pairs.entry((source, destination)).or_insert(PairSlice {
                source,
                destination,
                inside: LinkTotals::default(),
                touching: LinkTotals::default(),
                backward: 0,
            });
            let own = totals_in(row, slice);
            pair.touching.add(&own);
            pair.backward += u64::from(row.end < row.start);
            if is_instant || holds_start && row.end <= slice.to {
                pair.inside.add(&own);
            }
        })?;
        pairs.values().for_each(visit);
        Ok(())
    }
}

/// The containers of a link that has both ends, if it leads from one set to the other.
fn pair_of(row: &LinkRow<'_>, from: &ContainerSet, to: &ContainerSet) -> Option<Pair> {
    let pair = (row.source?, row.destination?);
    (from.contains(pair.0) && to.contains(pair.1)).then_some(pair)
}

/// One link in a window.
fn totals_in(row: &LinkRow<'_>, window: Window) -> LinkTotals {
    let time = window.overlap(row.start, row.end.max(row.start));
    LinkTotals { count: 1, size: row.size.unwrap_or(0), time }
}
