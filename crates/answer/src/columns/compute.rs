//! Tiles that are not known yet, on all cores.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use onca_model::Ticks;
use onca_query::Scope;
use onca_store::{Share, ShareSweep, TrackId, ValueOrder};
use rayon::prelude::*;

use super::cache::{ColumnCache, TileKey};
use super::form::{Form, Kept, Tile, TileMaker};
use super::grid::Stretch;
use super::parts::Parts;
use crate::{AnswerError, Result};

/// How much memory the tiles of an answer may take.
const MAX_BYTES: usize = 1 << 30;
/// A row of more tracks is computed by several threads, unless there are many such rows.
const TRACKS_AT_ONCE: usize = 64;

/// What a thread uses again from row to row.
struct Scratch<'s> {
    sweep: ShareSweep<'s>,
    bounds: Vec<Ticks>,
}

impl<'s> Scratch<'s> {
    fn new(scope: &Scope<'s>, order: &Arc<ValueOrder>) -> Self {
        let sweep = ShareSweep::in_order(scope.store(), Arc::clone(order));
        Self { sweep, bounds: Vec::new() }
    }
}

/// What all rows have in common.
pub(super) struct Work<'a, F> {
    scope: &'a Scope<'a>,
    form: &'a F,
    stretches: &'a [Stretch],
    /// The bounds of the columns of each stretch.
    bounds: Vec<Vec<Ticks>>,
    cache: &'a ColumnCache,
    /// In how many parts a row of many tracks is computed.
    threads_per_row: usize,
    n_bytes: AtomicUsize,
}

impl<'a, F: Form> Work<'a, F> {
    pub fn new(
        scope: &'a Scope<'a>,
        form: &'a F,
        stretches: &'a [Stretch],
        cache: &'a ColumnCache,
        n_rows: usize,
    ) -> Self {
        let threads_per_row = (4 * rayon::current_num_threads()).div_ceil(n_rows.max(1));
        let bounds = stretches.iter().map(|stretch| stretch.bounds().collect()).collect();
        let n_bytes = AtomicUsize::new(0);
        Self { scope, form, stretches, bounds, cache, threads_per_row, n_bytes }
    }

    /// The tiles of all rows, row by row, in steps. Rows that are made of others need a form that
    /// keeps shares.
    pub fn tiles(
        &self,
        rows: &[Arc<[TrackId]>],
        steps: &[Vec<Parts>],
    ) -> Result<Vec<Arc<F::Tile>>> {
        let mut done: Vec<Vec<Arc<F::Tile>>> = vec![Vec::new(); rows.len()];
        for step in steps {
            let made: Vec<(usize, Vec<Arc<F::Tile>>)> = step
                .par_iter()
                .map_init(
                    || Scratch::new(self.scope, self.form.order()),
                    |scratch, parts| {
                        Ok((parts.row, self.row(scratch, &rows[parts.row], parts, &done)?))
                    },
                )
                .collect::<Result<_>>()?;
            made.into_iter().for_each(|(row, tiles)| done[row] = tiles);
        }
        Ok(done.into_iter().flatten().collect())
    }

    /// The tiles of a row.
    fn row(
        &self,
        scratch: &mut Scratch<'_>,
        tracks: &Arc<[TrackId]>,
        parts: &Parts,
        done: &[Vec<Arc<F::Tile>>],
    ) -> Result<Vec<Arc<F::Tile>>> {
        let form = self.form.key(parts.row);
        let key = |stretch: &Stretch| TileKey {
            store: self.scope.store().identity(),
            tracks: Arc::clone(tracks),
            min_duration: self.scope.min_duration(),
            stretch: *stretch,
            form,
        };
        let keys: Vec<TileKey> = self.stretches.iter().map(key).collect();
        let mut tiles = self.cache.get(&keys);
        let mut at = 0;
        while at < tiles.len() {
            let n = self.n_missing(at, &tiles);
            check_sums(&self.stretches[at], tracks)?;
            let made = self.compute(scratch, parts, done, at..at + n)?;
            self.cache.insert(&keys[at..at + n], &made);
            tiles[at..at + n].iter_mut().zip(made).for_each(|(tile, made)| *tile = Some(made));
            at += n.max(1);
        }
        let tiles: Vec<Arc<F::Tile>> = tiles.into_iter().flatten().collect();
        self.check_size(&tiles)?;
        Ok(tiles)
    }

    /// How many tiles from `at` on are unknown and follow each other.
    fn n_missing(&self, at: usize, tiles: &[Option<Arc<F::Tile>>]) -> usize {
        let stretches = &self.stretches[at..];
        let unknown = tiles[at..].iter().take_while(|tile| tile.is_none()).count();
        let follow = stretches.windows(2).take_while(|pair| pair[1].follows(&pair[0])).count();
        unknown.min(follow + 1)
    }

