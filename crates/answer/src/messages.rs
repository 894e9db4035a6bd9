//! Links: between whom, how large and how long.

use onca_aggregate::statistics::RatioHistogram;
use onca_model::{ContainerId, LaneId, Ticks, TypeId, Window};
use onca_query::{NodeId, Scope};
use onca_store::LinkTotals;
use rayon::prelude::*;
use serde::Serialize;

use crate::times::chunk_of;
use crate::wire::{HeaderJson, List, NodeJson, SpanJson};
use crate::{AnswerError, Cut, Result};

/// How many pairs a matrix may have.
const MAX_PAIRS: usize = 1 << 22;

/// What links amount to between the nodes of a cut: only those with both ends known.
#[derive(Clone, Debug)]
pub struct Matrix {
    /// The nodes, to which the pairs refer by place.
    pub cut: Cut,
    /// The pairs with links, by source and destination.
    pub pairs: Vec<Pair>,
    /// Did the lens make it necessary to look at every link?
    pub scanned: bool,
}

/// What the links from one node to another amount to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair {
    /// The place of the source.
    pub from: usize,
    /// The place of the destination.
    pub to: usize,
    /// What they amount to; time is what lies in the window.
    pub totals: LinkTotals,
}

/// The links between the nodes of a cut, from cumulative sums wherever the lens allows.
pub fn matrix(scope: &Scope<'_>, cut: Cut) -> Result<Matrix> {
    let place = |id| scope.hierarchy().node_of(id).and_then(|node| cut.place(node));
    let (pairs, scanned) = pairs_between(scope, |_| true, place)?;
    Ok(Matrix { cut, pairs, scanned })
}

/// What the links of some types amount to between any places of containers, by source and
/// destination, and whether the lens made it necessary to look at every link.
pub(crate) fn pairs_between(
    scope: &Scope<'_>,
    takes_type: impl Fn(TypeId) -> bool,
    place: impl Fn(ContainerId) -> Option<usize> + Sync,
) -> Result<(Vec<Pair>, bool)> {
    let lanes: Vec<(LaneId, TypeId)> =
        scope.link_lanes().filter(|(_, type_id)| takes_type(*type_id)).collect();
    let sees_all = types_seen_whole(scope);
    let parts: Vec<(Vec<Pair>, bool)> = lanes
        .par_chunks(chunk_of(lanes.len()))
        .map(|lanes| {
            let (mut pairs, mut scanned) = (Pairs::default(), false);
            for &(lane, type_id) in lanes {
                match sees_all[type_id.index()] {
                    true => sum_lane(scope, &place, lane, &mut pairs)?,
                    false => {
                        scanned = true;
                        scan_lane(scope, &place, lane, &mut pairs)?;
                    }
                }
                pairs.check()?;
            }
            Ok((pairs.merged(), scanned))
        })
        .collect::<Result<_>>()?;
    let scanned = parts.iter().any(|(_, scanned)| *scanned);
    let mut all = Pairs::default();
    for (pairs, _) in parts {
        all.list.extend(pairs);
        all.check()?;
    }
    Ok((all.merged(), scanned))
}

/// Where a container counts, if anywhere.
type Placing<'a> = &'a dyn Fn(ContainerId) -> Option<usize>;

/// By type: is every link seen whose ends are?
fn types_seen_whole(scope: &Scope<'_>) -> Vec<bool> {
    let catalog = scope.catalog();
    let ids = (0..catalog.types.len() as u32).map(TypeId);
    let mut whole: Vec<bool> =
        ids.map(|id| scope.min_duration() <= 0 && scope.sees_all_ends(id)).collect();
    for (id, value) in catalog.values.iter().enumerate() {
        whole[value.type_id.index()] &= scope.sees_value(onca_model::ValueId(id as u32));
    }
    whole
}

fn sum_lane(scope: &Scope<'_>, place: Placing<'_>, lane: LaneId, pairs: &mut Pairs) -> Result<()> {
    let seen = scope.containers();
    scope.store().visit_pair_totals(lane, seen, seen, scope.instants(), |pair| {
        pairs.add(place, pair.source, pair.destination, pair.totals);
    })?;
    Ok(())
}

