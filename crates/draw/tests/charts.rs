//! Bars, pies, matrices, histograms, mountains and traffic of small traces, number by number.

use crate::support;

use std::collections::BTreeMap;
use std::fmt::Write;

use onca_answer::{Cut, Level};
use onca_query::Scope;
use onca_scene::{Bounds, Figure, Pick, Point, Scene};
use onca_testkit::fixtures::{header, header_with_sizes, table_4_2, trace};
use onca_views::{
    Canvas, Paper, Result, Theme, ViewError,
    bars::{self, BarLength, BarsOptions},
    concurrency::{self, ConcurrencyOptions},
    histogram::{self, Counted, HistogramOptions},
    matrix::{self, MatrixOptions, Metric},
    options::LevelOptions,
    pie::{self, PieOptions},
    registry::{Material, NoMemory, View},
    traffic::{Traffic, TrafficMetric, TrafficOptions},
};
use support::{
    Stored,
    shapes::{area, polygons, rects, texts, texts_are_apart, title},
};

const CANVAS: Canvas = Canvas { width: 900.0, height: 400.0, theme: Theme::Light, titles: true };
const SECOND: f64 = 1e9;

/// What all slices of a chart of traffic tell together, by the text before an amount.
fn told_by_slices(scene: &Scene, line: &str) -> f64 {
    let amount = |text: &str| {
        let (_, amount) = text.lines().find_map(|own| own.split_once(line))?;
        amount.trim().split(' ').next()?.parse::<f64>().ok()
    };
    rects(scene).iter().filter_map(|rect| amount(title(scene, rect))).sum()
}

#[test]
fn all_that_is_sent_is_in_some_slice() {
    let stored = Stored::from_text(&table_4_2());
    let (scope, appearance) = (&stored.whole(), &stored.appearance);
    let cut = Cut::new(scope, &Level::Own).expect("a cut");
    let sent = onca_answer::matrix(scope, cut).expect("a matrix").totals();
    let material = Material { scope, appearance, platform: None, memory: &NoMemory, before: None };
    for slices in [1, 7, 30] {
        let metric = Some(TrafficMetric::Bytes);
        let options = TrafficOptions { slices, metric, ..TrafficOptions::default() };
        let scene = Traffic::scene(&material, &CANVAS, &options).expect("traffic").scene;
        let told = told_by_slices(&scene, "all sent  ");
        // Amounts have three digits.
        assert!((told - sent.size as f64).abs() <= 0.5 * f64::from(slices), "{told} {sent:?}");
    }
    let metric = Some(TrafficMetric::Count);
    let options = TrafficOptions { slices: 1, metric, ..TrafficOptions::default() };
    let scene = Traffic::scene(&material, &CANVAS, &options).expect("traffic").scene;
    assert_eq!(told_by_slices(&scene, "all sent  "), sent.count as f64);
}

/// Each leaf for itself.
fn deepest(scope: &Scope<'_>) -> LevelOptions {
    LevelOptions::at_depth(scope.hierarchy().max_depth())
}

/// Every chart with every choice.
fn all_charts(stored: &Stored, scope: &Scope<'_>, paper: &Paper) -> Vec<(String, Result<Figure>)> {
    let look = &stored.appearance;
    let mut all = Vec::new();
    for level in [LevelOptions::default(), LevelOptions::at_depth(0), deepest(scope)] {
        for length in [BarLength::Share, BarLength::Time] {
            let options = BarsOptions { level: level.clone(), of: None, length };
            let figure = bars::figure(scope, look, paper, &options);
            all.push((format!("bars {options:?}"), figure));
        }
        let options = PieOptions { level: level.clone(), of: None };
        all.push((format!("pie {options:?}"), pie::figure(scope, look, paper, &options)));
        for metric in [None, Some(Metric::Count), Some(Metric::Time)] {
            let options = MatrixOptions { level: level.clone(), metric, color_scale: None };
            all.push((format!("matrix {options:?}"), matrix::figure(scope, look, paper, &options)));
        }
    }
    for of in [Counted::Links, Counted::LinkSizes, Counted::LinkDurations, Counted::States] {
        let options = HistogramOptions { of, count_scale: None };
        let figure = histogram::figure(scope, look, paper, &options);
        all.push((format!("histogram {options:?}"), figure));
    }
    let figure = concurrency::figure(scope, look, paper, &ConcurrencyOptions::default());
    all.push(("concurrency".to_owned(), figure));
    all
}

