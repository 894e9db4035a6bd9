//! Overviews of traces, through the lens.

use crate::support;

use onca_aggregate::overview::{Axis, DISRUPTION_THRESHOLD, Gain, StartRule, Watch};
use onca_aggregate::slice::LinkEnd;
use onca_answer::AnswerError;
use onca_answer::overview::{
    Choice, DisruptionAnswer, Matrix, Metric, Overview, OverviewAnswer, OverviewOptions, Simpler,
};
use onca_answer::slice::Nodes;
use onca_generate::iterative::{Burst, Options, SlowNode, write_with_truth};
use onca_generate::{Perturbation, Truth};
use onca_model::Window;
use onca_query::{Filter, Lens};
use support::Stored;

const STATES: Metric = Metric::States { idle: false };
const OPTIONS: OverviewOptions =
    OverviewOptions { axis: Axis::Both, gain: Gain::Sum, memory: 1 << 28 };

fn generated(options: &Options) -> (Truth, Stored) {
    let mut text = Vec::new();
    let (_, truth) = write_with_truth(options, &mut text).expect("options that make sense");
    (truth, Stored::new(&text))
}

fn small() -> Options {
    Options { procs: 16, events: 12_000, ..Options::default() }
}

fn matrix(stored: &Stored, lens: &Lens, n_slices: usize, metric: &Metric) -> Matrix {
    Matrix::new(&stored.scope(lens, stored.whole()), n_slices, metric).expect("a matrix")
}

fn partition(matrix: &Matrix, p: f64) -> OverviewAnswer {
    Overview::with(matrix, &OPTIONS, Watch::default(), |overview| {
        overview.partition(Choice::P(p), Watch::default())
    })
    .expect("a partition")
}

/// Every leaf is in one area at every time, and the mass of the areas is that of the matrix.
#[test]
fn areas_cover_everything_once() {
    let (_, stored) = generated(&small());
    for metric in [STATES, Metric::States { idle: true }, Metric::Bytes(LinkEnd::Origin)] {
        let matrix = matrix(&stored, &Lens::clear(), 20, &metric);
        let answer = partition(&matrix, 0.01);
        let mut covered = vec![0; matrix.cells.n_leaves() * 20];
        let mut mass = 0.0;
        for area in &answer.areas {
            for leaf in matrix.tree.leaf_range(area.node) {
                (area.first..=area.last).for_each(|slice| covered[leaf * 20 + slice] += 1);
            }
            let n_cells = (area.n_leaves * (area.last + 1 - area.first)) as f64;
            mass += area.look.means.iter().sum::<f64>() * n_cells;
        }
        assert!(covered.iter().all(|&times| times == 1));
        let leaves = 0..matrix.cells.n_leaves();
        let total: f64 = leaves.map(|leaf| matrix.cells.leaf(leaf).iter().sum::<f64>()).sum();
        assert!((mass - total).abs() < 1e-9 * total, "{mass} {total}");
    }
}

#[test]
fn a_lens_that_selects_everything_changes_nothing() {
    let (_, stored) = generated(&small());
    let mut everything = Lens::clear();
    everything.select.containers =
        Filter { only: Some(vec!["re:.*".to_owned()]), hide: Vec::new() };
    everything.select.values = Filter { only: Some(vec!["*".to_owned()]), hide: Vec::new() };
    let plain = matrix(&stored, &Lens::clear(), 30, &STATES);
    let selected = matrix(&stored, &everything, 30, &STATES);
    assert_eq!(plain, selected);
    assert_eq!(partition(&plain, 0.02), partition(&selected, 0.02));
}