fn scan_lane(scope: &Scope<'_>, place: Placing<'_>, lane: LaneId, pairs: &mut Pairs) -> Result<()> {
    let window = scope.window();
    scope.visit_links(lane, |_, link| {
        if let (Some(source), Some(destination)) = (link.source, link.destination) {
            let time = window.overlap(link.start, link.end);
            let totals = LinkTotals { count: 1, size: link.size.unwrap_or(0), time };
            pairs.add(place, source, destination, totals);
        }
    })?;
    Ok(())
}

/// Pairs while they are gathered.
#[derive(Default)]
struct Pairs {
    list: Vec<Pair>,
    /// How many different ones there were when they were last put together.
    distinct: usize,
}

impl Pairs {
    fn add(
        &mut self,
        place: Placing<'_>,
        source: ContainerId,
        destination: ContainerId,
        totals: LinkTotals,
    ) {
        let (Some(from), Some(to)) = (place(source), place(destination)) else { return };
        self.list.push(Pair { from, to, totals });
        // The same pairs come again and again: what is kept follows how many differ.
        if self.list.len() >= 2 * self.distinct + 4096 {
            self.merge();
        }
    }

    fn merge(&mut self) {
        self.list.sort_unstable_by_key(|pair| (pair.from, pair.to));
        self.list.dedup_by(|later, earlier| {
            let same = (later.from, later.to) == (earlier.from, earlier.to);
            if same {
                let (sum, other) = (&mut earlier.totals, later.totals);
                sum.count += other.count;
                sum.size = sum.size.saturating_add(other.size);
                sum.time = sum.time.saturating_add(other.time);
            }
            same
        });
        self.distinct = self.list.len();
    }

    fn merged(mut self) -> Vec<Pair> {
        self.merge();
        self.list
    }

    fn check(&mut self) -> Result<()> {
        if self.list.len() > MAX_PAIRS {
            self.merge();
        }
        if self.distinct > MAX_PAIRS {
            return Err(AnswerError::TooLarge(format!(
                "more than {MAX_PAIRS} pairs communicate; choose a level, or fewer containers"
            )));
        }
        Ok(())
    }
}

/// How many links are how large, and how long: whole links that touch the window.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LinkHistograms {
    /// The sizes of those that have one.
    pub sizes: RatioHistogram,
    /// The durations of those with both ends, in ticks.
    pub durations: RatioHistogram,
    /// How many have no size.
    pub without_size: u64,
    /// How many have only one end.
    pub halves: u64,
}

/// The histograms of all links seen.
pub fn link_histograms(scope: &Scope<'_>) -> Result<LinkHistograms> {
    let lanes: Vec<LaneId> = scope.link_lanes().map(|(lane, _)| lane).collect();
    let parts = lanes.par_chunks(chunk_of(lanes.len())).map(|lanes| -> Result<LinkHistograms> {
        let mut found = LinkHistograms::default();
        for &lane in lanes {
            scope.visit_links(lane, |_, link| {
                match link.size {
                    Some(size) => found.sizes.add(i64::try_from(size).unwrap_or(i64::MAX)),
                    None => found.without_size += 1,
                }
                match link.source.is_some() && link.destination.is_some() {
                    true => found.durations.add(link.end.saturating_sub(link.start)),
                    false => found.halves += 1,
                }
            })?;
        }
        Ok(found)
    });
    parts.try_reduce(LinkHistograms::default, |mut all, part| {
        all.sizes.merge(&part.sizes);
        all.durations.merge(&part.durations);
        all.without_size += part.without_size;
        all.halves += part.halves;
        Ok(all)
    })
}

impl Matrix {
    /// What all pairs amount to.
    pub fn totals(&self) -> LinkTotals {
        self.pairs.iter().fold(LinkTotals::default(), |sum, pair| LinkTotals {
            count: sum.count + pair.totals.count,
            size: sum.size.saturating_add(pair.totals.size),
            time: sum.time.saturating_add(pair.totals.time),
        })
    }

    /// The node at a place.
    pub fn node(&self, place: usize) -> NodeId {
        self.cut.nodes()[place]
    }

