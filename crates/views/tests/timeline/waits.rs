//! Waits and the critical path.

use onca_scene::{Layer, Lines, Pattern, Rect};
use onca_testkit::fixtures::trace;
use onca_views::timeline::{Surface, Timeline, TimelineOptions};

use super::{SURFACE, timeline_of};
use crate::support::Stored;

/// `a` sends at 3 s to `b`, which receives from 1 s on.
const LATE: &str = "13 0 S a computing\n13 0 S b computing\n14 1 S b\n13 1 S b MPI_Recv\n14 3 S a\n\
                    13 3 S a MPI_Send\n16 3 L 0 a m k\n14 4 S a\n17 5 L 0 b m k\n14 5 S b\n";

fn drawn(surface: &Surface, waits: bool, critical_path: bool) -> Timeline {
    let stored = Stored::new(&trace(LATE));
    let scope = stored.scope(stored.whole());
    let options = TimelineOptions { waits, critical_path, ..TimelineOptions::default() };
    timeline_of(&scope, &stored, surface, &options)
}

fn hatched(timeline: &Timeline) -> Vec<&Rect> {
    let rects = timeline.scene.layers.iter().filter_map(|layer| match layer {
        Layer::Rects(rects) => Some(rects),
        _ => None,
    });
    rects.flatten().filter(|rect| rect.pattern == Pattern::Hatch).collect()
}

fn lines(timeline: &Timeline) -> Option<&Lines> {
    timeline.scene.layers.iter().find_map(|layer| match layer {
        Layer::Lines(lines) => Some(lines),
        _ => None,
    })
}

fn names(timeline: &Timeline) -> Vec<&str> {
    timeline.legend.iter().map(|entry| entry.name.as_str()).collect()
}

#[test]
fn a_wait_is_hatched_where_it_is() {
    let timeline = drawn(&SURFACE, true, false);
    let [wait] = hatched(&timeline)[..] else { panic!("one wait") };
    let row = timeline.rows.iter().find(|row| row.name == "B").expect("the row of b");
    assert_eq!((wait.bounds.x0 / 1e9, wait.bounds.x1 / 1e9), (1.0, 3.0));
    assert!(row.y0 <= wait.bounds.y0 && wait.bounds.y1 <= row.y1);
    let title = timeline.scene.titles.get(wait.title).expect("a text");
    assert!(title.starts_with("B waits for A (late-sender)"), "{title}");
    assert!(names(&timeline).contains(&"waits: late-sender"));
    assert!(lines(&timeline).is_none());
}

#[test]
fn nothing_is_hatched_unless_it_is_asked_for() {
    let timeline = drawn(&SURFACE, false, false);
    assert!(hatched(&timeline).is_empty() && lines(&timeline).is_none());
    assert!(!names(&timeline).iter().any(|name| name.starts_with("waits")));
}

#[test]
fn a_narrow_wait_is_a_band_as_strong_as_its_share() {
    // Five columns of a second each.
    let timeline = drawn(&Surface { width: 5.0, ..SURFACE }, true, false);
    assert!(hatched(&timeline).is_empty());
    let row = timeline.rows.iter().find(|row| row.name == "B").expect("the row of b");
    let is_band = |rect: &&Rect| {
        rect.bounds.height() == 3.0 && row.y0 <= rect.bounds.y0 && rect.bounds.y1 <= row.y1
    };
    let layers = timeline.scene.layers.iter();
    let rects = layers.filter_map(|layer| match layer {
        Layer::Rects(rects) => Some(rects),
        _ => None,
    });
    let bands: Vec<&Rect> = rects.flatten().filter(is_band).collect();
    let from = bands.iter().map(|band| band.bounds.x0).fold(f64::INFINITY, f64::min);
    let to = bands.iter().map(|band| band.bounds.x1).fold(0.0, f64::max);
    // Columns may be a little wider than a pixel.
    assert!(from <= 1e9 && to >= 3e9 && to - from <= 4.5e9, "{from} {to}");
}

#[test]
fn the_path_goes_from_the_sender_to_the_receiver() {
    let timeline = drawn(&SURFACE, false, true);
    let lines = lines(&timeline).expect("a line");
    let row = |name: &str| {
        let row = timeline.rows.iter().find(|row| row.name == name).expect("a row");
        (row.y0, row.y1)
    };
    for line in &lines.lines {
        let points = lines.of(line);
        let times: Vec<f64> = points.iter().map(|point| point.x / 1e9).collect();
        assert_eq!(times, [0.0, 3.0, 3.0, 5.0]);
        for (point, name) in points.iter().zip(["A", "A", "B", "B"]) {
            let (y0, y1) = row(name);
            assert!(y0 < point.y && point.y < y1, "{name}: {point:?}");
        }
    }
    assert!(names(&timeline).contains(&"critical path"));
}