    /// Computes tiles that follow each other.
    fn compute(
        &self,
        scratch: &mut Scratch<'_>,
        parts: &Parts,
        done: &[Vec<Arc<F::Tile>>],
        run: Range<usize>,
    ) -> Result<Vec<Arc<F::Tile>>> {
        let Some(first) = self.stretches[run.clone()].first() else { return Ok(Vec::new()) };
        let Scratch { sweep, bounds } = scratch;
        bounds.clear();
        bounds.extend_from_slice(&self.bounds[run.start][..1]);
        self.bounds[run.clone()].iter().for_each(|own| bounds.extend_from_slice(&own[1..]));
        let per_tile = first.n_columns as usize;
        let mut maker = self.form.maker(parts.row);
        let mut tiles = Vec::with_capacity(run.len());
        for from in (0..bounds.len() - 1).step_by(sweep.max_gaps()) {
            let to = (from + sweep.max_gaps()).min(bounds.len() - 1);
            self.sweep(sweep, &parts.tracks, &bounds[from..=to])?;
            for part in &parts.rows {
                let part = &done[*part][run.clone()];
                for gap in from..to {
                    let shares = exact(&*part[gap / per_tile])?.column(gap % per_tile);
                    shares.iter().for_each(|share| sweep.add_share(gap - from, *share));
                }
            }
            for gap in from..to {
                let ticks = bounds[gap + 1].saturating_sub(bounds[gap]);
                maker.push(sweep.drain(gap - from), ticks);
                if (gap + 1).is_multiple_of(per_tile) {
                    tiles.push(Arc::new(maker.finish()));
                }
            }
        }
        Ok(tiles)
    }

    /// Adds up the tracks of a row between some instants.
    fn sweep(
        &self,
        sweep: &mut ShareSweep<'_>,
        tracks: &[TrackId],
        instants: &[Ticks],
    ) -> Result<()> {
        sweep.begin(instants);
        let n_parts = self.threads_per_row.min(tracks.len() / TRACKS_AT_ONCE);
        if n_parts <= 1 {
            return self.add_tracks(sweep, tracks);
        }
        let parts: Vec<Vec<(usize, Share)>> = tracks
            .par_chunks(tracks.len().div_ceil(n_parts))
            .map(|tracks| {
                let order = Arc::clone(self.form.order());
                let mut sweep = ShareSweep::in_order(self.scope.store(), order);
                sweep.begin(instants);
                self.add_tracks(&mut sweep, tracks)?;
                let mut all = Vec::new();
                for gap in 0..sweep.n_gaps() {
                    all.extend(sweep.drain(gap).map(|share| (gap, share)));
                }
                Ok(all)
            })
            .collect::<Result<_>>()?;
        parts.into_iter().flatten().for_each(|(gap, share)| sweep.add_share(gap, share));
        Ok(())
    }

    fn add_tracks(&self, sweep: &mut ShareSweep<'_>, tracks: &[TrackId]) -> Result<()> {
        let min_duration = self.scope.min_duration();
        tracks.iter().try_for_each(|&track| Ok(sweep.add_track(track, min_duration)?))
    }

    /// Stops an answer that would take too much memory.
    fn check_size(&self, tiles: &[Arc<F::Tile>]) -> Result<()> {
        let own: usize = tiles.iter().map(|tile| tile.bytes()).sum();
        let n_bytes = self.n_bytes.fetch_add(own, Ordering::Relaxed) + own;
        if n_bytes <= MAX_BYTES {
            return Ok(());
        }
        Err(AnswerError::TooLarge(format!(
            "the columns need more than {MAX_BYTES} bytes of memory; take fewer columns or rows"
        )))
    }
}

/// The tiles of a form, made of shares that are known, in its order.
pub(super) fn remade<F: Form>(
    form: &F,
    stretches: &[Stretch],
    exact: &[Arc<Tile>],
) -> Vec<Arc<F::Tile>> {
    let of_row = |(row, tiles): (usize, &[Arc<Tile>])| {
        let mut maker = form.maker(row);
        let mut remake = |(stretch, tile): (&Stretch, &Arc<Tile>)| {
            let bounds: Vec<Ticks> = stretch.bounds().collect();
            for (column, pair) in bounds.windows(2).enumerate() {
                let shares = tile.column(column).iter().copied();
                maker.push(shares, pair[1].saturating_sub(pair[0]));
            }
            Arc::new(maker.finish())
        };
        stretches.iter().zip(tiles).map(&mut remake).collect::<Vec<_>>()
    };
    let rows = exact.par_chunks(stretches.len().max(1)).enumerate();
    rows.map(of_row).collect::<Vec<_>>().into_iter().flatten().collect()
}

/// The shares that a tile keeps.
fn exact(tile: &dyn Any) -> Result<&Tile> {
    let none = || AnswerError::Question("sums of rows need their shares".to_owned());
    tile.downcast_ref().ok_or_else(none)
}

/// A column of many tracks may have more time than a tick count can say.
fn check_sums(stretch: &Stretch, tracks: &[TrackId]) -> Result<()> {
    if stretch.width.checked_mul(tracks.len() as Ticks).is_some() {
        return Ok(());
    }
    Err(AnswerError::TooLarge(format!(
        "{} tracks in a column of {} ticks have more than {} ticks; take more columns",
        tracks.len(),
        stretch.width,
        Ticks::MAX
    )))
}