/// Many papers: narrow, wide, dark, flat, with and without a caption.
fn papers() -> Vec<Paper> {
    let paper = Paper::default();
    let source = Some("a trace with a rather long name, window 0 to 30 s".to_owned());
    vec![
        paper.clone(),
        Paper { width: 340.0, ..paper.clone() },
        Paper { width: 340.0, theme: Theme::Dark, source: source.clone(), ..paper.clone() },
        Paper { height: Some(260.0), source, ..paper.clone() },
        Paper { width: 1800.0, title: Some(String::new()), ..paper },
    ]
}

#[test]
fn bars_are_as_long_as_the_time_in_each_value() {
    let stored = Stored::from_text(&table_4_2());
    let scope = stored.whole();
    let options = BarsOptions::default();
    let drawn = bars::scene(&scope, &stored.appearance, &CANVAS, &options).expect("bars");
    let mut seconds: BTreeMap<String, f64> = BTreeMap::new();
    for rect in rects(&drawn.scene) {
        let text = title(&drawn.scene, rect);
        let what = text.split("  ").next().expect("a name and a share").replace('\n', " ");
        seconds.insert(what, rect.bounds.width() / CANVAS.width * 30.0);
    }
    let expected = [
        ("A Blocked", 11.0),
        ("A Executing", 4.0),
        ("A no state", 15.0),
        ("B Blocked", 2.0),
        ("B Executing", 11.0),
        ("B no state", 17.0),
        ("C Blocked", 13.0),
        ("C Executing", 3.0),
        ("C no state", 14.0),
        ("D Executing", 25.0),
        ("D no state", 5.0),
        ("E Blocked", 5.0),
        ("E Executing", 9.0),
        ("E no state", 16.0),
    ];
    assert_eq!(seconds.len(), expected.len(), "{seconds:?}");
    for (what, length) in expected {
        assert!((seconds[what] - length).abs() < 1e-9, "{what}: {seconds:?}");
    }
}

#[test]
fn the_parts_of_a_bar_fill_it_without_overlap() {
    let stored = Stored::from_text(&table_4_2());
    let scope = stored.whole();
    for length in [BarLength::Share, BarLength::Time] {
        for level in
            [LevelOptions::default(), LevelOptions::at_depth(2), LevelOptions::of_kind("Machine")]
        {
            let options = BarsOptions { level, of: None, length };
            let drawn = bars::scene(&scope, &stored.appearance, &CANVAS, &options).expect("bars");
            let all: Vec<Bounds> = rects(&drawn.scene).iter().map(|rect| rect.bounds).collect();
            let mut ends: BTreeMap<i64, f64> = BTreeMap::new();
            for bounds in all {
                let end = ends.entry((bounds.y0 * 1000.0) as i64).or_insert(0.0);
                assert!((bounds.x0 - *end).abs() < 1e-9, "{options:?}");
                assert!(bounds.y0 >= 0.0 && bounds.y1 <= CANVAS.height);
                *end = bounds.x1;
            }
            let longest = ends.values().copied().fold(0.0, f64::max);
            assert!((longest - CANVAS.width).abs() < 1e-9);
            let shares = length == BarLength::Share;
            assert!(!shares || ends.values().all(|end| (end - CANVAS.width).abs() < 1e-9));
        }
    }
}

