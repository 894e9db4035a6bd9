//! What must hold in pictures of phases.

use crate::support;

use onca_answer::phases::{Communication, PhaseSpec};
use onca_scene::{Label, Layer, Pick, Polygons, Rect};
use onca_views::commgram::{self, Commgram, CommgramOptions, CurvePlace};
use onca_views::options::PhaseOptions;
use onca_views::registry::{Material, NoMemory, View};
use onca_views::{Canvas, Drawn, Paper, Theme, ViewError};
use support::{Stored, machines, random_trace, rng};

const CANVAS: Canvas = Canvas { width: 600.0, height: 300.0, theme: Theme::Light, titles: true };

const NEIGHBOURS: [usize; 6] = [1, 0, 3, 2, 5, 4];

/// Three rounds: neighbours exchange, then those three apart, then neighbours again.
fn rounds() -> String {
    rounds_of(&[NEIGHBOURS, [3, 4, 5, 0, 1, 2], NEIGHBOURS])
}

/// Rounds in which everybody sends to a partner.
fn rounds_of(partners: &[[usize; 6]]) -> String {
    let mut text = machines();
    for (round, partner) in partners.iter().enumerate() {
        for half in ["16", "17"] {
            let time = 100 * round + if half == "16" { 0 } else { 10 };
            for (rank, other) in partner.iter().enumerate() {
                let end = if half == "16" { rank } else { *other };
                text += &format!("{half} {time} L 0 r{end} data k{round}_{rank}\n");
            }
        }
    }
    text
}

fn draw(text: &str, options: &CommgramOptions) -> Result<Drawn, ViewError> {
    let stored = Stored::new(text);
    commgram::scene(&stored.scope(stored.whole()), &stored.appearance(), &CANVAS, options)
}

fn bars(drawn: &Drawn) -> Vec<Rect> {
    let rects = drawn.scene.layers.iter().find_map(|layer| match layer {
        Layer::Rects(rects) => Some(rects.clone()),
        _ => None,
    });
    rects.expect("bars")
}

fn polygons(drawn: &Drawn) -> Vec<&Polygons> {
    let layers = drawn.scene.layers.iter();
    layers
        .filter_map(|layer| match layer {
            Layer::Polygons(polygons) => Some(polygons),
            _ => None,
        })
        .collect()
}

#[test]
fn rounds_have_their_pairs_and_return_to_their_level() {
    let drawn = draw(&rounds(), &CommgramOptions::default()).expect("a picture");
    let bars = bars(&drawn);
    // Three pairs in each of three phases, at two sides.
    assert_eq!(bars.len(), 18);
    let top = |phase: u32| {
        let of = bars
            .iter()
            .filter(|bar| matches!(bar.pick, Pick::Community { phase: own, .. } if own == phase));
        of.map(|bar| bar.bounds.y0).fold(f64::INFINITY, f64::min)
    };
    assert!((top(0) - top(2)).abs() < 1e-9);
    assert!((top(0) - top(1)).abs() > 20.0);
    let [ribbons, bands] = polygons(&drawn)[..] else { panic!("ribbons and bands") };
    // Each pair goes to two others, twice; all messages stay inside a pair.
    assert_eq!((ribbons.polygons.len(), bands.polygons.len()), (12, 9));
    let first = &bands.polygons[0];
    let title = drawn.scene.titles.get(first.title).expect("a title");
    assert!(title.contains("2 messages") && title.contains("pattern"), "{title}");
    assert!(matches!(first.pick, Pick::Flow { from, to, .. } if from == to));
}

#[test]
fn nothing_leaves_the_canvas_and_bars_of_a_side_do_not_overlap() {
    for seed in 0..40 {
        let text = random_trace(&mut rng(seed));
        let options = CommgramOptions {
            phases: PhaseOptions {
                phases: [None, Some(1), Some(5), Some(100)][seed as usize % 4],
                communities: [None, Some(3)][seed as usize % 2],
                ..PhaseOptions::default()
            },
            ..CommgramOptions::default()
        };
        let drawn = match draw(&text, &options) {
            Ok(drawn) => drawn,
            Err(ViewError::Nothing(_)) => continue,
            Err(other) => panic!("seed {seed}: {other}"),
        };
        let bars = bars(&drawn);
        for (at, bar) in bars.iter().enumerate() {
            assert!(bar.bounds.y0 >= -1e-9 && bar.bounds.y1 <= CANVAS.height + 1e-9, "seed {seed}");
            assert!(bar.bounds.x0 >= 0.0 && bar.bounds.x1 <= CANVAS.width);
            assert!(
                bars[..at].iter().all(|other| !bar.bounds.overlaps(&other.bounds)),
                "seed {seed}"
            );
        }
        for point in polygons(&drawn).iter().flat_map(|polygons| &polygons.points) {
            assert!(point.x.is_finite() && point.y.is_finite());
            assert!((0.0..=CANVAS.width).contains(&point.x));
        }
    }
}

/// The picture of a screen.
fn screen(text: &str, canvas: &Canvas) -> Drawn {
    let stored = Stored::new(text);
    let scope = stored.scope(stored.whole());
    let options = CommgramOptions::default();
    let communication = Communication::new(&scope, &PhaseSpec::default()).expect("messages");
    let (n, _) = commgram::fitting(&communication, canvas.width, None).expect("phases");
    let answer = communication.phases(Some(n), None).expect("phases");
    commgram::screen(&communication, &answer, canvas, &options)
}