#[test]
fn trade_offs_are_chosen_by_rank_and_by_default() {
    let (_, stored) = generated(&small());
    let matrix = matrix(&stored, &Lens::clear(), 30, &STATES);
    Overview::with(&matrix, &OPTIONS, Watch::default(), |overview| {
        let limits = onca_aggregate::overview::CurveLimits::DRAFT;
        let curve = overview.curve(limits, StartRule::Readable, Watch::default())?;
        assert!(curve.curve.segments.len() > 3);
        for (rank, segment) in curve.curve.segments.iter().enumerate() {
            let ranked = overview.partition(Choice::Rank(rank), Watch::default())?.partition;
            let listed = (segment.p, segment.gain, segment.loss, segment.n_areas);
            assert_eq!((ranked.p, ranked.gain, ranked.loss, ranked.areas.len()), listed);
            assert!(segment.from <= segment.p && segment.p <= segment.to, "{segment:?}");
        }
        for rule in [StartRule::Readable, StartRule::Nearest, StartRule::Steepest] {
            let start = overview.partition(Choice::Start(rule), Watch::default())?.partition;
            let listed = overview.curve(limits, rule, Watch::default())?;
            let listed = listed.curve.segments[listed.default];
            assert_eq!((start.p, start.areas.len()), (listed.p, listed.n_areas), "{rule:?}");
        }
        let n = curve.curve.segments.len();
        let error =
            overview.partition(Choice::Rank(n), Watch::default()).expect_err("no such rank");
        assert!(error.to_string().contains(&format!("from 0 to {}", n - 1)), "{error}");
        Ok(())
    })
    .expect("an overview");
}

#[test]
fn unknown_variables_and_tight_memory_are_refused() {
    let (_, stored) = generated(&small());
    let scope = stored.scope(&Lens::clear(), stored.whole());
    let error =
        Matrix::new(&scope, 10, &Metric::Variable("power".to_owned())).expect_err("no such");
    assert!(error.to_string().contains("no metric \"power\""), "{error}");
    let matrix = matrix(&stored, &Lens::clear(), 100, &STATES);
    let options = OverviewOptions { memory: 1 << 20, ..OPTIONS };
    let error = Overview::with(&matrix, &options, Watch::default(), |_| Ok(())).expect_err("tight");
    assert!(
        matches!(&error, AnswerError::TooLarge(why) if why.contains("take at most")),
        "{error}"
    );
}

#[test]
fn phases_are_peaks_of_change() {
    let (truth, stored) = generated(&small());
    let scope = stored.scope(&Lens::clear(), stored.whole());
    let matrix = Matrix::new(&scope, 100, &STATES).expect("a matrix");
    let whole = matrix.changes(&scope, &Nodes::Depth(0)).expect("a level");
    let bounds = matrix.times.as_ref().expect("times").bounds;
    let init_ends = truth.phases[0].to_ticks;
    let near = |&peak: &usize| (bounds.bound(peak + 1) - init_ends).abs() <= 2 * bounds.bound(1);
    assert!(whole.curves[0].curve.peaks.iter().any(near), "{whole:?}");
    let machines = matrix.changes(&scope, &Nodes::Level("MACHINE".to_owned())).expect("a level");
    assert_eq!(machines.curves.len(), 16);
    assert!(machines.curves[0].path.contains("machine"));
}

/// The five clearest disruptions.
fn disruptions(matrix: &Matrix) -> DisruptionAnswer {
    let choice = Choice::Start(StartRule::default());
    Overview::with(matrix, &OPTIONS, Watch::default(), |overview| {
        overview.disruptions(5, choice, Watch::default())
    })
    .expect("disruptions")
}

/// A slow machine and two bursts, one after the other, after which the run is as before.
fn planted(calm: Options, end_ticks: i64) -> Options {
    let at = |share: f64| (share * end_ticks as f64) as i64;
    let burst =
        |from, to, share, factor| Burst { from_ticks: at(from), to_ticks: at(to), share, factor };
    Options {
        bursts: vec![burst(0.25, 0.34, 0.1, 3.0), burst(0.8, 0.88, 0.2, 2.0)],
        slow_node: Some(SlowNode {
            machine: 5,
            factor: 2.5,
            interval_ticks: Some((at(0.5), at(0.6))),
        }),
        ..calm
    }
}

/// `onca-bench overview --disruptions` does this with fifty seeds, and places and strengths that differ.
#[test]
fn planted_disruptions_are_found_and_calm_runs_have_none() {
    for seed in 1..=3 {
        let calm = Options { events: 120_000, seed, ..Options::default() };
        let (truth, stored) = generated(&calm);
        let answer = disruptions(&matrix(&stored, &Lens::clear(), 100, &STATES));
        assert_eq!((answer.n_found, answer.disruptions.len()), (0, 0), "seed {seed}");
        assert!(answer.highest < DISRUPTION_THRESHOLD, "seed {seed}: {}", answer.highest);

        let (truth, stored) = generated(&planted(calm, truth.end_ticks));
        let matrix = matrix(&stored, &Lens::clear(), 100, &STATES);
        let answer = disruptions(&matrix);
        let bounds = matrix.times.as_ref().expect("times").bounds;
        let is_found = |planted: &Perturbation| {
            answer.disruptions.iter().any(|found| {
                let (first, last) = (found.disruption.first, found.disruption.last);
                let found = Window::new(bounds.bound(first), bounds.bound(last + 1));
                let longer = (found.to - found.from).max(planted.to_ticks - planted.from_ticks);
                2 * found.overlap(planted.from_ticks, planted.to_ticks) >= longer
            })
        };
        for planted in &truth.perturbations {
            assert!(is_found(planted), "seed {seed}: {planted:?} is not in {answer:?}");
        }
    }
}

