//! The reader and simulator against the slow reference interpreter, on random traces.

use crate::support;

use support::{canonical, read};

/// The reference's text, without the first line of each kind of problem: where a problem is
/// placed when it concerns two records is a matter of taste.
fn reference(bytes: &[u8]) -> String {
    let text = onca_testkit::interpret(bytes).to_text();
    text.lines()
        .map(|line| match line.strip_prefix("D\t").and_then(|rest| rest.rsplit_once('\t')) {
            Some((tally, _first_line)) => format!("D\t{tally}\n"),
            None => format!("{line}\n"),
        })
        .collect()
}

fn compare(bytes: &[u8], what: &str) {
    let file = tempfile::NamedTempFile::new().expect("temporary file");
    std::fs::write(file.path(), bytes).expect("write");
    let expected = reference(bytes);
    // Tiny blocks put a boundary between any two lines.
    for (threads, block_bytes) in [(1, 1 << 20), (2, 50), (2, 700)] {
        let driven = read(file.path(), threads, block_bytes);
        if driven.catalog.facts.unit.ticks_per_unit != onca_model::DEFAULT_TICKS_PER_UNIT {
            // Damage made a time so large that ticks are coarser; the reference has one rate.
            return;
        }
        let found = canonical(&driven);
        if found != expected {
            let only = |a: &str, b: &str| {
                let b: Vec<_> = b.lines().collect();
                let only: Vec<_> = a.lines().filter(|line| !b.contains(line)).collect();
                only.join("\n")
            };
            panic!(
                "{what}\n--- trace\n{}\n--- only in the reference\n{}\n--- only here\n{}",
                String::from_utf8_lossy(bytes),
                only(&expected, &found),
                only(&found, &expected),
            );
        }
    }
}

#[test]
fn random_traces_give_what_the_reference_gives() {
    for seed in 0..1200 {
        compare(&onca_testkit::random::trace(seed), &format!("seed {seed}"));
    }
}

#[test]
fn traces_cut_at_any_byte_give_what_the_reference_gives() {
    for seed in 0..6 {
        let trace = onca_testkit::random::trace(seed);
        for cut in (0..trace.len()).step_by(7) {
            compare(&trace[..cut], &format!("seed {seed} cut at {cut}"));
        }
    }
}

/// Bytes that mean something to the format, so that damage hits more than names.
const TELLING_BYTES: &[u8] = b" \n\"#%\0\\0129.-+eEx/\t\r";

#[test]
fn damaged_traces_give_what_the_reference_gives() {
    let mut state = 1u64;
    let mut next = move |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    for seed in 0..600 {
        let mut trace = onca_testkit::random::trace(seed);
        for _ in 0..=next(12) {
            let at = next(trace.len());
            match next(4) {
                0 => trace[at] = next(256) as u8,
                1 => {
                    trace.remove(at);
                }
                2 => trace.insert(at, TELLING_BYTES[next(TELLING_BYTES.len())]),
                _ => trace[at] = TELLING_BYTES[next(TELLING_BYTES.len())],
            }
        }
        compare(&trace, &format!("damaged seed {seed}"));
    }
}