#[test]
fn a_screen_has_a_ground_for_every_phase_and_names_their_patterns() {
    let drawn = screen(&rounds(), &CANVAS);
    let Some(Layer::Rects(grounds)) = drawn.scene.layers.first() else { panic!("grounds") };
    let picks: Vec<Pick> = grounds.iter().map(|ground| ground.pick).collect();
    let phase = |phase| Pick::Community { phase, place: u32::MAX };
    assert_eq!(picks, [phase(0), phase(1), phase(2)]);
    assert!(grounds.windows(2).all(|pair| pair[0].bounds.x1 == pair[1].bounds.x0));
    let title = drawn.scene.titles.get(grounds[1].title).expect("a title");
    assert_eq!(
        title,
        "phase 2, pattern B, 55.000000000 – 155.000000000 s\n6 messages\n3 communities"
    );
    let Some(Layer::Labels(labels)) = drawn.scene.layers.last() else { panic!("labels") };
    let texts: Vec<&str> = labels.iter().map(|label| label.text.as_str()).collect();
    assert_eq!(texts[..3], ["A", "B", "A"]);
    // Bars lie on their ground, and a low picture has no curve.
    for (height, n_layers) in [(300.0, 8), (150.0, 5), (10.0, 5)] {
        let drawn = screen(&rounds(), &Canvas { height, ..CANVAS });
        assert_eq!(drawn.scene.layers.len(), n_layers);
        for rect in drawn.scene.layers.iter().filter_map(|layer| match layer {
            Layer::Rects(rects) => Some(rects),
            _ => None,
        }) {
            let inside = |rect: &Rect| rect.bounds.y0 >= 0.0 && rect.bounds.x1 <= CANVAS.width;
            assert!(rect.iter().all(inside));
        }
    }
}

#[test]
fn without_messages_there_is_no_picture_but_a_reason() {
    let why = draw(&machines(), &CommgramOptions::default()).expect_err("no picture").to_string();
    assert!(why.contains("no messages"), "{why}");
}

#[test]
fn figures_tell_what_they_show() {
    let stored = Stored::new(&rounds());
    let paper = Paper { source: Some("rounds".to_owned()), ..Paper::default() };
    let scope = stored.scope(stored.whole());
    let figure =
        commgram::figure(&scope, &stored.appearance(), &paper, &CommgramOptions::default());
    let figure = figure.expect("a figure");
    assert_eq!(figure.description, "Communication: 3 phases, 2 patterns");
    let names: Vec<&str> = figure.panels.iter().map(|panel| panel.name).collect();
    assert_eq!(names, ["behind", "commgram", "curve", "furniture"]);
}

/// The labels that name communities, by their phase.
fn names_of(labels: &[Label]) -> Vec<(u32, String)> {
    let mut names: Vec<(u32, String)> = labels
        .iter()
        .filter_map(|label| match label.pick {
            Pick::Community { phase, place } if place != u32::MAX => {
                Some((phase, label.text.clone()))
            }
            _ => None,
        })
        .collect();
    names.sort();
    names
}

fn labels(layers: &[Layer]) -> Vec<Label> {
    let of = |layer: &Layer| match layer {
        Layer::Labels(labels) => labels.clone(),
        _ => Vec::new(),
    };
    layers.iter().flat_map(of).collect()
}

/// Neighbours exchange, then those three apart, then neighbours again: names stand before each slot. Where the second round
/// is like the first, they do not stand again.
#[test]
fn communities_are_named_where_they_change() {
    let named = |text: &str| {
        let stored = Stored::new(text);
        let scope = stored.scope(stored.whole());
        let options = CommgramOptions::default();
        let paper = Paper::default();
        let figure = commgram::figure(&scope, &stored.appearance(), &paper, &options);
        let panels = figure.expect("a figure").panels;
        let of_panels = panels.iter().flat_map(|panel| labels(&panel.scene.layers));
        names_of(&of_panels.collect::<Vec<Label>>())
    };
    let phases =
        |names: &[(u32, String)]| names.iter().map(|(phase, _)| *phase).collect::<Vec<_>>();
    let changing = named(&rounds());
    assert_eq!(phases(&changing), [0, 0, 0, 1, 1, 1, 2, 2, 2], "{changing:?}");
    assert!(changing.iter().any(|(_, name)| name == "0,3"), "{changing:?}");
    let same = named(&rounds_of(&[NEIGHBOURS; 3]));
    assert_eq!(phases(&same), [0, 0, 0], "{same:?}");
}

#[test]
fn the_curve_is_drawn_over_the_slots_or_alone() {
    let stored = Stored::new(&rounds());
    let scope = stored.scope(stored.whole());
    let drawn = |curve| {
        let options = CommgramOptions { curve, ..CommgramOptions::default() };
        let material = Material {
            scope: &scope,
            appearance: &stored.appearance(),
            platform: None,
            memory: &NoMemory,
            before: None,
        };
        Commgram::scene(&material, &CANVAS, &options).expect("a picture").scene.layers
    };
    let discs = |layers: &[Layer]| {
        let of = |layer: &Layer| match layer {
            Layer::Glyphs(glyphs) => glyphs.iter().map(|glyph| glyph.at.y).collect(),
            _ => Vec::new(),
        };
        layers.iter().flat_map(of).collect::<Vec<f64>>()
    };
    assert_eq!(discs(&drawn(CurvePlace::Below)), [0.0; 0]);
    // The middle phase lies on another level than the two others, which are alike.
    let [first, second, third] = discs(&drawn(CurvePlace::Over))[..] else { panic!("three dots") };
    assert!((first - third).abs() < 1e-9 && (first - second).abs() > 50.0);
    let alone = drawn(CurvePlace::Alone);
    assert!(alone.iter().all(|layer| !matches!(layer, Layer::Rects(_))), "{alone:?}");
    let [Layer::Polygons(areas), Layer::Lines(_)] = &alone[..] else { panic!("a curve") };
    assert_eq!(areas.polygons.len(), 3);
}
