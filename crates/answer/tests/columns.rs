//! The columns of rows against a plain sum over all states, on random traces, lenses and windows.

use crate::support;

use std::collections::BTreeMap;

use onca_answer::columns::{ColumnCache, ColumnRow, Columns, Grid, columns};
use onca_answer::{Cut, Level, state_times};
use onca_model::{ContainerId, Nature, StateRow, Ticks, TypeId, Window};
use onca_query::{Duration, GroupSpec, Lens, NodeId, Scope};
use onca_store::{Measure, TrackId};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use support::plain::Plain;
use support::{Stored, writer};

/// Ticks, states, and whether all of these are instants: by row, column and value.
type Cells = BTreeMap<(usize, usize, u32), (i128, u32, bool)>;

fn found(columns: &Columns) -> Cells {
    let mut cells = Cells::new();
    for row in 0..columns.n_rows() {
        for column in 0..columns.grid().n_columns() {
            for share in columns.shares(row, column) {
                let cell = (i128::from(share.ticks), share.n_states(), share.is_instant());
                let before = cells.insert((row, column, share.value.0), cell);
                assert_eq!(before, None, "a value comes once");
            }
        }
    }
    cells
}

/// Does a row count the states of a type in a container? Said without looking at tracks.
fn counts(scope: &Scope<'_>, row: &ColumnRow, container: ContainerId, type_id: TypeId) -> bool {
    let hierarchy = scope.hierarchy();
    let Some(node) = hierarchy.node_of(container).filter(|_| scope.sees_type(type_id)) else {
        return false;
    };
    match row {
        ColumnRow::Tracks(tracks) => tracks.iter().any(|track| {
            let track = scope.store().tracks().get(*track).expect("a track");
            (track.container, track.type_id) == (container, type_id)
        }),
        ColumnRow::Subtree(top) => {
            let mut at = node;
            while at != *top && at != NodeId::ROOT {
                at = hierarchy.parent(at);
            }
            at == *top
        }
    }
}

/// The obvious sum.
fn expected(plain: &Plain, scope: &Scope<'_>, rows: &[ColumnRow], grid: &Grid) -> Cells {
    let mut cells = Cells::new();
    let whole = scope.window();
    let seen = |row: &StateRow| scope.sees_state(row);
    for (number, row) in rows.iter().enumerate() {
        let own = plain.states.iter().filter(|s| counts(scope, row, s.container, s.type_id));
        for state in own {
            for column in 0..grid.n_columns() {
                let Window { from, to } = grid.column(column);
                let (from, to) = (from.max(whole.from), to.min(whole.to));
                let (start, end) = (state.row.start, state.row.end);
                if from >= to || !Window::new(from, to).touches(start, end) {
                    continue;
                }
                let ticks = i128::from(end.min(to) - start.max(from));
                if seen(&state.row) {
                    let key = (number, column, state.row.value.0);
                    let cell = cells.entry(key).or_insert((0, 0, true));
                    *cell = (cell.0 + ticks, cell.1 + 1, cell.2 && ticks == 0);
                }
                if let Some(around) = state.around.filter(seen) {
                    let key = (number, column, around.value.0);
                    cells.entry(key).or_insert((0, 0, true)).0 -= ticks;
                }
            }
        }
    }
    cells.retain(|_, cell| *cell != (0, 0, true));
    cells
}

fn random_lens(rng: &mut ChaCha8Rng) -> Lens {
    let mut lens = Lens::clear();
    if rng.random_bool(0.4) {
        let duration = format!("{}ms", rng.random_range(1..3000));
        lens.select.min_duration = Some(Duration::Text(duration));
    }
    if rng.random_bool(0.4) {
        lens.select.values.hide.push("w*".to_owned());
    }
    if rng.random_bool(0.3) {
        lens.select.containers.hide.push("rank[2-4]".to_owned());
    }
    if rng.random_bool(0.3) {
        lens.group.push(GroupSpec::Depth(rng.random_range(0..3)));
    }
    lens
}

fn random_window(rng: &mut ChaCha8Rng, whole: Window) -> Window {
    if rng.random_bool(0.3) {
        return whole;
    }
    let span = (whole.to - whole.from) / 4;
    let mut time = || rng.random_range(whole.from - span..=whole.to + span);
    let (a, b) = (time(), time());
    Window::new(a.min(b), a.max(b) + 1)
}

/// One that suits the window, or any.
fn random_grid(rng: &mut ChaCha8Rng, window: Window) -> Grid {
    let n_columns = [1, 2, 7, 40, 300][rng.random_range(0..5)];
    if rng.random_bool(0.5) {
        return Grid::over(window, n_columns).expect("a grid");
    }
    let span = window.to - window.from;
    let width = (span / n_columns as Ticks).max(1) + rng.random_range(0..3);
    let origin = window.from - rng.random_range(0..=width * 2);
    Grid::new(origin, width, n_columns).expect("a grid")
}

