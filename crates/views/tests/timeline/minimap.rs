//! The minimap against plain sums.

use onca_answer::columns::ColumnCache;
use onca_answer::phases::{Communication, PhaseSpec};
use onca_model::{Ticks, Window};
use onca_scene::Layer;
use onca_views::Theme;
use onca_views::minimap::{Minimap, MinimapSize, PeakOf, scene};

use super::column_of;
use super::marks::{inside, strips_of};
use crate::support::{Stored, machines, random_trace, rng};

const SIZE: MinimapSize = MinimapSize { width: 300.0, height: 40.0, theme: Theme::Light };

fn drawn(stored: &Stored, window: Window) -> Minimap {
    let cache = ColumnCache::new(1 << 20);
    scene(&stored.scope(window), &stored.appearance(), &SIZE, &cache, None).expect("a minimap")
}

/// The time in each value between two instants, that of nested states taken off.
fn times(stored: &Stored, from: Ticks, to: Ticks) -> Vec<f64> {
    let window = Window::new(from, to);
    let mut times = vec![0.0; stored.trace.values.len()];
    for state in &stored.trace.states {
        let ticks = window.overlap(state.start, state.end) as f64;
        times[state.value] += ticks;
        if state.depth > 0 {
            let around = stored.trace.states.iter().filter(|other| {
                (other.container, other.depth + 1) == (state.container, state.depth)
            });
            let mut around =
                around.filter(|other| other.start <= state.start && state.end <= other.end);
            times[around.next().expect("the state around").value] -= ticks;
        }
    }
    times
}

#[test]
fn columns_have_the_shares_of_all_states() {
    for seed in 0..15 {
        let stored = Stored::new(&random_trace(&mut rng(seed)));
        let whole = stored.whole();
        let minimap = drawn(&stored, whole);
        assert_eq!(inside(&minimap.scene, &minimap.view), Vec::<String>::new());
        let mut columns = Vec::new();
        for (strips, strip) in strips_of(&minimap.scene) {
            for (index, column) in strip.columns.clone().enumerate() {
                let (from, to) = column_of(strip, index);
                let (from, to) = (whole.from + from.max(0), (whole.from + to).min(whole.to));
                let shown: u32 = strips.parts_of(column).map(|part| u32::from(part.share)).sum();
                let at_once = times(&stored, from, to).iter().sum::<f64>() / (to - from) as f64;
                columns.push((f64::from(shown), at_once));
            }
        }
        let most = columns.iter().map(|(_, at_once)| at_once.ceil()).fold(1.0, f64::max);
        for (shown, at_once) in columns {
            assert!((shown - at_once / most * 255.0).abs() <= 0.5 + 1e-6, "{shown} {at_once}");
        }
    }
}

#[test]
fn the_curve_shows_where_the_mix_of_values_changes() {
    let text = machines()
        + "12 0 S r0 v0\n12 0 S r1 v0\n12 4.294967296 S r0 v1\n12 6.442450944 S r1 v1\n\
           15 8.589934592 S r0\n15 8.589934592 S r1\n";
    let stored = Stored::new(&text);
    let minimap = drawn(&stored, stored.whole());
    // Times are powers of two, as the columns are: 256 of them, two to a slice.
    assert_eq!(minimap.change.changes.len(), 127);
    let jumps: Vec<(usize, f64)> = minimap
        .change
        .changes
        .iter()
        .copied()
        .enumerate()
        .filter(|(_, change)| *change > 0.0)
        .collect();
    assert_eq!(jumps, [(63, 0.5), (95, 0.5)]);
    let lines = minimap.scene.layers.iter().find_map(|layer| match layer {
        Layer::Lines(lines) => Some(lines),
        _ => None,
    });
    let points = &lines.expect("a curve").points;
    assert_eq!(points.len(), 127);
    assert_eq!(points[63].x, 4_294_967_296.0);
    assert!(points[63].y < points[62].y && points[62].y == 40.0);
}

/// Two rounds of neighbours, then one of others, then neighbours again.
#[test]
fn the_communication_curve_has_peaks_where_communities_change() {
    let mut text = machines();
    for (round, partner) in
        [[1, 0, 3, 2, 5, 4], [1, 0, 3, 2, 5, 4], [3, 4, 5, 0, 1, 2], [1, 0, 3, 2, 5, 4]]
            .iter()
            .enumerate()
    {
        for half in ["16", "17"] {
            let time = 100 * round + if half == "16" { 0 } else { 10 };
            for (rank, other) in partner.iter().enumerate() {
                let end = if half == "16" { rank } else { *other };
                text += &format!("{half} {time} L 0 r{end} data k{round}_{rank}\n");
            }
        }
    }
    let stored = Stored::new(&text);
    let scope = stored.scope(stored.whole());
    let communication = Communication::new(&scope, &PhaseSpec::default()).expect("messages");
    let phases = communication.phases(Some(4), None).expect("phases");
    let cache = ColumnCache::new(1 << 20);
    let look = stored.appearance();
    let minimap = scene(&scope, &look, &SIZE, &cache, Some(&phases)).expect("a minimap");
    let second = 1_000_000_000;
    let times: Vec<(Ticks, PeakOf)> =
        minimap.peaks.iter().map(|peak| (peak.time, peak.of)).collect();
    // Halfway between the messages before and after.
    let expected = [155, 255].map(|at| (at * second, PeakOf::Communication));
    assert_eq!(times, expected);
    assert_eq!(inside(&minimap.scene, &minimap.view), Vec::<String>::new());
    let lines = |minimap: &Minimap| {
        let layers = minimap.scene.layers.iter();
        layers
            .map(|layer| match layer {
                Layer::Lines(lines) => lines.lines.len(),
                _ => 0,
            })
            .sum::<usize>()
    };
    assert_eq!(lines(&minimap), lines(&drawn(&stored, stored.whole())) + 1);
}
