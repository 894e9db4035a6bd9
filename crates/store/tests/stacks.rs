//! Stacks against plain sums over all states.

mod sample;

use std::{cmp::Reverse, collections::BTreeMap};

use onca_model::*;
use onca_store::{FEW_PARTS, Stack, Store, TILE_COLUMNS, TrackId};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sample::{STATE, Sample};

type Rows = Vec<(Ticks, Ticks, u32)>;

/// A column: ranks with their shares, and whether several states share it.
type Column = (Vec<(u32, u8)>, bool);

/// States one after the other, with gaps and instants among them.
fn rows(seed: u64, n: usize, origin: Ticks, longest: Ticks, n_values: u32) -> Rows {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut now = origin;
    let row = |_| {
        let start = now + if rng.random_bool(0.2) { rng.random_range(0..longest) } else { 0 };
        let length = match rng.random_range(0..10) {
            0 => 0,
            // Fills whole columns.
            1 if rng.random_bool(0.02) => 500 * longest,
            _ => rng.random_range(1..=longest),
        };
        now = start + length;
        // Some values are much rarer than others.
        let value = rng.random_range(0..n_values).min(rng.random_range(0..n_values));
        (start, now, value)
    };
    (0..n).map(row).collect()
}

/// What the columns of 2^`log` ticks show, by number: the obvious sum.
fn expected(rows: &Rows, log: u32) -> BTreeMap<i64, Column> {
    let mut total: BTreeMap<u32, Ticks> = BTreeMap::new();
    rows.iter().for_each(|(start, end, value)| *total.entry(*value).or_default() += end - start);
    // A value without any state has no time, but a rank.
    (0..200).for_each(|value| *total.entry(value).or_default() += 0);
    let mut order: Vec<u32> = total.keys().copied().collect();
    order.sort_by_key(|value| (Reverse(total[value]), *value));
    let mut columns: BTreeMap<i64, (BTreeMap<usize, i128>, usize)> = BTreeMap::new();
    for &(start, end, value) in rows {
        let rank = order.iter().position(|other| *other == value).expect("a rank");
        for column in start >> log..=(end - 1).max(start) >> log {
            let (from, to) = (column << log, (column + 1) << log);
            let (ticks, n_states) = columns.entry(column).or_default();
            *ticks.entry(rank).or_default() += i128::from(end.min(to) - start.max(from));
            *n_states += 1;
        }
    }
    let shown = |(column, (ticks, n_states)): (i64, (BTreeMap<usize, i128>, usize))| {
        let (mut sum, mut below, mut parts) = (0, 0, Vec::new());
        for (rank, ticks) in ticks {
            sum += ticks;
            let edge = ((510 * sum + (1 << log)) >> (log + 1)) as u8;
            if edge > below {
                parts.push((rank as u32, edge - below));
            }
            below = edge;
        }
        (column, (parts, n_states > 1))
    };
    columns.into_iter().map(shown).collect()
}

struct Stored {
    store: Store,
    track: TrackId,
    _folder: tempfile::TempDir,
}

fn stored(rows: &Rows, n_values: u32) -> Stored {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("s.onca");
    let sample = Sample::of_states(rows.iter().copied(), n_values);
    sample.build(&path, 64 << 20).expect("built");
    let store = Store::open(&path).expect("opens");
    store.verify().expect("is whole");
    let track = store.tracks().find(ContainerId(0), STATE).expect("a track");
    Stored { store, track, _folder: folder }
}

fn column_of(stack: Stack<'_>) -> Column {
    let parts: Vec<(u32, u8)> = stack.parts().collect();
    if parts.len() <= FEW_PARTS {
        let shares: Vec<u8> = parts.iter().map(|(_, share)| *share).collect();
        assert_eq!(stack.few_shares()[..parts.len()], shares);
    }
    assert_eq!(stack.n_parts(), parts.len());
    (parts, stack.is_aggregate())
}

/// Compares all stacks of a width with plain sums, and returns how many columns that were.
fn compare(stored: &Stored, rows: &Rows, log: u32) -> usize {
    let Some(mut stacks) = stored.store.stacks(stored.track, log) else { return 0 };
    let expected = expected(rows, log);
    let nothing = (Vec::new(), false);
    let tile_of = |time: Ticks| time >> (log + TILE_COLUMNS.ilog2());
    let (first, last) = (rows[0].0, rows[rows.len() - 1].1);
    let mut n_columns = 0;
    for tile in tile_of(first) - 1..=tile_of(last) + 1 {
        let Some(found) = stacks.tile(tile).expect("read") else { continue };
        let mut column = tile * TILE_COLUMNS as i64;
        let visit = |n: usize, stack: Stack<'_>| {
            let own = column_of(stack);
            for _ in 0..n {
                let expected = expected.get(&column).unwrap_or(&nothing);
                assert_eq!(&own, expected, "column {column} of 2^{log}");
                column += 1;
            }
        };
        found.visit(visit).expect("sound");
        assert_eq!(column, (tile + 1) * TILE_COLUMNS as i64);
        n_columns += TILE_COLUMNS;
    }
    n_columns
}

#[test]
fn stacks_are_what_plain_sums_show() {
    // With thirty values there are more looks than a byte can number, and too many shares for coarse
    // columns.
    for (seed, origin, longest, n_values, least_levels) in [
        (1, -20_000, 30, 7, 5),
        (2, 0, 1_000_000, 3, 5),
        (3, 5_000_000_000, 100, 12, 4),
        (4, -7, 1, 2, 5),
        (7, 0, 100, 30, 2),
    ] {
        let rows = rows(seed, 30_000, origin, longest, n_values);
        let stored = stored(&rows, n_values);
        let compared: Vec<usize> = (0..40).map(|log| compare(&stored, &rows, log)).collect();
        let n_levels = compared.iter().filter(|n| **n > 0).count();
        assert!(n_levels >= least_levels, "seed {seed}: {compared:?}");
    }
}

#[test]
fn values_without_a_rank_that_fits_are_left_to_sums() {
    let n_values = 200;
    let rows = rows(5, 30_000, 0, 50, n_values);
    let stored = stored(&rows, n_values);
    // Nearly every block has a value of high rank.
    let compared: usize = (0..40).map(|log| compare(&stored, &rows, log)).sum();
    assert_eq!(compared, 0);
}

#[test]
fn few_states_have_no_stacks() {
    let rows = rows(6, 1000, 0, 50, 5);
    let stored = stored(&rows, 5);
    assert!((0..63).all(|log| stored.store.stacks(stored.track, log).is_none()));
}

#[test]
fn what_is_far_from_the_origin_of_time_is_left_to_sums() {
    let rows: Rows = (0..4000).map(|i| (i - 4000, i - 3999, (i % 3) as u32)).collect();
    let at =
        |end: Ticks| rows.iter().map(|row| (row.0 + end, row.1 + end, row.2)).collect::<Rows>();
    for end in [Ticks::MAX, Ticks::MIN + 4000, Ticks::MAX / 2] {
        let stored = stored(&at(end), 3);
        assert!((0..63).all(|log| stored.store.stacks(stored.track, log).is_none()));
    }
    for end in [Ticks::MAX / 8, Ticks::MIN / 8] {
        let rows = at(end);
        let stored = stored(&rows, 3);
        assert!((0..40).any(|log| compare(&stored, &rows, log) > 0));
    }
}