#[test]
fn bars_of_time_compare_groups() {
    let stored = Stored::from_text(&table_4_2());
    let scope = stored.whole();
    let level = LevelOptions::of_kind("Machine");
    let options = BarsOptions { level, of: None, length: BarLength::Time };
    let drawn = bars::scene(&scope, &stored.appearance, &CANVAS, &options).expect("bars");
    let mut ends: BTreeMap<String, f64> = BTreeMap::new();
    for rect in rects(&drawn.scene) {
        let name = title(&drawn.scene, rect).lines().next().expect("a name").to_owned();
        ends.insert(name, rect.bounds.x1 / CANVAS.width);
    }
    // Two processes on each of the first machines, one on the last.
    let expected = [("M1", 1.0), ("M2", 1.0), ("M3", 0.5)];
    assert_eq!(ends, expected.map(|(name, end)| (name.to_owned(), end)).into());
}

/// The share of a pie that an outline from its middle has.
fn slice_share(corners: &[Point]) -> f64 {
    let [center, rim @ ..] = corners else { return 0.0 };
    let angle = |point: &Point| (point.x - center.x).atan2(center.y - point.y);
    let turn = std::f64::consts::TAU;
    rim.windows(2).map(|pair| (angle(&pair[1]) - angle(&pair[0])).rem_euclid(turn)).sum::<f64>()
        / turn
}

#[test]
fn the_slices_of_a_pie_are_the_shares_of_time() {
    let stored = Stored::from_text(&table_4_2());
    let scope = stored.whole();
    let options = PieOptions::default();
    let drawn = pie::scene(&scope, &stored.appearance, &CANVAS, &options).expect("a pie");
    let shares: Vec<(String, f64)> = polygons(&drawn.scene)
        .into_iter()
        .map(|(text, corners)| {
            let part = text.lines().last().and_then(|line| line.split("  ").next());
            (part.expect("a name").to_owned(), slice_share(corners) * 150.0)
        })
        .collect();
    let expected = [("Executing", 52.0), ("Blocked", 31.0), ("no state", 67.0)];
    assert_eq!(shares.len(), 3);
    for ((part, share), (name, seconds)) in shares.iter().zip(expected) {
        assert_eq!(part, name);
        assert!((share - seconds).abs() < 1e-6, "{shares:?}");
    }
}

#[test]
fn every_pie_is_whole_and_stays_in_its_cell() {
    let stored = Stored::from_text(&table_4_2());
    let scope = stored.whole();
    let options = PieOptions { level: deepest(&scope), of: None };
    let drawn = pie::scene(&scope, &stored.appearance, &CANVAS, &options).expect("pies");
    let mut whole: BTreeMap<String, (f64, Bounds)> = BTreeMap::new();
    for (text, corners) in polygons(&drawn.scene) {
        let name = text.lines().next().expect("a name").to_owned();
        let nowhere = Bounds::new(f64::MAX, f64::MAX, f64::MIN, f64::MIN);
        let (share, bounds) = whole.entry(name).or_insert((0.0, nowhere));
        *share += slice_share(corners);
        for corner in corners {
            bounds.x0 = bounds.x0.min(corner.x);
            bounds.y0 = bounds.y0.min(corner.y);
            bounds.x1 = bounds.x1.max(corner.x);
            bounds.y1 = bounds.y1.max(corner.y);
        }
    }
    assert_eq!(whole.keys().collect::<Vec<_>>(), ["A", "B", "C", "D", "E"]);
    let all: Vec<&(f64, Bounds)> = whole.values().collect();
    for (index, (share, bounds)) in all.iter().enumerate() {
        assert!((share - 1.0).abs() < 1e-9);
        assert!(bounds.x0 >= 0.0 && bounds.x1 <= CANVAS.width && bounds.y1 <= CANVAS.height);
        assert!(all[..index].iter().all(|(_, other)| !bounds.overlaps(other)));
    }
}

