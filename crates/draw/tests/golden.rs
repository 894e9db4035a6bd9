//! Pictures that a person has looked at, in `tests/golden`. A test fails when a picture changes.
//!
//! To look at a change and then keep it: `ONCA_GOLDEN=write cargo test -p onca-draw --test all golden`.

use crate::support;

use std::path::Path;

use onca_model::{Color, Window};
use onca_scene::Figure;
use onca_testkit::fixtures::{header_with_sizes, table_4_2, trace};
use onca_views::{
    Paper, Theme, bars, commgram, concurrency, efficiency, flame, graph,
    histogram::{self, Counted, HistogramOptions},
    matrix,
    options::{AreasName, LevelOptions},
    overview::{self, OverviewOptions},
    pie::{self, PieOptions},
    registry::{Material, NoMemory, ViewEntry},
    solid::{self, Base, Camera, SolidOptions},
    timeline::TimelineOptions,
    topology, treemap,
};
use serde_json::{Value, json};
use support::{Stored, against, sample, structure, timeline};

#[test]
fn every_mark() {
    check("every_mark", &sample::every_mark());
}

#[test]
fn every_mark_on_dark() {
    let background = Color::rgb(22, 23, 28);
    check("every_mark_on_dark", &Figure { background, ..sample::every_mark() });
}

/// Five processes that execute and are blocked, and send nine messages.
#[test]
fn charts_of_five_processes() {
    let stored = Stored::from_text(&table_4_2());
    let (scope, look) = (stored.whole(), &stored.appearance);
    let paper = Paper { width: 480.0, source: Some("table".to_owned()), ..Paper::default() };
    let dark = Paper { theme: Theme::Dark, ..paper.clone() };
    let one_each = PieOptions { level: LevelOptions::at_depth(4), of: None };
    let states = HistogramOptions { of: Counted::States, ..HistogramOptions::default() };
    let compared = OverviewOptions { areas: AreasName::All, ..OverviewOptions::default() };
    let charts = [
        ("bars", bars::figure(&scope, look, &paper, &Default::default())),
        ("bars_on_dark", bars::figure(&scope, look, &dark, &Default::default())),
        ("pie", pie::figure(&scope, look, &paper, &Default::default())),
        ("pies", pie::figure(&scope, look, &paper, &one_each)),
        ("matrix", matrix::figure(&scope, look, &paper, &Default::default())),
        ("matrix_on_dark", matrix::figure(&scope, look, &dark, &Default::default())),
        ("histogram", histogram::figure(&scope, look, &paper, &Default::default())),
        ("histogram_of_states", histogram::figure(&scope, look, &paper, &states)),
        ("concurrency", concurrency::figure(&scope, look, &paper, &Default::default())),
        ("efficiency", efficiency::figure(&scope, &dark, &Default::default())),
        ("treemap", treemap::figure(&scope, look, &paper, &Default::default())),
        ("overview", overview::figure(&scope, look, &paper, &Default::default())),
        ("overview_compared", overview::figure(&scope, look, &paper, &compared)),
        ("overview_on_dark", overview::figure(&scope, look, &dark, &Default::default())),
    ];
    for (name, figure) in charts {
        check(name, &figure.unwrap_or_else(|why| panic!("{name}: {why}")));
    }
}

/// The same as views of the registry, by the options of a request.
#[test]
fn durations_and_traffic_of_five_processes() {
    let stored = Stored::from_text(&table_4_2());
    let (scope, appearance) = (&stored.whole(), &stored.appearance);
    let paper = Paper { width: 480.0, source: Some("table".to_owned()), ..Paper::default() };
    let dark = Paper { theme: Theme::Dark, ..paper.clone() };
    let material = Material { scope, appearance, platform: None, memory: &NoMemory, before: None };
    for (name, view, paper, fields) in [
        ("durations", "durations", &paper, json!({})),
        ("durations_dense_on_dark", "durations", &dark, json!({"points": 0})),
        ("traffic", "traffic", &paper, json!({"slices": 30})),
        (
            "traffic_of_clusters_on_dark",
            "traffic",
            &dark,
            json!({"level": "Cluster", "slices": 30}),
        ),
    ] {
        let Value::Object(fields) = fields else { panic!("fields") };
        let view = ViewEntry::named(view).expect("a view").ask(fields).expect("options");
        let figure = view.figure(&material, paper);
        check(name, &figure.unwrap_or_else(|why| panic!("{name}: {why}")));
    }
}

/// Eight processes exchange with their neighbours, then with those two apart, then four apart, then with neighbours again; twice.
#[test]
fn phases_of_eight_processes() {
    let stored = Stored::from_text(&commgram_trace());
    let (scope, look) = (stored.whole(), &stored.appearance);
    for (name, theme) in [("commgram", Theme::Light), ("commgram_on_dark", Theme::Dark)] {
        let source = Some("rounds.paje".to_owned());
        let paper = Paper { width: 720.0, theme, source, ..Paper::default() };
        let figure = commgram::figure(&scope, look, &paper, &Default::default());
        check(name, &figure.unwrap_or_else(|why| panic!("{name}: {why}")));
    }
}

