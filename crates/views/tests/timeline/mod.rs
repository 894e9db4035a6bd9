//! The timeline against plain lists of states, and the rules that every picture keeps.

mod extremes;
mod links;
mod locks;
mod marks;
mod minimap;
mod rows;
mod thin_rows;
mod waits;

use std::collections::BTreeMap;

use crate::support::{self, Stored, random_trace, rng};
use marks::{inside, labels_of, rects_of, strips_of};
use onca_answer::columns::ColumnCache;
use onca_model::{Color, Lane, LaneId, Ticks, Window};
use onca_query::Scope;
use onca_scene::{Arrow, Layer, Pick, Strip, Strips};
use onca_views::options::LevelOptions;
use onca_views::timeline::{
    Room, RowState, Surface, Timeline, TimelineOptions, TimelineRow, figure, scene,
};
use onca_views::{Paper, Theme};
use rand::RngExt;

const SURFACE: Surface =
    Surface { width: 200.0, room: Room::FREE, theme: Theme::Light, titles: true };

fn drawn(stored: &Stored, window: Window, surface: &Surface) -> Timeline {
    let scope = stored.scope(window);
    timeline_of(&scope, stored, surface, &TimelineOptions::default())
}

fn timeline_of(
    scope: &Scope<'_>,
    stored: &Stored,
    surface: &Surface,
    options: &TimelineOptions,
) -> Timeline {
    let cache = ColumnCache::new(ColumnCache::DEFAULT_BYTES);
    scene(scope, &stored.appearance(), surface, options, &cache).expect("a timeline")
}

/// Random traces with random windows.
fn random_pictures(visit: impl Fn(&Stored, Window, &Timeline)) {
    for seed in 0..40 {
        let mut rng = rng(seed);
        let stored = Stored::new(&random_trace(&mut rng));
        let whole = stored.whole();
        let from = rng.random_range(whole.from..=whole.to);
        let to = rng.random_range(from..=whole.to);
        for window in [whole, Window::new(from, to)] {
            if window.from < window.to {
                visit(&stored, window, &drawn(&stored, window, &SURFACE));
            }
        }
    }
}

/// The states of a lane as the reference has them: begin, end, value.
fn states_of(stored: &Stored, container: usize, depth: usize) -> Vec<(Ticks, Ticks, usize)> {
    let states = stored.trace.states.iter();
    let own = states.filter(|state| state.container == container && state.depth == depth);
    let mut states: Vec<_> = own.map(|state| (state.start, state.end, state.value)).collect();
    states.sort_unstable();
    states
}

#[test]
fn rectangles_and_columns_of_a_lane_never_overlap() {
    random_pictures(|_, _, timeline| {
        let mut by_lane: BTreeMap<u32, Vec<(f64, f64)>> = BTreeMap::new();
        for (rect, lane) in rects_of(&timeline.scene) {
            by_lane.entry(lane).or_default().push((rect.bounds.x0, rect.bounds.x1));
        }
        for places in by_lane.values_mut() {
            places.sort_by(f64::total_cmp_pair);
            assert!(places.windows(2).all(|pair| pair[0].1 <= pair[1].0 + 1e-6), "{places:?}");
        }
        for (rect, _) in rects_of(&timeline.scene) {
            for (_, strip) in strips_of(&timeline.scene) {
                let same_band = strip.bounds.y0 == rect.bounds.y0;
                assert!(!same_band || !strip.bounds.overlaps(&rect.bounds), "{rect:?} {strip:?}");
            }
        }
    });
}

trait TotalOrder {
    fn total_cmp_pair(a: &(f64, f64), b: &(f64, f64)) -> std::cmp::Ordering;
}

impl TotalOrder for f64 {
    fn total_cmp_pair(a: &(f64, f64), b: &(f64, f64)) -> std::cmp::Ordering {
        a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
    }
}

/// The parts of a column as shares of 255 by colour.
fn shares_of(strips: &Strips, column: usize) -> BTreeMap<String, u32> {
    let mut shares = BTreeMap::new();
    for part in strips.parts_of(column) {
        let color: Color = strips.palette[usize::from(part.color)];
        *shares.entry(color.to_string()).or_insert(0) += u32::from(part.share);
    }
    shares
}

