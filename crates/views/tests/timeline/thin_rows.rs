//! Rows of columns are drawn from the sums that the store has.

use onca_model::{Ticks, Window};
use onca_query::Lens;
use onca_scene::{Layer, Strips};
use onca_testkit::fixtures;
use onca_views::Theme;
use onca_views::timeline::{Room, Surface, TimelineOptions};
use rand::RngExt;

use super::timeline_of;
use crate::support::{Stored, rng};

const N_STATES: usize = 4000;

/// Processes with many states and some gaps. Two of the values have the same colour.
fn trace(seed: u64) -> String {
    let mut rng = rng(seed);
    let mut text = fixtures::header() + "1 P 0 Proc\n2 S P St\n";
    for (value, color) in ["1 0 0", "0 1 0", "0 0 1", "0 0 1"].iter().enumerate() {
        text += &format!("6 v{value} S value{value} \"{color}\"\n");
    }
    (0..5).for_each(|process| text += &format!("7 0 p{process} P 0 process{process}\n"));
    let mut lines: Vec<(u64, String)> = Vec::new();
    for process in 0..5 {
        let mut now = rng.random_range(0..1000);
        for _ in 0..N_STATES {
            let value = rng.random_range(0..4);
            lines.push((now, format!("13 {now}e-9 S p{process} v{value}")));
            now += if rng.random_bool(0.01) { 5000 } else { rng.random_range(1..60) };
            lines.push((now, format!("14 {now}e-9 S p{process}")));
            now += if rng.random_bool(0.3) { rng.random_range(1..40) } else { 0 };
        }
    }
    lines.sort_by_key(|(time, _)| *time);
    lines.iter().for_each(|(_, line)| text += &format!("{line}\n"));
    text
}

fn strips(stored: &Stored, lens: &Lens, window: Window, height: f64) -> Vec<Strips> {
    let surface =
        Surface { width: 700.0, room: Room::Exactly(height), theme: Theme::Light, titles: false };
    let scope = stored.scope_through(lens, window);
    let timeline = timeline_of(&scope, stored, &surface, &TimelineOptions::default());
    let layers = timeline.scene.layers.into_iter();
    let strips = layers.filter_map(|layer| match layer {
        Layer::Strips(strips) => Some(strips),
        _ => None,
    });
    strips.collect()
}

fn lens(selection: &str) -> Lens {
    let text = format!("{{\"version\": 1, \"select\": {{{selection}}}}}");
    Lens::from_json(&text).expect("a lens")
}

#[test]
fn sums_of_the_store_look_like_states_that_are_added_up() {
    for seed in 0..3 {
        let stored = Stored::new(&trace(seed));
        let whole = stored.whole();
        let mut rng = rng(seed);
        let mut random = || {
            let from: Ticks = rng.random_range(whole.from..whole.to / 2);
            Window::new(from, rng.random_range(from + whole.to / 3..whole.to))
        };
        for window in [whole, random(), random()] {
            for height in [20.0, 25.0, 90.0] {
                for hidden in ["", "\"values\": {\"hide\": [\"value1\"]}"] {
                    // No state is shorter; but with a least duration states have to be read.
                    let added_up = [hidden, "\"min_duration\": \"1ns\""];
                    let added_up = added_up.iter().filter(|text| !text.is_empty());
                    let added_up = added_up.copied().collect::<Vec<_>>().join(", ");
                    let expected = strips(&stored, &lens(&added_up), window, height);
                    assert!(expected.iter().any(|strips| strips.columns.len() > 1000));
                    assert_eq!(strips(&stored, &lens(hidden), window, height), expected);
                }
            }
        }
    }
}
