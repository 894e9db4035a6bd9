//! Bands of locks.

use onca_model::Color;
use onca_query::Lens;
use onca_scene::{Layer, Pattern, Rect};
use onca_testkit::fixtures;
use onca_views::timeline::{Timeline, TimelineOptions};

use super::{SURFACE, timeline_of};
use crate::support::Stored;

/// Two threads and two locks, named in a field and in values of types of their own.
fn locked() -> Stored {
    let fields = ["Time", "Type", "Container", "Value", "Lock"];
    let text = fixtures::header()
        + &fixtures::block("30", "PajePushState", &fields)
        + "1 P 0 Thread\n2 S P STATE\n2 H P Holds\n7 0 a P 0 a\n7 0 b P 0 b\n\
           30 1 S a critical red\n30 2 S b blocked red\n14 4 S a\n14 4 S b\n\
           30 4 S b critical red\n14 6 S b\n30 6 S a critical blue\n14 8 S a\n\
           12 2 H b red\n15 3 H b\n";
    Stored::new(&text)
}

fn drawn(stored: &Stored, locks: &str) -> Timeline {
    let lens = format!("{{\"version\": 1, \"locks\": [{locks}]}}");
    let lens = Lens::from_json(&lens).expect("a lens");
    let scope = stored.scope_through(&lens, stored.whole());
    timeline_of(&scope, stored, &SURFACE, &TimelineOptions::default())
}

/// The bands by row: begin, end, hatched, colour.
fn bands(timeline: &Timeline) -> Vec<(usize, f64, f64, bool, Color)> {
    let rects = timeline.scene.layers.iter().filter_map(|layer| match layer {
        Layer::Rects(rects) => Some(rects),
        _ => None,
    });
    let thin = |rect: &&Rect| rect.bounds.height() == 3.0;
    let mut bands: Vec<_> = rects
        .flatten()
        .filter(thin)
        .map(|rect| {
            let within = |row: &onca_views::timeline::TimelineRow| {
                row.y0 <= rect.bounds.y0 && rect.bounds.y1 <= row.y1
            };
            let row = timeline.rows.iter().position(within).expect("a band outside all rows");
            let times = (rect.bounds.x0 / 1e9, rect.bounds.x1 / 1e9);
            (row, times.0, times.1, rect.pattern == Pattern::Hatch, rect.fill)
        })
        .collect();
    bands.sort_by(|a, b| (a.0, a.1).partial_cmp(&(b.0, b.1)).expect("numbers"));
    bands
}

#[test]
fn who_holds_has_a_full_band_and_who_waits_a_hatched_one() {
    let stored = locked();
    let rule = r#"{"holds": "critical", "waits": "blocked", "key": "Lock"}"#;
    let timeline = drawn(&stored, rule);
    let told: Vec<&str> = timeline.legend.iter().map(|entry| entry.name.as_str()).collect();
    assert!(told.contains(&"red (hatched: waited for, held)") && told.contains(&"blue (held)"));
    let bands = bands(&timeline);
    let shown: Vec<_> =
        bands.iter().map(|(row, from, to, hatched, _)| (*row, *from, *to, *hatched)).collect();
    let expected =
        [(0, 1.0, 4.0, false), (0, 6.0, 8.0, false), (1, 2.0, 4.0, true), (1, 4.0, 6.0, false)];
    assert_eq!(shown, expected);
    let colors: Vec<Color> = bands.iter().map(|band| band.4).collect();
    assert!(colors[0] == colors[2] && colors[2] == colors[3] && colors[0] != colors[1]);
}

#[test]
fn a_lock_can_be_the_value() {
    let stored = locked();
    let by_value =
        bands(&drawn(&stored, r#"{"holds": "Holds:*", "waits": "none*", "key": "value"}"#));
    let by_field =
        bands(&drawn(&stored, r#"{"holds": "critical", "waits": "blocked", "key": "Lock"}"#));
    assert_eq!(by_value.len(), 1);
    let (row, from, to, hatched, color) = by_value[0];
    assert_eq!((row, from, to, hatched), (1, 2.0, 3.0, false));
    assert_eq!(color, by_field[0].4, "the same lock");
}

#[test]
fn without_a_rule_there_are_no_bands() {
    assert_eq!(bands(&drawn(&locked(), "")), []);
}

#[test]
fn a_rule_that_does_not_fit_is_refused() {
    let stored = locked();
    let refused = |rule: &str| {
        let lens = Lens::from_json(&format!("{{\"version\": 1, \"locks\": [{rule}]}}"));
        let scope = onca_query::Scope::new(&stored.store, &lens.expect("a lens"), stored.whole());
        scope.err().expect("no such thing").to_string()
    };
    let why = refused(r#"{"holds": "critical", "waits": "blocked", "key": "Mutex"}"#);
    assert!(why.starts_with("locks[0].key: the trace has no extra field"), "{why}");
    let why = refused(r#"{"holds": "critcal", "waits": "blocked", "key": "Lock"}"#);
    assert!(why.starts_with("locks[0].holds:"), "{why}");
}