#[test]
fn thin_slices_are_put_together() {
    let mut body = String::new();
    for (number, start) in (0..8).map(|number| (number, number)) {
        let _ = writeln!(body, "12 {start} S a thin{number}");
    }
    body += "12 8 S a long\n12 10000 S a end\n";
    let stored = Stored::from_text(&trace(&body));
    let drawn = pie::scene(&stored.whole(), &stored.appearance, &CANVAS, &PieOptions::default());
    let drawn = drawn.expect("a pie");
    let parts: Vec<&str> = polygons(&drawn.scene)
        .into_iter()
        .filter_map(|(text, _)| text.lines().last()?.split("  ").next())
        .collect();
    // Container `b` has no states at all, and so no share.
    assert_eq!(parts, ["long", "8 others"]);
}

/// The cells of a matrix: what they show, and where they are.
fn cells(scene: &Scene) -> BTreeMap<String, (Bounds, Pick)> {
    let cells = rects(scene).into_iter().filter(|rect| matches!(rect.pick, Pick::Pair { .. }));
    cells.map(|rect| (title(scene, rect).to_owned(), (rect.bounds, rect.pick))).collect()
}

#[test]
fn the_cells_of_a_matrix_are_the_links() {
    let stored = Stored::from_text(&table_4_2());
    let scope = stored.whole();
    let options = MatrixOptions::default();
    let drawn = matrix::scene(&scope, &stored.appearance, &CANVAS, &options).expect("a matrix");
    assert_eq!(drawn.view, Bounds::new(0.0, 0.0, CANVAS.width, CANVAS.height));
    // The first rectangle is the square.
    let square = rects(&drawn.scene)[0].bounds;
    assert!((square.width() - square.height()).abs() < 1e-9 && square.width() > 250.0);
    let cell = square.width() / 5.0;
    let expected = [
        ("A to B\n10 B", (0, 1)),
        ("A to C\n40 B", (0, 2)),
        ("B to A\n36 B", (1, 0)),
        ("B to C\n99 B", (1, 2)),
        ("C to D\n10 B", (2, 3)),
        ("D to C\n45 B", (3, 2)),
        ("D to E\n5 B", (3, 4)),
        ("E to A\n77 B", (4, 0)),
        ("E to D\n30 B", (4, 3)),
    ];
    let found = cells(&drawn.scene);
    assert_eq!(found.len(), expected.len());
    for (text, (row, column)) in expected {
        let (bounds, _) = &found[text];
        let (x, y) = (square.x0 + f64::from(column) * cell, square.y0 + f64::from(row) * cell);
        for (found, known) in
            [(bounds.x0, x), (bounds.y0, y), (bounds.x1, x + cell), (bounds.y1, y + cell)]
        {
            assert!((found - known).abs() < 1e-9, "{text}");
        }
    }
    // Sums are as long as what is sent and received.
    let sums: BTreeMap<&str, f64> = rects(&drawn.scene)
        .into_iter()
        .filter(|rect| matches!(rect.pick, Pick::Node(_)))
        .map(|rect| {
            let text = title(&drawn.scene, rect);
            let is_sent = text.contains("sends");
            let bounds = rect.bounds;
            (text, if is_sent { bounds.width() } else { bounds.height() })
        })
        .collect();
    assert_eq!(sums.len(), 10);
    let per_byte = sums["C\nreceives  184 B"] / 184.0;
    for (text, bytes) in [("B\nsends  135 B", 135.0), ("E\nsends  107 B", 107.0)] {
        assert!((sums[text] / per_byte - bytes).abs() < 1e-6, "{text}");
    }
}

#[test]
fn a_matrix_of_groups_sums_their_links() {
    let stored = Stored::from_text(&table_4_2());
    let scope = stored.whole();
    let of = |level: &str, metric| {
        let level = LevelOptions::of_kind(level);
        let options = MatrixOptions { level, metric, color_scale: None };
        let drawn = matrix::scene(&scope, &stored.appearance, &CANVAS, &options);
        cells(&drawn.expect("a matrix").scene).into_keys().collect::<Vec<_>>()
    };
    assert_eq!(
        of("Cluster", Some(Metric::Count)),
        [
            "C1 to C1\n2 messages",
            "C1 to C2\n2 messages",
            "C2 to C1\n1 message",
            "C2 to C2\n4 messages"
        ]
    );
    assert_eq!(
        of("Cluster", None),
        ["C1 to C1\n46 B", "C1 to C2\n139 B", "C2 to C1\n77 B", "C2 to C2\n90 B"]
    );
    let seconds = ["C1 to C1\n4 s", "C1 to C2\n6 s", "C2 to C1\n2 s", "C2 to C2\n7 s"];
    assert_eq!(of("Cluster", Some(Metric::Time)), seconds);
}

