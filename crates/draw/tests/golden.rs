//! Pictures that a person has looked at, in `tests/golden`. A test fails when a picture changes.
//!
//! To look at a change and then keep it: `ONCA_GOLDEN=write cargo test -p onca-draw --test golden`.

mod support;

use std::path::Path;

use onca_answer::Level;
use onca_model::Color;
use onca_scene::Figure;
use onca_testkit::fixtures::table_4_2;
use onca_views::{
    Paper, Theme, bars, concurrency,
    histogram::{self, Counted, HistogramOptions},
    matrix, overview,
    pie::{self, PieOptions},
    timeline::TimelineOptions,
    treemap,
};
use support::{Stored, sample, timeline};

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
    let one_each = PieOptions { level: Level::Own };
    let states = HistogramOptions { counted: Counted::States, ..HistogramOptions::default() };
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
        ("treemap", treemap::figure(&scope, look, &paper, &Default::default())),
        ("overview", overview::figure(&scope, look, &paper, &Default::default())),
        ("overview_on_dark", overview::figure(&scope, look, &dark, &Default::default())),
    ];
    for (name, figure) in charts {
        check(name, &figure.unwrap_or_else(|why| panic!("{name}: {why}")));
    }
}

#[test]
fn timeline() {
    let options = TimelineOptions::default();
    check("timeline", &timeline::small(Theme::Light, 720.0, &options));
    check("timeline_narrow_dark", &timeline::small(Theme::Dark, 340.0, &options));
}

#[test]
fn timeline_of_machines() {
    let options = TimelineOptions { collapse: Level::Depth(1), ..TimelineOptions::default() };
    check("timeline_of_machines", &timeline::small(Theme::Light, 720.0, &options));
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
         ONCA_GOLDEN=write cargo test -p onca-draw --test golden",
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