/// The time between two places of a strip, in ticks after the begin of the window.
fn column_of(strip: &Strip, index: usize) -> (Ticks, Ticks) {
    let width = strip.bounds.width() / strip.columns.len() as f64;
    let at = |column: usize| (strip.bounds.x0 + column as f64 * width).round() as Ticks;
    (at(index), at(index + 1))
}

#[test]
fn columns_show_exact_shares() {
    random_pictures(|stored, window, timeline| {
        let lanes = stored.store.catalog().lanes.clone();
        let scope = stored.scope(window);
        let colors: Vec<String> =
            (0..stored.trace.values.len()).map(|value| stored.color(value).to_string()).collect();
        for (depth, (strips, strip)) in strips_by_depth(stored, timeline) {
            let Pick::Node(node) = strip.pick else { panic!("a strip of no node") };
            let Some(container) = scope.hierarchy().container(onca_query::NodeId(node)) else {
                panic!("a row without a container");
            };
            let known = lanes.iter().any(|lane| lane.container == container);
            assert!(known, "a strip of a container without states");
            let states = states_of(stored, container.index(), depth);
            for (index, column) in strip.columns.clone().enumerate() {
                let (from, to) = column_of(strip, index);
                let (from, to) = (window.from + from.max(0), (window.from + to).min(window.to));
                let column_window = Window::new(from, to);
                let mut expected: BTreeMap<String, f64> = BTreeMap::new();
                for (start, end, value) in &states {
                    let share = column_window.overlap(*start, *end) as f64 / (to - from) as f64;
                    *expected.entry(colors[*value].clone()).or_default() += share * 255.0;
                }
                expected.retain(|_, share| *share > 0.0);
                let shares = shares_of(strips, column);
                let total: u32 = shares.values().sum();
                let whole: f64 = expected.values().sum();
                assert!((f64::from(total) - whole).abs() <= 0.5 + 1e-6, "{shares:?} {expected:?}");
                for (color, share) in &expected {
                    let shown = shares.get(color).copied().unwrap_or(0);
                    assert!((f64::from(shown) - share).abs() <= 1.0, "{shares:?} {expected:?}");
                }
                assert!(shares.keys().all(|color| expected.contains_key(color)));
            }
        }
    });
}

/// How far below the upper side of its row a depth begins: states in states lie inside each other, deeper
/// nesting has a lane of 14 pixels for each depth, with two between rows.
fn offset_of(n_depths: usize, depth: usize) -> f64 {
    match n_depths {
        0..=2 => 2.0 * depth as f64,
        n => ((14.0 * n as f64 - 2.0) * depth as f64 / n as f64).round(),
    }
}

/// How deep the states of a row are nested.
fn n_depths_of(stored: &Stored, row: &TimelineRow) -> usize {
    let catalog = stored.store.catalog();
    let scope = stored.scope(stored.whole());
    let containers: Vec<_> =
        row.nodes.iter().filter_map(|node| scope.hierarchy().container(*node)).collect();
    let is_state =
        |lane: &&Lane| catalog.type_def(lane.type_id).nature == onca_model::Nature::State;
    let own = catalog.lanes.iter().filter(|lane| containers.contains(&lane.container));
    own.filter(is_state).map(|lane| usize::from(lane.depth) + 1).max().unwrap_or(1)
}

/// The strips of states with their depth, found by their places in their rows.
fn strips_by_depth<'a>(
    stored: &Stored,
    timeline: &'a Timeline,
) -> Vec<(usize, (&'a Strips, &'a Strip))> {
    let mut found = Vec::new();
    for (strips, strip) in strips_of(&timeline.scene) {
        let row =
            timeline.rows.iter().find(|row| row.y0 <= strip.bounds.y0 && strip.bounds.y1 <= row.y1);
        let row = row.expect("a strip outside all rows");
        let n_depths = n_depths_of(stored, row);
        let at = strip.bounds.y0 - row.y0;
        // Events lie below the states.
        let depth = (0..n_depths).find(|depth| (at - offset_of(n_depths, *depth)).abs() < 1e-9);
        found.extend(depth.map(|depth| (depth, (strips, strip))));
    }
    found
}

