//! Statistics against slow and obvious versions, on random input.

use onca_aggregate::fold::Expression;
use onca_aggregate::ratio::Ratio;
use onca_aggregate::slice::Bounds;
use onca_aggregate::statistics::{
    Concurrency, LinearHistogram, LoadBalance, Longest, OrderStatistics, RatioHistogram,
    StreamSummary,
};
use onca_model::Ticks;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn rounds(n: u64, mut check: impl FnMut(&mut ChaCha8Rng)) {
    for seed in 0..n {
        check(&mut ChaCha8Rng::seed_from_u64(seed));
    }
}

/// Numbers of all magnitudes and signs.
fn random_numbers(rng: &mut ChaCha8Rng, n: usize) -> Vec<i64> {
    let negative = rng.random_bool(0.5);
    let mut number = |_| {
        let magnitude = rng.random::<u64>() >> rng.random_range(1..64);
        let number = magnitude as i64;
        if negative && rng.random_bool(0.5) { -number } else { number }
    };
    (0..n).map(&mut number).collect()
}

/// The number that at least `part / whole` of all are not larger than.
fn slow_quantile(numbers: &[i64], part: u32, whole: u32) -> Option<i64> {
    let enough = |&&candidate: &&i64| {
        let reached = numbers.iter().filter(|&&number| number <= candidate).count();
        reached as u64 * u64::from(whole) >= numbers.len() as u64 * u64::from(part)
    };
    numbers.iter().filter(enough).min().copied()
}

#[test]
fn quantiles_are_by_nearest_rank() {
    rounds(200, |rng| {
        let n = rng.random_range(1..130);
        let numbers = random_numbers(rng, n);
        let found = OrderStatistics::of(&mut numbers.clone()).expect("numbers");
        assert_eq!(Some(found.median), slow_quantile(&numbers, 1, 2));
        assert_eq!(Some(found.p90), slow_quantile(&numbers, 9, 10));
        assert_eq!(Some(found.p99), slow_quantile(&numbers, 99, 100));
        assert_eq!(Some(found.min), numbers.iter().min().copied());
        assert_eq!(Some(found.max), numbers.iter().max().copied());
        let sum: i128 = numbers.iter().map(|&number| i128::from(number)).sum();
        assert_eq!((found.sum, found.mean), (sum, sum as f64 / n as f64));
    });
}

#[test]
fn streams_are_exact_or_nearly_so() {
    rounds(200, |rng| {
        let n = rng.random_range(1..200);
        let numbers = random_numbers(rng, n);
        let limit = rng.random_range(0..300);
        let mut summary = StreamSummary::new(limit);
        numbers.iter().for_each(|&number| summary.add(number));
        let quantiles = summary.quantiles();
        assert_eq!(summary.is_exact(), n <= limit);
        assert_eq!(summary.sum(), numbers.iter().map(|&number| i128::from(number)).sum());
        for part in 0..=20 {
            let exact = slow_quantile(&numbers, part, 20).expect("numbers");
            let found = quantiles.get(part, 20).expect("numbers");
            let off = found.abs_diff(exact) as f64;
            let allowed = exact.unsigned_abs() as f64 * StreamSummary::RELATIVE_ERROR;
            assert!(off <= if summary.is_exact() { 0.0 } else { allowed }, "{found} {exact}");
        }
    });
}

#[test]
fn merged_summaries_equal_one_of_all_numbers() {
    rounds(200, |rng| {
        let n = rng.random_range(1..200);
        let numbers = random_numbers(rng, n);
        let limit = rng.random_range(0..200);
        let mut parts = vec![StreamSummary::new(limit); rng.random_range(1..5)];
        let mut whole = StreamSummary::new(limit);
        for &number in &numbers {
            let part = rng.random_range(0..parts.len());
            parts[part].add(number);
            whole.add(number);
        }
        let mut merged = StreamSummary::new(limit);
        parts.iter().for_each(|part| merged.merge(part));
        assert_eq!(merged.quantiles(), whole.quantiles());
        assert_eq!((merged.count(), merged.sum()), (whole.count(), whole.sum()));
        assert_eq!((merged.min(), merged.max()), (whole.min(), whole.max()));
        assert_eq!(merged.is_exact(), whole.is_exact());
    });
}

#[test]
fn the_longest_are_the_first_of_all_in_order() {
    rounds(200, |rng| {
        let limit = rng.random_range(0..12);
        let mut parts = [Longest::new(limit), Longest::new(limit)];
        let mut all: Vec<(Ticks, u32)> = Vec::new();
        for _ in 0..rng.random_range(0..60) {
            let (duration, item) = (rng.random_range(0..8), rng.random_range(0..1000u32));
            all.push((duration, item));
            parts[rng.random_range(0..2usize)].offer(duration, item);
        }
        all.sort_by_key(|&(duration, item)| (std::cmp::Reverse(duration), item));
        all.truncate(limit);
        let [mut left, right] = parts;
        left.merge(right);
        assert_eq!(left.into_sorted(), all);
    });
}