/// Single tracks, several, hidden ones, and nodes.
fn random_rows(rng: &mut ChaCha8Rng, scope: &Scope<'_>) -> Vec<ColumnRow> {
    let tracks = scope.store().tracks();
    let of_states: Vec<TrackId> = tracks
        .iter()
        .filter(|(_, track)| scope.catalog().type_def(track.type_id).nature == Nature::State)
        .map(|(id, _)| id)
        .collect();
    let mut rows: Vec<ColumnRow> =
        of_states.iter().take(3).map(|track| ColumnRow::Tracks(vec![*track])).collect();
    rows.push(ColumnRow::Tracks(Vec::new()));
    rows.push(ColumnRow::Tracks(of_states.into_iter().filter(|_| rng.random_bool(0.5)).collect()));
    let nodes = scope.hierarchy().nodes().filter(|_| rng.random_bool(0.4));
    rows.extend(nodes.map(ColumnRow::Subtree));
    rows
}

/// Calls `check` with random scopes of random traces, nested states and instants among them.
fn for_random_scopes(n_seeds: u64, check: impl Fn(&Plain, &Scope<'_>, &mut ChaCha8Rng)) {
    for seed in 0..n_seeds {
        let (trace, lenses) = match seed % 2 {
            0 => (onca_testkit::random::trace(seed), false),
            _ => (writer::trace(seed).into_bytes(), true),
        };
        let stored = Stored::new(&trace);
        let plain = Plain::of(&stored.store);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        if stored.whole().from >= stored.whole().to {
            continue;
        }
        for _ in 0..4 {
            let lens = if lenses { random_lens(&mut rng) } else { Lens::clear() };
            let window = random_window(&mut rng, stored.whole());
            check(&plain, &stored.scope(&lens, window), &mut rng);
        }
    }
}

#[test]
fn every_cell_is_the_plain_sum() {
    let cache = ColumnCache::default();
    for_random_scopes(60, |plain, scope, rng| {
        let grid = random_grid(rng, scope.window());
        let rows = random_rows(rng, scope);
        let plain = expected(plain, scope, &rows, &grid);
        // One cache serves all traces, lenses and windows.
        for cache in [&cache, &cache, &ColumnCache::new(0), &ColumnCache::new(20_000)] {
            let answer = columns(scope, &rows, grid, cache).expect("columns");
            assert_eq!(found(&answer), plain, "{grid:?} in {:?}", scope.window());
        }
    });
}

#[test]
fn neighbouring_windows_use_the_same_tiles() {
    let cache = ColumnCache::default();
    for_random_scopes(12, |plain, scope, rng| {
        let Window { from, to } = scope.window();
        let step = ((to - from) / 7).max(1);
        let n_columns = rng.random_range(100..400);
        for k in -2..3 {
            let window = Window::new(from + k * step, to + k * step);
            let moved = Scope::new(scope.store(), &Lens::clear(), window).expect("a scope");
            let rows = [ColumnRow::Subtree(NodeId::ROOT)];
            let grid = Grid::over(window, n_columns).expect("a grid");
            let answer = columns(&moved, &rows, grid, &cache).expect("columns");
            assert_eq!(found(&answer), expected(plain, &moved, &rows, &grid));
        }
    });
}

#[test]
fn columns_add_up_to_the_times_of_the_window() {
    for_random_scopes(30, |_, scope, rng| {
        // A lens may leave nothing but the root.
        let depth = scope.hierarchy().max_depth().min(1);
        let cut = Cut::new(scope, &Level::Depth(depth)).expect("a cut");
        let rows: Vec<ColumnRow> =
            cut.nodes().iter().map(|node| ColumnRow::Subtree(*node)).collect();
        let grid = Grid::over(scope.window(), rng.random_range(1..200)).expect("a grid");
        let answer = columns(scope, &rows, grid, &ColumnCache::default()).expect("columns");
        let mut sums: BTreeMap<(usize, u32), i128> = BTreeMap::new();
        for ((row, _, value), (ticks, _, _)) in found(&answer) {
            *sums.entry((row, value)).or_default() += ticks;
        }
        sums.retain(|_, ticks| *ticks != 0);
        let times = state_times(scope, &cut, scope.window(), Measure::Exclusive).expect("times");
        let times: BTreeMap<(usize, u32), i128> =
            times.rows.iter().map(|row| ((row.place, row.value.0), row.ticks)).collect();
        assert_eq!(sums, times);
    });
}

#[test]
fn the_number_of_threads_does_not_matter() {
    for_random_scopes(8, |plain, scope, rng| {
        let grid = random_grid(rng, scope.window());
        let rows = random_rows(rng, scope);
        let plain = expected(plain, scope, &rows, &grid);
        for n in [1, 3, 8] {
            let threads = rayon::ThreadPoolBuilder::new().num_threads(n).build().expect("threads");
            let answer = threads
                .install(|| columns(scope, &rows, grid, &ColumnCache::default()))
                .expect("columns");
            assert_eq!(found(&answer), plain, "{n} threads");
        }
    });
}

/// A row of this many tracks is computed in parts.
#[test]
fn a_row_of_many_tracks() {
    let mut text = support::both::header() + "1 P 0 Rank\n2 S P STATE\n";
    for rank in 0..300 {
        text += &format!("7 0 r{rank} P 0 rank{rank}\n");
    }
    for time in 1..6 {
        for rank in 0..300 {
            text += &format!("12 {time} S r{rank} v{}\n", (rank * time) % 7);
        }
    }
    let stored = Stored::new(text.as_bytes());
    let (plain, scope) = (Plain::of(&stored.store), stored.scope(&Lens::clear(), stored.whole()));
    let rows = [ColumnRow::Subtree(NodeId::ROOT)];
    let grid = Grid::over(scope.window(), 20).expect("a grid");
    let plain = expected(&plain, &scope, &rows, &grid);
    for n in [1, 2, 8] {
        let threads = rayon::ThreadPoolBuilder::new().num_threads(n).build().expect("threads");
        let answer = threads
            .install(|| columns(&scope, &rows, grid, &ColumnCache::default()))
            .expect("columns");
        assert_eq!(found(&answer), plain, "{n} threads");
    }
}

/// A trace whose only state begins and ends at one instant, inside another.
#[test]
fn an_instant_inside_a_state() {
    let text = support::both::header()
        + &support::both::body()
        + "13 1 S r0 around\n13 5 S r0 flash\n14 5 S r0\n14 9 S r0\n";
    let stored = Stored::new(text.as_bytes());
    let scope = stored.scope(&Lens::clear(), stored.whole());
    let grid = Grid::new(0, 3_000_000_000, 3).expect("a grid");
    let rows = [ColumnRow::Subtree(NodeId::ROOT)];
    let answer = columns(&scope, &rows, grid, &ColumnCache::default()).expect("columns");
    let cell = |column| -> Vec<(Ticks, u32, bool)> {
        let shares = answer.shares(0, column);
        shares.map(|share| (share.ticks, share.n_states(), share.is_instant())).collect()
    };
    assert_eq!(cell(0), [(2_000_000_000, 1, false)]);
    assert_eq!(cell(1), [(3_000_000_000, 1, false), (0, 1, true)]);
    assert_eq!(cell(2), [(3_000_000_000, 1, false)]);
    assert_eq!(answer.window(0), Window::new(0, 3_000_000_000));
}

#[test]
fn grids_of_powers_of_two_cover_their_window() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for _ in 0..2000 {
        let bits = rng.random_range(1..62);
        let from = rng.random_range(-(1i64 << bits)..1 << bits);
        let window = Window::new(from, from + rng.random_range(1..1i64 << bits));
        let n_columns = rng.random_range(2..3000);
        let grid = Grid::over(window, n_columns).expect("a grid");
        assert!(grid.n_columns() <= n_columns);
        assert!(grid.width().count_ones() == 1 && grid.bound(0) % grid.width() == 0);
        assert!(grid.width() == 1 || grid.n_columns() > n_columns / 2);
        assert!(grid.bound(0) <= window.from && window.from < grid.bound(1));
        assert!(grid.bound(grid.n_columns() - 1) < window.to);
        assert!(window.to <= grid.bound(grid.n_columns()));
    }
}

