//! Links of a window put together where there are more than a picture can hold.

mod bundle;
mod kind;
mod wanted;

use onca_model::{ContainerId, LaneId, LinkRow, Window};
use onca_query::{LinkPart, Scope};
use rayon::prelude::*;

pub use bundle::{Bundle, Bundles};
pub use kind::{LinkKind, LinkKinds};
pub use wanted::{LinkOwners, WantedLinks};

use crate::Result;
use bundle::LotLimit;

/// A window with more links is not looked into: finding the bundles would take too long.
const MOST_LINKS: u64 = 1 << 19;

/// What is asked of the links of a window.
pub struct BundleQuestion<'a, P> {
    /// Which links.
    pub wanted: &'a WantedLinks,
    /// The window.
    pub window: Window,
    /// Links between the same rows that begin and end in the same bin are a bundle, where there are
    /// too many: its ticks.
    pub bin: f64,
    /// How many bundles there may be.
    pub most: usize,
    /// By container: its row, if it has one.
    pub rows: &'a [Option<u32>],
    /// Where a link between two rows is.
    pub place: P,
}

/// Where a link between two rows is, for a picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkPlace {
    /// It is drawn.
    Shown,
    /// In a row that sums it up.
    Inside,
    /// Above or below what is painted.
    Outside,
}

/// How many links there are, by what becomes of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LinkTally {
    /// All.
    pub links: u64,
    /// Those that stay inside a row that sums others up.
    pub inside: u64,
    /// Those that have only one end.
    pub halves: u64,
    /// Those that lie above or below what is painted.
    pub outside: u64,
}

impl LinkTally {
    fn and(&self, other: &Self) -> Self {
        Self {
            links: self.links + other.links,
            inside: self.inside + other.inside,
            halves: self.halves + other.halves,
            outside: self.outside + other.outside,
        }
    }
}

/// The links of a window.
pub struct BundledLinks {
    /// Those that are drawn; none if there were too many to look at.
    pub bundles: Option<Bundles>,
    /// What became of all.
    pub tally: LinkTally,
}

/// Puts the seen links of a window together. The answer does not depend on the number of threads.
pub fn bundled_links<P: Fn(u32, u32) -> LinkPlace + Sync>(
    scope: &Scope<'_>,
    question: &BundleQuestion<'_, P>,
) -> Result<BundledLinks> {
    let window = question.window;
    let limit = LotLimit::default();
    let nothing = || Gathered {
        bundles: Bundles::new(window.from, question.bin, question.most, limit.clone()),
        tally: LinkTally::default(),
    };
    let gatherer = Gatherer { scope, question, kinds: LinkKinds::new(scope) };
    let gathered = match question.wanted {
        WantedLinks::All => {
            if let Some(links) = too_many(scope, window)? {
                let tally = LinkTally { links, ..LinkTally::default() };
                return Ok(BundledLinks { bundles: None, tally });
            }
            gatherer.all(nothing)?
        }
        WantedLinks::Of(owners) => {
            let mut gathered = nothing();
            for (lane, _) in scope.link_lanes() {
                owners.visit(scope.store(), lane, window, |row, link| {
                    gatherer.add(&mut gathered, lane, row, link);
                })?;
            }
            gathered
        }
    };
    Ok(BundledLinks { bundles: Some(gathered.bundles), tally: gathered.tally })
}

/// Are there links in the window of a scope that may be seen, and no more than these?
pub fn has_few_links(scope: &Scope<'_>, few: u64) -> Result<bool> {
    Ok(few > 0 && more_than(scope, scope.instants(), few)?.is_none())
}

/// The number of links, where they are too many to look at.
fn too_many(scope: &Scope<'_>, window: Window) -> Result<Option<u64>> {
    more_than(scope, window, MOST_LINKS)
}

/// The number of seen links, where there are more than these.
fn more_than(scope: &Scope<'_>, window: Window, few: u64) -> Result<Option<u64>> {
    let store = scope.store();
    let mut most = 0;
    for (lane, _) in scope.link_lanes() {
        most += store.most_links(lane, window)?;
    }
    if most <= few {
        return Ok(None);
    }
    let mut n = 0;
    for (lane, type_id) in scope.link_lanes() {
        let seen = scope.containers();
        match scope.sees_all_ends(type_id) {
            true => n += store.link_totals(lane, seen, seen, window)?.count,
            false => scope.during(window).visit_links(lane, |_, _| n += 1)?,
        }
    }
    Ok((n > few).then_some(n))
}

/// Links that were looked at.
struct Gathered {
    bundles: Bundles,
    tally: LinkTally,
}

impl Gathered {
    /// These and later ones.
    fn and(self, later: Self) -> Self {
        let tally = self.tally.and(&later.tally);
        Self { bundles: self.bundles.and(later.bundles), tally }
    }
}

/// Looks at links.
struct Gatherer<'a, P> {
    scope: &'a Scope<'a>,
    question: &'a BundleQuestion<'a, P>,
    kinds: LinkKinds,
}

impl<P: Fn(u32, u32) -> LinkPlace + Sync> Gatherer<'_, P> {
    /// Looks at all links, on all cores.
    fn all(&self, nothing: impl Fn() -> Gathered + Sync) -> Result<Gathered> {
        let (store, window) = (self.scope.store(), self.question.window);
        let add = |mut gathered: Gathered, LinkPart { lane, blocks }: LinkPart| {
            store.visit_link_blocks(lane, blocks, window, None, 0, |row, link| {
                self.add(&mut gathered, lane, row, link);
            })?;
            Ok(gathered)
        };
        let mut parts = self.scope.link_parts();
        parts.retain(|part| may_touch(self.scope, part, window));
        // To put together what two threads have gathered costs as much as some thousand links.
        let at_once = parts.len().div_ceil(2 * rayon::current_num_threads()).max(1);
        let parts = parts.into_par_iter().with_min_len(at_once).try_fold(&nothing, add);
        parts.try_reduce(&nothing, |gathered, later| Ok(gathered.and(later)))
    }

    /// Adds a link, if it is seen.
    #[inline]
    fn add(&self, gathered: &mut Gathered, lane: LaneId, row: u64, link: &LinkRow<'_>) {
        if !self.scope.sees_link(link) {
            return;
        }
        let Gathered { bundles, tally } = gathered;
        tally.links += 1;
        let (Some(source), Some(destination)) = (link.source, link.destination) else {
            tally.halves += 1;
            return;
        };
        let row_at = |end: ContainerId| self.question.rows[end.index()];
        let (Some(from), Some(to)) = (row_at(source), row_at(destination)) else { return };
        match (self.question.place)(from, to) {
            LinkPlace::Inside => tally.inside += 1,
            LinkPlace::Outside => tally.outside += 1,
            LinkPlace::Shown => {
                let kind = self.kinds.of(self.scope.catalog().lane(lane).type_id, link.value);
                let LinkRow { start, end, .. } = *link;
                bundles.add(Bundle { rows: (from, to), kind, count: 1, start, end, lane, row });
            }
        }
    }
}

/// May one of some links touch a window?
fn may_touch(scope: &Scope<'_>, part: &LinkPart, window: Window) -> bool {
    let blocks = scope.store().blocks(part.lane);
    let mut blocks = blocks.skip(part.blocks.start).take(part.blocks.len());
    blocks.any(|block| block.first < window.to && block.last >= window.from)
}