#[test]
fn every_state_leaves_a_mark() {
    random_pictures(|stored, window, timeline| {
        let lanes = &stored.store.catalog().lanes;
        let mut drawn: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        for (rect, lane) in rects_of(&timeline.scene) {
            let Pick::Entity { row, .. } = rect.pick else { continue };
            *drawn.entry((lane, row)).or_insert(0) += 1;
        }
        assert!(drawn.values().all(|n| *n == 1), "a state is drawn twice");
        for (id, lane) in lanes.iter().enumerate() {
            let states = states_of(stored, lane.container.index(), usize::from(lane.depth));
            let nature = stored.store.catalog().type_def(lane.type_id).nature;
            if nature != onca_model::Nature::State {
                continue;
            }
            let mut rows = Vec::new();
            stored
                .store
                .visit_states(LaneId(id as u32), window, 0, |row, state, _| {
                    rows.push((row as u32, state.start, state.end));
                })
                .expect("states");
            assert!(rows.len() <= states.len());
            for (row, start, end) in rows {
                let has_rect = drawn.contains_key(&(id as u32, row));
                let x = (start.max(window.from) - window.from) as f64;
                let in_strip =
                    strips_by_depth(stored, timeline).into_iter().any(|(depth, (_, strip))| {
                        depth == usize::from(lane.depth)
                            && strip.bounds.x0 <= x
                            && x < strip.bounds.x1
                    });
                assert!(has_rect || in_strip, "state {row} of lane {id}: {start} {end}");
            }
        }
    });
}

#[test]
fn nested_states_lie_inside_or_below_their_parents() {
    random_pictures(|stored, _, timeline| {
        let lanes = &stored.store.catalog().lanes;
        let rects = rects_of(&timeline.scene);
        for (rect, lane) in &rects {
            let lane = lanes[*lane as usize];
            let row = timeline
                .rows
                .iter()
                .find(|row| row.y0 <= rect.bounds.y0 && rect.bounds.y1 <= row.y1);
            let row = row.expect("a rectangle outside all rows");
            let offset = offset_of(n_depths_of(stored, row), usize::from(lane.depth));
            assert!((rect.bounds.y0 - row.y0 - offset).abs() < 1e-9);
        }
    });
}

#[test]
fn nothing_leaves_the_picture() {
    random_pictures(|_, _, timeline| {
        assert_eq!(inside(&timeline.scene, &timeline.view), Vec::<String>::new());
        let mut end = 0.0;
        for row in &timeline.rows {
            assert!(row.y0 >= end && row.y1 > row.y0);
            end = row.y1;
        }
        assert!(end <= timeline.view.y1);
    });
}

#[test]
fn texts_never_touch() {
    for seed in 0..10 {
        let stored = Stored::new(&random_trace(&mut rng(seed)));
        for width in [340.0, 960.0] {
            for height in [None, Some(260.0)] {
                let paper = Paper {
                    width,
                    height,
                    source: Some("run.paje".to_owned()),
                    ..Paper::default()
                };
                let scope = stored.scope(stored.whole());
                let options = TimelineOptions::default();
                let figure =
                    figure(&scope, &stored.appearance(), &paper, &options).expect("a figure");
                let labels = labels_of(&figure);
                for (index, (first, text)) in labels.iter().enumerate() {
                    for (second, other) in &labels[index + 1..] {
                        assert!(!first.overlaps(second), "{text:?} and {other:?} at {width}");
                    }
                    let page = figure.page();
                    let fits = first.x0 >= page.x0 - 0.5
                        && first.x1 <= page.x1 + 0.5
                        && first.y0 >= page.y0
                        && first.y1 <= page.y1;
                    assert!(fits, "{text:?} leaves the page at {width}: {first:?}");
                }
            }
        }
    }
}

#[test]
fn collapsed_groups_show_the_sum_of_their_children() {
    let stored = Stored::new(
        &(support::machines()
            + "12 0 S r0 v0\n12 0 S r1 v0\n12 0 S r2 v1\n12 0.536870912 S r2 v0\n\
               15 1.073741824 S r0\n15 1.073741824 S r1\n15 1.073741824 S r2\n"),
    );
    let scope = stored.scope(stored.whole());
    let options =
        TimelineOptions { level: LevelOptions::at_depth(1), ..TimelineOptions::default() };
    let surface = Surface { width: 16.0, ..SURFACE };
    let timeline = timeline_of(&scope, &stored, &surface, &options);
    assert_eq!(timeline.rows.len(), 2);
    assert!(timeline.rows.iter().all(|row| row.state == RowState::Closed));
    let (strips, strip) = strips_of(&timeline.scene)[0];
    let shares: Vec<Vec<u8>> = strip
        .columns
        .clone()
        .map(|column| strips.parts_of(column).map(|part| part.share).collect())
        .collect();
    // Times are powers of two, as the columns are. Two of three compute while the third sends; then all compute.
    let expected = [vec![[170, 85].to_vec(); 8], vec![[255].to_vec(); 8]].concat();
    assert_eq!(shares, expected);
    // Its name says that it is a sum: its columns hide nothing that one would look for there.
    assert!(strip.columns.clone().all(|column| !strips.columns[column].aggregate));
}