    /// The answer as JSON, `onca-stats-matrix/1`.
    pub fn json<'a>(&'a self, scope: &'a Scope<'_>) -> LinkMatrixJson<'a> {
        let unit = &scope.catalog().facts.unit;
        let node = |place| NodeJson::new(scope, self.node(place));
        LinkMatrixJson {
            header: HeaderJson::new(scope, "onca-stats-matrix/1", self.scanned),
            pairs: List::new(self.pairs.iter().map(move |pair| PairJson {
                from: node(pair.from),
                to: node(pair.to),
                count: pair.totals.count,
                size: pair.totals.size,
                time: unit.units(pair.totals.time),
                time_ticks: pair.totals.time,
            })),
        }
    }
}

/// What links amount to between nodes, as JSON: `onca-stats-matrix/1`.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LinkMatrixJson<'a> {
    /// Schema, unit and window.
    #[serde(flatten)]
    pub header: HeaderJson<'a>,
    /// The pairs with links, by source and destination.
    pub pairs: List<'a, PairJson<'a>>,
}

/// What the links from one node to another amount to.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PairJson<'a> {
    /// The source.
    pub from: NodeJson<'a>,
    /// The destination.
    pub to: NodeJson<'a>,
    /// How many links.
    pub count: u64,
    /// The sum of their sizes.
    pub size: u64,
    /// Their time in the window, in units.
    pub time: f64,
    /// The same in ticks.
    pub time_ticks: Ticks,
}

/// How many numbers lie between each power of two and the next: the smallest that can, the largest, how many. What
/// is empty is left out; zeros come first.
pub fn doublings(histogram: &RatioHistogram) -> Vec<(i64, i64, u64)> {
    let zeros = (histogram.zeros > 0).then_some((0, 0, histogram.zeros));
    let doubling = |power: usize| {
        let begin = power * RatioHistogram::PER_DOUBLING;
        let bins = begin..begin + RatioHistogram::PER_DOUBLING;
        let next = RatioHistogram::lower_bound(bins.end);
        let largest = if next == i64::MAX { next } else { next - 1 };
        (RatioHistogram::lower_bound(begin), largest, histogram.count(bins))
    };
    let all = (0..RatioHistogram::N_BINS / RatioHistogram::PER_DOUBLING).map(doubling);
    zeros.into_iter().chain(all.filter(|(.., count)| *count > 0)).collect()
}

/// How many links are how large, and how long, as JSON: `onca-stats-histograms/1`. Only ranges with links
/// are told.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LinkHistogramsJson<'a> {
    /// Schema, unit and window.
    #[serde(flatten)]
    pub header: HeaderJson<'a>,
    /// The sizes.
    pub sizes: Vec<SizeRangeJson>,
    /// The durations.
    pub durations: Vec<DurationRangeJson>,
    /// Links that end before they start.
    pub negative_durations: u64,
    /// Links without a size.
    pub without_size: u64,
    /// Links with only one end.
    pub halves: u64,
}

/// How many links have a size in a range.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SizeRangeJson {
    /// The smallest size of the range.
    pub from: i64,
    /// The largest size of the range.
    pub to: i64,
    /// How many links.
    pub count: u64,
}

/// How many links have a duration in a range; both ends belong to it.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct DurationRangeJson {
    /// The range.
    #[serde(flatten)]
    pub range: SpanJson,
    /// How many links.
    pub count: u64,
}

impl LinkHistograms {
    /// The answer as JSON, `onca-stats-histograms/1`.
    pub fn json<'a>(&self, scope: &'a Scope<'_>) -> LinkHistogramsJson<'a> {
        let unit = &scope.catalog().facts.unit;
        let sizes = doublings(&self.sizes).into_iter();
        let durations = doublings(&self.durations).into_iter();
        LinkHistogramsJson {
            header: HeaderJson::new(scope, "onca-stats-histograms/1", true),
            sizes: sizes.map(|(from, to, count)| SizeRangeJson { from, to, count }).collect(),
            durations: durations
                .map(|(from, to, count)| {
                    let range = SpanJson::new(unit, Window { from, to });
                    DurationRangeJson { range, count }
                })
                .collect(),
            negative_durations: self.durations.negative,
            without_size: self.without_size,
            halves: self.halves,
        }
    }
}