#[test]
fn the_columns_of_a_histogram_count_everything_once() {
    let stored = Stored::from_text(&table_4_2());
    let scope = stored.whole();
    let of = |counted| {
        let options = HistogramOptions { of: counted, count_scale: None };
        let drawn = histogram::scene(&scope, &stored.appearance, &CANVAS, &options);
        let drawn = drawn.expect("a histogram");
        let plot_height = drawn.plots[0].bounds.height();
        let column = |rect: &onca_scene::Rect| {
            (title(&drawn.scene, rect).to_owned(), rect.bounds.height() / plot_height)
        };
        rects(&drawn.scene).into_iter().map(column).collect::<Vec<_>>()
    };
    let last_line = |text: &str, word: usize| -> u64 {
        let line = text.lines().last().expect("a line");
        line.split(' ').nth(word).expect("a word").parse().expect("a number")
    };
    let found = of(Counted::LinkSizes);
    let mut by_power: BTreeMap<u32, u64> = BTreeMap::new();
    for (text, height) in &found {
        let from: u64 = text.split(' ').next().expect("a size").parse().expect("a number");
        let count = last_line(text, 0);
        *by_power.entry(from.ilog2()).or_default() += count;
        // A tenth is left free above the highest.
        let most = found.iter().map(|(text, _)| last_line(text, 0)).max().expect("a column");
        assert!((height - count as f64 / (most as f64 * 1.1)).abs() < 1e-9, "{text}: {height}");
    }
    assert_eq!(by_power, BTreeMap::from([(2, 1), (3, 2), (4, 1), (5, 3), (6, 2)]));
    let options = HistogramOptions { of: Counted::LinkSizes, count_scale: None };
    let drawn = histogram::scene(&scope, &stored.appearance, &CANVAS, &options);
    let edges = &drawn.expect("a histogram").plots[0].edges;
    assert!(
        edges.len() > 8 && edges.is_sorted(),
        "columns are finer than a factor of two: {edges:?}"
    );
    // Each value has a chart, and each state a column in that of its value.
    let mut by_value: BTreeMap<String, u64> = BTreeMap::new();
    for (text, _) in of(Counted::States) {
        let value = text.lines().next().expect("a value").to_owned();
        *by_value.entry(value).or_default() += last_line(&text, 0);
    }
    let expected = BTreeMap::from([("Executing".to_owned(), 7), ("Blocked".to_owned(), 6)]);
    assert_eq!(by_value, expected);
}

#[test]
fn the_mountains_hold_all_the_time() {
    let stored = Stored::from_text(&table_4_2());
    let scope = stored.whole();
    for slices in [None, Some(1), Some(7), Some(30)] {
        let options = ConcurrencyOptions { slices };
        let drawn = concurrency::scene(&scope, &stored.appearance, &CANVAS, &options);
        let drawn = drawn.expect("mountains");
        let found = polygons(&drawn.scene);
        let names: Vec<_> = found.iter().map(|(text, _)| text.lines().next()).collect();
        assert_eq!(names, [Some("Executing"), Some("Blocked")]);
        for ((_, corners), seconds) in found.iter().zip([52.0, 31.0]) {
            assert!((area(corners) / SECOND - seconds).abs() < 1e-6, "{slices:?}");
            assert!(corners.iter().all(|corner| (0.0..=5.0).contains(&corner.y)));
            assert!(corners.iter().all(|corner| (0.0..=30.0 * SECOND).contains(&corner.x)));
        }
    }
}