fn arrows_of(timeline: &Timeline) -> Vec<Arrow> {
    let layers = timeline.scene.layers.iter();
    let arrows = layers.filter_map(|layer| match layer {
        Layer::Arrows(arrows) => Some(arrows),
        _ => None,
    });
    arrows.flatten().copied().collect()
}

#[test]
fn links_end_on_the_row_of_the_nearest_visible_node() {
    let text = support::machines()
        + "16 1 L 0 r0 data a\n17 3 L 0 r4 data a\n16 2 L 0 r0 data b\n17 3 L 0 r1 data b\n\
           16 4 L 0 r5 data c\n17 9 L 0 r0 data c\n";
    let stored = Stored::new(&text);
    let options =
        TimelineOptions { level: LevelOptions::at_depth(1), ..TimelineOptions::default() };
    let scope = stored.scope(Window::new(0, 5_000_000_000));
    let timeline = timeline_of(&scope, &stored, &SURFACE, &options);
    let arrows = arrows_of(&timeline);
    let (first, second) = (&timeline.rows[0], &timeline.rows[1]);
    assert_eq!(arrows.len(), 2, "the link inside a group is not drawn");
    let within = |y: f64, row: &TimelineRow| row.y0 < y && y < row.y1;
    let down = arrows.iter().find(|arrow| arrow.head).expect("the link that ends in the window");
    assert!(within(down.from.y, first) && within(down.to.y, second) && down.dot);
    assert_eq!((down.from.x, down.to.x), (1e9, 3e9));
    let up = arrows.iter().find(|arrow| !arrow.head).expect("the link that ends later");
    assert!(up.dot && up.from.x == 4e9 && up.to.x == 5e9);
    // A fifth of the way is in the window.
    let (from, to) = (up.from.y, down.from.y);
    assert!((up.to.y - (from + (to - from) * 0.2)).abs() < 1e-6);
    assert_eq!(timeline.notes, ["2 of 3 links shown, 1 inside summed rows"]);
}

#[test]
fn too_many_links_are_thinned_and_the_picture_says_so() {
    let mut text = support::machines();
    let mut lines: Vec<(usize, String)> = Vec::new();
    for key in 0..600 {
        let (start, end) = (key, key + 3);
        let (from, to) = (key % 5, key % 5 + 1);
        lines.push((start, format!("16 {start} L 0 r{from} data k{key}")));
        lines.push((end, format!("17 {end} L 0 r{to} data k{key}")));
    }
    lines.sort_by_key(|(time, _)| *time);
    lines.iter().for_each(|(_, line)| text += &format!("{line}\n"));
    let stored = Stored::new(&text);
    let scope = stored.scope(stored.whole());
    let options = TimelineOptions { arrows: Some(40), ..TimelineOptions::default() };
    let timeline = timeline_of(&scope, &stored, &SURFACE, &options);
    let arrows: Vec<_> = arrows_of(&timeline);
    assert!((5..=40).contains(&arrows.len()), "{}", arrows.len());
    let note = timeline.notes.join(" ");
    assert!(note.ends_with(&format!("of 600 links shown as {} arrows", arrows.len())), "{note}");
    // They are spread over the window: some in each quarter.
    let quarter = |arrow: &Arrow| (arrow.from.x / timeline.view.x1 * 4.0) as usize;
    assert!((0..4).all(|part| arrows.iter().any(|arrow| quarter(arrow) == part)));
}

#[test]
fn the_same_picture_twice() {
    let stored = Stored::new(&random_trace(&mut rng(7)));
    let paper = Paper::default();
    let once = || {
        let scope = stored.scope(stored.whole());
        figure(&scope, &stored.appearance(), &paper, &TimelineOptions::default()).expect("a figure")
    };
    assert_eq!(once(), once());
}