#[test]
fn what_cannot_be_answered_is_refused() {
    let stored = Stored::new(writer::trace(1).as_bytes());
    let scope = stored.scope(&Lens::clear(), stored.whole());
    let cache = ColumnCache::default();
    assert!(Grid::new(0, 0, 5).is_err());
    assert!(Grid::new(0, 1, 0).is_err());
    assert!(Grid::new(0, 1, Grid::MAX_COLUMNS + 1).is_err());
    assert!(Grid::over(Window::new(5, 5), 9).is_err());
    assert!(Grid::over(Window::new(Ticks::MIN, Ticks::MAX), 9).is_ok());
    let grid = Grid::over(stored.whole(), 10).expect("a grid");
    let nowhere = ColumnRow::Subtree(NodeId(1 << 20));
    assert!(columns(&scope, &[nowhere], grid, &cache).is_err());
    let wide = Grid::new(0, 1, Grid::MAX_COLUMNS).expect("a grid");
    let many = vec![ColumnRow::Tracks(Vec::new()); 10_000];
    let error = columns(&scope, &many, wide, &cache).err().expect("too large").to_string();
    assert!(error.contains("10000 rows of 65536 columns"), "{error}");
    let unknown = [ColumnRow::Tracks(vec![TrackId(1 << 20)])];
    let answer = columns(&scope, &unknown, grid, &cache).expect("nothing is seen");
    assert_eq!(found(&answer), Cells::new());
}