#[test]
fn a_moment_of_the_mountains_is_what_happens_then() {
    let stored = Stored::from_text(&table_4_2());
    let drawn = concurrency::scene(
        &stored.whole(),
        &stored.appearance,
        &CANVAS,
        &ConcurrencyOptions { slices: Some(30) },
    )
    .expect("mountains");
    // From 14 to 15 s: A, C and D execute, B and E are blocked.
    let at = 14.5 * SECOND;
    for ((_, corners), (floor, ceiling)) in
        polygons(&drawn.scene).iter().zip([(0.0, 3.0), (3.0, 5.0)])
    {
        let crossed =
            |pair: &[Point]| pair[0].x.min(pair[1].x) < at && at < pair[0].x.max(pair[1].x);
        let mut heights: Vec<f64> =
            corners.windows(2).filter(|pair| crossed(pair)).map(|pair| pair[0].y).collect();
        heights.sort_by(f64::total_cmp);
        assert_eq!(heights, [floor, ceiling]);
    }
}

/// Processes with hostile names, among them one with a very long one.
fn hostile() -> String {
    let mut text = header_with_sizes();
    text += "1 P 0 Proc\n2 S P St\n5 L 0 P P Lk\n";
    let names = [
        "</title><script>alert(1)</script>",
        "<svg onload=x>",
        "a&b\\\"c'",
        "]]>",
        "\u{202e}turned",
        "name that is longer than any name has a right to be and goes on and on and on and on",
    ];
    for (number, name) in names.iter().enumerate() {
        let _ = writeln!(text, "7 0 p{number} P 0 \"{name}\"");
    }
    for (number, name) in names.iter().enumerate() {
        let _ = writeln!(text, "12 {number} S p{number} \"{name}\"");
        let _ = writeln!(text, "16 {number} L 0 p{number} \"{name}\" k{number} 1");
        let _ = writeln!(text, "17 {number} L 0 p0 \"{name}\" k{number} 1");
    }
    text + "12 10 S p0 x\n"
}

/// `n` processes that each compute and send to the next.
fn many(n: usize) -> String {
    let mut text = header() + "1 P 0 Proc\n2 S P St\n5 L 0 P P Lk\n";
    for number in 0..n {
        let _ = writeln!(text, "7 0 p{number} P 0 process-{number}");
    }
    for number in 0..n {
        let _ = writeln!(text, "12 {number} S p{number} work");
        let _ = writeln!(text, "16 {number} L 0 p{number} m k{number}");
        let _ = writeln!(text, "17 {} L 0 p{} m k{number}", number + 1, (number + 1) % n);
    }
    text + &format!("12 {n} S p0 rest\n")
}

#[test]
fn no_text_lies_on_another_or_leaves_the_page() {
    let one = trace("12 0 S a x\n12 5 S a y\n16 1 L 0 a m k\n17 2 L 0 a m k\n");
    let instant = trace("12 3 S a x\n");
    for text in [table_4_2(), hostile(), many(90), one, instant] {
        let stored = Stored::from_text(&text);
        let scope = stored.whole();
        for paper in papers() {
            for (name, figure) in all_charts(&stored, &scope, &paper) {
                if let Ok(figure) = figure {
                    texts_are_apart(&format!("{name} on {paper:?}"), &figure);
                }
            }
        }
    }
}

#[test]
fn hostile_names_are_texts() {
    let stored = Stored::from_text(&hostile());
    let scope = stored.whole();
    for (name, figure) in all_charts(&stored, &scope, &Paper::default()) {
        let svg = onca_draw::svg(&figure.unwrap_or_else(|why| panic!("{name}: {why}")));
        let document = roxmltree::Document::parse(&svg).expect("well-formed");
        let tags: Vec<_> = document.descendants().map(|node| node.tag_name().name()).collect();
        assert!(!tags.contains(&"script"), "{name}");
        assert!(document.descendants().all(|node| node.attribute("onload").is_none()), "{name}");
    }
}

