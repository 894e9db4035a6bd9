//! Links that are put together, and which of the bundles a picture has room for.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hashbrown::{HashTable, hash_table::Entry};
use onca_model::{LaneId, Ticks};

use super::kind::LinkKind;

/// This many times as many links as arrows are kept one by one, and then this many bundles.
const KEPT: usize = 2;

/// Links that are drawn as one arrow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bundle {
    /// From where to where.
    pub rows: (u32, u32),
    /// What tells its links from others between the same rows.
    pub kind: LinkKind,
    /// How many links it stands for.
    pub count: u64,
    /// When the first of them begins.
    pub start: Ticks,
    /// When the first of them ends.
    pub end: Ticks,
    /// Where the first of them is stored.
    pub lane: LaneId,
    /// Its row there.
    pub row: u64,
}

/// A bundle among others.
struct Placed {
    /// Where it begins and ends: with its rows and its kind, its place.
    bins: (i64, i64),
    /// A number that depends on nothing but the place, and looks random.
    lot: u64,
    bundle: Bundle,
}

impl Placed {
    fn is_at_place_of(&self, other: &Self) -> bool {
        let place = |own: &Self| (own.bins, own.bundle.rows, own.bundle.kind);
        place(self) == place(other)
    }

    /// Lots that are kept are low: what differs must lie where a table looks.
    fn hash(&self) -> u64 {
        self.lot.rotate_left(u64::BITS / 2)
    }

    /// Adds links of the same place.
    fn join(&mut self, links: Bundle) {
        let order = |b: &Bundle| (b.start, b.end, b.lane, b.row);
        let count = self.bundle.count + links.count;
        let first = if order(&links) < order(&self.bundle) { links } else { self.bundle };
        self.bundle = Bundle { count, ..first };
    }
}