#[test]
fn histograms_count_every_number_once() {
    rounds(200, |rng| {
        let numbers: Vec<i64> = (0..80).map(|_| rng.random_range(-30..90)).collect();
        let from = rng.random_range(-20..20);
        let to = from + rng.random_range(1..50);
        let mut linear = LinearHistogram::new(from, to, rng.random_range(1..20)).expect("bins");
        let mut ratio = RatioHistogram::default();
        for &number in &numbers {
            linear.add(number);
            ratio.add(number);
        }
        let count = |from: i64, to: i64| -> u64 {
            numbers.iter().filter(|&&number| from <= number && number < to).count() as u64
        };
        let edges = linear.bounds().edges();
        let mut slow: Vec<u64> = edges.windows(2).map(|bin| count(bin[0], bin[1])).collect();
        *slow.last_mut().expect("a bin") += count(to, to + 1);
        assert_eq!(linear.counts, slow);
        assert_eq!((linear.below, linear.above), (count(-99, from), count(to + 1, 99)));
        let bound = RatioHistogram::lower_bound;
        for bin in 0..8 * RatioHistogram::PER_DOUBLING {
            assert_eq!(ratio.count(bin..bin + 1), count(bound(bin), bound(bin + 1)), "{bin}");
        }
        assert_eq!((ratio.zeros, ratio.negative), (count(0, 1), count(-99, 0)));
        assert_eq!(ratio.total() + ratio.negative, numbers.len() as u64);
    });
}

#[test]
fn load_balance_equals_its_definition() {
    rounds(200, |rng| {
        let loads: Vec<i64> =
            (0..rng.random_range(1..30)).map(|_| rng.random_range(1..99)).collect();
        let found = LoadBalance::of(loads.iter().copied()).expect("loads");
        let n = loads.len() as f64;
        let mean = loads.iter().sum::<i64>() as f64 / n;
        let max = loads.iter().copied().max().expect("loads") as f64;
        let variance = loads.iter().map(|&load| (load as f64 - mean).powi(2)).sum::<f64>() / n;
        assert_eq!((found.mean, found.max), (mean, max));
        assert!((found.std - variance.sqrt()).abs() <= 1e-9);
        assert_eq!(found.max_by_mean(), Some(max / mean));
        let percent = found.imbalance_percent().expect("a load");
        assert!((percent - 100.0 * (max / mean - 1.0)).abs() <= 1e-9);
    });
}

#[test]
fn concurrency_is_counted_at_every_tick() {
    rounds(300, |rng| {
        let from = rng.random_range(-20..20);
        let to = from + rng.random_range(1..50);
        let bounds = Bounds::new(from, to, rng.random_range(1..20)).expect("bounds");
        let mut intervals: Vec<(Ticks, Ticks)> = (0..rng.random_range(0..25))
            .map(|_| {
                let start = rng.random_range(-40..70);
                (start, start + rng.random_range(0..30))
            })
            .collect();
        intervals.sort_unstable();
        let mut sweep = Concurrency::new(&bounds);
        for &(start, end) in &intervals {
            sweep.add(start, end).expect("in order");
        }
        let found = sweep.finish();
        assert_eq!(found.len(), bounds.n_slices());
        let level = |tick: Ticks| {
            intervals.iter().filter(|&&(start, end)| start <= tick && tick < end).count() as u64
        };
        for (k, levels) in found.iter().enumerate() {
            let slice = bounds.slice(k);
            let slow: Vec<u64> = (slice.from..slice.to).map(level).collect();
            assert_eq!(levels.min(), slow.iter().min().copied());
            assert_eq!(levels.max(), slow.iter().max().copied());
            let times: Ticks = levels.times.iter().map(|&(_, time)| time).sum();
            assert_eq!(times, slice.to - slice.from);
            for at in 0..=intervals.len() as u64 {
                let time = slow.iter().filter(|&&level| level == at).count() as Ticks;
                assert_eq!(levels.time_at(at), time);
            }
            let overlap: Ticks =
                intervals.iter().map(|&(start, end)| slice.overlap(start, end)).sum();
            assert_eq!(levels.integral(), i128::from(overlap));
        }
    });
}

/// Whatever a user types, the answer is a meaning or a place inside the text.
#[test]
fn no_text_is_too_strange() {
    let words = [
        "max", "mean", "(", ")", "+", "-", "*", "/", "1", ".", "e", "é", " ", "time", ":", "link",
        "count", "\"", "\\", "state", "\u{0}", "💡",
    ];
    rounds(20_000, |rng| {
        let n = rng.random_range(0..8);
        let text: String = (0..n).map(|_| words[rng.random_range(0..words.len())]).collect();
        let errors = [Expression::parse(&text).err(), Ratio::parse(&text).err()];
        for error in errors.into_iter().flatten() {
            assert!(text.is_char_boundary(error.at), "{text:?}: {error}");
            assert!(!error.message.chars().any(char::is_control), "{error:?}");
        }
    });
}