#[test]
fn ten_thousand_containers_share_places_and_the_picture_says_so() {
    let stored = Stored::from_text(&many(10_000));
    let scope = stored.whole();
    let (look, paper) = (&stored.appearance, Paper::default());
    let drawn = bars::scene(&scope, look, &CANVAS, &BarsOptions::default()).expect("bars");
    assert!(rects(&drawn.scene).len() <= 3 * 80, "at most a bar for each five pixels");
    assert_eq!(drawn.notes, ["10,000 containers share 80 places"]);
    let drawn = matrix::scene(&scope, look, &CANVAS, &MatrixOptions::default()).expect("a matrix");
    let is_sum = |rect: &&&onca_scene::Rect| matches!(rect.pick, Pick::Node(_));
    let all = rects(&drawn.scene);
    let n = all.iter().filter(is_sum).count() / 2;
    assert!(n > 20 && n as f64 <= CANVAS.height / 3.0);
    // Each sends to itself and to the next: the runs on the diagonal and beside it, and the sums.
    assert_eq!(all.len(), 1 + 2 * n + 2 * n);
    let pies = pie::scene(&scope, look, &CANVAS, &PieOptions { level: deepest(&scope), of: None })
        .expect("pies");
    assert!(polygons(&pies.scene).len() <= 14 * 4 * 3);
    for (name, figure) in all_charts(&stored, &scope, &paper) {
        let Ok(figure) = figure else { continue };
        texts_are_apart(&name, &figure);
        let shares =
            texts(&figure).iter().any(|(text, _)| text.contains("10,000 containers share"));
        let by_container = match name.split(' ').next() {
            Some("bars" | "matrix") => !name.contains("depth: Some(0)"),
            Some("pie") => name.contains("depth: Some(1)"),
            _ => false,
        };
        assert_eq!(shares, by_container, "{name}");
    }
}

#[test]
fn what_is_not_there_is_said() {
    let why = |result: Result<Figure>| match result {
        Err(ViewError::Nothing(why)) => why,
        other => panic!("{other:?}"),
    };
    let empty = Stored::from_text(&header());
    for (name, figure) in all_charts(&empty, &empty.whole(), &Paper::default()) {
        assert!(!why(figure).is_empty(), "{name}");
    }
    let no_links = Stored::from_text(&trace("12 0 S a x\n12 5 S a y\n"));
    let scope = no_links.whole();
    let (look, paper) = (&no_links.appearance, Paper::default());
    let figure = matrix::figure(&scope, look, &paper, &MatrixOptions::default());
    assert_eq!(why(figure), "there are no links between containers in what is seen");
    let figure = histogram::figure(&scope, look, &paper, &HistogramOptions::default());
    assert_eq!(why(figure), "there are no links in what is seen");
    let no_sizes = Stored::from_text(&trace("16 1 L 0 a m k\n17 2 L 0 b m k\n"));
    let options = MatrixOptions { metric: Some(Metric::Bytes), ..MatrixOptions::default() };
    let figure = matrix::figure(&no_sizes.whole(), &no_sizes.appearance, &paper, &options);
    assert_eq!(why(figure), "no link in what is seen has a size; count them instead");
}

#[test]
fn a_picture_too_small_for_anything_is_still_a_picture() {
    let stored = Stored::from_text(&table_4_2());
    let scope = stored.whole();
    for (width, height) in [(60.0, 40.0), (1.0, 1.0), (1000.0, 30.0), (30.0, 1000.0)] {
        let paper = Paper { width, height: Some(height), ..Paper::default() };
        for (name, figure) in all_charts(&stored, &scope, &paper) {
            let figure = match figure {
                Ok(figure) => figure,
                Err(ViewError::Nothing(why)) => {
                    assert!(why.starts_with("a matrix needs more room"), "{name}: {why}");
                    continue;
                }
                Err(why) => panic!("{name}: {why}"),
            };
            let svg = onca_draw::svg(&figure);
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{name}");
            assert!(roxmltree::Document::parse(&svg).is_ok(), "{name}");
        }
    }
}