/// One number made of all of a place, and the steps of SplitMix64 over it: a lot is drawn for each of
/// half a million links.
#[inline]
fn lot(link: &Bundle, bins: (i64, i64)) -> u64 {
    let rows = u64::from(link.rows.0) << 32 | u64::from(link.rows.1);
    let mut mixed = rows
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(u64::from(link.kind.number()).wrapping_mul(0xd1b5_4a32_d192_ed03))
        .wrapping_add((bins.0 as u64).wrapping_mul(0xaef1_7502_108e_f2d9))
        .wrapping_add((bins.1 as u64).wrapping_mul(0xf135_7aea_2e62_a9c5));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// The bundles of a picture while links are added. As many as are drawn, and some more, are kept one
/// by one; when there are more, those that begin and end at the same place are joined; and when
/// there are more places than can be drawn, some are drawn by lot. A place is drawn or left out
/// with all its links, so that counts are right, and the lot depends on nothing but the place: a
/// fixed step would show always the same of a pattern that repeats.
pub struct Bundles {
    bin: f64,
    first: Ticks,
    most: usize,
    links: Vec<Bundle>,
    places: HashTable<Placed>,
    /// Places with a higher lot are left out.
    highest: u64,
    limit: LotLimit,
}

/// The highest lot that may be drawn, as far as is known to those who gather links of one picture.
#[derive(Clone, Debug)]
pub(super) struct LotLimit(Arc<AtomicU64>);

impl Default for LotLimit {
    fn default() -> Self {
        Self(Arc::new(AtomicU64::new(u64::MAX)))
    }
}

impl LotLimit {
    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Somebody has found enough places without higher lots.
    fn lower(&self, highest: u64) {
        self.0.fetch_min(highest, Ordering::Relaxed);
    }
}

impl Bundles {
    /// No links yet, of which at most this many bundles will be drawn: links between the same rows that
    /// begin and end in the same bin, this many ticks wide, from a time on. Those who share a limit
    /// gather parts of the same.
    pub(super) fn new(first: Ticks, bin: f64, most: usize, limit: LotLimit) -> Self {
        Self {
            bin,
            first,
            most,
            links: Vec::new(),
            places: HashTable::new(),
            highest: limit.get(),
            limit,
        }
    }

    /// Adds a link.
    #[inline]
    pub(super) fn add(&mut self, link: Bundle) {
        if !self.places.is_empty() {
            return self.join(link);
        }
        self.links.push(link);
        if self.links.len() > KEPT * self.most {
            self.join_all();
        }
    }

    /// These and later ones. It does not matter how links are shared out, nor who learns when of
    /// the limit of others: a place that one of several leaves out has a higher lot than as many
    /// others as are drawn.
    pub(super) fn and(mut self, later: Self) -> Self {
        if later.places.is_empty() {
            later.links.into_iter().for_each(|link| self.add(link));
            return self;
        }
        self.join_all();
        if later.highest < self.highest {
            self.highest = later.highest;
            self.places.retain(|placed| placed.lot <= later.highest);
        }
        later.places.into_iter().for_each(|placed| self.insert(placed));
        self
    }

    /// Joins all links that are still kept one by one.
    fn join_all(&mut self) {
        self.places.reserve(KEPT * self.most + 1, Placed::hash);
        std::mem::take(&mut self.links).into_iter().for_each(|link| self.join(link));
    }

    /// Adds a link to the bundle of its place.
    #[inline]
    fn join(&mut self, link: Bundle) {
        // Half a bin to the left of the window is another bin than half a bin to the right.
        let bin_of = |time: Ticks| {
            let offset = time.saturating_sub(self.first);
            ((offset as f64 / self.bin) as i64).saturating_sub(i64::from(offset < 0))
        };
        let bins = (bin_of(link.start), bin_of(link.end));
        let lot = lot(&link, bins);
        // Nearly all are left out: the lot is all that must be known of them.
        if lot <= self.highest {
            self.insert(Placed { bins, lot, bundle: link });
        }
    }

    /// Adds links of one place, unless that is left out.
    #[inline(never)]
    fn insert(&mut self, placed: Placed) {
        self.highest = self.highest.min(self.limit.get());
        if placed.lot > self.highest {
            return;
        }
        let is_same = |known: &Placed| known.is_at_place_of(&placed);
        match self.places.entry(placed.hash(), is_same, Placed::hash) {
            Entry::Vacant(entry) => {
                entry.insert(placed);
                if self.places.len() > KEPT * self.most {
                    self.leave_out();
                }
            }
            Entry::Occupied(mut entry) => entry.get_mut().join(placed.bundle),
        }
    }

    /// Leaves out the places that will not be drawn.
    fn leave_out(&mut self) {
        let mut lots: Vec<u64> = self.places.iter().map(|placed| placed.lot).collect();
        let (_, highest, _) = lots.select_nth_unstable(self.most);
        self.highest = self.highest.min(*highest);
        self.limit.lower(self.highest);
        self.places.retain(|placed| placed.lot <= self.highest);
    }

    /// What to draw: all links if they are few enough and no longer than `ink` together, else
    /// bundles of them, as many as there is room for.
    pub fn fitting(mut self, ink: f64, length: impl Fn(&Bundle) -> f64) -> Vec<Bundle> {
        if self.places.is_empty() {
            let fits = self.links.len() <= self.most;
            if fits && self.links.iter().map(&length).sum::<f64>() <= ink {
                return self.links;
            }
            self.join_all();
        }
        let mut drawn: Vec<(u64, Bundle)> =
            self.places.into_iter().map(|placed| (placed.lot, placed.bundle)).collect();
        drawn.sort_unstable_by_key(|(lot, bundle)| (*lot, bundle.lane, bundle.row));
        let mut used = 0.0;
        let fitting = drawn.iter().take(self.most).take_while(|(_, bundle)| {
            used += length(bundle);
            used <= ink
        });
        let n = fitting.count().max(1).min(drawn.len());
        drawn.into_iter().take(n).map(|(_, bundle)| bundle).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use onca_model::ValueId;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// Bins of ten ticks.
    fn begun(links: &[Bundle], most: usize, limit: LotLimit) -> Bundles {
        let mut bundles = Bundles::new(0, 10.0, most, limit);
        links.iter().for_each(|link| bundles.add(*link));
        bundles
    }

    fn bundles(links: &[Bundle], most: usize, ink: f64) -> Vec<Bundle> {
        begun(links, most, LotLimit::default()).fitting(ink, |_| 1.0)
    }

    fn link(rows: (u32, u32), start: Ticks, end: Ticks, row: u64) -> Bundle {
        Bundle {
            rows,
            kind: LinkKind::Value(ValueId(0)),
            count: 1,
            start,
            end,
            lane: LaneId(0),
            row,
        }
    }

    #[test]
    fn few_links_are_drawn_one_by_one() {
        let links = [link((0, 1), 0, 3, 0), link((0, 1), 7, 9, 1)];
        assert_eq!(bundles(&links, 2, 2.0), links);
        let half = |links| begun(links, 2, LotLimit::default());
        let halves = half(&links[..1]).and(half(&links[1..]));
        assert_eq!(halves.fitting(2.0, |_| 1.0), links);
        let joined = bundles(&links, 1, 2.0);
        assert_eq!((joined.len(), joined[0].count, joined[0].row), (1, 2, 0));
        assert_eq!(bundles(&links, 2, 1.5).len(), 1, "there is no ink for two");
    }

    #[test]
    fn a_place_is_drawn_with_all_its_links() {
        let mut random = ChaCha8Rng::seed_from_u64(5);
        for most in [1, 7, 40] {
            let links: Vec<Bundle> = (0..5000)
                .map(|row| {
                    let rows = (random.random_range(0..6), random.random_range(0..6));
                    let start = random.random_range(-30..300);
                    link(rows, start, start + random.random_range(-5..40), row)
                })
                .collect();
            // What begins before the window has bins of its own.
            let bin = |time: Ticks| if time < 0 { time / 10 - 1 } else { time / 10 };
            let mut counts = BTreeMap::new();
            for link in &links {
                let place = (link.rows, bin(link.start), bin(link.end));
                *counts.entry(place).or_insert(0) += 1;
            }
            let drawn = bundles(&links, most, f64::INFINITY);
            assert_eq!(drawn.len(), most);
            for n_parts in [2, 3, 40] {
                let parts = links.chunks(links.len().div_ceil(n_parts));
                let alone = parts.clone().map(|part| begun(part, most, LotLimit::default()));
                let limit = LotLimit::default();
                let together = parts.map(|part| begun(part, most, limit.clone()));
                for all in [alone.reduce(Bundles::and), together.reduce(Bundles::and)] {
                    assert_eq!(all.expect("parts").fitting(f64::INFINITY, |_| 1.0), drawn);
                }
            }
            for bundle in drawn {
                let place = (bundle.rows, bin(bundle.start), bin(bundle.end));
                assert_eq!(Some(bundle.count), counts.remove(&place), "a place is drawn once");
            }
        }
    }
}