fn commgram_trace() -> String {
    let mut text = header_with_sizes() + "1 P 0 Process\n5 L 0 P P Message\n";
    (0..8).for_each(|rank| text += &format!("7 0 r{rank} P 0 rank{rank}\n"));
    for (round, apart) in [1, 2, 4, 1, 1, 2, 4, 1].into_iter().enumerate() {
        for (event, time) in [(16, 100 * round), (17, 100 * round + 20)] {
            for rank in 0..8 {
                let end = if event == 16 { rank } else { rank ^ apart };
                let size = 4096 / apart * (1 + rank / 4);
                text += &format!("{event} {time} L 0 r{end} data k{round}_{rank} {size}\n");
            }
        }
    }
    text
}

/// A process that solves, exchanges and waits in that; another one computes and then sleeps.
#[test]
fn nested_states_and_what_changed() {
    let stored = Stored::from_text(&trace(
        "13 0 S a solve\n13 1 S a exchange\n13 2 S a wait\n14 3 S a\n14 4 S a\n13 6 S a wait\n\
         14 7 S a\n14 8 S a\n13 0 S b compute\n14 5 S b\n13 5 S b sleep\n14 9 S b\n",
    ));
    let (scope, look) = (stored.whole(), &stored.appearance);
    let paper = Paper { width: 480.0, source: Some("nested".to_owned()), ..Paper::default() };
    let flame = flame::figure(&scope, look, &paper, &Default::default());
    check("flame", &flame.expect("a flame graph"));
    let (middle, end) = (4_000_000_000, 9_000_000_000);
    let against = against(0, middle);
    let options = treemap::TreemapOptions { against, ..Default::default() };
    let later = stored.window(Window::new(middle, end));
    let change = treemap::figure(&later, look, &paper, &options);
    check("treemap_of_a_change", &change.expect("a treemap"));
}

#[test]
fn timeline() {
    let options = TimelineOptions::default();
    check("timeline", &timeline::small(Theme::Light, 720.0, &options));
    check("timeline_narrow_dark", &timeline::small(Theme::Dark, 340.0, &options));
}

#[test]
fn timeline_of_machines() {
    let options =
        TimelineOptions { level: LevelOptions::at_depth(1), ..TimelineOptions::default() };
    check("timeline_of_machines", &timeline::small(Theme::Light, 720.0, &options));
}

/// The five processes on the machines of a small network.
#[test]
fn structure_of_five_processes() {
    let stored = Stored::from_text(&table_4_2());
    let (scope, look) = (stored.whole(), &stored.appearance);
    let paper = Paper { width: 560.0, source: Some("table".to_owned()), ..Paper::default() };
    let dark = Paper { theme: Theme::Dark, ..paper.clone() };
    let platform = structure::platform();
    let on = |base, camera| SolidOptions { base, camera, ..SolidOptions::default() };
    let solid =
        |paper: &Paper, options| solid::figure(&scope, look, Some(&platform), paper, &options);
    let pictures = [
        ("graph", graph::figure(&scope, look, &paper, &Default::default())),
        ("graph_on_dark", graph::figure(&scope, look, &dark, &Default::default())),
        ("topology", topology::figure(&scope, look, &platform, &paper, &Default::default())),
        ("scene3d_graph", solid(&paper, on(Base::Graph, Camera::ISO))),
        ("scene3d_graph_on_dark", solid(&dark, on(Base::Graph, Camera::ISO))),
        ("scene3d_topology", solid(&paper, on(Base::Topology, Camera::ISO))),
        ("scene3d_treemap", solid(&paper, on(Base::Treemap, Camera::ISO))),
        ("scene3d_front", solid(&paper, on(Base::Graph, Camera::FRONT))),
        ("scene3d_top", solid(&paper, on(Base::Graph, Camera::TOP))),
    ];
    for (name, figure) in pictures {
        check(name, &figure.unwrap_or_else(|why| panic!("{name}: {why}")));
    }
}

/// Compares a figure with the picture of this name, or writes the picture when `ONCA_GOLDEN` says
/// so.
fn check(name: &str, figure: &Figure) {
    let svg = onca_draw::svg(figure);
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.svg"));
    if std::env::var_os("ONCA_GOLDEN").is_some_and(|wish| wish == "write") {
        std::fs::write(&golden, svg).expect("a written picture");
        return;
    }
    let known = std::fs::read_to_string(&golden).unwrap_or_default();
    if known == svg {
        return;
    }
    let drawn = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.svg"));
    std::fs::write(&drawn, &svg).expect("a written picture");
    panic!(
        "the picture has changed: compare {} with {}; {}. If it is right, remake it with \
         ONCA_GOLDEN=write cargo test -p onca-draw --test all golden",
        drawn.display(),
        golden.display(),
        first_difference(&known, &svg)
    );
}

fn first_difference(known: &str, drawn: &str) -> String {
    let mut lines = known.lines().zip(drawn.lines()).enumerate();
    match lines.find(|(_, (known, drawn))| known != drawn) {
        Some((number, (known, drawn))) => {
            let short = |line: &str| line.chars().take(120).collect::<String>();
            format!("line {} was {:?} and is {:?}", number + 1, short(known), short(drawn))
        }
        None => format!("it had {} bytes and has {}", known.len(), drawn.len()),
    }
}