/// Loss of an area by its definition, from the cells of a matrix.
fn loss(matrix: &Matrix, node: u32, first: usize, last: usize) -> f64 {
    let f = |x: f64| if x > 0.0 { x * x.log2() } else { 0.0 };
    let leaves = matrix.tree.leaf_range(node);
    let n_cells = (leaves.len() * (last + 1 - first)) as f64;
    let of_value = |value: usize| {
        let cells: Vec<f64> = leaves
            .clone()
            .flat_map(|leaf| matrix.cells.row(leaf, value)[first..=last].to_vec())
            .collect();
        let mean = cells.iter().sum::<f64>() / n_cells;
        cells
            .iter()
            .map(|&cell| f(cell) - if cell > 0.0 { cell * mean.log2() } else { 0.0 })
            .sum::<f64>()
    };
    (0..matrix.values.len()).map(of_value).sum()
}

/// A burst on some of the machines for some of the time lies neither in rows nor in columns: only the optimum shows it without
/// cutting all that is around it.
#[test]
fn simpler_partitions_lose_more_in_as_many_areas() {
    let (truth, calm) = generated(&small());
    drop(calm);
    let (_, stored) = generated(&planted(small(), truth.end_ticks));
    let matrix = matrix(&stored, &Lens::clear(), 30, &STATES);
    Overview::with(&matrix, &OPTIONS, Watch::default(), |overview| {
        let optimum = overview.partition(Choice::P(0.02), Watch::default())?;
        for simpler in [Simpler::Grid, Simpler::Product] {
            let answer = overview.simpler(simpler, &optimum, Watch::default())?;
            let areas = answer.areas.iter();
            let expected: f64 =
                areas.map(|area| loss(&matrix, area.node, area.first, area.last)).sum();
            let found = answer.partition.loss;
            assert!((found - expected).abs() < 1e-9 * expected, "{found} {expected}");
            assert!(answer.areas.len() <= optimum.areas.len());
            assert!(found > 1.2 * optimum.partition.loss, "{found} {}", optimum.partition.loss);
        }
        Ok(())
    })
    .expect("an overview");
    let along_time = OverviewOptions { axis: Axis::Time, ..OPTIONS };
    let refused = Overview::with(&matrix, &along_time, Watch::default(), |overview| {
        let optimum = overview.partition(Choice::P(0.02), Watch::default())?;
        overview.simpler(Simpler::Grid, &optimum, Watch::default())
    });
    assert!(refused.expect_err("one axis").to_string().contains("take both axes"));
}

#[test]
fn nodes_and_values_of_a_file_may_have_names() {
    let text = r#"{"parent": [2, 2, -1], "leaves": [0, 1, 2], "values": [[[1, 2]], [[3, 4]], [[5, 6]]],
                   "names": ["a/b", "c", "all"], "value_names": ["busy"]}"#;
    let matrix = Matrix::from_json(text).expect("a matrix");
    let paths: Vec<String> = (0..4).map(|node| matrix.path(node)).collect();
    assert_eq!(paths, ["/a\\/b", "/c", "/", "/"]);
    assert_eq!((matrix.nodes[2].own, matrix.nodes[3].own), (false, true));
    assert_eq!(matrix.values, [b"busy"]);
    for (field, names, why) in [
        ("names", r#"["a", "c"]"#, "names has 2 names for 3 nodes"),
        ("value_names", "[7]", "value_names[0] is 7, not a text"),
    ] {
        let plain = r#"{"parent": [2, 2, -1], "leaves": [0, 1], "values": [[[1]], [[2]]], "#;
        let text = format!("{plain}\"{field}\": {names}}}");
        let error = Matrix::from_json(&text).expect_err("wrong names").to_string();
        assert!(error.contains(why), "{error}");
    }
}
